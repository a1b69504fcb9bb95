"""Faults of all bodies at once: what converters drop, add or make anew, found by comparing two models' fields.

A rule changes masses and tensors of every body of one model; the rule that leaves the fewest fields different is kept.
Other patterns are read off from bodies by name: those with mass in only one model, those that only one model has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import pi

import numpy as np

from ..judge.matching import short_list
from ..judge.motion import Array
from ..judge.progress import checkpoint
from .fields import Change, FieldLine, of_a, with_laws, with_pulls, write_pair
from .groups import COUNTED, LAWS, NEAR, Groups, Part, differs, measure_length, place_inertia

#: So many rules are tried on top of each other; each lowers the number of different fields by two, and by this part.
MOST_RULES, FEWER = 3, 0.1
#: Density (kg/m³) that converters give shapes.
DENSITY = 1000.0
#: So many bodies or coordinates are named.
MOST_NAMES = 6


Frames = Mapping[str, Array]


def find_systematic(a: Groups, b: Groups, frames: tuple[Frames, Frames] = ({}, {})) -> list[Change]:
    """Return changes, each of which makes many fields equal, in the order in which they are made.

    ``frames``, for A and for B: body -> rotation of its inertial frame, for bodies in which this frame is turned.
    """
    found: list[Change] = []

    def read_off(patterns: Callable[[Groups, Groups], Iterator[Change]]) -> None:
        nonlocal a, b
        for change in patterns(a, b):
            checkpoint()
            one, other = change.apply(a, b)
            if count_unlike(one, other) + _count_lone(one, other) < count_unlike(a, b) + _count_lone(a, b):
                found.append(change)
                a, b = one, other

    read_off(_find_given_inertias)
    read_off(_alone)
    for _ in range(MOST_RULES):
        checkpoint()
        count = count_unlike(a, b)
        tried = [(count_unlike(*change.apply(a, b)), k, change) for k, change in enumerate(_rules(a, b, frames))]
        best = min(tried, default=None, key=lambda item: item[:2])
        if best is None or best[0] > count - max(2, FEWER * count):
            break
        found.append(best[2])
        a, b = best[2].apply(a, b)
    read_off(_laws)
    read_off(_pulls)
    return found


def count_unlike(a: Groups, b: Groups) -> int:
    """Count differing masses, centres, tensors and laws: of single bodies if names are equal, else of groups."""
    length = NEAR * max(measure_length(a), measure_length(b))
    count = sum(differs(x, y) for x, y in zip(a.laws.ravel(), b.laws.ravel(), strict=True))
    for i in range(len(a.names)):
        ours, theirs = ({x.name: x for x in g.parts[i] if x.mass or x.tensor.any()} for g in (a, b))
        if ours.keys() == theirs.keys():
            pairs = [(place_inertia(ours[name]), place_inertia(theirs[name])) for name in ours]
        else:
            pairs = [((a.mass[i], a.centre[i], a.tensor[i]), (b.mass[i], b.centre[i], b.tensor[i]))]
        for (m, c, J), (n, d, K) in pairs:
            count += differs(m, n) + bool(m and n and differs(c, d, length)) + differs(J, K)
    return int(count)


def _count_lone(a: Groups, b: Groups) -> int:
    """Count forces that only one model has."""
    ours, theirs = ({pull.name for pull in g.pulls} for g in (a, b))
    return len(ours ^ theirs)


def _rules(a: Groups, b: Groups, frames: tuple[Frames, Frames]) -> Iterator[Change]:
    """Yield changes of all bodies of A, or of B, each of which repeats there what may have been done to the other."""
    root = _root(a), _root(b)

    def write(x: Part, own: Frames, change: Callable[[Array], Array]) -> Part:
        R = own.get(x.name, np.eye(3))
        return replace(x, tensor=R @ change(R.T @ x.tensor @ R) @ R.T)

    rules: list[tuple[str, Callable[..., Part]]] = [
        ("products of inertia", lambda x, own: write(x, own, lambda J: np.diag(np.diag(J)))),
        ("sign of the products of inertia", lambda x, own: write(x, own, lambda J: 2 * np.diag(np.diag(J)) - J)),
        ("turns of inertial frames", _turn_back),
        ("tensors of bodies without mass", lambda x, own: x if x.mass else replace(x, tensor=np.zeros((3, 3)))),
        ("tensors", lambda x, own: replace(x, tensor=np.zeros((3, 3)))),
        ("offsets of centres of mass", lambda x, own: replace(x, centre=np.zeros(3))),
    ]
    for name, given in rules:
        for which, groups, own in (("B", a, frames[0]), ("A", b, frames[1])):
            rule = partial(given, own=own)
            changed = [x.name for x in groups.parts_by_name.values() if not _same(x, rule(x))]
            if changed:
                sign = name.startswith("sign")
                said = f"{name} of {_count(changed, 'body', 'bodies')} {'turned' if sign else 'dropped'} in {which}"
                yield _of_side(which, [FieldLine(said, "")], partial(Groups.with_parts, change=rule))
    yield from _scales(a, b)
    for which, groups, other in (("B", a, b), ("A", b, a)):
        least, raised = _floor(groups, other)
        if raised:
            said = f"moments of {_count(raised, 'body', 'bodies')} raised to {least:.6g} kg m² in {which}"
            floor = partial(_raise, least=least)
            yield _of_side(which, [FieldLine(said, "")], partial(Groups.with_parts, change=floor))
    for which, name in (("B", root[0]), ("A", root[1])):
        groups = a if which == "B" else b
        if name and groups.parts_by_name[name].mass:
            mass = groups.parts_by_name[name].mass
            said = f"the inertial of the root, {name}, dropped in {which} ({mass:.6g} kg)"
            bare = partial(_bare_if, name=name)
            yield _of_side(which, [FieldLine(said, "")], partial(Groups.with_parts, change=bare))


def _turn_back(part: Part, own: Frames) -> Part:
    """Return the body with its tensor's numbers in the inertial frame taken as numbers in the body's own axes."""
    R = own.get(part.name, np.eye(3))
    return replace(part, tensor=R.T @ part.tensor @ R)


def _scales(a: Groups, b: Groups) -> Iterator[Change]:
    """Yield changes that multiply masses, centres or tensors of all bodies of A by the same factor."""
    for words, names in (
        ("masses and tensors", ("mass", "tensor")), ("masses", ("mass",)), ("tensors", ("tensor",)),
        ("centres of mass", ("centre",)),
    ):  # fmt: skip
        ours, theirs = (
            {n: np.hstack([np.ravel(getattr(x, name)) for name in names]) for n, x in g.parts_by_name.items()}
            for g in (a, b)
        )
        both = [n for n, x in ours.items() if x.any() and n in theirs and theirs[n].any()]
        factor = _find_factor([(ours[n], theirs[n]) for n in both])
        if factor is None:
            continue

        def change(x: Part, names: tuple[str, ...] = names, factor: float = factor) -> Part:
            return replace(x, **{name: factor * getattr(x, name) for name in names})

        said = f"{words} of {_count(both, 'body', 'bodies')} {_say_factor(factor)}"
        yield _of_side("B", [FieldLine(said, "")], partial(Groups.with_parts, change=change))


def _find_factor(pairs: Sequence[tuple[Array, Array]]) -> float | None:
    """Return the common factor of two or more pairs of arrays; None if there is none, or if it is 1."""
    x, y = max(pairs, key=lambda pair: float(pair[0] @ pair[0]), default=(np.zeros(1), np.zeros(1)))
    factor = float(x @ y / (x @ x)) if x.any() else 0.0
    alike = len(pairs) > 1 and not any(differs(factor * one, other) for one, other in pairs)
    return factor if alike and factor and differs(factor, 1.0) else None


def _say_factor(factor: float) -> str:
    """Write by which factor one model's numbers are larger."""
    return f"times {factor:.6g} in B" if abs(factor) > 1 else f"times {1 / factor:.6g} in A"


