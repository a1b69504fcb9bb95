"""The models of a campaign: the same for a seed and a number, with the features that they shall have."""

from __future__ import annotations

from math import gcd
from statistics import median

import pytest

from mbconcord.model.expressions import ZERO
from mbconcord.model.features import features
from mbconcord.validation.check import check
from mbconcord.validation.claims import ALL, BY_NAME, SOONER
from mbconcord.validation.many.campaign.row import CampaignRow, add_evidence, describe
from mbconcord.validation.many.campaign.subject import (
    ALIGNED,
    CLAIMS,
    MIX,
    PROFILES,
    PROVED,
    SIZES,
    draw_model,
    exactness,
    profile,
)
from mbconcord.validation.strategies.choices import Choices, Seeded
from mbconcord.validation.strategies.machines import Features, machine

CONSTRAINTS = {"rods", "point_coincidences", "cut_joints", "holonomic_rows", "nonholonomic_rows"}
#: What a model with a feature has of the vocabulary of models: one of these.
HAS = {
    "closed": CONSTRAINTS, "elastic": {"elastic_modes"}, "mixed": {"motion_drives"}, "flywheels": {"flywheels"},
    "added_inertia": {"added_inertia"}, "springs": {"bushings", "torsions"}, "armatures": {"armatures"},
}  # fmt: skip


@pytest.mark.parametrize("feature", HAS)
def test_a_feature_is_there_where_it_is_asked_for(feature: str) -> None:
    for seed in range(4):
        made = {name for name, _ in features(machine(Choices(Seeded(seed)), 3, Features(**{feature: True})))}
        # whether an acceleration is imposed is drawn for every coordinate
        assert made & HAS[feature] or (feature == "mixed" and seed), feature
        assert not made & set().union(*(HAS[name] for name in HAS if name != feature))


def test_the_mix_is_what_the_page_says() -> None:
    assert sum(f.closed for f in MIX) / len(MIX) >= 0.3
    assert sum(f.elastic for f in MIX) / len(MIX) >= 0.1
    assert median(SIZES) >= 6 and len(MIX) % PROVED  # every kind is proved in its turn
    assert all(any(getattr(f, name) for f in MIX) for name in HAS)
    assert gcd(ALIGNED, len(MIX)) == gcd(ALIGNED, PROVED) == 1  # with every feature, and proved
    assert {profile(p.name) for p in PROFILES} == set(PROFILES) and profile("ci").new_seed() == 0
    assert {exactness(n) for n in range(0, len(MIX) * PROVED, len(MIX))} == {"auto", "off"}


@pytest.mark.slow
@pytest.mark.rest
def test_every_third_model_is_built_along_axes() -> None:
    """Most centres of mass lie on axes there; those of other models are general, but for massless bodies."""
    shares = {True: [0, 0], False: [0, 0]}
    for number in range(30):
        for body in draw_model(5, number).bodies:
            for x in body.inertia.centre:
                own = shares[number % ALIGNED == ALIGNED - 1]
                own[0] += x == ZERO
                own[1] += 1
    assert shares[True][0] / shares[True][1] > 0.45 and shares[False][0] / shares[False][1] < 0.25


def test_all_claims_are_checked_in_full_or_sooner() -> None:
    full = {name for names in SOONER.values() for name in names}
    assert set(CLAIMS) | full == {claim.name for claim in ALL} - {"agreement", *BY_NAME} and SOONER.keys() <= set(
        CLAIMS
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 3, 4])
def test_a_number_is_one_model(number: int) -> None:
    assert draw_model(0, number) == draw_model(0, number) != draw_model(1, number)


@pytest.mark.slow
def test_a_row_is_what_was_compared() -> None:
    system = machine(Choices(Seeded(2)), 2, Features(closed=True))
    evidence = check(system, states=2, claims=("kinetic_energy",), exact="off")
    row = add_evidence(describe(7, system), evidence, 1.5)
    assert CampaignRow.from_json(row.to_json()) == row
    assert (row.number, row.bodies, row.constraints) == (7, 2, len(system.constraints))
    assert sum(row.joints.values()) == 2 and row.verdict == evidence.verdict
    told = [c for c in evidence.comparisons if c.claim == "kinetic_energy" and c.a == "lagrange"]
    cell = row.cells["kinetic_energy", "lagrange"]
    assert cell.agrees == len(told) and cell.worst == pytest.approx(max(c.excess for c in told), rel=1e-2)
    pairs = [c for c in evidence.comparisons if not c.claim and "lagrange" in (c.a, c.b)]
    agreed = row.cells["agreement", "lagrange"]
    assert agreed.agrees + agreed.disagrees + agreed.not_checked == len(pairs)
    assert sum(row.decades.values()) == sum(
        c.discrepancy is not None and c.verdict != "not checked" for c in evidence.comparisons
    )
