"""The fields that differ between two models, ordered by their effect, made equal one by one until none is left.

Both models are groups in A's frames. A row is a field of one group: its inertia, the origin, turn or axis of its joint,
damping, stiffness, offset force or armature; or gravity, another force, an armature of several coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..judge.comparison import ArrayDifference
from ..judge.evidence import Comparison, Verdict
from ..judge.kinematics import TreeKinematics, turn
from ..judge.motion import Array
from ..judge.pair_scales import scales_of_pair
from ..judge.progress import checkpoint, count_progress
from ..judge.uncertainty import name_digits
from ..witnesses.direct.tree import direct
from .digits import TextPrecision, find_room
from .groups import (
    COUNTED,
    DIFFERS,
    LAWS,
    NEAR,
    Groups,
    Joints,
    LumpedNumbers,
    NotLumpedError,
    Pull,
    align,
    differs,
    lump,
    measure_length,
    place_inertia,
)  # fmt: skip

QUANTITIES = ("M", "h", "gravity", "applied")
#: What is left of a difference, of scale, is rounding below the first; groups give a model's own numbers to the second.
NOTHING, OWN_NUMBERS = 1e-13, 1e-12
INERTIA = ("mass", "centre", "tensor")
#: So many rows are told.
MOST_ROWS = 12
#: So many are told in one line.
BRIEF = 2


@dataclass(frozen=True)
class FieldLine:
    """A field that differs: its body or coordinate, its name, and its values in A and in B as text."""

    place: str
    field: str
    a: str = ""
    b: str = ""

    def to_json(self) -> dict[str, str]:
        """Convert to a mapping."""
        return {"place": self.place, "field": self.field, "a": self.a, "b": self.b}


@dataclass(frozen=True)
class Change:
    """Fields that differ, and a function that makes them equal in one of the models and returns both."""

    lines: tuple[FieldLine, ...]
    apply: Callable[[Groups, Groups], tuple[Groups, Groups]]


def of_a(lines: Sequence[FieldLine], change: Callable[[Groups, Groups], Groups]) -> Change:
    """Return the change that replaces A by ``change(a, b)``, which may copy values from B."""
    return Change(tuple(lines), lambda a, b: (change(a, b), b))


@dataclass(frozen=True)
class FieldRow:
    """A change with its effects, in units of scale.

    Attributes
    ----------
    lines : the fields; later lines have empty values if the first describes the whole change
    alone : largest effect of this change alone
    left : the difference that remains after this change and those of all rows before it
    needed : True if a difference remains when all other fields are made equal; False if no motion shows the field
    """

    lines: tuple[FieldLine, ...]
    alone: float
    left: float
    needed: bool = True

    def to_json(self) -> dict[str, object]:
        """Convert to a mapping."""
        lines = [line.to_json() for line in self.lines]
        return {"lines": lines, "alone": self.alone, "left": self.left, "needed": self.needed}


@dataclass(frozen=True)
class FieldTable:
    """Fields that differ, in the order in which they were made equal, and what is left.

    Attributes
    ----------
    rows : the rows that are shown
    more : number of further rows; together they reduce the difference after the last shown row to ``left``
    before, left : the difference before the first and after all rows, relative to scale
    noise : limit below which ``left`` is rounding; if ``digits`` is not zero, rounding to so many printed digits
    place : the entry with the largest remaining difference
    constraints : differences of the constraints, in words
    comparisons : checks of the rows' effects against those of the same changes made once more
    models : the models whose numbers are shown under A and B, with values for open parameters
    """

    rows: tuple[FieldRow, ...]
    more: int
    before: float
    left: float
    noise: float = NOTHING
    digits: float = 0
    place: str = ""
    constraints: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    models: tuple[System, ...] = ()

    @property
    def is_whole(self) -> bool:
        """True if the rows explain the difference down to the noise."""
        return self.left <= max(self.noise, OWN_NUMBERS)

    def to_json(self) -> dict[str, object]:
        """Convert to the form of ``compare --why --json``."""
        return {
            "rows": [row.to_json() for row in self.rows], "more": self.more, "before": self.before, "left": self.left,
            "noise": self.noise, "digits": self.digits, "place": self.place, "constraints": list(self.constraints),
            "whole": self.is_whole,
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [*self._table()] if self.rows else []
        lines += [f"constraints: {said}" for said in self.constraints]
        return "\n".join([*lines, *self._rest()])

    @property
    def brief(self) -> str:
        """Line with the first rows that have an effect, the number of others, and the difference left unexplained."""
        acting = [row for row in self.rows if row.needed]
        said = [f"{row.lines[0].place} {row.lines[0].field}".rstrip() + _apart(row.lines[0]) for row in acting[:BRIEF]]
        rest = len(acting) + self.more - len(said)
        said += [f"and {rest} more"] if said and rest else []
        said += [f"constraints: {words}" for words in self.constraints[:1]]
        left = f"{self.left:.2g} of scale left unexplained, most in {self.place}"
        return "; ".join(said if self.is_whole or not said else (*said, left))

    def _table(self) -> Iterator[str]:
        """Yield lines: rows that are sentences first, then fields in columns."""
        said = [row for row in self.rows if not row.lines[0].field]
        yield from ("why, in order of size:",) if said else ()
        for row in said:
            line = row.lines[0]
            numbers = f" ({line.a} in A, {line.b} in B)" if line.a or line.b else ""
            yield f"  {line.place}{numbers}: alone {row.alone:.2g}, left after it {row.left:.2g}"
        table = [("" if said else "why, in order of size:", "A", "B", "alone", "left after it")]
        for row in self.rows[len(said) :]:
            effects = (f"{row.alone:.2g}" if row.needed else "no effect", f"{row.left:.2g}")
            for k, line in enumerate(row.lines):
                table.append((f"  {line.place} {line.field}", line.a, line.b, *(("", "") if k else effects)))
        widths = [max(len(line[k]) for line in table) for k in range(5)]
        for cells in table if len(table) > 1 else ():
            yield "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        if self.more:
            yield f"  and {self.more} more, together {self.rows[-1].left:.2g} of scale"

    def _rest(self) -> Iterator[str]:
        if not self.is_whole:
            yield f"left unexplained: {self.left:.2g} of scale, most in {self.place}"
        elif self.digits:
            said = f"is within {name_digits(self.digits, f'; bound {self.noise:.2g}')}"
            yield f"what is left, {self.left:.2g} of scale, {said}"
        elif self.rows:
            yield "nothing is left" if self.left <= NOTHING else f"what is left, {self.left:.2g} of scale, is rounding"


def _apart(line: FieldLine) -> str:
    return f" {line.a} in A, {line.b} in B" if line.a or line.b else ""


class LumpedPair:
    """Two models as groups at the same states, with the scales of the pair.

    Raises
    ------
    NotLumpedError
        A model cannot be reduced to groups, or its groups do not have the model's own M, h and forces.
    """

    def __init__(
        self, a: System, b: System, ours: Sequence[State], theirs: Sequence[State], pairs: Mapping[str, str],
        printed: tuple[TextPrecision | None, TextPrecision | None] = (None, None),
    ) -> None:  # fmt: skip
        first, second = a.open_loops(), b.open_loops()
        ours = [replace(s, parameters=ours[0].parameters) for s in ours]
        theirs = [replace(s, parameters=theirs[0].parameters) for s in theirs]
        self.a = lump(a, ours[0])
        self.own_b = lump(b, theirs[0])
        self.b = align(self.a, self.own_b, pairs)
        kept = [a.coordinate_names.index(name) for name in self.a.names]
        order = [b.coordinate_names.index(pairs[name]) for name in self.a.names]
        one, other = TreeKinematics(first, ours), TreeKinematics(second, theirs)
        _, size = scales_of_pair(one, other, [b.coordinate_names.index(pairs[name]) for name in a.coordinate_names])
        self._pair, self._pairs = (a, ours, b, theirs), pairs
        self.scales = {name: x[:, kept] for name, x in size.rows.items()} | {"M": size.mass[:, kept][:, :, kept]}
        self.numbers = LumpedNumbers(one.q[:, kept], one.v[:, kept])
        self.x, self.y = self.numbers.quantities(self.a), self.numbers.quantities(self.b)
        others = []
        for own, system, states, places in ((self.x, first, ours, kept), (self.y, second, theirs, order)):
            known = direct(system, states).quantities
            checked = {name: known[name][:, places] for name in QUANTITIES}
            checked["M"] = checked["M"][:, :, places]
            if self.a.others or self.own_b.others:
                others.append({"applied": checked.pop("applied") - own["applied"]})
            if (off := self.gap(own, checked)) > OWN_NUMBERS:
                raise NotLumpedError("the groups of bodies do not give the model's own numbers", off)
        if others and self.gap(*others) > OWN_NUMBERS:
            raise NotLumpedError("forces that are not linear laws of one coordinate differ")
        numbers = [self.own_b.names.index(pairs[name]) for name in self.a.names]
        self.room = find_room(self.a, self.own_b, self.b, numbers, self.numbers, self.scales, printed)

    def gap(self, x: Mapping[str, Array], y: Mapping[str, Array]) -> float:
        """Return the largest difference of two models' numbers in units of the pair's scales."""
        return max((float(np.max(self.part(x, y, name), initial=0.0)) for name in QUANTITIES if name in y), default=0.0)

    def part(self, x: Mapping[str, Array], y: Mapping[str, Array], name: str) -> Array:
        """Return the entries' differences of quantity ``name``, in units of scale."""
        gap, scale = np.abs(x[name] - y[name]), self.scales[name]
        with np.errstate(all="ignore"):
            return np.where(gap == 0, 0.0, np.where(scale > 0, gap / scale, np.inf))

    def measure(self, a: Groups, b: Groups) -> float:
        """Return the largest difference of two models in units of scale."""
        return self.gap(self.numbers.quantities(a), self.numbers.quantities(b))

    def is_printed(self, a: Groups, b: Groups) -> bool:
        """Return True if rounding to the printed digits explains every difference of two models."""
        x, y = map(self.numbers.quantities, (a, b))
        return bool(self.room and self.room.holds(x, y) and not self.room.unlike(a, b))

    def _helps(self, a: Groups, b: Groups, change: Change) -> bool:
        """Return False if printed digits already explain M and forces, and the change brings no field within them."""
        if not self.room or not self.room.holds(*map(self.numbers.quantities, (a, b))):
            return True
        return len(self.room.unlike(*change.apply(a, b))) < len(self.room.unlike(a, b))

    def table(self, found: Sequence[Change]) -> FieldTable:
        """Make the changes ``found`` first, then make every differing field equal, ordered by the effect of each alone.

        Stop when the difference left is noise. Rows without effect are omitted, except those of ``found``.
        """
        a, b = self.a, self.b
        rows: list[FieldRow] = []
        applied: list[Change] = [*found]
        before = left = self.measure(a, b)

        def make(change: Change) -> float:
            nonlocal a, b, left
            one, other = change.apply(a, b)
            alone = max(self.measure(a, one), self.measure(b, other))
            a, b, left = one, other, self.measure(one, other)
            return alone

        for change in found:
            alone = make(change)
            rows.append(FieldRow(change.lines, alone, left))
        fields = []
        for change in count_progress("why, fields", [*changes(a, b)], lambda change: change.lines[0].place):
            checkpoint()
            fields.append((max(self.measure(x, y) for x, y in zip((a, b), change.apply(a, b), strict=True)), change))
        for alone, change in sorted(fields, key=lambda item: -item[0]):
            if left <= NOTHING or alone <= NOTHING or self.is_printed(a, b):
                break
            if not self._helps(a, b, change):
                continue
            needed = self.measure(b, change.apply(b, a)[0]) > NOTHING
            make(change)
            applied.append(change)
            rows.append(FieldRow(change.lines, alone, left, needed))
        x, y = self.numbers.quantities(a), self.numbers.quantities(b)
        parts = {name: self.part(x, y, name) for name in QUANTITIES}
        worst = max(QUANTITIES, key=lambda name: float(np.max(parts[name], initial=0.0)))
        _, *at = np.unravel_index(int(np.argmax(parts[worst])), parts[worst].shape) if parts[worst].size else (0,)
        place = f"{worst}[{', '.join(self.a.names[int(i)] for i in at)}]"
        shown = rows[:MOST_ROWS]
        digits = self.room.digits if self.room and left > NOTHING and self.is_printed(a, b) else 0
        noise = max(left, self.room.of_scale) if self.room and digits else NOTHING
        unlike = unlike_rows(a, b)
        again = (*self._scale_again(), *self._apply_again(shown, applied, len(found), before, left))
        return FieldTable(
            tuple(shown), len(rows) - len(shown), before, left, noise, digits, place, unlike, again, self._pair[::2]
        )

    def _scale_again(self) -> Iterator[Comparison]:
        """Compare the scales with those computed anew for the pair in the other order."""
        a, ours, b, theirs = self._pair
        names = {other: name for name, other in self._pairs.items()}
        if names.keys() != {*b.coordinate_names}:
            return
        order = [a.coordinate_names.index(names[name]) for name in b.coordinate_names]
        turned = TreeKinematics(b.open_loops(), theirs), TreeKinematics(a.open_loops(), ours)
        size = scales_of_pair(*turned, order)[1]
        kept = [b.coordinate_names.index(self._pairs[name]) for name in self.a.names]
        own = {name: x[:, kept] for name, x in size.rows.items()} | {"M": size.mass[:, kept][:, :, kept]}
        for name in QUANTITIES:
            x, y = self.scales[name].ravel(), own[name].ravel()
            with np.errstate(all="ignore"):
                off = np.where(x == y, 0.0, np.abs(x - y) / np.fmax(x, y))
            k = int(np.argmax(np.where(np.isnan(off), np.inf, off))) if off.size else 0
            told: Verdict = "agrees" if not off.size or off[k] <= OWN_NUMBERS else "disagrees"
            values = (float(x[k]), float(y[k])) if off.size else None
            yield Comparison("table", "the other order", f"scale of {name}", told, values=values)

    def _apply_again(
        self, rows: Sequence[FieldRow], applied: Sequence[Change], first: int, before: float, left: float
    ) -> Iterator[Comparison]:
        """Compare the effects of rows with those of their changes by the judge's own measure, and their texts.

        The ``first`` changes act one after the other; each later one acts alone on the result of these.
        """
        numbers, one = LumpedNumbers(self.numbers.q, self.numbers.v), np.ones(len(self.numbers.q))

        def measure(a: Groups, b: Groups) -> float:
            x, y = map(numbers.quantities, (a, b))
            found = (ArrayDifference(x[k], y[k], self.scales[k], one, one).relative_gap for k in QUANTITIES)
            return max(float(part.max(initial=0.0)) for part in found)

        base = pair = self.a, self.b
        yield _same_effect("before", before, measure(*pair))
        for i, (row, change) in enumerate(zip(rows, applied, strict=False)):
            checkpoint()
            base = pair if i <= first else base
            for line in row.lines if i >= first else ():
                told: Verdict = "agrees" if is_shown(line, *base) else "disagrees"
                said = f"found {line.a} and {line.b}"
                yield Comparison("table", "groups", f"{line.place} {line.field}", told, explanation=said)
            for name in find_unnamed(row.lines, *base) if i >= first else ():
                yield Comparison("table", "groups", name, "disagrees", explanation="it differs, and no line names it")
            alone = max(map(measure, base, change.apply(*base)))
            last, pair = pair, change.apply(*pair)
            said = f"{row.lines[0].place} {row.lines[0].field}".rstrip()
            if [x.lines for x in changes(*last)] == [x.lines for x in changes(*pair)]:
                yield Comparison("table", "changes", said, "disagrees", explanation="it changes no field that differs")
            yield _same_effect(f"{said}: alone", row.alone, alone)
            yield _same_effect(f"{said}: left after it", row.left, measure(*pair))
        for change in applied[len(rows) :]:
            pair = change.apply(*pair)
        yield _same_effect("left", left, measure(*pair))


