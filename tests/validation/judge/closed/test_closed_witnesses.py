"""Motions with constraints by bounds: how far a state is from the constraints, and what is compared near it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import closed_linkage, closed_tree, cut_tree
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Holonomic, Inertia, Nonholonomic, State, System, translation
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import RangeError, as_expression, cos, sqrt, symbol
from mbconcord.model.features import OPEN_TREES
from mbconcord.simulation.assembly import Assembly
from mbconcord.validation.check import check
from mbconcord.validation.claims import DEFAULT
from mbconcord.validation.judge.agreement import judge_motions
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.closed.motion import SolvedMotion, distances
from mbconcord.validation.judge.evidence import ACCELERATION, CONSTRAINED, OWN, RANK, REACTIONS, Comparison, Evidence
from mbconcord.validation.judge.states import ClosedStates
from mbconcord.validation.judge.trial import constrained_trial
from mbconcord.validation.judge.uncertainty import conversion_error, inputs

FOUR_BAR = folder() / "konoplev" / "four_bar.mbs.json"
X, Y = symbol("x"), symbol("y")


def particle(*constraints: Any) -> System:
    """1 kg in space, coordinates x, y, z, no weight."""
    joint = tuple(translation(axis, axis) for axis in "xyz")
    coordinates = tuple(Coordinate(axis) for axis in "xyz")
    return System("particle", coordinates, bodies=(Body("p", None, joint, Inertia(1)),), constraints=constraints)


def row(f: Any) -> Holonomic:
    return Holonomic("row", as_expression(f))


def state(x: float, y: float = 0.0, **rates: float) -> State:
    return State(0.0, {"x": x, "y": y, "z": 0.0}, {name[1]: v for name, v in rates.items()})


# --- how far the floats are from the constraints ---------------------------------------------------


def test_twice_the_step_that_closes_a_row() -> None:
    """2 x = 2: the step is 1e-9, and no other coordinate is concerned."""
    found = distances(particle(row(2 * X - 2)), [state(1 + 1e-9), state(1 - 3e-9), state(1.0)])
    assert found["x"] == pytest.approx([2e-9, 6e-9, 0.0], rel=1e-6, abs=1e-25)
    for name in ("y", "z", "x'", "y'", "z'"):
        assert (found[name] == 0).all()


def test_the_gap_is_that_of_the_floats_and_not_their_rounding() -> None:
    """x = 0.1 + 0.2 by a float that is 0.3 to 4.4e-17: its evaluation in floats says 0 or 5.6e-17."""
    found = distances(particle(row(X - Fraction(3, 10))), [state(0.1 + 0.2)])
    assert found["x"] == pytest.approx(2 * float(Fraction(0.1 + 0.2) - Fraction(3, 10)), rel=1e-9, abs=0)
    assert 8e-17 < found["x"][0] < 9e-17


def test_rates_are_as_far_as_their_gap_and_the_turning_of_the_row_make_them() -> None:
    """x² + y² = 25 at (3, 4 + 4e-9), q' = (4, -3 + 5e-9): D q'/|D| of both."""
    found = distances(particle(row(X * X + Y * Y - 25)), [state(3, 4 + 4e-9, vx=4.0, vy=-3 + 5e-9)])
    gap = 8 * 4e-9 / 10 * 2  # f/|D|, twice
    assert found["x"][0] == pytest.approx(gap * 0.6, rel=1e-3, abs=0)
    assert found["y"][0] == pytest.approx(gap * 0.8, rel=1e-3, abs=0)
    speed = 8 * 5e-9 - 6 * 4e-9  # D q' of the floats
    turning = 2 * (4 * found["x"][0] + 3 * found["y"][0])  # |2 q'| |q* - q|
    assert found["y'"][0] == pytest.approx(2 * (speed + turning) * 8 / 100, rel=0.05, abs=0)


def test_what_no_step_closes_counts_for_every_coordinate() -> None:
    """x = 0 and x = 1e-11 at once: closed by no x at all."""
    found = distances(particle(row(X), replace(row(X - as_expression(1e-11)), name="other")), [state(0.0)])
    assert 5e-12 < found["x"][0] < 3e-11 and found["y"][0] == 0


def test_a_rate_without_a_gap_is_where_it_is() -> None:
    found = distances(particle(Nonholonomic("held", {"x": 1}, as_expression(0))), [state(3.0, vx=1e-7, vy=2.0)])
    assert found["x"][0] == 0 and found["x'"][0] == pytest.approx(2e-7) and found["y'"][0] == 0


def test_no_state_on_the_constraints_is_near_where_the_rows_turn_too_fast() -> None:
    """x² = 0 at 1e-9: the step is half of x, and D changes by as much as itself."""
    found = distances(particle(row(X * X)), [state(1e-9)])
    assert np.isinf(found["x"][0]) and np.isinf(found["x'"][0]) and found["y"][0] == 0


@pytest.mark.parametrize(("turning", "near"), [(0.19, True), (0.22, False)])
def test_half_of_itself_is_too_fast(turning: float, near: bool) -> None:
    """x + c x² = 0 at c x = a: over twice the step D changes by 4 a (1 + a)/(1 + 2 a)² of itself, 0.47 and 0.52."""
    found = distances(particle(row(X + as_expression(turning * 1e9) * X * X)), [state(1e-9)])
    assert np.isfinite(found["x"][0]) == near


def test_rows_that_have_no_value_are_nowhere() -> None:
    assert not np.isfinite(distances(particle(row(sqrt(X) - 1)), [state(-1.0)])["x"][0])


def test_without_rows_a_state_is_on_the_constraints() -> None:
    assert distances(particle(), [state(1.0)]) == {}


def test_converted_numbers_move_where_the_constraints_hold() -> None:
    """2/3 is off by 4 ulp after a conversion, 4.4e-16, and twice that the state."""
    system = particle(row(X - Fraction(2, 3)))
    plain, meant = (
        distances(system, [state(2 / 3)], given) for given in (inputs, partial(inputs, numbers=conversion_error))
    )
    assert meant["x"][0] - plain["x"][0] == pytest.approx(2 * 4 * 2.0**-53, rel=0.01, abs=0)


# --- what is compared ------------------------------------------------------------------------------

FIXTURES = ("konoplev/four_bar.mbs.json", "mbsd/four_bar.mbsd", "um/four_bar/input.dat", "mbsd/patu655.mbsd")
MODELS: dict[str, Callable[[], ClosedStates]] = {
    **{file: lambda file=file: closed_states(read(folder() / file).system, 2, 1) for file in FIXTURES},  # type: ignore[misc]
    "tree": lambda: closed_tree(5), "tree with rounding": lambda: closed_tree(23), "cut": lambda: cut_tree(13),
    "linkage": lambda: closed_linkage(2),
}  # fmt: skip


def compared(closed: ClosedStates, assembly: Assembly | None, *more: Formalism) -> list[Comparison]:
    asked = [*map(formalism, ("lagrange", "konoplev", "telegin")), *more]
    assert closed.assembly is not None
    return judge_motions(constrained_trial(closed.system, assembly or closed.assembly, asked))


def moved(assembly: Assembly, size: float) -> Assembly:
    """Every coordinate and rate off by up to so much."""
    random, states, extended = Random(1), [], []
    for own, wide in zip(assembly.states, assembly.extended, strict=True):
        q, v = ({n: x + size * random.uniform(-1, 1) for n, x in part.items()} for part in (wide.q, wide.v))
        extended.append(replace(wide, q=q, v=v))
        states.append(replace(own, q={n: q[n] for n in own.q}, v={n: v[n] for n in own.v}))
    return replace(assembly, states=tuple(states), extended=tuple(extended))


#: Larger ones, which take seconds.
LARGE = {"mbsd/patu655.mbsd", "tree with rounding", "linkage", "cut"}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in LARGE else []) for n in MODELS])
def test_states_off_the_constraints_never_disagree(name: str) -> None:
    """The bounds grow with the distance: what would have been noticed is coarser, and no more."""
    closed = MODELS[name]()
    assert closed.assembly is not None
    noticed = []
    for size in (0.0, 1e-12, 1e-10):
        found = compared(closed, moved(closed.assembly, size))
        assert {c.verdict for c in found} == {"agrees"}, size
        noticed.append(max(c.noticeable or 0.0 for c in found if c.quantity in (ACCELERATION, REACTIONS)))
    assert noticed[0] < 1e-9 and noticed[1] < 1e-6
    assert (10 if name in FIXTURES else 0.9) < noticed[2] / noticed[1] < 200


@pytest.mark.slow
@pytest.mark.parametrize("name", FIXTURES)
def test_nothing_of_the_tolerance_of_scale_is_left(name: str) -> None:
    """100 · 2^-52 · cond of the scale was allowed; each pair is allowed a hundredth of that, or less."""
    for c in compared(MODELS[name](), None):
        if c.quantity in (ACCELERATION, REACTIONS):
            assert c.cond and c.tolerance is not None and c.tolerance < 1e-2 * 100 * 2.0**-52 * c.cond * 100
            assert c.noticeable is not None and c.noticeable < 1e-9


def test_rows_of_telegin_are_those_that_he_solves_with() -> None:
    closed = closed_linkage(2)
    (motion,) = motions_of(closed, formalism("telegin"))
    assert motion.equations is not None
    found = motion.equations.evaluate(inputs(closed.system, closed.states))
    for name, native in (("D", motion.own.D), ("γ̃", motion.own.rest)):
        assert found[name].values == pytest.approx(native, abs=1e-13)


def motions_of(closed: ClosedStates, *asked: Formalism) -> list[SolvedMotion]:
    assert closed.assembly is not None
    return [*constrained_trial(closed.system, closed.assembly, asked).motions.values()]


# --- witnesses that are wrong ----------------------------------------------------------------------


class Other(Formalism):
    """Lagrange's equations under another name, changed as expressions or as numbers."""

    name, title, reference, takes = "other", "other", "", OPEN_TREES  # type: ignore[misc]

    def __init__(
        self, equations: Callable[[Derivation], Any] = lambda d: d, numbers: Callable[[Any], Any] = lambda m: m
    ) -> None:
        self.equations, self.numbers = equations, numbers

    def derive(self, system: System) -> Any:
        return replace(formalism("lagrange").derive(system), formalism="other")

    def constraint_obstacles(self, system: System) -> tuple[Any, ...]:
        return ()

    def derive_closed(self, system: System) -> Any:
        made = formalism("lagrange").derive_closed(system)
        assert made is not None
        return self.equations(replace(made, formalism="other"))

    def constrained_motion(self, system: System, states: Sequence[State]) -> Any:
        made = formalism("lagrange").constrained_motion(system, states)
        assert made is not None
        return self.numbers(replace(made, tree=replace(made.tree, formalism="other")))


