"""MBSD, the short symbolic line of Golomazdin & Dmitrochenko 2022: ``zi>zig`` is a double pendulum."""

from mbconcord.converters.format import Format, Later

from .reader import read
from .syntax import looks_like_mbsd
from .writing.lost import HOLDS

FORMAT = Format(
    name="mbsd",
    title="MBSD: short symbolic line",
    suffixes=(".mbsd",),
    holds=HOLDS,
    sniff=looks_like_mbsd,
    read=read,
    write=Later(f"{__name__}.writer:write"),
    line=Later(f"{__name__}.writer:on_one_line"),
)

__all__ = ["FORMAT"]
