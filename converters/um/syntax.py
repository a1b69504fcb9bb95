"""Parsing of a UM file: its bytes and their code page, its statements, then the parent of each block.

Bytes are ASCII, UTF-8, or a Windows code page, Russian (cp1251) or Chinese (GBK). A file does not state its code page;
it is guessed from the spelling of its bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from mbconcord.converters import spelling
from mbconcord.converters.format import Decoded
from mbconcord.model import Diagnostic, Location, ReadError
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions.formula_errors import found_at
from mbconcord.model.limits import COUNT_DIGITS, UM_CHARACTERS, UM_SUBSYSTEMS, UM_VALUE, too_many

from .tree import PARENTS, Attribute, Comment, UmBlock, UmDocument

# The text files of Universal Mechanism as a flat list of statements: input.dat, .icf, .fin, .sim, .cp, .var.
#
# Which block stands in which is decided from the list (:mod:`.syntax`). The statements form a regular language, so
# one pass of one pattern finds them; a list, however long, is one value. Blanks and line ends between the parts mean
# nothing.
#
#     file       = [HEADER] (HEADING | KEY [VALUE] ";" | COMMENT)*


Expected = Literal["KEY", "HEADING", "VALUE", "SEMICOLON"]

_BLANK: Final = r"[ \t\r\n\f]*+"
#: ``with joint12;``
_HEADING: Final = r"with\s+[^\W\d]\w*\s*;"
#: ``rcx=``, ``symbolic =``
_KEY: Final = r"[^\W\d]\w*[ \t]*="
#: A list, which ends with ``};`` and may hold ``;``; a value, which may go on in lines that begin nothing; a string.
_VALUE: Final = (
    r"\{[^}]*+(?:\}(?!\s*;)[^}]*+)*\}"
    r"|[^\s;$\"{](?:[^;$\"\r\n]++|\"[^\"]*\"|\r?\n\s*+(?!with\s|\$|[^\W\d]\w*\s*=))*"
    r"|\"[^\"]*\"(?:[^;$\"\r\n]++|\"[^\"]*\")*"
)
_COMMENT: Final = r"\$[^\r\n]*"
_STATEMENT: Final = re.compile(
    f"{_BLANK}(?:(?P<heading>{_HEADING})|(?P<key>{_KEY}){_BLANK}(?P<value>(?>{_VALUE})?+){_BLANK};"
    f"|(?P<comment>{_COMMENT}))"
)
#: ``icf``, ``par``, ``var`` alone on the first line.
_HEADER: Final = re.compile(rf"{_BLANK}(?P<header>(?!{_HEADING}|{_KEY})[A-Za-z]+(?=[ \t]*\r?\n))")
_KEY_HERE: Final = re.compile(f"{_BLANK}{_KEY}{_BLANK}")
_VALUE_HERE: Final = re.compile(f"(?>{_VALUE}){_BLANK}")
_BLANK_HERE: Final = re.compile(_BLANK)

Kind = Literal["header", "heading", "key", "comment"]


class Statement(NamedTuple):
    """A statement: its text (of an attribute: the key) and offset; of an attribute also the value and its offset."""

    kind: Kind
    text: str
    at: int
    value: str = ""
    value_at: int = 0


class UnexpectedError(Exception):
    """An unexpected sign: its offset, and what may occur there."""

    def __init__(self, at: int, expected: tuple[Expected, ...]) -> None:
        super().__init__(at, expected)
        self.at = at
        self.expected = expected


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a text in order.

    Raises
    ------
    UnexpectedError
        At the first character that neither begins nor continues a statement.
    """
    header = _HEADER.match(text)
    end = 0
    if header is not None:
        yield Statement("header", header["header"], header.start("header"))
        end = header.end()
    while found := _STATEMENT.match(text, end):
        kind = found.lastgroup
        end = found.end()
        if kind == "value":
            yield Statement("key", found["key"], found.start("key"), found["value"], found.start("value"))
        else:
            other: Kind = "heading" if kind == "heading" else "comment"
            yield Statement(other, found[other], found.start(other))
    blank = _BLANK_HERE.match(text, end)
    assert blank is not None
    if blank.end() < len(text):
        raise _locate_unexpected(text, end)


