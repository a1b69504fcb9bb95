"""Inputs that attack: files of this folder, those that a few lines make, and what must come of each.

A row is a command, its exit code, and words that are said. ``{files}`` is the folder ``files`` here, ``{made}`` one of
files made by :func:`make`, ``{fixtures}`` the fixtures of the project.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

FILES = Path(__file__).parent / "files"

#: What reading a mesh ends with where the extra [mesh] is absent; None where it is installed.
NO_MESHES = None if find_spec("trimesh") else (2, "needs trimesh")
INFO = "info {files}/"
CHECK = "check {files}/"
AGAINST = "check {fixtures}/mbsd/double_pendulum.mbsd --against um:"
MADE = "info {made}/"
STATE = "evaluate {fixtures}/mbsd/double_pendulum.mbsd --formalism lagrange --state {made}/"
PARAMETERS = "info {fixtures}/mbsd/double_pendulum.mbsd --set {made}/"

#: Commands with the name of a file, which no system has.
NAMED = (
    "info NAME", "check NAME", "derive NAME --formalism lagrange", "evaluate NAME --formalism lagrange",
    "compare {files}/zero_mass_A.mbsd NAME", "convert NAME -", "convert {files}/zero_mass_A.mbsd NAME.mbsd",
    "check {files}/zero_mass_A.mbsd --report NAME.html", "check {files}/zero_mass_A.mbsd --expect NAME.toml",
    "check {files}/zero_mass_A.mbsd --against um:NAME", "check {files}/zero_mass_A.mbsd --state NAME.json",
    "info {files}/zero_mass_A.mbsd --set NAME.par",
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
    INFO + "repeat_3000.mbsd": (0, "3,001 bodies, 3,001 coordinates"),
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
    "info {fixtures}/mbsd/double_pendulum.mbsd --set /dev/zero": (2, "/dev/zero:1:1: error: more than"),
    AGAINST + "/dev/zero": (2, "/dev/zero:1:1: error: more than 8,000,000 bytes"),
    MADE + "orphans.mbs.json": (2, "there is no body 'nobody' (known bodies: b0, b1, b10"),
    # machines
    MADE + "comments.xml": (0, "1 body, 1 coordinate"),
    MADE + "actuators.xml": (2, "100,000 elements in <actuator>; expected at most 20,000"),
    **{
        command.replace("MODEL", "{made}/actuators.xml"): (2, "100,000 elements in <actuator>; expected at most 20,000")
        for command in ("check MODEL", "convert MODEL - --to native", "compare MODEL {files}/zero_mass_A.mbsd",
                        "compare {files}/zero_mass_A.mbsd MODEL", "simulate MODEL --until 1")
    },
    MADE + "equalities.xml": (0, "500 bodies, 500 coordinates"),
    MADE + "named_equalities.xml": (0, "1 body, 1 coordinate"),
    MADE + "ring.sdf": (0, "23 bodies"),
    MADE + "ring_500.sdf": (0, "degrees of freedom: not counted: 1 constraints of 505 coordinates"),
    MADE + "tangle.sdf": (0, "50 bodies"),
    MADE + "closed.sdf": (0, "23 bodies"),
    MADE + "chain.sdf": (0, "2,000 bodies"),
    MADE + "floors.xml": (0, "1 body, 1 coordinate"),
    MADE + "contacts/input.dat": (0, "2 bodies, 2 coordinates"),
    MADE + "rings.sdf": (0, "400 bodies"),
    MADE + "mimics.urdf": (0, "2,001 bodies"),
    MADE + "circle_of_mimics.urdf": (0, "2,000 constraints"),
    MADE + "tangle_240.sdf": (0, "240 bodies"),
    MADE + "shapes.urdf": (0, "2 bodies, 1 coordinate"),
    MADE + "shapes.sdf": (0, "1 body, 1 coordinate"),
    MADE + "shapes.xml": (0, "1 body, 1 coordinate"),
    **{
        f"{command}{{made}}/many_shapes.{suffix}{rest}": (2, "error: 100,000 shapes; expected at most 10,000")
        for suffix in ("urdf", "sdf", "xml")
        for command, rest in (("info ", ""), ("check ", ""), ("convert ", " - --to native"))
    },
    MADE + "entities.xml": (2, ":1:"),
    MADE + "entities.urdf": (2, ":1:"),
    MADE + "entities.sdf": (2, ":1:"),
    MADE + "includes.xml": (2, "error:"),
    MADE + "includes.sdf": (2, "error:"),
    MADE + "itself.xml": (2, "error:"),
    MADE + "itself.sdf": (2, "error:"),
    MADE + "claims.xml": NO_MESHES or (0, "inertia computed from an image"),
    MADE + "large_mesh.xml": (0, "inertia computed from an image"),
    MADE + "meshes.xml": NO_MESHES or (0, "300 bodies"),
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
    triangles = np.zeros(20_000, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    triangles["corners"] = np.random.default_rng(0).random((20_000, 3, 3))
    (folder / "cloud.stl").write_bytes(bytes(80) + np.uint32(20_000).tobytes() + triangles.tobytes())
    with (folder / "large.stl").open("wb") as opened:
        opened.truncate(99_000_000)
    (folder / "loop.mbsd").symlink_to("loop.mbsd")
    (folder / "\udcff.mbsd").write_text("z i g")  # a byte that is no UTF-8
    _included(folder)
    (folder / "contacts").mkdir()
    (folder / "contacts" / "input.dat").write_text(_contacts(3_000), encoding="utf-8")
    (folder / "um_variables").mkdir()
    (folder / "um_variables" / "input.dat").write_text(_variables(1_200), encoding="utf-8")


def _changed_part(path: Path, changed: str, text: bytes) -> None:
    """A workbook with another part."""
    with zipfile.ZipFile(FILES / "far_cell.tp.xlsx") as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
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


def _contacts(n: int) -> str:
    """Contacts of 150 points each, each with a plane of its own."""
    text = (FILES.parents[2] / "fixtures" / "um" / "suspension" / "input.dat").read_text("utf-8")
    begin, contact, rest = (text.partition("  with cfrc;")[0], *text.partition("  with cfrc;")[2].split("with sfrc1;"))
    contact = contact.replace("'' '' '-0.3'", "'' '' '-0.3' " * 150)
    many = "".join(
        "  with cfrc;" + contact.replace('"CFrc1"', f'"C{i}"').replace("ez= 1.", f"ez={i + 1}") for i in range(n)
    )
    return f"{begin}{many}with sfrc1;{rest}"


def _native(**parts: object) -> str:
    return json.dumps({"format": "mbconcord", "version": 1, "name": "m", **parts})


def _orphans() -> str:
    return _native(bodies=[{"name": f"b{i}", "parent": "nobody"} for i in range(3000)])


def _graph() -> str:
    graph = {"graph": {"nodes": [["num", _DIGITS]], "outputs": [0]}}
    return _native(parameters=[{"name": "p", "value": graph}])


def _equalities(n: int) -> str:
    bodies = "".join(f'<body name="b{i}"><joint/><geom size="1"/></body>' for i in range(n))
    rows = "".join(f'<connect body1="b{i}" body2="b{i - 1}" anchor="1 0 0"/>' for i in range(1, n))
    return f"<mujoco><worldbody>{bodies}</worldbody><equality>{rows}</equality></mujoco>"


def _linked(n: int, closures: tuple[tuple[int, int], ...] = (), chained: bool = False) -> str:
    """Return a chain of links with joints that close loops; ``chained``: each pose is relative to the last."""
    relative = ' relative_to="l{0}"' if chained else ""
    pairs = (*((i - 1, i) for i in range(1, n)), *closures)
    links = "".join(
        f'<link name="l{i}"><pose{relative.format(i - 1) if i else ""}>1 0 {i} 0.1 0.2 0.3</pose>'
        "<inertial><mass>1</mass></inertial></link>"
        for i in range(n)
    )
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent>l{a}</parent><child>l{b}</child>'
        "<axis><xyz>0 0.6 0.8</xyz></axis></joint>"
        for i, (a, b) in enumerate(pairs)
    )
    return f'<sdf version="1.9"><model name="m">{links}{joints}</model></sdf>'


def _meshes(file: str, n: int = 1) -> str:
    assets = "".join(f'<mesh name="m{i}" file="{file}" scale="1 1 {i + 1}"/>' for i in range(n))
    bodies = "".join(f'<body><joint/><geom type="mesh" mesh="m{i}"/></body>' for i in range(n))
    return f"<mujoco><asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>"


def _shapes(suffix: str, n: int, kind: str = "visual") -> str:
    """Return a robot of one joint whose body has so many shapes."""
    if suffix == "xml":
        return f"<mujoco>{_ONE.replace('</body>', GEOM * (n - 1) + '</body>')}</mujoco>"
    shapes = "".join(f'<{kind} name="s{i}"/>' for i in range(n))
    if suffix == "urdf":
        return _mimics(1, 0).replace("</link>", f"{shapes}</link>", 1)
    joint = '<joint name="j" type="revolute"><parent>world</parent><child>l0</child><axis/></joint>'
    return _linked(1).replace("</link>", f"{shapes}</link>{joint}")


GEOM = '<geom type="box" size="1 1 1"/>'
_BALL = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def _mimics(n: int, first: int) -> str:
    """Return a chain whose joints mimic one another: each the one before, the first one another."""
    links = "".join(f'<link name="l{i}"><inertial><mass value="1"/>{_BALL}</inertial></link>' for i in range(n + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0 1"/>'
        + (f'<mimic joint="j{i - 1 if i else first}" multiplier="2"/>' if i or first else "") + "</joint>"
        for i in range(n)
    )  # fmt: skip
    return f'<robot name="m">{links}{joints}</robot>'


def _included(made: Path) -> None:
    """Files that include two others each, thirty deep, and files that include themselves."""
    for i in range(30):
        again = f"includes{i + 1 if i < 29 else ''}"
        for own, twice in ((f"includes{i or ''}", again), ("itself", "itself")):
            part = f'<include file="{twice}.xml"/>' * 2
            (made / f"{own}.xml").write_text(f"<mujoco>{part}</mujoco>" if i < 29 else f"<mujoco>{_ONE}</mujoco>")
            part = "".join(f"<include><uri>{twice}.sdf</uri><name>n{k}</name></include>" for k in range(2))
            link = '<link name="l"/>'
            text = f'<sdf version="1.9"><model name="m">{part if i < 29 else ""}{link}</model></sdf>'
            (made / f"{own}.sdf").write_text(text)
            if i == 29:
                break


def _entities(root: str) -> str:
    """Return a text that grows by entities within entities."""
    levels = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "laugh">{levels}]><{root}>&a9;</{root}>'


_ONE = '<worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody>'
_PLY = """ply
format ascii 1.0
element vertex 1000000000
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
"""
_TEXTS: dict[str, Callable[[], str]] = {
    "name_5000_digits.mbsd": lambda: f"z i(m{_DIGITS}) g",
    "exponent_5000_digits.mbsd": lambda: f"z i(1e{_DIGITS}) g",
    "exponent_5000_digits.tp.csv": lambda: _TABLE.replace("z\n", "z;q0\n") + f"1;0;ВКП;z;0;x1;y1;z;1e{_DIGITS}\n",
    "base_5000_digits.tp.csv": lambda: _TABLE + f"1;{_DIGITS};ВКП;z;0;x1;y1;z\n",
    "exponent_5000_digits.mbs.json": lambda: _native(parameters=[{"name": "p", "value": f"1e{_DIGITS}"}]),
    "graph_5000_digits.mbs.json": _graph,
    "digits_5000.json": lambda: f'{{"q": {{"z1": {_DIGITS}}}}}',
    "digits_5000.txt": lambda: f"m1 = {_DIGITS}",
    "repeats_in_repeats.mbsd": lambda: "(" * 500 + "z i" + ")" * 500,
    "long_field.tp.csv": lambda: _TABLE + "1;" + "9" * 140_000 + ";\n",
    "orphans.mbs.json": _orphans,
    "comments.xml": lambda: "<!-- a - comment -->\n" * 60 + f"<mujoco>{_ONE}</mujoco>",
    "actuators.xml": lambda: f"<mujoco>{_ONE}<actuator>" + '<motor joint="j"/>' * 100_000 + "</actuator></mujoco>",
    "equalities.xml": lambda: _equalities(500),
    "named_equalities.xml": lambda: f"<mujoco>{_ONE}<equality>" + '<flex name="x"/>' * 19_999 + "</equality></mujoco>",
    "ring.sdf": lambda: _linked(23, ((22, 0),)),
    "ring_500.sdf": lambda: _linked(500, ((499, 0),)),
    "tangle.sdf": lambda: _linked(50, tuple((i - 2, i) for i in range(2, 50))),
    "tangle_240.sdf": lambda: _linked(240, tuple((i - 2, i) for i in range(2, 240))),
    **{f"shapes.{x}": partial(_shapes, x, 10_000) for x in ("urdf", "sdf", "xml")},
    **{f"many_shapes.{x}": partial(_shapes, x, 100_000) for x in ("urdf", "sdf", "xml")},
    "closed.sdf": lambda: _linked(23, tuple((i - 2, i) for i in range(2, 23))),
    "chain.sdf": lambda: _linked(2000, chained=True),
    "floors.xml": lambda: (
        "<mujoco><worldbody>"
        + '<geom type="plane" size="1 1 1"/>' * 100
        + '<body name="b"><joint name="j"/>'
        + '<geom type="box" size="1 1 1"/>' * 9_900
        + "</body></worldbody></mujoco>"
    ),
    "rings.sdf": lambda: _linked(400, tuple((i, i + 9) for i in range(0, 390, 10))),
    "mimics.urdf": lambda: _mimics(2000, 0),
    "circle_of_mimics.urdf": lambda: _mimics(2000, 1999),
    "entities.xml": lambda: _entities("mujoco"),
    "entities.urdf": lambda: _entities("robot"),
    "entities.sdf": lambda: _entities("sdf"),
    "claims.ply": lambda: _PLY,
    "claims.xml": lambda: _meshes("claims.ply"),
    "large_mesh.xml": lambda: _meshes("large.stl"),
    "meshes.xml": lambda: _meshes("cloud.stl", 300),
    "nested.json": lambda: '{"q":' * 100_000,
    "nested.mbs.json": lambda: '{"metadata":' * 100_000,
}
