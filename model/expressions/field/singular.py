"""Where a graph is not defined for all states: quotients, roots and functions of other than parameters."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from ..node import CALL, FUN, NEG, POW, SYM, Expression
from ..traversal import topological
from .plan import WHOLE, Plan, whole

#: Functions that are not defined, or not smooth, everywhere.
_PARTIAL: Final = frozenset(("tan", "asin", "acos", "atan2", "log", "sqrt"))


def above(plan: Plan, places: Set[int]) -> list[bool]:
    """Whether one of the places is at or below each step."""
    found: list[bool] = []
    for place, step in enumerate(plan.steps):
        found.append(place in places or any(found[i] for i in step.args))
    return found


def lost_places(plan: Plan, partial: Set[int], new: Sequence[Expression]) -> set[int]:
    """Places of singularities of some output that stand nowhere in its new form."""
    order = sorted(partial)
    if not order:
        return set()
    own = {place: 1 << k for k, place in enumerate(order)}
    before: list[int] = []
    for place, step in enumerate(plan.steps):
        mask = own.get(place, 0)
        for i in step.args:
            mask |= before[i]
        before.append(mask)
    forms: dict[Expression, int] = {}
    for place, bit in own.items():
        form = unsigned(new[place])
        forms[form] = forms.get(form, 0) | bit
    roots = [new[plan.place[x]] for x in plan.outputs]
    after: dict[Expression, int] = {}
    for node in topological(roots):
        mask = forms.get(node, 0)
        for arg in node.args:
            mask |= after[arg]
        after[node] = mask
    lost = 0
    for x, root in zip(plan.outputs, roots, strict=True):
        lost |= before[plan.place[x]] & ~after[root]
    return {place for place, bit in own.items() if lost & bit}


def singular(plan: Plan, parameters: Set[str]) -> set[int]:
    """Places of quotients, roots and functions that are not defined everywhere, of other than parameters."""
    moving: list[bool] = []
    found: set[int] = set()
    for place, (op, args, node) in enumerate(plan.steps):
        moves = any(moving[i] for i in args)
        if op is SYM:
            moves = node.data not in parameters
        elif op is CALL:
            moves = True
        elif moves and (op is POW or op is WHOLE or node.op is FUN):
            whole_power = op is WHOLE and (whole(node) or 0) >= 0
            if not whole_power and (node.op is POW or node.data in _PARTIAL):
                found.add(place)
        moving.append(moves)
    return found


def unsigned(x: Expression) -> Expression:
    """What stands below a sign."""
    return x.args[0] if x.op is NEG else x
