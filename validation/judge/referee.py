"""The referee: two witnesses differ; the same equations in 50 digits say whether they, or only their digits, do.

States are exact binary numbers and the model's numbers exact rationals, so both sides get the very same inputs.

Beside constraints, where floats are, witnesses may differ by the gap. So the state is first carried onto them in
these digits, along validation's own rows; there rows that depend on each other do so to 1e-40, no threshold has to be
chosen with care, and the rank is certain. Then M q'' - Dᵀ λ = Q - h, D q'' = -γ̃ of every witness is solved. A tree is
the same without rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from mbconcord.model.derivation import EFFORT, Derivation, flatten, restore
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError, evaluate, mpmath_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .bounds import PARTS, ROWS, BoundedEquations
from .evidence import ACCELERATION, REACTIONS, SOLUTION, Comparison, Verdict
from .floats import Part, against_digits, digits, refine
from .solutions import Bounded
from .tolerances import REFEREE_CONDITION, REFEREE_DIGITS, REFEREE_SAME

if TYPE_CHECKING:
    from .closed.motion import SolvedMotion


#: An inverse in floats corrects a solution where it leaves at most so much of the error.
CONTRACTION = 0.01


class SingularError(ZeroDivisionError):
    """Equations without a solution to the available digits."""


@dataclass(frozen=True)
class Judgement:
    """Result of the referee.

    Attributes
    ----------
    verdict : "derivations differ", "rounding" or "undecided"
    wrong : tuple of str
        Names of witnesses whose derivation differs from the others', or whose float is wrong; empty if undecidable.
    exact : mapping
        Witness -> its value in high precision, as text of 17 digits.
    text : str
    """

    verdict: Literal["derivations differ", "rounding", "undecided"]
    wrong: tuple[str, ...]
    exact: Mapping[str, str]
    text: str


def review(derivations: Mapping[str, Derivation], comparison: Comparison) -> Comparison:
    """Add the referee's explanation to a disagreement.

    Rounding cannot cause a difference beyond the bounds of both sides. If the values in 50 digits agree nevertheless,
    the equations are the same and an evaluation in floats is wrong: this, too, is a disagreement. The entry is "not
    checked" only if a side has no float, because it is out of range or the equations are singular.
    """
    if not comparison.entry:
        return comparison
    judgement = judge(derivations, comparison)
    before = f"{comparison.explanation}. " if comparison.explanation else ""
    lost = judgement.verdict == "rounding" and comparison.values is None
    verdict: Verdict = "not checked" if lost else comparison.verdict
    return replace(comparison, verdict=verdict, explanation=before + judgement.text)


def judge(derivations: Mapping[str, Derivation], comparison: Comparison) -> Judgement:
    """Evaluate the entry by every derivation in high precision at the comparison's state."""
    if comparison.state is None:
        return Judgement("undecided", (), {}, "no state to judge at")
    arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
    exact: dict[str, Any] = {}
    failed: list[str] = []
    at: Instance | None = None
    for name, derivation in derivations.items():
        if at is None or not at.serves(derivation.system):
            at = Instance(derivation.system, [comparison.state], arithmetic)
        try:
            value = exact_value(derivation, comparison.quantity, comparison.entry, at)
        except SingularError as problem:
            if comparison.values is None:  # whose M they are is compared beside it
                text = f"a number says nothing there: in {REFEREE_DIGITS} digits {name}'s {problem}, too"
                return Judgement("rounding", (), {}, text)
            failed.append(f"{name} has no value in {REFEREE_DIGITS} digits ({problem})")
            continue
        except (ExpressionError, MbconcordError, ArithmeticError) as problem:
            failed.append(f"{name} has no value in {REFEREE_DIGITS} digits ({problem})")
            continue
        if value is not None:
            exact[name] = value
    return judge_digits(comparison, exact, failed)


