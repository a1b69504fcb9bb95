"""Seeded faults of :mod:`mbconcord.formalisms.telegin`.

Those of the spatial form, which every tree is derived by; and other readings of the damaged print of the planar
forms, each tried in its form on a planar linkage.
"""

from __future__ import annotations

from ..injection import Fault

_TELEGIN = "mbconcord.formalisms.telegin."
_TREE = _TELEGIN + "tree"
_VECTORS = _TELEGIN + "vectors"
_AUGMENTED = _TELEGIN + "augmented"
_LOADS = _TELEGIN + "loads"
_SPATIAL = _TELEGIN + "spatial"
_SPACE = _TELEGIN + "space"

_IN_SPACE: tuple[Fault, ...] = (
    Fault("rotation turned the other way", _VECTORS, "scaled(sine, skew(n))", "scaled(-sine, skew(n))"),
    Fault(
        "constant rotation in reverse order",
        _TREE,
        "product(mount.orientation, constant)",
        "product(constant, mount.orientation)",
    ),
    Fault(
        "prismatic joint: pole left at its initial position",
        _TREE,
        "self.offset if self.turns else plus(self.offset, times(self.q, self.direction))",
        "self.offset",
    ),
    Fault(
        "prescribed motion: its acceleration dropped",
        _TREE,
        "(acceleration,) = time_derivative([speed], ())",
        "acceleration = ZERO",
    ),
    Fault(
        "tensor of a body about its centre in place of the pole",
        _TREE,
        "added(I, point_tensor(inertia.mass, c))",
        "I",
    ),
    Fault(
        "augmented body: the masses of the adjacent links not in its first moment",
        _AUGMENTED,
        "plus(body.s, times(m, child.offset))",
        "plus(body.s, times(child.mass, child.offset))",
    ),
    Fault(
        "augmented body (5): own (not augmented) tensor",
        _AUGMENTED,
        "added(body.J, point_tensor(m, child.offset))",
        "added(body.J, point_tensor(child.mass, child.offset))",
    ),
    Fault(
        "extended body: first moment without the sliding",
        _AUGMENTED,
        "plus(body.s, times(q, times(m, n)))",
        "body.s",
    ),
    Fault(
        "extended body: tensor without q²",
        _AUGMENTED,
        "scaled(q * q, scaled(m, square))",
        "scaled(q, scaled(m, square))",
    ),
    Fault(
        "extended body: sign of the dyads",
        _AUGMENTED,
        "scaled(-ONE, added(dyad(R, n), dyad(n, R)))",
        "added(dyad(R, n), dyad(n, R))",
    ),
    Fault(
        "outward sweep: ε without the turning of n (q' ω×n)",
        _SPATIAL,
        "times(link.rate, cross(turned, link.axis))",
        "NULL",
    ),
    Fault(
        "outward sweep: sign of q' ω×n",
        _SPATIAL,
        "times(link.rate, cross(turned, link.axis))",
        "times(link.rate, cross(link.axis, turned))",
    ),
    Fault(
        "outward sweep: centrifugal acceleration ω×(ω×R) reversed",
        _SPATIAL,
        "added(skew(self.epsilon), product(turning, turning))",
        "added(skew(self.epsilon), scaled(-ONE, product(turning, turning)))",
    ),
    Fault(
        "sliding: Coriolis acceleration without its factor 2",
        _SPATIAL,
        "times(TWO * link.rate,",
        "times(link.rate,",
    ),
    Fault(
        "inward sweep: gyroscopic moment ω×Jω reversed",
        _SPATIAL,
        "cross(motion.omega, apply(body.J, motion.omega))",
        "cross(apply(body.J, motion.omega), motion.omega)",
    ),
    Fault(
        "inward sweep: m̄ × a_O taken with a minus",
        _SPATIAL,
        "turning = plus(cross(body.s, motion.a)",
        "turning = plus(cross(motion.a, body.s)",
    ),
    Fault(
        "inward sweep: m u of a sliding link not passed on",
        _SPATIAL,
        "p = plus(apply(child.rotation, P), times(m, u))",
        "p = apply(child.rotation, P)",
    ),
    Fault(
        "inward sweep: moment R×P of the carried links dropped",
        _SPATIAL,
        "plus(apply(child.rotation, N), cross(child.R, minus(p, force)))",
        "apply(child.rotation, N)",
    ),
    Fault(
        "inward sweep: frames turned the other way",
        _SPATIAL,
        "p = plus(apply(child.rotation, P)",
        "p = plus(back(child.rotation, P)",
    ),
    Fault(
        "sliding drive: mass of the link alone, without what it carries",
        _SPATIAL,
        "minus(plus(times(body.m, motion.a), P), F)",
        "minus(plus(times(link.mass, motion.a), P), F)",
    ),
    Fault(
        "gravity: static moment of the augmented body in place of the subtree's",
        _SPATIAL,
        "cross(self.static_moments[k], self.g[k])",
        "cross(self.bodies[k].s, self.g[k])",
    ),
    Fault(
        "gravity: sign for sliding links",
        _SPATIAL,
        "else self.bodies[k].m * dot(",
        "else -self.bodies[k].m * dot(",
    ),
    Fault("(17): no factor 2", _SPATIAL, "scaled(TWO * dot(child.R, m), E)", "scaled(dot(child.R, m), E)"),
    Fault(
        "(17): one dyad of the two",
        _SPATIAL,
        "mixed = added(dyad(child.R, m), dyad(m, child.R))",
        "mixed = scaled(TWO, dyad(child.R, m))",
    ),
    Fault("(18): sign of R×p", _SPATIAL, "L = plus(L, cross(link.R, p))", "L = minus(L, cross(link.R, p))"),
    Fault(
        "mass matrix: m̄×n of a sliding link reversed",
        _SPATIAL,
        "p, L = times(self.bodies[k].m, n), cross(m, n)",
        "p, L = times(self.bodies[k].m, n), cross(n, m)",
    ),
    Fault(
        "loads: moments of the forces on carried links dropped",
        _SPATIAL,
        "plus(apply(child.rotation, N[j]), cross(child.R, force))",
        "apply(child.rotation, N[j])",
    ),
    Fault(
        "loads: couple not turned from the axes of a welded body",
        _LOADS,
        "apply(mount.orientation, force.moment)",
        "force.moment",
    ),
    Fault("loads: arm on the wrong side", _SPATIAL, "cross(load.arm, force)", "cross(force, load.arm)"),
    Fault(
        "prismatic joint: direction in link axes taken for base axes",
        _TREE,
        "return apply(self.setting, self.axis)",
        "return self.axis",
    ),
    Fault(
        "welded body: tensor not turned into link axes",
        _TREE,
        "product(product(mount.orientation, inertia.matrix()), transposed(mount.orientation))",
        "inertia.matrix()",
    ),
    Fault(
        "welded body without mass: its tensor dropped",
        _TREE,
        "not body.inertia.is_zero",
        "body.inertia.mass",
    ),
    Fault(
        "effort along a coordinate in the place of its drive",
        _LOADS,
        "total[force.coordinate] += force.expression()",
        "total[force.coordinate] = force.expression()",
    ),
    Fault(
        "bipolar force pulls for pushing",
        _LOADS,
        "Load(a, arm_a, times(-ONE, push)), Load(b, arm_b, push)",
        "Load(a, arm_a, push), Load(b, arm_b, times(-ONE, push))",
    ),
    Fault(
        "bipolar force: velocity of the point without ω×r",
        _LOADS,
        "plus(place.v, cross(place.omega, apply(place.A, arm)))",
        "place.v",
    ),
    Fault(
        "h: accelerations of prescribed motions dropped",
        _SPACE,
        "ZERO if link.coordinate else link.acceleration",
        "ZERO",
    ),
    Fault(
        "inverse dynamics: sign of the efforts",
        _SPACE,
        "drive - effort for drive",
        "drive + effort for drive",
    ),
)

