"""Values that a user gives to parameters, and models with these values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbconcord.model.coordinate import Parameter
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.expressions import number, symbols
from mbconcord.model.omission import Omission, with_changed
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

#: Largest number of names that a message lists.
MOST_NAMES: Final = 8


@dataclass(frozen=True)
class ParameterValues:
    """Values that a user gives to parameters, by name.

    ``beside`` are names found only in a format's ``file`` of parameters, which may be older than the model.
    """

    numbers: Mapping[str, Fraction] = field(default_factory=dict)
    file: str = ""
    beside: frozenset[str] = frozenset()

    def keeping(self, keep: Callable[[str], bool]) -> ParameterValues:
        """Return a copy with only those parameters for whose names ``keep`` returns True."""
        return replace(self, numbers={name: value for name, value in self.numbers.items() if keep(name)})


def with_parameters(system: System, values: ParameterValues) -> tuple[System, tuple[Diagnostic, ...]]:
    """Return the system with parameters set to these values, and warnings about ignored names and outdated results.

    Raises
    ------
    NumbersError
        A name is unknown to the model; names in a format's file, which may be older than the model, are refused only
        if the model knows none of them.
    """
    known = [p.name for p in system.parameters]
    unknown = [name for name in values.numbers if name not in known]
    ignored = [name for name in unknown if name in values.beside]
    if values.beside <= values.numbers.keys() and values.beside.isdisjoint(known):
        ignored = []
    refused = [name for name in unknown if name not in ignored]
    if refused:
        raise NumbersError(_unknown(refused, known, values))
    parameters = [
        replace(p, value=number(values.numbers[p.name]), origin="given", varies=None) if p.name in values.numbers else p
        for p in system.parameters
    ]
    found = replace(system, parameters=tuple(parameters), omissions=_awake(system, parameters))
    return found, (*_warn_ignored(ignored, values.file), *_no_longer(system, found))


def _awake(system: System, parameters: Sequence[Parameter]) -> tuple[Omission, ...]:
    """Return the system's omissions with these parameters; results computed from other values are added to them."""
    old = {p.name: p.value for p in system.parameters}
    changed = {p.name for p in parameters if p.value is not old[p.name]}
    while following := {
        p.name for p in parameters if p.value is not None and p.name not in changed and symbols([p.value]) & changed
    }:
        changed |= following
    return with_changed(system.omissions, changed)


def _no_longer(before: System, after: System) -> Iterator[Diagnostic]:
    """Yield a warning for each inertia in the model that was computed from other values of the parameters."""
    for old, new in zip(before.omissions, after.omissions, strict=True):
        if new.acts and not old.acts and new.kind == "computed-inertia":
            name = new.place.partition("/")[2]
            message = f"it was computed from other values of {', '.join(new.parameters)}, and stays as it is"
            remedy = "have the program that wrote the file compute it"
            yield Diagnostic("warning", f"bodies/{name}/inertia", message, remedy)


def _unknown(names: Sequence[str], known: Sequence[str], values: ParameterValues) -> Iterator[Diagnostic]:
    """Yield an error for each unknown name, or a single one if a file has unknown names only."""
    if len(names) > 1 and values.beside.issuperset(names):
        message = f"{values.file}: the model has none of its {len(names)} names: {format_names(names)}"
        remedy = f"name the file of this model; known: {format_names(known) or 'none'}"
        yield error("parameters", message, remedy)
        return
    yield from (error(f"parameters/{n}", "the model has no such parameter", among(n, known)) for n in names)


def _warn_ignored(names: Sequence[str], file: str) -> Iterator[Diagnostic]:
    """Yield one warning with all names in a file that the model does not have, if there are any."""
    if names:
        message = f"{file} has {len(names)} {'name' if len(names) == 1 else 'names'} that the model does not have: "
        yield Diagnostic("warning", "parameters", f"{message}ignored: {format_names(names)}")


def format_names(names: Sequence[str]) -> str:
    """Join names with commas; shorten long lists."""
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
