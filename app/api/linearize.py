"""Motions of a model linearised at a state: matrices, modes, state space, with evidence."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.coordinate import Effort, Motion
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.expressions import as_expression, evaluate
from mbconcord.model.expressions.traversal import no_search_for_cycles
from mbconcord.model.limits import count, frame, html_table, line
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.omission import PASSED
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import KW_ONLY, dataclass, field, fields, replace
from mbconcord.reports.part import dumps
from mbconcord.reports.plots.motion import sweep_plot
from mbconcord.reports.summary import list_conditions
from mbconcord.simulation.assembly import assemble as assemble_states
from mbconcord.simulation.linear.equations import HELD
from mbconcord.simulation.linear.linearised import Linearised, derive_linearised
from mbconcord.simulation.linear.modes import motion
from mbconcord.simulation.linear.outputs import output_names
from mbconcord.simulation.linear.outputs import outputs as outputs_of
from mbconcord.simulation.linear.smooth import omit_speeds
from mbconcord.simulation.linear.sweep import SweepRow, SweptMotion, sweep
from mbconcord.simulation.motion.formulas import EquationNumbers
from mbconcord.simulation.motion.trajectory import quickest
from mbconcord.validation.claims.linear.by_formalisms import linear_evidence, sweep_evidence
from mbconcord.validation.claims.linear.exact import compare_outputs
from mbconcord.validation.claims.linear.orbit import PERIODIC, ROADS, VOLUME
from mbconcord.validation.judge.evidence import Comparison, Verdict, verdict
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.witnesses.direct.energies import share_energy
from mbconcord.validation.witnesses.direct.formulas import bind
from mbconcord.validation.witnesses.direct.tree import DirectTree
from mbconcord.validation.witnesses.direct.tree import obstacles as list_direct_obstacles

from .equilibrium import (
    everyone,
    left_out_at,
    loud,
    require_coordinates,
    require_steady,
    split_answers,
    timed_state,
    whose,
)
from .files import write
from .kinematics import list_able
from .request import ModelRequest, list_names, takes
from .source import Model, locate_errors
from .states import States, read_states
from .tables import SUFFIXES, require_suffix, write_table

if TYPE_CHECKING:
    from pandas import DataFrame

#: Number of other formalisms that witness the result; `check` takes all.
OTHERS: Final = 1
#: Largest relative difference between a linearised state that no constraint moves and the given one.
HELD_TO: Final = 1e-9
#: Number of coordinates beyond which the default is the quickest formalism, as its equations are shorter.
LARGE: Final = 10
#: Name of the comparison of outputs that is not checked, where a single formalism has them.
OUTPUTS: Final = "linear C, D"
#: Suffixes of files that a linearisation can be saved to.
WRITTEN: Final = (".json", ".npz", *SUFFIXES)
#: Matrices by name.
MATRICES: Final = (
    "M", "C", "K", "damping", "gyroscopic", "stiffness", "circulatory", "geometric", "B", "A", "B_x",
)  # fmt: skip
MODES: Final = ("mode", "kind", "real", "imag", "rad/s", "Hz", "damping ratio", "e-folding time")


@dataclass(frozen=True, repr=False)
class StateSpace:
    """A linear system ``x' = A x + B u``, ``y = C x + D u``; it unpacks to the four, ``control.ss(*found)``.

    ``states``, ``inputs`` and ``outputs`` name the entries of x, u and y. ``comparisons`` are those of the matrices
    with other witnesses; C and D are compared with the kinematics of other formalisms.
    """

    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: NDArray[np.float64]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    comparisons: tuple[Comparison, ...] = ()

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter((self.A, self.B, self.C, self.D))

    @property
    def verdict(self) -> Verdict:
        """Verdict of all comparisons of the matrices."""
        return verdict(self.comparisons)

    def to_json(self) -> dict[str, Any]:
        """Return a mapping from each output's name to its rows of C and D."""
        rows = zip(self.C.tolist(), self.D.tolist(), strict=True)
        return {y: {"C": c, "D": d} for y, (c, d) in zip(self.outputs, rows, strict=True)}

    def __repr__(self) -> str:
        sizes = (
            count(len(x), w) for x, w in ((self.states, "state"), (self.inputs, "input"), (self.outputs, "output"))
        )
        return line("StateSpace", *sizes, self.verdict)


