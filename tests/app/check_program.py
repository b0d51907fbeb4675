#!/usr/bin/env python3
"""The program as a person or a batch job meets it: commands, exit codes, run directories, lost ranks, signals.

    check_program.py TRESTLE
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import parallel_tests  # noqa: E402
from program_cases import LONG, SLOW_MOTION, SQUARE  # noqa: E402
from program_processes import ENVIRONMENT, MPIRUN, command, ranks_of  # noqa: E402

TRESTLE = ""

MANUFACTURED = """\
physics: heat
mesh: {generate: {box: {size: [1, 1], cells: [4, 4], cell: quad4}}}
materials: {medium: {conductivity: 1}}
boundary:
  - {on: [xmin, xmax, ymin, ymax], temperature: sin(2*x)*cos(y)}
  - {on: body, source: 5*sin(2*x)*cos(y)}
solver: {device: cpu, tolerance: 1e-12}
exact: {temperature: sin(2*x)*cos(y)}
"""
# A rod that moves along its axis alone: sqrt(E / rho) / (4 L) = 25 Hz.
ROD = """\
physics: elasticity
analysis: {type: modal, modes: 2}
mesh: {generate: {box: {size: [10, 1, 1], cells: [8, 1, 1], cell: hex20}}}
materials: {medium: {young: 1e6, poisson: 0, density: 1}}
boundary: [{on: body, displacement: [~, 0, 0]}, {on: xmin, displacement: [0, ~, ~]}]
solver: {device: cpu}
output: {probes: [{name: tip, at: [10, 0.5, 0.5], of: displacement}]}
expect:
  - {mode: 1, value: 25 Hz, tolerance: 0.001 %}
  - {probe: tip, mode: 1, component: x, value: 0.4472136, tolerance: 1e-4}
"""
# A tetrahedron in a group of its own.
TETRAHEDRON = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
"""


# Two squares of material a, two of b; `cut` lies within a, `joint` between them, `mixed` on joint and xmax.
STRIP = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
7
2 1 "a"
2 2 "b"
1 3 "xmin"
1 4 "xmax"
1 5 "joint"
1 6 "cut"
1 7 "mixed"
$EndPhysicalNames
$Nodes
10
""" + "".join(f"{1 + 2 * i + j} {i} {j} 0\n" for i in range(5) for j in range(2)) + """\
$EndNodes
$Elements
10
1 1 2 3 1 1 2
2 1 2 4 2 9 10
3 1 2 5 3 5 6
4 1 2 6 4 3 4
5 1 2 7 3 5 6
6 1 2 7 2 9 10
""" + "".join(f"{7 + i} 3 2 {1 + i // 2} 1 {1 + 2 * i} {3 + 2 * i} {4 + 2 * i} {2 + 2 * i}\n" for i in range(4)) + "$EndElements\n"
STRIP_CASE = """\
physics: thermoelasticity
mesh: {file: strip.msh}
materials:
  a: {on: a, conductivity: 1, young: 1, poisson: 0, thermal_expansion: 0, reference_temperature: 0 K}
  b: {on: b, conductivity: 4, young: 4, poisson: 0, thermal_expansion: 0, reference_temperature: 0 K}
boundary:
  - {on: xmin, temperature: 1 K}
  - {on: xmax, temperature: 6 K}
  - {on: xmin, displacement: [0, 0]}
  - {on: xmax, traction: [1, 0]}
