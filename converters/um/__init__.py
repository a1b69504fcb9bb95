"""Universal Mechanism: input.dat, the description of a model, and the equations generated from it."""

from mbconcord.converters.registry import Format

from .encoding import decode, encode
from .equations import read as read_equations
from .reader import read
from .syntax import looks_like_um
from .writer import write

FORMAT = Format(
    name="um",
    title="Universal Mechanism: input.dat",
    suffixes=("input.dat", ".dat"),
    holds=frozenset({"joint_efforts", "bipolar_forces", "cut_joints"}),
    sniff=looks_like_um,
    read=read,
    write=write,
    decode=decode,
    encode=encode,
    equations=read_equations,
)

__all__ = ["FORMAT"]
