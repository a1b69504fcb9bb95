"""Forces and inertias along joints of an MJCF: springs, dampers, armatures, actuators; and gravity compensation.

Left out are actuators with states, those that act on anything but single coordinates, fixed tendons and sites, and
springs of ball joints.

Tendons of an MJCF are sums of coordinates, or straight lines between two sites, with force laws along them.

Tendons that wrap around shapes, or are divided by pulleys, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..machine import At, SecondLoad, SecondPlace, Spring, Steps, UnreadError, X, Y, Z
from ..world import Array, SecondPose, follow
from .lumps import SecondLump
from .mjcf_bodies import ACTUATORS, MAIN, SecondMjcfBodies, SecondMjcfBody, SecondMjcfJoint, SecondMjcfWords
from .tags import Tag, matrix, numbers, triple, turn, unit


@dataclass(frozen=True)
class SecondMjcfTendon:
    """Tendon with coefficients of coordinates (``along``) or, if straight, two ``ends``; other kinds have neither."""

    tag: Tag
    along: Mapping[str, float]
    ends: tuple[SecondPlace, ...] = ()

    def length(self, values: Mapping[str, float]) -> float:
        """Return a fixed tendon's length (rate): the weighted sum of its coordinates (rates) in ``values``."""
        return sum(c * values[q] for q, c in self.along.items())


def law(tag: Tag, key: str) -> list[float]:
    """Return the constants of a polynomial force law from an attribute: at most three, without zeros at the end."""
    found = numbers(tag.own.get(key, ""))
    if len(found) > 3:
        raise UnreadError(f"{key} of more than three numbers")
    while found and not found[-1]:
        found.pop()
    return found


def pull(k: Sequence[float], x: float) -> float:
    """Return a spring's force at x: against k₁ x + k₂ x² + k₃ x³."""
    return -sum(c * x ** (n + 1) for n, c in enumerate(k))


def drag(d: Sequence[float], v: float) -> float:
    """Return a damper's force at v: against d₁ v + d₂ v|v| + d₃ v³."""
    return -sum(c * x for c, x in zip(d, (v, v * abs(v), v**3), strict=False))


class SecondMjcfTendons:
    """The tendons of a document by name."""

    def __init__(self, mujoco: Tag, bodies: SecondMjcfBodies, words: SecondMjcfWords) -> None:
        self.bodies, self.words = bodies, words
        self.of: dict[str, SecondMjcfTendon] = {}
        for child in (c for section in mujoco.all("tendon") for c in section.inner):
            if child.name in ("fixed", "spatial"):
                name = child.own.get("name") or f"tendon{len(self.of)}"
                self.of[name] = self._tendon(child)

    def _tendon(self, child: Tag) -> SecondMjcfTendon:
        tag = self.words.whole(child, MAIN, "tendon")
        if child.name == "fixed":
            along: dict[str, float] = {}
            for joint in child.all("joint"):
                name = joint.own["joint"]
                if not self.bodies.joints[name].single:
                    raise UnreadError("a tendon over a joint of several coordinates")
                along[name] = along.get(name, 0.0) + joint.number("coef", "1")
            return SecondMjcfTendon(tag, along)
        ways = [way for way in child.inner if way.name in ("site", "geom", "pulley")]
        if len(ways) == 2 and all(way.name == "site" for way in ways):
            return SecondMjcfTendon(tag, {}, tuple(self.place(way.own["site"]) for way in ways))
        return SecondMjcfTendon(tag, {})

    def place(self, site: str) -> SecondPlace:
        """Return the point of a site on the body that has it."""
        body, steps = self.bodies.site(site)
        return SecondPlace(body.full_name, triple(matrix(steps)[:3, 3]))

    def locate(self, place: SecondPlace) -> Array:
        """Return the position (3,) in the world, in the file's pose, of a point of a body."""
        body = next(b for b in (self.bodies.world, *self.bodies.all) if b.full_name == place.body)
        return (body.pose @ [*place.point, 1.0])[:3]

    def _laws(self, tag: Tag) -> tuple[list[float], list[float], list[float]]:
        k = [] if self.words.is_off("passive", "spring") else law(tag, "stiffness")
        d = [] if self.words.is_off("passive", "damper") else law(tag, "damping")
        return k, d, numbers(tag.own.get("springlength", ""))

    def efforts(self, at: At) -> dict[str, float]:
        """Return forces of fixed tendons by coordinate; a spring has no force between its two given rest lengths."""
        found: dict[str, float] = {}
        rest_at = {name: joint.spring for name, joint in self.bodies.joints.items()}
        for tendon in self.of.values():
            k, d, rest = self._laws(tendon.tag)
            if not tendon.along:
                continue
            if not rest or (len(rest) == 1 and rest[0] < 0):
                rest = [tendon.length(rest_at)]
            low, high, length = rest[0], rest[-1], tendon.length(at.q)
            x = length - low if length < low else max(length - high, 0.0) if high != low else length - low
            force = pull(k, x) + drag(d, tendon.length(at.v))
            for q, c in tendon.along.items():
                found[q] = found.get(q, 0.0) + c * force
        return found

    def springs(self) -> list[Spring]:
        """Return the springs of straight tendons with a linear stiffness or damping.

        The default rest length is that in the file's pose; a tendon whose rest length is from another pose is left out.
        """
        found = []
        for name, tendon in self.of.items():
            k, d, rest = self._laws(tendon.tag)
            if not tendon.ends or not (k or d) or len(k) > 1 or len(d) > 1 or len(rest) > 1:
                continue
            if tendon.tag.number("armature", "0"):
                continue
            if not rest or rest[0] < 0:
                if any(j.single and j.spring != j.ref for j in self.bodies.joints.values()):
                    continue
                first, second = map(self.locate, tendon.ends)
                rest = [float(np.linalg.norm(second - first))]
            found.append(Spring(name, tendon.ends[0], tendon.ends[1], _straight(k, d, rest[0])))
        return found

    def armatures(self) -> list[tuple[float, dict[str, float]]]:
        """Return pairs of a fixed tendon's armature (inertia) and the coefficients of its coordinates."""
        told = [(t.tag.number("armature", "0"), dict(t.along)) for t in self.of.values() if t.along]
        return [(a, along) for a, along in told if a]


