"""Faults of Newton–Euler: outward and inward pass, regrouping, composite and articulated bodies, loads."""

from __future__ import annotations

from ..injection import Fault

_PACKAGE = "mbconcord.formalisms.newton_euler"
_OUTWARD = f"{_PACKAGE}.outward"
_INWARD = f"{_PACKAGE}.inward"
_MASS = f"{_PACKAGE}.mass"
_REGROUPING = f"{_PACKAGE}.regrouping"
_MATRIX = f"{_PACKAGE}.mass_matrix"
_ARTICULATED = f"{_PACKAGE}.articulated"
_LINKS = f"{_PACKAGE}.links"
_TREE = f"{_PACKAGE}.tree"
_LOADS = f"{_PACKAGE}.loads"
_EQUATIONS = f"{_PACKAGE}.equations"
_ROTATIONS = f"{_PACKAGE}.rotations"
_JOINTS = f"{_PACKAGE}.joint_forces"

FAULTS: tuple[Fault, ...] = (
    # Outward.
    Fault(
        "Coriolis acceleration of a sliding joint without its factor 2",
        _OUTWARD,
        "swept(a, w, link.axis, link.rate + link.rate)",
        "swept(a, w, link.axis, link.rate)",
    ),
    Fault(
        "gyroscopic part of the angular acceleration dropped",
        _OUTWARD,
        "along(swept(dw, w, link.axis, link.rate), link.axis, acceleration)",
        "along(dw, link.axis, acceleration)",
    ),
    Fault(
        "gyroscopic part of the angular acceleration with the wrong sign",
        _OUTWARD,
        "v[i] + w[k] * rate, v[k] - w[i] * rate",
        "v[i] - w[k] * rate, v[k] + w[i] * rate",
    ),
    Fault(
        "Euler acceleration ω̇ × r with the wrong sign in one element of U",
        _OUTWARD,
        "xz + dw[1])",
        "xz - dw[1])",
    ),
    Fault(
        "centripetal acceleration with the wrong square in U",
        _OUTWARD,
        "-(xx + zz)",
        "-(xx + yy)",
    ),
    Fault(
        "rates of prescribed turns left out of the angular velocity",
        _OUTWARD,
        "link.rate) if link.revolute else w",
        "link.rate) if link.revolute and link.coordinate is not None else w",
    ),
    Fault(
        "vectors enter a link's axes by the transposed rotation",
        _LINKS,
        "turned(v, self.axis, -self.sine, self.cosine)",
        "turned(v, self.axis, self.sine, self.cosine)",
    ),
    Fault(
        "slide of a prismatic joint not turned into the parent's axes",
        _LINKS,
        "times(transposed(self.turn)[self.axis], self.amount)",
        "times(self.turn[self.axis], self.amount)",
    ),
    # Inward.
    Fault(
        "gyroscopic moment with the moments of inertia exchanged",
        _INWARD,
        "(xx - zz) * (x * z)",
        "(zz - xx) * (x * z)",
    ),
    Fault(
        "a product of inertia with the wrong sign",
        _INWARD,
        "- xz * u[1][2]",
        "+ xz * u[1][2]",
    ),
    Fault(
        "moment of the first moment with the acceleration dropped",
        _INWARD,
        "plus(own, cross(mass.moment, a))",
        "own",
    ),
    Fault(
        "moment of weight with the vector product reversed",
        _INWARD,
        "cross(mass.moment, g)",
        "cross(g, mass.moment)",
    ),
    Fault(
        "moment of the transmitted force r × f dropped",
        _INWARD,
        "    n = minus(n, cross(f, link.offset))\n",
        "",
    ),
    # Inertia and its regrouping.
    Fault(
        "parallel-axis theorem without the old first moment",
        _MASS,
        "(a[0] + b[0]) * p[0]",
        "b[0] * p[0]",
    ),
    Fault(
        "needle along the joint's axis taken off one side only",
        _REGROUPING,
        "needle[a] = needle[b] = j[b]",
        "needle[a] = j[b]",
    ),
    Fault(
        "first moment along the joint's axis lost in regrouping",
        _REGROUPING,
        "across[axis], on_axis[axis] = zero, first[axis]",
        "across[axis] = zero",
    ),
    Fault(
        "regrouped inertia not shifted to the parent's origin",
        _REGROUPING,
        "unfelt.rotated(link.turn).shifted(link.shift)",
        "unfelt.rotated(link.turn)",
    ),
    # Mass matrix.
    Fault(
        "force of a unit turn with the vector product reversed",
        _MATRIX,
        "-mass.moment[k], mass.moment[i]",
        "mass.moment[k], -mass.moment[i]",
    ),
    Fault(
        "composite body carried inward without the slide",
        _LINKS,
        "mass.rotated(self.turn).shifted(self.offset)",
        "mass.rotated(self.turn).shifted(self.shift)",
    ),
    Fault(
        "columns carried inward without the moment of their forces",
        _MATRIX,
        "moment = minus(link.inward((n[0], n[1], n[2])), cross(force, link.offset))",
        "moment = link.inward((n[0], n[1], n[2]))",
    ),
    # Articulated bodies.
    Fault(
        "a joint's yielding not subtracted from the coupling of force and turning",
        _ARTICULATED,
        "b[i][k] - value * s[k]",
        "b[i][k]",
    ),
    Fault(
        "bias of an articulated body without the joint's effort",
        _ARTICULATED,
        "plus(body.moment, (u * left, v * left, w * left))",
        "body.moment",
    ),
    Fault(
        "coupling transposed in the bias of an articulated body",
        _ARTICULATED,
        "plus(apply(transposed(self.b), a), apply(rows(self.c), dw))",
        "plus(apply(self.b, a), apply(rows(self.c), dw))",
    ),
    Fault(
        "shift of the articulated inertia with the wrong sign",
        _ARTICULATED,
        "plus(row, cross(r, line))",
        "plus(row, cross(line, r))",
    ),
    Fault(
        "acceleration of the parent's origin not carried by its turning",
        _ARTICULATED,
        "plus(at, cross(before, link.offset))",
        "at",
    ),
    Fault(
        "centripetal and Coriolis accelerations left out of forward dynamics",
        _ARTICULATED,
        "coasting(velocities[link.parent], still) if link.parent >= 0 else rest",
        "rest",
    ),
    # Model and loads.
    Fault(
        "acceleration of a prescribed motion dropped",
        _TREE,
        "derivative(speed, TIME)",
        "ZERO",
    ),
    Fault(
        "constant rotations put together in the wrong order",
        _ROTATIONS,
        "turn = product(first, second) if first else second",
        "turn = product(second, first) if first else second",
    ),
    Fault(
        "a point force taken in link axes",
        _LOADS,
        "f = apply(transposed(result.poses[link].axes), (x, y, z))",
        "f = (x, y, z)",
    ),
    Fault(
        "a bipolar force that pulls its points together",
        _LOADS,
        "((first, r1, -1), (second, r2, 1))",
        "((first, r1, 1), (second, r2, -1))",
    ),
    Fault(
        "velocity of a bipolar force's end without the turning of its body",
        _LOADS,
        "plus(pose.velocity, cross(velocities[link], r)) if link >= 0 else pose.velocity",
        "pose.velocity",
    ),
    Fault(
        "a bushing that does not hold its first body", _LOADS, "(first, times(f, -1),", "(first, times(f, 0),"
    ),
    Fault(
        "moment of a bushing on its first body without the arm between its frames",
        _LOADS,
        "times(plus(m, cross(d, f)), -1)",
        "times(m, -1)",
    ),
    Fault(
        "rate of a bushing's shift without the turning of its first frame",
        _LOADS,
        "minus(minus(second.velocity, first.velocity), cross(first.spin, d))",
        "minus(second.velocity, first.velocity)",
    ),
    Fault(
        "turn of a bushing with the wrong sign",
        _LOADS,
        "map(cross, transposed(first.axes), transposed(second.axes))",
        "map(cross, transposed(second.axes), transposed(first.axes))",
    ),
    Fault(
        "torsion: angle to the second frame's y axis",
        _LOADS,
        "e = transposed(second.axes)[0]",
        "e = transposed(second.axes)[1]",
    ),
    Fault("torsion: both moments alike", _LOADS, "(first, times(twist, -1))", "(first, twist)"),
    Fault(
        "damping of a bushing added",
        _LOADS,
        "total[i] = total[i] - k * values[j]",
        "total[i] = total[i] - k * values[j] if values is u else total[i] + k * values[j]",
    ),
    Fault(
        "mass of a bipolar element on both ends in full",
        _TREE,
        "Mass(force.mass * HALF,",
        "Mass(force.mass,",
    ),
    Fault(
        "applied forces added to what the joints bear",
        _INWARD,
        "(minus(wrench[0], load[0]), minus(wrench[1], load[1]))",
        "(plus(wrench[0], load[0]), plus(wrench[1], load[1]))",
    ),
    Fault(
        "imposed accelerations counted as zero",
        _ARTICULATED,
        "given.get(link.coordinate, still[0])\n",
        "still[0]\n",
    ),
    Fault(
        "effort of an imposed acceleration without that of its inertia",
        _ARTICULATED,
        "dot(held.p, a) + dot(held.s, dw) - held.effort",
        "dot(held.p, a) - held.effort",
    ),
    Fault(
        "known efforts added to the one that is sought",
        _ARTICULATED,
        "dot(held.s, dw) - held.effort",
        "dot(held.s, dw) + held.effort",
    ),
    Fault(
        "prescribed accelerations counted as zero in h",
        _EQUATIONS,
        "self.zero if x.coordinate is not None else x.acceleration",
        "self.zero",
    ),
    # Forces in joints.
    Fault(
        "joint forces: of the regrouped masses, which burden other joints",
        _JOINTS,
        "regroup=False",
        "regroup=True",
    ),
    Fault(
        "joint moments: about the link's origin and not about the body's",
        _JOINTS,
        "minus(moment, cross(triple(of(place.shift)), force))",
        "moment",
    ),
    Fault(
        "joint moments: arm to the body's origin reversed",
        _JOINTS,
        "cross(triple(of(place.shift)), force)",
        "cross(force, triple(of(place.shift)))",
    ),
    Fault(
        "joint forces: turned the other way into the body's axes",
        _JOINTS,
        "for row in transposed(place.turn)]",
        "for row in place.turn]",
    ),
)
