"""A walking machine: its static moment by its legs, and its margin of static stability with a plot."""

from pathlib import Path

import mbconcord
from mbconcord.api.walk import HullWeight, steps_of, walk, walker
from mbconcord.model import State
from mbconcord.reports.plots.motion import support_plot

machine = mbconcord.read("fixtures/tp/quadruped.tp.csv").system  # the hull is the fixed frame
name, written = walker(machine)
print(written.lines[-2].text)
print(written.lines[-1].text)

standing = steps_of(machine, written, State(q={"q2": 0.6, "q5": 0.6}))
found = walk(machine, written, name, standing, hull=HullWeight(30, (0, 0.05, 0)))
for stance in found.stances:
    print(f"{stance.step.name}: margin {stance.margin:.4f} m")
drawn = [support_plot(s.plumb, s.feet, s.polygon, s.margin) for s in found.stances]
Path("support.svg").write_text(drawn[0], encoding="utf-8")
