"""Exact agreement of the witnesses of a trial: whether each pair's equations are the same functions.

What differs exactly disagrees, whatever floats say, unless the model's own numbers are rounded: then floats decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.system import System

from ..judge.bounds import BoundedEquations
from ..judge.evidence import Comparison
from ..judge.exactness import NOT_TRIED, Exactness
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
    return DRAWS * (sum(len(each.program.steps) for each in equations.values()) + n**3 // 3)


def exactly(
    found: Sequence[Comparison], equations: Mapping[str, BoundedEquations], asked: Asked
) -> tuple[Comparison, ...]:
    """Comparisons of pairs of formalisms with what is proved of them; see :class:`Exactness`."""
    pairs = [c for c in found if not c.claim and c.quantity in QUANTITIES and {c.a, c.b} <= equations.keys()]
    if asked.mode == "off" or not pairs:
        return tuple(found)
    if asked.mode == "auto" and operations(equations) > BUDGET:
        return tuple(replace(c, exact=SIZE) if c in pairs else c for c in found)
    named = {name: equations[name] for c in pairs for name in (c.a, c.b)}
    proved = exact_equations(named, asked.seed, asked.given)
    told = [(c, proved.compared(c.a, c.b, c.quantity) if c in pairs else None) for c in found]
    why = approximate(proved.system) if any(x and x.kind == "differs" for _, x in told) else ""
    return tuple(_judged(c, x, proved, why) for c, x in told)


def _judged(c: Comparison, x: Exactness | None, proved: ExactEquations, why: str) -> Comparison:
    """The comparison with what is proved; ``why``: what of the model makes a difference say nothing."""
    if x is None:
        return c
    if x.kind != "differs":
        return replace(c, exact=x)
    if why:
        return replace(c, exact=replace(x, kind="undecided", reason=why))
    if c.verdict == "disagrees":
        return replace(c, exact=x)
    sides = proved.sides(c.quantity)
    text = f"proved to differ: {c.quantity}{x.where} of {c.a} and of {c.b} are different functions"
    others = f"; {sides}" if sides else ""
    return replace(
        c, exact=x, verdict="disagrees", explanation=f"{text}{others}. {c.explanation}".rstrip(". ")
    )
