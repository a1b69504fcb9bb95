"""Motion of a model's bodies as formulas: the reference for term-by-term comparison of generated formulas.

Frames by Golomazdin & Dmitrochenko 2022, eqs. (10)-(12); everything else is differentiated from them: velocity
d r/dt, angular velocity from ω× = Rᵀ dR/dt (body axes), columns of the Jacobian and screws ∂/∂q'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from mbconcord.model.diagnostics import Location
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, derivative, rate, sin, time_derivative, topological
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.records import dataclass

from ...judge.comparison import ArrayDifference
from ...judge.evidence import Comparison
from ...judge.monomials import Monomial, Polynomial, polynomials
from .numbers import AXES, TWIST

Vector = tuple[Expression, ...]
Matrix = tuple[Vector, ...]
IDENTITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True)
class SymbolicFrame:
    """Rotation (columns are the body's axes) and position of a frame, as formulas in world axes."""

    rotation: Matrix
    position: Vector


def frame(system: System, name: str | None, centred: bool) -> SymbolicFrame:
    """Return formulas of a body's frame, with its origin at the centre of mass if ``centred``."""
    rotation: Matrix = IDENTITY
    position: Vector = (ZERO, ZERO, ZERO)
    for body in system.path(name):
        for et in body.joint:
            if et.is_translation:
                arm = tuple(et.amount * u for u in et.axis)
                position = tuple(p + x for p, x in zip(position, times(rotation, arm), strict=True))
            else:
                rotation = _product(rotation, turn(et))
    if name is not None and centred:
        arm = system.body(name).inertia.centre
        position = tuple(p + x for p, x in zip(position, times(rotation, arm), strict=True))
    return SymbolicFrame(rotation, position)


def turn(et: ElementaryTransformation) -> Matrix:
    """Return the rotation matrix of a transformation by Rodrigues' formula: cos φ E + (1 - cos φ) u uᵀ + sin φ u×."""
    c, s, u = cos(et.amount), sin(et.amount), et.axis
    skew = ((ZERO, -u[2], u[1]), (u[2], ZERO, -u[0]), (-u[1], u[0], ZERO))
    return tuple(
        tuple(c * IDENTITY[i][j] + (ONE - c) * (u[i] * u[j]) + s * skew[i][j] for j in range(3)) for i in range(3)
    )


def body_formula(system: System, quantity: str, label: str, f: SymbolicFrame) -> Expression | None:
    """Return the formula of a labelled entry of a quantity of body motion; None for unknown quantities."""
    names = system.coordinate_names
    if quantity == "position":
        return f.position[AXES.index(label)]
    if quantity == "orientation":
        return f.rotation[AXES.index(label[1])][AXES.index(label[0])]
    if quantity == "velocity":
        return time_derivative([f.position[AXES.index(label)]], names)[0]
    if quantity == "angular_velocity":
        return _spin(system, f)[AXES.index(label)]
    if quantity == "acceleration":
        speed = time_derivative([f.position[AXES.index(label)]], names)
        return time_derivative(speed, names)[0]
    if quantity == "angular_acceleration":
        return time_derivative([_spin(system, f)[AXES.index(label)]], names)[0]
    component, _, coordinate = label.partition(" ")
    if quantity == "jacobian":
        axis = TWIST.index(component)
        if axis < 3:
            moved = time_derivative([f.position[axis]], names)[0]
        else:
            moved = _spin(system, f)[axis - 3]
        return derivative(moved, rate(coordinate))
    if quantity == "screws":
        return screw(system, f, coordinate)[TWIST.index(component)] if coordinate in names else ZERO
    return None


def screw(system: System, f: SymbolicFrame, coordinate: str) -> Vector:
    """Return the screw (6,) of a coordinate: ∂/∂q' of v - ω×r, the velocity at the world's origin, and of ω.

    Both are in world axes.
    """
    turning = times(f.rotation, [derivative(w, rate(coordinate)) for w in _spin(system, f)])
    moving = time_derivative(f.position, system.coordinate_names)
    r, columns = f.position, [derivative(v, rate(coordinate)) for v in moving]
    crossed = (
        turning[1] * r[2] - turning[2] * r[1],
        turning[2] * r[0] - turning[0] * r[2],
        turning[0] * r[1] - turning[1] * r[0],
    )
    return (*(v - x for v, x in zip(columns, crossed, strict=True)), *turning)


def _spin(system: System, f: SymbolicFrame) -> Vector:
    columns = tuple(zip(*f.rotation, strict=True))
    rates = time_derivative([x for row in f.rotation for x in row], system.coordinate_names)
    changing = tuple(tuple(rates[3 * i : 3 * i + 3]) for i in range(3))
    skew = _product(columns, changing)
    return skew[2][1], skew[0][2], skew[1][0]


def times(rows: Matrix, column: Sequence[Expression]) -> Vector:
    """Multiply a matrix by a column."""
    return tuple(sum((a * b for a, b in zip(row, column, strict=True)), ZERO) for row in rows)


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = tuple(zip(*b, strict=True))
    return tuple(tuple(sum((x * y for x, y in zip(row, c, strict=True)), ZERO) for c in columns) for row in a)


# Locations of entries, and of their terms, in the files of generated equations.


#: Function from formulas of the generated equations to compared formulas, of the same number and order.
Transform = Callable[[Sequence[Expression]], Sequence[Expression]]
#: Key of an entry in the places of the generated equations.
Place = tuple[str | int, ...]
#: Only so many statements of an entry are searched.
LARGEST = 4000


#: The two formulas of an entry: of the generated equations and of the other side; None where there is none.
Formulas = Callable[[tuple[str, ...]], tuple[Expression | None, Expression | None]]


@dataclass(frozen=True)
class WrittenPlace:
    """A comparison with what explains it: its difference (N, …), K entries, their formulas and origin in the files."""

    comparison: Comparison
    difference: ArrayDifference
    entries: Sequence[tuple[str, ...]]
    formulas: Formulas
    origin: Origin


@dataclass(frozen=True)
class Origin:
    """The derivation of compared entries from formulas of generated equations, to locate them in the files.

    ``written`` gives the equations' own formula of an entry, ``place`` its key in the places of the equations;
    ``transform`` converts formulas of the equations to the compared quantity.
    """

    equations: GeneratedEquations
    written: Callable[[tuple[str, ...]], Expression | None]
    place: Callable[[tuple[str, ...]], Place | None]
    transform: Transform

    def of_entry(self, entry: tuple[str, ...]) -> Location | None:
        """Return the location of an entry in the files; None if it is unknown."""
        key, root = self.place(entry), self.written(entry)
        found = self.equations.places.get(key) if key else None
        return found or (self.equations.statements.get(root) if root is not None else None)

    def of_term(
        self, entry: tuple[str, ...], monomial: Monomial, coefficient: Fraction, size: int,
        prepared: Callable[[Sequence[Expression]], Sequence[Expression]],
        read: Callable[[Polynomial], Polynomial],
    ) -> Location | None:  # fmt: skip
        """Return the location of an entry's term: its first occurrence with its sign, else the opposite; else None.

        ``prepared`` and ``read`` convert formulas to the polynomials in which the term was found; products of more than
        ``size`` monomials are skipped.
        """
        root = self.written(entry)
        if root is None:
            return None
        statements = self.equations.statements
        nodes = [node for node in topological([root]) if node in statements][:LARGEST]
        made = list(prepared(self.transform(nodes)))
        known = polynomials(made, size)
        found = [read(known.get(value, {})).get(monomial, Fraction(0)) for value in made]
        for wanted in (coefficient, -coefficient):
            for node, own in zip(nodes, found, strict=True):
                if abs(own - wanted) <= abs(wanted) / 10**12:
                    return statements[node]
        return None
