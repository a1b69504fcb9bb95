"""Certificates of models: the machine from the fields of the model, and the equations that formalisms derive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import islice
from math import isfinite
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mbconcord.api.request import ModelRequest, list_names, takes
from mbconcord.api.source import Model, locate_errors, source
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.diagnostics import DisagreementError, FormalismError, MbconcordError, error
from mbconcord.model.expressions import Expression, evaluate_float, jacobian, rate, substitute, symbol, symbols
from mbconcord.model.expressions.field import Plan, points
from mbconcord.model.expressions.field.extension import inverse
from mbconcord.model.expressions.field.linear import rational
from mbconcord.model.expressions.node import SYM
from mbconcord.model.functions import define
from mbconcord.model.limits import count
from mbconcord.model.omission import format_without
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.exact.proof import approximate

from .machine import StatedMachine, state_coordinates, state_machine, to_ascii
from .process import REFUSED, UNDECIDED, UNREADABLE, Verified, verify_text
from .programs import StepWriter, WordsError, refuse, write_name, write_number

if TYPE_CHECKING:
    from mbconcord.validation.against.own.equations import OwnEquations

#: M, and what it times the accelerations is.
Forms = tuple[tuple[tuple[Expression, ...], ...], tuple[Expression, ...]]
#: The program of equations that are none of a formalism.
OWN: Final = "own"
#: At how many states a difference is looked for, and how far entries of one are apart that are not of rounding.
STATES, ROUNDED = 20, 1e-9
#: Quantities in the order of a program: what depends on accelerations is last.
QUANTITIES = ("M", "h", "gravity", "applied")
#: What to do about a model whose equations are equal to rounding only.
REMEDY = "`mbconcord check` compares them by floats"


@dataclass(frozen=True, kw_only=True)
class CertifyRequest(ModelRequest):
    """Options of :func:`certify`.

    Attributes
    ----------
    formalisms : names of those whose equations the certificate holds; empty: all that take the model
    equations : own equations, as :func:`mbconcord.own` returns them or reads them by a name, or another model
    differs : True for a certificate that ``equations`` are other functions than the model's
    witness : True to run the verifier, and to return only a certificate that it proves
    """

    formalisms: str | Sequence[str] = ()
    equations: OwnEquations | str | None = None
    differs: bool = False
    witness: bool = True


@takes(CertifyRequest)
def certify(model: Model, request: CertifyRequest) -> str:
    """Write a certificate: a text that states the machine and its equations, for ``mbconcord verify``.

    Whoever runs ``verify_certificate.py``, a file that needs nothing of mbconcord, decides whether the equations are
    those of the machine. Parts of a model that the format has no words for are notes: with elastic bodies or added
    inertia, the equations of the formalisms are compared with one another only.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalisms : names of those whose equations the certificate holds; empty: all that take the model
    equations : own equations, as :func:`mbconcord.own` returns them or reads them by a name, or another model
    differs : True for a certificate that ``equations`` differ from the model's at a state
    witness : True to run the verifier, and to return only a certificate that it proves
    parameters : values by name, written as notes only; in the equations parameters stay symbols
    physics : treatment of impossible masses and inertias; None: the format's default
    format : format of the file, if the file name does not determine it

    Raises
    ------
    FormalismError
        A named formalism does not take the model, or no formalism does.
    WordsError
        The format has no words for a part of the equations, or a part makes the equations equal to rounding only.
    DisagreementError
        The verifier refuses the certificate, or ``differs`` is set and no difference is found.
    MbconcordError
        Names of ``equations`` and of the model do not match, or the verifier has not decided within its limits of
        time and memory.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g", format="mbsd")
    >>> print(mbconcord.certify(pendulum).splitlines()[0])
    mbcert 1
    """
    found = request.source(model).plausible()
    with locate_errors(found):
        own = read_equations(request.equations, found.system)
        text, said = write_certificate(
            found.system, list_names(request.formalisms), request.witness, own, request.differs
        )
    if said is not None and said.code == UNDECIDED:
        raise MbconcordError(error("certificate", said.said[-1], "witness=False returns it unproved"))
    return text


def read_equations(equations: OwnEquations | str | None, system: System, **told: Any) -> OwnEquations | None:
    """Return own equations, read from a file or derived from another model; ``told`` are options that map names.

    Raises
    ------
    MbconcordError
        The equations cannot be read, or are an FMU, which has no formulas.
    """
    if equations is None:
        return None
    from mbconcord.api.own import own  # not before: seldom asked for
    from mbconcord.validation.against.own.equations import OwnEquations
    from mbconcord.validation.against.own.files import PREFIXES

    found: Any = equations
    if isinstance(equations, str):
        other = None if equations.startswith(PREFIXES) else source(equations).plausible().system
        found = own(equations, **told) if other is None else _derive_other(other, system, told)
    if not isinstance(found, OwnEquations):
        raise refuse("equations", "an FMU has no formulas that a certificate could hold", "`mbconcord check` runs it")
    return found


def _derive_other(other: System, system: System, told: Mapping[str, Any]) -> OwnEquations:
    """Derive the equations of model ``other``; insert values for those of its parameters that ``system`` lacks."""
    from mbconcord.validation.against.own.equations import OwnEquations

    if other.constraints or any(o.acts for o in other.omissions):
        found = f"constraints/{other.constraints[0].name}" if other.constraints else other.omissions[0].place
        raise refuse(found, "the equations of another model are of one without loops, of which nothing is left out")
    (_, derivation), *_ = _derive(other, ())
    M, forcing = _force(derivation)
    q, known = other.coordinate_names, {p.name for p in system.parameters}
    used = symbols([*flatten(M), *forcing])
    values = {p.name: str(p.value) for p in other.parameters if p.name in used - known and p.value is not None}
    own = {**told, "symbols": {**values, **(told.get("symbols") or {})}}
    rates, turns = tuple(f"{x}'" for x in q), tuple(map(rate, q))
    return OwnEquations(
        f"model {other.name}", q, rates, turns, M, forcing, **{name: x for name, x in own.items() if x}
    )  # fmt: skip


def write_certificate(
    system: System,
    names: Sequence[str] = (),
    witness: bool = True,
    own: OwnEquations | None = None,
    differs: bool = False,
) -> tuple[str, Verified | None]:
    """Write the certificate of a system; return it and the answer of the verifier, None if not ``witness``.

    Raises
    ------
    FormalismError, WordsError, DisagreementError
        See :func:`certify`.
    """
    if differs and (own is None or len(names) > 1):
        message = "a difference is that of one formalism's equations and others"
        raise MbconcordError(error("differs", message, "name one formalism at most, and other equations"))
    derived = dict(islice(_derive(system, names), 1 if differs else None))
    name = write_name(system.name or "model")
    try:
        machine = state_machine(system, name)
    except WordsError as problem:
        machine = state_coordinates(system, name, str(problem))
    without = format_without(system.omissions)
    lines = ["mbcert 1", *([f"note the model is {to_ascii(without)}"] if without else []), *machine.lines]
    forms = None if own is None else _tie_own(own, system)
    if forms is not None and differs:
        by = next(iter(derived))
        if witness and not machine.wordless:  # which of the two is the machine's
            write_certificate(system, [by])
        lines += _write_difference((by, derived[by]), forms, name)
        derived = {}
    rows, counts = len(machine.rows), {len(x.rows) for x in derived.values() if x.rows and not machine.wordless}
    if witness and counts and (rows < max(counts) or (not names and rows > max(counts))):
        message = f"the machine is stated with {count(rows, 'row')} of constraints, formalisms have {max(counts)}"
        raise DisagreementError(error("certificate", message, "do not use it; please report the model"))
    try:
        for by, derivation in derived.items():
            lines += _write_program(by, name, machine, derivation)
        if forms is not None and not differs:
            lines += _write_forms(OWN, name, forms, system)
        lines += [f"note {to_ascii(f'of {OWN}: {x}')}" for x in (own.constraints, *own.notes) if x] if own else []
    except WordsError:
        _refuse_approximate(system)
        raise
    text = seal(lines)
    said = verify_text(text) if witness else None
    if said is not None and said.code in (REFUSED, UNREADABLE):
        _refuse_approximate(system)
        message, remedy = f"the verifier says: {' '.join(said.said)}", "`mbconcord check` looks for the cause"
        if said.code == UNREADABLE:  # what the format cannot hold is no disagreement
            remedy = "certify less, or a model whose axes and lengths have fewer digits; `mbconcord check` compares any"
            raise refuse("certificate", message, remedy)
        if forms is not None and not differs:
            unnamed = sorted({p.name for p in system.parameters} - symbols([*flatten(forms[0]), *forms[1]]))
            remedy = "`mbconcord check --against` explains it, `mbconcord certify --differs` proves it"
            remedy += f"; your equations do not name {', '.join(unnamed[:6])}" if unnamed else ""
        raise DisagreementError(error("certificate", message, remedy))
    return text, said


def write_like(system: System, text: str) -> str:
    """Write a certificate of a system to compare a kept one with: of the machine alone, if the kept one states it."""
    if "\nnote without mechanics" in text:
        return write_certificate(system, witness=False)[0]
    return seal(["mbcert 1", *state_machine(system, write_name(system.name or "model")).lines])


def _force(derivation: Derivation) -> Forms:
    """Return M and gravity + applied - h, which is M q'' of the model without constraints."""
    found: Mapping[str, Any] = derivation.quantities
    parts = zip(found["gravity"], found["applied"], found["h"], strict=True)
    return found["M"], tuple(g + a - h for g, a, h in parts)


def _tie_own(own: OwnEquations, system: System) -> Forms:
    """Return M and the forcing of own equations in the model's coordinates, rates and parameters, all symbolic."""
    from mbconcord.validation.against.own.tied import tie

    if own.solved or own.dependent:
        what = "accelerations alone" if own.solved else "speeds that depend on each other"
        raise refuse("equations", f"the format has no words for {what}", "`mbconcord check --against` compares them")
    free = tuple(Parameter(p.name) for p in system.parameters)
    tied = tie(replace(system.lump_masses(), constraints=(), parameters=free), own)
    if not tied.forward:
        made = tied.tie_own()
        return made.M, made.forcing
    own, names = tied.own, system.coordinate_names
    yours = [str(x.data) for x in map(tied.phi.get, names) if x is not None and x.op is SYM and x.data in own.q]
    if not own.own_rates or len({*yours}) != len(names):
        remedy = "say what yours are by the model's, with the model's rates as speeds"
        raise refuse("equations", "the format has no words for other coordinates and speeds than the model's", remedy)
    order = [own.q.index(x) for x in yours]
    new = {symbol(own.q[i]): symbol(x) for i, x in zip(order, names, strict=True)}
    new |= {symbol(own.u[i]): rate(x) for i, x in zip(order, names, strict=True)}
    flat = substitute([*(own.M[i][j] for i in order for j in order), *(own.forcing[i] for i in order)], new)
    n = len(names)
    return tuple(tuple(flat[k : k + n]) for k in range(0, n * n, n)), tuple(flat[n * n :])


