"""A check: every formalism asked, every failure shown, nothing called agreement that has one witness."""

from __future__ import annotations

import subprocess
import sys
from math import pi

import pytest

from mbconcord.formalisms.registry import BUILT_IN
from mbconcord.model import (
    Body,
    Coordinate,
    Inertia,
    MbconcordError,
    ModelError,
    NumbersError,
    Parameter,
    State,
    System,
    rotation,
)  # fmt: skip
from mbconcord.model.expressions import as_expression, symbol
from mbconcord.model.mixed import list_quantities
from mbconcord.validation.check import check
from mbconcord.validation.claims import DEFAULT

from .fakes import Altered, Failing, double_pendulum, entry, only, pairs_of, soft

HONEST = tuple(BUILT_IN)


#: Of a model whose drives impose nothing.
OF_A_TREE = list_quantities(double_pendulum())


def test_all_pairs_of_all_formalisms_agree_on_a_double_pendulum() -> None:
    evidence = check(double_pendulum(), "dp.mbsd", states=4, seed=7)
    whole = [w.name for w in evidence.witnesses if w.derivation and "M" in w.derivation.quantities]
    parts = [w.derivation.quantities for w in evidence.witnesses if w.derivation and w.name not in whole]
    assert evidence.verdict == "agrees"
    assert len(whole) >= 5 and len(whole) + len(parts) == len(HONEST)
    pairs = [c for c in evidence.comparisons if not c.claim]
    assert len(pairs) == pairs_of([OF_A_TREE] * len(whole) + [list(p) for p in parts])
    assert all(c.discrepancy <= 1e-12 for c in pairs if c.discrepancy is not None)
    assert {c.claim for c in evidence.comparisons} == {"", *DEFAULT} - {"second_reading"}  # there is no text
    assert all(c.noticeable < 1e-12 for c in pairs if c.quantity in ("M", "gravity") and c.noticeable is not None)
    for witness in evidence.witnesses:
        assert witness.derivation and set(witness.derivation.quantities) <= set(witness.operations)
        assert witness.seconds and witness.evaluation_seconds
    assert evidence.to_json()["verdict"] == "agrees"


