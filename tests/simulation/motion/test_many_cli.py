"""simulate --ensemble on the command line: what is drawn, printed, written and refused."""

from __future__ import annotations

import argparse
import csv
import importlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.cli import simulate
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, error
from mbconcord.model.numbers import Instance
from mbconcord.validation.witnesses.screen import read_draw, read_fan

from ...cli.commands import Run, runner

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")

run = pytest.fixture(runner)
PENDULUM, BAR = (str(folder() / f"mbsd/{name}.mbsd") for name in ("double_pendulum", "four_bar"))
MANY = ("--until", "0.2", "--ensemble", "5", "--step", "0.01")


def test_motions_are_those_of_ensemble(run: Run) -> None:
    """Half widths are about the start, a part of it with %, and the seed gives them again."""
    words = ("simulate", PENDULUM, *MANY, "--spread", "z1=±0.3, z2'=0.1, m1=5%")
    found, again, other = (run(*words, "--json", "-q", "--seed", seed).json for seed in ("0", "0", "1"))
    assert found == again and found["end"] != other["end"]
    dice, system = np.random.default_rng(0), mb.read(PENDULUM).system
    start = {name: x[0] for name, x in Instance(system, [mb.State()]).values.items() if "''" not in name}
    for name, width in (("z1", 0.3), ("z2'", 0.1), ("m1", 0.05 * start["m1"])):
        start[name] = start[name] + width * (2 * dice.random(5) - 1)
    many = mb.ensemble(system, start, 0.2, 0.01)
    for i, name in enumerate(("z1", "z2")):
        x = many.q[-1, :, i]
        assert found["end"][name] == pytest.approx({"least": x.min(), "mean": x.mean(), "largest": x.max()}, rel=1e-12)
    assert found["difference"] == pytest.approx(many.difference.max(), rel=1e-6)


