"""What an SDF says besides the equations of motion: each is an omission of the model, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import LONGEST, Document, Element, told
from mbconcord.model import Omission
from mbconcord.model.limits import listed
from mbconcord.model.omission import Effect

from ..vocabulary import BESIDE, GEAR, INERTIA_OF_ROTOR, MOTION, ROOT, SEVERAL, SWITCHES
from .effects import has_rotor
from .joints import Joint, Joints
from .masses import Masses
from .tree import Tree
from .values import scalar, truth

#: A stop that is this far away, or is not said, stops nothing.
FAR = 1e15


def omissions(
    document: Document, joints: Joints, tree: Tree, masses: Masses, findings: Findings
) -> Iterator[Omission]:
    """What is left out; of what SDF does not know a warning tells too."""
    for number, comment in enumerate(document.comments(), 1):
        if said := " ".join(comment.text.split()):
            yield Omission(f"comment/{number}", "comment", said, "none")
    root = document.root
    yield from _attributes(root, ROOT, ("version",), findings)
    yield from _inside(root, "", findings)
    yield from _of_joints(joints, tree, findings)
    for link, element, reason in masses.unread:
        own = element.attributes.get("name") or link.name
        yield Omission(f"computed-inertia/{own}", "computed-inertia", f"{told(element)}: {reason}", "inertia")


def _of_joints(joints: Joints, tree: Tree, findings: Findings) -> Iterator[Omission]:
    """Dry friction, what acts in joints that close loops, rotors of several coordinates, joints that stand still."""
    still, closing = {id(j) for j in tree.still}, {id(j) for j in tree.closing}
    for joint in joints.found.values():
        element = joint.frame.element
        if id(joint) in still:
            yield Omission(f"setting/{joint.name}", "setting", told(element), "none")
            continue
        for coordinate, axis in joint.axes.items():
            yield from _of_axis(joint, coordinate, axis, id(joint) in closing, findings)
        if not has_rotor(joint) or id(joint) in closing:
            for tag in (INERTIA_OF_ROTOR, GEAR):
                if scalar(element, tag, "0", findings):
                    rotor = element.first(tag)
                    assert rotor is not None
                    yield Omission(f"rotor/{joint.name}", "rotor", told(rotor), "inertia")
        if joint.type == "screw" and element.first("screw_thread_pitch") is None:
            pitch = element.first("thread_pitch")
            said = (
                f"the old <thread_pitch> {pitch.text:.40}" if pitch is not None else "no <screw_thread_pitch>"
            )
            message = f"the screw {joint.name!r} has {said}: a turn is 1 m"
            findings.remark("warning", "", element.at, message, "write <screw_thread_pitch>, metres a turn")


def _of_axis(
    joint: Joint, coordinate: str, axis: Element, closing: bool, findings: Findings
) -> Iterator[Omission]:
    dynamics = axis.first("dynamics")
    kinds = [("friction", "joint-friction")]
    if closing:
        kinds += [("damping", "joint-damping"), ("spring_stiffness", "joint-spring")]
    for tag, kind in kinds:
        if scalar(dynamics, tag, "0", findings):
            assert dynamics is not None
            value = scalar(dynamics, tag, "0", findings)
            yield Omission(f"{kind}/{coordinate}", kind, f"<{tag}>{value}</{tag}>", "forces")
    mimic = axis.first("mimic")
    if closing and mimic is not None:
        yield Omission(f"closure/{coordinate}", "closure", told(mimic), "forces")


def _inside(element: Element, name: str, findings: Findings) -> Iterator[Omission]:
    """What an element that is read holds besides what is read of it."""
    read = MOTION.get(element.tag, {})
    seen: set[str] = set()
    for child in element.children:
        own = child.attributes.get("name") or name or child.tag
        if child.tag not in read:
            yield from _beside(
                child, element.tag, child.attributes.get("name") or name or child.tag, findings
            )
        elif child.tag in seen and child.tag not in SEVERAL:
            message = f"<{child.tag}> stands twice in <{element.tag}> of {name!r}: the first is read"
            findings.remark("warning", "", child.at, message, "remove one")
            yield Omission(f"block/{own}", "block", told(child), "unknown")
        else:
            yield from _attributes(child, own, read[child.tag], findings)
            yield from _inside(child, own, findings)
        seen.add(child.tag)


def _beside(element: Element, parent: str, name: str, findings: Findings) -> Iterator[Omission]:
    """An element of which nothing is read."""
    kind, effect = BESIDE.get(parent, {}).get(element.tag, ("block", "unknown"))
    if kind == "block" and ":" in element.tag:
        kind = "extension"
    elif kind == "block":
        known = listed(f"<{tag}>" for tag in (*MOTION.get(parent, {}), *BESIDE.get(parent, {})))
        message = f"<{element.tag}> in <{parent}> is not known, and left out"
        findings.remark(
            "warning", f"{parent} {element.tag}", element.at, message, f"known: {known or 'none'}"
        )
    if element.tag in SWITCHES:
        on = truth(element.text or "true", element, f"<{element.tag}>", True, findings)
        effect = effect if on else "none"
    elif element.tag == "velocity_decay":
        effect = effect if any(_positive(e.text) for e in element.children) else "none"
    elif element.tag == "limit" and not _stops(element):
        return
    effects: Effect = effect
    yield Omission(f"{kind}/{name}", kind, told(element), effects)


def _positive(text: str) -> bool:
    return bool(text.strip("+-0. "))


def _stops(limit: Element) -> bool:
    """Whether limits limit anything: motion, effort or speed."""
    for e in limit.children:
        try:
            if abs(float(e.text)) < FAR and not (e.tag in ("effort", "velocity") and float(e.text) < 0):
                return True
        except ValueError:
            return True
    return False


def _attributes(
    element: Element, name: str, known: tuple[str, ...], findings: Findings
) -> Iterator[Omission]:
    """Attributes that SDF does not know."""
    for key, value in element.attributes.items():
        if key not in known and not key.startswith("xmlns"):
            message = f"the attribute {key} of <{element.tag}> is not known, and left out"
            remedy = f"known: {listed(sorted(known)) or 'none'}"
            findings.remark("warning", f"{element.tag} {key}", element.at, message, remedy)
            yield Omission(f"attribute/{name}", "attribute", f'{element.tag} {key}="{value:.{LONGEST}}"')
