"""Published robots are read twice: every URDF and MJCF of packages that hold some, but for what is named here.

The packages are no part of the project: this runs where they are installed.
"""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from mbconcord.converters import registry
from mbconcord.model import ReadError
from mbconcord.model.numbers import Instance
from mbconcord.validation.claims import fields
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.judge.witness import Original

INSTALLED = Path(sysconfig.get_paths()["purelib"])
SETS = {
    "cmeel.prefix/share/example-robot-data": "urdf", "stretch_urdf": "urdf", "gymnasium": "xml",
    "gymnasium_robotics": "xml", "dm_control": "xml",
}  # fmt: skip
FILES = {
    p.relative_to(INSTALLED).as_posix(): p
    for folder, end in SETS.items()
    for p in sorted((INSTALLED / folder).rglob(f"*.{end}"))
}
#: File -> why the second reading does not know it. What the reader refuses, or has no body, is no model here.
ONCE = {
    "drosophila.xml": "the file assets/labrum_right_lower.msh, which cannot be read",
    "build_fruitfly/fruitfly.xml": "the file thorax_body.msh, which cannot be read",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILES, reason="no package of robots is installed: example-robot-data, dm_control, …"),
]


@pytest.mark.parametrize("name", FILES)
def test_a_published_robot_is_read_twice(name: str) -> None:
    if name.endswith(".xml"):
        pytest.importorskip("trimesh", reason="trimesh is not installed: the extra mesh")
    path = FILES[name]
    try:
        reading = registry.read(path, physics="ignore")
    except ReadError as problem:
        pytest.skip(f"the reader refuses it: {problem!s:.100}")
    if not reading.system.bodies:
        pytest.skip("a part of a model: it has no bodies")
    drawn = draw(reading.system, 2, 0)
    made = trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), [])
    text = Original(reading.text, reading.format, file=str(path))
    found = fields.second_reading(replace(made, closed=drawn.system, text=text))
    reason = next((why for end, why in ONCE.items() if name.endswith(end)), None)
    if reason is not None:
        assert [c.explanation for c in found] == [f"it does not know {reason}"]
        return
    assert {c.verdict for c in found} == {"agrees"}
    assert max(c.discrepancy for c in found) < 1e-13
