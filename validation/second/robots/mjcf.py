"""A text of MJCF at one state: bodies as the file shows them, moved by the joints in each, one behind another.

Friction, stops, contacts and what touches is no part of the motion here. Equalities hold exactly.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..machine import At, Closure, Joined, Machine, Place, Row, Solid, UnreadError, linear
from .meshes import Meshes
from .mjcf_acting import Actuators, along, armatures, held_up
from .mjcf_beside import beside
from .mjcf_bodies import Bodies, Body
from .mjcf_masses import Masses
from .mjcf_tendons import Tendons
from .mjcf_words import MAIN, Words, document
from .tags import Tag, numbers
from .turns import inverse, matrix, quaternion, shift, to, triple


def read(text: str, at: At) -> Machine:
    """The machine of a text at a state."""
    return _Reading(document(text, at.folder), at).machine()


class _Reading:
    def __init__(self, mujoco: Tag, at: At) -> None:
        self.root, self.at, self.words = mujoco, at, Words(mujoco)
        self.bodies = Bodies(mujoco, self.words)
        self.tendons = Tendons(mujoco, self.bodies, self.words)
        self.joined: list[Joined] = []
        self.closures: list[Closure] = []
        self.rows: list[Row] = []
        self.beside: list[str] = []
        if not self.words.off("constraint", "equality"):
            self._equalities()

    def machine(self) -> Machine:
        """All together."""
        bodies, words, at = self.bodies, self.words, self.at
        masses = Masses(bodies.all, words, Meshes(self.root, words, at.folder)).of
        loads = [load for body in bodies.all for load in held_up(body, masses[body.name], words)]
        turning = armatures(bodies, masses)
        actuators = Actuators(self.root, bodies, self.tendons, words, at)
        acting = [along(joint, words, at) for joint in bodies.joints.values()]
        efforts: dict[str, float] = {}
        for some in (*acting, self.tendons.efforts(at), actuators.efforts):
            efforts = {q: efforts.get(q, 0.0) + some.get(q, 0.0) for q in (*efforts, *some)}
        coordinates = [q for joint in bodies.joints.values() for q in joint.names]
        if len({*coordinates, *actuators.controls}) < len(coordinates) + len(actuators.controls):
            raise UnreadError("coordinates or controls of one name")
        return Machine(
            tuple(coordinates),
            tuple(
                Solid(b.name, b.parent.called, (*b.steps, *(s for j in b.joints for s in j.way())),
                      *masses[b.name].numbers)
                for b in bodies.all if b.parent is not None
            ),
            words.gravity,
            efforts,
            tuple(self.tendons.springs()),
            tuple(loads),
            closures=tuple(self.closures),
            joined=tuple(self.joined),
            starts={q: (j.ref if j.single else 0.0, 0.0) for j in bodies.joints.values() for q in j.names},
            armatures=(*turning, *self.tendons.armatures(), *actuators.armatures),
            rows=tuple(self.rows),
            controls=tuple(actuators.controls),
            beside=(*beside(bodies, words), *actuators.beside, *self.beside),
        )  # fmt: skip

    # --- equalities

    def _equalities(self) -> None:
        names: set[str] = set()
        for child in (c for section in self.root.all("equality") for c in section.inner):
            tag = self.words.whole(child, MAIN, "equality")
            name = child.own.get("name") or f"{child.name}{len(names) + 1}"
            while name in names:
                name += "_"
            names.add(name)
            if tag.own.get("active", "true") == "true":
                self._equality(name, child.name, tag)

    def _equality(self, name: str, kind: str, tag: Tag) -> None:
        if kind in ("joint", "tendon"):
            self._polynomial(name, kind, tag)
        elif kind not in ("connect", "weld"):
            self.beside.append(f"closure/{name}")  # of other kinds
        elif "site1" in tag.own:
            (one, first), (other, second) = (self.bodies.site(tag.own[key]) for key in ("site1", "site2"))
            if kind == "weld":
                self.closures.append(Closure(name, (one.called, first), (other.called, second)))
            else:
                self.joined.append(
                    Joined(name, *(self.tendons.place(tag.own[k]) for k in ("site1", "site2")))
                )
        else:
            one, other = self._body(tag.own["body1"]), self._body(tag.own.get("body2", "world"))
            (self._weld if kind == "weld" else self._connect)(name, tag, one, other)

    def _body(self, name: str) -> Body:
        return next(b for b in (self.bodies.world, *self.bodies.all) if b.name == name)

    def _connect(self, name: str, tag: Tag, one: Body, other: Body) -> None:
        """A point of the first, and the point of the second that the file shows there."""
        first = tag.row("anchor", "missing missing missing")
        second = inverse(other.shown) @ one.shown @ [*first, 1.0]
        self.joined.append(
            Joined(name, Place(one.called, triple(np.array(first))), Place(other.called, triple(second)))
        )

    def _weld(self, name: str, tag: Tag, one: Body, other: Body) -> None:
        """The second in the first as it is told, or as the file shows them."""
        *place, w, x, y, z = tag.row("relpose", "0 1 0 0 0 0 0")
        told = any((w, x, y, z))
        T = matrix((*shift(place), *quaternion(w, x, y, z))) if told else inverse(one.shown) @ other.shown
        self.closures.append(Closure(name, (one.called, to(T)), (other.called, ())))

    def _polynomial(self, name: str, kind: str, tag: Tag) -> None:
        """y - Σ a_k x^k of what joints or lengths differ from the file's; where x is missing y - a₀."""
        y = self._away(kind, tag.own.get(f"{kind}1", ""))
        x = self._away(kind, tag.own[f"{kind}2"]) if f"{kind}2" in tag.own else None
        if y is None or (x is None and f"{kind}2" in tag.own):
            self.beside.append(f"closure/{name}")
            return
        a = numbers(tag.own.get("polycoef", ""))
        a = [*a, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(a) :]]
        if x is None:
            a, x = a[:1], (0.0, 0.0)
        terms = [y[0], *(-c * x[0] ** k for k, c in enumerate(a))]
        rates = [y[1], *(-c * k * x[0] ** (k - 1) * x[1] for k, c in enumerate(a) if k)]
        self.rows.append(linear(name, terms, rates))

    def _away(self, kind: str, name: str) -> tuple[float, float] | None:
        """What a joint or tendon differs from the file's, and its rate; None where it has no single length."""
        if kind == "joint":
            along: Mapping[str, float] = {name: 1.0} if self.bodies.joints[name].single else {}
        else:
            along = self.tendons.of[name].along
        if not along:
            return None
        refs = {q: self.bodies.joints[q].ref for q in along}
        return sum(c * (self.at.q[q] - refs[q]) for q, c in along.items()), sum(
            c * self.at.v[q] for q, c in along.items()
        )
