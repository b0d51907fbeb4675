"""Checks an XDMF 3 file and its HDF5 files as a strict reader would.

usage: check_xdmf.py FILE.xdmf...            report faults; exit 1 when there are any
       check_xdmf.py --driver DRIVER         export samples, move the folder, expect no fault; then break the export
                                             in known ways and expect each fault to be found"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import h5py
import numpy as np


# [XdmfTopologyType]: nodes of each code of a Mixed topology; 1, 2, 3 are followed by a count.
NODES = {4: 3, 5: 4, 6: 4, 7: 5, 8: 6, 9: 8, 34: 3, 35: 9, 36: 6, 37: 8, 38: 10, 39: 13, 40: 15, 41: 18, 48: 20,
         49: 24, 50: 27}
COMPONENTS = {"Scalar": 1, "Vector": 3, "Tensor6": 6, "Tensor": 9}


class Checker:
    def __init__(self, path):
        self.path, self.faults, self.names = path, [], None

    def fault(self, text):
        self.faults.append(text)

    def data(self, parent):
        """The array behind the <DataItem> of `parent`, or None."""
        item = parent.find("DataItem")
        if item is None or item.get("Format") != "HDF":
            return self.fault(f"{parent.tag} has no HDF DataItem")
        file, _, dataset = item.text.strip().partition(":/")
        if os.path.isabs(file) or ".." in file.split("/"):
            return self.fault(f"{file}: the path is not relative to the folder")
        where = os.path.join(os.path.dirname(self.path), file)
        if not os.path.isfile(where):
            return self.fault(f"{file} is missing")
        with h5py.File(where, "r") as h5:
            if dataset not in h5:
                return self.fault(f"{dataset} is not in {file}")
            values = h5[dataset][()]
        sizes = tuple(int(n) for n in item.get("Dimensions").split())
        kind = {"Int": "iu", "Float": "f"}[item.get("NumberType")]
        if values.shape != sizes or values.dtype.kind not in kind or values.dtype.itemsize != int(item.get("Precision")):
            return self.fault(f"{dataset}: the text says {item.attrib}, the file {values.shape} {values.dtype}")
        return values

    def topology(self, topology, n_points):
        values, n = self.data(topology), int(topology.get("NumberOfElements"))
        if values is None:
            return
        if topology.get("TopologyType") != "Mixed":
            return self.fault("the topology is not Mixed")
        at = cells = 0
        while at < len(values):
            code = int(values[at])
            if code in (1, 2, 3):
                at, length = at + 1, int(values[at + 1]) if at + 1 < len(values) else 0
                if code == 2 and length != 2:
                    return self.fault(f"code 2 at {at - 1} is not followed by the count 2")
            elif code in NODES:
                length = NODES[code]
            else:
                return self.fault(f"no cell type has the code {code} (at {at})")
            nodes = values[at + 1:at + 1 + length]
            if len(nodes) != length or (nodes < 0).any() or (nodes >= n_points).any():
                return self.fault(f"cell {cells} has bad nodes {nodes}")
            at, cells = at + 1 + length, cells + 1
        if cells != n:
            self.fault(f"{cells} cells, not {n}")

    def grid(self, grid):
        geometry = grid.find("Geometry")
        points = self.data(geometry)
        if points is None:
            return
        columns = {"XYZ": 3, "XY": 2}.get(geometry.get("GeometryType"))
        if points.ndim != 2 or points.shape[1] != columns:
            self.fault(f"geometry {geometry.get('GeometryType')} with {points.shape} numbers")
        self.topology(grid.find("Topology"), len(points))
        n_cells = int(grid.find("Topology").get("NumberOfElements"))
        names = []
        for attribute in grid.findall("Attribute"):
            names.append(attribute.get("Name"))
            values = self.data(attribute)
            if values is None:
                continue
            rows = len(points) if attribute.get("Center") == "Node" else n_cells
            width = COMPONENTS.get(attribute.get("AttributeType"))
            if values.reshape(len(values), -1).shape != (rows, width):
                self.fault(f"{names[-1]}: {attribute.get('AttributeType')} with {values.shape} numbers")
            if not np.isfinite(values).all():
                self.fault(f"{names[-1]} has numbers that are none")
        if len(set(names)) != len(names):
            self.fault(f"fields of the same name: {names}")
        if self.names is not None and names != self.names:
            self.fault(f"the fields change from {self.names} to {names}")
        self.names = names

    def check(self):
        root = xml.parse(self.path).getroot()
        if root.tag != "Xdmf" or not root.get("Version", "").startswith("3"):
            self.fault("no Xdmf of version 3")
        for information in root.iter("Information"):
            if information.get("Value") is None:
                self.fault("Information without Value")
        times = []
        collections = root.findall("Domain/Grid")
        for collection in collections:
            if collection.get("GridType") != "Collection" or collection.get("CollectionType") != "Temporal":
                self.fault("the grids are no temporal collection")
            for grid in collection.findall("Grid"):
                times.append(float(grid.find("Time").get("Value")))
                self.grid(grid)
        if not times:
            self.fault("there is no grid")
        if any(b <= a for a, b in zip(times, times[1:])):
            self.fault(f"times do not grow: {times}")
        return self.faults


def replace_in(path, old, new, count=1):
    with open(path) as file:
        text = file.read()
    assert re.search(old, text), old
    with open(path, "w") as file:
        file.write(re.sub(old, new, text, count=count))


def break_topology(folder):
    with h5py.File(os.path.join(folder, "cube_mesh.h5"), "r+") as file:
        file["topology"][0] = 2


# What users of other codes met [cases O01, O02, O03 of the field]: each must be found.
BREAKS = [("no collection type", lambda f: replace_in(f + "/cube.xdmf", ' CollectionType="Temporal"', "")),
          ("absolute path", lambda f: replace_in(f + "/cube.xdmf", ">cube_mesh", f">{f}/cube_mesh")),
          ("repeated time", lambda f: replace_in(f + "/cube.xdmf", 'Time Value="0.5"', 'Time Value="0"')),
          ("changing names", lambda f: replace_in(f + "/cube.xdmf", 'Name="stress"', 'Name="stress/0"')),
          ("two components as a vector", lambda f: replace_in(f + "/cube.xdmf", '"Vector"', '"Scalar"')),
          ("missing step", lambda f: os.remove(f + "/cube_0001.h5")),
          ("line without its count", break_topology)]


def self_test(driver):
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in (("cells", ["1"]), ("cube", ["3", "4"])):
            path, out = f"{folder}/{name}.hdf", f"{folder}/{name}_out"
            for command in ([name, path] + arguments, ["export", path, out]):
                subprocess.run([driver, *command], check=True, timeout=300, capture_output=True)
            os.remove(path)
            os.rename(out, out + "_moved")
            faults = Checker(f"{out}_moved/{name}.xdmf").check()
            assert not faults, faults
        for what, damage in BREAKS:
            broken = f"{folder}/broken"
            shutil.copytree(f"{folder}/cube_out_moved", broken)
            damage(broken)
            assert Checker(broken + "/cube.xdmf").check(), f"{what} was not found"
            shutil.rmtree(broken)
    print(f"exports without fault; {len(BREAKS)} of {len(BREAKS)} broken ones found")


def main():
    if sys.argv[1] == "--driver":
        return self_test(sys.argv[2])
    n = 0
    for path in sys.argv[1:]:
        for fault in Checker(path).check():
            n += 1
            print(f"{path}: {fault}")
    return 1 if n else 0


if __name__ == "__main__":
    sys.exit(main())
