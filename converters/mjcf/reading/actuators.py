"""Actuators as drives: gain · ctrl + bias, a parameter for every control, zero by default.

Along a joint or a fixed tendon the force is gear · f with f = g₀ ctrl + b₀ + b₁ l + b₂ l' and l = gear · length. At a
site it is the wrench gear · f in the site's axes, with l = 0 and l' = gear · (velocity, angular velocity) of the site.
With a refsite it is in the axes of that, l = gear · (place of the site), and joints that carry both feel nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import decimals, real
from mbconcord.converters.joints import ACTIVATIONS, CONTROL, describe_states
from mbconcord.converters.shapes import ReferenceInertia
from mbconcord.converters.xml_text import XmlElement, summarize_element
from mbconcord.model import Armature, Bushing, Frame, Omission, Parameter
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import ONE, ZERO, Expression, apply, rate, symbol
from mbconcord.model.force import Force, six, six_rows
from mbconcord.model.naming import Namer
from mbconcord.model.omission import Effect
from mbconcord.records import dataclass, field

from ..vocabulary import ARMATURE
from .poses import Poses
from .settings import ACTUATORS, MAIN, Classes, MjcfSettings, integers, scalar, some
from .tendons import MjcfTendons
from .tree import MjcfTree

Three = tuple[Expression, Expression, Expression]
NONE: Three = (ZERO, ZERO, ZERO)


@dataclass
class MjcfLaw:
    """Law of an actuator: kinds and constants (``constant``: that of its states), and in ``strange`` the reason why no
    model can hold it, else empty.
    """

    gain_kind: str = "fixed"
    bias_kind: str = "none"
    states: str = "none"
    gains: Three = (ONE, ZERO, ZERO)
    biases: Three = NONE
    strange: str = ""
    constant: Expression = ONE

    @property
    def beyond(self) -> str:
        """Reason why the law is not a function of control, length and speed; empty if it is."""
        if self.states != "none":
            return f"it has states ({self.states})"
        for what, kind in (("gain", self.gain_kind), ("bias", self.bias_kind)):
            if kind not in ("fixed", "affine", "none"):
                return f"its {what} is of the kind {kind!r}"
        return self.strange

    @property
    def gain(self) -> Three:
        """Coefficients (g₀, g₁, g₂) of the gain g₀ + g₁ l + g₂ l'."""
        return self.gains if self.gain_kind == "affine" else (self.gains[0], ZERO, ZERO)

    @property
    def bias(self) -> Three:
        """Coefficients (b₀, b₁, b₂) of the bias b₀ + b₁ l + b₂ l'."""
        return self.biases if self.bias_kind == "affine" else NONE


@dataclass
class Drives:
    """Efforts by coordinate, wrenches at sites, parameters of controls, armatures, omitted elements with the reason,
    and limits of forces and controls.
    """

    efforts: dict[str, Expression] = field(default_factory=dict)
    forces: list[Force] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    armatures: list[Armature] = field(default_factory=list)
    unheld: list[tuple[str, XmlElement, str]] = field(default_factory=list)
    saturated: list[Omission] = field(default_factory=list)


