"""What the tests of UM's files share: the project's own fixtures, and real files where they lie beside."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.model.expressions import evaluate, to_text
from mbconcord.model.numbers import parameter_values

FIXTURES = files("mbconcord.fixtures").joinpath("um")
FACTS = json.loads(FIXTURES.joinpath("facts.json").read_text("utf-8"))
MODELS = ("back_to_base", "four_bar", "gripper", "platform", "six_legs", "suspension", "two_bodies")
REAL = Path(__file__).parents[4] / "shared" / "um"
real = pytest.mark.skipif(not REAL.is_dir(), reason="real files of UM are not part of the project: none lie beside")


def text(model: str) -> str:
    """The text of a fixture."""
    data = FIXTURES.joinpath(model, "input.dat").read_bytes()
    decode = registry.format_named("um").decode
    assert decode is not None
    return decode(data, model).text.replace("\r\n", "\n")


def reading(model: str):
    return registry.read_text(text(model), f"{model}/input.dat", "um")


def system(model: str):
    return reading(model).system


def placed(machine, values: dict[str, float]) -> dict[str, np.ndarray]:
    """Homogeneous matrices of all bodies (body frame to world) by multiplying the joints' transformations."""
    values = {**parameter_values(machine), **values}
    found: dict[str | None, np.ndarray] = {None: np.eye(4)}
    for body in machine.bodies:
        matrix = found[body.parent]
        for et in body.joint:
            *axis, amount = (float(x) for x in evaluate([*et.axis, et.amount], values))
            matrix = matrix @ elementary(et.kind, np.array(axis), amount)
        found[body.name] = matrix
    return {name: matrix for name, matrix in found.items() if name is not None}


def elementary(kind: str, axis: np.ndarray, amount: float) -> np.ndarray:
    matrix = np.eye(4)
    if kind == "translation":
        matrix[:3, 3] = amount * axis
        return matrix
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix[:3, :3] += np.sin(amount) * cross + (1 - np.cos(amount)) * cross @ cross
    return matrix


def initial(machine) -> dict[str, float]:
    values = parameter_values(machine)
    return dict(zip(machine.coordinate_names, map(float, evaluate([c.position for c in machine.coordinates], values))))


#: A frame for small files: two identifiers and two bodies; joints are put in.
HEAD = "with main; autogravity=true;\nwith const;\ncnst=(a# 2);\ncnst=(b# a/3);\nwith egravity; gravityz=-1;\n"
BODY = 'with body1; name="B1"; m=1; ixx=1; iyy=1; izz=1;\nwith body2; name="B2"; m=b; ixx=1; iyy=1; izz=1; rcx=a;\n'


def model(*joints: str, bodies: str = BODY, head: str = HEAD, tail: str = ""):
    return registry.read_text(head + bodies + "\n".join(joints) + tail + "\nwith end;\n", "-", "um")


def joint(kind: str, inside: str, first: str = "Base0", second: str = "B1", name: str = "j") -> str:
    return f'with joint1; name="{name}"; type={kind}; bd1="{first}"; bd2="{second}";\n{inside}'


def one(e1: str, e2: str, rest: str = "x0=0;") -> str:
    a, b = ([f"e{i}{c}={v};" for c, v in zip("xyz", e.split(","))] for i, e in ((1, e1), (2, e2)))
    return f"with jnt1dof; {' '.join((*a, *b))} {rest}"


WELD = joint("6dof", "with jnt6dof; angles=312;", "B1", "B2", "weld")


def steps(machine, body="B1"):
    return [(et.kind[0], tuple(map(to_text, et.axis)), to_text(et.amount)) for et in machine.body(body).joint]


X, Y, Z = ("1", "0", "0"), ("0", "1", "0"), ("0", "0", "1")
