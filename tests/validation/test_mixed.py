"""The mixed problem: accelerations that drives impose, by every formalism, of trees and of closed mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import mbconcord
from laboratory.machines import small_state
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    Holonomic,
    Inertia,
    ModelError,
    State,
    System,
    rotation,
    translation,
)
from mbconcord.model.expressions import TIME, as_expression, evaluate_float, sin, symbol
from mbconcord.validation.check import check
from mbconcord.validation.claims import ALL
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.strategies.choices import Choices, Seeded
from mbconcord.validation.strategies.machines import elastic_tree
from mbconcord.validation.strategies.special_trees import driven, imposed_by
from mbconcord.validation.strategies.trees import random_system

from .fakes import Altered, double_pendulum

#: What the mixed problem is about.
CLAIMS = ("agreement", "forward_inverse", "reinsertion", "direct_evaluation")


@cache
def made(seed: int) -> Trial:
    """A random tree, every second one with elastic bodies, some accelerations imposed; by everyone who takes it."""
    elastic = seed % 2
    system = elastic_tree(seed + 2, 2) if elastic else random_system(302 + seed, 2)
    drawn = draw(imposed_by(Choices(Seeded(seed)), system, every=seed == 2), 1, seed)
    takers = [f for f in map(formalism, BUILT_IN) if not f.obstacles(drawn.system)]
    return trial(drawn.system, drawn.states, takers)


def said(tried: Trial) -> list[Comparison]:
    """What the claims say."""
    return [c for claim in ALL if claim.name in CLAIMS for c in claim.check(tried)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_formalism_solves_the_mixed_problem_and_its_solution_can_be_put_in_again(seed: int) -> None:
    tried = made(seed)
    found = said(tried)
    assert [c for c in found if c.verdict == "disagrees"] == []
    assert {"acceleration", "effort"} <= {c.quantity for c in found if c.verdict == "agrees"}
    again = {c.a.partition(",")[0] for c in found if c.b == "re-inserted"}
    assert again == {name for name, e in tried.evaluations.items() if "acceleration" in e.quantities}
    assert len(again) >= (2 if seed % 2 else 5)


@pytest.mark.parametrize("name", [n for n in BUILT_IN if n != "static_moments"])
def test_all_imposed_is_inverse_dynamics_and_none_is_forward_dynamics(name: str) -> None:
    """χ = 1 everywhere: efforts are M a + h - Q at the accelerations given. χ = 0: there are no efforts."""
    given = {"z1": as_expression(3), "z2": symbol("z1") - sin(TIME)}
    every, at = driven(double_pendulum(), given), State(0.3, {"z1": 0.4, "z2": -0.9}, {"z1": 1.1, "z2": 2.0})
    values = {"z1": 0.4, "t": 0.3}
    a = {key: evaluate_float(formula, values) for key, formula in given.items()}
    by = formalism(name)
    found = by.evaluate(every, [replace(at, a=a)]).quantities
    assert found["acceleration"][0] == pytest.approx([a["z1"], a["z2"]], rel=1e-15)
    assert found["effort"] == pytest.approx(found["inverse_dynamics"], rel=1e-13)
    none = by.evaluate(double_pendulum(), [at]).quantities
    assert "effort" not in none
    solved = dict(zip(("z1", "z2"), none["acceleration"][0].tolist(), strict=True))
    back = by.evaluate(every, [replace(at, a=solved)]).quantities["inverse_dynamics"]
    assert np.abs(back).max() <= 1e-12 * np.abs(none["gravity"]).max()


@pytest.mark.parametrize("modes", [("e1",), ("e2",), ("e1", "e2")], ids=" and ".join)
def test_accelerations_along_modes_may_be_imposed(modes: tuple[str, ...]) -> None:
    """A piezo that bends the beam as told: the recursion eliminates the other modes only."""
    system = driven(read(folder() / "elastic/planar_arm.mbs.json").system, dict.fromkeys(modes, 2 + sin(TIME)))
    tried = trial(system, [small_state(system, 3)], [formalism("lagrange"), formalism("flexible")])
    assert [c for c in said(tried) if c.verdict == "disagrees"] == []
    efforts = tried.evaluations["flexible"].quantities["effort"][0]
    assert {n for n, u in zip(tried.names, efforts, strict=True) if u} == {*modes}


def test_what_is_imposed_needs_no_inertia() -> None:
    bodies = (
        Body("stick", None, (rotation("z", "a"),)),
        Body("ball", "stick", (rotation("x", "b"),), Inertia(as_expression(2), (0, as_expression(1), 0))),
        Body("ghost", "ball", (rotation("y", "c"),)),
    )
    system = System("ghost", tuple(map(Coordinate, "abc")), bodies=bodies)
    at = [State(0.0, {"b": 0.3}, {"a": 1.0, "b": 0.5, "c": 2.0})]
    for name in ("lagrange", "newton_euler"):
        assert np.isnan(formalism(name).evaluate(system, at).quantities["acceleration"]).all()
        found = formalism(name).evaluate(driven(system, {"c": as_expression(4)}), at)
        assert np.isfinite(found.quantities["acceleration"]).all() and not found.diagnostics
        assert found.quantities["acceleration"][0, 2] == 4 and found.quantities["effort"][0, 2] == 0


@pytest.mark.parametrize("name", [n for n in BUILT_IN if n != "static_moments"])
def test_a_lamp_on_a_driven_ship_has_inertia(name: str) -> None:
    def all_round(size: Fraction) -> Inertia:
        return Inertia(as_expression(0), tensor=tuple(map(as_expression, (*[size] * 3, 0, 0, 0))))

    bodies = (
        Body("ship", None, (rotation("z", "a"),), all_round(Fraction(10**12))),
        Body("lamp", "ship", (rotation("x", "b"),), all_round(Fraction(1, 1000))),
    )
    system = driven(System("ship", tuple(map(Coordinate, "ab")), bodies=bodies), {"a": as_expression(3)})
    found = formalism(name).evaluate(system, [State(0.0, {"b": 0.3}, {"a": 1.0, "b": 0.5})])
    assert np.isfinite(found.quantities["acceleration"]).all() and not found.diagnostics


def test_a_light_slide_on_a_heavy_turret_is_compared_in_other_units() -> None:
    """Its inertia is 1e-13 of the turret's in metres and 1e-19 in millimetres, and made of nothing but its mass."""
    inertia = Inertia(as_expression(1), tensor=tuple(map(as_expression, (4 * 10**10,) * 3 + (0, 0, 0))))
    bodies = (
        Body("turret", None, (rotation("z", "a"),), inertia),
        Body("slide", "turret", (translation("x", "b"),), Inertia(as_expression(Fraction(1, 100)))),
        Body("top", "turret", (rotation("x", "c"),), Inertia(as_expression(1), tensor=inertia.tensor)),
    )
    system = driven(System("turret", tuple(map(Coordinate, "abc")), bodies=bodies), {"c": as_expression(3)})
    found = check(system, formalisms=["lagrange"], states=2, claims=("changed_units",), exact="off")
    asked = [c for c in found.comparisons if c.claim == "changed_units"]
    assert {"M", "h"} <= {c.quantity for c in asked} and "disagrees" not in {c.verdict for c in asked}
    assert {c.verdict for c in asked if c.quantity in ("acceleration", "effort")} == {"agrees"}