def judge_digits(comparison: Comparison, exact: Mapping[str, Any], failed: Sequence[str] = ()) -> Judgement:
    """Judge a disagreement; ``exact``: witness -> value in high precision; ``failed``: reasons if it has none."""
    sides = (comparison.a, comparison.b)
    shown = {name: digits(value) for name, value in exact.items()}
    if any(side not in exact for side in sides):
        return Judgement("undecided", (), shown, "; ".join(failed) or "a side delivers no expression to judge")
    groups = _groups(exact, comparison.scale or 0.0)
    if any(all(side in group for side in sides) for group in groups):
        return _rounding(comparison, exact, shown)
    return _differing(groups, shown)


def exact_value(derivation: Derivation, quantity: str, entry: Sequence[str], at: Instance) -> Any:
    """Compute one entry of a quantity at the first state, in the instance's arithmetic; None if not delivered.

    Missing inverse dynamics and accelerations are completed from M, h and the forces.
    """
    system = derivation.system
    names = system.coordinate_names
    values = at.environments[0]

    def numbers(name: str) -> Any:
        nested = derivation.quantities[name]
        roots = define(flatten(nested), system.functions)
        return restore(nested, iter(evaluate(roots, values, at.arithmetic)))

    if quantity in derivation.quantities:
        found = numbers(quantity)
    elif not all(name in derivation.quantities for name in ("M", "h", "gravity", "applied")):
        return None
    else:
        drives = find_imposed_accelerations(system)
        known = evaluate(define(drives.values(), system.functions), values, at.arithmetic)
        given = {names.index(name): value for name, value in zip(drives, known, strict=True)}
        found = _complete(quantity, numbers, [values[f"{name}''"] for name in names], given)
    for name in entry:
        found = found[names.index(name)]
    return found


def _complete(quantity: str, numbers: Callable[[str], Any], a: Sequence[Any], given: Mapping[int, Any]) -> list[Any]:
    """Compute inverse dynamics at a, or solve the mixed problem; ``given``: place -> imposed acceleration."""
    mass, h, gravity, applied = (numbers(name) for name in ("M", "h", "gravity", "applied"))
    rest = [x - y - z for x, y, z in zip(h, gravity, applied, strict=True)]

    def compute_needed(accelerations: Sequence[Any]) -> list[Any]:
        rows = zip(mass, rest, strict=True)
        return [sum((m * x for m, x in zip(row, accelerations, strict=True)), r) for row, r in rows]

    if quantity == "inverse_dynamics":
        return compute_needed(a)
    unit, zero = 1 + 0 * rest[0], 0 * rest[0]
    drives = [[unit if k == i else zero for k in range(len(rest))] for i in given]
    found = motion(mass, [-x for x in rest], drives, [-x for x in given.values()])
    return [*(found.reactions if quantity == EFFORT else found.acceleration)]


@dataclass(frozen=True)
class Exact:
    """A motion in high precision: q'' and Dᵀ λ by coordinate, and the rank."""

    acceleration: Sequence[Any]
    reactions: Sequence[Any]
    rank: int


def motion(
    mass: Sequence[Sequence[Any]], force: Sequence[Any], D: Sequence[Sequence[Any]], rest: Sequence[Any]
) -> Exact:
    """Solve M q'' - Dᵀ λ = F, D q'' = -γ̃; a tree has no rows except those of drives that impose accelerations."""
    chosen, n, context = independent(D), len(force), force[0].context
    whole, right = context.zeros(n + len(chosen), n + len(chosen)), context.zeros(n + len(chosen), 1)
    for i in range(n):
        right[i] = force[i]
        for j in range(n):
            whole[i, j] = mass[i][j]
    for r, row in enumerate(chosen):
        right[n + r] = -rest[row]
        for j in range(n):
            whole[n + r, j] = D[row][j]
            whole[j, n + r] = -D[row][j]
    solved = solution(whole, right)
    reactions = [sum((D[row][j] * solved[n + r] for r, row in enumerate(chosen)), 0 * force[j]) for j in range(n)]
    return Exact([solved[i] for i in range(n)], reactions, len(chosen))


