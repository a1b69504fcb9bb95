"""Names in tiers: every scalar gets a name when it is computed, and later expressions use the name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import Expression, as_expression, symbol, symbols, topological
from mbconcord.model.expressions.calculus import rebuild
from mbconcord.model.expressions.printer import written_size

from ..vectors import absent

#: Expressions with more operands and operations than this are broken up by auxiliary names.
LONG = 60


class Names:
    """Tiers under construction: groups of assignments in order; a group's items may use names of earlier groups.

    If items of one group use each other, as auxiliary ones do, the group is divided into tiers by depth, so that within
    a tier all items are independent.
    """

    def __init__(self) -> None:
        self.groups: dict[str, list[Assignment]] = {}
        self._parts: dict[Expression, Expression] = {}

    def give(self, group: str, label: str, value: Any) -> Any:
        """Put ``label = value`` into a group; return the name for later use, or the value if it is a number.

        A structural zero gets no line and 0 is returned: an absent name means zero.
        """
        if absent(value):
            return 0
        node = as_expression(value)
        self.groups.setdefault(group, []).append(Assignment(label, node))
        return node if node.op == "num" else symbol(label)

    def shorten(self, group: str, label: str, value: Any) -> Any:
        """Return a short value itself; put a longer one into a group of auxiliary names and return its name."""
        if absent(value) or not long(as_expression(value)):
            return value
        return self.give(group, label, self.break_up(group, value))

    def break_up(self, group: str, value: Any) -> Any:
        """Replace the long parts of a value by auxiliary names x_1, x_2, … of a group."""
        if absent(value):
            return value
        root = as_expression(value)
        size: dict[Expression, int] = {}
        new: dict[Expression, Expression] = {}
        for node in topological([root]):
            size[node] = 1 + sum(size[arg] for arg in node.args)
            new[node] = rebuild(node, [new[arg] for arg in node.args]) if node.args else node
            if size[node] > LONG and node is not root:
                if node not in self._parts:
                    label = f"x_{{{len(self._parts) + 1}}}"
                    self._parts[node] = as_expression(self.give(group, label, new[node]))
                size[node], new[node] = 1, self._parts[node]
        return new[root]

    def stages(self, titles: Mapping[str, str]) -> tuple[Stage, ...]:
        """Return the tiers in the order of the titles."""
        return tuple(stage for group, title in titles.items() for stage in self._tiers(group, title))

    def _tiers(self, group: str, title: str) -> list[Stage]:
        items = self.groups.get(group, [])
        depth: dict[str, int] = {}
        for item in items:
            depth[item.name] = 1 + max((depth.get(name, 0) for name in symbols([item.expression])), default=0)
        levels = sorted(set(depth.values()))
        return [
            Stage(
                group if len(levels) == 1 else f"{group}.{level}",
                title,
                tuple(item for item in items if depth[item.name] == level),
            )
            for level in levels
        ]


def long(node: Expression) -> bool:
    """Return True if an expression is too long for one line."""
    return written_size(node, _operands) > LONG


def _operands(node: Expression) -> tuple[Expression, ...]:
    return node.args
