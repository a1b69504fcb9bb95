"""Compilation of a model's equations, which are derived as a whole or computed link by link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.llvm.options import Accuracy, Options
from mbconcord.kernels.registry import choose_backend
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.derivation import EFFORT, Derivation, flatten
from mbconcord.model.derivatives import ALONG, CHANGES, DERIVED, OF_FORWARD, with_derivatives
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.expressions import ZERO
from mbconcord.model.expressions.program import count_program, program
from mbconcord.model.kinematics import IN_SPEEDS, KINDS, MACHINE, Speeds, read_kinematics, read_speeds
from mbconcord.model.mixed import find_imposed_accelerations, list_quantities
from mbconcord.model.numbers import Instance, parameter_values
from mbconcord.model.system import System
from mbconcord.records import replace
from mbconcord.reports.equations.listing import SPELLED, axes_of, is_inner
from mbconcord.validation.witnesses.kinematics import has_motions

from ..derivatives import NO_SPEEDS, derived_asked, report_across, with_kinematics, with_speeds
from ..interpreted import WITNESS, draw_values
from ..request import list_names, require, require_kinds
from ..source import Model, Parameters, Source, locate_errors, source
from .closed import (
    MOTION,
    SOUND,
    ClosedMotion,
    change_open,
    impose_accelerations,
    solve_actuated,
    solve_closed,
    solve_open,
)
from .closing import CLOSING, Closing
from .compiled import ENTRIES, EQUATION, PLACES, SOLVED, Compiled, regular
from .links import QUANTITY, CompiledLinks
from .witness import compare_along

#: Number of coordinates beyond which the first of :data:`.registry.FAST` is chosen without counting operations.
LARGE: Final = 8
#: Quantities that any formalism with :data:`.EQUATION` gives.
OF_ALL: Final = frozenset({*EQUATION, *DERIVED, *ALONG, *MOTION, *CLOSING, *SOLVED, SOUND, "inverse_dynamics"})
#: Matrices whose entries may be requested so; of the symmetric ones the lower triangle.
MATRICES: Final = frozenset({"M", *DERIVED})
SYMMETRIC: Final = frozenset({"M", "da_dtau"})
#: Words for parameters: ``free``, a call may set them, or ``fixed``, they become constants.
WAYS: Final = ("free", "fixed")


@require_kinds
def compile(
    model: Model,
    quantities: str | Iterable[str] = EQUATION,
    formalism: str | Formalism | None = None,
    backend: str = "auto",
    *,
    parameters: Parameters | Literal["free", "fixed"] | None = None,
    physics: Policy | None = None,
    format: str | None = None,
    fma: bool = True,
    accuracy: Accuracy = "compensated",
    per_link: bool = False,
    witness: bool = True,
    speeds: Mapping[str, Any] | None = None,
    actuated: str | Sequence[str] | None = None,
) -> Compiled:
    """Compile equations of motion into a function that evaluates them at one state or at thousands at once.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    quantities : some of ``M``, ``h``, ``gravity``, ``applied``, ``inverse_dynamics`` = M a + h - gravity - applied and
        ``acceleration``, its inverse; the Coriolis matrix ``C``, derivatives ``dtau_dq``, ``dtau_dv``,
        ``da_dq``, ``da_dv``, ``da_dtau``; along a direction that a call gives (``dq``, ``dv``) ``dtau_along``,
        ``da_along``, ``dlambda_along``, the second ones ``d2tau_along``, ``d2a_along``, ``d2lambda_along``; the
        ``regressor``; of matrices the entries not zero, as ``regressor_nonzero`` and ``M_lower``, with rows and columns
        in ``places``; kinematic quantities as ``pose(hand)``, ``jacobian(tip, in=body)`` and ``kinetic_energy``; or the
        formalism's own, such as ``L``. Of a model with constraints these are of its open tree, in addition to ``D`` and
        ``gamma_tilde`` of D q'' + γ̃ = 0; its ``acceleration``, ``lambda``, ``reactions`` and ``da_*`` are those of the
        motion that the constraints admit; ``closing`` and ``closing_rates`` are changes of positions and rates by a
        step onto them, as ``close`` makes
    formalism : source of the equations; None: the one with the fewest operations; for larger models the first of
        :data:`mbconcord.formalisms.registry.FAST`; with ``per_link`` the first that computes link by link
    backend : evaluates the equations: ``llvm``, machine code, best at thousands of states (``pip install
        'mbconcord[jit]'``); ``numpy``, best at many states at once, with the least to compile; ``python``, best at one
        state again and again; or ``auto``: ``llvm`` if it is installed, else ``numpy``, with a note in ``warnings``
    parameters : values for the model, which a call may override; ``"fixed"``: those of the model become constants of
        the equations, which saves operations
    physics : treatment of impossible masses and inertias; None: the format's default
    format : of the file, if its name does not determine it
    fma : for ``llvm``: whether a product and a sum are rounded once; without, its numbers are those of ``numpy`` except
        for sines and cosines, which are its own
    accuracy : accuracy of sines and cosines by ``llvm``: ``compensated``, within 0.75 ulp; ``plain``, 1.5; ``library``,
        the C library's
    per_link : whether to loop the formalism's recursion over the links instead of deriving it as a whole: for open
        trees without forces between bodies, ``inverse_dynamics`` alone, in time and memory linear in the bodies. Use it
        for models of hundreds of bodies and more
    witness : whether to compare the code with the interpreter of the graph at nine states, angles beyond 1e7 rad and
        denormals among them, which takes a part of the time of compiling; without, ``warnings`` says so
    speeds : speeds other than rates, as of :func:`mbconcord.evaluate`; with them ``u``, ``du_dv``, ``M_u``, ``h_u``,
        ``gravity_u``, ``applied_u``, ``inverse_dynamics_u`` and ``C_u`` may be requested, and ``acceleration_u`` = u'
        at the accelerations q'' that a call gives
    actuated : coordinates of a model with constraints whose accelerations a call gives, and whose drives cause them:
        then ``effort`` are the whole efforts of these, inverse dynamics, and ``acceleration`` is of this motion

    Returns
    -------
    Compiled
        ``f(q, v, t=…, a=…, **parameters)``: q and v have places, all else is named.

    Raises
    ------
    FormalismError
        The formalism does not take the model, and why.
    NumbersError
        A quantity is unknown; the message lists the known ones.
    DisagreementError
        The compiled code and the interpreter disagree; the message has both numbers and the state.
    MbconcordError
        There is no such backend; the known ones are listed.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g9.81", format="mbsd")
    >>> f = mbconcord.compile(pendulum, "acceleration")
    >>> f([[0.5], [1.5]], [[0.0], [0.0]])["acceleration"].round(6)
    array([[-2.351582],
           [-4.892713]])
    """
    backend, said = choose_backend(backend)
    options = Options(fma, accuracy)
    how = parameters if isinstance(parameters, str) else "free"
    if how not in WAYS:
        raise NumbersError(error("parameters", f"expected values by name, found {how!r}", among(how, WAYS)))
    values = None if isinstance(parameters, str) else parameters
    found = source(model, format, physics, values).plausible()
    names = list_names(quantities)
    turned = None if speeds is None else read_speeds(found.system, speeds)
    moved = () if actuated is None else list_names(actuated)
    if formalism is None:
        taken = impose_accelerations(found.system, moved) if moved else found.system
        bases = [*map(_find_matrix, names)]
        by = registry.formalism(registry.PER_LINK) if per_link else _choose_fastest(taken, bases, turned)
    else:
        by = registry.formalism(formalism) if isinstance(formalism, str) else formalism
    if per_link:
        return _links(found, by, names, how, backend, said, options, witness)
    whole, names = names, tuple(dict.fromkeys(map(_find_matrix, names)))
    with locate_errors(found):
        require_ranges(found.system)
        require(by, found.system)
        along = [name for name in names if name in ALONG]
        wanted = (*names, *EQUATION) if SOLVED & {*names} else names
        if along:
            wanted = (*(name for name in wanted if name not in ALONG), *EQUATION, "inverse_dynamics")
        closed = solve_asked(by, found.system, names, moved)
        said = (*said, *report_across(found.system, names))
        closed = closed and extend_closed(closed, by, names, turned)
        derivation = closed.derivation if closed else derived_asked(by, found.system, wanted, names, turned)
        if along:
            derivation = add_changes(by, derivation, along, closed)
            closed = closed and replace(closed, derivation=derivation)
            said = (*said, *(judge_changes(derivation, along, closed) if witness else ()))
        _require_known(derivation, names)
        if whole != names:
            derivation = _list_entries(derivation, whole, closed is not None)
        warned = tuple(d for d in found.diagnostics if d.severity != "note")
        fixed = parameter_values(found.system) if how == "fixed" else None
        return Compiled(
            derivation, whole, backend, (*map(found.locate, warned), *said), options, fixed, witness, closed
        )


def solve_asked(by: Formalism, system: System, names: Sequence[str], actuated: Sequence[str]) -> ClosedMotion | None:
    """Solve the motion with constraints, or steps onto these, if some quantity is of them; None if none is.

    Raises
    ------
    FormalismError, NumbersError
        As for :func:`.solve_closed` and :func:`.solve_actuated`; or steps are asked for with other quantities.
    """
    if actuated:
        return solve_actuated(by, system, actuated, names)
    imposed = EFFORT in names and find_imposed_accelerations(system)
    if not system.constraints or not (imposed or {*MOTION, *OF_FORWARD, *CHANGES, *CLOSING} & {*names}):
        return None
    if not {*CLOSING} & {*names}:
        return solve_closed(by, system)
    if others := [name for name in names if name not in CLOSING]:
        message = "states that are to be closed have no other quantities yet"
        raise NumbersError(error(f"quantities/{others[0]}", message, "compile or export it by itself"))
    return Closing(solve_closed(by, system)).extend()


def extend_closed(closed: ClosedMotion, by: Formalism, names: Sequence[str], turned: Speeds | None) -> ClosedMotion:
    """Add what is not of the motion: derivatives, kinematic quantities, and quantities in other speeds."""
    asked = [name for name in names if name in IN_SPEEDS]
    parts = [part for name in asked for part in IN_SPEEDS[name]]
    others = [name for name in dict.fromkeys((*names, *parts)) if name in DERIVED and name not in OF_FORWARD]
    moving = read_kinematics(closed.derivation.system, names)
    made = with_kinematics(with_derivatives(closed.derivation, by.derive, others), by, moving)
    return replace(closed, derivation=with_speeds(made, by, turned, asked) if turned and asked else made)


def add_changes(by: Formalism, derivation: Derivation, along: Sequence[str], closed: ClosedMotion | None) -> Derivation:
    """Add changes along a direction, of :data:`.ALONG`, to the native quantities.

    Raises
    ------
    FormalismError
        As for :func:`.change_open`.
    NumbersError
        Changes of multipliers are asked for of a model without constraints.
    """
    if not closed and (lost := [name for name in along if ALONG[name][0] == "lambda"]):
        raise NumbersError(error(f"quantities/{lost[0]}", "without constraints there are no multipliers", "remove it"))
    made = with_derivatives(derivation, by.derive, along)
    return change_open(made) if not closed and {*CHANGES} & {*along} else made


def judge_changes(derivation: Derivation, along: Sequence[str], closed: ClosedMotion | None) -> Iterator[Diagnostic]:
    """Compare changes along a direction with differences; yield a note if there are none."""
    system, acceleration = derivation.system, derivation.native.get("acceleration", ())
    values = draw_values(system)
    if closed:
        known = Instance(system, closed.states).values
        values = {f"{name}''": 1.0 for name in system.coordinate_names} | dict(known) | dict(closed.directions)
    elif solved := solve_open(system, derivation.quantities) if {*CHANGES} & {*along} else None:
        acceleration = solved[0]
    if why := compare_along(derivation, along, acceleration, values):
        yield Diagnostic("note", f"{WITNESS}/{along[0]}", f"{why}, so no differences are compared with it")


def _find_matrix(name: str) -> str:
    """Return the matrix whose entries a quantity lists; the quantity itself if it lists none."""
    base, mark, kind = name.rpartition("_")
    return base if mark + kind in ENTRIES and base in (MATRICES if kind == "nonzero" else SYMMETRIC) else name


def _list_entries(derivation: Derivation, asked: Sequence[str], solved: bool) -> Derivation:
    """Add the requested entries of matrices to the native quantities, with the names of their rows and columns.

    Raises
    ------
    NumbersError
        All entries are zero, or the matrix is of a motion with constraints, some of whose states are interpreted.
    """
    native: Any = {}
    indices: Any = {}
    for name in asked:
        base = _find_matrix(name)
        if base == name:
            continue
        value: Any = derivation.quantities[base] if base in derivation.quantities else derivation.native[base]
        rows, columns = axes_of(derivation, base) or [derivation.system.coordinate_names] * 2
        lower = name.endswith(ENTRIES[1])
        there = ((i, k) for i, row in enumerate(value) for k, x in enumerate(row) if x is not ZERO)
        places = [(i, k) for i, k in there if k <= i or not lower]
        if not places or (solved and base in OF_FORWARD):
            message = "all of its entries are zero" if not places else "it is solved with constraints as a whole"
            raise NumbersError(error(f"quantities/{name}", message, f"compile {base}"))
        native[name] = tuple(value[i][k] for i, k in places)
        indices[name] = (tuple(f"{rows[i]}, {columns[k]}" for i, k in places),)
        indices[f"{PLACES}{name}"] = tuple(zip(*places, strict=True))
    return replace(derivation, native=derivation.native | native, indices={**derivation.indices, **indices})


def _choose_fastest(system: System, names: Sequence[str], speeds: Speeds | None = None) -> Formalism:
    """Choose the formalism of :data:`.registry.FAST` that delivers the quantities with the fewest operations.

    For larger models choose the first that takes the model; if none does, the default formalism, whose error says why.
    """
    counted: dict[str, int] = {}
    moving = read_kinematics(system, names)
    for name in registry.FAST:
        by = registry.formalism(name)
        if not OF_ALL.issuperset({*names} - {*moving, *IN_SPEEDS}) or by.constraint_obstacles(system):
            continue
        if (moving or (speeds and speeds.bodies)) and not has_motions(by):
            continue
        if len(system.coordinates) > LARGE:
            return by
        derivation = by.derive_asked(system, EQUATION)
        if {*EQUATION} <= {*derivation.quantities}:
            lines = program([x for part in EQUATION for x in flatten(derivation.quantities[part])])
            counted[name] = count_program(lines, lines.outputs).total
    return registry.formalism(min(counted, key=lambda name: counted[name], default=registry.DEFAULT))


def _links(
    found: Source, by: Formalism, names: tuple[str, ...], how: str, backend: str, said: tuple[Diagnostic, ...],
    options: Options, witness: bool,
) -> Compiled:  # fmt: skip
    """Compile the recursion of a formalism, looped over the links."""
    if names != (QUANTITY,):
        message = f"link by link there is {QUANTITY} alone"
        raise NumbersError([error(f"quantities/{name}", message) for name in names if name != QUANTITY])
    if how == "fixed":
        message = "link by link parameters are numbers of the links, which a call may set"
        raise NumbersError(error("parameters", message, "parameters='free'"))
    with locate_errors(found):
        require_ranges(found.system)
        warned = tuple(found.locate(d) for d in found.diagnostics if d.severity != "note")
        return CompiledLinks(by, found.system, backend, (*warned, *said), options, witness)


def _require_known(derivation: Derivation, names: tuple[str, ...]) -> None:
    """Refuse names of quantities that the derivation does not contain and that cannot be computed from it."""
    wanted = {SPELLED.get(name, name) for name in names}
    own = derivation.native if wanted - {*derivation.quantities} else ()
    known = [*derivation.quantities, *(n for n in own if n in DERIVED or regular(derivation.native[n]))]
    known = [name for name in known if not is_inner(name)]
    if all(name in derivation.quantities for name in EQUATION):
        made = [name for name in ("inverse_dynamics", *sorted(SOLVED)) if name in list_quantities(derivation.system)]
        known += [name for name in made if name not in known]
    known += [ascii for ascii, own in SPELLED.items() if own in known]
    if derivation.system.constraints:
        known = [name for name in known if name not in SOLVED or name in derivation.native]
    listed = (*MACHINE, *(f"{kind}(BODY)" for kind in KINDS))
    findings = []
    for name in names:
        if name in SOLVED and name not in known and derivation.system.constraints:
            message = "the model has constraints, and it is solved with them"
            remedy = "name the coordinates that are moved, actuated=['z1'], or mbconcord.evaluate gives them"
            findings.append(error(f"quantities/{name}", message, remedy))
        elif name in IN_SPEEDS and name not in known:
            findings.append(error(f"quantities/{name}", *NO_SPEEDS))
        elif name not in known:
            message = f"{derivation.formalism} does not deliver it here"
            findings.append(
                error(f"quantities/{name}", message, among(name, dict.fromkeys((*known, *DERIVED, *ALONG, *listed))))
            )
    if not names:
        findings.append(error("quantities", "none is asked for", f"known: {', '.join(known)}"))
    if findings:
        raise NumbersError(findings)
