"""Runs that go on in odd circumstances: wrong clocks, old formats, many ranks, hundreds of starts."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import recovery
from program_cases import SLOW_MOTION
from recovery_cases import CASES, STRIP

HERE = pathlib.Path(__file__).parent
YEAR = 365 * 86400
# Each start of hundreds is one step further; a few of them show what many leave behind.
RUN_FILES = {"case.yaml", "ckpt", "history.csv", "incarnations.json", "lease.json", "report.html", "report.json", "results.hdf", "status.json", "steps.csv"}
N_STARTS = 200 if os.environ.get("TRESTLE_SLOW_TESTS") == "1" else 30


SIGNATURE = ',\n"xxh3_128":"'  # of a manifest, before its end


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def checksum(text):
    function = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    function.restype, function.argtypes = Hash128, [ctypes.c_char_p, ctypes.c_size_t]
    found = function(text.encode(), len(text.encode()))
    return f"{found.high:016x}{found.low:016x}"


class Circumstances(recovery.RecoveryTest):
    def false_clock(self):
        """What preloads a clock, and a file with what it is wrong by [s]."""
        library, wrong = self.folder / "false_clock.so", self.folder / "wrong_by"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "false_clock.c"], check=True)
        wrong.write_text("0")
        return {"LD_PRELOAD": str(library), "FALSE_CLOCK": str(wrong)}, wrong

    def test_a_clock_that_jumps_changes_nothing(self):
        """The newest checkpoint has the oldest time of day; no rule of time saves for a jump, and no start seems to have worked for years."""
        text = CASES["bdf2"].replace("every: 1 steps", "every: 30 min").replace("tolerance: 1e-12", "tolerance: 1e-12, method: cg, preconditioner: jacobi").replace("step: 0.1", "step: 0.02")
        case, run = self.case(text), self.folder / "run"
        self.trestle("run", case, "--output", "whole", ranks=2)
        environment, wrong = self.false_clock()
        for error in (YEAR, -3600, -2 * YEAR):
            wrong.write_text(str(error))
            process = self.program.start("run", case, "--output", run, "--restart", "auto", ranks=2, environment=environment | SLOW_MOTION)
            former = len(recovery.checkpoints(run))
            self.assertTrue(recovery.wait_until(lambda: recovery.working(run)))
            for jump in (-5 * YEAR, 10 * YEAR):
                wrong.write_text(str(error + jump))
                time.sleep(0.5)
            process.send_signal(signal.SIGUSR2)
            self.assertTrue(recovery.wait_until(lambda: len(recovery.checkpoints(run)) > former))
            recovery.kill(process)
            self.assertEqual(recovery.status(run)["state"], "running")
            for path in [run, *run.rglob("*")]:
                os.utime(path, (abs(error), abs(error)))
        wrong.write_text(str(5 * YEAR))
        newest = recovery.checkpoints(run)[0]
        done = subprocess.run(self.program.command("run", case, "--output", run, "--restart", "auto", ranks=2), cwd=self.folder,
                              env=dict(recovery.ENVIRONMENT, **environment), capture_output=True, text=True, timeout=recovery.LONGEST)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"goes on from checkpoint {newest}", done.stdout)
        self.assert_same("whole", run)
        self.trestle("verify", run)
        starts = json.loads((run / "report.json").read_text())["starts"]
        self.assertEqual(len(starts), 4)
        for start in starts:
            self.assertLess(start["wall_s"], recovery.LONGEST)
            self.assertGreaterEqual(start["wall_s"], 0)

    def test_a_checkpoint_of_every_format_stays_readable(self):
        """archive/format-N holds runs that were broken off when N was the format of checkpoints; they go on, to what a run of today comes to."""
        archived = sorted(HERE.glob("archive/format-*/*/case.yaml"))
        self.assertGreaterEqual(len(archived), 2)
        for case in archived:
            with self.subTest(case.parent.name):
                run = self.folder / case.parent.name
                shutil.copytree(case.parent, run)
                case = self.folder / f"{run.name}.yaml"
                (run / "case.yaml").rename(case)
                self.trestle("verify", run)
                self.trestle("run", case, "--output", f"{run.name}.whole")
                done = self.trestle("run", case, "--output", run, "--restart", "auto")
                self.assertIn("goes on from checkpoint", done.stdout)
                reports = [json.loads((folder / "report.json").read_text()) for folder in (self.folder / f"{run.name}.whole", run)]
                for field, value in reports[0]["solution_l2"].items():
                    self.assertAlmostEqual(reports[1]["solution_l2"][field], value, delta=1e-9 * value)
                self.assertEqual(*(report["steps"]["accepted"] for report in reports))

    def test_words_that_an_older_version_did_not_know_have_their_defaults(self):
        """As if a version without `solver.restart` had saved: its default is no change of the case, another value is one."""
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        newest = self.break_off("run", "again", 5)
        manifest = self.folder / "again/ckpt" / newest / "MANIFEST.json"
        body, before = manifest.read_text().split(SIGNATURE)
        self.assertEqual(before, checksum(body) + '"}\n')
        body, n = re.subn(r"\\n  restart: 30", "", body)
        self.assertEqual(n, 1)
        manifest.write_text(body + SIGNATURE + checksum(body) + '"}\n')
        other = self.trestle("run", case, "--output", "again", "--restart", "auto", "--set", "solver.restart=40", code=76)
        self.assertIn("solver.restart: 30 -> 40", other.stderr)
        self.trestle("run", case, "--output", "again", "--restart", "auto")
        self.assert_same("run", "again")

    def test_saved_and_loaded_on_many_ranks(self):
        """7 and 8 ranks after each other and after one: each saves, and the next goes on from that."""
        for name, chain in (("bdf2", (8, 1, 7)), ("plastic", (7, 8))):
            case = self.case(CASES[name], name + ".yaml")
            self.trestle("run", case, "--output", name, ranks=2)
            n = len(recovery.checkpoints(self.folder / name))
            self.break_off(name, "0", n - 1 - len(chain))
            for k, ranks in enumerate(chain):
                with self.subTest(name, chain=chain[:k + 1]):
                    done = self.trestle("run", case, "--output", f"{k}", "--restart", "auto", ranks=ranks)
                    self.assertIn("goes on from checkpoint", done.stdout)
                    self.assert_same(name, f"{k}", 1e-10)
                    self.break_off(f"{k}", f"{k + 1}", n - len(chain) + k)

    def test_many_restarts_take_no_memory_and_leave_nothing(self):
        text = STRIP.replace("every: 1 steps, keep: 100", "every: 1 steps").replace("end: 1.2", "end: END").replace("step: 0.1", "step: 1")
        scratch = [self.folder / name for name in ("shm", "tmp")]
        for folder in scratch:
            folder.mkdir()
        environment = dict(recovery.ENVIRONMENT, TMPDIR=str(scratch[1]), OMPI_MCA_btl_vader_backing_directory=str(scratch[0]))
        peaks, ranks = [], (1, 2)
        for start in range(1, N_STARTS + 1):
            case = self.case(text.replace("END", str(start)))
            words = self.program.command("run", case, "--output", "run", "--restart", "auto", ranks=ranks[start % 2])
            process = subprocess.Popen(words, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, state, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(state)
            self.assertEqual(process.returncode, 0, start)
            if ranks[start % 2] == 1:
                peaks.append(used.ru_maxrss)
        files = [path.name for path in (self.folder / "run").iterdir()]
        self.assertEqual(len(files), len(set(files) & RUN_FILES), files)
        self.assertEqual(len(list((self.folder / "run/ckpt").glob("*.i*"))), 3)
        # What starts a single process for MPI ends a moment later than that.
        self.assertTrue(recovery.wait_until(lambda: not [path for folder in scratch for path in folder.rglob("*") if not path.is_dir()]))
        tenth = max(5, len(peaks) // 10)
        self.assertLessEqual(min(peaks[-tenth:]), 1.01 * min(peaks[:tenth]))
        self.assertEqual(len(json.loads((self.folder / "run/report.json").read_text())["starts"]), N_STARTS)