def _locate_unexpected(text: str, end: int) -> UnexpectedError:
    """Return the error after the last complete statement, which ends at ``end``."""
    key = _KEY_HERE.match(text, end)
    if key is None:
        blank = _BLANK_HERE.match(text, end)
        return UnexpectedError(blank.end() if blank else end, ("KEY", "HEADING"))
    value = _VALUE_HERE.match(text, key.end())
    if value is None:
        return UnexpectedError(key.end(), ("VALUE", "SEMICOLON"))
    return UnexpectedError(value.end(), ("SEMICOLON",))


_INSIDE_LIST = re.compile(r"^[ \t]*with[ \t]+\w+[ \t]*;", re.MULTILINE)


def looks_like_um(head: str) -> bool:
    """Return True if a text begins like an input.dat: ``with main;``, perhaps after comments."""
    return re.match(r"\ufeff?(?:\s|\$[^\n]*\n)*with\s+main\s*;", head) is not None


def parse(text: str, file: str = "-") -> UmDocument:
    """Parse a UM text file to a tree.

    Raises
    ------
    ReadError
        With file, line and column, what was found and what was expected: an unexpected character, an unclosed
        list, string or ``main``, a text, value or nesting beyond the limits.
    """
    check_size(len(text), file)
    text = text.replace("\r\n", "\n")  # lists keep their lines: all of a file end alike
    try:
        return _Tree(text, file).from_statements(statements(text))
    except UnexpectedError as problem:
        raise ReadError(_syntax_error(problem, text, file)) from None


def check_size(size: int, file: str) -> None:
    """Refuse a text of too many characters or bytes before any work is done on it."""
    if size > UM_CHARACTERS:
        found = too_many(size, "characters", UM_CHARACTERS)
        raise ReadError(error("", found, "no model is so large", Location(file, 1, 1)))


class _Open:
    """A block whose end has not been reached."""

    def __init__(self, block: UmBlock) -> None:
        self.block = block
        self.attributes: list[Attribute] = []
        self.blocks: list[UmBlock] = []

    def close(self, closing: tuple[Comment, ...] = ()) -> UmBlock:
        return replace(self.block, attributes=tuple(self.attributes), blocks=tuple(self.blocks), closing=closing)


