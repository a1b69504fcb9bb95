"""Bounds of the canonical quantities: all witnesses within them, 50 digits within them, a small fault beyond them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from laboratory.bench.bounds import RANGES, worst_error
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import Body, Coordinate, Gravity, Inertia, Parameter, State, System, rotation, translation
from mbconcord.model.derivation import Derivation, Nested, flatten, restore
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import (
    ONE,
    ZERO,
    Expression,
    ExpressionError,
    cos,
    evaluate,
    mpmath_arithmetic,
    number,
    rate,
    substitute,
    symbol,
)
from mbconcord.model.expressions.bounds import ACCURACY
from mbconcord.model.mixed import coordinates_without_inertia
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge import bounds as module
from mbconcord.validation.judge.bounds import PARTS, Bounded, BoundedEquations, complete, evaluate_bounded, force
from mbconcord.validation.judge.floats import precisely
from mbconcord.validation.judge.states import DrawnModel, draw
from mbconcord.validation.judge.uncertainty import inputs
from mbconcord.validation.strategies.trees import random_system

from ...fixture_models import MODELS, derivations, model

EXACT = mpmath_arithmetic(50)
EVALUATED = ("M", "h", "gravity", "applied", "inverse_dynamics")


def by_witness(drawn: DrawnModel) -> dict[str, dict[str, Bounded]]:
    given = inputs(drawn.system, drawn.states)
    return {d.formalism: evaluate_bounded(d, given) for d in derivations(drawn)}


@cache
def of_fixture(file: str) -> dict[str, dict[str, Bounded]]:
    return by_witness(model(file))


def ratios(found: Mapping[str, Mapping[str, Bounded]], quantities: tuple[str, ...]) -> Iterator[Any]:
    """|a - b| over the sum of the bounds, of every entry that two deliver with a bound."""
    for a, b in itertools.combinations(found.values(), 2):
        for name in quantities:
            if name in a and name in b:
                room = a[name].bounds + b[name].bounds
                gap = np.abs(a[name].values - b[name].values)
                with np.errstate(all="ignore"):
                    yield np.where(gap == 0, 0.0, gap / room)[a[name].has_bound & b[name].has_bound]


def require_agreement(found: Mapping[str, Mapping[str, Bounded]]) -> None:
    for ratio in ratios(found, (*EVALUATED, "acceleration")):
        assert ratio.max(initial=0.0) <= 1.0


# --- witnesses agree -------------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS)
def test_all_witnesses_of_a_fixture_lie_within_the_sum_of_their_bounds(file: str) -> None:
    drawn, found = model(file), of_fixture(file)
    require_agreement(found)
    for quantities in found.values():
        for name in EVALUATED:
            assert name not in quantities or quantities[name].has_bound.all()
        if "acceleration" in quantities:
            singular = [
                bool(coordinates_without_inertia(m, drawn.system.coordinate_names)) for m in quantities["M"].values
            ]
            assert (~quantities["acceleration"].has_bound.any(axis=1) == singular).all()


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_all_witnesses_of_random_trees_lie_within_the_sum_of_their_bounds(seed: int) -> None:
    """Without the judge, which asks the same of the hundred trees on which all formalisms are compared."""
    require_agreement(by_witness(draw(random_system(seed, 1 + seed % 6), 3, seed)))


@pytest.mark.parametrize("turns", [1e3, 1e6])
def test_angles_of_a_million_radians(turns: float) -> None:
    """The sum of two angles is off by u |q1 + q2|, which the sine of it shows."""
    for file in ("mbsd/double_pendulum.mbsd", "robots/ur5.mbsd", "mbsd/gimbal.mbsd"):
        drawn = model(file)
        states = [replace(s, q={name: turns * x for name, x in s.q.items()}) for s in drawn.states]
        require_agreement(by_witness(replace(drawn, states=tuple(states))))


@pytest.mark.slow
@pytest.mark.parametrize("factor", ["1e-12", "1e12"])
def test_masses_of_all_sizes(factor: str) -> None:
    """Every second body's inertia times 1e±12."""
    for file in ("mbsd/double_pendulum.mbsd", "mbsd/chain.mbsd", "robots/ur5.mbsd"):
        drawn = model(file)
        found = by_witness(replace(drawn, system=scaled(drawn.system, number(factor))))
        require_agreement(found)


def scaled(system: System, factor: Expression) -> System:
    bodies = []
    for i, body in enumerate(system.bodies):
        inertia = body.inertia
        if i % 2:
            tensor = tuple(factor * x for x in inertia.tensor)
            inertia = replace(inertia, mass=factor * inertia.mass, tensor=tensor)
        bodies.append(replace(body, inertia=inertia))
    return replace(system, bodies=tuple(bodies))


