"""Gravity's terms in Lagrange's equations from static moments, for any open tree."""

from __future__ import annotations

import numpy as np

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation

from ..judge.evidence import Comparison
from ..judge.kinematics import TreeKinematics, takes
from ..judge.motion import Array
from ..judge.trial import Trial
from .claim import compare_against, not_checked

SENTENCE = "Static moments are Lagrange's gravity terms: n·(m̄ × g) of a revolute joint, m n·g of a prismatic one."

#: The native quantity: a vector m̄ (kg m, fixed axes) of each moving transformation, in the model's order.
MOMENTS = "static_moments"


def claim(made: Trial) -> list[Comparison]:
    """Compare everyone's rows of gravity with those of the static moments m̄ by validation's own axes and masses.

    The static moments come from every formalism that writes them out.
    """
    writers = {name: derivation for name, derivation in made.derivations.items() if MOMENTS in derivation.native}
    if not writers or not takes(made.system):
        reason = "not an open tree of rigid bodies" if writers else "no static moments"
        return [not_checked(name, "gravity", reason) for name in made.evaluations]
    return [
        compare_against(
            made, name, "gravity", e.quantities["gravity"], rows, made.scales.rows["gravity"], writer,
            bound=e.bounds.get("gravity"),
        )
        for writer, rows in ((writer, statics(made.kinematics, d)) for writer, d in writers.items())
        for name, e in made.evaluations.items()
        if "gravity" in e.quantities
    ]  # fmt: skip


def statics(k: TreeKinematics, derivation: Derivation) -> Array:
    """Compute generalized forces of gravity (N, n): moment and force of all that each joint carries, along n."""
    g = k.vectors(k.system.gravity_vector)
    rows = np.zeros((k.count, k.n))
    if not k.n:
        return rows
    moments = k.vectors(flatten(derivation.native[MOMENTS])).reshape(k.count, -1, 3)
    for i, (body, et) in enumerate(joints(k.system)):
        column = k.system.coordinate_names.index(et.coordinate or "")
        frame = k.frame(body)
        if et.is_translation:
            axis, pull = frame.moving[:, :, column], carried_mass(k, body)[:, None] * g
        else:
            axis, pull = frame.turning[:, :, column], np.cross(moments[:, i], g)
        rows[:, column] = np.einsum("sa,sa->s", axis, pull)
    return rows


def joints(system: System) -> list[tuple[str, ElementaryTransformation]]:
    """Return each moving transformation with its body, in the order of the static moments."""
    return [(body.name, et) for body in system.bodies for et in body.joint if et.coordinate]


def carried_mass(k: TreeKinematics, name: str) -> Array:
    """Return the mass (N,) of a body and of all that it carries."""
    carried = [b for b in k.system.bodies if any(p.name == name for p in k.system.path(b.name))]
    total: Array = k.vectors(b.inertia.mass for b in carried).sum(axis=1)
    return total
