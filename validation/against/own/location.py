"""Location of the differences of own equations: parameters that remove them if zero, bodies, ratios, and a cause.

A cause is stated only if the model changed by it has the author's equations in every part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final, Protocol

import numpy as np

from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import MbconcordError, NumbersError
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, number, substitute, symbol, symbols
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.state import State
from mbconcord.model.system import System

from ...explain.numbers import Said, compute_numbers
from ...explain.search import why_not_said
from ...judge.solutions import Bounded
from ...judge.states import complete_state
from ...judge.trial import Trial
from .alone import TiedEquations
from .proof import OwnProof, accept, entries_of, prove
from .tied import Exchange, Tie

#: Most proofs of what a difference vanishes with.
TESTS: Final = 100
#: Causes with which own equations are the same as with another mistake, which the model cannot have.
OTHERWISE: Final = {"there is no gravity": "or weights act at points that your coordinates do not move"}
#: Ratios that are looked for, in this order.
RATIOS: Final = ("-1", "0", "2", "1/2", "4", "1/4", "3", "1/3")
#: Part -> the quantity of the model that it belongs to.
PLACES: Final = {
    "gravity": "gravity", "other forces": "applied", "static": "applied", "linear in rates": "applied",
    "quadratic in rates": "h",
}  # fmt: skip

Pair = tuple[Expression, Expression]


class Judging(Protocol):
    """Protocol of a comparison: both sides in common coordinates, models with numbers, and states."""

    tied: Tie
    numbers: System
    made: Trial
    able: Mapping[str, Derivation]
    inserted: Exchange
    states: tuple[State, ...]
    seed: int

    def compute(self, formulas: Sequence[Expression]) -> Any:
        """Compute numbers (N, m) of formulas at the states."""

    def evaluate(self, side: TiedEquations) -> dict[str, Bounded]:
        """Evaluate all parts at the states, with bounds, and the accelerations."""


def locate(judge: Judging, proof: OwnProof) -> tuple[dict[str, Any], list[str]]:
    """Return the location of the differences, as JSON and as sentences."""
    alone: dict[str, list[str]] = {}
    words: list[str] = []
    system = judge.tied.system
    for part in proof.apart:
        if not proof.apart[part] or part == "forcing":
            continue
        pairs = [_pair(proof, part, name, judge.tied.u) for name in proof.apart[part]]
        names, kind = _find_vanishing(pairs, system)
        if names:
            alone[part] = names
            among = ", or ".join(names) if kind == "parameter" else " and ".join(names)
            what = f"{among} alone" if kind == "parameter" else f"the inertia of {among}"
            words.append(f"{part}: the difference vanishes with {what}")
        ratio = _find_ratio(proof, part)
        if ratio:
            words.append(f"{part}: yours is {ratio} times the model's")
    cause, where = _find_cause(judge, proof)
    if cause:
        either = ", ".join(filter(None, (cause, OTHERWISE.get(cause))))
        words.append(f"why: yours are the model's with one change: {either}{where and f' (where {where})'}")
    return {"alone": alone, "why": cause} | ({"why_where": where} if where else {}), words


def _pair(proof: OwnProof, part: str, name: tuple[str, ...], u: Sequence[str]) -> Pair:
    at = entries_of(part, u).index(name)
    return proof.own.parts[part][at], proof.model.parts[part][at]


def _find_vanishing(pairs: Sequence[Pair], system: System) -> tuple[list[str], str]:
    """Return parameters, each of which removes the whole difference if zero; or the bodies whose inertia does."""
    used = symbols([x for pair in pairs for x in pair])
    named = [p.name for p in system.parameters if p.name in used][:TESTS]
    single = [name for name in named if _vanishes(pairs, [name])]
    if single:
        return sorted(single), "parameter"
    inertias = {b.name: symbols([b.inertia.mass, *b.inertia.tensor]) & {*named} for b in system.bodies}
    for size in (1, 2):
        for chosen in list(combinations(inertias, size))[:TESTS]:
            names = frozenset().union(*(inertias[name] for name in chosen))
            if names and _vanishes(pairs, sorted(names)):
                return [*chosen], "body"
    return [], ""


def _vanishes(pairs: Sequence[Pair], names: Sequence[str]) -> bool:
    """Return True if the sides are the same functions where these parameters are zero."""
    zero = {symbol(name): ZERO for name in names}
    try:
        flat = substitute([x for pair in pairs for x in pair], zero)
    except (ExpressionError, ZeroDivisionError):
        return False
    return all(v.kind == IDENTICAL for v in compare(zip(flat[::2], flat[1::2], strict=True)))


def _find_ratio(proof: OwnProof, part: str) -> str:
    """Return the factor by which the model's part has to be multiplied to be the author's; empty if there is none."""
    own, model = proof.own.parts[part], proof.model.parts[part]
    for ratio in RATIOS:
        scaled = ((a, number(ratio) * b) for a, b in zip(own, model, strict=True))
        if all(v.kind == IDENTICAL for v in compare(scaled)):
            return ratio
    return ""


def _find_cause(judge: Judging, proof: OwnProof) -> tuple[str, str]:
    """Return a change that makes the model equal the author's equations in every part, proved; empty if unknown.

    The second text names the parameter values for which alone this is proved.
    """
    tied = judge.tied
    if not tied.forward or tied.rates or tied.own.dependent or len(tied.u) != len(tied.system.coordinates):
        return "", ""
    try:
        numbers, at = _translate(judge, proof)
    except (np.linalg.LinAlgError, NumbersError):
        return "", ""
    if not all(np.isfinite(x).all() for x in numbers.quantities.values()):
        return "", ""
    steps = why_not_said(judge.numbers, at, numbers, 0.0).steps
    if len(steps) != 1:
        return "", ""
    found = ((c.said, _explain(judge, c.system)) for c in steps[0].causes)
    return next(((said, where) for said, where in found if where is not None), ("", ""))


def _translate(judge: Judging, proof: OwnProof) -> tuple[Said, tuple[State, ...]]:
    """Return the author's M, h, gravity and applied in the model's coordinates, and its states.

    Parts proved identical keep the model's own numbers. With f̂ = Φᵀ(f - M σ), a different M changes h, too.
    """
    tied, system, n = judge.tied, judge.numbers, len(judge.tied.u)
    mine, theirs = judge.evaluate(proof.own), judge.evaluate(proof.model)
    positions, v, turn = tied.find_positions()
    moved = judge.compute([*positions, *v, *tied.find_bias(), *(x for row in turn for x in row)])
    names = system.coordinate_names
    order = [[*tied.phi].index(x) for x in names]
    q, rates, sigma = (moved[:, k * n : (k + 1) * n][:, order] for k in range(3))
    back = np.linalg.inv(moved[:, 3 * n :].reshape(-1, n, n)[:, order])
    at = tuple(
        complete_state(
            system, State(s.t, dict(zip(names, x, strict=True)), dict(zip(names, y, strict=True))), judge.seed
        )
        for s, x, y in zip(judge.states, q.tolist(), rates.tolist(), strict=True)
    )
    found = {name: own.copy() for name, own in compute_numbers(system, at).quantities.items()}
    across = np.transpose(back, (0, 2, 1))
    if proof.apart["M"]:
        other = across @ mine["M"].values @ back
        found["h"] -= np.einsum("sij,sj->si", other - found["M"], sigma)
        found["M"] = other
    for part, name in PLACES.items():
        if proof.apart.get(part):
            rest = np.einsum("sij,sj->si", across, mine[part].values - theirs[part].values)
            found[name] += -rest if name == "h" else rest
    return Said(found), at


def _explain(judge: Judging, changed: System) -> str | None:
    """Return the scope in which a changed model is proved to equal the author's: empty: all values; None: no proof."""
    tied = judge.tied
    formalism = next(f for f in judge.made.formalisms if f.name == next(iter(judge.able)))
    values = {symbol(p.name): p.value for p in changed.parameters if p.value is not None and p.value.constant}
    said = ", ".join(f"{name} = {value}" for name, value in values.items())
    try:
        derivation = formalism.derive(changed)
        for inserted, where in ((judge.inserted, ""), (values, said)):
            if accept(prove(tied.tie_own(inserted), tied.tie_model(derivation, inserted), tied.u, judge.seed)):
                return where
    except (MbconcordError, ExpressionError):
        pass
    return None
