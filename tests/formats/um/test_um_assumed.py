"""Bushings, linear elements and linear scalar forces by assumed laws: as docs/formats/um.md has them, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.format import Reading
from mbconcord.converters.xacro import Allowed
from mbconcord.model import Bushing, Frame, MbconcordError, System
from mbconcord.model.omission import find_assumed
from mbconcord.model.transformation import shift
from mbconcord.validation.check import check
from mbconcord.validation.judge.witness import Original

from .um_files import REAL, real, text

# Two bodies that move freely against each other by shifts and turns about x, and elements between them.

MAIN = "with main; autogravity=true;\nwith const;\ncnst=(k# 300);\ncnst=(d# k/100);\nwith egravity; gravityz=-1;\n"
BODIES = "".join(f'with body{i}; name="B{i}"; m={i}; ixx=1; iyy=2; izz=2;\n' for i in (1, 2))
#: Coordinates x, y, z and turns about x and z of a body, the last innermost.
FREE = "".join(
    f'with et; type={kind}; ex={x}; ey={y}; ez={z}; coord0=0;\nwith scalarforce; name="{name}{{n}}"; type=none;\n'
    for name, kind, x, y, z in (
        ("x", "tv", 1, 0, 0), ("y", "tv", 0, 1, 0), ("z", "tv", 0, 0, 1), ("a", "rv", 1, 0, 0), ("c", "rv", 0, 0, 1),
    )
)  # fmt: skip
JOINTS = "".join(
    f'with joint{n}; name="j{n}"; type=comm; bd1="{a}"; bd2="B{n}";\nwith et; type=tc; ex=0; ey=0; ez={z};\n'
    + FREE.format(n=n)
    for n, a, z in ((1, "Base0", "0.5"), (2, "B1", "d/2"))
)
ROW = "100#200#k#7#8#9#1#2#d#0.4#0.5#0.6#10#20#30#########"
BUSHING = (
    'with sfrc1; name="S"; type=bushing; bd1="B1"; bd2="B2"; ro1x=; ro1y=; ro1z=; ro2x=; ro2y=; ro2z=;\n'
    'autodetection=true; bodyref1="B1"; bodyref2="B1"; position=1; p1x=1; p1y=; p1z=d; p2x=; p2y=; p2z=;\n'
    "position=2; p1x=1; p1y=; p1z=d/2; p2x=; p2y=; p2z=; axis1=1; axis2=2; axis3=3; angle1=0; angle2=0; angle3=0;\n"
    f"bushing_type=linear; parameters={ROW};\n"
)
#: Stiffness 1, 2, … and damping 0.1, 0.2, … by rows.
STIFF = "".join(f"c{i}{j}={6 * i + j - 6}; " for i in range(1, 7) for j in range(1, 7))
LINEAR = (
    'with lfrc; name="L"; bd1="B1"; bd2="B2"; type=elast; igrobj=1; ro1x=1; ro1y=; ro1z=; ro2x=; ro2y=; ro2z=;\n'
    "fx=10; fy=20; fz=k; tx=1; ty=2; tz=3; ro2x1=1; ro2y1=; ro2z1=d;\n"
    f"dissmatrix={''.join(f'{i / 10}#' for i in range(1, 37))};\n{STIFF}autodetection2=true; ncoils=7; radius=1;\n"
)
SCALAR = JOINTS.replace('name="x1"; type=none;', 'name="x1"; type=linear; f0=5; k=k; l0=0.1; d=d; q=0; w=0; a=0;')


def model(*elements: str, assume: tuple[str, ...] = (), joints: str = JOINTS) -> Reading:
    written = f"{MAIN}{BODIES}{joints}{''.join(elements)}with end;\n"
    return registry.read_text(written, "-", "um", allowed=Allowed(assume=assume))


def push(found: Reading, q: dict[str, float] | None = None, v: dict[str, float] | None = None) -> dict[str, float]:
    """Applied forces along the coordinates."""
    names = found.system.coordinate_names
    vectors = ([(values or {}).get(name, 0.0) for name in names] for values in (q, v))
    at = dict(zip("qv", vectors, strict=True))
    return dict(zip(names, map(float, mbconcord.evaluate(found, **at, quantities="applied")["applied"]), strict=True))


def moved(found: Reading, **by: float) -> np.ndarray:
    """What a shift or turn of the second body, or its rate (``d`` before the name), adds to the forces along it."""
    q = {f"{name}2": x for name, x in by.items() if not name.startswith("d")}
    v = {f"{name[1:]}2": x for name, x in by.items() if name.startswith("d")}
    here, there = push(found, q, v), push(found)
    return np.array([here[f"{name}2"] - there[f"{name}2"] for name in "xyzac"])


def test_a_bushing_has_six_stiffnesses_six_dampings_and_three_forces_on_the_second_body() -> None:
    """Its points stand at x = 1: a force along y has the arm 1 m about the second body's z axis."""
    found = model(BUSHING, assume=("bushing",))
    still = push(found)
    # z of the point is d/2 = 1.5 above the body's origin: forces along y turn it about x by -1.5 y
    expected = {"x2": 10, "y2": 20, "z2": 30, "a2": -1.5 * 20, "c2": 20}
    assert {name: still[name] for name in expected} == pytest.approx(expected)
    assert moved(found, x=0.1) == pytest.approx([-10, 0, 0, 0, 0])
    assert moved(found, z=0.1) == pytest.approx([0, 0, -30, 0, 0])
    assert moved(found, dx=1) == pytest.approx([-1, 0, 0, 0, 0])
    assert moved(found, dz=1) == pytest.approx([0, 0, -3, 0, 0])
    assert moved(found, y=0.1) == pytest.approx([0, -20, 0, 30, -20])
    assert moved(found, dc=1)[4] == pytest.approx(-0.6 - 2)  # damping about z, and along y with the arm 1
    assert moved(found, da=1)[3] == pytest.approx(-0.4 - 1.5**2 * 2)
    angle = 0.2
    stretch = np.array([0, 1.5 * (1 - np.cos(angle)) * 0 - 1.5 * np.sin(angle), 1.5 * (np.cos(angle) - 1)])
    force = np.array([10, 20, 30]) - np.array([100, 200, 300]) * stretch
    arm = np.array([0, -1.5 * np.sin(angle), 1.5 * np.cos(angle)])
    moment = arm[1] * force[2] - arm[2] * force[1] - 7 * np.sin(angle)
    assert push(found, {"a2": angle})["a2"] == pytest.approx(moment)


