"""A list of tiers: named scalars, each line over the names of earlier tiers, as text, LaTeX, Python, C99 or JSON.

The names are the paper's, ``s_{3,3}^{2-5}``; code has ``s_3_3__2_5`` for it. A name that is absent means zero.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mbconcord.formalisms.konoplev.tiers.parallelism import TierLoad, tier_loads
from mbconcord.model.derivation import Derivation, flatten, restore
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions import Expression, rate, to_latex, to_text
from mbconcord.model.expressions.latex import latex_name
from mbconcord.model.expressions.printer import Printer

from ..konoplev import HEADERS, rows
from ..table import table
from .listing import elements
from .source import prepare, python_module
from .tier_code import C99, Code, Python

#: ``s_{3,3}^{2-5}``: letter, what stands below, what stands above.
NAME = re.compile(r"(?P<letter>[^_{}^]+)_\{(?P<below>[^{}]*)\}(?:\^\{(?P<above>[^{}]*)\})?")
LETTERS = {
    "ṡ": r"\dot{s}",
    "Ȧ": r"\dot{A}",
    "Θ": r"\Theta",
    "dl": r"\dot{l}",
    "dx": r"\dot{x}",
    "dV": r"\dot{V}",
}


#: Names that the code uses itself.
OWN = ("t", "q", "v", "a", "p", "values", "wrong", "parameters", "quantities", "np")


def tiers(listing: Derivation, output: str = "text") -> Any:
    """The list in a notation: a text, or for ``json`` a mapping."""
    return {"latex": latex, "python": python, "c": c99, "json": mapping}.get(output, text)(listing)


def text(listing: Derivation) -> str:
    """Lines ``name = formula`` under the title of their tier, then the canonical quantities."""
    lines: list[str] = []
    for stage in listing.stages:
        lines += ["", f"# {stage.name}: {stage.title}"]
        lines += [f"{a.name} = {to_text(a.expression)}" for a in stage.assignments]
    for quantity, value in listing.quantities.items():
        lines += ["", f"# {quantity}"]
        lines += [f"{e.label} = {to_text(e.expression)}" for e in elements(listing, quantity, value)]
    return "\n".join([*lines[1:], "", *(f"# {line}" for line in _loads(listing))]) + "\n"


def _loads(listing: Derivation) -> list[str]:
    """A table of what each tier costs, its items being independent tasks."""
    cells = rows(tier_loads(listing))
    return ["work of the tiers", *table(HEADERS, cells, frozenset(range(1, len(HEADERS)))).split("\n")]


def latex(listing: Derivation) -> str:
    """One ``align*`` environment per tier, for a document that loads amsmath."""
    lines: list[str] = []
    for stage in listing.stages:
        rows = (f"  {name(a.name)} &= {to_latex(a.expression, symbol=name)}" for a in stage.assignments)
        lines += [f"% {stage.name}: {stage.title}", r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"]
    return "\n".join(lines) + "\n"


def name(identifier: str) -> str:
    """A name as LaTeX sets it."""
    match = NAME.fullmatch(identifier)
    if not match:
        return latex_name(identifier)
    above = f"^{{{match['above']}}}" if match["above"] else ""
    return f"{LETTERS.get(match['letter'], match['letter'])}_{{{match['below']}}}{above}"


def mapping(listing: Derivation) -> dict[str, Any]:
    """Tiers with object, body, component and direction of every item where its name has them, and their work."""
    *loads, whole = tier_loads(listing)
    return {
        "formalism": listing.formalism,
        "system": listing.system.name,
        "coordinates": list(listing.system.coordinate_names),
        "tiers": [
            {
                "object": stage.name.split("-")[0],
                "tier": stage.name.partition("-")[2],
                "title": stage.title,
                "items": [_parts(a.name) | {"expression": to_text(a.expression)} for a in stage.assignments],
                "work": _work(load),
            }
            for stage, load in zip(listing.stages, loads, strict=True)
        ],
        "work": _work(whole),
        "quantities": {
            quantity: restore(value, (to_text(x) for x in flatten(value)))
            for quantity, value in listing.quantities.items()
        },
    }


def _work(load: TierLoad) -> dict[str, Any]:
    return {
        "operations": load.operations,
        "critical_path": load.critical_path,
        "average_parallelism": load.parallelism,
    }


def _parts(identifier: str) -> dict[str, Any]:
    match = NAME.fullmatch(identifier)
    found: dict[str, Any] = {"name": identifier}
    if match:
        below = match["below"].split(",")
        if len(below) == 2 and all(part.isdigit() for part in below):
            found |= {"body": int(below[0]), "component": int(below[1])}
        direction = match["above"] or ""
        if "-" in direction:
            found["row"] = direction
    return found


def python(listing: Derivation) -> str:
    """A module as that of other derivations, whose function has one assignment a line."""
    code, names = _code(listing, Python)
    made = prepare(listing, ())
    body = [
        *_unpacked(names, listing.system.coordinate_names, "q"),
        *_unpacked(names, [str(rate(c).data) for c in listing.system.coordinate_names], "v"),
        *(f"    {names[name]} = values[{name!r}]" for name in made.parameters),
        *(f"    {line}" for line in _lines(listing, code, names, "#", "")),
        "    return {",
    ]
    for quantity, value in listing.quantities.items():
        array = _list(restore(value, (code(x) for x in _defined(listing, flatten(value)))))
        body.append(f"        {quantity!r}: np.array({array}, dtype=float),")
    return python_module(listing, made, "\n".join([*body, "    }"]))


def c99(listing: Derivation) -> str:
    """A C99 function of t, q, v and the parameters p, one assignment a line; M is row by row.

    Parameters stand in the model's order, without those that have a formula.
    """
    code, names = _code(listing, C99)
    system, parameters = listing.system, prepare(listing, ()).parameters
    sources = [(names[c], f"q[{i}]") for i, c in enumerate(system.coordinate_names)]
    sources += [(names[f"{c}'"], f"v[{i}]") for i, c in enumerate(system.coordinate_names)]
    sources += [(names[name], f"p[{i}]") for i, name in enumerate(parameters)]
    lines = [
        f"/* {_comment(system.name)}: the tiers of {listing.formalism}",
        f"   q, v: {_comment(', '.join(system.coordinate_names))}",
        f"   p: {_comment(', '.join(parameters))} */",
        "#include <math.h>",
        "",
    ]
    outputs = ", ".join(f"double {quantity}[]" for quantity in listing.quantities)
    lines += [
        f"void quantities(double t, const double q[], const double v[], const double p[], {outputs})",
        "{",
    ]
    lines += [f"    const double {a} = {b};" for a, b in sources]
    lines += ["    (void)t; (void)q; (void)v; (void)p;"]
    lines += [f"    (void){a};" for a, _ in sources]
    for line in _lines(listing, code, names, "//", ";"):
        lines.append(f"    {line}" if line.startswith("//") else f"    const double {line}")
    for quantity, value in listing.quantities.items():
        scalars = _defined(listing, flatten(value))
        lines += [f"    {quantity}[{i}] = {code(x)};" for i, x in enumerate(scalars)]
    return "\n".join([*lines, "}"]) + "\n"


def _lines(
    listing: Derivation, code: Callable[[Expression], str], names: dict[str, str], comment: str, end: str
) -> Iterator[str]:
    for stage in listing.stages:
        yield f"{comment} {stage.name}: {stage.title}"
        expressions = _defined(listing, [a.expression for a in stage.assignments])
        for a, expression in zip(stage.assignments, expressions, strict=True):
            yield f"{names[a.name]} = {code(expression)}{end}"


def _code(
    listing: Derivation, language: Callable[[Callable[[str], str]], Code]
) -> tuple[Callable[[Expression], str], dict[str, str]]:
    """A printer of code, and the identifier of every name."""
    system = listing.system
    given = [*system.coordinate_names, *(f"{c}'" for c in system.coordinate_names)]
    given += [p.name for p in system.parameters] + [a.name for a in listing.assignments]
    names = {"t": "t"}
    taken = {*OWN, *listing.quantities} | language(str).reserved
    for each in given:
        found = identifier(each)
        while found in taken:
            found += "_"
        taken.add(found)
        names[each] = found
    style = language(names.__getitem__)
    return lambda expression: Printer(expression, None, style).text(), names


def identifier(name: str) -> str:
    """``s_{3,3}^{2-5}`` as ``s_3_3__2_5``, ``z1'`` as ``z1_dot``."""
    letters = {"ṡ": "ds", "Ȧ": "dA", "Θ": "Theta"}
    plain = "".join(
        letters.get(letter, letter)
        for letter in name.replace("}^{", "__").replace("_{", "_").replace("'", "_dot")
    )
    return re.sub(r"\W+", "_", plain, flags=re.ASCII).strip("_") or "x"


def _defined(listing: Derivation, expressions: Iterable[Expression]) -> tuple[Expression, ...]:
    made = prepare(listing, tuple(expressions))
    if made.functions:
        raise MbconcordError(
            error(
                "functions",
                f"no formula for {', '.join(made.functions)}",
                "code needs the formula of every function",
            )
        )
    return made.outputs


def _unpacked(names: dict[str, str], given: Iterable[str], array: str) -> Iterator[str]:
    for i, each in enumerate(given):
        yield f"    {names[each]} = {array}[{i}]"


def _list(value: Any) -> str:
    return f"[{', '.join(map(_list, value))}]" if isinstance(value, list) else str(value)


def _comment(text: str) -> str:
    return text.replace("*/", "* /")
