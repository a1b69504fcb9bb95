"""Rolling bodies: rows against arithmetic by hand, published eigenvalues of a bicycle, a ball that leaves a ball."""

from __future__ import annotations

import json
from math import acos, cos, sin, sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from mbconcord import check, compare, equilibrium, linearize
from mbconcord.certificate.machine import state_machine
from mbconcord.converters.registry import read, write
from mbconcord.formalisms import registry
from mbconcord.model.contact import split_elements
from mbconcord.model.diagnostics import MbconcordError, ReadError
from mbconcord.model.evaluation import at_states
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.pictures.scene import scene
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.judge.closed.rows import RowsByConstraint

from ..cli.commands import Run, runner

run = pytest.fixture(runner)
FREE: Final = ("x", "y", "z", "psi", "th", "ph")
JOINT: Final = [{"translation": a, "coordinate": a} for a in "xyz"] + [
    {"rotation": axis, "coordinate": name} for axis, name in zip("zxy", FREE[3:], strict=True)
]
TENSOR: Final = [0.02, 0.03, 0.04, 0.001, 0.002, -0.003]
DISC: Final = {"disc": {"radius": 0.5, "axis": "y"}}
FLOOR: Final = {"plane": {"normal": "z"}}


def model(shape: Any = DISC, on: Any = FLOOR, **more: Any) -> dict[str, Any]:
    """Return the text of a free body that rolls; a platform moves beside it."""
    return {
        "format": "mbconcord", "version": 1, "name": "rolls",
        "coordinates": [{"name": name} for name in (*FREE, "s", "a")],
        "gravity": {"value": -9.81, "direction": "z"},
        "bodies": [
            {"name": "platform", "parent": None, "inertia": {"mass": 3, "centre": [0.1, 0, 0], "tensor": TENSOR},
             "joint": [{"translation": "x", "coordinate": "s"}, {"rotation": "y", "coordinate": "a"}]},
            {"name": "stone", "parent": None, "joint": JOINT,
             "inertia": {"mass": 2, "centre": [0.01, 0, -0.02], "tensor": TENSOR}},
        ],
        "contacts": [{"kind": "rolling", "name": "floor", "body": "stone", "shape": shape, "on": on, **more}],
    }  # fmt: skip


def parse(text: dict[str, Any]) -> System:
    return read(text=json.dumps(text), format="native").system


def system(*given: Any, **more: Any) -> System:
    return parse(model(*given, **more))


SHAPES: Final[dict[str, tuple[Any, ...]]] = {
    "disc": (),
    "tube": (
        {"disc": {"radius": 0.5, "axis": [1, 2, 2], "tube": 0.1}}, {"plane": {"normal": [1, 2, -2], "offset": 0.2}},
    ),
    "sphere": ({"sphere": 0.3}, {"plane": {"normal": [0, 0.6, 0.8], "body": "platform"}}),
    "ellipsoid": ({"ellipsoid": [0.2, 0.03, 0.1]},),
    "on a platform": (DISC, {"plane": {"normal": [2, 1, 2], "offset": 0.1, "body": "platform"}}),
    "ball on ball": ({"sphere": 0.3}, {"sphere": 1.5}),
    "ball on moving ball": ({"sphere": 0.3}, {"sphere": 1.5, "body": "platform", "at": [0, 0.2, 0.1]}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SHAPES, "ball in ball"])
def test_all_formalisms_agree_with_proof(name: str) -> None:
    more = {"inside": True, "at": [0.01, 0, 0], "pole": "-z"} if name == "ball in ball" else {}
    made = check(system(*SHAPES[name.replace(" in ", " on ")], **more), states=3)
    assert made.verdict == "agrees", str(made)
    assert {c.exact.kind for c in made.comparisons if c.exact} == {"identical"}


def turn(axis: int, angle: float) -> np.ndarray[Any, Any]:
    i, j = [k for k in range(3) if k != axis]
    R = np.eye(3)
    R[[i, j], [i, j]], R[i, j], R[j, i] = cos(angle), -sin(angle), sin(angle)
    return R if axis != 1 else R.T