def _write_forms(name: str, model: str, forms: Forms, system: System) -> Iterator[str]:
    """Yield the lines of a program that computes M and the force that M times the accelerations equals."""
    steps = StepWriter()
    steps.lines.append(f"program {write_name(name)} {model}")
    _put_rows(steps, "M", forms[0], system)
    _put_rows(steps, "force", (forms[1],), system)
    return iter((*steps.lines, "end"))


def _write_difference(derived: tuple[str, Derivation], own: Forms, model: str) -> Iterator[str]:
    """Yield the lines of both programs, of a state, and of the entry that differs most, with a lower bound on it.

    Raises
    ------
    DisagreementError
        No entry differs at the states that were drawn.
    """
    (name, derivation), system = derived, derived[1].system
    forms, n = _force(derivation), len(system.coordinates)
    flat = [define([*flatten(M), *force], system.functions) for M, force in (forms, own)]
    used, random = sorted(symbols([x for side in flat for x in side])), Random(0)
    moving = {*system.coordinate_names, *(f"{x}'" for x in system.coordinate_names)}
    signs = {False: (1,), True: (-1, 1)}
    for _ in range(STATES):
        state = {x: Fraction(random.randint(500, 1500), 1000) * random.choice(signs[x in moving]) for x in used}
        numbers = {x: float(value) for x, value in state.items()}
        try:
            sides = [[evaluate_float(x, numbers) for x in side] for side in flat]
        except (ArithmeticError, ValueError):
            continue
        apart = [abs(a - b) / (abs(a) + abs(b)) if isfinite(a - b) and a != b else 0.0 for a, b in zip(*sides)]
        k = max(range(len(apart)), key=apart.__getitem__)
        if apart[k] < ROUNDED:
            continue
        yield from _write_forms(name, model, forms, system)
        yield from _write_forms(OWN, model, own, system)
        yield f"state {' '.join(f'{write_name(x)}={write_number(value)}' for x, value in state.items())}"
        amount = write_number(Fraction(f"{0.99 * abs(sides[0][k] - sides[1][k]):.3g}"))
        entry = f"M {k // n + 1},{k % n + 1}" if k < n * n else f"force {k - n * n + 1}"
        yield f"differs {entry} {write_name(name)} {OWN} {amount}"
        return
    message = f"no entry of M and of the force differs at {STATES} drawn states"
    raise DisagreementError(error("differs", message, "leave out --differs: then equality is what is proved"))


