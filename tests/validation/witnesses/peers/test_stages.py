"""Programs that read stages as witnesses: masses of bodies, poses by OpenUSD's frames of joints, M of Newton."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.model import System
from mbconcord.model.expressions import ZERO
from mbconcord.records import replace
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import draw
from mbconcord.validation.witnesses.peers.peer import PeerError, open_peer
from mbconcord.validation.witnesses.peers.program import _list_mass
from mbconcord.validation.witnesses.peers.stages import (
    NO_AXES,
    NO_MASS,
    NO_MOMENTS,
    OTHER_WORDS,
    SHORT_MOMENTS,
    TOTAL,
    UNMOVED,
    WATER,
    Newton,
    OpenUSD,
    StageProgram,
)
from tests.formats.usd.test_usd import EXPECTED, HERE, read

STAGES = HERE / "stages"
needs_newton = pytest.mark.skipif(find_spec("newton") is None, reason="newton is not installed")
needs_openusd = pytest.mark.skipif(find_spec("pxr") is None, reason="usd-core, of the extra [usd], is not installed")
#: Names of stages whose coordinates move.
MOVING = [name for name, row in EXPECTED.items() if "M" in row]


def ask(file: Path, old: str = "", new: str = "") -> tuple[System, OpenUSD, dict[str, float]]:
    """Return the model of a stage, the peer fitted to it, and by part the largest difference, relative.

    ``old`` is ``new`` in the text that the peer is given.
    """
    system, text = mbconcord.read(file, physics="ignore").system, file.read_text(encoding="utf-8")
    assert old in text
    peer = open_peer("openusd", text.replace(old, new) if old else text, "usd", str(file))
    assert isinstance(peer, OpenUSD)
    peer.fit(system)
    drawn = draw(system.open_loops(), 2, 0)
    k = TreeKinematics(drawn.system, drawn.states)
    found = peer.numbers(k.q, k.v, k.a)
    gaps = {"pose": 0.0, "mass": 0.0}
    for name, pose in found.poses.items():
        frame = k.frame(name)
        own = np.concatenate([frame.rotation, frame.position[:, :, None]], axis=2)
        gaps["pose"] = max(gaps["pose"], float(np.abs(own - pose).max() / max(1.0, np.abs(own).max())))
    for body in system.bodies:
        if body.name in found.masses:
            own, theirs = _list_mass(body.inertia), found.masses[body.name]
            for part in (slice(0, 1), slice(1, 4), slice(4, 10)):
                size = max(np.abs(own[part]).max(), 1e-3 * (part.start != 0))
                gaps["mass"] = max(gaps["mass"], float(np.abs(own - theirs)[part].max() / size))
    return system, peer, gaps


@needs_openusd
@pytest.mark.parametrize("name", MOVING)
def test_openusd_has_the_masses_and_poses_of_the_model(name: str) -> None:
    system, peer, gaps = ask(STAGES / f"{name}.usda")
    assert gaps["pose"] < 2e-6 and gaps["mass"] < 2e-6, (gaps, peer.notes)
    assert {*peer.masses} | {n for note in peer.notes for n in note.partition(": ")[2].split(", ")} >= {
        b.name for b in system.bodies if not b.inertia.is_zero
    }


@needs_openusd
@pytest.mark.parametrize(
    ("part", "name", "old", "new"),
    [
        ("mass", "04_two_hinges", "mass = 0.75", "mass = 0.75001"),
        ("pose", "04_two_hinges", 'physics:axis = "Y"', 'physics:axis = "X"'),
        ("pose", "13_stacked", 'physics:axis = "Z"', 'physics:axis = "X"'),
        ("pose", "01_units", "metersPerUnit = 0.01", "metersPerUnit = 0.0101"),
    ],
)
def test_a_change_of_the_stage_is_noticed(part: str, name: str, old: str, new: str) -> None:
    assert ask(STAGES / f"{name}.usda", old, new)[2][part] > 1e-5


KNOWN = """#usda 1.0
( metersPerUnit = 1; kilogramsPerUnit = 1; upAxis = "Z" )
def PhysicsScene "scene" {}
"""
BODY = """def Xform "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
{}
}}
"""
WHOLE = "float physics:mass = 2; point3f physics:centerOfMass = (0, 0, 0); quatf physics:principalAxes = (1, 0, 0, 0); "


@needs_openusd
def test_shapes_of_a_body_within_another_are_its_own(tmp_path: Path) -> None:
    box = 'def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"]) \n{\ndouble size = 0.1\n}'
    inner = f'def Xform "inner" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{{\n{box}\n}}'
    (tmp_path / "r.usda").write_text(KNOWN + BODY.format("outer", inner), encoding="utf-8")
    _, peer, gaps = ask(tmp_path / "r.usda")
    assert peer.notes[:1] == [f"{NO_MASS}: outer"] and {*peer.masses} == {"inner"} and gaps["mass"] < 2e-6


@needs_openusd
def test_known_differences_of_openusd_are_named(tmp_path: Path) -> None:
    moments = "float3 physics:diagonalInertia = (0.1, 0.2, 0.2); "
    bodies = {
        "none": (NO_MASS, ""), "point": (NO_MOMENTS, WHOLE),
        "tiny": (SHORT_MOMENTS, WHOLE + moments.replace("0.", "0.00000")),
        "other": (OTHER_WORDS, f"{WHOLE}{moments}double[] newton:inertia = [0.1, 0.2, 0.3, 0, 0, 0]"),
        "bare": (NO_AXES, (WHOLE + moments).replace("quatf physics:principalAxes = (1, 0, 0, 0); ", "")),
        "plain": ("", f"{WHOLE}{moments}double[] newton:inertia = [0.1, 0.2, 0.2, 0, 0, 0]"),
    }  # fmt: skip
    text = KNOWN + "".join(BODY.format(name, inner) for name, (_, inner) in bodies.items())
    (tmp_path / "r.usda").write_text(text, encoding="utf-8")
    _, peer, gaps = ask(tmp_path / "r.usda")
    assert peer.notes == [f"{said}: {name}" for name, (said, _) in bodies.items() if said]
    assert {*peer.masses} == {"bare", "plain"} and gaps["mass"] < 2e-6


@needs_openusd
def test_a_check_has_openusd_as_a_witness() -> None:
    found = mbconcord.check(
        STAGES / "04_two_hinges.usda", formalisms=["lagrange"], states=1, claims=(), against="openusd"
    )
    rows = {c.quantity: c.verdict for c in found.comparisons if c.claim == "openusd"}
    assert rows == {"openusd: poses": "agrees", "openusd: masses": "agrees"}


def answer(monkeypatch: pytest.MonkeyPatch, **changed: object) -> Newton:
    """Return the peer with what Newton prints of 04_two_hinges, its joints in another order, and changed facts."""
    found = {
        "version": "1.8.0", "metres": 1.0, "kilograms": 1.0, "scaled": False,
        "bodies": {f"/r/{name}": {"names": [name, f"r/{name}"], "mass": [1.0] * 10, "moved": False}
                   for name in ("upper", "lower")},
        "joints": {f"/r/{name}": {"names": [name, f"r/{name}"], "axes": 1, "at": 1 - k, "ref": 0.25 * k}
                   for k, name in enumerate(("shoulder", "elbow"))},
    }  # fmt: skip

    def ask(peer: StageProgram, *arguments: str) -> dict:
        if arguments:
            assert arguments == ('[{"/r/shoulder": 0.5, "/r/elbow": 0.5}]',)
        return found | {"M": [[[4.0, 2.0], [2.0, 3.0]]]} | changed

    monkeypatch.setattr(StageProgram, "ask", ask)
    return Newton("#usda 1.0")


def test_newton_answers_in_the_coordinates_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    system = read("04_two_hinges").system
    peer = answer(monkeypatch)
    peer.fit(system)
    found = peer.numbers(np.array([[0.5, 0.75]]), np.zeros((1, 2)), np.zeros((1, 2)))
    assert found.quantities["M"].tolist() == [[[3.0, 2.0], [2.0, 4.0]]]
    assert {*found.masses} == {"upper", "lower"} and peer.notes == []
    without = answer(monkeypatch, M=None)
    without.fit(system)
    assert not without.numbers(np.array([[0.5, 0.75]]), np.zeros((1, 2)), np.zeros((1, 2))).quantities
    assert without.notes == ["M is not compared: Newton has joints outside of one articulation"]


def test_what_newton_takes_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    system = read("04_two_hinges").system
    with pytest.raises(PeerError, match="takes the units of every stage for metres"):
        answer(monkeypatch, metres=0.01).fit(system)
    with pytest.raises(PeerError, match="has no body 'upper'"):
        answer(monkeypatch, bodies={}).fit(system)
    scaled = answer(monkeypatch, scaled=True)
    scaled.fit(system)
    assert scaled.notes[0] == f"{TOTAL}: upper, lower" and not scaled.masses
    point = replace(system.bodies[0], inertia=replace(system.bodies[0].inertia, tensor=(ZERO,) * 6))
    peer = answer(monkeypatch)
    peer.found["bodies"]["/r/lower"]["moved"] = True
    peer.fit(replace(system, bodies=(point, *system.bodies[1:])))
    assert peer.notes[:2] == [f"{WATER}: upper", f"{UNMOVED}: lower"]


@needs_newton
@pytest.mark.slow
def test_newton_has_the_masses_and_m_of_the_model() -> None:
    stage = STAGES / "04_two_hinges.usda"
    found = mbconcord.check(stage, formalisms=["lagrange"], states=2, claims=(), against="newton")
    rows = {c.quantity: c.verdict for c in found.comparisons if c.claim == "newton"}
    assert rows == {"M": "agrees", "newton: masses": "agrees"}
