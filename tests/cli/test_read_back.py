"""Correct runs whose tables, read back, hold what is hard to print: strange names, no numbers."""

from __future__ import annotations

import builtins
import cmath
import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from importlib import import_module
from itertools import product
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.api.mechanism import Mechanism
from mbconcord.cli.options import shared
from mbconcord.cli.options.shared import list_along
from mbconcord.cli.tables.expected import expect_described
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism, names
from mbconcord.model.kinematics import IN_SPEEDS
from mbconcord.simulation import keeping
from mbconcord.validation.judge.closed.closed_states import RemainingFreedom
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses import screen
from mbconcord.validation.witnesses.base import read_base
from mbconcord.validation.witnesses.screen import BESIDE, FOUR, _shows, read_json
from mbconcord.witnessed import SPEEDS

from .commands import Run, runner

run = pytest.fixture(runner)

LINK = """<link name="{}"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
ROBOT = f"""<robot name="r"><link name="base"/>{LINK}{LINK.format("tip")}
<joint name="{{}}" type="continuous"><parent link="base"/><child link="{{}}"/><axis xyz="0 1 0"/></joint>
<joint name="other" type="continuous"><parent link="{{}}"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>"""
NAMES = {
    "blanks around": ("  turn ", " arm  "),
    "a blank that is none of ASCII's": ("turn\u00a0", "\u2003arm"),
    "two lines": ("turn&#10;more", "arm&#13;&#10;more"),
    "a line end of Unicode": ("turn\u2028more", "arm\u0085more"),
    "signs of the line of units": ("turn, x in m; y", "arm; z in rad, energy in J"),
    "dashes": ("----", "-----"),
    "numbers": ("nan", "1"),
    "wide": ("\u8f6c", "a\u0301rm"),
}
COMMANDS = (
    "evaluate --quantity M,acceleration,pose(tip),jacobian(tip)",
    "info --base-parameters",
    "equilibrium",
    "linearize",
    "simulate --until 0.001",
    "simulate --until 0.001 --json",
)


@pytest.mark.parametrize(
    ("name", "command"), [*product(NAMES, COMMANDS), ("two lines", "evaluate --quantity joint_forces")]
)
def test_a_name_that_a_table_cannot_show_as_it_is_is_no_wrong_number(name: str, command: str, run: Run) -> None:
    joint, link = NAMES[name]
    Path("r.urdf").write_text(ROBOT.format(link, joint, link, link), encoding="utf-8")
    verb, *options = command.split()
    done = run(verb, "r.urdf", *options)
    assert done.code in (0, 3), done.out + done.err
    assert "do not trust" not in done.err and "expected" not in done.err + done.out


SPRUNG = """{"format": "mbconcord", "version": 1, "name": "m", "coordinates": [{"name": "x",
"drive": {"kind": "effort", "value": "-5*x - 3*x'"}}], "bodies": [{"name": "b", "parent": null,
"joint": [{"translation": "x", "coordinate": "x"}], "inertia": {"mass": 2, "tensor": [1, 1, 1, 0, 0, 0]}}]}"""


@pytest.mark.parametrize("given", [{}, {"a": {"x": 1.5}}])
def test_derivatives_beside_joint_forces_are_of_the_model_with_its_drives(given: dict[str, Any], run: Run) -> None:
    """A drive of the motion stands in place of its own if its acceleration is given: both were compared."""
    Path("m.mbs.json").write_text(SPRUNG, encoding="utf-8")
    Path("s.json").write_text(json.dumps({"q": {"x": 0.1}, "v": {"x": 0.2}, **given}), encoding="utf-8")
    done = run("evaluate", "m.mbs.json", "--state", "s.json", "--quantity", "dtau_dq,da_dv,joint_forces", "--json")
    assert done.code == 0, done.err
    shown = json.loads(done.out)
    assert (shown["dtau_dq"], shown["da_dv"]) == ([[5.0]], [[-1.5]])
    names = ["dtau_dq", "da_dv", "joint_forces"]
    found = mbconcord.evaluate(Path("m.mbs.json"), q=[0.1], v=[0.2], a=[1.5] if given else None, quantities=names)
    assert not [d for d in found.diagnostics if d.severity == "error"]
    assert found["dtau_dq"] == 5.0 and found["da_dv"] == -1.5


@pytest.mark.parametrize("held", ["crank", "slider"])
def test_what_is_held_beside_large_accelerations_keeps_their_rounding(held: str, run: Run) -> None:
    """Beside 1.5e8 rad/s² the held crank had 3e-9, which was called another acceleration than zero."""
    words = ("--hold", held, "--quantity", "acceleration", "--seed", "3", "--assemble")
    done = run("evaluate", str(folder() / "elastic/slider_crank.mbs.json"), *words)
    assert done.code == 0 and "do not trust" not in done.err, done.err


def test_applied_forces_without_a_drive_that_a_motion_replaces_say_so(run: Run) -> None:
    """-5*0.1 - 3*0.2 is the drive's own effort, 2*1.5 what the given acceleration needs."""
    Path("m.mbs.json").write_text(SPRUNG, encoding="utf-8")
    Path("s.json").write_text(json.dumps({"q": {"x": 0.1}, "v": {"x": 0.2}, "a": {"x": 1.5}}), encoding="utf-8")
    words, told = ("evaluate", "m.mbs.json", "--state", "s.json", "--json", "--quantity"), "effort has them"
    plain, moved = (run(*words, "applied,inverse_dynamics" + x).json for x in ("", ",joint_forces"))
    assert (plain["applied"], plain["inverse_dynamics"]) == (pytest.approx([-1.1]), pytest.approx([4.1]))
    assert (moved["applied"], moved["inverse_dynamics"]) == ([0.0], [3.0])
    assert [any(told in line for line in x["assumes"]) for x in (plain, moved)] == [False, True]


