"""Own equations in certificates: proved, refused at each misprint, and proved to differ there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord.certificate import emit, verify_certificate, verify_difference
from mbconcord.certificate.emit import read_equations, seal, write_certificate
from mbconcord.certificate.programs import WordsError
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.model.system import System

from ..cli.commands import Run, runner

run = pytest.fixture(runner)
BOOK = "z(a) -j(l1) $(m1) > z(b - a) -j(l2) $(m2) g(g) ; l1=1, l2=1, m1=1, m2=1, g=9.81"
#: As textbooks print them, after y = -l1 cos a - l2 cos b.
EQUATIONS = """from numpy import array, cos, sin

def equations(q, v, m1, m2, l1, l2, g):
    a, b = q
    da, db = v
    c = m2 * l1 * l2 * cos(a - b)
    s = m2 * l1 * l2 * sin(a - b)
    M = array([[(m1 + m2) * l1**2, c], [c, m2 * l2**2]])
    f = array([-s * db**2 - (m1 + m2) * g * l1 * sin(a), s * da**2 - m2 * g * l2 * sin(b)])
    return M, f
"""
#: Characters that are exchanged by a misprint.
MISPRINTS = {"1": "2", "2": "1", "3": "2", "+": "-", "-": "+", "sin(a)": "cos(a)", "sin(b)": "sin(a)", "da**": "db**"}
OWN = "python:book.py:equations"


@pytest.fixture(autouse=True)
def files(run: Run) -> None:
    Path("book.mbsd").write_text(BOOK, encoding="utf-8")
    Path("book.py").write_text(EQUATIONS, encoding="utf-8")


def book() -> System:
    return read("book.mbsd").system


def decide(differs: bool) -> str:
    """Write the certificate of the equations of book.py, and return what the verifier says, in this process."""
    system = book()
    text = write_certificate(system, ["lagrange"], False, read_equations(OWN, system), differs)[0]
    verifier = verify_difference if differs else verify_certificate
    return verifier.verify(text.encode(), (), bytes(32))


def list_misprints() -> list[tuple[int, str]]:
    """List the places of the formulas where a misprint may stand, and what is there."""
    start, end = EQUATIONS.index("    c = "), EQUATIONS.index("    return")
    names = re.compile("|".join(map(re.escape, MISPRINTS)))
    return [(found.start(), found[0]) for found in names.finditer(EQUATIONS, start, end)]


def test_own_equations_are_proved_to_be_those_of_the_machine(run: Run) -> None:
    done = run("certify", "book.mbsd", "--formalisms", "lagrange", "--equations", OWN, "--output", "book.cert")
    assert done.code == 0
    assert {"M: mechanics of book = lagrange = own", "force: mechanics of book = lagrange = own"} <= {
        *done.out.splitlines()
    }
    assert run("verify", "book.cert", "--require", "mechanics,M,force").code == 0


@pytest.mark.parametrize(("at", "old"), list_misprints())
def test_each_misprint_is_refused_and_proved_to_differ(at: int, old: str) -> None:
    Path("book.py").write_text(EQUATIONS[:at] + MISPRINTS[old] + EQUATIONS[at + len(old) :], encoding="utf-8")
    with pytest.raises(verify_certificate.RefusedError, match=r"^(M|force|h) [12] of own is not that of mechanics"):
        decide(False)
    assert "of lagrange and own at least " in decide(True)


def test_a_misprint_gets_no_certificate_and_its_difference_one(run: Run) -> None:
    Path("book.py").write_text(EQUATIONS.replace("s * da**2", "-s * da**2"), encoding="utf-8")
    wrong = run("certify", "book.mbsd", "--equations", OWN, "--output", "book.cert")
    assert wrong.code == 1 and "force 2 of own is not that of mechanics of book" in wrong.err
    assert "--differs" in wrong.err and not Path("book.cert").exists()
    done = run("certify", "book.mbsd", "--equations", OWN, "--differs", "--output", "book.cert")
    assert done.code == 0 and done.out.startswith("force 2 of lagrange and own at least 2.")
    assert run("verify", "book.cert").code == 0
    text = Path("book.cert").read_text("ascii")
    Path("more.cert").write_text(seal(text.replace("lagrange own 2.", "lagrange own 12.").splitlines()[:-1]), "ascii")
    assert run("verify", "more.cert").code == 1


def test_no_difference_of_equal_equations_is_stated(run: Run) -> None:
    done = run("certify", "book.mbsd", "--equations", OWN, "--differs", "--output", "book.cert")
    assert done.code == 1 and "no entry of M and of the force differs at 20 drawn states" in done.err
    assert not Path("book.cert").exists()


def test_a_difference_from_equations_that_are_not_the_machines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("book.py").write_text(EQUATIONS.replace("s * da**2", "-s * da**2"), encoding="utf-8")
    right = emit._put_rows
    monkeypatch.setattr(
        emit, "_put_rows", lambda steps, name, rows, system: right(steps, name, [row[::-1] for row in rows], system)
    )
    with pytest.raises(DisagreementError, match="of lagrange is not that of mechanics"):
        mbconcord.certify("book.mbsd", formalisms="lagrange", equations=OWN, differs=True)


def test_another_model_has_the_same_equations_or_others(run: Run) -> None:
    Path("other.mbsd").write_text("z(a) -j(l1) $(m1) > z(b - a) -j(l2) $(m2) g(G) ; G=9.81", encoding="utf-8")
    Path("names.toml").write_text('[symbols]\nG = "g"\n', encoding="utf-8")
    same = ("--equations", "other.mbsd", "--map", "names.toml", "--formalisms", "lagrange", "--output", "two.cert")
    assert run("certify", "book.mbsd", *same).code == 0
    text = "z(a) -j(l1) $(m1) > z(b - a) j(l2) $(m2) g(g)"
    Path("other.mbsd").write_text(text, encoding="utf-8")
    done = run("certify", "book.mbsd", "--equations", "other.mbsd", "--differs", "--output", "differs.cert")
    assert done.code == 0 and "of lagrange and own at least" in done.out


def test_coordinates_and_speeds_of_other_names_are_told(run: Run) -> None:
    renamed = EQUATIONS.replace("a, b = q", "th1, th2 = q").replace("m1", "mass")
    for old, new in (("(a - b)", "(th1 - th2)"), ("sin(a)", "sin(th1)"), ("sin(b)", "sin(th2)")):
        renamed = renamed.replace(old, new)
    Path("book.py").write_text(renamed, encoding="utf-8")
    Path("names.toml").write_text('[coordinates]\na = "th1"\nb = "th2"\n[symbols]\nmass = "m1"\n', encoding="utf-8")
    asked = ("certify", "book.mbsd", "--equations", OWN, "--formalisms", "lagrange", "--output", "book.cert")
    assert run(*asked).code == 2 and run(*asked, "--map", "names.toml").code == 0


SPEEDS = {"u": ["w1", "w2"], "qdot": {"a": "w1", "b": "w2"}}


@pytest.mark.slow
@pytest.mark.parametrize("speeds", [{}, SPEEDS])
@pytest.mark.parametrize(
    ("model", "coordinates", "right"),
    [
        (("x", "y"), {"x": "a", "y": "b"}, True),  # the model's by yours
        (("x", "y"), {"a": "x", "b": "y"}, True),  # yours by the model's
        (("x", "y"), {"x": "b", "y": "a"}, False),
        (("x", "y"), {"a": "y", "b": "x"}, False),
        (("b", "a"), {"b": "a", "a": "b"}, True),
        (("b", "a"), {}, False),
        (("x", "y - x"), {"a": "x", "b": "y"}, False),
    ],
)
def test_coordinates_and_speeds_mean_what_is_said(
    model: tuple[str, str], coordinates: dict[str, str], right: bool, speeds: dict[str, Any]
) -> None:
    first, second = model
    text = BOOK.replace("z(b - a)", f"z({second} - {first})").replace("z(a)", f"z({first})")
    system = mbconcord.read(text=text, format="mbsd").system
    own = mbconcord.own(OWN, coordinates=coordinates, **speeds)
    checked = mbconcord.check(system, against=own, formalisms="lagrange", states=1)
    assert checked.verdict == ("agrees" if right else "disagrees")
    if right:
        said = write_certificate(system, ["lagrange"], True, own)[1]
        assert said is not None and said.verdict == "proved"
    else:
        with pytest.raises(DisagreementError, match="of own is not that of mechanics"):
            write_certificate(system, ["lagrange"], True, own)


def test_yours_may_be_formulas_of_the_models(run: Run) -> None:
    relative = mbconcord.read(text=BOOK.replace("b - a", "r"), format="mbsd").system
    own = mbconcord.own(OWN, coordinates={"a": "a", "b": "a + r"})
    said = write_certificate(relative, ["lagrange"], True, own)[1]
    assert said is not None and "force: mechanics of mbsd = lagrange = own" in said.said
    with pytest.raises(WordsError, match="other coordinates and speeds than the model's"):
        write_certificate(relative, ["lagrange"], True, mbconcord.own(OWN, coordinates={"a": "a", "r": "b - a"}))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--map", "names.toml"), "found no --equations"),
        (("--differs",), "found no --equations"),
        (("--equations", OWN, "--differs", "--formalisms", "lagrange,telegin"), "name one formalism at most"),
        (("--equations", "loop.mbsd"), "one without loops"),
        (("--equations", "fmu:x.fmu"), "an FMU has numbers and no equations"),
    ],
)
def test_what_cannot_be_stated_is_refused(run: Run, words: tuple[str, ...], said: str) -> None:
    Path("loop.mbsd").write_text((folder() / "mbsd/four_bar.mbsd").read_text("utf-8"), encoding="utf-8")
    Path("names.toml").write_text("", encoding="utf-8")
    done = run("certify", "book.mbsd", *words)
    assert done.code == 2 and said in done.err and not done.out


def test_what_is_read_is_not_written_over(run: Run) -> None:
    assert run("certify", "book.mbsd", "--equations", OWN, "--output", "book.py").code == 2
    assert Path("book.py").read_text("utf-8") == EQUATIONS
