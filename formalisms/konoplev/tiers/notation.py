"""How names of tiers are written: ``s_{3,3}^{2-5}`` has a letter, what stands below it and what stands above."""

from __future__ import annotations

import re
from html import escape
from typing import Any, ClassVar

from mbconcord.model.expressions import to_text
from mbconcord.model.expressions.latex import latex_name
from mbconcord.model.expressions.mathml import mathml_name
from mbconcord.model.notation.listing import Listing, Notation

from .parallelism import TierLoad, tier_loads

NAME = re.compile(r"(?P<letter>[^_{}^]+)_\{(?P<below>[^{}]*)\}(?:\^\{(?P<above>[^{}]*)\})?")
LATEX = {
    "ṡ": r"\dot{s}",
    "Ȧ": r"\dot{A}",
    "Θ": r"\Theta",
    "γ̃": r"\tilde{\gamma}",
    "λ": r"\lambda",
    "dl": r"\dot{l}",
    "dx": r"\dot{x}",
    "dV": r"\dot{V}",
}
MATHML = {"ṡ": "s", "Ȧ": "A", "dl": "l", "dx": "x", "dV": "V"}
CODE = {"ṡ": "ds", "Ȧ": "dA", "Θ": "Theta", "γ̃": "gamma_rate", "λ": "lambda"}


class TierNotation(Notation):
    """Names of the paper; JSON says of an item which body, component and row it is, and what its tier costs."""

    stages: ClassVar[str] = "tiers"

    def latex(self, name: str) -> str:
        """``s_{3,3}^{2-5}`` as it stands, with the dots of rates."""
        match = NAME.fullmatch(name)
        if not match:
            return latex_name(name)
        above = f"^{{{match['above']}}}" if match["above"] else ""
        return f"{LATEX.get(match['letter'], match['letter'])}_{{{match['below']}}}{above}"

    def mathml(self, name: str) -> str:
        """``s_{3,3}^{2-5}`` as it stands, with the dots of rates."""
        match = NAME.fullmatch(name)
        if not match:
            return mathml_name(name)
        letter = f"<mi>{escape(MATHML.get(match['letter'], match['letter']))}</mi>"
        if match["letter"] in MATHML:
            letter = f"<mover>{letter}<mo>˙</mo></mover>"
        below, above = (f"<mtext>{escape(match[part] or '')}</mtext>" for part in ("below", "above"))
        return (
            f"<msubsup>{letter}{below}{above}</msubsup>"
            if match["above"]
            else f"<msub>{letter}{below}</msub>"
        )

    def code(self, name: str) -> str:
        """``s_{3,3}^{2-5}`` as ``s_3,3__2-5}``: what no program has in its names is left to be replaced."""
        flat = name.replace("}^{", "__").replace("_{", "_")
        for letter, spelled in CODE.items():
            flat = flat.replace(letter, spelled)
        return flat

    def mapping(self, listing: Listing) -> dict[str, Any]:
        """Tiers with object, body, component and direction of every item where its name has them, and their work."""
        *loads, whole = tier_loads(listing.stages)
        tiers = [
            {
                "object": stage.name.split("-")[0],
                "tier": stage.name.partition("-")[2],
                "title": stage.title,
                "items": [parts(a.name) | {"expression": to_text(a.expression)} for a in stage.assignments],
                "work": work(load),
            }
            for stage, load in zip(listing.stages, loads, strict=True)
        ]
        return {self.stages: tiers, "work": work(whole)}


def parts(name: str) -> dict[str, Any]:
    """What a name says of its item."""
    found: dict[str, Any] = {"name": name}
    match = NAME.fullmatch(name)
    if match:
        below = match["below"].split(",")
        if len(below) == 2 and all(part.isdigit() for part in below):
            found |= {"body": int(below[0]), "component": int(below[1])}
        direction = match["above"] or ""
        if "-" in direction:
            found["row"] = direction
    return found


def work(load: TierLoad) -> dict[str, Any]:
    """What a tier costs."""
    return {
        "operations": load.operations,
        "critical_path": load.critical_path,
        "average_parallelism": load.parallelism,
    }


TIERS = TierNotation()
