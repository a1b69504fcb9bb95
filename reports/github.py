"""Findings as GitHub shows them: commands that annotate lines of a model, and a summary of a job in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .annotations import RULES, Annotation
from .markdown import plain, summary_table
from .part import Digest


def commands(found: Iterable[Annotation]) -> list[str]:
    """Write a line for each finding that a job's log turns into an annotation of the file."""
    return [
        f"::{a.level} file={_escape(a.location.file, ':,')},line={a.location.line},col={a.location.column},"
        f"title={_escape(f'mbconcord: {RULES[a.rule]}', ':,')}::{_escape(a.message)}"
        for a in found
    ]


def summary(digests: Sequence[Digest], found: Sequence[Annotation], closing: str) -> str:
    """Write the summary of a job: a row for each model, then the findings, errors first."""
    lines = ["## mbconcord check", "", plain(closing), "", *summary_table(digests), ""]
    for a in sorted(found, key=lambda a: a.level):
        head, *rest = a.message.splitlines()
        lines.append(plain(f"* {a.level}: {a.location}: {head}"))
        lines += ["", "  ```text", *(f"  {line}" for line in rest), "  ```", ""] if rest else []
    return "\n".join(lines) + "\n"


def _escape(text: str, also: str = "") -> str:
    """Escape what ends a command, and of a property what ends that."""
    for mark in f"%\r\n{also}":
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text