# --- against 50 digits -----------------------------------------------------------------------------------------


def exact(derivation: Derivation, state: State) -> dict[str, Any]:
    """Every delivered quantity, flat, and the accelerations solved from them, in 50 digits."""
    values = environment(derivation.system, [state], EXACT)[0]
    found: dict[str, Any] = {}
    for name, nested in derivation.quantities.items():
        found[name] = evaluate(define(flatten(nested), derivation.system.functions), values, EXACT)
    n = len(derivation.system.coordinates)
    if all(name in found for name in PARTS):
        context = EXACT.convert(1.0).context
        a = [values[f"{name}''"] for name in derivation.system.coordinate_names]
        rest = [h - g - f for h, g, f in zip(found["h"], found["gravity"], found["applied"], strict=True)]
        rows = [found["M"][i * n : (i + 1) * n] for i in range(n)]
        moved = [sum((m * x for m, x in zip(row, a, strict=True)), r) for row, r in zip(rows, rest, strict=True)]
        found.setdefault("inverse_dynamics", moved)
        try:
            solved = list(context.lu_solve(context.matrix(rows), -context.matrix(rest)))
        except ZeroDivisionError:
            return found
        found.setdefault("acceleration", solved)
    return found


def worst(derivation: Derivation, drawn: DrawnModel, found: Mapping[str, Bounded]) -> float:
    """Largest error in units of its bound."""
    most = 0.0
    for s, state in enumerate(drawn.states):
        for name, true in exact(derivation, state).items():
            pairs = zip(true, found[name].values[s].flat, found[name].bounds[s].flat, strict=True)
            for x, value, bound in pairs:
                if np.isfinite(bound):
                    error = abs(x - float(value))
                    most = max(most, float(error / bound) if error else 0.0)
    return most


SMALL = (
    "mbsd/double_pendulum.mbsd", "mbsd/gimbal.mbsd", "mbsd/springs.mbsd", "mbsd/moving_support.mbsd",
    "mbsd/patu655_tree.mbsd", "konoplev/gyrostat.mbs.json", "konoplev/submarine.mbs.json", "robots/ur5.mbsd",
    "tp/table1.tp.csv", "um/double_pendulum/input.dat",
)  # fmt: skip


@pytest.mark.parametrize("file", SMALL)
def test_fifty_digits_lie_within_the_bounds_of_every_witness(file: str) -> None:
    drawn = model(file)
    given = inputs(drawn.system, drawn.states)
    for derivation in derivations(drawn):
        assert worst(derivation, drawn, evaluate_bounded(derivation, given)) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_fifty_digits_lie_within_the_bounds_on_random_trees(seed: int) -> None:
    drawn = draw(random_system(seed, 1 + seed % 3), 2, seed)
    given = inputs(drawn.system, drawn.states)
    for derivation in derivations(drawn):
        assert worst(derivation, drawn, evaluate_bounded(derivation, given)) <= 1.0


# --- constants -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACCURACY)
def test_functions_are_as_accurate_as_bounds_take_them_for(name: str) -> None:
    assert 0.5 < worst_error(name, 200) <= ACCURACY[name]


def test_every_function_with_an_error_is_measured() -> None:
    assert RANGES.keys() == ACCURACY.keys()


# --- numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["robots/ur5.mbsd", "mbsd/springs.mbsd", "konoplev/gyrostat.mbs.json"])
def test_values_are_those_of_the_evaluation(file: str) -> None:
    drawn = model(file)
    given = inputs(drawn.system, drawn.states)
    for derivation in derivations(drawn):
        found = evaluate_bounded(derivation, given)
        expected = evaluate_derivation(derivation, drawn.states).quantities
        assert found.keys() == expected.keys()
        for name in EVALUATED:
            if name in expected:
                assert np.array_equal(found[name].values, expected[name])
                assert found[name].bounds.shape == expected[name].shape
        if "acceleration" in expected:
            size = np.abs(expected["acceleration"]).max()
            assert np.abs(found["acceleration"].values - expected["acceleration"]).max() <= 1e-9 * size


def pendulum(mass: Expression, *parameters: Parameter) -> System:
    inertia = Inertia(mass, (number("0.3"), 0, 0), (0, 0, number("0.1")))  # type: ignore[arg-type]
    body = Body("b", None, (rotation("z", "q"),), inertia)
    gravity = Gravity(number("9.81"), (0, -1, 0))  # type: ignore[arg-type]
    return System("pendulum", (Coordinate("q"),), parameters, gravity=gravity, bodies=(body,))


THIRD = number(Fraction(1, 3))
STATE = State(q={"q": 0.7}, v={"q": 1.3}, a={"q": -0.4})


