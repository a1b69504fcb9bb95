"""The referee: two witnesses differ; the same derivations in 50 digits say whether they, or only their digits, do.

States are exact binary numbers and the model's numbers exact rationals, so both sides get the very same inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mbconcord.model.derivation import EFFORT, Derivation, flatten, restore
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError, evaluate, mpmath_arithmetic
from mbconcord.model.functions import define
from mbconcord.model.instance import Instance
from mbconcord.model.mixed import imposed

from .evidence import Comparison, Verdict
from .floats import digits
from .tolerances import REFEREE_CONDITION, REFEREE_DIGITS, REFEREE_SAME


class SingularError(ZeroDivisionError):
    """Equations have no solution that digits could tell."""


@dataclass(frozen=True)
class Judgement:
    """What the referee found.

    Attributes
    ----------
    verdict : "derivations differ", "rounding" or "undecided"
    wrong : tuple of str
        Whose derivation is the odd one out, or whose float is off; empty when that cannot be told.
    exact : mapping
        The value of every witness in high precision, as text of 17 digits.
    text : str
    """

    verdict: Literal["derivations differ", "rounding", "undecided"]
    wrong: tuple[str, ...]
    exact: Mapping[str, str]
    text: str


def review(derivations: Mapping[str, Derivation], comparison: Comparison) -> Comparison:
    """The disagreement with the referee's explanation.

    A difference beyond the bounds of both sides is none that rounding can make. Where 50 digits agree nevertheless,
    the equations are the same and a float evaluation is wrong: that is a disagreement too. Only where a side has no
    float, because it is beyond the range of floats or the equations are singular, is nothing compared.
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
    return judged(comparison, exact, failed)


def judged(comparison: Comparison, exact: Mapping[str, Any], failed: Sequence[str] = ()) -> Judgement:
    """What an entry in high precision, by witness, says of a disagreement; ``failed``: who has none, and why."""
    sides = (comparison.a, comparison.b)
    shown = {name: digits(value) for name, value in exact.items()}
    if any(side not in exact for side in sides):
        return Judgement(
            "undecided", (), shown, "; ".join(failed) or "a side delivers no expression to judge"
        )
    groups = _groups(exact, comparison.scale or 0.0)
    if any(all(side in group for side in sides) for group in groups):
        return _rounding(comparison, exact, shown)
    return _differing(groups, shown)


def exact_value(derivation: Derivation, quantity: str, entry: Sequence[str], at: Instance) -> Any:
    """One entry of a quantity at the first state, in the arithmetic of the instance; None when it is not delivered.

    Inverse dynamics and accelerations that the derivation lacks are completed from M, h and the forces.
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
        drives = imposed(system)
        known = evaluate(define(drives.values(), system.functions), values, at.arithmetic)
        given = {names.index(name): value for name, value in zip(drives, known, strict=True)}
        found = _completed(quantity, numbers, [values[f"{name}''"] for name in names], given)
    for name in entry:
        found = found[names.index(name)]
    return found


def _completed(
    quantity: str, numbers: Callable[[str], Any], a: Sequence[Any], given: Mapping[int, Any]
) -> list[Any]:
    """Inverse dynamics at a, or the mixed problem with the accelerations that are given by place."""
    mass, h, gravity, applied = (numbers(name) for name in ("M", "h", "gravity", "applied"))
    rest = [x - y - z for x, y, z in zip(h, gravity, applied, strict=True)]

    def needed(accelerations: Sequence[Any]) -> list[Any]:
        rows = zip(mass, rest, strict=True)
        return [sum((m * x for m, x in zip(row, accelerations, strict=True)), r) for row, r in rows]

    if quantity == "inverse_dynamics":
        return needed(a)
    places = [i for i in range(len(rest)) if i not in given]
    context, moved = rest[0].context, [given.get(i, 0 * rest[0]) for i in range(len(rest))]
    if places:
        left = needed(moved)
        own = context.matrix([[mass[i][k] for k in places] for i in places])
        solved = solution(own, -context.matrix([left[i] for i in places]))
        for i, value in zip(places, solved, strict=True):
            moved[i] = value
    if quantity == EFFORT:
        return [x if i in given else 0 * x for i, x in enumerate(needed(moved))]
    return moved


def solution(A: Any, b: Any) -> Any:
    """x of A x = b, matrices of mpmath; :class:`SingularError` where A is singular, or leaves too few of its digits."""
    context, places = A.ctx, range(A.rows)
    try:
        rows = [1 / max(abs(A[i, k]) for k in places) for i in places]
        columns = [1 / max(rows[i] * abs(A[i, k]) for i in places) for k in places]
        scaled = context.matrix([[rows[i] * A[i, k] * columns[k] for k in places] for i in places])
        condition = context.mnorm(scaled, 1) * context.mnorm(scaled**-1, 1)
    except (TypeError, ZeroDivisionError):  # what mpmath raises where a column has no pivot
        raise SingularError("matrix is singular") from None
    if condition > REFEREE_CONDITION:
        raise SingularError("matrix is singular")
    found = context.lu_solve(scaled, context.matrix([rows[i] * b[i] for i in places]))
    return context.matrix([columns[i] * found[i] for i in places])


def _groups(exact: Mapping[str, Any], scale: float) -> list[list[str]]:
    """Witnesses by value: equal to 1e-30 of the scale."""
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
    off = {
        name: abs(float(exact[name] - value)) for name, value in zip((a, b), comparison.values, strict=True)
    }
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
