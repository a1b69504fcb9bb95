"""Physics of a model: admissible masses and inertias, as far as values of parameters determine them.

Only the parts of a tensor that affect the motion are checked: for a body that turns about one axis the moment about
that axis, for one that does not turn nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..body import Armature, Body, Inertia
from ..constraint import Rod
from ..diagnostics import Diagnostic, MbconcordError, among, error
from ..elastic import ElasticModes
from ..expressions import Expression, ExpressionError, evaluate, topological
from ..expressions.traversal import Below
from ..force import Bipolar, Point
from ..functions import Definitions
from ..limits import format_names
from ..transformation import Constant, ElementaryTransformation, Frame, Prescribed, rotation
from . import turning as elastic
from .model import Model
from .scope import SystemScopes, formulas, is_representable
from .turning import Turning, Turnings

#: Relative slack of physical conditions: published inertias carry about nine digits.
PHYSICS_SLACK = 1e-9

#: A radius of gyration beyond so many times the size of a body is remarked; of a rod it is less than once that.
TOO_LARGE: Final = 3.0

#: Body -> how far its shapes reach from the origin of its frame (m), and whether these are all that it has.
Reaches = Mapping[str, tuple[float, bool]]

#: What helps where a formula has no number.
MEANING: Final = "give the parameter a value that has a meaning"
#: What is made of an inertia that no body has: an error, a warning, or nothing.
Policy = Literal["error", "warn", "ignore"]
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)
OTHERWISE: Final = "--read physics=warn takes it as it is"


def physics(system: Model, values: Mapping[str, float], policy: Policy = "error") -> list[Diagnostic]:
    """Check masses and inertias at given values of parameters (name -> float); skip those without values.

    A formula without a number at these values, as after a division by zero, is an error under any policy.
    """
    if policy not in POLICIES:
        raise MbconcordError(error("physics", f"found {policy!r}", among(str(policy), POLICIES)))
    found = [*dict.fromkeys(_Physics(system, values).findings())]
    if policy == "error":
        return [_to_error(d) if d.severity == "warning" else d for d in found]
    return [d for d in found if policy == "warn" or d.severity == "error"]


def remark_sizes(system: Model, values: Mapping[str, float], shapes: Callable[[], Reaches] = dict) -> list[Diagnostic]:
    """Remark tensors that are far too large for the mass and the size of their bodies, in one warning for all.

    The size is the largest distance from the origin of the body's frame to its centre of mass, to the joints of bodies
    that it carries, to points of forces and constraints, to the ends of its shapes. Unless all its shapes are known
    (no mesh), a body may be larger than that. No remark is then made on bodies on the fixed frame, on bodies that carry
    nothing, and on radii of gyration below half the longest link of the model, as a dumb-bell of its length has. Bodies
    that carry a slide, do not move or are elastic get none either. ``shapes`` is called only if shapes may decide.
    """
    found = sorted(_Physics(system, values).sizes(shapes), reverse=True)
    if not found:
        return []
    ratio, name, radius, size, end = found[0]
    others = f"; so are those of {format_names(each for _, each, *_ in found[1:])}" if len(found) > 1 else ""
    message = (
        f"its radius of gyration, {radius:.3g} m, is {ratio:.2g} times the {size:.3g} m to the body's farthest {end}: "
        f"too large for its mass{others}"
    )
    remedy = "check its units, and about which point it is taken"
    return [Diagnostic("warning", f"bodies/{name}/inertia/tensor", message, remedy)]


def _to_error(finding: Diagnostic) -> Diagnostic:
    return replace(finding, severity="error", remedy=f"{finding.remedy}; {OTHERWISE}")


def _impossible(place: str, message: str, remedy: str) -> Diagnostic:
    return Diagnostic("warning", place, message, remedy)


class _Physics:
    """Checks of one system at values of parameters; an impossible body is a finding of severity ``warning``."""

    def __init__(self, system: Model, values: Mapping[str, float]) -> None:
        self.system, self.values = system, values
        self.definitions = Definitions(system.functions)
        self.undetermined = Below(lambda node: node.op == "call" or (node.op == "sym" and node.data not in values))

    @cached_property
    def turnings(self) -> Turnings:
        """Rotations of the bodies, computed only if an inertia is not that of a free body."""
        return Turnings(self.system, self.values)

    def sizes(self, shapes: Callable[[], Reaches]) -> Iterator[tuple[float, str, float, float, str]]:
        """Yield bodies with too large tensors: ratio, name, radius of gyration, size (m), farthest point in words."""
        sizes: dict[str | None, float] = {}
        for body in self.system.bodies:
            sizes[body.parent] = max(sizes.get(body.parent, 0.0), self._path(body.joint))
        points: dict[str | None, float] = {}
        for owner, distance in self._distances():
            points[owner] = max(points.get(owner, 0.0), distance)
        longest = max((x for owner, x in sizes.items() if owner is not None and x < math.inf), default=0.0)
        moving: set[str | None] = set()
        reaches: Reaches | None = None
        for body in self.system.bodies:
            carried, point, inertia = sizes.get(body.name, 0.0), points.get(body.name, 0.0), body.inertia
            if body.parent in moving or not all(isinstance(et.motion, Constant) for et in body.joint):
                moving.add(body.name)
            if body.name not in moving or body.modes or not max(carried, point) < math.inf:
                continue
            found = self._numbers("", [inertia.mass, *inertia.centre, *inertia.tensor])
            if not isinstance(found, list) or found[0] <= 0:
                continue
            xx, yy, zz, xy, xz, yz = found[4:]
            size, end = max(carried, point, math.hypot(*found[1:4])), "joint, point or centre of mass"
            if xx + yy + zz <= found[0] * (TOO_LARGE * size) * (TOO_LARGE * size):
                continue
            largest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[2]
            radius = math.sqrt(max(largest, 0.0) / found[0])
            if radius > TOO_LARGE * size:  # what the body's shapes may excuse, or accuse
                reaches = shapes() if reaches is None else reaches
                reach, whole = reaches.get(body.name, (0.0, False))
                size, end = (reach, "point of its shapes") if reach > size else (size, end)
                # A point alone tells no size, nor does a joint that a body on the fixed frame carries.
                if not whole and (not carried or body.parent is None or radius <= longest / 2):
                    continue
                if radius > TOO_LARGE * size > 0:
                    yield radius / size, body.name, radius, size, end

    def _distances(self) -> Iterator[tuple[str | None, float]]:
        """Yield bodies with bounds of the distances (m) of their points from the origin; infinite without a number."""
        for element in (*self.system.forces, *self.system.constraints):
            for value in (getattr(element, f.name) for f in fields(element)):
                if isinstance(value, Point):
                    found = self._numbers("", value.position)
                    yield value.body, math.hypot(*found) if isinstance(found, list) else math.inf
                elif isinstance(value, Frame):
                    yield value.body, self._path(value.transformations)

    def _path(self, steps: Sequence[ElementaryTransformation]) -> float:
        """Return the sum of the shifts (m) of transformations; infinite if one is a slide or has no number."""
        found = self._numbers("", [et.amount for et in steps if et.is_translation])
        return sum(map(abs, found)) if isinstance(found, list) else math.inf

    def findings(self) -> Iterator[Diagnostic]:
        """Check every formula, bodies with what they carry, then rods, bipolar elements, armatures, contacts."""
        yield from self._meanings()
        for body in self.system.bodies:
            place = f"bodies/{body.name}"
            yield from self._inertia(f"{place}/inertia", "body", body.inertia, body.name)
            for wheel in body.flywheels:
                at, spin = f"{place}/flywheels/{wheel.name}", rotation("z", Prescribed(wheel.angle))
                yield from self._inertia(at, "flywheel", wheel.inertia, body.name, (*wheel.mounting, spin))
            if body.added_inertia:
                yield from self._check_added_inertia(f"{place}/added_inertia", body.added_inertia.rows)
            if body.modes:
                yield from self._modes(f"{place}/modes", body, body.modes)
        for element in self.system.massive():
            place = f"{'forces' if isinstance(element, Bipolar) else 'constraints'}/{element.name}"
            yield from self._mass(place, "element", self._numbers(place, [element.mass]))
        for rod in self.system.constraints:
            if isinstance(rod, Rod):
                place = f"constraints/{rod.name}"
                yield from self._length(place, self._numbers(place, [rod.length]))
        for armature in self.system.armatures:
            yield from self._armature(f"armatures/{armature.name}", armature)
        own = (getattr(x, "element", None) for x in (*self.system.forces, *self.system.constraints))
        for contact in dict.fromkeys(found for found in own if found is not None):
            for name, value, least in contact.numbers():
                place = f"contacts/{contact.name}/{name}"
                found = self._numbers(place, [value])
                if isinstance(found, Diagnostic):
                    yield found
                elif found and (found[0] < 0 or (least == "positive" and not found[0])):
                    message = f"found {found[0]:.6g}, expected a number that is {least}"
                    yield _impossible(place, message, "give its parameters other values")

    def _meanings(self) -> Iterator[Diagnostic]:
        """Check that all formulas (lengths, gravity, forces) that the values of parameters determine are finite."""
        for place, group, _ in formulas(SystemScopes(self.system)):
            values = [*group]
            if any(x.args for x in values) and not place.startswith(("parameters/", "functions/", "omissions/")):
                nodes = topological(self.definitions.apply(values))
                if all(is_representable(x.data) for x in nodes if x.op == "num"):  # others are told by themselves
                    found = self._numbers(place, [x for x in nodes if x.args and not self.undetermined.any([x])])
                    yield from [found] if isinstance(found, Diagnostic) else ()

    def _length(self, place: str, found: list[float] | Diagnostic | None) -> Iterator[Diagnostic]:
        if isinstance(found, Diagnostic):
            yield found
        elif found and not found[0] > 0:
            message = f"the rod's length is {found[0]:.6g} m"
            yield error(f"{place}/length", message, "a length is positive; points that coincide are a closure")

    def _numbers(self, place: str, formulas: Sequence[Expression]) -> list[float] | Diagnostic | None:
        """Evaluate formulas, or say why they have no value; None if the values do not determine them."""
        try:
            if all(x.op == "num" for x in formulas):  # as in most models, and there may be thousands of bodies
                found = [float(x.data) for x in formulas]
            else:
                outputs = self.definitions.apply(formulas)
                if self.undetermined.any(outputs):
                    return None
                found = [float(x) for x in evaluate(outputs, self.values)]
        except ExpressionError as problem:
            return error(place, str(problem), MEANING)
        except OverflowError:
            found = [math.inf]
        if not all(map(math.isfinite, found)):
            return error(place, "a value is not finite", "give the parameters smaller values")
        return found

    def _mass(self, place: str, what: str, found: list[float] | Diagnostic | None) -> Iterator[Diagnostic]:
        if isinstance(found, Diagnostic):
            yield found
        elif found and found[0] < 0:
            message = f"the {what}'s mass is {found[0]:.6g} kg"
            yield _impossible(f"{place}/mass", message, "a mass is not negative")

    def _armature(self, place: str, armature: Armature) -> Iterator[Diagnostic]:
        """Check that the kinetic energy ½ a (cᵀ q')² is not negative."""
        found = self._numbers(place, armature.expressions)
        if isinstance(found, Diagnostic):
            yield found
        elif found and found[0] < 0:
            message = f"the armature's inertia is {found[0]:.6g}: a motion with negative energy"
            yield _impossible(f"{place}/inertia", message, "an inertia is not negative")

    def _inertia(
        self, place: str, what: str, inertia: Inertia, carrier: str, joint: Sequence[ElementaryTransformation] = ()
    ) -> Iterator[Diagnostic]:
        """Check that the mass is not negative, and that some distribution of mass can have the central tensor."""
        whole = self._numbers(place, [inertia.mass, *inertia.centre, *inertia.tensor])
        if isinstance(whole, list):  # at once: there may be thousands of bodies
            parts: list[list[float] | Diagnostic | None] = [whole[:1], whole[1:4], whole[4:]]
        else:
            parts = [self._numbers(place, p) for p in ([inertia.mass], inertia.centre, inertia.tensor)]
        broken = next((p for p in parts if isinstance(p, Diagnostic)), None)
        mass, centre, tensor = ([] if p is None or isinstance(p, Diagnostic) else p for p in parts)
        if broken is not None:
            yield broken
        elif mass and mass[0] < 0:
            yield from self._mass(place, what, mass)
        elif tensor:
            # Tensors are often given about the origin: the shift to the centre costs digits of m r².
            shifted = mass[0] * sum(x * x for x in centre) if mass else 0.0
            slack = PHYSICS_SLACK * max(*map(abs, tensor), shifted)
            xx, yy, zz, xy, xz, yz = tensor
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            found = _of_free_body(f"{place}/tensor", J, slack)
            if found is not None:
                turning = self.turnings.further(self.turnings.of[carrier], joint)
                found = found if turning.freely else _check_about_axis(turning, f"{place}/tensor", J, slack)
            yield from [] if found is None else [found]

    def _modes(self, place: str, body: Body, modes: ElasticModes) -> Iterator[Diagnostic]:
        """Check shapes, stiffness and damping, if the values determine them."""
        n = len(modes.coordinates)
        inertia = body.inertia
        xx, yy, zz, xy, xz, yz = inertia.tensor_about_origin()
        w = n + len(modes.products)
        parts: list[tuple[Sequence[Expression], tuple[int, ...]]] = [
            ((inertia.mass,), ()),
            (inertia.centre, (3,)),
            ((xx, xy, xz, xy, yy, yz, xz, yz, zz), (3, 3)),
            ([x for row in modes.second_moments for b in row for r in b for x in r], (w + 1, w + 1, 3, 3)),
            ([x for row in modes.stiffness for x in row], (n, n)),
            ([x for row in modes.damping for x in row], (n, n)),
        ]
        for matrix, shape in zip(modes.section_inertia, ((3, 3), (3, n), (n, n)), strict=False):
            parts.append(([x for row in matrix for x in row], shape))
        for node in modes.nodes:
            parts.append((node.position, (3,)))
            parts.append(([x for row in node.translation for x in row], (3, w)))
            parts.append(([x for row in node.rotation for x in row], (3, n)))
        found = self._numbers(place, [x for formulas, _ in parts for x in formulas])
        if isinstance(found, Diagnostic):
            yield found
        elif found:
            ends = np.cumsum([len(formulas) for formulas, _ in parts])
            arrays = [a.reshape(s) for a, (_, s) in zip(np.split(np.array(found), ends[:-1]), parts, strict=True)]
            mass, centre, tensor, second, stiffness, damping, *rest = arrays
            sections = (rest[0], rest[1], rest[2]) if modes.section_inertia else None
            at = iter(rest[3:] if sections else rest)
            nodes = {node.name: (next(at), next(at), next(at)) for node in modes.nodes}
            given = elastic.Numbers(
                modes.coordinates, float(mass), centre, tensor, second, stiffness, damping, sections, nodes
            )
            for below, message, remedy in elastic.findings(given):
                yield _impossible(f"{place}/{below}".rstrip("/"), message, remedy)

    def _check_added_inertia(self, place: str, rows: Sequence[Sequence[Expression]]) -> Iterator[Diagnostic]:
        """Check that the fluid's kinetic energy ½ VᵀΛV is not negative."""
        found = self._numbers(place, [x for row in rows for x in row])
        if isinstance(found, Diagnostic):
            yield found
        elif found:
            moments = np.linalg.eigvalsh(np.reshape(found, (6, 6)))
            if moments[0] < -PHYSICS_SLACK * np.abs(moments).max():
                message = f"the smallest eigenvalue of Λ is {moments[0]:.6g}: a motion with negative energy"
                yield _impossible(place, message, "Λ is positive semidefinite")


def _of_free_body(place: str, J: NDArray[np.float64], slack: float) -> Diagnostic | None:
    """Check a tensor (3, 3) about the centre of mass, for a body that turns about any axis."""
    moments = np.linalg.eigvalsh(J)
    shown = ", ".join(f"{m:.6g}" for m in moments)
    if moments[0] < -slack:
        message = f"principal moments {shown} kg m² about the centre of mass: one is negative"
        remedy = "about the frame's origin the tensor must exceed that of the mass at its centre"
        return _impossible(place, message, remedy)
    if moments[0] + moments[1] < moments[2] - slack:
        message = f"principal moments {shown} kg m² violate the triangle inequality"
        remedy = "no distribution of mass has one moment larger than the other two together"
        return _impossible(place, message, remedy)
    return None


def _check_about_axis(turning: Turning, place: str, J: NDArray[np.float64], slack: float) -> Diagnostic | None:
    """Check the tensor of a body that turns about one axis, or not at all."""
    if turning.axis is None or (moment := float(np.array(turning.axis) @ J @ turning.axis)) >= -slack:
        return None
    shown = ", ".join(f"{x:.6g}" for x in turning.axis)
    message = f"the moment {moment:.6g} kg m² about the axis ({shown}) through the centre of mass is negative"
    return _impossible(place, message, "the body turns about no other: this moment is not negative")
