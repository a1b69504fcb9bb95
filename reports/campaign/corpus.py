"""A corpus as a table, models by witnesses: for the terminal, for pages of documentation, for the report in HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from shlex import join
from typing import Any, Final

from mbconcord.formalisms import registry
from mbconcord.model.limits import count
from mbconcord.records import dataclass
from mbconcord.validation.claims import DEFAULT
from mbconcord.validation.many.campaign.corpus import CheckedModel, CorpusRequest
from mbconcord.validation.many.campaign.row import AGREEMENT, ClaimCount, SavedFinding

from ..markdown import plain
from ..part import dumps as as_json_text
from ..table import table

#: Columns beside those of the witnesses.
HEADS: Final = ("model", "verdict", "bodies", "coordinates")
LAST: Final = ("left out", "s")
#: Verdicts of which the page says why.
SILENT: Final = ("refused", "not checked")


@dataclass(frozen=True)
class CorpusLine:
    """Row of a model: its file, verdict and sizes, the result of each witness, omissions, seconds."""

    file: str
    verdict: str
    sizes: tuple[str, str]
    cells: tuple[str, ...]
    omissions: str
    seconds: str

    @property
    def texts(self) -> tuple[str, ...]:
        """All cells of the row in the order of the columns."""
        return self.file, self.verdict, *self.sizes, *self.cells, self.omissions, self.seconds


def witnesses(found: Sequence[CheckedModel]) -> list[str]:
    """List the formalisms that derived or refused at least one model of the corpus, in the order of the registry."""
    there = {name for c in found if c.row for name in (*c.witnesses, *c.row.obstacles)}
    return [name for name in registry.names() if name in there]


def lines(found: Sequence[CheckedModel], times: bool = True) -> list[CorpusLine]:
    """Return the rows of the table, one for each model; with the column of seconds if ``times``."""
    names = witnesses(found)
    return [_line(c, names, times) for c in found]


def _line(c: CheckedModel, names: Sequence[str], times: bool) -> CorpusLine:
    left_out = ", ".join(f"{n} {kind}" for kind, n in c.omissions.items())
    if c.row is None:
        return CorpusLine(c.file, c.verdict, ("", ""), ("",) * len(names), left_out, "")
    cells = tuple(_cell(c, name) for name in names)
    sizes = str(c.row.bodies), str(c.row.coordinates)
    return CorpusLine(c.file, c.verdict, sizes, cells, left_out, f"{c.row.seconds:.1f}" if times else "")


def _cell(c: CheckedModel, name: str) -> str:
    """Write a formalism's cell: ``24, 0.03``, its comparisons and the worst relative to its bound; or its obstacles."""
    assert c.row is not None
    cell: ClaimCount | None = c.row.cells.get((AGREEMENT, name))
    if name not in c.witnesses or cell is None:
        features = c.row.obstacles.get(name, ())
        return f"({', '.join(features)})" if features else ""
    worst = f", {cell.worst:.2g}" if cell.worst >= 0 else ""
    said = f"{cell.agrees + cell.disagrees}{worst}"
    return f"{said}, {cell.disagrees} disagree" if cell.disagrees else said


def verdicts(found: Sequence[CheckedModel]) -> str:
    """Write the numbers of models by verdict: ``3 agrees, 1 refused``."""
    counts = Counter(c.verdict for c in found)
    return ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())


def text(found: Sequence[CheckedModel]) -> str:
    """Write the table for the terminal: models, verdicts, number of witnesses, omissions, seconds."""
    rows = [(x.file, x.verdict, *x.sizes, str(len(c.witnesses) or ""), x.omissions, x.seconds)
            for c, x in zip(found, lines(found), strict=True)]  # fmt: skip
    return table((*HEADS, "witnesses", *LAST), rows, frozenset({2, 3, 4, 6}))


def markdown(found: Sequence[CheckedModel], wanted: CorpusRequest) -> str:
    """Write the table and the reasons of refusals as a page of documentation."""
    heads = (*HEADS, *witnesses(found), *LAST)
    head = f"""# A corpus

{count(len(found), "model")}, checked as one campaign at {count(wanted.states, "state")} from seed {wanted.seed}, with
the claims {", ".join(wanted.claims)}: {verdicts(found)}.

A cell has the number of comparisons of a formalism with the others and the largest discrepancy in units of its bound:
above 1 they disagree. In brackets stands what a formalism does not take. Times are of the processor.
"""
    cells = (heads, ["---"] * len(heads), *(line.texts for line in lines(found)))
    rows = "\n".join("| " + " | ".join(plain(text).replace("|", "\\|") for text in texts) + " |" for texts in cells)
    said = [plain(f"* `{c.file}`: {finding.what}") for c in found for finding in c.findings]
    told = [plain(f"* `{c.file}`: {why}") for c in found if c.verdict in SILENT for why in _reasons(c)]
    findings = "\n".join(("## Findings", "", *(said or ["None: nothing disagrees, nothing failed."])))
    refused = "\n".join(("", "", "## Refused or not checked", "", *told)) if told else ""
    return f"{head}\n{rows}\n\n{findings}{refused}\n"


def _reasons(c: CheckedModel) -> list[str]:
    """List the reasons why a model is refused or not checked, or the parts that were not checked."""
    return [" ".join(text.split()) for text in (c.refused, *(c.row.silent if c.row else ())) if text]


def as_json(found: Sequence[CheckedModel]) -> list[dict[str, Any]]:
    """Convert to the form of ``campaign run FILE… --json``."""
    return [
        {
            "file": c.file, "format": c.format, "verdict": c.verdict, "witnesses": list(c.witnesses),
            "omissions": dict(c.omissions), "stands": c.stands, "findings": [f.what for f in c.findings],
            "refused": c.refused, "seconds": c.row.seconds if c.row else None,
        }
        for c in found
    ]  # fmt: skip


def dumps(found: Sequence[CheckedModel]) -> str:
    """Write the JSON form as a file's text."""
    return as_json_text({"models": as_json(found)}) + "\n"


def keep_findings(found: Sequence[CheckedModel], wanted: CorpusRequest) -> list[SavedFinding]:
    """List the models with findings, each with the command that reproduces the finding."""
    return [
        SavedFinding(i, finding, None, command(c.file, wanted), c.file)
        for i, c in enumerate(found)
        for finding in c.findings
    ]


def command(file: str, wanted: CorpusRequest) -> str:
    """Write the command that checks one model alone."""
    words = ["mbconcord", "check", file, "--states", str(wanted.states), "--seed", str(wanted.seed)]
    words += ["--formalisms", ",".join(wanted.formalisms)] if wanted.formalisms else []
    words += ["--claims", ",".join(wanted.claims) or "none"] if wanted.claims != DEFAULT else []
    words += ["--exact", wanted.exact] if wanted.exact != "auto" else []
    return join(words)
