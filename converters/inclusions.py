"""Files that a model's file includes: out of its folder and of packages that the user names, and not too many."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location
from mbconcord.model.limits import XML_CHARACTERS, too_many

#: What addresses begin with that name a package, and then a file in it.
SCHEMES: Final = ("package://", "model://")
ALLOW: Final = "allow its folder: --package-path FOLDER"
PACKAGES: Final = "name the folder in which its packages stand: --package-path FOLDER"


class Inclusions:
    """Reads what the file of a model includes.

    ``remedy`` is what is to be done about files outside of its folder. ``packages`` are the folders that the user
    names: packages stand in them, or they are one.
    """

    def __init__(
        self, text: str, file: str, remedy: str, findings: Findings, packages: tuple[str, ...] = ()
    ) -> None:
        self.remedy, self.findings, self.packages = remedy, findings, packages
        self.own: Final = Path(file).resolve()
        self.folder = None if file == "-" else self.own.parent
        self.characters = len(text)

    def path(self, name: str, at: Location) -> Path | None:
        """The file of a name; None, and an error, where it may not be included."""
        found = self.located(name)
        if isinstance(found, Path):
            return found
        self.findings.refuse(at, *found)
        return None

    def located(self, name: str) -> Path | tuple[str, str]:
        """The file of a name beside the model, or in a package; else why there is none, and what is to be done.

        ``package://PACKAGE/…`` is in a package, ``model://…`` may stand beside the model, too. Other names lead from
        the folder of the model to what is in it, or in a folder that the user names.
        """
        scheme, separator, rest = name.partition("://")
        if f"{scheme}{separator}" not in SCHEMES:
            return self._beside(name)
        if scheme == "model" and (self.folder is None or (self.folder / rest).exists()):
            return self._beside(rest)
        found = self._packaged(rest)
        return found or (f"{name}: there is no such file in a package that is named", PACKAGES)

    def _beside(self, name: str) -> Path | tuple[str, str]:
        if self.folder is None:
            return f"{name} is included from standard input", "name a file"
        try:
            path = (self.folder / name).resolve()
            inside = any(
                path.is_relative_to(f) for f in (self.folder, *map(Path.resolve, map(Path, self.packages)))
            )
        except (OSError, ValueError):
            inside, path = False, self.folder
        if not inside:
            return f"{name} is included from outside the folder of the model", f"{self.remedy}; or {ALLOW}"
        return path

    def _packaged(self, name: str) -> Path | None:
        """The file of ``PACKAGE/…`` inside of a package; None where there is none."""
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
        """What stands in a file; None, and an error, where it cannot be read."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not in UTF-8"
            self.findings.refuse(at, f"{name}: {reason}", "include a file that is there")
            return None
        self.characters += len(text)
        if self.characters > XML_CHARACTERS:
            found = too_many(self.characters, "characters in all files", XML_CHARACTERS)
            self.findings.refuse(at, found, "no model is so large")
            return None
        return text

    def called(self, path: Path) -> str:
        """A file as it is named in findings: from the folder of the model where it stands there."""
        if self.folder is not None and path.is_relative_to(self.folder):
            return str(path.relative_to(self.folder))
        return str(path)
