"""Numbers of things in messages and tables: ``1 body``, ``2 bodies``; parts keep the plural: ``1 of 3 bodies``."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import mbconcord
from mbconcord.model.limits import count

ROOT = Path(mbconcord.__file__).parents[1]
ROOMS = ("app", "converters", "formalisms", "kernels", "model", "reports", "simulation", "validation")
#: Things that are counted. What is not here is a verb behind a name: "the joint {name} mimics itself".
THINGS = (
    "accelerations additions angles arguments arrays axes blocks bodies cells chains characters columns "
    "comparisons components constraints coordinates degrees efforts elements entries equations evaluations expressions "
    "fields files findings formulas forces functions iterations joints levels lines links masses members models modes "
    "multiplications numbers operations pairs parameters parts positions ratios repetitions roots rows states steps "
    "things transformations values variables velocities"
)
KINDS = "drawn driven fictitious free inertial joint massless more other random scalar"
PLURAL = re.compile(rf" (?:(?:{KINDS.replace(' ', '|')}) )?(?:{THINGS.replace(' ', '|')})\b")
COMPARED = {
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
#: What is put in, where it is never one, and why.
NEVER_ONE = {
    ("converters/um/equations/outputs.py", "shape"): "3, or 6 by n",
    ("validation/judge/closed/closed_states.py", "len(system.constraints)"): "more than can be searched",
    ("app/api/simulate.py", "self.evaluations"): "a motion of many steps",
    ("app/cli/tables/expected.py", "len(free['rows'])"): "a part's whole: rank 1 of 1 rows",
    ("reports/description.py", "len(free['rows'])"): "a part's whole: rank 1 of 1 rows",
    ("converters/mbsd/reading/parts.py", "shown"): "zero",
    ("converters/mjcf/reading/settings.py", "count"): "none, or more than a limit",
    ("converters/tabulated.py", "len(cells)"): "more than the names",
    ("formalisms/konoplev/mechanism.py", "count - 1"): "two bodies have words of their own",
    ("formalisms/konoplev/mechanism.py", "count"): "a joint that is split",
    ("formalisms/konoplev/mechanism.py", "len(self.links)"): "a joint that is split",
    ("model/elastic/modes.py", "fields + 1"): "sides of a square",
    ("simulation/batch.py", "self.m"): "more than can be searched",
    ("simulation/batch.py", "self.k"): "more than can be searched",
    ("validation/against/fmu_motion.py", "pushed"): "with, without",
    ("validation/against/fmu_motion.py", "said"): "words",
    ("validation/against/own/equations.py", "len(d.A)"): "the last of a list of numbers",
    ("validation/claims/derived/derivatives.py", "min(sizes.values())"): "more than a limit",
    ("validation/claims/linear/judged.py", "kind"): "unstable, indifferent",
    ("validation/explain/kinematics.py", "whole"): "a name",
    ("validation/explain/kinematics.py", "words"): "90, 180",
    ("validation/judge/comparison.py", "x.shape[1:]"): "a shape",
    ("validation/judge/exact/equations.py", "len(y)"): "the last of two numbers",
    ("validation/judge/trial.py", "len(names)"): "more than a limit",
    ("validation/witnesses/assembly.py", "made.rows"): "beside a range",
    ("validation/witnesses/maximal/free_bodies.py", "len(system.bodies)"): "more than a limit",
    ("validation/witnesses/peers/symbolic.py", "len(system.coordinates)"): "more than a limit, or beside it",
    ("validation/witnesses/runs/run.py", "'between the' if late else 'a multiple of the'"): "words",
    ("validation/witnesses/runs/run.py", "len(made.ends)"): "a motion of many steps",
    ("validation/witnesses/runs/run.py", "found.evaluations"): "thousands",
    ("validation/witnesses/screen.py", "len(form['rates'])"): "more than are printed",
}


def constant(node: ast.expr) -> bool:
    """Return whether a node is a number of the code: a limit, which is above one."""
    return all(word.isupper() or word in ("len", "self") for word in re.findall(r"[A-Za-z_]\w*", ast.unparse(node)))


def admits_one(test: ast.expr, value: str, holds: bool) -> bool:
    """Return whether a value can be one where a condition holds, or does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return admits_one(test.operand, value, not holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        return all(admits_one(part, value, holds) for part in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and ast.unparse(test.left) == value:
        limit, op = test.comparators[0], type(test.ops[0])
        if isinstance(limit, ast.Constant) and isinstance(limit.value, int) and op in COMPARED:
            return bool(COMPARED[op](1, limit.value)) is holds
        if constant(limit):
            return (op in (ast.Lt, ast.LtE)) is holds
    return True


def guarded(place: list[ast.AST], value: str) -> bool:
    """Return whether a condition around a text leaves no one: ``if len(x) > 1``, or a return before where it is one."""
    for outer, inner in pairwise(place):
        if isinstance(outer, ast.If | ast.IfExp) and inner is not outer.test:
            body = outer.body if isinstance(outer.body, list) else [outer.body]
            if not admits_one(outer.test, value, inner in body):
                return True
        tests = [t for g in getattr(outer, "generators", ()) for t in g.ifs]
        for body in (getattr(outer, "body", ()), getattr(outer, "orelse", ())):
            if isinstance(body, list) and inner in body:
                before = [s for s in body[: body.index(inner)] if isinstance(s, ast.If)]
                leaving = [s for s in before if isinstance(s.body[-1], ast.Return | ast.Continue | ast.Raise)]
                if not all(admits_one(s.test, value, False) for s in leaving):
                    return True
        if not all(admits_one(t, value, True) for t in tests):
            return True
    return False


def walk(node: ast.AST, place: list[ast.AST]) -> Iterator[tuple[ast.JoinedStr, list[ast.AST]]]:
    if isinstance(node, ast.JoinedStr):
        yield node, [*place, node]
    for child in ast.iter_child_nodes(node):
        yield from walk(child, [*place, node])


def uncounted(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, value and words of every number before a plural that can be one."""
    for text, place in walk(ast.parse(source), []):
        for i, (put, then) in enumerate(zip(text.values, text.values[1:])):
            if not (isinstance(put, ast.FormattedValue) and isinstance(then, ast.Constant)):
                continue
            words = PLURAL.match(str(then.value))
            before = text.values[i - 1] if i else None
            of = isinstance(before, ast.Constant) and str(before.value).endswith(" of ") and i > 1
            value = ast.unparse(put.value)
            if words and not of and not constant(put.value) and not guarded(place, value):
                yield put.lineno, value, words[0]


@pytest.mark.parametrize("room", ROOMS)
def test_a_number_of_things_is_written_by_one_function(room: str) -> None:
    found = [
        f"{name}:{line}: {{{value}}}{words}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for line, value, words in uncounted(file.read_text("utf-8"))
        if (name := str(file.relative_to(ROOT))) and (name, value) not in NEVER_ONE
    ]
    assert not found, "\n".join(found)


def test_every_exemption_is_needed() -> None:
    there = {(name, value) for name, _ in NEVER_ONE for _, value, _ in uncounted((ROOT / name).read_text("utf-8"))}
    assert set(NEVER_ONE) <= there, set(NEVER_ONE) - there


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('f"{n} rows"', ["n"]),
        ('f"{n:,} free rows"', ["n"]),
        ("f\"{count(n, 'row')} are free\"", []),
        ('f"{a} of {n} rows"', []),
        ('f"bodies of {n} rows"', ["n"]),
        ('f"{MOST} rows"', []),
        ('f"{name} moves rows"', []),
        ('f"{n} rows" if n > 1 else "a row"', []),
        ('"a row" if n == 1 else f"{n} rows"', []),
        ('f"{n} rows" if n else "no row"', ["n"]),
        ('if n != 1 and m:\n    f"{n} rows"', []),
        ('if n != 3 or m:\n    f"{n} rows"', ["n"]),
        ('if n > 1:\n    pass\nelse:\n    f"{n} rows"', ["n"]),
        ('def f(n):\n    if n <= MOST:\n        return ""\n    return f"{n} rows"', []),
    ],
)
def test_numbers_that_can_be_one_are_seen(source: str, found: list[str]) -> None:
    assert [value for _, value, _ in uncounted(source)] == found


def test_one_and_several() -> None:
    assert [count(n, "row") for n in (0, 1, 2, 1000)] == ["0 rows", "1 row", "2 rows", "1,000 rows"]
    assert (count(1, "body", "bodies"), count(2, "body", "bodies")) == ("1 body", "2 bodies")