def checked(other: Other) -> Evidence:
    return check(read(FOUR_BAR).system, formalisms=["konoplev", other], states=3, claims=DEFAULT)


def verdicts(evidence: Evidence) -> dict[str, str]:
    return {c.quantity: c.verdict for c in evidence.comparisons if "other" in (c.a, c.b) and not c.claim}


def native(**changes: Callable[[Any], Any]) -> Callable[[Derivation], Derivation]:
    """Rows by name, changed."""

    def made(d: Derivation) -> Derivation:
        names = {"D": "D", "rest": "γ̃"}
        new = {names[k]: change(d.native[names[k]]) for k, change in changes.items()}
        return replace(d, native={**d.native, **new})

    return made


def quantity(name: str, change: Callable[[Any], Any]) -> Callable[[Derivation], Derivation]:
    return lambda d: replace(d, quantities={**d.quantities, name: change(d.quantities[name])})


def first_column(by: Any) -> Callable[[Any], Any]:
    return lambda D: tuple((r[0] * by, *r[1:]) for r in D)


TINY = 1 + Fraction(1, 10**10)
#: Faults of a part in 1e10 of equations with constraints, far below what the tolerance of scale saw.
SUBTLE: dict[str, Callable[[Derivation], Derivation]] = {
    "a column of D": native(D=first_column(TINY)),
    "γ̃": native(rest=lambda rest: tuple(x * TINY for x in rest)),
    "γ̃ by a term": native(rest=lambda rest: (rest[0] + Fraction(1, 10**6) * cos(symbol("q2")), *rest[1:])),
    "gravity": quantity("gravity", lambda g: (g[0] * TINY, *g[1:])),
    "an inertia": quantity("M", lambda M: ((M[0][0] * TINY, *M[0][1:]), *M[1:])),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", SUBTLE)
def test_a_part_in_1e10_is_noticed(fault: str) -> None:
    evidence = checked(Other(SUBTLE[fault]))
    wrong = {q for q, verdict in verdicts(evidence).items() if verdict == "disagrees"}
    assert {ACCELERATION, OWN} <= wrong <= {ACCELERATION, REACTIONS, OWN, RANK}
    found = next(c for c in evidence.comparisons if c.quantity == ACCELERATION)
    assert found.explanation and found.entry and found.state in evidence.states


def test_rows_that_contradict_each_other_are_no_rounding() -> None:
    """The same row twice, the second with another γ̃: no acceleration satisfies both."""
    other = native(D=lambda D: (*D, D[0]), rest=lambda rest: (*rest, rest[0] * TINY + Fraction(1, 10**6)))
    evidence = checked(Other(other))
    assert verdicts(evidence)[ACCELERATION] == verdicts(evidence)[REACTIONS] == "disagrees"
    found = next(c for c in evidence.comparisons if c.quantity == ACCELERATION)
    assert "other gives no number" in found.explanation and "want different accelerations" in found.explanation


def test_rows_multiplied_by_numbers_are_the_same_rows() -> None:
    other = native(D=lambda D: tuple(tuple(7 * x for x in r) for r in D), rest=lambda r: tuple(7 * x for x in r))
    assert set(verdicts(checked(Other(other))).values()) == {"agrees"}


def wrong_numbers(**changes: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda m: replace(m, **{name: change(getattr(m, name)) for name, change in changes.items()})


#: A formalism's own solution: what is changed, and what disagrees then.
NUMBERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "accelerations": (wrong_numbers(acceleration=lambda x: x * (1 + 1e-7)), OWN),
    "reactions": (wrong_numbers(reactions=lambda x: -x), OWN),
    "reactions of a state": (wrong_numbers(reactions=lambda x: x * np.array([[1], [1], [1.001]])), OWN),
    "rank": (wrong_numbers(rank=lambda x: x + 1), "rank"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", NUMBERS)
def test_a_solution_that_is_not_that_of_its_equations_disagrees(what: str) -> None:
    change, expected = NUMBERS[what]
    evidence = checked(Other(numbers=change))
    assert {q for q, v in verdicts(evidence).items() if v == "disagrees"} == {expected}
    assert verdicts(evidence)[ACCELERATION] == "agrees"
    (found,) = (c for c in evidence.comparisons if c.verdict == "disagrees")
    assert "other's" in found.explanation or expected == "rank"


def test_a_solution_that_is_refused_is_a_note() -> None:
    """Near singular positions a formalism may say so; its equations are compared all the same."""
    evidence = checked(Other(numbers=wrong_numbers(acceleration=lambda x: x * np.nan, reactions=lambda x: x * np.nan)))
    assert OWN not in verdicts(evidence) and evidence.verdict == "agrees"
    assert any(d.place == "other" and "own solution" in d.message for d in evidence.diagnostics)


def raising(problem: Exception) -> Callable[[Any], Any]:
    def change(given: Any) -> Any:
        raise problem

    return change


#: What a formalism does instead, the verdict, and a word of the reason.
BROKEN: dict[str, tuple[Other, str, str]] = {
    "no rows": (Other(lambda d: replace(d, native={})), "disagrees", "lack D, γ̃"),
    "no forces": (Other(lambda d: replace(d, quantities={"M": d.quantities["M"]})), "disagrees", "lack h, gravity"),
    "rows of another length": (Other(native(rest=lambda r: r[:1])), "disagrees", "Error"),
    "floats for rows": (Other(native(rest=lambda r: tuple(0.5 for _ in r))), "disagrees", "Error"),
    "nothing that is a derivation": (Other(lambda d: {"M": 1}), "disagrees", "Error"),
    "equations that raise": (Other(raising(KeyError("k"))), "disagrees", "KeyError"),
    "a number beyond floats": (Other(raising(RangeError("1e400 is beyond"))), "not checked", "1e400"),
    "no motion": (Other(numbers=lambda m: None), "disagrees", "gives no motion"),
    "numbers that raise": (Other(numbers=raising(ZeroDivisionError("of all things"))), "disagrees", "of all things"),
    "a motion of one state": (Other(numbers=wrong_numbers(acceleration=lambda x: x[:1])), "disagrees", "shape"),
    "words": (Other(numbers=wrong_numbers(rank=lambda x: "none")), "disagrees", "Error"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", BROKEN)
def test_a_witness_that_gives_no_equations_is_a_finding(what: str) -> None:
    other, verdict, words = BROKEN[what]
    evidence = checked(other)
    (found,) = (c for c in evidence.comparisons if c.a == "other" and c.quantity in CONSTRAINED)
    assert (found.quantity, found.verdict) == (ACCELERATION, verdict) and words in found.explanation
    assert evidence.verdict == verdict


def rows_times(factor: Any) -> Other:
    return Other(native(D=lambda D: tuple(tuple(x * factor for x in r) for r in D)))


#: What makes rows no numbers: a root of less than nothing, an overflow.
NO_NUMBERS = [sqrt(-1 - symbol("q1") ** 2), (symbol("q1") + 10**200) ** 2]


@pytest.mark.slow
@pytest.mark.parametrize("factor", NO_NUMBERS, ids=str)
def test_rows_that_are_no_numbers_never_agree(factor: Any) -> None:
    evidence = checked(rows_times(factor))
    assert "agrees" not in {verdicts(evidence).get(q) for q in (ACCELERATION, REACTIONS)}
    assert evidence.verdict in ("disagrees", "not checked")


def test_floats_of_rows_are_those_of_their_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluator that is wrong about square roots alone, which only rods ask for."""
    system = read_text("zi zi #a ; g-y \\ #a :(2) {3,0} < #0", format="mbsd").system
    honest = check(system, formalisms=["lagrange"], states=1, claims=["float_evaluation"])
    assert {c.verdict for c in honest.comparisons if c.claim} == {"agrees"}
    from mbconcord.model.expressions import levels

    monkeypatch.setitem(levels._OPERATIONS, "sqrt", lambda x, out: np.multiply(np.sqrt(x), 1 + 1e-12, out=out))  # type: ignore[index]
    found = check(system, formalisms=["lagrange"], states=1, claims=["float_evaluation"])
    assert "disagrees" in {c.verdict for c in found.comparisons if c.claim and "50 digits" in c.b}
    silent = check(system, formalisms=["lagrange"], states=1, claims=[])
    assert not [c for c in silent.comparisons if c.claim]
