"""A URDF as MuJoCo's compiler reads it: masses, inertia and gravity by ``<mujoco>``, and masses of shapes.

Before fixed links are fused, every body, fixed ones too, gets its inertia from its collision shapes (1000 kg/m³) where
it has none and ``inertiafromgeom`` is not false, then the bounds, then the balance; ``settotalmass`` scales the
masses after fusing: without bodies that are welded to the world, unless ``fusestatic`` is false. Tried on MuJoCo 4.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Shape
from mbconcord.converters.floats import compose_pose, real
from mbconcord.converters.format import Reading
from mbconcord.converters.shapes import ShapeMass, inertia_of, lump_of, solid, together
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement, parse, summarize_element
from mbconcord.model import Body, Gravity, Inertia, Omission
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import ZERO, Expression, sqrt
from mbconcord.model.limits import format_names
from mbconcord.model.transformation import vector

from .reading.effects import acting
from .reading.fittings import fittings
from .vocabulary import APPLIED, MUJOCO_VALUES

OPTION: Final = "--read as"
#: kg/m³
DENSITY: Final = 1000.0


def as_mujoco(reading: Reading) -> Reading:
    """Return a URDF that was read with masses, inertia and gravity as MuJoCo's compiler changes them.

    Raises
    ------
    ReadError
        A value or an element of ``<mujoco>`` is one that MuJoCo refuses: no number, or given twice.
    """
    made = _Compiled(reading)
    made.findings.stop()
    changed = [a.name for a, b in zip(reading.system.bodies, made.bodies, strict=True) if a != b]
    what = [f"inertia of {format_names(changed)}"] * bool(changed)
    what += ["gravity"] * (made.gravity != reading.system.gravity)
    message = f"the model as MuJoCo reads it: {' and '.join(what) or 'nothing'} changed"
    said = {"extension/mujoco", *(f"bodies/{name}/inertia" for name in changed)}
    notes = (d for d in reading.diagnostics if d.place not in said)
    told = Diagnostic("warning" if what else "note", OPTION, message, "the model is not that of the text alone")
    system = replace(reading.system, bodies=tuple(made.bodies), gravity=made.gravity, omissions=tuple(made.omissions))
    return replace(reading, system=system, diagnostics=(*notes, told), text="")


class _Compiled:
    """Bodies, gravity and omissions of a model as MuJoCo reads it."""

    def __init__(self, reading: Reading) -> None:
        self.findings = Findings(next((at.file for at in reading.locations.values()), "-"))
        root = parse(reading.text, self.findings.file).root
        self.extension = self._only(root, "mujoco")
        compiler, self.option = (self._only(self.extension, tag) for tag in ("compiler", "option"))
        self.compiler, self.flags = compiler.attributes, self._only(self.option, "flag")
        for element in (compiler, self.option, self.flags):
            self._refuse_values(element)
        self.findings.stop()
        self.unweighed: list[str] = []
        self.moves: dict[str | None, bool] = {}
        for body in reading.system.bodies:
            self.moves[body.name] = bool(body.coordinates) or self.moves.get(body.parent, False)
        self.fused = self.compiler.get("fusestatic", "true") != "false"
        joints = ((child.attributes.get("link"), j) for j in root.all("joint") for child in j.all("child"))
        self.places = {name: origin for name, joint in joints for origin in joint.all("origin")}
        self.links = {e.attributes["name"]: e for e in root.all("link")}
        shapes = self._group(fittings(reading.text).shapes)
        self.bodies = [replace(b, inertia=self._inertia(b, shapes.get(b.name, []))) for b in reading.system.bodies]
        self._scale()
        self.gravity = self._gravity(reading.system.gravity)
        self.omissions = [o for o in reading.system.omissions if not o.place.startswith("extension/(MuJoCo: ")]
        left = {key: effect for key, effect in acting(self.extension).items() if key not in APPLIED}
        if len(self.omissions) < len(reading.system.omissions):
            effects, said = {*left.values()}, summarize_element(self.extension)
            effect = effects.pop() if len(effects) == 1 else "unknown" if left else "none"
            place = f"extension/(MuJoCo: {format_names(left)})" if left else "extension/mujoco"
            self.omissions.append(Omission(place, "extension", said, effect))
        counts = not self.fused and self._number("settotalmass", "-1") > 0
        for name in (each for each in dict.fromkeys(self.unweighed) if self.moves[each] or counts):
            said = "MuJoCo gives the link an inertia, from shapes or bounds, that is not computed here"
            self.omissions.append(Omission(f"computed-inertia/{name}", "computed-inertia", said, "inertia"))

    def _only(self, parent: XmlElement, tag: str) -> XmlElement:
        found = parent.all(tag)
        if len(found) > 1:
            self.findings.refuse(found[1].at, f"<{tag}> stands twice, which MuJoCo refuses", "write it once")
        return found[0] if found else XmlElement(tag, {}, parent.at)

    def _refuse_values(self, element: XmlElement) -> None:
        """Refuse values that MuJoCo refuses, also of attributes that are not used here."""
        for key, (pattern, known) in MUJOCO_VALUES[element.tag].items():
            text = element.attributes.get(key)
            if text is not None and not re.fullmatch(pattern, text, re.ASCII):
                message = f"{key} of <{element.tag}>: found {text!r:.60}, which MuJoCo refuses"
                self.findings.refuse(element.at, message, known)

    def _numbers(self, element: XmlElement, key: str, count: int, default: str) -> list[Expression]:
        given = XmlElement(element.tag, {key: element.attributes.get(key, "").strip() or default}, element.at)
        return numbers_in(given, key, count, self.findings) or [ZERO] * count

    def _number(self, key: str, default: str = "0") -> float:
        element = XmlElement("compiler", self.compiler, self.extension.at)
        return real(self._numbers(element, key, 1, default)[0])

    @staticmethod
    def _group(shapes: tuple[Shape, ...]) -> Mapping[str, list[Shape]]:
        found: dict[str, list[Shape]] = {}
        for shape in shapes:
            if not shape.seen and shape.body is not None:
                found.setdefault(shape.body, []).append(shape)
        return found

    def _inertia(self, body: Body, shapes: list[Shape]) -> Inertia:
        """Return the inertia of a body, from its shapes if MuJoCo uses them, within the compiler's bounds."""
        element, source = self.links.get(body.name), self.compiler.get("inertiafromgeom", "auto")
        inertia = body.inertia
        bare = element is not None and element.first("inertial") is None
        if element is not None and bare and source != "false":
            weighed = self._weigh(element, shapes)
            inertia = inertia_of(weighed) if weighed and weighed.mass > 0 else inertia
        least, smallest = self._number("boundmass"), self._number("boundinertia")
        balanced = self.compiler.get("balanceinertia") == "true"
        if not (least > 0 or smallest > 0 or balanced):
            return inertia
        lump = lump_of(inertia)
        if bare and inertia.is_zero:  # its centre is at the origin of its joint, written in the link's own frame
            place = self.places.get(body.name, XmlElement("origin", {}, self.extension.at))
            lump = replace(lump, centre=np.array([real(x) for x in self._numbers(place, "xyz", 3, "0 0 0")]))
        moments, axes = np.linalg.eigh(lump.tensor)
        bounded = np.maximum(moments, smallest)
        if balanced and 2 * bounded.max() > bounded.sum():
            bounded = np.full(3, bounded.mean())
        if lump.mass >= least and (bounded == moments).all():
            return inertia
        return inertia_of(ShapeMass(max(lump.mass, least), lump.centre, axes @ np.diag(bounded) @ axes.T))

    def _weigh(self, link: XmlElement, shapes: list[Shape]) -> ShapeMass | None:
        """Return the mass of a link's collision shapes; None if MuJoCo ignores them or one cannot be computed here."""
        element = XmlElement("compiler", self.compiler, self.extension.at)
        first, last = (real(x) for x in self._numbers(element, "inertiagrouprange", 2, "0 5"))
        collisions = link.all("collision")
        if not collisions or not first <= 0 <= last:
            return None
        lumps = [self._lump(shape) for shape in shapes]
        foreign = any(e.tag.startswith("drake:") for c in collisions for e in c.walk())
        known = [lump for lump in lumps if lump is not None]
        if foreign or len(known) < len(collisions):
            self.unweighed.append(link.attributes["name"])
            return None
        return together(known)

    @staticmethod
    def _lump(shape: Shape) -> ShapeMass | None:
        size = [real(x) for x in shape.size]
        half = [x / 2 for x in size]
        long = [size[0], half[-1], 0.0]
        a, b, c = {"box": half, "sphere": size * 3, "cylinder": long, "capsule": long}.get(shape.kind, [0.0] * 3)
        found = solid(shape.kind, (a, b, c))
        return found and found.scale(DENSITY).transform(compose_pose(shape.pose))

    def _scale(self) -> None:
        """Scale the masses of all bodies that remain after fusing to the sum that settotalmass gives."""
        wanted = self._number("settotalmass", "-1")
        counted = [body for body in self.bodies if self.moves[body.name] or not self.fused]
        total = sum(real(body.inertia.mass) for body in counted)
        if wanted > 0 and total > 0:
            factor = wanted / total
            self.bodies = [
                replace(b, inertia=inertia_of(lump_of(b.inertia).scale(factor))) if b in counted else b
                for b in self.bodies
            ]

    def _gravity(self, own: Gravity | None) -> Gravity | None:
        """Return the gravity that <option> gives, else the model's ``own``; None without gravity."""
        if self.flags.attributes.get("gravity") == "disable":
            return None
        if not self.option.attributes.get("gravity", "").strip():
            return own
        g = vector(self._numbers(self.option, "gravity", 3, ""))
        along = [x for x in g if x]
        return Gravity(sqrt(sum((x * x for x in along), ZERO)), g) if along else None
