"""Programs of quantities: made once for who has the same quantities, made anew where anything of them is another."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from mbconcord import read
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model import Body, Coordinate, Function, Parameter, System, mixed, rotation
from mbconcord.model.derivation import Derivation, Lazy
from mbconcord.model.evaluation import decide_regular, evaluate_derivation, known_program, program_of
from mbconcord.model.expressions import Expression, call, cos, number, sin, sqrt, symbol
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.field import Plan
from mbconcord.model.expressions.functions import apply
from mbconcord.model.expressions.program import extend, part_of, program
from mbconcord.model.state import State
from mbconcord.validation.judge.bounds import PARTS, BoundedEquations

A = symbol("a")
SYSTEM = System(
    "one turn",
    (Coordinate("a"),),
    (Parameter("m", number(2)),),
    (Function("f", ("x",), symbol("x") ** 2),),
    bodies=(Body("one", None, (rotation("z", "a"),)),),
)
MADE = {"M": ((symbol("m"),),), "h": (call("f", [A]) + sin(A),)}
STATE = State(q={"a": 3.0}, v={"a": 1.0})


def values(derivation: Derivation) -> list[float]:
    """M and h at the state."""
    return [float(x) for x in run(program_of(derivation), {"a": 3.0, "m": 2.0})]


def test_who_has_the_same_quantities_has_the_same_program() -> None:
    made = Derivation("hand", SYSTEM, MADE)
    assert known_program(made) is None
    own = program_of(made)
    assert values(made) == pytest.approx([2.0, 9.1411200080598672], rel=1e-15)
    for other in (replace(made, rows=("row",)), replace(made, system=replace(SYSTEM, name="another"))):
        assert program_of(other) is own and known_program(other) is own


def test_other_functions_make_another_program() -> None:
    made = Derivation("hand", SYSTEM, MADE)
    program_of(made)
    cubes = replace(SYSTEM, functions=(Function("f", ("x",), symbol("x") ** 3),))
    assert values(replace(made, system=cubes)) == pytest.approx([2.0, 27.1411200080598672], rel=1e-15)
    assert values(made) == pytest.approx([2.0, 9.1411200080598672], rel=1e-15)


def test_a_quantity_that_was_changed_makes_another_program() -> None:
    made = Derivation("hand", SYSTEM, MADE)
    program_of(made)
    made.quantities["h"] = (A,)  # type: ignore[index]
    assert known_program(made) is None and values(made) == [2.0, 3.0]
    assert evaluate_derivation(made, [STATE]).quantities["h"].tolist() == [[3.0]]


def test_what_is_made_when_it_is_asked_for_keeps_no_program() -> None:
    made = Derivation("hand", SYSTEM, Lazy({name: lambda value=value: value for name, value in MADE.items()}))
    assert values(made) == pytest.approx([2.0, 9.1411200080598672], rel=1e-15)
    assert known_program(made) is None


def test_quantities_travel_without_their_program() -> None:
    made = Derivation("hand", SYSTEM, MADE)
    program_of(made)
    back = pickle.loads(pickle.dumps(made.quantities))
    assert type(back) is dict and back == MADE


def scalars(*names: str) -> list[Expression]:
    x, y = symbol("x"), symbol("y")
    known = {"sum": x + y, "both": (x + y) * x, "sine": sin(x + y), "number": number(7), "x": x}
    return [known[name] for name in names]


@pytest.mark.parametrize("first", [(), ("sum",), ("both", "number"), ("x", "x"), ("sine", "both", "sum")])
@pytest.mark.parametrize("then", [(), ("both",), ("sum", "sine"), ("number", "x", "both")])
def test_a_program_that_is_extended_is_that_of_both(first: tuple[str, ...], then: tuple[str, ...]) -> None:
    at = {"x": 0.3, "y": -1.1}
    lines = extend(program(scalars(*first)), scalars(*then))
    together = program(scalars(*first, *then))
    assert lines == together
    assert run(lines, at) == run(together, at)


def test_equations_with_constraints_have_the_steps_that_they_have_without_those_of_the_tree() -> None:
    """The program of M, h and the forces with the rows beside them, taken out of the tree's, which has more."""
    system = read(folder() / "mbsd" / "four_bar.mbsd").system
    for formalism in map(registry.formalism, ("lagrange", "newton_euler")):
        tree = formalism.derive(system.open_loops())
        closed = formalism.derive_closed(system)
        assert closed is not None
        BoundedEquations(tree)
        again = replace(tree, system=system, native=closed.native, rows=closed.rows)
        short, alone = BoundedEquations(again, PARTS), BoundedEquations(closed, PARTS)
        assert known_program(again) is not None
        assert short.places == alone.places
        assert sorted(step.node.rank for step in short.program.steps) == sorted(
            step.node.rank for step in alone.program.steps
        )
        ends = [lines.steps[i].node for lines in (short.program, alone.program) for i in lines.outputs]
        assert ends[: len(ends) // 2] == ends[len(ends) // 2 :] and len(ends) > 4


def test_a_part_is_what_its_outputs_need() -> None:
    whole = program(scalars("both", "sine"))
    part = part_of(whole, whole.outputs[1:])
    assert {step.node for step in part.steps} == {step.node for step in program(scalars("sine")).steps}


@pytest.mark.parametrize(
    ("mass", "known", "made"),
    [(sin(A) ** 2 + cos(A) ** 2 - 1, [False] * 3, 1), (A, [True, False, True], 4), (sin(A), [True, False, True], 4),
     (sqrt(A**2 + 1), [True] * 3, 4), (apply("exp", A), [None] * 3, 4)],
)  # fmt: skip
def test_a_matrix_that_is_singular_everywhere_is_found_to_be_once(
    mass: Expression, known: list[bool | None], made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is singular at a state alone is judged at every state."""
    plans: list[int] = []
    monkeypatch.setattr(mixed, "Plan", lambda *given: plans.append(1) or Plan(*given))
    derivation = Derivation("hand", SYSTEM, {**MADE, "M": ((mass,),)})
    decide = decide_regular(derivation, [State(q={"a": q}, v={"a": 1.0}) for q in (1.0, 0.0, -2.0)])
    assert ([decide(s, [0]) for s in range(3)], len(plans)) == (known, made)
