"""Contradictions of own equations with themselves, which need no model."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import HALF, ZERO, ExpressionError, jacobian, symbol
from mbconcord.model.expressions.field import DIFFERS, compare

from .equations import OwnEquations
from .tied import split


def find_contradictions(own: OwnEquations) -> Iterator[str]:
    """Yield what is proved: M is not symmetric; terms quadratic in the rates do not follow from it (Christoffel)."""
    n, u = len(own.u), own.u
    pairs = [(i, j) for i in range(n) for j in range(i)]
    verdicts = compare((own.M[j][i], own.M[i][j]) for i, j in pairs) if pairs else []
    for (i, j), found in zip(pairs, verdicts, strict=True):
        if found.kind == DIFFERS:
            yield f"M is not symmetric: M[{u[j]}, {u[i]}] and M[{u[i]}, {u[j]}] differ"
    if not own.own_rates:
        return
    try:
        quadratic = split(own.M, own.forcing, u, ()).parts.get("quadratic in rates")
        slopes = jacobian([x for row in own.M for x in row], [symbol(name) for name in own.q])
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
