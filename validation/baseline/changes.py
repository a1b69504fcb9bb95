"""Changes of a model's equations since its baseline was saved, and their most likely cause."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from mbconcord.converters import registry as formats
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.limits import count, cut, format_names
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..compare import same_machine
from ..explain import why, why_fields
from ..judge.left_out import LeftOut
from .fingerprint import (
    DIGITS,
    FOLLOWING,
    NOT_EXACT,
    STATES,
    Fingerprint,
    FingerprintRow,
    Key,
    fingerprint,
    format_key,
    states,
)
from .text import Saved

#: ``same by digits``: the residues are of another prime. ``not compared``: there is nothing to compare.
Outcome = Literal["same", "same by digits", "changed", "not compared"]
#: Said of a file of another prime or format.
BY_DIGITS: Final = "saved with another prime or format: compared by digits (mbconcord baseline save FILE compares all)"
#: The cause where nothing else is another.
OF_LEFT_OUT: Final = "why: what is left out and acts where it is reached has changed, the equations have not"
#: Said of a file of before limits were saved.
SAVE_AGAIN: Final = "mbconcord baseline save FILE keeps it"
#: So many entries of a quantity are told.
MOST_ENTRIES: Final = 3
#: Verdicts on a model whose coordinates have other names, and that is the same.
RENAMED: Final = ("agrees", "agrees after matching", "agrees in part")
#: The last of 12 digits may be rounded either way.
SAME: Final = 2.0 * 10.0 ** (1 - DIGITS)


@dataclass(frozen=True)
class EntryChange:
    """A changed entry: its digits then and now, or its residues if the digits are equal or missing.

    ``state`` is the number of the state, from 1; None for residues.
    """

    entry: str
    before: str
    after: str
    state: int | None = None

    @property
    def quantity(self) -> str:
        """Name of the entry's quantity: ``M`` for ``M[q1, q2]``."""
        return self.entry.partition("[")[0]

    def __str__(self) -> str:
        at = f" (state {self.state})" if self.state else ""
        return f"{self.entry} was {self.before}, is {self.after}{at}"


@dataclass(frozen=True)
class BaselineComparison:
    """A model and its baseline.

    Attributes
    ----------
    outcome : "same", "same by digits", "changed" or "not compared"
    changes : the changed entries
    compared : number of compared entries
    notes : further remarks: on versions, on changed names, on omissions
    fields : the model's changed fields, in words
    why : the likely cause; empty if nothing changed
    left_out : omissions of the model now, and those that the user accepts
    """

    outcome: Outcome
    changes: tuple[EntryChange, ...] = ()
    compared: int = 0
    notes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    why: str = ""
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def stands(self) -> bool:
        """True if nothing has changed, and the user accepted all omissions that act."""
        return self.outcome.startswith("same") and self.left_out.stands

    @property
    def headline(self) -> str:
        """The outcome in a line: ``changed: M, gravity``; ``same, without 19 contacts``."""
        quantities = dict.fromkeys(change.quantity for change in self.changes)
        found = f"{self.outcome}: {', '.join(quantities)}" if quantities else self.outcome
        return f"{found}, {self.left_out.without}" if self.left_out.without else found

    def __str__(self) -> str:
        found = [*self.notes]
        quantities: dict[str, list[EntryChange]] = {}
        for change in self.changes:
            quantities.setdefault(change.quantity, []).append(change)
        told = [name for name in quantities if name not in FOLLOWING] or list(quantities)
        for quantity in told:
            own = quantities[quantity]
            found += map(str, own[:MOST_ENTRIES])
            if len(own) > MOST_ENTRIES:
                found.append(f"and {len(own) - MOST_ENTRIES} more of {quantity}")
        found += self.fields
        of_left_out = (self.left_out.describe_acceptance(), self.left_out.condition)
        return "\n".join((*found, *filter(None, (self.why, *of_left_out))))

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``baseline check --json``."""
        return {
            "outcome": self.outcome,
            "compared": self.compared,
            "changes": [
                {"entry": c.entry, "before": c.before, "after": c.after, "state": c.state} for c in self.changes
            ],
            "notes": list(self.notes),
            "fields": list(self.fields),
            "why": self.why,
            **self.left_out.to_json(),
        }


def compare_with_baseline(before: Saved, system: System, exact: bool = True, seed: int = 0) -> BaselineComparison:
    """Compare a model with its baseline; ``exact``: the baseline's residues are modulo this version's prime.

    Raises
    ------
    FormalismError, NumbersError
        As for :func:`.fingerprint.fingerprint`.
    """
    now = fingerprint(system, _states(before, system))
    found = replace(_compare(before, now, system, exact, seed), left_out=LeftOut(system.omissions))
    if found.outcome != "changed" and before.reached not in (None, now.reached):
        return replace(found, outcome="changed", why=OF_LEFT_OUT)
    return found


def _compare(before: Saved, now: Fingerprint, system: System, exact: bool, seed: int) -> BaselineComparison:
    """Compare a model's fingerprint with its baseline; of omissions, only those that act at all states."""
    renamed = set(before.coordinates) != set(now.coordinates)
    changes, silent, count = ([], [], 0) if renamed else _changes(before, now, exact)
    notes = [] if exact else [BY_DIGITS]
    notes += _names(before, now)
    changed = _field_changes(before.model, now.model)
    fields = _shorten([*changed.values()])
    if changes or renamed or set(before.left_out) != set(now.left_out):
        return BaselineComparison(
            "changed", tuple(changes), count, tuple(notes), fields, _cause(before, now, system, seed, [*changed], exact)
        )
    if silent:
        notes.append(f"not compared, as there is neither a residue nor a digit: {format_names(silent)}")
        return BaselineComparison("not compared", (), count, (*notes, *now.notes), fields)
    if before.model != now.model:
        try:
            found = same_machine(_read_saved(before), system, STATES, seed)
        except MbconcordError as problem:
            notes.append(f"the text of the model is another, and the old one cannot be compared: {problem}")
            return BaselineComparison("not compared", (), count, (*notes, *now.notes), fields)
        if found.verdict != "agrees":
            notes.append("what is saved of the equations is the same, the text of the model is another: compare says")
            outcome: Outcome = "changed" if found.verdict == "disagrees" else "not compared"
            return BaselineComparison(outcome, (), count, (*notes, *str(found).splitlines(), *now.notes), fields)
        notes.append("the text of the model is another, its equations are the same")
    return BaselineComparison("same" if exact else "same by digits", (), count, (*notes, *now.notes), fields)


