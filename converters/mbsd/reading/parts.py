"""From the parse tree to the parts of a text: chains, global items, assignments."""

from __future__ import annotations

from dataclasses import replace

from lark import Token, Tree

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location

from .chains import Chains
from .itemize import describe, read_item
from .items import (
    Assignment,
    Braces,
    Item,
    Mass,
    Tensor,
)
from .outline import Outline


def parts(tree: Tree[Token], file: str) -> Outline:
    """The outline of a parsed text; errors are in its ``findings``."""
    found = Outline(Findings(file))
    start = Location(file, 1, 1)
    first = True
    for part in tree.children:
        if isinstance(part, Token):
            start = found.at(part)
        elif part.data == "chain":
            Chains(found).read(part, start, may_be_empty=first and len(tree.children) > 1)
        elif part.data == "globals":
            found.common += _common(part, found)
        elif part.data == "assignments":
            found.assignments += [_assignment(a, found) for a in part.children if isinstance(a, Tree)]
        first = False
    return found


def _assignment(node: Tree[Token], found: Outline) -> Assignment:
    token = node.children[0]
    assert isinstance(token, Token)
    value = node.children[-1]
    arguments = None
    if node.data == "definition":
        listed = next(c for c in node.children if isinstance(c, Tree) and c.data == "argument_list")
        arguments = tuple(str(c) for c in listed.children if isinstance(c, Token))
    return Assignment(str(token), arguments, value, found.at(token))


def _common(node: Tree[Token], found: Outline) -> list[Item]:
    items: list[Item] = []
    for child in node.children:
        item = read_item(child, found)
        if isinstance(item, Braces):
            if not items or not isinstance(items[-1], (Mass, Tensor)):
                found.findings.refuse(
                    item.at, "found '{', expected '[' or '$' before it", "a centre of mass follows [] or $"
                )
                continue
            item = replace(item, centre=True)
        if any(type(other) is type(item) for other in items):
            found.findings.refuse(item.at, f"a second {describe(item)} among the global items; expected one")
            continue
        items.append(item)
    return items
