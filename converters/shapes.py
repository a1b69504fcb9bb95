"""Inertia of shapes: mass (kg), centre of mass (m) and tensor about it (kg m²), in the frame of the shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import pi
from pathlib import Path
from typing import Final

import numpy as np

from mbconcord.model import Body, Constant, Inertia
from mbconcord.model.body import tensor
from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.limits import MESH_BYTES, MESHES_BYTES, read_within
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, replace

from .floats import HERE, Array, FloatPose, compose_pose, decimals, real

# Meshes that give inertia: triangles of files, read by trimesh (extra ``[mesh]``), and the mass within them.


INSTALL: Final = "pip install 'mbconcord[mesh]'"
#: Names of files that trimesh reads; MuJoCo's own .msh is read here.
KINDS: Final = ("stl", "obj", "ply")


class MeshError(Exception):
    """Reason why a mesh has no inertia here."""


class MeshFiles:
    """Reader of a model's mesh files, up to a limit of bytes for all; an unreadable file is tried once."""

    def __init__(self) -> None:
        self._left = MESHES_BYTES
        self._failed: dict[Path, str] = {}

    def load(self, path: Path) -> tuple[Array, Array]:
        """Return vertices (n, 3) and triangles (m, 3) of a file.

        Raises
        ------
        MeshError
            The file cannot be read.
        """
        kind = path.suffix.lower().lstrip(".")
        data = self._read(path)
        if kind == "msh":
            vertices, faces = _msh(data, path.name)
        elif kind in KINDS:
            vertices, faces = _by_trimesh(data, kind, path.name)
        else:
            raise MeshError(f"{path.name}: expected {', '.join(KINDS)} or msh")
        shapes = vertices.ndim == faces.ndim == 2 and vertices.shape[1] == faces.shape[1] == 3
        if not shapes or not len(faces) or faces.min() < 0 or faces.max() >= len(vertices):
            raise MeshError(f"{path.name}: its triangles name vertices that there are not")
        return vertices, faces

    def _read(self, path: Path) -> bytes:
        if path in self._failed:
            raise MeshError(self._failed[path])
        most = min(MESH_BYTES, self._left)
        try:
            data = read_within(path, most)
            reason = f"{path.name}: more than {most:,} bytes"
            if most < MESH_BYTES:
                reason += f", which are left of {MESHES_BYTES:,} for all meshes"
        except (OSError, ValueError) as problem:
            data, reason = None, f"{path.name}: {getattr(problem, 'strerror', None) or 'no file'}"
        if data is None:
            self._failed[path] = reason
            raise MeshError(reason)
        self._left -= len(data)
        return data


def _by_trimesh(data: bytes, kind: str, name: str) -> tuple[Array, Array]:
    from io import BytesIO

    try:
        import trimesh
    except ImportError:
        raise ReadError(error(name, "its inertia needs trimesh, which is not installed", INSTALL)) from None
    try:
        made = trimesh.load(BytesIO(data), file_type=kind, force="mesh", process=False)
        return np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=int)
    except Exception as problem:  # whatever it raises of what a file says
        raise MeshError(f"{name}: {' '.join(str(problem).split()):.100}") from None


def _msh(data: bytes, name: str) -> tuple[Array, Array]:
    """Read MuJoCo's own file: counts of vertices, normals, texture coordinates and faces (int32), then these."""
    counts = np.frombuffer(data[:16], dtype="<i4") if len(data) >= 16 else np.zeros(0, dtype=int)
    if len(counts) != 4 or (counts < 0).any():
        raise MeshError(f"{name}: no mesh of MuJoCo")
    vertices, normals, textures, faces = (int(n) for n in counts)
    at = 16 + 4 * (3 * vertices + 3 * normals + 2 * textures)
    if len(data) != at + 12 * faces or not vertices or not faces:
        raise MeshError(f"{name}: {len(data):,} bytes are not those of its counts")
    found = np.frombuffer(data[16 : 16 + 12 * vertices], dtype="<f4").reshape(-1, 3)
    triangles = np.frombuffer(data[at:], dtype="<i4").reshape(-1, 3)
    return found.astype(float), triangles.astype(int)


