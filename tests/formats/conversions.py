"""What is true of every conversion: each property as a function that says what is wrong, or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from mbconcord.converters import registry
from mbconcord.converters.registry import Writing
from mbconcord.model import Loss, State, System
from mbconcord.model.diagnostics import NumbersError, WriteError
from mbconcord.model.expressions import Expression, substitute, symbol
from mbconcord.model.features import features
from mbconcord.model.numbers import environment
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.closed.sameness import OF_CONSTRAINTS

#: Kinds of named parts of a model; a place begins with one of them.
PARTS = ("coordinates", "parameters", "functions", "bodies", "forces", "constraints", "armatures", "points")
#: Places that are no part's: the whole of gravity, of the kept blocks of a format, of letters.
OTHERS = ("gravity", "metadata", "names")
#: Which losses may change a quantity, by the part that they stand at.
CHANGED_BY = {
    "M": ("bodies", "coordinates", "armatures"),
    "h": ("bodies", "coordinates"),
    "gravity": ("bodies", "coordinates", "gravity"),
    "applied": ("bodies", "coordinates", "forces"),
    **dict.fromkeys(OF_CONSTRAINTS, ("bodies", "coordinates", "armatures", "gravity", "forces", "constraints")),
}


@dataclass(frozen=True)
class Conversion:
    """A model, how a format writes it, and what is read from that text; ``before`` is the metadata before that."""

    format: str
    system: System
    before: Mapping[str, Any]
    writing: Writing
    again: System

    @property
    def acting(self) -> list[Loss]:
        """Losses that may change the motion."""
        return [loss for loss in self.writing.losses if loss.acts]


def convert(system: System, format: str, file: str = "") -> Conversion | WriteError:
    """Written in a format and read again from the bytes of a file of that name, or the format's refusal."""
    before = deepcopy(system.metadata)
    try:
        writing = registry.write(system, format, physics="ignore")
    except WriteError as refused:
        return refused
    name = file or f"model{registry.format_named(format).suffixes[0]}"
    again = registry.read_bytes(registry.encode(writing, name, format), name, format, "ignore")
    return Conversion(format, system, before, writing, again.system)


def wrong(made: Conversion | WriteError) -> list[str]:
    """Everything that is wrong with a conversion, its numbers apart: see :func:`differences`."""
    if isinstance(made, WriteError):
        told = [d.place and d.message and d.severity == "error" for d in made.diagnostics]
        return [] if told and all(told) else [f"the refusal says too little: {made}"]
    return [
        *(["the model was changed"] if made.before != made.system.metadata else []),
        *changed_by_writing_again(made),
        *badly_told(made),
        *strictly(made),
        *features_gone(made),
        *parts_gone(made),
        *starts_gone(made),
    ]


#: Formats whose turns are quaternions and whose frames of no mass are no bodies: a text written again differs.
TURNED = {"usd"}


def changed_by_writing_again(made: Conversion) -> Iterator[str]:
    """``write(read(write(m))) = write(m)``; what was read of a text is held by it."""
    second = registry.write(made.again, made.format, physics="ignore")
    if second.text != made.writing.text and made.format not in TURNED:
        lines = zip(made.writing.text.splitlines(), second.text.splitlines(), strict=False)
        differing = next(((a, b) for a, b in lines if a != b), ("", "more or fewer lines"))
        yield f"written again: {differing[0]!r} becomes {differing[1]!r}"
    for loss in second.losses:
        if loss.acts and loss not in made.writing.losses:
            yield f"lost of what was read: {loss}"


def badly_told(made: Conversion) -> Iterator[str]:
    """Every loss has a place that is in the model, what is lost and why."""
    names = {part: {item.name for item in getattr(made.system, part)} for part in PARTS}
    left_out = tuple(f"omissions/{omission.place}/" for omission in made.system.omissions)
    for loss in made.writing.losses:
        part, _, rest = loss.place.partition("/")
        known = part in (*PARTS, *OTHERS) or part == made.format or f"{loss.place}/".startswith(left_out)
        inside = not rest or part not in PARTS or any(f"{rest}/".startswith(f"{n}/") for n in names[part])
        if not (known and inside and loss.what.strip() and loss.reason.strip()):
            yield f"badly told: {loss!r}"


def strictly(made: Conversion) -> Iterator[str]:
    """``strict`` refuses with a finding for each loss, and only then."""
    try:
        strict = registry.write(made.system, made.format, strict=True, physics="ignore")
    except WriteError as refused:
        if [d.place for d in refused.diagnostics] != [x.place for x in made.writing.losses]:
            yield f"strict tells of {refused}"
        return
    if made.writing.losses or strict != made.writing:
        yield "strict does not refuse"