solver: {device: cpu}
"""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.case = self.write("square.yaml", SQUARE)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def trestle(self, *arguments, ranks=1, code=0, **options):
        done = subprocess.run(command(TRESTLE, arguments, ranks), env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def status(self, run):
        return json.loads((self.folder / run / "status.json").read_text())


class Commands(ProgramTest):
    def test_a_converted_mesh_gives_the_results_of_the_file_that_it_comes_from(self):
        def lines(*arguments, **options):
            return self.trestle("mesh", "info", *arguments, **options).stdout.splitlines()[1:]
        for name in ("mixed41.msh", "plate.inp"):
            source = pathlib.Path(__file__).parent.parent / "io/meshes" / name
            converted = name + ".h5"
            self.trestle("mesh", "convert", source, converted, "--scale", "1e-3", ranks=2)
            self.trestle("mesh", "convert", source, converted, code=73)
            self.assertEqual(lines(converted, ranks=2), lines(source, "--scale", "1e-3", ranks=2))
        one = self.trestle("mesh", "info", self.write("one.msh", TETRAHEDRON)).stdout
        self.assertRegex(one, r"(?m)^  1 +tag 1 +1 cell measure")
        self.assertEqual(lines("one.msh", "--scale", "1 mm"), lines("one.msh", "--scale", "1e-3"))
        text = self.write("wrong.h5", "no mesh")
        self.trestle("mesh", "info", text, code=65)

    def test_a_run_leaves_what_the_readme_says(self):
        done = self.trestle("run", self.case, "--output", "run", ranks=2)
        self.assertEqual({p.name for p in (self.folder / "run").iterdir()} - {"lease.json"},
                         {"results.hdf", "report.json", "report.html", "history.csv", "case.yaml", "status.json",
                          "incarnations.json"})
        self.assertEqual(self.status("run")["state"], "completed")
        report = json.loads((self.folder / "run/report.json").read_text())
        self.assertEqual((report["schema"], report["status"], report["dofs"], report["cells"], report["ranks"]),
                         (1, "completed", 81, 64, 2))
        self.assertEqual(set(report["phases"]) & {"mesh", "space", "assemble", "setup", "solve", "output"},
                         {"mesh", "space", "assemble", "setup", "solve", "output"})
        self.assertIn("results", done.stdout)

    def test_the_report_explains_the_peak_of_memory(self):
        self.trestle("run", self.case, "--output", "run")
        report = json.loads((self.folder / "run/report.json").read_text())
        host = {entry["item"]: entry["host_peak"] for entry in report["memory"]}
        self.assertGreater(host["mesh, ids and groups"], 81 * 16)  # ids and tags of the nodes alone
        # The test of the bandwidth takes most of so small a run; pages are counted in batches.
        known = host["program and libraries"] + host["bandwidth test"]
        self.assertLess(abs(report["peak_host_bytes"] - known - host["not accounted"]), 4 << 20)
        self.assertLess(host["not accounted"], 0.1 * report["peak_host_bytes"])

    def test_the_resolved_copy_runs_to_the_same_values(self):
        self.trestle("run", self.case, "--output", "one")
        self.trestle("run", self.folder / "one/case.yaml", "--output", "two")
        self.trestle("results", "diff", "one", "two", "--tolerance", "1e-14")

    def test_diff_tells_runs_apart(self):
        self.trestle("run", self.case, "--output", "one")
        self.trestle("run", self.case, "--output", "two", "--set", "boundary.1.temperature=1.001", code=79)
        self.trestle("results", "diff", "one", "two", "--tolerance", "1e-6", code=1)

    def test_the_default_directory_is_named_after_the_case(self):
        self.trestle("run", self.case)
        self.assertTrue((self.folder / "results/square/results.hdf").exists())

    def test_commands_that_look(self):
        self.trestle("run", self.case, "--output", "run")
        for arguments, words in ((("info",), "PETSc"), (("info",), "built "), (("schema",), "$schema"), (("schema", "--reference"), "# The case file"),
                                 (("results", "info", "run"), "temperature"), (("results", "csv", "run"), "temperature"),
                                 (("results", "probe", "run", "1", "0", "0"), "temperature"), (("report", "run"), "completed"),
                                 (("results", "export", "run", "--directory", "out"), "xdmf"), (("check", self.case), "sound"),
                                 (("--version",), "trestle"), (("selftest", "--device", "debug"), "every kernel agrees")):
            self.assertIn(words, self.trestle(*arguments).stdout, arguments)

    def test_a_probe_interpolates_and_takes_places_as_people_write_them(self):
        self.trestle("run", self.case, "--output", "run")
        for place in (("0.3", "0.2", "0"), ("0.3", "0.2"), ("0.3,0.2",), ("0.3, 0.2, 0",), ("[0.3, 0.2, 0]",), ("30cm", "0.2")):
            self.assertIn("medium: 0.3 K", self.trestle("results", "probe", "run", *place).stdout, place)
        for place in (("-0.3", "0.2"), ("-.3", ".2", "0"), ("-.3,.2",), ("-3e-1", "0.2")):
            self.assertIn("(-0.3, 0.2, 0) m lies outside the mesh, 0.3 m from it",
                          self.trestle("results", "probe", "run", *place, code=65).stderr, place)
        for place in (("1",), ("1", "2", "3", "4"), ("a", "b")):
            self.assertIn("write", self.trestle("results", "probe", "run", *place, code=64).stderr, place)

    def test_modes_are_steps_with_their_frequency(self):
        done = self.trestle("run", self.write("rod.yaml", ROD), "--output", "run", ranks=2)  # x'Mx = 1: the tip moves by sqrt(2 / (rho A L))
        self.assertIn("25 Hz", done.stdout)
        self.assertIn("mode 2", self.trestle("results", "info", "run").stdout)
        report = json.loads((self.folder / "run/report.json").read_text())
        self.assertEqual([m["number"] for m in report["modes"]], [1, 2])
        self.assertTrue(report["modal"]["complete"])
        self.trestle("check", "rod.yaml")
        self.trestle("run", self.folder / "run/case.yaml", "--output", "again")
        self.trestle("results", "diff", "run", "again", "--tolerance", "1e-9")
        self.assertIn("needs it", self.trestle("run", self.write("light.yaml", ROD.replace(", density: 1}", "}")), code=78).stderr)
        large = self.trestle("run", "rod.yaml", "--output", "large", "--set", "mesh.generate.box.cells=[1000, 1000, 1000]", code=71)
        self.assertIn("auto takes lobpcg", large.stdout + large.stderr)
        self.assertIn("block of modes", large.stdout + large.stderr)
        loaded = self.write("loaded.yaml", ROD.replace("}]\nsolver", "}, {on: xmax, pressure: 1}]\nsolver"))
        self.assertIn("left out: pressure", self.trestle("run", loaded, "--output", "loaded").stdout)

    def test_auto_finds_modes_by_lobpcg_where_factors_would_not_fit(self):
        small = self.write_block(15)
        self.assertTrue(self.modes_of("small", small, "analysis.eigensolver=lobpcg")["modal"]["complete"])  # few enough to be counted
        case = self.write_block(20)
        whole = self.modes_of("whole", case)
        self.assertEqual((whole["modal"]["eigensolver"], whole["modal"]["complete"]), ("shift_invert", True))
        too_little, enough = 200, 4000  # MB of address space; what the program maps at all depends on the machine
        while enough - too_little > 32:
            middle = (too_little + enough) // 2
            if self.runs_within(middle, case, "tight"):
                enough = middle
            else:
                too_little = middle
        # What a program maps differs by tens of MB from start to start, the two methods need 200 MB more and less.
        self.assertTrue(self.runs_within(enough + 80, case, "tight"))
        tight = json.loads((self.folder / "tight/report.json").read_text())
        self.assertEqual((tight["modal"]["eigensolver"], tight["modal"]["complete"]), ("lobpcg", False))
        self.assertIn("auto takes lobpcg", tight["warnings"][0])
        self.assertAlmostEqual(tight["modes"][0]["frequency_hz"] / whole["modes"][0]["frequency_hz"], 1, delta=1e-9)

    def write_block(self, cells):
        return self.write(f"block_{cells}.yaml", f"""\
physics: elasticity
analysis: {{type: modal, modes: 1}}
mesh: {{generate: {{box: {{size: [1, 1, 1], cells: [{cells}, {cells}, {cells}]}}}}}}
materials: {{steel: {{young: 210 GPa, poisson: 0.3, density: 7850}}}}
boundary: [{{on: xmin, displacement: [0, 0, 0]}}]
solver: {{device: cpu}}
""")

    def runs_within(self, megabytes, case, run):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        return subprocess.run([TRESTLE, "run", case, "--output", run, "--overwrite"], env=ENVIRONMENT, cwd=self.folder, preexec_fn=limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120).returncode == 0

    def modes_of(self, run, case, *overrides):
        self.trestle("run", case, "--output", run, *(word for one in overrides for word in ("--set", one)))
        return json.loads((self.folder / run / "report.json").read_text())

    def test_values_have_units_and_components(self):
        integrals = "output.integrals=[{name: out, of: heat_flux, on: xmin}, {name: within, of: heat_flux}, {name: all, of: temperature}]"
        done = self.trestle("run", self.case, "--output", "run", "--set", integrals, ranks=2)
        for words in ("middle, temperature: 0.5 K", "out, heat_flux: 1 W", "within, heat_flux: x -1, y ", ", z 0 W m\n", "all, temperature: 0.5 K m^3", "other "):
            self.assertIn(words, done.stdout)
        report = json.loads((self.folder / "run/report.json").read_text())
        self.assertEqual([(i["unit"], i["components"]) for i in report["integrals"]],
                         [("W", [""]), ("W m", ["x", "y", "z"]), ("K m^3", [""])])
        self.assertIn("start", report["phases"])
        self.assertIn("0.5 K", self.trestle("report", "run").stdout)
        solid = self.write("solid.yaml", """\