def _straight(k: list[float], d: list[float], rest: float) -> Callable[[float, float], float]:
    """Return the force of a spring and damper as a function of length and rate."""
    return lambda length, rate: pull(k, length - rest) + drag(d, rate)


class Resistance:
    """Effective inertia of the machine at rest in the file's pose along a direction J: 1 / (J M⁻¹ Jᵀ)."""

    def __init__(
        self, mujoco: Tag, bodies: SecondMjcfBodies, masses: Mapping[str, SecondLump], tendons: SecondMjcfTendons
    ) -> None:
        self.bodies, self.masses = bodies, dict(masses)
        self.rotors = tendons.armatures()
        #: Whether an armature is along no coordinate, so that M is not known.
        self.open = any(t.tag.number("armature", "0") and not t.along for t in tendons.of.values())
        for tag in (t for section in mujoco.all("actuator") for t in section.inner if t.name in ACTUATORS):
            whole = whole_actuator(tag, tendons.words)
            along = find_actuated(tag, bodies, tendons)
            self.open = self.open or bool(whole.number("armature", "0") and not along)
            if whole.number("armature", "0") and along:
                gear = numbers(whole.own.get("gear", "1"))[0]
                self.rotors.append((whole.number("armature", "0"), {q: gear * c for q, c in along.items()}))

    @cached_property
    def matrix(self) -> tuple[list[str], Array]:
        """Names of the coordinates, and the mass matrix M in the file's pose, from spatial inertias and screws."""
        names = [name for joint in self.bodies.joints.values() for name in joint.names]
        screws = {name: s for b in self.bodies.all for j in b.joints for name, s in _screws(b, j)}
        M = np.zeros((len(names), len(names)))
        for body in self.bodies.all:
            S, at = np.zeros((6, len(names))), body
            while at.parent is not None:
                for name in (n for joint in at.joints for n in joint.names):
                    S[:, names.index(name)] = screws[name]
                at = at.parent
            M += S.T @ _spatial(self.masses[body.name].transform(body.pose)) @ S
        for joint in self.bodies.joints.values():
            for name in joint.names:
                M[names.index(name), names.index(name)] += joint.tag.number("armature", "0")
        for inertia, along in self.rotors:
            c = np.array([along.get(name, 0.0) for name in names])
            M += inertia * c[:, None] * c[None, :]
        return names, M

    def against(self, moments: Mapping[str, float]) -> float:
        """Return the effective inertia 1 / (J M⁻¹ Jᵀ); ``moments`` has the entries of J by coordinate."""
        names, M = self.matrix
        if len(names) > 1000:
            raise UnreadError("M of more than 1,000 coordinates")
        J = np.array([moments.get(name, 0.0) for name in names])
        return 1 / float(J @ np.linalg.inv(M) @ J)


