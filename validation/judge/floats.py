"""The floats of a derivation: the bound of each, and whether they satisfy the equations.

A bound holds for the arithmetic that it was derived for. Whether the floats were computed by that arithmetic is a
claim of its own, :func:`float_evaluation`: at one state they must lie within their bounds of the value in 50 digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.derivation import EFFORT
from mbconcord.model.diagnostics import MbconcordError, NumbersError, error
from mbconcord.model.evaluation import Evaluation, complete, decide_regular
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.expressions.bounds import U
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from .bounds import PARTS, ROWS, BoundedEquations
from .evidence import Comparison
from .motion import Array
from .solutions import Bounded
from .tolerances import REFEREE_DIGITS, REFEREE_SAME
from .uncertainty import Inputs, inputs

#: What is solved from the equations of motion.
SOLVED = "acceleration"
#: Bounds beyond this part of the largest numbers may leave none of the digits of the smallest ones.
UNSURE = 1e-8
#: So many of the digits a condition number that an inverse in floats still corrects may take from a solution.
LOST = 18
#: So many steps of a program are run in more digits, of states whose bounds of floats say nothing.
STEPS = 400_000
#: What the comparison of floats with 50 digits is called.
FLOATS = "float evaluation"
#: The other side of it.
EXACT = f"{REFEREE_DIGITS} digits"


def evaluate_measured(equations: BoundedEquations, at: Instance, given: Inputs) -> Evaluation:
    """Evaluate the canonical quantities at the states, with bounds, and add missing ones that follow.

    Raises
    ------
    NumbersError
        A symbol or a function has no value.
    """
    derivation = equations.derivation
    try:
        beside = equations.own(given)
        found = equations.whole(beside, given)
    except ExpressionError as problem:
        raise NumbersError(error(derivation.formalism, str(problem))) from None
    floats: dict[str, Array] = {}
    if given.certain:
        wanted = [
            *equations.quantities,
            *([] if find_imposed_accelerations(at.system) or SOLVED not in found else [SOLVED]),
        ]
        sharp = sharpen(equations, at, {name: found[name] for name in wanted})
        if sharp:
            floats = {name: x.bounds for name, x in found.items()}
            own = {name: x for name, x in sharp.items() if name in equations.quantities}
            found = {**equations.whole({**beside, **own}, given), **sharp}
    delivered = {name: found[name].values for name in derivation.quantities}
    off = {"M": found["M"].bounds} if "M" in found else {}
    blunt: set[int] = set()
    decide = decide_regular(derivation, at)

    def regular(s: int, places: Sequence[int]) -> bool | None:
        known = decide(s, places)
        blunt.update([s] if known else [])
        return known

    whole = complete(Evaluation(derivation.formalism, delivered, bounds=off), at.system, at, regular)
    values, bounds = (dict(whole.quantities), {name: found[name].bounds for name in whole.quantities if name in found})
    for name in ("acceleration", EFFORT):
        if name in bounds and name not in delivered:  # the solution that the bounds are of
            sound = np.isfinite(values[name]) & np.isfinite(bounds[name])
            sound[[*blunt]] = True  # numbers without a bound: floats do not decide them, whoever else gives some
            values[name] = np.where(sound, found[name].values, values[name])
    return Evaluation(derivation.formalism, values, whole.diagnostics, bounds, floats)


def sharpen(equations: BoundedEquations, at: Instance, found: Mapping[str, Bounded]) -> dict[str, Bounded]:
    """Sharpen quantities and bounds with more digits at states where float bounds leave none.

    A running bound grows with every step of a recursion along a chain, far faster than its error. At the first of these
    states, limited to :data:`STEPS` steps, the same equations are evaluated in :data:`.REFEREE_DIGITS` and in twice as
    many digits; the digits common to both are rounded once.
    """
    sizes = _sizes(found)
    blind = {name: _blind(x, sizes[name]) for name, x in found.items()}
    names = [name for name, where in blind.items() if where.any()]
    sharp = {name: Bounded(found[name].values.copy(), found[name].bounds.copy()) for name in names}
    states = np.flatnonzero(np.any([blind[name] for name in names], axis=0)) if names else np.zeros(0, int)
    for s in states[: max(1, STEPS // (2 * equations.size + 1))].tolist():
        own = [name for name in names if blind[name][s]]
        said = [_in_digits(equations, at, s, own, k * REFEREE_DIGITS) for k in (1, 2)]
        for name in own:
            short, long = (np.asarray(x.get(name, ()), dtype=object) for x in said)
            if short.size and short.size == long.size and _same(short, long):
                _put(sharp[name], s, long)
    return sharp


def _sizes(found: Mapping[str, Bounded]) -> dict[str, Array]:
    """Return the largest values (N,), by which bounds are judged: rounding of a zero row affects other rows, too."""
    largest = {
        name: np.max(np.abs(x.values.reshape(len(x.values), -1)), axis=1, initial=0.0) for name, x in found.items()
    }
    forces = [largest[name] for name in largest if name not in ("M", SOLVED)]
    sizes = {name: x if name == "M" else np.max(forces, axis=0) for name, x in largest.items() if name != SOLVED}
    if SOLVED in found:
        with np.errstate(all="ignore"):
            light = np.min(np.einsum("sii->si", found["M"].values), axis=1, initial=np.inf)
            sizes[SOLVED] = np.fmax(largest[SOLVED], np.max(forces, axis=0) / light)
    return sizes


def _blind(x: Bounded, size: Array) -> NDArray[np.bool_]:
    """Select states (N,) at which the bounds leave no digits of this size in some entry."""
    values, bounds = (part.reshape(len(part), -1) for part in (x.values, x.bounds))
    with np.errstate(all="ignore"):
        sure = bounds <= UNSURE * size[:, None]
    return np.asarray(~sure.all(axis=1) & np.isfinite(values).all(axis=1))


def _same(short: Array, long: Array) -> bool:
    """Return True if results computed with fewer and with more digits agree to the digits of floats."""
    return bool(max(map(abs, long - short)) <= REFEREE_SAME * max(map(abs, long)))


def _put(sharp: Bounded, s: int, exact: Array) -> None:
    """Round numbers in high precision and store them, with their bounds, at state number s."""
    values = exact.astype(float).reshape(sharp.values[s].shape)
    sharp.values[s] = values
    sharp.bounds[s] = U * np.abs(values) + REFEREE_SAME * float(max(map(abs, exact)))


def _in_digits(
    equations: BoundedEquations, at: Instance, s: int, names: Sequence[str], digits: int
) -> Mapping[str, Sequence[Any]]:
    """Evaluate quantities at state number s in high precision; solve for accelerations that are not delivered."""
    precise = Instance(at.system, [at[s]], mpmath_arithmetic(digits))
    own = [name for name in names if name in equations.quantities]
    try:
        if len(own) == len(names):
            return equations.exactly(precise, own)
        q = equations.exactly(precise, list(dict.fromkeys((*own, *PARTS))))
        right = [g + f - h for g, f, h in zip(q["gravity"], q["applied"], q["h"], strict=True)]
        n = len(right)
        mass = [q["M"][i * n : (i + 1) * n] for i in range(n)]
        solution = refine(mass, right, invert(mass), digits)
        return {**q, SOLVED: solution or ()}
    except (ExpressionError, MbconcordError, ArithmeticError, np.linalg.LinAlgError):
        return {}


def invert(mass: Sequence[Sequence[Any]]) -> Array:
    """Invert M in floats, in units of its diagonal; LinAlgError where it is singular."""
    floats = np.array([[float(x) for x in row] for row in mass])
    units = 1 / np.sqrt(np.diag(floats))
    inverse: Array = units[:, None] * np.linalg.inv(floats * units[:, None] * units) * units
    return inverse


def refine(matrix: Sequence[Sequence[Any]], right: Sequence[Any], inverse: Array, digits: int) -> Sequence[Any] | None:
    """Solve K a = r to ``digits`` digits: residuals have them all, corrections come from an inverse in floats.

    None if the corrections do not converge, as near a singular K.
    """
    context = right[0].context
    a = [context.zero] * len(right)
    for _ in range(digits):
        left = [r - context.fdot(row, a) for row, r in zip(matrix, right, strict=True)]
        largest = max(map(abs, left))
        if not largest:
            return a
        change = [largest * x for x in (inverse @ np.array([float(x / largest) for x in left])).tolist()]
        a = [x + dx for x, dx in zip(a, change, strict=True)]
        if max(map(abs, change)) <= max(map(abs, a)) * context.mpf(10) ** (LOST - digits):
            return a
    return None


def precisely(system: System, state: State) -> Instance:
    """Return an instance of one state in the referee's arithmetic of 50 digits."""
    return Instance(system, [state], mpmath_arithmetic(REFEREE_DIGITS))


