"""Probe models of Universal Mechanism, one body and one element each, and the laws that tables of their motion settle.

``probes.toml`` has the elements and the candidate laws of each. A returned table holds states and accelerations that UM
computed; it is compared with the probe's body under each candidate as any table is, by formalisms and within digits.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.registry import DEFAULT, PER_LINK
from mbconcord.model.diagnostics import Location, NumbersError, ReadError, among, error
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import JointEffort
from mbconcord.model.limits import count
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..explain.printed import compute_numbers
from ..witnesses.printed.columns import map_columns
from ..witnesses.printed.reader import PrintedTable
from .programs import against_table

#: The verdicts of a law, the worst last.
SETTLED, OPEN, NONE = "settled", "not settled", "none"
#: Candidates of one coordinate move without the others: two formalisms say what a body does.
WITNESSES: Final = (DEFAULT, PER_LINK)


@dataclass(frozen=True)
class Probe:
    """A probe: its name, the law in question, its input.dat, the states to start from, and candidate laws.

    ``candidates``: name of a law -> formulas of the generalized force along each coordinate. ``closed`` names the
    coordinate that is negative while a contact is closed.
    """

    name: str
    law: str
    text: str
    starts: tuple[Mapping[str, float], ...]
    candidates: Mapping[str, Mapping[str, str]]
    closed: str = ""

    @property
    def system(self) -> System:
        """The probe's model without its element."""
        return read_text(self.text, f"{self.name}/input.dat", "um").system

    @property
    def header(self) -> str:
        """The header of the table to send back."""
        turning = self.system.angles
        of = [(name, "rad" if name in turning else "m") for name in self.system.coordinate_names]
        units = ((dots, per) for dots, per in (("", ""), ("'", "/s"), ("''", "/s^2")))
        return ";".join(["t [s]", *(f"{name}{dots} [{unit}{per}]" for dots, per in units for name, unit in of)])

    def under(self, law: str) -> System:
        """Return the probe's model with a candidate law in place of the element."""
        formulas = self.candidates[law].items()
        forces = tuple(JointEffort(f"probe_{name}", name, parse_formula(text)) for name, text in formulas)
        return replace(self.system, forces=forces, omissions=())


@cache
def probes() -> tuple[Probe, ...]:
    """Return the probes in the order of ``probes.toml``."""
    return tuple(_make(given) for given in _data()["probes"])


def laws() -> Mapping[str, Sequence[str]]:
    """Return the laws that the probes ask for, each in English and in Russian."""
    found: Mapping[str, Sequence[str]] = _data()["laws"]
    return found


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("probes.toml").read_text("utf-8"))


def _make(given: Mapping[str, Any]) -> Probe:
    """Build a probe; its input.dat has head, identifiers, body, transformations of the joint, and element."""
    data = _data()
    rows = [f"  cnst=({name}# {value});\n" for name, value in given.get("identifiers", {}).items()]
    parts = [data["head"], "with const;\n" if rows else "", *rows, data["body"]]
    if "depth" in given:
        parts.append(f"  with et; type=tc; ex=; ey=; ez=-{given['depth']}; \n")
    for name in given["coordinates"]:
        scalar = given.get("scalar", "type=none;")
        parts.append(f'  with et; {data["transformations"][name]}\nwith scalarforce; name="{name}"; {scalar}\n')
    parts.append(data["elements"].get(given.get("element"), ""))
    if "force" in given:
        parts.append(f'with scalarforce; name="probe"; {given["force"]}\n')
    text = "".join([*parts, "with end;\n"]).lstrip("\n")
    starts, candidates = tuple(given.get("starts", ())), given.get("candidates", {})
    return Probe(given["name"], given["law"], text, starts, candidates, "sz" if given["law"] == "normal" else "")


@dataclass(frozen=True)
class LawVerdict:
    """A law in question, and the verdict of the tables on its candidates.

    Attributes
    ----------
    law, verdict
    candidates : names of all candidate laws
    agrees : names of the candidates with which no table disagrees
    digits : digits to which the only such candidate agrees with all tables; None: several, or digits too coarse to tell
    tables, missing : names of the probes whose tables exist, and of those whose tables do not
    rows : number of rows in all tables
    """

    law: str
    verdict: str
    candidates: tuple[str, ...]
    agrees: tuple[str, ...]
    digits: int | None
    tables: tuple[str, ...]
    missing: tuple[str, ...]
    rows: int

    @property
    def headline(self) -> str:
        """The verdict in words."""
        of = count(len(self.candidates), "candidate law")
        if not self.tables:
            return "not settled: no table"
        if not self.candidates:
            return "not settled: there is no candidate law, the table is kept for reading"
        if not self.agrees:
            return f"none of {of}"
        if self.digits is None:
            return f"not settled: the tables leave {len(self.agrees)} of {of}: {'; '.join(self.agrees)}"
        said = f"{self.agrees[0]}, in {count(self.digits, 'digit')}, the only one of {of}"
        return f"not settled: {said}, without the tables of {', '.join(self.missing)}" if self.missing else said