def _screws(body: SecondMjcfBody, joint: SecondMjcfJoint) -> Iterator[tuple[str, Array]]:
    """Yield each coordinate's name and screw (6,): angular velocity, velocity at the world's origin, for rate 1."""
    T = body.pose @ matrix(joint.within)
    point = (T @ [*joint.tag.row("pos", "0 0 0"), 1.0])[:3]
    axis = T[:3, :3] @ (unit(joint.tag.row("axis", "0 0 1")) if joint.single else X)
    kinds: list[tuple[bool, Array]] = [(joint.kind != "slide", axis)]
    if not joint.single:
        turns = [(True, np.array(a)) for a in (Z, Y, X)]
        kinds = [*((False, np.array(a)) for a in (X, Y, Z)), *turns] if joint.kind == "free" else turns
        point = body.pose[:3, 3] if joint.kind == "free" else point
    for name, (turns_about, a) in zip(joint.names, kinds, strict=True):
        yield name, np.concatenate([a, np.cross(point, a)] if turns_about else [np.zeros(3), a])


def _spatial(own: SecondLump) -> Array:
    """Return the spatial inertia (6, 6) of a lump about the origin of its frame."""
    x, y, z = own.centre
    C = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[own.tensor - own.mass * C @ C, own.mass * C], [-own.mass * C, own.mass * np.eye(3)]])


def tune(joint: SecondMjcfJoint, resistance: Resistance) -> tuple[list[float], list[float]] | None:
    """Return stiffness and damping from a joint's time constant and damping ratio; None if it has no valid ones."""
    said = numbers(joint.tag.own.get("springdamper", ""))
    if not joint.single or len(said) != 2 or min(said) <= 0 or resistance.open:
        return None
    m = resistance.against({joint.name: 1.0})
    return [m / (said[0] * said[1]) ** 2], [2 * m / said[0]]


def read_joint_forces(
    joint: SecondMjcfJoint, words: SecondMjcfWords, at: At, resistance: Resistance
) -> dict[str, float]:
    """Return efforts of a joint's springs and dampers by coordinate; ``springdamper`` replaces the other constants."""
    tag, found = joint.tag, dict.fromkeys(joint.names, 0.0)
    k, d = law(tag, "stiffness"), law(tag, "damping")
    if any(numbers(tag.own.get("springdamper", ""))):
        tuned = tune(joint, resistance)
        if tuned is None:
            return {}
        k, d = tuned
    k = [] if words.is_off("passive", "spring") else k
    d = [] if words.is_off("passive", "damper") else d
    if joint.single:
        q, v = at.q[joint.name], at.v[joint.name]
        return {joint.name: pull(k, q - joint.spring) + drag(d, v)}
    if len(d) == 1:
        W = _spin(joint, at)
        rates = np.array([at.v[name] for name in joint.names])
        found = dict(zip(joint.names, (float(x) for x in -d[0] * W.T @ W @ rates), strict=True))
    return found


def _spin(joint: SecondMjcfJoint, at: At) -> Array:
    """Return the matrix from coordinate rates to the velocity and angular velocity of a free joint, or ball's latter.

    The columns of the turns rz, ry, rx are their axes in the body's frame, after the turns that follow.
    """
    _, y, x = (at.q[name] for name in joint.names[-3:])
    Ry, Rx = (matrix(turn(a, angle))[:3, :3] for a, angle in ((Y, y), (X, x)))
    turns = np.column_stack([(Ry @ Rx).T @ Z, Rx.T @ Y, X])
    shifts = len(joint.names) - 3
    found = np.eye(len(joint.names))
    found[shifts:, shifts:] = turns
    return found


