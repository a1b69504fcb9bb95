"""A walking machine: its static moment by its legs, and its margin of static stability with a plot."""

from pathlib import Path

import mbconcord
from mbconcord.formalisms.static_moments.walking import (
    machine_moment,
    mass_centre,
    stability_margin,
    support_polygon,
)
from mbconcord.model import State
from mbconcord.reports.support import support_plot
from mbconcord.validation.judge.kinematics import Kinematics

leg = mbconcord.read("fixtures/tp/table8_corrected.tp.csv").system
for vector, scalar in machine_moment(leg, legs=2).items():
    print(f"{vector}: {scalar}")

machine = mbconcord.read("fixtures/tp/quadruped.tp.csv").system  # the hull is the fixed frame
state = State(q={"q2": 0.6, "q5": 0.6})
centre = mass_centre(machine, state, hull_mass=30, hull_centre=(0, 0.05, 0))
place = Kinematics(machine, [state])
for standing in (("body3", "body6", "body9", "body12"), ("body3", "body6", "body9")):
    feet = [place.frame(body).position[0, [0, 2]] for body in standing]  # seen along -y
    plumb, polygon = centre[[0, 2]], support_polygon(feet)
    margin = stability_margin(plumb, feet)
    print(len(feet), "feet: margin", round(margin, 4), "m")
    Path(f"support{len(feet)}.svg").write_text(support_plot(plumb, feet, polygon, margin), encoding="utf-8")
