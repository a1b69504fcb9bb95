"""The models of fixtures/native by hand: positions, spins, closures and rolling, typed from the drawing.

Equations by d'Alembert's principle (:mod:`.principle`); what rolls or glides is solved in the textbook's way, from
the forces at the contact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import State

from .principle import G, R, T, Tree, X, Y, Z, closed_row, collected, tensor, tree_row, turned, vector
from .row import DOUBLE, Row, row

#: An orthonormal basis that is parallel to none of the axes: n, and u, w across it.
N, U, W = sp.Matrix([1, 2, 2]) / 3, sp.Matrix([2, 1, -2]) / 3, sp.Matrix([-2, 2, -1]) / 3
SLANTING = sp.Matrix([2, -3, 6]) / 7


# --- open trees -------------------------------------------------------------------------------------


def bead(slide: Any) -> tuple[sp.Matrix, sp.Matrix]:
    """The centres of rod and bead where the rod has not turned."""
    along = sp.Matrix([6, 2, 3]) / 7 * slide
    return vector("0.2", "-0.1", "0.3"), vector("0.12", "0.01", "-0.23") + along


def moments_of_the_bead(at: State) -> tuple[np.ndarray, np.ndarray]:
    """Static moments m̄ about the pivot and about the bead's own origin, and m̄'' (2, 3), along q + q' t + q'' t²/2."""
    turn, slide = (at.q[x] + at.v[x] * T + at.a[x] * T**2 / 2 for x in ("turn", "slide"))
    rod, own = bead(slide)
    eccentric = turned(N, turn, vector("0.02", "0.01", "-0.03"))
    both = sp.Matrix([[R("1.4") * turned(N, turn, rod) + R("0.5") * turned(N, turn, own), R("0.5") * eccentric]])
    found = (x.subs(T, 0).evalf(30).T for x in (both, sp.diff(both, T, 2)))
    first, second = (np.array(x, dtype=float) for x in found)
    return first, second


def bead_on_tilted_rod() -> Row:
    """A beam on a slanting pivot with a motor, a brake and a torsion spring; a bead on a spring along it."""
    tree = Tree(["turn", "slide"], G * SLANTING)
    (turn, slide), (dturn, dslide) = tree.q, tree.v
    rod, own = bead(slide)
    tree.body("1.4", turned(N, turn, rod), tensor("0.05", "0.04", "0.03", "0.002", "-0.001", "0.003"), N * dturn)
    tree.body("0.5", turned(N, turn, own), tensor("0.001", "0.002", "0.0015"), N * dturn)
    motor, brake = R("1.5") - dturn / 5, -3 * turn - dturn**3 / 10
    tree.applied = sp.Matrix([motor + brake, -40 * (slide - R("0.5")) - R("0.7") * dslide])
    motions = [
        ([0.4, 0.6], [1.1, -0.5], [0.7, -2.0]), ([-2.3, 0.1], [-0.8, 1.4], [3.0, 0.5]),
        ([5.0, -0.7], [2.5, 0.9], [-1.2, 4.0]),
    ]  # fmt: skip
    return tree_row("native/bead_on_tilted_rod.mbs.json", tree, motions)


def pushed_gimbal() -> Row:
    """ω of yaw a about z and pitch b about y, in the body's axes: (-a' sin b, b', a' cos b)."""
    tree = Tree(["yaw", "pitch"], -G * Z)
    (a, b), (da, db) = tree.q, tree.v

    def at(*text: str) -> sp.Matrix:
        return turned(Z, a, turned(Y, b, vector(*text)))

    spin = sp.Matrix([-da * sp.sin(b), db, da * sp.cos(b)])
    tree.body("2", at("0.4", "0", "0"), tensor("0.02", "0.05", "0.06"), spin)
    tree.force(at("0.7", "0.1", "-0.2"), sp.Matrix([3, 2 * sp.sin(5 * T), -1]))
    tree.force(at("0.5", "-0.3", "0.1"), sp.Matrix([-2, 1, 4]))
    tree.applied += spin.jacobian([da, db]).T * vector("0.3", "-0.2", "0.5")
    motions = [
        ([0.5, -0.3], [0.9, 1.2], [0.2, -1.0]), ([2.0, 1.1], [-1.5, 0.4], [1.0, 2.0]),
        ([-4.0, 0.6], [2.2, -0.7], [-3.0, 0.1]),
    ]  # fmt: skip
    return tree_row("native/pushed_gimbal.mbs.json", tree, motions)


# --- closed systems ---------------------------------------------------------------------------------


def plane(angle: Any, x: str, y: str = "0") -> sp.Matrix:
    """A point of a link at its angle in the plane of x and y."""
    return turned(Z, angle, vector(x, y, "0"))


ANGLES = [([0.3], [2.0]), ([2.1], [-1.3]), ([-1.0], [3.1])]


def quick_return() -> Row:
    """The slot of the lever, whose foot is 0.5 m below the crank's, points at the pin: tan = (0.5 + r sin)/(r cos)."""
    tree = Tree(["crank", "lever"])
    (crank, lever), (dcrank, dlever) = tree.q, tree.v
    tree.body("0.8", plane(crank, "0.1"), tensor("0.001", "0.006", "0.006"), Z * dcrank)
    tree.body("1.5", -Y / 2 + plane(lever, "0.4", "0.02"), tensor("0.01", "0.1", "0.1"), Z * dlever)
    tree.applied[0] = R("1.2")
    u = sp.Symbol("u")
    slot = sp.atan2(R("0.5") + sp.sin(u) / 5, sp.cos(u) / 5)
    return closed_row("native/quick_return.mbs.json", tree, "u", [u, slot], ANGLES, 1)


