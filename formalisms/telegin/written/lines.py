"""Named lines in groups: expressions defined once and then written by name."""

from __future__ import annotations

from collections.abc import Collection

from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import ZERO, Expression, substitute, symbol
from mbconcord.model.naming import Namer

#: Groups in the order in which they are printed, and what they are.
TITLES = {
    "bodies": "augmented bodies: m_d = m d, J about O (5), R = |O_base O|; delta and gamma: directions of i and e",
    "angles": "absolute angles theta and rates omega; alpha_ij from e_i to i_j; u = q' (q' + 2 omega of the base)",
    "vectors": "m_d i and R e in fixed axes",
    "J": "J^c_ji = m_dj R_i cos alpha_ij, J^s_ji = m_dj R_i sin alpha_ij",
    "G": "G_k = m_dk g·j_k",
    "loads": "moments of the loads about the poles: M_rk of (25) where M_k - Σ M_i stands on the right, else of (2)",
    "drives": "moments M_k that the model drives its joints with",
    "coefficients": "coefficients of the equations",
    "loops": "closure of the loops: C ε + C' ω = 0; F_r has the moments C^T F_r, (25)",
}


class Lines:
    """Lines under construction. ``taken``: names of the model."""

    def __init__(self, taken: Collection[str]) -> None:
        self._namer = Namer(taken)
        self._groups: dict[str, list[Assignment]] = {}
        self._named: dict[Expression, Expression] = {}

    def unknown(self, name: str) -> Expression:
        """Make the symbol of an unknown of the equations."""
        return symbol(self._namer.fresh(name))

    def give(self, group: str, name: str, value: Expression) -> Expression:
        """Add a line ``name = value`` over the names so far and return its symbol; zero gets no line."""
        return self.always(group, name, value) if value is not ZERO else ZERO

    def always(self, group: str, name: str, value: Expression) -> Expression:
        """Add a line ``name = value``, for zero too, and return its symbol."""
        given = self._namer.fresh(name)
        self._groups.setdefault(group, []).append(Assignment(given, self.over_names(value)))
        made = symbol(given)
        if value.args:
            self._named.setdefault(value, made)
        return made

    def over_names(self, value: Expression) -> Expression:
        """Replace the named parts of an expression by their names."""
        return substitute([value], self._named)[0]

    def stages(self) -> tuple[Stage, ...]:
        """List the groups that have lines."""
        return tuple(
            Stage(group, title, tuple(self._groups[group])) for group, title in TITLES.items() if group in self._groups
        )
