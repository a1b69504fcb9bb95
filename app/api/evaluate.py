"""Numbers of a model at states, by one formalism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.elastic.turns import require_within
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation
from mbconcord.model.instance import Instance
from mbconcord.model.joint_forces import CUT_FORCES, JOINT_FORCES
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.judge.plausible import plausible

from .derivatives import derivatives_at
from .joint_forces import joint_forces
from .models import Model, source
from .numbers import Numbers, not_finite, shaped
from .source import located
from .states import States, given


@dataclass(frozen=True)
class Evaluated:
    """Numbers of a system at states.

    Attributes
    ----------
    at : the states with the values of all symbols
    evaluation : the canonical quantities; of a system with constraints those of its open tree
    motion : of a system with constraints
    warnings : of bodies that are physically impossible
    """

    at: Instance
    evaluation: Evaluation
    motion: ConstrainedMotion | None
    warnings: tuple[Diagnostic, ...]

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What cannot be computed at some of the states."""
        return self.motion.diagnostics if self.motion else self.evaluation.diagnostics


def evaluated(system: System, by: Formalism, states: Sequence[State], physics: Policy) -> Evaluated:
    """The numbers that a formalism gives; with constraints the motion that satisfies them.

    Raises
    ------
    NumbersError
        Something has no number, or a section of an elastic body is turned farther than equations hold; ModelError for
        a body that is physically impossible, FormalismError for an obstacle.
    """
    require_ranges(system)
    at = Instance(system, states)
    _ = at.environments  # refuses unknown names and values that are no numbers
    require_within(system, at)
    warnings = plausible(system, at, physics)
    motion = by.constrained_motion(system, at) if system.constraints else None
    if motion:
        return Evaluated(at, motion.tree, motion, warnings)
    by.require(system)
    return Evaluated(at, by.evaluate(system, at), None, warnings)


def evaluate(
    model: Model,
    q: States | None = None,
    v: States | None = None,
    t: ArrayLike | None = None,
    *,
    a: States | None = None,
    formalism: str | Formalism = registry.DEFAULT,
    quantities: str | Iterable[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> Numbers:
    """Numbers of the canonical quantities of a model at one state or at many.

    ``M(q) q'' + h(q, q', t) = gravity + applied (+ Dᵀ λ)``; ``inverse_dynamics`` is M a + h - gravity - applied. For
    thousands of states, again and again, :func:`mbconcord.compile`.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    q : positions (N,) or (n, N), m and rad, or with rates (2N,) or (n, 2N); or a mapping or a DataFrame whose names are
        coordinates ``z1``, rates ``z1'``, accelerations ``z1''``, ``t`` or parameters; or a State, or several.
        What is missing is taken from the model: its initial positions and velocities
    v : rates (N,) or (n, N), per second, or by the coordinates' names
    t : seconds, a number or (n,)
    a : accelerations, per second squared; ``inverse_dynamics`` is delivered where they are given
    formalism : by whose equations
    quantities : which; None: all that are printed. Derivatives ``dtau_dq``, ``dtau_dv`` (of inverse dynamics at the
        accelerations that are given), ``da_dq``, ``da_dv``, ``da_dtau`` (n, N, N), and the ``regressor`` (n, N, 10 b)
        are there for who asks. ``joint_forces`` (n, k, 6) of the k bodies that coordinates move are what their
        carriers exert on them, force (N) and moment (N m) about the origin of the body in its axes; of a model with
        constraints ``cut_forces`` (n, c, 6) what first bodies exert on second ones at the c cuts between bodies, about
        the cut in the second's axes
    parameters : values by name, numbers for all states or arrays (n,)
    physics : what is made of masses and inertias that no body has; None: what the format's record says
    format : of the file, where its name does not tell

    Returns
    -------
    Numbers
        Arrays by name; with constraints ``acceleration``, ``D``, ``lambda`` and ``reactions`` of the motion.

    Raises
    ------
    NumbersError
        A state that does not fit the model, or no number for something: the place, what was expected, what to do.
    FormalismError
        The formalism does not take the model, and why.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read_text("z j-2 $3 g", format="mbsd")
    >>> mbconcord.evaluate(pendulum, q=[0.0], v=[0.5])["M"]
    array([[12.]])
    """
    found = source(model, format, physics)
    by = registry.formalism(formalism) if isinstance(formalism, str) else formalism
    asked = (
        (quantities,) if isinstance(quantities, str) else None if quantities is None else tuple(quantities)
    )
    with located(found):
        at = given(found.system, q, v, a, t, parameters)
        numbers = evaluated(found.system, by, at.states(), found.physics)
        forces = {JOINT_FORCES, CUT_FORCES} if found.system.constraints else {JOINT_FORCES}
        borne = joint_forces(found.system, numbers.at, by) if forces & {*(asked or ())} else None
        slopes = derivatives_at(found.system, by, numbers.at, asked or ())
    at = at.filled(numbers.at.values)
    made, rows = _by_name(numbers, at.accelerated)
    made |= slopes
    if borne:
        made |= {JOINT_FORCES: borne.by[by.name]} | (
            {CUT_FORCES: borne.at_cuts[by.name]} if borne.at_cuts else {}
        )
    chosen = _chosen(made, asked)
    warned = (d for d in found.diagnostics if d.severity != "note")
    said = tuple(
        map(found.locate, (*warned, *numbers.warnings, *numbers.findings, *(borne.findings if borne else ())))
    )
    missing = tuple(not_finite(chosen, said))
    return Numbers(by.name, at, shaped(at, chosen), (*said, *missing), rows)


def _by_name(numbers: Evaluated, accelerated: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arrays (n, …) by name, and the names of the constraint rows."""
    found = {
        name: numbers.evaluation.quantities[name]
        for name in QUANTITIES
        if name in numbers.evaluation.quantities and (accelerated or name != "inverse_dynamics")
    }
    motion = numbers.motion
    if motion is None:
        return found, ()
    more = {"acceleration": motion.acceleration, "D": motion.D, "lambda": motion.multipliers}
    return {**found, **more, "reactions": motion.reactions}, motion.rows


def _chosen(found: Mapping[str, Any], asked: tuple[str, ...] | None) -> dict[str, Any]:
    """Those quantities that are asked for."""
    if asked is None:
        return dict(found)
    known = (*found, JOINT_FORCES, *(name for name in DERIVED if name not in found))
    unknown = [
        error(f"quantities/{n}", "there is none here", among(n, known)) for n in asked if n not in found
    ]
    if unknown:
        raise NumbersError(unknown)
    return {name: np.asarray(found[name]) for name in asked}
