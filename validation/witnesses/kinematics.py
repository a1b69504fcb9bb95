"""Judge kinematic quantities by the direct witness's frames, and those of formalisms by each other.

A number is allowed a part of what it is made of: shifts, rates and second rates along the path from the fixed frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.kinematics import KinematicQuantity
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array, norm
from ..judge.tolerances import KINEMATICS
from .direct.formulas import bind
from .direct.motion import expand_amount
from .direct.tree import NAME, DirectTree, obstacles

#: Quantity by formalism and name (S, …), the one that is printed first.
Found = Mapping[str, Mapping[str, Array]]
Flags = NDArray[np.bool_]


def hide_unknown(values: Mapping[str, Array], asked: Mapping[str, KinematicQuantity], known: Flags) -> None:
    """Put NaN, in place, where accelerations of points are asked for and those of the coordinates are unknown."""
    for name, x in asked.items():
        if x.is_accelerated:
            values[name][~known] = np.nan


def judge_kinematics(
    system: System, states: Sequence[State], asked: Mapping[str, KinematicQuantity], found: Found, known: Flags
) -> Iterator[Comparison]:
    """Yield comparisons of the first formalism's quantities at S states with the direct witness and the others.

    The states have the accelerations at which accelerations of points were computed, where they are ``known`` (S,).
    """
    tree = system.open_loops()
    by, *others = found
    against = obstacles(tree)
    try:
        if against:
            raise MbconcordError(against[0].reason)
        with np.errstate(all="ignore"):
            moving, resting = (DirectFrames(DirectTree(tree, bind(tree, states, at_rest=x))) for x in (False, True))
            own = {name: (resting if x.kind == "drift" else moving) for name, x in asked.items()}
            made = {name: own[name].express(x) for name, x in asked.items()}
            for values in (made, *(found[each] for each in others)):
                hide_unknown(values, asked, known)
            sizes = {name: own[name].size(x) for name, x in asked.items()}
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        text = str(problem).splitlines()[0]
        yield from (Comparison(by, NAME, name, "not checked", explanation=text) for name in asked)
        return
    tolerance, one = np.full(len(states), KINEMATICS), np.ones(len(states))
    for name, x in asked.items():
        labels = [".".join(entry) for entry in x.entries(tree)]
        if not labels:
            continue
        flat = (len(states), -1)
        first, scale = found[by][name].reshape(flat), sizes[name].reshape(flat)
        for other, second in ((NAME, made[name]), *((each, found[each][name]) for each in others)):
            difference = ArrayDifference(first, second.reshape(flat), scale, tolerance, one)
            yield worst(by, other, name, difference, states, labels)


class DirectFrames:
    """Kinematic quantities of the frames of a tree, from the model's fields."""

    def __init__(self, tree: DirectTree) -> None:
        self.tree = tree

    def express(self, x: KinematicQuantity) -> Array:
        """Return a quantity (S, …)."""
        frame = self.tree.frames[x.body]
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
        """Return what each entry of a quantity is made of (S, …)."""
        shift, slide, slide_rate, turn, turn_rate, far = self.extent(x.body)
        far = far if x.along is None else far + self.extent(x.along)[-1]
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

    def extent(self, name: str) -> tuple[Array, ...]:
        """Sum absolute values along the path to the frame of a body; of sections of elastic bodies, their motion.

        Returns
        -------
        tuple of arrays (S,)
            Shifts, their rates and second rates; rates of angles and their second rates; 1 and the angles.
        """
        zero = np.zeros(self.tree.f.count)
        shifts, turns = [zero] * 3, [1 + zero, zero, zero]
        for body in self.tree.system.path(name):
            for step in body.joint:
                _, amount = expand_amount(step.motion, self.tree.names, self.tree.f)
                own = shifts if step.is_translation else turns
                for k, factor in enumerate((1, 1, 2)):
                    own[k] = own[k] + factor * np.abs(amount.c[k])
            if body.parent_node is not None:
                a, b = self.tree.frames[body.parent], self.tree.carrier(body)
                shifts = [x + norm(d) for x, d in zip(shifts, (b.r - a.r, b.dr - a.dr, b.ddr - a.ddr), strict=True)]
                turns = [
                    x + norm(d)
                    for x, d in zip(turns, (0 * a.r, b.spin - a.spin, b.spin_rate - a.spin_rate), strict=True)
                ]
        return (*shifts, turns[1], turns[2], turns[0])
