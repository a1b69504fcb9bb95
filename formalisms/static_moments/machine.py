"""The moments of a walking machine in the paper's letters: m̄_l of each leg and m̄_c of all, with like terms gathered.

Legs that are equal share their constants: m_n = m_1 d_1, m_d = m_2 d_2, m_f = m_3 d_3, m_b = m_2, m_c = m_3; bodies are
numbered within the leg, and vectors of leg l have the number l in their names. Different legs keep the machine's names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mbconcord.model.derivation import Written
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ONE, Expression, substitute, symbol, to_latex, to_text, unknowns
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.records import dataclass

from .moments import split_sign
from .writeout import MACRON, vector, vector_latex

#: m_di and m_qj of the write-out.
LETTER = re.compile(r"m_(d[xyz]?|q)(\d+)")
#: What sections 9 and 10 call m_k d_k and m_k of the leg's bodies k.
LETTERS = {"m_d1": "m_n", "m_d2": "m_d", "m_d3": "m_f", "m_2": "m_b", "m_3": "m_c"}


@dataclass(frozen=True)
class Part:
    """One leg: the scalar of each vector over m_di and m_qj, the numbers of its bodies, and their coordinates."""

    terms: Mapping[str, Expression]
    numbers: tuple[int, ...]
    coordinates: tuple[str, ...]


@dataclass(frozen=True)
class Machine:
    """The legs of a machine; ``copies``: True if all are one model; ``constants``: values of m_i and m_di by name."""

    legs: tuple[Part, ...]
    copies: bool
    constants: Mapping[str, Expression]


@dataclass(frozen=True)
class Summand:
    """Summand of a coefficient: ± a constant, or ± a mass times a coordinate."""

    minus: bool
    name: str
    q: str = ""


@dataclass(frozen=True)
class Style:
    """Notation of names, vectors and products."""

    name: Callable[[str], str]
    vector: Callable[[str], str]
    dot: str
    bar: Callable[[str], str]


def _subscript(name: str) -> str:
    if not re.fullmatch(r"\w+", name):
        return to_latex(parse_formula(name))
    stem, _, index = name.partition("_")
    return f"{stem}_{{{index}}}" if index else stem


TEXT = Style(lambda name: name.replace("*", "·"), vector, "·", lambda name: name.replace("m", f"m{MACRON}", 1))
LATEX = Style(_subscript, vector_latex, r" \, ", lambda name: rf"\bar{{m}}_{{{name[2:]}}}")


def machine_lines(machine: Machine) -> tuple[tuple[Written, ...], dict[str, str]]:
    """Return lines with m̄_l of every leg, m̄_c and the letters' meanings, and the model's name of each written one."""
    legs = [_Leg(machine, i) for i in range(len(machine.legs))]
    if not machine.copies and not _regular(machine):
        legs = [_Leg(machine, i, own=True) for i in range(len(machine.legs))]
    written = [_Writer(legs, style) for style in (TEXT, LATEX)]
    text, latex = (list(w.lines(machine.constants)) for w in written)
    names = {written[0].vector(leg.unit(x), i): x for i, leg in enumerate(legs, 1) for x in leg.part.terms}
    for leg in legs:
        names |= leg.used | {leg.coordinate(k): name for k, name in zip(leg.part.numbers, leg.part.coordinates)}
    return tuple(Written(a, b) for a, b in zip(text, latex, strict=True)), names


def _regular(machine: Machine) -> bool:
    """Return True if the legs have the same terms, numbered within the leg, and the same masses and first moments."""
    first, *others = [_Leg(machine, i) for i in range(len(machine.legs))]
    return all(leg.shape == first.shape and leg.values == first.values for leg in others)


class _Leg:
    """A leg's terms, summands by vector, with the paper's names; with ``own``, the names of the machine."""

    def __init__(self, machine: Machine, index: int, own: bool = False) -> None:
        self.part, self.index, self.own = machine.legs[index], index, own
        self.machine = machine
        self.used: dict[str, str] = {}
        self.terms = {
            self.unit(unit): sorted(self.summands(x), key=lambda s: s.minus) for unit, x in self.part.terms.items()
        }

    @property
    def shape(self) -> object:
        """Vectors, signs and constants of the terms, for comparison with other legs; without coordinates."""
        return [(unit, [(s.minus, s.name) for s in own]) for unit, own in self.terms.items()]

    @property
    def values(self) -> dict[str, Expression]:
        """Values of the leg's constants, by their written names."""
        return {shown: self.machine.constants[name] for shown, name in self.used.items()}

    def find_local_number(self, number: int) -> int:
        """Return the number of a body within the leg, from 1."""
        return self.part.numbers.index(number) + 1

    def unit(self, unit: str) -> str:
        """Name a vector: ``y`` of the hull; ``x_1`` of body 1 of the leg."""
        letter, _, number = unit.partition("_")
        return f"{letter}_{self.find_local_number(int(number))}" if number and not self.own else unit

    def summands(self, scalar: Expression) -> Iterator[Summand]:
        for minus, x in _flat(scalar):
            made = {
                node: self.summand(minus, *found[0])
                for node in unknowns([x])
                if (found := LETTER.findall(str(node.data)))
            }
            if x in made:
                yield made[x]
            elif self.machine.copies:
                found_axis = "a joint of the leg is along no axis of it"
                raise FormalismError(error("bodies", found_axis, "give the machine whole"))
            else:
                letters = {node: symbol(s.name) * (symbol(s.q) if s.q else ONE) for node, s in made.items()}
                yield Summand(minus, to_text(substitute([x], letters)[0]))

    def summand(self, minus: bool, kind: str, place: str) -> Summand:
        """Return the summand ± m_di, or ± m_qj written as a mass times a coordinate."""
        mass, number = f"m_{place}" if kind == "q" else f"m_{kind}{place}", int(place)
        return Summand(minus, self.constant(mass, number), self.coordinate(number) if kind == "q" else "")

    def constant(self, name: str, number: int) -> str:
        """Return the letter of a constant, and record its use."""
        relative = re.sub(r"\d+$", str(self.find_local_number(number)), name)
        shown = name if self.own else LETTERS.get(relative, relative)
        self.used.setdefault(shown, name)
        return shown

    def coordinate(self, number: int) -> str:
        """Name a coordinate: ``q_5`` of the fifth body of the machine."""
        k, n = self.find_local_number(number), len(self.part.numbers)
        name = self.part.coordinates[k - 1]
        found = re.fullmatch(r"q(\d+)", name)
        if self.machine.copies:
            return f"q_{n * self.index + k}"
        return f"q_{found[1]}" if found else name