def _same_effect(quantity: str, printed: float, found: float) -> Comparison:
    same = printed == found or abs(printed - found) <= OWN_NUMBERS * max(1.0, found)
    return Comparison("table", "changes", quantity, "agrees" if same else "disagrees", values=(printed, found))


def is_shown(line: FieldLine, a: Groups, b: Groups) -> bool:
    """Return True if a line's two texts are the field's numbers in A and B, rounded to the same 6 to 17 digits."""
    texts = [[float(x) for x in text.replace("none", "").split()] for text in (line.a, line.b)]
    for pair in zip(*(_find_numbers(g, line) for g in (a, b)), strict=False):
        if line.field == "turn":  # about x, then y, then z
            turned = [[turn(np.eye(3)[k : k + 1], np.array(x[k : k + 1]))[0] for k in (2, 1, 0)] for x in texts]
            return all(np.allclose(np.linalg.multi_dot(R), own, 0, 1e-5) for R, own in zip(turned, pair, strict=True))
        least = DIFFERS * max(float(np.max(np.abs(x), initial=0.0)) for x in pair)
        own = [np.where(np.abs(x) > least, x, 0.0).ravel().tolist() for x in pair]
        if any(texts == [[float(f"{v:.{digits}g}") for v in x] for x in own] for digits in range(6, 18)):
            return True
    return False


