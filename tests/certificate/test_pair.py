"""Two certificates are the same machine, another one, or not decided: by the verifier, and never more than it knows."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord
from mbconcord.certificate.emit import seal
from mbconcord.certificate.pair import compare_texts

from ..cli.commands import Run, runner
from .written import VECTORS

run = pytest.fixture(runner)


def write(name: str, model: str, *formalisms: str) -> str:
    """Write the certificate of a model in mbsd."""
    found = mbconcord.read(text=model, format="mbsd")
    Path(name).write_text(mbconcord.certify(found, formalisms=formalisms, witness=False), encoding="ascii")
    return name


DOUBLE = "z(a) j-2 $3 > z(b) j-1 $1 g9.81"
#: A, B, options, the exit code, words of what is said.
CASES = {
    "the same": (DOUBLE, DOUBLE, (), 0, "same machine, same claims\n  M: mechanics of both models (A."),
    "another way to say it": (DOUBLE, "z(a) j-2 $3 > z(b) j(-0.5) j(-0.5) $1 g9.81", (), 0, "same machine"),
    "other names": (DOUBLE, DOUBLE.replace("(a)", "(c)"), ("--coordinates", "a=c"), 0, "same machine, same claims"),
    "names not matched": (DOUBLE, DOUBLE.replace("(a)", "(c)"), (), 3, "not decided: coordinates have other names"),
    "another mass": (DOUBLE, DOUBLE.replace("$3", "$3.0000000001"), (), 1, "not the same machine: M 1 of "),
    "another gravity": (DOUBLE, DOUBLE.replace("9.81", "9.8"), (), 1, "not the same machine: gravity 1 of "),
    "one coordinate less": (DOUBLE, "z(a) j-2 $3 g9.81", (), 1, "not the same machine: coordinates are 2 in A, 1 in B"),
    "a named parameter": ("z(a) j(-L) $3 g9.81 ; L=2", "z(a) j(-r) $3 g9.81 ; r=2", (), 3, "not decided: M 1"),
    "a mass beside a parameter": (
        "z(a) j(-L) $3 g9.81 ; L=2", "z(a) j(-L) $4 g9.81 ; L=2", (), 1, "not the same machine: M 1"),
    "another value of a parameter": (
        "z(a) j(-L) $3 g9.81 ; L=2", "z(a) j(-r) $3 g9.81 ; r=3", ("--coordinates", "L=r,a=a"), 4,
        "same machine, but: L is 2 in A, 3 in B\n"),
    "parameters matched": (
        "z(a) j(-L) $3 g9.81 ; L=2", "z(a) j(-r) $3 g9.81 ; r=2", ("--coordinates", "L=r,a=a"), 0, "same machine"),
    "a rod": ("zi#a ; g-y \\ #a :(2) {3,0} < #0", "zi#a ; g-y \\ #a :(2) {4,0} < #0", (), 3, "not decided: "),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_certificates_are_compared_by_the_verifier(run: Run, name: str) -> None:
    a, b, options, code, words = CASES[name]
    done = run("compare", write("a.cert", a, "lagrange"), write("b.cert", b, "lagrange"), *options)
    assert (done.code, done.out.startswith(words)) == (code, True), done.out + done.err


def test_what_only_one_claims_is_said(run: Run) -> None:
    a = write("a.cert", DOUBLE, "lagrange")
    lines = [line for line in Path(a).read_text("ascii").splitlines() if not line.startswith("out gravity")]
    Path("b.cert").write_text(seal(lines[:-1]), encoding="ascii")
    done = run("compare", a, "b.cert", "--json")
    assert done.code == 4 and done.json["verdict"] == "agrees in part"
    said = "same machine, but: A alone claims force, gravity, inverse_dynamics"
    assert done.json["said"][0] == said


def test_functions_that_are_known_by_name_only_decide_nothing() -> None:
    def text(value: str) -> str:
        steps = f"v x\nf exp 0\n{value}\n"
        model = f"model m\ncoordinates x\nbody b ground\nshift 1 0 0 1 x\nmass 1 0 0 0\n{steps}effort x #2\nend\n"
        return f"mbcert 1\n{model}program p m\n{steps}out applied 2\nend\nsum\n"

    assert compare_texts(text("* 1 1"), text("+ 1 1")).code == 3
    assert compare_texts(text("* 1 1"), text("* 1 1")).code == 0


def test_forces_that_are_parted_otherwise_decide_nothing() -> None:
    def text(M: int, h: int, gravity: int) -> str:
        steps = f"n {M}\nn {h}\nn {gravity}\nn 0\nout M 0\nout h 1\nout gravity 2\nout applied 3\nend\n"
        programs = "".join(f"program {name} m\n{steps}" for name in "pr")
        return f"mbcert 1\nmodel m\ncoordinates x\nnote without mechanics\nend\n{programs}sum\n"

    assert compare_texts(text(1, 2, 5), text(1, 2, 5)).headline.startswith("same equations, of which not both state")
    parted = compare_texts(text(1, 2, 5), text(1, 1, 4))
    assert (parted.code, parted.headline.endswith("but forces may be parted otherwise")) == (3, True)
    assert compare_texts(text(1, 2, 5), text(3, 2, 5)).code == 1


def test_what_is_no_certificate_of_one_machine_is_refused(run: Run) -> None:
    a = write("a.cert", DOUBLE, "lagrange")
    for other, words in (("one.mbsd", "not readable"), (str(VECTORS / "pair.cert"), "two machines")):
        done = run("compare", a, other)
        assert done.code == 2 and words in done.err
    assert run("compare", a, a, "--why").code == 2
    done = run("compare", a, str(VECTORS / "forged_number.cert"))
    assert done.code == 3 and "proves nothing" in done.out


def test_what_is_left_out_is_said(run: Run) -> None:
    text = Path(write("a.cert", DOUBLE, "lagrange")).read_text("ascii")
    noted = text.replace("model ", "note the model is without 1 spring\nmodel ", 1)
    assert compare_texts(text, noted).headline.endswith("but: B: the model is without 1 spring")
    assert compare_texts(text, noted).code == 4
