"""The table of the validation as one HTML page, with a picture of each case."""
import base64
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STYLE = """
body{margin:0 auto;max-width:1100px;padding:24px 16px 60px;font:15px/1.5 system-ui,sans-serif;color:#1d2733;background:#fff}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:3px 10px 3px 0;border-bottom:1px solid #dde3ea;vertical-align:top;overflow-wrap:anywhere}
h2{font-size:17px;margin:28px 0 6px}img{max-width:420px;width:100%;display:block;margin:6px 0}
.soft{color:#5c6b7a}.good{color:#00795a}.bad{color:#b3261e;font-weight:600}
"""


def python_with_vtk():
    """An interpreter that imports VTK, the newest first: from 9.3 on it reads several states, and needs no display. None: there is none."""
    for python in (os.environ.get("TRESTLE_VTK_PYTHON"), ROOT / "build/vtk/bin/python", sys.executable, "/usr/bin/python3"):
        if python and pathlib.Path(python).exists():
            if subprocess.run([str(python), "-c", "import vtk"], stderr=subprocess.DEVNULL).returncode == 0:
                return str(python)
    return None


def undrawn(stderr):
    """Why VTK drew nothing, without the colours that it prints."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", stderr).strip()
    return "VTK before 9.3 cannot read several states" if "reader supports 1.0" in text else text[-200:]


class Pictures:
    """A picture of one run of each folder, the first to end, as PNG."""

    def __init__(self, wanted):
        self.python = python_with_vtk() if wanted else None
        self.images = {}

    def take(self, folder, directory, report):
        if self.python is None or folder in self.images:
            return
        fields = list(dict.fromkeys(extreme["of"] for extreme in report["extremes"]))
        if not fields:
            return
        self.images[folder] = None  # being drawn
        field = next((name for name in ("von_mises", "temperature") if name in fields), fields[0])
        with tempfile.TemporaryDirectory() as where:
            image = pathlib.Path(where) / "picture.png"
            done = subprocess.run([self.python, str(ROOT / "docs/images/picture.py"), str(directory / "results.hdf"), field, str(image)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
            self.images[folder] = image.read_bytes() if image.exists() else undrawn(done.stderr)


def picture(pictures, folder):
    image = pictures.images.get(folder)
    if isinstance(image, bytes):
        return f'<img alt="{folder}" src="data:image/png;base64,{base64.b64encode(image).decode()}">\n'
    return f'<p class="soft">no picture: {html.escape(image)}</p>\n' if image else ""


def write(path, rows, pictures):
    """`rows` as those of the table: case, ranks, what, value, reference, error, band, whether it is met."""
    folders = {}
    for row in rows:
        folders.setdefault(row[0].split(" ")[0], []).append(row)
    bad = sum(not row[-1] for row in rows)
    parts = [f"<h1>Validation of Trestle</h1>\n<p>{len(rows)} values of {len(folders)} cases: "
             f'<span class="{"bad" if bad else "good"}">{len(rows) - bad} within their bands, {bad} outside</span>.</p>\n']
    if pictures.python is None:
        parts.append('<p class="soft">Without pictures: there is no VTK for Python here (Debian: python3-vtk9).</p>\n')
    for folder, its_rows in folders.items():
        title = (pathlib.Path(__file__).parent / folder / "README.md").read_text().splitlines()[0].lstrip("# ")
        parts.append(f"<h2>{html.escape(title)}</h2>\n<p class=\"soft\">{folder}</p>\n" + picture(pictures, folder))
        parts.append("<table><tr><th></th><th>run</th><th>ranks</th><th>what</th><th>value</th><th>reference</th><th>error</th><th>band</th></tr>\n")
        for case, ranks, what, value, reference, error, band, met in its_rows:
            cells = (case.removeprefix(folder).strip(), ranks, what, value, reference, error, band)
            parts.append(f'<tr><td class="{"good" if met else "bad"}">{"ok" if met else "BAD"}</td>' +
                         "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>\n")
        parts.append("</table>\n")
    path.write_text('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Validation of Trestle</title>'
                    f"<style>{STYLE}</style></head><body>\n{''.join(parts)}</body></html>\n")
