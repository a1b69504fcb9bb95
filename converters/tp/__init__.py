"""ТП, the table of parameters of Telegin's school: one row a body, as CSV or a workbook."""

from mbconcord.converters.format import Format, Later

from .columns import looks_like_a_table
from .lost import HOLDS
from .reader import read
from .storage import decode, encode

FORMAT = Format(
    name="tp",
    title="ТП: table of parameters",
    suffixes=(".tp.csv", ".tp.xlsx"),
    holds=HOLDS,
    sniff=looks_like_a_table,
    read=read,
    write=Later(f"{__name__}.writer:write"),
    decode=decode,
    encode=encode,
)

__all__ = ["FORMAT"]
