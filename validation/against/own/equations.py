"""Own equations M(q) u' = f(q, u, t) with q' by u, read from the objects of SymPy that hold them.

All entries are converted in one traversal. Before use, the graph is compared with SymPy's own floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from mbconcord.model.diagnostics import DisagreementError, MbconcordError, error
from mbconcord.model.expressions import (
    FLOAT,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    derivative,
    evaluate,
    rate,
    substitute,
    symbol,
    symbols,
)
from mbconcord.model.expressions.exchange import dumps
from mbconcord.model.expressions.sympy_exchange import SymPyReader
from mbconcord.model.limits import count, line
from mbconcord.records import dataclass, field, replace

from .alone import Matrix, dot, find_contradictions, find_wrong_turning

#: What a neutral file of equations says that it is, and its names of what ``own`` is told.
FORMAT, VERSION = "mbconcord equations", 1
TOLD: Final = ("coordinates", "rates", "symbols", "inputs")

#: Largest numbers of speeds that are taken.
MOST: Final = 200
#: How far the graph's floats may be from SymPy's, of the largest entry, at how many states of so many tries.
SAME, STATES, TRIES = 1e-10, 2, 20


@dataclass(frozen=True)
class DependentSpeeds:
    """Velocity constraints B u + b = 0: first rows of M are [1 Aᵀ] times those of all speeds, last are their rates."""

    B: Matrix
    b: tuple[Expression, ...]
    A: Matrix


@dataclass(frozen=True, repr=False)
class OwnEquations:
    """Equations M u' = forcing, q' = qdot(q, u, t), in their author's names.

    Attributes
    ----------
    kind : kind of source that they were read from, ``KanesMethod``
    q, u : names of coordinates and speeds
    qdot, M, forcing : formulas
    constraints : description of constraints that are not in M and forcing; empty if there are none
    coordinates, rates, symbols, inputs : the author's formulas: name of one side -> formula in names of the other
    notes : sentences on parts of the source that were not examined
    dependent : velocity constraints that make the last speeds dependent
    frames : angular velocities of bodies that are not the rates of their orientations, in sentences
    solved : True if only u' is known: then M is the identity matrix without meaning, and forcing is u'
    """

    kind: str
    q: tuple[str, ...]
    u: tuple[str, ...]
    qdot: tuple[Expression, ...]
    M: Matrix
    forcing: tuple[Expression, ...]
    constraints: str = ""
    coordinates: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    dependent: DependentSpeeds | None = None
    frames: tuple[str, ...] = ()
    solved: bool = False

    def __post_init__(self) -> None:
        _require_form(self)

    def __repr__(self) -> str:
        return line("OwnEquations", f"of {self.kind}", count(len(self.u), "speed"), *self.findings)

    @property
    def own_rates(self) -> bool:
        """True if the speeds are the rates of the coordinates, in their order."""
        return self.qdot == tuple(map(symbol, self.u))

    @property
    def findings(self) -> tuple[str, ...]:
        """Contradictions of the equations with themselves, found without a model; empty if there are none."""
        return (*self.contradictions, *self.frames)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The contradictions within M and forcing."""
        if self.dependent or self.solved:  # whose rows are no symmetric M, or none of theirs
            return ()
        return tuple(find_contradictions(self.M, self.forcing, self.q, self.u, self.own_rates))

    def to_json(self) -> dict[str, Any]:
        """Convert to the data of an ``eqs.json`` file, which ``own("eqs:FILE")`` reads.

        Entries are given as places among the outputs of the graph.
        """
        places = iter(range(len(self.formulas)))
        d = self.dependent

        def take(rows: Matrix) -> list[list[int]]:
            return [[next(places) for _ in row] for row in rows]

        M, (forcing, qdot) = take(self.M), take((self.forcing, self.qdot))
        ties = {"B": take(d.B), "c": take((d.b,))[0], "A": take(d.A)} if d else None
        return {
            "format": FORMAT, "version": VERSION, "source": self.kind, "q": [*self.q], "u": [*self.u], "qdot": qdot,
            "M": M, "forcing": forcing, "velocity_rows": ties, "constraints": self.constraints,
            "notes": [*self.notes], **({"solved": True} if self.solved else {}),
            **{name: dict(getattr(self, name)) for name in TOLD}, "graph": dumps(self.formulas),
        }  # fmt: skip

    @property
    def formulas(self) -> tuple[Expression, ...]:
        """All formulas: M row by row, forcing, q', and those of the dependent speeds."""
        d = self.dependent
        rows = (*self.M, self.forcing, self.qdot, *((*d.B, d.b, *d.A) if d else ()))
        return tuple(x for row in rows for x in row)

    def with_formulas(self, formulas: Iterable[Expression]) -> OwnEquations:
        """Return these equations with other formulas, in the order of :attr:`formulas`."""
        left, d = iter(formulas), self.dependent

        def take(like: Iterable[Sequence[Expression]]) -> Matrix:
            return tuple(tuple(next(left) for _ in row) for row in like)

        M, (forcing, qdot) = take(self.M), take((self.forcing, self.qdot))
        rows = DependentSpeeds(take(d.B), take((d.b,))[0], take(d.A)) if d else None
        return replace(self, M=M, forcing=forcing, qdot=qdot, dependent=rows)


