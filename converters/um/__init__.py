"""Universal Mechanism: input.dat (a model), its companion files, and the equations generated from it."""

from fractions import Fraction

from mbconcord.converters.format import Companion, Format, Later, StateFile

from .writing.lost import HOLDS

FORMAT = Format(
    name="um",
    title="Universal Mechanism: input.dat",
    suffixes=("input.dat", ".dat"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.syntax:looks_like_um"),
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    decode=Later(f"{__name__}.encoding:decode"),
    states=Companion[StateFile](
        "um state", ".xv", Later(f"{__name__}.beside:read_vectors"), Later(f"{__name__}.beside:write_vectors")
    ),
    parameters=Companion[dict[str, Fraction]](
        "um parameters",
        ".par",
        Later(f"{__name__}.beside:read_parameters"),
        Later(f"{__name__}.beside:write_parameters"),
    ),
    equations=Later(f"{__name__}.equations:read"),
    physics="warn",
)

__all__ = ["FORMAT"]
