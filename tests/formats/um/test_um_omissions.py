"""Everything that an input.dat says and the model does not hold is an omission, with its text and its parameters."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.um.beside import Vectors, write_xv
from mbconcord.converters.um.reading.reading import LONGEST
from mbconcord.model import Omission, System
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import number
from mbconcord.model.state import State
from mbconcord.validation.check import check

from . import um_files
from .um_files import HEAD, WELD, joint, model, one

TURN = joint("rotat", one("0,0,1", "0,0,1"))
FORCE = 'with scalarforce; name="f1"; type=expression; expression='


def left_out(*joints: str, head: str = HEAD, tail: str = "") -> list[Omission]:
    return list(model(*(joints or (TURN, WELD)), head=head, tail="\n" + tail).system.omissions)


#: text -> (place, kind, effect, parameters)
TABLE = {
    'with cfrc1; name="foot"; type=plane_point; f=a;': ("contact/foot", "contact", "forces", ("a",)),
    'with lfrc; name="l"; type=linear;\nwith scalarforce; type=none;': (
        "linear-element/l", "linear-element", "forces", ()
    ),
    'with sfrc1; name="s"; type=bushing; bd1="a"; parameters=b#a#;': (
        "bushing/s", "bushing", "forces", ("b", "a")
    ),
    'with sfrc; name="s"; type=maglev;': ("magnetic-force/s", "magnetic-force", "forces", ()),
    'with sfrc; name="s"; type=rack;': ("special-force/s", "special-force", "forces", ()),
    'with conn; type=TLFrc; element="FL.x";': ("connection/FL.x", "connection", "forces", ()),
    'with bfrc; name="s"; bd1="B1"; bd2="External";\nwith scalarforce; type=none;': (
        "bipolar-force/s", "bipolar-force", "forces", ()
    ),
    'with bfrc; name="s"; bd1="B1"; bd2="Base0";': ("bipolar-force/s", "bipolar-force", "forces", ()),
    "with pendant; mass=a;": ("block/pendant", "block", "unknown", ("a",)),
    'with var; name="v"; expression=a;': ("variable/v", "variable", "none", ("a",)),
    'with sensor; name ="top"; body="B1";': ("sensor/top", "sensor", "none", ()),
    'with go; name="ball";\nwith ge; type=BAR; a=1;': ("image/ball", "image", "none", ()),
}  # fmt: skip


@pytest.mark.parametrize("text", TABLE)
def test_a_block_that_the_model_does_not_hold(text: str) -> None:
    (found,) = left_out(tail=text)
    assert (found.place, found.kind, found.effect, found.parameters) == TABLE[text]
    assert found.what.startswith(f"with {text[5:].partition(';')[0].rstrip('1')};")


FORCES = {
    joint("rotat", one("0,0,1", "0,0,1") + '\nwith scalarforce; name="f1"; type=library;'): ("f1", ()),
    joint("rotat", one("0,0,1", "0,0,1") + f'\n{FORCE}b*coordinate("j", 1, 0);'): ("f1", ("b",)),
    joint("6dof", f"with jnt6dof; x0=0; angles=312;\n{FORCE}a*x;"): ("f1", ("a",)),
}


@pytest.mark.parametrize("text", FORCES)
def test_a_force_of_a_joint_that_is_not_read(text: str) -> None:
    (found,) = left_out(text, WELD)
    name, parameters = FORCES[text]
    assert (found.place, found.effect) == (f"scalar-force/{name}", "forces")
    assert found.parameters == parameters


def test_a_force_of_no_law_is_none() -> None:
    assert left_out(joint("6dof", "with jnt6dof; x0=0; angles=312;\nwith scalarforce; type=none;"), WELD) == []


def test_attributes_that_no_file_seen_has() -> None:
    """In blocks of the model they may act; those of what is left out belong to its text."""
    places = {o.place: o.effect for o in left_out(joint("rotat", one("0,0,1", "0,0,1", "x0=0; mu=1;")), WELD)}
    assert places == {"attribute/jnt1dof/mu": "unknown"}
    (found,) = left_out(tail='with cfrc; name="c"; stickiness=3;')
    assert (found.kind, "stickiness=3;" in found.what) == ("contact", True)


def test_the_text_has_neither_layout_nor_comments_nor_numbers_of_blocks() -> None:
    plain, other = (
        left_out(tail=f'with cfrc{n}; name="c";{gap}f=a;{gap}points={{ {gap}0 {gap}1 }};')
        for n, gap in ((1, " "), (7, "\n  "))
    )
    assert plain == other
    assert plain[0].what == 'with cfrc; name="c"; f=a; points={ 0 1 };'


def test_variables_that_a_force_uses_stand_in_its_text_and_names_of_attributes_are_no_parameters() -> None:
    tail = 'with var; name="v"; expression=a;\nwith sfrc; name="s"; type=maglev; b=1; accvar="v";'
    variable, force = left_out(tail=tail)
    assert force.what.endswith(variable.what)
    assert force.parameters == variable.parameters == ("a",)


def test_of_a_long_text_its_beginning_and_a_digest_are_kept() -> None:
    points = " ".join(map(str, range(1000)))
    one, other = (left_out(tail=f'with cfrc; name="c"; points={{ {points} {last} }};')[0] for last in (1, 2))
    assert one.what != other.what and one.what[:LONGEST] == other.what[:LONGEST]
    assert len(one.what) < LONGEST + 60


#: model -> what of it acts
KNOWN = {"suspension": ["contact/CFrc1", "bushing/bush"], "six_legs": [f"contact/CFrc{i}" for i in range(1, 7)]}


@pytest.mark.parametrize("name", um_files.MODELS)
def test_fixtures(name: str) -> None:
    system = um_files.system(name)
    assert [o.place for o in system.omissions if o.acts] == KNOWN.get(name, [])


def test_omissions_have_the_names_of_subsystems_and_stand_where_they_stand() -> None:
    legs = registry.read_text(um_files.text("six_legs"), "input.dat", "um")
    assert "image/FL.segment" in {o.place for o in legs.system.omissions}
    at = legs.locations["omissions/contact/CFrc1"]
    assert um_files.text("six_legs").splitlines()[at.line - 1][at.column - 1 :].startswith("with cfrc")


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("target", ["mbsd", "um"])
def test_what_a_format_cannot_hold_is_a_loss_each(name: str, target: str) -> None:
    """To UM too, where the file that it stood in is no longer with the model."""
    system = replace(um_files.system(name), metadata={})
    places = {loss.place for loss in registry.write(system, target).losses}
    held = {"comment", "line-end"} if target == "mbsd" else {"encoding", "line-end"} if target == "um" else set()
    assert {f"omissions/{o.place}" for o in system.omissions if o.kind not in held} <= places
    kept = {loss.place for loss in registry.write(um_files.system(name), "um").losses}
    assert not any(place.startswith("omissions/") for place in kept)


# --- elements that both files leave out: one where the frames are one ---------------------------------


def suspension(*changes: tuple[str, str]) -> System:
    """The suspension with a contact of its wheel and a bushing, changed."""
    text = (files("mbconcord.fixtures") / "um" / "suspension" / "input.dat").read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return registry.read_text(text, "input.dat", "um").system


def test_a_copy_is_the_same_machine_with_what_both_leave_out() -> None:
    found = mbconcord.compare(suspension(), suspension())
    assert found.headline == "the same machine, 1 contact, 1 bushing equal as texts on equal frames"
    assert found.stands


#: The wheel's frame is moved by 0.1 m; its centre of mass and the damper's end stay.
SHIFTED = (
    ("ro2x=; ro2y=; ro2z=h/4;", "ro2x=; ro2y=; ro2z=h/4-0.1;"),
    ("m=25; ixx=1; ixy=; ixz=; iyy=2; iyz=; izz=1; rcx=; rcy=; rcz=;",
     "m=25; ixx=1; ixy=; ixz=; iyy=2; iyz=; izz=1; rcx=; rcy=; rcz=-0.1;"),
    ("ro1x=; ro1y=-0.3; ro1z=; ro2x=; ro2y=; ro2z=;", "ro1x=; ro1y=-0.3; ro1z=; ro2x=; ro2y=; ro2z=-0.1;"),
)  # fmt: skip


def test_a_contact_whose_body_has_another_frame_is_another_one() -> None:
    found = mbconcord.compare(suspension(), suspension(*SHIFTED), accept_omissions={"contact": 1, "bushing": 1})
    assert found.verdict == "disagrees"
    assert "contact/CFrc1: the frame of wheel in A, up to 0.1 m and 0 rad from it in B" in str(found)


def test_a_bushing_is_in_the_axes_of_the_bodies_that_it_refers_to() -> None:
    (bushing,) = (o for o in suspension().omissions if o.kind == "bushing")
    assert bushing.bodies == ("frame", "wheel")
    apart = suspension(('type=bushing; bd1="frame"', 'type=bushing; bd1="Base0"'))
    (bushing,) = (o for o in apart.omissions if o.kind == "bushing")
    assert bushing.bodies == ("wheel", "frame")


# --- joints of types that no file seen has -------------------------------------------------------------

QUATERNION = ('name="jBase0_frame"; type=transl;', 'name="jBase0_frame"; type=quaternion;')


def test_a_joint_of_an_unseen_type_is_left_out_and_the_rest_is_read() -> None:
    system = suspension(QUATERNION)
    (joint,) = (o for o in system.omissions if o.kind == "joint")
    assert (joint.place, joint.effect, joint.bodies) == ("joint/jBase0_frame", "unknown", ("frame",))
    assert [et.kind for et in system.body("frame").joint] == ["translation"] * 3 + ["rotation"] * 3
    assert len(system.coordinates) == 7 and system.body("wheel").parent == "frame"
    found = check(system, formalisms=["lagrange", "newton_euler"], states=1, claims=())
    assert found.headline.startswith("agrees without 1 contact, 1 bushing, 1 joint of an unseen type")
    assert not found.stands
    for use in (Vectors(np.zeros(7), np.zeros(7)).state, lambda model: write_xv(State(), model)):
        with pytest.raises(NumbersError, match="the joint jBase0_frame, whose type no file seen has, are unknown"):
            use(system)
    copied = mbconcord.compare(system, suspension(QUATERNION))
    assert copied.stands and "1 joint of an unseen type equal as texts" in copied.headline


def test_it_closes_no_loop_and_is_written_where_nothing_of_it_changes() -> None:
    """Between bodies that others join it is a constraint less; a coordinate of its own has no line in the file."""
    text = (files("mbconcord.fixtures") / "um" / "suspension" / "input.dat").read_text("utf-8")
    rod = 'with joint0; name="rod"; type=rod; bd1="Base0"; bd2="wheel"; length=1;\n'
    system = registry.read_text(text.replace("with joint1;", f"{rod}with joint1;"), "input.dat", "um").system
    assert not system.constraints and len(system.coordinates) == 2
    assert [o.place for o in system.omissions if o.kind == "joint"] == ["joint/rod"]
    free = suspension(QUATERNION)
    assert registry.write(free, "um").text == text.replace(*QUATERNION)
    last = free.coordinates[-1]
    moved = replace(free, coordinates=(*free.coordinates[:-1], replace(last, position=number("0.5"))))
    written = registry.write(moved, "um")
    assert any(loss.place == "omissions/joint/jBase0_frame" and loss.acts for loss in written.losses)


WHEELSET = """with main; autogravity=true;
with egravity; gravityz=-1;
with subs1; name="W"; type=wheelset; ident=Wset;
with body1; name="B1"; m=1; ixx=1; iyy=1; izz=1;
with body2; name="B2"; m=1; ixx=1; iyy=1; izz=1;
with joint1; name="j1"; type=rotat; bd1="W.axle"; bd2="B1";
  with jnt1dof; e1z=1; e2z=1; x0=0;
