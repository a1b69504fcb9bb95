"""Certificates that are changed at random: what is accepted has the same equations, by 60 digits of another program.

Of each program and each model lines are changed, exchanged and left out. Programs that the verifier takes are evaluated
once more at a state, by mpmath; equations of a changed machine are still those of its program, which did not change.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import mpmath
import pytest

import mbconcord
from mbconcord.certificate import verify_certificate as program

from .written import VECTORS, seal, unseal

#: Mutants of each text; the rows are of both kinds for every text.
COUNT = 12
TEXTS = {
    name: unseal((VECTORS / f"{name}.cert").read_bytes())
    for name in ("pendulum", "double_pendulum", "four_bars", "sympy_gimbal")
}
NUMBER = re.compile(r"-?\d+(\.\d+)?")
#: Lines of models of which something is not felt: what is along the axis of a turn in a plane, the place of a pivot on
#: the ground (rows are second rates). Lines of other kinds are felt.
UNFELT = re.compile(r"(gravity|mass|body|apart) |shift .* 1$")


def change_step(line: str, rng: random.Random) -> str:
    """Return a step that is another: operation, operand, number, function or multiple."""
    kind, *words = line.split()
    if kind in "+-*/":
        choice = rng.randrange(3)
        if choice == 0:
            return " ".join([rng.choice([x for x in "+-*/" if x != kind]), *words])
        place = rng.randrange(2)
        words[place] = str(rng.randrange(int(words[place]) + 1)) if choice == 1 else words[1 - place]
        return " ".join([kind, *words])
    if kind in "sc":
        return (
            " ".join(["c" if kind == "s" else "s", *words]) if rng.random() < 0.5 else f"{kind} -{line[2:].lstrip('-')}"
        )
    if kind == "n":
        return f"n {words[0]}1" if "/" not in words[0] and "." in words[0] else f"n -{words[0].lstrip('-')}"
    return line


def mutate(text: str, rng: random.Random, part: str) -> tuple[str, int, str]:
    """Return a text with one line of its models or programs changed, that line's place and its old words."""
    lines, inside, places = text.splitlines(), "", []
    for k, line in enumerate(lines):
        inside = line.split()[0] if line.startswith(("model ", "program ")) else "" if line == "end" else inside
        if inside == part and not line.startswith(("model ", "program ", "note ", "coordinates ", "out ", "scale ")):
            places.append(k)
    while True:
        k = rng.choice(places)
        line = lines[k]
        new = change_step(line, rng) if re.match(r"[-+*/scn] ", line) else line
        if part == "model" and NUMBER.search(line) and " " in line:
            numbers = [m for m in NUMBER.finditer(line) if line[m.start() - 1] == " "]
            m = rng.choice(numbers) if numbers else None
            added = rng.choice(("1", "00000000000000001"))
            new = line if m is None else f"{line[: m.end()]}{added if '.' in m[0] else '.' + added}{line[m.end() :]}"
        if new != line:
            return "\n".join([*lines[:k], new, *lines[k + 1 :], ""]), k, line


def read(text: str, name: str) -> tuple[Sequence[str], dict[str, list[int]]]:
    """Return the steps of a program, and its results."""
    body = text.partition(f"program {name} ")[2].partition("\nend\n")[0].splitlines()[1:]
    results: dict[str, list[int]] = {}
    for line in body:
        if line.startswith("out "):
            results.setdefault(line.split()[1], []).extend(map(int, line.split()[2:]))
    return [line for line in body if re.match(r"[-+*/^rnvscf] ", line)], results


def evaluate(steps: Sequence[str], state: dict[str, mpmath.mpf]) -> list[mpmath.mpf]:
    """Return the values of steps at a state; symbols are drawn as they are met."""
    values: list[mpmath.mpf] = []

    def symbol(name: str) -> mpmath.mpf:
        if name in ("1", "pi"):
            return mpmath.mpf(1) if name == "1" else +mpmath.pi
        return state.setdefault(name, mpmath.mpf(random.Random(name).randrange(10**5, 10**6)) / 499979)

    def number(word: str) -> mpmath.mpf:
        top, _, bottom = word.partition("/")
        return mpmath.mpf(top) / mpmath.mpf(bottom or 1)

    for line in steps:
        kind, *w = line.split()
        if kind == "n":
            values.append(number(w[0]))
        elif kind == "v":
            values.append(symbol(w[0]))
        elif kind in "sc":
            pairs = zip(
                map(number, w[::2]), (values[int(x[1:])] if x[0] == "#" else symbol(x) for x in w[1::2]), strict=True
            )
            values.append((mpmath.sin if kind == "s" else mpmath.cos)(sum(a * b for a, b in pairs)))
        elif kind == "^":
            values.append(values[int(w[0])] ** int(w[1]))
        elif kind == "r":
            values.append(mpmath.sqrt(values[int(w[0])]))
        else:
            a, b = (values[int(x)] for x in w)
            values.append(a + b if kind == "+" else a - b if kind == "-" else a * b if kind == "*" else a / b)
    return values


def rows(part: str) -> Iterator[tuple[str, int]]:
    for name in TEXTS:
        yield from ((name, k) for k in range(COUNT))


def is_accepted(text: str) -> bool:
    try:
        program.verify(seal(text), (), bytes(32))
    except (program.RefusedError, program.UnreadableError):
        return False
    return True


def result(text: str, name: str) -> list[mpmath.mpf]:
    steps, results = read(text, name)
    values = evaluate(steps, {})
    return [values[k] for places in results.values() for k in places]


def programs(text: str) -> list[str]:
    return re.findall(r"^program (\S+) ", text, re.MULTILINE)


@pytest.mark.rest
@pytest.mark.parametrize(("name", "k"), rows("program"))
def test_accepted_mutants_of_programs_are_equivalent(name: str, k: int) -> None:
    text = TEXTS[name]
    changed, _, _ = mutate(text, random.Random(f"{name} {k}"), "program")
    if is_accepted(changed):
        with mpmath.workdps(60):
            for own in programs(text):
                for a, b in zip(result(text, own), result(changed, own), strict=True):
                    assert abs(a - b) < mpmath.mpf(10) ** -45 * (1 + abs(a))


@pytest.mark.rest
@pytest.mark.parametrize(("name", "k"), rows("model"))
def test_accepted_mutants_of_models_are_of_lines_that_no_equation_feels(name: str, k: int) -> None:
    changed, place, line = mutate(TEXTS[name], random.Random(f"{name} {k}"), "model")
    if is_accepted(changed):
        assert UNFELT.match(line), f"{line} -> {changed.splitlines()[place]}"


def test_a_certificate_is_not_accepted_with_another_number() -> None:
    text = mbconcord.certify(mbconcord.read(text="z j-2 $3 g9.81", format="mbsd"), witness=False)
    assert is_accepted(unseal(text.encode()))
    assert not is_accepted(unseal(text.encode()).replace("9.81", "9.8100000000000000000001"))
