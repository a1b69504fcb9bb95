"""Proof that two models are the same functions: derived by one formalism, and compared over prime fields.

A parameter of both models with the same value or formula keeps its symbol: the proof holds for all its values. Others
are replaced by their values. If the models differ, they are compared again with all values inserted: what is identical
then is so only for these parameter values, which are named.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import and_
from typing import Any

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Constraint, FrameCoincidence, Holonomic, Nonholonomic, Rod
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import ONE, ZERO, Expression, number, rate, substitute, symbol, symbols, topological
from mbconcord.model.expressions.algebra import coefficient, mul, neg
from mbconcord.model.expressions.calculus import rebuild
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Sample
from mbconcord.model.expressions.field.plan import SIGNED, is_positive, whole
from mbconcord.model.expressions.functions import apply, choose
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.node import ADD, FUN, MUL, NEG, NUM, PI, POW, SYM
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.poses import WorldPose, at_point, express_rolling, poses

from ..bounds import IMPOSED, PARTS
from ..exactness import NOT_TRIED, Exactness
from .equations import DRAWS, Points, entries
from .proof import SIZE

#: What the proof holds for.
EVERYTHING = "all states and parameters"
COMMON = "all states and the parameters that mean the same in both"
STATES = "all states, with the parameters' values"
#: From the narrowest.
SCOPES = STATES, COMMON, EVERYTHING
#: Steps in prime fields that two models may take: about half a minute.
MOST_OPERATIONS = 20_000_000
#: Beside the quantities of the open tree: what constraints say.
CONSTRAINTS = "constraints"
#: Tables of more jumps are not written by signs, whose patterns would be too many; of exp(n x), n as a power.
MOST_JUMPS, MOST_POWER = 60, 20
#: Functions that have a value everywhere.
EVERYWHERE = frozenset(("sin", "cos", "atan", "exp", "abs", "sign"))

Entries = dict[tuple[str, ...], Expression]


@dataclass(frozen=True)
class Proof:
    """Proof about two models.

    Attributes
    ----------
    exact : result of the proof; its entry is the name of the quantity, then names of A's coordinates
    scope : states and parameter values for which the proof holds, in words
    only_while : parameters of both that make the models the same only by their values
    rows : remarks on the constraints; empty if the constraints are identical too, or there are none
    """

    exact: Exactness
    scope: str = EVERYTHING
    only_while: tuple[str, ...] = ()
    rows: str = ""

    def with_rows(self, rows: Proof) -> Proof:
        """Return this proof with that of the constraints: both hold where the narrower one does."""
        if rows.exact.kind != IDENTICAL or rows.only_while:
            return replace(self, rows=str(rows))
        return replace(self, scope=min(self.scope, rows.scope, key=SCOPES.index))

    def __str__(self) -> str:
        return self.describe()

    def describe(self, is_close: bool = True) -> str:
        """Write the result of the proof in words; ``is_close``: the models agree in numbers."""
        said = self._of_trees("equal to rounding" if is_close else "")
        return f"{said}; constraints {self.rows}" if self.rows else said

    def _of_trees(self, close: str) -> str:
        if self.exact.kind == IDENTICAL:
            error = f" (error < {self.exact.error})" if self.exact.error != "0" else ""
            return f"identical for {self.scope}{error}"
        if self.exact.kind == DIFFERS:
            name, *entry = self.exact.entry
            where = f"{name}[{', '.join(entry)}]" if entry else name
            of_digits = f"{close}, not identical: {where} differs in the last digits of some numbers"
            return of_digits if close else f"proved to differ: {where}"
        if self.exact.kind == NOT_TRIED:
            return f"{close}; too large for a proof that it is identical" if close else "too large for a proof"
        return f"not proved to be identical: {self.exact.reason}"

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --json``."""
        beside = {"scope": self.scope, "only_while": list(self.only_while), "constraints": self.rows}
        return self.exact.to_json() | beside


