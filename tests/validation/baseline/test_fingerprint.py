"""Residues: what they are by hand, the same by every formalism, and where they are none."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import mbconcord
from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import FormalismError
from mbconcord.validation.baseline import fingerprint as prints
from mbconcord.validation.baseline.fingerprint import (
    DIGITS,
    NOT_EXACT,
    PRIME,
    Fingerprint,
    fingerprint,
    format_key,
    format_residue,
    name_key,
)
from mbconcord.validation.judge.exact.sameness import scalars

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
P = PRIME.p
#: Models that all full formalisms take, or nearly: prismatic, several coordinates, prismatic drives, forces, a robot.
MODELS = ["mbsd/zi_zig.mbsd", "mbsd/gimbal.mbsd", "mbsd/springs.mbsd", "mbsd/uvwg.mbsd", "robots/ur5.mbsd"]


def of(text: str) -> Fingerprint:
    return fingerprint(mbconcord.read(text=text, format="mbsd", physics="ignore").system)


def rows(found: Fingerprint) -> dict[str, str]:
    return {format_key(key): row.residue for key, row in found.rows.items()}


def hashed(name: str) -> int:
    """The value of a symbol, worked out here."""
    return 1 + int.from_bytes(sha256(f"sym:{name}".encode()).digest(), "big") % (P - 1)


def exponential(name: str) -> int:
    """e^(i angle), worked out here."""
    text = f"0 (base,{{(sym:{name},1)}})"
    drawn = 2 + int.from_bytes(sha256(text.encode()).digest(), "big") % (P - 2)
    return pow(drawn, (P - 1) // PRIME.order, P)


def test_the_prime_has_what_it_is_said_to_have() -> None:
    assert pow(PRIME.unit, 2, P) == P - 1
    assert pow(PRIME.root, 4 * PRIME.smooth, P) == 1 != pow(PRIME.root, 2 * PRIME.smooth, P)
    assert (P - 1) % (4 * PRIME.smooth * PRIME.order) == 0
    assert pow(PRIME.nonresidue, (P - 1) // 2, P) == P - 1
    # Pocklington's criterion, with the large prime factor of P - 1
    assert PRIME.order**2 > P and pow(3, P - 1, P) == 1
    assert pow(3, (P - 1) // PRIME.order, P) != 1


def test_a_pendulum_by_hand() -> None:
    """M = m l², gravity = -m g l cos q, and q'' = gravity/M; masses without values are symbols."""
    found = rows(of("z(q) i(l) $(m) g10"))
    m, length = hashed("m"), hashed("l")
    e = exponential("q")
    cosine = (e + pow(e, -1, P)) * pow(2, -1, P) % P
    weight = -m * 10 * length * cosine % P
    assert found["M[q, q]"] == format_residue(m * length * length % P)
    assert found["gravity[q]"] == format_residue(weight)
    assert found["h[q]"] == "0"
    assert found["acceleration[q]"] == format_residue(weight * pow(m * length * length, -1, P) % P)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_formalism_has_the_same_residues(name: str) -> None:
    system = mbconcord.read(FIXTURES / name).system
    found: dict[str, dict[str, str]] = {}
    for formalism in map(registry.formalism, registry.names()):
        if formalism.obstacles(system):
            continue
        try:
            entries = scalars(system, formalism)
        except KeyError:
            continue
        residues, notes = prints._residues(system, entries, "")
        assert not notes
        found[formalism.name] = {format_key(key): x for key, x in residues.items()}
    assert len(found) >= 4
    (first, *others) = found.values()
    for other in others:
        assert other == first


def test_a_root_whose_sign_depends_on_another_is_not_exact() -> None:
    found = fingerprint(mbconcord.read(FIXTURES / "mbsd" / "driven_arm.mbsd").system)
    assert rows(found)["applied[z1]"] == NOT_EXACT
    assert found.notes == ("applied: it depends on the signs of roots, or of arguments of sign() and abs()",)
    assert all(len(row.digits) == 2 for key, row in found.rows.items() if key[0] == "applied")


def test_digits_are_those_of_a_float_evaluation() -> None:
    """Another evaluator, at the states that stand in the fingerprint."""
    system = mbconcord.read(FIXTURES / "mbsd" / "springs.mbsd").system
    found = fingerprint(system)
    for k, state in enumerate(found.states):
        numbers = mbconcord.evaluate(system, state, formalism="konoplev")
        for key, row in found.rows.items():
            if row.digits and key[0] in ("M", "h", "gravity", "applied"):
                i, *j = (system.coordinate_names.index(name) for name in key[1:])
                value = float(numbers[key[0]][(i, *j)])
                assert float(row.digits[k]) == pytest.approx(value, rel=10 ** (2 - DIGITS), abs=1e-11)


def test_a_formalism_that_differs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = prints.scalars

    def wrong(system: mbconcord.System, formalism: object) -> dict:  # type: ignore[type-arg]
        found = real(system, formalism)  # type: ignore[arg-type]
        if getattr(formalism, "name", "") == "newton_euler":
            found["gravity", "z1"] = -found["gravity", "z1"]
        return found

    monkeypatch.setattr(prints, "scalars", wrong)
    with pytest.raises(FormalismError, match=r"lagrange and newton_euler give different gravity\[z1\]"):
        of("zi g")


def test_names_are_the_same_text_in_every_order() -> None:
    assert name_key(frozenset([("b", 1), ("a", 2)])) == name_key(frozenset([("a", 2), ("b", 1)])) == "{(a,2),(b,1)}"


def test_parameters_in_functions_have_their_values() -> None:
    """A number written out, in a function, in a function of a function, in a parameter of a parameter is one."""

    def residue(term: str, *given: str) -> str:
        text = f'x(q)"({term}) $1 g9.81-x; {", ".join(given)}'
        return of(text).rows["applied", "q"].residue

    wanted = residue("-3*q^2", "unused = 1")
    assert residue("f(q)", "f(s) = -k*s^2", "k = 3") == wanted
    assert residue("f(q)", "f(s) = -h(s)", "h(s) = k*s^2", "k = 3") == wanted
    assert residue("f(q)", "f(s) = -d*s^2", "d = c", "c = k", "k = 3") == wanted
    assert residue("f(q)", "f(s) = -k*s^2", "k = 4") != wanted
