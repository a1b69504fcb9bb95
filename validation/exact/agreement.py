"""Exact agreement of the witnesses of a trial: whether each pair's equations are the same functions.

What differs exactly disagrees, whatever floats say, unless the model's own numbers are rounded: then floats decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mbconcord.model.derivation import QUANTITIES, Derivation
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions.field import DIFFERS, UNDECIDED
from mbconcord.model.system import System

from ..constraints.agreement import CONSTRAINED
from ..constraints.motion import ConstrainedTrial
from ..exactness import NOT_TRIED, Exactness
from ..judge.bounds import BoundedEquations
from ..judge.evidence import Comparison
from ..judge.referee import judge
from ..judge.tolerances import REFEREE_DIGITS
from .closed import ClosedEquations, closed_equations
from .equations import DRAWS, ExactEquations, exact_equations
from .premises import approximate

#: Whether exact agreement is looked at: where it costs no more than the budget, always, never.
Mode = Literal["auto", "on", "off"]
MODES: Final[tuple[Mode, ...]] = ("auto", "on", "off")
#: Operations in prime fields that ``auto`` allows: about a second.
BUDGET: Final = 1_000_000
SIZE: Final = Exactness(NOT_TRIED, "size")


@dataclass(frozen=True)
class Asked:
    """How exact agreement is asked for.

    ``seed`` of the random points. ``given``: the model as its author has it, where functions without a formula were
    given a drawn one: the proof is for every function then.
    """

    mode: Mode = "auto"
    seed: int = 0
    given: System | None = None


def require_mode(mode: str) -> None:
    """Raise :class:`MbconcordError` where there is no such mode."""
    if mode not in MODES:
        raise MbconcordError(error("exact", f"found {mode!r}", f"known: {', '.join(MODES)}"))


def operations(equations: Mapping[str, BoundedEquations]) -> int:
    """Operations in prime fields: every step at every point, and an elimination."""
    n = len(next(iter(equations.values())).names)
    return DRAWS * (sum(each.size for each in equations.values()) + n**3 // 3)


def exactly(
    found: Sequence[Comparison], equations: Mapping[str, BoundedEquations], asked: Asked
) -> tuple[Comparison, ...]:
    """Comparisons of pairs of formalisms with what is proved of them; see :class:`Exactness`."""

    def proved(names: Sequence[str]) -> ExactEquations:
        return exact_equations({name: equations[name] for name in names}, asked.seed, asked.given)

    def confirmed(c: Comparison, x: Exactness) -> Exactness:
        derivations = {name: equations[name].derivation for name in (c.a, c.b)}
        return in_digits(derivations, replace(c, entry=x.entry), x)

    return _attached(found, QUANTITIES, equations, asked, proved, confirmed)


def in_digits(derivations: Mapping[str, Derivation], c: Comparison, x: Exactness) -> Exactness:
    """What is undecided differs where it does in 50 digits, at the state of the comparison."""
    if x.kind != UNDECIDED or judge(derivations, c).verdict != "derivations differ":
        return x
    return replace(x, kind=DIFFERS, reason=f"in {REFEREE_DIGITS} digits; {x.reason}")


def exactly_closed(
    found: Sequence[Comparison], motion: ConstrainedTrial, asked: Asked
) -> tuple[Comparison, ...]:
    """The same of motions with constraints."""
    equations = {name: own.equations for name, own in motion.motions.items() if own.equations is not None}
    ranks = [rank for name in equations for rank in motion.motions[name].solution.rank]
    freedom = len(motion.system.coordinates) - int(max(ranks, default=0))

    def proved(names: Sequence[str]) -> ClosedEquations | str:
        formalisms = [f for f in motion.formalisms if f.name in names]
        return closed_equations(motion.system, formalisms, freedom, asked.seed)

    return _attached(found, CONSTRAINED, equations, asked, proved)


def _attached(
    found: Sequence[Comparison],
    quantities: Sequence[str],
    equations: Mapping[str, BoundedEquations],
    asked: Asked,
    proved: Callable[[Sequence[str]], ExactEquations | ClosedEquations | str],
    confirmed: Callable[[Comparison, Exactness], Exactness] = lambda c, x: x,
) -> tuple[Comparison, ...]:
    """The comparisons of these quantities between formalisms that have equations, with what is proved."""
    pairs = [
        i
        for i, c in enumerate(found)
        if not c.claim and c.quantity in quantities and {c.a, c.b} <= equations.keys()
    ]
    if asked.mode == "off" or not pairs:
        return tuple(found)
    told: dict[int, Exactness] = {}
    why = ""
    sides: Callable[[str], str] = str
    if asked.mode == "auto" and operations(equations) > BUDGET:
        told = dict.fromkeys(pairs, SIZE)
    else:
        names = list(dict.fromkeys(name for i in pairs for name in (found[i].a, found[i].b)))
        known = proved(names)
        for i in pairs:
            c = found[i]
            x = (
                Exactness(UNDECIDED, known)
                if isinstance(known, str)
                else known.compared(c.a, c.b, c.quantity)
            )
            if x is not None:
                told[i] = x
        if not isinstance(known, str) and any(x.entry for x in told.values()):
            why, sides = approximate(known.system), known.sides
            told = {i: x if why or not x.entry else confirmed(found[i], x) for i, x in told.items()}
    return tuple(with_proof(c, told[i], sides, why) if i in told else c for i, c in enumerate(found))


def with_proof(c: Comparison, x: Exactness, sides: Callable[[str], str], why: str) -> Comparison:
    """The comparison with what is proved; ``why``: what of the model makes a difference say nothing."""
    if x.entry and why:
        return replace(c, exact=replace(x, kind=UNDECIDED, reason=why))
    if x.kind != DIFFERS or c.verdict == "disagrees":
        return replace(c, exact=x)
    text = f"proved to differ: {c.quantity}{x.where} of {c.a} and of {c.b} are different functions"
    said = filter(None, (f"{text} ({x.reason})" if x.reason else text, sides(c.quantity)))
    explanation = ". ".join(filter(None, ("; ".join(said), c.explanation)))
    return replace(c, exact=x, verdict="disagrees", explanation=explanation)
