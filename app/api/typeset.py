r"""Reader of typeset equations: it converts lines of LaTeX or MathML to lines ``name = formula`` over plain names.

The reader knows names only by their appearance on paper, that is by letters, indices and dots: ``rho_x1'`` is
``\dot{\rho}_{x1}``, or ρ with a dot and the index x1. Names that look alike cannot be distinguished, and formulas
that use them are not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from xml.etree import ElementTree

#: Letters by which quantities are typeset; other quantities are typeset by their names.
LETTERS: Final = {
    "gravity": "Qg", "applied": "Qa", "inverse_dynamics": "tau", "acceleration": "ddotq", "effort": "u",
    "γ̃": "tildegamma",
}  # fmt: skip
_DOTTED: Final = ("", "dot", "ddot", "dddot")
_ACCENTS: Final = {"˙": "dot", "¨": "ddot", "(3)": "dddot", "~": "tilde"}
_FUNCTIONS: Final = {
    **{f: f for f in ("sin", "cos", "tan", "atan2")},
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "sgn": "sign", "atan_2": "atan2",
}  # fmt: skip
_RAW: Final = r"(?:[^{}\\]|\\[^A-Za-z]|\\hat\{\}|\\sim |\\backslash )*"
_LETTER: Final = rf"(?:\\mathrm\{{{_RAW}\}}|\\[A-Z]?[a-z]+|[^\W\d_]|\\[#$%&_])"
_LATEX: Final = re.compile(
    rf"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?)|(?P<times>\\cdot|\\,)|(?P<open>\\left\()|(?P<close>\\right\))"
    rf"|(?P<begin>\\left\|)|(?P<end>\\right\|)|(?P<frac>\\frac)|(?P<sqrt>\\sqrt)"
    rf"|(?P<function>\\(?:sin|cos|tan|arcsin|arccos|arctan|ln)(?![a-z])|\\operatorname\{{\w+\}}(?:_\{{2\}})?)"
    rf"|(?P<name>(?:\\d{{1,3}}ot\{{{_LETTER}\}}|{_LETTER})(?:_\{{{_RAW}\}})?'*)|(?P<sign>[-+^{{}},])"
)
#: Placeholder for an underscore that is part of a name and does not mark an index.
UNDERSCORE: Final = "\0"
GROUP: Final = r"^(?:% ([^\n]*)\n)?\\begin\{align\*\}\n(.*?)\\end\{align\*\}$"
END, END_ABS = r"\right)", r"\right|"
Words = list[tuple[str, str]]


class TypesetError(Exception):
    """Error: the reader does not understand a text."""


def appear(name: str, whole: bool = False) -> str:
    """Return a name's appearance as text: dots, letters, indices, Greek in words; if ``whole``, without indices."""
    bare = name.rstrip("'")
    dots = len(name) - len(bare)
    head, *indices = bare.split("_")
    apart = "," if head[-1:].isdigit() and indices else ""
    look = _plain(bare.replace("_", UNDERSCORE)) if whole or head.isdigit() else _plain(head) + apart
    if not whole:
        look += ",".join(map(_plain, indices))
    return (_DOTTED[dots] if dots < len(_DOTTED) else f"({dots})") + look


def appear_as_element(label: str) -> tuple[str, ...]:
    """Return the appearances that an element's label may have: ``gravity[z1]`` as Q with g and z1, or as a name."""
    quantity, _, names = label.removesuffix("]").partition("[")
    indices = ",".join(map(appear, names.split(", "))) if names else ""
    return tuple(_plain(letter) + indices for letter in (LETTERS.get(quantity, quantity), quantity))


def safe(appearance: str) -> str:
    """Return an identifier that encodes a name's appearance."""
    return f"n{appearance.encode().hex()}"


def name_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by identifiers of their names' appearances; values whose names look alike are left out."""
    found: dict[str, list[Any]] = {}
    for name, value in values.items():
        stem, primes, called = re.fullmatch(r"(.*?)('*(?:\[.*\])?)(\(?)", name).groups()  # type: ignore[union-attr]
        for look in {appear(stem, whole) + primes if called else appear(name, whole) for whole in (False, True)}:
            found.setdefault(f"{safe(look)}{called}", []).append(value)
    return {name: own[0] for name, own in found.items() if len(own) == 1}


