"""Included files: from the model's folder and from packages that the user names, up to a limit."""

from __future__ import annotations

import os
import re
from os import sep
from pathlib import Path
from typing import Any, Final

from mbconcord.converters.findings import Findings, find_beside
from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.limits import TOML_BYTES, XML_CHARACTERS, XML_INCLUSIONS, read_within, too_many

#: Beginnings of addresses that name a package, and then a file in it.
SCHEMES: Final = ("package://", "model://")
ALLOW: Final = "allow its folder: --read package-path=FOLDER"
PACKAGES: Final = "name the folder in which its packages stand: --read package-path=FOLDER"


class Inclusions:
    """Reader of the files that a model's file includes.

    ``remedy`` says what to do about files outside of its folder. ``packages`` are the user's folders: each contains
    packages, or is one.
    """

    def __init__(self, text: str, file: str, remedy: str, findings: Findings, packages: tuple[str, ...] = ()) -> None:
        self.remedy, self.findings, self.packages = remedy, findings, packages
        self.own: Final = Path(file).resolve()
        self.folder = None if file == "-" else self.own.parent
        self.characters, self.files = len(text), 0

    def path(self, name: str, at: Location) -> Path | None:
        """Return the path of the file of this name; record an error and return None if it may not be included."""
        found = self.find_file(name)
        if isinstance(found, Path):
            return found
        self.findings.refuse(at, *found)
        return None

    def find_file(self, name: str) -> Path | tuple[str, str]:
        """Find the file of a name near the model or in a package; otherwise return the reason and the remedy.

        ``package://PACKAGE/…`` is in a package, ``model://…`` may also be next to the model. Other names lead from the
        model's folder to files in it, or in a folder that the user names.
        """
        scheme, separator, rest = name.partition("://")
        if f"{scheme}{separator}" not in SCHEMES:
            return self._beside(name)
        if scheme == "model" and (self.folder is None or (self.folder / rest).exists()):
            return self._beside(rest)
        found = self._find_in_packages(rest)
        return found or (f"{name}: there is no such file in a package that is named", PACKAGES)

    def _beside(self, name: str) -> Path | tuple[str, str]:
        if self.folder is None:
            return f"{name} is included from standard input", "name a file"
        try:
            path = (self.folder / name).resolve()
            inside = any(path.is_relative_to(f) for f in (self.folder, *map(Path.resolve, map(Path, self.packages))))
        except (OSError, ValueError):
            inside, path = False, self.folder
        if not inside:
            return f"{name} is included from outside the folder of the model", f"{self.remedy}; or {ALLOW}"
        return path

    def _find_in_packages(self, name: str) -> Path | None:
        """Find the file of ``PACKAGE/…`` inside a package, or return None."""
        package, _, inner = name.partition("/")
        if package in ("", ".", ".."):
            return None
        for folder in (Path(named).resolve() for named in self.packages):
            for own in (folder / package, folder):
                path = (own / inner).resolve()
                if own.name == package and path.exists() and path.is_relative_to(own.resolve()):
                    return path
        return None

    def text(self, path: Path, name: str, at: Location) -> str | None:
        """Read a file; return None, and record an error, if that fails."""
        try:
            data = read_within(path, 4 * XML_CHARACTERS)  # a character has four bytes at most
            if data is None:
                self.findings.refuse(at, f"{name}: more than {4 * XML_CHARACTERS:,} bytes", "no model is so large")
                return None
            text = data.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not in UTF-8"
            likely = find_beside(path, "include a file that is there").replace(f"{self.folder}{sep}", "")
            self.findings.refuse(at, f"{name}: {reason}", likely)
            return None
        self.characters, self.files = self.characters + len(text), self.files + 1
        for count, what, most in (
            (self.characters, "characters in all files", XML_CHARACTERS), (self.files, "inclusions", XML_INCLUSIONS),
        ):  # fmt: skip
            if count > most:
                self.findings.refuse(at, too_many(count, what, most), "no model is so large")
                return None
        return text

    def name_file(self, path: Path) -> str:
        """Name a file in findings: relative to the model's folder if it is inside."""
        if self.folder is not None and path.is_relative_to(self.folder):
            return str(path.relative_to(self.folder))
        return str(path)


# Other files that the user names besides models (catalogs, pyproject.toml): their texts, within a limit of size.


def absolute(path: str | Path) -> Path:
    """Return a path without links and dots, which identifies a file; a ring of links is resolved as far as it leads."""
    return Path(os.path.realpath(path))


def utf8_text(file: str | Path, most: int = TOML_BYTES) -> str:
    """Read a text of at most ``most`` bytes.

    Raises
    ------
    ReadError
        The file cannot be read, is too large, or is not UTF-8 text.
    """
    try:
        data = read_within(file, most)
    except (OSError, ValueError) as problem:  # ValueError: a name with a zero byte
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReadError(error(str(file), reason, find_beside(file))) from None
    if data is None:
        found = f"more than {most:,} bytes"
        raise ReadError(error("", found, "divide it", Location(str(file), 1, 1)))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error(str(file), "no text in UTF-8", "save the file as UTF-8")) from None


def parse_toml(text: str, file: str | Path, remedy: str) -> dict[str, Any]:
    """Parse the text of a TOML file; ``remedy`` is what the error says to do.

    Raises
    ------
    ReadError
        The text is not TOML; the error has the line and column that the parser names.
    """
    import tomllib  # not before: most commands read no TOML

    try:
        found = tomllib.loads(text)
        repr(found)  # messages show values: no number of thousands of digits
        return found
    except (ValueError, RecursionError) as problem:  # of TOML, of a number of thousands of digits, of brackets
        place = re.search(r"line (\d+), column (\d+)", str(problem))
        line, column = (int(place[1]), int(place[2])) if place else (1, 1)
        raise ReadError(error("", f"no TOML: {problem}", remedy, Location(str(file), line, column))) from None
