"""Faults of the direct method: of Φ and W' along the joints, and of the sums (9)."""

from __future__ import annotations

from ..injection import Fault

_PACKAGE = "mbconcord.formalisms.virtual_work"
_KINEMATICS = f"{_PACKAGE}.kinematics"
_BODY = f"{_PACKAGE}.body"
_MEDIUM = f"{_PACKAGE}.medium"
_SUMS = f"{_PACKAGE}.sums"
_EQUATIONS = f"{_PACKAGE}.equations"
_FORCES = f"{_PACKAGE}.forces"
_VECTORS = f"{_PACKAGE}.vectors"
_SOFT = f"{_PACKAGE}.soft"
_SECTIONS = f"{_PACKAGE}.sections"
_WEIGHTS = f"{_PACKAGE}.weights"
_FREED = f"{_PACKAGE}.freed"
_CARRIED = f"{_PACKAGE}.carried"

FAULTS: tuple[Fault, ...] = (
    Fault(
        "D of a turning coordinate with the vector product reversed",
        _KINEMATICS,
        "cross(self.B[name], arm)",
        "cross(arm, self.B[name])",
    ),
    Fault(
        "centripetal acceleration ω × (ω × r) dropped from W'",
        _KINEMATICS,
        "cross(self.epsilon, arm), cross(self.omega, cross(self.omega, arm))",
        "cross(self.epsilon, arm)",
    ),
    Fault(
        "tangential acceleration ε × r dropped from W'",
        _KINEMATICS,
        "cross(self.epsilon, arm), cross(self.omega, cross(self.omega, arm))",
        "cross(self.omega, cross(self.omega, arm))",
    ),
    Fault(
        "Coriolis acceleration of a sliding joint without its factor 2",
        _KINEMATICS,
        "times(2 * speed, cross(self.omega, axis))",
        "times(speed, cross(self.omega, axis))",
    ),
    Fault(
        "gyroscopic part of the angular acceleration of a turning joint with the wrong sign",
        _KINEMATICS,
        "times(speed, cross(self.omega, axis)), times(bias, axis)),\n            D={**self.D, **idle}",
        "times(speed, cross(axis, self.omega)), times(bias, axis)),\n            D={**self.D, **idle}",
    ),
    Fault(
        "second derivative of a prescribed motion forgotten",
        _KINEMATICS,
        "return et.amount, speed, derivative(speed, TIME)",
        "return et.amount, speed, ZERO",
    ),
    Fault(
        "first derivative of a prescribed motion forgotten",
        _KINEMATICS,
        "return et.amount, speed, derivative(speed, TIME)",
        "return et.amount, ZERO, derivative(speed, TIME)",
    ),
    Fault(
        "axis of a joint left in the axes of its own frame",
        _KINEMATICS,
        "axis = to_world(self.A, et.axis)",
        "axis = et.axis",
    ),
    Fault(
        "child mounted on the fixed frame instead of its parent",
        _SECTIONS,
        "frame = frames[body.parent]",
        "frame = frames[None]",
    ),
    Fault(
        "rotation matrix transposed",
        _VECTORS,
        "c, s = cos(angle), sin(angle)",
        "c, s = cos(angle), sin(-angle)",
    ),
    Fault(
        "Rodrigues' formula without its part along the axis",
        _VECTORS,
        "v = ONE - c",
        "v = ZERO",
    ),
    Fault(
        "B left in world axes beside a tensor in body axes",
        _BODY,
        "B={q: to_body(frame.A, column) for q, column in frame.B.items()}",
        "B=frame.B",
    ),
    Fault(
        "gyroscopic moment K = ω × Jω with the wrong sign",
        _BODY,
        "K=cross(omega, to_world(inertia.matrix(), omega))",
        "K=cross(to_world(inertia.matrix(), omega), omega)",
    ),
    Fault(
        "gyroscopic moment K dropped",
        _BODY,
        "return pushed, plus(self.inertia_times(self.W[1]), self.K)",
        "return pushed, self.inertia_times(self.W[1])",
    ),
    Fault(
        "moment of inertia times angular acceleration dropped from M_i W'_i",
        _BODY,
        "return pushed, plus(self.inertia_times(self.W[1]), self.K)",
        "return pushed, self.K",
    ),
    Fault(
        "centre of mass left at the origin of the body's frame",
        _BODY,
        "centre = frame.at(to_centre)",
        "centre = frame",
    ),
    Fault(
        "centre of mass laid off in world axes",
        _BODY,
        "to_centre = to_world(frame.A, inertia.centre)",
        "to_centre = inertia.centre",
    ),
    Fault(
        "weight pulls upwards",
        _SUMS,
        "gravity[name] = dot(d, body.weight)",
        "gravity[name] = -dot(d, body.weight)",
    ),
    Fault(
        "rotary inertia dropped from the mass matrix",
        _SUMS,
        "= dot(d2, momentum) + dot(b2, spin)",
        "= dot(d2, momentum)",
    ),
    Fault(
        "force applied at the centre of mass instead of its point",
        _BODY,
        "force, moment = plus(force, push), plus(moment, twist, to_body(frame.A, about))",
        "force, moment = plus(force, push), plus(moment, twist)",
    ),
    Fault(
        "moment of a wrench taken in world axes",
        _BODY,
        "plus(moment, twist, to_body(frame.A, about))",
        "plus(moment, to_body(frame.A, plus(twist, about)))",
    ),
    Fault(
        "arm of a force laid off in world axes",
        _FORCES,
        "return to_world(frames[point.body].A, point.position)",
        "return point.position",
    ),
    Fault(
        "bipolar force pulls its points together",
        _FORCES,
        "along = times(1 / length, apart)",
        "along = times(-1 / length, apart)",
    ),
    Fault(
        "rate of a bipolar element's length with the wrong sign",
        _FORCES,
        "dot(along, minus(second.v, first.v))",
        "dot(along, minus(first.v, second.v))",
    ),
    Fault(
        "reaction of a bipolar force on its first body forgotten",
        _FORCES,
        "return minus(NONE, pull), pull",
        "return NONE, pull",
    ),
    Fault(
        "rate of a bushing's shift without the turning of its first frame",
        _FORCES,
        "minus(minus(there.v, here.v), cross(here.omega, d))",
        "minus(there.v, here.v)",
    ),
    Fault(
        "moment of a bushing on its first body without the arm between its frames",
        _FORCES,
        "against = plus(m, cross(d, f))",
        "against = m",
    ),
    Fault(
        "moment of a bushing taken in world axes",
        _FORCES,
        "push, to_body(body.A, moment)))",
        "push, moment))",
    ),
    Fault(
        "turn of a bushing with the wrong sign",
        _FORCES,
        "(seen[j][k] - seen[k][j]) * HALF",
        "(seen[k][j] - seen[j][k]) * HALF",
    ),
    Fault(
        "mass of bipolar elements forgotten",
        _EQUATIONS,
        "whole = system.lumped()",
        "whole = system",
    ),
    Fault(
        "torsion: about the second frame's axis",
        _FORCES,
        "dot(n, minus(there.omega, here.omega)))\n    twist = times(M, n)",
        "dot(n, minus(there.omega, here.omega)))\n    twist = times(M, tuple(row[2] for row in there.A))",
    ),
    Fault(
        "torsion: does not hold the first body",
        _FORCES,
        "(force.first, minus(NONE, twist))",
        "(force.first, NONE)",
    ),
    # Forces in joints.
    Fault(
        "freed joint: displaced along the fixed axes",
        _FREED,
        "axis = frame.A[0][k], frame.A[1][k], frame.A[2][k]",
        "axis = tuple(ONE if i == k else ZERO for i in range(3))",
    ),
    Fault("freed joint: weight does no work", _FREED, "plus(part.weight, part.load[0])", "part.load[0]"),
    Fault(
        "freed joint: forces of loads do no work", _FREED, "plus(part.weight, part.load[0])", "part.weight"
    ),
    Fault("freed joint: moments of loads do no work", _FREED, "twist = minus(twist, part.load[1])", "pass"),
    Fault(
        "freed joint: accelerations of the machine do no work",
        _FREED,
        "times(_second_rate(name), v)",
        "times(ZERO, v)",
    ),
    Fault(
        "freed joint: a turn does not displace the centres",
        _FREED,
        "yield name, dot(d, push) + dot(b, twist)",
        "yield name, (dot(d, push) if name[-2] == 'F' else ZERO) + dot(b, twist)",
    ),
    Fault(
        "freed joint: rotary inertia does no work",
        _FREED,
        "yield name, dot(d, push) + dot(b, twist)",
        "yield name, dot(d, push)",
    ),
    Fault(
        "freed joint: masses of bipolar elements forgotten",
        _FREED,
        "whole = system.lumped()",
        "whole = system",
    ),
)

