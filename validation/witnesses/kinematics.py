"""Judge kinematic quantities by the direct witness's frames, and those of formalisms by each other.

Tolerances are relative to the size of a number's terms: shifts, rates, second rates on the path from the fixed frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import MbconcordError, NumbersError, error
from mbconcord.model.expressions import Expression, ExpressionError
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.expressions.traversal import Nested
from mbconcord.model.force import Point
from mbconcord.model.functions import define
from mbconcord.model.kinematics import KinematicQuantity, express_kinematics, mass_point
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array, norm
from ..judge.tolerances import KINEMATICS
from ..judge.uncertainty import inputs
from .direct.energies import kinetic_energy, mass_centre, momenta, potential_energy
from .direct.formulas import bind
from .direct.motion import expand_amount
from .direct.tree import NAME, DirectTree, obstacles

#: Numbers (S, …) with bounds of their rounding, by name.
Bounded = dict[str, tuple[Array, Array]]
Flags = NDArray[np.bool_]


def has_motions(by: Formalism) -> bool:
    """Return True if a formalism can derive the motions of points."""
    return type(by).motions is not Formalism.motions


def evaluate_kinematics(
    tree: System, by: Sequence[Formalism], at: Instance, asked: Mapping[str, KinematicQuantity]
) -> dict[str, Bounded]:
    """Evaluate kinematic quantities of a tree, with bounds of rounding, by formalisms that derive motions of points.

    All are one program: what several formalisms write alike, as sines, is computed once.

    Raises
    ------
    NumbersError
        A function has no formula.
    """

    def express(f: Formalism) -> Iterable[Nested]:
        return express_kinematics(tree, lambda points: f.motions(tree, points) or (), asked).values()

    made = [[*flatten(x)] for f in by for x in express(f)]
    if not made:
        return {f.name: {} for f in by}
    place = f"{by[0].name}/{next(iter(asked))}"
    columns, start = evaluate_bounded(tree, at, [x for each in made for x in each], place), 0
    found: dict[str, Bounded] = {f.name: {} for f in by}
    shapes = {name: (len(at), *map(len, x.indices(tree))) for name, x in asked.items()}
    for (f, name), own in zip(product(found, asked), made, strict=True):
        stop = start + len(own)
        values, bounds = (np.ascontiguousarray(c[:, start:stop]).reshape(shapes[name]) for c in columns)
        found[f][name], start = (values, bounds), stop
    return found


def evaluate_bounded(tree: System, at: Instance, outputs: Sequence[Expression], place: str) -> tuple[Array, Array]:
    """Evaluate k formulas at N states (N, k), with bounds of their rounding.

    Raises
    ------
    NumbersError
        A function has no formula.
    """
    try:
        roots = define(outputs, tree.functions)
        with np.errstate(all="ignore"):
            given = inputs(tree, at)
            both = run_bounds(levels(program(roots)), given.values, given.bounds)
    except ExpressionError as problem:
        raise NumbersError(error(place, str(problem))) from None
    values, bounds = (np.broadcast_to(x, (len(roots), len(at))).T + 0.0 for x in both)
    return values, bounds


def hide_unknown(values: Bounded, asked: Mapping[str, KinematicQuantity], known: Flags) -> None:
    """Set accelerations of points to NaN, in place, at states where those of the coordinates are not ``known``."""
    for name, x in asked.items():
        if x.is_accelerated:
            values[name][0][~known] = np.nan


def judge_kinematics(
    system: System, states: Sequence[State], asked: Mapping[str, KinematicQuantity], found: Mapping[str, Bounded],
    known: Flags | None = None, together: str = "",
) -> list[Comparison]:  # fmt: skip
    """Compare kinematic quantities at S states between all pairs of the direct witness and the formalisms (``found``).

    Accelerations of points are compared where those of the coordinates, which the states hold, are ``known`` (S,).
    ``together`` is the name under which all are compared as one quantity; if empty, each is compared separately.
    """
    tree, count = system.open_loops(), len(states)
    against = obstacles(tree)
    groups = {together: [*asked]} if together else {name: [name] for name in asked}
    try:
        if against:
            raise MbconcordError(against[0].reason)
        with np.errstate(all="ignore"):
            moving, resting = (DirectFrames(DirectTree(tree, bind(tree, states, at_rest=x))) for x in (False, True))
            own = {name: (resting if x.kind == "drift" else moving) for name, x in asked.items()}
            made = {name: (y, 0 * y) for name, x in asked.items() for y in [own[name].express(x)]}
            sizes = {name: own[name].size(x) for name, x in asked.items()}
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        text = str(problem).splitlines()[0]
        return [Comparison(next(iter(found)), NAME, name, "not checked", explanation=text) for name in groups]
    sides: dict[str, Bounded] = {**found, NAME: made}
    if known is not None:
        for values in sides.values():
            hide_unknown(values, asked, known)
    series = any(body.modal for body in tree.bodies)  # turns of sections are cut off, by each in its way
    compared = []
    for quantity, names in groups.items():
        entries = [(name, ".".join(entry)) for name in names for entry in asked[name].entries(tree)]
        labels = [f"{name} {entry}" if together else entry for name, entry in entries]
        if not labels:
            continue
        scale = np.concatenate([sizes[name].reshape(count, -1) for name in names], axis=1)
        flat = {
            side: [np.concatenate([values[n][i].reshape(count, -1) for n in names], axis=1) for i in (0, 1)]
            for side, values in sides.items()
        }
        for a, b in combinations(flat, 2):
            (x, own_bound), (y, other_bound) = flat[a], flat[b]
            tolerance = np.full(count, KINEMATICS if series or b == NAME else 0.0)
            difference = ArrayDifference(x, y, scale, tolerance, np.ones(count), bound=own_bound + other_bound)
            seen = difference.first(count) if together else difference
            compared.append(worst(a, b, quantity, seen, states, labels))
    return compared


class DirectFrames:
    """Kinematic quantities of points, bodies and the whole machine, from frames of the direct witness."""

    def __init__(self, tree: DirectTree) -> None:
        self.tree = tree

    def express(self, x: KinematicQuantity) -> Array:
        """Return the values of a kinematic quantity at S states (S, …)."""
        if x.is_of_machine:
            linear, angular = momenta(self.tree)
            if x.kind.startswith("angular") and "center_of_mass" in x.kind:
                return np.asarray(angular - np.cross(mass_centre(self.tree), linear))
            return {
                "center_of_mass": mass_centre(self.tree), "linear_momentum": linear, "angular_momentum": angular,
                "kinetic_energy": kinetic_energy(self.tree)[0], "potential_energy": potential_energy(self.tree)[0],
            }[x.kind]  # fmt: skip
        frame = self.tree.locate(x.point)
        axes = np.swapaxes(self.tree.frames[x.along].R, 1, 2)  # columns are turned at once
        if x.kind == "pose":
            return np.asarray(axes @ np.concatenate([frame.R, frame.r[:, :, None]], axis=2))
        if x.kind == "jacobian":
            J = np.zeros((len(frame.r), 6, len(self.tree.names)))
            J[:, :, list(frame.moved)] = np.concatenate([axes @ frame.moves, axes @ frame.turns], axis=1)
            return J
        parts = {
            "position": (frame.r,), "velocity": (frame.dr,), "angular_velocity": (frame.spin,),
            "acceleration": (frame.ddr,), "angular_acceleration": (frame.spin_rate,),
            "drift": (frame.ddr, frame.spin_rate),
        }  # fmt: skip
        return np.concatenate([np.einsum("sij,sj->si", axes, part) for part in parts[x.kind]], axis=1)

    def size(self, x: KinematicQuantity) -> Array:
        """Return the size of the terms of each entry of a quantity (S, …): the scale of its tolerance."""
        if x.is_of_machine:
            return self.machine_size(x.kind)
        shift, slide, slide_rate, turn, turn_rate, far = self.extent(x.point)
        far = far if x.along is None else far + self.extent(Point(x.along))[-1]
        one, spun = np.ones_like(far), turn_rate + turn**2
        moved, pushed = slide + turn * shift, slide_rate + 2 * turn * slide + spun * shift
        parts = {
            "pose": (one, shift), "position": (shift,), "velocity": (moved,), "angular_velocity": (turn,),
            "acceleration": (pushed,), "angular_acceleration": (spun,), "drift": (pushed, spun),
            "jacobian": (one + shift, one),
        }[x.kind]  # fmt: skip
        rows = np.repeat(np.stack([far * part for part in parts], axis=1), 3, axis=1)
        if x.kind == "pose":  # three columns of the axes, one of the origin
            return np.stack([rows[:, :3]] * 3 + [rows[:, 3:]], axis=2)
        return np.repeat(rows[:, :, None], len(self.tree.names), axis=2) if x.kind == "jacobian" else rows

    def machine_size(self, kind: str) -> Array:
        """Return the size of the terms of a quantity of the machine: sums of absolute values over the bodies (S, …)."""
        zero, f, gravity = np.zeros(self.tree.f.count), self.tree.f, self.tree.system.gravity
        weight = np.abs(f.value(gravity.value)) if gravity else zero
        total, first, linear, angular, twice = zero, zero, zero, zero, zero
        for body in self.tree.system.bodies:
            shift, slide, _, turn, _, _ = self.extent(mass_point(body))
            mass, tensor = np.abs(f.value(body.inertia.mass)), np.abs(f.values(body.inertia.tensor)).sum(axis=1)
            moved = slide + turn * shift
            total, first, linear = total + mass, first + mass * shift, linear + mass * moved
            angular = angular + mass * shift * moved + tensor * turn
            twice = twice + mass * moved**2 + tensor * turn**2
        if kind.endswith("energy"):
            return weight * first if kind == "potential_energy" else twice + 2 * kinetic_energy(self.tree)[1]
        own = {"center_of_mass": first / total, "linear_momentum": linear}.get(kind, angular)
        own = own + first / total * linear if "about=center" in kind else own
        return np.repeat(own[:, None], 3, axis=1)

    def extent(self, point: Point) -> tuple[Array, ...]:
        """Sum absolute values of joint motions along the path to a point, and of motions relative to bodies' frames.

        Returns
        -------
        tuple of arrays (S,)
            Shifts, their rates and second rates; rates of angles and their second rates; 1 plus the angles.
        """
        zero = np.zeros(self.tree.f.count)
        shifts, turns = [zero] * 3, [1 + zero, zero, zero]
        ends = [(self.tree.frames[point.body], self.tree.locate(point))] if any(point.position) else []
        for body in self.tree.system.path(point.body):
            for step in body.joint:
                _, amount = expand_amount(step.motion, self.tree.names, self.tree.f)
                own = shifts if step.is_translation else turns
                for k, factor in enumerate((1, 1, 2)):
                    own[k] = own[k] + factor * np.abs(amount.c[k])
            if body.parent_node is not None:
                ends.append((self.tree.frames[body.parent], self.tree.carrier(body)))
        for a, b in ends:
            shifts = [x + norm(d) for x, d in zip(shifts, (b.r - a.r, b.dr - a.dr, b.ddr - a.ddr), strict=True)]
            off = 0 * a.r, b.spin - a.spin, b.spin_rate - a.spin_rate
            turns = [x + norm(d) for x, d in zip(turns, off, strict=True)]
        return (*shifts, turns[1], turns[2], turns[0])