def _floor(groups: Groups, other: Groups) -> tuple[float, list[str]]:
    """Return the least moment in ``other`` of bodies enlarged there, and bodies of ``groups`` with moments below it."""
    pairs = [(x, other.parts_by_name[n]) for n, x in groups.parts_by_name.items() if n in other.parts_by_name]
    grown = [y for x, y in pairs if x.tensor.any() and np.trace(y.tensor) > (1 + COUNTED) * np.trace(x.tensor)]
    least = min((float(np.linalg.eigvalsh(y.tensor)[0]) for y in grown), default=0.0)
    return least, [x.name for x, _ in pairs if x.tensor.any() and not _same(x, _raise(x, least))] if least > 0 else []


def _raise(part: Part, least: float) -> Part:
    """Return the body with principal moments raised to at least ``least``."""
    if not part.tensor.any():
        return part
    moments, axes = np.linalg.eigh(part.tensor)
    return replace(part, tensor=axes @ np.diag(np.maximum(moments, least)) @ axes.T)


def _of_side(which: str, lines: Sequence[FieldLine], change: Callable[[Groups], Groups]) -> Change:
    """Return a change that repeats in one model what happened in the other: in A if ``which`` is "B", else in B."""
    if which == "B":
        return Change(tuple(lines), lambda a, b: (change(a), b))
    return Change(tuple(lines), lambda a, b: (a, change(b)))


