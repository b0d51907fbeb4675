#!/usr/bin/env python3
"""Storage that is full, slow, broken or gone while the program writes: a clean end within seconds, and what was there stays.

    check_storage.py TRESTLE [names of tests]

Real file systems (tmpfs and ext4 in a file, which need root, else those tests are skipped), limits of the shell, and errors
that strace puts into system calls.
"""
import contextlib
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
import program_processes  # noqa: E402
from program_processes import MPIRUN  # noqa: E402

TRESTLE = ""
ENVIRONMENT = dict(program_processes.ENVIRONMENT, LC_ALL="C")
LIMIT_S = 300  # a hang is a failure; a busy machine is slow

# 3721 nodes: about 40 kB a state. The number of steps says how long a run takes.
MARCH = """\
physics: heat
mesh: {generate: {box: {size: [1, 1], cells: [60, 60], cell: quad4}}}
analysis: {type: transient, end: STEPS s, step: 1 s}
materials: {medium: {conductivity: 1, density: 1000, specific_heat: 1000}}
initial: [{temperature: 0}]
boundary: [{on: xmin, temperature: 0}, {on: xmax, temperature: 1}]
solver: {device: cpu}
output: {fields: [temperature]}
"""


@contextlib.contextmanager
def mounted(*words):
    """A file system on a folder of its own, where we may mount one."""
    folder = tempfile.mkdtemp()
    try:
        done = subprocess.run(["mount", *words, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise unittest.SkipTest(f"cannot mount: {done.stdout.strip()}")
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
    finally:
        os.rmdir(folder)


@contextlib.contextmanager
def ext4(*options, mib=16):
    with tempfile.NamedTemporaryFile() as image:
        image.truncate(mib << 20)
        done = subprocess.run(["mkfs.ext4", "-q", "-F", *options, image.name], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise unittest.SkipTest(done.stdout)
        with mounted("-o", "loop", image.name) as folder:
            shutil.rmtree(folder / "lost+found", ignore_errors=True)
            yield folder


def wait_for(holds):
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


class StorageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def case(self, steps=400, **changes):
        text = MARCH.replace("STEPS", str(steps))
        for old, new in changes.items():
            text = text.replace(old, new)
        path = self.folder / "march.yaml"
        path.write_text(text)
        return path

    def start(self, words, **options):
        return subprocess.Popen([*map(str, words)], env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, **options)

    def end(self, process, limit=LIMIT_S):
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            self.fail(f"it hangs, after {limit} s:\n{out}")
        return process.returncode, out

    def run_case(self, case, output, ranks=1, wrap=(), codes=(74,), more=(), **options):
        """One rank alone, or several of which `wrap` stands before the last."""
        run = [*wrap, TRESTLE, "run", case, "--output", output, *more]
        if ranks == 1:
            words = run
        else:
            words = [*MPIRUN, "-n", ranks - 1, TRESTLE, "run", case, "--output", output, *more, ":", "-n", 1, *run]
        code, out = self.end(self.start(words, **options))
        self.assertIn(code, codes, out)
        self.assertNotIn("HDF5-DIAG", out)
        self.last_output = out
        return code

    def status(self, output):
        return json.loads((pathlib.Path(output) / "status.json").read_text())

    def states_readable(self, output):
        """How many states the results have; every one of them reads without an error."""
        done = subprocess.run([TRESTLE, "results", "info", str(output)], env=ENVIRONMENT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    @staticmethod
    def strace(*inject):
        return ["strace", "-f", "-qq", "-o", "/dev/null", *(word for one in inject for word in ("-e", one))]


class FullDisks(StorageTest):
    def test_a_full_tmpfs_is_exit_74_on_any_number_of_ranks(self):
        for ranks in (1, 2):
            with mounted("-t", "tmpfs", "-o", "size=4m", "tmpfs") as disk:
                self.run_case(self.case(), disk / "run", ranks)
                self.assertIn("No space left", self.last_output)
                self.assertRegex(self.last_output, r"has [\d.]+ MB left and will not hold what is planned: 11.9 MB of results")
                self.assertEqual((self.status(disk / "run")["state"], self.status(disk / "run")["exit_code"]), ("failed", 74))

    def test_a_full_ext4_is_exit_74(self):
        with ext4(mib=8) as disk:
            self.run_case(self.case(), disk / "run", 2)
            self.assertEqual(self.status(disk / "run")["exit_code"], 74)

    def test_a_quota_that_is_used_up_is_exit_74(self):
        for ranks, when in ((1, 200), (2, 30)):  # the last rank only writes its part of each state
            self.run_case(self.case(60), self.folder / f"run{ranks}", ranks,
                          self.strace(f"inject=pwrite64:error=EDQUOT:when={when}+"))
            self.assertIn("quota", self.last_output)

    def test_no_inode_left_is_told_as_what_it_is(self):
        with ext4("-N", "16") as disk:
            for i in range(30):
                try:
                    (disk / f"f{i}").touch()
                except OSError:
                    break
            self.run_case(self.case(5), disk / "run", codes=(73, 74))
            self.assertIn("No space left", self.last_output)


class Checkpoints(StorageTest):
    """What a run saved outlives what its disk does to it."""

    def saving_case(self, steps, every):
        return self.case(steps, **{"solver:": f"checkpoint: {{every: {every} steps}}\nsolver:"})

    def go_on(self, case, output):
        """Completed from a checkpoint, to the same bits as a run that nothing disturbed; all that it leaves is whole."""
        self.run_case(case, f"{output}", codes=(0,), more=("--restart", "auto"))
        self.assertIn("goes on from checkpoint", self.last_output)
        self.assertNotIn("will not hold", self.last_output)
        self.run_case(case, self.folder / "plain", codes=(0,))
        self.agree("results", "diff", self.folder / "plain", output)
        self.verify(output)

    def agree(self, *words):
        done = subprocess.run([TRESTLE, *map(str, words)], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, done.stdout)

    def verify(self, run):
        self.agree("verify", run)

    def test_saves_that_fail_are_counted_and_the_run_goes_on(self):
        for error in ("ENOSPC", "EIO"):
            run = self.folder / error
            self.run_case(self.saving_case(6, 1), run, 2, self.strace(f"inject=fallocate:error={error}:when=2"), codes=(0,))
            recovery = json.loads((run / "report.json").read_text())["recovery"]
            self.assertEqual(recovery["failed_saves"], 1)
            self.assertGreaterEqual(recovery["saves"], 1)
            self.verify(run)

    def test_what_was_saved_outlives_all_saves_that_fail_behind_it(self):
        run = self.folder / "run"
        full = [f"{run}/ckpt/{step:012}.i0001/s-0000.dat" for step in range(4, 8)]  # a fifth failure would end it
        paths = [word for path in full for word in ("-P", path)]
        self.run_case(self.saving_case(7, 1), run, 1, [*self.strace("inject=fallocate:error=ENOSPC"), *paths], codes=(74,))
        self.assertEqual(self.status(run)["state"], "completed")
        self.assertIn("the results are whole", self.status(run)["message"])
        self.assertEqual(max(path.name for path in (run / "ckpt").glob("*.i0001")), "000000000003.i0001")
        self.go_on(self.saving_case(40, 1), run)  # to a later end

    def test_a_disk_that_fills_up_keeps_its_checkpoints(self):
        with mounted("-t", "tmpfs", "-o", "size=4m", "tmpfs") as disk:
            case = self.case(60, **{"solver:": "checkpoint: {every: 5 steps}\nsolver:", "[temperature]": "[temperature, heat_flux]"})
            self.run_case(case, disk / "run")
            self.assertEqual(self.status(disk / "run")["exit_code"], 74)
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            self.go_on(case, disk / "run")


class Limits(StorageTest):
    def test_a_file_size_limit_is_exit_74_not_a_signal(self):
        limit = 24 << 20  # OpenMPI itself has files of some MB in shared memory
        case = self.case(2000, **{"[temperature]": "[temperature, heat_flux]"})
        self.run_case(case, self.folder / "run", wrap=["prlimit", f"--fsize={limit}:{limit}"])
        self.assertIn("ulimit -f", self.last_output)
        self.assertEqual(self.status(self.folder / "run")["exit_code"], 74)

    def test_too_few_file_descriptors_never_crash_or_hang(self):
        for limit in (14, 18, 24, 40):
            code = self.run_case(self.case(3), self.folder / f"run{limit}", codes=(0, 1, 71, 73, 74),
                                 wrap=["prlimit", f"--nofile={limit}:{limit}"])
            if code in (71, 73, 74):
                self.assertIn("ulimit -n", self.last_output)


class BrokenDisks(StorageTest):
    def test_an_error_on_one_rank_alone_ends_all_ranks(self):
        for when in (3, 40):
            self.run_case(self.case(60), self.folder / f"run{when}", 2, self.strace(f"inject=pwrite64:error=EIO:when={when}"),
                          more=("--set", "checkpoint.every=never"))  # which the one error would hit where steps are slow
            self.assertEqual(self.status(self.folder / f"run{when}")["exit_code"], 74)

    def test_a_failed_fsync_is_never_retried_and_believed(self):
        for when in (3, 20, 60):
            run = self.folder / f"run{when}"
            broken = self.strace(f"inject=fsync:error=EIO:when={when}") + ["-P", run / "results.hdf"]
            self.run_case(self.case(60), run, 1, broken)
            self.assertIn("Input/output error", self.last_output)

    def test_writes_that_write_nothing_and_say_otherwise_are_noticed_and_repeated(self):
        self.run_case(self.case(5), self.folder / "plain", codes=(0,))
        for when in (20, 23):
            run = self.folder / f"lies{when}"
            lies = self.strace(f"inject=pwrite64:retval=10:when={when}+7")
            self.run_case(self.case(5), run, 1, lies, codes=(0,), more=("--set", "checkpoint.every=never"))
            done = subprocess.run([TRESTLE, "results", "diff", "plain", run], cwd=self.folder, env=ENVIRONMENT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_disk_that_keeps_nothing_is_no_success(self):
        for when, claimed in ((5, 1 << 20), (60, 10)):  # while the file is made more than it was given, later less
            run = self.folder / f"run{when}"
            lies = self.strace(f"inject=pwrite64:retval={claimed}:when={when}+") + ["-P", run / "results.hdf"]
            self.run_case(self.case(60), run, 1, lies)
            self.assertEqual(self.status(run)["exit_code"], 74)

    def test_a_slow_disk_only_takes_longer(self):
        self.run_case(self.case(3), self.folder / "run", 2, self.strace("inject=fsync:delay_enter=300000:when=1+"), codes=(0,))


class HungDisks(StorageTest):
    """What hangs in a call of the system is told with rank, phase and call, and does not hold the others for ever."""

    def saving_case(self, more):
        return self.case(19000, **{"60, 60": "6, 6", "solver:": f"checkpoint: {{every: 1 steps}}\n{more}\nsolver:"})

    def start_saving(self, more, run, ranks, wrap=()):
        """A run of minutes with a checkpoint, what it says, in a file, and its case; `wrap` stands before the last rank."""
        case, log = self.saving_case(more), self.folder / "log"
        words = [TRESTLE, "run", str(case), "--output", str(run)]
        words = [*wrap, *words] if ranks == 1 else [*MPIRUN, "-n", "1", *words, ":", "-n", "1", *wrap, *words]
        with log.open("w") as to:
            process = subprocess.Popen(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=to, stderr=to, start_new_session=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_for(lambda: list(run.glob("ckpt/*/MANIFEST.json")) or process.poll() is not None)
        return case, process, log

    def goes_on(self, case, run):
        last = max(int(path.parent.name[:12]) for path in run.glob("ckpt/*/MANIFEST.json"))
        self.run_case(case, run, 2, codes=(0,), more=("--restart", "auto", "--set", f"analysis.end={last + 3}"))
        self.assertIn("goes on from checkpoint", self.last_output)

    def test_a_disk_that_hangs_is_told_with_the_rank_and_its_phase(self):
        """Whoever waits for a frozen disk cannot even be killed: the rank says so, and ends when the disk is back."""
        with ext4(mib=64) as disk:
            case, process, log = self.start_saving("watchdog: {no_progress: 15 s}", disk / "run", 2)
            subprocess.run(["fsfreeze", "--freeze", disk], check=True)
            try:
                wait_for(lambda: "has made no progress for 15 s" in log.read_text() or process.poll() is not None)
            finally:
                subprocess.run(["fsfreeze", "--unfreeze", disk], check=True)
            self.assertEqual(process.wait(timeout=LIMIT_S), 84, log.read_text())
            self.assertRegex(log.read_text(), r"error on rank \d: rank \d on \S+ has made no progress for 15 s .* in phase solve, step \d+")
            self.goes_on(case, disk / "run")

    def hanging_fsync(self):
        """What stands before a program whose saves hang while a file is there, and that file."""
        library, sign = self.folder / "hanging_fsync.so", self.folder / "hang"
        source = pathlib.Path(__file__).parent / "hanging_fsync.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        return ["env", f"LD_PRELOAD={library}", f"HANG_WHILE={sign}"], sign

    def test_an_fsync_that_never_returns_on_one_rank_ends_all(self):
        wrap, sign = self.hanging_fsync()
        case, process, log = self.start_saving("watchdog: {no_progress: 15 s}", self.folder / "run", 2, wrap)
        sign.touch()
        self.assertEqual(process.wait(timeout=LIMIT_S), 84, log.read_text())
        self.assertRegex(log.read_text(), r"rank \d on \S+ has made no progress for 15 s .* in phase solve, step \d+")
        self.goes_on(case, self.folder / "run")

    def test_a_run_whose_disk_hangs_leaves_before_its_time_is_over(self):
        """Its last words cannot be written either."""
        wrap, sign = self.hanging_fsync()
        case, process, log = self.start_saving("stop: {wall_time: 30 s}", self.folder / "run", 1, wrap)
        sign.touch()
        self.assertEqual(process.wait(timeout=LIMIT_S), 85, log.read_text())
        self.assertIn("and its time is over: what came after the last checkpoint is lost", log.read_text())
        self.goes_on(case, self.folder / "run")


class VanishingFolders(StorageTest):
    def started(self, output):
        """A run of minutes that writes results."""
        process = self.start([TRESTLE, "run", self.case(19000, **{"60, 60": "200, 200"}), "--output", output])
        end = time.monotonic() + 60
        while time.monotonic() < end and not (pathlib.Path(output) / "results.hdf").exists():
            time.sleep(0.05)
        time.sleep(0.3)
        return process

    def test_results_never_follow_a_folder_that_was_swapped_for_a_link(self):
        run, elsewhere = self.folder / "run", self.folder / "elsewhere"
        process = self.started(run)
        elsewhere.mkdir()
        run.rename(self.folder / "moved")
        run.symlink_to(elsewhere)
        time.sleep(2)
        process.kill()
        self.end(process)
        self.assertEqual([path.name for path in elsewhere.iterdir() if path.name in ("results.hdf", "ckpt")], [])

    def test_a_file_system_that_became_read_only_ends_the_run(self):
        for when in (5, 100):
            run = self.folder / f"run{when}"
            self.run_case(self.case(60), run, 1, self.strace(f"inject=pwrite64:error=EROFS:when={when}+"), codes=(74, 77))
            self.assertIn("read-only", self.last_output)


class Names(StorageTest):
    def test_names_with_blanks_utf8_and_a_slash_at_the_end_are_fine(self):
        for name in ("a b", "größe", "日本", "x" * 200, "slash/", "'quote\"", "-dash", "a=b,c"):
            self.run_case(self.case(2), f"./{name}", codes=(0,))
            self.assertEqual(self.status(self.folder / name)["state"], "completed")

    def test_a_name_that_is_too_long_is_told(self):
        self.run_case(self.case(2), "x" * 300, codes=(73,))
        self.assertIn("name too long", self.last_output.lower())
        self.run_case(self.case(2), "/".join(["y" * 100] * 45), codes=(73,))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    TRESTLE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    sys.exit(0 if parallel_tests.main(workers=4) else 1)
