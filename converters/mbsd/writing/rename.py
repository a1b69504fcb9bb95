"""Names that MBSD would misread, and the names written instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mbconcord.model import Constant, ElementaryTransformation, FrameCoincidence, Loss, System, rotation, translation
from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.expressions import (
    ONE,
    ZERO,
    Expression,
    apply,
    call,
    sqrt,
    substitute,
    symbol,
    symbols,
    to_text,
    topological,
)
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.force import JointEffort, find_words, write_words
from mbconcord.model.transformation import AXES, Vector
from mbconcord.records import dataclass, field, replace

from ..syntax import CYRILLIC

# Transformations as letters: axes, and general axes as conjugations by constant rotations.
#
# A rotation or coordinate about a general unit axis a is R E R⁻¹, where E is the same about a coordinate axis
# e and the rotation R takes e to a: ``n(ψ) m(θ) z m(-θ) n(-ψ)``. A constant shift along a general axis is a
# shift by its components.


SHIFTS = "ijk"
TURNS = "lmn"


def axis_index(axis: Vector) -> int | None:
    """Return 0, 1, 2 for ±x, ±y, ±z; None for any other axis."""
    index = [i for i, part in enumerate(axis) if part]
    return index[0] if len(index) == 1 and axis[index[0]] in (ONE, -ONE) else None


def degree_letter(et: ElementaryTransformation) -> str:
    """Return the letter of a coordinate: of its axis, or of the one that constant rotations carry to its axis."""
    core = next(part for part in on_axes(et) if part.moving)
    index = axis_index(core.axis)
    assert index is not None
    return ("uvw" if et.is_translation else "xyz")[index]


def on_axes(et: ElementaryTransformation) -> Iterator[ElementaryTransformation]:
    """Split a transformation into equivalent ones along and about coordinate axes.

    Constant ones are along and about +x, +y, +z; a coordinate keeps the sign of its axis.
    """
    index = axis_index(et.axis)
    if not et.moving and et.is_translation:
        for axis, part in zip("xyz", et.axis, strict=True):
            if part:
                yield translation(axis, et.amount * part)
    elif index is not None:
        if not et.moving and et.axis[index] is not ONE:
            yield rotation("xyz"[index], -et.amount)
        else:
            yield et
    else:
        before, core = _tilt(et.axis)
        yield from (rotation(axis, Constant(angle)) for axis, angle in before)
        yield replace(et, axis=AXES[core])
        yield from (rotation(axis, Constant(-angle)) for axis, angle in reversed(before))


def _tilt(axis: Vector) -> tuple[list[tuple[str, Expression]], str]:
    """Return rotations that carry a coordinate axis into the given axis, and the letter of the coordinate axis."""
    x, y, z = axis
    if z is ZERO:
        return [("z", apply("atan2", y, x))], "x"
    if y is ZERO:
        return [("y", apply("atan2", x, z))], "z"
    if x is ZERO:
        return [("x", apply("atan2", z, y))], "y"
    return [("z", apply("atan2", y, x)), ("y", apply("atan2", sqrt(x * x + y * y), z))], "z"


_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclass
class MbsdNames:
    """Maps from the model's names to written names; only names that change are in them."""

    symbols: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)

    def text(self, value: Expression) -> str:
        """Write the formula of an expression in the new names."""
        return to_text(write_words(self.rename(value), self.bodies))

    def rename(self, value: Expression) -> Expression:
        """Rewrite the expression in the new names."""
        if not self.symbols and not self.functions:
            return value
        new: dict[Expression, Expression] = {}
        for name in symbols([value]):
            bare = name.rstrip("'")
            if bare in self.symbols:
                new[symbol(name)] = symbol(self.symbols[bare] + name[len(bare) :])
        for node in topological([value]):
            if node.op == "call" and node.data[0] in self.functions:
                args = substitute(node.args, new)
                new[node] = call(self.functions[node.data[0]], args, node.data[1])
        return substitute([value], new)[0]

    def written_name(self, name: str) -> str:
        """Return the written name of a coordinate or parameter."""
        return self.symbols.get(name, name)

    def body(self, name: str) -> str:
        """Return the written name of a body."""
        return self.bodies.get(name, name)


