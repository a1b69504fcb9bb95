"""Fields of blocks: formulas or numbers as UM allows, the resulting losses, and replacements of names it misreads."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final

from mbconcord.model import Bipolar, Effort, JointEffort, Loss, Parameter, System
from mbconcord.model.expressions import (
    PI_NODE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    evaluate_float,
    number,
    substitute,
    symbol,
    symbols,
    topological,
    undefined_functions,
)
from mbconcord.model.expressions.formula_errors import RESERVED as RESERVED_WORDS
from mbconcord.model.expressions.printer import ATOM, Form, Piece, Printer
from mbconcord.model.expressions.text import TextStyle
from mbconcord.model.expressions.traversal import in_order
from mbconcord.model.force import law_expressions
from mbconcord.model.functions import Definitions
from mbconcord.records import dataclass, field

from ..tree import Attribute, UmBlock

# Numbers and formulas as UM writes them, and what of a formula no UM file seen confirms.
#
# Fields that take formulas keep the text, empty for zero; numeric fields have one digit before the point,
# ``1.``, ``9.E1``, ``-4.5E1``. In formulas ``+ - * /``, brackets, ``sqr``, ``sqrt`` and ``pi`` were seen.

#: Words with a meaning of their own in UM's formulas, and those that no formula of ours may have as a name.
RESERVED: Final = RESERVED_WORDS | {"x", "v", "p", "time", "sqr", "coordinate"}
#: Names of bodies that UM has for itself.
BASE, EXTERNAL = "Base0", "External"
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
#: A name between quotation marks, without the dot that leads into a subsystem.
_PART = re.compile(r"[^\".\r\n\t]+")


@dataclass
class UmNames:
    """Maps from the model's names to written names; only names that change are in them."""

    parameters: dict[str, str] = field(default_factory=dict)
    coordinates: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    forces: dict[str, str] = field(default_factory=dict)

    def parameter(self, name: str) -> str:
        """Return the written name of a parameter."""
        return self.parameters.get(name, name)

    def coordinate(self, name: str) -> str:
        """Return the written name of a coordinate."""
        return self.coordinates.get(name, name)

    def force(self, name: str) -> str:
        """Return the written name of a bipolar element."""
        return self.forces.get(name, name)

    def body(self, name: str | None) -> str:
        """Return the written name of a body; None is the base."""
        return BASE if name is None else self.bodies.get(name, name)


def choose_names(system: System, losses: list[Loss]) -> UmNames:
    """Choose the names to write; each that differs from the model's is a loss.

    UM may be case-insensitive: identifiers that differ only in case are renamed, and so are X and V in the force of a
    coordinate, where x and v have a meaning.
    """
    names = UmNames()
    parameters = [p.name for p in system.parameters]
    reserved = RESERVED | {name for name in _in_forces(system) if name.lower() in ("x", "v")}
    _rename("parameters", parameters, _IDENTIFIER, reserved, names.parameters, losses, str.lower)
    written = {names.parameter(name) for name in parameters}
    # UM shows a coordinate by its number; the name is that of its scalar force.
    _rename(
        "coordinates", list(system.coordinate_names), _IDENTIFIER, RESERVED_WORDS | written,
        names.coordinates, losses,
    )  # fmt: skip
    _rename("bodies", [b.name for b in system.bodies], _PART, {BASE, EXTERNAL}, names.bodies, losses)
    forces = [f.name for f in system.forces if isinstance(f, Bipolar)]
    taken = {names.coordinate(name) for name in system.coordinate_names}
    _rename("forces", forces, _PART, taken, names.forces, losses)
    return names


def _in_forces(system: System) -> Iterator[str]:
    """Yield the names in the laws of forces."""
    for force in system.forces:
        if isinstance(force, (JointEffort, Bipolar)):
            yield from symbols(law_expressions(force.effort if isinstance(force, JointEffort) else force.law))
    for c in system.coordinates:
        if isinstance(c.drive, Effort):
            yield from symbols([c.drive.value])


def _rename(
    kind: str,
    group: list[str],
    sound: re.Pattern[str],
    reserved: Collection[str],
    new: dict[str, str],
    losses: list[Loss],
    told: Callable[[str], str] = str,
) -> None:
    """Choose new names for unsound or reserved ones, and for duplicates under the key ``told``."""
    taken = {told(name) for name in (*group, *reserved)}
    seen: set[str] = set()
    for name in group:
        if sound.fullmatch(name) and name not in reserved and told(name) not in seen:
            seen.add(told(name))
            continue
        fresh = re.sub(r"\W", "_", name) or "_"
        fresh = fresh if _IDENTIFIER.fullmatch(fresh) else f"_{fresh}"
        while told(fresh) in taken:
            fresh += "_"
        taken.add(told(fresh))
        new[name] = fresh
        reason = f"UM would or might misread it: written as {fresh}"
        losses.append(Loss(f"{kind}/{name}", f"the name {name!r}", reason, acts=False))