@dataclass(frozen=True)
class ProofSides:
    """The scalars of two models by quantity and entry, in A's names; parameters keep their meaning in each model.

    Attributes
    ----------
    keys : quantity and names of the entry in A; empty if the entries of the two cannot be paired
    first, second : scalars of A and of B
    """

    systems: tuple[System, System]
    keys: tuple[tuple[str, ...], ...]
    first: tuple[Expression, ...]
    second: tuple[Expression, ...]
    renamed: Mapping[Expression, Expression]

    @property
    def reached(self) -> set[str]:
        """Names of the symbols that the scalars of either depend on."""
        first, second = self.systems
        return _find_reached(first, self.first) | _find_reached(second, self.second)

    def substitute_values(self, shared: Collection[str]) -> tuple[list[Expression], list[Expression]]:
        """Insert the values of all parameters that are not shared into the scalars of both."""
        found: list[list[Expression]] = []
        names: tuple[Mapping[Expression, Expression], ...] = ({}, self.renamed)
        for system, roots, own in zip(self.systems, (self.first, self.second), names, strict=True):
            known = values(system, frozenset(shared))
            written = define(substitute(roots, known), system.functions)
            found.append(list(substitute(substitute(written, known), own)))  # functions hold parameters, too
        return found[0], found[1]


def sides(
    first: System, second: System, pairs: Sequence[tuple[str, str]], formalism: Formalism
) -> tuple[ProofSides, ProofSides]:
    """Return the scalars of two matched models: those of the open trees by one formalism, and those of the constraints.
    Constraints of different kinds, or in a different order, are not paired: then each side keeps its own list.
    """
    ours, theirs = (scalars(system, formalism) for system in (first, second))
    theirs = {_in_our_names(key, pairs): x for key, x in theirs.items()}
    found = []
    for constrained in (False, True):
        one, other = (
            {key: x for key, x in own.items() if (key[0] == CONSTRAINTS) == constrained} for own in (ours, theirs)
        )
        if one.keys() == other.keys():
            other = {key: other[key] for key in one}
        sides_of = tuple(one.values()), tuple(other.values())
        keys = tuple(one) if one.keys() == other.keys() else ()
        found.append(ProofSides((first, second), keys, *sides_of, _map_names(pairs)))
    return found[0], found[1]


def proof(both: ProofSides, named: Collection[str], seed: int = 0) -> Proof:
    """Prove that two models are the same functions, as far as possible.

    Parameters
    ----------
    both : scalars of the two models
    named : parameters named by the models' authors; those with the same meaning in both stay symbols in the proof
    seed : seed of the random points
    """
    first, second = both.systems
    ours, theirs = _find_reached(first, both.first), _find_reached(second, both.second)
    used = ours | theirs
    common = _find_shared(first, second) & set(named) & used
    own = {p.name for s in (first, second) for p in s.parameters} & set(named)
    whole = own & used
    found = _prove(both, common, EVERYTHING if common == whole else COMMON if common else STATES, seed)
    if found.exact.kind in (IDENTICAL, NOT_TRIED) or not common:
        return found
    with_values = _prove(both, (), STATES, seed)
    if with_values.exact.kind != IDENTICAL:
        return with_values
    one_sided = common & (ours ^ theirs)
    single = [frozenset((n,)) for n in sorted(common, key=lambda n: (n not in one_sided, n))]
    tried = [*single[: len(one_sided)], *[one_sided] * (len(one_sided) > 1), *single[len(one_sided) :]]
    most = 1 + MOST_OPERATIONS // (DRAWS * (1 + sum(len(program(own).steps) for own in (both.first, both.second))))
    decide = (x for x in tried[:most] if _prove(both, common - x, COMMON, seed).exact.kind == IDENTICAL)
    return replace(with_values, only_while=tuple(sorted(next(decide, common))))


def _prove(both: ProofSides, shared: Collection[str], scope: str, seed: int) -> Proof:
    """Prove with some parameters as symbols, and values in place of the others."""
    ours, theirs = both.substitute_values(shared)
    if len(both.keys) < max(len(ours), len(theirs)):
        return Proof(Exactness(UNDECIDED, "constraints of other kinds, or in another order"), scope)
    if all(x is y for x, y in zip(ours, theirs, strict=True)):
        return Proof(Exactness(IDENTICAL, log2=-math.inf), scope)
    found = SIZE
    for one, other in _write_alike(ours, theirs):
        lines = [program(one), program(other)]
        if sum(len(each.steps) for each in lines) * DRAWS > MOST_OPERATIONS:
            break
        plan, (a, b) = Plan.of_programs(lines)
        for real in (False, True):  # signs that no real state has are sought only where they may decide
            points = Points(Sample(plan, DRAWS, seed, real=real))
            again = points.compare(points.sample_steps(a), points.sample_steps(b), list(both.keys))
            found = again if found.kind != UNDECIDED or again.kind != UNDECIDED else found
            if not again.reason.startswith(SIGNED):
                break
        if found.kind != UNDECIDED:
            break
    return Proof(found, scope)


