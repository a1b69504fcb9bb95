"""Evaluation of printed equations from their text, compared with the interpreter's numbers.

An independent reader reads back names, numbers and signs of each printed line, and evaluates the lines with NumPy in
their order; the equations below them are evaluated at random numbers of the quantities. LaTeX and MathML in a source's
own notation are not read. The states are ordinary ones, as other formulas of a function round large angles differently.
"""

from __future__ import annotations

import ast
import operator
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.model.coordinate import Function
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.derivatives import CHANGE
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, error
from mbconcord.model.evaluation import at_states
from mbconcord.model.expressions import Expression, ExpressionError, call, symbol, topological, undefined_functions
from mbconcord.model.expressions.node import CALL
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.limits import count
from mbconcord.model.notation.listing import Listing
from mbconcord.reports.equations.latex import choose_closed
from mbconcord.reports.equations.listed import C_NAMES, results
from mbconcord.reports.equations.listing import EQUATIONS, PARTS, choose, closing, elements, multipliers_of

from .exporting.self_test import run_over_numpy
from .interpreted import POSITIONS, WITNESS, Interpreted, not_compared
from .typeset import TypesetError, name_values, typeset_lines, values_by_label

#: Allowed difference in running error bounds: printed formulas have another order of terms, and are shorter.
ORDER: Final = 300.0
#: Allowed difference as a part of a number's largest value: near zeros other formulas leave other rounding.
FLOOR: Final = 1e-12
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d](?:[\w\u0300-\u036f:.]|\^?\{[^}]*\})*'*(?:\[[^\]]*\])?)|(?P<sign>[-+*/^(),]))"
)
_FUNCTIONS: Final = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "abs": np.abs, "sign": np.sign,
    "fabs": np.abs, "sign_of": np.sign, "pow": np.power,
}  # fmt: skip


_SIGNS: Final[Mapping[type, Any]] = {
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Add: operator.add, ast.Sub: operator.sub,
    ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow,
}  # fmt: skip


