"""Lines between equations and screen that are broken: the command itself says so, with its exit code."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import mbconcord
from mbconcord.api.mechanism import Mechanism
from mbconcord.cli.tables import linear as tables
from mbconcord.simulation.linear import equations, equilibrium, linearised, modes, reduction
from mbconcord.simulation.linear.linearised import Linearised
from mbconcord.simulation.linear.modes import LinearMode
from mbconcord.validation.witnesses.direct import energies

from ...cli.commands import Run, runner
from .machines import DOUBLE, ON_A_ROD, fixture

run = pytest.fixture(runner)


def follower() -> Any:
    """Two links with springs, a damper, and a thrust that follows the second one."""
    return (
        Mechanism("follower").body("a", mass=2, com=(1, 0, 0), inertia=(0, 0, 0)).turns("a", about="z")
        .body("b", on="a", mass=1, com=(1, 0, 0), inertia=(0, 0, 0)).shift(x=1).turns("b", about="z")
        .effort("first", "a", "-3*a - 0.1*a'").effort("second", "b", "-2*b")
        .force("push", ("b", (1, 0, 0)), ("-4*cos(a+b)", "-4*sin(a+b)", 0))
    ).build()  # fmt: skip


@pytest.fixture(autouse=True)
def models(run: Run) -> None:
    for name, text in (("double", DOUBLE), ("rod", ON_A_ROD)):
        Path(f"{name}.mbsd").write_text(text, encoding="utf-8")
    mbconcord.convert(follower(), "follower.mbs.json")


Break = Callable[[pytest.MonkeyPatch], None]


def instead(owner: Any, name: str, value: Any) -> Break:
    """Replace an attribute."""
    return lambda patch: patch.setattr(owner, name, value)


def line(owner: Any, name: str, old: str, new: str) -> Break:
    """Change one line in the source of a function or method, wherever the function was imported."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        honest = inspect.getattr_static(owner, name)
        source = textwrap.dedent(inspect.getsource(getattr(honest, "fget", None) or honest))
        assert source.count(old) == 1, (name, old)
        module = owner if isinstance(owner, ModuleType) else sys.modules[owner.__module__]
        made: dict[str, Any] = {}
        exec("from __future__ import annotations\n" + source.replace(old, new), vars(module), made)
        own = [m for key, m in [*sys.modules.items()] if key.startswith("mbconcord") and vars(m).get(name) is honest]
        for user in own if isinstance(owner, ModuleType) else [owner]:
            patch.setattr(user, name, made[name])

    return apply


