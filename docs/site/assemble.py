"""Lays the pages out for Sphinx: a copy of every page in its place, sections over them, a page for every public module.

A page that is added to docs/ is found and needs no edit here: what no section names is a guide. Public are the names
of the package itself, the modules that a part has directly, and every module that a page names.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import mbconcord

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "README.ru", "CONTRIBUTING", "SECURITY", "CHANGELOG")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
PARTS = ("model", "converters", "formalisms", "simulation", "kernels", "validation", "reports")
#: Sections in the order of the top line: file, title, pages as patterns; a section without patterns takes the rest.
SECTIONS: tuple[tuple[str, str, str], ...] = (
    ("start", "First steps", "README README.ru docs/tutorial docs/session docs/kernels docs/cli"),
    ("formats", "Formats", "docs/formats/*"),
    (
        "schools",
        "Schools",
        "docs/konoplev docs/telegin docs/notation docs/equations docs/references docs/errata docs/prints",
    ),
    ("guides", "Guides", ""),
    (
        "project",
        "Project",
        "docs/architecture CONTRIBUTING SECURITY CHANGELOG docs/decisions/README docs/decisions/*",
    ),
)
#: What classes have from these, and from what these have it from, is no part of the reference.
BASES = "Mapping, Exception"
DOTTED = re.compile(r"\bmbconcord(?:\.[A-Za-z_]\w*)+")


def assemble(target: Path) -> None:
    """Everything that Sphinx reads, in an empty folder."""
    names = []
    for page in PAGES:
        place = target / page.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, place)
        names.append(page.relative_to(ROOT).with_suffix("").as_posix())
    (target / "fixtures").symlink_to(ROOT / "fixtures", target_is_directory=True)
    for file, text in (*sections(names), *reference()):
        (target / file).parent.mkdir(exist_ok=True)
        (target / file).write_text(text, encoding="utf-8")


# --- sections ---------------------------------------------------------------------------------------


def sections(names: list[str]) -> Iterator[tuple[str, str]]:
    """The first page, and one page for every section."""
    left = list(names)
    found: dict[str, list[str]] = {}
    for section, _, patterns in SECTIONS:
        chosen = [name for pattern in patterns.split() for name in left if fnmatch(name, pattern)]
        found[section] = list(dict.fromkeys(chosen))
        left = [name for name in left if name not in chosen]
    for section, title, patterns in SECTIONS:
        yield f"{section}.md", f"# {title}\n\n{tree(found[section] if patterns else left, 'maxdepth: 1')}"
    entries = [section for section, _, _ in SECTIONS] + ["api/index"]
    yield "index.md", f"{INDEX}\n{tree(entries, 'maxdepth: 2')}"


def tree(entries: list[str], *options: str) -> str:
    """A table of contents."""
    return "\n".join(["```{toctree}", *(f":{option}" for option in options), *entries, "```", ""])


INDEX = """# mbconcord

Models of machines, their equations of motion by formalisms that share no line of mechanics, and evidence of where
they agree.
Begin with [what it does and how it is set up](README.md).
"""


# --- reference --------------------------------------------------------------------------------------


def reference() -> Iterator[tuple[str, str]]:
    """A page for the package's own names, one for every public module, and their index.

    What several modules export is described once, by the first: the package, then its parts, then what is in them;
    the others link to it. Titles may break behind a dot.
    """
    modules = list(public())
    described: dict[int, str] = {}
    for name in ("mbconcord", *modules):
        module = import_module(name)
        new, old = members(module, described)
        if module is mbconcord:
            options = []
        elif hasattr(module, "__all__"):
            options = [f":members: {', '.join(new)}"] if new else []
        else:
            options = [":members:", f":exclude-members: {', '.join(old)}"]
        if hidden(name):
            options.append(":no-index:")
        links = [f"* :py:obj:`{last} <{place}.{last}>`" for last, place in old.items()]
        title = name.replace(".", ".\N{ZERO WIDTH SPACE}")
        head = [title, "=" * len(title), "", f".. automodule:: {name}", *(f"   {o}" for o in options), ""]
        head += [line for last in new for line in whole(last)] if module is mbconcord else []
        tail = ["Described elsewhere:", "", *links, ""] if links else []
        inner = [n for n in modules if n.rpartition(".")[0] == name != "mbconcord"]
        tail += ["Modules:", "", *(f"* :doc:`{n}`" for n in inner), ""] if inner else []
        yield f"api/{name}.rst", "\n".join([*head, *tail])
    parts = [
        f"## {part}\n\n{tree([n for n in modules if n.split('.')[1] == part], 'maxdepth: 1')}"
        for part in dict.fromkeys(name.split(".")[1] for name in modules)
    ]
    start = "The names of `mbconcord` itself are what most need; below them are the parts that they come from.\n\n"
    yield "api/index.md", f"# API\n\n{start}{tree(['mbconcord'], 'maxdepth: 1')}\n" + "\n".join(parts)


def whole(name: str) -> list[str]:
    """One of the package's own names, with what its class has from others that are not in the reference."""
    if not isinstance(getattr(mbconcord, name), type):
        return [f".. autofunction:: mbconcord.{name}", ""]
    options = (":members:", f":inherited-members: {BASES}", ":special-members: __call__")
    return [f".. autoclass:: mbconcord.{name}", *(f"   {option}" for option in options), ""]


def members(module: ModuleType, described: dict[int, str]) -> tuple[list[str], dict[str, str]]:
    """Public names of a module that are not described yet, and the others by the module that describes them."""
    exported = getattr(module, "__all__", ())
    if module is mbconcord:
        exported = dir(module)
    below = "" if exported else "."
    own = (name for name, value in vars(module).items() if belongs(value, module.__name__, below))
    names = dict.fromkeys((*exported, *own))
    new, old = [], {}
    for name in names:
        value = getattr(module, name)
        if name.startswith("_") or not belongs(value, "mbconcord"):
            continue
        if id(value) in described:
            old[name] = described[id(value)]
        else:
            described[id(value)] = module.__name__
            new.append(name)
    return new, old


def belongs(value: object, to: str, below: str = ".") -> bool:
    """Whether a class or a function was made in a module, or in what is below it where ``below`` is not empty."""
    place = str(getattr(value, "__module__", ""))
    made = place == to or (bool(below) and place.startswith(to + below))
    return callable(value) and not isinstance(value, ModuleType) and made


def hidden(name: str) -> bool:
    """Whether a module's name in its package is that of something else that the package exports."""
    package, _, last = name.rpartition(".")
    return bool(package) and not isinstance(getattr(import_module(package), last), ModuleType)


def public() -> Iterator[str]:
    """Names of the public modules, part by part."""
    named = {name for text in PAGES for name in DOTTED.findall(text.read_text(encoding="utf-8"))}
    for part in PARTS:
        if not (ROOT / part).is_dir():
            continue
        package = f"mbconcord.{part}"
        direct = [f"{package}.{found.name}" for found in iter_modules(import_module(package).__path__)]
        deep = {module(name) for name in named if name.startswith(f"{package}.")} - {package, None}
        for name in (package, *sorted({*direct, *(name for name in deep if name)})):
            if not name.rpartition(".")[2].startswith("_"):
                yield name


def module(dotted: str) -> str | None:
    """The module that a dotted name is, or stands in."""
    pieces = dotted.split(".")
    for length in range(len(pieces), 0, -1):
        try:
            found = import_module(".".join(pieces[:length]))
        except ModuleNotFoundError:
            continue
        return found.__name__ if isinstance(found, ModuleType) else None
    return None


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
