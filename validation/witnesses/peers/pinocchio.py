"""Pinocchio as a witness of URDF: recursive algorithms in C++, spatial velocities in body axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from mbconcord.model.limits import count
from mbconcord.model.system import System

from .peer import Array, JointChart, PeerByStates, PeerError, PeerJoint, free, in_model, joints, plane, stack_states


class Pinocchio(PeerByStates):
    """A model of Pinocchio, with the root welded to the world, and mimic joints as independent coordinates."""

    name = "pinocchio"

    def __init__(self, text: str) -> None:
        super().__init__()
        self.version: str = pin.__version__
        try:
            self.model: Any = pin.buildModelFromXML(text)
        except (ValueError, RuntimeError) as problem:
            raise PeerError(f"refuses the file: {problem}") from None
        self.data: Any = self.model.createData()
        self.joints: list[tuple[PeerJoint, Any]] = []
        self.n = 0

    def fit(self, system: System) -> None:
        """See :meth:`Peer.fit`."""
        self.n = len(system.coordinates)
        known = set(self.model.names)
        for joint in joints(system):
            if joint.name not in known:
                raise PeerError(f"has no joint {joint.name!r}")
            theirs = self.model.joints[self.model.getJointId(joint.name)]
            if theirs.nv != len(joint.at):
                found = f"has {count(theirs.nv, 'degree')} of freedom in {joint.name!r}"
                raise PeerError(f"{found}, the model {len(joint.at)}")
            self.joints.append((joint, theirs))
        if self.model.nv != self.n:
            raise PeerError(f"has {count(self.model.nv, 'degree')} of freedom, the model {self.n}")
        body = pin.FrameType.BODY
        names = {frame.name for frame in self.model.frames if frame.type == body}
        self.links = {b.name: self.model.getFrameId(b.name, body) for b in system.bodies if b.name in names}

    def at(self, q: Array, v: Array, a: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """See :meth:`Peer.at`."""
        model, data = self.model, self.data
        there, G, rest = self._chart(q, v)
        u = G @ v
        M = np.triu(pin.crba(model, data, there))
        M = M + np.triu(M, 1).T
        weight = pin.computeGeneralizedGravity(model, data, there).copy()
        falling = model.gravity.linear.copy()
        model.gravity.linear = np.zeros(3)  # not subtracted afterwards: that would cost the digits of what is small
        h = pin.nonLinearEffects(model, data, there, u).copy()
        model.gravity.linear = falling
        damped = -model.damping * u
        found = in_model(G, rest, M, h, -weight, damped)
        residual = pin.rnea(model, data, there, u, G @ a + rest)
        found["inverse_dynamics"] = G.T @ (residual - damped)
        with np.errstate(all="ignore"):
            try:
                found["acceleration"] = np.linalg.solve(G, pin.aba(model, data, there, u, damped) - rest)
            except np.linalg.LinAlgError:
                found["acceleration"] = np.full(self.n, np.nan)
        pin.framesForwardKinematics(model, data, there)
        placed = {name: np.array(data.oMf[i].homogeneous[:3]) for name, i in self.links.items()}
        return found, placed

    def derivatives(self, q: Array, v: Array, a: Array) -> dict[str, Array]:
        """See :meth:`Peer.derivatives`; only for joints of one coordinate, where Pinocchio's velocities are rates."""
        several = [joint.name for joint, _ in self.joints if len(joint.at) > 1]
        if several:
            raise PeerError(f"has derivatives by velocities of the joint {several[0]!r}, which are not rates")
        return stack_states([self._slopes(*state) for state in zip(q, v, a, strict=True)])

    def _slopes(self, q: Array, v: Array, a: Array) -> dict[str, Array]:
        model, data = self.model, self.data
        there, G, _ = self._chart(q, v)
        damped = np.diag(model.damping)
        by_q, by_v, _ = (np.array(x) for x in pin.computeRNEADerivatives(model, data, there, G @ v, G @ a))
        a_q, a_v, inverse = (np.array(x) for x in pin.computeABADerivatives(model, data, there, G @ v, -damped @ G @ v))
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        found = {
            "C": np.array(pin.computeCoriolisMatrix(model, data, there, G @ v)),
            "dtau_dq": by_q, "dtau_dv": by_v + damped,
            "da_dq": a_q, "da_dv": a_v - inverse @ damped, "da_dtau": inverse,
        }  # fmt: skip
        return {name: G.T @ matrix @ G for name, matrix in found.items()}

    def _chart(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return Pinocchio's configuration at our q; G (n, n), where its velocities are G q'; and Ġ q'."""
        there, G, rest = pin.neutral(self.model), np.zeros((self.n, self.n)), np.zeros(self.n)
        for joint, theirs in self.joints:
            at, own = list(joint.at), slice(theirs.idx_v, theirs.idx_v + theirs.nv)
            place = slice(theirs.idx_q, theirs.idx_q + theirs.nq)
            if len(at) == 1:
                G[own, at] = 1.0
                there[place] = q[at] if theirs.nq == 1 else [np.cos(q[at[0]]), np.sin(q[at[0]])]
                continue
            block: JointChart = plane(q[at], v[at]) if len(at) == 3 else free(q[at], v[at], moving=True)
            G[own, at], rest[own] = block.G, block.rest
            if len(at) == 3:
                there[place] = [*q[at[:2]], np.cos(q[at[2]]), np.sin(q[at[2]])]
            else:
                there[place] = [*block.shift, *pin.Quaternion(block.rotation).coeffs()]
        return there, G, rest