def slider_crank() -> Row:
    """The slide goes along (3, 4)/5 at the distance 0.05 m: a sin(θ - δ) + b sin(ψ - δ) = 0.05, tan δ = 4/3."""
    tree = Tree(["crank", "rod", "piston"])
    (q1, q2, q3), (v1, v2, v3) = tree.q, tree.v
    tip = plane(q1, "0.3")
    pin = tip + plane(q1 + q2, "0.8")
    tree.body("1.1", plane(q1, "0.15"), tensor("0.001", "0.01", "0.01"), Z * v1)
    tree.body("0.9", tip + plane(q1 + q2, "0.35", "0.02"), tensor("0.002", "0.05", "0.05"), Z * (v1 + v2))
    tree.body("0.6", pin + plane(q1 + q2 + q3, "0.01", "0.03"), tensor(*["0.001"] * 3), Z * (v1 + v2 + v3))
    tree.applied[0] = 4 - v1 / 10
    u, delta = sp.Symbol("u"), sp.atan2(4, 3)
    psi = delta + sp.asin((R("0.05") - R("0.3") * sp.sin(u - delta)) / R("0.8"))
    return closed_row("native/slider_crank.mbs.json", tree, "u", [u, psi - u, -psi], ANGLES, 2)


def universal_joint() -> Row:
    """Hooke's joint of shafts along x and along (4, 3, 0)/5: the arms of the cross, y on the one and z on the other,
    are at right angles where 4 sin(output) cos(input) = 5 sin(input) cos(output)."""
    tree = Tree(["input", "output"], -G * Z)
    (q1, q2), (v1, v2) = tree.q, tree.v
    axis = sp.Matrix([4, 3, 0]) / 5
    tree.body("1.2", turned(X, q1, vector("-0.3", "0.02", "0")), tensor("0.03", "0.05", "0.05"), X * v1)
    J = tensor("0.04", "0.05", "0.06", "-0.01")
    tree.body("2", turned(axis, q2, vector("0.4", "0.25", "0.05")), J, axis * v2)
    tree.applied = sp.Matrix([2, -1 - R("0.3") * v2])
    u = sp.Symbol("u")
    shaft = sp.atan2(4 * sp.sin(u), 5 * sp.cos(u))
    return closed_row("native/universal_joint.mbs.json", tree, "u", [shaft, u], ANGLES, 1)


