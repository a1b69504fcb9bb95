"""Subtle faults of every formalism: too large by 1e-9, or wrong only without a plane, rest or central symmetry.

The comparison of formalisms alone has to notice them. Static moments know no velocities: nothing there acts at speed.
"""

from __future__ import annotations

from . import read_faults

#: One term is too large by 1e-9.
FACTOR = read_faults(
    "formalisms",
    ("a shift's momentum × (1 + 1e-9)", "lagrange:kinetic_slopes", "times(mass« →  * (1 + 1e-9)», shift.added)"),
    ("weight × (1 + 1e-9)", "newton_euler.outward:weight", "times(g, mass.mass« →  * (1 + 1e-9)»)"),
    ("weight × (1 + 1e-9)", "virtual_work.body:terms", "times(inertia.mass« →  * (1 + 1e-9)», fall)"),
    ("weight × (1 + 1e-9)", "konoplev.body:Aggregate.weight",
     "from_column_axes(self.theta, «g → times(1 + 1e-9, g)» + NONE)"),
    ("weight along a slide × (1 + 1e-9)", "telegin.spatial:Spatial.gravity_forces",
     "self.bodies[k].m * dot(link.axis, self.g[k])« →  * (1 + 1e-9)»"),
    ("weight along a slide × (1 + 1e-9)", "static_moments:force",
     "« → (1 + 1e-9) * »moment.mass * dot(placed.joint_axis(link), fall)"),
    ("weight × (1 + 1e-9)", "flexible.passes:weights", "« → (1 + 1e-9) * »times(J.rr[j][..., :3], fall)"),
)  # fmt: skip

#: Only off the plane: about axes across each other, or about one that is none of its frame's.
OFF_PLANE = read_faults(
    "formalisms",
    ("off-plane product of inertia × (1 + 1e-9)", "lagrange:kinetic",
     "((xx, xy, xz), (xy, yy, yz), (xz, yz« →  * (1 + 1e-9)», zz))"),
    ("Euler's (Jzz - Jyy) ωy ωz × (1 + 1e-9)", "newton_euler.outward:inertial",
     "(zz - yy) * (y * z)« →  * (1 + 1e-9)»"),
    ("K = ω × J ω × (1 + 1e-9)", "virtual_work.body:terms",
     "«cross(omega, to_world(inertia.matrix(), omega)) → times(1 + 1e-9, cross(omega, to_world(inertia.matrix(), "
     "omega)))»"),
    ("W_4 = (I66 - I55) V5 V6 × (1 + 1e-9)", "konoplev.body:Aggregate.gyroscopic",
     "mul(w[1], «w[2] → mul(1 + 1e-9, w[2])»)"),
    ("ω × J ω × (1 + 1e-9)", "telegin.spatial:compute_inertial_wrench",
     "«cross(motion.omega, apply(body.J, motion.omega)) → times(ONE * (1 + 1e-9), cross(motion.omega, apply(body.J, "
     "motion.omega)))»"),
    ("arms about a general axis × (1 + 1e-9)", "static_moments:force",
     "«cross(placed.joint_axis(link), placed.units[term.unit]) → times(1 + 1e-9, cross(placed.joint_axis(link), "
     "placed.units[term.unit]))»"),
    ("ω × I ω × (1 + 1e-9)", "flexible.links:inertias", "« → (1 + 1e-9) * »cross(spin, times(about, spin))"),
)  # fmt: skip

#: Only at speed.
AT_SPEED = read_faults(
    "formalisms",
    ("∂T/∂q × (1 + 1e-9)", "lagrange:Lagrange.derive",
     "(a - b « → * (1 + 1e-9) »for a, b in zip(p_rate, slopes, strict=True))"),
    ("2 ω × q' of a slide × (1 + 1e-9)", "newton_euler.outward:accelerate_link",
     "«link.rate + link.rate → (link.rate + link.rate) * (1 + 1e-9)»"),
    ("2 ω × q' of a slide × (1 + 5e-10)", "virtual_work.kinematics:Kinematics.apply_transformation",
     "times(«2 → (2 + 1e-9)» * speed, cross(self.omega, axis))"),
    ("Ṁ of a slide × (1 + 1e-9)", "konoplev.pair:matrices",
     "«cross(c[alpha - 1], spin) → times(1 + 1e-9, cross(c[alpha - 1], spin))»"),
    ("2 ω × q' of a slide × (1 + 1e-9)", "telegin.spatial:propagate_motion", "TWO * link.rate« →  * (1 + 1e-9)»"),
    ("2 ω × q' of a slide × (1 + 5e-10)", "flexible.kinematics:Kinematics.bias",
     "«2 → (2 + 1e-9)» * _mask_by_kind(sweep, slides, 1)"),
)  # fmt: skip

#: Only where the centre of mass is not the origin.
OFFSET_CENTRE = read_faults(
    "formalisms",
    ("s × u × (1 + 1e-10)", "lagrange:kinetic", "cross(s, «frame.u → times(1 + 1e-10, frame.u)»)"),
    ("m c × a × (1 + 1e-9)", "newton_euler.outward:inertial", "cross(mass.moment, «a → times(a, 1 + 1e-9)»)"),
    ("offset of the centre × (1 + 1e-9)", "virtual_work.body:terms",
     "frame.shift_to(«to_centre → times(1 + 1e-9, to_centre)»)"),
    ("offset of the centre × (1 + 1e-9)", "konoplev.body:aggregate",
     "«map(of, inertia.centre) → (mul(1 + 1e-9, of(x)) for x in inertia.centre)»"),
    ("first moment of a link × (1 + 1e-9)", "telegin.tree:alone",
     "Augmented(link.mass, «link.moment → times(ONE * (1 + 1e-9), link.moment)», link.tensor)"),
    ("first moment of a link × (1 + 1e-9)", "static_moments.moments:_augment_mass",
     "times(mass« →  * (1 + 1e-9)», centre)"),
    ("first moment of a link × (1 + 1e-9)", "flexible.links:inertias", "static = skew(s« →  * (1 + 1e-9)»)"),
)  # fmt: skip

FAULTS = (*FACTOR, *OFF_PLANE, *AT_SPEED, *OFFSET_CENTRE)
