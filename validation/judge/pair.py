"""Two models side by side: their quantities at the same states, and what speaks against calling them the same.

States at which two models may differ unnoticed by ordinary random states.

A term that is negligible at metres and seconds may dominate at kilometres: so states are drawn at every scale, with all
digits of a float. A stop, a dead band or a pulse acts beyond or near a place: so states are made where the arguments of
such functions ("pieces") are zero or smallest, close to these places on both sides, and farther away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.derivation import EFFORT
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.expressions import (
    ZERO,
    Expression,
    evaluate,
    number,
    numpy_arithmetic,
    substitute,
    symbol,
    symbols,
    topological,
)
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.field import IDENTICAL
from mbconcord.model.expressions.field.plan import whole
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.node import FUN, POW
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.poses import express_rolling

from .closed.sameness import compare_branches
from .comparison import compare_quantity, difference_of, largest
from .evidence import Comparison
from .exact.sameness import Proof, ProofSides, gaps
from .kinematics import TreeKinematics
from .matching import Matching, reorder, short_list
from .pair_scales import scales_of_pair
from .scale import Scales
from .states import (
    GRID,
    HALVINGS,
    MOST_PIECES,
    MOST_PLACES,
    complete_state,
    draw_states,
    find_edges,
    find_places,
    replace_value,
)
from .tolerances import EPSILON
from .trial import trial
from .uncertainty import Numbers, converted_room, find_uncertainties, inputs

#: Powers of ten between which coordinates, rates, accelerations and times are drawn, and in how many steps.
DECADES = (-12.0, 12.0)
STEPS = 16
#: Functions that are the same curve everywhere: their numbers show at any state.
EVERYWHERE = frozenset(("sin", "cos"))
#: Rows of a table that are looked at, of those that the other side has not.
MOST_ROWS = 200
#: Lines along which zeros of a formula of a constraint are looked for, by coordinate, and zeros taken of each.
ORIGINS, MOST_CROSSINGS = 4, 6
#: Steps of formulas that the search for other branches may take; moving a state onto constraints counts as so many
#: evaluations of them.
MOST_STEPS, CLOSING = 4_000_000, 1000
#: A factor that moves the places of a grid off the round numbers that people write.
OFF_ROUND = 1.0137
#: Numbers of a state beyond which products leave the range of floats.
LARGEST = 1e60
#: Powers of ten between which pieces are drawn, whatever their arguments.
PIECES = (-2.0, 2.0)
#: Integer powers beyond, and negative ones, may be flat but for a narrow peak, as other pieces are.
MOST_POWER = 20


def wide_states(system: System, like: Sequence[State]) -> list[State]:
    """Draw states of every scale and sign, with parameters and modal coordinates of the given ones in turn.

    The states are the same for every seed, so that a difference far away is found with every seed or with none.
    """
    random = Random("of every scale")
    modal = {name for body in system.bodies for name in body.modal}
    names = [n for n in system.coordinate_names if n not in modal]
    columns: dict[object, list[int]] = {}

    def draw_number(key: object, k: int) -> float:
        """Draw number ``k`` of a symbol; successive numbers have other magnitudes or the other sign."""
        step, sign = divmod(columns.setdefault(key, random.sample(range(2 * STEPS), 2 * STEPS))[k], 2)
        low, high = DECADES
        size: float = 10.0 ** (low + (high - low) * (step + random.random()) / STEPS)
        return size if sign else -size

    found = []
    for k in range(2 * STEPS):
        base = like[k % len(like)]
        q, v, a = (
            dict(own) | {n: draw_number((kind, n), k) for n in names}
            for kind, own in enumerate((base.q, base.v, base.a))
        )
        found.append(State(draw_number("t", k), q, v, a, base.parameters))
    return found


def pieces(roots: Iterable[Expression]) -> list[Expression]:
    """List the functions in expressions that may have a kink or an edge: all but sines, cosines and low powers."""

    def bends(node: Expression) -> bool:
        power = whole(node) if node.op == POW else 0
        return (node.op == FUN and node.data not in EVERYWHERE) or power is None or power > MOST_POWER

    return [node for node in topological(list(roots)) if bends(node) and symbols([node])]  # symbols last: a long walk


def fractions(roots: Iterable[Expression]) -> list[Expression]:
    """List the negative integer powers in expressions, which may be flat except for a narrow peak."""
    return [node for node in topological(list(roots)) if is_fraction(node) and symbols([node])]


def is_fraction(node: Expression) -> bool:
    """Tell whether a node is a negative integer power."""
    return node.op == POW and (whole(node) or 0) < 0


def edge_states(
    system: System, found: Sequence[Expression], like: Sequence[State], values: Mapping[str, Array]
) -> list[State]:
    """Generate states at, near and beyond the places where arguments of pieces are zero or smallest.

    Parameters
    ----------
    system : model of the pieces' symbols, with every function defined
    found : the pieces (:func:`pieces`)
    like : states, from each of which one number is changed
    values : values of every symbol at the states ``like``
    """
    states: list[State] = []
    for place, piece in enumerate(found[:MOST_PIECES]):
        k = place % len(like)
        argument = piece.args[0]
        here = {name: float(own[k]) for name, own in values.items()}
        for name in sorted(symbols([argument]) & _moving(system)):
            states += [replace_value(like[k], name, at) for at in find_edges(argument, name, here)]
    return states


def row_states(
    system: System, one: Sequence[Expression], other: Sequence[Expression], like: Sequence[State],
    values: Mapping[str, Array],
) -> list[State]:  # fmt: skip
    """Generate states whose table arguments are those of table rows that only one of the two sides has."""
    sides = [[node for node in side if isinstance(node.data, Interpolant)] for side in (one, other)]
    rows = [{row for node in side for row in zip(node.data.x, node.data.y, strict=True)} for side in sides]
    states: list[State] = []
    for k, (side, beside) in enumerate(zip(sides, rows[::-1], strict=True)):
        base = like[k % len(like)]
        here = {name: float(own[k % len(like)]) for name, own in values.items()}
        for node in side:
            own = [x for x, y in zip(node.data.x, node.data.y, strict=True) if (x, y) not in beside]
            for x in own[:: 1 + len(own) // MOST_ROWS]:
                argument = node.args[0] - number(x)
                for name in sorted(symbols([argument]) & _moving(system)):
                    own_row = node.args[0] is symbol(name)
                    places = [float(x)] if own_row else find_places(argument, name, here)[:MOST_PLACES]
                    states += [replace_value(base, name, place) for place in places]
    return states


def _moving(system: System) -> set[str]:
    modal = {name for body in system.bodies for name in body.modal}
    names = [n for n in system.coordinate_names if n not in modal]
    return {"t", *names, *(f"{n}'" for n in names)}


@np.errstate(all="ignore")
def crossings(formula: Expression, name: str, here: Mapping[str, float]) -> list[float]:
    """Return values of one symbol, others fixed, where a formula changes sign; of many, some near and some far."""

    def signs(x: Array) -> Array:
        (found,) = evaluate([formula], dict(here) | {name: x}, numpy_arithmetic())
        return np.broadcast_to(np.sign(np.asarray(found, float)), x.shape)

    grid = OFF_ROUND * GRID
    at = signs(grid)
    where = np.flatnonzero(at[:-1] * at[1:] < 0)
    where = where[np.unique(np.linspace(0, len(where) - 1, MOST_CROSSINGS).astype(int))] if len(where) else where
    low, high = grid[where], grid[where + 1]
    for _ in range(HALVINGS):
        half = (low + high) / 2
        left = signs(half) == at[where]
        low, high = np.where(left, half, low), np.where(left, high, half)
    return [float(x) for x in low]


@np.errstate(all="ignore")
def with_numbers(
    values: Mapping[str, Array], count: int, roots: Sequence[Expression], below: Sequence[Expression]
) -> list[int]:
    """Select states at which ``roots`` do not overflow, and ``below`` neither over- nor underflow."""
    usable = np.ones(count, dtype=bool)
    sizes = [np.abs(np.asarray(x, float)) for x in evaluate([*roots, *below], values, numpy_arithmetic())]
    for own in sizes:
        usable &= np.broadcast_to(own < LARGEST, usable.shape)
    for own in sizes[len(roots) :]:
        usable &= np.broadcast_to((own == 0) | (own > 1 / LARGEST), usable.shape)
    return np.flatnonzero(usable).tolist()


@dataclass(frozen=True)
class MatchedPieces:
    """The pieces (:func:`pieces`) of two models, each replaced by a symbol.

    Attributes
    ----------
    names : piece of either model -> its symbol; equal pieces share a symbol
    values : values (N,) of every symbol: arbitrary for symbols of pieces, the given ones for others
    alone : texts of pieces that only one model has; not of fractions, which then keep their formula
    """

    names: Mapping[Expression, Expression]
    values: Mapping[str, Array]
    alone: list[str]

    def evaluate(self, roots: Sequence[Expression], cost: Numbers) -> tuple[Array, Array]:
        """Compute values and bounds (m, N) of formulas with pieces replaced by their symbols' values."""
        if not self.names:
            return np.zeros((len(roots), 0)), np.zeros((len(roots), 0))
        return _run([*substitute(roots, self.names)], self.values, cost)