def test_a_linear_element_has_full_matrices_and_six_forces_on_the_second_body() -> None:
    found = model(LINEAR, assume=("lfrc",))
    still = push(found)
    arm = 1.5
    assert [still[n] for n in ("x2", "y2", "z2")] == pytest.approx([10, 20, 300])
    assert still["a2"] == pytest.approx(1 - arm * 20) and still["c2"] == pytest.approx(3 + 20)
    rows = np.arange(1, 37).reshape(6, 6)
    for i, name in enumerate("xyz"):
        w = -0.1 * rows[:, i]
        expected = [*w[:3], w[3] - arm * w[1], w[5] + w[1]]
        assert moved(found, **{name: 0.1}) == pytest.approx(expected)
        assert moved(found, **{f"d{name}": 1.0}) == pytest.approx(expected)
    turned = -np.sin(1e-4) * rows[:, 3] + 1e-4 * arm * rows[:, 1]  # about x by 1e-4: n sin φ, and the point by -φ z
    assert moved(found, a=1e-4)[:3] == pytest.approx(turned[:3], abs=1e-4)


def test_a_linear_scalar_force_is_named_once_it_is_assumed() -> None:
    plain, assumed = model(joints=SCALAR), model(joints=SCALAR, assume=("linear",))
    assert push(plain) == push(assumed) and push(plain)["x1"] == pytest.approx(5 + 0.1 * 300)
    assert plain.system.omissions == ()
    (found,) = assumed.system.omissions
    assert (found.place, found.effect, found.parameters) == ("assumed-linear/x1", "forces", ("k", "d"))


def test_an_element_acts_only_where_its_kind_is_assumed() -> None:
    for assume in ((), ("bushing",), ("lfrc",), ("lfrc", "bushing")):
        found = model(BUSHING, LINEAR, assume=assume)
        names = {"bushing": "S", "lfrc": "L"}
        assert {f.name for f in found.system.forces} == {names[kind] for kind in assume}
        left = {"bushing": "bushing/S", "lfrc": "linear-element/L"}
        expected = {f"assumed-{k}/{names[k]}" if k in assume else place for k, place in left.items()}
        assert {o.place for o in found.system.omissions} == expected
        assert {*find_assumed(found.system.omissions)} == {*assume}


# --- what no file seen has stays left out ----------------------------------------------------------