WRONG = {"an effort": {"effort": 1}, "an acceleration": {"acceleration": 1}}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_effort_or_acceleration_is_noticed(what: str) -> None:
    (quantity,) = WRONG[what]

    def change(found: dict[str, Any]) -> Mapping[str, Any]:
        first, second = found[quantity]
        return {**found, quantity: (first, second * as_expression(1.001) + as_expression(1) / 1000)}

    system = driven(double_pendulum(), {"z2": as_expression(3)} if quantity == "effort" else {"z1": as_expression(3)})
    evidence = check(system, formalisms=["lagrange", Altered(change, base="newton_euler")], states=2)
    assert evidence.verdict == "disagrees"
    wrong = {c.quantity for c in evidence.comparisons if c.verdict == "disagrees" and not c.claim}
    assert wrong == {quantity}
    assert any(c.claim == "forward_inverse" for c in evidence.comparisons if c.verdict == "disagrees")


# --- beside constraints ----------------------------------------------------------------------------

CLOSED = [("mbsd/four_bar.mbsd", "z1"), ("native/chaplygin_sleigh.mbs.json", "x")]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name"), CLOSED)
def test_a_drive_beside_constraints_is_a_row_and_its_multiplier_is_the_effort(file: str, name: str) -> None:
    """The effort that was found, given, makes the acceleration that was imposed, and the same reactions."""
    system = driven(read(folder() / file).system, {name: 2 * sin(symbol(name)) - as_expression(3)})
    evidence = check(system, states=2)
    assert evidence.verdict == "agrees"
    assert {"constrained acceleration", "reactions", "rank"} <= {c.quantity for c in evidence.comparisons}
    place = system.coordinate_names.index(name)
    for by in ("lagrange", "virtual_work", "konoplev"):
        for state in evidence.states:
            found = formalism(by).constrained_motion(evidence.system, [state])
            assert found is not None and found.rows[-1] == f"drive of {name}"
            drives = {name: Effort(as_expression(float(found.multipliers[0, -1])))}
            coordinates = (replace(c, drive=drives.get(c.name)) for c in evidence.system.coordinates)
            given = replace(evidence.system, coordinates=tuple(coordinates))
            again = formalism(by).constrained_motion(given, [state])
            assert again is not None
            size = np.abs(found.acceleration).max()
            assert np.abs(again.acceleration - found.acceleration).max() <= 1e-8 * size
            assert again.acceleration[0, place] == pytest.approx(found.acceleration[0, place], rel=1e-7)


