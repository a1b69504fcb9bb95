"""Equations of motion in speeds other than rates, through evaluate and compile."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters.registry import read_text
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import System
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import FLOAT
from mbconcord.model.expressions import evaluate as evaluate_scalars
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.kinematics import IN_SPEEDS, PointMotion, read_speeds
from mbconcord.records import replace
from mbconcord.witnessed import ALONG_SPEEDS, FUNCTIONS

#: Two ball joints; numbers of another program, whose ball joints have angular velocities in the body's axes as speeds.
BALLS = json.loads((Path(__file__).parent / "speeds_of_two_balls.json").read_text("utf-8"))
BOTH = {"a": "angular velocity", "b": "angular velocity"}
ABLE = [name for name in BUILT_IN if type(formalism(name)).motions is not Formalism.motions]
NAMES = ("u", "M_u", "h_u", "gravity_u")
AT = {group: [*BALLS["state"][group].values()] for group in "qv"}


def balls() -> System:
    return read_text(json.dumps(BALLS["model"]), "-", "native").system


def hull(order: str, **body: Any) -> mbconcord.Mechanism:
    """Make a body that moves in six ways, in an order of slides xyz and turns RPY."""
    made = mbconcord.Mechanism("free").gravity(z=-9.81).body("hull", **body)
    for name in order:
        made = made.turns(name, about="xyz"["RPY".index(name)]) if name in "RPY" else made.slides(name, along=name)
    return made


@pytest.mark.parametrize("by", ABLE)
def test_two_ball_joints_are_those_of_another_program(by: str) -> None:
    found = mbconcord.evaluate(balls(), **AT, formalism=by, speeds=BOTH, quantities=NAMES)
    for name in NAMES:
        np.testing.assert_allclose(found[name], BALLS[name], rtol=0, atol=1e-13, err_msg=name)
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    assert {c.b for c in found.witnesses if c.quantity == "u"} == {"direct", *ABLE} - {by}
    assert {c.quantity for c in found.witnesses if c.b == "direct"} == {*NAMES}


@pytest.mark.parametrize("by", ABLE[1:])
def test_formalisms_derive_the_same_functions(by: str) -> None:
    system = balls()
    speeds = read_speeds(system, {"a": "angular velocity", "s": "sin(b1)*b2' + a1*b1' + t", "r": "b1' - 2*b2'"})

    def made(name: str) -> list[Any]:
        chosen = formalism(name)
        parts = chosen.derive(system).quantities
        expressed = speeds.express(chosen.motions)
        return [x for each in ("u", "M_u", "h_u", "gravity_u") for x in flatten(expressed.make(each, parts))]

    assert all(v.kind == IDENTICAL for v in compare(zip(made(ABLE[0]), made(by), strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["llvm", "numpy", "python"])
def test_compiled_numbers_are_those_and_none_where_speeds_determine_no_rates(backend: str) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    f = mbconcord.compile(balls(), [*NAMES, "C_u", "inverse_dynamics_u"], speeds=BOTH, backend=backend)
    q, v = (np.array(AT[group]) for group in "qv")
    turned = q.copy()
    turned[1] = math.pi / 2
    found = f([q, turned], [v, v], a=[v, v])
    for name in NAMES:
        np.testing.assert_allclose(found[name][0], BALLS[name], rtol=0, atol=1e-13, err_msg=name)
    np.testing.assert_allclose(found["C_u"][0] @ found["u"][0], found["h_u"][0], rtol=0, atol=1e-13)
    assert np.isfinite(found["u"]).all()
    assert all(np.isnan(found[name][1]).all() for name in f.quantities if name != "u")
    (said,) = [str(d) for d in found.diagnostics]
    assert said.startswith("speeds/a.wx, a.wy, a.wz: error: they do not determine a1', a2', a3' at state 1 (det Y = ")
    assert np.isnan(f(turned, v)["M_u"]).all()
    given = mbconcord.evaluate(balls(), [q, turned], [v, v], speeds=BOTH, quantities=("u", "h_u"))
    assert np.isnan(given["h_u"][1]).all() and np.isfinite(given["h_u"][0]).all() and np.isfinite(given["u"]).all()
    assert said in [str(d) for d in given.diagnostics]


@pytest.mark.parametrize("order", ["xyzYPR", "RPYxyz", "xRyPzY"])
def test_a_free_body_in_its_own_twist_has_the_equations_of_newton_and_euler(order: str) -> None:
    m, c, inertia = 2.0, np.array([0.1, 0.2, 0.3]), np.diag([0.3, 0.4, 0.5])
    body = hull(order, mass=2, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    q, v = [0.3, 1, 2, 0.1, -0.2, 0.4], [0.7, -1, 2, 0.3, 0.4, -0.5]
    names = ("u", "M_u", "h_u", "C_u", "gravity_u", "acceleration_u")
    found = mbconcord.evaluate(
        body, q, v, speeds={"hull": "velocity; angular velocity"}, quantities=(*names, "pose(hull)")
    )
    assert {x.verdict for x in found.witnesses} == {"agrees"}
    speed, w = found["u"][:3], found["u"][3:]
    across = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    whole = inertia - m * across @ across
    np.testing.assert_allclose(found["M_u"], np.block([[m * np.eye(3), -m * across], [m * across, whole]]), atol=1e-13)
    force = m * (np.cross(w, speed) + np.cross(w, np.cross(w, c)))
    moment = m * np.cross(c, np.cross(w, speed)) + np.cross(w, whole @ w)
    np.testing.assert_allclose(found["h_u"], [*force, *moment], atol=1e-12)
    np.testing.assert_allclose(found["C_u"] @ found["u"], found["h_u"], atol=1e-12)
    down = found["pose(hull)"][:, :3].T @ [0, 0, -9.81]
    np.testing.assert_allclose(found["gravity_u"], [*(m * down), *np.cross(c, m * down)], atol=1e-12)
    np.testing.assert_allclose(found["M_u"] @ found["acceleration_u"] + found["h_u"], found["gravity_u"], atol=1e-11)


def test_speeds_by_a_formula_with_a_rest_that_time_moves() -> None:
    """Take a bob on a rod of length l: u = l q' + 3 t, so M_u = m, and h_u = -3 m."""
    bob = mbconcord.Mechanism("bob").parameters(l=0.5, m=2).gravity(y=-9.81)
    bob = bob.body("rod").turns("q", about="z").body("bob", on="rod", mass="m").shift(x="l")
    names = [*IN_SPEEDS]
    found = mbconcord.evaluate(bob, q=[0.3], v=[2.0], a=[0.7], t=2.0, speeds={"u": "l*q' + 3*t"}, quantities=names)
    expected = {
        "u": [7], "du_dv": [[0.5]], "M_u": [[2]], "h_u": [-6], "gravity_u": [-2 * 9.81 * math.cos(0.3)],
        "applied_u": [0], "C_u": [[0]], "acceleration_u": [0.35 + 3],
        "inverse_dynamics_u": [2 * 0.35 + 2 * 9.81 * math.cos(0.3)],
    }  # fmt: skip
    for name, numbers in expected.items():
        np.testing.assert_allclose(found[name], numbers, atol=1e-13, err_msg=name)
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    free = mbconcord.evaluate(bob, q=[0.3], v=[2.0], t=2.0, speeds={"u": "l*q' + 3*t"}, quantities="acceleration_u")
    np.testing.assert_allclose(free["acceleration_u"], [-9.81 * math.cos(0.3) + 3], atol=1e-13)
    compiled = mbconcord.compile(bob, ["h_u", "acceleration_u"], speeds={"u": "l*q' + 3*t"})
    np.testing.assert_allclose(compiled([0.3], [2.0], a=[0.7], t=2.0)["acceleration_u"], [3.35], atol=1e-13)
    with pytest.raises(NumbersError, match="rates of speeds are functions of q''"):
        compiled([0.3], [2.0])


