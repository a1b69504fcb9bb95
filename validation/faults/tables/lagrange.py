"""Seeded faults of :mod:`mbconcord.formalisms.lagrange`."""

from __future__ import annotations

from ..injection import Fault

_LAGRANGE = "mbconcord.formalisms.lagrange."
_KINEMATICS = _LAGRANGE + "kinematics"
_ENERGIES = _LAGRANGE + "energies"
_PARTS = _LAGRANGE + "parts"
_EQUATIONS = _LAGRANGE + "equations"
_FORCES = _LAGRANGE + "forces"
_JOINED = _LAGRANGE + "joined"

FAULTS: tuple[Fault, ...] = (
    Fault(
        "rotation (10): sign of element 12",
        _KINEMATICS,
        "x * y * d - z * s, x * z * d",
        "x * y * d + z * s, x * z * d",
    ),
    Fault(
        "rotation (10): turned the other way",
        _KINEMATICS,
        "c, s = cos(angle), sin(angle)",
        "c, s = cos(angle), -sin(angle)",
    ),
    Fault("product (11): factors in reverse order", _KINEMATICS, "product(self.A, E)", "product(E, self.A)"),
    Fault(
        "point r + Aρ: A transposed",
        _KINEMATICS,
        "plus(self.r, apply(self.A, position))",
        "plus(self.r, apply(transposed(self.A), position))",
    ),
    Fault(
        "velocity carried over a rotation by A in place of Aᵀ",
        _KINEMATICS,
        "back = transposed(E)",
        "back = E",
    ),
    Fault("Euler's formula (13): sign of ω × ρ", _KINEMATICS, "cross(self.w, way)", "cross(way, self.w)"),
    Fault(
        "Euler's formula (13): ω × ρ dropped",
        _KINEMATICS,
        "plus(cross(self.w, way), times(speed, n))",
        "times(speed, n)",
    ),
    Fault(
        "angular velocity: the joint's own rate reversed",
        _KINEMATICS,
        "plus(turned, times(speed, n))",
        "plus(turned, times(-speed, n))",
    ),
    Fault(
        "velocity of prescribed motions dropped",
        _KINEMATICS,
        "return time_derivative([step.amount], ())[0]",
        "return ZERO",
    ),
    Fault(
        "lines of bipolar forces: frames turned the other way",
        _LAGRANGE + "paths",
        "apply(rotation_matrix(step.axis, step.amount), position)",
        "apply(rotation_matrix(step.axis, -step.amount), position)",
    ),
    Fault(
        "kinetic energy (14): tensor about the centre with the origin's velocity",
        _ENERGIES,
        "inertia.tensor_about_origin()",
        "inertia.tensor",
    ),
    Fault(
        "kinetic energy (14): sign of ω × s",
        _ENERGIES,
        "moving = cross(frame.w, s)",
        "moving = cross(s, frame.w)",
    ),
    Fault(
        "kinetic energy (14): offset of the centre ignored in the angular momentum",
        _ENERGIES,
        "plus(spin, cross(s, frame.u)) if any(s) else spin",
        "spin",
    ),
    Fault("kinetic energy (14): sign of a product of inertia", _ENERGIES, "(xx, xy, xz)", "(xx, -xy, xz)"),
    Fault(
        "kinetic energy: a shift carries the mass of its own body only",
        _PARTS,
        "carried[body.parent] += carried[body.name]",
        "carried[body.parent] += carried[body.name] * 0",
    ),
    Fault(
        "kinetic energy: coupling of a shift with the velocity before it dropped",
        _ENERGIES,
        "times(mass, shift.after)",
        "times(mass, shift.added)",
    ),
    Fault(
        "kinetic energy: a shift's velocity counted half",
        _ENERGIES,
        "add(shift.before, times(mass,",
        "add(shift.before, times(mass / 2,",
    ),
    Fault(
        "potential energy (14): offset of the centre ignored",
        _ENERGIES,
        "apply(frame.A, times(inertia.mass, inertia.centre))",
        "times(inertia.mass * 0, frame.r)",
    ),
    Fault(
        "equations (15): sign of ∂T/∂q",
        _EQUATIONS,
        "a - b for a, b in zip(p_rate, slopes",
        "a + b for a, b in zip(p_rate, slopes",
    ),
    Fault(
        "equations (15): ∂T/∂q halved",
        _EQUATIONS,
        "a - b for a, b in zip(p_rate, slopes",
        "a - b / 2 for a, b in zip(p_rate, slopes",
    ),
    Fault(
        "equations (15): ∂²T/∂q'∂t dropped",
        _EQUATIONS,
        "{TIME: ONE, **dict(zip(q, v, strict=True))}",
        "dict(zip(q, v, strict=True))",
    ),
    Fault(
        "weight pulls upwards",
        _EQUATIONS,
        "-slope for slope in gradient(Π, q)",
        "slope for slope in gradient(Π, q)",
    ),
    Fault(
        "mass matrix: coupling of different coordinates doubled",
        _EQUATIONS,
        "rows[i][j] if places[i] >= places[j] else rows[j][i]",
        "rows[i][j] if i == j else rows[i][j] * 2",
    ),
    Fault("masses of bipolar elements forgotten", _EQUATIONS, "system.lumped()", "system"),
    Fault(
        "bipolar force pulls where it should push",
        _FORCES,
        "value * slope for slope",
        "-value * slope for slope",
    ),
    Fault(
        "bipolar force: prescribed motion left out of the rate of its length",
        _FORCES,
        ", drift)",
        ", ZERO)",
    ),
    Fault(
        "bushing: shift in world axes",
        _FORCES,
        "x = apply(back, minus(second.r, first.r))",
        "x = minus(second.r, first.r)",
    ),
    Fault(
        "bushing: angular velocity of the second frame in its own axes",
        _FORCES,
        "spin = minus(apply(turn, second.w), first.w)",
        "spin = minus(second.w, first.w)",
    ),
    Fault(
        "bushing: half a turn taken for the whole",
        _FORCES,
        "(turn[k][j] - turn[j][k]) / 2",
        "(turn[k][j] - turn[j][k]) / 4",
    ),
    Fault(
        "torsion: angle of the first frame against the second",
        _FORCES,
        "force.moment(turn[1][0], turn[0][0], turning[2])",
        "force.moment(-turn[1][0], turn[0][0], turning[2])",
    ),
    Fault(
        "torsion: rate of the second frame alone",
        _FORCES,
        "turning = minus(apply(turn, second.w), first.w)",
        "turning = apply(turn, second.w)",
    ),
    Fault(
        "bushing: its moments do no work",
        _FORCES,
        "turned = pullback(spin, w[3:],",
        "turned = pullback(spin, [ZERO] * 3,",
    ),
    Fault(
        "force applied at the origin of the body",
        _FORCES,
        "frame.point(where)",
        "frame.r",
    ),
    Fault(
        "moment taken in world axes",
        _FORCES,
        "pullback(spin(system, force.point, frame), force.moment",
        "pullback([sum((a * b for a, b in zip(row, frame.w)), ZERO) for row in frame.A], force.moment",
    ),
    Fault(
        "joint effort acts against its coordinate",
        _FORCES,
        "+= force.expression()",
        "-= force.expression()",
    ),
    Fault("drives left out", _FORCES, "+= coordinate.drive.value", "+= coordinate.drive.value * 0"),
)

