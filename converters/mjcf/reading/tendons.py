"""Tendons: fixed ones, whose length is Σ c q, and straight ones between two sites."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import compose_pose, decimals, real
from mbconcord.converters.joints import DAMPING, SPRING
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import Armature, Bipolar, JointEffort, LinearLaw, Point
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import HALF, ZERO, Expression, apply, rate, symbol
from mbconcord.model.force import Force
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, field

from ..vocabulary import ARMATURE
from .bodies import polynomial, reference
from .poses import Poses
from .settings import MAIN, Classes, MjcfSettings, row, scalar, some
from .tree import MjcfJoint, MjcfLink, MjcfTree


@dataclass(frozen=True)
class MjcfTendon:
    """A tendon: a fixed one has ``coefficients`` by joint, a straight one two ``ends``.

    ``held`` is True if the model has the forces along it.
    """

    name: str
    element: XmlElement
    coefficients: dict[str, Expression]
    ends: tuple[Point, Point] | None
    held: bool

    def length(self, value: dict[str, Expression] | None = None) -> Expression:
        """Return Σ c q of a fixed tendon, with given values of its joints if any."""
        return sum((c * (symbol(n) if value is None else value[n]) for n, c in self.coefficients.items()), ZERO)

    @property
    def speed(self) -> Expression:
        """Rate of the length of a fixed tendon: Σ c q'."""
        return sum((c * rate(n) for n, c in self.coefficients.items()), ZERO)


@dataclass
class MjcfTendons:
    """The tendons of a model by name, the forces and armatures along them, and the tendons that become omissions."""

    found: dict[str, MjcfTendon] = field(default_factory=dict)
    forces: list[Force] = field(default_factory=list)
    armatures: list[Armature] = field(default_factory=list)
    unheld: list[MjcfTendon] = field(default_factory=list)


