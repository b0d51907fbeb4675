"""What the recovery tests share: runs that are started, killed, taken up and compared."""
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
from program_processes import ENVIRONMENT, MPIRUN, command  # noqa: E402, F401

LONGEST = 300  # s: what takes longer hangs; a busy machine is slow

# Second of work in many steps, saved after each: heat in a strip whose ends change with time.
STRIP = """\
title: A strip to be interrupted
physics: heat
analysis: {type: transient, scheme: bdf2, end: 1.2, step: 0.1}
mesh: {generate: {box: {size: [2, 1], cells: [12, 6], cell: quad4}}}
materials: {medium: {conductivity: 1, density: 1, specific_heat: 1}}
initial: [{temperature: 300 + 10*x*y}]
boundary:
  - {on: xmin, temperature: 300 + 50*sin(3*t)}
  - {on: xmax, convection: {coefficient: 3, ambient: 280}}
solver: {device: cpu, precision: double, tolerance: 1e-12}
output: {fields: [temperature, heat_flux], probes: [{name: middle, at: [1, 0.5], of: temperature}]}
checkpoint: {every: 1 steps}
"""


class Program:
    """The program under test, and a folder for what it leaves."""

    def __init__(self, trestle):
        self.trestle = str(pathlib.Path(trestle).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="trestle_recovery_"))

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, *words, ranks=1):
        return command(self.trestle, words, ranks)

    def run(self, *words, ranks=1, before=()):
        """The finished process; one that hangs is an error of the test."""
        return subprocess.run([*before, *self.command(*words, ranks=ranks)], env=ENVIRONMENT, cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=LONGEST)

    def start(self, *words, ranks=1, environment=()):
        """A process in a group of its own."""
        return subprocess.Popen(self.command(*words, ranks=ranks), env=dict(ENVIRONMENT, **dict(environment)), cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def differences(self, a, b, tolerance):
        """"" where two runs have the same results, else what `trestle results diff` says."""
        done = self.run("results", "diff", a, b, "--tolerance", tolerance, ranks=1)
        return "" if done.returncode == 0 else f"rc {done.returncode}: {done.stdout}{done.stderr}"


def kill(process):
    """kill -9 of mpirun, and of its ranks, as when a machine goes."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    # mpirun puts ranks into groups of their own: they end soon after it, and the next start waits for that.


def status(run):
    return json.loads((pathlib.Path(run) / "status.json").read_text())


def checkpoints(run):
    """Names of the checkpoints of a run, the newest first."""
    folder = pathlib.Path(run) / "ckpt"
    if not folder.is_dir():
        return []
    return sorted((entry.parent.name for entry in folder.glob("*/MANIFEST.json")
                   if not entry.parent.name.endswith((".bad", ".del", ".aside"))), reverse=True)


def working(run):
    """Whether a start of the run has begun with steps."""
    try:
        return status(run)["state"] == "running" and status(run)["phase"] == "solve" and status(run)["step"] > 0
    except (OSError, ValueError, KeyError):
        return False


def wait_until(condition, seconds=LONGEST):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


class RecoveryTest(unittest.TestCase):
    """With a folder of its own."""
    trestle_program = ""

    def setUp(self):
        self.program = Program(self.trestle_program)
        self.addCleanup(self.program.remove)
        self.folder = self.program.folder

    def trestle(self, *words, ranks=1, code=0):
        done = self.program.run(*words, ranks=ranks)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout[-800:]}\n{done.stderr[-800:]}")
        return done

    def case(self, text, name="case.yaml"):
        return self.program.write(name, text)

    def break_off(self, run, copy, position):
        """A copy of a run as it was after one of its checkpoints; `position` counts from the first one."""
        target = self.folder / copy
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.folder / run, target)
        names = sorted(checkpoints(target))
        for name in names[position + 1:]:
            shutil.rmtree(target / "ckpt" / name)
        (target / "status.json").write_text(json.dumps(dict(status(target), state="running")))
        return names[position]

    def assert_same(self, a, b, tolerance=0):
        self.assertEqual(self.program.differences(a, b, tolerance), "")
