"""The bytes of UM's files: ASCII, UTF-8, or a Windows code page, Russian (cp1251) or Chinese (GBK).

A file does not state its code page; it is guessed from the spelling of its bytes.
"""

from __future__ import annotations

import re
from typing import Final

from mbconcord.converters import spelling
from mbconcord.converters.format import Decoded
from mbconcord.model import Location, ReadError
from mbconcord.model.diagnostics import error

from .syntax import check_size

RUSSIAN, CHINESE = "cp1251", "gbk"
#: Words of Russian letters as they are written: lower case, upper case, or a capital and then lower case.
_RUSSIAN = re.compile("[а-яё]+|[А-ЯЁ]+|[А-ЯЁ][а-яё]+")
#: Letters of the Russian code page, those of other languages that are written in it included.
_CYRILLIC = re.compile("[\u0400-\u04ff]+")
#: Other signs of cp1251 that stand in texts; the Western code page has all but № at the same places.
_SIGNS: Final = "«»№–—…\N{NO-BREAK SPACE}°±·§©®µ"
_FOREIGN = re.compile(rf"[^\x00-\x7f{_SIGNS}]+")
#: A word that no Latin letter touches: a Western text read as a Russian one has letters amid Latin ones.
_ALONE = re.compile(r"(?<![A-Za-z])[^\x00-\x7f]{2,}(?![A-Za-z])")
_IDEOGRAPHS = "[\u4e00-\u9fff]"
#: Two ideographs, or one that does not stand within a Latin word.
_CHINESE = re.compile(f"{_IDEOGRAPHS}{{2,}}|(?<![A-Za-z]){_IDEOGRAPHS}|{_IDEOGRAPHS}(?![A-Za-z])")


def decode(data: bytes, file: str) -> Decoded:
    """Return the text of a UM file, with an omission that names its code page unless that is UTF-8.

    Raises
    ------
    ReadError
        The file exceeds the size limit, is binary, or has an unrecognizable code page.
    """
    check_size(len(data), file)
    spelling.require_text(data, file)
    if b"\0" in data:
        raise ReadError(error("", "a binary file; expected a text", location=Location(file, 1, 1)))
    found = code_page(data)
    if found is not None:
        return Decoded(data.decode(found), spelling.of_encoding(found))
    at = next(i for i, byte in enumerate(data) if byte > 127)
    place = Location(file, data.count(b"\n", 0, at) + 1, at - data.rfind(b"\n", 0, at))
    message = (
        f"the code page cannot be told: byte 0x{data[at]:02x} and what follows are neither UTF-8 nor Russian words "
        "(Windows-1251) nor Chinese (GBK)"
    )
    raise ReadError(error("", message, "save the file as UTF-8, or name its code page: --read encoding=cp1252", place))


def code_page(data: bytes) -> str | None:
    """Detect the code page of the bytes, by Python's name; None if undecidable.

    UTF-8 if they are valid in it; Russian if they spell Russian words, Chinese if they are common ideographs, Russian
    if they are letters of that page, such as Ukrainian ones.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else spelling.UTF8
    russian, chinese = _decode(data, RUSSIAN), _decode(data, CHINESE)
    words = _FOREIGN.findall(russian) if russian is not None else []
    if russian is not None and not words and "№" not in russian:
        return RUSSIAN
    alone = russian is not None and _ALONE.search(russian) is not None
    if alone and all(map(_RUSSIAN.fullmatch, words)):
        return RUSSIAN
    if chinese is not None and _is_chinese(chinese):
        return CHINESE
    return RUSSIAN if alone and all(map(_CYRILLIC.fullmatch, words)) else None


def _decode(data: bytes, page: str) -> str | None:
    """Decode bytes in a code page; None if it leaves one undefined. Encoding the text again gives the same bytes."""
    try:
        return data.decode(page)
    except UnicodeDecodeError:
        return None


def _is_chinese(text: str) -> bool:
    """Return True if most ideographs are common ones, of GB 2312, and some are outside Latin words."""
    found = re.findall(_IDEOGRAPHS, text)
    common = sum(character.encode(CHINESE)[1] >= 0xA1 for character in found)
    return 2 * common > len(found) and _CHINESE.search(text) is not None


def choose_code_page(text: str) -> str:
    """Choose the code page for a new file: the Russian one if it has the letters, else GBK, else UTF-8."""
    for page in (RUSSIAN, CHINESE):
        try:
            if code_page(text.encode(page)) in (page, spelling.UTF8):
                return page if not text.isascii() else spelling.UTF8
        except UnicodeEncodeError:
            continue
    return spelling.UTF8
