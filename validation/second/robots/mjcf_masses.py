"""Inertia of bodies of an MJCF: what they say, else what their geoms weigh, within the bounds of the compiler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..machine import UnreadError, symmetric
from ..poses import Array
from .lumps import NOTHING, Lump, gathered, shell, solid
from .meshes import Meshes
from .mjcf_bodies import Body
from .mjcf_words import Words
from .tags import Tag
from .turns import matrix, tilt

#: Less is no mass.
LEAST = 1e-14
#: How many sizes a shape has, and how many where its ends are given.
SIZES = {"sphere": (1, 1), "capsule": (2, 1), "cylinder": (2, 1), "ellipsoid": (3, 1), "box": (3, 1)}


class Masses:
    """The inertias of all bodies by name."""

    def __init__(self, bodies: list[Body], words: Words, meshes: Meshes) -> None:
        self.words, self.meshes = words, meshes
        self.mode = words.compiler.own.get("inertiafromgeom", "auto")
        self.of = {body.name: self._body(body) for body in bodies}
        self._bounded()

    def _body(self, body: Body) -> Lump:
        if body.inertial is not None and self.mode != "true":
            return self._said(body.inertial)
        if self.mode == "false":
            return NOTHING
        first, last = self.words.compiler.row("inertiagrouprange", "0 5")
        lumps = [
            self._geom(geom).at(matrix(within))
            for geom, within in body.geoms
            if first <= geom.number("group", "0") <= last and geom.own.get("type") not in ("plane", "hfield")
        ]
        whole = gathered([lump for lump in lumps if lump.mass > 0])
        if whole.mass < LEAST:  # what is said counts where no shape weighs anything
            return NOTHING if body.inertial is None else self._said(body.inertial)
        return whole

    def _said(self, tag: Tag) -> Lump:
        """About the centre of mass: a full tensor in the axes of the body, or moments along axes of its own."""
        centre, mass = np.array(tag.row("pos", "missing missing missing")), tag.number("mass", "missing")
        turns = self.words.turns(tag)
        if "fullinertia" in tag.own:
            if turns or "diaginertia" in tag.own:
                raise UnreadError("a full tensor in other axes")
            return Lump(mass, centre, np.array(symmetric(*tag.row("fullinertia", "0 0 0 0 0 0"))))
        R = matrix(turns)[:3, :3]
        return Lump(mass, centre, R @ np.diag(tag.row("diaginertia", "0 0 0")) @ R.T)

    def _geom(self, geom: Tag) -> Lump:
        """What a geom weighs, in the frame in which it stands."""
        kind = geom.own.get("type", "sphere")
        if (kind == "mesh") != ("mesh" in geom.own) or kind == "sdf":
            raise UnreadError("a shape that is fitted to a mesh")
        if float(geom.own.get("mass", geom.own.get("density", "1"))) == 0:
            return NOTHING
        hollow = geom.own.get("shellinertia", "false") == "true"
        if kind == "mesh":
            if hollow:
                raise UnreadError("the shell of a mesh")
            own, T = self.meshes.lump(geom.own["mesh"]), matrix(self.words.steps(geom))
        else:
            sizes, T = self._sizes(geom, kind)
            own = (shell if hollow else solid)(kind, *sizes)
        factor = geom.number("mass", "0") / own.mass if "mass" in geom.own else geom.number("density", "1000")
        return own.times(factor).at(T)

    def _sizes(self, geom: Tag, kind: str) -> tuple[tuple[float, float, float], Array]:
        """Radii and half lengths of a shape, and its pose; between two points its z axis is along them."""
        given = [float(word) for word in geom.own["size"].split()]
        if "fromto" not in geom.own or kind == "sphere":
            if "fromto" in geom.own or len(given) < SIZES[kind][0]:
                raise UnreadError(f"the sizes of a {kind}")
            a, b, c = (*given, 0.0, 0.0)[:3]
            return (a, b, c), matrix(self.words.steps(geom))
        ends = np.array(geom.row("fromto", "0 0 0 0 0 0")).reshape(2, 3)
        T = matrix(tilt([float(x) for x in ends[0] - ends[1]]))
        T[:3, 3] = (ends[0] + ends[1]) / 2
        half = float(np.linalg.norm(ends[0] - ends[1])) / 2
        return ((given[0], half, 0.0) if kind in ("capsule", "cylinder") else (given[0], given[0], half)), T

    def _bounded(self) -> None:
        """Least masses and moments, balanced tensors, and the mass of all together."""
        compiler = self.words.compiler
        mass, moment, total = (
            compiler.number(key, default)
            for key, default in (("boundmass", "0"), ("boundinertia", "0"), ("settotalmass", "-1"))
        )
        balanced = compiler.own.get("balanceinertia", "false") == "true"
        for name, lump in self.of.items():
            values, axes = np.linalg.eigh(lump.tensor)
            bounded = np.fmax(values, moment) if moment > 0 else values
            if balanced and 2 * bounded.max() > bounded.sum():
                bounded = np.full(3, bounded.mean())
            if (bounded != values).any() or lump.mass < mass:
                tensor = axes @ np.diag(bounded) @ axes.T
                self.of[name] = replace(lump, mass=max(lump.mass, mass), tensor=tensor)
        weight = sum(lump.mass for lump in self.of.values())
        if total > 0 and weight > 0:
            self.of = {name: lump.times(total / weight) for name, lump in self.of.items()}
