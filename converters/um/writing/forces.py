"""Forces as blocks: one scalar force a coordinate, named by it, and bipolar elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model import Bipolar, Effort, FrameCoincidence, JointEffort, LinearLaw, System
from mbconcord.model.expressions import ZERO, Expression, substitute, symbol, symbols
from mbconcord.model.force import LENGTH, LENGTH_RATE, Law, Point

from ..document import Block
from .fields import Fields, block, quoted
from .printer import formula, unconfirmed

X, V = symbol("x"), symbol("v")


def efforts(system: System, fields: Fields) -> dict[str, Block]:
    """The scalar force of each coordinate, ``none`` where there is no force, by the coordinate's name."""
    laws: dict[str, list[tuple[str, Law]]] = {c.name: [] for c in system.coordinates}
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            laws[c.name].append((f"coordinates/{c.name}/drive", c.drive.value))
    for force in system.forces:
        if isinstance(force, JointEffort):
            laws[force.coordinate].append((f"forces/{force.name}", force.effort))
            if force.name != force.coordinate:
                reason = (
                    f"the force of a coordinate has its name: {fields.names.coordinate(force.coordinate)}"
                )
                fields.lose(f"forces/{force.name}", f"the name {force.name!r}", reason)
    made = {}
    for name, given in laws.items():
        variables = {symbol(name): X, symbol(f"{name}'"): V}
        alone = len(given) == 1
        spoken = [law for place, law in given if _confirmed(place, law, variables, fields, alone)]
        made[name] = _scalar_force(
            fields.names.coordinate(name), spoken, variables, f"coordinates/{name}", fields
        )
    for closure in system.constraints:
        if isinstance(closure, FrameCoincidence):
            made |= {name: _none(name) for name in closure.auxiliary}
    return made


def bipolars(system: System, fields: Fields, images: Mapping[str, int]) -> Iterator[Block]:
    """The bipolar elements, with their images; one whose force cannot be written stays with the force ``none``."""
    variables = {LENGTH: X, LENGTH_RATE: V}
    for force in system.forces:
        if not isinstance(force, Bipolar):
            continue
        place, name = f"forces/{force.name}", fields.names.force(force.name)
        spoken = [force.law] if _confirmed(place, force.law, variables, fields) else []
        shown = [("igrobj", str(images[force.name]))] if force.name in images else []
        points = [*_point("ro1", force.first, place, fields), *_point("ro2", force.second, place, fields)]
        ends = [
            ("bd1", quoted(fields.names.body(force.first.body))),
            ("bd2", quoted(fields.names.body(force.second.body))),
        ]
        yield block(
            "bfrc",
            None,
            [("name", quoted(name)), *ends, *shown, *points],
            [_scalar_force(name, spoken, variables, place, fields)],
        )


def _point(key: str, point: Point, place: str, fields: Fields) -> Iterator[tuple[str, str]]:
    for axis, value in zip("xyz", point.position, strict=True):
        yield f"{key}{axis}", fields.formula(place, value)


def _confirmed(
    place: str, law: Law, variables: dict[Expression, Expression], fields: Fields, alone: bool = True
) -> bool:
    """Whether a law can be written, as it is or as a term of a sum; what stands in the way is a loss."""
    if isinstance(law, LinearLaw) and not alone:
        fields.lose(
            place, "the structure of the linear law", "a coordinate has one force; the sum is written"
        )
        law = law.of(*variables)
    if isinstance(law, LinearLaw):
        if law.q:
            reason = "no UM file seen has one; it is written as q sin(w t + a)"
            fields.lose(place, "certainty about the harmonic part of the linear law", reason)
        return True
    value = fields.defined(law)
    missing = unconfirmed(value)
    others = symbols([value]) - {x.data for x in variables} - fields.known
    if missing is None and others:
        missing = f"another coordinate ({', '.join(sorted(others))}) in the formula of a force"
    if missing is not None:
        fields.lose(place, f"the force {law}", f"no UM file seen has {missing}: left out")
    return missing is None


def _in_um(law: Expression, variables: dict[Expression, Expression], fields: Fields) -> Expression:
    """The law in x, v and the written names of the parameters."""
    renamed = {symbol(old): symbol(new) for old, new in fields.names.parameters.items()}
    return substitute([fields.defined(law)], {**renamed, **variables})[0]


def _scalar_force(
    name: str, laws: list[Law], variables: dict[Expression, Expression], place: str, fields: Fields
) -> Block:
    if not laws:
        return _none(name)
    if len(laws) == 1 and isinstance(laws[0], LinearLaw):
        law = laws[0]
        keys = ("f0", "k", "l0", "d", "q", "w", "a")
        values = [(key, fields.formula(place, getattr(law, key)) or "0") for key in keys]
        return block("scalarforce", None, [("name", quoted(name)), ("type", "linear"), *values])
    x, v = variables
    total = sum((law.of(x, v) if isinstance(law, LinearLaw) else law for law in laws), ZERO)
    shown = formula(_in_um(total, variables, fields)) or "0"
    head = [("name", quoted(name)), ("type", "expression")]
    return block("scalarforce", None, [*head, ("expression", shown)])


def _none(name: str) -> Block:
    return block("scalarforce", None, [("name", quoted(name)), ("type", "none")])
