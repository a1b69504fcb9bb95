"""Inertia of links: explicit, default, or computed from their shapes on request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from pathlib import Path

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import compose_pose, real
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.poses import matrix
from mbconcord.converters.shapes import MeshError, MeshFiles, ShapeMass, inertia_of, of_triangles, solid, together
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Inertia
from mbconcord.model.body import NO_INERTIA, tensor
from mbconcord.model.expressions import ONE, ZERO
from mbconcord.model.transformation import vector

from ..vocabulary import DENSITY
from .documents import pose, row, scalar, yes_of
from .scopes import SdfFrame, SdfScopes

#: Elements of a tensor in the order of the model, xx, yy, zz, xy, xz, yz, with their defaults.
MOMENTS = (("ixx", "1"), ("iyy", "1"), ("izz", "1"), ("ixy", "0"), ("ixz", "0"), ("iyz", "0"))
#: Kind of shape -> elements of its size, count of their numbers, and factor to a radius or half length.
SHAPES: dict[str, tuple[tuple[str, int, float], ...]] = {
    "box": (("size", 3, 0.5),),
    "sphere": (("radius", 1, 1.0),),
    "cylinder": (("radius", 1, 1.0), ("length", 1, 0.5)),
    "capsule": (("radius", 1, 1.0), ("length", 1, 0.5)),
    "ellipsoid": (("radii", 3, 1.0),),
}


class SdfMasses:
    """The inertias of links by name; ``unread`` has the shapes whose mass is not known, and why, ``silent`` the links
    without an inertia of their own.
    """

    def __init__(self, scopes: SdfScopes, inclusions: Inclusions, findings: Findings) -> None:
        self.scopes, self.inclusions, self.findings = scopes, inclusions, findings
        self.files = MeshFiles()
        self.unread: list[tuple[SdfFrame, XmlElement, str]] = []
        self.silent: list[SdfFrame] = []
        self.found = {link.name: self._link(link) for link in scopes.links}

    def _link(self, link: SdfFrame) -> Inertia:
        element = link.element.first("inertial")
        self.findings.locations[f"bodies/{link.name}/inertia"] = (element or link.element).at
        if element is not None and yes_of(element, "auto", self.findings):
            return self._of_shapes(link, element)
        if element is None or element.first("mass") is None:
            self.silent.append(link)
        mass = scalar(element, "mass", "1", self.findings)
        if mass.value < 0:
            at = element.first("mass") if element is not None else None
            shown = "" if at is None else at.text
            message = f"the mass of {link.name!r} is {shown} kg"
            self.findings.refuse((at or link.element).at, message, "a mass is not negative")
        if element is None:
            return Inertia(ONE, (ZERO, ZERO, ZERO), tensor([ONE] * 3))
        moments = element.first("inertia")
        six = [scalar(moments, key, default, self.findings) for key, default in MOMENTS]
        steps = pose(element.first("pose"), self.findings)
        self._require_own(element, link)
        turns = tuple(et for et in steps if not et.is_translation)
        centre = vector([ZERO] * 3)
        for et in steps:
            if et.is_translation:
                centre = vector(c + et.amount * a for c, a in zip(centre, et.axis, strict=True))
        own = Inertia(mass, (ZERO, ZERO, ZERO), tensor(six))
        return replace(own.rotate(matrix(turns)) if turns else own, centre=centre)

    def _require_own(self, inertial: XmlElement, link: SdfFrame) -> None:
        said = inertial.first("pose")
        if said is not None and said.attributes.get("relative_to"):
            self.findings.refuse(said.at, "the <pose> of <inertial> with relative_to", "it stands in its link")
        elif said is not None:
            self.scopes.find_base(said, link.scope, link)

    def _of_shapes(self, link: SdfFrame, inertial: XmlElement) -> Inertia:
        """Return the inertia of the collision shapes, by their own density, that of the link, or that of water."""
        if inertial.first("mass") is not None:
            what = f"the <mass> of {link.name!r} beside auto: versions of SDF differ in what it means"
            self.findings.refuse(inertial.at, what, "remove it, or auto, or give a <density>")
        lumps = []
        general = scalar(inertial, "density", DENSITY, self.findings)
        for element in link.element.all("collision"):
            density = real(row(element.first("density"), str(general), self.findings)[0])
            lump = self._shape(link, element)
            if not isfinite(density) or density < 0:
                at = element.first("density") or inertial
                self.findings.refuse(at.at, "a density that is negative", "a density is not negative")
            elif lump is not None:
                steps = self.scopes.find_path_to_element(element, link, link.scope)
                lumps.append(lump.scale(density).transform(compose_pose(steps)))
        lumps = [lump for lump in lumps if lump.mass > 0]
        return inertia_of(together(lumps)) if lumps else NO_INERTIA

    def _shape(self, link: SdfFrame, collision: XmlElement) -> ShapeMass | None:
        """Return the mass of a collision's shape at density 1, in the shape's frame; None if unknown."""
        geometry = collision.first("geometry")
        shape = None if geometry is None else next(geometry.children, None)
        if shape is not None and shape.tag == "mesh":
            try:
                return self._mesh(shape)
            except MeshError as problem:
                self.unread.append((link, collision, str(problem)))
                return None
        if shape is None or shape.tag not in SHAPES:
            self.unread.append((link, collision, f"<{'' if shape is None else shape.tag}> is not measured"))
            return None
        sizes = [*self._sizes(shape)]
        if min(sizes) <= 0:
            self.findings.refuse(shape.at, f"a <{shape.tag}> without extent", "sizes are positive, in metres")
            return None
        a, b, c = (*sizes, 0.0, 0.0)[:3]
        return solid(shape.tag, (a, b, c))

    def _mesh(self, mesh: XmlElement) -> ShapeMass:
        """Return mass, centre and tensor of the volume within a mesh at density 1."""
        uri = mesh.first("uri")
        name = "" if uri is None else uri.text
        if not name or mesh.first("submesh") is not None or "optimization" in mesh.attributes:
            raise MeshError("a part of a mesh, or its hull, is not measured" if name else "a mesh without <uri>")
        if mesh.at.file != self.findings.file and "://" not in name:
            name = str(Path(mesh.at.file).parent / name)
        path = self.inclusions.find_file(name)
        if not isinstance(path, Path):
            raise MeshError("; ".join(path))
        vertices, faces = self.files.load(path)
        scale = np.array([real(x) for x in row(mesh.first("scale"), "1 1 1", self.findings)])
        found = of_triangles(vertices * scale, faces[:, ::-1] if np.prod(scale) < 0 else faces, False)
        if found is None:
            raise MeshError(f"the mesh {name!r} has no volume")
        return found

    def _sizes(self, shape: XmlElement) -> Iterator[float]:
        for key, count, part in SHAPES[shape.tag]:
            element = shape.first(key)
            if element is None:
                self.findings.refuse(shape.at, f"<{shape.tag}> without <{key}>", f"<{key}>…</{key}> in metres")
            yield from (part * real(x) for x in row(element, " ".join(["1"] * count), self.findings))
