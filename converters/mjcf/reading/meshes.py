"""Meshes that inertia comes from: vertices and triangles of files, or given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import Array, multiplied
from mbconcord.converters.inclusions import SCHEMES, Inclusions
from mbconcord.converters.meshes import MeshError, loaded, of_triangles
from mbconcord.converters.shapes import Lump
from mbconcord.converters.turns import by_quaternion
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import Element

from .classes import MAIN, Classes
from .settings import Settings
from .values import row, word


class Meshes:
    """The meshes of a model by name, each read when it is first asked for."""

    def __init__(
        self, root: Element, classes: Classes, settings: Settings, inclusions: Inclusions, findings: Findings
    ) -> None:
        self.settings, self.inclusions, self.findings = settings, inclusions, findings
        self.folder = None if findings.file == "-" else Path(findings.file).resolve().parent
        self.elements = {
            self._name(e): e for asset in root.all("asset") for e in self._resolved(asset, classes)
        }
        self._known: dict[str, Lump | MeshError] = {}

    @staticmethod
    def _resolved(asset: Element, classes: Classes) -> Iterator[Element]:
        return (classes.resolved(e, MAIN) for e in asset.all("mesh"))

    @staticmethod
    def _name(element: Element) -> str:
        return element.attributes.get("name") or Path(element.attributes.get("file", "")).stem

    def lump(self, name: str) -> Lump:
        """The volume of a mesh with density 1, in the frame of its file.

        Raises
        ------
        MeshError
            There is no such mesh, its file is not there, or its inertia is not that of its volume.
        """
        if name not in self._known:
            try:
                self._known[name] = self._lump(name)
            except MeshError as problem:
                self._known[name] = problem
        found = self._known[name]
        if isinstance(found, MeshError):
            raise found
        return found

    def _lump(self, name: str) -> Lump:
        element = self.elements.get(name)
        if element is None:
            raise MeshError(f"there is no mesh {name!r}")
        how = word(element, "inertia", ("legacy", "exact", "convex", "shell"), self.findings)
        if how not in ("legacy", "exact"):
            raise MeshError(f"the mesh {name!r} has its inertia by the rule {how!r}")
        vertices, faces = self._triangles(name, element)
        scale = np.array([float(x.value) for x in row(element, "scale", "1 1 1", self.findings)])
        if np.prod(scale) < 0:
            faces = faces[:, ::-1]
        moved = vertices * scale
        away = np.array([float(x.value) for x in row(element, "refpos", "0 0 0", self.findings)])
        turned = multiplied(by_quaternion(row(element, "refquat", "1 0 0 0", self.findings)) or ()).R
        found = of_triangles((moved - away) @ turned, faces, how == "legacy")
        if found is None:
            raise MeshError(f"the mesh {name!r} has no volume")
        return found

    def _triangles(self, name: str, element: Element) -> tuple[Array, Array]:
        """Vertices (n, 3) and triangles (m, 3)."""
        if "vertex" in element.attributes and "face" in element.attributes:
            vertices, faces = (self._given(element, key) for key in ("vertex", "face"))
            if not np.isin(faces, np.arange(len(vertices))).all():
                raise MeshError(f"a face of the mesh {name!r} names a vertex that there is not")
            return vertices, faces.astype(int)
        file = element.attributes.get("file", "")
        if not file:
            raise MeshError(f"the mesh {name!r} is the hull of its vertices" if "vertex" in element.attributes else
                            f"the mesh {name!r} has no file")  # fmt: skip
        vertices, faces = loaded(self._path(name, file))
        return vertices.astype(np.float32).astype(float), faces  # as MuJoCo keeps them

    def _path(self, name: str, file: str) -> Path:
        """The file of a mesh: in a package that is named, or in the folder of meshes."""
        if file.startswith(SCHEMES):
            found = self.inclusions.located(file)
            if not isinstance(found, Path):
                raise MeshError("; ".join(found))
            return found
        if self.folder is None:
            raise MeshError(f"the file of the mesh {name!r} is not beside standard input")
        if self.settings.strip_paths:
            file = Path(file).name
        return self.folder / self.settings.meshes / file

    def _given(self, element: Element, key: str) -> Array:
        count = len(element.attributes[key].split())
        values = numbers_in(element, key, count, self.findings) if count and count % 3 == 0 else None
        if values is None:
            raise MeshError(f"{key} of <mesh> is no list of triples")
        return np.array([float(x.value) for x in values]).reshape(-1, 3)
