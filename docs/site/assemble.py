"""Lays the pages out for Sphinx: a copy of every page in its place, sections over them, and the reference.

A page that is added to docs/ is found and needs no edit here: what no section names is a guide. The reference holds
the names of the package in the order in which one meets them, then those that docs/extending.md names.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from types import ModuleType

import notebooks

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "docs" / "index.md"
PAGES = [
    *(
        ROOT / f"{name}.md"
        for name in ("README", "README.ru", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "CHANGELOG")
    ),
    *sorted(page for kind in ("md", "ipynb") for page in (ROOT / "docs").rglob(f"*.{kind}") if page != HOME),
    # What is generated and pages lead to.
    *(
        ROOT / "tests" / f"{name}.md"
        for name in (
            "printed/errata",
            "laboratory/performance/performance",
            "laboratory/converters",
            "laboratory/numbers",
            "laboratory/operations",
        )
    ),
]
#: Sections in the order of the top line: file, title, pages as patterns; a section without patterns takes the rest.
SECTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "start",
        "First steps",
        "README README.ru docs/tutorial docs/by_hand docs/homework docs/bicycle docs/kernels docs/cli",
    ),
    ("formats", "Formats", "docs/formats/*"),
    ("papers", "Papers", "docs/konoplev docs/telegin docs/references tests/printed/errata"),
    ("guides", "Guides", ""),
    (
        "project",
        "Project",
        "docs/releases docs/architecture CONTRIBUTING CODE_OF_CONDUCT SECURITY CHANGELOG"
        " docs/decisions/README docs/decisions/* tests/*",
    ),
)
#: What classes have from these, and from what these have it from, is no part of the reference.
BASES = "Mapping, Exception, str"
#: Pages of the reference: file, title, what it begins with, names; "module.*" are those that a module exports.
REFERENCE: tuple[tuple[str, str, str, str], ...] = (
    (
        "models",
        "Models",
        "A model is read from a file, or built by hand; every function takes either, or a path.",
        "read Reading Mechanism System State write MbconcordError",
    ),
    (
        "evidence",
        "Evidence",
        "Are the equations right, are two models the same machine, has anything changed?",
        "check own compare compare_pairs convert certify assert_agrees assert_same_machine base_parameters",
    ),
    (
        "equations",
        "Equations",
        "Equations to read, to evaluate, and to run elsewhere.",
        "derive evaluate compile export",
    ),
    (
        "motion",
        "Motion",
        "Motion in time, where it rests, and how it vibrates.",
        "simulate ensemble assemble equilibrium linearize animate",
    ),
    ("results", "Results", "Types of what the functions return.", "results.*"),
    (
        "testing",
        "Tests of your own",
        "Random models for Hypothesis, and seeded faults for a formalism of your own.",
        "strategies.* testing.*",
    ),
)
#: The page that tells how to add a formalism, a witness or a format; what it names is the last page of the reference.
EXTENDING = ROOT / "docs" / "extending.md"
#: A link to a notebook leads to its page.
NOTEBOOK = re.compile(r"(\]\([\w./]+)\.ipynb\b")
DOTTED = re.compile(r"\bmbconcord(?:\.[A-Za-z_]\w*)+")
IMPORTED = re.compile(r"^from (mbconcord[\w.]*) import (.+)$", re.MULTILINE)


def assemble(target: Path) -> None:
    """Everything that Sphinx reads, in an empty folder."""
    names = []
    for page in PAGES:
        place = target / page.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = page.read_text(encoding="utf-8")
        text = notebooks.to_markdown(json.loads(text)) if page.suffix == ".ipynb" else text
        place.with_suffix(".md").write_text(NOTEBOOK.sub(r"\1.md", text), encoding="utf-8")
        names.append(page.relative_to(ROOT).with_suffix("").as_posix())
    for folder in ("fixtures", "docs/pictures"):
        (target / folder).symlink_to(ROOT / folder, target_is_directory=True)
    for file, text in (*sections(names), *reference()):
        (target / file).parent.mkdir(exist_ok=True)
        (target / file).write_text(text, encoding="utf-8")


# --- sections ---------------------------------------------------------------------------------------


def sections(names: list[str]) -> Iterator[tuple[str, str]]:
    """Write the first page, and one page for every section."""
    left = list(names)
    found: dict[str, list[str]] = {}
    for section, _, patterns in SECTIONS:
        chosen = [name for pattern in patterns.split() for name in left if fnmatch(name, pattern)]
        found[section] = list(dict.fromkeys(chosen))
        left = [name for name in left if name not in chosen]
    for section, title, patterns in SECTIONS:
        yield f"{section}.md", f"# {title}\n\n{tree(found[section] if patterns else left, 'maxdepth: 1')}"
    entries = [section for section, _, _ in SECTIONS] + ["api/index"]
    home = re.sub(r"(\]\(|src=\")(?!http|#)", r"\1docs/", HOME.read_text(encoding="utf-8"))
    yield "index.md", f"{home.replace('docs/../', '')}\n{tree(entries, 'hidden:')}"


def tree(entries: list[str], *options: str) -> str:
    """Write a table of contents."""
    return "\n".join(["```{toctree}", *(f":{option}" for option in options), *entries, "```", ""])


# --- reference ---------------------------------------------------------------------------------------


def reference() -> Iterator[tuple[str, str]]:
    """Write a page for each group of names, one for what extensions use, and their index."""
    known: set[int] = set()
    for file, title, start, names in REFERENCE:
        found = [dotted for name in names.split() for dotted in exported(f"mbconcord.{name}")]
        yield f"api/{file}.rst", page(title, start, found)
        known |= {id(resolved(dotted)) for dotted in found}
    start = "What packages of your own take from mbconcord: :doc:`/docs/extending`."
    rest = sorted(dotted for dotted in extending() if id(resolved(dotted)) not in known)
    yield "api/extending.rst", page("Extensions", start, rest)
    entries = [*(file for file, *_ in REFERENCE), "extending"]
    yield (
        "api/index.md",
        f"# API\n\nEvery public name, in the order in which one meets it.\n\n{tree(entries, 'maxdepth: 2')}",
    )


def page(title: str, start: str, names: list[str]) -> str:
    """Titles, what the page begins with, and every name with its docstring."""
    return "\n".join([title, "=" * len(title), "", start, "", *(line for n in names for line in described(n))])


def described(dotted: str) -> list[str]:
    """Write a name with its docstring; a class with what it has from others that are not in the reference."""
    found = resolved(dotted)
    if not isinstance(found, type):
        return [f".. {'autofunction' if callable(found) else 'autodata'}:: {dotted}", ""]
    options = (":members:", f":inherited-members: {BASES}", ":special-members: __call__")
    return [f".. autoclass:: {dotted}", *(f"   {option}" for option in options), ""]


def exported(dotted: str) -> list[str]:
    """Return the name itself, or those that a module exports."""
    module, star, _ = dotted.partition(".*")
    if not star:
        return [dotted]
    found = import_module(module)
    names = getattr(found, "__all__", None) or [n for n in vars(found) if n[0].isupper()]
    return [f"{module}.{name}" for name in names]


def extending() -> set[str]:
    """Functions, classes and constants of mbconcord that docs/extending.md names or imports."""
    text = EXTENDING.read_text(encoding="utf-8")
    imported = {f"{m}.{n.strip()}" for m, names in IMPORTED.findall(text) for n in names.split(",")}
    found = {n for n in {*DOTTED.findall(text), *imported} if not isinstance(resolved(n), ModuleType | None)}
    return {name for name in found if name.rpartition(".")[0] not in found}  # methods stand in their classes


def resolved(dotted: str) -> object:
    """Return the object of a dotted name; None where it is a group of entry points."""
    pieces = dotted.split(".")
    for length in range(len(pieces), 0, -1):
        try:
            found: object = import_module(".".join(pieces[:length]))
        except ModuleNotFoundError:
            continue
        for piece in pieces[length:]:
            found = getattr(found, piece, None)
        return found
    return None


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
