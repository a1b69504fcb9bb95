"""Scales of a pair of models, the same whichever is named first, and the moving mass of each.

The scale of an entry is the larger of A's and B's: √(M_ii M_jj) for M; g √(M_ii m_i) for gravity, where m_i is the
mass that coordinate i carries; √M_ii √(Σ M_jj q'_j²) Σ |q'| for h, the last sum over rotations. No row exceeds them
(Cauchy and Schwarz), and they do not vanish where a centre of mass lies on its axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.diagnostics import MbconcordError, NumbersError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .kinematics import TreeKinematics
from .matching import fill_open_values, signatures
from .motion import Array, norm
from .scale import Scales, scales

#: Digits of masses and centres, and the part of the largest component below which one is zero.
SHOWN, NOISE = 7, 1e-12


@dataclass(frozen=True)
class MovingMass:
    """Mass (kg) of the bodies that move, and their centre (m) in the fixed frame where every coordinate is zero."""

    mass: float
    centre: tuple[float, ...] | None

    def to_json(self) -> dict[str, object]:
        """Convert to a mapping."""
        return {"mass": self.mass, "centre": list(self.centre) if self.centre else None}


def find_masses(a: System, b: System) -> tuple[MovingMass, ...]:
    """Return both models' moving masses, missing values filled from each other; empty if some stay missing."""
    try:
        return tuple(moving_mass(fill_open_values(one, other)) for one, other in ((a, b), (b, a)))
    except (MbconcordError, ExpressionError):  # a parameter or a function is open
        return ()


def moving_mass(system: System) -> MovingMass:
    """Sum mass and centre over all bodies that move with some coordinate.

    Raises
    ------
    NumbersError
        A parameter has no value.
    """
    zero = dict.fromkeys(system.coordinate_names, 0.0)
    k = TreeKinematics(system, [State(0.0, zero, zero)])
    total, first = 0.0, np.zeros(3)
    for body, path in _paths(k.system):
        if path and body.inertia.mass:
            mass = float(k.scalars([body.inertia.mass])[0][0])
            total, first = total + mass, first + mass * k.centre(body).position[0]
    if not np.isfinite(total):
        raise NumbersError(error("bodies", f"the mass that moves is {total} kg", "check the masses"))
    return MovingMass(total, tuple(map(float, first / total)) if total else None)


def describe_masses(a: MovingMass, b: MovingMass) -> str:
    """Write the masses that move, and the centres: ``moving mass 2.5 and 7.83 kg, centre (…) and (…) m at q = 0``."""
    size = max((abs(x) for mass in (a, b) for x in mass.centre or ()), default=0.0)

    def write(mass: MovingMass) -> str:
        if mass.centre is None:
            return "none"
        return f"({', '.join(f'{0.0 if abs(x) < NOISE * size else x:.{SHOWN}g}' for x in mass.centre)})"

    masses = dict.fromkeys(f"{mass.mass:.{SHOWN}g}" for mass in (a, b))
    centres = dict.fromkeys(map(write, (a, b)))
    return f"moving mass {' and '.join(masses)} kg, centre {' and '.join(centres)} m at q = 0"


def scales_of_pair(first: TreeKinematics, second: TreeKinematics, order: Sequence[int]) -> tuple[Scales, Scales]:
    """Return the larger of both models' scales, and the scales in which the largest differences are reported.

    The reported differences of h and gravity are scaled by the mass that coordinates carry, unless there are elastic
    bodies, flywheels, added inertia or prescribed joints.

    Parameters
    ----------
    first, second : both models at the same states
    order : for each coordinate of the first model, its number in the second
    """
    size = scales(first).with_those_of(scales(second), order)
    if any(
        body.modes
        or body.flywheels
        or body.added_inertia
        or any(not (et.coordinate or et.amount.constant) for et in body.joint)
        for k in (first, second)
        for body in k.given.bodies
    ):
        return size, size
    kept = list(order)
    carried = np.fmax(_sum_carried_mass(first), _sum_carried_mass(second)[:, kept])
    g = np.fmax(*(norm(k.vectors(k.system.gravity_vector)) for k in (first, second)))
    return size, replace(size, rows={**size.rows, **_scale_by_mass(first, size.roots, g, carried)})


def scale_by_mass(k: TreeKinematics, roots: Array) -> dict[str, Array]:
    """Scale gravity and h (N, n) by the mass that coordinates carry: no zeros where a centre lies on its axis."""
    return _scale_by_mass(k, roots, norm(k.vectors(k.system.gravity_vector)), _sum_carried_mass(k))


def _scale_by_mass(k: TreeKinematics, roots: Array, g: Array, carried: Array) -> dict[str, Array]:
    turning = [kind == "rotation" for kind, _, _ in signatures(k.system).values()]
    speed = np.sqrt(np.sum((roots * k.v) ** 2, axis=1)) * np.sum(np.abs(k.v[:, turning]), axis=1)
    return {"gravity": g[:, None] * roots * np.sqrt(carried), "h": roots * speed[:, None]}


def _sum_carried_mass(k: TreeKinematics) -> Array:
    """Sum the mass (N, n) that each coordinate carries."""
    found = np.zeros((k.count, k.n))
    for body, path in _paths(k.system):
        if body.inertia.mass:
            found[:, path] += np.abs(k.scalars([body.inertia.mass])[0])[:, None]
    return found


def _paths(system: System) -> Iterator[tuple[Body, list[int]]]:
    """Yield every body with the numbers of the coordinates that carry it."""
    paths: dict[str | None, list[int]] = {None: []}
    for body in system.bodies:
        paths[body.name] = [*paths[body.parent], *map(system.coordinate_names.index, body.coordinates)]
        yield body, paths[body.name]
