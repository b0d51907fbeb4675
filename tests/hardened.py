#!/usr/bin/env python3
"""Fails when a program lacks what makes faults hard to exploit: a position-independent program, full RELRO, no executable
stack, stack protectors and checked library calls.

    hardened.py PROGRAM
"""
import re
import subprocess
import sys


def readelf(option, program):
    return subprocess.run(["readelf", option, "-W", program], check=True, capture_output=True, text=True).stdout


def faults(program):
    dynamic, segments = readelf("-d", program), readelf("-l", program)
    symbols = readelf("--dyn-syms", program)
    if not re.search(r"Type:\s+DYN", readelf("-h", program)) or "PIE" not in dynamic:
        yield "no position-independent program (-fPIE -pie)"
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic):
        yield "no full RELRO (-Wl,-z,relro,-z,now)"
    stack = re.search(r"GNU_STACK\s+(?:0x\S+\s+){5}(\S+)", segments)
    if not stack or "E" in stack[1]:
        yield "an executable stack"
    if "TEXTREL" in dynamic:
        yield "relocations in the code"
    if "__stack_chk_fail" not in symbols:
        yield "no stack protector (-fstack-protector-strong)"
    if not re.search(r"__\w+_chk\b", symbols):
        yield "no checked library calls (-D_FORTIFY_SOURCE=2)"


def main(program):
    found = list(faults(program))
    for fault in found:
        print(f"{program}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
