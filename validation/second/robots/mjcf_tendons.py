"""Tendons of an MJCF: sums of coordinates, or straight lines between two sites; and laws of what acts along anything.

What wraps around shapes, or is divided, is no part of the motion here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..machine import At, Place, Spring, UnreadError
from ..poses import Array
from .mjcf_bodies import Bodies
from .mjcf_words import MAIN, Words
from .tags import Tag, numbers
from .turns import matrix, triple


@dataclass(frozen=True)
class Tendon:
    """``along`` has the coefficients of coordinates; a straight one has two ``ends``, others neither."""

    tag: Tag
    along: Mapping[str, float]
    ends: tuple[Place, ...] = ()

    def length(self, values: Mapping[str, float]) -> float:
        """The sum at values of its coordinates."""
        return sum(c * values[q] for q, c in self.along.items())


def law(tag: Tag, key: str) -> list[float]:
    """One to three constants, without zeros at the end."""
    found = numbers(tag.own.get(key, ""))
    if len(found) > 3:
        raise UnreadError(f"{key} of more than three numbers")
    while found and not found[-1]:
        found.pop()
    return found


def pull(k: Sequence[float], x: float) -> float:
    """A spring's force at x: against k₁ x + k₂ x² + k₃ x³."""
    return -sum(c * x ** (n + 1) for n, c in enumerate(k))


def drag(d: Sequence[float], v: float) -> float:
    """A damper's force at v: against d₁ v + d₂ v|v| + d₃ v³."""
    return -sum(c * x for c, x in zip(d, (v, v * abs(v), v**3), strict=False))


class Tendons:
    """The tendons of a document by name."""

    def __init__(self, mujoco: Tag, bodies: Bodies, words: Words) -> None:
        self.bodies, self.words = bodies, words
        self.of: dict[str, Tendon] = {}
        for child in (c for section in mujoco.all("tendon") for c in section.inner):
            if child.name in ("fixed", "spatial"):
                name = child.own.get("name") or f"tendon{len(self.of)}"
                self.of[name] = self._tendon(child)

    def _tendon(self, child: Tag) -> Tendon:
        tag = self.words.whole(child, MAIN, "tendon")
        if child.name == "fixed":
            along: dict[str, float] = {}
            for joint in child.all("joint"):
                name = joint.own["joint"]
                if not self.bodies.joints[name].single:
                    raise UnreadError("a tendon over a joint of several coordinates")
                along[name] = along.get(name, 0.0) + joint.number("coef", "1")
            return Tendon(tag, along)
        ways = [way for way in child.inner if way.name in ("site", "geom", "pulley")]
        if len(ways) == 2 and all(way.name == "site" for way in ways):
            return Tendon(tag, {}, tuple(self.place(way.own["site"]) for way in ways))
        return Tendon(tag, {})

    def place(self, site: str) -> Place:
        """A site as a point of its body."""
        body, steps = self.bodies.site(site)
        return Place(body.called, triple(matrix(steps)[:3, 3]))

    def shown(self, place: Place) -> Array:
        """A point in the world as the file shows it."""
        body = next(b for b in (self.bodies.world, *self.bodies.all) if b.called == place.body)
        return (body.shown @ [*place.point, 1.0])[:3]

    def _laws(self, tag: Tag) -> tuple[list[float], list[float], list[float]]:
        k = [] if self.words.off("passive", "spring") else law(tag, "stiffness")
        d = [] if self.words.off("passive", "damper") else law(tag, "damping")
        return k, d, numbers(tag.own.get("springlength", ""))

    def efforts(self, at: At) -> dict[str, float]:
        """What fixed tendons do along coordinates: at rest between two lengths where these are given."""
        found: dict[str, float] = {}
        rest_at = {name: joint.spring for name, joint in self.bodies.joints.items()}
        for tendon in self.of.values():
            k, d, rest = self._laws(tendon.tag)
            if not tendon.along:
                continue
            if not rest or (len(rest) == 1 and rest[0] < 0):
                rest = [tendon.length(rest_at)]
            low, high, length = rest[0], rest[-1], tendon.length(at.q)
            x = length - low if length < low else max(length - high, 0.0) if high != low else length - low
            force = pull(k, x) + drag(d, tendon.length(at.v))
            for q, c in tendon.along.items():
                found[q] = found.get(q, 0.0) + c * force
        return found

    def springs(self) -> list[Spring]:
        """Straight tendons with a linear spring or damper; at rest as the file shows them where nothing is said.

        Others lie beside the motion, and so do those whose length at rest is that of another pose.
        """
        found = []
        for name, tendon in self.of.items():
            k, d, rest = self._laws(tendon.tag)
            if not tendon.ends or not (k or d) or len(k) > 1 or len(d) > 1 or len(rest) > 1:
                continue
            if tendon.tag.number("armature", "0"):
                continue
            if not rest or rest[0] < 0:
                if any(j.single and j.spring != j.ref for j in self.bodies.joints.values()):
                    continue
                first, second = map(self.shown, tendon.ends)
                rest = [float(np.linalg.norm(second - first))]
            found.append(Spring(name, tendon.ends[0], tendon.ends[1], _straight(k, d, rest[0])))
        return found

    def armatures(self) -> list[tuple[float, dict[str, float]]]:
        """Inertias along fixed tendons."""
        told = [(t.tag.number("armature", "0"), dict(t.along)) for t in self.of.values() if t.along]
        return [(a, along) for a, along in told if a]


def _straight(k: list[float], d: list[float], rest: float) -> Callable[[float, float], float]:
    """The law of a spring and a damper."""
    return lambda length, rate: pull(k, length - rest) + drag(d, rate)
