"""Spelling of a text in a file: its code page and line ends.

A model read from a file records them, unless they are UTF-8 and LF, as omissions without effect on the motion: a format
that supports them writes them back, others report losses.
"""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.omission import Omission
from mbconcord.model.system import System

#: The option that names a file's code page.
OPTION: Final = "--read encoding"
#: Kinds of omissions.
ENCODING, LINE_END = "encoding", "line-end"
UTF8: Final = "utf-8"
#: Line ends by the words for them; those of a file with several are ``mixed``.
NEWLINES: Final = {"CR LF": "\r\n"}
MIXED: Final = "mixed"
#: What a text begins with in code pages of two or four bytes a sign; the longer marks first.
MARKS: Final = (
    (BOM_UTF32_LE, "UTF-32"), (BOM_UTF32_BE, "UTF-32"), (BOM_UTF16_LE, "UTF-16"), (BOM_UTF16_BE, "UTF-16"),
)  # fmt: skip
#: Number of bytes that are searched for signs of a binary file.
BEGINNING: Final = 65_536


def require_text(data: bytes, file: str, expected: str = "a text") -> None:
    """Refuse bytes in UTF-16 or UTF-32, which the message names, and binary files.

    Raises
    ------
    ReadError
        The bytes are refused; the message says what to do.
    """
    if b"\0" not in data[:BEGINNING] and not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return
    page = wide(data[:BEGINNING])
    found = f"the file is in {page}" if page else "a binary file"
    remedy = "save the file as UTF-8, for example from an editor" if page else "name a file that is a text"
    raise ReadError(error("", f"{found}; expected {expected}", remedy, Location(file, 1, 1)))


def decode_given(data: bytes, file: str, encoding: str) -> tuple[str, str] | None:
    """Return a text decoded by the code page that the user names, and Python's name of it; None if no page is named.

    Raises
    ------
    ReadError
        There is no such code page of one or two bytes a sign, or the file is not in it.
    """
    if not encoding:
        return None
    require_text(data, file)
    try:
        page = codecs.lookup(encoding.strip()).name
    except (LookupError, ValueError):
        page = ""
    if page != UTF8 and not _PAGES.match(page):
        raise ReadError(error(OPTION, f"found {encoding!r}, expected a code page", "for example cp1251, cp1252 or gbk"))
    try:
        return data.decode(page), page
    except UnicodeDecodeError as problem:
        at = problem.start
        place = Location(file, data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at))
        message = f"byte 0x{data[at]:02x} is no sign of {page}"
        raise ReadError(error("", message, f"name another code page with {OPTION}", place)) from None


def decode_declared(data: bytes) -> tuple[str, str] | None:
    """Return an XML text decoded by its declared code page, now declaring UTF-8, and Python's name of that page.

    Return None if the text is plain ASCII or declares no known code page.
    """
    found = None if data.isascii() else _DECLARED.match(data)
    if found is None:
        return None
    try:
        page = codecs.lookup(found[2].decode("ascii")).name
        text = data[found.end() :].decode(page) if _PAGES.match(page) else None
    except (LookupError, UnicodeDecodeError):
        return None
    return None if text is None else (f"{found[1].decode('ascii')}UTF-8{text}", page)


#: The declaration of an XML text up to the name of its code page.
_DECLARED: Final = re.compile(rb"""(<\?xml[\x20-\x3d\x40-\x7e\s]{0,100}?\bencoding\s*=\s*["'])([A-Za-z0-9._-]{1,40})""")
#: Code pages of one or two bytes a sign, by Python's names.
_PAGES: Final = re.compile("iso8859|cp|koi8|mac|gb|big5|shift_jis|euc")


def wide(data: bytes) -> str:
    """Return the name of a code page of two or four bytes per character, by its mark or contents; empty if none."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return name
    for codec, size in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        try:
            text = data[: len(data) // size * size].decode(codec)
        except UnicodeDecodeError:
            continue
        plain = sum(sign.isascii() or "\u0400" <= sign <= "\u04ff" for sign in text)
        if len(data) >= size and plain == len(text) and all(c.isprintable() or c.isspace() for c in text):
            return codec.rpartition("-")[0].upper()
    return ""


def of_encoding(encoding: str) -> tuple[Omission, ...]:
    """Return the omission for a file's code page; none for UTF-8."""
    return () if encoding == UTF8 else (Omission(f"file/{ENCODING}", ENCODING, encoding, "none"),)


def with_line_feeds(text: str) -> tuple[str, tuple[Omission, ...]]:
    """Return a text with line ends LF, and the omission of its own line ends; mixed ones stay as they are."""
    if "\r" not in text:
        return text, ()
    alike = text.count("\r\n") == text.count("\n") == text.count("\r")
    said = Omission(f"file/{LINE_END}", LINE_END, "CR LF" if alike else MIXED, "none")
    return (text.replace("\r\n", "\n") if alike else text), (said,)


def with_spelling(system: System, said: Iterable[Omission]) -> System:
    """Return the model with omissions for the file's spelling, but for kinds of omissions that it already has."""
    known = {omission.kind for omission in system.omissions}
    new = tuple(omission for omission in said if omission.kind not in known)
    return replace(system, omissions=(*system.omissions, *new)) if new else system


def encoding(system: System) -> str:
    """Return the code page of the file from which a model was read."""
    return next((o.what for o in system.omissions if o.kind == ENCODING), UTF8)


def newline(system: System) -> str:
    """Return the line end of the file from which a model was read; LF if they were mixed."""
    return NEWLINES.get(next((o.what for o in system.omissions if o.kind == LINE_END), ""), "\n")
