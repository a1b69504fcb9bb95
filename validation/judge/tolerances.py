"""Tolerances of all claims, on one page.

Two witnesses agree at an entry when |a - b| <= k · ε · cond · scale, with ε the unit roundoff of a double
(2^-52), the scale of :mod:`mbconcord.validation.judge.scale`, and cond the condition number that the claim states
(1 where the quantity is computed without solving anything).

Horizon of compared motions and their tolerance, as parts of a verdict.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.limits import count
from mbconcord.records import dataclass

EPSILON = 2.0**-52

#: M, h, gravity, applied, inverse dynamics, and identities made of their entries: 9.1e-13.
EVALUATION = 4096

#: Accelerations: solved from M, so multiplied by the condition number of the equilibrated M.
SOLUTION = 100

#: Accelerations and reactions with constraints: solved from M and D together, so multiplied by the condition number
#: of these equations; the states satisfy the constraints to rounding only, and that rounding is in the numbers too.
CONSTRAINED = 100

#: A state satisfies constraints where every gap, and its rate, is below this part of what it is made of.
SATISFIED = 1e-12

#: Singular values of D below this are zero, rows and coordinates in units of what they are made of; one within the
#: second factor of it is in doubt, and with it the rank.
SINGULAR, CLEAR = 1e-9, 1e3

#: Another program, and numbers without equations, round what is zero by symmetry: so many ε of the largest entry's
#: scale; an entry of another program is not judged by a
#: scale smaller than this part of it.
FOREIGN_ZEROS, FOREIGN_SCALE = 512, 1e-9

#: MuJoCo keeps tensors by their principal axes, to the last digits from 3.14.0 on: relative to scale.
PRINCIPAL_AXES, COARSE_AXES = 1e-9, 1e-5

#: MuJoCo keeps the vertices of meshes in single precision, about the centre of mass that it finds: relative to scale.
MESHES = 1e-7

#: A tolerance as wide as this says nothing: what it would judge is not compared.
USELESS = 1e-3

#: Smaller numbers lose digits to underflow: without bounds they are not told from zero.
SMALLEST = 1e-290

#: Digits in which the referee evaluates, and the relative size below which its values are the same.
REFEREE_DIGITS = 50
REFEREE_SAME = 1e-30

#: Condition number beyond which its digits do not leave as many of a solution: the equations are singular to it, too.
REFEREE_CONDITION = 1e20

#: Linearised equations in the referee's digits: by two formalisms, and beside differences over 1e-17, of which 1e-34
#: is left out; what floats are off may be in the digits of a printed frequency.
LINEAR_SAME, LINEAR_DIGITS = 1e-25, 1e-9

#: Steady motions: integrated matrices beside exp(A T); eigenvalues of the same motion elsewhere, by the largest.
MONODROMY, ORBIT = 1e-8, 1e-8

#: Forces at an equilibrium, as parts of what they are made of.
AT_REST = 1e-9

#: Motions: of a step of the integrator, relative and absolute; how far starts are apart whose divergence is measured;
#: what must be noticed where a motion is compared: there its horizon ends.
MOTION, APART, MOTION_NOTICED = 1e-11, 1e-6, 1e-5

#: Gaps of constraints along a motion, in position and rates, as parts of what they are made of.
DRIFT, RATE_DRIFT = 1e-12, 1e-10

#: Equations, energies and power at the states of a run, as parts of what they are made of; power with differences in
#: time; numbers of a table, printed with six digits.
RUN, RUN_DIFFERENCES, RUN_PRINTED = 1e-8, 1e-5, 1e-5

#: There another order of a formula's operations rounds so many times its bound, measured in the first of these.
RUN_ROUNDED = 16 / RUN
#: Poses, velocities, accelerations and Jacobians of frames, as parts of what they are made of.
KINEMATICS = 1e-12

#: A motion of the whole is admitted, and has no power, where what is missing is below this part of what it is made of.
ADMITTED = 1e-9

#: M_ii below ε times the sum of absolute contributions is rounding: no body has inertia along coordinate i.
NO_INERTIA = EPSILON


def evaluation_tolerance() -> float:
    """Return the tolerance of evaluated quantities: k·ε = 9.1e-13, relative to scale."""
    return EVALUATION * EPSILON


def solution_tolerance(cond: float) -> float:
    """Return the tolerance of quantities solved from M: k·ε·cond, relative to scale."""
    return SOLUTION * EPSILON * cond


def constrained_tolerance(cond: float) -> float:
    """Return the tolerance of constrained motions: k·ε·cond of the equations for q'' and λ, relative to scale."""
    return CONSTRAINED * EPSILON * cond


@dataclass(frozen=True)
class Horizon:
    """The time up to which a model's motion is compared.

    Attributes
    ----------
    asked, reached : requested and reached time after the start (s); the smallest over all starts
    starts : number of initial states
    growth : the largest growth of errors G up to the reached time
    tolerance : relative tolerance of positions and rates at that time
    steps : largest number of steps of any run up to that time
    reason : reason why ``reached`` is less than ``asked``; empty if it is not
    """

    asked: float
    reached: float
    starts: int
    growth: float
    tolerance: float
    steps: int
    reason: str = ""

    @property
    def words(self) -> str:
        """``in motion to 0.84 s of 2 s``."""
        if not self.reached:
            return f"not in motion to {self.asked:g} s"
        whole = "" if self.reached >= self.asked else f" of {self.asked:g} s"
        return f"in motion to {self.reached:.4g} s{whole}"

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``--json``."""
        return {
            "asked": self.asked, "reached": self.reached, "starts": self.starts, "growth": self.growth,
            "tolerance": self.tolerance, "steps": self.steps, "integration": MOTION, "reason": self.reason,
        }  # fmt: skip

    def explain(self) -> str:
        """Explain the tolerance."""
        starts = count(self.starts, "start")
        text = (
            f"from {starts} to {self.reached:.4g} s: each of at most {count(self.steps, 'step')} errs by {MOTION:g}, "
            f"neighbouring starts move apart by a factor of {self.growth:.3g} at most; together "
            f"{self.tolerance:.2g} of 1 + |q|"
        )
        return f"{text}; {self.reason}" if self.reason else text


def require_span(seconds: float) -> None:
    """Refuse a duration that is not positive and finite.

    Raises
    ------
    NumbersError
        The duration is not positive and finite.
    """
    if not (isfinite(seconds) and seconds > 0):
        raise NumbersError(error("simulate", f"found {seconds:g} s", "give seconds, for example 1"))