def solution(A: Any, b: Any) -> Any:
    """Solve A x = b for mpmath matrices; :class:`SingularError` if A is singular or leaves too few digits."""
    context, places = A.ctx, range(A.rows)
    try:
        rows = [1 / max(abs(A[i, k]) for k in places) for i in places]
        columns = [1 / max(rows[i] * abs(A[i, k]) for i in places) for k in places]
        scaled = context.matrix([[rows[i] * A[i, k] * columns[k] for k in places] for i in places])
        right = context.matrix([rows[i] * b[i] for i in places])
        found = _refine(scaled, right) or _eliminate(scaled, right)
    except (TypeError, ZeroDivisionError):  # what mpmath raises where a column has no pivot
        raise SingularError("matrix is singular") from None
    return context.matrix([columns[i] * found[i] for i in places])


def _refine(A: Any, b: Any) -> Sequence[Any] | None:
    """Solve A x = b by iteration with A's inverse in floats, n² products a step; None if this does not converge."""
    floats = np.array(A.tolist(), dtype=float)
    try:
        inverse = np.linalg.inv(floats)
    except np.linalg.LinAlgError:
        return None
    if not np.abs(inverse @ floats - np.eye(len(floats))).sum(axis=1).max() < CONTRACTION:
        return None
    return refine(A.tolist(), list(b), inverse, REFEREE_DIGITS)


def _eliminate(A: Any, b: Any) -> Sequence[Any]:
    """Solve A x = b by elimination in A's digits, n³ products; :class:`SingularError` if it leaves too few digits."""
    if A.ctx.mnorm(A, 1) * A.ctx.mnorm(A**-1, 1) > REFEREE_CONDITION:
        raise SingularError("matrix is singular")
    return list(A.ctx.lu_solve(A, b))


def _groups(exact: Mapping[str, Any], scale: float) -> list[list[str]]:
    """Group witnesses by value: equal to 1e-30 of the scale."""
    groups: list[list[str]] = []
    for name, value in exact.items():
        for group in groups:
            other = exact[group[0]]
            if abs(value - other) <= REFEREE_SAME * max(abs(value), abs(other), scale):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _rounding(comparison: Comparison, exact: Mapping[str, Any], shown: Mapping[str, str]) -> Judgement:
    a, b = comparison.a, comparison.b
    if comparison.values is None:
        text = f"beyond the range of floats: in {REFEREE_DIGITS} digits both give {shown[a]}"
        return Judgement("rounding", (), shown, text)
    off = {name: abs(float(exact[name] - value)) for name, value in zip((a, b), comparison.values, strict=True)}
    wrong = max(off, key=lambda name: off[name])
    text = (
        f"float evaluation: in {REFEREE_DIGITS} digits both give {shown[a]}; in floats {a} is off by {off[a]:.1e}, "
        f"{b} by {off[b]:.1e}, more than the arithmetic of floats explains"
    )
    return Judgement("rounding", (wrong,), shown, text)


def _differing(groups: list[list[str]], shown: Mapping[str, str]) -> Judgement:
    said = "; ".join(f"{', '.join(group)}: {shown[group[0]]}" for group in groups)
    text = f"the derivations themselves differ in {REFEREE_DIGITS} digits ({said})"
    most = max(groups, key=len)
    total = sum(map(len, groups))
    if 2 * len(most) > total and total > 2:
        wrong = tuple(name for group in groups if group is not most for name in group)
        return Judgement(
            "derivations differ",
            wrong,
            shown,
            f"{text}; {', '.join(most[:-1])} and {most[-1]} stand against {', '.join(wrong)}",
        )
    return Judgement("derivations differ", (), shown, text)


#: A gap on the constraints, and what is left of a row that depends on others, in these digits; steps to get there.
CLOSED, DEPENDENT, STEPS = 1e-42, 1e-25, 12
#: A row smaller than this is what such a gap leaves of none.
NOTHING: Final = 1e-36


