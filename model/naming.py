"""Names of intermediates: every expression one name, every name once, and never a name of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .derivation import Assignment
from .expressions import Expression

#: What an intermediate would be called, and the intermediate.
Named = tuple[str, Expression]


def is_operation(x: Expression) -> bool:
    """Whether an expression is worth a name: numbers, and what is made of them alone, and symbols are not."""
    return bool(x.args) and not x.constant


def unsigned(x: Expression) -> Expression:
    """What stands below a sign. Signs stand outside of products, so this is what several intermediates share."""
    return x.args[0] if x.op == "neg" else x


class Namer:
    """Names the intermediates of one derivation.

    Parameters
    ----------
    taken : names that intermediates cannot have: those of the model
    worth : whether an expression is worth a name
    signed : whether x and -x get a name each; else there is one for both, and ``worth`` judges x
    """

    def __init__(
        self,
        taken: Iterable[str],
        worth: Callable[[Expression], bool] = is_operation,
        signed: bool = False,
    ) -> None:
        self.taken = set(taken)
        self.worth = worth
        self.signed = signed
        #: Named expressions in the order in which they were named; without their signs unless ``signed``.
        self.found: dict[Expression, str] = {}

    def fresh(self, name: str) -> str:
        """The name, with as many underscores as make it a name of nothing else; it is taken from now on."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def name(self, name: str, x: Expression) -> str | None:
        """What the expression is called from now on; None where it is not worth a name or has one."""
        x = x if self.signed else unsigned(x)
        if x in self.found or not self.worth(x):
            return None
        given = self.found[x] = self.fresh(name)
        return given

    def assignments(self, items: Iterable[Named]) -> tuple[Assignment, ...]:
        """Assignments of those that get a name."""
        named = ((self.name(name, x), x) for name, x in items)
        return tuple(Assignment(name, x) for name, x in named if name is not None)