@np.errstate(all="ignore")
def match_pieces(
    ours: Sequence[Expression], theirs: Sequence[Expression], given: Mapping[str, Array], cost: Numbers
) -> MatchedPieces:
    """Match the pieces of two models, inner ones first; equal arguments, up to rounding, count as the same.

    ``given`` has values (N,) of every symbol; ``cost`` is the possible error of the formulas' numbers. Each inner piece
    gets arbitrary values: so a piece that is zero at these states does not hide a difference in its factors.
    """
    random, names, values = Random("of pieces"), dict[Expression, Expression](), dict(given)
    count = max(map(len, given.values()), default=1)

    def name(piece: Expression) -> None:
        names[piece] = symbol(f"piece {len(names)}")
        drawn = [10.0 ** random.uniform(*PIECES) * random.choice((-1, 1)) for _ in range(count)]
        values[names[piece].data] = np.array(drawn)

    def is_like(piece: Expression, other: Expression) -> bool:
        if (other.op, other.data, len(other.args)) != (piece.op, piece.data, len(piece.args)):
            return False
        (a, off_a), (b, off_b) = (_run(substitute(x.args, names), values, cost) for x in (piece, other))
        off_a, off_b = (np.where(np.isfinite(x), x, 0.0) for x in (off_a, off_b))  # no bound excuses nothing
        known = np.isfinite(a) | np.isfinite(b)
        return bool((np.abs(a - b) <= off_a + off_b + ROOM * (np.abs(a) + np.abs(b)))[known].all())

    for piece in ours:
        name(piece)
    left, alone = [piece for piece in ours if piece not in set(theirs)], list[Expression]()
    for piece in theirs:
        same = None if piece in names else next((own for own in left if is_like(own, piece)), None)
        if same is not None:
            names[piece] = names[same]
            left.remove(same)
        elif piece not in names:
            name(piece)
            alone.append(piece)
    texts = [f"{x} of {which}" for which, of in (("A", left), ("B", alone)) for x in of if not is_fraction(x)]
    unlike = {x for x in (*left, *alone) if is_fraction(x)}
    return MatchedPieces({x: own for x, own in names.items() if x not in unlike}, values, texts)