def of_triangles(vertices: Array, faces: Array, overlapping: bool) -> ShapeMass | None:
    """Return mass, centre and tensor of the volume within triangles at density 1; None if there is no volume.

    The sum over tetrahedra has a common apex: as in MuJoCo, the surface's centre gives the centre of mass, which is
    the apex for volume and moments. ``overlapping`` counts every tetrahedron as positive.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    with np.errstate(all="ignore"):
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        middle = np.einsum("f,fi->i", areas, a + b + c) / (3 * areas.sum())
        centre = _sum(a - middle, b - middle, c - middle, overlapping)[1] + middle
        volume, _, second = _sum(a - centre, b - centre, c - centre, overlapping)
    if not (volume > 1e-30 and np.isfinite(second).all()):
        return None
    return ShapeMass(volume, centre, np.trace(second) * np.eye(3) - second)


def _sum(a: Array, b: Array, c: Array, overlapping: bool) -> tuple[float, Array, Array]:
    """Return volume, centre and second moment ∫r rᵀ dV of the tetrahedra between triangles and the origin."""
    volumes = np.einsum("fi,fi->f", a, np.cross(b, c)) / 6
    if overlapping:
        volumes = np.abs(volumes)
    volume = float(volumes.sum())
    s = a + b + c
    centre = np.einsum("f,fi->i", volumes, s) / (4 * volume)
    second = sum((np.einsum("f,fi,fj->ij", volumes, x, x) for x in (a, b, c, s)), np.zeros((3, 3))) / 20
    return volume, centre, second


@dataclass(frozen=True)
class ShapeMass:
    """Mass (kg), centre of mass (m, (3,)) and inertia tensor about it (kg m², (3, 3)) in some frame."""

    mass: float
    centre: Array
    tensor: Array

    def transform(self, pose: FloatPose) -> ShapeMass:
        """Return these values in another frame, in which the present frame has this pose."""
        return ShapeMass(self.mass, pose.p + pose.R @ self.centre, pose.R @ self.tensor @ pose.R.T)

    def scale(self, factor: float) -> ShapeMass:
        """Return the values with mass and tensor multiplied by a factor."""
        return ShapeMass(self.mass * factor, self.centre, self.tensor * factor)


NOTHING = ShapeMass(0.0, np.zeros(3), np.zeros((3, 3)))


def together(lumps: list[ShapeMass]) -> ShapeMass:
    """Return several masses, all in one frame, combined into one by the parallel-axis theorem."""
    if len(lumps) == 1:
        return lumps[0]
    mass = sum(lump.mass for lump in lumps)
    if mass <= 0:
        return NOTHING
    centre = sum((lump.mass * lump.centre for lump in lumps), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for lump in lumps:
        d = lump.centre - centre
        tensor = tensor + lump.tensor + lump.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return ShapeMass(mass, centre, tensor)


def diagonal(mass: float, xx: float, yy: float, zz: float) -> ShapeMass:
    """Return a mass centred at the origin, whose principal axes are those of the frame."""
    return ShapeMass(mass, np.zeros(3), np.diag([xx, yy, zz]))


def solid(kind: str, size: tuple[float, float, float]) -> ShapeMass | None:
    """Return the mass of a shape at density 1, by its radii and half lengths; None for a kind without a formula."""
    a, b, c = size
    if kind == "sphere":
        m = pi * 4 / 3 * a**3
        return diagonal(m, *[0.4 * m * a * a] * 3)
    if kind == "box":
        m = 8 * a * b * c
        return diagonal(m, *(m * x / 3 for x in (b * b + c * c, a * a + c * c, a * a + b * b)))
    if kind == "ellipsoid":
        m = pi * 4 / 3 * a * b * c
        return diagonal(m, *(m * x / 5 for x in (b * b + c * c, a * a + c * c, a * a + b * b)))
    if kind == "cylinder":
        m, L = pi * a * a * 2 * b, 2 * b
        across = m * (3 * a * a + L * L) / 12
        return diagonal(m, across, across, m * a * a / 2)
    if kind == "capsule":
        return _capsule(a, 2 * b)
    return None


def _capsule(r: float, L: float) -> ShapeMass:
    """Return the mass of a cylinder of radius r and length L between two half balls, at density 1."""
    m, caps = pi * r * r * L, pi * 4 / 3 * r**3
    axial = m * r * r / 2 + 2 * caps * r * r / 5
    across = m * (3 * r * r + L * L) / 12 + caps * (2 * r * r / 5 + 3 * r * L / 8 + L * L / 4)
    return diagonal(m + caps, across, across, axial)


def lump_of(inertia: Inertia) -> ShapeMass:
    """Return the mass, centre and tensor of a numeric inertia in floats."""
    centre = np.array([real(x) for x in inertia.centre])
    return ShapeMass(real(inertia.mass), centre, np.array([[real(x) for x in r] for r in inertia.matrix()]))


def inertia_of(lump: ShapeMass) -> Inertia:
    """Return a mass in floats as an inertia, whose numbers are the shortest decimals of the floats."""
    (mass,) = decimals([lump.mass])
    return Inertia(mass, vector(decimals(lump.centre)), tensor(decimals(six(lump.tensor))))


def six(J: Array) -> list[float]:
    """Return the elements xx, yy, zz, xy, xz, yz of a tensor."""
    return [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


# The inertia by which MuJoCo's compiler tunes springs and servos.

#: Most degrees of freedom for which M is computed.
MOST: Final = 1000


class ReferenceInertia:
    """Inertia that a force meets at the reference; ``unknown`` says why M is not computed.

    ``rest`` are the coordinates there, by name; ``rotors`` are armatures, each with the moments along coordinates.
    """

    def __init__(
        self, bodies: Iterable[Body], rest: Mapping[str, Expression],
        rotors: Iterable[tuple[float, Mapping[str, float]]], unknown: str,
    ) -> None:  # fmt: skip
        self._bodies, self._rest, self._rotors = bodies, rest, rotors
        many = f"M of {len(rest):,} degrees of freedom is not made" if len(rest) > MOST else ""
        self.unknown = unknown or many

    def add(self, armature: float, along: Mapping[str, float]) -> None:
        """Add the armature of a tendon or actuator, with moments along coordinates; along none it is not known."""
        self._rotors = (*self._rotors, (armature, along))
        if armature and not along:
            self.unknown = self.unknown or "the armature of a tendon or an actuator is along no joint"

    def along(self, moment: Mapping[str, float]) -> float | None:
        """Return the inertia 1 / (J M⁻¹ Jᵀ) that a force with these moments meets; None if it is unknown."""
        J = self._row(moment)
        try:
            weight = 0.0 if self.unknown else float(J @ np.linalg.solve(self._matrix, J))
        except np.linalg.LinAlgError:
            return None
        return 1 / weight if weight > 0 else None

    def tune(self, name: str, words: Sequence[Expression] | None) -> tuple[Expression, ...]:
        """Return stiffness m / (T ζ)² and damping 2 m / T by time constant T and damping ratio ζ; none if unknown."""
        mass = self.along({name: 1.0})
        if words is None or mass is None or not all(x.value > 0 for x in words):
            return ()
        time, ratio = map(real, words)
        return tuple(decimals([mass / (time * ratio) ** 2, 2 * mass / time]))

    def _row(self, moment: Mapping[str, float]) -> Array:
        return np.array([moment.get(q, 0.0) for q in self._rest])

    @cached_property
    def _matrix(self) -> Array:
        """Mass matrix M (n, n), of angular velocities and velocities at the world's origin by coordinate."""
        places, n = {q: i for i, q in enumerate(self._rest)}, len(self._rest)
        M, W, V = np.zeros((n, n)), np.zeros((n, 3)), np.zeros((n, 3))
        known: dict[str | None, tuple[FloatPose, list[int]]] = {None: (HERE, [])}
        for body in self._bodies:
            pose, at = known[body.parent]
            for step in body.joint:
                if step.coordinate:
                    at = [*at, places[step.coordinate]]
                    axis = pose.R @ [real(x) for x in step.axis]
                    W[at[-1]] = 0 if step.is_translation else axis
                    V[at[-1]] = axis if step.is_translation else np.cross(pose.p, axis)
                    step = replace(step, motion=Constant(self._rest[step.coordinate]))
                pose = pose.then(compose_pose((step,)))
            known[body.name] = pose, at
            lump = lump_of(body.inertia).transform(pose)
            shifts = V[at] + np.cross(W[at], lump.centre)
            M[np.ix_(at, at)] += lump.mass * shifts @ shifts.T + W[at] @ lump.tensor @ W[at].T
        for armature, along in self._rotors:
            M += armature * np.outer(self._row(along), self._row(along))
        return M