physics: elasticity
mesh: {generate: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}
materials: {steel: {young: 1, poisson: 0}}
boundary: [{on: xmin, displacement: [0, 0, 0]}, {on: xmax, traction: [1, 0, 0]}]
output: {integrals: [{name: over, of: stress, on: xmax}, {name: held, of: reaction_force, on: xmin}, {name: within, of: stress}]}
expect: [{integral: over, component: x, value: 1, tolerance: 1e-9}, {integral: within, component: xx, value: 1, tolerance: 1e-9}]
""")
        done = self.trestle("run", solid, "--output", "solid").stdout
        self.assertRegex(done, r"over, stress: x 1, y \S+, z \S+ N\n")
        self.assertRegex(done, r"held, reaction_force: x -1, y \S+, z \S+ N\n")
        self.assertRegex(done, r"within, stress: xx 1, yy \S+, zz \S+, xy \S+,\s+yz \S+,\s+xz \S+ Pa m\^3\n")

    def test_integrals_with_two_sides_are_refused(self):
        self.write("strip.msh", STRIP)
        case = self.write("strip.yaml", STRIP_CASE)
        normal, materials = "has two sides and the normal no direction", "has a value on either side"
        for command in ("check", "run"):
            for of, on, why in (("heat_flux", "joint", f"its 1 facet lies between two cells, where heat_flux {normal}; name a group"),
                                ("stress", "cut", f"its 1 facet lies between two cells, where stress {normal}; name a group"),
                                ("stress", "mixed", f"1 of its 2 facets lie between two cells, where stress {normal}; take these out"),
                                ("von_mises", "mixed", f"1 of its 2 facets lie between two materials, where von_mises {materials}; take these out")):
                integral = self.write("one.yaml", STRIP_CASE + f"output: {{integrals: [{{name: q, of: {of}, on: {on}}}]}}\n")
                done = self.trestle(command, integral, ranks=2, code=78)
                self.assertIn(f'one.yaml:12:{42 + len(of)}: integral q of {of} over "{on}": {why}', done.stderr)
        right = ("temperature", "joint"), ("displacement", "mixed"), ("von_mises", "cut"), ("reaction_heat", "joint"), ("heat_flux", "xmax"), ("stress", "a")
        integrals = ", ".join(f"{{name: i{i}, of: {of}, on: {on}}}" for i, (of, on) in enumerate(right))
        self.trestle("run", case, "--output", "run", "--set", f"output.integrals=[{integrals}]", ranks=2)
        values = [i["values"] for i in json.loads((self.folder / "run/report.json").read_text())["integrals"]]
        for found, exact in zip((values[0][0], values[1][0], values[2][0], values[4][0], values[5][0]), (5, 2 + 2.5, 1, -2, 2)):
            self.assertAlmostEqual(found, exact, places=9)

    def test_expectations_of_integrals_have_its_unit_and_components(self):
        self.write("strip.msh", STRIP)
        integrals = {"out": "heat_flux, on: xmax", "heat": "heat_flux, on: a", "mean": "temperature, on: b", "all": "temperature",
                     "pull": "stress, on: xmax", "within": "stress, on: b", "held": "reaction_force, on: xmin"}
        lists = ", ".join(f"{{name: {name}, of: {of}}}" for name, of in integrals.items())
        def case(*expect):
            lines = "".join(f"  - {{integral: {one}}}\n" for one in expect)
            return self.write("one.yaml", STRIP_CASE + f"output: {{integrals: [{lists}]}}\nexpect:\n{lines}")
        wrong = (("out, value: -2 W/m^2, tolerance: 1", 'value: "-2 W/m^2": expected'),
                 ("out, value: -2, tolerance: 1 W/m", 'tolerance: "1 W/m": expected'),
                 ("mean, value: 20 degC, tolerance: 1", 'value: "20 degC": expected'),
                 ("all, value: 20 K m^2, tolerance: 1", 'value: "20 K m^2": expected a value in K m^3, got K m^2'),
                 ("pull, component: x, value: 2 Pa, tolerance: 1", 'value: "2 Pa": expected a force (N), got Pa'),
                 ("pull, component: x, value: 2 Pa m^3, tolerance: 1", 'value: "2 Pa m^3": expected a force (N), got Pa m^3: the integral pull of stress over "xmax" is in N'),
                 ("out, component: x, value: 2, tolerance: 1", 'expect: the integral out of heat_flux over "xmax" is one number, but its component x is asked for; leave'),
                 ("heat, value: 2, tolerance: 1", 'expect: the integral heat of heat_flux over "a" has the components x, y, z; the key component is missing'),
                 ("within, component: x, value: 2, tolerance: 1", 'expect: the integral within of stress over "b" has the components xx, yy, zz, xy, yz, xz; it has no x'),
                 ("pull, component: xx, value: 2, tolerance: 1", 'expect: the integral pull of stress over "xmax" has the components x, y, z; it has no xx'))
        for expect, message in wrong:
            quoted = re.match(r'\w+: "([^"]*)"', message)
            column = f"  - {{integral: {expect}".index(quoted.group(1)) + 1 if quoted else 5
            self.assertIn(f"one.yaml:14:{column}: {message}", self.trestle("check", case(expect), code=78).stderr)
        self.trestle("run", case("out, value: -2 W, tolerance: 1 uW", "heat, component: x, value: -4 W m, tolerance: 1e-9", "mean, value: 11 K m^3, tolerance: 1 %",
                                 "pull, component: x, value: 1e-3 kN, tolerance: 1 uN", "within, component: xx, value: 2 Pa m^3, tolerance: 1e-9",
                                 "held, component: x, value: -1 N, tolerance: 1e-9"), "--output", "run", ranks=2)

    def test_times_that_only_an_expectation_asks_for_are_told(self):
        heat = ("--set", "materials.medium={conductivity: 1, density: 1, specific_heat: 1}", "--set", "initial=[{temperature: 0}]", "--set", "analysis={type: transient, end: 1, step: 0.1}")
        note = "a step ends, and results are written, at {}, too, because a value is expected there\n"
        for times, output, told in (((0.25, 0.3, 1, 0), "{}", "0.25 s"), ((0.25, 0.3), "{every: 0.25}", "0.3 s"), ((0.75, 0.3, 0.25), "{every: 0.5, times: [0.3]}", "0.25, 0.75 s"),
                                    ((0.3, 0.7), "{}", ""), ((0.5,), "{times: [0.5]}", "")):
            expect = ", ".join(f"{{maximum: temperature, time: {time}, value: 0, tolerance: 1e9}}" for time in times)
            words = (self.case, *heat, "--set", f"expect=[{expect}]", "--set", f"output={output}")
            for command in (("check", *words), ("run", *words, "--output", "run", "--overwrite")):
                said = self.trestle(*command).stdout
                self.assertIn(note.format(told), said) if told else self.assertNotIn("because a value is expected", said)

    def test_help_is_a_word_too(self):
        self.assertEqual(self.trestle("help").stdout, self.trestle("--help").stdout)
        self.assertEqual(self.trestle("help", "results", "probe").stdout, self.trestle("results", "probe", "--help").stdout)

    def test_an_empty_group_is_told(self):
        mesh = self.write("one.msh", TETRAHEDRON.replace("$Nodes", '$PhysicalNames\n2\n3 1 "body"\n2 7 "wall"\n$EndPhysicalNames\n$Nodes'))
        self.assertIn("warning: group wall is empty", self.trestle("mesh", "info", mesh).stdout)

    def test_a_value_that_no_step_mends_is_told_once(self):
        for analysis in ("{}", "{type: transient, end: 1, step: 0.1}"):
            done = self.trestle("run", self.case, "--output", "run", "--set", "materials.medium.conductivity=0.1 - T", "--set", "materials.medium.density=1",
                                "--set", "materials.medium.specific_heat=1", "--set", f"analysis={analysis}", "--set", "expect=[]",
                                "--set", "initial=[{temperature: 0.05}]" if "end" in analysis else "title=static", code=81)
            self.assertEqual(done.stdout.count("is refused"), 1, done.stdout)
            self.assertIn("step 1 was refused once more for the same reason", done.stdout)
            self.assertIn("the residual has no value; --set materials.medium.conductivity", done.stderr)
            if "end" in analysis:
                probe = json.loads((self.folder / "run/report.json").read_text())["probes"][0]
                self.assertEqual((probe["unit"], probe["components"]), ("K", [""]))

    def test_a_case_without_a_load_is_warned_about(self):
        load_less = ("--set", "boundary=[{on: xmin, temperature: 0}]", "--set", "expect=[]")
        self.assertIn("the model has no load", self.trestle("check", self.case, *load_less, ranks=2).stdout)
        self.assertNotIn("has no load", self.trestle("check", self.case).stdout)
        held = ("--set", "boundary=[{on: body, temperature: 0}, {on: xmax, flux: 1}]", "--set", "expect=[]")  # supports take the load at once
        for command in ("check", "run"):
            self.assertNotIn("has no load", self.trestle(command, self.case, *held).stdout)
        done = self.trestle("run", self.case, "--output", "run", *load_less)
        self.assertIn("the model has no load", done.stdout + done.stderr)
        self.assertIn("has no load", json.loads((self.folder / "run/report.json").read_text())["warnings"][0])

    def test_loads_where_everything_is_held_are_told_as_such(self):
        for held, place, word in (("body", "xmax", "loads only where values are prescribed"), ("xmax", "xmax", "loads only where values are prescribed"),
                                  ("xmin", "xmax", None)):
            boundary = f"boundary=[{{on: {held}, temperature: 0}}, {{on: {place}, flux: 1}}]"
            self.trestle("run", self.case, "--output", "run", "--overwrite", "--set", boundary, "--set", "expect=[]", ranks=2)
            warnings = json.loads((self.folder / "run/report.json").read_text())["warnings"]
            if word is None:
                self.assertEqual(warnings, [])
            else:
                self.assertIn(word, warnings[0])

    def test_a_body_at_rest_stays_at_rest(self):
        for conductivity, tolerance in (("1", "1e-3"), ("1 + 0.01*T", "1e-3"), ("1", "0")):
            case = self.write("rest.yaml", f"""\
