"""Causes of undecided verdicts below scalars: poles, signs, and functions known only by their values."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Final

from ..interpolant import Interpolant
from ..node import FUN, PI, POW
from .angles import NOTHING
from .plan import ROOT, TURN, Plan, PlanStep, radicand

_SIGNED: Final = frozenset(("sign", "abs"))
_BY_VALUE: Final = "{} is known by the values of its arguments only"

#: Kinds of reasons, and what is said of them.
POLE, SIGNS, MANY, OPEN = "pole", "signs", "many", "open"
_SAID: Final = {
    POLE: "a divisor is zero everywhere",
    SIGNS: "it depends on the signs of roots, or of arguments of sign() and abs()",
}
_PI_BESIDE: Final = "pi beside sines of numbers: whether they are independent is not known"


class Taint:
    """Reasons of all steps of a plan, in one pass.

    Parameters
    ----------
    plan : Plan
    bound : radicands whose signs are run through
    poles : places of steps that divide by zero
    many : why not all patterns of signs were run; empty where all were
    by_value : whether roots and functions of roots were taken by their values
    """

    def __init__(self, plan: Plan, bound: Set[object], poles: Set[int], many: str = "", by_value: bool = False) -> None:
        self._plan, self._bound, self._many, self._by_value = plan, bound, many, by_value
        self._bits: dict[tuple[str, str], int] = {}
        own = {i: mask for i, s in plan.special if s.op in _LOOKED_AT and (mask := self._own(s))}
        for place in poles:
            own[place] = own.get(place, 0) | self._bit(POLE, _SAID[POLE])
        self._masks = self._spread_reasons(own) if own else []

    def find_reasons(self, places: Iterable[int]) -> dict[str, str]:
        """Return the reasons by kind: ``pole``, ``many`` signs, ``signs``, ``open``."""
        if not self._masks:
            return {}
        mask = 0
        for place in places:
            mask |= self._masks[place]
        found = {kind: text for (kind, text), bit in self._bits.items() if mask & bit}
        if found.pop(_CONSTANT, None) is not None and _PI in found:
            found.setdefault(OPEN, _PI_BESIDE)
        found.pop(_PI, None)
        return found

    def _bit(self, kind: str, text: str) -> int:
        return self._bits.setdefault((kind, text), 1 << len(self._bits))

    def _spread_reasons(self, own: dict[int, int]) -> list[int]:
        """Collect the causes at and below every step; below a sine, those of the atoms of its angle."""
        masks: list[int] = []
        for i, (op, args, node) in enumerate(self._plan.steps):
            mask = own.get(i, 0)
            if op is TURN:
                args = tuple([self._plan.place[atom] for atom in self._plan.angles.take(node.args[0])])
            for k in args:
                mask |= masks[k]
            masks.append(mask)
        return masks

    def _own(self, step: PlanStep) -> int:
        """Return the causes that a step itself adds."""
        mask = 0
        if self._is_signed(step):
            mask |= self._bit(SIGNS, _SAID[SIGNS])
            if self._many:
                mask |= self._bit(MANY, self._many)
        reason = self._reason(step)
        if reason is not None:
            mask |= self._bit(OPEN, reason)
        if step.op is PI:
            mask |= self._bit(_PI, "")
        if step.op is TURN and NOTHING in self._plan.angles.terms[step.node.args[0]]:
            mask |= self._bit(_CONSTANT, "")
        return mask

    def _is_signed(self, step: PlanStep) -> bool:
        node = step.node
        if step.op is ROOT:
            factor, rest = radicand(node)
            surds = self._plan.surds.parts[factor.data][1]
            return rest in self._bound or any(q in self._bound for q in surds)
        return step.op is FUN and node.data in _SIGNED

    def _reason(self, step: PlanStep) -> str | None:
        """Return the reason why differing values may belong to equal functions, or None."""
        node = step.node
        if step.op is TURN:
            return self._plan.angles.explain_undecided(node.args[0])
        if step.op is FUN and node.data not in _SIGNED:
            return _BY_VALUE.format("a table" if isinstance(node.data, Interpolant) else node.data)
        if step.op is POW:
            return _BY_VALUE.format("a power that is not whole")
        if self._by_value and (step.op is ROOT or step.op is FUN):
            return _BY_VALUE.format("a root within a root")
        return None


#: Kinds that give a reason together only.
_PI, _CONSTANT = "pi", "sine of a number"
_LOOKED_AT: Final = frozenset((PI, TURN, ROOT, FUN, POW))
