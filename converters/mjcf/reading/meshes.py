"""Meshes that inertia comes from: vertices and triangles of files, read by trimesh (extra ``[mesh]``), or given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import Array, multiplied
from mbconcord.converters.shapes import Lump
from mbconcord.converters.turns import by_quaternion
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import Element
from mbconcord.model.limits import FILE_BYTES

from .classes import MAIN, Classes
from .settings import Settings
from .shapes import of_triangles
from .values import row, word

INSTALL = "pip install 'mbconcord[mesh]'"
#: Names of files that trimesh reads as MuJoCo does; MuJoCo's own .msh is read here.
KINDS = ("stl", "obj", "ply")


class MeshError(Exception):
    """Why a mesh has no inertia here."""


class Meshes:
    """The meshes of a model by name, each read when it is first asked for."""

    def __init__(self, root: Element, classes: Classes, settings: Settings, findings: Findings) -> None:
        self.settings, self.findings = settings, findings
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
            given = [self._given(element, key) for key in ("vertex", "face")]
            return given[0], given[1].astype(int)
        file = element.attributes.get("file", "")
        if not file:
            raise MeshError(f"the mesh {name!r} is the hull of its vertices" if "vertex" in element.attributes else
                            f"the mesh {name!r} has no file")  # fmt: skip
        if self.folder is None:
            raise MeshError(f"the file of the mesh {name!r} is not beside standard input")
        if self.settings.strip_paths:
            file = Path(file).name
        return loaded(self.folder / self.settings.meshes / file)

    def _given(self, element: Element, key: str) -> Array:
        count = len(element.attributes[key].split())
        values = numbers_in(element, key, count, self.findings) if count and count % 3 == 0 else None
        if values is None:
            raise MeshError(f"{key} of <mesh> is no list of triples")
        return np.array([float(x.value) for x in values]).reshape(-1, 3)


def loaded(path: Path) -> tuple[Array, Array]:
    """Vertices and triangles of a file, as float32 as MuJoCo keeps them.

    Raises
    ------
    MeshError
        It cannot be read.
    """
    kind = path.suffix.lower().lstrip(".")
    try:
        data = path.read_bytes() if path.stat().st_size <= FILE_BYTES else None
    except (OSError, ValueError) as problem:
        raise MeshError(f"{path.name}: {getattr(problem, 'strerror', None) or 'no file'}") from None
    if data is None:
        raise MeshError(f"{path.name}: more than {FILE_BYTES:,} bytes")
    if kind == "msh":
        vertices, faces = _msh(data, path.name)
    elif kind in KINDS:
        vertices, faces = _by_trimesh(data, kind, path.name)
    else:
        raise MeshError(f"{path.name}: expected {', '.join(KINDS)} or msh")
    return vertices.astype(np.float32).astype(float), faces


def _by_trimesh(data: bytes, kind: str, name: str) -> tuple[Array, Array]:
    from io import BytesIO

    try:
        import trimesh
    except ImportError:
        raise MeshError(f"{name}: trimesh is not installed: {INSTALL}") from None
    try:
        made = trimesh.load(BytesIO(data), file_type=kind, force="mesh", process=False)
        return np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=int)
    except Exception as problem:  # whatever it raises of what a file says
        raise MeshError(f"{name}: {' '.join(str(problem).split()):.100}") from None


def _msh(data: bytes, name: str) -> tuple[Array, Array]:
    """MuJoCo's own: counts of vertices, normals, texture coordinates and faces (int32), then these."""
    counts = np.frombuffer(data[:16], dtype="<i4") if len(data) >= 16 else np.zeros(0, dtype=int)
    if len(counts) != 4 or (counts < 0).any():
        raise MeshError(f"{name}: no mesh of MuJoCo")
    vertices, normals, textures, faces = (int(n) for n in counts)
    at = 16 + 4 * (3 * vertices + 3 * normals + 2 * textures)
    if len(data) != at + 12 * faces or not vertices or not faces:
        raise MeshError(f"{name}: {len(data):,} bytes are not those of its counts")
    found = np.frombuffer(data[16 : 16 + 12 * vertices], dtype="<f4").reshape(-1, 3)
    triangles = np.frombuffer(data[at:], dtype="<i4").reshape(-1, 3)
    if triangles.min() < 0 or triangles.max() >= vertices:
        raise MeshError(f"{name}: a face names a vertex that there is not")
    return found.astype(float), triangles.astype(int)
