"""Inertia of shapes: mass (kg), mass centre (m), tensor about it (kg m²), in the frame of the shape or its body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import pi
from pathlib import PurePosixPath

import numpy as np

from ..machine import Tensor, Triple, UnreadError
from ..world import Array
from .mjcf_bodies import MAIN, SecondMjcfWords
from .tags import Tag, beside, matrix, numbers, quaternion, triple


@dataclass(frozen=True)
class SecondLump:
    """Mass, mass centre (3,) and tensor about it (3, 3); ``reach`` is the largest distance of parts from the origin."""

    mass: float
    centre: Array
    tensor: Array
    reach: float = 0.0

    def times(self, factor: float) -> SecondLump:
        """Return the lump with its mass and tensor multiplied by a factor."""
        return replace(self, mass=self.mass * factor, tensor=self.tensor * factor)

    def transform(self, T: Array) -> SecondLump:
        """Return the lump in another frame, relative to which its present frame has the pose T (4, 4)."""
        R = T[:3, :3]
        reach = self.reach + float(np.abs(T[:3, 3]).sum())
        return SecondLump(self.mass, R @ self.centre + T[:3, 3], R @ self.tensor @ R.T, reach)

    @property
    def numbers(self) -> tuple[float, Triple, Tensor, float]:
        """Mass, centre, tensor and reach as plain floats, as a body has them."""
        a, b, c = (triple(row) for row in self.tensor)
        return float(self.mass), triple(self.centre), (a, b, c), self.reach


NOTHING = SecondLump(0.0, np.zeros(3), np.zeros((3, 3)))


def sum_lumps(lumps: Sequence[SecondLump]) -> SecondLump:
    """Return the sum of lumps given in one frame, with the tensor about the common mass centre."""
    mass = sum(x.mass for x in lumps)
    if not mass:
        return NOTHING
    centre = sum((x.mass * x.centre for x in lumps), np.zeros(3)) / mass
    tensor = sum((x.tensor + _point(x.mass, x.centre - centre) for x in lumps), np.zeros((3, 3)))
    return SecondLump(mass, centre, tensor, max(x.reach for x in lumps))


def _point(mass: float, r: Array) -> Array:
    """Return the tensor of a point mass at r about the origin."""
    x, y, z = r
    return mass * np.array([
        [y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y],
    ])  # fmt: skip


def _revolve(mass: float, axial: float, across: float, z: float = 0.0) -> SecondLump:
    """Return the lump of a body of revolution: moments axial about the z axis and across it, centre at height z."""
    return SecondLump(mass, np.array([0.0, 0.0, z]), np.diag([across, across, axial]))


def solid(kind: str, a: float, b: float, c: float) -> SecondLump:
    """Return a solid shape of density 1; a, b, c are radii or half lengths along x, y, z, or radius and half height."""
    if kind in ("sphere", "ellipsoid"):
        b, c = (a, a) if kind == "sphere" else (b, c)
        mass = 4 / 3 * pi * a * b * c
        return SecondLump(mass, np.zeros(3), mass / 5 * np.diag([b * b + c * c, c * c + a * a, a * a + b * b]))
    if kind == "box":
        mass = 2 * a * 2 * b * 2 * c
        sides = (2 * b) ** 2 + (2 * c) ** 2, (2 * a) ** 2 + (2 * c) ** 2, (2 * a) ** 2 + (2 * b) ** 2
        return SecondLump(mass, np.zeros(3), mass / 12 * np.diag(sides))
    if kind == "cylinder":
        mass = pi * a * a * 2 * b
        return _revolve(mass, mass * a * a / 2, mass * (a * a / 4 + (2 * b) ** 2 / 12))
    if kind == "capsule":  # a cylinder between two half balls, whose centres are 3/8 of the radius outside of its ends
        half = 2 / 3 * pi * a**3
        own = 2 / 5 * half * a * a
        across = own - half * (3 / 8 * a) ** 2
        balls = [_revolve(half, own, across, s * (b + 3 / 8 * a)) for s in (1, -1)]
        return sum_lumps([solid("cylinder", a, b, 0.0), *balls])
    raise UnreadError(f"the volume of a {kind}")


def cone(a: float, b: float) -> SecondLump:
    """Return a cone of density 1 about z, with a base of radius a at z = -b, tip at z = b and centre at -b / 2."""
    mass = pi * a * a * 2 * b / 3
    return _revolve(mass, 3 / 10 * mass * a * a, 3 / 20 * mass * (a * a + b * b), -b / 2)


def shell(kind: str, a: float, b: float, c: float) -> SecondLump:
    """Return mass, centre and tensor of a shape's surface with density 1 per area; sizes as of :func:`solid`."""
    if kind == "sphere":
        mass = 4 * pi * a * a
        return _revolve(mass, 2 / 3 * mass * a * a, 2 / 3 * mass * a * a)
    if kind == "box":
        return sum_lumps([
            _plate((a, b, c), normal, s) for normal in range(3) for s in (1, -1)
        ])  # fmt: skip
    if kind == "cylinder":
        disk = pi * a * a
        ends = [_revolve(disk, disk * a * a / 2, disk * a * a / 4, s * b) for s in (1, -1)]
        return sum_lumps([_tube(a, b), *ends])
    if kind == "capsule":  # half spheres, whose centres are half of the radius outside of the tube's ends
        half = 2 * pi * a * a
        across = 2 / 3 * half * a * a - half * (a / 2) ** 2
        ends = [_revolve(half, 2 / 3 * half * a * a, across, s * (b + a / 2)) for s in (1, -1)]
        return sum_lumps([_tube(a, b), *ends])
    raise UnreadError(f"the shell of a {kind}")