class _TendonReader:
    def __init__(
        self, tree: MjcfTree, classes: Classes, poses: Poses, settings: MjcfSettings, findings: Findings
    ) -> None:
        self.tree, self.classes, self.poses = tree, classes, poses
        self.settings, self.findings = settings, findings
        self.joints: dict[str, MjcfJoint] = {joint.name: joint for _, joint in tree.joints}
        self.made = MjcfTendons()

    def read(self, root: XmlElement) -> MjcfTendons:
        for section in root.all("tendon"):
            for child in section.children:
                if child.tag in ("fixed", "spatial"):
                    self._tendon(child)
        return self.made

    def _tendon(self, child: XmlElement) -> None:
        element = self.classes.resolve(child, MAIN, "tendon")
        name = child.attributes.get("name") or f"tendon{len(self.made.found)}"
        if name in self.made.found:
            self.findings.refuse(child.at, f"the tendon {name!r} stands twice", "rename one")
            return
        if child.tag == "fixed":
            tendon = MjcfTendon(name, element, self._coefficients(child), None, True)
        else:
            ends = self._ends(child)
            tendon = MjcfTendon(name, element, {}, ends, ends is not None)
        self.made.found[name] = tendon
        self._acts(tendon)

    def _coefficients(self, tendon: XmlElement) -> dict[str, Expression]:
        found: dict[str, Expression] = {}
        for child in tendon.all("joint"):
            name = child.attributes.get("joint", "")
            if name not in self.joints:
                self.findings.refuse(child.at, f"there is no joint {name!r}", among(name, self.joints))
            elif self.joints[name].type not in ("hinge", "slide"):
                message = f"a fixed tendon over {name!r}, a {self.joints[name].type} joint"
                self.findings.refuse(child.at, message, "hinges and slides alone")
            else:
                coefficient = scalar(child, "coef", "1", self.findings)
                found[name] = found[name] + coefficient if name in found else coefficient
        if not found and not self.findings.errors:
            self.findings.refuse(tendon.at, "a tendon over no joint", '<joint joint="…" coef="…"/>')
        return found

    def _ends(self, tendon: XmlElement) -> tuple[Point, Point] | None:
        """Return the two sites of a straight tendon; None if it is wrapped or divided."""
        ways = [child for child in tendon.children if child.tag in ("site", "geom", "pulley")]
        if len(ways) != 2 or any(child.tag != "site" for child in ways):
            return None
        points = []
        for child in ways:
            name = child.attributes.get("site", "")
            if name not in self.tree.sites or not name:
                self.findings.refuse(child.at, f"there is no site {name!r}", among(name, self.tree.sites))
                return None
            points.append(self.point(name))
        return points[0], points[1]

    def point(self, site: str) -> Point:
        """Return a site as a point of its body."""
        link, part = self.tree.sites[site]
        pose = compose_pose(part.within).then(self.poses.pose(part.element))
        exact = not part.within and self._exact(part.element)
        at = exact if exact else decimals(pose.p)
        return Point(None if link.is_world else link.name, vector(at))

    def _exact(self, element: XmlElement) -> list[Expression] | None:
        return None if "fromto" in element.attributes else row(element, "pos", "0 0 0", self.findings)

    def _acts(self, tendon: MjcfTendon) -> None:
        """Add springs, damping and armature along a tendon to the model, or record the tendon as omitted."""
        element, off = tendon.element, self.settings.without
        stiffness = [] if "spring" in off else self._law(element, "stiffness")
        damping = [] if "damper" in off else self._law(element, "damping")
        armature = scalar(element, "armature", "0", self.findings)
        rest = some(element, "springlength", 2, self.findings)
        at = element.at
        if tendon.ends is not None:
            simple = len(stiffness) <= 1 and len(damping) <= 1 and not armature and (rest is None or len(rest) == 1)
            length = self._length(tendon) if rest is None or rest[0].value < 0 else rest[0]
            if (stiffness or damping) and simple and length is not None:
                law = LinearLaw(k=stiffness[0] if stiffness else ZERO, d=damping[0] if damping else ZERO, l0=length)
                self.findings.locations[f"forces/{tendon.name}"] = at
                self.made.forces.append(Bipolar(tendon.name, *tendon.ends, law))
            elif stiffness or damping or armature:
                self.made.unheld.append(tendon)
            return
        if not tendon.held:
            if stiffness or damping or armature:
                self.made.unheld.append(tendon)
            return
        for name, pull in self._laws(tendon, stiffness, damping, rest):
            for joint, c in tendon.coefficients.items():
                if c:
                    own = f"{tendon.name}_{joint}{name}"
                    self.findings.locations[f"forces/{own}"] = at
                    self.made.forces.append(JointEffort(own, joint, c * pull))
        coefficients = {n: c for n, c in tendon.coefficients.items() if c}
        if armature and coefficients:
            self.findings.locations[f"armatures/{tendon.name}{ARMATURE}"] = at
            self.made.armatures.append(Armature(tendon.name + ARMATURE, armature, coefficients))

    def _law(self, element: XmlElement, key: str) -> list[Expression]:
        found = some(element, key, 3, self.findings) or []
        while found and not found[-1]:
            found.pop()
        return found

    def _laws(
        self, tendon: MjcfTendon, k: list[Expression], d: list[Expression], rest: list[Expression] | None
    ) -> Iterator[tuple[str, Expression]]:
        """Yield (suffix, force) of spring k and damper d along a fixed tendon; slack between two lengths ``rest``."""
        length, speed = tendon.length(), tendon.speed
        if k:
            if rest is None or (rest[0].value < 0 and len(rest) == 1):
                rest = [tendon.length({n: self._spring(self.joints[n]) for n in tendon.coefficients})]
            if len(rest) == 1 or rest[0] is rest[1]:
                x = length - rest[0]
            else:
                x = _beyond(length - rest[1]) - _beyond(rest[0] - length)
            yield SPRING, -polynomial(k, (x, x * x, x * x * x))
        if d:
            yield DAMPING, -polynomial(d, (speed, speed * apply("abs", speed), speed * speed * speed))

    def _spring(self, joint: MjcfJoint) -> Expression:
        found = scalar(joint.element, "springref", "0", self.findings)
        return found * self.settings.angle if joint.type == "hinge" else found

    def _length(self, tendon: MjcfTendon) -> Expression | None:
        """Return a straight tendon's length in the file's pose; None if joint springs are not at rest there."""
        for _, joint in self.tree.joints:
            if joint.type in ("hinge", "slide"):
                rest = self._spring(joint) if "springref" in joint.element.attributes else ZERO
                if real(rest) != real(reference(joint, self.settings, self.findings)):
                    return None
        assert tendon.ends is not None
        places = [self._place(point) for point in tendon.ends]
        return decimals([float(np.linalg.norm(places[1] - places[0]))])[0]

    def _place(self, point: Point) -> np.ndarray:
        link: MjcfLink = self.tree.links[0] if point.body is None else self.tree.by_name[point.body]
        at = np.array([real(x) for x in point.position])
        return np.asarray(link.pose.p + link.pose.R @ at)


def tendons(
    root: XmlElement, tree: MjcfTree, classes: Classes, poses: Poses, settings: MjcfSettings, findings: Findings
) -> MjcfTendons:
    """Read the tendons of a document."""
    return _TendonReader(tree, classes, poses, settings, findings).read(root)


def _beyond(x: Expression) -> Expression:
    """Return the positive part of x: (x + |x|)/2."""
    return HALF * (x + apply("abs", x))
