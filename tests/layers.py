#!/usr/bin/env python3
"""Fails when an #include crosses the layers the wrong way, or when #if or cuda* stand outside gpu/.

    layers.py ROOT
"""
import pathlib
import re
import sys

ALLOWED = {
    "core": {"core"},
    "gpu": {"core", "gpu"},
    "mesh": {"core", "gpu", "mesh"},
    "solver": {"core", "gpu", "solver"},
    "fem": {"core", "gpu", "mesh", "solver", "fem"},
    "physics": {"core", "gpu", "mesh", "solver", "fem", "physics"},
    "io": {"core", "gpu", "mesh", "solver", "fem", "physics", "io"},
    "jobs": {"core", "io", "jobs"},
    "app": {"core", "gpu", "mesh", "solver", "fem", "physics", "io", "jobs", "app"},
}


def faults(root):
    for folder, allowed in ALLOWED.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".hpp", ".cpp", ".cu"}:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                where = f"{path.relative_to(root)}:{number}"
                include = re.match(r'\s*#include "([^/"]+)/', line)
                if include and include[1] not in allowed:
                    yield f"{where}: {folder} must not include {include[1]}"
                if folder != "gpu" and re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line):
                    yield f"{where}: conditional compilation outside gpu/"
                if folder != "gpu" and re.search(r"\bcuda[A-Z]\w*|\bcusparse[A-Z]\w*|__CUDA", line):
                    yield f"{where}: CUDA outside gpu/"


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "layers: every include goes the right way")
    sys.exit(1 if found else 0)
