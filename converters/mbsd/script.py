"""Transformations and values as text: counters, default names that come back by themselves, shifts in braces."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model import ElementaryTransformation, Loss, Parameter, System
from mbconcord.model.expressions import ZERO, Expression, symbol

from .letters import degree_letter, on_axes
from .rename import Names
from .units import Unit, core, default_letter, letter_of, transformations


class Script:
    """What has been written so far: counters by letter, and default names that the text generates."""

    def __init__(self, system: System, names: Names, order: Iterable[Unit], losses: list[Loss]) -> None:
        self.names = names
        self.losses = losses
        self.parameters: dict[str, Parameter] = {p.name: p for p in system.parameters}
        self.generated: set[str] = set()
        self.counters: dict[str, int] = {}
        self.pending: dict[str, list[int]] = {}
        seen: set[str] = set()
        for unit in order:
            for et in transformations(unit):
                due = self._due(et)
                if due is not None and due[1] not in seen:
                    seen.add(due[1])
                    self.pending.setdefault(letter_of(et), []).append(due[2])
        for numbers in self.pending.values():
            numbers.reverse()

    def _due(self, et: ElementaryTransformation) -> tuple[str, str, int] | None:
        """Factor, default name and its number, if only a bare letter here gives this name back."""
        found = core(et.amount) if et.coordinate is None else None
        if found is None or found[1] in self.generated or found[1] in self.names.symbols:
            return None
        letter = default_letter(found[1], self.parameters)
        return (*found, letter[1]) if letter is not None and letter[0] == letter_of(et) else None

    # -- values ------------------------------------------------------------------------------------------------

    def text(self, value: Expression) -> str:
        """The formula of an expression."""
        return self.names.text(value)

    def value(self, value: Expression) -> str:
        """A value after a sign or letter: a number as it is, anything else in brackets."""
        text = self.text(value)
        return text if value.op == "num" and "/" not in text else f"({text})"

    def regenerates(self, name: str, default: Expression) -> bool:
        """Whether leaving a value out gives this parameter back: it has its default, or is assigned."""
        parameter = self.parameters.get(name)
        if parameter is None or parameter.value is None or name in self.names.symbols:
            return False
        if parameter.origin == "default" and parameter.value is not default:
            return False
        self.generated.add(name)
        return True

    def generates(self, values: Iterable[Expression], expected: Iterable[str], default: Expression) -> bool:
        """Whether all the values are the default names expected, and may be left out."""
        names = list(expected)
        if [v for v in values] != [symbol(name) for name in names]:
            return False
        known = set(self.generated)
        if all([self.regenerates(name, default) for name in names]):
            return True
        self.generated = known
        return False

    # -- transformations ---------------------------------------------------------------------------------------

    def items(
        self, joint: Iterable[ElementaryTransformation], suffixes: dict[str, str] | None = None
    ) -> list[str]:
        """Texts of transformations in order; ``suffixes`` by coordinate name."""
        items: list[str] = []
        run: list[ElementaryTransformation] = []
        for whole in joint:
            for et in on_axes(whole):
                if et.coordinate is None and et.is_translation and self._due(et) is None:
                    if run and letter_of(et) <= letter_of(run[-1]):
                        self._explicit(run, items)
                        run = []
                    run.append(et)
                    continue
                self._explicit(run, items)
                run = []
                if et.coordinate is not None:
                    items.append(self._degree(et, et.coordinate) + (suffixes or {}).get(et.coordinate, ""))
                else:
                    self._constant(et, items)
        self._explicit(run, items)
        return items

    def _degree(self, et: ElementaryTransformation, coordinate: str) -> str:
        letter = degree_letter(et)
        self.counters[letter] = self.counters.get(letter, 0) + 1
        sign = (
            "-" if any(part is not ZERO and part.op == "num" and part.value < 0 for part in et.axis) else ""
        )
        name = self.names.of(coordinate)
        return f"{sign}{letter}" if name == f"{letter}{self.counters[letter]}" else f"{sign}{letter}({name})"

    def _constant(self, et: ElementaryTransformation, items: list[str]) -> None:
        """A rotation, or a shift whose default name is due: as a bare letter where its number can be reached."""
        letter = letter_of(et)
        count = self.counters.get(letter, 0)
        due = self._due(et)
        if due is not None:
            self.pending[letter].pop()
        if due is not None and due[2] > count:
            items += [f"{letter}0"] * (due[2] - 1 - count)  # a zero counts and leaves no transformation
            self.counters[letter] = due[2]
            self.generated.add(due[1])
            items.append(due[0] + letter)
        elif et.is_translation:
            self._explicit([et], items)
        else:
            self.counters[letter] = count + 1
            items.append(letter + self.value(et.amount))

    def _explicit(self, run: list[ElementaryTransformation], items: list[str]) -> None:
        """A run of shifts along x, y, z with their values: one letter, or braces, which do not count."""
        if not run:
            return
        letter = letter_of(run[0])
        pending = self.pending.get(letter)
        if len(run) == 1 and (not pending or pending[-1] - 1 > self.counters.get(letter, 0)):
            self.counters[letter] = self.counters.get(letter, 0) + 1
            items.append(letter + self.value(run[0].amount))
            return
        parts = {letter_of(et): self.text(et.amount) for et in run}
        listed = "ijk" if "k" in parts else "ij"
        items.append("{" + ", ".join(parts.get(part, "0") for part in listed) + "}")