@pytest.fixture
def rooted() -> str:
    """Two bodies beside each other, of which a root of a negative number drives one."""
    model = Mechanism("rooted").body("a", mass=2, com=(1, 0, 0), inertia=(1, 1, 1)).turns("a", about="z")
    model = model.body("b", mass=1, com=(1, 0, 0), inertia=(1, 1, 1)).turns("b", about="z")
    mbconcord.convert(model.effort("root", "a", "sqrt(a - 1)").effort("spring", "b", "-b").build(), "rooted.mbs.json")
    return "rooted.mbs.json"


@pytest.mark.parametrize(
    ("quantities", "nulls"),
    [
        ("applied", ["a 0.0 0.0 null", "b 0.0 0.0 0.0"]),
        ("acceleration", ["a 0.0 0.0 null"]),
        ("dtau_dq,da_dq", ["a null 0.0"]),
        ("acceleration(a),jacobian(a)", ["x null", "y null", "z null"]),
        ("joint_forces", ["a fixed null null null null null null lagrange"]),
    ],
)
def test_what_has_no_number_is_null_and_bad_input(quantities: str, nulls: list[str], run: Run, rooted: str) -> None:
    done = run("evaluate", rooted, "--quantity", quantities)
    assert done.code == 2, done.out + done.err
    assert "it has no number at state 0" in done.err and "do not trust" not in done.err
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert all(any(line.startswith(row) for line in lines) for row in nulls), done.out
    assert "nan" not in done.out.partition("motion: ")[0]
    told = run("evaluate", rooted, "--quantity", quantities, "--json")
    assert told.code == 2 and json.loads(told.out)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("evaluate fixed.mbsd --quantity M,joint_forces,pose(a),jacobian(a)", 0),
        ("evaluate fixed.mbsd --quantity dtau_dq", 2),
        ("evaluate fixed.mbsd --quantity regressor", 2),
        ("simulate fixed.mbsd --until 0.01", 2),
    ],
)
def test_a_model_without_coordinates_has_tables_without_numbers(words: str, code: int, run: Run) -> None:
    Path("fixed.mbsd").write_text("i(0.5) $2 #a g-y", encoding="utf-8")
    done = run(*words.split())
    assert done.code == code, done.out + done.err
    assert code == 0 or "coordinates: error: the model has no coordinates" in done.err


