"""Inverse dynamics at the accelerations of forward dynamics needs no further force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbconcord.model.evaluation import evaluate_derivation

from ..judge.evidence import Comparison
from ..judge.kinematics import Kinematics
from ..judge.scale import scales
from ..judge.tolerances import solution_tolerance
from ..judge.trial import Trial
from .claim import against, not_checked

SENTENCE = (
    "Forward dynamics undoes inverse dynamics: at the accelerations it gives, inverse dynamics is zero."
)


def claim(made: Trial) -> list[Comparison]:
    """M a + h - gravity - applied at a = acceleration, against zero, relative to what it is made of."""
    found = []
    for name, e in made.evaluations.items():
        q = e.quantities
        if "acceleration" not in q or "inverse_dynamics" not in q:
            continue
        solved = np.asarray(np.isfinite(q["acceleration"]).all(axis=1))
        if not solved.any():
            found.append(not_checked(name, "inverse_dynamics", "no state has accelerations"))
            continue
        states = [
            replace(state, a=dict(zip(made.names, map(float, a), strict=True)))
            for state, a, known in zip(made.states, q["acceleration"], solved, strict=True)
            if known
        ]
        there = evaluate_derivation(made.derivations[name], states).quantities["inverse_dynamics"]
        around = scales(Kinematics(made.system, states))
        tolerance = np.array([solution_tolerance(c) for c in around.cond])
        at = replace(made, states=tuple(states))
        scale = around.rows["inverse_dynamics"]
        found.append(
            against(
                at,
                name,
                "inverse_dynamics",
                there,
                np.zeros_like(there),
                scale,
                "zero",
                around.cond,
                tolerance,
            )
        )
    return found
