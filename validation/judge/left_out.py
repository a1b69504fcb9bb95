"""Omissions that a verdict excludes: those of the models, those accepted beforehand, and differences between two
models.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.omission import (
    ASSUMED,
    PASSED,
    REACHED,
    Omission,
    acting,
    count_kinds,
    find_reached,
    format_acting,
    format_counts,
    format_without,
    split_assumed,
    with_reached,
)
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

#: Shapes touch planes, which their gaps tell of, and each other, which nothing does.
SHAPE: Final = "collision-shape"
#: How much of a text is shown where two differ.
_SHOWN: Final = 60
#: Kinds whose texts hold numbers and words of the format, and no name, of which ``1`` and ``1.0`` would be two.
NAMELESS: Final = frozenset({"joint-limit", "joint-friction", "joint-damping", "joint-spring", "medium"})
_NUMERAL: Final = re.compile(r"(?<![\w.+-])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)


@dataclass(frozen=True)
class LeftOut:
    """Omissions that act, or may act, on the motion and are not covered by any verdict.

    Attributes
    ----------
    omissions : tuple of Omission
    accepted : mapping or None
        Kind of omission -> number of them that the user accepted beforehand; None: the user stated nothing.
    quantities : tuple of str
        Names of the printed quantities; empty: all quantities that depend on the motion.
    since : mapping
        Place of an omission that the states reach -> the first instant, s, at which they do; None without time.
    watched : bool
        True if it was determined which omissions with gaps the states reach: only those in ``since`` act then.
    """

    omissions: tuple[Omission, ...] = ()
    accepted: Mapping[str, int] | None = None
    quantities: tuple[str, ...] = ()
    since: Mapping[str, float | None] = field(default_factory=dict)
    watched: bool = False

    @classmethod
    def at_states(
        cls,
        system: System,
        values: Mapping[str, Any],
        quantities: tuple[str, ...] = (),
        times: Sequence[float] | None = None,
        passed: float = PASSED,
    ) -> LeftOut:
        """Return the omissions of numbers at states, ``values`` (N,) of symbols; omissions that states reach act."""
        from mbconcord.model.numbers import watched  # not before: a check has no need of it

        omissions, values = watched(system, values)
        reached = find_reached(omissions, values, passed)
        return cls.from_motion(
            omissions, {i: None if times is None else float(times[k]) for i, k in reached.items()}, quantities
        )

    @classmethod
    def from_motion(
        cls, omissions: tuple[Omission, ...], reached: Mapping[int, float | None], quantities: tuple[str, ...] = ()
    ) -> LeftOut:
        """Return the omissions of a motion; ``reached``: index of an omission -> first instant of reaching it."""
        since = {omissions[i].place: t for i, t in reached.items()}
        return cls(with_reached(omissions, reached), None, quantities, since, True)

    @property
    def conditional(self) -> dict[str, int]:
        """Kind -> number of omissions that act on the quantities if the motion reaches them, which is unknown."""
        asked = self.quantities
        return count_kinds(
            o for o in self.omissions
            if o.kind in REACHED and not o.acts and not (self.watched and o.gaps and o.kind != SHAPE)
            and (not asked or any(map(replace(o, effect="forces").acts_on, asked)))
        )  # fmt: skip

    @property
    def touching(self) -> tuple[Omission, ...]:
        """Omissions that act, or may act, on one of ``quantities``, or on the motion if that is empty."""
        asked = self.quantities
        return tuple(o for o in self.omissions if o.acts and (not asked or any(map(o.acts_on, asked))))

    @property
    def counts(self) -> dict[str, int]:
        """Kind -> number of omissions that act, or may act, on the motion."""
        return acting(self.omissions)

    @property
    def words(self) -> str:
        """The counts in words: ``19 contacts, 1 bushing``."""
        return format_acting(self.omissions)

    @property
    def without(self) -> str:
        """Phrase for a line: ``without 19 contacts`` that act on the quantities; empty where nothing does."""
        return format_without(self.touching)

    @property
    def title(self) -> str:
        """Title of the list of omissions that act on the quantities: left out, or replaced by an assumed law."""
        left_out, assumed = split_assumed(self.touching)
        return f"left out of the model{', or assumed' if assumed else ''}" if left_out or not assumed else "assumed"

    @property
    def stands(self) -> bool:
        """True if no omission acts on the quantities, or only exactly the accepted ones; assumed laws never are."""
        known, counts = dict(self.accepted or {}), self.counts
        reachable = count_kinds(o for o in self.omissions if o.kind in REACHED)
        accepted = all(
            counts.get(kind, 0) <= known.get(kind, 0) <= max(counts.get(kind, 0), reachable.get(kind, 0))
            for kind in {*known, *counts}
        )
        return accepted or bool(self.quantities and not self.touching)

    @property
    def option(self) -> str:
        """Command-line option that accepts the omissions; empty if there are none."""
        counts = ",".join(f"{kind}={n}" for kind, n in self.counts.items() if kind not in ASSUMED)
        return f"--accept-omissions {counts}" if counts else ""

    def describe_acceptance(self) -> str:
        """Say whether the omissions were accepted; empty if there are neither omissions nor accepted ones."""
        found = f"found {self.words or 'none'}"
        if not self.accepted:
            never = "; an assumed law is never accepted" if split_assumed(self.omissions)[1] else ""
            return f"not accepted (to accept: {self.option}{never})" if self.option else ""
        return "accepted" if self.stands else f"not accepted: {found}, accepted {format_counts(self.accepted)}"

    @property
    def sentence(self) -> str:
        """Line for the head of printed equations, without names of the model; empty where nothing acts on them."""
        words, assumed = map(format_acting, split_assumed(self.touching))
        acts = words and f"left out of the model, although it acts on what stands here: {words}"
        return "; ".join(filter(None, (acts, assumed, self.condition)))

    @property
    def condition(self) -> str:
        """Line about omissions that act only where the motion reaches them; empty if there are none."""
        conditional = self.conditional
        floors = sum(bool(o.gaps) for o in self.omissions if o.kind == SHAPE and not o.acts)
        seen = f"of the shapes {floors} watched against planes, none against each other"
        how = f" ({seen if floors else 'no shape is watched'})" if self.watched and SHAPE in conditional else ""
        said = f"holds where nothing of this is reached, which is left out too: {format_counts(conditional)}{how}"
        return said if conditional else ""

    def head(self) -> dict[str, Any]:
        """Return the JSON keys that commands which print numbers add; empty if no omission acts on these."""
        touching, conditional = self.touching, self.conditional
        found = self.to_json() | {"omissions": [o.to_json() for o in touching]} if touching else {}
        if since := {o.place: self.since[o.place] for o in touching if o.place in self.since}:
            found["passed_at"] = since
        return found | ({"where_reached": conditional} if conditional else {})

    def to_json(self) -> dict[str, Any]:
        """Return the JSON keys that ``check`` and ``compare`` add."""
        return {
            "omissions": [omission.to_json() for omission in self.omissions],
            "left_out": self.counts,
            "accepted": None if self.accepted is None else dict(self.accepted),
            "stands": self.stands,
        }


@dataclass(frozen=True)
class OmissionDifference:
    """A difference of two models' omissions: the text in each, None for the one without omission.

    ``moved``: the texts are equal, but the frames that they refer to differ, so the elements are not the same.
    """

    place: str
    kind: str
    first: str | None
    second: str | None
    acts: bool
    moved: bool = False

    @property
    def is_alone(self) -> bool:
        """True if one of the models has no such omission."""
        return self.first is None or self.second is None

    def __str__(self) -> str:
        if self.is_alone:
            return f"{self.place}: left out of {'B' if self.first is None else 'A'} only"
        return f"{self.place}: {self.first} in A, {self.second} in B"

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --json``."""
        return {"place": self.place, "kind": self.kind, "a": self.first, "b": self.second, "acts": self.acts}


