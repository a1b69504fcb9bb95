"""Contents of printed equations, independent of notation: quantities, intermediates that they need, names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mbconcord.model import MbconcordError
from mbconcord.model.derivation import CLOSING, DIVIDED, QUANTITIES, Derivation, Nested, Stage, flatten
from mbconcord.model.diagnostics import among, error
from mbconcord.model.expressions import ZERO, Expression, rate, symbol, topological
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.mixed import drive_row
from mbconcord.model.naming import Namer
from mbconcord.model.notation.listing import BalanceLine, Product, products
from mbconcord.records import dataclass

# The equations of motion themselves: M q'' + h = gravity + applied + Dᵀ λ and D q'' + γ̃ = 0, row by row.


#: Writes a name on paper.
PaperName = Callable[[str], str]
#: By this name the equations are asked for among the quantities.
EQUATIONS = "equations"
#: What the equations are made of, beside D and γ̃.
PARTS = ("M", "h", "gravity", "applied")
UNITS = (
    "lambda acts along its row: in N where the row measures a length (rods, points, translations), in N m where an "
    "angle; for a row f of the model's own in J per unit of f, for a row of velocities in W per unit of the row"
)


DRIVES = "lambda of a drive is the effort that it needs to impose the acceleration"


def units(rows: Iterable[str]) -> str:
    """Describe the directions and units of the multipliers of these rows."""
    of_drives = [row.startswith(drive_row("")) for row in rows]
    return "; ".join(text for text, holds in ((UNITS, not all(of_drives)), (DRIVES, any(of_drives))) if holds)


@dataclass(frozen=True)
class LabelledEquations:
    """The equations of motion, written in labels of the elements of quantities.

    Attributes
    ----------
    balances : the equation of every coordinate, then of every row
    labels : label -> the element of a quantity that it stands for
    multipliers : symbol of a multiplier λ -> name of its constraint row
    """

    balances: tuple[BalanceLine, ...]
    labels: Mapping[str, ScalarElement]
    multipliers: Mapping[str, str]


def equations(derivation: Derivation) -> LabelledEquations:
    """Return the equations of motion of a derivation, without terms that are zero."""
    given = {part: derivation.quantities[part] for part in PARTS}
    given |= {key: derivation.native[key] for key in closing(derivation)}
    found = [e for key, value in given.items() for e in elements(derivation, key, value)]
    labels = {e.label: e for e in found}
    shown = {(e.quantity, e.indices): symbol(e.label) if e.expression else ZERO for e in found}
    multipliers = multipliers_of(derivation)
    numbers = [str(i) for i in range(1, len(multipliers) + 1)]
    names = derivation.system.coordinate_names
    reactions = list(zip(numbers, map(symbol, multipliers), strict=True))
    balances = []
    for a in names:
        inertia = ((shown["M", (a, b)], rate(b, 2)) for b in names)
        forces = ((shown[key, (a,)],) for key in ("gravity", "applied"))
        constraint = ((shown["D", (i, a)], force) for i, force in reactions)
        balances.append(BalanceLine(a, products(*inertia, (shown["h", (a,)],)), products(*forces, *constraint)))
    for i, row in zip(numbers, derivation.rows, strict=True):
        moving = ((shown["D", (i, b)], rate(b, 2)) for b in names)
        balances.append(BalanceLine(row, products(*moving, (shown["γ̃", (i,)],)), ()))
    return LabelledEquations(tuple(balances), labels, multipliers)


def multipliers_of(derivation: Derivation) -> dict[str, str]:
    """Map the symbols of multipliers, ``lambda1``, …, to the names of their constraint rows."""
    namer = Namer((*derivation.system.names, *(a.name for a in derivation.assignments)))
    return {namer.fresh(f"lambda{i}"): row for i, row in enumerate(derivation.rows, 1)}


def is_stated(derivation: Derivation, names: Sequence[str]) -> bool:
    """Return True if the equations are printed: on request, and for constrained models by default."""
    complete = all(part in derivation.quantities for part in PARTS)
    return complete and (EQUATIONS in names or (not names and bool(derivation.rows)))


def side(terms: Sequence[Product], factor: Callable[[Expression], str], times: str, signs: Mapping[str, str]) -> str:
    """Write one side of an equation; ``signs`` maps `` + ``, `` - ``, ``-`` and ``0`` to those of the notation."""
    parts = []
    for i, term in enumerate(terms):
        sign = (" - " if term.minus else " + ") if i else "-" if term.minus else ""
        parts += [signs.get(sign, sign), times.join(map(factor, term.factors))]
    return "".join(parts) or signs.get("0", "0")


def legend(stated: LabelledEquations) -> tuple[str, ...]:
    """Describe the multipliers: the row of each, and its unit."""
    if not stated.multipliers:
        return ()
    rows = ", ".join(f"{name} of {row}" for name, row in stated.multipliers.items())
    return f"multipliers: {rows}", units(stated.multipliers.values())


#: What a keyboard has for names of quantities that are written in Greek.
SPELLED = {
    "Pi": "Π", "Phi": "Φ", "gamma": "γ", "gamma_tilde": "γ̃", "m_bar": "m̄", "M_Delta": "MΔ",
}  # fmt: skip


@dataclass(frozen=True)
class ScalarElement:
    """One scalar of a quantity; its indices are names of coordinates or numbers from 1."""

    quantity: str
    indices: tuple[str, ...]
    expression: Expression

    @property
    def label(self) -> str:
        """Name of the element: ``h[z1]``, ``M[z1, z2]``, or the quantity's name if it is a scalar."""
        return f"{self.quantity}[{', '.join(self.indices)}]" if self.indices else self.quantity


