"""M_i*, k_i and Q_i of the direct method (9): their sums, and each of them as the equations of a body that is alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.virtual_work import VirtualWork
from mbconcord.model import Inertia, System
from mbconcord.model.derivation import Nested, flatten
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import to_text
from mbconcord.validation.judge.kinematics import TreeKinematics

from ...fixture_models import model
from ..numbers import close

FILES = (
    "mbsd/double_pendulum.mbsd",
    "mbsd/springs.mbsd",
    "mbsd/driven_arm.mbsd",
    "mbsd/moving_support.mbsd",
    "mbsd/patu655.mbsd",
    "konoplev/gyrostat.mbs.json",
    "konoplev/submarine.mbs.json",
)


def of(k: TreeKinematics, value: Nested, *shape: int) -> Array:
    """Values of a quantity at the states."""
    return k.vectors(flatten(value)).reshape(k.count, *shape)


@pytest.mark.parametrize("file", FILES)
def test_the_shares_of_the_bodies_are_the_equations(file: str) -> None:
    """Σ M_i = M, Σ k_i = h, Σ Q_i + efforts = gravity + applied."""
    drawn = model(file)
    k, made = TreeKinematics(drawn.system, drawn.states), VirtualWork().derive(drawn.system)
    n, parts = k.n, len(made.indices["M_i"][0])
    assert parts == sum(1 + len(body.flywheels) for body in drawn.system.bodies)
    M, h, gravity, applied = (made.quantities[x] for x in ("M", "h", "gravity", "applied"))
    assert close(of(k, made.native["M_i"], parts, n, n).sum(1), of(k, M, n, n))
    assert close(of(k, made.native["k_i"], parts, n).sum(1), of(k, h, n), 1e-12)
    Q = of(k, made.native["Q_i"], parts, n).sum(1) + of(k, made.native["efforts"], n)
    assert close(Q, of(k, gravity, n) + of(k, applied, n), 1e-12)


@pytest.mark.parametrize("file", FILES[:5])
def test_a_share_is_the_equations_of_the_body_alone(file: str) -> None:
    """By Lagrange's equations of the system in which no other body has mass and nothing but weight acts."""
    drawn = model(file)
    system = bare(drawn.system)
    k, made = TreeKinematics(system, drawn.states), VirtualWork().derive(system)
    n, parts = k.n, len(system.bodies)
    for i, body in enumerate(system.bodies):
        alone = Lagrange().derive(only(system, body.name)).quantities
        M, h, Q = (of(k, made.native[x], parts, *s)[:, i] for x, s in (("M_i", (n, n)), ("k_i", (n,)), ("Q_i", (n,))))
        assert close(M, of(k, alone["M"], n, n))
        assert close(h, of(k, alone["h"], n), 1e-12)
        assert close(Q, of(k, alone["gravity"], n), 1e-12)


def bare(system: System) -> System:
    """The system without forces and drives but weight, the masses of bipolar elements on the bodies."""
    free = tuple(replace(c, drive=None) for c in system.coordinates)
    return replace(system.lump_masses(), forces=(), coordinates=free)


def only(system: System, name: str) -> System:
    """The system in which one body alone has mass."""
    empty = Inertia(0)  # type: ignore[arg-type]
    bodies = (b if b.name == name else replace(b, inertia=empty) for b in system.bodies)
    return replace(system, bodies=tuple(bodies))


def test_loads_belong_to_the_bodies_they_act_on() -> None:
    """The cylinders of the crane pull at boom1 and nodeH; on tower4 in the plane of its axis, without a moment."""
    drawn = model("mbsd/patu655.mbsd")
    k, made = TreeKinematics(drawn.system, drawn.states), VirtualWork().derive(drawn.system)
    names, weight = made.indices["Q_i"][0], VirtualWork().derive(bare(drawn.system)).native["Q_i"]
    pulls = of(k, made.native["Q_i"], len(names), k.n) - of(k, weight, len(names), k.n)
    assert {name for name, x in zip(names, np.abs(pulls).max(axis=(0, 2)), strict=True) if x > 1} == {"boom1", "nodeH"}


def test_efforts_along_coordinates_belong_to_no_body() -> None:
    made = VirtualWork().derive(read_text('z"(2) i > z"(-3 z) i', "-", "mbsd").system).native
    assert not any(flatten(made["Q_i"]))
    assert list(map(to_text, flatten(made["efforts"]))) == ["2", "-3*z2"]
