"""What `make docs` lays out: every page in one section, every public name described once."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import mbconcord

ROOT = Path(__file__).resolve().parents[2]
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site() -> ModuleType:
    sys.path.insert(0, str(ROOT / "docs" / "site"))
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


DESCRIBED = re.compile(r"^\.\. auto\w+:: (mbconcord[\w.]+)$", re.MULTILINE)


def test_every_public_name_is_described_once_and_no_other(site: ModuleType, reference: dict[str, str]) -> None:
    found = [name for text in reference.values() for name in DESCRIBED.findall(text)]
    assert len(found) == len(set(found)) == len({id(site.resolved(name)) for name in found})
    modules = {f"mbconcord.{name}" for name in mbconcord._MODULES}
    own = {name for name in found if name.count(".") == 1}
    assert own == {f"mbconcord.{name}" for name in mbconcord._PUBLIC}
    deep = set(found) - own
    assert {name.rpartition(".")[0] for name in deep} >= modules
    named = site.extending()
    assert all(name in named or name.rpartition(".")[0] in modules for name in deep)


def test_names_stand_in_the_order_in_which_one_meets_them(reference: dict[str, str]) -> None:
    assert entries(reference["api/index.md"]) == [page[4:-4] for page in reference if page.endswith(".rst")]
    assert list(reference)[:4] == ["api/models.rst", "api/evidence.rst", "api/equations.rst", "api/motion.rst"]
    assert DESCRIBED.findall(reference["api/models.rst"])[0] == "mbconcord.read"


@pytest.mark.parametrize(
    ("dotted", "described"),
    [
        ("mbconcord.System", "autoclass:: mbconcord.System\n   :members:"),
        ("mbconcord.check", "autofunction:: mbconcord.check\n"),
        ("mbconcord.model.features.FEATURES", "autodata:: mbconcord.model.features.FEATURES\n"),
    ],
)
def test_what_a_name_is_described_as(site: ModuleType, dotted: str, described: str) -> None:
    assert described in "\n".join(site.described(dotted))


def test_what_pages_of_extensions_name_is_found(site: ModuleType) -> None:
    found = site.extending()
    assert {"mbconcord.formalisms.interface.Formalism", "mbconcord.testing.try_faults"} <= found
    assert not any(name.startswith("mbconcord.formalisms.interface.Formalism.") for name in found)
    assert "mbconcord.formats" not in found  # a group of entry points


def test_the_first_page_leads_to_four_roads(site: ModuleType) -> None:
    home = dict(site.sections(["README"]))["index.md"]
    assert re.findall(r"^## (I .+)$", home, re.MULTILINE) == [
        "I have a URDF", "I use Universal Mechanism", "I keep models in CI", "I derive equations",
    ]  # fmt: skip
    links = re.findall(r"\]\(([^)#]+)|src=\"([^\"]+)", home)
    assert len(links) > 15
    assert [a or b for a, b in links if not (ROOT / (a or b)).exists()] == []


def test_the_search_ranks_guides_above_the_changelog() -> None:
    ranks = (ROOT / "docs" / "site" / "ranks.js").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"const LAST = /(.+)/;", ranks)
    last = re.compile(pattern.replace(r"\/", "/"))
    assert all(map(last.match, ("CHANGELOG", "docs/decisions/README", "docs/architecture", "tests/printed/errata")))
    assert not any(map(last.match, ("README", "docs/cli", "docs/evidence", "api/models")))