def _tube(a: float, b: float) -> SecondLump:
    mass = 2 * pi * a * 2 * b
    return _revolve(mass, mass * a * a, mass * (a * a / 2 + (2 * b) ** 2 / 12))


def _plate(halves: tuple[float, float, float], normal: int, side: int) -> SecondLump:
    """Return one face, of density 1 per area, of a box with given half lengths: ``side`` ±1 of the axis ``normal``."""
    i, j = (k for k in range(3) if k != normal)
    mass = 2 * halves[i] * 2 * halves[j]
    tensor = np.zeros((3, 3))
    tensor[i, i], tensor[j, j] = mass * (2 * halves[j]) ** 2 / 12, mass * (2 * halves[i]) ** 2 / 12
    tensor[normal, normal] = tensor[i, i] + tensor[j, j]
    centre = np.zeros(3)
    centre[normal] = side * halves[normal]
    return SecondLump(mass, centre, tensor)


class SecondMeshes:
    """The meshes of an MJCF by name; the volume and inertia of each is computed on first use."""

    def __init__(self, mujoco: Tag, words: SecondMjcfWords, folder: str, packages: Sequence[str] = ()) -> None:
        self.words, self.folder, self.packages = words, folder, packages
        tags = [words.whole(tag, MAIN) for asset in mujoco.all("asset") for tag in asset.all("mesh")]
        self.tags = {t.own.get("name") or PurePosixPath(t.own.get("file", "")).stem: t for t in tags}
        self.known: dict[str, SecondLump] = {}

    def lump(self, name: str) -> SecondLump:
        """Return mass (volume), centre and tensor of a mesh with density 1, in the frame that its file uses."""
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
            self.known[name] = measure_enclosed((corners - np.array(tag.row("refpos", "0 0 0"))) @ R, rule == "legacy")
        return self.known[name]

    def _corners(self, tag: Tag) -> Array:
        """Return the corners of all triangles (m, 3, 3); those from files in single precision, as in MuJoCo."""
        if "vertex" in tag.own and "face" in tag.own:
            vertices = np.array(numbers(tag.own["vertex"])).reshape(-1, 3)
            return np.asarray(vertices[np.array(numbers(tag.own["face"])).astype(int).reshape(-1, 3)])
        file = PurePosixPath(tag.own["file"])
        compiler = self.words.compiler.own
        if compiler.get("strippath", "false") == "true":
            file = PurePosixPath(file.name)
        place = str(PurePosixPath(compiler.get("meshdir", compiler.get("assetdir", "")), file))
        place = tag.own["file"] if "://" in tag.own["file"] else place
        readers = {".stl": _stl, ".obj": _obj, ".msh": _msh}
        if file.suffix.lower() not in readers:
            raise UnreadError(f"meshes in {file.suffix or 'files of no kind'}")
        found = readers[file.suffix.lower()](beside(self.folder, place, self.packages))
        return np.asarray(found.astype(np.float32).astype(float))


def _stl(data: bytes) -> Array:
    """Return triangles (m, 3, 3) of binary STL: 80 bytes, a count, and 50 bytes per triangle, its normal first."""
    count = int(np.frombuffer(data[80:84], "<u4")[0]) if len(data) >= 84 else -1
    if len(data) != 84 + 50 * count:
        raise UnreadError("an STL that is not binary")
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    return np.asarray(np.frombuffer(data[84:], kind)["corners"])


def _obj(data: bytes) -> Array:
    """Return triangles (m, 3, 3) of OBJ: lines v x y z, and f with numbers of corners from 1; polygons as fans."""
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
    """Return triangles (m, 3, 3) of MSH: counts of vertices, normals, textures, faces; vertices first, faces last."""
    vertices, _, _, faces = (int(n) for n in np.frombuffer(data[:16], "<i4"))
    points = np.frombuffer(data[16 : 16 + 12 * vertices], "<f4").reshape(-1, 3)
    return np.asarray(points[np.frombuffer(data[len(data) - 12 * faces :], "<i4").reshape(-1, 3)])


def measure_enclosed(corners: Array, legacy: bool) -> SecondLump:
    """Return volume, centre and tensor of the solid within triangles (m, 3, 3), as a sum of tetrahedra.

    Their apex is the surface's middle at first, then the centre found so. If ``legacy``, all volumes are positive.
    """
    sides = corners[:, 1:] - corners[:, :1]
    areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    middle = areas @ corners.mean(axis=1) / areas.sum()
    _, centre, _ = _tetrahedra(corners - middle, legacy)
    middle = middle + centre
    volume, _, second = _tetrahedra(corners - middle, legacy)
    if not volume > 1e-30:
        raise UnreadError("a mesh without volume")
    return SecondLump(volume, middle, np.trace(second) * np.eye(3) - second, float(np.abs(corners).max()))


def _tetrahedra(corners: Array, positive: bool) -> tuple[float, Array, Array]:
    """Return volume, centre and ∫ r rᵀ dV of tetrahedra of 0 and corners p: V/20 (Σ p pᵀ + s sᵀ) each, s = Σ p."""
    volumes = np.linalg.det(corners) / 6
    volumes = np.abs(volumes) if positive else volumes
    s = corners.sum(axis=1)
    second = np.einsum("f,fki,fkj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, s, s)
    total = float(volumes.sum())
    return total, volumes @ s / (4 * total), second / 20
