"""Universal Mechanism: input.dat, the description of a model, files beside it, and the equations generated from it."""

from mbconcord.converters.format import Format

from .beside import PARAMETERS, STATES
from .encoding import decode
from .equations import read as read_equations
from .reader import read
from .syntax import looks_like_um
from .writer import write
from .writing.lost import HOLDS

FORMAT = Format(
    name="um",
    title="Universal Mechanism: input.dat",
    suffixes=("input.dat", ".dat"),
    holds=HOLDS,
    sniff=looks_like_um,
    read=read,
    write=write,
    decode=decode,
    states=STATES,
    parameters=PARAMETERS,
    equations=read_equations,
    physics="warn",
)

__all__ = ["FORMAT"]
