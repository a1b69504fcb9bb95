"""docs/architecture.md is true: its parts are the folders, its layers the contracts; every room tells what it holds."""

from __future__ import annotations

import ast
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms

from .test_architecture import ALLOWED, SHARED_IN_CONVERTERS, SHARED_IN_FORMALISMS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: Folders at the top that hold code; fixtures are data.
PARTS = (
    "app",
    "reports",
    "validation",
    "simulation",
    "converters",
    "formalisms",
    "kernels",
    "model",
    "laboratory",
    "tests",
    "docs",
)


def table(heading: str) -> dict[str, str]:
    """Folders and what they hold, of the table below a heading of the page."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w/]+)/` \| (.+) \|$", section, re.MULTILINE)
    assert len(rows) == len(dict(rows)), "a room stands there twice"
    return dict(rows)


def rooms() -> dict[str, Path]:
    """Folders that hold code, by their paths; those of tests are as the parts that they test."""
    folders = {path.parent for part in PARTS if part != "tests" for path in (ROOT / part).rglob("*.py")}
    return {folder.relative_to(ROOT).as_posix(): folder for folder in sorted(folders)}


def contracts(kind: str) -> list[dict[str, Any]]:
    return [c for c in PROJECT["tool"]["importlinter"]["contracts"] if c["type"] == kind]


def first_line(folder: Path) -> str:
    """Return the first line of the docstring of a package, empty where there is none."""
    file = folder / "__init__.py"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else None
    return (text or "").partition("\n")[0]


def test_every_room_tells_what_it_holds() -> None:
    """The page sends the reader to these lines."""
    lines = {room: first_line(folder) for room, folder in rooms().items() if not room.startswith("docs/")}
    assert [room for room, line in lines.items() if not line] == [], "no docstring in the __init__.py of these rooms"
    assert len(set(lines.values())) == len(lines), "two rooms say the same"
    assert len(lines) > 80


def test_the_page_has_every_part_and_no_other() -> None:
    there = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert set(table("The parts")) == there | {"docs"}
    assert there == {*PARTS, "fixtures"} - {"docs"}


def test_the_layers_on_the_page_are_those_of_the_contract() -> None:
    (line,) = re.findall(r"^ {4}(app → .+)$", PAGE, re.MULTILINE)
    on_page = [set(re.findall(r"\w+", layer)) for layer in line.split("→")]
    contract, _ = contracts("layers")
    enforced = [set(re.findall(r"mbconcord\.(\w+)", layer)) for layer in contract["layers"]]
    assert enforced[:3] == [{"cli", "pytest_plugin", "testing"}, {"view"}, {"api"}]  # all are of app
    assert on_page == [{"app"}, *enforced[3:]]


def test_the_floors_on_the_page_are_those_of_the_contract() -> None:
    (line,) = re.findall(r"^ {4}(many → .+)$", PAGE, re.MULTILINE)
    _, contract = contracts("layers")
    enforced = [set(re.findall(r"mbconcord\.validation\.(\w+)", layer)) for layer in contract["layers"]]
    found = [set(re.findall(r"\w+", floor)) for floor in line.split("→")]
    assert found == enforced, (
        f"docs/architecture.md: the line {line!r} names other rooms than the layers of pyproject.toml"
    )


def test_the_parts_may_import_what_the_layers_let_them() -> None:
    """The test of imports in this folder is about the same layers."""
    contract, _ = contracts("layers")
    layers = [set(re.findall(r"mbconcord\.(\w+)", layer)) for layer in contract["layers"]]
    for part, others in ALLOWED.items():
        (level,) = (i for i, layer in enumerate(layers) if part in layer)
        below = set().union(*layers[level + 1 :])
        assert others - {"fixtures"} <= below | {part}, part


@pytest.mark.parametrize(
    ("part", "names", "shared"),
    [("formalisms", formalisms.BUILT_IN, SHARED_IN_FORMALISMS), ("converters", formats.BUILT_IN, SHARED_IN_CONVERTERS)],
)
def test_a_contract_holds_every_name_of_a_registry_apart(part: str, names: dict[str, str], shared: set[str]) -> None:
    (contract,) = (c for c in contracts("independence") if c["modules"][0].startswith(f"mbconcord.{part}."))
    for name in names:
        module = f"mbconcord.{part}.{name}"
        assert any(fnmatch(module, pattern) for pattern in contract["modules"]), module
    for ignored in contract.get("ignore_imports", ()):
        imported = ignored.split(" -> ")[1].removeprefix(f"mbconcord.{part}.")
        assert imported in shared, f"{ignored}: only {sorted(shared)} may be shared"


@pytest.mark.parametrize(("part", "names"), [("formalisms", formalisms.BUILT_IN), ("converters", formats.BUILT_IN)])
def test_a_registry_names_the_rooms_of_its_part(part: str, names: dict[str, str]) -> None:
    inside = {room.split("/")[1] for room in rooms() if room.startswith(f"{part}/")}
    assert inside == set(names)


def test_every_decision_stands_in_the_list_and_is_complete() -> None:
    folder = ROOT / "docs" / "decisions"
    records = sorted(p.name for p in folder.glob("[0-9]*.md"))
    listed = re.findall(r"^\| \[(\d{4})\]\((\1-[\w-]+\.md)\) \|", (folder / "README.md").read_text("utf-8"), re.M)
    assert [name for _, name in listed] == records
    assert [int(number) for number, _ in listed] == list(range(1, len(records) + 1))
    for name in records:
        text = (folder / name).read_text(encoding="utf-8")
        assert re.match(rf"# {name[:4]}: .+\n\nDate: \d{{4}}-\d\d\. Status: ", text), name
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"], name
