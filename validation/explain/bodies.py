"""Bodies with different inertia: contributions are linear in ten numbers, so every change is one product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count

import numpy as np

from mbconcord.model.body import Armature, Inertia
from mbconcord.model.expressions import ONE, as_expression
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..judge.motion import Array
from ..witnesses.sums.regressor import Regressor, regressor
from .answer import Cause, CauseStep
from .inertia import Terms, changes, together
from .kinematics import resting
from .numbers import QUANTITIES, NumberPair

#: What may be left of a difference, relative to it, where two changes make it together.
LEFT = 1e-9
#: Digits of a number that is read off a difference.
KNOWN = 12


def bodies(
    pair: NumberPair, moved: Sequence[CauseStep], turned: Mapping[str, Terms]
) -> tuple[list[CauseStep], dict[str, float]]:
    """Return changes of joints, and of inertia if needed; if none suffice, each body's share of the difference."""
    *before, last = moved or [CauseStep((Cause("", "", pair.system),))]
    right = [cause for cause in last.causes if pair.equal(cause.system, pair.inertial)]
    if right:
        return [*before, CauseStep(tuple(right))], {}
    shares: dict[str, float] = {}
    for cause in last.causes:
        found, left = _inertia(pair, cause.system, turned)
        shares = shares or left
        if found:
            return [*before, *([CauseStep((cause,))] if moved else []), CauseStep(tuple(found))], {}
    return [], shares


def find_by_weights(pair: NumberPair, system: System, turned: Mapping[str, Terms]) -> list[Cause]:
    """Find changes of one body's inertia that show only in the weights."""
    names = [name for name in QUANTITIES[:3] if name in pair.names]
    gap = pair.gap(system, names)
    by = regressor(pair.kinematics(system), names, pair.units)
    return [t.cause(system) for t in _candidates(system, by, turned) if pair.explains(gap - t.change, gap)]


def armature(pair: NumberPair) -> Cause | None:
    """Return the cause that adds a rotor's inertia, if the only difference is a constant on the diagonal of M."""
    rest = [name for name in pair.names if name != "M"]
    if "M" not in pair.names or not pair.equal(pair.system, rest):
        return None
    more = pair.gap(pair.system, ["M"]).reshape(pair.other.quantities["M"].shape) * pair.units["M"]
    added = np.einsum("sii->si", more)
    off = more - added[:, :, None] * np.eye(more.shape[1])
    if added[0].min() < -LEFT * np.abs(more).max() or not pair.explains(np.append(off, added - added[0]), more):
        return None
    named = zip(pair.system.coordinate_names, added[0].tolist(), strict=True)
    rotors = {name: f"{x:.{KNOWN}g}" for name, x in named if abs(x) > LEFT * np.abs(more).max()}
    taken = {x.name for x in pair.system.armatures}
    new = []
    for name, x in rotors.items():
        own = next(n for n in (f"{name}_rotor{i or ''}" for i in count()) if n not in taken)
        new.append(Armature(own, as_expression(Fraction(x)), {name: ONE}))
    words = ", ".join(f"{float(x):.6g} along {name}" for name, x in rotors.items())
    changed = replace(pair.system, armatures=(*pair.system.armatures, *new))
    return Cause("armatures", f"armature is added: {words}", changed)


def unseen(pair: NumberPair, other: System) -> tuple[str, ...]:
    """Return names of bodies in both models whose inertias differ."""
    k = pair.kinematics(pair.system)
    by = Regressor({}, k)
    theirs = {body.name: body.inertia for body in other.bodies if not body.modal}
    found = []
    for body in pair.system.bodies:
        if body.name in theirs and not body.modal:
            one, two = by.numbers(body.inertia), by.numbers(theirs[body.name])
            if np.abs(one - two).max() > LEFT * np.abs(one).max():
                found.append(body.name)
    return tuple(found)


def _inertia(pair: NumberPair, system: System, turned: Mapping[str, Terms]) -> tuple[list[Cause], dict[str, float]]:
    """Find changes of one or two bodies' inertia that explain the whole difference; else each body's share of it."""
    shares: dict[str, float] = {}
    for names in _groups(pair):
        gap = pair.gap(system, names)
        by = regressor(pair.kinematics(system), names, pair.units)
        tried = [*_candidates(system, by, turned)]
        found = [t.cause(system) for t in tried if pair.explains(gap - t.change, gap)]
        found += pair.fitting(resting(pair, system), system, names)
        found = found or [_both(system, one, other) for one, other in _pairs(tried, gap)]
        if found:
            return found, {}
        shares = shares or _shares(by, gap)
    return [], shares


def _groups(pair: NumberPair) -> list[list[str]]:
    """List groups of quantities to explain: first with gravity, which shows centres of mass; then without it."""
    weights = [[*pair.inertial, "gravity"]] if "gravity" in pair.names else []
    return [*weights, [*pair.inertial]]


@dataclass(frozen=True)
class TriedCause:
    """Changed inertias of some bodies, and their effect on the quantities."""

    words: str
    inertias: tuple[tuple[str, Inertia], ...]
    change: Array

    def cause(self, system: System) -> Cause:
        """Return the cause, with the changed model."""
        return change_inertias(system, self.words, dict(self.inertias))


def change_inertias(system: System, words: str, new: Mapping[str, Inertia]) -> Cause:
    """Return the cause that gives bodies new inertias."""
    changed = tuple(replace(b, inertia=new[b.name]) if b.name in new else b for b in system.bodies)
    return Cause(", ".join(f"bodies/{name}/inertia" for name in new), words, replace(system, bodies=changed))


def _candidates(system: System, by: Regressor, turned: Mapping[str, Terms]) -> Iterator[TriedCause]:
    """Yield all changes of one body's inertia that affect the quantities, with their effects."""
    single = ((words, ((body.name, new),)) for body in system.bodies for words, new in changes(system, body, turned))
    for words, inertias in (*single, *together(system)):
        change = sum((by.change(system.body(name), new) for name, new in inertias), np.zeros(1))
        if np.isfinite(change).all() and change.any():
            yield TriedCause(words, inertias, change)


def _pairs(tried: Sequence[TriedCause], gap: Array) -> Iterator[tuple[TriedCause, TriedCause]]:
    """Yield two changes of different bodies that together explain the difference."""
    whole = np.abs(gap).max(initial=0.0)
    seen = [t for t in tried if np.abs(t.change).max() > LEFT * whole]
    changed = np.stack([t.change for t in seen]) if seen else np.zeros((0, gap.size))
    for i, one in enumerate(seen):
        rest = np.abs(gap - one.change - changed[i + 1 :]).max(axis=1, initial=0.0)
        for j in np.flatnonzero(rest <= LEFT * whole):
            other = seen[i + 1 + int(j)]
            if not {name for name, _ in one.inertias} & {name for name, _ in other.inertias}:
                yield one, other


def _both(system: System, one: TriedCause, other: TriedCause) -> Cause:
    first = one.cause(system)
    second = other.cause(first.system)
    return Cause(f"{first.place}, {second.place}", f"{first.said} and {second.said}", second.system)


def _shares(by: Regressor, gap: Array) -> dict[str, float]:
    """Compute the fraction of the difference that each body's ten numbers can explain: 1 is all of it."""
    whole = float(np.linalg.norm(gap))
    found = {}
    for name, columns in by.columns.items():
        phi = np.linalg.lstsq(columns, gap)[0]
        found[name] = max(0.0, 1.0 - float(np.linalg.norm(gap - columns @ phi)) / whole)
    return found
