"""A derivation as a JSON mapping: formulas as texts that the formula grammar reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mbconcord.model.derivation import Derivation, Nested, flatten, restore
from mbconcord.model.expressions import count_operations
from mbconcord.model.notation.balance import Balance

from .balances import Equations
from .listing import listing
from .text import balance, formula


def mapping(
    derivation: Derivation, quantities: dict[str, Nested], stated: Equations | None = None
) -> dict[str, Any]:
    """Stages with their assignments, quantities over those names, what they cost; the equations where ``stated``."""
    stages = []
    values: dict[str, Any] = {}
    for group in listing(derivation, quantities):
        own = [line for line in group.lines if line.element is None]
        assignments = [{"name": x.label, "expression": formula(x.expression, x.names)} for x in own]
        if group.stage is not None:
            stage: dict[str, Any] = {
                "name": group.stage.name,
                "title": group.title,
                "assignments": assignments,
            }
            written = [{"text": line.text, "latex": line.latex} for line in group.stage.written]
            stages.append(stage | ({"written": written} if written else {}))
            continue
        if assignments:
            stages.append(
                {"name": group.title, "title": f"parts of {group.title}", "assignments": assignments}
            )
        scalars = (formula(x.expression, x.names) for x in group.lines if x.element is not None)
        values[group.title] = restore(quantities[group.title], scalars)
    places = {
        name: list(map(list, derivation.indices[name])) for name in values if name in derivation.indices
    }
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


def equations(balances: Iterable[Balance], multipliers: Mapping[str, str]) -> dict[str, Any]:
    """The equations by the name of their coordinate or row, and the rows of the multipliers."""
    listed = [{"name": each.name, "equation": balance(each)} for each in balances]
    return {"equations": listed} | ({"multipliers": dict(multipliers)} if multipliers else {})
