"""Equations M u' = f split into parts, and their contradictions with themselves, which need no model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import HALF, ZERO, Expression, ExpressionError, jacobian, substitute, symbol
from mbconcord.model.expressions.field import DIFFERS, compare
from mbconcord.records import dataclass

Matrix = tuple[tuple[Expression, ...], ...]


def dot(a: Iterable[Expression], b: Iterable[Expression]) -> Expression:
    """Return the sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


@dataclass(frozen=True)
class TiedEquations:
    """M u' = f in chosen coordinates; ``parts`` hold M row by row and f, whole and split."""

    M: Matrix
    forcing: tuple[Expression, ...]
    parts: Mapping[str, tuple[Expression, ...]]


def split_forcing(
    M: Matrix, forcing: Sequence[Expression], speeds: Sequence[str], weight: Collection[str]
) -> TiedEquations:
    """Split f: what stays at rest, and vanishes with the acceleration of gravity; odd and even powers of speeds."""
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
    """Yield what is proved: M is not symmetric; terms quadratic in the rates do not follow from it (Christoffel).

    A force may be quadratic, too: that it is none is not known.
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
