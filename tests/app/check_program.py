#!/usr/bin/env python3
"""The program as a person or a batch job meets it: commands, exit codes, run directories, lost ranks, signals.

    check_program.py TRESTLE
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TRESTLE = ""
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

SQUARE = """\
title: A square
physics: heat
mesh: {generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}
materials: {medium: {conductivity: 1}}
boundary:
  - {on: xmin, temperature: 0}
  - {on: xmax, temperature: 1}
solver: {device: cpu}
output: {fields: [temperature], probes: [{name: middle, at: [0.5, 0.5], of: temperature}]}
expect: [{probe: middle, value: 0.5, tolerance: 1e-8}]
"""
# Minutes of work for one method, so that there is time to disturb it.
LONG = """\
physics: elasticity
mesh: {generate: {box: {size: [20, 1, 1], cells: [160, 16, 16], cell: hex8}}}
materials: {medium: {young: 1e5, poisson: 0.3}}
boundary: [{on: xmin, displacement: [0, 0, 0]}, {on: xmax, traction: [0, 0, -1]}]
solver: {device: cpu, method: cg, preconditioner: jacobi, tolerance: 1e-13, max_iterations: 1000000}
"""


def command(arguments, ranks=1):
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, TRESTLE, *map(str, arguments)]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.case = self.write("square.yaml", SQUARE)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def trestle(self, *arguments, ranks=1, code=0, **options):
        done = subprocess.run(command(arguments, ranks), env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def status(self, run):
        return json.loads((self.folder / run / "status.json").read_text())


class Commands(ProgramTest):
    def test_a_run_leaves_what_the_readme_says(self):
        done = self.trestle("run", self.case, "--output", "run", ranks=2)
        self.assertEqual({p.name for p in (self.folder / "run").iterdir()} - {"lease.json"},
                         {"results.hdf", "report.json", "report.html", "history.csv", "case.yaml", "status.json"})
        self.assertEqual(self.status("run")["state"], "completed")
        report = json.loads((self.folder / "run/report.json").read_text())
        self.assertEqual((report["schema"], report["status"], report["dofs"], report["cells"], report["ranks"]),
                         (1, "completed", 81, 64, 2))
        self.assertEqual(set(report["phases"]) & {"mesh", "space", "assemble", "setup", "solve", "output"},
                         {"mesh", "space", "assemble", "setup", "solve", "output"})
        self.assertIn("results", done.stdout)

    def test_the_resolved_copy_runs_to_the_same_values(self):
        self.trestle("run", self.case, "--output", "one")
        self.trestle("run", self.folder / "one/case.yaml", "--output", "two")
        self.trestle("results", "diff", "one", "two", "--tolerance", "1e-14")

    def test_diff_tells_runs_apart(self):
        self.trestle("run", self.case, "--output", "one")
        self.trestle("run", self.case, "--output", "two", "--set", "boundary.1.temperature=1.001", code=79)
        self.trestle("results", "diff", "one", "two", "--tolerance", "1e-6", code=1)

    def test_the_default_directory_is_named_after_the_case(self):
        self.trestle("run", self.case)
        self.assertTrue((self.folder / "results/square/results.hdf").exists())

    def test_commands_that_look(self):
        self.trestle("run", self.case, "--output", "run")
        for arguments, words in ((("info",), "PETSc"), (("schema",), "$schema"), (("schema", "--reference"), "# The case file"),
                                 (("results", "info", "run"), "temperature"), (("results", "csv", "run"), "temperature"),
                                 (("results", "probe", "run", "1", "0", "0"), "temperature"), (("report", "run"), "completed"),
                                 (("results", "export", "run", "--directory", "out"), "xdmf"), (("check", self.case), "sound"),
                                 (("--version",), "trestle"), (("selftest", "--device", "debug"), "every kernel agrees")):
            self.assertIn(words, self.trestle(*arguments).stdout, arguments)

    def test_a_case_is_found_from_any_folder(self):
        (self.folder / "a b").mkdir()
        shutil.copy(self.case, self.folder / "a b/square.yaml")
        self.trestle("run", "a b/square.yaml", "--output", "a b/out")


class ExitCodes(ProgramTest):
    def fails(self, code, *arguments, words=(), ranks=1):
        done = self.trestle(*arguments, code=code, ranks=ranks)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)

    def test_usage(self):
        self.fails(64, "runn")
        self.fails(64, "run")
        self.fails(64, "run", self.case, "--sett", "a=b")
        self.fails(64, "selftest", "--device", "tpu", words=["cpu, debug or gpu"])

    def test_missing_case(self):
        self.fails(66, "run", "none.yaml", words=["none.yaml"], ranks=2)

    def test_all_mistakes_of_a_case_at_once(self):
        wrong = self.write("wrong.yaml", SQUARE.replace("conductivity: 1", "conductivty: 1").replace("physics: heat", "physics: heat\nfoo: 1"))
        done = self.trestle("run", wrong, code=78, ranks=2)
        self.assertIn("wrong.yaml:3:1", done.stderr)
        self.assertIn("conductivity", done.stderr)

    def test_expectation(self):
        self.trestle("run", self.case, "--output", "run", "--set", "expect.0.value=0.6", code=79)
        self.assertEqual(self.status("run")["state"], "completed")

    def test_no_gpu(self):
        if "CUDA devices on this machine: 0" not in self.trestle("info").stdout:
            self.skipTest("this machine has a GPU")
        self.fails(69, "run", self.case, "--output", "run", "--set", "solver.device=gpu", words=["device: gpu"], ranks=2)

    def test_a_failed_run_has_a_report(self):
        self.trestle("run", self.case, "--output", "run", "--set", "boundary=[{on: xmin, flux: 1}]", "--set", "expect=[]", code=80, ranks=2)
        self.assertEqual(self.status("run")["state"], "failed")
        self.assertEqual(self.status("run")["exit_code"], 80)
        report = json.loads((self.folder / "run/report.json").read_text())
        self.assertEqual(report["status"], "failed")

    def test_ranks_of_another_mpi(self):
        done = subprocess.run([TRESTLE, "info"], env=dict(ENVIRONMENT, PMI_SIZE="4"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertIn("PMI_SIZE", done.stderr)


class RunDirectories(ProgramTest):
    def test_a_finished_run_is_moved(self):
        for _ in range(3):
            self.trestle("run", self.case, "--output", "run")
        self.assertTrue((self.folder / "run.1/results.hdf").exists())
        self.assertTrue((self.folder / "run.2/results.hdf").exists())

    def test_overwrite_replaces(self):
        self.trestle("run", self.case, "--output", "run")
        self.trestle("run", self.case, "--output", "run", "--overwrite")
        self.assertFalse((self.folder / "run.1").exists())

    def test_files_of_others_are_not_touched(self):
        (self.folder / "mine").mkdir()
        self.write("mine/thesis.txt", "42")
        done = self.trestle("run", self.case, "--output", "mine", code=73, ranks=2)
        self.assertIn("not of a Trestle run", done.stderr)
        self.assertEqual((self.folder / "mine/thesis.txt").read_text(), "42")

    def test_an_unfinished_run_needs_a_word(self):
        self.trestle("run", self.case, "--output", "run")
        status = self.status("run")
        self.write("run/status.json", json.dumps(dict(status, state="running")))
        self.assertIn("--overwrite", self.trestle("run", self.case, "--output", "run", code=73).stderr)
        self.trestle("run", self.case, "--output", "run", "--restart", "auto")

    def test_the_directory_is_a_file(self):
        self.write("file", "")
        self.trestle("run", self.case, "--output", "file", code=73)

    def test_a_checkpoint_of_a_static_run(self):
        self.trestle("run", self.case, "--output", "run", "--restart", "some/path", code=76)


class Disturbed(ProgramTest):
    """A run in progress on two ranks; `ranks` are their process ids."""

    def start(self):
        case = self.write("long.yaml", LONG)
        run = subprocess.Popen(command(["run", case, "--output", "run"], 2), env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(self.end, run)
        status = self.folder / "run/status.json"
        for _ in range(600):
            if status.exists() and json.loads(status.read_text())["state"] == "running" and len(self.ranks()) == 2:
                time.sleep(1)
                return run
            time.sleep(0.1)
        self.fail("the run did not start")

    def end(self, run):
        for process in self.ranks():
            os.kill(process, signal.SIGKILL)
        run.kill()
        run.communicate()

    def ranks(self):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            except OSError:
                continue
            if len(words) > 2 and words[0] == os.fsencode(TRESTLE) and os.fsencode(self.folder) in words[2]:
                found.append(int(entry.name))
        return found

    def test_a_killed_rank_takes_all_down(self):
        run = self.start()
        os.kill(self.ranks()[-1], signal.SIGKILL)
        self.assertNotEqual(run.wait(timeout=30), 0)
        self.assertEqual(self.ranks(), [])
        self.assertEqual(self.status("run")["state"], "running")
        done = self.trestle("run", self.folder / "long.yaml", "--output", "run", code=73)
        self.assertIn("did not finish", done.stderr)

    def test_a_killed_launcher_leaves_no_orphan(self):
        run = self.start()
        run.kill()
        run.wait(timeout=30)
        for _ in range(300):
            if not self.ranks():
                break
            time.sleep(0.1)
        self.assertEqual(self.ranks(), [])

    def test_two_runs_do_not_share_a_directory(self):
        self.start()
        done = self.trestle("run", self.case, "--output", "run", "--overwrite", code=86)
        self.assertIn("in use by another run", done.stderr)


if __name__ == "__main__":
    TRESTLE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
