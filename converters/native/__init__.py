"""The project's own format: the whole shared model in JSON, lossless and versioned."""

from __future__ import annotations

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import KEPT, Holds
from mbconcord.model.features import FEATURES

__all__ = ["FORMAT", "FORMAT_NAME", "VERSION"]

FORMAT_NAME = "mbconcord"
VERSION = 1

FORMAT = Format(
    name="native",
    title="mbconcord's own JSON",
    suffixes=(".mbs.json",),
    holds=Holds(frozenset(FEATURES), frozenset(KEPT), metadata=""),
    sniff=lambda head: head.lstrip("\ufeff \t\r\n").startswith("{") and f'"{FORMAT_NAME}"' in head,
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.reader:write"),
    line=Later("mbconcord.converters.json_text:on_one_line"),
)