def _refuse_approximate(system: System) -> None:
    """Raise if a part of the model makes the equations of formalisms equal to rounding only; name that part."""
    why = approximate(system).removeprefix("the model's numbers are rounded: ")
    if why:
        place, _, reason = why.partition(": ")
        raise refuse(place, f"formalisms have no identical equations: {reason}", REMEDY)


def seal(lines: Iterable[str]) -> str:
    """Join lines to a text, and append a line with their checksum."""
    text = "".join(f"{line}\n" for line in lines)
    return f"{text}sum {sha256(text.encode('ascii')).hexdigest()}\n"


def _derive(system: System, names: Sequence[str]) -> Iterator[tuple[str, Derivation]]:
    asked = [registry.formalism(name) for name in names or registry.names()]
    taken = False
    for by in asked:
        made = _derive_by(by, system, bool(names))
        if made is not None:
            taken = True
            yield by.name if by.form is None else f"{by.name}:{by.form}", made
    if not taken:
        raise FormalismError(error("formalisms", "no formalism takes the model", "`mbconcord check` says why"))


def _derive_by(by: Formalism, system: System, asked: bool) -> Derivation | None:
    """Derive the equations by one formalism; None if it does not take the model; if ``asked``, raise instead."""
    closed = bool(system.constraints)
    obstacles = by.constraint_obstacles(system) if closed else by.obstacles(system)
    made = None
    if not obstacles:
        made = by.derive_closed(system) if closed else by.derive(system)
    elif asked:
        raise FormalismError([error(o.place, o.reason) for o in obstacles])
    if made is None and closed and not by.obstacles(system.open_loops()):
        return by.derive(system.open_loops())
    return made


