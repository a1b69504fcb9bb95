"""The verifier itself is changed, line by line: each change must change a result of a vector or of a certificate."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Final

import pytest

from mbconcord.certificate import verify_certificate as program
from mbconcord.certificate import verify_difference as other

from .test_verify import EXPECTED
from .written import DIFFERENCES, NO_DIFFERENCES, PROVED, REFUSED, VECTORS, write_difference

SOURCE: Final = Path(program.__file__).read_text("utf-8")
#: What stands once in the file, what would be wrong in its place.
MUTANTS: Final = (
    ("not part.accelerated or (part is not", "True or (part is not"),
    ("""words, "''" in line)""", """words, line.endswith("''"))"""),
    ('data[end:] == b"sum %s\\n" % hashlib.sha256(data[:end]).hexdigest().encode()', "True"),
    ("max(steps, default=-1) < part.steps", "max(steps, default=-1) <= part.steps"),
    ("max(steps, default=-1) < part.steps", "True"),
    ("of in self.models and program not in self.programs and not match", "of in self.models"),
    ("expect(name not in frames", "expect(True"),
    ("(?!mechanics)", ""),
    ("and (name == word or", "and (True or"),
    ("fits = common and", "common = common or name\n        fits ="),
    ("fits = names and sorted(names) == sorted(first)", "fits = True"),
    ("all(pow(z, part, p) != 1 for part in parts)", "True"),
    ("pow(z, part, p) != 1 for part in parts", "pow(z, part, p) != 1 for part in [1]"),
    ("up * z % p, down * w % p", "up * z % p, down * z % p"),
    ("if order % q == 0:", "if False:"),
    ("pow(q, p // twos // 2 + 1, p) * pow(z, k, p)", "pow(q, p // twos // 2 + 1, p)"),
    ('-exponent if name == "#" and 2 * value > p else exponent', "exponent"),
    ("min(value, p - value)", "value"),
    ("(w - z) * half * self.i", "(z - w) * half * self.i"),
    ("return total.compose(sine, cosine, -sine, size)", "return total.compose(sine, -cosine, -sine, size)"),
    ("return total.compose(sine, cosine, -sine, size)", "return total.compose(-sine, cosine, -sine, size)"),
    ("return ZERO - self.function(name, [ZERO - x])", "return self.function(name, [ZERO - x])"),
    ("self.inverse(Motion(2 * value)).value", "self.inverse(Motion(value)).value"),
    ("then = -2 * first**3", "then = 2 * first**3"),
    ("return x.compose(w, -w * w,", "return x.compose(w, w * w,"),
    ("int(order or 0) + k}", "int(order or 0)}"),
    ('algebra.function("#root", [values[a]])', 'algebra.function("r", [values[a]])'),
    ('name == "sign" and len(values) == 1', 'name == "sign"'),
    ('draw("function", name, values)', 'draw("function", values)'),
    ('draw("function", name, values)', 'draw("function", name)'),
    ("2 * self.rate * other.rate", "self.rate * other.rate"),
    ("second = self.second * v + ", "second = "),
    ("second * self.rate * self.rate", "second * self.rate"),
    ("(first * self.second + ", "("),
    ("not any(x.rate % Motion.p or x.second % Motion.p for x in found)", "True"),
    ("any(x.rate % Motion.p or x.second", "any(x.second"),
    ("(dot(axis, axis) - ONE).value == 0", "True"),
    ("(c * c + s * s - ONE).value == 0", "True"),
    ("not any(x.value % field.p for x in minus(moved.formulas, still.formulas))", "True"),
    ("[[*row[:3], x] for row, x in zip(UNIT, place)] + UNIT[3:]", "UNIT"),
    ("self.constants(angle)[::-1]", "self.constants(angle)"),
    ("u + s * v + (ONE - c) * w", "u - s * v + (ONE - c) * w"),
    ("(ONE - c) * w", "(ONE + c) * w"),
    ("[[yy + zz - xx, xy, xz, ZERO]", "[[yy + zz + xx, xy, xz, ZERO]"),
    ("[xy, xx + zz - yy, yz, ZERO]", "[xy, xx + zz + yy, yz, ZERO]"),
    ("[xz, yz, xx + yy - zz, ZERO]", "[xz, yz, xx + yy + zz, ZERO]"),
    ("(ZERO - x - x for x in (xy, xz, yz))", "(x + x for x in (xy, xz, yz))"),
    ("a + m * u * v", "m * u * v"),
    ("sums = times(sums, [*zip(*self.body.pose)])", "sums = [*zip(*times(sums, [*zip(*self.body.pose)]))]"),
    ("[g * x for x in sums[3]]", "[g * x for x in sums[2]]"),
    ("ZERO - dot(row, [x[3] for x in body.pose])", "dot(row, [x[3] for x in body.pose])"),
    ("in spin(*along)]", "in K]"),
    ('if kind == "turn":\n            twist', 'if kind == "shift":\n            twist'),
    ("spin(*(x * half for x in", "spin(*(x for x in"),
    ("[x * row[3] for row in self.frames[name].pose]", "[x * ONE for row in self.frames[name].pose]"),
    ("self.load(quantity, frame.parent, forces)", "pass"),
    ("a + b for a, b in zip(*rows)", "b for a, b in zip(*rows)"),
    ("self.world(name, self.atoms(rest))", "self.atoms(rest)"),
    ("speed = dot(factors,", "speed = dot([ONE] * 99,"),
    ("+= inertia * factor * speed", "+= inertia * speed"),
    ("for name in (a, b)))", "for name in (b, a)))"),
    ("for x in self.between(b, a)", "for x in self.between(a, b)"),
    ("Motion(x.value, 0, x.rate, x.size)", "Motion(x.value, 0, x.second, x.size)"),
    ("Motion(value(name), int(name ==", "Motion(value(name), int(name !="),
    ("value(name + \"''\") if self.accelerated else 0", "value(name + \"''\")"),
    ("Motion(whole.rate, whole.second, third,", "Motion(whole.rate, 0, third,"),
    ("field.number(1 / c) if c else", "field.number(c) if c else"),
    ("rows = [rows[k] for k in order] if", "rows = rows if"),
    ("[[row[k] for k in order] for row in rows]", "rows"),
    ("[rows[name] for name in names]", "[*rows.values()]"),
    ("row[0] + row[1] - row[2]", "row[0] + row[1] + row[2]"),
    ("prove((x.value - y.value) % field.p == 0,", "prove(row < 2 or (x.value - y.value) % field.p == 0,"),
    ("prove((x.value - y.value) % field.p == 0,", "prove(row > 1 or (x.value - y.value) % field.p == 0,"),
    ('prove(proved, "nothing', 'prove(True, "nothing'),
    ("= others or quantity not in claims", "= True or quantity not in claims"),
    ("fits, whole = len({*map(len, sides.values())}) < 2, True", "fits = whole = True"),
    ("fits = len(flat) % width == 0 and", "fits ="),
    ("largest = size\n            prove(size <= MAX_SIZE", "largest = size\n            prove(True"),
    ('prove(x.value % self.p, "a division by zero")', "x.value or 1"),
    ("not empty or dot(found, found).value % Motion.p", "True"),
)
#: The same in the file of differences.
MUTANTS_OF_DIFFERENCES: Final = (
    ("amount * 2**BITS", "0"),
    ("max(x.low - y.high, y.low - x.high)", "max(x.high - y.low, y.high - x.low)"),
    ("return sums[1] - sums[3], sums[0] - sums[2]", "return sums[0] - sums[2], sums[1] - sums[3]"),
    ("self.low - other.high, self.high - other.low", "self.high - other.low, self.low - other.high"),
    ("Interval(min(corners) >> BITS", "Interval(corners[0] >> BITS"),
    ("not x.low <= 0 <= x.high, ", "True, "),
    ("LARGEST = 1000, 600, 60", "LARGEST = 1000, 600, 600"),
    ("LARGEST = 1000, 600, 60", "LARGEST = 1000, 20, 60"),
    ("Fraction(found[5]) > 0", "True"),
    ("-4, 239", "4, 239"),
    ("if x.low > 0 else -1", "if x.low < 0 else -1"),
)


def verify(module: types.ModuleType, data: bytes) -> tuple[int, str]:
    """Return the exit code, 3 for an error of another kind, and what is said."""
    try:
        return 0, module.verify(data, (), bytes(32))
    except Exception as problem:
        return {"RefusedError": 1, "UnreadableError": 2}.get(type(problem).__name__, 3), str(problem)


def holds(module: types.ModuleType, data: bytes, code: int, words: str) -> bool:
    """Say whether a certificate has its result."""
    found, said = verify(module, data)
    return found == code and words in said


CASES: Final = [
    *(
        ((VECTORS / name).read_bytes(), expected["exit"], "")
        for name, expected in EXPECTED.items()
        if name not in ("sympy_gimbal.cert", "difference.cert")
    ),
    *((data, 0, "") for data, _ in PROVED.values()),
    *((data, code, words) for data, code, words in REFUSED.values()),
    ((VECTORS / "sympy_gimbal.cert").read_bytes(), 0, ""),
    ((VECTORS / "pendulum.cert").read_bytes().replace(b"weight along -y", b"weight along -x"), 2, ""),
]


CASES_OF_DIFFERENCES: Final = [
    ((VECTORS / "difference.cert").read_bytes(), 0, ""),
    *((write_difference(*words), 0, "") for words in DIFFERENCES.values()),
    *((write_difference(a, b, f"{float(c) * 1.2!r}"), 1, "") for a, b, c in DIFFERENCES.values()),
    *((data, code, words) for data, code, words in NO_DIFFERENCES.values()),
]


def change(source: str, old: str, new: str, package: str = "") -> types.ModuleType:
    """Return a module of a changed source."""
    assert source.count(old) >= 1, f"{old} does not stand in the file"
    module = types.ModuleType("mutant")
    module.__package__ = package
    exec(compile(source.replace(old, new, 1), "mutant", "exec"), module.__dict__)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("k", range(len(MUTANTS)))
def test_a_changed_verifier_is_noticed(k: int) -> None:
    module = change(SOURCE, *MUTANTS[k])
    assert not all(holds(module, *case) for case in CASES), "no certificate tells it from the verifier"


@pytest.mark.parametrize("k", range(len(MUTANTS_OF_DIFFERENCES)))
def test_a_changed_verifier_of_differences_is_noticed(k: int) -> None:
    module = change(Path(other.__file__).read_text("utf-8"), *MUTANTS_OF_DIFFERENCES[k], other.__package__)
    assert not all(holds(module, *case) for case in CASES_OF_DIFFERENCES), "no certificate tells it from the verifier"


@pytest.mark.slow
def test_verifiers_have_the_results_of_all_cases() -> None:
    assert all(holds(program, *case) for case in CASES) and all(holds(other, *case) for case in CASES_OF_DIFFERENCES)