@dataclass(frozen=True, repr=False)
class Linearization(Linearised):
    """A motion near a state: ``M w' + C w + K z = B u`` on the constraints, ``x' = A x + B_x u`` with x = (z, w).

    ``z`` are shifts of the independent coordinates ``positions``, ``w`` their rates. C is ``damping + gyroscopic``, its
    symmetric and its skew part, and K ``stiffness + circulatory``; ``geometric`` is the part of K that comes from the
    reactions. ``matrix(name)`` is any of them as a table, ``to_frame()`` the table of modes. ``comparisons`` compare
    the matrices with other formalisms, finite differences and 50-digit arithmetic; ``verdict`` sums them up.
    ``space`` is the result of :meth:`abcd`, if outputs were requested, else None.
    """

    comparisons: tuple[Comparison, ...] = ()
    model: System | None = None
    space: StateSpace | None = None

    @property
    def left_out(self) -> LeftOut:
        """Forces and inertias that act on the motion and that the model does not hold."""
        return left_out_at(self.model, self.state, -PASSED) if self.model else LeftOut()

    @property
    def verdict(self) -> Verdict:
        """Verdict of all witnesses."""
        return verdict(self.comparisons)

    @property
    def is_founded(self) -> bool:
        """True if eigenvalues or multipliers decide stability; if a motion is stable, two other computations agree."""
        every = (*ROADS, PERIODIC, VOLUME)
        roads = {c.quantity for c in self.comparisons if c.quantity in every and c.verdict == "agrees"}
        moving = self.relative or self.periodic
        return self.stable is not None and (moving is None or not self.stable or len(roads) > 1)

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        """Shares of each mode's kinetic energy: of coordinates (modes, n); by name of bodies with inertia (modes,).

        They are Re(x̄_i (M x)_i) and x̄ᵀM_b x as parts of x̄ᵀM x along the shape x; NaN for a mode without energy. Both
        are empty if the direct witness does not take the model.
        """
        if self.model is None or list_direct_obstacles(self.model) or not self.modes:
            return np.zeros((len(self.modes), 0)), {}
        tree = DirectTree(self.model, bind(self.model, [self.state], at_rest=True))
        return share_energy(tree, np.array([mode.shape for mode in self.modes]))

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the entries of x: independent coordinates, then independent rates."""
        return (*self.positions, *(f"{name}'" for name in self.rates))

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Natural frequencies of the modes (rad/s)."""
        return np.array([mode.omega for mode in self.modes])

    @property
    def damping_ratios(self) -> NDArray[np.float64]:
        """Damping ratios of the modes; NaN at frequency zero."""
        return np.array([mode.damping for mode in self.modes])

    def __repr__(self) -> str:
        freedoms = count(len(self.rates), "degree of freedom", "degrees of freedom")
        return line(
            "Linearization",
            f"of {self.system} by {self.formalism}",
            freedoms,
            self.standing,
            self.verdict,
            self.left_out.without,
        )

    def as_states(self) -> State:
        """Return the state of the linearisation, so that other functions take this result as a state."""
        return self.state

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return all matrices by name."""
        found = {name: getattr(self, name) for name in MATRICES if name != "B_x"}
        relative = {"A_rel": self.relative.A} if self.relative else {}
        relative |= {"monodromy": self.periodic.monodromy} if self.periodic else {}
        return found | {"B_x": self.inputs_to_state} | relative

    def abcd(self, inputs: str | Sequence[str] | None = None, outputs: str | Sequence[str] | None = None) -> StateSpace:
        """Return ``x' = A x + B u``, ``y = C x + D u`` with outputs of your choice, for ``control.ss(*found)``.

        Parameters
        ----------
        inputs : names from :attr:`inputs`, in order, and coordinates whose accelerations drives impose: u is then a
            further acceleration, and these coordinates are states, too, and not held; None: all of :attr:`inputs`
        outputs : coordinates ``q1``, rates ``q1'``, accelerations ``q1''``, kinematic quantities, whole,
            ``velocity(hand)``, or an entry, ``velocity(hand).x``; None: all coordinates and rates

        Raises
        ------
        NumbersError
            A name is unknown; an output has no derivative at the state.
        """
        assert self.model is not None
        known = [u.name for u in self.inputs]
        wanted = known if inputs is None else [*list_names(inputs)]
        imposed = [c.name for c in self.model.coordinates if isinstance(c.drive, Motion) and c.name in wanted]
        unknown = [n for n in wanted if n not in (*known, *imposed)]
        if unknown:
            message = "it is no input of this linearization"
            raise NumbersError(error(f"inputs/{unknown[0]}", message, among(unknown[0], known)))
        names = output_names(self.model, None if outputs is None else list_names(outputs))
        near = self._release(imposed) if imposed else self
        assert near.model is not None
        order = sorted(list_able(near.model.open_loops()), key=lambda by: by.name != self.formalism)
        if not order:
            raise NumbersError(error("outputs", "no formalism has motions of points of this model", "take matrix('A')"))
        made = {by.name: outputs_of(near.model, by, near, near.state.parameters, names) for by in order}
        known, (own, first) = [u.name for u in near.inputs], next(iter(made.items()))
        said = [
            compare_outputs(own, other, f"linear {what}", x, y, size, near.state, names, labels)
            for other, second in list(made.items())[1:]
            for what, x, y, size, labels in zip(
                "CD", first[:2], second[:2], first[2:], (near.states, known), strict=True
            )
            if x.size
        ]
        if len(made) == 1:
            reason = f"only {order[0].name} has motions of points of this model"
            said.append(Comparison(order[0].name, "", OUTPUTS, "not checked", explanation=reason))
        A, B, C, D = near.A, near.inputs_to_state, *first[:2]
        if imposed:  # efforts e that make u = A_w x + B_w (e, others) of the imposed rates w
            efforts = [known.index(n) for n in imposed]
            rows = [len(near.positions) + near.rates.index(n) for n in imposed]
            others = [k for k in range(len(known)) if k not in efforts]
            solved = np.linalg.inv(B[np.ix_(rows, efforts)])
            made_by = np.hstack([-solved @ A[rows], solved, -solved @ B[np.ix_(rows, others)]])
            n, k = len(near.states), len(efforts)
            parts = []
            for x, u in ((A, B), (C, D)):
                shifted = u[:, efforts] @ made_by
                new = np.empty_like(u)
                new[:, efforts], new[:, others] = shifted[:, n : n + k], u[:, others] + shifted[:, n + k :]
                parts += [x + shifted[:, :n], new]
            A, B, C, D = parts
        columns = [known.index(n) for n in wanted]
        return StateSpace(
            A, B[:, columns], C, D[:, columns], near.states, tuple(wanted), tuple(names), (*near.comparisons, *said)
        )

    def _release(self, imposed: Sequence[str]) -> Linearization:
        """Linearise with efforts in place of imposed accelerations; at the state the efforts cause these."""
        assert self.model is not None
        near = self._act(imposed, np.zeros(len(imposed)), witness=False)
        drives = find_imposed_accelerations(self.model)
        formulas = EquationNumbers(self.model, self.state.parameters).apply(drives[name] for name in imposed)
        wanted = np.array(evaluate(formulas, {"t": self.state.t}), dtype=float)
        columns = [u.name for u in near.inputs]
        rows = [len(near.positions) + near.rates.index(name) for name in imposed]
        B = near.inputs_to_state[np.ix_(rows, [columns.index(name) for name in imposed])]
        a = near.acceleration[[near.coordinates.index(name) for name in imposed]]
        return self._act(imposed, np.asarray(np.linalg.solve(B, wanted - a), float), witness=True)

    def _act(self, driven: Sequence[str], efforts: NDArray[np.float64], *, witness: bool) -> Linearization:
        """Linearise with the given constant efforts along the ``driven`` coordinates in place of their drives."""
        assert self.model is not None
        own = dict(zip(driven, efforts.tolist(), strict=True))
        coordinates = tuple(
            replace(c, drive=Effort(as_expression(own[c.name]))) if c.name in own else c for c in self.model.coordinates
        )
        hold = [row.removeprefix(HELD) for row in self.rows if row.startswith(HELD)]
        near = linearize(
            replace(self.model, coordinates=coordinates), self.state, hold=hold,
            inputs=[*(u.name for u in self.inputs), *driven], formalism=self.formalism, witness=witness,
        )  # fmt: skip
        tied = [name for name in driven if name not in near.rates or name not in near.positions]
        if tied:
            message = "other coordinates are independent at the state"
            raise NumbersError(error(f"inputs/{tied[0]}", message, "impose the acceleration of one of them"))
        return near

    def sweep(self, name: str, values: Sequence[float], steady: Mapping[str, float] | None = None) -> RootLocus:
        """Follow the eigenvalues of steady motions near the state over a parameter, a position or a rate (``x'``).

        Parameters
        ----------
        name, values : name to vary, and its values in order; each motion is sought near the one before
        steady : other positions and rates of the motions by name; those not given stay near the previous motion's

        Raises
        ------
        NumbersError
            ``name`` or a name in ``steady`` is unknown.
        """
        assert self.model is not None
        hold = [row.removeprefix(HELD) for row in self.rows if row.startswith(HELD)]
        request = LinearizeRequest(self.state, hold=hold, formalism=self.formalism)
        return follow_modes(self.model, request, name, values, steady or {})

    def matrix(self, name: str) -> DataFrame:
        """Convert a matrix to a pandas table, with the names of its rows and columns.

        Raises
        ------
        NumbersError
            There is no matrix of that name.
        """
        if name not in self.arrays():
            raise NumbersError(error("matrix", f"there is no {name!r}", among(name, [*self.arrays()])))
        from pandas import DataFrame

        rows, columns = self.names_of(name)
        return DataFrame(self.arrays()[name], index=list(rows), columns=list(columns))

    def names_of(self, name: str) -> tuple[Sequence[str], Sequence[str]]:
        """Return the names of the rows and of the columns of a matrix."""
        inputs = [u.name for u in self.inputs]
        square = dict.fromkeys(("A", "A_rel", "monodromy"), self.states)
        rows: tuple[str, ...] = self.states if name in square or name == "B_x" else self.rates
        columns: Mapping[str, Sequence[str]] = {**square, "B": inputs, "B_x": inputs}
        along = self.positions if name in ("K", "stiffness", "circulatory", "geometric") else self.rates
        return rows, columns.get(name, along)

    def to_frame(self) -> DataFrame:
        """Convert the modes to a pandas table: eigenvalue, frequency, damping ratio, e-folding time, shape.

        The largest amplitude of a shape is 1; columns ``z1 imag`` are added if shapes are complex.
        """
        turning = any(mode.shape.imag.any() for mode in self.modes)
        columns = [*MODES, *self.coordinates, *(f"{n} imag" for n in self.coordinates if turning)]
        rows = []
        for number, mode in enumerate(self.modes, 1):
            s = mode.eigenvalue
            numbers = (s.real, s.imag, mode.omega, mode.hertz, mode.damping, mode.time)
            row = [number, mode.kind, *numbers, *mode.shape.real.tolist()]
            rows.append(dict(zip(columns, [*row, *mode.shape.imag.tolist()], strict=False)))
        return frame(rows, columns)

    def mode_motion(self, number: int, amplitude: float = 0.1, rows: int = 49, periods: float = 1.0) -> DataFrame:
        """Return a table of the coordinates over periods of a mode, to draw or animate: columns ``t`` and coordinates.

        Positions are moved onto the constraints. A mode that does not oscillate goes out and back within a second.

        Parameters
        ----------
        number : number of the mode, from 1
        amplitude : amplitude of the coordinate that moves most, m or rad
        rows : number of rows of the table
        periods : number of periods

        Raises
        ------
        NumbersError
            There is no such mode.
        """
        if not 1 <= number <= len(self.modes):
            said = f"there is no mode {number}"
            raise NumbersError(error("mode", said, f"there are {count(len(self.modes), 'mode')}, from 1"))
        t, shifts = motion(self.modes[number - 1], amplitude, rows, periods)
        at = np.array([self.state.q[name] for name in self.coordinates])
        q = at + shifts
        if self.model is not None and self.model.constraints:
            names = self.coordinates
            states = [replace(self.state, q=dict(zip(names, row, strict=True)), v={}) for row in q.tolist()]
            closed = assemble_states(self.model, states).states
            q = np.array([[state.q[name] for name in names] for state in closed])
        columns = {"t": t} | {name: q[:, i] for i, name in enumerate(self.coordinates)}
        return frame(
            (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)), list(columns)
        )

    def _repr_html_(self) -> str:
        table = self.to_frame()
        rows = ([f"{x:.6g}" if isinstance(x, float) else str(x) for x in row] for row in table.itertuples(index=False))
        said = [*list_conditions(self.left_out), *map(str, self.diagnostics)]
        return html_table(repr(self)[1:-1], [str(c) for c in table.columns], rows, said)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``linearize --json``."""
        along, bodies = self.shares
        return {
            "system": self.system, "formalism": self.formalism, "state": self.state.to_json(),
            "kind": self.kind, "equilibrium": self.equilibrium, "unbalanced": self.unbalanced, "steady": self.steady,
            "stable": self.stable, "stability": self.stability,
            "eigenvalues": [[s.real, s.imag] for s in self.eigenvalues], **self._neutral(),
            "coordinates": list(self.coordinates), "positions": list(self.positions), "rates": list(self.rates),
            "inputs": {u.name: u.unit for u in self.inputs}, "states": list(self.states),
            "matrices": {name: x.tolist() for name, x in self.arrays().items()}, "shapes": self.shapes.tolist(),
            "modes": [
                {
                    "kind": mode.kind, "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                    "rad/s": mode.omega, "Hz": mode.hertz, "damping ratio": mode.damping, "e-folding time": mode.time,
                    "shape": [[x.real, x.imag] for x in mode.shape.tolist()],
                    "shares of coordinates": along[k].tolist(),
                    "shares of bodies": [float(x[k]) for x in bodies.values()],
                }
                for k, mode in enumerate(self.modes)
            ],
            "bodies": list(bodies),
            "multipliers": dict(zip(self.rows, self.multipliers.tolist(), strict=True)),
            "verdict": self.verdict, "pairs": [c.to_json() for c in self.comparisons],
            "diagnostics": [str(d) for d in self.diagnostics], **self.left_out.head(),
            **({"outputs": self.space.to_json()} if self.space else {}),
        }  # fmt: skip

    def _neutral(self) -> dict[str, Any]:
        """Return entries of :meth:`to_json` for motions: neutral directions, symmetries, or period and multipliers."""
        if self.periodic:
            multipliers = [[x.real, x.imag] for x in self.periodic.multipliers]
            returned = {"along": dict(self.periodic.along), "turns": dict(self.periodic.turns)}
            return {"periodic": {"period": self.periodic.period, "multipliers": multipliers, **returned}}
        if self.relative is None:
            return {}
        neutral = {"symmetry": list(self.relative.symmetry), "family": self.relative.family}
        return {"neutral": neutral | {"along": list(self.relative.names)}, "generator": self.relative.generator}

    def save(self, file: str | PathLike[str]) -> Path:
        """Write everything (.json), all matrices, modes and names as arrays (.npz), or the modes (.csv; .parquet).

        Raises
        ------
        MbconcordError
            Another suffix, or the file cannot be written.
        """
        path = Path(fspath(file))
        if path.suffix == ".json":
            return write(path, (dumps(self.to_json()) + "\n").encode("utf-8"))
        if path.suffix == ".npz":
            return write(path, self._pack())
        require_suffix(path, WRITTEN)
        return write_table(path, self.to_frame())

    def _pack(self) -> bytes:
        names = {
            "coordinates": self.coordinates, "positions": self.positions, "rates": self.rates, "states": self.states,
            "inputs": [u.name for u in self.inputs],
        }  # fmt: skip
        arrays: dict[str, Any] = self.arrays() | {"shapes": self.shapes}
        arrays["eigenvalues"] = np.array([mode.eigenvalue for mode in self.modes], dtype=complex)
        arrays["modes"] = np.array([mode.shape for mode in self.modes], dtype=complex)
        arrays |= {name: np.array(x, dtype=str) for name, x in names.items()}
        if self.space:
            arrays |= {"output C": self.space.C, "output D": self.space.D, "outputs": np.array(self.space.outputs)}
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        return stream.getvalue()


#: Columns of the table of a sweep after its values; suffixes of files that it can be saved to.
SWEPT_COLUMNS: Final = ("number", "real", "imag", "problem")
SWEPT_FILES: Final = (".json", ".svg", *SUFFIXES)


@dataclass(frozen=True, repr=False)
class RootLocus(SweptMotion):
    """Eigenvalues of steady motions over ``name``, a parameter, position or rate: a row for each value; crossings.

    ``comparisons`` compare them with another formalism's eigenvalues at some rows and at the crossings.
    """

    comparisons: tuple[Comparison, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut, repr=False)

    @property
    def verdict(self) -> Verdict:
        """Verdict of both formalisms."""
        return verdict(self.comparisons)

    @property
    def lost(self) -> int:
        """Number of rows without eigenvalues, because no steady motion was found."""
        return sum(bool(row.problem) for row in self.rows)

    def __repr__(self) -> str:
        sizes = (count(len(self.rows), "row"), count(len(self.crossings), "crossing"))
        head = f"of {self.system} over {self.name} by {self.formalism}"
        return line("RootLocus", head, *sizes, self.verdict, self.left_out.without)

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: a row for each value and eigenvalue, or for the problem if there are none."""
        columns = (self.name, *SWEPT_COLUMNS)
        rows = [
            (row.value, k, s.real, s.imag, "")
            for row in self.rows for k, s in enumerate(_sort_eigenvalues(row), 1)
        ]  # fmt: skip
        rows += [(row.value, 0, np.nan, np.nan, row.problem) for row in self.rows if row.problem]
        return frame((dict(zip(columns, row, strict=True)) for row in sorted(rows, key=lambda x: x[:2])), columns)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``linearize --sweep … --json``."""
        return {
            "system": self.system, "formalism": self.formalism, "name": self.name,
            "rows": [
                {
                    "value": row.value, "problem": row.problem,
                    "state": row.state.to_json() if row.state else None,
                    "generator": row.spectrum.generator if row.spectrum else None,
                    "growing": row.spectrum.growing if row.spectrum else None,
                    "family": row.spectrum.family if row.spectrum else None,
                    "eigenvalues": [[s.real, s.imag] for s in _sort_eigenvalues(row)],
                }
                for row in self.rows
            ],
            "crossings": [
                {"kind": one.kind, "value": one.value, "change": one.change,
                 "eigenvalue": [one.eigenvalue.real, one.eigenvalue.imag]}
                for one in self.crossings
            ],
            "verdict": self.verdict, "pairs": [c.to_json() for c in self.comparisons],
            "diagnostics": [str(d) for d in self.diagnostics],
        }  # fmt: skip

    def save(self, file: str | PathLike[str]) -> Path:
        """Write everything (.json), the picture (.svg) or the table of eigenvalues (.csv; .parquet).

        Raises
        ------
        MbconcordError
            Another suffix, or the file cannot be written.
        """
        path = Path(fspath(file))
        if path.suffix == ".json":
            return write(path, (dumps(self.to_json()) + "\n").encode("utf-8"))
        if path.suffix == ".svg":
            return write(path, sweep_plot(self).encode("utf-8"))
        require_suffix(path, SWEPT_FILES)
        return write_table(path, self.to_frame())


def _sort_eigenvalues(row: SweepRow) -> list[complex]:
    """Return the eigenvalues of a row, sorted by real part, with a zero for each parameter of the family of motions."""
    if row.spectrum is None:
        return []
    return sorted([*row.spectrum.without_rounding, *[0j] * row.spectrum.family], key=lambda s: (s.real, s.imag))


def follow_modes(
    model: Model, request: LinearizeRequest, name: str, values: Sequence[float], steady: Mapping[str, float]
) -> RootLocus:
    """Compute the root locus that :meth:`Linearization.sweep` returns; ``request`` has the state and the options."""
    found = request.source(model).plausible()
    system = found.system
    with locate_errors(found, request.q):
        state, timed = timed_state(system, request.q, request.v, request.t)
        require_ranges(system)
        kept, by = require_coordinates(request.hold, system, "hold"), whose(request.formalism, system)
        given = require_steady(steady, system)
        if not any(state.v.values()) and not any(x.endswith("'") for x in (*given, name)):
            system = omit_speeds(system)
        made = sweep(system, by, state, name, values, given, kept, timed)
        shown = RootLocus(**{each.name: getattr(made, each.name) for each in fields(made)})
        said = sweep_evidence(system, made, everyone(), given, kept, shown.to_json()) if request.witness else ()
    notes = map(found.locate, (*loud(found.diagnostics), *made.diagnostics))
    return replace(shown, comparisons=said, diagnostics=tuple(notes), left_out=LeftOut(found.system.omissions))


@dataclass(frozen=True)
class LinearizeRequest(ModelRequest):
    """Options of :func:`linearize`, documented there."""

    q: States | None = None
    v: States | None = None
    _: KW_ONLY
    t: ArrayLike | None = None
    inputs: str | Iterable[str] | None = None
    hold: str | Iterable[str] = ()
    independent: str | Iterable[str] | None = None
    period: float | None = None
    formalism: str | Formalism | None = None
    witness: bool = True


def _compare_state(system: System, given: State, found: Linearised) -> Iterator[Comparison]:
    """Yield a disagreement if the linearised state is not the given one; no constraints may be there to move it."""
    asked = read_states(system, given).values
    shown = {**found.state.q, **{f"{name}'": x for name, x in found.state.v.items()}}
    off = [name for name, x in shown.items() if not abs(x - float(asked[name][0])) <= HELD_TO * (1 + abs(x))]
    if off:
        why = f"{off[0]} is {shown[off[0]]:.9g}, given {float(asked[off[0]][0]):.9g}"
        yield Comparison(found.formalism, "the given state", "state", "disagrees", explanation=why)


@takes(LinearizeRequest)
def linearize(model: Model, request: LinearizeRequest) -> Linearization:
    """Linearise the motion of a model near a state, in the shifts of its independent coordinates.

    Derivatives are exact: a formalism's equations are differentiated as expressions.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    q, v, t : the state, as for :func:`mbconcord.evaluate`, or a result of :func:`mbconcord.equilibrium`; it is moved
        onto the constraints. The time is needed if the equations depend on it
    inputs : names of coordinates, forces and parameters, one for each column of B; None: drives that apply efforts,
        and all forces. The x component of a force ``pull`` is ``pull.x``; a parameter is varied as a constant
    hold : names of coordinates that stay fixed
    independent : coordinates in which the matrices are written; None: those that depend least on each other
    period : period (s) of a periodic motion, onto which the state is moved; None: that of equations that depend on time
    formalism : source of the equations; None: the first that takes the model; beyond ten coordinates the quickest
    witness : also compare with motions of another formalism, by differences in 50 digits
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    Linearization

    Raises
    ------
    NumbersError
        A motion without inertia; a force that has no derivative at the state; constraints that do not close; an
        unknown name; a missing time.
    FormalismError
        The formalism does not take the model.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z(a) -j2 $1 [0,0,0] g9.81-y", format="mbsd")
    >>> found = mbconcord.linearize(pendulum)
    >>> found.frequencies.round(9), found.verdict
    (array([2.21472346]), 'agrees')
    """
    found = request.source(model).plausible()
    system = found.system
    inputs = None if request.inputs is None else list_names(request.inputs)
    with locate_errors(found, request.q), no_search_for_cycles():
        state, timed = timed_state(system, request.q, request.v, request.t)
        require_ranges(system)
        kept = require_coordinates(request.hold, system, "hold")
        told = None if request.independent is None else require_coordinates(request.independent, system, "independent")
        by = whose(request.formalism, system)
        if request.formalism is None and len(system.coordinates) > LARGE:
            by = quickest(system)
        if not any(state.v.values()):
            system = omit_speeds(system)
        period = request.period
        if period is not None and not 0 < period < np.inf:
            raise NumbersError(error("period", f"found {period!r}", "give a time in seconds"))
        made, derived = derive_linearised(system, by, state, inputs, kept, told, timed, period)
        values = {field.name: getattr(made, field.name) for field in fields(made)}
        shown = Linearization(**values, model=system)
        inputs = tuple(u.name for u in made.inputs) if inputs is None else inputs
        form, every = shown.to_json(), everyone()
        said = linear_evidence(system, made, every, inputs, kept, form, derived, OTHERS) if request.witness else ()
        if said and not system.constraints and period is None and made.relative is None and made.periodic is None:
            said += tuple(_compare_state(system, state, made))
    compared, unanswered = split_answers(said)
    notes = map(found.locate, (*loud(found.diagnostics), *made.diagnostics, *unanswered))
    judged = replace(shown, comparisons=compared, diagnostics=tuple(notes))
    judged.__dict__["shares"] = shown.shares  # those that the witnesses judged
    return judged
