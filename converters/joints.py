"""Joints in XML: their springs and friction, coordinates that follow others, joints of several coordinates in steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mbconcord.model import Body, Constant, Effort, ElementaryTransformation, Holonomic, JointEffort, System
from mbconcord.model.expressions import (
    ONE,
    ZERO,
    Expression,
    ExpressionError,
    apply,
    derivative,
    evaluate_float,
    rate,
    substitute,
    symbol,
    symbols,
)
from mbconcord.model.expressions.traversal import topological
from mbconcord.model.omission import FRICTION
from mbconcord.model.transformation import Mapped, Prescribed, Vector
from mbconcord.records import dataclass, field

from .constants import ConstantReader
from .floats import real

# Joint forces that are springs and damping: formulas that are linear in a coordinate and its rate.


#: Endings of the names of springs and dampers after that of their coordinate.
SPRING: Final = "_spring"
DAMPING: Final = "_damping"


def has_steps(formula: Expression) -> bool:
    """Return True if a formula contains sign(), whose derivative is zero off the jump though it is not constant."""
    return any(node.op == "fun" and node.data == "sign" for node in topological([formula]))


def linear(formula: Expression, variables: Sequence[Expression]) -> list[Expression] | None:
    """Return the coefficients of the variables and the constant term of a linear formula; None if it is not linear."""
    factors = [derivative(formula, x) for x in variables]
    if not all(x.constant for x in factors) or has_steps(formula):
        return None  # before it is taken at zero, where a law that is not linear may have no value
    (rest,) = substitute([formula], dict.fromkeys(variables, ZERO))
    return [*factors, rest] if rest.constant else None


@dataclass
class Springs:
    """Stiffness k, force f at zero (``pull``) and damping d of the forces f - k q - d q', by coordinate."""

    stiffness: dict[str, Expression] = field(default_factory=dict)
    pull: dict[str, Expression] = field(default_factory=dict)
    damping: dict[str, Expression] = field(default_factory=dict)

    @property
    def coordinates(self) -> set[str]:
        """Names of the coordinates with a stiffness or damping."""
        return {*self.stiffness, *self.damping}


def springs(system: System, numbers: ConstantReader, held: dict[str, str]) -> Springs:
    """Return joint forces f - k q - d q' by coordinate; record in ``held`` the name under which each is read back.

    Those that ``held`` has are written otherwise.
    """
    found = Springs()
    for force in system.forces:
        if not isinstance(force, JointEffort):
            continue
        place, name = f"forces/{force.name}", force.coordinate
        parts = linear(put_in(numbers, force.expression(), ()), (symbol(name), rate(name)))
        if parts is None or place in held:
            continue
        k, d, f = (-parts[0], -parts[1], parts[2])
        if f and not k:
            continue  # a constant force has no element
        numbers.formula(place, force.expression())
        if k:
            found.stiffness[name] = found.stiffness.get(name, ZERO) + k
            found.pull[name] = found.pull.get(name, ZERO) + f
        if d:
            found.damping[name] = found.damping.get(name, ZERO) + d
        held[place] = name + (SPRING if k else DAMPING)
    return found


# Joint forces that are dry friction by Coulomb's law.


def rub(coordinate: str, size: Expression) -> JointEffort:
    """Return dry friction of a size (N m, N) along a coordinate: -F sign(q')."""
    return JointEffort(coordinate + FRICTION, coordinate, -size * apply("sign", rate(coordinate)))


def frictions(system: System, numbers: ConstantReader, held: dict[str, str]) -> dict[str, Expression]:
    """Return dry friction by coordinate (N m, N); record in ``held`` the name under which each force is read back."""
    found: dict[str, Expression] = {}
    turning = symbol("@")
    for force in system.forces:
        if not isinstance(force, JointEffort):
            continue
        place, name = f"forces/{force.name}", force.coordinate
        sliding = {apply("sign", rate(name)): turning}
        parts = linear(substitute([put_in(numbers, force.expression(), ())], sliding)[0], (turning,))
        if parts is None or parts[1] is not ZERO or not numbers.precise(place, parts[0]) < 0:
            continue
        numbers.formula(place, force.expression())
        found[name] = found.get(name, ZERO) - parts[0]
        held[place] = name + FRICTION
    return found


def put_in(numbers: ConstantReader, formula: Expression, but: Sequence[str]) -> Expression:
    """Return a formula with the values of all parameters inserted, but those named in ``but``; time stays a symbol."""
    (found,) = numbers.definitions.apply([formula])
    known = {x: value for x, value in numbers.known.items() if x.data not in but and x.data != "t"}
    return substitute([found], known)[0]