def _require_form(own: OwnEquations) -> None:
    """Raise :class:`MbconcordError` for equations that are not of the form M u' = f."""
    n, found = len(own.u), []
    names = (*own.q, *own.u)
    if len({*names, "t"}) <= len(names):
        message = f"found {', '.join(names)}: two of them have one name, or one has that of the time t"
        found.append(error("q", message, "give every coordinate and every speed a name of its own"))
    for name, of_speeds in zip(own.q, own.qdot, strict=False):
        other = f"{name}'"
        if other in own.q or (other in own.u and of_speeds != symbol(other)):
            message = f"found {other} as the name of something else than the rate of {name}"
            found.append(error("q" if other in own.q else "u", message, "name it otherwise, such as u1"))
    d = own.dependent
    m = len(d.b) if d else 0
    if d and ({*map(len, d.B)}, len(d.B), {*map(len, d.A)}, len(d.A)) != ({n}, m, {n - m} if n > m else set(), m):
        said = f"B, c and A have {len(d.B)}, {m} and {len(d.A)} rows, of {[*map(len, d.B)]} and {[*map(len, d.A)]}"
        found.append(error("velocity_rows", said, f"give {count(m, 'row')} of {n} in B and of {n - m} in A"))
    rows = {len(row) for row in own.M} | {len(own.M), len(own.forcing)}
    if rows != {n} and n:
        wide = len(own.M[0]) if own.M else 0
        message = f"M is {len(own.M)} by {wide} and forcing has {count(len(own.forcing), 'row')}"
        found.append(error("M", message, f"give a row for every speed ({', '.join(own.u)})"))
    if not n or n > MOST:
        found.append(error("u", f"found {count(n, 'speed')}, expected 1 to {MOST}"))
    accelerations = {f"{u}'" for u in own.u} | {f"{q}''" for q in own.q}
    named = [(f"forcing[{u}]", x) for u, x in zip(own.u, own.forcing, strict=False)]
    named += [
        (f"M[{a}, {b}]", x) for a, row in zip(own.u, own.M, strict=False) for b, x in zip(own.u, row, strict=False)
    ]
    for place, x in named:
        for name in sorted(symbols([x]) & accelerations):
            found.append(error(place, f"found {name}", "bring it to the other side: M holds what multiplies it"))
    if found:
        raise MbconcordError(found)


