"""Scalars at random points of prime fields: those of a derivation, and what is computed from them there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, Point, Sample, Size, Value
from mbconcord.model.expressions.field.sizes import largest
from mbconcord.model.expressions.field.taint import MANY, POLE

from ..exactness import Exactness


@dataclass(frozen=True)
class Scalars:
    """Some scalars at every point of a sample, for every choice of signs there.

    Attributes
    ----------
    values : run -> the scalars there
    places : of every scalar, the steps of the plan that it is computed from
    size : none of them is larger
    missing : why they have no value; empty where they have
    """

    values: tuple[tuple[Value, ...], ...]
    places: tuple[tuple[int, ...], ...]
    size: Size
    missing: str = ""

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, part: slice) -> Scalars:
        return Scalars(tuple(v[part] for v in self.values), self.places[part], self.size, self.missing)

    @property
    def below(self) -> tuple[int, ...]:
        """All steps that they are computed from."""
        return tuple(dict.fromkeys(chain.from_iterable(dict.fromkeys(self.places))))


class Points:
    """A sample, run by run: every point with every choice of signs."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.turns = [k for k, (_, patterns) in enumerate(sample.runs) for _ in patterns]

    def __iter__(self) -> Iterator[tuple[Point, Sequence[Value]]]:
        return ((point, values) for point, patterns in self.sample.runs for values in patterns)

    def of(self, places: Sequence[int]) -> Scalars:
        """Steps of the plan."""
        values = tuple(tuple([run[i] for i in places]) for _, run in self)
        return Scalars(values, tuple((i,) for i in places), largest(map(self.sample.sizes.of, set(places))))

    def computed(
        self,
        function: Callable[..., Sequence[Value] | None],
        parts: Sequence[Scalars],
        size: Size,
        missing: str = "",
    ) -> Scalars:
        """Scalars of others: ``function(point, *parts)`` at every run.

        None of it: they have no value, and ``missing`` says why.
        """
        below = tuple(dict.fromkeys(chain.from_iterable(part.below for part in parts)))
        absent = next((part.missing for part in parts if part.missing), "")
        found: list[tuple[Value, ...]] = []
        for k, (point, _) in enumerate(() if absent else self):
            values = function(point, *(part.values[k] for part in parts))
            if values is None:
                return Scalars((), (below,), size, missing)
            found.append(tuple(values))
        return Scalars(tuple(found), (below,) * (len(found[0]) if found else 1), size, absent)

    def symbols(self, drawn: Callable[[Point], Iterable[Value]]) -> Scalars:
        """Random values of symbols: ``drawn(point)`` at every run."""
        values = tuple(tuple(drawn(point)) for point, _ in self)
        return Scalars(values, ((),) * len(values[0]), Size(1.0, 0.0, 0.0))

    def compared(self, x: Scalars, y: Scalars, names: Sequence[tuple[str, ...]]) -> Exactness:
        """Whether they are the same; ``names`` are those of the entries."""
        why = x.missing or y.missing
        if why:
            return Exactness("undecided", why)
        if len(x) != len(y):
            return Exactness("differs", f"{len(x)} and {len(y)} numbers")
        size = x.size - y.size
        if x.values == y.values:
            below = (*x.below, *y.below)
            if not {POLE, MANY} & self.sample.taint.of(below).keys():
                verdict = self.sample.judged([{True}], below, size)
                assert verdict.chance is not None
                return Exactness("identical", log2=verdict.chance.log2)
        return self._by_entry(x, y, names, size)

    def _by_entry(self, x: Scalars, y: Scalars, names: Sequence[tuple[str, ...]], size: Size) -> Exactness:
        """The first entry that differs, else the first that is undecided."""
        found: Exactness | None = None
        worst = float("-inf")
        for i, name in enumerate(names):
            equal: list[set[bool]] = [set() for _ in self.sample.runs]
            for turn, a, b in zip(self.turns, x.values, y.values, strict=True):
                equal[turn].add(a[i] == b[i])
            verdict = self.sample.judged(equal, (*x.places[i], *y.places[i]), size)
            if verdict.kind == DIFFERS:
                return Exactness("differs", entry=name)
            if verdict.kind == IDENTICAL:
                assert verdict.chance is not None
                worst = max(worst, verdict.chance.log2)
            elif found is None:
                found = Exactness("undecided", verdict.reason, name)
        return found or Exactness("identical", log2=worst)


def sides(found: Mapping[str, Scalars]) -> str:
    """Which of several give the same, where most do: ``a, b and c stand against d``; else empty."""
    groups: dict[object, list[str]] = {}
    for name, own in found.items():
        if not own.missing:
            groups.setdefault(own.values, []).append(name)
    most = max(groups.values(), key=len, default=[])
    others = [name for group in groups.values() if group is not most for name in group]
    if not 1 < len(most) > len(others):
        return ""
    return f"{', '.join(most[:-1])} and {most[-1]} stand against {', '.join(others)}"
