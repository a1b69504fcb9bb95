"""Faults in a process with the changed source: results of ``check`` on a fixture, or how a command ends.

All witnesses have a fault of the formalisms' shared foundation, so no formalism disagrees with another; the claims that
watch what they share have to notice it. A fault in what prints numbers is noticed by the command.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mbconcord.converters import registry as formats
from mbconcord.fixtures import folder
from mbconcord.model.state import State
from mbconcord.testing import Catch, Fault, catches
from mbconcord.testing.injection import seed_fault
from mbconcord.validation.check import check
from mbconcord.validation.many.cluster.worker import Children
from mbconcord.validation.witnesses.peers import Original

from ..runner.change import SourceChange, run, source_file
from .tables.numbers import FILES, PrintedFault
from .tables.shared import Watched

CHECKED = f"{__name__}:check_fixture"
SEED = 0


@dataclass(frozen=True)
class TriedFault:
    """Findings of a check with a fault, largest discrepancy first; ``crash``: what was raised, which is not a catch."""

    watched: Watched
    found: tuple[Catch, ...]
    crash: str = ""

    @property
    def catch(self) -> Catch | None:
        """The largest discrepancy of the claim that must notice the fault; None when that claim does not."""
        return next((c for c in self.found if c.claim == self.watched.claim), None)


def change(fault: Fault) -> SourceChange:
    """Return the module with the fault; :class:`MbconcordError` unless its text occurs there exactly once."""
    return SourceChange(fault.module, seed_fault(source_file(fault.module).read_text("utf-8"), fault), anew=True)


def attempt_check(children: Children, row: Watched) -> TriedFault:
    """Check the fixture of a fault with the fault in place."""
    answer = run(children, change(row.fault), CHECKED, row.model, row.states)
    if answer.failure:
        return TriedFault(row, (), answer.failure)
    return TriedFault(row, tuple(Catch(**c) for c in answer.value["found"]), answer.value["crash"])


def check_fixture(model: str, states: int) -> dict[str, Any]:
    """Check a model of the fixtures, in the process with the fault.

    The result has ``found``, the numerical disagreements, the largest first, and ``crash``, the error raised by the
    check or a formalism.
    """
    try:
        reading = formats.read(folder() / model)
        given = None if states else [State()]
        text = Original(reading.text, reading.format, ())
        found = check(reading.system, model, states=states, seed=SEED, given=given, original=text).comparisons
    except Exception as problem:
        return {"found": [], "crash": f"{type(problem).__name__}: {problem}"}
    crash = "; ".join(c.explanation for c in found if c.verdict == "disagrees" and c.discrepancy is None)
    return {"found": [asdict(c) for c in catches(found)], "crash": crash}


CALLED = f"{__name__}:called"


def called(words: Sequence[str]) -> dict[str, Any]:
    """Run a command in a folder of its own: its exit code, and the lines of its errors."""
    import mbconcord as mb
    from mbconcord.cli import main
    from mbconcord.fixtures import folder

    root = Path(str(folder()))
    said, told = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as place, redirect_stdout(said), redirect_stderr(told):
        os.chdir(place)
        os.environ["MBCONCORD_KERNEL_CACHE"] = ""  # machine code of the right source would be taken from there
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        if words[0] == "python":
            code = _executed(words[1], {"mb": mb, "FIXTURES": root}, told)
        else:
            code = main([str(root / word) if (root / word).is_file() else word for word in words])
        written = {
            str(file): file.read_text("utf-8", "replace")
            for file in sorted(Path().rglob("*"))
            if file.is_file() and file.name not in FILES
        }
        os.chdir("/")
    printed = said.getvalue() + "".join(f"{name}\n{text}" for name, text in written.items())
    lines = [x for x in (told.getvalue() + said.getvalue()).splitlines() if "error" in x or "disagrees" in x]
    said_first = lines[0][:300] if lines else ""
    return {"code": code, "said": said_first, "printed": plain(printed), "told": plain(told.getvalue())}


def plain(text: str) -> str:
    """Return what is printed without times of work, counts, which of roundings is nearest, and widths of columns."""
    seconds = r"[0-9.]+ (?=ms\b)|(?<=evaluations, )[0-9.]+ (?=s\b)|\"seconds\": [\d.e-]+"
    counts = r"[\d,]+ evaluations|after [\d,]+ steps|/tmp/\S*|seed [\da-f]{64}|-{2,}"
    nearest = r"; closest .*(?=, \S+e-1[4-9] of )"
    return re.sub(r"\s+", lambda x: "\n" if "\n" in x[0] else " ", re.sub(f"{seconds}|{counts}|{nearest}", " ", text))


def _executed(code: str, names: dict[str, Any], told: io.StringIO) -> int:
    from mbconcord.model.diagnostics import DisagreementError

    try:
        exec(compile(code, "<command>", "exec"), {**names, DisagreementError.__name__: DisagreementError})
    except DisagreementError as problem:
        told.write(str(problem))
        return 1
    return 0


def attempt_command(children: Children, row: PrintedFault) -> tuple[str, str]:
    """Run the command of a fault: how it ended, and what it said; an error that is no disagreement is ``raised``."""
    answer = run(children, change(row.fault), CALLED, list(row.command))
    if answer.failure:
        return "raised", answer.failure.splitlines()[-1][:300]
    found = answer.value
    if found["code"] == 1:
        return "check", f"{row.command[0]}: {found['said']}"
    return ("survived", "") if found["code"] in (0, 3) else ("raised", f"exit code {found['code']}: {found['said']}")
