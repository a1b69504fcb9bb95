"""A corpus, model files checked as one campaign, and a fleet, pairs compared so; what is unchanged keeps its row."""

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


#: Exit codes of ``compare``, the worst first, and what each says of a pair.
EXITS: Final = {
    70: "internal error",
    2: "refused",
    1: "not the same",
    3: "could not be told",
    4: "the same but for what is left out",
    5: "the same after a matching that you have not confirmed",
    0: "the same",
}
#: How begins what is said of a process that was ended by its limits: that is no fault of the program.
TOO_MUCH: Final = "took more"


@dataclass(frozen=True)
class FleetRequest:
    """Settings of the comparison of every pair, as :func:`mbconcord.compare` takes them.

    ``seconds``: time by the clock after which a search for causes stops.
    """

    states: int = 10
    seed: int = 0
    simulate: float | None = None
    seconds: float = 60.0

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON that identifies a campaign, including the program's version."""
        return {"kind": "fleet", **asdict(self), "program": version("mbconcord")}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> FleetRequest:
        """Restore the settings."""
        return FleetRequest(data["states"], data["seed"], data["simulate"], data["seconds"])


@dataclass(frozen=True)
class FleetPair:
    """A pair of models to be sent to a process.

    ``file`` is the name of its row, ``warnings`` are those of both readers, ``unchanged``: B is the same as A.
    """

    file: str
    a: CorpusModel
    b: CorpusModel
    warnings: tuple[str, ...] = ()
    unchanged: str = ""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> FleetPair:
        """Restore the pair."""
        a, b = (CorpusModel.from_json(data[side]) for side in "ab")
        return FleetPair(data["file"], a, b, tuple(data["warnings"]), data["unchanged"])


@dataclass(frozen=True)
class ComparedPair:
    """A row of a fleet.

    Attributes
    ----------
    robot : name of the robot
    converter : name of the converter that made B from A; empty if the user gave the pair
    verdict : verdict of ``compare``; or ``refused``, ``failed`` (a fault of the program), ``waits``
    exit : exit code of ``compare`` for the pair; None while it waits
    largest : the entry that differs most relative to scale
    cause : cause of the difference, omissions, or reason why there is no comparison
    found : the result in the form of ``compare --why --json``; empty if there is none
    """

    robot: str
    converter: str = ""
    verdict: str = "waits"
    exit: int | None = None
    largest: str = ""
    cause: str = ""
    found: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --pairs --json``."""
        return asdict(self)


class Fleet(Corpus):
    """The folder of a campaign over pairs; ``labels`` has robot and converter by the name of the row."""

    REQUEST = FleetRequest
    UNIT: ClassVar[str] = "pair"
    JUDGE: ClassVar[str] = "mbconcord.api.fleet:judge"
    WARM: ClassVar[str] = "mbconcord.api.fleet:warm_up"

    def __init__(self, path: Path, wanted: Any = None, labels: Mapping[str, tuple[str, str]] | None = None) -> None:
        super().__init__(path, wanted)
        self.labels = labels or {}

    def label(self, file: str) -> dict[str, str]:
        """Return robot and converter of a row."""
        return dict(zip(("robot", "converter"), self.labels[file], strict=True))

    def find_model(self, file: str) -> ComparedPair:
        """Return what is known about a pair, also before it has a row."""
        entry = self.models[file]
        data, refused = self.rows.get(entry.get("task", "")), entry.get("refused", "")
        known: dict[str, Any] = {"robot": entry["robot"], "converter": entry["converter"]}
        if data is not None:
            known |= {"verdict": data["verdict"], **json.loads(data["pair"])}
        elif refused.startswith(CRASHED):
            known |= describe_end(refused.removeprefix(CRASHED), "reading it: ")
        elif refused:
            known |= {"verdict": "refused", "exit": 2, "cause": say_errors(refused)}
        return ComparedPair(**known)

    def describe_failed(self, of: Any, how: str) -> dict[str, Any]:
        """Return the record of a pair whose process gave no result."""
        return to_row(of.file, describe_end(how))


def describe_end(how: str, where: str = "") -> dict[str, Any]:
    """Describe a process that gave no result: it went beyond its limits, or the program is at fault."""
    limited = how.startswith(TOO_MUCH)
    return {"verdict": "not checked" if limited else "failed", "exit": 3 if limited else 70, "cause": where + how}


def say_errors(text: str) -> str:
    """Write the lines of an error as one."""
    return "; ".join(line.replace("error: ", "", 1) for line in text.splitlines())


def to_row(file: str, answer: Mapping[str, Any], seconds: float = 0.0) -> dict[str, Any]:
    """Return the record of a pair; all values without a column of their own are in one text of JSON."""
    rest = {name: value for name, value in answer.items() if name != "verdict"}
    return {"file": file, "verdict": answer["verdict"], "seconds": round(seconds, 3), "pair": json.dumps(rest)}
