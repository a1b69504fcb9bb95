"""Quantities in addition to a formalism's: derivatives, kinematics of points, the equations in other speeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import QUANTITIES, Derivation, flatten
from mbconcord.model.derivatives import CHANGES, DERIVED, OF_FORWARD, constrained_slopes, with_derivatives
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import ExpressionError, evaluate, numpy_arithmetic, to_text
from mbconcord.model.functions import define
from mbconcord.model.kinematics import (
    IN_SPEEDS,
    OF_RATES,
    KinematicQuantity,
    Speeds,
    express_kinematics,
    find_singular,
    read_kinematics,
)
from mbconcord.model.naming import Namer
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.evaluated import check_constrained_slopes, check_speeds, choose_places
from mbconcord.validation.witnesses.kinematics import Bounded, evaluate_bounded

from .kinematics import list_able, require_motions


def derived_whole(by: Formalism, system: System, names: Collection[str] | None = None) -> Derivation:
    """Derive a model's equations, and their derivatives as native quantities: all of them, or the requested ones.

    Parameters
    ----------
    by, system
    names : requested derivatives, possibly among other quantities; None: all derivatives
    """
    whole = by.derive_whole(system)
    if names is None:
        return with_derivatives(whole, by.derive)
    asked = [name for name in names if name in DERIVED]
    return with_derivatives(whole, by.derive, asked) if asked else whole


def derived_asked(
    by: Formalism, system: System, names: Collection[str], derivatives: Collection[str] | None = None,
    speeds: Speeds | None = None,
) -> Derivation:  # fmt: skip
    """Derive what the names request: by :meth:`Formalism.derive_asked` if that delivers all of them, else completely.

    The complete derivation has as native quantities all derivatives, or those among ``derivatives``, the kinematic
    quantities among ``names``, and with ``speeds`` the quantities in them. It has these alone if no others are named.
    """
    if speeds and (turned := [name for name in names if name in IN_SPEEDS]):
        parts = [part for name in turned for part in IN_SPEEDS[name]]
        others = [*dict.fromkeys([*(name for name in names if name not in IN_SPEEDS), *parts])]
        more = [*(others if derivatives is None else derivatives), *parts]
        whole = derived_asked(by, system, others, more) if others else Derivation(by.name, system, {})
        return with_speeds(whole, by, speeds, turned)
    if moving := read_kinematics(system, names):
        others = [name for name in names if name not in moving]
        known = [name for name in derivatives if name not in moving] if derivatives is not None else None
        whole = derived_asked(by, system, others, known) if others else Derivation(by.name, system, {})
        return with_kinematics(whole, by, moving)
    if names and {*names} <= {*QUANTITIES}:
        found = by.derive_asked(system, names)
        if {*names} <= {*found.quantities}:
            return found
    return derived_whole(by, system, derivatives)


def with_kinematics(derivation: Derivation, by: Formalism, asked: Mapping[str, KinematicQuantity]) -> Derivation:
    """Add kinematic quantities to a derivation's native ones, by the formalism's own motions of points.

    Raises
    ------
    FormalismError
        The formalism has no motions of points, or does not take the model; the message names formalisms that have them.
    """
    if not asked:
        return derivation
    system = derivation.system
    tree = system.open_loops()
    require_motions(by, tree, next(iter(asked)))
    made = express_kinematics(system, lambda points: by.motions(tree, points) or (), asked)
    labels = {name: x.indices(system) for name, x in asked.items()}
    return replace(derivation, native={**derivation.native, **made}, indices={**derivation.indices, **labels})


#: A row that is shorter than this part of the longest is rounding.
NOTHING: Final = 1e-12
#: Longest text of a determinant that a message contains.
MOST_OF_DETERMINANT = 60
#: The quantity in speeds that depends on the accelerations of the actual motion.
FOLLOWS: Final = "acceleration_u"
#: Names of the derivatives of multipliers by positions and by rates.
OF_LOADS: Final = ("dlambda_dq", "dlambda_dv")
#: Message and remedy if a quantity in speeds is requested without speeds.
NO_SPEEDS: Final = "it is of speeds other than rates", "name them: speeds={'u1': \"cos(q1)*q2'\"}"
#: Native quantities beside those in speeds: determinants of Y, and sums of their absolute terms.
DETERMINANTS: Final = ("determinants of speeds", "sizes of determinants")


def with_speeds(derivation: Derivation, by: Formalism, speeds: Speeds, asked: Iterable[str]) -> Derivation:
    """Add quantities in speeds to a derivation's native ones, by the formalism's own motions of bodies.

    Raises
    ------
    FormalismError
        The formalism has no motions of points, or does not deliver a part from which a quantity is computed.
    NumbersError
        The speeds do not determine the rates.
    """
    names = [*dict.fromkeys(asked)]
    if speeds.bodies:
        require_motions(by, speeds.system, names[0])
    parts = {**derivation.native, **derivation.quantities}
    missing = [part for name in names for part in IN_SPEEDS[name] if part not in parts]
    if missing:
        message = f"{by.name} does not deliver {', '.join(dict.fromkeys(missing))}"
        raise FormalismError(error(f"quantities/{names[0]}", message, "take another formalism"))
    made = speeds.express(by.motions)
    native = {name: made.make(name, parts) for name in names}
    native |= {DETERMINANTS[0]: tuple(x.value for x in made.determinants)}
    native |= {DETERMINANTS[1]: tuple(x.size for x in made.determinants)}
    labels = {name: speeds.indices(name) for name in names}
    labels[DETERMINANTS[0]] = tuple(x.speeds for x in made.determinants), tuple(x.rates for x in made.determinants)
    return replace(derivation, native={**derivation.native, **native}, indices={**derivation.indices, **labels})


def report_singular_speeds(derivation: Derivation, names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield warnings with determinants: where one is zero, speeds do not determine rates and formulas are invalid."""
    dets: Any = derivation.native.get(DETERMINANTS[0], ())
    if {*names} & {*IN_SPEEDS} - {*OF_RATES}:
        for det, speeds, rates in zip(dets, *derivation.indices.get(DETERMINANTS[0], ((), ())), strict=True):
            text = to_text(det)
            told = f" ({text} = 0)" if len(text) <= MOST_OF_DETERMINANT else ""
            message = f"formulas in speeds mean nothing where these do not determine {rates}{told}"
            yield Diagnostic("warning", f"speeds/{speeds}", message, "take other speeds there")


