"""Parameters and functions that are defined by themselves."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model import Function
from mbconcord.model.expressions import Expression, symbols, undefined_functions

from .scope import Scope


def loops(values: Mapping[str, Expression], formulas: Mapping[str, Function], scope: Scope) -> None:
    """Refuse parameters and functions that are defined by themselves."""
    needs: dict[str, set[str]] = {}
    for name, value in values.items():
        needs[name] = set(symbols([value]) | undefined_functions([value]))
    for name, function in formulas.items():
        if function.formula is not None:
            inner = symbols([function.formula]) - set(function.arguments)
            needs[name] = set(inner | undefined_functions([function.formula]))
    done: set[str] = set()
    for start in needs:
        trail = [start]
        while trail:
            name = trail[-1]
            following = next((n for n in sorted(needs[name]) if n in needs and n not in done), None)
            if following is None:
                done.add(trail.pop())
            elif following in trail:
                loop = " -> ".join((*trail[trail.index(following) :], following))
                kind = "parameters" if following in values else "functions"
                place = f"{kind}/{following}"
                scope.findings.refuse(
                    scope.findings.locations[place], f"defined by itself: {loop}", "break the cycle", place
                )
                return
            else:
                trail.append(following)
