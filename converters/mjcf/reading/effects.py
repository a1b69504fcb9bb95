"""What acts along joints and on bodies: springs, damping, armatures, compensation of weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mbconcord.converters.findings import Findings
from mbconcord.converters.springs import DAMPING, SPRING
from mbconcord.model import Armature, Inertia, JointEffort, LinearLaw, Point, PointForce
from mbconcord.model.expressions import ONE, ZERO, Expression, apply, rate, sin, symbol
from mbconcord.model.force import Force
from mbconcord.model.transformation import vector

from ..vocabulary import ARMATURE, COMPENSATION, TYPES
from .bodies import coordinates_of
from .settings import Settings
from .tree import Joint, Link, Tree
from .values import scalar, some


@dataclass
class Effects:
    """Forces and armatures of a model, and joints of which a word is not held, with the word and what it acts on."""

    forces: list[Force] = field(default_factory=list)
    armatures: list[Armature] = field(default_factory=list)
    unheld: list[tuple[Joint, str, str]] = field(default_factory=list)


def along_joints(tree: Tree, inertias: dict[str, Inertia], settings: Settings, findings: Findings) -> Effects:
    """What acts along the joints; inertia of rotors that turn with bodies in every direction goes to ``inertias``."""
    found = Effects()
    for link, joint in tree.joints:
        at = joint.element.at
        made = _Along(joint, settings, findings)
        springs, damping = made.springs(found), made.damping(found)
        for force in (*springs, *damping):
            findings.locations[f"forces/{force.name}"] = at
            found.forces.append(force)
        for armature in made.armatures(link, inertias, found):
            findings.locations[f"armatures/{armature.name}"] = at
            found.armatures.append(armature)
    return found


@dataclass(frozen=True)
class _Along:
    """One joint."""

    joint: Joint
    settings: Settings
    findings: Findings

    def _numbers(self, key: str) -> list[Expression]:
        """The coefficients of a law, without zeros at its end."""
        found = some(self.joint.element, key, 3, self.findings) or []
        while found and not found[-1]:
            found.pop()
        return found

    @property
    def _overwritten(self) -> bool:
        """Whether a spring and damper by time constant and damping ratio stand in place of those that are given."""
        words = self.joint.element.attributes.get("springdamper", "").split()
        return any(word.strip("+-0.") for word in words)

    def springs(self, found: Effects) -> Iterator[JointEffort]:
        """-(k₁ x + k₂ x² + k₃ x³) with x = q - springref."""
        joint, k = self.joint, self._numbers("stiffness")
        if self._overwritten:
            found.unheld.append((joint, "springdamper", "joint-spring"))
        elif k and "spring" not in self.settings.without:
            if TYPES[joint.type] != 1:
                found.unheld.append((joint, "stiffness", "joint-spring"))
                return
            rest = scalar(joint.element, "springref", "0", self.findings)
            rest = rest * self.settings.angle if joint.type == "hinge" else rest
            name = joint.name + SPRING
            if len(k) == 1:
                yield JointEffort(name, joint.name, LinearLaw(k=k[0], l0=rest))
            else:
                x = symbol(joint.name) - rest
                yield JointEffort(name, joint.name, -polynomial(k, (x, x * x, x * x * x)))

    def damping(self, found: Effects) -> Iterator[JointEffort]:
        """-(d₁ v + d₂ v|v| + d₃ v³); of free and ball joints -d along velocity and angular velocity.

        The angular velocity is that of the turns rz ry rx, ω = z' a_z + y' a_y + x' a_x with a_z·a_x = -sin y.
        """
        joint, d = self.joint, self._numbers("damping")
        if not d or self._overwritten or "damper" in self.settings.without:
            return
        names = coordinates_of(joint)
        if len(names) == 1:
            v = rate(joint.name)
            law = LinearLaw(d=d[0]) if len(d) == 1 else -polynomial(d, (v, v * apply("abs", v), v * v * v))
            yield JointEffort(joint.name + DAMPING, joint.name, law)
            return
        if len(d) > 1:
            found.unheld.append((joint, "damping", "joint-damping"))
            return
        z, y, x = names[-3:]
        tilt = sin(symbol(y))
        rates = {n: rate(n) for n in names} | {z: rate(z) - tilt * rate(x), x: rate(x) - tilt * rate(z)}
        for name, speed in rates.items():
            yield JointEffort(name + DAMPING, name, -(d[0] * speed))

    def armatures(self, link: Link, inertias: dict[str, Inertia], found: Effects) -> Iterator[Armature]:
        """Along the joint; of what turns everywhere in the world a tensor a E of the body, which is the same."""
        joint = self.joint
        a = scalar(joint.element, "armature", "0", self.findings)
        if not a:
            return
        names = coordinates_of(joint)
        if len(names) == 1:
            yield Armature(joint.name + ARMATURE, a, {joint.name: ONE})
            return
        grounded = link.parent is not None and not link.parent.moves and len(link.joints) == 1
        if not grounded:
            found.unheld.append((joint, "armature", "rotor"))
            return
        for name in names[:-3]:
            yield Armature(name + ARMATURE, a, {name: ONE})
        own = inertias[link.name]
        xx, yy, zz, *products = own.tensor
        xy, xz, yz = products
        inertias[link.name] = replace(own, tensor=(xx + a, yy + a, zz + a, xy, xz, yz))
        message = (
            f"the armature of {joint.name!r} turns with the body: {a} kg m² on the diagonal of its tensor"
        )
        self.findings.note(joint.element.at, f"bodies/{link.name}/inertia", message)


def polynomial(coefficients: Sequence[Expression], powers: Sequence[Expression]) -> Expression:
    """Σ c_i p_i."""
    return sum((c * p for c, p in zip(coefficients, powers, strict=False) if c), ZERO)


def compensation(
    tree: Tree, inertias: dict[str, Inertia], settings: Settings, findings: Findings
) -> Iterator[PointForce]:
    """-c m g at the centre of mass of a body whose weight is compensated."""
    if settings.gravity is None or "passive" in settings.without:
        return
    for link in tree.bodies:
        c, own = scalar(link.element, "gravcomp", "0", findings), inertias[link.name]
        if c and own.mass and link.moves:
            name = link.name + COMPENSATION
            findings.locations[f"forces/{name}"] = link.element.at
            force = vector(-(c * own.mass * g) for g in settings.gravity.vector)
            yield PointForce(name, Point(link.name, own.centre), force)
