"""What acts along joints of an MJCF: springs, dampers, armatures, actuators; and weight that is held up.

Actuators with states, or on anything but single coordinates and fixed tendons, are no part of the motion here; neither
is what acts against turns of balls.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..machine import At, Load, Place, X, Y, Z
from ..poses import Array
from .lumps import Lump
from .mjcf_bodies import Bodies, Body, Joint
from .mjcf_tendons import Tendons, drag, law, pull
from .mjcf_words import ACTUATORS, MAIN, Words
from .tags import Tag, numbers
from .turns import matrix, triple, turn


def along(joint: Joint, words: Words, at: At) -> dict[str, float]:
    """Springs and dampers of a joint; a damper by a time constant stands in their place and lies beside."""
    tag, found = joint.tag, dict.fromkeys(joint.names, 0.0)
    if any(numbers(tag.own.get("springdamper", ""))):
        return {}
    k = [] if words.off("passive", "spring") else law(tag, "stiffness")
    d = [] if words.off("passive", "damper") else law(tag, "damping")
    if joint.single:
        q, v = at.q[joint.name], at.v[joint.name]
        return {joint.name: pull(k, q - joint.spring) + drag(d, v)}
    if len(d) == 1:
        W = _spin(joint, at)
        rates = np.array([at.v[name] for name in joint.names])
        found = dict(zip(joint.names, (float(x) for x in -d[0] * W.T @ W @ rates), strict=True))
    return found


def _spin(joint: Joint, at: At) -> Array:
    """Velocity and angular velocity of a free body, or the angular one of a ball, by the rates of its coordinates.

    Columns of turns rz ry rx are their axes, seen from the body: by what turns it behind them.
    """
    _, y, x = (at.q[name] for name in joint.names[-3:])
    Ry, Rx = (matrix(turn(a, angle))[:3, :3] for a, angle in ((Y, y), (X, x)))
    turns = np.column_stack([(Ry @ Rx).T @ Z, Rx.T @ Y, X])
    shifts = len(joint.names) - 3
    found = np.eye(len(joint.names))
    found[shifts:, shifts:] = turns
    return found


def armatures(bodies: Bodies, masses: dict[str, Lump]) -> list[tuple[float, dict[str, float]]]:
    """Inertias along coordinates; what turns everywhere in the world has that of its turns in its own tensor."""
    found = []
    for body in bodies.all:
        for joint in body.joints:
            a = joint.tag.number("armature", "0")
            if not a:
                continue
            if joint.single:
                found.append((a, {joint.name: 1.0}))
            elif body.parent is not None and not body.parent.moves and len(body.joints) == 1:
                found += [(a, {name: 1.0}) for name in joint.names[:-3]]
                own = masses[body.name]
                masses[body.name] = replace(own, tensor=own.tensor + a * np.eye(3))
    return found


def held_up(body: Body, own: Lump, words: Words) -> list[Load]:
    """A part of the weight, upwards, at the centre of mass of a body that moves."""
    part = body.tag.number("gravcomp", "0")
    if not part or not own.mass or not body.moves or words.off("passive"):
        return []
    x, y, z = (-part * own.mass * g for g in words.gravity)
    return [Load(Place(body.name, triple(own.centre)), (x, y, z))]


class Actuators:
    """Actuators: gear · f along coordinates, f = (g₀ + g₁ l + g₂ l') ctrl + b₀ + b₁ l + b₂ l', l = gear · length."""

    def __init__(self, mujoco: Tag, bodies: Bodies, tendons: Tendons, words: Words, at: At) -> None:
        self.bodies, self.tendons, self.words, self.at = bodies, tendons, words, at
        self.efforts: dict[str, float] = {}
        self.controls: list[str] = []
        self.beside: list[str] = []
        self.armatures: list[tuple[float, dict[str, float]]] = []
        tags = [t for section in mujoco.all("actuator") for t in section.inner if t.name in ACTUATORS]
        for number, tag in enumerate(tags):
            if not words.off("actuation"):
                self._actuator(tag, tag.own.get("name") or f"actuator{number}")

    def _actuator(self, tag: Tag, name: str) -> None:
        said = [*self.words.defaults(tag.own.get("class", MAIN), ACTUATORS), tag]
        along, constants = self._along(tag), _constants(said)
        if along is None or constants is None:
            self.beside.append(f"actuator/{name}")
            return
        (g0, g1, g2), (b0, b1, b2) = constants
        whole = Tag(tag.name, {key: value for one in said for key, value in one.own.items()})
        gear = numbers(whole.own.get("gear", "1"))[0]
        length, speed = (gear * sum(c * x[q] for q, c in along.items()) for x in (self.at.q, self.at.v))
        self.controls.append(f"{name}_ctrl")
        control = self.at.set.get(self.controls[-1], 0.0)
        force = (g0 + g1 * length + g2 * speed) * control + b0 + b1 * length + b2 * speed
        for q, c in along.items():
            self.efforts[q] = self.efforts.get(q, 0.0) + c * gear * force
        if whole.number("armature", "0") and gear:
            self.armatures.append((whole.number("armature", "0"), {q: c * gear for q, c in along.items()}))

    def _along(self, tag: Tag) -> dict[str, float] | None:
        """Coordinates with their coefficients; None where it acts on something else."""
        for key in ("joint", "jointinparent"):
            if key in tag.own:
                joint = self.bodies.joints[tag.own[key]]
                return {joint.name: 1.0} if joint.single else None
        return dict(self.tendons.of[tag.own["tendon"]].along) or None if "tendon" in tag.own else None


def _three(text: str) -> list[float]:
    return [*numbers(text), 0.0, 0.0, 0.0][:3]


def _constants(said: list[Tag]) -> tuple[list[float], list[float]] | None:
    """g and b, of what is said one after another; None where the force is not of this form."""
    gain, bias, states, g, b = "fixed", "none", "none", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    strange = False
    for tag in said:
        own = tag.own
        if tag.name == "general":
            gain, bias = own.get("gaintype", gain), own.get("biastype", bias)
            states = own.get("dyntype", states)
            g = _three(own["gainprm"]) if "gainprm" in own else g
            b = _three(own["biasprm"]) if "biasprm" in own else b
            continue
        states, strange = "none", False
        if tag.name == "motor":
            gain, bias, g, b = "fixed", "none", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        elif tag.name == "position":
            kp = tag.number("kp", "1") if "kp" in own else g[0]
            kv = tag.number("kv", "0") if "kv" in own else -b[2]
            gain, bias, g, b = "fixed", "affine", [kp, 0.0, 0.0], [b[0], -kp, -kv]
            strange = any(float(own.get(key, "0")) != 0 for key in ("timeconst", "dampratio"))
        elif tag.name == "velocity":
            kv = tag.number("kv", "1") if "kv" in own else g[0]
            gain, bias, g, b = "fixed", "affine", [kv, 0.0, 0.0], [0.0, 0.0, -kv]
        elif tag.name == "damper":
            gain, bias, g, b = "affine", "none", [0.0, 0.0, -tag.number("kv", "1")], [0.0, 0.0, 0.0]
        else:
            strange = True
    if strange or states != "none" or {gain, bias} - {"fixed", "affine", "none"}:
        return None
    return g if gain == "affine" else [g[0], 0.0, 0.0], b if bias == "affine" else [0.0, 0.0, 0.0]