UNSEEN = {
    "bushing_type=linear": "bushing_type=table",
    "ro1x=;": "ro1x=1;",
    'bodyref2="B1"': 'bodyref2="B2"',
    "p2x=;": "p2x=1;",
    "angle1=0": "angle1=9",
    "30#########": "30##1#######",
    "30########": "30########1",
    "bd1=": "stickiness=1; bd1=",
    f"parameters={ROW};": f"parameters={ROW};\nwith scalarforce; type=none;",
    "100#": 'coordinate("j1", 1, 0)#',
    'bd1="B1"': 'bd1="External"',
}
UNSEEN_LINEAR = {
    "type=elast": "type=air",
    "ro2x=;": "ro2x=1;",
    "autodetection2=true": "autodetection2=false",
    'bd2="B2"': 'bd2="External"',
    "ncoils=7": "preload=7",
}


@pytest.mark.parametrize(
    ("kind", "element", "place", "old", "new"),
    [("bushing", BUSHING, "bushing/S", *pair) for pair in UNSEEN.items()]
    + [("lfrc", LINEAR, "linear-element/L", *pair) for pair in UNSEEN_LINEAR.items()],
)
def test_an_element_unlike_those_seen_stays_left_out(kind: str, element: str, place: str, old: str, new: str) -> None:
    assert old in element
    found = model(element.replace(old, new, 1), assume=(kind,))
    assert (found.system.forces, [o.place for o in found.system.omissions]) == ((), [place])
    assert any("is not assumed: no file seen has" in d.message for d in found.diagnostics)


def test_bodies_that_are_turned_against_each_other_stay_without_it() -> None:
    turned = JOINTS.replace("ez=d/2;", "ez=d/2;\nwith et; type=rc; ex=0; ey=0; ez=1; coord0=90;")
    for kind, element in (("bushing", BUSHING), ("lfrc", LINEAR)):
        assert model(element, assume=(kind,), joints=turned).system.forces == ()
    both = JOINTS.replace("ez=0.5;", "ez=0.5;\nwith et; type=rc; ex=0; ey=0; ez=1; coord0=90;")
    assert len(model(BUSHING, LINEAR, assume=("bushing", "lfrc"), joints=both).system.forces) == 2


def test_points_that_do_not_coincide_are_told() -> None:
    apart = BUSHING.replace("p1z=d/2", "p1z=d")
    assert len(model(apart, assume=("bushing",)).system.forces) == 1
    told = [[d for d in model(e, assume=("bushing",)).diagnostics if "apart" in d.message] for e in (BUSHING, apart)]
    assert [len(found) for found in told] == [0, 1]


DAMAGED = {
    BUSHING.replace("100#", ""): ("found 23 values in parameters", 17),
    LINEAR.replace("0.1#", ""): ("found 35 values in dissmatrix", 16),
    BUSHING.replace("100#", "10*#"): ("expected", 17),
    BUSHING.replace("100#", "stiff#"): ("'stiff'", 17),
    BUSHING.replace("p1z=d;", "p1z=d; p1z=d;"): ("second p1z", 15),
    BUSHING.replace('bd2="B2"', 'bd2="B3"'): ("B3", 14),
}


@pytest.mark.parametrize("element", DAMAGED)
def test_a_damaged_element_is_refused_with_its_line(element: str) -> None:
    said, line = DAMAGED[element]
    with pytest.raises(MbconcordError) as refused:
        model(element, assume=("bushing",) if "sfrc" in element else ("lfrc",))
    first = refused.value.diagnostics[0]
    begun = (MAIN + BODIES + JOINTS).count("\n")
    assert said in first.message and first.location and first.location.line - begun == line - 13
    assert first.remedy or "expected" in first.message
    if said == "'stiff'" or "10*" in element:  # the value itself, behind parameters=
        assert first.location.column > len("bushing_type=linear; parameters=")


# --- refused, and where it goes --------------------------------------------------------------------


def test_kinds_that_there_are_not_are_refused() -> None:
    for assume, said in ((("lfrc",), "it has: bushing"), (("bush",), "um: bushing, linear, lfrc")):
        with pytest.raises(MbconcordError, match="--assume") as refused:
            model(BUSHING, assume=assume)
        assert said in refused.value.diagnostics[0].remedy
    with pytest.raises(MbconcordError, match="mbsd has no kind 'bushing'"):
        mbconcord.read(text="zig", format="mbsd", assume="bushing")
    with pytest.raises(MbconcordError, match="unknown kind 'assumed-bushing'"):
        mbconcord.check(model(BUSHING, assume=("bushing",)), accept_omissions={"assumed-bushing": 1})


def test_python_takes_it_where_it_reads(tmp_path: Any) -> None:
    file = tmp_path / "input.dat"
    file.write_text(f"{MAIN}{BODIES}{JOINTS}{BUSHING}with end;\n", encoding="utf-8")
    assert mbconcord.read(file).system.forces == ()
    assert len(mbconcord.read(file, assume="bushing").system.forces) == 1
    found = mbconcord.check(mbconcord.read(file, assume=["bushing"]), formalisms=["lagrange", "newton_euler"], states=2)
    assert found.headline == "agrees, law of 1 bushing assumed as in docs/formats/um.md" and not found.left_out.stands