def draw(names: tuple[str, ...], seed: int) -> State:
    numbers = np.random.default_rng(seed).uniform(-1.2, 1.2, (2, len(names)))
    q, v = (dict(zip(names, x.tolist(), strict=True)) for x in numbers)
    return State(q=q, v=v)


BY_HAND: Final = {
    **SHAPES,
    "ball on a ball aside": ({"sphere": 0.3}, {"sphere": 1.5, "at": [0.4, -0.2, 0.1]}),
    "ball in moving ball": ({"sphere": 0.3}, {"sphere": 5, "body": "platform", "at": [0, 0.2, 0.1]}),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_rows_are_those_by_hand(name: str) -> None:
    """Gap, its rate and slips of a free body, from rotation matrices; rates are those of material points."""
    shape, on = (*BY_HAND[name], *(DISC, FLOOR)[len(BY_HAND[name]) :])
    made, (kind, numbers) = system(shape, on, inside=" in " in name), next(iter(shape.items()))
    plane, side = on.get("plane"), -1 if " in " in name else 1
    body = (plane or on).get("body")
    for seed in range(5):
        state = draw(made.coordinate_names, seed)
        q, v = state.q, state.v
        Rz, Rx, Ry = turn(2, q["psi"]), turn(0, q["th"]), turn(1, q["ph"])
        w = np.array([0, 0, v["psi"]]) + Rz @ [v["th"], 0, 0] + Rz @ Rx @ [0, v["ph"], 0]
        R, C, vC = Rz @ Rx @ Ry, np.array([q[a] for a in "xyz"]), np.array([v[a] for a in "xyz"])
        P, vP, RP, wP = np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3)
        if body:
            P[0], vP[0], wP[1], RP = q["s"], v["s"], v["a"], turn(1, q["a"])
        if plane:
            normal = [0, 0, 1] if plane["normal"] == "z" else plane["normal"]
            e = RP @ normal / np.linalg.norm(normal)
        else:
            d = C - P - RP @ on.get("at", [0, 0, 0])
            e = side * d / np.linalg.norm(d)
        if kind == "disc":
            axis = [0, 1, 0] if numbers["axis"] == "y" else numbers["axis"]
            n = R @ axis / np.linalg.norm(axis)
            across = (e @ n) * n - e
            low = numbers["radius"] * across / np.linalg.norm(across) - numbers.get("tube", 0) * e
        else:
            A = np.diag(np.square(numbers if kind == "ellipsoid" else [numbers] * 3))
            low = -R @ A @ R.T @ e / sqrt(e @ R @ A @ R.T @ e)
        moving = vC + np.cross(w, low) - vP - np.cross(wP, C + low - P)
        gap = e @ (C + low - P) - plane.get("offset", 0) if plane else side * (np.linalg.norm(d + low) - on["sphere"])
        rows = constraint_rows(made).rows
        roots = [x for row in rows for x in (row.position, row.speed)]
        found = at_states(roots, bind_states(made, [state]).values, 1).reshape(-1, 2)
        assert found[0] == pytest.approx([gap, e @ moving], abs=2e-14)
        assert np.linalg.norm(found[1:, 1]) == pytest.approx(np.linalg.norm(moving - e * (e @ moving)), abs=2e-14)
        if name in ("disc", "ellipsoid"):
            assert found[1:, 1] == pytest.approx(moving[:2], abs=2e-15)
        own = RowsByConstraint(made, [state]).rows  # validation's, by the chain rule
        assert own.gap[0, 0] == pytest.approx(found[0, 0], abs=2e-14)
        assert own.speed[0] == pytest.approx(found[:, 1], abs=2e-14)


def test_a_disc_is_a_thin_ellipsoid() -> None:
    pair = [system(), system({"ellipsoid": [0.5, 1e-8, 0.5]})]
    for seed in range(3):
        rows = [RowsByConstraint(made, [draw(made.coordinate_names, seed)]).rows for made in pair]
        assert rows[0].gap == pytest.approx(rows[1].gap, abs=1e-15)
        assert pytest.approx(rows[1].D, abs=1e-15) == rows[0].D


