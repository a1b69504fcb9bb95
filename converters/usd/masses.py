"""Inertia of bodies by OpenUSD's rules: from attributes of the body, else from its collision shapes."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any, Final

import numpy as np

from mbconcord.converters.floats import Array, FloatPose, compose_pose, real
from mbconcord.converters.shapes import NOTHING, MeshError, ShapeMass, diagonal, of_triangles, six, solid, together
from mbconcord.model import Inertia
from mbconcord.model.body import tensor
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

from .stage import Prim, UsdStage, round_decimal

#: Default density (kg/m³).
DENSITY: Final = 1000.0
#: Two tensors of one body are equal if they differ by less than this part of the largest element.
EQUAL: Final = 1e-5
#: OpenUSD ignores moments whose vector is shorter than this, in units of the stage.
UNSAID: Final = 1e-5
#: Turn of a shape's z axis to its own.
AXES: Final = {
    "X": np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    "Y": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "Z": np.eye(3),
}
HULL: Final = "the hull of a mesh needs scipy: pip install scipy"


@dataclass(frozen=True)
class UsdMassWords:
    """Mass properties in the attributes of a prim, in the model's units; None for each that is missing."""

    mass: Expression | None
    density: Expression | None
    centre: list[Expression] | None
    tensor: tuple[Expression, ...] | None

    @property
    def is_whole(self) -> bool:
        """True if mass, centre and tensor are given, so that no shape is needed."""
        return self.mass is not None and self.centre is not None and self.tensor is not None


