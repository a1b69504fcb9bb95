"""Names of intermediates: one name per expression, each used once, and never a name of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .derivation import Assignment
from .expressions import Expression

#: What an intermediate would be called, and the intermediate.
Named = tuple[str, Expression]


def is_operation(x: Expression) -> bool:
    """Return True if an expression is worth a name, unlike symbols, numbers and combinations of numbers."""
    return bool(x.args) and not x.constant


def strip_sign(x: Expression) -> Expression:
    """Return the operand of a sign. Signs precede products, so intermediates share this part."""
    return x.args[0] if x.op == "neg" else x


class Namer:
    """Assigns names to the intermediates of one derivation.

    Parameters
    ----------
    taken : names that intermediates cannot have: those of the model
    worth : tells whether an expression is worth a name
    signed : whether x and -x get a name each; else there is one for both, and ``worth`` judges x
    """

    def __init__(
        self, taken: Iterable[str], worth: Callable[[Expression], bool] = is_operation, signed: bool = False
    ) -> None:
        self.taken = set(taken)
        self.worth = worth
        self.signed = signed
        #: Named expressions in the order in which they were named; without their signs unless ``signed``.
        self.found: dict[Expression, str] = {}

    def fresh(self, name: str) -> str:
        """Reserve a name, with underscores added until it is unique."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def name(self, name: str, x: Expression) -> str | None:
        """Name the expression; return None if it is not worth a name or has one."""
        x = x if self.signed else strip_sign(x)
        if x in self.found or not self.worth(x):
            return None
        given = self.found[x] = self.fresh(name)
        return given

    def assignments(self, items: Iterable[Named]) -> tuple[Assignment, ...]:
        """Assign the items that get a name."""
        named = ((self.name(name, x), x) for name, x in items)
        return tuple(Assignment(name, x) for name, x in named if name is not None)