def _write_program(name: str, model: str, machine: StatedMachine, derivation: Derivation) -> Iterator[str]:
    steps, system = StepWriter(), derivation.system
    found: Mapping[str, Any] = derivation.quantities
    native: Mapping[str, Any] = derivation.native
    steps.lines.append(f"program {write_name(name)} {model}")
    for quantity in QUANTITIES:
        if quantity in found:
            rows = found[quantity] if quantity == "M" else (found[quantity],)
            _put_rows(steps, quantity, rows, system)
    scales, own = _match_rows(machine, derivation)
    if own:
        D, gamma = native["D"], native["γ̃"]
        _put_rows(steps, "D", [D[i] for i in own], system)
        _put_rows(steps, "gamma", [[gamma[i] for i in own]], system)
    if "inverse_dynamics" in found:
        _put_rows(steps, "inverse_dynamics", (found["inverse_dynamics"],), system)
    if own and any(c != 1 for c in scales):
        steps.lines.append(f"scale {' '.join(map(write_number, scales))}")
    if own and len(own) < len(scales):
        steps.lines.append(f"note {len(scales) - len(own)} of {len(scales)} constraint rows are none of {name}")
    return iter((*steps.lines, "end"))


def _put_rows(steps: StepWriter, quantity: str, rows: Iterable[Sequence[Expression]], system: System) -> None:
    steps.place = f"equations/{quantity}"
    for row in rows:
        places = [steps.step(x) for x in define(row, system.functions)]
        steps.lines.append(f"out {quantity} {' '.join(map(str, places))}")


def _match_rows(machine: StatedMachine, derivation: Derivation) -> tuple[list[Fraction], list[int]]:
    """For each stated row, find a multiple among the derivation's rows: return factors (0: none) and indices found."""
    native: Mapping[str, Any] = derivation.native
    stated = machine.rows
    if not stated or "D" not in native:
        return [Fraction(0)] * len(stated), []
    system, names = derivation.system, derivation.system.coordinate_names
    own = [[*row, rest] for row, rest in zip(native["D"], native["γ̃"], strict=True)]
    slopes = jacobian([row.speed for row in stated], [rate(q) for q in names])
    whole = [[*slope, row.rest] for slope, row in zip(slopes, stated, strict=True)]
    flat = define([x for rows in (whole, own) for row in rows for x in row], system.functions)
    plan, n = Plan(flat, machine.lengths), len(names) + 1
    values = []
    for point in points(plan, 2, atoms=True):  # roots are any elements, as the verifier has them
        run = point.run(plan)
        numbers = [run[plan.place[x]] for x in flat]
        values.append((point.field.p, [numbers[k : k + n] for k in range(0, len(numbers), n)]))
    scales, taken = [], []
    for i, row in enumerate(stated):
        factor = Fraction(0)
        for j, name in enumerate(derivation.rows):
            if j in taken or not (name == row.constraint or name.startswith(f"{row.constraint} (")):
                continue
            factor = _factor(values, i, len(stated) + j)
            if factor:
                taken.append(j)
                break
        scales.append(factor)
    return scales, taken


def _factor(values: Sequence[tuple[int, Sequence[Sequence[Any]]]], i: int, j: int) -> Fraction:
    """Return c if row j is c times row i at all points, 1 if both rows are zero, 0 if row j is no multiple."""
    found = set()
    for p, rows in values:
        a, b = rows[i], rows[j]
        k = next((k for k, x in enumerate(a) if x != 0), None)
        if k is None:
            found.add(Fraction(1) if not any(x != 0 for x in b) else Fraction(0))
            continue
        c = b[k] * inverse(a[k], p) % p
        same = all(c * x % p == y % p for x, y in zip(a, b, strict=True))
        found.add((rational(c, p) if same else None) or Fraction(0))
    return found.pop() if len(found) == 1 else Fraction(0)
