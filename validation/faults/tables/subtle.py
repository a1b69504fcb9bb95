"""Subtle faults of every formalism: too large by 1e-9, or wrong where a plane, a resting or a centred body hides it.

The comparison of formalisms alone has to notice them. Static moments know no velocities: nothing there acts at speed.
"""

from __future__ import annotations

from ..injection import Fault

_PACKAGE = "mbconcord.formalisms."
_LAGRANGE = _PACKAGE + "lagrange."
_NEWTON_EULER = _PACKAGE + "newton_euler."
_VIRTUAL_WORK = _PACKAGE + "virtual_work."
_KONOPLEV = _PACKAGE + "konoplev."
_TELEGIN = _PACKAGE + "telegin."
_STATIC_MOMENTS = _PACKAGE + "static_moments."
_FLEXIBLE = _PACKAGE + "flexible."

#: One term is too large by 1e-9.
FACTOR: tuple[Fault, ...] = (
    Fault("a shift's momentum × (1 + 1e-9)", _LAGRANGE + "energies",
          "add(shift.before, times(mass, shift.added))", "add(shift.before, times(mass * (1 + 1e-9), shift.added))"),
    Fault("weight × (1 + 1e-9)", _NEWTON_EULER + "inward",
          "return times(g, mass.mass), cross", "return times(g, mass.mass * (1 + 1e-9)), cross"),
    Fault("weight × (1 + 1e-9)", _VIRTUAL_WORK + "body",
          "weight=times(inertia.mass, fall)", "weight=times(inertia.mass * (1 + 1e-9), fall)"),
    Fault("weight × (1 + 1e-9)", _KONOPLEV + "body",
          "along(self.theta, g + NONE)", "along(self.theta, times(1 + 1e-9, g) + NONE)"),
    Fault("weight along a slide × (1 + 1e-9)", _TELEGIN + "spatial",
          "else self.bodies[k].m * dot(link.axis, self.g[k])",
          "else self.bodies[k].m * dot(link.axis, self.g[k]) * (1 + 1e-9)"),
    Fault("weight along a slide × (1 + 1e-9)", _STATIC_MOMENTS + "equations",
          "return moment.mass * dot", "return (1 + 1e-9) * moment.mass * dot"),
    Fault("weight × (1 + 1e-9)", _FLEXIBLE + "passes",
          "F.append(times(J.rr[j][..., :3], fall))", "F.append((1 + 1e-9) * times(J.rr[j][..., :3], fall))"),
)  # fmt: skip

#: Only off the plane: about axes across each other, or about one that is none of its frame's.
OFF_PLANE: tuple[Fault, ...] = (
    Fault("off-plane product of inertia × (1 + 1e-9)", _LAGRANGE + "energies",
          "(xz, yz, zz)), frame.w)", "(xz, yz * (1 + 1e-9), zz)), frame.w)"),
    Fault("Euler's (Jzz - Jyy) ωy ωz × (1 + 1e-9)", _NEWTON_EULER + "inward",
          "(zz - yy) * (y * z)", "(zz - yy) * (y * z) * (1 + 1e-9)"),
    Fault("K = ω × J ω × (1 + 1e-9)", _VIRTUAL_WORK + "body",
          "K=cross(omega, to_world(inertia.matrix(), omega))",
          "K=times(1 + 1e-9, cross(omega, to_world(inertia.matrix(), omega)))"),
    Fault("W_4 = (I66 - I55) V5 V6 × (1 + 1e-9)", _KONOPLEV + "body",
          "mul(sub(i6, i5), mul(w[1], w[2]))", "mul(sub(i6, i5), mul(w[1], mul(1 + 1e-9, w[2])))"),
    Fault("ω × J ω × (1 + 1e-9)", _TELEGIN + "spatial",
          "gyroscopic = cross(motion.omega, apply(body.J, motion.omega))",
          "gyroscopic = times(ONE * (1 + 1e-9), cross(motion.omega, apply(body.J, motion.omega)))"),
    Fault("arms about a general axis × (1 + 1e-9)", _STATIC_MOMENTS + "equations",
          "arm = cross(placed.joint_axis(link), placed.units[term.unit])",
          "arm = times(1 + 1e-9, cross(placed.joint_axis(link), placed.units[term.unit]))"),
    Fault("ω × I ω × (1 + 1e-9)", _FLEXIBLE + "links",
          "gyro = cross(spin, times(about, spin))", "gyro = (1 + 1e-9) * cross(spin, times(about, spin))"),
)  # fmt: skip

