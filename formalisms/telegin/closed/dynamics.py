"""Closed planar linkages: inverse and forward dynamics, reactions of cut joints, singular positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import State, System
from mbconcord.model.derivation import Nested, flatten, restore
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, error
from mbconcord.model.expressions import evaluate
from mbconcord.model.numbers import define, environment
from mbconcord.records import dataclass, replace

from .. import planarity
from ..forms.equations import centrifugal, distribution, inertia
from ..loads import Loads, Places
from ..planarity import form_obstacles
from ..tree import tree
from . import cuts
from .parts import Loops, Parts

Array = NDArray[np.float64]

#: Smallest singular value, relative to the largest, of equations that are not singular.
SINGULAR = 1e-9
#: Largest error of closure, relative to what its equations are made of, of a motion that is taken for closed.
CLOSED = 1e-8


@dataclass(frozen=True)
class ClosedDynamics:
    """Motion and forces of a closed linkage at a state; vectors are in the fixed axes of the plane.

    Attributes
    ----------
    accelerations : q'' by coordinate
    drives : M by coordinate, in addition to the model's efforts
    reactions : F_r of each cut on the first body of its constraint; -F_r acts on the second body
    moments : M_r by coordinate: moment of the reactions about the joint (25)
    joint_forces : by coordinate, the force on the link from its base
    diagnostics : reasons why values are NaN: a singular position
    """

    accelerations: Mapping[str, float]
    drives: Mapping[str, float]
    reactions: Mapping[str, tuple[float, float]]
    moments: Mapping[str, float]
    joint_forces: Mapping[str, tuple[float, float]]
    diagnostics: tuple[Diagnostic, ...] = ()


class ClosedLinkage:
    """A planar linkage closed by cut joints: coinciding points, or frames with one rotation about the normal.

    The equations are the vector form (20) of its tree in absolute angles, H ε + h ω² - G - MΔ = S M + Cᵀ F,
    with C ε = -C' ω. Links are in the order of the system's bodies.

    Raises
    ------
    FormalismError
        The tree is no planar linkage of revolute joints, or a constraint is no cut joint of one.
    """

    def __init__(self, system: System) -> None:
        self.system = replace(system.lump_masses(), constraints=())
        links = tree(self.system)
        found = [*form_obstacles(self.system, "matrix")]
        if not found:
            found += cuts.obstacles(system, links, planarity.plane_of(links))
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])
        loads, plane = Loads(self.system, links, Places(links)), planarity.plane_of(links)
        p, sense = planarity.linkage(self.system, links, loads, "components")
        self.loops = Loops(p, tuple(cuts.cut(c, links, plane) for c in system.constraints))
        self.names = tuple(link.coordinate or "" for link in links.links.values())
        self.sense = np.array([float(sense[name].value) for name in self.names])

        def by_link(values: Mapping[int, Nested]) -> Nested:
            return tuple(values[k] for k in p.topology.links)

        self.parts: Parts[Nested] = Parts(
            H=inertia(p),
            h=centrifugal(p),
            S=distribution(p.topology),
            C=self.loops.jacobian,
            closure=self.loops.closure,
            drift=self.loops.drift,
            ends=tuple((*cut.p, *cut.q) for cut in self.loops.cuts),
            efforts=tuple(sense[name] * loads.efforts[name] for name in self.names),
            g=p.g,
            m=tuple(body.m for body in p.bodies.values()),
            G=by_link(p.G),
            M_difference=by_link(p.M_difference),
            omega=by_link(p.motion.omega),
            square=by_link(p.square),
            epsilon=by_link(p.motion.epsilon),
            s=by_link(p.s),
            R=by_link(p.R),
            force=by_link(p.force),
        )

    @property
    def freedom(self) -> int:
        """Degrees of freedom at a position that is not singular."""
        return len(self.names) - 2 * len(self.loops.cuts)

    def numbers(self, state: State) -> Parts[Array]:
        """Evaluate the parts at a state."""
        (values,) = environment(self.system, [state])
        scalars = [x for part in self.parts.each() for x in flatten(part)]
        found = iter(evaluate(define(scalars, self.system.functions), values))
        n = self.parts.map_parts(lambda part: np.array(restore(part, found), dtype=float))
        return replace(n, C=n.C.reshape(2 * len(self.loops.cuts), len(self.names)))

    def inverse_dynamics(self, state: State, driven: Sequence[str]) -> ClosedDynamics:
        """Compute drives of the driven coordinates, and reactions, for a given motion.

        [S_driven Cᵀ] [M; F] = H ε + h ω² - G - MΔ - S E, where E are the model's own efforts.

        Raises
        ------
        NumbersError
            A driven coordinate is unknown, their number is not that of degrees of freedom, or a loop is broken.
        """
        columns = self._columns(driven)
        if len(driven) != self.freedom:
            message = f"{len(driven)} driven, but the degrees of freedom are {self.freedom}"
            raise NumbersError(error("driven", message, "drive one coordinate for each"))
        n = self.numbers(state)
        self.require_closed(n, n.epsilon)
        right = n.H @ n.epsilon + n.h @ n.square - n.G - n.M_difference - n.S @ n.efforts
        length = np.abs(n.C).max(initial=0.0) or 1.0  # so that lengths and numbers are alike
        matrix = np.hstack([n.S[:, columns], n.C.T / length])
        findings = singular(matrix, f"with {', '.join(driven)} driven")
        solution = solve_or_nan(matrix, right, findings)
        drives = solution[: len(driven)] * self.sense[columns]
        reactions = solution[len(driven) :] / length
        return self._dynamics(n, n.epsilon, dict(zip(driven, drives, strict=True)), reactions, findings)

    def forward_dynamics(self, state: State, drives: Mapping[str, float] | None = None) -> ClosedDynamics:
        """Compute accelerations and reactions under given drives in addition to the model's own efforts.

        [[H, -Cᵀ], [C, 0]] [ε; F] = [S (M + E) - h ω² + G + MΔ; -C' ω].

        Raises
        ------
        NumbersError
            A drive's coordinate is unknown, or the position or the velocity breaks a loop.
        """
        given = dict(drives or {})
        n, size = self.numbers(state), len(self.names)
        M = n.efforts.copy()
        M[self._columns(given)] += np.array([*given.values()]) * self.sense[self._columns(given)]
        self.require_closed(n, None)
        C = n.C
        right = np.concatenate([n.S @ M - n.h @ n.square + n.G + n.M_difference, -n.drift])
        matrix = np.block([[n.H, -C.T], [C, np.zeros((len(C), len(C)))]])
        findings = singular(C, "of the closure equations")
        solution = solve_or_nan(matrix, right, findings)
        return self._dynamics(n, solution[:size], given, solution[size:], findings)

    def _columns(self, names: Iterable[str]) -> list[int]:
        listed = list(names)
        unknown = [name for name in listed if name not in self.names]
        if unknown:
            known = f"known: {', '.join(self.names)}"
            raise NumbersError(
                [error(f"coordinates/{n}", "the linkage has no such coordinate", known) for n in unknown]
            )
        return [self.names.index(name) for name in listed]

    def require_closed(self, n: Parts[Array], epsilon: Array | None) -> None:
        """Refuse a motion that breaks a loop: position, velocity, and acceleration where one is given."""
        size = reach(n)
        checks = [("position", n.closure, size), ("velocity", n.C @ n.omega, size * np.abs(n.omega).sum())]
        if epsilon is not None:
            speeds = np.abs(epsilon).sum() + n.square.sum()
            checks.append(("acceleration", n.C @ epsilon + n.drift, size * speeds))
        for what, gap, size in checks:
            broken = np.abs(gap) > CLOSED * size
            if broken.any():
                worst = int(np.argmax(np.where(broken, np.abs(gap), 0.0)))
                place = f"constraints/{self.loops.cuts[worst // 2].name}"
                remedy = "give a state in which the loop is closed"
                raise NumbersError(error(place, f"the {what} breaks the loop by {abs(gap[worst]):.3g}", remedy))

    def _dynamics(
        self, n: Parts[Array], epsilon: Array, drives: Mapping[str, float], F: Array, findings: tuple[Diagnostic, ...]
    ) -> ClosedDynamics:
        cut = self.loops.cuts
        forces = self.joint_forces(n, epsilon, F)
        return ClosedDynamics(
            self._by_name(n.S.T @ epsilon * self.sense),
            {name: float(value) for name, value in drives.items()},
            {c.name: (float(F[2 * i]), float(F[2 * i + 1])) for i, c in enumerate(cut)},
            self._by_name(n.C.T @ F * self.sense),
            {name: (float(x), float(y)) for name, (x, y) in zip(self.names, forces, strict=True)},
            findings,
        )

    def _by_name(self, values: Array) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.names, values, strict=True)}

    def joint_forces(self, n: Parts[Array], epsilon: Array, F: Array) -> Array:
        """Compute the forces on the links from their bases, N×2.

        Q_k = m_k (a_O - g) + Σ (ε_i k×s_i - ω_i² s_i - F_ri) over k and what it carries, with
        a_O = Σ (ε_i k×R_p - ω_i² R_p) over its carriers i and p next after i. F_r: loads and reactions.
        """
        t = self.loops.p.topology
        external = n.force.copy()
        for i, cut in enumerate(self.loops.cuts):
            for link, force in ((cut.e, F[2 * i : 2 * i + 2]), (cut.f, -F[2 * i : 2 * i + 2])):
                if link:
                    external[link - 1] += force

        def swung(i: int, r: Array) -> Array:
            """Return ε k×r - ω² r of link i."""
            return np.asarray(epsilon[i - 1] * np.array([-r[1], r[0]]) - n.square[i - 1] * r)

        a = {0: -n.g}
        for k in t.links:
            base = t.base[k]
            a[k] = a[base] + (swung(base, n.R[k - 1]) if base else 0.0)
        own = {k: swung(k, n.s[k - 1]) - external[k - 1] for k in t.links}
        return np.array([n.m[k - 1] * a[k] + sum(own[i] for i in t.sub[k]) for k in t.links])


def reach(n: Parts[Array]) -> float:
    """Return the length scale of the closure equations, m: lengths from pole to pole and to the ends of the cuts."""
    return float(np.abs(n.R).sum() + np.abs(n.ends).sum())


def solve_or_nan(matrix: Array, right: Array, findings: tuple[Diagnostic, ...]) -> Array:
    """Solve a linear system; return NaN if there are findings."""
    if findings:
        return np.full(len(right), np.nan)
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def singular(matrix: Array, what: str) -> tuple[Diagnostic, ...]:
    """Return a diagnostic if a matrix does not have full rank."""
    values = np.linalg.svd(matrix, compute_uv=False)
    if not len(values) or values[-1] > SINGULAR * values[0]:
        return ()
    rank = int((values > SINGULAR * values[0]).sum())
    message = f"singular position: rank {rank} of {len(values)} {what}"
    return (error("constraints", message, "a dead point, a change point or a redundant loop: drive another joint"),)
