"""Printed listings of a formalism: lines in the names of its paper, which refer to earlier lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any

from mbconcord.model.derivation import Nested, flatten, restore
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions import Expression, rate, symbols, to_latex, to_mathml, to_text
from mbconcord.model.expressions.code import harmless
from mbconcord.model.expressions.printer import Printer
from mbconcord.model.notation.listing import Listing, ReportSection

from ..table import table
from .languages import C99, Code, Python, identifier
from .latex import balance as latex_balance
from .latex import environment
from .listing import EQUATIONS, closing, elements, units
from .mathml import balance as mathml_balance
from .mathml import equation, heading
from .source import c99_listed, prepare, python_module
from .text import balance, equations

#: What C calls arrays of quantities whose names are no identifiers.
C_NAMES = {"γ̃": "rest"}
#: Names that the code uses itself.
OWN = ("t", "q", "v", "a", "p", "values", "wrong", "parameters", "quantities", "residuals", "motion", "np")


def write_listing(listing: Listing, output: str = "text") -> Any:
    """Write a listing in a notation: return a text, or for ``json`` a mapping."""
    notations = {"latex": latex, "mathml": mathml, "python": python, "c": c99, "json": mapping}
    return notations.get(output, text)(listing)


def results(listing: Listing) -> dict[str, Nested]:
    """Return the results of a listing: the canonical quantities, and D and γ̃ of constraints."""
    return {**listing.quantities, **{name: listing.native[name] for name in closing(listing)}}


def text(listing: Listing) -> str:
    """Write lines ``name = formula`` under the title of their stage, then canonical quantities and sections."""
    lines: list[str] = []
    for stage in listing.stages:
        lines += ["", f"# {stage.name}: {stage.title}"]
        lines += [f"{a.name} = {to_text(a.expression)}" for a in stage.assignments]
    for quantity, value in results(listing).items():
        lines += ["", f"# {quantity}"]
        lines += [f"{e.label} = {to_text(e.expression)}" for e in elements(listing, quantity, value)]
    if listing.balances:
        lines += ["", f"# {EQUATIONS}", *(f"# {line}" for line in _unknowns(listing))]
        lines += map(balance, listing.balances)
    for section in listing.sections:
        lines += ["", *(f"# {line}" for line in _section(section))]
    return "\n".join(lines[1:]) + "\n"


def _unknowns(listing: Listing) -> Iterator[str]:
    """Yield the unknowns of a listing's equations that are neither names of lines nor coordinates or their rates."""
    yield from (f"{name}: {meaning}" for name, meaning in listing.unknowns.items())
    if listing.rows:
        yield units(listing.rows)


def _section(section: ReportSection) -> Iterator[str]:
    yield section.title
    if section.about:
        yield section.about
    if section.table:
        yield from table(section.table.headers, section.table.rows, section.table.numbers).split("\n")
    if section.note:
        yield section.note


