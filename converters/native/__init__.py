"""The project's own format: the whole shared model in JSON, lossless and versioned."""

from __future__ import annotations

from mbconcord.converters.format import Format
from mbconcord.converters.json_text import on_one_line
from mbconcord.converters.losses import KEPT, Holds
from mbconcord.model.features import FEATURES

from .reader import FORMAT_NAME, read
from .writer import write

__all__ = ["FORMAT", "read", "write"]

FORMAT = Format(
    name="native",
    title="mbconcord's own JSON",
    suffixes=(".mbs.json",),
    holds=Holds(frozenset(FEATURES), frozenset(KEPT), metadata=""),
    sniff=lambda head: head.lstrip("\ufeff \t\r\n").startswith("{") and f'"{FORMAT_NAME}"' in head,
    read=read,
    write=write,
    line=on_one_line,
)
