"""Limits, dry friction and shapes of a model: they lie beside its equations of motion, in a form that formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mbconcord.model import Loss
from mbconcord.model.expressions import Expression, evaluate_float, number
from mbconcord.model.omission import Omission
from mbconcord.records import dataclass, field

#: A stop this far away (rad, m), or an effort or a speed this large, is none.
NO_STOP: Final = 10**9
NO_STOP_AT: Final = number(NO_STOP)


@dataclass(frozen=True)
class Limit:
    """Range of a coordinate (rad, m), its largest effort (N m, N) and speed; None where the text gives none.

    ``place`` is that of the omission which the reader made of it.
    """

    place: str
    lower: Expression | None = None
    upper: Expression | None = None
    effort: Expression | None = None
    velocity: Expression | None = None

    @property
    def stops(self) -> bool:
        """True if it has an end."""
        return self.lower is not None or self.upper is not None

    @property
    def ends(self) -> tuple[Expression, Expression]:
        """Both ends; in place of one that is missing a stop that is none."""
        return -NO_STOP_AT if self.lower is None else self.lower, NO_STOP_AT if self.upper is None else self.upper

    @property
    def width(self) -> float:
        """The length of the range."""
        lower, upper = (evaluate_float(end, {}) for end in self.ends)
        return upper - lower


@dataclass(frozen=True)
class Friction:
    """Dry friction of a coordinate (N m, N), with the place of its omission."""

    place: str
    value: Expression


@dataclass(frozen=True)
class Fittings:
    """Limits and dry friction by coordinate."""

    limits: Mapping[str, Limit] = field(default_factory=dict)
    friction: Mapping[str, Friction] = field(default_factory=dict)


NO_FITTINGS: Final = Fittings()


def bound(value: Expression | None) -> Expression | None:
    """Return a stop, effort or speed; None if it is too large to be one."""
    return None if value is None or abs(value.value) >= NO_STOP else value


class Fitted:
    """The omissions that a text written anew holds all the same, by their places, and the losses of the others."""

    def __init__(self) -> None:
        self._places: Counter[str] = Counter()
        self.losses: list[Loss] = []

    @property
    def places(self) -> frozenset[str]:
        """The places of these omissions."""
        return frozenset(self._places)

    def hold(self, place: str) -> None:
        """Record that the text holds what one omission of this place left out."""
        self._places[place] += 1

    def lose(self, place: str, what: str, reason: str, acts: bool = False) -> None:
        """Record a loss, in place of the one of the omission of this place."""
        self.hold(place)
        self.losses.append(Loss(f"omissions/{place}", what, reason, acts))

    def list_rest(self, omissions: Iterable[Omission]) -> Iterator[Omission]:
        """Yield the omissions of which nothing is recorded."""
        left = Counter(self._places)
        for omission in omissions:
            if left[omission.place]:
                left[omission.place] -= 1
            else:
                yield omission


def same_friction(a: Fittings, b: Fittings, names: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """Return the places of the omissions of equal dry friction in A and in B; ``names`` in B where they differ."""
    equal = [
        (rough.place, other.place)
        for coordinate, rough in a.friction.items()
        if (other := b.friction.get(names.get(coordinate, coordinate))) is not None
        and evaluate_float(rough.value, {}) == evaluate_float(other.value, {})
    ]
    return {ours for ours, _ in equal}, {theirs for _, theirs in equal}
