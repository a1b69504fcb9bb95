"""What is left out of the model, in words: its name, its text, the parameters that the text uses."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from hashlib import sha256
from typing import Final

from mbconcord.model.expressions import symbols

from ..tree import Attribute, Block
from .objects import Thing

#: Longer texts are their beginning and a digest.
LONGEST: Final = 1000
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r'"[^"]*"')


def described(what: Block | Attribute, thing: Thing, name: str = "") -> tuple[str, str, tuple[str, ...]]:
    """Name, whole text and parameters of a block or attribute of an object.

    The text is that of the file with single blanks and without comments and numbers of blocks; variables that it
    uses follow. The parameters are those of the model.
    """
    text = _text(what)
    variables = thing.variables
    told: dict[str, None] = {}
    rest = text
    while fresh := _used(rest, thing.ranks, told):
        told |= dict.fromkeys(fresh)
        own = [variables[v] for v in fresh]
        rest = "" if what in own else " ".join(map(_text, own))
        text = f"{text} {rest}" if rest else text
    used = dict.fromkeys(
        w for v in _values(what, *(variables[name] for name in told)) for w in _WORD.findall(v)
    )
    known = thing.scope.identifiers
    parameters = dict.fromkeys(s for word in used if word in known for s in sorted(symbols([known[word]])))
    if not name:
        name = (
            (what.text("name") or what.text("element") or what.heading)
            if isinstance(what, Block)
            else what.key
        )
    return thing.named(name), text, tuple(parameters)


def _used(text: str, ranks: Mapping[str, int], told: Container[str]) -> list[str]:
    """The variables that stand in a text and were not told, in their order."""
    words = {word for word in _WORD.findall(text) if word in ranks and word not in told}
    return sorted(words, key=ranks.__getitem__)


def _text(what: Block | Attribute) -> str:
    if isinstance(what, Attribute):
        return f"{what.key}={' '.join(what.value.split())};"
    inner: tuple[Block | Attribute, ...] = (*what.attributes, *what.blocks)
    return " ".join((f"with {what.keyword};", *map(_text, inner)))


def _values(*parts: Block | Attribute) -> Iterator[str]:
    """The values in them, without names in quotation marks."""
    for part in parts:
        if isinstance(part, Attribute):
            yield _QUOTED.sub("", part.value)
        else:
            yield from _values(*part.attributes, *part.blocks)


def short(text: str) -> str:
    """A text, or its beginning and a digest."""
    if len(text) <= LONGEST:
        return text
    digest = sha256(text.encode()).hexdigest()[:16]
    return f"{text[:LONGEST]}… ({len(text):,} characters, sha256 {digest})"
