"""Cut joints of every kind: what they leave free, by the formalisms that eliminate their coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mbconcord.formalisms.registry import formalism
from mbconcord.model import Frame, FrameCoincidence, Parameter, State, System, rotation, shift, translation
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import PI_NODE, TIME, sin, symbol
from mbconcord.simulation.assembly import Assembly, assemble
from mbconcord.validation.judge.closed.compare import find_broken_equations, measure_closed

from ..reference.konoplev import fourbar
from .rocker import STATE, rocker

#: Who takes all of them.
TAKERS = ("lagrange", "newton_euler", "virtual_work")
QUARTER = PI_NODE / 2

JOINTS: dict[str, tuple[tuple[Any, ...], int]] = {
    "weld": ((), 6),
    "revolute": ((rotation((1, 2, 2), "p"),), 5),
    "slide": ((translation("y", "p"),), 5),
    "cylinder": ((translation("z", "p"), rotation("z", "r")), 4),
    "screwed the other way": ((rotation("z", "p"), translation("z", "r")), 4),
    "universal": ((rotation("x", "p"), rotation("y", "r")), 4),
    "skew universal": ((rotation("x", "p"), rotation((1, 2, 2), "r")), 4),
    "pin in a slot": ((translation("x", "p"), rotation("z", "r")), 4),
    "slot on a pin": ((rotation("z", "p"), translation("x", "r")), 4),
    "plane": ((translation("x", "p"), translation("y", "r"), rotation("z", "s")), 3),
    "skew plane": ((translation("x", "p"), translation((1, 2, 2), "r")), 4),
    "sphere": ((rotation("x", "p"), rotation("y", "r"), rotation("z", "s")), 3),
    "sphere in a slot": (
        (translation("x", "p"), rotation("x", "r"), rotation("y", "s"), rotation("z", "u")), 2,
    ),
    "turns only stop": ((translation("x", "p"), translation("y", "r"), translation("z", "s")), 3),
}  # fmt: skip


def cut_at(own: tuple[Any, ...], moving: bool = False) -> tuple[System, Assembly]:
    """Two bodies that move in every way, the first joined to the second, and a state in which the cut is closed."""
    before, after = ((*shift([0.3, 0.1, 0.2]), rotation("x", 0.4)), (*shift([-0.2, 0, 0.1]), rotation("z", 0.3)))
    support = (translation("y", 0.2 * sin(TIME)),) if moving else ()
    bodies = [replace(b, joint=(*b.joint, *free(b.name))) for b in rocker().bodies]
    coordinates = [c for b in bodies for c in b.coordinates]
    cut = FrameCoincidence("cut", Frame("body1", (*before, *own, *after)), Frame("body2", support))
    system = replace(
        rocker(), coordinates=tuple(map(type(rocker().coordinates[0]), coordinates)), bodies=tuple(bodies),
        constraints=(cut,),
    )  # fmt: skip
    start = State(0.4, dict.fromkeys(coordinates, 0.3) | STATE.q, dict.fromkeys(coordinates, 0.5) | STATE.v)
    assembly = assemble(system, [start])
    assert assembly.is_closed.all()
    return system, assembly


@pytest.mark.sampled(3)
@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "moving"])
@pytest.mark.parametrize("name", JOINTS)
def test_a_cut_joint_leaves_what_the_joint_leaves(name: str, moving: bool) -> None:
    """Rows that know nothing of the auxiliary coordinates, against all six with them in validation's kinematics."""
    own, rank = JOINTS[name]
    system, assembly = cut_at(own, moving)
    measure = measure_closed(system, assembly)
    assert measure.rank[0] == rank
    for by in map(formalism, TAKERS):
        motion = by.constrained_motion(system, assembly.states)
        assert motion is not None and not motion.diagnostics
        assert motion.rank[0] == rank == len(motion.rows), by.name
        assert find_broken_equations(motion, measure, 0) == [], by.name


def free(name: str) -> tuple[Any, ...]:
    """More coordinates, so that a body moves in every way."""
    if name == "body1":
        return tuple(make(axis, f"{name}{axis}{make.__name__[0]}") for make, axis in
                     ((translation, "y"), (translation, "z"), (rotation, "x")))  # fmt: skip
    return translation("x", f"{name}x"), rotation("y", f"{name}r")


REFUSED = {
    "constant shift": (rotation("x", "p"), translation("x", 1), rotation("y", "r")),
    "not together": (rotation("x", "p"), translation("x", "r"), rotation("y", "s")),
    "one way": (translation("x", "p"), translation("-x", "r")),
    "one axis": (rotation("x", "p"), rotation("x", "r")),
    "a motion between": (rotation("x", "p"), rotation("z", TIME), rotation("x", "r")),
    "a parameter between": (rotation("x", "p"), rotation("z", symbol("φ")), rotation("x", "r")),
}
APART = dict.fromkeys(REFUSED, "a constant transformation") | {
    "not together": "do not stand together", "one way": "one direction", "one axis": "one axis",
}  # fmt: skip
WORDS = {
    "lagrange": APART, "virtual_work": APART,
    "newton_euler": {
        "constant shift": "a constant shift", "not together": "it slides between two turns", "one way": "go one way",
        "one axis": "one axis", "a motion between": "a prescribed motion", "a parameter between": "by no number",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("reason", REFUSED)
def test_cut_joints_that_are_not_eliminated(name: str, reason: str) -> None:
    cut = FrameCoincidence("cut", Frame("link3", REFUSED[reason]), Frame(None))
    system = replace(fourbar(), parameters=(Parameter("φ", 1),), constraints=(cut,))
    with pytest.raises(FormalismError, match=WORDS[name][reason]) as refusal:
        formalism(name).constrained_motion(system, [State()])
    assert refusal.value.diagnostics[0].place == "constraints/cut"


@pytest.mark.slow
def test_a_constant_rotation_between_two_turns_turns_the_second() -> None:
    """rot(x, p)·rot(z, 90°)·rot(x, r) are turns about x and y, and a quarter turn that stays."""
    bent = (rotation("x", "p"), rotation("z", QUARTER), rotation("x", "r"))
    straight = (rotation("x", "p"), rotation("y", "r"), rotation("z", QUARTER))
    by = formalism("newton_euler")
    found = []
    for own in (bent, straight):
        system, assembly = cut_at(own)
        motion = by.constrained_motion(system, assembly.states)
        assert motion is not None and find_broken_equations(motion, measure_closed(system, assembly), 0) == []
        found.append((assembly.states[0], motion.acceleration))
    assert found[0][0].q == pytest.approx(found[1][0].q, abs=1e-9)
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-7)
