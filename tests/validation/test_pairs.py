"""Pairs of models that random states do not tell apart: told to differ, or not decided with the name that decides.

Each is tried both ways: whether A or B has the stop, the pulse, the motor says nothing about the machines.
"""

from __future__ import annotations

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.model import State
from mbconcord.validation.compare import Sameness, same_machine
from mbconcord.validation.judge.evidence import Comparison

SAME, DIFFERENT, OPEN = {"agrees"}, {"disagrees"}, {"not checked"}
#: The force along x beside -5 x -> verdicts, and a word of what decides.
FORCES = [
    ("-5*x - 50*sin(2*pi*1e8*x)", DIFFERENT, ""), ("-5*x + 1e-3*(x/1e4)^9", DIFFERENT, ""),
    ("-5*x - 1000*(abs(x - 101) + x - 101)", DIFFERENT, ""), ("-5*x - 1000*(abs(x + 101) - x - 101)", DIFFERENT, ""),
    ("-5*x - (abs(x' - 150) + x' - 150)", DIFFERENT, ""), ("-5*x + abs(t - 11) + t - 11", DIFFERENT, ""),
    ("-5*x - 30*(abs(x - 150) + x - 150)", DIFFERENT, ""),
    ("-5*x - 1e9*(abs(x - 1e7) + x - 1e7)", DIFFERENT | OPEN, ""),
    ("-5*x + 1e6*exp(-(t - 60)^2)", DIFFERENT, ""), ("-5*x + exp(-1e6*(x - 0.3)^2)", DIFFERENT, ""),
    ("-5*x + sign(x - 3e5) + 1", DIFFERENT, ""), ("-5*x + sign(x' + 1e5) - 1", DIFFERENT, ""),
    ("-5*x + 1e-3*tan(x/1e5)^7", DIFFERENT, ""), ("-5*x + 1e-9*x*x'*t", DIFFERENT, ""),
    ("-5*x - 0.5*(1 - cos(1e-12*x))", DIFFERENT, ""), ("-5.00001*x", DIFFERENT, ""),
    ("-5*x*abs(x^3 + x)/(abs(x)*(x^2 + 1))", OPEN, "abs("), ("-5*x*exp(t)*exp(-t)", SAME, ""),
    ("-5*x*abs(x)/sqrt(x^2)", SAME, ""), ("-5*sign(x)*sqrt(x^2)", SAME, ""), ("-5*sqrt(x^2)", DIFFERENT, ""),
    ("-5*x*sqrt(x^4)/abs(x*x)", SAME, ""), ("-5*x*sign(x')^2", OPEN, "sign("),
    ("-2*x - 3*x", SAME, ""), ("-5*x*(sin(x)^2 + cos(x)^2)", SAME, ""), ("-((x + 1)^2*5 - 5*x^2 - 5)/2", SAME, ""),
]  # fmt: skip
#: A stop at a place.
STOP = "1000*(abs(x - {}) + x - {})"
#: Two forces with what follows them -> verdicts, and a word of what decides.
NAMES = [
    ("-k*x", "", "-abs(k)*x", "", OPEN, "abs(k)"), ("-k*x", "k = 7", "-k*x", "", OPEN, "k is open in"),
    ("-k*x", "k = 1", "-k^2*x", "k = 1", OPEN, "where k = 1, not at every value"),
    ("-k*x", "k = 7", "-7*x", "", SAME, ""),
    ("-k*x", "k = 7", "-k*x", "k = 8", DIFFERENT, ""), ("f(x)", "f(s) = -5*s", "f(x)", "", OPEN, "f is open in"),
    ("f(x)", "", "f(x)", "", SAME, ""), ("f(x)", "", "1.0001*f(x)", "", DIFFERENT, ""),
    ("-1.5707963268*x", "", "-1.57079632679*x", "", SAME, ""), ("-1.5707*x", "", "-1.57079632679*x", "", DIFFERENT, ""),
    ("-0.3333333333*x", "", "-x/3", "", SAME, ""), ("-0.333*x", "", "-x/3", "", DIFFERENT, ""),
    ("-k*x", "k = 2, c = 1", "-k/c*x", "k = 2, c = 1", OPEN, "where c = 1, not at every value"),
    ("-k*x", "k = 2, c = 0", "-k*cos(c)*x", "k = 2, c = 0", OPEN, "where c = 0, not at every value"),
    ("-k*x", "k = 2, c = 1, z = 1", "-k/c/z*x", "k = 2, c = 1, z = 1", OPEN, "where c = 1, z = 1, not at every value"),
    (f"-{STOP.format(1e10, 1e10)}", "", f"-{STOP.format(10000001000, 10000001000)}", "", DIFFERENT, ""),
    (f"-{STOP.format('pi/2', 1)}", "", f"-{STOP.format(1.57079632679, 1)}", "", SAME, ""),
]  # fmt: skip
#: Whole lines of MBSD.
LINES = [
    ("i(s(t)) u(x) $2 ; s(t) = sin(t)", "i(s(t)) u(x) $2 ; s(t) = sin(t) + 1e6*exp(-(t - 60)^2)", DIFFERENT),
    ("i(sin(t)) u(x) $2", "i(cos(t - pi/2)) u(x) $2", SAME),
    ('z(a)"(-3*(1 - cos(a))) i1 $1 g', 'z(a)"(-6*sin(a/2)^2) i1 $1 g', SAME),
    ('z(a)"(-3*(1 - cos(a))) i1 $1 g', 'z(a)"(-6.0001*sin(a/2)^2) i1 $1 g', DIFFERENT),
]
#: A row, and another branch that a second model has beside it.
BRANCHES = [
    ("x^2 + y^2 - 1", "x^2 + y^2 - 1e4"),
    ("x - y", "x - y - 1000"),
    ("x - y", "x - 100"),
    ("y - x^2", "y + 50"),
    ("y - sin(x)", "y - 2"),
    ("x*y - 1", "x - 3e6"),
    ("x - y", "y + 1e-5"),
]
#: A row, and what a second model adds to it at far times.
LATE = [
    ("x - y - sin(t)", "1e-3*(t/1e4)^9"),
    ("x - y", "(t/1e4)^9"),
    ("x^2 + y^2 - 1", "1e-3*(t/1e4)^9"),
    ("x^2 + y^2 - 1", "1e-3*(t/1e8)^9"),
    ("y - sin(x)", "1e-3*t^2*exp(-(t/1e3 - 30)^2)"),
]
#: Rows of constraints -> verdicts.
ROWS = [
    *((row, f"({row})*({branch})", DIFFERENT) for row, branch in BRANCHES),
    ("y - sin(x)", "(y - sin(x))*(1 + y^2)", SAME), ("x - y", "exp(20*x) - exp(20*y)", OPEN),
    *((row, f"{row} - {late}", DIFFERENT) for row, late in LATE),
    ("x - y", "x - y - 1e-3*(x/1e4)^9", OPEN | DIFFERENT), ("x - y", "(x - y)^2", OPEN | DIFFERENT),
    ("x - y", "x^3 - y^3", OPEN | DIFFERENT), ("x - y", "(x - y)*(2 + sin(x))", SAME),
    ("x - y", "(x - y)*(1 + sin(x))", OPEN | DIFFERENT),
    ("x - y", "3*y - 3*x", SAME), ("x^2 + y^2 - 1", "(1 - x^2 - y^2)/3", SAME),
    ("y - 1 + cos(x)", "y - 2*sin(x/2)^2", SAME),
    ("y - 0.7071067812*x", "y - x/sqrt(2)", SAME), ("y - 0.7071067812*x", "sqrt(2)*y - x", SAME),
    ("x - y - sin(t)", "sin(t) - x + y", SAME), ("x*y - 1", "x*y - 1.0000001", DIFFERENT),
]  # fmt: skip
IN_A_PLANE = """{{"format": "mbconcord", "version": 1, "name": "m", "coordinates": [{{"name": "x"}}, {{"name": "y"}}],
"bodies": [{{"name": "b", "parent": null, "joint": [{{"translation": "x", "coordinate": "x"}},
{{"translation": "y", "coordinate": "y"}}], "inertia": {{"mass": 2}}}}],
"constraints": [{{"kind": "holonomic", "name": "c", "expression": "{}"}}]}}"""
ARM = """<mujoco><worldbody><body name="l"><joint name="a" axis="0 1 0" {joint}/>
<inertial pos="0.2 0 0.3" mass="1.5" diaginertia="0.02 0.03 0.01"/><body name="r" pos="0.4 0 0.6">
<joint name="b" axis="0 1 0"/><inertial pos="0.3 0.01 0" mass="0.7" diaginertia="0.001 0.02 0.02"/>
</body></body></worldbody><actuator>{motor}</actuator></mujoco>"""
MOTOR = '<motor name="m" joint="a" gear="1"/>'
#: Other motors than that -> verdicts.
MOTORS = [
    ('<motor name="m" joint="a" gear="150"/>', DIFFERENT), ('<motor name="m" joint="a" gear="-1"/>', DIFFERENT),
    ('<motor name="m" joint="b" gear="1"/>', DIFFERENT), ("", OPEN), ('<motor name="n" joint="a"/>', OPEN),
    ('<motor name="m" joint="a" gear="1 0 0"/>', SAME),
]  # fmt: skip


