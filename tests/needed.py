#!/usr/bin/env python3
"""Fails when a program needs a CUDA library to start: it must start on machines without CUDA.

    needed.py PROGRAM...
"""
import re
import subprocess
import sys


def needed(program):
    listing = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listing.stdout)


def main(programs):
    faults = 0
    for program in programs:
        libraries = needed(program)
        if not libraries:
            print(f"{program}: no NEEDED entries at all; is it a dynamic program?")
            faults += 1
        for library in libraries:
            if re.match(r"lib(cu(?!rl)|nv)", library):
                print(f"{program}: needs {library}; open it with dlopen instead")
                faults += 1
    return faults


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
