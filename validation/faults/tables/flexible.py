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
    Fault("I = Q instead of tr(Q) E - Q", _LINKS, "trace(Q), 2) - Q", "trace(Q), 2) * 0 + Q"),
    Fault("ω × (ω × s) with the wrong sign", _LINKS,
          "pull = cross(spin, cross(spin, s))", "pull = cross(cross(spin, s), spin)"),
    Fault("first moment with the wrong sign in J_rr", _LINKS, "-static, static,", "static, -static,"),
    Fault("P of the tensor without its half", _TREE, "half = (xx + yy + zz) * HALF", "half = xx + yy + zz"),
    Fault("parallel axes: m c cᵀ dropped", _TREE, "mass * (c[i] * c[k])", "ZERO * (c[i] * c[k])"),
    # Passes.
    Fault("composite inertia moved by T instead of Tᵀ", _PASSES,
          "symmetrised(transposed(T) @ (rr[j] @ T))", "symmetrised(T @ (rr[j] @ transposed(T)))"),
    Fault("forces handed to the base without the child's turn", _PASSES,
          "F[i] = F[i] + times(transposed(k.across[j]), F[j])", "F[i] = F[i] + F[j]"),
    Fault("weight falls upwards", _EQUATIONS,
          "joined([-self.machine.g, self.machine.g * 0], -1)", "joined([self.machine.g, self.machine.g * 0], -1)"),
    Fault("acceleration of a prescribed motion dropped from h", _EQUATIONS,
          "return self._prescribed[j]", "return None"),
    # The mixed problem.
    Fault("U without its sign", _RECURSION, "reduced = K - outer(w, u)", "reduced = K + outer(w, u)"),
    Fault("h left out of p", _RECURSION, "p = times(K, k.bias[j]) + m", "p = m"),
    Fault("effort left out of what is handed over", _RECURSION,
          "scaled(w, effort - dot(a, p))", "scaled(w, -dot(a, p))"),
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
