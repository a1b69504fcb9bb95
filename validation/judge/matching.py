"""Matching of two models' coordinates: by name, then by structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mbconcord.model.checks.scope import SystemScopes, formulas, used_names
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.expressions import undefined_functions
from mbconcord.model.limits import count
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .freed import find_free_root

#: (turns or shifts, coordinates before it on its path, coordinates that it carries)
Signature = tuple[str, int, int]
#: So many names stand in a headline.
MOST_NAMES = 8


@dataclass(frozen=True)
class Matching:
    """Pairs of coordinates (of a, of b) in a's order, how they were found, and why others are missing.

    A ``reason`` that does not decide leaves open whether they are one machine. ``searched`` has the pairs found neither
    by name nor by the user's mapping; ``is_unique``: no other coordinate of either model has the same structure as one
    of these. ``root`` has the pairs of free roots' coordinates that were matched although their names differ.
    """

    pairs: tuple[tuple[str, str], ...]
    by: str
    reason: str = ""
    searched: tuple[tuple[str, str], ...] = ()
    is_unique: bool = True
    decides: bool = True
    root: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> str:
        """Pairs found by search, in words: ``matching z1 = q1``; empty if none were."""
        found = [f"{a} = {b}" for a, b in self.searched]
        return f"matching {short_list(found)}" if found else ""

    @property
    def setting(self) -> str:
        """Pairs in the form of the user's option: ``z1=q1,z2=q2``."""
        return ",".join(f"{a}={b}" for a, b in self.pairs)

    def order(self, b: System) -> list[int]:
        """Return the numbers of b's coordinates in a's order."""
        return [b.coordinate_names.index(name) for _, name in self.pairs]

    def translate(self, state: State, b: System) -> State:
        """Translate the state to b's names; parameters that b leaves open, and its inputs, keep a's values."""
        names = dict(self.pairs)
        open_in_b = {p.name for p in b.parameters if p.value is None or p.origin == "input"}
        return State(
            state.t,
            {names[n]: x for n, x in state.q.items()},
            {names[n]: x for n, x in state.v.items()},
            {names[n]: x for n, x in state.a.items()},
            {n: x for n, x in state.parameters.items() if n in open_in_b},
        )


def reorder(evaluation: Evaluation, order: list[int], name: str) -> Evaluation:
    """Reorder the coordinates of an evaluation, under a new name."""

    def order_columns(values: Mapping[str, Array]) -> dict[str, Array]:
        return {k: x[:, order][:, :, order] if k == "M" else x[:, order] for k, x in values.items()}

    quantities, bounds = order_columns(evaluation.quantities), order_columns(evaluation.bounds)
    return Evaluation(name, quantities, evaluation.diagnostics, bounds)


