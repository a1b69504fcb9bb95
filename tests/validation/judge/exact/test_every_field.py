"""Whatever field of a model is changed, by however little: the proof finds a difference, or the field has a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest

from mbconcord import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Bushing,
    Coordinate,
    Effort,
    Flywheel,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    Mapped,
    Motion,
    NamedPoint,
    Nonholonomic,
    Omission,
    Parameter,
    Point,
    PointCoincidence,
    PointForce,
    Prescribed,
    Rod,
    System,
    Torsion,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import TIME, Expression, call, number, rate, symbol
from mbconcord.validation.judge.exact.sameness import proof, sides

#: So little that no float of these models shows it.
LITTLE = number("1e-40")
Path = tuple[Any, ...]
#: Machines whose angle is an arc, or whose shapes are rounded: that a proof is open is no "identical" either.
OPEN = ("torsion", "soft")

NAME = "what a thing is called says nothing of its motion"
STRUCTURE = "it refers to another part: the model is refused, or its coordinates are not matched"
INITIAL = "it says where a motion begins, which no equation does (compared with simulate)"
BESIDE = "it stands beside the equations"
#: Fields that the proof does not see, and why.
REASONS = {
    ("System", "name"): NAME, ("System", "metadata"): BESIDE, ("System", "omissions"): "verdicts compare them",
    ("Coordinate", "name"): STRUCTURE, ("Coordinate", "position"): INITIAL, ("Coordinate", "velocity"): INITIAL,
    ("Parameter", "normal"): "models whose normal forces are of other parts are refused",
    ("Parameter", "varies"): "models whose parameters vary by other formulas are refused",
    ("Parameter", "name"): STRUCTURE, ("Parameter", "origin"): BESIDE, ("Function", "name"): STRUCTURE,
    ("Function", "arguments"): STRUCTURE, ("Variable", "coordinate"): STRUCTURE,
    ("Mapped", "coordinates"): "a system finds them in the map's value",
    ("Point", "body"): STRUCTURE, ("Frame", "body"): STRUCTURE, ("JointEffort", "coordinate"): STRUCTURE,
    **dict.fromkeys([(kind, "element") for kind in (
        "NamedPoint", "JointEffort", "Bipolar", "PointForce", "Wrench", "Holonomic", "Nonholonomic",
    )], BESIDE),
    ("NamedPoint", "body"): STRUCTURE, ("NamedPoint", "name"): STRUCTURE,
    ("Body", "name"): NAME, ("Body", "parent"): STRUCTURE, ("Body", "parent_node"): STRUCTURE,
    ("ElasticModes", "coordinates"): STRUCTURE, ("ElasticModes", "products"): STRUCTURE,
    ("ElasticNode", "position"): "nodes are found by it: it is changed together with whoever names it",
    **dict.fromkeys([(kind, "name") for kind in (
        "JointEffort", "Bipolar", "PointForce", "Wrench", "Bushing", "Torsion", "Rod", "PointCoincidence",
        "FrameCoincidence", "Holonomic", "Nonholonomic", "Flywheel", "Armature", "ElasticNode",
    )], NAME),
}  # fmt: skip


def tree(torsion: bool = False) -> System:
    """A model of three bodies with what a tree of rigid bodies may have."""
    q1, q2 = symbol("q1"), symbol("q2")
    wheel = Flywheel("wheel", (translation("x", 0.1),), Inertia(0.3, (0.1, 0, 0), (1, 1.5, 2)), 3 * TIME)
    fluid = AddedInertia(tuple(tuple(3 if i == k else 1 for k in range(6)) for i in range(6)))
    full = Inertia(symbol("m"), (0.1, 0.2, 0.3), (3, 4, 5, 0.1, 0.2, 0.3))
    first = (rotation("z", "q1"), translation("x", 1), rotation((2, 3, 6), Prescribed(TIME * TIME)))
    bodies = (
        Body("a", None, first, full, fluid, (wheel,)),
        Body("b", "a", (rotation("x", "q2"),), full),
        Body("c", "b", (translation("y", "q3"), rotation("x", Mapped(q1 * q2))), full),
    )
    one, other = Frame(None, (translation("x", 0.2),)), Frame("b", (rotation("y", 0.3),))
    six = tuple(tuple(1 + i + k for k in range(6)) for i in range(6))
    forces = (
        JointEffort("motor", "q1", LinearLaw(1, 2, 3, 4, 5, 6, 7)),
        Bipolar("spring", Point("a", (0.1, 0.2, 0.3)), Point("c", (1, 2, 3)), LinearLaw(k=3), 0.2),
        PointForce("push", Point("b", (1, 0, 2)), (1, q1, symbol("vx(tip, c)") + symbol("vz(tip, a)"))),
        Wrench("twist", Point("b", (1, 0, 2)), (1, 2, 3), (4, 5, rate("q2"))),
        Bushing("mount", one, other, six, six, (1, 2, 3, 4, 5, 6)),
    )
    forces = (Torsion("shaft", Frame(None, other.transformations), other, LinearLaw(k=2)),) if torsion else forces
    coordinates = (
        Coordinate("q1", 0.1, 0.2, Effort(call("f", [q1]))), Coordinate("q2"), Coordinate("q3", drive=Motion(q2)),
    )  # fmt: skip
    own = (Parameter("m", number(2)), Parameter("k", symbol("m") + 1))
    armature = Armature("rotor", 2, {"q1": 1, "q2": symbol("k")})
    law = (Function("f", ("x",), symbol("x") * symbol("x")),)
    gravity = Gravity(9.81, (0, 0, -1))
    tip = NamedPoint("tip", "c", (symbol("k"), 2, 3))
    return System("tree", coordinates, own, law, gravity, bodies, forces, armatures=(armature,), points=(tip,))


def closed() -> System:
    """Three bodies with every kind of constraint."""
    full = Inertia(2, (0.1, 0.2, 0.3), (3, 4, 5))
    bodies = [Body(n, None, (rotation("z", f"q{n}"), translation("x", 1)), full) for n in "abc"]
    a, b = Point("a", (1, 2, 3)), Point("b", (0.1, 0.2, 0.3))
    cut = Frame("a", (translation("x", 0.2), rotation("y", "cut"), translation("y", 0.1)))
    constraints = (
        Rod("rod", a, b, number(2), number("0.1")), PointCoincidence("pin", a, b),
        FrameCoincidence("closure", cut, Frame("c", (translation("z", 0.3),))),
        Holonomic("gear", symbol("qa") - 2 * symbol("qb")),
        Nonholonomic("skate", {"qa": symbol("qb"), "qc": number(2)}, TIME),
    )  # fmt: skip
    return System("closed", tuple(Coordinate(f"q{n}") for n in "abc"), bodies=bodies, constraints=constraints)


@cache
def machines() -> dict[str, tuple[System, str]]:
    """Models that have every field together, each with a formalism that takes it."""
    soft = read(folder("elastic") / "soft_arm.mbs.json").system
    own = {"tree": tree(), "closed": closed(), "soft": soft, "torsion": tree(torsion=True)}
    return {name: (system, "lagrange") for name, system in own.items()}


def places(value: Any, path: Path = (), kinds: Path = ()) -> Iterator[tuple[Path, Path]]:
    """Every field of a model: the classes and fields that lead to it, and the way to the value itself."""
    if is_dataclass(value):
        for f in (f for f in fields(value) if f.init):
            own = (*kinds, type(value).__name__, f.name)
            yield own, (*path, f.name)
            yield from places(getattr(value, f.name), (*path, f.name), own)
    elif isinstance(value, tuple):
        for i, x in enumerate(value):
            yield from places(x, (*path, i), kinds)


def at(value: Any, path: Path) -> Any:
    """What stands there."""
    for step in path:
        value = value[step] if isinstance(value, tuple) else getattr(value, step)
    return value


def changed(value: Any, path: Path) -> Any:
    """The model with what stands there changed by a little."""
    if not path:
        return other(value)
    head, rest = path[0], path[1:]
    if isinstance(value, tuple):
        return tuple(changed(x, rest) if i == head else x for i, x in enumerate(value))
    if rest == () and head in ("axis", "direction"):
        return replace(value, **{head: tuple(number(x) for x in (6, 3, 2))})
    return replace(value, **{head: changed(getattr(value, head), rest)})


def other(value: Any) -> Any:
    """A scalar, or every one of several, larger by a little; of two kinds the other one."""
    if isinstance(value, Expression):
        return value + LITTLE
    if isinstance(value, Mapping):
        return {key: x + LITTLE for key, x in value.items()}
    if isinstance(value, str):
        swapped = ("rotation", "translation"), ("world", "body")
        return next(b if value == a else a for a, b in swapped if value in (a, b))
    return tuple(map(other, value))


def made_of_parts(value: Any) -> bool:
    """Whether a field has fields of its own, which are changed one by one; or has nothing at all."""
    return (
        not value
        or (is_dataclass(value) and not isinstance(value, Expression))
        or (isinstance(value, tuple) and any(map(made_of_parts, value)) and not isinstance(value[0], Expression))
    )


def changes() -> list[tuple[str, Path]]:
    """A change for every way to a field that is no reason: the first place that it leads to."""
    found: dict[Path, tuple[str, Path]] = {}
    for name, (system, _) in machines().items():
        for kinds, path in places(system):
            if kinds[-2:] not in REASONS and not made_of_parts(at(system, path)):
                found.setdefault(kinds, (name, path))
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("name, path", changes(), ids=lambda x: x if isinstance(x, str) else "/".join(map(str, x)))
def test_the_proof_sees_every_field(name: str, path: Path) -> None:
    system, witness = machines()[name]
    pairs = [(q, q) for q in system.coordinate_names]
    both = sides(system, changed(system, path), pairs, formalism(witness))
    found = [proof(own, (), 0).exact for own in both]
    kinds = [x.kind for x in found]
    assert "differs" in kinds or (name in OPEN and any(x.reason for x in found)), found


def reached(kind: Any, found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Every field that annotations lead to from a class."""
    if get_args(kind):
        for inner in get_args(kind):
            reached(inner, found)
    elif is_dataclass(kind) and kind not in (Expression, Omission):
        hints = get_type_hints(kind)
        for f in (f for f in fields(kind) if f.init and (kind.__name__, f.name) not in found):
            found.add((kind.__name__, f.name))
            reached(hints[f.name], found)
    return found


def test_every_field_is_changed_or_has_a_reason() -> None:
    """A field that is added to the model is changed in a machine above, or its reason stands above."""
    every = reached(System, set())
    walked = {kinds[-2:] for system, _ in machines().values() for kinds, _ in places(system)}
    parts = {kinds[-2:] for system, _ in machines().values() for kinds, path in places(system) if at(system, path)}
    assert every - (walked & parts) - REASONS.keys() == set()
    assert REASONS.keys() <= every
