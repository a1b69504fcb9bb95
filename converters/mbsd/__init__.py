"""MBSD, the short symbolic line of seed 004: ``zi>zig`` is a double pendulum."""

from mbconcord.converters.registry import Format

from .reader import read
from .syntax import looks_like_mbsd
from .writer import write

FORMAT = Format(
    name="mbsd",
    title="MBSD: short symbolic line",
    suffixes=(".mbsd",),
    holds=frozenset({"prescribed_motion", "joint_efforts", "bipolar_forces", "rods", "cut_joints"}),
    sniff=looks_like_mbsd,
    read=read,
    write=write,
)

__all__ = ["FORMAT"]
