"""Validation's own constraint rows, from the motions of points and frames: they decide whether states are closed.

A cut joint keeps its own coordinates, as coordinates of massless bodies in the tree, and all six rows of the two
frames. If rows of the generalized coordinates alone are needed, the auxiliary ones are projected out. No formalism uses
this method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.coordinate import Coordinate
from mbconcord.model.expressions import ONE, TIME, Expression, directional, gradient, rate, symbol, symbols
from mbconcord.model.expressions.bounds import U
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.force import KinematicWord, Point, find_words, rolling_formulas
from mbconcord.model.functions import define
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..kinematics import TreeKinematics
from ..motion import Array, MotionNumbers, cross
from ..scale import line
from ..tolerances import CLEAR, SATISFIED, SINGULAR
from ..uncertainty import inputs

#: Entries of D that change by this part of themselves on the way to the constraint say nothing of a row there.
DOUBT = 0.5


@dataclass(frozen=True)
class Rows:
    """Rows of a constraint, or of all, at N states; m rows, k coordinates of the tree with auxiliary ones.

    Attributes
    ----------
    gap (N, m) : f(q, t), zero where the constraint holds; zero for rows of rates alone
    D (N, m, k) : of D q' + γ
    speed, rest (N, m) : D q' + γ, and γ̃
    reach, flow, shaking (N, m) : sums of absolute values that gap, speed and rest are made of
    lever (N, m, k) : the same sums for entries of D; infinite for a rod so short that it has no direction, and for a
        formula at a double zero
    """

    gap: Array
    D: Array
    speed: Array
    rest: Array
    reach: Array
    flow: Array
    shaking: Array
    lever: Array

    @property
    def certain(self) -> Array:
        """Mark the states (N,) at which no row may vanish: every lever is finite."""
        return np.asarray(np.isfinite(self.lever).all(axis=(1, 2)))

    @property
    def relative_gaps(self) -> Array:
        """|gap| and |speed| divided by the sums of their absolute terms (N, 2 m); infinite if these are not finite."""
        value = np.concatenate([self.gap, self.speed], axis=1)
        with np.errstate(all="ignore"):
            part = np.where(value == 0, 0.0, np.abs(value) / np.concatenate([self.reach, self.flow], axis=1))
        return np.asarray(np.where(np.isfinite(part), part, np.inf))


def constraint_rows(system: System, extended: Sequence[State]) -> Rows:
    """Derive the rows of a system at states of its tree with auxiliary coordinates, :func:`with_cut_joints`."""
    return RowsByConstraint(system, extended).rows


def find_satisfied(system: System, extended: Sequence[State], room: Array | float = 0.0) -> Array:
    """Select states (N,) that satisfy the constraints in position and rates, within ``room``, by these rows."""
    if not extended:
        return np.zeros(0, dtype=bool)
    missed = constraint_rows(system, extended).relative_gaps
    return np.asarray(missed.max(axis=1, initial=0.0) <= SATISFIED + room)


class RowsByConstraint:
    """The rows of a system at states of its tree with auxiliary coordinates, and their constraints.

    Attributes
    ----------
    rows : of all constraints
    names : of the constraints, or drives that impose accelerations, by row
    """

    def __init__(self, system: System, extended: Sequence[State]) -> None:
        self.k = TreeKinematics(with_cut_joints(system), extended)
        none = np.zeros((self.k.count, 0))
        wide = np.zeros((self.k.count, 0, self.k.n))
        parts = [("", Rows(none, wide, none, none, none, none, none, wide))]
        parts += [(c.name, rows) for c in system.constraints for rows in self._rows(c)]
        parts += [(drive_row(name), self._drive(name, a)) for name, a in find_imposed_accelerations(system).items()]
        self.names = tuple(name for name, rows in parts for _ in range(rows.gap.shape[1]))
        columns = zip(*(_fields(rows) for _, rows in parts), strict=True)
        made = Rows(*(np.concatenate(column, axis=1) for column in columns))
        # the rates that others leave a row of one coordinate are their rounding
        fastest = np.abs(self.k.v).max(axis=1, initial=0.0)
        self.rows = replace(made, flow=made.flow + U * np.abs(made.D).sum(axis=2) * fastest[:, None])

    def _rows(self, constraint: object) -> Iterator[Rows]:
        if isinstance(constraint, Rod):
            yield self._rod(constraint)
        elif isinstance(constraint, PointCoincidence):
            yield points(self.k.point(constraint.first), self.k.point(constraint.second))
        elif isinstance(constraint, FrameCoincidence):
            ends = (self.k.frame(name) for name in frames_of(constraint))
            yield from coincidence(*ends)
        elif isinstance(constraint, Holonomic | Nonholonomic) and constraint.element is not None:
            yield self._rolling(constraint)
        elif isinstance(constraint, Holonomic):
            yield self._formula(constraint.expression, None)
        elif isinstance(constraint, Nonholonomic):
            terms = (z * rate(name) for name, z in constraint.coefficients.items())
            yield self._formula(None, sum(terms, constraint.rest))

    def _rod(self, rod: Rod) -> Rows:
        first, second = self.k.point(rod.first), self.k.point(rod.second)
        length, speed, unit = line(first, second)
        apart = points(second, first)
        (given,) = self.k.scalars([rod.length])
        velocity = second.velocity - first.velocity
        with np.errstate(all="ignore"):
            across = (np.einsum("si,si->s", velocity, velocity) - speed**2) / length
            whirl = (first.speed + second.speed) ** 2 / length
            turned = 1 + (first.path + second.path) / length  # what rounding does to the rod's direction
        rest = np.einsum("si,si->s", unit, apart.rest) + across
        return Rows(
            (length - given)[:, None],
            np.einsum("si,sij->sj", unit, apart.D)[:, None],
            speed[:, None],
            rest[:, None],
            apart.reach[:, :1],
            apart.flow[:, :1],
            (apart.shaking[:, 0] * turned + whirl)[:, None],
            apart.lever[:, :1] * np.where(turned < 1 / SINGULAR, turned, np.inf)[:, None, None],
        )

    def _drive(self, name: str, acceleration: Expression) -> Rows:
        """Return the row q'' - a = 0 of a drive; its gap and speed are zero, so that no state violates it."""
        (value,) = self.k.scalars([acceleration])
        own = np.zeros((self.k.count, 1, self.k.n))
        own[:, 0, self.k.system.coordinate_names.index(name)] = 1.0
        none = np.zeros((self.k.count, 1))
        return Rows(none, own, none, -value[:, None], none + 1, none + 1, np.abs(value)[:, None], own)

    def _rolling(self, c: Holonomic | Nonholonomic) -> Rows:
        """Return the row of a rolling body: its formula of words by the chain rule, with the motion of each word."""
        is_gap, (formula,) = isinstance(c, Holonomic), rolling_formulas([c])
        places = find_words((), (), self.k.system.points, [c])
        words = [(symbol(str(word)), *self._word(word, *at)) for word, at in places.items()]
        first, second = ({word: rate(word.data, i) for word, *_ in words} for i in (1, 2))
        extra = {x.data: m[0] for x, _, m, _ in words}
        for word, _, motion, _ in words:
            extra |= {rate(word.data, i).data: motion[i] for i in (1, 2)}
        (speed,) = directional([formula], first)
        (turned,) = directional([speed], first | {first[w]: second[w] for w in first})
        slopes = gradient(formula, [*first])
        gap, moving, resting, *own = self.k.scalars([formula, speed, turned, *slopes], extra)
        none, parts = np.zeros((self.k.count, 1)), list(zip(words, own, strict=True))
        D = sum((x[:, None] * w[1] for w, x in parts if is_gap or w[3]), np.zeros((self.k.count, self.k.n)))
        reach, flow, shaking = (
            sum((np.abs(x) * w[2][i] for w, x in parts), np.zeros(self.k.count))[:, None] for i in (3, 4, 5)
        )
        lever = sum((np.abs(x[:, None] * w[1]) for w, x in parts), np.abs(D))[:, None]
        if is_gap:
            reach = reach + np.abs(D).sum(axis=1, keepdims=True)
            return Rows(gap[:, None], D[:, None], moving[:, None], resting[:, None], reach, flow, shaking, lever)
        return Rows(none, D[:, None], gap[:, None], moving[:, None], none + 1, reach, flow, lever)

    def _word(self, word: KinematicWord, point: Point, axes: str | None) -> tuple[Array, Sequence[Array], bool]:
        """Return a word's slopes by rates (N, n), its value, two rates and their three sizes (N,); True for rates."""
        at, seen = self.k.point(point), self.k.frame(axes)
        J, values, sizes = {
            "r": (at.moving, (at.position, at.velocity, at.acceleration), (at.path, at.speed, at.shaking)),
            "v": (at.moving, (at.velocity, at.acceleration, at.acceleration * 0), (at.speed, at.shaking, at.shaking)),
            "w": (at.turning, (at.spin, at.spin_rate, at.spin * 0), (at.turn_speed, at.turn_shaking, at.turn_shaking)),
        }[word.kind]  # fmt: skip
        x, v, a = values
        w, e = seen.spin, seen.spin_rate  # in axes that turn with w: x' = v - w x x, x'' = a - e x x - 2 w x x'...
        first = v - cross(w, x)
        second = a - cross(e, x) - cross(w, v) - cross(w, first)
        J = J - cross(seen.turning, x[:, :, None]) if word.kind == "r" else J
        i = "xyz".index(word.word[1])
        own = [np.einsum("sj,sj->s", seen.rotation[:, :, i], each) for each in (x, first, second)]
        part, turn = np.einsum("sj,sjn->sn", seen.rotation[:, :, i], J), seen.turn_speed
        shaking = sizes[2] + 2 * turn * sizes[1] + (seen.turn_shaking + turn**2) * sizes[0]
        return part, (*own, sizes[0], sizes[1] + turn * sizes[0], shaking), word.kind != "r"

    def _formula(self, f: Expression | None, speed: Expression | None) -> Rows:
        """Return rows of f(q, t) = 0, or speed(q, q', t) = 0."""
        names = self.k.system.coordinate_names
        along = {TIME: ONE, **{symbol(name): rate(name) for name in names}}
        if f is not None:
            (speed,) = directional([f], along)
        assert speed is not None
        D = gradient(speed, [rate(name) for name in names])
        (rest,) = directional([speed], along)
        parts = [x * rate(name) for x, name in zip(gradient(rest, [rate(n) for n in names]), names, strict=True)]
        gap, moving, resting, *rows = (
            x[:, None] for x in self.k.scalars([f if f is not None else symbol("t") * 0, speed, rest, *D, *parts])
        )
        slopes, drifts = np.concatenate(rows[: len(D)], axis=1), np.concatenate(rows[len(D) :], axis=1)
        size = np.abs(slopes * self.k.v).sum(axis=1, keepdims=True)
        reach = (np.abs(slopes) * (1 + np.abs(self.k.q))).sum(axis=1, keepdims=True)
        size += np.abs(moving) + self._made_of([speed])
        return Rows(
            gap,
            slopes[:, None],
            moving,
            resting,
            np.where(reach > 0, reach, 1.0),  # whatever factor the row is multiplied by
            size,
            np.abs(drifts).sum(axis=1, keepdims=True) + np.abs(resting),
            np.where(self._is_row(D, slopes, gap), np.abs(slopes), np.inf)[:, None],
        )

    def _is_row(self, D: Sequence[Expression], slopes: Array, gap: Array) -> Array:
        """Mark the states (N, 1) at which some entry of a formula's row is certain, whatever factor the formula has.

        Such an entry exceeds the rounding of its terms, and does not vanish up to the nearest possible zero of the
        formula: at a double zero, as of (x - y)^2, it is open whether there is a row.
        """
        entries = np.abs(slopes)
        if not symbols(D):
            return np.ones((self.k.count, 1), dtype=bool)
        with np.errstate(all="ignore"):
            away = np.abs(gap) / entries.max(axis=1, keepdims=True, initial=0.0)
        turned = self._bounds(D, np.where(np.isfinite(away), away, 0.0)) / DOUBT
        certain = (entries > SINGULAR * CLEAR * self._made_of(D)) & (entries > turned)
        return np.asarray(certain.any(axis=1, keepdims=True))

    def _made_of(self, formulas: Sequence[Expression]) -> Array:
        """Return the size (N, k) of the formulas' terms, from running error bounds; zero where these are infinite.

        A value left over from cancelling terms, e.g. an entry of D that is zero but for rounding, is no such size: the
        positions of a state on the constraints are rounded, too.
        """
        return self._bounds(formulas, np.zeros((self.k.count, 1))) / U

    def _bounds(self, formulas: Sequence[Expression], away: Array) -> Array:
        """Bound the error of formulas (N, k) of rounded positions that are ``away`` (N, 1) from a zero."""
        system, states = self.k.system, self.k.states
        off = U * np.abs(self.k.q) + away
        lines = levels(program(define(formulas, system.functions)))
        bounds = inputs(system, states, dict(zip(system.coordinate_names, off.T, strict=True))).run(lines)[1].T
        return np.where(np.isfinite(bounds), bounds, 0.0)


