"""Models with constraints: the same machine however a loop is closed; a planted difference is found and located."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import closed_linkage, closed_tree, cut_tree
from mbconcord.converters.registry import read, read_text, write
from mbconcord.fixtures import folder
from mbconcord.model import (
    FrameCoincidence,
    Holonomic,
    Nonholonomic,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.constraint import Frame
from mbconcord.model.expressions import as_expression, sin, symbol
from mbconcord.model.force import Point
from mbconcord.validation.compare import QUANTITIES, Sameness, same_machine
from mbconcord.validation.judge.closed.rows import rotation_vector
from mbconcord.validation.judge.closed.sameness import OF_CONSTRAINTS

from ....reference.konoplev import CLOSURES, fourbar
from ...test_same_machine import renamed

(POINT,) = CLOSURES["point"]
X, Y = CLOSURES["rows"]
FILES = ["konoplev/four_bar.mbs.json", "mbsd/four_bar.mbsd", "mbsd/patu655.mbsd", "um/four_bar/input.dat"]


def fixture(file: str) -> System:
    return read(folder(file.split("/")[0]) / file.split("/", 1)[1]).system


def told(found: Sameness) -> set[tuple[str, str]]:
    """Quantities of the constraints that disagree, and where."""
    return {(c.quantity, *c.entry[:1]) for c in found.comparisons if c.verdict == "disagrees"}  # type: ignore[misc]


# --- the same --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_a_fixture_is_the_same_machine_as_itself_written_and_read_back(file: str) -> None:
    model = fixture(file)
    back = read_text(write(model, "native").text, "model.mbs.json", "native").system
    found = same_machine(model, back, 4)
    assert found.verdict == "agrees", str(found)
    assert {c.quantity for c in found.comparisons} == {*QUANTITIES, *OF_CONSTRAINTS}
    assert found.closed == 4 and found.to_json()["closed_states"] == 4
    assert "compared as open trees: M, h, gravity, applied" in str(found)
    assert "4 states on the constraints of both: " + ", ".join(OF_CONSTRAINTS) in str(found)


@pytest.mark.slow
def test_a_loop_in_a_leaning_plane_is_compared_at_every_state() -> None:
    """Two of its rows vanish up to rounding, and numbers differ in last digits."""
    text = (folder("sdf") / "linkage.sdf").read_text(encoding="utf-8")
    rounded = text.replace(" 0 0 1.4<", " 0 0 1.4000000000000001<")
    a, b, c = (
        read_text(x, "-", "sdf").system for x in (text, rounded, rounded.replace("0.26 0.02", "0.260000001 0.02"))
    )
    near, far = (same_machine(a, other, 4, formalisms=["lagrange"]) for other in (b, c))
    (admitted,) = (c for c in near.comparisons if c.quantity == "admitted motions")
    assert near.verdict == "agrees" and not admitted.explanation, str(near)
    assert told(far) == {("constraints", "c")}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("a", CLOSURES)
@pytest.mark.parametrize("b", CLOSURES)
def test_however_the_loop_is_closed(a: str, b: str) -> None:
    """Rows of coordinates, coinciding points, a cut revolute joint and a cut sphere say the same of a four-bar."""
    found = same_machine(fourbar(*CLOSURES[a]), fourbar(*CLOSURES[b]), 5)
    assert found.verdict == "agrees", str(found)


@pytest.mark.slow
@pytest.mark.parametrize("factor", ["1e-9", "1e-3", "1e6"])
@pytest.mark.parametrize("first", [True, False])
def test_rows_multiplied_by_a_number(factor: str, first: bool) -> None:
    many = [replace(c, expression=c.expression * as_expression(float(factor))) for c in (X, Y)]
    pair = [fourbar(POINT), fourbar(*many)]
    found = same_machine(*(pair if first else pair[::-1]), 5)
    assert found.verdict == "agrees", str(found)


@pytest.mark.slow
def test_coordinates_of_other_names_in_another_order() -> None:
    model = fourbar(POINT)
    other = renamed(model, {"q1": "alpha", "q2": "beta", "q3": "gamma"})
    for order in ([2, 1, 0], [1, 2, 0]):
        shuffled = replace(other, coordinates=tuple(other.coordinates[i] for i in order))
        found = same_machine(model, shuffled, 4)
        assert found.verdict == "agrees after matching" and found.matching.by == "structure", str(found)
        told = {"q1": "alpha", "q2": "beta", "q3": "gamma"}
        assert same_machine(model, shuffled, 4, coordinates=told).verdict == "agrees"
        found = same_machine(model, replace(shuffled, constraints=(far(POINT),)), 4)
        assert found.verdict == "disagrees" and found.worst.state is not None
        assert set(found.worst.state.q) == {"q1", "q2", "q3"}


@pytest.mark.slow
def test_redundant_rows_change_nothing() -> None:
    again = Holonomic("again", X.expression * 2 + Y.expression)
    for a, b in (((X, Y), (X, Y, again)), ((POINT,), (X, replace(POINT, name="pin"), *CLOSURES["revolute"]))):
        assert same_machine(fourbar(*a), fourbar(*b), 5).verdict == "agrees"
        assert same_machine(fourbar(*b), fourbar(*a), 5).verdict == "agrees"


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("make", [closed_tree, cut_tree, closed_linkage])
@pytest.mark.parametrize("seed", range(2))
def test_random_closed_models(make: Callable[[int], Any], seed: int) -> None:
    closed = make(seed)
    model = closed.system
    other = replace(model, coordinates=model.coordinates[::-1], constraints=model.constraints[::-1])
    found = same_machine(model, other, closed.states)
    blind = ("ill-conditioned", "every state is close to a singular position")
    for c in found.comparisons:
        assert c.verdict == "agrees" or (c.verdict == "not checked" and c.explanation.startswith(blind)), c


# --- not the same ----------------------------------------------------------------------------------


def far(point: PointCoincidence, axis: int = 0) -> PointCoincidence:
    """The second point moved by 1e-6."""
    x = list(point.second.position)
    x[axis] = as_expression(x[axis]) + as_expression(1e-6)
    return replace(point, second=replace(point.second, position=tuple(x)))


def rolling(coefficient: float, rest: float = 0.0) -> System:
    row = Nonholonomic("roll", {"q1": 1, "q2": coefficient}, rest)
    return fourbar(row)


ROD = Rod("rod", Point("link3", (0.7, 0, 0)), Point(None, (0.8, 0.1, 0)), 0.5)
HALF = (translation("x", 0.8), rotation("x", math.pi))
TILTED = FrameCoincidence("loop", Frame("link3", (rotation("z", "p"),)), Frame(None, (rotation("x", math.pi),)))
DIFFERENT = [
    ("a point moved along the plane", fourbar(POINT), fourbar(far(POINT)), "loop"),
    ("a point moved across it", fourbar(POINT), fourbar(far(POINT, 2)), "loop"),
    ("a row against a point", fourbar(POINT), fourbar(X, replace(Y, expression=Y.expression + 1e-6)), None),
    ("a small row", fourbar(X, Y), fourbar(X, replace(Y, expression=(Y.expression + 1e-6) * 1e-7)), "y"),
    ("a row missing", fourbar(X, Y), fourbar(X), "y"),
    ("all missing", fourbar(POINT), fourbar(), "loop"),
    ("one too many", fourbar(X, Y), fourbar(X, Y, Holonomic("held", symbol("q1") - 0.7)), None),
    ("length of a rod", fourbar(ROD), fourbar(replace(ROD, length=0.500001)), "rod"),
    ("coefficient of a rolling row", rolling(0.5), rolling(0.500001), "roll"),
    ("free term of a rolling row", rolling(0.5), rolling(0.5, 1e-4), "roll"),
    ("rates where positions are meant", fourbar(Nonholonomic("f", {"q1": 1, "q2": 1})),
     fourbar(Holonomic("f", symbol("q1") + symbol("q2"))), "f"),
    ("a second branch", fourbar(Holonomic("f", sin(symbol("q1")))),
     fourbar(Holonomic("f", sin(2 * symbol("q1")))), "f"),
    ("a frame turned by a half turn",
     fourbar(replace(TILTED, second=Frame(None, HALF[:1]))), fourbar(TILTED), "loop"),
]  # fmt: skip


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("title", "a", "b", "name"), DIFFERENT, ids=[d[0] for d in DIFFERENT])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_planted_difference_is_found_and_located(
    title: str, a: System, b: System, name: str | None, swapped: bool
) -> None:
    found = same_machine(*((b, a) if swapped else (a, b)))
    assert found.verdict == "disagrees", str(found)
    assert {q for q, *_ in told(found)} <= {*OF_CONSTRAINTS}
    if name:
        assert ("constraints", name) in told(found)
    (bad, *_) = (c for c in found.comparisons if c.verdict == "disagrees")
    assert bad.quantity == "constraints" and bad.state is not None and bad.entry[0] in bad.explanation
    assert "at the state" in str(found) and bad.explanation in str(found) and "[]" not in str(found)
    assert found.to_json()["verdict"] == "disagrees"


def test_the_admitted_motions_are_compared_where_the_rest_says_nothing() -> None:
    """At rest without forces both accelerate by zero, and both rows vanish: the directions tell."""
    still = replace(fourbar(), gravity=replace(fourbar().gravity, value=as_expression(0)))
    still = replace(still, coordinates=tuple(replace(c, drive=None) for c in still.coordinates))
    a, b = (replace(still, constraints=(Holonomic("f", symbol("q1") + k * symbol("q2")),)) for k in (1, 2))
    found = same_machine(a, b, [State(q={"q3": 0.4}, v={"q1": 0.0})])
    at_rest = same_machine(a, b, [State(q={"q1": 0.0, "q2": 0.0, "q3": 0.4}, v=dict.fromkeys(("q1", "q2", "q3"), 0.0))])
    assert {q for q, *_ in told(at_rest)} == {"admitted motions"} and found.verdict == "disagrees"


def test_the_open_tree_counts_too() -> None:
    a, b = fourbar(POINT), fourbar(POINT)
    last = b.bodies[-1]
    b = replace(b, bodies=(*b.bodies[:-1], replace(last, inertia=replace(last.inertia, mass=last.inertia.mass * 2))))
    found = same_machine(a, b, 4)
    assert found.verdict == "disagrees"
    assert {"M", "h", "gravity", "constrained acceleration"} <= {q for q, *_ in told(found)}


@pytest.mark.slow
def test_loops_that_do_not_close_are_not_checked() -> None:
    model = fourbar(replace(ROD, length=100))
    found = same_machine(model, model, 3)
    assert found.verdict == "not checked" and found.closed == 0
    assert "no state satisfies A's constraints" in str(found)
    assert {c.verdict for c in found.comparisons if c.quantity in QUANTITIES} == {"agrees"}


def test_a_half_turn_is_no_coincidence() -> None:
    """The rotation vector of R = 2 n nᵀ - E is π n, although R is symmetric."""
    for axis in ((1, 0, 0), (0, 1, 0), (0.6, 0, 0.8)):
        n = np.array(axis)
        vector = rotation_vector((2 * np.outer(n, n) - np.eye(3))[None])[0]
        assert np.abs(np.cross(vector, n)).max() < 1e-12 and abs(np.linalg.norm(vector) - np.pi) < 1e-12
    assert not rotation_vector(np.eye(3)[None]).any()