def find_unnamed(lines: Sequence[FieldLine], a: Groups, b: Groups) -> Iterator[str]:
    """Yield fields of inertias that differ but have no line, if lines name other fields of the same inertias."""
    named = {(line.place, word) for line in lines for word in line.field.split()}
    length = NEAR * max(measure_length(a), measure_length(b))
    fields = (("mass", 0.0, ("mass",)), ("centre", length, ("centre",) * 3), ("tensor", 0.0, _ELEMENTS))
    for place in dict.fromkeys(place for place, word in named if word in INERTIA):
        masses = [m for g in (a, b) for m in _find_numbers(g, FieldLine(place, "mass"))]
        for name, least, words in fields if all(masses) else ():
            field = FieldLine(place, " ".join((name, *_ELEMENTS)))
            off = []
            for x, y in zip(*(_find_numbers(g, field) for g in (a, b)), strict=False):
                size = max(float(np.abs(x).max()), float(np.abs(y).max()), least)
                off.append(np.atleast_1d(np.abs(x - y) > COUNTED * size).tolist())
            told = {word for word, *every in zip(words, *off, strict=True) if all(every)}
            yield from (f"{place} {word}" for word in told if (place, word) not in named)


def _find_numbers(g: Groups, line: FieldLine) -> Iterator[Array]:
    """Yield the numbers of a line's field: of a body, of the group of this name, or of a coordinate."""
    name, *six = line.field.split()
    inertias = [place_inertia(g.parts_by_name[line.place])] if line.place in g.parts_by_name else []
    inertias += [(g.mass[i], g.centre[i], g.tensor[i]) for i, body in enumerate(g.bodies) if body == line.place]
    for mass, centre, J in inertias if name in INERTIA else ():
        tensor = np.array([J["xyz".index(e[0]), "xyz".index(e[1])] for e in six])
        yield {"mass": np.array(mass), "centre": centre, "tensor": tensor}[name]
    pulled = {pull.name: pull.force for pull in g.pulls}
    found = {"m/s²": g.gravity, "force": pulled.get(line.place, np.zeros(0))}
    found["armature of several coordinates"] = np.max(g.rotors.get(line.place, 0.0))
    for i in [g.names.index(line.place)] if line.place in g.names else ():
        found |= dict(zip(LAWS, g.laws[i], strict=True))
        found |= {"turn": g.joints.rotations[i], "origin": g.joints.origins[i], "axis": g.joints.axes[i]}
    yield from [found[line.field]] if line.field in found else []


