"""In which order a set takes its identifiers from the kernel, and whether its parts say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lark import Token

from .syntax import Node, Procedure

#: Members of the struct that are no identifiers: the work array, sines and cosines, joint forces, accelerations.
_INTERNAL = re.compile(r"_(?:[sc]\d+|jf\d+|ap)?")
_MEMBER = re.compile(r"_->(\w+)")
_ELEMENT = re.compile(r"_parmarr\[(\d{1,6})\]")


def identifiers(
    procedures: Mapping[str, Procedure], members: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names in the order of the array that ParCalc reads, and what of the set says another order.

    Without ParCalc they are the members of the struct that UM has no use for.
    """
    declared = tuple(name for name in members if not _INTERNAL.fullmatch(name))
    if "ParCalc" not in procedures:
        return declared, ()
    read = _numbered(procedures["ParCalc"], name_first=True)
    names = tuple(name for _, name in sorted(read, key=lambda pair: pair[0]))
    return names, tuple(_doubts(read, names, declared, procedures))


def _doubts(
    read: Sequence[tuple[int, str]], names: tuple[str, ...], declared: tuple[str, ...],
    procedures: Mapping[str, Procedure],
) -> Iterator[str]:  # fmt: skip
    numbers = sorted(number for number, _ in read)
    if numbers != list(range(len(numbers))) or len(set(names)) < len(names):
        listed = ", ".join(f"{name} from element {number}" for number, name in read)
        yield f"ParCalc does not read one identifier from each element of the kernel's array: {listed}"
    if declared and declared != names:
        yield f"ParCalc reads {', '.join(names)}, the struct declares {', '.join(declared)}"
    if "GetIdentifiers" in procedures:
        back = _numbered(procedures["GetIdentifiers"], name_first=False)
        if sorted(back) != sorted(read):
            listed = ", ".join(name for _, name in sorted(back))
            yield f"ParCalc reads {', '.join(names)}, GetIdentifiers hands back {listed}"


def _numbered(procedure: Procedure, name_first: bool) -> list[tuple[int, str]]:
    """(element of the array, identifier) of the assignments ``_->name = _parmarr[k]``, or of the reverse ones."""
    found = []
    for statement in procedure.block.find_data("assignment"):
        sides = [re.sub(r"\s+", "", text_of(child)) for child in statement.children]
        name, element = sides if name_first else sides[::-1]
        member, number = _MEMBER.fullmatch(name), _ELEMENT.fullmatch(element)
        if member and number:
            found.append((int(number[1]), member[1]))
    return found


def text_of(node: Node | Token) -> str:
    """The tokens of a node, one behind the other."""
    if isinstance(node, Token):
        return str(node)
    return "".join(str(token) for token in node.scan_values(lambda token: isinstance(token, Token)))