def compare_printed(
    derivation: Derivation,
    names: Sequence[str],
    listed: Derivation,
    printed: object,
    notation: str,
    closed: bool = False,
) -> Diagnostic:
    """Compare the printed text of a derivation's quantities with their numbers by the interpreter; return a note.

    Parameters
    ----------
    derivation : the equations as the formalism derives them
    names : names of the requested quantities; empty: those of ``listed``
    listed : the equations as printed: simplified, or in the formalism's own notation
    printed : the printed text, or the mapping that is written as JSON
    notation : ``text``, ``python``, ``json``, ``c``, ``latex`` or ``mathml``
    closed : the text has closed forms, without intermediates

    Raises
    ------
    DisagreementError
        A printed formula has another value than rounding explains.
    """
    wanted = [name for name in names if name != EQUATIONS]
    alone = bool(names) and not wanted  # which names its parts
    if alone and notation not in ("text", "python", "c"):
        return not_compared(f"equations over the quantities are not read back from {notation}")
    if isinstance(listed, Listing):
        wanted = wanted or [*results(listed)]
    wanted = [*PARTS, *closing(derivation)] if alone else wanted
    quantities = choose_closed(derivation, names) if closed else choose(derivation, wanted)
    by_name = {name: [e.label for e in elements(derivation, name, value)] for name, value in quantities.items()}
    labels = [label for own in by_name.values() for label in own]
    functions = derivation.system.functions
    scalars = [x for value in quantities.values() for x in flatten(value)]
    outputs = define(scalars, functions)
    unknown = sorted(undefined_functions(outputs))
    if unknown:
        return not_compared(f"there is no formula for {', '.join(unknown)}")
    known = Interpreted(derivation.system, quantities, program(outputs))
    known.values = {name: x for name, x in known.values.items() if not name.endswith(CHANGE)}  # in no text
    ordinary = np.array([1e-300 < max(span) < 100 for span in POSITIONS])
    largest = np.max(np.abs(known.rows), axis=1, where=ordinary & np.isfinite(known.rows), initial=0.0)
    known.bounds = np.where(ordinary, known.bounds * ORDER + FLOOR * largest[:, None], np.inf)
    written = [a for stage in listed.stages if stage.written for a in stage.assignments]
    try:
        if notation == "c":
            spelled = {re.sub(r"[^\w']", "_", name): value for name, value in known.values.items()}
            found = _lines(_c(str(printed), by_name), spelled | known.values, known.values)
        elif notation != "python":
            own = at_states(define([a.expression for a in written], functions), known.values, known.count).T
            given = {**known.values, **dict(zip((a.name for a in written), own, strict=True))}
            given |= _list_called([*(a.expression for a in written), *scalars], functions, known)
            if notation in ("text", "json"):
                if notation == "text" and not closed and (alike := known.values.keys() & labels):
                    raise TypesetError(f"two names look alike, {min(alike)}")
                if alone:
                    read = _read_balances(str(printed), dict(zip(labels, known.rows, strict=True)), derivation)
                    said = f"the printed text: {count(read, 'equation')} of M, h, forces and multipliers"
                    return Diagnostic("note", WITNESS, said) if read else not_compared("found no equation")
                found = _lines(str(printed) if notation == "text" else _json(printed, by_name), given, known.values)
                if notation == "text" and not isinstance(listed, Listing):
                    _read_balances(str(printed), found, derivation)
            elif isinstance(listed, Listing):
                raise TypesetError(f"a list in a notation of its own is not read back from {notation}")
            else:
                skipped = [stage.title for stage in listed.stages if stage.written]
                looks = name_values(given)
                used, inputs = ({}, looks) if closed else (looks, {})  # closed forms do not name one another
                lines = _lines(typeset_lines(str(printed), notation, skipped, used), looks, inputs)
                found = dict(values_by_label(labels, lines))
        else:
            found = _module(str(printed), labels, known)
        absent = [label for label in labels if label not in found]
        if absent:
            raise TypesetError(f"there is no line {absent[0]}")
    except (TypesetError, ExpressionError) as problem:
        return not_compared(str(problem))
    rows = np.array([np.broadcast_to(found[label], (known.count,)) for label in labels])
    known.compare_rows(f"the printed {notation}", rows.reshape(-1, known.count), labels)
    return known.note(f"the printed {notation}")


def _list_called(every: Sequence[Expression], functions: Sequence[Function], known: Interpreted) -> dict[str, Any]:
    """Return the model's functions that are called, and their derivatives, by their printed names and a bracket."""
    found: dict[str, Any] = {}
    for name, orders in {node.data: None for node in topological(every) if node.op is CALL}:
        places = [f"argument {i}" for i in range(len(orders))]
        (formula,) = define([call(name, map(symbol, places), orders)], functions)

        def give(*arguments: Any, formula: Expression = formula, places: Sequence[str] = places) -> Any:
            at = {place: np.broadcast_to(x, (known.count,)) for place, x in zip(places, arguments, strict=True)}
            return at_states([formula], {**known.values, **at}, known.count)[:, 0]

        several = f"'[{','.join(map(str, orders))}]" if any(orders) else ""
        mark = several if len(orders) > 1 else "'" * orders[0]
        found[f"{name}{mark}("] = give
    return found


def _lines(text: str, values: Mapping[str, Any], inputs: Container[str] = ()) -> dict[str, Any]:
    """Evaluate lines ``name = formula``; return values by name. In formulas a name of an input means the input."""
    found: dict[str, Any] = dict(values) | {"pi": np.pi}
    given: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith("# equations"):
            break
        if not line or line.startswith("#"):
            continue
        name, equals, formula = line.partition(" = ")
        if not equals:
            raise TypesetError(f"{line[:60]!r} is no line name = formula")
        with np.errstate(all="ignore"):
            given[name] = value_of(formula, found)
        if name not in inputs:
            found[name] = given[name]
    return given


