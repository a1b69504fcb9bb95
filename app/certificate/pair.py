"""Comparison of two certificates by the verifier: do they state the same machine, and make the same claims?

Both texts are joined to one certificate of two machines, matched by the names of their coordinates. A refusal by the
verifier proves a difference only if it knows all identities of the functions and angles in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.limits import read_within
from mbconcord.records import dataclass

from .emit import seal
from .process import PROVED, REFUSED, UNREADABLE, Verified, verify, verify_text
from .programs import write_name

#: The first word of every certificate.
FIRST: Final = b"mbcert "
#: Lines of models that are constraint rows.
ROWS: Final = re.compile(r"(?m)^(?:rod|apart|facing|row|rate) ")
WITHOUT: Final = "note the model is without "
#: Notes of values of parameters, which no equation holds.
VALUE: Final = re.compile(r"(?m)^note (\S+) is (.+)$")
#: Lines whose words are no symbols, and words of other lines that are none.
NO_SYMBOLS: Final = re.compile(r"(?m)^(?:note|model|program|out|sum|mbcert) .*$")
NAMED: Final = re.compile(r"(?m)^(?:body|f) (\S+)")
DIFFERS: Final = re.compile(
    r"refused: (M|h|gravity|applied|force|inverse_dynamics|D|gamma|rows) \d+ of \S.* is not that of "
)


@dataclass(frozen=True)
class CertificatePair:
    """Result of a comparison: the exit code of ``compare``, the verdict in words, and lines of the verifier."""

    code: int
    headline: str
    said: tuple[str, ...] = ()


def is_certificate(file: str) -> bool:
    """Return True if a file begins as certificates do."""
    if not Path(file).is_file():
        return False
    with Path(file).open("rb") as stream:
        return stream.read(len(FIRST)) == FIRST


def compare_certificates(a: str, b: str, names: Mapping[str, str] | None = None) -> CertificatePair:
    """Compare two files; ``names`` maps names of coordinates and parameters of A to those of B.

    Raises
    ------
    ReadError
        A file is not a certificate, or states two machines or a difference.
    """
    texts, claims = [], []
    for file in (a, b):
        alone = verify(file)
        if alone.code == UNREADABLE:
            raise ReadError(error(file, "; ".join(alone.said), "compare two certificates, or two models"))
        text = (read_within(file) or b"").decode("ascii")
        if len(re.findall(r"(?m)^model ", text)) != 1 or re.search(r"(?m)^differs ", text):
            message = "it states two machines or a difference, expected a certificate of one machine"
            raise ReadError(error(file, message, f"verify it: mbconcord verify {file}"))
        if alone.code != PROVED:
            return CertificatePair(3, f"not decided: {file} proves nothing", alone.said)
        texts.append(text)
        claims.append({*read_claims(alone)})
    return compare_texts(texts[0], texts[1], names, (claims[0], claims[1]))


def compare_texts(
    a: str, b: str, names: Mapping[str, str] | None = None, claims: tuple[Collection[str], Collection[str]] = ((), ())
) -> CertificatePair:
    """Compare two texts of certificates; ``claims`` are the quantities that each of them proves."""
    whole = verify_text(join(a, b, names))
    both = {quantity for quantity, sides in read_claims(whole).items() if {x[0] for x in sides} == {"A", "B"}}
    if whole.code != PROVED or not {"M", "force"} <= both:
        return _compare_machines(a, b, names, whole)
    lines = tuple(whole.said[: len(read_claims(whole))])
    partly = [
        f"{'AB'[k]} alone claims {', '.join(sorted({*claims[k]} - {*claims[1 - k]}))}"
        for k in (0, 1)
        if {*claims[k]} - {*claims[1 - k]}
    ]
    if bool(ROWS.search(a) or ROWS.search(b)) and "rows" not in both:
        partly.append("constraint rows are compared with nothing")
    noted = [(side, line[len("note ") :]) for side, text in (("A", a), ("B", b)) for line in find_left_out(text)]
    partly += [f"{side}: {line}" for side, line in noted]
    first, second = (dict(VALUE.findall(text)) for text in (a, b))
    pairs = {name: (x, second.get(_name_in_b(name, names), x)) for name, x in first.items()}
    partly += [f"{name} is {x} in A, {y} in B" for name, (x, y) in pairs.items() if x != y]
    stated = any("mechanics of both models" in line for line in lines)
    headline = f"same {'machine' if stated else 'equations, of which not both state the machine'}"
    told = f"{headline}, but: {'; '.join(partly)}" if partly else f"{headline}, same claims"
    return CertificatePair(4 if partly else 0, told, lines)


def find_left_out(text: str) -> Iterator[str]:
    """Yield the notes of a certificate on parts of the model that its reader left out."""
    return (line for line in text.splitlines() if line.startswith(WITHOUT))


def _name_in_b(name: str, names: Mapping[str, str] | None) -> str:
    """Return the name in B of a name of A."""
    return {write_name(x): write_name(y) for x, y in (names or {}).items()}.get(name, name)


def read_claims(found: Verified) -> dict[str, list[str]]:
    """Map each proved quantity to the sides that the verifier found equal; in joined texts these begin with A or B."""
    claims: dict[str, list[str]] = {}
    for line in found.said if found.code == PROVED else ():
        if line.startswith(("proved (", "Noted ")):
            break
        quantity, _, rest = line.partition(": ")
        sides = rest.replace("mechanics of both models", "A = B").split(" = ")
        claims[quantity] = [side.removeprefix("mechanics of ").partition(" (")[0] for side in sides]
    return claims


def join(a: str, b: str, names: Mapping[str, str] | None = None, programs: bool = True, without: str = "") -> str:
    """Join two texts to one certificate, with ``A.`` and ``B.`` before the names of their models and programs."""
    lines = ["mbcert 1"]
    for side, text in (("A", a), ("B", b)):
        inside = ""
        for line in text.splitlines()[1:-1]:
            kind, _, rest = line.partition(" ")
            begins = not inside and kind in ("model", "program")
            if begins:
                inside = kind
                if side == "B" and kind == "model" and names:
                    pairs = " ".join(f"{write_name(own)}={write_name(common)}" for common, own in names.items())
                    lines.append(f"match B.{rest} {pairs}")
                rest = " ".join(f"{side}.{name}" for name in rest.split(" "))
            if inside and kind not in ("note", without) and (programs or inside == "model"):
                lines.append(f"{kind} {rest}" if begins else line)
            inside = "" if line == "end" else inside
    return seal(lines)


def _compare_machines(a: str, b: str, names: Mapping[str, str] | None, whole: Verified) -> CertificatePair:
    """Return the result of a comparison if not everything of the joined certificate is proved."""
    counts = [len(re.findall(r"(?m)^coordinates .*$", text)[0].split(" ")) - 1 for text in (a, b)]
    closed = bool(ROWS.search(a) or ROWS.search(b))
    if counts[0] != counts[1] and not closed:
        return CertificatePair(1, f"not the same machine: coordinates are {counts[0]} in A, {counts[1]} in B")
    if whole.code == UNREADABLE:
        remedy = "say which: --coordinates a=b (parameters as well)"
        return CertificatePair(3, f"not decided: coordinates have other names: {remedy}", whole.said)
    machines = verify_text(join(a, b, names, programs=False))
    if "M" in read_claims(machines):
        return CertificatePair(3, "same machine; claims are not proved the same", whole.said)
    refused = next((x for x in (machines, whole) if x.code == REFUSED and DIFFERS.match(x.said[0])), None)
    if refused is None:
        return CertificatePair(3, "not decided", whole.said)
    reason = refused.said[0].removeprefix("refused: ")
    unknown = _find_unknown(join(a, b, names, programs=refused is whole))
    if closed:
        unknown = "of machines with constraint rows other equations may have the same motion"
    elif not unknown and (alone := _find_parameters(a, names) ^ _find_parameters(b)):
        unknown = f"of one file alone are parameters: {', '.join(sorted(alone))}"
    elif not unknown and (reason.startswith("gravity ") or (refused is whole and not reason.startswith("M "))):
        rest = verify_text(join(a, b, names, programs=False, without="gravity"))
        unknown = "" if "applied" in read_claims(rest) else "forces may be parted otherwise"
    if unknown:
        remedy = "`mbconcord compare` of the models compares numbers; --coordinates a=b matches parameters as well"
        return CertificatePair(3, f"not decided: {reason}, but {unknown}", (remedy,))
    return CertificatePair(1, f"not the same machine: {reason}")


def _find_parameters(text: str, names: Mapping[str, str] | None = None) -> set[str]:
    """Return the parameters in the text of a certificate, by their names in B."""
    text = NO_SYMBOLS.sub("", text)
    known = {"t", "pi", "ground", *NAMED.findall(text)}
    known |= {name for line in re.findall(r"(?m)^coordinates (.*)$", text) for name in line.split(" ")}
    words = {word.rstrip("'") for line in text.splitlines() for word in line.split(" ")[1:]} - known
    return {_name_in_b(word, names) for word in words if re.match(r"[A-Za-z_%]", word)}


def _find_unknown(text: str) -> str:
    """Describe terms of a text whose identities the verifier does not know, so that it may refuse equal equations."""
    steps: list[str] = []
    one = pi = False
    for line in text.splitlines():
        kind, *words = line.split(" ")
        steps = [] if line == "end" else [*steps, kind] if len(kind) == 1 else steps
        angle = words if kind in ("s", "c") else words[3:] if kind in ("turn", "shift") else []
        if kind in ("f", "length") or (kind == "r" and steps[int(words[0])] != "n"):
            return "functions and roots of values have identities that are not known"
        if any(word[0] == "#" for word in angle[1::2]):
            return "angles that are values have identities that are not known"
        one, pi = one or "1" in angle[1::2], pi or line == "v pi" or (kind == "shift" and "pi" in angle[1::2])
    return "numbers of pi and of angles without pi have identities that are not known" if one and pi else ""
