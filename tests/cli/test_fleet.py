"""Many pairs in one command: every row is what compare of its pair tells, what is no pair is a row with its reason."""

from __future__ import annotations

import csv
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from mbconcord.api import fleet
from mbconcord.cli import INTERRUPTED
from mbconcord.cli.campaign import compare as command
from mbconcord.validation.judge.progress import tell
from mbconcord.validation.many.campaign import on_worker, survey
from mbconcord.validation.many.campaign.corpus import EXITS, Fleet
from mbconcord.validation.many.campaign.parts import working_alone

from ..validation.many.cluster.here import Forks, Here
from .commands import Done, Run, runner

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MODELS = {
    "one.mbsd": "z j-2 $3 g", "same.mbsd": "z j-2 $3.0 g", "other.mbsd": "z j-2 $6 g", "flat.mbsd": "x k g",
    "branch.mbsd": "z i $1 g",
}  # fmt: skip
#: Copies a model; what is written before it decides what else happens.
COPY = "import os, shutil, signal, sys, time; {first}\nshutil.copyfile(sys.argv[1], sys.argv[2])"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setattr(fleet, "warm_up", lambda: None)
    call = runner(capsys, monkeypatch, tmp_path)
    for name, text in MODELS.items():
        Path(name).write_text(text, encoding="utf-8")
    return call


def pairs(*rows: str, heads: str = "robot,a,b") -> str:
    Path("pairs.csv").write_text("\n".join((heads, *rows)), encoding="utf-8")
    return "pairs.csv"


def converter(first: str = "", name: str = "copy", after: str = "{in} {out}.mbsd") -> str:
    """The option's text for a program that copies a model, after it has done something else."""
    script = Path(f"{name}.py")
    script.write_text(COPY.format(first=first), encoding="utf-8")
    return f"{name}={shlex.quote(sys.executable)} {script} {after}"


def cells(done: Done) -> dict[str, tuple[str, int, str]]:
    return {row["robot"]: (row["verdict"], row["exit"], row["cause"]) for row in done.json["pairs"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        ("one.mbsd", "same.mbsd", 0), ("one.mbsd", "other.mbsd", 1), ("one.mbsd", "flat.mbsd", 1),
        ("mbsd/springs.mbsd", "mbsd/springs.mbsd", 0), ("urdf/gripper.urdf", "urdf/gripper.urdf", 0),
        ("mjcf/linkage.xml", "mjcf/linkage.xml", 0), ("sdf/station.sdf", "sdf/station.sdf", 0),
        ("um/suspension", "um/suspension", 0),
    ],
)  # fmt: skip
def test_a_row_is_what_compare_tells_of_its_pair(run: Run, a: str, b: str, code: int) -> None:
    a, b = (str(FIXTURES / file) if "/" in file else file for file in (a, b))
    alone = run("compare", a, b, "--states", "3", "--json", *(("--why",) if code == 1 else ()))
    many = run("compare", "--pairs", pairs(f"r,{a},{b}"), "--states", "3", "--json")
    (row,) = many.json["pairs"]
    assert alone.code == many.code == row["exit"] == code
    told = {key: value for key, value in alone.json.items() if key not in ("assumes", "not_checked")}  # of its text
    assert row["found"] == told and row["verdict"] == told["verdict"]


@pytest.mark.slow
def test_the_table_and_the_worst_exit_code(run: Run) -> None:
    done = run("compare", "--pairs", pairs("r1,one.mbsd,same.mbsd", "r2,one.mbsd,other.mbsd"), "--states", "2")
    heads, _, first, second, _, counts = done.out.splitlines()
    assert heads.split("  ")[0] == "robot" and heads.endswith("exit")
    assert first.split()[:2] == ["r1", "agrees"] and first.endswith("0")
    assert second.split()[:2] == ["r2", "disagrees"] and "body1 mass 3 in A, 6 in B" in second and second[-1] == "1"
    assert (done.code, counts) == (1, "2 pairs: 1 the same, 1 not the same")
    assert run("compare", "--pairs", pairs("r1,one.mbsd,same.mbsd"), "--states", "2").code == 0