def _run(roots: Sequence[Expression], values: Mapping[str, Array], cost: Numbers) -> tuple[Array, Array]:
    plan = levels(program(roots))
    return run_bounds(
        plan, values, {name: np.zeros_like(x) for name, x in values.items()}, find_uncertainties(plan, cost)
    )


QUANTITIES = ("M", "h", "gravity", "applied")
#: What is compared besides where drives impose accelerations.
SOLVED = ("acceleration", EFFORT)
#: Constraints whose formulas are those of their rows, but for a factor.
FORMULAS = frozenset(kind.__name__ for kind in (Rod, PointCoincidence, Holonomic, Nonholonomic))
#: Factors between them are looked for among fractions with divisors up to this.
LARGEST_DIVISOR = 10**6
#: What numbers of two formulas may be apart beside their bounds, of themselves.
ROOM = 4 * EPSILON
#: States at which formulas of constraints are compared, and to which part of them.
MANY, SPANNED = 60, 1e-9
#: Of a formula, what a multiple of another adds by rounding alone.
NOTHING = 1e-13
#: What helps where formulas of constraints have a factor between them.
NO_ZERO = "a factor counts as none where its form has no zero, as 1 + x^2 does: write both without it"
#: Beside the quantities: names that decide, and the proof.
NAMES, IDENTITY = "names", "identity"


