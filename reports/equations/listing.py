"""What is printed of a derivation, whatever the notation: quantities, needed intermediates, names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mbconcord.model import MbconcordError
from mbconcord.model.derivation import CLOSING, DIVIDED, QUANTITIES, Derivation, Nested, Stage, flatten
from mbconcord.model.diagnostics import among, error
from mbconcord.model.expressions import Expression, topological
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.numbers import define

#: What a keyboard has for names of quantities that are written in Greek.
SPELLED = {
    "Pi": "Π", "Phi": "Φ", "gamma": "γ", "gamma_tilde": "γ̃", "m_bar": "m̄", "M_Delta": "MΔ",
}  # fmt: skip


@dataclass(frozen=True)
class Element:
    """One scalar of a quantity and its indices, as names of coordinates or counted from 1."""

    quantity: str
    indices: tuple[str, ...]
    expression: Expression

    @property
    def label(self) -> str:
        """``h[z1]``, ``M[z1, z2]``, or the quantity's name for a scalar."""
        return f"{self.quantity}[{', '.join(self.indices)}]" if self.indices else self.quantity


def choose(derivation: Derivation, names: Sequence[str] = ()) -> dict[str, Nested]:
    """Quantities by name, canonical or native; when no name is given all canonical ones, and D and γ̃ of constraints.

    Raises
    ------
    MbconcordError
        The formalism does not deliver a quantity of that name; those it delivers are listed.
    """
    available = dict.fromkeys((*derivation.native, *derivation.quantities))
    names = [SPELLED.get(name, name) for name in names]
    unknown = [name for name in names if name not in available]
    if unknown:
        raise MbconcordError(
            [
                error(
                    "--quantity", f"{derivation.formalism} does not deliver {n!r} here", among(n, available)
                )
                for n in unknown
            ]
        )
    canonical, native = derivation.quantities, derivation.native
    if not names:
        found = {name: canonical[name] for name in QUANTITIES if name in canonical}
        return found | {name: native[name] for name in closing(derivation)}
    return {name: canonical[name] if name in canonical else native[name] for name in names}


def closing(derivation: Derivation) -> tuple[str, ...]:
    """The quantities that have a row for every constraint row; none without constraints."""
    return tuple(name for name in CLOSING if derivation.rows and name in derivation.native)


def axes_of(derivation: Derivation, quantity: str) -> tuple[tuple[str, ...], ...]:
    """What the entries of a quantity are called, axis by axis; an axis that is empty, or not there, is counted."""
    names = derivation.system.coordinate_names
    if quantity in derivation.quantities or quantity not in derivation.native:
        return names, names
    if derivation.rows and quantity in CLOSING:
        return (), names
    if quantity in DIVIDED:
        return (names,)
    return derivation.indices.get(quantity, ())


def elements(derivation: Derivation, quantity: str, value: Nested) -> Iterator[Element]:
    """The scalars of a quantity in order, by the names of their places; rows of constraints are counted from 1."""
    axes = axes_of(derivation, quantity)

    def walk(inner: Nested, indices: tuple[str, ...]) -> Iterator[Element]:
        if isinstance(inner, tuple):
            own = axes[len(indices)] if len(indices) < len(axes) else ()
            labels = own or tuple(str(i + 1) for i in range(len(inner)))
            for label, item in zip(labels, inner, strict=True):
                yield from walk(item, (*indices, label))
        else:
            yield Element(quantity, indices, inner)

    yield from walk(value, ())


def needed_stages(derivation: Derivation, quantities: dict[str, Nested]) -> tuple[Stage, ...]:
    """The stages with only those assignments that the quantities use; a stage without any is left out.

    What the source writes out in its own notation may use any of them: then all stages are kept whole.
    """
    if any(stage.written for stage in derivation.stages):
        return tuple(stage for stage in derivation.stages if stage.assignments or stage.written)
    used = set(topological([x for value in quantities.values() for x in flatten(value)]))
    kept = (
        Stage(s.name, s.title, tuple(a for a in s.assignments if a.expression in used))
        for s in derivation.stages
    )
    return tuple(stage for stage in kept if stage.assignments)


#: A formula with more operands than this is broken up: its repeated parts get names of their own.
LONGEST = 400


@dataclass(frozen=True)
class Line:
    """One line ``label = expression``; ``names``: parts of it that earlier lines have named."""

    label: str
    expression: Expression
    names: Mapping[Expression, str]
    element: Element | None = None


@dataclass(frozen=True)
class Group:
    """Lines under a heading: a stage of the derivation or a quantity."""

    title: str
    stage: Stage | None
    lines: tuple[Line, ...]


def listing(derivation: Derivation, quantities: dict[str, Nested]) -> Iterator[Group]:
    """The quantities line by line, needed intermediates first; each line uses names of earlier lines only."""
    writer = _Writer(derivation, quantities)
    for stage in needed_stages(derivation, quantities):
        lines = [line for a in stage.assignments for line in writer.lines(a.name, a.expression, None)]
        yield Group(stage.title, stage, tuple(lines))
    for quantity, value in quantities.items():
        found = elements(derivation, quantity, value)
        yield Group(
            quantity, None, tuple(line for e in found for line in writer.lines(e.label, e.expression, e))
        )


class _Writer:
    """Knows which expressions have names so far, and names repeated parts of long formulas."""

    def __init__(self, derivation: Derivation, quantities: dict[str, Nested]) -> None:
        self.names: dict[Expression, str] = {}
        self.taken = {a.name for a in derivation.assignments} | set(derivation.system.coordinate_names)
        self.taken |= {p.name for p in derivation.system.parameters}
        outputs = [x for value in quantities.values() for x in flatten(value)]
        outputs += [a.expression for a in derivation.assignments]
        nodes = topological(outputs)
        self.uses = Counter(arg for node in nodes for arg in node.args)
        self.count = 0

    def lines(self, label: str, expression: Expression, element: Element | None) -> Iterator[Line]:
        if expression not in self.names and written_size(expression, self._below) > LONGEST:
            for node in topological([expression], self._below):
                if node is not expression and self.uses[node] > 1 and self._worth(node):
                    part = self._line(self._new(), node, None)
                    yield part
                    self.names[node] = part.label
        yield self._line(label, expression, element)
        if element is None and self._worth(expression):
            self.names.setdefault(expression, label)

    def _line(self, label: str, expression: Expression, element: Element | None) -> Line:
        parts = topological([expression], self._below)
        return Line(label, expression, {p: self.names[p] for p in parts if p in self.names}, element)

    def _below(self, node: Expression) -> tuple[Expression, ...]:
        return () if node in self.names else node.args

    def _worth(self, node: Expression) -> bool:
        """Whether the node is an operation that is worth a name: symbols and numbers keep their own."""
        return bool(node.args) and not node.constant and node not in self.names and node.op != "neg"

    def _new(self) -> str:
        while True:
            self.count += 1
            name = f"s{self.count}"
            if name not in self.taken:
                return name


def defined(derivation: Derivation, quantities: dict[str, Nested]) -> list[Expression]:
    """All scalars of the quantities, with the model's functions replaced by their formulas."""
    return define([x for value in quantities.values() for x in flatten(value)], derivation.system.functions)
