"""A user's script over the whole of the public names: type checkers follow it, nobody runs it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import mbconcord as mb

reading: mb.Reading = mb.read(Path("arm.mbsd"), physics="warn")
text: mb.Reading = mb.read(text="z i2 $3 g", format="mbsd")
system: mb.System = reading.system
names: tuple[str, ...] = system.coordinate_names

found = mb.check(reading, formalisms=["lagrange", "konoplev"], states=np.zeros((3, 4)), parameters={"m": 2.5})
assert_type(found, mb.results.Check)
verdict: str = found.verdict
stands: bool = found.stands and found.left_out.stands
worst: list[float | None] = [c.discrepancy for c in found.comparisons]
report: Path = found.save("report.html")

equations = mb.derive("arm.mbsd", "newton_euler", physics="ignore")
assert_type(equations, mb.results.Equations)
latex: str = equations.render("latex", ["M", "h"])
code: Path = equations.save("equations.c", "inverse_dynamics")

f = mb.compile(system, ["M", "acceleration"], formalism="lagrange", backend="numpy")
assert_type(f, mb.results.Compiled)


def rate(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
    half = len(y) // 2
    return np.concatenate([y[half:], f(y, t=t, m=2.0, parameters={"q": 1.0})["acceleration"]])


numbers = mb.evaluate(system, {"z1": [0.1, 0.2]}, v={"z1": 0.0}, t=[0.0, 1.0], quantities="M")
assert_type(numbers, mb.results.Numbers)
assert_type(numbers["M"], NDArray[np.float64])
one = mb.evaluate(system, [0.1], [0.2], a=[0.3])
several = mb.evaluate(system, [mb.State(q={"z1": 0.1}), mb.State(t=1.0)])
agreement: str = numbers.compare({"M": [[[1.0]], [[2.0]]]}, digits=6).verdict

comparison = mb.compare(system, "arm.mbs.json", states=5, coordinates={"z1": "q1"})
assert_type(comparison, mb.results.Comparison)
again: str = mb.compare(system, system).headline
fleet: list[str] = list(mb.compare_pairs([("arm.mbs.json", "arm.mbs.json")]).columns)
own_verdict: str = mb.check(system, against=mb.own({"M": [[1]], "forcing": [0]}, q=["z1"])).verdict

motion = mb.simulate(system, 2.0, q={"z1": 0.3}, tolerance=1e-8, step_out=0.1, events=["z1 - 0.5"])
assert_type(motion, mb.results.Simulation)
longer = mb.simulate(system, 4.0, method="radau", resume=motion)
end: mb.State = motion.last
table: Path = motion.save("motion.csv")
assert_type(motion.animate(), mb.results.Animation)
played: Path = mb.animate(system, {"t": [0.0, 1.0], "z1": [0.3, 0.4]}, title="swing").save("motion.html")
assembled = mb.assemble(system, {"z1": 0.3}, hold=["z1"], others=2)
assert_type(assembled, tuple[mb.results.Assembled, ...])
closed: mb.State = assembled[0].state

rest = mb.equilibrium(system, {"z1": 0.3}, hold=["z1"])
assert_type(rest, mb.results.Equilibrium | mb.results.SteadyState)
assert isinstance(rest, mb.results.Equilibrium)  # and a SteadyState with steady={"lean": 0.1}
many = mb.ensemble(system, [[0.1, 0.2]], 1.0, 0.1)
assert_type(many, mb.results.Ensemble)
bases: list[str] = [str(sums) for sums in mb.base_parameters(system).base]
near = mb.linearize(system, rest.state, inputs=["z1"])
assert_type(near, mb.results.Linearization)
frequencies: NDArray[np.float64] = near.frequencies
slow: float = near.modes[0].omega

conversion = mb.convert(system, "arm.mbs.json", verify=True, strict=True)
assert_type(conversion, mb.results.Conversion)
losses: list[str] = [f"{loss.place}: {loss.what}" for loss in conversion.losses]
written: str = mb.write(system, "native").text
shipped: mb.results.Export = mb.export(system, "shipped", "M", language="c", name="machine")
sources: list[str] = [str(path) for path in shipped.files]

arm = (
    mb.Mechanism("arm")
    .parameters(m=2.5, L="0.8", k=None)
    .function("lift", ["t"], "0.1*t")
    .gravity(z=-9.81)
    .body("upper", mass="m", com=("L/2", 0, 0), inertia=(0.01, "m*L^2/12", "m*L^2/12"))
    .turns("q1", about="z", start=0.3)
    .body("fore", on="upper", mass=1, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1)), about="origin")
    .shift(x="L")
    .rotate("lift(t)", about=(0, 3, 4))
    .slides("q2", along="-y", rate=1)
    .drive("q1", "-k*q1'")
    .spring("s", ("fore", (0, 0, 0.1)), None, stiffness=100, length=0.2)
    .rod("r", "fore", (None, (1, 0, 0)), length=1)
)
assert_type(arm, mb.Mechanism)
assert_type(arm.build(), mb.System)
mb.check(arm, states=1)
assert_type(mb.compare(arm, arm).why().is_found, bool)
assert_type(mb.assert_agrees(arm, states=1).stands, bool)
assert_type(mb.assert_same_machine(arm, arm, states=1).stands, bool)
assert_type(mb.certify(arm, formalisms="lagrange"), str)

try:
    mb.evaluate(system, [1.0, 2.0, 3.0])
except mb.MbconcordError as problem:
    places: list[str] = [d.place for d in problem.diagnostics]
version: str = mb.__version__
