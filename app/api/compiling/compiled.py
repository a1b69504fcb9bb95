"""Equations of motion as a function of states, compiled once and called at one state or at thousands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.links.function import require_formulas
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.registry import BACKENDS
from mbconcord.model.derivation import EFFORT, Derivation, Nested, flatten
from mbconcord.model.derivatives import ALONG
from mbconcord.model.derivatives import inverse_dynamics as derive_inverse
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error, no_attribute
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import (
    FLOAT,
    Expression,
    ExpressionError,
    evaluate,
    number,
    numpy_arithmetic,
    substitute,
    symbol,
)
from mbconcord.model.expressions.program import count_program, extend, program
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.model.kinematics import IN_SPEEDS, OF_RATES, SINGULAR, find_singular, read_kinematics
from mbconcord.model.limits import count as counted
from mbconcord.model.limits import line
from mbconcord.model.mixed import find_imposed_accelerations, solve
from mbconcord.model.numbers import known_values, parameter_values
from mbconcord.model.system import System
from mbconcord.reports.equations.listing import SPELLED
from mbconcord.validation.judge.left_out import LeftOut

from ..derivatives import DETERMINANTS, FOLLOWS
from ..interpreted import TURNED_OFF, Interpreted, Points, says_less
from ..numbers import Numbers, drop_state_axis, not_finite
from ..request import refuse_places
from ..states import GivenNumbers, States, read_direction, read_states
from .closed import ClosedMotion, solve_open
from .closing import Closing, finish_closing
from .direct import FINE, DirectFunction, StateColumns, array_function, run_silently, shape
from .witness import compare_arrays, compare_delivered, compare_made

#: Quantities from which accelerations and inverse dynamics are computed if a formalism does not deliver these.
EQUATION: Final = ("M", "h", "gravity", "applied")
#: Ends of names of quantities that list entries of a matrix: those not zero; of these those not above the diagonal.
ENTRIES: Final = ("_nonzero", "_lower")
#: Beginning of names of their rows and columns among the indices of a derivation.
PLACES: Final = "places of "
#: Quantities that are solved from these, with the accelerations that drives impose.
SOLVED: Final = frozenset({"acceleration", EFFORT})


class Compiled:
    """A function of states: ``f(q, v, t=…, a=…)`` gives the quantities that it was compiled for.

    Made by :func:`mbconcord.compile`.

    Attributes
    ----------
    system : the model
    formalism : source of the equations
    quantities : names of the arrays that a call returns
    backend : name of what evaluates the equations
    coordinates : names in the order of every array
    parameters : names that a call may set
    rows : names of the constraint rows
    operations : counts of arithmetic operations at one state
    fixed : values of parameters that were put in for good, and that no call sets
    warnings : findings about the model and about the backend
    witness : what was compared with the interpreter of the graph, or why nothing was
    """

    _closed: ClosedMotion | None = None
    _direct: DirectFunction | None = None
    _indices: Mapping[str, Any] = {}

    def __init__(
        self,
        derivation: Derivation,
        quantities: tuple[str, ...],
        backend: str,
        warnings: Iterable[Diagnostic] = (),
        options: Options | None = None,
        fixed: Mapping[str, float] | None = None,
        witness: bool = True,
        closed: ClosedMotion | None = None,
    ) -> None:
        self.system: System = derivation.system
        self.formalism: str = derivation.formalism
        self.quantities = quantities
        self.backend = backend
        self.coordinates: tuple[str, ...] = self.system.coordinate_names
        self.parameters: tuple[str, ...] = tuple(p.name for p in self.system.parameters)
        self.rows = derivation.rows
        self.warnings = tuple(warnings)
        self._options = options or Options()
        self.fixed = dict(fixed or {})
        self._closed = closed
        needed = (*quantities, *closed.hidden) if closed else _list_needed(derivation, quantities)
        named = (*quantities, DETERMINANTS[0])
        self._indices = {name: x for name, x in derivation.indices.items() if name.removeprefix(PLACES) in named}
        if (IN_SPEEDS.keys() - OF_RATES) & {*quantities} and derivation.native[DETERMINANTS[0]]:
            needed = (*needed, *DETERMINANTS)
        self._delivered = {name: _value(derivation, name) for name in needed}
        self._outputs = self._expand(x for value in self._delivered.values() for x in flatten(value))
        require_formulas(self._outputs)
        lines = program(self._outputs)
        self.operations = count_program(lines, lines.outputs)
        #: Code that is still to be compared: that of one state, that of several; of one state NumPy calls other code.
        self._pending: set[bool] = {True, False} if backend == "numpy" else {False}
        self._witness = witness
        self._direct = self._send_directly() if backend == "llvm" else None
        if self._direct:
            self.operations = self._direct.operations
        self.warnings += getattr(self._direct or self._run, "findings", ())
        if not witness:
            self._pending = set()
        self._say(self._reference.note(backend) if witness else TURNED_OFF)
        if self._direct is None:
            self._require_compared(2)
        if closed and closed.closing:
            _ = self._closing

    if not TYPE_CHECKING:  # checkers of types know the attributes that there are

        def __getattr__(self, name: str) -> Any:
            own = () if name.startswith("_") else vars(self).get("quantities", ())
            raise no_attribute(self, name, {each: f"f(q, v)[{each!r}], of a call" for each in own})

    @property
    def left_out(self) -> LeftOut:
        """Forces and inertias that act on these quantities and that the model does not hold."""
        return LeftOut(self.system.omissions, quantities=self.quantities)

    def __repr__(self) -> str:
        return line(
            "Compiled", f"equations of {self.system.name} by {self.formalism}", ", ".join(self.quantities),
            counted(self.operations.total, "operation"), self.backend, self.left_out.without,
        )  # fmt: skip

    @refuse_places
    def __call__(
        self,
        q: States | None = None,
        v: States | None = None,
        *,
        t: ArrayLike | None = None,
        a: States | None = None,
        parameters: Mapping[str, Any] | None = None,
        dq: States | None = None,
        dv: States | None = None,
        **named: Any,
    ) -> Numbers:
        """Evaluate the quantities at one state or at n.

        Parameters
        ----------
        q : positions (N,) or (n, N), m and rad, or with rates (2N,) or (n, 2N); or a mapping or a DataFrame by names;
            or a State, or several. Missing values are the model's initial positions and velocities
        v : rates (N,) or (n, N), per second, or by the coordinates' names
        t : seconds, a number or (n,); 0 by default
        a : accelerations for ``inverse_dynamics``, per second squared; 0 by default
        parameters : values by name, numbers for all states or arrays (n,)
        dq, dv : direction of positions and rates (N,) or (n, N), for ``da_along`` and others; what is missing is 0
        **named : the same, by keyword: ``f(q, v, m1=2.0)``. Parameters with a name of these arguments are set only
            by ``parameters``

        Returns
        -------
        Numbers
            Arrays by name: at n states ``M`` (n, N, N), others (n, N); of one state (N, N) and (N,). Where M is
            singular the accelerations are NaN, and ``diagnostics`` name the coordinate without inertia.

        Raises
        ------
        NumbersError
            A state that does not fit the model, or a parameter without value.
        """
        along = (dq, dv) if self._along else ()
        if (dq is None and dv is None) == self._along:
            message = "a direction is given, and no quantity is along one"
            message = f"{self.quantities[0]} is along a direction" if self._along else message
            raise NumbersError(error("dq", message, "compile da_along and call f(q, v, dq=…, dv=…)"))
        direct = self._direct
        if direct and not (parameters or named):
            numbers = self._call_directly(direct, q, v, a, t, *along)
            if numbers is not None:
                return numbers
        at = read_states(self.system, q, v, a, t, {**(parameters or {}), **named} if parameters or named else None)
        if self._accelerated and self.coordinates and not at.has_accelerations:
            remedy = "give them, or call mbconcord.evaluate, which finds the motion"
            raise NumbersError(error("a", f"{self._accelerated} are functions of q''", remedy))
        values, at = self._values(read_direction(at, dq, dv) if along else at)
        sound = direct(self._operands(direct, values, at)) if direct else None
        if sound is not None:
            return self._finish(at, sound[0])
        self._require_compared(at.count)
        try:
            rows = self._run(values)
        except ExpressionError as problem:
            raise NumbersError(error(self.formalism, str(problem))) from None
        found = self._arrays(rows, at.count)
        findings = (
            tuple(self._closed.complete(found, at, self.quantities, values))
            if self._closed
            else self._complete(found, at.count, values)
        )
        findings += self._hide_singular(found)
        chosen = {name: found[name] for name in self.quantities}
        said = (*(w for w in self.warnings if w.severity != "note"), *findings)
        missing = not_finite(chosen, said, self.system, values)
        shown = drop_state_axis(at, chosen)
        return Numbers(self.formalism, at, shown, (*said, *missing), self.rows, indices=self._labels)

    @refuse_places
    def close(
        self,
        q: States | None = None,
        v: States | None = None,
        *,
        t: ArrayLike | None = None,
        parameters: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> Numbers:
        """Move states onto the constraints by compiled steps of Newton's method, in the metric of the mass matrix.

        Parameters
        ----------
        q, v, t, parameters, **named : as of a call

        Returns
        -------
        Numbers
            ``q`` and ``v`` (n, N), or (N,) of one state: positions and rates on the constraints, NaN where the steps
            do not end on them; ``gap`` (n,): the largest violation of a position that is left, m or rad.

        Raises
        ------
        NumbersError
            The model has no constraints, or cut joints whose own coordinates are not given; a state does not fit it.
        """
        closing = self._closing
        own = {**(parameters or {}), **named} if parameters or named else None
        direct = self._direct if own is None and closing.is_complete else None
        arrays = direct.arrange(q, v, None, t) if direct else None
        if arrays and arrays["q"].size and isfinite(run_silently(np.add.reduce, arrays["q"], None) + arrays["v"].sum()):
            places, rates = (np.array(np.broadcast_to(arrays[x], arrays["q"].shape), ndmin=2) for x in "qv")
            time = arrays.get("t", 0.0)
            columns = dict(
                zip((x + m for m in ("", "'") for x in self.coordinates), (*places.T, *rates.T), strict=True)
            )
            at = GivenNumbers(self.system, columns | {"t": np.asarray(time)}, len(places), arrays["q"].ndim == 1)
            found = closing(places, rates, time)
        else:
            values, at = self._values(read_states(self.system, q, v, None, t, own))
            wide = [[np.broadcast_to(values[x + m], (at.count,)) for x in self.coordinates] for m in ("", "'")]
            whole = [np.broadcast_to(values[x], (at.count,)) for x in self.parameters]
            places, rates = (np.stack(x, axis=-1, dtype=float) for x in wide)
            closing = closing.give(np.stack(whole, axis=-1, dtype=float) if whole else None)
            found = closing(places, rates, values["t"])
        said, chosen = finish_closing(*found)
        shown = drop_state_axis(at, chosen)
        warned = (w for w in self.warnings if w.severity != "note")
        return Numbers(self.formalism, at, shown, (*warned, *said), self.rows)

    @cached_property
    def _closing(self) -> Closing:
        """Compiled steps onto the constraints."""
        if not self._closed:
            message = "the model has constraints, and none of them is in what was compiled"
            message = message if self.system.constraints else "the model has none: its states are on them"
            raise NumbersError(error("constraints", message, "compile 'closing' or 'acceleration' of a closed machine"))
        return (self._closed.closing or Closing(self._closed)).compile(self)

    @cached_property
    def _labels(self) -> dict[str, Any]:
        """Names of the entries of quantities in speeds, and of quantities that list entries."""
        names = (name for name in self.quantities if name in self._indices)
        return {name: self._indices[name] for name in names if name in IN_SPEEDS or name.endswith(ENTRIES)}

    @property
    def places(self) -> dict[str, tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Rows and columns of the entries in ``M_lower``, ``regressor_nonzero`` …: all others are zero."""
        names = [name for name in self.quantities if f"{PLACES}{name}" in self._indices]
        return {name: tuple(map(np.array, self._indices[f"{PLACES}{name}"])) for name in names}  # type: ignore[misc]

    def _hide_singular(self, found: dict[str, Array]) -> tuple[Diagnostic, ...]:
        """Set quantities in speeds to NaN at states where the speeds do not determine the rates; return findings."""
        if DETERMINANTS[0] not in found:
            return ()
        values, sizes = (found[name] for name in DETERMINANTS)
        lost, findings = find_singular(values, sizes, *self._indices[DETERMINANTS[0]])
        for name in (name for name in self.quantities if name in IN_SPEEDS and name not in OF_RATES):
            found[name] = np.where(lost.reshape(-1, *[1] * (found[name].ndim - 1)), np.nan, found[name])
        return findings

    @cached_property
    def arrays(self) -> ArrayFunction:
        """The same function for plain arrays: ``f.arrays(q, v, a=a, out=…)``, fast, broadcasting, unchecked.

        Operands are those of q, v, a (..., N), t (...) and parameters (..., P) that the quantities need: q and v by
        place or by name, the others by name. By default t is 0 and parameters are the model's values.

        Raises
        ------
        NumbersError
            A quantity is solved from others, and not delivered by the formalism.
        """
        formulas = {name: self._formula(name) for name in self.quantities}
        values = known_values(self.system)
        made = array_function(self.system, formulas, self._expand, self.backend, self._options, values)
        if self.witness is not TURNED_OFF:
            outputs = self._expand(x for value in formulas.values() for x in flatten(value))
            found = compare_arrays(Interpreted(self.system, formulas, program(outputs)), made)
            if "acceleration" in {*formulas} - {*self._delivered}:
                compare_made(self._reference, f"{self.backend}, arrays", self.system, ("acceleration",), found)
        return made

    @cached_property
    def _run(self) -> Any:
        return BACKENDS[self.backend](self._outputs, self._options)

    @cached_property
    def _reference(self) -> Points:
        """Known numbers of the interpreter, with which compiled code is compared."""
        lines = extend(program(self._outputs), self._imposed_accelerations())
        return Interpreted(self.system, self._delivered, lines, self.fixed)

    def _send_directly(self) -> DirectFunction | None:
        """Return the function that passes plain arrays to machine code; None if a quantity is no formula."""
        if JOINT_FORCES in self.quantities or not self.coordinates or (EFFORT in self.quantities and not self._closed):
            return None
        doubts: list[Expression] = []
        formulas = {name: self._delivered[name] for name in self.quantities if name in self._delivered}
        if self._closed:
            doubts = self._closed.doubts
        elif "acceleration" in self.quantities:
            solved = solve_open(self.system, self._delivered)
            if solved is None:
                return None
            formulas["acceleration"], doubts = solved
        if DETERMINANTS[0] in self._delivered:
            pairs = zip(*(flatten(self._delivered[name]) for name in DETERMINANTS), strict=True)
            weight = number(Fraction(FINE) * Fraction(SINGULAR) ** 2)
            doubts = [*doubts, *(weight * (size / x) ** 2 for x, size in pairs)]
        formulas |= {name: self._formula(name) for name in self.quantities if name not in formulas}
        formulas = {name: formulas[name] for name in self.quantities}
        if any(0 in shape(value) for value in formulas.values()):
            return None
        values = known_values(self.system)
        rates = None
        if values.keys() >= {*self.parameters}:
            with suppress(ExpressionError):
                rates = np.array(self._initial[len(self.coordinates) :], dtype=float)
        of = self.system, formulas, doubts, self._expand, self._options, values, self._witness, rates
        direct = DirectFunction(*of)
        if self._witness and (self._closed or "acceleration" in self.quantities):
            self._compare_solved(direct)
        return direct

    def _compare_solved(self, direct: DirectFunction) -> None:
        """Compare accelerations that the code solves for: by the equations, or with the interpreter's if closed."""
        if self._closed:
            values, at = self._values(read_states(self.system, self._closed.columns))
            values |= self._closed.directions
            found = direct.evaluate(self._operands(direct, values, at))[0]
            self._closed.leave_open(found)
            self._closed.compare(found, self.backend)
            return
        known = self._reference
        at = GivenNumbers(self.system, known.values, known.count, False)
        found = direct.evaluate(self._operands(direct, known.values, at))[0]
        compare_made(known, self.backend, self.system, ("acceleration",), found)

    def _call_directly(self, direct: DirectFunction, q: Any, v: Any, a: Any, t: Any, *along: Any) -> Numbers | None:
        """Pass arrays of floats to machine code as they are; None if arguments or results must be examined."""
        arrays = None if a is None and self._accelerated else direct.arrange(q, v, a, t, *along)
        if not arrays or not (found := direct(arrays)):
            return None
        shape = arrays["q"].shape
        single = len(shape) == 1
        columns = StateColumns(self.coordinates, arrays, a is not None, found[1], direct)
        return self._finish(GivenNumbers(self.system, columns, 1 if single else shape[0], single), found[0])

    def _operands(self, direct: DirectFunction, values: Mapping[str, Any], at: GivenNumbers) -> dict[str, Any]:
        """Return the operands of machine code from the values of all symbols."""
        wide = {
            o.name: np.stack([np.broadcast_to(values[x], (at.count,)) for x in o.symbols], axis=-1, dtype=float)
            for o in direct.operands
        }
        found = {o.name: wide[o.name] if o.axis else wide[o.name][:, 0] for o in direct.operands}
        return {name: x[0] for name, x in found.items()} if at.single else found

    def _finish(self, at: GivenNumbers, found: dict[str, Array]) -> Numbers:
        """Return the results of machine code as :class:`Numbers`; they have passed its check already."""
        closed, formalism, findings, rows, labels = self._common_part
        if closed:
            closed.leave_open(found)
        return Numbers(formalism, at, found, findings, rows, indices=labels)

    @cached_property
    def _common_part(self) -> tuple[Any, ...]:
        """Common part of results of machine code, with their findings: warnings, and remarks on the constraints."""
        remarks = self._closed.remarks if self._closed else ()
        findings = (*(w for w in self.warnings if w.severity != "note"), *remarks)
        return self._closed, self.formalism, findings, self.rows, self._labels

    @cached_property
    def _along(self) -> bool:
        """True if a requested quantity is along a direction, which a call gives."""
        return bool({*self.quantities} & {*ALONG})

    @cached_property
    def _accelerated(self) -> str:
        """Name of a requested quantity that needs accelerations as an argument; empty if none does."""
        if JOINT_FORCES in self.quantities:
            return "joint forces"
        if FOLLOWS in self.quantities:
            return "rates of speeds"
        moving = read_kinematics(self.system, self.quantities).values()
        return "accelerations of points" if any(x.is_accelerated for x in moving) else ""

    def _imposed_accelerations(self) -> list[Expression]:
        """Return the accelerations imposed by drives, as formulas, if the call gives them."""
        if self._closed or not SOLVED & {*self.quantities}:
            return []
        return self._expand(find_imposed_accelerations(self.system).values())

    def _say(self, witness: Diagnostic) -> None:
        """Store the result of the comparison; add it to the warnings if less than all was compared."""
        self.witness = witness
        if says_less(witness) and witness not in self.warnings:
            self.warnings += (witness,)

    def _require_compared(self, count: int) -> None:
        """Compare the code for one or several states with a reference before returning its first numbers."""
        alone = count == 1 and True in self._pending
        if alone in self._pending:
            self._compare(self._reference, alone)
            self._pending.discard(alone)
            if not self._pending:
                self.__dict__.pop("_reference", None)

    def _compare(self, known: Points, alone: bool) -> None:
        """Compare all quantities with the reference; if ``alone``, call for states 0 and 3 (large angles) alone."""
        for state in (0, 3) if alone else ():
            for name, array in self._arrays(self._run(known.values_at(state)), 1).items():
                value, bound = (x[state : state + 1] for x in known.array(name))
                known.compare(f"{self.backend}, one state", name, array, value, bound)
        if alone:
            return
        found = self._arrays(self._run(known.values), known.count)
        compare_delivered(known, self.backend, found)
        if self._closed:
            values, _ = self._values(read_states(self.system, self._closed.columns))
            values |= self._closed.directions
            self._closed.compare(self._arrays(self._run(values), len(self._closed.states)), self.backend)
            return
        self._complete(found, known.count, known.values)
        compare_made(known, self.backend, self.system, self.quantities, found)

    def _formula(self, name: str) -> Nested:
        """Return the formulas of a quantity, delivered by the formalism or derived from delivered ones."""
        if name in self._delivered:
            return self._delivered[name]
        if name == "inverse_dynamics":
            return derive_inverse(Derivation(self.formalism, self.system, self._delivered))
        solved = solve_open(self.system, self._delivered) if name == "acceleration" else None
        if solved:
            return solved[0]
        message = f"{self.formalism} does not deliver it: it is solved from {', '.join(EQUATION)}"
        raise NumbersError(error(f"quantities/{name}", message, "call the compiled equations themselves"))

    def _expand(self, outputs: Iterable[Expression]) -> list[Expression]:
        """Substitute the formulas of functions and the numbers of fixed parameters."""
        found = define(outputs, self.system.functions)
        numbers = {symbol(name): number(Fraction(value)) for name, value in self.fixed.items()}
        return substitute(found, numbers) if numbers else found

    def _values(self, at: GivenNumbers) -> tuple[dict[str, Any], GivenNumbers]:
        """Return the values of all symbols, and the given states completed by values from the model."""
        own = {name: at.values[name] for name in self.parameters if name in at.values}
        if own and self.fixed:
            message, remedy = "parameters were fixed when the equations were compiled", "parameters='free'"
            raise NumbersError([error(f"parameters/{name}", message, remedy) for name in own])
        fixed = self._fixed_with(own) if own else self._fixed_values
        values: dict[str, Any] = {**fixed, "t": 0.0, **at.values}
        names = [*self.coordinates, *(f"{name}'" for name in self.coordinates)]
        if not all(name in at.values for name in names):
            initial = self._initial_with(fixed) if own else self._initial
            values |= {name: x for name, x in zip(names, initial, strict=True) if name not in at.values}
        for name in self.coordinates:
            values.setdefault(f"{name}''", 0.0)
        return values, at.fill(values)

    @cached_property
    def _fixed_values(self) -> dict[str, Any]:
        """Values of the model's parameters by name."""
        return parameter_values(self.system)

    @cached_property
    def _initial(self) -> list[Any]:
        return self._initial_with(self._fixed_values)

    def _fixed_with(self, own: Mapping[str, Any]) -> dict[str, Any]:
        if any(np.ndim(x) for x in own.values()):
            with np.errstate(all="ignore"):
                return parameter_values(self.system, own, numpy_arithmetic())
        return parameter_values(self.system, {name: float(x) for name, x in own.items()})

    def _initial_with(self, fixed: Mapping[str, Any]) -> list[Any]:
        """Return initial positions, then rates, at these values of parameters."""
        coordinates = self.system.coordinates
        start = [*(c.position for c in coordinates), *(c.velocity for c in coordinates)]
        several = any(np.ndim(x) for x in fixed.values())
        return evaluate(define(start, self.system.functions), fixed, numpy_arithmetic() if several else FLOAT)

    def _arrays(self, rows: Array, n: int) -> dict[str, Array]:
        """Split the outputs (m, n) or (m, 1) into an array (n, …) for each quantity."""
        found, first = {}, 0
        for name, value in self._delivered.items():
            form = shape(value)
            last = first + int(np.prod(form, dtype=int))
            block = np.broadcast_to(rows[first:last], (last - first, n))
            found[name], first = np.ascontiguousarray(block.T).reshape(n, *form), last
        return found

    def _complete(self, found: dict[str, Array], count: int, values: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
        """Add inverse dynamics and solved quantities to the others; return findings about their solution."""
        if "inverse_dynamics" in self.quantities and "inverse_dynamics" not in found:
            columns = [np.broadcast_to(values[f"{name}''"], (count,)) for name in self.coordinates]
            moved = np.einsum("sij,sj->si", found["M"], np.array(columns).T)
            found["inverse_dynamics"] = moved + found["h"] - found["gravity"] - found["applied"]
        if not SOLVED & {*self.quantities}:
            return ()
        arrays = {name: np.broadcast_to(x, (count,)) for name, x in values.items()}
        return tuple(solve(found, self.system, arrays))


def _list_needed(derivation: Derivation, quantities: Iterable[str]) -> tuple[str, ...]:
    """List the quantities that are taken from the derivation."""
    found: dict[str, None] = {}
    for name in quantities:
        direct = _is_delivered(derivation, name)
        if direct:
            found[name] = None
        if name in SOLVED or not direct:
            found |= dict.fromkeys(EQUATION)
    return tuple(found)


def _is_delivered(derivation: Derivation, name: str) -> bool:
    """Return True if a quantity is delivered under this name or its ASCII spelling."""
    own = SPELLED.get(name, name)
    return own in derivation.quantities or own in derivation.native


def _value(derivation: Derivation, name: str) -> Nested:
    own = SPELLED.get(name, name)
    return derivation.quantities[own] if own in derivation.quantities else derivation.native[own]


def regular(value: Nested) -> bool:
    """Return True if a quantity is an array: rows of one length."""
    if not isinstance(value, tuple):
        return isinstance(value, Expression)
    return len({shape(item) for item in value}) <= 1 and all(map(regular, value))
