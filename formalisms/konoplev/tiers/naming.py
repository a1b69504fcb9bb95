"""Names in tiers: every scalar gets a name when it is computed, and later expressions use the name.

Names of the paper and titles of the tiers, and naming of rows, vectors and forces.

Parallelism of a list of tiers: the work that can be done at the same time, item 4 of the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import Expression, as_expression, count_operations, symbol, symbols, topological
from mbconcord.model.expressions.calculus import rebuild
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.notation.listing import SectionTable
from mbconcord.records import dataclass

from ..structure import Direction
from ..vectors import Vector, absent

#: Below the table of loads.
LOADS = (
    "Items of a tier are independent tasks, each computed by itself; the critical path is the longest chain of "
    "operations in one of them. all: the tiers one after the other."
)
HEADERS = ("tier", "items", "operations", "critical path", "average parallelism")


@dataclass(frozen=True, slots=True)
class TierLoad:
    """Work of one tier, whose items are independent tasks.

    Attributes
    ----------
    name : str
    items : int
    operations : int
        Number of operations of all items, when each is computed by itself.
    critical_path : int
        Operations of the longest chain in any one item.
    """

    name: str
    items: int
    operations: int
    critical_path: int

    @property
    def parallelism(self) -> float:
        """Average parallelism: operations per step of the critical path (0 without operations)."""
        return self.operations / self.critical_path if self.critical_path else 0.0


def tier_loads(stages: Iterable[Stage]) -> Iterator[TierLoad]:
    """Yield the load of each tier of a list, then the load of all tiers in sequence, named ``all``."""
    loads = []
    for stage in stages:
        counts = [count_operations([a.expression]) for a in stage.assignments]
        longest = max((c.critical_path for c in counts), default=0)
        loads.append(TierLoad(stage.name, len(counts), sum(c.total for c in counts), longest))
    yield from loads
    yield TierLoad(
        "all",
        sum(load.items for load in loads),
        sum(load.operations for load in loads),
        sum(load.critical_path for load in loads),
    )


def loads_table(stages: Iterable[Stage]) -> SectionTable:
    """Tabulate the loads, one row per tier."""
    rows = (
        (x.name, str(x.items), str(x.operations), str(x.critical_path), f"{x.parallelism:.3g}")
        for x in tier_loads(stages)
    )
    return SectionTable(HEADERS, tuple(rows))


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


TITLES = {
    "I-0": "Auxiliary: inertias of the bodies with their flywheels",
    "A-0": "A, auxiliary: rows about the origins of the bodies' frames",
    "A-I": "A, tier I: rows of the structural matrix S",
    "A-II": "A, tier II: Z = S A",
    "A-III": "A, tier III: A(q) = Z S^T",
    "b-I": "b, tier I: absolute twists V = S^T q'",
    "b-II": "b, tier II: W = B V, and the flywheels' N = I psi'' + J psi'",
    "b-III": "b, tier III: b^1 = S (W + N)",
    "b-0": "b, auxiliary: rates of the auxiliary rows",
    "b-IV": "b, tier IV: rates of the rows of S",
    "b-V": "b, tier V: b^2 = Z (S')^T q'",
    "Q-0": "Q, auxiliary: gravity in the axes of the bodies",
    "Q-I": "Q, tier I: weights G of the bodies",
    "Q-II": "Q, tier II: generalized forces of weight S G",
    "U-0": "U, auxiliary: motion of the points where forces act and constraints hold",
    "U-I": "U, tier I: other forces F on the bodies",
    "U-II": "U, tier II: generalized forces S F + u",
    "D-0": "D, auxiliary: parts of rows",
    "D-I": "D, tier I: rows of the constraints",
    "D-II": "D, tier II: rates of the rows, D' q' + gamma'",
}


def component(letter: str, number: int, i: int, d: Direction) -> str:
    """Write the name ``s_{p,i}^{σt-α}``."""
    return f"{letter}_{{{number},{i}}}^{{{d.name}}}"


def absolute(number: int) -> str:
    """Write the superscript ``^{0,p}`` of motion relative to the fixed frame."""
    return f"^{{0,{number}}}"


def named_row(names: Names, group: str, letter: str, number: int, d: Direction, row: Vector) -> Vector:
    """Name the components of a row of body p and direction d."""
    return tuple(names.give(group, component(letter, number, i, d), x) for i, x in enumerate(row, 1))


def named_vector(names: Names, group: str, letter: str, number: int, vector: Vector, of: str = "") -> Vector:
    """Name the components of a vector of body p, breaking up long ones."""
    return tuple(
        names.give(group, f"{letter}_{{{number},{i}}}{of}", names.break_up(group, x)) for i, x in enumerate(vector, 1)
    )


def named_forces(
    names: Names, group: str, letter: str, power: str, found: Mapping[Direction, Any]
) -> dict[Direction, Any]:
    """Name generalized forces by their directions."""
    return {d: names.give(group, f"{letter}_{{{d.name}}}{power}", x) for d, x in found.items()}