def _states(before: Saved, system: System) -> tuple[State, ...] | None:
    """Complete the states of a baseline for a model; None if their coordinates differ."""
    own = states(system)
    if set(before.coordinates) != set(system.coordinate_names):
        return None
    known = {p.name for p in system.parameters}
    return tuple(
        replace(s, parameters={**own[0].parameters, **{n: x for n, x in s.parameters.items() if n in known}})
        for s in before.states
    )


def _changes(before: Saved, now: Fingerprint, exact: bool) -> tuple[list[EntryChange], list[str], int]:
    """Return changed entries; names of entries that cannot be compared nor follow from others; the number compared."""
    rows = _by_name(now.rows, before.rows)
    changes: list[EntryChange] = []
    silent: list[str] = []
    count = 0
    for name in dict.fromkeys((*before.rows, *rows)):
        was, is_ = before.rows.get(name), rows.get(name)
        follows = name.partition("[")[0] in FOLLOWING
        if was is None or is_ is None:
            if not follows:
                changes.append(EntryChange(name, _first(was), _first(is_)))
            continue
        found, looked = _change(name, was, is_, exact)
        count += looked
        changes += [found] if found else []
        silent += [name] if not (looked or follows) else []
    return changes, silent, count


def _change(name: str, was: FingerprintRow, is_: FingerprintRow, exact: bool) -> tuple[EntryChange | None, bool]:
    """Return the change of an entry, if any, and True if its digits or its residue could be compared."""
    both = exact and NOT_EXACT not in (was.residue, is_.residue)
    if both and was.residue == is_.residue:
        return None, True
    pairs = list(zip(was.digits, is_.digits, strict=False))
    for k, (x, y) in enumerate(pairs, 1):
        if not _same(x, y):
            return EntryChange(name, x, y, k), True
    if both:
        return EntryChange(name, f"residue {was.residue}", is_.residue), True
    return None, bool(pairs)


def _same(x: str, y: str) -> bool:
    try:
        a, b = float(x), float(y)
    except ValueError:
        return x == y
    return abs(a - b) <= SAME * max(abs(a), abs(b))


def _first(row: FingerprintRow | None) -> str:
    return "nothing" if row is None else row.digits[0] if row.digits else row.residue


def _by_name(rows: Mapping[Key, FingerprintRow], before: Mapping[str, FingerprintRow]) -> dict[str, FingerprintRow]:
    """Map names to rows; an entry of the symmetric M gets the one of its two names that the baseline uses."""
    found = {}
    for key, row in rows.items():
        quantity, *entry = key
        other = format_key((quantity, *entry[::-1]))
        found[other if quantity == "M" and other in before else format_key(key)] = row
    return found


