"""Kills the writer of a results file by SIGKILL at its system calls; whatever was announced must be readable.

usage: check_crash.py DRIVER [--points N]        (N kill points spread over the run; 0: every one)
A step is announced when the driver has printed it. Afterwards our own reader must find at least as many steps, all
with right values and checksums, and so must h5py."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import h5py

from samples import MPIRUN, SKIP

CALLS = ["pwrite64", "fsync", "ftruncate", "fallocate"]
STEPS, CELLS = 4, 10


def run_traced(arguments, path, extra):
    strace = ["strace", "-f", "-P", path, "-o", path + ".log", "-e", "trace=" + ",".join(CALLS)] + extra
    return subprocess.run(strace + arguments, capture_output=True, text=True, timeout=300)


def calls_on_file(log):
    """Kill points: (call, n) for the n-th time that it is made."""
    with open(log) as lines:
        made = [match.group(1) for line in lines if (match := re.match(r"\d+ +(\w+)\(", line))]
    return [(call, n + 1) for call in CALLS for n in range(made.count(call))]


def readable_steps(driver, path):
    """Steps that our reader finds, all values right; -1 when it refuses the file."""
    result = subprocess.run([driver, "check", path], capture_output=True, text=True, timeout=300)
    if result.returncode in (65, 66):
        return -1
    assert result.returncode == 0, f"check ended with {result.returncode}: {result.stderr}"
    return int(result.stdout.split()[-1])


def h5py_steps(path):
    with h5py.File(path, "r") as file:
        vtk = file["VTKHDF"]
        n_points = int(vtk["NumberOfPoints"][0])
        n = int(vtk["Steps"].attrs["NSteps"])
        for step in range(n):
            values = vtk["PointData/temperature"][step * n_points:(step + 1) * n_points]
            assert values[0] == 1e6 * step and values[-1] == 1e6 * step + n_points - 1, f"step {step} is wrong in h5py"
        return n


def check_file(driver, path, announced, where):
    """The file after a kill: as many steps as were announced, or more."""
    if not os.path.exists(path):
        assert announced == 0, f"{where}: {announced} steps announced, no file"
        return
    found = readable_steps(driver, path)
    assert announced == 0 or found >= announced, f"{where}: {announced} steps announced, {found} readable"
    if announced:
        assert h5py_steps(path) == found, f"{where}: h5py finds another number of steps"
    os.remove(path)


def kill_at(driver, path, call, n):
    result = run_traced([driver, "cube", path, str(STEPS), str(CELLS)], path,
                        ["-e", f"inject={call}:signal=KILL:when={n}"])
    assert result.returncode < 0 or result.returncode == 137, f"not killed at {call} {n}"
    announced = result.stdout.count("step ")
    check_file(driver, path, announced, f"kill at {call} {n}")
    return announced


def kill_second_rank(driver, path, n):
    """Rank 1 of 2 dies at its n-th slice; mpirun ends rank 0."""
    program = [driver, "cube", path, str(STEPS), str(CELLS)]
    strace = ["strace", "-f", "-P", path, "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
              f"inject=pwrite64:signal=KILL:when={n}"]
    result = subprocess.run(MPIRUN + ["-n", "1"] + program + [":", "-n", "1"] + strace + program,
                            capture_output=True, text=True, timeout=300)
    assert result.returncode != 0, f"rank 1 was not killed at slice {n}"
    announced = result.stdout.count("step ")
    check_file(driver, path, announced, f"rank 1 killed at slice {n}")
    return announced


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--points", type=int, default=12)
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("skipped: strace is not installed (apt-get install strace)")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.hdf")
        whole = run_traced([options.driver, "cube", path, str(STEPS), str(CELLS)], path, [])
        if whole.returncode != 0 and "ptrace" in whole.stderr.lower():
            print("skipped: strace may not trace here:", whole.stderr.strip())
            return SKIP
        assert whole.stdout.count("step ") == STEPS, whole.stderr
        points = calls_on_file(path + ".log")
        assert len(points) > 40, f"only {len(points)} system calls on the file: the trace is not right"
        n = options.points if options.points else len(points)
        chosen = [points[i] for i in sorted({i * (len(points) - 1) // max(1, n - 1) for i in range(n)})]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # they mostly wait
            second = pool.map(lambda n: kill_second_rank(options.driver, f"{folder}/second-{n}.hdf", n), (1, 12, 17))
            seen = list(pool.map(lambda point: kill_at(options.driver, f"{folder}/{point[0]}-{point[1]}.hdf", *point), chosen))
            print(f"{len(chosen)} of {len(points)} kill points right; announced steps at each: {seen}")
            print("rank 1 of 2 killed; announced steps:", list(second))
        assert set(seen) >= {0, STEPS - 1}, "the kill points do not reach from the first call to the last step"
    return 0


if __name__ == "__main__":
    sys.exit(main())