def both_ways(a: str, b: str, suffix: str = "mbsd") -> list[Sameness]:
    one, other = (read_text(text, f"{name}.{suffix}").system for name, text in (("a", a), ("b", b)))
    return [same_machine(*pair, printed=True) for pair in ((one, other), (other, one))]


def require(found: list[Sameness], verdicts: set[str], said: str = "") -> None:
    for each in found:
        assert each.verdict in verdicts, str(each)
        assert said in str(each)


def along_x(force: str, rest: str = "") -> str:
    return f'u(x)"({force}) $2 ; {rest}' if rest else f'u(x)"({force}) $2'


@pytest.mark.parametrize(("force", "verdicts", "said"), FORCES)
def test_forces(force: str, verdicts: set[str], said: str) -> None:
    require(both_ways(along_x("-5*x"), along_x(force)), verdicts, said)


def test_what_a_state_tells_apart_is_not_called_equal_to_rounding() -> None:
    for found in both_ways(along_x("-5*x"), along_x("-5*x + (x/2e4)^11")):
        assert found.verdict == "disagrees" and "\nproved to differ: applied[x]\n" in str(found)
        assert "equal to rounding" not in str(found)


@pytest.mark.parametrize(("a", "of_a", "b", "of_b", "verdicts", "said"), NAMES)
def test_names(a: str, of_a: str, b: str, of_b: str, verdicts: set[str], said: str) -> None:
    require(both_ways(along_x(a, of_a), along_x(b, of_b)), verdicts, said)


