"""What no elastic body has, each condition by itself; and the rigid machine of an elastic one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mbconcord.model import Body, Coordinate, Effort, ElasticModes, ElasticNode, Inertia, JointEffort, System
from mbconcord.model import rotation as turning
from mbconcord.model.beams import beam, bending, power, round_section
from mbconcord.model.checks.physics import physics
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import symbol

INERTIA, MODES = beam(
    0.5, round_section(0.01), {"a": bending(2, power(2)), "b": bending(2, power(3))}, young=7e10, density=2700,
    nodes={"tip": 0.5},
)  # fmt: skip


def found(inertia: Inertia = INERTIA, **more: Any) -> list[tuple[str, str]]:
    """Places and messages of what is wrong with a beam that is changed so."""
    system = System(
        "beam", (Coordinate("a"), Coordinate("b")),
        bodies=(Body("beam", None, (), inertia, modes=replace(MODES, **more)),),
    )  # fmt: skip
    assert all(d.remedy for d in physics(system, {}))
    return [(d.place.removeprefix("bodies/beam/modes").lstrip("/"), d.message) for d in physics(system, {})]


def blocks(change: Callable[[Any, int, int], Any]) -> Any:
    """P_kl, each block changed."""
    P = MODES.second_moments
    return tuple(tuple(change(P[k][m], k, m) for m in range(3)) for k in range(3))


def twice(matrix: Any) -> Any:
    """A matrix times two."""
    return tuple(tuple(2 * x for x in row) for row in matrix)


WRONG: dict[str, tuple[Callable[[], list[tuple[str, str]]], str, str]] = {
    "no mass": (lambda: found(Inertia(0)), "", "modes on a body of 0 kg"),
    "the same shape twice": (
        lambda: found(
            second_moments=tuple(
                tuple(MODES.second_moments[min(k, 1)][min(m, 1)] for m in range(3)) for k in range(3)
            )
        ),
        "second_moments", "shapes of a, b depend",
    ),
    "a mode that moves nothing": (
        lambda: found(second_moments=blocks(lambda b, k, m: ((0,) * 3,) * 3 if 2 in (k, m) else b)),
        "second_moments", "modal mass of b is not positive",
    ),
    "blocks that are no transposes": (
        lambda: found(second_moments=blocks(lambda b, k, m: twice(b) if (k, m) == (0, 1) else b)),
        "second_moments", "P_01 is not the transpose of P_10",
    ),
    "another tensor": (
        lambda: found(replace(INERTIA, tensor=tuple(2 * x for x in INERTIA.tensor))),
        "second_moments", "tr(P_00) E - P_00",
    ),
    "stiffness that is not symmetric": (
        lambda: found(stiffness=((4, 1), (2, 4))), "stiffness", "not symmetric: 1 for a, b and 2 for b, a",
    ),
    "stiffness that gives energy": (lambda: found(stiffness=((1, 2), (2, 1))), "stiffness", "eigenvalue is -1"),
    "damping that feeds": (lambda: found(damping=((-1, 0), (0, 1))), "damping", "eigenvalue is -1"),
    "a node that leaves the clamp": (
        lambda: found(nodes=(ElasticNode("n", (0, 0, 0), ((0, 0), (1, 0), (0, 0)), ((0, 0),) * 3),)),
        "nodes/n", "the modes move it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_no_elastic_body_has_is_told(name: str) -> None:
    make, place, words = WRONG[name]
    ((at, message),) = make()
    assert at == place and words in message


def test_a_beam_has_nothing_wrong() -> None:
    assert found() == []


def test_a_rigid_machine_keeps_places_and_loses_modes() -> None:
    """The child stands at the undeformed tip; what modes have in formulas is zero, forces along them go."""
    drive = Effort(symbol("a") * 3 + symbol("q") - symbol("b'"))
    system = System(
        "arm", (Coordinate("a"), Coordinate("q", drive=drive), Coordinate("b"), Coordinate("p")),
        bodies=(
            Body("beam", None, (turning("z", "q"),), INERTIA, modes=MODES),
            Body("hand", "beam", (turning("y", "p"),), Inertia(1, (0, 0, 0), (1, 1, 1)), parent_node="tip"),
        ),
        forces=(JointEffort("f", "a", 2), JointEffort("g", "p", symbol("b'") + 1)),
    )  # fmt: skip
    made = rigid(system)
    assert made.coordinate_names == ("q", "p") and [f.name for f in made.forces] == ["g"]
    assert isinstance(made.coordinates[0].drive, Effort)
    assert str(made.coordinates[0].drive.value) == "q" and str(made.forces[0].effort) == "1"  # type: ignore[union-attr]
    hand = made.bodies[1]
    assert (hand.parent, hand.parent_node, [str(et.amount) for et in hand.joint]) == ("beam", None, ["0.5", "p"])
    assert all(body.modes is None for body in made.bodies)
    assert rigid(made) is made


def test_no_modes_at_all_are_a_rigid_body() -> None:
    none = ElasticModes((), (), ((MODES.second_moments[0][0],),), (), ())
    system = System("still", bodies=(Body("beam", None, (), INERTIA, modes=none),))
    assert physics(system, {}) == []
