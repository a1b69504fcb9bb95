"""What a format declares to hold is what it holds: the rest is a loss that its writer names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

import mbconcord as mb
from mbconcord.converters import registry
from mbconcord.converters.losses import KEPT, Holds, list_losses, list_unnamed_losses
from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Bushing,
    Coordinate,
    Effort,
    ElasticModes,
    Flywheel,
    Frame,
    FrameCoincidence,
    Function,
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
from mbconcord.model.contact import LAWS, Element, NormalLaw, Stop
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.expressions import TIME, call, evaluate_float, number, sin, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.features import FEATURES, features

from .format_models import COLUMNS

ONE = Inertia(number(1), (0, 0, 0), (1, 1, 1))
MATRIX = AddedInertia([[number(1 if i == k else 0) for i in range(6)] for k in range(6)])
NONE = ((0,) * 3,) * 3
#: One mode that moves a mass along z; the undeformed body is that of ONE.
MODES = ElasticModes(
    ("e",), ((0, 0, 1),),
    ((((0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5)), NONE), (NONE, ((0, 0, 0), (0, 0, 0), (0, 0, 1)))), ((1,),), ((0,),),
)  # fmt: skip
#: Of a slider, which MJCF does not join by points.
ENDS = Frame("b", (translation("y", "c"),)), Frame(None, (translation("x", 1),))
A, B = Point("a", (1, 0, 0)), Point("b", (0, 1, 0))


def system(**parts: Any) -> System:
    """Two bodies, each turning about z; a, and b on it."""
    bodies = (
        Body("a", None, (rotation("z", "z1"),), ONE),
        Body("b", "a", (translation("x", 1), rotation("z", "z2")), ONE),
    )
    return System(**({"name": "two", "coordinates": _coordinates(), "bodies": bodies} | parts))


def _coordinates(**first: Any) -> tuple[Coordinate, ...]:
    return Coordinate("z1", **first), Coordinate("z2")


def _body(**parts: Any) -> System:
    first, second = system().bodies
    return system(bodies=(replace(first, **parts), second))


def _elastic() -> System:
    first, second = system().bodies
    return system(coordinates=(*_coordinates(), Coordinate("e")), bodies=(replace(first, modes=MODES), second))


USING = {
    "prescribed_motion": _body(joint=(rotation("z", "z1"), translation("x", Prescribed(sin(TIME))))),
    "mapped_motion": _body(joint=(rotation("z", "z1"), translation("x", Mapped(sin(symbol("z1") - symbol("z2")))))),
    "joint_efforts": system(forces=(JointEffort("z1", "z1", -symbol("z1")),)),
    "effort_drives": system(coordinates=_coordinates(drive=Effort(-symbol("z1")))),
    "motion_drives": system(coordinates=_coordinates(drive=Motion(number(2)))),
    "bipolar_forces": system(forces=(Bipolar("bipolar1", A, B, number(3)),)),
    "point_forces": system(forces=(PointForce("p", A, (1, 0, 0)),)),
    "wrenches": system(forces=(Wrench("w", A, (1, 0, 0), (0, 0, 1)),)),
    "follower_forces": system(forces=(PointForce("p", A, (1, 0, 0), "body"),)),
    "kinematic_words": system(forces=(JointEffort("z1", "z1", -symbol("vy(b)")),)),
    "bushings": system(forces=(Bushing("b", *map(Frame, ("a", None)), [[1] * 6] * 6),)),
    "torsions": system(forces=(Torsion("b", *map(Frame, ("a", None)), symbol("@")),)),
    "rods": system(constraints=(Rod("rod1", A, B, number(2)),)),
    "point_coincidences": system(constraints=(PointCoincidence("p", A, B),)),
    "cut_joints": system(constraints=(FrameCoincidence("closure1", *ENDS),)),
    "holonomic_rows": system(constraints=(Holonomic("row", symbol("z1") - symbol("z2")),)),
    "nonholonomic_rows": system(constraints=(Nonholonomic("row", {"z1": number(1)}),)),
    "added_inertia": _body(added_inertia=MATRIX),
    "flywheels": _body(flywheels=(Flywheel("rotor", (), ONE, TIME),)),
    "elastic_modes": _elastic(),
    "armatures": system(armatures=(Armature("z1_rotor", number("0.1"), {"z1": number(3)}),)),
}  # fmt: skip

KEEPING = {
    "initial_positions": system(coordinates=_coordinates(position=number("0.5"))),
    "initial_velocities": system(coordinates=_coordinates(velocity=number("0.5"))),
    "coordinate_order": system(coordinates=_coordinates()[::-1]),
    "coordinate_names": system(),
    "body_names": system(),
    "force_names": system(forces=(Bipolar("spring", A, B, number(3)),)),
    "constraint_names": system(constraints=(FrameCoincidence("loop", *ENDS),)),
    "armature_names": system(armatures=(Armature("gear", number("0.1"), {"z1": number(3)}),)),
    "points": system(points=(NamedPoint("tip", "b", (1, 2, 3)),)),
    "elements": system(forces=Stop("end", "z1", NormalLaw("kelvin_voigt", number(3)), number(0)).forces()),
    "normal_forces": system(
        parameters=(Parameter("N", normal="b"), Parameter("k", varies=symbol("t"))),
        forces=(JointEffort("z1", "z1", -symbol("k") * symbol("N") * symbol("z1'")),),
    ),
    "functions": system(
        functions=(Function("f", ("x",), symbol("x") * 2),),
        forces=(JointEffort("z1", "z1", call("f", [symbol("z1")])),),
    ),
    "linear_laws": system(forces=(JointEffort("z1", "z1", LinearLaw(k=number(3))),)),
    "several_joint_forces": system(
        forces=(JointEffort("z1", "z1", -symbol("z1")), JointEffort("z1_", "z1", -symbol("z1'")))
    ),
    "masses_of_links": system(forces=(Bipolar("bipolar1", A, B, number(3), number(2)),)),
    "comments": system(omissions=(Omission("comment/1", "comment", "an arm", "none"),)),
    "line_ends": system(omissions=(Omission("file/line-end", "line-end", "CR LF", "none"),)),
    "language": system(omissions=(Omission("table/headers", "language", "English", "none"),)),
    "omissions": system(omissions=(Omission("contact/foot", "contact", "with cfrc; f=0.3;", "forces"),)),
}  # fmt: skip

#: What of a model shows that a thing is kept.
SHOWS = {
    "initial_positions": lambda m: [round(float(evaluate_float(c.position, {})), 12) for c in m.coordinates],
    "initial_velocities": lambda m: [float(c.velocity.value) for c in m.coordinates],
    "coordinate_order": lambda m: m.coordinate_names,
    "coordinate_names": lambda m: sorted(m.coordinate_names),
    "body_names": lambda m: [b.name for b in m.bodies],
    "force_names": lambda m: [f.name for f in m.forces if isinstance(f, Bipolar)],
    "constraint_names": lambda m: [c.name for c in m.constraints],
    "armature_names": lambda m: [a.name for a in m.armatures],
    "points": lambda m: [p.name for p in m.points],
    "elements": lambda m: [bool(getattr(f, "element", None)) for f in m.forces],
    "normal_forces": lambda m: [(p.normal, p.varies) for p in m.parameters],
    "functions": lambda m: [f.name for f in m.functions],
    "linear_laws": lambda m: [isinstance(f.effort, LinearLaw) for f in m.forces],
    "several_joint_forces": lambda m: len(m.forces),
    "masses_of_links": lambda m: [f.mass for f in m.forces],
    **dict.fromkeys(("comments", "line_ends", "language", "omissions"), lambda m: _without_images(m.omissions)),
}


def _without_images(omissions: tuple[Omission, ...]) -> list[Omission]:
    """What is left out but for the images that a writer adds."""
    return [omission for omission in omissions if omission.kind != "image"]


def written(name: str, model: System) -> tuple[bytes, list[str]]:
    """What is written in a format, and the places of the losses that its own writer names."""
    write = registry.format_named(name).write
    assert write is not None
    data = registry.encode(registry.write(model, name), "-", name)
    return data, [loss.place for loss in write(model).losses]


def test_every_feature_and_every_thing_kept_has_its_model() -> None:
    assert USING.keys() == FEATURES.keys()
    assert KEEPING.keys() == SHOWS.keys() == KEPT.keys()
    for feature, model in USING.items():
        assert feature in {found for found, _ in features(model)}


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_feature_is_held_or_its_loss_is_named_by_the_writer(name: str, feature: str) -> None:
    model, holds = USING[feature], registry.format_named(name).holds
    if (name, feature) == ("tp", "mapped_motion"):  # its rows cannot say it, and it would be another machine
        with pytest.raises(WriteError) as refused:
            written(name, model)
        assert feature not in holds and [d.place for d in refused.value.diagnostics] == ["bodies/a/joint"]
        return
    text, places = written(name, model)
    if feature in holds or (feature in holds.partly and not places):
        back = registry.read_bytes(text, "input.dat" if name == "um" else "-", name).system
        same = "cut_joints" if (name, feature) == ("um", "point_coincidences") else feature  # three turns about a point
        assert same in {found for found, _ in features(back)}
    else:
        assert places
    assert not list(list_unnamed_losses(model, holds, registry.format_named(name).write(model).losses))


@pytest.mark.parametrize("thing", KEPT)
@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_kept_comes_back_and_what_is_not_is_a_loss(name: str, thing: str) -> None:
    model, format = KEEPING[thing], registry.format_named(name)
    text, places = written(name, model)
    if thing in format.holds:
        assert SHOWS[thing](registry.read_bytes(text, "-", name).system) == SHOWS[thing](model)
    else:
        assert places, "it is not kept, and nothing is said of it"


@pytest.mark.parametrize("page", ["utf-8-sig", "cp1251", "gbk"])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_code_page_comes_back_or_is_a_loss(name: str, page: str) -> None:
    model = system(omissions=(Omission("file/encoding", "encoding", page, "none"),))
    data, places = written(name, model)
    if page in registry.format_named(name).holds.encodings:
        assert places == written(name, system())[1]
        data.decode(page)
        assert data.startswith(b"\xef\xbb\xbf") == (page == "utf-8-sig")
    elif name == "native":
        assert registry.read_bytes(data, "-", name).system == model
    else:
        assert "omissions/file/encoding" in places


def held_by(element: str, law: str) -> mb.Mechanism:
    """Two bodies that slide, the first held by an element ``e``, or by none."""
    made = mb.Mechanism("m").gravity(z="-9.81").body("b", mass=2, inertia=(1, 1.3, 0.7)).slides("z", along="z")
    made = made.slides("x", along="x").body("c", mass=1, inertia=(1, 1, 1)).slides("u", along="z")
    constants = {"k": 9, "c": 5, "d": 5, "w": 5, "exponent": 1, "e": 0}
    normal: dict[str, Any] = {"law": law} | {name: constants[name] for name in LAWS.get(law, ())}
    made = made.contact("e", "b", **normal) if element == "contact" else made
    made = made.contact("e", "b", against="c", radius=1, **normal) if element == "contact of a body" else made
    made = made.rope("e", "b", (None, (0, 0, 9)), 5, **normal) if element == "rope" else made
    made = made.stop("e", "z", lower=-1, **normal) if element == "stop" else made
    made = made.stop("e", {"z": 1, "x": 2}, lower=-1, **normal) if element == "stop of a sum" else made
    return made.rolling("e", "b", radius=1) if element == "rolling body" else made


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("element", ["contact", "contact of a body", "rope", "stop", "stop of a sum", "rolling body"])
@pytest.mark.parametrize("name", COLUMNS)
def test_an_element_is_written_or_lost_by_its_own_kind(name: str, element: str, law: str) -> None:
    """A rigid one, of no formula, was written as a weight or a damper of zero, whose name alone was said to be lost."""
    kinds = {"contact", "rope", "stop", "rolling"}
    assert {kind.__name__.lower() for kind in get_args(Element)} == kinds
    made, bare = (registry.write(held_by(kind, law), name) for kind in (element, ""))
    if name == "native":
        assert made.losses == () and made.text != bare.text
        return
    lost = [x for x in made.losses if x not in bare.losses]
    named = [x for x in lost if f" {element.split()[0]}" in x.what]
    assert named and not any(word in f"{x.what} {x.reason}" for x in lost for word in ("weight", "damping"))
    if law == "rigid" and element != "rolling body":
        assert [(x.place, x.acts) for x in lost] == [("contacts/e", True)] and made.text == bare.text


def test_losses_of_a_format_that_holds_nothing_name_everything() -> None:
    for table in (USING, KEEPING):
        for key, model in table.items():
            named = {loss.place for loss in list_losses(model, Holds())}
            names = ("coordinate_names", "body_names", "force_names", "constraint_names")
            if key not in (*names, "prescribed_motion", "mapped_motion"):
                assert named, key
    whole = Holds(frozenset(FEATURES), frozenset(KEPT), metadata="")
    assert not [loss for model in (*USING.values(), *KEEPING.values()) for loss in list_losses(model, whole)]


@pytest.mark.parametrize(
    "wrong", [{"features": frozenset({"rod"})}, {"kept": frozenset({"names"})}, {"reasons": {"x": "y"}}]
)
def test_a_misprint_in_what_a_format_holds_is_found_when_it_is_declared(wrong: Any) -> None:
    with pytest.raises(ValueError, match="unknown of what a format holds"):
        Holds(**wrong)


def test_a_feature_that_a_writer_forgets_is_not_dropped_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    made = registry.Writing("text")
    forgetful = replace(registry.format_named("tp"), write=lambda system: made)
    monkeypatch.setattr(registry, "format_named", lambda name: forgetful)
    (loss,) = registry.write(USING["flywheels"], "tp").losses
    assert loss.place == "bodies/a/flywheels"
    assert loss.what == "flywheels"
    assert registry.write(system(), "tp").losses == ()


@pytest.mark.parametrize(("name", "expected"), [("urdf", "3"), ("mjcf", "3"), ("sdf", "3"), ("um", "2.5")])
def test_a_map_stands_as_at_zero_or_where_the_format_has_initial_positions_as_there(name: str, expected: str) -> None:
    step = translation("x", Mapped(2 + TIME + call("f", [2 * symbol("z1") - symbol("z2")])))
    f = Function("f", ("x",), 1 - symbol("x"))
    coordinates = Coordinate("z1", number("0.5")), Coordinate("z2", number("0.5"))
    first, second = system().bodies
    bodies = replace(first, joint=(step, rotation("z", "z1"))), second
    model = system(coordinates=coordinates, functions=(f,), bodies=bodies)
    made = registry.write(model, name)
    (loss,) = (loss for loss in made.losses if loss.place.startswith("bodies/a/joint"))
    assert loss.acts and ("as it is at the start" if name == "um" else "it stands as at zero") in loss.reason
    data = registry.encode(made, "-", name)
    (own, *_) = registry.read_bytes(data, "input.dat" if name == "um" else "-", name).system.bodies
    shift, *_ = own.joint
    assert evaluate_float(shift.amount, {}) == float(expected) and shift.is_translation


@pytest.mark.parametrize("formula", ["1/z1", "1/z1'", "sqrt(z1-100)"])
@pytest.mark.parametrize("name", ["urdf", "mjcf", "sdf"])
def test_what_has_no_value_at_zero_is_lost_as_any_other_formula(name: str, formula: str) -> None:
    """Laws and rows were taken at zero to see whether they are linear, and `convert` ended there."""
    law = parse_formula(formula)
    made = registry.write(system(forces=(JointEffort("own", "z1", law),)), name)
    assert "forces/own" in {loss.place for loss in made.losses}
    if "'" not in formula:
        made = registry.write(system(constraints=(Holonomic("own", law - symbol("z2")),)), name)
        assert "constraints/own" in {loss.place for loss in made.losses}


@pytest.mark.parametrize("row", ["z1_slide - 2*z1 + z1*z1_slide", "z1_slide - 1/z1"])
def test_a_row_that_is_linear_at_zero_alone_is_no_screw_of_an_sdf(row: str) -> None:
    first, second = system().bodies
    bodies = replace(first, joint=(rotation("z", "z1"), translation("z", "z1_slide"))), second
    names = ("z1", "z1_slide", *(c.name for c in system().coordinates if c.name not in ("z1", "z1_slide")))
    model = system(
        bodies=bodies, coordinates=tuple(map(Coordinate, names)), constraints=(Holonomic("own", parse_formula(row)),)
    )
    assert "constraints/own" in {loss.place for loss in registry.write(model, "sdf").losses}
