"""Motion of bodies as formulas of both sides, entry by entry, and where the generated equations have each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbconcord.model.expressions import Expression, substitute

from .body_formulas import body_formula, frame
from .matched import Matched
from .numbers import AXES, TWIST, Entries


@dataclass(frozen=True)
class BodyFormulas:
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

    def written(self, entry: tuple[str, ...]) -> Expression:
        """The set's own formula: of a column of a reversed coordinate, without its sign."""
        formula = self.made.formulas[self.labels.index(entry[0])]
        statements = self.matched.sides.equations.statements
        return -formula if formula not in statements and -formula in statements else formula

    def place(self, entry: tuple[str, ...]) -> tuple[str | int, ...] | None:
        """Where the set has the entry: body, quantity, indices."""
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
        """In the model's coordinates."""
        return substitute(formulas, self.matched.pairing.replacements)
