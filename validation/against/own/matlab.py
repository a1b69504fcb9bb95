"""Own equations as MATLAB text, ``matlab:FILE``: read by a grammar of straight assignments, and never run.

One function, such as ``matlabFunction`` writes, or none; numbers, matrices, ``.* ./ .^ '`` and elementary functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, NoReturn, TypeAlias

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from mbconcord.model.diagnostics import Location, MbconcordError, ReadError, error
from mbconcord.model.expressions import ONE, PI_NODE, TIME, ZERO, Expression, ExpressionError, apply, rate, symbol
from mbconcord.model.expressions.algebra import add, div, mul, neg, power
from mbconcord.model.expressions.formula import numeral
from mbconcord.model.expressions.formula_errors import brackets
from mbconcord.model.expressions.grammars import Grammar, of_package
from mbconcord.model.expressions.node import NUM
from mbconcord.model.limits import count

from .alone import dot
from .equations import MOST, OwnEquations
from .straight import STEPS, finish, read_source

GRAMMAR: Final = Grammar(__package__, "matlab", of_package(__package__, "matlab"))
READ: Final = "one function, assignments, arithmetic, arrays and elementary functions are read"
ELEMENTARY: Final = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sqrt": 1, "exp": 1, "log": 1, "abs": 1, "sign": 1,
    "atan2": 2,
}  # fmt: skip
MADE: Final = ("zeros", "ones", "eye", "reshape", "transpose")
#: Names of MATLAB that are no parameters.
NUMBERS: Final = (
    "i", "j", "eps", "Inf", "inf", "NaN", "nan", "ans", "true", "false", "rand", "randn", "nargin", "nargout",
    "varargin", "varargout", "realmax", "realmin", "now", "clock", "toc",
)  # fmt: skip
#: Names of results that are forcing, and of nothing else.
FORCES: Final = ("f", "F", "forcing", "rhs", "Q")
#: Arguments that hold coordinates, and those that hold their rates; of the latter the names of elements have to tell.
COORDINATES: Final = ("q", "in1")
SPEEDS: Final = ("v", "u", "dq", "qd", "qdot", "q_dot", "in2")
ASKED: Final = ("in2",)

#: What stands for ``...`` and what follows it, and all that divides.
GOES_ON, BLANKS = "\x01", " \t\x01"

Rows: TypeAlias = list[list[Expression]]
Node: TypeAlias = "Tree[Token] | Token"


@cache
def _parser() -> Lark:
    return GRAMMAR.parser()


def read_matlab(
    named: str, q: Sequence[Any] | None = None, u: Sequence[Any] | None = None, qdot: Mapping[Any, Any] | None = None
) -> OwnEquations:
    """Read ``FILE``, which assigns M and forcing, or ``M.m,FORCING.m``, two files.

    Parameters
    ----------
    named : names of files
    q, u, qdot : names of coordinates and speeds, and formulas of rates as texts; None: the names to which elements of
        ``q`` or ``in1`` are assigned, else q1, q2, …; elements of ``v`` or ``in2`` are their rates

    Raises
    ------
    ReadError
        The text cannot be read, or has other statements than straight assignments; the message gives line and column.
    """
    files = [name.strip() for name in named.split(",")]
    if not all(files) or len(files) > 2:
        message = f"found {named!r}, expected FILE, or M.m,FORCING.m"
        raise MbconcordError(error("matlab", message, "for example matlab:M.m,f.m"))
    texts = [_Text(file) for file in files]
    known = _name_coordinates(texts)
    names = tuple(map(str, q)) if q is not None else known
    speeds = tuple(map(str, u)) if u is not None else ()
    try:
        made = [text.run(names, speeds) for text in texts]
    except RecursionError:
        raise ReadError(error(files[0], "the text is nested too deep", "split its longest formulas")) from None
    if sum(map(len, made)) != 2 or not all(made):
        texts[0].refuse(0, "found no two results, M and forcing", "write function [M, f] = …, or name two files of one")
    M, forcing = [x for each in made for x in each]
    results = [name for text in texts for name in text.results]
    if [name in FORCES for name in results] != [False, True]:
        message = f"found the results {results[0]} and {results[1]}, expected M and one of {', '.join(FORCES)}"
        texts[0].refuse(0, message, "write M u' = f: forcing is what stands on the right")
    if min(_shape(forcing)) > 1:
        texts[-1].refuse(0, f"{results[-1]} is {_size(forcing)}, expected a column", "write f = [a; b]")
    n = len(M)
    for text in texts:
        if text.whole and n != len(names):
            text.refuse(text.whole, f"a whole vector is of {count(len(names), 'element')}, and M has {count(n, 'row')}")
        for name, most in text.most.items():
            if most > n:
                text.refuse(0, f"found {name}({most}), and M has {count(n, 'row')}")
    if not names and not any(text.most for text in texts):
        message = "found no vector q or in1 of coordinates"
        texts[0].refuse(0, message, "name the coordinates: own(…, q=['th1'], u=['w1'], qdot={'th1': 'w1'})")
    if q is None:
        names += tuple(f"q{i + 1}" for i in range(len(names), n))
    speeds = speeds if u is not None else tuple(f"{x}'" for x in names)
    for text in texts:
        if same := sorted(text.parameters.keys() & {*names, *speeds, "t"}):
            text.refuse(
                0, f"found {same[0]}, a parameter with the name of a coordinate, a speed or the time", "rename it"
            )
    place = texts[0].locate(0)
    return finish("MATLAB text", place, names, speeds, M, [x for row in forcing for x in row], qdot or {})


def _name_coordinates(texts: Sequence[_Text]) -> tuple[str, ...]:
    """Return the names to which the elements of q are assigned, up to the last such; q1, q2, … for elements between."""
    found: dict[tuple[str, int | str], int | str] = {}
    for text in texts:
        for (vector, at), (name, place) in text.elements.items():
            kind = "q" if vector in COORDINATES else "v" if vector in SPEEDS else vector
            for key, value in (((kind, at), name), ((kind, name), at)):
                if found.setdefault(key, value) != value:
                    was = str(found[key]) if isinstance(key[1], int) else f"{name} is element {found[key]}"
                    message = f"{vector}({at}) is {name}, and in the other file {was}"
                    text.refuse(place, message, "use one order and one name in both files")
    named = {at: str(name) for (kind, at), name in found.items() if kind == "q" and isinstance(at, int)}
    return tuple(named.get(k, f"q{k}") for k in range(1, min(max(named, default=0), MOST) + 1))


def mark(text: str, refuse: Callable[..., NoReturn]) -> str:
    """Return a text of equal length without comments, in which separators replace blanks and line ends in [ ].

    ``refuse`` is called with a place and a message if a separation there is ambiguous.
    """
    if odd := re.search("\r(?!\n)|[\0-\x08\v\f\x0e-\x1f\x85\u2028\u2029]", text):
        refuse(odd.start(), f"found the character {odd[0]!r}: not read", "save it as plain text, a line for each line")
    lines, opened_at, at, end = [], [], 0, "\n"
    for line in text.split("\n"):
        bare, code, end = line.strip(" \t\r"), "", "\n"
        if bare == "%{":
            opened_at.append(at)
        elif opened_at:
            opened_at = opened_at[:-1] if bare == "%}" else opened_at
        else:
            code = re.split(r"%|\.\.\.", line)[0]
            end = GOES_ON if line[len(code) :].startswith("...") else end
        lines.append(code.ljust(len(line), GOES_ON if end == GOES_ON else " ") + end)
        at += len(line) + 1
    if opened_at:
        refuse(opened_at[0], "a block comment never ends", "write %} on a line of its own")
    text = "".join(lines)[:-1].replace("\r", " ")
    made, opened, i = list(text), [], 0
    while i < len(text):
        sign = text[i]
        if sign in "([":
            opened.append(sign)
        elif sign in ")]" and opened:
            opened.pop()
        elif sign == "\n" and opened[-1:] == ["["]:
            made[i] = ";"
        elif sign in BLANKS and opened[-1:] == ["["]:
            j = i
            while j < len(text) and text[j] in BLANKS:
                j += 1
            if re.match(f"[+-]{GOES_ON}", text[j : j + 2]):
                refuse(j, "a sign before ... in [ ]: not read", "write it on the next line, or after a blank")
            before, after = text[i - 1], text[j : j + 2]
            starts = re.match(r"[\w(\[]|\.\d|[+-][^ \t]", after, re.ASCII)
            if starts and re.match(r"[\w)\].']", before, re.ASCII):
                made[i] = ","
            i = j
            continue
        elif sign == "'" and text[i - 1] in BLANKS:
            refuse(i, "a quote after a blank: not read", "write a transpose without a blank, a'; texts are not read")
        i += 1
    return "".join(made).replace(GOES_ON, " ")


class _Text:
    """One file: its statements, and the values that its names get while the statements are carried out."""

    def __init__(self, file: str) -> None:
        text = read_source(file)
        self.file, self.text, self.steps = file, text, 0
        self.most: dict[str, int] = {}
        self.whole = 0
        self.parameters: dict[str, str] = {}
        self.known: dict[str, Rows] = {}
        self.free: set[str] = set()
        self.q: tuple[str, ...] = ()
        self.u: tuple[str, ...] = ()
        marked = mark(text, self.refuse)
        brackets(marked, file)
        try:
            items = _parser().parse(marked).children
        except UnexpectedInput as problem:
            self.refuse_text(len(text.rstrip()) if problem.pos_in_stream is None else problem.pos_in_stream)
        found = [x for x in items if isinstance(x, Tree)]
        self.head = found.pop(0) if found and found[0].data == "head" else None
        if found and found[-1].data == "finish" and self.head:
            found.pop()
        for other in found:
            if other.data != "assignment":
                self.refuse(_start(other), "found a second function, or an end of nothing", READ)
        self.statements = found
        self.results, self.arguments = self._read_head()
        trees = [tree for statement in found for tree in statement.iter_subtrees()]
        used = {str(x) for tree in trees for x in tree.children if isinstance(x, Token) and x.type == "NAME"}
        for kind in (COORDINATES, SPEEDS):
            if len(both := sorted({*kind} & {*(used if self.arguments is None else self.arguments)})) > 1:
                what = "speeds" if kind == SPEEDS else "coordinates"
                self.refuse(0, f"found {both[0]} and {both[1]}, which both are the {what}", "rename one of them")
        self.elements = self._name_elements()

    def _read_head(self) -> tuple[list[str], list[str] | None]:
        """Return names of results and arguments; None for the latter without a function: free names are parameters."""
        if not self.head:
            made = {str(x.children[0].children[0]) for x in self.statements}
            return ["M", next((x for x in ("forcing", "f") if x in made), "forcing")], None
        parts = {str(x.data): [str(y) for y in x.children] for x in self.head.children if isinstance(x, Tree)}
        own = next(x for x in self.head.children if isinstance(x, Token) and x.type == "NAME")
        names = [str(own), *parts.get("outputs", []), *parts.get("arguments", [])]
        if taken := [x for x in names if x in ("pi", *NUMBERS, *ELEMENTARY, *MADE)]:
            self.refuse(_start(own), f"{taken[0]} is a name of MATLAB's own", "rename it")
        if len({*names[1:]}) < len(names) - 1:
            self.refuse(_start(own), "found one name twice among results and arguments", "rename one")
        if "outputs" not in parts or len(parts["outputs"]) > 2:
            self.refuse(_start(self.head), "the function does not return M and forcing, or one of them", READ)
        return parts["outputs"], parts.get("arguments", [])

    def _name_elements(self) -> dict[tuple[str, int], tuple[str, int]]:
        """Map (vector, element) to the name to which the element is first assigned, and the place of the assignment."""
        found: dict[tuple[str, int], tuple[str, int]] = {}
        vectors = {*COORDINATES, *SPEEDS} if self.arguments is None else {*self.arguments}
        for statement in self.statements:
            target, whole = statement.children
            call = _peel(whole)
            if len(target.children) > 1 or str(target.children[0]) in self.results:
                continue
            if isinstance(call, Tree) and call.data == "call":
                name, first, *rest = (str(_peel(x)) for x in (*call.children, ""))
                if name in vectors and first.isdigit() and rest[:-1] in ([], [":"], ["1"]):
                    found.setdefault((name, int(first)), (str(target.children[0]), _start(target)))
        return found

    def locate(self, at: int) -> Location:
        """Return the place of a character."""
        return Location(self.file, self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at))

    def refuse(self, at: int, message: str, remedy: str = "") -> NoReturn:
        """Raise :class:`ReadError` at a character."""
        raise ReadError(error("", message, remedy, self.locate(at)))

    def refuse_text(self, at: int) -> NoReturn:
        """Raise :class:`ReadError` for a statement or formula that is not read."""
        said = self.text[self.text.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()
        self.refuse(at, f"{said[:60]}: not read", READ)

    def run(self, q: tuple[str, ...], u: tuple[str, ...]) -> list[Rows]:
        """Carry out all statements; return M and forcing, or one of them; ``u``: names of speeds given by the user."""
        self.q, self.u = q, u
        for statement in self.statements:
            target, whole = statement.children
            value = self.evaluate(whole)
            name = str(target.children[0])
            given = (*self.free, *COORDINATES, *SPEEDS) if self.arguments is None else self.arguments
            if name in given:
                self.refuse(_start(target), f"{name} is given to the text, and changed", "give it another name")
            if name in self.known and any(name == x for x, _ in self.elements.values()):
                self.refuse(_start(target), f"{name} names an element, and is changed", "give it another name")
            if len(target.children) == 1:
                self.known[name] = value
            else:
                self._set(target, name, value)
        for name in self.results:
            if name not in self.known:
                self.refuse(_start(self.head) if self.head else 0, f"{name} is never assigned", f"write {name} = […]")
        return [self.known[name] for name in self.results]

    def _set(self, target: Tree[Token], name: str, value: Rows) -> None:
        """Set one element of an array, which grows if necessary."""
        if name not in self.known and self.arguments is None:
            message = f"an element is set of {name}, which is unknown"
            self.refuse(_start(target), message, f"write {name} = zeros(2, 2) first")
        at = [self._read_index(x) for x in target.children[1:]]
        if len(at) > 2 or any(len(x or ()) != 1 for x in at) or _shape(value) != (1, 1):
            self.refuse(_start(target), "found no number that is set at one element", "set M(1,2) = …, by numbers")
        rows = [[*row] for row in self.known.get(name, [])]
        high, wide = len(rows), len(rows[0]) if rows else 0
        places = [x[0] for x in at if x]
        if len(places) == 1:
            if high > 1 and wide > 1:
                self.refuse(_start(target), f"{name} is a matrix, and one index is found", "write M(1,2)")
            places = [places[0], 1] if high > 1 else [1, places[0]]
        for row in rows:
            row += [ZERO] * (places[1] - wide)
        while len(rows) < places[0]:
            rows.append([ZERO] * max(wide, places[1]))
        rows[places[0] - 1][places[1] - 1] = value[0][0]
        self.known[name] = rows

    def evaluate(self, node: Node) -> Rows:
        """Return the value of a formula: rows of numbers."""
        self.steps += 1
        if self.steps > STEPS:
            self.refuse(_start(node), f"more than {STEPS} places of the text are evaluated", "name shared terms")
        try:
            return self._read(node)
        except (ExpressionError, ZeroDivisionError) as problem:
            self.refuse(_start(node), str(problem))

    def _read(self, node: Node) -> Rows:
        if isinstance(node, Token):
            return self._read_token(node)
        parts = node.children
        if node.data in ("sum", "product"):
            value = self.evaluate(parts[0])
            for sign, other in zip(parts[1::2], parts[2::2], strict=True):
                value = self._operate(sign, value, self.evaluate(other))
            return value
        if node.data in ("signed", "exponent"):
            value = self.evaluate(parts[1])
            return [[neg(x) for x in row] for row in value] if parts[0] == "-" else value
        if node.data == "power":
            value, rest = self.evaluate(parts[0]), iter(parts[1:])
            for sign in rest:
                if sign.type == "TRANSPOSE":
                    value = [list(column) for column in zip(*value, strict=True)]
                else:
                    value = self._operate(sign, value, self.evaluate(next(rest)))
            return value
        if node.data == "bracket":
            return self.evaluate(parts[0])
        if node.data == "matrix":
            return self._stack(node)
        return self._call(node)

    def _read_token(self, token: Token) -> Rows:
        name = str(token)
        if token.type == "NUMBER":
            return [[numeral(name)]]
        if token.type == "FIELD":
            owner, _, name = name.partition(".")
            if owner in self.known or (self.arguments is not None and owner not in self.arguments):
                self.refuse_text(_start(token))
            return self._take_parameter(token, name, owner)
        if name in self.known:
            return self.known[name]
        if name == "pi":
            return [[PI_NODE]]
        self.free.add(name)
        if self.arguments is not None and name not in self.arguments:
            self.refuse(_start(token), f"found the name {name}, which the text does not give", "assign it before")
        if name == "t":
            return [[TIME]]
        if name in COORDINATES or name in SPEEDS:
            if not self.q:
                self.refuse(_start(token), f"{name} is taken whole, and its length is not known", "name its elements")
            self.whole = _start(token) or 1
            return [[self._take_element(token, name, k + 1)] for k in range(len(self.q))]
        if name in NUMBERS or name in ELEMENTARY:
            self.refuse_text(_start(token))
        if any(owner == name for owner, _ in self.elements):
            self.refuse(_start(token), f"{name} is taken whole, and its length is not known", "name its elements")
        if name in self.q or name in self.u:
            return [[symbol(name)]]
        return self._take_parameter(token, name, "")

    def _take_parameter(self, token: Token, name: str, owner: str) -> Rows:
        """Return a parameter; ``owner`` is the structure or vector that holds it."""
        if self.parameters.setdefault(name, owner) != owner:
            there = self.parameters[name] or "the arguments"
            message = f"{name} of {owner or 'the arguments'} is another {name} than that of {there}"
            self.refuse(_start(token), message, "give them two names")
        return [[symbol(name)]]

    def _take_element(self, token: Token, name: str, at: int) -> Expression:
        """Return element number ``at`` of an argument of the function."""
        said = self.elements.get((name, at), ("", 0))[0]
        if at > MOST:
            self.refuse(_start(token), f"found element {at} of {name}, expected at most {MOST}")
        if name in COORDINATES or name in SPEEDS:
            self.most[name] = max(self.most.get(name, 0), at)
            own = self.q[at - 1] if at <= len(self.q) else f"q{at}"
            for k, x in enumerate(self.q):
                if k != at - 1 and said in self._name_forms(name, k, x):
                    message = f"found {name}({at}) with the name {said}, which is that of element {k + 1}"
                    self.refuse(_start(token), message, "use one order")
            if name in COORDINATES:
                return symbol(own)
            if name in ASKED and said not in self._name_forms(name, at - 1, own):
                message = f"found {name}({at}) {f'with the name {said}' if said else 'without a name'}"
                remedy = f"name speeds after their coordinates (d{own}), or the argument: v for speeds, p for others"
                self.refuse(_start(token), message, remedy)
            return symbol(self.u[at - 1]) if at <= len(self.u) else rate(own)
        if not said:
            self.refuse(_start(token), f"{name}({at}) has no name", f"write m1 = {name}({at}); first")
        return self._take_parameter(token, said, name)[0][0]

    def _name_forms(self, vector: str, at: int, own: str) -> tuple[str, ...]:
        """Return the names that an element of coordinates or speeds may have."""
        return (own,) if vector in COORDINATES else (f"d{own}", f"{own}dot", f"{own}_dot", *self.u[at : at + 1])

    def _operate(self, sign: Token, a: Rows, b: Rows) -> Rows:
        """Return a + b, a .* b, …; a single number is combined with every element."""
        operation: Callable[[Expression, Expression], Expression] = {
            "+": add, "-": lambda x, y: add(x, neg(y)), "*": mul, "/": div, "^": power,
        }[sign[-1]]  # fmt: skip
        one, other = _shape(a), _shape(b)
        if sign == "*" and (1, 1) not in (one, other):
            if one[1] != other[0]:
                self.refuse(_start(sign), f"* of {_size(a)} and {_size(b)}", "give arrays whose shapes fit")
            columns = list(zip(*b, strict=True))
            return [[dot(row, column) for column in columns] for row in a]
        if (sign == "/" and other != (1, 1)) or (sign == "^" and (one, other) != ((1, 1), (1, 1))):
            self.refuse(_start(sign), f"{sign} of {_size(a)} and {_size(b)}: not read", f"write .{sign} of elements")
        if one == (1, 1):
            return [[operation(a[0][0], y) for y in row] for row in b]
        if other == (1, 1):
            return [[operation(x, b[0][0]) for x in row] for row in a]
        if one != other:
            self.refuse(_start(sign), f"found arrays of {_size(a)} and of {_size(b)}", "give them one shape")
        return [[operation(x, y) for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]

    def _stack(self, node: Tree[Token]) -> Rows:
        """Return the array of [a, b; c, d], whose elements may be arrays."""
        found: Rows = []
        for row in node.children:
            blocks = [self.evaluate(x) for x in row.children]
            if len({len(x) for x in blocks}) > 1:
                self.refuse(_start(row), "found arrays of unequal heights in one row", "write [a, b; c, d]")
            found += [list(chain(*parts)) for parts in zip(*blocks, strict=True)]
        if not found or len({len(x) for x in found}) > 1:
            self.refuse(_start(node), "found no rows, or rows of unequal lengths", "write [a, b; c, d]")
        return found

    def _call(self, node: Tree[Token]) -> Rows:
        token, *given = node.children
        name, at = str(token), _start(node)
        if name in self.known:
            return self._take(node, self.known[name], [self._read_index(x) for x in given])
        free = (*COORDINATES, *SPEEDS, *(owner for owner, _ in self.elements))
        if name in (free if self.arguments is None else self.arguments):
            where = [self._read_index(x) for x in given]
            if where and len(where) <= 2 and where[0] and where[1:] in ([], [None], [[1]]):
                return [[self._take_element(token, name, k)] for k in where[0]]
        if any(not isinstance(x, Tree) or x.data == "range" for x in given):
            self.refuse_text(at)
        values = [self.evaluate(x) for x in given]
        if ELEMENTARY.get(name) == len(values):
            if len(values) == 2 and any(_shape(x) != (1, 1) for x in values):
                self.refuse_text(at)
            if len(values) == 2:
                return [[apply(name, values[0][0][0], values[1][0][0])]]
            return [[apply(name, x) for x in row] for row in values[0]]
        if name in ("zeros", "ones", "eye") and values:
            high, wide = self._read_sizes(at, values, square=True)
            full = name == "ones"
            return [[ONE if full or (name == "eye" and i == k) else ZERO for k in range(wide)] for i in range(high)]
        if name == "reshape" and len(values) > 1:
            high, wide = self._read_sizes(at, values[1:])
            cells = [x for column in zip(*values[0], strict=True) for x in column]
            if len(cells) != high * wide:
                self.refuse(at, f"reshape of {count(len(cells), 'element')} to {high} by {wide}", "give all elements")
            return [[cells[i + k * high] for k in range(wide)] for i in range(high)]
        if name == "transpose" and len(values) == 1:
            return [list(column) for column in zip(*values[0], strict=True)]
        self.refuse_text(at)

    def _read_sizes(self, at: int, values: Sequence[Rows], square: bool = False) -> tuple[int, int]:
        """Return the numbers of rows and columns, given as two arguments or as [r, c]."""
        cells = [x for value in values for row in value for x in row]
        sizes = [int(x.data) for x in cells if x.op is NUM and x.data == int(x.data) and 0 < x.data <= MOST]
        if len(sizes) == 1 and square:
            sizes *= 2
        if len(sizes) != 2 or len(cells) > 2:
            self.refuse_text(at)
        return sizes[0], sizes[1]

    def _read_index(self, node: Node) -> list[int] | None:
        """Return the places that an index names, counted from 1; None: all."""
        if isinstance(node, Token):
            return None
        ends = [self._read_sizes(_start(x), [self.evaluate(x), [[ONE]]])[0] for x in (
            node.children[::2] if node.data == "range" else [node]
        )]  # fmt: skip
        return list(range(ends[0], ends[-1] + 1))

    def _take(self, node: Tree[Token], rows: Rows, at: Sequence[list[int] | None]) -> Rows:
        """Return elements of an array, column after column where there is one index."""
        high, wide = _shape(rows)
        if len(at) == 1:
            cells = [x for column in zip(*rows, strict=True) for x in column]
            flat = at[0] is not None and (high == 1 or wide > 1)
            rows = [cells] if flat else [[x] for x in cells]
            high, wide = _shape(rows)
            at = (None, at[0]) if flat else (at[0], None)
        if len(at) != 2:
            self.refuse_text(_start(node))
        chosen = [[*range(1, size + 1)] if x is None else x for x, size in zip(at, (high, wide), strict=True)]
        if any(k > size for x, size in zip(chosen, (high, wide), strict=True) for k in x) or not all(chosen):
            self.refuse(_start(node), f"found an index beyond {high} by {wide}")
        return [[rows[i - 1][k - 1] for k in chosen[1]] for i in chosen[0]]


def _shape(rows: Rows) -> tuple[int, int]:
    return len(rows), len(rows[0])


def _size(rows: Rows) -> str:
    return "{} by {}".format(*_shape(rows))


def _start(node: Node) -> int:
    """Return the place of a node's first character; 0 if the node has no text."""
    while isinstance(node, Tree) and node.children:
        node = node.children[0]
    return (node.start_pos or 0) if isinstance(node, Token) else 0


def _peel(node: Node) -> Node:
    """Return the innermost node of a formula whose nodes have only one child."""
    while isinstance(node, Tree) and len(node.children) == 1 and node.data in ("sum", "product", "power", "bracket"):
        node = node.children[0]
    return node
