"""Which coordinate of one model is which of another: by name, then by structure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.system import System

#: (turns or shifts, coordinates before it on its path, coordinates that it carries)
Signature = tuple[str, int, int]


@dataclass(frozen=True)
class Matching:
    """Pairs of coordinates (of a, of b) in a's order, how they were found, and why there are none."""

    pairs: tuple[tuple[str, str], ...]
    by: str
    reason: str = ""

    def order(self, b: System) -> list[int]:
        """Numbers of b's coordinates in a's order."""
        return [b.coordinate_names.index(name) for _, name in self.pairs]


def reordered(evaluation: Evaluation, order: list[int], name: str) -> Evaluation:
    """The numbers of an evaluation with its coordinates in another order, under a name of its own."""

    def ordered(values: Mapping[str, Array]) -> dict[str, Array]:
        return {k: x[:, order][:, :, order] if k == "M" else x[:, order] for k, x in values.items()}

    quantities, bounds = ordered(evaluation.quantities), ordered(evaluation.bounds)
    return Evaluation(name, quantities, evaluation.diagnostics, bounds)


def match(a: System, b: System) -> Matching:
    """Match the coordinates of two models.

    Equal names go together when both move in the same way (turn or shift). The rest goes by structure: what
    kind it is, how many coordinates stand before it and how many it carries; then by kind and order alone.
    """
    ours, theirs = signatures(a), signatures(b)
    if len(ours) != len(theirs):
        return Matching((), "", f"A has {len(ours)} coordinates, B has {len(theirs)}")
    for kind in ("rotation", "translation"):
        counts = [sum(s[0] == kind for s in found.values()) for found in (ours, theirs)]
        if counts[0] != counts[1]:
            return Matching((), "", f"of A's coordinates {counts[0]} are of {kind}, of B's {counts[1]}")
    pairs = {name: name for name in ours if name in theirs and ours[name][0] == theirs[name][0]}
    by_name = len(pairs)
    for length in (3, 1):
        left = [name for name in ours if name not in pairs]
        spare = [name for name in theirs if name not in pairs.values()]
        for name in left:
            same = next((n for n in spare if theirs[n][:length] == ours[name][:length]), None)
            if same is not None:
                pairs[name] = same
                spare.remove(same)
    by = "name" if by_name == len(ours) else "structure" if not by_name else "name and structure"
    return Matching(tuple((name, pairs[name]) for name in ours), by)


def signatures(system: System) -> Mapping[str, Signature]:
    """Signature of every coordinate, in the system's order."""
    before: dict[str | None, list[str]] = {None: []}
    kinds: dict[str, str] = {}
    depth: dict[str, int] = {}
    carried = dict.fromkeys(system.coordinate_names, 0)
    for body in system.bodies:
        path = list(before[body.parent])
        for et in body.joint:
            if et.coordinate:
                kinds[et.coordinate], depth[et.coordinate] = et.kind, len(path)
                for name in path:
                    carried[name] += 1
                path.append(et.coordinate)
        before[body.name] = path
    return {name: (kinds[name], depth[name], carried[name]) for name in system.coordinate_names}
