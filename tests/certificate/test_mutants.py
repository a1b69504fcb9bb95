"""Certificates that are changed at random: what is accepted has the same equations, by 50 digits of another program.

Of each program and each model lines are changed. Programs that the verifier takes are evaluated once more at a state,
by mpmath; machines that it takes are moved once more, and their equations are differences of their poses.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

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
STEP = re.compile(r"[-+*/^rnvscf] ")
#: Digits of evaluations, the width of differences, how far equal values may be apart.
DIGITS, WIDTH, NEAR = 200, mpmath.mpf("1e-40"), mpmath.mpf("1e-50")


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
    return [line for line in body if STEP.match(line)], results


def symbol(name: str) -> mpmath.mpf:
    """Return what a symbol is at the state: it is drawn by its name."""
    if name in ("1", "pi"):
        return mpmath.mpf(1) if name == "1" else +mpmath.pi
    return mpmath.mpf(random.Random(name).randrange(10**5, 10**6)) / 499979


def number(word: str) -> mpmath.mpf:
    top, _, bottom = word.partition("/")
    return mpmath.mpf(top) / mpmath.mpf(bottom or 1)


def evaluate(steps: Sequence[str]) -> list[mpmath.mpf]:
    """Return the values of steps at the state."""
    values: list[mpmath.mpf] = []
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


class Machine:
    """A stated machine at the state: poses of its bodies, 4 x 4, and what they carry."""

    def __init__(self, text: str) -> None:
        body = text.partition("\nmodel ")[2].partition("\nend\n")[0].splitlines()[1:]
        self.steps = evaluate([line for line in body if STEP.match(line)])
        self.lines = [line.split() for line in body]
        self.names = self.lines[0][1:]

    def atom(self, word: str, q: Mapping[str, mpmath.mpf] = MappingProxyType({})) -> mpmath.mpf:
        if word[0] == "#":
            return self.steps[int(word[1:])]
        return number(word) if word[0] in "-0123456789" else q.get(word, symbol(word))

    def move(self, q: dict[str, mpmath.mpf]) -> tuple[list[tuple[mpmath.matrix, mpmath.matrix]], list[mpmath.mpf]]:
        """Return the pose of each mass with its sums of m x y over particles at (x, 1), and what the rows keep."""
        atom = partial(self.atom, q=q)
        frames, masses, kept, body = {"ground": mpmath.eye(4)}, [], [], ""
        for kind, *words in self.lines:
            step = mpmath.eye(4)
            if kind == "body":
                body = words[0]
                frames[body] = frames[words[1]]
                step[:3, 3] = mpmath.matrix([atom(x) for x in words[2:] or "000"])
            elif kind in ("turn", "shift"):
                pairs = zip(words[3::2], words[4::2], strict=True)
                x, y, z = map(atom, words[:3])
                amount = sum(number(a) * (mpmath.pi if b == "pi" else atom(b)) for a, b in pairs)
                K = mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                if kind == "turn":
                    step[:3, :3] += mpmath.sin(amount) * K + (1 - mpmath.cos(amount)) * (K * K)
                else:
                    step[:3, 3] = amount * mpmath.matrix([x, y, z])
            elif kind == "mass":
                m, x, y, z, xx, yy, zz, xy, xz, yz = map(atom, words if len(words) > 4 else [*words, *"000000"])
                place, half = mpmath.matrix([x, y, z, 1]), (xx + yy + zz) / 2
                about = mpmath.matrix([[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]])
                sums = m * (place * place.T)
                sums[:3, :3] += about
                masses.append((frames[body], sums))
            elif kind == "apart":
                a, b, c = (frames[x] for x in words[:3])
                kept.append(((a - b)[:3, 3].T * (c[:3, :3] * mpmath.matrix([atom(x) for x in words[3:]])))[0])
            else:
                assert STEP.match(f"{kind} ") or kind in ("coordinates", "note", "gravity"), kind
            if kind in ("body", "turn", "shift"):
                frames[body] = frames[body] * step
        return masses, kept

    def derive(self) -> dict[str, list[mpmath.mpf]]:
        """Return M q'' + h, gravity and D q'' + gamma, by differences."""
        q = {name: symbol(name) for name in self.names}
        moved = [
            self.move({x: q[x] + k * WIDTH * symbol(x + "'") + WIDTH**2 * symbol(x + "''") / 2 for x in q})
            for k in (-1, 1)
        ]
        now, (before, after) = self.move(q), moved
        weight = next([*map(self.atom, line[1:])] for line in self.lines if line[0] == "gravity")
        found = {"rows": [(a - 2 * x + b) / WIDTH**2 for a, x, b in zip(before[1], now[1], after[1], strict=True)]}
        for name in self.names:
            back, forth = (self.move(q | {name: q[name] + k * WIDTH})[0] for k in (-1, 1))
            inertial = gravity = mpmath.mpf(0)
            for k, (pose, sums) in enumerate(now[0]):
                virtual = (forth[k][0] - back[k][0]) / (2 * WIDTH) * sums
                second = (before[0][k][0] - 2 * pose + after[0][k][0]) / WIDTH**2
                inertial += sum(virtual[i, j] * second[i, j] for i in range(3) for j in range(4))
                gravity += sum(virtual[i, 3] * weight[i] for i in range(3))
            found.setdefault("inertial", []).append(inertial)
            found.setdefault("gravity", []).append(gravity)
        return found


ROWS = [(name, k) for name in TEXTS for k in range(COUNT)]


def is_accepted(text: str) -> bool:
    try:
        program.verify(seal(text), (), bytes(32))
    except (program.RefusedError, program.UnreadableError):
        return False
    return True


def result(text: str, name: str) -> dict[str, list[mpmath.mpf]]:
    steps, results = read(text, name)
    values = evaluate(steps)
    return {quantity: [values[k] for k in places] for quantity, places in results.items()}


def same(found: dict[str, list[mpmath.mpf]], expected: dict[str, list[mpmath.mpf]]) -> bool:
    """Say whether quantities have equal values, by 50 digits."""
    pairs = [zip(found[name], expected[name], strict=True) for name in found.keys() | expected.keys()]
    return all(abs(a - b) < NEAR * (1 + abs(a)) for rows in pairs for a, b in rows)


def programs(text: str) -> list[str]:
    return re.findall(r"^program (\S+) ", text, re.MULTILINE)


@pytest.mark.rest
@pytest.mark.parametrize(("name", "k"), ROWS)
def test_accepted_mutants_of_programs_are_equivalent(name: str, k: int) -> None:
    text = TEXTS[name]
    changed, _, _ = mutate(text, random.Random(f"{name} {k}"), "program")
    if is_accepted(changed):
        with mpmath.workdps(DIGITS):
            assert all(same(result(text, own), result(changed, own)) for own in programs(text))


@pytest.mark.rest
@pytest.mark.parametrize(("name", "k"), ROWS)
def test_accepted_mutants_of_models_are_the_same_machine(name: str, k: int) -> None:
    changed, place, line = mutate(TEXTS[name], random.Random(f"{name} {k}"), "model")
    if is_accepted(changed):
        with mpmath.workdps(DIGITS):
            assert same(Machine(changed).derive(), Machine(TEXTS[name]).derive()), f"{line} -> {place}"


@pytest.mark.parametrize("name", TEXTS)
def test_the_other_evaluation_has_the_equations_of_a_program(name: str) -> None:
    text = TEXTS[name]
    with mpmath.workdps(DIGITS):
        found, machine = result(text, "hand" if name == "pendulum" else "lagrange"), Machine(text)
        q = [symbol(x + "''") for x in machine.names]

        def move(matrix: str, rest: str) -> list[mpmath.mpf]:
            flat = found.get(matrix, [])
            lines = [flat[k : k + len(q)] for k in range(0, len(flat), len(q))]
            return [sum(map(mpmath.fmul, line, q)) + x for line, x in zip(lines, found.get(rest, []), strict=True)]

        expected = {"inertial": move("M", "h"), "gravity": found["gravity"], "rows": move("D", "gamma")}
        assert same(machine.derive(), expected)


def test_a_certificate_is_not_accepted_with_another_number() -> None:
    text = mbconcord.certify(mbconcord.read(text="z j-2 $3 g9.81", format="mbsd"), witness=False)
    assert is_accepted(unseal(text.encode()))
    assert not is_accepted(unseal(text.encode()).replace("9.81", "9.8100000000000000000001"))
