"""Comparison of generated equations entry by entry, and the entries that they lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

import numpy as np

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import MINUS_ONE, ZERO, Expression, directional, rate, substitute, symbols
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.records import dataclass, fields
from mbconcord.validation.judge.agreement import compare, refereed
from mbconcord.validation.judge.comparison import ArrayDifference, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.witness import Answer

from .body_formulas import Origin, WrittenPlace, body_formula, frame
from .joint_loads import joint_loads
from .loads import LoadEntry, load_entry
from .matched import DELIVERED, Matched
from .numbers import AXES, KINEMATICS, QUANTITIES, TWIST, Entries
from .pairing import orders


@dataclass(frozen=True)
class BodyFormulas:
    """Formulas of entries of the motion of bodies, generated and the model's, by the entry's label."""

    matched: Matched
    quantity: str
    made: Entries

    @property
    def labels(self) -> list[str]:
        """Names of the entries: body and component."""
        pairs = zip(self.made.bodies, self.made.labels, strict=True)
        return [f"{body or 'fixed frame'} {label}" for body, label in pairs]

    def __call__(self, entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        """Return an entry's formula of the generated equations, in the model's coordinates, and that of the model."""
        made, matched, i = self.made, self.matched, self.labels.index(entry[0])
        (own,) = substitute([made.formulas[i]], matched.pairing.replacements)
        origin = frame(matched.sides.system, made.bodies[i], matched.bodies.centred)
        return own, body_formula(matched.sides.system, self.quantity, made.labels[i], origin)

    def find_formula(self, entry: tuple[str, ...]) -> Expression:
        """Return the equations' own formula of an entry; for a column of a reversed coordinate, without its sign."""
        formula = self.made.formulas[self.labels.index(entry[0])]
        statements = self.matched.sides.equations.statements
        return -formula if formula not in statements and -formula in statements else formula

    def place(self, entry: tuple[str, ...]) -> tuple[str | int, ...] | None:
        """Return the key of an entry in the places of the equations: number of the body, quantity, indices."""
        i = self.labels.index(entry[0])
        name, label = self.made.bodies[i], self.made.labels[i]
        pairs = self.matched.pairing.pairs
        number = next((n for n, body in self.matched.bodies.names.items() if body == name), None)
        if number is None:
            return None
        if self.quantity not in ("jacobian", "screws"):
            return (number, self.quantity, *map(AXES.index, label))
        component, _, coordinate = label.partition(" ")
        own = [p for p in pairs if name and p.coordinate in self.matched.sides.system.body(name).coordinates]
        if self.quantity == "screws":
            row = next((k for k, p in enumerate(own) if p.coordinate == coordinate), len(own))
            return (number, "screws", row, TWIST.index(component))
        column = next(p.number for p in pairs if p.coordinate == coordinate)
        return (number, "jacobian", TWIST.index(component), column)

    def transform(self, formulas: Sequence[Expression]) -> Sequence[Expression]:
        """Return formulas with the model's coordinates substituted for the generated ones."""
        return substitute(formulas, self.matched.pairing.replacements)


def comparisons(matched: Matched) -> Iterator[WrittenPlace | Comparison]:
    """Yield all comparisons of the two sides under a pairing, those of numbers with explanations."""
    yield from _canonical(matched)
    yield from _motions(matched)
    yield from _loads(matched)
    yield from joint_loads(matched)
    yield from compare_repeated(matched)
    yield from orders(matched.sides.system, matched.sides.equations)
    yield from _not_delivered(matched)
    yield from _motions_not_delivered(matched)


def _canonical(matched: Matched) -> Iterator[WrittenPlace | Comparison]:
    """Yield comparisons of the generated mass matrix, forces and inverse dynamics with every formalism."""
    made = matched.trial
    yield from made.failures()
    for own, other in matched.pairs:
        for c, difference in compare(Answer(own), Answer(other), made):
            if c.quantity in DELIVERED:
                unlike = c.verdict == "disagrees" and c.discrepancy is not None
                yield _in_terms(matched, refereed(made, c), difference) if unlike else c


