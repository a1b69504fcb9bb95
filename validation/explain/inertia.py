"""Common mistakes of converters and authors in one body's inertia, the commonest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.body import NO_INERTIA, Body, Inertia, tensor
from mbconcord.model.expressions import ONE, ZERO, Expression, as_expression, cos, sin
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, vector
from mbconcord.records import dataclass

#: Arrays of expressions.
Terms = NDArray[Any]
POUND: Final = Fraction(45359237, 100000000)
INCH: Final = Fraction(254, 10000)
_PLACES: Final = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_OFF: Final = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_EYE: Final = np.array([[as_expression(int(i == j)) for j in range(3)] for i in range(3)], dtype=object)


@dataclass(frozen=True)
class MassChange:
    """Mass m, centre c (3,) and tensor J (3, 3) about the centre, as expressions."""

    m: Expression
    c: Terms
    J: Terms

    @classmethod
    def from_inertia(cls, inertia: Inertia) -> MassChange:
        """Convert an inertia of the model to mass, centre, and tensor about the centre."""
        return cls(inertia.mass, np.array(inertia.centre, dtype=object), np.array(inertia.matrix(), dtype=object))

    def inertia(self) -> Inertia:
        """Convert back to an inertia of the model."""
        return Inertia(self.m, vector(self.c), tensor(self.J[place] for place in _PLACES))

    @property
    def steiner(self) -> Terms:
        """m (c·c E - c cᵀ)."""
        squared = sum((x * x for x in self.c), ZERO)
        return np.array(
            [[self.m * (squared * _EYE[i, j] - self.c[i] * self.c[j]) for j in range(3)] for i in range(3)],
            dtype=object,
        )


Made = tuple[str, MassChange]


def changes(system: System, body: Body, turned: Mapping[str, Terms]) -> Iterator[tuple[str, Inertia]]:
    """Yield statements ("the tensor is …") about a body, each with the body's inertia if the statement holds.

    ``turned``: body -> rotation of its inertial frame relative to the body, for formats that have such frames.
    """
    if body.modal or body.inertia.is_zero:
        return
    own = MassChange.from_inertia(body.inertia)
    for said, made in (*_tensor(own), *_turn_tensor(body, own, turned), *_centre(system, body, own), *_units(own)):
        yield said.format(b=body.name), made.inertia()
    yield f"{body.name} is dropped", NO_INERTIA
    for other in system.bodies:
        if other is not body and not other.modal and not other.inertia.is_zero:
            yield f"{body.name} has the inertia of {other.name}", other.inertia


def _tensor(b: MassChange) -> Iterator[Made]:
    signs = dict.fromkeys(_OFF, -1)
    yield "the products of inertia of {b} have the other sign", MassChange(b.m, b.c, _flip_signs(b.J, signs))
    about = "the tensor of {b} is taken"
    yield (
        f"{about} about the origin of its frame, not about its centre of mass",
        MassChange(b.m, b.c, b.J - b.steiner),
    )
    yield (
        f"{about} about its centre of mass, where it is that about the origin of its frame",
        MassChange(b.m, b.c, b.J + b.steiner),
    )
    yield (
        f"{about} about the origin of its frame with the parallel axis of the wrong sign",
        MassChange(b.m, b.c, b.J - b.steiner - b.steiner),
    )
    yield ("the products of inertia of {b} are dropped", MassChange(b.m, b.c, _flip_signs(b.J, dict.fromkeys(_OFF, 0))))
    for pair in _OFF:
        yield (
            f"the product of inertia {pair} of {{b}} has the other sign",
            MassChange(b.m, b.c, _flip_signs(b.J, {pair: -1})),
        )
        yield (f"the product of inertia {pair} of {{b}} is dropped", MassChange(b.m, b.c, _flip_signs(b.J, {pair: 0})))
    names = tuple(_OFF)
    for order in list(permutations(names))[1:]:
        what = ", ".join(f"{a} for {b_}" for a, b_ in zip(order, names, strict=True) if a != b_)
        yield (
            f"products of inertia of {{b}} stand in another order ({what})",
            MassChange(b.m, b.c, _reorder(b.J, order)),
        )
    for axes in list(permutations(range(3)))[1:]:
        what = "".join("xyz"[i] for i in axes)
        moments = b.J.copy()
        for i, j in enumerate(axes):
            moments[i, i] = b.J[j, j]
        yield f"the moments of inertia of {{b}} stand in the order {what}", MassChange(b.m, b.c, moments)
        yield (
            f"the axes of the tensor of {{b}} stand in the order {what}",
            MassChange(b.m, b.c, b.J[np.ix_(axes, axes)]),
        )
    yield "the tensor of {b} is dropped", MassChange(b.m, b.c, b.J * ZERO)


def _turn_tensor(body: Body, b: MassChange, turned: Mapping[str, Terms]) -> Iterator[Made]:
    R = turned.get(body.name)
    if R is not None:
        yield (
            "the tensor of {b} is not turned by the rotation of its inertial frame",
            MassChange(b.m, b.c, R.T @ b.J @ R),
        )
        yield (
            "the tensor of {b} is turned the wrong way by the rotation of its inertial frame",
            MassChange(b.m, b.c, R.T @ R.T @ b.J @ R @ R),
        )
    P = resting_rotation(body.joint)
    if P is not None:
        yield "the tensor of {b} is taken in the axes of its parent", MassChange(b.m, b.c, P.T @ b.J @ P)
        yield (
            "the tensor of {b} is turned by the rotation of its joint once more",
            MassChange(b.m, b.c, P @ b.J @ P.T),
        )
        yield (
            "the centre of mass and the tensor of {b} are taken in the axes of its parent",
            MassChange(b.m, P.T @ b.c, P.T @ b.J @ P),
        )


def _centre(system: System, body: Body, b: MassChange) -> Iterator[Made]:
    if not any(b.c):
        return
    for what, c in _vectors(b.c):
        yield f"the centre of mass of {{b}} {what}", MassChange(b.m, c, b.J)
    P = resting_rotation(body.joint)
    if P is not None:
        yield "the centre of mass of {b} is taken in the axes of its parent", MassChange(b.m, P.T @ b.c, b.J)
        yield (
            "the centre of mass of {b} is turned by the rotation of its joint once more",
            MassChange(b.m, P @ b.c, b.J),
        )
    offset = resting_offset(body.joint)
    if offset is not None:
        back = np.eye(3, dtype=int) if P is None else P.T
        yield (
            "the centre of mass of {b} is counted from the frame of its parent",
            MassChange(b.m, b.c - back @ offset, b.J),
        )


def _units(b: MassChange) -> Iterator[Made]:
    for what, factor in (
        ("given in grams and taken as kilograms", 1000), ("divided by 1000", Fraction(1, 1000)),
        ("doubled", 2), ("halved", Fraction(1, 2)), ("in pounds and taken as kilograms", 1 / POUND),
        ("turned from pounds into kilograms", POUND),
    ):  # fmt: skip
        yield f"the mass of {{b}} is {what}", MassChange(b.m * factor, b.c, b.J)
        yield (f"mass and tensor of {{b}} are {what}", MassChange(b.m * factor, b.c, b.J * as_expression(factor)))
    yield "the mass of {b} is dropped and its tensor kept", MassChange(ZERO, b.c, b.J)
    for what, factor in (
        ("four times as large: diameters stand for radii", 4), ("a quarter: radii stand for diameters", Fraction(1, 4)),
        ("doubled", 2), ("halved", Fraction(1, 2)),
        ("in kg mm² and taken as kg m²", 10**6), ("divided by 1e6", Fraction(1, 10**6)),
        ("in g m² and taken as kg m²", 1000), ("divided by 1000", Fraction(1, 1000)),
    ):  # fmt: skip
        yield f"the tensor of {{b}} is {what}", MassChange(b.m, b.c, b.J * as_expression(factor))
    for what, factor in (("millimetres", 1000), ("inches", 1 / INCH)):
        size = as_expression(factor)
        yield (
            f"lengths of {{b}} are in {what}: its centre of mass and its tensor",
            MassChange(b.m, b.c * size, b.J * (size * size)),
        )


def _vectors(c: Terms) -> Iterator[tuple[str, Terms]]:
    """Yield common mistakes in a vector, each as a clause with the mistaken vector."""
    yield "is dropped", c * ZERO
    yield "is mirrored: all components have the other sign", -c
    for i in range(3):
        if c[i]:
            other = c.copy()
            other[i] = -c[i]
            yield f"has the other sign in {'xyz'[i]}", other
            if sum(map(bool, c)) > 1:
                gone = c.copy()
                gone[i] = ZERO
                yield f"has lost its component {'xyz'[i]}", gone
    for axes in list(permutations(range(3)))[1:]:
        yield f"has its components in the order {''.join('xyz'[i] for i in axes)}", c[list(axes)]
    for what, factor in SIZES:
        yield what, c * as_expression(factor)


SIZES: Final[Sequence[tuple[str, int | Fraction]]] = (
    ("is in millimetres and taken as metres", 1000), ("is divided by 1000", Fraction(1, 1000)),
    ("is in centimetres and taken as metres", 100), ("is in inches and taken as metres", 1 / INCH),
    ("is turned from inches into metres", INCH), ("is doubled", 2), ("is halved", Fraction(1, 2)),
)  # fmt: skip


def _flip_signs(J: Terms, factors: Mapping[str, int]) -> Terms:
    found = J.copy()
    for pair, factor in factors.items():
        i, j = _OFF[pair]
        found[i, j] = found[j, i] = J[i, j] * as_expression(factor)
    return found


def _reorder(J: Terms, order: Sequence[str]) -> Terms:
    found = J.copy()
    for pair, taken in zip(_OFF, order, strict=True):
        i, j = _OFF[pair]
        found[i, j] = found[j, i] = J[_OFF[taken]]
    return found


def resting_rotation(joint: Sequence[ElementaryTransformation]) -> Terms | None:
    """Return the product of a joint's constant rotations, or None: columns are the new axes in the old frame."""
    found: Terms | None = None
    for et in joint:
        if isinstance(et.motion, Constant) and not et.is_translation:
            own = rotation_matrix(et)
            found = own if found is None else found @ own
    return found


