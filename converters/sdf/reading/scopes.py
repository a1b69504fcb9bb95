"""Names and frames: each link, joint, model and frame is one, which stands in another by its pose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mbconcord.converters.findings import Findings
from mbconcord.converters.turns import Steps, back
from mbconcord.converters.xml_attributes import named
from mbconcord.converters.xml_text import Element
from mbconcord.model.diagnostics import among

from ..vocabulary import MODEL, NAMED_FRAMES, WITHIN, WORLD
from .poses import merged, pose
from .values import yes

#: Depths of frames that are not yet known: not asked for, and being counted.
UNKNOWN, BEGUN = -1, -2


@dataclass(eq=False)
class Frame:
    """A frame: ``base`` is the one that it stands in and ``steps`` the way from there; ``held`` the one it moves with.

    ``name`` is that from outside, ``kind`` "world", "model", "link", "joint" or "frame"; ``scope`` is where its element
    looks for names; ``depth`` counts the frames that it stands in, one within another.
    """

    name: str
    kind: str
    element: Element
    scope: Scope
    base: Frame | None = None
    steps: Steps = ()
    held: Frame | None = None
    depth: int = UNKNOWN


@dataclass(eq=False)
class Scope:
    """A world or a model: the frames that stand in it by their names there."""

    prefix: str
    element: Element
    outer: Scope | None
    static: bool
    own: Frame = field(init=False)
    frames: dict[str, Frame] = field(default_factory=dict)
    inner: dict[str, Scope] = field(default_factory=dict)

    def find(self, name: str) -> Frame | None:
        """The frame of a name; ``a::b`` is what is called b in the model a."""
        *models, last = name.split(WITHIN)
        scope = self
        for part in models:
            if part not in scope.inner:
                return None
            scope = scope.inner[part]
        if last == MODEL:
            return scope.own
        if last == WORLD and not models:
            while scope.outer is not None:
                scope = scope.outer
            return scope.own
        return scope.frames.get(last)


class Scopes:
    """The frames of a document, by the element that its models stand in.

    Attributes
    ----------
    world : the fixed frame
    models : scopes, each behind the one that it stands in
    frames : all frames in the order of the file
    """

    def __init__(self, top: Element, version: tuple[int, ...], findings: Findings) -> None:
        self.findings, self.version = findings, version
        root = Scope("", top, None, False)
        self.world = root.own = Frame(WORLD, "world", top, root)
        self.models: list[Scope] = []
        self.frames: list[Frame] = []
        self._inside(root)
        findings.stop()
        for frame in self.frames:
            self._placed(frame)
        findings.stop()
        for frame in self.frames:
            self._deepened(frame)
        for scope in reversed(self.models):
            self._by_placement(scope)
        findings.stop()

    # --- names

    def _inside(self, scope: Scope) -> None:
        """Everything in a world or a model; only the names of several models of a world are told apart by these."""
        parts = [e for e in scope.element.children if e.tag in ("model", "link", "joint", "frame")]
        alone = scope.outer is None and [e.tag for e in parts] == ["model"]
        for element in parts:
            name = self._name(element, scope)
            if name is None:
                continue
            frame = Frame(scope.prefix + name, element.tag, element, scope)
            self.frames.append(frame)
            scope.frames.setdefault(name, frame)
            if element.tag == "model" and name not in scope.inner:
                static = scope.static or yes(element.first("static"), False, self.findings)
                inner = Scope("" if alone else f"{frame.name}{WITHIN}", element, scope, static)
                scope.inner[name], inner.own = inner, frame
                self.models.append(inner)
                self._inside(inner)

    def _name(self, element: Element, scope: Scope) -> str | None:
        name = named(element, "name", self.findings)
        if name is None:
            return None
        reserved = name == WORLD or (name.startswith("__") and name.endswith("__")) or WITHIN in name
        first = scope.frames.get(name)
        if reserved:
            message = f"the {element.tag} {name!r} has a name of SDF's own"
            self.findings.refuse(element.at, message, "rename it")
        elif first is not None and (first.kind == element.tag or self.version >= NAMED_FRAMES):
            message = (
                f"the {element.tag} {name!r} has the name of the {first.kind} in line {first.element.at.line}"
            )
            self.findings.refuse(element.at, message, "rename one")
        return name

    def look_up(self, name: str, scope: Scope, at: Element, what: str = "frame") -> Frame | None:
        """The frame of a name; None, and an error, where there is none."""
        found = scope.find(name)
        if found is None:
            self.findings.refuse(at.at, f"there is no {what} {name!r}", among(name, scope.frames))
        return found

    # --- poses

    def _placed(self, frame: Frame) -> None:
        """What a frame stands in, the way there, and what it moves with."""
        element, scope = frame.element, frame.scope
        if frame.kind == "model":
            frame.base, frame.held = scope.own, self._canonical(scope.inner[element.attributes["name"]])
        elif frame.kind == "joint":
            child = element.first("child")
            frame.base = frame.held = self._end(frame, "child", child)
        elif frame.kind == "frame":
            name = element.attributes.get("attached_to", "")
            frame.base = frame.held = self.look_up(name, scope, element) if name else scope.own
        else:
            frame.base = scope.own
        said = element.first("pose")
        if said is None:
            return
        frame.steps = pose(said, self.findings)
        relative = said.attributes.get("relative_to", "")
        if relative:
            frame.base = self.look_up(relative, scope, said)
        elif said.attributes.get("frame"):
            remedy = "the attribute had no meaning in SDF 1.6: remove it, or write relative_to in SDF 1.7"
            self.findings.refuse(said.at, "<pose> with frame", remedy)

    def end(self, joint: Frame, tag: str) -> Frame | None:
        """The frame that a joint's ``<parent>`` or ``<child>`` names."""
        return self._end(joint, tag, joint.element.first(tag))

    def _end(self, joint: Frame, tag: str, element: Element | None) -> Frame | None:
        name = "" if element is None else element.text
        if element is None or not name:
            message = f"the joint {joint.name!r} has no <{tag}>"
            self.findings.refuse(joint.element.at, message, f"<{tag}>…</{tag}> names a link or a frame")
            return None
        return self.look_up(name, joint.scope, element, "link or frame")

    def _canonical(self, scope: Scope) -> Frame | None:
        """The link that a model's frame moves with: the first, or that which is named; None where there are none."""
        name = scope.element.attributes.get("canonical_link", "")
        if name:
            return self.look_up(name, scope, scope.element, "link")
        waiting = [scope]
        while waiting:
            found = waiting.pop()
            link = next((f for f in found.frames.values() if f.kind == "link"), None)
            if link is not None:
                return link
            waiting += reversed([*found.inner.values()])
        return None

    def _deepened(self, frame: Frame) -> None:
        """How deep a frame stands, and those that it stands in; an error where one stands in itself."""
        way: list[Frame] = []
        at: Frame | None = frame
        while at is not None and at.depth == UNKNOWN:
            at.depth = BEGUN
            way.append(at)
            at = at.base
        if at is not None and at.depth == BEGUN:
            message = f"the pose of {at.name!r} is given by itself"
            self.findings.refuse(at.element.at, message, "one of the frames stands in the model")
            self.findings.stop()
        below = -1 if at is None else at.depth
        for i, each in enumerate(reversed(way), 1):
            each.depth = below + i

    def _by_placement(self, scope: Scope) -> None:
        """The way to a model that is placed by a frame of its own: the pose, and the way back from there."""
        name = scope.element.attributes.get("placement_frame", "")
        found = self.look_up(name, scope, scope.element) if name else None
        if found is None:
            return
        at: Frame | None = found
        while at is not None and at is not scope.own:
            at = at.base
        if at is None:
            message = f"the frame {name!r} that is placed does not stand in its model"
            self.findings.refuse(scope.element.at, message, "name one that does")
            return
        scope.own.steps = merged((*scope.own.steps, *back(self.path(scope.own, found))))

    def path(self, start: Frame, end: Frame) -> Steps:
        """The constant transformations from one frame to another, as all stand in the file."""
        up: list[Frame] = []
        down: list[Frame] = []
        while start is not end:
            deeper, way = (start, up) if start.depth >= end.depth else (end, down)
            assert deeper.base is not None  # all frames stand in the world
            way.append(deeper)
            start, end = (deeper.base, end) if way is up else (start, deeper.base)
        out = (et for frame in up for et in back(frame.steps))
        return merged((*out, *(et for frame in reversed(down) for et in frame.steps)))

    def within(self, element: Element, frame: Frame, scope: Scope) -> Steps:
        """The way from a frame to an element that stands in it by its ``<pose>``, which may name another."""
        said = element.first("pose")
        if said is None:
            return ()
        relative = said.attributes.get("relative_to", "")
        base = self.look_up(relative, scope, said) if relative else frame
        return merged((*(() if base is None else self.path(frame, base)), *pose(said, self.findings)))

    def link_of(self, frame: Frame) -> Frame | None:
        """The link that a frame moves with; the world where it does not move; None: it moves with itself."""
        seen: set[int] = set()
        at: Frame | None = frame
        while at is not None and at.kind not in ("link", "world") and id(at) not in seen:
            seen.add(id(at))
            at = at.held
        if at is None or at.kind not in ("link", "world"):
            message = f"the frame {frame.name!r} moves with no link"
            self.findings.refuse(frame.element.at, message, "attach it to a link")
            return None
        return at

    @property
    def links(self) -> Iterator[Frame]:
        """The links, in the order of the file."""
        return (frame for frame in self.frames if frame.kind == "link")

    def is_static(self, frame: Frame) -> bool:
        """Whether a link or joint is of a model that does not move."""
        return frame.scope.static
