"""The report as one self-contained HTML file; its few lines of script only hide and show models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from mbconcord.model.derivation import QUANTITIES, Derivation, Nested, flatten
from mbconcord.model.expressions.mathml import to_mathml
from mbconcord.model.expressions.printer import written_size
from mbconcord.records import dataclass
from mbconcord.validation.judge.evidence import WORST_FIRST, Comparison, Evidence

from .description import joint_text, units
from .equations.listing import choose, elements
from .equations.mathml import write_left_side
from .part import Refusal, ReportPart, ReportRequest, assumptions, collect_sections, failures_first, once
from .pictures.modes import drawing
from .pictures.picture import picture
from .plots.histogram import histogram
from .quantities import COMPARED, MEANINGS, WITHOUT_BOUNDS, describe_proof, quantities
from .reactions import reactions
from .summary import describe_choices, left_out, notes, obstacles, open_tree_only, read_back, reproduction, versions
from .table import short
from .templating import environment, template
from .text import describe_places, monomial_lines, not_checked, state_line, troubles, where

# The equations of a checked model as MathML, in full if they are small.

#: Operands of all formulas together up to which they are shown.
FULL = 240

SHOWN = ("M", "h", "gravity", "applied")


@dataclass(frozen=True)
class ShownEquations:
    """Equations of one formalism: (title, lines of MathML) for each group; no groups if they are too long to read.

    ``operands`` is the number of operands in all equations as they would be written.
    """

    formalism: str
    operands: int
    groups: tuple[tuple[str, tuple[Markup, ...]], ...] = ()


def formulas(evidence: Evidence) -> ShownEquations | None:
    """Return the equations of the first formalism that derived some; None if there is no such formalism."""
    for witness in evidence.witnesses:
        derivation = witness.derivation
        if derivation is not None and any(name in derivation.quantities for name in SHOWN):
            return _show_equations(derivation)
    return None


def _show_equations(derivation: Derivation) -> ShownEquations:
    """Return the main equations of a derivation, without their text if they have too many operands."""
    quantities = choose(derivation, [name for name in SHOWN if name in derivation.quantities])
    scalars = (x for value in quantities.values() for x in flatten(value))
    operands = sum(written_size(x, lambda node: node.args) for x in scalars)
    if operands > FULL:
        return ShownEquations(derivation.formalism, operands)
    groups = ((name, tuple(_full(derivation, name, value))) for name, value in quantities.items())
    return ShownEquations(derivation.formalism, operands, tuple(groups))


def _full(derivation: Derivation, quantity: str, value: Nested) -> Iterator[Markup]:
    """Yield the equations of a quantity; equal mirrored entries only once."""
    found = {e.indices: e for e in elements(derivation, quantity, value)}
    for indices, element in found.items():
        mirrored = found.get(indices[::-1]) if len(indices) == 2 else None
        order = list(found)
        below = mirrored is not None and order.index(indices) > order.index(indices[::-1])
        if not (below and mirrored is not None and mirrored.expression is element.expression):
            yield _equation(write_left_side(element), to_mathml(element.expression))


def _equation(first: str, second: str) -> Markup:
    return Markup(f"<math>{first}<mo>=</mo>{second}</math>")


# How near the floats of every formalism come to their error bounds: a table of formalisms and quantities.


@dataclass(frozen=True)
class Rounding:
    """The largest |float - value in 50 digits| in units of its bound: 1 is the limit of rounding.

    Each row is a formalism, with a number or None for each of the ``quantities``.
    """

    quantities: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]


def rounding(comparisons: Sequence[Comparison]) -> Rounding | None:
    """Return the table of rounding errors; None if floats were not compared with 50 digits."""
    found: dict[str, dict[str, float]] = {}
    for c in comparisons:
        if c.rounding:
            found.setdefault(c.a, {}).update(c.rounding)
    if not found:
        return None
    there = dict.fromkeys(name for values in found.values() for name in values)
    names = (*(q for q in QUANTITIES if q in there), *(name for name in there if name not in QUANTITIES))
    return Rounding(names, tuple((who, tuple(values.get(name) for name in names)) for who, values in found.items()))


#: Ends of the logarithmic bar of discrepancies.
SMALLEST, LARGEST = 1e-18, 1e1
#: Most states, bodies and parameters that are listed one by one.
MOST_ROWS = 60
#: Most coordinates that stand in a table beside the picture.
MOST_BESIDE = 14


#: What formalisms say once stands at its end.
APPENDICES = True


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write one model's section; equal evidence gives equal bytes, except timings, which are marked."""
    said = _environment().get_template("section.html").render(s=_section(evidence, wanted))
    return read_back(said, evidence, wanted.options, describe_choices(evidence))


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write the page: the digest, models with disagreements first, and appendices of formalisms."""
    digests = [part.digest for part in parts]
    ordered = failures_first(parts)
    return (
        _environment()
        .get_template("report.html")
        .render(
            style=Markup(template("report.css")),
            script=Markup(template("report.js")),
            parts=[(part.digest, _anchor(part.digest.file), Markup(part.body)) for part in ordered],
            refusals=refusals,
            counts={v: sum(1 for d in digests if d.verdict == v) for v in WORST_FIRST},
            said=COMPARED,
            meanings=MEANINGS,
            without_bounds=WITHOUT_BOUNDS,
            compared=sum(len(d.excesses) for d in digests),
            histogram=Markup(histogram([x for d in digests for x in d.excesses])),
            sources=list(dict.fromkeys(source for d in digests for source in d.sources)),
            versions=versions(),
            appendices=once(parts),
        )
    )


@cache
def _environment() -> Environment:
    return environment(short=short, bar=_bar, duration=_duration, sentence=_sentence)


def _anchor(file: str) -> str:
    """Return the anchor of a model's section in the page, made from the name of its file."""
    return "m" + sha256(file.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _section(evidence: Evidence, wanted: ReportRequest) -> dict[str, Any]:
    """Return the values with which the template writes the section of one model."""
    system = evidence.system
    parameters = evidence.states[0].parameters if evidence.states else {}
    svg, caption = picture(system, parameters)
    rows = quantities(evidence.comparisons)
    return {
        "id": _anchor(evidence.file),
        "evidence": evidence,
        "system": system,
        "left_out": left_out(evidence),
        "compared": [row for row in rows if row.is_compared],
        "proved": describe_proof(evidence.comparisons),
        "assumes": assumptions(evidence),
        "silent": not_checked(evidence.comparisons),
        "trouble": troubles(evidence),
        "monomials": monomial_lines,
        "written": describe_places,
        "state": state_line,
        "where": where,
        "svg": Markup(svg),
        "caption": caption,
        "modes": Markup(drawing(system, parameters)),
        "units": units(system),
        "joint": joint_text,
        "drawn": {p.name: _values(evidence, p.name) for p in system.parameters if p.value is None},
        "formulas": formulas(evidence),
        "reactions": reactions(evidence),
        "added": collect_sections(evidence),
        "rounding": rounding(evidence.comparisons),
        "quantities": [q for q in (*QUANTITIES, "all") if any(q in w.operations for w in evidence.witnesses)],
        "remarks": [
            *(f"cannot take this model: {line}" for line in obstacles(evidence)),
            *(f"takes its open tree only: {line}" for line in open_tree_only(evidence)),
            *describe_choices(evidence),
        ],
        "notes": notes(evidence),
        "command": reproduction(evidence, wanted.options),
        "most": MOST_ROWS,
        "most_beside": MOST_BESIDE,
    }


def _values(evidence: Evidence, name: str) -> str:
    values = dict.fromkeys(_format_number(s.parameters[name]) for s in evidence.states if name in s.parameters)
    return ", ".join(list(values)[:3]) + (", …" if len(values) > 3 else "")


def _format_number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _sentence(heading: str) -> str:
    """Capitalise a heading; a symbol (``m``, ``N_M``) stays unchanged."""
    first = heading.partition(" ")[0]
    return heading[:1].upper() + heading[1:] if len(first) > 1 and first.isalpha() and first.islower() else heading


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def _bar(value: float | None) -> int:
    """Return the place of a discrepancy on the logarithmic bar, in percent."""
    if value is None or math.isnan(value):
        return 0
    least, most = math.log10(SMALLEST), math.log10(LARGEST)
    place = math.log10(min(max(value, SMALLEST), LARGEST))
    return round(100 * (place - least) / (most - least))
