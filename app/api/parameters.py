"""Values that a user gives parameters, and the model with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from mbconcord.model.coordinate import Parameter
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.expressions import number, symbols
from mbconcord.model.omission import Omission, with_changed
from mbconcord.model.system import System

#: So many names that a model does not have are listed.
MOST_NAMES: Final = 8


@dataclass(frozen=True)
class Values:
    """Values of parameters that the user gives, by the model's names.

    ``beside`` are those that stand in a format's ``file`` of parameters only: it may be older than the model.
    """

    numbers: Mapping[str, Fraction] = field(default_factory=dict)
    file: str = ""
    beside: frozenset[str] = frozenset()

    def keeping(self, keep: Callable[[str], bool]) -> Values:
        """Those of names that are kept."""
        return replace(self, numbers={name: value for name, value in self.numbers.items() if keep(name)})


def with_parameters(system: System, values: Values) -> tuple[System, tuple[Diagnostic, ...]]:
    """The system with these values of its parameters, and what of the values is ignored.

    Raises
    ------
    NumbersError
        A name that the model does not have: of a format's file, which may be older than the model, only where it has
        none of the model's.
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
        replace(p, value=number(values.numbers[p.name]), origin="given") if p.name in values.numbers else p
        for p in system.parameters
    ]
    found = replace(system, parameters=tuple(parameters), omissions=_awake(system, parameters))
    return found, (*_ignored(ignored, values.file), *_no_longer(system, found))


def _awake(system: System, parameters: Sequence[Parameter]) -> tuple[Omission, ...]:
    """What is left out of the system with these parameters: more, where something was computed from other values."""
    old = {p.name: p.value for p in system.parameters}
    changed = {p.name for p in parameters if p.value is not old[p.name]}
    while following := {
        p.name
        for p in parameters
        if p.value is not None and p.name not in changed and symbols([p.value]) & changed
    }:
        changed |= following
    return with_changed(system.omissions, changed)


def _no_longer(before: System, after: System) -> Iterator[Diagnostic]:
    """A warning about what stands as it was computed from other values of the parameters."""
    for old, new in zip(before.omissions, after.omissions, strict=True):
        if new.acts and not old.acts:
            name = new.place.partition("/")[2]
            message = f"it was computed from other values of {', '.join(new.parameters)}, and stays as it is"
            remedy = "have the program that wrote the file compute it"
            yield Diagnostic("warning", f"bodies/{name}/inertia", message, remedy)


def _unknown(names: Sequence[str], known: Sequence[str], values: Values) -> Iterator[Diagnostic]:
    """An error for each name; of a file whose names all are unknown, one."""
    if len(names) > 1 and values.beside.issuperset(names):
        message = f"{values.file}: the model has none of its {len(names)} names: {listed(names)}"
        remedy = f"name the file of this model; known: {listed(known) or 'none'}"
        yield error("parameters", message, remedy)
        return
    yield from (error(f"parameters/{n}", "the model has no such parameter", among(n, known)) for n in names)


def _ignored(names: Sequence[str], file: str) -> Iterator[Diagnostic]:
    """One remark on the names that a file has and the model no longer has."""
    if names:
        message = (
            f"{file} has {len(names)} {'name' if len(names) == 1 else 'names'} that the model does not have: "
        )
        yield Diagnostic("warning", "parameters", f"{message}ignored: {listed(names)}")


def listed(names: Sequence[str]) -> str:
    """Names with commas, the first of many."""
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
