"""Run a command with a seeded fault in what prints its numbers: how it ends, and what it says last."""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from mbconcord.validation.many.cluster.worker import Children

from ..runner.change import run
from .shared import change
from .tables.numbers import FILES, PrintedFault

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
    """Return what is printed without times, counts of evaluations and steps, and the widths of columns."""
    seconds = r"[0-9.]+ (?=s\b)|\"seconds\": [\d.e-]+"
    counts = r"[\d,]+ evaluations|after [\d,]+ steps|/tmp/\S*|seed [\da-f]{64}|-{2,}"
    return re.sub(r"\s+", lambda x: "\n" if "\n" in x[0] else " ", re.sub(f"{seconds}|{counts}", " ", text))


def _executed(code: str, names: dict[str, Any], told: io.StringIO) -> int:
    from mbconcord.model.diagnostics import DisagreementError

    try:
        exec(compile(code, "<command>", "exec"), {**names, DisagreementError.__name__: DisagreementError})
    except DisagreementError as problem:
        told.write(str(problem))
        return 1
    return 0


def attempt(children: Children, row: PrintedFault) -> tuple[str, str]:
    """Run the command of a fault: how it ended, and what it said; an error that is no disagreement is ``raised``."""
    answer = run(children, change(row.fault), CALLED, list(row.command))
    if answer.failure:
        return "raised", answer.failure.splitlines()[-1][:300]
    found = answer.value
    if found["code"] == 1:
        return "check", f"{row.command[0]}: {found['said']}"
    return ("survived", "") if found["code"] in (0, 3) else ("raised", f"exit code {found['code']}: {found['said']}")
