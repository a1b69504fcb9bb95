"""ТП, the table of parameters of Telegin's school: one row per body, as CSV or a workbook."""

from mbconcord.converters.format import Format, Later

from .lost import HOLDS

FORMAT = Format(
    name="tp",
    title="ТП: table of parameters",
    suffixes=(".tp.csv", ".tp.xlsx"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.columns:looks_like_a_table"),
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    decode=Later(f"{__name__}.storage:decode"),
    encode=Later(f"{__name__}.storage:encode"),
)

__all__ = ["FORMAT"]
