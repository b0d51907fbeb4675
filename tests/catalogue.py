#!/usr/bin/env python3
"""Fails where docs/faults.md names a test or a validation case that does not exist, or leaves out a fault of its groups.

    catalogue.py ROOT
"""
import pathlib
import re
import sys

GROUPS = {"CFG": 23, "MSH": 20, "NUM": 14, "CKP": 19, "STO": 12, "MPI": 12, "SIG": 6, "SLM": 13, "SPT": 11, "MEM": 2, "SEC": 13}
ROW = re.compile(r"^\| ([A-Z]{3}-\d\d) [^|]*\| (.*) \|$")
TEST = re.compile(r"`(tests/[\w/.]+): (\w+)`")
FOLDER = re.compile(r"`(validation/\w+)`")


def exists(root, file, name):
    try:
        text = (root / file).read_text()
    except OSError:
        return False
    python, gtest = rf"^ *def {name}\(", rf"^TEST(_F|_P)?\(\w+,\s*{name}\)"
    return re.search(python if file.endswith(".py") else rf"{gtest}|\b{name}\(const", text, re.MULTILINE) is not None


def faults(root):
    rows = [found for found in map(ROW.match, (root / "docs/faults.md").read_text().splitlines()) if found]
    listed = [row[1] for row in rows]
    wanted = [f"{group}-{i:02}" for group, n in GROUPS.items() for i in range(1, n + 1)]
    for fault in wanted:
        if listed.count(fault) != 1:
            yield f"{fault} is listed {listed.count(fault)} times"
    for row in rows:
        if row[1] not in wanted:
            yield f"{row[1]} is no fault of the catalogue"
        tests = TEST.findall(row[2])
        folders = FOLDER.findall(row[2])
        if not tests and not folders and len(row[2].split()) < 3:
            yield f"{row[1]} has neither a test nor a reason"
        for file, name in tests:
            if not exists(root, file, name):
                yield f"{row[1]}: {file} has no {name}"
        yield from (f"{row[1]}: there is no {folder}" for folder in folders if not (root / folder / "case.yaml").is_file())


def main():
    wrong = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(wrong) or "every fault has its tests or its reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
