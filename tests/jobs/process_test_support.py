"""What tests of whole processes share: a folder, a case, a run on some ranks, and its ranks' process ids."""
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
from program_cases import LONG as LONG_SOLVE, SLOW_MOTION  # noqa: E402, F401
import parallel_tests  # noqa: E402, F401
from program_processes import ENVIRONMENT, command, ranks_of  # noqa: E402


class RunTest(unittest.TestCase):
    program = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="trestle-jobs-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, case, ranks=1, arguments=(), environment=None, wrap=()):
        """A run of the case text in self.folder/run, behind the words of `wrap`; it ends with the test."""
        (self.folder / "case.yaml").write_text(case)
        words = [*wrap, *command(self.program, ["run", self.folder / "case.yaml", "--output", "run", *arguments], ranks)]
        run = subprocess.Popen(words, env=dict(ENVIRONMENT, **(environment or {})), cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.end, run)
        return run

    def end(self, run):
        for process in self.ranks():
            os.kill(process, signal.SIGKILL)
        run.kill()
        run.communicate()

    def ranks(self):
        return ranks_of(self.program, self.folder)

    def status(self):
        return json.loads((self.folder / "run/status.json").read_text())

    def wait_for(self, what, condition, seconds=120, run=None):
        """Until the condition holds; fails at once where `run` has ended before that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ended = run is not None and run.poll() is not None
            try:
                if condition():
                    return
            except (OSError, ValueError, KeyError, TypeError):
                pass
            if ended:
                self.fail(f"{what} did not happen: the run ended with {run.returncode}\n" + "\n".join(run.communicate()))
            time.sleep(0.02)
        self.fail(f"{what} did not happen within {seconds} s")

    def wait_for_phase(self, phase, seconds=120):
        self.wait_for(f"phase {phase}", lambda: self.status()["phase"] == phase, seconds)

    def finish(self, run, code, seconds=60):
        out, err = run.communicate(timeout=seconds)
        self.assertEqual(run.returncode, code, f"{out}\n{err}")
        self.wait_for("the end of all ranks", lambda: not self.ranks())
        return out, err
