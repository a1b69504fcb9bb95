"""Inertia of bodies: explicit, else computed from their shapes, within the compiler's bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import isfinite

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import HERE, Array, FloatPose, compose_pose, decimals, real, turned_to
from mbconcord.converters.poses import matrix
from mbconcord.converters.shapes import MeshError, ShapeMass, inertia_of, lump_of, six, solid, together
from mbconcord.converters.xml_attributes import number_in, numbers_in
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Inertia
from mbconcord.model.body import NO_INERTIA, tensor
from mbconcord.model.expressions import ZERO
from mbconcord.model.limits import count
from mbconcord.model.omission import Ball
from mbconcord.model.transformation import vector
from mbconcord.records import replace

from ..vocabulary import DENSITY, TURNED
from .meshes import MjcfMeshes, principal, shell
from .poses import Poses
from .settings import MjcfSettings, integers, row, scalar, word, yes
from .tree import MjcfLink, MjcfPart, MjcfTree

#: Masses below this count as zero.
LEAST = 1e-14
KINDS = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "plane", "hfield", "mesh", "sdf")
#: Number of sizes of each kind of shape.
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
#: Shapes without inertia.
FLAT = ("plane", "hfield")


class MjcfMasses:
    """Reader of inertias: ``found`` by body; ``axes`` are principal axes of bodies whose text gives them.

    ``unread`` lists the geoms whose mass is unknown, with the reason.
    """

    def __init__(
        self, tree: MjcfTree, meshes: MjcfMeshes, poses: Poses, settings: MjcfSettings, findings: Findings
    ) -> None:
        self.meshes, self.poses, self.settings, self.findings = meshes, poses, settings, findings
        self.unread: list[tuple[MjcfLink, MjcfPart, str]] = []
        self.found: dict[str, Inertia] = {}
        self.axes: dict[str, Array] = {}
        for link in tree.bodies:
            self._body(link)
        self._apply_bounds(tree)
        for link, part, reason in self.unread:
            if link.moves:
                findings.warn_unknown_inertia(part.element.at, link.name, reason)

    def _body(self, link: MjcfLink) -> None:
        """Set the inertia of a body: explicit, or that of its shapes if it has none or the compiler prefers shapes."""
        shapes = self.settings.from_shapes
        whole = None
        if shapes != "false" and (link.inertial is None or shapes == "true"):
            first, last = self.settings.groups
            lumps, own = [], None
            for part in link.geoms:
                (group,) = integers(part.element, "group", "0", self.findings)
                lump = self.geom(link, part) if first <= group <= last else None
                if lump is not None and lump.mass > 0:
                    lumps.append(lump)
                    kind = part.element.attributes.get("type", "sphere")
                    sized = self.size(part.element, kind) if kind in SIZES else None
                    own = compose_pose(part.within).then(sized[1]).R if sized else None
            if len(lumps) == 1 and own is not None:
                self.axes[link.name] = own
            whole = together(lumps) if lumps else None
        unknown = any(other is link for other, _, _ in self.unread)
        if whole is not None and whole.mass >= LEAST:
            self.found[link.name] = inertia_of(whole)
            self.findings.locations[f"bodies/{link.name}/inertia"] = link.geoms[0].element.at
        elif link.inertial is not None and not unknown:
            self.found[link.name] = self._explicit(link, link.inertial)
            if "fullinertia" not in link.inertial.attributes:
                self.axes[link.name] = compose_pose(self.poses.turns(link.inertial)).R
            self.findings.locations[f"bodies/{link.name}/inertia"] = link.inertial.at
        else:
            self.found[link.name] = NO_INERTIA
            self.axes[link.name] = compose_pose(self.poses.turns(link.element)).R

    def _explicit(self, link: MjcfLink, element: XmlElement) -> Inertia:
        """Read an ``<inertial>``; exact in the axes of the body or if rotated from them by angles, else in floats."""
        findings = self.findings
        if "pos" not in element.attributes:
            findings.refuse(element.at, f"the <inertial> of {link.name!r} has no pos", 'pos="x y z" is needed')
        centre = row(element, "pos", "0 0 0", findings)
        mass = number_in(element, "mass", findings) or ZERO
        if mass.value < 0:
            shown = element.attributes["mass"]
            findings.refuse(element.at, f"the mass of {link.name!r} is {shown} kg", "a mass is not negative")
        turned = any(key in element.attributes for key in TURNED)
        full = numbers_in(element, "fullinertia", 6, findings)
        if full is not None:
            if turned or "diaginertia" in element.attributes:
                other = "diaginertia" if "diaginertia" in element.attributes else "an orientation"
                message = f"<inertial> with fullinertia and {other}"
                findings.refuse(element.at, message, "a full tensor is in the axes of the body")
            return Inertia(mass, vector(centre), tensor(full))
        moments = numbers_in(element, "diaginertia", 3, findings)
        if moments is None:
            return Inertia(mass, vector(centre))
        if not turned:
            return Inertia(mass, vector(centre), tensor(moments))
        if element.attributes.keys() & {"euler", "axisangle"}:  # formulas of angles stay short
            own = Inertia(mass, tensor=tensor(moments)).rotate(matrix(self.poses.turns(element)))
            return replace(own, centre=vector(centre))
        R = compose_pose(self.poses.turns(element)).R
        J = R @ np.diag([real(x) for x in moments]) @ R.T
        return Inertia(mass, vector(centre), tensor(decimals(six(J))))

    def weightless(self, tree: MjcfTree) -> Iterator[MjcfLink]:
        """Yield bodies with joints that have no mass and carry none."""
        heavy: set[int] = set()
        for link in reversed(tree.bodies):
            if id(link) in heavy or not self.found[link.name].is_zero:
                heavy.add(id(link.parent))
            elif link.joints and all(link is not other for other, _, _ in self.unread):
                yield link

    def geom(self, link: MjcfLink, part: MjcfPart) -> ShapeMass | None:
        """Return mass, centre and tensor of a geom in the frame of its body; None if it has none or is unknown."""
        element = part.element
        kind = word(element, "type", KINDS, self.findings)
        if kind in FLAT:
            return None
        if (kind == "mesh") != ("mesh" in element.attributes) or kind == "sdf":
            self.unread.append((link, part, "a shape that is fitted to a mesh"))
            return None
        made = self._mesh(link, part) if kind == "mesh" else self._shape(element, kind)
        if made is None:
            return None
        lump, pose = made
        given = numbers_in(element, "mass", 1, self.findings)
        if given is not None:
            factor = real(given[0]) / lump.mass if lump.mass else 0.0
        else:
            factor = real(scalar(element, "density", DENSITY, self.findings))
        if not isfinite(factor) or factor < 0:
            self.findings.refuse(element.at, "a geom of a negative mass", "a mass is not negative")
            return None
        return lump.scale(factor).transform(compose_pose(part.within).then(pose))

    def _mesh(self, link: MjcfLink, part: MjcfPart) -> tuple[ShapeMass, FloatPose] | None:
        massless = {part.element.attributes.get(key, "").strip() for key in ("mass", "density")} & {"0", "0.0"}
        if massless:
            return None
        if yes(part.element, "shellinertia", self.findings):
            self.unread.append((link, part, "the shell of a mesh"))
            return None
        try:
            return self.meshes.lump(part.element.attributes["mesh"]), self.poses.pose(part.element)
        except MeshError as problem:
            self.unread.append((link, part, str(problem)))
            return None

    def size(self, element: XmlElement, kind: str) -> tuple[tuple[float, float, float], FloatPose] | None:
        """Return radii and half lengths of a shape, and its pose in its body or frame; None and an error if invalid."""
        ends = numbers_in(element, "fromto", 6, self.findings)
        words = element.attributes.get("size", "").split()
        needed = SIZES[kind] if ends is None else 1
        if len(words) > 3 or (words and len(words) < needed) or not words:
            message = f"size of <geom> of type {kind!r}: found {count(len(words), 'number')}, expected {needed}"
            self.findings.refuse(element.at, message, "radii, and halves of lengths, in metres")
            return None
        given = numbers_in(element, "size", len(words), self.findings)
        if given is None:
            return None
        sizes = [real(x) for x in given] + [0.0, 0.0]
        pose = None
        if ends is not None:
            found = self._measure_fromto(element, [real(x) for x in ends])
            if found is None:
                return None
            half, pose = found
            if kind in ("capsule", "cylinder"):
                sizes[1] = half
            else:
                sizes = [sizes[0], sizes[0], half]
        if min(sizes[: SIZES[kind]]) <= 0:
            self.findings.refuse(element.at, f"size of <geom> of type {kind!r} is not positive", "sizes are in metres")
            return None
        return (sizes[0], sizes[1], sizes[2]), pose if pose is not None else self.poses.pose(element)

    def _shape(self, element: XmlElement, kind: str) -> tuple[ShapeMass, FloatPose] | None:
        found = self.size(element, kind)
        if found is None:
            return None
        measure = shell if yes(element, "shellinertia", self.findings) else solid
        lump = measure(kind, found[0])
        if lump is None:
            self.findings.refuse(element.at, f"the shell of a {kind} has no inertia here", "give the body <inertial>")
            return None
        return lump, found[1]

    def balls(self, part: MjcfPart, kind: str) -> list[Ball]:
        """Return points, spheres, discs or an ellipsoid of a simple shape in its body: one of these is lowest."""
        found = self.size(part.element, kind) if kind in SIZES else None
        if found is None:
            return []
        (a, b, c), pose = found[0], compose_pose(part.within).then(found[1])
        ends = [(0.0, 0.0, -b), (0.0, 0.0, b)]
        corners, axes = {
            "sphere": (ends[:1], (a, a, a)), "ellipsoid": ([(0.0, 0.0, 0.0)], (a, b, c)), "capsule": (ends, (a, a, a)),
            "cylinder": (ends, (a, a)), "box": (list(product((-a, a), (-b, b), (-c, c))), ()),
        }[kind]  # fmt: skip
        semi = tuple(vector(decimals(r * x)) for r, x in zip(axes, pose.R.T, strict=False))
        return [(vector(decimals(pose.p + pose.R @ np.array(at))), semi) for at in corners]

    def _measure_fromto(self, element: XmlElement, ends: list[float]) -> tuple[float, FloatPose] | None:
        """Return half the distance of two points, and a frame half-way with z from the second to the first."""
        a, b = np.array(ends[:3]), np.array(ends[3:])
        length = float(np.linalg.norm(b - a))
        if not length > 0:
            self.findings.refuse(element.at, "fromto of <geom>: its ends coincide", "a length is positive")
            return None
        along = XmlElement(element.tag, {"zaxis": " ".join(map(repr, map(float, a - b)))}, element.at)
        return length / 2, FloatPose(self.poses.pose(along).R, (a + b) / 2)

    def _apply_bounds(self, tree: MjcfTree) -> None:
        """Apply the compiler's bounds, balancing of tensors and total mass to the inertias of all bodies."""
        s = self.settings
        if s.least_mass > 0 or s.least_inertia > 0 or s.balanced:
            for link in tree.bodies:
                self._within_bounds(link)
        if s.total_mass > 0:
            counted = {b.name: lump_of(self.found[b.name]) for b in tree.bodies if not self._is_ground(tree, b)}
            total = sum(lump.mass for lump in counted.values())
            if total > 0:
                for name, lump in counted.items():
                    if not self.found[name].is_zero:
                        self._put(name, lump.scale(s.total_mass / total))

    def _is_ground(self, tree: MjcfTree, link: MjcfLink) -> bool:
        """Return True if a body is merged into the world, whose mass does not count."""
        above: MjcfLink | None = link
        while self.settings.fused and above is not None and tree.fuses(above):
            above = above.parent
        return above is not None and above.is_world

    def _within_bounds(self, link: MjcfLink) -> None:
        lump = lump_of(self.found[link.name])
        if self.found[link.name] is NO_INERTIA:  # MuJoCo puts it where the body stands in its parent, once more
            lump = replace(lump, centre=np.array(list(map(real, row(link.element, "pos", "0 0 0", self.findings)))))
        moments, axes = principal(lump.tensor)
        self.axes.setdefault(link.name, axes)
        mass = max(lump.mass, self.settings.least_mass)
        bounded = np.maximum(moments, self.settings.least_inertia)
        if self.settings.balanced and 2 * bounded.max() > bounded.sum():
            bounded = np.full(3, bounded.mean())
        if mass != lump.mass or (bounded != moments).any():
            self._put(link.name, ShapeMass(mass, lump.centre, axes @ np.diag(bounded) @ axes.T))

    def _put(self, name: str, lump: ShapeMass) -> None:
        self.found[name] = inertia_of(lump)


def align_to_principal_axes(
    inertia: Inertia, said: Array | None, fused: Sequence[ShapeMass] = ()
) -> tuple[FloatPose, Inertia]:
    """Return the principal frame at the centre of mass, and the inertia in it.

    Its axes are ``said`` by the text, else those of the tensor, largest moment first. ``fused`` are masses merged with
    the body: the frame is then that of the whole, the inertia the body's own.
    """
    own = lump_of(inertia)
    lump = together([own, *fused]) if fused else own
    axes = principal(lump.tensor)[1] if said is None or fused else said
    frame = FloatPose(compose_pose(turned_to(axes)).R, lump.centre)
    if fused:
        return frame, inertia_of(own.transform(HERE.seen_from(frame)))
    moments = np.diag(axes.T @ lump.tensor @ axes)
    return frame, Inertia(inertia.mass, vector([ZERO] * 3), tensor(decimals(moments)))
