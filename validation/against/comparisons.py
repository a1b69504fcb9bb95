"""What generated equations are compared in, entry by entry, and what of it they do not deliver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.expressions import ZERO, Expression, rate, substitute
from mbconcord.validation.judge.agreement import refereed
from mbconcord.validation.judge.comparison import Difference, compare_evaluations, difference_of, worst
from mbconcord.validation.judge.evidence import Comparison

from .body_formulas import body_formula, frame
from .explain import explained
from .joint_loads import joint_loads
from .load_entry import load_entry
from .matched import DELIVERED, Matched
from .numbers import KINEMATICS, QUANTITIES, Entries
from .order import orders
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

    return explained(c, difference, entries, formulas, system, matched.sides.equations.used)


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


@dataclass(frozen=True)
class _BodyFormulas:
    """Both formulas of an entry of the motion of bodies, found by its label."""

    matched: Matched
    quantity: str
    made: Entries

    @property
    def labels(self) -> list[str]:
        """Names of the entries: body and component."""
        pairs = zip(self.made.bodies, self.made.labels, strict=True)
        return [f"{body or 'fixed frame'} {label}" for body, label in pairs]

    def __call__(self, entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
        """Of the generated equations, in the model's coordinates, and of the model."""
        made, matched, i = self.made, self.matched, self.labels.index(entry[0])
        (own,) = substitute([made.formulas[i]], matched.pairing.replacements)
        origin = frame(matched.sides.system, made.bodies[i], matched.bodies.centred)
        return own, body_formula(matched.sides.system, self.quantity, made.labels[i], origin)


def _motions(matched: Matched) -> Iterator[Comparison]:
    """Motion of the bodies: the generated equations with validation's kinematics."""
    system, states = matched.sides.system, matched.sides.states
    for quantity, (made, difference) in matched.motions.items():
        formulas = _BodyFormulas(matched, quantity, made)
        labels = formulas.labels
        c = worst(matched.generated.name, KINEMATICS, f"body_{quantity}", difference, states, labels)
        if c.verdict == "disagrees" and c.discrepancy is not None:
            entries = list(dict.fromkeys((label,) for label in labels))
            c = explained(c, difference, entries, formulas, system, matched.sides.equations.used)
        yield c


def _loads(matched: Matched) -> Iterator[Comparison]:
    """How forces and moments on the bodies enter the force vector, whether the model has any or not."""
    sides = matched.sides
    found = load_entry(
        sides.equations, sides.kinematics, matched.bodies.names, matched.pairing, matched.values
    )
    if found is not None:
        labels, difference = found
        yield worst(matched.generated.name, KINEMATICS, "body_loads", difference, sides.states, labels)


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
