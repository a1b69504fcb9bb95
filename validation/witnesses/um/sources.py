"""Sources to check a model against: equations that a program generated, or a table of numbers that it printed."""

from __future__ import annotations

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.equations import GeneratedEquations

from ..printed import PrintedTable, read_table

Other = GeneratedEquations | PrintedTable
#: What ``table:FILE`` begins with.
TABLE = "table"


def read_source(source: str) -> Other:
    """Read ``um:FOLDER`` or ``table:FILE``.

    Raises
    ------
    MbconcordError
        Nothing of the kind is named.
    ReadError
        It cannot be read.
    """
    name, colon, path = source.partition(":")
    if name == TABLE and colon and path:
        return read_table(path)
    able = ", ".join(
        (*(f"{n}:PATH" for n in registry.with_equations()), f"{TABLE}:FILE", "eqs:FILE", "python:FILE:NAME")
    )
    if not colon or not path:
        raise MbconcordError(error("--against", f"found {source!r}, expected {able}", f"for example {able}"))
    return registry.read_equations(source)
