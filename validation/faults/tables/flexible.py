"""Faults of the generalised Newton–Euler recursion: joints and nodes, links, passes, the mixed problem, loads."""

from __future__ import annotations

from ..injection import Fault

_PACKAGE = "mbconcord.formalisms.flexible"
_TREE = f"{_PACKAGE}.tree"
_KINEMATICS = f"{_PACKAGE}.kinematics"
_LINKS = f"{_PACKAGE}.links"
_PASSES = f"{_PACKAGE}.passes"
_RECURSION = f"{_PACKAGE}.recursion"
_LOADS = f"{_PACKAGE}.loads"
_NODES = f"{_PACKAGE}.nodes"
_EQUATIONS = f"{_PACKAGE}.equations"

FAULTS: tuple[Fault, ...] = (
    # Joints.
    Fault("turn of a joint the other way", _KINEMATICS, "scaled(skew(e), sine, 2)", "scaled(skew(e), -sine, 2)"),
    Fault("1 - cos left out of a turn about a general axis", _KINEMATICS,
          "scaled(outer(e, e), 1 - cosine, 2)", "scaled(outer(e, e), 1 + 0 * cosine, 2)"),
    Fault("arm of T transposed", _KINEMATICS, "-(back @ skew(arm))", "back @ skew(arm)"),
    Fault("slide along the axis of the parent", _KINEMATICS,
          "times(self._fixed, slide)", "times(self._section.turn, slide)"),
    Fault("rate of a joint left out of the velocity", _KINEMATICS,
          "own = scaled(self.joints.screw, self.rate)", "own = scaled(self.joints.screw, 0 * self.rate)"),
    Fault("2 ω × q' of a slide without its factor 2", _KINEMATICS,
          "2 * _chosen(sweep, slides, 1)", "_chosen(sweep, slides, 1)"),
    Fault("ω × e q' of a turn dropped", _KINEMATICS,
          "angular = eta + _chosen(sweep, slides, 0)", "angular = eta + 0 * sweep"),
    Fault("centripetal acceleration of the arm dropped", _KINEMATICS,
          "+ cross(whole, cross(whole, D))", "+ 0 * D"),
    Fault("rotation before a joint transposed", _TREE,
          "for c in range(3)) for row in self.turn", "for c in range(3)) for row in zip(*self.turn, strict=True)"),
    # Links.
    Fault("I = Q instead of tr(Q) E - Q", _LINKS, "about = _tensor(Q)", "about = Q"),
    Fault("ω × (ω × s) with the wrong sign", _LINKS,
          "pull = cross(spin, cross(spin, s))", "pull = cross(cross(spin, s), spin)"),
    Fault("first moment with the wrong sign in J_rr", _LINKS, "-static, static,", "static, -static,"),
    Fault("P of the tensor without its half", _TREE, "half = (xx + yy + zz) * HALF", "half = xx + yy + zz"),
    Fault("parallel axes: m c cᵀ dropped", _TREE, "mass * (c[i] * c[k])", "ZERO * (c[i] * c[k])"),
    # Nodes of elastic links.
    Fault("section turned the other way", _NODES, "scaled(hat, series(x, 1), 2)", "scaled(-hat, series(x, 1), 2)"),
    Fault("W = Ψ without the Jacobian of Exp", _NODES, "turns = jacobian @ rotations",
          "turns = rotations + 0 * jacobian @ rotations"),
    Fault("deflection left out of the place of a node", _NODES,
          "position + times(moves, products.fields(q))", "position + 0 * times(moves, products.fields(q))"),
    Fault("Ẇ q' dropped", _KINEMATICS, "cross(spin, x.turning) + x.bending", "cross(spin, x.turning) + 0 * x.bending"),
    Fault("ω × ω_e of a section dropped", _KINEMATICS,
          "eta = cross(spin, x.turning)", "eta = 0 * cross(spin, x.turning)"),
    Fault("2 ω × u' of a node without its factor 2", _KINEMATICS,
          "2 * cross(spin, x.shifting)", "cross(spin, x.shifting)"),
    Fault("acceleration of a section's turn over the arm dropped", _KINEMATICS, "+ cross(eta, D)", "+ 0 * D"),
    Fault("diag(R, R) in the place of Y", _KINEMATICS,
          "return self._carrying(self.arm) @", "return self._carrying(0 * self.arm) @"),
    Fault("turns of the section left out of Φ", _KINEMATICS,
          "joined([x.moves, x.turns], -2)", "joined([x.moves, 0 * x.turns], -2)"),
    # Elastic links.
    Fault("2 ω × A q' in C_r without its factor 2", _LINKS,
          "pull + 2 * cross(spin, times(A, v))", "pull + cross(spin, times(A, v))"),
    Fault("E transposed in C_r", _LINKS, "2 * times(_tensor(E), spin)", "2 * times(_tensor(transposed(E)), spin)"),
    Fault("gyroscopic D q' of turning sections dropped", _LINKS,
          "cross(spin, times(shapes.coupling, rates))", "0 * cross(spin, times(shapes.coupling, rates))"),
    Fault("ω² tr W in C_e dropped", _LINKS,
          "e = -dot(turn, times(_tensor(own),", "e = dot(turn, times(own,"),
    Fault("Coriolis force along the modes with the wrong sign", _LINKS,
          "- 2 * dot(turn, mixed)", "+ 2 * dot(turn, mixed)"),
    Fault("B in J_re with the wrong sign", _LINKS, "arms = -transposed(axial(", "arms = transposed(axial("),
    Fault("D of the sections left out of J_re", _LINKS,
          "[shapes.coupling * 0, shapes.coupling]", "[shapes.coupling * 0, shapes.coupling * 0]"),
    Fault("R_ee of the sections left out of J_ee", _LINKS, "+ shapes.twisting", "+ 0 * shapes.twisting"),
    Fault("inertia of the undeformed link", _LINKS, "q = q * 0 if frozen else q", "q = q * 0"),
    Fault("damping of the modes dropped", _EQUATIONS, "times(x.damping, k.v)", "0 * times(x.damping, k.v)"),
    Fault("elastic forces push outwards", _EQUATIONS, "modal = [g - e for g, e", "modal = [g + e for g, e"),
    Fault("effort along a mode left out of forward dynamics", _EQUATIONS,
          "e = e - self._stacked", "e = e - 0 * self._stacked"),
    Fault("children do not push their node", _PASSES,
          "g[i] = g[i] + times(transposed(k.bends[j][..., :n]), F[j])", "g[i] = g[i] + 0 * k.bends[j][..., 0, :n]"),
    Fault("coupling J_re of carried links dropped", _PASSES,
          "re[i] = re[i] + transposed(T) @ held", "re[i] = re[i] + 0 * (transposed(T) @ held)"),
    Fault("J_re J_ee⁻¹ C_e left out of m", _RECURSION,
          "m = m - times(re[j], modes.x)", "m = m - 0 * times(re[j], modes.x)"),
    Fault("carried inertia left out of J_ee*", _RECURSION,
          "ee[i] = ee[i] + symmetrised(transposed(B) @ held)", "ee[i] = ee[i] + 0 * symmetrised(transposed(B) @ held)"),
    Fault("moment at a node does not turn the section", _LOADS,
          "times(transposed(turns), n)", "0 * times(transposed(turns), n)"),
    Fault("rate of length without the bending of the node", _LOADS, "+ x.shifting[number]", "+ 0 * x.shifting[number]"),
    Fault("products of modal rates do not accelerate the points", _LINKS,
          "return joined([0 * v, 2 * times(a, v) * times(b, v)], -1)", "return joined([0 * v, 0 * times(a, v)], -1)"),
    Fault("products of modal rates do not accelerate the nodes", _NODES,
          "drawing = times(moves, products.bias(v))", "drawing = 0 * times(moves, products.bias(v))"),
    Fault("inertia along a product of modes only half", _LINKS,
          "b * times(a, q)[..., None]", "0 * b * times(a, q)[..., None]"),
    # Passes.
    Fault("composite inertia moved by T instead of Tᵀ", _PASSES,
          "symmetrised(transposed(T) @ (rr[j] @ T))", "symmetrised(T @ (rr[j] @ transposed(T)))"),
    Fault("forces handed to the base without the child's turn", _PASSES,
          "F[i] = F[i] + k.handed(j, F[j])", "F[i] = F[i] + F[j]"),
    Fault("force on the parent without its moment about the arm", _KINEMATICS,
          "times(turn, F[..., 3:]) + cross(self.offset[j], force)", "times(turn, F[..., 3:])"),
    Fault("moment on the parent in the axes of the child", _KINEMATICS,
          "times(turn, F[..., 3:]) + cross(self.offset[j], force)", "F[..., 3:] + cross(self.offset[j], force)"),
    Fault("weight falls upwards", _EQUATIONS,
          "joined([-self.machine.g, self.machine.g * 0], -1)", "joined([self.machine.g, self.machine.g * 0], -1)"),
    Fault("acceleration of a prescribed motion dropped from h", _EQUATIONS,
          "return self._prescribed[j]", "return None"),
    # The mixed problem.
    Fault("U without its sign", _RECURSION, "reduced = K - outer(w, u)", "reduced = K + outer(w, u)"),
    Fault("h left out of p", _RECURSION, "p = times(K, k.bias[j]) + m", "p = m"),
    Fault("effort left out of what is handed over", _RECURSION,
          "scaled(w, effort - dot(a, p))", "scaled(w, -dot(a, p))"),
    Fault("imposed acceleration left out of what is handed over", _RECURSION,
          "p + scaled(u, acceleration)", "p"),
    Fault("imposed acceleration along a mode does not push the others", _RECURSION,
          "rest = rest + scaled(ee[..., m], acceleration)", "rest = rest + 0 * scaled(ee[..., m], acceleration)"),
    Fault("effort along a mode without the motion of the link", _RECURSION,
          "return dot(self.re[..., m], V) + dot", "return dot"),
    Fault("known efforts added to the one that is sought", _EQUATIONS,
          "motion.efforts[j] - efforts.get", "motion.efforts[j] + efforts.get"),
    # Loads.
    Fault("force at a point without its moment", _LOADS, "n = cross(spot.arm, f)", "n = 0 * f"),
    Fault("bipolar force pulls", _LOADS, "self._act(one, -push, None)", "self._act(one, push, None)"),
    Fault("rate of length without the turn of the link", _LOADS,
          "V[..., :3] + cross(spin, local)", "V[..., :3] + 0 * cross(spin, local)"),
    Fault("moment of a wrench about the body's axes taken in the link's", _LOADS,
          "moment = self.scalars.row(body.direction(force.moment), 3)",
          "moment = self.scalars.row(force.moment, 3)"),
    Fault("mass of a bipolar element whole on each end", _TREE, "force.mass * HALF", "force.mass"),
)  # fmt: skip
