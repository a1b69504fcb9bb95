"""A planar linkage with names as leaves: m_d, J, R, α, J^c, J^s, G. The forms run on it as on any other.

Named lines in groups: expressions defined once and then written by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import PI_NODE, TWO, ZERO, Expression, cos, sin, substitute, symbol
from mbconcord.model.naming import Namer
from mbconcord.records import dataclass

from ..linkage import GROUND, Coefficients, Linkage, PlanarBody, PlanarMotion, polar
from ..plane import Pair, scalars

#: Groups in the order in which they are printed, and what they are.
TITLES = {
    "bodies": "augmented bodies: m_d = m d, J about O (5), R = |O_base O|; delta and gamma: directions of i and e",
    "angles": "absolute angles theta and rates omega; alpha_ij from e_i to i_j; u = q' (q' + 2 omega of the base)",
    "vectors": "m_d i and R e in fixed axes",
    "J": "J^c_ji = m_dj R_i cos alpha_ij, J^s_ji = m_dj R_i sin alpha_ij",
    "G": "G_k = m_dk g·j_k",
    "loads": "moments of the loads about the poles: M_rk of (25) where M_k - Σ M_i stands on the right, else of (2)",
    "drives": "moments M_k that the model drives its joints with",
    "coefficients": "coefficients of the equations",
    "loops": "closure of the loops: C ε + C' ω = 0; F_r has the moments C^T F_r, (25)",
}


class Lines:
    """Named lines under construction; ``taken`` are names of the model, which no line may use."""

    def __init__(self, taken: Collection[str]) -> None:
        self._namer = Namer(taken)
        self._groups: dict[str, list[Assignment]] = {}
        self._named: dict[Expression, Expression] = {}

    def unknown(self, name: str) -> Expression:
        """Make the symbol of an unknown of the equations."""
        return symbol(self._namer.fresh(name))

    def give(self, group: str, name: str, value: Expression) -> Expression:
        """Add a line ``name = value`` over the names so far and return its symbol; zero gets no line."""
        return self.always(group, name, value) if value is not ZERO else ZERO

    def always(self, group: str, name: str, value: Expression) -> Expression:
        """Add a line ``name = value``, for zero too, and return its symbol."""
        given = self._namer.fresh(name)
        self._groups.setdefault(group, []).append(Assignment(given, self.over_names(value)))
        made = symbol(given)
        if value.args:
            self._named.setdefault(value, made)
        return made

    def over_names(self, value: Expression) -> Expression:
        """Replace the named parts of an expression by their names."""
        return substitute([value], self._named)[0]

    def stages(self) -> tuple[Stage, ...]:
        """List the groups that have lines."""
        return tuple(
            Stage(group, title, tuple(self._groups[group])) for group, title in TITLES.items() if group in self._groups
        )


@dataclass(frozen=True)
class Polar:
    """A vector by its length and its direction, counted from the x axis of the frame that it is fixed in."""

    length: Expression
    angle: Expression

    def rotate(self, turn: Expression) -> Pair:
        """Return the vector's components after a rotation of its frame by an angle ``turn``."""
        whole = turn + self.angle
        return self.length * cos(whole), self.length * sin(whole)


def length_and_direction(a: Pair) -> tuple[Expression, Expression]:
    """Return length and direction; along an axis the length keeps the sign of the component."""
    x, y = a
    return (y, PI_NODE / TWO) if x is ZERO and y is not ZERO else polar(a)


