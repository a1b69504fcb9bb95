"""``mbconcord walk``: gaits by coordinates and by feet, payloads, legs that do not reach, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord import Mechanism, read, write
from mbconcord.fixtures import folder
from mbconcord.model import State
from mbconcord.validation.judge.kinematics import TreeKinematics

from .commands import Run, runner

TABLES = Path(str(folder())) / "tp"
QUADRUPED, HEXAPOD, LEG = (str(TABLES / f"{name}.tp.csv") for name in ("quadruped", "hexapod", "table5"))
HULL = ("--hull", "30@0,0.05,0")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def gait(text: str) -> str:
    Path("gait.csv").write_text(text, encoding="utf-8")
    return "gait.csv"


def test_it_stands_on_all_legs_and_on_all_but_one(run: Run) -> None:
    done = run("walk", QUADRUPED, *HULL, "--payload", "0,20@0.2,0.1,0", "--json")
    assert done.code == 0
    stances = done.json["stances"]
    assert [s["step"] for s in stances[:5]] == ["all stand", *(f"leg {i} lifted" for i in range(1, 5))]
    assert [s["payload"] for s in stances] == [0.0] * 5 + [20.0] * 5
    assert [s["mass"] for s in stances[::5]] == [30 + 24, 30 + 24 + 20]
    assert [s["stands"] for s in stances] == [s["margin"] > 0 for s in stances]
    assert done.json["comparisons"][0]["verdict"] == "agrees"
    first, loaded = stances[0], stances[5]
    assert loaded["mass_centre"][0] == pytest.approx((54 * first["mass_centre"][0] + 20 * 0.2) / 74)
    assert done.json["axes"] == ["x", "z"]
    assert first["plumb"] == pytest.approx([first["mass_centre"][0], first["mass_centre"][2]])


@pytest.mark.parametrize(("output", "moved"), [("text", "6·m_b·slide/7"), ("latex", r"6 \, m_{b} \, \mathrm{slide}")])
def test_letters_of_a_slide_along_no_axis_are_explained(run: Run, output: str, moved: str) -> None:
    """A bead of half a kilogram slides along (6, 2, 3) / 7 of its rod."""
    done = run("walk", str(TABLES.parent / "native/bead_on_tilted_rod.mbs.json"), "--output", output)
    assert done.code == 0 and "not compared" not in done.err
    assert moved in done.out and "m_q" not in done.out
    assert {"text": "m_b = m_2 = 0.5", "latex": r"m_{b} = m_{2} = \frac{1}{2}"}[output] in done.out


def test_coordinates_called_like_axes_are_no_unit_vectors(run: Run) -> None:
    """A bead at y along z of a bead at x along (6, 2, 3)/7: m_b y along z; walk accused itself of another value."""
    made = Mechanism("walker").gravity(y=-9.81).body("a", mass=2).slides("x", along=(6 / 7, 2 / 7, 3 / 7))
    made = made.body("b", "a", mass="0.5").slides("y", along="z")
    Path("m.mbs.json").write_text(write(made, "native").text, encoding="utf-8")
    done = run("walk", "m.mbs.json")
    assert done.code == 0 and "m_b·y·z" in done.out and not done.err


def test_equal_legs_around_the_middle_stand_in_it(run: Run) -> None:
    stances = run("walk", HEXAPOD, "--json").json["stances"]
    assert stances[0]["plumb"][1] == pytest.approx(0, abs=1e-15)  # two rows of legs alike
    assert stances[0]["margin"] >= max(s["margin"] for s in stances)


def test_a_gait_by_coordinates_and_the_same_by_feet(run: Run) -> None:
    """The places of foot 1 at which its own coordinates put it: the same margins."""
    told = gait("t;support;q1;q2;q3\n0;1 2 3 4;0.2;0.5;0.7\n0.5;1 2 4;0.3;0.4;0.6\n")
    own = run("walk", QUADRUPED, *HULL, "--gait", told, "--json").json["stances"]
    states = [State(0, {"q1": 0.2, "q2": 0.5, "q3": 0.7}), State(0, {"q1": 0.3, "q2": 0.4, "q3": 0.6})]
    places = TreeKinematics(read(QUADRUPED).system, states).frame("body3").position.tolist()
    rows = [";".join(map(repr, place)) for place in places]
    by_feet = gait(f"support;foot1.x;foot1.y;foot1.z\n1 2 3 4;{rows[0]}\n1 2 4;{rows[1]}\n")
    found = run("walk", QUADRUPED, *HULL, "--gait", by_feet, "--json").json["stances"]
    assert [s["t"] for s in own] == [0.0, 0.5]
    for a, b in zip(own, found, strict=True):
        assert a["standing"] == b["standing"]
        assert a["margin"] == pytest.approx(b["margin"], abs=1e-9)
        assert a["mass_centre"] == pytest.approx(b["mass_centre"], abs=1e-9)


REACH = "a sliding joint goes from its initial position outwards: move the foot, or the hull"
REFUSED = {
    "support;foot1.x;foot1.y;foot1.z\n1 2 3 4;0.9;0.6;0.4\n":
        ("gait.csv:2:9: error: leg 1 cannot reach: q3 is a distance and would be -0.26 m", REACH),
    "q5\n0.4\n-0.2\n": ("gait.csv:3:1: error: leg 2 cannot reach: q5 is a distance and would be -0.2 m", REACH),
    "q1;q9\n0;0;1\n": ("gait.csv:2:1: error: 3 cells, and 2 columns", "one cell for each heading"),
    "q1;hh\n0;0\n": ("gait.csv:1:4: error: there is no column 'hh'", "known: t, support, q1"),
    "q1;q1\n0;0\n": ("gait.csv:1:4: error: the column 'q1' comes twice", "leave one out"),
    "foot1.x,foot1.z\n0,0\n": ("gait.csv:1:1: error: the place of foot 1 is not whole", "give foot1.y, too"),
    "foot1.x,foot1.y,foot1.z,q2\n0,0,0,0\n":
        ("gait.csv:1:25: error: leg 1 is told by its foot and by q2", "give one of them"),
    "t;support\n0;1 5\n": ("gait.csv:2:3: error: support: '5' is no leg, or comes twice", "of 1 2 3 4"),
    "t;q1\n0;0,5\n": ("gait.csv:2:3: error: q1: '0,5' is not a finite number", "write 0.5"),
    "t;q1\n": ("gait.csv: error: no rows", "headings such as"),
    "": ("gait.csv: error: empty", "headings such as"),
}  # fmt: skip


@pytest.mark.parametrize(
    "text", REFUSED, ids=[reason.partition("error: ")[2] or reason for reason, _ in REFUSED.values()]
)
def test_a_gait_that_cannot_be_says_where_why_and_what_to_do(run: Run, text: str) -> None:
    done = run("walk", QUADRUPED, "--gait", gait(text), "-q")
    assert (done.code, done.out) == (2, "")
    reason, remedy = REFUSED[text]
    assert reason in done.err and remedy in done.err


def test_a_foot_that_is_too_far_says_how_far(run: Run) -> None:
    far = gait("foot1.x;foot1.y;foot1.z\n3;-0.6;0.4\n0.9;-0.3;0.35\n")
    done = run("walk", HEXAPOD, "--gait", far, "--foot", "0,-0.4,0", "-q")
    assert done.code == 2
    assert done.err.startswith("gait.csv:2:1: error: leg 1 cannot reach (3, -0.6, 0.4): body3 stays 1.69 m away")
    assert done.err.count("error:") == 1


@pytest.mark.filterwarnings("error")
def test_a_foot_beyond_all_floats_is_infinitely_far(run: Run) -> None:
    done = run("walk", QUADRUPED, "--gait", gait("foot1.x;foot1.y;foot1.z\n1e308;0;0\n"), "-q")
    assert done.code == 2
    assert done.err.startswith("gait.csv:2:1: error: leg 1 cannot reach (1e+308, 0, 0)")


def test_a_machine_on_two_legs_falls(run: Run) -> None:
    done = run("walk", QUADRUPED, *HULL, "--gait", gait("support\n1 3\n\n2\n"))
    assert done.code == 0
    assert "row 4  2 " in done.out
    assert done.out.count("falls") == 2


def test_moments_alone_of_legs_without_numbers(run: Run) -> None:
    done = run("walk", LEG, "--legs", "4,6", "-q")
    assert done.code == 0
    assert [line.split(" = ")[1][:1] for line in done.out.splitlines() if line.startswith("m̄_c")] == ["4", "6"]
    assert "margin" not in done.out and "margin" not in run("walk", LEG, "-q").out
    assert run("walk", LEG, "--legs", "4", "--output", "latex", "-q").out.startswith("\\bar{m}_{1} &= ")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--legs", "4", *HULL), "--legs: error: it goes without --hull"),
        (("--legs", "four"), "--legs: error: 'four' is no number of legs (from 1 to 999"),
        (("--hull", "3,4"), "--hull: error: 2 masses, expected one"),
        (("--payload", "-3"), "--payload: error: a mass is negative"),
        (("--payload", "3@1,2"), "--payload: error: 2 numbers, expected 3"),
        (("--foot", "1,x,2"), "--foot: error: 'x' is not a finite number"),
        (("--plot", "nowhere/x.svg"), "nowhere/x.svg: error: there is no folder nowhere"),
        (("--gait", "missing.csv"), "missing.csv"),
        (("--hull", "1e308@1e10,0,0"), "all stand: error: the margin is beyond the range of floats"),
        (("--foot", "1e308,0,0"), "all stand: error: the margin is beyond the range of floats"),
        (("--state", "x.json", "--plot", "x.json"), "it is read as x.json"),
    ],
)
def test_options_are_refused_with_what_was_expected(run: Run, options: tuple[str, ...], message: str) -> None:
    Path("x.json").write_text("{}", encoding="utf-8")
    done = run("walk", QUADRUPED, *options, "-q")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_numbers_of_a_table_without_numbers_are_asked_for(run: Run) -> None:
    done = run("walk", LEG, *HULL, "-q")
    assert done.code == 2 and "parameters/m_o1: error: has no value" in done.err


def test_without_gravity_nothing_is_down(run: Run) -> None:
    Path("still.mbsd").write_text("v i j $2\n", encoding="utf-8")
    done = run("walk", "still.mbsd", "--hull", "3", "-q")
    assert done.code == 2
    assert "gravity: error: there is none, so no direction is down" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--gait",)])
def test_plots(run: Run, options: tuple[str, ...]) -> None:
    pytest.importorskip("matplotlib", reason="a plot needs matplotlib, of the extra [plot]")
    told = (*options, gait("t\n0\n1\n")) if options else ()
    assert run("walk", QUADRUPED, *told, "--plot", "out.svg").code == 0
    assert "<svg" in Path("out.svg").read_text(encoding="utf-8")