@dataclass(frozen=True)
class ModelPair:
    """Two models that agree at ordinary states, and the objections to calling them the same."""

    first: System
    second: System
    ours: Sequence[State]
    theirs: Sequence[State]
    matching: Matching
    formalism: Formalism
    cost: Numbers
    seed: int

    def beyond(self, both: ProofSides, proved: Proof, common: Collection[str] = ()) -> Iterator[Comparison]:
        """Compare the open trees beyond the proof: values that decide; without a proof also at states of every scale
        and at edges of pieces, and pieces of only one model, including those of ``common`` parameters alone.
        """
        yield from self._name_conditions(proved)
        if proved.exact.kind == IDENTICAL:
            return
        ours, theirs = self._substitute_values(both)
        bends = pieces(ours), pieces(theirs)
        far, near = self._far(bends, [*ours, *theirs])
        yield from (c for c in self._compare(far, near) if c.verdict == "disagrees")
        matched = self._match(ours, theirs)
        yield from self._alone(matched, proved)
        yield from self._of_parameters(both, proved, common)
        if matched.names:
            yield from self._beside_pieces(both, ours, theirs, matched)

    def beyond_rows(self, both: ProofSides, proved: Proof, common: Collection[str] = ()) -> Iterator[Comparison]:
        """Compare constraints beyond the proof; they may be written in several ways: multiplied, in another order.
        Their formulas may have other branches, off the states compared and at other times; these are searched for.
        """
        yield from self._name_conditions(proved)
        if proved.exact.kind == IDENTICAL:
            return
        objections = [*self._object(both, proved), *self._of_parameters(both, proved, common)]
        if objections:
            yield from self._branches()
        yield from objections

    def recombine(self, both: ProofSides) -> Iterator[ProofSides]:
        """Yield sides in which one model's constraint formulas are sums of rational multiples of the other's, as
        numbers suggest and if equally many are independent: if proved equal, both admit the same states and rates.
        """
        if any(type(c).__name__ not in FORMULAS for system in both.systems for c in system.constraints):
            return
        states = list(draw_states(self.first, MANY, 0))
        rows = [[x for _, x in gaps(system)] for system in both.systems]
        values = [
            self._evaluate_bounded(system, [x for _, x in gaps(system)], at)[0]
            for system, at in ((self.first, states), (self.second, self._translate(states)))
        ]
        for own, other in ((1, 0), (0, 1)):
            basis: list[int] = []
            for k, row in enumerate(values[other]):
                if row.any() and find_factors(row, values[other][basis]) is None:
                    basis.append(k)
            spanning, count = values[other][basis], len(rows[own])
            found = [find_factors(row, spanning) for row in (*values[own], *values[other])]
            exact = [[Fraction(x).limit_denominator(LARGEST_DIVISOR) for x in line] for line in found if line]
            table = np.array(exact[:count], dtype=float)
            if None in found or np.linalg.matrix_rank(table, SPANNED * np.abs(table).max()) < len(basis):
                continue
            formulas = [rows[other][k] for k in basis]
            sums = [sum((c * x for c, x in zip(line, formulas, strict=True) if c), ZERO) for line in exact]
            dependent = [x - made for x, made in zip(rows[other], sums[count:], strict=True)]
            sides = {own: (*rows[own], *[ZERO] * len(dependent)), other: (*sums[:count], *dependent)}
            keys = tuple((IDENTITY, str(k)) for k in range(len(sums)))
            yield replace(both, keys=keys, first=sides[0], second=sides[1])

    def _name_conditions(self, proved: Proof) -> Iterator[Comparison]:
        """Yield a condition for the parameters at whose given values alone the two models are proved the same."""
        if proved.only_while:
            yield name_condition(self.first, proved.only_while)

    def _branches(self) -> Iterator[Comparison]:
        """Yield constraints violated on a branch of the other model's constraints, and what was not searched."""
        starts, unsearched = self._find_crossings()
        if starts:
            yield from compare_branches(
                self.first, self.second, starts, self._translate(starts), self.matching, self.cost
            )
        if unsearched:
            why = f"other branches were not looked for along {short_list(unsearched)}: the budget of steps is spent"
            yield Comparison("A", "B", IDENTITY, "not checked", explanation=why)

    def _object(self, both: ProofSides, proved: Proof) -> Iterator[Comparison]:
        """Yield objections to calling constraints the same."""
        ours, theirs = self._substitute_values(both)
        matched = self._match(ours, theirs)
        yield from self._alone(matched, proved)
        if not both.keys:
            yield from self._outside(both)
        known = [i for i, key in enumerate(both.keys) if key[2] in FORMULAS]
        if known:
            left, right = ([roots[i] for i in known] for roots in (ours, theirs))
            far, near = self._far((pieces(left), pieces(right)), [*left, *right])
            mixed = [matched.evaluate(roots, self.cost) for roots in (left, right)]
            yield from self._apart(both, known, [*self.ours, *far], [*self.theirs, *near], mixed)

    def _find_crossings(self) -> tuple[list[State], list[str]]:
        """Find states at which a formula of either model's constraints changes its sign along a coordinate or in time;
        list the lines for which :data:`MOST_STEPS` do not suffice.

        They are looked for from the same places whatever the seed: a branch is found at all seeds or at none. Rates are
        zero: a branch is one of positions.
        """
        still = dict.fromkeys(self.first.coordinate_names, 0.0)
        origins = [replace(state, v=still) for state in draw_states(self.first, ORIGINS, 0)]
        to_a = {b: a for a, b in self.matching.pairs}
        lines: list[tuple[str, str, Expression, str, str, Mapping[str, Array]]] = []
        for which, system, states in (("A", self.first, origins), ("B", self.second, self._translate(origins))):
            ours = {n: to_a[n] if system is self.second else n for n in system.coordinate_names} | {"t": "t"}
            values = bind_states(system, states).values
            constraints = [c for c in express_rolling(system).constraints if isinstance(c, Holonomic)]
            formulas = define([c.expression for c in constraints], system.functions)
            for c, row in zip(constraints, formulas, strict=True):
                names = sorted(symbols([row]) & ours.keys())
                lines += [(which, c.name, row, name, ours[name], values) for name in names]
        sizes = [len(program([x for _, x in gaps(system)]).steps) for system in (self.first, self.second)]
        left, found, unsearched = MOST_STEPS, list[State](), dict[str, str]()
        for k, origin in enumerate(origins):  # every line from one place first
            for which, constraint, row, name, own, values in lines:
                if left <= 0:
                    unsearched.setdefault(f"{name} in {constraint} of {which}", f"{ORIGINS - k} of {ORIGINS} places")
                    continue
                here = {n: float(x[k]) for n, x in values.items()}
                places = crossings(row, name, here)
                found += [replace_value(origin, own, x) for x in places]
                left -= len(program([row]).steps) * (len(GRID) + HALVINGS * len(places))
                left -= CLOSING * sum(sizes) * len(places)
        return found, [f"{line} from {places}" for line, places in unsearched.items()]

    def _outside(self, both: ProofSides) -> Iterator[Comparison]:
        """Yield an objection for each constraint formula that is no sum of multiples of the other model's formulas, if
        the models' constraints differ in kind or number."""
        states = list(draw_states(self.first, MANY, self.seed))
        sides = (
            (self.first, list(gaps(self.first)), states),
            (self.second, list(gaps(self.second)), self._translate(states)),
        )
        one, other = (self._evaluate_bounded(system, [x for _, x in own], at)[0] for system, own, at in sides)
        gaps_of = [tuple(x for _, x in own) for _, own, _ in sides]
        formulas = self._substitute_values(replace(both, first=gaps_of[0], second=gaps_of[1]))
        matched = self._match(*formulas)
        one, other = (
            np.hstack([x, matched.evaluate(own, self.cost)[0]]) for x, own in zip((one, other), formulas, strict=True)
        )
        for which, rows, basis in (("A", one, other), ("B", other, one)):
            names = [name for name, _ in sides[which == "B"][1]]
            for name, row in zip(names, rows, strict=True):
                if name and not in_span(row, basis):
                    said = "is no sum of multiples of the other's formulas off the states compared: another branch? "
                    said += f"({NO_ZERO})"
                    why = f"constraint {name} of {which} {said}"
                    yield Comparison("A", "B", IDENTITY, "not checked", explanation=why)

    def _apart(
        self, both: ProofSides, known: list[int], ours: list[State], theirs: list[State],
        mixed: list[tuple[Array, Array]],
    ) -> Iterator[Comparison]:  # fmt: skip
        """Yield an objection for each constraint whose formulas equal none of the other model's up to a factor: at the
        given states, and at arbitrary values of their pieces (``mixed``).
        """
        one, other = (
            [np.hstack(pair) for pair in zip(
                self._evaluate_bounded(system, [roots[i] for i in known], states), beside, strict=True)]
            for system, roots, states, beside in (
                (self.first, both.first, ours, mixed[0]), (self.second, both.second, theirs, mixed[1]),
            )
        )  # fmt: skip
        constraints: dict[tuple[str, ...], list[int]] = {}
        for place, i in enumerate(known):
            constraints.setdefault(both.keys[i][:3], []).append(place)
        left = dict(constraints)
        for key, places in constraints.items():
            own = one[0][places], one[1][places]
            tried = [k for k in (key, *left) if k in left]  # that of the same number first
            same = [k for k in tried if k[2] == key[2] and len(left[k]) == len(places)]
            apart = [apart_at(own, (other[0][left[k]], other[1][left[k]])) for k in same]
            if None in apart:
                del left[same[apart.index(None)]]
                continue
            why = f"constraint {key[1]} of A is no formula of B off the states compared: another branch? ({NO_ZERO})"
            state = ours[apart[0]] if apart and apart[0] is not None and apart[0] < len(ours) else None
            yield Comparison("A", "B", IDENTITY, "not checked", state=state, explanation=why)

    def _evaluate_bounded(
        self, system: System, roots: Sequence[Expression], states: list[State]
    ) -> tuple[Array, Array]:
        """Compute values and bounds (m, N) of formulas of a model."""
        return inputs(system, states, numbers=self.cost).run(levels(program(define(roots, system.functions))))

    def _substitute_values(self, both: ProofSides) -> tuple[list[Expression], list[Expression]]:
        one, other = both.substitute_values(())
        return list(define(one, self.first.functions)), list(define(other, self.second.functions))

    def _values(self, ours: Sequence[State], theirs: Sequence[State]) -> dict[str, Array]:
        """Return values of the symbols of both models, in A's names."""
        own, other = bind_states(self.first, list(ours)).values, bind_states(self.second, list(theirs)).values
        return {p.name: other[p.name] for p in self.second.parameters} | dict(own)

    def _translate(self, states: Sequence[State]) -> list[State]:
        made = (self.matching.translate(s, self.second) for s in states)
        return [complete_state(self.second, s, self.seed) for s in made]

    def _far(
        self, bends: tuple[list[Expression], list[Expression]], roots: list[Expression]
    ) -> tuple[list[State], list[State]]:
        both = [*bends[0], *bends[1]]
        values = self._values(self.ours, self.theirs)
        states = wide_states(self.first, self.ours) + edge_states(self.first, both, self.ours, values)
        states += row_states(self.first, *bends, self.ours, values)
        other = self._translate(states)
        kept = with_numbers(self._values(states, other), len(states), roots, both)
        return [states[i] for i in kept], [other[i] for i in kept]

    def _compare(self, far: list[State], near: list[State]) -> list[Comparison]:
        if not far:
            return []
        a, b = self.first.open_loops(), self.second.open_loops()
        ours, theirs, order = bind_states(a, far), bind_states(b, near), self.matching.order(b)
        size, shown = scales_of_pair(TreeKinematics(a, ours), TreeKinematics(b, theirs), order)
        return compare_sides(self.formalism, a, b, ours, theirs, order, size, self.cost, shown)[0]

    def _match(self, ours: list[Expression], theirs: list[Expression]) -> MatchedPieces:
        one, other = ([*pieces(roots), *fractions(roots)] for roots in (ours, theirs))
        return match_pieces(one, other, self._values(self.ours, self.theirs), self.cost)

    def _alone(self, matched: MatchedPieces, proved: Proof) -> Iterator[Comparison]:
        if matched.alone:
            why = f"{proved}; not the same in both: {short_list(matched.alone)}"
            yield Comparison("A", "B", IDENTITY, "not checked", explanation=why)

    def _of_parameters(self, both: ProofSides, proved: Proof, common: Collection[str]) -> Iterator[Comparison]:
        """Yield the pieces of only one of the two whose arguments are parameters, which no state moves: the parameters'
        values make two tables, or an abs() and its argument, the same number.
        """
        written = both.substitute_values(common)
        sides = (define(roots, s.functions) for roots, s in zip(written, (self.first, self.second), strict=True))
        own, other = ([x for x in pieces(roots) if symbols([x]) <= {*common}] for roots in sides)
        yield from self._alone(match_pieces(own, other, self._values(self.ours, self.theirs), self.cost), proved)

    def _beside_pieces(
        self, both: ProofSides, ours: list[Expression], theirs: list[Expression], matched: MatchedPieces
    ) -> Iterator[Comparison]:
        """Compare the factors and summands of pieces, which may be zero or flat at all states compared."""
        own = {x.data for x in matched.names.values()}
        reach = [k for k, x in enumerate(substitute(ours, matched.names)) if symbols([x]) & own]
        if not both.keys or not reach:
            return
        one, other = (matched.evaluate([roots[k] for k in reach], self.cost) for roots in (ours, theirs))
        for k, *entry in zip(reach, *one, *other, strict=True):
            a, off_a, b, off_b = (x[None] for x in entry)
            if (np.abs(a - b) > off_a + off_b + ROOM * (np.abs(a) + np.abs(b))).any():
                name, *place = both.keys[k]
                why = f"{name}[{', '.join(place)}] has other factors of pieces that are flat at the states compared"
                yield Comparison("A", "B", IDENTITY, "not checked", explanation=why)
                return


