"""Meshes that inertia comes from: triangles of files, read by trimesh (extra ``[mesh]``), and what is within them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from mbconcord.model.limits import FILE_BYTES

from .floats import Array
from .shapes import Lump

INSTALL: Final = "pip install 'mbconcord[mesh]'"
#: Names of files that trimesh reads; MuJoCo's own .msh is read here.
KINDS: Final = ("stl", "obj", "ply")


class MeshError(Exception):
    """Why a mesh has no inertia here."""


def loaded(path: Path) -> tuple[Array, Array]:
    """Vertices (n, 3) and triangles (m, 3) of a file.

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
    return vertices, faces


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


def of_triangles(vertices: Array, faces: Array, overlapping: bool) -> Lump | None:
    """What is within triangles, of density 1: a sum over tetrahedra to a point; None where it has no volume.

    MuJoCo takes the centre of the surface for this point, and then, for volume and moments, the centre of mass that it
    found: of a closed surface both are the same. ``overlapping``: every tetrahedron counts as positive.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    with np.errstate(all="ignore"):
        areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        middle = np.einsum("f,fi->i", areas, a + b + c) / (3 * areas.sum())
        centre = _sum(a - middle, b - middle, c - middle, overlapping)[1] + middle
        volume, _, second = _sum(a - centre, b - centre, c - centre, overlapping)
    if not (volume > 1e-30 and np.isfinite(second).all()):
        return None
    return Lump(volume, centre, np.trace(second) * np.eye(3) - second)


def _sum(a: Array, b: Array, c: Array, overlapping: bool) -> tuple[float, Array, Array]:
    """Volume, centre and second moment ∫r rᵀ dV of tetrahedra to the origin."""
    volumes = np.einsum("fi,fi->f", a, np.cross(b, c)) / 6
    if overlapping:
        volumes = np.abs(volumes)
    volume = float(volumes.sum())
    s = a + b + c
    centre = np.einsum("f,fi->i", volumes, s) / (4 * volume)
    second = sum((np.einsum("f,fi,fj->ij", volumes, x, x) for x in (a, b, c, s)), np.zeros((3, 3))) / 20
    return volume, centre, second