def _read_balances(text: str, found: Mapping[str, Any], derivation: Derivation) -> int:
    """Compare printed equations with M q'' + h = gravity + applied + Dᵀ λ, with random numbers for all labels.

    Returns
    -------
    int
        Number of equations.

    Raises
    ------
    DisagreementError
        An equation is missing, or differs.
    """
    names = derivation.system.coordinate_names
    written = [x for x in f"\n{text}".partition("\n# equations\n")[2].splitlines() if x and not x.startswith("#")]
    if not written or not {f"{part}[{a}]" for part in ("h", "gravity", "applied") for a in names} <= found.keys():
        return 0  # without all parts labels of zeros are not known
    random = Random(0)
    forces, places = [*multipliers_of(derivation)], range(1, len(derivation.rows) + 1)
    moving = [f"{x}''" for x in names]
    numbers = {x: random.uniform(0.5, 1.5) for x in (*moving, *forces)}
    numbers |= {x: random.uniform(0.5, 1.5) if np.any(value) else 0.0 for x, value in found.items()}
    at = defaultdict(float, numbers)
    own = [
        (
            sum(at[f"M[{a}, {b}]"] * at[x] for b, x in zip(names, moving, strict=True)) + at[f"h[{a}]"],
            at[f"gravity[{a}]"] + at[f"applied[{a}]"]
            + sum(at[f"D[{i}, {a}]"] * at[x] for i, x in zip(places, forces, strict=True)),
        )
        for a in names
    ] + [
        (sum(at[f"D[{i}, {b}]"] * at[x] for b, x in zip(names, moving, strict=True)) + at[f"γ̃[{i}]"], 0.0)
        for i in places
    ]  # fmt: skip
    lost = f"found {count(len(written), 'equation')}, expected {len(own)}" if len(written) != len(own) else ""
    for line, expected in zip(written, own, strict=False):
        try:
            read = [float(value_of(side, numbers)) for side in line.split("=")]
        except TypesetError as problem:
            lost = lost or str(problem)
        else:
            if len(read) != 2 or not np.allclose(read, expected, rtol=1e-9, atol=1e-9):
                lost = lost or f"{line!r} is another one"
    if not lost:
        return len(own)
    raise DisagreementError(error("equations", f"the text has another M q'' + h = gravity + applied + D^T λ: {lost}"))


