"""Root loci and Campbell diagrams: crossings by closed forms, rows without an answer, tables and pictures."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

import mbconcord
from mbconcord.api.linearize import LinearizeRequest, RootLocus, follow_modes
from mbconcord.formalisms import registry
from mbconcord.simulation.linear.sweep import CRITICAL, DIVERGENCE, FLUTTER
from mbconcord.validation.claims.linear.by_formalisms import sweep_evidence

from ...cli.commands import Run, runner
from .machines import mbsd, top
from .test_steady import VECTORS

run = pytest.fixture(runner)
#: A disc of 2 kg m² across and 0.5 along its axis, which springs of 90 N m/rad hold upright, free to spin.
ROTOR = 'x(a)"(-90*a) y(b)"(-90*b) z(c)\'1 $1 [2,2,0.5]'
#: A rod of 1 kg at 1 m that stands on a spring k about z.
STANDING = """{"format": "mbconcord", "version": 1, "name": "standing", "parameters": [{"name": "k", "value": 20},
{"name": "m", "value": 1}], "coordinates": [{"name": "a"}], "gravity": {"value": -9.81, "direction": "y"},
"bodies": [{"name": "rod", "parent": null, "joint": [{"rotation": "z", "coordinate": "a"}],
"inertia": {"mass": "m", "centre": [0, 1, 0]}}],
"forces": [{"kind": "joint_effort", "name": "spring", "coordinate": "a", "effort": "-k*a"}]}"""


def locus(model: object, name: str, values: list[float], by: str | None = None) -> RootLocus:
    return follow_modes(model, LinearizeRequest(formalism=by), name, values, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("by", ["lagrange", "newton_euler"])
def test_critical_speeds_of_a_rotor(by: str) -> None:
    """A disc with gyroscopic moments is critical at √(k/(A+C)) backwards, √(k/(A-C)) forwards."""
    found = locus(mbsd(ROTOR), "c'", [1.0 + 2.0 * k for k in range(5)], by=by)
    assert [one.kind for one in found.crossings] == [CRITICAL] * 2 and found.verdict == "agrees"
    assert [one.value for one in found.crossings] == pytest.approx([sqrt(90 / 2.5), sqrt(90 / 1.5)], abs=1e-11)
    assert [one.eigenvalue.imag for one in found.crossings] == pytest.approx([6.0, sqrt(60)], abs=1e-11)
    for row in found.rows:  # A λ² ± i C Ω λ + k = 0
        assert row.spectrum and row.spectrum.growing == 0 and row.spectrum.along == pytest.approx({"c": row.value})
        whirl = [sqrt(45 + (row.value / 8) ** 2) + sign * row.value / 8 for sign in (-1, 1)]
        assert sorted(s.imag for s in row.spectrum.values)[2:] == pytest.approx(whirl, rel=1e-12)


@pytest.mark.slow
def test_a_top_falls_asleep_at_its_critical_spin() -> None:
    """C s = 2 √(A m g l): there two pairs meet on the imaginary axis, and the root is no simple one."""
    critical = 2 * sqrt(0.3 * 1.5 * 9.81 * 0.4) / 0.05
    found = locus(top(), "spin'", [50.0, 52.0, 54.0, 56.0])
    flutter = [one for one in found.crossings if one.kind == FLUTTER]
    assert [one.value for one in flutter] == pytest.approx([critical], abs=1e-9) and flutter[0].change == -2


def test_a_standing_rod_buckles_where_its_spring_is_its_weight() -> None:
    """Over a parameter: k = m g l."""
    model = mbconcord.read(text=STANDING, format="native")
    found = mbconcord.linearize(model).sweep("k", [5.0, 8.0, 11.0, 14.0])
    assert [(one.kind, one.change) for one in found.crossings] == [(DIVERGENCE, -1)] and found.verdict == "agrees"
    assert found.crossings[0].value == pytest.approx(9.81, abs=1e-9)
    assert found.to_frame()["real"].tolist()[:2] == pytest.approx([-sqrt(4.81), sqrt(4.81)], rel=1e-12)


def test_a_sweep_across_a_singular_state_has_a_row_that_says_where() -> None:
    """Without mass nothing can be said at m = 0; rows beside it have their answers."""
    model = mbconcord.read(text=STANDING, format="native")
    found = mbconcord.linearize(model).sweep("m", [2.0, 1.0, 0.0, -1.0, 3.0])
    problems = [row.problem for row in found.rows]
    assert [bool(x) for x in problems] == [False, False, True, True, False] and found.lost == 2
    assert "the mass matrix is not positive" in problems[2] and "positive mass or inertia" in problems[2]
    assert any("sweep/m=0" in str(d) for d in found.diagnostics)


@pytest.mark.slow
@pytest.mark.skipif(not VECTORS.exists(), reason="vectors of steady motions are not part of the project")
def test_the_bicycle_is_stable_between_the_two_speeds_of_its_benchmark() -> None:
    found = locus(VECTORS / "bicycle.mbs.json", "x'", [3.5, 4.5, 5.5, 6.5])
    assert [one.kind for one in found.crossings] == [FLUTTER, DIVERGENCE] and found.verdict == "agrees"
    assert [one.value for one in found.crossings] == pytest.approx([4.292382536341, 6.024262015388], abs=1e-11)


def test_the_witness_catches_wrong_eigenvalues_and_crossings() -> None:
    system = mbsd(ROTOR)
    found = locus(system, "c'", [5.0, 7.0, 9.0])
    every, form = [registry.formalism(name) for name in ("lagrange", "newton_euler")], found.to_json()
    assert {c.verdict for c in sweep_evidence(system, found, every, {}, [], form)} == {"agrees"}
    for place, wrong in (
        ("rows", [{**form["rows"][0], "eigenvalues": [[0.0, 1.0], *form["rows"][0]["eigenvalues"][1:]]}]),
        ("crossings", [{**form["crossings"][0], "value": form["crossings"][0]["value"] + 1e-6}]),
    ):
        printed = {**form, place: [*wrong, *form[place][1:]]}
        assert "disagrees" in {c.verdict for c in sweep_evidence(system, found, every, {}, [], printed)}
    alone = sweep_evidence(system, found, every[:1], {}, [], form)
    assert [c.verdict for c in alone] == ["not checked"]


@pytest.mark.parametrize(("option", "said"), [
    ("c'", "is not NAME=FROM:TO:STEP"), ("c'=1:2", "is not NAME=FROM:TO:STEP"), ("c'=1:x:1", "--sweep"),
    ("c'=1:2:0", "does not lead from 1 to 2"), ("c'=2:1:0.5", "does not lead from 2 to 1"),
    ("c'=0:1:1e-9", "at most 10,000"), ("d'=1:2:1", "no such parameter, coordinate or rate"),
])  # fmt: skip
def test_what_is_wrong_is_named(run: Run, option: str, said: str) -> None:
    Path("rotor.mbsd").write_text(ROTOR, encoding="utf-8")
    done = run("linearize", "rotor.mbsd", "--sweep", option)
    assert done.code == 2 and said in done.err


@pytest.mark.slow
def test_on_the_command_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("rotor.mbsd").write_text(ROTOR, encoding="utf-8")
    done = run("linearize", "rotor.mbsd", "--sweep", "c'=5:8:1", "--output", "campbell.csv")
    assert done.code == 0 and "rotor: eigenvalues over c' by lagrange" in done.out, done.err
    assert "critical speed  7.74596669241" in done.out and "agrees: lagrange, newton_euler" in done.out
    assert Path("campbell.csv").read_text("utf-8").startswith("c',number,real,imag,problem\n")
    form = run("linearize", "rotor.mbsd", "--sweep", "c'=5:8:1", "--steady", "a=0", "--json").json
    assert [row["value"] for row in form["rows"]] == [5, 6, 7, 8] and "not_checked" not in form
    picture = run("linearize", "rotor.mbsd", "--sweep", "c'=5:8:1", "--output", "campbell.svg")
    assert picture.code == 0 and "critical speed 7.7" in Path("campbell.svg").read_text("utf-8")
    for words, said in (
        (("--steady", "a=0"), "found no --sweep"),
        (("--sweep", "c'=5:8:1", "--quantity", "a"), "leave"),
    ):
        refused = run("linearize", "rotor.mbsd", *words)
        assert refused.code == 2 and said in refused.err
    from mbconcord.cli import linearize as command

    own = command.sweep_text
    monkeypatch.setattr(command, "sweep_text", lambda found: own(found).replace("7.74596", "7.74696"))
    assert run("linearize", "rotor.mbsd", "--sweep", "c'=5:8:1").code == 1


def test_rounding_makes_no_mode_the_rightmost(run: Run) -> None:
    """A rotor on springs, 20 rad/s: seen from it 20 ± its speed; neither mode grows or decays."""
    Path("rotor.mbsd").write_text('u(x)"(-800*x) v(y)"(-800*y) z(p)\'5 $2 [0.1,0.1,0.2] {0.01,0,0}', "utf-8")
    done = run("linearize", "rotor.mbsd", "--sweep", "p'=10:30:20")
    rows = [line.split()[1:] for line in done.out.splitlines() if line.startswith(("10 ", "30 "))]
    assert [row[:3] for row in rows] == [["0", "1", "0"]] * 2, done.out
    assert [float(row[3]) for row in rows] == pytest.approx([30, 50], abs=3e-3)
    bob = locus(mbsd("z(p)'4.2 y(a)°56.2 -k1 $1 g9.81-z"), "p'", [4.0, 4.5])
    assert all(x == 0.0 for row in bob.to_json()["rows"] for x, _ in row["eigenvalues"])


def test_a_mode_is_drawn_in_the_frame_that_moves_along(run: Run) -> None:
    """The spin of the rotor stays where it is, and its axis goes round; a motion that is none is refused."""
    Path("rotor.mbsd").write_text(ROTOR, encoding="utf-8")
    done = run("animate", "rotor.mbsd", "mode.html", "--mode", "2", "--amplitude", "0.2")
    assert done.code == 0 and "mode 2 (oscillates), in steady motion (1 along c)" in done.out, done.err
    assert "not checked: mode_motion" in done.out and Path("mode.html").exists()
    drawn = mbconcord.linearize(mbsd(ROTOR)).mode_motion(2, 0.2)
    assert not drawn["c"].any() and drawn["a"].abs().max() == pytest.approx(0.2)
    Path("falls.mbsd").write_text("u(x) v(y)'1 z(a)°30 -j1 $1 [0,0,1] g9.81-y", encoding="utf-8")
    refused = run("animate", "falls.mbsd", "falls.html", "--mode", "1")
    assert refused.code == 2 and "frozen-time eigenvalues say nothing" in refused.err
    none = run("animate", "rotor.mbsd", "none.html", "--mode", "9")
    assert none.code == 2 and "there is no mode 9" in none.err
    Path("table.csv").write_text("t,a\n0,0\n", encoding="utf-8")
    assert "found a table over time" in run("animate", "rotor.mbsd", "table.csv", "x.html", "--mode", "1").err
