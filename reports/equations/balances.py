"""The equations of motion themselves: M q'' + h = gravity + applied + Dᵀ λ and D q'' + γ̃ = 0, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import ZERO, Expression, rate, symbol
from mbconcord.model.mixed import drive_row
from mbconcord.model.naming import Namer
from mbconcord.model.notation.balance import Balance, Product, products

from .listing import Element, closing, elements

#: By this name the equations are asked for among the quantities.
EQUATIONS = "equations"
#: What the equations are made of, beside D and γ̃.
PARTS = ("M", "h", "gravity", "applied")
UNITS = (
    "lambda acts along its row: in N where the row measures a length (rods, points, translations), in N m where an "
    "angle; for a row f of the model's own in J per unit of f, for a row of velocities in W per unit of the row"
)


DRIVES = "lambda of a drive is the effort that it needs to impose the acceleration"


def units(rows: Iterable[str]) -> str:
    """What multipliers of these rows are."""
    of_drives = [row.startswith(drive_row("")) for row in rows]
    return "; ".join(text for text, holds in ((UNITS, not all(of_drives)), (DRIVES, any(of_drives))) if holds)


@dataclass(frozen=True)
class Equations:
    """The equations over labels of quantities.

    Attributes
    ----------
    balances : the equation of every coordinate, then of every row
    labels : label -> the element of a quantity that it stands for
    multipliers : symbol of λ -> what its row is called
    """

    balances: tuple[Balance, ...]
    labels: Mapping[str, Element]
    multipliers: Mapping[str, str]


def equations(derivation: Derivation) -> Equations:
    """The equations of a derivation; an element that is zero is left out."""
    given = {part: derivation.quantities[part] for part in PARTS}
    given |= {key: derivation.native[key] for key in closing(derivation)}
    found = [e for key, value in given.items() for e in elements(derivation, key, value)]
    labels = {e.label: e for e in found}
    shown = {(e.quantity, e.indices): symbol(e.label) if e.expression else ZERO for e in found}
    multipliers = multipliers_of(derivation)
    numbers = [str(i) for i in range(1, len(multipliers) + 1)]
    names = derivation.system.coordinate_names
    reactions = list(zip(numbers, map(symbol, multipliers), strict=True))
    balances = []
    for a in names:
        inertia = ((shown["M", (a, b)], rate(b, 2)) for b in names)
        forces = ((shown[key, (a,)],) for key in ("gravity", "applied"))
        constraint = ((shown["D", (i, a)], force) for i, force in reactions)
        balances.append(Balance(a, products(*inertia, (shown["h", (a,)],)), products(*forces, *constraint)))
    for i, row in zip(numbers, derivation.rows, strict=True):
        moving = ((shown["D", (i, b)], rate(b, 2)) for b in names)
        balances.append(Balance(row, products(*moving, (shown["γ̃", (i,)],)), ()))
    return Equations(tuple(balances), labels, multipliers)


def multipliers_of(derivation: Derivation) -> dict[str, str]:
    """The symbols λ1, λ2, … and what their rows are called."""
    namer = Namer((*derivation.system.names, *(a.name for a in derivation.assignments)))
    return {namer.fresh(f"lambda{i}"): row for i, row in enumerate(derivation.rows, 1)}


def stated(derivation: Derivation, names: Sequence[str]) -> bool:
    """Whether the equations are printed: on request, and of a model with constraints where nothing is chosen."""
    complete = all(part in derivation.quantities for part in PARTS)
    return complete and (EQUATIONS in names or (not names and bool(derivation.rows)))


def side(
    terms: Sequence[Product], factor: Callable[[Expression], str], times: str, signs: Mapping[str, str]
) -> str:
    """One side of an equation; ``signs``: how plus and minus between terms, a minus at the start and 0 are written."""
    parts = []
    for i, term in enumerate(terms):
        sign = (" - " if term.minus else " + ") if i else "-" if term.minus else ""
        parts += [signs.get(sign, sign), times.join(map(factor, term.factors))]
    return "".join(parts) or signs.get("0", "0")


def legend(stated: Equations) -> tuple[str, ...]:
    """What the multipliers are: which row each is of, and its unit."""
    if not stated.multipliers:
        return ()
    rows = ", ".join(f"{name} of {row}" for name, row in stated.multipliers.items())
    return f"multipliers: {rows}", units(stated.multipliers.values())
