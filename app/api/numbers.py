"""Numbers of quantities at states, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.model.checks.scope import SystemScopes, formulas, list_tables
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import OF_ROWS
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, NumbersError, among, error, no_attribute
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.expressions import evaluate, numpy_arithmetic, symbols, to_text, topological
from mbconcord.model.expressions.interpolant import REMEDY, TABLE, Interpolant
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, GROUND, JOINT_FORCES, cuts, list_bodies
from mbconcord.model.kinematics import read_kinematics
from mbconcord.model.limits import count, frame, html_table, line
from mbconcord.model.system import System
from mbconcord.records import dataclass, field
from mbconcord.reports.quantities import quantities, table_of
from mbconcord.validation.judge.comparison import compare_evaluations
from mbconcord.validation.judge.evidence import Comparison, Verdict, comparisons_frame, verdict
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.judge.scale import scales

from .states import GivenNumbers

if TYPE_CHECKING:
    from pandas import DataFrame

    from .moving import JointMotion

# Numbers of a user against ours: where they differ, by how much, and what was not compared.


#: Name of the user's numbers as a witness.
YOURS = "yours"


@dataclass(frozen=True, repr=False)
class Agreement:
    """Numbers of a user compared with those of a formalism, at the same states.

    Attributes
    ----------
    comparisons : the worst entry of each quantity that was compared
    missing : names of quantities that the user gave no numbers for
    count : number of states
    """

    comparisons: tuple[Comparison, ...]
    missing: tuple[str, ...]
    count: int

    @property
    def verdict(self) -> Verdict:
        """Verdict on the compared quantities; ``missing`` lists the others."""
        return verdict(self.comparisons)

    def __repr__(self) -> str:
        compared = ", ".join(f"{c.quantity}{' (zero)' * c.zero}" for c in self.comparisons)
        at = f"{compared} compared at {count(self.count, 'state')}"
        missing = f"not compared: {', '.join(self.missing)}" if self.missing else ""
        return line("Agreement", "", self.verdict, at, missing)

    def _repr_html_(self) -> str:
        headers, rows = table_of(quantities(self.comparisons))
        return html_table(repr(self)[1:-1], headers, rows, self._explanations())

    def _explanations(self) -> Sequence[str]:
        return [f"{c.quantity}: {c.explanation}" for c in self.comparisons if c.explanation]

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: for each quantity the entry closest to its tolerance, or farthest beyond."""
        return comparisons_frame(self.comparisons)


def agreement(
    formalism: str, given: GivenNumbers, ours: Mapping[str, Array], own: Mapping[str, ArrayLike], digits: int | None
) -> Agreement:
    """Compare a user's numbers with a formalism's, as :meth:`mbconcord.results.Numbers.compare` does.

    Parameters
    ----------
    formalism, given : name of the formalism that computed ``ours``, and the states
    ours : the formalism's arrays by name, without an axis of states if one state was given so
    own, digits : the user's arrays by name, and the number of significant digits with which they were printed

    Raises
    ------
    NumbersError
        A quantity that ``ours`` lacks, another shape, or entries that are not numbers.
    """
    closed = bool(given.system.constraints)
    able = tuple(name for name in QUANTITIES if name in ours and not (closed and name == "acceleration"))
    arrays = _arrays(given, ours, own, able)
    if digits is not None and not 1 <= digits <= 17:
        raise NumbersError(error("digits", f"found {digits}", "1 to 17 significant digits"))
    system = given.system.open_loops()
    states = given.states()
    lifted = {name: ours[name][None] if given.single else ours[name] for name in arrays}
    bounds = {} if digits is None else {name: _rounding(x, digits) for name, x in arrays.items()}
    found = compare_evaluations(
        Evaluation(formalism, lifted), Evaluation(YOURS, arrays, bounds=bounds),
        scales(TreeKinematics(system, states)), states, system.coordinate_names,
    )  # fmt: skip
    return Agreement(tuple(found), tuple(name for name in ours if name not in arrays), given.count)


