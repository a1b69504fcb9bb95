"""Equations that another program generated for a mechanism, in that program's form.

A reader brings them into the expression graph without a model: coordinates and bodies have numbers, and forces that the
program's kernel supplies at run time are symbols. The comparison maps them to names of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.records import dataclass, field, fields

from .derivation import flatten
from .diagnostics import Diagnostic, Location
from .expressions import Expression, symbol, symbols
from .omission import Omission

Row = tuple[Expression, ...]
Matrix = tuple[Row, ...]

#: Stands for the body of a print that does not say which body it is of.
UNNAMED = -1


@dataclass(frozen=True)
class GeneratedMotion:
    """Motion of one body of generated equations; None: not delivered.

    Attributes
    ----------
    position, velocity, acceleration : 3, world axes
    orientation : 3×3
        From world components to components in body axes: the transpose of the matrix whose columns are the
        body's axes.
    angular_velocity, angular_acceleration : 3, body axes
    jacobian : column number -> 6
        ∂(velocity, world axes; angular velocity, body axes)/∂q'; columns that are not written are absent.
    screws : one row of 6 per coordinate of the body's joint: velocity of the body's point at the world's origin, and
        angular velocity, world axes.
    """

    position: Row | None = None
    orientation: Matrix | None = None
    velocity: Row | None = None
    angular_velocity: Row | None = None
    acceleration: Row | None = None
    angular_acceleration: Row | None = None
    jacobian: Mapping[int, Row] | None = None
    screws: Matrix | None = None

    def expressions(self) -> Iterator[Expression]:
        """Yield all scalars of the motion."""
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None:
                yield from flatten(tuple(value.values()) if isinstance(value, Mapping) else value)


@dataclass(frozen=True)
class GeneratedEquations:
    """Equations of motion written by a program: numbers of bodies from 1 (0 is the fixed frame).

    Attributes
    ----------
    program : str
        Name of the witness, as in reports: ``um``.
    title, source : str
        Full name of the program, and the file or folder that was read.
    count : int or None
        Number of coordinates; None if a print does not show it.
    identifiers : names of the parameters that the formulas may use
    mass_matrix : n×n, symmetric, or None
    residual : n, M a + k - Q at the accelerations a, or None
    bodies : number -> motion
    joint_forces : numbers of the joint forces that the formulas use
    loops : bool or None
        Whether the program's object has closed loops, whose equations are not read; None if unknown.
    loads : number of a body -> 6: force (world axes) and moment (body axes) on the body, an input of the equations;
        the moments of the joint forces are included.
    reactions : number of a joint -> 6
        Force and moment of its joint forces on the first body of the joint, body axes.
    repeated : second copy of the equations, which the program writes for threads, or None
    doubts : pairs (quantity, reason)
        Contradictions between parts of the set.
    omissions : unread parts of the set
    doubt_of_loads : why forces other than loads on bodies and joint forces may enter; empty: it is proved that none do
    statements : formula -> location in the source where it is first computed
    places : entry -> its location: ``("M", i, j)``, ``("residual", i)``, ``(body, "position", i)`` and so on
        with the indices that the program writes
    diagnostics : remarks of the reader; missing files
    """

    program: str
    title: str
    source: str
    count: int | None
    identifiers: tuple[str, ...] = ()
    mass_matrix: Matrix | None = None
    residual: Row | None = None
    bodies: Mapping[int, GeneratedMotion] = field(default_factory=dict)
    joint_forces: tuple[int, ...] = ()
    loops: bool | None = False
    loads: Mapping[int, Row] = field(default_factory=dict)
    reactions: Mapping[int, Row] = field(default_factory=dict)
    repeated: GeneratedEquations | None = None
    doubts: tuple[tuple[str, str], ...] = ()
    omissions: tuple[Omission, ...] = ()
    doubt_of_loads: str = "no procedures of forces were read"
    statements: Mapping[Expression, Location] = field(default_factory=dict, repr=False)
    places: Mapping[tuple[str | int, ...], Location] = field(default_factory=dict, repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()

    def expressions(self) -> Iterator[Expression]:
        """Yield all scalars of the equations, of the bodies' motions and of the second copy."""
        for value in (self.mass_matrix, self.residual, *self.loads.values(), *self.reactions.values()):
            if value is not None:
                yield from flatten(value)
        for motion in self.bodies.values():
            yield from motion.expressions()
        if self.repeated is not None:
            yield from self.repeated.expressions()

    @property
    def used_identifiers(self) -> tuple[str, ...]:
        """Identifiers of parameters that some formula uses, in the order of ``identifiers``."""
        present = symbols(self.expressions())
        return tuple(name for name in self.identifiers if name in present)


def coordinate_symbol(number: int, order: int = 0) -> Expression:
    """Return the symbol of generated coordinate 0, 1, … (``_x1``), its rate or predicted acceleration."""
    return symbol(f"_x{number + 1}" + "'" * order)


def body_force_symbol(body: int, axis: int) -> Expression:
    """Return the symbol of a force component on a body (N), world axes."""
    return symbol(f"_force{body}_{'xyz'[axis]}")


def body_moment_symbol(body: int, axis: int) -> Expression:
    """Return the symbol of a moment component on a body (N m), body axes."""
    return symbol(f"_moment{body}_{'xyz'[axis]}")


def joint_force_symbol(number: int) -> Expression:
    """Return the symbol of joint force 1, 2, …: generalized force (N or N m) along its coordinate."""
    return symbol(f"_jf{number}")
