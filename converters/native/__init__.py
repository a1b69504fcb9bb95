"""The project's own format: the whole shared model in JSON, lossless and versioned."""

from __future__ import annotations

from mbconcord.converters.registry import Format
from mbconcord.model.features import FEATURES

from .reader import FORMAT_NAME, read
from .writer import write

__all__ = ["FORMAT", "read", "write"]

FORMAT = Format(
    name="native",
    title="mbconcord's own JSON",
    suffixes=(".mbs.json",),
    holds=frozenset(FEATURES),
    sniff=lambda head: head.lstrip("\ufeff \t\r\n").startswith("{") and f'"{FORMAT_NAME}"' in head,
    read=read,
    write=write,
)