def derivatives_at(system: System, by: Formalism, at: Instance, names: Iterable[str]) -> dict[str, Array]:
    """Compute the derivatives (N, n, k) among ``names`` at N states; other names are skipped.

    If one derivative of accelerations with constraints is requested, all three are computed, as witnesses need them.

    Raises
    ------
    FormalismError
        The formalism does not take the model, or cannot derive this of it; the message says why.
    NumbersError
        A model without coordinates, a function without a formula, a division by zero.
    """
    asked = [name for name in names if name in DERIVED]
    if not asked:
        return {}
    if not system.coordinates:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    found: dict[str, Array] = {}
    if system.constraints and {*OF_FORWARD} & {*asked}:
        made = constrained_derivatives(system, by, at)
        found, asked = {n: made[n] for n in OF_FORWARD}, [n for n in asked if n not in OF_FORWARD]
    derivation = derived_whole(by, system, asked) if asked else None
    for name in dict.fromkeys(asked):
        assert derivation is not None
        rows: Any = derivation.native[name]
        try:
            with np.errstate(all="ignore"):
                numbers = evaluate(define(flatten(rows), system.functions), at.values, numpy_arithmetic())
        except ExpressionError as problem:
            raise NumbersError(error(f"{by.name}/{name}", str(problem))) from None
        columns = [np.broadcast_to(np.asarray(x, dtype=float), (len(at),)) for x in numbers]
        shape = (len(at), len(rows), len(rows[0]) if rows else 0)
        found[name] = np.stack(columns, axis=1).reshape(shape) if columns else np.zeros(shape)
    return found


