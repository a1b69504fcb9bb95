"""Opened joints: six more coordinates behind a joint, held at zero, so that what holds them is what the joint bears.

Three shifts along x, y, z and three turns about x, y, z stand behind the transformations of a body's joint. Where they
are zero their axes are those of the body's frame at its origin, so the generalized forces along them are the six
numbers of :mod:`.joint_forces`: they are the multipliers of the constraints that keep the coordinates at zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from mbconcord.records import replace

from .body import Body
from .constraint import Constraint, FrameCoincidence
from .coordinate import Coordinate, Motion
from .derivation import Derivation, flatten
from .evaluation import Array, at_states
from .expressions import ZERO, Expression, symbol
from .expressions.calculus import Substitution
from .force import Point
from .functions import define
from .instance import ANY_RANK, Instance, bind_states
from .joint_forces import COMPONENTS, cuts
from .mixed import drive_row
from .state import State
from .system import System
from .transformation import ElementaryTransformation, rotation, shift, translation

Six = tuple[Expression, ...]
SIX = len(COMPONENTS)


def open_joints(system: System, bodies: Collection[str], held: bool = False) -> System:
    """Return the system with six coordinates behind the joints of these bodies; itself if there are none.

    Parameters
    ----------
    held : whether drives hold the coordinates at zero, so that their efforts are what the joints bear
    """
    if not bodies:
        return system
    stem, taken = "opened", {*system.names, *_list_auxiliary(system)}
    while any(name.startswith(stem) for name in taken):
        stem += "_"
    made, coordinates = [], list(system.coordinates)
    for i, body in enumerate(system.bodies):
        if body.name in bodies:
            steps = [*_open_steps(f"{stem}{i}")]
            body = replace(body, joint=(*body.joint, *steps))
            drive = Motion(ZERO) if held else None
            coordinates += [Coordinate(step.coordinate or "", drive=drive) for step in steps]
        made.append(body)
    return replace(system, bodies=tuple(made), coordinates=tuple(coordinates))


def _list_auxiliary(system: System) -> Iterator[str]:
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            yield from constraint.auxiliary


def _open_steps(stem: str) -> Iterator[ElementaryTransformation]:
    for i, component in enumerate(COMPONENTS):
        make = translation if i < 3 else rotation
        yield make("xyz"[i % 3], f"{stem}{component}")


def open_cuts(system: System) -> tuple[System, tuple[str, ...]]:
    """Return the system whose cuts end at bodies without mass, one for each cut, and the names of these bodies.

    Each is welded to the second body of its cut, in its axes: at the second point; of coinciding frames at the body's
    origin. What its joint bears is the opposite of what the cut exerts.
    """
    system = system.lump_masses()
    bodies, names = list(system.bodies), list[str]()
    changed: dict[str, Constraint] = {}
    for cut in cuts(system):
        name = f"end of {cut.name}"
        while any(body.name == name for body in bodies):
            name += "_"
        names.append(name)
        if isinstance(cut, FrameCoincidence):
            bodies.append(Body(name, cut.second.body))
            changed[cut.name] = replace(cut, second=replace(cut.second, body=name))
        else:
            bodies.append(Body(name, cut.second.body, shift(cut.second.position)))
            changed[cut.name] = replace(cut, second=Point(name))
    constraints = tuple(changed.get(c.name, c) for c in system.constraints)
    return replace(system, bodies=tuple(bodies), constraints=constraints), tuple(names)


def open_states(states: Sequence[State], system: System, held: int) -> Sequence[State]:
    """Return the states of a system for the opened one, of which so many coordinates more are held.

    The rank of the constraints with the drives is larger by these; alone they move the opened coordinates, too.
    """
    made = Instance(system, states)
    ranks = states.ranks if isinstance(states, Instance) else None
    if ranks is None:
        return made
    return made.with_ranks(np.column_stack([np.full(len(ranks), ANY_RANK[0]), ranks[:, 1] + held]))


def derive_opened(derivation: Derivation, names: Sequence[str]) -> list[Expression] | None:
    """Derive inverse dynamics along these coordinates, over the q'' of all; None if the equations are not delivered."""
    q, coordinates = derivation.quantities, derivation.system.coordinate_names
    if not all(name in q for name in ("M", "h", "gravity", "applied")):
        return None
    n, opened = len(coordinates), {*names}
    rates = [ZERO if name in opened else symbol(f"{name}''") for name in coordinates]
    M, h, gravity, applied = ([*flatten(q[name])] for name in ("M", "h", "gravity", "applied"))
    found = []
    for i in map(coordinates.index, names):
        inertial = sum((x * rate for x, rate in zip(M[n * i : n * i + n], rates, strict=True)), h[i])
        found.append(inertial - gravity[i] - applied[i])
    return found


def close(sixes: Sequence[Expression], names: Sequence[str]) -> tuple[Six, ...]:
    """Put zero in place of the coordinates that were opened, their rates and accelerations; six by six."""
    if names:
        zeros = {symbol(f"{name}{order}"): ZERO for name in names for order in ("", "'", "''")}
        sixes = Substitution(zeros).apply(sixes)
    return tuple(tuple(sixes[i : i + SIX]) for i in range(0, len(sixes), SIX))


def list_drives(names: Sequence[str]) -> list[str]:
    """Name the rows of the drives that hold opened coordinates."""
    return [drive_row(name) for name in names]


def turn_cuts(system: System, states: Sequence[State], six: Array) -> Array:
    """Move the wrenches on second frames of cuts (N, c, 6) from the bodies' origins to those of the frames."""
    found, values = six.copy(), bind_states(system, states).values
    for i, cut in enumerate(cuts(system)):
        if isinstance(cut, FrameCoincidence) and cut.second.transformations:
            origin, axes = np.zeros((len(six), 3)), np.tile(np.eye(3), (len(six), 1, 1))
            for et in cut.second.transformations:
                axis, amount = (
                    at_states(define(x, system.functions), values, len(six)) for x in (et.axis, [et.amount])
                )
                if et.is_translation:
                    origin += np.einsum("sij,sj->si", axes, axis * amount)
                else:
                    cross, one = np.cross(np.eye(3), axis[:, None, :]), amount[:, :, None]  # rows e × axis: (axis ×)ᵀ
                    k = -np.swapaxes(cross, 1, 2)
                    axes = axes @ (np.eye(3) + np.sin(one) * k + (1 - np.cos(one)) * (k @ k))
            found[:, i, 3:] -= np.cross(origin, found[:, i, :3])
    return found