class UsdMasses:
    """Reader of the bodies' inertias; ``computed`` maps bodies to reasons why numbers are computed.

    ``colliders`` are all shapes by body. ``unsaid`` maps bodies to the properties that they leave to their shapes, and
    to mass, centre and tensor of those shapes that have neither mass nor density.
    """

    def __init__(self, stage: UsdStage) -> None:
        self.stage = stage
        self.computed: dict[str, str] = {}
        self.weightless: set[str] = set()
        self.unsaid: dict[str, dict[str, list[Any]]] = {}
        self.bare: list[ShapeMass] = []
        self.colliders: dict[str, list[Prim]] = {}
        for prim in stage.prims.values():
            body = stage.body_of(prim.path) if prim.has("PhysicsCollisionAPI") else None
            if body is not None:
                self.colliders.setdefault(body.path, []).append(prim)
        self.found = {prim.path: self._inertia(prim) for prim in stage.prims.values() if prim.is_body}

    # Attributes of a prim.

    def _read_said(self, prim: Prim, scale: Array) -> UsdMassWords:
        stage = self.stage
        if not prim.has("PhysicsMassAPI"):
            if "physics:mass" in prim.values:
                stage.warn(prim.path, "its mass is not read: PhysicsMassAPI is not applied", "apply it", "physics:mass")
            return UsdMassWords(None, None, None, None)
        mass = self._positive(prim, "physics:mass", 0, 1)
        density = self._positive(prim, "physics:density", -3, 1)
        said = prim.value("physics:centerOfMass")
        unsaid = isinstance(said, list) and said and all(x == -np.inf for x in said)
        centre = None if unsaid else stage.numbers(prim, "physics:centerOfMass", 3, 1)
        own = None if centre is None else [*stage.scale_point(centre, scale)]
        return UsdMassWords(mass, density, own, self._tensor(prim))

    def _positive(self, prim: Prim, key: str, length: int, mass: int) -> Expression | None:
        found = self.stage.number(prim, key, length, mass)
        if found is not None and found.value < 0:
            shown = f"{prim.value(key):.9g}"
            what = "mass" if key == "physics:mass" else "density"
            self.stage.refuse(prim.path, f"found {shown}", f"a {what} is not negative; 0 says nothing", key)
        return found if found is not None and found.value > 0 else None

    def _tensor(self, prim: Prim) -> tuple[Expression, ...] | None:
        """Return elements of the tensor about the centre in axes of the body: ``newton:inertia``, else R diag Rᵀ."""
        stage = self.stage
        moments = stage.numbers(prim, "physics:diagonalInertia", 3, 2, 1)
        turned = prim.value("physics:principalAxes")
        turns = () if not isinstance(turned, list) or not any(turned) else stage.turn(prim, "physics:principalAxes")
        full = stage.numbers(prim, "newton:inertia", 6, 2, 1)
        if moments is None or not any(moments):
            if turns and full is None:
                message = "axes without moments are left out: OpenUSD puts the moments of shapes on them"
                stage.warn(prim.path, message, "write physics:diagonalInertia", "physics:principalAxes")
            return None if full is None else tuple(full)
        own = tuple(tensor(moments))
        if turns:
            R = compose_pose(turns).R
            J = R @ np.diag([real(x) for x in moments]) @ R.T
            own = tuple(round_decimal(x) if abs(x) > 1e-16 * np.abs(J).max() else ZERO for x in six(J))
        if np.linalg.norm(prim.value("physics:diagonalInertia")) < UNSAID:
            message = f"moments shorter than {UNSAID:g}: OpenUSD takes them for not said"
            stage.warn(prim.path, message, "choose smaller units", "physics:diagonalInertia", "short")
        if full is None:
            return own
        largest = max(abs(real(x)) for x in (*own, *full))
        if any(abs(real(a) - real(b)) > EQUAL * largest for a, b in zip(own, full, strict=True)):
            message = "newton:inertia is read, and is not that of physics:diagonalInertia, which other programs read"
            stage.warn(prim.path, message, "write one tensor", "newton:inertia", "two tensors")
        return tuple(full)

    # A body.

    def _inertia(self, body: Prim) -> Inertia:
        pose, scale = self.stage.pose(body.path)
        said = self._read_said(body, scale)
        if said.is_whole:
            assert said.mass is not None and said.centre is not None and said.tensor is not None
            return Inertia(said.mass, vector(said.centre), tensor(said.tensor))
        lumps = [*self._lumps(body, pose, said)]
        left = (("mass", said.mass), ("centre", said.centre), ("tensor", said.tensor))
        bare = together(self.bare) if any(lump.mass > 0 for lump in self.bare) else None
        bare_numbers = [] if bare is None else [bare.mass, *bare.centre, *six(bare.tensor)]
        self.unsaid[body.path] = {"unsaid": [k for k, own in left if own is None], "bare": [*map(float, bare_numbers)]}
        whole = together([lump for lump in lumps if lump.mass > 0]) if any(lump.mass > 0 for lump in lumps) else NOTHING
        if whole.mass <= 0:
            return self._without_shapes(body, said)
        if said.mass is None and body.has("PhysicsMassAPI") and body.value("physics:mass") == 0:
            message = f"0 says nothing: the mass of {body.name} is that of its shapes, {whole.mass:.3g} kg"
            self.stage.warn(body.path, message, "remove the shapes, or write its mass", "physics:mass")
        elif said.mass is not None and said.centre is None:
            message = f"no physics:centerOfMass: the centre of {body.name} is that of its shapes"
            self.stage.warn(body.path, message, "write it", "physics:mass", "centre")
        mass = said.mass if said.mass is not None else round_decimal(whole.mass)
        J = whole.tensor * (real(mass) / whole.mass)
        centre = said.centre or [round_decimal(x) for x in whole.centre]
        if said.centre is not None:
            d = np.array([real(x) for x in centre]) - whole.centre
            J = J + real(mass) * (d @ d * np.eye(3) - np.outer(d, d))
        return Inertia(mass, vector(centre), tensor(said.tensor or [round_decimal(x) for x in six(J)]))

    def _without_shapes(self, body: Prim, said: UsdMassWords) -> Inertia:
        """Return the inertia of a body whose shapes do not supply what it lacks: zeros, with a warning."""
        if said.tensor is None or said.mass is None:
            self.weightless.add(body.path)
            what = "mass and no moments" if said.mass is not None else "no mass"
            reason = self.computed.get(body.path) or f"{what}, and no shape that weighs"
            self.computed[body.path] = reason
            message = f"{body.name} has {reason}: zero is read, programs take numbers of their own"
            remedy = "write physics:mass, centerOfMass and diagonalInertia"
            self.stage.warn(body.path, message, remedy, kind="no moments")
        mass, centre = said.mass or ZERO, said.centre or [ZERO] * 3
        return Inertia(mass, vector(centre), tensor(said.tensor or [ZERO] * 6))

    def _lumps(self, body: Prim, pose: FloatPose, said: UsdMassWords) -> Iterator[ShapeMass]:
        """Yield the masses of a body's colliders, in its frame; collect in ``bare`` those without mass and density."""
        self.bare = []
        for prim in self.colliders.get(body.path, ()):
            if not prim.value("physics:collisionEnabled", True):
                continue
            own, scale = self.stage.pose(prim.path)
            try:
                lump = shape(prim, scale * float(self.stage.metres))
            except MeshError as problem:
                self.computed[body.path] = f"<{prim.path}>: {problem}"
                continue
            if prim.type == "Mesh" and not prim.value("mjc:inertia"):
                self.computed.setdefault(body.path, f"<{prim.path}>: the inertia of a mesh is up to each program")
            told = UsdMassWords(None, None, None, None) if prim is body else self._read_said(prim, scale)
            density = told.density or said.density or self._of_material(prim)
            lump = lump.scale(real(density) if density is not None else DENSITY)
            if told.mass is not None and lump.mass > 0:
                lump = lump.scale(real(told.mass) / lump.mass)
            elif told.mass is not None:
                lump = diagonal(real(told.mass), 0, 0, 0)
            if told.centre is not None:
                d = np.array([real(x) for x in told.centre]) - lump.centre
                moved = lump.tensor + lump.mass * (d @ d * np.eye(3) - np.outer(d, d))
                lump = ShapeMass(lump.mass, lump.centre + d, moved)
            if told.tensor is not None:
                xx, yy, zz, xy, xz, yz = (real(x) for x in told.tensor)
                lump = ShapeMass(lump.mass, lump.centre, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
            lump = lump.transform(own.seen_from(pose))
            if density is None and told.mass is None and lump.mass > 0:
                self.bare.append(lump)
            yield lump

    def _of_material(self, prim: Prim) -> Expression | None:
        """Return the density of the physics material that a prim, or the nearest prim above it, is bound to."""
        for each in self.stage.above(prim.path):
            for key in ("material:binding:physics", "material:binding"):
                for path in each.targets.get(key, ())[:1]:
                    material = self.stage.prims.get(path)
                    if material is not None and material.has("PhysicsMaterialAPI"):
                        return self._positive(material, "physics:density", -3, 1)
        return None


# Shapes of density 1, in their own frames.


def shape(prim: Prim, scale: Array) -> ShapeMass:
    """Return mass, centre and tensor of a shape at density 1; ``scale`` (3,) converts its lengths to metres.

    Raises
    ------
    MeshError
        The mass of the shape cannot be computed; the message has the reason.
    """
    x, y, z = (float(s) for s in scale)
    kind, axis = prim.type, prim.value("axis", "Z")
    if prim.value("newton:massModel", "solid") != "solid" or prim.value("mjc:inertia", "") == "shell":
        raise MeshError("a shell is not measured")
    if kind == "Cube":
        half = prim.value("size", 2.0) / 2
        found = solid("box", (half * x, half * y, half * z))
    elif kind == "Sphere":
        found = solid("sphere", (prim.value("radius", 1.0) * max(x, y, z), 0, 0))
    elif kind in ("Capsule", "Cylinder", "Cone") and axis in AXES:
        along = (x, y, z)["XYZ".index(axis)]
        radius = prim.value("radius", 0.5 if kind == "Capsule" else 1.0) * max(
            s for s, letter in zip((x, y, z), "XYZ", strict=True) if letter != axis
        )
        height = prim.value("height", 1.0 if kind == "Capsule" else 2.0) * along
        made = _cone(radius, height) if kind == "Cone" else solid(kind.lower(), (radius, height / 2, 0))
        found = None if made is None else made.transform(FloatPose(AXES[axis], np.zeros(3)))
    elif kind == "Plane":
        found = NOTHING
    elif kind == "Mesh":
        found = _mesh(prim, scale)
    else:
        raise MeshError(f"the shape {kind} is not measured")
    if found is None or not np.isfinite(found.mass) or found.mass < 0:
        raise MeshError("it has no volume")
    return found


def _cone(r: float, h: float) -> ShapeMass:
    """Return a cone about z at density 1: its base at z = -h/2, its centre a quarter of the height above the base."""
    m = pi * r * r * h / 3
    across = 3 / 20 * m * r * r + 3 / 80 * m * h * h
    return ShapeMass(m, np.array([0, 0, -h / 4]), np.diag([across, across, 0.3 * m * r * r]))


def _mesh(prim: Prim, scale: Array) -> ShapeMass | None:
    points = np.array(prim.value("points", []), dtype=float).reshape(-1, 3) * scale
    counts, indices = prim.value("faceVertexCounts", []), prim.value("faceVertexIndices", [])
    way = prim.value("physics:approximation", "none")
    rule = prim.value("mjc:inertia", "") or {"none": "exact", "convexHull": "convex"}.get(way, way)
    if rule not in ("legacy", "exact", "convex"):
        raise MeshError(f"a mesh by {rule} is not measured")
    if sum(counts) != len(indices) or any(not 0 <= i < len(points) for i in indices):
        raise MeshError("its triangles name points that there are not")
    faces, at = [], 0
    for count in counts:
        faces += [(indices[at], indices[at + i], indices[at + i + 1]) for i in range(1, count - 1)]
        at += count
    triangles = np.array(faces, dtype=int).reshape(-1, 3)
    if rule == "convex":
        points, triangles = _hull(points)
    elif prim.value("orientation", "rightHanded") == "leftHanded":
        triangles = triangles[:, ::-1]
    return of_triangles(points, triangles, rule == "legacy") if len(triangles) else None


def _hull(points: Array) -> tuple[Array, Array]:
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError:
        raise MeshError(HULL) from None
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise MeshError("its points have no hull") from None
    faces = np.array(hull.simplices)
    normals = hull.equations[:, :3]
    a, b, c = (points[faces[:, k]] for k in range(3))
    flip = np.einsum("fi,fi->f", np.cross(b - a, c - a), normals) < 0
    faces[flip] = faces[flip][:, ::-1]
    return points, faces