physics: heat
mesh: {{generate: {{box: {{size: [1, 1], cells: [4, 4], cell: quad4}}}}}}
analysis: {{type: transient, step: 0.1, end: 1, tolerance: {tolerance}}}
initial: [{{temperature: 300}}]
materials: {{medium: {{conductivity: {conductivity}, density: 1, specific_heat: 1}}}}
boundary: [{{on: xmin, temperature: 300}}, {{on: xmax, radiation: {{emissivity: 1, ambient: 300}}}}]
solver: {{device: cpu, tolerance: 1e-12}}
expect: [{{maximum: temperature, value: 300, tolerance: 1e-9}}]
""")
            self.trestle("run", case, "--output", "run", "--overwrite")
            self.assertEqual(json.loads((self.folder / "run/report.json").read_text())["warnings"], [])

    def test_a_concentration_that_overshoots_is_told(self):
        case = self.write("short.yaml", """\
physics: transport
mesh: {generate: {box: {size: [1, 0.1], cells: [10, 1], cell: quad4}}}
analysis: {type: transient, step: 1e-4, end: 1e-4, scheme: backward_euler}
initial: [{concentration: 1}]
materials: {medium: {diffusivity: 1}}
boundary: [{on: [xmin, xmax], concentration: 0}]
solver: {device: cpu}
""")
        self.trestle("run", case, "--output", "run")
        self.assertIn("the concentration left the range of its data, 0 to 1 kg/m^3, by up to 0.241 kg/m^3",
                      json.loads((self.folder / "run/report.json").read_text())["warnings"][0])

    def test_bench_measures_every_item_and_writes_json(self):
        mesh = self.write("one.msh", TETRAHEDRON)
        for device, ranks in (("cpu", 2), ("debug", 1)):
            done = self.trestle("bench", "--size", "1000", "--device", device, "--mesh", mesh, "--json", "bench.json", ranks=ranks)
            bench = json.loads((self.folder / "bench.json").read_text())
            self.assertEqual((bench["schema"], bench["device"], bench["ranks"]), (1, device, ranks))
            self.assertGreaterEqual(bench["repeats"], 5)
            items = {item["name"]: item for item in bench["items"]}
            kinds = ("mesh", "stiffness", "matrix", "sell_double", "sell_float", "amg_setup", "cycle_float")
            products = {"poisson": ("csr_double", "csr_float"), "elasticity": ("block3_double", "block3_float")}
            self.assertEqual(set(items), {"triad", "cg_vectors", "mesh_file"} | {f"{problem}_{kind}" for problem in products
                                                                                for kind in kinds + products[problem]})
            for name, item in items.items():
                for key in ("n", "model_bytes", "bytes", "best_s", "gb_s", "percent_of_triad", "n_per_s"):
                    self.assertGreater(item[key], 0, f"{name}: {key}")
                self.assertLessEqual(item["best_s"], item["median_s"])
                self.assertIn(name, done.stdout)
            self.assertEqual(items["triad"]["percent_of_triad"], 100)
            self.assertEqual(items["poisson_mesh"]["n"], 6 * 9**3)
            self.assertEqual(items["mesh_file"]["n"], 1)
            # 10 x 10 x 10 nodes; an edge of Kuhn's cut joins two of them in 7 directions.
            entries = 1000 + 2 * (3 * 900 + 3 * 810 + 729)
            self.assertEqual(items["poisson_csr_double"]["model_bytes"], 12 * entries + (4 + 2 * 8) * 1000)

    def test_mms_prints_orders_and_judges_them(self):
        case = self.write("made.yaml", MANUFACTURED)
        done = self.trestle("mms", case, "--at-least", "1.9", "--json", "made.json", "--html", "made.html", ranks=2)
        made = json.loads((self.folder / "made.json").read_text())
        self.assertEqual((made["schema"], made["field"], made["refined"], made["met"]), (1, "temperature", "space", True))
        self.assertEqual([level["unknowns"] for level in made["levels"]], [25, 81, 289])
        self.assertEqual([round(level["h"] / made["levels"][-1]["h"], 9) for level in made["levels"]], [4, 2, 1])
        self.assertIsNone(made["levels"][0]["order"])
        self.assertAlmostEqual(made["levels"][-1]["order"], 2, delta=0.1)
        self.assertIn(f'is {made["levels"][-1]["order"]:.3f}, which reaches the 1.9 that --at-least asks for', done.stdout)
        self.assertIn("order 2", (self.folder / "made.html").read_text())
        missed = self.trestle("mms", case, "--levels", "2", "--at-least", "2.9", code=79)
        self.assertIn("is below the 2.9", missed.stdout)
        # A linear temperature is exact: there is an error of rounding, and no order.
        exact = self.trestle("mms", case, "--set", "boundary.0.temperature=x", "--set", "boundary.1.source=0",
                             "--set", "exact.temperature=x", "--at-least", "1.9", code=79)
        self.assertIn("none as the error is rounding", exact.stdout)

    def test_a_case_is_found_from_any_folder(self):
        (self.folder / "a b").mkdir()
        shutil.copy(self.case, self.folder / "a b/square.yaml")
        self.trestle("run", "a b/square.yaml", "--output", "a b/out")


class ExitCodes(ProgramTest):
    def fails(self, code, *arguments, words=(), ranks=1):
        done = self.trestle(*arguments, code=code, ranks=ranks)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)

    def has_gpu(self):
        return re.search("(?m)^CUDA devices on this machine: [1-9]", self.trestle("info").stdout)

    def test_usage(self):
        self.fails(64, "runn")
        self.fails(64, "run")
        self.fails(64, "run", self.case, "--sett", "a=b")
        self.fails(64, "selftest", "--device", "tpu", words=["cpu, debug or gpu"])
        self.fails(64, "bench", "--device", "tpu", words=["cpu, debug or gpu"])
        self.fails(64, "bench", "--size", "10", words=["--size"])
        self.fails(78, "mms", self.case, words=["the key exact is missing"])
        made = self.write("made.yaml", MANUFACTURED)
        self.fails(64, "mms", made, "--refine", "time", words=["a static case has no steps"])
        self.fails(64, "mms", made, "--mesh", "one.msh", words=["two or more"])
        self.fails(64, "mms", made, "--set", "mesh={file: one.msh}", words=["one.msh is a file", "--mesh FILE"])
        self.fails(78, "mms", made, "--set", "exact.temperature=[x, y]", words=["exact.temperature"])
        self.fails(73, "mms", made, "--html", "missing/made.html", words=["make it first"], ranks=2)
        for scale, word in (("-0.5", "out of range"), ("0", "out of range"), ("nan", "finite"), ("inf", "finite"), ("1 kg", "kg"),
                            ("one", "is not a number")):
            self.fails(64, "mesh", "info", "part.msh", "--scale", scale, words=[f'--scale: "{scale}"', word])
        for tolerance in ("nan", "-1"):
            self.fails(64, "mesh", "convert", "part.msh", "part.h5", "--merge-tolerance", tolerance,
                       words=[f'--merge-tolerance: "{tolerance}"'])
        self.fails(64, "results", "diff", "one", "two", "--tolerance", "-1", words=["--tolerance"])
        for number in ("nan", "inf"):
            self.fails(64, "results", "diff", "one", "two", "--tolerance", number, words=[f"--tolerance is {number}"])
        self.fails(73, "bench", "--json", "missing/bench.json", words=["make it first"], ranks=2)

    def test_a_normal_of_length_0_is_told_with_its_node(self):
        case = self.write("rolling.yaml", """\
