"""Included files: from the model's folder and from packages that the user names, up to a limit."""

from __future__ import annotations

from os import sep
from pathlib import Path
from typing import Final

from mbconcord.converters.findings import Findings, find_beside
from mbconcord.model.diagnostics import Location
from mbconcord.model.limits import XML_CHARACTERS, XML_INCLUSIONS, read_within, too_many

#: What addresses begin with that name a package, and then a file in it.
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
        """Return the path of a name; None, and an error, if it may not be included."""
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