def test_a_number_inlined_and_the_same_as_a_parameter_agree() -> None:
    """The float of the parameter is not 1/3: without its rounding these two would disagree."""
    inlined, named = pendulum(THIRD), pendulum(symbol("m"), Parameter("m", THIRD))
    states = [replace(STATE, q={"q": x}) for x in np.linspace(-3, 3, 200).tolist()]
    for name in BUILT_IN:
        if formalism(name).obstacles(inlined):
            continue
        first, second = (
            evaluate_bounded(formalism(name).derive(system), inputs(system, states)) for system in (inlined, named)
        )
        for ratio in ratios({"inlined": first, "named": second}, EVALUATED):
            assert ratio.max() <= 1.0
        exactly = inputs(named, states)
        assert (exactly.bounds["m"] > 0).all()


def test_a_printed_parameter_makes_room_for_what_it_may_be() -> None:
    """m = 0.33 may be 0.325: the weight then differs by 0.005 g 0.3 cos q."""
    system = pendulum(symbol("m"), Parameter("m", number("0.33")))
    derivation = formalism("lagrange").derive(system)
    plain = evaluate_bounded(derivation, inputs(system, [STATE]))["gravity"]
    room = evaluate_bounded(derivation, inputs(system, [STATE], {"m": 0.005}))["gravity"]
    assert plain.values == room.values and plain.bounds < 1e-14
    moved = evaluate_bounded(derivation, inputs(system, [replace(STATE, parameters={"m": 0.325})]))["gravity"]
    gap = abs(moved.values - room.values)
    assert 0.95 * room.bounds < gap <= room.bounds + moved.bounds


def test_a_printed_number_of_the_equations_makes_room() -> None:
    """Equations that a program printed: 9.81 cos q, where 9.81 may be 9.805."""
    made = formalism("lagrange").derive(pendulum(THIRD))
    printed = replace(made, quantities={"gravity": (number("9.81") * cos(symbol("q")),)})

    def half_unit(x: Fraction) -> float:
        return 0.005 if x == Fraction("9.81") else 0.0

    room = evaluate_bounded(printed, inputs(made.system, [STATE], numbers=half_unit))["gravity"]
    share = 0.005 * np.cos(0.7)
    assert share <= room.bounds <= 1.01 * share


def test_an_uncertain_acceleration_goes_into_inverse_dynamics() -> None:
    system = pendulum(THIRD)
    found = evaluate_bounded(formalism("lagrange").derive(system), inputs(system, [STATE], {"q''": 1e-3}))
    assert found["inverse_dynamics"].bounds == pytest.approx(1e-3 * found["M"].values[:, 0], rel=2e-3)
    completed_from = {name: found[name] for name in PARTS}
    again = complete(completed_from, Bounded(np.array([[-0.4]]), np.array([[1e-3]])))
    assert again["inverse_dynamics"].bounds == pytest.approx(1e-3 * found["M"].values[:, 0], rel=2e-3)


def test_overflow_leaves_no_bound() -> None:
    inertia = Inertia(1, (number("1e200"), 0, 0), (0, 0, 1))  # type: ignore[arg-type]
    system = replace(pendulum(THIRD), bodies=(Body("b", None, (rotation("z", "q"),), inertia),))
    found = evaluate_bounded(formalism("lagrange").derive(system), inputs(system, [STATE]))
    assert not found["M"].has_bound.any() and not found["acceleration"].has_bound.any()
    assert found["gravity"].has_bound.all()


def test_a_quantity_that_is_not_delivered_is_absent() -> None:
    system = pendulum(THIRD)
    made = formalism("lagrange").derive(system)
    only = replace(made, quantities={"gravity": made.quantities["gravity"]})
    assert evaluate_bounded(only, inputs(system, [STATE])).keys() == {"gravity"}


def test_the_sum_of_forces_has_its_own_rounding() -> None:
    def exactly(value: float) -> Bounded:
        return Bounded(np.array([[value]]), np.zeros((1, 1)))

    total = force({"gravity": exactly(1.0), "applied": exactly(1e-17), "h": exactly(1.0)})
    assert total.values == 0 and 1e-17 <= total.bounds < 1e-15


def test_inverse_dynamics_has_the_rounding_of_its_sum() -> None:
    def exactly(*values: float) -> Bounded:
        return Bounded(np.array([values]), np.zeros((1, len(values))))

    mass = Bounded(np.array([[[1.0, 0.0], [1e-17, 1.0]]]), np.zeros((1, 2, 2)))
    parts = {"M": mass, "h": exactly(1.0, -1.0), "gravity": exactly(1e-17, 0.0), "applied": exactly(1.0, 0.0)}
    found = complete(parts, exactly(0.0, 1.0))["inverse_dynamics"]
    assert found.values[0].tolist() == [0.0, 0.0]
    assert 1e-17 < found.bounds[0, 0] < 2e-15 and found.bounds[0, 1] < 2e-15


