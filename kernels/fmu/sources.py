"""Sources of an FMU: functions of the state as a library in C each, and around them the text that is the same for all.

The test of the built FMU is the test program of a library whose functions call the FMU's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files

from mbconcord.records import dataclass

from ..c.library import Library
from ..c.texts import literal
from .description import TOLERANCE


@dataclass(frozen=True)
class ClosedNumbers:
    """Numbers of constraints, which an FMU of a closed machine holds.

    Attributes
    ----------
    extra : coordinates of cut joints at the start
    sizes (m',) : what the function of each row of position is made of
    lengths (m,), closing (m',) : largest lengths of the rows of accelerations, of position, in the metric of M
    holonomic (m',) : whether a row has a function of position
    threshold : shorter rows, as a part of the longest, depend on the others
    weighted : whether constraints give some coordinates their inertia
    """

    extra: Sequence[float]
    sizes: Sequence[float]
    lengths: Sequence[float]
    closing: Sequence[float]
    holonomic: Sequence[bool]
    threshold: float
    weighted: bool


@dataclass(frozen=True)
class FmuSources:
    """Sources of an FMU.

    Attributes
    ----------
    version : 2 or 3
    name : identifier of files and of the model
    coordinates : number of coordinates
    libraries : ``motion``, ``energies``, ``slopes`` -> library that computes accelerations, energies, derivatives of
        both; the last two if there are any. A closed machine has ``terms`` (M, forces, D, γ̃) and ``rows`` (M, f, its
        slopes, γ) in place of ``motion``
    start : q and v
    values : values of inputs and parameters, in the order of the libraries
    inputs, step : how many of them are inputs; fixed step within Co-Simulation, s, None: the tolerance controls it
    """

    version: int
    name: str
    coordinates: int
    libraries: Mapping[str, Library]
    start: Sequence[float]
    values: Sequence[float]
    inputs: int
    step: float | None = None
    closed: ClosedNumbers | None = None

    @property
    def energies(self) -> int:
        """Number of energies that are computed."""
        return len(self.libraries["energies"].outputs) if "energies" in self.libraries else 0

    @property
    def token(self) -> str:
        """Digest of the sources, in the form of a GUID."""
        text = "\0".join(self._files("").values())
        found = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
        return "{" + "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:32])) + "}"

    def files(self) -> dict[str, str]:
        """Return the source files: name of a file -> its text."""
        return self._files(self.token)

    def _files(self, token: str) -> dict[str, str]:
        headers = ("fmu.c", "fmi.h", f"fmi{self.version}.h", *(["closed.h"] if self.closed else []))
        found = {name: _template(name) for name in headers}
        found["config.h"] = self._config(token)
        for library in self.libraries.values():
            found |= {name: text for name, text in library.files().items() if name != "CMakeLists.txt"}
        return found

    def _config(self, token: str) -> str:
        """Write the numbers of the model, and include its functions."""
        made = next(iter(self.libraries.values()))
        lines = [
            "/* The numbers of one model. */",
            f"#define FMI_VERSION {self.version}",
            f'#define TOKEN "{token}"',
            f"#define TOLERANCE {literal(TOLERANCE)}",
            f"#define ENERGIES {self.energies}",
            f"#define SLOPES {int('slopes' in self.libraries)}",
            f"#define INPUTS {self.inputs}",
            *([] if self.step is None else [f"#define STEP {literal(self.step)}"]),
            *self._constraints(),
            f"enum {{ COORDINATES = {self.coordinates}, STATE = {len(made.symbols)}, SET = {len(made.parameters)} }};",
            f"static const double start[] = {{{', '.join(map(literal, self.start))}}};",
            f"static const double values[] = {{{', '.join(map(literal, self.values or [0.0]))}}};",
        ]
        for what, library in self.libraries.items():
            lines += [
                f"#define {library.upper}_ONE",
                f'#include "{library.plain}.c"',
                f"#define evaluate_{what} {library.plain}_evaluate",
            ]
        return "\n".join([*lines, ""])

    def _constraints(self) -> list[str]:
        """Write the numbers of the constraints."""
        if self.closed is None:
            return ["#define ROWS 0"]
        x, rows, closing = self.closed, len(self.closed.lengths), len(self.closed.sizes)
        lists = {"extra": x.extra or [0.0], "sizes": x.sizes, "row_lengths": x.lengths, "closing_lengths": x.closing}
        return [
            f"#define ROWS {rows}",
            f"#define WEIGHT {int(x.weighted)}",
            f"#define THRESHOLD {literal(x.threshold)}",
            f"enum {{ EXTRA = {len(x.extra)}, CLOSING = {closing}, MOST = {max(rows, closing)} }};",
            *(f"static const double {name}[] = {{{', '.join(map(literal, of))}}};" for name, of in lists.items()),
            f"static const int holonomic[] = {{{', '.join(str(int(flag)) for flag in x.holonomic)}}};",
        ]

    def caller(self, whole: Library) -> dict[str, str]:
        """Write the functions of a library of all results; they call the FMU's functions."""
        text = _template("caller.c").format(
            name=whole.plain, N=whole.upper, coordinates=self.coordinates, energies=self.energies,
            slopes=int("slopes" in self.libraries), parameters=len(whole.parameters), token=self.token,
            version=self.version, inputs=self.inputs,
        )  # fmt: skip
        return {
            f"{whole.plain}.h": whole.files()[f"{whole.plain}.h"],
            f"{whole.plain}_caller.c": text,
            "fmi.h": _template("fmi.h"),
        }


def _template(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")
