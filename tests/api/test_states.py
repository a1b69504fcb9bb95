"""States as users have them: every form is the same numbers, and what does not fit is refused at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import mbconcord as mb
from mbconcord import State, System
from mbconcord.api.states import GivenNumbers, read_states
from mbconcord.converters.registry import read_text
from mbconcord.fixtures import folder
from mbconcord.model import NumbersError, evaluation

ARM: System = read_text("z°30 i0.5 $1.5 > z i(b) $0.8 g ; b = 0.4", format="mbsd").system
Q, V, A = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), np.arange(6.0).reshape(3, 2), np.full((3, 2), 0.25)
T = np.array([0.0, 1.0, 2.0])
NAMES = {"z1": Q[:, 0], "z2": Q[:, 1], "z1'": V[:, 0], "z2'": V[:, 1], "t": T}
ONE = [State(t, dict(zip(("z1", "z2"), q)), dict(zip(("z1", "z2"), v))) for t, q, v in zip(T, Q, V)]

FORMS: dict[str, Callable[[], GivenNumbers]] = {
    "arrays": lambda: read_states(ARM, Q, V, t=T),
    "lists": lambda: read_states(ARM, Q.tolist(), V.tolist(), t=T.tolist()),
    "one array": lambda: read_states(ARM, np.hstack([Q, V]), t=T),
    "mapping": lambda: read_states(ARM, NAMES),
    "mappings": lambda: read_states(ARM, {"z1": Q[:, 0], "z2": Q[:, 1]}, {"z1": V[:, 0], "z2": V[:, 1]}, t=T),
    "rates by their own names": lambda: read_states(ARM, Q, {"z1'": V[:, 0], "z2'": V[:, 1]}, t=T),
    "frame": lambda: read_states(ARM, pd.DataFrame(NAMES)),
    "frame in another order": lambda: read_states(ARM, pd.DataFrame(NAMES)[["t", "z2'", "z1", "z1'", "z2"]]),
    "states": lambda: read_states(ARM, ONE),
    "arrays in the memory's other order": lambda: read_states(ARM, np.asfortranarray(Q), np.asfortranarray(V), t=T),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_states(form: str) -> None:
    found = FORMS[form]()
    assert (found.count, found.single) == (3, False)
    assert found.states() == tuple(ONE)


@pytest.mark.parametrize(
    "form",
    [
        lambda: read_states(ARM, Q[0], V[0]),
        lambda: read_states(ARM, [*Q[0], *V[0]]),
        lambda: read_states(ARM, {"z1": 0.1, "z2": 0.2, "z1'": 0.0, "z2'": 1.0}),
        lambda: read_states(ARM, State(0.0, {"z1": 0.1, "z2": 0.2}, {"z1": 0.0, "z2": 1.0})),
    ],
)
def test_without_an_axis_of_states_it_is_one(form: Callable[[], GivenNumbers]) -> None:
    found = form()
    assert (found.count, found.single) == (1, True)
    assert found.states() == (ONE[0],)


@pytest.mark.slow
@drawn(st.integers(1, 5), st.integers(0, 99))
def test_numbers_go_where_their_names_say(count: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).random((count, 4))
    names = ["z1", "z2", "z1'", "z2'"]
    order = np.random.default_rng(seed + 1).permutation(4)
    by_name = read_states(ARM, {names[i]: numbers[:, i] for i in order})
    assert by_name.states() == read_states(ARM, numbers).states()


def test_what_is_missing_is_left_out_and_numbers_are_for_all_states() -> None:
    found = read_states(ARM, {"z1": [1.0, 2.0]}, t=3, parameters={"b": 0.7})
    assert found.states() == tuple(State(3.0, {"z1": x}, parameters={"b": 0.7}) for x in (1.0, 2.0))
    assert not found.has_accelerations and read_states(ARM, Q, a=A).has_accelerations


NAN = float("nan")
WRONG: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [
    ({"q": [1, 2, 3]}, "q", ("(3,)", "(2,)", "(n, 4)", "z1, z2")),
    ({"q": np.zeros((3, 5))}, "q", ("(3, 5)", "(n, 2)")),
    ({"q": np.zeros((2, 2, 2))}, "q", ("(2, 2, 2)",)),
    ({"q": 5.0}, "q", ("()", "(2,)")),
    ({"q": [1, 2, 3, 4], "v": [1, 2]}, "q", ("(4,)",)),
    ({"q": Q, "v": V[:2]}, "v", ("2 states", "3")),
    ({"q": Q, "t": [1, 2]}, "t", ("t is given at 2 states, z1 at 3", "same states")),
    ({"q": {"z3": 1}}, "q/z3", ("known: z1, z2, z1'",)),
    ({"q": {"Z1": 1}}, "q/Z1", ("did you mean 'z1'?",)),
    ({"q": Q, "v": {"t": 1}}, "v/t", ("no such coordinate",)),
    ({"q": {"z1": 1, "z1'": 2}, "v": {"z1": 3}}, "v/z1", ("z1' is given twice", "q/z1'")),
    ({"q": {"t": 1.0}, "t": 2.0}, "t", ("t is given twice",)),
    ({"q": [[1, 2], [3]]}, "q", ("rows of different lengths",)),
    ({"q": "pose"}, "q", ("expected numbers, found text",)),
    ({"q": [None, 1]}, "q", ("expected numbers, found objects",)),
    ({"q": [True, False]}, "q", ("found truth values",)),
    ({"q": [1j, 2]}, "q", ("found complex numbers",)),
    ({"q": pd.DataFrame({"z1": ["a"], "z2": [1]})}, "q/z1", ("expected numbers",)),
    ({"q": pd.DataFrame({"z1": [0.1, None], "z2": [1, 2]})}, "state/1/z1", ("nan is not a finite number",)),
    ({"q": [[1, 2], [3, NAN], [NAN, 1]]}, "state/2/z1", ("leave such states out",)),
    ({"q": [NAN, 1.0]}, "state/z1", ("nan is not a finite number",)),
    ({"q": Q, "t": [0, float("inf"), 1]}, "state/1/t", ("inf is not a finite number",)),
    ({"q": np.zeros((0, 2))}, "states", ("there are none",)),
    ({"parameters": {"c": 1}}, "parameters/c", ("no such parameter", "known: b")),
    ({"parameters": {"b": "1"}}, "parameters/b", ("found text",)),
    ({"q": {"z1": np.zeros((2, 2))}}, "q/z1", ("shape (2, 2)", "(n,)")),
    ({"q": ONE, "t": 1.0}, "q", ("states hold their own",)),
    ({"q": [State(q={"z9": 1})]}, "state/q/z9", ("no such coordinate",)),
]


@pytest.mark.parametrize(("arguments", "place", "words"), WRONG, ids=[f"{i}" for i in range(len(WRONG))])
def test_what_does_not_fit_is_refused_at_its_place(
    arguments: dict[str, Any], place: str, words: tuple[str, ...]
) -> None:
    with pytest.raises(NumbersError) as caught:
        read_states(ARM, **arguments)
    assert place in [d.place for d in caught.value.diagnostics]
    assert all(d.remedy for d in caught.value.diagnostics if d.place == place and "number" not in d.message)
    assert [word for word in words if word not in str(caught.value)] == []


def test_for_one_coordinate_the_remedy_is_a_column() -> None:
    with pytest.raises(NumbersError, match=r"for 1,000 states reshape\(-1, 1\)"):
        read_states(read_text("z i2 $3 g", format="mbsd").system, np.linspace(0, 1, 1000))


def test_of_many_findings_some_are_told() -> None:
    with pytest.raises(NumbersError) as caught:
        read_states(ARM, {f"x{i}": 1.0 for i in range(100)})
    assert len(caught.value.diagnostics) == 21 and "80 more" in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["robots/ur5.mbsd", "mbsd/patu655.mbsd", "elastic/planar_arm.mbs.json"])
def test_blocks_of_states_change_no_number(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many states are evaluated some at a time: as all at once, and as one by one, to the last bit but of sines."""
    model = mb.read(folder() / file)
    n = len(model.system.coordinates)
    q = np.random.default_rng(3).uniform(-0.5, 0.5, (23, 2 * n))
    for formalism in ("lagrange", "virtual_work"):
        whole = mb.evaluate(model, q, formalism=formalism)
        monkeypatch.setattr(evaluation, "BLOCK", 5)
        parts = mb.evaluate(model, q, formalism=formalism)
        monkeypatch.undo()
        single = mb.evaluate(model, q[17], formalism=formalism)
        assert set(parts) == set(whole)
        for name, values in whole.items():
            assert np.array_equal(parts[name], values, equal_nan=True), name
            np.testing.assert_allclose(
                single[name], values[17], rtol=1e-9, atol=1e-9 * np.nanmax(np.abs(values), initial=1)
            )


