"""Pairing of coordinates of generated equations with those of a model: number, name, sense and zero.

The kernel hands identifiers and joint forces over by number, so their numbering is compared with the model's too.

Formulas with the right names are wrong if the kernel fills ``i1`` with the value of ``m1``. It is only inferred that
identifiers follow the model's declarations, and joint forces their coordinates; so another order is *not checked*
instead of a disagreement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mbconcord.model.diagnostics import Diagnostic, NumbersError, ReadError, error
from mbconcord.model.equations import GeneratedEquations, coordinate_symbol, joint_force_symbol
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression, derivative, directional, rate, symbol, symbols
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.records import dataclass
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.matching import short_list


@dataclass(frozen=True)
class CoordinatePair:
    """Pair of coordinates: the generated one with a number is ``sign`` · (the model's ``coordinate``) + ``offset``."""

    number: int
    coordinate: str
    sign: int = 1
    offset: Expression = ZERO

    @property
    def formula(self) -> Expression:
        """The generated coordinate as a formula of the model's coordinate."""
        q = symbol(self.coordinate)
        return (q if self.sign > 0 else -q) + self.offset

    def __str__(self) -> str:
        return f"{self.number + 1} = {self.formula}"


@dataclass(frozen=True)
class Pairing:
    """Pairs of all generated coordinates, in the order of their numbers; ``by`` names how they were found."""

    pairs: tuple[CoordinatePair, ...]
    by: str

    @property
    def replacements(self) -> dict[Expression, Expression]:
        """Replacements of the symbols of generated coordinates, rates and accelerations."""
        found: dict[Expression, Expression] = {}
        for pair in self.pairs:
            found[coordinate_symbol(pair.number)] = pair.formula
            for order in (1, 2):
                q = rate(pair.coordinate, order)
                found[coordinate_symbol(pair.number, order)] = q if pair.sign > 0 else -q
        return found

    @property
    def setting(self) -> str:
        """Pairing in the form of the user's option: ``1=z1,2=-z2``."""
        return ",".join(f"{pair.number + 1}={pair.formula}".replace(" ", "") for pair in self.pairs)

    def describe_search(self, system: System) -> str:
        """Describe a search result other than the plain order: ``reversing q7``; empty without a search."""
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
    """Return the pairing of the first ``count`` coordinates of both sides, in their order."""
    names = system.coordinate_names[:count]
    return Pairing(tuple(CoordinatePair(i, name) for i, name in enumerate(names)), by)


def read_pairing(system: System, settings: Mapping[str, str], count: int | None) -> Pairing:
    """Return the pairing that a user states: number (from 1) -> ±coordinate + constant.

    Raises
    ------
    NumbersError
        An invalid number, a formula of another form, a coordinate repeated or left out.
    """
    findings = []
    pairs: dict[int, CoordinatePair] = {}
    for key, text in settings.items():
        place = f"--map coordinates:{key}={text}"
        if not key.isdigit() or not 1 <= int(key) <= len(system.coordinates):
            findings.append(error(place, f"found {key!r}, expected a number from 1 to {len(system.coordinates)}"))
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
        findings.append(error("--map coordinates", f"no coordinate for number {', '.join(absent)}", "name all of them"))
    if findings:
        raise NumbersError(findings)
    return Pairing(tuple(pairs[i] for i in sorted(pairs)), "the command")


def _pair(system: System, number: int, text: str) -> CoordinatePair | None:
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
    return CoordinatePair(number, named[0], sign, offset) if offset.constant else None


def reorder(row: Sequence[Expression], pairing: Pairing, system: System) -> tuple[Expression, ...]:
    """Return a row of generalized forces in the model's order, with the signs of its coordinates."""
    found = dict.fromkeys(system.coordinate_names, ZERO)
    for pair in pairing.pairs:
        found[pair.coordinate] = row[pair.number] if pair.sign > 0 else -row[pair.number]
    return tuple(found.values())


#: Largest number of names that a message shows.
MOST = 12


class NoPlaceError(Exception):
    """Error of a force that cannot be handed over to the generated equations, with the reason."""


def orders(system: System, equations: GeneratedEquations) -> Iterator[Comparison]:
    """Yield as not checked contradictions in the set of equations, and numberings that differ from the model's."""
    for quantity, reason in (*equations.doubts, *_identifiers(system, equations), *_joint_forces(equations)):
        yield Comparison(equations.program, "", quantity, "not checked", explanation=reason)


def note_unknown_order(system: System, equations: GeneratedEquations) -> Iterator[Diagnostic]:
    """Yield a note if the order of the kernel's identifiers is unknown, as the model is of another program."""
    program, names = equations.program, equations.identifiers
    if f"{program}:coordinates" not in system.metadata and equations.count is not None and len(names) > 1:
        message = (
            f"handed over in the set's own order, with which this model has none to compare: {_format_names(names)}"
        )
        yield Diagnostic("note", f"{program}/identifiers", message)


def row(equations: GeneratedEquations, number: int) -> int:
    """Return the number of the row (coordinate) in which a joint force occurs; its sign there is not checked.

    Raises
    ------
    NoPlaceError
        The joint force does not occur in exactly one row.
    """
    slopes = directional(equations.residual or (), {joint_force_symbol(number): MINUS_ONE})
    rows = [i for i, slope in enumerate(slopes) if slope]
    if len(rows) != 1:
        raise NoPlaceError(f"joint force {number} does not act along one coordinate")
    return rows[0]


def _identifiers(system: System, equations: GeneratedEquations) -> Iterator[tuple[str, str]]:
    """Yield the finding that a model of the same program declares identifiers in another order than the equations.

    An identifier with a formula may be missing: it is unknown if the kernel's array contains it.
    """
    program = equations.program
    if f"{program}:coordinates" not in system.metadata or equations.count is None or not equations.identifiers:
        return
    called = system.metadata.get(f"{program}:identifiers", {})
    own = [(str(called.get(p.name, p.name)), p.value is None or p.value.constant) for p in system.parameters]
    if any("." in name for name, _ in own):
        yield "identifiers", "how a set takes the identifiers of subsystems is not known"
        return
    read = [name for name in equations.identifiers if name in dict(own)]
    expected = [name for name, plain in own if plain or name in read]
    if list(equations.identifiers) != expected:
        yield (
            "identifiers",
            f"the equations take {_format_names(equations.identifiers)} from the kernel by number, the model declares "
            f"{_format_names(expected)}: the set is not of this model, and one may be filled with the value of another "
            "(generate the equations again)",
        )


def _joint_forces(equations: GeneratedEquations) -> Iterator[tuple[str, str]]:
    """Yield the finding that joint forces are not numbered in the order of their coordinates."""
    if equations.residual is None:
        return
    try:
        rows = [row(equations, number) for number in sorted(equations.joint_forces)]
    except NoPlaceError:
        return  # said where the forces are compared
    if rows != sorted(set(rows)):
        numbers = _format_names([str(number) for number in sorted(equations.joint_forces)])
        places = ", ".join(str(i + 1) for i in rows)
        yield (
            "joint_forces",
            f"joint forces {numbers} act along coordinates {places}: expected the same order of both",
        )


def _format_names(names: Sequence[str]) -> str:
    return ", ".join([*names[:MOST], *(["…"] if len(names) > MOST else [])]) or "none"