def features_gone(made: Conversion) -> Iterator[str]:
    """A feature that the record does not hold is a loss where it stands; one that it holds in part comes back there."""
    holds = registry.format_named(made.format).holds
    back = {(feature, place) for feature, place in features(made.again) if feature in holds.partly}
    points = {place for feature, place in features(made.again) if feature == "point_coincidences"}
    if made.format == "mjcf":  # hinges and balls are joined by points of their names
        back |= {("cut_joints", place) for place in points}
    for feature, place in features(made.system):
        if (
            feature not in holds
            and (feature, place) not in back
            and not any(_at(loss, place) for loss in made.writing.losses)
        ):
            yield f"{place}: {feature} is not held, and no loss says so"


def parts_gone(made: Conversion) -> Iterator[str]:
    """A part whose name is not in what is read again is a loss, that of a mode where its modes stand."""
    modes = {name: f"bodies/{b.name}/modes" for b in made.system.bodies for name in b.modal}
    for part in PARTS:
        kept = {item.name for item in getattr(made.again, part)}
        for item in getattr(made.system, part):
            place = modes.get(item.name) if part == "coordinates" else None
            place = place or f"{part}/{item.name}"
            if item.name not in kept and not any(_at(loss, place) for loss in made.writing.losses):
                yield f"{place} is gone, and no loss says so"
    for key in made.system.metadata.keys() - made.again.metadata.keys():
        if not any(_at(loss, f"metadata/{key}") for loss in made.writing.losses):
            yield f"metadata/{key} is gone, and no loss says so"


def starts_gone(made: Conversion) -> Iterator[str]:
    """An initial position or velocity that is another number when it is read again is a loss."""
    theirs = _starts(made.again)
    now = {old: new for new, old in _new_names(made).items()}
    for name, start in _starts(made.system).items():
        gone = name not in now and name in now.values()  # what is left out has given its name to another
        other = start if gone else theirs.get(now.get(name, name), start)
        told = any(_at(loss, f"coordinates/{name}") for loss in made.writing.losses)
        if not told and not all(math.isclose(x, y, rel_tol=1e-14) for x, y in zip(start, other, strict=True)):
            yield f"coordinates/{name} starts with {other}, not with {start}, and no loss says so"


def _starts(system: System) -> dict[str, tuple[float, float]]:
    """Initial position and velocity of each coordinate, where parameters without value are 1.

    None where they are values of a function without formula.
    """
    ones = {p.name: 1.0 for p in system.parameters if p.value is None}
    try:
        (values,) = environment(system, [State(parameters=ones)])
    except NumbersError:
        return {}
    return {name: (values[name], values[f"{name}'"]) for name in system.coordinate_names}


def differences(made: Conversion | WriteError) -> Iterator[str]:
    """A quantity that differs has a loss that explains it; without losses nothing differs.

    Where a constraint was lost, the open trees are compared.
    """
    if isinstance(made, WriteError) or made.again == made.system:
        return
    a, b = made.system, _renamed(made.again, _new_names(made))
    if any(loss.place.startswith("constraints/") for loss in made.acting):
        a, b = a.open_loops(), b.open_loops()
    for comparison in same_machine(a, b, 1, formalisms=["newton_euler"]).comparisons:
        if comparison.verdict != "disagrees":
            continue
        if not any(_explains(loss, comparison.quantity, made.system) for loss in made.acting):
            yield f"{comparison.quantity} differs, and no loss explains it: {comparison.explanation}"


def _new_names(made: Conversion) -> dict[str, str]:
    """Names of coordinates by the names that losses say they have now."""
    found = {}
    for loss in made.writing.losses:
        part, _, name = loss.place.partition("/")
        now = re.search(r"(?:read|written) as (\w+)", loss.reason)
        if part == "coordinates" and loss.what.startswith("the name ") and now:
            found[now[1]] = name
    return found


def _renamed(system: System, names: Mapping[str, str]) -> System:
    """The model with other names of coordinates."""
    symbols = {symbol(a + prime): symbol(b + prime) for a, b in names.items() for prime in ("", "'")}

    def of(item: Any) -> Any:
        if isinstance(item, Expression):
            return substitute([item], symbols)[0]
        if isinstance(item, tuple):
            return tuple(map(of, item))
        if isinstance(item, Mapping):
            return {of(key): of(value) for key, value in item.items()}
        if is_dataclass(item) and not isinstance(item, type):
            return replace(item, **{f.name: of(getattr(item, f.name)) for f in fields(item) if f.init})
        return names.get(item, item) if isinstance(item, str) else item

    found: System = of(system)
    return found


def _explains(loss: Loss, quantity: str, system: System) -> bool:
    part, _, rest = loss.place.partition("/")
    heavy = {item.name for item in system.massive()}
    return part in CHANGED_BY[quantity] or rest.split("/")[0] in heavy


def _at(loss: Loss, place: str) -> bool:
    """Whether a loss stands at a place, in it, or at what the place is in."""
    return f"{loss.place}/".startswith(f"{place}/") or f"{place}/".startswith(f"{loss.place}/")
