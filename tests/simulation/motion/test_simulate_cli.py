"""simulate and assemble on the command line: output, files, exit codes."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from ...cli.commands import Run, runner

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")

run = pytest.fixture(runner)
CLOSED = "z(a)'4 i1 #a > z(b) i2 #b \\ u(s)°2.9 #c ; g-y \\ #b z(p) = < #c"
LOCKS = (
    "n(2 t) i0.3 $1 [0.01,0.01,0.01] #crank > z(b)°180 i0.2 $1 [0.01,0.01,0.01] #rod"
    " \\ u(s)°0.1 $1 [0.01,0.01,0.01] #slider \\ #rod z(p) = < #slider"
)


@pytest.fixture(autouse=True)
def models(run: Run) -> None:
    Path("closed.mbsd").write_text(CLOSED, encoding="utf-8")
    Path("locks.mbsd").write_text(LOCKS, encoding="utf-8")


def test_of_many_rows_with_events_the_first_are_shown(run: Run) -> None:
    """The first 40 of 45, and one among the eleven rows that are evenly chosen."""
    events = [word for k in range(1, 46) for word in ("--event", f"t - 0.01*{k}")]
    done = run("simulate", "closed.mbsd", "--until", "0.5", *events, "--output", "out.csv")
    assert done.code == 0, done.err
    assert done.out.count("t - 0.01") == 41 and "4 rows with events more: --output has all" in done.out
    assert Path("out.csv").read_text(encoding="utf-8").count("t - 0.01") == 45


def test_a_run_is_told_and_written(run: Run) -> None:
    done = run("simulate", "closed.mbsd", "--until", "0.5", "--step-out", "0.1", "--output", "out.csv")
    assert done.code == 0, done.err
    assert "0.5 s by lagrange, dop853, tolerance 1e-09" in done.out and "written: out.csv" in done.out
    assert "moved onto the constraints: s by" in done.err
    lines = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 7 and lines[0].startswith("t,a,b,s,a',b',s',a''")
    more = run("simulate", "closed.mbsd", "--until", "1", "--step-out", "0.1", "--resume", "out.csv", "--json", "-q")
    assert more.code == 0 and len(more.json["columns"]["t"]) == 11
    assert more.json["columns"]["t"][:6] == [float(line.split(",")[0]) for line in lines[1:]]


@pytest.mark.parametrize(("step", "times"), [("0.2", [0, 0.2, 0.4, 0.5]), ("2", [0, 0.5])])
def test_the_end_is_a_row_whatever_the_step(run: Run, step: str, times: list[float]) -> None:
    done = run("simulate", "closed.mbsd", "--until", "0.5", "--step-out", step, "--json", "-q")
    assert done.json["columns"]["t"] == pytest.approx(times, abs=1e-15) and done.json["columns"]["t"][-1] == 0.5


def test_what_rows_leave_open_is_empty(run: Run) -> None:
    """Of a planar loop cut at a joint of space two rows bear a known load; so it stays in a table that goes on."""
    run("simulate", "closed.mbsd", "--until", "0.1", "--step-out", "0.1", "--output", "a.csv")
    done = run("simulate", "closed.mbsd", "--until", "0.2", "--step-out", "0.1", "--resume", "a.csv", "--json")
    columns = {name: x for name, x in done.json["columns"].items() if name.startswith("lambda[")}
    assert [name for name, x in columns.items() if None not in x] == ["lambda[closure1 (x)]", "lambda[closure1 (y)]"]
    assert {tuple(x) for name, x in columns.items() if "x" not in name and "y)" not in name} == {(None,) * 3}


def test_events_and_stops(run: Run) -> None:
    done = run("simulate", "closed.mbsd", "--until", "2", "--event", "s - 2.9", "--stop", "a - 0.5", "--json")
    found = done.json
    assert done.code == 0 and found["reached"] < 1 and "a - 0.5 is zero" in found["stopped"]
    assert found["columns"]["event"][-1] == "a - 0.5" and "s - 2.9" in found["columns"]["event"]
    assert found["columns"]["a"][-1] == pytest.approx(0.5, abs=1e-14)


@pytest.mark.slow
def test_a_lock_up_keeps_the_rows_and_is_code_two(run: Run) -> None:
    done = run("simulate", "locks.mbsd", "--until", "1", "--tolerance", "1e-7", "--output", "out.csv")
    assert done.code == 2 and "error: stopped at t = 0.36486" in done.err and "what was computed is kept" in done.err
    assert len(Path("out.csv").read_text(encoding="utf-8").splitlines()) > 70


def test_an_interrupt_keeps_the_rows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(t: float, begun: float, until: float) -> None:
        if t > 0.3:
            raise KeyboardInterrupt

    monkeypatch.setattr("mbconcord.cli.simulate._make_counter", lambda: interrupted)
    done = run("simulate", "closed.mbsd", "--until", "2", "--step-out", "0.1", "--output", "out.csv")
    assert done.code == 130 and "interrupted at t =" in done.err
    rows = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert 4 <= len(rows) < 12


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--until", "-1"), "the end -1 s is not after the start 0 s"),
        (("--until", "ten"), "--until"),
        ((), "--until: error: found no end of the motion"),
        (("--until", "1", "--output", "out.xls"), "no table has the suffix '.xls'"),
        (("--until", "1", "--output", "nowhere/out.csv"), "there is no folder"),
        (("--until", "1", "--plot", "out.png"), "no drawing has this suffix"),
        (("--until", "1", "--output", "closed.mbsd"), "closed.mbsd"),
        (("--until", "1", "--event", "a -"), "error"),
        (("--until", "1", "--resume", "none.csv"), "No such file"),
        (("--until", "1", "--method", "euler"), "invalid choice"),
    ],
)
def test_bad_usage_is_code_two(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run("simulate", "closed.mbsd", *arguments)
    assert done.code == 2 and words in done.err, done.err


def test_the_motion_is_seen(run: Run) -> None:
    """As a page of the run itself, and of its table: the same, but for what is said of the run."""
    done = run(
        "simulate",
        "closed.mbsd",
        "--until",
        "0.5",
        "--step-out",
        "0.1",
        "-q",
        "--output",
        "out.csv",
        "--plot",
        "a.html",
    )
    assert done.code == 0 and "written: a.html" in done.out
    done = run("animate", "closed.mbsd", "out.csv", "b.html", "--title", "closed")
    assert done.code == 0 and "6 states\n" in done.out and done.out.endswith("written: b.html\n") and done.err == ""
    one, two = (Path(name).read_text(encoding="utf-8") for name in ("a.html", "b.html"))
    assert one.partition('id="data">')[2] == two.partition('id="data">')[2] and "<h1>closed</h1>" in two
    done = run("animate", "closed.mbsd", "out.csv", "b.html", "--json")
    assert {"system": "closed", "states": 6, "written": "b.html"}.items() <= done.json.items()
    assert "the given states as they are" in done.json["assumes"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.csv", "a.html"), "none.csv: error: No such file"),
        (("t.csv", "a.gif"), "a.gif: an animation is no such file (name a .html)"),
        (("t.csv", "nowhere/a.html"), "there is no folder"),
        (("x.csv", "a.html"), "the table has no coordinate of the model [closed.mbsd] (its coordinates are a, b, s)"),
        (("closed.mbsd", "a.html"), "the table has no coordinate"),
        (("t.csv",), "t.csv: an animation is no such file (name a .html)"),
        ((), "required: OUT"),
        (("back.csv", "a.html"), "the time goes back from 1 s to 0 s, after row 1"),
        (("words.csv", "a.html"), "expected numbers"),
    ],
)
def test_what_cannot_be_animated_is_code_two(run: Run, arguments: tuple[str, ...], words: str) -> None:
    for name, text in {
        "t": "t,a\n0,0\n1,1\n", "x": "t,x\n0,0\n", "back": "t,a\n1,0\n0,1\n", "words": "t,a\n0,up\n1,down\n",
    }.items():  # fmt: skip
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    done = run("animate", "closed.mbsd", *arguments)
    assert done.code == 2 and words in done.err, done.err
    assert not Path("a.html").exists()


def test_what_a_table_lacks_is_warned_of(run: Run) -> None:
    Path("t.csv").write_text("t,a,A\n0,0,1\n1,1,2\n", encoding="utf-8")
    done = run("animate", "closed.mbsd", "t.csv", "a.html")
    assert done.code == 0 and "b, s not in the table" in done.err and "the column 'A' is not drawn" in done.err
    assert run("animate", "closed.mbsd", "t.csv", "a.html", "-q").err == ""
    assert run("animate", "closed.mbsd", "t.csv", "t.csv").code == 2
    assert Path("t.csv").read_text(encoding="utf-8").startswith("t,a,A")


def test_file_of_one_state_is_drawn(run: Run) -> None:
    """By names, or by numbers in order with a note; the same page as that of a table with one row."""
    Path("s.json").write_text('{"q": {"a": 0.5, "b": -0.25, "s": 0.125}}', encoding="utf-8")
    Path("s.xv").write_bytes(b"xv3" + struct.pack("<6d", 0.5, -0.25, 0.125, 0, 0, 0))
    Path("t.csv").write_text("t,a,b,s,a',b',s'\n0,0.5,-0.25,0.125,0,0,0\n", encoding="utf-8")
    Path("two.xv").write_bytes(b"xv2" + bytes(32))
    pages = []
    for name in ("s.json", "s.xv", "t.csv"):
        done = run("animate", "closed.mbsd", name, "a.html", "--force")
        assert done.code == 0 and "closed: 1 state\n" in done.out, done.err
        assert ("the numbers of s.xv are taken in the model's order: a, b, s" in done.err) == (name == "s.xv")
        pages.append(
            json.loads(Path("a.html").read_text(encoding="utf-8").partition('id="data">')[2].partition("<")[0])
        )
    assert pages[0] == pages[1] == pages[2]
    done = run("animate", "closed.mbsd", "two.xv", "b.html")
    assert done.code == 2 and "two.xv holds 2 coordinates; expected the model's 3" in done.err
    assert not Path("b.html").exists()


def test_assemble_prints_and_writes_a_state_that_evaluate_takes(run: Run) -> None:
    done = run("assemble", "closed.mbsd", "--output", "state.json")
    assert done.code == 0 and "regular position: rank" in done.out, done.err
    assert "moved onto the constraints: s by" in done.err
    state = json.loads(Path("state.json").read_text(encoding="utf-8"))
    assert state["v"]["a"] == 4.0  # with which the model begins
    evaluated = run("evaluate", "closed.mbsd", "--formalism", "lagrange", "--state", "state.json")
    assert evaluated.code == 0 and "error" not in evaluated.err
    again = run("assemble", "closed.mbsd", "--state", "state.json", "--json", "--others", "2")
    assert again.json["closed"] and again.json["distance"] == 0 and again.json["gap"] < 1e-15
    assert [len(other["state"]["q"]) for other in again.json["others"]] == [3] * len(again.json["others"])


def test_assemble_tells_what_does_not_close(run: Run) -> None:
    Path("far.mbsd").write_text("z(a)°20 i1 #a ; g-y \\ #a :(1) {5, 0} < #0", encoding="utf-8")
    done = run("assemble", "far.mbsd")
    assert done.code == 2 and "constraints/rod1: cannot be closed" in done.err and "gap of 3 m" in done.err
    assert done.out.startswith("nearest configuration: {")
    assert run("assemble", "far.mbsd", "--json").json["closed"] is False
    Path("far.mbsd").write_text("z(a)°20 i1 #a ; g-y \\ #a :(-1) {5, 0} < #0", encoding="utf-8")
    assert "the rod's length is -1 m" in run("assemble", "far.mbsd").err


def test_evaluate_moves_a_state_onto_the_constraints_where_it_is_told(run: Run) -> None:
    Path("off.json").write_text('{"q": {"a": 0.5}}', encoding="utf-8")
    words = ("evaluate", "closed.mbsd", "--formalism", "lagrange", "--state", "off.json", "--json")
    assert run(*words).code == 2
    done = run(*words, "--assemble")
    assert done.code == 0 and "moved onto the constraints: b by" in done.err
    found = done.json
    assert found["q"][0] == 0.5 and found["v"][0] == 4.0
    closed = run("assemble", "closed.mbsd", "--state", "off.json", "--json").json
    assert found["q"] == list(closed["state"]["q"].values())


def test_a_motion_that_is_given(run: Run) -> None:
    rows = ["t,a", *(f"{i / 10},{0.3 + 0.5 * i / 10}" for i in range(6))]
    Path("motion.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = run("simulate", "closed.mbsd", "--motion", "motion.csv", "--output", "efforts.csv")
    assert done.code == 0 and "by lagrange, inverse dynamics;" in done.out and "effort a" in done.out, done.err
    assert "rates and accelerations of a are those of a spline" in done.err
    lines = Path("efforts.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 7 and "lambda[drive of a]" in lines[0]
