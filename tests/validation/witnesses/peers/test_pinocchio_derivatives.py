"""Pinocchio's derivatives and regressor of robots that both read: another program, another algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.fixtures import folder
from mbconcord.model.derivatives import TEN, labels

pin: Any = pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")

QUANTITIES = ("C", "dtau_dq", "dtau_dv", "da_dq", "da_dv", "da_dtau", "regressor")
#: Places of our ten parameters among Pinocchio's: m, m c, Ixx Ixy Iyy Ixz Iyz Izz.
THEIRS = (0, 1, 2, 3, 4, 6, 9, 5, 7, 8)
#: Of the largest entry: floats of both.
ROUNDING = 1e-11


def pinocchio(text: str, names: tuple[str, ...], q: Any, v: Any, a: Any) -> dict[str, Any]:
    """What it computes at a state, in our order of coordinates; columns of a body by the name of its link."""
    model = pin.buildModelFromXML(text)
    data, ids = model.createData(), [model.getJointId(name) for name in names]
    at = [model.joints[i].idx_v for i in ids]
    assert model.nv == len(names)
    there, theirs = pin.neutral(model), [np.empty(model.nv) for _ in range(2)]
    for i, x in zip(ids, q, strict=True):
        joint = model.joints[i]
        there[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
    for numbers, ours in zip(theirs, (v, a), strict=True):
        numbers[at] = ours
    own = np.ix_(at, at)
    by_q, by_v, _ = (np.array(x) for x in pin.computeRNEADerivatives(model, data, there, *theirs))
    free = -model.damping * theirs[0]
    a_q, a_v, inverse = (np.array(x) for x in pin.computeABADerivatives(model, data, there, theirs[0], free))
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    Y = np.array(pin.computeJointTorqueRegressor(model, data, there, *theirs))[at]
    damped = np.diag(model.damping)
    found = {
        "dtau_dq": by_q[own], "dtau_dv": (by_v + damped)[own], "da_dq": a_q[own],
        "da_dv": (a_v - inverse @ damped)[own], "da_dtau": inverse[own],
        "C": np.array(pin.computeCoriolisMatrix(model, data, there, theirs[0]))[own],
    }  # fmt: skip
    for frame in model.frames:
        moved = frame.type == pin.FrameType.BODY and frame.parentJoint > 0
        if moved and frame.placement.isIdentity():
            first = 10 * (frame.parentJoint - 1)
            found[frame.name] = Y[:, [first + k for k in THEIRS]]
    return found


def text_of(name: str) -> str:
    """A robot as URDF, as it is or written by us."""
    path = folder() / name
    return (
        path.read_text("utf-8") if path.suffix == ".urdf" else mbconcord.write(mbconcord.read(path).system, "urdf").text
    )


@pytest.mark.parametrize("name", ["urdf/arm.urdf", "robots/ur5.mbsd"])
@pytest.mark.parametrize("by", ["newton_euler", "konoplev"])
def test_derivatives_are_those_of_pinocchio(name: str, by: str) -> None:
    text = text_of(name)
    system = mbconcord.read(text=text, format="urdf").system
    names = system.coordinate_names
    q, v, a = np.random.default_rng(7).uniform(-1, 1, (3, len(names)))
    ours = mbconcord.evaluate(system, q, v, a=a, formalism=by, quantities=QUANTITIES)
    theirs = pinocchio(text, names, q, v, a)
    for quantity in QUANTITIES[:-1]:
        size = np.abs(theirs[quantity]).max()
        assert np.abs(ours[quantity] - theirs[quantity]).max() <= ROUNDING * max(size, 1e-300), quantity
    columns = labels(system)
    bodies = [b for b in dict.fromkeys(x.removesuffix(".m") for x in columns[:: len(TEN)]) if b in theirs]
    assert bodies
    for body in bodies:
        first = columns.index(f"{body}.m")
        own = ours["regressor"][:, first : first + len(TEN)]
        assert np.abs(own - theirs[body]).max() <= ROUNDING * np.abs(ours["regressor"]).max(), body


def found(file: str) -> tuple[dict[str, str], str]:
    """What a check with Pinocchio says of each derivative by it, and its notes."""
    evidence = mbconcord.check(
        folder() / "urdf" / file, formalisms=["newton_euler"], claims=["derivatives"], against=["pinocchio"]
    )
    rows = {c.quantity: c.verdict for c in evidence.comparisons if c.claim == "pinocchio" and c.quantity in QUANTITIES}
    return rows, " ".join(str(note) for note in evidence.diagnostics)


def test_a_check_asks_pinocchio_for_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("arm.urdf")[0] == dict.fromkeys(QUANTITIES[:-1], "agrees")
    theirs = pin.computeRNEADerivatives
    monkeypatch.setattr(
        pin, "computeRNEADerivatives", lambda *given: [x * 1.0001 for x in map(np.array, theirs(*given))]
    )
    rows, _ = found("arm.urdf")
    assert {q for q, verdict in rows.items() if verdict == "disagrees"} == {"dtau_dq", "dtau_dv"}


def test_derivatives_by_velocities_that_are_no_rates_are_not_compared() -> None:
    rows, notes = found("rover.urdf")
    assert not rows
    assert "the joint 'base', which are not rates; none are compared with it" in notes
