"""Motions of bodies' frames by each formalism's own kinematics: known numbers, each other, and their own rates."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import Point, System
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import FLOAT, Expression, evaluate, jacobian, numpy_arithmetic, rate
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.kinematics import PointMotion, express_kinematics, read_kinematics
from mbconcord.model.numbers import Instance

from ..fixture_models import model

#: A base that time moves, a body with two axes, a slide with a turn about tilted axes, a side branch; welded points.
#: The numbers are of an oracle by energies and differences in 60 digits.
GIMBAL = json.loads((Path(__file__).parent / "gimbal_kinematics.json").read_text("utf-8"))
ABLE = [name for name in BUILT_IN if type(formalism(name)).motions is not Formalism.motions]
#: Whose motions are proved to be the same functions.
PROVED = ("robots/ur5.mbsd", "native/universal_joint.mbs.json", "konoplev/tree.mbsd")


def gimbal() -> System:
    return read_text(json.dumps(GIMBAL["model"]), "-", "native").system


def motions(name: str, system: System, points: list[Point]) -> tuple[PointMotion, ...]:
    found = formalism(name).motions(system, points)
    assert found is not None
    return found


def same(a: Iterable[Expression], b: Iterable[Expression]) -> bool:
    """Prove that scalars are the same functions."""
    return all(verdict.kind == IDENTICAL for verdict in compare(zip(a, b, strict=True)))


def scalars(motion: PointMotion) -> list[Expression]:
    parts = (motion.R, motion.r, motion.v, motion.w, motion.J, motion.a0, motion.e0)
    return [x for part in parts for x in flatten(part)]


def test_four_formalisms_have_motions() -> None:
    assert ABLE == ["lagrange", "newton_euler", "virtual_work", "konoplev"]


@pytest.mark.parametrize("by", ABLE)
def test_numbers_of_a_gimbal_are_those_of_the_oracle(by: str) -> None:
    system, state = gimbal(), GIMBAL["state"]
    at = {"t": state["t"]}
    for marks, group in (("", "q"), ("'", "v"), ("''", "a")):
        at |= {name + marks: x for name, x in state[group].items()}
    asked = read_kinematics(system, GIMBAL["values"])
    found = express_kinematics(system, lambda points: motions(by, system, [*points]), asked)
    for name, expected in GIMBAL["values"].items():
        numbers = np.array(evaluate(flatten(found[name]), at, FLOAT), dtype=float)
        np.testing.assert_allclose(numbers, np.ravel(expected), rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("by", ABLE)
def test_a_point_beside_the_origin_moves_as_a_body_welded_there(by: str) -> None:
    system = gimbal()
    welded, beside = motions(by, system, [Point("tip"), Point("hand", (0.1, -0.2, 0.3))])
    assert same(scalars(welded), scalars(beside))


@pytest.mark.parametrize("by", ABLE)
def test_the_fixed_frame_does_not_move(by: str) -> None:
    (found,) = motions(by, gimbal(), [Point(None, (1, 2, 3))])
    numbers = np.array(evaluate(scalars(found), {}, FLOAT), dtype=float)
    assert numbers.tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3] + [0] * (6 + 6 * 5 + 6)


@pytest.mark.parametrize(("file", "by"), [*product(("gimbal", *PROVED), ABLE[1:])])
def test_formalisms_derive_the_same_motions_of_every_body(file: str, by: str) -> None:
    system = gimbal() if file == "gimbal" else model(file).system.open_loops()
    points = [Point(body.name) for body in system.bodies]
    for body, a, b in zip(system.bodies, *(motions(name, system, points) for name in (ABLE[0], by)), strict=True):
        assert same(scalars(a), scalars(b)), body.name


def test_frames_on_sections_of_an_elastic_body_move_alike() -> None:
    """In floats: turns of sections are series."""
    drawn = model("elastic/nodal_tree.mbs.json")
    points, at = [Point(body.name) for body in drawn.system.bodies], Instance(drawn.system, drawn.states).values

    def every(by: str) -> list[Expression]:
        return [x for m in motions(by, drawn.system, points) for x in scalars(m)]

    first, second = (
        np.array(np.broadcast_arrays(*evaluate(every(by), at, numpy_arithmetic())))
        for by in ("lagrange", "virtual_work")
    )
    np.testing.assert_allclose(first, second, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("by", ABLE)
def test_velocity_is_linear_in_rates_with_the_slopes_of_the_jacobian(by: str) -> None:
    system = gimbal()
    rates = [rate(name) for name in system.coordinate_names]
    for found in motions(by, system, [Point("tip"), Point("side", (1, 2, 3))]):
        slopes = [x for row in jacobian([*found.v, *found.w], rates) for x in row]
        assert same(slopes, flatten(found.J))