#: Only at speed.
AT_SPEED: tuple[Fault, ...] = (
    Fault("∂T/∂q × (1 + 1e-9)", _LAGRANGE + "equations",
          "a - b for a, b in zip(p_rate, slopes", "a - b * (1 + 1e-9) for a, b in zip(p_rate, slopes"),
    Fault("2 ω × q' of a slide × (1 + 1e-9)", _NEWTON_EULER + "outward",
          "link.rate + link.rate", "(link.rate + link.rate) * (1 + 1e-9)"),
    Fault("2 ω × q' of a slide × (1 + 5e-10)", _VIRTUAL_WORK + "kinematics",
          "times(2 * speed, cross", "times((2 + 1e-9) * speed, cross"),
    Fault("Ṁ of a slide × (1 + 1e-9)", _KONOPLEV + "pair",
          "(*cross(c[alpha - 1], spin), 0, 0, 0)", "(*times(1 + 1e-9, cross(c[alpha - 1], spin)), 0, 0, 0)"),
    Fault("2 ω × q' of a slide × (1 + 1e-9)", _TELEGIN + "spatial",
          "times(TWO * link.rate, cross", "times(TWO * link.rate * (1 + 1e-9), cross"),
    Fault("2 ω × q' of a slide × (1 + 5e-10)", _FLEXIBLE + "kinematics",
          "2 * _chosen(sweep, slides, 1)", "(2 + 1e-9) * _chosen(sweep, slides, 1)"),
)  # fmt: skip

#: Only where the centre of mass is not the origin.
OFFSET_CENTRE: tuple[Fault, ...] = (
    Fault("s × u × (1 + 1e-10)", _LAGRANGE + "energies",
          "plus(spin, cross(s, frame.u))", "plus(spin, cross(s, times(1 + 1e-10, frame.u)))"),
    Fault("m c × a × (1 + 1e-9)", _NEWTON_EULER + "inward",
          "plus(own, cross(mass.moment, a))", "plus(own, cross(mass.moment, times(a, 1 + 1e-9)))"),
    Fault("offset of the centre × (1 + 1e-9)", _VIRTUAL_WORK + "body",
          "centre = frame.at(to_centre)", "centre = frame.at(times(1 + 1e-9, to_centre))"),
    Fault("offset of the centre × (1 + 1e-9)", _KONOPLEV + "body",
          "centre = tuple(map(of, inertia.centre))", "centre = tuple(mul(1 + 1e-9, of(x)) for x in inertia.centre)"),
    Fault("first moment of a link × (1 + 1e-9)", _TELEGIN + "augmented",
          "link.mass, link.moment, link.tensor", "link.mass, times(ONE * (1 + 1e-9), link.moment), link.tensor"),
    Fault("first moment of a link × (1 + 1e-9)", _STATIC_MOMENTS + "moments",
          "plus(total, times(mass, centre))", "plus(total, times(mass * (1 + 1e-9), centre))"),
    Fault("first moment of a link × (1 + 1e-9)", _FLEXIBLE + "links",
          "static = skew(s)", "static = skew(s * (1 + 1e-9))"),
)  # fmt: skip

FAULTS: tuple[Fault, ...] = (*FACTOR, *OFF_PLANE, *AT_SPEED, *OFFSET_CENTRE)
