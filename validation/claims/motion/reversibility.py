"""Reversibility of a motion with its rates reversed, if the forces allow it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model.checks.scope import SystemScopes, formulas
from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.contact import list_rigid, split_elements
from mbconcord.model.expressions import TIME, ZERO, symbols
from mbconcord.model.force import LENGTH_RATE, Bipolar, Bushing, JointEffort, LinearLaw, find_words
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.system import System
from mbconcord.simulation.poses import express_rolling

from ...judge.evidence import Comparison
from ...witnesses.motion import INTERPOLATED, Moved, join_starts
from ..claim import not_checked

CLAIM = "reversibility"
QUANTITY = "motion there and back"


def claim(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Check for every formalism the end of the reversed motion against the start, positions and rates.

    Errors of the first leg are carried back with the motion and do not cancel; they grow only from where they were
    made.
    """
    reason = irreversible(starts[0].system)
    if reason:
        yield not_checked("motion", QUANTITY, reason)
        return
    names = starts[0].system.coordinate_names
    entries = (*names, *(f"{name}'" for name in names))
    n = len(names)
    sign = np.concatenate([np.ones(n), -np.ones(n)])
    for name in starts[0].runs:
        parts = []
        stuck = ""
        for moved in starts:
            run = moved.runs[name]
            states = moved.states(run)
            end, length = states[-1], run.t[moved.count - 1] - run.t[0]
            turned = replace(end, t=run.t[0], v={k: -x for k, x in end.v.items()})
            back = moved.runner.run(moved.formalisms[name], turned, float(length))
            if back.stop_reason is not None:
                stuck = f"the way back ends early: {back.stop_reason.message}"
                continue
            out = moved.tolerances(run)[-1:]
            steps = run.steps(run.t[moved.count - 1 : moved.count]) + INTERPOLATED
            both = out * (1 + (len(back.ends) + INTERPOLATED) / steps)
            parts.append((back.y[-1:] * sign, run.y[:1], moved.sizes(run)[-1:], both, states[:1]))
        if parts:
            yield join_starts(name, "start", QUANTITY, CLAIM, parts, entries)
        if stuck:
            yield not_checked(name, QUANTITY, stuck)


def irreversible(system: System) -> str:
    """Say why a motion is not reversible; empty if it is: nothing depends on time or rates."""
    if find_imposed_accelerations(system):
        return "drives impose accelerations"
    if list_rigid(split_elements(system)[0]):
        return "impacts of rigid elements are not turned back"
    if any(body.flywheels for body in system.bodies):
        return "flywheels spin on as prescribed"
    every = [x for _, group, _ in formulas(SystemScopes(system)) for x in group]
    if TIME.data in symbols(define(every, system.functions)):
        return "the model depends on the time"
    if any(_slows(force) for force in system.forces) or _driven_by_rates(system):
        return "forces depend on rates"
    if any(body.modes and any(x is not ZERO for row in body.modes.damping for x in row) for body in system.bodies):
        return "elastic bodies are damped"
    if any(isinstance(c, Nonholonomic) and c.rest is not ZERO for c in express_rolling(system).constraints):
        return "constraints prescribe rates"
    return ""


def _driven_by_rates(system: System) -> bool:
    rates = {f"{name}'" for name in system.coordinate_names} | {str(LENGTH_RATE.data)}
    rates |= {str(word) for word in find_words(system.coordinates, system.forces) if word.kind != "r"}
    every = [
        x for place, group, _ in formulas(SystemScopes(system)) for x in group if place.startswith(("forces", "coord"))
    ]
    return bool(symbols(define(every, system.functions)) & rates)


def _slows(force: object) -> bool:
    """Return True if a structured law has a damper."""
    if isinstance(force, Bushing):
        return any(x is not ZERO for row in force.damping for x in row)
    if isinstance(force, JointEffort):
        return isinstance(force.effort, LinearLaw) and force.effort.d is not ZERO
    return isinstance(force, Bipolar) and isinstance(force.law, LinearLaw) and force.law.d is not ZERO
