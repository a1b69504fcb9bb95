"""What `make docs` lays out: every page in one section, every public name described once; nothing is listed by hand."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = spec_from_file_location("assemble", ROOT / "docs" / "site" / "assemble.py")
    assert spec and spec.loader
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def entries(text: str) -> list[str]:
    """What the tables of contents of a page name."""
    lines = "\n".join(TOCTREE.findall(text)).splitlines()
    return [line for line in lines if line and not line.startswith(":")]


def test_every_page_is_in_one_section(site: ModuleType) -> None:
    names = [path.relative_to(ROOT).with_suffix("").as_posix() for path in site.PAGES]
    pages = dict(site.sections(names))
    assert entries(pages.pop("index.md")) == [*(name.removesuffix(".md") for name in pages), "api/index"]
    assert Counter(name for text in pages.values() for name in entries(text)) == Counter(names)
    assert {"README", "README.ru", "CHANGELOG", "docs/cli", "docs/decisions/README"} <= set(names)


@pytest.mark.parametrize(
    ("added", "section"),
    [("docs/new", "guides"), ("docs/formats/new", "formats"), ("docs/decisions/9999-new", "project")],
)
def test_a_page_that_is_added_is_found(site: ModuleType, added: str, section: str) -> None:
    assert added in entries(dict(site.sections(["README", added]))[f"{section}.md"])


def test_a_name_that_several_modules_export_is_described_by_the_first(site: ModuleType) -> None:
    described: set[int] = set()
    options = [
        site.members(import_module(name), described)
        for name in ("mbconcord", "mbconcord.model", "mbconcord.model.body")
    ]
    shown = [
        set(re.findall(r"\w+", " ".join(line for line in o if line.startswith(":members:")))) for o in options
    ]
    assert "System" in shown[0] and "System" not in shown[1]
    assert "Body" in shown[1] and ":exclude-members: Body" in options[2]


@pytest.mark.parametrize(
    ("dotted", "found"),
    [
        ("mbconcord.model.body.Body.joint", "mbconcord.model.body"),
        ("mbconcord.model.body", "mbconcord.model.body"),
        ("mbconcord.validation.judge.bounds.BoundedEquations", "mbconcord.validation.judge.bounds"),
    ],
)
def test_the_module_of_a_dotted_name(site: ModuleType, dotted: str, found: str) -> None:
    assert site.module(dotted) == found


@pytest.mark.parametrize(
    ("name", "hidden"), [("mbconcord.reports.part", True), ("mbconcord.reports.html", False)]
)
def test_a_module_behind_a_function_of_its_name(site: ModuleType, name: str, hidden: bool) -> None:
    import_module(name)
    assert site.hidden(name) is hidden
