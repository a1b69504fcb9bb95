"""Loops at the edge of what floats hold, and singular positions: no agreement about nothing, no false alarm."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import main
from mbconcord.converters.registry import read, read_text, write
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Holonomic,
    Inertia,
    NumbersError,
    Point,
    PointCoincidence,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import as_expression, number
from mbconcord.validation.check import check
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.evidence import ACCELERATION, CONSTRAINED, REACTIONS, Evidence

SOLVERS = ("lagrange", "newton_euler", "virtual_work", "konoplev")


def verdicts(evidence: Evidence) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for c in evidence.comparisons:
        found.setdefault(c.quantity, set()).add(c.verdict)
    return found


# --- models ----------------------------------------------------------------------------------------

#: A short line with a rod, the verdict, and why the motion is not checked.
MODELS: dict[str, tuple[str, str, str]] = {
    "as it is": ("zi zi #a ; g-y \\ #a :(2) {3,0} < #0", "agrees", ""),
    "without weight": ("zi zi #a ; \\ #a :(2) {3,0} < #0", "agrees", ""),
    "lengths of 1e12": ("z i(1e12) z i(1e12) #a ; g-y \\ #a :(1.5e12) {1e12,0} < #0", "agrees", ""),
    "lengths of 1e-9": ("z i(1e-9) z i(1e-9) #a ; g-y \\ #a :(1.5e-9) {1e-9,0} < #0", "agrees", ""),
    "lengths of 1e160": ("z i(1e160) z i(1e160) #a ; g-y \\ #a :(1.5e160) {1e160,0} < #0", "not checked", "satisfy"),
    "lengths of 1e200": ("z i(1e200) z i(1e200) #a ; g-y \\ #a :(1e200) {1e200,0} < #0", "not checked", "satisfy"),
    "no mass at the end": ("zi z i $0 #a ; g-y \\ #a :(2) {3,0} < #0", "not checked", "has no inertia"),
    "no mass at all": ("u(x)°-1 v(y) $0 #a ; g9.81-y \\ #a :(1) < #0", "not checked", "has no inertia"),
    "a rod that is too short": ("zi zi #a ; g-y \\ #a :(0.1) {30,0} < #0", "not checked", "satisfy"),
    "a rod that only reaches": ("zi #a ; g-y \\ #a :(2) {3,0} < #0", "not checked", "leave no digits"),
}  # fmt: skip


@pytest.mark.sampled(6)
@pytest.mark.parametrize("model", MODELS)
def test_loops_beyond_floats_are_not_checked(model: str) -> None:
    text, verdict, words = MODELS[model]
    evidence = check(read_text(text, format="mbsd").system, formalisms=SOLVERS, states=2, claims=[])
    assert evidence.verdict == verdict, evidence.comparisons
    reasons = {c.explanation for c in evidence.comparisons if c.quantity in CONSTRAINED and c.verdict != "agrees"}
    assert bool(reasons) == (verdict != "agrees")
    assert not reasons or any(words in reason for reason in reasons)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["a rod that is too short"])
def test_two_loops_beyond_floats_are_not_checked(model: str) -> None:
    system = read_text(MODELS[model][0], format="mbsd").system
    assert same_machine(system, system, 2, formalisms=["lagrange"]).verdict == "not checked"


def four_bar() -> System:
    return read(folder("konoplev") / "four_bar.mbs.json").system


def times(system: System, factor: float, which: int | None = None) -> System:
    """All masses and tensors, or those of one body, multiplied."""
    by = as_expression(factor)
    bodies = list(system.bodies)
    for i, b in enumerate(bodies):
        if which in (None, i):
            own = b.inertia
            bodies[i] = replace(b, inertia=replace(own, mass=own.mass * by, tensor=tuple(x * by for x in own.tensor)))
    return replace(system, bodies=tuple(bodies))


#: Factors of the masses, of which body (None: of all), and the verdict: zeros beside other units have bounds.
MASSES = [
    (1e12, None, "agrees"), (1e-12, None, "agrees"), (1e300, None, "agrees"),
    (1e12, 1, "agrees"), (1e-12, 1, "agrees"), (1e60, 1, "agrees"), (1e300, 1, "agrees"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "which", "verdict"), MASSES)
def test_scaled_masses_of_a_loop(factor: float, which: int | None, verdict: str) -> None:
    evidence = check(times(four_bar(), factor, which), formalisms=SOLVERS, states=2, claims=[])
    assert evidence.verdict == verdict


def test_nothing_but_zeros_is_not_checked() -> None:
    nothing = replace(times(four_bar(), 0.0), gravity=None)
    nothing = replace(nothing, coordinates=tuple(replace(c, drive=None) for c in nothing.coordinates))
    evidence = check(nothing, formalisms=SOLVERS, states=2)
    assert evidence.verdict == "not checked"
    assert all(c.zero for c in evidence.comparisons if c.quantity == "M" and not c.claim)
    assert any("nothing was compared" in d.message for d in evidence.diagnostics)


@pytest.mark.slow
@pytest.mark.parametrize(("row", "verdict"), [(0, "agrees"), (1, "not checked")])
def test_rows_that_are_numbers(row: int, verdict: str) -> None:
    """0 = 0 constrains nothing, and 1 = 0 has no state."""
    rows = (*four_bar().constraints, Holonomic("number", as_expression(row)))
    evidence = check(replace(four_bar(), constraints=rows), formalisms=SOLVERS, states=2, claims=[])
    assert evidence.verdict == verdict


# --- states ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["t", "q", "v", "a"])
def test_a_state_with_no_number_is_refused(bad: float, where: str) -> None:
    part: Any = bad if where == "t" else {"q1": bad}
    with pytest.raises(NumbersError, match=f"{abs(bad)}|not a finite"):
        check(four_bar(), given=[State(**{where: part})])


#: Rates, and the verdict: the squares of some are beyond floats.
RATES = [(0.0, "agrees"), (1e8, "agrees"), (1e200, "not checked")]


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "verdict"), RATES)
def test_rates_of_a_loop(rate: float, verdict: str, recwarn: pytest.WarningsRecorder) -> None:
    evidence = check(four_bar(), given=[State(v={"q1": rate})], formalisms=SOLVERS, claims=[])
    assert evidence.verdict == verdict
    assert [str(w.message) for w in recwarn] == []


def parallelogram() -> System:
    """Cranks of 1 m and a coupler of 2 m, hinged 2 m apart: in line at zero."""
    slender = (0, number("0.1"), number("0.1"), 0, 0, 0)
    lengths = {"a": ("q1", 1), "b": ("q2", 2), "c": ("q3", 1)}
    bodies, parent = [], None
    for name, (coordinate, length) in lengths.items():
        joint = (rotation("z", coordinate), translation("x", as_expression(length)))
        bodies.append(Body(name, parent, joint, Inertia(1, (number("-0.5"), 0, 0), slender)))
        parent = name
    return System(
        "parallelogram", tuple(map(Coordinate, ("q1", "q2", "q3"))), gravity=Gravity(number("9.81"), (0, -1, 0)),
        bodies=tuple(bodies), constraints=(PointCoincidence("hinge", Point("c"), Point(None, (2, 0, 0))),),
    )  # fmt: skip


#: Distance of the crank from the line, and the relative change of accelerations that is told; None: none is.
NEAR = [(1e-1, 1e-11), (1e-3, 1e-6), (1e-5, 1e-3), (1e-7, None), (1e-8, None)]


@pytest.mark.slow
@pytest.mark.parametrize(("off", "noticed"), NEAR)
def test_near_a_singular_position_digits_are_lost_and_nothing_disagrees(off: float, noticed: float | None) -> None:
    state = State(0.0, {"q1": off, "q2": -off, "q3": math.pi + off}, {"q1": 1.0, "q2": -1.0, "q3": 1.0})
    evidence = check(parallelogram(), given=[state], formalisms=(*SOLVERS, "telegin"), claims=[])
    told = verdicts(evidence)
    assert told[ACCELERATION] == told[REACTIONS] == {"agrees" if noticed else "not checked"}
    for c in evidence.comparisons:
        if c.quantity == ACCELERATION:
            assert "ill-conditioned" in c.explanation if noticed is None else 0 < (c.noticeable or 0) < noticed
    assert told["rank"] <= {"agrees", "not checked"}


def test_in_line_rows_are_one() -> None:
    """Exactly at the singular position, at rest, two rows ask for the same."""
    state = State(0.0, {"q1": 0.0, "q2": 0.0, "q3": math.pi})
    evidence = check(parallelogram(), given=[state], formalisms=SOLVERS, claims=[])
    assert "disagrees" not in {verdict for found in verdicts(evidence).values() for verdict in found}


def test_a_loop_without_any_mass_accuses_nobody() -> None:
    """By all who solve it and with forces at cuts: a slider-crank that slides, by relative coordinates too."""
    system = read(folder() / "native/slider_crank.mbs.json").system
    empty = replace(system, bodies=tuple(replace(body, inertia=Inertia(number(0))) for body in system.bodies))
    evidence = check(empty, states=1, claims=["joint_forces"], physics="ignore", exact="off")
    assert evidence.verdict == "not checked"
    ranks = {c.verdict for c in evidence.comparisons if c.quantity == "rank"}
    assert ranks == {"agrees"}
    assert any("what moves has no inertia" in d.message for d in evidence.diagnostics)


#: What is asked so far, rad, beside the line, and disagreed there: rows on either side of what counts as independent.
BESIDE = [("evaluate", 1e-9), ("evaluate", 1e-10), ("linearize", 1e-5)]


@pytest.mark.parametrize(("verb", "off"), BESIDE)
def test_beside_a_singular_position_nothing_is_accused(
    verb: str, off: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    angles, system = (off, -off, math.pi + off), parallelogram()
    coordinates = tuple(
        replace(c, position=number(repr(x)), velocity=number(v))
        for c, x, v in zip(system.coordinates, angles, (1, -1, 1), strict=True)
    )
    file = tmp_path / "flat.mbs.json"
    file.write_text(write(replace(system, coordinates=coordinates), "native").text, encoding="utf-8")
    code = main([verb, str(file)])
    told = capsys.readouterr()
    assert code != 1 and "near a singular position: rows are independent by " in told.out + told.err
    assert "disagrees" not in told.out and "do not trust" not in told.err
