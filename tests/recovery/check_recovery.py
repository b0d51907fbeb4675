#!/usr/bin/env python3
"""Runs that are interrupted go on: to the same bits on the same ranks, on other ranks too, and never silently from the start.

    check_recovery.py TRESTLE [names of tests]
"""
import json
import os
import random
import re
import shutil
import signal
import sys
import time

import crash_points
import recovery
from circumstances import Circumstances  # noqa: F401
from parallel_tests import main
from program_cases import SLOW_MOTION
from recovery_cases import CASES, HOT_CASES, LOAD_CASES, ONE_WAY, STRIP, SWEEP, TWO_WAY


class CrashPoints(recovery.RecoveryTest):
    def check(self, where, every, least):
        """`where` is (ranks, the one that has the faults); of two ranks the second writes only its shards."""
        n_points, tried, faults = crash_points.sweep(self.program, slice(None, None, every), crash_points.KINDS, where, rotate=True,
                                                     tell=lambda text: None)
        self.assertGreaterEqual(n_points, least)
        self.assertGreaterEqual(tried, 3)
        self.assertEqual(faults, [])

    def test_faults_at_calls_of_a_save_are_survived(self):
        self.check((1, 0), 60, 100)

    def test_faults_at_calls_of_the_first_of_two_ranks_are_survived(self):
        self.check((2, 0), 150, 100)

    def test_faults_at_calls_of_the_second_of_two_ranks_are_survived(self):
        self.check((2, 1), 6, 20)


