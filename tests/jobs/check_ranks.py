#!/usr/bin/env python3
"""Ranks that are killed, stopped, hang or fail alone, faults on purpose, and memory that is not there (MPI-01 to MPI-08, GPU-02, GPU-05, MEM-01).

    check_ranks.py TRESTLE
"""
import os
import shutil
import signal
import subprocess
import sys
import time

import process_test_support as support

ALLOWED = {"TRESTLE_ALLOW_FAULTS": "1"}
SMALL = """\
physics: heat
mesh: {generate: {box: {size: [1, 1, 1], cells: [8, 8, 8], cell: hex8}}}
materials: {medium: {conductivity: 1}}
boundary: [{on: xmin, temperature: 0}, {on: body, source: 1}]
solver: {device: %s}
"""
MARCH = """\
physics: heat
analysis: {type: transient, end: 1, step: 0.1}
mesh: {generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}
materials: {medium: {conductivity: 1, density: 1, specific_heat: 1}}
initial: [{temperature: 300 + 10*x*y}]
boundary: [{on: xmin, temperature: 300 + 50*sin(3*t)}]
solver: {device: debug, tolerance: 1e-12}
checkpoint: {every: 1 h}
"""


class Lost(support.RunTest):
    def start_solving(self, more="", environment=None):
        run = self.start(support.LONG_SOLVE + more, 2, environment=environment or support.SLOW_MOTION)
        self.wait_for_phase("solve")
        time.sleep(0.5)
        return run

    def check_failed(self, code):
        status = self.status()
        self.assertEqual((status["state"], status["exit_code"]), ("failed", code))
        return status["message"]

    def test_a_killed_rank_takes_all_down_within_seconds(self):
        run = self.start_solving()
        os.kill(self.ranks()[1], signal.SIGKILL)
        self.finish(run, 137, 30)

    def test_a_stopped_rank_is_noticed_by_the_next_one(self):
        run = self.start_solving("watchdog: {silence: 4 s}\n")
        time.sleep(1.5)  # some beats
        os.kill(self.ranks()[1], signal.SIGSTOP)
        _, err = self.finish(run, 84, 90)
        self.assertRegex(err, r"rank 1 on \S+ has given no sign of life for 4 s")
        self.assertIn("phase solve", err)
        self.assertIn("libmpi", err)  # the stack of rank 0, which waits for rank 1
        self.assertIn("rank 1", self.check_failed(84))

    def test_a_launcher_that_is_killed_leaves_no_stopped_orphan(self):
        run = self.start_solving()
        os.kill(self.ranks()[1], signal.SIGSTOP)
        run.kill()
        self.wait_for("the end of all ranks", lambda: not self.ranks())

    def test_a_run_that_was_suspended_goes_on(self):
        run = self.start_solving("watchdog: {silence: 4 s}\n")
        time.sleep(1.5)
        ranks = self.ranks()
        for process in ranks:
            os.kill(process, signal.SIGSTOP)
        time.sleep(7)
        for process in ranks:
            os.kill(process, signal.SIGCONT)
        time.sleep(4)
        self.assertIsNone(run.poll())
        self.assertEqual(self.status()["state"], "running")

    def test_a_rank_that_hangs_is_noticed_with_its_stack(self):
        run = self.start_solving("watchdog: {no_progress: 15 s}\n", {"TRESTLE_FAULT": "solve:iteration:200:hang@1", **ALLOWED})
        _, err = self.finish(run, 84, 200)
        self.assertRegex(err, r"rank [01] on \S+ has made no progress for 15 s .* in phase solve")
        self.assertIn("no progress", self.check_failed(84))

    def test_an_exception_that_nobody_expects_on_one_rank(self):
        run = self.start(support.LONG_SOLVE, 2, environment={"TRESTLE_FAULT": "solve:iteration:200:throw@1", **ALLOWED})
        _, err = self.finish(run, 70, 60)
        self.assertEqual(err.count("error on rank 1: a fault on purpose"), 1, err)
        self.check_failed(70)


