"""Seeded faults of motions with constraints; the models are random trees that constraints close."""

from __future__ import annotations

from ..injection import Fault

_LAGRANGE = "mbconcord.formalisms.lagrange."
_VIRTUAL = "mbconcord.formalisms.virtual_work.constraints."
_KONOPLEV = "mbconcord.formalisms.konoplev."
_TELEGIN = "mbconcord.formalisms.telegin."

FAULTS: tuple[Fault, ...] = (
    Fault(
        "γ̃ without the time derivative of D",
        _LAGRANGE + "closure",
        "ONE, **{symbol(name): rate(name)",
        "ONE, **{symbol(name): 0 * rate(name)",
    ),
    Fault("γ̃ without what time alone does", _LAGRANGE + "closure", "{TIME: ONE, **", "{TIME: 0 * ONE, **"),
    Fault("sign of γ̃", _LAGRANGE + "multipliers", "(-rest / lengths)", "(rest / lengths)"),
    Fault(
        "sign of λ",
        _LAGRANGE + "multipliers",
        "left @ (across @ lacking / sizes)",
        "-left @ (across @ lacking / sizes)",
    ),
    Fault(
        "velocities across the admitted motions have no inertia",
        _LAGRANGE + "multipliers",
        "(load - inertia @ forced)",
        "load",
    ),
    Fault("coinciding points: end added", _LAGRANGE + "closure", "return a[0] - b[0]", "return a[0] + b[0]"),
    Fault(
        "rod: direction of one component",
        _LAGRANGE + "closure",
        "dot(apart, apart)",
        "dot(apart, (apart[0], apart[1], 0 * apart[2]))",
    ),
    Fault(
        "cut joint: an axis of the wrong frame",
        _LAGRANGE + "cut_joint",
        "dot(ahead, apply(B.A, w)),",
        "dot(ahead, apply(A.A, w)),",
    ),
    Fault(
        "cut joint: transformations after it not undone",
        _LAGRANGE + "cut_joint",
        "(-step.motion.value)",
        "(step.motion.value)",
    ),
    Fault(
        "cut joint: slides across the wrong direction",
        _LAGRANGE + "cut_joint",
        "return side, cross(n, side)",
        "return side, n",
    ),
    Fault(
        "coinciding points: virtual displacement of the second forgotten",
        _VIRTUAL + "rows",
        "minus(first.D.get(name, NONE), second.D.get(name, NONE))",
        "first.D.get(name, NONE)",
    ),
    Fault(
        "coinciding points: acceleration of the second dropped",
        _VIRTUAL + "rows",
        "minus(first.w, second.w)",
        "minus(first.w, NONE)",
    ),
    Fault(
        "coordinates of the second body's joints not in the rows",
        _VIRTUAL + "row",
        "(*left[common:], *right[common:])",
        "(*left[common:],)",
    ),
    Fault(
        "rod: what its turning adds to γ̃",
        _VIRTUAL + "rows",
        "(dot(drift, drift) - growth * growth)",
        "(growth * growth - dot(drift, drift))",
    ),
    Fault(
        "rod: acceleration of the near end forgotten",
        _VIRTUAL + "rows",
        "dot(e, minus(far.w, near.w))",
        "dot(e, far.w)",
    ),
    Fault(
        "row of a formula: γ̃ without what time alone does",
        _VIRTUAL + "rows",
        "{TIME: ONE, **",
        "{TIME: 0 * ONE, **",
    ),
    Fault(
        "cut joint: virtual turn of the guide does not carry the hub",
        _VIRTUAL + "cut",
        "cross(g.B.get(name, NONE), d)",
        "NONE",
    ),
    Fault(
        "cut joint: centripetal acceleration of the guide dropped",
        _VIRTUAL + "cut",
        "cross(g.epsilon, d), cross(g.omega, cross(g.omega, d))",
        "cross(g.epsilon, d)",
    ),
    Fault(
        "cut joint: Coriolis acceleration of the slide without its factor 2",
        _VIRTUAL + "cut",
        "times(ONE + ONE, cross(g.omega, drift))",
        "cross(g.omega, drift)",
    ),
    Fault(
        "cut joint: locked turns fixed in space in γ̃",
        _VIRTUAL + "cut",
        "dot(m, minus(h.epsilon, g.epsilon)) + dot(growth, turning)",
        "dot(m, minus(h.epsilon, g.epsilon))",
    ),
    Fault(
        "cut joint: slides across the wrong direction",
        _VIRTUAL + "cut",
        '("2", cross(n, first))',
        '("2", n)',
    ),
    Fault(
        "cut joint: transformations after it not undone",
        _VIRTUAL + "cut",
        "(-step.motion.value)",
        "(step.motion.value)",
    ),
    Fault("sign of γ̃", _VIRTUAL + "motion", "-(rest / lengths)[chosen]", "(rest / lengths)[chosen]"),
    Fault("sign of λ", _VIRTUAL + "motion", "B.T @ (M @ x - F)", "B.T @ (F - M @ x)"),
    Fault(
        "displacements that are left not at right angles to those taken",
        _VIRTUAL + "admitted",
        "- 2 * np.outer(left @ mirror, mirror)",
        "- np.outer(left @ mirror, mirror)",
    ),
    Fault(
        "accelerations that the rows force have no inertia",
        _VIRTUAL + "motion",
        "N.T @ (F - M @ x)",
        "N.T @ F",
    ),
    Fault("sign of γ̃", _KONOPLEV + "constraints.motion", "-rest[s][chosen]", "rest[s][chosen]"),
    Fault(
        "sign of λ in the reactions",
        _KONOPLEV + "constraints.motion",
        "kept.T @ solution[n:]",
        "-kept.T @ solution[n:]",
    ),
    Fault(
        "rod: what its turning adds to γ̃",
        _KONOPLEV + "constraints.rows",
        "sub(dot(velocity, velocity), mul(growth, growth))",
        "sub(mul(growth, growth), dot(velocity, velocity))",
    ),
    Fault(
        "coinciding points: columns of the second added",
        _KONOPLEV + "constraints.rows",
        "minus(first.get(name, NONE), second.get(name, NONE))",
        "plus(first.get(name, NONE), second.get(name, NONE))",
    ),
    Fault(
        "coinciding points: acceleration of the second added",
        _KONOPLEV + "constraints.rows",
        "minus(places.acceleration(first), places.acceleration(second))",
        "plus(places.acceleration(first), places.acceleration(second))",
    ),
    Fault(
        "nonholonomic row: γ̃ dropped",
        _KONOPLEV + "constraints.rows",
        "D, of(whole), of(second))",
        "D, of(whole), mul(0, of(second)))",
    ),
    Fault(
        "cut joint: centripetal acceleration of the second side",
        _KONOPLEV + "constraints.cut",
        "cross(second.spin, cross(second.spin, arm2))",
        "cross(second.spin, arm2)",
    ),
    Fault(
        "cut joint: its rows fixed in space in γ̃",
        _KONOPLEV + "constraints.cut",
        "cross(second.spin, turned))",
        "NONE)",
    ),
    Fault(
        "sign of the cuts' drift",
        _TELEGIN + "closed.loops",
        "times(-self.p.square[k], v)",
        "times(self.p.square[k], v)",
    ),
    Fault(
        "centrifugal forces h ω² of the links dropped",
        _TELEGIN + "closed.motion",
        "- n.h @ n.square",
        "- 0 * n.h @ n.square",
    ),
    Fault(
        "moments of the reactions not summed over the links carried",
        _TELEGIN + "closed.motion",
        "(np.linalg.solve(S, across.T @ F)",
        "((across.T @ F)",
    ),
    Fault("sign of the reactions on the links", _TELEGIN + "closed.motion", "[n.H, -C.T]", "[n.H, C.T]"),
    Fault(
        "telegin, slides: reactions left in the units of the scaled equations",
        _TELEGIN + "closed.solved",
        "(across.T @ found[n:]) / units",
        "across.T @ found[n:]",
    ),
    Fault(
        "telegin, slides: γ̃ without the squares of the rates",
        _TELEGIN + "closed.relative",
        "substitute(time_derivative(rates, self.names), still)",
        "substitute(time_derivative(rates, ()), still)",
    ),
    Fault(
        "telegin, slides: h on the side of the forces with the wrong sign",
        _TELEGIN + "closed.motion",
        'q["gravity"] + q["applied"] - q["h"]',
        'q["gravity"] + q["applied"] + q["h"]',
    ),
    Fault(
        "telegin, slides: sign of γ̃",
        _TELEGIN + "closed.solved",
        "-left.T @ (rest * rows)",
        "left.T @ (rest * rows)",
    ),
)