#: Faults that need a model with flywheels or a medium.
FEATURE_FAULTS: tuple[Fault, ...] = (
    Fault(
        "flywheel turned the other way", _PARTS, 'rotation("z", wheel.angle)', 'rotation("z", -wheel.angle)'
    ),
    Fault(
        "flywheel turned about the first axis of its frame",
        _PARTS,
        'rotation("z", wheel.angle)',
        'rotation("x", wheel.angle)',
    ),
    Fault(
        "flywheel turned about its carrier's axis, then mounted",
        _PARTS,
        '(*wheel.mounting, rotation("z", wheel.angle))',
        '(rotation("z", wheel.angle), *wheel.mounting)',
    ),
    Fault(
        "flywheel mounted at the origin of its carrier",
        _PARTS,
        '(*wheel.mounting, rotation("z", wheel.angle))',
        '(rotation("z", wheel.angle),)',
    ),
    Fault(
        "flywheel's mass not carried by the joints before it",
        _PARTS,
        "sum((wheel.inertia.mass for wheel in body.flywheels), body.inertia.mass)",
        "body.inertia.mass",
    ),
    Fault("medium: order of v and ω in Λ", _ENERGIES, "(*frame.u, *frame.w)", "(*frame.w, *frame.u)"),
    Fault(
        "medium: velocity taken in world axes",
        _ENERGIES,
        "(*frame.u, *frame.w)",
        "(*apply(frame.A, frame.u), *frame.w)",
    ),
    Fault(
        "medium: impulse left out of ∂T/∂v",
        _ENERGIES,
        "dot(frame.w, turning)), impulse, turning)",
        "dot(frame.w, turning)), times(ZERO, impulse), turning)",
    ),
    Fault(
        "medium: moment of impulse left out of ∂T/∂ω",
        _ENERGIES,
        "dot(frame.w, turning)), impulse, turning)",
        "dot(frame.w, turning)), impulse, times(ZERO, turning))",
    ),
    # Elastic bodies.
    Fault(
        "∫ (ω × ρ)·ρ' with the wrong sign",
        _LAGRANGE + "elastic",
        "total += q[k] * v[j] * dot(w, _axial(P[k][j]))",
        "total -= q[k] * v[j] * dot(w, _axial(P[k][j]))",
    ),
    Fault(
        "tensor of the deformation with the wrong sign",
        _LAGRANGE + "elastic",
        "* dot(w, w) - dot(w, apply(",
        "* dot(w, w) + dot(w, apply(",
    ),
    Fault(
        "weight of the undeformed body",
        _LAGRANGE + "elastic",
        "apply(frame.A, _sum(q, S))",
        "apply(frame.A, S[0])",
    ),
    Fault(
        "momentum of the deformation without the body's velocity",
        _LAGRANGE + "elastic",
        "plus(cross(w, s), ds)",
        "cross(w, s)",
    ),
    Fault(
        "dissipation feeds the modes",
        _LAGRANGE + "elastic",
        "+ (D[k][j] + D[j][k]) * v[j]",
        "- (D[k][j] + D[j][k]) * v[j]",
    ),
    Fault(
        "velocity of a node without the deformation",
        _LAGRANGE + "elastic",
        "plus(cross(frame.w, way), _through(node.translation, v))",
        "cross(frame.w, way)",
    ),
    Fault(
        "rate of a section in the axes before its turn",
        _LAGRANGE + "elastic",
        "cross(_vector(db), b)",
        "cross(b, _vector(db))",
    ),
    Fault(
        "section turned by half its angle",
        _LAGRANGE + "elastic",
        "HALF * _series(square, 1)",
        "HALF * HALF * _series(square, 1)",
    ),
    Fault(
        "sections do not turn with the body",
        _LAGRANGE + "elastic",
        "(w[a] * D[a][j - 1] for a in range(3))",
        "(ZERO * D[a][j - 1] for a in range(3))",
    ),
    Fault(
        "moment on a node does no work on its section",
        _LAGRANGE + "forces",
        "return plus(frame.w, apply(E, own))",
        "return frame.w",
    ),
    Fault(
        "rate of a product of modes without the rate of one of them",
        _LAGRANGE + "elastic",
        "rate(a) * symbol(b) + symbol(a) * rate(b)",
        "rate(a) * symbol(b)",
    ),
)

