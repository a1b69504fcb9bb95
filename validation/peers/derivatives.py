"""Derivatives of the equations by other programs, beside those of every formalism."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from mbconcord.model.derivation import Derivation
from mbconcord.model.derivatives.dynamics import Dynamics
from mbconcord.model.derivatives.factors import Matrix
from mbconcord.model.derivatives.quantities import OF_FORWARD, OF_INVERSE
from mbconcord.model.mixed import imposed
from mbconcord.validation.judge.comparison import Difference, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.tolerances import evaluation_tolerance, solution_tolerance
from mbconcord.validation.judge.trial import Trial
from mbconcord.validation.judge.uncertainty import inputs

from ..claims.derived.by_graph import graphs
from .peer import Peer

WHAT = "derivatives"


def derivatives(made: Trial, peer: Peer, called: str) -> Iterator[Comparison]:
    """Every derivative that a program gives, by every formalism and by it: the worst entry of all states.

    An entry is relative to the largest of its matrix: of what is solved, times the condition number of M.

    Raises
    ------
    PeerError
        The program gives none of this model.
    """
    k = made.kinematics
    theirs = peer.derivatives(k.q, k.v, k.a)
    solved = () if made.closed is not None or imposed(made.system) else OF_FORWARD

    def matrices(derivation: Derivation) -> Mapping[str, Matrix]:
        own = Dynamics(derivation)
        return {name: getattr(own, name) for name in (*OF_INVERSE, *solved)}

    found, _ = graphs(made, WHAT, matrices)
    given = inputs(made.system, made.states)
    for name, graph in found.items():
        M = made.evaluations[name].quantities["M"]
        with np.errstate(all="ignore"):
            cond = np.array([np.linalg.cond(m) if np.isfinite(m).all() else np.inf for m in M])
        for quantity, own in graph.at(given).items():
            x, y = own.values, theirs[quantity]
            size = np.fmax(*(np.max(np.abs(z), axis=(1, 2), initial=0.0, keepdims=True) for z in (x, y)))
            tolerance = (
                np.array([solution_tolerance(c) for c in cond])
                if quantity in solved
                else np.full(len(x), evaluation_tolerance())
            )
            difference = Difference(x, y, np.broadcast_to(size, x.shape), tolerance, cond, bound=own.bounds)
            c = worst(name, called, quantity, difference, made.states, made.names)
            yield replace(c, claim=peer.name)
