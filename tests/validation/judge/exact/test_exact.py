"""Exact agreement in ``check``: identical, differs, undecided, not tried; what floats cannot see is seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from laboratory.faults.tables import read_table
from mbconcord import check as api_check
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import MbconcordError
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.expressions import apply, number, symbol
from mbconcord.reports.quantities import describe_proof
from mbconcord.testing import inject
from mbconcord.validation.check import check
from mbconcord.validation.judge.bounds import BoundedEquations
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.judge.exact import proof
from mbconcord.validation.judge.exact.equations import exact_equations
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from ...fakes import Altered, double_pendulum, entry

z1, m1 = symbol("z1"), symbol("m1")


def kinds(evidence: Evidence) -> set[str]:
    return {c.exact.kind for c in evidence.comparisons if c.exact}


def test_every_pair_and_quantity_is_identical_for_all_states_and_parameters():
    found = check(double_pendulum(), states=1)
    pairs = [c for c in found.comparisons if c.quantity in QUANTITIES and not c.claim]
    assert len(pairs) > 90
    assert all(c.exact and c.exact.kind == "identical" and c.exact.log2 < -160 for c in pairs)
    assert not any(c.exact for c in found.comparisons if c not in pairs)
    (line,) = describe_proof(found.comparisons)
    assert line.startswith("identical for all states and parameters (error < 2^-2")
    assert pairs[0].to_json()["exact"]["verdict"] == "identical"


@pytest.mark.parametrize("seed", range(6))
def test_all_formalisms_are_identical_on_a_random_tree(seed: int) -> None:
    carried = {"flywheels": seed % 3 == 1, "added_inertia": seed % 3 == 2}
    system = draw(random_system(seed, 1 + seed % 2, **carried), 0, seed).system
    taking = [formalism(name) for name in BUILT_IN if not formalism(name).obstacles(system)]
    found = exact_equations({f.name: BoundedEquations(f.derive(system)) for f in taking}, seed)
    for a, b in combinations(found.quantities, 2):
        for quantity in QUANTITIES:
            x = found.compare(a, b, quantity)
            assert x is None or x.kind == "identical", (a, b, quantity, str(x))


def altered(quantity: str, at: tuple[int, ...], change) -> Evidence:
    """A check of honest formalisms and one whose entry is changed."""
    wrong = Altered(entry(quantity, at, change))
    asked = [formalism("lagrange"), formalism("newton_euler"), wrong]
    return check(double_pendulum(), formalisms=asked, states=2, claims=())


#: Terms that are too large by 1e-9.
FACTOR = [row.fault for row in read_table("subtle", "") if row.section == ("factor",)]
#: What is wrong, and whether floats notice it at the given parameters.
FAULTS: dict[str, tuple[object, bool]] = {
    "a relative fault of 1e-15": (lambda x: x * (1 + number("1e-15")), False),
    "a fault of 1e-40": (lambda x: x + number("1e-40") * symbol("z2'"), False),
    "right at the model's own parameters": (lambda x: x * (m1 / 2), False),
    "another sign": (lambda x: -x, True),
    "another function": (lambda x: x + apply("sin", z1), True),
}


@pytest.mark.parametrize("title", FAULTS)
@pytest.mark.parametrize("quantity, at", [("M", (0, 1)), ("gravity", (0,)), ("h", (1,))])
def test_a_fault_is_proved_to_differ_whatever_floats_say(title, quantity, at):
    change, noticed = FAULTS[title]
    found = altered(quantity, at, change)
    apart = {frozenset((c.a, c.b)): c for c in found.comparisons if c.quantity == quantity}
    assert apart[frozenset(("lagrange", "newton_euler"))].exact.kind == "identical"
    for honest in ("lagrange", "newton_euler"):
        c = apart[frozenset((honest, "altered"))]
        assert c.exact.kind == "differs" and c.verdict == "disagrees"
        assert c.exact.entry == tuple(("z1", "z2")[i] for i in at)
        assert noticed or "lagrange and newton_euler stand against altered" in c.explanation
    assert found.verdict == "disagrees"


def test_without_it_such_a_fault_is_not_seen():
    wrong = Altered(entry("gravity", (0,), FAULTS["a relative fault of 1e-15"][0]))
    asked = [formalism("lagrange"), wrong]
    found = check(double_pendulum(), formalisms=asked, states=2, claims=(), exact="off")
    assert found.verdict == "agrees" and kinds(found) == set()


def test_a_fault_in_gravity_reaches_inverse_dynamics_and_accelerations():
    found = altered("gravity", (1,), lambda x: x * (1 + number("1e-15")))
    wrong = {c.quantity for c in found.comparisons if c.exact and c.exact.kind == "differs"}
    assert wrong == {"gravity", "inverse_dynamics", "acceleration"}


def test_what_is_known_by_arguments_only_is_undecided_and_floats_decide():
    square = 1 + z1 * z1
    found = altered("applied", (0,), lambda x: x + apply("exp", apply("log", square)) - square)
    apart = [c for c in found.comparisons if c.exact and c.exact.kind == "undecided"]
    assert {c.verdict for c in apart} == {"agrees"} and found.verdict == "agrees"
    assert all("values of its arguments" in c.exact.reason and c.exact.entry for c in apart)
    assert any(line.startswith("undecided: applied[z1]") for line in describe_proof(found.comparisons))


def test_what_is_undecided_differs_where_50_digits_do():
    square = 1 + z1 * z1
    tiny = apply("exp", z1) * number("1e-20")
    found = altered("applied", (0,), lambda x: x + tiny + apply("exp", apply("log", square)) - square)
    apart = [c for c in found.comparisons if c.exact and c.exact.kind == "differs"]
    assert {c.quantity for c in apart} >= {"applied", "inverse_dynamics"} and found.verdict == "disagrees"
    assert all("in 50 digits" in c.exact.reason for c in apart)


def test_a_singular_mass_matrix_is_so_for_all_states():
    system = read(folder("mbsd") / "manipulator.mbsd").system
    found = check(system, formalisms=["lagrange", "telegin"], states=1, claims=())
    (c,) = [c for c in found.comparisons if c.quantity == "acceleration" and c.b]
    assert c.exact.kind == "undecided" and "singular" in c.exact.reason


def test_the_budget_is_kept_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(proof, "BUDGET", 100)
    asked = {"formalisms": ["lagrange", "konoplev"], "states": 1, "claims": ()}
    found = check(double_pendulum(), **asked)
    assert kinds(found) == {"not tried"} and found.verdict == "agrees"
    assert describe_proof(found.comparisons) == ["not tried (size)"]
    assert kinds(check(double_pendulum(), exact="on", **asked)) == {"identical"}


def test_an_unknown_mode_is_refused():
    with pytest.raises(MbconcordError, match="auto, on, off"):
        api_check(double_pendulum(), exact="sometimes")  # type: ignore[arg-type]


def rounded_arm():
    """An elastic arm whose P_01 and P_10 differ in the last digit that a program prints."""
    system = read(folder("elastic") / "planar_arm.mbs.json").system
    (soft,) = [body for body in system.bodies if body.modes][:1]
    rows = [list(row) for row in soft.modes.second_moments]
    block = [list(row) for row in rows[0][1]]
    block[0][1] = block[0][1] + number("1e-17")
    rows[0][1] = tuple(map(tuple, block))
    changed = replace(soft, modes=replace(soft.modes, second_moments=tuple(map(tuple, rows))))
    return replace(system, bodies=tuple(changed if b is soft else b for b in system.bodies))


def test_rounded_numbers_of_a_model_leave_it_to_floats_and_it_is_said():
    honest = read(folder("elastic") / "planar_arm.mbs.json").system
    assert "power series" in proof.approximate(honest) and proof.approximate(double_pendulum()) == ""
    assert "P_01 is the transpose of P_10 to rounding only" in proof.approximate(rounded_arm())
    found = check(rounded_arm(), states=1, claims=())
    assert found.verdict == "agrees" and "undecided" in kinds(found) and "differs" not in kinds(found)
    said = [c.exact.reason for c in found.comparisons if c.exact and c.exact.kind == "undecided"]
    assert all("rounded" in reason for reason in said)


def test_a_function_without_formula_is_proved_for_every_formula():
    system = read(folder("mbsd") / "moving_support.mbsd").system
    drawn = draw(system, 0, 0).system
    equations = {n: BoundedEquations(formalism(n).derive(drawn)) for n in ("lagrange", "telegin")}
    inlined, open_ = (exact_equations(equations, given=given) for given in (None, system))
    called = [s for s in open_.points.sample.plan.steps if s.node.op == "call"]
    if system.functions != drawn.functions:
        assert called and not [s for s in inlined.points.sample.plan.steps if s.node.op == "call"]
    assert open_.compare("lagrange", "telegin", "h").kind == "identical"


#: Trees that together have what the factors are on.
MODELS = ("u_z-jg", "branched", "springs", "gimbal")


@pytest.mark.parametrize("fault", FACTOR, ids=lambda fault: f"{fault.formalism}: {fault.title}")
def test_seeded_factors_are_proved_to_differ(fault):
    """Too large by 1e-9 in one term: on some tree the equations are others."""
    honest = formalism("lagrange" if fault.formalism != "lagrange" else "telegin")
    systems = [read(folder("mbsd") / f"{name}.mbsd").system for name in MODELS]
    known = [BoundedEquations(honest.derive(system)) for system in systems]
    with inject(fault) as faulty:
        assert any(differs(faulty, system, own) for system, own in zip(systems, known, strict=True))


def differs(faulty, system, honest) -> bool:
    """Whether some quantity of a faulty formalism differs from that of an honest one."""
    if faulty.obstacles(system):
        return False
    found = exact_equations({"honest": honest, "faulty": BoundedEquations(faulty.derive(system))})
    seen = (found.compare("honest", "faulty", quantity) for quantity in QUANTITIES)
    return any(x is not None and x.kind == "differs" for x in seen)