class Recovery(recovery.RecoveryTest):
    def test_on_the_same_ranks_every_scheme_comes_to_the_same_bits(self):
        for name, text in CASES.items():
            with self.subTest(name):
                case = self.case(text, name + ".yaml")
                self.trestle("run", case, "--output", name, ranks=2)
                n = len(recovery.checkpoints(self.folder / name))
                self.assertGreaterEqual(n, 4)
                for position in (n // 2,) if name != "newmark" else (0, n // 2):
                    self.break_off(name, "again", position)
                    done = self.trestle("run", case, "--output", "again", "--restart", "auto", ranks=2)
                    self.assertIn("goes on from checkpoint", done.stdout)
                    self.assert_same(name, "again")
                    steps = [(self.folder / run / "steps.csv").read_text().splitlines() for run in (name, "again")]
                    columns = [[line.split(",")[:8] for line in lines] for lines in steps]
                    self.assertEqual(*columns)

    def test_two_fields_that_change_each_other_come_to_the_same_bits(self):
        # On one rank multigrid of both fields has levels, which are those of the first step's matrix.
        for young in ("1 GPa", "1e9 - 1e6*(T - 300)"):
            with self.subTest(young):
                case = self.case(TWO_WAY.replace("YOUNG", young))
                self.trestle("run", case, "--output", "run", "--overwrite")
                self.break_off("run", "again", 1)
                self.trestle("run", case, "--output", "again", "--restart", "auto")
                self.assert_same("run", "again")

    def test_a_stop_in_a_displacement_that_follows_a_temperature_loses_neither(self):
        case = self.case(ONE_WAY)
        self.trestle("run", case, "--output", "whole")
        run = self.folder / "run"
        for attempt in range(4):
            process = self.program.start("run", case, "--output", run, "--restart", "auto", environment=SLOW_MOTION)
            former = len(recovery.checkpoints(run))
            self.assertTrue(recovery.wait_until(lambda: len(recovery.checkpoints(run)) > former))
            time.sleep(2)
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(timeout=recovery.LONGEST), 75)
            newest = run / "ckpt" / recovery.checkpoints(run)[0] / "MANIFEST.json"
            if {"name": "march.unwritten", "whole": 1} in json.loads(newest.read_text())["values"]:
                break
        else:
            self.fail("the displacement does not hear that it is to stop")
        self.trestle("run", case, "--output", run, "--restart", "auto")
        self.assert_same("whole", "run")

    def test_static_cases_go_on_behind_the_last_that_was_solved(self):
        for name, text, n in (("load_cases", LOAD_CASES, 3), ("hot_cases", HOT_CASES, 4)):
            case = self.case(text, name + ".yaml")
            self.trestle("run", case, "--output", name, ranks=2)
            self.assertEqual(len(recovery.checkpoints(self.folder / name)), n)
            for position in (1, n - 1):
                with self.subTest(name, position=position):
                    self.break_off(name, "again", position)
                    done = self.trestle("run", case, "--output", "again", "--restart", "auto", ranks=2)
                    self.assertEqual(len(re.findall("^ *solve.* iterations of", done.stdout, re.MULTILINE)), n - 1 - position)
                    self.assert_same(name, "again")
                    reports = [json.loads((self.folder / run / "report.json").read_text()) for run in (name, "again")]
                    for key in ("integrals", "extremes", "solution_l2"):
                        self.assertEqual(reports[0][key], reports[1][key])
                    self.assertEqual(*([solve["name"] for solve in report["solves"]] for report in reports))

    def test_a_sweep_goes_on_behind_the_last_frequency(self):
        case = self.case(SWEEP)
        self.trestle("run", case, "--output", "run", ranks=2)
        self.assertEqual(len(recovery.checkpoints(self.folder / "run")), 5)
        for position in (1, 4):
            with self.subTest(position=position):
                self.break_off("run", "again", position)
                self.trestle("run", case, "--output", "again", "--restart", "auto", ranks=2)
                saved = [name for name in recovery.checkpoints(self.folder / "again") if name.endswith(".i0002")]
                self.assertEqual(len(saved), 4 - position)  # one after each frequency that was computed
                self.assert_same("run", "again")
                reports = [json.loads((self.folder / run / "report.json").read_text()) for run in ("run", "again")]
                for key in ("probes", "extremes", "solution_l2"):
                    self.assertEqual(reports[0][key], reports[1][key])
                self.assertEqual(*([solve["name"] for solve in report["solves"]] for report in reports))

    def test_on_other_ranks_the_results_agree(self):
        for name in ("bdf2", "newmark", "central_difference", "plastic"):
            case = self.case(CASES[name], name + ".yaml")
            self.trestle("run", case, "--output", name, ranks=2)
            for ranks in (1, 3):
                with self.subTest(name, ranks=ranks):
                    self.break_off(name, "again", 2)
                    self.trestle("run", case, "--output", "again", "--restart", "auto", ranks=ranks)
                    self.assert_same(name, "again", 1e-10)

    def test_a_longer_end_goes_on_behind_the_old_one(self):
        text = STRIP.replace("step: 0.1", "step: 1")
        self.trestle("run", self.case(text.replace("end: 1.2", "end: 10")), "--output", "whole")
        for end in (4, 7, 10):
            case = self.case(text.replace("end: 1.2", f"end: {end}"))
            self.trestle("run", case, "--output", "parts", "--restart", "auto")
        self.assert_same("whole", "parts")

    def test_at_its_end_a_run_has_nothing_left_to_do(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        shutil.copytree(self.folder / "run", self.folder / "before")
        names = recovery.checkpoints(self.folder / "run")
        self.trestle("run", case, "--output", "run", "--restart", "auto")
        self.assertEqual(recovery.checkpoints(self.folder / "run"), names)
        self.assert_same("before", "run")
        reports = [json.loads((self.folder / run / "report.json").read_text()) for run in ("before", "run")]
        for key in ("probes", "extremes", "solution_l2"):
            self.assertEqual(reports[0][key], reports[1][key])

    def test_more_states_than_the_file_was_laid_out_for(self):
        text = STRIP.replace("every: 1 steps, keep: 100", "every: 20 steps").replace("step: 0.1", "step: 0.01")
        short, long = self.case(text.replace("end: 1.2", "end: 0.4")), self.case(text, "long.yaml")
        self.trestle("run", short, "--output", "run")
        self.trestle("run", long, "--output", "run", "--restart", "auto")
        self.trestle("run", long, "--output", "whole")
        self.assert_same("whole", "run", 1e-10)

    def test_output_may_become_rarer_or_denser_on_the_way(self):
        dense = STRIP.replace("of: temperature}]}", "of: temperature}], every: 0.05}")
        self.trestle("run", self.case(dense), "--output", "dense")
        for output, position in (("every: 0.3", 5), ("every: 0.2", 9), ("times: [1.0]", 2), ("times: [0.25, 0.95]", 9), ("every: 0.01", 4)):
            with self.subTest(output):
                self.break_off("dense", "again", position)
                self.goes_on("again", dense.replace("every: 0.05", output))
        self.trestle("run", self.case(STRIP), "--output", "run")
        self.goes_on("run", STRIP.replace("end: 1.2", "end: 2.4").replace("of: temperature}]}", "of: temperature}], every: 0.6}"))

    def goes_on(self, run, text):
        done = self.trestle("run", self.case(text, "other.yaml"), "--output", run, "--restart", "auto")
        self.assertNotIn("left out", done.stdout + done.stderr)
        self.assertNotIn("is called", done.stdout)
        self.trestle("verify", run)

    def test_states_along_a_load_may_become_rarer_or_denser_on_the_way(self):
        plastic = CASES["plastic"]
        for former, position in (("every: 0.1", 4), ("every: 1", 2)):
            self.trestle("run", self.case(plastic.replace("every: 0.5", former)), "--output", "path", "--overwrite")
            for output in ("every: 0.5", "every: 0.1"):
                with self.subTest(former=former, output=output):
                    self.break_off("path", "again", position)
                    self.goes_on("again", plastic.replace("every: 0.5", output))

    def test_a_damaged_checkpoint_is_passed_over_and_named(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        newest = self.break_off("run", "again", 6)
        shard = self.folder / "again/ckpt" / newest / "s-0000.dat"
        content = bytearray(shard.read_bytes())
        content[len(content) // 2] ^= 1
        shard.write_bytes(content)
        self.assertEqual(self.trestle("verify", "again", code=76).stdout.count("WRONG"), 1)
        done = self.trestle("run", case, "--output", "again", "--restart", "auto")
        self.assertIn(f"checkpoint {newest} is skipped and renamed to .bad", done.stdout)
        self.assertTrue((self.folder / "again/ckpt" / (newest + ".bad")).is_dir())
        self.assert_same("run", "again")
        self.trestle("verify", "again")

    def test_verify_finds_what_is_missing(self):
        self.trestle("run", self.case(STRIP), "--output", "run")
        self.assertTrue(json.loads(self.trestle("verify", "run", "--json").stdout)["right"])
        for name in ("results.hdf", "report.json", "history.csv", "case.yaml", "status.json", "ckpt"):
            path, aside = self.folder / "run" / name, self.folder / "aside"
            path.rename(aside)
            told = json.loads(self.trestle("verify", "run", "--json", code=76).stdout)
            faults = [finding["name"] for finding in told["findings"] if not finding["right"]]
            self.assertEqual(faults, [name if name != "ckpt" else "000000000012.i0001"])
            aside.rename(path)
        report = json.loads((self.folder / "run/report.json").read_text())
        half = {name: (lambda text: text[:len(text) // 2]) for name in ("report.json", "report.html", "history.csv", "steps.csv", "case.yaml")}
        without = {"report.json": lambda text: json.dumps({key: value for key, value in report.items() if key != "probes"})}
        for name, change in (*half.items(), *without.items()):
            path = self.folder / "run" / name
            text = path.read_text()
            path.write_text(change(text))
            told = json.loads(self.trestle("verify", "run", "--json", code=76).stdout)
            self.assertEqual([finding["name"] for finding in told["findings"] if not finding["right"]], [name])
            path.write_text(text)
        shutil.rmtree(self.folder / "run/ckpt")
        self.trestle("run", self.case(STRIP), "--output", "never", "--set", "checkpoint={every: never}")
        self.trestle("verify", "never")
        (self.folder / "none").mkdir()
        self.trestle("verify", "none", code=66)

    def test_a_run_whose_status_is_damaged_goes_on(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        newest = self.break_off("run", "broken", 6)
        text = (self.folder / "broken/status.json").read_text()
        for damaged in ("", text[:100], "garbage\0", "x" * (2 << 20), None):
            with self.subTest(damaged and damaged[:10]):
                self.copy_with_status("broken", "again", damaged)
                self.assertIn("holds a run whose status.json is damaged or missing; --restart auto",
                              self.trestle("run", case, "--output", "again", code=73).stderr)
                self.assertIn("status.json is damaged or missing", self.trestle("run", case, "--output", "again", "--restart", "auto").stdout)
                self.assertIn("is damaged or missing", json.loads((self.folder / "again/report.json").read_text())["warnings"][0])
                self.assert_same("run", "again")
        self.copy_with_status("broken", "again", "")
        self.trestle("run", case, "--output", "again", "--restart", f"again/ckpt/{newest}")
        self.assert_same("run", "again")
        self.copy_with_status("broken", "again", "")
        self.trestle("run", case, "--output", "again", "--overwrite")
        self.assert_same("run", "again")
        self.copy_with_status("broken", "again", "")
        shutil.rmtree(self.folder / "again/ckpt")  # its starts tell that there were some
        self.trestle("run", case, "--output", "again", "--restart", "auto", code=76)
        (self.folder / "foreign").mkdir()
        (self.folder / "foreign/status.json").write_text("")
        self.assertIn("not of a Trestle run", self.trestle("run", case, "--output", "foreign", "--restart", "auto", code=73).stderr)

    def copy_with_status(self, run, copy, text):
        shutil.rmtree(self.folder / copy, ignore_errors=True)
        shutil.copytree(self.folder / run, self.folder / copy)
        (self.folder / copy / "status.json").unlink()
        if text is not None:
            (self.folder / copy / "status.json").write_text(text)

    def test_without_a_checkpoint_it_does_not_begin_again_by_itself(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        self.break_off("run", "again", 3)
        for manifest in self.folder.glob("again/ckpt/*/MANIFEST.json"):
            manifest.write_text("{}")
        done = self.trestle("run", case, "--output", "again", "--restart", "auto", code=76)
        self.assertIn("no checkpoint to go on from", done.stderr)
        shutil.rmtree(self.folder / "again/ckpt")
        self.trestle("run", case, "--output", "again", "--restart", "auto", code=76)
        self.trestle("run", case, "--output", "again", "--overwrite")
        self.assert_same("run", "again")

    def test_a_changed_case_is_refused_with_its_keys(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        self.break_off("run", "again", 3)
        changed = self.case(STRIP.replace("300 + 50", "300 + 60").replace("step: 0.1", "step: 0.05"), "changed.yaml")
        done = self.trestle("run", changed, "--output", "again", "--restart", "auto", code=76)
        self.assertIn("analysis.step: 0.1 -> 0.05", done.stderr)
        self.assertIn("boundary[0].temperature: 300 + 50*sin(3*t) -> 300 + 60*sin(3*t)", done.stderr)
        self.assertIn("it may change its title, end, output, expectations, checkpoint, stop, watchdog, and the solver's tolerance, max_iterations,", done.stderr)
        finer = self.case(STRIP.replace("[12, 6]", "[12, 7]"), "finer.yaml")
        self.trestle("run", finer, "--output", "again", "--restart", "auto", code=76)
        allowed = self.case(STRIP.replace("1e-12", "1e-11").replace("precision: double", "precision: mixed, max_iterations: 500"), "allowed.yaml")
        self.assertIn("solver.precision: double -> mixed",
                      self.trestle("run", allowed, "--output", "again", "--restart", "auto").stdout)
        self.assert_same("run", "again", 1e-8)

    def test_another_mesh_of_the_same_name_is_refused(self):
        mesh = self.folder / "part.msh"
        square = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
3
1 1 2 1 1 1 4
2 2 2 2 1 1 2 3
3 2 2 2 1 1 3 4
$EndElements
"""
        mesh.write_text(square)
        case = self.case("""\
physics: heat
analysis: {type: transient, end: 1, step: 0.25}
mesh: {file: part.msh}
materials: {medium: {conductivity: 1, density: 1, specific_heat: 1}}
initial: [{temperature: 1}]
boundary: [{on: "1", temperature: 0}]
checkpoint: {every: 1 steps, keep: 100}
""")
        self.trestle("run", case, "--output", "run")
        self.break_off("run", "again", 1)
        mesh.write_text(square.replace("3 1 1 0", "3 1 1.5 0"))
        self.assertIn("the mesh is not that of checkpoint",
                      self.trestle("run", case, "--output", "again", "--restart", "auto", code=76).stderr)

    def test_results_that_were_changed_are_kept_beside_new_ones(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        self.break_off("run", "again", 5)
        (self.folder / "again/results.hdf").write_text("mine")
        done = self.trestle("run", case, "--output", "again", "--restart", "auto")
        self.assertIn("is called", done.stdout)
        self.assertEqual((self.folder / "again/results.1.hdf").read_text(), "mine")
        os.remove(self.folder / "again/results.1.hdf")
        self.trestle("verify", "again")

    def test_a_checkpoint_can_be_named(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        name = sorted(recovery.checkpoints(self.folder / "run"))[4]
        self.trestle("run", case, "--output", "branch", "--restart", f"run/ckpt/{name}")
        self.assertEqual(recovery.status(self.folder / "branch")["state"], "completed")
        shutil.copytree(self.folder / "run", self.folder / "back")
        self.trestle("run", case, "--output", "back", "--restart", f"back/ckpt/{name}")
        self.assert_same("run", "back")
        self.trestle("run", case, "--output", "none", "--restart", "nowhere", code=76)

    def test_a_checkpoint_that_ends_two_starts_is_passed_over_and_a_loop_ends(self):
        case = self.case(STRIP)
        self.trestle("run", case, "--output", "run")
        newest = self.break_off("run", "again", 6)
        journal = self.folder / "again/incarnations.json"
        starts = json.loads(journal.read_text())
        fruitless = dict(starts["incarnations"][0], saves=0, entered=True, end="", **{"from": newest})
        starts["incarnations"] += [dict(fruitless, incarnation=2), dict(fruitless, incarnation=3)]
        journal.write_text(json.dumps(starts))
        shutil.copytree(self.folder / "again", self.folder / "loop")
        done = self.trestle("run", case, "--output", "again", "--restart", "auto")
        self.assertIn(f"checkpoint {newest} is passed over: 2 starts", done.stdout)
        self.assert_same("run", "again")
        starts["incarnations"].append(dict(fruitless, incarnation=4))
        (self.folder / "loop/incarnations.json").write_text(json.dumps(starts))
        self.trestle("run", case, "--output", "loop", "--restart", "auto", code=87)
        self.trestle("run", case, "--output", "loop", "--restart", f"loop/ckpt/{newest}")
        self.assert_same("run", "loop")

    def test_starts_that_are_refused_for_the_case_do_not_count_as_a_loop(self):
        self.trestle("run", self.case(STRIP), "--output", "whole")
        self.break_off("whole", "run", 6)
        for fault, code in (("boundary.0.temperature=301", 76), ("output.integrals=[{name: flow, of: heat_flux, on: nowhere}]", 78)):
            for attempt in range(5):
                self.trestle("run", self.case(STRIP), "--output", "run", "--restart", "auto", "--set", fault, code=code)
        self.trestle("run", self.case(STRIP), "--output", "run", "--restart", "auto")
        self.assert_same("whole", "run")
        starts = json.loads((self.folder / "run/report.json").read_text())["starts"]
        self.assertEqual([start["end"] for start in starts][1:-1], ["refused"] * (len(starts) - 2))

    def test_the_last_but_two_checkpoints_stay(self):
        self.trestle("run", self.case(recovery.STRIP), "--output", "run")
        names = recovery.checkpoints(self.folder / "run")
        self.assertEqual(len(names), 3)
        self.assertGreaterEqual(len(list(self.folder.glob("run/ckpt/*/VERIFIED"))), 1)
        self.assertEqual((self.folder / "run/ckpt/LATEST").read_text().strip(), names[0])

    def test_never_makes_none(self):
        self.trestle("run", self.case(STRIP.replace("1 steps, keep: 100", "never")), "--output", "run")
        self.assertFalse((self.folder / "run/ckpt").exists())

    def test_a_run_that_is_killed_at_any_time_goes_on(self):
        case = self.case(recovery.STRIP.replace("[12, 6]", "[60, 30]").replace("step: 0.1", "step: 0.03"))
        self.trestle("run", case, "--output", "whole", ranks=2)
        moments = random.Random(7)
        for trial in range(3):
            run = self.folder / f"killed{trial}"
            process = self.program.start("run", case, "--output", run, ranks=2)
            self.assertTrue(recovery.wait_until(lambda: len(recovery.checkpoints(run)) > 0))
            try:
                process.wait(timeout=moments.uniform(0, 1))
            except recovery.subprocess.TimeoutExpired:
                pass
            recovery.kill(process)
            self.trestle("run", case, "--output", run, "--restart", "auto", ranks=moments.choice((1, 2, 3)))
            self.assert_same("whole", run, 1e-10)


if __name__ == "__main__":
    recovery.RecoveryTest.trestle_program = sys.argv.pop(1)
    sys.exit(0 if main(workers=4) else 1)