def test_energy_and_power_do_not_depend_on_the_speeds() -> None:
    at = {**AT, "quantities": ("u", "M_u", "gravity_u", "kinetic_energy", "gravity", "C_u", "h_u")}
    for speeds in (BOTH, {"a": "angular velocity"}, {"s": "a1' + cos(b1)*a2'", "r": "b3*a1' - 3*a2'"}):
        found = mbconcord.evaluate(balls(), speeds=speeds, **at)  # type: ignore[arg-type]
        u = found["u"]
        assert u @ found["M_u"] @ u / 2 == pytest.approx(found["kinetic_energy"], rel=1e-12)
        assert u @ found["gravity_u"] == pytest.approx(AT["v"] @ found["gravity"], rel=1e-12)
        np.testing.assert_allclose(found["C_u"] @ u, found["h_u"], atol=1e-12)


def test_rates_in_no_speed_stay_and_entries_have_names() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    found = mbconcord.evaluate(balls(), **AT, speeds={"b": "angular velocity"})
    assert [*found] == ["M", "h", "gravity", "applied", "acceleration", "u", "M_u", "h_u", "gravity_u", "applied_u"]
    columns = [str(name) for name in found.to_frame().columns if str(name).startswith("u[")]
    assert columns == ["u[b.wx]", "u[b.wy]", "u[b.wz]", "u[a1']", "u[a2']", "u[a3']"]
    compiled = mbconcord.compile(balls(), "M_u", speeds={"b": "angular velocity"})(**AT)
    assert "M_u[b.wx, a3']" in [str(name) for name in compiled.to_frame().columns]