#: Linear equations M q'' + v C1 q' + (g K0 + v² K2) q = 0 of roll and steer (Meijaard et al. 2007, Appendix A).
M: Final = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1: Final = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0: Final = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2: Final = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


def bicycle() -> dict[str, Any]:
    """Return the benchmark bicycle: a free frame, a fork, and two discs that roll on the ground (z down)."""

    def moved(*steps: tuple[str, str, Any]) -> list[dict[str, Any]]:
        return [
            {kind: axis, "coordinate" if isinstance(x, str) and x in NAMES else "constant": x}
            for kind, axis, x in steps
        ]

    tilt = ("rotation", "y", "0.1*pi")
    bodies = [
        ("frame", None, [*(("translation", a, a) for a in "xyz"), ("rotation", "z", "yaw"), ("rotation", "x", "roll"),
                         ("rotation", "y", "pitch")], 85, [0.3, 0, -0.6], [9.2, 11, 2.8, 0, 2.4, 0]),
        ("rear wheel", "frame", [("rotation", "y", "rear")], 2, [0, 0, 0], [0.0603, 0.12, 0.0603, 0, 0, 0]),
        ("fork", "frame", [("translation", "x", 1.1), ("translation", "z", 0.3), tilt, ("rotation", "z", "steer"),
                           ("rotation", "y", "-0.1*pi")],
         4, [-0.2, 0, -0.7], [0.05892, 0.06, 0.00708, 0, -0.00756, 0]),
        ("front wheel", "fork", [("translation", "x", -0.08), ("translation", "z", -0.35), ("rotation", "y", "front")],
         3, [0, 0, 0], [0.1405, 0.28, 0.1405, 0, 0, 0]),
    ]  # fmt: skip
    ground = {"plane": {"normal": "-z"}}
    return {
        "format": "mbconcord", "version": 1, "name": "bicycle", "coordinates": [{"name": x} for x in NAMES],
        "gravity": {"value": 9.81, "direction": "z"},
        "bodies": [
            {"name": name, "parent": parent, "joint": moved(*joint),
             "inertia": {"mass": mass, "centre": centre, "tensor": tensor}}
            for name, parent, joint, mass, centre, tensor in bodies
        ],
        "contacts": [
            {"kind": "rolling", "name": end, "body": f"{end} wheel", "shape": {"disc": {"radius": r, "axis": "y"}},
             "on": ground}
            for end, r in (("rear", 0.3), ("front", 0.35))
        ],
    }  # fmt: skip


NAMES: Final = ("x", "y", "z", "yaw", "roll", "pitch", "rear", "steer", "front")


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "stable"), [(4.0, False), (5.0, True)])
def test_a_bicycle_of_two_discs_has_the_published_eigenvalues(speed: float, stable: bool) -> None:
    made = parse(bicycle())
    heading = {"x": speed * cos(0.4), "y": speed * sin(0.4), "rear": -speed / 0.3, "front": -speed / 0.35}
    found = linearize(made, State(q={"z": -0.3, "yaw": 0.4}, v=heading))
    assert found.relative is not None
    assert (found.kind, found.stable, found.relative.family) == ("steady", stable, 1)
    assert len(found.relative.symmetry) == 5
    K = 9.81 * K0 + speed**2 * K2
    companion = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, speed * C1)]])
    for published in np.linalg.eigvals(companion):
        assert min(abs(published - x) for x in found.eigenvalues) < 2e-12


