"""Shape integrals as CSV: there and back, and every way in which a table can be wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mbconcord.model import Body, Coordinate, System, rotation
from mbconcord.model.beams import ClampedFree, Sine, beam, bending, power, round_section, torsion
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.elastic.table import read_table, write_table
from mbconcord.model.expressions import evaluate_float
from mbconcord.validation.compare import same_machine

BEAM = beam(
    0.5, round_section(0.01), {"a": bending(2, ClampedFree(1)), "b": bending(3, power(2))}, young=7e10, density=2700,
    nodes={"mid": 0.25, "tip": 0.5}, damping=0.02,
)  # fmt: skip
TWISTED = beam(
    0.5, round_section(0.01), {"a": bending(2, power(2)), "b": torsion(Sine(1))}, young=7e10, density=2700,
    nodes={"tip": 0.5}, rotary=True,
)  # fmt: skip
TEXT = write_table(*BEAM)


@pytest.mark.parametrize("made", [BEAM, TWISTED], ids=["bending", "rotary inertia of sections"])
def test_a_table_is_read_back(made: tuple) -> None:
    """The same text, and the same machine."""
    again = read_table(write_table(*made))
    assert write_table(*again) == write_table(*made)
    coordinates = (Coordinate("q"), Coordinate("a"), Coordinate("b"))
    one, other = (
        System("arm", coordinates, bodies=(Body("1", None, (rotation((1, 2, 2), "q"),), inertia, modes=modes),))
        for inertia, modes in (made, again)
    )
    assert same_machine(one, other, 2).verdict == "agrees"


def without(start: str) -> Callable[[str], str]:
    return lambda text: "\n".join(line for line in text.splitlines() if not line.startswith(start))


def with_row(row: str) -> Callable[[str], str]:
    return lambda text: text + row + "\n"


#: What is done to the table, and words of the finding.
WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "no mass": (without("mass"), "the row mass is missing"),
    "a row of P": (without("second_moment_y,a,b"), "the row second_moment_y, a, b is missing"),
    "a column of a node": (without("rotation,tip,b"), "the row rotation, tip, b is missing"),
    "no first moment of r0": (without("first_moment,,"), "the row first_moment is missing"),
    "a mode without a row": (with_row("stiffness,a,c,3"), "no mode 'c'"),
    "a node without a row": (with_row("translation,end,a,0,1,0"), "no node 'end'"),
    "a row twice": (with_row("mass,,,2"), "stands twice"),
    "an unknown part": (with_row("colour,a,,2"), "no part 'colour'"),
    "no number": (with_row("damping,a,b,much"), "'much' is no number"),
    "a missing number": (with_row("node,end,,0.1,0"), "no number in column z"),
    "another header": (lambda text: text.replace("part,of", "what,of"), "expected part,of,with,x,y,z"),
    "an exponent": (with_row("damping,a,b,1e999999999"), "is no number"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_table_that_is_wrong_is_refused_with_its_place(what: str) -> None:
    change, words = WRONG[what]
    with pytest.raises(ReadError) as refused:
        read_table(change(TEXT), "beam.csv")
    assert words in str(refused.value)
    assert all(d.place.startswith("modes") and d.remedy for d in refused.value.diagnostics)


def test_one_of_two_transposed_blocks_is_enough() -> None:
    """Either of P_kl and P_lk; K_kl that is not given is zero."""
    _, modes = read_table(TEXT)
    P = modes.second_moments
    assert [[evaluate_float(x, {}) for x in row] for row in P[2][0]] == [
        [evaluate_float(P[0][2][k][i], {}) for k in range(3)] for i in range(3)
    ]
    assert evaluate_float(modes.stiffness[0][1], {}) == 0
