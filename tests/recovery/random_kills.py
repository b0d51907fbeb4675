#!/usr/bin/env python3
"""kill -9 at any moment, then on another number of ranks: the results are those of a run that nothing has disturbed.

    random_kills.py TRESTLE [--kills 200] [--case configs/bench/restart.yaml] [--ranks 1,2,3,4] [--seed 1]
                    [--set KEY=VALUE]...

Each trial starts a run, kills it after a random part of its time, goes on with it on a random number of ranks, kills
that one too ... and at last lets it finish.
"""
import argparse
import pathlib
import random
import shutil
import sys
import time

import recovery


class Trials:
    def __init__(self, program, words, ranks, seed, tell):
        self.program, self.words, self.ranks, self.tell = program, words, ranks, tell
        self.random = random.Random(seed)
        began = time.monotonic()
        done = program.run(*words, "--output", "whole", ranks=ranks[len(ranks) // 3])
        assert done.returncode == 0, done.stderr
        self.seconds = time.monotonic() - began
        self.kills = 0

    def one(self, number, most):
        """What is wrong with one run that is killed up to `most` times, or ""."""
        run = self.program.folder / "killed"
        shutil.rmtree(run, ignore_errors=True)
        for _ in range(most):
            ranks = self.random.choice(self.ranks)
            process = self.program.start(*self.words, "--output", run, "--restart", "auto", ranks=ranks)
            try:
                process.wait(timeout=self.random.uniform(0.1, 1.0) * self.seconds)
            except recovery.subprocess.TimeoutExpired:
                self.kills += 1
            recovery.kill(process)
            if process.returncode > 0 and process.returncode != 137:
                return f"rc {process.returncode} of a start that was not killed"
            if (run / "status.json").exists() and recovery.status(run)["state"] == "completed":
                break
        ranks = self.random.choice(self.ranks)
        try:
            done = self.program.run(*self.words, "--output", run, "--restart", "auto", ranks=ranks)
        except recovery.subprocess.TimeoutExpired:
            return "it hangs"
        if done.returncode != 0:
            return f"rc {done.returncode} on {ranks} rank(s): {done.stderr.strip()[-400:]}"
        return self.program.differences("whole", run, 1e-10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trestle")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--case", default=str(pathlib.Path(__file__).parents[2] / "configs/bench/restart.yaml"))
    parser.add_argument("--ranks", default="1,2,3,4")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    program = recovery.Program(arguments.trestle)
    words = ["run", str(pathlib.Path(arguments.case).resolve())]
    for override in arguments.set:
        words += ["--set", override]
    begin = time.monotonic()
    faults, trials = [], None
    try:
        trials = Trials(program, words, [int(n) for n in arguments.ranks.split(",")], arguments.seed, print)
        print(f"undisturbed: {trials.seconds:.1f} s", flush=True)
        number = 0
        while trials.kills < arguments.kills:
            number += 1
            fault = trials.one(number, 3)
            if fault:
                faults.append(f"trial {number}: {fault}")
                print(faults[-1], flush=True)
                shutil.copytree(program.folder / "killed", pathlib.Path(f"killed.{number}"), dirs_exist_ok=True)
            if number % 10 == 0:
                print(f"{trials.kills} kills in {number} runs, {len(faults)} wrong", flush=True)
    finally:
        program.remove()
    print(f"{trials.kills} kills in {number} runs, {time.monotonic() - begin:.0f} s: {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
