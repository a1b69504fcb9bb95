"""``mbconcord export``: which files, what they are called, what is refused; the numbers are those of ``evaluate``."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mbconcord as mb
from mbconcord.fixtures import folder

from ..kernels.compiler import built, needs_compiler
from .commands import Run, runner

BY = ("--formalism", "newton_euler")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.slow
@needs_compiler
def test_a_library_passes_its_own_test(run: Run, tmp_path: Path) -> None:
    found = run("export", "two.mbsd", "out", *BY, "--quantity", "M,h", "--json").json
    files = ["two.h", "two.c", "two_steps.h", "CMakeLists.txt", "two_test.c"]
    assert found["written"] == [str(Path("out") / file) for file in files]
    assert (found["language"], found["quantities"], found["system"]) == ("c", ["M", "h"], "two")
    assert found["operations"]["mul"] > 0
    sources = [str(tmp_path / "out" / file) for file in ("two.c", "two_test.c")]
    done = subprocess.run([built(tmp_path, sources, "test")], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("two: 6 results at 11 states are right")


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake on this machine")
def test_cmake_builds_and_tests(run: Run, tmp_path: Path) -> None:
    run("export", "two.mbsd", "out", *BY, "--name", "test")
    for words in (["-S", "out", "-B", "build"], ["--build", "build"], ["--build", "build", "--target", "test"]):
        done = subprocess.run(["cmake", *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_names_and_a_folder_that_is_made(run: Run, tmp_path: Path) -> None:
    run("export", "two.mbsd", "a/b", *BY, "--name", "my arm", "--quantity", "h")
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == [
        "CMakeLists.txt", "my_arm.c", "my_arm.h", "my_arm_steps.h", "my_arm_test.c",
    ]  # fmt: skip
    assert "MY_ARM_h = 0" in (tmp_path / "a" / "b" / "my_arm.h").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["jax", "casadi"])
def test_modules_are_python(run: Run, tmp_path: Path, language: str) -> None:
    found = run("export", "two.mbsd", "out", *BY, "--language", language, "--name", "for", "--json").json
    file, test = found["written"]
    assert test.endswith("_test.py")
    text = (tmp_path / file).read_text(encoding="utf-8")
    names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    assert {"jax": "quantities", "casadi": "function"}[language] in names
    assert f"import {language}" in text and "import numpy" not in text


BAR = str(folder() / "mbsd" / "four_bar.mbsd")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "casadi"])
def test_efforts_of_actuated_coordinates_are_those_of_the_function(run: Run, tmp_path: Path, language: str) -> None:
    done = run("export", BAR, "out", *BY, "--actuated", "z1", "--language", language, "--json").json
    assert done["quantities"] == ["effort", "sound"] and any("efforts are whole" in x.lower() for x in done["assumes"])
    known = mb.export(BAR, tmp_path / "known", "effort", "newton_euler", language, actuated="z1", witness=False)
    assert [Path(x).read_text("utf-8") for x in done["written"]] == [x.read_text("utf-8") for x in known.files]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--actuated", "z9"), "no coordinate 'z9'"), (("--actuated", ""), "no coordinate is named"),
        (("--actuated", "z1,z2"), "1 degree of freedom and the constraints tie them"),
        (("--actuated", "z1,z1"), "named twice"), (("--actuated", "z1", "--quantity", "M"), "and M was asked for"),
        (("--actuated", "z1", "--speeds", "u1=z1'"), "not along other speeds"),
        (("--actuated", "z1", "--language", "fmu"), "an FMU takes efforts"),
        (("--quantity", "effort"), "--actuated z1"),
    ],
)  # fmt: skip
def test_actuated_coordinates_that_do_not_fit_are_refused(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run("export", BAR, "out.fmu" if "fmu" in words else "out", *BY, *words)
    assert done.code == 2 and said in done.err and not Path("out").exists()


def test_a_tree_has_no_actuated_coordinates(run: Run) -> None:
    for words in (("--actuated", "z1"), ("--quantity", "effort")):
        done = run("export", "two.mbsd", "out", *BY, *words)
        assert done.code == 2 and "ask for inverse_dynamics" in done.err


def test_changes_along_a_direction_are_written(run: Run) -> None:
    done = run("export", "two.mbsd", "out", *BY, "--quantity", "da_along,dtau_along")
    assert done.code == 0 and "Changes are along dq, dv" in done.out
    header = Path("out/two.h").read_text("utf-8")
    assert "TWO_dq_z1 = 7" in header and "TWO_dv_z1 = 9" in header


REFUSED = [
    (("two.mbsd", "out", *BY, "--quantity", "X"), "does not deliver 'X'"),
    (("two.mbsd", "two.mbsd", *BY), "two.mbsd: "),
    (("lifted.mbsd", "out", *BY), "functions/JK: error: it has no formula"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_refused(run: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    (tmp_path / "lifted.mbsd").write_text("zi(JK(t)) > zig", encoding="utf-8")
    found = run("export", *words)
    assert found.code == 2 and said in found.err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="a script stands in for the compiler")
def test_words_of_a_compiler_are_no_disagreement(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bin" / "cc"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'expected a declaration' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent), prepend=os.pathsep)
    done = run("export", "two.mbsd", "lib", *BY, "--quantity", "h")
    assert done.code == 3, done.err
    assert "cc ends with 1 for two_test.c: expected a declaration" in done.out


def test_a_model_is_not_written_over(run: Run, tmp_path: Path) -> None:
    text = (tmp_path / "two.mbsd").read_text(encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    found = run("export", "CMakeLists.txt", ".", "--from", "mbsd", *BY, "--name", "x", "--quantity", "M")
    assert found.code == 2 and "would be written over" in found.err
    assert (tmp_path / "CMakeLists.txt").read_text(encoding="utf-8") == text
    assert not (tmp_path / "x.c").exists()


@pytest.mark.slow
def test_the_function(tmp_path: Path) -> None:
    model = mb.read(text="z j-2 $3 g", format="mbsd")
    found = mb.export(model, tmp_path, ["M", "gravity"], name="swing")
    assert [path.name for path in found.files][:2] == ["swing.h", "swing.c"]
    assert "M, gravity" in repr(found)
    with pytest.raises(mb.MbconcordError, match="no language 'fortran'"):
        mb.export(model, tmp_path, language="fortran")


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_nothing_and_is_told_of_the_named_folder(
    run: Run, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """The disk is full at the first write, at the second, and so on, until all of them have room."""
    before = [Path("made")] if there else []
    for path in before:
        path.mkdir()
    left = [0]

    def fill(call: Any) -> Any:
        def write(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                path = [str(each) for each in given[:1] if isinstance(each, Path)]
                raise OSError(28, "No space left on device", *path)
            return call(*given, **named)

        return write

    said = []
    while not said or said[-1]:
        left[0] = len(said)
        with monkeypatch.context() as full:
            full.setattr(os, "fsync", fill(lambda descriptor: None))
            full.setattr(Path, "mkdir", fill(Path.mkdir))
            full.setattr(Path, "replace", fill(Path.replace))
            done = run("export", "one.mbsd", "made/deep", *BY, "--no-witness")
        said.append(done.err)
        if done.code:
            assert [*Path().glob("made"), *Path().glob("made/*")] == before, done.err
            assert done.err.splitlines()[-1].startswith("made") and ".mbconcord-" not in done.err
            assert "No space left on device (make room" in done.err
        else:
            break
    assert len(said) > 5 and [*Path("made/deep").iterdir()]