def _write_alike(
    ours: list[Expression], theirs: list[Expression]
) -> Iterator[tuple[list[Expression], list[Expression]]]:
    """Yield both models' scalars unchanged, then with tables, exponentials and logarithms in a standard form."""
    yield ours, theirs
    made: dict[Expression, Expression] = {}
    for node in topological([*ours, *theirs]):
        args = [made[x] for x in node.args]
        own = node if all(x is y for x, y in zip(args, node.args, strict=True)) else rebuild(node, args)
        made[node] = _write_function(own) if own.op is FUN else own
    if any(x is not y for x, y in made.items()):
        yield [made[x] for x in ours], [made[x] for x in theirs]


def _write_function(node: Expression) -> Expression:
    """Write a table of few pieces by signs, exp(a + 2 b) by exp(a) exp(b)^2, log(exp(a)) as a."""
    (a, *_), table = node.args, node.data
    if isinstance(table, Interpolant):
        start, jumps = table.pieces[0], table.jumps
        if len(jumps) > MOST_JUMPS or (start is None and not jumps):
            return apply(table.thin_out(), a)
        total = _polynomial(a - number(table.x[0]), start or table.pieces[1] or ())
        if start is None:  # nothing where it is defined: another table that ends has it only if it ends there, too
            ends = table.x[0], table.x[-1]
            total += apply(Interpolant(ends, (Fraction(0), Fraction(0))), a)
        for x, c in jumps:  # its derivatives take the piece to the right at a knot, at the last one that to the left
            relation = ">" if x == table.x[-1] else ">="
            on = choose(a, relation, number(x), ONE, ZERO) if table.order else apply("step", a - number(x))
            total += on * _polynomial(a - number(x), c)
        return total
    if table == "exp":
        if a.op is FUN and a.data == "log" and is_positive(a.args[0]):
            return a.args[0]
        total = ONE
        for share, term in _terms(a):
            short = share.denominator == 1 and abs(share) <= MOST_POWER
            total *= apply("exp", term) ** number(share) if short else apply("exp", number(share) * term)
        return total
    if table == "log":
        exponents, rest = ZERO, ONE
        for factor in split_product(a):
            n = whole(factor) if factor.op is POW else 1
            base = factor.args[0] if factor.op is POW else factor
            if n and base.op is FUN and base.data == "exp":
                exponents += n * base.args[0]
            else:
                rest *= factor
        return exponents + (apply("log", rest) if rest is not ONE else ZERO)
    return node


def _polynomial(s: Expression, coefficients: Sequence[Fraction]) -> Expression:
    return sum((number(c) * s**k for k, c in enumerate(coefficients)), ZERO)


def _terms(sum_: Expression) -> list[tuple[Fraction, Expression]]:
    """List the terms of a sum, each with its number."""
    waiting, found = [(Fraction(1), sum_)], list[tuple[Fraction, Expression]]()
    while waiting:
        c, x = waiting.pop()
        if x.op in (ADD, NEG):
            waiting += [(-c if x.op is NEG else c, part) for part in x.args]
        else:
            factor, rest = coefficient(x)
            (waiting if rest.op in (ADD, NEG) else found).append((c * factor, rest))
    return found


def split_product(product: Expression) -> list[Expression]:
    """List the factors of a product."""
    waiting, found = [product], list[Expression]()
    while waiting:
        x = waiting.pop()
        if x.op is MUL:
            waiting += x.args
        else:
            found.append(x)
    return found


def scalars(system: System, formalism: Formalism) -> Entries:
    """Return all expressions that a proof compares: quantity and entry -> expression."""
    derivation = formalism.derive(system.open_loops())
    found: Entries = {}
    for quantity in PARTS:
        own = flatten(derivation.quantities[quantity])
        for entry, x in zip(entries(system.coordinate_names, quantity), own, strict=True):
            found[quantity, *entry] = x
    found |= {(IMPOSED, name): x for name, x in find_imposed_accelerations(system).items()}
    of_body = poses(system)
    for place, constraint in enumerate(express_rolling(system).constraints, 1):
        for key, x in _constraint(system, of_body, constraint):
            found[CONSTRAINTS, str(place), type(constraint).__name__, *key] = x
    return found