class OffTheConstraintsError(ArithmeticError):
    """No state on the constraints was found in high precision."""


def on_constraints(system: System, state: State) -> dict[str, Any]:
    """Return all symbols of the open tree at the nearest state on the constraints, in high precision.

    Raises
    ------
    OffTheConstraintsError
        The rows contradict each other by less than floats can show, or the position is singular.
    """
    from mbconcord.simulation.assembly import assemble, pseudoinverse  # not before: most models have no constraints
    from mbconcord.simulation.batch import RowsAtStates
    from mbconcord.simulation.rows import constraint_rows

    from .closed.rows import with_cut_joints

    (extended,) = assemble(system, [state], held=True).extended
    rows, wide = constraint_rows(system), with_cut_joints(system)
    arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
    values = dict(Instance(wide, [extended], arithmetic).environments[0])
    if rows.rows:
        at = RowsAtStates(rows, wide, [extended])
        position = at.positions(at.q)
        sizes = np.where((position.reach > 0) & np.isfinite(position.reach), position.reach, 1.0)
        least = pseudoinverse(position.D / sizes[:, :, None])[0] if at.m else np.zeros((at.k, 0))
        for suffix, lines in (("", [r.position for r in rows.rows]), ("'", [r.speed for r in rows.rows])):
            names = [name + suffix for name in rows.coordinates]
            _close(values, program(lines), names, least, [float(x) for x in sizes[0]], arithmetic)
    return values


def _close(
    values: dict[str, Any], lines: Any, names: Sequence[str], least: Any, sizes: Sequence[float], arithmetic: Any
) -> None:
    """Change the named symbols until the rows, in units of ``sizes``, vanish; ``least`` is D⁺: 12 digits a step."""
    gap: Any = 0
    for _ in range(STEPS):
        off = [x / size for x, size in zip(run(lines, values, arithmetic), sizes, strict=True)]
        gap = max(map(abs, off), default=0)
        if gap < CLOSED:
            return
        for name, row in zip(names, least, strict=True):
            values[name] = values[name] - sum((float(x) * y for x, y in zip(row, off, strict=True)), 0)
    raise OffTheConstraintsError(
        f"no state near it satisfies the constraints in {REFEREE_DIGITS} digits, but by {float(gap):.1e}"
    )


def exactly(equations: BoundedEquations, values: Mapping[str, Any]) -> Exact:
    """Solve a witness's equations for the motion in 50 digits; ``values``: symbol -> value."""
    arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
    found = equations.exactly(_At(values, arithmetic), (*PARTS, *ROWS))  # type: ignore[arg-type]
    n = len(equations.names)
    force = [g + a - h for g, a, h in zip(found["gravity"], found["applied"], found["h"], strict=True)]
    return motion(_square(found["M"], n), force, _square(found["D"], n), found["γ̃"])


@dataclass(frozen=True)
class _At:
    """Stand-in for an instance in :meth:`BoundedEquations.exactly`: one environment and its arithmetic."""

    values: Mapping[str, Any]
    arithmetic: Any

    @property
    def environments(self) -> tuple[Mapping[str, Any], ...]:
        """The one environment: symbol -> value."""
        return (self.values,)


def _square(flat: Sequence[Any], n: int) -> list[list[Any]]:
    return [list(flat[i : i + n]) for i in range(0, len(flat), n)]


def independent(D: Sequence[Sequence[Any]]) -> list[int]:
    """Select rows that are independent of preceding rows, by elimination with column pivoting."""
    kept: list[tuple[int, list[Any]]] = []
    chosen = []
    for i, row in enumerate(D):
        left, size = list(row), max(map(abs, row), default=0)
        for pivot, other in kept:
            factor = left[pivot] / other[pivot]
            left = [x - factor * y for x, y in zip(left, other, strict=True)]
        pivot = max(range(len(left)), key=lambda k: abs(left[k]), default=0)
        if left and size > NOTHING and abs(left[pivot]) > DEPENDENT * size:
            kept.append((pivot, left))
            chosen.append(i)
    return chosen


