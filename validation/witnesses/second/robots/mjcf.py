"""Reading of a text of MJCF at one state: bodies in the file's pose, moved by their joints, one after another.

Friction, joint limits and contacts are left out of the motion. Equalities are exact constraints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..machine import (
    At,
    SecondClosure,
    SecondJoined,
    SecondMachine,
    SecondPlace,
    SecondRow,
    SecondSolid,
    UnreadError,
    linear,
    symmetric,
)
from ..world import Array
from .lumps import NOTHING, SecondLump, SecondMeshes, shell, solid, sum_lumps
from .mjcf_acting import Actuators, Resistance, SecondMjcfTendons, armatures, held_up, list_beside, read_joint_forces
from .mjcf_bodies import MAIN, SecondMjcfBodies, SecondMjcfBody, SecondMjcfWords, document
from .tags import Tag, inverse, matrix, numbers, quaternion, shift, steps_to, tilt, triple

# Inertia of bodies of an MJCF: the given one, else that of their geoms, within the bounds of the compiler.


#: Smaller masses (kg) count as zero.
LEAST = 1e-14
#: Number of sizes of a shape, and their number if its ends are given (``fromto``).
SIZES = {"sphere": (1, 1), "capsule": (2, 1), "cylinder": (2, 1), "ellipsoid": (3, 1), "box": (3, 1)}


class SecondMjcfMasses:
    """The inertias (lumps) of all bodies of an MJCF: ``of`` has them by body name."""

    def __init__(self, bodies: list[SecondMjcfBody], words: SecondMjcfWords, meshes: SecondMeshes) -> None:
        self.words, self.meshes = words, meshes
        self.mode = words.compiler.own.get("inertiafromgeom", "auto")
        self.of = {body.name: self._body(body) for body in bodies}
        self._apply_bounds({body.name: body for body in bodies})

    def _body(self, body: SecondMjcfBody) -> SecondLump:
        if body.inertial is not None and self.mode != "true":
            return self._read_inertial(body.inertial)
        if self.mode == "false":
            return NOTHING
        first, last = self.words.compiler.row("inertiagrouprange", "0 5")
        lumps = [
            self._geom(geom).transform(matrix(within))
            for geom, within in body.geoms
            if first <= geom.number("group", "0") <= last and geom.own.get("type") not in ("plane", "hfield")
        ]
        whole = sum_lumps([lump for lump in lumps if lump.mass > 0])
        if whole.mass < LEAST:  # what is said counts where no shape weighs anything
            return NOTHING if body.inertial is None else self._read_inertial(body.inertial)
        return whole

    def _read_inertial(self, tag: Tag) -> SecondLump:
        """Return the inertia in an ``inertial``: a full tensor in the body's axes, or moments along axes of its own."""
        centre, mass = np.array(tag.row("pos", "missing missing missing")), tag.number("mass", "missing")
        turns = self.words.turns(tag)
        if "fullinertia" in tag.own:
            if turns or "diaginertia" in tag.own:
                raise UnreadError("a full tensor in other axes")
            return SecondLump(mass, centre, np.array(symmetric(*tag.row("fullinertia", "0 0 0 0 0 0"))))
        R = matrix(turns)[:3, :3]
        return SecondLump(mass, centre, R @ np.diag(tag.row("diaginertia", "0 0 0")) @ R.T)

    def _geom(self, geom: Tag) -> SecondLump:
        """Return mass, centre and tensor of a geom, in the frame in which the geom is placed."""
        kind = geom.own.get("type", "sphere")
        if (kind == "mesh") != ("mesh" in geom.own) or kind == "sdf":
            raise UnreadError("a shape that is fitted to a mesh")
        if float(geom.own.get("mass", geom.own.get("density", "1"))) == 0:
            return NOTHING
        hollow = geom.own.get("shellinertia", "false") == "true"
        if kind == "mesh":
            if hollow:
                raise UnreadError("the shell of a mesh")
            own, T = self.meshes.lump(geom.own["mesh"]), matrix(self.words.steps(geom))
        else:
            sizes, T = self._sizes(geom, kind)
            own = (shell if hollow else solid)(kind, *sizes)
        factor = geom.number("mass", "0") / own.mass if "mass" in geom.own else geom.number("density", "1000")
        return own.times(factor).transform(T)

    def _sizes(self, geom: Tag, kind: str) -> tuple[tuple[float, float, float], Array]:
        """Return radii and half lengths of a shape, and its pose, in which z is along the line of given end points."""
        given = [float(word) for word in geom.own["size"].split()]
        if "fromto" not in geom.own or kind == "sphere":
            if "fromto" in geom.own or len(given) < SIZES[kind][0]:
                raise UnreadError(f"the sizes of a {kind}")
            a, b, c = (*given, 0.0, 0.0)[:3]
            return (a, b, c), matrix(self.words.steps(geom))
        ends = np.array(geom.row("fromto", "0 0 0 0 0 0")).reshape(2, 3)
        T = matrix(tilt([float(x) for x in ends[0] - ends[1]]))
        T[:3, 3] = (ends[0] + ends[1]) / 2
        half = float(np.linalg.norm(ends[0] - ends[1])) / 2
        return ((given[0], half, 0.0) if kind in ("capsule", "cylinder") else (given[0], given[0], half)), T

    def _apply_bounds(self, bodies: dict[str, SecondMjcfBody]) -> None:
        """Apply the compiler's minimum masses and moments, balanced tensors, and total mass to all bodies.

        A body without inertial and geoms has its mass centre at the numbers of the body's attribute ``pos``.
        """
        compiler = self.words.compiler
        mass, moment, total = (
            compiler.number(key, default)
            for key, default in (("boundmass", "0"), ("boundinertia", "0"), ("settotalmass", "-1"))
        )
        balanced = compiler.own.get("balanceinertia", "false") == "true"
        for name, found in self.of.items():
            lump = replace(found, centre=np.array(bodies[name].tag.row("pos", "0 0 0"))) if found is NOTHING else found
            values, axes = np.linalg.eigh(lump.tensor)
            bounded = np.fmax(values, moment) if moment > 0 else values
            if balanced and 2 * bounded.max() > bounded.sum():
                bounded = np.full(3, bounded.mean())
            if (bounded != values).any() or lump.mass < mass:
                tensor = axes @ np.diag(bounded) @ axes.T
                self.of[name] = replace(lump, mass=max(lump.mass, mass), tensor=tensor)
        counted = [name for name in self.of if total > 0 and not self._is_ground(bodies[name])]
        weight = sum(self.of[name].mass for name in counted)
        if weight > 0:
            self.of |= {name: self.of[name].times(total / weight) for name in counted}

    def _is_ground(self, body: SecondMjcfBody) -> bool:
        """Return True if the compiler fuses a body with the world; refuse one that a reference may keep from that."""
        if body.moves or self.words.compiler.own.get("fusestatic", "false") != "true":
            return False
        own = {tag.own["name"] for tag in body.tag.walk() if tag.name in ("body", "site") and "name" in tag.own}
        said = (v for t in self.words.root.walk() for k, v in t.own.items() if k not in ("name", "class", "childclass"))
        if body.tag.own.get("mocap", "false") == "true" or own & {*said}:
            raise UnreadError("fixed bodies that are fused, or are referred to")
        return True


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state."""
    return _SecondMjcfReading(document(text, at.folder, at.packages), at).machine()


class _SecondMjcfReading:
    def __init__(self, mujoco: Tag, at: At) -> None:
        self.root, self.at, self.words = mujoco, at, SecondMjcfWords(mujoco)
        self.bodies = SecondMjcfBodies(mujoco, self.words)
        self.tendons = SecondMjcfTendons(mujoco, self.bodies, self.words)
        self.joined: list[SecondJoined] = []
        self.closures: list[SecondClosure] = []
        self.rows: list[SecondRow] = []
        self.beside: list[str] = []
        if not self.words.is_off("constraint", "equality"):
            self._equalities()

    def machine(self) -> SecondMachine:
        """Return the machine with its bodies, forces and constraints."""
        bodies, words, at = self.bodies, self.words, self.at
        masses = SecondMjcfMasses(bodies.all, words, SecondMeshes(self.root, words, at.folder, at.packages)).of
        loads = [load for body in bodies.all for load in held_up(body, masses[body.name], words)]
        resistance = Resistance(self.root, bodies, masses, self.tendons)
        turning = armatures(bodies, masses)
        actuators = Actuators(self.root, resistance, self.tendons, words, at)
        acting = [read_joint_forces(joint, words, at, resistance) for joint in bodies.joints.values()]
        efforts: dict[str, float] = {}
        for some in (*acting, self.tendons.efforts(at), actuators.efforts):
            efforts = {q: efforts.get(q, 0.0) + some.get(q, 0.0) for q in (*efforts, *some)}
        coordinates = [q for joint in bodies.joints.values() for q in joint.names]
        if len({*coordinates, *actuators.controls}) < len(coordinates) + len(actuators.controls):
            raise UnreadError("coordinates or controls of one name")
        return SecondMachine(
            tuple(coordinates),
            tuple(
                SecondSolid(b.name, b.parent.full_name, (*b.steps, *(s for j in b.joints for s in j.way())),
                      *masses[b.name].numbers)
                for b in bodies.all if b.parent is not None
            ),
            words.gravity,
            efforts,
            tuple(self.tendons.springs()),
            (*loads, *actuators.loads),
            closures=tuple(self.closures),
            joined=tuple(self.joined),
            starts={q: (j.ref if j.single else 0.0, 0.0) for j in bodies.joints.values() for q in j.names},
            armatures=(*turning, *self.tendons.armatures(), *actuators.armatures),
            rows=tuple(self.rows),
            controls=tuple(actuators.controls),
            beside=(*list_beside(bodies, words, resistance), *actuators.beside, *self.beside),
        )  # fmt: skip

    # --- equalities

    def _equalities(self) -> None:
        names: set[str] = set()
        for child in (c for section in self.root.all("equality") for c in section.inner):
            tag = self.words.whole(child, MAIN, "equality")
            name = child.own.get("name") or f"{child.name}{len(names) + 1}"
            while name in names:
                name += "_"
            names.add(name)
            if tag.own.get("active", "true") == "true":
                self._equality(name, child.name, tag)

    def _equality(self, name: str, kind: str, tag: Tag) -> None:
        if kind in ("joint", "tendon"):
            self._polynomial(name, kind, tag)
        elif kind not in ("connect", "weld"):
            self.beside.append(f"closure/{name}")  # of other kinds
        elif "site1" in tag.own:
            (one, first), (other, second) = (self.bodies.site(tag.own[key]) for key in ("site1", "site2"))
            if kind == "weld" and tag.number("torquescale", "1"):
                self.closures.append(SecondClosure(name, (one.full_name, first), (other.full_name, second)))
            else:
                self.joined.append(SecondJoined(name, *(self.tendons.place(tag.own[k]) for k in ("site1", "site2"))))
        else:
            one, other = self._body(tag.own["body1"]), self._body(tag.own.get("body2", "world"))
            (self._weld if kind == "weld" else self._connect)(name, tag, one, other)

    def _body(self, name: str) -> SecondMjcfBody:
        return next(b for b in (self.bodies.world, *self.bodies.all) if b.name == name)

    def _connect(self, name: str, tag: Tag, one: SecondMjcfBody, other: SecondMjcfBody) -> None:
        """Join a point of the first body (``anchor``) to the point of the second that coincides in the file's pose."""
        first = tag.row("anchor", "missing missing missing")
        second = inverse(other.pose) @ one.pose @ [*first, 1.0]
        self.joined.append(
            SecondJoined(
                name, SecondPlace(one.full_name, triple(np.array(first))), SecondPlace(other.full_name, triple(second))
            )
        )

    def _weld(self, name: str, tag: Tag, one: SecondMjcfBody, other: SecondMjcfBody) -> None:
        """Weld the second body's anchor to the first body, in the pose ``relpose``, else in that of the file."""
        *place, w, x, y, z = tag.row("relpose", "0 1 0 0 0 0 0")
        hook = shift(tag.row("anchor", "0 0 0"))
        if any((w, x, y, z)):
            end = (*shift(place), *quaternion(w, x, y, z))
        else:
            end = steps_to(inverse(one.pose) @ other.pose @ matrix(hook))
        if not tag.number("torquescale", "1"):  # it holds no turn
            points = (triple(matrix(steps)[:3, 3]) for steps in (end, hook))
            first, second = map(SecondPlace, (one.full_name, other.full_name), points)
            self.joined.append(SecondJoined(name, first, second))
            return
        self.closures.append(SecondClosure(name, (one.full_name, end), (other.full_name, hook)))

    def _polynomial(self, name: str, kind: str, tag: Tag) -> None:
        """Add the row y - Σ a_k x^k of deviations x, y of joints or tendons from the file's pose; y - a₀ without x."""
        y = self._away(kind, tag.own.get(f"{kind}1", ""))
        x = self._away(kind, tag.own[f"{kind}2"]) if f"{kind}2" in tag.own else None
        if y is None or (x is None and f"{kind}2" in tag.own):
            self.beside.append(f"closure/{name}")
            return
        a = numbers(tag.own.get("polycoef", ""))
        a = [*a, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(a) :]]
        if x is None:
            a, x = a[:1], (0.0, 0.0)
        terms = [y[0], *(-c * x[0] ** k for k, c in enumerate(a))]
        rates = [y[1], *(-c * k * x[0] ** (k - 1) * x[1] for k, c in enumerate(a) if k)]
        self.rows.append(linear(name, terms, rates))

    def _away(self, kind: str, name: str) -> tuple[float, float] | None:
        """Return the deviation of a joint or tendon from the file's pose, and its rate; None if it is not a scalar."""
        if kind == "joint":
            along: Mapping[str, float] = {name: 1.0} if self.bodies.joints[name].single else {}
        else:
            along = self.tendons.of[name].along
        if not along:
            return None
        refs = {q: self.bodies.joints[q].ref for q in along}
        return sum(c * (self.at.q[q] - refs[q]) for q, c in along.items()), sum(
            c * self.at.v[q] for q, c in along.items()
        )