def measure_lengths(rows: Array) -> Array:
    """Return the lengths (N, m) of rows (N, m, k), without overflow; 1 for rows that are zero."""
    largest = rows.max(axis=2, initial=0.0)
    unit = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return np.where(largest > 0, unit * np.linalg.norm(rows / unit[:, :, None], axis=2), 1.0)


def points(first: MotionNumbers, second: MotionNumbers) -> Rows:
    """Return the three rows of coincident points: position of the first less that of the second, world axes."""

    def three(values: Array) -> Array:
        return np.repeat(values[:, None], 3, axis=1)

    return Rows(
        first.position - second.position,
        first.moving - second.moving,
        first.velocity - second.velocity,
        first.acceleration - second.acceleration,
        three(first.path + second.path),
        three(first.speed + second.speed),
        three(first.shaking + second.shaking),
        three(first.lever + second.lever),
    )


def coincidence(first: MotionNumbers, second: MotionNumbers) -> Iterator[Rows]:
    """Yield rows of coincident frames: origins, and the rotation vector from second to first, world axes."""
    yield points(first, second)
    turned = np.einsum("sij,skj->sik", first.rotation, second.rotation)

    def three(values: Array) -> Array:
        return np.repeat(values[:, None], 3, axis=1)

    yield Rows(
        rotation_vector(turned),
        first.turning - second.turning,
        first.spin - second.spin,
        first.spin_rate - second.spin_rate,
        np.ones((len(turned), 3)),
        three(first.turn_speed + second.turn_speed),
        three(first.turn_shaking + second.turn_shaking),
        three(first.turns + second.turns),
    )