def loaded_parallelogram() -> Row:
    """The coupler stays level; all turn about n, lengths along u, n·J n of each link is its moment."""
    tree = Tree(["crank", "coupler", "rocker"], G * SLANTING)
    (q1, q2, q3), (v1, v2, v3) = tree.q, tree.v
    tip = turned(N, q1, U / 2)

    def on_coupler(*text: str) -> sp.Matrix:
        return tip + turned(N, q1 + q2, vector(*text))

    def on_rocker(*text: str) -> sp.Matrix:
        return U * R("1.2") + turned(N, q3, vector(*text))

    J = tensor("0.02", "0.03", "0.025", "0.001", "-0.002", "0.003")
    tree.body("0.7", turned(N, q1, vector("0.2", "0.1", "-0.2")), J, N * v1)
    J = tensor("0.1", "0.12", "0.11", "0.004", "0.003", "-0.002")
    tree.body("1.3", on_coupler("0.3", "0.3", "-0.45"), J, N * (v1 + v2))
    tree.body("0.6", on_rocker("0.2", "0.1", "-0.2"), tensor("0.02", "0.02", "0.03", "0", "0.001"), N * v3)
    tree.force(on_coupler("0.3", "0.3", "-0.45"), sp.Matrix([4, -2, 3 * sp.cos(2 * T)]))
    tree.force(on_rocker("0.2", "0.1", "-0.2"), vector("1", "0.5", "-2"))
    tree.applied[2] += N.dot(vector("0.3", "0.6", "-0.2"))
    end = on_coupler("0.8", "0.4", "-0.8")
    tree.spring(sp.sqrt(end.dot(end)), lambda length, rate: -50 * (length - 1) - 2 * rate)
    tree.applied[0] += R("1.5")
    tree.applied[1] += -R("0.4") * v2
    u = sp.Symbol("u")
    return closed_row("native/loaded_parallelogram.mbs.json", tree, "u", [u, -u, u], ANGLES, 2)


def block_on_incline() -> Row:
    """The plane is spanned by u and w; nothing turns the block, J n n is its moment."""
    tree = Tree(["x", "y", "z", "spin"])
    x, y, z, _ = tree.q
    tree.body("4", sp.Matrix([x, y, z]), tensor("0.2", "0.3", "0.25", "0.01", "-0.02", "0.03"), N * tree.v[3])
    along, down, turn = sp.symbols("along down turn")
    motions = [
        ([0.3, -0.2, 0.4], [3.0, 0.5, 3.0]), ([-1.0, 0.7, 2.0], [0.2, -1.0, -0.6]),
        ([0.1, 0.9, -3.0], [-2.0, 1.5, 0.0]),
    ]  # fmt: skip
    coordinates = [*(U * along + W * down), turn]
    return closed_row("native/block_on_incline.mbs.json", tree, "along down turn", coordinates, motions, 1)


def bead_on_parabola() -> Row:
    """y = x²/2 + 0.1 sin 3t."""
    tree = Tree(["x", "y"])
    tree.body("0.5", sp.Matrix([*tree.q, 0]))
    u = sp.Symbol("u")
    wire = u**2 / 2 + sp.sin(3 * T) / 10
    motions = [([0.6], [0.5]), ([-1.4], [2.0]), ([0.0], [-0.7])]
    return closed_row("native/bead_on_parabola.mbs.json", tree, "u", [u, wire], motions, 1)


# --- what rolls or glides ---------------------------------------------------------------------------


def chaplygin_sleigh() -> Row:
    """Chaplygin's sleigh, m = 2, a = 0.3, J = 0.15, on a slope along x with g sin(slope) = 3 = p.

    The blade goes ahead with v; N is the force across it: m (v' - a ω²) = m p cos θ, m (v ω + a ω') = N - m p sin θ,
    J ω' = -a N.
    """
    m, a, J, p = 2.0, 0.3, 0.15, 3.0
    found, states = [], []
    for theta, v, w in ((0.6435011087932844, 2.0, 0.7), (2.5, -1.1, 1.9), (-1.2, 0.4, -3.0)):
        c, s = np.cos(theta), np.sin(theta)
        dw = -m * a * (v * w + p * s) / (J + m * a * a)
        dv, N = p * c + a * w * w, m * (v * w + a * dw + p * s)
        M = [[m, 0, -m * a * s], [0, m, m * a * c], [-m * a * s, m * a * c, J + m * a * a]]
        found.append({
            "M": M, "h": [-m * a * c * w * w, -m * a * s * w * w, 0], "gravity": [m * p, 0, -m * p * a * s],
            "applied": [0, 0, 0], "acceleration": [dv * c - v * w * s, dv * s + v * w * c, dw],
            "reactions": [-N * s, N * c, 0], "rank": 1,
        })  # fmt: skip
        q = {"x": 0.2, "y": -0.1, "heading": theta}
        states.append(State(0.0, q, {"x": v * c, "y": v * s, "heading": w}))
    return row(read(folder() / "native/chaplygin_sleigh.mbs.json").system, states, DOUBLE, collected(found))


