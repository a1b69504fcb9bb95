"""Limits: sizes of texts and of their contents. Larger ones are refused before any work on them.

One page of all of them, each far above any real model. A text that goes beyond one is refused with its place, what
was found, and what is taken at most (:func:`too_many`).

Displays of values: in a line, as a pandas table, and as HTML for notebooks.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Iterable, Mapping, Sequence
from errno import ETIMEDOUT
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pandas import DataFrame


#: Bytes of a file, or of standard input. Formats have smaller limits of their own.
FILE_BYTES: Final = 100_000_000

#: Seconds that a pipe or a device has to give all its bytes.
PIPE_SECONDS: Final = 4
#: Numbers of a table in Parquet, whose few bytes may stand for very many.
TABLE_NUMBERS: Final = 10_000_000

#: Rows of a table that a model has as a function.
TABLE_ROWS: Final = 20_000

#: Bytes of a catalog and of a pyproject.toml.
TOML_BYTES: Final = 1_000_000
#: Bytes of a file of baselines, which holds the models too.
BASELINE_BYTES: Final = 50_000_000

#: Digits of a whole number that counts or numbers something, looked at before it is made a number.
COUNT_DIGITS: Final = 9
#: Characters of a number in a formula, and the power of ten that it may be multiplied by.
NUMBER_DIGITS: Final = 4_000
#: The same of a number in JSON, which other programs shall read too.
JSON_DIGITS: Final = 1_000
#: Bits of a numerator or a denominator in the graph (some 3,600 decimal digits).
NUMBER_BITS: Final = 12_000

#: How deep brackets of a formula may be nested; a graph printed with its sharing unfolded stays far below.
BRACKETS: Final = 20_000
#: How deep lists and objects of JSON may be nested.
JSON_DEPTH: Final = 200

#: How often a function may be differentiated where it is written; equations of motion add two.
DERIVATIVE_ORDER: Final = 10
#: Calls that the formula of a function may come to, those in the formulas of the functions that it calls and all.
NESTED_CALLS: Final = 1_000
#: Operations that calls of functions may become, once formulas and their derivatives are put in.
DEFINED_OPERATIONS: Final = 20_000

#: Items of an MBSD text, repetitions written out.
MBSD_ITEMS: Final = 200_000
#: Repetitions within one another in it.
MBSD_REPETITIONS: Final = 50

#: Characters of a line of a table.
LINE_CHARACTERS: Final = 100_000
#: Rows and columns of a workbook's sheet: two thirds of the columns mean nothing.
SHEET_ROWS: Final = 20_000
SHEET_COLUMNS: Final = 64
#: Bytes of all parts of a workbook when they are inflated: 10,000 bodies with all columns are 16,000,000.
WORKBOOK_BYTES: Final = 20_000_000
#: Elements of all its parts; of them cells, rows and texts; and those that are neither nor within one.
WORKBOOK_ELEMENTS: Final = 1_000_000
WORKBOOK_CELLS: Final = 500_000
WORKBOOK_STYLES: Final = 50_000

#: Characters of a text in XML, and elements in it: fifty times what the largest published robots have.
XML_CHARACTERS: Final = 10_000_000
XML_ELEMENTS: Final = 200_000
XML_INCLUSIONS: Final = 10_000
#: Shapes of a robot in it, those of its inclusions with them: ``<visual>``, ``<collision>`` and ``<geom>``.
XML_SHAPES: Final = 10_000
#: Elements of XML within one another; real robots show eight, a chain in MJCF one for each body.
XML_DEPTH: Final = 200

#: Members of an FMU's archive, their bytes when they are inflated, and those of its description.
FMU_MEMBERS: Final = 2_000
FMU_BYTES: Final = 500_000_000
FMU_XML_BYTES: Final = 5_000_000
#: Seconds and bytes of addresses that an FMU has to answer, and bytes of its answers.
FMU_SECONDS: Final = 30
FMU_MEMORY: Final = 2_000_000_000
FMU_ANSWERS: Final = 100_000_000

#: Bytes of a mesh that inertia comes from, and of all of a model, a file once for each mesh that it is.
MESH_BYTES: Final = 20_000_000
MESHES_BYTES: Final = 30_000_000
#: Actuators, tendons and equalities of a model in MJCF.
MJCF_ITEMS: Final = 20_000

#: What macros are expanded within: seconds, of the clock and of the processor, bytes of memory, bytes of the result.
XACRO_SECONDS: Final = 30
XACRO_MEMORY: Final = 2_000_000_000
XACRO_BYTES: Final = 20_000_000
#: Stages of OpenUSD: of a layer in text; of the process that composes one, and bytes of its facts.
USD_CHARACTERS: Final = 10_000_000
USD_SECONDS: Final = 30
USD_MEMORY: Final = 2_000_000_000
USD_BYTES: Final = 20_000_000

#: Characters of a text of Universal Mechanism: thirty times the largest input.dat known.
UM_CHARACTERS: Final = 10_000_000
#: Characters of one value in it, lists included, and of an expression.
UM_VALUE: Final = 4_000_000
UM_EXPRESSION: Final = 100_000
#: Characters of all that is left out of it, the variables that each thing uses written out with it.
UM_OMITTED: Final = 10_000_000
#: Bytes of a state of it: more than a million coordinates.
UM_STATE_BYTES: Final = 20_000_000
#: Subsystems within subsystems; real models show three levels.
UM_SUBSYSTEMS: Final = 50
#: Bytes of a file of generated equations, characters of all files of a set, entries of a folder that are looked at.
UM_EQUATION_BYTES: Final = 8_000_000
UM_SET_CHARACTERS: Final = 16_000_000
UM_FOLDER_ENTRIES: Final = 10_000
#: Blocks and brackets of generated equations within one another; real ones are nested four deep.
UM_BLOCKS: Final = 60
#: Digits of a number in generated equations, and largest index of an array.
UM_DIGITS: Final = 400
UM_INDEX: Final = 10_000_000
#: Statements that the procedures of generated equations may run, calls and all.
UM_STATEMENTS: Final = 500_000

#: Coordinates of a model that ``check`` takes: it compares matrices of so many rows.
CHECKED_COORDINATES: Final = 1_000
#: The same link by link, where nothing but numbers of links is compared; and states times coordinates then.
LINKED_COORDINATES: Final = 100_000
LINKED_NUMBERS: Final = 1_000_000
#: States that ``check`` and ``compare`` draw, and numbers that the mass matrices of all of them may have, where there
#: are more than so many states: every witness has them twice.
CHECKED_STATES: Final = 10_000
CHECKED_MATRICES: Final = 1_000_000
LARGE_STATES: Final = 10
#: Rows of constraints times coordinates of which ``info`` computes degrees of freedom, and operations that it spends
#: on the search for states: some seconds.
FREEDOM_NUMBERS: Final = 5_000
FREEDOM_OPERATIONS: Final = 2_000_000
#: Rows of loops times the squares of their coordinates then: each entry of D is a product along its loop.
FREEDOM_PRODUCTS: Final = 40_000
#: Largest seed, and processes that ``check`` starts.
SEED: Final = 10**18 - 1
PROCESSES: Final = 256

#: The page of view: models that it keeps, files that are dropped at once, and bytes of all of them; seconds of the
#: processor and bytes of addresses of each of its processes; bytes of a text that is shown.
VIEW_MODELS: Final = 20
VIEW_FILES: Final = 1_000
VIEW_SECONDS: Final = 600
VIEW_MEMORY: Final = 4_000_000_000
VIEW_TEXT: Final = 2_000_000

#: Letters of a message, and names of a list in it, that are shown.
SHOWN_CHARACTERS: Final = 1_000
SHOWN_NAMES: Final = 20


def read_within(path: str | os.PathLike[str], most: int = FILE_BYTES) -> bytes | None:
    """Return the bytes of a file; None if it has more than ``most``; a regular file that large is not read at all.

    All code of this project reads files by this function. A pipe or a device has some seconds to deliver its bytes.

    Raises
    ------
    OSError
        It cannot be read, or is a pipe or a device without data.
    """

    def at_once(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe, too, into which nobody writes

    with open(path, "rb", buffering=0, opener=at_once) as opened:
        status = os.fstat(opened.fileno())
        regular, found, ends = stat.S_ISREG(status.st_mode), bytearray(), time.monotonic() + PIPE_SECONDS
        if regular and status.st_size > most:
            return None
        while len(found) <= most:
            if not regular and not select.select([opened], [], [], max(ends - time.monotonic(), 0))[0]:
                raise OSError(
                    ETIMEDOUT,
                    f"not all its bytes came within {PIPE_SECONDS} s; a slow pipe is read as -",
                    os.fspath(path),
                )
            block = opened.read(min(most + 1 - len(found), 1 << 20))
            if block == b"":
                return bytes(found)
            found += block or b""
    return None


def too_many(found: int | str, things: str, most: int) -> str:
    """Describe an excess over a limit: ``5,000 characters; expected at most 400``."""
    shown = f"{found:,}" if isinstance(found, int) else found
    return f"{shown} {things}; expected at most {most:,}"


def cut(text: str) -> str:
    """Shorten a long text for a message."""
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS]}… ({len(text):,} characters)"


def format_names(names: Iterable[str]) -> str:
    """List names for a message, only the first of many."""
    found = list(names)
    more = len(found) - SHOWN_NAMES
    return ", ".join(found[:SHOWN_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Values in one line.


def line(kind: str, name: str, *facts: str) -> str:
    """Write a line such as ``<System arm: 2 bodies, 2 coordinates>``."""
    subject = f"{kind} {name}" if name else kind
    said = ", ".join(filter(None, facts))
    return f"<{subject}: {said}>" if said else f"<{subject}>"


def count(number: int, thing: str, things: str = "") -> str:
    """Write ``1 body``, ``2 bodies``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


# Values as tables: of pandas, and as HTML for notebooks.


#: So many rows of a table are shown in a notebook.
MOST_ROWS: Final = 60


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Make a pandas table with these columns, a row for each mapping. Imports pandas only when called."""
    from pandas import DataFrame

    return DataFrame(list(rows), columns=list(columns))


def html_table(title: str, headers: Sequence[str], rows: Iterable[Sequence[object]], notes: Iterable[str] = ()) -> str:
    """Write a heading, a table and lines below it; all text is escaped, except :class:`Markup` cells."""
    from html import escape  # not before: terminals need none

    waiting = iter(rows)
    shown = list(islice(waiting, MOST_ROWS))
    left = sum(1 for _ in waiting)
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown)
    said = [*notes, *([f"and {count(left, 'more row')}"] if left else [])]
    below = "".join(f"<p>{escape(note)}</p>" for note in said)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if shown else ""
    return f"<div><p><b>{escape(title)}</b></p>{table}{below}</div>"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def _cell(value: object) -> str:
    from html import escape

    return f"<td>{value if isinstance(value, Markup) else escape(cut(str(value)))}</td>"
