"""Names that would be code: harmless in C, Python, LaTeX and HTML; no format takes them for structure."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Function, Gravity, Inertia, Parameter, System
from mbconcord.model.expressions import TIME, as_expression, call, symbol
from mbconcord.model.transformation import AXES, Prescribed, Variable, rotation, translation
from mbconcord.reports import equations

NAMES = (
    "*/ evil(); /*", "/* x", "// x", "*\\\n/ evil();", '"""; evil()', "\\", "\\\n", "a\nevil()", "a\r\nevil()",
    "$x$", "<script>evil()</script>", "<img src=x onerror=evil()>", "&lt;", "%s {} {0}", "{{7*7}}", "{% x %}", "#{x}",
    'a"b', "a`b`", "int", "for", "def", "lambda", "??/", "*??/\n/ evil();", "\u202e", "\u2028evil()", "\x1b[31m",
    "x\0y",
    "é", "数", "]]>", "-->", "\\end{align*}\\input{x}", "^^5cinput{x}", "_", "~", "a b", "../../x", "=evil()",
    "__import__('os')".replace("'", "’"), "g" * 300, ">zi", ";", ",", "with main;", "#0",
)  # fmt: skip
PLAIN = tuple(f"plain{i}" for i in range(len(NAMES)))
FORMALISMS = ("lagrange", "konoplev")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.|\n)")


def machine(names: tuple[str, ...], functions: bool = False) -> System:
    """Every name is that of a body, with a number after it of a coordinate and of parameters, and of a function."""
    bodies, parameters = [], []
    for i, name in enumerate(names):
        mass, arm = f"{name}1", f"{name}2"
        parameters += [Parameter(mass), Parameter(arm)]
        joint = [rotation("x", Variable(f"{name}0")), translation("y", symbol(arm))]
        if functions:
            joint.append(translation("z", Prescribed(call(f"{name}3", [TIME]))))
        parent = names[i - 1] if i % 3 else None
        bodies.append(Body(name, parent, tuple(joint), Inertia(symbol(mass))))
    x, y, z = AXES["y"]
    return System(
        names[0],
        tuple(Coordinate(f"{name}0") for name in names),
        tuple(parameters),
        tuple(Function(f"{name}3", ("t",)) for name in names) if functions else (),
        Gravity(9.81, (-x, -y, -z)),
        tuple(bodies),
    )


def rendered(names: tuple[str, ...], by: str, output: str) -> tuple[str, str]:
    """What is printed of a machine: the formalism's own list, and two quantities."""
    derived, system = formalism(by), machine(names)
    return (
        str(equations.render(derived.listing(system), [], output)),
        str(equations.render(derived.derive(system), ["M", "h"], output)),
    )


def statements(text: str) -> tuple[Counter[str], set[str]]:
    """How many statements of each kind a module has, and the names that it calls."""
    nodes = list(ast.walk(ast.parse(text)))
    kinds = Counter(type(node).__name__ for node in nodes if isinstance(node, ast.stmt))
    del kinds["Assign"]  # parts that are shared: they depend on the order of the names
    return kinds, {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}


@pytest.mark.slow
@pytest.mark.parametrize("by", FORMALISMS)
def test_python_has_no_other_statements_than_for_plain_names(by: str) -> None:
    found, plain = ([statements(text) for text in rendered(names, by, "python")] for names in (NAMES, PLAIN))
    assert found == plain


@pytest.mark.slow
def test_names_of_functions_are_harmless_in_python() -> None:
    derived = formalism("lagrange")
    texts = [
        equations.render(derived.derive(machine(names, functions=True)), ["M", "h"], "python")
        for names in (NAMES, PLAIN)
    ]
    assert statements(texts[0])[1] == statements(texts[1])[1]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no compiler gcc")
@pytest.mark.parametrize("by", FORMALISMS)
def test_c_compiles_without_a_warning(by: str) -> None:
    for text in rendered(NAMES, by, "c"):
        options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-"]
        done = subprocess.run(["gcc", *options], input=text, text=True, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.slow
@pytest.mark.parametrize("by", FORMALISMS)
def test_latex_has_no_other_commands_and_lines_than_for_plain_names(by: str) -> None:
    hostile, plain = ("".join(rendered(names, by, "latex")) for names in (NAMES, PLAIN))
    escapes = {f"\\{sign}" for sign in "#$%&_{}"} | {r"\backslash", r"\sim", r"\lambda", r"\mathrm", r"\hat"}
    assert set(_COMMAND.findall(hostile)) <= set(_COMMAND.findall(plain)) | escapes
    assert "^^" not in hostile and not re.search(r"(?<!\\)[%$#~]", re.sub(r"(?m)^%.*$", "", hostile))
    for line in hostile.splitlines():
        assert line.startswith(("% ", r"\begin{align*}", r"\end{align*}")) or (line[:2] == "  " and " &= " in line)
    bare = re.sub(r"\\[{}]", "", hostile)
    assert bare.count("{") == bare.count("}")


class _Tags(HTMLParser):
    """Tags with the names of their attributes, and what refers to somewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[tuple[str, ...]] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add((tag, *sorted(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]


@pytest.mark.slow
def test_html_has_no_other_tags_than_for_plain_names(tmp_path: Path) -> None:
    def tags(names: tuple[str, ...]) -> _Tags:
        text = registry.write(machine(names), "native").text
        (tmp_path / "all.mbs.json").write_text(text, encoding="utf-8")
        report = tmp_path / "report.html"
        options = ["--states", "1", "--formalisms", "lagrange,newton_euler", "--report", str(report)]
        main(["check", str(tmp_path), *options])
        parser = _Tags()
        parser.feed(report.read_text(encoding="utf-8"))
        return parser

    marked = tuple(name for name in NAMES if set(name) & set("<>&\"'`{}\0\x1b"))
    hostile, plain = tags(marked), tags(PLAIN[: len(marked)])
    assert hostile.tags == plain.tags
    assert all(link.startswith("#") for link in hostile.links)


def test_junit_is_xml_whatever_the_names(tmp_path: Path) -> None:
    file = tmp_path / "a\x1b\x08<b>.mbs.json"
    file.write_text(registry.write(machine(("a\x1b\0<b>&",)), "native").text, encoding="utf-8")
    report = tmp_path / "report.xml"
    main(["check", str(file), "--states", "1", "--formalisms", "lagrange,newton_euler", "--report", str(report)])
    root = ElementTree.fromstring(report.read_text(encoding="utf-8"))
    assert str(root[0].get("name")).endswith("a??<b>.mbs.json")


@pytest.mark.slow
@pytest.mark.parametrize("format", [n for n in registry.names() if registry.format_named(n).write is not None])
def test_a_format_that_is_written_has_no_other_structure(format: str) -> None:
    if format == "usd":
        pytest.importorskip("pxr", reason="usd-core, of the extra [usd], is not installed")

    def structure(names: tuple[str, ...]) -> tuple[int, int, list[int | None]]:
        given = machine(names)
        if format in ("urdf", "mjcf", "sdf", "usd"):  # which have numbers alone
            given = replace(given, parameters=tuple(Parameter(p.name, as_expression(1)) for p in given.parameters))
        text = registry.write(given, format).text
        system = registry.read_text(text, "-", format).system
        places = {body.name: i for i, body in enumerate(system.bodies)}
        parents = [places.get(body.parent or "") for body in system.bodies]
        return len(system.coordinates), len(system.parameters), parents

    assert structure(NAMES) == structure(PLAIN)