# --- sensitivity -----------------------------------------------------------------------------------------------


def faulty(derivation: Derivation, name: str, random: Random, size: Fraction) -> Derivation | None:
    """One term of one entry of a quantity times 1 + size; None where no entry is a sum."""
    scalars = list(flatten(derivation.quantities[name]))
    sums = [i for i, x in enumerate(scalars) if x.op == "add"]
    if not sums:
        return None
    i = random.choice(sums)
    term = scalars[i]
    while term.op == "add":
        term = random.choice(term.args)
    scalars[i] = substitute([scalars[i]], {term: term * (1 + number(size))})[0]
    changed = _tuples(restore(derivation.quantities[name], iter(scalars)))
    return replace(derivation, quantities={**derivation.quantities, name: changed})


def _tuples(value: Any) -> Nested:
    return tuple(_tuples(x) for x in value) if isinstance(value, list) else value


@pytest.mark.rest
@pytest.mark.slow
def test_a_fault_of_a_part_in_1e12_of_one_term_is_beyond_the_bounds_in_the_median() -> None:
    random = Random(5)
    seen: list[float] = []
    for file in MODELS:
        drawn, found = model(file), of_fixture(file)
        if len(found) < 2 or len(drawn.system.coordinates) > 12:
            continue
        given = inputs(drawn.system, drawn.states)
        for name in ("M", "h", "gravity"):
            one, other = random.sample([who for who, quantities in found.items() if name in quantities], 2)
            wrong = faulty(formalism(one).derive(drawn.system), name, random, Fraction(1, 10**12))
            if wrong is not None:
                pair = {"wrong": evaluate_bounded(wrong, given), "other": found[other]}
                seen += [float(ratio.max()) for ratio in ratios(pair, (name,))]
    assert len(seen) > 100
    assert np.median(seen) > 1


@pytest.mark.rest
@pytest.mark.slow
def test_bounds_leave_twelve_digits_in_the_median() -> None:
    """Two bounds over the entry, of every entry of every fixture that is not zero."""
    sizes: dict[str, list[float]] = {name: [] for name in ("M", "h", "gravity", "inverse_dynamics")}
    for file in MODELS:
        for quantities in of_fixture(file).values():
            for name in sizes:
                if name in quantities:
                    q = quantities[name]
                    some = q.values != 0
                    sizes[name] += (2 * q.bounds[some] / np.abs(q.values[some])).tolist()
    for name, found in sizes.items():
        assert len(found) > 1000 and np.median(found) < 2e-13, name


def test_equations_are_grouped_once_and_evaluated_at_any_states() -> None:
    drawn = model("mbsd/double_pendulum.mbsd")
    grouped = BoundedEquations(formalism("lagrange").derive(drawn.system))
    together = grouped.evaluate(inputs(drawn.system, drawn.states))
    for s, state in enumerate(drawn.states):
        alone = grouped.evaluate(inputs(drawn.system, [state]))
        for name, q in together.items():
            assert np.array_equal(alone[name].values[0], q.values[s])


def test_a_large_program_is_not_kept_and_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations are counted and 50 digits computed without it; what is asked of it later makes it anew."""
    drawn = model("mbsd/double_pendulum.mbsd")
    derivation = formalism("lagrange").derive(drawn.system)
    kept = BoundedEquations(derivation)
    monkeypatch.setattr(module, "KEPT", 0)
    large = BoundedEquations(derivation)
    assert kept.program is kept.program and large.program is not large.program
    assert large.program == kept.program and large.size == len(kept.program.steps)
    assert large.operations() == kept.operations()
    at = precisely(drawn.system, drawn.states[0])
    assert large.exactly(at, PARTS) == kept.exactly(at, PARTS)


def test_what_has_no_value_in_digits_is_told_by_the_step_that_is_asked_for() -> None:
    """h has no value at rest, M has one: of M alone nothing is said against."""
    system = System("slider", (Coordinate("x"),), bodies=(Body("b", None, (translation("x", "x"),), Inertia(ONE)),))
    x, v = symbol("x"), rate("x")
    quantities = {"M": ((ONE,),), "h": (x / v,), "gravity": (ZERO,), "applied": (ZERO,)}
    equations = BoundedEquations(Derivation("made up", system, quantities))
    at = precisely(system, State(q={"x": 1.0}, v={"x": 0.0}))
    assert equations.exactly(at, ("M",)) == {"M": [1]}
    with pytest.raises(ExpressionError, match="division by zero"):
        equations.exactly(at, ("h",))
