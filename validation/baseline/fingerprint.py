"""Fingerprint of a model's equations: the residue of each entry at a fixed point of a fixed prime field, and digits.

The residue is exact: equal functions have the same one, whatever their derivation, and a change of one constant by one
part in 10^15 changes it. The digits, computed with 50, are for people and for baselines with another prime.

At the point a symbol's value is the hash of its name, independent of the order in which a derivation uses symbols. So
equal functions have equal residues, on every machine and by every correct derivation.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.diagnostics import FormalismError, MbconcordError, error
from mbconcord.model.expressions import (
    Expression,
    ExpressionError,
    evaluate,
    mpmath_arithmetic,
    rate,
    substitute,
    symbols,
)
from mbconcord.model.expressions.field import Plan, Point, Value, dependent
from mbconcord.model.expressions.field.extension import Extended
from mbconcord.model.expressions.field.linear import dot, rational, solve
from mbconcord.model.expressions.field.plan import Taint
from mbconcord.model.expressions.field.point import FieldValues, NoRootError
from mbconcord.model.expressions.field.primes import Prime
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import Instance
from mbconcord.model.omission import REACHED
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..judge.bounds import PARTS
from ..judge.exact.proof import approximate
from ..judge.exact.sameness import scalars, values
from ..judge.states import draw
from ..judge.tolerances import REFEREE_DIGITS
from ..judge.trial import require_size

#: The prime of all baselines, as :func:`mbconcord.model.expressions.field.primes.draw_prime` once drew it.
PRIME: Final = Prime(
    p=0x9B2DC8C1687523A5D11269E0030951C0467408A4A24BF72F3D001,
    order=0xDA2476257C9C395667771DAE39B80041C3D,
    smooth=0x31296D77FC00,
    root=0x42826657D4BFD9467052E8976B71F205F194AD2B90B7A60ACE372,
    unit=0x1754AD7363F84298D5C474F4269784707EAB2949B54C396157091,
    nonresidue=0x1FA6DD0BA1657149B127D61D6917E7DA9D40055A961211F297050,
)
#: Seed of the points by which roots that depend on others are found.
SEED: Final = 0


class DrawnPoint(Point):
    """A point whose random values are hashes of their symbols."""

    def __init__(self, atoms: bool = False) -> None:
        super().__init__(Random(SEED), PRIME, atoms)

    def draw(self, key: Hashable) -> Value:
        """Return the nonzero field element that the hash of a key determines."""
        if key not in self._drawn:
            self._drawn[key] = 1 + hash_text(name_key(key)) % (self.field.p - 1)
        return self._drawn[key]

    def bit(self, key: Hashable) -> int:
        """Return the bit that the hash of a key determines."""
        return hash_text(name_key(key)) & 1

    def _base(self, monomial: frozenset[Any]) -> Value:
        """Return e^(i monomial): an element of the subgroup of prime order, other than 1, chosen by the hash."""
        key, p = ("base", monomial), self.field.p
        ((kind, value),) = monomial if len(monomial) == 1 else ((None, 0),)
        if kind == "arc":
            found: Value = value
            return found
        attempt = 0
        while key not in self._drawn:
            drawn = 2 + hash_text(f"{attempt} {name_key(key)}") % (p - 2)
            base = pow(drawn, (p - 1) // self.field.order, p)
            if base != 1:
                self._drawn[key] = base
            attempt += 1
        return self._drawn[key]


def hash_text(text: str) -> int:
    """Hash a text to an integer of 256 bits."""
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")


def name_key(key: Any) -> str:
    """Describe the key of a drawn value as a text that is the same in every process."""
    if isinstance(key, Expression):
        return f"{key.op}:{key.data}"
    if isinstance(key, Extended):
        return f"{key.a}+{key.b}s"
    if isinstance(key, tuple):
        return f"({','.join(map(name_key, key))})"
    if isinstance(key, frozenset):
        return f"{{{','.join(sorted(map(name_key, key)))}}}"
    return str(key)


class Residues:
    """Values of all steps of a plan at the point, and the steps that are not exact."""

    def __init__(self, plan: Plan) -> None:
        bound = dependent(plan, SEED)
        point, by_value = DrawnPoint(), False
        try:
            self.values: FieldValues = point.run(plan, (), bound)
        except NoRootError:
            point, by_value = DrawnPoint(atoms=True), True
            self.values = point.run(plan, (), bound)
        self._taint = Taint(plan, bound, set(self.values.poles), "", by_value)
        self.point = point

    def why_not(self, place: int) -> str:
        """Say why a step's value is not determined by the function alone; empty if it is."""
        return "; ".join(self._taint.find_reasons((place,)).values())


#: How many.
STATES: Final = 2


