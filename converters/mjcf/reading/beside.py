"""What an MJCF says besides the equations of motion: each is an omission of the model, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import Document, Element, told
from mbconcord.model import Omission
from mbconcord.model.limits import listed
from mbconcord.model.omission import Effect

from ..vocabulary import ATTRIBUTES, BESIDE, READ, ROOT, SECTIONS
from .actuators import Drives
from .classes import ACTUATORS
from .effects import Effects
from .equalities import Equalities
from .masses import Masses
from .settings import Settings
from .tendons import Tendons
from .tree import Joint, Link, Tree

_BODY = ("body", "frame", "joint", "freejoint", "geom", "inertial")


def omissions(
    document: Document,
    tree: Tree,
    masses: Masses,
    effects: Effects,
    tendons: Tendons,
    drives: Drives,
    equalities: Equalities,
    settings: Settings,
    findings: Findings,
) -> Iterator[Omission]:
    """What is left out; of what MJCF does not know a warning tells too."""
    root = document.root
    for number, comment in enumerate(document.comments(), 1):
        if said := " ".join(comment.text.split()):
            yield Omission(f"comment/{number}", "comment", said, "none")
    yield from _attributes(root, ROOT, findings)
    if settings.fluid:
        option = [e for e in root.all("option") if {"density", "viscosity"} & e.attributes.keys()]
        yield Omission("medium/option", "medium", told(option[-1]), "forces")
    for section in root.children:
        name = section.attributes.get("name") or section.attributes.get("class") or section.tag
        if section.tag in SECTIONS:
            kind, effect = SECTIONS[section.tag]
            for child in section.children:
                own = child.attributes.get("name") or child.attributes.get("file") or child.tag
                yield Omission(f"{kind}/{own}", kind, told(child), effect)
            if not any(True for _ in section.children):
                yield Omission(f"{kind}/{section.tag}", kind, told(section), effect)
        elif section.tag not in READ:
            yield _unknown(section, ROOT, name, findings)
        elif section.tag in ("compiler", "option"):
            yield from _attributes(section, section.tag, findings)
        elif section.tag == "contact":
            for child in section.children:
                own = child.attributes.get("name") or "-".join(
                    child.attributes.get(key, "") for key in ("geom1", "geom2", "body1", "body2")
                )
                yield Omission(f"contact/{own}", "contact", told(child), "none")
    for link in tree.links:
        yield from _inside(link.element, link.name, findings)
    for _, joint in tree.joints:
        yield from _of_joint(joint)
    for joint, word, kind in effects.unheld:
        acts: Effect = "inertia" if kind == "rotor" else "forces"
        yield Omission(f"{kind}/{joint.name}", kind, f'{word}="{joint.element.attributes[word]}"', acts)
    yield from _shapes(tree, masses)
    for tendon in tendons.found.values():
        held = tendon not in tendons.unheld
        if not held:
            moves: Effect = "inertia" if _positive(tendon.element, "armature") else "forces"
            yield Omission(f"tendon/{tendon.name}", "tendon", told(tendon.element), moves)
        elif not tendon.coefficients and tendon.ends is None:
            yield Omission(f"tendon/{tendon.name}", "tendon", told(tendon.element), "none")
        if _positive(tendon.element, "frictionloss"):
            what = f'frictionloss="{tendon.element.attributes["frictionloss"]}"'
            yield Omission(f"joint-friction/{tendon.name}", "joint-friction", what, "forces")
    for name, element, reason in drives.unheld:
        yield Omission(f"actuator/{name}", "actuator", f"{told(element)}: {reason}", "forces")
    for name, element in equalities.unread:
        yield Omission(f"closure/{name}", "closure", told(element), "forces")
    for part, tags in (("tendon", ("fixed", "spatial")), ("actuator", ACTUATORS)):
        for child in (c for s in root.all(part) for c in s.children):
            if child.tag not in tags:
                yield _unknown(child, part, child.attributes.get("name", child.tag), findings)
            else:
                yield from _attributes(child, child.tag, findings)
    for child in (c for s in root.all("equality") for c in s.children):
        key = f"equality {child.tag}" if child.tag in ("joint", "tendon") else child.tag
        yield from _attributes(child, key, findings)


def _inside(element: Element, name: str, findings: Findings) -> Iterator[Omission]:
    """What lies beside in a body and its frames; bodies within it are links of their own."""
    yield from _attributes(element, element.tag, findings, name)
    for child in element.children:
        if child.tag == "frame":
            yield from _inside(child, name, findings)
        elif child.tag in ("joint", "freejoint", "geom", "inertial"):
            yield from _attributes(child, child.tag, findings, child.attributes.get("name") or name)
        elif child.tag in BESIDE:
            own = child.attributes.get("name") or name
            kind = BESIDE[child.tag]
            yield Omission(f"{kind}/{own}", kind, told(child), "unknown" if kind == "extension" else "none")
        elif child.tag not in _BODY:
            yield _unknown(child, "body", name, findings)


def _shapes(tree: Tree, masses: Masses) -> Iterator[Omission]:
    """Geoms: what they touch with is left out, and the mass of some."""
    unread = {id(part): reason for _, part, reason in masses.unread}
    for link in tree.links:
        for number, part in enumerate(link.geoms, 1):
            own = part.element.attributes.get("name") or f"{link.name}.{number}"
            if id(part) in unread and not link.is_world:
                what = f"{told(part.element)}: {unread[id(part)]}"
                yield Omission(f"computed-inertia/{own}", "computed-inertia", what, _effect(link))
            else:
                seen = all(part.element.attributes.get(key) == "0" for key in ("contype", "conaffinity"))
                kind = "image" if seen else "collision-shape"
                yield Omission(f"{kind}/{own}", kind, told(part.element), "none")


def _effect(link: Link) -> Effect:
    return "inertia" if link.moves else "none"


def _of_joint(joint: Joint) -> Iterator[Omission]:
    """Dry friction and stops."""
    attributes = joint.element.attributes
    if _positive(joint.element, "frictionloss"):
        what = f'frictionloss="{attributes["frictionloss"]}"'
        yield Omission(f"joint-friction/{joint.name}", "joint-friction", what, "forces")
    stops = [key for key in ("limited", "range", "actuatorfrcrange") if key in attributes]
    if stops and attributes.get("limited") != "false":
        what = " ".join(f'{key}="{attributes[key]}"' for key in stops)
        yield Omission(f"joint-limit/{joint.name}", "joint-limit", what, "none")


def _positive(element: Element, key: str) -> bool:
    return any(word.strip("+-0.") for word in element.attributes.get(key, "").split())


def _unknown(element: Element, parent: str, name: str, findings: Findings) -> Omission:
    message = f"<{element.tag}> in <{parent}> is not known, and left out"
    findings.remark("warning", f"{parent} {element.tag}", element.at, message)
    return Omission(f"block/{name}", "block", told(element), "unknown")


def _attributes(element: Element, key: str, findings: Findings, name: str = "") -> Iterator[Omission]:
    """Attributes that MJCF does not know."""
    known = ATTRIBUTES.get(key)
    for attribute, value in element.attributes.items() if known is not None else ():
        if known is not None and attribute not in known and not attribute.startswith("xmlns"):
            message = f"the attribute {attribute} of <{element.tag}> is not known, and left out"
            remedy = f"known: {listed(sorted(known))}"
            findings.remark("warning", f"{element.tag} {attribute}", element.at, message, remedy)
            own = name or element.attributes.get("name") or element.tag
            yield Omission(f"attribute/{own}", "attribute", f'{element.tag} {attribute}="{value:.1000}"')
