"""Joints: the links that they join, and the motion of each type between its two frames on the links."""

from __future__ import annotations

from mbconcord.converters.findings import Findings
from mbconcord.converters.poses import Steps, back, opposite
from mbconcord.converters.xml_attributes import read_name
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import ElementaryTransformation, rotation, translation
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Namer
from mbconcord.records import dataclass

from ..vocabulary import GEARED, JOINT_AXES, MODEL, NAMED_FRAMES, TYPES
from .documents import merge_steps, row, yes
from .scopes import SdfFrame, SdfScopes


@dataclass(frozen=True, eq=False)
class SdfJoint:
    """A joint between two links, or the world and a link.

    ``before`` leads from the parent to the joint's frame, ``motion`` moves it, ``after`` leads from there to the child;
    coordinates are zero in the file's pose. ``axes`` maps each coordinate to the element that describes its axis.
    """

    name: str
    frame: SdfFrame
    type: str
    parent: SdfFrame
    child: SdfFrame
    before: Steps
    motion: Steps
    after: Steps
    axes: dict[str, XmlElement]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of the motion."""
        return tuple(et.coordinate for et in self.motion if et.coordinate)

    @property
    def outward(self) -> Steps:
        """Transformations from the parent's frame to the child's."""
        return merge_steps((*self.before, *self.motion, *self.after))

    @property
    def inward(self) -> Steps:
        """Transformations from the child's frame to the parent's: in reverse order, with opposite axes."""
        motion = (opposite(et) for et in reversed(self.motion))
        return merge_steps((*back(self.after), *motion, *back(self.before)))


class SdfJoints:
    """Reader of a document's joints; ``found`` by name, in the order of the file."""

    def __init__(self, scopes: SdfScopes, version: tuple[int, ...], findings: Findings) -> None:
        self.scopes, self.version, self.findings = scopes, version, findings
        frames = [frame for frame in scopes.frames if frame.kind == "joint"]
        self.names = Namer(frame.name for frame in frames)
        self.geared = [frame for frame in frames if frame.element.attributes.get("type") == GEARED]
        joining = (self._joint(frame) for frame in frames if frame not in self.geared)
        self.found = {joint.name: joint for joint in joining if joint is not None}

    def group(self, name: str, endings: tuple[str, ...]) -> tuple[str, ...]:
        """Return names of several coordinates after one item, with these endings, that no other coordinate has."""
        while any(name + ending in self.names.taken for ending in endings):
            name += "_"
        self.names.taken |= {name + ending for ending in endings}
        return tuple(name + ending for ending in endings)

    def _joint(self, frame: SdfFrame) -> SdfJoint | None:
        element, findings = frame.element, self.findings
        kind = read_name(element, "type", findings)
        if kind is not None and kind not in TYPES:
            findings.refuse(
                element.at, f"the joint {frame.name!r} is of the type {kind!r}", among(kind, (*TYPES, GEARED))
            )
        ends = [self.scopes.end(frame, tag) for tag in ("parent", "child")]
        if kind not in TYPES or None in ends:
            return None
        links = [self.scopes.link_of(end) for end in ends if end is not None]
        if None in links:
            return None
        parent, child = (link for link in links if link is not None)
        if parent is child:
            what = f"the joint {frame.name!r} joins {parent.name!r} with itself"
            findings.refuse(element.at, what, "it joins two links, or a link and the world")
            return None
        if child.kind == "world":
            message = f"the child of the joint {frame.name!r} is the world: Gazebo and Drake refuse it"
            findings.remark("warning", "", element.at, message, "let the world be its parent")
        names = self._names(frame.name, kind)
        findings.locations |= {f"coordinates/{name}": element.at for name in names}
        axes = {tag: e for tag in ("axis", "axis2") if (e := element.first(tag)) is not None}
        motion = self._motion(frame, kind, names, axes)
        if motion is None:
            return None
        before, after = self.scopes.path(parent, frame), self.scopes.path(frame, child)
        along = dict(zip(names, axes.values(), strict=False)) if kind not in ("ball", "fixed") else {}
        return SdfJoint(frame.name, frame, kind, parent, child, before, motion, after, along)

    def _names(self, name: str, kind: str) -> tuple[str, ...]:
        endings = TYPES[kind]
        if endings == ("",):
            return (name,)
        if kind == "screw":
            return (name, *self.group(name, endings[1:]))
        return self.group(name, endings)

    def _motion(self, frame: SdfFrame, kind: str, names: tuple[str, ...], axes: dict[str, XmlElement]) -> Steps | None:
        if kind == "fixed":
            return ()
        if kind == "ball":
            return tuple(rotation(axis, name) for axis, name in zip("zyx", names, strict=True))
        needed = ("axis", "axis2") if kind in ("universal", "revolute2") else ("axis",)
        moved: list[ElementaryTransformation] = []
        for tag, name in zip(needed, names, strict=False):
            if tag not in axes:
                found = f"the {kind} joint {frame.name!r} has no <{tag}>"
                self.findings.refuse(frame.element.at, found, f"<{tag}><xyz>0 0 1</xyz></{tag}>")
                return None
            way = self.find_direction(frame, axes[tag])
            if way is None:
                return None
            turns, axis = way
            along = [translation(axis, name)] if kind == "prismatic" else [rotation(axis, name)]
            if kind == "screw":
                along.append(translation(axis, names[1]))
            moved += (*turns, *along, *back(turns))
        return merge_steps(moved)

    def find_direction(self, frame: SdfFrame, axis: XmlElement) -> tuple[Steps, list[Expression]] | None:
        """Return the rotations from the joint's frame to that of the axis, and the axis there; None if it is zero."""
        xyz = axis.first("xyz")
        direction = row(xyz, "0 0 1", self.findings)
        at = xyz if xyz is not None else axis
        if not any(direction):
            message = f"the axis of the joint {frame.name!r} is zero: it has no direction"
            self.findings.refuse(at.at, message, "give it one, for example 0 0 1; its length does not matter")
            return None
        name = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        by_model = yes(axis.first("use_parent_model_frame"), self.version < JOINT_AXES, self.findings)
        if self.version < NAMED_FRAMES and by_model:
            name = MODEL
        if not name:
            return (), direction
        said = self.scopes.look_up(name, frame.scope, at)
        if said is None:
            return None
        return merge_steps(et for et in self.scopes.path(frame, said) if not et.is_translation), direction