def changes(a: Groups, b: Groups) -> Iterator[Change]:
    """Yield a change for each field that differs: fields of each group, then gravity, forces, armatures."""
    length = NEAR * max(measure_length(a), measure_length(b))
    for i, name in enumerate(a.names):
        if lines := _inertia_lines(a, b, i, length):
            yield of_a(lines, _with_inertia(i))
        for field, attribute, least in (
            ("turn", "rotations", 1.0),
            ("origin", "origins", length),
            ("axis", "axes", 1.0),
        ):
            x, y = getattr(a.joints, attribute)[i], getattr(b.joints, attribute)[i]
            if differs(x, y, least, DIFFERS):
                shown = write_pair(*map(_angles, (x, y))) if field == "turn" else write_pair(x, y)
                yield of_a([FieldLine(name, field, *shown)], _with_joint(attribute, i))
        for k, law in enumerate(LAWS):
            if differs(a.laws[i, k], b.laws[i, k], 0.0, DIFFERS):
                yield of_a([FieldLine(name, law, *write_pair(a.laws[i, k], b.laws[i, k]))], with_laws([i], k))
    if differs(a.gravity, b.gravity, 0.0, DIFFERS):
        lines = [FieldLine("gravity", "m/s²", *write_pair(a.gravity, b.gravity))]
        yield of_a(lines, lambda x, y: replace(x, gravity=y.gravity))
    ours, theirs = ({pull.name: pull for pull in g.pulls} for g in (a, b))
    for name in dict.fromkeys((*ours, *theirs)):
        x, y = ours.get(name), theirs.get(name)
        if _pull_numbers(x) != _pull_numbers(y):
            yield of_a([FieldLine(name, "force", _pulling(x), _pulling(y))], with_pulls([name]))
    for name in dict.fromkeys((*a.rotors, *b.rotors)):
        x, y = (g.rotors.get(name, np.zeros((len(a.names),) * 2)) for g in (a, b))
        if differs(x, y, 0.0, DIFFERS):
            yield of_a(
                [FieldLine(name, "armature of several coordinates", *write_pair(x.max(), y.max()))], _with_rotor(name)
            )