DEEP_FAULTS: tuple[Fault, ...] = (
    Fault("deep: body joined to its carrier without being turned", _JOINED,
          "turned = (dot(half[i], A[k])", "turned = (half[i][k]"),
    Fault("deep: first moment of a carried body without the arm to it", _JOINED,
          "s = plus(before, times(self.mass, r))", "s = before"),
    Fault("deep: parallel axes without the second moment", _JOINED, "xx + (y + z)", "xx + y"),
    Fault("deep: products of parallel axes with the opposite sign", _JOINED,
          "xy - (r[0] * s[1] + before[0] * r[1])", "xy + (r[0] * s[1] + before[0] * r[1])"),
    Fault("deep: products of parallel axes about the wrong point", _JOINED,
          "yz - (r[1] * s[2] + before[1] * r[2])", "yz - (r[1] * s[2] + s[1] * r[2])"),
    Fault("deep: momentum without ω × s", _JOINED,
          "plus(times(self.mass, u), cross(w, self.s))", "times(self.mass, u)"),
    Fault("deep: angular momentum with s × u reversed", _JOINED,
          "plus(spin, cross(self.s, u))", "plus(spin, cross(u, self.s))"),
    Fault("deep: flywheel joined where its carrier's frame is", _JOINED,
          "Joined.of(wheel.inertia).seen(Frame().along(wheel_steps(wheel)))", "Joined.of(wheel.inertia)"),
    Fault("deep: what a body carries left in the axes of the other", _JOINED,
          "seen = whole.seen(joint)", "seen = whole"),
    Fault("deep: carried bodies forgotten where two are carried", _JOINED,
          "before.with_(seen) if before else seen", "seen"),
    Fault("deep: armatures forgotten", _JOINED, "known + armature.inertia * (a * b)", "known"),
)  # fmt: skip

#: What only flywheels, a medium or deep trees show is part of the table.
FAULTS += FEATURE_FAULTS + DEEP_FAULTS
