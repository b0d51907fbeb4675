#!/usr/bin/env python3
"""Every case of validation/ and configs/ with steps, interrupted halfway and finished on other ranks.

    recover_all.py TRESTLE [NAME...]

Runs each case on two ranks with a checkpoint after every step (every 20th, where there are many); takes a copy back to the
checkpoint in the middle, as if it had been killed there; goes on with it on two ranks, where the results must be the same
bits, and on one and three. Meshes of configs/ that are not there are made by Gmsh.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import recovery

ROOT = pathlib.Path(__file__).resolve().parents[2]
recovery.LONGEST = 1800  # s: whole cases, on a machine that does other things too
# Other ranks sum in another order: what a step is solved to, times what the steps after it make of it.
ON_OTHER_RANKS = 1e-6


def has_steps(case):
    text = case.read_text()
    return re.search(r"type: *transient|load_steps|law:|yield_stress|hardening", text) is not None


def make_mesh(case):
    """The mesh of a case of configs/, from the geometry beside it, where it is missing."""
    mesh = re.search(r"file: *([\w./]+\.msh)", case.read_text())
    if not mesh or (case.parent / mesh[1]).exists():
        return
    mesh = case.parent / mesh[1]
    subprocess.run(["gmsh", "-3", str(mesh.with_suffix(".geo")), "-o", str(mesh)], check=True, stdout=subprocess.DEVNULL)


def whole_run(program, case, run):
    """The finished process of a case with at least three checkpoints where it has so many steps, and its words but for the folder."""
    for interval in (20, 1):
        words = ["run", str(case), "--set", f"checkpoint.every={interval} steps", "--set", "checkpoint.keep=1000", "--restart", "auto",
                 "--output"]
        shutil.rmtree(run, ignore_errors=True)
        done = program.run(*words, str(run), ranks=2)
        if done.returncode not in (0, 79) or len(recovery.checkpoints(run)) > 2:
            break
    return done, words


def broken_off(run, copy):
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(run, copy)
    names = sorted(recovery.checkpoints(copy))
    for name in names[len(names) // 2 + 1:]:
        shutil.rmtree(copy / "ckpt" / name)
    status = recovery.status(copy)
    (copy / "status.json").write_text(json.dumps(dict(status, state="running")))
    return len(names)


def check(program, case):
    """What is wrong with a case, and a word on what was tried."""
    whole, copy = program.folder / "whole", program.folder / "copy"
    make_mesh(case)
    done, words = whole_run(program, case, whole)
    if done.returncode not in (0, 79):
        return "", f"ends with {done.returncode} anyhow"
    if len(recovery.checkpoints(whole)) < 2:
        return "", "has no steps"
    for ranks, tolerance in ((2, 0), (1, ON_OTHER_RANKS), (3, ON_OTHER_RANKS)):
        n = broken_off(whole, copy)
        again = program.run(*words, str(copy), ranks=ranks)
        if again.returncode != done.returncode:
            return f"rc {again.returncode} on {ranks}: {again.stderr.strip()[-300:]}", ""
        if "goes on from checkpoint" not in again.stdout:
            return f"on {ranks} it began at the start", ""
        different = program.differences(whole, copy, tolerance)
        if different:
            return f"on {ranks}: {different}", ""
    return "", f"{n} checkpoints"


def main():
    program = recovery.Program(sys.argv[1])
    names = sys.argv[2:]
    wrong = tried = 0
    try:
        for case in sorted([*ROOT.glob("validation/*/*.yaml"), *ROOT.glob("configs/*.yaml")]):
            if not has_steps(case) or (names and not any(name in str(case) for name in names)):
                continue
            began = time.monotonic()
            try:
                fault, note = check(program, case)
            except recovery.subprocess.TimeoutExpired:
                fault, note = "", f"takes longer than {recovery.LONGEST} s"
            tried += note.endswith("checkpoints")
            wrong += bool(fault)
            print(f"{'WRONG' if fault else 'right'} {case.relative_to(ROOT)}: {fault or note} "
                  f"({time.monotonic() - began:.1f} s)", flush=True)
    finally:
        program.remove()
    print(f"{tried} cases gone on with, {wrong} wrong")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