def test_four_digits_of_a_size_and_of_its_angle_show_an_amplitude() -> None:
    """The largest error of both at once."""
    assert _shows("1∠174.1°", (cmath.rect(1.0004999, radians(174.05001)), FOUR))
    assert not _shows("1∠174.1°", (cmath.rect(1.0004999, radians(174.04)), FOUR))


ROOT = Path(str(folder()))
PRINTED = (
    "evaluate mbsd/double_pendulum.mbsd --seed 1",
    "evaluate mbsd/double_pendulum.mbsd --hold z1 --quantity joint_forces,regressor,da_dq,pose(body2),center_of_mass",
    "evaluate mbsd/double_pendulum.mbsd --hold z1 --actuated z2",
    "evaluate native/slider_crank.mbs.json --formalism konoplev",
    "evaluate native/slider_crank.mbs.json --formalism lagrange --quantity joint_forces",
    "evaluate mbsd/four_bar.mbsd --formalism telegin --drive z1=0.3,1,0",
    "assemble mbsd/four_bar.mbsd --others 1",
    "walk tp/quadruped.tp.csv --hull 30@0,0.05,0",
    "simulate native/slider_crank.mbs.json --until 0.002 --step-out 0.001 --quantity position(rod)",
)


def change_numbers(value: Any) -> Iterator[Any]:
    """Yield JSON with one number of the model changed, for each of them."""
    places = [*value] if isinstance(value, dict) else range(len(value))
    for place in places:
        inner = value[place]
        if place not in BESIDE and isinstance(inner, (dict, list)):
            for changed in change_numbers(inner):
                yield value | {place: changed} if isinstance(value, dict) else [
                    *value[:place], changed, *value[place + 1 :]
                ]  # fmt: skip
        elif isinstance(inner, (int, float)) and not isinstance(inner, bool):
            other = deepcopy(value)
            other[place] = inner + 1
            yield other


