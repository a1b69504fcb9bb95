"""The file that verifies certificates: vectors, certificates written by hand, forgeries, edits of one character."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mbconcord.certificate import verify_certificate as program
from mbconcord.certificate import verify_difference as other

from .written import (
    DIFFERENCES,
    NO_DIFFERENCES,
    PLANE,
    PROVED,
    REFUSED,
    VECTORS,
    cut_at_lines,
    edit_characters,
    of_high_degree,
    seal,
    unseal,
    write,
    write_difference,
)

FILE, OTHER = Path(program.__file__), Path(other.__file__)
EXPECTED = json.loads((VECTORS / "expected.json").read_text("utf-8"))
SEED = bytes(range(32))


def judge(data: bytes, *require: str, by: ModuleType = program) -> tuple[int, str]:
    """Return the exit code and what is said."""
    try:
        return 0, by.verify(data, require, SEED)
    except program.RefusedError as problem:
        return 1, str(problem)
    except program.UnreadableError as problem:
        return 2, str(problem)


@pytest.mark.parametrize("name", EXPECTED)
def test_vectors_have_their_results(name: str) -> None:
    code, said = judge((VECTORS / name).read_bytes(), by=other if name == "difference.cert" else program)
    expected = EXPECTED[name]
    words = expected.get("says", [])
    assert code == expected["exit"], said
    assert all(word in said for word in ([words] if isinstance(words, str) else words))


@pytest.mark.parametrize("name", PROVED)
def test_what_is_right_is_proved(name: str) -> None:
    data, line = PROVED[name]
    code, said = judge(data)
    assert code == 0, said
    assert line in said.splitlines()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_by_name(name: str) -> None:
    data, expected, words = REFUSED[name]
    code, said = judge(data)
    assert code == expected, said
    assert words in said


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_proved_and_not_larger_than_they_are(name: str) -> None:
    first, second, amount = DIFFERENCES[name]
    assert judge(write_difference(first, second, amount), by=other)[0] == 0
    code, said = judge(write_difference(first, second, f"{float(amount) * 1.2!r}"), by=other)
    assert (code, "not shown to be so far apart" in said) == (1, True)


@pytest.mark.parametrize("name", NO_DIFFERENCES)
def test_what_is_no_difference_is_refused_by_name(name: str) -> None:
    data, expected, words = NO_DIFFERENCES[name]
    code, said = judge(data, by=other)
    assert code == expected, said
    assert words in said


def test_required_quantities() -> None:
    data = (VECTORS / "pendulum.cert").read_bytes()
    assert judge(data, "mechanics", "M")[0] == 0
    assert judge(data, "rows") == (1, judge(data, "rows")[1])
    assert judge(data, "rows")[1].startswith("rows is required, and not proved")
    part = write(PLANE.format("row x; row y"), "program p m; n 1; n 0; out D 0 1; scale 1 0; end")
    assert "D: mechanics of m = p (p has no row 2)" in judge(part, "mechanics")[1]
    assert [judge(part, *x)[0] for x in ((), ("D",), ("mechanics", "D"))] == [0, 1, 1]
    programs, _ = PROVED["powers"]
    assert judge(programs, "h")[0] == 0
    assert judge(programs, "mechanics")[0] == 1
    assert judge((VECTORS / "difference.cert").read_bytes(), "h", by=other)[0] == 1


def test_a_certificate_says_what_it_means() -> None:
    said = judge((VECTORS / "pendulum.cert").read_bytes())[1].splitlines()
    assert said[-4].startswith("proved (error < 2^-") and said[-4].endswith(f", seed {SEED.hex()})")
    assert int(said[-4].partition("2^-")[2].partition(",")[0]) >= 118
    assert [line.partition(" ")[0] for line in said[-3:]] == ["Each", "A", "Assumed:"]
    left_out = seal(
        "mbcert 1\nmodel m\ncoordinates x\nend\n" + "".join(f"program {name} m\nn 0\nout h 0\nend\n" for name in "ab")
    )
    assert "nothing is said of M, gravity, applied." in judge(left_out)[1]
    assert "2^-124 if its author did not know the seed, which was given." in judge(left_out)[1]
    assert "2^-124: prime and point are drawn anew." in program.verify(left_out)
    rows = write(PLANE.format("row x; row y"), "program p m; n 1; n 0; out M 0 1 1 0; out h 1 1; end")
    assert "nothing is said of gravity, applied, D, gamma." in judge(rows)[1]


def test_a_large_difference_is_told() -> None:
    assert judge(write_difference("n 2e999", "n 0", "1e999"), by=other)[1].startswith(
        "h 1 of a and b at least 1.00000000000000E+999 apart"
    )


def bound(said: str) -> int:
    """Return k of the error 2^-k that is said."""
    return int(said.partition("2^-")[2].partition(",")[0].partition(")")[0])


@pytest.mark.slow
def test_long_numbers_that_are_written_short_count_in_the_bound() -> None:
    codes = [judge(of_high_degree(number)) for number in ("1", "1e999")]
    assert [code for code, _ in codes] == [0, 0]
    assert bound(codes[0][1]) - bound(codes[1][1]) in (4, 5, 6)


#: Words of lines of pendulum.cert that may be others: names, and what a motion in the plane never feels (weight along
#: the axis, the place along it, all of the tensor but the moment about it).
FREE = {"note": range(1, 99), "program": (1,), "body": (1,), "gravity": (3,), "mass": (4, 5, 6, 8, 9, 10)}


@pytest.mark.parametrize("added", (13, *(pytest.param(n, marks=pytest.mark.rest) for n in (1, 31))))
def test_edits_of_one_character_are_refused_or_mean_the_same(added: int) -> None:
    text = unseal((VECTORS / "pendulum.cert").read_bytes())
    accepted = 0
    for k, edited in edit_characters(seal(text), added):
        code, said = judge(seal(edited))
        if code == 0:
            accepted += 1
            line = text.count("\n", 0, k)
            old, new = (t.split("\n")[line].split(" ") for t in (text, edited))
            if old[0] == new[0] == "note":
                continue
            changed = [j for j, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
            assert changed and set(changed) <= set(FREE.get(old[0], ())), f"{old} -> {new}: {said}"
    assert 80 < accepted < 130  # the note has 98 characters


def test_every_cut_is_refused() -> None:
    data = (VECTORS / "pendulum.cert").read_bytes()
    assert {judge(data[:k])[0] for k in range(len(data))} == {2}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "difference.cert"])
def test_what_ends_after_any_line_claims_no_more(name: str) -> None:
    data = (VECTORS / name).read_bytes()
    whole = claims(judge(data)[1]) if EXPECTED[name]["exit"] == 0 else set()
    for k, cut in enumerate(cut_at_lines(data)):
        code, said = judge(cut)
        assert code or (whole and claims(said) <= whole), f"line {k}: {said}"


def claims(said: str) -> set[str]:
    """Return the quantities that are said to be proved."""
    lines = said.partition("proved (")[0].splitlines()
    return {line.partition(": ")[0] for line in lines if not line.startswith("Noted ")}


def test_it_runs_alone(tmp_path: Path) -> None:
    shutil.copy(FILE, tmp_path)
    for name in ("pendulum.cert", "forged_number.cert", "forged_acceleration.cert"):
        shutil.copy(VECTORS / name, tmp_path)
        words = [sys.executable, "-I", "-S", FILE.name, name]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (EXPECTED[name]["exit"], "")
    words = [sys.executable, "-I", "-S", FILE.name, "pendulum.cert", "forged_number.cert", "nothing.cert"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "forged_number.cert: refused: M 1 of hand" in done.stdout
    assert "nothing.cert: not readable: No such file" in done.stdout


def test_the_file_of_differences_needs_its_neighbour_alone(tmp_path: Path) -> None:
    for file in (FILE, OTHER, VECTORS / "difference.cert"):
        shutil.copy(file, tmp_path)
    words = [sys.executable, "-E", "-s", "-S", OTHER.name, "difference.cert"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("h 1 of lagrange and hand at least 2.2 apart\nproved")


@pytest.mark.parametrize("file", (FILE, OTHER), ids=lambda file: file.name)
def test_it_imports_the_standard_library_only(file: Path) -> None:
    tree = ast.parse(file.read_text("utf-8"), feature_version=(3, 9))
    found = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    found |= {"." * node.level + (node.module or "") for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    own = {"verify_certificate", ".verify_certificate"} if file is OTHER else set()
    assert found and found <= {*sys.stdlib_module_names, *own}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"__import__", "eval", "exec", "compile", "open"}


def test_it_is_short() -> None:
    assert len(FILE.read_text("utf-8").splitlines()) <= 702


def test_who_reads_no_more_hears_no_error(tmp_path: Path) -> None:
    shutil.copy(VECTORS / "pendulum.cert", tmp_path / "a.cert")
    words = [sys.executable, "-I", "-S", str(FILE), *["a.cert"] * 3]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0