def _flat(value: Any) -> list[str]:
    """Flatten nested lists of formulas to one list, in order."""
    return [x for item in value for x in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def _assigned(made: Any) -> Iterator[str]:
    """Yield the assignments anywhere in JSON as lines, in order."""
    if isinstance(made, Mapping) and {"name", "expression"} <= made.keys():
        yield f"{made['name']} = {made['expression']}"
    elif isinstance(made, (Mapping, list, tuple)):
        for item in made.values() if isinstance(made, Mapping) else made:
            yield from _assigned(item)


def _json(made: Any, labels: Mapping[str, Sequence[str]]) -> str:
    """Convert the mapping of JSON to lines: its assignments, then the elements of its quantities by label."""
    if not isinstance(made, Mapping) or "quantities" not in made:
        raise TypesetError("found no quantities")
    lines = [*_assigned([value for name, value in made.items() if name != "quantities"])]
    for name, value in made["quantities"].items():
        formulas = _flat(value)
        if name in labels and len(labels[name]) != len(formulas):
            raise TypesetError(f"{name} has {count(len(formulas), 'element')}, expected {len(labels[name])}")
        lines += [f"{label} = {formula}" for label, formula in zip(labels.get(name, ()), formulas, strict=False)]
    return "\n".join(lines)


def _c(text: str, labels: Mapping[str, Sequence[str]]) -> str:
    """Convert a function in C to lines; entries of arrays get the names that its comments and ``labels`` give."""
    arrays = {C_NAMES.get(name, name): own for name, own in labels.items()}
    for array, group in (("q", "q, v"), ("p", "p")):
        head = re.search(rf"^   {group}: (.*?)(?: \*/)?$", text, re.MULTILINE)
        arrays[array] = head[1].split(", ") if head else ()
    arrays["v"] = [f"{name}'" for name in arrays["q"]]
    names = {f"{array}[{i}]": name for array, own in arrays.items() for i, name in enumerate(own)}
    for group in ("in", "out"):
        head = re.search(rf"^\W*{group}: (\[0\] .*?)(?: \*/)?$", text, re.MULTILINE)
        parts = re.split(r"(?:^|, )\[(\d+)\] ", head[1])[1:] if head else []
        names |= {f"{group}[{number}]": name for number, name in zip(parts[::2], parts[1::2], strict=True)}
    body = text.partition("\nvoid residuals")[0]
    lines = re.findall(r"^    (?:const double )?(\w+(?:\[\d+\])?) = (.*);$", body, re.MULTILINE)
    if not lines:
        raise TypesetError("there is no line name = formula;")
    names |= {name: f"{name}.c" for name, _ in lines if "[" not in name}  # a coordinate may be called t5, too
    named = (re.sub(r"\b\w+(?:\[\d+\])?", lambda m: names.get(m[0], m[0]), formula) for _, formula in lines)
    return "\n".join(f"{names.get(name, name)} = {line}" for (name, _), line in zip(lines, named, strict=True))


def value_of(formula: str, values: Mapping[str, Any]) -> Any:
    """Evaluate a formula, given as text, with these values of names."""
    words: list[str] = []
    used: dict[str, Any] = {}
    for kind, word, after in _tokens(formula):
        if kind == "name" and after == "(":
            if (own := _FUNCTIONS.get(word) or values.get(f"{word}(")) is None:
                raise TypesetError(f"the function {word} has no formula here")
            used[word := f"x{len(words)}"] = own
        elif kind == "name":
            if word not in values:
                raise TypesetError(f"the name {word} stands in no line before")
            used[name := f"x{len(words)}"] = values[word]
            word = name
        words.append("**" if word == "^" else f"{word}.0" if kind == "number" and word.isdigit() else word)
    try:
        return _compute(ast.parse("".join(words), mode="eval").body, used)
    except SyntaxError as problem:
        raise TypesetError(f"{formula[:60]!r} is no formula: {problem.msg}") from None
    except ZeroDivisionError:
        return np.nan


def _compute(node: ast.expr, used: Mapping[str, Any]) -> Any:
    """Evaluate the syntax tree of a formula, which consists of words of :data:`_TOKEN` alone."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return used[name]
        case ast.UnaryOp(op=sign, operand=operand):
            return _SIGNS[type(sign)](_compute(operand, used))
        case ast.BinOp(left=left, op=sign, right=right):
            return _SIGNS[type(sign)](_compute(left, used), _compute(right, used))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return used[name](*(_compute(argument, used) for argument in arguments))
    raise TypesetError(f"{ast.unparse(node)[:60]!r} is no formula")


def _tokens(formula: str) -> Iterator[tuple[str, str, str]]:
    """Yield the kind and the text of every word of a formula, and the text of the next word."""
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(formula.rstrip()):
        match = _TOKEN.match(formula, place)
        if match is None:
            raise TypesetError(f"{formula[place : place + 20]!r} is no part of a formula")
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        place = match.end()
    for i, (kind, word) in enumerate(found):
        yield kind, word, found[i + 1][1] if i + 1 < len(found) else ""


def _module(text: str, labels: Sequence[str], known: Interpreted) -> dict[str, Any]:
    """Run a Python module over NumPy at all states; return its results by label."""
    made = run_over_numpy(text)
    coordinates, parameters = made["COORDINATES"], [*made["PARAMETERS"]]
    found = []
    for state in range(known.count):
        at = known.values_at(state)
        groups = [[at[name + mark] for name in coordinates] for mark in ("", "'", "''")]
        with np.errstate(all="ignore"):
            values = made["quantities"](at["t"], *groups, {name: at[name] for name in parameters})
        found.append(np.concatenate([np.ravel(values[name]) for name in known.ranges]))
    rows = np.array(found).T
    if len(rows) != len(labels):
        raise TypesetError(f"the module gives {count(len(rows), 'number')}, expected {len(labels)}")
    return dict(zip(labels, rows, strict=True))
