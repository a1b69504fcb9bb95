"""What witnesses share is data: the table of docs/evidence.md is made of it, and imports say the same.

``python -m tests.house.test_shares`` writes the table anew.
"""

from __future__ import annotations

import ast
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import mbconcord.formalisms
import mbconcord.validation
from mbconcord.fixtures import folder
from mbconcord.validation import witnesses as registry
from mbconcord.validation.check import check
from mbconcord.validation.judge.witness import Original
from mbconcord.validation.witnesses.peers.program import ProgramWitness

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
BEGIN, END = "<!-- what witnesses share -->", "<!-- end -->"
VALIDATION = Path(mbconcord.validation.__file__).parent
FORMALISMS = Path(mbconcord.formalisms.__file__).parent
#: Where the numbers of a witness are made; other programs' are made elsewhere.
ROOMS = {
    "formalisms": (VALIDATION / "judge/formalism.py", VALIDATION / "judge/floats.py", FORMALISMS),
    "direct": (VALIDATION / "witnesses/direct",),
    "maximal": (VALIDATION / "witnesses/maximal",),
    "second reading": (VALIDATION / "witnesses/second",),
    "bodies": (VALIDATION / "witnesses/sums/joint_forces.py",),
    "motions": (
        VALIDATION / "judge/formalism.py",
        VALIDATION / "judge/floats.py",
        VALIDATION / "witnesses/motion.py",
        FORMALISMS,
    ),
    "links": (VALIDATION / "witnesses/links",),
    "um": tuple(
        VALIDATION / f"{x}.py" for x in ("judge/formalism", "judge/bounds", "judge/floats", "witnesses/um/generated")
    ),
    "table": tuple(VALIDATION / f"witnesses/printed/{x}.py" for x in ("reader", "headings")),
    "fmu": (VALIDATION / "against/fmu_child.py",),
}
#: What is told by the modules that are imported, or by the names taken of them; names of types tell nothing.
BY_MODULE = {
    "reader": ("model.system",),
    "model": ("model.numbers", "model.mixed", "model.joint_forces"),
    "functions": ("model.functions",),
    "graph": ("model.expressions", "model.derivatives"),
    "float evaluation": (
        "model.expressions.bounds", "model.expressions.levels", "model.expressions.program", "validation.judge.bounds",
        "validation.judge.floats", "validation.judge.uncertainty",
    ),
    "kinematics": ("validation.judge.kinematics",),
    "direct": ("validation.witnesses.direct",),
    "second reading": ("validation.witnesses.second",),
    "integration": ("simulation.keeping", "simulation.motion"),
    "recursions": ("kernels.links",),
    "texts": ("converters",),
}  # fmt: skip
#: What is told by a function that is called through the question, since the room imports nothing.
BY_CALL = {"binary layers": "at.transcribe"}
TYPES = {"Expression", "ExpressionError", "Interpolant", "RangeError", "TIME"}


def kind(name: str):
    module, _, attribute = registry.BUILT_IN[name].partition(":")
    return attrgetter(attribute)(import_module(module))


def shares() -> dict[str, frozenset[str]]:
    """Of every witness; of programs those that read the file, and those that take the model."""
    found = {name: kind(name).shares for name in registry.BUILT_IN if name != "programs"}
    for name, program in (("programs that read the file", "pinocchio"), ("programs that take the model", "sympy")):
        found[name] = ProgramWitness(program, Original("", "")).shares
    return found


def table() -> str:
    rows = [f"| witness | {' | '.join(registry.SHARED)} |", "|---" * (1 + len(registry.SHARED)) + "|"]
    for name, own in shares().items():
        rows.append(f"| {name} | {' | '.join('•' if what in own else '' for what in registry.SHARED)} |")
    rows += ["", "| shared | what it is | watched in every check by |", "|---|---|---|"]
    rows += [f"| {name} | {what} | {f'`{by}`' if by else 'nothing'} |" for name, (what, by) in registry.SHARED.items()]
    return "\n".join(rows)


def imported(path: Path) -> set[str]:
    """Dotted names that a file imports of mbconcord, without the stem."""
    part = VALIDATION if VALIDATION in path.parents else FORMALISMS
    package = [part.name, *path.relative_to(part).parent.parts]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])]).removeprefix("mbconcord.")
            found |= {f"{name}.{alias.name}" for alias in node.names if alias.name not in TYPES}
    return found


def _within(name: str, modules: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


def by_imports(name: str) -> set[str]:
    found: set[str] = set()
    for room in ROOMS[name]:
        inner = ".".join(("validation", *room.relative_to(VALIDATION).parts)) if VALIDATION in room.parents else "-"
        for path in sorted(room.rglob("*.py")) if room.is_dir() else [room]:
            names = {x for x in imported(path) if not x.startswith(f"{inner}.")}
            found |= {what for what, modules in BY_MODULE.items() if any(_within(x, modules) for x in names)}
            found |= {what for what, call in BY_CALL.items() if call in path.read_text(encoding="utf-8")}
    return found


def test_the_page_shows_what_witnesses_share() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0].strip() == table(), "python -m tests.house.test_shares"


@pytest.mark.parametrize("name", ROOMS)
def test_a_witness_says_what_it_imports(name: str) -> None:
    assert by_imports(name) == kind(name).shares


def test_whatever_formalisms_share_has_a_claim_that_watches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none did, no quantity would be checked, although all agree."""
    from mbconcord.converters import registry as formats

    system = formats.read(folder() / "mbsd/double_pendulum.mbsd").system
    names = ["lagrange", "newton_euler"]
    assert check(system, formalisms=names, states=1).verdict == "agrees"
    monkeypatch.setitem(registry.SHARED, "graph", ("", ""))
    found = check(system, formalisms=names, states=1)
    assert found.verdict == "not checked"
    reasons = {c.explanation for c in found.comparisons if c.verdict == "not checked"}
    assert reasons == {"all its witnesses share graph, which nothing watches"}


if __name__ == "__main__":
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