_LINKAGE = _TELEGIN + "linkage"
_RUD = _TELEGIN + "forms.rud"
_ABSOLUTE = _TELEGIN + "forms.absolute"
_SUMS = _TELEGIN + "forms.absolute_sums"
_RECURRENT = _TELEGIN + "forms.absolute_recurrent"
_EQUATIONS = _TELEGIN + "forms.equations"
_RELATIVE = _TELEGIN + "forms.relative"
_RELATIVE_SUMS = _TELEGIN + "forms.relative_sums"
_RELATIVE_RECURRENT = _TELEGIN + "forms.relative_recurrent"
_MATRIX = _TELEGIN + "forms.matrix"

#: What the print of the planar forms could also mean, or does say where it errs.
READINGS: tuple[Fault, ...] = (
    Fault(
        "(1): +Σ B_jj for -Σ B_jj",
        _ABSOLUTE,
        "cross(p.s[i], R) - scalars(B",
        "cross(p.s[i], R) + scalars(B",
        "absolute",
    ),
    Fault(
        "(1): +B ω² in the first sum",
        _ABSOLUTE,
        "A[k, t.after(i, k)] * epsilon[i] - B[k",
        "A[k, t.after(i, k)] * epsilon[i] + B[k",
        "absolute",
    ),
    Fault(
        "(3): B_km with the other sense of j", _ABSOLUTE, "dot(quarter(p.s", "-dot(quarter(p.s", "absolute"
    ),
    Fault(
        "(9): b_ik with + second sum",
        _SUMS,
        "scalars(adjacent(p.Js, i)) - scalars",
        "scalars(adjacent(p.Js, i)) + scalars",
        "absolute-sums",
    ),
    Fault(
        "(8): a_ki from J^c",
        _SUMS,
        "scalars(p.Js[j, t.after(i, k)]",
        "scalars(p.Jc[j, t.after(i, k)]",
        "absolute-sums",
    ),
    Fault(
        "(12): b_k,i-1 = b_ki + J^s_ki",
        _RECURRENT,
        "b[k, i] - p.Js[k, i]",
        "b[k, i] + p.Js[k, i]",
        "absolute-recurrent",
    ),
    Fault(
        "(11): b_kk = -Σ a_ik",
        _RECURRENT,
        "b[k, k] = scalars(a[i, k]",
        "b[k, k] = scalars(-a[i, k]",
        "absolute-recurrent",
    ),
    Fault(
        "(11): own J_k alone",
        _RECURRENT,
        "p.bodies[k].J + scalars(A[i, k] for i in t.children[k])",
        "p.bodies[k].J",
        "absolute-recurrent",
    ),
    Fault(
        "(13): q'(q' + ω) without 2", _LINKAGE, "m.rate[k] + TWO * m.omega", "m.rate[k] + m.omega", "relative"
    ),
    Fault(
        "(13): +h_ik in the carried sum",
        _EQUATIONS,
        "H[i, k] * a[i] - h[i, k]",
        "H[i, k] * a[i] + h[i, k]",
        "relative",
    ),
    Fault("(14): only R_ij, no R_kj", _RELATIVE, "(Rx[k, j] + Rx[i, j])", "Rx[i, j]", "relative"),
    Fault("(15): R^y_ij - R^y_kj", _RELATIVE, "h[k, i] = cross(", "h[k, i] = -cross(", "relative"),
    Fault(
        "(16): h_ki with the other sign",
        _RELATIVE_SUMS,
        "h[k, i] = scalars(",
        "h[k, i] = -scalars(",
        "relative-sums",
    ),
    Fault("(16): no factor 2", _RELATIVE_SUMS, "2 * scalars", "scalars", "relative-sums"),
    Fault(
        "(17): H_kk without the factor 2 of A_jk",
        _RELATIVE_RECURRENT,
        "2 * A[j, k]",
        "A[j, k]",
        "relative-recurrent",
    ),
    Fault(
        "(18): h_k,i-1 = h_ki - a_k,i-1",
        _RELATIVE_RECURRENT,
        "h[k, i] + a[k, b]",
        "h[k, i] - a[k, b]",
        "relative-recurrent",
    ),
    Fault("(24): signs of J^s swapped", _RUD, "epsilon[i] - p.Js[i, j]", "epsilon[i] + p.Js[i, j]", "rud"),
    Fault("(24): MΣ for MΔ, one symbol in the print", _RUD, "p.M_difference[k]", "p.M_sum[k]", "rud"),
    Fault(
        "(24): right-hand side M_k + Σ M_i",
        _LINKAGE,
        "found[k] = values[k] + scalars(found[j]",
        "found[k] = values[k] - scalars(found[j]",
        "rud",
    ),
    Fault(
        "(25): force of the adjacent link alone",
        _LINKAGE,
        "cross(self.R[j], carried[j])",
        "cross(self.R[j], self.force[j])",
        "rud",
    ),
    Fault(
        "(22): sin(e, i) with the opposite sign",
        _MATRIX,
        "return p.Js[k, t.after(i, k)]\n        return -p.Js",
        "return -p.Js[k, t.after(i, k)]\n        return p.Js",
        "matrix",
    ),
    Fault(
        "(23): S = +1 at the base", _MATRIX, "MINUS_ONE if t.base[i] == k", "ONE if t.base[i] == k", "matrix"
    ),
    Fault(
        "(21): J of the root for every link",
        _MATRIX,
        "return p.bodies[k].J",
        "return p.bodies[1].J",
        "matrix",
    ),
    Fault(
        "(2): moments of forces taken about the wrong pole",
        _LINKAGE,
        "cross(self.between(k, i), self.force[i])",
        "cross(self.R[i], self.force[i])",
        "matrix",
    ),
)

#: Forces in joints.
_IN_JOINTS: tuple[Fault, ...] = (
    Fault(
        "joint forces: loads on what the joint carries not subtracted",
        "mbconcord.formalisms.telegin.space",
        "minus(inertial, self.sweep.F[k])",
        "plus(inertial, self.sweep.F[k])",
    ),
    Fault(
        "joint moments: about the pole and not about the body's origin",
        "mbconcord.formalisms.telegin.space",
        "minus(self.sweep.N[k], cross(mount.position, force))",
        "self.sweep.N[k]",
    ),
)

FAULTS = (*_IN_SPACE, *_IN_JOINTS, *READINGS)
