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


@pytest.fixture(scope="module")
def reference(site: ModuleType) -> dict[str, str]:
    return dict(site.reference())


@pytest.mark.parametrize(
    ("page", "holds", "lacks"),
    [
        ("mbconcord", "autoclass:: mbconcord.System\n   :members:", "Described elsewhere"),
        ("mbconcord", "autofunction:: mbconcord.check\n", "mbconcord.Body"),
        ("mbconcord.model", ":py:obj:`System <mbconcord.System>`", ":members: System"),
        ("mbconcord.model.body", ":py:obj:`Body <mbconcord.model.Body>`", ":members: Body"),
        ("mbconcord.model.body", ":exclude-members: Body", "Modules:"),
        ("mbconcord.converters.registry", "read_bytes", " read_text,"),
        ("mbconcord.validation", ":doc:`mbconcord.validation.check`", ":doc:`mbconcord.validation.judge.trial`"),
    ],
)  # fmt: skip
def test_a_name_is_described_by_the_first_module_that_exports_it(
    reference: dict[str, str], page: str, holds: str, lacks: str
) -> None:
    text = reference[f"api/{page}.rst"]
    assert holds in text and lacks not in text, text


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
