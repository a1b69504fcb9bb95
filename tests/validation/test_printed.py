"""Two models, one with numbers that another program printed: as many digits are compared as it has."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbconcord.model import Body, Coordinate, Gravity, Inertia, Point, Rod, System, rotation, translation
from mbconcord.model.expressions import as_expression, number, sqrt
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.uncertainty import foreign, generation_error, significant

HALF = sqrt(as_expression(2)) / 2


def pendulum(length: object, mass: object = 2, rod: object = None) -> System:
    """Two links; the length of the second as an expression or a text, and a rod from its end to (1, 0.5, 0)."""
    value = number(length) if isinstance(length, str) else as_expression(length)  # type: ignore[arg-type]
    heavy = number(mass) if isinstance(mass, str) else as_expression(mass)  # type: ignore[arg-type]
    bodies = (
        Body("a", None, (rotation("z", "p"), translation("x", number("0.9"))), Inertia(1)),
        Body("b", "a", (rotation("z", "q"), translation("x", value)), Inertia(heavy)),
    )
    constraints = ()
    if rod is not None:
        own = number(rod) if isinstance(rod, str) else as_expression(rod)  # type: ignore[arg-type]
        constraints = (Rod("rod", Point("b"), Point(None, (1, number("0.5"), 0)), own),)  # type: ignore[arg-type, assignment]
    gravity = Gravity(number("9.81"), (0, -1, 0))
    return System(
        "pendulum", (Coordinate("p"), Coordinate("q")), gravity=gravity, bodies=bodies, constraints=constraints
    )


#: Two lengths; the verdicts with numbers as they stand, and where they may have been printed.
LENGTHS = [
    (HALF, "0.7071068", "disagrees", "disagrees"),  # 7 digits are meant as they stand
    (HALF, "0.70710678", "disagrees", "agrees"),
    (HALF, "0.707106781187", "disagrees", "agrees"),
    (HALF, "0.707106781186548", "agrees", "agrees"),
    (HALF, "0.70710678118654752", "agrees", "agrees"),
    (HALF, "0.70710688", "disagrees", "disagrees"),
    (HALF, "0.707106781188", "disagrees", "disagrees"),
    ("2.5", "2.54", "disagrees", "disagrees"),
    ("0.31", "0.3100001", "disagrees", "disagrees"),
    ("0.123456789", "0.123456799", "disagrees", "disagrees"),
]


@pytest.mark.parametrize(("one", "other", "as_it_stands", "printed"), LENGTHS)
def test_lengths_that_may_have_been_printed(one: object, other: str, as_it_stands: str, printed: str) -> None:
    a, b = pendulum(one), pendulum(other)
    for pair in ((a, b), (b, a)):
        assert same_machine(*pair, 3, formalisms=["lagrange"]).verdict == as_it_stands
        assert same_machine(*pair, 3, formalisms=["lagrange"], printed=True).verdict == printed


def test_what_is_known_to_eight_digits_is_noticed_from_eight_digits() -> None:
    """Of M by a formalism, and by the direct witness, which has no bounds of its own."""
    found = same_machine(pendulum(HALF), pendulum("0.70710678"), 3, formalisms=["lagrange"], printed=True)
    noticed = [c.noticeable for c in found.comparisons if c.quantity == "M"]
    assert len(noticed) == 2 and all(x is not None and 1e-9 < x < 1e-6 for x in noticed)


#: Masses, and the rod of a loop.
LOOPS = [
    ("2.00000001", "0.8", "disagrees"), (2, "0.80000001", "disagrees"), (2, "0.8", "agrees"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("mass", "rod", "verdict"), LOOPS)
def test_numbers_of_a_loop(mass: object, rod: str, verdict: str) -> None:
    """A mass and a rod of nine digits are off by one and more of the last."""
    found = same_machine(
        pendulum(HALF, 2, "0.8"), pendulum("0.707106781187", mass, rod), 3, formalisms=["lagrange"], printed=True
    )
    assert found.verdict == verdict, str(found)


def test_a_rod_that_was_printed_holds_the_same_states() -> None:
    a, b = pendulum(HALF, 2, HALF), pendulum("0.70710678", 2, "0.70710678")
    assert same_machine(a, b, 3, formalisms=["lagrange"]).verdict == "disagrees"
    found = same_machine(a, b, 3, formalisms=["lagrange"], printed=True)
    assert found.verdict == "agrees" and found.closed == 3, str(found)


# --- numbers ---------------------------------------------------------------------------------------

#: A number, its significant digits, and what it may be off by beside 4 ulp, where another program may have printed it.
FOREIGN = [
    ("0.31", 2, 0.0), ("3.1415926", 8, 5e-8), ("0.0031415927", 8, 5e-11),
    ("2.718281", 7, 0.0), ("0.707106781186548", 15, 5e-16), ("0.7071067811865475", 16, 0.0),
    ("0.70710678118654752", 17, 0.0), ("0.707106781186547524", 18, 0.0),
    ("12345678.5", 9, 0.0), ("7", 1, 0.0), ("-3.1415926", 8, 5e-8),
]  # fmt: skip


@pytest.mark.parametrize(("text", "digits", "off"), FOREIGN)
def test_a_number_that_may_have_been_printed(text: str, digits: int, off: float) -> None:
    value = Fraction(text)
    assert significant(value) == digits
    ulps = 0.0 if value.denominator <= 2 else 4 * 2.0**-52 * 2.0 ** _exponent(float(value))
    assert foreign(value) == pytest.approx(off + ulps, rel=1e-9, abs=0)


def _exponent(value: float) -> int:
    import math

    return math.frexp(abs(value))[1] - 1


def test_a_third_has_no_last_digit() -> None:
    assert significant(Fraction(1, 3)) is None and foreign(Fraction(1, 3)) == 4 * 2.0**-54


#: A number of equations that Universal Mechanism generated with 15 digits, and what it may be off by.
GENERATED = [
    ("0.31", 4 * 2.0**-54), ("0.70710678118655", 4 * 2.0**-53),
    ("0.707106781186548", 0.707106781186548 * 2e-14 + 4 * 2.0**-53),
    ("0.70710678118654752", 0.707106781186548 * 2e-14 + 4 * 2.0**-53),
    ("2", 0.0), ("0.5", 0.0), ("6.123e-17", 6.123e-17), ("-6.123e-17", 6.123e-17),
    ("1.1e-12", 4 * 2.0**-92), ("0.9e-12", 0.9e-12),
]  # fmt: skip


@pytest.mark.parametrize(("text", "off"), GENERATED)
def test_a_number_of_generated_equations(text: str, off: float) -> None:
    assert generation_error(Fraction(text)) == pytest.approx(off, rel=1e-9, abs=0)