with joint2; name="j2"; type=comm; bd1="B1"; bd2="B2";
  with et; type=rv; ex=1; coord0=0;
with joint3; name="own"; type=comm; bd1="W.axle"; bd2="W.wheel";
with bfrc1; name="s"; bd1="W.axle"; bd2="B2";
  with scalarforce1; type=expression; expression=-10*x;
with end;
"""


def test_a_wheelset_is_left_out_with_what_leads_to_it_and_the_rest_is_read():
    system = registry.read_text(WHEELSET, "input.dat", "um").system
    assert [(o.kind, o.effect) for o in system.omissions] == [
        ("subsystem", "unknown"), ("connection", "unknown"), ("bipolar-force", "forces"),
    ]  # fmt: skip
    assert [b.name for b in system.bodies] == ["B1", "B2"]
    assert len(system.coordinates) == 7  # j2 turns, B1 is free
    assert system.omissions[1].bodies == ("B1",)


def test_a_wheelset_stands_in_the_verdict(tmp_path, capsys):
    (tmp_path / "input.dat").write_text(WHEELSET)
    assert main(["check", str(tmp_path / "input.dat"), "--states", "2"]) == 3
    said = capsys.readouterr().out
    assert "1 subsystem that does not stand in the file, effect on the motion unknown: W" in said
    assert "it does not know the subsystem W" in said