#: Faults that need a model with flywheels or a medium.
FEATURE_FAULTS: tuple[Fault, ...] = (
    Fault(
        "flywheel turned the other way", _BODY, 'rotation("z", wheel.angle)', 'rotation("z", -wheel.angle)'
    ),
    Fault(
        "flywheel turned about its carrier's axis, then mounted",
        _BODY,
        '(*wheel.mounting, rotation("z", wheel.angle))',
        '(rotation("z", wheel.angle), *wheel.mounting)',
    ),
    Fault(
        "flywheel mounted at the origin of its carrier",
        _BODY,
        '(*wheel.mounting, rotation("z", wheel.angle))',
        '(rotation("z", wheel.angle),)',
    ),
    Fault("medium: ω × p dropped", _MEDIUM, "plus(push, cross(omega, p))", "push"),
    Fault("medium: ω × H dropped", _MEDIUM, "cross(omega, H), cross(u, p)", "cross(u, p)"),
    Fault("medium: Munk's moment u × p dropped", _MEDIUM, "cross(omega, H), cross(u, p)", "cross(omega, H)"),
    Fault("medium: sign of Munk's moment", _MEDIUM, "cross(u, p)", "cross(p, u)"),
    Fault(
        "medium: ω × u not taken off the acceleration",
        _MEDIUM,
        "minus(to_body(frame.A, frame.w), cross(omega, u))",
        "to_body(frame.A, frame.w)",
    ),
    Fault("medium: order of v and ω in Λ", _MEDIUM, "(*u, *omega)", "(*omega, *u)"),
    Fault(
        "medium: columns of Φ left in world axes",
        _MEDIUM,
        "D={q: to_body(frame.A, column) for q, column in frame.D.items()}",
        "D=frame.D",
    ),
)

