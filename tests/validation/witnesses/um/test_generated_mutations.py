"""Wrong copies of a generated set, and models that it is no longer of: none stands that puts out other numbers."""

from __future__ import annotations

import functools
import re
import shutil
from pathlib import Path

import pytest

from mbconcord.converters import registry
from mbconcord.converters.um.equations import cplusplus, read
from mbconcord.model import System
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.against.programs import check_against

from ....formats.um.um_sets import write_set
from .c_interpreter import outputs, same
from .c_mutations import RULES, TEXT, UNREAD, Mutation, mutations

GROUPS = list(dict.fromkeys(f"{rule} in {stem}" for rule, stems, _, _ in RULES for stem in stems.split()))
#: Those of the fast loop.
QUICK = {"case in _KObj", "kernel in ObjC", "joint force in AlObj", "term in ObjParallel"}


@functools.cache
def input_dat() -> str:
    return registry.write(registry.read_text(TEXT, "model.mbsd").system, "um").text


def model(text: str) -> System:
    return registry.read_text(text, "input.dat", "um").system


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    system = model(input_dat())
    return write_set(system, tmp_path_factory.mktemp("set"), [p.name for p in system.parameters], more=True)


@pytest.fixture(autouse=True)
def _parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that a copy leaves as they are need not be parsed again."""
    monkeypatch.setattr(cplusplus, "unit", PARSED)


PARSED = functools.lru_cache(maxsize=64)(cplusplus.unit)


@functools.cache
def groups(folder: Path) -> dict[str, list[Mutation]]:
    found: dict[str, list[Mutation]] = {}
    for mutation in mutations(folder):
        found.setdefault(mutation.name.partition(",")[0], []).append(mutation)
    return found


def stands(folder: Path, text: str) -> bool:
    """Whether the model of a text stands against the set; a set that is refused does not.

    What disagrees has terms, and the line of the set where it is written, or that nothing is written there.
    """
    try:
        evidence = check_against(model(text), read(str(folder)), states=1, formalisms=["newton_euler"])
    except MbconcordError:
        return False
    for c in evidence.comparisons:
        if c.verdict == "disagrees":
            first = c.terms[0]
            assert first.terms, (c.quantity, first.reason)
            assert first.location or first.term_location or not any(t.first for t in first.terms), c.quantity
    return evidence.stands


def numbers(folder: Path) -> dict[str, float]:
    return outputs(folder, identifiers=6, coordinates=2, bodies=2)


def put(mutation: Mutation, original: Path, folder: Path) -> Mutation:
    """The set with the change in the folder."""
    shutil.copytree(original, folder, dirs_exist_ok=True)
    (folder / mutation.file).write_text(mutation.text, "utf-8")
    return mutation


def test_the_set_itself_stands(original: Path) -> None:
    assert stands(original, input_dat())
    assert len(numbers(original)) > 150


@pytest.mark.sampled(16)
@pytest.mark.parametrize("group", [g if g in QUICK else pytest.param(g, marks=pytest.mark.slow) for g in GROUPS])
def test_a_wrong_copy_stands_where_it_puts_out_the_same_numbers(group: str, original: Path, tmp_path: Path) -> None:
    """Of the copies that one rule makes of one file the one in the middle."""
    made = groups(original)[group]
    mutation = put(made[len(made) // 2], original, tmp_path)
    equivalent = same(numbers(original), numbers(tmp_path))
    assert stands(tmp_path, input_dat()) is equivalent, mutation.name


#: A change of the set -> why it stands.
EQUIVALENT = {
    ("_KObj", r"_slocal\[0\]\[2\] = 0(?:\.0)?;", "_slocal[0][2] = -0.0;"): "zero has no sign",
    ("ObjE", r"(_->_\[\d+\]) = (_->\w+)\*(_->\w+);", r"\1 = \3*\2;"): "factors commute",
    ("_TObj", r"  real_ _s1;\n", "  real_ _s1;\n  real_ _s9;\n"): "a member that nobody uses",
}


@pytest.mark.slow
@pytest.mark.parametrize("change", EQUIVALENT, ids=list(EQUIVALENT.values()))
def test_a_copy_that_says_the_same_stands(change: tuple[str, str, str], original: Path, tmp_path: Path) -> None:
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"{change[0]}.hpp"
    text, count = re.subn(change[1], change[2], path.read_text("utf-8"), count=1)
    assert count
    path.write_text(text, "utf-8")
    assert same(numbers(original), numbers(tmp_path)) and stands(tmp_path, input_dat())


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_read_of_a_set_is_left_out_of_the_verdict(name: str, original: Path, tmp_path: Path) -> None:
    (mutation,) = (m for m in mutations(original) if m.name == f"unread: {name}")
    put(mutation, original, tmp_path)
    evidence = check_against(model(input_dat()), read(str(tmp_path)), states=1, formalisms=["newton_euler"])
    assert (evidence.headline, evidence.stands) == ("agrees without 1 generated procedure", False)


def swapped(text: str, first: str, second: str) -> str:
    """The text with two blocks, each from its keyword to the next, in the other order."""
    blocks = [re.search(rf"(?m)^with {name};(?s:.*?)(?=^with |^\\$)", text) for name in (first, second)]
    one, other = (block[0] for block in blocks if block)
    return text.replace(one, "\0").replace(other, one).replace("\0", other)


#: Models of which the set is no longer -> verdict: nothing is searched that would make them agree.
STALE = {
    "an identifier before the others": (lambda t: t.replace("  cnst=(L#", "  cnst=(b# 2);\n  cnst=(L#"), "not checked"),
    "an identifier behind the others": (lambda t: t.replace("  cnst=(c#", "  cnst=(b# 2);\n  cnst=(c#"), "not checked"),
    "identifiers in another order": (
        lambda t: re.sub(r"(  cnst=\(L#.*\n)(  cnst=\(m#.*\n)", r"\2\1", t),
        "not checked",
    ),
    "an identifier of another name": (lambda t: re.sub(r"\bh\b(?![\w=])", "height", t), "disagrees"),
    "joints in another order": (lambda t: swapped(t, "joint1", "joint2"), "disagrees"),
    "bodies in another order": (lambda t: swapped(t, "body1", "body2"), "disagrees"),
    "a flipped axis": (lambda t: t.replace("type=rv; ex= 1.;", "type=rv; ex=-1.;"), "disagrees"),
    "another mass": (lambda t: t.replace("m=M_;", "m=M_+m;"), "disagrees"),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "change", [c if "before" in c or "axis" in c else pytest.param(c, marks=pytest.mark.slow) for c in STALE]
)
def test_a_model_that_has_changed_since_does_not_stand(change: str, original: Path) -> None:
    make, verdict = STALE[change]
    text = make(input_dat())
    assert text != input_dat()
    found = check_against(model(text), read(str(original)), states=1, formalisms=["newton_euler"])
    assert (found.verdict, found.stands) == (verdict, False)
