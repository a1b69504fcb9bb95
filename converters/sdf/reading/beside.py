"""Contents of an SDF outside of the equations of motion, each an omission of the model, in file order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import FAR, list_unknown_attributes, moves_joint, stop_gaps
from mbconcord.converters.xml_text import XmlDocument, XmlElement, summarize_element
from mbconcord.model import Omission
from mbconcord.model.expressions import Expression
from mbconcord.model.limits import format_names
from mbconcord.model.omission import Effect, find_stiction
from mbconcord.records import replace

from ..vocabulary import BESIDE, GEAR, IDLE_ATTRIBUTES, INERTIA_OF_ROTOR, MOTION, ROOT, SEVERAL, SWITCHES
from .documents import scalar, truth
from .joints import SdfJoints
from .masses import SdfMasses
from .scopes import SdfFrame
from .tree import SdfTree, has_rotor

# Remarks on links and joints that are read: closures, default inertia, links without mass.


def remarks(tree: SdfTree, masses: SdfMasses, findings: Findings) -> None:
    """Record notes of closures, and warnings of default or unknown inertias and of joints that move no mass."""
    for joint in tree.closing:
        message = f"the joint {joint.name!r} closes a loop: it is held as a constraint"
        findings.note(joint.frame.element.at, f"constraints/{joint.name}", message)
    moving = {id(link) for link in tree.order if link not in tree.fixed}
    for link in masses.silent:
        if id(link) in moving:
            message = f"the link {link.name!r} says no mass: SDF takes 1 kg and 1 kg m² about each axis"
            findings.remark("warning", "silent", link.element.at, message, "give it <inertial> with <mass>")
    for link, element, reason in masses.unread:
        findings.warn_unknown_inertia(element.at, link.name, reason)
    unknown = {id(link) for link, _, _ in masses.unread}
    heavy: set[int] = set()
    for link in reversed(tree.order):
        own = masses.found[link.name]
        if not own.is_zero:
            heavy.add(id(link))
        parent = tree.parent(link)
        if id(link) in heavy and parent is not None:
            heavy.add(id(parent))
        elif id(link) not in heavy and _moves(tree, link) and id(link) not in unknown:
            message = f"the link {link.name!r} moves, and nothing on it has mass"
            remedy = "its coordinates have no inertia: give it mass, or fix its joint"
            findings.remark("warning", "", link.element.at, message, remedy, f"bodies/{link.name}/inertia")


def _moves(tree: SdfTree, link: SdfFrame) -> bool:
    return link in tree.free or (link in tree.carrying and bool(tree.carrying[link][0].coordinates))


def omissions(
    document: XmlDocument, joints: SdfJoints, tree: SdfTree, masses: SdfMasses, findings: Findings
) -> Iterator[Omission]:
    """Yield the omissions; warn about elements that SDF does not know."""
    for number, comment in enumerate(document.comments(), 1):
        if said := " ".join(comment.text.split()):
            yield Omission(f"comment/{number}", "comment", said, "none")
    root = document.root
    yield from list_unknown_attributes(root, ROOT, ("version",), _is_idle, findings)
    passive = {id(j) for j in (*tree.still, *tree.closing)}
    ends = {
        id(limit): coordinate
        for joint in joints.found.values()
        if joint.type != "continuous" and id(joint) not in passive
        for coordinate, axis in joint.axes.items()
        if (limit := axis.first("limit")) is not None
    }
    found = [*_inside(root, "", findings, ends)]
    windy = any(o.acts and o.what.startswith("<enable_wind") for o in found)
    yield from (replace(o, effect="forces") if windy and o.what.startswith("<wind") else o for o in found)
    yield from _of_joints(joints, tree, findings)
    for link, element, reason in masses.unread:
        own = element.attributes.get("name") or link.name
        yield Omission(
            f"computed-inertia/{own}", "computed-inertia", f"{summarize_element(element)}: {reason}", "inertia"
        )


def _of_joints(joints: SdfJoints, tree: SdfTree, findings: Findings) -> Iterator[Omission]:
    """Yield omissions of joints: dry friction, effects in closing joints, rotors without coordinate, static joints."""
    still, closing = {id(j) for j in tree.still}, {id(j) for j in tree.closing}
    for frame in joints.geared:
        for tag in ("axis", "axis2"):
            if (axis := frame.element.first(tag)) is not None:
                yield from _of_axis(f"{frame.name}/{tag}", axis, True, findings)
        yield from _list_rotors(frame, findings)
    for joint in joints.found.values():
        element = joint.frame.element
        if id(joint) in still:
            yield Omission(f"setting/{joint.name}", "setting", summarize_element(element), "none")
            continue
        for coordinate, axis in joint.axes.items():
            yield from _of_axis(coordinate, axis, id(joint) in closing, findings)
        if not has_rotor(joint) or id(joint) in closing:
            yield from _list_rotors(joint.frame, findings)
        if joint.type == "screw" and element.first("screw_thread_pitch") is None:
            pitch = element.first("thread_pitch")
            said = f"the old <thread_pitch> {pitch.text:.40}" if pitch is not None else "no <screw_thread_pitch>"
            message = f"the screw {joint.name!r} has {said}: a turn is 1 m"
            findings.remark("warning", "", element.at, message, "write <screw_thread_pitch>, metres a turn")


def _list_rotors(joint: SdfFrame, findings: Findings) -> Iterator[Omission]:
    """Yield omissions for the rotor and gear of a joint without a single coordinate to turn them."""
    for tag in (INERTIA_OF_ROTOR, GEAR):
        if scalar(joint.element, tag, "0", findings):
            rotor = joint.element.first(tag)
            assert rotor is not None
            yield Omission(f"rotor/{joint.name}", "rotor", summarize_element(rotor), "inertia")


def _of_axis(coordinate: str, axis: XmlElement, closing: bool, findings: Findings) -> Iterator[Omission]:
    dynamics = axis.first("dynamics")
    for tag in ("friction", "damping", "spring_stiffness") if closing else ("friction",):
        value, kind = scalar(dynamics, tag, "0", findings), f"joint-{tag.removesuffix('_stiffness')}"
        if value and closing:
            findings.locations[f"omissions/{kind}/{coordinate}"] = axis.at
            yield Omission(f"{kind}/{coordinate}", kind, f"<{tag}>{value}</{tag}>", "forces")
        elif value:
            yield find_stiction(coordinate, f"<{tag}>{value}</{tag}>")
    mimic = axis.first("mimic")
    if closing and mimic is not None:
        yield Omission(f"closure/{coordinate}", "closure", summarize_element(mimic), "forces")


def _inside(element: XmlElement, name: str, findings: Findings, ends: Mapping[int, str]) -> Iterator[Omission]:
    """Yield the omissions in an element that is read; ``ends`` are coordinates by their limits."""
    read = MOTION.get(element.tag, {})
    seen: set[str] = set()
    for child in element.children:
        own = child.attributes.get("name") or name or child.tag
        if child.tag not in read:
            yield from _beside(child, element.tag, child.attributes.get("name") or name or child.tag, findings, ends)
        elif child.tag in seen and child.tag not in SEVERAL:
            message = f"<{child.tag}> stands twice in <{element.tag}> of {name!r}: the first is read"
            findings.remark("warning", "", child.at, message, "remove one")
            yield Omission(f"block/{own}", "block", summarize_element(child), "unknown")
        else:
            yield from list_unknown_attributes(child, own, read[child.tag], _is_idle, findings)
            yield from _inside(child, own, findings, ends)
        seen.add(child.tag)


def _beside(
    element: XmlElement, parent: str, name: str, findings: Findings, ends: Mapping[int, str]
) -> Iterator[Omission]:
    """Yield the omissions of an element that is not read."""
    kind, effect = BESIDE.get(parent, {}).get(element.tag, ("block", "unknown"))
    if kind == "block" and ":" in element.tag:
        kind = "extension"
    elif kind == "block":
        known = format_names(f"<{tag}>" for tag in (*MOTION.get(parent, {}), *BESIDE.get(parent, {})))
        message = f"<{element.tag}> in <{parent}> is not known, and left out"
        findings.remark("warning", f"{parent} {element.tag}", element.at, message, f"known: {known or 'none'}")
    if element.tag in SWITCHES:
        on = truth(element.text or "true", element, f"<{element.tag}>", True, findings)
        effect = effect if on else "none"
    elif element.tag == "velocity_decay":
        effect = effect if any(_positive(e.text) for e in element.children) else "none"
    elif element.tag == "physics" and parent == "joint":
        effect = effect if moves_joint(element) else "none"
    elif element.tag == "state":
        effect = effect if any(e.tag in ("insertions", "deletions") for e in element.children) else "none"
    elif element.tag == "limit" and not _stops(element):
        return
    effects: Effect = effect
    gaps: tuple[Expression, ...] = ()
    if element.tag == "limit" and id(element) in ends:
        lower, upper = (element.first(tag) for tag in ("lower", "upper"))
        gaps = stop_gaps(
            ends[id(element)], None if lower is None else lower.text, None if upper is None else upper.text
        )
    yield Omission(f"{kind}/{name}", kind, summarize_element(element), effects, gaps=gaps)


def _positive(text: str) -> bool:
    return bool(text.strip("+-0. "))


def _stops(limit: XmlElement) -> bool:
    """Return True if a <limit> restricts motion, effort or speed, or has a text that is no number."""
    for e in limit.children:
        try:
            if abs(float(e.text)) < FAR and not (e.tag in ("effort", "velocity") and float(e.text) < 0):
                return True
        except ValueError:
            return True
    return False


def _is_idle(element: XmlElement, key: str) -> bool:
    """Return True for an attribute unknown to SDF that does not affect the motion."""
    return key in IDLE_ATTRIBUTES.get(element.tag, ())