def float_evaluation(
    equations: BoundedEquations, evaluation: Evaluation, precise: Instance, number: int = 0
) -> Comparison:
    """Compare the floats at one state with the same equations in 50 digits: each float must lie within its bound."""
    n = equations.names
    return _in_floats(
        equations,
        precise,
        [
            (name, (n, n), Bounded(evaluation.quantities[name][number], evaluation.bounds[name][number]))
            for name in equations.derivation.quantities
            if name in evaluation.quantities
        ],
    )


def row_evaluation(equations: BoundedEquations, precise: Instance) -> Comparison:
    """Compare the rows of constraints, D and γ̃, with 50 digits at the state of ``precise``."""
    alone = BoundedEquations(equations.derivation, ())
    found = alone.own(inputs(alone.derivation.system, precise.states))
    rows = [f"row {i + 1}" for i in range(found["γ̃"].values.shape[1])]
    return _in_floats(alone, precise, [(name, (rows, alone.names), found[name][0]) for name in ROWS])


#: Name of a quantity, names of its entries along each axis, and its numbers.
Part = tuple[str, Sequence[Sequence[str]], Bounded]


def _in_floats(equations: BoundedEquations, precise: Instance, parts: Sequence[Part]) -> Comparison:
    """Evaluate floats of these parts at the instance's state; compare the one farthest from its value in 50 digits."""
    who = equations.derivation.formalism
    try:
        exact = equations.exactly(precise, [name for name, _, _ in parts])
    except (ExpressionError, MbconcordError, ArithmeticError) as problem:
        return Comparison(who, "", FLOATS, "not checked", explanation=f"no exact value: {problem}")
    return against_digits(who, exact, parts, precise[0])


