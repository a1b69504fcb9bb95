"""Places of mutation: modules by purpose, changes that can move a number, and the tests that watch them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import MbconcordError, among, error

from ..faults.mutants import MECHANICS, Mutant, mutants
from ..runner.change import source_file

PACKAGE: Final = "mbconcord"
#: Rooms and modules of validation that judge; the others make models, seed faults, measure, or talk to programs.
JUDGES: Final = ("check", "judge", "claims", "witnesses/direct", "witnesses/sums")
#: Modules that write, print, explain or name, by the last part of their names: they move no number of a model.
ASIDE: Final = re.compile(
    r"__init__|writ\w*|losses|findings|schema|printer|latex|mathml|text|code|"
    r"formula_errors|exchange|sympy_exchange|diagnostics|naming|listing|diagnose|"
    r"native|sections|evidence|limits|omission|features|notation|collect"
)
#: Functions whose results are words: names, messages, obstacles, texts.
WORDS: Final = re.compile(
    r"obstacle|refus|explain|describe|^_?format_|_?said|title|reason(?!s$)|words?$|_notes?$|"
    r"require(?!d)|__str__|__repr__|to_json|listing|appendix|section|count(?!_known)|latex|printed|print_lines|"
    r"shown|_comment$|_to_error|_text$|(?<!split)_line$|(in|parameter|function)_order"
)


@dataclass(frozen=True)
class MutationKind:
    """Purpose of modules, and the share of their effective mutants that ``check`` must notice by itself."""

    name: str
    title: str
    limit: float | None


KINDS: Final = {k[0]: MutationKind(*k) for k in (
    ("formalisms", "formalisms", 0.97), ("shared", "the model and the graph", 0.90), ("readers", "the readers", 0.90),
    ("builders", "what makes a model of a beam or of a table", None), ("judges", "the judges", None),
)}  # fmt: skip
#: What of the model judges: arithmetic of prime fields and of error bounds.
JUDGING: Final = tuple(f"{PACKAGE}.model.expressions.{name}" for name in ("field", "bounds", "levels"))

#: Kinds whose mutants are compared by numbers of formalisms.
NUMBERED: Final = frozenset({"formalisms", "shared"})

#: What of the model makes models: a fault there makes another one, and no text says what was meant.
BUILDING: Final = tuple(f"{PACKAGE}.model.{name}" for name in ("beams", "elastic.table"))


def kind(module: str) -> str:
    """Name of the kind of a module."""
    part = module.split(".")[1]
    if module.startswith(JUDGING):
        return "judges"
    if module.startswith(BUILDING):
        return "builders"
    return {"formalisms": "formalisms", "model": "shared", "converters": "readers"}.get(part, "judges")


def room(module: str) -> str:
    """Return the row of a module in the score: a formalism, a format, a part of the model or of validation."""
    return ".".join(module.split(".")[1:3])


def forms(formalism: str) -> tuple[str, ...]:
    """List a formalism and those of its forms that agree, in the form of options: ``name``, ``name:form``."""
    found = registry.formalism(formalism)
    return (formalism, *(f"{formalism}:{form}" for form in found.forms if found.forms_agree))


def list_formalisms(module: str) -> tuple[str, ...]:
    """Return the formalisms that test a mutant, or the format that is read."""
    owner = module.split(".")[2]
    match kind(module):
        case "formalisms":
            return forms(owner)
        case "readers" | "builders":
            return (owner,) if owner in formats.names() else ("native",)
        case _:
            return tuple(registry.names())


@cache
def modules() -> tuple[str, ...]:
    """Return all modules that are mutated."""
    found = []
    for part in ("formalisms", "model", "converters", "validation"):
        base = source_file(f"{PACKAGE}.{part}").parent
        for path in sorted(base.rglob("*.py")):
            names = path.relative_to(base).with_suffix("").parts
            if part == "formalisms" and names[1:] == ("__init__",):
                names = names[:1]  # a formalism's class stands in its package
            if part == "validation" and not {names[0], "/".join(names[:2])} & {*JUDGES}:
                continue
            if names[0] in ("interface", "registry") or any(ASIDE.fullmatch(n) for n in names):
                continue
            if part == "converters" and names[0] == "um" and names[1] == "equations":
                continue
            found.append(".".join((PACKAGE, part, *names)))
    return tuple(found)


def choose_modules(prefixes: Iterable[str] | None) -> tuple[str, ...]:
    """Select modules by prefix, ``model``, ``model.force``, None: all; :class:`MbconcordError` if none is mutated."""
    if prefixes is None:
        return modules()
    found: dict[str, None] = {}
    for given in prefixes:
        name = f"{PACKAGE}.{given.strip('/').replace('/', '.').removeprefix(PACKAGE + '.')}"
        below = [m for m in modules() if m == name or m.startswith(name + ".")]
        if not below:
            known = sorted({".".join(m.split(".")[1:n]) for m in modules() for n in (2, 3)})
            raise MbconcordError(error("--modules", f"found {given!r}: nothing there is mutated", among(given, known)))
        found |= dict.fromkeys(below)
    return tuple(found)


@cache
def possible(names: tuple[str, ...]) -> tuple[Mutant, ...]:
    """Return all changes of modules that may move a number."""
    made = (m for name in names for m in mutants(name, source_file(name), MECHANICS))
    return tuple(m for m in made if not any(WORDS.search(part) for part in m.place.split(".")))


def checkout() -> Path | None:
    """Return the folder with the tests of this source; None if the package is installed without them."""
    spec = find_spec(f"{PACKAGE}.model")
    assert spec is not None and spec.origin is not None
    root = Path(spec.origin).parents[1]
    return root if (root / "tests" / "readers").is_dir() else None


#: Tests of a kind of modules, the likeliest first, in groups; ``{owner}`` is a module's room.
WATCHING: Final = {
    "formalisms": (["tests/formalisms/{owner}", "tests/formalisms/test_{owner}*.py"],
                   ["tests/formalisms/test_*.py", "tests/reference"], ["tests/simulation", "tests/printed"]),
    "shared": (["tests/model/test_{owner}*.py", "tests/{owner}"], ["tests/model", "tests/expressions"],
               ["tests/validation/test_d*.py", "tests/readers"], ["tests/reference", "tests/simulation"]),
    "readers": (["tests/readers/test_{owner}_*.py"], ["tests/formats/test_{owner}*.py", "tests/formats/{owner}",
                "tests/formats/*/test_{owner}*.py"], ["tests/readers", "tests/formats"]),
    "builders": (["tests/model/test_{owner}*.py"], ["tests/model"], ["tests/reference", "tests/readers"]),
    "judges": (["tests/validation/{owner}", "tests/validation/test_{owner}*.py", "tests/{owner}"],
               ["tests/validation/test_[a-e]*.py", "tests/validation/test_[l-z]*.py", "tests/validation/judge/closed"],
               ["tests/laboratory/test_faults.py"]),
}  # fmt: skip
#: Rooms whose tests bear other names.
ELSEWHERE: Final = {
    "kinematics": ["tests/formalisms/test_motions.py", "tests/api/test_kinematics.py"],
    "changing": ["tests/formalisms/test_maps.py"], "tabulated": ["tests/formats/test_tables.py"],
    "turns": ["tests/formalisms/test_bushings.py", "tests/formats/test_snapped_angles.py"],
    "normal_forces": ["tests/api/test_normal_forces.py"], "contact": ["tests/api/test_contacts.py"],
    "sums": ["tests/formalisms/test_joint_forces.py", "tests/validation/judge/closed/test_constrained_forces.py"],
}  # fmt: skip


def owner(module: str) -> str:
    """Return the room of a module by which its tests are named."""
    rooms = module.split(".")
    return rooms[3] if rooms[2] == "witnesses" else rooms[2]


def tests(module: str, root: Path) -> list[list[str]]:
    """Return tests for a module, the likeliest first, each a list of files and folders."""
    own = owner(module)
    groups = [ELSEWHERE.get(own, []), *WATCHING[kind(module)]]
    found = [[str(p) for each in some for p in sorted(root.glob(each.format(owner=own)))] for some in groups]
    return [paths for paths in found if paths]