@pytest.mark.slow
def test_each_pair_is_told_as_it_is_done_where_no_terminal_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is read and once it is compared, on standard error alone, nothing of the inside; with --quiet nothing."""
    monkeypatch.setattr(fleet, "warm_up", lambda: tell("formalism", 1, 2, "lagrange"))
    words = ("compare", "--pairs", pairs("r1,one.mbsd,same.mbsd", "r2,one.mbsd,other.mbsd"), "--states", "2")
    told = [line.rpartition(": ") for line in run(*words, "--json").err.splitlines() if " of 2: " in line]
    assert [begun for begun, _, _ in told] == ["reading 1 of 2", "reading 2 of 2", "pair 1 of 2", "pair 2 of 2"]
    assert {name for _, _, name in told[:2]} == {name for _, _, name in told[2:]} == {"r1", "r2"}
    assert " of 2: " not in run(*words, "--quiet").err


@pytest.mark.slow
def test_what_is_no_pair_is_a_row_with_its_reason(run: Run) -> None:
    Path("bad.mbsd").write_text("z°30 i g [")
    rows = ["r,one.mbsd,same.mbsd", "gone,one.mbsd,gone.mbsd", "r,one.mbsd,same.mbsd", "none,one.mbsd,",
            "bad,bad.mbsd,one.mbsd", ",flat.mbsd,flat.mbsd", "more,one.mbsd,same.mbsd,x"]  # fmt: skip
    done = run("compare", "--pairs", pairs(*rows), "--states", "2", "--json")
    found = cells(done)
    assert done.code == 2 and found["r"][:2] == found["flat"][:2] == ("agrees", 0)
    refused = {name: cause for name, (verdict, code, cause) in found.items() if (verdict, code) == ("refused", 2)}
    assert {*refused} == {"gone", "r (2)", "none", "bad", "more"}
    said = {"gone": "gone.mbsd: No such file", "r (2)": "an earlier row is named r", "none": "line 5: b is empty",
            "bad": "bad.mbsd:1:", "more": "more cells"}  # fmt: skip
    assert all(words in refused[name].replace("error: ", "") for name, words in said.items()), refused


@pytest.mark.slow
def test_a_folder_or_a_name_of_no_file_is_a_row_whichever_side_it_is_on(run: Run) -> None:
    """A folder of models, an empty one, one with two files beside one text, a name that no system takes."""
    for folder in ("empty", "many", "x", "y"):
        Path(folder).mkdir()
    for file in ("many/one.mbsd", "many/same.mbsd", "x/r.mbsd", "y/r.mbsd", "y/r.mbs.mbsd"):
        Path(file).write_text(MODELS["one.mbsd"], encoding="utf-8")
    Path("y/r.urdf").write_text("<robot/>", encoding="utf-8")
    long = "x" * 300 + ".mbsd"
    wrong = {"empty": "empty: a folder", "many": "many: a folder", long: "File name too long", ".": ".: a folder"}
    rows = [f"{side}{n},{pair}" for n, name in enumerate(wrong)
            for side, pair in (("a", f"{name},one.mbsd"), ("b", f"one.mbsd,{name}"))]  # fmt: skip
    done = run("compare", "--pairs", pairs("r,one.mbsd,same.mbsd", *rows), "--states", "2", "--json")
    found = cells(done)
    assert done.code == 2 and found.pop("r")[:2] == ("agrees", 0) and len(found) == 8
    assert all(found[f"{side}{n}"][:2] == ("refused", 2) for n in range(4) for side in "ab")
    assert all(said in found[f"{side}{n}"][2] for n, said in enumerate(wrong.values()) for side in "ab"), found
    unnamed = run("compare", "--pairs", pairs("many,one.mbsd", ".,one.mbsd", heads="a,b"), "--json")
    assert {*cells(unnamed)} == {"many", "."}
    twice = cells(run("compare", "x", "y", "--json"))
    assert twice["r"][1] == 2 and "2 files are named r: y/r.mbsd, y/r.urdf" in twice["r"][2]


@pytest.mark.slow
def test_folders_are_paired_by_the_names_of_their_files(run: Run) -> None:
    for folder, names in {"x": ("p.mbsd", "q.tp.csv", "only.mbsd"), "y": ("p.mbs.json", "p.mbsd", "q.mbsd")}.items():
        Path(folder).mkdir()
        for name in names:
            assert run("convert", "one.mbsd", f"{folder}/{name}").code in (0, 1)
    Path("y/input.mbsd").write_text(MODELS["flat.mbsd"])
    done = run("compare", "x", "y", "--states", "2", "--json")
    found = cells(done)
    assert done.code == 2 and [*found] == ["input", "only", "p", "q"] and found["q"][0].startswith("agrees")
    assert "x has no input" in found["input"][2] and "y has no only" in found["only"][2]
    assert "2 files are named p: y/p.mbs.json, y/p.mbsd" in found["p"][2]


def test_two_folders_may_follow_the_option_of_a_table(run: Run) -> None:
    for folder, name in (("x", "one"), ("y", "other")):
        Path(folder).mkdir()
        Path(folder, f"{name}.mbsd").write_text(MODELS[f"{name}.mbsd"], encoding="utf-8")
    words = "x", "y", "--json"
    assert cells(run("compare", "--pairs", *words)) == cells(run("compare", *words)) != {}
    assert "found y, too" in run("compare", "--pairs", "x", "y", "--convert", "c {in} {out}").err


#: What a converter does -> what its row tells.
WRONG = {
    "sys.exit('no such joint')": "copy ends with exit code 1: no such joint",
    "os.kill(os.getpid(), signal.SIGSEGV)": "copy is ended by signal 11: it says nothing",
    "time.sleep(1000)": "copy took more than 1 s (give it more: --convert-seconds)",
    "sys.exit(0)": "copy wrote nothing, expected one.mbsd",
    "sys.argv[2] += '.new'": "copy wrote one.mbsd.new, expected one.mbsd",
    "open(sys.argv[1], 'a').write(' '); ": "copy changed one.mbsd, which it was to read",
    "open(sys.argv[2], 'w').write('z j ['); sys.exit(0)": "one.mbsd:1:",
    "open(sys.argv[2], 'w'); sys.exit(0)": "one.mbsd",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes with limits are those of POSIX")
@pytest.mark.parametrize("first", WRONG)
def test_a_converter_that_fails_is_a_row_with_its_reason(run: Run, first: str) -> None:
    hangs = "took more" in WRONG[first]
    words = ["--convert", converter(first), "--convert-seconds", "1" if hangs else "600"]
    words += [] if hangs else ["--convert", converter(name="honest")]
    done = run("compare", "one.mbsd", *words, "--states", "2", "--json")
    wrong, *others = done.json["pairs"]
    assert (wrong["converter"], wrong["verdict"], wrong["exit"], done.code) == ("copy", "refused", 2, 2)
    assert WRONG[first] in wrong["cause"]
    if "changed" not in WRONG[first]:
        assert all((c["converter"], c["verdict"], c["exit"]) == ("honest", "agrees", 0) for c in others)


#: What a converter says last -> what its row shows of it: no folder of this machine, however long its name.
SAID_LAST = {
    "sys.exit('cannot open ' + os.path.abspath(sys.argv[2]))": "cannot open one.mbsd",
    "sys.exit('cannot open file://' + os.path.abspath(sys.argv[1]))": "cannot open one.mbsd",
    "sys.exit('x' * 280 + ' ' + os.path.abspath(sys.argv[1]))": "x" * 280 + " one.mbsd",
    "sys.exit('y' * 290 + os.sep + 'tmp/' * 50)": "y" * 290 + "/tmp/tmp/t",
    "sys.exit('no link /robot/base at http://a.b/c')": "no link /robot/base at http://a.b/c",
    "sys.exit('z' * 400 + '\\nin ' + sys.executable + '\\n  ^^^^\\nno axis')": (
        f"in {Path(sys.executable).name} no axis"
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="processes with limits are those of POSIX")
@pytest.mark.parametrize("first", SAID_LAST)
def test_a_row_shows_no_folder_of_this_machine(run: Run, first: str) -> None:
    done = run("compare", "one.mbsd", "--convert", converter(first), "--json")
    assert done.json["pairs"][0]["cause"] == f"copy ends with exit code 1: {SAID_LAST[first]}"


@pytest.mark.slow
@pytest.mark.parametrize("name", [".one.mbsd", "..one.mbsd", "one.mbsd", "{out}.mbsd", "{in}{out}.mbsd"])
def test_what_another_run_wrote_is_not_compared(run: Run, name: str) -> None:
    Path(name).write_text(MODELS["one.mbsd"], encoding="utf-8")
    table = pairs(f"r,{name}", heads="robot,a")
    again = ("campaign", "compare", "--pairs", table, "--json", "--convert")
    assert run(*again, converter()).code == 0
    assert run(*again, converter("sys.exit()")).json["pairs"][0]["verdict"] == "refused"


def test_a_table_without_pairs_is_no_success(run: Run) -> None:
    done = run("compare", "--pairs", pairs())
    assert (done.code, "holds no pair" in done.err) == (2, True)


@pytest.mark.slow
def test_two_converters_are_a_matrix_on_every_page(run: Run) -> None:
    Path("in").mkdir()
    for name in ("one.mbsd", "flat.mbsd"):
        Path(name).rename(f"in/{name}")
    heavy = "text = open(sys.argv[1]).read().replace('$3', '$6'); open(sys.argv[2], 'w').write(text); sys.exit(0)"
    words = ("--convert", converter(), "--convert", converter(heavy, "heavy"), "--output", "rows", "--states", "2")
    done = run("campaign", "compare", "in", *words, "--report", "r.csv")
    assert done.code == 1 and "4 pairs: 3 the same, 1 not the same" in done.out
    rows = list(csv.DictReader(Path("r.csv").read_text().splitlines()))
    assert [(r["robot"], r["converter"], r["verdict"], r["exit"]) for r in rows] == [
        ("flat", "copy", "agrees", "0"), ("one", "copy", "agrees", "0"), ("flat", "heavy", "agrees", "0"),
        ("one", "heavy", "disagrees", "1"),
    ]  # fmt: skip
    for name in ("r.md", "r.html", "r.json"):
        assert run("campaign", "report", "rows", "--report", name).code == 1
    page, text = Path("r.html").read_text("utf-8"), Path("r.md").read_text("utf-8")
    assert "| one | agrees | disagrees, M 0.5 |" in text and "| heavy | 2 | 1 | 1 |" in text
    assert "Robots by converters" in page and "body1 mass" in page and "one by heavy: not the same machine" in page
    assert len(json.loads(Path("r.json").read_text())["pairs"]) == 4
    assert [p.read_text() for p in Path("rows/converted/heavy").glob("*/one.mbsd")] == ["z j-2 $6 g"]


def test_a_row_says_that_b_is_a(run: Run) -> None:
    cause = run("compare", "one.mbsd", "--convert", converter(), "--states", "2", "--json").json["pairs"][0]["cause"]
    assert cause == "copy wrote its input again, byte for byte"
    rows = ("r1,one.mbsd,one.mbsd", "r2,one.mbsd,same.mbsd")
    found = cells(run("compare", "--pairs", pairs(*rows), "--states", "2", "--json"))
    assert found == {"r1": ("agrees", 0, "A and B are one text, byte for byte"), "r2": ("agrees", 0, "")}


def test_two_campaigns_in_one_folder_share_no_file(run: Run) -> None:
    heavy = "text = open(sys.argv[1]).read().replace('$3', '$6'); open(sys.argv[2], 'w').write(text); sys.exit(0)"
    words = ("campaign", "compare", "--output", "rows", "--states", "2")
    assert run(*words, "one.mbsd", "--convert", converter()).code == 0
    assert run(*words, "flat.mbsd", "--convert", converter(heavy)).code == 0
    there = sorted(Path("rows/converted/copy").glob("*/*"))
    assert [file.read_text("utf-8") for file in sorted(there, key=lambda file: file.name)] == ["x k g", "z j-2 $3 g"]
    with working_alone(Path("rows")):
        refused = run(*words, "one.mbsd", "--convert", converter("open('ran', 'w')"))
    assert refused.code == 2 and "another campaign works in it" in refused.err and not Path("ran").exists()


#: A robot whose reader leaves an element out, and warns.
GUESSED = f"""<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>{
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
}</inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><guess/>
</joint></robot>"""


def test_a_row_names_what_the_readers_left_out_and_warn_of(run: Run) -> None:
    for name in ("a.urdf", "b.urdf"):
        Path(name).write_text(GUESSED, encoding="utf-8")
    alone = run("compare", "a.urdf", "b.urdf", "--states", "2")
    assert alone.code == 4 and all(f"{name}:1:" in alone.err for name in ("a.urdf", "b.urdf")), alone.err
    done = run("compare", "--pairs", pairs("r,a.urdf,b.urdf"), "--states", "2", "--json", "--report", "r.html")
    (row,) = done.json["pairs"]
    assert "left out: block/j; 2 warnings of the readers" in row["cause"]
    assert ["<guess> in <joint> is not known" in one for one in row["found"]["warnings"]] == [True, True]
    page = Path("r.html").read_text("utf-8")
    assert "left out: block/j: &lt;guess/&gt;" in page and "b.urdf:1:" in page
    accepted = run("compare", "a.urdf", "b.urdf", "--states", "2", "--report", "r.csv", "--accept-omissions", "block=1")
    assert accepted.code == 0 and "left out" not in Path("r.csv").read_text("utf-8")


def test_the_help_tells_where_the_exit_code_comes_from(run: Run) -> None:
    said = " ".join(str(command.__doc__).split())
    order = [f"{code} ({words})" for code, words in EXITS.items()]
    assert ", ".join(order) in said and f"or {INTERRUPTED}, where" in said
    page = " ".join((FIXTURES.parent / "docs/campaigns.md").read_text("utf-8").split())
    assert ", ".join(order) in page


@pytest.mark.slow
def test_names_of_robots_are_no_html(run: Run) -> None:
    assert run("compare", "--pairs", pairs("<b>|x,one.mbsd,same.mbsd"), "--states", "2", "--report", "r.html").code == 0
    assert "<b>" not in Path("r.html").read_text("utf-8")
    assert run("compare", "one.mbsd", "same.mbsd", "--states", "2", "--report", "r.md").code == 0
    assert "| one | agrees |" in Path("r.md").read_text("utf-8")


@pytest.mark.slow
def test_it_goes_on_here_and_on_a_cluster(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_worker, "children", lambda warm, seconds: Forks())
    rows = ("r1,one.mbsd,same.mbsd", "r2,one.mbsd,other.mbsd", "r3,flat.mbsd,flat.mbsd")
    honest, done = survey.survey, list[int]()

    def watch(corpus: Fleet, left: list[Any], jobs: int, cluster: Any) -> Any:
        done.append(len(left))
        return honest(corpus, left, jobs, Here(2) if len(done) == 1 else cluster)

    monkeypatch.setattr(fleet, "survey", watch)
    words = ("campaign", "compare", "--pairs", pairs(*rows), "--states", "2", "--jobs", "1")
    first = run(*words)
    assert first.code == 130 and "3 pairs: 1 the same, 1 not the same, 1 not compared yet" in first.out
    assert run(*words).code == 1 and run(*words).code == 1
    Path("flat.mbsd").write_text("x y k g")
    again = run(*words, "--json")
    assert done == [3, 1, 1] and [row["exit"] for row in again.json["pairs"]] == [0, 1, 0]
    assert run("campaign", "report", "compared").out == run(*words).out
    assert "holds a campaign with states 2" in run(*words[:-4], "--states", "3").err
    assert "is of no campaign over files" in run("campaign", "run", "one.mbsd", "--output", "compared").err


def _die(*_: Any, **asked: Any) -> Any:
    os.abort()


def _raise(*_: Any, **asked: Any) -> Any:
    raise ZeroDivisionError("nobody expected this")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "said"), [(_die, "ended by SIGABRT"), (_raise, "compare: ZeroDivisionError: nobody")]
)
def test_a_fault_of_the_program_is_a_row(run: Run, wrong: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fleet.compare
    monkeypatch.setattr(fleet, "compare", lambda a, b, r: (wrong if "flat" in a.file else honest)(a, b, r))
    rows = ("r1,one.mbsd,same.mbsd", "r2,flat.mbsd,flat.mbsd")
    done = run("compare", "--pairs", pairs(*rows), "--states", "2", "--json")
    assert done.code == 70 and cells(done)["r1"][:2] == ("agrees", 0)
    assert cells(done)["r2"][:2] == ("failed", 70) and said in cells(done)["r2"][2]


def test_a_pair_beyond_its_limits_is_not_told() -> None:
    assert fleet.Fleet.describe_failed(None, type("Pair", (), {"file": "r"}), "took more than 600 s") == {  # type: ignore[arg-type]
        "file": "r", "verdict": "not checked", "seconds": 0.0,
        "pair": json.dumps({"exit": 3, "cause": "took more than 600 s"}),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pairs", "gone.csv"], "--pairs: error: gone.csv: No such file"),
        (["--pairs", "one.mbsd"], "its columns are z j-2 $3 g, expected robot,a,b and converter"),
        (["one.mbsd", "--pairs", "pairs.csv"], "--pairs: error: found one.mbsd, too"),
        (["one.mbsd", "--convert", "copy {in}"], "--convert: error: found 'copy {in}' without {out}"),
        (["one.mbsd", "--convert", "copy '{in} {out}"], "No closing quotation"),
        (["one.mbsd", "same.mbsd", "--convert", "copy {in} {out}"], "found same.mbsd, too: it makes B of A"),
        (["one.mbsd", "--convert", "c {in} {out}", "--convert", "c {out} {in}"], "two of c, c have one name"),
        (["--pairs", "pairs.csv", "--report", "r.pdf"], "no table of pairs has this suffix"),
        (["--pairs", "pairs.csv", "--set", "L=2"], "--set: error: it is of one pair"),
        (["one.mbsd"], "the following arguments are required: B"),
        (["."], "the following arguments are required: B"),
        ([".", "one.mbsd"], ""),
    ],
)
def test_wrong_options_are_refused(run: Run, words: list[str], said: str) -> None:
    pairs("r,one.mbsd,same.mbsd")
    done = run("compare", *words)
    assert done.code == 2 and said in done.err