physics: elasticity
mesh: {generate: {box: {size: [1, 1], cells: [4, 4], cell: quad4}}}
materials: {medium: {young: 1e9, poisson: 0.3}}
boundary:
  - {on: xmin, roller: {normal: [x, y - 0.5]}}
  - {on: xmax, traction: [1, 0]}
""")
        self.fails(78, "run", case, "--output", "run", ranks=2,
                   words=["rolling.yaml:5:33", "the normal has length 0 at node ", "(0, 0.5, 0) m"])

    def test_a_word_that_is_not_known_is_named_with_the_nearest_one(self):
        for arguments, words in ((("runn", self.case), 'unknown command "runn", did you mean "run"?'),
                                 (("results", "prob", "run"), 'trestle results: unknown command "prob", did you mean "probe"?'),
                                 (("run", self.case, "--sett", "a=b"), 'trestle run: unknown option "--sett", did you mean "--set"?'),
                                 (("run", self.case, "--outptu=x"), 'unknown option "--outptu", did you mean "--output"?'),
                                 (("fly",), "known: run, check, info"),
                                 (("run",), "trestle run: case is required")):
            self.fails(64, *arguments, words=[words])

    def test_a_missing_mesh_says_how_it_is_made(self):
        case = self.write("part.yaml", SQUARE.replace("mesh: {generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}", "mesh: {file: part.msh}"))
        self.fails(66, "run", case, "--output", "run", words=["part.yaml:3:14: mesh.file: there is no mesh file"], ranks=2)
        self.write("that.msh", "")
        self.fails(66, "check", case, words=["relative paths start at the case file"])
        self.fails(65, "check", case, "--set", "mesh.file=.", words=["--set mesh.file: ", "is a directory, not a mesh file"], ranks=2)
        self.write("prat.msh", "")
        self.fails(66, "check", case, words=["did you mean prat.msh?"])
        self.write("part.geo", "")
        self.fails(66, "check", case, words=[f"gmsh -3 {self.folder}/part.geo -o {self.folder}/part.msh"])

    def test_check_tells_everything_at_once_and_writes_nothing(self):
        self.write("taken", "")
        case = self.write("wrong.yaml", SQUARE.replace("on: xmax", "on: xmx").replace("of: temperature}]}", "of: temperature}], integrals: [{name: q, of: reaction_heat, on: xmni}]}"))
        wrong = [f"--set={word}" for word in ("solver.device=gpu", "output.directory=taken")]
        code = 69
        if self.has_gpu():
            wrong[0] = "--set=solver.device=cpu"
            code = 73
        self.fails(code, "check", case, *wrong, ranks=2, words=["taken is no directory", "xmx", "xmni"] + ["--set solver.device: gpu"] * (code == 69))
        self.fails(73, "check", self.case, "--output", "taken/below", words=["taken/below"])
        self.trestle("check", self.case, "--output", "a/new/place")
        self.assertFalse((self.folder / "a").exists())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["square.yaml", "taken", "wrong.yaml"])

    def test_check_knows_folders_and_meshes_that_cannot_be_made(self):
        for place in ("/proc/none", "/proc/none/below", "/dev/null/below"):
            self.fails(73, "check", self.case, "--output", place, words=[place.removesuffix("/none").removesuffix("/none/below")], ranks=2)
        self.fails(71, "check", self.case, "--set", "mesh.generate.box.cells=[1e5, 1e5]", words=["mesh and conditions 1750.0 GB", "leaves it"], ranks=2)

    def test_faults_that_only_a_mesh_shows_have_their_place_in_the_case(self):
        solid = """\
