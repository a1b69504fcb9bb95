"""Seeded faults of the formalisms' shared foundation: all formalisms agree, and ``check`` has to detect them.

Each is a fault of model or expressions with the claim that must notice it, and the smallest fixture that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbconcord.testing import Fault

from . import read_fault

#: Fixtures: linear laws; formulas of length and rate; prescribed motion; flywheels; forces in joints; springs and
#: dampers between frames; one coordinate; a constant turn; a parameter without value.
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


def watched(part: str, claim: str, *rows: tuple[Any, ...], owner: str = "shared") -> tuple[Watched, ...]:
    """Read rows of :func:`read_fault` that end with the fixture and, where they are not two, the states."""
    return tuple(Watched(read_fault(part, row[0], row[1], row[2], owner=owner), claim, *row[3:]) for row in rows)


#: The first six: faults that no comparison of formalisms shows, each tried by a test of its own.
FIRST = watched(
    "model", "fields",
    ("linear law: sign of the damping", "force:LinearLaw.force_at",
     "self.f0 - self.k * (x - self.l0) «- → +» self.d * v", LINEAR),
    ("linear law: sign of the free length", "force:LinearLaw.force_at", "self.k * (x «- → +» self.l0)", LINEAR),
    ("bipolar force: length and rate exchanged", "force:law_at", "law.force_at(«x, rate → rate, x»)", LINEAR),
    ("gravity: y and z exchanged", "system:System.gravity_vector",
     "«self.gravity.vector → (lambda x, y, z: (x, z, y))(*self.gravity.vector)»", SUPPORT),
    ("vectors: y and z exchanged", "transformation:vector", "return (x, «y, z → z, y»)", LINES),
) + watched(
    "model", "float_evaluation",
    ("NumPy: sine and cosine exchanged", "expressions.arithmetic:numpy_arithmetic",
     "{'sin': np.«sin, 'cos': np.cos → cos, 'cos': np.sin», 'tan': np.tan, 'asin': np.arcsin, 'acos': np.arccos, "
     "'atan': np.arctan, 'atan2': np.arctan2, 'sqrt': np.sqrt, 'exp': np.exp, 'log': np.log, 'abs': np.abs, 'sign': "
     "np.sign}", SUPPORT),
)  # fmt: skip

FAULTS = FIRST + watched(
    "model", "fields",
    # forces
    ("linear law: the spring pushes", "force:LinearLaw.force_at", "self.f0 «- → +» self.k * (x - self.l0)", LINEAR),
    ("bipolar formula: the length taken for its rate", "force:law_at", "{LENGTH: x, LENGTH_RATE: «rate → x»}", LINES),
    ("bushing: the spring pushes", "force:Bushing.wrench", "p «- → +» _sum(k, displacements)", MOUNTS),
    ("bushing: the damper drives", "force:Bushing.wrench", "p - _sum(k, displacements) «- → +» _sum(d, rates)", MOUNTS),
    # system
    ("gravity points upwards", "body:Gravity.vector", "« → -»self.value * y", SUPPORT),
    ("lumped masses: the whole on each end", "system:System.lump_masses", "element.mass« / 2 → »", LINES),
    ("lumped masses: both halves on the first end", "system:System.lump_masses", "element.«second → first»", LINES),
    ("lumped masses: at the origin of the body", "system:System.lump_masses",
     "inertia.with_point(mass, «at → (0, 0, 0)»)", LINES),
    ("coordinates in the reverse order", "system:System.coordinate_names",
     "tuple((c.name for c in self.coordinates))« → [::-1]»", DRIVEN),
    ("path of a body from the outside in", "system:System.path", "«reversed(found) → found»", LINES),
    # transformations
    ("constant shifts and angles reversed", "transformation:ElementaryTransformation.amount",
     "symbol(motion.coordinate) if isinstance(motion, Variable) else « → -»motion.value", DRIVEN),
    ("coordinates reversed", "transformation:ElementaryTransformation.amount", "« → -»symbol(motion.coordinate)",
     DRIVEN),
    # inertia
    ("point mass: sign of a product of inertia", "body:point_tensor", "«-(mass * (x * z)) → mass * (x * z)»", GYROSTAT),
    ("point mass: a moment of inertia without its half", "body:point_tensor", "mass * «(xx + zz) → zz»", GYROSTAT),
    ("welded bodies: centre without weights", "body:Inertia.merge",
     "«(self.mass * p + other.mass * q) / m → (p + q) / 2»", LINES),
    ("welded bodies: tensors about their centres added", "body:Inertia.merge",
     "(self.«tensor_about_origin(), other.tensor_about_origin() → tensor, other.tensor»)", LINES),
    ("parallel axes: sign", "body:Inertia.about_origin",
     "(a «- → +» p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))", LINES),
    ("tensor: xy and xz exchanged", "body:Inertia.matrix",
     "(«(xx, xy, xz), (xy, yy, yz) → (xx, xz, xy), (xz, yy, yz)», (xz, yz, zz))", GYROSTAT),
    # programs and calculus
    ("program: a difference taken for a sum", "expressions.program:operation", "(«SUB → ADD», (a, neg(b)))", DRIVEN),
    ("derivative of the sine: sign", "expressions.calculus:_function_partials",
     "«apply('cos', a) → neg(apply('cos', a))»", SUPPORT),
    ("product rule: half of it", "expressions.calculus:directional",
     "«add(mul(b, slope[a]), mul(a, slope[b])) → mul(b, slope[a])»", SUPPORT),
    ("time derivative: t does not count", "expressions.calculus:time_derivative",
     "directions: dict[Expression, Expression] = {«TIME: ONE → »}", SUPPORT),
    ("derivative of the exponential: sign", "expressions.calculus:_function_partials", "return («node → neg(node)»,)",
     SUPPORT),
    ("gradient: the last way counts alone", "expressions.calculus:pullback",
     "share« if before is None else add(before, share) → »", DRIVEN),
    # numbers
    ("rates taken from the coordinates", "numbers:environment", "scalar(state.«v → q»[q])", DRIVEN),
    ("initial rates taken from the initial coordinates", "numbers:environment", "initial[2 * i« + 1 → »]", PARTICLE, 0),
    ("accelerations forgotten", "numbers:environment", "«state.a.get(q, 0) → 0»", DRIVEN),
    ("parameters of the first state for all", "numbers:environment",
     "before is None« or state.parameters != before.parameters or (varying and state.t != before.t) → »", DRAWN),
    # functions
    ("derivatives of a function taken for itself", "functions:Definitions._derivative", "range(«order → 0»)", SUPPORT),
) + watched(
    "model", "float_evaluation",
    # arithmetic
    ("NumPy: π of eight digits", "expressions.arithmetic:numpy_arithmetic", "np.float64(«math.pi → 3.1415927»)",
     TURNED),
    ("NumPy: cube root for the square root", "expressions.arithmetic:numpy_arithmetic", "np.«sqrt → cbrt»", LINEAR),
    ("50 digits: rationals rounded to floats", "expressions.arithmetic:mpmath_arithmetic.number",
     "«context.mpf(value.numerator) / value.denominator → context.mpf(round(float(value), 6))»", DRIVEN),
    ("NumPy: constants in single precision", "expressions.levels:_float",
     "numpy_arithmetic().pi if node.op is PI else «node.data → np.float32(node.data)»", DRIVEN),
    ("levels: operands exchanged", "expressions.levels:_group", "(«firsts[rows], lasts → lasts[rows], firsts»[rows])",
     DRIVEN),
    ("50 digits: a quotient taken for a product", "expressions.evaluate:run", "of[args[0]] «/ → *» of[args[1]]", LINES),
)  # fmt: skip