@pytest.mark.slow
@pytest.mark.parametrize("words", PRINTED)
def test_every_number_of_json_is_read_back(words: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by itself, changed in the text that was printed."""
    if words.startswith("simulate"):
        pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
    seen: list[tuple[str, str, Any]] = []
    read = screen.read_json
    verb, file, *options = words.split()

    def note(by: str, text: str, expected: Any) -> Comparison:
        seen.append((by, text, expected))
        return read(by, text, expected)

    for module in (screen, import_module(f"mbconcord.cli.{verb}")):
        monkeypatch.setattr(module, "read_json", note, raising=False)
    done = run(verb, str(ROOT / file), *options, "--json")
    assert done.code in (0, 3), done.err
    ((by, text, expected),) = seen
    assert text == done.out.strip() and read(by, text, expected).verdict == "agrees"
    changed = [*change_numbers(json.loads(text))]
    silent = [other for other in changed if read(by, json.dumps(other), expected).verdict != "disagrees"]
    assert len(changed) > 10 and silent == []


BRICARD, DRIVEN = "overconstrained/bricard.mbs.json", "mbsd/four_bar.mbsd"


@pytest.mark.parametrize("change", [lambda R: R[1:], lambda R: (*R, R[2])])
def test_assemble_says_so_of_rows_too_few_or_too_many(change: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = import_module("mbconcord.simulation.rows")
    honest = rows.half_angles
    assert run("assemble", str(ROOT / BRICARD)).code == 0
    monkeypatch.setattr(rows, "half_angles", lambda R: change(honest(R)))
    done = run("assemble", str(ROOT / BRICARD))
    assert done.code == 1 and "rows by assemble, 6 to 6 by own rows" in done.err


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize("change", ["itself", "exchanged", "nobody"])
def test_a_linkage_says_so_where_no_other_witness_judged_it(
    change: str, options: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    linkages = import_module("mbconcord.api.linkages")
    honest = linkages._compare

    def compare(*given: Any) -> list[Comparison]:
        found = honest(*given)
        other = {"itself": lambda c: replace(c, b=c.a), "exchanged": lambda c: replace(c, b=c.quantity, quantity=c.b)}
        return [other[change](c) for c in found] if change in other else []

    monkeypatch.setattr(linkages, "_compare", compare)
    done = run("evaluate", str(ROOT / DRIVEN), "--formalism", "telegin", "--drive", "z1=0.3,1,0", *options)
    assert done.code == 1 and "drives and witnesses; " in done.err


def test_text_of_a_closed_machine_without_masses_is_read_back(tmp_path: Path, run: Run) -> None:
    """Multipliers that nothing decides are printed as null, row by row."""
    made = Mechanism("bars").body("crank").turns("a", about="z", start=0.9)
    made.body("coupler", on="crank").shift(x=0.1).turns("b", about="z", start=-0.5)
    made.body("rocker").shift(x=0.3).turns("c", about="z", start=1.6)
    made.pin("p", ("coupler", (0.3, 0, 0)), ("rocker", (0.25, 0, 0)))
    mbconcord.convert(made.build(physics="ignore"), tmp_path / "bars.mbs.json")
    done = run("evaluate", str(tmp_path / "bars.mbs.json"))
    assert done.code == 2 and "no inertia" in done.err and "do not trust" not in done.err
    assert "lambda" in done.out and "internal error" not in done.err


def test_json_of_a_model_is_read_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of bodies, of freedom, of base parameters and of their sums in words."""
    model = str(folder() / "native/slider_crank.mbs.json")
    command = ("info", model, "--base-parameters", "--json")
    done = run(*command)
    assert done.code == 0 and not done.err
    honest = json.loads(done.out)
    info = import_module("mbconcord.cli.info")
    found, free = mbconcord.base_parameters(model), RemainingFreedom(**honest["freedom"])
    system = mbconcord.read(model).system
    obstacles = {name: formalism(name).constraint_obstacles(system) for name in names()}
    expected = expect_described(system, free, found, obstacles)

    def is_told(told: Any) -> bool:
        read = read_json("info", json.dumps(told), expected), read_base(found, told["base_parameters"]["base"])
        return any(c.verdict == "disagrees" for c in read)

    assert not is_told(honest)
    for path, wrong in {
        "bodies 0 mass": "1.2", "bodies 1 centre 1": "-0.02", "bodies 2 depth": 1, "coordinates 0 velocity": "2",
        "gravity direction 1": "1", "freedom rank": 3, "freedom degrees": 2, "base_parameters rank": 8,
        "base_parameters parameters": 20, "base_parameters base 0 parameter": "crank.Jyy",
        "base_parameters base 0 added rod.m": "9/10", "base_parameters base 3 text": "rod.Jzz - 0.64 piston.m",
        "formalisms 1 takes": False, "formalisms 3 notes 0": "none", "base_parameters base 2 text": "crank.mz",
        "base_parameters base 1 text": "crank.mx + 0.3 rod.m",
    }.items():  # fmt: skip
        told = deepcopy(honest)
        *way, last = [int(x) if x.isdecimal() else x for x in path.split()]
        at = told
        for step in way:
            at = at[step]
        assert at[last] != wrong, path
        at[last] = wrong
        assert is_told(told), path
    monkeypatch.setattr(info, "with_evidence", lambda *_: told)
    done = run(*command)
    assert done.code == 1 and "info: error: printed JSON; base parameters: found 'crank.mx + 0.3 rod.m'" in done.err


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (" 1.1   centre", " 1.2   centre"), ("(0.35, 0.02, 0)", "(0.35, 0.03, 0)"), ("J (0.002, 0.05, 0.05)", "point"),
        ("piston      rad", "piston      m"), ("0.8844445033813321", "-0.8844445033813321"),
        ("rod         ", "rid         "), ("by newton_euler\n  crank", "by\n  crank"),
        ("9.81 along (0, -1, 0)", "9.81 along (0, 1, 0)"), ("3 bodies, 3", "2 bodies, 3"), ("freedom: 1", "freedom: 2"),
        ("rank 2 of 5", "rank 3 of 5"), ("of 5 rows", "of 6 rows"), ("9 of 30", "8 of 30"),
        ("+ 0.64 piston.m", "- 0.64 piston.m"), ("  piston.my\n", ""), ("on crank.m, crank.mz", "on crank.mz"),
    ],
)  # fmt: skip
def test_text_of_a_model_is_read_back(right: str, wrong: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Masses, initial values, gravity, freedom and base parameters, each changed where it is printed."""
    description = import_module("mbconcord.reports.description")
    honest = description.text

    def change(facts: Any) -> str:
        text = str(honest(facts))
        assert right in text, text
        return text.replace(right, wrong)

    monkeypatch.setattr(description, "text", change)
    done = run("info", str(folder() / "native/slider_crank.mbs.json"), "--base-parameters")
    assert done.code == 1 and "info: error: printed text; found no " in done.err, done.out


HEAD = {"system": "four_bar", "formalism": "telegin", "t": 0.0, "method": "dop853", "tolerance": 1e-9, "reached": 0.02}


@pytest.mark.parametrize("changed", [{}, {"t": 1e-9}, {"method": "rk4"}, {"tolerance": 1e-8}, {"reached": 0.01},
                                     {"system": "four"}, {"formalism": "lagrange"}])  # fmt: skip
def test_a_head_names_what_was_asked_for(changed: dict[str, Any]) -> None:
    """A form of a formalism is no part of its name, and what was not asked for may be anything."""
    asked = HEAD | {"formalism": "telegin:rud"}
    verdict = "disagrees" if changed else "agrees"
    assert screen.read_head("telegin", asked, HEAD | changed).verdict == verdict
    assert screen.read_head("telegin", dict.fromkeys(asked), HEAD | changed).verdict == "agrees"


@pytest.mark.parametrize(
    ("quantities", "fields"), [((), ["files"]), (("M", "u"), ["files", SPEEDS]), (("u", "M_u"), [SPEEDS])]
)
@pytest.mark.parametrize(("name", "wrong"), [("all", lambda _: True), ("any", lambda _: False), ("", None)])
def test_a_head_without_an_assumption_of_a_quantity_is_refused(
    quantities: tuple[str, ...], fields: list[str], name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list_along("files", quantities) == fields
    if name:
        monkeypatch.setattr(shared, name, wrong, raising=False)
        if wrong(()) != getattr(builtins, name)(x in IN_SPEEDS for x in quantities) and quantities:
            with pytest.raises(ValueError, match="the head of "):
                list_along("files", quantities)


@pytest.mark.parametrize("words", ["simulate --until 0.02", "linearize --time 0.5", "equilibrium --time 0.5"])
def test_a_form_of_a_formalism_is_what_was_asked_for(words: str, run: Run) -> None:
    if words.startswith("simulate"):
        pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
    verb, *options = words.split()
    done = run(verb, str(ROOT / DRIVEN), *options, "--formalism", "telegin:rud")
    assert done.code in (0, 3) and "asked for" not in done.out + done.err, done.out + done.err


def test_a_state_that_is_not_the_nearest_is_named(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another branch than the one beside the given state closes, too: own rows find the nearer one."""
    (tmp_path / "bent.json").write_text('{"q": {"z1": 0.3}}')
    command = ("assemble", str(folder() / "mbsd/four_bar.mbsd"), "--state", str(tmp_path / "bent.json"))
    assert "nearest" not in run(*command).err
    solve = keeping.solve
    monkeypatch.setattr(keeping, "solve", lambda at, q, *rest: solve(at, np.add(q, [0, 0, 3, 0]), *rest))
    done = run(*command)
    assert done.code == 0 and "warning: not the nearest: at distance 0.747198, not 4.38462" in done.err
    assert "own rows close too: z2 = -0.3, z3 = 0.3 (" in done.err