def test_a_body_on_a_carrier_that_moves_is_seen_from_it_by_whole_frames() -> None:
    """The witness takes the difference of two bodies' motions, formalisms a joint alone; time turns one, too."""
    chain = mbconcord.Mechanism("chain").gravity(y=-9.81).body("a", mass=1).turns("p", about="z").shift(x=1)
    chain = chain.body("b", on="a", mass=2, inertia=(1, 2, 3)).turns("q", about="z").rotate("t^2", about="y")
    chain = chain.turns("r", about="x").turns("s", about="z").shift(x=2)
    at = {"q": [0.2, 0.3, 0.4, 0.5], "v": [1.0, 2, 3, 4], "t": 0.4}
    found = mbconcord.evaluate(chain, **at, speeds={"b": "angular velocity"}, quantities=[*IN_SPEEDS][:5])  # type: ignore[arg-type]
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    assert {c.b for c in found.witnesses if c.quantity == "du_dv"} == {"direct", *ABLE} - {found.formalism}


def test_a_wrong_motion_of_a_formalism_is_seen_in_every_quantity(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Lagrange.motions

    def wrong(self: Lagrange, system: System, points: Any) -> tuple[PointMotion, ...]:
        return tuple(replace(x, w=tuple(-y for y in x.w), J=(*x.J[:3], *(tuple(-y for y in row) for row in x.J[3:])))
                     for x in own(self, system, points))  # fmt: skip

    monkeypatch.setattr(Lagrange, "motions", wrong)
    found = mbconcord.evaluate(balls(), **AT, formalism="lagrange", speeds={"a": "angular velocity"},
                               quantities=("u", "du_dv", "M_u", "h_u", "gravity_u"))  # fmt: skip
    wronged = {c.quantity for c in found.witnesses if c.verdict == "disagrees"}
    assert wronged >= {"u", "du_dv", "M_u", "h_u", "gravity_u"}
    assert any(d.severity == "error" for d in found.diagnostics)


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        ({"c": "angular velocity"}, r"speeds/c: error: there is no body 'c' \(known: a, b\)"),
        ({"a": "angular velocty"}, r"speeds/a: .*neither a motion of the body nor a formula \(did you mean 'angular v"),
        ({"a": "velocity"}, r"speeds/a: error: its joint has no coordinate of its velocity, not 3"),
        ({"u1": "a1'*a2'"}, r"speeds/u1: .*not linear in rates: its slope by a1' depends on a2'"),
        ({"u1": "sin(a1)"}, r"speeds/u1: error: no rate stands in it"),
        ({"u1": "wx(a)"}, r"speeds/u1: error: 'wx\(a\)' may not stand here"),
        ({"u1": "zz'"}, r"""speeds/u1: error: "zz'" is not known here"""),
        ({"u1": "sin(a1"}, r"speeds/u1: error: found the end of the text"),
        ({"u1": "a1' + b1'"}, r"speeds: error: 1 speed does not determine 2 rates \(a1', b1'\)"),
        ({"u1": "a1' + b1'", "u2": "2*a1' + 2*b1'"}, r"speeds/u1, u2: error: they do not determine a1', b1'"),
        ({"a1'": "a2'"}, r"speeds/a1': error: names are unique"),
        (3, r"speeds: found int 3 \(expected values by name"),
    ],
)
def test_what_is_no_speed_is_named(speeds: Any, said: str) -> None:
    for call in (mbconcord.evaluate, mbconcord.compile):
        with pytest.raises(NumbersError, match=said):
            call(balls(), speeds=speeds, quantities="M_u")


