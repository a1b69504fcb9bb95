"""Quantities of the whole machine, such as ``kinetic_energy``, computed from the motions of the bodies' mass centres.

A formalism derives these motions, of frames at points of bodies (:class:`PointMotion`), by its own kinematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbconcord.records import dataclass

from ..body import Body
from ..diagnostics import Diagnostic, error
from ..expressions import ONE, ZERO, Expression, apply, rate, sqrt, symbols, topological
from ..expressions.traversal import Nested
from ..features import FEATURES, features
from ..force import Point
from ..system import System
from ..transformation import Vector

#: Six rows of n entries: those of the velocity above those of the angular velocity.
Jacobian = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class PointMotion:
    """Motion of a frame with the axes of a body and its origin at a point of it; all in world axes, SI.

    Attributes
    ----------
    R : 3×3
        Columns are the body's axes.
    r, v, w : position and velocity of the point, angular velocity of the body
    J : 6×n
        ∂v/∂q' above ∂w/∂q', in the order of the model's coordinates.
    a0, e0 : acceleration of the point and angular acceleration where q'' = 0
    """

    R: tuple[Vector, Vector, Vector]
    r: Vector
    v: Vector
    w: Vector
    J: Jacobian
    a0: Vector
    e0: Vector


#: Quantity -> names of the entries, axis by axis; none for a scalar. Angular momentum is about the origin of the fixed
#: frame, or about the mass centre.
MACHINE: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "center_of_mass": (("x", "y", "z"),),
    "linear_momentum": (("x", "y", "z"),),
    "angular_momentum": (("x", "y", "z"),),
    "angular_momentum(about=center_of_mass)": (("x", "y", "z"),),
    "kinetic_energy": (),
    "potential_energy": (),
}
#: Inertia beside that of rigid bodies, of which nothing is known here; the axes of rotors are known to nobody.
_BESIDE: Final = ("elastic_modes", "flywheels", "added_inertia")
_HALF: Final = Fraction(1, 2)


def machine_obstacles(system: System, kind: str, where: str) -> list[Diagnostic]:
    """Return the first feature of a model that prevents its quantity ``kind``, as an error; empty if there is none."""
    tree = system.open_loops()
    beside = (*_BESIDE, "armatures") if kind.startswith("angular") else _BESIDE
    found = [
        error(where, f"not known of a model with {FEATURES[feature]} ({place})", "ask for quantities of its bodies")
        for feature, place in features(tree)
        if feature in beside
    ]
    if "center_of_mass" in kind and not any(body.inertia.mass for body in tree.bodies):
        found.append(error(where, "no body has a mass", "give one a mass"))
    return found[:1]


def mass_point(body: Body) -> Point:
    """Return the mass centre of a body, as a point of it."""
    return Point(body.name, body.inertia.centre)


def express_machine(tree: System, kind: str, at: Mapping[Point, PointMotion]) -> Nested:
    """Express a quantity of an open tree by ``at``, the motions of the mass centres of its bodies.

        c = Σ m r / Σ m ,   Σ m v ,   Σ (r - (0 or c)) × m v + R J Rᵀ w ,
        Σ ½ m v·v + ½ w·R J Rᵀ w + Σ ½ a (c·q')² ,   -Σ m g·r
    """  # fmt: skip
    bodies = [(body.inertia, at[mass_point(body)]) for body in tree.bodies if not body.inertia.is_zero]
    masses = [(own.mass, motion) for own, motion in bodies]
    moment, origin = _sum([_times(mass, motion.r) for mass, motion in masses]), (ZERO, ZERO, ZERO)
    if "center_of_mass" in kind:
        total = sum((mass for mass, _ in masses), ZERO)
        origin = _divide(moment[0], total), _divide(moment[1], total), _divide(moment[2], total)
    if kind == "center_of_mass":
        return origin
    if kind == "potential_energy":
        g = tree.gravity
        return -g.value * _dot(g.direction, moment) if g else ZERO
    momenta = [_times(mass, motion.v) for mass, motion in masses]
    if kind == "linear_momentum":
        return _sum(momenta)
    spins = [_apply(motion.R, _apply(own.matrix(), along(motion.R, motion.w))) for own, motion in bodies]
    if kind.startswith("angular"):
        arms = [_less(motion.r, origin) for _, motion in masses]
        return _sum([*map(_cross, arms, momenta), *spins])
    rows = zip(bodies, momenta, spins, strict=True)
    twice = sum((_dot(m.v, p) + _dot(m.w, spin) for (_, m), p, spin in rows), ZERO)
    for rotor in tree.armatures:
        turning = sum((c * rate(name) for name, c in rotor.coefficients.items()), ZERO)
        twice += rotor.inertia * turning**2
    return _HALF * twice


def _sum(vectors: Sequence[Vector]) -> Vector:
    x, y, z = (sum((v[i] for v in vectors), ZERO) for i in range(3))
    return x, y, z


def _less(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _divide(x: Expression, total: Expression) -> Expression:
    """Return x / total, without value where total = 0 even if total cancels: a term is added that is 0 or undefined."""
    found, masses = x / total, symbols([total])
    divisors = (node.args[0] for node in topological([found]) if node.op == "pow" and node.args[1].op == "num")
    if any(masses <= symbols([divisor]) for divisor in divisors):
        return found
    return found + sqrt(apply("sign", total) ** 2 - ONE)


def _times(factor: Expression, v: Vector) -> Vector:
    return factor * v[0], factor * v[1], factor * v[2]


def _dot(a: Vector, b: Vector) -> Expression:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _apply(R: tuple[Vector, Vector, Vector], v: Vector) -> Vector:
    return _dot(R[0], v), _dot(R[1], v), _dot(R[2], v)


def along(R: tuple[Vector, Vector, Vector], v: Vector) -> Vector:
    """Return Rᵀ v: the components of v along the columns of R."""
    x, y, z = (R[0][i] * v[0] + R[1][i] * v[1] + R[2][i] * v[2] for i in range(3))
    return x, y, z