#: Whole exponents beyond this are not written out as products.
LARGEST_EXPONENT = 16


def pascal(value: Fraction | float) -> str:
    """Write a number in a numeric field, with all digits that identify the double: ``0``, ``1.``, ``-4.5E1``."""
    if not value:
        return "0"
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    assert isinstance(exponent, int)
    shown, power = "".join(map(str, digits)), len(digits) - 1 + exponent
    return f"{'-' * sign}{shown[0]}.{shown[1:]}" + (f"E{power}" if power else "")


def formula(value: Expression, names: Mapping[str, str] | None = None) -> str:
    """Write a formula in UM's text, empty for zero; symbols in ``names`` are renamed.

    ``value`` must be confirmed: see :func:`find_unconfirmed`.
    """
    if not value:
        return ""
    folded = constants_folded(value)
    replaced = {symbol(old): symbol(new) for old, new in (names or {}).items()}
    renamed = substitute([folded], replaced)[0] if replaced else folded
    return Printer(renamed, None, _Style()).text()


def find_unconfirmed(value: Expression) -> str | None:
    """Return the part of a formula that no known UM file shows: a function, a power, the time; or None."""
    folded = constants_folded(value)
    if "t" in symbols([folded]):
        return "the time in a formula"
    for node in topological([folded]):
        if node.op == "call":
            return f"the function {node.data[0]} in a formula"
        if node.op == "fun" and node.data != "sqrt":
            return f"{node.data}() in a formula"
        if node.op == "pow" and _whole(node.args[1]) is None:
            return f"the power ^{node.args[1]} in a formula"
    return None


def constants_folded(value: Expression) -> Expression:
    """Replace constants that UM's text cannot express, such as sin(1), by their numbers."""
    replaced: dict[Expression, Expression] = {}
    for node in topological([value]):
        foreign = (node.op == "fun" and node.data != "sqrt") or (node.op == "pow" and _whole(node.args[1]) is None)
        if node.constant and foreign:
            replaced[node] = number(repr(float(evaluate_float(node, {}))))
    return substitute([value], replaced)[0] if replaced else value


def _whole(exponent: Expression) -> int | None:
    """Return an integer exponent that can be written as products and quotients, or None."""
    if exponent.op != "num" or exponent.value.denominator != 1:
        return None
    n = int(exponent.value)
    return n if abs(n) <= LARGEST_EXPONENT else None


class _Style(TextStyle):
    """The formula grammar without powers: ``sqr(a)*a`` is the cube of a."""

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """Write a positive integer power; negative ones become quotients earlier."""
        n = _whole(exponent)
        if n is None or n < 2:
            return super().power(base, exponent, shown)
        squares, odd = divmod(n, 2)
        pieces: list[Piece] = []
        for _ in range(squares):
            pieces += ["*"] * bool(pieces) + ["sqr(", (base, 0), ")"]
        if odd:
            pieces += ["*", (base, ATOM)]
        return (ATOM, pieces) if n == 2 else (ATOM, ["(", *pieces, ")"])


# Gravity: a direction, which UM scales by 9.81 m/s².


#: The acceleration by which UM scales a direction of gravity (m/s²).
STANDARD_GRAVITY = number("9.81")


def gravity_block(system: System, fields: Fields) -> UmBlock:
    """Write the block egravity of a model."""
    gravity = system.gravity
    if gravity is None:
        reason = "no UM file seen is without gravity; its three components are empty"
        fields.lose("gravity", "certainty that there is none", reason, acts=False)
        return block("egravity", None, [("gravityx", ""), ("gravityy", ""), ("gravityz", "")])
    value = fields.expand_functions(gravity.value)
    found = fields.value(value)
    if found != float(STANDARD_GRAVITY.value):
        fields.lose("gravity", f"its size {gravity.value} = {found!r} m/s²", "UM scales a direction by 9.81")
    elif not value.constant:
        fields.lose(
            "gravity",
            f"the formula {gravity.value} of its size",
            "UM scales a direction by 9.81, its value",
            acts=False,
        )
    x, y, z = (fields.formula("gravity", part) for part in gravity.direction)
    if not (x or y):
        return block("egravity", None, [("gravityz", z)])
    reason = "no UM file seen has gravity along another axis; gravityx, gravityy are written like gravityz"
    fields.lose("gravity", "certainty about its direction", reason, acts=False)
    return block("egravity", None, [("gravityx", x), ("gravityy", y), ("gravityz", z)])


