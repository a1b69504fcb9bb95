"""Constraints of own equations: dependent speeds are proved with the model's rows, nothing is left out silently."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sympy", reason="SymPy is not installed")

import sympy as sm
from sympy.physics import mechanics as me

import mbconcord
from mbconcord import MbconcordError
from mbconcord.model.expressions import number
from mbconcord.records import replace
from mbconcord.validation.against.own.equations import OwnEquations

from .derivations import t

FEW = ("lagrange", "newton_euler")
N = me.ReferenceFrame("N")


def sled(*rows: dict[str, Any], offset: str = "") -> Any:
    """A sled with a blade: its centre lies c before the blade, which does not slip."""
    along = {"x": "-sin(th)", "y": "cos(th)"} | ({"th": offset} if offset else {})
    blade = {"kind": "nonholonomic", "name": "blade", "coefficients": along}
    turn = [{"rotation": "z", "coordinate": "th"}]
    body = {
        "name": "sled", "parent": None,
        "joint": [{"translation": "x", "coordinate": "x"}, {"translation": "y", "coordinate": "y"}, *turn],
        "inertia": {"mass": "m", "centre": ["c", 0, 0], "tensor": ["J", "J", "J", 0, 0, 0]},
    }  # fmt: skip
    model = {
        "format": "mbconcord", "version": 1, "name": "sled", "coordinates": [{"name": x} for x in ("x", "y", "th")],
        "parameters": [{"name": x, "value": v} for x, v in (("m", 2), ("J", 0.3), ("c", 0.4), ("d", 0.5))],
        "bodies": [body], "constraints": [blade, *rows],
    }  # fmt: skip
    return mbconcord.read(text=json.dumps(model))


def kane(wrong: str = "", **options: Any) -> Any:
    """Kane's equations of the sled, whose speed across the blade is dependent."""
    x, y, th, u, w, s = me.dynamicsymbols("x y th u w s")
    m, J, c = sm.symbols("m J c")
    B = N.orientnew("B", "Axis", [th, N.z])
    B.set_ang_vel(N, w * N.z)
    P = me.Point("P")
    P.set_vel(N, u * B.x + s * B.y)
    G = P.locatenew("G", c * B.x)
    G.v2pt_theory(P, N, B)
    tensor = -J if wrong == "tensor" else J
    bodies = [me.RigidBody("sled", G, B, m, (me.inertia(B, 0, 0, tensor), G))]
    rates = [
        x.diff(t) - u * sm.cos(th) + s * sm.sin(th), y.diff(t) - u * sm.sin(th) - s * sm.cos(th), th.diff(t) - w
    ]  # fmt: skip
    row = {"blade at the centre": s + c * w, "number": s + w / 2, "drift": s - c, "turning row": s * sm.cos(th)}.get(
        wrong, s
    )
    method = me.KanesMethod(
        N, q_ind=[x, y, th], u_ind=[u, w], u_dependent=[s], velocity_constraints=[row], kd_eqs=rates, **options
    )
    method.kanes_equations(bodies, [(P, 0 * N.x)])
    return method


def check(model: Any, source: Any, **options: Any) -> Any:
    """Check by two formalisms."""
    mine = source if isinstance(source, OwnEquations) else mbconcord.own(source)
    return mbconcord.check(model, against=mine, formalisms=FEW, states=3, **options)


def find(found: Any, quantity: str) -> Any:
    """Return the only comparison of a quantity."""
    [c] = [c for c in found.comparisons if c.quantity == quantity]
    return c


def test_dependent_speeds_are_proved_with_their_constraints() -> None:
    for row in ("", "turning row"):
        found = check(sled(), kane(row))
        assert found.verdict == "agrees"
        assert {c.exact.kind for c in found.comparisons} == {"identical"}
    assert find(found, "velocity constraints").exact.log2 < -200
    assert mbconcord.own(kane()).findings == ()


def test_without_a_proof_velocity_constraints_are_not_checked() -> None:
    for wrong in ("", "drift"):
        found = check(sled(), kane(wrong), exact="off")
        assert found.verdict == "not checked"
        assert {c.exact.kind for c in found.comparisons if c.exact} == {"not tried"}
        said = "your 1 velocity constraint (exact is off, and a proof alone compares them)"
        assert said in find(found, "constraints").explanation
        assert find(found, "acceleration").verdict == "not checked"
    assert check(sled(), kane("tensor"), exact="off").verdict == "disagrees"