def test_a_ball_leaves_a_ball_where_the_closed_form_says() -> None:
    """Let go at θ₀ it rolls down; the normal force vanishes at cos θ = 10/17 cos θ₀ (m, r, R arbitrary)."""
    mass, r, R, start = 2.0, 0.3, 1.5, 0.2
    text = model({"sphere": r}, {"sphere": R})
    text["bodies"][1]["inertia"] = {"mass": mass, "tensor": [0.4 * mass * r * r] * 3 + [0, 0, 0]}
    made = parse(text)
    for factor, sign in ((10 / 17, 0), (9 / 17, -1), (11 / 17, 1)):
        angle = acos(factor * cos(start))
        rate = sqrt(10 / 7 * 9.81 * (cos(start) - cos(angle)) / (R + r))
        at = {"x": (R + r) * sin(angle), "z": (R + r) * cos(angle)}
        v = {"x": rate * at["z"], "z": -rate * at["x"], "ph": rate * (R + r) / r}
        for name in ("lagrange", "newton_euler", "virtual_work", "konoplev"):
            motion = registry.formalism(name).constrained_motion(made, [State(q=at, v=v)])
            assert motion is not None
            pressed = motion.multipliers[0, motion.rows.index("floor")]
            assert pressed == pytest.approx(17 / 7 * mass * 9.81 * (factor - 10 / 17) * cos(start), abs=1e-11), sign


@pytest.mark.slow
def test_rest_is_found_and_not_called_stable_where_rows_restrict_rates_alone(run: Run) -> None:
    """A ball finds the bottom of a bowl, λ = m g; an upright disc balances, and falls by linearize."""
    text = model({"sphere": 0.3}, {"sphere": 1.5}, inside=True, pole="z")
    text["coordinates"], text["bodies"] = text["coordinates"][:6], text["bodies"][1:]
    text["bodies"][0]["inertia"]["centre"] = [0, 0, 0]
    flat = {"coordinates": text["coordinates"][::2], "bodies": [{**text["bodies"][0], "joint": JOINT[::2]}]}
    flat["coordinates"][2], flat["bodies"][0]["joint"][2] = {"name": "ph"}, JOINT[5]
    held = equilibrium(parse({**text, **flat}), {"x": 0.2, "z": -1.1})
    assert (held.state.q["x"], held.state.q["z"]) == pytest.approx((0, -1.2), abs=1e-12)
    assert held.multipliers[0] == pytest.approx(2 * 9.81)
    text["contacts"] = model()["contacts"]
    disc, at = parse(text), {"z": 0.5}
    assert (equilibrium(disc, at).stability, linearize(disc, State(q=at)).stable) == ("not judged", False)
    Path("disc.mbs.json").write_text(json.dumps(text), encoding="utf-8")
    done = run("equilibrium", "disc.mbs.json")
    assert done.code == 0
    assert "equilibrium, its stability not judged, by" in done.out and "\nagrees: " in done.out


@pytest.mark.parametrize("name", SHAPES)
def test_native_files_keep_them(name: str) -> None:
    made = system(*SHAPES[name])
    again = read(text=write(made, "native").text, format="native").system
    assert again == made
    assert split_elements(again)[0] == split_elements(made)[0] != ()


WRONG: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "radius": ({"shape": {"disc": {"radius": 0, "axis": "y"}}}, "shape/disc/radius", "positive"),
    "tube": ({"shape": {"disc": {"radius": 1, "axis": "y", "tube": -1}}}, "shape/disc/tube", "not negative"),
    "axis": ({"shape": {"disc": {"radius": 1, "axis": [0, 0, 0]}}}, "shape/disc/axis", "zero length"),
    "half axis": ({"shape": {"ellipsoid": [1, 0, 1]}}, "shape/ellipsoid", "positive"),
    "no normal": ({"on": {"plane": {}}}, "on/plane", "'normal' is missing"),
    "normal": ({"on": {"plane": {"normal": [0, 0, 0]}}}, "on/plane", "zero length"),
    "pole": ({"pole": [0, 0, 0]}, "contacts/floor", "zero length"),
    "neither": ({"on": {"body": None}}, "on", "one of"),
    "body beside a plane": ({"on": {**FLOOR, "body": "platform"}}, "contacts/floor/on/body", "only a sphere"),
    "place beside a plane": ({"on": {**FLOOR, "at": [0, 0, 1]}}, "contacts/floor/on/at", "only a sphere"),
    "disc on ball": ({"on": {"sphere": 1}}, "on", "planes alone"),
    "too small": ({"shape": {"sphere": 2}, "on": {"sphere": 1}, "inside": True}, "less the radius", "positive"),
    "inside of a plane": ({"inside": True}, "inside", "no inside"),
    "itself": ({"on": {"plane": {"normal": "z", "body": "stone"}}}, "contacts/floor", "itself"),
    "slips": ({"slips": True}, "contacts/floor/slips", "'slips' needs friction"),
    "unilateral": ({"unilateral": True}, "contacts/floor/unilateral", "'unilateral' needs"),
    "body": ({"body": "stine"}, "contacts/floor", "no body 'stine'"),
    "no number": ({"slips": 1}, "contacts/floor/slips", "true or false"),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_located(name: str) -> None:
    wrong, place, said = WRONG[name]
    with pytest.raises(ReadError) as refusal:
        parse({**model(), "contacts": [{**model()["contacts"][0], **wrong}]})
    found = refusal.value.diagnostics
    assert any(place in d.place and said in d.message for d in found), [str(d) for d in found]