def unlike_rows(a: Groups, b: Groups, part: float = COUNTED) -> tuple[str, ...]:
    """Describe linear constraints that only one model has, up to a factor; name constraints that are not compared."""
    found = []
    ours, theirs = ([np.append(*row) for row in g.rows.values() if row] for g in (a, b))
    alone = [row for row in ours if not any(_equal(row, other, part) for other in theirs)]
    rest = [row for row in theirs if not any(_equal(row, other, part) for other in ours)]
    for row in list(alone):
        bare = np.append(row[:-1], 0.0)  # the constant stays what it is, or is of the other coordinate
        k = next((k for k, other in enumerate(rest) if _equal(bare, np.append(_invert(other)[:-1], 0.0), part)), None)
        if k is not None:
            found.append(
                f"the factor is inverted: {_write_row(a.names, row)} in A, {_write_row(a.names, rest.pop(k))} in B"
            )
            alone = [x for x in alone if x is not row]
    for rows, which in ((alone, "A"), (rest, "B")):
        if rows:
            said = ", ".join(_write_row(a.names, row) for row in rows)
            found.append(f"{len(rows)} {'row' if len(rows) == 1 else 'rows'} of {which} alone: {said}")
    unknown = dict.fromkeys(name for g in (a, b) for name, row in g.rows.items() if row is None)
    if unknown:
        found.append(f"not set side by side, as they are no linear rows: {', '.join(unknown)}")
    return tuple(found)