def resting_offset(joint: Sequence[ElementaryTransformation]) -> Terms | None:
    """Return the position of the frame beyond a joint at zero coordinates, in its parent's axes, or None."""
    at, R = np.array([ZERO] * 3, dtype=object), _EYE
    for et in joint:
        if isinstance(et.motion, Constant):
            if et.is_translation:
                at = at + (R @ np.array(et.axis, dtype=object)) * et.motion.value
            else:
                R = R @ rotation_matrix(et)
    return at if any(at) else None


def rotation_matrix(et: ElementaryTransformation) -> Terms:
    """Return E cos a + u× sin a + u uᵀ (1 - cos a)."""
    u, angle = et.axis, et.amount
    c, s = cos(angle), sin(angle)
    cross = ((ZERO, -u[2], u[1]), (u[2], ZERO, -u[0]), (-u[1], u[0], ZERO))
    return np.array(
        [[_EYE[i, j] * c + cross[i][j] * s + u[i] * u[j] * (ONE - c) for j in range(3)] for i in range(3)], dtype=object
    )


def together(system: System) -> Iterator[tuple[str, tuple[tuple[str, Inertia], ...]]]:
    """Yield statements about two bodies, each with the inertias that make it true."""
    bodies = [b for b in system.bodies if not b.modal and not b.inertia.is_zero]
    for i, one in enumerate(bodies):
        for other in bodies[i + 1 :]:
            exchanged = ((one.name, other.inertia), (other.name, one.inertia))
            yield f"the inertias of {one.name} and {other.name} are exchanged", exchanged
    for body in bodies:
        parent = next((b for b in bodies if b.name == body.parent), None)
        if parent is not None and not body.coordinates:
            yield (
                f"{body.name} is merged into {parent.name} without the parallel axis",
                ((parent.name, _merge(parent, body)), (body.name, NO_INERTIA)),
            )
    for said, change in _ALL:
        new = tuple((b.name, change(MassChange.from_inertia(b.inertia)).inertia()) for b in bodies)
        yield said, new


