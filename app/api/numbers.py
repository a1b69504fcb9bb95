"""Numbers of quantities at states, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.model.diagnostics import Diagnostic, MbconcordError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, JOINT_FORCES, cuts, jointed
from mbconcord.model.omission import acting, counted
from mbconcord.model.shown import count, frame, html_table, line

from .states import Given

if TYPE_CHECKING:
    from pandas import DataFrame

    from .own_numbers import Agreement


#: Quantities that have an entry, or a row, for every constraint row.
BY_ROWS: Final = frozenset({"D", "lambda", "γ", "gamma", "γ̃", "gamma_tilde"})


@dataclass(frozen=True, repr=False, eq=False)
class Numbers(Mapping[str, Array]):
    """Quantities of a model at n states, or at one: ``numbers["M"]`` is an array of floats.

    At n states of a model with N coordinates ``M`` is (n, N, N), the other canonical quantities are (n, N); at one
    state that was given without an axis of states, (N, N) and (N,). Coordinates are in the model's order; rows of
    rotations in N m, of translations in N. What cannot be computed at a state is NaN there, and ``diagnostics`` say
    why. Of a model with m constraint rows: ``D`` (n, m, N), ``lambda`` (n, m), ``reactions`` = Dᵀ λ (n, N), and M, h
    and the forces are those of the open tree.

    Attributes
    ----------
    formalism : by whose equations
    given : the states
    quantities : the arrays by name
    rows : names of the constraint rows
    diagnostics : warnings of the model, and what cannot be computed
    """

    formalism: str
    given: Given
    quantities: Mapping[str, Array]
    diagnostics: tuple[Diagnostic, ...] = ()
    rows: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Array:
        try:
            return self.quantities[name]
        except KeyError:
            raise MissingQuantityError(
                error("quantities", f"there is no {name!r}", among(name, self.quantities))
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: the order of every array."""
        return self.given.system.coordinate_names

    def __repr__(self) -> str:
        left_out = counted(acting(self.given.system.omissions))
        errors = [d for d in self.diagnostics if d.severity == "error"]
        return line(
            "Numbers", f"of {self.given.system.name} by {self.formalism}", ", ".join(self),
            "one state" if self.given.single else count(self.given.count, "state"),
            f"without {left_out}" if left_out else "", count(len(errors), "error") if errors else "",
        )  # fmt: skip

    def _repr_html_(self) -> str:
        table = self.to_frame()
        columns = [str(name) for name in table.columns]
        shown = ([f"{x:.6g}" for x in row] for row in table.itertuples(index=False))
        return html_table(repr(self)[1:-1], columns, shown, map(str, self.diagnostics))

    def to_frame(self) -> DataFrame:
        """A table of pandas, a row for each state.

        Columns are the states (``t``, ``z1``, ``z1'``, …, and parameters that were given), then each entry:
        ``h[z1]``, ``M[z1, z2]``, ``D[rod, z1]``.
        """
        n = self.given.count
        columns = {name: np.broadcast_to(x, (n,)) for name, x in self.given.values.items()}
        for name, array in self.quantities.items():
            flat = array.reshape(n, -1)
            columns |= {label: flat[:, i] for i, label in enumerate(self._labels(name, array))}
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        return frame(rows, list(columns))

    def _labels(self, name: str, array: Array) -> list[str]:
        axes = array.shape if self.given.single else array.shape[1:]
        system = self.given.system
        own: dict[str, list[Sequence[str]]] = {
            JOINT_FORCES: [jointed(system), COMPONENTS],
            CUT_FORCES: [[cut.name for cut in cuts(system)], COMPONENTS],
        }
        by_axis = [self._indices(name, axis, size) for axis, size in enumerate(axes)]
        indices = product(*own.get(name, by_axis))
        return [f"{name}[{', '.join(index)}]" if index else name for index in indices]

    def _indices(self, name: str, axis: int, size: int) -> Sequence[str]:
        if self.rows and axis == 0 and name in BY_ROWS:
            return self.rows
        return self.coordinates if size == len(self.coordinates) else [str(i + 1) for i in range(size)]

    def compare(self, own: Mapping[str, ArrayLike], digits: int | None = None) -> Agreement:
        """Where numbers of yours, of these quantities at these states, differ from these.

        Parameters
        ----------
        own : arrays by name, of the shapes of these; what is not among them is not compared
        digits : how many significant digits yours were printed with; None: they are floats

        Returns
        -------
        Agreement
            With a verdict on what was compared, the worst entry of each quantity, and what was not compared.

        Examples
        --------
        >>> import mbconcord
        >>> cart = mbconcord.read_text("ug", format="mbsd")
        >>> mbconcord.evaluate(cart, q=[0.0], v=[0.0]).compare({"M": [[2.0]]}).verdict
        'disagrees'
        """
        from .own_numbers import agreement

        return agreement(self.formalism, self.given, self.quantities, own, digits)


class MissingQuantityError(MbconcordError, KeyError):
    """There is no quantity of that name: an error of the project's own and, as of every mapping, a KeyError."""

    __str__ = MbconcordError.__str__


def shaped(given: Given, quantities: Mapping[str, Any]) -> dict[str, Array]:
    """The arrays (n, …) as they are handed out: of one state without the axis of states."""
    return {name: x[0] if given.single else x for name, x in quantities.items()}


def not_finite(quantities: Mapping[str, Array], said: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Errors about arrays (n, …) that have entries without a number, where none was said."""
    if any(d.severity == "error" for d in said):
        return
    for name, array in quantities.items():
        if name == "lambda":  # of rows that depend on each other it is not unique, which is said
            continue
        wrong = np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))
        if len(wrong):
            others = f" and at {count(len(wrong) - 1, 'more state')}" if len(wrong) > 1 else ""
            remedy = "look for a division by zero, a root of a negative number, or numbers beyond the range of floats"
            yield error(name, f"it has no number at state {wrong[0]}{others}", remedy)