def read_own(
    source: Any,
    *,
    q: Sequence[Any] | None = None,
    u: Sequence[Any] | None = None,
    qdot: Mapping[Any, Any] | None = None,
    **told: Mapping[str, str],
) -> OwnEquations:
    """Read equations from an object of SymPy's mechanics, matrices, or a residual; see :func:`mbconcord.own`."""
    kind, q, u, qdot, entries, constraints, notes = next(_sources(source, q, u, qdot))
    reading = Reading()
    names = tuple(reading.name(x) for x in q)
    speeds = tuple(f"{name}'" for name in names) if u is None else tuple(reading.name(x) for x in u)
    made = {key: reading.read(key, x) for key, x in entries.items()}
    of_speeds = {reading.name(x).removesuffix("'"): value for x, value in qdot.items()}
    given = {name: reading.read(f"qdot[{name}]", value) for name, value in of_speeds.items()}
    reading.require_unlike_names({*names, *speeds})
    reading.hold()
    if unknown := given.keys() - {*names}:
        raise MbconcordError(
            error("qdot", f"found {', '.join(sorted(unknown))}", f"coordinates are {', '.join(names)}")
        )
    if u is None and any(given[name] != rate(name) for name in given):
        raise MbconcordError(error("qdot", "found formulas of rates, and no speeds", "name these: u=['u1', 'u2']"))
    of_q = tuple(given.get(name, rate(name)) for name in names)
    if u is not None and len(given) < len(names) and speeds != tuple(f"{name}'" for name in names):
        missing = ", ".join(name for name in names if name not in given)
        raise MbconcordError(error("qdot", f"found no rate of {missing} by the speeds", "give qdot={q: formula of u}"))
    written = dict(zip((rate(name) for name in names), of_q, strict=True))
    dependent = None
    if kind == "residual":
        M, forcing = separate(made, speeds, written)
    else:
        new = dict(zip(made, substitute(made.values(), written), strict=True))
        M, B, A = (_collect(name, new) for name in ("M", "B", "A"))
        forcing, b = (tuple(x for row in _collect(name, new) for x in row) for name in ("forcing", "b"))
        dependent = DependentSpeeds(B, b, A) if b else None
    frames: tuple[str, ...] = ()
    if kind == "KanesMethod":
        solved: dict[Expression, Expression] | None = {}
        if dependent:
            free = [symbol(x) for x in speeds[: len(speeds) - len(dependent.b)]]
            last = speeds[len(free) :]
            solved = {
                symbol(x): dot(row, free)
                for x, row in zip(last, dependent.A, strict=True)
            } if not any(dependent.b) else None  # fmt: skip
        method = source if type(source).__name__ == kind else getattr(source, "eom_method", None) or source.method
        frames, left = find_wrong_turning(method, Reading, dict(zip(names, of_q, strict=True)), solved)
        notes = (*notes, *left)
    return OwnEquations(
        kind, names, speeds, of_q, M, forcing, constraints, notes=notes, dependent=dependent, frames=frames,
        solved=False, **told,
    )  # fmt: skip


def _collect(name: str, entries: Mapping[str, Expression]) -> Matrix:
    """Return the rows of a matrix from its named entries."""
    rows: dict[str, list[Expression]] = {}
    for key, x in entries.items():
        if key.startswith(f"{name}["):
            rows.setdefault(key.partition(",")[0], []).append(x)
    return tuple(map(tuple, rows.values()))


def separate(made: Mapping[str, Expression], speeds: Sequence[str], written: Mapping[Expression, Expression]) -> Any:
    """Split residuals into M and forcing: R = M u' - forcing."""
    residual = substitute(made.values(), written)
    a = [symbol(f"{u}'") for u in speeds]
    M = tuple(tuple(derivative(r, x) for x in a) for r in residual)
    for i, row in enumerate(M):
        for u, x in zip(speeds, row, strict=True):
            if symbols([x]) & {node.data for node in a}:
                message = f"found a term that is not linear in {u}'"
                raise MbconcordError(error(f"residual[{i + 1}]", message, "give M and forcing"))
    still = substitute(residual, dict.fromkeys(a, ZERO))
    return M, tuple(-x for x in still)


