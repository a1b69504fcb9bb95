"""Seeded faults of what every formalism is built on: no formalism disagrees with another, ``check`` has to notice.

Each is a fault of model or expressions with the claim that must notice it, and the smallest fixture that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..injection import Fault

_MODEL = "mbconcord.model."
_FORCE = _MODEL + "force"
_SYSTEM = _MODEL + "system"
_GRAVITY = _MODEL + "gravity"
_TRANSFORMATION = _MODEL + "transformation"
_INERTIA = _MODEL + "inertia"
_NUMBERS = _MODEL + "numbers"
_FUNCTIONS = _MODEL + "functions"
_ARITHMETIC = _MODEL + "expressions.arithmetic"
_PROGRAM = _MODEL + "expressions.program"
_LEVELS = _MODEL + "expressions.levels"
_CALCULUS = _MODEL + "expressions.calculus"

#: Fixtures: springs and dampers along lines; prescribed motion; flywheels; an arm with forces in its joints; one coordinate.
LINEAR = "um/suspension/input.dat"
LINES = "mbsd/springs.mbsd"
SUPPORT = "mbsd/moving_support.mbsd"
GYROSTAT = "konoplev/gyrostat.mbs.json"
DRIVEN = "mbsd/driven_arm.mbsd"
PARTICLE = "mbsd/particle.mbsd"


@dataclass(frozen=True)
class Watched:
    """A fault of shared code, the claim that must notice it, and on which fixture.

    ``states`` are how many are drawn; 0: the model's own initial state.
    """

    fault: Fault
    claim: str
    model: str
    states: int = 2


def _row(
    title: str, module: str, original: str, faulty: str, claim: str, model: str, states: int = 2
) -> Watched:
    return Watched(Fault(title, module, original, faulty, owner="shared"), claim, model, states)


#: What an outside audit seeded, of which ``check`` once noticed the last alone.
AUDITED: tuple[Watched, ...] = (
    _row("linear law: sign of the damping", _FORCE, "- self.d * v + harmonic", "+ self.d * v + harmonic", "fields", LINEAR),
    _row("linear law: sign of the free length", _FORCE, "(x - self.l0)", "(x + self.l0)", "fields", LINEAR),
    _row("bipolar force: length and rate exchanged", _FORCE, "self.law.of(length, rate)", "self.law.of(rate, length)", "fields", LINEAR),
    _row(
        "gravity: y and z exchanged", _SYSTEM, "return self.gravity.vector if self.gravity",
        "return (lambda x, y, z: (x, z, y))(*self.gravity.vector) if self.gravity", "fields", SUPPORT,
    ),
    _row("NumPy: sine and cosine exchanged", _ARITHMETIC, '"sin": np.sin, "cos": np.cos', '"sin": np.cos, "cos": np.sin', "float_evaluation", SUPPORT),
    _row("vectors: y and z exchanged", _TRANSFORMATION, "    return x, y, z\n\n\ndef unit", "    return x, z, y\n\n\ndef unit", "fields", LINES),
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (
    *AUDITED,
    # forces
    _row("linear law: the spring pushes", _FORCE, "self.f0 - self.k", "self.f0 + self.k", "fields", LINEAR),
    _row("bipolar formula: the length taken for its rate", _FORCE, "LENGTH_RATE: rate", "LENGTH_RATE: length", "fields", LINES),
    # system
    _row("gravity points upwards", _GRAVITY, "return self.value * x, self.value * y", "return self.value * x, -self.value * y", "fields", SUPPORT),
    _row("lumped masses: the whole on each end", _SYSTEM, "element.mass / 2", "element.mass", "fields", LINES),
    _row("lumped masses: both halves on the first end", _SYSTEM, "(element.first, element.second)", "(element.first, element.first)", "fields", LINES),
    _row("lumped masses: at the origin of the body", _SYSTEM, "inertia.with_point(mass, at)", "inertia.with_point(mass, (0, 0, 0))", "fields", LINES),
    _row("coordinates in the reverse order", _SYSTEM, "return tuple(c.name for c in self.coordinates)", "return tuple(c.name for c in self.coordinates)[::-1]", "fields", DRIVEN),
    _row("path of a body from the outside in", _SYSTEM, "return tuple(reversed(found))", "return tuple(found)", "fields", LINES),
    # transformations
    _row("constant shifts and angles reversed", _TRANSFORMATION, "else motion.value", "else -motion.value", "fields", DRIVEN),
    _row("coordinates reversed", _TRANSFORMATION, "return symbol(motion.coordinate) if", "return -symbol(motion.coordinate) if", "fields", DRIVEN),
    # inertia
    _row("point mass: sign of a product of inertia", _INERTIA, "-(mass * (x * z))", "mass * (x * z)", "fields", GYROSTAT),
    _row("point mass: a moment of inertia without its half", _INERTIA, "mass * (xx + zz)", "mass * zz", "fields", GYROSTAT),
    _row("welded bodies: centre without weights", _INERTIA, "(self.mass * p + other.mass * q) / m", "(p + q) / 2", "fields", LINES),
    _row("welded bodies: tensors about their centres added", _INERTIA, "a, b = self.tensor_about_origin(), other.tensor_about_origin()", "a, b = self.tensor, other.tensor", "fields", LINES),
    _row("parallel axes: sign", _INERTIA, "a - p for a, p", "a + p for a, p", "fields", LINES),
    _row("tensor: xy and xz exchanged", _INERTIA, "(xx, xy, xz), (xy, yy, yz)", "(xx, xz, xy), (xz, yy, yz)", "fields", GYROSTAT),
    # arithmetic
    _row("NumPy: π of eight digits", _ARITHMETIC, "np.float64(math.pi)", "np.float64(3.1415927)", "float_evaluation", "um/gripper/input.dat"),
    _row("NumPy: cube root for the square root", _ARITHMETIC, '"sqrt": np.sqrt', '"sqrt": np.cbrt', "float_evaluation", LINEAR),
    _row("50 digits: rationals rounded to floats", _ARITHMETIC, "lambda value: context.mpf(value.numerator) / value.denominator,\n        +context.pi", "lambda value: context.mpf(round(float(value), 6)),\n        +context.pi", "float_evaluation", DRIVEN),
    _row("NumPy: constants in single precision", _LEVELS, "PI else node.data)", "PI else np.float32(node.data))", "float_evaluation", DRIVEN),
    _row("levels: operands exchanged", _LEVELS, "(firsts[rows], lasts[rows])", "(lasts[rows], firsts[rows])", "float_evaluation", DRIVEN),
    _row("program: a difference taken for a sum", _PROGRAM, "return SUB, (a, neg(b))", "return ADD, (a, neg(b))", "fields", DRIVEN),
    # calculus
    _row("derivative of the sine: sign", _CALCULUS, 'return (apply("cos", a),)', 'return (neg(apply("cos", a)),)', "fields", SUPPORT),
    _row("product rule: half of it", _CALCULUS, "add(mul(b, slope[a]), mul(a, slope[b]))", "mul(b, slope[a])", "fields", SUPPORT),
    _row("time derivative: t does not count", _CALCULUS, "directions: dict[Expression, Expression] = {TIME: ONE}", "directions: dict[Expression, Expression] = {}", "fields", SUPPORT),
    _row("derivative of the exponential: sign", _CALCULUS, "return (node,)", "return (neg(node),)", "fields", SUPPORT),
    _row("gradient: the last way counts alone", _CALCULUS, "adjoint[arg] = share if before is None else add(before, share)", "adjoint[arg] = share", "fields", DRIVEN),
    # numbers
    _row("rates taken from the coordinates", _NUMBERS, 'scalar(state.v[name]) if name in state.v', 'scalar(state.q[name]) if name in state.v', "fields", DRIVEN),
    _row("initial rates taken from the initial coordinates", _NUMBERS, "initial[2 * i + 1]", "initial[2 * i]", "fields", PARTICLE, 0),
    _row("accelerations forgotten", _NUMBERS, "scalar(state.a.get(name, 0))", "scalar(0)", "fields", DRIVEN),
    _row("parameters of the first state for all", _NUMBERS, "if before is None or state.parameters != before.parameters", "if before is None", "fields", "mbsd/chain.mbsd"),
    # functions
    _row("derivatives of a function taken for itself", _FUNCTIONS, "for _ in range(order):", "for _ in range(0):", "fields", SUPPORT),
)  # fmt: skip
