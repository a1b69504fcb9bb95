"""All formalisms agree on random trees of up to ten bodies; a tree on which they do not is printed as one line."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, note, settings

from laboratory.faults.score import faults
from mbconcord.converters import registry
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.testing import inject
from mbconcord.validation.judge.agreement import compare_pairs, refereed
from mbconcord.validation.judge.comparison import compare_evaluations
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import with_rotors
from mbconcord.validation.judge.states import DrawnModel, draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.strategies.machines import Reproducer
from mbconcord.validation.strategies.strategies import systems_and_states
from mbconcord.validation.strategies.trees import random_system

from ..examples import EXAMPLES
from .fakes import pairs_of, reproduced

LIMIT = 1e-12
#: What a seed's model has beyond open trees of rigid bodies, in turn.
FEATURES = (("flywheels",), ("added_inertia",), ("flywheels", "added_inertia"))


def require_agreement(drawn: DrawnModel, witnesses: frozenset[str] = frozenset(BUILT_IN)) -> list[Comparison]:
    """All comparisons; the first disagreement fails, with the referee's judgement."""
    made = trial(drawn.system, drawn.states, map(formalism, BUILT_IN))
    found = compare_pairs(made)
    for c in found:
        if c.verdict == "disagrees":
            c = refereed(made, c)
        assert c.verdict != "disagrees", f"{c.a} and {c.b} disagree in {c.quantity}: {c.explanation}"
        if c.verdict == "not checked":
            assert "singular" in c.explanation or "ill-conditioned" in c.explanation, c.explanation
        elif c.quantity != "acceleration":
            assert c.discrepancy is not None and c.discrepancy <= LIMIT
    assert set(made.evaluations) == witnesses
    assert len(found) == pairs_of(e.quantities for e in made.evaluations.values())
    return found


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_all_formalisms_agree_on_a_seeded_tree(seed: int) -> None:
    drawn = draw(random_system(seed, 1 + seed % 10), 3, seed)
    with reproduced(drawn.system):
        found = require_agreement(drawn)
        checked = [c for c in found if c.quantity != "acceleration"]
        assert {c.verdict for c in checked} == {"agrees"}


@pytest.mark.slow
@settings(max_examples=max(EXAMPLES // 5, 1))
@given(systems_and_states(max_bodies=6, count=3))
def test_all_formalisms_agree_on_trees_that_shrink(drawn: DrawnModel) -> None:
    note(Reproducer(drawn.system))
    require_agreement(drawn)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(EXAMPLES // 5, 1)))
def test_those_who_take_flywheels_and_fluid_agree(seed: int) -> None:
    features = FEATURES[seed % len(FEATURES)]
    drawn = draw(random_system(seed, 1 + seed % 6, **dict.fromkeys(features, True)), 3, seed)
    takers = frozenset(name for name in BUILT_IN if formalism(name).takes.issuperset(features))
    assert {"konoplev", "lagrange"} <= takers
    with reproduced(drawn.system):
        require_agreement(drawn, takers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(EXAMPLES // 10, 1)))
def test_a_flywheel_is_a_body_that_turns_by_a_prescribed_law(seed: int) -> None:
    """Whoever takes flywheels gives the numbers that everyone gives for such bodies."""
    drawn = draw(random_system(seed, 1 + seed % 5, flywheels=True), 3, seed)
    made = trial(drawn.system, drawn.states, [formalism("konoplev"), formalism("lagrange")])
    others = trial(with_rotors(drawn.system), drawn.states, map(formalism, BUILT_IN))
    assert set(made.evaluations) == {"konoplev", "lagrange"} and set(others.evaluations) == set(BUILT_IN)
    with reproduced(drawn.system):
        for a, b in product(made.evaluations.values(), others.evaluations.values()):
            found = compare_evaluations(a, b, made.scales, made.states, made.names)
            assert [c for c in found if c.verdict == "disagrees"] == []
            checked = [c for c in found if c.quantity != "acceleration"]
            assert {c.quantity for c in checked} == set(b.quantities) - {"acceleration"}
            assert {c.verdict for c in checked} == {"agrees"}


@pytest.mark.rest
@pytest.mark.slow
def test_a_fault_is_shrunk_and_printed_as_one_line() -> None:
    """The property finds a seeded fault on a large tree and reports a small one."""
    fault = next(f for f in faults("virtual_work") if "upwards" in f.title)
    honest = formalism("lagrange")

    @settings(max_examples=50, database=None)
    @given(systems_and_states(max_bodies=5, count=1))
    def weight(drawn: DrawnModel) -> None:
        note(Reproducer(drawn.system))
        found = compare_pairs(trial(drawn.system, drawn.states, [honest, faulty]))
        assert "disagrees" not in {c.verdict for c in found}

    with inject(fault) as faulty, pytest.raises(AssertionError) as problem:
        weight()
    (line,) = [text for text in problem.value.__notes__ if text.startswith("reproduce: ")]
    system = registry.read_text(line.removeprefix("reproduce: ")).system
    assert "\n" not in line
    assert len(system.bodies) == 1 and len(system.coordinates) == 1
