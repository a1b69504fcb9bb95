"""A derivation as text: stages of named assignments, then the quantities over those names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mbconcord.model.derivation import Derivation, Nested, flatten, restore
from mbconcord.model.expressions import Expression, count_operations, to_text
from mbconcord.model.notation.listing import BalanceLine

from .listing import EQUATIONS, LabelledEquations, legend, listing, side

# A derivation as a JSON mapping: formulas as texts that the formula grammar reads.


def mapping(
    derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None = None
) -> dict[str, Any]:
    """Convert a derivation to a mapping: stages with assignments, quantities, costs, and ``stated`` equations."""
    stages = []
    values: dict[str, Any] = {}
    for group in listing(derivation, quantities):
        own = [line for line in group.lines if line.element is None]
        assignments = [{"name": x.label, "expression": formula(x.expression, x.names)} for x in own]
        if group.stage is not None:
            stage: dict[str, Any] = {"name": group.stage.name, "title": group.title, "assignments": assignments}
            written = [{"text": line.text, "latex": line.latex} for line in group.stage.written]
            stages.append(stage | ({"written": written} if written else {}))
            continue
        if assignments:
            stages.append({"name": group.title, "title": f"parts of {group.title}", "assignments": assignments})
        scalars = (formula(x.expression, x.names) for x in group.lines if x.element is not None)
        values[group.title] = restore(quantities[group.title], scalars)
    places = {name: list(map(list, derivation.indices[name])) for name in values if name in derivation.indices}
    result: dict[str, Any] = {
        "formalism": derivation.formalism,
        "system": derivation.system.name,
        "coordinates": list(derivation.system.coordinate_names),
        "stages": stages,
        "quantities": values,
        **({"indices": places} if places else {}),
        "operations": count_operations(x for v in quantities.values() for x in flatten(v)).to_json(),
    }
    return result | (equations(stated.balances, stated.multipliers) if stated else {})


def equations(balances: Iterable[BalanceLine], multipliers: Mapping[str, str]) -> dict[str, Any]:
    """Convert the equations to a mapping, by coordinate or constraint row, with the rows of the multipliers."""
    listed = [{"name": each.name, "equation": balance(each)} for each in balances]
    return {"equations": listed} | ({"multipliers": dict(multipliers)} if multipliers else {})


def text(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None = None) -> str:
    """Write lines ``name = formula``; each uses names of earlier lines only. Formulas can be read back.

    ``stated`` equations over the labels of the quantities come last.
    """
    return "\n\n".join(map("\n".join, _blocks(derivation, quantities, stated))) + "\n"


def _blocks(
    derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None
) -> Iterator[list[str]]:
    for group in listing(derivation, quantities):
        lines = [f"{line.label} = {formula(line.expression, line.names)}" for line in group.lines]
        if group.stage is not None and group.stage.written:
            lines = [line.text for line in group.stage.written]
        yield [f"# {group.title}", *lines]
    if stated is not None:
        yield [f"# {line}" for line in (EQUATIONS, *legend(stated))] + list(map(balance, stated.balances))


def formula(expression: Expression, names: Mapping[Expression, str]) -> str:
    """Return the name of an expression, or, if it has none, its formula in names of its parts."""
    return names.get(expression) or to_text(expression, names)


def balance(equation: BalanceLine) -> str:
    """Write an equation in the formula notation."""
    return " = ".join(side(terms, _factor, "*", {}) for terms in (equation.left, equation.right))


def _factor(x: Expression) -> str:
    return f"({to_text(x)})" if x.op == "add" else to_text(x)