def armatures(bodies: SecondMjcfBodies, masses: dict[str, SecondLump]) -> list[tuple[float, dict[str, float]]]:
    """Return pairs of armature and coefficients by coordinate; turns of bodies on the world change ``masses``."""
    found = []
    for body in bodies.all:
        for joint in body.joints:
            a = joint.tag.number("armature", "0")
            if not a:
                continue
            if joint.single:
                found.append((a, {joint.name: 1.0}))
            elif body.parent is not None and not body.parent.moves and len(body.joints) == 1:
                found += [(a, {name: 1.0}) for name in joint.names[:-3]]
                own = masses[body.name]
                masses[body.name] = replace(own, tensor=own.tensor + a * np.eye(3))
    return found


def held_up(body: SecondMjcfBody, own: SecondLump, words: SecondMjcfWords) -> list[SecondLoad]:
    """Return the force of gravity compensation at a moving body's mass centre: ``gravcomp`` · weight, upwards."""
    part = body.tag.number("gravcomp", "0")
    if not part or not own.mass or not body.moves or words.is_off("passive"):
        return []
    if (words.is_off("spring") and words.is_off("damper")) or words.is_off("gravity"):
        return []
    at, said = body, list[bool]()
    while at.parent is not None:
        said += [joint.tag.own.get("actuatorgravcomp") == "true" for joint in at.joints]
        at = at.parent
    if any(said) and (words.is_off("actuation") or not any(s.inner for s in words.root.all("actuator"))):
        if not all(said):
            raise UnreadError("weights that actuators would hold up in part")
        return []
    x, y, z = (-part * own.mass * g for g in words.gravity)
    return [SecondLoad(SecondPlace(body.name, triple(own.centre)), (x, y, z))]


def _force_ends(tag: Tag, moved: bool) -> tuple[float, float]:
    """Return bounds of an actuator's force; infinite if it has none, or they never act at zero control."""
    ends = numbers(tag.own.get("forcerange", "")) if tag.own.get("forcelimited") != "false" else []
    return (ends[0], ends[1]) if ends and (moved or not ends[0] <= 0 <= ends[1]) else (-math.inf, math.inf)


