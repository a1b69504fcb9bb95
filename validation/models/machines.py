"""Random models with asked-for features: trees, rigid or elastic; springs, rotors, drives, constraints on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mbconcord.model import Armature, State, System
from mbconcord.model.expressions import Expression, as_expression
from mbconcord.model.force import Force

from ..judge.states import draw
from .choices import Choices
from .closed import KINDS, constrained
from .drives import imposed_by
from .elastic import build_elastic
from .forces import random_bushing, random_torsion
from .trees import build

#: Constraints between bodies.
SOLID = ("cut", "point", "rod")


@dataclass(frozen=True)
class Features:
    """What a random model has beside bodies, joints and plain forces.

    Attributes
    ----------
    closed : one to three constraints, which hold at its initial position where formulas of time are taken at t = 0
    elastic : elastic bodies among the rigid ones; then neither flywheels nor added inertia, nor prescribed motion
    mixed : accelerations imposed along some coordinates; not together with ``closed``
    flywheels, added_inertia : on the last body, on others at random
    springs : a bushing or a torsion between frames
    armatures : rotors along one or two coordinates
    """

    closed: bool = False
    elastic: bool = False
    mixed: bool = False
    flywheels: bool = False
    added_inertia: bool = False
    springs: bool = False
    armatures: bool = False


def machine(c: Choices, bodies: int, features: Features = Features()) -> System:
    """A model of that many bodies with these features, made of choices."""
    if features.elastic:
        system = build_elastic(c, bodies)
    else:
        system = build(c, bodies, flywheels=features.flywheels, added_inertia=features.added_inertia)
    if features.springs:
        system = _sprung(c, system)
    if features.armatures:
        system = replace(system, armatures=_armatures(c, system))
    if features.mixed and not features.closed:
        system = imposed_by(c, system)
    return _closed(c, system) if features.closed else system


def _sprung(c: Choices, system: System) -> System:
    functions = list(system.functions)
    force: Force = (
        random_torsion(c, system.bodies, functions, "spring")
        if c.once_in(2)
        else random_bushing(c, system.bodies, "spring")
    )
    return replace(system, functions=tuple(functions), forces=(*system.forces, force))


def _armatures(c: Choices, system: System) -> tuple[Armature, ...]:
    names = system.coordinate_names
    found = []
    for i in range(c.pick((1, 2))):
        ratios: dict[str, Expression] = {
            c.pick(names): as_expression(c.decimal(-5, 5)) for _ in range(c.pick((1, 2)))
        }
        found.append(Armature(f"rotor{i + 1}", as_expression(c.positive()), ratios))
    return tuple(found)


def _closed(c: Choices, tree: System) -> System:
    """The tree at a position of its own, and constraints that hold there. None, where none of those drawn can hold."""
    drawn = draw(tree, 1, 0)
    modal = {name for body in tree.bodies for name in body.modal}
    q = {name: c.decimal(-2, 2) / (100 if name in modal else 1) for name in tree.coordinate_names}
    v = {name: float(c.decimal(-3, 3)) for name in q}
    start = State(0.0, {name: float(x) for name, x in q.items()}, v, {}, drawn.states[0].parameters)
    placed = replace(
        drawn.system,
        coordinates=tuple(
            replace(x, position=as_expression(q[x.name]), velocity=as_expression(0))
            for x in drawn.system.coordinates
        ),
    )
    made = constrained(c, placed, start, c.pick((1, 1, 1, 2)), KINDS if c.once_in(2) else SOLID)
    return made if made.constraints else constrained(c, placed, start, 1, ("holonomic",))
