"""Subtle faults of every formalism: too large by 1e-9, or wrong only without a plane, rest or central symmetry.

The comparison of formalisms alone has to notice them. Static moments know no velocities: nothing there acts at speed.
"""

from __future__ import annotations

from mbconcord.testing import Fault

_PACKAGE = "mbconcord.formalisms."
_LAGRANGE = _PACKAGE + "lagrange"
_NEWTON_EULER = _PACKAGE + "newton_euler."
_VIRTUAL_WORK = _PACKAGE + "virtual_work."
_KONOPLEV = _PACKAGE + "konoplev."
_TELEGIN = _PACKAGE + "telegin."
_STATIC_MOMENTS = _PACKAGE + "static_moments."
_FLEXIBLE = _PACKAGE + "flexible."

#: One term is too large by 1e-9.
FACTOR: tuple[Fault, ...] = (
    Fault("a shift's momentum × (1 + 1e-9)", _LAGRANGE, "kinetic_slopes", "times(mass, shift.added)",
          "times(mass * (1 + 1e-9), shift.added)"),
    Fault("weight × (1 + 1e-9)", _NEWTON_EULER + "outward", "weight", "times(g, mass.mass)",
          "times(g, mass.mass * (1 + 1e-9))"),
    Fault("weight × (1 + 1e-9)", _VIRTUAL_WORK + "body", "terms", "times(inertia.mass, fall)",
          "times(inertia.mass * (1 + 1e-9), fall)"),
    Fault("weight × (1 + 1e-9)", _KONOPLEV + "body", "Aggregate.weight", "from_column_axes(self.theta, g + NONE)",
          "from_column_axes(self.theta, times(1 + 1e-9, g) + NONE)"),
    Fault("weight along a slide × (1 + 1e-9)", _TELEGIN + "spatial", "Spatial.gravity_forces",
          "self.bodies[k].m * dot(link.axis, self.g[k])", "self.bodies[k].m * dot(link.axis, self.g[k]) * (1 + 1e-9)"),
    Fault("weight along a slide × (1 + 1e-9)", _PACKAGE + "static_moments", "force",
          "moment.mass * dot(placed.joint_axis(link), fall)",
          "(1 + 1e-9) * moment.mass * dot(placed.joint_axis(link), fall)"),
    Fault("weight × (1 + 1e-9)", _FLEXIBLE + "passes", "weights", "times(J.rr[j][..., :3], fall)",
          "(1 + 1e-9) * times(J.rr[j][..., :3], fall)"),
)  # fmt: skip

#: Only off the plane: about axes across each other, or about one that is none of its frame's.
OFF_PLANE: tuple[Fault, ...] = (
    Fault("off-plane product of inertia × (1 + 1e-9)", _LAGRANGE, "kinetic",
          "((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))", "((xx, xy, xz), (xy, yy, yz), (xz, yz * (1 + 1e-9), zz))"),
    Fault("Euler's (Jzz - Jyy) ωy ωz × (1 + 1e-9)", _NEWTON_EULER + "outward", "inertial", "(zz - yy) * (y * z)",
          "(zz - yy) * (y * z) * (1 + 1e-9)"),
    Fault("K = ω × J ω × (1 + 1e-9)", _VIRTUAL_WORK + "body", "terms",
          "cross(omega, to_world(inertia.matrix(), omega))",
          "times(1 + 1e-9, cross(omega, to_world(inertia.matrix(), omega)))"),
    Fault("W_4 = (I66 - I55) V5 V6 × (1 + 1e-9)", _KONOPLEV + "body", "Aggregate.gyroscopic", "mul(w[1], w[2])",
          "mul(w[1], mul(1 + 1e-9, w[2]))"),
    Fault("ω × J ω × (1 + 1e-9)", _TELEGIN + "spatial", "compute_inertial_wrench",
          "cross(motion.omega, apply(body.J, motion.omega))",
          "times(ONE * (1 + 1e-9), cross(motion.omega, apply(body.J, motion.omega)))"),
    Fault("arms about a general axis × (1 + 1e-9)", _PACKAGE + "static_moments", "force",
          "cross(placed.joint_axis(link), placed.units[term.unit])",
          "times(1 + 1e-9, cross(placed.joint_axis(link), placed.units[term.unit]))"),
    Fault("ω × I ω × (1 + 1e-9)", _FLEXIBLE + "links", "inertias", "cross(spin, times(about, spin))",
          "(1 + 1e-9) * cross(spin, times(about, spin))"),
)  # fmt: skip

