"""The plugin in runs of pytest: what is collected, what fails and how, and what is wrong with a project."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from importlib import import_module
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path
from shutil import copytree
from xml.etree import ElementTree

import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.fixtures import folder as fixtures
from mbconcord.model.omission import Omission
from mbconcord.validation.claims import DEFAULT
from mbconcord.witnessed import CONSTRAINTS, find_rows

pytest_plugins = ["pytester"]

PENDULUM = "z(q) j-0.5 $2 [0.6,0.1,0.6] {0,-0.1,0} #bob ; g9.81-y\n"
TWO = 'formalisms = ["lagrange", "newton_euler"]'
ITEMS = ["agreement", *DEFAULT]


@pytest.fixture(autouse=True, scope="module")
def everything_is_imported() -> None:
    """A run within this process forgets modules that were first imported in it, so that each run would again."""
    import_module("mbconcord.pytest_plugin.collecting")
    for text in (PENDULUM, PENDULUM.replace("-y", "y")):
        mbconcord.check(mbconcord.read(text=text, format="mbsd"), states=2)


def models(pytester: pytest.Pytester, **texts: str) -> Path:
    folder = pytester.mkdir("models")
    for name, text in texts.items():
        folder.joinpath(f"{name}.mbsd").write_text(text, encoding="utf-8")
    return folder


def project(pytester: pytest.Pytester, *lines: str) -> None:
    """A project of this table; its models are checked by two formalisms, which is quick, unless it says by which."""
    two = () if any("formalisms" in line for line in lines) else (TWO,)
    pytester.makepyprojecttoml("\n".join(("[tool.mbconcord]", *two, *lines)))


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-rsfE", *arguments)


def test_every_model_has_an_item_for_each_claim(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM, two="zi>zig")
    found = run(pytester, "--mbconcord", "models", "--collect-only", "-q")
    ids = [line for line in found.outlines if "::" in line]
    assert ids == [f"models/{name}.mbsd::{item}" for name in ("one", "two") for item in ITEMS]


def test_models_of_the_project_are_checked_beside_its_tests(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM)
    pytester.makepyfile(test_own="def test_own(): pass")
    project(pytester, 'models = ["models"]', 'claims = ["kinetic_energy"]', "states = 2")
    found = run(pytester)
    found.assert_outcomes(passed=3)
    found.stdout.fnmatch_lines(["mbconcord: models: models"])
    run(pytester, "test_own.py").assert_outcomes(passed=1)
    run(pytester, "models/one.mbsd::kinetic_energy").assert_outcomes(passed=1)


def test_without_being_asked_nothing_is_collected(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM)
    pytester.makepyfile(test_own="def test_own(): pass")
    run(pytester).assert_outcomes(passed=1)


def test_a_model_that_does_not_read_is_one_failing_item(pytester: pytest.Pytester) -> None:
    models(pytester, bad="z(", good=PENDULUM)
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = run(pytester)
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["models/bad.mbsd:1:2: error: *expected*", "FAILED models/bad.mbsd::reads*"])
    assert "Traceback" not in found.stdout.str()


def test_what_is_not_checked_fails_with_the_command(pytester: pytest.Pytester) -> None:
    models(pytester, light="zi > zi0 $0 g")
    project(pytester, 'models = ["models"]', "claims = []", "states = 3", "seed = 7")
    found = run(pytester)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([
        "*acceleration: the mass matrix is singular*",
        "*reproduce: mbconcord check models/light.mbsd *--states 3 --seed 7*",
    ])  # fmt: skip


#: What a formalism of another package does, and what is said of it.
WRONG = [
    ("raise ValueError('half done')", "*ValueError: half done*"),
    (
        "own = registry.formalism('lagrange').derive(system); "
        "return replace(own, formalism='theirs', quantities={**own.quantities, 'h': (0.5,)})",
        "*FormalismError: theirs/h: * of a float *",
    ),
    (
        "own = registry.formalism('lagrange').derive(system); "
        "minus = (-own.quantities['gravity'][0],); "
        "return replace(own, formalism='theirs', quantities={**own.quantities, 'gravity': minus})",
        "*gravity?q?: lagrange and theirs disagree*",
    ),
    ("return registry.formalism('lagrange').derive(system)", "*theirs: *it derives as 'lagrange'*"),
]


@pytest.mark.parametrize(("does", "said"), WRONG)
def test_a_formalism_of_another_package_that_is_wrong_is_named(pytester: pytest.Pytester, does: str, said: str) -> None:
    models(pytester, one=PENDULUM)
    pytester.makeconftest(
        textwrap.dedent(f"""
        from dataclasses import replace
        from mbconcord.formalisms import registry
        from mbconcord.formalisms.interface import Formalism

        class Theirs(Formalism):
            name, title, reference = "theirs", "Theirs", "none"
            def obstacles(self, system): return ()
            def derive(self, system): {does}

        def pytest_configure(config):
            real = registry.formalism
            config.real = real, registry.names
            names = (*registry.names(), "theirs")
            registry.formalism = lambda name: Theirs() if name == "theirs" else real(name)
            registry.names = lambda: names

        def pytest_unconfigure(config):
            registry.formalism, registry.names = config.real
        """)
    )
    asked = 'formalisms = ["lagrange", "newton_euler", "theirs"]'
    project(pytester, 'models = ["models"]', "claims = []", "states = 2", asked)
    found = run(pytester)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([said])


# --- baselines and catalogs --------------------------------------------------------------------------


def test_a_changed_model_fails_its_baseline(pytester: pytest.Pytester) -> None:
    folder = models(pytester, one=PENDULUM, two=PENDULUM)
    main(["baseline", "save", "models"])
    folder.joinpath("one.mbsd").write_text(PENDULUM.replace("-y", "y"), encoding="utf-8")
    folder.joinpath("three.mbsd").write_text(PENDULUM, encoding="utf-8")
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = run(pytester)
    found.assert_outcomes(passed=4, failed=2)
    found.stdout.fnmatch_lines([
        "mbconcord: models: models; baseline: mbconcord-baseline.toml",
        "models/one.mbsd: changed: gravity, inverse_dynamics, acceleration",
        "why: the model equals the baseline when gravity *",
        "where that is meant: mbconcord baseline save models/one.mbsd --output mbconcord-baseline.toml",
        "*models/three.mbsd: mbconcord-baseline.toml has no baseline of it (save it: mbconcord baseline save *",
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "*none.toml: error: there is no such file of baselines (write it: mbconcord baseline save *)*"),
        ("format = 1", "*none.toml:1:1: error: no file of baselines*(take the file from the history*"),
    ],
)
def test_a_file_of_baselines_that_is_missing_or_damaged(pytester: pytest.Pytester, text: str | None, said: str) -> None:
    models(pytester, one=PENDULUM)
    if text is not None:
        Path("none.toml").write_text(text, encoding="utf-8")
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = run(pytester, "--mbconcord-baseline", "none.toml")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines([said])


def test_a_baseline_of_another_prime_is_a_warning(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM)
    main(["baseline", "save", "models", "-q"])
    file = Path("mbconcord-baseline.toml")
    file.write_text(file.read_text("utf-8").replace('prime = "9', 'prime = "8'), encoding="utf-8")
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = run(pytester)
    found.assert_outcomes(passed=2)  # pytest itself warns of what an editable install has imported before
    found.stdout.fnmatch_lines(["*models/one.mbsd: saved with another prime or format: compared by digits*"])


def test_a_catalog_is_an_item_of_its_own(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM, light="zi > zi0 $0 g")
    Path("catalog.toml").write_text(
        '[witnesses.some]\nM = ["lagrange", "newton_euler"]\n'
        '[[model]]\nfile = "models/one.mbsd"\nwitnesses = ["some"]\nzero = ["h", "applied"]\n'
        '[[model]]\nfile = "models/light.mbsd"\nwitnesses = ["some"]\n',
        encoding="utf-8",
    )
    project(pytester, 'models = ["models"]', "claims = []", "states = 2", 'expect = "catalog.toml"')
    found = run(pytester)
    found.assert_outcomes(passed=2, failed=1, skipped=1)
    found.stdout.fnmatch_lines(["*models/light.mbsd/verdict: not checked, expected agrees*", "SKIPPED*catalog says*"])


def test_what_is_left_out_fails_until_it_is_accepted(pytester: pytest.Pytester) -> None:
    urdf = (
        '<robot name="r"><link name="a"/><joint name="j" type="planar"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 1 0"/><limit effort="1" velocity="1"/><dynamics friction="2"/></joint><link name="b"><inertial>'
        '<mass value="1"/><origin xyz="1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        "</link></robot>"
    )
    pytester.mkdir("models").joinpath("r.urdf").write_text(urdf, encoding="utf-8")
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = run(pytester)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*to accept: in pyproject.toml * = { joint-friction = 1 })*"])
    project(
        pytester, 'models = ["models"]', "claims = []", "states = 2",
        "[tool.mbconcord.accept-omissions]", '"models/r.urdf" = { joint-friction = 1 }',
    )  # fmt: skip
    run(pytester).assert_outcomes(passed=1)


# --- witnesses that are no formalisms ------------------------------------------------------------------

DOUBLE = fixtures() / "um_equations" / "double_pendulum"


def test_witnesses_of_a_model_are_items_of_their_own(pytester: pytest.Pytester) -> None:
    folder = models(pytester, one="z(q1) i(l) $(m) g ; l=2, m=3", two=PENDULUM)
    mine = folder / "mine.py"
    mine.write_text("from numpy import cos\ndef f(q, u, l, m):\n    return [[m*l**2]], [-m*9.81*l*cos(q[0])]\n")
    wrong = folder / "wrong.py"
    wrong.write_text(mine.read_text("utf-8").replace("[-m", "[m"), encoding="utf-8")
    project(
        pytester, 'models = ["models"]', "claims = []", "states = 2", "[tool.mbconcord.against]",
        '"models/one.mbsd" = ["python:models/mine.py:f", "python:models/wrong.py:f", "python:models/none.py:f"]',
    )  # fmt: skip
    found = run(pytester, "--junitxml", "j.xml")
    found.assert_outcomes(passed=3, failed=2)
    found.stdout.fnmatch_lines(["mbconcord: models: models; against: python:models/mine.py:f, *"])
    cases = {(case.get("classname"), case.get("name")): case for case in ElementTree.parse("j.xml").iter("testcase")}
    own = {name: case for (model, name), case in cases.items() if model == "models.one.mbsd"}
    assert [*own] == ["agreement", *(f"against python:models/{name}.py:f" for name in ("mine", "wrong", "none"))]
    assert [case.find("failure") is not None for case in own.values()] == [False, False, True, True]
    (headline,) = (p.get("value") for p in own["against python:models/mine.py:f"].iter("property")
                   if p.get("name") == "mbconcord")  # fmt: skip
    assert (headline or "").startswith("agrees")
    said = found.stdout.str()
    assert "check models/one.mbsd" in said and "--against python:models/wrong.py:f" in said
    assert "models/none.py" in said and "Traceback" not in said


def test_equations_of_um_are_an_item(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = models(pytester, two="zi > zig")
    copytree(DOUBLE, folder.parent / "generated" / "two")
    project(
        pytester, 'models = ["models"]', "claims = []", "states = 2",
        "[tool.mbconcord.against]", '"models/two.mbsd" = "um:generated/two"',
    )  # fmt: skip
    run(pytester).assert_outcomes(passed=2)
    monkeypatch.chdir("models")  # paths are those of the project wherever pytest is started
    run(pytester, "--rootdir", "..", "--mbconcord", "two.mbsd").assert_outcomes(passed=2)


# --- what is wrong with a project ----------------------------------------------------------------------


AGAINST = ['models = ["m.mbsd"]', "[tool.mbconcord.against]"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['models = ["nowhere"]'], "*nowhere: there is no such model file or folder of models*"),
        (['models = ["empty"]'], "*empty: no model files in this folder (known: *"),
        (['models = "empty"'], "*pyproject.toml:3:1: error: models is 'empty', expected a list of strings*"),
        (['models = ["m.mbsd"]', 'claim = ["all"]'], "*unknown key 'claim'*did you mean 'claims'*"),
        (['models = ["m.mbsd"]', "states = 0"], "*states is 0, expected a whole number from 1*"),
        (['models = ["m.mbsd"]', 'claims = ["kinetc_energy"]'], "*no claim 'kinetc_energy'*kinetic_energy*"),
        (['models = ["m.mbsd"]', 'formalisms = ["lagrnge"]'], "*lagrnge*lagrange*"),
        (["models = ["], "*pyproject.toml*"),
        (['models = ["m.mbsd"]', "[tool.mbconcord.againts]"], "*unknown key 'againts'*did you mean 'against'*"),
        (['models = ["m.mbsd"]', 'against = "um:x"'], "*against* is str 'um:x', expected a table*um:generated/model*"),
        ([*AGAINST, '"m.mbsd" = 3'], "*pyproject.toml:5:2: error: the witnesses of 'm.mbsd' are 3, expected a string*"),
        ([*AGAINST, '"m.mbsd" = []'], "*the witnesses of 'm.mbsd' are [[][]], expected a string*"),
        ([*AGAINST, '"n.mbsd" = "um:x"'], "*against] 'n.mbsd'*there is no such model file*"),
        ([*AGAINST, '"x.mbsd" = "um:x"'], "*against] 'x.mbsd'*it is none of the models that are checked*models = *"),
        ([*AGAINST[1:], '"m.mbsd" = "um:x"'], "*against] 'm.mbsd'*it is none of the models that are checked*"),
        ([*AGAINST, '"m.mbsd" = "un:x"'], "*against] 'm.mbsd'*found the witness 'un:x'*expected um:PATH, *mujoco*"),
        ([*AGAINST, '"m.mbsd" = "mujocco"'], "*against] 'm.mbsd'*found the witness 'mujocco'*mujoco*"),
        ([*AGAINST, '"m.mbsd" = "fmu:x.fmu"'], "*an FMU is a program, and is not run here*allow_binary=True*"),
    ],
)
def test_a_wrong_project_is_told(pytester: pytest.Pytester, lines: list[str], said: str) -> None:
    pytester.mkdir("empty")
    for name in ("m.mbsd", "x.mbsd"):
        Path(name).write_text(PENDULUM, encoding="utf-8")
    project(pytester, *lines)
    found = run(pytester)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines([said])


def test_an_option_with_a_path_that_is_not_there(pytester: pytest.Pytester) -> None:
    found = run(pytester, "--mbconcord", "nowhere")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*nowhere: there is no such model file or folder of models"])


# --- other plugins, and none ---------------------------------------------------------------------------


@pytest.mark.rest
@pytest.mark.slow
def test_in_several_processes_and_as_junit(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM, bad="z(")
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = pytester.runpytest_subprocess("-n", "2", "--junitxml", "j.xml", "-p", "no:cacheprovider")
    found.assert_outcomes(passed=1, failed=1)
    text = Path("j.xml").read_text("utf-8")
    assert '<testcase classname="models.one.mbsd" name="agreement"' in text
    assert 'name="mbconcord" value="agrees"' in text
    assert "expected &#x27;)&#x27;" in text or "expected ')'" in text


def test_items_and_failures_say_under_which_assumptions_their_numbers_hold(pytester: pytest.Pytester) -> None:
    tied = (fixtures() / "mbsd" / "four_bar.mbsd").read_text("utf-8")
    folder = models(pytester, one=PENDULUM, tied=tied, light="zi > zi0 $0 g")
    main(["baseline", "save", "models", "-q"])
    folder.joinpath("one.mbsd").write_text(PENDULUM.replace("-y", "y"), encoding="utf-8")
    project(pytester, 'models = ["models"]', 'claims = ["kinetic_energy"]', "states = 2")
    found = run(pytester, "--junitxml", "j.xml")
    said = {
        (case.get("classname", "").split(".")[1], case.get("name")): {
            p.get("value") for p in case.iter("property") if p.get("name") == "assumes"
        }
        for case in ElementTree.parse("j.xml").iter("testcase")
    }
    rows = {verb: {f: row.assumes for f in ("quantity", "digits", CONSTRAINTS) for row in find_rows(verb, f)}
            for verb in ("check", "baseline")}  # fmt: skip
    assert said.keys() == {*product(("one", "tied", "light"), ("agreement", "kinetic_energy", "baseline"))}
    for (model, item), sentences in said.items():
        of = rows["baseline" if item == "baseline" else "check"]
        assert sentences == {words for field, words in of.items() if model == "tied" or field != CONSTRAINTS}
    # of light, which is not checked, and of one, whose equations have changed
    shown = found.stdout.str().partition("short test summary")[0]
    assert (shown.count(rows["check"]["quantity"]), shown.count(rows["baseline"]["digits"])) == (1, 1)


@pytest.mark.slow
def test_a_model_is_checked_by_one_process(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM, two=PENDULUM.replace("$2", "$3"))
    pytester.makepyfile(test_own="import pytest\n@pytest.mark.parametrize('i', range(8))\ndef test_own(i): pass")
    pytester.makeconftest(
        "def pytest_runtest_logreport(report):\n"
        "    if report.when == 'call' and hasattr(report, 'node'):\n"
        "        print(f'\\nran {report.nodeid} in {report.node.gateway.id}')\n"
    )
    project(pytester, 'models = ["models"]', 'claims = ["kinetic_energy", "fields"]', "states = 2")
    found = pytester.runpytest_subprocess("-n", "2", "-s", "-p", "no:cacheprovider")
    found.assert_outcomes(passed=14)
    by = dict(re.findall(r"^ran (\S+) in (\w+)", found.stdout.str(), re.MULTILINE))
    workers = [{worker for item, worker in by.items() if f"{name}.mbsd" in item} for name in ("one", "two")]
    assert len(by) == 14 and list(map(len, workers)) == [1, 1] and workers[0] != workers[1]


def test_it_can_be_left_out(pytester: pytest.Pytester) -> None:
    models(pytester, one=PENDULUM)
    project(pytester, 'models = ["models"]')
    pytester.makepyfile(test_own="def test_own(): pass")
    run(pytester, "-p", "no:mbconcord").assert_outcomes(passed=1)


def test_the_entry_point_is_the_module_that_imports_nothing() -> None:
    (point,) = (p for p in entry_points(group="pytest11") if p.name == "mbconcord")
    assert point.value == "mbconcord.pytest_plugin"
    code = (
        "import sys, importlib; before = set(sys.modules); importlib.import_module('mbconcord.pytest_plugin');"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    new = {name for name in done.stdout.split() if not name.startswith("__editable__")}
    assert {name for name in new if "mbconcord" in name} == {"mbconcord", "mbconcord.pytest_plugin"}
    assert not {"numpy", "tomllib", "dataclasses", "pandas", "sympy"} & new


@pytest.mark.parametrize(
    "lines",
    [
        ("[tool.mbconcord.accept-omissions]", '"models/one.mbsd" = "attribute=4"'),
        ("[tool.mbconcord.accept-omissions]", '"models/one.mbsd" = { atribute = 4 }'),
        ("[tool.mbconcord.against]", '"models/one.mbsd" = "um"'),
        ("[tool.mbconcord.against]", '"models/none.mbsd" = "um:x"'),
        ("statess = 2",), ('baseline = "none.toml"',), ('expect = "none.toml"',),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_settings_are_a_usage_error_once(pytester: pytest.Pytester, lines: tuple[str, ...]) -> None:
    models(pytester, one=PENDULUM, two=PENDULUM)
    project(pytester, 'models = ["models"]', *lines)
    found = run(pytester)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert found.stdout.str().count("one.mbsd::") == 0 and "Traceback" not in found.stderr.str()


def test_what_is_printed_to_accept_is_taken_by_the_project(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("models")
    system = mbconcord.read(text=PENDULUM, format="mbsd").system
    left_out = replace(system, omissions=(Omission("contact/foot", "contact", "a foot", "forces"),))
    folder.joinpath("one.mbs.json").write_text(mbconcord.write(left_out, "native").text, encoding="utf-8")
    project(pytester, 'models = ["models"]', "claims = []", "states = 2")
    found = run(pytester)
    found.assert_outcomes(failed=1)
    said = re.search(r"to accept: in pyproject.toml (\[.*\]) (.*)\)", found.stdout.str())
    assert said and "--accept-omissions" not in found.stdout.str()
    project(pytester, 'models = ["models"]', "claims = []", "states = 2", *said.groups())
    run(pytester).assert_outcomes(passed=1)
