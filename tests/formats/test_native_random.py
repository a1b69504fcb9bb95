"""The native format holds any system: round trips of random ones, with names that no formula can hold."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Function,
    Gravity,
    Inertia,
    Parameter,
    Point,
    Prescribed,
    Rod,
    System,
    Wrench,
    rotation,
    translation,
)
from mbconcord.model.expressions import PI_NODE, Expression, apply, as_expression, call, sin, symbol
from mbconcord.model.force import FORCE_AXES

from .native_files import assert_round_trip

NAMES = st.sampled_from(["m1", "масса", "k_2", "left arm", "pi", "sin", "a", "bx"])
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.fractions(max_denominator=10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=25).map(Fraction),
)


def formulas(names: list[str]) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(NUMBERS.map(as_expression), st.sampled_from([*names, "t"]).map(symbol), st.just(PI_NODE))

    def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] - p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] / p[1] if p[1] else p[0]),
            st.tuples(inner, st.integers(1, 4)).map(lambda p: p[0] ** p[1]),
            inner.map(sin),
            st.tuples(inner, inner).map(lambda p: apply("atan2", *p)),
            st.tuples(inner, st.integers(0, 2)).map(lambda p: call("JK", [p[0]], [p[1]])),
        )

    return st.recursive(leaves, grown, max_leaves=12)


AXES = st.one_of(
    st.sampled_from(["x", "-y", "z"]),
    st.tuples(*[st.integers(-4, 4)] * 3).filter(any),
    st.tuples(*[st.floats(0.125, 8)] * 3),
)


@st.composite
def systems(draw: st.DrawFn) -> System:
    parameters = draw(st.lists(NAMES, unique=True, max_size=4))
    scalar = NUMBERS | st.sampled_from(parameters).map(symbol) if parameters else NUMBERS
    timed = formulas(parameters)
    vector = st.tuples(scalar, scalar, scalar)
    coordinates: list[str] = []
    bodies: list[Body] = []
    for i in range(draw(st.integers(0, 4))):
        joint = []
        for _ in range(draw(st.integers(0, 3))):
            make, axis = draw(st.sampled_from([translation, rotation])), draw(AXES)
            kind = draw(st.sampled_from(["constant", "coordinate", "prescribed"]))
            if kind == "coordinate":
                coordinates.append(f"q {len(coordinates)}" if draw(st.booleans()) else f"q{len(coordinates)}")
                joint.append(make(axis, coordinates[-1]))
            else:
                joint.append(make(axis, Constant(draw(scalar)) if kind == "constant" else Prescribed(draw(timed))))
        parent = draw(st.sampled_from([None, *(b.name for b in bodies)]))
        inertia = Inertia(draw(scalar), draw(vector), draw(st.tuples(*[scalar] * 6)))
        bodies.append(Body(f"b{i}", parent, tuple(joint), inertia))
    moving = formulas([*parameters, *coordinates, *(f"{c}'" for c in coordinates)])
    places = [None, *(b.name for b in bodies)]
    at = st.builds(Point, st.sampled_from(places), vector)
    forces = [
        Wrench(f"w{i}", draw(at), draw(st.tuples(*[moving] * 3)), axes=draw(st.sampled_from(FORCE_AXES)))
        for i in range(draw(st.integers(0, 2)))
    ]
    rods = []
    for i in range(draw(st.integers(0, 2)) if bodies else 0):
        ends = draw(st.lists(st.sampled_from(places), min_size=2, max_size=2, unique=True))
        rods.append(Rod(f"r{i}", *(Point(end, draw(vector)) for end in ends), draw(scalar)))
    return System(
        draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=8)),
        tuple(Coordinate(c, draw(scalar), draw(scalar)) for c in coordinates),
        tuple(Parameter(name, draw(st.none() | NUMBERS)) for name in parameters),
        (Function("JK", ("t",), draw(st.none() | formulas(parameters))),),
        draw(st.none() | st.builds(Gravity, scalar, AXES.filter(lambda a: not isinstance(a, str)))),
        tuple(bodies), tuple(forces), tuple(rods),
    )  # fmt: skip


@given(systems())
@settings(max_examples=20, deadline=None)
def test_round_trip_of_random_systems(system: System) -> None:
    assert_round_trip(system)
