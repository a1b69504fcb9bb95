"""Derivatives of inverse and forward dynamics: by every formalism's own graph, against each other and differences.

The regressor is compared in the same way, with forces of bodies by validation's own motions, and times the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from mbconcord.model.derivation import Derivation
from mbconcord.model.derivatives import inertial_parameters, labels, require_rigid
from mbconcord.model.derivatives.dynamics import PARTS, Dynamics, Matrix
from mbconcord.model.derivatives.regressor import CORIOLIS, OF_FORWARD, OF_INVERSE, REGRESSOR, TEN, regressor
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import find_imposed_accelerations

from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.kinematics import takes
from ...judge.solutions import Bounded
from ...judge.tolerances import REFEREE_DIGITS, evaluation_tolerance, solution_tolerance
from ...judge.trial import Trial
from ...judge.uncertainty import inputs
from ...witnesses.peers.peer import Peer
from ...witnesses.sums.regressor import bodies_alone, efforts
from ..claim import PHYSICS, compare_against, not_checked
from .by_graph import GraphMatrices, entry_of, find_accelerated, graphs, pairs, row_scale
from .differences import Differences

SENTENCE = (
    "The derivatives of inverse and forward dynamics by q, q' and τ are those of every formalism, and of differences "
    "in 50 digits; C of every formalism is that of Christoffel's symbols of its M."
)

WHAT: Final = "derivatives"
#: The other side of C: symbols of Christoffel, of M alone.
CHRISTOFFEL: Final = "Christoffel"
OF_ACCELERATIONS: Final = "derivatives of accelerations"


def claim(made: Trial) -> list[Comparison]:
    """Compare ∂τ/∂q, ∂τ/∂q', ∂q''/∂q, ∂q''/∂q', M⁻¹ by pairs; each, times a direction, also with differences."""
    if not made.names:
        return [not_checked(name, WHAT, "there are no coordinates") for name in made.evaluations]
    forward = made.closed is None and not find_imposed_accelerations(made.system)
    said = _compare_derivatives(made, OF_INVERSE, WHAT, [0]) + _compare_coriolis(made)
    if forward:
        moving = np.flatnonzero(find_accelerated(made)).tolist()
        said += _compare_derivatives(made, OF_FORWARD, OF_ACCELERATIONS, moving[:1])
    else:
        why = "accelerations are solved with constraints, or imposed by drives"
        said += [not_checked(name, OF_ACCELERATIONS, why) for name in made.evaluations]
    return said


def _compare_derivatives(made: Trial, quantities: Sequence[str], what: str, places: Sequence[int]) -> list[Comparison]:
    """Compare these derivatives by pairs of formalisms, and with finite differences at the states of these numbers."""

    def matrices(derivation: Derivation) -> Mapping[str, Matrix]:
        own = Dynamics(derivation)
        return {name: getattr(own, name) for name in quantities}

    found, said = graphs(made, what, matrices)
    said += pairs(made, found, dict.fromkeys(quantities, made.names), solved=quantities is OF_FORWARD)
    for name, graph in found.items():
        for place in places:
            try:
                said += Differences(made, name, place).compare(graph, quantities)
            except (ExpressionError, ArithmeticError) as problem:
                said.append(not_checked(name, what, f"no value in {REFEREE_DIGITS} digits: {problem}"))
    return said


def _compare_coriolis(made: Trial) -> list[Comparison]:
    """Compare C, taken from h, by pairs; for rigid bodies also with C by Christoffel symbols of the same M."""
    found, said = graphs(made, CORIOLIS, lambda derivation: {CORIOLIS: Dynamics(derivation).C})
    said += pairs(made, found, {CORIOLIS: made.names})
    for name, own in found.items() if not any(body.modal for body in made.system.bodies) else ():
        symbols = GraphMatrices(own.derivation, {CORIOLIS: Dynamics(own.derivation).christoffel})
        said += pairs(made, {name: own, CHRISTOFFEL: symbols}, {CORIOLIS: made.names})
    return said


DERIVATIVES_ONCE = (
    "The derivatives of inverse and forward dynamics by q, q' and τ of one formalism are those of differences in "
    "50 digits, at one state in one direction."
)

#: Steps of the equations times coordinates beyond which they would cost more than all other claims.
MOST: Final = 30_000


def derivatives_once(made: Trial) -> list[Comparison]:
    """Check derivatives of the first formalism whose equations are short enough: return disagreements, or the worst."""
    able = [name for name, own in made.equations.items() if {*PARTS} <= {*own.derivation.quantities}]
    if not able or not made.names or not made.states:
        return []
    sizes = {name: made.equations[name].size * len(made.names) for name in able}
    name = next((one for one, size in sizes.items() if size <= MOST), None)
    if name is None:
        why = f"some {min(sizes.values()):,} operations, more than {MOST:,}: --claims derivatives compares them"
        return [not_checked(able[0], WHAT, why)]
    own, at = Dynamics(made.derivations[name]), cache(lambda state: Differences(made, name, state))
    found = _once(made, name, own, OF_INVERSE, at, 0)
    if made.closed is None and not find_imposed_accelerations(made.system):
        states = np.flatnonzero(find_accelerated(made))[:1].tolist()
        found += [c for i in states for c in _once(made, name, own, OF_FORWARD, at, i)]
    wrong = [c for c in found if c.verdict == "disagrees"]
    unsaid = [c for c in found if c.verdict == "not checked"]
    right = [c for c in found if c.verdict == "agrees"]
    names = [c.quantity for c in right]
    what = WHAT if {*OF_INVERSE, *OF_FORWARD} == {*names} else ", ".join(names)
    worst = sorted(right, key=lambda c: c.discrepancy or 0.0)[-1:]
    return wrong or [*(replace(c, quantity=what) for c in worst), *unsaid]


def _once(
    made: Trial, name: str, own: Dynamics, quantities: Sequence[str], at: Callable[[int], Differences], state: int
) -> list[Comparison]:
    """Compare these matrices of a formalism with finite differences; return nothing if it has no such matrices."""
    try:
        graph = GraphMatrices(made.derivations[name], {quantity: getattr(own, quantity) for quantity in quantities})
    except FormalismError:  # coordinates without inertia have no accelerations
        return []
    try:
        return [*at(state).compare(graph, quantities)]
    except (ExpressionError, ArithmeticError) as problem:
        return [not_checked(name, WHAT, f"no value in {REFEREE_DIGITS} digits: {problem}")]


def beside_program(made: Trial, peer: Peer, called: str) -> Iterator[Comparison]:
    """Compare every derivative that a program gives, with every formalism: the worst entry of all states.

    The tolerance is relative to a matrix's largest entry; for solved quantities times the condition number of M.

    Raises
    ------
    PeerError
        The program gives no derivatives of this model.
    """
    k = made.kinematics
    theirs = peer.derivatives(k.q, k.v, k.a)
    solved = () if made.closed is not None or find_imposed_accelerations(made.system) else OF_FORWARD

    def matrices(derivation: Derivation) -> Mapping[str, Matrix]:
        own = Dynamics(derivation)
        return {name: getattr(own, name) for name in (CORIOLIS, *OF_INVERSE, *solved)}

    found, _ = graphs(made, WHAT, matrices)
    given = inputs(made.system, made.states)
    for name, graph in found.items():
        M = made.evaluations[name].quantities["M"]
        with np.errstate(all="ignore"):
            cond = np.array([np.linalg.cond(m) if np.isfinite(m).all() else np.inf for m in M])
        for quantity, own in graph.evaluate(given).items():
            x, y = own.values, theirs[quantity]
            size = np.fmax(*(np.max(np.abs(z), axis=(1, 2), initial=0.0, keepdims=True) for z in (x, y)))
            tolerance = (
                np.array([solution_tolerance(c) for c in cond])
                if quantity in solved
                else np.full(len(x), evaluation_tolerance())
            )
            difference = ArrayDifference(x, y, np.broadcast_to(size, x.shape), tolerance, cond, bound=own.bounds)
            c = worst(name, called, quantity, difference, made.states, made.names)
            yield replace(c, claim=peer.name)


LINEAR_IN_PARAMETERS = (
    "Inverse dynamics is linear in ten inertial parameters of every body, with the same coefficients by all."
)

#: What Y π is beside: M a + h - gravity of the model's own numbers.
LINEAR: Final = "Y π"


def linear_in_parameters(made: Trial) -> list[Comparison]:
    """Compare Y by pairs, with forces of bodies of which one parameter is 1; Y π with M a + h - gravity."""
    system = made.system
    try:
        require_rigid(system)
    except FormalismError as problem:
        return [not_checked(name, REGRESSOR, problem.diagnostics[0].message) for name in made.evaluations]
    names = labels(system)
    if not names or not made.names:
        return [not_checked(name, REGRESSOR, "no body has inertia") for name in made.evaluations]

    by = {formalism.name: formalism for formalism in made.formalisms}

    def matrices(derivation: Derivation) -> Mapping[str, Matrix]:
        return {REGRESSOR: regressor(system, by[derivation.formalism].derive)}

    found, said = graphs(made, REGRESSOR, matrices)
    said += pairs(made, found, {REGRESSOR: names})
    if not takes(system):
        return said + [not_checked(name, REGRESSOR, "not an open tree of rigid bodies") for name in found]
    own, given = efforts(made.kinematics, names[:: len(TEN)]), inputs(system, made.states)
    known = Bounded(own, np.zeros_like(own))
    for name, graph in found.items():
        y = graph.evaluate(given)[REGRESSOR]
        scale = row_scale(own, y.values)
        said.append(entry_of(name, PHYSICS, REGRESSOR, y, known, scale, made, names, evaluation_tolerance()))
        said.append(_with_parameters(made, name, y))
    return said


def _with_parameters(made: Trial, name: str, y: Bounded) -> Comparison:
    """Compare Y π with the formalism's own M a + h - gravity, if only bodies have inertia."""
    q = made.evaluations[name].quantities
    if not {"M", "h", "gravity"} <= q.keys():
        return not_checked(name, LINEAR, f"{name} does not deliver M, h and gravity")
    if not bodies_alone(made.system):
        return not_checked(name, LINEAR, "armatures, flywheels, fluids or masses of elements have inertia, too")
    k = made.kinematics
    π = k.vectors(inertial_parameters(made.system))
    moved = np.einsum("sij,sj->si", q["M"], k.a) + q["h"] - q["gravity"]
    scale = np.einsum("sij,sj->si", np.abs(y.values), np.abs(π)) + np.abs(moved)
    return compare_against(made, name, LINEAR, np.einsum("sij,sj->si", y.values, π), moved, scale, PHYSICS)