# Drives and joint forces that are actuators: linear in controls, the coordinate and its rate.


#: Ending of the names of controls after their actuators.
CONTROL: Final = "_ctrl"


#: Activations that obey a linear law, by MuJoCo's words, and how many constants they have.
ACTIVATIONS: Final = {"filter": 1, "filterexact": 1, "integrator": 0}


def describe_states(
    states: str, constants: Sequence[Expression], gear: Expression, gain: Sequence[Expression],
    bias: Sequence[Expression], along: Mapping[str, Expression], ranges: Mapping[str, Sequence[Expression]],
    early: bool,
) -> str:  # fmt: skip
    """Return the law of an actuator with states in words, by which equal ones of MJCF and of a stage are equal."""
    parts = {states: constants[: ACTIVATIONS[states]], "gear": [gear], "gain": gain, "bias": bias}
    parts |= {f"along {name}": [along[name]] for name in sorted(along)} | dict(sorted(ranges.items()))
    said = (" ".join([word, *(f"{real(x):.12g}" for x in numbers)]) for word, numbers in parts.items())
    return f"it has states ({', '.join(said)}{', at once' if early else ''})"


@dataclass(frozen=True)
class Actuator:
    """Force gain · ctrl + b₀ + b₁ q + b₂ q' along a coordinate; ``control`` names its parameter, or is empty."""

    name: str
    place: str
    coordinate: str
    control: str
    gain: Expression
    bias: tuple[Expression, Expression, Expression]


def actuators(system: System, numbers: ConstantReader, held: dict[str, str]) -> list[Actuator]:
    """Convert laws linear in controls, position and speed of their coordinate to one actuator per control.

    They are drives, and joint forces with controls. Laws that readers take for a damping ratio are none.
    """
    found: list[Actuator] = []
    drives = [
        (f"coordinates/{c.name}/drive", c.name, c.drive.value)
        for c in system.coordinates
        if isinstance(c.drive, Effort)
    ]
    pushes = [(f"forces/{f.name}", f.coordinate, f.expression()) for f in system.forces if isinstance(f, JointEffort)]
    laws = [(*law, symbols([law[2]])) for law in (*drives, *pushes)]
    named = [p.name for p in system.parameters if p.name.endswith(CONTROL)]
    for place, coordinate, formula, own in laws:
        controls = [n for n in named if n in own and sum(n in used for *_, used in laws) == 1]
        if not controls and place.startswith("forces/"):
            continue
        variables = [*map(symbol, controls), symbol(coordinate), rate(coordinate)]
        parts = linear(put_in(numbers, formula, controls), variables)
        if parts is None:
            continue
        *gains, b1, b2, b0 = parts
        if numbers.precise(place, b2) > 0 and numbers.precise(place, b1 + (gains or [ZERO])[0]) == 0:
            continue
        held[place] = coordinate + CONTROL
        numbers.used |= own
        bias = (b0, b1, b2)
        if not controls:
            found.append(Actuator(f"{coordinate}_drive", place, coordinate, "", ZERO, bias))
        for i, (control, gain) in enumerate(zip(controls, gains, strict=True)):
            held[f"parameters/{control}"] = control
            shared = bias if i == 0 else (ZERO, ZERO, ZERO)
            found.append(Actuator(control.removesuffix(CONTROL), place, coordinate, control, gain, shared))
    return found


# Constraint rows that are mimics: one coordinate is linear in another.


#: Ending of the name of a mimic's row after that of its follower.
MIMIC: Final = "_mimic"


@dataclass(frozen=True, slots=True)
class Mimic:
    """Rule that a coordinate equals ``multiplier`` times the coordinate ``leader`` plus ``offset``."""

    place: str
    leader: str
    multiplier: Expression
    offset: Expression


def linear_in(
    numbers: ConstantReader, formula: Expression, variable: Expression
) -> tuple[Expression, Expression] | None:
    """Return factor and rest of a formula linear in a variable; None if nonlinear, or if either is not constant."""
    values = {v: x for v, x in numbers.known.items() if v.data != "t"}
    (found,) = substitute([formula], values)
    factor = derivative(found, variable)
    if not factor.constant or has_steps(found):
        return None  # before it is taken at zero, where a law that is not linear may have no value
    (rest,) = substitute([found], {variable: ZERO})
    if not rest.constant:
        return None
    return factor, rest