def test_states_of_arrays_are_those_given() -> None:
    """With times, accelerations and parameters, of all states or of each; what is not given is in none."""
    model = mb.read(folder() / "mbsd" / "driven_arm.mbsd").system
    names = model.coordinate_names
    x = np.arange(6.0).reshape(2, 3)
    made = read_states(model, x, t=[0.5, 1.5], a={names[1]: 7.0}, parameters={"T": [1.0, 2.0], "k": 4.0})
    assert made.states() == tuple(
        State(t, dict(zip(names, row, strict=True)), {}, {names[1]: 7.0}, {"T": T, "k": 4.0})
        for t, row, T in zip([0.5, 1.5], x.tolist(), [1.0, 2.0], strict=True)
    )


# --- results of this program as states ---------------------------------------------------------------


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """A result of every kind that holds states, of the same arm."""
    start = {"z1": 0.4, "z2": 0.1}
    return {
        "equilibrium": mb.equilibrium(ARM, start, witness=False),
        "assemble": mb.assemble(ARM, start),
        "linearize": mb.linearize(ARM, start, witness=False),
        "simulate": mb.simulate(ARM, 0.2, state=start, step_out=0.1, witness=False),
    }


@pytest.mark.parametrize("name", ["equilibrium", "assemble", "linearize", "simulate"])
def test_results_are_taken_by_the_next_call(results: dict[str, Any], name: str) -> None:
    own = results[name]
    many = name == "simulate"
    states = own.q if many else [list((own[0] if name == "assemble" else own).state.q.values())]
    q = mb.evaluate(ARM, own, witness=False).given.values
    assert np.array_equal(np.transpose([np.broadcast_to(q[n], len(states)) for n in ("z1", "z2")]), states)
    if many:
        assert mb.animate(ARM, own).frames == 3
    one = own.last if many else own
    expected = mb.linearize(ARM, dict(zip(("z1", "z2"), states[-1])) if not many else one, witness=False).matrix("K")
    for found in (mb.linearize(ARM, one, witness=False), mb.linearize(ARM, at=one, witness=False)):
        assert found.matrix("K").equals(expected)
    begun = mb.simulate(ARM, one.t + 0.1 if many else 0.1, state=one, witness=False)
    assert np.array_equal(begun.q[0], states[-1])
    assert mb.check(ARM, states=own, formalisms=["lagrange", "newton_euler"], claims=()).verdict == "agrees"


