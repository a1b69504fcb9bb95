"""Random closed mechanisms: accelerations, Dᵀ λ, forces at cuts and in joints, all within tolerance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.joint_forces import CUT_FORCES, JOINT_FORCES
from mbconcord.validation.judge.agreement import judge_motions
from mbconcord.validation.judge.evidence import ACCELERATION, REACTIONS, Comparison
from mbconcord.validation.judge.states import ClosedStates
from mbconcord.validation.strategies.machines import KINDS
from mbconcord.validation.strategies.special_trees import planar_system
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.sums.constrained_forces import compare_constrained_forces

from ..faults.models import build_closed
from ..faults.score import motions
from .row import BenchmarkRow

#: How many mechanisms.
COUNT = 300
QUANTITIES = (ACCELERATION, REACTIONS, CUT_FORCES, JOINT_FORCES)


@dataclass
class Tally:
    """Counts of results over mechanisms: of each kind, planar, spatial, with more than one loop, redundant.

    By quantity: comparisons, all, those apart and undecided; the largest discrepancy relative to its tolerance.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    apart: list[tuple[int, Comparison]] = field(default_factory=list)
    silent: Counter[str] = field(default_factory=Counter)
    farthest: dict[str, float] = field(default_factory=dict)

    def add(self, seed: int, found: Iterable[Comparison]) -> None:
        """Count comparisons of a mechanism."""
        for c in found:
            if c.quantity not in QUANTITIES:
                continue
            if c.verdict == "not checked":
                self.silent[c.quantity] += 1
                continue
            self.compared[c.quantity] += 1
            if c.verdict == "disagrees":
                self.apart.append((seed, c))
            if c.discrepancy and c.tolerance:
                part = c.discrepancy / c.tolerance
                self.farthest[c.quantity] = max(self.farthest.get(c.quantity, 0.0), part)


def mechanism(seed: int) -> ClosedStates:
    """Make a planar linkage, a tree with any constraints, or one with cut joints; at one to three states."""
    of, kind = divmod(seed, 3)
    if kind == 0:
        return build_closed(of, planar_system(of, 3 + of % 3), ("point",))
    tree = random_system(of, 2 + of % 3)
    return build_closed(of, tree, KINDS if kind == 1 else ("cut",))


def sweep(seeds: Iterable[int]) -> Tally:
    """Run every witness on the mechanisms of these seeds."""
    found, asked = Tally(), [registry.formalism(name) for name in registry.BUILT_IN]
    for seed in seeds:
        one = mechanism(seed)
        if one.assembly is None:
            found.kinds["not assembled"] += 1
            continue
        found.add(seed, compare_witnesses(one, asked))
        found.kinds.update(_kinds(one))
    return found


def compare_witnesses(one: ClosedStates, asked: Sequence[Formalism]) -> list[Comparison]:
    """Compare motion and forces of a mechanism by every witness that takes it."""
    assert one.assembly is not None
    able = [f for f in asked if not f.constraint_obstacles(one.system)]
    forces = compare_constrained_forces(one.system, one.assembly, asked).comparisons
    return [*judge_motions(motions(one, able)), *forces]


def _kinds(one: ClosedStates) -> Iterator[str]:
    assert one.assembly is not None
    planar = not registry.formalism("telegin").constraint_obstacles(one.system)
    yield "planar" if planar else "spatial"
    yield "two loops or more" if len(one.system.constraints) > 1 else "one loop"
    if (one.assembly.rank < one.assembly.rows).any():
        yield "redundant"


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    found = sweep(range(COUNT))
    told = ", ".join(f"{n} {kind}" for kind, n in sorted(found.kinds.items()))
    yield BenchmarkRow("random closed mechanisms", COUNT, "", note=told)
    for quantity in QUANTITIES:
        off = sum(c.quantity == quantity for _, c in found.apart)
        silent = f"{found.silent[quantity]} decide nothing" if found.silent[quantity] else ""
        note = f"of {found.compared[quantity]}" + (f"; {silent}" if silent else "")
        yield BenchmarkRow(f"{quantity}: comparisons of two witnesses that disagree", off, "", 0, note=note)
        yield BenchmarkRow(f"{quantity}: farthest, by what is allowed", found.farthest.get(quantity, 0.0), "", 1)