def _bare_if(part: Part, name: str) -> Part:
    """Return the part without inertia if it has this name."""
    if part.name != name:
        return part
    return replace(part, mass=0.0, centre=np.zeros(3), tensor=np.zeros((3, 3)))


def _same(x: Part, y: Part) -> bool:
    return not (
        differs(x.mass, y.mass) or differs(x.tensor, y.tensor) or (x.mass and np.abs(x.centre - y.centre).any())
    )


def _root(groups: Groups) -> str:
    """Return the name of the body carried by the first six coordinates, one after another; empty if there is none."""
    line = groups.joints.parents[:6] == tuple(range(-1, 5)) and not any(groups.parts[:5])
    return groups.parts[5][0].name if line and groups.parts[5] else ""


def _count(names: Sequence[str], one: str, many: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"


def _key(part: Part) -> tuple[str, ...]:
    """Return mass and principal moments in the digits by which bodies are grouped."""
    return (f"{part.mass:.6g}", *(f"{x:.6g}" for x in np.linalg.eigvalsh(part.tensor)))


def _find_given_inertias(a: Groups, b: Groups) -> Iterator[Change]:
    """Yield changes for bodies without inertia in one model that all have one and the same inertia in the other."""
    roots = {_root(a), _root(b)}  # whose inertial is dropped by a rule
    for which, groups, other in (("A", a, b), ("B", b, a)):
        made: dict[tuple[str, ...], list[str]] = {}
        for name, part in groups.parts_by_name.items():
            same = other.parts_by_name.get(name)
            if (
                same
                and name not in roots
                and not part.mass
                and not part.tensor.any()
                and (same.mass or same.tensor.any())
            ):
                made.setdefault(_key(same), []).append(name)
        for (mass, *moments), names in made.items():
            having = "B" if which == "A" else "A"
            shape = _shape(other.parts_by_name[names[0]])
            said = (
                f"{_count(names, 'body', 'bodies')} without inertia in {which} {'has' if len(names) == 1 else 'have'} "
                f"{mass} kg and {' '.join(moments)} kg m² in {having}{shape}: {short_list(names, MOST_NAMES)}"
            )
            yield _of_side(having, [FieldLine(said, "")], _taking(names, other))


def _taking(names: Sequence[str], other: Groups) -> Callable[[Groups], Groups]:
    """Return the change that gives bodies of these names their inertia in the other model."""
    new = other.parts_by_name
    return lambda x: x.with_parts(lambda p: new[p.name] if p.name in names else p)


def _alone(a: Groups, b: Groups) -> Iterator[Change]:
    """Yield changes that add bodies with inertia to the model that lacks them, if its own all occur in the other."""
    for which, groups, other in (("B", b, a), ("A", a, b)):
        heavy = {n for n, x in other.parts_by_name.items() if x.mass or x.tensor.any()}
        if not heavy <= groups.parts_by_name.keys():
            continue
        made: dict[tuple[str, ...], list[tuple[int, Part]]] = {}
        for i, own in enumerate(groups.parts[:-1]):
            for part in own:
                if part.name not in other.parts_by_name and (part.mass or part.tensor.any()):
                    made.setdefault(_key(part), []).append((i, part))
        for (mass, *moments), placed in made.items():
            names = [part.name for _, part in placed]
            what = f"{mass} kg and {' '.join(moments)} kg m²"
            said = f"{_count(names, 'body', 'bodies')} of {what} in {which} alone: {short_list(names, MOST_NAMES)}"
            yield _of_side(which, [FieldLine(said, "")], _adding(placed))


def _adding(placed: Sequence[tuple[int, Part]]) -> Callable[[Groups], Groups]:
    """Return the change that adds bodies to groups, given by number of the group and body."""

    def change(groups: Groups) -> Groups:
        parts = [list(own) for own in groups.parts]
        for i, part in placed:
            parts[i].append(part)
        return replace(groups, parts=tuple(map(tuple, parts))).with_parts(lambda p: p)

    return change


def _laws(a: Groups, b: Groups) -> Iterator[Change]:
    """Yield changes of a law that differs at several joints: dropped, made equal, multiplied or increased alike."""
    for k, law in enumerate(LAWS):
        unlike = [i for i in range(len(a.names)) if differs(a.laws[i, k], b.laws[i, k])]
        if len(unlike) < 2:
            continue
        x, y = a.laws[unlike, k], b.laws[unlike, k]
        names = short_list([a.names[i] for i in unlike], MOST_NAMES)
        sides = ("B", y, b.laws[:, k]), ("A", x, a.laws[:, k])
        said = next((f"dropped in {which}" for which, _, whole in sides if not whole.any()), "")
        for which, own, _ in sides:
            if not said and not differs(own, np.full_like(own, own[0])):
                said = f"is {own[0]:.6g} in {which}"
        if not said:
            factor, grown = _find_factor([*zip(x[:, None], y[:, None], strict=True)]), y - x
            if factor is not None:
                said = _say_factor(factor)
            elif not differs(grown, np.full_like(grown, grown[0])):
                said = f"{abs(grown[0]):.6g} larger in {'B' if grown[0] > 0 else 'A'}"
        if said:
            line = FieldLine(f"{law} of {len(unlike)} joints {said}: {names}", "", _range(x), _range(y))
            yield of_a([line], with_laws(unlike, k))


def _range(values: Array) -> str:
    if not differs(values, np.full_like(values, values[0])):
        return f"{values[0]:.6g}"
    return " to ".join(write_pair(values.min(), values.max()))


def _pulls(a: Groups, b: Groups) -> Iterator[Change]:
    """Yield changes for forces at two or more bodies that only one model has, such as gravity compensation."""
    ours, theirs = ({pull.name for pull in g.pulls} for g in (a, b))
    for which, names in (("B", ours - theirs), ("A", theirs - ours)):
        gravity = sorted(n for n in names if n.endswith("_gravcomp"))
        rest = sorted(names - set(gravity))
        for what, own in (("gravity compensation", gravity), ("force", rest)):
            if len(own) > 1 or (own and what != "force"):
                said = f"{what} of {_count(own, 'body', 'bodies')} dropped in {which}: {short_list(own, MOST_NAMES)}"
                yield of_a([FieldLine(said, "")], with_pulls(own))


def _shape(part: Part) -> str:
    """Name the shape that has this inertia at 1000 kg/m³; empty if no shape has."""
    if part.mass <= 0:
        return ""
    m, volume = part.mass, part.mass / DENSITY
    moments = np.linalg.eigvalsh(part.tensor)
    if moments[0] <= 0:
        return ""
    shapes = [
        (f"a sphere of radius {r:.4g} m", 4 / 3 * pi * r**3)
        for r in [np.sqrt(2.5 * moments[0] / m)]
        if not differs(moments, moments[:1] * np.ones(3))
    ]
    for axis, across in ((moments[2], moments[:2]), (moments[0], moments[1:])):
        if not differs(across, across[:1] * np.ones(2)):
            r = np.sqrt(2 * axis / m)
            h2 = 12 * across[0] / m - 3 * r**2
            if h2 > 0:
                shapes.append((f"a cylinder of radius {r:.4g} and length {np.sqrt(h2):.4g} m", pi * r**2 * np.sqrt(h2)))
    squares = [6 * (sum(moments) - 2 * x) / m for x in moments]
    if min(squares) > 0:
        sides = np.sqrt(squares)
        shapes.append((f"a box of {' × '.join(f'{x:.4g}' for x in sorted(sides))} m", float(np.prod(sides))))
    for said, own in shapes:
        if not differs(np.array(own), np.array(volume)):
            return f", those of {said} at {DENSITY:.0f} kg/m³"
    return ""