#: Of every field of an element a change that makes another machine of it.
CHANGED: Final[dict[str, tuple[Any, Any, dict[str, Any]]]] = {
    "radius": ({"disc": {"radius": 0.5000001, "axis": "y"}}, FLOOR, {}),
    "axis": ({"disc": {"radius": 0.5, "axis": [0, 1, 1e-5]}}, FLOOR, {}),
    "tube": ({"disc": {"radius": 0.5, "axis": "y", "tube": 1e-6}}, FLOOR, {}),
    "normal": (DISC, {"plane": {"normal": [0, 1e-5, 1]}}, {}),
    "offset": (DISC, {"plane": {"normal": "z", "offset": 1e-6}}, {}),
    "of a body": (DISC, {"plane": {"normal": "z", "body": "platform"}}, {}),
    "at": (DISC, FLOOR, {"at": [0, 1e-6, 0]}),
    "another body": (DISC, {"plane": {"normal": "z", "body": "stone"}}, {"body": "platform"}),
    "shape": ({"sphere": 0.5}, FLOOR, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGED)
def test_compare_sees_every_field(name: str) -> None:
    shape, on, more = CHANGED[name]
    found = compare(system(), system(shape, on, **more), states=3)
    assert found.verdict == "disagrees", str(found)


@pytest.mark.parametrize("to", ["urdf", "mjcf", "sdf", "usd", "um", "tp", "mbsd"])
def test_other_formats_name_a_loss_that_acts(to: str) -> None:
    lost = [x for x in write(system(), to).losses if x.place.startswith("constraints/floor")]
    assert {x.place for x in lost} == {"constraints/floor", "constraints/floor.1", "constraints/floor.2"}
    assert all(x.acts and "rolling body 'stone'" in x.what for x in lost)


def test_a_certificate_states_no_mechanics_of_them() -> None:
    with pytest.raises(MbconcordError, match="no words for bodies that roll"):
        state_machine(system(), "rolls")


@pytest.mark.parametrize("command", ["simulate", "evaluate", "assemble"])
def test_a_disc_that_lies_is_refused_where_it_is(command: str, run: Run) -> None:
    """Its rows have slopes u/√(1 - u²) of e·n = u: evaluate ended with an error from inside, the others by rank 0."""
    Path("m.mbs.json").write_text(json.dumps(model({"disc": {"radius": 0.5, "axis": "z"}})), encoding="utf-8")
    done = run(command, "m.mbs.json", *(["--until", "1"] if command == "simulate" else []))
    assert done.code == 2 and "error: contacts/floor: the disc lies on its plane" in done.err
    assert "inf" not in done.err and "internal" not in done.err


def test_pictures_draw_the_wheel() -> None:
    (outline,) = scene(system({"disc": {"radius": 0.5, "axis": "y"}})).outlines
    body, curves = outline
    points = np.concatenate(curves)
    assert body == "stone"
    assert np.abs(points[:, 1]).max() < 1e-12
    assert np.linalg.norm(points, axis=1).max() == pytest.approx(0.5)