REST = ("--at", "equilibrium")
ORDER = '("gravity", "applied", "h"))'
#: Forces in other orders than they are summed up.
OTHERS = {
    "h": (ORDER, '("h", "applied", "gravity"))'), "applied": (ORDER, '("applied", "gravity", "h"))'),
    "turned": (ORDER, '("applied", "h", "gravity"))'),
}  # fmt: skip
#: Name: what is broken, and the command that must notice it.
BROKEN: dict[str, tuple[Break, tuple[str, ...]]] = {
    "Hz are rad/s": (
        line(LinearMode, "hertz", "self.omega / (2 * np.pi)", "self.omega"), ("linearize", "double.mbsd", *REST)),
    "damping ratio is zero": (
        line(LinearMode, "damping", "0.0 - self.eigenvalue.real / self.omega", "0.0"),
        ("linearize", "follower.mbs.json")),
    "times are twice as long": (
        line(LinearMode, "time", "1 / abs(", "2 / abs("), ("linearize", "follower.mbs.json")),
    "shares of the other body": (
        line(energies, "share_energy", "energies[body] +=", "energies[{'a': 'b', 'b': 'a'}[body]] +="),
        ("linearize", "follower.mbs.json")),
    "shares of coordinates by half of M": (
        line(energies, "share_energy", "(x.conj() * (x @ M[0].T))", "(x.conj() * (x @ np.triu(M[0])))"),
        ("linearize", "follower.mbs.json")),
    "stable is false": (instead(linearised, "is_stable", lambda *_: False), ("linearize", "double.mbsd", *REST)),
    "stable is open": (instead(linearised, "is_stable", lambda *_: None), ("linearize", "double.mbsd", *REST)),
    "unstable is stable": (
        instead(linearised, "is_stable", lambda *_: True), ("linearize", "double.mbsd", "--at", "up.json")),
    "an undamped mode decays": (
        line(modes, "_solve_undamped", "complex(0.0, np.sqrt(value))", "complex(-1e-6, np.sqrt(value))"),
        ("linearize", "double.mbsd", *REST)),
    "an undamped mode grows alone": (
        line(modes, "_solve_undamped", "complex(0.0, np.sqrt(value))", "complex(np.sqrt(value), 0.0)"),
        ("linearize", "double.mbsd", *REST)),
    "the word is stable": (
        line(Linearised, "stability", 'False: "unstable"', 'False: "stable"'),
        ("linearize", "double.mbsd", "--at", "up.json")),
    "shapes are not normalised": (
        line(modes, "normal", "shape / shape[i]", "shape"), ("linearize", "double.mbsd", *REST)),
    "shapes of other modes": (
        line(modes, "_solve_undamped",
            "zip(values, (inverse.T @ vectors).T", "zip(values, (inverse.T @ vectors).T[::-1]"),
        ("linearize", "double.mbsd", *REST)),
    "conjugates are left out": (
        line(modes, "modes", "if s.imag >= 0", "if s.imag == 0"), ("linearize", "follower.mbs.json")),
    "stiffness is doubled": (
        instead(Linearised, "stiffness", property(lambda self: self.K + self.K.T)),
        ("linearize", "double.mbsd", *REST)),
    "circulatory is four times as much": (
        instead(Linearised, "circulatory", property(lambda self: 2 * (self.K - self.K.T))),
        ("linearize", "follower.mbs.json")),
    "damping is doubled": (
        instead(Linearised, "damping", property(lambda self: self.C + self.C.T)), ("linearize", "follower.mbs.json")),
    "geometric has another sign": (
        line(linearised, "linearise_equations", "(slopes.K - still.K)", "(still.K - slopes.K)"),
        ("linearize", "rod.mbsd")),
    "forces have another sign of h": (
        line(equations, "equations", "gravity + applied - h if n", "gravity + applied + h if n"),
        ("linearize", "double.mbsd", "--at", "fast.json")),
    "forces without those that are applied": (
        line(equations, "equations", "gravity + applied - h if n", "gravity - h if n"),
        ("linearize", "follower.mbs.json")),
    "h for gravity": (line(equations, "equations", *OTHERS["h"]), ("linearize", "double.mbsd", *REST)),
    "applied forces for gravity": (
        line(equations, "equations", *OTHERS["applied"]), ("linearize", "follower.mbs.json")),
    "all three in turn": (line(equations, "equations", *OTHERS["turned"]), ("linearize", "crank.mbs.json")),
    "h for gravity, at an equilibrium": (
        line(equations, "equations", *OTHERS["h"]), ("equilibrium", "double.mbsd")),
    "unbalanced is nothing": (
        instead(linearised, "_measure_imbalance", lambda *_: 0.0), ("linearize", "double.mbsd", "--at", "fast.json")),
    "reduced C without its rows": (
        line(reduction, "reduce_equations", "slopes.C @ N + M @ X_w", "slopes.C @ N - M @ X_w"),
        ("linearize", "crank.mbs.json", "--at", "turning.json")),
    "A with another sign of C": (
        line(reduction, "state_space", "found.K, found.C, found.B", "found.K, -found.C, found.B"),
        ("linearize", "follower.mbs.json")),
    "B_x above": (
        line(reduction, "state_space", "B[d:] = -solved", "B[:d] = -solved"),
        ("linearize", "double.mbsd", *REST, "--inputs", "a")),
    "multipliers of another sign": (
        line(equilibrium._EquilibriumSearch, "balance", "basis.multipliers(-at.force)", "basis.multipliers(at.force)"),
        ("equilibrium", "rod.mbsd")),
    "sizes with multipliers without D": (
        line(equilibrium._EquilibriumSearch, "balance", "np.abs(at.D * multipliers[:, None])",
            "np.abs(multipliers[:, None])"),
        ("equilibrium", "crank.mbs.json")),
    "an equilibrium is unstable": (
        line(equilibrium, "_resting", 'if unstable else "indifferent"', 'if not unstable else "indifferent"'),
        ("equilibrium", "double.mbsd")),
    "moved the other way": (
        line(equilibrium, "_resting", "here.q - search.start[0, :", "-here.q + search.start[0, :"),
        ("equilibrium", "double.mbsd", "--state", "fast.json")),
    "modes are left out": (
        line(tables, "linear_text", "range(1, len(found.modes) + 1)", "range(1, len(found.modes))"),
        ("linearize", "double.mbsd", *REST)),
    "a matrix is left out": (
        line(tables, "_choose_matrices", '"gyroscopic", "stiffness"', '"gyroscopic"'),
        ("linearize", "double.mbsd", *REST)),
    "a matrix is transposed on the screen": (
        line(tables, "_matrix_text", "found.arrays()[name].tolist()", "found.arrays()[name].T.tolist()"),
        ("linearize", "follower.mbs.json", "--inputs", "first,second")),
    "rad/s in the column of Hz": (
        line(tables, "_mode", "{mode.hertz:.9g}", "{mode.omega:.9g}"), ("linearize", "double.mbsd", *REST)),
    "columns of a matrix are others": (
        line(tables, "_matrix_text", "found.arrays()[name].tolist()", "found.arrays()[name][:, ::-1].tolist()"),
        ("linearize", "double.mbsd", *REST)),
}  # fmt: skip