def judge_motion(
    system: System, equations: Mapping[str, BoundedEquations], comparison: Comparison, part: str
) -> Judgement:
    """Judge an entry of q'' or Dᵀ λ in high precision: ``part`` is ``acceleration``, ``reactions`` or ``rank``."""
    if comparison.state is None:
        return Judgement("undecided", (), {}, "no state to judge at")
    try:
        values = on_constraints(system, comparison.state)
    except (OffTheConstraintsError, ExpressionError, MbconcordError) as problem:
        return Judgement("undecided", (), {}, str(problem))
    exact: dict[str, Any] = {}
    failed = []
    context = next(iter(values.values())).context
    for name, own in equations.items():
        try:
            found = exactly(own, values)
        except (ExpressionError, ArithmeticError, MbconcordError) as problem:
            failed.append(f"{name} has no value in {REFEREE_DIGITS} digits ({problem})")
            continue
        if part == "rank":
            exact[name] = context.mpf(found.rank)
        else:
            (entry,) = comparison.entry
            exact[name] = getattr(found, part)[own.names.index(entry)]
    return judge_digits(comparison, exact, failed)


def review_motion(
    system: System, equations: Mapping[str, BoundedEquations], comparison: Comparison, part: str
) -> Comparison:
    """Append the referee's explanation to a disagreement."""
    text = judge_motion(system, equations, comparison, part).text
    return replace(comparison, explanation=". ".join(filter(None, (comparison.explanation, text))))


#: Steps of all programs together, beyond which it is not tried: some seconds.
MOST_STEPS: Final = 100_000


def solution_evaluation(
    system: System, motions: Sequence[SolvedMotion], state: State, s: int | None = 0
) -> list[Comparison]:
    """Compare each motion with its equations at state number s; not checked, with the reason, if too large."""
    if s is None:
        return [_silent(motion, "whether a row vanishes is open at every state") for motion in motions]
    steps = sum(motion.equations.size for motion in motions if motion.equations)
    if steps > MOST_STEPS:
        return [_silent(motion, "not tried (size)") for motion in motions]
    try:
        values = on_constraints(system, state)
    except (ExpressionError, MbconcordError, ArithmeticError) as problem:
        return [_silent(motion, f"no exact value: {problem}") for motion in motions]
    found = []
    for motion in motions:
        assert motion.equations is not None and motion.bounds is not None
        try:
            exact = exactly(motion.equations, values)
        except (ExpressionError, MbconcordError, ArithmeticError) as problem:
            found.append(_silent(motion, f"no exact value: {problem}"))
            continue
        if motion.bounds.clear[s] and exact.rank < motion.bounds.rank[s]:
            found.append(_silent(motion, f"rows are smaller than {REFEREE_DIGITS} digits show"))
            continue
        digits = {ACCELERATION: exact.acceleration, REACTIONS: exact.reactions}
        floats = {ACCELERATION: motion.bounds.acceleration[s], REACTIONS: motion.bounds.reactions[s]}
        parts: list[Part] = [
            (name, (motion.equations.names,), widen_bounds(x, digits[name])) for name, x in floats.items()
        ]
        found.append(against_digits(motion.own.tree.formalism, digits, parts, state, SOLUTION))
    return found


def widen_bounds(floats: Bounded, digits: Sequence[Any]) -> Bounded:
    """Widen the bounds of floats by a small part (:data:`REFEREE_SAME`) of the largest number in 50 digits."""
    largest = max((float(abs(x)) for x in digits), default=0.0)
    return Bounded(floats.values, floats.bounds + REFEREE_SAME * largest)


def _silent(motion: SolvedMotion, reason: str) -> Comparison:
    return Comparison(motion.own.tree.formalism, "", SOLUTION, "not checked", explanation=reason)
