#!/usr/bin/env python3
"""Runs with checkpoints that are asked to stop or to save: signals, wall time, a limit of Slurm, notices, two runs in one directory (SIG-01 to SIG-03,
SLM-05, SLM-06, SPT-01, SPT-05, SPT-06, CKP-12, CKP-18, MPI-05).

    check_stopping.py TRESTLE
"""
import json
import os
import pathlib
import signal
import sys
import time

import metadata_server
import process_test_support as support

# Some hundred steps a second, far more than a test waits for.
MARCH = """\
physics: heat
analysis: {type: transient, end: 1e6, step: 0.01}
mesh: {generate: {box: {size: [1, 1, 1], cells: [8, 8, 8], cell: hex8}}}
materials: {medium: {conductivity: 1, density: 1, specific_heat: 1}}
boundary: [{on: xmin, temperature: 1}, {on: xmax, temperature: 0}]
initial: [{on: body, temperature: 0}]
solver: {device: cpu}
output: {fields: [temperature], times: [1e5]}
checkpoint: {every: 30 min}
"""
# Steps of which one takes minutes.
SLOW_STEPS = support.LONG_SOLVE.replace(
    "physics: elasticity\n", "physics: elasticity\nanalysis: {type: transient, end: 1, step: 1e-3}\n").replace(
    "poisson: 0.3", "poisson: 0.3, density: 1e-6") + "checkpoint: {every: 30 min}\n"


class MarchTest(support.RunTest):
    def start_marching(self, case=MARCH, ranks=1, steps=5, **options):
        run = self.start(case, ranks, **options)
        self.wait_for("some steps", lambda: self.status()["state"] == "running" and self.status()["step"] >= steps, run=run)
        return run

    def checkpoints(self):
        folder = self.folder / "run/ckpt"
        return sorted(path.parent.name for path in folder.glob("*/MANIFEST.json"))

    def check_stopped(self, run, reason, seconds=90):
        self.finish(run, 75, seconds)
        status = self.status()
        self.assertEqual((status["state"], status["exit_code"]), ("stopped", 75))
        self.assertIn(reason, status["message"])
        self.assertEqual(status["checkpoint"]["step"], status["step"])
        return status