def test_the_end_is_printed_and_the_quartiles_are_written(run: Run) -> None:
    done = run("simulate", PENDULUM, *MANY, "--spread", "z1=0.3", "--output", "out.csv")
    assert done.code == 0 and "3 motions compared with simulate's" in done.err
    assert re.search(r"coordinate +least +mean +largest", done.out) and "written: out.csv" in done.out
    assert "double_pendulum: 5 motions to 0.2 s" in done.out and "from half as many steps: " in done.out
    rows = list(csv.DictReader(Path("out.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 21 and float(rows[0]["z1 min"]) < float(rows[0]["z1 median"]) < float(rows[0]["z1 max"])
    assert "; no witness" in run("simulate", PENDULUM, *MANY, "--spread", "z1=0.3", "--no-witness").out


def test_of_closed_machines_what_is_drawn_is_kept_and_the_rest_follows(run: Run) -> None:
    done = run("simulate", BAR, *MANY, "--spread", "z1=0.1", "--json")
    begun = Instance(mb.read(BAR).system, [mb.State()]).values["z1"]
    first = [done.json["quartiles"][f"z1 {x}"][0] for x in ("min", "max")]
    drawn = begun + 0.1 * (2 * np.random.default_rng(0).random(5) - 1)
    assert done.code == 0 and first == pytest.approx([drawn.min(), drawn.max()], abs=1e-9)
    assert done.json["gap"] < 1e-9 and "moved onto" not in done.err
    done = run("simulate", BAR, *MANY, "--spread", "z1=0.1,z2=0.1")
    assert done.code == 2 and "5 starts of 5 cannot be closed" in done.err


def test_motions_that_stop_are_code_two(run: Run) -> None:
    made = mb.Mechanism("pushed").body("b", mass=2).slides("x", "x", rate=2).effort("f", "x", "sqrt(1 - x)")
    Path("pushed.mbs.json").write_text(mb.write(made.build(), "native").text, encoding="utf-8")
    done = run("simulate", "pushed.mbs.json", "--until", "1", "--ensemble", "2", "--step", "0.01", "--spread", "x=0.01")
    assert done.code == 2 and "2 motions of 2 could not go on" in done.err and "not compared" in done.err


def test_motions_that_overflow_are_code_two_and_drawn_as_far_as_they_go(run: Run) -> None:
    pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    Path("off.mbsd").write_text('u(x)"(100*x^3) $1', encoding="utf-8")
    words = ("--until", "20", "--ensemble", "3", "--step", "0.5", "--spread", "x=1", "--plot", "o.html")
    done = run("simulate", "off.mbsd", *words, "--output", "o.csv")
    assert done.code == 2 and "3 motions of 3 could not go on" in done.err and "do not trust" not in done.err
    assert "Warning" not in done.err and "inf" not in Path("o.csv").read_text(encoding="utf-8")
    assert "half as many steps: not known" in Path("o.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("how", ["no simulate", "simulate ends before"])
def test_motions_that_are_not_compared_are_not_checked(run: Run, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    made = importlib.import_module("mbconcord.api.simulate")
    own, ended = made.simulate, Diagnostic("error", "t", "locked")

    def simulate_less(*given: Any, **named: Any) -> Any:
        if how == "no simulate":
            raise MbconcordError(error("scipy", "SciPy is not installed"))
        return replace(own(*given, **named), stopped=ended)

    monkeypatch.setattr(made, "simulate", simulate_less)
    words = ("simulate", PENDULUM, *MANY, "--spread", "z1=0.3")
    done = run(*words)
    said = "SciPy is not installed" if how == "no simulate" else "which ends at 0.2 s"
    assert done.code == 3 and done.err.count(said) == 3 and "; no witness" in done.out
    assert "not checked: least, mean, largest" in done.out and "3 motions" not in done.err
    assert run(*words, "--no-witness").code == 0


#: Forces along x of a body that slides, with the exit code of its motions and what is said of them.
SLIDERS = {
    "time alone moves it": ("3*sin(5*t)", 0, ""),
    "dry friction slips as in simulate": ("-3*sign(x')", 0, "friction: note: dry friction jumps at rest"),
    "too long steps": (
        "20*sin(40*x)",
        0,
        "step: warning: the end of 5 motions of 5 is more than 0.1% from that of half",
    ),
    "half as many steps end": ("-300*x'^3", 2, "step: error: the end of 5 motions of 5 is not reached by half"),
    "no motion ends": ("100*x'^3", 2, "5 motions of 5 could not go on"),
}


@pytest.mark.parametrize("name", SLIDERS)
def test_forces_of_every_kind_give_the_motion_of_simulate_or_a_word(run: Run, name: str) -> None:
    """A difference that is not known is no number, and what is compared is the motion of the same equations."""
    force, code, said = SLIDERS[name]
    made = mb.Mechanism("m").body("b", mass=2).slides("x", "x", rate=1).effort("f", "x", force)
    Path("m.mbs.json").write_text(mb.write(made.build(), "native").text, encoding="utf-8")
    words = ("simulate", "m.mbs.json", "--until", "1", "--ensemble", "5", "--step", "0.01", "--spread", "x=0.5")
    done, found = run(*words), run(*words, "--json").json
    assert done.code == code and said in done.err and "internal" not in done.err and "RuntimeWarning" not in done.err
    assert (found["difference"] is None) == bool(code) == ("half as many steps: not known" in done.out)


def test_rigid_stops_are_left_out_and_what_is_compared_is_without_them(run: Run) -> None:
    made = mb.Mechanism("m").body("b", mass=2).slides("x", "x", rate=1).stop("s", "x", upper=0.3, law="rigid", e=0.5)
    Path("m.mbs.json").write_text(mb.write(made.build(), "native").text, encoding="utf-8")
    done = run("simulate", "m.mbs.json", "--until", "1", "--ensemble", "5", "--step", "0.01", "--spread", "x'=0.5")
    assert done.code == 3 and "1 rigid element, effect on the motion forces: s" in done.out
    assert done.err.split("\n")[0] == "witness: note: 3 motions compared with simulate's at 1e-10"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--until 1 --step 0.1", "--step: error: it is of many motions (add --ensemble N; of one motion --step-out DT"),
        ("--until 1 --spread z1=1", "--spread: error: it is of many motions (add --ensemble N)"),
        ("--until 1 --seed 1", "--seed: error: it is of many motions (add --ensemble N)"),
        ("--ensemble 2 --step 0.1 --spread z1=1", "--until: error: found no end"),
        ("--until 1 --ensemble 2 --spread z1=1", "--step: error: found no length of the steps (for example"),
        ("--until 1 --ensemble 2 --step 0.1", "--spread: error: found nothing in which the motions differ"),
        ("--until 1 --ensemble 0 --step 0.1 --spread z1=1", "--ensemble: found '0', expected a whole number from 1"),
        ("{} z9=1", "no coordinate, rate or parameter 'z9' (known: z1, z2, z1', z2', i1"),
        ("{} z1=-1", "--spread: error: z1: found -1, expected a size above 0 (for example"),
        ("{} z1=0%", "z1: found 0%, expected a size above 0"),
        ("{} z1'=5%", "z1' is 0, of which 5% is 0 (z1'=0.1)"),
        ("{} z1", "'z1' is not NAME=SIZE (for example --spread q1=0.1,m=5%)"),
        ("{} z1=x", "z1: 'x' is not a finite number"),
        ("{} z1=1,z1=2", "z1 has a size twice (remove one of them)"),
        ("{} z1=1 --tolerance 1e-6 --event z1", "--event: error: it is of one motion (leave it out, or"),
        ("{} m1=500%", "the body's mass is -"),
        ("{} z1=1 --slip 0", "slip: error: found 0"),
        ("{} z1=1 --step-out 0.1", "--step-out: error: it is of one motion"),
        ("{} z1=1 --plot a.png", "--plot: error: a.png: no drawing has this suffix"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(run: Run, words: str, said: str) -> None:
    done = run("simulate", PENDULUM, *words.format("--until 1 --ensemble 2 --step 0.1 --spread").split())
    assert done.code == 2 and said in done.err and not done.out


def test_a_number_that_is_not_that_of_the_motions_is_seen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    own = simulate.ensemble

    def wrong(*given, **named):
        found = own(*given, **named)
        end = {name: (x, y + 1e-3, z) for name, (x, y, z) in found.end().items()}
        monkeypatch.setattr(type(found), "end", lambda found: end)
        return found

    monkeypatch.setattr(simulate, "ensemble", wrong)
    done = run("simulate", PENDULUM, *MANY, "--spread", "z1=0.3", "-q")
    assert done.code == 1 and "z1 in row -1: found" in done.err


#: Options of many motions; the head in JSON; and as it is printed.
OPTIONS = {"spread": "x=±0.5, m=5%", "formalism": None, "ensemble": 3, "until": "1/2", "step": ".1", "no_witness": True}
TOLD = {"system": "s", "formalism": "lagrange", "backend": "numpy", "count": 3, "seed": 4}
HEAD = "s: 3 motions to 0.5 s by lagrange, steps of 0.1 s, numpy; no witness\ndrawn evenly by seed 4: x ±0.5, m ±0.1"
#: Changes of a fact of the head, each with what its reader says.
FACTS = {
    "": (("", ""), ""),
    "count": (("3 motions", "30 motions"), "count is 4, asked for 3; motions is 4, asked for 3"),
    "seed": (("seed 4", "seed 5"), "x begins elsewhere than seed 5 draws"),
    "until": (("0.5 s", "5 s"), "until is 1.5, asked for 0.5"),
    "step": (("0.1 s", "1 s"), "step is 1.1, asked for 0.1"),
    "spread": (("m ±0.1", "m ±1"), "spread of x is 1.5, asked for 0.5"),
    "system": (("s: 3", "t: 3"), "system is t, asked for s"),
    "backend": (("numpy", "llvm"), "steps of 0.1 s, t'"),
    "formalism": (("by lagrange", "by konoplev"), "by t, steps of '"),
    "witness": (("; no witness", ""), "found no '; no witness'"),
}  # fmt: skip


@pytest.mark.parametrize("fact", FACTS)
def test_a_head_that_tells_of_other_motions_is_refused(fact: str) -> None:
    """In JSON and as text alike; and so are starts that the seed of the head does not draw."""
    dice, about = np.random.default_rng(4), {"x": 1.0, "m": -2.0}
    begun = {name: about[name] + width * (2 * dice.random(3) - 1) for name, width in (("x", 0.5), ("m", 0.1))}
    given = {"until": 0.5, "step": 0.1, "spread": {"x": 0.5, "m": 0.1}}
    asked, (change, said) = OPTIONS | {"system": "s"}, FACTS[fact]
    read = read_draw({**TOLD, "given": given}, HEAD.replace(*change), asked, about, begun)
    assert read.verdict == ("disagrees" if fact else "agrees"), read.explanation
    wrong = {**TOLD, "given": given}
    if fact in given:
        wrong["given"] = {**given, fact: {"x": 1.5, "m": 0.1} if fact == "spread" else given[fact] + 1}
    elif fact in TOLD:
        wrong[fact] = "t" if isinstance(TOLD[fact], str) else TOLD[fact] + 1
    found = read_draw(wrong, HEAD if fact != "witness" else HEAD.replace(*change), asked, about, begun)
    assert said in found.explanation and bool(fact) == (found.verdict == "disagrees"), found.explanation


@pytest.mark.parametrize("suffix", ["svg", "html"])
def test_a_fan_shows_the_quartiles_of_every_coordinate(run: Run, suffix: str) -> None:
    """Panels have units, and the page says what the table says of the motions."""
    pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    words = ("simulate", PENDULUM, *MANY, "--spread", "z1=0.3", "--no-witness", "--plot", f"fan.{suffix}")
    done = run(*words)
    drawn = Path(f"fan.{suffix}").read_text(encoding="utf-8")
    assert done.code == 0 and f"written: fan.{suffix}" in done.out
    for text in ("z1, rad", "z2&#x27;, rad/s" if "z2&" in drawn else "z2', rad/s", "median", "middle half", "t, s"):
        assert f">{text}</text>" in drawn, text
    assert "5 motions of double_pendulum: newton_euler, steps of 0.01 s" in drawn
    assert suffix == "svg" or ("half as many steps: " in drawn and "src=" not in drawn and "<!DOCTYPE svg" not in drawn)


#: Changes of a picture, each with what its reader says.
REDRAWN = {
    "a band of other motions": (r"(fan-1-middle.*?L \S+ )(\S+)", r"\g<1>99.5", "middle of z1': found another line"),
    "a median elsewhere": (r"(fan-2-median.*?M \S+ )(\S+)", r"\g<1>99.5", "median of z2: found another line"),
    "numbers without a sign": ("\u2212", "", "found no numbers at the axes of"),
    "another unit": ("z2, rad", "z2, m", "found z2 in m, expected rad"),
    "a panel twice": ("z2, rad", "z1, rad", "expected a position and a rate of each coordinate"),
}


@pytest.mark.parametrize("name", REDRAWN)
def test_a_picture_that_shows_other_numbers_is_refused(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
    system = mb.read(PENDULUM).system
    many = mb.ensemble(system, [[0.3, 0.1, -1.0, 0.2], [0.2, -0.1, 1.0, 0.3]], 0.1, 0.01, witness=False)
    drawn = many.save(tmp_path / "fan.svg").read_text(encoding="utf-8")
    changed = re.sub(*REDRAWN[name][:2], drawn, count=0 if name == "numbers without a sign" else 1, flags=re.DOTALL)
    read, wrong = (read_fan("", x, system, many.t, dict(many.motions())) for x in (drawn, changed))
    assert changed != drawn and read.verdict == "agrees"
    assert wrong.verdict == "disagrees" and REDRAWN[name][2] in wrong.explanation


#: Options of simulate that act on many motions too; the other ones are refused by name beside --ensemble.
ACTING = {
    "--ensemble", "--until", "--spread", "--step", "--seed", "--slip", "--formalism", "--form", "--state", "--output",
    "--plot", "--no-witness", "--accept-omissions", "--set", "--quiet", "--force", "--from", "--read", "--allow",
}  # fmt: skip


def test_every_option_acts_on_many_motions_or_is_refused_by_name(run: Run) -> None:
    """An option that is added to simulate is one of the two, or this fails."""
    simulate.arguments(parser := argparse.ArgumentParser())
    options = {
        a.option_strings[-1 if a.dest in ("help", "quiet") else 0]: a for a in parser._actions[1:] if a.option_strings
    }
    assert {*options} - ACTING == {f"--{name.replace('_', '-')}" for name in simulate.OF_ONE}
    for name in {*options} - ACTING:
        value = [] if options[name].nargs == 0 else [[*options[name].choices][-1] if options[name].choices else "0.5"]
        done = run("simulate", PENDULUM, *MANY, "--spread", "z1=0.1", name, *value)
        assert done.code == 2 and f"{name}: error: it is of one motion" in done.err, name


def test_options_that_act_change_what_they_are_about(run: Run) -> None:
    Path("state.json").write_text('{"q": {"z2": 1.25}}', encoding="utf-8")
    words = ("simulate", PENDULUM, *MANY, "--spread", "z1=0.1", "--no-witness", "--json")
    plain = run(*words).json
    acts = ["--formalism lagrange", "--form relative", "--set m2=5", "--state state.json", "--seed 4"]
    told = [plain, *(run(*words, *more.split()).json for more in acts)]
    assert len({str((x["formalism"], x["end"])) for x in told}) == len(told)
    assert run(*words, "--accept-omissions", "contact=1").code == 3
    assert run(*words, "--from", "urdf").code == 2 and run(*words, "--read", "nothing").code == 2
    assert run(*words, "--output", PENDULUM).code == 2 and "not_checked" in plain