def ball_on_turntable() -> Row:
    """A ball, m = 1.5, r = 0.2, I = 2/5 m r², on a tilted table that turns with Ω = 1.5 + 0.4 t.

    v + ω × (-r z) = Ω z × ρ at the contact ρ; m v' = F + m g, I ω' = -r z × F. So v' = 5/7 g + 2/7 d(Ω z × ρ)/dt, and
    ω_z stays. ω = (a' + c' sin b, b' cos a - c' sin a cos b, b' sin a + c' cos a cos b)
    of turns a, b, c about x, y, z; the angles' accelerations from ω'.
    """
    m, r = 1.5, 0.2
    inertia = 0.4 * m * r * r
    g = 9.81 / 7 * np.array([2.0, -3.0])
    found, states, names = [], [], ("x", "y", "a", "b", "c")
    for t, place, velocity, (a, b, c), spin in (
        (0.0, (0.3, -0.4), (0.2, 0.1), (0.5, -0.6, 0.7), 0.9),
        (0.8, (-0.2, 0.5), (-1.0, 0.6), (2.0, 0.4, -1.0), -1.7),
        (2.5, (0.7, 0.1), (0.3, -0.8), (-0.9, 1.0, 0.2), 0.0),
    ):
        omega, (x, y), (vx, vy) = 1.5 + 0.4 * t, place, velocity
        table, changing = omega * np.array([-y, x]), 0.4 * np.array([-y, x]) + omega * np.array([-vy, vx])
        acceleration = 5 / 7 * g + 2 / 7 * changing
        F = m * (acceleration - g)
        (sa, ca), (sb, cb) = ((np.sin(x), np.cos(x)) for x in (a, b))
        E = np.array([[1, 0, sb], [0, ca, -sa * cb], [0, sa, ca * cb]])  # ω = E (a', b', c')
        w = np.array([-(vy - table[1]) / r, (vx - table[0]) / r, spin])
        da, db, _ = rates = np.linalg.solve(E, w)
        dE = np.array([
            [0, 0, cb * db], [0, -sa * da, -ca * cb * da + sa * sb * db], [0, ca * da, -sa * cb * da - ca * sb * db],
        ])  # fmt: skip
        moment = r * np.array([F[1], -F[0], 0.0])
        angular = np.linalg.solve(E, moment / inertia - dE @ rates)
        M = np.zeros((5, 5))
        M[:2, :2], M[2:, 2:] = m * np.eye(2), inertia * E.T @ E
        found.append({
            "M": M, "h": [0, 0, *(inertia * E.T @ dE @ rates)], "gravity": [*(m * g), 0, 0, 0], "applied": [0] * 5,
            "acceleration": [*acceleration, *angular], "reactions": [*F, *(E.T @ moment)], "rank": 2,
        })  # fmt: skip
        at = (*place, a, b, c), (*velocity, *rates)
        states.append(State(t, *(dict(zip(names, x, strict=True)) for x in at)))
    return row(read(folder() / "native/ball_on_turntable.mbs.json").system, states, DOUBLE, collected(found))


MODELS = (
    bead_on_tilted_rod, pushed_gimbal, quick_return, slider_crank, universal_joint, loaded_parallelogram,
    block_on_incline, bead_on_parabola, chaplygin_sleigh, ball_on_turntable,
)  # fmt: skip


def rows() -> dict[str, Callable[[], Row]]:
    """One for each file of fixtures/native."""
    return {f"native/{model.__name__}.mbs.json": partial(model) for model in MODELS}