def _equal(x: Array, y: Array, part: float) -> bool:
    """Return True if two rows are the same but for a factor."""
    x, y = (row / row[np.argmax(np.abs(row[:-1]))] for row in (x, y))
    return not differs(x, y, 1.0, part)


def _invert(row: Array) -> Array:
    """Return a row x - k y as k x - y."""
    found, at = row.copy(), np.flatnonzero(row[:-1])
    if len(at) == 2:
        found[at] = -row[at[::-1]]
    return found


def _write_row(names: Sequence[str], row: Array) -> str:
    """Write a row: ``left = 2 right``, or as a sum that is zero."""
    at = np.flatnonzero(row[:-1]).tolist()
    if len(at) == 2:
        first, second = sorted(at, key=lambda i: abs(abs(row[i]) - 1))  # the one without a factor follows the other
        factor, rest = -row[second] / row[first], -row[-1] / row[first]
        said = f"{names[first]} = {'' if factor == 1 else f'{factor:.6g} '}{names[second]}"
        return f"{said} + {rest:.6g}" if rest else said
    return " + ".join(f"{row[i]:.6g} {names[i]}" for i in at) + (f" + {row[-1]:.6g}" if row[-1] else "") + " = 0"


_SIX = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
_ELEMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


def _inertia_lines(a: Groups, b: Groups, i: int, length: float) -> list[FieldLine]:
    """Return lines for the differences of a group's inertia, or of its bodies' if these have equal names in both."""
    x, y = ((g.mass[i], g.centre[i], g.tensor[i]) for g in (a, b))
    whole = [*_unlike(a.bodies[i], x, y, length)]
    if not whole:
        return []
    ours, theirs = ({x.name: x for x in g.parts[i] if x.mass or x.tensor.any()} for g in (a, b))
    if ours.keys() == theirs.keys():
        placed = ((name, place_inertia(ours[name]), place_inertia(theirs[name])) for name in ours)
        lines = [line for name, one, other in placed for line in _unlike(name, one, other, length, COUNTED)]
        return lines or whole
    return whole


