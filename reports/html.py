"""The report as one HTML file: no script, no network, pictures and equations inside."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.judge.evidence import Comparison, Evidence

from .against import monomial_lines, troubles
from .description import joint_text, spoken, units
from .formulas import formulas
from .picture import picture
from .score import scores
from .sections import added, appendices
from .summary import left_out, notes, reproduction, versions, worst
from .table import short
from .text import state_line, where

#: Ends of the logarithmic bar of discrepancies.
SMALLEST, LARGEST = 1e-18, 1e1
#: Most states, bodies and parameters that are listed one by one.
MOST_ROWS = 60
#: Most coordinates that stand in a table beside the picture.
MOST_BESIDE = 14
#: Above this many coordinates states are not listed: the seed gives them again.
MOST_STATE_COORDINATES = 12


def render(evidences: Sequence[Evidence], options: Sequence[str] = (), faults: bool = False) -> str:
    """The page. The same evidence gives the same bytes; timings are part of the evidence, marked as measured.

    Parameters
    ----------
    evidences : one per file
    options : options of the command that set numbers
    faults : whether to seed faults into each formalism and show the score
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "short": short,
        "bar": _bar,
        "shown": _shown,
        "duration": _duration,
        "spoken": spoken,
        "sentence": _sentence,
    }
    templates = files("mbconcord.reports") / "templates"
    template = environment.from_string((templates / "report.html").read_text(encoding="utf-8"))
    return template.render(
        style=Markup((templates / "report.css").read_text(encoding="utf-8")),
        sections=[_section(i, evidence, options) for i, evidence in enumerate(evidences, 1)],
        counts={
            v: sum(1 for e in evidences if e.verdict == v)
            for v in ("agrees", "agrees in part", "disagrees", "not checked")
        },
        versions=versions(),
        scores=scores(evidences) if faults else [],
        appendices=appendices(evidences),
    )


def _section(number: int, evidence: Evidence, options: Sequence[str]) -> dict[str, Any]:
    """What the template shows of one file."""
    system = evidence.system
    parameters = evidence.states[0].parameters if evidence.states else {}
    svg, caption = picture(system, parameters)
    return {
        "id": f"file-{number}",
        "evidence": evidence,
        "system": system,
        "worst": worst(evidence),
        "left_out": left_out(evidence),
        "rows": _grouped(evidence.comparisons),
        "trouble": troubles(evidence),
        "monomials": monomial_lines,
        "state": state_line,
        "where": where,
        "svg": Markup(svg),
        "caption": caption,
        "units": units(system),
        "joint": joint_text,
        "drawn": {p.name: _values(evidence, p.name) for p in system.parameters if p.value is None},
        "formulas": formulas(evidence),
        "added": added(evidence),
        "quantities": [q for q in (*QUANTITIES, "all") if any(q in w.operations for w in evidence.witnesses)],
        "states": [json.dumps(state.to_json(), ensure_ascii=False) for state in evidence.states]
        if len(system.coordinates) <= MOST_STATE_COORDINATES
        else [],
        "notes": notes(evidence),
        "command": reproduction(evidence, options),
        "most": MOST_ROWS,
        "most_beside": MOST_BESIDE,
    }


def _grouped(comparisons: Sequence[Comparison]) -> list[tuple[str, list[Comparison]]]:
    """Comparisons by quantity, in order."""
    groups: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault(comparison.quantity, []).append(comparison)
    return list(groups.items())


def _values(evidence: Evidence, name: str) -> str:
    values = dict.fromkeys(_shown(s.parameters[name]) for s in evidence.states if name in s.parameters)
    return ", ".join(list(values)[:3]) + (", …" if len(values) > 3 else "")


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _sentence(heading: str) -> str:
    """The heading as a sentence begins; a symbol (``m``, ``N_M``) stays what it is."""
    first = heading.partition(" ")[0]
    return (
        heading[:1].upper() + heading[1:]
        if len(first) > 1 and first.isalpha() and first.islower()
        else heading
    )


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def _bar(value: float | None) -> float:
    """Place of a discrepancy on the logarithmic bar, in percent."""
    if value is None or math.isnan(value):
        return 0.0
    least, most = math.log10(SMALLEST), math.log10(LARGEST)
    place = math.log10(min(max(value, SMALLEST), LARGEST))
    return round(100 * (place - least) / (most - least), 1)
