"""Inverse dynamics at the accelerations of forward dynamics needs no further force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbconcord.model.derivation import EFFORT

from ..judge.bounds import BoundedEquations
from ..judge.evidence import Comparison
from ..judge.tolerances import solution_tolerance
from ..judge.trial import Trial
from ..judge.uncertainty import inputs
from .claim import against, not_checked

SENTENCE = (
    "Forward dynamics undoes inverse dynamics: at the accelerations it gives, inverse dynamics is zero, or the effort "
    "of the drive that imposes them."
)


QUANTITY = "forward and inverse dynamics"
#: What stands against it.
NOTHING = "zero"


def claim(made: Trial) -> list[Comparison]:
    """M a + h - gravity - applied - effort at a = acceleration, against zero, relative to what it is made of."""
    return [
        _undone(made, name, equations)
        for name, equations in made.equations.items()
        if {"acceleration", "inverse_dynamics"} <= made.evaluations[name].quantities.keys()
    ]


def _undone(made: Trial, name: str, equations: BoundedEquations) -> Comparison:
    """The inverse dynamics of one formalism at its own accelerations.

    Recursions do not leave as little as the solution of equations does: what differs at first sight is allowed what the
    bounds of the accelerations make of it.
    """
    found = made.evaluations[name].quantities["acceleration"]
    solved = np.flatnonzero(np.isfinite(found).all(axis=1))
    if not solved.size:
        return not_checked(name, QUANTITY, "no state has accelerations")
    a = found[solved]
    states = [
        replace(made.states[s], a=dict(zip(made.names, map(float, row), strict=True)))
        for s, row in zip(solved.tolist(), a, strict=True)
    ]
    there = equations.at(inputs(made.system, states))["inverse_dynamics"]
    size, rows = made.scales, made.scales.rows
    forces = (rows["h"] + rows["gravity"] + rows["applied"])[solved]
    scale = forces + np.einsum("sij,sj->si", size.contributions[solved], np.abs(a))
    cond = size.cond[solved]
    tolerance = np.array([solution_tolerance(c) for c in cond])
    at = replace(made, states=tuple(states))
    own = made.evaluations[name]
    known = own.quantities[EFFORT][solved] if EFFORT in own.quantities else np.zeros_like(there.values)
    room = there.bounds + (own.bounds[EFFORT][solved] if EFFORT in own.bounds else 0.0)
    left = there.values - known
    zeros = np.zeros_like(left)
    first = against(at, name, QUANTITY, left, zeros, scale, NOTHING, cond, tolerance, room)
    if first.verdict != "disagrees" or "acceleration" not in own.bounds:
        return first
    unsure = np.einsum("sij,sj->si", size.contributions[solved], own.bounds["acceleration"][solved])
    room = room + np.where(np.isfinite(unsure), unsure, 0.0)
    return against(at, name, QUANTITY, left, zeros, scale, NOTHING, cond, tolerance, room)
