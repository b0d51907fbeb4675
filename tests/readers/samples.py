"""The values that results_driver writes (sample_results.hpp), for readers in Python."""
import numpy as np

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]
SKIP = 77  # of ctest


def on_ranks(ranks, *words):
    """The command of a program on some ranks; one rank runs without a launcher."""
    return [*([*MPIRUN, "-n", str(ranks)] if ranks > 1 else []), *words]


# Cells of `results_driver cells`, in order, with the area or volume of the reference cell.
CELL_MEASURES = [("tri3", 0.5), ("tri6", 0.5), ("quad4", 4), ("quad8", 4), ("quad9", 4), ("tet4", 1 / 6),
                 ("tet10", 1 / 6), ("hex8", 8), ("hex20", 8), ("hex27", 8), ("prism6", 1), ("prism15", 1),
                 ("prism18", 1), ("pyramid5", 4 / 3), ("pyramid13", 4 / 3), ("pyramid14", 4 / 3)]


def sample_values(points, step):
    """{field: values} at [point, 3] in a step."""
    n = len(points)
    sums = points[:, 0] + 2 * points[:, 1] + 3 * points[:, 2]
    return {"temperature": np.arange(n) + 1e6 * step,
            "displacement": points * (step + 1),
            "stress": np.arange(1, 7)[None, :] * sums[:, None] + 100 * step}
