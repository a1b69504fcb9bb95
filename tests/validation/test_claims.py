"""Every claim holds for every formalism on random trees, and every claim notices what it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import sin
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings

from laboratory.faults.models import everything
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import evaluation
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import as_expression, evaluate_float, symbol
from mbconcord.model.system import System
from mbconcord.validation.check import check
from mbconcord.validation.claims import ALL, BY_NAME, SOONER, choose_claims
from mbconcord.validation.claims.energies import potential
from mbconcord.validation.claims.same_motion import permute_bodies, split_bodies
from mbconcord.validation.judge.states import DrawnModel, draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.strategies.machines import Reproducer
from mbconcord.validation.strategies.strategies import systems_and_states
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.sums.joint_forces import ONE_JOINT, draw_joint

from .fakes import Altered, double_pendulum, entry

CLAIMS = {claim.name: claim for claim in ALL}
#: Those that say something of any tree; texts have tests of their own, and so has what is asked for by name.
OF_TREES = [name for name in CLAIMS if name not in ("second_reading", *BY_NAME)]


@cache
def seeded(seed: int) -> Trial:
    """A random tree by all formalisms: one trial for all claims."""
    drawn = draw(random_system(100 + seed, 1 + seed % 6), 3, seed)
    return trial(drawn.system, drawn.states, map(formalism, BUILT_IN))


@cache
def featured() -> Trial:
    """The machine with every feature by all formalisms."""
    drawn = draw(everything(), 2, 4)
    return trial(drawn.system, drawn.states, map(formalism, BUILT_IN))


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", OF_TREES)
@pytest.mark.parametrize("seed", range(8))
def test_the_claim_holds_on_seeded_trees(name: str, seed: int) -> None:
    found = CLAIMS[name].check(seeded(seed))
    assert found
    assert [c for c in found if c.verdict == "disagrees"] == []


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_claims_hold_with_flywheels_in_a_fluid(seed: int) -> None:
    drawn = draw(random_system(200 + seed, 2 + seed, flywheels=seed < 2, added_inertia=seed > 0), 3, seed)
    made = trial(drawn.system, drawn.states, map(formalism, BUILT_IN))
    assert {"konoplev", "lagrange"} <= set(made.evaluations)
    for claim in (c for c in ALL if c.name not in BY_NAME):
        found = claim.check(made)
        assert [c for c in found if c.verdict == "disagrees"] == []
        reasons = {c.explanation for c in found if c.verdict == "not checked"}
        said = (
            "prescribed law",
            "of its graph",
            "singular",
            "no static moments",
            "nobody delivers",
            "neither fluids",
            "does not take",
        )
        assert all(any(words in why for words in said) for why in reasons)


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", OF_TREES)
def test_the_claim_holds_on_the_machine_with_every_feature(name: str) -> None:
    found = CLAIMS[name].check(featured())
    assert found
    assert [c for c in found if c.verdict == "disagrees"] == []


@pytest.mark.rest
@pytest.mark.slow
@settings(max_examples=3)
@given(systems_and_states(max_bodies=4, count=2))
def test_all_claims_hold_on_trees_that_shrink(drawn: DrawnModel) -> None:
    note(Reproducer(drawn.system))
    made = trial(drawn.system, drawn.states, map(formalism, BUILT_IN))
    for claim in (c for c in ALL if c.name not in BY_NAME):
        for c in claim.check(made):
            assert c.verdict != "disagrees", f"{claim.name}: {c}"


class Dependent(Altered):
    """Wrong only for models of which something is true: what invariances are about."""

    def __init__(self, when: Callable[[System], bool], at: int = 0) -> None:
        super().__init__(entry("h", (at,), lambda x: x + 1))
        self.when = when

    def derive(self, system: System) -> Derivation:
        if self.when(system):
            return super().derive(system)
        return Altered(dict, self.name).derive(system)


class Burdened(Altered):
    """Its joints bear more than they should."""

    def joint_forces(self, system: System) -> Any:
        (first, *others), *joints = formalism("newton_euler").joint_forces(system) or ()
        return ((first + 1, *others), *joints)


class Mirrored(Altered):
    """Its points move the other way."""

    def motions(self, system: System, points: Any) -> Any:
        found = formalism("konoplev").motions(system, points) or ()
        return tuple(replace(x, v=(-x.v[0], -x.v[1], -x.v[2])) for x in found)


PLANTED: dict[str, Any] = {
    "agreement": Altered(entry("applied", (0,), lambda x: -x)),
    "fields": Altered(entry("applied", (0,), lambda x: -x)),
    "kinetic_energy": Altered(entry("M", (0, 0), lambda x: x * as_expression(1.0001))),
    "symmetry_positive_definite": Altered(entry("M", (0, 1), lambda x: x * as_expression(1.0001))),
    "gravity_potential": Altered(entry("gravity", (1,), lambda x: -x)),
    "static_moments": Altered(entry("gravity", (1,), lambda x: -x)),
    "kinematics": Mirrored(dict),
    "joint_forces": Burdened(dict),
    "power_balance": Altered(entry("h", (0,), lambda x: x + symbol("z2'") ** 2)),
    "forward_inverse": Altered(lambda q: q | {"inverse_dynamics": tuple(1 + h for h in q["h"])}, base="virtual_work"),
    "reinsertion": Altered(lambda q: q | {"acceleration": tuple(x + 1 for x in q["h"])}, base="newton_euler"),
    "passivity": Altered(entry("h", (1,), lambda x: -x)),
    "permuted_bodies": Dependent(lambda s: s.forces[0].name == "push"),
    "welded_bodies": Dependent(lambda s: len(s.bodies) > 2),
    "moved_world": Dependent(lambda s: len(s.bodies[0].joint) > 2),
    "changed_units": Dependent(lambda s: str(s.bodies[0].inertia.mass) != "m1"),
}
PLANTED["reinsertion_once"] = PLANTED["reinsertion"]
PLANTED["changed_together"] = PLANTED["moved_world"]
#: Claims of models and readers, whose faults are planted by tests of their own.
ELSEWHERE = ("maximal", "second_reading", "derivatives_once", *BY_NAME)
#: Honest witnesses of claims that need one.
BESIDE = {"agreement": ("lagrange",), "static_moments": ("static_moments",)}


@pytest.mark.parametrize("name", PLANTED)
def test_the_claim_notices(name: str) -> None:
    drawn = draw(double_pendulum(), 3, 2)
    witnesses = [PLANTED[name], *map(formalism, BESIDE.get(name, ()))]
    found = CLAIMS[name].check(trial(drawn.system, drawn.states, witnesses))
    bad = [c for c in found if c.verdict == "disagrees"]
    assert any(side.startswith("altered") for c in bad for side in (c.a, c.b))


@pytest.mark.parametrize(("sooner", "full"), [(s, name) for s, names in SOONER.items() for name in names])
def test_a_claim_that_stands_for_others_notices_what_they_notice(sooner: str, full: str) -> None:
    drawn = draw(double_pendulum(), 3, 2)
    made = trial(drawn.system, drawn.states, [PLANTED[full]])
    assert any(c.verdict == "disagrees" for c in CLAIMS[sooner].check(made))
    assert not {sooner} & {claim.name for claim in choose_claims(["all"])} and [
        c.name for c in choose_claims([sooner])
    ] == [sooner]


def test_a_matrix_that_is_not_positive_definite_is_noticed() -> None:
    drawn = draw(double_pendulum(), 3, 2)
    negative = Altered(entry("M", (1, 1), lambda x: -x))
    found = CLAIMS["symmetry_positive_definite"].check(trial(drawn.system, drawn.states, [negative]))
    assert {c.quantity: c.verdict for c in found} == {"M": "agrees", "eigenvalues of M": "disagrees"}


class Numeric(Altered):
    """Direct numbers that differ from the graph."""

    def evaluate(self, system: System, states: Any) -> Any:
        found = Altered(entry("h", (0,), lambda x: x * 2), self.name)
        return super(Altered, found).evaluate(system, states)


def test_direct_numbers_that_differ_from_the_graph_are_noticed() -> None:
    drawn = draw(double_pendulum(), 3, 2)
    found = CLAIMS["direct_evaluation"].check(trial(drawn.system, drawn.states, [Numeric(dict)]))
    assert next(c.quantity for c in found if c.verdict == "disagrees") == "h"


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "agrees"), (1 + 1e-4, "disagrees")])
def test_direct_numbers_of_short_lever_arms_may_lose_digits(factor: float, verdict: str) -> None:
    """The fourth joint's arm is 0.4 mm at one state: directly its inertia is a difference of larger ones."""
    system = read(folder("mbsd") / "manipulator.mbsd").system
    drawn = draw(system, 10, 0)
    made = trial(drawn.system, drawn.states, [formalism("newton_euler")])
    made.evaluations["newton_euler"].quantities["M"][4, 3, 3] *= factor
    found = next(c for c in CLAIMS["direct_evaluation"].check(made) if c.quantity == "M")
    assert found.verdict == verdict
    M = made.evaluations["newton_euler"].quantities["M"][4]
    assert M[3, 3] < 1e-5 * M[0, 0]


