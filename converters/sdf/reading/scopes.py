"""Names and frames: each link, joint, model and <frame> is a frame with a pose relative to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.converters.findings import Findings
from mbconcord.converters.poses import Steps, back
from mbconcord.converters.xml_attributes import read_name
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model.diagnostics import among
from mbconcord.records import dataclass, field

from ..vocabulary import MODEL, NAMED_FRAMES, SCOPED_NAMES, WITHIN, WORLD
from .documents import merge_steps, pose, yes

#: Depths of frames that are not computed yet, and that are being computed.
UNKNOWN, BEGUN = -1, -2


@dataclass(eq=False)
class SdfFrame:
    """A frame: ``steps`` lead to it from the frame ``base``; ``held`` is the frame with which it moves.

    ``name`` is the outer name, ``kind`` "world", "model", "link", "joint" or "frame"; ``scope`` is where its element
    looks up names; ``depth`` counts the nested frames around it.
    """

    name: str
    kind: str
    element: XmlElement
    scope: SdfScope
    base: SdfFrame | None = None
    steps: Steps = ()
    held: SdfFrame | None = None
    depth: int = UNKNOWN


@dataclass(eq=False)
class SdfScope:
    """A world or a model as a name space: its frames and inner models by their local names."""

    prefix: str
    element: XmlElement
    outer: SdfScope | None
    static: bool
    own: SdfFrame = field(init=False)
    frames: dict[str, SdfFrame] = field(default_factory=dict)
    inner: dict[str, SdfScope] = field(default_factory=dict)

    def find(self, name: str) -> SdfFrame | None:
        """Return the frame of a name, or None; ``a::b`` is a frame with that name, else the frame b in the model a."""
        if name in self.frames:
            return self.frames[name]
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


class SdfScopes:
    """All frames of a document, with the scopes in which their names are looked up.

    Attributes
    ----------
    world : the fixed frame
    models : scopes of the models, each after the scope that contains it
    frames : all frames in the order of the file
    """

    def __init__(
        self, top: XmlElement, version: tuple[int, ...], findings: Findings, placed: Mapping[int, str] | None = None
    ) -> None:
        self.findings, self.version = findings, version
        root = SdfScope("", top, None, False)
        self.world = root.own = SdfFrame(WORLD, "world", top, root)
        self.models: list[SdfScope] = []
        self.frames: list[SdfFrame] = []
        self._inside(root)
        findings.stop()
        for frame in self.frames:
            self._place_frame(frame)
        findings.stop()
        for frame in self.frames:
            self._measure_depth(frame)
        for scope in reversed(self.models):
            self._by_placement(scope.own, scope, scope.element.attributes.get("placement_frame", ""))
        for frame in self.frames if placed else ():
            self._by_placement(frame, frame.scope, (placed or {}).get(id(frame.element), ""))
        findings.stop()

    # --- names

    def _inside(self, scope: SdfScope) -> None:
        """Read the frames in a world or model; a model's name prefixes names in it, unless a world has nothing else."""
        parts = [e for e in scope.element.children if e.tag in ("model", "link", "joint", "frame")]
        alone = scope.outer is None and [e.tag for e in parts] == ["model"]
        for element in parts:
            name = self._name(element, scope)
            if name is None:
                continue
            frame = SdfFrame(scope.prefix + name, element.tag, element, scope)
            self.frames.append(frame)
            scope.frames.setdefault(name, frame)
            if element.tag == "model" and name not in scope.inner:
                static = scope.static or yes(element.first("static"), False, self.findings)
                inner = SdfScope("" if alone else f"{frame.name}{WITHIN}", element, scope, static)
                scope.inner[name], inner.own = inner, frame
                self.models.append(inner)
                self._inside(inner)

    def _name(self, element: XmlElement, scope: SdfScope) -> str | None:
        name = read_name(element, "name", self.findings)
        if name is None:
            return None
        scoped = WITHIN in name and self.version >= SCOPED_NAMES
        reserved = name == WORLD or (name.startswith("__") and name.endswith("__")) or scoped
        first = scope.frames.get(name)
        if reserved:
            message = f"the {element.tag} {name!r} has a name of SDF's own"
            self.findings.refuse(element.at, message, "rename it")
        elif first is not None and (first.kind == element.tag or self.version >= NAMED_FRAMES):
            message = f"the {element.tag} {name!r} has the name of the {first.kind} in line {first.element.at.line}"
            self.findings.refuse(element.at, message, "rename one")
        return name

    def look_up(self, name: str, scope: SdfScope, at: XmlElement, what: str = "frame") -> SdfFrame | None:
        """Return the frame of a name; record an error and return None if it does not exist."""
        found = scope.find(name)
        if found is None:
            self.findings.refuse(at.at, f"there is no {what} {name!r}", among(name, scope.frames))
        return found

    # --- poses

    def _place_frame(self, frame: SdfFrame) -> None:
        """Set the base of a frame, the steps from the base, and the frame with which it moves."""
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
        frame.base = self.find_base(said, scope, frame.base)

    def find_base(self, said: XmlElement, scope: SdfScope, own: SdfFrame | None) -> SdfFrame | None:
        """Return the frame that ``relative_to`` names, else ``own``; in old files ``frame`` may only name ``own``."""
        relative, old = (said.attributes.get(key, "") for key in ("relative_to", "frame"))
        if relative:
            if self.version < NAMED_FRAMES:
                message = "relative_to is of SDF 1.7: Gazebo 10 and older programs ignore it"
                self.findings.remark("warning", "relative_to", said.at, message, 'write version="1.7"')
            return self.look_up(relative, scope, said)
        if old and (own is None or scope.find(old) is not own):
            found = f"<pose> with frame={old!r}: programs ignore it, SDF 1.5 and 1.6 say that it names a frame"
            self.findings.refuse(said.at, found, "remove it, or write relative_to in SDF 1.7")
        return own

    def end(self, joint: SdfFrame, tag: str) -> SdfFrame | None:
        """Return the frame that a joint's ``<parent>`` or ``<child>`` names."""
        return self._end(joint, tag, joint.element.first(tag))

    def _end(self, joint: SdfFrame, tag: str, element: XmlElement | None) -> SdfFrame | None:
        name = "" if element is None else element.text
        if element is None or not name:
            message = f"the joint {joint.name!r} has no <{tag}>"
            self.findings.refuse(joint.element.at, message, f"<{tag}>…</{tag}> names a link or a frame")
            return None
        return self.look_up(name, joint.scope, element, "link or frame")

    def _canonical(self, scope: SdfScope) -> SdfFrame | None:
        """Return the link with which a model's frame moves: the named one, else the first; None without links."""
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

    def _measure_depth(self, frame: SdfFrame) -> None:
        """Set the depth of a frame and of its bases; record an error if a frame is based on itself."""
        way: list[SdfFrame] = []
        at: SdfFrame | None = frame
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

    def _by_placement(self, own: SdfFrame, scope: SdfScope, name: str) -> None:
        """Set the steps to a model whose pose places a frame in it: the pose, then from that frame to the model's."""
        found = self.look_up(name, scope, own.element) if name else None
        if found is None:
            return
        at: SdfFrame | None = found
        while at is not None and at is not own:
            at = at.base
        if at is None:
            message = f"the frame {name!r} that is placed does not stand in its model"
            self.findings.refuse(own.element.at, message, "name one that does")
            return
        own.steps = merge_steps((*own.steps, *back(self.path(own, found))))

    def path(self, start: SdfFrame, end: SdfFrame) -> Steps:
        """Return the constant transformations from one frame to another, at the pose of the file."""
        up: list[SdfFrame] = []
        down: list[SdfFrame] = []
        while start is not end:
            deeper, way = (start, up) if start.depth >= end.depth else (end, down)
            assert deeper.base is not None  # all frames stand in the world
            way.append(deeper)
            start, end = (deeper.base, end) if way is up else (start, deeper.base)
        out = (et for frame in up for et in back(frame.steps))
        return merge_steps((*out, *(et for frame in reversed(down) for et in frame.steps)))

    def find_path_to_element(self, element: XmlElement, frame: SdfFrame, scope: SdfScope) -> Steps:
        """Return the steps from a frame to an element placed in it by a ``<pose>``, which may name another frame."""
        said = element.first("pose")
        if said is None:
            return ()
        base = self.find_base(said, scope, frame)
        return merge_steps((*(() if base is None else self.path(frame, base)), *pose(said, self.findings)))

    def link_of(self, frame: SdfFrame) -> SdfFrame | None:
        """Return the link or world with which a frame moves; record an error and return None if there is none."""
        seen: set[int] = set()
        at: SdfFrame | None = frame
        while at is not None and at.kind not in ("link", "world") and id(at) not in seen:
            seen.add(id(at))
            at = at.held
        if at is None or at.kind not in ("link", "world"):
            message = f"the frame {frame.name!r} moves with no link"
            self.findings.refuse(frame.element.at, message, "attach it to a link")
            return None
        return at

    @property
    def links(self) -> Iterator[SdfFrame]:
        """The links, in the order of the file."""
        return (frame for frame in self.frames if frame.kind == "link")
