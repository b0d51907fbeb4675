"""A disk that is full, too small or broken ends the writer with exit code 74, and leaves the announced steps readable.

usage: check_full_disk.py DRIVER
Full disks are small tmpfs mounts (root only, else skipped), file-size limits, and errors that strace injects."""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]
LIMIT_S = 60  # a hang is a failure
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


def full_disk(driver, folder):
    path = os.path.join(folder, "results.hdf")
    for kib, least in ((200, 0), (2000, 0), (8500, 1)):  # no tables; no mesh; one step of 4
        for ranks in (1, 2):
            with small_disk(folder, kib):
                result = run(MPIRUN + ["-n", str(ranks), driver, "cube", path, "4", "30"])
                expect_74(driver, path, result, "No space left", least)


def file_size_limit(driver, folder):
    path = os.path.join(folder, "results.hdf")
    for mib in (1, 9):
        for ranks in (1, 2):
            if os.path.exists(path):
                os.remove(path)
            result = run(MPIRUN + ["-n", str(ranks), driver, "cube", path, "4", "30"],
                         env=os.environ | {"RESULTS_FILE_LIMIT": str(mib << 20)})
            expect_74(driver, path, result, "File too large")


def injected(driver, folder):
    """A call fails from its n-th time on, on rank 0 alone, or on rank 1 of 2."""
    path = os.path.join(folder, "results.hdf")
    cases = [(0, "pwrite64", "ENOSPC", n) for n in (3, 60, 90, 130)]
    cases += [(0, "fsync", "EIO", n) for n in (1, 5, 8)] + [(0, "fallocate", "ENOSPC", 3)]
    cases += [(1, "pwrite64", "EIO", n) for n in (1, 14)] + [(1, "fsync", "EIO", 3)]
    for rank, call, error, n in cases:
        if os.path.exists(path):
            os.remove(path)
        program = [driver, "cube", path, "4", "16"]
        strace = ["strace", "-f", "-P", path, "-o", "/dev/null", "-e", "trace=" + call, "-e",
                  f"inject={call}:error={error}:when={n}+"]
        parts = [["-n", "1"] + (strace if r == rank else []) + program for r in range(1 + rank)]
        result = run(MPIRUN + [word for part in parts for word in part + [":"]][:-1])
        word = {"ENOSPC": "No space left", "EIO": "Input/output error"}[error]
        try:
            expect_74(driver, path, result, word)
        except AssertionError as failure:
            raise AssertionError(f"{call} {error} from {n} on, on rank {rank}: {failure}") from failure


def main():
    driver = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file_size_limit(driver, folder)
        print("file-size limit: right")
        if shutil.which("strace"):
            injected(driver, folder)
            print("injected errors: right")
        else:
            print("injected errors: skipped, strace is not installed")
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0 and run(["mount", "-t", "tmpfs", "tmpfs", folder]).returncode == 0:
            run(["umount", folder]).check_returncode()
            full_disk(driver, folder)
            print("full disk: right")
        else:
            print("full disk: skipped, it needs root to mount a small one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