@pytest.mark.parametrize("change", ["an axis", "a completed quantity"])
def test_what_is_evaluated_from_equations_is_compared_with_what_is_judged(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check judges by an evaluation with bounds; users are given another."""
    drawn = draw(double_pendulum(), 2, 2)
    made = trial(drawn.system, drawn.states, [formalism("lagrange"), formalism("virtual_work")])
    honest = evaluation.in_blocks
    if change == "an axis":
        monkeypatch.setattr(evaluation, "in_blocks", lambda *given: honest(*given)[::-1])
    else:
        monkeypatch.setattr(evaluation, "solve", lambda q, *given: q.update(acceleration=-q["h"]) or [])
    bad = [c for c in CLAIMS["direct_evaluation"].check(made) if c.verdict == "disagrees"]
    assert bad and all(c.b.endswith(", evaluated") for c in bad)


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "agrees"), (1 + 1e-9, "disagrees")])
def test_a_recursion_may_leave_what_its_bounds_allow(factor: float, verdict: str) -> None:
    """Rotors of 60 kg m² on slides of 0.2 kg: what is left of 4e5 N is 6e-8 N at one of ten states."""
    drawn = draw(read(Path(__file__).parent / "rotors_on_slides.mbs.json").system, 10, 2031)
    made = trial(drawn.system, drawn.states, [formalism("flexible")])
    made.evaluations["flexible"].quantities["acceleration"][:, 2] *= factor
    (found,) = CLAIMS["forward_inverse"].check(made)
    assert found.verdict == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "agrees"), (1 + 1e-9, "disagrees")])
def test_efforts_are_needed_for_the_rounding_of_what_is_imposed(factor: float, verdict: str) -> None:
    """A coordinate at 0.04 m/s² beside forces of 4,000 N: the last digits of these are 5e-12 N at one of ten states."""
    drawn = draw(read(Path(__file__).parent / "light_beside_heavy.mbs.json").system, 10, 2032)
    made = trial(drawn.system, drawn.states, [formalism("flexible")])
    made.evaluations["flexible"].quantities["acceleration"][:, 7] *= factor
    found = {c.quantity: c.verdict for c in CLAIMS["reinsertion_once"].check(made)}
    assert found["effort"] == verdict


def test_a_check_computes_direct_numbers_once() -> None:
    asked: list[str] = []

    class Counted(Numeric):
        def evaluate(self, system: System, states: Any) -> Any:
            asked.append(system.name)
            return super().evaluate(system, states)

    found = check(double_pendulum(), formalisms=[Counted(dict)], states=2, claims=("direct_evaluation",))
    assert "h" in {c.quantity for c in found.comparisons if c.claim and c.verdict == "disagrees"}
    assert len(asked) == 1


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "agrees"), (1 + 1e-12, "disagrees"), (-1.0, "disagrees")])
def test_floats_that_are_not_those_of_the_equations_are_noticed(factor: float, verdict: str) -> None:
    drawn = draw(double_pendulum(), 1, 2)
    made = trial(drawn.system, drawn.states, [formalism("lagrange")])
    made.evaluations["lagrange"].quantities["h"][0, 1] *= factor
    (found,) = CLAIMS["float_evaluation"].check(made)
    assert found.verdict == verdict
    if verdict == "disagrees":
        assert found.entry == ("z2",) and "in 50 digits" in found.explanation


def test_every_claim_is_shown_to_notice_something() -> None:
    assert {*PLANTED, "direct_evaluation", "float_evaluation", *ELSEWHERE} == set(CLAIMS)
    assert all(claim.sentence.endswith(".") for claim in ALL)


def test_the_potential_of_a_pendulum_is_its_height() -> None:
    values = {"z1": 0.4, "z2": 0.3, "m1": 2.0, "m2": 3.0}
    height = 5 * 0.7 * sin(0.4) + 3 * 1.1 * sin(0.7)
    assert evaluate_float(potential(double_pendulum()), values) == pytest.approx(9.81 * height, rel=1e-14)


def test_invariances_change_the_model() -> None:
    system = everything()
    assert permute_bodies(system) != system
    assert {b.name for b in permute_bodies(system).bodies} == {b.name for b in system.bodies}
    assert len(split_bodies(system).bodies) > 3 * len(system.bodies)


@pytest.mark.parametrize("file", ["elastic/four_links.mbs.json", "robots/ur5.mbsd"])
@pytest.mark.parametrize("component", [0, 5])
def test_a_wrong_force_in_the_joint_that_is_opened_is_noticed(file: str, component: int) -> None:
    """Sums over the bodies notice it; of elastic bodies, which these do not know, other formalisms do."""
    drawn = draw(read(folder() / file).system, 2, 2)
    n = len(drawn.system.coordinates)
    wrong = Dependent(lambda s: len(s.coordinates) > n, n + component)
    wrong.takes = formalism("virtual_work").takes  # type: ignore[misc]
    others = [formalism(name) for name in ("lagrange", "virtual_work", "flexible")]
    found = CLAIMS["joint_forces"].check(trial(drawn.system, drawn.states, [wrong, *others], seed=1))  # draws the wrong
    assert {wrong.name in (c.a, c.b) for c in found if c.verdict == "disagrees"} == {True}
    assert {c.verdict for c in found if wrong.name not in (c.a, c.b)} <= {"agrees"}
    assert {c.quantity for c in found if wrong.name in (c.a, c.b)} == {ONE_JOINT}


def test_the_seed_draws_the_joint_that_is_opened_and_the_comparison_names_it() -> None:
    drawn, named = draw(read(folder("robots") / "ur5.mbsd").system, 1, 2), set()
    for seed in range(12):
        made = trial(drawn.system, drawn.states, [formalism("konoplev")], seed=seed)
        (found,) = (c for c in CLAIMS["joint_forces"].check(made) if c.quantity == ONE_JOINT)
        assert (found.a, found.b, found.verdict) == ("konoplev", "bodies", "agrees")
        named.add(found.explanation)
    assert len(named) > 3 and all(words.endswith(", drawn by the seed") for words in named)
    assert {draw_joint(drawn.system, seed) for seed in range(30)}.isdisjoint({"tool0", "base"})  # without mass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "names", "pairs"),
    [
        ("mbsd/double_pendulum.mbsd", ["lagrange", "newton_euler", "konoplev", "flexible"], 3),
        ("native/slider_crank.mbs.json", ["lagrange", "konoplev", "virtual_work"], 2),
        ("elastic/four_links.mbs.json", ["lagrange", "virtual_work", "flexible"], 2),
        ("elastic/four_links.mbs.json", ["lagrange", "flexible"], 1),
    ],
)
def test_one_formalism_opens_a_joint_and_the_seed_draws_it(file: str, names: list[str], pairs: int) -> None:
    """Of elastic bodies two, if nobody has native forces: the sums do not know them."""
    system, seen = read(folder() / file).system, set()
    for seed in range(8):
        found = check(system, formalisms=names, states=1, seed=seed, claims=["joint_forces"], exact="off")
        (one,) = (c for c in found.comparisons if c.quantity == ONE_JOINT)
        assert one.verdict == "agrees"
        seen.add(frozenset((one.a, one.b)))
    assert len(seen) == pairs


@pytest.mark.parametrize("file", ["native/slider_crank.mbs.json", "sdf/linkage.sdf"])
@pytest.mark.parametrize("name", ["lagrange", "konoplev", "flexible"])
def test_the_joint_of_a_closed_model_is_opened_by_each_formalism_without_native_forces(file: str, name: str) -> None:
    """By the multipliers of what holds it, or of the open tree under the reactions."""
    found = check(read(folder() / file).system, formalisms=[name], states=2, claims=["joint_forces"], exact="off")
    (one,) = (c for c in found.comparisons if c.quantity == ONE_JOINT)
    assert (one.a, one.b, one.verdict) == (name, "bodies", "agrees")


def test_a_wrong_multiplier_of_an_opened_joint_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    by, honest = formalism("lagrange"), type(formalism("lagrange")).constrained_motion
    system = read(folder("native") / "slider_crank.mbs.json").system
    n = len(system.coordinates)

    def wrong(self: Any, system: System, *rest: Any) -> Any:
        found = honest(self, system, *rest)
        if found is None or len(system.coordinates) == n:
            return found
        turned = found.multipliers.copy()
        turned[:, -6] *= -1
        return replace(found, multipliers=turned)

    monkeypatch.setattr(type(by), "constrained_motion", wrong)
    found = check(system, formalisms=[by], states=2, claims=["joint_forces"], exact="off").comparisons
    assert [(c.quantity, c.a) for c in found if c.verdict == "disagrees"] == [(ONE_JOINT, "lagrange")]
