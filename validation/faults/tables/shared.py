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
_EVALUATE = _MODEL + "expressions.evaluate"
_PROGRAM = _MODEL + "expressions.program"
_LEVELS = _MODEL + "expressions.levels"
_CALCULUS = _MODEL + "expressions.calculus"

#: Fixtures: linear laws; formulas of length and rate; prescribed motion; flywheels; forces in joints; one coordinate;
#: a constant turn; a parameter without value;
#: springs and dampers between frames.
LINEAR = "um/suspension/input.dat"
LINES = "mbsd/springs.mbsd"
SUPPORT = "mbsd/moving_support.mbsd"
GYROSTAT = "konoplev/gyrostat.mbs.json"
DRIVEN = "mbsd/driven_arm.mbsd"
MOUNTS = "native/rubber_mounts.mbs.json"
PARTICLE = "mbsd/particle.mbsd"
TURNED = "mbsd/branched.mbsd"
DRAWN = "um/reference_model.mbs.json"


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
    title: str, module: str, claim: str, model: str, original: str, faulty: str, states: int = 2
) -> Watched:
    return Watched(Fault(title, module, original, faulty, owner="shared"), claim, model, states)


#: The first six: faults that no comparison of formalisms shows, each tried by a test of its own.
FIRST: tuple[Watched, ...] = (
    _row("linear law: sign of the damping", _FORCE, "fields", LINEAR,
         "- self.d * v + harmonic", "+ self.d * v + harmonic"),
    _row("linear law: sign of the free length", _FORCE, "fields", LINEAR,
         "(x - self.l0)", "(x + self.l0)"),
    _row("bipolar force: length and rate exchanged", _FORCE, "fields", LINEAR,
         "law.of(x, rate)", "law.of(rate, x)"),
    _row("gravity: y and z exchanged", _SYSTEM, "fields", SUPPORT,
         "return self.gravity.vector if self.gravity",
         "return (lambda x, y, z: (x, z, y))(*self.gravity.vector) if self.gravity"),
    _row("NumPy: sine and cosine exchanged", _ARITHMETIC, "float_evaluation", SUPPORT,
         '"sin": np.sin, "cos": np.cos', '"sin": np.cos, "cos": np.sin'),
    _row("vectors: y and z exchanged", _TRANSFORMATION, "fields", LINES,
         "    return x, y, z\n\n\ndef unit", "    return x, z, y\n\n\ndef unit"),
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (
    *FIRST,
    # forces
    _row("linear law: the spring pushes", _FORCE, "fields", LINEAR,
         "self.f0 - self.k", "self.f0 + self.k"),
    _row("bipolar formula: the length taken for its rate", _FORCE, "fields", LINES,
         "LENGTH_RATE: rate", "LENGTH_RATE: x"),
    _row("bushing: the spring pushes", _FORCE, "fields", MOUNTS,
         "p - _sum(k, displacements)", "p + _sum(k, displacements)"),
    _row("bushing: the damper drives", _FORCE, "fields", MOUNTS,
         "- _sum(d, rates)", "+ _sum(d, rates)"),
    # system
    _row("gravity points upwards", _GRAVITY, "fields", SUPPORT,
         "return self.value * x, self.value * y", "return self.value * x, -self.value * y"),
    _row("lumped masses: the whole on each end", _SYSTEM, "fields", LINES,
         "element.mass / 2", "element.mass"),
    _row("lumped masses: both halves on the first end", _SYSTEM, "fields", LINES,
         "(element.first, element.second)", "(element.first, element.first)"),
    _row("lumped masses: at the origin of the body", _SYSTEM, "fields", LINES,
         "inertia.with_point(mass, at)", "inertia.with_point(mass, (0, 0, 0))"),
    _row("coordinates in the reverse order", _SYSTEM, "fields", DRIVEN,
         "return tuple(c.name for c in self.coordinates)",
         "return tuple(c.name for c in self.coordinates)[::-1]"),
    _row("path of a body from the outside in", _SYSTEM, "fields", LINES,
         "return tuple(reversed(found))", "return tuple(found)"),
    # transformations
    _row("constant shifts and angles reversed", _TRANSFORMATION, "fields", DRIVEN,
         "else motion.value", "else -motion.value"),
    _row("coordinates reversed", _TRANSFORMATION, "fields", DRIVEN,
         "return symbol(motion.coordinate) if", "return -symbol(motion.coordinate) if"),
    # inertia
    _row("point mass: sign of a product of inertia", _INERTIA, "fields", GYROSTAT,
         "-(mass * (x * z))", "mass * (x * z)"),
    _row("point mass: a moment of inertia without its half", _INERTIA, "fields", GYROSTAT,
         "mass * (xx + zz)", "mass * zz"),
    _row("welded bodies: centre without weights", _INERTIA, "fields", LINES,
         "(self.mass * p + other.mass * q) / m", "(p + q) / 2"),
    _row("welded bodies: tensors about their centres added", _INERTIA, "fields", LINES,
         "a, b = self.tensor_about_origin(), other.tensor_about_origin()",
         "a, b = self.tensor, other.tensor"),
    _row("parallel axes: sign", _INERTIA, "fields", LINES,
         "a - p for a, p", "a + p for a, p"),
    _row("tensor: xy and xz exchanged", _INERTIA, "fields", GYROSTAT,
         "(xx, xy, xz), (xy, yy, yz)", "(xx, xz, xy), (xz, yy, yz)"),
    # arithmetic
    _row("NumPy: π of eight digits", _ARITHMETIC, "float_evaluation", TURNED,
         "np.float64(math.pi)", "np.float64(3.1415927)"),
    _row("NumPy: cube root for the square root", _ARITHMETIC, "float_evaluation", LINEAR,
         '"sqrt": np.sqrt', '"sqrt": np.cbrt'),
    _row("50 digits: rationals rounded to floats", _ARITHMETIC, "float_evaluation", DRIVEN,
         "lambda value: context.mpf(value.numerator) / value.denominator,\n        +context.pi",
         "lambda value: context.mpf(round(float(value), 6)),\n        +context.pi"),
    _row("NumPy: constants in single precision", _LEVELS, "float_evaluation", DRIVEN,
         "PI else node.data)", "PI else np.float32(node.data))"),
    _row("levels: operands exchanged", _LEVELS, "float_evaluation", DRIVEN,
         "(firsts[rows], lasts[rows])", "(lasts[rows], firsts[rows])"),
    _row("50 digits: a quotient taken for a product", _EVALUATE, "float_evaluation", LINES,
         "put(of[args[0]] / of[args[1]])", "put(of[args[0]] * of[args[1]])"),
    _row("program: a difference taken for a sum", _PROGRAM, "fields", DRIVEN,
         "return SUB, (a, neg(b))", "return ADD, (a, neg(b))"),
    # calculus
    _row("derivative of the sine: sign", _CALCULUS, "fields", SUPPORT,
         'return (apply("cos", a),)', 'return (neg(apply("cos", a)),)'),
    _row("product rule: half of it", _CALCULUS, "fields", SUPPORT,
         "add(mul(b, slope[a]), mul(a, slope[b]))", "mul(b, slope[a])"),
    _row("time derivative: t does not count", _CALCULUS, "fields", SUPPORT,
         "directions: dict[Expression, Expression] = {TIME: ONE}",
         "directions: dict[Expression, Expression] = {}"),
    _row("derivative of the exponential: sign", _CALCULUS, "fields", SUPPORT,
         "return (node,)", "return (neg(node),)"),
    _row("gradient: the last way counts alone", _CALCULUS, "fields", DRIVEN,
         "adjoint[arg] = share if before is None else add(before, share)", "adjoint[arg] = share"),
    # numbers
    _row("rates taken from the coordinates", _NUMBERS, "fields", DRIVEN,
         'scalar(state.v[q]) if q in state.v', 'scalar(state.q[q]) if q in state.v'),
    _row("initial rates taken from the initial coordinates", _NUMBERS, "fields", PARTICLE,
         "initial[2 * i + 1]", "initial[2 * i]", 0),
    _row("accelerations forgotten", _NUMBERS, "fields", DRIVEN,
         "scalar(state.a.get(q, 0))", "scalar(0)"),
    _row("parameters of the first state for all", _NUMBERS, "fields", DRAWN,
         "if before is None or state.parameters != before.parameters", "if before is None"),
    # functions
    _row("derivatives of a function taken for itself", _FUNCTIONS, "fields", SUPPORT,
         "for _ in range(order):", "for _ in range(0):"),
)  # fmt: skip
