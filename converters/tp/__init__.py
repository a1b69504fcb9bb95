"""ТП, the table of parameters of Telegin's school: one row a body, as CSV or a workbook."""

from mbconcord.converters.format import Format, Later

from .lost import HOLDS


def _later(target: str) -> Later:
    return Later(f"{__name__}.{target}")


FORMAT = Format(
    name="tp",
    title="ТП: table of parameters",
    suffixes=(".tp.csv", ".tp.xlsx"),
    holds=HOLDS,
    sniff=_later("columns:looks_like_a_table"),
    read=_later("reader:read"),
    write=_later("writer:write"),
    decode=_later("storage:decode"),
    encode=_later("storage:encode"),
)

__all__ = ["FORMAT"]
