"""Certificates of the fixtures, by all formalisms that take them, are proved by the file that knows none of these."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import mbconcord
from mbconcord.certificate import machine, verify_certificate
from mbconcord.certificate.emit import seal, write_certificate
from mbconcord.certificate.machine import state_machine
from mbconcord.certificate.programs import StepWriter, write_name, write_number
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import DisagreementError, MbconcordError
from mbconcord.model.expressions import PI_NODE, Expression, apply, cos, number, sin, sqrt, symbol
from mbconcord.model.system import System
from mbconcord.records import replace

ENTRIES = tomllib.loads((folder() / "catalog.toml").read_text("utf-8"))["model"]
FILES = (*(e["file"] for e in ENTRIES if not e["file"].startswith("um_prints")), "reference/four_bars_2.json")
#: What takes a minute.
LONG = {"robots/talos.mbsd"}
ELASTIC, FLUID = "for elastic bodies", "for added inertia of an ideal fluid"
#: Models whose mechanics has no words, with those that the certificate says.
WITHOUT: Mapping[str, str] = {
    "elastic/planar_arm.mbs.json": ELASTIC,
    "elastic/four_links.mbs.json": ELASTIC,
    "elastic/slider_crank.mbs.json": ELASTIC,
    "konoplev/submarine.mbs.json": FLUID,
    "konoplev/vectors/medium_flywheel.mbs.json": FLUID,
}
#: Models that are refused, with the piece: the series of lagrange and virtual_work have 16 and 17 terms.
REFUSED: Mapping[str, str] = {
    "elastic/nodal_tree.mbs.json": "bodies/2/modes/nodes/tip: error: formalisms have no identical equations: its turn",
    "elastic/soft_arm.mbs.json": "bodies/boom/modes/nodes/mid: error: formalisms have no identical equations: its turn",
}
SEED = bytes(32)


def system(file: str) -> System:
    return read(folder() / file, physics="ignore").system


def prove(text: str) -> dict[str, str]:
    """Return the sides of each proved quantity, by the verifier in this process."""
    said = verify_certificate.verify(text.encode(), (), SEED)
    return dict(line.split(": ", 1) for line in said.splitlines() if " = " in line)


def test_models_with_mechanics_are_as_many_as_the_specification_wants() -> None:
    assert len(FILES) == 104 and len(FILES) - len(WITHOUT) - len(REFUSED) == 97
    assert {*WITHOUT, *REFUSED} <= {*FILES}


@pytest.mark.slow
@pytest.mark.parametrize("file", [f for f in FILES if f not in REFUSED and f not in LONG])
def test_a_fixture_is_proved(file: str) -> None:
    text = write_certificate(system(file), witness=False)[0]
    proved = prove(text)
    quantities = {"M", "h", "gravity", "applied", "inverse_dynamics"}
    assert quantities <= {*proved}
    with_mechanics = {name for name, sides in proved.items() if sides.startswith("mechanics of ")}
    if file in WITHOUT:
        assert not with_mechanics
        (note,) = (line for line in text.splitlines() if line.startswith("note without mechanics: "))
        assert note.endswith(f"the format has no words {WITHOUT[file]}")
    else:
        assert with_mechanics == {*proved} and "note without" not in text


@pytest.mark.slow
@pytest.mark.parametrize("file", REFUSED)
def test_what_cannot_be_certified_is_refused_with_the_piece(file: str) -> None:
    with pytest.raises(MbconcordError) as problem:
        mbconcord.certify(system(file), physics="ignore")
    assert str(problem.value).startswith(REFUSED[file])


@pytest.mark.parametrize(
    ("file", "rows"),
    [("mbsd/four_bar.mbsd", "lagrange = newton_euler"), ("reference/pendulum.mbsd", "newton_euler = virtual_work"),
     ("native/bead_on_parabola.mbs.json", "lagrange = newton_euler"), ("mjcf/linkage.xml", "lagrange"),
     ("native/chaplygin_sleigh.mbs.json", "lagrange = newton_euler"), ("mbsd/andrews.mbsd", "lagrange = newton_euler")],
)  # fmt: skip
def test_rows_of_constraints_are_those_of_the_machine(file: str, rows: str) -> None:
    sides = prove(write_certificate(system(file), witness=False)[0])["rows"]
    assert sides.startswith("mechanics of ") and rows in sides


@pytest.mark.parametrize(("formalisms", "most"), [("lagrange", 15_000), ((), 80_000)])
def test_a_certificate_of_a_robot_is_small(formalisms: Sequence[str], most: int) -> None:
    assert len(mbconcord.certify(folder() / "robots/ur5.mbsd", formalisms=formalisms, witness=False)) <= most


def change(text: str, old: str, new: str) -> str:
    assert old in text
    return seal(text.replace(old, new).splitlines()[:-1])


PENDULUM = "z j-2 $3 g9.81"


@pytest.mark.parametrize(
    ("old", "new"),
    [("shift 0 1 0 -2 1", "shift 0 1 0 -2.000000000000000000001 1"), ("turn 0 0 1 1 z1", "turn 0 0 1 2 z1"),
     ("out h 1", "out h 0"), ("gravity 0 -9.81 0", "gravity 0 -9.8 0"), ("s 1 z1", "s 2 z1")],
)  # fmt: skip
def test_a_change_of_a_certificate_is_refused(old: str, new: str) -> None:
    text = mbconcord.certify(mbconcord.read(text=PENDULUM, format="mbsd"), formalisms="lagrange")
    assert prove(text)["M"].endswith(" = lagrange")
    with pytest.raises(verify_certificate.RefusedError):
        prove(change(text, old, new))


def test_a_machine_with_fewer_rows_gets_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that formalisms have, and none is stated for, were left out of what the verifier compares."""
    whole = machine._Machine.cut_joint
    monkeypatch.setattr(machine._Machine, "cut_joint", lambda *of: [*whole(*of)][:-1])
    system = read(folder() / "native/universal_joint.mbs.json").system
    with pytest.raises(DisagreementError, match="stated with 3 rows of constraints, formalisms have 4"):
        write_certificate(system)


