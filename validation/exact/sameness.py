"""Whether two models are the same functions: derived by one formalism, and compared over prime fields.

A parameter that both models have, with the same value or formula, keeps its symbol: what is proved holds for all its
values. Others stand for their values. Where that differs, the models are compared once more with all values put in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Constraint, FrameCoincidence, Holonomic, Nonholonomic, Rod
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import ZERO, Expression, rate, substitute, symbol, symbols
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Sample
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.system import System
from mbconcord.simulation.poses import Pose, at_point, poses

from ..exactness import Exactness
from ..judge.bounds import PARTS
from .agreement import BUDGET, SIZE
from .equations import DRAWS, entries
from .scalars import Points

#: What the proof holds for.
EVERYTHING = "all states and parameters"
COMMON = "all states and the parameters that mean the same in both"
STATES = "all states, with the parameters' values"
#: Beside the quantities of the open tree: what constraints say.
CONSTRAINTS = "constraints"

Entries = dict[tuple[str, ...], Expression]


@dataclass(frozen=True)
class Proof:
    """What is proved of two models.

    Attributes
    ----------
    exact : the entry is that of A's coordinates, after the name of the quantity
    scope : what it holds for
    """

    exact: Exactness
    scope: str = EVERYTHING

    def __str__(self) -> str:
        if self.exact.kind == IDENTICAL:
            error = f" (error < {self.exact.error})" if self.exact.error != "0" else ""
            return f"identical for {self.scope}{error}"
        if self.exact.kind == DIFFERS:
            name, *entry = self.exact.entry
            where = f"{name}[{', '.join(entry)}]" if entry else name
            return f"equal to rounding, not identical: {where} differs in the last digits of some numbers"
        return f"not proved to be identical: {self.exact.reason}"

    def to_json(self) -> dict[str, Any]:
        """The form of ``compare --json``."""
        return self.exact.to_json() | {"scope": self.scope}


def proof(
    first: System, second: System, pairs: Sequence[tuple[str, str]], formalism: Formalism, seed: int = 0
) -> Proof:
    """What is proved of two models whose coordinates are matched, derived by one formalism."""
    ours, theirs = (scalars(system, formalism) for system in (first, second))
    renamed = _renamed(second, pairs)
    theirs = {_in_our_names(key, pairs): x for key, x in theirs.items()}
    if ours.keys() != theirs.keys():
        return Proof(Exactness(UNDECIDED, "their constraints are of other kinds, or in another order"))
    both = [[x, theirs[key]] for key, x in ours.items()]
    tried: list[Proof] = []
    common, whole = _shared(first, second), {p.name for s in (first, second) for p in s.parameters}
    widest = EVERYTHING if common == whole else COMMON if common else STATES
    for scope, shared in {widest: common, STATES: frozenset[str]()}.items():
        sides = []
        for side, system, names in ((0, first, {}), (1, second, renamed)):
            known = values(system, shared)
            roots = substitute((pair[side] for pair in both), known)
            sides.append(program(define(substitute(roots, names), system.functions)))
        if sum(len(lines.steps) for lines in sides) * DRAWS > BUDGET:
            return Proof(SIZE, scope)
        plan, (a, b) = Plan.of_programs(sides)
        points = Points(Sample(plan, DRAWS, seed))
        tried.append(Proof(points.compared(points.of(a), points.of(b), list(ours)), scope))
        if tried[-1].exact.kind == IDENTICAL:
            return tried[-1]
    return tried[-1]


def scalars(system: System, formalism: Formalism) -> Entries:
    """Everything that is compared, by quantity and entry."""
    derivation = formalism.derive(system.opened())
    found: Entries = {}
    for quantity in PARTS:
        own = flatten(derivation.quantities[quantity])
        for entry, x in zip(entries(system.coordinate_names, quantity), own, strict=True):
            found[quantity, *entry] = x
    of_body = poses(system)
    for number, constraint in enumerate(system.constraints, 1):
        for key, x in _constraint(system, of_body, constraint):
            found[CONSTRAINTS, str(number), type(constraint).__name__, *key] = x
    return found


def _constraint(
    system: System, of_body: Mapping[str | None, Pose], c: Constraint
) -> Iterator[tuple[tuple[str, ...], Expression]]:
    """What a constraint says: the distance of points, the frames that coincide, coefficients of rates."""
    if isinstance(c, FrameCoincidence):
        own = {symbol(name): symbol(f"auxiliary {k}") for k, name in enumerate(c.auxiliary)}
        for side, frame in (("first", c.first), ("second", c.second)):
            pose = of_body[frame.body].along(frame.transformations)
            whole = substitute([*pose.r, *(x for row in pose.R for x in row)], own)
            yield from (((side, str(k)), x) for k, x in enumerate(whole))
    elif isinstance(c, Nonholonomic):
        yield from ((("rate", name), c.coefficients.get(name, ZERO)) for name in system.coordinate_names)
        yield ("rest",), c.rest
    elif isinstance(c, Holonomic):
        yield ("f",), c.expression
    else:
        a, b = (at_point(system, of_body, end).r for end in (c.first, c.second))
        apart = [x - y for x, y in zip(a, b, strict=True)]
        if isinstance(c, Rod):
            yield ("distance",), sum((x * x for x in apart), ZERO)
            yield ("length",), c.length * c.length
        else:
            yield from (((axis,), x) for axis, x in zip("xyz", apart, strict=True))


def _in_our_names(key: tuple[str, ...], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    ours = {b: a for a, b in pairs}
    quantity, *entry = key
    return quantity, *(ours.get(name, name) for name in entry)


def _renamed(second: System, pairs: Sequence[tuple[str, str]]) -> dict[Expression, Expression]:
    """Symbols of B's coordinates and rates -> those of A."""
    found: dict[Expression, Expression] = {}
    for a, b in pairs:
        if a != b:
            found |= {rate(b, order): rate(a, order) for order in range(3)}
    return found


def _shared(first: System, second: System) -> frozenset[str]:
    """Names of the parameters that mean the same in both: of one value or formula, or of none in both."""
    ours, theirs = ({p.name: p.value for p in system.parameters} for system in (first, second))
    found = {name for name, value in ours.items() if name in theirs and theirs[name] is value}
    return frozenset(found)


def values(system: System, shared: frozenset[str]) -> dict[Expression, Expression]:
    """What the parameters that are not shared stand for, formulas of others written out."""
    known = {p.name: p.value for p in system.parameters if p.value is not None and p.name not in shared}
    found: dict[Expression, Expression] = {}
    for name in known:
        _write_out(name, known, found)
    return found


def _write_out(name: str, known: Mapping[str, Expression], found: dict[Expression, Expression]) -> None:
    waiting = [name]
    while waiting:
        own = waiting[-1]
        inner = [n for n in symbols([known[own]]) if n in known and symbol(n) not in found]
        if inner:
            waiting += inner
            continue
        waiting.pop()
        (found[symbol(own)],) = substitute([known[own]], found)
