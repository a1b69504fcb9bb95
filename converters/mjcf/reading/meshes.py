"""Meshes for inertia: vertices and triangles from files, or from the MJCF itself."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from pathlib import Path

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import Array, compose_pose
from mbconcord.converters.inclusions import SCHEMES, Inclusions
from mbconcord.converters.poses import by_quaternion
from mbconcord.converters.shapes import MeshError, MeshFiles, ShapeMass, diagonal, of_triangles, together
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.converters.xml_text import XmlElement

from .settings import MAIN, Classes, MjcfSettings, row, word

# Inertia of shapes: mass (kg), centre of mass (m) and tensor about it (kg m²), in the frame of the geom.


#: Parts of the largest moment: products below the first stay, moments that differ by less than the second, too.
TURNED_AWAY, UNLIKE = 4e-15, 1e-12


def shell(kind: str, size: tuple[float, float, float]) -> ShapeMass | None:
    """Compute mass, centre and inertia of a surface with density 1 per area; None if the kind of shape is unknown."""
    a, b, _ = size
    if kind == "sphere":
        m = 4 * pi * a * a
        return diagonal(m, *[2 / 3 * m * a * a] * 3)
    if kind == "box":
        sides = []
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            m = 4 * size[i] * size[j]
            for sign in (1.0, -1.0):
                moments, centre = np.empty(3), np.zeros(3)
                moments[i], moments[j] = m * size[j] ** 2 / 3, m * size[i] ** 2 / 3
                moments[k] = moments[i] + moments[j]
                centre[k] = sign * size[k]
                sides.append(ShapeMass(m, centre, np.diag(moments)))
        return together(sides)
    if kind == "cylinder":
        L = 2 * b
        m, cap = 2 * pi * a * L, pi * a * a
        across = m * (a * a / 2 + L * L / 12) + 2 * cap * (a * a / 4 + L * L / 4)
        return diagonal(m + 2 * cap, across, across, m * a * a + cap * a * a)
    if kind == "capsule":
        L = 2 * b
        m, caps = 2 * pi * a * L, 4 * pi * a * a
        axial = m * a * a + caps * 2 / 3 * a * a
        across = m * (a * a / 2 + L * L / 12) + caps * (2 / 3 * a * a + a * L / 2 + L * L / 4)
        return diagonal(m + caps, across, across, axial)
    return None


def principal(tensor: Array) -> tuple[Array, Array]:
    """Return principal moments (3,), largest first, and axes (3, 3) as columns, by Jacobi rotations as in MuJoCo.

    Order and signs of the axes matter where they define frames: the threshold below which a product is ignored, and the
    exchange of unequal moments, are those of MuJoCo 4.0.
    """
    size = float(np.abs(tensor).max())
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(500):
        R = matrix(q)
        D = R.T @ tensor @ R
        off = abs(D[0, 1]), abs(D[0, 2]), abs(D[1, 2])
        r, c, about = (0, 1, 2) if off[0] > max(off[1:]) else (0, 2, 1) if off[1] > off[2] else (1, 2, 0)
        if abs(D[r, c]) <= TURNED_AWAY * size:
            break
        tau = (D[c, c] - D[r, r]) / (2 * D[r, c])
        t = 1 / (tau + np.sqrt(1 + tau * tau)) if tau >= 0 else -1 / (-tau + np.sqrt(1 + tau * tau))
        cosine = 1 / np.sqrt(1 + t * t)
        turn = np.zeros(4)
        half = abs(t) * cosine / np.sqrt(2 * (1 + cosine))
        turn[about + 1] = (-half if tau >= 0 else half) * (-1 if about == 1 else 1)
        turn[0] = np.sqrt(1 - turn[about + 1] ** 2)
        q = times(q, turn)
        q = q / np.linalg.norm(q)
    moments = np.diag(matrix(q).T @ tensor @ matrix(q)).copy()
    for j in (0, 1, 0):
        if moments[j] + UNLIKE * size < moments[j + 1]:
            moments[[j, j + 1]] = moments[[j + 1, j]]
            turn = np.zeros(4)
            turn[0] = turn[(j + 2) % 3 + 1] = np.sqrt(0.5)
            q = times(q, turn)
    return moments, matrix(q)


def times(p: Array, q: Array) -> Array:
    """Return the product of two quaternions (w, x, y, z)."""
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def matrix(q: Array) -> Array:
    """Return the rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