def test_wrong_equations_get_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Lagrange.derive

    def wrong(self: Lagrange, system: System) -> Derivation:
        made = right(self, system)
        x = made.quantities["h"]
        assert isinstance(x, tuple)
        return replace(made, quantities={**made.quantities, "h": (x[0] + number(Fraction(1, 10**30)), *x[1:])})

    monkeypatch.setattr(
        "mbconcord.certificate.emit.registry.formalism", lambda name: type("W", (Lagrange,), {"derive": wrong})()
    )
    with pytest.raises(DisagreementError, match="h 1 of lagrange is not that of mechanics of"):
        mbconcord.certify(system("mbsd/double_pendulum.mbsd"), formalisms="lagrange")
    assert mbconcord.certify(system("mbsd/double_pendulum.mbsd"), formalisms="lagrange", witness=False)


def test_the_machine_is_made_of_fields_alone() -> None:
    text = Path(machine.__file__).read_text("utf-8")
    assert "formalisms" not in {word.split(".")[1] for word in text.split() if word.startswith("mbconcord.")}
    lines = state_machine(system("mbsd/double_pendulum.mbsd"), "m").lines
    assert lines[-1] == "end" and not any(line.startswith(("out", "program")) for line in lines)


def test_names_and_numbers_are_exact() -> None:
    names = {"z1''": "z1''", "2 bars": "%32%20bars", "pi": "%70i", "ground": "%67round", "ψ": "%cf%88",
             "a-b": "a-b", "-b": "%2db"}  # fmt: skip
    assert {name: write_name(name) for name in names} == names
    values = [
        Fraction(1, 3),
        Fraction(-1, 8),
        Fraction(7, 2),
        Fraction(1, 10**30 + 7),
        Fraction(-5),
        Fraction(1, 2**60),
    ]
    assert [Fraction(write_number(x)) for x in values] == values
    assert [write_number(x) for x in values[:3]] == ["1/3", "-1/8", "3.5"]


@pytest.mark.parametrize(
    ("a", "b"),
    [(sqrt(number(12)), sqrt(number(3)) * 2), (cos(PI_NODE / 12), (sqrt(number(6)) + sqrt(number(2))) / 4),
     (sin(symbol("q") + PI_NODE / 6), sin(symbol("q")) * sqrt(number(3)) / 2 + cos(symbol("q")) / 2),
     (cos(PI_NODE * Fraction(2, 5)), sin(PI_NODE / 10)), (sin(-PI_NODE / 9), -sin(PI_NODE / 9)),
     (sin(apply("atan2", symbol("y"), symbol("x"))), symbol("y") / sqrt(symbol("x") ** 2 + symbol("y") ** 2)),
     (apply("tan", symbol("q")) * cos(symbol("q")), sin(symbol("q"))),
     (sqrt(number(Fraction(2, 3))) ** 2, number(Fraction(2, 3))),
     (apply("abs", -symbol("q")), apply("abs", symbol("q"))), (symbol("q") ** -3, 1 / symbol("q") ** 3)],
    ids=str,
)  # fmt: skip
def test_steps_of_equal_formulas_are_equal(a: Expression, b: Expression) -> None:
    assert_equal(a, b)
    with pytest.raises(verify_certificate.RefusedError):
        assert_equal(a, b + number(Fraction(1, 10**20)))


def assert_equal(a: Expression, b: Expression) -> None:
    lines = ["mbcert 1", "model m", "coordinates q x y", "end"]
    for name, value in (("a", a), ("b", b)):
        steps = StepWriter()
        place = steps.step(value)
        lines += [f"program {name} m", *steps.lines, f"out h {place} {place} {place}", "end"]
    assert prove(seal(lines))["h"] == "a = b"


def test_what_the_format_cannot_hold_is_no_disagreement() -> None:
    """The verifier takes roots of 12 primes; the masses here have those of 13."""
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    lines = "".join(f" + sqrt({q})" for q in primes)
    text = (folder() / "mbsd" / "particle.mbsd").read_text("utf-8")
    many = text.replace("$(m_p)", f"$(m_p{lines})")
    assert many != text
    with pytest.raises(MbconcordError, match=r"not readable: .* more than 12 primes") as found:
        mbconcord.certify(mbconcord.read(text=many, format="mbsd"))
    assert not isinstance(found.value, DisagreementError)