class Actuators:
    """Actuators: gear · f along coordinates, f = (g₀ + g₁ l + g₂ l') ctrl + b₀ + b₁ l + b₂ l', l = gear · length."""

    def __init__(
        self, mujoco: Tag, resistance: Resistance, tendons: SecondMjcfTendons, words: SecondMjcfWords, at: At
    ) -> None:
        self.bodies, self.tendons, self.words, self.at = resistance.bodies, tendons, words, at
        self.resistance = resistance
        self.efforts: dict[str, float] = {}
        self.loads: list[SecondLoad] = []
        self.controls: list[str] = []
        self.beside: list[str] = []
        self.armatures: list[tuple[float, dict[str, float]]] = []
        tags = [t for section in mujoco.all("actuator") for t in section.inner if t.name in ACTUATORS]
        for number, tag in enumerate(tags):
            self._actuator(tag, tag.own.get("name") or f"actuator{number}")

    def _actuator(self, tag: Tag, name: str) -> None:
        said = [*self.words.defaults(tag.own.get("class", MAIN), ACTUATORS), tag]
        whole = whole_actuator(tag, self.words)
        silent = self.words.is_off("actuation") or whole.own.get("group", "0") in self.words.option.own.get(
            "actuatorgroupdisable", ""
        ).split()  # fmt: skip
        drag = [] if self.words.is_off("passive", "damper") else numbers(whole.own.get("damping", ""))
        if silent and not any(drag) and "armature" not in whole.own:
            return
        along, constants = find_actuated(tag, self.bodies, self.tendons), _constants(said)
        if constants and along is None and not any(drag) and self._push(name, whole, *constants):
            return
        if along is None or constants is None or any(drag[1:]):
            self.beside.append(f"actuator/{name}")
            return
        (g0, g1, g2), (b0, b1, b2) = constants
        gear = numbers(whole.own.get("gear", "1"))[0]
        ratio = b2 > 0 and b1 == -g0 and not (g1 or g2)
        if ratio and self.resistance.open:
            self.beside.append(f"actuator/{name}")
            return
        if ratio:  # as the compiler takes it
            b2 = -2 * b2 * math.sqrt(g0 * self.resistance.against({q: gear * c for q, c in along.items()}))
        length, speed = (gear * sum(c * x[q] for q, c in along.items()) for x in (self.at.q, self.at.v))
        force = -sum(drag[:1]) * speed
        if not silent:
            self.controls.append(f"{name}_ctrl")
            control = self.at.set.get(self.controls[-1], 0.0)
            acting = (g0 + g1 * length + g2 * speed) * control + b0 + b1 * length + b2 * speed
            low, high = _force_ends(whole, any((b0, b1, b2)))
            force += min(high, max(low, acting))
        for q, c in along.items():
            self.efforts[q] = self.efforts.get(q, 0.0) + c * gear * force
        if whole.number("armature", "0") and gear:
            self.armatures.append((whole.number("armature", "0"), {q: c * gear for q, c in along.items()}))

    def _push(self, name: str, tag: Tag, g: list[float], b: list[float]) -> bool:
        """Add loads gear · (g₀ ctrl + b₀ + (g₂ ctrl + b₂) l') in axes of a site, l' = gear · twist; False if none.

        With a refsite, axes, place and twist are relative to the refsite, l = gear · place, and -force acts on the
        refsite's body at the same point. False means that the actuator is of another kind, and nothing was added.
        """
        gear = np.array([*numbers(tag.own.get("gear", "1")), *[0.0] * 5][:6])
        ratio = b[2] > 0 and b[1] == -g[0] and not any(g[1:])
        others = {"joint", "jointinparent", "tendon", "body", "slidersite", "armature"} & tag.own.keys()
        if "site" not in tag.own or others or ((g[2] or b[2]) and ratio):
            return False
        if "refsite" in tag.own:
            return self._push_apart(name, (tag.own["refsite"], tag.own["site"]), gear, g, b)
        if (g[2] or b[2]) and any(gear[:3]):
            return False
        body, within = self.bodies.site(tag.own["site"])
        pose, own = self._follow(body, within), matrix(within)
        spin = pose.T[:3, :3].T @ pose.rate[:3, :3]
        speed = float(gear[3:] @ [spin[2, 1], spin[0, 2], spin[1, 0]])
        self.controls.append(f"{name}_ctrl")
        control = self.at.set.get(self.controls[-1], 0.0)
        force = (g[0] + g[2] * speed) * control + b[0] + b[2] * speed
        place = SecondPlace(body.full_name, triple(own[:3, 3]))
        world, turned = pose.T[:3, :3] @ gear[:3] * force, own[:3, :3] @ gear[3:] * force
        self.loads += [SecondLoad(place, triple(world), triple(turned))] * body.moves
        return True

    def _follow(self, body: SecondMjcfBody, within: Steps) -> SecondPose:
        """Return the pose with rates of a frame, to which the steps ``within`` lead from a body's frame."""
        steps, at = within, body
        while at.parent is not None:
            steps, at = (*at.steps, *(step for joint in at.joints for step in joint.way()), *steps), at.parent
        return follow(steps, lambda q: (self.at.q[q], self.at.v[q], 0.0))

    def _push_apart(self, name: str, sites: tuple[str, str], gear: Array, g: list[float], b: list[float]) -> bool:
        (base, _), (body, _) = own = [self.bodies.site(site) for site in sites]
        above = [body]
        while above[-1].parent is not None:
            above.append(above[-1].parent)
        if (any(gear[:3]) and base not in above) or (any(gear[3:]) and (g[1] or b[1])):
            return False
        ref, pose = (self._follow(*one) for one in own)
        seen = np.linalg.inv(ref.T)
        apart = seen @ pose.T
        change = seen @ (pose.rate - ref.rate @ apart)
        spin = change[:3, :3] @ apart[:3, :3].T
        length = float(gear[:3] @ apart[:3, 3])
        speed = float(gear @ [*change[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
        self.controls.append(f"{name}_ctrl")
        control = self.at.set.get(self.controls[-1], 0.0)
        force = (g[0] + g[1] * length + g[2] * speed) * control + b[0] + b[1] * length + b[2] * speed
        push, turn = (ref.T[:3, :3] @ part * force for part in (gear[:3], gear[3:]))
        for sign, on in ((1.0, body), (-1.0, base)):
            frame = self._follow(on, ()).T
            place = SecondPlace(on.full_name, triple((np.linalg.inv(frame) @ pose.T)[:3, 3]))
            load = SecondLoad(place, triple(sign * push), triple(sign * (frame[:3, :3].T @ turn)))
            self.loads += [load] * on.moves
        return True


def find_actuated(tag: Tag, bodies: SecondMjcfBodies, tendons: SecondMjcfTendons) -> dict[str, float] | None:
    """Return coefficients by coordinate of an actuator; None if it acts on several or other things than coordinates."""
    if sum(key in tag.own for key in ("joint", "jointinparent", "tendon", "site", "body", "slidersite")) > 1:
        return None
    for key in ("joint", "jointinparent"):
        if key in tag.own:
            joint = bodies.joints[tag.own[key]]
            return {joint.name: 1.0} if joint.single else None
    return dict(tendons.of[tag.own["tendon"]].along) or None if "tendon" in tag.own else None


def whole_actuator(tag: Tag, words: SecondMjcfWords) -> Tag:
    """Return an actuator's element with missing attributes filled from its class."""
    said = [*words.defaults(tag.own.get("class", MAIN), ACTUATORS), tag]
    return Tag(tag.name, {key: value for one in said for key, value in one.own.items()})


def _three(text: str) -> list[float]:
    return [*numbers(text), 0.0, 0.0, 0.0][:3]


def _constants(said: list[Tag]) -> tuple[list[float], list[float]] | None:
    """Return the constants g and b of an actuator from its defaults and element; None if its force has another form."""
    gain, bias, states, g, b = "fixed", "none", "none", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    strange = False
    for tag in said:
        own = tag.own
        if tag.name == "general":
            gain, bias = own.get("gaintype", gain), own.get("biastype", bias)
            states = own.get("dyntype", states)
            g = _three(own["gainprm"]) if "gainprm" in own else g
            b = _three(own["biasprm"]) if "biasprm" in own else b
            continue
        states, strange = "none", False
        if tag.name == "motor":
            gain, bias, g, b = "fixed", "none", [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        elif tag.name == "position":
            kp = tag.number("kp", "1") if "kp" in own else g[0]
            kv = tag.number("kv", "0") if "kv" in own else -b[2]
            gain, bias, g, b = "fixed", "affine", [kp, 0.0, 0.0], [b[0], -kp, -kv]
            b[2] = tag.number("dampratio", "0") if "dampratio" in own else b[2]
            strange = float(own.get("timeconst", "0")) != 0
        elif tag.name == "velocity":
            kv = tag.number("kv", "1") if "kv" in own else g[0]
            gain, bias, g, b = "fixed", "affine", [kv, 0.0, 0.0], [0.0, 0.0, -kv]
        elif tag.name == "damper":
            gain, bias, g, b = "affine", "none", [0.0, 0.0, -tag.number("kv", "1")], [0.0, 0.0, 0.0]
        else:
            strange = True
    if strange or states != "none" or {gain, bias} - {"fixed", "affine", "none"}:
        return None
    return g if gain == "affine" else [g[0], 0.0, 0.0], b if bias == "affine" else [0.0, 0.0, 0.0]


def list_beside(bodies: SecondMjcfBodies, words: SecondMjcfWords, resistance: Resistance) -> Iterator[str]:
    """Yield places ``kind/name`` of effects that are left out: dry friction, fluids, springs and rotors of balls."""
    if any(words.option.number(key, "0") for key in ("density", "viscosity")):
        yield "medium/option"
    for body in bodies.all:
        for joint in body.joints:
            for kind in _list_kinds(joint, body, words, resistance.open):
                yield f"{kind}/{joint.name}"


def _list_kinds(joint: SecondMjcfJoint, body: SecondMjcfBody, words: SecondMjcfWords, unknown: bool) -> Iterator[str]:
    tag = joint.tag
    if any(numbers(tag.own.get("frictionloss", ""))):
        yield "joint-friction"
    said = numbers(tag.own.get("springdamper", ""))
    timed = any(said)
    if timed and (unknown or not (joint.single and len(said) == 2 and min(said) > 0)):
        yield "joint-spring"
    if joint.single:
        return
    if not timed and law(tag, "stiffness") and not words.is_off("passive", "spring"):
        yield "joint-spring"
    if not timed and len(law(tag, "damping")) > 1 and not words.is_off("passive", "damper"):
        yield "joint-damping"
    first = body.parent is not None and not body.parent.moves and len(body.joints) == 1
    if tag.number("armature", "0") and not first:
        yield "rotor"