def constrained_derivatives(
    system: System, by: Formalism, at: Instance, rows: Sequence[int] | None = None
) -> Mapping[str, Array]:  # fmt: skip
    """Compute ∂q''/∂q, ∂q''/∂q', ∂q''/∂τ (N, n, n) of constrained motion by the implicit function theorem.

    :data:`OF_LOADS` are ∂λ/∂q, ∂λ/∂q' (N, m, n): NaN where a multiplier is not unique, zero of rows that are not used.
    For shifts that violate the constraints they depend on the rows used: ``rows``; None: independent ones of a state.

    Raises
    ------
    FormalismError
        The formalism does not solve for motions of systems with constraints.
    """
    if at.ranks is None:
        from mbconcord.simulation.continuation import find_nearest

        at = at.with_ranks(find_nearest(system, at).ranks)
    motion, whole = by.constrained_motion(system, at), by.derive_whole(system)
    if motion is None:
        raise FormalismError(
            error(by.name, "it solves no motion of systems with constraints", "take another formalism")
        )
    n, m, count = len(system.coordinates), len(motion.rows), len(at)
    M, D = motion.tree.quantities["M"], motion.D
    own = [*rows] if rows is not None else None
    kept = [own if own is not None else _independent(D[s], M[s], int(motion.rank[s])) for s in range(count)]
    loads = np.zeros((count, m))
    sound = np.isfinite(motion.acceleration).all(axis=1)
    for s in np.flatnonzero(sound).tolist():
        loads[s, kept[s]] = np.linalg.lstsq(D[s, kept[s]].T, motion.reactions[s], rcond=None)[0]
    namer = Namer(system.names)
    names = [namer.fresh(f"λ{i}") for i in range(m)]
    values = dict(at.values) | {f"{x}''": motion.acceleration[:, i] for i, x in enumerate(system.coordinate_names)}
    values |= {name: loads[:, i] for i, name in enumerate(names)}
    parts = []
    for part in constrained_slopes(whole, range(m), names):
        with np.errstate(all="ignore"):
            numbers = evaluate(define(flatten(part), system.functions), values, numpy_arithmetic())
        columns = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in numbers]
        parts.append(np.stack(columns, axis=1).reshape(count, len(part), n) if columns else np.zeros((count, 0, n)))
    found, moved = np.full((count, n, 3 * n), np.nan), np.zeros((count, m, 2 * n))
    moved[~np.isfinite(motion.multipliers)] = np.nan
    for s in np.flatnonzero(sound).tolist():
        line = D[s, kept[s]]
        whole_matrix = np.block([[M[s], -line.T], [line, np.zeros((len(line), len(line)))]])
        above = np.concatenate([-parts[0][s], -parts[1][s], np.eye(n)], axis=1)
        below = np.concatenate([-parts[2][s][kept[s]], -parts[3][s][kept[s]], np.zeros((len(line), n))], axis=1)
        solved = _solve_scaled(whole_matrix, np.concatenate([above, below]))
        found[s] = solved[:n]
        moved[s, kept[s]] += solved[n:, : 2 * n]
    parts_of = (*np.split(found, 3, axis=2), *np.split(moved, 2, axis=2))
    return dict(zip((*OF_FORWARD, *OF_LOADS), parts_of, strict=True))


def judge_constrained(
    system: System, by: Formalism, states: Sequence[State], found: Mapping[str, Array]
) -> tuple[Comparison, ...]:
    """Compare derivatives of constrained accelerations at the first state with differences of another formalism."""
    own = {name: x[0] for name, x in found.items() if name in OF_FORWARD}
    if not system.constraints or not own:
        return ()
    for name in registry.names():
        other = registry.formalism(name)
        solves = type(other).constrained_motion is not Formalism.constrained_motion
        if name != by.name and solves and not other.constraint_obstacles(system):
            return tuple(check_constrained_slopes(system, by.name, other, states[0], own))
    why = "no other formalism solves a motion with these constraints"
    return tuple(Comparison(by.name, "differences", name, "not checked", explanation=why) for name in own)


def report_across(system: System, asked: Collection[str] | None) -> tuple[Diagnostic, ...]:
    """Note that derivatives of constrained accelerations depend on the rows for shifts that violate these."""
    if not system.constraints or not {*OF_FORWARD[:2], *CHANGES} & {*(asked or ())}:
        return ()
    message = "derivatives of accelerations are of the constraint rows as the formalism writes them"
    remedy = "use them along motions that the constraints admit (D dq = 0): there all rows give the same"
    return (Diagnostic("note", "constraints", message, remedy),)


def _solve_scaled(matrix: Array, right: Array) -> Array:
    """Solve a linear system with rows and columns scaled to equal size, refined once; NaN if it is singular."""
    scale = np.ones(len(matrix))
    for _ in range(3):
        longest = np.abs(matrix * scale * scale[:, None]).max(axis=1, initial=0.0)
        scale = scale / np.sqrt(np.where(longest > 0, longest, 1.0))
    try:
        whole = matrix * scale * scale[:, None]
        x = np.linalg.solve(whole, right * scale[:, None])
        return scale[:, None] * (x + np.linalg.solve(whole, right * scale[:, None] - whole @ x))
    except np.linalg.LinAlgError:
        return np.full(right.shape, np.nan)


