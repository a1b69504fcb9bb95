"""Free bodies held together by joints, Newton and Euler for each: the same efforts and the same accelerations."""

from __future__ import annotations

import numpy as np

from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.tolerances import evaluation_tolerance, solution_tolerance
from ..judge.trial import Trial
from ..maximal.fields import NAME
from ..maximal.witness import SilentError, accelerations, at_states, inverse_dynamics
from .claim import finite_on_both_sides, not_checked

SENTENCE = "Accelerations and inverse dynamics are those of free bodies that joints hold together by forces."


def claim(made: Trial) -> list[Comparison]:
    """Every formalism against the witness of maximal coordinates, which has no bounds."""
    try:
        found, name = at_states(made)
    except SilentError as reason:
        return [not_checked(NAME, "free bodies", str(reason))]
    own = {"inverse_dynamics": inverse_dynamics(made, found)}
    if made.closed is None:
        own["acceleration"] = accelerations(found)
    return [
        _compared(made, who, name, quantity, values)
        for quantity, values in own.items()
        for who, evaluation in made.evaluations.items()
        if quantity in evaluation.quantities
    ]


def _compared(made: Trial, who: str, name: str, quantity: str, own: Array) -> Comparison:
    """One quantity at the states of the witness; accelerations in units of √M_ii, times the condition number of M."""
    evaluation, count = made.evaluations[who], len(own)
    theirs, own = finite_on_both_sides(evaluation.quantities[quantity][:count], own)
    scales, ones = made.scales, np.ones(count)
    bound = evaluation.bounds[quantity][:count] if quantity in evaluation.bounds else None
    if quantity == "acceleration":
        unit, cond = scales.roots[:count], scales.cond[:count]
        with np.errstate(all="ignore"):
            theirs, own = theirs * unit, own * unit
            size = np.fmax(np.max(np.abs(theirs), axis=1, initial=0.0), scales.forces[:count])[:, None]
            bound = None if bound is None else bound * unit
        tolerance = np.array([solution_tolerance(c) for c in cond])
        difference = Difference(theirs, own, np.broadcast_to(size, own.shape), tolerance, cond, unit, bound)
    else:
        tolerance = ones * evaluation_tolerance()
        difference = Difference(theirs, own, scales.rows[quantity][:count], tolerance, ones, None, bound)
    return worst(who, name, quantity, difference, made.states[:count], made.names)
