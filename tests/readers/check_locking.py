"""Locks on a results file: others may read while we write; a lock that cannot be had is explained.

usage: check_locking.py DRIVER"""
import fcntl
import os
import subprocess
import sys
import tempfile


def run(driver, *arguments, **environment):
    return subprocess.run([driver, *arguments], capture_output=True, text=True, timeout=60,
                          env=os.environ | environment)


def main():
    driver = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/results.hdf"
        written = run(driver, "cube", path, "2", "4", HDF5_USE_FILE_LOCKING="TRUE")
        assert written.returncode == 0, written.stderr
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as another program that insists on being alone
            free = run(driver, "check", path)
            assert free.returncode == 0 and free.stdout == "right 2\n", free.stderr
            forced = run(driver, "check", path, HDF5_USE_FILE_LOCKING="TRUE")
            assert forced.returncode == 74, forced.stderr
            assert "HDF5_USE_FILE_LOCKING=FALSE" in forced.stderr, forced.stderr
        after = run(driver, "check", path, HDF5_USE_FILE_LOCKING="TRUE")
        assert after.returncode == 0, after.stderr
    print("locks: right")


if __name__ == "__main__":
    main()
