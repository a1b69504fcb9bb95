"""A corpus: model files of any format, checked as one campaign; rows of unchanged files are kept."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

from mbconcord.converters import registry
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import ReadError, WriteError, error
from mbconcord.model.limits import read_within
from mbconcord.model.system import System
from mbconcord.records import asdict, dataclass, field

from ...claims import DEFAULT
from ...judge.exact.proof import Mode
from .folder import ABOUT, REMEDY, describe_refusal, write_data
from .parts import CampaignParts, key
from .row import CampaignRow, Finding
from .subject import limit

#: The models of the last run: file, key of its task; or why there is no task of it.
MODELS: Final = "models.json"
#: How begins what is said of a file whose reading is at fault, and not the file.
CRASHED: Final = "reading it "


@dataclass(frozen=True)
class CorpusRequest:
    """Settings of the check of every model, as :func:`mbconcord.validation.check.check` takes them."""

    formalisms: tuple[str, ...] | None = None
    states: int = 10
    seed: int = 0
    claims: tuple[str, ...] = DEFAULT
    exact: Mode = "auto"

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON that identifies a campaign, including the program's version."""
        return {"kind": "corpus", **json.loads(json.dumps(asdict(self))), "program": version("mbconcord")}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> CorpusRequest:
        """Restore the settings."""
        names = data["formalisms"]
        return CorpusRequest(
            None if names is None else tuple(names), data["states"], data["seed"], tuple(data["claims"]), data["exact"]
        )  # fmt: skip


@dataclass(frozen=True)
class CorpusModel:
    """A model to be sent to a process: the system as native JSON, and its original text; nothing is pickled.

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

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> CorpusModel:
        """Restore the model."""
        return CorpusModel(**{**data, "changed": tuple(data["changed"])})


@dataclass(frozen=True)
class CheckedModel:
    """A model of a corpus: its row, the formalisms that derived it, its omissions; ``stands``: True if these were
    accepted.

    A model without a row waits to be checked; if it could not be read, ``refused`` has the reason.
    """

    file: str
    format: str = ""
    row: CampaignRow | None = None
    witnesses: tuple[str, ...] = ()
    omissions: Mapping[str, int] = field(default_factory=dict)
    stands: bool = False
    refused: str = ""
    at: float = 0.0

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of the row, or of a reading that ended its process or raised something other than a refusal."""
        if self.row is not None:
            return self.row.findings
        crashed = self.refused.startswith(CRASHED)
        return (Finding("crash", self.refused, self.refused),) if crashed else ()

    @property
    def verdict(self) -> str:
        """Verdict of the row; ``failed``, ``refused`` or ``waits`` without one."""
        if self.row is not None:
            return self.row.verdict
        return "failed" if self.findings else "refused" if self.refused else "waits"


def model(file: str, format: str, text: str, system: System, physics: Policy,
          accepted: Mapping[str, int] | None, changed: Iterable[str]) -> CorpusModel:  # fmt: skip
    """Prepare a model that was read for transfer."""
    native = registry.write(system, "native", physics="ignore").text
    known = None if accepted is None else dict(accepted)
    return CorpusModel(file, format, text, native, physics, known, tuple(sorted(changed)))