def test_what_constraints_fix_no_drive_can_impose() -> None:
    system = driven(double_pendulum(), {"z1": as_expression(1)})
    fixed = replace(system, constraints=(Holonomic("stop", symbol("z1") - TIME),))
    with pytest.raises(ModelError, match=r"drive: error: it imposes the acceleration of z1, which the constraints"):
        check(fixed, states=2)
    for by in ("lagrange", "virtual_work", "konoplev"):
        found = formalism(by).constrained_motion(fixed, [State(0.0, {"z1": 0.0, "z2": 0.1}, {"z1": 1.0, "z2": 0.0})])
        assert found is not None
        assert "coordinates/z1/drive" in {d.place for d in found.diagnostics if d.severity == "error"}


def test_a_formalism_without_rows_for_drives_says_so() -> None:
    system = driven(read(folder() / "mbsd/four_bar.mbsd").system, {"z1": as_expression(1)})
    (found,) = formalism("telegin").constraint_obstacles(system)
    assert found.place == "coordinates/z1/drive" and "no row for an acceleration" in found.reason


# --- where a user meets it -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lagrange", "newton_euler", "flexible"])
def test_compiled_and_generated_equations_solve_it(name: str) -> None:
    """Compiled, evaluated, and the generated Python: one motion."""
    system = driven(double_pendulum(), {"z2": symbol("z1") + 2})
    q, v = [0.4, -0.9], [1.1, 2.0]
    whole = mbconcord.evaluate(system, q, v, formalism=name)
    compiled = mbconcord.compile(system, ("effort", "acceleration"), formalism=name)([q, q], [v, v])
    for quantity in ("effort", "acceleration"):
        assert compiled[quantity] == pytest.approx(np.array([whole[quantity]] * 2), rel=1e-14)
    scope: dict[str, Any] = {"__name__": "generated"}
    exec(mbconcord.derive(system, formalism=name).render("python"), scope)
    acceleration, multipliers = scope["motion"](0.0, q, v)
    assert acceleration == pytest.approx(whole["acceleration"], rel=1e-12)
    assert multipliers == pytest.approx([whole["effort"][1]], rel=1e-12)


def test_models_with_other_drives_are_other_machines() -> None:
    one = driven(double_pendulum(), {"z1": as_expression(1)})
    assert same_machine(one, one).verdict == "agrees"
    unlike = same_machine(one, double_pendulum())
    assert unlike.verdict == "disagrees" and "that of z1 in A only" in str(unlike)
    other = same_machine(one, driven(double_pendulum(), {"z1": as_expression(2)}))
    assert other.verdict == "disagrees" and other.worst.quantity in ("acceleration", "effort")


def test_units_change_an_imposed_acceleration_too() -> None:
    """A drive that is left as it was in other units would be another motion."""
    system, (units,) = (
        driven(double_pendulum(), {"z2": 2 * symbol("z1'")}),
        (c for c in ALL if c.name == "changed_units"),
    )
    found = units.check(trial(system, draw(system, 1, 0).states, [formalism("lagrange")]))
    assert {"effort", "acceleration"} <= {c.quantity for c in found if c.verdict == "agrees"}
    assert [c for c in found if c.verdict == "disagrees"] == []
