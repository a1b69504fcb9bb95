"""Random faults: every operator makes the changes it says, each once, and nothing that names or says something."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from laboratory.faults.attempts import plain
from laboratory.faults.mutants import MECHANICS, mutants
from laboratory.mutants import rooms
from laboratory.runner.change import source_file


def made(tmp_path: Path, source: str) -> set[str]:
    """The changed sources of one expression."""
    file = tmp_path / "m.py"
    file.write_text(f"v = {source}\n", "utf-8")
    return {m.source.removeprefix("v = ") for m in mutants("m", file, MECHANICS)}


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a + b", {"a - b", "a", "b"}),
        ("a - b", {"a + b", "a", "b"}),
        ("a * b", {"a / b", "a", "b", "-(a * b)"}),
        ("a * a", {"a / a", "a", "-(a * a)"}),
        ("a ** b", {"a * b", "a", "b"}),
        ("-a", {"a"}),
        ("not a", {"a"}),
        ("a[1]", {"a[2]", "a[0]"}),
        ("True", {"False"}),
        ("a < b", {"a >= b"}),
        ("a is b", {"a is not b"}),
        ("a in b", {"a not in b"}),
        ("a and b", {"a or b"}),
        ("f(a, b)", {"f(b, a)"}),
        ("f(a, b, c)", {"f(b, a, c)", "f(a, c, b)"}),
        ("f(*a, b)", set()),
        ("getattr(a, b)", set()),
        ("(a, b, c)", {"(b, a, c)", "(a, c, b)"}),
        ("(a, a)", set()),
        ("x", {"y"}),
        ("xz", {"yz"}),
        ("'z'", {"'x'"}),
        ("'xyz'", {"'xzy'"}),
        ("np.sin", {"np.cos"}),
        ("{'sin': a}", set()),
        ("error(a, 'b', 1 + 2)", set()),
        ("f'{1 + 2}'", set()),
    ],
)
def test_the_changes_of_an_expression(tmp_path: Path, source: str, changed: set[str]) -> None:
    assert made(tmp_path, source) == changed


def test_words_types_and_imports_stay(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(
        '"""1 + 2."""\nfrom a import x\n\ndef f(x: int = 1) -> dict[x, y]:\n    """1 - 2."""\n    raise E(1 + 2)\n',
        "utf-8",
    )
    assert [m.change for m in mutants("m", file, MECHANICS)] == ["1 -> 2 in x: int=1", "1 -> 0 in x: int=1"]


def test_a_mutant_knows_its_place_and_lines(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("a = b + c\n\nclass K:\n    def f(self):\n        return (1,\n            q + 2)\n", "utf-8")
    found = {(m.place, m.change): m.lines for m in mutants("m", file, MECHANICS)}
    assert found["", "b + c -> b - c"] == frozenset(), "run when the module is imported"
    assert found["K.f", "q + 2 -> q - 2"] == {6}
    assert found["K.f", "(1, q + 2) -> (q + 2, 1)"] == {5, 6}


@pytest.mark.slow
def test_all_mutants_of_shared_code_are_different_programs() -> None:
    name = "mbconcord.model.body"
    found = mutants(name, source_file(name), MECHANICS)
    again = mutants(name, source_file(name), MECHANICS)
    assert [str(m) for m in found] == [str(m) for m in again]
    honest = ast.dump(ast.parse(source_file(name).read_text("utf-8")))
    sources = [m.source for m in found[::7]]
    assert len(set(sources)) == len(sources) > 20
    assert all(ast.dump(ast.parse(source)) != honest for source in sources)


@pytest.mark.parametrize(
    ("text", "other", "said"),
    [
        ("z1 0.31\nnot checked: z1", "z1 0.3", True),
        ("z1 0.31\nz2 0.5\nnot checked: z1", "z1 0.3\nz2 0.4", False),
        ('{"gap": 2.0, "not_checked": 1}', '{"gap": 1.0}', False),
        ("0.1 0.31\nnot checked: energies", "0.1 0.3", False),
        ("stability of the motion not decided", "stability of the motion: stable", True),
        ("z1 0.31\nnot checked: z1", "z1 0.3\nnot checked: z1", False),
        ("z1 1e-17\nnot checked: energies", "z1 0", True),
        ("warning: z1 is 0.31", "z1 0.3", False),
    ],
)  # fmt: skip
def test_a_doubt_has_to_name_what_changed(text: str, other: str, said: bool) -> None:
    assert rooms.is_said(text, other) is said


def test_times_of_work_are_not_what_a_command_prints_of_a_machine() -> None:
    assert plain("of 3: 420 evaluations, 0.07 s") == plain("of 3: 61 evaluations, 12.5 s")
    assert plain('<td>2.19 ms</td> {"seconds": 1.5e-3}') == plain('<td>244 ms</td> {"seconds": 0.2}')
    assert plain("crank: 0.02 s by lagrange") != plain("crank: 0.04 s by lagrange")


def test_which_of_comparisons_is_nearest_to_its_tolerance_is_rounding() -> None:
    a, b = ("agrees; closest mode 1 by a, b, 5e-16 of 1e-9", "agrees; closest M by c, d, 5e-16 of 1e-9")
    assert plain(a) == plain(b) and plain(a.replace("e-16", "e-10")) != plain(b.replace("e-16", "e-10"))
