"""Conversion of the model to a table: the extended table if all numbers are known, else its known part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import islice
from random import Random

from mbconcord.converters import losses
from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import ZERO, Expression, evaluate, evaluate_float, number, substitute, symbol, symbols
from mbconcord.model.features import is_mapped

from . import HOLDS
from .cells import FIXED, Names, body_axes, sign_name
from .columns import ARMS, CENTRES, EXTENDED, GRAVITY, MOMENTS, PAPER, Language, is_gravity, joint_word, word
from .links import TpLink, TpLinks
from .masses import ROUNDING
from .reader import ENGLISH, read
from .rows import gravity_row

GROUPS = {
    "m_o": (("m_o",), "the masses"),
    "R": (ARMS, "the places of the joints"),
    "c": (CENTRES, "the centres of mass"),
    "I": (MOMENTS, "the moments of inertia"),
}


def write(system: System) -> Writing:
    """Write the table of a model, with the headers of its source, else the paper's; report losses.

    Identity: for a model that was read from a table, ``read(write(m)) == m``, numbers to 17 digits.

    Raises
    ------
    WriteError
        The model has no coordinate, or maps of coordinates.
    """
    for body in system.bodies:
        if is_mapped(body.joint):
            found = "a map of coordinates moves its joint; a row of a table has a coordinate of its own"
            raise WriteError(error(f"bodies/{body.name}/joint", found, "write the model in coordinates of its joints"))
    bent = elastic(system, HOLDS)
    system = rigid(system)
    links = TpLinks(system)
    if not links.made:
        raise WriteError(error("bodies", "no body moves; a table has a row for each moving body", "add a joint"))
    losses = [*links.losses, *list_losses(system, links), *bent]
    starts = _starts(system, links, losses)
    names = _names(links.made)
    language: Language = "en" if any(o.kind == ENGLISH.kind for o in system.omissions) else "ru"
    columns: dict[str, list[str]] = {
        "i": [str(k.number) for k in links.made],
        "i-1": [str(k.base) for k in links.made],
        "КП": [joint_word(k.kind, language) for k in links.made],
        "q": [sign_name(k.letter, k.sign, names[k.base]) for k in links.made],
        "d": _directions(links, names),
        **{key: [names[k.number][i] for k in links.made] for i, key in enumerate(FIXED)},
    }
    dropped = _quantities(links.made, columns)
    if any(starts):
        columns["q0"] = [_digits(x) for x in starts]
    text = _translate_headers(_text({key: columns[key] for key in (*EXTENDED, "q0") if key in columns}), language)
    size = system.gravity.value if system.gravity is not None else ZERO
    text = gravity_row(system.gravity, links.value(size), _digits) + text
    if dropped:
        losses += _unknown(text, links, dropped, columns["d"])
    losses += _list_unused(system, text)
    return Writing(text, tuple(losses), {link.coordinate: f"q{link.number}" for link in links.made})


def to_plain_table(text: str) -> str:
    """Reduce an extended table to the paper's: no gravity, no columns after z, no i-1 for chains, no i for trees."""
    rows = [line.split(";") for line in text.splitlines()]
    if is_gravity(rows[0][0]):
        del rows[0]
    header = rows[0]
    at = {key: header.index(key) for key in PAPER}
    chain = all(row[at["i-1"]] == str(k) for k, row in enumerate(rows[1:]))
    keep = [at[key] for key in PAPER if key != ("i-1" if chain else "i")]
    return "".join(";".join(row[i] for i in keep) + "\n" for row in rows)


def _text(columns: dict[str, list[str]]) -> str:
    import pandas

    text: str = pandas.DataFrame(columns).to_csv(sep=";", index=False, lineterminator="\n")
    return to_plain_table(text) if columns.keys() == set(PAPER) else text


def _translate_headers(text: str, language: Language) -> str:
    """Translate the headers of the text."""
    header, end, body = text.partition("\n")
    return ";".join(word(key, language) for key in header.split(";")) + end + body


