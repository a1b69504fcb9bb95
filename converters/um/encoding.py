"""The bytes of UM's files: ASCII, UTF-8, or a Windows code page, Russian (cp1251) or Chinese (GBK).

A file does not say its code page; it is told by what the bytes spell.
"""

from __future__ import annotations

import re

from mbconcord.model import Location, ReadError
from mbconcord.model.diagnostics import error

from .syntax import check_size

#: Words of Russian letters as they are written: lower case, upper case, or a capital and then lower case.
_RUSSIAN = re.compile("[а-яё]+|[А-ЯЁ]+|[А-ЯЁ][а-яё]+")
#: Other signs of cp1251 that stand in Russian texts.
_SIGNS = frozenset("«»№—–…\N{NO-BREAK SPACE}°")


def decode(data: bytes, file: str) -> str:
    """The text of a file of UM.

    Bytes that are no UTF-8 are Russian where they spell Russian words; else Chinese where they are valid GBK; else
    Russian.

    Raises
    ------
    ReadError
        A file beyond the limit of size, a binary file, or bytes that no code page has.
    """
    check_size(len(data), file)
    if b"\0" in data:
        raise ReadError(error("", "a binary file; expected a text", location=Location(file, 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    russian = data.decode("cp1251", "replace")
    if "\N{REPLACEMENT CHARACTER}" not in russian and _spells_russian(russian):
        return russian
    try:
        return data.decode("gbk")
    except UnicodeDecodeError as problem:
        if "\N{REPLACEMENT CHARACTER}" not in russian:
            return russian
        before = data[: problem.start]
        place = Location(file, before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        found = f"byte 0x{data[problem.start]:02x} fits no code page; expected UTF-8, Windows-1251 or GBK"
        raise ReadError(error("", found, "save the file as UTF-8", place)) from None


def _spells_russian(text: str) -> bool:
    foreign = re.findall(r"[^\x00-\x7f]+", text)
    words = (word for run in foreign for word in re.split("[" + "".join(_SIGNS) + "]+", run) if word)
    return all(_RUSSIAN.fullmatch(word) for word in words)


def encode(text: str, file: str) -> bytes:
    """The bytes of a file: the Russian code page where it has the letters, else GBK, else UTF-8."""
    for name in ("cp1251", "gbk"):
        try:
            data = text.encode(name)
        except UnicodeEncodeError:
            continue
        if decode(data, file) == text:
            return data
    return text.encode("utf-8")
