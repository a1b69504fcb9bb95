"""Judge the numbers that one formalism gives at states, by the direct witness: forces, accelerations, derivatives.

Accelerations and reactions are put back into M a + h = gravity + applied + reactions + efforts; derivatives are
compared with differences of the witness's inverse dynamics; each column of the regressor with the forces that
validation's kinematics give where its parameter alone is 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import isfinite
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivatives import OF_FORWARD, TEN, labels
from mbconcord.model.derivatives.regressor import CORIOLIS
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.kinematics import IN_SPEEDS, OF_RATES, KinematicQuantity, Speeds
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.kinematics import TreeKinematics, takes
from ..judge.motion import Array
from ..judge.scale import scales
from ..judge.tolerances import KINEMATICS, RUN, RUN_ROUNDED
from .direct.formulas import bind
from .direct.tree import NAME, DirectTree, obstacles
from .kinematics import Bounded, DirectFrames
from .sums.regressor import efforts

#: States at which numbers are judged, of many.
STATES: Final = 5
#: Step to each side in a central difference, relative to 1 and the size of a coordinate or rate.
STEP: Final = 1e-5
#: Relative error of a given number that was written in decimal digits and read again.
ROUNDING: Final = 1e-12
#: Smallest rate whose square does not underflow.
SLOWEST: Final = 1e-100
#: Gap beyond which a state does not satisfy the constraints.
FAR: Final = 1e-8
#: Error of central differences, as a part of the forces per unit of a coordinate.
SLOPES: Final = 1e-7
VECTORS: Final = ("h", "gravity", "applied")
PUT_BACK: Final = "acceleration in M a + h"
#: Derivative -> shifted variable. -M ∂a/∂q and -M ∂a/∂v are compared with derivatives of inverse dynamics.
SHIFTED: Final = {"dtau_dq": "q", "dtau_dv": "v", "da_dq": "q", "da_dv": "v"}


def choose_places(count: int) -> list[int]:
    """Choose places, evenly spread among ``count`` states, of the few at which numbers are judged."""
    return sorted({round(i * (count - 1) / (STATES - 1)) for i in range(STATES)}) if count else []


def check_numbers(system: System, by: str, states: Sequence[State], found: Mapping[str, Array]) -> Iterator[Comparison]:
    """Yield comparisons of quantities (S, …) at some of S states with the direct witness; NaN makes one not checked."""
    if system.constraints:
        found = {name: x for name, x in found.items() if name not in OF_FORWARD}
    places = choose_places(len(states))
    tree, chosen = system.open_loops(), [states[i] for i in places]
    own = {name: x[places] for name, x in found.items() if np.isfinite(x[places]).all()}
    against = obstacles(tree)
    silent = [name for name in found if name not in own]
    try:
        if own and not against:
            with np.errstate(all="ignore"):
                yield from _Judge(tree, by, chosen, own).every()
        elif own:
            yield _silent(by, ", ".join(own), against[0].reason)
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        yield _silent(by, ", ".join(own), str(problem).splitlines()[0])
    if silent:
        yield _silent(by, ", ".join(silent), "no number at a state")


def check_constrained_slopes(
    system: System, by: str, other: Formalism, state: State, found: Mapping[str, Array]
) -> Iterator[Comparison]:
    """Compare derivatives (n, n) of accelerations at a state with differences of another formalism's accelerations.

    The shifted states of the differences are moved onto the constraints, positions and rates; so derivatives along
    motions that the constraints admit are compared. ∂q''/∂τ is put back into M and D of the other formalism.
    """
    from mbconcord.simulation.continuation import find_nearest

    names, quantities = system.coordinate_names, ("da_dq and da_dv along admitted motions", "da_dtau in M and D")
    near = find_nearest(system, [state])
    why = "" if float(near.gaps[0]) <= FAR else "the state is off the constraints"
    one = None if why else other.constrained_motion(system, Instance(system, near.moved.states).with_ranks(near.ranks))
    if one is None or not np.isfinite(one.acceleration).all() or not all(np.isfinite(x).all() for x in found.values()):
        for quantity in quantities:
            yield Comparison(by, other.name, quantity, "not checked", explanation=why or "no number at a state")
        return
    M, D, X = one.tree.quantities["M"][0], one.D[0], found["da_dtau"]
    N = np.linalg.svd(D)[2][int(one.rank[0]) :].T if len(D) else np.eye(len(names))
    unit, rows = np.sqrt(np.maximum(np.diag(M), 0.0)), np.linalg.norm(D, axis=1, keepdims=True)
    size = (np.abs(M) @ np.abs(X)).max(axis=0, initial=0.0) + 1.0
    moved = D / np.where(rows > 0, rows, 1.0) @ X * unit.max(initial=0.0) ** 2
    put_back = np.concatenate([N.T @ (M @ X - np.eye(len(names))), moved])[None]
    ones, labels = np.ones(1), [f"{k}, {name}" for k in range(put_back.shape[1]) for name in names]
    flat = put_back.reshape(1, -1)
    scale = np.broadcast_to(size * (1.0 + unit.max(initial=0.0) / max(unit.min(initial=1.0), 1e-3)), put_back.shape)
    difference = ArrayDifference(flat, 0 * flat, scale.reshape(1, -1), SLOPES * ones, ones)
    yield worst(by, other.name, quantities[1], difference, [state], labels)
    start, ends = near.moved.states[0], []
    for order in "qv":
        for column in N.T:
            for step in (STEP, -STEP, STEP / 2, -STEP / 2):
                shifted = zip(names, (step * column).tolist(), strict=True)
                moved_on: Any = {order: {name: getattr(start, order)[name] + x for name, x in shifted}}
                ends.append(replace(start, **moved_on))
    beside = find_nearest(system, ends)
    at = Instance(system, beside.moved.states).with_ranks(np.repeat(near.ranks, len(ends), axis=0))
    motion = other.constrained_motion(system, at)
    assert motion is not None
    arrays = [np.array([[getattr(s, o)[name] for name in names] for s in at]) for o in "qv"]
    dq, dv, da = (x.reshape(-1, 2, 2, len(names)) for x in (*arrays, motion.acceleration))
    wide, half = (np.stack([x[:, k, 0] - x[:, k, 1] for x in (dq, dv, da)]) / (2 * STEP / (1 + k)) for k in (0, 1))
    turns, rates, slopes = (4 * half - wide) / 3
    terms = (turns @ found["da_dq"].T, rates @ found["da_dv"].T)
    bound = np.abs(half[2] - wide[2])
    made = np.abs(turns) @ np.abs(found["da_dq"]).T + np.abs(rates) @ np.abs(found["da_dv"]).T
    scale = made.max(axis=1, keepdims=True, initial=0.0) + np.abs(one.acceleration).max(initial=0.0) + 0 * made
    x, y, scale, bound = (z.reshape(1, -1) for z in (terms[0] + terms[1], slopes, scale, bound))
    labels = [f"{order}{k}, {name}" for order in "qv" for k in range(N.shape[1]) for name in names]
    difference = ArrayDifference(x, y, scale, SLOPES * ones, ones, bound=bound)
    yield worst(by, other.name, quantities[0], difference, [state], labels)


def check_given(
    system: System, by: str, given: State, shown: Mapping[str, Any], motion: Mapping[str, float],
    fixed: Collection[str],
) -> Comparison:  # fmt: skip
    """Compare a printed state (lists of q, v, a) with the given one.

    Where ``motion`` is ``fixed``, its accelerations must be the given ones or zero, relative to the largest of all;
    what is off by a thousand times rounding, as beside much lighter bodies, is not checked.
    """
    try:
        known = bind(system, [given], at_rest=False).symbols
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        return _silent(by, "state", str(problem).splitlines()[0])
    pairs = {name: (shown["parameters"][name], known[name].c[0][0]) for name in shown["parameters"]}
    for key, dot, end, k in (("q", "", "", 0), ("v", "", "'", 1), ("a", "'", "''", 1)):
        numbers = zip(system.coordinate_names, shown.get(key, ()), strict=key in shown)
        pairs |= {name + end: (x, known[name + dot].c[k][0]) for name, x in numbers}
    pairs["t"] = (shown["t"], given.t)
    largest = max((abs(x) for x in motion.values() if isfinite(x)), default=0.0)
    bounds = {name: (x, y, 1.0 + abs(y)) for name, (x, y) in pairs.items()}
    moved = {f"{name}'' of the motion": (motion[name], given.a.get(name, 0.0), 1.0 + largest) for name in fixed}
    off = [
        (f"{name} is {x}, given is {float(y)!r}", name in moved and abs(x - y) <= 1e3 * ROUNDING * size)
        for name, (x, y, size) in (bounds | moved).items() if not abs(x - y) <= ROUNDING * size
    ]  # fmt: skip
    told = "; ".join(text for text, _ in off[:3])
    if off and all(rounded for _, rounded in off):
        return _silent(by, "state", told)
    return Comparison(by, NAME, "state", "disagrees" if off else "agrees", explanation=told)


def check_speeds(
    speeds: Speeds, states: Sequence[State], found: Mapping[str, Bounded], by: str
) -> list[Comparison]:  # fmt: skip
    """Compare quantities in speeds u = Y q' at S states, by formalism, with those of validation's own kinematics.

    Quantities of rates are also compared between formalisms, in pairs; states without a number are left out.
    """
    tree, sides, made, why = speeds.system, [*found], dict[str, tuple[Array, Array, float]](), ""
    against = obstacles(tree)
    try:
        if against:
            raise MbconcordError(against[0].reason)
        with np.errstate(all="ignore"):
            direct = DirectSpeeds(speeds, states, any(n not in OF_RATES for n in found[by]))
            made = {name: direct.make(name) for name in found[by]}
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        why = str(problem).splitlines()[0]
    judged = []
    for i, a in enumerate(sides):
        for name, (x, own) in found[a].items():
            for b in (b for b in sides[i + 1 :] if name in found[b] and name in OF_RATES):
                y, other = found[b][name]
                size = made[name][1] if made else np.abs(y)
                judged.append(_compare_bounded(speeds, states, (a, b, name), x, y, own + other, size, 0.0))
            if made:
                y, size, tolerance = made[name]
                first = len(y)
                judged.append(
                    _compare_bounded(speeds, states, (a, NAME, name), x[:first], y, own[:first], size, tolerance)
                )
            else:
                judged.append(_silent(a, name, why))
    return judged


def _compare_bounded(
    speeds: Speeds, states: Sequence[State], names: tuple[str, str, str], x: Array, y: Array, bound: Array,
    size: Array, tolerance: float,
) -> Comparison:  # fmt: skip
    a, b, name = names
    known: Array = np.all(np.isfinite(x).reshape(len(x), -1), axis=1)
    if not known.any():
        return Comparison(a, b, name, "not checked", explanation="no number at a state")
    ones, labels = np.ones(int(known.sum())), [", ".join(each) for each in product(*speeds.indices(name))]
    flat = [np.broadcast_to(z, x.shape)[known].reshape(len(ones), -1) for z in (x, y, size, bound)]
    difference = ArrayDifference(flat[0], flat[1], flat[2], tolerance * ones, ones, bound=flat[3])
    chosen = [state for state, is_known in zip(states, known, strict=False) if is_known]
    return worst(a, b, name, difference, chosen, labels)


class DirectSpeeds:
    """Speeds u = Y q' at S states, and quantities in them, from motions of bodies' frames relative to their carriers.

    ``Y`` (S, n, n); ``u`` (S, n); ``b`` (S, n) is u' where q'' = 0; ``size_Y``, … are sums of their terms' sizes.
    """

    def __init__(self, speeds: Speeds, states: Sequence[State], judged: bool) -> None:
        self.speeds, self.states = speeds, states
        self.frames = DirectFrames(DirectTree(speeds.system, bind(speeds.system, states, at_rest=True)))
        self.names = speeds.system.coordinate_names
        rows: list[tuple[tuple[Array, Array], ...]] = []
        for group in speeds.groups:
            rows += self._of_body(group) if group in speeds.bodies else [self._of_formula(group)]
        f, count = self.frames.tree.f, len(states)
        for name in speeds.rest:
            row = np.tile([float(name == other) for other in self.names], (count, 1))
            v = f.symbols[f"{name}'"].c[0].astype(float)
            rows.append(((row, row), (v, np.abs(v)), (0 * v, 0 * v)))
        self.Y, self.size_Y = (np.stack([row[0][k] for row in rows], axis=1) for k in (0, 1))
        self.u, self.size_u = (np.stack([row[1][k] for row in rows], axis=1) for k in (0, 1))
        self.b, self.size_b = (np.stack([row[2][k] for row in rows], axis=1) for k in (0, 1))
        self.judge = _Judge(speeds.system, "", states, {}) if judged else None

    def _of_formula(self, name: str) -> tuple[tuple[Array, Array], ...]:
        """Return a row of Y, the speed and its rate of a speed's formula, each with its size, computed in 50 digits."""
        f, formula = self.frames.tree.f, self.speeds.formulas[name]
        series = f.expand(formula)
        Y = np.stack([np.broadcast_to(f.slope(formula, f"{n}'"), (f.count,)) for n in self.names], axis=1).astype(float)
        return (Y, np.abs(Y)), (series.c[0], np.abs(series.c[0])), (series.c[1], np.abs(series.c[1]))

    def _of_body(self, name: str) -> list[tuple[tuple[Array, Array], ...]]:
        """Return rows of Y, speeds and their rates, each with its size, of a body relative to its carrier, in its axes.

            w_r = w - w_c ,   v_r = v - v_c - w_c × d ,   w_r' = e - e_c - w_c × w_r ,
            v_r' = a - a_c - e_c × d - w_c × (w_c × d) - 2 w_c × v_r - w_r × v_r ,   d = r - r_c
        """  # fmt: skip
        tree, cross = self.frames.tree, np.cross
        body = self.speeds.system.body(name)
        at, on = tree.frames[name], tree.carrier(body)
        d, w = at.r - on.r, at.spin - on.spin
        v = at.dr - on.dr - cross(on.spin, d)
        e = at.spin_rate - on.spin_rate - cross(on.spin, w)
        a = at.ddr - on.ddr - cross(on.spin_rate, d) - cross(on.spin, cross(on.spin, d))
        a = a - 2 * cross(on.spin, v) - cross(w, v)
        J = np.zeros((tree.f.count, 6, len(self.names)))
        J[:, :, list(at.moved)] += np.concatenate([at.moves, at.turns], axis=1)
        J[:, :3, list(on.moved)] -= on.moves + cross(on.turns, d[:, :, None], axisa=1, axisb=1, axisc=1)
        J[:, 3:, list(on.moved)] -= on.turns
        far, S, V, W, A, E = (
            np.max(self.frames.size(KinematicQuantity(kind, name)).reshape(tree.f.count, -1), axis=1)
            for kind in ("jacobian", "position", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
        )
        E, V = E + W**2, V + W * S
        sizes = [far + S, far, V, W, A + E * S + W * V, E]
        axes = np.swapaxes(at.R, 1, 2)
        rows: list[Any] = []
        for entry in self.speeds.bodies[name]:
            i, k = int(entry[0] == "w"), "xyz".index(entry[1])
            Y, u, b = (
                (axes @ J[:, 3 * i : 3 * i + 3])[:, k],
                *(np.einsum("sij,sj->si", axes, x)[:, k] for x in ((v, w)[i], (a, e)[i])),
            )
            own = np.repeat(sizes[i][:, None], len(self.names), axis=1)
            rows.append(((Y, own), (u, sizes[2 + i]), (b, sizes[4 + i])))
        return rows

    def make(self, name: str) -> tuple[Array, Array, float]:
        """Compute a quantity in speeds, the size of its terms, and its tolerance relative to that size."""
        if name == "u":
            return self.u, self.size_u, KINEMATICS
        if name == "du_dv":
            return self.Y, self.size_Y, KINEMATICS
        a = np.array([[s.a.get(n, 0.0) for n in self.names] for s in self.states])
        if name == "acceleration_u":
            size = np.einsum("sij,sj->si", self.size_Y, np.abs(a)) + self.size_b
            return np.einsum("sij,sj->si", self.Y, a) + self.b, size, KINEMATICS
        judge, X = self.judge, np.full_like(self.Y, np.nan)
        assert judge is not None
        regular = np.linalg.det(self.Y) != 0
        X[regular] = np.linalg.inv(self.Y[regular])
        off = np.abs(X) @ self.size_Y @ np.abs(X)
        turn, grown = (np.swapaxes(x, 1, 2) for x in (X, off))
        M, made = judge.own["M"], judge.sizes["M"]
        if name == "M_u":
            return turn @ M @ X, grown @ made @ off, RUN
        if name == "C_u":
            C, size = judge.coriolis()
            f = self.frames.tree.f
            step = STEP / (1.0 + max(abs(float(f.symbols[f"{n}'"].c[0][0])) for n in self.names))
            moved = [self._shift(sign * step) for sign in (1, -1)]
            rate = (moved[0] - moved[1]) / (2 * step)
            inner = C @ X[:1] - M[:1] @ X[:1] @ rate @ X[:1]
            whole = size + (np.abs(M[:1] @ X[:1]) @ (np.abs(rate) + self.size_Y[:1].max())).max()
            return turn[:1] @ inner, grown[:1] @ np.full_like(inner, whole) @ off[:1], SLOPES
        if name == "h_u":
            right, size = judge.own["h"] - np.einsum("sij,sjk,sk->si", M, X, self.b), judge.sizes["h"]
            size = size + np.einsum("sij,sjk,sk->si", made, off, self.size_b)
        elif name == "inverse_dynamics_u":
            right, size = judge.needed(a), judge.size(a)
        else:
            (part,) = IN_SPEEDS[name]
            right, size = judge.own[part], judge.sizes[part]
        return (
            np.einsum("sij,sj->si", turn, right),
            np.einsum("sij,sj->si", grown, np.broadcast_to(size, right.shape)),
            RUN,
        )

    def _shift(self, step: float) -> Array:
        """Return Y (1, n, n) at the first state moved along its rates for a time ``step``."""
        s, f = self.states[0], self.frames.tree.f
        at = {n: [float(f.symbols[n].c[k][0]) for k in (0, 1)] for n in self.names}
        moved = replace(
            s, t=s.t + step, q={n: q + step * v for n, (q, v) in at.items()}, v={n: v for n, (_, v) in at.items()}
        )
        return DirectSpeeds(self.speeds, [moved], False).Y


def _silent(by: str, quantity: str, why: str) -> Comparison:
    return Comparison(by, NAME, quantity, "not checked", explanation=why)


class _Judge:
    """Comparisons of a formalism's quantities of an open tree (``found``) with the direct witness's (``own``)."""

    def __init__(self, tree: System, by: str, states: Sequence[State], found: Mapping[str, Array]) -> None:
        self.tree, self.by, self.states, self.found = tree, by, states, found
        self.names, one = tree.coordinate_names, DirectTree(tree, bind(tree, states, at_rest=True))
        self.own = {"M": one.mass(), "h": one.inertial(), "gravity": one.gravity(), "applied": one.sum_applied_forces()}
        self.sizes = self._sizes()

    def _sizes(self) -> dict[str, Array]:
        """Return the size of each quantity's terms; of the largest quantity, where validation has no kinematics."""
        M, roots = self.own["M"], np.sqrt(np.maximum(np.einsum("sii->si", self.own["M"]), 0.0))
        if takes(self.tree):
            made = scales(TreeKinematics(self.tree, self.states, RUN_ROUNDED))
            return {"M": made.contributions, **{name: made.rows[name] for name in VECTORS}}
        far = max(float(np.abs(self.own[name]).max(initial=0.0)) for name in VECTORS)
        units = roots / np.maximum(roots.max(axis=1, keepdims=True, initial=0.0), 1e-300)
        return {"M": roots[:, :, None] * roots[:, None] + np.abs(M), **dict.fromkeys(VECTORS, far + 0 * units)}

    def compare(
        self, quantity: str, x: Array, y: Array, scale: Array, tolerance: float = RUN,
        names: Sequence[str] = (),
    ) -> Comparison:  # fmt: skip
        """Return the comparison of x (formalism) with y (direct witness) in the worst entry."""
        ones, x = (np.ones(len(x)), np.where(np.isfinite(y), x, np.nan))  # where the fields have no number nobody knows
        difference = ArrayDifference(x, y, np.broadcast_to(scale, x.shape), tolerance * ones, ones)
        return worst(self.by, NAME, quantity, difference, self.states[: len(x)], names or self.names)

    def every(self) -> Iterator[Comparison]:
        """Yield a comparison of every quantity that the formalism gave."""
        for name in ("M", *VECTORS):
            if name in self.found:
                yield self.compare(name, self.found[name], self.own[name], self.sizes[name])
        f = bind(self.tree, self.states, at_rest=True)
        for name, k in (("q", 0), ("v", 1)):
            if name in self.found and self.names:
                own = np.stack([f.symbols[x].c[k] for x in self.names], axis=1).astype(float)
                yield self.compare(name, self.found[name], own, 1.0 + np.abs(own))
        a = self.found.get("acceleration")
        given = np.array([[s.a.get(name, 0.0) for name in self.names] for s in self.states])
        if "inverse_dynamics" in self.found:
            yield self.compare("inverse_dynamics", self.found["inverse_dynamics"], self.needed(given), self.size(given))
        if a is not None:
            name = "reactions" if "reactions" in self.found else "effort"  # reactions are those of drives too
            loads = [self.found[name]] if name in self.found else []
            size = self.size(a) + sum(map(np.abs, loads))
            size = np.broadcast_to(size.max(axis=1, keepdims=True, initial=0.0), a.shape)
            yield self.compare(PUT_BACK, self.needed(a), sum(loads, np.zeros_like(a)), size)
        if {"D", "lambda", "reactions"} <= self.found.keys():
            D, load, reactions = (self.found[name] for name in ("D", "lambda", "reactions"))
            made, size = (np.einsum("smi,sm->si", f(D), f(load)) for f in (np.asarray, np.abs))
            yield self.compare("reactions", reactions, made, size)
        if {"reactions", "reactions_from_bodies"} <= self.found.keys():
            x, y = self.found["reactions_from_bodies"], self.found["reactions"]
            size = self.size(a if a is not None else given) + np.abs(y)
            yield self.compare("reactions_from_bodies", x, y, size)
        if "regressor" in self.found:
            kinematics, columns = TreeKinematics(self.tree, self.states), labels(self.tree)
            own, y = efforts(kinematics, columns[:: len(TEN)]), self.found["regressor"]
            rows = [f"{name}: {label}" for name in self.names for label in columns]
            flat = (len(y), -1)
            yield self.compare(
                "regressor", y.reshape(flat), own.reshape(flat), np.abs(own).max() + 0 * own.reshape(flat), names=rows
            )
        if CORIOLIS in self.found:
            matrix, made_of = self.coriolis()
            yield self.compare(CORIOLIS, self.found[CORIOLIS][:1], matrix, made_of + 0 * matrix)
        yield from self._derivatives(given)

    def coriolis(self) -> tuple[Array, float]:
        """Return ½ (∂h/∂q' - ∂h/∂q' at q' = 0) (1, n, n) at the first state, and the size of its terms.

        Central differences are exact, as h is quadratic in the rates. The size is that of h per rate plus M times rate.
        """
        s = self.states[0]
        rates = bind(self.tree, [s], at_rest=True)
        v = np.array([float(rates.symbols[name].c[1][0]) for name in self.names])
        fastest = float(np.abs(v).max(initial=0.0))
        step = fastest if fastest > SLOWEST else 1.0
        one = np.eye(len(v)) * step
        moved = np.concatenate([v + one, v - one, one, -one])
        still = [replace(s, v=dict(zip(self.names, row.tolist(), strict=True)), a={}) for row in moved]
        h = DirectTree(self.tree, bind(self.tree, still, at_rest=True)).inertial().reshape(4, len(v), -1)
        made_of = np.abs(h).max(initial=0.0) / step + step * np.abs(self.sizes["M"][0]).max(initial=0.0)
        return (h[0] - h[1] - h[2] + h[3]).T[None] / (4 * step), float(made_of)

    def needed(self, a: Array, states: Sequence[State] = ()) -> Array:
        """Return M a + h - gravity - applied at the accelerations a."""
        moved = [
            replace(s, a=dict(zip(self.names, row.tolist(), strict=True)))
            for s, row in zip(states or self.states, a, strict=True)
        ]
        tree = DirectTree(self.tree, bind(self.tree, moved, at_rest=False))
        return np.asarray(tree.inertial() - tree.gravity() - tree.sum_applied_forces())

    def size(self, a: Array) -> Array:
        made_of = np.einsum("sij,sj->si", self.sizes["M"], np.abs(a))
        return np.asarray(made_of + sum(self.sizes[name] for name in VECTORS))

    def _derivatives(self, given: Array) -> Iterator[Comparison]:
        """Yield comparisons of derivatives at the first state with central differences; ∂a/∂τ is put back into M."""
        M, one = self.own["M"][:1], np.eye(len(self.names))[None]
        right = sum(self.own[name][0] for name in ("gravity", "applied")) - self.own["h"][0]
        for name, x in self.found.items():
            if name == "da_dtau":
                root = np.sqrt(np.einsum("sii->si", M))
                unit = root[:, :, None] / root[:, None]
                size = unit * (1.0 + (np.abs(M) @ np.abs(x[:1]) / unit).max())
                yield self.compare("M da_dtau", M @ x[:1], one, size)
            if name not in SHIFTED:
                continue
            solved = name.startswith("da")
            a = np.linalg.solve(M[0], right) if solved else given[0]
            slope, size = self._slope(SHIFTED[name], a)
            y = -(M @ x[:1]) if solved else x[:1]
            scale = size.max() + np.abs(slope).max() + 0 * slope
            yield self.compare(f"M {name}" if solved else name, y, slope, scale, SLOPES)

    def _slope(self, group: str, a: Array) -> tuple[Array, Array]:
        """Return ∂(M a + h - gravity - applied)/∂q or ∂q' (1, n, n) at the first state; sizes of the forces' terms."""
        s, ends = self.states[0], []
        f = bind(self.tree, [s], at_rest=True)
        at = {name: [float(f.symbols[name].c[k][0]) for k in (0, 1)] for name in self.names}
        q, v = ({name: x[k] for name, x in at.items()} for k in (0, 1))
        steps = [STEP * (1 + 1e-3 * abs((q if group == "q" else v)[name])) for name in self.names]
        for name, step in zip(self.names, steps, strict=True):
            for sign in (1, -1):
                shifted = {"q": dict(q), "v": dict(v)}
                shifted[group][name] += sign * step
                ends.append(replace(s, q=shifted["q"], v=shifted["v"]))
        forces = self.needed(np.tile(a, (len(ends), 1)), ends).reshape(len(steps), 2, -1)
        slope = (forces[:, 0] - forces[:, 1]) / (2 * np.array(steps))[:, None]
        return slope.T[None], self.size(a[None])[:1]