def is_inner(name: str) -> bool:
    """Return True if a quantity only judges others, such as ``sizes of gaps``, and is not requested."""
    return " of " in name and "(" not in name


def choose(derivation: Derivation, names: Sequence[str] = ()) -> dict[str, Nested]:
    """Choose quantities by name; without names all canonical ones, and D and γ̃ of constraints.

    Raises
    ------
    MbconcordError
        The formalism does not deliver a quantity of that name; the message lists those that it delivers.
    """
    available = [name for name in (*derivation.native, *derivation.quantities) if not is_inner(name)]
    names = [SPELLED.get(name, name) for name in names]
    unknown = [name for name in names if name not in available]
    if unknown:
        raise MbconcordError(
            [
                error("--quantity", f"{derivation.formalism} does not deliver {n!r} here", among(n, available))
                for n in unknown
            ]
        )
    canonical, native = derivation.quantities, derivation.native
    if not names:
        found = {name: canonical[name] for name in QUANTITIES if name in canonical}
        return found | {name: native[name] for name in closing(derivation)}
    return {name: canonical[name] if name in canonical else native[name] for name in names}


def closing(derivation: Derivation) -> tuple[str, ...]:
    """List the derivation's quantities that have a row for every constraint, D and γ̃; empty without constraints."""
    return tuple(name for name in CLOSING if derivation.rows and name in derivation.native)


