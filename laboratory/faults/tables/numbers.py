"""Seeded faults between right equations and the screen: each ends the command that prints its number with code 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbconcord.testing import Fault

from . import read_table

#: Files beside the models.
FILES: Final = {
    "block.mbsd": "u(x)\"(3 - 5 sign(x')) $2",
    "fast.json": '{"v": {"x": 2}}',
    "bent.json": '{"q": {"z1": 0.3}}',
    "hanging.mbsd": "z°-90 i1 $1 > z i1 $1 g9.81-y",
    "spring.mbsd": "u(x)\"(-4*x - 0.1*x') $2 > u(y)\"(-9*y - 0.3*y' - x) $1",
    "driven.json": '{"q": {"z1": 0.3, "z2": 0.4}, "v": {"z1": 1.0, "z2": -0.5}}',
    "rotor.mjcf.xml": """<mujoco model="rotor"><worldbody><body name="arm">
        <joint name="q" type="hinge" axis="0 1 0" armature="0.01"/>
        <inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>""",
    "heavy.mbsd": "z°-90 i1.1 $1.3 > z i1 $1 g9.81-y",
    "other.mbsd": "z°30 i0.9 $1 > z°30 i1 $1.2 g9.81-y",
    "press.mbsd": "z(a) i1 $1 #crank > z(b) i2 $1 #rod \\ u(s)°2.9 $1 #slider ; g-y \\ #rod z(p) = < #slider",
    "crank.csv": "t,a\n0,0.3\n0.1,0.32\n0.2,0.38\n0.3,0.48\n0.4,0.62\n0.5,0.8\n",
    "orbit.mbsd": 'u(x)"(-10*x*(x^2 + y^2)) v(y)"(-10*y*(x^2 + y^2)) $1',
    "orbit.json": '{"q": {"x": 0.5, "y": 0.0}, "v": {"x": 0.0, "y": 0.7905694150420949}}',
    "duffing.mbsd": "u(x)\"(-10*x - x^3 + sin(t) - x'/2) $1",
    "swing.csv": "t,z1,z2\n0,0,0\n1,0.1,0.2\n2,0.3,0.1\n",
    "rough.mbs.json": """{"format": "mbconcord", "version": 1, "name": "rough", "coordinates": [
        {"name": "q", "position": 0.4, "velocity": 2}], "parameters": [{"name": "N", "normal": "bar"}],
        "gravity": {"value": 9.81, "direction": "-y"}, "bodies": [{"name": "bar", "parent": null,
        "joint": [{"rotation": "z", "coordinate": "q"}],
        "inertia": {"mass": 2, "centre": [0.3, 0, 0], "tensor": [0, 0, 0.1, 0, 0, 0]}}],
        "forces": [{"kind": "joint_effort", "name": "rub", "coordinate": "q", "effort": "-0.01*N*sign(q')"}]}""",
    "still.csv": "t,w1,x1,y1,z1\n0,0,0,0,0\n1,0.1,0.2,0.1,0.3\n2,0.2,0.1,0.4,0.1\n",
}


@dataclass(frozen=True)
class PrintedFault:
    """A fault, and the command that has to end with exit code 1."""

    fault: Fault
    command: tuple[str, ...]


def _divide(command: str) -> tuple[str, ...]:
    """Divide a command into words; after ``python`` all is one."""
    return tuple(command.split(maxsplit=1 if command.startswith("python ") else -1))


FAULTS: Final = tuple(PrintedFault(row.fault, _divide(row.section[0])) for row in read_table("numbers", "shared", ""))