class MjcfMeshes:
    """The meshes of a model by name, each read on first use."""

    def __init__(
        self, root: XmlElement, classes: Classes, settings: MjcfSettings, inclusions: Inclusions, findings: Findings
    ) -> None:
        self.settings, self.inclusions, self.findings = settings, inclusions, findings
        self.folder = None if findings.file == "-" else Path(findings.file).resolve().parent
        self.elements = {self._name(e): e for asset in root.all("asset") for e in self._resolve_meshes(asset, classes)}
        self.files = MeshFiles()
        self._known: dict[str, ShapeMass | MeshError] = {}

    @staticmethod
    def _resolve_meshes(asset: XmlElement, classes: Classes) -> Iterator[XmlElement]:
        return (classes.resolve(e, MAIN) for e in asset.all("mesh"))

    @staticmethod
    def _name(element: XmlElement) -> str:
        return element.attributes.get("name") or Path(element.attributes.get("file", "")).stem

    def lump(self, name: str) -> ShapeMass:
        """Return mass, centre and inertia of the volume of a mesh with density 1, in the frame of its file.

        Raises
        ------
        MeshError
            There is no such mesh, its file is missing, or MuJoCo does not compute its inertia from its volume.
        """
        if name not in self._known:
            try:
                self._known[name] = self._lump(name)
            except MeshError as problem:
                self._known[name] = MeshError(*problem.args)  # its frames hold what was read
        found = self._known[name]
        if isinstance(found, MeshError):
            raise found
        return found

    def _lump(self, name: str) -> ShapeMass:
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
        turned = compose_pose(by_quaternion(row(element, "refquat", "1 0 0 0", self.findings)) or ()).R
        found = of_triangles((moved - away) @ turned, faces, how == "legacy")
        if found is None:
            raise MeshError(f"the mesh {name!r} has no volume")
        return found

    def _triangles(self, name: str, element: XmlElement) -> tuple[Array, Array]:
        """Read vertices (n, 3) and triangles (m, 3) of a mesh, from its attributes or its file."""
        if "vertex" in element.attributes and "face" in element.attributes:
            vertices, faces = (self._read_triples(element, key) for key in ("vertex", "face"))
            if not np.isin(faces, np.arange(len(vertices))).all():
                raise MeshError(f"a face of the mesh {name!r} names a vertex that there is not")
            return vertices, faces.astype(int)
        file = element.attributes.get("file", "")
        if not file:
            raise MeshError(f"the mesh {name!r} is the hull of its vertices" if "vertex" in element.attributes else
                            f"the mesh {name!r} has no file")  # fmt: skip
        vertices, faces = self.files.load(self._path(name, file))
        return vertices.astype(np.float32).astype(float), faces  # as MuJoCo keeps them

    def _path(self, name: str, file: str) -> Path:
        """Return the path of a mesh: in a named package, or in the folder of meshes."""
        if file.startswith(SCHEMES):
            found = self.inclusions.find_file(file)
            if not isinstance(found, Path):
                raise MeshError("; ".join(found))
            return found
        if self.folder is None:
            raise MeshError(f"the file of the mesh {name!r} is not beside standard input")
        if self.settings.strip_paths:
            file = Path(file).name
        return self.folder / self.settings.meshes / file

    def _read_triples(self, element: XmlElement, key: str) -> Array:
        count = len(element.attributes[key].split())
        values = numbers_in(element, key, count, self.findings) if count and count % 3 == 0 else None
        if values is None:
            raise MeshError(f"{key} of <mesh> is no list of triples")
        return np.array([float(x.value) for x in values]).reshape(-1, 3)
