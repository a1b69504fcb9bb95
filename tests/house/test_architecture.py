"""The house rules that a machine can check: layers, independence, one stem everywhere, no printing."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import mbconcord
import mbconcord.api
import mbconcord.converters
import mbconcord.formalisms
import mbconcord.kernels
import mbconcord.model
import mbconcord.reports
import mbconcord.simulation
import mbconcord.validation
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms

from .import_graph import circles, graph, modules

PARTS = {
    name: Path(module.__file__).parent
    for name, module in {
        "model": mbconcord.model,
        "converters": mbconcord.converters,
        "formalisms": mbconcord.formalisms,
        "kernels": mbconcord.kernels,
        "simulation": mbconcord.simulation,
        "validation": mbconcord.validation,
        "reports": mbconcord.reports,
        "api": mbconcord.api,
    }.items()
}
TESTS = Path(__file__).parents[1]
#: part -> parts it may import from
ALLOWED = {
    "model": {"model"},
    "converters": {"converters", "model"},
    "formalisms": {"formalisms", "model"},
    "kernels": {"kernels", "model"},
    "simulation": {"simulation", "formalisms", "kernels", "model"},
    "validation": {"validation", "simulation", "converters", "formalisms", "kernels", "model", "fixtures"},
    "reports": {"reports", "validation", "simulation", "converters", "formalisms", "model"},
    "api": {"api", "reports", "validation", "simulation", "converters", "formalisms", "kernels", "model"},
}
#: What belongs to no part and imports none: how classes are made, what installed packages list, what numbers assume.
OF_NO_PART = {"records", "plugins", "witnessed"}
SHARED_IN_FORMALISMS = {"changing", "interface", "registry"}
SHARED_IN_CONVERTERS = {
    "registry", "format", "losses", "findings", "spelling", "json_text", "xml_text", "xml_attributes",
    "constants", "poses", "carried", "floats", "inclusions", "joints", "limited", "shapes", "xacro", "fittings",
    "tabulated",
}  # fmt: skip


def sources(part: str) -> list[Path]:
    return sorted(PARTS[part].rglob("*.py"))


class Source(NamedTuple):
    """What several rules look at in a file: its imports (level, module, names), and its calls by line.

    Calls are ``print`` and ``sys.exit``; those of longer names, and of what has none, are left out.
    """

    imports: tuple[tuple[int, str, tuple[str, ...]], ...]
    calls: tuple[tuple[int, str], ...]


@cache
def source(path: Path) -> Source:
    """A file, read once for all rules."""
    imports: list[tuple[int, str, tuple[str, ...]]] = []
    calls: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.Call):
            name = node.func
            if isinstance(name, ast.Name):
                calls.append((node.lineno, name.id))
            elif isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
                calls.append((node.lineno, f"{name.value.id}.{name.attr}"))
    return Source(tuple(imports), tuple(calls))


def imports(path: Path, part: str) -> set[str]:
    """Absolute dotted names a file imports from mbconcord."""
    inner = path.relative_to(PARTS[part]).with_suffix("").parts
    package = ["mbconcord", part, *(inner[:-1])]
    found = set()
    for level, name, parts in source(path).imports:
        base = package[: len(package) - level + 1] if level else []
        module = ".".join(base + ([name] if name else []))
        found |= {module} | {f"{module}.{each}" for each in parts}
    return {name for name in found if name.startswith("mbconcord.")}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_layers(part):
    for path in sources(part):
        for name in imports(path, part):
            other = name.split(".")[1]
            if other in ALLOWED or other in ("cli", "fixtures"):
                assert other in ALLOWED[part], f"{path.name} imports {name}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "shared"), [("formalisms", SHARED_IN_FORMALISMS), ("converters", SHARED_IN_CONVERTERS)]
)
def test_formalisms_and_formats_are_independent(part, shared):
    for path in sources(part):
        own = path.relative_to(PARTS[part]).parts[0].removesuffix(".py")
        if own in shared or own == "__init__":
            continue
        for name in imports(path, part):
            pieces = name.split(".")
            if pieces[1] == part and len(pieces) > 2:
                assert pieces[2] in shared | {own}, f"{part}/{own} imports {name}"


@pytest.mark.parametrize("part", PARTS)
def test_libraries_never_print_and_never_exit(part):
    for path in sources(part):
        for line, call in source(path).calls:
            assert call not in ("print", "sys.exit", "exit", "quit"), f"{path.name}:{line}: {call}"


@pytest.mark.slow
def test_user_text_is_never_evaluated_as_python():
    for part in PARTS:
        for path in sources(part):
            for line, call in source(path).calls:
                assert call != "eval", f"{path.name}:{line}"


def test_imports_and_calls_are_told_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("print(1)\nfrom ..x import y\ndef f():\n    import p.q, r\n    "
                    "return [sys.exit(eval('2')), a.b.quit(), g()()]\n", encoding="utf-8")  # fmt: skip
    assert source(path).imports == ((2, "x", ("y",)), (0, "p.q", ()), (0, "r", ()))
    assert sorted(source(path).calls) == [(1, "print"), (5, "eval"), (5, "g"), (5, "sys.exit")]


@pytest.mark.parametrize("name", formalisms.BUILT_IN)
def test_a_formalism_has_one_stem_everywhere(name):
    assert formalisms.formalism(name).name == name
    assert list(TESTS.rglob(f"test_{name}.py"))
    assert (TESTS.parent / "laboratory" / "faults" / "tables" / f"{name}.txt").exists()


@pytest.mark.parametrize("name", formats.BUILT_IN)
def test_a_format_has_one_stem_everywhere(name):
    assert formats.format_named(name).name == name
    assert (PARTS["converters"] / name).is_dir()
    assert list(TESTS.rglob(f"test_{name}.py"))


@pytest.mark.parametrize("part", ["model", "converters", "formalisms"])
def test_importing_a_part_loads_no_other_layer(part):
    code = (
        f"import mbconcord.{part}, sys;"
        "print(*sorted(m for m in sys.modules if m.startswith('mbconcord.')), sep='\\n');"
        "print(*[m for m in ('sympy', 'matplotlib', 'hypothesis', 'lark', 'jinja2') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for line in output.split():
        assert line.startswith("mbconcord.") and line.split(".")[1] in ALLOWED[part] | OF_NO_PART, line


@pytest.mark.slow
def test_no_modules_import_one_another() -> None:
    """Not at the top of a file, not inside of a function, not for annotations: each file can be read by itself."""
    packages = {"mbconcord": Path(mbconcord.__file__).parent}
    files = modules(packages | {f"mbconcord.{name}": folder for name, folder in PARTS.items()})
    assert len(files) > 300
    found = circles(graph(files))
    assert not found, "\n".join(", ".join(circle) for circle in found)


def test_no_import_stands_below_what_needs_it() -> None:
    for part in PARTS:
        for path in sources(part):
            assert "noqa: E402" not in path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ({"a": "from . import b", "b": "import json"}, []),
        ({"a": "from . import b", "b": "from .a import x"}, [("p.a", "p.b")]),
        ({"a": "from . import b", "b": "def f():\n    from . import a"}, [("p.a", "p.b")]),
        ({"a": "import p.b", "b": "if TYPE_CHECKING:\n    from p.a import x"}, [("p.a", "p.b")]),
        ({"a": "from .b import x", "b": "from .c import x", "c": "from .a import x"}, [("p.a", "p.b", "p.c")]),
        # Importing p.q.b loads p.q first, and that loads p.q.c.
        ({"a": "from .q.b import x", "q/__init__": "from .c import y", "q/b": "", "q/c": "from ..a import z"},
         [("p.a", "p.q", "p.q.c")]),
        ({"q/__init__": "from .b import x", "q/b": "from .c import y", "q/c": ""}, []),
    ],
)  # fmt: skip
def test_circles_are_found(sources: dict[str, str], expected: list[tuple[str, ...]], tmp_path: Path) -> None:
    for name, text in {"__init__": "", **sources}.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert circles(graph(modules({"p": tmp_path}))) == expected


@pytest.mark.parametrize("path", sorted(TESTS.rglob("test_*.py")), ids=lambda path: path.stem)
def test_the_fast_loop_has_a_test_of_every_file(path):
    """A test that the mark does not stand on; of a table some rows may have it."""
    tests = [
        node for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]  # fmt: skip
    fast = [t.name for t in tests if "pytest.mark.slow" not in map(ast.unparse, t.decorator_list)]
    assert fast
