"""Motions of closed linkages: all coordinates, rates and accelerations from those of the driven coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mbconcord.model import State
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.numbers import environment

from .dynamics import Array, ClosedLinkage, singular
from .parts import Parts

#: Newton steps of an assembly, and the step (rad) at which it is done.
STEPS = 50
DONE = 1e-14


def motion(linkage: ClosedLinkage, driven: Mapping[str, tuple[float, float, float]], guess: State) -> State:
    """Compute the state in which all loops are closed.

    Newton's method on φ = 0 for the dependent coordinates from their values in ``guess``; then C ω = 0 and
    C ε = -C' ω, with θ, ω, ε as sums of q, q', q''.

    Parameters
    ----------
    driven : coordinate -> (q, q', q''), as many as degrees of freedom
    guess : start values of the other coordinates, which choose the way the linkage is assembled; a coordinate
        without a value here starts at the model's initial one

    Raises
    ------
    NumbersError
        The loops cannot be closed, the position is singular, or the number of driven coordinates is wrong.
    """
    names = linkage.names
    free = [i for i, name in enumerate(names) if name not in driven]
    if len(free) != 2 * len(linkage.loops.cuts) or not set(driven) <= set(names):
        message = f"driven are {', '.join(driven)}, the degrees of freedom are {linkage.freedom}"
        raise NumbersError(error("driven", message, f"coordinates: {', '.join(names)}"))
    (values,) = environment(linkage.system, [guess])
    start, rest = {name: float(values[name]) for name in names}, dict.fromkeys(names, 0.0)
    q, v, a = ({name: value[order] for name, value in driven.items()} for order in range(3))
    state = replace(guess, q=start | q, v=rest | v, a=rest | a)
    for _ in range(STEPS):
        n = linkage.numbers(state)
        step = np.zeros(len(names))
        step[free] = np.linalg.lstsq(_relative(linkage, n)[:, free], -n.closure, rcond=None)[0]
        state = replace(state, q={name: state.q[name] + x for name, x in zip(names, step, strict=True)})
        if np.abs(step).max(initial=0.0) < DONE * (1 + np.abs([*state.q.values()]).max(initial=0.0)):
            break
    n = linkage.numbers(state)
    C = _relative(linkage, n)[:, free]
    findings = singular(C, "of the dependent coordinates")
    if findings:
        raise NumbersError(findings)
    if np.abs(n.closure).max(initial=0.0) > 1e-10 * np.abs(n.C).max(initial=1.0):
        raise NumbersError(error("driven", "the loops cannot be closed from this guess", "try another guess"))
    rates = np.linalg.solve(C, -n.C @ n.omega)
    state = replace(state, v={**state.v, **{names[i]: float(x) for i, x in zip(free, rates, strict=True)}})
    n = linkage.numbers(state)
    accelerations = np.linalg.solve(C, -n.drift - n.C @ n.epsilon)
    return replace(state, a={**state.a, **{names[i]: float(x) for i, x in zip(free, accelerations, strict=True)}})


def _relative(linkage: ClosedLinkage, n: Parts[Array]) -> Array:
    """Compute ∂φ/∂q = C S⁻ᵀ, each column times the sense (1 or -1) of its coordinate."""
    return np.asarray(n.C @ np.linalg.inv(n.S).T * linkage.sense)
