"""Generated equations as a witness: a derivation of a model, compared with those of the formalisms.

The residual of generated equations is R = M a + k - Q, affine in a and in the forces x that the generating program
hands over: force and moment of every body, joint forces. So, exactly and without differences of large numbers,

    h = R at a = 0, x = 0 ,    Q = -Σ ∂R/∂x · x ,    inverse dynamics = R at the model's forces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import QUANTITIES, Derivation, Nested
from mbconcord.model.equations import GeneratedEquations, coordinate_symbol, joint_force_symbol
from mbconcord.model.expressions import ZERO, Expression, directional, substitute, symbol, symbols
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.system import System

from ...judge.formalism import FormalismWitness
from ...judge.witness import Answer, Question
from .body_formulas import Transform
from .loads import BodyLoads
from .pairing import NoPlaceError, Pairing, reorder

#: Features that a model may have: generated M, h and forces are those of the open tree, without constraints.
TAKES = OPEN_TREES | {
    "rods", "point_coincidences", "cut_joints", "holonomic_rows", "nonholonomic_rows", "follower_forces",
}  # fmt: skip


class Generated(Formalism):
    """Generated equations of another program, expressed in a model's coordinates, as a formalism.

    After :meth:`derive`, ``missing`` has the reason for each quantity that is not delivered, and ``transforms``, for
    the others, functions from formulas of the equations to the quantity.
    """

    takes = TAKES
    shares = FormalismWitness.shares

    def __init__(
        self, equations: GeneratedEquations, pairing: Pairing, bodies: Mapping[int, str | None], centred: bool
    ) -> None:
        """See :class:`mbconcord.validation.witnesses.um.loads.BodyLoads`."""
        self.name = equations.program  # type: ignore[misc]
        self.title = equations.title  # type: ignore[misc]
        self.reference = equations.source  # type: ignore[misc]
        self.equations, self.pairing, self.bodies, self.centred = equations, pairing, bodies, centred
        self.missing: dict[str, str] = {}
        self.transforms: dict[str, Transform] = {}

    def answer(self, question: Question) -> Answer:
        """Return the quantities of the equations in the model's coordinates."""
        return FormalismWitness(self).answer(question)

    def derive(self, system: System) -> Derivation:
        """Derive mass matrix, h, gravity, applied forces, and the residual itself as inverse dynamics."""
        self.require(system)
        self.missing = {}
        quantities: dict[str, Nested] = {}
        if self.equations.mass_matrix is None:
            self.missing["M"] = "the mass matrix is not delivered"
        else:
            names = self.pairing.replacements
            self.transforms["M"] = partial(_replace, names)
            rows = [tuple(substitute(row, names)) for row in self.equations.mass_matrix]
            turned = [reorder(row, self.pairing, system) for row in rows]
            columns = [reorder(column, self.pairing, system) for column in zip(*turned, strict=True)]
            quantities["M"] = tuple(columns)
        if self.equations.residual is None:
            reason = "the force vector is not delivered"
            self.missing |= dict.fromkeys(("h", "gravity", "applied", "inverse_dynamics"), reason)
        else:
            self._forces(system, self.equations.residual, quantities)
        shown = {name: quantities[name] for name in QUANTITIES if name in quantities}
        return Derivation(self.name, system, shown)

    def _forces(self, system: System, residual: Sequence[Expression], found: dict[str, Nested]) -> None:
        names = self.pairing.replacements
        resting = names | {coordinate_symbol(pair.number, 2): ZERO for pair in self.pairing.pairs}
        none = {symbol(name): ZERO for name in symbols(residual) if name.startswith(("_force", "_moment"))}
        none |= {joint_force_symbol(number): ZERO for number in self.equations.joint_forces}
        self.transforms["h"] = partial(_replace, resting | none)
        found["h"] = reorder(self.transforms["h"](residual), self.pairing, system)
        loads = BodyLoads(system.lump_masses(), self.equations, self.pairing, self.bodies, self.centred)
        total = dict(none)
        for quantity, make in (("gravity", loads.weight), ("applied", loads.collect_applied)):
            try:
                values = make()
            except NoPlaceError as problem:
                self.missing[quantity] = self.missing["inverse_dynamics"] = str(problem)
                continue
            self.transforms[quantity] = partial(_differentiate_along, resting, dict(values))
            found[quantity] = reorder(self.transforms[quantity](residual), self.pairing, system)
            for key, value in values.items():
                total[key] = total.get(key, ZERO) + value
        if "inverse_dynamics" not in self.missing:
            self.transforms["inverse_dynamics"] = partial(_replace, names | total)
            made = self.transforms["inverse_dynamics"](residual)
            found["inverse_dynamics"] = reorder(made, self.pairing, system)


def _replace(values: Mapping[Expression, Expression], formulas: Sequence[Expression]) -> list[Expression]:
    """Return formulas with symbols replaced by the given values."""
    return list(substitute(formulas, values))


def _differentiate_along(
    resting: Mapping[Expression, Expression], loads: Mapping[Expression, Expression],
    formulas: Sequence[Expression],
) -> list[Expression]:  # fmt: skip
    """Return the effect of loads x on formulas f at zero accelerations: -Σ ∂f/∂x · x."""
    return [-slope for slope in directional(substitute(formulas, resting), loads)]
