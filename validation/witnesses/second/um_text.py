"""Blocks of the text of an input.dat: ``with keyword; key=value; …``, with objects within objects.

``$`` begins a comment; between quotes or braces any text may stand; ``with main;`` … ``with end;`` is an object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .machine import UnreadError


@dataclass
class SecondUmBlock:
    """A block with its values, and the blocks that belong to it, as a joint's transformations; ``frames`` by number."""

    keyword: str
    values: dict[str, str] = field(default_factory=dict)
    within: list[SecondUmBlock] = field(default_factory=list)
    frames: dict[str, dict[str, str]] = field(default_factory=dict)

    def word(self, key: str) -> str:
        """Return the value of a key without quotes; empty if missing."""
        return self.values.get(key, "").strip().strip('"')

    def all(self, keyword: str) -> list[SecondUmBlock]:
        """List the blocks with a keyword that belong to this one."""
        return [b for b in self.within if b.keyword == keyword]


#: Keyword of a block that belongs to an earlier block -> possible keywords of that block.
OWNERS = {
    "et": ("joint",), "jnt1dof": ("joint",), "jnt6dof": ("joint", "body"), "curveexpression": ("curve",),
    "ge": ("go",), "scalarforce": ("et", "jnt1dof", "jnt6dof", "bfrc", "joint"),
}  # fmt: skip
#: The comment of an identifier that has no value.
OPEN = "no value"
#: Blocks whose values are read: a key that occurs twice in one of them is refused as ambiguous.
READ = frozenset(
    {"main", "const", "egravity", "subs", "body", "joint", "et", "jnt1dof", "jnt6dof", "scalarforce", "bfrc"}
)


def main_object(text: str) -> SecondUmBlock:
    """Return the object of a file with its blocks; objects of subsystems are within their blocks ``subs``."""
    found: list[SecondUmBlock] = []
    stack: list[SecondUmBlock] = []
    for statement in _statements(text):
        if statement.startswith("with "):
            keyword = statement[5:].strip().rstrip("0123456789")
            if keyword == "end":
                if not stack:
                    raise UnreadError("an end without its main")
                stack.pop()
            elif keyword == "main":
                main = SecondUmBlock("main")
                (stack[-1].within[-1].within if stack else found).append(main)
                stack.append(main)
            else:
                _owner(stack, keyword).within.append(SecondUmBlock(keyword))
        elif stack:
            _attribute(_last(stack[-1]), statement)
    if stack or len(found) != 1:
        raise UnreadError("a text without one object")
    return found[0]


def _last(block: SecondUmBlock) -> SecondUmBlock:
    """Return the block that the next values belong to: the one that was opened last within a block."""
    while block.within and block.within[-1].keyword != "main":
        block = block.within[-1]
    return block


def _owner(stack: list[SecondUmBlock], keyword: str) -> SecondUmBlock:
    if not stack:
        raise UnreadError(f"a block {keyword} before main")
    at, owners = stack[-1], OWNERS.get(keyword, ())
    way = [at]
    while way[-1].within and way[-1].within[-1].keyword != "main":
        way.append(way[-1].within[-1])
    return next((b for b in reversed(way) if b.keyword in owners), at)


def _attribute(block: SecondUmBlock, statement: str) -> None:
    key, equals, value = statement.partition("=")
    key = key.strip()
    if not equals:
        return
    part = block.keyword == "sfrc" and re.fullmatch(r"p\d[xyz]|(axis|angle)\d", key)
    if block.keyword == "jnt6dof" or key == "position" or part:
        if key == "position":
            block.values["position"] = value.strip()
            block.frames[value.strip()] = {}
            return
        target = block.frames.setdefault(block.values.get("position", "0"), {})
    else:
        target = block.values
    if key == "cnst":
        inner = value.strip().removeprefix("(").removesuffix(")")
        name, _, rest = inner.partition("#")
        value, _, comment = rest.partition("#")
        key, value = f"cnst {name.strip()}", OPEN if comment.strip().strip('"') == OPEN else value
    if key in target and block.keyword in READ:
        raise UnreadError(f"a second {key} in {block.keyword}")
    target[key] = value.strip()


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a text, which end with semicolons, without comments."""
    found, quote, depth = "", "", 0
    lines = iter(text)
    for c in lines:
        if quote:
            quote = "" if c == quote else quote
        elif c == '"' or (c == "'" and depth):
            quote = c
        elif c == "$":
            while c not in ("\n", ""):
                c = next(lines, "")
        elif c in "{}":
            depth += 1 if c == "{" else -1
        elif c == ";" and depth == 0:
            yield " ".join(found.split()) if '"' not in found else found.strip()
            found = ""
            continue
        found += c
    if found.strip():
        raise UnreadError("a text that is cut off")
