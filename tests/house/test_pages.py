"""What pages and docstrings name is there: paths, modules, functions, links, and one version everywhere.

A path is held to be one of ours when it starts with a folder of the repository; ``<name>`` stands for the name of
any built-in formalism or format, ``*`` for any name. A dotted name is one of ours when it starts with
``mbconcord.``; the groups of entry points are names of their own.
"""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import mbconcord
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.validation import witnesses

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / name for name in ("README.md", "README.ru.md", "CONTRIBUTING.md", "CHANGELOG.md") if (ROOT / name).exists()
] + sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")])
FOLDERS = (
    "app", "converters", "docs", "fixtures", "formalisms", "kernels", "laboratory", "model", "reports", "simulation",
    "tests", "validation",
)  # fmt: skip
CODE = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
#: Groups of entry points; the last one of earlier releases.
GROUPS = {formats.GROUP, formalisms.GROUP, witnesses.GROUP, "mbconcord.faults"}

PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./<>*-]*)`")
DOTTED = re.compile(r"(?<!tool\.)\bmbconcord(?:\.[A-Za-z_]\w*)+")
LINK = re.compile(r"\]\(([^)\s]+)\)")
VERSION = re.compile(r"\bmbconcord (\d+\.\d+\.\d+\w*)|mbconcord==(\d+\.\d+\.\d+\w*)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def exists(path: str) -> bool:
    names = (*formalisms.BUILT_IN, *formats.BUILT_IN) if "<" in path else ("",)
    return any(any(ROOT.glob(re.sub(r"<\w+>", n, path.rstrip("/")))) for n in names)


def prose(page: Path) -> str:
    """The text of a page without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def resolves(dotted: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one, or of a class in one."""
    if dotted in GROUPS:
        return True
    pieces = dotted.split(".")
    for length in range(len(pieces), 0, -1):
        try:
            found: object = import_module(".".join(pieces[:length]))
        except ModuleNotFoundError:
            continue
        for piece in pieces[length:]:
            if not hasattr(found, piece):
                return piece in getattr(found, "__annotations__", {})
            found = getattr(found, piece)
        return True
    return False


@cache
def docstrings(path: Path) -> tuple[tuple[str, str], ...]:
    """Docstrings of a file, each with the name of its function; "" for those of modules and classes."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return tuple(
        (node.name if isinstance(node, ast.FunctionDef) else "", text)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node))
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_on_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [path for path in PATH.findall(text) if not exists(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_dotted_names_on_a_page_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert sorted({dotted for dotted in DOTTED.findall(text) if not resolves(dotted)}) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(prose(page)):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, made as GitHub makes them, and those that are named."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([\w-]+)"></a>', text))


@pytest.mark.slow
def test_names_in_docstrings_are_there() -> None:
    missing = [
        f"{name(path)}: {found}"
        for path in CODE
        for _, text in docstrings(path)
        for found in [p for p in PATH.findall(text.replace("``", "`")) if not exists(p)]
        + [d for d in re.findall(r":\w+:`~?(mbconcord\.[\w.]+)`", text) if not resolves(d)]
    ]
    assert missing == []


def test_functions_of_a_module_that_have_two_names_have_two_docstrings() -> None:
    """A docstring that was copied describes another function: ``write`` read ``Read the string.``"""
    copied = []
    for path in CODE:
        named: dict[str, set[str]] = {}
        for function, text in docstrings(path):
            named.setdefault(text, set()).update({function} - {""})
        copied += [f"{name(path)}: {sorted(names)}: {text}" for text, names in named.items() if len(names) > 1]
    assert copied == []


# --- equations -------------------------------------------------------------------------------------

EQUATIONS = re.findall(
    r"^\| ([^|]*\(\d[^|]*) \| [^|]+ \| ([^|]*formalisms/[^|]+\.py`[^|]*) \|$",
    (ROOT / "docs" / "references.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("equations", "files"), EQUATIONS)
def test_an_equation_stands_in_the_file_that_the_page_names(equations: str, files: str) -> None:
    """Both ends of a range are cited there: (10) and (12) for (10)-(12)."""
    texts = "".join((ROOT / path).read_text(encoding="utf-8") for path in PATH.findall(files))
    assert [n for n in re.findall(r"\([\d.]+\)", equations) if n not in texts] == []


def test_the_page_of_equations_has_papers() -> None:
    assert len(EQUATIONS) > 20


# --- one version -----------------------------------------------------------------------------------


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([\w-]+): (.+)$", text, re.MULTILINE))
    assert fields["version"] == mbconcord.__version__
    assert (mbconcord.__version__, fields["date-released"]) == releases()[0]


def test_the_project_takes_its_version_from_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"] and "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "app.__version__"}


def releases() -> list[tuple[str, str]]:
    """Version and date of every release in the changelog, the newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)


def test_the_changelog_begins_with_what_is_unreleased_then_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert headings[1:] == [f"[{version}] - {date}" for version, date in releases()]
    assert releases() == sorted(releases(), key=lambda r: tuple(map(int, r[0].split("."))), reverse=True)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_version_on_a_page_is_this_one_or_of_measurements_a_released_one(page: Path) -> None:
    found = {a or b for a, b in VERSION.findall(page.read_text(encoding="utf-8"))}
    measured = {version for version, _ in releases()} if "tests" in page.relative_to(ROOT).parts else set()
    assert found <= {mbconcord.__version__, *measured}


def test_the_page_of_commands_has_every_format_s_policy_of_masses() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"The default is `warn` for ([^.]*), `error` for ([^.]*)\.", page)
    policies = {format: formats.format_named(format).physics for format in formats.names()}
    for names, policy in zip(said, ("warn", "error"), strict=True):
        assert set(re.findall(r"`(\w+)`", names)) == {name for name in policies if policies[name] == policy}


# --- the test looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["validation/tests/", "validation/tolerances.py", "laboratory/faults/<name>.py"])
def test_a_path_that_is_not_there_is_seen(path: str) -> None:
    assert PATH.findall(f"see `{path}`") == [path]
    assert not exists(path)


@pytest.mark.parametrize("path", ["laboratory/faults/tables/<name>.txt", "tests/house/", "docs/formats/*.md"])
def test_a_path_that_is_there_is_found(path: str) -> None:
    assert PATH.findall(f"see `{path}`") == [path]
    assert exists(path)


@pytest.mark.parametrize(
    ("dotted", "there"),
    [
        ("mbconcord.validation.errata", False),
        ("mbconcord.model.System", True),
        ("mbconcord.model.System.no_such_method", False),
        ("mbconcord.formalisms.interface.Formalism.derive", True),
        ("mbconcord.formats", True),
        ("mbconcord.check", True),
    ],
)
def test_a_dotted_name(dotted: str, there: bool) -> None:
    assert resolves(dotted) is there