def test_a_wrong_mass_or_constraint_of_dependent_speeds_disagrees() -> None:
    found = check(sled(), kane("tensor"))
    assert found.verdict == "disagrees"
    assert [(c.quantity, c.entry) for c in found.comparisons if c.verdict == "disagrees" and c.b == FEW[0]] == [
        ("M", ("w", "w")), ("acceleration", ("w",))
    ]  # fmt: skip
    assert find(found, "velocity constraints").verdict == "agrees"
    for wrong in ("blade at the centre", "drift"):
        found = check(sled(), kane(wrong))
        c = find(found, "velocity constraints")
        assert (c.verdict, c.explanation) == ("disagrees", "your speeds do not satisfy the model's blade")
        assert found.verdict == "disagrees"
        assert {x.verdict for x in found.comparisons if x.quantity == "acceleration"} == {"not checked"}


def test_a_constraint_that_the_model_has_not_is_not_checked() -> None:
    free = mbconcord.read(text="u(x) v(y) z(th) $(m)[0,0,J+m*c^2]{c,0} #sled ; m=2,J=0.3,c=0.4", format="mbsd")
    found = check(free, kane())
    assert found.verdict == "not checked"
    said = find(found, "constraints").explanation
    assert "your 1 velocity constraint (the model moves in 3 ways, yours in 2)" in said
    assert find(found, "acceleration").verdict == "not checked"


def test_more_constraints_of_the_model_are_broken_or_counted() -> None:
    still = {"kind": "nonholonomic", "name": "still", "coefficients": {"th": 1}}
    found = check(sled(still), kane())
    assert find(found, "velocity constraints").explanation == "your speeds do not satisfy the model's still"
    double = {"kind": "nonholonomic", "name": "double", "coefficients": {"x": "-2*sin(th)", "y": "2*cos(th)"}}
    assert check(sled(double), kane()).verdict == "agrees"
    fixed = {"kind": "holonomic", "name": "fixed", "expression": "th"}
    found = check(sled(fixed), kane())
    assert found.verdict == "not checked"
    assert "the model's blade, fixed and your 1 velocity constraint" in find(found, "constraints").explanation


def test_a_number_in_a_velocity_constraint_is_no_disagreement() -> None:
    found = check(sled(offset="d"), kane("number"))
    assert found.verdict == "not checked"
    assert "the model's only with the values of its parameters" in find(found, "constraints").explanation
    found = check(sled(offset="d/2"), kane("number"))
    assert find(found, "velocity constraints").verdict == "disagrees"


def test_a_matrix_that_does_not_solve_the_constraints_is_found() -> None:
    method = kane()
    method._Ars = method._Ars + sm.Matrix([[0, 1]])
    c = find(check(sled(), method), "velocity constraints")
    assert (c.verdict, c.explanation) == ("disagrees", "your speeds do not solve your velocity constraints")


def test_tied_rows_that_are_multiplied_are_no_mistake() -> None:
    mine = mbconcord.own(kane("turning row"))
    two = number(2)
    M = (mine.M[0], tuple(two * x for x in mine.M[1]), mine.M[2])
    found = check(sled(), replace(mine, M=M, forcing=(mine.forcing[0], two * mine.forcing[1], mine.forcing[2])))
    assert found.verdict == "agrees"
    assert "your rows are others: [w] is 2 times [w]" in " ".join(map(str, found.diagnostics))


def test_acceleration_constraints_that_are_no_rates_of_the_velocity_constraints_disagree() -> None:
    u, w, s = me.dynamicsymbols("u w s")
    right = kane(acceleration_constraints=[s.diff(t)])
    assert check(sled(), right).verdict == "agrees"
    found = check(sled(), kane(acceleration_constraints=[s.diff(t) + u * w]))
    assert [c.entry for c in found.comparisons if c.quantity == "quadratic in rates"] == [("s",)] * 2
    assert found.verdict == "disagrees"


def test_configuration_constraints_are_never_dropped() -> None:
    x, y, u, v = me.dynamicsymbols("x y u v")
    m, l = sm.symbols("m l")
    P = me.Point("P")
    P.set_vel(N, u * N.x + v * N.y)
    method = me.KanesMethod(
        N, q_ind=[x], q_dependent=[y], configuration_constraints=[x**2 + y**2 - l**2], u_ind=[u, v],
        kd_eqs=[x.diff(t) - u, y.diff(t) - v],
    )  # fmt: skip
    method.kanes_equations([me.Particle("p", P, m)], [(P, 0 * N.x)])
    found = check(mbconcord.read(text="u(x) v(y) $(m) #bob ; m=1", format="mbsd"), method)
    assert found.verdict == "not checked"
    assert "left out: your 1 configuration constraint of KanesMethod" in find(found, "constraints").explanation