def _plain(text: str) -> str:
    """Return a text without braces, blanks and marks of indices, and with Greek letters in words."""
    letters = "".join(map(_spell, text))
    return re.sub(r"[{}\s_^\\~]", "", letters).replace(UNDERSCORE, "_")


def _spell(letter: str) -> str:
    """Return a Greek letter in words; any other character is returned unchanged."""
    match = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(letter, ""))
    if match is None:
        return letter
    word = match[2].replace("LAMDA", "LAMBDA").lower()
    return word if match[1] == "SMALL" else word.capitalize()


def latex_lines(text: str, skipped: Iterable[str]) -> list[tuple[str, str]]:
    """Return appearance and formula of each line of LaTeX, without groups with these titles and without balances."""
    found = []
    for title, body in re.findall(GROUP, text.partition("\n% equations\n")[0], re.M | re.S):
        if title in skipped:
            continue
        for line in body.strip("\n").split(" \\\\\n"):
            left, equals, right = line.partition(" &= ")
            if not equals:
                raise TypesetError(f"{line.strip()[:60]!r} is no line name = formula")
            found.append((_read_left_side(left), _Latex(right).formula()))
    return found


def _read_left_side(text: str) -> str:
    r"""Return the appearance of a name or a left side in LaTeX, such as ``{M}_{z_{1},z_{2}}``."""
    return _plain(re.sub(r"\\mathrm|\\hat\{\}|\\(?=\w)", "", text.replace(r"\_", UNDERSCORE)))


class _Latex:
    """Parser of a formula in LaTeX, which it splits into words and converts to a plain formula."""

    def __init__(self, text: str) -> None:
        self.words: Words = []
        place = 0
        while place < len(text):
            match = _LATEX.match(text, place)
            if match is None:
                raise TypesetError(f"{text[place : place + 20]!r} is no part of a formula")
            if match.lastgroup != "space":
                self.words.append((match.lastgroup or "", match[0]))
            place = match.end()
        self.at = 0

    def formula(self) -> str:
        """Return the whole text as a plain formula."""
        return self._until("")

    def _take(self) -> tuple[str, str]:
        self.at += 1
        return self.words[self.at - 1] if self.at <= len(self.words) else ("", "")

    def _next(self) -> str:
        return self.words[self.at][1] if self.at < len(self.words) else ""

    def _until(self, last: str) -> str:
        """Convert words up to a closing word to a plain formula, and skip the closing word."""
        parts: list[str] = []
        while True:
            kind, word = self._take()
            if word == last:
                return "".join(parts)
            if not word:
                raise TypesetError(f"found no {last!r}")
            parts.append(self._part(kind, word))

    def _bracket(self) -> str:
        return f"({self._until(END)})"

    def _group(self) -> str:
        _, word = self._take()
        if word != "{":
            raise TypesetError(f"found {word!r}, expected a group")
        return f"({self._until('}')})"

    def _part(self, kind: str, word: str) -> str:
        match kind:
            case "number":
                return word
            case "times":
                return "*"
            case "open":
                return self._bracket()
            case "begin":
                return f"abs({self._until(END_ABS)})"
            case "frac":
                above = self._group()
                return f"({above}/{self._group()})"
            case "sqrt":
                return f"sqrt{self._group()}"
            case "function":
                return self._function(re.sub(r"\\operatorname|[\\{}]", "", word))
            case "name" if word == r"\pi":
                return "pi"
            case "name" if word == "e" and self._next() == "^":
                self._take()
                return f"exp{self._group()}"
            case "name":
                return safe(_read_left_side(word))
            case "sign" if word == "^":
                return f"^{self._group()}"
            case "sign" if word == "{":
                return f"({self._until('}')})"
            case "sign" if word in "+-,":
                return word
        raise TypesetError(f"{word!r} is no part of a formula")

    def _function(self, name: str) -> str:
        power = ""
        if self._next() == "^":
            self._take()
            power = f"^{self._group()}"
        kind, word = self._take()
        if word == "{" and self._next() == r"\left(":
            argument = self._until("}")
        else:
            argument = self._bracket() if kind == "open" else f"({self._part(kind, word)})"
        return f"({_FUNCTIONS.get(name, name)}{argument}{power})"


