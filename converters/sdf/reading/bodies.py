"""Links as bodies: how each is carried; joints that close loops as closures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.converters.findings import Findings
from mbconcord.converters.turns import Steps, back
from mbconcord.model import Body, Coordinate, FrameCoincidence, Inertia, rotation, translation
from mbconcord.model.transformation import Frame as At

from ..vocabulary import FREE
from .joints import Joints
from .scopes import Frame, Scopes
from .tree import Tree


class Bodies:
    """Makes the bodies, coordinates and closures of a tree."""

    def __init__(self, scopes: Scopes, joints: Joints, tree: Tree, findings: Findings) -> None:
        self.scopes, self.joints, self.tree, self.findings = scopes, joints, tree, findings
        self.free = {id(link): joints.group(link.name, FREE) for link in tree.free}

    def bodies(self, inertias: Mapping[str, Inertia]) -> Iterator[Body]:
        """A body for each link, behind what carries it."""
        for link in self.tree.order:
            self.findings.locations[f"bodies/{link.name}"] = link.element.at
            parent = self.tree.parent(link)
            yield Body(link.name, _name(parent), self._way(link), inertias[link.name])

    def _way(self, link: Frame) -> Steps:
        """From what carries a link; one that nothing carries moves freely from where it stands in the file."""
        place = f"bodies/{link.name}/joint"
        if link in self.tree.carrying:
            joint, inward = self.tree.carrying[link]
            self.findings.locations[place] = joint.frame.element.at
            return joint.inward if inward else joint.outward
        self.findings.locations[place] = link.element.at
        there = self.scopes.path(self.scopes.world, link)
        if id(link) not in self.free:
            return there
        names = self.free[id(link)]
        self.findings.locations |= {f"coordinates/{name}": link.element.at for name in names}
        along = (translation(axis, name) for axis, name in zip("xyz", names, strict=False))
        about = (rotation(axis, name) for axis, name in zip("zyx", names[3:], strict=True))
        return (*there, *along, *about)

    def coordinates(self) -> Iterator[Coordinate]:
        """Those of free links, then those of joints in the order of the file."""
        carrying = {joint.name for joint in self.tree.joints}
        for link in self.tree.free:
            yield from map(Coordinate, self.free[id(link)])
        for joint in self.joints.found.values():
            if joint.name in carrying:
                yield from map(Coordinate, joint.coordinates)

    def closures(self) -> Iterator[FrameCoincidence]:
        """A cut joint for each that closes a loop: its frame on the parent, moved, is that on the child."""
        for joint in self.tree.closing:
            self.findings.locations[f"constraints/{joint.name}"] = joint.frame.element.at
            first = At(_name(joint.parent), (*joint.before, *joint.motion))
            yield FrameCoincidence(joint.name, first, At(_name(joint.child), back(joint.after)))


def _name(link: Frame | None) -> str | None:
    """The body of a link; None of the world."""
    return None if link is None or link.kind == "world" else link.name
