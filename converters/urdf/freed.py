"""A robot whose root is not welded to the world: a floating joint in the text, which every program reads alike."""

from __future__ import annotations

from itertools import count
from typing import Final

from mbconcord.converters.xml_text import Element, parse, printed
from mbconcord.model.diagnostics import ReadError, error

WORLD: Final = "world"
JOINT: Final = "floating_base"


def freed(text: str, file: str) -> str:
    """The text with a link ``world`` and a floating joint from it to the root, on the line where ``<robot>`` ends.

    A text without one root is left as it is: its reader refuses it.

    Raises
    ------
    ReadError
        The root, or another link, is the world itself.
    """
    root = parse(text, file).root
    links = {e.attributes.get("name", "") for e in root.all("link")}
    joints = root.all("joint")
    children = {e.attributes.get("link", "") for joint in joints for e in joint.all("child")}
    roots = sorted(links - children)
    if WORLD in links:
        message = f"the link {WORLD!r} of the robot is the fixed frame: what hangs on it says how it moves"
        raise ReadError(error("--free-base", message, "leave out --free-base, or rename the link"))
    if root.tag != "robot" or len(roots) != 1:
        return text
    taken = {e.attributes.get("name", "") for e in joints}
    name = JOINT if JOINT not in taken else next(n for i in count(2) if (n := f"{JOINT}_{i}") not in taken)
    child = Element("child", {"link": roots[0]}, root.at)
    parent = Element("parent", {"link": WORLD}, root.at)
    joint = Element("joint", {"name": name, "type": "floating"}, root.at, [parent, child])
    made = "".join(_on_one_line(e) for e in (Element("link", {"name": WORLD}, root.at), joint))
    at = _offset(text, root)
    return text[:at] + made + text[at:]


def _on_one_line(element: Element) -> str:
    return "".join(line.strip() for line in printed(element))


def _offset(text: str, root: Element) -> int:
    """Where the first child begins, before the blanks that lead to it: no place behind that line is moved."""
    first = next(iter(root.children)).at
    lines = text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: first.line - 1]) + first.column - 1
    return len(text[:offset].rstrip())
