"""The text files of Universal Mechanism as a tree that keeps everything except the layout.

A block ``with joint1; …`` runs to the next ``with``; only ``with main;`` is closed, by ``with end;``. A table
(:data:`PARENTS`) gives each block's parent: the elementary transformations of a joint belong to the joint, a scalar
force to the block before it, a subsystem's ``main`` to its ``subs``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mbconcord.model import Location
from mbconcord.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text between ``$`` and the end of the line, without blanks around it."""

    text: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute ``key=value;``, the value as written without blanks around it. ``line``, ``column`` locate the key.

    ``comments`` stand before the attribute; ``value_line`` and ``value_column`` locate its value.
    """

    key: str
    value: str = ""
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    comments: tuple[Comment, ...] = ()
    value_line: int = field(default=0, compare=False)
    value_column: int = field(default=0, compare=False)

    def locate(self, file: str) -> Location:
        """Return the location of the key."""
        return Location(file, max(self.line, 1), max(self.column, 1))

    def value_at(self, file: str) -> Location:
        """Return the location of the value (of the key, if the value is empty)."""
        if not self.value_line:
            return self.locate(file)
        return Location(file, self.value_line, self.value_column)


@dataclass(frozen=True, slots=True)
class UmBlock:
    """A block ``with joint1;``: keyword ``joint``, number 1, its attributes, then the blocks that belong to it.

    ``comments`` stand before the block; ``closing`` are the comments of a ``main`` before its ``with end;``.
    """

    keyword: str
    number: int | None = None
    attributes: tuple[Attribute, ...] = ()
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    blocks: tuple[UmBlock, ...] = ()
    comments: tuple[Comment, ...] = ()
    closing: tuple[Comment, ...] = ()

    @property
    def heading(self) -> str:
        """Keyword and number: ``joint1``."""
        return f"{self.keyword}{'' if self.number is None else self.number}"

    def locate(self, file: str) -> Location:
        """Return the location of the block."""
        return Location(file, max(self.line, 1), max(self.column, 1))

    def attribute(self, key: str) -> Attribute | None:
        """Return the first attribute with a key, or None."""
        for attribute in self.attributes:
            if attribute.key == key:
                return attribute
        return None

    def get(self, key: str, default: str = "") -> str:
        """Return the value of the first attribute with a key, as written."""
        found = self.attribute(key)
        return default if found is None else found.value

    def text(self, key: str) -> str:
        """Return the value of a key without its quotation marks."""
        value = self.get(key)
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value

    def all(self, *keywords: str) -> tuple[UmBlock, ...]:
        """Return the direct inner blocks with these keywords, in order."""
        return tuple(block for block in self.blocks if block.keyword in keywords)

    def walk(self) -> Iterator[UmBlock]:
        """Yield this block and all blocks in it, in file order."""
        stack = [self]
        while stack:
            block = stack.pop()
            yield block
            stack.extend(reversed(block.blocks))


@dataclass(frozen=True, slots=True)
class UmDocument:
    """A file: its header word (``icf``; input.dat has none), its blocks, attributes before the first block.

    ``ended`` is true when a ``with end;`` closes the file itself and not a ``main``.
    """

    blocks: tuple[UmBlock, ...] = ()
    header: str = ""
    attributes: tuple[Attribute, ...] = ()
    ended: bool = False
    comments: tuple[Comment, ...] = ()

    @property
    def main(self) -> UmBlock | None:
        """The ``main`` block of the file, or None."""
        return next((block for block in self.blocks if block.keyword == "main"), None)

    def walk(self) -> Iterator[UmBlock]:
        """Yield all blocks in file order."""
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
