"""Seeded faults of motions with constraints; the models are random trees that constraints close."""

from __future__ import annotations

from ..injection import Fault

_LAGRANGE = "mbconcord.formalisms.lagrange."
_LOOPS = "mbconcord.formalisms.newton_euler.closed.loops"
_NE_ROWS = "mbconcord.formalisms.newton_euler.closed.rows"
_NE_FORCES = "mbconcord.formalisms.newton_euler.closed.forces"
_NE_CUTS = "mbconcord.formalisms.newton_euler.closed.cut_joint"
_NE_SOLVES = "mbconcord.formalisms.newton_euler.closed.multipliers"
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
    # Newton–Euler: kinematics of the loops.
    Fault(
        "velocity of an end without the turning of its link",
        _LOOPS,
        "plus(self.velocity, cross(motion.w, r))",
        "self.velocity",
    ),
    Fault("centripetal acceleration of an end", _LOOPS, "plus(motion.a, apply(motion.u, r))", "motion.a"),
    Fault(
        "velocity of a link's origin without the turning before it",
        _LOOPS,
        "plus(self.velocity, cross(spin, link.offset))",
        "self.velocity",
    ),
    Fault(
        "velocity along a sliding joint of the loop",
        _LOOPS,
        "along(self.velocity, link.axis, link.rate)",
        "along(self.velocity, link.axis, link.rate * 0)",
    ),
    Fault("Coriolis acceleration where one side sees the other", _LOOPS, "times(apart, 2)", "apart"),
    Fault(
        "prescribed motions of the loop do not accelerate",
        _LOOPS,
        "else x.acceleration for x",
        "else eq.zero for x",
    ),
    Fault(
        "moment of a reaction about the link's origin",
        _LOOPS,
        "cross(minus(at, self.origin), force)",
        "cross(force, minus(at, self.origin))",
    ),
    Fault(
        "a reaction turned into the link's axes the wrong way",
        _LOOPS,
        "to_link, still = transposed(self.axes)",
        "to_link, still = self.axes",
    ),
    # Newton–Euler: rows.
    Fault("reactions on both sides of a cut alike", _NE_ROWS, "times(x, -1) if x", "times(x, 1) if x"),
    Fault(
        "rod: what its turning adds to γ̃",
        _NE_ROWS,
        "(dot(moving, moving) - speed * speed) / length",
        "(speed * speed - dot(moving, moving)) / length",
    ),
    Fault(
        "rod: reaction not along it",
        _NE_ROWS,
        "e, moving = times(apart, 1 / length)",
        "e, moving = times(apart, 2 / length)",
    ),
    Fault(
        "slides: the moving side's drift with the wrong sign",
        _NE_ROWS,
        "else (cut.other, cut.one)",
        "else (cut.one, cut.other)",
    ),
    Fault(
        "one turn: directions fixed to the second side fixed in space",
        _NE_ROWS,
        "minus(changing, carried)",
        "changing",
    ),
    Fault(
        "two turns: the axis of the first side does not move",
        _NE_ROWS,
        "cross(m, cross(one.w, n))",
        "cross(m, cross(one.w, times(n, 0)))",
    ),
    Fault(
        "nonholonomic row: γ̃ dropped",
        _NE_ROWS,
        "numbers[0], numbers[1], gap)",
        "numbers[0], 0 * numbers[1], gap)",
    ),
    Fault("frame behind a cut joint: not undone", _NE_CUTS, "value=-motion.value", "value=motion.value"),
    # Newton–Euler: solution.
    Fault(
        "sign of γ̃ where rows have inertia",
        _NE_SOLVES,
        "force * units - own.T @ pull",
        "force * units + own.T @ pull",
    ),
    Fault("sign of γ̃ of the rows", _NE_SOLVES, "np.linalg.solve(R.T, -pull)", "np.linalg.solve(R.T, pull)"),
    Fault("sign of λ", _NE_SOLVES, "Q.T @ (z - y))", "Q.T @ (y - z))"),
    Fault(
        "rows have inertia in the wrong units",
        _NE_SOLVES,
        "np.outer(units, units) + own.T @ own",
        "np.outer(units, units) + 2 * own.T @ own",
    ),
    Fault(
        "multipliers of rows of length one",
        _NE_SOLVES,
        "(left_open.T @ found)) / lengths",
        "(left_open.T @ found))",
    ),
    # Newton–Euler: forces at the cuts and in the joints.
    Fault(
        "joints bear the reactions twice",
        _NE_FORCES,
        "alone[s] + found.gives",
        "alone[s] + 2 * found.gives",
    ),
    Fault("reactions added to what joints bear", _NE_FORCES, "-_borne(made, count)", "_borne(made, count)"),
    Fault(
        "joint forces of the regrouped masses under constraints",
        _NE_FORCES,
        "regroup=False",
        "regroup=True",
    ),
    Fault(
        "joint forces of a motion without accelerations",
        _NE_FORCES,
        "acceleration[:, i] for i",
        "0 * acceleration[:, i] for i",
    ),
    Fault(
        "reactions turned the other way into the body's axes",
        _NE_ROWS,
        "to_body, turning = transposed(self.body.axes)",
        "to_body, turning = self.body.axes",
    ),
    Fault(
        "moment about the cut: arm reversed",
        _NE_ROWS,
        "minus(there, self.at), force)",
        "minus(self.at, there), force)",
    ),
    Fault(
        "reactions upon the first side",
        _NE_ROWS,
        "own = apply(to_body, force or self.eq.still)",
        "own = apply(to_body, times(force or self.eq.still, -1))",
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
        "left, seen = (_beyond(x, mirror) for x in (left, seen))",
        "left, seen = left[:, 1:], _beyond(seen, mirror)",
    ),
    Fault(
        "accelerations that the rows force have no inertia",
        _VIRTUAL + "motion",
        "N.T @ (F - M @ x)",
        "N.T @ F",
    ),
    # Virtual work: forces at the cuts and in the joints.
    Fault(
        "freed joints: reactions do no work on them",
        _VIRTUAL + "forces",
        "return -carried[0].work(displacement) if",
        "return 0 * carried[0].work(displacement) if",
    ),
    Fault(
        "freed joints: work of the reactions with the opposite sign",
        _VIRTUAL + "forces",
        "return -carried[0].work(displacement) if",
        "return carried[0].work(displacement) if",
    ),
    Fault(
        "freed joints: of a joint that carries both sides one reaction alone",
        _VIRTUAL + "forces",
        "if len(carried) == 1 else",
        "if carried else",
    ),
    Fault(
        "freed joints: a motion without accelerations",
        _VIRTUAL + "forces",
        '": column for name',
        '": 0 * column for name',
    ),
    Fault(
        "cut: force in the axes of the world",
        _VIRTUAL + "forces",
        "(*to_body(body.A, on.force), *",
        "(*on.force, *",
    ),
    Fault(
        "cut: moment about the hub of the joint",
        _VIRTUAL + "forces",
        "about = plus(on.moment, cross(minus(on.frame.r, at.r), on.force))",
        "about = on.moment",
    ),
    Fault("cut: force on the first side", _VIRTUAL + "forces", "(_, on) = row", "(on, _) = row"),
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
