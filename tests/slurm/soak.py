#!/usr/bin/env python3
"""A job that is preempted again and again on a private Slurm, for an hour: how much of the time it computes for good.

    soak.py TRESTLE [--minutes 60] [--every 180] [--ranks 1] [--share 0.25] [--least 0.9]

Every so many seconds a job of higher priority takes both nodes; nothing else is done to the job but its submission. Beside it,
without Slurm, the same case runs undisturbed. When the time is over both go on to the next time of output, and their results
must be the same bits. --share leaves both only so much of a core each (root, the cpu controller of cgroup v1), so that the machine
stays usable; their set-up takes that much longer. Goodput is the computing that was kept (report.json: work without what was lost, repeated or spent on
checkpoints) as a part of the time from the first start of the job to its end. Exit code 1 below --least or on other results.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from private_slurm import PrivateSlurm, missing_programs

OUTPUT_EVERY = 5.0
CASE = """\
title: Heat runs through a block, for hours
physics: heat
mesh: {generate: {box: {size: [1, 1, 1], cells: [30, 30, 30], cell: hex8}}}
analysis: {type: transient, scheme: bdf2, end: END, step: 0.01}
materials: {unit: {conductivity: 0.1, density: 1, specific_heat: 1}}
initial: [{temperature: "300 + 10*sin(3*x)*cos(2*y)"}]
boundary:
  - {on: xmin, temperature: "300 + 40*sin(6.2831853*t)"}
  - {on: xmax, convection: {coefficient: 2, ambient: 290}}
