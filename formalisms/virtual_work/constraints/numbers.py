"""Numbers of constraint rows at states, and of the work of their reactions on the bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mbconcord.model.evaluation import Array, at_states
from mbconcord.model.expressions import ZERO, Expression, rate
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.functions import define
from mbconcord.model.instance import bind_states, largest_ranks
from mbconcord.model.state import State
from mbconcord.model.system import System

from .admitted import measure_formulas
from .motion import Numbers
from .row import Row


def row_numbers(system: System, rows: Sequence[Row], states: Sequence[State]) -> Numbers:
    """Evaluate the rows at N states."""
    at, names, m = bind_states(system, states), system.coordinate_names, len(rows)

    def table(expressions: Iterable[Expression], *shape: int) -> Array:
        return at_states(define(expressions, system.functions), at.values, len(at)).reshape(len(at), *shape)

    D = table((row.D.get(name, ZERO) for row in rows for name in names), m, len(names))
    terms = (made_of(row.D.get(name, ZERO)) if row.of_formula else ZERO for row in rows for name in names)
    return Numbers(
        D=D,
        sizes=measure_formulas(D, table(terms, m, len(names))),
        rest=table((row.rest for row in rows), m),
        speed=table((row.speed for row in rows), m),
        position=table((ZERO if row.position is None else row.position for row in rows), m),
        facing=table((row.facing for row in rows), m),
        rates=table(map(rate, names), len(names)),
        work=table(
            (sum((on.work(name) for on in row.reactions), ZERO) for row in rows for name in names), m, len(names)
        ),
        drives=sum(bool(row.drive) for row in rows),
        most=largest_ranks(states),
    )
