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
    ("late = accelerated and kind", "late = False and kind"),
    ("""accelerated or "''" in line""", """accelerated or line.endswith("''")"""),
    ("last[1].decode() == hashlib.sha256(data[:end]).hexdigest()", "True"),
    ("max(items[-1][1:]) < part.size", "max(items[-1][1:]) <= part.size"),
    ("int(plain) < part.size", "int(plain) <= part.size"),
    ("words[1] not in self.programs", "True"),
    ('names[0] != "ground" and names[0] not in model.bodies', "True"),
    ("self.expect(moves or name == word", "self.expect(True"),
    ("len({*map(model.common, names)}) == len(names)", "True"),
    ("primitive and self.power(unit, self.order // 4) == (0, 1)", "primitive"),
    ("primitive and self.power(unit, self.order // 4) == (0, 1)", "self.power(unit, self.order // 4) == (0, 1)"),
    ("range(max(1, q // 2))", "range(max(1, q))"),
    ("if self.order % q:\n            return pow", "if True:\n            return pow"),
    ("-root if self.signs >> k & 1 else root", "root"),
    ("if self.signs is not None and root * root % p != values[0]:", "if False:"),
    ("last = signs + 1, (1 << len(field.radicands)) - 1", "last = signs + 1, 0"),
    ("if 0 < len(field.radicands) <= MAX_TIED else None", "if False else None"),
    ("min(base.value % p, -base.value % p)", "base.value % p"),
    ("factor if value == base.value % p else -factor", "factor"),
    ("(pair if n >= 0 else (pair[0], -pair[1]))", "pair"),
    ("return total.compose(sine, cosine, -sine, size)", "return total.compose(sine, -cosine, -sine, size)"),
    ("return total.compose(sine, cosine, -sine, size)", "return total.compose(-sine, cosine, -sine, size)"),
    ("p - values[0], -1", "p - values[0], 1"),
    ("self.inverse(Motion(2 * value)).value", "self.inverse(Motion(value)).value"),
    ("-2 * first**3, 6", "2 * first**3, 6"),
    ("return x.compose(w, -w * w,", "return x.compose(w, w * w,"),
    ("int(order or 0) + k}", "int(order or 0)}"),
    ('draw("function", name, values)', 'draw("function", values)'),
    ('draw("function", name, values)', 'draw("function", name)'),
    ("2 * self.rate * other.rate", "self.rate * other.rate"),
    ("second = self.second * v + ", "second = "),
    ("second * self.rate * self.rate", "second * self.rate"),
    ("(first * self.second + ", "("),
    ("Motion(x.rate, size=x.size)", "Motion(0, size=x.size)"),
    ("self.expect_zero(dot(atoms, atoms) - ONE", "self.expect_zero(ZERO"),
    ("self.expect_zero(c * c + s * s - ONE", "self.expect_zero(ZERO"),
    ("self.expect_zero(second([moved - still])[0]", "self.expect_zero(ZERO"),
    ("add(parent.origin, place)", "parent.origin"),
    ("self.rotate(axis, s, c)", "self.rotate(axis, c, s)"),
    ("across, along = cross(axis, unit)", "across, along = cross(unit, axis)"),
    ("(ONE - c) * axis[k]", "(ONE + c) * axis[k]"),
    ("dot(arms[i], rates[j]) - dot(arms[j], rates[i])", "dot(arms[i], rates[j])"),
    ("(u + v - w) * half", "(u + v) * half"),
    ("minus(NOTHING, [xy, xz, yz])", "[xy, xz, yz]"),
    ("weight, cross(place, weight)", "weight, cross(body.origin, weight)"),
    ("force, add(moment, cross(place, force))", "force, moment"),
    ("minus(moment, cross(point, force))", "add(moment, cross(point, force))"),
    ('force if kind == "shift" else', 'force if kind == "turn" else'),
    ("            frame = frame.parent\n", "            frame = frame.parent.parent or frame.parent\n"),
    ("NOTHING, frames[names[0]].world(atoms))", "NOTHING, atoms)"),
    ("speeds = [c * second", "speeds = [ONE * second"),
    ("minus(self.frames[a].origin, self.frames[b].origin)", "minus(self.frames[b].origin, self.frames[a].origin)"),
    ("for x in self.between(b, a)]", "for x in self.between(a, b)]"),
    ("self.constraints.append(Motion(atoms[0].rate", "self.constraints.append(Motion(atoms[0].second"),
    ("Motion(draw(symbol), int(symbol ==", "Motion(draw(symbol), int(symbol !="),
    ("draw(name + \"''\") if self.still else 0", "draw(name + \"''\")"),
    ("field.number(1 / c) if c else", "field.number(c) if c else"),
    ("rows = [rows[k] for k in order] if", "rows = rows if"),
    ("[[row[k] for k in order] for row in rows]", "rows"),
    ("row[0] + row[1] - row[2]", "row[0] + row[1] + row[2]"),
    ("if (x.value - there[0][1].value) % field.p:", "if row > 1 and (x.value - there[0][1].value) % field.p:"),
    ("if (x.value - there[0][1].value) % field.p:", "if (x.value - there[0][1].value) % field.p and row < 2:"),
    ("if not proved:\n        raise", "if False:\n        raise"),
    ("if len(there) == 1 and", "if len(there) < 0 and"),
    ("amount * 2**BITS", "0"),
    ("- x.radius - y.radius < amount", "+ x.radius + y.radius < -amount"),
    ("row < len(part.results[quantity]) and", "True and"),
    ("sums[1] - sums[3], sums[0] - sums[2]", "sums[0] - sums[2], sums[1] - sums[3]"),
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