def choose_names(system: System, losses: list[Loss]) -> MbsdNames:
    """Choose the names to write; each that differs from the model's is a loss."""
    names = MbsdNames()
    auxiliary = [n for c in system.constraints if isinstance(c, FrameCoincidence) for n in c.auxiliary]
    coordinates = [*system.coordinate_names, *auxiliary]
    parameters = [p.name for p in system.parameters]
    functions = [f.name for f in system.functions]
    misread = _own_letters(system)
    bare = {p.name for p in system.parameters if p.value is None}
    taken = {*coordinates, *parameters, *functions}
    misread |= {word.word for word in find_words(system.coordinates, system.forces)}
    for kind, group in (("coordinates", coordinates), ("parameters", parameters), ("functions", functions)):
        used: set[str] = set()
        for name in group:
            wrong = not _sound(name) or name in misread or name in used or (name in bare and _cyrillic(name))
            if kind == "functions":
                wrong = wrong or name in coordinates or name in parameters
            elif kind == "parameters":
                wrong = wrong or name in auxiliary
            used.add(name)
            if wrong:
                target = names.functions if kind == "functions" else names.symbols
                target[name] = _fresh(name, taken)
                losses.append(Loss(f"{kind}/{name}", f"the name {name!r}", f"written as {target[name]}", acts=False))
    known = {b.name for b in system.bodies}
    for body in system.bodies:
        if not _IDENTIFIER.fullmatch(body.name):
            names.bodies[body.name] = _fresh(body.name, known)
            losses.append(
                Loss(
                    f"bodies/{body.name}",
                    f"the name {body.name!r}",
                    f"written as {names.bodies[body.name]}",
                    acts=False,
                )
            )
    return names


def _sound(name: str) -> bool:
    return bool(_IDENTIFIER.fullmatch(name)) and name.isidentifier() and name not in RESERVED


def _cyrillic(name: str) -> bool:
    """Return True if Cyrillic letters in a name look Latin: without a value, the reader takes it for a misprint."""
    return not name.isascii() and "".join(CYRILLIC.get(letter, letter) for letter in name).isascii()


def _fresh(name: str, taken: set[str]) -> str:
    latin = "".join(CYRILLIC.get(letter, letter) for letter in name) if _cyrillic(name) else name
    new = re.sub(r"\W", "_", latin)
    if not _IDENTIFIER.fullmatch(new) or not new.isidentifier():
        new = "_" + re.sub(r"[^A-Za-z0-9_]", "_", new)
    while new in taken or new in RESERVED or new in set("uvwxyz"):
        new += "_"
    taken.add(new)
    return new


def introduce(system: System) -> dict[str, ElementaryTransformation]:
    """Map each joint coordinate to the transformation that introduces it in MBSD: its own, or the first map with it.

    Raises
    ------
    WriteError
        A reader would take a map to introduce two coordinates, or a parameter without value for a coordinate.
    """
    steps = [(body.name, et) for body in system.bodies for et in body.joint]
    found = {et.coordinate: et for _, et in steps if et.coordinate}
    open_ones = {p.name for p in system.parameters if p.value is None}
    for name, et in steps:
        if et.moving and not et.coordinate:
            new = [q for q in et.moving if q not in found]
            new += sorted(symbols([et.amount]) & open_ones)
            wrong = [q for q in new if q in open_ones]
            if len(new) > 1 or wrong:
                message = f"MBSD reads {', '.join(new)} in the map {et.amount} as coordinates that begin here"
                remedy = "give the parameters values" if wrong else "give all but one of them a joint of its own before"
                raise WriteError(error(f"bodies/{name}/joint", message, remedy))
            found |= dict.fromkeys(new, et)
    return found


def _own_letters(system: System) -> set[str]:
    """Return letters of coordinates that name something else in the force along the coordinate."""
    letters = {name: degree_letter(et) for name, et in introduce(system).items()}
    found: set[str] = set()
    for coordinate, value in _efforts(system):
        letter = letters.get(coordinate, "")
        names = {name.rstrip("'") for name in symbols([value])}
        names |= {node.data[0] for node in topological([value]) if node.op == "call"}
        if letter in names and letter != coordinate:
            found.add(letter)
    return found


def _efforts(system: System) -> Iterable[tuple[str, Expression]]:
    for force in system.forces:
        if isinstance(force, JointEffort):
            yield force.coordinate, force.expression()
    for coordinate in system.coordinates:
        if isinstance(coordinate.drive, Effort):
            yield coordinate.name, coordinate.drive.value
