#!/usr/bin/env python3
"""Writes 345 mutations of small valid meshes, the same ones for the same seed: cut, flipped, with lying numbers.

    mutated_meshes.py FOLDER [--seed 20] [--number 345]
"""
import argparse
import pathlib
import random
import re

MESHES = pathlib.Path(__file__).parent.parent / "io/meshes"
BASES = ("mixed22.msh", "mixed41.msh", "mixed3d_41.msh", "mixed3d_41bin.msh", "enc22_le.msh", "enc41_be.msh", "hex20_22.msh",
         "periodic41.msh", "multi41_bin.msh", "plate.inp", "c3d20.inp")
LIES = (b"-1", b"0", b"1", b"2", b"4294967295", b"-3", b"9223372036854775807", b"18446744073709551616", b"nan", b"inf", b"1e400",
        b"1e-400", b"", b"999", b"1000000000000", b"0x10", b"3.5", b"\xff")


def cut(rng, data):
    return data[:rng.randrange(len(data))]


def flip(rng, data):
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def lie(rng, data):
    numbers = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not numbers:
        return flip(rng, data)
    for found in sorted(rng.sample(numbers, min(len(numbers), rng.randint(1, 2))), key=lambda m: -m.start()):
        data = data[:found.start()] + rng.choice(LIES) + data[found.end():]
    return data


def move_lines(rng, data):
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return b"\n".join(lines)


def blow_up(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) * rng.choice((1, 8, 1000)) + data[at:]


def mutations(seed, number):
    rng = random.Random(seed)
    for i in range(number):
        name = BASES[i % len(BASES)]
        change = (cut, flip, lie, lie, lie, move_lines, blow_up)[rng.randrange(7)]
        yield f"{i:03}-{change.__name__}-{name}", change(rng, (MESHES / name).read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--number", type=int, default=345)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, data in mutations(arguments.seed, arguments.number):
        (arguments.folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
