"""What a verdict leaves out of account: omissions of the models, what of them was accepted beforehand, and where two
models leave out different things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.omission import Omission, acting, counted
from mbconcord.model.system import System

#: How much of a text is shown where two differ.
_SHOWN: Final = 60


@dataclass(frozen=True)
class LeftOut:
    """What acts, or may act, on the motion and no verdict covers.

    Attributes
    ----------
    omissions : tuple of Omission
    accepted : mapping or None
        How many of which kind the user said beforehand that there are; None: nothing was said.
    """

    omissions: tuple[Omission, ...] = ()
    accepted: Mapping[str, int] | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind act, or may act, on the motion."""
        return acting(self.omissions)

    @property
    def words(self) -> str:
        """The counts in words: ``19 contacts, 1 bushing``."""
        return counted(self.counts)

    @property
    def stands(self) -> bool:
        """Whether nothing is left out, or exactly what was accepted."""
        return self.counts == dict(self.accepted or {})

    def said(self) -> str:
        """Whether it was accepted; empty where nothing is left out and nothing was accepted."""
        found = f"found {self.words or 'none'}"
        if not self.accepted:
            options = ",".join(f"{kind}={n}" for kind, n in self.counts.items())
            return f"not accepted (to accept: --accept-omissions {options})" if options else ""
        return "accepted" if self.stands else f"not accepted: {found}, accepted {counted(self.accepted)}"

    def to_json(self) -> dict[str, Any]:
        """Keys of the results of ``check`` and ``compare``."""
        return {
            "omissions": [omission.to_json() for omission in self.omissions],
            "left_out": self.counts,
            "accepted": None if self.accepted is None else dict(self.accepted),
            "stands": self.stands,
        }


@dataclass(frozen=True)
class Difference:
    """Something that two models leave out differently: what stands in each, None where it leaves out nothing."""

    place: str
    kind: str
    first: str | None
    second: str | None
    acts: bool

    def __str__(self) -> str:
        if self.first is None or self.second is None:
            return f"{self.place}: left out of {'B' if self.first is None else 'A'} only"
        return f"{self.place}: {self.first} in A, {self.second} in B"

    def to_json(self) -> dict[str, Any]:
        """The form of ``compare --json``."""
        return {
            "place": self.place, "kind": self.kind, "a": self.first, "b": self.second, "acts": self.acts,
        }  # fmt: skip


def differences(a: System, b: System) -> tuple[Difference, ...]:
    """What two models leave out differently.

    Things of one place and kind are compared, in order: their texts, and the values of the parameters that these
    use.
    """
    groups: dict[tuple[str, str], tuple[list[Omission], list[Omission]]] = defaultdict(lambda: ([], []))
    for side, system in enumerate((a, b)):
        for omission in system.omissions:
            groups[omission.place, omission.kind][side].append(omission)
    found: list[Difference] = []
    for (place, kind), (ours, theirs) in groups.items():
        for x, y in zip_longest(ours, theirs):
            acts = any(o.acts for o in (x, y) if o is not None)
            if x is None or y is None:
                found.append(Difference(place, kind, x.what if x else None, y.what if y else None, acts))
            else:
                found += (Difference(place, kind, *pair, acts) for pair in _pairs(x, y, a, b))
    return tuple(found)


def _pairs(x: Omission, y: Omission, a: System, b: System) -> Iterator[tuple[str, str]]:
    """What differs between two omissions of one place and kind."""
    if x.what != y.what:
        yield _excerpts(x.what, y.what)
    elif x.effect != y.effect:
        yield f"effect {x.effect}", f"effect {y.effect}"
    ours, theirs = _used(x.parameters, a), _used(y.parameters, b)
    for name in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(name), theirs.get(name)
        if one is not None and other is not None and one is not other:
            yield f"{name} = {one}", f"{name} = {other}"


def _used(names: Iterable[str], system: System) -> dict[str, Expression | None]:
    """The parameters of these names and those that their formulas use; without one of no model."""
    values = {p.name: p.value for p in system.parameters}
    found: dict[str, Expression | None] = {}
    pending = [name for name in names if name in values]
    while pending:
        name = pending.pop(0)
        if name not in found:
            value = found[name] = values[name]
            pending += sorted(symbols([value]) & values.keys()) if value is not None else []
    return found


def _excerpts(one: str, other: str) -> tuple[str, str]:
    """Where two texts differ: from the beginning of the first statement that does."""
    at = next(
        (i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other))
    )
    begin = max(one.rfind(";", 0, at) + 1, at - _SHOWN // 2)
    return _shown(one[begin:]), _shown(other[begin:])


def _shown(text: str) -> str:
    first = text.strip().partition(";")[0]
    return repr(first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…")
