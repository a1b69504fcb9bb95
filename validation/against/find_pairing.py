"""The pairing of coordinates by the numbers: a signed permutation under which the two sides move alike.

A model written in another format may have its coordinates in another order and some of them reversed. The search
assigns the generated coordinates one by one, keeps the few best partial assignments, and judges them at states in
which only assigned coordinates are not zero: by the entries of M among them, and by positions and orientations of
the bodies. What it proposes is judged like any other pairing, so a wrong proposal is a disagreement, never an
agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from mbconcord.model.derivation import flatten
from mbconcord.model.equations import GeneratedEquations, coordinate_symbol
from mbconcord.model.expressions import symbols, topological
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.judge.kinematics import Kinematics
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.scale import mass_matrix

from .bodies import in_order, numbers
from .numbers import generated_values
from .pairing import Pair, Pairing

#: How many partial assignments are kept, and at how many states each is judged.
WIDTH, STATES = 24, 2
#: From so many coordinates on fewer are kept.
MANY, NARROW = 12, 8
#: Relative gap up to which two entries are the same to the search.
SAME = 1e-9

Assignment = tuple[tuple[int, int], ...]


def proposals(
    system: System, equations: GeneratedEquations, parameters: Mapping[str, float], seed: int
) -> list[Pairing]:
    """The best signed permutations, the best first; empty when the equations deliver nothing to tell them by."""
    n = equations.count
    telling = equations.mass_matrix is not None or any(
        m.position is not None or m.orientation is not None for m in equations.bodies.values()
    )
    if n is None or not n or not telling:
        return []
    search = _Search(system, equations, parameters, seed)
    beam: list[Assignment] = [()]
    for level in range(n):
        grown = [(*kept, (j, sign)) for kept in beam for j, sign in search.candidates(level, kept)]
        if not grown:
            return []
        scores = search.scores(grown)
        order = sorted(range(len(grown)), key=lambda i: (-scores[i], _strangeness(grown[i])))
        beam = [grown[i] for i in order[: WIDTH if n < MANY else NARROW]]
    names = system.coordinate_names
    return [
        Pairing(tuple(Pair(i, names[j], sign) for i, (j, sign) in enumerate(kept)), "the numbers")
        for kept in beam
    ]


def _strangeness(assignment: Assignment) -> tuple[int, int]:
    """How far from the plain order: reversed coordinates, and displaced ones."""
    return sum(sign < 0 for _, sign in assignment), sum(i != j for i, (j, _) in enumerate(assignment))


class _Search:
    """Both sides as functions of coordinates, at any number of states at once."""

    def __init__(
        self, system: System, equations: GeneratedEquations, parameters: Mapping[str, float], seed: int
    ) -> None:
        self.system, self.equations = system, equations
        self.parameters = parameter_values(system, parameters)  # once: formulas of parameters take time
        self.names = system.coordinate_names
        self.turning = {et.coordinate for body in system.bodies for et in body.joint if not et.is_translation}
        self.angular = _angular(equations)
        random = Random(seed)
        count = equations.count or 0
        self.samples = np.array([[random.uniform(0.3, 1.2) for _ in range(count)] for _ in range(STATES)])
        empty = Kinematics(system, [State(parameters=self.parameters)])
        self.constants = {name: float(value[0]) for name, value in empty.values.items()}
        self.bodies = in_order(numbers(equations), empty, equations.program)

    def candidates(self, level: int, kept: Assignment) -> list[tuple[int, int]]:
        """Coordinates of the model that are free and of the kind of the generated one, either way round."""
        used = {j for j, _ in kept}
        free = [j for j in range(len(self.names)) if j not in used]
        if level in self.angular:
            free = [j for j in free if self.names[j] in self.turning]
        return [(j, sign) for j in free for sign in (1, -1)]

    def scores(self, assignments: Sequence[Assignment]) -> list[int]:
        """How many entries agree under each assignment, all of the same length."""
        level = len(assignments[0])
        states, q = [], self.samples.copy()
        q[:, level:] = 0.0
        for assignment in assignments:
            for row in q:
                position = dict.fromkeys(self.names, 0.0)
                position |= {self.names[j]: sign * row[i] for i, (j, sign) in enumerate(assignment)}
                states.append(State(q=position, v=dict.fromkeys(self.names, 0.0), parameters=self.parameters))
        k = Kinematics(self.system, states)
        theirs = self._generated(q)
        shape = (len(assignments), STATES)
        totals = np.zeros(len(assignments), dtype=int)
        if "M" in theirs:
            totals += _mass_score(
                theirs["M"], mass_matrix(k).reshape(*shape, len(self.names), -1), assignments
            )
        for number, name in self.bodies.items():
            frame = k.frame(name)
            for key, ours in (
                (f"position {number}", frame.position.reshape(*shape, 3)),
                (f"orientation {number}", np.swapaxes(frame.rotation, 1, 2).reshape(*shape, 9)),
            ):
                if key in theirs:
                    near = np.abs(ours - theirs[key]) <= SAME * (1 + np.abs(theirs[key]))
                    totals += near.sum(axis=(1, 2))
        return [int(x) for x in totals]

    def _generated(self, q: Array) -> dict[str, Array]:
        """M (S, n, n), positions (S, 3) and orientations (S, 9) of the generated equations."""
        groups = {}
        if self.equations.mass_matrix is not None:
            groups["M"] = list(flatten(self.equations.mass_matrix))
        for number in self.bodies:
            motion = self.equations.bodies.get(number)
            if motion is not None and motion.position is not None:
                groups[f"position {number}"] = list(motion.position)
            if motion is not None and motion.orientation is not None:
                groups[f"orientation {number}"] = list(flatten(motion.orientation))
        values = dict.fromkeys(symbols(self.equations.expressions()), 0.0) | self.constants
        values |= {coordinate_symbol(i).data: q[:, i] for i in range(q.shape[1])}
        found = {key: generated_values(roots, values, len(q)) for key, roots in groups.items()}
        if "M" in found:
            n = q.shape[1]
            found["M"] = found["M"].reshape(-1, n, n)
        return found


def _mass_score(theirs: Array, ours: Array, assignments: Sequence[Assignment]) -> Array:
    """Entries of M that agree, for every assignment."""
    chosen = np.array([[j for j, _ in a] for a in assignments])
    signs = np.array([[sign for _, sign in a] for a in assignments])
    level = chosen.shape[1]
    rows = np.arange(len(assignments))[:, None, None]
    picked = np.moveaxis(ours, 1, 3)[rows, chosen[:, :, None], chosen[:, None, :]]  # (A, level, level, S)
    picked = picked * (signs[:, :, None] * signs[:, None, :])[..., None]
    wanted = np.moveaxis(theirs[:, :level, :level], 0, 2)
    roots = np.sqrt(np.abs(np.einsum("iis->is", wanted)))
    size = roots[:, None, :] * roots[None, :, :] + np.abs(wanted)
    near = np.abs(picked - wanted) <= SAME * (size + 1e-300)
    return np.asarray(near.sum(axis=(1, 2, 3)))


def _angular(equations: GeneratedEquations) -> set[int]:
    """Numbers of coordinates of which a sine or cosine is taken."""
    places = {coordinate_symbol(i): i for i in range(equations.count or 0)}
    found = set()
    for node in topological(equations.expressions()):
        if node.op == "fun" and node.args[0] in places:
            found.add(places[node.args[0]])
    return found
