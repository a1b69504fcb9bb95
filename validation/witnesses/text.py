"""The second reading as a witness of the reader: the model compared with its text.

The direct witness computes the model's side from its fields; the second reading computes the other side from the text,
and shares nothing with it or with the reader. So faults of the reader, and of what it builds models with, show.

Ends, frames and rows of the model's constraints are compared with those of the text.

Coordinates of cut joints are 0.5, 1.5, … on both sides; of a row, its value and its rate along the motion are compared.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from mbconcord.converters.registry import format_named
from mbconcord.model.constraint import FrameCoincidence, Holonomic, PointCoincidence, Rod
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.numbers import bind_states as instance
from mbconcord.model.omission import ASSUMED
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.motion import Array
from ..judge.tolerances import EVALUATION, FOREIGN_ZEROS, evaluation_tolerance
from ..judge.witness import Answer, Labelled, Question, SilentError
from .direct.formulas import ORDERS, SeriesFormulas, bind
from .direct.motion import follow_joint
from .direct.series import constant
from .direct.tree import DirectTree, obstacles
from .second.machine import At, SecondMachine, Steps, UnreadError, machine
from .second.world import Motion, World, follow

POSE: Final = tuple(x for row in "xyz" for x in (*(f"R[{row},{column}]" for column in "xyz"), f"r[{row}]"))
#: Numbers (S, k) of the model and of the text, their scales (S, k), and the k names of the entries.
Sides = tuple[Array, Array, Array, list[str]]


def constraints(system: System, tree: DirectTree, worlds: list[World], reach: Callable[[World], float]) -> Sides:
    """Return the model's and the text's numbers of every constraint at S states; positions have the reach as scale."""
    far = np.fmax(np.array([reach(w) for w in worlds])[:, None], 1.0)
    found: list[Sides] = []
    for c in system.constraints:
        if isinstance(c, Rod):
            found.append(_rod(c, tree, worlds, far))
        elif isinstance(c, PointCoincidence):
            found.append(_compare_points(c, tree, worlds, far))
        elif isinstance(c, FrameCoincidence):
            found += (_frame(c, side, system, tree, worlds, far) for side in ("first", "second"))
        elif isinstance(c, Holonomic):
            found.append(_row(c, tree, worlds))
    if not found:
        return np.zeros(0), np.zeros(0), np.zeros(0), []
    x, y, z = (np.concatenate([side[k] for side in found], axis=1) for k in range(3))
    return x, y, z, [entry for side in found for entry in side[3]]


def _find_named(items: Sequence[Any], name: str) -> Any:
    return next(item for item in items if item.name == name)


def _with_scale(theirs: Array, own: Array, scale: Array, entries: list[str]) -> Sides:
    return theirs, own, np.broadcast_to(scale, theirs.shape), entries


def _rod(c: Rod, tree: DirectTree, worlds: list[World], far: Array) -> Sides:
    theirs = np.column_stack([*(tree.locate(end).r for end in (c.first, c.second)), tree.f.value(c.length)])
    rods = [_find_named(w.machine.rods, c.name) for w in worlds]
    own = [(*w.place(r.first)[0], *w.place(r.second)[0], r.length) for w, r in zip(worlds, rods, strict=True)]
    entries = [f"{c.name} {end}{a}" for end in "12" for a in "xyz"] + [f"{c.name} length"]
    return _with_scale(theirs, np.array(own), far, entries)


def _compare_points(c: PointCoincidence, tree: DirectTree, worlds: list[World], far: Array) -> Sides:
    theirs = np.column_stack([tree.locate(end).r for end in (c.first, c.second)])
    pairs = [_find_named(w.machine.joined, c.name) for w in worlds]
    own = [(*w.place(p.first)[0], *w.place(p.second)[0]) for w, p in zip(worlds, pairs, strict=True)]
    return _with_scale(theirs, np.array(own), far, [f"{c.name} {end}{a}" for end in "12" for a in "xyz"])


def _frame(c: FrameCoincidence, side: str, system: System, tree: DirectTree, worlds: list[World], far: Array) -> Sides:
    angles = {name: constant(np.full(tree.f.count, k + 0.5), ORDERS) for k, name in enumerate(c.auxiliary)}
    f = SeriesFormulas({**tree.f.symbols, **angles}, system.functions, ORDERS, tree.f.count)
    frame = getattr(c, side)
    pose = follow_joint(tree.frames[frame.body], frame.transformations, [*tree.names, *c.auxiliary], f)
    theirs = np.concatenate([pose.R, pose.r[:, :, None]], axis=2).reshape(-1, len(POSE))
    own = [_pose(w, *getattr(_find_named(w.machine.closures, c.name), side)) for w in worlds]
    return _with_scale(theirs, np.array(own), far, [f"{c.name} {side} {part}" for part in POSE])


def _pose(world: World, body: str | None, steps: Steps) -> Array:
    """Return the pose of a frame on a body in the fixed frame: the rows of (R, r), one after another (12,)."""
    names = [step.coordinate for step in steps if step.coordinate]
    pose = world.poses[body].then(follow(steps, lambda name: (names.index(name) + 0.5, 0.0, 0.0)))
    return pose.T[:3].ravel()


def _row(c: Holonomic, tree: DirectTree, worlds: list[World]) -> Sides:
    """Return both sides' values of a constraint row, and its rates along the motion."""
    series = tree.f.expand(c.expression)
    theirs = np.column_stack([series.c[0], series.c[1]])
    rows = [_find_named(w.machine.rows, c.name) for w in worlds]
    own = np.array([(row.value, row.rate) for row in rows])
    size = np.array([(row.size, row.speed) for row in rows])
    return _with_scale(theirs, own, np.fmax(size, np.abs(theirs)), [f"{c.name} row", f"{c.name} rate"])