def differences(a: System, b: System) -> tuple[OmissionDifference, ...]:
    """List the differences between the omissions of two models.

    Omissions of one place and kind are compared in order: their texts, and values of parameters that these use.
    """
    groups: dict[tuple[str, str], tuple[list[Omission], list[Omission]]] = defaultdict(lambda: ([], []))
    for side, system in enumerate((a, b)):
        for omission in system.omissions:
            groups[omission.place, omission.kind][side].append(omission)
    found: list[OmissionDifference] = []
    for (place, kind), (ours, theirs) in groups.items():
        for x, y in zip_longest(ours, theirs):
            acts = any(o.acts for o in (x, y) if o is not None)
            if x is None or y is None:
                found.append(OmissionDifference(place, kind, x.what if x else None, y.what if y else None, acts))
            else:
                found += (OmissionDifference(place, kind, *pair, acts) for pair in _pairs(x, y, a, b))
    return tuple(found)


def equal_texts(a: System, b: System) -> tuple[Omission, ...]:
    """List A's acting omissions that name their bodies and equal one of B in text, effect and parameters."""
    ours, theirs = ({(o.place, o.kind): o for o in s.omissions} for s in (a, b))
    repeated = {place for s in (a, b) for place, n in Counter(o.place for o in s.omissions).items() if n > 1}
    return tuple(
        x for key, x in ours.items()
        if x.acts and x.bodies and x.place not in repeated
        and (y := theirs.get(key)) is not None and x.bodies == y.bodies and not [*_pairs(x, y, a, b)]
    )  # fmt: skip


def _pairs(x: Omission, y: Omission, a: System, b: System) -> Iterator[tuple[str, str]]:
    """Yield pairs of texts, A's and B's, for each difference between two omissions of the same place and kind."""
    if not _same_words(x, y):
        yield _excerpts(x.what, y.what)
    elif x.effect != y.effect:
        yield f"effect {x.effect}", f"effect {y.effect}"
    ours, theirs = _find_used(x.parameters, a), _find_used(y.parameters, b)
    for name in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(name), theirs.get(name)
        if one is not None and other is not None and one is not other:
            yield f"{name} = {one}", f"{name} = {other}"


def _same_words(x: Omission, y: Omission) -> bool:
    """Return whether two texts are equal; in texts without names, numbers may be written differently."""
    if x.kind not in NAMELESS:
        return x.what == y.what
    one, other = (_NUMERAL.sub(lambda found: repr(float(found[0]) + 0), o.what) for o in (x, y))  # -0 + 0 is 0
    return one == other


def _find_used(names: Iterable[str], system: System) -> dict[str, Expression | None]:
    """Return the parameters of these names and those that their formulas use, except unknown names."""
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
    """Return both texts from the beginning of the first statement that differs."""
    at = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    begin = max(one.rfind(";", 0, at) + 1, at - _SHOWN // 2)
    return _shorten(one[begin:]), _shorten(other[begin:])


def _shorten(text: str) -> str:
    first = text.strip().partition(";")[0]
    return repr(first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…")
