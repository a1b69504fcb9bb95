"""Joints as sequences of elementary steps from body 1 to body 2, and their reversal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from mbconcord.model import ElementaryTransformation, Location
from mbconcord.model.expressions import ONE, PI_NODE, ZERO, Expression, evaluate_float, sqrt
from mbconcord.model.expressions.functions import apply
from mbconcord.model.transformation import Constant, Kind, Variable, Vector
from mbconcord.records import dataclass, replace

from ..tree import Attribute, UmBlock
from .images import FRAME, frame, to_radians
from .reading import BASE, Thing, UmReading

#: Types of joints that files seen have.
TYPES = ("rotat", "transl", "6dof", "comm")
#: How far from 1 the length of an axis may be that is meant as a unit vector: UM writes 15 digits.
UNIT_SLACK = 1e-9


@dataclass(frozen=True)
class UmFreedom:
    """A degree of freedom of a joint: the keyword of its line in the file, initial value, scalar force, location."""

    line: str
    initial: Expression
    force: UmBlock | None
    at: Location


@dataclass(frozen=True)
class UmStep:
    """An elementary transformation: by a constant (m or rad), or by a coordinate."""

    kind: Kind
    axis: Vector
    amount: Expression | UmFreedom

    @property
    def freedom(self) -> UmFreedom | None:
        """The degree of freedom, or None."""
        return self.amount if isinstance(self.amount, UmFreedom) else None

    def reverse(self) -> UmStep:
        """Return the step in a reversed joint: constants change sign, coordinates keep axis and sign."""
        return self if isinstance(self.amount, UmFreedom) else replace(self, amount=-self.amount)

    def transformation(self, coordinate: str | None) -> ElementaryTransformation:
        """Convert the step to the model, with a coordinate of that name for a degree of freedom."""
        if isinstance(self.amount, UmFreedom):
            assert coordinate is not None
            return ElementaryTransformation(self.kind, self.axis, Variable(coordinate))
        return ElementaryTransformation(self.kind, self.axis, Constant(self.amount))


_AXES: dict[str, Vector] = {"x": (ONE, ZERO, ZERO), "y": (ZERO, ONE, ZERO), "z": (ZERO, ZERO, ONE)}


def shift(values: Vector) -> list[UmStep]:
    """Return constant steps along x, y, z, without those of zero length."""
    return [UmStep("translation", _AXES[a], value) for a, value in zip("xyz", values, strict=True) if value]


def steps(block: UmBlock, thing: Thing, reading: UmReading) -> list[UmStep] | None:
    """Read the steps of a joint from body 1 to body 2; None, with a finding, where it is damaged."""
    kind = block.get("type")
    at = block.locate(reading.file)
    if kind in ("rotat", "transl"):
        parts = block.all("jnt1dof")
        if len(parts) == 1:
            return _one_degree(kind, parts[0], thing, reading)
        reading.findings.refuse(at, f"found {len(parts)} blocks jnt1dof in a joint {kind}, expected one")
    elif kind == "6dof":
        parts = block.all("jnt6dof")
        if len(parts) == 1:
            return six_degrees(parts[0], thing, reading)
        reading.findings.refuse(at, f"found {len(parts)} blocks jnt6dof in a joint 6dof, expected one")
    elif kind == "comm":
        return [step for et in block.all("et") for step in _elementary(et, thing, reading)]
    elif kind:
        return leave_out(block, thing, reading)
    else:
        found = "found a joint of type 'nothing', expected rotat, transl, 6dof or comm"
        reading.findings.refuse(at, found, "no real file shows another type [?]")
    return None


def leave_out(block: UmBlock, thing: Thing, reading: UmReading) -> list[UmStep]:
    """Leave out a joint of an unseen type, or to a subsystem that is left out; return six free steps in its place.

    A body to which no other joint leads then moves freely against the body at the other end, or against the base.
    """
    at, kind = block.locate(reading.file), block.get("type")
    message = (
        f"a joint of type {kind!r} is left out: what it joins moves freely [?]; known are rotat, transl, 6dof and comm"
    )
    outside = [name for key in ("bd1", "bd2") if thing.leads_out(name := block.text(key))]
    if outside:
        kind = f"to {outside[0].partition('.')[0]}"
        message = f"a joint with {outside[0]!r} is left out, as its subsystem: what it joins moves freely [?]"
    reading.findings.remark("warning", f"joint {kind}", at, message)
    ends = tuple(thing.full_name(name) for key in ("bd1", "bd2") if (name := block.text(key)) not in (BASE, *outside))
    reading.omit("connection" if outside else "joint", block, thing, "unknown", bodies=ends)
    return [
        UmStep(moved, _AXES[axis], UmFreedom("unseen", ZERO, None, at))
        for moved in get_args(Kind) for axis in "xyz"
    ]  # fmt: skip


def _force(block: UmBlock, reading: UmReading) -> UmBlock | None:
    """Return the scalar force of a block, or None."""
    found = block.all("scalarforce")
    if len(found) > 1:
        message = f"found {len(found)} scalar forces in {block.heading}, expected one"
        reading.findings.refuse(found[1].locate(reading.file), message, "how UM combines them is unknown [?]")
    return found[0] if found else None


def _elementary(et: UmBlock, thing: Thing, reading: UmReading) -> Iterator[UmStep]:
    """Yield steps of tc, rc, tv, rv: constant and variable translation and rotation."""
    reading.single(et)
    kind, at = et.get("type"), et.locate(reading.file)
    if et.get("enabled", "true").lower() == "false":
        start = reading.value(et.attribute("coord0"), thing)
        if start is not ZERO:
            message = "found coord0 of a disabled transformation: left out like the transformation [?]"
            reading.findings.remark("warning", "coord0 of disabled", at, message)
        return
    if kind == "tc":
        yield from shift(reading.vector(et, "e", thing))
    elif kind in ("rc", "rv", "tv"):
        axis = _axis(et, "e", thing, reading)
        start = reading.value(et.attribute("coord0"), thing)
        if kind != "tv":
            start = to_radians(start)
        moved: Kind = "translation" if kind == "tv" else "rotation"
        if axis is not None:
            amount = start if kind == "rc" else UmFreedom(kind, start, _force(et, reading), at)
            yield UmStep(moved, axis, amount)
    else:
        found = f"found an elementary transformation {kind or 'nothing'!r}, expected tc, rc, tv or rv"
        remedy = "a motion given in time (tt, rt) was never seen in a real file: its attributes are unknown [?]"
        reading.findings.refuse(at, found, remedy)


def _axis(block: UmBlock, prefix: str, thing: Thing, reading: UmReading) -> Vector | None:
    """Read a numeric axis, with a remark if its length is not 1; None, with a finding, if it is zero or not numeric."""
    axis = reading.vector(block, prefix, thing)
    at = (block.attribute(f"{prefix}x") or Attribute("", line=block.line, column=block.column)).locate(reading.file)
    name = f"({', '.join(f'{prefix}{a}' for a in 'xyz')})"
    if not all(c.constant for c in axis):
        reading.findings.refuse(at, f"found identifiers in the axis {name}, expected numbers")
        return None
    squared = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]
    if squared is ZERO:
        reading.findings.refuse(at, f"found the axis {name} = (0, 0, 0), expected a direction")
        return None
    if abs(evaluate_float(squared, {}) - 1) > UNIT_SLACK:
        message = f"found an axis {name} that is not of length 1: read as its direction [?]"
        reading.findings.remark("warning", "length of axis", at, message)
    return axis


def _one_degree(kind: str, block: UmBlock, thing: Thing, reading: UmReading) -> list[UmStep] | None:
    """Read rotat: r = ro1 - R ro2, R = Rot(e1, consta + x) A; or transl, with a shift in place of the rotation.

    A is the smallest rotation that carries e2 to e1.
    """
    reading.single(block)
    e1, e2 = _axis(block, "e1", thing, reading), _axis(block, "e2", thing, reading)
    ro1, ro2 = reading.vector(block, "ro1", thing), reading.vector(block, "ro2", thing)
    turned = to_radians(reading.value(block.attribute("consta"), thing))
    for key in ("constx", *(("consta",) if kind == "transl" else ())):
        attribute = block.attribute(key)
        if attribute is not None and reading.value(attribute, thing) is not ZERO:
            found = f"found {key}={attribute.value} in a joint {kind}, expected zero"
            reading.findings.refuse(attribute.locate(reading.file), found, "its effect is unknown [?]")
    if e1 is None or e2 is None:
        return None
    aligned = _smallest_rotation(e1, e2, block, kind, reading)
    if aligned is None:
        return None
    start = reading.value(block.attribute("x0"), thing)
    moved: Kind = "rotation" if kind == "rotat" else "translation"
    start = to_radians(start) if kind == "rotat" else start
    freedom = UmFreedom(kind, start, _force(block, reading), block.locate(reading.file))
    turn = [UmStep("rotation", e1, turned)] if turned else []
    return [
        *shift(ro1), *turn, UmStep(moved, e1, freedom), *aligned, *shift((-ro2[0], -ro2[1], -ro2[2]))
    ]  # fmt: skip


def _smallest_rotation(e1: Vector, e2: Vector, block: UmBlock, kind: str, reading: UmReading) -> list[UmStep] | None:
    """Return the smallest rotation that carries e2 to e1, as steps; None, with a finding, if they are opposite."""
    length = sqrt(sum((c * c for c in e1), ZERO)) * sqrt(sum((c * c for c in e2), ZERO))
    cosine = sum((a * b for a, b in zip(e1, e2, strict=True)), ZERO) / length
    normal = (e2[1] * e1[2] - e2[2] * e1[1], e2[2] * e1[0] - e2[0] * e1[2], e2[0] * e1[1] - e2[1] * e1[0])
    at, value = block.locate(reading.file), evaluate_float(cosine, {})
    if 1 - value < UNIT_SLACK**2 or not any(normal):
        if value > 0:
            return []
        found = "found axes e1 and e2 of opposite directions: the rotation between them is not determined"
        reading.findings.refuse(at, found, "turn e2 round, or use a joint of type comm [?]")
        return None
    if cosine is ZERO:
        angle = PI_NODE / 2
    else:
        angle = apply("acos", cosine)
        message = "found axes e1 and e2 that are oblique: e2 is carried to e1 by the smallest rotation [?]"
        reading.findings.remark("warning", "oblique axes", at, message)
    if kind == "transl":
        message = "found a joint transl with e1 unlike e2: e2 is carried to e1 as in a joint rotat [?]"
        reading.findings.remark("warning", "axes of transl", at, message)
    return [UmStep("rotation", normal, angle)]


def six_degrees(block: UmBlock, thing: Thing, reading: UmReading) -> list[UmStep] | None:
    """Read 6dof: from the joint frame on body 1 to that on body 2: x, y, z, then three angles.

    A coordinate exists only if its line does.
    """
    reading.single(block, "position", *FRAME)
    inner: list[UmStep] = []
    for axis in "xyz":
        attribute = block.attribute(f"{axis}0")
        if attribute is not None:
            start = reading.value(attribute, thing)
            freedom = UmFreedom(attribute.key, start, None, attribute.locate(reading.file))
            inner.append(UmStep("translation", _AXES[axis], freedom))
    lines = [(i, block.attribute(f"angle{i}0")) for i in (1, 2, 3)]
    axes = _angle_axes(block, reading) if any(line for _, line in lines) else "xyz"
    if axes is None:
        return None
    for (i, line), axis in zip(lines, axes, strict=True):
        if line is not None:
            start = to_radians(reading.value(line, thing))
            inner.append(
                UmStep("rotation", _AXES[axis], UmFreedom(f"angle{i}0", start, None, line.locate(reading.file)))
            )
    for force in block.all("scalarforce"):
        message = "the scalar force of a joint 6dof is left out: to which coordinate it belongs is unknown [?]"
        reading.findings.remark("warning", "force of 6dof", force.locate(reading.file), message)
        if force.get("type") != "none":
            reading.omit("scalar-force", force, thing, "forces")
    first, second = frame(block, "1", thing, reading), frame(block, "2", thing, reading)
    return [*_to_steps(first), *inner, *(step.reverse() for step in reversed(_to_steps(second)))]


def _to_steps(parts: list[tuple[Kind, str, Expression]]) -> list[UmStep]:
    return [UmStep(kind, _AXES[axis], amount) for kind, axis, amount in parts]


def _angle_axes(block: UmBlock, reading: UmReading) -> str | None:
    """Return the axes of the three angles: ``312`` and ``Cardan(123)`` are seen in files, others read likewise."""
    attribute = block.attribute("angles")
    word = attribute.value if attribute else ""
    digits = word[7:-1] if word.startswith("Cardan(") and word.endswith(")") else word
    at = attribute.value_at(reading.file) if attribute else block.locate(reading.file)
    if len(digits) != 3 or not set(digits) <= set("123"):
        found = f"found angles={word}, expected 312 or Cardan(123)"
        reading.findings.refuse(at, found, "no real file shows another word [?]")
        return None
    if word == "Cardan(123)":
        message = "angles=Cardan(123) is read as turns about x, y, z; seen for the first angle only [?]"
        reading.findings.remark("note", "Cardan(123)", at, message)
    elif word != "312":
        message = f"angles={word} is read as turns about the axes of these numbers; never seen [?]"
        reading.findings.remark("warning", f"angles {word}", at, message)
    return "".join("xyz"[int(digit) - 1] for digit in digits)


def reverse(made: list[UmStep]) -> list[UmStep]:
    """Reverse the steps of a joint, to lead from body 2 to body 1."""
    return [step.reverse() for step in reversed(made)]