def _size(mass: int | Fraction, tensor: int | Fraction) -> Callable[[MassChange], MassChange]:
    return lambda b: MassChange(b.m * mass, b.c, b.J * as_expression(tensor))


#: What is wrong of all bodies where it is wrong of one.
_ALL: Final[Sequence[tuple[str, Callable[[MassChange], MassChange]]]] = (
    ("the products of inertia of all bodies have the other sign",
     lambda b: MassChange(b.m, b.c, _flip_signs(b.J, dict.fromkeys(_OFF, -1)))),
    ("the tensors of all bodies are taken about the origins of their frames, not about their centres of mass",
     lambda b: MassChange(b.m, b.c, b.J - b.steiner)),
    ("the tensors of all bodies are taken about their centres of mass, where they are about the frames' origins",
     lambda b: MassChange(b.m, b.c, b.J + b.steiner)),
    ("the tensors of all bodies are dropped", lambda b: MassChange(b.m, b.c, b.J * ZERO)),
    ("all masses are 1000 times as large", _size(1000, 1)),
    ("all masses are divided by 1000", _size(Fraction(1, 1000), 1)),
    ("all masses and tensors are 1000 times as large", _size(1000, 1000)),
    ("all masses and tensors are divided by 1000", _size(Fraction(1, 1000), Fraction(1, 1000))),
    ("all tensors are 1e6 times as large", _size(1, 10**6)),
    ("all tensors are divided by 1e6", _size(1, Fraction(1, 10**6))),
)  # fmt: skip


def _merge(parent: Body, body: Body) -> Inertia:
    """Place both masses at their common centre, adding the tensors unchanged."""
    p, b = MassChange.from_inertia(parent.inertia), MassChange.from_inertia(body.inertia)
    R, at = resting_rotation(body.joint), resting_offset(body.joint)
    R = _EYE if R is None else R
    c = R @ b.c if at is None else R @ b.c + at
    m = p.m + b.m
    return MassChange(m, (p.c * p.m + c * b.m) * (1 / m), p.J + R @ b.J @ R.T).inertia()
