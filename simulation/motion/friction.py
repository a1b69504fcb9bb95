"""Dry friction in integration: sign(v) of a speed v jumps at rest, and no step of an integrator ends at a jump.

There it is v/√(v² + s²) with a small speed s, which slips: where friction would hold a force f of the largest F, the
contact creeps at s f/√(F² - f²). What moves faster than s is off by (s/v)²/2 of the friction. Equations that are
derived, evaluated and checked have sign(v) itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import Expression, number, sqrt, substitute, symbols, topological

from .formulas import Formulas


def frictions(formulas: Formulas, rates: Sequence[str]) -> list[Expression]:
    """The nodes sign(v) whose argument depends on rates, inner ones first."""
    moving = frozenset(rates)
    return [
        node for node in topological([*formulas.every(), *formulas.applied])
        if node.op == "fun" and node.data == "sign" and moving & set(symbols([node]))
    ]  # fmt: skip


def smoothed(formulas: Formulas, nodes: Sequence[Expression], slip: float) -> Formulas:
    """The formulas with v/√(v² + s²) in place of sign(v)."""
    replacements: dict[Expression, Expression] = {}
    width = number(repr(slip))
    for node in nodes:
        (v,) = substitute([node.args[0]], replacements)
        replacements[node] = v / sqrt(v * v + width * width)
    return formulas.changed(replacements) if nodes else formulas


def told(nodes: Sequence[Expression], slip: float) -> Diagnostic:
    """What a run says of it."""
    listed = ", ".join(map(str, nodes[:3])) + (", …" if len(nodes) > 3 else "")
    message = f"{listed} jumps at rest: v/sqrt(v^2 + s^2) stands for sign(v), s = {slip:g} (m/s, rad/s)"
    return Diagnostic(
        "note", "friction", message, "what sticks creeps at up to some s; a smaller slip speed takes longer"
    )
