"""Equations M u' = f split into parts, and contradictions within them, which are found without a model.

Angular velocities of bodies are compared with the rates of their orientations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mbconcord.model.diagnostics import DisagreementError, MbconcordError
from mbconcord.model.expressions import (
    HALF,
    ONE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    jacobian,
    rate,
    substitute,
    symbol,
    symbols,
)
from mbconcord.model.expressions.calculus import directional
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, compare
from mbconcord.records import dataclass

Matrix = tuple[tuple[Expression, ...], ...]

#: Entry of Ṙ Rᵀ = -[ω]× that is minus each component of ω, in the axes of the body.
PLACES = (2, 1), (0, 2), (1, 0)


def dot(a: Iterable[Expression], b: Iterable[Expression]) -> Expression:
    """Return the sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


@dataclass(frozen=True)
class TiedEquations:
    """Equations M u' = f in common coordinates; ``parts``: name -> entries of M by row, of f, of parts of f."""

    M: Matrix
    forcing: tuple[Expression, ...]
    parts: Mapping[str, tuple[Expression, ...]]


def split_forcing(
    M: Matrix, forcing: Sequence[Expression], speeds: Sequence[str], weight: Collection[str]
) -> TiedEquations:
    """Split f into terms at rest with and without gravity (``weight``), and odd and even powers of speeds."""
    flat = tuple(x for row in M for x in row)
    whole = tuple(forcing)
    u = [symbol(name) for name in speeds]
    try:
        still = substitute(whole, dict.fromkeys(u, ZERO))
        back = substitute(whole, {x: -x for x in u})
        light = substitute(still, dict.fromkeys(map(symbol, weight), ZERO))
    except ExpressionError:  # it has no value at rest
        return TiedEquations(M, whole, {"M": flat, "forcing": whole})
    falling = tuple(s - x for s, x in zip(still, light, strict=True))
    parts = {
        "M": flat,
        **({"gravity": falling, "other forces": tuple(light)} if weight else {"static": tuple(still)}),
        "linear in rates": tuple((a - b) * HALF for a, b in zip(whole, back, strict=True)),
        "quadratic in rates": tuple((a + b) * HALF - s for a, b, s in zip(whole, back, still, strict=True)),
        "forcing": whole,
    }
    return TiedEquations(M, whole, parts)


def find_contradictions(
    M: Matrix, forcing: Sequence[Expression], q: Sequence[str], u: Sequence[str], own_rates: bool
) -> Iterator[str]:
    """Yield proved contradictions: M is not symmetric; terms quadratic in rates do not follow from M (Christoffel).

    The latter is no proof of an error: an applied force may be quadratic in the rates, too.
    """
    n = len(u)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    verdicts = compare((M[j][i], M[i][j]) for i, j in pairs) if pairs else []
    for (i, j), found in zip(pairs, verdicts, strict=True):
        if found.kind == DIFFERS:
            yield f"M is not symmetric: M[{u[j]}, {u[i]}] and M[{u[i]}, {u[j]}] differ"
    if not own_rates:
        return
    try:
        quadratic = split_forcing(M, forcing, u, ()).parts.get("quadratic in rates")
        slopes = jacobian([x for row in M for x in row], [symbol(name) for name in q])
    except (ExpressionError, MbconcordError):
        return
    if quadratic is None:
        return
    v = [symbol(name) for name in u]
    follow = []
    for i in range(n):
        total = ZERO
        for j in range(n):
            for k in range(n):
                slope = slopes[i * n + j][k] - HALF * slopes[j * n + k][i]
                total = total - slope * v[j] * v[k] if slope else total
        follow.append(total)
    wrong = [name for name, x in zip(u, compare(zip(quadratic, follow, strict=True)), strict=True) if x.kind == DIFFERS]
    if wrong:
        yield f"the terms quadratic in the rates do not follow from M (Christoffel symbols): rows {', '.join(wrong)}"


def find_wrong_turning(
    method: Any, start: Callable[[], Any], qdot: Mapping[str, Expression],
    solved: Mapping[Expression, Expression] | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:  # fmt: skip
    """Return sentences on bodies whose ω is proved not to be the orientation's rate, and on bodies left out.

    Parameters
    ----------
    method : KanesMethod
    start : starts a reading of SymPy's entries, as :class:`.equations.Reading`
    qdot : coordinate -> formula of its rate in the speeds
    solved : dependent speed -> formula in the independent ones; None: not known
    """
    found, left = [], []
    for frame in dict.fromkeys(body.frame for body in method.bodies if hasattr(body, "frame")):
        name = frame.name
        try:
            reason = _compare(frame, method._inertial, start(), qdot, solved)
        except DisagreementError:
            raise
        except (MbconcordError, ExpressionError, ValueError) as problem:
            reason = problem.diagnostics[0].message if isinstance(problem, MbconcordError) else str(problem)
            reason = reason.partition("\n")[0] or "its orientation is not known"
        if reason is True:
            found.append(f"the angular velocity of {name} is not the rate of its orientation")
        elif reason:
            left.append(f"the angular velocity of {name} was not looked at: {reason}")
    return tuple(found), tuple(left)


def _compare(
    frame: Any, inertial: Any, reading: Any, qdot: Mapping[str, Expression],
    solved: Mapping[Expression, Expression] | None,
) -> bool | str:  # fmt: skip
    """Return True if a frame's ω is not the rate of its orientation; a text with the reason if undecided."""
    axes, turning = frame.dcm(inertial), frame.ang_vel_in(inertial).to_matrix(frame)
    entries = [reading.read(f"{frame.name}[{i + 1}]", x) for i, x in enumerate([*axes, *turning])]
    speeds = {str(x.data) for x in solved or ()}
    moving = {*qdot, *(f"{x}'" for x in qdot)}
    used = symbols(entries[:9])
    others = sorted(name for name in reading.functions if name in used and name not in moving | speeds)
    if others:
        return f"its orientation depends on {', '.join(others)}, whose rate is not known"
    if solved is None:
        return "the dependent speeds are not known by the others"
    reading.hold()
    entries = substitute(substitute(entries, {rate(x): by for x, by in qdot.items()}), solved)
    motion = {symbol(x): by for x, by in zip(qdot, substitute(qdot.values(), solved), strict=True)} | {TIME: ONE}
    R = _rows(entries[:9])
    unit = [(dot(R[i], R[k]), ONE if i == k else ZERO) for i in range(3) for k in range(i + 1)]
    if any(x.kind != IDENTICAL for x in compare(unit)):
        return "its axes are not proved to be of unit length and normal to each other"
    slopes = _rows(directional(entries[:9], motion))
    pairs = [(-dot(slopes[i], R[k]), w) for (i, k), w in zip(PLACES, entries[9:], strict=True)]
    return any(x.kind == DIFFERS for x in compare(pairs))


def _rows(flat: Sequence[Expression]) -> list[Sequence[Expression]]:
    return [flat[i : i + 3] for i in (0, 3, 6)]
