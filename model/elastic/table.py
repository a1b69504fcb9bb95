"""Shape integrals as a table (CSV), as delivered by a finite-element program's reduction of a body.

Columns ``part, of, with, x, y, z``; ``of`` and ``with`` name modes, nodes and rows; what is not needed stays empty.

==================  =======  ========  =============================================================================
part                of       with      x, y, z
==================  =======  ========  =============================================================================
mass                                   m in x (kg)
first_moment        mode               S_k = ∫φ_k dm; ``of`` empty: S_0 = ∫r0 dm
second_moment_x     mode     mode      row x of P_kl = ∫φ_k φ_lᵀ dm, so for y and z; empty names are φ_0 = r0;
                                       one of P_kl and P_lk is enough
stiffness           mode     mode      K_kl in x; one of K_kl and K_lk is enough, none is zero
damping             mode     mode      the same of D
node                node               undeformed position
translation         node     mode      column of Φ
rotation            node     mode      column of Ψ
section_x           (empty)            row x of I_s = ∫ρI_s dx, so for y and z, where sections have rotary inertia
section_coupling    mode               column of D = ∫ρI_sΨ dx
section_twisting    mode     mode      R_ee = ∫ΨᵀρI_sΨ dx in x; one of two is enough, none is zero
==================  =======  ========  =============================================================================

Modes are those of the rows ``first_moment``, in their order. Numbers are SI, in body axes about the inboard joint.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from fractions import Fraction
from io import StringIO

from mbconcord.records import dataclass, field

from ..body import Inertia
from ..diagnostics import Diagnostic, Location, ModelError, ReadError, error
from ..expressions import Expression, as_expression, evaluate_float
from ..transformation import Vector
from .modes import ElasticModes, ElasticNode

HEADER = ("part", "of", "with", "x", "y", "z")
AXES = "xyz"
#: Parts, and how many of x, y, z they need.
PARTS: Mapping[str, int] = {
    "mass": 1, "first_moment": 3, **{f"second_moment_{axis}": 3 for axis in AXES}, "stiffness": 1, "damping": 1,
    "node": 3, "translation": 3, "rotation": 3, **{f"section_{axis}": 3 for axis in AXES}, "section_coupling": 3,
    "section_twisting": 1,
}  # fmt: skip
#: Longest number that is read.
DIGITS = 60

Key = tuple[str, str, str]
Row = tuple[Expression, ...]


@dataclass
class _ElasticTable:
    """Rows of a table by part and names, and the errors found in it."""

    file: str
    rows: dict[Key, Row] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def wrong(self, place: str, message: str, remedy: str, line: int | None = None) -> None:
        at = Location(self.file, line, 1) if line else None
        self.findings.append(error(place, message, remedy, at))

    def need(self, part: str, of: str = "", other: str = "") -> Row:
        """Return a row; if it is missing, record a finding and return zeros."""
        found = self.rows.get((part, of, other))
        if found is None:
            named = ", ".join(filter(None, (part, of, other)))
            self.wrong(f"modes/{named.replace(', ', '/')}", f"the row {named} is missing", "add it")
            return tuple(as_expression(0) for _ in range(PARTS[part]))
        return found

    def list_names(self, part: str) -> list[str]:
        """List the modes or nodes that have a row of this part, in order."""
        return list(dict.fromkeys(of for own, of, _ in self.rows if own == part and of))


def read_table(text: str, file: str = "-") -> tuple[Inertia, ElasticModes]:
    """Read inertia and modes of an elastic body from a table.

    Raises
    ------
    ReadError
        All findings: rows that are missing, twice or of unknown names, cells that are no numbers.
    """
    table = _ElasticTable(file)
    for line, cells in enumerate(csv.reader(StringIO(text)), 1):
        _row(table, line, [cell.strip() for cell in cells])
    modes, nodes = table.list_names("first_moment"), table.list_names("node")
    _unknown(table, modes, nodes)
    (mass,) = table.need("mass")
    first = [table.need("first_moment", name) for name in ("", *modes)]
    second = tuple(tuple(_block(table, a, b) for b in ("", *modes)) for a in ("", *modes))
    stiffness, damping = ([_symmetric(table, part, modes, k) for k in modes] for part in ("stiffness", "damping"))
    made = [
        ElasticNode(
            name,
            _triple(table.need("node", name)),
            _columns(table, "translation", name, modes),
            _columns(table, "rotation", name, modes),
        )
        for name in nodes
    ]
    sections = _sections(table, modes)
    if table.findings:
        raise ReadError(table.findings)
    centre = tuple(x / mass for x in first[0]) if mass else first[0]
    P, own = second[0][0], sections[0] if sections else ()
    whole = P[0][0] + P[1][1] + P[2][2]
    tensor = [whole - P[0][0], whole - P[1][1], whole - P[2][2], -P[0][1], -P[0][2], -P[1][2]]
    if own:
        places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        tensor = [x + own[i][k] for x, (i, k) in zip(tensor, places, strict=True)]
    inertia = Inertia.about_origin(mass, centre, tensor)
    return inertia, ElasticModes(
        tuple(modes), tuple(first[1:]), second, tuple(stiffness), tuple(damping), sections, tuple(made)
    )


def write_table(inertia: Inertia, modes: ElasticModes) -> str:
    """Write the table of an elastic body whose integrals are numbers.

    Raises
    ------
    ExpressionError
        One of them depends on a parameter.
    ModelError
        Products of modal coordinates move points: a table has no rows for these.
    """
    if modes.products:
        raise ModelError(error("modes/products", "a table has no rows for products of modes", "write native JSON"))
    found = StringIO()
    writer = csv.writer(found, lineterminator="\n")
    writer.writerow(HEADER)
    for (part, of, other), values in _rows(inertia, modes):
        cells = [repr(evaluate_float(x, {})) for x in values]
        writer.writerow([part, of, other, *cells, *[""] * (3 - len(cells))])
    return found.getvalue()


def _rows(inertia: Inertia, modes: ElasticModes) -> Iterator[tuple[Key, Row]]:
    names = ("", *modes.coordinates)
    yield ("mass", "", ""), (inertia.mass,)
    yield ("first_moment", "", ""), tuple(inertia.mass * x for x in inertia.centre)
    for name, row in zip(modes.coordinates, modes.first_moments, strict=True):
        yield ("first_moment", name, ""), row
    for k, of in enumerate(names):
        for m, other in enumerate(names[k:], k):
            for axis, row in zip(AXES, modes.second_moments[k][m], strict=True):
                yield (f"second_moment_{axis}", of, other), row
    own, coupling, twisting = modes.section_inertia or ((), (), ())
    for axis, row in zip(AXES, own, strict=False):
        yield (f"section_{axis}", "", ""), row
    for k, of in enumerate(modes.coordinates if coupling else ()):
        yield ("section_coupling", of, ""), tuple(row[k] for row in coupling)
    for part, matrix in (("stiffness", modes.stiffness), ("damping", modes.damping), ("section_twisting", twisting)):
        for k, of in enumerate(modes.coordinates if matrix else ()):
            for m, other in enumerate(modes.coordinates[k:], k):
                if matrix[k][m]:
                    yield (part, of, other), (matrix[k][m],)
    for node in modes.nodes:
        yield ("node", node.name, ""), node.position
        for part in ("translation", "rotation"):
            for m, other in enumerate(modes.coordinates):
                yield (part, node.name, other), tuple(row[m] for row in getattr(node, part))


def _row(table: _ElasticTable, line: int, cells: list[str]) -> None:
    if line == 1:
        if tuple(cells) != HEADER:
            table.wrong("modes", f"the first row is {','.join(cells)}", f"expected {','.join(HEADER)}", line)
        return
    if not any(cells):
        return
    part, of, other, *values = [*cells, *[""] * (6 - len(cells))]
    if part not in PARTS:
        table.wrong("modes", f"there is no part {part!r}", f"known: {', '.join(PARTS)}", line)
        return
    key = (part, of, other)
    if key in table.rows:
        table.wrong("modes", f"the row {', '.join(filter(None, key))} stands twice", "leave one", line)
    numbers = []
    for column, cell in zip(AXES, values[: PARTS[part]], strict=False):
        number = _number(cell)
        if number is None:
            found = f"{cell!r} is no number" if cell else "no number"
            table.wrong("modes", f"{part}: {found} in column {column}", "expected a decimal number", line)
        numbers.append(as_expression(number or 0))
    table.rows[key] = tuple(numbers)


def _number(cell: str) -> Fraction | None:
    if len(cell) > DIGITS or "/" in cell or "_" in cell:
        return None
    try:
        power = cell.lower().partition("e")[2]
        return Fraction(cell) if abs(int(power or 0)) < 400 else None
    except ValueError:
        return None


def _unknown(table: _ElasticTable, modes: list[str], nodes: list[str]) -> None:
    """Report rows whose modes or nodes have no row of their own."""
    for part, of, other in table.rows:
        asked = nodes if part in ("node", "translation", "rotation") else modes
        kind = "node" if asked is nodes else "mode"
        for name, known in ((of, asked), (other, modes)):
            if name and name not in known:
                what = kind if known is asked else "mode"
                table.wrong(f"modes/{part}", f"there is no {what} {name!r}", f"known: {', '.join(known) or 'none'}")


def _block(table: _ElasticTable, a: str, b: str) -> tuple[Row, ...]:
    """Return the block P_kl of the modes a and b, or the transpose of P_lk if the table has only that."""
    keys = [(f"second_moment_{axis}", a, b) for axis in AXES]
    back = [(f"second_moment_{axis}", b, a) for axis in AXES]
    if a != b and not any(key in table.rows for key in keys) and any(key in table.rows for key in back):
        rows = [table.need(*key) for key in back]
        return tuple(tuple(row[i] for row in rows) for i in range(3))
    return tuple(table.need(*key) for key in keys)


def _symmetric(table: _ElasticTable, part: str, modes: list[str], of: str) -> Row:
    """Return the row of the mode ``of`` of a symmetric matrix; entries not in the table are zero."""
    zero: Row = (as_expression(0),)
    return tuple(table.rows.get((part, of, m), table.rows.get((part, m, of), zero))[0] for m in modes)


def _sections(table: _ElasticTable, modes: list[str]) -> tuple[tuple[Row, ...], ...]:
    """Return I_s, D and R_ee of the sections' rotary inertia; empty if the table has none of them."""
    if not any(part.startswith("section_") for part, _, _ in table.rows):
        return ()
    own = tuple(table.need(f"section_{axis}") for axis in AXES)
    coupling = [table.need("section_coupling", name) for name in modes]
    twisting = tuple(_symmetric(table, "section_twisting", modes, name) for name in modes)
    return own, tuple(tuple(column[i] for column in coupling) for i in range(3)), twisting


def _triple(row: Row) -> Vector:
    x, y, z = row
    return x, y, z


def _columns(table: _ElasticTable, part: str, node: str, modes: list[str]) -> tuple[Row, ...]:
    """Return Φ or Ψ (3×N) of a node."""
    columns = [table.need(part, node, mode) for mode in modes]
    return tuple(tuple(column[i] for column in columns) for i in range(3))
