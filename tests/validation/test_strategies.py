"""Random models reach every feature of open trees, are valid, and leave nothing symmetric by accident."""

from __future__ import annotations

import doctest
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

import mbconcord.strategies
from mbconcord.converters import registry as formats
from mbconcord.model import Constant, Prescribed, State, System
from mbconcord.model.checks.physics import physics
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import evaluate_float, time_derivative
from mbconcord.model.features import OPEN_TREES, features
from mbconcord.model.force import Bipolar, JointEffort, LinearLaw
from mbconcord.model.numbers import parameter_values
from mbconcord.strategies import texts
from mbconcord.validation.judge.kinematics import TreeKinematics, takes
from mbconcord.validation.judge.scale import scales
from mbconcord.validation.judge.states import DrawnModel, draw
from mbconcord.validation.strategies.strategies import states, systems, systems_and_states
from mbconcord.validation.strategies.trees import random_system


@cache
def sample() -> tuple[System, ...]:
    """A hundred and fifty open trees."""
    return tuple(random_system(seed, 1 + seed % 10) for seed in range(150))


def _coordinates_of_joints(system: System) -> set[int]:
    return {len(body.coordinates) for body in system.bodies}


def _general(axis) -> bool:  # type: ignore[no-untyped-def]
    return sum(bool(x) for x in axis) > 1


def _steps(system: System):  # type: ignore[no-untyped-def]
    return [et for body in system.bodies for et in body.joint]


REACHED = {
    "branched": lambda s: max(Counter(b.parent for b in s.bodies).values()) > 1,
    "several roots": lambda s: sum(b.parent is None for b in s.bodies) > 1,
    "chain of six": lambda s: max(len(s.path(b.name)) for b in s.bodies) >= 6,
    "ten bodies": lambda s: len(s.bodies) == 10,
    "body without coordinates": lambda s: 0 in _coordinates_of_joints(s),
    "joint of two": lambda s: 2 in _coordinates_of_joints(s),
    "joint of three": lambda s: 3 in _coordinates_of_joints(s),
    "joint of six": lambda s: 6 in _coordinates_of_joints(s),
    "general axis of a coordinate": lambda s: any(et.coordinate and _general(et.axis) for et in _steps(s)),
    "general axis of a constant turn": lambda s: any(
        isinstance(et.motion, Constant) and not et.is_translation and _general(et.axis) for et in _steps(s)
    ),
    "translation after rotation": lambda s: any(
        first.coordinate and second.coordinate and second.is_translation and not first.is_translation
        for body in s.bodies for first, second in pairwise(body.joint)
    ),
    "full tensor": lambda s: any(all(b.inertia.tensor) for b in s.bodies),
    "offset centre": lambda s: any(all(b.inertia.centre) for b in s.bodies),
    "massless": lambda s: any(b.inertia.is_zero for b in s.bodies),
    "massless with coordinates": lambda s: any(b.inertia.is_zero and b.coordinates for b in s.bodies),
    "prescribed shift": lambda s: _prescribed(s, True),
    "prescribed turn": lambda s: _prescribed(s, False),
    "undefined function": lambda s: any(f.formula is None for f in s.functions),
    "defined function": lambda s: any(f.formula is not None for f in s.functions),
    "linear effort": lambda s: any(isinstance(f, JointEffort) and isinstance(f.effort, LinearLaw) for f in s.forces),
    "linear bipolar": lambda s: any(isinstance(f, Bipolar) and isinstance(f.law, LinearLaw) for f in s.forces),
    "bipolar with mass": lambda s: any(isinstance(f, Bipolar) and f.mass for f in s.forces),
    "bipolar on the fixed frame": lambda s: any(isinstance(f, Bipolar) and f.second.body is None for f in s.forces),
    "parameter without value": lambda s: any(p.value is None for p in s.parameters),
    "gravity in a general direction": lambda s: s.gravity is not None and _general(s.gravity.direction),
    "no gravity": lambda s: s.gravity is None,
    "coordinates in another order": lambda s: s.coordinate_names != tuple(n for b in s.bodies for n in b.coordinates),
    # Imposed accelerations are put into models by validation.models.drives.
    **{
        feature: (lambda s, f=feature: f in dict(features(s))) for feature in sorted(OPEN_TREES - {"motion_drives"})
    },
}  # fmt: skip


@cache
def carrying(seed: int) -> System:
    """A tree with flywheels in a fluid."""
    return random_system(seed, 1 + seed % 5, flywheels=True, added_inertia=True)


@pytest.mark.slow
def test_flywheels_and_fluid_only_where_asked_for() -> None:
    asked = {"flywheels", "added_inertia"}
    assert all(asked.isdisjoint(dict(features(s))) for s in sample())
    assert all(asked <= set(dict(features(s))) for s in map(carrying, range(30)))
    assert asked & set(dict(features(random_system(3, 4, flywheels=True)))) == {"flywheels"}
    assert asked & set(dict(features(random_system(3, 4, added_inertia=True)))) == {"added_inertia"}


