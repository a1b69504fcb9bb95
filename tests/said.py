"""Pages of what is said: tables of refusals and losses with every word of each; ``python -m tests.said`` writes them.

The tables say which words must stand in a refusal; what a person reads is all of it: place, what was found, what was
expected, the remedy. A word that changes is seen in the difference of these pages, and red until they are written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from mbconcord.model.diagnostics import MbconcordError

#: Packages of pages: each has ``TABLES``, and its pages beside it.
PACKAGES = ("tests.formats.refusals", "tests.model.refusals")
#: Of texts that are longer no more is shown as a title.
SHOWN = 90

#: A title, and what refuses, or gives the lines that are said.
Case = tuple[str, Callable[[], object]]
Tables = Mapping[str, Callable[[], Iterator[Case]]]
#: What is said where nothing is refused.
NOTHING = "    nothing\n"


def page(cases: Iterable[Case]) -> str:
    """The titles of which something is said, and below each what."""
    said = ((title, _said(call)) for title, call in cases)
    return "".join(f"{title[:SHOWN]}\n{words}\n" for title, words in said if words)


def _said(call: Callable[[], object]) -> str:
    try:
        found = call()
    except (MbconcordError, ValueError) as problem:
        found = str(problem).splitlines()
    return "".join(f"    {line}\n" for line in found) if isinstance(found, list) else NOTHING


def file(package: str, name: str) -> Path:
    """Where the page of a table stands."""
    return Path(str(import_module(package).__file__)).with_name(f"{name}.txt")


if __name__ == "__main__":
    for package in PACKAGES:
        for name, cases in import_module(package).TABLES.items():
            file(package, name).write_text(page(cases()), encoding="utf-8")