def name_condition(system: System, names: Sequence[str]) -> Comparison:
    """Return "not checked": two models are the same at these parameters' given values, perhaps not at others."""
    known = {p.name: p.value for p in system.parameters}
    said = ", ".join(f"{name} = {known[name]}" for name in names)
    return Comparison("A", "B", NAMES, "not checked", explanation=f"the same where {said}, not at every value")


def in_span(row: Array, basis: Array) -> bool:
    """Tell whether ``row`` (N,) is a linear combination of rows (m, N), to :data:`SPANNED` of the terms' size."""
    return find_factors(row, basis) is not None


@np.errstate(all="ignore")
def find_factors(row: Array, basis: Array) -> list[float] | None:
    """Return coefficients (m,) that combine rows (m, N) to ``row`` (N,), to :data:`SPANNED` of the terms' size."""
    size = np.abs(np.vstack([row, basis])).max(axis=0)
    known = np.isfinite(size) & (size > 0)
    row, basis = row[known] / size[known], basis[:, known] / size[known]
    if not len(basis) or len(row) <= len(basis):
        return None
    lengths = np.linalg.norm(basis, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    parts = np.linalg.lstsq((basis / lengths[:, None]).T, row, rcond=SPANNED)[0]
    factors = np.where(np.abs(parts) > NOTHING * np.linalg.norm(row), parts, 0.0) / lengths
    made = np.abs(row) + np.abs(factors) @ np.abs(basis)
    return [*factors.tolist()] if bool((np.abs(row - factors @ basis) <= SPANNED * made).all()) else None


@np.errstate(all="ignore")
def apart_at(one: tuple[Array, Array], other: tuple[Array, Array]) -> int | None:
    """Return a state at which formulas (m, N) with bounds differ by more than a common factor; None if at no state."""
    (a, off_a), (b, off_b) = one, other
    known = np.isfinite(a) & np.isfinite(b) & np.isfinite(off_a) & np.isfinite(off_b)
    off_a, off_b = off_a + ROOM * np.abs(a), off_b + ROOM * np.abs(b)
    sharp = np.where(known & (a != 0) & (b != 0), off_a / np.abs(a) + off_b / np.abs(b), np.inf)
    best = np.unravel_index(np.argmin(sharp), sharp.shape)
    factor, doubt = (a[best] / b[best], sharp[best]) if np.isfinite(sharp[best]) else (1.0, 0.0)
    room = off_a + abs(factor) * (off_b + doubt * np.abs(b))
    apart = known & (np.abs(a - factor * b) > room)
    return int(np.argmax(apart.any(axis=0))) if apart.any() else None


def compare_sides(
    formalism: Formalism, first: System, second: System, ours: Sequence[State], theirs: Sequence[State],
    order: list[int], size: Scales, cost: Numbers, shown: Scales,
) -> tuple[list[Comparison], dict[str, Array]]:  # fmt: skip
    """Compare two models by a formalism; return, too, the effect of both models' inexact numbers on each quantity."""
    x = trial(first, ours, [formalism], given=inputs(first, ours, numbers=cost))
    y = trial(second, theirs, [formalism], given=inputs(second, theirs, numbers=cost))
    found = [
        replace(c, a=f"{which}, {formalism.name}") for which, made in (("A", x), ("B", y)) for c in made.failures()
    ]
    if found:
        return found, {}
    left, right = x.evaluations[formalism.name], y.evaluations[formalism.name]
    room = converted_room(size)
    bounds = {name: x + room[name] for name, x in left.bounds.items() if name in room}
    one = replace(left, formalism=f"A, {formalism.name}", bounds=bounds)
    other = reorder(right, order, f"B, {formalism.name}")
    both = {name: x + other.bounds[name] for name, x in bounds.items() if name in other.bounds}
    return compare_quantities(one, other, size, ours, first, shown), both


def compare_quantities(
    one: Evaluation, other: Evaluation, size: Scales, states: Sequence[State], first: System, shown: Scales
) -> list[Comparison]:
    """Compare the quantities that both evaluations have, at A's states; B's evaluation is in A's order.

    The largest difference of each quantity is reported in units of the scales ``shown``.
    """
    wanted = (*QUANTITIES, *SOLVED) if find_imposed_accelerations(first) else QUANTITIES
    names = first.coordinate_names
    return [
        replace(
            compare_quantity(one, other, quantity, size, states, names),
            largest=largest(quantity, difference_of(one, other, quantity, shown), states, names),
        )
        for quantity in wanted
        if quantity in one.quantities and quantity in other.quantities
    ]
