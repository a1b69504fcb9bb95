"""A corpus as a table, models by witnesses: for the terminal, for pages of documentation, for the report in HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import join
from typing import Any, Final

from mbconcord.formalisms import registry
from mbconcord.model.shown import count
from mbconcord.validation.campaign.corpus import Checked, Wanted
from mbconcord.validation.campaign.row import AGREEMENT, Cell
from mbconcord.validation.campaign.run import Kept
from mbconcord.validation.claims import DEFAULT

from ..as_json import dumps as as_json_text
from ..markdown import plain
from ..table import table

#: Columns beside those of the witnesses.
HEADS: Final = ("model", "verdict", "bodies", "coordinates")
LAST: Final = ("left out", "s")
#: Verdicts of which the page says why.
SILENT: Final = ("refused", "not checked")


@dataclass(frozen=True)
class Line:
    """A model: its file, verdict and sizes, what each witness came to, what its reader left out, seconds."""

    file: str
    verdict: str
    sizes: tuple[str, str]
    cells: tuple[str, ...]
    omissions: str
    seconds: str

    @property
    def texts(self) -> tuple[str, ...]:
        """All of its cells in the order of the columns."""
        return self.file, self.verdict, *self.sizes, *self.cells, self.omissions, self.seconds


def witnesses(found: Sequence[Checked]) -> list[str]:
    """Formalisms that say something of a model of the corpus, or were asked and do not take it, in their own order."""
    there = {name for c in found if c.row for name in (*c.witnesses, *c.row.obstacles)}
    return [name for name in registry.names() if name in there]


def lines(found: Sequence[Checked], times: bool = True) -> list[Line]:
    """The rows of the table."""
    names = witnesses(found)
    return [_line(c, names, times) for c in found]


def _line(c: Checked, names: Sequence[str], times: bool) -> Line:
    left_out = ", ".join(f"{n} {kind}" for kind, n in c.omissions.items())
    if c.row is None:
        return Line(c.file, c.verdict, ("", ""), ("",) * len(names), left_out, "")
    cells = tuple(_cell(c, name) for name in names)
    sizes = str(c.row.bodies), str(c.row.coordinates)
    return Line(c.file, c.verdict, sizes, cells, left_out, f"{c.row.seconds:.1f}" if times else "")


def _cell(c: Checked, name: str) -> str:
    """``24, 0.03``: comparisons with others, and the worst in units of its bound; in brackets what it does not take."""
    assert c.row is not None
    cell: Cell | None = c.row.cells.get((AGREEMENT, name))
    if name not in c.witnesses or cell is None:
        features = c.row.obstacles.get(name, ())
        return f"({', '.join(features)})" if features else ""
    worst = f", {cell.worst:.2g}" if cell.worst >= 0 else ""
    said = f"{cell.agrees + cell.disagrees}{worst}"
    return f"{said}, {cell.disagrees} disagree" if cell.disagrees else said


def verdicts(found: Sequence[Checked]) -> str:
    """How many models came out how."""
    counts = Counter(c.verdict for c in found)
    return ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())


def text(found: Sequence[Checked]) -> str:
    """For the terminal: models, verdicts, how many witnesses, what was left out, seconds."""
    rows = [(x.file, x.verdict, *x.sizes, str(len(c.witnesses) or ""), x.omissions, x.seconds)
            for c, x in zip(found, lines(found), strict=True)]  # fmt: skip
    return table((*HEADS, "witnesses", *LAST), rows, frozenset({2, 3, 4, 6}))


def markdown(found: Sequence[Checked], wanted: Wanted) -> str:
    """A page of documentation."""
    heads = (*HEADS, *witnesses(found), *LAST)
    head = f"""# A corpus

{count(len(found), "model")}, checked as one campaign at {wanted.states} states from seed {wanted.seed}, with the claims
{", ".join(wanted.claims)}: {verdicts(found)}.

A cell has the number of comparisons of a formalism with the others and the largest discrepancy in units of its bound:
above 1 they disagree. In brackets stands what a formalism does not take. Times are of the processor.
"""
    cells = (heads, ["---"] * len(heads), *(line.texts for line in lines(found)))
    rows = "\n".join(
        "| " + " | ".join(plain(text).replace("|", "\\|") for text in texts) + " |" for texts in cells
    )
    said = [plain(f"* `{c.file}`: {finding.what}") for c in found for finding in c.findings]
    told = [plain(f"* `{c.file}`: {why}") for c in found if c.verdict in SILENT for why in _reasons(c)]
    findings = "\n".join(("## Findings", "", *(said or ["None: nothing disagrees, nothing failed."])))
    refused = "\n".join(("", "", "## Refused or not checked", "", *told)) if told else ""
    return f"{head}\n{rows}\n\n{findings}{refused}\n"


def _reasons(c: Checked) -> list[str]:
    """Why a model is refused, by its reader or by the checks of the model, or what of it was not checked."""
    return [" ".join(text.split()) for text in (c.refused, *(c.row.silent if c.row else ())) if text]


def as_json(found: Sequence[Checked]) -> list[dict[str, Any]]:
    """The form of ``check --output … --json``."""
    return [
        {
            "file": c.file, "format": c.format, "verdict": c.verdict, "witnesses": list(c.witnesses),
            "omissions": dict(c.omissions), "stands": c.stands, "findings": [f.what for f in c.findings],
            "refused": c.refused, "seconds": c.row.seconds if c.row else None,
        }
        for c in found
    ]  # fmt: skip


def dumps(found: Sequence[Checked]) -> str:
    """The same as a file."""
    return as_json_text({"models": as_json(found)}) + "\n"


def kept(found: Sequence[Checked], wanted: Wanted) -> list[Kept]:
    """What was found, with the command that shows it again."""
    return [
        Kept(i, finding, None, command(c.file, wanted), c.file)
        for i, c in enumerate(found)
        for finding in c.findings
    ]


def command(file: str, wanted: Wanted) -> str:
    """The check of one model alone."""
    words = ["mbconcord", "check", file, "--states", str(wanted.states), "--seed", str(wanted.seed)]
    words += ["--formalisms", ",".join(wanted.formalisms)] if wanted.formalisms else []
    words += ["--claims", ",".join(wanted.claims) or "none"] if wanted.claims != DEFAULT else []
    words += ["--exact", wanted.exact] if wanted.exact != "auto" else []
    return join(words)