def test_operations_are_counted_where_they_are_asked_for_and_change_nothing() -> None:
    counted, other = (check(double_pendulum(), states=2, count=count) for count in (True, False))
    assert all(w.operations for w in counted.witnesses) and not any(w.operations for w in other.witnesses)
    assert counted.to_json()["pairs"] == other.to_json()["pairs"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_evidence() -> None:
    first, second = (check(double_pendulum(), states=3, seed=5).to_json() for _ in range(2))
    assert first["pairs"] == second["pairs"]
    assert check(double_pendulum(), states=3, seed=6).to_json()["pairs"] != first["pairs"]


PLANTED = [
    ("M", (0, 1), lambda x: x + 1),
    ("M", (1, 1), lambda x: -x),
    ("h", (0,), lambda x: -x),
    ("gravity", (1,), lambda x: -x),
    ("gravity", (0,), lambda x: x * (1 + as_expression(1e-9))),
    ("applied", (0,), lambda x: x * 0),
]


@pytest.mark.parametrize(("quantity", "at", "change"), PLANTED)
def test_one_wrong_entry_disagrees_in_its_quantity_and_its_witness(quantity, at, change) -> None:  # type: ignore[no-untyped-def]
    evidence = check(double_pendulum(), formalisms=["lagrange", "virtual_work", Altered(entry(quantity, at, change))])
    wrong = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    bad = [c for c in wrong if not c.claim]
    assert evidence.verdict == "disagrees"
    assert all("altered" in (c.a, c.b) for c in wrong)
    assert ("altered", "direct") in {(c.a, c.b) for c in wrong if (c.claim, c.quantity) == ("fields", quantity)}
    located = [c for c in bad if c.quantity == quantity]
    assert len(located) == 2
    assert {c.entry for c in located} == {tuple(("z1", "z2")[i] for i in at)}
    assert all("against altered" in c.explanation for c in located)
    assert not any(c.quantity in ("M", "h", "gravity", "applied") and c.quantity != quantity for c in bad)


def test_one_witness_is_not_checked_never_agreement() -> None:
    evidence = check(double_pendulum(), formalisms=["lagrange"])
    assert evidence.verdict == "not checked"
    pairs = [c for c in evidence.comparisons if not c.claim]
    assert [c.quantity for c in pairs] == list(OF_A_TREE)
    assert {c.verdict for c in pairs} == {"not checked"}
    assert {c.verdict for c in evidence.comparisons if c.claim} == {"agrees"}  # claims are no second formalism


def test_a_quantity_that_only_one_delivers_is_not_checked() -> None:
    evidence = check(double_pendulum(), formalisms=["lagrange", Altered(only("gravity"))])
    verdicts = {c.quantity: c.verdict for c in evidence.comparisons if not c.claim}
    assert verdicts == dict.fromkeys(OF_A_TREE, "not checked") | {"gravity": "agrees"}
    assert evidence.verdict == "not checked"


def test_a_formalism_that_fails_is_a_finding() -> None:
    evidence = check(double_pendulum(), formalisms=["lagrange", "virtual_work", Failing()])
    (finding,) = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    assert evidence.verdict == "disagrees"
    assert (finding.a, finding.quantity) == ("failing", "derivation")
    assert "KeyError" in finding.explanation
    assert finding.to_json()["verdict"] == "disagrees"


def test_obstacles_are_listed_and_nothing_is_checked() -> None:
    evidence = check(soft(), formalisms=["newton_euler", "telegin"])
    assert evidence.verdict == "not checked"
    assert all(w.obstacles and w.derivation is None for w in evidence.witnesses)


def test_parameters_without_value_are_drawn_and_reported() -> None:
    base = double_pendulum()
    model = System(
        base.name, base.coordinates, (Parameter("m1"), Parameter("m2")), (), base.gravity, base.bodies, base.forces
    )
    evidence = check(model, states=3)
    assert evidence.verdict == "agrees"
    assert all(set(s.parameters) == {"m1", "m2"} for s in evidence.states)
    assert any("m1, m2" in str(d) for d in evidence.diagnostics)
    given = check(model, given=[State(q={"z1": 0.5}, parameters={"m1": 4.0})])
    assert given.states[0].parameters["m1"] == 4.0
    assert given.states[0].parameters["m2"] > 0
    assert given.verdict == "agrees"


REFUSED = [
    ({"formalisms": ["lagrang"]}, MbconcordError, "lagrange"),
    ({"states": 0}, NumbersError, "at least one"),
    ({"given": [State(q={"z9": 1.0})]}, NumbersError, "z9"),
    ({"given": [State(v={"z1": float("nan")})]}, NumbersError, "nan"),
    ({"given": [State(parameters={"m1": -1.0})]}, ModelError, "mass is -1"),
]


@pytest.mark.parametrize(("arguments", "kind", "message"), REFUSED)
def test_bad_input_is_refused_with_its_reason(arguments, kind, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(kind, match=message):
        check(double_pendulum(), **arguments)


def test_a_singular_mass_matrix_leaves_only_accelerations_unchecked() -> None:
    names = (Coordinate("a"), Coordinate("b"))
    rod = Body("rod", None, (rotation("z", "a"), rotation("x", "b")), Inertia(symbol("m"), (1, 0, 0)))
    evidence = check(System("thin rod", names, (Parameter("m", as_expression(1)),), bodies=(rod,)))
    verdicts = {c.quantity: c.verdict for c in evidence.comparisons}
    assert verdicts["acceleration"] == "not checked"
    assert {v for q, v in verdicts.items() if q != "acceleration"} == {"agrees"}
    (reason,) = {c.explanation for c in evidence.comparisons if c.quantity == "acceleration"}
    assert "b" in reason and "singular" in reason


@pytest.mark.slow
def test_a_check_that_agrees_loads_no_heavy_library() -> None:
    code = (
        "import sys\n"
        "from tests.validation.fakes import double_pendulum\n"
        "from mbconcord.validation.check import check\n"
        "assert check(double_pendulum()).verdict == 'agrees'\n"
        "print([m for m in ('sympy', 'hypothesis', 'matplotlib', 'scipy', 'pandas', 'openpyxl') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_a_formalism_says_of_the_states_reaches_its_witness() -> None:
    """The angles of a joint in Konoplev's order are singular at θ5 = π/2; nobody else has anything to say."""
    joint = tuple(rotation(axis, f"t{axis}") for axis in "xyz")
    body = Body("gimbal", None, joint, Inertia(1, (0.1, 0, 0), (0.2, 0.3, 0.4)))
    system = System("gimbal", tuple(Coordinate(f"t{axis}") for axis in "xyz"), bodies=(body,))
    good, bad = State(q={"ty": 1.5}), State(q={"ty": pi / 2})
    for given, words in ((good, ()), (bad, ("bodies/gimbal/joint", "coordinate ty"))):
        (found,) = [w.diagnostics for w in check(system, given=[given]).witnesses if w.name == "konoplev"]
        assert bool(found) == bool(words)
        said = " ".join(map(str, found))
        assert all(word in said for word in words)
        assert len(set(found)) == len(found)
