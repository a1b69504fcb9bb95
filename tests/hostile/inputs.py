"""Inputs that attack: files of this folder, those that a few lines make, and what must come of each.

A row is a command, its exit code, and words that are said. ``{files}`` is the folder ``files`` here, ``{made}`` one of
files made by :func:`make`, ``{fixtures}`` the fixtures of the project.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

FILES = Path(__file__).parent / "files"

INFO = "info {files}/"
CHECK = "check {files}/"
AGAINST = "check {fixtures}/mbsd/double_pendulum.mbsd --against um:"
MADE = "info {made}/"
STATE = "evaluate {fixtures}/mbsd/double_pendulum.mbsd --formalism lagrange --state {made}/"
PARAMETERS = "info {fixtures}/mbsd/double_pendulum.mbsd --parameters {made}/"

#: Commands with the name of a file, which no system has.
NAMED = (
    "info NAME", "check NAME", "derive NAME --formalism lagrange", "evaluate NAME --formalism lagrange",
    "compare {files}/zero_mass_A.mbsd NAME", "convert NAME -", "convert {files}/zero_mass_A.mbsd NAME.mbsd",
    "check {files}/zero_mass_A.mbsd --report NAME.html", "check {files}/zero_mass_A.mbsd --expect NAME.toml",
    "check {files}/zero_mass_A.mbsd --against um:NAME", "check {files}/zero_mass_A.mbsd --state NAME.json",
    "info {files}/zero_mass_A.mbsd --parameters NAME.par",
)  # fmt: skip

#: command -> exit code, words on standard error (on standard output where the code is 0)
ROWS: dict[str, tuple[int, str]] = {
    # numbers of thousands of digits
    AGAINST + "{files}/InitJFrc_5000_digits.hpp": (2, ":3:1: error: index 99999999999999999999 is out of range"),
    AGAINST + "{made}/um_call_5000_digits": (2, "_KPendulum.hpp:58:1: error: 99999999999999999999…: 5,000 digits"),
    INFO + "partial_order_5000_digits.mbsd": (2, ":1:5: error: bodies/body1/joint: formula: f: 9999"),
    INFO + "um_digits.dat": (2, ":2:1: error: found the number of a block with 5,000 digits"),
    MADE + "name_5000_digits.mbsd": (0, "m" + "9" * 40),
    MADE + "exponent_5000_digits.mbsd": (2, ":1:5: error: bodies/body1/joint: formula: the number 1e9999"),
    MADE + "exponent_5000_digits.tp.csv": (2, ":2:"),
    MADE + "base_5000_digits.tp.csv": (2, ":2:"),
    MADE + "exponent_5000_digits.mbs.json": (2, ":1:"),
    MADE + "graph_5000_digits.mbs.json": (2, ":1:"),
    STATE + "digits_5000.json": (2, "5000"),
    PARAMETERS + "digits_5000.txt": (2, "digits_5000.txt"),
    # growth
    INFO + "partial_order_1e9.mbsd": (2, ":1:5: error: bodies/body1/joint: formula: f: 999999999 differentiations"),
    INFO + "derivative_order_40.mbsd": (2, ":1:5: error: bodies/body1/joint: formula: f: 40 differentiations"),
    INFO + "laughs_of_functions.mbsd": (2, ":1:233: error: functions/f9: 1,022 calls of functions"),
    INFO + "nested_repeat.mbsd": (2, ":1:4: error: 9 repetitions of 199,290 items"),
    INFO + "repeat_3000.mbsd": (0, "3001 bodies, 3001 coordinates"),
    "check --states 1 {files}/repeat_3000.mbsd": (0, "repeat_3000.mbsd: agrees, link by link"),
    INFO + "repeat_60_check.mbsd": (0, "61 bodies, 61 coordinates"),
    AGAINST + "{made}/um_call_fanout": (2, "_KPendulum.hpp:58:1: error: the procedures run more than 500,000"),
    MADE + "repeats_in_repeats.mbsd": (2, "error: repetitions nested deeper than 50"),
    # sizes
    INFO + "far_cell.tp.xlsx": (2, ":1048576:16384: error: a sheet of 1,048,576 rows; expected at most 20,000"),
    MADE + "inflating.tp.xlsx": (2, ":1:1: error: a workbook of 100,0"),
    MADE + "entities.tp.xlsx": (2, ":1:1: error:"),
    MADE + "cells.tp.xlsx": (2, ":1:1: error: a workbook of 600,001 cells; expected at most 500,000"),
    MADE + "styles.tp.xlsx": (2, ":1:1: error: a workbook of 600,0"),
    MADE + "values.tp.xlsx": (2, ":1:1: error: a workbook of 1,100,0"),
    MADE + "um_variables/input.dat": (2, "characters of what is left out, variables written out each time; expected"),
    MADE + "long_field.tp.csv": (2, ":2:1: error: a line of 140,003 characters; expected at most 100,000"),
    "info /dev/zero": (2, "/dev/zero:1:1: error: more than 100,000,000 bytes"),
    "info {fixtures}/mbsd/double_pendulum.mbsd --parameters /dev/zero": (2, "/dev/zero:1:1: error: more than"),
    AGAINST + "/dev/zero": (2, "/dev/zero:1:1: error: more than 8,000,000 bytes"),
    MADE + "orphans.mbs.json": (2, "there is no body 'nobody' (known bodies: b0, b1, b10"),
    # nesting
    STATE + "nested.json": (2, "error:"),
    PARAMETERS + "nested.json": (2, "error:"),
    MADE + "nested.mbs.json": (2, "error: nested deeper than 200 levels"),
    # meaning
    STATE.replace("{made}", "{files}") + "state_duplicate_key.json": (2, "twice"),
    CHECK + "mbsd_post2.mbsd": (2, ":1:38: error: bodies/body6/joint/1: 1.000e+400 is beyond the range of floats"),
    CHECK + "zero_mass_A.mbsd": (3, "1 file: 1 not checked"),
    CHECK + "zero_mass_B.mbsd": (3, "1 file: 1 not checked"),
    "compare {files}/zero_mass_A.mbsd {files}/zero_mass_B.mbsd": (3, "nothing was compared"),
    INFO + "terminal_escape.mbs.json": (0, "b\\x1b[31m"),
    CHECK + "terminal_escape.mbs.json": (3, "\\x1b]0;owned\\x07\\x1b[2Jz"),
    "check {files}/zero_mass_A.mbsd --expect /dev/zero": (2, "/dev/zero:1:1: error: more than 1,000,000 bytes"),
    # names of files
    "check {made}/loop.mbsd": (2, "loop.mbsd: error: Too many levels of symbolic links (name a file"),
    "convert {made}/\udcff.mbsd - --to um": (2, "error: the character '\\udcff' cannot be written in utf-8"),
    "info {made}": (2, "a folder; expected one that is a model"),
    **{command.replace("NAME", "n" * 5000): (2, "error: ") for command in NAMED},
}  # fmt: skip


#: Rows that take seconds: they are left to the whole suite.
SLOW = {row for row in ROWS if "um_call_fanout" in row or "repeat_3000" in row or "um_variables" in row}


def make(folder: Path, pendulum: Path) -> None:
    """Make the files that are too large to keep, or that are others with a small change."""
    for name, text in _TEXTS.items():
        (folder / name).write_text(text(), encoding="utf-8")
    for name in ("um_call_fanout", "um_call_5000_digits"):
        shutil.copytree(pendulum, folder / name)
        shutil.copy(FILES / name / "_KPendulum.hpp", folder / name)
    for name, (part, text) in _PARTS.items():
        _changed_part(folder / name, part, text())
    (folder / "loop.mbsd").symlink_to("loop.mbsd")
    (folder / "\udcff.mbsd").write_text("z i g")  # a byte that is no UTF-8
    (folder / "um_variables").mkdir()
    (folder / "um_variables" / "input.dat").write_text(_variables(1_200), encoding="utf-8")


def _changed_part(path: Path, changed: str, text: bytes) -> None:
    """A workbook with another part."""
    with (
        zipfile.ZipFile(FILES / "far_cell.tp.xlsx") as old,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.namelist():
            if part != changed:
                new.writestr(part, old.read(part))
        new.writestr(changed, text)


_DIGITS = "9" * 5000
_TABLE = "i;i-1;КП;q;d;x;y;z\n"
_SPREADSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "laugh">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    + f"]><worksheet {_SPREADSHEET}><sheetData>"
    + '<row r="1"><c r="A1" t="inlineStr"><is><t>&a9;</t></is></c></row></sheetData></worksheet>'
).encode()


def _sheet(row: str) -> bytes:
    return f"<worksheet {_SPREADSHEET}><sheetData><row>{row}</row></sheetData></worksheet>".encode()


#: workbook -> the part that is another, and its text
_PARTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "inflating.tp.xlsx": ("xl/worksheets/sheet1.xml", lambda: b" " * 100_000_000),
    "entities.tp.xlsx": ("xl/worksheets/sheet1.xml", lambda: _LAUGHS),
    "cells.tp.xlsx": ("xl/worksheets/sheet1.xml", lambda: _sheet("<c/>" * 600_000)),
    "values.tp.xlsx": ("xl/worksheets/sheet1.xml", lambda: _sheet("<v/>" * 1_100_000)),
    "styles.tp.xlsx": (
        "xl/styles.xml",
        lambda: f"<styleSheet {_SPREADSHEET}>{'<xf/>' * 600_000}</styleSheet>".encode(),
    ),
}


def _variables(n: int) -> str:
    """Each variable uses the one before, each image a variable."""
    blocks = [f'with var{i};\n  name="v{i}"; expression=v{i - 1}+1;\n' for i in range(1, n)]
    blocks += [f'with go{i};\n  name="g{i}";\n with ge1;\n  type=v{i};\n' for i in range(1, n)]
    return 'with main;\n objectidentifier="m";\n' + "".join(blocks) + "with end;\n"


def _native(**parts: object) -> str:
    return json.dumps({"format": "mbconcord", "version": 1, "name": "m", **parts})


def _orphans() -> str:
    return _native(bodies=[{"name": f"b{i}", "parent": "nobody"} for i in range(3000)])


def _graph() -> str:
    graph = {"graph": {"nodes": [["num", _DIGITS]], "outputs": [0]}}
    return _native(parameters=[{"name": "p", "value": graph}])


_TEXTS: dict[str, Callable[[], str]] = {
    "name_5000_digits.mbsd": lambda: f"z i(m{_DIGITS}) g",
    "exponent_5000_digits.mbsd": lambda: f"z i(1e{_DIGITS}) g",
    "exponent_5000_digits.tp.csv": lambda: (
        _TABLE.replace("z\n", "z;q0\n") + f"1;0;ВКП;z;0;x1;y1;z;1e{_DIGITS}\n"
    ),
    "base_5000_digits.tp.csv": lambda: _TABLE + f"1;{_DIGITS};ВКП;z;0;x1;y1;z\n",
    "exponent_5000_digits.mbs.json": lambda: _native(parameters=[{"name": "p", "value": f"1e{_DIGITS}"}]),
    "graph_5000_digits.mbs.json": _graph,
    "digits_5000.json": lambda: f'{{"q": {{"z1": {_DIGITS}}}}}',
    "digits_5000.txt": lambda: f"m1 = {_DIGITS}",
    "repeats_in_repeats.mbsd": lambda: "(" * 500 + "z i" + ")" * 500,
    "long_field.tp.csv": lambda: _TABLE + "1;" + "9" * 140_000 + ";\n",
    "orphans.mbs.json": _orphans,
    "nested.json": lambda: '{"q":' * 100_000,
    "nested.mbs.json": lambda: '{"metadata":' * 100_000,
}
