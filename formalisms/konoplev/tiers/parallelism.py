"""Parallelism of a list of tiers: the work that can be done at the same time, item 4 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbconcord.model.derivation import Stage
from mbconcord.model.expressions import count_operations
from mbconcord.model.notation.listing import SectionTable
from mbconcord.records import dataclass

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