def _independent(D: Array, M: Array, rank: int) -> list[int]:
    """Choose independent rows of D (m, n), each time the row with the longest part orthogonal to those chosen."""
    lengths = np.sqrt(np.maximum(np.diag(M), 0.0))
    left = D / np.where(lengths > 0, lengths, 1.0)
    sizes = np.linalg.norm(left, axis=1)
    left = left / np.where(sizes > NOTHING * sizes.max(initial=0.0), sizes, np.inf)[:, None]
    chosen = list[int]()
    for _ in range(rank):
        k = int(np.argmax(np.linalg.norm(left, axis=1)))
        unit = left[k] / np.linalg.norm(left[k])
        left = left - np.outer(left @ unit, unit)
        chosen.append(k)
    return sorted(chosen)


def choose_in_speeds(asked: Collection[str] | None, accelerated: bool) -> list[str]:
    """Return the quantities in speeds among names; None: the default ones, inverse dynamics only if ``accelerated``."""
    if asked is not None:
        return [name for name in IN_SPEEDS if name in asked]
    more = ("inverse_dynamics_u",) if accelerated else ()
    return ["u", "M_u", "h_u", "gravity_u", "applied_u", *more]


@dataclass(frozen=True)
class InSpeeds:
    """Quantities (N, …) in speeds at N states by name, findings about them, and comparisons with witnesses."""

    values: Mapping[str, Array]
    findings: tuple[Diagnostic, ...]
    comparisons: tuple[Comparison, ...] = ()


def evaluate_speeds(
    speeds: Speeds, by: Formalism, states: Sequence[State], asked: Sequence[str], acceleration: Array | None,
    witness: bool,
) -> InSpeeds:  # fmt: skip
    """Compute quantities in speeds at N states; witnesses judge them at up to five.

    ``acceleration`` (N, n) is that of the actual motion. At states where the speeds do not determine the rates,
    quantities that need the rates from the speeds are NaN.

    Raises
    ------
    FormalismError, NumbersError
        As for :func:`with_speeds`.
    """
    moved, values, findings, judged = [*states], dict[str, Array](), dict[Diagnostic, None](), list[Comparison]()
    if acceleration is not None:
        names, rows = speeds.system.coordinate_names, np.where(np.isfinite(acceleration), acceleration, 0.0).tolist()
        moved = [replace(s, a=dict(zip(names, row, strict=True))) for s, row in zip(states, rows, strict=True)]
    places = choose_places(len(states))
    for given, chosen in ((states, [n for n in asked if n != FOLLOWS]), (moved, [n for n in asked if n == FOLLOWS])):
        if not chosen:
            continue
        own, said = _evaluate_in_speeds(by, given, speeds, chosen)
        if chosen == [FOLLOWS] and acceleration is not None:
            own[FOLLOWS][0][~np.isfinite(acceleration).all(axis=1)] = np.nan
        values |= {name: x for name, (x, _) in own.items()}
        findings |= dict.fromkeys(said)
        if not witness:
            continue
        some, kinds = [given[i] for i in places], [name for name in chosen if name in OF_RATES]
        sides = {by.name: {name: (x[places], bound[places]) for name, (x, bound) in own.items()}}
        for other in list_able(speeds.system) if kinds and speeds.bodies else []:
            if other.name != by.name:
                sides[other.name] = _evaluate_in_speeds(other, some, speeds, kinds)[0]
        judged += [c for c in check_speeds(speeds, some, sides, by.name) if c.a == by.name]
    return InSpeeds(values, tuple(findings), tuple(judged))


def _evaluate_in_speeds(
    by: Formalism, states: Sequence[State], speeds: Speeds, asked: Sequence[str]
) -> tuple[Bounded, tuple[Diagnostic, ...]]:
    """Return quantities in speeds by one formalism, each with its error bound, and findings about singular states."""
    tree = speeds.system
    derivation = derived_asked(by, tree, asked, (), speeds)
    parts = [*asked, *DETERMINANTS]
    made = {name: [*flatten(derivation.native[name])] for name in parts}
    values, bounds = evaluate_bounded(tree, Instance(tree, states), [x for own in made.values() for x in own], by.name)
    columns, start = Bounded(), 0
    for name in parts:
        stop = start + len(made[name])
        shape = (len(states), *map(len, speeds.indices(name))) if name in IN_SPEEDS else (len(states), -1)
        x, off = (c[:, start:stop].reshape(shape if stop > start else (len(states), 0)) for c in (values, bounds))
        columns[name], start = (x, off), stop
    (det, _), (sizes, _) = (columns.pop(name) for name in DETERMINANTS)
    lost, findings = find_singular(det, sizes, *derivation.indices[DETERMINANTS[0]])
    inverse = [name for name in asked if name not in OF_RATES]
    for name in inverse:
        columns[name][0][lost] = np.nan
    return columns, findings if inverse else ()