def against_digits(
    who: str, exact: Mapping[str, Sequence[Any]], parts: Sequence[Part], state: State, what: str = FLOATS
) -> Comparison:
    """Compare the float farthest from its exact value relative to its bound; ``exact`` by quantity, entry by entry."""
    farthest, worst, rounding = -1.0, None, dict[str, float]()
    for name, axes, x in parts:
        floats, bounds = (np.asarray(part, dtype=float).ravel().tolist() for part in (x.values, x.bounds))
        places = np.ndindex(x.values.shape)
        for place, value, number, bound in zip(places, exact[name], floats, bounds, strict=True):
            if math.isfinite(number) and math.isfinite(bound):
                gap = float(abs(value - number))
                beyond = 0.0 if gap == 0 else gap / bound if bound > 0 and gap == gap else np.inf  # no NaN
                rounding[name] = max(rounding.get(name, 0.0), beyond)
                if beyond > farthest:
                    farthest, worst = beyond, (name, axes, place, number, bound, value)
    if worst is None:
        reason = "no float at this state is sure to any digit"
        return Comparison(who, "", what, "not checked", explanation=reason)
    name, axes, place, number, bound, value = worst
    entry = tuple(axis[i] for axis, i in zip(axes, place, strict=False))
    found = _compare_float(who, name, entry, number, bound, value, farthest)
    return replace(found, quantity=what, state=state, rounding=tuple(rounding.items()))


def _compare_float(
    name: str, quantity: str, entry: tuple[str, ...], value: float, bound: float, exact: Any, beyond: float
) -> Comparison:
    """Return the comparison of a float with its exact value; its error is ``beyond`` times its bound."""
    gap = float(abs(exact - value))
    size = max(abs(value), bound) or 1.0
    said = (
        f"float evaluation: {quantity} of {name} is {value:.17g} in floats, which are sure to {bound:.1e}, and "
        f"{digits(exact)} in {EXACT}"
    )
    return Comparison(
        name, EXACT, FLOATS, "agrees" if beyond <= 1 else "disagrees",
        discrepancy=gap / size, tolerance=bound / size, scale=size, entry=entry, values=(value, float(exact)),
        explanation="" if beyond <= 1 else said,
    )  # fmt: skip


def digits(value: Any) -> str:
    """Write a number in high precision with 17 digits."""
    return str(value.context.nstr(value, 17))