def _names(before: Saved, now: Fingerprint) -> list[str]:
    """Describe changes of coordinates and of omissions."""
    found = []
    if before.coordinates != now.coordinates:
        found.append(f"coordinates were {', '.join(before.coordinates)}, are {', '.join(now.coordinates)}")
    for was, is_ in ((before.left_out, now.left_out), (before.reached, now.reached)):
        if was is None:
            found += [f"not compared, as it is not saved: {x} ({SAVE_AGAIN})" for x in is_]
            continue
        found += [f"no longer left out: {x}" for x in was if x not in is_]
        found += [f"left out: {x}" for x in is_ if x not in was]
    return found


def _read_saved(before: Saved) -> System:
    """Read the model of a baseline."""
    return formats.read_text(before.model, format="native", physics="ignore").system


def _cause(before: Saved, now: Fingerprint, system: System, seed: int, changed: Sequence[str], exact: bool) -> str:
    """Name the cause of changed equations: the changed fields, if few and proved to explain all, or a likely cause."""
    if before.model == now.model:
        return (
            f"why: the model is the same: {before.saved_by}, which saved it, and this version derive other equations "
            "(mbconcord check FILE tells which formalisms agree)"
        )
    try:
        old = _read_saved(before)
        if set(before.coordinates) != set(now.coordinates):
            found = same_machine(old, system, STATES, seed)
            if found.verdict in RENAMED:
                pairs = ", ".join(f"{a} = {b}" for a, b in found.matching.pairs if a != b)
                return f"why: {found.headline}, its coordinates have other names: {pairs}"
        elif len(changed) <= MOST and _derives(before, old, exact):
            answer = why_fields(old, formats.read_text(now.model, format="native", physics="ignore").system)
            if not answer.is_found:
                return f"why: {', '.join(changed)}; with the baseline's values there the equations are the baseline's"
            return str(replace(answer, names=NAMES))
        answer = why(old, system, seed)
    except MbconcordError as problem:
        return f"why: not searched: {problem}"
    # the changed fields are told by the texts of both: of the answer's only where no cause is found
    fields = None if answer.is_found else answer.fields
    return str(replace(answer, names=NAMES, fields=fields))


def _derives(before: Saved, old: System, exact: bool) -> bool:
    """Return True if this version derives all saved entries from the model that the baseline contains."""
    changes, silent, _ = _changes(before, fingerprint(old, _states(before, old)), exact)
    return not (changes or silent)


#: What the two models are called.
NAMES: Final = ("the baseline", "the model")
#: So many fields are told.
MOST: Final = 6


class _Digits(str):
    """A number as the text of its digits."""


def _field_changes(before: str, now: str) -> dict[str, str]:
    """Map paths of changed fields to the change in words: ``bodies/forearm/inertia/mass was 2, is 3``."""
    was, is_ = (dict(_fields("", json.loads(text, parse_float=_Digits))) for text in (before, now))
    return {
        path: _changed_field(path, was.get(path), is_.get(path))
        for path in dict.fromkeys((*was, *is_))
        if was.get(path) != is_.get(path)
    }


def _shorten(found: Sequence[str]) -> tuple[str, ...]:
    return (*found[:MOST], f"and {count(len(found) - MOST, 'more field')}") if len(found) > MOST else tuple(found)


def _changed_field(path: str, was: str | None, is_: str | None) -> str:
    if was is None:
        return f"{path} is new: {is_}"
    return f"{path} was {was}, is gone" if is_ is None else f"{path} was {was}, is {is_}"


def _fields(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield paths of fields with their values as text; a list of numbers or names is one field."""
    below = f"{path}/" if path else ""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            if not (key == "name" and path):
                yield from _fields(f"{below}{key}", inner)
        if path and value.keys() == {"name"}:
            yield path, _field_text(value["name"])
    elif isinstance(value, list) and any(isinstance(x, dict | list) for x in value):
        for k, inner in enumerate(value, 1):
            name = inner.get("name") if isinstance(inner, dict) else None
            yield from _fields(f"{below}{k if name is None else name}", inner)
    else:
        yield path, _field_text(value)


def _field_text(value: Any) -> str:
    if isinstance(value, _Digits):
        return cut(value)
    if isinstance(value, list):
        return cut(f"[{', '.join(map(_field_text, value))}]")
    return cut(json.dumps(value, ensure_ascii=False))