class _Tree:
    """Builder of the tree from statements."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines = [0, *(mark.end() for mark in re.finditer("\n", text))]
        self.root = _Open(UmBlock(""))
        self.open = [self.root]
        self.comments: list[Comment] = []
        self.header = ""
        self.ended = False
        self.bare_end = False

    def from_statements(self, found: Iterable[Statement]) -> UmDocument:
        for statement in found:
            if statement.kind == "header":
                self.header = statement.text
            elif statement.kind == "comment":
                self.comments.append(Comment(statement.text[1:].strip()))
            elif self.ended:
                self._refuse(f"found {statement.text.strip()!r} after the end of the file", statement.at)
            elif statement.kind == "key":
                self.open[-1].attributes.append(self._attribute(statement))
            else:
                self._heading(statement)
        while self.open[-1].block.keyword not in ("main", ""):
            self._close()
        if self.open[-1] is not self.root:
            began = self.open[-1].block
            where = f"line {began.line}, column {began.column}"
            raise ReadError(
                error(
                    "",
                    f"found the end of the text, expected 'with end;': the main of {where} is not closed",
                    "the file is cut off, or a 'with end;' was deleted",
                    began.locate(self.file),
                )
            )
        root = self.root
        return UmDocument(tuple(root.blocks), self.header, tuple(root.attributes), self.bare_end, self._take_comments())

    def _take_comments(self) -> tuple[Comment, ...]:
        taken, self.comments = tuple(self.comments), []
        return taken

    def _place(self, at: int) -> tuple[int, int]:
        """Return line and column of an offset, counted from 1."""
        line = bisect_right(self.lines, at)
        return line, at - self.lines[line - 1] + 1

    def _attribute(self, statement: Statement) -> Attribute:
        key, value, at = statement.text, statement.value, statement.at
        name = key[:-1].strip()
        line, column = self._place(at)
        comments = self._take_comments() if self.comments else ()
        if not value:
            return Attribute(name, "", line, column, comments)
        if len(value) > UM_VALUE:
            found = f"the value of {name} has {too_many(len(value), 'characters', UM_VALUE)}"
            self._refuse(found, statement.value_at)
        if value[0] == "{" and (swallowed := _INSIDE_LIST.search(value)):
            found = f"the list of {name} holds {swallowed[0].strip()!r}, expected '}};' before it"
            self._refuse(found, statement.value_at, "the list is not closed")
        place = (line, column + len(key)) if statement.value_at == at + len(key) else self._place(statement.value_at)
        return Attribute(name, value.rstrip(), line, column, comments, *place)

    def _heading(self, statement: Statement) -> None:
        name = statement.text[4:-1].strip()
        line, column = self._place(statement.at)
        if name == "end":
            self._end()
            return
        keyword = name.rstrip("0123456789")
        digits = name[len(keyword) :]
        if len(digits) > COUNT_DIGITS:
            found = f"found the number of a block with {too_many(len(digits), 'digits', COUNT_DIGITS)}"
            self._refuse(found, statement.at)
        if len(digits) > 1 and digits[0] == "0":  # "joint01" is kept as it is
            keyword, digits = name, ""
        block = UmBlock(keyword, int(digits) if digits else None, (), line, column, (), self._take_comments())
        parents = PARENTS.get(keyword, ())
        while self.open[-1].block.keyword not in ("main", "", *parents):
            self._close()
        if len(self.open) > 2 * UM_SUBSYSTEMS:
            found = f"found blocks nested deeper than {UM_SUBSYSTEMS}"
            self._refuse(found, statement.at, "no model needs so many")
        self.open.append(_Open(block))

    def _close(self, closing: tuple[Comment, ...] = ()) -> None:
        done = self.open.pop().close(closing)
        self.open[-1].blocks.append(done)

    def _end(self) -> None:
        while self.open[-1].block.keyword not in ("main", ""):
            self._close()
        if self.open[-1] is self.root:
            self.bare_end = self.ended = True
            return
        self._close(self._take_comments())
        while self.open[-1].block.keyword not in ("main", ""):
            self._close()
        self.ended = self.open[-1] is self.root and not self.header

    def _refuse(self, found: str, at: int, remedy: str = "") -> None:
        raise ReadError(error("", found, remedy, Location(self.file, *self._place(at))))


_WORDS: Final[dict[Expected, str]] = {
    "KEY": "an attribute 'key=value;'",
    "HEADING": "'with block;'",
    "SEMICOLON": "';'",
    "VALUE": "a value",
}


def _syntax_error(problem: UnexpectedError, text: str, file: str) -> Diagnostic:
    position = min(problem.at, len(text.rstrip()))
    opened = _open_string(text, position)
    if opened is not None:
        found = "found a line with a string that is not closed, expected '\"' before its end"
        return error("", found, "", _location(text, opened, file))
    expected = " or ".join(sorted(_WORDS[name] for name in problem.expected))
    remedy = ""
    if text[position : position + 1] == "{":
        remedy = "the list is not closed: '};' ends it"
    elif text[position : position + 1] == "$":
        remedy = "a comment cannot stand within a value"
    found = f"found {found_at(text, position)}, expected {expected}"
    return error("", found, remedy, _location(text, position, file))


def _location(text: str, position: int, file: str) -> Location:
    return Location(file, text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def _open_string(text: str, position: int) -> int | None:
    """Return the offset of the first string that is opened and not closed before the error; None if there is none."""
    stop = text.find("\n", position)
    stop = len(text) if stop < 0 else stop
    opened, mark = None, text.find('"', 0, stop)
    while mark >= 0:
        start, end = text.rfind("\n", 0, mark) + 1, text.find("\n", mark, stop)
        end = stop if end < 0 else end
        code = re.sub(r'^((?:[^"$]|"[^"]*")*)\$.*', r"\1", text[start:end])
        if code.count('"') % 2:
            opened = start + code.index('"') if opened is None else None
        mark = text.find('"', end, stop)
    return opened


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
