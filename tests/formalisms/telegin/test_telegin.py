"""Augmented bodies: all forms against other formalisms, what they take, refuted readings, stages, size."""

from __future__ import annotations

from typing import Any

import pytest

from laboratory.bench import telegin as bench
from laboratory.bench.newton_euler import chain
from laboratory.faults.score import faults
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.formalisms.telegin.planarity import PLANAR
from mbconcord.formalisms.telegin.spatial import Spatial
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Holonomic,
    Inertia,
    MbconcordError,
    Parameter,
    Prescribed,
    System,
    rotation,
    translation,
)
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import PI_NODE, TIME, count_operations, symbol
from mbconcord.reports.equations.listing import choose
from mbconcord.testing import inject
from mbconcord.validation.judge.agreement import compare_pairs
from mbconcord.validation.judge.comparison import compare_evaluations
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.strategies.special_trees import planar_system
from mbconcord.validation.strategies.trees import random_system

from ...reference.linkages import branched

POINT = Inertia(1, (1, 2, 3))


# --- agreement -------------------------------------------------------------------------------------


def disagreements(system: System, seed: int, suspects: list[Telegin], states: int = 2) -> list[Any]:
    """Comparisons of suspects with independent formalisms that do not agree (to 9.1e-13 of scale)."""
    drawn = draw(system, states, seed)
    made = trial(drawn.system, drawn.states, [Lagrange(), NewtonEuler()])
    assert set(made.evaluations) == {"lagrange", "newton_euler"}
    found = []
    for suspect in suspects:
        own = suspect.evaluate(drawn.system, drawn.states)
        assert set(own.quantities) == {"M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"}
        for other in made.evaluations.values():
            compared = compare_evaluations(own, other, made.scales, made.states, made.names)
            found += [(suspect.form, suspect.leaves, c) for c in compared if c.verdict == "disagrees"]
    return found


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_all_forms_agree_on_random_planar_trees(block: int) -> None:
    """All forms, and one more that writes angles: another one each time a number of links comes again."""
    for seed in range(10 * block, 10 * block + 10):
        other = Telegin(FORMS[(seed + seed // 8) % len(PLANAR)], "angles")
        suspects = [*(Telegin(form) for form in FORMS), other]
        assert disagreements(planar_system(seed, 1 + seed % 8), seed, suspects) == []


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_the_spatial_form_agrees_on_random_trees(seed: int) -> None:
    """Other trees than those of the agreement of all formalisms, where it is the form of nearly every one."""
    assert disagreements(random_system(seed, 1 + seed % 8), seed, [Telegin("spatial")]) == []


# --- what the forms take ---------------------------------------------------------------------------


def arm(*joints: Any, **more: Any) -> System:
    """A chain of bodies with such joints."""
    bodies = [Body(f"b{i}", f"b{i - 1}" if i else None, joint, POINT) for i, joint in enumerate(joints)]
    names = [name for body in bodies for name in body.coordinates]
    return System("arm", tuple(map(Coordinate, names)), bodies=tuple(bodies), **more)


REFUSED = {
    "two coordinates": (
        arm((rotation("z", "a"), rotation("z", "b"))),
        ["bodies/b0/joint: the form rud is for single revolute joints; this one has 2 coordinates"],
    ),
    "prismatic": (
        arm((rotation("z", "a"),), (translation("x", "b"),)),
        ["bodies/b1/joint: the form rud is for revolute joints; this one is prismatic"],
    ),
    "in space": (
        arm((rotation("z", "a"),), (rotation("z", "b"),), (rotation("x", "c"),)),
        ["bodies/b2/joint: the form rud is for parallel axes; this one has another direction"],
    ),
    "turned by a parameter": (
        arm((rotation("z", "a"),), (rotation("x", symbol("p")), rotation("z", "b")), parameters=(Parameter("p"),)),
        ["bodies/b1/joint: the form rud is for parallel axes; this one has another direction"],
    ),
    "a plane that a parameter turns": (
        arm((rotation("x", symbol("p")), rotation("z", "a")), parameters=(Parameter("p"),)),
        ["bodies/b0/joint: the form rud is for a plane that no parameter turns; p turns this axis"],
    ),
    "prescribed": (
        arm((rotation("z", "a"),), (rotation("z", Prescribed(TIME)), rotation("z", "b"))),
        ["bodies/b1/joint: the form rud takes no prescribed motion"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_obstacles_of_the_planar_forms(name: str) -> None:
    system, expected = REFUSED[name]
    assert [str(o) for o in Telegin("rud").obstacles(system)] == expected
    with pytest.raises(FormalismError):
        Telegin("rud").derive(system)
    assert Telegin().obstacles(system) == () == Telegin("spatial").obstacles(system)
    assert Telegin().form_of(system) == "spatial"


def test_constraints_are_obstacles_of_every_form() -> None:
    system = arm((rotation("z", "a"),), constraints=(Holonomic("row", symbol("a")),))
    for form in FORMS:
        assert [o.place for o in Telegin(form).obstacles(system)] == ["constraints/row"]


def test_axes_that_constant_turns_make_parallel_are_planar() -> None:
    quarter = rotation("x", Constant(PI_NODE / 2))
    system = arm((rotation("z", "a"),), (quarter, rotation("y", "b")), (quarter, rotation("-z", "c")))
    assert Telegin("rud").obstacles(system) == ()
    assert disagreements(system, 3, [Telegin(form) for form in FORMS]) == []


def test_the_default_form() -> None:
    assert Telegin().form_of(arm((rotation("y", "a"),), (rotation("-y", "b"),))) == "relative-recurrent"
    assert Telegin("matrix").form_of(arm((rotation("y", "a"),))) == "matrix"
    assert Telegin().form_of(System("nothing")) == "spatial"


@pytest.mark.parametrize("form", FORMS)
def test_degenerate_systems(form: str) -> None:
    nothing = System("nothing")
    assert Telegin(form).derive(nothing).quantities["M"] == ()
    welded = System("welded", bodies=(Body("b", None, (rotation("z", Constant(1)),), POINT),))
    assert Telegin(form).derive(welded).quantities["h"] == ()


@pytest.mark.parametrize(("form", "leaves"), [("rut", "components"), ("rud", "leaves")])
def test_unknown_forms_and_leaves_are_named(form: str, leaves: Any) -> None:
    with pytest.raises(MbconcordError) as refused:
        Telegin(form, leaves)
    assert "known: " in str(refused.value)


# --- stages and size -------------------------------------------------------------------------------


def test_stages_have_the_papers_letters() -> None:
    stages = {s.name: [a.name for a in s.assignments] for s in Telegin("rud").derive(branched()).stages}
    assert {"Jc_2_2", "Jc_5_3", "Jc_5_5"} <= set(stages["Jc"])
    assert "Js_4_4" in stages["Js"] and "G_3" in stages["G"] and "omega_5" in stages["absolute angles"]
    stages = {s.name for s in Telegin("absolute-recurrent").derive(branched()).stages}
    assert "L" not in stages
    assert {"A", "a", "B", "b", "G0"} <= stages


@pytest.mark.parametrize("form", FORMS)
def test_names_are_unique_and_not_the_models(form: str) -> None:
    system = branched()
    renamed = System(
        system.name,
        system.coordinates,
        (Parameter("omega_2"), Parameter("Jc_2_2"), Parameter("P_3_x")),
        (),
        system.gravity,
        system.bodies,
    )
    names = [a.name for a in Telegin(form).derive(renamed).assignments]
    assert len(names) == len(set(names))
    assert not set(names) & {"omega_2", "Jc_2_2", "P_3_x"}


@pytest.mark.slow
def test_inverse_dynamics_is_linear_to_a_thousand_links() -> None:
    """Three links more, whose axes repeat, always cost the same number of operations."""
    count = {n: count_operations(Telegin().inverse_dynamics(chain(n))).total for n in (10, 40, 1000)}
    assert (count[1000] - count[40]) * 30 == (count[40] - count[10]) * 960


def test_inverse_dynamics_alone_is_that_of_the_derivation() -> None:
    for system in (branched(), random_system(7, 5)):
        alone = Telegin().inverse_dynamics(system)
        assert alone == Telegin("spatial").derive(system).quantities["inverse_dynamics"]


def test_who_asks_for_inverse_dynamics_does_not_pay_for_the_mass_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns take quadratic time: a chain of 400 links takes half a minute with them, a second without."""
    monkeypatch.setattr(Spatial, "mass_column", None)
    derivation = Telegin("spatial").derive(chain(6))
    assert choose(derivation, ["inverse_dynamics"])["inverse_dynamics"]
    assert "M" in derivation.quantities
    with pytest.raises(TypeError):
        choose(derivation, ["M"])


def test_no_claim_of_the_check_is_left_out() -> None:
    drawn = draw(branched(), 3, 2)
    found = compare_pairs(trial(drawn.system, drawn.states, [Telegin(), Lagrange()]))
    assert {c.verdict for c in found} == {"agrees"}


# --- the benchmark ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "forms"), [("planar", FORMS), ("spatial", ("spatial",))])
def test_the_benchmark_measures_every_form(kind: str, forms: tuple[str, ...]) -> None:
    rows = list(bench.agreement(4, kind, forms))
    assert len(rows) == 4 * len(forms) and all(row.is_met for row in rows)
    for form in forms:
        own = [row for row in rows if row.claim.startswith(f"telegin, {form}: ")]
        assert len(own) == 4 and own[-1].note.startswith("of 48, ")
        assert 0 < own[0].measured < 1e-13


@pytest.mark.slow
def test_the_benchmark_notices_a_wrong_form(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = next(f for f in faults("telegin") if f.form == "rud")
    with inject(reading) as faulty:
        monkeypatch.setattr(bench, "Telegin", type(faulty))
        met = {
            row.claim.partition(", 4 random")[0]: row.is_met
            for row in bench.agreement(4, "planar", ("rud", "relative"))
        }
    assert [claim for claim, well in met.items() if not well] == [
        "telegin, rud: M, h and inverse dynamics",
        "telegin, rud: comparisons that disagree",
    ]