def latex(listing: Listing) -> str:
    """Write one ``align*`` environment per stage, for a document that loads amsmath."""
    lines: list[str] = []
    name = listing.notation.latex
    for stage in listing.stages:
        rows = (f"  {name(a.name)} &= {to_latex(a.expression, symbol=name)}" for a in stage.assignments)
        lines += [f"% {stage.name}: {stage.title}", r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"]
    if listing.balances:
        lines += [f"% {line}" for line in (EQUATIONS, *_unknowns(listing))]
        lines += environment(latex_balance(each, name) for each in listing.balances)
    return "\n".join(lines) + "\n"


def mathml(listing: Listing) -> str:
    """Write a fragment of HTML: the stages, then the equations."""
    lines: list[str] = []
    name = listing.notation.mathml
    for stage in listing.stages:
        lines.append(heading(f"{stage.name}: {stage.title}"))
        lines += [equation(name(a.name), to_mathml(a.expression, symbol=name)) for a in stage.assignments]
    if listing.balances:
        lines += [heading(EQUATIONS), *(f"<p>{escape(line)}</p>" for line in _unknowns(listing))]
        lines += [equation(*mathml_balance(each, name)) for each in listing.balances]
    return "\n".join(lines) + "\n"


def mapping(listing: Listing) -> dict[str, Any]:
    """Convert to a mapping: coordinates, stages in their notation, quantities."""
    return {
        "formalism": listing.formalism,
        "system": listing.system.name,
        "coordinates": list(listing.system.coordinate_names),
        **listing.notation.mapping(listing),
        "quantities": {
            quantity: restore(value, (to_text(x) for x in flatten(value)))
            for quantity, value in results(listing).items()
        },
    } | (equations(listing.balances, listing.unknowns) if listing.balances else {})


def python(listing: Listing) -> str:
    """Write a Python module like that of other derivations, with one assignment for each line of the listing."""
    code, names = _code(listing, Python)
    made = prepare(listing, ())
    body = [
        *_unpack(names, listing.system.coordinate_names, "q"),
        *_unpack(names, [str(rate(c).data) for c in listing.system.coordinate_names], "v"),
        *(f"    {names[name]} = values[{name!r}]" for name in made.parameters),
        *(f"    {line}" for line in _lines(listing, code, names, "#", "")),
        "    return {",
    ]
    for quantity, value in results(listing).items():
        array = _list(restore(value, (code(x) for x in _expand_functions(listing, flatten(value)))))
        body.append(f"        {quantity!r}: np.array({array}, dtype=float),")
    return python_module(listing, made, "\n".join([*body, "    }"]), bool(listing.rows))


def c99(listing: Listing) -> str:
    """Write a C99 function of t, q, v and the parameters p, one assignment per line; M is row by row.

    Parameters come in the model's order, without those that have a formula.
    """
    code, names = _code(listing, C99)
    system, parameters = listing.system, prepare(listing, ()).parameters
    sources = [(names[c], f"q[{i}]") for i, c in enumerate(system.coordinate_names)]
    sources += [(names[f"{c}'"], f"v[{i}]") for i, c in enumerate(system.coordinate_names)]
    sources += [(names[name], f"p[{i}]") for i, name in enumerate(parameters)]
    lines = [
        f"/* {harmless(system.name)}: the {listing.notation.stages} of {listing.formalism}",
        f"   q, v: {harmless(', '.join(system.coordinate_names))}",
        f"   p: {harmless(', '.join(parameters))} */",
        "#include <math.h>",
        "",
    ]
    outputs = ", ".join(f"double {C_NAMES.get(quantity, quantity)}[]" for quantity in results(listing))
    lines += [f"void quantities(double t, const double q[], const double v[], const double p[], {outputs})", "{"]
    lines += [f"    const double {a} = {b};" for a, b in sources]
    lines += ["    (void)t; (void)q; (void)v; (void)p;"]
    lines += [f"    (void){a};" for a, _ in sources]
    for line in _lines(listing, code, names, "//", ";"):
        lines.append(f"    {line}" if line.startswith("//") else f"    const double {line}")
    used: set[str] = set()
    for stage in listing.stages:
        used |= symbols(_expand_functions(listing, [a.expression for a in stage.assignments]))
    for quantity, value in results(listing).items():
        scalars = _expand_functions(listing, flatten(value))
        used |= symbols(scalars)
        array = C_NAMES.get(quantity, quantity)
        lines += [f"    {array}[{i}] = {code(x)};" for i, x in enumerate(scalars)]
    lines += [f"    (void){names[a.name]};" for a in listing.assignments if a.name not in used]
    return "\n".join([*lines, "}"]) + "\n" + (c99_listed(listing) if listing.rows else "")


def _lines(
    listing: Listing, code: Callable[[Expression], str], names: dict[str, str], comment: str, end: str
) -> Iterator[str]:
    for stage in listing.stages:
        yield f"{comment} {harmless(stage.name)}: {harmless(stage.title)}"
        expressions = _expand_functions(listing, [a.expression for a in stage.assignments])
        for a, expression in zip(stage.assignments, expressions, strict=True):
            yield f"{names[a.name]} = {code(expression)}{end}"


def _code(
    listing: Listing, language: Callable[[Callable[[str], str]], Code]
) -> tuple[Callable[[Expression], str], dict[str, str]]:
    """Return a function that writes expressions in the language, and the identifier of every name."""
    system = listing.system
    given = [*system.coordinate_names, *(f"{c}'" for c in system.coordinate_names)]
    given += [p.name for p in system.parameters] + [a.name for a in listing.assignments]
    names = {"t": "t"}
    taken = {*OWN, *results(listing), *C_NAMES.values()} | language(str).reserved
    for each in given:
        found = identifier(listing.notation.code(each))
        while found in taken:
            found += "_"
        taken.add(found)
        names[each] = found
    style = language(names.__getitem__)
    return lambda expression: Printer(expression, None, style).text(), names


def _expand_functions(listing: Listing, expressions: Iterable[Expression]) -> tuple[Expression, ...]:
    made = prepare(listing, tuple(expressions))
    if made.functions:
        raise MbconcordError(
            error(
                "functions", f"no formula for {', '.join(made.functions)}", "code needs the formula of every function"
            )
        )
    return made.outputs


def _unpack(names: dict[str, str], given: Iterable[str], array: str) -> Iterator[str]:
    for i, each in enumerate(given):
        yield f"    {names[each]} = {array}[{i}]"


def _list(value: Any) -> str:
    return f"[{', '.join(map(_list, value))}]" if isinstance(value, list) else str(value)
