"""What generated equations are compared in, entry by entry, and what of it they do not deliver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.expressions import MINUS_ONE, ZERO, Expression, directional, rate, substitute
from mbconcord.validation.judge.agreement import refereed
from mbconcord.validation.judge.comparison import Difference, compare_evaluations, difference_of, worst
from mbconcord.validation.judge.evidence import Comparison

from .explain import explained
from .joint_loads import joint_loads
from .load_entry import Load, load_entry
from .matched import DELIVERED, Matched
from .motion_formulas import BodyFormulas
from .numbers import KINEMATICS, QUANTITIES
from .order import orders
from .origin import Origin
from .repeated import repeated


def comparisons(matched: Matched) -> Iterator[Comparison]:
    """All comparisons of the two sides under a pairing."""
    yield from _canonical(matched)
    yield from _motions(matched)
    yield from _loads(matched)
    yield from joint_loads(matched)
    yield from repeated(matched)
    yield from orders(matched.sides.system, matched.sides.equations)
    yield from _not_delivered(matched)
    yield from _motions_not_delivered(matched)


def _canonical(matched: Matched) -> Iterator[Comparison]:
    """Mass matrix, forces and accelerations: the generated equations with every formalism."""
    made, names = matched.trial, matched.sides.system.coordinate_names
    yield from made.failures()
    explained_already: set[str] = set()
    for own, other in matched.pairs:
        for c in compare_evaluations(own, other, made.scales, made.states, names):
            if c.quantity not in DELIVERED:
                continue
            if c.verdict == "disagrees" and c.discrepancy is not None:
                c = refereed(made, c)
                if c.verdict == "disagrees" and c.quantity not in explained_already:
                    c = _in_terms(matched, c, difference_of(own, other, c.quantity, made.scales))
                    if any(found.terms for found in c.terms):
                        explained_already.add(c.quantity)
            yield c


def _in_terms(matched: Matched, c: Comparison, difference: Difference) -> Comparison:
    system, derivations = matched.sides.system, matched.trial.derivations
    names = system.coordinate_names
    entries = list(product(names, names)) if c.quantity == "M" else [(name,) for name in names]
    sides = [_by_entry(derivations[who], c.quantity, entries) for who in (c.a, c.b)]

    def formulas(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        return sides[0].get(entry), sides[1].get(entry)

    origin = Origin(
        matched.sides.equations,
        lambda entry: _written(matched, c.quantity, entry),
        lambda entry: _place(matched, c.quantity, entry),
        matched.generated.transforms[c.quantity],
    )
    return explained(c, difference, entries, formulas, system, matched.sides.equations.used, origin)


def _written(matched: Matched, quantity: str, entry: tuple[str, ...]) -> Expression | None:
    """The set's own formula of an entry of a canonical quantity."""
    equations, (_, *at) = matched.sides.equations, _place(matched, quantity, entry)
    if quantity == "M":
        return equations.mass_matrix[at[0]][at[1]] if equations.mass_matrix else None
    return equations.residual[at[0]] if equations.residual else None


def _place(matched: Matched, quantity: str, entry: tuple[str, ...]) -> tuple[str, *tuple[int, ...]]:
    """Where the set has an entry of a canonical quantity: M in its lower triangle."""
    numbers = {pair.coordinate: pair.number for pair in matched.pairing.pairs}
    at = sorted((numbers[name] for name in entry), reverse=True)
    return ("M" if quantity == "M" else "residual", *at)


def _by_entry(
    derivation: Derivation, quantity: str, entries: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], Expression]:
    """Formulas of a quantity; inverse dynamics of their parts where they are not delivered."""
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


def _motions(matched: Matched) -> Iterator[Comparison]:
    """Motion of the bodies: the generated equations with validation's kinematics."""
    system, states = matched.sides.system, matched.sides.states
    for quantity, (made, difference) in matched.motions.items():
        formulas = BodyFormulas(matched, quantity, made)
        labels = formulas.labels
        c = worst(matched.generated.name, KINEMATICS, f"body_{quantity}", difference, states, labels)
        if c.verdict == "disagrees" and c.discrepancy is not None:
            entries = list(dict.fromkeys((label,) for label in labels))
            equations = matched.sides.equations
            origin = Origin(equations, formulas.written, formulas.place, formulas.transform)
            c = explained(c, difference, entries, formulas, system, equations.used, origin)
        yield c


def _loads(matched: Matched) -> Iterator[Comparison]:
    """How forces and moments on the bodies enter the force vector, whether the model has any or not."""
    sides = matched.sides
    found = load_entry(
        sides.equations, sides.kinematics, matched.bodies.names, matched.pairing, matched.values
    )
    if found is None:
        return
    loads, difference = found
    named: dict[tuple[str, ...], Load] = {(load.label,): load for load in loads}
    labels = [load.label for load in loads]
    c = worst(matched.generated.name, KINEMATICS, "body_loads", difference, sides.states, labels)
    if c.verdict == "disagrees" and c.discrepancy is not None:
        names = matched.pairing.replacements

        def formulas(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
            load = named[entry]
            return substitute([load.formula], names)[0], load.expected(sides.system)

        c = explained(
            c,
            difference,
            list(named),
            formulas,
            sides.system,
            sides.equations.used,
            _of_loads(matched, named, c),
        )
    yield c


def _of_loads(matched: Matched, named: Mapping[tuple[str, ...], Load], c: Comparison) -> Origin:
    """Where the set writes what a load does: its symbol in the row of a coordinate, of the entry that is worst."""
    equations, names = matched.sides.equations, matched.pairing.replacements
    worst_load = named[c.entry]

    def written(entry: tuple[str, ...]) -> Expression | None:
        load = named[entry]
        same = load.symbol is worst_load.symbol
        return equations.residual[load.pair.number] if equations.residual and same else None

    def transform(formulas: Sequence[Expression]) -> Sequence[Expression]:
        return substitute(directional(formulas, {worst_load.symbol: MINUS_ONE}), names)

    def place(entry: tuple[str, ...]) -> tuple[str | int, ...]:
        return ("residual", named[entry].pair.number)

    return Origin(equations, written, place, transform)


def _not_delivered(matched: Matched) -> Iterator[Comparison]:
    """Canonical quantities that a set lacks are not checked; a print never has them."""
    if matched.sides.equations.count is not None:
        for quantity, reason in matched.generated.missing.items():
            yield Comparison(matched.generated.name, "", quantity, "not checked", explanation=reason)
    compared = {w for own, other in matched.pairs for w in (own.formalism, other.formalism)}
    if matched.sides.equations.count is not None and not compared:
        yield Comparison(
            matched.generated.name, "", "M", "not checked", explanation="no formalism takes the model"
        )


def _motions_not_delivered(matched: Matched) -> Iterator[Comparison]:
    """Motion of bodies that a set does not tell is not checked; a print tells of one body only."""
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
