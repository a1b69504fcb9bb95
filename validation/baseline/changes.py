"""What of a model's equations has changed since its baseline was saved, and what most likely did it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from mbconcord.converters import registry as formats
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.limits import listed
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..same_machine import same_machine
from ..why import why
from .fields import changed_fields
from .fingerprint import DIGITS, FOLLOWING, NOT_EXACT, Fingerprint, Key, Row, called, fingerprint
from .states import STATES, states
from .text import Saved

#: ``same by digits``: the residues are of another prime. ``not compared``: there is nothing to compare.
Outcome = Literal["same", "same by digits", "changed", "not compared"]
#: Said of a file of another prime or format.
BY_DIGITS: Final = "saved with another prime or format: compared by digits (mbconcord baseline save)"
#: So many entries of a quantity are told.
MOST_ENTRIES: Final = 3
#: Verdicts on a model whose coordinates have other names, and that is the same.
RENAMED: Final = ("agrees", "agrees after matching", "agrees in part")
#: The last of 12 digits may be rounded either way.
SAME: Final = 2.0 * 10.0 ** (1 - DIGITS)


@dataclass(frozen=True)
class Change:
    """An entry that is another: its digits (residues where these are the same, or missing) then and now.

    ``state`` is the number of the state, from 1; None of residues.
    """

    entry: str
    before: str
    after: str
    state: int | None = None

    @property
    def quantity(self) -> str:
        """``M`` of ``M[q1, q2]``."""
        return self.entry.partition("[")[0]

    def __str__(self) -> str:
        at = f" (state {self.state})" if self.state else ""
        return f"{self.entry} was {self.before}, is {self.after}{at}"


@dataclass(frozen=True)
class Compared:
    """A model beside its baseline.

    Attributes
    ----------
    outcome : "same", "same by digits", "changed" or "not compared"
    changes : entries that are others
    compared : how many entries were compared
    notes : what else is to be said: of the version, of names, of what is left out
    fields : of the model that are others
    why : the likely cause; empty where nothing changed
    """

    outcome: Outcome
    changes: tuple[Change, ...] = ()
    compared: int = 0
    notes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    why: str = ""

    @property
    def headline(self) -> str:
        """``changed: M, gravity``."""
        quantities = dict.fromkeys(change.quantity for change in self.changes)
        return f"{self.outcome}: {', '.join(quantities)}" if quantities else self.outcome

    def __str__(self) -> str:
        found = [*self.notes]
        quantities: dict[str, list[Change]] = {}
        for change in self.changes:
            quantities.setdefault(change.quantity, []).append(change)
        told = [name for name in quantities if name not in FOLLOWING] or list(quantities)
        for quantity in told:
            own = quantities[quantity]
            found += map(str, own[:MOST_ENTRIES])
            if len(own) > MOST_ENTRIES:
                found.append(f"and {len(own) - MOST_ENTRIES} more of {quantity}")
        found += self.fields
        return "\n".join((*found, *filter(None, (self.why,))))

    def to_json(self) -> dict[str, Any]:
        """The form of ``baseline check --json``."""
        return {
            "outcome": self.outcome,
            "compared": self.compared,
            "changes": [
                {"entry": c.entry, "before": c.before, "after": c.after, "state": c.state}
                for c in self.changes
            ],
            "notes": list(self.notes),
            "fields": list(self.fields),
            "why": self.why,
        }


def compared(before: Saved, system: System, exact: bool = True, seed: int = 0) -> Compared:
    """A model beside its baseline; ``exact``: whether the residues there are those of this version's prime.

    Raises
    ------
    FormalismError, NumbersError
        As :func:`.fingerprint.fingerprint`.
    """
    now = fingerprint(system, _states(before, system))
    renamed = set(before.coordinates) != set(now.coordinates)
    changes, silent, count = ([], [], 0) if renamed else _changes(before, now, exact)
    notes = [] if exact else [BY_DIGITS]
    notes += _names(before, now)
    fields = changed_fields(before.model, now.model)
    if changes or renamed or set(before.left_out) != set(now.left_out):
        return Compared(
            "changed", tuple(changes), count, tuple(notes), fields, _cause(before, now, system, seed)
        )
    if silent:
        notes.append(f"not compared, as there is neither a residue nor a digit: {listed(silent)}")
        return Compared("not compared", (), count, (*notes, *now.notes), fields)
    if before.model != now.model:
        notes.append("the text of the model is another, its equations are the same")
    return Compared("same" if exact else "same by digits", (), count, (*notes, *now.notes), fields)


def _states(before: Saved, system: System) -> tuple[State, ...] | None:
    """The states of a baseline with what a model needs more; None where they are of other coordinates."""
    own = states(system)
    if set(before.coordinates) != set(system.coordinate_names):
        return None
    known = {p.name for p in system.parameters}
    return tuple(
        replace(s, parameters={**own[0].parameters, **{n: x for n, x in s.parameters.items() if n in known}})
        for s in before.states
    )


def _changes(before: Saved, now: Fingerprint, exact: bool) -> tuple[list[Change], list[str], int]:
    """Entries that are others, those that cannot be compared and follow from no others, and how many were compared."""
    rows = _by_name(now.rows, before.rows)
    changes: list[Change] = []
    silent: list[str] = []
    count = 0
    for name in dict.fromkeys((*before.rows, *rows)):
        was, is_ = before.rows.get(name), rows.get(name)
        follows = name.partition("[")[0] in FOLLOWING
        if was is None or is_ is None:
            if not follows:
                changes.append(Change(name, _first(was), _first(is_)))
            continue
        found, looked = _change(name, was, is_, exact)
        count += looked
        changes += [found] if found else []
        silent += [name] if not (looked or follows) else []
    return changes, silent, count


def _change(name: str, was: Row, is_: Row, exact: bool) -> tuple[Change | None, bool]:
    """What is another of an entry, and whether anything of it was compared."""
    both = exact and NOT_EXACT not in (was.residue, is_.residue)
    if both and was.residue == is_.residue:
        return None, True
    pairs = list(zip(was.digits, is_.digits, strict=False))
    for k, (x, y) in enumerate(pairs, 1):
        if not _same(x, y):
            return Change(name, x, y, k), True
    if both:
        return Change(name, f"residue {was.residue}", is_.residue), True
    return None, bool(pairs)


def _same(x: str, y: str) -> bool:
    try:
        a, b = float(x), float(y)
    except ValueError:
        return x == y
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def _first(row: Row | None) -> str:
    return "nothing" if row is None else row.digits[0] if row.digits else row.residue


def _by_name(rows: Mapping[Key, Row], before: Mapping[str, Row]) -> dict[str, Row]:
    """Rows by name; of M, which is symmetric, by that of the two which the baseline has."""
    found = {}
    for key, row in rows.items():
        quantity, *entry = key
        other = called((quantity, *entry[::-1]))
        found[other if quantity == "M" and other in before else called(key)] = row
    return found


def _names(before: Saved, now: Fingerprint) -> list[str]:
    """What is another of coordinates and of what the reader left out."""
    found = []
    if before.coordinates != now.coordinates:
        found.append(f"coordinates were {', '.join(before.coordinates)}, are {', '.join(now.coordinates)}")
    found += [f"no longer left out: {x}" for x in before.left_out if x not in now.left_out]
    found += [f"left out: {x}" for x in now.left_out if x not in before.left_out]
    return found


def _cause(before: Saved, now: Fingerprint, system: System, seed: int) -> str:
    """What most likely changed the equations."""
    if before.model == now.model:
        return (
            f"why: the model is the same: {before.saved_by}, which saved it, and this version derive other equations "
            "(mbconcord check tells which formalisms agree)"
        )
    try:
        old = formats.read_text(before.model, format="native", physics="ignore").system
        if set(before.coordinates) != set(now.coordinates):
            found = same_machine(old, system, STATES, seed)
            if found.verdict in RENAMED:
                pairs = ", ".join(f"{a} = {b}" for a, b in found.matching.pairs if a != b)
                return f"why: {found.headline}, its coordinates have other names: {pairs}"
        answer = why(old, system, seed)
    except MbconcordError as problem:
        return f"why: not searched: {problem}"
    return str(replace(answer, names=("the baseline", "the model")))