def _sources(source: Any, q: Any, u: Any, qdot: Any) -> Iterator[Any]:
    """Yield for each way to read the source: kind, q, u, q' as formulas of u, named entries, constraints, notes."""
    kind = type(source).__name__
    for inner in ("eom_method", "method"):  # System, JointsMethod
        if kind in ("System", "JointsMethod") and hasattr(source, inner):
            if getattr(source, inner) is None:
                raise MbconcordError(error(kind, "its equations were not formed", "call form_eoms first"))
            yield from _sources(getattr(source, inner), q, u, qdot)
            return
    if kind in ("KanesMethod", "LagrangesMethod"):
        former = "kanes_equations" if kind == "KanesMethod" else "form_lagranges_equations"
        try:
            M, forcing = source.mass_matrix, source.forcing
        except (ValueError, AttributeError, TypeError):
            M = None
        if M is None:
            raise MbconcordError(error(kind, f"{former} was not called", "form the equations first"))
        if kind == "KanesMethod":
            rates, entries = source.kindiffdict(), _entries(M, forcing)
            if len(source._udep):
                entries |= _name_entries("B", source._k_nh) | _name_entries("A", source._Ars)
                entries |= {f"b[{i + 1}]": x for i, x in enumerate(source._f_nh)}
            ties = len(source._f_h)
            said = f"{count(ties, 'configuration constraint')} of KanesMethod" if ties else ""
            notes = ("auxiliary equations were not looked at",) if len(source._uaux) else ()
            yield kind, source.q, source.u, rates, entries, said, notes
        else:
            rows = len(source.coneqs) if source.coneqs is not None else 0
            own = M[:, : len(source.q)]
            said = f"{count(rows, 'row')} with multipliers of LagrangesMethod" if rows else ""
            yield kind, source.q, None, {}, _entries(own, forcing), said, ()
        return
    if q is None:
        if isinstance(source, (tuple, Mapping)):
            raise MbconcordError(error("q", "found matrices without coordinates", "name them: q=['q1', 'q2']"))
        taken = (
            "KanesMethod, LagrangesMethod, System, JointsMethod, (M, forcing), {'M': …, 'forcing': …}, {'residual': …}"
        )
        raise MbconcordError(error("own", f"found {kind}", f"expected {taken}"))
    if isinstance(source, Mapping) and set(source) == {"residual"}:
        column = _cells("residual", source["residual"])
        if wide := next((row for row in column if len(row) != 1), None):
            raise MbconcordError(
                error("residual", f"found a row of {count(len(wide), 'entry', 'entries')}", "expected a column")
            )
        yield "residual", q, u, qdot or {}, {f"residual[{i + 1}]": row[0] for i, row in enumerate(column)}, "", ()
        return
    if isinstance(source, Mapping) and set(source) == {"M", "forcing"}:
        source = (source["M"], source["forcing"])
    if isinstance(source, tuple) and len(source) == 2:
        yield "matrices", q, u, qdot or {}, _entries(*source), "", ()
        return
    found = ", ".join(map(str, source)) if isinstance(source, Mapping) else kind
    raise MbconcordError(error("own", f"found {found}", "expected M and forcing, or residual"))


def _entries(M: Any, forcing: Any) -> dict[str, Any]:
    """Name the entries of M and of forcing."""
    right = [x for row in _cells("forcing", forcing) for x in row]
    return _name_entries("M", M) | {f"forcing[{i + 1}]": x for i, x in enumerate(right)}


def _name_entries(name: str, matrix: Any) -> dict[str, Any]:
    return {f"{name}[{i + 1}, {k + 1}]": x for i, row in enumerate(_cells(name, matrix)) for k, x in enumerate(row)}


def _cells(name: str, matrix: Any) -> list[list[Any]]:
    """Return the rows of a matrix of SymPy, or of nested sequences."""
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    if isinstance(rows, str) or not isinstance(rows, Sequence):
        raise MbconcordError(error(name, f"found {type(matrix).__name__}", "expected a matrix of SymPy"))
    return [list(row) if isinstance(row, (list, tuple)) else [row] for row in rows]