def _unlike(
    place: str, x: tuple[float, Array, Array], y: tuple[float, Array, Array], length: float, part: float = DIFFERS
) -> Iterator[FieldLine]:
    """Yield the lines of mass, centre and tensor that differ."""
    if differs(x[0], y[0], 0.0, part):
        yield FieldLine(place, "mass", *write_pair(x[0], y[0]))
    if x[0] and y[0] and differs(x[1], y[1], length, part):
        yield FieldLine(place, "centre", *write_pair(x[1], y[1]))
    if differs(x[2], y[2], 0.0, part):
        one, other = x[2][_SIX], y[2][_SIX]
        size = max(np.abs(one).max(), np.abs(other).max())
        unlike = [k for k in range(6) if abs(one[k] - other[k]) > part * size]
        yield FieldLine(
            place, f"tensor {' '.join(_ELEMENTS[k] for k in unlike)}", *write_pair(one[unlike], other[unlike])
        )


def write_pair(x: Array | float, y: Array | float) -> tuple[str, str]:
    """Write numbers with the fewest digits, 6 or more, that tell them apart."""
    least = DIFFERS * max(float(np.max(np.abs(z), initial=0.0)) for z in (x, y))
    for digits in range(6, 18):
        texts = [" ".join(f"{0.0 if abs(v) <= least else v:.{digits}g}" for v in np.atleast_1d(z)) for z in (x, y)]
        if texts[0] != texts[1]:
            break
    return texts[0], texts[1]


def _angles(R: Array) -> Array:
    """Return roll, pitch and yaw (rad) of a rotation about fixed axes."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])


def _pull_numbers(pull: Pull | None) -> tuple[object, ...]:
    """Return a force's numbers, rounded to the digits that count as a difference."""
    if pull is None:
        return ()
    numbers = np.concatenate([pull.point, pull.force, pull.moment])
    return pull.group, *(f"{x:.10g}" for x in np.where(np.abs(numbers) < DIFFERS, 0.0, numbers))


def _pulling(pull: Pull | None) -> str:
    return "none" if pull is None else " ".join(f"{x:.6g}" for x in pull.force)


def _with_inertia(i: int) -> Callable[[Groups, Groups], Groups]:
    def change(a: Groups, b: Groups) -> Groups:
        mass, centre, tensor = (_with_row(getattr(a, name), i, getattr(b, name)) for name in INERTIA)
        parts = (*a.parts[:i], b.parts[i], *a.parts[i + 1 :])
        return replace(a, parts=parts, mass=mass, centre=centre, tensor=tensor)

    return change


def _with_joint(attribute: str, i: int) -> Callable[[Groups, Groups], Groups]:
    def change(a: Groups, b: Groups) -> Groups:
        new = _with_row(getattr(a.joints, attribute), i, getattr(b.joints, attribute))
        own = {name: getattr(a.joints, name) for name in ("rotations", "origins", "axes")} | {attribute: new}
        j, path = a.joints, (a if attribute == "axes" else b).joints.paths[i]
        paths = (*j.paths[:i], path, *j.paths[i + 1 :])
        return replace(a, joints=Joints(j.parents, own["rotations"], own["origins"], own["axes"], j.turning, paths))

    return change


def _with_row(own: Array, i: int, other: Array) -> Array:
    found = own.copy()
    found[i] = other[i]
    return found


def with_laws(rows: Sequence[int], k: int) -> Callable[[Groups, Groups], Groups]:
    """Return the change that takes a law of some coordinates from the other model."""

    def change(a: Groups, b: Groups) -> Groups:
        laws = a.laws.copy()
        laws[rows, k] = b.laws[rows, k]
        return replace(a, laws=laws)

    return change


def with_pulls(names: Sequence[str]) -> Callable[[Groups, Groups], Groups]:
    """Return the change that takes forces of these names from the other model."""

    def change(a: Groups, b: Groups) -> Groups:
        kept = tuple(pull for pull in a.pulls if pull.name not in names)
        return replace(a, pulls=(*kept, *(pull for pull in b.pulls if pull.name in names)))

    return change


def _with_rotor(name: str) -> Callable[[Groups, Groups], Groups]:
    def change(a: Groups, b: Groups) -> Groups:
        kept = {n: x for n, x in a.rotors.items() if n != name}
        return replace(a, rotors=kept | ({name: b.rotors[name]} if name in b.rotors else {}))

    return change