def axes_of(derivation: Derivation, quantity: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of a quantity's entries along each axis; an empty or missing axis is numbered."""
    names = derivation.system.coordinate_names
    if quantity in derivation.quantities or quantity not in derivation.native:
        return names, names
    if derivation.rows and quantity in CLOSING:
        return (), names
    if quantity in DIVIDED:
        return (names,)
    return derivation.indices.get(quantity, ())


def elements(derivation: Derivation, quantity: str, value: Nested) -> Iterator[ScalarElement]:
    """Yield the scalars of a quantity in order, with names or numbers of their indices; rows are numbered from 1."""
    axes = axes_of(derivation, quantity)

    def walk(inner: Nested, indices: tuple[str, ...]) -> Iterator[ScalarElement]:
        if isinstance(inner, tuple):
            own = axes[len(indices)] if len(indices) < len(axes) else ()
            labels = own or tuple(str(i + 1) for i in range(len(inner)))
            for label, item in zip(labels, inner, strict=True):
                yield from walk(item, (*indices, label))
        else:
            yield ScalarElement(quantity, indices, inner)

    yield from walk(value, ())


def needed_stages(derivation: Derivation, quantities: dict[str, Nested]) -> tuple[Stage, ...]:
    """Return the stages of a derivation with only those assignments that the quantities use; drop empty stages.

    All stages stay whole if the formalism writes one in its own notation, since that may use all assignments.
    """
    if any(stage.written for stage in derivation.stages):
        return tuple(stage for stage in derivation.stages if stage.assignments or stage.written)
    used = set(topological([x for value in quantities.values() for x in flatten(value)]))
    kept = (Stage(s.name, s.title, tuple(a for a in s.assignments if a.expression in used)) for s in derivation.stages)
    return tuple(stage for stage in kept if stage.assignments)


#: A formula with more operands than this is broken up: its repeated parts get names of their own.
LONGEST = 400


@dataclass(frozen=True)
class ListingLine:
    """One line ``label = expression``; ``names`` maps parts of the expression to names from earlier lines."""

    label: str
    expression: Expression
    names: Mapping[Expression, str]
    element: ScalarElement | None = None


@dataclass(frozen=True)
class ListingGroup:
    """Lines under a heading: a stage of the derivation or a quantity."""

    title: str
    stage: Stage | None
    lines: tuple[ListingLine, ...]


def listing(derivation: Derivation, quantities: dict[str, Nested]) -> Iterator[ListingGroup]:
    """Yield the quantities line by line, needed intermediates first; each line uses names of earlier lines only."""
    writer = _ListingWriter(derivation, quantities)
    for stage in needed_stages(derivation, quantities):
        lines = [line for a in stage.assignments for line in writer.lines(a.name, a.expression, None)]
        yield ListingGroup(stage.title, stage, tuple(lines))
    for quantity, value in quantities.items():
        found = elements(derivation, quantity, value)
        yield ListingGroup(
            quantity, None, tuple(line for e in found for line in writer.lines(e.label, e.expression, e))
        )


def tell_apart(derivation: Derivation, groups: Iterable[ListingGroup], write: Callable[..., str]) -> PaperName:
    """Return a function that writes names; of names that would look alike, it writes all but the first in full."""
    written: dict[str, str] = {}
    taken = set()
    lines = (line.label for group in groups for line in group.lines if line.element is None)
    for name in dict.fromkeys((*sorted(derivation.system.names), *lines)):
        usual = write(name)
        written[name] = write(name, whole=True) if usual in taken else usual
        taken.add(usual)
    return lambda name: written.get(name) or write(name)


class _ListingWriter:
    """Writer of lines that knows which expressions have names already, and names repeated parts of long formulas."""

    def __init__(self, derivation: Derivation, quantities: dict[str, Nested]) -> None:
        self.names: dict[Expression, str] = {}
        self.taken = {a.name for a in derivation.assignments} | set(derivation.system.coordinate_names)
        self.taken |= {p.name for p in derivation.system.parameters}
        outputs = [x for value in quantities.values() for x in flatten(value)]
        outputs += [a.expression for a in derivation.assignments]
        nodes = topological(outputs)
        self.uses = Counter(arg for node in nodes for arg in node.args)
        self.count = 0

    def lines(self, label: str, expression: Expression, element: ScalarElement | None) -> Iterator[ListingLine]:
        if expression not in self.names and written_size(expression, self._below) > LONGEST:
            for node in topological([expression], self._below):
                if node is not expression and self.uses[node] > 1 and self._worth(node):
                    part = self._line(self._new(), node, None)
                    yield part
                    self.names[node] = part.label
        yield self._line(label, expression, element)
        if element is None and self._worth(expression):
            self.names.setdefault(expression, label)

    def _line(self, label: str, expression: Expression, element: ScalarElement | None) -> ListingLine:
        parts = topological([expression], self._below)
        return ListingLine(label, expression, {p: self.names[p] for p in parts if p in self.names}, element)

    def _below(self, node: Expression) -> tuple[Expression, ...]:
        return () if node in self.names else node.args

    def _worth(self, node: Expression) -> bool:
        """Return True if a part deserves a name: an operation, not constant, without a name so far, and no negation."""
        return bool(node.args) and not node.constant and node not in self.names and node.op != "neg"

    def _new(self) -> str:
        while True:
            self.count += 1
            name = f"s{self.count}"
            if name not in self.taken:
                return name