def test_a_run_is_no_state_to_begin_from_and_its_end_is(results: dict[str, Any]) -> None:
    with pytest.raises(NumbersError, match=r"3 states were given \(a motion starts from one; .* is its \.last\)"):
        mb.simulate(ARM, 1.0, state=results["simulate"])


def test_a_state_is_given_once(results: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="found state, q: they are one"):
        mb.linearize(ARM, state={"z1": 0.1}, q={"z1": 0.1})


def test_a_model_that_stands_still_has_as_many_states_as_rows_without_numbers() -> None:
    post = mb.Mechanism("post").gravity(z=-10).parameters(m=1).body("head", mass="m").shift(z="t").build()
    names = ["position(head)", "kinetic_energy", "potential_energy"]
    found = mb.evaluate(post, np.empty((3, 0)), t=[0, 1, 2], parameters={"m": [1.0, 2.0, 4.0]}, quantities=names)
    assert found["position(head)"].tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 2]]
    assert found["kinetic_energy"].tolist() == [0.5, 1, 2] and found["potential_energy"].tolist() == [0, 20, 80]
    assert mb.evaluate(post, np.empty((3, 0)))["M"].shape == (3, 0, 0)
    assert mb.evaluate(post, np.empty(0))["M"].shape == (0, 0)
    for q, more, said in (
        (np.empty((3, 0)), {"t": [0, 1]}, "q: error: q is given at 3 states, t at 2"),
        (np.empty((3, 0)), {"v": np.empty((2, 0))}, "v: error: v is given at 2 states, q at 3"),
        (np.empty((0, 0)), {}, "states: error: there are none"),
    ):
        with pytest.raises(NumbersError, match=said):
            mb.evaluate(post, q, **more)