def _in_terms(matched: Matched, c: Comparison, difference: ArrayDifference) -> WrittenPlace:
    derivations, names = matched.trial.derivations, matched.sides.system.coordinate_names
    entries = list(product(names, names)) if c.quantity == "M" else [(name,) for name in names]
    sides = [_by_entry(derivations[who], c.quantity, entries) for who in (c.a, c.b)]

    def formulas(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        return sides[0].get(entry), sides[1].get(entry)

    origin = Origin(
        matched.sides.equations,
        lambda entry: _find_formula(matched, c.quantity, entry),
        lambda entry: _place(matched, c.quantity, entry),
        matched.generated_witness.transforms[c.quantity],
    )
    return WrittenPlace(c, difference, entries, formulas, origin)


def _find_formula(matched: Matched, quantity: str, entry: tuple[str, ...]) -> Expression | None:
    """Return the equations' own formula for an entry of a canonical quantity; None if they have none."""
    equations, (_, *at) = matched.sides.equations, _place(matched, quantity, entry)
    if quantity == "M":
        return equations.mass_matrix[at[0]][at[1]] if equations.mass_matrix else None
    return equations.residual[at[0]] if equations.residual else None


def _place(matched: Matched, quantity: str, entry: tuple[str, ...]) -> tuple[str, *tuple[int, ...]]:
    """Return the key of a canonical quantity's entry in the places of the equations; M by its lower triangle."""
    numbers = {pair.coordinate: pair.number for pair in matched.pairing.pairs}
    at = sorted((numbers[name] for name in entry), reverse=True)
    return ("M" if quantity == "M" else "residual", *at)


def _by_entry(
    derivation: Derivation, quantity: str, entries: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], Expression]:
    """Return formulas of a quantity by entry; inverse dynamics is composed of its parts if it is not delivered."""
    found = derivation.quantities
    if quantity in found:
        return dict(zip(entries, flatten(found[quantity]), strict=True))
    if quantity != "inverse_dynamics" or any(name not in found for name in ("M", "h", "gravity", "applied")):
        return {}
    a = [rate(name, 2) for name in derivation.system.coordinate_names]
    mass, parts = flatten(found["M"]), [flatten(found[name]) for name in ("h", "gravity", "applied")]
    inertia = [sum((next(mass) * x for x in a), ZERO) for _ in a]
    rows = (m + h - g - q for m, h, g, q in zip(inertia, *parts, strict=True))
    return dict(zip(entries, rows, strict=True))


def _motions(matched: Matched) -> Iterator[WrittenPlace]:
    """Yield comparisons of the bodies' motion in the generated equations with validation's kinematics."""
    states = matched.sides.states
    for quantity, (made, difference) in matched.motions.items():
        formulas = BodyFormulas(matched, quantity, made)
        labels = formulas.labels
        c = worst(matched.generated_witness.name, KINEMATICS, f"body_{quantity}", difference, states, labels)
        entries = list(dict.fromkeys((label,) for label in labels))
        origin = Origin(matched.sides.equations, formulas.find_formula, formulas.place, formulas.transform)
        yield WrittenPlace(c, difference, entries, formulas, origin)


