"""ТП, the table of parameters of Telegin's school: one row per body, as CSV or a workbook."""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import Holds

_TREES = "a table holds trees"
HOLDS = Holds(
    kept=frozenset({"initial_positions", "line_ends", "language"}),
    encodings=frozenset({"utf-8-sig", "cp1251"}),
    reason="a table has no column for it",
    reasons={
        "coordinate_order": "coordinates stand in the order of the bodies",
        "coordinate_names": "a table numbers its bodies: it is read as {}",
        "line_ends": "the lines of a file end alike",
        "encodings": "a table is in UTF-8 or Windows-1251",
        "body_names": "a table numbers its bodies: it is read as {}",
        "rods": _TREES,
        "point_coincidences": _TREES,
        "cut_joints": _TREES,
        "holonomic_rows": _TREES,
        "nonholonomic_rows": _TREES,
    },
)

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

__all__ = ["FORMAT", "HOLDS"]