class Requests(MarchTest):
    def test_work_that_cannot_be_broken_off_is_left_where_the_last_step_is_saved(self):
        case = MARCH.replace("every: 30 min", "every: 1 steps")
        faults = {"TRESTLE_FAULT": "solve:iteration:40:hang", "TRESTLE_ALLOW_FAULTS": "1"}
        run = self.start_marching(case, 2, 1, environment=faults)

        def newest_stays():
            newest = self.checkpoints()
            time.sleep(4)
            return newest == self.checkpoints()
        self.wait_for("a step without an end", newest_stays)
        os.kill(self.ranks()[1], signal.SIGUSR1)
        self.finish(run, 75, 120)
        status = self.status()
        self.assertEqual((status["state"], status["exit_code"]), ("stopped", 75))
        self.assertIn("in what cannot be broken off", status["message"])
        again = self.start(case, 2, arguments=["--restart", "auto"])
        self.wait_for("more steps", lambda: self.status()["step"] > status["step"], run=again)

    def test_work_that_cannot_be_broken_off_is_left_before_there_is_anything_to_save(self):
        case = support.LONG_SOLVE.replace("device: cpu", "device: debug")
        run = self.start(case, environment={"TRESTLE_FAULT": "device:synchronize:1:hang", "TRESTLE_ALLOW_FAULTS": "1"})
        self.wait_for("a run", lambda: self.status()["state"] == "running")
        run.send_signal(signal.SIGUSR1)
        self.finish(run, 85, 120)
        self.assertEqual((self.status()["state"], self.status()["exit_code"]), ("stopped", 85))
        self.assertIn("there was nothing to save yet", self.status()["message"])

    def test_usr1_commits_once_and_a_restart_goes_on(self):
        run = self.start_marching(ranks=2)
        os.kill(self.ranks()[1], signal.SIGUSR1)
        first = self.check_stopped(run, "signal USR1")
        self.assertEqual(len(self.checkpoints()), 1)
        run = self.start(MARCH, 1, ["--restart", "auto"])
        self.wait_for("further steps", lambda: self.status()["state"] == "running" and self.status()["step"] > first["step"])
        self.assertEqual(self.status()["incarnation"], 2)
        run.send_signal(signal.SIGUSR1)
        self.assertGreater(self.check_stopped(run, "signal USR1")["step"], first["step"])

    def test_usr1_to_the_launcher(self):
        run = self.start_marching(ranks=2)
        run.send_signal(signal.SIGUSR1)
        self.check_stopped(run, "signal USR1")
        self.assertEqual(len(self.checkpoints()), 1)

    def test_many_requests_make_one_commit(self):
        run = self.start_marching(ranks=2)
        for _ in range(20):
            for process in self.ranks():
                try:
                    os.kill(process, signal.SIGUSR1)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)
        self.check_stopped(run, "signal USR1")
        self.assertEqual(len(self.checkpoints()), 1)

    def test_usr2_saves_and_goes_on(self):
        run = self.start_marching(ranks=2)
        os.kill(self.ranks()[1], signal.SIGUSR2)
        self.wait_for("a checkpoint", lambda: self.status()["checkpoint"]["step"] > 0)
        self.assertEqual(len(self.checkpoints()), 1)
        saved = self.status()["checkpoint"]["step"]
        self.wait_for("further steps", lambda: self.status()["step"] > saved)
        self.assertIsNone(run.poll())
        self.assertEqual(self.status()["state"], "running")

    def test_term_saves_what_there_is_time_for(self):
        run = self.start_marching(MARCH + "stop: {kill_wait: 20 s}\n")
        run.send_signal(signal.SIGTERM)
        self.check_stopped(run, "signal TERM")

    def test_term_to_the_launcher_leaves_a_right_status(self):
        run = self.start_marching(ranks=2)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        self.wait_for("the end of all ranks", lambda: not self.ranks())
        status = self.status()
        self.assertIn(status["state"], ("stopped", "running"))  # mpirun kills after a second, done or not
        if status["state"] == "stopped":
            self.assertEqual(status["exit_code"], 75 if self.checkpoints() else 85)

    def test_before_the_first_step_there_is_nothing_to_save(self):
        run = self.start(SLOW_STEPS, 2, environment=support.SLOW_MOTION)
        self.wait_for_phase("solve")
        run.send_signal(signal.SIGUSR1)
        self.finish(run, 85)
        self.assertEqual(self.status()["state"], "stopped")
        self.assertEqual(self.checkpoints(), [])

    def test_the_wall_time_of_the_case(self):
        run = self.start_marching(MARCH + "stop: {wall_time: 12 s}\n")
        status = self.check_stopped(run, "the wall time of 12 s")
        self.assertGreater(status["step"], 0)

    def test_the_limit_of_a_slurm_job_is_read_from_squeue(self):
        answer = self.folder / "end"
        (self.folder / "squeue").write_text(f'#!/bin/sh\necho "$@" > {self.folder}/asked\ncat {answer}\n')
        (self.folder / "squeue").chmod(0o755)
        answer.write_text(time.strftime("%Y-%m-%dT%H:%M:%S\n", time.localtime(time.time() + 12)))
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "77"}
        run = self.start_marching(environment=environment)
        self.check_stopped(run, "the time limit of the Slurm job")
        self.assertEqual((self.folder / "asked").read_text(), "-h -j 77 -o %e\n")

    def test_squeue_that_hangs_does_not_hold_the_run(self):
        (self.folder / "squeue").write_text("#!/bin/sh\nexec sleep 1000\n")
        (self.folder / "squeue").chmod(0o755)
        run = self.start_marching(environment={"PATH": f"{self.folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "77"})
        before = self.status()["step"]
        self.wait_for("further steps", lambda: self.status()["step"] > before)
        run.send_signal(signal.SIGUSR1)
        self.check_stopped(run, "signal USR1")

    def test_hundreds_of_saves_take_no_memory_and_leave_no_file_open(self):
        run = self.start_marching(MARCH.replace("every: 30 min", "every: 1 steps"), steps=100)

        def held():
            """The least of some moments: memory [kB] and open files."""
            moments = []
            for _ in range(20):
                status = (pathlib.Path("/proc") / str(run.pid) / "status").read_text()
                moments.append((int(status.split("VmRSS:")[1].split()[0]), len(os.listdir(f"/proc/{run.pid}/fd"))))
                time.sleep(0.02)
            return [min(values) for values in zip(*moments)]
        memory, files = held()
        before = self.status()["step"]
        self.wait_for("three hundred more saves", lambda: self.status()["checkpoint"]["step"] >= before + 300, 200, run)
        more_memory, more_files = held()
        self.assertLessEqual(more_memory, 1.01 * memory)
        self.assertLessEqual(more_files, files)

    def test_the_status_tells_where_the_run_is(self):
        self.start_marching(ranks=2)
        status = self.status()
        self.assertEqual((status["phase"], status["ranks"], status["end"], status["incarnation"]), ("solve", 2, 1e6, 1))
        self.assertAlmostEqual(status["time"], 0.01 * status["step"], delta=1e-9 * status["step"])
        self.assertGreater(status["eta_s"], 0)

    def test_ranks_that_lose_count_are_found(self):
        run = self.start(MARCH, 2, environment={"TRESTLE_FAULT": "step:5:fail@1", "TRESTLE_ALLOW_FAULTS": "1"})
        _, err = self.finish(run, 70)
        self.assertIn("the ranks do not agree on where they are", err)


class Notices(MarchTest):
    def start_listening(self, cloud, ranks=1):
        server = metadata_server.MetadataServer(cloud)
        self.addCleanup(server.close)
        run = self.start_marching(MARCH + f"stop: {{spot: {cloud}}}\n", ranks, environment={"TRESTLE_METADATA_URL": server.address})
        return server, run

    def test_aws_takes_an_instance_away(self):
        server, run = self.start_listening("aws", 2)
        server.say(metadata_server.aws_action())
        self.check_stopped(run, "AWS will terminate")

    def test_aws_recommends_to_rebalance(self):
        server, run = self.start_listening("aws")
        server.rebalance = {"noticeTime": "2026-01-01T00:00:00Z"}
        self.wait_for("a checkpoint", lambda: len(self.checkpoints()) == 1)
        self.assertIsNone(run.poll())

    def test_azure_is_told_after_the_commit(self):
        server, run = self.start_listening("azure")
        server.say([metadata_server.azure_event()])
        self.check_stopped(run, "Azure announces Preempt")
        self.assertEqual([request for _, request in server.acknowledged], [{"StartRequests": [{"EventId": "A-1"}]}])
        manifest = max((self.folder / "run/ckpt").glob("*/MANIFEST.json"), key=os.path.getmtime)
        self.assertLessEqual(manifest.stat().st_mtime, server.acknowledged[0][0])


class Leases(MarchTest):
    def lease(self):
        return json.loads((self.folder / "run/lease.json").read_text())

    def test_a_writer_whose_lease_was_taken_commits_nothing(self):
        run = self.start_marching()
        lease = self.lease()
        (self.folder / "run/lease.json").write_text(json.dumps(dict(lease, host="another", incarnation=lease["incarnation"] + 1)))
        run.send_signal(signal.SIGUSR2)
        _, err = self.finish(run, 86)
        self.assertIn("in use by another run", err)
        self.assertEqual(self.checkpoints(), [])

    def test_a_killed_run_is_taken_over_at_once(self):
        run = self.start_marching()
        run.send_signal(signal.SIGUSR2)
        self.wait_for("a checkpoint", lambda: len(self.checkpoints()) == 1)
        run.kill()
        run.communicate()
        self.start(MARCH, 1, ["--restart", "auto"])
        self.wait_for("the takeover", lambda: self.status()["incarnation"] == 2)


if __name__ == "__main__":
    support.RunTest.program = os.path.abspath(sys.argv.pop(1))
    sys.exit(0 if support.parallel_tests.main(workers=4) else 1)
