"""The verifier itself is changed, line by line: each change must change a result of a vector or of a certificate."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Final

import pytest

from mbconcord.certificate import verify_certificate as program

from .test_verify import EXPECTED
from .written import PROVED, REFUSED, VECTORS

SOURCE: Final = Path(program.__file__).read_text("utf-8")
#: What stands once in the file, what would be wrong in its place.
MUTANTS: Final = (
    ('self.expect(not late, f"the result', 'self.expect(True, f"the result'),
    ("hashlib.sha256(data[:end]).hexdigest()", "data[end + 4 : -1].decode()"),
    ("known = a < here and", "known = a <= here and"),
    ("self.expect(word not in taken,", "self.expect(True,"),
    ("self.expect(moves or not primes,", "self.expect(True,"),
    ("len({*common} | others) == len(names)", "True"),
    ("min(base.value % p, -base.value % p)", "base.value % p"),
    ("quarters % 4, p)", "quarters % 4 + 1, p)"),
    ("sine, cosine = (back - z) * self.i", "sine, cosine = (z - back) * self.i"),
    ("self.p - values[0], -1", "self.p - values[0], 1"),
    ("first = (self.inverse(Motion(value)) * self.half).value", "first = self.inverse(Motion(value)).value"),
    ("-2 * first**3, 6", "2 * first**3, 6"),
    ("return x.compose(w, -w * w,", "return x.compose(w, w * w,"),
    ("int(order or 0) + k}", "int(order or 0)}"),
    ('draw("function", name, values)', 'draw("function", values)'),
    ('draw("function", name, values)', 'draw("function", name)'),
    ("+ 2 * self.rate * other.rate", "+ self.rate * other.rate"),
    ("(self.push * v + u * other.push)", "(u * other.push)"),
    ("second * self.rate * self.rate", "second * self.rate"),
    ("first * self.push % p, size + 2", "first * self.bias % p, size + 2"),
    ("Motion(x.rate, size=x.size)", "Motion(0, size=x.size)"),
    ("self.expect_zero(dot(axis, axis) - ONE", "self.expect_zero(ZERO"),
    ("self.expect_zero(c * c + s * s - ONE", "self.expect_zero(ZERO"),
    ('self.expect_zero(rest.part("push"),', "self.expect_zero(ZERO,"),
    ("add(parent.origin, place)", "parent.origin"),
    ("self.rotate(axis, s, c)", "self.rotate(axis, c, s)"),
    ("across, along = cross(axis, unit)", "across, along = cross(unit, axis)"),
    ("(ONE - c) * axis[k]", "(ONE + c) * axis[k]"),
    ("dot(arms[i], second[j]) - dot(arms[j], second[i])", "dot(arms[i], second[j])"),
    ("(u + v - w) * self.field.half", "(u + v) * self.field.half"),
    ("minus([ZERO] * 3, [xy, xz, yz])", "[xy, xz, yz]"),
    ('"gravity", still(place), [m * x', '"gravity", still(body.origin), [m * x'),
    ("minus(moment, cross(point, force))", "add(moment, cross(point, force))"),
    ('force if kind == "shift" else', 'force if kind == "turn" else'),
    ("add(forces, force), add(moments, moment)", "add(forces, force), moments"),
    ("(zero, still(frame.world(vector)))", "(zero, vector)"),
    ("speed = speed + factor *", "speed = speed +"),
    ("minus(self.frames[a].origin, self.frames[b].origin)", "minus(self.frames[b].origin, self.frames[a].origin)"),
    ("minus([ZERO] * 3, force)", "force"),
    ("return Motion(moving.rate, 0, moving.bias,", "return Motion(moving.rate, 0, moving.rate,"),
    ("Motion(self.field.symbol(symbol).value, int(symbol ==", "Motion(self.field.symbol(symbol).value, int(symbol !="),
    ("field.number(1 / c) if c else", "field.number(c) if c else"),
    ("found[name] = [found[name][k] for k in part.model.order]", "pass"),
    ("row[0] + row[1] - row[2]", "row[0] + row[1] + row[2]"),
    ("if (x.value - there[0][1].value) % field.p:", "if row > 1 and (x.value - there[0][1].value) % field.p:"),
    ("if (x.value - there[0][1].value) % field.p:", "if (x.value - there[0][1].value) % field.p and row < 2:"),
    ("if not proved:\n        raise", "if False:\n        raise"),
    ("if len(there) < 2 and", "if len(there) < 0 and"),
    ("amount * 2**400", "0"),
    ("max(x.low - y.high, y.low - x.high)", "max(x.high - y.low, y.high - x.low)"),
    ("if min(places) >= 0:", "if True:"),
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
        if name != "sympy_gimbal.cert"
    ),
    *((data, 0, "") for data, _ in PROVED.values()),
    *((data, code, words) for data, code, words in REFUSED.values()),
    ((VECTORS / "sympy_gimbal.cert").read_bytes(), 0, ""),
    ((VECTORS / "pendulum.cert").read_bytes().replace(b"weight along -y", b"weight along -x"), 2, ""),
]


@pytest.mark.parametrize("k", range(len(MUTANTS)))
def test_a_changed_verifier_is_noticed(k: int) -> None:
    old, new = MUTANTS[k]
    assert SOURCE.count(old) >= 1, f"{old} does not stand in the file"
    module = types.ModuleType("mutant")
    exec(compile(SOURCE.replace(old, new, 1), "mutant", "exec"), module.__dict__)
    assert not all(holds(module, *case) for case in CASES), "no certificate tells it from the verifier"