#: Of elastic bodies.
ELASTIC_FAULTS: tuple[Fault, ...] = (
    Fault("moment of the static moment s × a dropped", _SOFT,
          "moment = cross(plus(*(times(q[k], S[k]) for k in m)), a)", "moment = NONE"),
    Fault("modal part of the static moment dropped", _SOFT,
          "plus(*(times(q[k], S[k]) for k in m)), a)", "S[0], a)"),
    Fault("force of a field without its integrals S_k", _SOFT,
          "*(to_world(fields[k], S[k]) for k in m)", "*(NONE for k in m)"),
    Fault("Coriolis field of the points without its factor 2", _SOFT,
          "_scaled(two * dx, spin)", "_scaled(dx, spin)"),
    Fault("centripetal field of the points dropped", _SOFT,
          "_sum(_skew(self.W[1]), _times(spin, spin))", "_skew(self.W[1])"),
    Fault("P_kl turned by X instead of Xᵀ", _SOFT,
          "_times(_rows(P[k][j]), _transposed(fields[j]))", "_times(_rows(P[k][j]), fields[j])"),
    Fault("moment of the integrals with the vector product reversed", _SOFT,
          "minus((m[1][2], m[2][0], m[0][1]), (m[2][1], m[0][2], m[1][0]))",
          "minus((m[2][1], m[0][2], m[1][0]), (m[1][2], m[2][0], m[0][1]))"),
    Fault("a mode does not move its points", _SOFT, "_sum(fields[k], _scaled(slope, UNIT_MATRIX))", "fields[k]"),
    Fault("gyroscopic moment of turning sections dropped", _SOFT, "cross(self.omega, momentum)", "NONE"),
    Fault("R_ee of the sections dropped", _SOFT,
          "sum((twisting[k][i] * x for i, x in enumerate(e)), ZERO)", "ZERO"),
    Fault("damping of the modes dropped", _SOFT, "k * symbol(n) + d * rate(n)", "k * symbol(n)"),
    Fault("stiffness with the wrong sign", _SOFT, "-sum((k * symbol(n)", "-sum((-k * symbol(n)"),
    Fault("weight of the modes dropped", _SOFT,
          "own = {name: part.work(column, weight) for name, column in part.columns}",
          "own = {n: part.work(column, weight) for n, column in part.columns if column[2] is None}"),
    Fault("second rate of a product of modes without its factor 2", _WEIGHTS,
          "two * rate(a) * rate(b)", "rate(a) * rate(b)"),
    Fault("slope of a product of modes by one of them alone", _WEIGHTS,
          "+ (symbol(a) if name == b else ZERO)", "+ ZERO"),
    Fault("Coriolis acceleration of a node without its factor 2", _SECTIONS,
          "times(as_expression(2), cross(frame.omega, slide))", "cross(frame.omega, slide)"),
    Fault("section turned twice as far", _SECTIONS, "sum(theta, ZERO)", "2 * sum(theta, ZERO)"),
    Fault("acceleration of the turn of a section dropped", _SECTIONS,
          "growth = _growth(theta, dtheta, x, a)", "growth = NONE"),
    Fault("turn of a section without J", _SECTIONS,
          "swept = [_rodrigues(theta, b, a, column) for column in columns]", "swept = columns"),
    Fault("ω × the turn of a section dropped", _SECTIONS, "cross(frame.omega, spin), to_world", "to_world"),
    Fault("moment at a node about the axes of the section", _FORCES,
          "to_body(frame.A, to_world(frames[point.body].A, moment))", "moment"),
)  # fmt: skip