#: Texts with more bodies than this are not read a second time: it would take too long.
MOST = 200
#: Number of states at which a text is read a second time; length (characters) from which it is read at one only.
REREAD, LONG_TEXT = 3, 5000
#: The two sides.
READER, SECOND = "reader", "second reading"
#: The second side where the format's own program printed a binary part of the text.
PRINTED = "second reading (binary layers by OpenUSD)"
#: Tolerance of numbers in single precision: twice a unit of the last of 24 bits, as in a quaternion's rotation.
COARSE: Final = 2.0**-22
INERTIA = ("mass", *(f"centre {a}" for a in "xyz"), *(f"I{a}" for a in ("xx", "yy", "zz", "xy", "xz", "yz")))
#: Name of a quantity, the model's numbers (N, k), the text's numbers, their scales, and names of the k entries.
Side = tuple[str, Array, Array, Array, list[str]]


class SecondReading:
    """The independent reading of a model's text: poses, inertias, forces, initial states, constraints."""

    name: ClassVar[str] = SECOND
    shares: ClassVar[frozenset[str]] = frozenset({"binary layers"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the obstacles of the direct witness, which computes the model's side, to a model."""
        return obstacles(model)

    def answer(self, question: Question) -> Answer:
        """Return the text's numbers, in the same quantities as those of the reader's side."""
        return both_sides(question, self.machines(question))[1]

    def machines(self, question: Question) -> tuple[SecondMachine, ...]:
        """Return the text's machine at each of the first states; raise :class:`SilentError` if it is not read."""
        if refused := self.obstacles(question.original):
            raise SilentError(refused[0].reason)
        if len(question.original.bodies) > MOST:
            raise SilentError(f"more than {MOST} bodies: not tried (size)")
        try:
            found = question.once(machines)
        except UnreadError as problem:
            raise SilentError(f"it does not know {problem}") from None
        if not (question.original.bodies or found[0].solids):
            raise SilentError("there are no bodies")
        return found


def both_sides(question: Question, read: tuple[SecondMachine, ...]) -> tuple[Answer, Answer]:
    """Return two answers of the same quantities: the model's numbers, and those of machines read from its text."""
    states = place_states(question)
    tree = DirectTree(question.original, bind(question.original, states, at_rest=True))
    worlds = [World(m, _coasting(s)) for m, s in zip(read, states, strict=True)]
    found = [
        *_poses(question, tree, worlds), *_inertias(question, tree, read), *_forces(question, tree, worlds),
        *_starts(question, tree, read), *_compare_constraints(question, tree, worlds), *_armatures(question, tree,
        read),
        *_controls(question, read[0].controls),
    ]  # fmt: skip
    room = COARSE / evaluation_tolerance() if any(m.coarse for m in read) else 1.0
    side = PRINTED if read[0].transcribed else SECOND
    theirs = {f"text: {name}": Labelled(x, entries, room * scale) for name, x, _, scale, entries in found}
    own = {f"text: {name}": Labelled(y, entries) for name, _, y, _, entries in found}
    return Answer(Evaluation(READER, {}), beside=theirs), Answer(Evaluation(side, {}), beside=own)


def _coasting(state: State) -> Motion:
    """Return a function from a coordinate's name to its position, its rate and acceleration 0 at a state."""
    return lambda q: (float(state.q[q]), float(state.v[q]), 0.0)


def _list_side(quantity: str, x: Array, y: Array, scale: Array, entries: Iterable[str]) -> Iterator[Side]:
    """Yield a quantity with the numbers of both sides, unless it has no entries."""
    if x.size:
        yield quantity, x, y, scale, [*entries]


def _poses(question: Question, tree: DirectTree, worlds: list[World]) -> Iterator[Side]:
    """Yield rotations and positions of all bodies by both sides; the scale of positions is the machine's reach."""
    names = [b.name for b in question.original.bodies]
    frames = [tree.frames[name] for name in names]
    theirs = np.concatenate(
        [np.concatenate([f.R, f.r[:, :, None]], axis=2).reshape(-1, len(POSE)) for f in frames], axis=1
    )
    own = np.array([[w.poses[name].T[:3] for name in names] for w in worlds]).reshape(theirs.shape)
    reach = np.array([_reach(w) for w in worlds])[:, None]
    scale = np.where(np.tile(["r" in entry for entry in POSE], len(names)), reach, 1.0)
    yield from _list_side("poses", theirs, own, scale, (f"{name} {part}" for name in names for part in POSE))


def _reach(world: World) -> float:
    """Return the larger of the largest coordinate of a body's origin and the longest shift of a joint."""
    shifts = [abs(step.amount[0]) for solid in world.machine.solids for step in solid.steps if not step.turn]
    return max([float(np.abs(pose.T[:3, 3]).max()) for pose in world.poses.values()] + shifts)


def _inertias(question: Question, tree: DirectTree, read: tuple[SecondMachine, ...]) -> Iterator[Side]:
    """Yield mass, centre and central tensor of every body by both sides, each with the size of its terms as scale."""
    value, values = tree.f.value, tree.f.values
    theirs, own, scale = [], [], []
    bodies = {b.name: b for b in question.original.bodies}
    for name, body in bodies.items():
        inertia = body.inertia
        theirs.append(np.column_stack([value(inertia.mass), values(inertia.centre), values(inertia.tensor)]))
        numbers = [next(s for s in m.solids if s.name == name) for m in read]
        own.append([
            (s.mass, *s.centre, *(s.tensor[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
            for s in numbers
        ])  # fmt: skip
        scale.append([_sizes(s.mass, max(math.hypot(*s.centre), s.reach), np.abs(s.tensor).max()) for s in numbers])
    x, y, z = (np.concatenate([np.asarray(p) for p in parts], axis=1) for parts in (theirs, own, scale))
    yield from _list_side("inertia", x, y, z, (f"{name} {part}" for name in bodies for part in INERTIA))


def _sizes(mass: float, away: float, tensor: float) -> tuple[float, ...]:
    return abs(mass), away, away, away, *[tensor + abs(mass) * away * away] * 6


def _forces(question: Question, tree: DirectTree, worlds: list[World]) -> Iterator[Side]:
    """Yield generalized weights and applied forces, and the acceleration of gravity itself, by both sides."""
    order = [worlds[0].index[name] for name in question.names]
    rows, count = question.scales.rows, len(worlds)
    weights, applied = (np.array([f(w)[order] for w in worlds]) for f in (World.gravity, World.sum_applied_forces))
    g = question.original.gravity
    falling = tree.f.value(g.value)[:, None] * tree.f.values(g.direction) if g else np.zeros((count, 3))
    least = zip(*(_least(w, question.names) for w in worlds), strict=True)
    weighed, pushed = (
        np.fmax(rows[what][:count], np.array(floor)) for what, floor in zip(("gravity", "applied"), least, strict=True)
    )
    own = np.array([w.machine.gravity for w in worlds])
    size = np.broadcast_to(np.linalg.norm(own, axis=1, keepdims=True), own.shape)
    x, y, z = (np.concatenate(pair, axis=1) for pair in ((tree.gravity(), falling), (weights, own), (weighed, size)))
    yield from _list_side("gravity", x, y, z, (*question.names, *(f"g {a}" for a in "xyz")))
    yield from _list_side("applied", tree.sum_applied_forces(), applied, pushed, question.names)


def _least(world: World, names: Sequence[str]) -> tuple[Array, Array]:
    """Return the least scales of generalized weights and forces, per coordinate: total force times arm times rounding.

    A force through a joint's axis has no arm and adds nothing to the coordinate's own scale; but its point of
    application is rounded in the fixed frame. The arm is the machine's reach for angles, and 1 for shifts.
    """
    turns = {s.coordinate for solid in world.machine.solids for s in solid.steps if s.turn}
    reach = _reach(world)
    arms = FOREIGN_ZEROS / EVALUATION * np.array([reach if name in turns else 1.0 for name in names])
    masses = sum(abs(x.mass) for x in (*world.machine.solids, *world.machine.massive))
    forces = sum(float(np.linalg.norm(force)) for _, force, _ in world.forces())
    weight = masses * float(np.linalg.norm(world.machine.gravity))
    return arms * weight, arms * (forces if math.isfinite(forces) else 0.0)


def _starts(question: Question, tree: DirectTree, read: tuple[SecondMachine, ...]) -> Iterator[Side]:
    """Yield initial positions and rates of the coordinates by both sides."""
    coordinates = question.original.coordinates
    if not coordinates:
        return
    theirs = np.concatenate(
        [np.column_stack([tree.f.value(c.position), tree.f.value(c.velocity)]) for c in coordinates], axis=1
    )
    own = np.array([[m.starts[c.name] for c in coordinates] for m in read]).reshape(theirs.shape)
    scale = np.fmax(np.abs(theirs), np.abs(own))
    yield from _list_side("start", theirs, own, scale, (f"{c.name}{p}" for c in coordinates for p in ("", "'")))


def _compare_constraints(question: Question, tree: DirectTree, worlds: list[World]) -> Iterator[Side]:
    """Yield ends and lengths of rods, coincident frames and points, and rows of formulas by both sides."""
    theirs, own, scale, entries = constraints(question.original, tree, worlds, _reach)
    yield from _list_side("constraints", theirs, own, scale, entries)


def _armatures(question: Question, tree: DirectTree, read: tuple[SecondMachine, ...]) -> Iterator[Side]:
    """Yield the sum of a c cᵀ over the inertias a of sums of rates cᵀ q' (armatures, rotors), by both sides."""
    if not (question.original.armatures or read[0].armatures):
        return
    n = len(tree.names)
    theirs, own = np.zeros((len(read), n, n)), np.zeros((len(read), n, n))
    for inertia, row, _ in tree.rotors():
        theirs += np.einsum("s,si,sj->sij", inertia, row, row)
    for total, each in zip(own, read, strict=True):
        for a, coefficients in each.armatures:
            along = np.array([coefficients.get(q, 0.0) for q in tree.names])
            total += a * np.outer(along, along)
    size = np.sqrt(np.einsum("sii->si", np.abs(own)))
    scale = np.fmax(size[:, :, None] * size[:, None, :], np.abs(theirs))
    entries = [f"{a}, {b}" for a in tree.names for b in tree.names]
    x, y, z = (m.reshape(len(read), -1) for m in (theirs, own, scale))
    yield from _list_side("armatures", x, y, z, entries)


def _controls(question: Question, controls: tuple[str, ...]) -> Iterator[Side]:
    """Yield applied forces by both sides at the first state, with controls of actuators 1, 2, … instead of zero."""
    if not controls:
        return
    given = {name: 1.0 + k for k, name in enumerate(controls)}
    state = place_states(question)[0]
    driven = replace(state, parameters={**state.parameters, **given})
    tree = DirectTree(question.original, bind(question.original, (driven,), at_rest=True))
    world = World(machine_at(question, driven), _coasting(driven))
    order = [world.index[name] for name in question.names]
    theirs, own = tree.sum_applied_forces(), world.sum_applied_forces()[order][None]
    scale = np.fmax(question.scales.rows["applied"][:1], np.abs(theirs))
    yield from _list_side("controls", theirs, own, scale, question.names)


def machines(question: Question) -> tuple[SecondMachine, ...]:
    """Return the machines that a second reading of the text finds, one at each of the first states.

    Raises
    ------
    UnreadError
        There is no text, or the second reading does not know it.
    """
    return tuple(machine_at(question, state) for state in place_states(question))


def _transcriber(question: Question) -> Callable[[bytes, tuple[str, ...]], tuple[str, list[str]]] | None:
    """Return the function by which the program of the text's format prints its binary parts; it keeps its answers."""
    assert question.text is not None
    program = format_named(question.text.format).transcribe
    if program is None:
        return None

    @cache
    def transcribe(data: bytes, kept: tuple[str, ...]) -> tuple[str, list[str]]:
        try:
            return program(data, kept)
        except ReadError as problem:
            raise UnreadError(problem.diagnostics[0].message) from None

    return transcribe


def place_states(question: Question) -> tuple[State, ...]:
    """Return the first states for a second reading, with initial positions and rates where a state has none."""
    text = question.text
    states = question.states[: 1 if text and len(text.text) >= LONG_TEXT else REREAD]
    values = instance(question.system, question.states).values
    return tuple(
        replace(
            state,
            q={name: float(values[name][i]) for name in question.names},
            v={name: float(values[f"{name}'"][i]) for name in question.names},
        )
        for i, state in enumerate(states)
    )


def machine_at(question: Question, state: State) -> SecondMachine:
    """Return the machine that a second reading of the text finds at a state; raise as :func:`machines`.

    From the model the reading gets only names, and values that the text leaves open or the user set. A coordinate of
    the text that the model lacks is fixed at zero: the sets of coordinates are compared first.
    """
    text = question.text
    if text is None:
        raise UnreadError("a model that came from no text")
    if text.apart:
        raise UnreadError("a model that is not quite that of its text")
    model = {p.name: p.value for p in question.original.parameters}
    values = instance(question.system, (state,)).values if text.changed else {}
    given = {name: float(values[name][0]) for name in text.changed}
    drawn = {name: value for name, value in state.parameters.items() if model.get(name) is None}
    given |= {name: value for name, value in state.parameters.items() if name not in drawn}
    q, v = defaultdict(float, state.q), defaultdict(float, state.v)
    assumed = frozenset(o.place for o in question.original.omissions if o.kind in ASSUMED)
    by, file = question.once(_transcriber), Path(text.file).name
    at = At(q, v, state.t, question.names, given, drawn, text.folder, text.packages, assumed, by, file)
    return machine(text.text, text.format, at)
