"""h5py finds in a results file what the VTKHDF format asks for, and the values that were written.

usage: check_h5py.py DRIVER"""
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from samples import CELL_MEASURES, on_ranks, sample_values


def write(driver, ranks, *arguments):
    subprocess.run(on_ranks(ranks, driver, *arguments), check=True, timeout=300, capture_output=True)


def check_mesh(vtk):
    n_points, n_cells = int(vtk["NumberOfPoints"][0]), int(vtk["NumberOfCells"][0])
    offsets, connectivity = vtk["Offsets"][:], vtk["Connectivity"][:]
    assert vtk["Points"].shape == (n_points, 3) and vtk["Points"].dtype == np.float64
    assert vtk["Types"].shape == (n_cells,) and vtk["Types"].dtype == np.uint8
    assert offsets.shape == (n_cells + 1,) and offsets[0] == 0 and offsets[-1] == len(connectivity)
    assert int(vtk["NumberOfConnectivityIds"][0]) == len(connectivity)
    assert connectivity.min() >= 0 and connectivity.max() < n_points
    assert vtk["PointData/node_id"].dtype == np.int64 and vtk["CellData/cell_tag"].shape == (n_cells,)
    return n_points, n_cells


def check_values(vtk, n_points, step, begin):
    points = vtk["Points"][:]
    for name, right in sample_values(points, step).items():
        found = vtk["PointData/" + name][begin:begin + n_points]
        assert found.shape == right.shape and (found == right).all(), f"{name} is wrong at step {step}"


def one_state(driver, path):
    with h5py.File(path, "r") as file:
        vtk = file["VTKHDF"]
        assert list(vtk.attrs["Version"]) == [1, 0] and vtk.attrs["Type"] == b"UnstructuredGrid"
        assert "Steps" not in vtk
        n_points, n_cells = check_mesh(vtk)
        assert n_cells == len(CELL_MEASURES)
        check_values(vtk, n_points, 0, 0)
        assert vtk["PointData/stress"].attrs["unit"] == b"Pa"
        assert file["trestle/step_names"][0] == b"case 0"


def several_steps(path, n_steps):
    with h5py.File(path, "r") as file:
        vtk, steps = file["VTKHDF"], file["VTKHDF/Steps"]
        assert list(vtk.attrs["Version"]) == [2, 0] and steps.attrs["NSteps"] == n_steps
        n_points, _ = check_mesh(vtk)
        assert list(steps["Values"][:]) == [0.5 * step for step in range(n_steps)]
        assert (steps["NumberOfParts"][:] == 1).all() and (steps["PartOffsets"][:] == 0).all()
        assert (steps["PointOffsets"][:] == 0).all()
        for name in ("CellOffsets", "ConnectivityIdOffsets"):
            assert steps[name].shape == (n_steps, 1) and (steps[name][:] == 0).all()
        for step in range(n_steps):
            for name in ("temperature", "displacement", "stress"):
                assert steps["PointDataOffsets/" + name][step] == step * n_points
            check_values(vtk, n_points, step, step * n_points)
        assert list(file["trestle/step_names"][:]) == [b"case %d" % step for step in range(n_steps)]
        # Pages of a chunk belong to one rank only when the chunk begins with a page.
        for name in ("temperature", "displacement", "stress"):
            data = vtk["PointData/" + name].id
            assert all(data.get_chunk_info(i).byte_offset % 4096 == 0 for i in range(data.get_num_chunks()))


def main():
    driver = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (1, 3):
            cells, cube = f"{folder}/cells{ranks}.hdf", f"{folder}/cube{ranks}.hdf"
            write(driver, ranks, "cells", cells)
            one_state(driver, cells)
            write(driver, ranks, "cube", cube, "3", "12")
            several_steps(cube, 3)
    print("h5py", h5py.__version__, "reads what was written on 1 and 3 ranks")


if __name__ == "__main__":
    main()
