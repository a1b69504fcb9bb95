"""Sources that a model is checked against: equations that a program generated, or a table of printed numbers."""

from __future__ import annotations

from pathlib import Path

from mbconcord.converters import registry
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.equations import GeneratedEquations

from ..printed import PrintedTable, read_table

Other = GeneratedEquations | PrintedTable
#: Prefix of a source that is a table, ``table:FILE``.
TABLE = "table"


def read_source(source: str) -> Other:
    """Return the equations or the table that a source names: ``um:FOLDER`` or ``table:FILE``.

    ``um`` alone means the working directory, and a folder or file that is there means ``um:`` of it.

    Raises
    ------
    MbconcordError
        The source has another form.
    ReadError
        The equations or the table cannot be read.
    """
    name, colon, path = source.partition(":")
    if name == TABLE and colon and path:
        return read_table(path)
    able = ", ".join(
        (*(f"{n}:PATH" for n in registry.with_equations()), f"{TABLE}:FILE", "eqs:FILE", "python:FILE:NAME")
    )
    if not colon:
        generating = registry.with_equations()
        if name in generating:
            try:
                return registry.read_equations(f"{name}:.")
            except MbconcordError as problem:
                said = f"found {source!r}, and in the working directory {problem.diagnostics[0].message}"
                raise MbconcordError(error("--against", said, f"name their folder, {name}:PATH")) from None
        if len(generating) == 1 and Path(name).exists():
            return registry.read_equations(f"{generating[0]}:{name}")
    if not colon or not path:
        raise MbconcordError(error("--against", f"found {source!r}", f"expected {able}"))
    return registry.read_equations(source)
