"""What a model leaves open, parameters without values and functions without formulas, taken from another model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mbconcord.model.checks.scope import Scopes, formulas
from mbconcord.model.expressions import undefined_functions
from mbconcord.model.system import System


def informed(system: System, other: System, unlike: Mapping[str, str] | None = None) -> System:
    """The system with what it leaves open taken from the other, by name, or by the other's names of functions."""
    known = {p.name: p for p in other.parameters if p.value is not None}
    parameters = []
    for p in system.parameters:
        value = known[p.name].value if p.value is None and p.name in known else None
        usable = value is not None and value.constant
        parameters.append(replace(p, value=value) if usable else p)
    theirs = {(f.name, len(f.arguments)): f for f in other.functions if f.formula is not None}
    functions = []
    for f in system.functions:
        same = theirs.get(((unlike or {}).get(f.name, f.name), len(f.arguments)))
        functions.append(replace(same, name=f.name) if f.formula is None and same else f)
    return replace(system, parameters=tuple(parameters), functions=tuple(functions))


def unlike_functions(a: System, b: System) -> dict[str, str]:
    """Functions without a formula of B that A lacks -> those of A that B lacks, in order.

    Whether they are the same functions is not known: that the models agree with one formula for both is no agreement.
    """
    ours, theirs = _open_functions(a), _open_functions(b)
    left = {name: count for name, count in ours.items() if name not in {f.name for f in b.functions}}
    pairs: dict[str, str] = {}
    for name, count in theirs.items():
        if name in {f.name for f in a.functions}:
            continue
        same = next((n for n, c in left.items() if c == count), None)
        if same is not None:
            pairs[name] = same
            del left[same]
    return pairs


def _open_functions(system: System) -> dict[str, int]:
    """Functions without a formula that the model uses, with the numbers of their arguments, in order."""
    used = undefined_functions([x for _, group, _ in formulas(Scopes(system)) for x in group])
    return {f.name: len(f.arguments) for f in system.functions if f.formula is None and f.name in used}
