"""Certificates of models: the machine from its fields, and the equations that formalisms derive of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any

from mbconcord.api.request import ModelRequest, list_names, takes
from mbconcord.api.source import Model, locate_errors
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import DisagreementError, FormalismError, MbconcordError, error
from mbconcord.model.expressions import Expression, jacobian, rate
from mbconcord.model.expressions.field import Plan, points
from mbconcord.model.expressions.field.extension import inverse
from mbconcord.model.expressions.field.linear import rational
from mbconcord.model.functions import define
from mbconcord.model.omission import format_without
from mbconcord.model.system import System
from mbconcord.records import dataclass
from mbconcord.validation.judge.exact.proof import approximate

from .machine import StatedMachine, state_coordinates, state_machine, to_ascii
from .process import REFUSED, UNDECIDED, UNREADABLE, Verified, verify_text
from .programs import StepWriter, WordsError, refuse, write_name, write_number

#: Quantities in the order of a program: what depends on accelerations is last.
QUANTITIES = ("M", "h", "gravity", "applied")
#: What to do about a model whose equations are equal to rounding only.
REMEDY = "`mbconcord check` compares them by floats"


@dataclass(frozen=True, kw_only=True)
class CertifyRequest(ModelRequest):
    """Options of :func:`certify`.

    Attributes
    ----------
    formalisms : whose equations it holds; empty: those of all that take the model
    witness : whether the verifier is run, so that only what it proves is returned
    """

    formalisms: str | Sequence[str] = ()
    witness: bool = True


@takes(CertifyRequest)
def certify(model: Model, request: CertifyRequest) -> str:
    """Write a certificate: a text that states the machine and its equations, for ``mbconcord verify``.

    Whoever runs ``verify_certificate.py``, a file that needs nothing of mbconcord, decides whether the equations are
    those of the machine. What the format has no words for is a note of the text: of elastic bodies and of added inertia
    the programs are compared with one another only.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    formalisms : whose equations it holds; none: those of all that take the model
    witness : whether the verifier is run, so that only what it proves is returned
    parameters : values by name, which are notes of the text; parameters stay symbols
    physics : treatment of impossible masses and inertias; None: the format's default
    format : of the file, if its name does not determine it

    Raises
    ------
    FormalismError
        A formalism that is named does not take the model, or none does.
    WordsError
        The format has no words for a piece of the equations, or they are no identities because of a piece.
    DisagreementError
        The verifier refuses the certificate.
    MbconcordError
        It has not decided within its limits of time and memory.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g", format="mbsd")
    >>> print(mbconcord.certify(pendulum).splitlines()[0])
    mbcert 1
    """
    found = request.source(model).plausible()
    with locate_errors(found):
        text, said = write_certificate(found.system, list_names(request.formalisms), request.witness)
    if said is not None and said.code == UNDECIDED:
        raise MbconcordError(error("certificate", said.said[-1], "witness=False returns it unproved"))
    return text


def write_certificate(system: System, names: Sequence[str] = (), witness: bool = True) -> tuple[str, Verified | None]:
    """Write the certificate of a system, and return what the verifier says of it, if it is asked.

    Raises
    ------
    FormalismError, WordsError, DisagreementError
        See :func:`certify`.
    """
    derived = dict(_derive(system, names))
    name = write_name(system.name or "model")
    try:
        machine = state_machine(system, name)
    except WordsError as problem:
        machine = state_coordinates(system, name, str(problem))
    without = format_without(system.omissions)
    lines = ["mbcert 1", *([f"note the model is {to_ascii(without)}"] if without else []), *machine.lines]
    try:
        for own, derivation in derived.items():
            lines += _write_program(own, name, machine, derivation)
    except WordsError:
        _refuse_approximate(system)
        raise
    text = seal(lines)
    said = verify_text(text) if witness else None
    if said is not None and said.code in (REFUSED, UNREADABLE):
        _refuse_approximate(system)
        message = f"the verifier says: {' '.join(said.said)}"
        raise DisagreementError(error("certificate", message, "`mbconcord check` looks for the cause"))
    return text, said


def _refuse_approximate(system: System) -> None:
    """Raise where the equations of formalisms are equal to rounding only, and name the piece."""
    why = approximate(system).removeprefix("the model's numbers are rounded: ")
    if why:
        place, _, reason = why.partition(": ")
        raise refuse(place, f"formalisms have no identical equations: {reason}", REMEDY)


def seal(lines: Iterable[str]) -> str:
    """Return the text of lines with its last one, a sum against accidents."""
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
    """Derive by one formalism; None where it does not take the model and was not asked for by name."""
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
        steps.lines.append(f"note {len(scales) - len(own)} of {len(scales)} constraint rows are none of its own")
    return iter((*steps.lines, "end"))


def _put_rows(steps: StepWriter, quantity: str, rows: Iterable[Sequence[Expression]], system: System) -> None:
    steps.place = f"equations/{quantity}"
    for row in rows:
        places = [steps.step(x) for x in define(row, system.functions)]
        steps.lines.append(f"out {quantity} {' '.join(map(str, places))}")


def _match_rows(machine: StatedMachine, derivation: Derivation) -> tuple[list[Fraction], list[int]]:
    """Return for each stated row the factor of the derivation's row that is a multiple of it, 0 for none; and these."""
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
    """Return c where row j is c times row i at all points, 0 where it is no multiple; 1 of two that are zero."""
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