class ActuatorReader:
    """Reader of the actuators of a document; ``taken`` are names that parameters of controls cannot have."""

    def __init__(
        self,
        tree: MjcfTree,
        tendons: MjcfTendons,
        classes: Classes,
        taken: Namer,
        compiled: ReferenceInertia,
        settings: MjcfSettings,
        poses: Poses,
        findings: Findings,
    ) -> None:
        self.tree, self.poses = tree, poses
        self.joints = {joint.name: joint for _, joint in tree.joints}
        self.tendons, self.classes, self.taken = tendons, classes, taken
        self.compiled, self.settings, self.findings = compiled, settings, findings
        self.made = Drives()
        self.names: set[str] = set()
        self.forces = Namer(())

    def read(self, root: XmlElement) -> Drives:
        """Read all actuators of a document as drives."""
        made = [c for section in root.all("actuator") for c in section.children if c.tag in ACTUATORS]
        for child in made:
            element = self._resolve_defaults(child)
            inertia = scalar(element, "armature", "0", self.findings)
            if inertia:
                self.compiled.add(real(inertia), self._moment(element, self._find_coordinates(child) or {}))
        for number, child in enumerate(made):
            name = child.attributes.get("name") or f"actuator{number}"
            if name in self.names:
                self.findings.refuse(child.at, f"the actuator {name!r} stands twice", "rename one")
            self.names.add(name)
            self._actuator(name, child)
        return self.made

    def _actuator(self, name: str, child: XmlElement) -> None:
        element = self._resolve_defaults(child)
        law = self._law(child)
        along = self._find_coordinates(child)
        if along is not None:
            self._tune(law, self._moment(element, along))
        if scalar(element, "delay", "0", self.findings):
            law.strange = "its control comes late"
        damping = some(element, "damping", 3, self.findings) or [ZERO]
        off = "actuation" in self.settings.without or self._is_switched_off(element)
        damped, turned = any(damping) and "damper" not in self.settings.without, "armature" in element.attributes
        if off and not damped and not turned:
            return
        if damped and any(damping[1:]):
            law.strange = "its damping is not linear"
        site = element.attributes.get("site")
        if site is not None and along is None and self._push(name, child, element, law, site):
            return
        if along is None or law.beyond:
            reason = law.beyond or "it acts on what is no joint of one coordinate and no fixed tendon"
            states = "" if damped or turned else self._describe_states(law, element, along or {})
            self.made.unheld.append((name, child, states or f"{summarize_element(child)}: {reason}"))
            return
        gears = some(element, "gear", 6, self.findings) or [ONE]
        gear = gears[0]
        length = sum((c * symbol(n) for n, c in along.items()), ZERO) * gear
        speed = sum((c * rate(n) for n, c in along.items()), ZERO) * gear
        force = -(damping[0] * speed) if damped else ZERO
        if not off:
            parameter = self.taken.fresh(name + CONTROL)
            self.made.parameters.append(Parameter(parameter, ZERO, "input"))
            self.findings.locations[f"parameters/{parameter}"] = child.at
            (g0, g1, g2), (b0, b1, b2) = law.gain, law.bias
            acting = (g0 + g1 * length + g2 * speed) * symbol(parameter) + b0 + b1 * length + b2 * speed
            ends = self._find_ends(element, "forcerange", any(law.bias))
            self._note_limits(name, element, along, parameter, any(law.bias), ends is not None)
            force = force + (apply("clip", acting, *ends) if ends else acting)
        for joint, c in along.items():
            if c and gear and force is not ZERO:
                push = c * gear * force
                self.made.efforts[joint] = self.made.efforts[joint] + push if joint in self.made.efforts else push
                self.findings.locations[f"coordinates/{joint}/drive"] = child.at
        inertia = scalar(element, "armature", "0", self.findings)
        coefficients = {n: c * gear for n, c in along.items() if c and gear}
        if inertia and coefficients:
            made = Armature(f"{name}{ARMATURE}", inertia, coefficients)
            self.findings.locations[f"armatures/{made.name}"] = child.at
            self.made.armatures.append(made)

    def _describe_states(self, law: MjcfLaw, element: XmlElement, along: Mapping[str, Expression]) -> str:
        """Return the law of an actuator with states as stages have it; empty if it is no such law."""
        linear = law.states in ACTIVATIONS and not {law.gain_kind, law.bias_kind} - {"fixed", "affine", "none"}
        if law.strange or not (linear and along) or {"inheritrange", "actdim"} & element.attributes.keys():
            return ""
        limits = ("actrange", "ctrlrange", "forcerange")
        limited = [key for key in limits if element.attributes.get(key.replace("range", "limited"), "auto") != "false"]
        ranges = {key: made for key in limited if (made := some(element, key, 2, self.findings))}
        gear = (some(element, "gear", 6, self.findings) or [ONE])[0]
        early = element.attributes.get("actearly", "false") == "true"
        return describe_states(law.states, [law.constant], gear, law.gain, law.bias, along, ranges, early)

    def _push(self, name: str, child: XmlElement, element: XmlElement, law: MjcfLaw, site: str) -> bool:
        """Add the wrench F at a site; return False, with the reason in the law, if the model cannot hold it.

        It becomes a bushing to the fixed frame. Seen from the site, the fixed origin is at x; there the bushing exerts
        -F on its second frame and F on the body; the stiffness F × x moves F to the site. With a refsite that carries
        the site, the bushing lies between the two sites: joints that carry both feel nothing.
        """
        gear = [*(some(element, "gear", 6, self.findings) or [ONE]), *[ZERO] * 5][:6]
        against = element.attributes.get("refsite")
        (g0, _, g2), (b0, _, b2) = law.gain, law.bias
        follows = bool(g2 or b2)
        if law.beyond or len({*TRANSMISSIONS} & element.attributes.keys()) > 1:
            return False
        if any(some(element, "damping", 3, self.findings) or ()) or "armature" in element.attributes:
            law.strange = "its damping and armature, which MuJoCo refuses at a site"
        elif follows and ((any(gear[:3]) and against is None) or self._is_damped_by_ratio(law)):
            law.strange = "its force follows the speed of a site"
        elif unknown := [name for name in (site, against) if name is not None and name not in self.tree.sites]:
            self.findings.refuse(element.at, f"there is no site {unknown[0]!r}", among(unknown[0], self.tree.sites))
            return True
        elif against is not None and not self._carries(against, site) and any(gear[:3]):
            law.strange = "its refsite: that does not carry the site"
        elif against is not None and any(gear[3:]) and (law.gain[1] or law.bias[1]):
            law.strange = "its force follows the turn of a site against its refsite"
        if law.strange:
            return False
        parameter = self.taken.fresh(name + CONTROL)
        self.made.parameters.append(Parameter(parameter, ZERO, "input"))
        self.findings.locations[f"parameters/{parameter}"] = child.at
        self._note_limits(name, element, {}, parameter, any(law.bias))
        link, _ = self.tree.sites[site]
        control = symbol(parameter)
        force, drag = g0 * control + b0, g2 * control + b2
        if against is not None:
            self._push_apart(name, child, gear, (force, law.gain[1] * control + law.bias[1], drag), (against, site))
            return True
        x, y, z = (gear[i] * force for i in range(3))
        rows = [[ZERO] * 6 for _ in range(6)]
        rows[3][1:3], rows[4][0], rows[4][2], rows[5][:2] = [-z, y], z, -x, [-y, x]
        slow = [[-(drag * a * b) if min(i, j) > 2 else ZERO for j, b in enumerate(gear)] for i, a in enumerate(gear)]
        if link.moves:
            gone = [-(g * force) for g in gear]
            made = Bushing(
                self.forces.fresh(name), self._frame(site), Frame(None), six_rows(rows), six_rows(slow), six(gone)
            )
            self.findings.locations[f"forces/{made.name}"] = child.at
            self.made.forces.append(made)
        return True

    def _push_apart(
        self, name: str, child: XmlElement, gear: list[Expression], law: Three, sites: tuple[str, str]
    ) -> None:
        """Add gear · (f + k l + d l') between a refsite and a site; l = gear · the site's position in refsite axes."""
        force, per_length, per_speed = law
        if any(self.tree.sites[site][0].moves for site in sites):
            stiffness, damping = ([[-(x * a * b) for b in gear] for a in gear] for x in (per_length, per_speed))
            first, second = map(self._frame, sites)
            made = Bushing(
                self.forces.fresh(name), first, second, six_rows(stiffness), six_rows(damping),
                six(g * force for g in gear),
            )  # fmt: skip
            self.findings.locations[f"forces/{made.name}"] = child.at
            self.made.forces.append(made)

    def _frame(self, site: str) -> Frame:
        link, part = self.tree.sites[site]
        return Frame(None if link.is_world else link.name, (*part.within, *self.poses.steps(part.element)))

    def _carries(self, one: str, other: str) -> bool:
        """Return True if the body of the site ``one`` is or carries the body of the site ``other``."""
        carrier, link = self.tree.sites[one][0], self.tree.sites[other][0]
        while link is not carrier and link.parent is not None:
            link = link.parent
        return link is carrier

    @staticmethod
    def _is_damped_by_ratio(law: MjcfLaw) -> bool:
        return law.bias_kind == "affine" and law.biases[2].value > 0 and law.gains[0] is -law.biases[1]

    def _moment(self, element: XmlElement, along: Mapping[str, Expression]) -> dict[str, float]:
        """Return the moment arms of an actuator by joint: gear times the coefficient."""
        gear = (some(element, "gear", 6, self.findings) or [ONE])[0]
        return {name: real(c * gear) for name, c in along.items()}

    def _tune(self, law: MjcfLaw, moment: Mapping[str, float]) -> None:
        """Replace a damping ratio ζ by the damping 2 ζ √(kp m); MuJoCo reads b₂ > 0 as ζ if b₁ = -g₀ = -kp."""
        kp, ratio = law.gains[0], law.biases[2]
        if law.beyond or not self._is_damped_by_ratio(law):
            return
        mass = self.compiled.along(moment)
        if mass is None:
            law.strange = f"its damping ratio: {self.compiled.unknown or 'nothing moves against it'}"
        else:
            (damping,) = decimals([2 * real(ratio) * (real(kp) * mass) ** 0.5])
            law.biases = (law.biases[0], law.biases[1], -damping)

    def _is_switched_off(self, element: XmlElement) -> bool:
        """Return True if an option of the document disables the actuator's group."""
        (group,) = integers(element, "group", "0", self.findings)
        return group in self.settings.groups_off

    def _find_ends(self, element: XmlElement, key: str, moved: bool) -> tuple[Expression, Expression] | None:
        """Return the ends of a limit that acts even at zero control; None if there is no such limit."""
        if element.attributes.get(LIMITED[key], "auto") == "false" or key not in element.attributes:
            return None
        if not moved and not _excludes_zero(element.attributes[key]):
            return None
        ends = some(element, key, 2, self.findings) or ()
        return (ends[0], ends[1]) if len(ends) == 2 and ends[0].value < ends[1].value else None

    def _note_limits(
        self, name: str, element: XmlElement, along: Mapping[str, Expression], control: str, moved: bool,
        limited: bool = False,
    ) -> None:  # fmt: skip
        """Record limits of the force, unless it is ``limited`` here, and of the control as omissions. At zero control
        they act only if the state makes a force (``moved``).
        """
        limits = [(name, element, "ctrlrange", False)]
        if not limited:
            limits.insert(0, (name, element, "forcerange", moved))
        limits += [(joint, self.joints[joint].element, "actuatorfrcrange", moved) for joint in along]
        tendon = self.tendons.found.get(element.attributes.get("tendon", ""))
        if tendon is not None:
            limits.append((tendon.name, tendon.element, "actuatorfrcrange", moved))
        said = element.attributes.get("inheritrange", "0")
        if element.tag == "position" and said.strip("+-0."):
            joint = element.attributes.get("joint", "")
            middle, half = _middle(self.joints[joint].element) if joint in self.joints else (0.0, 0.0)
            least: Effect = "forces" if abs(middle) > half * float(said) else "none"
            what = f'inheritrange="{said}"'
            self.made.saturated.append(Omission(f"saturation/{name}", "saturation", what, least, (control,)))
        for own, part, key, acts in limits:
            flag = part.attributes.get(LIMITED[key], "auto")
            if key in part.attributes and flag != "false":
                what = f'{key}="{part.attributes[key]}"'
                effect: Effect = "forces" if acts or _excludes_zero(part.attributes[key]) else "none"
                self.made.saturated.append(Omission(f"saturation/{own}", "saturation", what, effect, (control,)))

    def _resolve_defaults(self, child: XmlElement) -> XmlElement:
        """Return the actuator with the attributes of its class."""
        merged: dict[str, str] = {}
        for default in self.classes.defaults(self.classes.find_class(child, MAIN), ACTUATORS):
            merged |= default.attributes
        return XmlElement(child.tag, merged | child.attributes, child.at, child.content)

    def _find_coordinates(self, element: XmlElement) -> Mapping[str, Expression] | None:
        """Map an actuator's coordinates to coefficients; None if it acts on anything but one joint or fixed tendon."""
        if len({*TRANSMISSIONS} & element.attributes.keys()) > 1:
            return None
        for key in ("joint", "jointinparent"):
            name = element.attributes.get(key)
            if name is not None:
                if name not in self.joints:
                    self.findings.refuse(element.at, f"there is no joint {name!r}", among(name, self.joints))
                    return None
                return {name: ONE} if self.joints[name].type in ("hinge", "slide") else None
        name = element.attributes.get("tendon")
        if name is not None:
            found = self.tendons.found.get(name)
            if found is None:
                message = f"there is no tendon {name!r}"
                self.findings.refuse(element.at, message, among(name, self.tendons.found))
                return None
            return found.coefficients or None
        return None

    def _law(self, child: XmlElement) -> MjcfLaw:
        """Return the law of an actuator: from the defaults of its class, outermost first, then from its element."""
        law = MjcfLaw()
        for default in self.classes.defaults(self.classes.find_class(child, MAIN), ACTUATORS):
            self._apply_element(law, default)
        self._apply_element(law, child)
        return law

    def _apply_element(self, law: MjcfLaw, element: XmlElement) -> None:
        """Update a law by the attributes of an element, which override earlier values as in MuJoCo."""
        own, tag = element.attributes, element.tag
        if tag == "general":
            self._general(law, element)
            return
        law.states, law.strange = "none", ""
        if "timeconst" in own or tag == "cylinder":
            law.constant = scalar(element, "timeconst", "1", self.findings)
        if tag == "motor":
            law.gain_kind, law.bias_kind, law.gains, law.biases = "fixed", "none", (ONE, ZERO, ZERO), NONE
        elif tag == "position":
            kp = scalar(element, "kp", "1", self.findings) if "kp" in own else law.gains[0]
            kv = -scalar(element, "kv", "0", self.findings) if "kv" in own else law.biases[2]
            law.gain_kind, law.bias_kind = "fixed", "affine"
            law.gains, law.biases = (kp, ZERO, ZERO), (law.biases[0], -kp, kv)
            if "dampratio" in own:
                kv = scalar(element, "dampratio", "0", self.findings)
                law.biases = (law.biases[0], -kp, kv)
            law.states = "filterexact" if own.get("timeconst", "0").strip("+-0.") else "none"
        elif tag == "velocity":
            kv = scalar(element, "kv", "1", self.findings) if "kv" in own else law.gains[0]
            law.gain_kind, law.bias_kind = "fixed", "affine"
            law.gains, law.biases = (kv, ZERO, ZERO), (ZERO, ZERO, -kv)
        elif tag == "damper":
            kv = scalar(element, "kv", "1", self.findings)
            law.gain_kind, law.bias_kind = "affine", "none"
            law.gains, law.biases = (ZERO, ZERO, -kv), NONE
        elif tag == "cylinder":
            area, across = scalar(element, "area", "1", self.findings), own.get("diameter")
            wide = decimals([pi / 4 * float(across) ** 2])[0] if across and float(across) >= 0 else area
            law.gain_kind, law.bias_kind, law.states, law.gains = "fixed", "affine", "filter", (wide, ZERO, ZERO)
            law.biases = _three(some(element, "bias", 3, self.findings) or [])
        else:
            law.strange = f"<{tag}> has states, or forces of its own kind"

    def _general(self, law: MjcfLaw, element: XmlElement) -> None:
        law.gain_kind = element.attributes.get("gaintype", law.gain_kind)
        law.bias_kind = element.attributes.get("biastype", law.bias_kind)
        law.states = element.attributes.get("dyntype", law.states)
        gains = some(element, "gainprm", 10, self.findings)
        biases = some(element, "biasprm", 10, self.findings)
        law.gains = law.gains if gains is None else _three(gains)
        law.biases = law.biases if biases is None else _three(biases)
        law.constant = (some(element, "dynprm", 10, self.findings) or [law.constant])[0]


#: Attributes that name the target of an actuator.
TRANSMISSIONS = ("joint", "jointinparent", "tendon", "site", "body", "slidersite")
#: Attribute of a limit -> attribute that switches it on or off.
LIMITED = {
    "forcerange": "forcelimited", "ctrlrange": "ctrllimited", "actuatorfrcrange": "actuatorfrclimited",
}  # fmt: skip


def _excludes_zero(ends: str) -> bool:
    """Return True if a range excludes zero."""
    try:
        low, high = map(float, ends.split())
    except ValueError:
        return False
    return not low <= 0 <= high


def _middle(joint: XmlElement) -> tuple[float, float]:
    """Return the middle and the half width of a joint's range; zeros if it has no range."""
    try:
        low, high = map(float, joint.attributes["range"].split())
    except (KeyError, ValueError):
        return 0.0, 0.0
    return (low + high) / 2, (high - low) / 2


def _three(values: list[Expression]) -> Three:
    first, second, third = ([*values, ZERO, ZERO, ZERO])[:3]
    return first, second, third
