"""A four-bar linkage: free motion with its reactions, then the drive of a given motion."""

import mbconcord
from mbconcord.formalisms.telegin.closed.assembly import motion
from mbconcord.formalisms.telegin.closed.dynamics import ClosedLinkage
from mbconcord.model import State

linkage = ClosedLinkage(mbconcord.read("fixtures/konoplev/four_bar.mbs.json").system)
print("degrees of freedom:", linkage.freedom)

found = linkage.forward_dynamics(State())
print("accelerations:", {name: round(x, 6) for name, x in found.accelerations.items()})
print("reaction F_r in the pivot, N:", [round(x, 6) for x in found.reactions["pivot"]])

state = motion(linkage, {"q1": (0.7, 1.3, 2.0)}, guess=State())
found = linkage.inverse_dynamics(state, ["q1"])
print("moment of the crank besides its own 0.8 N m:", round(found.drives["q1"], 6))
print("force on link 2 from link 1, N:", [round(x, 6) for x in found.joint_forces["q2"]])
