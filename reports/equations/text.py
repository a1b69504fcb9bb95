"""A derivation as text: stages of named assignments, then the quantities over those names."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import Expression, to_text

from .listing import listing


def text(derivation: Derivation, quantities: dict[str, Nested]) -> str:
    """Lines ``name = formula``; each uses names of earlier lines only. Formulas read back as they stand."""
    blocks = []
    for group in listing(derivation, quantities):
        lines = [f"{line.label} = {formula(line.expression, line.names)}" for line in group.lines]
        if group.stage is not None and group.stage.written:
            lines = [line.text for line in group.stage.written]
        blocks.append("\n".join([f"# {group.title}", *lines]))
    return "\n\n".join(blocks) + "\n"


def formula(expression: Expression, names: Mapping[Expression, str]) -> str:
    """The name of an expression that has one, else its formula over the names."""
    return names.get(expression) or to_text(expression, names)
