"""A field of more than 2^31 bytes, written by one rank and by two, comes back to the last bit.

usage: check_large.py DRIVER
Slow (7 minutes on two busy cores; a file of 6.5 GB in TMPDIR, 15 GB of memory): skipped unless TRESTLE_SLOW_TESTS is set."""
import os
import resource
import subprocess
import sys
import tempfile
import time

import h5py

from samples import on_ranks

N_NUMBERS = 275_000_000 + 1000


def peak_gb():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9


def main(driver):
    if not os.environ.get("TRESTLE_SLOW_TESTS"):
        print("skipped: set TRESTLE_SLOW_TESTS=1 to run it")
        return 77
    for ranks in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.hdf")
            start = time.monotonic()
            subprocess.run(on_ranks(ranks, driver, "large", path), check=True, timeout=1200)
            written = time.monotonic()
            out = subprocess.run([driver, "check_large", path], check=True, timeout=1200, capture_output=True, text=True).stdout
            read = time.monotonic()
            assert out == f"last {N_NUMBERS - 1}.000000\n", out
            with h5py.File(path, "r") as file:
                stress = file["VTKHDF/PointData/stress"]
                assert stress.size == N_NUMBERS and stress[-1, -1] == N_NUMBERS - 1
                assert stress.size * 8 > 2**31
            print(f"{ranks} ranks: {os.path.getsize(path) / 1e9:.2f} GB, written in {written - start:.0f} s, read in "
                  f"{read - written:.0f} s, largest process {peak_gb():.1f} GB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