def _arrays(
    given: GivenNumbers, ours: Mapping[str, Array], own: Mapping[str, ArrayLike], able: Sequence[str]
) -> dict[str, Array]:
    """Check names and shapes of the user's arrays, and return them as arrays (n, …) of floats."""
    found: dict[str, Array] = {}
    findings: list[Diagnostic] = []
    for name, value in own.items():
        place = f"{YOURS}/{name}"
        if name not in able:
            findings.append(error(place, "there is nothing to compare it with", among(name, able)))
            continue
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            findings.append(error(place, "not an array of numbers", f"give one of shape {ours[name].shape}"))
            continue
        if array.shape != ours[name].shape:
            message = f"found shape {array.shape}, expected {ours[name].shape}"
            findings.append(error(place, message, f"coordinates: {', '.join(given.system.coordinate_names)}"))
            continue
        found[name] = array[None] if given.single else array
    if not own:
        findings.append(error(YOURS, "there is nothing to compare", f"give some of {', '.join(able)}"))
    if findings:
        raise NumbersError(findings)
    return found


def _rounding(x: Array, digits: int) -> Array:
    """Return the largest rounding error of each number printed with so many digits: half a unit of the last."""
    with np.errstate(all="ignore"):
        exponent = np.where(x == 0, 0.0, np.floor(np.log10(np.abs(x))))
    return np.where(x == 0, 0.0, 0.5 * 10.0 ** (exponent + 1 - digits))


#: Quantities that have an entry, or a row, for every constraint row.
BY_ROWS: Final = frozenset({"D", *OF_ROWS, "γ", "gamma", "γ̃", "gamma_tilde"})


@dataclass(frozen=True, repr=False, eq=False)
class Numbers(Mapping[str, Array]):
    """Quantities of a model at n states, or at one: ``numbers["M"]`` is an array of floats.

    At n states of a model with N coordinates ``M`` is (n, N, N), the other canonical quantities are (n, N); at one
    state that was given without an axis of states, (N, N) and (N,). Coordinates are in the model's order; rows of
    rotations in N m, of translations in N. Entries that cannot be computed at a state are NaN, and ``diagnostics`` say
    why. A model with m constraint rows also has ``D`` (n, m, N), ``lambda`` (n, m), ``reactions`` = Dᵀ λ (n, N); its
    M, h and forces are those of the open tree.

    Attributes
    ----------
    formalism : name of the formalism that computed the numbers
    given : the states, with all their numbers
    quantities : the arrays by name
    rows : names of the constraint rows
    diagnostics : warnings about the model, and errors about entries that cannot be computed
    witnesses : comparisons of the numbers with witnesses; empty unless requested
    motion : the motion that joint forces, accelerations and efforts belong to; None if nothing requested needs it
    indices : names of the entries, axis by axis, of quantities whose axes are not the coordinates
    """

    formalism: str
    given: GivenNumbers
    quantities: Mapping[str, Array]
    diagnostics: tuple[Diagnostic, ...] = ()
    rows: tuple[str, ...] = ()
    witnesses: tuple[Comparison, ...] = ()
    motion: JointMotion | None = None
    indices: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        try:
            return self.quantities[name]
        except KeyError:
            raise MissingQuantityError(
                error("quantities", f"there is no {name!r}", among(name, self.quantities))
            ) from None

    if not TYPE_CHECKING:  # checkers of types know the attributes that there are

        def __getattr__(self, name: str) -> Any:
            own = () if name.startswith("_") else self.quantities
            raise no_attribute(self, name, {each: f"numbers[{each!r}]" for each in own})

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: the order of every array."""
        return self.given.system.coordinate_names

    @property
    def left_out(self) -> LeftOut:
        """Forces and inertias that act on these quantities and that the model does not hold."""
        given = self.given
        parameters = given.own[0].parameters if given.own else {}
        return LeftOut.at_states(given.system, {**parameters, **given.values}, tuple(self.quantities))

    def __repr__(self) -> str:
        errors = [d for d in self.diagnostics if d.severity == "error"]
        return line(
            "Numbers", f"of {self.given.system.name} by {self.formalism}", ", ".join(self),
            "one state" if self.given.single else count(self.given.count, "state"),
            f"motion: {self.motion}" if self.motion else "", self.left_out.without,
            count(len(errors), "error") if errors else "",
        )  # fmt: skip

    def _repr_html_(self) -> str:
        table = self.to_frame()
        columns = [str(name) for name in table.columns]
        shown = ([f"{x:.6g}" for x in row] for row in table.itertuples(index=False))
        return html_table(repr(self)[1:-1], columns, shown, map(str, self.diagnostics))

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table, a row for each state.

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
            JOINT_FORCES: [list_bodies(system), COMPONENTS],
            GROUND: [COMPONENTS],
            CUT_FORCES: [[cut.name for cut in cuts(system)], COMPONENTS],
            **{x: [*of.indices(system)] for x, of in read_kinematics(system, [name]).items()},
            **{x: [*of] for x, of in self.indices.items()},
        }
        by_axis = [self._indices(name, axis, size) for axis, size in enumerate(axes)]
        indices = product(*own.get(name, by_axis))
        return [f"{name}[{', '.join(index)}]" if index else name for index in indices]

    def _indices(self, name: str, axis: int, size: int) -> Sequence[str]:
        if self.rows and axis == 0 and name in BY_ROWS:
            return self.rows
        return self.coordinates if size == len(self.coordinates) else [str(i + 1) for i in range(size)]

    def compare(self, own: Mapping[str, ArrayLike], digits: int | None = None) -> Agreement:
        """Compare your own numbers of some of these quantities, at the same states, with the numbers here.

        Parameters
        ----------
        own : your arrays by name, in the shapes of the arrays here; other quantities are not compared
        digits : number of significant digits with which yours were printed; None: they are floats

        Returns
        -------
        Agreement
            With a verdict on what was compared, the worst entry of each quantity, and what was not compared.

        Examples
        --------
        >>> import mbconcord
        >>> cart = mbconcord.read(text="ug", format="mbsd")
        >>> mbconcord.evaluate(cart, q=[0.0], v=[0.0]).compare({"M": [[2.0]]}).verdict
        'disagrees'
        """

        return agreement(self.formalism, self.given, self.quantities, own, digits)


class MissingQuantityError(MbconcordError, KeyError):
    """Unknown quantity: an error of the project's own and, as in every mapping, a KeyError."""

    __str__ = MbconcordError.__str__


