#!/usr/bin/env python3
"""kill -9 at any moment, then on another number of ranks: the results are those of a run that nothing has disturbed.

    random_kills.py TRESTLE [--kills 200] [--case configs/bench/restart.yaml] [--interval 5] [--ranks 1,2,3,4] [--seed 1]
                    [--set KEY=VALUE]...

Each trial starts a run, kills it after a random part of its time, goes on with it on a random number of ranks, kills
that one too ... and at last lets it finish. The state is saved every --interval steps: no more than these may be lost, and
the next start must go on from the newest state that was there.
"""
import argparse
import json
import pathlib
import random
import shutil
import sys
import time

import recovery


class Trials:
    def __init__(self, program, words, ranks, interval, seed):
        self.program, self.words, self.ranks, self.interval = program, words, ranks, interval
        self.random = random.Random(seed)
        began = time.monotonic()
        done = program.run(*words, "--output", "whole", ranks=ranks[len(ranks) // 3])
        assert done.returncode == 0, done.stderr
        self.seconds = time.monotonic() - began
        self.kills = self.most_lost = 0

    def loss(self, run):
        """What is wrong with what a killed run has left, or ""; notes the steps that are lost."""
        if not (run / "status.json").exists():
            return ""
        newest = recovery.checkpoints(run)
        self.saved = int(newest[0].split(".")[0]) if newest else 0
        lost = recovery.status(run)["step"] - self.saved
        self.most_lost = max(self.most_lost, lost)
        return f"{lost} steps are lost behind step {self.saved}" if lost > self.interval else ""

    def gone_on(self, run):
        """What is wrong with where the last start began, or ""."""
        start = json.loads((run / "incarnations.json").read_text())["incarnations"][-1]
        return f"it went on from step {start['from_step']}, not from {self.saved}" if start["from_step"] < self.saved else ""

    def one(self, most):
        """What is wrong with one run that is killed up to `most` times, or ""."""
        run = self.program.folder / "killed"
        shutil.rmtree(run, ignore_errors=True)
        self.saved = 0
        for _ in range(most):
            ranks = self.random.choice(self.ranks)
            process = self.program.start(*self.words, "--output", run, "--restart", "auto", ranks=ranks)
            began = time.monotonic()
            try:
                process.wait(timeout=self.random.uniform(0.1, 1.0) * self.seconds)
            except recovery.subprocess.TimeoutExpired:
                self.kills += 1
            recovery.kill(process)
            if process.returncode > 0 and process.returncode != 137:
                return f"rc {process.returncode} of a start that was not killed"
            fault = self.loss(run)
            if fault:
                return fault
            if (run / "status.json").exists() and recovery.status(run)["state"] == "completed":
                self.seconds = min(self.seconds, time.monotonic() - began)  # other programs make the time of a run differ
                break
        ranks = self.random.choice(self.ranks)
        try:
            done = self.program.run(*self.words, "--output", run, "--restart", "auto", ranks=ranks)
        except recovery.subprocess.TimeoutExpired:
            return "it hangs"
        if done.returncode != 0:
            return f"rc {done.returncode} on {ranks} rank(s): {done.stderr.strip()[-400:]}"
        return self.gone_on(run) or self.program.differences("whole", run, 1e-10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trestle")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--case", default=str(pathlib.Path(__file__).parents[2] / "configs/bench/restart.yaml"))
    parser.add_argument("--interval", type=int, default=5, help="steps between checkpoints")
    parser.add_argument("--ranks", default="1,2,3,4")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    program = recovery.Program(arguments.trestle)
    words = ["run", str(pathlib.Path(arguments.case).resolve()), "--set", f"checkpoint.every={arguments.interval} steps"]
    for override in arguments.set:
        words += ["--set", override]
    begin = time.monotonic()
    faults, trials = [], None
    try:
        trials = Trials(program, words, [int(n) for n in arguments.ranks.split(",")], arguments.interval, arguments.seed)
        print(f"undisturbed: {trials.seconds:.1f} s", flush=True)
        number = 0
        while trials.kills < arguments.kills:
            number += 1
            fault = trials.one(3)
            if fault:
                faults.append(f"trial {number}: {fault}")
                print(faults[-1], flush=True)
                shutil.copytree(program.folder / "killed", pathlib.Path(f"killed.{number}"), dirs_exist_ok=True)
            if number % 5 == 0:
                print(f"{trials.kills} kills in {number} runs, at most {trials.most_lost} steps lost, {len(faults)} wrong", flush=True)
    finally:
        program.remove()
    print(f"{trials.kills} kills in {number} runs, {time.monotonic() - begin:.0f} s: at most {trials.most_lost} steps lost, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
