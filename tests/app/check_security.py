#!/usr/bin/env python3
"""What a hostile or careless case, mesh or environment must not bring about: reading and writing where the operator forbids
it, contents of other files in messages, code from plugins, terminal and spreadsheet tricks.

    check_security.py TRESTLE
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import parallel_tests  # noqa: E402
from program_processes import ENVIRONMENT  # noqa: E402

TRESTLE = ""
SQUARE = """\
title: A square
physics: heat
mesh: {generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}
materials: {medium: {conductivity: 1}}
boundary:
  - {on: xmin, temperature: 0}
  - {on: xmax, temperature: 1}
solver: {device: cpu}
output: {fields: [temperature]}
"""
HEAT = SQUARE.replace("solver:", "analysis: {type: transient, end: 1, step: 0.5}\nsolver:").replace("conductivity: 1", "conductivity: 1, density: 1, specific_heat: 1") + """\
initial: [{temperature: 0}]
checkpoint: {every: 1 steps}
"""
SECRET = "topsecret-word"  # short enough to be quoted whole


class SecurityTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("inside", "outside"):
            (self.folder / name).mkdir()
        self.secret = self.folder / "outside/secret"
        self.secret.write_text(SECRET + "\n")
        self.case = self.write("inside/square.yaml", SQUARE)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def trestle(self, *arguments, code=0, roots=False, about="", umask=-1, **variables):
        environment = dict(ENVIRONMENT, **variables)
        if roots:
            environment["TRESTLE_ROOTS"] = str(self.folder / "inside")
        done = subprocess.run([TRESTLE, *map(str, arguments)], env=environment, cwd=self.folder / "inside",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, umask=umask)
        out = done.stdout.decode(errors="replace")
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, f"{arguments} {about}\n{out}")
        self.assertNotIn(SECRET, out)
        return out


class Roots(SecurityTest):
    def test_nothing_outside_is_read(self):
        (self.folder / "inside/link.msh").symlink_to(self.secret)
        mesh = SQUARE.replace("{generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}", "{file: MESH}")
        for path in ("../outside/secret", self.secret, "link.msh", "/etc/passwd", "/proc/self/environ", "../../../../../etc/passwd"):
            case = self.write("inside/mesh.yaml", mesh.replace("MESH", str(path)))
            self.trestle("run", case, code=77, roots=True)
            self.trestle("mesh", "check", self.folder / "inside" / path, code=77, roots=True)
        self.trestle("check", self.secret, code=77, roots=True)
        self.trestle("submit", self.case, "--profile", self.secret, "--dry-run", code=77, roots=True)
        self.trestle("batch", "run", self.secret, code=77, roots=True)
        self.trestle("results", "info", self.secret, code=77, roots=True)
        self.trestle("report", self.folder / "outside", code=77, roots=True)

    def test_a_deck_includes_nothing_from_outside(self):
        deck = self.write("inside/deck.inp", f"*INCLUDE, INPUT={self.secret}\n")
        self.trestle("mesh", "check", deck, code=(65, 77), roots=True)

    def test_nothing_outside_is_written(self):
        (self.folder / "inside/link").symlink_to(self.folder / "outside")
        before = sorted(self.folder.glob("outside/**/*"))
        for path in ("../outside/run", self.folder / "outside/run", "link/run", "link", "/etc/trestle-run"):
            self.trestle("run", self.case, "--output", path, code=77, roots=True)
            self.trestle("batch", "run", self.case, "--output", path, code=77, roots=True)
            self.trestle("submit", self.case, "--output", path, code=77, roots=True)
            self.trestle("mesh", "convert", self.case, f"{path}.h5", code=(65, 77), roots=True)
        self.trestle("run", self.case, "--output", "run", roots=True)
        self.trestle("results", "export", "run", "--directory", "../outside", code=77, roots=True)
        self.assertEqual(sorted(self.folder.glob("outside/**/*")), before)

    def test_no_run_outside_is_gone_on_from_or_verified(self):
        case = self.write("inside/heat.yaml", HEAT)
        self.trestle("run", case, "--output", "run")
        (self.folder / "inside/run").rename(self.folder / "outside/run")
        self.trestle("run", case, "--output", "run")
        (self.folder / "inside/way").symlink_to(self.folder / "outside")
        for path in ("../outside/run", "way/run", "way/run/ckpt/000000000002.i0001"):
            said = self.trestle("run", case, "--output", "new", "--restart", path, code=77, roots=True)
            self.assertIn("lies outside the folders that TRESTLE_ROOTS allows", said)
            self.assertIn("lies outside the folders", self.trestle("verify", path, code=77, roots=True))
        shutil.rmtree(self.folder / "inside/run/ckpt")
        (self.folder / "inside/run/ckpt").symlink_to(self.folder / "outside/run/ckpt")
        for arguments in (("run", case, "--output", "run", "--restart", "auto"), ("run", case, "--output", "new", "--restart", "run"), ("verify", "run")):
            self.assertIn("lies outside the folders", self.trestle(*arguments, code=77, roots=True))

    def test_no_checkpoint_is_made_through_a_link(self):
        case = self.write("inside/heat.yaml", HEAT)
        self.trestle("run", case, "--output", "run")
        away, here = self.folder / "outside/ckpt", self.folder / "inside/run/ckpt"
        here.rename(away)
        here.symlink_to(away)
        before = sorted(away.iterdir())
        said = self.trestle("run", case, "--output", "run", "--restart", "auto", "--set", "analysis.end=3", code=77)
        self.assertIn("run/ckpt", said)
        self.assertIn("it is a symbolic link, which is not followed for writing", said)
        self.trestle("run", case, "--output", "run", "--overwrite")
        self.assertEqual(sorted(away.iterdir()), before)
        self.assertFalse(here.is_symlink())

    def test_a_link_in_a_run_directory_is_not_written_through(self):
        self.trestle("run", self.case, "--output", "run")
        target = self.write("outside/target", "unchanged")
        for name in ("lease.json", "status.json", "report.json", "results.hdf", "history.csv"):
            (self.folder / "inside/run" / name).unlink(missing_ok=True)
            (self.folder / "inside/run" / name).symlink_to(target)
            self.trestle("run", self.case, "--output", "run", "--overwrite", code=(0, 73, 77))
            self.assertEqual(target.read_text(), "unchanged", name)
            (self.folder / "inside/run" / name).unlink(missing_ok=True)


class Contents(SecurityTest):
    def test_messages_never_show_what_stands_in_a_file_that_is_no_mesh(self):
        mesh = SQUARE.replace("{generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}", "{file: ../outside/secret}")
        self.trestle("run", self.write("inside/mesh.yaml", mesh), code=65)
        self.trestle("mesh", "info", self.secret, code=65)

    def test_messages_never_show_what_stands_in_a_file_that_is_none_of_ours(self):
        mesh = SQUARE.replace("{generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}", "{file: MESH}")
        for text in ("key: WORD", "- WORD", "$WORD\n$EndWORD", "*WORD", "user:WORD:0:0\n"):
            other, deck = (self.write("outside/" + name, text.replace("WORD", SECRET)) for name in ("other", "other.inp"))
            case = self.write("inside/mesh.yaml", mesh.replace("MESH", str(other)))
            for arguments in (("run", case), ("mesh", "info", deck), ("check", other), ("submit", self.case, "--profile", other, "--dry-run")):
                self.trestle(*arguments, code=(65, 78), about=text)
        deck = self.write("inside/deck.inp", f"*NODE, INPUT={self.secret}\n")
        self.trestle("mesh", "info", deck, code=65)
        self.write("inside/deck.inp", f"*NODE\n1, 0, 0\n*NSET, NSET=A\n*INCLUDE, INPUT={self.secret}\n")
        self.trestle("mesh", "info", deck, code=65)
        self.trestle("batch", "run", self.secret, "--output", "batch", code=78)
        self.trestle("batch", "status", "batch", code=78)

    def test_the_faults_of_a_case_are_shown_with_their_words(self):
        self.assertIn('unknown key "foo"', self.trestle("check", self.write("inside/wrong.yaml", SQUARE + "foo: 1\n"), code=78))
        self.assertIn('in "foo 1"', self.trestle("check", self.write("inside/wrong.yaml", SQUARE + "foo 1\n"), code=78))

    def test_nothing_that_is_no_regular_file_is_read(self):
        os.mkfifo(self.folder / "inside/pipe")
        for path in ("pipe", "/dev/zero", "/dev/stdin", ".", "http://127.0.0.1/x", "|id", "file:///etc/passwd"):
            self.trestle("mesh", "info", path, code=(65, 66, 77))
            self.trestle("check", path, code=(65, 66, 77, 78))

    def test_files_are_for_their_owner_and_group(self):
        self.trestle("run", self.case, "--output", "run", umask=0)
        for path in [self.folder / "inside/run", *(self.folder / "inside/run").rglob("*")]:
            self.assertEqual(path.stat().st_mode & (stat.S_IRWXO | stat.S_IWGRP), 0, f"{path} {path.stat().st_mode:o}")

    def test_root_is_told_and_another_user_is_not(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        self.assertIn("running as root", self.trestle("run", self.case, "--output", "../as_root"))
        program = shutil.copy(TRESTLE, self.folder / "program")  # where anyone may read it
        for folder in (self.folder, self.folder / "inside"):
            folder.chmod(0o777)
        nobody = 65534
        done = subprocess.run([program, "run", self.case, "--output", "run"], env=ENVIRONMENT, cwd=self.folder / "inside", user=nobody,
                              group=nobody, extra_groups=[], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("running as root", done.stdout + done.stderr)
        self.assertEqual((self.folder / "inside/run/results.hdf").stat().st_uid, nobody)

    def test_no_environment_in_what_a_run_writes(self):
        self.trestle("run", self.case, "--output", "run", MY_TOKEN=SECRET)
        for path in (self.folder / "inside/run").rglob("*"):
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), path)

    def test_names_cannot_steer_terminals_pages_or_spreadsheets(self):
        title = '"<script>alert(1)</script>\\e]0;owned\\a"'
        name = '"=cmd()"'
        text = SQUARE.replace("title: A square", f"title: {title}") + "cases: [{name: %s, boundary: [{on: body, source: 1}]}]\n" % name
        out = self.trestle("run", self.write("inside/evil.yaml", text), "--output", "run")
        self.assertNotIn("\x1b]0;", out)
        run = self.folder / "inside/run"
        self.assertNotIn("<script>alert", (run / "report.html").read_text())
        self.assertNotIn("\x1b", (run / "report.html").read_text())
        for line in (run / "history.csv").read_text().splitlines():
            for cell in line.split(","):
                self.assertFalse(cell.strip('"').startswith(("=", "@")), line)


class Hdf5(SecurityTest):
    def convert(self, name="mesh.h5"):
        self.write("inside/one.inp", "*NODE\n1,0,0\n2,1,0\n3,0,1\n*ELEMENT,TYPE=CPS3\n1,1,2,3\n")
        self.trestle("mesh", "convert", "one.inp", name)
        return self.folder / "inside" / name

    def datasets(self, file):
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        return names

    def test_data_and_links_outside_of_the_file_are_refused(self):
        whole = self.convert()
        with h5py.File(whole, "r") as file:
            names = self.datasets(file)
        self.assertTrue(names)
        other = self.folder / "outside/other.h5"
        shutil.copy(whole, other)
        for name in names:
            for kind in ("external", "soft", "link", "virtual", "huge"):
                path = self.folder / "inside/evil.h5"
                shutil.copy(whole, path)
                with h5py.File(path, "r+") as file:
                    shape, dtype = file[name].shape, file[name].dtype
                    if 0 in shape:
                        continue  # there is nothing to read
                    del file[name]
                    if kind == "external":
                        file.create_dataset(name, shape=shape, dtype=dtype, external=[(str(self.secret), 0, h5py.h5f.UNLIMITED)])
                    elif kind == "soft":
                        file[name] = h5py.SoftLink("/" + next(other for other in names if other != name))
                    elif kind == "link":
                        file[name] = h5py.ExternalLink(str(other), name)
                    elif kind == "virtual":
                        layout = h5py.VirtualLayout(shape=shape, dtype=dtype)
                        layout[...] = h5py.VirtualSource(str(other), name, shape=shape)
                        file.create_virtual_dataset(name, layout)
                    else:
                        file.create_dataset(name, shape=(1 << 50, *shape[1:]), dtype=dtype, chunks=(1 << 10, *shape[1:]))
                out = self.trestle("mesh", "check", path, code=(65, 77), about=f"{kind} {name}")
                self.assertIn("evil.h5", out)

    def test_plugins_are_never_loaded(self):
        path = self.convert()
        done = subprocess.run(["strace", "-f", "-e", "trace=openat", TRESTLE, "mesh", "check", str(path)],
                              env=dict(ENVIRONMENT, HDF5_PLUGIN_PATH="/nowhere/plugins"), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:])
        self.assertNotIn("/nowhere/plugins", done.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    TRESTLE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    sys.exit(0 if parallel_tests.main(workers=2) else 1)