class NamedLinkage(Linkage):
    """A linkage over the names of lines, which it writes during construction.

    The paper's frame of a link has its x axis along i, so that its angle is θ + δ here.
    """

    def __init__(self, given: Linkage, lines: Lines) -> None:
        t = given.topology
        first, arm = {}, {}
        bodies = {}
        for k in t.inward:  # what a link carries is named first: its mass stands in the masses below it
            mass = given.bodies[k].m
            if mass.args and not mass.constant:
                lines.give("bodies", f"m_{k}", mass)
        for k, body in given.bodies.items():
            m_d, delta = length_and_direction(body.s)
            R, gamma = length_and_direction(body.r)
            J = lines.give("bodies", f"J_{k}", body.J)
            first[k] = Polar(lines.give("bodies", f"m_d{k}", m_d), lines.give("bodies", f"delta_{k}", delta))
            arm[k] = Polar(lines.give("bodies", f"R_{k}", R), lines.give("bodies", f"gamma_{k}", gamma))
            bodies[k] = PlanarBody(body.m, (first[k].length, ZERO), J, (arm[k].length, ZERO))
        super().__init__(t, bodies, _motion(given, lines), given.g, given.loads, given.leaves)
        self._keep("lines", lines)
        self._keep("first", first)
        self._keep("arm", arm)
        self._keep("given", given)

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    lines: Lines
    given: Linkage
    first: Mapping[int, Polar]
    arm: Mapping[int, Polar]

    def to_fixed_axes(self, k: int, a: Pair) -> Pair:
        """Express a vector of link k, or of the ground, in fixed axes."""
        if k == GROUND:
            return a
        c, s = cos(self.motion.theta[k]), sin(self.motion.theta[k])
        return a[0] * c - a[1] * s, a[0] * s + a[1] * c

    @cached_property
    def s(self) -> Mapping[int, Pair]:
        """First moment m_d i of each link in fixed axes, by name."""
        return {k: self._vector(f"ms_{k}", x.rotate(self.motion.theta[k])) for k, x in self.first.items()}

    @cached_property
    def R(self) -> Mapping[int, Pair]:
        """Arm R e of each link in fixed axes, by name."""
        base, theta = self.topology.base, {GROUND: ZERO, **self.motion.theta}
        return {k: self._vector(f"R_{k}", x.rotate(theta[base[k]])) for k, x in self.arm.items()}

    def _vector(self, name: str, a: Pair) -> Pair:
        return (self.lines.give("vectors", f"{name}_x", a[0]), self.lines.give("vectors", f"{name}_y", a[1]))

    @cached_property
    def alpha(self) -> Coefficients:
        """α_ij under (j, i): the turns after base(i) up to j, and the directions of i_j and e_i."""
        theta, base = {GROUND: ZERO, **self.given.motion.theta}, self.topology.base
        q = {k: theta[k] - theta[base[k]] for k in self.topology.links}
        found = {}
        for j, i in self.pairs:
            turn = scalars(q[m] for m in self.topology.path(base[i], j))
            angle = turn + self.first[j].angle - self.arm[i].angle
            found[j, i] = self.lines.give("angles", f"alpha_{i}_{j}", angle)
        return found

    @cached_property
    def Jc(self) -> Coefficients:
        """J^c_ji by name."""
        return self._products("Jc", cos)

    @cached_property
    def Js(self) -> Coefficients:
        """J^s_ji by name."""
        return self._products("Js", sin)

    def _products(self, letter: str, function: Callable[[Expression], Expression]) -> Coefficients:
        return {
            (j, i): self.lines.give(
                "J", f"{letter}_{j}_{i}", self.first[j].length * self.arm[i].length * function(self.alpha[j, i])
            )
            for j, i in self.pairs
        }

    @cached_property
    def G(self) -> Mapping[int, Expression]:
        """G_k = m_dk (g_y cos φ_k - g_x sin φ_k) by name, φ_k = θ_k + δ_k the direction of i_k."""
        found = {}
        for k, first in self.first.items():
            phi = self.motion.theta[k] + first.angle
            value = first.length * (self.g[1] * cos(phi) - self.g[0] * sin(phi))
            found[k] = self.lines.give("G", f"G_{k}", value)
        return found

    @cached_property
    def G0(self) -> Mapping[int, Expression]:
        """G_0k = G_k + Σ G_0j by name (7)."""
        found: dict[int, Expression] = {}
        for k in self.topology.inward:
            value = self.G[k] + scalars(found[j] for j in self.topology.children[k])
            found[k] = self.lines.give("G", f"G0_{k}", value)
        return {k: found[k] for k in self.topology.links}

    @cached_property
    def u(self) -> Mapping[int, Expression]:
        """u_k = q'_k (q'_k + 2 ω of base(k)) by name."""
        m, base = self.motion, self.topology.base
        return {
            k: self.lines.give("angles", f"u_{k}", m.rate[k] * (m.rate[k] + TWO * m.omega[base[k]]))
            for k in self.topology.links
        }

    @cached_property
    def M_sum(self) -> Mapping[int, Expression]:
        """Moment MΣ_k (2) of the loads on k and the links it carries, by name."""
        return self._moments(self.given.M_sum)

    @cached_property
    def M_difference(self) -> Mapping[int, Expression]:
        """Moment MΔ_k (25) of the loads, by name."""
        return self._moments(self.given.M_difference)

    def _moments(self, values: Mapping[int, Expression]) -> Mapping[int, Expression]:
        return {k: self.lines.give("loads", f"M_r{k}", x) for k, x in values.items()}


def _motion(given: Linkage, lines: Lines) -> PlanarMotion:
    """Return the motion with names for absolute angles θ and rates ω, each with its line; ε_k are unknowns."""
    links, motion = given.topology.links, given.motion
    theta = {k: lines.give("angles", f"theta_{k}", motion.theta[k]) for k in links}
    omega = {k: lines.give("angles", f"omega_{k}", motion.omega[k]) for k in links}
    epsilon = {k: lines.unknown(f"epsilon_{k}") for k in links}
    return PlanarMotion(theta, {GROUND: ZERO, **omega}, {GROUND: ZERO, **epsilon}, motion.rate, motion.acceleration)