def test_quantities_in_speeds_need_them() -> None:
    for call in (mbconcord.evaluate, mbconcord.compile):
        with pytest.raises(
            NumbersError, match=r"quantities/M_u: error: it is of speeds other than rates .name them: speeds"
        ):
            call(balls(), quantities="M_u")
    with pytest.raises(NumbersError, match=r"quantities/M_u: error: it is of speeds other than rates .name them"):
        mbconcord.derive(balls())["M_u"]


#: Two point masses in a plane: 2 kg at 0.5 m from the axis, 1 kg at 0.4 m from the first.
TWO = "z(q1) i(0.5) $2 > z(q2) i(0.4) $1 g9.81-y"
#: Of the second mass's angle in the world, and of the first: M_u by hand of q2, and h_u of q1' = 1, q2' = 2.
ABSOLUTE = ["--speeds", "u1=q1'+q2'", "--speeds", "u2 = q1'"]


@pytest.fixture
def two(tmp_path: Path) -> str:
    (tmp_path / "two.mbsd").write_text(TWO, "utf-8")
    (tmp_path / "at.json").write_text('{"q": {"q1": 0.3, "q2": 0.4}, "v": {"q1": 1, "q2": 2}}', "utf-8")
    return str(tmp_path / "two.mbsd")


def test_the_command_evaluates_in_speeds(two: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--state", two.replace("two.mbsd", "at.json"), "--quiet"]
    assert main(["evaluate", two, *at, *ABSOLUTE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    c, s = 0.2 * math.cos(0.4), 0.2 * math.sin(0.4)
    assert found["u"] == [3, 1] and "M" in found
    np.testing.assert_allclose(found["M_u"], [[0.16, c], [c, 0.75]], atol=1e-15)
    np.testing.assert_allclose(found["h_u"], [s, -9 * s], atol=1e-14)
    weights = [-9.81 * 0.4 * math.cos(0.7), -9.81 * 1.5 * math.cos(0.3)]
    np.testing.assert_allclose(found["gravity_u"], weights, atol=1e-14)
    judged = {(c["quantity"], c["b"]) for c in found["witnesses"] if c["verdict"] == "agrees"}
    assert {("u", "direct"), ("M_u", "direct"), ("h_u", "direct"), ("gravity_u", "direct")} <= judged
    assert main(["evaluate", two, *at, *ABSOLUTE, "--quantity", "M_u,acceleration_u"]) == 0
    printed = capsys.readouterr().out
    assert "Quantities in speeds are along the speeds" in printed and "not checked" not in printed
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line[:2] in ("u1", "u2", "M_")}
    assert rows["M_u"] == ["u1", "u2"] and float(rows["u2"][-1]) == 0.75


def test_the_command_names_where_speeds_determine_no_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "balls.mbs.json").write_text(json.dumps(BALLS["model"]), "utf-8")
    (tmp_path / "at.json").write_text(json.dumps({"q": {"a2": math.pi / 2}}), "utf-8")
    asked = ["--speeds", "a=angular velocity", "--quantity", "M_u", "--quiet"]
    assert main(["evaluate", str(tmp_path / "balls.mbs.json"), "--state", str(tmp_path / "at.json"), *asked]) == 2
    told = capsys.readouterr()
    assert "speeds/a.wx, a.wy, a.wz: error: they do not determine a1', a2', a3'" in told.err and "null" in told.out


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("by", ABLE)
def test_derived_formulas_in_speeds_have_the_numbers(by: str) -> None:
    system = balls()
    made = mbconcord.derive(system, by, speeds=BOTH)
    names = system.coordinate_names
    values = dict(zip(names, AT["q"], strict=True)) | dict(zip((f"{name}'" for name in names), AT["v"], strict=True))
    for name in NAMES:
        flat = [float(x) for x in evaluate_scalars(flatten(made[name]), values, FLOAT)]
        np.testing.assert_allclose(flat, np.ravel(BALLS[name]), rtol=0, atol=1e-12, err_msg=name)
    assert made.to_frame("u")["name"].tolist()[-6] == "u[a.wx]"


def test_the_command_derives_in_speeds_and_reads_them_back(two: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", two, *ABSOLUTE, "--quantity", "u,M_u", "--verbose"]) == 0
    told = capsys.readouterr()
    assert "M_u[u1, u2] = 0.2*cos(q2)\n" in told.out and "u[u2] = q1'\n" in told.out
    assert "the printed text: 6 numbers are the interpreter's" in told.err
    assert main(["derive", two, *ABSOLUTE, "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{name}[u1" in printed for name in NAMES)
    assert ALONG_SPEEDS in printed and FUNCTIONS not in printed
    assert main(["derive", two, *ABSOLUTE, "--quantity", "M,M_u", "--quiet"]) == 0
    assert f"# {FUNCTIONS}\n# {ALONG_SPEEDS}\n" in capsys.readouterr().out
    assert main(["derive", two, *ABSOLUTE, "--quantity", "M_u", "--closed-form", "--quiet"]) == 0
    assert "M_u[u1, u1] = 4/25" in capsys.readouterr().out
    assert main(["derive", two, "--speeds", "u1=sin(q1)*q1'", "--quantity", "M_u"]) == 0
    assert "speeds/u1: warning: formulas in speeds mean nothing where these do not determine q1' (sin(q1) = 0)" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["evaluate", "--speeds", "u1"], "--speeds: error: 'u1' is not a name and a speed (name them: --speeds"),
        (["evaluate", *ABSOLUTE, "--speeds", "u1=q1'"], "--speeds/u1: error: it has a speed twice"),
        (["evaluate", "--quantity", "M_u"], "--quantity/M_u: error: it is of speeds other than rates (name them: --sp"),
        (["derive", "--quantity", "M_u"], "--quantity/M_u: error: it is of speeds other than rates (name them: --spee"),
        (["derive", *ABSOLUTE, "--subsystems", "branches"], "--speeds: error: divided equations are those of rates"),
        (["export", "lib", "--quantity", "M_u"], "--quantity/M_u: error: it is of speeds other than rates (name them:"),
        (["export", "two.fmu", *ABSOLUTE], "--speeds: error: an FMU has rates (leave it out, or name a folder for a"),
    ],
)
def test_the_command_says_what_is_wrong_with_speeds(
    two: str, command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command[0], two, *command[1:], "--quiet"]) == 2
    assert said in capsys.readouterr().err
