"""The text files of Universal Mechanism as a tree that keeps everything but the layout.

A block ``with joint1; …`` runs to the next ``with``; only ``with main;`` is closed, by ``with end;``. Which block
belongs to which is a table (:data:`PARENTS`): the elementary transformations of a joint stand in the joint, a
scalar force in the block before it, a subsystem's ``main`` in its ``subs``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mbconcord.model import Location


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text between ``$`` and the end of the line, without blanks around it."""

    text: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """``key=value;`` as written, without blanks around the value. ``line`` and ``column`` are those of the key.

    ``comments`` stand before it; ``value_line`` and ``value_column`` say where the value begins.
    """

    key: str
    value: str = ""
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    comments: tuple[Comment, ...] = ()
    value_line: int = field(default=0, compare=False)
    value_column: int = field(default=0, compare=False)

    def at(self, file: str) -> Location:
        """Where the key stands."""
        return Location(file, max(self.line, 1), max(self.column, 1))

    def value_at(self, file: str) -> Location:
        """Where the value stands (the key, when it is empty)."""
        if not self.value_line:
            return self.at(file)
        return Location(file, self.value_line, self.value_column)


@dataclass(frozen=True, slots=True)
class Block:
    """``with joint1;``: keyword ``joint``, number 1, its attributes, then the blocks that belong to it.

    ``comments`` stand before it; ``closing`` are those of a ``main`` before its ``with end;``.
    """

    keyword: str
    number: int | None = None
    attributes: tuple[Attribute, ...] = ()
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    blocks: tuple[Block, ...] = ()
    comments: tuple[Comment, ...] = ()
    closing: tuple[Comment, ...] = ()

    @property
    def heading(self) -> str:
        """Keyword and number: ``joint1``."""
        return f"{self.keyword}{'' if self.number is None else self.number}"

    def at(self, file: str) -> Location:
        """Where the block begins."""
        return Location(file, max(self.line, 1), max(self.column, 1))

    def attribute(self, key: str) -> Attribute | None:
        """The first attribute of that key, or None."""
        for attribute in self.attributes:
            if attribute.key == key:
                return attribute
        return None

    def get(self, key: str, default: str = "") -> str:
        """The value of the first attribute of that key, as written."""
        found = self.attribute(key)
        return default if found is None else found.value

    def text(self, key: str) -> str:
        """The value of a key without its quotation marks."""
        value = self.get(key)
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value

    def all(self, *keywords: str) -> tuple[Block, ...]:
        """The blocks of these keywords that belong to this one, in order."""
        return tuple(block for block in self.blocks if block.keyword in keywords)

    def walk(self) -> Iterator[Block]:
        """This block and all blocks in it, in the order of the file."""
        stack = [self]
        while stack:
            block = stack.pop()
            yield block
            stack.extend(reversed(block.blocks))


@dataclass(frozen=True, slots=True)
class Document:
    """A file: its header word (``icf``; input.dat has none), its blocks, attributes that stand before any block.

    ``ended`` is true when a ``with end;`` closes the file itself and not a ``main``.
    """

    blocks: tuple[Block, ...] = ()
    header: str = ""
    attributes: tuple[Attribute, ...] = ()
    ended: bool = False
    comments: tuple[Comment, ...] = ()

    @property
    def main(self) -> Block | None:
        """The ``main`` block of the file, or None."""
        return next((block for block in self.blocks if block.keyword == "main"), None)

    def walk(self) -> Iterator[Block]:
        """All blocks in the order of the file."""
        for block in self.blocks:
            yield from block.walk()


#: Blocks that belong to a block before them, by keyword; every other block belongs to the enclosing ``main``.
PARENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "main": ("subs",),
    "ge": ("go",),
    "curveexpression": ("curve",),
    "jnt1dof": ("joint",),
    "jnt6dof": ("joint", "body"),
    "et": ("joint",),
    "scalarforce": ("et", "jnt1dof", "jnt6dof", "joint", "bfrc", "lfrc", "sfrc"),
    "grwindowvar": ("graphwindow", "animwindow"),
    "grvar": ("grwindowvar", "page"),
    "outputitem": ("simulink",),
    "inputitem": ("simulink",),
}