def mimics(system: System, numbers: ConstantReader, held: dict[str, str]) -> dict[str, Mimic]:
    """Return the mimics by follower coordinate; record in ``held`` the name under which each row is read back."""
    found: dict[str, Mimic] = {}
    for row in system.constraints:
        made = _mimic(row, system, numbers, found) if isinstance(row, Holonomic) else None
        if made is not None:
            follower, mimic = made
            found[follower] = mimic
            held[mimic.place] = follower + MIMIC
            assert isinstance(row, Holonomic)
            numbers.formula(mimic.place, row.expression)
    return found


def _mimic(
    row: Holonomic, system: System, numbers: ConstantReader, found: dict[str, Mimic]
) -> tuple[str, Mimic] | None:
    """Return the follower x and the mimic of a row a x + b y + c = 0: the row is named after x, or x is the later."""
    formula = numbers.definitions.apply([row.expression])[0]
    names = [n for n in system.coordinate_names if n in symbols([formula])]
    if len(names) != 2 or has_steps(formula):
        return None
    one, other = map(symbol, names)
    if symbols([derivative(formula, x) for x in (one, other)]) & {*names}:
        return None  # before it is taken at zero
    parts = linear_in(numbers, substitute([formula], {one: ZERO})[0], other)
    more = linear_in(numbers, substitute([formula], {other: ZERO})[0], one)
    if parts is None or more is None or parts[1] is not more[1]:
        return None
    factors = dict(zip(names, (more[0], parts[0]), strict=True))
    try:
        if not all(float(evaluate_float(x, {})) for x in factors.values()):
            return None
    except ExpressionError:
        return None
    named = [n for n in names if row.name == n + MIMIC]
    follower = next((n for n in (*named, *reversed(names)) if n not in found), None)
    if follower is None:
        return None
    (leader,) = (n for n in names if n != follower)
    a = factors[follower]
    multiplier, offset = (-x if a is ONE else -(x / a) for x in (factors[leader], parts[1]))
    return follower, Mimic(f"constraints/{row.name}", leader, multiplier, offset)


# The joint of a body as joints of one coordinate each, with links without mass between them.


Transformations = Sequence[ElementaryTransformation]
#: Function that returns name, kind, axis and number of the first transformations that form one joint; None if none.
Whole = Callable[[Transformations], "tuple[str, str, Vector | None, int] | None"]


@dataclass(frozen=True, slots=True)
class JointStep:
    """One joint of a written file.

    Attributes
    ----------
    name : name of the joint; empty for a fixed joint
    kind : "rotation", "translation", "fixed", or the format's name for a joint of several coordinates
    origin : constant transformations from the parent's frame to the joint's
    axis : direction in the joint's frame; None for a joint without axis
    coordinates : names of the model's coordinates, in the order of the joint
    parent, child : names of bodies of the model, or of links between them
    """

    name: str
    kind: str
    origin: Transformations
    axis: Vector | None
    coordinates: tuple[str, ...]
    parent: str | None
    child: str


def steps(body: Body, whole: Whole, between: Callable[[str], str]) -> Iterator[JointStep]:
    """Yield the joints that carry a body, starting at its parent.

    ``whole`` recognizes joints of several coordinates, ``between(name)`` returns the name of a new link. Prescribed
    motions and maps are constants at zero coordinates and t = 0.
    """
    joint = [hold_at_zero(et) for et in body.joint]
    moving = [i for i, et in enumerate(joint) if et.coordinate]
    first = moving[0] if moving else len(joint)
    several = whole(joint[first:])
    if several is not None:
        name, kind, axis, count = several
        rest = joint[first + count :]
        link = between(f"{body.name}_{name}") if rest else body.name
        yield JointStep(name, kind, joint[:first], axis, body.coordinates, body.parent, link)
        if rest:
            yield JointStep("", "fixed", rest, None, (), link, body.name)
        return
    parent, constants = body.parent, list[ElementaryTransformation]()
    for i, et in enumerate(joint):
        if et.coordinate is None:
            constants.append(et)
            continue
        last = i == len(joint) - 1
        link = body.name if last else between(f"{body.name}_{et.coordinate}")
        yield JointStep(et.coordinate, et.kind, constants, et.axis, (et.coordinate,), parent, link)
        parent, constants = link, []
    if constants or not moving:
        yield JointStep("", "fixed", constants, None, (), parent, body.name)


def hold_at_zero(et: ElementaryTransformation) -> ElementaryTransformation:
    """Return a transformation that time or a map moves as a constant at t = 0 and zero coordinates; else unchanged."""
    if isinstance(et.motion, Mapped):
        put = {symbol(name): ZERO for name in et.moving}
        return ElementaryTransformation(et.kind, et.axis, Constant(substitute([et.amount], put)[0]))
    if isinstance(et.motion, Prescribed):
        return ElementaryTransformation(et.kind, et.axis, Constant(et.motion.value))
    return et