@pytest.mark.parametrize(("a", "b", "verdicts"), LINES)
def test_lines(a: str, b: str, verdicts: set[str]) -> None:
    require(both_ways(a, b), verdicts)


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "verdicts"), ROWS)
def test_rows(a: str, b: str, verdicts: set[str]) -> None:
    """One that has another branch, or goes elsewhere later, is not the same where states happen to satisfy both."""
    require(both_ways(IN_A_PLANE.format(a), IN_A_PLANE.format(b), "mbs.json"), verdicts)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("row", "other"), [*((a, f"({a})*({b})") for a, b in BRANCHES), *((a, f"{a} - {b}") for a, b in LATE)]
)
def test_another_branch_or_time_is_found_at_every_seed(row: str, other: str) -> None:
    """Whether a drawn state falls onto it decides nothing: it was "not checked" at some seeds."""
    a, b = (read_text(IN_A_PLANE.format(text), "a.mbs.json").system for text in (row, other))
    found = [same_machine(*((a, b), (b, a))[seed % 2], 2, seed).verdict for seed in range(6)]
    assert found == ["disagrees"] * 6


def test_the_search_for_branches_ends_where_its_budget_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its states were as many as rows by coordinates, with no end."""
    a, b = (read_text(IN_A_PLANE.format(x), "a.mbs.json").system for x in ("x - y", "(x - y)*(2 + sin(y) + sin(2*y))"))
    starts: list[int] = []

    def note(_a: object, _b: object, ours: list[State], *_: object) -> list[Comparison]:
        starts.append(len(ours))
        return []

    monkeypatch.setattr("mbconcord.validation.judge.pair.compare_branches", note)
    found = [str(same_machine(a, b, 2))]
    monkeypatch.setattr("mbconcord.validation.judge.pair.MOST_STEPS", 5000)
    found.append(str(same_machine(a, b, 2)))
    assert starts[0] > starts[1] > 0
    assert ["other branches were not looked for" in text for text in found] == [False, True]
    assert "y in c of B from 4 of 4 places, x in c of A from 3 of 4 places: the budget" in found[1]


@pytest.mark.parametrize(("motor", "verdicts"), MOTORS)
def test_motors(motor: str, verdicts: set[str]) -> None:
    """A control says nothing of the machine: it is drawn, and no value of it stands for all."""
    one, other = (ARM.format(joint="", motor=x) for x in (MOTOR, motor))
    require(both_ways(one, other, "xml"), verdicts, "_ctrl is an input" if verdicts == OPEN else "")


def test_an_effort_in_one_model_only() -> None:
    spring = ARM.format(joint='stiffness="2"', motor="")
    require(both_ways(ARM.format(joint="", motor=""), spring, "xml"), DIFFERENT)


@pytest.mark.parametrize("seed", range(6))
def test_a_far_stop_is_found_at_every_seed(seed: int) -> None:
    """It was "disagrees" where a drawn state lay beyond it, "not checked" elsewhere."""
    one, other = (read_text(along_x(f"-5*x{stop}"), "a.mbsd").system for stop in ("", f" - {STOP.format(3e10, 3e10)}"))
    assert same_machine(one, other, 3, seed, printed=True).verdict == "disagrees"


@pytest.mark.parametrize(("place", "verdict"), [("100000.01", "agrees"), ("1e5", "disagrees")])
def test_numbers_without_digits_leave_it_to_the_proof_and_to_other_states(place: str, verdict: str) -> None:
    """Half a unit of the last of eight digits hides the force near zero."""
    one, other = (read_text(along_x(f"-5*x - {STOP.format(x, x)}"), "a.mbsd").system for x in ("100000.01", place))
    for pair in ((one, other), (other, one)):
        found = same_machine(*pair, [State(q={"x": 0.01}, v={"x": 0.02}, a={"x": 1})], printed=True)
        assert found.verdict == verdict, str(found)


def test_stops_at_the_same_place_are_the_same_piece() -> None:
    stop = f"-5*x - {STOP}"
    require(both_ways(along_x(stop.format(101, 101)), along_x(stop.format("202/2", 101))), SAME)
    require(both_ways(along_x(stop.format(101, 101)), along_x(stop.format(102, 102))), DIFFERENT)