def _names(made: Sequence[TpLink]) -> dict[int, Names]:
    names = {0: FIXED}
    for link in made:
        names[link.number] = body_axes(names[link.base], link.kind, link.letter, link.number)
    return names


def _starts(system: System, links: TpLinks, losses: list[Loss]) -> list[Expression]:
    """Return initial positions; a prismatic axis is reversed if its own would be negative."""
    positions = {c.name: c.position for c in system.coordinates}
    starts = []
    for link in links.made:
        start = links.value(positions[link.coordinate])
        place = f"coordinates/{link.coordinate}"
        if symbols([start]):
            losses.append(Loss(place, f"the initial position {start}", "it has no value: 0 is written", acts=False))
            start = ZERO
        if link.kind == "translation" and float(evaluate_float(start, {})) < 0:
            link.sign, start = -link.sign, -start
            losses.append(Loss(place, "its sign", "q of a ПКП is not negative: the axis is turned round"))
        starts.append(start)
    return starts


def _quantities(made: Sequence[TpLink], columns: dict[str, list[str]]) -> list[str]:
    """Add the columns whose cells all are numbers; return the names of the groups that are left out."""
    values: dict[str, list[Sequence[Expression]]] = {
        "m_o": [(k.inertia.mass,) for k in made],
        "R": [k.arm for k in made],
        "c": [k.inertia.centre for k in made],
        "I": [k.inertia.tensor for k in made],
    }
    left = [group for group, cells in values.items() if symbols(x for row in cells for x in row)]
    if "m_o" in left and "c" not in left:
        left.append("c")
    for group, (keys, _) in GROUPS.items():
        if group not in left:
            for i, key in enumerate(keys):
                columns[key] = [_digits(row[i]) for row in values[group]]
    return left


def _directions(links: TpLinks, names: dict[int, Names]) -> list[str]:
    """Write d of every body: a signed axis, 0, or empty if the mass centre is along none."""
    moments = _moments(links.made)
    samples = [_sample_moments(moments, seed) for seed in range(3)]
    return [_direction(names[link.number], at) for link, at in zip(links.made, zip(*samples), strict=True)]


def _direction(names: Names, samples: Sequence[tuple[list[float], float]]) -> str:
    """Determine d̄_i from s_i and the size of its terms, at several values of unknown parameters."""
    found = set()
    for s, size in samples:
        main = [i for i in range(3) if abs(s[i]) > ROUNDING * size]
        if not main:
            found.add("0")
        elif len(main) == 1:
            found.add(sign_name(main[0], 1 if s[main[0]] > 0 else -1, names))
        else:
            return ""
    return found.pop() if len(found) == 1 else ""


def _moments(made: Sequence[TpLink]) -> list[list[Expression]]:
    """List the terms of s_i = m_oi c_i + Σ M_j R_j of every link, M_j the mass of child j with all it carries."""
    carried = [link.inertia.mass for link in made]
    terms = [[mass * c for c in link.inertia.centre] for mass, link in zip(carried, made, strict=True)]
    for link in reversed(made):  # a child stands after its base
        if link.base:
            mass = carried[link.number - 1]
            carried[link.base - 1] = carried[link.base - 1] + mass
            terms[link.base - 1] += [mass * r for r in link.arm]
    return terms


def _sample_moments(moments: Sequence[list[Expression]], seed: int) -> list[tuple[list[float], float]]:
    """Compute every s_i and the size of its terms, with random values of parameters."""
    flat = [x for terms in moments for x in terms]
    random = Random(seed)
    drawn = {symbol(name): number(Fraction(random.randint(10, 999), 100)) for name in sorted(symbols(flat))}
    numbers = iter([float(x) for x in evaluate(substitute(flat, drawn), {})])
    found = []
    for terms in moments:
        own = list(islice(numbers, len(terms)))
        found.append(([sum(own[i::3]) for i in range(3)], sum(map(abs, own))))
    return found