def states(system: System) -> tuple[State, ...]:
    """Draw positions, rates and accelerations from -1.5 to 1.5, and values of parameters without one."""
    names = system.coordinate_names
    open_ = [p.name for p in system.parameters if p.value is None and p.varies is None]
    return tuple(
        State(
            number(f"{k} t", positive=True),
            {name: number(f"{k} q {name}") for name in names},
            {name: number(f"{k} v {name}") for name in names},
            {name: number(f"{k} a {name}") for name in names},
            {name: number(f"{k} parameter {name}", positive=True) for name in open_},
        )
        for k in range(STATES)
    )


def number(of: str, positive: bool = False) -> float:
    """Return a number of three decimals, determined by a text: 0.1 to 1.5 in size, of either sign."""
    bits = hash_text(of)
    size = 100 + (bits >> 1) % 1401
    return (size if positive or bits & 1 else -size) / 1000


#: How many digits are kept, and how many derivations must give them.
DIGITS: Final = 12
WITNESSES: Final = 2
#: Where no derivation takes a model.
NOBODY: Final = "no formalism gives M, h, gravity and applied forces of it"
NOT_EXACT: Final = "not exact"
#: An entry that is so small beside the largest of its quantity is zero, of a calculation in 50 digits.
ZERO: Final = 1e-30
#: Beside the parts: what follows from them.
INVERSE, ACCELERATION = "inverse_dynamics", "acceleration"
FOLLOWING: Final = (INVERSE, ACCELERATION)

#: Name of a quantity, then names of the entry.
Key = tuple[str, ...]


@dataclass(frozen=True)
class FingerprintRow:
    """An entry: its residue (a fraction, hexadecimal digits, or ``not exact``), and its digits, state by state."""

    residue: str
    digits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fingerprint:
    """Fingerprint of a model's equations.

    Attributes
    ----------
    model : the model's native JSON, see :func:`bare` and :func:`literal`
    coordinates : names of the coordinates, in order
    witnesses : formalisms that gave the same residues
    rows : quantity and entry -> its row
    left_out : omissions of the model that act on the motion
    reached : omissions that act only where the motion reaches them, such as limits of joints
    notes : reasons why residues are not exact, or digits are missing
    states : states at which the digits were computed
    """

    model: str
    coordinates: tuple[str, ...]
    witnesses: tuple[str, ...]
    rows: Mapping[Key, FingerprintRow]
    left_out: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    states: tuple[State, ...] = ()

    @property
    def hash(self) -> str:
        """Hash of the model."""
        return hash_of(self.model)


def bare(system: System) -> System:
    """Remove content that is kept only for the model's format and has no effect: texts, comments, images."""
    return replace(system, metadata={}, omissions=tuple(o for o in system.omissions if o.acts))


def literal(native: str) -> str:
    """Rewrite the JSON so that it can be put between three apostrophes in TOML."""
    return native.replace("'''", "\\u0027\\u0027\\u0027").replace("\x7f", "\\u007f")


def hash_of(model: str) -> str:
    """Hash a model's native JSON."""
    return f"sha256:{sha256(model.encode()).hexdigest()}"


def fingerprint(system: System, at: Sequence[State] | None = None) -> Fingerprint:
    """Compute the fingerprint of a model, with digits at the given states, else at states of its own.

    Raises
    ------
    FormalismError
        Two formalisms give different equations, or none gives any.
    NumbersError
        The model has no numbers, or is too large.
    """
    require_size(system, 1)
    require_ranges(system)
    taking = list(_derive(system))
    if not taking:
        raise FormalismError(error("formalisms", NOBODY, "see mbconcord formalisms"))
    rounded = approximate(system)
    found = [_residues(system, entries, rounded) for _, entries in taking]
    names = tuple(name for name, _ in taking)
    _require_same(names, [residues for residues, _ in found])
    residues, notes = found[0]
    chosen = states(system) if at is None else tuple(at)
    digits, silent = _digits(system, taking[0][1], chosen)
    rows = {key: FingerprintRow(residue, digits.get(key, ())) for key, residue in residues.items()}
    left_out = tuple(f"{o.place}: {o.kind}: {o.what} ({o.effect})" for o in system.omissions if o.acts)
    reached = tuple(f"{o.place}: {o.kind}: {o.what}" for o in system.omissions if o.kind in REACHED and not o.acts)
    model = literal(formats.write(bare(system), "native").text)
    said = tuple(dict.fromkeys((*notes, *silent)))
    return Fingerprint(model, system.coordinate_names, names, rows, left_out, reached, said, chosen)


def _derive(system: System) -> Iterator[tuple[str, dict[Key, Expression]]]:
    """Yield the first formalisms that deliver all parts, with the scalars of each; entries of symmetric M once."""
    count = 0
    for name in registry.names():
        formalism: Formalism = registry.formalism(name)
        if formalism.obstacles(system.open_loops()):
            continue
        try:
            found = scalars(system, formalism)
        except KeyError:  # it gives some of the quantities only
            continue
        order = {q: i for i, q in enumerate(system.coordinate_names)}
        kept = {k: x for k, x in found.items() if k[0] != "M" or order[k[1]] >= order[k[2]]}
        yield name, kept
        count += 1
        if count == WITNESSES:
            return