def test_a_disc_that_rolls_agrees_where_its_rates_satisfy_the_models_row() -> None:
    th, w = me.dynamicsymbols("th w")
    m, R = sm.symbols("m R")
    row = {"kind": "nonholonomic", "name": "rolling", "coefficients": {"x": 1, "th": "R"}}
    body = {
        "name": "disc", "parent": None,
        "joint": [{"translation": "x", "coordinate": "x"}, {"rotation": "z", "coordinate": "th"}],
        "inertia": {"mass": "m", "tensor": [0, 0, "m*R^2/2", 0, 0, 0]},
    }  # fmt: skip
    model = mbconcord.read(text=json.dumps({
        "format": "mbconcord", "version": 1, "name": "disc", "coordinates": [{"name": "x"}, {"name": "th"}],
        "parameters": [{"name": "m", "value": 2}, {"name": "R", "value": 0.3}], "bodies": [body], "constraints": [row],
    }))  # fmt: skip
    source = sm.Matrix([3 * m * R**2 / 2]), sm.Matrix([0])
    for rate, verdict in (("-R*w", "agrees"), ("R*w", "disagrees")):
        mine = mbconcord.own(source, q=[th], u=["w"], qdot={th: w}, rates={"x": rate})
        found = check(model, mine)
        assert found.verdict == verdict
        assert find(found, "velocity constraints").verdict == verdict


def test_dependent_speeds_in_coordinates_of_the_model_are_refused() -> None:
    names = {"x": "a", "y": "b", "th": "c1"}
    model = mbconcord.read(text="u(a) v(b) z(c1) $(m)[0,0,J+m*c^2]{c,0} #sled ; m=2,J=0.3,c=0.4", format="mbsd")
    with pytest.raises(MbconcordError, match="speeds that are dependent or not their rates"):
        check(model, mbconcord.own(kane(), coordinates=names))


VECTORS = Path(__file__).parents[4] / "shared" / "specs" / "vectors" / "own_equations"
WHIPPLE = json.loads((VECTORS / "whipple_map.json").read_text()) if VECTORS.is_dir() else {"mistakes": []}


def bicycle(*change: str) -> Any:
    """Whipple's bicycle of SymPy's own tests, with a change of its text."""
    from sympy.physics.mechanics.tests import test_kane3

    text = inspect.getsource(test_kane3).replace("@slow\n", "").partition("    # This is the start of entering")[0]
    if change:
        assert change[0] in text
        text = text.replace(*change)
    names: dict[str, Any] = {}
    exec(compile(f"{text}\n    return KM\n", "bicycle", "exec"), names)
    return names["test_bicycle"]()


@pytest.mark.rest
@pytest.mark.skipif(not WHIPPLE["mistakes"], reason="the vectors of the specification are not at hand")
@pytest.mark.parametrize("case", [{"change": []}, *WHIPPLE["mistakes"]], ids=lambda case: str(case["change"])[:30])
def test_whipples_bicycle_of_sympy(case: dict[str, Any]) -> None:
    """Its 3 tied rows are 33 entries; its contact in front is no constraint of the model, and not checked."""
    mine = mbconcord.own(bicycle(*case["change"]), coordinates=WHIPPLE["coordinates"], rates=WHIPPLE["rates"])
    found = mbconcord.check(mbconcord.read(VECTORS / "whipple.mbs.json"), against=mine, formalisms=FEW[:1], states=2)
    assert found.verdict == ("disagrees" if case["change"] else "not checked")
    own = found.to_json()["against"]["own"]
    said = "the angular velocity of {} is not the rate of its orientation"
    assert own["frames"] == [said.format(name) for name in case.get("frames", ())]
    assert "velocity of WR was not looked at: No connecting orientation" in " ".join(mine.notes)
    if not case["change"]:
        assert {c.exact.kind for c in found.comparisons if c.exact} == {"identical"}
        assert len(find(found, "M").b) and not own["entries"]
        said = find(found, "constraints").explanation
        assert "1 configuration constraint" in said
        assert "your 3 velocity constraints (the model moves in 6 ways, yours in 3)" in said
    for part, names in case.get("alone", {}).items():
        said = " ".join(d.message for d in found.diagnostics)
        assert own["alone"].get(part) == names or f"{part}: the difference vanishes with the {names}" in said