def _unknown(text: str, links: TpLinks, dropped: Sequence[str], directions: Sequence[str]) -> list[Loss]:
    """List losses of parts without numbers, unless reading the table gives the same formulas."""
    if "" in directions and "c" in dropped:
        bodies = ", ".join(str(i) for i, d in enumerate(directions, 1) if not d)
        where = "its augmented body's mass centre lies along no axis, and there are no numbers"
        raise WriteError(error("bodies", f"the direction d of {bodies}: {where}", "give the parameters values"))
    back = TpLinks(read(text, "-").system).made
    parts: dict[str, list[tuple[object, object]]] = {
        "m_o": [(a.inertia.mass, b.inertia.mass) for a, b in zip(links.made, back, strict=True)],
        "R": [(a.arm, b.arm) for a, b in zip(links.made, back, strict=True)],
        "c": [(a.inertia.centre, b.inertia.centre) for a, b in zip(links.made, back, strict=True)],
        "I": [(a.inertia.tensor, b.inertia.tensor) for a, b in zip(links.made, back, strict=True)],
    }
    return [
        Loss("bodies", GROUPS[group][1], "not all are numbers: the columns are left out")
        for group in dropped
        if any(a != b for a, b in parts[group])
    ]


def _list_unused(system: System, text: str) -> list[Loss]:
    """List losses of parameters without value that the table does not restore."""
    unknown = [p.name for p in system.parameters if p.value is None]
    kept = {p.name for p in read(text, "-").system.parameters} if unknown else set()
    reason = "nothing in the table uses it"
    return [Loss(f"parameters/{name}", "the parameter", reason, acts=False) for name in unknown if name not in kept]


def _digits(value: Expression) -> str:
    """Write a number as a decimal: exact if 17 digits suffice, else the nearest double.

    Identity: the number read from these digits has the same digits.
    """
    shown = Decimal(0)
    if value.op == "num":
        exact = value.value
        shown = Context(prec=17).divide(Decimal(exact.numerator), Decimal(exact.denominator))
    if value.op != "num" or Fraction(shown) != value.value:
        shown = Decimal(repr(float(evaluate_float(value, {}))))
    if not shown:
        return "0"
    return f"{shown.normalize():f}" if abs(shown.adjusted()) < 6 else str(shown.normalize()).lower()


# What is lost when a model is written as a table, except for the form of its joints.


def list_losses(system: System, links: TpLinks) -> Iterator[Loss]:
    """Yield losses in the order of the model."""
    yield from _gravity(system, links)
    yield from losses.order(system, HOLDS)
    yield from _list_renames(system, links.made)
    yield from losses.coordinates(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    yield from losses.forces(system, HOLDS)
    yield from losses.constraints(system, HOLDS)
    yield from losses.armatures(system, HOLDS)
    yield from losses.points(system, HOLDS)
    yield from losses.functions(system, HOLDS)
    yield from losses.metadata(system, HOLDS)
    yield from losses.omissions(system, HOLDS)


def _gravity(system: System, links: TpLinks) -> Iterator[Loss]:
    if system.gravity is None:
        return
    value = links.value(system.gravity.value)
    if symbols([value]) and value is not symbol(GRAVITY):
        reason = f"a magnitude without value is the parameter {GRAVITY} of the table"
        yield Loss("gravity", f"the formula {value} of its size", reason)


def _list_renames(system: System, made: Sequence[TpLink]) -> Iterator[Loss]:
    """Yield losses of names of coordinates, of bodies and of parameters with values."""
    numbers = {link.coordinate: link.number for link in made}
    coordinates = {name: f"q{number}" for name, number in numbers.items()}
    bodies = {b.name: f"body{numbers[b.coordinates[-1]]}" for b in system.bodies if b.coordinates}
    for link in made:
        yield from losses.list_rename_losses("coordinates", link.coordinate, HOLDS, coordinates)
    for body in system.bodies:
        yield from losses.list_rename_losses("bodies", body.name, HOLDS, bodies)
    for p in system.parameters:
        if p.value is not None:
            yield Loss(f"parameters/{p.name}", "the name of its value", "numbers are written", acts=False)