@pytest.mark.parametrize("seed", range(30))
def test_flywheels_and_fluid_are_physical_and_without_symmetry(seed: int) -> None:
    drawn = draw(carrying(seed), 2, seed)
    for state in drawn.states:
        assert physics(drawn.system, parameter_values(drawn.system, state.parameters)) == []
    assert takes(drawn.system)
    for body in drawn.system.bodies:
        for wheel in body.flywheels:
            assert (
                all(wheel.inertia.centre) and len({abs(evaluate_float(x, {})) for x in wheel.inertia.tensor[:3]}) == 3
            )
            rates = time_derivative([wheel.angle, *time_derivative([wheel.angle], ())], ())
            assert all(evaluate_float(rate, {"t": 0.7}) for rate in rates)
        if body.added_inertia:
            rows = np.array([[evaluate_float(x, {}) for x in row] for row in body.added_inertia.rows])
            assert np.linalg.eigvalsh(rows)[0] > 0 and np.count_nonzero(rows) > 30


@settings(max_examples=10)
@given(systems_and_states(max_bodies=3, count=1, flywheels=True, added_inertia=True))
def test_hypothesis_makes_flywheels_and_fluid(drawn: DrawnModel) -> None:
    assert {"flywheels", "added_inertia"} <= set(dict(features(drawn.system)))


def _prescribed(system: System, shift: bool) -> bool:
    return any(
        isinstance(et.motion, Prescribed) and et.is_translation == shift for b in system.bodies for et in b.joint
    )


@pytest.mark.parametrize("feature", REACHED)
def test_seeded_models_reach(feature: str) -> None:
    share = sum(bool(REACHED[feature](s)) for s in sample()) / len(sample())
    assert share >= 0.02, f"only {share:.1%} of the models have it"


@pytest.mark.parametrize("feature", ["branched", "joint of six", "full tensor", "prescribed turn", "bipolar with mass"])
def test_hypothesis_reaches(feature: str) -> None:
    once = settings(max_examples=400, database=None, phases=[Phase.generate])
    find(systems(max_bodies=6), lambda s: bool(REACHED[feature](s)), settings=once)


@pytest.mark.slow
def test_shrinking_leaves_the_smallest_model() -> None:
    found = find(
        systems(max_bodies=4), lambda s: len(s.coordinates) >= 2, settings=settings(max_examples=2000, database=None)
    )
    assert len(found.bodies) <= 2
    assert len(found.coordinates) == 2
    assert not found.forces


@pytest.mark.slow
@settings(max_examples=30)
@given(systems_and_states(count=2))
def test_models_are_physical_and_states_complete(drawn: DrawnModel) -> None:
    assert takes(drawn.system)
    assert all(f.formula is not None for f in drawn.system.functions)
    for state in drawn.states:
        assert physics(drawn.system, parameter_values(drawn.system, state.parameters)) == []
        assert set(state.q) == set(state.v) == set(state.a) == set(drawn.system.coordinate_names)


@settings(max_examples=10)
@given(states(random_system(7, 3)))
def test_states_are_for_the_given_model(state) -> None:  # type: ignore[no-untyped-def]
    assert tuple(state.q) == random_system(7, 3).coordinate_names


@pytest.mark.slow
def test_mass_matrices_are_regular() -> None:
    regular = []
    for seed, system in enumerate(sample()[:100]):
        drawn = draw(system, 2, seed)
        regular += list(scales(TreeKinematics(drawn.system, drawn.states)).cond < 1e10)
    assert np.mean(regular) > 0.98


@pytest.mark.parametrize("format", [n for n in formats.names() if formats.format_named(n).write is not None])
def test_texts_of_every_format_are_read(format: str) -> None:
    if format == "usd":
        pytest.importorskip("pxr", reason="usd-core, of the extra [usd], is not installed")

    @settings(max_examples=4, database=None)
    @given(texts(format))
    def property(text: str) -> None:
        assert formats.read_text(text, format=format).system.coordinates

    property()


def test_texts_of_models_of_ones_choice() -> None:
    @settings(max_examples=3, database=None)
    @given(texts("native", systems(max_bodies=1, flywheels=True)))
    def property(text: str) -> None:
        assert formats.read_text(text, format="native").system.bodies[-1].flywheels

    property()
    with pytest.raises(MbconcordError, match="vrml"):
        texts("vrml")


@pytest.mark.parametrize("asked", ["closed", "elastic", "springs", "armatures"])
def test_strategies_give_what_is_asked_for(asked: str) -> None:
    @settings(max_examples=3, database=None)
    @given(systems(max_bodies=2, **{asked: True}).flatmap(lambda s: states(s).map(lambda x: (s, x))))
    def property(made: tuple[System, State]) -> None:
        system, state = made
        has = {"closed": system.constraints, "armatures": system.armatures, "springs": system.forces,
               "elastic": [b for b in system.bodies if b.modes]}  # fmt: skip
        assert has[asked] and set(state.q) == set(system.coordinate_names)

    property()


@pytest.mark.slow
def test_the_example_of_the_public_module_is_true() -> None:
    assert doctest.testmod(mbconcord.strategies) == doctest.TestResults(0, 5)


def test_a_seed_makes_one_model() -> None:
    assert random_system(12, 5) == random_system(12, 5)
    assert random_system(12, 5) != random_system(13, 5)
