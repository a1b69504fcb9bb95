"""What is within the triangles of a mesh: STL, OBJ and MuJoCo's own files, or vertices that a text gives."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

import numpy as np

from ..machine import UnreadError
from ..poses import Array
from .lumps import Lump
from .mjcf_words import MAIN, Words
from .tags import Tag, beside, numbers
from .turns import matrix, quaternion


class Meshes:
    """The meshes of a document, each measured when it is asked for."""

    def __init__(self, mujoco: Tag, words: Words, folder: str) -> None:
        self.words, self.folder = words, folder
        tags = [words.whole(tag, MAIN) for asset in mujoco.all("asset") for tag in asset.all("mesh")]
        self.tags = {t.own.get("name") or PurePosixPath(t.own.get("file", "")).stem: t for t in tags}
        self.known: dict[str, Lump] = {}

    def lump(self, name: str) -> Lump:
        """The volume of a mesh with density 1, in the frame of its file."""
        if name not in self.known:
            tag = self.tags[name]
            rule = tag.own.get("inertia", "legacy")
            if rule not in ("legacy", "exact"):
                raise UnreadError(f"the inertia of a mesh by the rule {rule!r}")
            scale = np.array(tag.row("scale", "1 1 1"))
            corners = self._corners(tag) * scale
            if np.prod(scale) < 0:
                corners = corners[:, ::-1]
            w, x, y, z = tag.row("refquat", "1 0 0 0")
            R = matrix(quaternion(w, x, y, z))[:3, :3]
            self.known[name] = within((corners - np.array(tag.row("refpos", "0 0 0"))) @ R, rule == "legacy")
        return self.known[name]

    def _corners(self, tag: Tag) -> Array:
        """The corners of all triangles (m, 3, 3), in single precision, as MuJoCo keeps those of files."""
        if "vertex" in tag.own and "face" in tag.own:
            vertices = np.array(numbers(tag.own["vertex"])).reshape(-1, 3)
            return np.asarray(vertices[np.array(numbers(tag.own["face"])).astype(int).reshape(-1, 3)])
        file = PurePosixPath(tag.own["file"])
        compiler = self.words.compiler.own
        if compiler.get("strippath", "false") == "true":
            file = PurePosixPath(file.name)
        place = PurePosixPath(compiler.get("meshdir", compiler.get("assetdir", "")), file)
        readers = {".stl": _stl, ".obj": _obj, ".msh": _msh}
        if file.suffix.lower() not in readers:
            raise UnreadError(f"meshes in {file.suffix or 'files of no kind'}")
        found = readers[file.suffix.lower()](beside(self.folder, str(place)))
        return np.asarray(found.astype(np.float32).astype(float))


def _stl(data: bytes) -> Array:
    """Binary: 80 bytes, a count, and 50 bytes of each triangle, a normal first."""
    count = int(np.frombuffer(data[80:84], "<u4")[0]) if len(data) >= 84 else -1
    if len(data) != 84 + 50 * count:
        raise UnreadError("an STL that is not binary")
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    return np.asarray(np.frombuffer(data[84:], kind)["corners"])


def _obj(data: bytes) -> Array:
    """Lines v x y z, and f with the numbers of corners from 1 on; of polygons a fan."""
    vertices, corners = [], []
    for line in data.decode("utf-8", "replace").splitlines():
        key, *words = line.split() or [""]
        if key == "v":
            vertices.append([float(word) for word in words[:3]])
        elif key == "f":
            at = [int(word.partition("/")[0]) for word in words]
            if min(at) < 1:
                raise UnreadError("corners of a mesh counted from its end")
            corners += [(at[0] - 1, b - 1, c - 1) for b, c in pairwise(at[1:])]
    return np.asarray(np.array(vertices)[np.array(corners)])


def _msh(data: bytes) -> Array:
    """Counts of vertices, normals, textures and faces, then vertices first and faces last."""
    vertices, _, _, faces = (int(n) for n in np.frombuffer(data[:16], "<i4"))
    points = np.frombuffer(data[16 : 16 + 12 * vertices], "<f4").reshape(-1, 3)
    return np.asarray(points[np.frombuffer(data[len(data) - 12 * faces :], "<i4").reshape(-1, 3)])


def within(corners: Array, legacy: bool) -> Lump:
    """Volume, centre and tensor of what triangles enclose: tetrahedra to the middle of the surface, then to the centre.

    By the rule ``legacy`` every tetrahedron counts as positive.
    """
    sides = corners[:, 1:] - corners[:, :1]
    areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    middle = areas @ corners.mean(axis=1) / areas.sum()
    _, centre, _ = _tetrahedra(corners - middle, legacy)
    middle = middle + centre
    volume, _, second = _tetrahedra(corners - middle, legacy)
    if not volume > 1e-30:
        raise UnreadError("a mesh without volume")
    return Lump(volume, middle, np.trace(second) * np.eye(3) - second, float(np.abs(corners).max()))


def _tetrahedra(corners: Array, positive: bool) -> tuple[float, Array, Array]:
    """Volume, centre and ∫ r rᵀ dV of tetrahedra from the origin: of one V/20 (Σ p pᵀ + s sᵀ), s = Σ p."""
    volumes = np.linalg.det(corners) / 6
    volumes = np.abs(volumes) if positive else volumes
    s = corners.sum(axis=1)
    second = np.einsum("f,fki,fkj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, s, s)
    total = float(volumes.sum())
    return total, volumes @ s / (4 * total), second / 20
