"""The document of a model: included models replace their include elements, and each element keeps its location in its
own file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.poses import Steps, by_quaternion
from mbconcord.converters.xml_attributes import numbers_of
from mbconcord.converters.xml_text import COMMENT, XmlDocument, XmlElement, parse
from mbconcord.model import Constant, ElementaryTransformation, rotation, shift
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import PI_NODE, ZERO, Expression, number
from mbconcord.model.limits import XML_DEPTH, XML_ELEMENTS, too_many
from mbconcord.model.transformation import AXES

from ..vocabulary import JOINT_AXES, MODEL, NAMED_FRAMES, ROOT

# Texts of elements: numbers, truth values, and defaults of missing elements.


#: Words for truth.
WORDS = {"true": True, "1": True, "false": False, "0": False}


def row(element: XmlElement | None, default: str, findings: Findings) -> list[Expression]:
    """Read as many numbers as the default has; return the default if the element is missing or invalid."""
    words = default.split()
    found = None
    if element is not None:
        found = numbers_of(element.text, len(words), f"<{element.tag}>", element, findings)
    return found or [number(word) for word in words]


def scalar(parent: XmlElement | None, tag: str, default: str, findings: Findings) -> Expression:
    """Read the number of a child element; the default if it is missing or invalid."""
    return row(None if parent is None else parent.first(tag), default, findings)[0]


def yes(element: XmlElement | None, default: bool, findings: Findings) -> bool:
    """Read the true-or-false text of an element; the default if it is missing or invalid."""
    if element is None:
        return default
    return truth(element.text, element, f"<{element.tag}>", default, findings)


def truth(text: str, element: XmlElement, what: str, default: bool, findings: Findings) -> bool:
    """Parse a true-or-false text; record an error and return the default if it is neither."""
    said = text.strip().lower()
    if said not in WORDS:
        findings.refuse(element.at, f"{what}: found {text!r:.60}", among(said, WORDS))
        return default
    return WORDS[said]


# Poses of elements as constant transformations, merged to as few as possible.


#: An angle beyond this (rad) was probably meant in degrees: two turns.
MOST_TURNED: Final = 12.6
#: Largest deviation of the square of a quaternion's length from 1.
NORMAL: Final = 1e-6
FORMS: Final = ("euler_rpy", "quat_xyzw")


def pose(element: XmlElement | None, findings: Findings) -> Steps:
    """Return a pose: shifts along x, y, z, then turns rz(yaw) ry(pitch) rx(roll) or by a quaternion; none for zeros."""
    if element is None or not element.text:
        return ()
    form = element.attributes.get("rotation_format", FORMS[0])
    if form not in FORMS:
        findings.refuse(element.at, f"rotation_format of <pose>: found {form!r:.60}", among(form, FORMS))
        return ()
    count = 6 if form == FORMS[0] else 7
    values = numbers_of(element.text, count, "<pose>", element, findings)
    if values is None:
        return ()
    turns = values[3:]
    if form == FORMS[0]:
        return (*shift(values[:3]), *_read_turns(turns, element, findings))
    found = by_quaternion((turns[3], *turns[:3]))
    if found is None:
        findings.refuse(element.at, "the quaternion of <pose> is zero", "a quaternion has a length")
    elif abs(float(sum((x * x for x in turns), ZERO).value) - 1) > NORMAL:
        message = "the quaternion of <pose> is not of the length 1, and is taken as if it were"
        findings.remark("warning", "quaternion", element.at, message, "libsdformat shifts what stands in such a pose")
    return (*shift(values[:3]), *(found or ()))


def _read_turns(
    angles: list[Expression], element: XmlElement, findings: Findings
) -> Iterable[ElementaryTransformation]:
    in_degrees = yes_of(element, "degrees", findings)
    if not in_degrees and any(abs(angle.value) > MOST_TURNED for angle in angles):
        message = f"<pose> {element.text:.60} turns by more than two turns"
        findings.remark("warning", "turned", element.at, message, 'angles are in radians but with degrees="true"')
    for axis, angle in zip("zyx", reversed(angles), strict=True):
        if angle:
            yield rotation(axis, Constant(angle * PI_NODE / 180 if in_degrees else angle))


def merge_steps(steps: Iterable[ElementaryTransformation]) -> Steps:
    """Return transformations with consecutive shifts, and rotations about one axis, merged; zeros are dropped."""
    found: list[ElementaryTransformation] = []
    for et in steps:
        if et.coordinate is None and not et.amount:
            continue
        last = found[-1] if found else None
        if last is None or et.coordinate or last.coordinate or last.kind != et.kind:
            found.append(et)
        elif et.is_translation:
            first = len(found)
            while first and found[first - 1].is_translation and not found[first - 1].coordinate:
                first -= 1
            total = _sum([*found[first:], et])
            found[first:] = [*found[first:], et] if total is None else total
        elif last.axis == et.axis:
            found.pop()
            amount = last.amount + et.amount
            if amount:
                found.append(rotation(et.axis, Constant(amount)))
        else:
            found.append(et)
    return tuple(found)


def _sum(shifts: Iterable[ElementaryTransformation]) -> Steps | None:
    """Return the sum of shifts along x, y and z; None if one is along another axis."""
    total = dict.fromkeys(AXES.values(), ZERO)
    for et in shifts:
        if et.axis not in total:
            return None
        total[et.axis] = total[et.axis] + et.amount
    return shift(total.values())


OUTSIDE = "put the files into one folder, or expand what is included: gz sdf -p model.sdf"
#: Name of the model's file in a folder that is a model.
FILE = "model.sdf"


class SdfDocuments:
    """The file of a model and its included files, from its folder and from packages; circular includes are refused."""

    def __init__(self, text: str, file: str, findings: Findings, packages: tuple[str, ...] = ()) -> None:
        self.findings = findings
        self.inclusions = Inclusions(text, file, OUTSIDE, findings, packages)
        self.whole = True
        self.placed: dict[int, str] = {}
        document = parse(text, file)
        self.outside = list(document.outside)
        self._complete(document.root)
        self.document = XmlDocument(document.root, tuple(self.outside))

    def _complete(self, root: XmlElement) -> None:
        """Replace every <include> below the root by its model; each element carries the files that it came through."""
        waiting: list[tuple[XmlElement, tuple[Path, ...]]] = [(root, (self.inclusions.own,))]
        elements = 0
        while waiting:
            element, through = waiting.pop()
            elements += 1
            if elements > XML_ELEMENTS:
                found = too_many(f"more than {XML_ELEMENTS:,}", "elements in all files", XML_ELEMENTS)
                self.findings.refuse(root.at, found, "no model has so many")
                return
            inner: list[XmlElement | str] = []
            for part in element.content:
                if isinstance(part, str) or part.tag != "include" or element.tag not in ("world", "model"):
                    inner.append(part)
                    if not isinstance(part, str) and part.tag != COMMENT:
                        waiting.append((part, through))
                    continue
                self.whole = False
                made = self._include(part, through)
                if made is not None and yes_of(part, "merge", self.findings):
                    merged = self._merge(made[0])
                    inner += merged
                    waiting += ((each, made[1]) for each in merged)
                elif made is not None:
                    inner.append(made[0])
                    waiting.append(made)
            element.content = inner

    def _include(self, element: XmlElement, through: tuple[Path, ...]) -> tuple[XmlElement, tuple[Path, ...]] | None:
        """Return the model of an included file in its new place, with its own inclusions still to be expanded."""
        at, uri = element.at, element.first("uri")
        name = "" if uri is None else uri.text
        if not name:
            self.findings.refuse(at, "<include> without <uri>", "<uri>…</uri> names a file in the folder")
            return None
        path = self.inclusions.path(name, at)
        if path is None:
            return None
        path = path / FILE if path.is_dir() else path
        if path in through or len(through) > XML_DEPTH:
            self.findings.refuse(at, f"{name} includes itself", "remove one of the inclusions")
            return None
        text = self.inclusions.text(path, name, at)
        if text is None:
            return None
        document = parse(text, self.inclusions.name_file(path))
        model = document.root.first("model") if document.root.tag == ROOT else None
        if model is None:
            message = f"<{document.root.tag}> without <model>; expected <{ROOT}> with one"
            self.findings.refuse(document.root.at, message)
            return None
        self.outside += document.outside
        _modernize(document.root)
        return self._as_said(model, element), (*through, path)

    def _merge(self, model: XmlElement) -> list[XmlElement]:
        """Return the parts of a model as parts of the including model; a new frame replaces the frame of the model.

        ``placed`` names, for such a frame, the frame that its pose places instead (``placement_frame``).
        """
        frame, at = f"_merged__{model.attributes.get('name', '')}{MODEL}", model.at
        links = [e.attributes.get("name", "") for e in model.all("link")]
        canonical = model.attributes.get("canonical_link") or (links[0] if links else "")
        said = model.first("pose")
        pose = XmlElement("pose", {"relative_to": MODEL}, at) if said is None else said
        pose = XmlElement(pose.tag, {"relative_to": MODEL} | pose.attributes, pose.at, pose.content)
        attributes = {"name": frame} | ({"attached_to": canonical} if canonical else {})
        proxy = XmlElement("frame", attributes, at, [pose])
        if placement := model.attributes.get("placement_frame"):
            self.placed[id(proxy)] = placement
        parts = [e for e in model.children if e.tag not in OF_THE_MODEL]
        for part in parts:
            _move_into(part, frame)
        return [proxy, *parts]

    def _as_said(self, model: XmlElement, include: XmlElement) -> XmlElement:
        """Apply the name, pose, placement frame and other settings of an inclusion to its model."""
        attributes = dict(model.attributes)
        for key in ("name", "placement_frame"):
            said = include.first(key)
            if said is not None and said.text:
                attributes[key] = said.text
        said_here = [e for key in ("pose", "static") if (e := include.first(key)) is not None]
        replaced = {e.tag for e in said_here}
        if any(yes(e, False, self.findings) for e in model.all("static")):
            replaced.discard("static")
            said_here = [e for e in said_here if e.tag != "static"]
        beside = [c for c in include.children if c.tag not in ("uri", "name", "placement_frame", "pose", "static")]
        own = [c for c in model.content if isinstance(c, str) or c.tag not in replaced]
        return XmlElement(model.tag, attributes, model.at, [*said_here, *own, *beside])


#: What a model says of itself and not of its parts.
OF_THE_MODEL: Final = ("pose", "static", "self_collide", "allow_auto_disable", "enable_wind")


def _move_into(part: XmlElement, frame: str) -> None:
    """Let a part of a model, and what is in it, name another frame in place of the model's."""
    waiting = [part]
    while waiting:
        element = waiting.pop()
        for key in ("relative_to", "attached_to", "expressed_in"):
            if element.attributes.get(key) == MODEL:
                element.attributes[key] = frame
        if element.tag in ("parent", "child") and element.text == MODEL:
            element.content = [frame]
        apart = element.tag in ("model", "include")  # what is in it has a frame of its own
        waiting += (e for e in element.children if not apart or e.tag == "pose")
    if part.tag in ("link", "model", "include"):
        pose = part.first("pose")
        if pose is None:
            part.content.append(XmlElement("pose", {"relative_to": frame}, part.at))
        elif not pose.attributes.get("relative_to"):
            pose.attributes["relative_to"] = frame
    elif part.tag == "frame" and not part.attributes.get("attached_to"):
        part.attributes["attached_to"] = frame


def _modernize(root: XmlElement) -> None:
    """Give the axes of an old file, which the new rules of the one that includes it would misread, their frame."""
    try:
        major, minor = map(int, root.attributes.get("version", "").split("."))
    except ValueError:
        return
    for joint in (e for e in root.walk() if e.tag == "joint" and (major, minor) < NAMED_FRAMES):
        for axis in (*joint.all("axis"), *joint.all("axis2")):
            flag = axis.first("use_parent_model_frame")
            by_model = (major, minor) < JOINT_AXES if flag is None else WORDS.get(flag.text.lower(), False)
            xyz = axis.first("xyz")
            if by_model and xyz is not None:
                xyz.attributes["expressed_in"] = MODEL


def yes_of(element: XmlElement, attribute: str, findings: Findings) -> bool:
    """Return True if an attribute is true; False if it is absent."""
    made = XmlElement(attribute, {}, element.at, [element.attributes.get(attribute, "false")])
    return yes(made, False, findings)
