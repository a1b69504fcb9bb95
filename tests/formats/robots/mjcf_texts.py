"""Texts of MJCF by their parts, and what they mean in numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mbconcord.converters import registry
from mbconcord.converters.registry import Reading
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import State, System
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.validation.witnesses.peers.peer import free, in_model

from ..um.um_files import placed

VECTORS = Path(__file__).parents[4] / "shared" / "specs" / "vectors" / "robots"
NAMES = [p.stem for p in sorted(VECTORS.glob("*.xml"))]
MASS = '<inertial pos="0.1 0.2 0.05" mass="2" diaginertia="0.05 0.04 0.03"/>'
TWO = (
    f'<body name="a"><joint name="x" type="slide"/>{MASS}</body>'
    f'<body name="b" pos="0 0 1"><joint name="y" type="slide" ref="0.5"/>{MASS}<site name="s" pos="1 0 0"/></body>'
)


def read(text: str, file: str = "model.xml") -> Reading:
    return registry.read_text(text, file)


def world(inside: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="m">{before}<worldbody>{inside}</worldbody>{after}</mujoco>'


def body(joint: str = "", more: str = MASS, pose: str = "", before: str = "", after: str = "") -> str:
    """A body of the world with what is given in it."""
    return world(f'<body name="a" {pose}>{joint}{more}</body>', before, after)


def numbers(system: System, state: State) -> dict[str, np.ndarray]:
    derivation = formalisms.formalism("newton_euler").derive(system.open_loops())
    found = evaluate_derivation(derivation, [state]).quantities
    return {name: value[0] for name, value in found.items()}


def seen(system: System, expected: dict) -> tuple[State, dict[str, np.ndarray]]:
    """The state of a vector in the model's coordinates, and its numbers brought there."""
    q, v = (np.array(expected["state"][key], dtype=float) for key in "qv")
    names = system.coordinate_names
    given = {k: np.array(expected[k], dtype=float) for k in ("M", "h", "gravity", "passive") if k in expected}
    if len(q) == len(v):
        return State(q=dict(zip(names, q, strict=True)), v=dict(zip(names, v, strict=True))), given
    at = placed(system, dict.fromkeys(names, 0.0))[system.bodies[0].name]
    fixed = at[:3, :3] if len(v) == 6 else np.eye(3)
    w, x, y, z = q[-4:]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    T = fixed.T @ R
    angles = [np.arctan2(T[1, 0], T[0, 0]), -np.arcsin(T[2, 0]), np.arctan2(T[2, 1], T[2, 2])]
    there = fixed.T @ (q[:3] - at[:3, 3]) if len(v) == 6 else np.zeros(3)
    own = np.concatenate([there, angles])
    start = free(own, np.zeros(6), moving=False, fixed=fixed)
    rates = np.linalg.solve(start.G, v if len(v) == 6 else np.concatenate([np.zeros(3), v]))
    block = free(own, rates, moving=False, fixed=fixed)
    k = slice(6 - len(v), 6)
    zero = np.zeros(len(v))
    made = in_model(block.G[k, k], block.rest[k], given["M"], given["h"], given["gravity"], given.get("passive", zero))
    state = State(q=dict(zip(names, own[k], strict=True)), v=dict(zip(names, rates[k], strict=True)))
    return state, {key: made["applied" if key == "passive" else key] for key in given}