def _residues(system: System, entries: Mapping[Key, Expression], rounded: str) -> tuple[dict[Key, str], list[str]]:
    """Compute the residue of every entry as text; return, too, reasons why some are not exact."""
    known = values(system, frozenset())
    written = define(substitute(entries.values(), known), system.functions)
    roots = substitute(written, known)  # functions hold parameters, too
    plan, (places,) = Plan.of_programs([program(roots)])
    turns = PRIME.smooth % plan.angles.divisor
    why = rounded or ("fractions of a turn that the prime of baselines has no roots for" if turns else "")
    if why:
        return dict.fromkeys(entries, NOT_EXACT), [why]
    at = Residues(plan)
    reasons = {key: at.why_not(place) for key, place in zip(entries, places, strict=True)}
    found: dict[Key, Value | None] = {
        key: None if reasons[key] else at.values[place] for key, place in zip(entries, places, strict=True)
    }
    found |= _following(system, found, at)
    notes = [f"{quantity}: {why}" for (quantity, *_), why in reasons.items() if why]
    return {key: NOT_EXACT if x is None else format_residue(x) for key, x in found.items()}, list(dict.fromkeys(notes))


def _following(system: System, found: Mapping[Key, Value | None], at: Residues) -> dict[Key, Value]:
    """Compute residues of inverse dynamics, and without drives and constraints also of accelerations."""
    names, p = system.coordinate_names, PRIME.p
    known = {key: x for key, x in found.items() if x is not None and key[0] in PARTS}
    if len(known) < sum(key[0] in PARTS for key in found):
        return {}
    mass = [[known[("M", a, b) if ("M", a, b) in known else ("M", b, a)] for b in names] for a in names]
    rest = [known["h", a] + -known["gravity", a] + -known["applied", a] for a in names]
    a = [at.point.draw(rate(name, 2)) for name in names]
    following: dict[Key, Value] = {
        (INVERSE, name): (dot(row, a) + r) % p for name, row, r in zip(names, mass, rest, strict=True)
    }
    if not system.constraints and not find_imposed_accelerations(system):
        motion = solve(mass, [-r % p for r in rest], p)
        if motion is not None:
            following |= {(ACCELERATION, name): x for name, x in zip(names, motion, strict=True)}
    return following


def format_residue(value: Value) -> str:
    """Write a residue as a small fraction if it is one, else the end of its hexadecimal digits."""
    if isinstance(value, Extended):
        return f"{format_residue(value.a)} + {format_residue(value.b)} s"
    small = rational(value, PRIME.p)
    return str(small) if small is not None else f"x{value % (1 << 64):016x}"


def _require_same(names: Sequence[str], found: Sequence[Mapping[Key, str]]) -> None:
    """Raise where two derivations have different residues."""
    for name, other in zip(names[1:], found[1:], strict=True):
        for key, residue in found[0].items():
            if residue != other.get(key, residue):
                message = f"{names[0]} and {name} give different {format_key(key)}"
                raise FormalismError(error("baseline", message, "mbconcord check FILE tells who is wrong"))


def format_key(key: Key) -> str:
    """Format a key: ``M[q1, q2]``."""
    return f"{key[0]}[{', '.join(key[1:])}]"


def _digits(
    system: System, entries: Mapping[Key, Expression], at: Sequence[State]
) -> tuple[dict[Key, tuple[str, ...]], list[str]]:
    """Compute the digits of every entry at the states; return, too, reasons why there are none."""
    defined = draw(system, 0, 0).system
    arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
    roots = define(entries.values(), defined.functions)
    found: list[list[str]] = []
    try:
        for known in Instance(defined, at, arithmetic).environments:
            more = {name: number(name) for name in symbols(roots) if name not in known}
            numbers = evaluate(roots, {**known, **more}, arithmetic)
            found.append(_write_digits(entries, numbers))
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        return {}, [f"no digits: {problem}"]
    return (dict(zip(entries, zip(*found, strict=True), strict=True)) if found else {}), []


def _write_digits(entries: Mapping[Key, Expression], numbers: Sequence[Any]) -> list[str]:
    """Format numbers as digits; numbers negligible against the largest of their quantity become 0."""
    largest: dict[str, Any] = {}
    for (quantity, *_), x in zip(entries, numbers, strict=True):
        largest[quantity] = max(largest.get(quantity, 0), abs(x))
    return [
        digits(x) if abs(x) > ZERO * largest[quantity] else "0"
        for (quantity, *_), x in zip(entries, numbers, strict=True)
    ]


def digits(x: Any) -> str:
    """Write a number in high precision with 12 digits."""
    return str(x.context.nstr(x, DIGITS, strip_zeros=True)).removesuffix(".0")