DEEP_FAULTS: tuple[Fault, ...] = (
    Fault("deep: force of what a body carries without the arm to it", _CARRIED,
          "plus(before[1], moment, cross(link.arm, force))", "plus(before[1], moment)"),
    Fault("deep: momentum moved in along the arm the other way", _CARRIED,
          "plus(spin, cross(link.arm, momentum))", "plus(spin, cross(momentum, link.arm))"),
    Fault("deep: first moment of what is carried without the arm to it", _CARRIED,
          "plus(self.s, times(self.mass, d))", "self.s"),
    Fault("deep: moment about one axis from the moments of another", _CARRIED, "J[0] + (y + z)", "J[0] + (x + z)"),
    Fault("deep: products of parallel axes with the opposite sign", _CARRIED, "J[3] - xy", "J[3] + xy"),
    Fault("deep: products of parallel axes taken about the other point", _CARRIED,
          "d[i] * after[k] + s[i] * d[k]", "d[i] * s[k] + s[i] * d[k]"),
    Fault("deep: momentum without what turning gives to the centre of mass", _CARRIED,
          "plus(times(self.mass, d), cross(b, self.s))", "times(self.mass, d)"),
    Fault("deep: moment of momentum without what a shift gives", _CARRIED, "plus(spin, cross(self.s, d))", "spin"),
    Fault("deep: tensor turned by A' instead of A", _CARRIED, "for row in A)", "for row in zip(*A, strict=True))"),
    Fault("deep: flywheels without weight", _CARRIED,
          "(part, part.weight, NONE) for part in link.solids", "(part, part.weight, NONE) for part in link.solids[:1]"),
    Fault("deep: forces at centres of mass taken at the origin", _CARRIED,
          "plus(moment, to_world(part.centre.A, twist), cross(part.centre.r, push))",
          "plus(moment, to_world(part.centre.A, twist))"),
    Fault("deep: inertial moments left in the axes of the body", _CARRIED, "to_world(part.centre.A, twist)", "twist"),
    Fault("deep: moment of a load left in the axes of its body", _CARRIED,
          "to_world(listed[name].frame.A, twist)", "twist"),
    Fault("deep: moment of a force with the vector product reversed", _CARRIED, "cross(at, push)", "cross(push, at)"),
    Fault("deep: work on a displacement without its turn", _CARRIED,
          "name: dot(d, whole[link.name][0]) + dot(b, whole[link.name][1])", "name: dot(d, whole[link.name][0])"),
    Fault("deep: efforts along coordinates forgotten", _CARRIED,
          "added([works(listed, acting), efforts])", "works(listed, acting)"),
    Fault("deep, freed joint: accelerations of the machine do no work", _CARRIED,
          "Kinematics(accelerating=True)", "Kinematics()"),
    Fault("deep, freed joint: weight does no work", _CARRIED, "plus(down[0], given[0])", "given[0]"),
    Fault("deep, freed joint: moment in the axes of the world", _CARRIED,
          "to_body(frames[name].A, whole[name][1])", "whole[name][1]"),
)  # fmt: skip

#: What only flywheels, a medium, elastic bodies or deep trees show is part of the table.
FAULTS += FEATURE_FAULTS + ELASTIC_FAULTS + DEEP_FAULTS
