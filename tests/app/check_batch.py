#!/usr/bin/env python3
"""A batch in which jobs fail: the others run, the summary says how each ended, and only the failed ones run again.

    check_batch.py TRESTLE
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

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import parallel_tests  # noqa: E402
from program_cases import LONG, SLOW_MOTION  # noqa: E402
from program_processes import ENVIRONMENT, MPIRUN  # noqa: E402

TRESTLE = ""
MESHES = pathlib.Path(__file__).parent.parent / "io/meshes"

CASE = """\
physics: heat
mesh: {file: MESH}
materials: {medium: {on: domain, conductivity: 1}}
boundary: CONDITIONS
solver: {device: cpu}
output: {fields: [temperature], integrals: [{name: flow, of: heat_flux, on: right}]}
"""
HELD = "[{on: left, temperature: 0}, {on: right, temperature: 1}]"


class BatchTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("orphans22.msh", "truncated22.msh"):
            shutil.copy(MESHES / name, self.folder)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def write_case(self, name, mesh, conditions=HELD):
        self.write(name, CASE.replace("MESH", mesh).replace("CONDITIONS", conditions))

    def write_mixed_batch(self):
        """Right, with a damaged mesh, without a solution, and right again with another conductivity."""
        self.write_case("good.yaml", "orphans22.msh")
        self.write_case("damaged.yaml", "truncated22.msh")
        self.write_case("free.yaml", "orphans22.msh", "[{on: right, flux: 1}]")
        self.write("batch.yaml", "jobs:\n  - {case: good.yaml}\n  - {case: damaged.yaml}\n  - {case: free.yaml}\n"
                   "  - {case: good.yaml, set: [materials.medium.conductivity=2]}\n")

    def trestle(self, *arguments, code=0):
        done = subprocess.run([TRESTLE, *arguments], env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def flow(self, run):
        report = json.loads((self.folder / run / "report.json").read_text())
        return next(one for one in report["integrals"] if one["name"] == "flow")["values"][-1]

    def times(self):
        return {path.parent.name: path.stat().st_mtime_ns for path in self.folder.glob("out/*/status.json")}


class Batches(BatchTest):
    def test_bad_jobs_neither_stop_nor_spoil_the_others(self):
        self.write_mixed_batch()
        for ranks in ("1", "2"):
            out = f"out{ranks}"
            table = self.trestle("batch", "run", "batch.yaml", "--output", out, "--ranks", ranks, "--at-once", "2", code=65)
            states = [line.split()[:3] for line in table.splitlines() if line.split()[1:2] in (["ok"], ["failed"]) and ":" not in line.split()[0]]
            self.assertEqual(states, [["good", "ok", "0"], ["damaged", "failed", "65"], ["free", "failed", "80"],
                                      ["good-2", "ok", "0"]])
            self.assertAlmostEqual(abs(self.flow(f"{out}/good")), 1, places=9)
            self.assertAlmostEqual(abs(self.flow(f"{out}/good-2")), 2, places=9)
            self.assertEqual(self.trestle("batch", "status", out, code=65).splitlines()[-1],
                             f"2 of 4 jobs are done; the others again: trestle batch rerun {out}")
            self.assertEqual((self.folder / out / "summary.csv").read_text().count("\n"), 5)

    def test_only_what_failed_runs_again(self):
        self.write_mixed_batch()
        self.trestle("batch", "run", "batch.yaml", "--output", "out", code=65)
        before = self.times()
        self.write_case("damaged.yaml", "orphans22.msh")
        self.trestle("batch", "rerun", "out", code=80)
        self.write_case("free.yaml", "orphans22.msh")
        self.trestle("batch", "rerun", "out")
        after = self.times()
        self.assertEqual([name for name in ("good", "good-2") if before[name] != after[name]], [])
        self.assertIn("4 of 4 jobs are done", self.trestle("batch", "status", "out"))
        self.trestle("batch", "rerun", "out")
        self.assertEqual(self.times(), after)

    def test_a_batch_within_mpirun_is_refused_before_it_begins(self):
        self.write_case("good.yaml", "orphans22.msh")
        for words in (["batch", "run", "good.yaml", "--output", "out"], ["submit", "good.yaml", "--dry-run"]):
            done = subprocess.run([*MPIRUN, "-n", "2", TRESTLE, *words], env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn(f"trestle {words[0]} is one process, which starts ranks itself: leave out mpirun", done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_a_case_that_cannot_be_read_is_one_failed_job(self):
        self.write_case("good.yaml", "orphans22.msh")
        self.write("wrong.yaml", "nonsense: 1\n")
        table = self.trestle("batch", "run", "wrong.yaml", "none.yaml", "good.yaml", "--output", "out", code=78)
        self.assertIn("wrong.yaml:1:1", table)
        self.assertIn("1 of 3 jobs are done", table)
        self.assertIn("failed         66", self.trestle("batch", "status", "out", code=78))

    def test_a_sweep_has_a_folder_for_each_value(self):
        self.write_case("good.yaml", "orphans22.msh")
        self.trestle("batch", "run", "good.yaml", "--sweep", "materials.medium.conductivity=1,2,4", "--output", "out")
        for i, k in enumerate((1, 2, 4), 1):
            self.assertAlmostEqual(abs(self.flow(f"out/good-{i}-conductivity={k}")), k, places=9)

    def test_a_batch_is_not_run_over_by_another(self):
        self.write_case("good.yaml", "orphans22.msh")
        self.trestle("batch", "run", "good.yaml", "--output", "out")
        self.assertIn("holds a batch", self.trestle("batch", "run", "good.yaml", "--output", "out", code=73))
        self.trestle("batch", "run", "good.yaml", "--output", "out", "--overwrite")

    def test_mistakes_of_a_batch_file_are_told_with_their_places_before_any_job(self):
        self.write("batch.yaml", "jobs:\n  - {case: a.yaml, rank: 2}\n  - {set: [a=1]}\n")
        said = self.trestle("batch", "run", "batch.yaml", "--output", "out", code=78)
        self.assertIn("batch.yaml:2:20: jobs.0: unknown key \"rank\", did you mean \"ranks\"?", said)
        self.assertIn("batch.yaml:3:5: the key jobs.1.case is missing", said)
        self.assertFalse((self.folder / "out").exists())
        self.trestle("batch", "status", "out", code=66)

    def test_ranks_that_nobody_can_mean_are_refused_with_the_cores(self):
        self.write_case("good.yaml", "orphans22.msh")
        self.write("batch.yaml", "jobs: [{case: good.yaml, ranks: 1000000}]\n")
        for arguments in (["batch.yaml"], ["good.yaml", "--ranks", "1000000"]):
            said = self.trestle("batch", "run", *arguments, "--output", "out", code=78)
            self.assertIn(f"job good: 1000000 ranks are more than 64 for each of the {os.sysconf('SC_NPROCESSORS_ONLN')} cores", said)
        self.assertFalse((self.folder / "out").exists())

    def test_what_only_the_mesh_shows_is_told_before_anything_is_submitted(self):
        self.write_case("absent.yaml", "absent.msh")
        self.write_case("damaged.yaml", "truncated22.msh")
        self.write_case("good.yaml", "orphans22.msh")
        for case, code, words in (("absent.yaml", 66, "absent.yaml:2:14: mesh.file: there is no mesh file"),
                                  ("damaged.yaml", 65, "truncated22.msh"),
                                  (("good.yaml", "--set", "boundary.0.on=lefft"), 78, 'did you mean "left"?'),
                                  (("good.yaml", "--sweep", "boundary.0.on=left,lefft"), 78, 'did you mean "left"?'),
                                  (("good.yaml", "--sweep", "mesh.file=orphans22.msh,absent.msh"), 66, "absent.msh")):
            case = (case,) if isinstance(case, str) else case
            said = self.trestle("submit", *case, "--script", "job.sbatch", code=code)
            self.assertIn(words, said)
            self.assertIn("nothing was submitted", said)
        self.assertEqual([], [*self.folder.glob("*.sbatch"), *self.folder.glob("results*")])
        self.assertIn("#SBATCH", self.trestle("submit", "good.yaml", "--set", "solver.device=gpu", "--dry-run"))
        self.assertIn("#SBATCH", self.trestle("submit", "absent.yaml", "--mesh-later", "--dry-run"))

    def test_a_stop_ends_the_batch_and_what_is_left_runs_later(self):
        self.write("long.yaml", LONG)
        self.write_case("good.yaml", "orphans22.msh")
        process = subprocess.Popen([TRESTLE, "batch", "run", "long.yaml", "good.yaml", "--output", "out"], cwd=self.folder,
                                   env=dict(ENVIRONMENT, **SLOW_MOTION), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        end = time.monotonic() + 60
        while not (self.folder / "out/long/status.json").exists() and time.monotonic() < end:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0, out)
        self.assertIn("stopping", out)
        self.assertFalse((self.folder / "out/good").exists())
        self.assertIn("not started", self.trestle("batch", "status", "out", code=process.returncode))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    TRESTLE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    sys.exit(0 if parallel_tests.main(workers=2) else 1)