solver: {device: cpu, precision: double, tolerance: 1e-12}
output: {fields: [temperature], every: EVERY}
"""
PROFILE = """\
partition: spot
tasks: RANKS
time: UNLIMITED
signal: B:USR1@20
binding: none
launcher_options: [--oversubscribe, -q]
program: PROGRAM
"""
CONTROLLER = pathlib.Path("/sys/fs/cgroup/cpu")
PERIOD_US = 100000


class Soak:
    def __init__(self, slurm, folder, arguments):
        self.slurm, self.folder, self.arguments = slurm, folder, arguments
        self.case = folder / "march.yaml"
        self.write_case(2e4)  # nobody gets there
        self.groups = []
        self.programs = [self.limited(name) for name in ("job", "undisturbed")]
        (folder / "site.yaml").write_text(PROFILE.replace("RANKS", str(arguments.ranks)).replace("PROGRAM", str(self.programs[0])))
        self.n_preemptions = 0
        self.undisturbed = None

    def limited(self, name):
        """The program, or a script that runs it with a part of a core; the launcher of Slurm starts processes of its own."""
        if not self.arguments.share:
            return self.arguments.trestle
        group = CONTROLLER / f"trestle-soak-{os.getpid()}-{name}"
        group.mkdir()
        self.groups.append(group)
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD_US * self.arguments.share)))
        script = self.folder / f"trestle-{name}"
        script.write_text(f'#!/bin/sh\necho $$ >{group}/cgroup.procs\nexec {self.arguments.trestle} "$@"\n')
        script.chmod(0o755)
        return script

    def write_case(self, end):
        new = self.case.with_suffix(".new")
        new.write_text(CASE.replace("END", repr(end)).replace("EVERY", repr(OUTPUT_EVERY)))
        new.rename(self.case)  # a start reads the old one or the new one

    def trestle(self, *words):
        done = subprocess.run([self.arguments.trestle, *map(str, words)], env=self.slurm.environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def start(self):
        code, out = self.trestle("submit", self.case, "--profile", "site.yaml", "--output", "run")
        assert code == 0, out
        self.job = int(re.match(r"job (\d+) from ", out)[1])
        shutil.copy(self.case, self.folder / "undisturbed.yaml")
        words = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", str(self.arguments.ranks), str(self.programs[1]),
                 "run", "undisturbed.yaml", "--output", "undisturbed"]
        environment = dict(self.slurm.environment, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", SCOTCH_PTHREAD_NUMBER="1",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.undisturbed = subprocess.Popen(words, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL)

    def end_undisturbed(self):
        if self.undisturbed is not None and self.undisturbed.poll() is None:
            self.undisturbed.terminate()
            self.undisturbed.wait(timeout=60)

    def remove_groups(self):
        """After Slurm has ended, for a group with processes stays."""
        for group in self.groups:
            try:
                group.rmdir()
            except OSError as error:
                print(f"{group} stays: {error}")

    def status(self, run):
        try:
            return json.loads((self.folder / run / "status.json").read_text())
        except OSError:
            return {}

    def preempt(self):
        out = self.slurm.output("sbatch", "--parsable", "-p", "high", "-N2", "-n4", "-o", "/dev/null", "--wrap", "sleep 1")
        began = time.monotonic()
        self.slurm.wait_until(lambda: self.slurm.state(out.strip()) == "COMPLETED", 150, "the preempting job is through")
        self.n_preemptions += 1
        status = self.status("run")
        print(f"preemption {self.n_preemptions}: the other job was through after {time.monotonic() - began:.0f} s; "
              f"step {status.get('step')}, the undisturbed run is at {self.status('undisturbed').get('step')}", flush=True)

    def disturb(self):
        """Preempts until the time is over; the last start goes to an end that both runs come to."""
        begin = time.monotonic()
        times = int(self.arguments.minutes * 60 // self.arguments.every)
        for i in range(1, times + 1):
            time.sleep(max(0.0, begin + i * self.arguments.every - time.monotonic()))
            if i == times:
                reached = max(self.status(run)["time"] for run in ("run", "undisturbed"))
                self.end = (reached // OUTPUT_EVERY + 2) * OUTPUT_EVERY
                self.write_case(self.end)
            self.preempt()

    def finish(self):
        self.slurm.wait_until(lambda: self.status("undisturbed")["time"] >= self.end, 3600, "the undisturbed run at the end")
        (self.folder / "undisturbed/STOP").touch()
        self.undisturbed.wait(timeout=300)
        self.slurm.wait_until(lambda: self.slurm.state(self.job) in ("COMPLETED", "FAILED"), 3600, "the job is over")
        known = self.slurm.job(self.job)
        print(f"job {self.job}: {known['JobState']}, {known['Restarts']} restarts; end {self.end:g} s, step {self.status('run')['step']}")
        return known["JobState"] == "COMPLETED" and int(known["Restarts"]) >= self.n_preemptions

    def is_right(self):
        right = True
        for words in (["results", "diff", "undisturbed", "run", "--tolerance", "0"], ["verify", "run"]):
            code, out = self.trestle(*words)
            print(f"trestle {' '.join(words)}: {code}" + (f"\n{out}" if code != 0 else ""))
            right = right and code == 0
        return right

    def goodput(self):
        report = json.loads((self.folder / "run/report.json").read_text())
        recovery, starts = report["recovery"], report["starts"]
        moments = [datetime.datetime.fromisoformat(start["started"].replace("Z", "+00:00")).timestamp() for start in starts]
        wall = moments[-1] - moments[0] + starts[-1]["wall_s"]
        kept = recovery["work_s"] - recovery["lost_s"] - recovery["repeated_s"] - recovery["save_s"]
        print(f"{recovery['starts']} starts in {wall:.0f} s, {self.n_preemptions} preemptions: {kept:.0f} s of computing kept; "
              f"lost {recovery['lost_s']:.1f} s, set-up repeated {recovery['repeated_s']:.1f} s, "
              f"{recovery['saves']} saves {recovery['save_s']:.1f} s, not at work {wall - recovery['work_s']:.0f} s")
        print(f"goodput {100 * kept / wall:.1f} % of the time since the first start, "
              f"{100 * recovery['goodput']:.1f} % of the time at work")
        return kept / wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trestle", type=lambda path: str(pathlib.Path(path).absolute()))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=180, help="seconds between preemptions")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--share", type=float, default=0, help="part of a core for each of the two runs")
    parser.add_argument("--least", type=float, default=0.9)
    arguments = parser.parse_args()
    if missing_programs():
        sys.exit(f"Slurm is not here: {', '.join(missing_programs())} missing (Debian: slurmctld slurmd slurm-client munge)")
    if arguments.minutes * 60 < arguments.every:
        sys.exit("there is no preemption in so short a time")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trestle-soak-"))
    right = False
    with PrivateSlurm() as slurm:
        soak = Soak(slurm, folder, arguments)
        try:
            soak.start()
            soak.disturb()
            right = soak.finish() and soak.is_right()
            right = soak.goodput() >= arguments.least and right
        finally:
            soak.end_undisturbed()
    soak.remove_groups()
    print(f"right: {right}")
    if right:
        shutil.rmtree(folder)
        shutil.rmtree(slurm.run, ignore_errors=True)
    else:
        print(f"what it left: {folder} and {slurm.run}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