def _loads(matched: Matched) -> Iterator[WrittenPlace | Comparison]:
    """Yield the comparison of coefficients of body loads in the force vector, even if the model has no loads."""
    sides = matched.sides
    found = load_entry(sides.equations, sides.kinematics, matched.bodies.names, matched.pairing, matched.values)
    if found is None:
        return
    loads, difference = found
    named: dict[tuple[str, ...], LoadEntry] = {(load.label,): load for load in loads}
    labels = [load.label for load in loads]
    c = worst(matched.generated_witness.name, KINEMATICS, "body_loads", difference, sides.states, labels)
    if c.verdict != "disagrees" or c.discrepancy is None:
        yield c
        return
    names = matched.pairing.replacements

    def formulas(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        load = named[entry]
        return substitute([load.formula], names)[0], load.expected_formula(sides.system)

    yield WrittenPlace(c, difference, list(named), formulas, _of_loads(matched, named, c))


def _of_loads(matched: Matched, named: Mapping[tuple[str, ...], LoadEntry], c: Comparison) -> Origin:
    """Return the origin of load entries: coefficients of the worst entry's load symbol in rows of the residual."""
    equations, names = matched.sides.equations, matched.pairing.replacements
    worst_load = named[c.entry]

    def find_formula(entry: tuple[str, ...]) -> Expression | None:
        load = named[entry]
        same = load.symbol is worst_load.symbol
        return equations.residual[load.pair.number] if equations.residual and same else None

    def transform(formulas: Sequence[Expression]) -> Sequence[Expression]:
        return substitute(directional(formulas, {worst_load.symbol: MINUS_ONE}), names)

    def place(entry: tuple[str, ...]) -> tuple[str | int, ...]:
        return ("residual", named[entry].pair.number)

    return Origin(equations, find_formula, place, transform)


def _not_delivered(matched: Matched) -> Iterator[Comparison]:
    """Yield as not checked the canonical quantities that a set of equations lacks; a print never has them."""
    if matched.sides.equations.count is not None:
        for quantity, reason in matched.generated_witness.missing.items():
            yield Comparison(matched.generated_witness.name, "", quantity, "not checked", explanation=reason)
    compared = {w for own, other in matched.pairs for w in (own.formalism, other.formalism)}
    if matched.sides.equations.count is not None and not compared:
        yield Comparison(
            matched.generated_witness.name, "", "M", "not checked", explanation="no formalism takes the model"
        )


def _motions_not_delivered(matched: Matched) -> Iterator[Comparison]:
    """Yield as not checked the motions of bodies that a set of equations lacks; a print gives one body only."""
    equations, system = matched.sides.equations, matched.sides.system
    if equations.count is None:
        return
    for quantity in QUANTITIES:
        absent = [
            name
            for number, name in matched.bodies.names.items()
            if name
            and (quantity != "jacobian" or any(body.coordinates for body in system.path(name)))
            and (quantity != "screws" or system.body(name).coordinates)
            and getattr(equations.bodies.get(number), quantity, None) is None
        ]
        if absent:
            reason = f"not delivered: {', '.join(absent)}"
            yield Comparison(equations.program, "", f"body_{quantity}", "not checked", explanation=reason)
    left = [str(number) for number in equations.bodies if number not in matched.bodies.names]
    if left:
        reason = f"the model has no body for number {', '.join(left)} of the equations"
        yield Comparison(equations.program, "", "body_position", "not checked", explanation=reason)


#: Formulas by their names: of entries, rows and motions.
Formulas = Mapping[str, Expression]


def compare_repeated(matched: Matched) -> Iterator[WrittenPlace | Comparison]:
    """Yield comparisons of the equations for threads with the plain ones: M, residual, motion; if both have them."""
    first = matched.sides.equations
    second = first.repeated
    if second is None:
        return
    for quantity, formulas in (("M", _mass), ("residual", _residual), ("motion", _motion)):
        one, other = formulas(first), formulas(second)
        if one.keys() == other.keys() and one:
            yield _compare(matched, f"parallel_{quantity}", one, other)
        elif one or other:
            lacking = ", ".join(sorted(one.keys() ^ other.keys())[:6])
            reason = f"not in both, the formulas and those for threads: {lacking}"
            yield Comparison(first.program, "", f"parallel_{quantity}", "not checked", explanation=reason)


def _mass(equations: GeneratedEquations) -> Formulas:
    rows = enumerate(equations.mass_matrix or (), 1)
    return {f"{i}, {j}": x for i, row in rows for j, x in enumerate(row, 1)}


def _residual(equations: GeneratedEquations) -> Formulas:
    return {str(i): x for i, x in enumerate(equations.residual or (), 1)}


def _motion(equations: GeneratedEquations) -> Formulas:
    found: dict[str, Expression] = {}
    for number, motion in equations.bodies.items():
        for item in fields(motion):
            value = getattr(motion, item.name)
            rows = value if isinstance(value, Mapping) else {"": value} if value is not None else {}
            for key, row in rows.items():
                cells = enumerate(flatten(row), 1)
                found |= {f"{item.name} of body {number} {key} {i}": x for i, x in cells}
    return found


def _compare(matched: Matched, quantity: str, first: Formulas, second: Formulas) -> WrittenPlace:
    """Compare formulas: equal ones are the same node; others by numbers with random forces, within rounding bounds."""
    states, random = matched.sides.states, Random(matched.sides.seed)
    values = dict(matched.values)
    roots = [*first.values(), *(second[name] for name in first)]
    for name in sorted(symbols(roots)):
        if name.startswith(("_force", "_moment", "_jf")):
            values[name] = np.array([random.uniform(-1, 1) for _ in states])
    numbers, off = run_bounds(levels(program(roots)), values)
    shape, n = (len(numbers), len(states)), len(first)
    numbers, off = (np.broadcast_to(x, shape).T for x in (numbers, off))
    same = np.array([x is second[name] for name, x in first.items()])
    bound = np.where(same, 0.0, off[:, :n] + off[:, n:])
    a, b, none = numbers[:, :n], numbers[:, n:], np.zeros(len(states))
    difference = ArrayDifference(a, b, np.fmax(np.abs(a), np.abs(b)), none, none + 1.0, bound=bound)
    c = worst(matched.generated_witness.name, "for threads", quantity, difference, states, list(first))

    def both(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        return first[entry[0]], second[entry[0]]

    origin = Origin(matched.sides.equations, lambda entry: first[entry[0]], lambda entry: None, list)
    return WrittenPlace(c, difference, [(name,) for name in first], both, origin)