def _constraint(
    system: System, of_body: Mapping[str | None, WorldPose], c: Constraint
) -> Iterator[tuple[tuple[str, ...], Expression]]:
    """Yield the expressions of a constraint: the distance of points, coincident frames, coefficients of rates."""
    if isinstance(c, FrameCoincidence):
        own = {symbol(name): symbol(f"auxiliary {k}") for k, name in enumerate(c.auxiliary)}
        for side, frame in (("first", c.first), ("second", c.second)):
            pose = of_body[frame.body].follow(frame.transformations)
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


def gaps(system: System) -> Iterator[tuple[str, Expression]]:
    """Yield name and gap f(q, t) of each constraint, with coordinates of cut joints zero; from formulas that the author
    wrote, factors are taken out that evidently have no zero.
    """
    of_body = poses(system)
    for c in express_rolling(system).constraints:
        found = dict(_constraint(system, of_body, c))
        if isinstance(c, FrameCoincidence):
            still = {symbol(f"auxiliary {k}"): ZERO for k in range(len(c.auxiliary))}
            whole = substitute(list(found.values()), still)
            half = len(whole) // 2
            yield from (("", a - b) for a, b in zip(whole[:half], whole[half:], strict=True))
        elif isinstance(c, Nonholonomic):
            *rates, rest = _strip_factors([*found.values()])
            yield c.name, sum((x * rate(n) for x, n in zip(rates, system.coordinate_names, strict=True)), rest)
        elif isinstance(c, Rod):
            yield "", found[("distance",)] - found[("length",)]
        else:
            name = c.name if isinstance(c, Holonomic) else ""
            yield from ((name, own) for x in found.values() for own in _strip_factors([x]))


def _is_factor(x: Expression) -> bool:
    """Tell whether the form of an integer power shows that it has a value everywhere, and no zero."""
    base = x.args[0] if x.op is POW and whole(x) is not None else x
    return (is_positive(base) or is_positive(neg(base))) and all(
        node.op in (NUM, PI, SYM, ADD, MUL, NEG) or (node.op is POW and (whole(node) or -1) > 0)
        or (node.op is FUN and node.data in EVERYWHERE)
        for node in topological([base])
    )  # fmt: skip


def _strip_factors(row: Sequence[Expression]) -> list[Expression]:
    """Divide the entries of a row by the factors that all of them share and that are zero nowhere."""
    products = [Counter(split_product(x.args[0] if x.op is NEG else x)) for x in row]
    shared = reduce(and_, (own for own, x in zip(products, row, strict=True) if x is not ZERO), products[0])
    gone = Counter({x: n for x, n in shared.items() if _is_factor(x)})
    left = (
        reduce(mul, (own - gone).elements(), ONE) if x is not ZERO else x for own, x in zip(products, row, strict=True)
    )
    return [-made if x.op is NEG else made for made, x in zip(left, row, strict=True)]


def _in_our_names(key: tuple[str, ...], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    ours = {b: a for a, b in pairs}
    quantity, *entry = key
    return quantity, *(ours.get(name, name) for name in entry)


def _map_names(pairs: Sequence[tuple[str, str]]) -> dict[Expression, Expression]:
    """Map symbols of B's coordinates and rates to those of A."""
    found: dict[Expression, Expression] = {}
    for a, b in pairs:
        if a != b:
            found |= {rate(b, order): rate(a, order) for order in range(3)}
    return found


def _find_reached(system: System, roots: Sequence[Expression]) -> set[str]:
    """Name the symbols that scalars depend on, also through formulas of parameters and functions."""
    given = {p.name: p.value for p in system.parameters if p.value is not None}
    formulas = dict(zip(given, define(given.values(), system.functions), strict=True))
    found: set[str] = set()
    waiting = set(symbols(define(roots, system.functions)))
    while waiting:
        found |= waiting
        waiting = set(symbols([formulas[name] for name in waiting if name in formulas])) - found
    return found


def _find_shared(first: System, second: System) -> frozenset[str]:
    """Name parameters with the same meaning in both: equal value or formula, or none in both."""
    ours, theirs = ({p.name: p.value for p in system.parameters} for system in (first, second))
    found = {name for name, value in ours.items() if name in theirs and theirs[name] is value}
    return frozenset(found)


def values(system: System, shared: frozenset[str]) -> dict[Expression, Expression]:
    """Map the symbols of parameters not in ``shared`` to their values, with formulas of other parameters expanded."""
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
