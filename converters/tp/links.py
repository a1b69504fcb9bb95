"""Conversion of a model's bodies to rows of a table: one coordinate each, all frames parallel at the start.

Bodies without coordinates are welded to what carries them; a joint of several coordinates becomes massless
bodies and the body; a frame that is shifted or turned from its joint is put at it, parallel to the fixed
frame.
"""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model import Body, Inertia, Loss, Prescribed, System
from mbconcord.model.body import tensor
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    cos,
    evaluate_float,
    sin,
    substitute,
    symbol,
    symbols,
    topological,
    undefined_functions,
)
from mbconcord.model.expressions.calculus import Substitution
from mbconcord.model.expressions.traversal import Below, in_order
from mbconcord.model.functions import Definitions
from mbconcord.model.transformation import ElementaryTransformation, Vector
from mbconcord.records import dataclass, field

Matrix = tuple[Vector, Vector, Vector]
UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
NOWHERE: Vector = (ZERO, ZERO, ZERO)


@dataclass
class TpLink:
    """A row of a table: base (0: the fixed frame), joint, arm in base axes, inertia in its own axes."""

    number: int
    base: int
    kind: str
    letter: int
    sign: int
    coordinate: str
    arm: Vector
    inertia: Inertia = field(default_factory=lambda: Inertia(ZERO))


@dataclass(frozen=True)
class TpSeat:
    """Pose of a body's frame on a link: its axes (columns) and origin in the link's axes."""

    link: int
    turn: Matrix = UNIT
    origin: Vector = NOWHERE


class TpLinks:
    """The links of a model, and the losses of their construction."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.losses: list[Loss] = []
        self.made: list[TpLink] = []
        self.definitions = Definitions(system.functions)
        self.substitution = Substitution({**_values(system, self.definitions), TIME: ZERO})
        self.called = Below(lambda node: node.op == "call")
        seats: dict[str | None, TpSeat] = {None: TpSeat(0)}
        for body in system.bodies:
            seats[body.name] = self._body(body, seats[body.parent])

    def value(self, expression: Expression) -> Expression:
        """Insert the values of parameters into an expression, at t = 0.

        A call of a function without formula is an unknown, like a parameter without value.
        """
        (found,) = self.definitions.apply([expression])
        (found,) = self.substitution.apply([found])
        if not self.called.any([found]):
            return found
        calls = {node: symbol(str(node)) for node in topological([found]) if node.op == "call"}
        return substitute([found], calls)[0]

    def _body(self, body: Body, seat: TpSeat) -> TpSeat:
        place = f"bodies/{body.name}"
        count = len(body.coordinates)
        if count > 1:
            n = count - 1
            how = f"split by {n} massless {'body' if n == 1 else 'bodies'}"
            self.losses.append(Loss(f"{place}/joint", f"that {count} coordinates are one joint", how, acts=False))
        for et in body.joint:
            seat = self._step(seat, et, f"{place}/joint")
        self._carry(body, seat, place)
        return seat

    def _carry(self, body: Body, seat: TpSeat, place: str) -> None:
        if not body.coordinates:
            to = f"merged with body {seat.link}" if seat.link else "it does not move: left out"
            self.losses.append(Loss(place, "that it is a body of its own", f"it has no coordinate: {to}", acts=False))
        elif seat.turn != UNIT or seat.origin != NOWHERE:
            where = "a table's frames stand at the joints, parallel to the fixed one where q = 0"
            self.losses.append(Loss(place, "the place of its frame", where, acts=False))
        if seat.link:
            link = self.made[seat.link - 1]
            inertia = body.inertia
            own = Inertia(
                self.value(inertia.mass),
                _three(map(self.value, inertia.centre)),
                tensor(map(self.value, inertia.tensor)),
            ).rotate(seat.turn)
            centre = _plus(own.centre, seat.origin)
            link.inertia = link.inertia.merge(Inertia(own.mass, centre, own.tensor))

    def _step(self, seat: TpSeat, et: ElementaryTransformation, place: str) -> TpSeat:
        """Apply an elementary transformation to a seat; a coordinate makes a link."""
        axis = _apply(seat.turn, et.axis)
        if et.coordinate is not None:
            letter, sign = self._table_axis(axis, place, et.coordinate)
            n = len(self.made) + 1
            self.made.append(TpLink(n, seat.link, et.kind, letter, sign, et.coordinate, seat.origin))
            return TpSeat(n, seat.turn)
        amount = self.value(et.amount)
        if isinstance(et.motion, Prescribed):
            known = not undefined_functions(self.definitions.apply([et.amount]))
            amount = amount if known else ZERO
            how = "its place at t = 0 is written" if known else "its function has no formula: left out"
            self.losses.append(Loss(place, "the prescribed motion", f"a table has none; {how}"))
        if et.is_translation:
            return TpSeat(seat.link, seat.turn, _plus(seat.origin, _three(amount * a for a in axis)))
        return TpSeat(seat.link, _product(seat.turn, _rotation(et.axis, amount)), seat.origin)

    def _table_axis(self, axis: Vector, place: str, coordinate: str) -> tuple[int, int]:
        """Return the table axis equal to or nearest to a joint's axis."""
        size = [float(evaluate_float(a, {})) if not symbols([a]) else 0.0 for a in axis]
        letter = max(range(3), key=lambda i: (abs(size[i]), -i))
        sign = -1 if size[letter] < 0 else 1
        if not all(abs(abs(x) - (i == letter)) < 1e-15 for i, x in enumerate(size)):
            shown = ", ".join(f"{x:.6g}" for x in size)
            name = ("-" if sign < 0 else "") + "xyz"[letter]
            why = f"a joint goes along or about an axis of its base: {name} is written"
            self.losses.append(Loss(place, f"the axis ({shown}) of {coordinate}", why))
        return letter, sign


def _values(system: System, definitions: Definitions) -> dict[Expression, Expression]:
    """Return parameters with a value, in terms of those without one."""
    given = {p.name: p.value for p in system.parameters if p.value is not None}
    needs = {name: symbols([value]) for name, value in given.items()}
    known: dict[Expression, Expression] = {}
    substitution = Substitution(known)
    for name in in_order(needs):
        known[symbol(name)] = substitution.apply(definitions.apply([given[name]]))[0]
    return known


def _three(values: Iterable[Expression]) -> Vector:
    x, y, z = values
    return x, y, z


def _plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _apply(m: Matrix, v: Vector) -> Vector:
    return _three(r[0] * v[0] + r[1] * v[1] + r[2] * v[2] for r in m)


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = [_apply(a, _three(row[i] for row in b)) for i in range(3)]
    return (_three(c[0] for c in columns), _three(c[1] for c in columns), _three(c[2] for c in columns))


def _rotation(axis: Vector, angle: Expression) -> Matrix:
    """Return Rodrigues' matrix: cos E + (1 - cos) u uᵀ + sin u×."""
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    d = ONE - c
    return (
        (c + d * x * x, d * x * y - s * z, d * x * z + s * y),
        (d * x * y + s * z, c + d * y * y, d * y * z - s * x),
        (d * x * z - s * y, d * y * z + s * x, c + d * z * z),
    )
