"""Faults put into models by hand, with the words that name them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from mbconcord.converters import registry as formats
from mbconcord.model import System
from mbconcord.model.body import NO_INERTIA, Body, Gravity, Inertia
from mbconcord.model.expressions import ZERO, as_expression, cos, sin
from mbconcord.model.force import LinearLaw
from mbconcord.model.transformation import Constant

#: Two or three bodies each; every joint has an offset and a turn, every body a full tensor off its frame.
INERTIA = "$2 [0.195, 0.23, 0.095, 0.02, -0.06, 0.035] {0.1, -0.05, 0.2} #a"
SECOND = "$1.5 [0.0806, 0.0648, 0.0755, -0.0076, 0.0102, 0.0036] {0.07, 0.11, -0.04} #b"
THIRD = "$0.8 [0.0223, 0.0349, 0.0282, 0.002, 0.0004, 0.0022] {-0.06, 0.02, 0.05} #c"
SPRING = "\\ #b {0.1, 0, 0.05} :\"(5 - 90 (@ - 0.4) - 3 @', 0) {0.8, 0.3, -0.6}"
TEXTS = {
    "two": f"{{0.1, 0.2, 0.05}} l17 z {INERTIA} > {{0.4, 0.05, -0.1}} m28 x {SECOND} {SPRING} ; g-y",
    "three": (
        f"{{0.1, 0.2, 0.05}} l17 z {INERTIA} > {{0.3, 0.1, 0.2}} m28 x {SECOND}"
        f" > {{0.2, 0.1, -0.1}} n40 y {THIRD} {SPRING} ; g-z"
    ),
    "sliding": f"{{0.1, 0.2, 0.05}} l17 y x {INERTIA} > {{0.4, 0.05, -0.1}} n28 w {SECOND} {SPRING} ; g-z",
    "turning pair": f"{{0.1, 0.2, 0.05}} l17 z y {INERTIA} > {{0.4, 0.05, -0.1}} m28 x {SECOND} {SPRING} ; g-x",
    "cart": f"{{0.1, 0.2, 0.05}} n17 u y {INERTIA} > {{0.3, 0.2, -0.1}} l28 z {SECOND} {SPRING} ; g-y",
    "floating": f"u v w z y x {INERTIA} > {{0.4, 0.05, -0.1}} m28 x {SECOND} {SPRING} ; g-z",
}


def model(name: str) -> System:
    """A model of the table."""
    return formats.read_text(TEXTS[name], format="mbsd").system


Change = Callable[[System], System]
#: place, fault, and words of the cause that names it.
ROWS: list[tuple[str, Change, str]] = []


def _body(system: System, name: str, change: Callable[[Body], Body]) -> System:
    return replace(system, bodies=tuple(change(b) if b.name == name else b for b in system.bodies))


def _inertia(words: str, change: Callable[[Inertia], Inertia], name: str = "b") -> None:
    def plant(system: System) -> System:
        return _body(system, name, lambda b: replace(b, inertia=change(b.inertia)))

    ROWS.append((name, plant, words))


def _tensor(words: str, change: Callable[..., tuple[object, ...]]) -> None:
    _inertia(words, lambda i: Inertia(i.mass, i.centre, change(*i.tensor)))  # type: ignore[arg-type]


def _centre(words: str, change: Callable[..., tuple[object, ...]]) -> None:
    _inertia(words, lambda i: Inertia(i.mass, change(*i.centre), i.tensor))  # type: ignore[arg-type]


def _shifted(sign: int) -> Callable[[Inertia], Inertia]:
    """The tensor with m (r² E - r rᵀ) added so many times."""

    def change(i: Inertia) -> Inertia:
        m, (x, y, z) = sign * i.mass, i.centre
        steiner = (m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y), -m * x * y, -m * x * z, -m * y * z)
        return Inertia(i.mass, i.centre, tuple(a + s for a, s in zip(i.tensor, steiner, strict=True)))

    return change


def _rates(i: Inertia, mass: int | Fraction, tensor: int | Fraction) -> Inertia:
    return Inertia(i.mass * mass, i.centre, tuple(x * as_expression(tensor) for x in i.tensor))


_tensor("the products of inertia of b have the other sign", lambda a, b, c, d, e, f: (a, b, c, -d, -e, -f))
_tensor("the product of inertia xz of b has the other sign", lambda a, b, c, d, e, f: (a, b, c, d, -e, f))
_tensor("the products of inertia of b are dropped", lambda a, b, c, d, e, f: (a, b, c, 0, 0, 0))
_tensor("products of inertia of b stand in another order", lambda a, b, c, d, e, f: (a, b, c, d, f, e))
_tensor("the moments of inertia of b stand in the order yxz", lambda a, b, c, d, e, f: (b, a, c, d, e, f))
_tensor("the tensor of b is dropped", lambda a, b, c, d, e, f: (0, 0, 0, 0, 0, 0))
_tensor("the tensor of b is four times as large", lambda *t: tuple(4 * x for x in t))
_inertia("the tensor of b is taken about the origin of its frame, not about its centre of mass", _shifted(-1))
_inertia(
    "the tensor of b is taken about its centre of mass, where it is that about the origin of its frame", _shifted(1)
)
_inertia("with the parallel axis of the wrong sign", _shifted(-2))
_centre("the centre of mass of b is dropped", lambda x, y, z: (0, 0, 0))
_centre("the centre of mass of b is mirrored", lambda x, y, z: (-x, -y, -z))
_centre("the centre of mass of b has the other sign in y", lambda x, y, z: (x, -y, z))
_centre("the centre of mass of b has its components in the order yxz", lambda x, y, z: (y, x, z))
_centre("the centre of mass of b is in millimetres", lambda x, y, z: (1000 * x, 1000 * y, 1000 * z))
_inertia("the mass of b is given in grams", lambda i: _rates(i, 1000, 1))
_inertia("mass and tensor of b are doubled", lambda i: _rates(i, 2, 2))
_inertia("b is dropped", lambda i: NO_INERTIA)


def _exchanged(system: System) -> System:
    own = {name: system.body(name).inertia for name in "ab"}
    return _body(
        _body(system, "a", lambda b: replace(b, inertia=own["b"])), "b", lambda b: replace(b, inertia=own["a"])
    )


ROWS.append(("a, b", _exchanged, "the inertias of a and b are exchanged"))


def _constants(words: str, turns: bool, factor: int | Fraction | None, name: str = "b") -> None:
    """Constant turns or shifts of a joint times a factor; None drops them."""

    def plant(system: System) -> System:
        def change(b: Body) -> Body:
            joint = []
            for et in b.joint:
                if isinstance(et.motion, Constant) and et.is_translation != turns:
                    if factor is not None:
                        joint.append(replace(et, motion=Constant(et.motion.value * factor)))
                else:
                    joint.append(et)
            return replace(b, joint=tuple(joint))

        return _body(system, name, change)

    ROWS.append((name, plant, words))


_constants("the offset of the joint of b points the other way", False, -1)
_constants("the offset of the joint of b is dropped", False, None)
_constants("the offset of the joint of b is in millimetres", False, 1000)
_constants("the constant turns of the joint of b are transposed", True, -1)
_constants("the constant turns of the joint of b are dropped", True, None)


def _axis(system: System) -> System:
    def change(b: Body) -> Body:
        joint = tuple(
            replace(et, axis=tuple(-x for x in et.axis)) if et.coordinate else et  # type: ignore[arg-type]
            for et in b.joint
        )
        return replace(b, joint=joint)

    return _body(system, "b", change)


ROWS.append(("b", _axis, "points the other way"))


def _behind(system: System) -> System:
    """The offset made after the constant turns."""

    def change(b: Body) -> Body:
        still = [et for et in b.joint if isinstance(et.motion, Constant)]
        shifts, turns = ([et for et in still if et.is_translation == way] for way in (True, False))
        return replace(b, joint=(*turns, *shifts, *(et for et in b.joint if et not in still)))

    return _body(system, "b", change)


ROWS.append(("b", _behind, "the offset of the joint of b is made after its constant turns"))


def _gravity(words: str, change: Callable[[Gravity], Gravity | None]) -> None:
    ROWS.append(("gravity", lambda s: replace(s, gravity=change(s.gravity)), words))  # type: ignore[arg-type]


_gravity("gravity points the other way", lambda g: Gravity(g.value, tuple(-x for x in g.direction)))
_gravity("gravity is 9.8 m/s²", lambda g: Gravity(as_expression(Fraction("9.8")), g.direction))
_gravity("there is no gravity", lambda g: None)


def _spring(words: str, change: Callable[..., LinearLaw]) -> None:
    def plant(system: System) -> System:
        (force,) = system.forces
        law = LinearLaw(
            f0=as_expression(5) + 90 * as_expression(Fraction("0.4")), k=as_expression(90), d=as_expression(3)
        )
        return replace(system, forces=(replace(force, law=change(law)),))

    ROWS.append(("force", plant, words))


_spring("the stiffness of bipolar1 is dropped", lambda law: replace(law, k=ZERO))
_spring("the damping of bipolar1 has the other sign", lambda law: replace(law, d=-law.d))
_spring("stiffness and damping of bipolar1 are exchanged", lambda law: replace(law, k=law.d, d=law.k))
ROWS.append(("force", lambda s: replace(s, forces=()), "bipolar1 is dropped"))


def turned(system: System) -> System:
    """The tensor of b in axes that are turned by 0.3 about z: no fault of the catalogue."""
    c, s = cos(as_expression(Fraction("0.3"))), sin(as_expression(Fraction("0.3")))
    R = ((c, -s, ZERO), (s, c, ZERO), (ZERO, ZERO, as_expression(1)))

    def change(b: Body) -> Body:
        own = b.inertia
        return replace(b, inertia=Inertia(own.mass, own.centre, own.rotate(R).tensor))

    return _body(system, "b", change)
