"""Which coordinate of one model is which of another: by name, then by structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.state import State
from mbconcord.model.system import System

#: (turns or shifts, coordinates before it on its path, coordinates that it carries)
Signature = tuple[str, int, int]
#: So many names stand in a headline.
MOST_NAMES = 8


@dataclass(frozen=True)
class Matching:
    """Pairs of coordinates (of a, of b) in a's order, how they were found, and why there are none.

    ``searched`` has those that neither a name nor the user told.
    """

    pairs: tuple[tuple[str, str], ...]
    by: str
    reason: str = ""
    searched: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> str:
        """What was searched, in words: ``matching z1 = q1``; empty where nothing was."""
        found = [f"{a} = {b}" for a, b in self.searched]
        return f"matching {short_list(found)}" if found else ""

    @property
    def setting(self) -> str:
        """How a user tells it: ``z1=q1,z2=q2``."""
        return ",".join(f"{a}={b}" for a, b in self.pairs)

    def order(self, b: System) -> list[int]:
        """Numbers of b's coordinates in a's order."""
        return [b.coordinate_names.index(name) for _, name in self.pairs]

    def translated(self, state: State, b: System) -> State:
        """The state in b's names; parameters that b leaves open keep a's values."""
        names = dict(self.pairs)
        open_in_b = {p.name for p in b.parameters if p.value is None}
        return State(
            state.t,
            {names[n]: x for n, x in state.q.items()},
            {names[n]: x for n, x in state.v.items()},
            {names[n]: x for n, x in state.a.items()},
            {n: x for n, x in state.parameters.items() if n in open_in_b},
        )


def reordered(evaluation: Evaluation, order: list[int], name: str) -> Evaluation:
    """The numbers of an evaluation with its coordinates in another order, under a name of its own."""

    def ordered(values: Mapping[str, Array]) -> dict[str, Array]:
        return {k: x[:, order][:, :, order] if k == "M" else x[:, order] for k, x in values.items()}

    quantities, bounds = ordered(evaluation.quantities), ordered(evaluation.bounds)
    return Evaluation(name, quantities, evaluation.diagnostics, bounds)


def short_list(names: Sequence[str]) -> str:
    """Names for a headline, the first few of many."""
    more = [f"and {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return ", ".join([*names[:MOST_NAMES], *more])


def match(a: System, b: System, told: Mapping[str, str] | None = None) -> Matching:
    """Match the coordinates of two models.

    What is told goes first. Then equal names go together when both move in the same way (turn or shift). The rest is
    searched by structure: what kind it is, how many coordinates stand before it and how many it carries; then by kind
    and order alone.

    Raises
    ------
    NumbersError
        What is told names a coordinate that a model does not have, or one twice.
    """
    pairs = dict(told or {})
    _require_known(pairs, a, b)
    ours, theirs = signatures(a), signatures(b)
    if len(ours) != len(theirs):
        return Matching((), "", f"A has {len(ours)} coordinates, B has {len(theirs)}")
    for kind in ("rotation", "translation"):
        counts = [sum(s[0] == kind for s in found.values()) for found in (ours, theirs)]
        if counts[0] != counts[1]:
            return Matching((), "", f"of A's coordinates {counts[0]} are of {kind}, of B's {counts[1]}")
    free = theirs.keys() - pairs.values()
    for name in ours:
        if name not in pairs and name in free and ours[name][0] == theirs[name][0]:
            pairs[name] = name
    known = set(pairs)
    for length in (3, 1):
        left = [name for name in ours if name not in pairs]
        spare = [name for name in theirs if name not in pairs.values()]
        for name in left:
            same = next((n for n in spare if theirs[n][:length] == ours[name][:length]), None)
            if same is not None:
                pairs[name] = same
                spare.remove(same)
    ways = (
        ("what was told", bool(told)),
        ("name", bool(known - set(told or {})) or not ours),
        ("structure", len(known) < len(ours)),
    )
    by = " and ".join(way for way, used in ways if used)
    matched = tuple((name, pairs[name]) for name in ours)
    return Matching(matched, by, searched=tuple(pair for pair in matched if pair[0] not in known))


def _require_known(told: Mapping[str, str], a: System, b: System) -> None:
    """Raise :class:`NumbersError` where a coordinate that was told is none, or was told twice."""
    findings = []
    for which, system, names in (("A", a, list(told)), ("B", b, list(told.values()))):
        for name in dict.fromkeys(names):
            if name not in system.coordinate_names:
                known = system.coordinate_names
                message = f"{which} has no coordinate {name!r}"
                findings.append(error("--coordinates", message, among(name, known)))
            elif names.count(name) > 1:
                findings.append(
                    error("--coordinates", f"{which}'s coordinate {name} is named twice", "name it once")
                )
    if findings:
        raise NumbersError(findings)


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
        for name in body.modal:
            kinds[name], depth[name] = "mode", len(path)
        before[body.name] = path
    return {name: (kinds[name], depth[name], carried[name]) for name in system.coordinate_names}
