"""What is worth saying of links and joints that are read: closures, inertia that nobody gave, nothing that weighs."""

from __future__ import annotations

from mbconcord.converters.findings import Findings

from .masses import Masses
from .scopes import Frame
from .tree import Tree


def remarks(tree: Tree, masses: Masses, findings: Findings) -> None:
    """Notes on closures, warnings of inertia by default and of joints that move nothing that weighs."""
    for joint in tree.closing:
        message = f"the joint {joint.name!r} closes a loop: it is held as a constraint"
        findings.note(joint.frame.element.at, f"constraints/{joint.name}", message)
    moving = {id(link) for link in tree.order if link not in tree.fixed}
    for link in masses.silent:
        if id(link) in moving:
            message = f"the link {link.name!r} says no mass: SDF takes 1 kg and 1 kg m² about each axis"
            findings.remark("warning", "silent", link.element.at, message, "give it <inertial> with <mass>")
    for link, element, reason in masses.unread:
        findings.unweighed(element.at, link.name, reason)
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


def _moves(tree: Tree, link: Frame) -> bool:
    return link in tree.free or (link in tree.carrying and bool(tree.carrying[link][0].coordinates))