def drop_state_axis(given: GivenNumbers, quantities: Mapping[str, Any]) -> dict[str, Array]:
    """Return the arrays (n, …), without the axis of states if a single state was given without it."""
    return {name: x[0] if given.single else x for name, x in quantities.items()}


def not_finite(
    quantities: Mapping[str, Array], said: Sequence[Diagnostic], system: System, values: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    """Yield errors about entries of arrays (n, …) without a number, if none is reported yet.

    If formulas look up tables beyond their ends at the ``values`` of the symbols, the errors name these as the cause.
    """
    if any(d.severity == "error" for d in said):
        return
    if any(not np.isfinite(x).all() for name, x in quantities.items() if name not in OF_ROWS):
        tables = _find_beyond_tables(system, values)
        yield from tables
        if tables:
            return
    for name, array in quantities.items():
        if name in OF_ROWS:  # of rows that depend on each other it is not unique, which is said
            continue
        wrong = np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))
        if len(wrong):
            others = f" and at {count(len(wrong) - 1, 'more state')}" if len(wrong) > 1 else ""
            remedy = "look for a division by zero, a root of a negative number, or numbers beyond the range of floats"
            yield error(name, f"it has no number at state {wrong[0]}{others}", remedy)


def _find_beyond_tables(system: System, values: Mapping[str, Any]) -> list[Diagnostic]:
    """Return errors about formulas that look up a table beyond its ends; ``values`` are by symbol, float or (N,)."""
    names = list_tables(system)
    if not names:
        return []
    found: dict[tuple[str, Interpolant], Diagnostic] = {}
    for place, given, _ in formulas(SystemScopes(system)):
        if place.startswith("functions/"):
            continue
        for node in topological(define(given, system.functions)):
            table = node.data if node.op == "fun" else None
            if not isinstance(table, Interpolant) or table.beyond != "refuse" or symbols(node.args) - values.keys():
                continue
            with np.errstate(all="ignore"):
                (x,) = (np.ravel(y).astype(float) for y in evaluate(node.args, values, numpy_arithmetic()))
            off = np.flatnonzero((x < float(table.x[0])) | (x > float(table.x[-1])))
            if off.size:
                state = f" at state {off[0]}" if len(x) > 1 else ""
                text = f"{names.get(table.label, TABLE)}({to_text(node.args[0])})"
                message = f"{text} is beyond its table, {table.ends}: the argument is {x[off[0]]:.9g}{state}"
                found.setdefault((place, table), error(place, message, REMEDY))
    return list(found.values())