@pytest.mark.slow
def test_a_file_goes_back_whole_and_never_as_proved(tmp_path: Any, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    written = f"{MAIN}{BODIES}{JOINTS}{BUSHING}with end;\n"
    (tmp_path / "input.dat").write_text(written, encoding="utf-8")
    assert main(["convert", "input.dat", "out.dat", "--assume", "bushing"]) == 0
    assert (tmp_path / "out.dat").read_text(encoding="utf-8") == written
    assert main(["convert", "input.dat", "out.dat", "--assume", "bushing", "--verify", "--force"]) == 3
    assert main(["convert", "input.dat", "set.dat", "--assume", "bushing", "--set", "k=7"]) == 0
    assert (tmp_path / "set.dat").read_text(encoding="utf-8") == written.replace("k# 300", "k# 7")
    assert main(["compare", "input.dat", "out.dat", "--assume", "bushing"]) == 4
    assert "the same machine, law of 1 bushing assumed" in capsys.readouterr().out
    assert main(["compare", "input.dat", "set.dat", "--assume", "bushing"]) == 1
    assert main(["convert", "input.dat", "m.mbs.json", "--assume", "bushing"]) == 0
    assert main(["check", "m.mbs.json", "--states", "1", "--formalisms", "lagrange,newton_euler"]) == 3
    assert main(["compare", "input.dat", "m.mbs.json", "--assume", "bushing"]) == 4
    assert main(["convert", "input.dat", "m.mbsd", "--assume", "bushing"]) == 3


def test_a_file_that_is_written_anew_keeps_the_elements() -> None:
    system = model(BUSHING, assume=("bushing",)).system
    first, *others = system.bodies
    heavier = replace(first, inertia=replace(first.inertia, mass=first.inertia.mass * 3))
    made = registry.write(replace(system, bodies=(heavier, *others)), "um")
    assert [loss.place for loss in made.losses if loss.acts] == []
    again = registry.read_text(made.text, "-", "um", allowed=Allowed(assume=("bushing",))).system
    assert again.forces == system.forces


# --- the second reading ----------------------------------------------------------------------------


def doubted(found: Reading, system: System) -> list[str]:
    """Quantities that disagree where a reader made this system of the text."""
    original = Original(found.text, "um")
    evidence = check(system, states=2, formalisms=["lagrange"], claims=["second_reading"], original=original)
    return [c.quantity for c in evidence.comparisons if c.verdict == "disagrees"]


MISREAD = {
    "stiffness": lambda f: replace(f, stiffness=f.damping),
    "transposed": lambda f: replace(f, damping=tuple(zip(*f.stiffness, strict=True))),
    "damping": lambda f: replace(f, damping=tuple(tuple(2 * x for x in row) for row in f.damping)),
    "sign": lambda f: replace(f, preload=tuple(-x for x in f.preload)),
    "first": lambda f: replace(f, first=Frame(f.first.body, (*f.first.transformations, *shift((0, 0, 1))))),
    "second": lambda f: replace(f, second=Frame(f.second.body, (*f.second.transformations, *shift((0, 1, 0))))),
    "ends": lambda f: replace(f, first=f.second, second=f.first),
}  # fmt: skip


@pytest.mark.parametrize("fault", MISREAD)
@pytest.mark.parametrize(("kind", "element"), [("bushing", BUSHING), ("lfrc", LINEAR)])
def test_a_misread_element_is_seen(kind: str, element: str, fault: str) -> None:
    found = model(element, assume=(kind,))
    (force,) = found.system.forces
    assert isinstance(force, Bushing) and doubted(found, found.system) == []
    assert doubted(found, replace(found.system, forces=(MISREAD[fault](force),))) == ["text: applied"]
    assert doubted(found, replace(found.system, forces=())) == ["text: applied"]
    assert doubted(found, replace(found.system, omissions=())) == ["text: left out"]


# --- a machine of many -----------------------------------------------------------------------------


def vehicle(bogies: int = 6) -> str:
    """A car on bogies: eight bushings, four linear elements to the outer car, linear scalar forces in each bogie."""
    slide = 'with jnt1dof; ro1x={at}; ro2z=0; e1z= 1.; e2z= 1.; x0=0;\nwith scalarforce; name="{name}"; {law}\n'
    points = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    parts = [MAIN]
    for n in range(1, bogies + 1):
        parts.append(f'with subs{n}; name="V{n}"; type=mbsincluded; ro1x={3 * n};\n{MAIN}')
        parts += (f'with body{i}; name="{b}"; m={i}; ixx=1; iyy=1; izz=1;\n' for i, b in enumerate(("frame", "mag"), 1))
        parts.append('with joint1; name="jf"; type=transl; bd1="Base0"; bd2="frame";\n')
        parts.append(slide.format(at="0.5", name=f"f{n}", law="type=linear; f0=0; k=k; l0=0; d=d; q=0; w=0; a=0;"))
        parts.append('with joint2; name="jm"; type=transl; bd1="frame"; bd2="mag";\n')
        parts.append(slide.format(at="0.1", name=f"m{n}", law="type=none;"))
        for i, (x, y) in enumerate(points, 1):
            parts.append(
                f'with lfrc; name="L{i}"; bd1="frame"; bd2="External"; type=elast; ro1x={x}; ro1y={y};\nfz=k/9; '
                f"ro2x1={x}; ro2y1={y}; ro2z1=0.3; dissmatrix={'#' * 14}d{'#' * 22}; c11=k; c22=k; c33=k; "
                "autodetection2=true;\n"
            )
        for i, (x, y) in enumerate(points * 2, 1):
            parts.append(
                f'with sfrc{i}; name="S{i}"; type=bushing; bd1="frame"; bd2="mag"; autodetection=true;\n'
                f'bodyref1="frame"; bodyref2="frame"; position=1; p1x={x}; p1y={y}; position=2; p1x={x}-0.1; p1y={y};\n'
                "bushing_type=linear; parameters=k#0#k#0#k#0#d#0#d#0#d#0###-9.81#########;\n"
            )
        parts.append("with end;\n")
    parts.append('with body1; name="car"; m=40; ixx=9; iyy=9; izz=9; rcx=10.5;\nwith joint1; name="jc"; type=comm; ')
    parts.append('bd1="Base0"; bd2="car";\nwith et; type=tv; ez= 1.; coord0=0;\n')
    parts.append('with scalarforce; name="heave"; type=none;\nwith et; type=rv; ey= 1.; coord0=1;\n')
    parts.append('with scalarforce; name="pitch"; type=none;\n')
    parts += (
        f'with conn; type=TLFrc; element="V{n}.L{i}"; extbody="car"; rox=; roy=; roz=;\n'
        for n in range(1, bogies + 1) for i in range(1, 5)
    )  # fmt: skip
    return "".join((*parts, "with end;\n"))


@pytest.mark.slow
def test_a_vehicle_of_48_bushings_and_24_linear_elements_is_derived_and_moves_for_a_second() -> None:
    found = mbconcord.read(text=vehicle(), format="um", assume=("bushing", "linear", "lfrc"))
    words = "law of 48 bushings, 6 linear scalar forces, 24 linear force elements assumed as in docs/formats/um.md"
    assert sum(isinstance(f, Bushing) for f in found.system.forces) == 48 + 24
    assert {o.kind for o in found.system.omissions if o.acts} == {"assumed-bushing", "assumed-linear", "assumed-lfrc"}
    assert mbconcord.derive(found, formalism="newton_euler").left_out.without == words
    run = mbconcord.simulate(found, 1.0)
    assert run.left_out.words == words and not run.left_out.stands
    assert run.t[-1] == pytest.approx(1.0)
    bare = mbconcord.simulate(mbconcord.read(text=vehicle(), format="um"), 1.0)
    # the first coordinate is the height of the car, which falls without its springs
    assert bare.q[-1][0] == pytest.approx(-9.81 / 2) and abs(run.q[-1][0]) < 2


def test_the_second_reading_follows_connections_to_outer_bodies() -> None:
    found = mbconcord.read(text=vehicle(1), format="um", assume=("bushing", "linear", "lfrc"))
    assert doubted(found, found.system) == []
    forces = [replace(f, second=f.first) if f.name == "V1.L2" else f for f in found.system.forces]
    assert doubted(found, replace(found.system, forces=tuple(forces))) == ["text: applied"]


@real
def test_real_models_without_such_elements_refuse_it() -> None:
    for file in sorted(REAL.glob("*/input.dat")):
        with pytest.raises(MbconcordError, match="--assume"):
            mbconcord.read(file, assume="bushing")


def test_the_suspension_of_the_fixtures_is_read_by_both() -> None:
    found = registry.read_text(text("suspension"), "-", "um", allowed=Allowed(assume=("bushing", "linear")))
    assert doubted(found, found.system) == []
