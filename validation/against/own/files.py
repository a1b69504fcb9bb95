"""Own equations in files, which are read and never run.

``python:FILE:NAME`` is a function without branches and loops, ``matlab:FILE`` a text of such assignments; ``eqs:FILE``
is a neutral file, ``*.eqs.json``, that any program can write. ``fmu:FILE``, which is run, is read by :mod:`..fmu`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mbconcord.converters.json_text import JsonText, Numeral, Value
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ReadError, among, error
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, rate, substitute
from mbconcord.model.expressions.exchange import loads
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.limits import count

from .alone import Matrix
from .equations import FORMAT, TOLD, VERSION, DependentSpeeds, OwnEquations
from .straight import read_python, read_source

EQS, PYTHON, MATLAB, FMU = PREFIXES = ("eqs:", "python:", "matlab:", "fmu:")
REQUIRED: Final = ("format", "version", "q", "M", "forcing")
KEYS: Final = (*REQUIRED, "source", "u", "qdot", "graph", "velocity_rows", "constraints", "notes", "solved", *TOLD)
TIES: Final = ("B", "c", "A")


def read_file(
    source: str, q: Sequence[Any] | None = None, u: Sequence[Any] | None = None, qdot: Mapping[Any, Any] | None = None
) -> OwnEquations:
    """Read own equations from a file; ``q``, ``u`` and ``qdot`` are used only for Python functions and MATLAB text.

    Raises
    ------
    MbconcordError
        The file cannot be read, or has another form; the message gives the line.
    """
    if source.startswith(PYTHON):
        return read_python(source.removeprefix(PYTHON), q, u, qdot)
    if source.startswith(MATLAB):
        from .matlab import read_matlab  # not before: it brings a grammar

        return read_matlab(source.removeprefix(MATLAB), q, u, qdot)
    if any(x is not None for x in (q, u, qdot)):
        raise MbconcordError(error("own", f"found q, u or qdot beside {source!r}", "the file has its own"))
    return read_neutral(source.removeprefix(EQS))


def read_neutral(file: str) -> OwnEquations:
    """Read an ``eqs.json`` file.

    Raises
    ------
    ReadError
        The file cannot be read, or has another form; the message lists all findings with their lines.
    """
    return _Reader(read_source(file), file).read()


class _Reader:
    """Reader of one file, with the findings in it."""

    def __init__(self, text: str, file: str) -> None:
        self.source = JsonText(text, file)
        self.document = self.source.scan()
        self.findings: list[Diagnostic] = []
        self.graph: list[Expression] = []

    def read(self) -> OwnEquations:
        keys = self._object("", self.document, KEYS, REQUIRED)
        solved = "solved" in keys and keys["solved"].data is True
        if "solved" in keys and not solved:
            self._wrong("solved", keys["solved"], f"found {keys['solved'].kind}", "say true, or leave it out")
        self._require()
        for name, expected in (("format", FORMAT), ("version", VERSION)):
            if keys[name].plain() != expected:
                self._wrong(name, keys[name], f"found {keys[name].plain()!r:.40}, expected {expected!r}")
        self._require()
        if "graph" in keys:
            try:
                self.graph = loads(keys["graph"].plain())
            except ExpressionError as problem:
                self._wrong("graph", keys["graph"], str(problem))
        q = self._texts("q", keys["q"])
        u = self._texts("u", keys["u"]) if "u" in keys else tuple(f"{x}'" for x in q)
        rates = tuple(map(rate, q))
        qdot = self._row("qdot", keys["qdot"]) if "qdot" in keys else rates
        if "qdot" not in keys and u != tuple(f"{x}'" for x in q):
            self._wrong("u", keys["u"], "found speeds and no rates by them", 'give "qdot", a formula for each of q')
        elif len(qdot) != len(q):
            message = f"found {count(len(qdot), 'formula')} for {count(len(q), 'coordinate')}"
            self._wrong("qdot", keys["qdot"], message, "give one for each of q, in its order")
        M, forcing = self._matrix("M", keys["M"]), self._row("forcing", keys["forcing"])
        ties = None
        if "velocity_rows" in keys and keys["velocity_rows"].data is not None:
            tied = self._object("velocity_rows", keys["velocity_rows"], TIES, TIES)
            self._require()
            ties = DependentSpeeds(
                self._matrix("B", tied["B"]), self._row("c", tied["c"]), self._matrix("A", tied["A"])
            )
        told = {name: self._formulas(name, keys[name]) for name in TOLD if name in keys}
        plain = {name: self._text(name, keys[name]) for name in ("source", "constraints") if name in keys}
        notes = self._texts("notes", keys["notes"]) if "notes" in keys else ()
        self._require()
        kind = plain.get("source") or "equations"
        try:
            own = OwnEquations(
                kind, q, u, qdot, M, forcing, plain.get("constraints", ""), notes=notes, dependent=ties, frames=(),
                solved=solved, **told,
            )  # fmt: skip
        except MbconcordError as problem:
            place = {d: keys.get(d.place.partition("[")[0], self.document) for d in problem.diagnostics}
            found = [d.with_location(self.source.location(place[d].offset)) for d in problem.diagnostics]
            raise ReadError(found) from None
        return own.with_formulas(substitute(own.formulas, dict(zip(rates, qdot, strict=True))))

    def _wrong(self, place: str, value: Value, message: str, remedy: str = "") -> None:
        self.findings.append(error(place, message, remedy, self.source.location(value.offset)))

    def _require(self) -> None:
        if self.findings:
            raise ReadError(self.findings)

    def _object(
        self, place: str, value: Value, known: tuple[str, ...] = (), required: tuple[str, ...] = ()
    ) -> Mapping[str, Value]:
        """Return an object's values by key; ``known``: the allowed keys, empty: any; ``required``: needed keys."""
        if not isinstance(value.data, dict):
            self._wrong(place, value, f"found {value.kind}, expected an object")
            return {}
        for key, item in value.data.items():
            if known and key not in known:
                self._wrong(f"{place}/{key}".strip("/"), item, "unknown key", among(key, known))
        for key in required:
            if key not in value.data:
                self._wrong(place, value, f"found no {key!r}", f"keys that have to be: {', '.join(required)}")
        return dict(value.data)

    def _list(self, place: str, value: Value) -> list[Value]:
        if isinstance(value.data, list):
            return value.data
        self._wrong(place, value, f"found {value.kind}, expected a list")
        return []

    def _text(self, place: str, value: Value) -> str:
        if isinstance(value.data, str):
            return value.data
        self._wrong(place, value, f"found {value.kind}, expected a text")
        return ""

    def _texts(self, place: str, value: Value) -> tuple[str, ...]:
        return tuple(self._text(place, item) for item in self._list(place, value))

    def _formulas(self, place: str, value: Value) -> dict[str, str]:
        return {key: self._text(f"{place}/{key}", item) for key, item in self._object(place, value).items()}

    def _row(self, place: str, value: Value) -> tuple[Expression, ...]:
        return tuple(self._entry(f"{place}[{i + 1}]", item) for i, item in enumerate(self._list(place, value)))

    def _matrix(self, place: str, value: Value) -> Matrix:
        return tuple(self._row(f"{place}[{i + 1}]", row) for i, row in enumerate(self._list(place, value)))

    def _entry(self, place: str, value: Value) -> Expression:
        """Return a formula that is a text, or the place of an output of the graph."""
        message, outputs = f"found {value.kind}", len(self.graph)
        if isinstance(value.data, Numeral):
            message = f"found {value.data.text}, and {count(outputs, 'output')} of a graph"
            if value.data.text.isdigit() and value.data.value < outputs:
                return self.graph[int(value.data.value)]
        elif isinstance(value.data, str):
            try:
                return parse_formula(value.data)
            except (ReadError, ExpressionError, ZeroDivisionError) as problem:
                message = problem.diagnostics[0].message if isinstance(problem, ReadError) else str(problem)
        self._wrong(place, value, message, 'write a formula as text, "2*m*l", or the place of an output of the graph')
        return ZERO
