"""Transformations and values as text: counters, default names, shifts in braces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mbconcord.model import Bipolar, Body, ElementaryTransformation, FrameCoincidence, Loss, Parameter, Rod, System
from mbconcord.model.expressions import ONE, ZERO, Expression, symbol
from mbconcord.model.transformation import Vector, shift

from ..syntax import STEMS, default_name
from .rename import SHIFTS, TURNS, MbsdNames, degree_letter, introduce, on_axes

# What a text consists of: bodies and connectors, transformations, default names.


Link = Rod | Bipolar | FrameCoincidence
Unit = Body | Link
_DEFAULT = re.compile(r"(i|j|k|l|mu|nu)([1-9][0-9]{0,8})")


def default_letter(name: str, parameters: Mapping[str, Parameter]) -> tuple[str, int] | None:
    """Return letter and number of a default name whose parameter has its default value; None for other names."""
    match = _DEFAULT.fullmatch(name)
    parameter = parameters.get(name)
    if match is None or parameter is None or parameter.origin != "default":
        return None
    value = ONE if match[1] in SHIFTS else ZERO
    letter = next((letter for letter, stem in STEMS.items() if stem == match[1]), match[1])
    return (letter, int(match[2])) if parameter.value is value else None


def core(amount: Expression) -> tuple[str, str] | None:
    """Return factor and symbol of an amount such as ``i1``, ``-i1``, ``2*i1``; None for amounts of other forms."""
    sign = ""
    if amount.op == "neg":
        sign, amount = "-", amount.args[0]
    if amount.op == "mul" and amount.args[0].op == "num" and amount.args[1].op == "sym":
        factor = str(amount.args[0])
        return None if "/" in factor else (f"{sign}{factor}*", amount.args[1].data)
    return (sign, amount.data) if amount.op == "sym" else None


def letter_of(et: ElementaryTransformation) -> str:
    """Return the letter of a constant or prescribed transformation along or about a coordinate axis."""
    index = next(i for i, part in enumerate(et.axis) if part)
    return (SHIFTS if et.is_translation else TURNS)[index]


def units(system: System) -> list[Unit]:
    """List bodies, then connectors: bipolar forces, rods and closures."""
    bipolars = [f for f in system.forces if isinstance(f, Bipolar)]
    return [*system.bodies, *bipolars, *(c for c in system.constraints if isinstance(c, (Rod, FrameCoincidence)))]


def needs(unit: Unit) -> set[str]:
    """Return the bodies to which a unit refers."""
    ends = (unit.parent,) if isinstance(unit, Body) else (unit.first.body, unit.second.body)
    return {name for name in ends if name is not None}


def transformations(unit: Unit) -> Iterator[ElementaryTransformation]:
    """Yield all transformations of a unit as in its text, along and about coordinate axes."""
    if isinstance(unit, Body):
        sides: Sequence[Sequence[ElementaryTransformation]] = (unit.joint,)
    elif isinstance(unit, FrameCoincidence):
        sides = (unit.first.transformations, unit.second.transformations)
    else:
        sides = (offset(unit.first.position), offset(unit.second.position))
    for side in sides:
        for et in side:
            yield from on_axes(et)


def offset(position: Vector) -> tuple[ElementaryTransformation, ...]:
    """Return the shift that leads to a point."""
    return shift(position)


class Script:
    """State of writing: counters by letter, and default names that the text generates."""

    def __init__(self, system: System, names: MbsdNames, order: Iterable[Unit], losses: list[Loss]) -> None:
        self.names = names
        self.losses = losses
        self.introduced, self.begun = introduce(system), list[str]()
        self.parameters: dict[str, Parameter] = {p.name: p for p in system.parameters}
        self.generated: set[str] = set()
        self.counters: dict[str, int] = {}
        self.pending = self._numbers(order)

    def _numbers(self, order: Iterable[Unit]) -> dict[str, list[tuple[int, bool]]]:
        """Map letters to numbers of coming default names, the next one last, each with True if a bare letter gives it.

        A default name that no bare letter can restore in its turn, say i1 in a sum, is declared by ``0*i``, which
        counts and gives no transformation.
        """
        found: dict[str, dict[int, bool]] = {}
        for name in self.parameters:
            letter = default_letter(name, self.parameters)
            if letter is not None and name not in self.names.symbols:
                found.setdefault(letter[0], {})[letter[1]] = False
        last: dict[str, int] = {}
        for unit in order:
            for et in transformations(unit):
                due = self._due(et)
                if due is not None and due[2] > last.get(letter_of(et), 0):
                    last[letter_of(et)] = due[2]
                    found[letter_of(et)][due[2]] = True
        return {letter: sorted(numbers.items(), reverse=True) for letter, numbers in found.items()}

    def _due(self, et: ElementaryTransformation) -> tuple[str, str, int] | None:
        """Return factor, default name and its number if a bare letter here restores this name, else None."""
        found = None if et.moving else core(et.amount)
        if found is None or found[1] in self.generated or found[1] in self.names.symbols:
            return None
        letter = default_letter(found[1], self.parameters)
        return (*found, letter[1]) if letter is not None and letter[0] == letter_of(et) else None

    def text(self, value: Expression) -> str:
        """Write the formula of an expression."""
        return self.names.text(value)

    def value(self, value: Expression) -> str:
        """Write a value after a sign or letter: a number directly, other expressions in brackets."""
        text = self.text(value)
        return text if value.op == "num" and "/" not in text else f"({text})"

    def regenerates(self, name: str, default: Expression) -> bool:
        """Return True if omitting a value restores this parameter: it has its default, or is assigned."""
        parameter = self.parameters.get(name)
        if parameter is None or parameter.value is None or name in self.names.symbols:
            return False
        if parameter.origin == "default" and parameter.value is not default:
            return False
        self.generated.add(name)
        return True

    def generates(self, values: Iterable[Expression], expected: Iterable[str], default: Expression) -> bool:
        """Return True if all values are the expected default names, and may be omitted."""
        names = list(expected)
        if list(values) != [symbol(name) for name in names]:
            return False
        known = set(self.generated)
        if all(self.regenerates(name, default) for name in names):
            return True
        self.generated = known
        return False

    def items(self, joint: Iterable[ElementaryTransformation], suffixes: dict[str, str] | None = None) -> list[str]:
        """Write transformations in order; ``suffixes`` maps names of coordinates to the texts that follow them."""
        items: list[str] = []
        run: list[ElementaryTransformation] = []
        for whole in joint:
            for et in on_axes(whole):
                explicit = not et.moving and et.is_translation and self._due(et) is None
                named = not et.moving and self._find_assigned_name(et)
                if not explicit or named or (run and letter_of(et) <= letter_of(run[-1])):
                    self._explicit(run, items)
                    run = []
                if et.coordinate is not None:
                    items.append(self._degree(et, et.coordinate) + (suffixes or {}).get(et.coordinate, ""))
                elif et.moving:
                    begun = [q for q, step in self.introduced.items() if step is whole and q not in self.begun]
                    self.begun += begun
                    items.append(self._map(et) + "".join((suffixes or {}).get(q, "") for q in begun))
                elif explicit and not self._bare(et, items):
                    run.append(et)
                elif not explicit:
                    self._constant(et, items)
        self._explicit(run, items)
        return items

    def _find_assigned_name(self, et: ElementaryTransformation) -> tuple[str, str] | None:
        """Return factor and name of an amount that the author assigned to a name of the default kind."""
        found = core(et.amount)
        if found is None or found[1] in self.generated or found[1] in self.names.symbols:
            return None
        parameter = self.parameters.get(found[1])
        given = parameter is not None and parameter.origin == "given" and parameter.value is not None
        return found if given else None

    def _bare(self, et: ElementaryTransformation, items: list[str]) -> bool:
        """Write a bare letter if its next default name is the assigned parameter in the amount; else return False."""
        letter = letter_of(et)
        found = self._find_assigned_name(et)
        number = self.counters.get(letter, 0) + 1
        if found is None or found[1] != default_name(letter, number):
            return False
        self._count(letter)
        self.generated.add(found[1])
        items.append(found[0] + letter)
        return True

    def _map(self, et: ElementaryTransformation) -> str:
        letter, text = degree_letter(et), self.text(et.amount)
        self._count(letter)
        sign = "-" if any(part.op == "num" and part.value < 0 for part in et.axis) else ""
        return f"{sign}{letter}(({text}))" if et.amount.op == "sym" else f"{sign}{letter}({text})"

    def _degree(self, et: ElementaryTransformation, coordinate: str) -> str:
        letter = degree_letter(et)
        number = self._count(letter)
        sign = "-" if any(part is not ZERO and part.op == "num" and part.value < 0 for part in et.axis) else ""
        name = self.names.written_name(coordinate)
        return f"{sign}{letter}" if name == f"{letter}{number}" else f"{sign}{letter}({name})"

    def _constant(self, et: ElementaryTransformation, items: list[str]) -> None:
        """Write a rotation, or a shift with the next default name: a bare letter if its number comes next."""
        letter = letter_of(et)
        due = self._due(et)
        if due is not None and (due[2], True) in self.pending[letter]:
            self._declare(letter, items, due[2])
            self._count(letter)
            self.pending[letter].pop()
            self.generated.add(due[1])
            items.append(due[0] + letter)
            if not any(bare for _, bare in self.pending[letter]):
                self._declare(letter, items)
        elif et.is_translation:
            self._explicit([et], items)
        elif not self._bare(et, items):
            self._pass(letter, items)
            self._count(letter)
            items.append(letter + self.value(et.amount))

    def declare_rest(self, items: list[str]) -> None:
        """Declare, at the start of a text, the default names that no bare letter ever gives back."""
        for letter, numbers in self.pending.items():
            if not any(bare for _, bare in numbers):
                self._declare(letter, items)

    def _count(self, letter: str) -> int:
        self.counters[letter] = self.counters.get(letter, 0) + 1
        return self.counters[letter]

    def _declare(self, letter: str, items: list[str], before: int | None = None) -> None:
        """Count up to the number before ``before``, or over all pending ones; declare the pending names passed."""
        pending = self.pending[letter]
        while pending and (before is None or self.counters.get(letter, 0) < before - 1):
            number = self._count(letter)
            if pending[-1][0] == number:
                pending.pop()
                self.generated.add(default_name(letter, number))
                items.append(f"0*{letter}")
            else:
                items.append(f"{letter}0")

    def _pass(self, letter: str, items: list[str]) -> None:
        """Declare the names whose numbers an explicit letter would take."""
        pending = self.pending.get(letter)
        while pending and pending[-1][0] == self.counters.get(letter, 0) + 1:
            self._declare(letter, items, pending[-1][0] + 1)

    def _explicit(self, run: list[ElementaryTransformation], items: list[str]) -> None:
        """Write a run of shifts along x, y, z with their values: one letter, or braces, which do not count."""
        if not run:
            return
        letter = letter_of(run[0])
        pending = self.pending.get(letter)
        if len(run) == 1 and (not pending or pending[-1][0] - 1 > self.counters.get(letter, 0)):
            self._count(letter)
            items.append(letter + self.value(run[0].amount))
            return
        parts = {letter_of(et): self.text(et.amount) for et in run}
        listed = "ijk" if "k" in parts else "ij"
        items.append("{" + ", ".join(parts.get(part, "0") for part in listed) + "}")