def states() -> None:
    crank = fixture("native/slider_crank.mbs.json")
    mbconcord.convert(crank, "crank.mbs.json")
    turning = ", ".join(f'"{name}": 1.5' for name in crank.coordinate_names)
    for name, text in (
        ("up", '{"q": {"a": 3.141592653589793, "b": 0}}'),
        ("fast", '{"q": {"a": 0.4, "b": 0.7}, "v": {"a": 1.5, "b": -2}}'),
        ("turning", f'{{"v": {{{turning}}}}}'),
    ):
        Path(f"{name}.json").write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_exit_one_with_both_numbers(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    states()
    apply, command = BROKEN[name]
    honest = run(*command)
    assert honest.code in (0, 3) and "\nagrees: " in honest.out, honest.out + honest.err
    apply(monkeypatch)
    done = run(*command)
    assert done.code == 1 and "\ndisagrees: " in done.out, done.out + done.err
    words = done.out.partition("\ndisagrees: ")[2]
    assert "; " in words.partition("\n")[2] or "expected" in words, words


def test_hz_are_periods_of_simulated_modes() -> None:
    """A small motion in the shape of a mode comes back after 1/Hz."""
    model = mbconcord.read(text=DOUBLE, format="mbsd")
    found = mbconcord.linearize(model)
    for mode in found.modes:
        start = dict(zip(found.coordinates, 1e-4 * mode.shape.real, strict=True))
        run = mbconcord.simulate(model, q=start, until=1 / mode.hertz, tolerance=1e-10)
        last = run.to_frame().iloc[-1]
        assert [last[x] for x in start] == pytest.approx(list(start.values()), rel=1e-5)
        half = mbconcord.simulate(model, q=start, until=0.5 / mode.hertz, tolerance=1e-10).to_frame().iloc[-1]
        assert [half[x] for x in start] == pytest.approx([-x for x in start.values()], rel=1e-5)


def test_what_no_witness_can_say_is_a_note(run: Run) -> None:
    """Energy does not decide, and eigenvalues are zero but for rounding: neither agreement nor silence."""
    done = run("linearize", "follower.mbs.json")
    assert done.code == 3 and "agrees: " in done.out  # stability is not decided
    assert "stability: note: not compared: growth or decay is within rounding" in done.err


def test_a_witness_that_fails_is_a_note(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("no pivot")

    monkeypatch.setattr("mbconcord.validation.claims.linear.road.sum_forces", fail)
    done = run("linearize", "double.mbsd")
    assert done.code == 0 and "agrees: " in done.out
    assert "not compared: newton_euler has no answer: ZeroDivisionError: no pivot" in done.err


@pytest.mark.parametrize("command", ["linearize", "equilibrium"])
def test_the_headline_says_that_nothing_was_compared(command: str, run: Run) -> None:
    done = run(command, "double.mbsd", "--no-witness")
    assert done.code == 0 and done.out.splitlines()[0].endswith("; no witness")
    assert "no witness" not in run(command, "double.mbsd").out


def test_a_system_without_forces_is_no_disagreement() -> None:
    """K and C are zero: what differences leave of zero is rounding, by all that is there."""
    for file in ("mbsd/uvzg.mbsd", "native/block_on_incline.mbs.json"):
        system = fixture(file)
        rates = {name: 0.3 * (i + 1) for i, name in enumerate(system.coordinate_names)}
        found = mbconcord.linearize(system, v=rates, t=0)
        assert found.verdict == "agrees", [c for c in found.comparisons if c.verdict != "agrees"]


@pytest.mark.slow
def test_eigenvectors_have_all_their_digits_where_balancing_blurs_them() -> None:
    """Rounding in place of zeros makes LAPACK's balancing scale by 1e8; of conjugates neither is left out."""
    system = fixture("konoplev/tree.mbs.json")
    found = mbconcord.linearize(system, t=0, witness=False)
    own = [system.coordinate_names.index(name) for name in found.positions]
    for mode in found.modes:
        s, z = mode.eigenvalue, mode.shape[own]
        left = (s * s * found.M + s * found.C + found.K) @ z
        if s:
            assert max(abs(left)) < 1e-12 * max(abs(found.K @ z).max(), abs(s * s * found.M @ z).max())
    assert sum(2 if mode.eigenvalue.imag else 1 for mode in found.modes) == len(found.states)


def test_a_model_that_its_constraints_hold_agrees() -> None:
    """Nothing moves: A and B_x have no rows."""
    held = Mechanism("held").gravity(z=-9.81).body("a", mass=1).slides("h", along="z", rate=0.3).holds("row", "h - 0")
    found = mbconcord.linearize(held)
    assert found.verdict == "agrees" and found.matrix("A").shape == (0, 0)


@pytest.mark.slow
def test_shapes_that_go_in_circles_have_two_largest_amplitudes() -> None:
    """A sleeping top turns about both axes alike: rounding says which is larger, and the witness refused one."""
    made = Mechanism("top").gravity(z=-9.81).body("b", mass=1, com=(0, 0, 0.3), inertia=(0.03, 0.03, 0.05))
    top = made.turns("a", about="x").turns("b", about="y").turns("c", about="z", rate=25).build()
    found = mbconcord.linearize(top)
    assert found.verdict == "agrees", [c for c in found.comparisons if c.verdict == "disagrees"]
    circles = [m for m in found.modes if m.kind == "oscillates"]
    assert [abs(m.shape).round(9).tolist() for m in circles] == [[1, 1, 0], [1, 1, 0]]


def test_a_fourfold_zero_is_no_growth() -> None:
    """A circle under an attraction 4/r³ has only zeros, which floats find to 1e-7: it was an oscillation that grows."""
    made = Mechanism("orbit").body("arm").turns("angle", about="z", rate=2).body("point", on="arm", mass=1)
    orbit = made.slides("r", along="x", start=1).effort("pull", "r", "-4/r^3").build()
    found = mbconcord.linearize(orbit)
    assert found.verdict == "agrees" and {m.eigenvalue for m in found.modes} == {0}
    assert (
        found.stable is None and found.stability == "not decided: zero is a defective eigenvalue across the symmetries"
    )


def test_machines_of_any_size_agree_with_themselves() -> None:
    """A mirror of microns, springs between points nanometres apart, pendulums as heavy as suns: differences erred."""
    mirror = 'u(x)"(-1e-3*x) $1e-12 > z(th)°5"(-4e-15*th) -j(2e-6) $3e-13 [3e-24,3e-24,3e-24]{0,-1e-6,0} g9.81-y'
    suns = "z(a)°10 -j(3e11) $2e30 [1e50,1e50,1e50]{0,0,0} > z(b) i(1e9) $6e24 g9.81-y"
    grain = Mechanism("grain").body("m", mass=1e-21).slides("x", "x", start=2e-9).slides("y", "y", start=1e-9)
    for name, at in (("a", (1e-9, 0, 0)), ("b", (-1e-9, 0, 0)), ("c", (0, 3e-9, 0))):
        grain = grain.spring(name, "m", (None, at), stiffness=1e-3, length=1e-9)
    for model in (*(mbconcord.read(text=text, format="mbsd") for text in (suns, mirror)), grain.build()):
        rest = mbconcord.equilibrium(model)
        near = mbconcord.linearize(model, rest.state)
        wrong = [c for c in (*rest.comparisons, *near.comparisons) if c.verdict == "disagrees"]
        assert not wrong and (rest.verdict, near.verdict) == ("agrees", "agrees")
