"""Locations of entries, and of their terms, in the files of generated equations.

A term is located at the first statement that has it whole, with the entry's coefficient. Earlier statements have only
its factors; later ones pass it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from mbconcord.model.diagnostics import Location
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import Expression, topological
from mbconcord.records import dataclass
from mbconcord.validation.judge.comparison import ArrayDifference
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.monomials import Monomial, Polynomial, polynomials

#: Formulas of the generated equations brought into what is compared: same length, same order.
Transform = Callable[[Sequence[Expression]], Sequence[Expression]]
#: Where the equations have an entry: a key of their places.
Place = tuple[str | int, ...]
#: Entries of more statements are not searched.
LARGEST = 4000


#: The two formulas of an entry: of the generated equations and of the other side; None where there is none.
Formulas = Callable[[tuple[str, ...]], tuple[Expression | None, Expression | None]]


@dataclass(frozen=True)
class WrittenPlace:
    """A comparison with its explanation: its difference (N, …), its K entries, and their formulas."""

    comparison: Comparison
    difference: ArrayDifference
    entries: Sequence[tuple[str, ...]]
    formulas: Formulas
    origin: Origin


@dataclass(frozen=True)
class Origin:
    """The statements of a set by their results, and the derivation of a compared entry from the set's formulas.

    ``written`` gives the set's own formula of an entry, ``place`` its key in the places of the equations, ``transform``
    brings formulas of the set into the quantity.
    """

    equations: GeneratedEquations
    written: Callable[[tuple[str, ...]], Expression | None]
    place: Callable[[tuple[str, ...]], Place | None]
    transform: Transform

    def of_entry(self, entry: tuple[str, ...]) -> Location | None:
        """Locate an entry."""
        key, root = self.place(entry), self.written(entry)
        found = self.equations.places.get(key) if key else None
        return found or (self.equations.statements.get(root) if root is not None else None)

    def of_term(
        self, entry: tuple[str, ...], monomial: Monomial, coefficient: Fraction, size: int,
        prepared: Callable[[Sequence[Expression]], Sequence[Expression]],
        read: Callable[[Polynomial], Polynomial],
    ) -> Location | None:  # fmt: skip
        """Locate the first occurrence of an entry's term with its sign, or else the other; None: in no statement.

        ``prepared`` and ``read`` make the polynomials in which the term was found from formulas; products of more than
        ``size`` monomials are skipped.
        """
        root = self.written(entry)
        if root is None:
            return None
        statements = self.equations.statements
        nodes = [node for node in topological([root]) if node in statements][:LARGEST]
        made = list(prepared(self.transform(nodes)))
        known = polynomials(made, size)
        found = [read(known.get(value, {})).get(monomial, Fraction(0)) for value in made]
        for wanted in (coefficient, -coefficient):
            for node, own in zip(nodes, found, strict=True):
                if abs(own - wanted) <= abs(wanted) / 10**12:
                    return statements[node]
        return None