def short_list(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Join names for a headline, at most so many; shorten long lists."""
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def match(a: System, b: System, told: Mapping[str, str] | None = None) -> Matching:
    """Match the coordinates of two models.

    The user's pairs come first. Then equal names are paired if both move in the same way (turn or shift). Free roots
    about the same axes are paired whatever their names. The rest is searched by structure: kind, number of preceding
    and number of carried coordinates; then by kind and order alone.

    Raises
    ------
    NumbersError
        The user's pairs have an unknown or repeated coordinate.
    """
    pairs = dict(told or {})
    _require_known(pairs, a, b)
    ours, theirs = signatures(a), signatures(b)
    if len(ours) != len(theirs):
        return Matching((), "", f"A has {count(len(ours), 'coordinate')}, B has {len(theirs)}")
    for kind in ("rotation", "translation"):
        counts = [sum(s[0] == kind for s in found.values()) for found in (ours, theirs)]
        if counts[0] != counts[1]:
            return Matching((), "", f"of A's coordinates {counts[0]} are of {kind}, of B's {counts[1]}")
    free = theirs.keys() - pairs.values()
    for name in ours:
        if name not in pairs and name in free and ours[name][0] == theirs[name][0]:
            pairs[name] = name
    named, root = set(pairs), _match_free_roots(a, b, pairs)
    pairs |= root
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
        ("given names", bool(told)),
        ("name", bool(named - set(told or {})) or not ours),
        ("free root", bool(root)),
        ("structure", len(known) < len(ours)),
    )
    by = " and ".join(way for way, used in ways if used)
    matched = tuple((name, pairs[name]) for name in ours)
    moved = _count_moved(a), _count_moved(b)
    unlike = next((pair for pair in matched if moved[0][pair[0]] != moved[1][pair[1]]), None)
    if unlike is not None:
        first, second = (count[name] for count, name in zip(moved, unlike, strict=True))
        joints = f"A's {unlike[0]} moves {first} joint{'s' * (first != 1)}, B's {unlike[1]} moves {second}"
        why = f"coordinates mean different motions: {joints} (write both in the same coordinates)"
        return Matching((), "", why, decides=False)
    searched = tuple(pair for pair in matched if pair[0] not in known)
    kinds = [[found[pair[side]] for pair in searched] for side, found in enumerate((ours, theirs))]
    is_unique = kinds[0] == kinds[1] and len(set(kinds[0])) == len(kinds[0])
    return Matching(matched, by, "", searched, is_unique, root=tuple(root.items()))


def _match_free_roots(a: System, b: System, known: Mapping[str, str]) -> dict[str, str]:
    """Pair the coordinates of two free roots with the same axes; empty if ``known`` pairs one of them with another."""
    one, other = find_free_root(a), find_free_root(b)
    if not (one and other) or one.axes != other.axes:
        return {}
    pairs = dict(zip(one.coordinates, other.coordinates, strict=True))
    left = {p: q for p, q in pairs.items() if known.get(p) != q}
    return {} if left.keys() & known.keys() or {*left.values()} & {*known.values()} else left


def _require_known(told: Mapping[str, str], a: System, b: System) -> None:
    """Raise :class:`NumbersError` if the user's mapping has an unknown or repeated coordinate."""
    findings = []
    for which, system, names in (("A", a, list(told)), ("B", b, list(told.values()))):
        for name in dict.fromkeys(names):
            if name not in system.coordinate_names:
                known = system.coordinate_names
                message = f"{which} has no coordinate {name!r}"
                findings.append(error("--coordinates", message, among(name, known)))
            elif names.count(name) > 1:
                findings.append(error("--coordinates", f"{which}'s coordinate {name} is named twice", "name it once"))
    if findings:
        raise NumbersError(findings)


def _count_moved(system: System) -> dict[str, int]:
    """Count the transformations that each coordinate moves, its own and those that depend on it by a map."""
    found = dict.fromkeys(system.coordinate_names, 0)
    for body in system.bodies:
        for name in (*(q for et in body.joint for q in et.moving), *body.modal):
            found[name] += 1
    return found


def signatures(system: System) -> Mapping[str, Signature]:
    """Return the signature of every coordinate, in the system's order."""
    before: dict[str | None, list[str]] = {None: []}
    kinds: dict[str, str] = {}
    depth: dict[str, int] = {}
    jointed = {name for body in system.bodies for name in body.coordinates}
    carried = dict.fromkeys(system.coordinate_names, 0)
    for body in system.bodies:
        path = list(before[body.parent])
        for et in body.joint:
            for own in et.moving:
                if own in kinds or (own in jointed and not et.coordinate):
                    continue
                kinds[own], depth[own] = et.kind, len(path)
                for name in path:
                    carried[name] += 1
                path.append(own)
        for name in body.modal:
            kinds[name], depth[name] = "mode", len(path)
        before[body.name] = path
    return {name: (kinds[name], depth[name], carried[name]) for name in system.coordinate_names}


def fill_open_values(system: System, other: System, unlike: Mapping[str, str] | None = None) -> System:
    """Fill parameters and functions that the system leaves open from the other, by name."""
    known = {p.name: p for p in other.parameters if p.value is not None}
    inputs = {p.name for p in other.parameters if p.origin == "input"}
    own = {p.name for p in other.parameters}
    parameters = []
    for p in system.parameters:
        if p.name in inputs and p.origin != "input":
            p = replace(p, origin="input")
        elif p.origin == "input" and p.name not in own:
            p = replace(p, origin="given")  # it is compared where its value is
        value = known[p.name].value if p.value is None and p.name in known else None
        usable = value is not None and value.constant
        parameters.append(replace(p, value=value) if usable else p)
    theirs = {(f.name, len(f.arguments)): f for f in other.functions if f.formula is not None}
    functions = []
    for f in system.functions:
        same = theirs.get(((unlike or {}).get(f.name, f.name), len(f.arguments)))
        functions.append(replace(same, name=f.name) if f.formula is None and same else f)
    return replace(system, parameters=tuple(parameters), functions=tuple(functions))


def names_that_decide(a: System, b: System) -> Iterator[str]:
    """Yield conditions on names whose values decide whether two models are the same machine.

    The names are those of parameters and functions without value in one model only, and of inputs of one model only.
    """
    sides = (("A", a, "B", b), ("B", b, "A", a))
    for one, system, other, second in sides:
        values = {p.name: p for p in second.parameters}
        formulas_of = {f.name: f for f in second.functions}
        used = used_names(system)
        called = undefined_functions([x for _, group, _ in formulas(SystemScopes(system)) for x in group])
        for p in system.parameters:
            same = values.get(p.name)
            if p.name not in used:
                continue
            if p.value is None and same is not None and same.value is not None:
                yield f"{p.name} is open in {one} and {same.value} in {other}"
            if p.origin == "input" and same is None:
                yield f"{p.name} is an input of {one} only, compared where it is {p.value}"
        for f in system.functions:
            theirs = formulas_of.get(f.name)
            if f.formula is None and f.name in called and theirs is not None and theirs.formula is not None:
                yield f"{f.name} is open in {one} and {theirs.formula} in {other}"


def unlike_functions(a: System, b: System) -> dict[str, str]:
    """Pair functions without a formula that only B has with such functions that only A has, in order.

    Whether they are the same functions is unknown: agreement with one formula for both is no evidence.
    """
    ours, theirs = _open_functions(a), _open_functions(b)
    left = {name: count for name, count in ours.items() if name not in {f.name for f in b.functions}}
    pairs: dict[str, str] = {}
    for name, size in theirs.items():
        if name in {f.name for f in a.functions}:
            continue
        same = next((n for n, c in left.items() if c == size), None)
        if same is not None:
            pairs[name] = same
            del left[same]
    return pairs


def _open_functions(system: System) -> dict[str, int]:
    """Map functions without a formula that the model uses to their numbers of arguments, in order."""
    used = undefined_functions([x for _, group, _ in formulas(SystemScopes(system)) for x in group])
    return {f.name: len(f.arguments) for f in system.functions if f.formula is None and f.name in used}
