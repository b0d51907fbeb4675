"""Processes of the program under test: their environment, how they start on some ranks, and which of them are alive."""
import os
import pathlib

# A job of Slurm in which tests run is not the job of the runs that they start.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
ENVIRONMENT.update(OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")  # ranks that wait leave their core to others
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q"]


def command(program, arguments, ranks=1):
    """One rank runs without a launcher."""
    return [*([*MPIRUN, "-n", str(ranks)] if ranks > 1 else []), str(program), *map(str, arguments)]


def ranks_of(program, folder):
    """Process ids of the ranks whose case lies in `folder`, in the order of ranks where a launcher tells it."""
    found = []
    for entry in filter(lambda entry: entry.name.isdigit(), pathlib.Path("/proc").iterdir()):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if len(words) < 3 or words[0] != os.fsencode(program) or os.fsencode(folder) not in words[2]:
                continue
            environment = dict(pair.split(b"=", 1) for pair in (entry / "environ").read_bytes().split(b"\0") if b"=" in pair)
        except OSError:
            continue
        found.append((int(environment.get(b"OMPI_COMM_WORLD_RANK", b"0")), int(entry.name)))
    return [process for _, process in sorted(found)]
