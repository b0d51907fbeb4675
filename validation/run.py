#!/usr/bin/env python3
"""Runs the validation cases at several numbers of ranks and prints one table of value, reference, error and band.

    validation/run.py [--trestle build/release/trestle] [--quick] [--html FILE] [NAME ...]

Each folder holds case.yaml, whose `expect` entries are the references, and may hold runs.json:
  ranks     the numbers of ranks, [1, 2, 4] when missing
  runs      variants: a name, `set` (overrides of the case), `warning` (a pattern that a warning must match),
            `exit` and `error` (the exit code and a pattern of the message of a case that must be refused),
            `mms` and `order` (options of trestle mms, and the order of convergence, which is met within 0.1), `case` (another file)
  iterations_over_ranks  times the iterations on the fewest ranks that the others may take. With it every run prints its
            iterations instead of comparing norms, and a run's `growth: {of: NAME, at_most: F}` bounds them by another's
  imbalance the most that the energy of a motion, or what flows through a body, may be out of balance, also in a run
  condition the condition number of the matrix, where it is so large that rounding moves the solution (below)
A folder with deck.inp and deck.dat, what CalculiX printed for it, is run by CalculiX again where that is installed (ccx).
--quick takes 1 and 2 ranks, or the largest alone, and leaves out nothing else. Exits with 1 when anything is missed.
--html writes the table as a page, with a picture of one run of each folder where there is VTK for Python.

The norm of the solution agrees over ranks to 1e-10, in double at a tolerance of 1e-12 or less, which every case asks for. Where
a case states its condition number, two solutions may differ by 2 condition u, because each is off by condition u at most: u is
1.1e-16 in double, where the matrix holds no more, and the tolerance of the residual in single. The README of such a case
derives the number. Modal analyses compare frequencies in the same way instead.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import page

HERE = pathlib.Path(__file__).resolve().parent


def environment():
    return dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_mpi_yield_when_idle="1")  # ranks that wait leave their core to others


class Places:
    """Programs begin in turn, each once its ranks find free places; one with more ranks than there are places waits for all of them."""

    def __init__(self, count):
        self.count = self.free = count
        self.turn = threading.Lock()
        self.changed = threading.Condition()

    @contextlib.contextmanager
    def taken(self, ranks):
        wanted = min(ranks, self.count)
        with self.turn, self.changed:
            self.changed.wait_for(lambda: self.free >= wanted)
            self.free -= wanted
        try:
            yield
        finally:
            with self.changed:
                self.free += wanted
                self.changed.notify()


# Two for each core: a program of a second waits half of it, for its launcher, its disk and its other ranks.
PLACES = Places(2 * len(os.sched_getaffinity(0)))


def launch(trestle, arguments, ranks, places):
    """Runs the program once `places` of them are free."""
    command = [str(trestle), *arguments]
    if ranks > 1:
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", str(ranks), *command]
    with PLACES.taken(places):
        return subprocess.run(command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=900)


class Table:
    """Rows of one folder or of all, and whether one of them is bad."""

    def __init__(self):
        self.bad = 0
        self.good = 0
        self.rows = []

    def row(self, case, ranks, what, value, reference, band, ok):
        error = abs(value - reference) if isinstance(value, float) else ""
        cells = [f"{x:.10g}" if isinstance(x, float) else str(x) for x in (value, reference, error, band)]
        self.rows.append((case, ranks, what, *cells, bool(ok)))
        self.good += ok
        self.bad += not ok

    def append(self, other):
        """Prints the rows of `other`, too."""
        for case, ranks, what, value, reference, error, band, ok in other.rows:
            print(f"{'ok  ' if ok else 'BAD '} {case:34} {ranks:>2}  {what:34} {value:>17} {reference:>17} {error:>12} {band:>12}", flush=True)
        self.rows += other.rows
        self.good += other.good
        self.bad += other.bad


def check_report(table, label, ranks, report, variant):
    for e in report.get("expectations", []):
        table.row(label, ranks, e["what"], e["value"], e["reference"], e["tolerance"], e["met"])
    if "warning" in variant:
        found = any(re.search(variant["warning"], w) for w in report.get("warnings", []))
        table.row(label, ranks, "warning", variant["warning"] if found else "none", variant["warning"], "", found)


def check_energy(table, label, ranks, report, imbalance):
    """The energy of a motion, or what flows through a body, is out of balance by no more than this, relative to the largest part."""
    value = abs((report.get("energy") or report["balance"])["imbalance"])
    table.row(label, ranks, "out of balance", value, 0.0, imbalance, value <= imbalance)


def check_refusal(table, label, ranks, done, variant):
    table.row(label, ranks, "exit code", done.returncode, variant["exit"], "", done.returncode == variant["exit"])
    for pattern in variant.get("error", []):
        found = re.search(pattern, done.stderr) is not None
        table.row(label, ranks, "message", "matches" if found else done.stderr.strip()[:300], pattern, "", found)


def tolerance_of(resolved):
    """The tolerance of the solver in the resolved copy of a case; 0 where no system is solved."""
    found = re.search(r"^solver:\n(?:  .*\n)*?  tolerance: (.*)$", resolved, re.MULTILINE)
    return float(found[1]) if found else 0


def check_norms(table, label, condition, norms, reports, tolerances):
    """`norms`, `reports` and `tolerances` by ranks."""
    first = next(iter(norms.values()), None)
    for ranks, norm in norms.items():
        single = reports[ranks]["precision"] == "single"
        agree = max(1e-10, 2 * condition * (tolerances[ranks] if single else 1.1e-16))
        if not single and tolerances[ranks] > 1e-12:
            table.row(label, ranks, "tolerance of the solver", tolerances[ranks], 1e-12, "", False)
        if not abs(norm - first) <= agree * abs(first):
            table.row(label, ranks, "norm of the solution", norm, first, agree, False)


def check_frequencies(table, label, condition, reports):
    """The frequencies of modes agree over ranks as norms do; those of motions without strain are 0."""
    first = next(iter(reports.values()), None)
    agree = max(1e-10, 2 * condition * 1.1e-16)
    for ranks, report in reports.items():
        for mode, reference in zip(report["modes"], first["modes"]):
            f, f0 = mode["frequency_hz"], reference["frequency_hz"]
            if not abs(f - f0) <= agree * f0:
                table.row(label, ranks, f"mode {mode['number']} over ranks", f, f0, agree, False)
        counted = report["modal"]["complete"] or report["modal"]["eigensolver"] == "lobpcg"
        table.row(label, ranks, "number of modes", len(report["modes"]), len(first["modes"]), "",
                  len(report["modes"]) == len(first["modes"]) and counted)


def check_iterations(table, label, reports, variant, runs, counts):
    """`counts` keeps what the runs before took on their fewest ranks, by name."""
    taken = {ranks: report["solves"][0]["iterations"] for ranks, report in reports.items()}
    if not taken:
        return
    first = counts[variant["name"]] = next(iter(taken.values()))
    factor = runs["iterations_over_ranks"]
    for ranks, count in taken.items():
        table.row(label, ranks, "iterations", count, first, f"x {factor}", count <= max(factor * first, first + 1))
    if "growth" in variant:
        of, at_most = variant["growth"]["of"], variant["growth"]["at_most"]
        table.row(label, next(iter(taken)), "iterations of the coarse mesh", first, counts.get(of, "none"), f"x {at_most}",
                  of in counts and first <= at_most * counts[of])


def check_order(table, trestle, folder, variant, label, ranks):
    """The observed order of the two finest levels is that of the theory."""
    with tempfile.TemporaryDirectory() as where:
        path = pathlib.Path(where) / "mms.json"
        arguments = ["mms", str(folder / variant.get("case", "case.yaml")), "--json", str(path), *variant["mms"]]
        for override in variant.get("set", []):
            arguments += ["--set", override]
        done = launch(trestle, arguments, ranks, ranks)
        if done.returncode != 0:
            table.row(label, ranks, "mms", f"exit {done.returncode}: {done.stderr.strip()[:300]}", "exit 0", "", False)
            return
        order = json.loads(path.read_text())["levels"][-1]["order"]
    value = float("nan") if order is None else order
    table.row(label, ranks, "order of convergence", value, float(variant["order"]), 0.1, abs(value - variant["order"]) <= 0.1)


def run_variant(table, trestle, folder, variant, all_ranks, runs, counts, pictures):
    label = folder.name + (" " + variant["name"] if variant["name"] else "")
    if "mms" in variant:
        for ranks in all_ranks:
            check_order(table, trestle, folder, variant, label, ranks)
        return
    norms, reports, tolerances = {}, {}, {}
    for ranks in all_ranks:
        with tempfile.TemporaryDirectory() as where:
            arguments = ["run", str(folder / variant.get("case", "case.yaml")), "--output", f"{where}/run"]
            for override in variant.get("set", []):
                arguments += ["--set", override]
            # A launcher whose ranks fail mostly waits.
            done = launch(trestle, arguments, ranks, 0 if "exit" in variant else ranks)
            if "exit" in variant:
                check_refusal(table, label, ranks, done, variant)
                continue
            path = pathlib.Path(where) / "run" / "report.json"
            if done.returncode not in (0, 79) or not path.exists():
                table.row(label, ranks, "run", f"exit {done.returncode}: {done.stderr.strip()[:300]}", "exit 0", "", False)
                continue
            report = json.loads(path.read_text())
            check_report(table, label, ranks, report, variant)
            if "imbalance" in runs:
                check_energy(table, label, ranks, report, variant.get("imbalance", runs["imbalance"]))
            norms[ranks] = next(iter(report["solution_l2"].values()))
            reports[ranks] = report
            tolerances[ranks] = tolerance_of((path.parent / "case.yaml").read_text())
            pictures.take(folder.name, path.parent, report)
    if "iterations_over_ranks" in runs:
        check_iterations(table, label, reports, variant, runs, counts)
    elif any("modes" in report for report in reports.values()):
        check_frequencies(table, label, runs.get("condition", 1), reports)
    else:
        check_norms(table, label, runs.get("condition", 1), norms, reports, tolerances)


def printed(path):
    """The rows of numbers in a .dat file of CalculiX, each behind the id of its node."""
    rows = [line.split() for line in path.read_text().splitlines()]
    return {row[0]: [float(x) for x in row[1:]] for row in rows if row and row[0].isdigit()}


def check_calculix(table, folder):
    """The stored values are what CalculiX gives today, to the digits that it prints."""
    if not (folder / "deck.dat").exists() or shutil.which("ccx") is None:
        return
    with tempfile.TemporaryDirectory() as where:
        shutil.copy(folder / "deck.inp", where)
        with PLACES.taken(1):
            subprocess.run(["ccx", "-i", "deck"], cwd=where, env=environment(), stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, check=True, timeout=300)
        stored, again = printed(folder / "deck.dat"), printed(pathlib.Path(where) / "deck.dat")
    largest = max(abs(x) for row in stored.values() for x in row)
    same = stored.keys() == again.keys()
    difference = max((abs(x - y) for node in stored for x, y in zip(stored[node], again[node])), default=0.0) if same else float("inf")
    table.row(folder.name, 1, "CalculiX, difference to deck.dat", difference, 0.0, 1e-6 * largest, difference <= 1e-6 * largest)


class Unit:
    """Variants of one folder that run one after another: all where iterations are compared, else one."""

    def __init__(self, folder, runs, numbers):
        self.folder, self.runs, self.numbers = folder, runs, numbers

    def run(self, trestle, quick, pictures):
        """Their table."""
        table, counts = Table(), {}
        if 0 in self.numbers:
            check_calculix(table, self.folder)
        for number in self.numbers:
            variant = variants_of(self.runs)[number]
            ranks = variant.get("ranks", self.runs.get("ranks", [1, 2, 4]))
            if quick:
                ranks = ranks[:2] if number == 0 else [ranks[min(1, len(ranks) - 1)]]
            run_variant(table, trestle, self.folder, variant, ranks, self.runs, counts, pictures)
        return table


def variants_of(runs):
    return runs.get("runs", [{"name": ""}])


def units_of(folder):
    runs = json.loads((folder / "runs.json").read_text()) if (folder / "runs.json").exists() else {}
    numbers = range(len(variants_of(runs)))
    return [Unit(folder, runs, numbers)] if "iterations_over_ranks" in runs else [Unit(folder, runs, [number]) for number in numbers]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trestle", default=HERE.parent / "build/release/trestle", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--html", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    folders = [p.parent for p in sorted(HERE.glob("*/README.md")) if not arguments.names or p.parent.name in arguments.names]
    table, pictures = Table(), page.Pictures(arguments.html is not None)
    units = [unit for folder in folders for unit in units_of(folder)]
    # More units than places at a time: while one of them reads what a program left, a place would be empty.
    with concurrent.futures.ThreadPoolExecutor(2 * PLACES.count) as pool:
        for done in pool.map(lambda unit: unit.run(arguments.trestle.resolve(), arguments.quick, pictures), units):
            table.append(done)
    if arguments.html is not None:
        page.write(arguments.html, table.rows, pictures)
    print(f"{table.good} passed, {table.bad} failed")
    return 1 if table.bad or not table.good else 0


if __name__ == "__main__":
    sys.exit(main())
