"""A disk that is full, too small or broken ends the writer with exit code 74, and leaves the announced steps readable.

usage: check_full_disk.py DRIVER
Full disks are small tmpfs mounts (root only, else skipped), file-size limits, and errors that strace injects."""
import concurrent.futures
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

from samples import MPIRUN, on_ranks

LIMIT_S = 300  # a hang is a failure; a busy machine is slow
IO_ERROR = 74


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, **options)


def check(driver, path, announced):
    """The steps that were announced are there, right to the last bit."""
    result = run([driver, "check", path])
    if announced == 0 and result.returncode in (65, 66):
        return
    assert result.returncode == 0, result.stderr
    assert int(result.stdout.split()[-1]) >= announced, f"{announced} steps announced, {result.stdout}"


def expect_74(driver, path, result, word, least_announced=0):
    announced = result.stdout.count("step ")
    what = f"exit {result.returncode}, {announced} steps\n{result.stderr}"
    assert result.returncode == IO_ERROR, what
    assert word in result.stderr, what
    assert "HDF5-DIAG" not in result.stderr and "infinite loop" not in result.stderr, what
    assert announced >= least_announced, what
    check(driver, path, announced)


@contextlib.contextmanager
def small_disk(folder, kib):
    run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder]).check_returncode()
    try:
        yield
    finally:
        run(["umount", folder]).check_returncode()


def full_disk(driver, folder, kib, least, ranks):
    with small_disk(folder, kib):
        path = os.path.join(folder, "results.hdf")
        result = run(on_ranks(ranks, driver, "cube", path, "4", "30"))
        expect_74(driver, path, result, "No space left", least)


def file_size_limit(driver, folder, mib, ranks):
    path = os.path.join(folder, "results.hdf")
    result = run(on_ranks(ranks, driver, "cube", path, "4", "30"),
                 env=os.environ | {"RESULTS_FILE_LIMIT": str(mib << 20)})
    expect_74(driver, path, result, "File too large")


def injected(driver, folder, rank, call, error, n):
    """A call fails from its n-th time on, on rank 0 alone, or on rank 1 of 2."""
    path = os.path.join(folder, "results.hdf")
    program = [driver, "cube", path, "4", "16"]
    strace = ["strace", "-f", "-P", path, "-o", "/dev/null", "-e", "trace=" + call, "-e",
              f"inject={call}:error={error}:when={n}+"]
    result = run(strace + program if rank == 0 else [*MPIRUN, "-n", "1", *program, ":", "-n", "1", *strace, *program])
    word = {"ENOSPC": "No space left", "EIO": "Input/output error"}[error]
    expect_74(driver, path, result, word)


LIMITS = [(file_size_limit, mib, ranks) for mib in (1, 9) for ranks in (1, 2)]
INJECTED = [(injected, 0, "pwrite64", "ENOSPC", n) for n in (3, 60, 90, 130)]
INJECTED += [(injected, 0, "fsync", "EIO", n) for n in (1, 5, 8)] + [(injected, 0, "fallocate", "ENOSPC", 3)]
INJECTED += [(injected, 1, "pwrite64", "EIO", n) for n in (1, 14)] + [(injected, 1, "fsync", "EIO", 3)]
# No room for the tables; for the mesh; for more than one step of 4.
FULL_DISKS = [(full_disk, kib, least, ranks) for kib, least in ((200, 0), (2000, 0), (8500, 1)) for ranks in (1, 2)]


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0 or run(["mount", "-t", "tmpfs", "tmpfs", folder]).returncode != 0:
            return False
        run(["umount", folder]).check_returncode()
        return True


def check_one(driver, one):
    check_it, *options = one
    with tempfile.TemporaryDirectory() as folder:
        try:
            check_it(driver, folder, *options)
        except AssertionError as failure:
            raise AssertionError(f"{check_it.__name__} {options}: {failure}") from failure


def main():
    driver = sys.argv[1]
    groups = {"file-size limit": (LIMITS, True, ""),
              "injected errors": (INJECTED, shutil.which("strace"), "strace is not installed"),
              "full disk": (FULL_DISKS, can_mount(), "it needs root to mount a small one")}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # they mostly wait
        begun = {name: [pool.submit(check_one, driver, one) for one in group] for name, (group, possible, _) in groups.items() if possible}
        for name, (_, _, lacking) in groups.items():
            for one in begun.get(name, []):
                one.result()
            print(f"{name}: {'right' if name in begun else 'skipped, ' + lacking}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
