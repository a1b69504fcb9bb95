"""Which coordinate of generated equations is which of a model: number, name, sense and zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mbconcord.model.diagnostics import NumbersError, ReadError, error
from mbconcord.model.equations import coordinate_symbol
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression, derivative, rate, symbol, symbols
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.validation.judge.matching import short_list


@dataclass(frozen=True)
class Pair:
    """The generated coordinate of a number is ``sign`` · (the model's coordinate) + ``offset``."""

    number: int
    coordinate: str
    sign: int = 1
    offset: Expression = ZERO

    @property
    def formula(self) -> Expression:
        """The generated coordinate in the model's names."""
        q = symbol(self.coordinate)
        return (q if self.sign > 0 else -q) + self.offset

    def __str__(self) -> str:
        return f"{self.number + 1} = {self.formula}"


@dataclass(frozen=True)
class Pairing:
    """A pair for every generated coordinate, in the order of their numbers, and how they were found."""

    pairs: tuple[Pair, ...]
    by: str

    @property
    def replacements(self) -> dict[Expression, Expression]:
        """What stands for the symbols of generated coordinates, rates and accelerations."""
        found: dict[Expression, Expression] = {}
        for pair in self.pairs:
            found[coordinate_symbol(pair.number)] = pair.formula
            for order in (1, 2):
                q = rate(pair.coordinate, order)
                found[coordinate_symbol(pair.number, order)] = q if pair.sign > 0 else -q
        return found

    @property
    def setting(self) -> str:
        """How a user tells it: ``1=z1,2=-z2``."""
        return ",".join(f"{pair.number + 1}={pair.formula}".replace(" ", "") for pair in self.pairs)

    def searched(self, system: System) -> str:
        """What a search found other than the plain order, in words: ``reversing q7``; empty where none was made."""
        if self.by != "the numbers":
            return ""
        names = system.coordinate_names
        moved = [f"{p.number + 1} = {p.coordinate}" for p in self.pairs if names[p.number] != p.coordinate]
        turned = [p.coordinate for p in self.pairs if p.sign < 0]
        parts = (("reordering", moved), ("reversing", turned))
        return " and ".join(f"{verb} {short_list(found)}" for verb, found in parts if found)

    def __str__(self) -> str:
        return ", ".join(map(str, self.pairs))


def by_order(system: System, count: int, by: str = "order") -> Pairing:
    """The coordinates in the order of both."""
    names = system.coordinate_names[:count]
    return Pairing(tuple(Pair(i, name) for i, name in enumerate(names)), by)


def given(system: System, settings: Mapping[str, str], count: int | None) -> Pairing:
    """The pairing that a user states: number (from 1) -> ±coordinate + constant.

    Raises
    ------
    NumbersError
        A number that is none, a formula that is not of that form, a coordinate twice or left out.
    """
    findings = []
    pairs: dict[int, Pair] = {}
    for key, text in settings.items():
        place = f"--coordinates {key}={text}"
        if not key.isdigit() or not 1 <= int(key) <= len(system.coordinates):
            findings.append(
                error(place, f"found {key!r}, expected a number from 1 to {len(system.coordinates)}")
            )
            continue
        pair = _pair(system, int(key) - 1, text)
        if pair is None:
            known = ", ".join(system.coordinate_names)
            findings.append(error(place, f"found {text!r}, expected a coordinate, -coordinate, or one plus a constant "
                                         f"such as pi/2; known: {known}"))  # fmt: skip
        elif any(pair.coordinate == other.coordinate for other in pairs.values()):
            findings.append(error(place, f"the coordinate {pair.coordinate} is named twice"))
        else:
            pairs[pair.number] = pair
    wanted = range(len(pairs)) if count is None else range(count)
    absent = [str(i + 1) for i in wanted if i not in pairs]
    if absent and not findings:
        findings.append(
            error("--coordinates", f"no coordinate for number {', '.join(absent)}", "name all of them")
        )
    if findings:
        raise NumbersError(findings)
    return Pairing(tuple(pairs[i] for i in sorted(pairs)), "the command")


def _pair(system: System, number: int, text: str) -> Pair | None:
    try:
        formula = parse_formula(text)
    except ReadError:
        return None
    named = [name for name in system.coordinate_names if name in symbols([formula])]
    if len(named) != 1:
        return None
    slope = derivative(formula, symbol(named[0]))
    if slope is not ONE and slope is not MINUS_ONE:
        return None
    sign = 1 if slope is ONE else -1
    offset = formula - symbol(named[0]) if sign > 0 else formula + symbol(named[0])
    return Pair(number, named[0], sign, offset) if offset.constant else None


def reordered(row: Sequence[Expression], pairing: Pairing, system: System) -> tuple[Expression, ...]:
    """A row of generalized forces in the model's order and senses."""
    found = dict.fromkeys(system.coordinate_names, ZERO)
    for pair in pairing.pairs:
        found[pair.coordinate] = row[pair.number] if pair.sign > 0 else -row[pair.number]
    return tuple(found.values())
