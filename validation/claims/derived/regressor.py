"""The regressor: by every formalism's derivatives, by validation's own motion of bodies, and with the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.derivation import Derivation
from mbconcord.model.derivatives import inertial_parameters, labels, require_rigid
from mbconcord.model.derivatives.factors import Matrix
from mbconcord.model.derivatives.quantities import REGRESSOR
from mbconcord.model.derivatives.regressor import TEN, regressor
from mbconcord.model.diagnostics import FormalismError

from ...bodies.regressor import regressor as columns_of
from ...judge.evidence import Comparison
from ...judge.kinematics import takes
from ...judge.motion import Array
from ...judge.solutions import Bounded
from ...judge.tolerances import evaluation_tolerance
from ...judge.trial import Trial
from ...judge.uncertainty import inputs
from ..claim import PHYSICS, against, not_checked
from .by_graph import entry_of, graphs, pairs, row_scale

SENTENCE = (
    "Inverse dynamics is linear in ten inertial parameters of every body, with the same coefficients by all."
)

#: What Y π is beside: M a + h - gravity of the model's own numbers.
LINEAR: Final = "Y π"


def claim(made: Trial) -> list[Comparison]:
    """Y by pairs of formalisms, against forces of bodies of which one parameter is 1; Y π against M a + h - gravity."""
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
    own, given = _of_bodies(made), inputs(system, made.states)
    known = Bounded(own, np.zeros_like(own))
    for name, graph in found.items():
        y = graph.at(given)[REGRESSOR]
        scale = row_scale(own, y.values)
        said.append(entry_of(name, PHYSICS, REGRESSOR, y, known, scale, made, names, evaluation_tolerance()))
        said.append(_with_parameters(made, name, y))
    return said


def _of_bodies(made: Trial) -> Array:
    """Y (N, n, 10 b) from the motion of the bodies' frames."""
    k = made.kinematics
    count, n = k.count, k.n
    sizes = {"M": (count, n, n), "h": (count, n), "gravity": (count, n)}
    found = columns_of(k, list(sizes), {name: np.ones(size) for name, size in sizes.items()})
    bodies = [label.removesuffix(f".{TEN[0]}") for label in labels(made.system)[:: len(TEN)]]
    blocks = []
    for body in bodies:
        M, h, gravity = np.split(found.columns[body], [count * n * n, count * n * (n + 1)])
        moved = np.einsum("sijp,sj->sip", M.reshape(count, n, n, len(TEN)), k.a)
        blocks.append(moved + (h - gravity).reshape(count, n, len(TEN)))
    return np.concatenate(blocks, axis=2)


def _with_parameters(made: Trial, name: str, y: Bounded) -> Comparison:
    """Y π against the formalism's own M a + h - gravity, where no inertia but that of bodies is in it."""
    q = made.evaluations[name].quantities
    if not {"M", "h", "gravity"} <= q.keys():
        return not_checked(name, LINEAR, f"{name} does not deliver M, h and gravity")
    if made.system.armatures or any(map(_more, made.system.bodies)) or made.system.lumped() != made.system:
        return not_checked(
            name, LINEAR, "armatures, flywheels, fluids or masses of elements have inertia, too"
        )
    k = made.kinematics
    π = k.vectors(inertial_parameters(made.system))
    moved = np.einsum("sij,sj->si", q["M"], k.a) + q["h"] - q["gravity"]
    scale = np.einsum("sij,sj->si", np.abs(y.values), np.abs(π)) + np.abs(moved)
    return against(made, name, LINEAR, np.einsum("sij,sj->si", y.values, π), moved, scale, PHYSICS)


def _more(body: Body) -> bool:
    return bool(body.flywheels) or body.added_inertia is not None