class Corpus:
    """The folder of a campaign over files.

    A subclass may have other tasks: values with a ``file``, the name of their row. ``JUDGE`` names the function that
    makes a task's row, ``WARM`` the one that imports the modules it needs; ``UNIT`` is the word for a task.

    Raises
    ------
    WriteError
        The folder cannot be written, or holds other files.
    ReadError
        The folder holds another campaign or other data, or a file of rows is damaged.
    """

    REQUEST: ClassVar[Any] = CorpusRequest
    UNIT: ClassVar[str] = "model"
    JUDGE: ClassVar[str] = f"{__package__}.survey:judge"
    WARM: ClassVar[str] = f"{__package__}.survey:warm_up"

    def __init__(self, path: Path, wanted: Any = None) -> None:
        self.path, self.parts = path, CampaignParts(path)
        there = _read_about(path, self.REQUEST().to_json()["kind"]) if (path / ABOUT).exists() else None
        if there is None:
            if wanted is None:
                raise ReadError(error(str(path), "holds no campaign", "name the folder of one"))
            _begin(path, wanted)
        elif wanted is not None:
            for name, value in wanted.to_json().items():
                if there.get(name) != value:
                    found = f"{path}: holds a campaign with {name} {there.get(name)}, this one has {value}"
                    raise ReadError(error("--output", found, REMEDY))
        self.wanted = wanted or self.REQUEST.from_json(there or {})
        self.rows = {row["task"]: row for row in self.parts.rows()}
        self.models: dict[str, dict[str, str]] = _models(path / MODELS)

    @property
    def how(self) -> dict[str, Any]:
        """Return the inputs of a worker that all tasks share."""
        return {"judge": self.JUDGE, "warm": self.WARM, "wanted": self.wanted.to_json()}

    def take(self, models: Mapping[str, Any]) -> list[Any]:
        """Make these the corpus's models; return those without a current row. A text is the reason for no model."""
        entries = {
            file: self.label(file) | ({"refused": found} if isinstance(found, str) else {"task": self.key(found)})
            for file, found in models.items()
        }
        write_data(self.path / MODELS, json.dumps(entries, indent=1).encode())
        self.models = entries
        return [m for m in models.values() if not isinstance(m, str) and self.key(m) not in self.rows]

    def label(self, file: str) -> dict[str, str]:
        """Return the labels of a task that are known before it is read."""
        return {}

    def key(self, of: Any) -> str:
        """Return the key of a model's task: the hash of all inputs of its row."""
        return key([self.wanted.to_json(), asdict(of)])

    def add(self, of: Any, answer: Mapping[str, Any]) -> None:
        """Store the row of a task."""
        row = {"task": self.key(of), "at": round(time.time(), 3), **answer}
        self.parts.add(row)
        self.rows[row["task"]] = row

    def list_checked(self) -> list[Any]:
        """Return every model of the corpus in its order."""
        return [self.find_model(file) for file, entry in self.models.items()]

    def find_model(self, file: str) -> Any:
        """Return the known results of a model."""
        entry = self.models[file]
        data = self.rows.get(entry.get("task", ""))
        if data is None:
            return CheckedModel(file, refused=entry.get("refused", ""))
        return CheckedModel(
            file, data["format"], CampaignRow.from_json(data), tuple(data["witnesses"]), data["omissions"],
            data["stands"], at=data["at"],
        )  # fmt: skip

    def describe_failed(self, of: Any, how: str) -> dict[str, Any]:
        """Return the record of a task whose process gave no result."""
        row = CampaignRow(0, "failed", findings=(limit(how),)).to_json()
        return {"file": of.file, "format": of.format, "witnesses": [], "omissions": {}, "stands": False, **row}


def _read_about(path: Path, kind: str) -> dict[str, Any]:
    try:
        found = json.loads(read_within(path / ABOUT) or b"")
        if found["kind"] == kind:
            return dict(found)
    except (OSError, ValueError, TypeError, KeyError):
        pass
    raise ReadError(
        error("--output", f"{path / ABOUT}: is of no campaign over {'pairs' if kind == 'fleet' else 'files'}", REMEDY)
    )


def _begin(path: Path, wanted: CorpusRequest) -> None:
    if path.is_dir() and any(path.iterdir()):
        raise WriteError(error("--output", f"{path}: holds other files", "name an empty or a new folder"))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise describe_refusal(path, problem) from None
    write_data(path / ABOUT, (json.dumps(wanted.to_json(), indent=2) + "\n").encode())


def _models(file: Path) -> dict[str, dict[str, str]]:
    if not file.exists():
        return {}
    try:
        found: dict[str, dict[str, str]] = json.loads(file.read_bytes())
        return {name: dict(entry) for name, entry in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise ReadError(error(str(file), "damaged", "remove it, and check the models again: rows are kept")) from None
