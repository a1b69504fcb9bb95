"""Settings of a run in UM: the ``.icf`` file, in the blocks of input.dat under the first line ``icf``.

Known are the attributes ``tout``, ``step``, ``h``, ``error``, ``method`` and ``jacobian`` of the block ``integr``.
No file seen so far says which identifiers are inputs of the model, or holds coordinates or velocities: these are in
an ``.xv`` file.
"""

from __future__ import annotations

from mbconcord.converters.floats import exact
from mbconcord.converters.format import RunDefaults
from mbconcord.model.diagnostics import Diagnostic, Location, NumbersError, ReadError, error
from mbconcord.records import dataclass, fields

from .syntax import decode, parse
from .tree import UmBlock, UmDocument

HEADER = "icf"
_BLOCK = "integr"
#: Methods of UM that files name, both for stiff models, and the method of :func:`mbconcord.simulate` next to each.
METHODS = {"park": "lsoda", "gearnl": "lsoda"}


@dataclass(frozen=True, slots=True)
class Integrator:
    """The settings of the integrator by UM's own names; None if missing in the file."""

    tout: float | None = None
    step: float | None = None
    h: float | None = None
    error: float | None = None
    method: str | None = None
    jacobian: bool | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The contents of an ``.icf`` file: the whole document, and the integrator's settings in it."""

    document: UmDocument
    integrator: Integrator


def read_icf(text: str, file: str = "-") -> Configuration:
    """Read the configuration of an ``.icf`` text.

    Raises
    ------
    ReadError
        The first line is not ``icf``, or the blocks cannot be read.
    NumbersError
        A setting is no number, or neither true nor false: all findings at once.
    """
    document = parse(text, file)
    if document.header != HEADER:
        first = text.partition("\n")[0].strip()[:40]
        raise ReadError(error("", f"found {first!r}, expected 'icf'", "", Location(file, 1, 1)))
    return Configuration(document, _integrator(document, file))


def read_run(data: bytes, file: str) -> RunDefaults:
    """Read the defaults of a simulation from an ``.icf`` file: end time, step of output, tolerance and method.

    Raises
    ------
    ReadError, NumbersError
        As :func:`read_icf`; an end, step or tolerance is not positive.
    """
    found = read_icf(decode(data, file).text, file)
    block = next((b for b in found.document.blocks if b.keyword == _BLOCK), UmBlock(_BLOCK))
    named = {field.name: block.attribute(field.name) for field in fields(Integrator)}
    told, set_there = found.integrator, {name: a for name, a in named.items() if a is not None and a.value}
    wrong = [name for name in ("tout", "step", "error") if name in set_there and not getattr(told, name) > 0]
    if wrong:
        raise NumbersError(
            error(
                f"{_BLOCK}/{name}",
                f"found {set_there[name].value}",
                "expected more than 0",
                set_there[name].value_at(file),
            )
            for name in wrong
        )
    settings = {name: a.value for name, a in set_there.items()}
    return RunDefaults(file, settings, told.tout, told.step, METHODS.get(told.method or ""), told.error)


def _integrator(document: UmDocument, file: str) -> Integrator:
    block = next((b for b in document.blocks if b.keyword == _BLOCK), UmBlock(_BLOCK))
    findings: list[Diagnostic] = []
    values: dict[str, float | str | bool] = {}
    for field in fields(Integrator):
        attribute = block.attribute(field.name)
        if attribute is None or not attribute.value:
            continue
        try:
            values[field.name] = _value(field.name, attribute.value)
        except ValueError as problem:
            findings.append(error(f"{_BLOCK}/{field.name}", str(problem), "", attribute.value_at(file)))
    if findings:
        raise NumbersError(findings)
    return Integrator(**values)  # type: ignore[arg-type]


def _value(name: str, shown: str) -> float | str | bool:
    if name == "method":
        return shown
    if name == "jacobian":
        if shown not in ("true", "false"):
            raise ValueError(f"found {shown!r}, expected true or false")
        return shown == "true"
    try:
        return float(exact(shown))
    except ValueError as problem:
        raise ValueError(f"found {problem}") from None
