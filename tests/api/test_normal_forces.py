"""Laws of friction whose normal forces are reactions: closed forms, numbers of solutions, motions, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.cli import main
from mbconcord.model.diagnostics import MbconcordError, NumbersError
from mbconcord.model.normal_forces import solve_normal_forces

G = 9.81
EVERY = ("lagrange", "newton_euler", "virtual_work", "konoplev")


def guide(mu: float = 0.3, tilt: float = 0.0) -> mb.Mechanism:
    """A block of 2 kg on a straight guide along x, weight in a plane across it that is tilted towards z and along x."""
    made = mb.Mechanism("guide").parameters(mu=mu).gravity(x=2.0, y=-G, z=-tilt).normal_force("N", "block")
    return made.body("block", mass=2).slides("x", along="x", rate=1).effort("friction", "x", "-mu*N*sign(x')")


def pin(mu: float = 0.2, **more: float) -> mb.Mechanism:
    """A pendulum of 2 kg, its mass centre 0.3 m off a pin of radius 0.05 m."""
    made = mb.Mechanism("pin").parameters(mu=mu, r=0.05, **more).gravity(y=-G).normal_force("N", "bar")
    made = made.body("bar", mass=2, com=(0.3, 0, 0), inertia=(0, 0, 0.1)).turns("q", about="z", start=0.4, rate=2)
    return made.effort("friction", "q", "-mu*r*N*sign(q')")


def brake(mu2: float = 0.2) -> mb.Mechanism:
    """A block in a guide, on which a lever presses with its tip, all with friction."""
    made = mb.Mechanism("brake").parameters(m=2, M=3, l=0.5, c=0.8, mu=0.3, mu2=mu2, h=0.6, b=0.3).gravity(y=-G)
    made = made.normal_force("N1", "guide").normal_force("N2", "touch")
    made = made.body("block", mass="m").slides("x", along="x").slides("y", along="y")
    made = made.body("lever", mass="M", com=("c", 0, 0), inertia=(0, 0, 0.4)).shift(y="h").turns("th", about="-z")
    made = made.point("tip", "lever", ("l", 0, 0)).holds("guide", "y").holds("touch", "h - l*sin(th) - b - y")
    made = made.effort("friction", "x", "-(mu*N1 + mu2*N2)*sign(x')")
    return made.force("drag", "tip", ("mu2*N2*sign(x')", 0, 0))


LEVER = {"th": np.arcsin(0.6), "x": 0.2}


@pytest.mark.parametrize("by", EVERY)
@pytest.mark.parametrize("tilt", [0.0, 3.0])
def test_of_a_guide_the_weight_across_it_presses(by: str, tilt: float) -> None:
    found = mb.evaluate(guide(tilt=tilt), formalism=by)
    N = 2 * np.hypot(G, tilt)
    assert found["normal_force(N)"] == pytest.approx(N, rel=1e-14)
    assert found["acceleration"][0] == pytest.approx(2 - 0.3 * N / 2, rel=1e-14)
    assert not found.diagnostics
    judged = [c for c in found.witnesses if c.quantity == "normal_force"]
    assert {c.verdict for c in judged} == {"agrees"} and "bodies" in {c.b for c in judged}


@pytest.mark.parametrize("by", EVERY)
@pytest.mark.parametrize(("rate", "mu"), [(2.0, 0.2), (-2.0, 0.2), (2.0, 3.0)])
def test_of_a_pin_the_force_across_it_presses(by: str, rate: float, mu: float) -> None:
    """I a = -m g c cos q - k N s and N = |m (a_c + g)|, of the mass centre: a quadratic equation for N."""
    m, c, q, k = 2.0, 0.3, 0.4, mu * 0.05 * np.sign(rate)
    inertia = 0.1 + m * c * c
    along, up = np.array([-np.sin(q), np.cos(q)]), np.array([np.cos(q), np.sin(q)])
    free = m * (-m * G * c * np.cos(q) / inertia * c * along - c * rate * rate * up + np.array([0, G]))
    slope = -m * k / inertia * c * along
    (N,) = (x for x in np.roots([slope @ slope - 1, 2 * free @ slope, free @ free]).real if x > 0)
    found = mb.evaluate(pin(mu), v=[rate], formalism=by)
    assert found["normal_force(N)"] == pytest.approx(N, rel=1e-13)
    assert found["acceleration"][0] == pytest.approx((-m * G * c * np.cos(q) - k * N) / inertia, rel=1e-13)
    forces = mb.evaluate(pin(mu), v=[rate], quantities="joint_forces")["joint_forces"][0]
    assert np.hypot(forces[0], forces[1]) == pytest.approx(N, rel=1e-13)


@pytest.mark.parametrize("by", EVERY)
@pytest.mark.parametrize("rate", [1.0, -1.0])
def test_a_lever_presses_a_block_harder_where_friction_pulls_it_down(by: str, rate: float) -> None:
    """M g c cos th = N2 l (cos th + mu2 sin th sign x') about the pin of the lever."""
    found = mb.evaluate(brake(), LEVER, {"x": rate}, formalism=by)
    pressed = 3 * G * 0.8 * 0.8 / (0.5 * (0.8 + 0.2 * 0.6 * rate))
    assert found["normal_force(N2)"] == pytest.approx(pressed, rel=1e-13)
    assert found["normal_force(N1)"] == pytest.approx(2 * G + pressed, rel=1e-13)
    expected = -rate * (0.3 * (2 * G + pressed) + 0.2 * pressed) / 2
    assert found["acceleration"] == pytest.approx([expected, 0, 0], rel=1e-13, abs=1e-12)


def test_a_brake_that_locks_has_no_normal_force_and_one_that_rows_may_pull_has_two() -> None:
    """Where mu2 tan th > 1, N2 l cos th = M g c cos th + N2 mu2 l sin th needs a negative N2."""
    with pytest.raises(NumbersError, match=r"no normal force satisfies the law of friction.*Painlevé"):
        mb.evaluate(brake(1.5), LEVER, {"x": -1.0})
    weight = 3 * G * 0.8 / 0.5
    one, other = weight / (1 + 1.5 * 0.75), weight / (1.5 * 0.75 - 1)
    with pytest.raises(NumbersError, match="2 normal forces satisfy the law of friction") as refused:
        mb.evaluate(brake(1.5), LEVER, {"x": 1.0})
    assert f"N2 = {one:.9g}" in str(refused.value)
    assert f"N2 = {other:.9g}" in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
def test_several_normal_forces_are_those_that_a_contraction_finds(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(50):
        free = [rng.normal(size=2) for _ in range(count)]
        slopes = [rng.normal(size=(2, count)) * 0.9 / (2 * count) for _ in range(count)]
        N = np.zeros(count)
        for _ in range(3000):
            N = np.array([np.linalg.norm(a + B @ N) for a, B in zip(free, slopes, strict=True)])
        assert solve_normal_forces(free, slopes, ["N"] * count) == pytest.approx(N, rel=1e-12)


@pytest.mark.parametrize("slope", [0.3, -0.7, 1.5, -1.5])
@pytest.mark.parametrize("free", [2.0, -2.0])
def test_scalar_laws_have_as_many_solutions_as_their_graphs_cross(free: float, slope: float) -> None:
    """N = |a + b N|: a line and its mirror image, against every crossing that a fine grid sees."""
    N = np.linspace(0, 100, 100_001) + 0.00037
    off = N - np.abs(free + slope * N)
    crossings = N[:-1][off[:-1] * off[1:] < 0]
    try:
        assert solve_normal_forces([np.array([free])], [np.array([[slope]])], ["N"]) == pytest.approx(
            crossings, abs=2e-3
        )
    except NumbersError as refused:
        words = "no normal force" if not len(crossings) else "2 normal forces"
        assert words in str(refused)
        assert len(crossings) != 1


def test_where_friction_is_just_so_large_that_it_locks_nothing_is_told() -> None:
    with pytest.raises(NumbersError, match="how many normal forces there are is not known"):
        solve_normal_forces([np.array([2.0])], [np.array([[1.0]])], ["N"])


def test_of_a_held_pin_and_of_given_accelerations_the_force_of_that_motion_presses() -> None:
    held = mb.evaluate(pin(), hold="q", quantities=["normal_force(N)", "acceleration"])
    across = 2 * np.hypot(-0.3 * 4 * np.cos(0.4), G - 0.3 * 4 * np.sin(0.4))
    assert held["normal_force(N)"] == pytest.approx(across, rel=1e-13)
    given = mb.evaluate(pin(), a=[1.5], quantities=["normal_force(N)", "inverse_dynamics"])
    a = 0.3 * (1.5 * np.array([-np.sin(0.4), np.cos(0.4)]) - 4 * np.array([np.cos(0.4), np.sin(0.4)]))
    N = 2 * np.linalg.norm(a + np.array([0, G]))
    assert given["normal_force(N)"] == pytest.approx(N, rel=1e-13)
    needed = 0.28 * 1.5 + 2 * G * 0.3 * np.cos(0.4) + 0.01 * N
    assert given["inverse_dynamics"][0] == pytest.approx(needed, rel=1e-13)


def test_a_motion_is_that_of_the_written_equations() -> None:
    """The pendulum by its own equations in SciPy, with the same smoothing of the sign."""
    integrate = pytest.importorskip("scipy.integrate", reason="SciPy, of the extra [sim], is not installed")
    slip, k, inertia = 1e-2, 0.01, 0.28

    def rates(t: float, y: np.ndarray) -> list[float]:
        q, w = y
        s = k * w / np.hypot(w, slip)
        along, up = np.array([-np.sin(q), np.cos(q)]), np.array([np.cos(q), np.sin(q)])
        free = 2 * (-2 * G * 0.09 * np.cos(q) / inertia * along - 0.3 * w * w * up + np.array([0, G]))
        slope = -2 * s / inertia * 0.3 * along
        inner, rest = free @ slope, 1 - slope @ slope
        N = (inner + np.sqrt(inner**2 + rest * (free @ free))) / rest
        return [w, (-2 * G * 0.3 * np.cos(q) - s * N) / inertia]

    own = integrate.solve_ivp(rates, (0, 0.5), [0.4, 2.0], rtol=1e-12, atol=1e-12)
    found = mb.simulate(pin(), 0.5, tolerance=1e-10, slip=slip, step_out=0.1)
    assert found.q[-1, 0] == pytest.approx(own.y[0, -1], abs=1e-9)
    assert [c.verdict for c in found.witnesses if c.quantity == "normal_force"]
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    table = found.to_frame()
    assert table["normal_force(N)"].iloc[0] == pytest.approx(8.17829155787169, rel=1e-5)
    again = mb.evaluate(pin(), table, quantities="normal_force(N)")["normal_force(N)"]
    assert again == pytest.approx(table["normal_force(N)"], rel=1e-4)


def test_a_motion_stops_where_no_normal_force_satisfies_the_law() -> None:
    """The lever sinks with the block until mu2 tan th = 1, where the brake locks."""
    pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
    sinking = _with_row(brake(1.2).build(), "y + t/4")
    start = {"v": {"x": -5.0, "y": -0.25, "th": 0.625}, "parameters": {"m": 1e7, "mu": 0}}
    made = mb.simulate(sinking, 1.0, q=LEVER, **start, tolerance=1e-6, witness=False)
    assert made.stopped is not None
    assert "normal force" in made.stopped.message
    assert made.reached == pytest.approx((0.5 * np.sin(np.arctan(1 / 1.2)) - 0.3) * 4, abs=1e-6)


def _with_row(system: mb.System, row: str) -> mb.System:
    from mbconcord.model.expressions.formula import parse_formula
    from mbconcord.records import replace

    rows = [replace(c, expression=parse_formula(row)) if c.name == "guide" else c for c in system.constraints]
    return replace(system, constraints=tuple(rows))


def _weld() -> mb.Mechanism:
    made = mb.Mechanism("weld").normal_force("N", "b").body("b", mass=1).slides("x", along="x")
    return made.slides("y", along="y").effort("e", "x", "-N")


REFUSED = {
    "no such part": (
        lambda: mb.evaluate(pin().normal_force("F", "bra").effort("e", "q", "-F")),
        "parameters/F: error: there is no body and no constraint 'bra' (did you mean 'bar'?",
    ),
    "two coordinates": (lambda: mb.evaluate(_weld()), "parameters/N: error: the joint of 'b' does not move by one"),
    "not linear": (
        lambda: pin().effort("e", "q", "-N^2").build(), "the force is not linear in the normal force 'N'",
    ),
    "in a mass": (
        lambda: pin().body("more", on="bar", mass="N").build(), "'N' is a normal force, and stands in forces and",
    ),
    "linearized": (lambda: mb.linearize(pin()), "parameters/N: error: is the normal force of bar, which follows"),
    "equilibrium": (lambda: mb.equilibrium(pin()), "parameters/N: error: is the normal force of bar, which follows"),
    "animated": (lambda: mb.animate(pin()), "parameters/N: error: is the normal force of bar, which follows"),
    "slopes": (lambda: mb.evaluate(pin(), quantities="da_dq"), "parameters/N: error: da_dq: N changes with the"),
    "actuated": (
        lambda: mb.evaluate(pin(mu2=1.0), a=[1.0], actuated="q"), "parameters/N: error: efforts of what is actuated",
    ),
    "compared with another": (
        lambda: mb.compare(pin(), pin().normal_force("F", "bar").effort("e", "q", "-F*q'")),
        "parameters/F: error: is a normal force, in A none, in B that of bar",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    what, words = REFUSED[name]
    with pytest.raises(MbconcordError) as refused:
        what()
    assert words in str(refused.value)


def test_a_number_that_is_given_is_not_solved_for_and_that_is_said() -> None:
    found = mb.evaluate(pin(), parameters={"N": 3.0})
    assert "normal_force(N)" not in found
    assert found["applied"][0] == pytest.approx(-0.03)
    assert "parameters/N: warning: is given, and not solved for" in str(found.diagnostics[0])


def test_equations_agree_for_every_normal_force() -> None:
    found = mb.check(pin())
    assert found.verdict == "agrees"
    assert any("drawn for each state: N" in str(d) for d in found.diagnostics)


def test_the_native_format_keeps_them(tmp_path: Path) -> None:
    mb.convert(pin(), tmp_path / "pin.mbs.json")
    assert mb.read(tmp_path / "pin.mbs.json").system == pin().build()


def test_another_part_that_presses_is_another_machine(tmp_path, monkeypatch):
    """Equations with N as a parameter are the same; baselines, comparisons, conversions do not call the motion so."""
    monkeypatch.chdir(tmp_path)
    texts = {}
    for of in ("bar", "rod"):
        made = mb.Mechanism("two").parameters(mu=0.2, r=0.05).gravity(y=-9.81).normal_force("N", of)
        made = made.body("bar", mass=2, com=(0.3, 0, 0), inertia=(0, 0, 0.1)).turns("q", about="z", start=0.4, rate=2)
        made = made.body("rod", on="bar", mass=1, com=(0.3, 0, 0), inertia=(0, 0, 0.1)).turns("p", about="z")
        texts[of] = mb.write(made.effort("friction", "q", "-mu*r*N*sign(q')").build(), "native").text
    Path("two.mbs.json").write_text(texts["bar"], "utf-8")
    Path("other.mbs.json").write_text(texts["rod"], "utf-8")
    with pytest.raises(NumbersError, match="in A that of bar, in B that of rod"):
        mb.compare("two.mbs.json", "other.mbs.json")
    save, look = (["baseline", x, "two.mbs.json", "--output", "base.toml"] for x in ("save", "check"))
    assert main(save) == 0 and main(look) == 0
    Path("two.mbs.json").write_text(texts["rod"], "utf-8")
    assert main(look) == 3
    assert main(["convert", "two.mbs.json", "back.mbs.json", "--verify"]) == 0
    assert main(["convert", "two.mbs.json", "out.mbsd", "--verify"]) == 3
