"""Universal Mechanism: input.dat, the description of a model, files beside it, and the equations generated from it."""

from fractions import Fraction

from mbconcord.converters.companions import Companion, StateFile
from mbconcord.converters.format import Format, Later

from .writing.lost import HOLDS


def _later(target: str) -> Later:
    return Later(f"{__name__}.{target}")


FORMAT = Format(
    name="um",
    title="Universal Mechanism: input.dat",
    suffixes=("input.dat", ".dat"),
    holds=HOLDS,
    sniff=_later("syntax:looks_like_um"),
    read=_later("reader:read"),
    write=_later("writer:write"),
    decode=_later("encoding:decode"),
    states=Companion[StateFile](
        "um state", ".xv", _later("beside:read_vectors"), _later("beside:write_vectors")
    ),
    parameters=Companion[dict[str, Fraction]](
        "um parameters", ".par", _later("beside:read_parameters"), _later("beside:write_parameters")
    ),
    equations=_later("equations:read"),
    physics="warn",
)

__all__ = ["FORMAT"]
