"""Entry points of formalisms refuse models with features that their formalism does not take, whichever is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import Motion, Point, State, System, translation
from mbconcord.model.beams import ClampedFree, bending, round_section
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import as_expression
from mbconcord.model.features import FEATURES, features
from mbconcord.model.mixed import drive_row

STATES: Final = [State()]
SIX: Final = np.eye(6).tolist()
BEAM: Final = {"length": 1, "section": round_section(0.01), "young": 2e11, "density": 7800, "node": None}
#: What adds a feature to two links in a plane.
ADDED: Final[dict[str, Callable[[mb.Mechanism], Any]]] = {
    "prescribed_motion": lambda m: m.body("c", on="b", mass=1, com=(0.2, 0, 0), inertia=(1, 1, 1)).rotate("t", "z"),
    "mapped_motion": lambda m: m.body("c", on="b", mass=1, inertia=(1, 1, 1)).turns(about="z", map="q1*q2 - q1"),
    "joint_efforts": lambda m: m.effort("e", "q1", "-q1"),
    "effort_drives": lambda m: m.drive("q1", "1 + t"),
    "motion_drives": lambda m: m,
    "bipolar_forces": lambda m: m.spring("f", (None, (1, 1, 0)), ("b", (1, 0, 0)), stiffness=3, length=1),
    "point_forces": lambda m: m.force("f", ("b", (1, 0, 0)), (1, "t", 0)),
    "wrenches": lambda m: m.wrench("f", ("b", (1, 0, 0)), (1, 0, 0), (0, 0, 1)),
    "follower_forces": lambda m: m.force("f", ("b", (1, 0, 0)), (1, "t", 0), axes="body"),
    "kinematic_words": lambda m: m.drive("q1", "1 - vx(b)"),
    "bushings": lambda m: m.bushing("f", (None, ()), ("b", ()), stiffness=SIX),
    "torsions": lambda m: m.torsion("f", (None, ()), ("b", ()), stiffness=2),
    "rods": lambda m: m.rod("r", (None, (1, 1, 0)), ("b", (1, 0, 0)), "sqrt(2)"),
    "point_coincidences": lambda m: m.pin("r", (None, (2, 0, 0)), ("b", (1, 0, 0))),
    "cut_joints": lambda m: m.close("r", (None, [translation("x", 2)]), ("b", [translation("x", 1)])),
    "holonomic_rows": lambda m: m.holds("r", "q1 + 2*q2"),
    "nonholonomic_rows": lambda m: m.rolls("r", {"q1": 1, "q2": "1 + q1"}),
    "added_inertia": lambda m: m.fluid(SIX),
    "flywheels": lambda m: m.flywheel("w", "3*t", mass=1, inertia=(1, 1, 1)),
    "elastic_modes": lambda m: m.beam("c", on="b", modes={"e": bending(2, ClampedFree(1))}, **BEAM).turns("q3", "z"),
    "armatures": lambda m: m.armature("a", 2, {"q1": 1, "q2": -3}),
}
ENTRIES: Final[dict[str, Callable[[Formalism, System], Any]]] = {
    "derive": lambda f, s: f.derive(s),
    "derive_whole": lambda f, s: f.derive_whole(s),
    "derive_asked": lambda f, s: f.derive_asked(s, ["M"]),
    "listing": lambda f, s: f.listing(s),
    "divide": lambda f, s: f.divide(s, {"all": s.coordinate_names}),
    "recursion": lambda f, s: f.recursion(s),
    "evaluate": lambda f, s: f.evaluate(s, STATES),
    "joint_forces": lambda f, s: f.joint_forces(s),
    "forces_in_joints": lambda f, s: f.forces_in_joints(s),
    "motions": lambda f, s: f.motions(s, [Point(s.bodies[-1].name)]),
    "constrained_motion": lambda f, s: f.constrained_motion(s, STATES),
    "derive_closed": lambda f, s: f.derive_closed(s),
    "solve_closed": lambda f, s: f.solve_closed(s, STATES),
    "constrained_forces": lambda f, s: f.constrained_forces(s, STATES),
    "forces_with_constraints": lambda f, s: f.forces_with_constraints(s, STATES),
    "linkage_forces": lambda f, s: f.linkage_forces(s, STATES),
    "walker": lambda f, s: f.walker(s),
}
OF_TREES: Final = {"derive", "evaluate", "joint_forces", "forces_in_joints", "motions", "divide", "recursion"}
#: What asks about obstacles, or tells of a choice.
ASKS: Final = {"obstacles", "require", "constraint_obstacles", "require_constraints", "require_steps", "notes"}


#: Features that are tried on closed models, too.
BESIDE: Final = ("motion_drives", "added_inertia", "flywheels", "elastic_modes", "bushings", "armatures")


@cache
def model(*names: str) -> System:
    """Two links that have, of all features, these."""
    made = (
        mb.Mechanism("two links").gravity(y=-9.81).body("a", mass=1, com=(0.5, 0, 0), inertia=(1, 1, 1))
        .turns("q1", "z").body("b", on="a", mass=1, com=(0.5, 0, 0), inertia=(1, 1, 1)).shift(x=1).turns("q2", "z")
    )  # fmt: skip
    for name in names:
        made = ADDED[name](made)
    system: System = made.build()
    if "motion_drives" in names:
        first, *others = system.coordinates
        system = replace(system, coordinates=(replace(first, drive=Motion(as_expression(1))), *others))
    drives = {"effort_drives"} if "kinematic_words" in names else set()  # words stand in a drive
    assert {name for name, _ in features(system)} == {*names} | drives
    return system


def find_answers(by: Formalism, system: System) -> tuple[list[str], int]:
    """Return the entry points that answer for a model that the formalism does not take, and how many were called."""
    answered, called = [], 0
    for entry, call in ENTRIES.items():
        tree = entry in OF_TREES or not system.constraints
        if not (by.obstacles(system) if tree else by.constraint_obstacles(system)):
            continue
        called += 1
        try:
            found = call(by, system)
        except FormalismError:
            found = None
        answered += [entry] * (found not in (None, (None, None)))
    return answered, called


def test_every_feature_and_every_entry_point_is_walked() -> None:
    assert ADDED.keys() == FEATURES.keys()
    public = {
        name for name, x in vars(Formalism).items()
        if not name.startswith("_") and callable(x) and "system" in inspect.signature(x).parameters
    }  # fmt: skip
    assert public - ASKS == ENTRIES.keys()


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_entry_point_answers_for_a_feature_that_its_formalism_does_not_take(name: str) -> None:
    found = {feature: find_answers(formalism(name), model(feature)) for feature in FEATURES}
    assert {feature: entries for feature, (entries, _) in found.items() if entries} == {}
    assert sum(called for _, called in found.values()) >= len(OF_TREES)


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_drives_impose_on_a_tree_happens_in_its_motion_with_constraints(name: str) -> None:
    by, tree = formalism(name), model("motion_drives")
    solved, equations = by.solve_closed(tree, STATES)
    for motion in (by.constrained_motion(tree, STATES), solved):
        assert motion is None or motion.acceleration[0, 0] == pytest.approx(1, rel=1e-12)
    for made in (by.derive_closed(tree), equations):
        assert made is None or made.rows == (drive_row("q1"),)
    assert [by.forces_with_constraints(each, STATES) for each in (tree, model(), model("wrenches"))] == [None] * 3


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_no_entry_point_answers_for_a_feature_beside_a_constraint(name: str) -> None:
    pairs = product((each for each in FEATURES if model(each).constraints), BESIDE)
    found = {pair: find_answers(formalism(name), model(*pair)) for pair in pairs}
    assert {pair: entries for pair, (entries, _) in found.items() if entries} == {}
    assert len(found) == 30 and sum(called for _, called in found.values()) >= 30 * len(OF_TREES)
