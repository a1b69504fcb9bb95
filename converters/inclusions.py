"""Files that a model's file includes: out of its folder alone, and not too many."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location
from mbconcord.model.limits import XML_CHARACTERS, too_many


class Inclusions:
    """Reads what the file of a model includes.

    ``remedy`` is what is to be done about files outside of its folder.
    """

    def __init__(self, text: str, file: str, remedy: str, findings: Findings) -> None:
        self.remedy, self.findings = remedy, findings
        self.own: Final = Path(file).resolve()
        self.folder = None if file == "-" else self.own.parent
        self.characters = len(text)

    def path(self, name: str, at: Location) -> Path | None:
        """The file of a name beside the model; None, and an error, where it may not be included."""
        if self.folder is None:
            self.findings.refuse(at, f"{name} is included from standard input", "name a file")
            return None
        try:
            path = (self.folder / name).resolve()
            inside = path.is_relative_to(self.folder)
        except (OSError, ValueError):
            inside, path = False, self.folder
        if not inside:
            self.findings.refuse(at, f"{name} is included from outside the folder of the model", self.remedy)
            return None
        return path

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
        """A file as it is named in findings: from the folder of the model."""
        return str(path.relative_to(self.folder or path.anchor))