def _flat(x: Expression) -> Iterator[tuple[bool, Expression]]:
    """Yield the summands of a sum, in order, with their signs."""
    stack = [(False, x)]
    while stack:
        minus, node = stack.pop()
        if node.op == "add":
            stack += [(minus, arg) for arg in reversed(node.args)]
        else:
            negative, size = split_sign(node)
            if negative and size.op == "add":
                stack.append((not minus, size))
            else:
                yield minus != negative, size


class _Writer:
    """Writer of the machine's lines in one style."""

    def __init__(self, legs: Sequence[_Leg], style: Style) -> None:
        self.legs, self.style = legs, style
        letters = [unit[0] for unit in legs[0].terms if "_" in unit]
        self.unique = {letter for letter in letters if letters.count(letter) == 1}

    def lines(self, constants: Mapping[str, Expression]) -> Iterator[str]:
        bar, align = self.style.bar, "&= " if self.style is LATEX else "= "
        for i, leg in enumerate(self.legs, 1):
            total = [(self._sum(own), self.vector(unit, i)) for unit, own in leg.terms.items() if own]
            yield f"{bar(f'm_{i}')} {align}{self._terms(total)}"
        yield f"{bar('m_c')} {align}{self._terms(self._machine())}"
        meanings = [*self._meanings(constants)]
        if meanings:
            yield (r"\text{where } " if self.style is LATEX else "where ") + ", ".join(meanings)

    def vector(self, unit: str, leg: int) -> str:
        """Return the written name of a vector, with the number of its leg."""
        letter, _, number = unit.partition("_")
        if not number or self.legs[0].own:
            return self.style.vector(unit)
        return self.style.vector(f"{letter}_{leg}" if letter in self.unique else f"{letter}_{number},{leg}")

    def _machine(self) -> Iterator[tuple[list[tuple[bool, str]], str]]:
        """Yield (coefficient, vector) of m̄_c: for vectors of the hull, then for vectors of the legs."""
        units = dict.fromkeys(unit for leg in self.legs for unit in leg.terms)
        for unit in sorted(u for u in units if "_" not in u):
            own = [s for leg in self.legs for s in leg.terms.get(unit, ())]
            yield self._gather_terms(own), self.vector(unit, 0)
        for unit in (u for u in units if "_" in u):
            having = [(i, leg.terms[unit]) for i, leg in enumerate(self.legs, 1) if unit in leg.terms]
            same = all(not s.q for _, own in having for s in own) and not self.legs[0].own
            if same and len(having) > 1:
                vectors = " + ".join(self.vector(unit, i) for i, _ in having)
                yield self._sum(having[0][1]), f"({vectors})"
            else:
                yield from ((self._sum(own), self.vector(unit, i)) for i, own in having)

    def _gather_terms(self, own: Sequence[Summand]) -> list[tuple[bool, str]]:
        """Join like terms: 4·m_n, m_c·(q_3 + q_6 + …)."""
        groups: dict[tuple[bool, str, bool], list[Summand]] = {}
        for s in own:
            groups.setdefault((s.minus, s.name, bool(s.q)), []).append(s)
        found = []
        for (minus, name, moving), group in groups.items():
            shown = self.style.name(name)
            if moving and len(group) > 1:
                inside = " + ".join(self.style.name(s.q) for s in group)
                shown = f"{shown}{self.style.dot}({inside})"
            elif moving:
                shown = f"{shown}{self.style.dot}{self.style.name(group[0].q)}"
            elif len(group) > 1:
                shown = f"{len(group)}{self.style.dot}{shown}"
            found.append((minus, shown))
        return sorted(found, key=lambda pair: pair[0])

    def _sum(self, own: Sequence[Summand]) -> list[tuple[bool, str]]:
        dot, name = self.style.dot, self.style.name
        return [(s.minus, f"{name(s.name)}{dot}{name(s.q)}" if s.q else name(s.name)) for s in own]

    def _terms(self, total: Iterable[tuple[list[tuple[bool, str]], str]]) -> str:
        """Write Σ coefficient · vector; a coefficient of several summands in brackets."""
        pieces: list[str] = []
        for coefficient, shown in total:
            minus, size = coefficient[0] if len(coefficient) == 1 else (False, _bracket(coefficient))
            sign = (" - " if minus else " + ") if pieces else ("-" if minus else "")
            pieces.append(f"{sign}{size}{self.style.dot}{shown}")
        return "".join(pieces) or "0"

    def _meanings(self, constants: Mapping[str, Expression]) -> Iterator[str]:
        """Yield the meaning of each letter of equal legs, with its value if there is one."""
        name, dot = self.style.name, self.style.dot
        first = self.legs[0]
        order = {s.name: s for own in first.terms.values() for s in own if s.name in first.used} | first.used
        for shown in () if first.own else order:
            own = first.used[shown]
            regular = re.sub(r"\d+$", lambda n: str(first.find_local_number(int(n[0]))), own)
            product = re.fullmatch(r"m_d(\d+)", regular)
            meaning = f"{name(f'm_{product[1]}')}{dot}{name(f'd_{product[1]}')}" if product else name(regular)
            value = constants[own]
            number = (to_latex if self.style is LATEX else to_text)(value) if value.op == "num" else ""
            said = [name(shown), *([meaning] if regular != shown else []), *([number] if number else [])]
            if len(said) > 1:
                yield " = ".join(said)


def _bracket(coefficient: Sequence[tuple[bool, str]]) -> str:
    """Return a coefficient in brackets: (a - b), or [a - b (c + d)]."""
    inside = "".join(
        (" - " if minus else " + ") + size if i else ("-" if minus else "") + size
        for i, (minus, size) in enumerate(coefficient)
    )
    return f"[{inside}]" if "(" in inside else f"({inside})"
