#!/usr/bin/env python3
"""A fault at every system call of a save: the run is killed there, or the call fails, or writes less than it says.

    crash_points.py TRESTLE [--every N [--from I]] [--kinds KILL,EIO,ENOSPC,SHORT] [--ranks 1|2] [--on 0|1]

Runs a small case once under strace and lists the calls that its saves make. Then, for every N-th of them and every
kind of fault, runs the case with that fault on the rank of --on (where there are two, of which rank 0 makes most of the
calls), takes it up where it did not finish, and compares its results with those of a run that nothing has disturbed.
"""
import argparse
import collections
import re
import shutil
import sys
import time

import recovery

CALLS = ("mkdir,openat,fallocate,pwrite64,sync_file_range,fsync,close,newfstatat,fstat,fstatfs,statfs,rename,unlink,"
         "unlinkat,rmdir,ftruncate")
WRITES = ("pwrite64",)
KINDS = ("KILL", "EIO", "ENOSPC", "SHORT")
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)")


def injection(call, number, kind):
    what = {"KILL": "signal=KILL", "EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "SHORT": "retval=10"}[kind]
    return ["-e", f"inject={call}:{what}:when={number}"]


def under_strace(program, where, options, words):
    """The command that runs a program with strace around one rank; `where` is (ranks, the rank)."""
    ranks, traced = where
    strace = ["strace", "-qq", "-e", f"trace={CALLS}", *options, program.trestle, *words]
    if ranks == 1:
        return strace
    plain = [program.trestle, *words]
    first, second = (strace, plain) if traced == 0 else (plain, strace)
    return [*recovery.MPIRUN, "-n", "1", *first, ":", "-n", "1", *second]


def run_with(program, where, options, words):
    return recovery.subprocess.run(under_strace(program, where, options, words), env=recovery.ENVIRONMENT, cwd=program.folder,
                                   stdin=recovery.subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                   timeout=recovery.LONGEST)


def points_of_saves(program, where, case):
    """(call, how many of them came before) of everything between the first save and the last one."""
    log = program.folder / "calls"
    done = run_with(program, where, ["-o", str(log)], ["run", str(case), "--output", "counted"])
    assert done.returncode == 0, done.stderr
    counts = collections.Counter()
    points = []
    saving = False
    lines = [match for match in map(CALL.match, log.read_text(errors="replace").splitlines()) if match]
    last = max(i for i, match in enumerate(lines) if "/ckpt" in match.group(2))
    for i, match in enumerate(lines):
        counts[match.group(1)] += 1
        saving = saving or "/ckpt" in match.group(2)
        if saving and i <= last:
            points.append((match.group(1), counts[match.group(1)]))
    return points


def check(program, where, case, call, number, kind):
    """What is wrong after a fault, or "". """
    output = program.folder / "disturbed"
    shutil.rmtree(output, ignore_errors=True)
    words = ["run", str(case), "--output", str(output)]
    try:
        done = run_with(program, where, injection(call, number, kind), words)
        # Three starts are enough for any fault that does not come back.
        for attempt in range(3):
            if recovery.status(output)["state"] == "completed" if (output / "status.json").exists() else False:
                break
            done = program.run(*words, "--restart", "auto", ranks=where[0])
            if done.returncode == 0:
                break
        if done.returncode != 0 and kind != "KILL" and recovery.status(output)["state"] != "completed":
            return f"rc {done.returncode} at the end: {done.stderr.strip()[-300:]}"
        if recovery.status(output)["state"] != "completed":
            return f"rc {done.returncode}, state {recovery.status(output)['state']}: {done.stderr.strip()[-300:]}"
    except recovery.subprocess.TimeoutExpired:
        return "it hangs"
    different = program.differences("counted", output, 0)
    if different:
        return different
    verified = program.run("verify", output, ranks=1)
    # A write that lied may have spoilt a checkpoint that nobody needed: that is found, not hidden.
    if verified.returncode not in ((0, 76) if kind == "SHORT" else (0,)):
        return f"verify: rc {verified.returncode}: {verified.stdout.strip()[-300:]}"
    return ""


def sweep(program, points, kinds, where, rotate=False, tell=print):
    """How many faults were tried at the points of `points`, a slice, and what went wrong at which. `rotate` takes another kind at each
    point, else each point gets all of them."""
    case = program.write("case.yaml", recovery.STRIP.replace("end: 1.2", "end: 0.5"))
    shutil.rmtree(program.folder / "counted", ignore_errors=True)
    every_point = points_of_saves(program, where, case)
    chosen = every_point[points]
    tried, faults = 0, []
    for i, (call, number) in enumerate(chosen):
        for k, kind in enumerate(kinds):
            if kind == "SHORT" and call not in WRITES:
                continue
            if rotate and k != i % len(kinds) and not (kind == "SHORT" and i % 2):
                continue
            tried += 1
            fault = check(program, where, case, call, number, kind)
            if fault:
                faults.append(f"{kind} at {call} {number} on rank {where[1]} of {where[0]}: {fault}")
                tell(faults[-1])
        if i % 20 == 19:
            tell(f"{i + 1} of {len(chosen)} points, {tried} faults tried, {len(faults)} not survived")
    return len(every_point), tried, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trestle")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the point of each N to begin with")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--ranks", type=int, default=1, choices=(1, 2))
    parser.add_argument("--on", type=int, choices=(0, 1), help="the rank that has the faults; the last one, if not given")
    arguments = parser.parse_args()
    where = (arguments.ranks, arguments.ranks - 1 if arguments.on is None else min(arguments.on, arguments.ranks - 1))
    program = recovery.Program(arguments.trestle)
    begin = time.monotonic()
    try:
        n_points, tried, faults = sweep(program, slice(arguments.first, None, arguments.every), arguments.kinds.split(","),
                                        where, tell=lambda text: print(text, flush=True))
    finally:
        program.remove()
    print(f"{n_points} calls in the saves; {tried} faults tried in {time.monotonic() - begin:.0f} s; "
          f"{len(faults)} not survived")
    return 1 if faults or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
