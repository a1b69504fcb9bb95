"""Verdict on own equations: every part compared with every formalism, by proof if possible, else by bounded floats.

Velocity constraints of own equations and of the model, and the speeds that solve them: the same motions, proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ModelError, error
from mbconcord.model.expressions import ZERO, Expression, jacobian, rate, substitute, symbol, symbols
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Point, Sample, Value
from mbconcord.model.expressions.field.linear import reduce_rows
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.features import features
from mbconcord.model.functions import define
from mbconcord.model.limits import count
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.linear.smooth import KINKED
from mbconcord.simulation.poses import express_rolling

from ...check import with_numbers
from ...judge.bounds import PARTS as DELIVERED
from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Against, Comparison, Evidence
from ...judge.exact.equations import DRAWS, Points, SampledScalars, size_solution
from ...judge.exact.proof import Mode, approximate
from ...judge.exact.sameness import values
from ...judge.exactness import NOT_TRIED, Exactness
from ...judge.pair import pieces
from ...judge.solutions import Bounded, solution
from ...judge.states import MOST_PIECES, draw, find_edges
from ...judge.trial import Trial, plausible, require_size, trial
from .alone import TiedEquations
from .equations import OwnEquations
from .proof import ENTRIES, OwnProof, accept, describe_rows, explain_entry, prove, skip_proof
from .tied import ACCELERATION, Exchange, Tie, list_symbols, tie

#: The name of the witness.
YOURS: Final = "yours"
#: Where Kane's rows are tied by a matrix that is no solution of the constraints.
SOLVED: Final = "your velocity constraints"


def compare_constraints(
    system: System, tied: Tie, seed: int, inserted: Exchange, mode: Mode = "auto"
) -> Iterator[Comparison]:
    """Compare velocity constraints, if neither side has other constraints, and report those that are not compared.

    ``inserted``: values of parameters, as in the comparison of M and forcing. Constraints are compared only by proof.
    """
    system, own, ways = express_rolling(system), tied.own, len(system.coordinates)
    n, m = len(own.u), len(own.dependent.b) if own.dependent else 0
    free = [c for c in system.constraints if isinstance(c, Nonholonomic)]
    others = [c.name for c in system.constraints if c not in free]
    parts = [f"your {own.constraints}"] if own.constraints else []
    if tied.forward and (m or n < ways) and not others:
        exact, names, (yours, models) = _prove(system, free, tied, seed, inserted, mode)
        known = {symbol(p.name): p.value for p in system.parameters if p.value is not None and p.value.constant}
        if names and not _prove(system, free, tied, seed, known, mode)[1]:
            parts.append("your velocity constraints, which are the model's only with the values of its parameters")
        elif names:
            at = f"do not satisfy the model's {', '.join(names)}" if SOLVED not in names else f"do not solve {SOLVED}"
            said = f"your speeds {at}"
            yield Comparison(YOURS, "model", "velocity constraints", "disagrees", explanation=said, exact=exact)
        elif exact.kind == IDENTICAL and yours == models:
            yield Comparison(YOURS, "model", "velocity constraints", "agrees", exact=exact)
        else:
            what = f"what ties the model's {count(ways, 'coordinate')} to your {count(n, 'speed')}"
            tie = f"your {count(m, 'velocity constraint')}" if m else what
            left = f"{exact.reason}, and a proof alone compares them" if exact.kind == NOT_TRIED else exact.reason
            why = left or f"the model moves in {count(models, 'way')}, yours in {yours}"
            parts.append(f"{tie} ({why})")
    else:
        if system.constraints:
            parts.insert(0, f"the model's {', '.join(c.name for c in system.constraints)}")
        if m:
            parts.append(f"your {count(m, 'velocity constraint')}")
        if n != ways:
            parts.append(f"what ties the model's {count(ways, 'coordinate')} to your {count(n, 'speed')}")
    if parts:
        reason = f"only M and forcing of the open tree are compared; left out: {' and '.join(parts)}"
        yield Comparison(YOURS, "", "constraints", "not checked", explanation=reason)


def _prove(
    system: System, constraints: Sequence[Nonholonomic], tied: Tie, seed: int, inserted: Exchange, mode: Mode
) -> tuple[Exactness, list[str], tuple[int, int]]:
    """Prove that the model's constraint rows are linear combinations of the author's.

    Returns
    -------
    What is proved, the constraints of the model that the author's speeds break, and the ways in which both move.
    """
    names, u = system.coordinate_names, [symbol(x) for x in tied.u]
    at, v, _ = tied.find_positions()
    known = [*tied.phi, *tied.rates]
    new = dict(zip(map(symbol, known), at, strict=True)) | dict(zip(map(rate, known), v, strict=True))
    rows = [[c.coefficients.get(x, ZERO) for x in names] for c in constraints]
    sums = [
        sum((z * rate(x) for z, x in zip(row, names, strict=True) if z), c.rest)
        for row, c in zip(rows, constraints, strict=True)
    ]
    flat = define([*sums, *(z for row in rows for z in row)], system.functions)
    flat = substitute(substitute(flat, values(system, list_symbols(system))), new)
    flat = substitute(flat, inserted)
    ties = tied.own.with_formulas(substitute(tied.own.formulas, inserted)).dependent
    k, wide = len(sums), len(u) + 1
    theirs = _split(flat[:k], u)
    mine = [(*row, b) for row, b in zip(ties.B, ties.b, strict=True)] if ties else []
    solved = []
    if ties:  # the last columns of B times A are the first ones, reversed
        n = len(u) - len(ties.b)
        across = list(zip(*ties.A, strict=True))
        solved = [
            sum((x * y for x, y in zip(row[n:], column, strict=True) if x and y), row[i])
            for row in ties.B for i, column in enumerate(across)
        ]  # fmt: skip
    every = [x for row in (*mine, *theirs) for x in row] + flat[k:] + solved
    if skipped := skip_proof(mode, [program(every)]):
        return skipped, [], (0, 0)
    plan = Plan(every)
    points = Points(Sample(plan, DRAWS, seed, joined=range(len(plan.steps))))

    def sample(formulas: Sequence[Expression]) -> SampledScalars:
        return points.sample_steps([plan.place[x] for x in formulas])

    left, right = (sample([x for row in side for x in row]) for side in (mine, theirs))

    def reduce(point: Point, own: Sequence[Value], model: Sequence[Value]) -> list[Value]:
        p = point.field.p
        basis = reduce_rows(_cut(own, wide), p, wide - 1)
        found = []
        for row in _cut(model, wide):
            for base, pivot in zip(basis.rows, basis.pivots, strict=True):
                factor = row[pivot]
                row = [(x - factor * y) % p for x, y in zip(row, base, strict=True)]
            found += row
        return found

    rest = points.compute(reduce, [left, right], size_solution([left, right], wide))
    labels = [(c.name,) for c in constraints for _ in range(wide)] + [(SOLVED,) for _ in solved]
    whole = points.compute(lambda _, a, b: [*a, *b], [rest, sample(solved)], rest.size)
    zero = points.compute(lambda _, a: [0] * len(a), [whole], rest.size)
    exact = points.compare(whole, zero, labels) if labels else Exactness(IDENTICAL)
    broken = {name for run in whole.values for (name,), x in zip(labels, run, strict=True) if x != 0}
    moving = sample(flat[k:])
    p = next(iter(points))[0].field.p
    ranks = (
        reduce_rows(_cut(left.values[0], wide), p, wide - 1).rank,
        reduce_rows(_cut(moving.values[0], len(names)), p).rank,
    )
    found = [name for (name,) in dict.fromkeys(labels) if name in broken] if exact.kind == DIFFERS else []
    return exact, found, (len(u) - ranks[0], len(names) - ranks[1])


def _cut(flat: Sequence[Value], wide: int) -> list[list[Value]]:
    return [list(flat[i : i + wide]) for i in range(0, len(flat), wide)]


def _split(sums: Sequence[Expression], u: Sequence[Expression]) -> list[tuple[Expression, ...]]:
    """Return for each sum the coefficients of the speeds, and the rest without speeds."""
    still = substitute(sums, dict.fromkeys(u, ZERO))
    return [(*row, rest) for row, rest in zip(jacobian(sums, u), still, strict=True)]


@dataclass(frozen=True)
class AgainstOwn(Against):
    """Own equations that a model was checked against; ``said``: further keys of the JSON besides the matching."""

    said: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        return super().to_json() | {"own": dict(self.said)}


def check_own(
    system: System,
    own: OwnEquations,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    states: int = 10,
    seed: int = 0,
    physics: Policy = "error",
    mode: Mode = "auto",
) -> Evidence:
    """Compare a model with equations that somebody derived himself.

    Parameters
    ----------
    system : System
    own : the user's equations, with the user's mappings of names
    file : name of the model for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : number of random states, and their seed
    physics : treatment of impossible masses and inertias: ``error``, ``warn`` or ``ignore``
    mode : whether equality is proved: ``auto``, ``on`` or ``off``

    Raises
    ------
    MbconcordError
        Names do not match, or the model has drives that impose accelerations, or functions without a formula.
    """
    require_size(system, states)
    tree = replace(system.lump_masses(), constraints=()) if system.constraints else system
    for feature, place in features(tree):
        if feature == "motion_drives":
            raise ModelError(error(place, "an imposed acceleration is no equation M u' = f", "give an effort instead"))
    for function in tree.functions:
        if function.formula is None:
            message = "a function without a formula is compared with nothing of yours"
            raise ModelError(
                error(f"functions/{function.name}", message, "define it, or write a parameter in its place")
            )
    asked = tuple(registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names())
    tied = tie(tree, own)
    drawn = draw(tree, states, seed)
    warned = plausible(drawn.system, drawn.states, physics)
    made = trial(tree, with_numbers(drawn.system, drawn.states), asked)
    able = {n: d for n, d in made.derivations.items() if all(q in d.quantities for q in DELIVERED)}
    _require_regular(tied, seed)
    judge = _OwnJudge(tied, drawn.system, made, able, states, seed, mode)
    found, about, notes = judge.judge()
    ties = list(compare_constraints(system, tied, seed, judge.inserted, mode))
    if own.dependent and not any(c.verdict == "agrees" for c in ties):
        why = "both sides are tied by your velocity constraints, which are not proved to be the model's"
        found = [c for c in found if c.quantity != ACCELERATION or c.verdict == "disagrees"]
        found.append(Comparison(YOURS, "", ACCELERATION, "not checked", explanation=why))
    comparisons = (*made.failures(), *found, *ties)
    notes = [*warned, *drawn.diagnostics, *(Diagnostic("note", YOURS, x) for x in own.notes), *notes]
    told = tuple(tied.told.items())
    against = AgainstOwn(
        f"own:{own.kind}", YOURS, "the command" if told else "name", told, (), where=judge.where,
        said={"kind": own.kind, "symbols": dict(own.symbols), "inputs": dict(own.inputs), **about},
    )  # fmt: skip
    return Evidence(file, drawn.system, seed, tuple(made.states), made.witnesses, comparisons, tuple(notes), against)


def _require_regular(tied: Tie, seed: int) -> None:
    """Raise :class:`MbconcordError` if rates of coordinates are not linear in the speeds, or are dependent."""
    turn = tied.find_positions()[2]
    flat = [x for row in turn for x in row]
    if used := sorted(symbols(flat) & {*tied.u}):
        raise MbconcordError(error("qdot", f"rates are not linear in the speed {used[0]}", "give q' = Y u + w"))
    plan = Plan(flat)
    sample, n = Sample(plan, 1, seed), len(tied.u)
    point, (values, *_) = sample.runs[0]
    rows = [[values[plan.place[x]] for x in row] for row in turn]
    rank = reduce_rows(rows, point.field.p).rank
    if rank < n:
        message = f"your {count(n, 'speed')} move the model in {count(rank, 'way')} at every position"
        raise MbconcordError(error("coordinates", message, "a coordinate is missing from their formulas"))


def _settle(proof: OwnProof, solved: bool) -> bool:
    """Return True if all is proved identical; ``solved``: only accelerations count, as the author gives no more."""
    return proof.acceleration.kind == IDENTICAL if solved else accept(proof)


class _OwnJudge:
    """Own equations and those of the formalisms, compared exactly and in floats."""

    def __init__(
        self,
        tied: Tie,
        numbers: System,
        made: Trial,
        able: Mapping[str, Derivation],
        states: int,
        seed: int,
        mode: Mode,
    ) -> None:
        self.tied, self.numbers, self.made, self.able = tied, numbers, made, able
        self.states, self.seed, self.mode = self._draw(states, seed), seed, mode
        self.blurred = approximate(tied.system)
        self.inserted: Exchange = {}
        self.scope = self.regular = ""

    def judge(self) -> tuple[list[Comparison], dict[str, Any], list[Diagnostic]]:
        """Return comparisons, further keys for the JSON, and notes."""
        if not self.able:
            reason = "no formalism that takes the model delivers M, h and the forces"
            return [Comparison(YOURS, "", "M", "not checked", explanation=reason)], {}, []
        proofs = {name: self._prove(d) for name, d in self.able.items()}
        first = next(iter(proofs.values()))
        solved = self.tied.own.solved
        if not _settle(first, solved) and (inserted := self._find_unnamed(first)):
            self.inserted = inserted
            others = {name: self._prove(d) for name, d in self.able.items()}
            other = next(iter(others.values()))
            if _settle(other, solved) if solved else not first.different or other.different < first.different:
                proofs, self.scope = others, f"for all states, where you have numbers with {self.values}"
            else:
                self.inserted = {}
        first = next(iter(proofs.values()))
        if not _settle(first, solved):
            self._add_edges((first.own, first.model))
        combined = all(p.rows is not None for p in proofs.values())
        if combined and not solved and any(x is None for p in proofs.values() for row in p.rows or () for x in row):
            self.regular = "your M is regular"
        found = [c for name, p in proofs.items() for c in self._compare(name, p, combined, p is first)]
        if solved:
            found = [c for c in found if c.quantity == ACCELERATION]
        notes = list(self._note(first, combined and not solved))
        explained = combined and not first.open_rows
        listed = [] if explained or solved else [part for part in first.apart if first.apart[part]]
        contradictions, frames = list(self.tied.own.contradictions), list(self.tied.own.frames)
        if not combined and any(first.exactness(part).kind != IDENTICAL for part in ("M", "quadratic in rates")):
            remedy = "not so of rows that are combined, nor of forces quadratic in the rates"
            notes += [Diagnostic("warning", f"{YOURS}/alone", text, remedy) for text in contradictions]
        if not _settle(first, solved):
            notes += [
                Diagnostic("warning", f"{YOURS}/frames", text, "correct it, or its orientation") for text in frames
            ]
        said: dict[str, Any] = {
            "findings": contradictions,
            "frames": frames,
            "entries": {part: [list(name) for name in first.apart[part]] for part in listed},
            "combined": explained and not solved,
        }
        if listed and not self.blurred:
            from .location import locate  # not before: nothing differs as a rule

            located, words = locate(self, first)
            said |= located
            notes += [Diagnostic("note", YOURS, text) for text in words]
        return sorted(found, key=lambda c: c.quantity == ACCELERATION), said, notes

    @property
    def where(self) -> str:
        """Return the conditions under which the verdict holds, in words."""
        return ", ".join(filter(None, (self.values, self.regular)))

    @property
    def values(self) -> str:
        """Values that were inserted for parameters, in words."""
        return ", ".join(f"{x} = {value}" for x, value in self.inserted.items())

    def _add_edges(self, sides: Sequence[TiedEquations]) -> None:
        """Add states at, near and beyond edges of functions such as abs(), which drawn states may all miss."""
        roots = [x for side in sides for x in (*side.forcing, *(x for row in side.M for x in row))]
        found = [x for x in pieces(roots) if x.data in KINKED or isinstance(x.data, Interpolant)]
        drawn, moving = self.states, {"t", *self.tied.q, *self.tied.u}
        for place, argument in enumerate(dict.fromkeys(x.args[0] for x in found[:MOST_PIECES])):
            state = drawn[place % len(drawn)]
            here = self._still() | dict(state.q) | dict(state.v) | {"t": state.t}
            for name in sorted(symbols([argument]) & moving):
                for at in find_edges(argument, name, here):
                    given = {name: at}
                    q, v = ({x: given.get(x, value) for x, value in own.items()} for own in (state.q, state.v))
                    self.states += (replace(state, t=given.get("t", state.t), q=q, v=v),)

    def _prove(self, derivation: Derivation) -> OwnProof:
        own, model = self.tied.tie_own(self.inserted), self.tied.tie_model(derivation, self.inserted)
        return prove(own, model, self.tied.u, self.seed, self.mode)

    def _find_unnamed(self, proof: OwnProof) -> dict[Expression, Expression]:
        """Return values of parameters that occur in the model's equations but not in the author's.

        If the author gave a value to one of his parameters, return all values: then only these are compared.
        """
        own, model = (
            symbols([*side.forcing, *(x for row in side.M for x in row)]) for side in (proof.own, proof.model)
        )
        known = {p.name: p.value for p in self.tied.system.parameters if p.value is not None and p.value.constant}
        numbers = any(parse_formula(text).constant for text in self.tied.own.symbols.values())
        return {symbol(name): known[name] for name in sorted(model | own if numbers else model - own) if name in known}

    def _draw(self, number: int, seed: int) -> tuple[State, ...]:
        """Draw states of ordinary size in the coordinates that are compared."""
        random = Random(seed)
        found = []
        for _ in range(number):
            q, v = ({x: round(random.uniform(-2.0, 2.0), 6) for x in names} for names in (self.tied.q, self.tied.u))
            found.append(State(round(random.uniform(0.01, 10.0), 6), q, v))
        return tuple(found)

    def compute(self, formulas: Sequence[Expression]) -> Any:
        """Compute numbers (N, m) of formulas at the states."""
        return self._run(formulas)[0].T

    def _still(self) -> dict[str, float]:
        return dict.fromkeys(self.tied.rates, 0.7) | dict(parameter_values(self.numbers))

    def _run(self, formulas: Sequence[Expression]) -> tuple[Any, Any]:
        """Return numbers and bounds (m, N)."""
        values: dict[str, Any] = self._still()
        off = {name: abs(x) * 2.0**-53 for name, x in values.items()}
        values["t"] = np.array([s.t for s in self.states])
        values |= {name: np.array([s.q[name] for s in self.states]) for name in self.tied.q}
        values |= {name: np.array([s.v[name] for s in self.states]) for name in self.tied.u}
        with np.errstate(all="ignore"):
            numbers, bounds = run_bounds(levels(program(formulas)), values, off)
        shape = (len(formulas), len(self.states))
        return np.broadcast_to(numbers, shape), np.broadcast_to(bounds, shape)

    def evaluate(self, side: TiedEquations) -> dict[str, Bounded]:
        """Evaluate all parts at the states, with bounds, and the accelerations."""
        n, found, start = len(self.tied.u), {}, 0
        both = self._run([x for own in side.parts.values() for x in own])
        for part, own in side.parts.items():
            shape = (len(self.states), *((n, n) if part == "M" else (n,)))
            rows = slice(start, start := start + len(own))
            found[part] = Bounded(*(np.ascontiguousarray(x[rows].T).reshape(shape) for x in both))
        found[ACCELERATION] = solution(found["M"], found["forcing"])
        return found

    def _compare(self, name: str, proof: OwnProof, combined: bool, first: bool) -> Iterator[Comparison]:
        """Compare the parts with one formalism's.

        Parts that floats alone tell apart are not judged where the accelerations agree: rows may be combined. Nor is M
        where it multiplies accelerations that are zero.
        """
        found = {c.quantity: c for c in self._compare_parts(name, proof, combined, first)}
        agree = ACCELERATION in found and found[ACCELERATION].verdict == "agrees"
        for c in found.values():
            if agree and c.verdict == "disagrees" and c.exact and c.exact.kind != DIFFERS:
                why = "they differ by floats, accelerations do not: rows may be combined, which only a proof tells"
                c = replace(c, verdict="not checked", explanation=why)
            if combined and c.quantity == "M":
                names = ", ".join(proof.open_rows)
                why = (
                    f"rows {names} are combined or wrong: where they differ, M multiplies an acceleration that is zero"
                )
                c = replace(c, verdict="not checked", explanation=why, terms=())
            yield c

    def _compare_parts(self, name: str, proof: OwnProof, combined: bool, first: bool) -> Iterator[Comparison]:
        mine, theirs = self.evaluate(proof.own), self.evaluate(proof.model)
        for part, a in mine.items():
            if part not in theirs or (combined and part != ACCELERATION and not (part == "M" and proof.open_rows)):
                continue
            b = theirs[part]
            size = np.fmax(np.abs(a.values), np.abs(b.values)).reshape(len(self.states), -1).max(axis=1, initial=0.0)
            scale = np.broadcast_to(size.reshape((-1,) + (1,) * (a.values.ndim - 1)), a.values.shape)
            none = np.zeros(len(self.states))
            pair = ArrayDifference(a.values, b.values, scale, none, none + 1.0, None, a.bounds + b.bounds)
            c = worst(YOURS, name, part, pair, self.states, self.tied.u)
            yield self._decide(c, proof, first)

    def _decide(self, c: Comparison, proof: OwnProof, first: bool) -> Comparison:
        """Return the comparison with the proof's verdict; floats decide if nothing is proved."""
        exact = proof.exactness(c.quantity, self.scope)
        if exact.kind == DIFFERS and self.blurred:
            return replace(c, exact=replace(exact, kind=UNDECIDED, reason=self.blurred))
        if exact.kind == IDENTICAL:
            return replace(c, exact=exact, verdict="disagrees" if c.verdict == "disagrees" else "agrees")
        if exact.kind != DIFFERS:
            return replace(c, exact=exact)
        apart = proof.apart.get(c.quantity, ())
        said = f"{c.quantity}{exact.where} of yours and of {c.b} are different functions"
        others = [f"[{', '.join(name)}]" for name in apart[1 : 2 * ENTRIES]]
        listed = f"; entries that differ too: {', '.join(others)}" if others else ""
        terms = tuple(explain_entry(proof, c.quantity, name, self.tied.u) for name in apart[:ENTRIES]) if first else ()
        if apart and c.entry not in apart:  # floats differ more, or as much, in an entry that is proved
            c = replace(c, entry=apart[0], values=None, state=None)
        return replace(c, exact=exact, verdict="disagrees", explanation=said + listed, terms=terms)

    def _note(self, first: OwnProof, combined: bool) -> Iterator[Diagnostic]:
        """Yield notes on the matching of names, and on rows that are combinations of the model's."""
        own = self.tied.own
        if own.solved:
            yield Diagnostic("note", YOURS, "only accelerations are compared: nothing of yours gives M")
        for what, told in (("coordinates", self.tied.told), ("symbols", own.symbols), ("inputs", own.inputs)):
            if told:
                said = "; ".join(f"{a} = {b}" for a, b in told.items())
                yield Diagnostic("note", f"{YOURS}/{what}", f"as told: {said}")
        if combined and first.rows and not first.open_rows:
            yield Diagnostic("note", f"{YOURS}/rows", f"your rows are others: {describe_rows(first.rows, self.tied.u)}")
        if self.scope:
            message = f"compared with the values {self.values}: what differs for others of them is not seen"
            yield Diagnostic("warning", f"{YOURS}/parameters", message, "name these parameters in your equations")