class Reading:
    """One traversal that converts all entries, with the names that occurred and SymPy's own values of the entries."""

    def __init__(self) -> None:
        import sympy
        from sympy.physics.mechanics import dynamicsymbols

        self.sympy, self.time = sympy, dynamicsymbols._t
        self.symbols: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}
        self.roots: dict[str, tuple[Any, Expression]] = {}
        self._reader = SymPyReader(self._leaf)

    def name(self, x: Any) -> str:
        """Return the name of a coordinate or speed, given as SymPy's or as text."""
        return x if isinstance(x, str) else self.leaf_name(x) or str(x)

    def read(self, place: str, x: Any) -> Expression:
        """Convert one entry."""
        if isinstance(x, (int, float)) and not isinstance(x, bool):
            x = self.sympy.sympify(x)
        if not isinstance(x, self.sympy.Expr):
            raise MbconcordError(error(place, f"found {x!r:.40}, no expression of SymPy", "texts are not run"))
        try:
            node = self._reader.read(x)
        except (ExpressionError, ZeroDivisionError) as problem:
            raise MbconcordError(error(place, str(problem))) from None
        self.roots[place] = x, node
        return node

    def leaf_name(self, item: Any) -> str:
        """Return the name of a function of t or of its derivative; empty for anything else."""
        core = self.sympy.core.function
        order = 0
        if isinstance(item, self.sympy.Derivative) and set(item.variables) == {self.time}:
            item, order = item.expr, len(item.variables)
        if isinstance(item, core.AppliedUndef) and item.args == (self.time,):
            return str(item.func.__name__ + "'" * order)
        return ""

    def _leaf(self, item: Any) -> Expression | None:
        if item is self.time:
            return TIME
        if item in (self.sympy.nan, self.sympy.zoo, self.sympy.oo, -self.sympy.oo):
            remedy = "SymPy has divided by zero (a dependent speed that stands in no velocity constraint?)"
            raise ExpressionError(f"found {item}: {remedy}")
        if item.is_Symbol:
            other = self.symbols.setdefault(item.name, item)
            if other != item:
                message = f"two different symbols have the name {item.name!r} (one with other assumptions)"
                raise MbconcordError(error(f"symbols/{item.name}", message, "make it once, and use that one"))
            return None
        name = self.leaf_name(item)
        if name:
            if self.functions.setdefault(name, item) != item:
                message = f"two different functions of time have the name {name!r} (one with other assumptions)"
                raise MbconcordError(error(f"symbols/{name}", message, "make it once, and use that one"))
            return symbol(name)
        return None

    def require_unlike_names(self, moving: set[str]) -> None:
        """Raise :class:`MbconcordError` where a parameter has the name of a function of time or of a coordinate."""
        for name in sorted(self.symbols.keys() & {*self.functions, *moving, "t"}):
            message = f"{name!r} is a parameter and a function of time"
            raise MbconcordError(error(f"symbols/{name}", message, "give one of them another name"))

    def hold(self) -> None:
        """Compare the graph with SymPy's own floats at random states.

        Raises
        ------
        DisagreementError
            They differ: the conversion is wrong, and no verdict on the equations is possible.
        MbconcordError
            SymPy has no numbers at any state.
        """
        random, done = Random(0), 0
        leaves = {**self.symbols, **self.functions, "t": self.time}
        for _ in range(TRIES):
            values = {name: random.uniform(0.2, 1.2) for name in leaves}
            try:
                theirs = self._numbers({leaves[name]: x for name, x in values.items()})
                ours = evaluate([node for _, node in self.roots.values()], values, FLOAT)
            except (ValueError, ZeroDivisionError, OverflowError, TypeError, ExpressionError):
                continue
            largest = max(map(abs, theirs), default=0.0)
            for place, a, b in zip(self.roots, theirs, ours, strict=True):
                if not abs(a - b) <= SAME * largest:
                    message = f"not converted: SymPy gives {a!r} and its conversion {b!r}"
                    raise DisagreementError(
                        error(place, message, "a fault of mbconcord, not of yours: please report it")
                    )
            done += 1
            if done == STATES:
                return
        raise MbconcordError(
            error("own", f"SymPy gives no numbers at {TRIES} random states", "look for 1/0 and √ of less than 0")
        )

    def _numbers(self, known: dict[Any, float]) -> list[float]:
        """Evaluate SymPy's expressions, each subexpression once; SymPy itself evaluates functions."""
        for root, _ in self.roots.values():
            stack = [(root, False)]
            while stack:
                item, ready = stack.pop()
                if item in known:
                    continue
                if not item.args:
                    known[item] = float(item)
                elif not ready:
                    stack.append((item, True))
                    stack += [(arg, False) for arg in item.args]
                else:
                    args = [known[arg] for arg in item.args]
                    if item.is_Add:
                        known[item] = math.fsum(args)
                    elif item.is_Mul:
                        known[item] = math.prod(args)
                    elif item.is_Pow:
                        known[item] = float(args[0] ** args[1])
                    else:
                        known[item] = float(item.func(*map(self.sympy.Float, args)))
        return [known[root] for root, _ in self.roots.values()]