def settle(tables: Mapping[str, PrintedTable], asked: Iterable[Probe] | None = None) -> tuple[LawVerdict, ...]:
    """Find for each law the candidates with which all tables agree.

    Parameters
    ----------
    tables : name of a probe -> its table
    asked : probes to evaluate; None: all

    Raises
    ------
    ReadError
        A table belongs to no probe, lacks columns, has other units, or has other states than the probe's.
    """
    chosen = tuple(asked or probes())
    for name in tables:
        if name not in {p.name for p in chosen}:
            at = Location(tables[name].file, 1, 1)
            raise ReadError(error("", f"there is no probe {name!r}", among(name, [p.name for p in chosen]), at))
    return tuple(
        _settle(law, [p for p in chosen if p.law == law], tables) for law in dict.fromkeys(p.law for p in chosen)
    )


def _settle(law: str, asked: Sequence[Probe], tables: Mapping[str, PrintedTable]) -> LawVerdict:
    candidates, there = tuple(asked[0].candidates), [p for p in asked if p.name in tables]
    agrees, digits, rows, coarse = list(candidates), dict.fromkeys(candidates, 99), 0, False
    for probe in there:
        table = tables[probe.name]
        _require_states(probe, table)
        rows += table.count
        judged = {name: _judge(probe.under(name), table) for name in agrees}
        agrees = [name for name, verdict in judged.items() if verdict != "disagrees"]
        coarse |= "not checked" in judged.values()
        for name in agrees:
            digits[name] = min(digits[name], _count_digits(probe.under(name), table))
    missing = tuple(p.name for p in asked if p.name not in tables)
    none = bool(there and candidates and not agrees)
    alone = bool(there) and len(agrees) == 1 and not coarse
    verdict = NONE if none else SETTLED if alone and not missing else OPEN
    found = tuple(agrees) if there else ()
    known = digits[agrees[0]] if alone else None
    return LawVerdict(law, verdict, candidates, found, known, tuple(p.name for p in there), missing, rows)


def _judge(system: System, table: PrintedTable) -> str:
    """Return the verdict on a candidate; one without numbers at a state of the table disagrees."""
    try:
        return against_table(system, table, formalisms=WITNESSES, why=False).verdict
    except NumbersError:
        return "disagrees"


def _count_digits(system: System, table: PrintedTable) -> int:
    """Count the digits to which a law reproduces all printed numbers, including their own rounding."""
    rooms = {column.heading.key: column.room for column in table.columns}
    apart = [
        float(np.max(np.abs(own - printed) + rooms[key]) / np.abs(printed).max())
        for key, (own, printed) in compute_numbers(system, table).items()
        if np.abs(printed).max() > 0
    ]
    return max(0, int(-np.log10(max(apart, default=1.0))))


def _require_states(probe: Probe, table: PrintedTable) -> None:
    """Refuse a table whose columns or states are not those of the probe.

    Raises
    ------
    ReadError
        A column is missing or its unit has another dimension, no row has a start state, or a contact is open.
    """
    at, system = Location(table.file, table.lines[0], 1), probe.system
    given = map_columns(table, system).given
    missing = [f"{name}''" for name in system.coordinate_names if f"{name}''" not in given]
    missing += [] if "t" in given else ["t"]
    if missing:
        message = f"the table of {probe.name} has no column {', '.join(missing)}"
        raise ReadError(error("", message, f"the header of the page: {probe.header}", at))
    set_otherwise = [p.name for p in system.parameters if p.name in given]
    if set_otherwise:
        message = f"the table of {probe.name} has columns of identifiers: {', '.join(set_otherwise)}"
        raise ReadError(error("", message, "leave the identifiers of the probe as they are", at))
    for i, start in enumerate(probe.starts, 1):
        whole = {"t": 0.0, **complete(system, start)}
        near = [np.abs(given[name].values - value) <= given[name].room for name, value in whole.items()]
        if not np.all(near, axis=0).any():
            words = ", ".join(f"{name} = {value:g}" for name, value in whole.items())
            message = f"no row of {probe.name} has the state of start{i}.xv: {words}"
            raise ReadError(error("", message, "begin from the states of the probe, in the units of the columns", at))
    opened = np.flatnonzero(given[probe.closed].values >= 0).tolist() if probe.closed else []
    for row in opened[:1]:
        place, remedy = Location(table.file, table.lines[row], 1), "end the table before the contact opens"
        raise ReadError(error("", f"row {row + 1}: the contact of {probe.name} is open", remedy, place))


def complete(system: System, start: Mapping[str, float]) -> dict[str, float]:
    """Return a start with all coordinates and rates of a probe; those that it does not give are zero."""
    return {name + dot: start.get(name + dot, 0.0) for dot in ("", "'") for name in system.coordinate_names}


def start_state(system: System, start: Mapping[str, float]) -> State:
    """Return the state of a probe at a start."""
    whole = complete(system, start)
    return State(
        0.0, {n: whole[n] for n in system.coordinate_names}, {n: whole[f"{n}'"] for n in system.coordinate_names}
    )


def find_altered(model: System, name: str) -> str:
    """Return the reason why a model is not the probe of this name; empty if it is."""
    probe = next((p for p in probes() if p.name == name), None)
    if probe is None:
        return f"no probe has the name {name!r}"
    own = probe.system
    parts: Collection[str] = ("bodies", "coordinates", "parameters", "gravity", "forces", "constraints")
    changed = [part for part in parts if getattr(own, part) != getattr(model, part)]
    texts = [{o.place: o.what for o in system.omissions if o.acts} for system in (own, model)]
    return ", ".join([*changed, *(["the element"] if texts[0] != texts[1] else [])])
