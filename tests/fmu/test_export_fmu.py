"""``mbconcord export MODEL out.fmu``: what is in the archive, what is refused, hostile names and machines."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import mbconcord as mb
from mbconcord.api.exporting import fmu
from mbconcord.kernels.fmu import description
from mbconcord.model import Body, Coordinate, Gravity, Inertia, Parameter, System
from mbconcord.model.expressions import symbol
from mbconcord.model.omission import Omission
from mbconcord.model.transformation import AXES, Mapped, Variable, rotation, translation

from ..cli.commands import Run, runner
from ..hostile.test_names import NAMES
from ..kernels.compiler import COMPILER, STRICT, needs_compiler

BY = ("--formalism", "newton_euler")
KINDS = {"ModelExchange", "CoSimulation"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def members(path: str | Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def described(path: str | Path) -> ElementTree.Element:
    return ElementTree.fromstring(members(path)["modelDescription.xml"])


def named(words: tuple[str, ...]) -> System:
    """A tree in which every word is in the name of a coordinate and is that of a parameter."""
    names = [f"{word}{i}" for i, word in enumerate(words)]
    x, y, z = AXES["y"]
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i % 2 else None,
             (rotation("x", Variable(f"{word}q")), translation("y", symbol(name))), Inertia(symbol(f"{word}m")))
        for i, (word, name) in enumerate(zip(words, names, strict=True))
    ]  # fmt: skip
    parameters = [Parameter(p, 2) for word, name in zip(words, names, strict=True) for p in (name, f"{word}m")]
    return System(
        words[0], tuple(Coordinate(f"{word}q") for word in words), tuple(parameters), (),
        Gravity(9.81, (-x, -y, -z)), tuple(bodies),
    )  # fmt: skip


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "convention"),
    [
        (('a"b', "<b>&amp;", "a.b", "a b", "\\", "?", "for", "double", "der(x)", "x[1]", "_", "time"), "structured"),
        (("é", "数", "int", "\u202e", "a\nb", "a\\x0ab", "x\0y", "\x1b[31m", *NAMES[:12]), "flat"),
    ],
    ids=["structured", "flat"],
)  # fmt: skip
def test_hostile_names(tmp_path: Path, words: tuple[str, ...], convention: str) -> None:
    for version in (2, 3):
        found = mb.export(named(words), tmp_path / "hostile.fmu", fmi=version, formalism="lagrange")
        assert "are right" in found.witness.message
        root = described(tmp_path / "hostile.fmu")
        variables = root.find("ModelVariables")
        assert variables is not None and root.attrib["variableNamingConvention"] == convention
        names = [v.attrib["name"] for v in variables]
        assert len({*names}) == len(names) == 1 + 5 * len(words) + 2 * len(words) + 2
        if convention == "structured":
            assert {"q.'a\\\"bq'", "der(v.'a.bq')", "effort.'<b>&amp;q'", "parameter.doublem"} <= {*names}
        else:
            assert {"q.éq", "effort.\u202eq"} <= {*names}
        try:
            from fmpy.validation import validate_fmu
        except ImportError:
            continue  # FMPy is not installed: the names are looked at above
        assert validate_fmu(str(tmp_path / "hostile.fmu")) == []


@pytest.mark.slow
@needs_compiler
def test_the_archive(run: Run, tmp_path: Path) -> None:
    done = run("export", "two.mbsd", "two.fmu", *BY, "--json")
    assert done.code == 0
    assert (done.json["language"], done.json["written"], done.json["binary"]) == ("fmu", ["two.fmu"], True)
    assert "are right" in done.json["witness"] and done.json["assumes"] == [
        "The FMU is of t, q, q', parameters and, as inputs, efforts in addition to the model's forces."
    ]
    found = members("two.fmu")
    assert [name for name in found if not name.startswith(("sources", "binaries"))] == ["modelDescription.xml"]
    root = described("two.fmu")
    assert {child.tag for child in root} >= {"ModelExchange", "CoSimulation", "UnitDefinitions", "ModelStructure"}
    units = {v.attrib["name"]: v.attrib.get("unit") for v in root.find("ModelVariables") or ()}
    assert (units["q.z1"], units["der(v.z1)"], units["effort.z2"]) == ("rad", "rad/s2", "N.m")
    assert (units["energy.kinetic"], units["time"]) == ("J", "s")
    first = Path("two.fmu").read_bytes()
    assert run("export", "two.mbsd", "two.fmu", *BY).code == 0
    assert {n: x for n, x in members("two.fmu").items() if "binaries" not in n} == {
        n: x for n, x in found.items() if "binaries" not in n
    }
    assert len(Path("two.fmu").read_bytes()) == len(first)
    assert run("export", "two.mbsd", "lib", *BY, "--language", "c", "--no-witness").code == 0
    assert Path("lib").is_dir()


@pytest.mark.parametrize("version", ["2", "3"])
def test_without_a_compiler_there_are_sources_alone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("export", "two.mbsd", "two.fmu", *BY, "--fmi", version)
    assert done.code == 3 and run("export", "two.mbsd", "two.fmu", *BY, "--no-witness").code == 0
    assert "sources alone, no binary: there is no C compiler\n" in done.out
    assert "not checked: fmu" in done.out and "are right" not in done.out
    assert not [name for name in members("two.fmu") if name.startswith("binaries")]
    assert run("export", "two.mbsd", "two.fmu", *BY, "--json").json["binary"] is False
    found = mb.export(tmp_path / "two.mbsd", tmp_path / "three.fmu", formalism="newton_euler", fmi=int(version))
    assert "no C compiler" in found.diagnostics[-1].message
    once, again = (Path(name).read_bytes() for name in ("two.fmu", "three.fmu"))
    assert version == "2" or once == again


@needs_compiler
def test_a_compiler_that_fails_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bin" / "cc"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'expected a declaration' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent), prepend=":")
    done = run("export", "two.mbsd", "two.fmu", *BY)
    assert done.code == 3
    assert "sources alone, no binary: cc ends with 1: expected a declaration" in done.out


REFUSED = [
    (("two.mbsd", "out", *BY, "--language", "fmu"), "out: error: an FMU is one file"),
    (("two.mbsd", "folder.fmu", *BY), "folder.fmu: error: it is a folder"),
    (("two.mbsd", "no/where.fmu", *BY), "no/where.fmu"),
    (("two.mbsd", "two.fmu", *BY, "--quantity", "M"), "'M' was asked for"),
    (("sign.mbsd", "sign.fmu"), "has a jump or a kink at sign("),
    (("still.mbsd", "still.fmu"), "the model has no coordinates"),
    (("named.mbsd", "named.fmu"), "parameters/L: has no value"),
    (("driven.mbs.json", "driven.fmu"), "its acceleration is imposed by a drive"),
    *(
        (("two.mbsd", "out", *BY, *words), f"{words[0]}: error: it is of an FMU, and c is written")
        for words in [("--fmi", "2"), ("--step", "1"), ("--inputs", "none"), ("--no-binary",), ("--state", "s.json")]
    ),
    (("two.mbsd", "two.fmu", *BY, "--kind", "xx"), "--kind: error: found 'xx', expected kinds of FMU, each once"),
    (("two.mbsd", "two.fmu", *BY, "--kind", "cs,cs"), "--kind: error: found 'cs,cs'"),
    (("two.mbsd", "two.fmu", *BY, "--kind", ""), "--kind: error: found ''"),
    *((("two.mbsd", "two.fmu", *BY, "--step", x), "--step: error: found") for x in ("0", "-1", "1e-300")),
    (("two.mbsd", "two.fmu", *BY, "--step", "nan"), "--step: error: 'nan' is not a finite number"),
    (
        ("two.mbsd", "two.fmu", *BY, "--step", "1", "--kind", "me"),
        "--step: error: Co-Simulation takes it, and the kind is me",
    ),
    (("two.mbsd", "two.fmu", *BY, "--inputs", "z3"), "--inputs: error: 'z3' is no coordinate of the model, nor all"),
    (("two.mbsd", "two.fmu", *BY, "--inputs", ""), "--inputs: error: '' is no coordinate"),
    (("two.mbsd", "two.fmu", *BY, "--state", "bad.json"), "z9"),
    (("two.mbsd", "two.fmu", "--formalism", "static_moments"), "so no accelerations"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[" ".join(words[-2:]) for words, _ in REFUSED])
def test_what_is_refused(run: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "folder.fmu").mkdir()
    (tmp_path / "still.mbsd").write_text("i $2", encoding="utf-8")
    (tmp_path / "s.json").write_text('{"q": {"z1": 1}}', encoding="utf-8")
    (tmp_path / "bad.json").write_text('{"q": {"z9": 1}}', encoding="utf-8")
    for name, change in (("sign.mbs.json", "sign"), ("driven.mbs.json", "drive")):
        write_changed(run, name, change)
    words = tuple(word.replace("sign.mbsd", "sign.mbs.json") for word in words)
    done = run("export", *words)
    assert done.code == 2 and said in done.err, done.err
    assert not (tmp_path / words[1]).is_file()


TABLE = 'x(c)"({}) $2 #a g9.81-y; f(x) = table(x, -1, 5, 0, 0, 1, -3, 4, -6{})'


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("fmi", [2, 3])
def test_tables_are_looked_up_in_an_fmu(tmp_path: Path, fmi: int) -> None:
    model = mb.read(text=TABLE.format("f(c) + f(2c)", ", cubic, extend"), format="mbsd")
    assert "are right" in mb.export(model, tmp_path / "table.fmu", fmi=fmi).witness.message


def test_a_jump_in_a_function_of_the_author_is_refused(tmp_path: Path) -> None:
    model = mb.read(text="x(c)\"(-f(c')) $2 #a g9.81-y; f(x) = 2 sign(x)", format="mbsd")
    with pytest.raises(mb.MbconcordError, match=r"a jump or a kink at sign\(c'\), and this FMU has no events"):
        mb.export(model, tmp_path / "jump.fmu")


@pytest.mark.parametrize(
    ("force", "ways"), [("f(t)", ""), ("f(t)", ", cubic, hold"), ("f'(t)", ", cubic, extend"), ("f'(c)", "")]
)
def test_tables_that_jump_or_break_in_time_are_refused(tmp_path: Path, force: str, ways: str) -> None:
    model = mb.read(text=TABLE.format(force, ways), format="mbsd")
    with pytest.raises(mb.MbconcordError, match=r"a jump or a kink at f'?\([ct]\), and this FMU has no events"):
        mb.export(model, tmp_path / "table.fmu")


def write_changed(run: Run, name: str, change: str) -> None:
    assert run("convert", "two.mbsd", name, "--force").code == 0
    model = json.loads(Path(name).read_text("utf-8"))
    if change == "sign":
        model["forces"] = [{"kind": "joint_effort", "name": "dry", "coordinate": "z1", "effort": "-sign(z1')"}]
    else:
        model["coordinates"][0]["drive"] = {"kind": "motion", "acceleration": "1"}
    Path(name).write_text(json.dumps(model), encoding="utf-8")


def test_a_model_is_not_written_over(run: Run) -> None:
    Path("model.fmu").write_text("zi > zig", encoding="utf-8")
    done = run("export", "model.fmu", "model.fmu", "--from", "mbsd", *BY)
    assert done.code == 2 and "would be written over" in done.err
    assert Path("model.fmu").read_text("utf-8") == "zi > zig"


def test_what_acts_and_is_left_out_is_described(run: Run) -> None:
    assert run("convert", "two.mbsd", "m.mbs.json").code == 0
    model = json.loads(Path("m.mbs.json").read_text("utf-8"))
    model["omissions"] = [Omission("contact/<floor>", "contact", "text", "unknown").to_json()]
    Path("m.mbs.json").write_text(json.dumps(model), encoding="utf-8")
    done = run("export", "m.mbs.json", "m.fmu", *BY, "--no-witness")
    assert done.code == 3 and "left out of the model:" in done.out
    assert "contact" in described("m.fmu").attrib["description"]
    assert "<floor>" in described("m.fmu").attrib["description"]
    assert "--accept" not in described("m.fmu").attrib["description"]
    for name, data in members("m.fmu").items():
        if name.endswith((".c", ".h")):
            assert data.startswith(b"/* left out of the model"), name


@pytest.mark.slow
def test_what_the_motion_may_reach_is_described(run: Run) -> None:
    arm = Path(__file__).parents[2] / "fixtures" / "urdf" / "arm.urdf"
    assert run("export", str(arm), "arm.fmu", *BY, "--no-witness").code == 0
    said = described("arm.fmu").attrib["description"]
    assert "The FMU holds where nothing of this is reached" in said and "2 limits of joints" in said


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_a_drive_of_time_is_among_the_dependencies(tmp_path: Path, version: int) -> None:
    group, shift = ("Derivatives", 1) if version == 2 else ("ContinuousStateDerivative", 0)
    for text, timed in (('z(a)"(3*sin(2*t)) i $1 g', True), ('z(a)"(3) i $1 g', False)):
        model = mb.read(text=text, format="mbsd")
        mb.export(model, tmp_path / "x.fmu", fmi=version, formalism="newton_euler", witness=False)
        structure = described(tmp_path / "x.fmu").find("ModelStructure")
        assert structure is not None
        rows = [*(structure.find(group) or ())] if version == 2 else [*structure.iter(group)]
        of_rate, of_speed = (row.attrib["dependencies"].split() for row in rows)
        assert of_rate == [str(2 + shift)] and (str(shift) in of_speed) is timed


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("version", ["2", "3"])
def test_options_stand_in_the_description(run: Run, tmp_path: Path, version: str) -> None:
    (tmp_path / "s.json").write_text('{"t": 2, "q": {"z1": 0.5}, "v": {"z2": -1}}', encoding="utf-8")
    for kind, element in (("me", "ModelExchange"), ("cs", "CoSimulation"), ("cs, me", "")):
        words = ("--kind", kind, "--inputs", "none" if kind == "me" else "z2", "--state", "s.json", "--no-binary")
        step = () if kind == "me" else ("--step", "0.01")
        done = run("export", "two.mbsd", "two.fmu", *BY, "--fmi", version, *words, *step)
        assert done.code == 0 and "are right" in done.out
        assert "sources alone, no binary: it is left out, as --no-binary says" in done.out
        root = described("two.fmu")
        assert not [name for name in members("two.fmu") if name.startswith("binaries")]
        assert {x.tag for x in root} & KINDS == ({element} if element else KINDS)
        first = {v.attrib["name"]: v for v in root.find("ModelVariables") or ()}
        starts = {name: (v if version == "3" else v[0]).attrib.get("start") for name, v in first.items()}
        assert [starts[name] for name in ("q.z1", "q.z2", "v.z1", "v.z2")] == ["0.5", "0.0", "0.0", "-1.0"]
        assert [x for x in starts if x.startswith("effort")] == ([] if kind == "me" else ["effort.z2"])
        plan = root.find("DefaultExperiment")
        assert plan is not None and plan.attrib["startTime"] == "2" and plan.attrib["stopTime"] == "12"
        assert plan.attrib.get("stepSize") == (None if kind == "me" else "0.01")
        assert ("in equal steps of at most 0.01 s" in root.attrib["description"]) is (kind != "me")
        moving = root.find("CoSimulation")
        assert moving is None or moving.attrib.get("fixedInternalStepSize") == (None if version == "2" else "0.01")
        try:
            from fmpy.validation import validate_fmu
        except ImportError:
            continue
        assert validate_fmu("two.fmu") == []


@pytest.mark.slow
@needs_compiler
def test_an_fmu_without_inputs_and_parameters_is_made(tmp_path: Path) -> None:
    model = mb.read(text='x(c)"(-3*c) $2 #a g9.81-y', format="mbsd")
    for fmi in (2, 3):
        made = mb.export(model, tmp_path / "x.fmu", fmi=fmi, inputs="none", formalism="newton_euler", step=0.1)
        assert "are right" in made.witness.message


#: Changes of the sources: each is one that the test of the built FMU sees.
CHANGES = {
    "derivatives by efforts": ("push[i] * du[i]", "push[i] * du[INPUTS - 1 - i]"),
    "a sign of a derivative": ("+ row[N * N + i]", "- row[N * N + i]"),
    "time stands still": ("s[0] = t;", "s[0] = 0 * t;"),
    "an acceleration is kept": ("sizeof COMPONENT->d.x);\n    COMPONENT->d.known = 0;", "sizeof COMPONENT->d.x);"),
    "a set value is lost": ("d->p[r - VR_P] = value", "d->p[VR_E - 1 - r] = value"),
    "energies change places": ("energies[r - VR_E]", "energies[VR_END - 1 - r]"),
}  # fmt: skip


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("change", CHANGES)
def test_the_test_of_the_built_fmu_sees_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str) -> None:
    old, new = CHANGES[change]
    build = fmu.compile_binary

    def changed(files: Mapping[str, str], name: str) -> tuple[bytes, str]:
        assert files["fmu.c"].count(old) == 1
        return build({**files, "fmu.c": files["fmu.c"].replace(old, new)}, name)

    monkeypatch.setattr(fmu, "compile_binary", changed)
    model = mb.read(text="z(a) i(L) > x(b) $(m) j(0.1*t) g ; L=1, m=2", format="mbsd")
    with pytest.raises(mb.MbconcordError, match="expected"):
        mb.export(model, tmp_path / "x.fmu", formalism="newton_euler")
    assert not (tmp_path / "x.fmu").exists()


UNITS = description.UNITS
#: Wrong units, names and starts in the description.
MISWRITTEN: Mapping[str, tuple[str, Any]] = {
    "N.m of N": ("UNITS", UNITS | {"N.m": UNITS["N"]}),
    "a factor": ("UNITS", UNITS | {"rad": {"rad": 1, "factor": 1000}}),
    "efforts exchanged": ("EFFORTS", {"rad": "N", "m": "N.m"}),
    "units exchanged": ("units", lambda system: {"a": "m", "b": "rad"}),
    "names exchanged": ("name_variables", lambda names: description.name_variables([*names][::-1])),
    "starts doubled": ("FmuVariable", lambda *x: description.FmuVariable(*x[:4], x[4] and 2 * x[4], x[5])),
    "starts that may move": ("FmuVariable", lambda *x: description.FmuVariable(
        x[0], (x[1][0], x[1][1], x[1][2].replace("exact", "approx")), *x[2:])),
    "all parameters fixed": ("FmuVariable", lambda *x: description.FmuVariable(
        x[0], (x[1][0], x[1][1].replace("tunable", "fixed"), x[1][2]), *x[2:])),
    "no inputs": ("FmuVariable", lambda *x: description.FmuVariable(
        x[0], (x[1][0].replace("input", "local"), *x[1][1:]), *x[2:])),
}  # fmt: skip


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("fault", MISWRITTEN)
def test_the_description_is_read_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: str, version: int
) -> None:
    """Units are written of turns, of slides, of what maps move (none), and of bodies that bend."""
    place, wrong = MISWRITTEN[fault]
    monkeypatch.setattr(description if place == "UNITS" else fmu, place, wrong)
    model = mb.read(text="z(a) i(L) > x(b) $(m) j(0.1*t) g ; L=1, m=2", format="mbsd")
    with pytest.raises(
        mb.MbconcordError, match=r"modelDescription.xml: error: variable \d+ is .*, expected .*powers of"
    ):
        mb.export(model, tmp_path / "x.fmu", formalism="newton_euler", fmi=version)
    assert not (tmp_path / "x.fmu").exists()


def test_a_coordinate_that_a_map_bends_has_no_unit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    joint = (translation("y", Mapped(symbol("s") ** 2)),)
    mapped = System("mapped", (Coordinate("s", 0.4),), (), (), None, (Body("bar", None, joint, Inertia(2)),))
    assert mb.export(mapped, tmp_path / "x.fmu", binary=False).quantities
    monkeypatch.setattr(fmu, "units", lambda system: {"s": "m"})
    with pytest.raises(mb.MbconcordError, match=r"variable 1 is .*\(0, 1, 0, 0\).*, expected .*\(\)"):
        mb.export(mapped, tmp_path / "y.fmu", binary=False)


def test_a_coordinate_that_a_map_moves_evenly_has_the_unit_of_its_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    joint = (translation("y", Mapped(symbol("s") * 2)),)
    mapped = System("mapped", (Coordinate("s", 0.4),), (), (), None, (Body("bar", None, joint, Inertia(2)),))
    assert mb.export(mapped, tmp_path / "x.fmu", binary=False).quantities
    monkeypatch.setattr(fmu, "units", lambda system: {"s": "rad"})
    with pytest.raises(mb.MbconcordError, match=r"expected .*\(0, 1, 0, 0\)"):
        mb.export(mapped, tmp_path / "y.fmu", binary=False)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("version", [2, 3])
def test_the_sources_compile_without_a_warning_and_with_a_prefix(tmp_path: Path, version: int) -> None:
    model = mb.read(text="zi > zig", format="mbsd")
    mb.export(model, tmp_path / "x.fmu", formalism="newton_euler", fmi=version, witness=False)
    with zipfile.ZipFile(tmp_path / "x.fmu") as archive:
        archive.extractall(tmp_path)
    words = [str(COMPILER), *STRICT, "-O0", "-c", "fmu.c", f"-DFMI{version}_FUNCTION_PREFIX=mine_", "-o", "fmu.o"]
    done = subprocess.run(words, cwd=tmp_path / "sources", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"mine_fmi{version}GetVersion".encode() in (tmp_path / "sources" / "fmu.o").read_bytes()


#: Sizes that are promised, in kB of 1,000 bytes: with the binary, and of sources alone.
SIZES = {"mbsd/double_pendulum.mbsd": (40, 25), "robots/ur5.mbsd": (120, 75)}


@needs_compiler
@pytest.mark.rest
@pytest.mark.parametrize("model", SIZES)
def test_it_is_no_larger_than_promised(tmp_path: Path, model: str) -> None:
    path = Path(__file__).parents[2] / "fixtures" / model
    for binary, size in zip((True, False), SIZES[model], strict=True):
        mb.export(path, tmp_path / "x.fmu", formalism="newton_euler", binary=binary, witness=False)
        assert (tmp_path / "x.fmu").stat().st_size <= 1000 * size
