"""A corpus: model files of any format, checked as one campaign; rows of files that have not changed are kept."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from mbconcord.converters import registry
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import ReadError, WriteError, error
from mbconcord.model.system import System

from ..claims import DEFAULT
from ..exact.agreement import Mode
from .folder import ABOUT, REMEDY, written
from .parts import Parts, key, store
from .row import Finding, Row

#: The models of the last run: file, key of its task; or why there is no task of it.
MODELS: Final = "models.json"
#: How begins what is said of a file whose reading is at fault, and not the file.
CRASHED: Final = "reading it "


@dataclass(frozen=True)
class Wanted:
    """What is asked of every model, as :func:`mbconcord.validation.check.check` takes it."""

    formalisms: tuple[str, ...] | None = None
    states: int = 10
    seed: int = 0
    claims: tuple[str, ...] = DEFAULT
    exact: Mode = "auto"

    def to_json(self) -> dict[str, Any]:
        """What tells one campaign from another, the program's version among it."""
        return {"kind": "corpus", **json.loads(json.dumps(asdict(self))), "program": version("mbconcord")}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Wanted:
        """What was asked."""
        names = data["formalisms"]
        return Wanted(
            None if names is None else tuple(names), data["states"], data["seed"], tuple(data["claims"]), data["exact"]
        )  # fmt: skip


@dataclass(frozen=True)
class Model:
    """A model as it travels: the system as native JSON, the text that it was read from, nothing that is pickled.

    Attributes
    ----------
    file, format, text : what was read
    native : the system, of native format
    physics : what is made of inertias that no body has
    accepted : what the model is known to leave out, kind -> how many
    changed : parameters that have other values than the text says
    """

    file: str
    format: str
    text: str
    native: str
    physics: Policy
    accepted: dict[str, int] | None = None
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """A model of a corpus: its row, who derived it, what its reader left out; ``stands``: that this was accepted.

    Where there is no row yet it waits; where it could not be read ``refused`` says why.
    """

    file: str
    format: str = ""
    row: Row | None = None
    witnesses: tuple[str, ...] = ()
    omissions: Mapping[str, int] = field(default_factory=dict)
    stands: bool = False
    refused: str = ""
    at: float = 0.0

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong: of the row, or of the reading where that ended its process or raised what is no refusal."""
        if self.row is not None:
            return self.row.findings
        crashed = self.refused.startswith(CRASHED)
        return (Finding("crash", self.refused, self.refused),) if crashed else ()

    @property
    def verdict(self) -> str:
        """Of the row; ``failed``, ``refused`` or ``waits`` where there is none."""
        if self.row is not None:
            return self.row.verdict
        return "failed" if self.findings else "refused" if self.refused else "waits"


def model(file: str, format: str, text: str, system: System, physics: Policy,
          accepted: Mapping[str, int] | None, changed: Iterable[str]) -> Model:  # fmt: skip
    """A model that was read, ready to travel."""
    native = registry.write(system, "native", physics="ignore").text
    known = None if accepted is None else dict(accepted)
    return Model(file, format, text, native, physics, known, tuple(sorted(changed)))


class Corpus:
    """The folder of a campaign over files.

    Raises
    ------
    WriteError
        It cannot be written, or holds other files.
    ReadError
        It holds another campaign, or what is none; a file of rows is damaged.
    """

    def __init__(self, path: Path, wanted: Wanted | None = None) -> None:
        self.path, self.parts = path, Parts(path)
        there = _about(path) if (path / ABOUT).exists() else None
        if there is None:
            if wanted is None:
                raise ReadError(error("", f"{path}: holds no campaign", "name the folder of one"))
            _begin(path, wanted)
        elif wanted is not None:
            for name, value in wanted.to_json().items():
                if there.get(name) != value:
                    found = f"{path}: holds a campaign with {name} {there.get(name)}, this one has {value}"
                    raise ReadError(error("--output", found, REMEDY))
        self.wanted = wanted or Wanted.from_json(there or {})
        self.rows = {row["task"]: row for row in self.parts.rows()}
        self.models: dict[str, dict[str, str]] = _models(path / MODELS)

    def take(self, models: Mapping[str, Model | str]) -> list[Model]:
        """Make these the models of the corpus; those that are not checked as they are. Texts say what is no model."""
        entries = {
            file: {"refused": found} if isinstance(found, str) else {"task": self.key(found)}
            for file, found in models.items()
        }
        store(self.path / MODELS, json.dumps(entries, indent=1).encode())
        self.models = entries
        return [m for m in models.values() if isinstance(m, Model) and self.key(m) not in self.rows]

    def key(self, of: Model) -> str:
        """The key of a model's task: of all that its row depends on."""
        return key([self.wanted.to_json(), asdict(of)])

    def add(self, of: Model, answer: Mapping[str, Any]) -> None:
        """Keep a row."""
        row = {"task": self.key(of), "at": round(time.time(), 3), **answer}
        self.parts.add(row)
        self.rows[row["task"]] = row

    def checked(self) -> list[Checked]:
        """Every model of the corpus in its order."""
        return [self.of(file) for file, entry in self.models.items()]

    def of(self, file: str) -> Checked:
        """What is known of a model."""
        entry = self.models[file]
        data = self.rows.get(entry.get("task", ""))
        if data is None:
            return Checked(file, refused=entry.get("refused", ""))
        return Checked(
            file, data["format"], Row.from_json(data), tuple(data["witnesses"]), data["omissions"], data["stands"],
            at=data["at"],
        )  # fmt: skip


def _about(path: Path) -> dict[str, Any]:
    try:
        found = json.loads((path / ABOUT).read_bytes())
        if found["kind"] == "corpus":
            return dict(found)
    except (OSError, ValueError, TypeError, KeyError):
        pass
    raise ReadError(error("--output", f"{path / ABOUT}: is of no campaign over files", REMEDY))


def _begin(path: Path, wanted: Wanted) -> None:
    if path.is_dir() and any(path.iterdir()):
        raise WriteError(error("--output", f"{path}: holds other files", "name an empty or a new folder"))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        found = f"{path}: {problem.strerror}"
        raise WriteError(error("--output", found, "name a folder that can be written")) from None
    written(path / ABOUT, (json.dumps(wanted.to_json(), indent=2) + "\n").encode())


def _models(file: Path) -> dict[str, dict[str, str]]:
    if not file.exists():
        return {}
    try:
        found: dict[str, dict[str, str]] = json.loads(file.read_bytes())
        return {name: dict(entry) for name, entry in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise ReadError(
            error("", f"{file}: damaged", "remove it, and check the models again: rows are kept")
        ) from None