#: Only at speed.
AT_SPEED: tuple[Fault, ...] = (
    Fault("∂T/∂q × (1 + 1e-9)", _PACKAGE + "lagrange", "Lagrange.derive",
          "(a - b for a, b in zip(p_rate, slopes, strict=True))",
          "(a - b * (1 + 1e-9) for a, b in zip(p_rate, slopes, strict=True))"),
    Fault("2 ω × q' of a slide × (1 + 1e-9)", _NEWTON_EULER + "outward", "accelerate_link", "link.rate + link.rate",
          "(link.rate + link.rate) * (1 + 1e-9)"),
    Fault("2 ω × q' of a slide × (1 + 5e-10)", _VIRTUAL_WORK + "kinematics", "Kinematics.apply_transformation",
          "times(2 * speed, cross(self.omega, axis))", "times((2 + 1e-9) * speed, cross(self.omega, axis))"),
    Fault("Ṁ of a slide × (1 + 1e-9)", _KONOPLEV + "pair", "matrices", "cross(c[alpha - 1], spin)",
          "times(1 + 1e-9, cross(c[alpha - 1], spin))"),
    Fault("2 ω × q' of a slide × (1 + 1e-9)", _TELEGIN + "spatial", "propagate_motion", "TWO * link.rate",
          "TWO * link.rate * (1 + 1e-9)"),
    Fault("2 ω × q' of a slide × (1 + 5e-10)", _FLEXIBLE + "kinematics", "Kinematics.bias",
          "2 * _mask_by_kind(sweep, slides, 1)", "(2 + 1e-9) * _mask_by_kind(sweep, slides, 1)"),
)  # fmt: skip

#: Only where the centre of mass is not the origin.
OFFSET_CENTRE: tuple[Fault, ...] = (
    Fault("s × u × (1 + 1e-10)", _LAGRANGE, "kinetic", "cross(s, frame.u)",
          "cross(s, times(1 + 1e-10, frame.u))"),
    Fault("m c × a × (1 + 1e-9)", _NEWTON_EULER + "outward", "inertial", "cross(mass.moment, a)",
          "cross(mass.moment, times(a, 1 + 1e-9))"),
    Fault("offset of the centre × (1 + 1e-9)", _VIRTUAL_WORK + "body", "terms", "frame.shift_to(to_centre)",
          "frame.shift_to(times(1 + 1e-9, to_centre))"),
    Fault("offset of the centre × (1 + 1e-9)", _KONOPLEV + "body", "aggregate", "map(of, inertia.centre)",
          "(mul(1 + 1e-9, of(x)) for x in inertia.centre)"),
    Fault("first moment of a link × (1 + 1e-9)", _TELEGIN + "tree", "alone",
          "Augmented(link.mass, link.moment, link.tensor)",
          "Augmented(link.mass, times(ONE * (1 + 1e-9), link.moment), link.tensor)"),
    Fault("first moment of a link × (1 + 1e-9)", _STATIC_MOMENTS + "moments", "_augment_mass", "times(mass, centre)",
          "times(mass * (1 + 1e-9), centre)"),
    Fault("first moment of a link × (1 + 1e-9)", _FLEXIBLE + "links", "inertias", "static = skew(s)",
          "static = skew(s * (1 + 1e-9))"),
)  # fmt: skip

FAULTS: tuple[Fault, ...] = (*FACTOR, *OFF_PLANE, *AT_SPEED, *OFFSET_CENTRE)
