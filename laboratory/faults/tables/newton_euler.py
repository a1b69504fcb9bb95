"""Faults of Newton–Euler: outward and inward pass, regrouping, composite and articulated bodies, loads."""

from __future__ import annotations

from mbconcord.testing import Fault

_PACKAGE = "mbconcord.formalisms.newton_euler"
_OUTWARD = f"{_PACKAGE}.outward"
_REGROUPING = f"{_PACKAGE}.equations"
_MATRIX = f"{_PACKAGE}.mass_matrix"
_ARTICULATED = f"{_PACKAGE}.articulated"
_LINKS = f"{_PACKAGE}.links"
_TREE = f"{_PACKAGE}.tree"
_LOADS = f"{_PACKAGE}.loads"
_EQUATIONS = f"{_PACKAGE}.equations"
_POSITIONS = f"{_PACKAGE}.positions"

FAULTS: tuple[Fault, ...] = (
    # Outward.
    Fault("Coriolis acceleration of a sliding joint without its factor 2", _OUTWARD, "accelerate_link",
          "link.rate + link.rate",
          "link.rate"),
    Fault("gyroscopic part of the angular acceleration dropped", _OUTWARD, "accelerate_link",
          "add_cross_rate(dw, w, link.axis, link.rate)", "dw"),
    Fault("gyroscopic part of the angular acceleration with the wrong sign", _OUTWARD, "add_cross_rate",
          "(v[i] + w[k] * rate, v[k] - w[i] * rate)", "(v[i] - w[k] * rate, v[k] + w[i] * rate)"),
    Fault("Euler acceleration ω̇ × r with the wrong sign in one element of U", _OUTWARD, "compute_acceleration_matrix",
          "(-(yy + zz), xy - dw[2], xz + dw[1])", "(-(yy + zz), xy - dw[2], xz - dw[1])"),
    Fault("centripetal acceleration with the wrong square in U", _OUTWARD, "compute_acceleration_matrix",
          "(xy + dw[2], -(xx + zz), yz - dw[0])", "(xy + dw[2], -(xx + yy), yz - dw[0])"),
    Fault("rates of prescribed turns left out of the angular velocity", _OUTWARD, "turning",
          "add_along_axis(w, link.axis, link.rate) if link.revolute else w",
          "add_along_axis(w, link.axis, link.rate) if link.revolute and link.coordinate is not None else w"),
    Fault("vectors enter a link's axes by the transposed rotation", _LINKS, "Link.outward",
          "rotate(v, self.axis, -self.sine, self.cosine)", "rotate(v, self.axis, self.sine, self.cosine)"),
    Fault("slide of a prismatic joint not turned into the parent's axes", _LINKS, "Link.offset",
          "transpose(self.turn)", "self.turn"),
    # Inward.
    Fault("gyroscopic moment with the moments of inertia exchanged", _OUTWARD, "inertial", "(xx - zz) * (x * z)",
          "(zz - xx) * (x * z)"),
    Fault("a product of inertia with the wrong sign", _OUTWARD, "inertial",
          "zz * dw[2] + (yy - xx) * (x * y) + xy * (u[0][0] - u[1][1]) - xz * u[1][2]",
          "zz * dw[2] + (yy - xx) * (x * y) + xy * (u[0][0] - u[1][1]) + xz * u[1][2]"),
    Fault("moment of the first moment with the acceleration dropped", _OUTWARD, "inertial",
          "plus(own, cross(mass.moment, a))", "own"),
    Fault("moment of weight with the vector product reversed", _OUTWARD, "weight", "cross(mass.moment, g)",
          "cross(g, mass.moment)"),
    Fault("moment of the transmitted force r × f dropped", _OUTWARD, "transmit_wrench",
          "n = minus(n, cross(f, link.offset))",
          ""),
    # Inertia and its regrouping.
    Fault("parallel-axis theorem without the old first moment", _LINKS, "Mass.shift", "(a[0] + b[0]) * p[0]",
          "b[0] * p[0]"),
    Fault("needle along the joint's axis taken off one side only", _REGROUPING, "split_mass",
          "needle[a] = needle[b] = j[b]",
          "needle[a] = j[b]"),
    Fault("first moment along the joint's axis lost in regrouping", _REGROUPING, "split_mass",
          "across[axis], on_axis[axis] = (zero, first[axis])", "across[axis] = zero"),
    Fault("regrouped inertia not shifted to the parent's origin", _REGROUPING, "regroup_links",
          "unfelt.change_axes(link.turn).shift(link.shift)", "unfelt.change_axes(link.turn)"),
    # Mass matrix.
    Fault("force of a unit turn with the vector product reversed", _MATRIX, "unit_acceleration",
          "(-mass.moment[k], mass.moment[i])", "(mass.moment[k], -mass.moment[i])"),
    Fault("composite body carried inward without the slide", _LINKS, "Link.transfer_mass",
          "mass.change_axes(self.turn).shift(self.offset)", "mass.change_axes(self.turn).shift(self.shift)"),
    Fault("columns carried inward without the moment of their forces", _MATRIX, "mass_matrix",
          "minus(link.inward((n[0], n[1], n[2])), cross(force, link.offset))", "link.inward((n[0], n[1], n[2]))"),
    # Articulated bodies.
    Fault("a joint's yielding not subtracted from the coupling of force and turning", _ARTICULATED, "eliminate_joint",
          "b[i][k] - value * s[k]", "b[i][k]"),
    Fault("bias of an articulated body without the joint's effort", _ARTICULATED, "eliminate_joint",
          "plus(body.moment, (u * left, v * left, w * left))", "body.moment"),
    Fault("coupling transposed in the bias of an articulated body", _ARTICULATED, "Articulated.add_bias",
          "transpose(self.b)", "self.b"),
    Fault("shift of the articulated inertia with the wrong sign", _ARTICULATED, "shift_to_parent", "cross(r, line)",
          "cross(line, r)"),
    Fault("acceleration of the parent's origin not carried by its turning", _ARTICULATED, "forward",
          "plus(at, cross(before, link.offset))", "at"),
    Fault("centripetal and Coriolis accelerations left out of forward dynamics", _ARTICULATED, "forward",
          "coasting(velocities[link.parent], still) if link.parent >= 0 else rest", "rest"),
    # Model and loads.
    Fault("acceleration of a prescribed motion dropped", _TREE, "_append_motion", "derivative(speed, TIME)", "ZERO"),
    Fault("constant rotations put together in the wrong order", _TREE, "compose", "product(first, second)",
          "product(second, first)"),
    Fault("a point force taken in link axes", _LOADS, "_wrench",
          "apply(transpose(result.poses[link].axes), (x, y, z))", "(x, y, z)"),
    Fault("a force that follows its body taken in link axes", _LOADS, "_wrench",
          "_in_link(tree, body, force.force, False, scalars)", "tuple(scalars.to_scalars(force.force))"),
    Fault("a bipolar force that pulls its points together", _LOADS, "_bipolar", "((first, r1, -1), (second, r2, 1))",
          "((first, r1, 1), (second, r2, -1))"),
    Fault("velocity of a bipolar force's end without the turning of its body", _LOADS, "_bipolar",
          "plus(pose.velocity, cross(velocities[link], r)) if link >= 0 else pose.velocity", "pose.velocity"),
    Fault("a bushing that does not hold its first body", _LOADS, "_bushing",
          "(first, times(f, -1), times(plus(m, cross(d, f)), -1))",
          "(first, times(f, 0), times(plus(m, cross(d, f)), -1))"),
    Fault("moment of a bushing on its first body without the arm between its frames", _LOADS, "_bushing",
          "plus(m, cross(d, f))", "m"),
    Fault("rate of a bushing's shift without the turning of its first frame", _LOADS, "_bushing",
          "minus(minus(second.velocity, first.velocity), cross(first.spin, d))",
          "minus(second.velocity, first.velocity)"),
    Fault("turn of a bushing with the wrong sign", _LOADS, "_bushing",
          "map(cross, transpose(first.axes), transpose(second.axes))",
          "map(cross, transpose(second.axes), transpose(first.axes))"),
    Fault("torsion: angle to the second frame's y axis", _LOADS, "_torsion", "transpose(second.axes)[0]",
          "transpose(second.axes)[1]"),
    Fault("torsion: both moments alike", _LOADS, "_torsion", "times(twist, -1)", "twist"),
    Fault("damping of a bushing added", _LOADS, "_linear", "total[i] - k * values[j]",
          "total[i] - k * values[j] if values is u else total[i] + k * values[j]"),
    Fault("mass of a bipolar element on both ends in full", _TREE, "tree_of", "force.mass * HALF", "force.mass"),
    Fault("applied forces added to what the joints bear", _OUTWARD, "less",
          "(minus(wrench[0], load[0]), minus(wrench[1], load[1]))",
          "(plus(wrench[0], load[0]), plus(wrench[1], load[1]))"),
    Fault("imposed accelerations counted as zero", _ARTICULATED, "forward", "given.get(link.coordinate, still[0])",
          "still[0]"),
    Fault("effort of an imposed acceleration without that of its inertia", _ARTICULATED, "forward",
          "dot(held.p, a) + dot(held.s, dw)", "dot(held.p, a)"),
    Fault("known efforts added to the one that is sought", _ARTICULATED, "forward",
          "dot(held.p, a) + dot(held.s, dw) - held.effort", "dot(held.p, a) + dot(held.s, dw) + held.effort"),
    Fault("prescribed accelerations counted as zero in h", _EQUATIONS, "Equations.coasting",
          "self.zero if x.coordinate is not None else x.acceleration", "self.zero"),
    # Forces in joints.
    Fault("joint forces: of the regrouped masses, which burden other joints", _EQUATIONS, "joint_forces",
          "Equations(system, Graph(), regroup=False)", "Equations(system, Graph(), regroup=True)"),
    Fault("joint moments: about the link's origin and not about the body's", _EQUATIONS, "at_body",
          "minus(moment, cross(triple(of(place.shift)), force))", "moment"),
    Fault("joint moments: arm to the body's origin reversed", _EQUATIONS, "at_body",
          "cross(triple(of(place.shift)), force)", "cross(force, triple(of(place.shift)))"),
    Fault("joint forces: turned the other way into the body's axes", _EQUATIONS, "at_body", "transpose(place.turn)",
          "place.turn"),
    # Motions of points.
    Fault("motions: column of a hinge with the arm reversed", _POSITIONS, "point_motions", "minus(r, start)",
          "minus(start, r)"),
    Fault("motions: column of a hinge about the fixed frame's origin", _POSITIONS, "point_motions", "minus(r, start)",
          "r"),
    Fault("motions: axis of a joint in the axes of its link", _POSITIONS, "point_motions",
          "transpose(turned)[own.axis]", "base(scalars)[0][own.axis]"),
)  # fmt: skip
