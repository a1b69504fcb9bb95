"""A fleet: pairs of models compared as one campaign, each pair a row; rows of unchanged pairs are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

from mbconcord.records import asdict, dataclass, field

from .corpus import CRASHED, Corpus, CorpusModel

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
