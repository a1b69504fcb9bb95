"""Conversion of the parse tree to the parts of a text: chains, global items, assignments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token, Tree

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location
from mbconcord.model.expressions.formula import first_token
from mbconcord.model.limits import COUNT_DIGITS, MBSD_ITEMS, MBSD_REPETITIONS, count

from .items import (
    Back,
    Braces,
    Chain,
    Connector,
    Degree,
    Item,
    MbsdAssignment,
    MbsdMass,
    MbsdName,
    MbsdShift,
    MbsdWeight,
    Next,
    Outline,
    Segment,
    Suffix,
    Tensor,
    describe,
    read_item,
)

# From the items of a chain to its segments: repetitions, suffixes, bodies and offsets.


#: Tokens that are items by themselves.
_ITEMS = ("BODY", "NEXT", "CLOSURE")
_SUFFIX_WORDS = {"°": "an initial position", "'": "an initial velocity", '"': "a joint force"}


class Chains:
    """Reader of chains of the parse tree, which adds each to the outline."""

    def __init__(self, found: Outline) -> None:
        self.found = found

    def read(self, node: Tree[Token], start: Location, may_be_empty: bool) -> None:
        """Read the chain of a part of the tree that begins at ``start``."""
        if not self._small(node):
            return
        items = self._flat(node.children)
        if not items:
            if not may_be_empty:
                self.found.findings.refuse(
                    start, "an empty chain, expected a body", "remove the separator or add a body"
                )
            return
        at = items[0].at
        root = items.pop(0) if isinstance(items[0], MbsdName) else None
        assert root is None or isinstance(root, MbsdName)
        self._split_at_connector(items, root, at)

    def _small(self, chain: Tree[Token]) -> bool:
        """Return True if a chain, repetitions expanded, has few enough items and levels of nesting; else refuse it."""
        counts: dict[int, int] = {}
        depths: dict[int, int] = {}
        for node in chain.iter_subtrees():  # what is repeated comes before its repetition
            inner = [c for c in node.children if isinstance(c, Tree)]
            if node.data not in ("repeat", "chain"):
                continue
            depths[id(node)] = 1 + max((depths.get(id(c), 0) for c in inner), default=0)
            single = sum(isinstance(c, Token) and c.type in _ITEMS for c in node.children)
            times, once = max(_times(node), 1), single + sum(counts.get(id(c), 1) for c in inner)
            counts[id(node)] = times * once
            first = first_token(node)
            at = self.found.locate(first) if first is not None else Location(self.found.findings.file, 1, 1)
            if times * once > MBSD_ITEMS:
                message = f"{count(times, 'repetition')} of {count(once, 'item')}: more than {MBSD_ITEMS:,} in all"
                remedy = "generate a model of this size in another format"
                self.found.findings.refuse(at, message, remedy)
                return False
            if depths[id(node)] > MBSD_REPETITIONS:
                message = f"repetitions nested deeper than {MBSD_REPETITIONS}"
                self.found.findings.refuse(at, message, "write them out")
                return False
        return True

    def _flat(self, nodes: list[Any], inner: bool = False) -> list[Item]:
        """List items in order, with repetitions expanded and suffixes attached to their coordinates."""
        items: list[Item] = []
        for node in nodes:
            if isinstance(node, Tree) and node.data == "repeat":
                items += self._repeat(node)
                continue
            item = read_item(node, self.found)
            if isinstance(item, Suffix):
                self._attach(item, items)
                continue
            if inner and isinstance(item, (MbsdName, Connector, Back)):
                remedy = "only letters, shifts, masses, inertias, '>' and g may be repeated"
                self.found.findings.refuse(item.at, "found a name or connector in a repetition", remedy)
                continue
            items.append(item)
        return items

    def _repeat(self, node: Tree[Token]) -> list[Item]:
        times = _times(node)
        if not times:
            last = str(node.children[-1])
            shown = last if len(last) < 20 else f"{last[:17]}..."
            message = f"found {shown} repetitions, expected a whole number from 1"
            self.found.findings.refuse(self.found.locate(node.children[-1]), message)
        nodes = [c for c in node.children[1:] if isinstance(c, Tree) or c.type in _ITEMS]
        items = self._flat(nodes, inner=True)
        copies: list[Item] = []
        for _ in range(max(times, 1)):
            copies += [replace(i, suffixes=dict(i.suffixes)) if isinstance(i, Degree) else i for i in items]
        return copies

    def _attach(self, suffix: Suffix, items: list[Item]) -> None:
        at = len(items) - 1
        while at >= 0 and isinstance(items[at], MbsdMass):
            at -= 1
        owner = items[at] if at >= 0 else None
        what = _SUFFIX_WORDS[suffix.sign]
        if not isinstance(owner, Degree):
            remedy = f"{suffix.sign} gives {what}"
            self.found.findings.refuse(suffix.at, f"found {suffix.sign!r}, expected a coordinate u…z before it", remedy)
        elif suffix.sign in owner.suffixes:
            self.found.findings.refuse(
                suffix.at, f"a second {suffix.sign!r}; a coordinate has one {what.split(' ', 1)[1]}"
            )
        else:
            owner.suffixes[suffix.sign] = suffix

    def _split_at_connector(self, items: list[Item], root: MbsdName | None, at: Location) -> None:
        where = next((i for i, item in enumerate(items) if isinstance(item, Connector)), None)
        before = items if where is None else items[:where]
        for item in before:
            if isinstance(item, Back):
                self.found.findings.refuse(
                    item.at, "found '<' without a connector before it", "as in #a :(L) {1,0} < #b"
                )
                return
        segments: list[Segment] = []
        current: list[Item] = []
        began = at
        for item in before:
            if isinstance(item, Next):
                self._close(segments, current, began, "'>'")
                current, began = [], item.at
            else:
                current.append(item)
        if where is None:
            self._close(segments, current, began, "the end of the chain")
            self.found.chains.append(Chain(root, tuple(segments), at))
            return
        connector = items[where]
        assert isinstance(connector, Connector)
        left = None
        is_offset = not segments and not any(isinstance(i, (MbsdMass, Tensor, MbsdName)) for i in current)
        if is_offset and (root is not None or not current):
            left = Segment(self._segment(current), began)
        else:
            self._close(segments, current, began, "the connector")
        right, end = self._right(items[where + 1 :], connector)
        self.found.chains.append(Chain(root, tuple(segments), at, connector, left, right, end))

    def _close(self, segments: list[Segment], items: list[Item], began: Location, what: str) -> None:
        if not items:
            message = f"nothing stands before {what}, expected a body"
            self.found.findings.refuse(began, message, "a body has at least one letter, mass, inertia or name")
        segments.append(Segment(self._segment(items), began))

    def _right(self, items: list[Item], connector: Connector) -> tuple[Segment, Back | None]:
        end = items[-1] if items and isinstance(items[-1], Back) else None
        assert end is None or isinstance(end, Back)
        offset = items[:-1] if end else items
        for item in offset:
            if not isinstance(item, (MbsdShift, Braces, MbsdWeight)):
                message = {
                    Degree: "found a coordinate at the right of a connector; expected constant shifts",
                    Connector: "found a second connector; expected one per chain",
                    Next: "found '>' after a connector; expected a shift, '<' or the end",
                    Back: "found '<' before the end of the chain; expected it last",
                }.get(type(item), f"found {describe(item)} at the right of a connector; expected shifts or '<'")
                self.found.findings.refuse(item.at, message, "a connector ends its chain: begin another with '\\'")
                return Segment((), connector.at), end
        return Segment(self._segment(offset), connector.at), end

    def _segment(self, items: list[Item]) -> tuple[Item, ...]:
        """Return the items of one segment, with its braces classified and its order checked."""
        result: list[Item] = []
        weight = name = False
        for item in items:
            if isinstance(item, Braces):
                centre = bool(result) and isinstance(result[-1], (MbsdMass, Tensor))
                if not centre and not item.values:
                    message = "found '{}', expected values: only a centre of mass may be empty"
                    self.found.findings.refuse(item.at, message, "a centre of mass follows $… or […]")
                    continue
                item = replace(item, centre=centre)
            moves = isinstance(item, (MbsdShift, Degree)) or (isinstance(item, Braces) and not item.centre)
            if name and not isinstance(item, MbsdWeight):
                message = "found a second name" if isinstance(item, MbsdName) else "found an item after the body's name"
                self.found.findings.refuse(item.at, f"{message}; expected a separator or g", "a name ends its body")
            elif weight and moves:
                message = "found a transformation after gravity; expected '>', '\\', ';' or the end"
                self.found.findings.refuse(item.at, message, "write g last in its segment")
            kind = Braces if isinstance(item, Braces) else type(item)
            single = isinstance(item, (MbsdMass, Tensor)) or (isinstance(item, Braces) and item.centre)
            if single and any(type(o) is kind and getattr(o, "centre", True) for o in result):
                self.found.findings.refuse(item.at, f"a second {describe(item)} in one body; expected one")
                continue
            weight, name = weight or isinstance(item, MbsdWeight), name or isinstance(item, MbsdName)
            result.append(item)
        return tuple(result)


def _times(node: Tree[Token]) -> int:
    """Return the number of repetitions: 1 by default; 0 if it is not an integer from 1."""
    last = node.children[-1] if node.data == "repeat" else None
    if not isinstance(last, Token) or last.type != "NUMBER":
        return 1
    return int(last) if last.isdecimal() and len(last) <= COUNT_DIGITS else 0


def parts(tree: Tree[Token], file: str) -> Outline:
    """Return the outline of a parse tree; errors are in its ``findings``."""
    found = Outline(Findings(file))
    start = Location(file, 1, 1)
    first = True
    for part in tree.children:
        if isinstance(part, Token):
            start = found.locate(part)
        elif part.data == "chain":
            Chains(found).read(part, start, may_be_empty=first and len(tree.children) > 1)
        elif part.data == "globals":
            found.common += _common(part, found)
        elif part.data == "assignments":
            found.assignments += [_assignment(a, found) for a in part.children if isinstance(a, Tree)]
        first = False
    return found


def _assignment(node: Tree[Token], found: Outline) -> MbsdAssignment:
    token = node.children[0]
    assert isinstance(token, Token)
    value = node.children[-1]
    arguments = None
    if node.data == "definition":
        listed = next(c for c in node.children if isinstance(c, Tree) and c.data == "argument_list")
        arguments = tuple(str(c) for c in listed.children if isinstance(c, Token))
    return MbsdAssignment(str(token), arguments, value, found.locate(token))


def _common(node: Tree[Token], found: Outline) -> list[Item]:
    items: list[Item] = []
    for child in node.children:
        item = read_item(child, found)
        if isinstance(item, Braces):
            if not items or not isinstance(items[-1], (MbsdMass, Tensor)):
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
