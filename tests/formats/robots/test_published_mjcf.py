"""Published MJCF: every file of packages that hold some is read, or refused for a listed reason; MuJoCo agrees.

The packages (gymnasium, gymnasium-robotics, dm_control) are no part of the project: this runs where they, MuJoCo and
trimesh are installed.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

import mbconcord
from mbconcord.api.check import check
from mbconcord.cli.source import read
from mbconcord.converters import registry
from mbconcord.converters.xacro import Allowed
from mbconcord.model import ReadError
from mbconcord.validation.compare import same_machine

INSTALLED = Path(sysconfig.get_paths()["purelib"])
FILES = {
    p.relative_to(INSTALLED).as_posix(): p
    for package in ("gymnasium", "gymnasium_robotics", "dm_control")
    for p in sorted((INSTALLED / package).rglob("*.xml"))
}
#: Files that are read where the folder above theirs is named, and what is said where it is not.
OUTSIDE = {"kitchen_env_model.xml": "is included from outside the folder of the model"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not FILES, reason="no package of models is installed: gymnasium, gymnasium-robotics, dm_control"
    ),
]


@pytest.mark.parametrize("name", FILES)
def test_a_published_model_is_read_and_mujoco_agrees(name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: the extra peers")
    pytest.importorskip("trimesh", reason="trimesh is not installed: the extra mesh")
    path = FILES[name]
    try:
        moving = mujoco.MjModel.from_xml_path(str(path)).nv
    except ValueError as problem:
        pytest.skip(f"a part of a model, or no model: {problem!s:.100}")
    if not moving:
        pytest.skip("nothing moves")
    if path.name in OUTSIDE:
        with pytest.raises(ReadError, match=OUTSIDE[path.name]):
            registry.read(path)
    above = (str(path.parents[1]),) if path.name in OUTSIDE else ()
    source = read(str(path), allowed=Allowed(packages=above))
    assert len(source.system.coordinates) == moving
    found = check(source, formalisms=["newton_euler"], states=2, claims=(), against="mujoco")
    verdicts = {c.quantity: c.verdict for c in found.comparisons if c.claim == "mujoco"}
    assert {"M", "h", "gravity", "applied"} <= verdicts.keys()
    assert {v for q, v in verdicts.items() if q != "acceleration"} <= {"agrees", "agrees, zero"}
    assert verdicts.get("acceleration") != "disagrees"


@pytest.mark.parametrize("name", [n for n in FILES if "gymnasium/" in n])
def test_what_is_written_of_a_published_model_is_the_same_machine(name: str) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed: the extra peers")
    system = registry.read(FILES[name]).system
    bare = registry.write(mbconcord.System(system.name, *_parts(system)), "mjcf")
    again = registry.read_text(bare.text, "again.xml").system
    lost = [loss for loss in bare.losses if loss.place.startswith(("forces", "coordinates", "constraints"))]
    if not [loss for loss in lost if not loss.place.endswith(("position", "velocity"))]:
        assert same_machine(system, again).verdict != "disagrees"  # without weight some has no scale


def _parts(system: mbconcord.System) -> tuple:
    return (
        system.coordinates, system.parameters, system.functions, system.gravity, system.bodies, system.forces,
        system.constraints, {}, (), system.armatures,
    )  # fmt: skip
