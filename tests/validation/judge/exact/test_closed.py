"""Exact agreement of motions with constraints: fixtures, planted faults of rows, special lengths, every closing."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Gravity,
    Inertia,
    Parameter,
    Point,
    PointCoincidence,
    System,
    rotation,
    translation,
)
from mbconcord.model.derivation import Derivation, Lazy
from mbconcord.model.expressions import PI_NODE, ZERO, Expression, apply, as_expression, cos, number, sqrt, symbol
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import ACCELERATION, CONSTRAINED, RANK, REACTIONS
from mbconcord.validation.judge.exact.proof import ClosedEquations, closed_equations
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.machines import random_constraints
from mbconcord.validation.strategies.trees import random_system

#: A fixture of every kind of constraint, and of a cut joint whose own coordinate stands before other steps.
FIXTURES = {
    "konoplev/four_bar.mbs.json": 1, "mbsd/four_bar.mbsd": 1, "native/slider_crank.mbs.json": 1,
    "native/chaplygin_sleigh.mbs.json": 2, "native/bead_on_parabola.mbs.json": 1, "um/four_bar/input.dat": 1,
}  # fmt: skip


def solving(system: System) -> list[Formalism]:
    known = [formalism(name) for name in BUILT_IN]
    return [f for f in known if not f.constraint_obstacles(system)]


def all_identical(found: ClosedEquations | str) -> bool:
    assert not isinstance(found, str), found
    pairs = combinations(found.found, 2)
    verdicts = {(a, b, q): found.compare(a, b, q) for a, b in pairs for q in CONSTRAINED}
    wrong = {key: str(x) for key, x in verdicts.items() if x is None or x.kind != "identical"}
    assert not wrong
    return all(x.log2 < -100 for x in verdicts.values())


@pytest.mark.parametrize("name", FIXTURES)
def test_fixtures_are_identical_on_the_constraints(name: str) -> None:
    system = read(folder() / name).system
    found = closed_equations(system, solving(system), FIXTURES[name])
    assert all_identical(found) and found.freedom == FIXTURES[name]


def test_check_says_so_of_every_pair() -> None:
    system = read(folder("mbsd") / "four_bar.mbsd").system
    found = check(system, states=2, claims=())
    closed = [c for c in found.comparisons if c.quantity in CONSTRAINED and c.b and not c.claim]
    assert len(closed) >= 9 and {c.exact.kind for c in closed if c.exact} == {"identical"}
    assert all(c.exact for c in closed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 9, 12])
def test_random_mechanisms_are_identical(seed: int) -> None:
    drawn = draw(random_system(seed, 1 + seed % 4), 1, seed)
    system = random_constraints(seed, drawn.system, drawn.states[0])
    assert system.constraints
    assert all_identical(closed_equations(system, solving(system), 0, seed))


class Wrong(Formalism):
    """The closed equations of an honest formalism, with something changed."""

    name, title, reference, takes = "wrong", "wrong", "none", frozenset()

    def __init__(self, change: Any, base: str = "konoplev") -> None:
        self.change, self.base = change, formalism(base)

    def constraint_obstacles(self, system: System):
        return self.base.constraint_obstacles(system)

    def derive(self, system: System) -> Derivation:
        return replace(self.base.derive(system), formalism=self.name)

    def derive_closed(self, system: System) -> Derivation | None:
        made = self.base.derive_closed(system)
        assert made is not None
        D, rest = self.change([list(row) for row in made.native["D"]], list(made.native["γ̃"]))
        closing = {"D": tuple(map(tuple, D)), "γ̃": tuple(rest)}
        return replace(made, native=Lazy({}) | made.native | closing)


def factor(D, rest, by):
    """A row of the constraint times a factor: the same constraint, another row."""
    return [[by * x for x in D[0]], *D[1:]], [by * rest[0], *rest[1:]]


def scaled(D, rest):
    return [[x * (1 + number("1e-15")) if k == 0 else x for k, x in enumerate(row)] for row in D], rest


MOTION = {RANK, ACCELERATION, REACTIONS}
#: What is changed, and what of the motion differs then.
CHANGES = {
    "a left factor": (lambda D, r: factor(D, r, 2 + apply("sin", symbol("q1"))), {RANK}),
    "a column": (scaled, MOTION),
    "a relative fault of rates": (
        lambda D, r: (D, [x * (1 + number("1e-15")) for x in r]),
        {RANK, ACCELERATION, REACTIONS},
    ),
    "nothing": (lambda D, r: (D, r), set()),
    "a number": (lambda D, r: factor(D, r, number("-7/3")), set()),
}


@pytest.mark.parametrize("title", CHANGES)
def test_faults_of_rows(title):
    """Rows of points have one meaning and are compared entry by entry, so that a factor of a row is found too."""
    change, wrong = CHANGES[title]
    system = read(folder("konoplev") / "four_bar.mbs.json").system
    names = [c.name for c in system.coordinates]
    assert "q1" in names
    asked = [formalism("lagrange"), Wrong(change)]
    found = closed_equations(system, asked, 1)
    assert not isinstance(found, str)
    said = {q: found.compare("lagrange", "wrong", q) for q in CONSTRAINED}
    assert {q for q, x in said.items() if x.kind == "differs"} == wrong
    assert all(x.kind == "identical" for q, x in said.items() if q not in wrong)


def parallelogram(lean: Expression, beam: Expression) -> System:
    """Three parallel cranks below one beam, which lean where all angles are zero.

    It moves, as no mechanism of four other lengths does.
    """
    r, L = symbol("r"), symbol("L")

    def bar(name, parent, joint, length, turn):
        steps = (*joint, rotation("z", Constant(turn)))
        return Body(name, parent, steps, Inertia(as_expression(1), (length / 2, 0, 0)))

    bodies = (
        bar("one", None, (rotation("z", "q1"),), r, lean),
        bar("beam", "one", (translation("x", r), rotation("z", "q2")), L, beam),
        bar("two", None, (translation("x", L), rotation("z", "q3")), r, lean),
        bar("three", None, (translation("x", L / 2), rotation("z", "q4")), r, lean),
    )
    ends = (
        PointCoincidence("right", Point("beam", (L, ZERO, ZERO)), Point("two", (r, ZERO, ZERO))),
        PointCoincidence("middle", Point("beam", (L / 2, ZERO, ZERO)), Point("three", (r, ZERO, ZERO))),
    )
    values = (Parameter("r", as_expression(1)), Parameter("L", as_expression(2)))
    gravity = Gravity(as_expression(9.81), (0, -1, 0))
    coordinates = tuple(Coordinate(f"q{i}") for i in range(1, 5))
    return System("parallelogram", coordinates, values, (), gravity, bodies, (), ends)


def test_special_lengths_are_taken_at_an_exact_position() -> None:
    """Closed at any position it does not move; where all angles are zero it is closed, and has one freedom."""
    system = parallelogram(PI_NODE / 3, -PI_NODE / 3)
    generic = closed_equations(system, solving(system), 0)
    assert all_identical(generic) and generic.freedom == 0
    own = closed_equations(system, solving(system), 1)
    assert all_identical(own) and own.freedom == 1


@pytest.mark.parametrize("lean, why", [(PI_NODE / 3, "it is open there"), (ZERO, "it is folded there")])
def test_without_such_a_position_it_is_undecided(lean, why) -> None:
    system = parallelogram(lean, ZERO)
    said = closed_equations(system, solving(system), 1)
    assert isinstance(said, str) and "special lengths" in said, why


#: Angles of overconstrained linkages by one of them, u: formulas of arcs, whose exponentials are algebraic.
CURVES = {
    "bennett": lambda u: (u, 2 * apply("atan", sqrt(number(3)) / apply("tan", u / 2)), -u),
    "bricard": lambda u: (u, apply("acos", -cos(u) / (1 + cos(u))), u, apply("acos", -cos(u) / (1 + cos(u))), u),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
def test_overconstrained_linkages_at_a_position_that_formulas_give(name: str) -> None:
    """For every angle u of the motion: what the initial position says in formulas is exact."""
    system = read(folder("overconstrained") / f"{name}.mbs.json").system
    rounded = tuple(replace(c, position=number("1.1")) for c in system.coordinates)
    decimals = closed_equations(replace(system, coordinates=rounded), solving(system), 1)
    assert isinstance(decimals, str) and "special lengths" in decimals
    positions = CURVES[name](symbol("u"))
    coordinates = tuple(replace(c, position=x) for c, x in zip(system.coordinates, positions, strict=True))
    parameters = (*system.parameters, Parameter("u", number("1.1")))
    exact = closed_equations(replace(system, coordinates=coordinates, parameters=parameters), solving(system), 1)
    assert all_identical(exact) and exact.freedom == 1 and len(exact.found) >= 3
    assert exact.compare("lagrange", "konoplev", RANK).scope == "at its initial position, for all rates"
