"""Systems built by hand: those that files describe, and what is refused where it stands."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import sympy

from mbconcord import Mechanism, System, compare, evaluate, read
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Inertia,
    ModelError,
    Point,
    PointForce,
    limits,
    rotation,
    shift,
    translation,
)
from mbconcord.model.beams import ClampedFree, beam, bending, round_section
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.expressions import HALF, PI_NODE, as_expression, symbol


def double_pendulum() -> Mechanism:
    return (
        Mechanism("double_pendulum")
        .parameters(i1=1, m1=1, i2=1, m2=1, g=9.81)
        .gravity(y="-g")
        .body("body1", mass="m1")
        .turns("z1", about="z", start="pi/6")
        .shift(x="i1")
        .body("body2", on="body1", mass="m2")
        .turns("z2", about="z", start="pi/6")
        .shift(x="i2")
    )


def gimbal() -> Mechanism:
    tensor = ((1.1, 0.08, -0.05), (0.08, 1.3, 0.12), (-0.05, 0.12, 1.6))
    return (
        Mechanism("gimbal")
        .parameters(g=9.81)
        .gravity("g", along="-z")
        .body("body", mass=3.5, com=(0.1, -0.2, 0.15), inertia=tensor, about="origin")
        .turns("yaw", about="z", start="20*pi/180")
        .turns("pitch", about="y", start="-35*pi/180", rate=0.4)
        .turns("roll", about="x", rate=1.2)
    )


def springs() -> Mechanism:
    tensor = (0.01, 0.25, 0.25, 0.01, 0, 0.002)
    return (
        Mechanism("springs")
        .parameters(c_1=120, l_1=0.7, d_1=3, c_2=80, l_2=0.6, d_2=1.5, p=2, w=6, c_3=300, l_3=0.5, g=9.81)
        .gravity(y="-g")
        .body("first", mass=1.5)
        .turns("z1", "z", start="pi/6")
        .shift(x=0.6)
        .body("second", on="first", mass=0.8, com=(-0.05, 0.02, 0.01), inertia=tensor, about="origin")
        .turns("z2", "z", start="-70*pi/180")
        .turns("x1", "x", start="5*pi/180")
        .shift(x=0.5)
        .body("third", mass=0.7)
        .shift(x=0.2, y=0.9, z=0.1)
        .turns("y1", "y", start="15*pi/180")
        .shift(x=0.3)
        .spring("a", "second", (None, (1.2, 0.4, -0.3)), stiffness="c_1", length="l_1", damping="d_1", mass=0.2)
        .bipolar("b", ("first", (-0.2, 0.1, 0)), ("second", (0.05, 0, 0.05)), "c_2*(l_2 - @) - d_2*@' + p*sin(w*t)")
        .bipolar("c", ("third", (0, 0.1, 0)), ("first", (-0.3, 0, 0.2)), "c_3*(l_3 - @)^3", mass=0.1)
    )  # fmt: skip


def moving_support() -> Mechanism:
    return (
        Mechanism("moving_support")
        .parameters(a=0.15, b=0.1, w=4, L=0.8, m1=1, g=9.81)
        .function("lift", ["t"], "0.05*t^2*exp(-t)")
        .gravity(y="-g")
        .body("rod", mass="m1")
        .shift(x="a*sin(w*t)")
        .shift(y="lift(t)")
        .turns("z1", "z", start="20*pi/180")
        .shift_along("L + b*sin(2*w*t)", along="-y")
        .body("bob", on="rod", mass=0.4, com=(0, -0.1, 0), inertia=(0.02, 0.01, 0.02), about="origin")
        .shift(y=-0.3)
        .turns("x1", "x", start="10*pi/180")
    )


def four_bar() -> Mechanism:
    return (
        Mechanism("four_bar")
        .parameters(a=0.5, b=1, g=9.81)
        .gravity(y="-g")
        .body("crank", mass=0.5)
        .turns("z1", "z", start="pi/3")
        .shift(x="a")
        .body("coupler", on="crank", mass=1.2)
        .turns("z2", "z", start="-pi/3")
        .shift(x="b")
        .body("rocker", mass=0.6, com=(0.25, 0, 0), inertia=(0.01, 0.05, 0.05), about="origin")
        .shift(x="b")
        .turns("z3", "z", start="pi/3")
        .close(
            "pivot", ("coupler", [rotation("z", "cut")]), ("rocker", [translation("x", symbol("a"))])
        )
    )  # fmt: skip


def slider_crank() -> Mechanism:
    slide = [translation("x", Fraction("-0.04")), translation("y", Fraction("0.03")), translation((3, 4, 0), "stroke")]
    return (
        Mechanism("slider crank, cut at the slide")
        .gravity(y=-9.81)
        .body("crank", mass=1.1, com=(0.15, 0, 0), inertia=(0.001, 0.01, 0.01))
        .turns("crank", "z", start=0.2, rate=3)
        .body("rod", on="crank", mass=0.9, com=(0.35, 0.02, 0), inertia=(0.002, 0.05, 0.05))
        .shift(x=0.3)
        .turns("rod", "z", start=1.0444024957652511, rate=-3.884444503381332)
        .body("piston", on="rod", mass=0.6, com=(0.01, 0.03, 0), inertia=(0.001, 0.001, 0.001))
        .shift(x=0.8)
        .turns("piston", "z", start=-1.244402495765251, rate=0.8844445033813321)
        .drive("crank", "4 - 0.1*crank'")
        .close("slide", (None, slide), ("piston", []))
    )


def pushed_gimbal() -> Mechanism:
    return (
        Mechanism("body in a gimbal, pushed and twisted")
        .gravity(z=-9.81)
        .body("body", mass=2, com=(0.4, 0, 0), inertia=(0.02, 0.05, 0.06))
        .turns("yaw", "z", start=0.5, rate=0.9)
        .turns("pitch", "y", start=-0.3, rate=1.2)
        .force("push", ("body", (0.7, 0.1, -0.2)), (3, "2*sin(5*t)", -1))
        .wrench("tool", ("body", (0.5, -0.3, 0.1)), force=(-2, 1, 4), moment=(0.3, -0.2, 0.5))
    )


def chaplygin_sleigh() -> Mechanism:
    return (
        Mechanism("Chaplygin's sleigh on a slope")
        .gravity(x=3)
        .body("sleigh", mass=2, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.15))
        .slides("x", along="x", rate=1.6)
        .slides("y", along="y", rate=1.2)
        .turns("heading", about="z", start=0.6435011087932844, rate=0.7)
        .rolls("blade", {"x": "-sin(heading)", "y": "cos(heading)"})
    )


def bead_on_parabola() -> Mechanism:
    return (
        Mechanism("bead on a parabola that shakes")
        .gravity(y=-9.81)
        .body("bead", mass=0.5)
        .slides("x", "x", start=0.6, rate=0.5)
        .slides("y", "y", start=0.18, rate=0.6)
        .holds("wire", "y - x^2/2 - 0.1*sin(3*t)")
    )


def bead_on_tilted_rod() -> Mechanism:
    tensor = (0.05, 0.04, 0.03, 0.002, -0.001, 0.003)
    return (
        Mechanism("bead on a tilted turning rod")
        .gravity(9.81, along=(2, -3, 6))
        .body("rod", mass=1.4, com=(0.2, -0.1, 0.3), inertia=tensor)
        .turns("turn", about=(1, 2, 2), start=0.4, rate=1.1)
        .body("bead", on="rod", mass=0.5, com=(0.02, 0.01, -0.03), inertia=(0.001, 0.002, 0.0015))
        .shift(x=0.1, z=-0.2)
        .slides("slide", along=(6, 2, 3), start=0.6, rate=-0.5)
        .drive("turn", "1.5 - 0.2*turn'")
        .effort("brake", "turn", "-3*turn - 0.1*turn'^3")
        .effort("spring", "slide", "-40*(slide - 0.5) - 0.7*slide'")
    )


def gyrostat() -> Mechanism:
    wheel = {"mass": 4, "inertia": (0.02, 0.02, 0.035)}
    return (
        Mechanism("gyrostat satellite")
        .body("bus", mass=80, com=(0.02, -0.01, 0.03), inertia=(12, 15, 10, 0.2, -0.1, 0.3))
        .turns("roll", "x", start=0.1, rate=0.02)
        .turns("pitch", "y", start=-0.2, rate=0.03)
        .turns("yaw", "z", start=0.3, rate=-0.01)
        .flywheel("wheel_x", "20*t + 2*sin(t)", mounting=_mounting("x", 0.3, "y", 1), **wheel)
        .flywheel("wheel_y", "-15*t", mounting=_mounting("y", 0.3, "x", -1), **wheel)
        .flywheel(
            "wheel_z", "25*t - t^2", mounting=_mounting("z", 0.3, "", 0), mass=4, com=(0.001, 0.0005, 0.01),
            inertia=(0.02, 0.021, 0.035, 0.0002, 0.0001, -0.0003),
        )
        .body("panel", on="bus", mass=6, com=(0, 0.8, 0), inertia=(1.3, 0.2, 1.5))
        .shift(y=0.9)
        .turns("panel", "y", start=0.4, rate=0.1)
    )  # fmt: skip


def _mounting(along: str, by: float, about: str, quarters: int) -> list[Any]:
    turn = [rotation(about, quarters * HALF * PI_NODE)] if about else []
    return [translation(along, Fraction(repr(by))), *turn]


BY_HAND: dict[str, Callable[[], Mechanism]] = {
    "mbsd/double_pendulum.mbsd": double_pendulum,
    "mbsd/gimbal.mbsd": gimbal,
    "mbsd/springs.mbsd": springs,
    "mbsd/moving_support.mbsd": moving_support,
    "mbsd/four_bar.mbsd": four_bar,
    "native/slider_crank.mbs.json": slider_crank,
    "native/pushed_gimbal.mbs.json": pushed_gimbal,
    "native/chaplygin_sleigh.mbs.json": chaplygin_sleigh,
    "native/bead_on_parabola.mbs.json": bead_on_parabola,
    "native/bead_on_tilted_rod.mbs.json": bead_on_tilted_rod,
    "konoplev/gyrostat.mbs.json": gyrostat,
}
#: Of native files whose elements are written as the builder writes them, everything is the same.
SAME = ("slider_crank", "pushed_gimbal", "chaplygin_sleigh", "bead_on_parabola", "gyrostat")


@pytest.mark.slow
@pytest.mark.parametrize("file", BY_HAND)
def test_built_by_hand_it_is_the_machine_of_the_file(file: str) -> None:
    built, written = BY_HAND[file]().build(), read(folder() / file).system
    found = compare(built, written, states=2)
    assert found.verdict == "agrees", str(found)
    assert built.coordinate_names == written.coordinate_names
    start, expected = evaluate(built).given.values, evaluate(written).given.values
    for name in written.coordinate_names:
        assert start[name][0] == pytest.approx(expected[name][0], rel=1e-15, abs=0)
        assert start[f"{name}'"][0] == expected[f"{name}'"][0]
    if any(name in file for name in SAME):
        assert built == written


@pytest.mark.slow
@pytest.mark.parametrize("file", ["mbsd/springs.mbsd", "native/pushed_gimbal.mbs.json", "konoplev/gyrostat.mbs.json"])
def test_another_number_is_another_machine(file: str) -> None:
    built = BY_HAND[file]().build()
    body = built.bodies[0]
    heavier = replace(body, inertia=replace(body.inertia, mass=body.inertia.mass * Fraction("1.0001")))
    other = replace(built, bodies=(heavier, *built.bodies[1:]))
    assert compare(other, read(folder() / file), states=2).verdict == "disagrees"


def test_decimals_are_exact() -> None:
    built = Mechanism("a").body("b", mass=0.1, inertia=np.array([0.1, 0.2, 0.3])).turns("q", "z").build()
    assert built.bodies[0].inertia.mass.data == Fraction(1, 10)
    assert [x.data for x in built.bodies[0].inertia.tensor[:3]] == [Fraction(n, 10) for n in (1, 2, 3)]


def test_gravity_by_components_is_gravity_by_its_direction() -> None:
    def gravity(*args: Any, **named: Any) -> Any:
        made = Mechanism("a").parameters(g=9.81).gravity(*args, **named).body("b", mass=1).turns("q", "x").build()
        return made.gravity

    assert gravity(z="-g") == gravity("g", along="-z") == gravity("g", along=(0, 0, -2))
    assert gravity(y=9.81) == gravity(9.81, along="y")
    found = gravity(x=3, y=-4)
    assert [str(x) for x in found.vector] == ["3", "-4", "0"]


SWING = rotation("z", "q")
BAD: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: Mechanism("a").body("b", mass="2*(m"), "bodies/b/mass", "column 3"),
    (lambda: Mechanism("a").body("b", mass="m**2"), "bodies/b/mass", r"powers are written with \^"),
    (lambda: Mechanism("a").body("b", mass=float("nan")), "bodies/b/mass", "not a finite number"),
    (lambda: Mechanism("a").body("b", mass=None), "bodies/b/mass", "found NoneType"),
    (lambda: Mechanism("a").body("b", mass=True), "bodies/b/mass", "found bool"),
    (lambda: Mechanism("a").body("b", mass=[1, 2]), "bodies/b/mass", "found list"),
    (lambda: Mechanism("a").body("b", mass=np.array([1.0, 2.0])), "bodies/b/mass", "not one number"),
    (lambda: Mechanism("a").body("b", com=(1, 2)), "bodies/b/com", r"expected three: \(x, y, z\)"),
    (lambda: Mechanism("a").body("b", com="xyz"), "bodies/b/com", "expected several numbers"),
    (lambda: Mechanism("a").body("b", com=(0, "1/0", 0)), "bodies/b/com/y", "division by zero"),
    (lambda: Mechanism("a").body("b", inertia=(1, 2)), "bodies/b/inertia", "found 2 elements"),
    (lambda: Mechanism("a").body("b", inertia=((1, 2, 3), (2, 1, 1), (3, 2, 1))), "bodies/b/inertia", "not symmetric"),
    (lambda: Mechanism("a").body("b", about="origen"), "bodies/b/inertia", "did you mean 'origin'"),
    (lambda: Mechanism("a").body("b", on="c"), "bodies/b/parent", "no body 'c' before it"),
    (lambda: Mechanism("a").body("b").body("b"), "bodies/b", "is there already"),
    (lambda: Mechanism("a").turns("q", "z"), "turns q", "no body has been begun"),
    (lambda: Mechanism("a").shift(x=1), "shift", "no body has been begun"),
    (lambda: Mechanism("a").body("b").turns("q", "w"), "bodies/b/turns q", "there is no axis 'w'"),
    (lambda: Mechanism("a").body("b").turns("q", (0, 0, 0)), "bodies/b/turns q", "no direction"),
    (lambda: Mechanism("a").body("b").turns("q", ("k", 0, 0)), "bodies/b/turns q", "made of numbers"),
    (lambda: Mechanism("a").body("b").turns("q", "z").slides("q", "x"), "bodies/b/slides q", 'moves by map="q"'),
    (lambda: Mechanism("a").body("b").turns("q", "z", start="x+"), "coordinates/q/start", "formula 'x.'"),
    (lambda: Mechanism("a").body("b").rotate("2 3(", about="x"), "bodies/b/rotate", "column"),
    (lambda: Mechanism("a").gravity(), "gravity", "neither the one"),
    (lambda: Mechanism("a").gravity(w=1), "gravity", "no component 'w'"),
    (lambda: Mechanism("a").gravity(x="g", y="h"), "gravity", "several components are numbers"),
    (lambda: Mechanism("a").gravity(9.81), "gravity", "neither the one"),
    (lambda: Mechanism("a").gravity(9.81, along="down"), "gravity", "no axis 'down'"),
    (lambda: Mechanism("a").parameters(m=1).parameters(m=2), "parameters/m", "is there already"),
    (lambda: Mechanism("a").parameters(m="1 +"), "parameters/m", "formula"),
    (lambda: Mechanism("a").body("b").turns("q", "z").drive("r", 1), "coordinates/r/drive", "no coordinate 'r' so far"),
    (lambda: Mechanism("a").spring("s", ("b", (0, 0)), None), "forces/s/point", "found 2 components"),
    (lambda: Mechanism("a").force("f", 3, (0, 0, 1)), "forces/f", "expected several"),
    (lambda: Mechanism("a").body("b").fluid([[1]]), "bodies/b/added_inertia", "6 by 6"),
    (lambda: Mechanism("a").body("b").flywheel("w", 1, mounting=[SWING]), "bodies/b/flywheels/w", "found q"),
    (lambda: Mechanism("a").rod("r", None, "b", "L").rod("r", None, "b", 1), "constraints/r", "is there already"),
    (lambda: Mechanism("a").close("c", (None, []), (None, [SWING])), "constraints/c", "no coordinates"),
    # what the whole shows
    (lambda: Mechanism("a").body("b", mass="mm").build(), "bodies/b/inertia", "'mm' is not known here"),
    (lambda: Mechanism("a").pin("p", "x", None).build(), "constraints/p", "no body 'x'"),
    (lambda: Mechanism("a").parameters(m="k", k="m").build(), "parameters/m", "defined by itself"),
    (lambda: Mechanism("a").body("b").turns("q", "z").rolls("r", {"s": 1}).build(), "constraints/r", "no coordinate"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "place", "words"), BAD, ids=[f"{place} {i}" for i, (_, place, _) in enumerate(BAD)])
def test_what_cannot_be_is_refused_where_it_stands(build: Callable[[], Any], place: str, words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        build()
    assert place in [d.place for d in caught.value.diagnostics]
    assert all(d.remedy or "division" in d.message for d in caught.value.diagnostics if "formula" not in d.message)


def test_a_mechanism_goes_wherever_models_go() -> None:
    assert isinstance(double_pendulum().build(), System)
    assert evaluate(double_pendulum())["M"].shape == (2, 2)


# --- SymPy, and elastic beams ------------------------------------------------------------------------


def test_symbols_of_sympy_are_names_of_parameters() -> None:
    m, L, g, t = sympy.symbols("m L g t")
    with_sympy = (
        Mechanism("arm")
        .parameters(m=2, L=0.6, g=9.81)
        .gravity(g, along="-y")
        .body("a", mass=m, com=sympy.Matrix([L / 2, 0, 0]), inertia=sympy.diag(0, m * L**2 / 12, m * L**2 / 12))
        .shift(x=sympy.sin(3 * t) / 10)
        .turns("q", about="z", start=sympy.pi / 6)
        .build()
    )
    with_text = (
        Mechanism("arm")
        .parameters(m=2, L=0.6, g=9.81)
        .gravity("g", along="-y")
        .body("a", mass="m", com=("L/2", 0, 0), inertia=(0, "m*L^2/12", "m*L^2/12"))
        .shift(x="sin(3*t)/10")
        .turns("q", about="z", start="pi/6")
        .build()
    )
    assert compare(with_sympy, with_text).verdict == "agrees"
    assert Mechanism("arm").parameters({m: 2, "L": 0.6}, g=9.81).build().parameters == with_text.parameters
    with pytest.raises(ModelError, match=r"bodies/a/mass: error: .* no node for"):
        Mechanism("arm").body("a", mass=sympy.Piecewise((1, sympy.Ne(m, 0)), (2, True)))


def test_a_beam_is_what_the_model_of_the_page_is() -> None:
    """docs/elastic.md builds it of bodies and coordinates."""
    modes = {"e1": bending(2, ClampedFree(1)), "e2": bending(2, ClampedFree(2))}
    given: dict[str, Any] = {"young": 2.1e11, "density": 7850, "nodes": {"tip": 0.6}, "damping": 0.01}
    inertia, shapes = beam(0.6, round_section(0.005), modes, **given)
    boom = Body("boom", None, (rotation("z", "shoulder"),), inertia, modes=shapes)
    hand = Body(
        "hand", "boom", (rotation("z", "wrist"),), Inertia(0.2, (0.1, 0, 0), (0, 0.001, 0.001)), parent_node="tip"
    )
    names = ("e1", "e2", "shoulder", "wrist")
    by_hand = System(
        "arm",
        tuple(map(Coordinate, names)),
        gravity=Gravity(as_expression(Fraction("9.81")), (0, -1, 0)),
        bodies=(boom, hand),
    )
    built = (
        Mechanism("arm")
        .gravity(y=-9.81)
        .beam("boom", length=0.6, section=round_section(0.005), modes=modes, **given)
        .turns("shoulder", about="z")
        .body("hand", on="boom", node="tip", mass=0.2, com=(0.1, 0, 0), inertia=(0, 0.001, 0.001))
        .turns("wrist", about="z")
        .build()
    )
    assert compare(built, by_hand).verdict == "agrees"
    with pytest.raises(ModelError, match=r"bodies/boom/length: error: formula"):
        Mechanism("arm").beam("boom", length="0,6", section=round_section(0.005), modes=modes, **given)
    with pytest.raises(ModelError, match=r"bodies/boom: error: 0.005 is no section .*round_section"):
        Mechanism("arm").beam("boom", length=0.6, section=cast("Any", 0.005), modes=modes, **given)
    with pytest.raises(ModelError, match=r"bodies/boom: .*'tip', 0.7|outside of the beam"):
        Mechanism("arm").beam(
            "boom", length=0.6, section=round_section(0.005), modes=modes, **given | {"nodes": {"tip": 0.7}}
        )


def test_an_inertia_that_no_body_has_is_not_built() -> None:
    """As every verb refuses it; with physics it is taken, and a verb with physics takes the mechanism."""
    made = Mechanism("top").body("p", mass=1, inertia=(1, 1, 5)).turns("a", about="z").turns("b", about="x")
    with pytest.raises(ModelError, match=r"bodies/p/inertia/tensor: error: .* violate the triangle inequality"):
        made.build()
    assert made.build(physics="warn") == made.build("ignore")
    assert np.isfinite(evaluate(made, physics="warn")["M"]).all()
    with pytest.raises(ModelError, match="the body's mass is -2 kg"):
        Mechanism("m").parameters(m=-2).body("p", mass="m").slides("x", along="x").build()


def test_table_of_a_pipe_or_of_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PIPE_SECONDS", 0.2)
    pipe, sparse, long = (tmp_path / name for name in ("pipe.csv", "sparse.csv", "long.csv"))
    os.mkfifo(pipe)
    with sparse.open("wb") as opened:
        opened.truncate(3_000_000_000)
    rows = limits.TABLE_ROWS + 1
    long.write_text("t,h\n" + "".join(f"{i},0\n" for i in range(rows)))
    said = {
        pipe: "functions/road.*pipe.csv.*not all its bytes came", sparse: "functions/road.*sparse.csv.*more than 100",
        long: "functions/road.*long.csv, line 20002.*more rows; expected at most 20,000: keep fewer",
        tmp_path / "none.csv": "functions/road.*none.csv.*No such file",
    }  # fmt: skip
    for data, message in said.items():
        with pytest.raises(ModelError, match=message):
            Mechanism("m").table("road", data, "h")
    for columns in ((range(rows), [0] * rows), {"t": range(rows), "h": [0] * rows}):
        with pytest.raises(ModelError, match=r"functions/road.*row 20001: more rows; expected at most 20,000"):
            Mechanism("m").table("road", columns, "h" if isinstance(columns, dict) else None)
    Mechanism("m").table("road", (range(rows - 1), [0] * (rows - 1)))


@pytest.mark.slow
def test_rows_of_a_table_in_a_model_are_counted(tmp_path: Path) -> None:
    rows = limits.TABLE_ROWS + 1
    (tmp_path / "long.csv").write_text("t,h\n" + "".join(f"{i},0\n" for i in range(rows)))
    model = tmp_path / "m.mbsd"
    model.write_text('x(u)"(h(t)) $1 g; h(s) = table("long.csv", h)')
    with pytest.raises(ReadError, match=r"long.csv:20002:1: error: .*more rows; expected at most 20,000: keep fewer"):
        read(model)
    inside = ", ".join(f"{i}, 0" for i in range(rows))
    with pytest.raises(ReadError, match=r"-:1:\d+: error: .*row 20001: more rows; expected at most 20,000: keep fewer"):
        read(text=f'x(u)"(table(t, {inside})) $1 g', format="mbsd")


#: The ways to act at a point, of a seat that is a named point and of the same written out.
AT_POINTS: dict[str, Callable[[Mechanism, Any, Any], Mechanism]] = {
    "force": lambda m, tip, _: m.force("f", tip, ("vx(here)", 2, 3)),
    "wrench": lambda m, tip, _: m.wrench("f", tip, (1, 0, 0), (0, 0, 4)),
    "spring": lambda m, tip, _: m.spring("f", None, tip, stiffness=3),
    "bipolar": lambda m, tip, _: m.bipolar("f", tip, None, "-3*@"),
    "rod": lambda m, tip, _: m.rod("f", (None, (1, 0, 0)), tip, 2),
    "pin": lambda m, tip, _: m.pin("f", tip, None),
    "bushing": lambda m, _, tip: m.bushing("f", tip, None, stiffness=(1,) * 6),
    "torsion": lambda m, _, tip: m.torsion("f", None, tip, stiffness=2),
    "moment": lambda m, _, tip: m.moment("f", None, tip, "-@"),
    "close": lambda m, _, tip: m.close("f", tip if isinstance(tip, tuple) else (tip, ()), (None, ())),
}


@pytest.mark.parametrize("way", AT_POINTS)
@pytest.mark.parametrize("first", [True, False])
def test_a_named_point_may_be_acted_on(way: str, first: bool) -> None:
    def arm() -> Mechanism:
        made = Mechanism("arm").parameters(l=0.3).body("arm", mass=1).turns("q", about="z")
        return made.point("tip", "arm", (0.5, "l", 0)) if first else made

    named = AT_POINTS[way](arm(), "tip", "tip")
    named = named if first else named.point("tip", "arm", (0.5, "l", 0))
    written = AT_POINTS[way](arm(), ("arm", (0.5, "l", 0)), ("arm", shift((0.5, symbol("l"), 0))))
    written = written if first else written.point("tip", "arm", (0.5, "l", 0))
    assert named.build() == written.build()


def test_a_position_beside_a_named_point_is_added_along_the_axes_of_its_body() -> None:
    arm = Mechanism("arm").body("arm", mass=1).turns("q", about="z").point("tip", "arm", (1, 2, 0))
    (force,) = arm.force("f", ("tip", (0, 0.5, 3)), (1, 0, 0)).build().forces
    assert force == PointForce("f", Point("arm", (1, Fraction(5, 2), 3)), (1, 0, 0))


def test_a_point_that_nothing_names_is_no_place_of_a_force() -> None:
    arm = Mechanism("arm").body("arm", mass=1).turns("q", about="z").point("tip", "arm", (1, 0, 0))
    with pytest.raises(ModelError) as found:
        arm.force("f", "top", (1, 0, 0)).pin("c", ("tpi", (0, 0, 1)), None).build()
    assert [str(d) for d in found.value.diagnostics] == [
        "forces/f: error: there is no body or point 'top' (did you mean 'tip'? known: arm, tip)",
        "constraints/c: error: there is no body or point 'tpi' (did you mean 'tip'? known: arm, tip)",
    ]