def rotation_vector(rotation: Array) -> Array:
    """Return axis times angle (N, 3), the angle from 0 to π."""
    r = rotation
    twice = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    sine = np.linalg.norm(twice, axis=1) / 2
    angle = np.arctan2(sine, (np.einsum("sii->s", r) - 1) / 2)
    with np.errstate(all="ignore"):
        factor = np.where(sine > 0, angle / (2 * sine), 0.5)
    half = (sine == 0) & (angle > 0)  # R + E = 2 n nᵀ
    axis = np.take_along_axis(r + np.eye(3), np.argmax(np.einsum("sii->si", r), axis=1)[:, None, None], axis=2)
    axis = axis[:, :, 0] / np.linalg.norm(axis[:, :, 0], axis=1, keepdims=True)
    vector: Array = np.where(half[:, None], angle[:, None] * axis, twice * factor[:, None])
    return vector


def with_cut_joints(system: System) -> System:
    """Add a massless body at each side of each cut joint, and the joint's own coordinates, to the open tree."""
    bodies, coordinates = [], []
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for name, side in zip(frames_of(constraint), (constraint.first, constraint.second), strict=True):
                bodies.append(Body(name, side.body, side.transformations))
            coordinates += [Coordinate(name) for name in constraint.auxiliary]
    tree = system.open_loops()
    return replace(tree, coordinates=(*tree.coordinates, *coordinates), bodies=(*tree.bodies, *bodies))


def frames_of(constraint: FrameCoincidence) -> tuple[str, str]:
    """Name the massless bodies at the two sides of a cut joint."""
    return f"constraints/{constraint.name}/first", f"constraints/{constraint.name}/second"


def _fields(rows: Rows) -> tuple[Array, ...]:
    return (
        rows.gap, rows.D, rows.speed, rows.rest, rows.reach, rows.flow, rows.shaking, rows.lever,
    )  # fmt: skip
