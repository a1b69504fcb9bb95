"""A text is read twice: what the model holds is what a second, naive reading of the text computes.

The model's side is taken by the direct witness from its fields; the other side shares nothing with it, nor with the
reader. So a fault of the reader, or of what it builds a model with, shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model.state import State

from ..direct.binding import bound
from ..direct.witness import Tree, obstacles
from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.tolerances import EVALUATION, FOREIGN_ZEROS, evaluation_tolerance
from ..judge.trial import Trial
from ..second.machine import Machine, UnreadError
from ..second.poses import Motion
from ..second.world import World
from .claim import not_checked
from .second_constraints import POSE, constraints

SENTENCE = (
    "Poses, inertias and forces of the model are those that a second, naive reading of its text computes."
)

#: Texts of more bodies take longer than they are worth.
MOST = 200
#: The two sides.
READER, SECOND = "reader", "second reading"
INERTIA = ("mass", *(f"centre {a}" for a in "xyz"), *(f"I{a}" for a in ("xx", "yy", "zz", "xy", "xz", "yz")))


def claim(made: Trial) -> list[Comparison]:
    """Poses, inertias, forces and initial states by the model and by its text; nothing of a model without a text."""
    if made.text is None:
        return []
    refused = obstacles(made.original)
    if refused:
        return [not_checked(SECOND, "the text", refused[0].reason)]
    if len(made.original.bodies) > MOST:
        return [not_checked(SECOND, "the text", f"more than {MOST} bodies: not tried (size)")]
    try:
        machines = made.reread
        if not (made.original.bodies or machines[0].solids):
            return [not_checked(SECOND, "the text", "there are no bodies")]
        return compared(made, machines)
    except UnreadError as problem:
        return [not_checked(SECOND, "the text", f"it does not know {problem}")]


def compared(made: Trial, machines: tuple[Machine, ...]) -> list[Comparison]:
    """Everything that both sides have."""
    for what, theirs, own in (
        ("coordinates", made.original.coordinate_names, machines[0].coordinates),
        ("bodies", [b.name for b in made.original.bodies], [s.name for s in machines[0].solids]),
        ("constraints", [c.name for c in made.original.constraints], machines[0].held),
    ):
        if sorted(theirs) != sorted(own):
            said = f"the model has {', '.join(sorted(theirs)) or 'none'}, the text {', '.join(sorted(own)) or 'none'}"
            return [Comparison(READER, SECOND, f"text: {what}", "disagrees", explanation=said)]
    lost = sorted({*machines[0].beside} - {o.place for o in made.original.omissions if o.acts})
    if lost:
        said = f"the text has {', '.join(lost)}: it acts on the motion, and the model does not say it is left out"
        return [Comparison(READER, SECOND, "text: left out", "disagrees", explanation=said)]
    states = made.placed
    tree = Tree(made.original, bound(made.original, states, at_rest=True))
    worlds = [World(m, _coasting(s)) for m, s in zip(machines, states, strict=True)]
    return [
        *_poses(made, tree, worlds), *_inertias(made, tree, machines), *_forces(made, tree, worlds),
        *_starts(made, tree, machines), *_held(made, tree, worlds), *_armatures(made, tree, machines),
        *_controls(made, machines[0].controls),
    ]  # fmt: skip


def _coasting(state: State) -> Motion:
    """The coordinates at a state, without accelerations."""
    return lambda q: (float(state.q[q]), float(state.v[q]), 0.0)


def _of(
    made: Trial, quantity: str, x: Array, y: Array, scale: Array, entries: Iterable[str]
) -> list[Comparison]:
    """The worst entry of what both sides have; nothing of what neither has."""
    if not x.size:
        return []
    ones = np.ones(len(x))
    difference = Difference(x, y, scale, ones * evaluation_tolerance(), ones)
    return [worst(READER, SECOND, f"text: {quantity}", difference, made.states[: len(x)], tuple(entries))]


def _poses(made: Trial, tree: Tree, worlds: list[World]) -> list[Comparison]:
    """Rotations and positions of all bodies; positions in parts of the longest way to any of them."""
    names = [b.name for b in made.original.bodies]
    frames = [tree.frames[name] for name in names]
    theirs = np.concatenate(
        [np.concatenate([f.R, f.r[:, :, None]], axis=2).reshape(-1, len(POSE)) for f in frames], axis=1
    )
    own = np.array([[w.poses[name].T[:3] for name in names] for w in worlds]).reshape(theirs.shape)
    reach = np.array([_reach(w) for w in worlds])[:, None]
    scale = np.where(np.tile(["r" in entry for entry in POSE], len(names)), reach, 1.0)
    return _of(made, "poses", theirs, own, scale, (f"{name} {part}" for name in names for part in POSE))


def _reach(world: World) -> float:
    """The largest distance from the origin, and the longest shift."""
    shifts = [abs(step.amount[0]) for solid in world.machine.solids for step in solid.steps if not step.turn]
    return max([float(np.abs(pose.T[:3, 3]).max()) for pose in world.poses.values()] + shifts)


def _inertias(made: Trial, tree: Tree, machines: tuple[Machine, ...]) -> list[Comparison]:
    """Mass, centre and tensor about it of every body, each in parts of what it is made of."""
    value, values = tree.f.value, tree.f.values
    theirs, own, scale = [], [], []
    bodies = {b.name: b for b in made.original.bodies}
    for name, body in bodies.items():
        inertia = body.inertia
        theirs.append(np.column_stack([value(inertia.mass), values(inertia.centre), values(inertia.tensor)]))
        numbers = [next(s for s in m.solids if s.name == name) for m in machines]
        own.append([
            (s.mass, *s.centre, *(s.tensor[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
            for s in numbers
        ])  # fmt: skip
        scale.append(
            [_sizes(s.mass, max(math.hypot(*s.centre), s.reach), np.abs(s.tensor).max()) for s in numbers]
        )
    x, y, z = (np.concatenate([np.asarray(p) for p in parts], axis=1) for parts in (theirs, own, scale))
    return _of(made, "inertia", x, y, z, (f"{name} {part}" for name in bodies for part in INERTIA))


def _sizes(mass: float, away: float, tensor: float) -> tuple[float, ...]:
    return abs(mass), away, away, away, *[tensor + abs(mass) * away * away] * 6


def _forces(made: Trial, tree: Tree, worlds: list[World]) -> list[Comparison]:
    """Weights and applied forces along the coordinates; with the weights the acceleration of gravity itself."""
    order = [worlds[0].index[name] for name in made.names]
    rows, count = made.scales.rows, len(worlds)
    weights, applied = (np.array([f(w)[order] for w in worlds]) for f in (World.gravity, World.applied))
    g = made.original.gravity
    falling = tree.f.value(g.value)[:, None] * tree.f.values(g.direction) if g else np.zeros((count, 3))
    least = zip(*(_least(w, made.names) for w in worlds), strict=True)
    weighed, pushed = (
        np.fmax(rows[what][:count], np.array(floor))
        for what, floor in zip(("gravity", "applied"), least, strict=True)
    )
    own = np.array([w.machine.gravity for w in worlds])
    size = np.broadcast_to(np.linalg.norm(own, axis=1, keepdims=True), own.shape)
    x, y, z = (
        np.concatenate(pair, axis=1) for pair in ((tree.gravity(), falling), (weights, own), (weighed, size))
    )
    return [
        *_of(made, "gravity", x, y, z, (*made.names, *(f"g {a}" for a in "xyz"))),
        *_of(made, "applied", tree.applied(), applied, pushed, made.names),
    ]


def _least(world: World, names: Sequence[str]) -> tuple[Array, Array]:
    """Scales below which weights, and forces, are rounding: all of them together times the arm of each coordinate.

    A force through the axis of a joint has no arm, so nothing that the coordinate's own scale is made of; but the point
    that it acts at is rounded in the world.
    """
    turns = {s.coordinate for solid in world.machine.solids for s in solid.steps if s.turn}
    reach = _reach(world)
    arms = FOREIGN_ZEROS / EVALUATION * np.array([reach if name in turns else 1.0 for name in names])
    masses = sum(abs(x.mass) for x in (*world.machine.solids, *world.machine.massive))
    forces = sum(float(np.linalg.norm(force)) for _, force, _ in world.forces())
    weight = masses * float(np.linalg.norm(world.machine.gravity))
    return arms * weight, arms * (forces if math.isfinite(forces) else 0.0)


def _starts(made: Trial, tree: Tree, machines: tuple[Machine, ...]) -> list[Comparison]:
    """Initial positions and rates."""
    coordinates = made.original.coordinates
    if not coordinates:
        return []
    theirs = np.concatenate(
        [np.column_stack([tree.f.value(c.position), tree.f.value(c.velocity)]) for c in coordinates], axis=1
    )
    own = np.array([[m.starts[c.name] for c in coordinates] for m in machines]).reshape(theirs.shape)
    scale = np.fmax(np.abs(theirs), np.abs(own))
    return _of(made, "start", theirs, own, scale, (f"{c.name}{p}" for c in coordinates for p in ("", "'")))


def _held(made: Trial, tree: Tree, worlds: list[World]) -> list[Comparison]:
    """Ends and lengths, frames and points that coincide, rows of formulas."""
    theirs, own, scale, entries = constraints(made.original, tree, worlds, _reach)
    return _of(made, "constraints", theirs, own, scale, entries)


def _armatures(made: Trial, tree: Tree, machines: tuple[Machine, ...]) -> list[Comparison]:
    """Inertias along sums of rates: all of a c cᵀ together."""
    if not (made.original.armatures or machines[0].armatures):
        return []
    n = len(tree.names)
    theirs, own = np.zeros((len(machines), n, n)), np.zeros((len(machines), n, n))
    for inertia, row, _ in tree.rotors():
        theirs += np.einsum("s,si,sj->sij", inertia, row, row)
    for total, machine in zip(own, machines, strict=True):
        for a, coefficients in machine.armatures:
            along = np.array([coefficients.get(q, 0.0) for q in tree.names])
            total += a * np.outer(along, along)
    size = np.sqrt(np.einsum("sii->si", np.abs(own)))
    scale = np.fmax(size[:, :, None] * size[:, None, :], np.abs(theirs))
    entries = [f"{a}, {b}" for a in tree.names for b in tree.names]
    x, y, z = (m.reshape(len(machines), -1) for m in (theirs, own, scale))
    return _of(made, "armatures", x, y, z, entries)


def _controls(made: Trial, controls: tuple[str, ...]) -> list[Comparison]:
    """Applied forces at the first state, where controls of actuators are 1, 2, … and not zero."""
    if not controls:
        return []
    given = {name: 1.0 + k for k, name in enumerate(controls)}
    state = made.placed[0]
    driven = replace(state, parameters={**state.parameters, **given})
    tree = Tree(made.original, bound(made.original, (driven,), at_rest=True))
    world = World(made.read_at(driven), _coasting(driven))
    order = [world.index[name] for name in made.names]
    theirs, own = tree.applied(), world.applied()[order][None]
    scale = np.fmax(made.scales.rows["applied"][:1], np.abs(theirs))
    return _of(made, "controls", theirs, own, scale, made.names)
