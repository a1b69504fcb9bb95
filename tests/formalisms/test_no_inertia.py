"""A coordinate without inertia that a constraint carries along: what rounding leaves on M's diagonal is no scale."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import Body, Coordinate, Gravity, Holonomic, Inertia, Motion, State, System, rotation, translation
from mbconcord.model.expressions import as_expression, cos, sin, symbol
from mbconcord.model.transformation import vector

ARM = Inertia(
    as_expression(1), vector((Fraction(1, 2), 0, Fraction(1, 10))),
    tuple(map(as_expression, (Fraction(1, 5), Fraction(3, 10), Fraction(3, 10), 0, Fraction(1, 100), 0))),
)  # fmt: skip


def spun_rod(angle: Fraction) -> System:
    """Two arms carry a thin rod that turns about itself, turned in its frame by an angle, as the second arm says.

    M of that turn is J (1 - (n·n)²), n = (cos a, 0, sin a): zero, and in floats what rounding makes of it.
    """
    n, J = ((cos(as_expression(angle)), as_expression(0), sin(as_expression(angle))), as_expression(Fraction(1, 5)))
    tensor = (J * (1 - n[0] * n[0]), J, J * (1 - n[2] * n[2]), as_expression(0), -J * n[0] * n[2], as_expression(0))
    rod = Inertia(as_expression(2), (n[0] / 2, as_expression(0), n[2] / 2), tensor)
    return System(
        "spun rod",
        (Coordinate("q1"), Coordinate("q2"), Coordinate("q3")),
        gravity=Gravity(as_expression(Fraction(981, 100)), vector((0, 0, -1))),
        bodies=(
            Body("a", None, (rotation("z", "q1"),), ARM),
            Body("b", "a", (translation("x", 1), rotation("y", "q2")), ARM),
            Body("c", "b", (translation("z", Fraction(1, 2)), rotation("x", "q3"), rotation("y", angle)), rod),
        ),
        constraints=(Holonomic("follows", symbol("q3") + sin(symbol("q2")) / 10),),
    )


STATE = State(q={"q1": 0.3, "q2": 0.7, "q3": -np.sin(0.7) / 10}, v={"q1": 50.0, "q2": 0.5, "q3": -0.05 * np.cos(0.7)})
TAKERS = [name for name in BUILT_IN if not formalism(name).constraint_obstacles(spun_rod(Fraction(1)))]


@pytest.mark.parametrize("name", TAKERS)
def test_accelerations_keep_their_digits(name: str) -> None:
    """They satisfy the row to rounding, at angles where the noise is positive and where it is not."""
    noise = []
    for hundredths in (4, 12, 24, 30, 70, 100, 109, 140):
        motion = formalism(name).constrained_motion(spun_rod(Fraction(hundredths, 100)), [STATE])
        a, D = motion.acceleration[0], motion.D[0]
        noise.append(motion.tree.quantities["M"][0, 2, 2])
        assert np.abs(D @ a + motion.rest[0]).max() <= 1e-14 * np.abs(a).max()
    assert 0 < max(noise) < 1e-15, "there is no noise: the test says nothing"


def test_several_take_it() -> None:
    assert len(TAKERS) >= 4


def all_but_the_turn_imposed() -> System:
    """The spun rod, open, every acceleration imposed but that along which there is no inertia."""
    driven = (Coordinate(name, drive=Motion(as_expression(1))) for name in ("q1", "q2"))
    return replace(spun_rod(Fraction(3, 10)), constraints=(), coordinates=(*driven, Coordinate("q3")))


@pytest.mark.parametrize("name", [n for n in BUILT_IN if n != "static_moments"])
def test_rounding_is_no_inertia_of_what_is_free_alone(name: str) -> None:
    """Alone it has nothing beside it that it could be small against but the inertia along imposed accelerations."""
    at = [State(0.0, {"q1": 0.3 * k, "q2": 0.7 - k, "q3": 0.2 + k}, {"q1": 1.0, "q3": 2.0}) for k in range(8)]
    found = formalism(name).evaluate(all_but_the_turn_imposed(), at)
    assert np.isnan(found.quantities["acceleration"][:, 2]).all()
    assert {d.place for d in found.diagnostics} == {"coordinates/q3"}