class Faults(support.RunTest):
    def test_faults_are_refused_where_the_operator_does_not_allow_them(self):
        run = self.start(SMALL % "cpu", environment={"TRESTLE_FAULT": "step:1:throw"})
        _, err = self.finish(run, 64)
        self.assertIn("TRESTLE_ALLOW_FAULTS=1", err)

    def test_a_crash_behind_the_end_does_not_undo_what_is_done(self):
        for case, code in ((SMALL % "cpu", 0), (SMALL % "cpu" + "expect: [{maximum: temperature, value: 7, tolerance: 0}]\n", 79)):
            run = self.start(case, environment={"TRESTLE_FAULT": "end:1:fail", **ALLOWED}, arguments=["--overwrite"])
            self.assertIn(f"signal SEGV behind the end, in a library that cleans up; the exit code stays {code}", self.finish(run, code)[1])

    def test_faults_of_another_form_are_refused(self):
        for fault in ("step", "step:1", "nowhere:1:throw", "step:0:throw", "step:1:explode", "step:x:throw", "step:1:throw@y", ":"):
            with self.subTest(fault):
                run = self.start(SMALL % "cpu", environment={"TRESTLE_FAULT": fault, **ALLOWED}, arguments=["--overwrite"])
                self.assertIn("TRESTLE_FAULT", self.finish(run, 64)[1])

    def test_a_device_without_memory_names_the_item_on_any_number_of_ranks(self):
        for ranks in (1, 2):
            with self.subTest(ranks):
                run = self.start(SMALL % "debug", ranks, environment={"TRESTLE_FAULT": f"device:allocate:10:fail@{ranks - 1}", **ALLOWED}, arguments=["--overwrite"])
                _, err = self.finish(run, 83)
                self.assertRegex(err, r"out of device memory on debug: .+ asked for \d+ bytes, \d+ are free")
                self.assertEqual(self.status()["exit_code"], 83)

    def test_a_device_that_fails_ends_the_run_with_82(self):
        run = self.start(SMALL % "debug", 2, environment={"TRESTLE_FAULT": "device:synchronize:60:fail@1", **ALLOWED})
        _, err = self.finish(run, 82)
        self.assertIn("the device debug failed", err)
        self.assertEqual((self.status()["state"], self.status()["exit_code"]), ("failed", 82))


    def test_a_device_that_fails_leaves_the_last_good_state(self):
        for ranks in (1, 2):
            with self.subTest(ranks):
                whole = self.start(MARCH, ranks, arguments=["--overwrite"])
                self.finish(whole, 0)
                shutil.rmtree(self.folder / "whole", ignore_errors=True)
                (self.folder / "run").rename(self.folder / "whole")
                fault = {"TRESTLE_FAULT": f"device:synchronize:300:fail@{ranks - 1}", **ALLOWED}
                _, err = self.finish(self.start(MARCH, ranks, environment=fault), 82)
                self.assertRegex(err, r"the device debug failed.*; the state after step \d+ is saved")
                self.assertEqual(len(list(self.folder.glob("run/ckpt/*/MANIFEST.json"))), 1)
                out, _ = self.finish(self.start(MARCH, ranks, arguments=["--restart", "auto"]), 0)
                self.assertIn("goes on from checkpoint", out)
                same = subprocess.run([self.program, "results", "diff", "whole", "run", "--tolerance", "0"], cwd=self.folder,
                                      env=support.ENVIRONMENT, capture_output=True, text=True, timeout=60)
                self.assertEqual(same.returncode, 0, same.stdout + same.stderr)


class Launchers(support.RunTest):
    def test_a_launcher_of_another_mpi_is_noticed(self):
        run = self.start(SMALL % "cpu", environment={"PMI_SIZE": "2"})
        self.assertIn("the launcher belongs to another MPI", self.finish(run, 64)[1])

    def run_within(self, *words, environment=()):
        (self.folder / "case.yaml").write_text(SMALL % "cpu")
        words = [*words, *support.command(self.program, ["run", self.folder / "case.yaml", "--output", "run"], 2)]
        return subprocess.run(words, cwd=self.folder, env=dict(support.ENVIRONMENT, **dict(environment)), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def test_hardly_any_shared_memory_and_no_folder_for_temporary_files(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("cannot have mounts of its own")
        small = 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"'
        done = self.run_within("unshare", "-m", "sh", "-c", small, "sh", environment={"TMPDIR": "/nonexistent"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.status()["state"], "completed")

    def test_names_of_machines_that_nobody_knows(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-u", "true"], capture_output=True).returncode != 0:
            self.skipTest("cannot have a name of its own")
        for name in ("no-such-machine.invalid", "x" * 50, "9.a.b"):  # with 60 letters, or others than these, mpirun itself fails
            with self.subTest(name):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                done = self.run_within("unshare", "-u", "sh", "-c", 'printf %s "$1" >/proc/sys/kernel/hostname && shift && exec "$@"', "sh", name)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual((self.status()["state"], self.status()["host"]), ("completed", name))

    def test_root_without_the_leave_of_openmpi_is_told_so_and_nothing_begins(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        done = self.run_within("env", "-u", "OMPI_ALLOW_RUN_AS_ROOT", "-u", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--allow-run-as-root", done.stderr)
        self.assertFalse((self.folder / "run").exists())


class Memory(support.RunTest):
    def test_a_box_that_no_machine_holds_is_refused_at_once_with_the_numbers(self):
        for ranks in (1, 2):
            run = self.start(support.LONG_SOLVE.replace("160, 16, 16", "4000, 4000, 1000"), ranks, arguments=["--overwrite"])
            _, err = self.finish(run, 71)
            self.assertRegex(err, r"rank 0 on \S+ needs about [\d.]+ GB \(.*matrix [\d.]+ GB.*\), and .* leaves it [\d.]+ [MG]B")
            self.assertEqual(self.status()["exit_code"], 71)

    def test_a_limit_of_address_space_counts(self):
        limit = 3 << 30
        run = self.start(support.LONG_SOLVE.replace("160, 16, 16", "200, 80, 80"), wrap=["prlimit", f"--as={limit}:{limit}"])
        _, err = self.finish(run, 71)
        self.assertIn("ulimit -v", err)

    def test_plan_tells_what_a_rank_needs(self):
        (self.folder / "case.yaml").write_text(support.LONG_SOLVE)
        done = subprocess.run([self.program, "plan", "case.yaml", "--ranks", "4"], cwd=self.folder, env=support.ENVIRONMENT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"matrix +\d+ MB +\d+ MB")


if __name__ == "__main__":
    support.RunTest.program = os.path.abspath(sys.argv.pop(1))
    sys.exit(0 if support.parallel_tests.main(workers=3) else 1)