class Fields:
    """Writer of the model's values into fields; values that cannot be written unchanged become losses."""

    def __init__(self, system: System, names: UmNames, losses: list[Loss]) -> None:
        self.names, self.losses = names, losses
        self._definitions = Definitions(system.functions)
        self._values = _values(system, self._definitions)

    def lose(self, place: str, what: str, reason: str, acts: bool = True) -> None:
        """Record a loss."""
        self.losses.append(Loss(place, what, reason, acts))

    @property
    def parameters(self) -> frozenset[str]:
        """The written names of the parameters."""
        return frozenset(map(self.names.parameter, self._values))

    @property
    def known_parameters(self) -> frozenset[str]:
        """The model's names of the parameters."""
        return frozenset(self._values)

    def expand_functions(self, value: Expression) -> Expression:
        """Expand the author's functions in a formula."""
        return self._definitions.apply([value])[0]

    def formula(self, place: str, value: Expression) -> str:
        """Write a formula of parameters; one unconfirmed by UM's files is written as its number."""
        value = self.expand_functions(value)
        reason = find_unconfirmed(value)
        if reason is None:
            return formula(value, self.names.parameters)
        known = self.value(value)
        said = f"no UM file seen has {reason}: {known!r} is written"
        self.lose(place, f"the formula {value}", said, acts=bool(symbols([value])))
        return formula(number(repr(known)))

    def number(self, place: str, value: Expression, degrees: bool = False) -> str:
        """Write a number in a numeric field; formulas are frozen at the values of their parameters."""
        value = self.expand_functions(value)
        known = _degrees(value) if degrees else value
        if known.op == "num":
            return pascal(known.value)
        found = self.value(known)
        if symbols([value]):
            unit = "°" if degrees else ""
            reason = f"UM has a number here: frozen at {found!r}{unit}"
            self.lose(place, f"the formula {value}", reason)
        return pascal(found)

    def hold_at_start(self, place: str, value: Expression, starts: Mapping[Expression, Expression]) -> Expression:
        """Return a prescribed motion at t = 0, with these ``starts``, as a formula of parameters; record a loss."""
        start = substitute([self.expand_functions(value)], {TIME: ZERO, **starts})[0]
        given = "by a formula of coordinates" if starts else "in time (tt, rt)"
        reason = f"no UM file seen has a transformation given {given}"
        if undefined_functions([start]):
            self.lose(place, f"the motion {value}", f"{reason}: left out")
            return ZERO
        self.lose(
            place, f"the motion {value}", f"{reason}: it is held as it is at {'the start' if starts else 't = 0'}"
        )
        return start

    def value(self, value: Expression) -> float:
        """Evaluate a formula of parameters; 0 if it has no value."""
        return _number(value, self._values, self._definitions)


def _degrees(angle: Expression) -> Expression:
    """Convert the angle to degrees, exactly for fractions of pi."""
    degrees = angle * 180 / PI_NODE
    if not degrees.constant or degrees.op == "num":
        return degrees
    return number(repr(float(evaluate_float(degrees, {}))))


def order_parameters(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Order the parameters, with each formula after those that it uses."""
    named = {p.name: p for p in parameters}
    used = {name: symbols([p.value]) if p.value is not None else () for name, p in named.items()}
    return [named[name] for name in in_order(used)]


def _values(system: System, definitions: Definitions) -> dict[str, float]:
    """Return values of the parameters; a missing or undefined one is 0, as written."""
    values: dict[str, float] = {}
    for p in order_parameters(system.parameters):
        values[p.name] = 0.0 if p.value is None else _number(p.value, values, definitions)
    return values


def _number(value: Expression, values: dict[str, float], definitions: Definitions) -> float:
    try:
        found = float(evaluate_float(definitions.apply([value])[0], values))
    except (ExpressionError, ArithmeticError):
        return 0.0
    return found if math.isfinite(found) else 0.0


def block(
    keyword: str, number: int | None, attributes: Iterable[tuple[str, str]], blocks: Iterable[UmBlock] = ()
) -> UmBlock:
    """Make a block of a generated file."""
    return UmBlock(keyword, number, tuple(Attribute(key, value) for key, value in attributes), blocks=tuple(blocks))


def quote(name: str) -> str:
    """Put a name between quotation marks."""
    return f'"{name}"'
