"""Contents of an MJCF outside of the equations of motion, each an omission of the model, in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import compose_pose, decimals
from mbconcord.converters.xml_attributes import stop_gaps
from mbconcord.converters.xml_text import XmlDocument, XmlElement, summarize_element
from mbconcord.model import Body, Omission
from mbconcord.model.expressions import ONE, Expression, symbol
from mbconcord.model.limits import format_names
from mbconcord.model.omission import MOST_PLANES, Effect, Plane, PlaneGaps
from mbconcord.model.transformation import unit_vector, vector

from ..vocabulary import ATTRIBUTES, BESIDE, READ, ROOT, RUBBING, SECTIONS, SOLVED
from .actuators import Drives
from .bodies import Effects
from .equalities import Equalities
from .masses import MjcfMasses
from .poses import Poses
from .settings import ACTUATORS, MjcfSettings, integers
from .tendons import MjcfTendons
from .tree import MjcfJoint, MjcfLink, MjcfPart, MjcfTree

#: What makes a fluid around bodies.
MEDIUM = ("density", "viscosity", "wind")
_BODY = ("body", "frame", "joint", "freejoint", "geom", "inertial")


def omissions(
    document: XmlDocument,
    tree: MjcfTree,
    masses: MjcfMasses,
    effects: Effects,
    tendons: MjcfTendons,
    drives: Drives,
    equalities: Equalities,
    settings: MjcfSettings,
    bodies: Iterable[Body],
    findings: Findings,
) -> Iterator[Omission]:
    """Yield the omissions; warn about elements that MJCF does not know."""
    root = document.root
    for number, comment in enumerate(document.comments(), 1):
        if said := " ".join(comment.text.split()):
            yield Omission(f"comment/{number}", "comment", said, "none")
    yield from _attributes(root, ROOT, findings)
    if settings.fluid:
        option = {key: x for e in root.all("option") for key, x in e.attributes.items() if key in MEDIUM}
        fluid = (f'{key}="{option[key]}"' for key in MEDIUM if option.get(key, "").strip("+-0. "))
        yield Omission("medium/option", "medium", f"<option {' '.join(fluid)}/>", "forces")
    for section in root.children:
        name = section.attributes.get("name") or section.attributes.get("class") or section.tag
        if section.tag in SECTIONS:
            kind, effect = SECTIONS[section.tag]
            for child in section.children:
                own = child.attributes.get("name") or child.attributes.get("file") or child.tag
                yield Omission(f"{kind}/{own}", kind, summarize_element(child), effect)
            if not any(True for _ in section.children):
                yield Omission(f"{kind}/{section.tag}", kind, summarize_element(section), effect)
        elif section.tag not in READ:
            yield _unknown(section, ROOT, name, findings)
        elif section.tag in ("compiler", "option"):
            yield from _attributes(section, section.tag, findings)
        elif section.tag == "contact":
            for child in section.children:
                own = child.attributes.get("name") or "-".join(
                    child.attributes.get(key, "") for key in ("geom1", "geom2", "body1", "body2")
                )
                yield Omission(f"contact/{own}", "contact", summarize_element(child), "none")
    for link in tree.links:
        yield from _inside(link.element, link.name, findings)
    for link, joint in tree.joints:
        yield from _of_joint(joint, link.name, settings)
    for joint, word, kind in effects.unheld:
        acts: Effect = "inertia" if kind == "rotor" else "forces"
        yield Omission(f"{kind}/{joint.name}", kind, f'{word}="{joint.element.attributes[word]}"', acts)
    yield from _shapes(tree, masses, Floors(root, tree, masses, settings, bodies))
    for tendon in tendons.found.values():
        held = tendon not in tendons.unheld
        if not held:
            moves: Effect = "inertia" if _positive(tendon.element, "armature") else "forces"
            yield Omission(f"tendon/{tendon.name}", "tendon", summarize_element(tendon.element), moves)
        elif not tendon.coefficients and tendon.ends is None:
            yield Omission(f"tendon/{tendon.name}", "tendon", summarize_element(tendon.element), "none")
        if "range" in tendon.element.attributes and tendon.element.attributes.get("limited") != "false":
            what = _words(tendon.element, ("range", *SOLVED))
            stops: Effect = "none" if tendon.coefficients else "forces"  # a rope: no coordinate says when it is taut
            gaps = find_gaps(tendon.element, tendon.length(), settings) if tendon.coefficients else ()
            yield Omission(f"joint-limit/{tendon.name}", "joint-limit", what, stops, gaps=gaps)
        if _positive(tendon.element, "frictionloss"):
            what = _words(tendon.element, RUBBING)
            yield Omission(f"joint-friction/{tendon.name}", "joint-friction", what, "forces")
    for name, element, what in drives.unheld:
        by: Effect = "unknown" if _positive(element, "armature") else "forces"
        yield Omission(f"actuator/{name}", "actuator", what, by)
    yield from drives.saturated
    for name, element in equalities.unread:
        yield Omission(f"closure/{name}", "closure", summarize_element(element), "forces")
    for part, tags in (("tendon", ("fixed", "spatial")), ("actuator", ACTUATORS)):
        for child in (c for s in root.all(part) for c in s.children):
            if child.tag not in tags:
                yield _unknown(child, part, child.attributes.get("name", child.tag), findings)
            else:
                yield from _attributes(child, child.tag, findings)
    for child in (c for s in root.all("equality") for c in s.children):
        key = f"equality {child.tag}" if child.tag in ("joint", "tendon") else child.tag
        yield from _attributes(child, key, findings)


def _inside(element: XmlElement, name: str, findings: Findings) -> Iterator[Omission]:
    """Yield the omissions in a body and its frames; bodies within it are links of their own."""
    yield from _attributes(element, element.tag, findings, name)
    for child in element.children:
        if child.tag == "frame":
            yield from _inside(child, name, findings)
        elif child.tag in ("joint", "freejoint", "geom", "inertial"):
            yield from _attributes(child, child.tag, findings, child.attributes.get("name") or name)
        elif child.tag in BESIDE:
            own = child.attributes.get("name") or name
            kind = BESIDE[child.tag]
            yield Omission(
                f"{kind}/{own}", kind, summarize_element(child), "unknown" if kind == "extension" else "none"
            )
        elif child.tag not in _BODY:
            yield _unknown(child, "body", name, findings)


class Floors:
    """Planes at rest, and heights above them of the simple shapes of bodies that may touch them."""

    def __init__(
        self, root: XmlElement, tree: MjcfTree, masses: MjcfMasses, settings: MjcfSettings, bodies: Iterable[Body]
    ) -> None:
        self.masses, self.gaps = copy(masses), PlaneGaps(bodies)
        self.masses.findings = Findings("")  # what is wrong with a shape that weighs nothing refuses no model
        self.masses.poses = Poses(settings, self.masses.findings)
        pairs = (child.attributes for section in root.all("contact") for child in section.all("exclude"))
        self.apart = {frozenset((pair.get("body1"), pair.get("body2"))) for pair in pairs}
        self.off = "contact" in settings.without
        still = [link for link in tree.links if not link.moves and not self.off]
        floors = [(link, part) for link in still for part in link.geoms if _kind(part) == "plane"]
        self.planes = [(link, self._bits(part), self._plane(link, part)) for link, part in floors[:MOST_PLANES]]

    def heights(self, link: MjcfLink, part: MjcfPart) -> tuple[Expression, ...]:
        """Return the heights of a shape above the planes that it may touch; empty if a height is unknown."""
        if not (self.planes and link.moves and self.gaps.left >= 0) or "margin" in part.element.attributes:
            return ()
        own, meant = self._bits(part)
        met = [
            plane for around, (type, affinity), plane in self.planes
            if (own & affinity or type & meant) and frozenset((link.name, around.name)) not in self.apart
        ]  # fmt: skip
        self.masses.findings.errors.clear()
        balls = self.masses.balls(part, _kind(part)) if met else []
        return tuple(gap for plane in met for gap in self.gaps.above(plane, link.name, balls))

    def _plane(self, link: MjcfLink, part: MjcfPart) -> Plane:
        pose = link.pose.then(compose_pose(part.within)).then(self.masses.poses.pose(part.element))
        return vector(decimals(pose.p)), unit_vector(decimals(pose.R[:, 2]))

    def _bits(self, part: MjcfPart) -> tuple[int, int]:
        """Read the bit masks contype and conaffinity of a geom."""
        one, other = (integers(part.element, key, "1", self.masses.findings)[0] for key in ("contype", "conaffinity"))
        return one, other


def _kind(part: MjcfPart) -> str:
    return part.element.attributes.get("type", "sphere")


def _shapes(tree: MjcfTree, masses: MjcfMasses, floors: Floors) -> Iterator[Omission]:
    """Yield an omission for each geom: of its contacts or image, or of its mass where that is unknown."""
    unread = {id(part): reason for _, part, reason in masses.unread}
    for link in tree.links:
        for number, part in enumerate(link.geoms, 1):
            own = part.element.attributes.get("name") or f"{link.name}.{number}"
            if id(part) in unread and not link.is_world:
                what = f"{summarize_element(part.element)}: {unread[id(part)]}"
                yield Omission(f"computed-inertia/{own}", "computed-inertia", what, _effect(link))
            else:
                seen = all(part.element.attributes.get(key) == "0" for key in ("contype", "conaffinity"))
                kind = "image" if seen or floors.off else "collision-shape"
                yield Omission(
                    f"{kind}/{own}", kind, summarize_element(part.element), "none", gaps=floors.heights(link, part)
                )


def _effect(link: MjcfLink) -> Effect:
    return "inertia" if link.moves else "none"


def _of_joint(joint: MjcfJoint, body: str, settings: MjcfSettings) -> Iterator[Omission]:
    """Yield omissions for the dry friction and the stops of a joint."""
    attributes = joint.element.attributes
    if _positive(joint.element, "frictionloss"):
        what = _words(joint.element, RUBBING)
        bodies = () if joint.type in ("hinge", "slide") else (body,)  # those are compared by their values
        yield Omission(f"joint-friction/{joint.name}", "joint-friction", what, "forces", bodies=bodies)
    if {"limited", "range"} & attributes.keys() and attributes.get("limited") != "false":
        what = _words(joint.element, ("limited", "range", *SOLVED))
        unit = settings.angle if joint.type == "hinge" else ONE
        gaps = find_gaps(joint.element, symbol(joint.name), settings, unit) if joint.type in ("hinge", "slide") else ()
        yield Omission(f"joint-limit/{joint.name}", "joint-limit", what, "none", gaps=gaps)


def _words(element: XmlElement, keys: Iterable[str]) -> str:
    return " ".join(f'{key}="{element.attributes[key]}"' for key in keys if key in element.attributes)


def find_gaps(
    element: XmlElement, value: Expression, settings: MjcfSettings, unit: Expression = ONE
) -> tuple[Expression, ...]:
    """Return the gaps between a value and the stops of its range, if MuJoCo enforces them."""
    ends = element.attributes.get("range", "").split()
    limited = element.attributes.get("limited", "auto")
    heeded = limited == "true" or (limited == "auto" and settings.autolimits)
    if not heeded or len(ends) != 2 or "limit" in settings.without:
        return ()
    lower, upper = ends
    return stop_gaps(value, lower, upper, unit)


def _positive(element: XmlElement, key: str) -> bool:
    return any(word.strip("+-0.") for word in element.attributes.get(key, "").split())


def _unknown(element: XmlElement, parent: str, name: str, findings: Findings) -> Omission:
    message = f"<{element.tag}> in <{parent}> is not known, and left out"
    findings.remark("warning", f"{parent} {element.tag}", element.at, message)
    return Omission(f"block/{name}", "block", summarize_element(element), "unknown")


def _attributes(element: XmlElement, key: str, findings: Findings, name: str = "") -> Iterator[Omission]:
    """Yield omissions for attributes that MJCF does not know, and warn of them."""
    known = ATTRIBUTES.get(key)
    for attribute, value in element.attributes.items() if known is not None else ():
        if known is not None and attribute not in known and not attribute.startswith("xmlns"):
            message = f"the attribute {attribute} of <{element.tag}> is not known, and left out"
            remedy = f"known: {format_names(sorted(known))}"
            findings.remark("warning", f"{element.tag} {attribute}", element.at, message, remedy)
            own = name or element.attributes.get("name") or element.tag
            yield Omission(f"attribute/{own}", "attribute", f'{element.tag} {attribute}="{value:.1000}"')
