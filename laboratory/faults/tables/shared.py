"""Seeded faults of the formalisms' shared foundation: all formalisms agree, and ``check`` has to detect them.

Each is a fault of model or expressions with the claim that must notice it, and the smallest fixture that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.testing import Fault

_MODEL = "mbconcord.model."
_FORCE = _MODEL + "force"
_SYSTEM = _MODEL + "system"
_GRAVITY = _MODEL + "body"
_TRANSFORMATION = _MODEL + "transformation"
_INERTIA = _MODEL + "body"
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
    """A fault of shared code, the claim that must detect it, and the fixture.

    ``states`` are how many are drawn; 0: the model's own initial state.
    """

    fault: Fault
    claim: str
    model: str
    states: int = 2


def _row(
    title: str, module: str, claim: str, model: str, function: str, original: str, faulty: str, states: int = 2
) -> Watched:
    return Watched(Fault(title, module, function, original, faulty, owner="shared"), claim, model, states)


#: The first six: faults that no comparison of formalisms shows, each tried by a test of its own.
FIRST: tuple[Watched, ...] = (
    _row("linear law: sign of the damping", _FORCE, "fields", LINEAR, "LinearLaw.force_at",
         "self.f0 - self.k * (x - self.l0) - self.d * v", "self.f0 - self.k * (x - self.l0) + self.d * v"),
    _row("linear law: sign of the free length", _FORCE, "fields", LINEAR, "LinearLaw.force_at",
         "self.k * (x - self.l0)",
         "self.k * (x + self.l0)"),
    _row("bipolar force: length and rate exchanged", _FORCE, "fields", LINEAR, "law_at", "law.force_at(x, rate)",
         "law.force_at(rate, x)"),
    _row("gravity: y and z exchanged", _SYSTEM, "fields", SUPPORT, "System.gravity_vector", "self.gravity.vector",
         "(lambda x, y, z: (x, z, y))(*self.gravity.vector)"),
    _row("NumPy: sine and cosine exchanged", _ARITHMETIC, "float_evaluation", SUPPORT, "numpy_arithmetic",
         "{'sin': np.sin, 'cos': np.cos, 'tan': np.tan, 'asin': np.arcsin, 'acos': np.arccos, 'atan': np.arctan, "
         "'atan2': np.arctan2, 'sqrt': np.sqrt, 'exp': np.exp, 'log': np.log, 'abs': np.abs, 'sign': np.sign}",
         "{'sin': np.cos, 'cos': np.sin, 'tan': np.tan, 'asin': np.arcsin, 'acos': np.arccos, 'atan': np.arctan, "
         "'atan2': np.arctan2, 'sqrt': np.sqrt, 'exp': np.exp, 'log': np.log, 'abs': np.abs, 'sign': np.sign}"),
    _row("vectors: y and z exchanged", _TRANSFORMATION, "fields", LINES, "vector", "return (x, y, z)",
         "return (x, z, y)"),
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (
    *FIRST,
    # forces
    _row("linear law: the spring pushes", _FORCE, "fields", LINEAR, "LinearLaw.force_at",
         "self.f0 - self.k * (x - self.l0)",
         "self.f0 + self.k * (x - self.l0)"),
    _row("bipolar formula: the length taken for its rate", _FORCE, "fields", LINES, "law_at",
         "{LENGTH: x, LENGTH_RATE: rate}", "{LENGTH: x, LENGTH_RATE: x}"),
    _row("bushing: the spring pushes", _FORCE, "fields", MOUNTS, "Bushing.wrench", "p - _sum(k, displacements)",
         "p + _sum(k, displacements)"),
    _row("bushing: the damper drives", _FORCE, "fields", MOUNTS, "Bushing.wrench",
         "p - _sum(k, displacements) - _sum(d, rates)", "p - _sum(k, displacements) + _sum(d, rates)"),
    # system
    _row("gravity points upwards", _GRAVITY, "fields", SUPPORT, "Gravity.vector", "self.value * y", "-self.value * y"),
    _row("lumped masses: the whole on each end", _SYSTEM, "fields", LINES, "System.lump_masses", "element.mass / 2",
         "element.mass"),
    _row("lumped masses: both halves on the first end", _SYSTEM, "fields", LINES, "System.lump_masses",
         "element.second",
         "element.first"),
    _row("lumped masses: at the origin of the body", _SYSTEM, "fields", LINES, "System.lump_masses",
         "inertia.with_point(mass, at)", "inertia.with_point(mass, (0, 0, 0))"),
    _row("coordinates in the reverse order", _SYSTEM, "fields", DRIVEN, "System.coordinate_names",
         "tuple((c.name for c in self.coordinates))", "tuple((c.name for c in self.coordinates))[::-1]"),
    _row("path of a body from the outside in", _SYSTEM, "fields", LINES, "System.path", "reversed(found)", "found"),
    # transformations
    _row("constant shifts and angles reversed", _TRANSFORMATION, "fields", DRIVEN, "ElementaryTransformation.amount",
         "symbol(motion.coordinate) if isinstance(motion, Variable) else motion.value",
         "symbol(motion.coordinate) if isinstance(motion, Variable) else -motion.value"),
    _row("coordinates reversed", _TRANSFORMATION, "fields", DRIVEN, "ElementaryTransformation.amount",
         "symbol(motion.coordinate)", "-symbol(motion.coordinate)"),
    # inertia
    _row("point mass: sign of a product of inertia", _INERTIA, "fields", GYROSTAT, "point_tensor", "-(mass * (x * z))",
         "mass * (x * z)"),
    _row("point mass: a moment of inertia without its half", _INERTIA, "fields", GYROSTAT, "point_tensor",
         "mass * (xx + zz)", "mass * zz"),
    _row("welded bodies: centre without weights", _INERTIA, "fields", LINES, "Inertia.merge",
         "(self.mass * p + other.mass * q) / m", "(p + q) / 2"),
    _row("welded bodies: tensors about their centres added", _INERTIA, "fields", LINES, "Inertia.merge",
         "(self.tensor_about_origin(), other.tensor_about_origin())", "(self.tensor, other.tensor)"),
    _row("parallel axes: sign", _INERTIA, "fields", LINES, "Inertia.about_origin",
         "(a - p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))",
         "(a + p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))"),
    _row("tensor: xy and xz exchanged", _INERTIA, "fields", GYROSTAT, "Inertia.matrix",
         "((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))", "((xx, xz, xy), (xz, yy, yz), (xz, yz, zz))"),
    # arithmetic
    _row("NumPy: π of eight digits", _ARITHMETIC, "float_evaluation", TURNED, "numpy_arithmetic", "np.float64(math.pi)",
         "np.float64(3.1415927)"),
    _row("NumPy: cube root for the square root", _ARITHMETIC, "float_evaluation", LINEAR, "numpy_arithmetic", "np.sqrt",
         "np.cbrt"),
    _row("50 digits: rationals rounded to floats", _ARITHMETIC, "float_evaluation", DRIVEN, "mpmath_arithmetic.number",
         "context.mpf(value.numerator) / value.denominator", "context.mpf(round(float(value), 6))"),
    _row("NumPy: constants in single precision", _LEVELS, "float_evaluation", DRIVEN, "_float",
         "numpy_arithmetic().pi if node.op is PI else node.data",
         "numpy_arithmetic().pi if node.op is PI else np.float32(node.data)"),
    _row("levels: operands exchanged", _LEVELS, "float_evaluation", DRIVEN, "_group", "(firsts[rows], lasts[rows])",
         "(lasts[rows], firsts[rows])"),
    _row("50 digits: a quotient taken for a product", _EVALUATE, "float_evaluation", LINES, "run",
         "of[args[0]] / of[args[1]]", "of[args[0]] * of[args[1]]"),
    _row("program: a difference taken for a sum", _PROGRAM, "fields", DRIVEN, "operation", "(SUB, (a, neg(b)))",
         "(ADD, (a, neg(b)))"),
    # calculus
    _row("derivative of the sine: sign", _CALCULUS, "fields", SUPPORT, "_function_partials", "apply('cos', a)",
         "neg(apply('cos', a))"),
    _row("product rule: half of it", _CALCULUS, "fields", SUPPORT, "directional",
         "add(mul(b, slope[a]), mul(a, slope[b]))", "mul(b, slope[a])"),
    _row("time derivative: t does not count", _CALCULUS, "fields", SUPPORT, "time_derivative",
         "directions: dict[Expression, Expression] = {TIME: ONE}", "directions: dict[Expression, Expression] = {}"),
    _row("derivative of the exponential: sign", _CALCULUS, "fields", SUPPORT, "_function_partials", "return (node,)",
         "return (neg(node),)"),
    _row("gradient: the last way counts alone", _CALCULUS, "fields", DRIVEN, "pullback",
         "share if before is None else add(before, share)", "share"),
    # numbers
    _row("rates taken from the coordinates", _NUMBERS, "fields", DRIVEN, "environment", "scalar(state.v[q])",
         "scalar(state.q[q])"),
    _row("initial rates taken from the initial coordinates", _NUMBERS, "fields", PARTICLE, "environment",
         "initial[2 * i + 1]", "initial[2 * i]", 0),
    _row("accelerations forgotten", _NUMBERS, "fields", DRIVEN, "environment", "state.a.get(q, 0)", "0"),
    _row("parameters of the first state for all", _NUMBERS, "fields", DRAWN, "environment",
         "before is None or state.parameters != before.parameters or (varying and state.t != before.t)",
         "before is None"),
    # functions
    _row("derivatives of a function taken for itself", _FUNCTIONS, "fields", SUPPORT, "Definitions._derivative",
         "range(order)", "range(0)"),
)  # fmt: skip
