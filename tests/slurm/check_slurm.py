#!/usr/bin/env python3
"""Runs on a real Slurm with two nodes on this machine: arrays, failures, cancelled jobs, requeues.

    check_slurm.py TRESTLE [names of tests]

A machine without Slurm fails here unless TRESTLE_NO_SLURM=1 says that this is known.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import parallel_tests  # noqa: E402
from private_slurm import PrivateSlurm, missing_programs  # noqa: E402
from program_cases import LONG, SQUARE  # noqa: E402

TRESTLE = ""

# Heat runs through a block. The first start of a job of SLOW_FIRST takes a tenth of a second a step, so that there is time to break it off.
MARCH = """\
physics: heat
mesh: {generate: {box: {size: [1, 1, 1], cells: [16, 16, 16], cell: hex8}}}
analysis: {type: transient, scheme: bdf2, end: 0.8, step: 0.005}
materials: {unit: {conductivity: 0.1, density: 1, specific_heat: 1}}
initial: [{temperature: "300 + 10*sin(3*x)*cos(2*y)"}]
boundary:
  - {on: xmin, temperature: "300 + 40*sin(6.2831853*t)"}
  - {on: xmax, convection: {coefficient: 2, ambient: 290}}
solver: {device: cpu, precision: double, tolerance: 1e-12}
output: {fields: [temperature], every: 0.1}
checkpoint: {every: 0.3 s}
"""
PROFILE = """\
partition: spot
tasks: 2
time: 10
signal: B:USR1@20
binding: none
launcher_options: [--oversubscribe, -q]
"""
SLOW_FIRST = """\
prologue: ['[ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] || export TRESTLE_FAULT=solve:iteration:1:slow TRESTLE_ALLOW_FAULTS=1']
"""


class SlurmTest(unittest.TestCase):
    """Each class has a Slurm of its own, so that they run side by side."""

    @classmethod
    def setUpClass(cls):
        cls.slurm = PrivateSlurm()
        cls.addClassCleanup(shutil.rmtree, cls.slurm.run, ignore_errors=True)
        cls.addClassCleanup(cls.slurm.stop)
        cls.slurm.start()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a blank "))  # paths with blanks are no special case
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.profile = self.write("site.yaml", PROFILE)
        self.jobs = []
        self.addCleanup(self.cancel)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def trestle(self, *arguments, code=0):
        done = subprocess.run([TRESTLE, *map(str, arguments)], env=self.slurm.environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def submit(self, case, *arguments):
        out = self.trestle("submit", case, "--profile", self.profile, *arguments)
        job = int(re.match(r"job (\d+) from ", out)[1])
        self.jobs.append(job)
        return job

    def cancel(self):
        for job in self.jobs:
            self.slurm.output("scancel", "--full", str(job), check=False)

    def wait_for(self, job, *states, seconds=60):
        try:
            self.slurm.wait_until(lambda: self.slurm.state(job) in states, seconds, f"job {job} {' or '.join(states)}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.slurm.job(job)}\n{self.logs()}") from None
        return self.slurm.job(job)

    def wait_for_run(self, run, seconds=60):
        """Until the run is at work."""
        self.slurm.wait_until(lambda: (self.folder / run / "status.json").exists(), seconds, f"{run} at work")

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')}"
                         for path in sorted(self.folder.rglob("*slurm-*.log")))

    def status(self, run):
        return json.loads((self.folder / run / "status.json").read_text())


class Scripts(SlurmTest):
    def test_sbatch_takes_the_script_as_it_was_meant(self):
        self.write("site.yaml", PROFILE + "name: name\nmemory: 1 GiB\noptions: [--comment=1.10]\n"
                   "environment: {VERSION: 1.10}\nprologue: ['echo version $VERSION']\n")
        job = self.submit(self.write("square.yaml", SQUARE), "--with", "time=12:30:00", "--output", "my run")
        known = self.wait_for(job, "COMPLETED")
        self.assertEqual((known["JobName"], known["TimeLimit"], known["Comment"], known["NumTasks"], known["Requeue"]),
                         ("name", "12:30:00", "1.10", "2", "1"))
        self.assertEqual(self.status("my run")["state"], "completed")
        self.assertIn("version 1.10\n", self.logs())
        self.assertIn("done 0: completed", self.logs())

    def test_a_dry_run_prints_the_script_and_changes_nothing(self):
        case = self.write("square.yaml", SQUARE)
        before = sorted(self.folder.iterdir())
        script = self.trestle("submit", case, "--profile", self.profile, "--dry-run")
        self.assertIn("#SBATCH --time=00:10:00\n", script)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assertEqual(subprocess.run(["bash", "-n"], input=script, text=True).returncode, 0)

    def test_srun_starts_runs_too(self):
        job = self.submit(self.write("square.yaml", SQUARE), "--with", "launcher=srun", "--with", "launcher_options=[]",
                          "--output", "run")
        self.wait_for(job, "COMPLETED")
        self.assertEqual(json.loads((self.folder / "run/report.json").read_text())["ranks"], 2)

    def test_mistakes_show_before_anything_is_submitted(self):
        case = self.write("square.yaml", SQUARE)
        self.trestle("submit", case, "--profile", self.profile, "--with", "time=1:75", code=78)
        self.trestle("submit", case, "--profile", self.profile, "--sweep", "materials.medium.conductivity=1,-1", code=78)
        self.trestle("submit", self.folder / "none.yaml", "--profile", self.profile, code=66)
        self.assertEqual(self.slurm.output("squeue", "-h", "-t", "PD").strip(), "")


class Failures(SlurmTest):
    def test_a_run_that_diverged_is_not_requeued(self):
        case = self.write("long.yaml", LONG.replace("max_iterations: 1000000", "max_iterations: 3"))
        known = self.wait_for(self.submit(case, "--output", "run"), "FAILED")
        self.assertEqual((known["ExitCode"], known["Restarts"]), ("80:0", "0"))

    def test_a_case_that_was_spoilt_after_submission_is_not_requeued(self):
        case = self.write("square.yaml", SQUARE)
        self.write("site.yaml", PROFILE + "options: [--hold]\n")
        job = self.submit(case, "--output", "run")
        self.write("square.yaml", SQUARE + "nonsense: 1\n")
        self.slurm.output("scontrol", "release", str(job))
        known = self.wait_for(job, "FAILED")
        self.assertEqual((known["ExitCode"], known["Restarts"]), ("78:0", "0"))

    def test_a_cancelled_job_stays_cancelled(self):
        job = self.submit(self.write("long.yaml", LONG), "--output", "run")
        self.wait_for_run("run")
        self.slurm.output("scancel", str(job))
        known = self.wait_for(job, "CANCELLED")
        self.assertEqual(known["Restarts"], "0")
        self.assertEqual(self.slurm.output("squeue", "-h", "-j", str(job), check=False).strip(), "")

    def test_a_rank_that_was_killed_brings_the_job_back(self):
        job = self.submit(self.write("long.yaml", LONG), "--output", "run")
        self.wait_for_run("run")
        victims = [pid for pid in self.slurm.processes(job) if self.is_rank(pid)]
        self.assertEqual(len(victims), 2)
        os.kill(victims[0], signal.SIGKILL)
        self.slurm.wait_until(lambda: self.slurm.job(job)["Restarts"] == "1", 60, "the job is requeued")
        self.assertIn("requeue 84", self.logs())
        self.wait_for(job, "RUNNING")

    @staticmethod
    def is_rank(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] == TRESTLE.encode()
        except OSError:
            return False


class RecoveryTest(SlurmTest):
    """Jobs that are broken off and go on; what they leave is what an unbroken run leaves."""

    def march(self):
        self.write("site.yaml", PROFILE + SLOW_FIRST)
        return self.write("march.yaml", MARCH)

    def unbroken(self, case, ranks=2):
        done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", str(ranks),
                               TRESTLE, "run", str(case),
                               "--output", "unbroken"], env=self.slurm.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400)
        self.assertEqual(done.returncode, 0, done.stdout)

    def assert_same(self, run, tolerance="0"):
        self.assertEqual(self.status(run)["state"], "completed")
        self.trestle("results", "diff", "unbroken", run, "--tolerance", tolerance)
        self.trestle("verify", run)

    def wait_for_checkpoint(self, run):
        self.slurm.wait_until(lambda: list((self.folder / run).glob("ckpt/*/MANIFEST.json")), 60, f"a checkpoint of {run}")

    def restarts(self, job):
        return int(self.slurm.job(job)["Restarts"])


class Recovery(RecoveryTest):
    def test_a_preempted_job_saves_gives_way_and_goes_on(self):
        case = self.march()
        job = self.submit(case, "--output", "run", "--with", "tasks=1")
        self.wait_for_checkpoint("run")
        high = self.slurm.output("sbatch", "--parsable", "-p", "high", "-N2", "-n4", "-o", "/dev/null", "--wrap", "sleep 2").strip()
        self.jobs.append(high)
        self.wait_for(high, "COMPLETED", seconds=150)
        self.assertIn("signal USR1: the run is asked to save and stop", self.logs())
        self.assertIn("requeue 75", self.logs())
        self.wait_for(job, "COMPLETED", seconds=400)
        self.assertGreaterEqual(self.restarts(job), 1)
        self.unbroken(case, 1)
        self.assert_same("run")

    def test_a_job_goes_on_with_fewer_tasks(self):
        case = self.march()
        job = self.submit(case, "--output", "run", "--with", "requeue=false")
        self.wait_for_checkpoint("run")
        self.slurm.output("scancel", "--batch", "--signal=USR1", str(job))
        known = self.wait_for(job, "FAILED")
        self.assertEqual((known["ExitCode"], known["Restarts"]), ("75:0", "0"))
        self.assertEqual(self.status("run")["state"], "stopped")
        self.write("site.yaml", PROFILE)
        self.wait_for(self.submit(case, "--output", "run", "--with", "tasks=1"), "COMPLETED", seconds=400)
        self.unbroken(case)
        self.assert_same("run", "1e-10")

    def test_a_job_under_srun_saves_and_goes_on(self):
        case = self.march()
        job = self.submit(case, "--output", "run", "--with", "launcher=srun", "--with", "launcher_options=[]")
        self.wait_for_checkpoint("run")
        self.slurm.output("scancel", "--batch", "--signal=USR1", str(job))
        self.slurm.wait_until(lambda: self.restarts(job) == 1, 60, "the job is requeued")
        self.assertIn("requeue 75", self.logs())
        self.wait_for(job, "COMPLETED", seconds=400)
        self.unbroken(case)
        self.assert_same("run")


class LostNodes(RecoveryTest):
    def test_a_job_whose_node_is_lost_goes_on_on_another(self):
        case = self.march()
        job = self.submit(case, "--output", "run", "--with", "tasks=1")
        self.wait_for_checkpoint("run")
        node = self.slurm.job(job)["NodeList"]
        self.slurm.kill(f"slurmd-{node}")
        for pid in self.slurm.processes(job):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.slurm.wait_until(lambda: self.restarts(job) == 1, 90, "Slurm requeues the job of the lost node")
        known = self.wait_for(job, "COMPLETED", seconds=400)
        self.assertNotEqual(known["NodeList"], node)
        self.slurm.start_node(node)
        self.slurm.wait_until(lambda: self.slurm.output("sinfo", "-h", "-n", node, "-o", "%T", "-p", "spot").strip() == "idle", 60, "the node is back")
        self.unbroken(case, 1)
        self.assert_same("run")

    def test_a_job_whose_nodes_cannot_be_reached_goes_on(self):
        """Without munged nobody believes anybody: Slurm calls its nodes lost until it is back."""
        case = self.march()
        job = self.submit(case, "--output", "run", "--with", "tasks=1")
        self.wait_for_checkpoint("run")
        self.slurm.kill("munged", signal.SIGTERM)
        self.slurm.wait_until(lambda: "not responding" in self.slurm.log("slurmctld"), 200, "Slurm misses its nodes")
        self.slurm.start_munged()
        self.slurm.wait_until(lambda: self.slurm.output("sinfo", "-h", "-o", "%T %D").split() == ["idle", "2"]
                              or self.slurm.state(job) in ("RUNNING", "COMPLETED"), 120, "the nodes are back")
        self.wait_for(job, "COMPLETED", seconds=400)
        self.unbroken(case, 1)
        self.assert_same("run")


@unittest.skipUnless(os.environ.get("TRESTLE_SLOW_TESTS") == "1", "limits of Slurm are minutes: TRESTLE_SLOW_TESTS=1")
class TimeLimits(SlurmTest):
    """No signal is asked of Slurm: the run knows its limit, or hears nothing of it."""

    def submit_without_signal(self):
        case = self.write("march.yaml", MARCH.replace("end: 0.8", "end: 1e4").replace("every: 0.1", "every: 1e3"))
        job = self.submit(case, "--output", "run", "--with", "tasks=1", "--with", "time=1", "--with", "signal=none")
        self.slurm.wait_until(lambda: list((self.folder / "run").glob("ckpt/*/MANIFEST.json")), 60, "a checkpoint")
        return job

    def test_a_run_stops_by_itself_ahead_of_the_limit_and_goes_on(self):
        job = self.submit_without_signal()
        self.slurm.wait_until(lambda: int(self.slurm.job(job)["Restarts"]) == 1, 120, "the job is requeued")
        self.assertIn("(the time limit of the Slurm job", self.logs())
        self.assertIn("requeue 75", self.logs())
        self.slurm.wait_until(lambda: "goes on from checkpoint" in self.logs(), 60, "the job goes on")

    def test_a_job_that_is_frozen_at_its_limit_is_over_and_its_checkpoint_right(self):
        job = self.submit_without_signal()
        for pid in self.slurm.processes(job):
            if pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] in (TRESTLE.encode(), b"mpirun"):
                os.kill(pid, signal.SIGSTOP)
        known = self.wait_for(job, "TIMEOUT", seconds=180)
        self.assertEqual(known["Restarts"], "0")
        out = self.trestle("run", self.folder / "march.yaml", "--output", "run", "--restart", "auto", "--set", "stop.wall_time=8", code=75)
        self.assertIn("goes on from checkpoint", out)
        self.trestle("verify", "run")


class Arrays(SlurmTest):
    def test_one_bad_run_of_a_sweep_stops_no_other(self):
        """Fifty runs of one case, a few at a time, of which one can come to nothing."""
        case = self.write("square.yaml", SQUARE)
        self.write("site.yaml", PROFILE + "array_limit: 4\n")
        limits = [1, *range(100, 149)]
        job = self.submit(case, "--output", "sweep", "--with", "tasks=1", "--sweep", f"solver.max_iterations={','.join(map(str, limits))}",
                          "--set", "expect=[]", "--set", "solver.method=cg", "--set", "solver.preconditioner=jacobi")
        self.slurm.wait_until(lambda: self.slurm.output("squeue", "-h", "-j", str(job), check=False).strip() == "", 300, "the array ends")
        table = self.trestle("batch", "status", "sweep", code=80)
        self.assertIn("49 of 50 jobs are done", table)
        self.assertEqual(sorted(path.name for path in (self.folder / "sweep").iterdir() if path.is_dir()),
                         [f"{i + 1:02}-max_iterations={limit}" for i, limit in enumerate(limits)])


def main():
    global TRESTLE
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    TRESTLE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    missing = missing_programs()
    if missing:
        print(f"SLURM IS NOT HERE: {', '.join(missing)} missing (Debian: slurmctld slurmd slurm-client munge)",
              file=sys.stderr)
        if os.environ.get("TRESTLE_NO_SLURM") == "1":
            print("skipped, for TRESTLE_NO_SLURM=1")
            sys.exit(77)
        sys.exit("install it, or set TRESTLE_NO_SLURM=1 where that cannot be")
    return 0 if parallel_tests.main(workers=4, by_class=True) else 1


if __name__ == "__main__":
    sys.exit(main())