physics: elasticity
model: axisymmetric
mesh: {generate: {box: {size: [1, 1], cells: [2, 2], origin: [-0.5, 0]}}}
materials: {steel: {young: 1, poisson: 0}}
boundary: [{on: xmax, displacement: [0, 0]}]
"""
        case = self.write("solid.yaml", solid)
        self.fails(65, "check", case, words=["solid.yaml:2:1: model: axisymmetric: x is the radius, but the mesh reaches x = -0.5 m"], ranks=2)
        solid = solid.replace("model: axisymmetric", "thickness: 2").replace("[1, 1]", "[1, 1, 1]").replace("[2, 2]", "[2, 2, 2]")
        case = self.write("solid.yaml", solid.replace("[-0.5, 0]", "[0, 0, 0]").replace("[0, 0]}]", "[0, 0, 0]}]"))
        self.fails(78, "check", case, words=["solid.yaml:2:1: thickness: is for plane models"], ranks=2)
        self.fails(78, "check", case, "--set", "thickness=3", words=["--set thickness: is for plane models"])

    def test_check_tries_the_options_of_petsc(self):
        options = ["--set", "solver.method=petsc", "--set", "solver.petsc_options=-ksp_type cg -pc_type gamg -mg_levels_ksp_type richardson"]
        self.trestle("check", self.case, *options)
        options[-1] += " -pc_typ gamg"
        self.fails(78, "check", self.case, *options, words=["--set solver.petsc_options", "-pc_typ "], ranks=2)
        self.assertFalse((self.folder / "results").exists())

    def test_results_that_are_none(self):
        self.trestle("run", self.case, "--output", "run")
        data = (self.folder / "run/results.hdf").read_bytes()
        for name, content in (("text", b"text"), ("short", data[:3000]), ("spoilt", data[:4096] + bytes(len(data) - 4096))):
            (self.folder / name).write_bytes(content)
            for tool in (("info",), ("csv",), ("probe", "0", "0")):
                done = self.trestle("results", tool[0], name, *tool[1:], code=65)
                self.assertEqual(done.stdout, "", (name, tool))
        self.fails(66, "results", "info", "none")
        self.write("run/report.json", "{")
        self.fails(65, "report", "run")

    def test_roots(self):
        (self.folder / "in").mkdir()
        self.write("in/square.yaml", SQUARE)
        (self.folder / "in/away").symlink_to(self.folder)
        environment = dict(ENVIRONMENT, TRESTLE_ROOTS=f"{self.folder}/in:{self.folder}/in2")
        def run(code, *arguments):
            done = subprocess.run(command(TRESTLE, arguments), env=environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, code, f"{arguments}\n{done.stderr}")
            if code == 77:
                self.assertIn(environment["TRESTLE_ROOTS"], done.stderr)
        run(0, "run", "in/square.yaml", "--output", "in/run")
        run(0, "results", "info", "in/run")
        run(77, "run", self.case, "--output", "in/other")
        run(77, "run", "in/square.yaml", "--output", "run")
        run(77, "run", "in/square.yaml", "--output", "in/away/run")
        run(77, "run", "in/square.yaml", "--output", "in/../run")
        run(77, "check", "in/square.yaml", "--output", "run")
        run(77, "check", "in/square.yaml", "--output", "in/run", "--set", f"mesh={{file: {self.folder}/mesh.msh}}")
        run(77, "results", "export", "in/run", "--directory", "out")
        self.trestle("run", self.case, "--output", "run")
        run(77, "results", "info", "run")
        run(77, "report", "run")
        self.assertFalse((self.folder / "out").exists())

    def test_a_failed_solve_names_its_limit_once(self):
        case = self.write("few.yaml", SQUARE.replace("device: cpu}", "device: cpu, method: cg, preconditioner: none, max_iterations: 2}"))
        done = self.trestle("run", case, "--output", "run", code=80, ranks=2)
        self.assertIn("few.yaml:8:", done.stderr)
        self.assertIn("raise solver.max_iterations, or take another method", done.stderr)
        self.assertEqual((done.stderr.count("2 iterations"), done.stderr.count("reason max_iterations")), (1, 1))
        self.fails(66, "results", "info", "run", words=["has written no results", "run/status.json says failed, exit code 80: ", "not converged"])
        (self.folder / "empty").mkdir()
        self.fails(66, "results", "info", "empty", words=["neither results.hdf nor the status.json"])

    def test_words_that_contradict_or_promise_what_is_not(self):
        self.fails(64, "run", self.case, "--restart", "auto", "--overwrite", words=["--restart auto goes on", "give one"], ranks=2)
        self.assertFalse((self.folder / "results").exists())
        for name in ("x.vtk", "x.vtu", "x.msh", "x.inp", "x.xdmf"):
            self.fails(64, "mesh", "convert", self.write("one.msh", TETRAHEDRON), name, words=[f"{name} has the ending of another format", "x.h5"])
        solid = self.write("rod.yaml", ROD)
        self.trestle("run", solid, "--output", "rod")
        self.fails(64, "results", "probe", "rod", "0.1", "0.2", words=["has 3 dimensions; give 3"])

    def test_a_directory_that_cannot_be_made_has_its_place_in_the_case(self):
        case = self.write("far.yaml", SQUARE.replace("output: {", "output: {directory: /proc/far, "))
        for command in ("check", "run"):
            self.fails(73, command, case, words=["far.yaml:9:21: output.directory: cannot make the run directory /proc/far"], ranks=2)

    def test_missing_case(self):
        self.fails(66, "run", "none.yaml", words=["none.yaml"], ranks=2)

    def test_folders_that_cannot_be_made_or_read_are_no_bugs(self):
        self.write("taken", "")
        self.fails(73, "batch", "run", self.case, "--output", "taken/below", words=["taken/below: Not a directory"])
        self.fails(73, "batch", "run", self.case, "--output", "/proc/none", words=["/proc/none"])
        if os.geteuid() != 0:
            self.skipTest("not root, who can be somebody else")
        self.trestle("run", self.case, "--output", "run")
        self.folder.chmod(0o755)
        for folder in ("run", "run/ckpt"):
            (self.folder / folder).mkdir(exist_ok=True)
            (self.folder / folder).chmod(0o700)
            for arguments in (("verify", "run"), ("run", self.case, "--output", "/tmp/none", "--restart", "run")):
                done = self.trestle(*arguments, code=77, user="nobody", extra_groups=[])
                self.assertIn("Permission denied", done.stderr)
            (self.folder / "run").chmod(0o755)

    def test_threads_that_cannot_be_made_are_no_bug(self):
        if os.geteuid() != 0:
            self.skipTest("not root, who can be somebody else")
        self.folder.chmod(0o777)
        done = subprocess.run(["prlimit", "--nproc=2", *command(TRESTLE, ["run", self.case, "--output", "run"])], env=ENVIRONMENT, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, user="nobody", extra_groups=[])
        self.assertEqual(done.returncode, 71, done.stderr)
        self.assertIn("ulimit -u", done.stderr)

    def test_all_mistakes_of_a_case_at_once(self):
        wrong = self.write("wrong.yaml", SQUARE.replace("conductivity: 1", "conductivty: 1").replace("physics: heat", "physics: heat\nfoo: 1"))
        done = self.trestle("run", wrong, code=78, ranks=2)
        self.assertIn("wrong.yaml:3:1", done.stderr)
        self.assertIn("conductivity", done.stderr)

    def test_strict_refuses_what_is_not_plausible(self):
        doubtful = ["--set", "materials.medium.conductivity=1e9"]
        self.trestle("check", self.case, *doubtful)
        for command in ("check", "run"):
            self.fails(78, command, self.case, "--strict", *doubtful, words=["square.yaml:4:13: materials.medium: conductivity is 1e+09"], ranks=2)
        self.assertFalse((self.folder / "results").exists())
        self.trestle("check", self.case, "--strict")

    def test_a_mesh_that_is_too_long_for_metres_is_doubted_until_the_case_states_its_scale(self):
        names = '$PhysicalNames\n1\n3 1 "body"\n$EndPhysicalNames\n$Nodes'
        self.write("part.msh", TETRAHEDRON.replace("2 1 0 0", "2 80 0 0").replace("$Nodes", names, 1))
        heat = "physics: heat\nmesh: {file: part.msh}\nmaterials: {m: {conductivity: 1}}\nboundary: [{on: body, temperature: 1}]\nsolver: {device: cpu}\n"
        case = self.write("part.yaml", heat)
        doubt = "part.yaml:2:14: mesh.file: the mesh is 80 m long"
        self.assertIn(doubt, self.trestle("check", case, ranks=2).stdout)
        self.assertIn(doubt, self.trestle("run", case, "--output", "run").stdout)
        self.assertIn(doubt, json.loads((self.folder / "run/report.json").read_text())["warnings"][0])
        for command in ("check", "run"):
            self.fails(78, command, case, "--strict", words=[doubt, "scale: 1 mm", "scale: 1 m,"], ranks=2)
        for scale in ("1", "1 m", "1 mm"):
            self.assertNotIn("warning", self.trestle("check", case, "--strict", "--set", "mesh.scale=" + scale).stdout)
        ground = heat.replace("heat", "darcy").replace("conductivity: 1", "permeability: 1e-12, viscosity: 1e-3").replace("temperature", "pressure")
        self.trestle("check", self.write("ground.yaml", ground), "--strict")

    def test_a_probe_outside_the_mesh_is_a_mistake_where_something_is_expected_of_it(self):
        far = ["--set", "output.probes.0.at=[5, 0.5]"]
        where = ["square.yaml:9:42: probe middle at (5, 0.5, 0) m lies outside the mesh", "(0, 0, 0) to (1, 1, 0) m"]
        for command in ("check", "run"):
            self.fails(78, command, self.case, *far, words=[*where, "never met", "square.yaml:10:10)"], ranks=2)
        self.assertFalse((self.folder / "results/square/results.hdf").exists())
        self.assertIn(where[0], self.trestle("check", self.case, *far, "--set", "expect=[]").stdout)
        for command in ("check", "run"):
            self.fails(78, command, self.case, "--strict", *far, "--set", "expect=[]", "--output", "other", words=where)

    def test_expectation(self):
        self.trestle("run", self.case, "--output", "run", "--set", "expect.0.value=0.6", code=79)
        self.assertEqual(self.status("run")["state"], "completed")

    def test_no_gpu(self):
        if self.has_gpu():
            self.skipTest("this machine has a GPU")
        self.fails(69, "run", self.case, "--output", "run", "--set", "solver.device=gpu", words=["--set solver.device: gpu"], ranks=2)
        case = self.write("gpu.yaml", SQUARE.replace("solver: {device: cpu", "solver: {device: gpu"))
        self.fails(69, "check", case, words=["gpu.yaml:8:10: solver.device: gpu"], ranks=2)
        self.fails(69, "bench", "--device", "gpu", words=["error: solver.device: gpu"], ranks=2)

    def test_a_failed_run_has_a_report(self):
        self.trestle("run", self.case, "--output", "run", "--set", "boundary=[{on: xmin, flux: 1}]", "--set", "expect=[]", code=80, ranks=2)
        self.assertEqual(self.status("run")["state"], "failed")
        self.assertEqual(self.status("run")["exit_code"], 80)
        report = json.loads((self.folder / "run/report.json").read_text())
        self.assertEqual(report["status"], "failed")

    def test_streams_that_take_nothing_change_no_code(self):
        mistake = self.write("mistake.yaml", SQUARE.replace("physics", "phyics"))
        commands = {74: [("schema",), ("schema", "--reference"), ("run", self.case, "--output", "run", "--overwrite")], 78: [("check", mistake)]}
        for code, every in commands.items():
            for words in every:
                for streams in ("> /dev/full 2>&1", "2> /dev/full > /dev/full", "2>&- > /dev/full"):
                    done = subprocess.run(["bash", "-c", f'"$0" "$@" {streams}', TRESTLE, *map(str, words)], env=ENVIRONMENT, cwd=self.folder,
                                          stdin=subprocess.DEVNULL, timeout=60)
                    self.assertEqual(done.returncode, code, (words, streams))
        self.assertEqual(self.status("run")["state"], "completed")

    def test_closed_streams_leave_their_places_to_no_file(self):
        done = subprocess.run(["bash", "-c", f'"$0" run {self.case} --output run <&- >&- 2>&-', TRESTLE], env=ENVIRONMENT, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.trestle("verify", "run")

    def test_ranks_of_another_mpi(self):
        done = subprocess.run([TRESTLE, "info"], env=dict(ENVIRONMENT, PMI_SIZE="4"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertIn("PMI_SIZE", done.stderr)

    def test_ranks_with_other_words_end_at_once_and_nothing_begins(self):
        start = [*MPIRUN, "-n", "1", TRESTLE, "run", self.case, "--output", "run"]
        for words in (["check", self.case], ["info"], ["--version"], ["run", self.case, "--output", "other"],
                      ["run", self.case, "--output", "run", "--set", "solver.method=direct"], ["runn", self.case]):
            done = subprocess.run([*start, ":", "-n", "1", TRESTLE, *words], env=ENVIRONMENT, cwd=self.folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 64, (words, done.stderr))
            self.assertIn(f"rank 1 was started as trestle {' '.join(map(str, words))} (version", done.stderr)
            self.assertIn(f"but rank 0 as trestle run {self.case} --output run (version", done.stderr)
            self.assertFalse((self.folder / "run").exists() or (self.folder / "other").exists(), words)


class RunDirectories(ProgramTest):
    def test_a_finished_run_is_moved(self):
        for _ in range(3):
            self.trestle("run", self.case, "--output", "run")
        self.assertTrue((self.folder / "run.1/results.hdf").exists())
        self.assertTrue((self.folder / "run.2/results.hdf").exists())

    def test_overwrite_replaces(self):
        self.trestle("run", self.case, "--output", "run")
        self.trestle("run", self.case, "--output", "run", "--overwrite")
        self.assertFalse((self.folder / "run.1").exists())

    def test_files_of_others_are_not_touched(self):
        (self.folder / "mine").mkdir()
        self.write("mine/thesis.txt", "42")
        done = self.trestle("run", self.case, "--output", "mine", code=73, ranks=2)
        self.assertIn("not of a Trestle run", done.stderr)
        self.assertEqual((self.folder / "mine/thesis.txt").read_text(), "42")

    def test_an_unfinished_run_needs_a_word(self):
        self.trestle("run", self.case, "--output", "run")
        status = self.status("run")
        self.write("run/status.json", json.dumps(dict(status, state="running")))
        self.assertIn("--overwrite", self.trestle("run", self.case, "--output", "run", code=73).stderr)
        self.trestle("run", self.case, "--output", "run", "--restart", "auto")

    def test_the_directory_is_a_file(self):
        self.write("file", "")
        self.trestle("run", self.case, "--output", "file", code=73)

    def test_a_checkpoint_of_a_static_run(self):
        self.trestle("run", self.case, "--output", "run", "--restart", "some/path", code=76)


class FullDisks(ProgramTest):
    """A run whose files cannot be written says so in its status, which needs no space."""

    def run_on_a_disk_of(self, kib):
        """The status that a run leaves on a disk that is too small for its files."""
        run = self.folder / "small"
        run.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", run], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("needs to mount a file system")
        self.addCleanup(subprocess.run, ["umount", run])
        self.trestle("run", self.case, "--output", "small", code=74)
        return self.status("small")

    def test_without_space_for_anything(self):
        status = self.run_on_a_disk_of(8)  # a page for the lease, one for the status
        self.assertEqual((status["state"], status["exit_code"]), ("failed", 74))
        self.assertIn("case.yaml: No space left", status["message"])

    def test_with_space_for_the_results_and_not_for_the_report(self):
        def run(output, *words):
            return subprocess.run(["strace", "-f", "-qq", *words, TRESTLE, "run", self.case, "--output", output, "--overwrite"], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60)
        for _ in range(5):  # on a busy machine the status is written once more or less, and the error hits another file
            run("whole", "-o", "calls", "-e", "trace=rename")
            calls = [line.split(maxsplit=1) for line in (self.folder / "calls").read_text().splitlines()]
            process, k = next((process, k) for k, (process, call) in enumerate(calls) if '"whole/report.json"' in call)
            when = sum(other == process for other, _ in calls[:k + 1])  # strace counts the calls of each thread
            done = run("run", "-o", "/dev/null", "-e", f"inject=rename:error=ENOSPC:when={when}")
            if "report.json" in done.stderr:
                break
        self.assertEqual(done.returncode, 74, done.stderr)
        status = self.status("run")
        self.assertEqual((status["state"], status["exit_code"]), ("failed", 74))
        self.assertIn("report.json: No space left", status["message"])


class Disturbed(ProgramTest):
    """A run in progress on two ranks; `ranks` are their process ids."""

    def start(self):
        case = self.write("long.yaml", LONG)
        run = subprocess.Popen(command(TRESTLE, ["run", case, "--output", "run"], 2), env=dict(ENVIRONMENT, **SLOW_MOTION), cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(self.end, run)
        status = self.folder / "run/status.json"
        for _ in range(600):
            if status.exists() and json.loads(status.read_text())["state"] == "running" and len(self.ranks()) == 2:
                time.sleep(1)
                return run
            time.sleep(0.1)
        self.fail("the run did not start")

    def wait_for_the_end_of_ranks(self):
        for _ in range(600):
            if not self.ranks():
                break
            time.sleep(0.1)
        self.assertEqual(self.ranks(), [])

    def end(self, run):
        for process in self.ranks():
            os.kill(process, signal.SIGKILL)
        run.kill()
        run.communicate()

    def ranks(self):
        return ranks_of(TRESTLE, self.folder)

    def test_a_killed_rank_takes_all_down(self):
        run = self.start()
        os.kill(self.ranks()[-1], signal.SIGKILL)
        self.assertNotEqual(run.wait(timeout=60), 0)
        self.wait_for_the_end_of_ranks()
        self.assertEqual(self.status("run")["state"], "running")
        done = self.trestle("run", self.folder / "long.yaml", "--output", "run", code=73)
        self.assertIn("did not finish", done.stderr)

    def test_a_killed_launcher_leaves_no_orphan(self):
        run = self.start()
        run.kill()
        run.wait(timeout=60)
        self.wait_for_the_end_of_ranks()

    def test_two_runs_do_not_share_a_directory(self):
        self.start()
        done = self.trestle("run", self.case, "--output", "run", "--overwrite", code=86)
        self.assertIn("in use by another run", done.stderr)


if __name__ == "__main__":
    TRESTLE = os.path.abspath(sys.argv.pop(1))
    sys.exit(0 if parallel_tests.main(workers=3) else 1)
