"""Seeded faults of :mod:`mbconcord.formalisms.telegin`.

Faults of the spatial form, which derives every tree; and other readings of the damaged print of the planar forms, each
tried in its form on a planar linkage.
"""

from __future__ import annotations

from mbconcord.testing import Fault

_TELEGIN = "mbconcord.formalisms.telegin."
_TREE = _TELEGIN + "tree"
_VECTORS = _TELEGIN + "vectors"
_AUGMENTED = _TELEGIN + "tree"
_LOADS = _TELEGIN + "loads"
_SPATIAL = _TELEGIN + "spatial"
_SPACE = _TELEGIN + "stages"

_IN_SPACE: tuple[Fault, ...] = (
    Fault("rotation turned the other way", _VECTORS, "turn", "scale_tensor(sine, skew(n))",
          "scale_tensor(-sine, skew(n))"),
    Fault("constant rotation in reverse order", _TREE, "_append_transformation", "product(mount.orientation, constant)",
          "product(constant, mount.orientation)"),
    Fault("prismatic joint: pole left at its initial position", _TREE, "Link.R",
          "self.offset if self.turns else plus(self.offset, times(self.q, self.direction))", "self.offset"),
    Fault("prescribed motion: its acceleration dropped", _TREE, "_append_transformation",
          "acceleration, = time_derivative([speed], ())", "acceleration = ZERO"),
    Fault("tensor of a body about its centre in place of the pole", _TREE, "_add_body_mass",
          "add_tensors(I, point_tensor(inertia.mass, c))", "I"),
    Fault("augmented body: the masses of the adjacent links not in its first moment", _AUGMENTED, "add_child",
          "times(m, child.offset)", "times(child.mass, child.offset)"),
    Fault("augmented body (5): own (not augmented) tensor", _AUGMENTED, "add_child", "point_tensor(m, child.offset)",
          "point_tensor(child.mass, child.offset)"),
    Fault("extended body: first moment without the sliding", _AUGMENTED, "add_sliding_child",
          "plus(body.s, times(q, times(m, n)))", "body.s"),
    Fault("extended body: tensor without q²", _AUGMENTED, "add_sliding_child",
          "scale_tensor(q * q, scale_tensor(m, square))",
          "scale_tensor(q, scale_tensor(m, square))"),
    Fault("extended body: sign of the dyads", _AUGMENTED, "add_sliding_child",
          "scale_tensor(-ONE, add_tensors(dyad(R, n), dyad(n, R)))",
          "add_tensors(dyad(R, n), dyad(n, R))"),
    Fault("outward sweep: ε without the turning of n (q' ω×n)", _SPATIAL, "propagate_motion",
          "times(link.rate, cross(turned, link.axis))", "NULL"),
    Fault("outward sweep: sign of q' ω×n", _SPATIAL, "propagate_motion", "cross(turned, link.axis)",
          "cross(link.axis, turned)"),
    Fault("outward sweep: centrifugal acceleration ω×(ω×R) reversed", _SPATIAL, "Motion.U", "product(turning, turning)",
          "scale_tensor(-ONE, product(turning, turning))"),
    Fault("sliding: Coriolis acceleration without its factor 2", _SPATIAL, "propagate_motion", "TWO * link.rate",
          "link.rate"),
    Fault("inward sweep: gyroscopic moment ω×Jω reversed", _SPATIAL, "compute_inertial_wrench",
          "cross(motion.omega, apply(body.J, motion.omega))", "cross(apply(body.J, motion.omega), motion.omega)"),
    Fault("inward sweep: m̄ × a_O taken with a minus", _SPATIAL, "compute_inertial_wrench", "cross(body.s, motion.a)",
          "cross(motion.a, body.s)"),
    Fault("inward sweep: m u of a sliding link not passed on", _SPATIAL, "transmit_wrench",
          "plus(apply(child.rotation, P), times(m, u))", "apply(child.rotation, P)"),
    Fault("inward sweep: moment R×P of the carried links dropped", _SPATIAL, "transmit_wrench",
          "plus(apply(child.rotation, N), cross(child.R, minus(p, force)))", "apply(child.rotation, N)"),
    Fault("inward sweep: frames turned the other way", _SPATIAL, "transmit_wrench", "apply(child.rotation, P)",
          "back(child.rotation, P)"),
    Fault("sliding drive: mass of the link alone, without what it carries", _SPATIAL, "driven",
          "times(body.m, motion.a)", "times(link.mass, motion.a)"),
    Fault("gravity: static moment of the augmented body in place of the subtree's", _SPATIAL, "Spatial.gravity_forces",
          "self.static_moments[k]", "self.bodies[k].s"),
    Fault("gravity: sign for sliding links", _SPATIAL, "Spatial.gravity_forces", "self.bodies[k].m",
          "-self.bodies[k].m"),
    Fault("(17): no factor 2", _SPATIAL, "Spatial.subtree_tensors", "TWO * dot(child.R, m)", "dot(child.R, m)"),
    Fault("(17): one dyad of the two", _SPATIAL, "Spatial.subtree_tensors",
          "add_tensors(dyad(child.R, m), dyad(m, child.R))",
          "scale_tensor(TWO, dyad(child.R, m))"),
    Fault("(18): sign of R×p", _SPATIAL, "Spatial.mass_column", "plus(L, cross(link.R, p))",
          "minus(L, cross(link.R, p))"),
    Fault("mass matrix: m̄×n of a sliding link reversed", _SPATIAL, "Spatial.mass_column",
          "(times(self.bodies[k].m, n), cross(m, n))", "(times(self.bodies[k].m, n), cross(n, m))"),
    Fault("loads: moments of the forces on carried links dropped", _SPATIAL, "Spatial.project_loads",
          "plus(apply(child.rotation, N[j]), cross(child.R, force))", "apply(child.rotation, N[j])"),
    Fault("loads: couple not turned from the axes of a welded body", _LOADS, "Loads.external",
          "apply(mount.orientation, force.moment)", "force.moment"),
    Fault("loads: force that follows a welded body taken in link axes", _LOADS, "Loads.external",
          "apply(self.places[mount.link].A, apply(mount.orientation, push))", "apply(self.places[mount.link].A, push)"),
    Fault("loads: arm on the wrong side", _SPATIAL, "Spatial.loads", "cross(load.arm, force)",
          "cross(force, load.arm)"),
    Fault("prismatic joint: direction in link axes taken for base axes", _TREE, "Link.direction",
          "apply(self.setting, self.axis)", "self.axis"),
    Fault("welded body: tensor not turned into link axes", _TREE, "_add_body_mass",
          "product(product(mount.orientation, inertia.matrix()), transpose(mount.orientation))", "inertia.matrix()"),
    Fault("welded body without mass: its tensor dropped", _TREE, "tree", "not body.inertia.is_zero",
          "body.inertia.mass"),
    Fault("effort along a coordinate in the place of its drive", _LOADS, "Loads.efforts",
          "total[force.coordinate] += force.expression()", "total[force.coordinate] = force.expression()"),
    Fault("bipolar force pulls for pushing", _LOADS, "Loads._bipolar",
          "(Load(a, arm_a, times(-ONE, push)), Load(b, arm_b, push))",
          "(Load(a, arm_a, push), Load(b, arm_b, times(-ONE, push)))"),
    Fault("bipolar force: velocity of the point without ω×r", _LOADS, "Loads._end",
          "plus(place.v, cross(place.omega, apply(place.A, arm)))", "place.v"),
    Fault("h: accelerations of prescribed motions dropped", _SPACE, "SpatialEquations.h",
          "ZERO if link.coordinate else link.acceleration", "ZERO"),
    Fault("inverse dynamics: sign of the efforts", _SPACE, "SpatialEquations.inverse_dynamics", "drive - effort",
          "drive + effort"),
)  # fmt: skip