def mathml_lines(text: str, skipped: Iterable[str]) -> list[tuple[str, str]]:
    """Return appearance and formula of each line of MathML, as :func:`latex_lines` does for LaTeX."""
    found, silent = [], False
    for element in ElementTree.fromstring(f"<all>{text}</all>"):
        if element.tag == "h3":
            silent = (element.text or "") in skipped
        elif element.tag == "math" and not silent:
            left, equals, right = [*element]
            if equals.text != "=":
                raise TypesetError(f"{equals.text!r} is no sign of equality")
            found.append((_look(left), _row([right])))
    return found


def _look(element: ElementTree.Element) -> str:
    """Return the appearance of a name in MathML: accents, letters, upper marks, indices."""
    parts = [*element]
    match element.tag:
        case "mover":
            return _ACCENTS.get(parts[1].text or "", parts[1].text or "") + _look(parts[0])
        case "msubsup":
            return _look(parts[0]) + _look(parts[2]) + _look(parts[1])
        case "mrow" | "msub" | "msup":
            return "".join(map(_look, parts))
    return _plain((element.text or "").replace("_", UNDERSCORE))


def _row(elements: Iterable[ElementTree.Element]) -> str:
    """Convert elements of MathML that are side by side to a plain formula."""
    parts: list[str] = []
    waiting = ""  # the power of a function, after its argument
    for element in elements:
        name = element.text or ""
        match element.tag:
            case "mrow" if len(element) > 1 and element[0].text == "|":
                part = f"abs({_row([*element][1:-1])})"
            case "mrow" if len(element) and element[0].text == "(" and element[0].tag == "mo":
                part = f"({_row([*element][1:-1])})"
            case "mrow":
                part = f"({_row(element)})"
            case "mfrac":
                part = f"({_row(element[:1])}/{_row(element[1:])})"
            case "msqrt":
                part = f"sqrt({_row(element)})"
            case "msup" if element[0].text == "e":
                part = f"exp({_row(element[1:])})"
            case "msup" if element[0].tag == "mi" and element[0].text in _FUNCTIONS and element[1].tag == "mrow":
                parts.append(f"{_FUNCTIONS[element[0].text or '']}")
                waiting = f"^({_row(element[1:])})"
                continue
            case "msup" if element[1].tag == "mo":  # a derivative of a function
                part = safe(_look(element[0]) + "'" * (element[1].text or "").replace("″", "′′").count("′"))
            case "msup":
                part = f"({_row(element[:1])})^({_row(element[1:])})"
            case "mi" if name == "π":
                part = "pi"
            case "mi" if name in _FUNCTIONS:
                parts.append(_FUNCTIONS[name])
                waiting = " "
                continue
            case "mo" if name in ("\u2061", ""):
                continue
            case "mo":
                part = {"−": "-", "\u2062": "*", "·": "*"}.get(name, name)
            case "mn":
                part = name
            case _:
                part = safe(_look(element))
        if waiting:
            part = (part if part.startswith("(") else f"({part})") + waiting.strip()
            waiting = ""
        parts.append(part)
    return "".join(parts)


def typeset_lines(text: str, notation: str, skipped: Iterable[str], given: Mapping[str, Any]) -> str:
    """Convert equations in LaTeX or MathML to plain lines; ``given`` are identifiers with values from the start.

    Raises
    ------
    TypesetError
        The reader does not understand a line, or the line defines a name that looks like an earlier one.
    """
    titles = {"equations", *skipped}
    try:
        lines = latex_lines(text, titles) if notation == "latex" else mathml_lines(text, titles)
    except ElementTree.ParseError as problem:
        raise TypesetError(f"the {notation} is not well formed: {problem}") from None
    known = {*given}
    for look, _ in lines:
        if safe(look) in known:
            raise TypesetError(f"two names look alike, {look}")
        known.add(safe(look))
    return "\n".join(f"{safe(look)} = {formula}" for look, formula in lines)


def values_by_label(labels: Iterable[str], found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each label that a line defines, with the line's value."""
    for label in labels:
        for look in appear_as_element(label):
            if safe(look) in found:
                yield label, found[safe(look)]
                break