_LINKAGE = _TELEGIN + "linkage"
_RUD = _TELEGIN + "forms.rud"
_ABSOLUTE = _TELEGIN + "forms.absolute"
_EQUATIONS = _TELEGIN + "forms.equations"
_RELATIVE = _TELEGIN + "forms.relative"
_MATRIX = _TELEGIN + "forms.equations"

#: What the print of the planar forms could also mean, or does say where it errs.
READINGS: tuple[Fault, ...] = (
    Fault("(1): +Σ B_jj for -Σ B_jj", _ABSOLUTE, "link_coefficients",
          "cross(p.s[i], R) - scalars((B[j, j] for j in children))",
          "cross(p.s[i], R) + scalars((B[j, j] for j in children))", "absolute"),
    Fault("(1): +B ω² in the first sum", _ABSOLUTE, "left_side.carrier",
          "A[k, t.next_link(i, k)] * epsilon[i] - B[k, t.next_link(i, k)] * p.square[i]",
          "A[k, t.next_link(i, k)] * epsilon[i] + B[k, t.next_link(i, k)] * p.square[i]", "absolute"),
    Fault("(3): B_km with the other sense of j", _ABSOLUTE, "sums", "dot(quarter(p.static_moments[k]), p.R[m])",
          "-dot(quarter(p.static_moments[k]), p.R[m])", "absolute"),
    Fault("(9): b_ik with + second sum", _ABSOLUTE, "sum_coefficients",
          "scalars(adjacent(p.Js, i)) - scalars((p.Js[i, j] for j in t.path(k, i)))",
          "scalars(adjacent(p.Js, i)) + scalars((p.Js[i, j] for j in t.path(k, i)))", "absolute-sums"),
    Fault("(8): a_ki from J^c", _ABSOLUTE, "sum_coefficients", "p.Js[j, t.next_link(i, k)]",
          "p.Jc[j, t.next_link(i, k)]", "absolute-sums"),
    Fault("(12): b_k,i-1 = b_ki + J^s_ki", _ABSOLUTE, "carried_sums", "b[k, i] - p.Js[k, i]", "b[k, i] + p.Js[k, i]",
          "absolute-recurrent"),
    Fault("(11): b_kk = -Σ a_ik", _ABSOLUTE, "carried_sums", "(a[i, k] for i in t.children[k])",
          "(-a[i, k] for i in t.children[k])", "absolute-recurrent"),
    Fault("(11): own J_k alone", _ABSOLUTE, "carried_sums",
          "p.bodies[k].J + scalars((A[i, k] for i in t.children[k]))", "p.bodies[k].J", "absolute-recurrent"),
    Fault("(13): q'(q' + ω) without 2", _LINKAGE, "Linkage.u", "TWO * m.omega[base[k]]", "m.omega[base[k]]",
          "relative"),
    Fault("(13): +h_ik in the carried sum", _EQUATIONS, "relative_drive", "H[i, k] * a[i] - h[i, k] * p.u[i]",
          "H[i, k] * a[i] + h[i, k] * p.u[i]", "relative"),
    Fault("(14): only R_ij, no R_kj", _RELATIVE, "coefficients", "Rx[k, j] + Rx[i, j]", "Rx[i, j]", "relative"),
    Fault("(15): R^y_ij - R^y_kj", _RELATIVE, "coefficients", "cross(p.vector_between(i, k), p.static_moments[k])",
          "-cross(p.vector_between(i, k), p.static_moments[k])", "relative"),
    Fault("(16): h_ki with the other sign", _RELATIVE, "sum_coefficients",
          "scalars((p.Js[j, m] for j in t.sub[k] for m in t.path(i, k)))",
          "-scalars((p.Js[j, m] for j in t.sub[k] for m in t.path(i, k)))", "relative-sums"),
    Fault("(16): no factor 2", _RELATIVE, "sum_coefficients", "2 * scalars((p.Jc[j, m] for m in t.path(k, j)))",
          "scalars((p.Jc[j, m] for m in t.path(k, j)))", "relative-sums"),
    Fault("(17): H_kk without the factor 2 of A_jk", _RELATIVE, "recurrent_coefficients", "H[j, j] + 2 * A[j, k]",
          "H[j, j] + A[j, k]", "relative-recurrent"),
    Fault("(18): h_k,i-1 = h_ki - a_k,i-1", _RELATIVE, "recurrent_coefficients", "h[k, i] + a[k, b]",
          "h[k, i] - a[k, b]", "relative-recurrent"),
    Fault("(24): signs of J^s swapped", _RUD, "left_side", "p.Jc[i, j] * epsilon[i] - p.Js[i, j] * p.square[i]",
          "p.Jc[i, j] * epsilon[i] + p.Js[i, j] * p.square[i]", "rud"),
    Fault("(24): MΣ for MΔ, one symbol in the print", _RUD, "left_side", "p.M_difference", "p.M_sum", "rud"),
    Fault("(24): right-hand side M_k + Σ M_i", _LINKAGE, "Linkage.inward",
          "values[k] + scalars((found[j] for j in self.topology.children[k]))",
          "values[k] - scalars((found[j] for j in self.topology.children[k]))", "rud"),
    Fault("(25): force of the adjacent link alone", _LINKAGE, "Linkage.M_difference", "cross(self.R[j], carried[j])",
          "cross(self.R[j], self.force[j])", "rud"),
    Fault("(22): sin(e, i) with the opposite sign", _MATRIX, "centrifugal.entry",
          "if k != i and i in t.chain[k]:\n    return p.Js[k, t.next_link(i, k)]\nreturn -p.Js[i, "
          "t.next_link(k, i)] if k != "
          "i and k in t.chain[i] else ZERO",
          "if k != i and i in t.chain[k]:\n    return -p.Js[k, t.next_link(i, k)]\nreturn p.Js[i, "
          "t.next_link(k, i)] if k != "
          "i and k in t.chain[i] else ZERO", "matrix"),
    Fault("(23): S = +1 at the base", _MATRIX, "distribution", "MINUS_ONE if t.base[i] == k else ZERO",
          "ONE if t.base[i] == k else ZERO", "matrix"),
    Fault("(21): J of the root for every link", _MATRIX, "inertia.entry", "return p.bodies[k].J",
          "return p.bodies[1].J", "matrix"),
    Fault("(2): moments of forces taken about the wrong pole", _LINKAGE, "Linkage.M_sum", "self.vector_between(k, i)",
          "self.R[i]", "matrix"),
)  # fmt: skip

#: Forces in joints.
_IN_JOINTS: tuple[Fault, ...] = (
    Fault("joint forces: loads on what the joint carries not subtracted", "mbconcord.formalisms.telegin.stages",
          "SpatialEquations.joint_forces", "minus(inertial, self.sweep.F[k])", "plus(inertial, self.sweep.F[k])"),
    Fault("joint moments: about the pole and not about the body's origin", "mbconcord.formalisms.telegin.stages",
          "SpatialEquations.joint_forces", "minus(self.sweep.N[k], cross(mount.position, force))", "self.sweep.N[k]"),
)  # fmt: skip

FAULTS = (*_IN_SPACE, *_IN_JOINTS, *READINGS)
