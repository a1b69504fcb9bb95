"""Seeded faults of armatures in formalisms: a c cᵀ in M, and in recursions."""

from __future__ import annotations

from . import read_faults

FAULTS = read_faults(
    "formalisms",
    ("armature with twice its kinetic energy", "lagrange:rotor_energy",
     "«HALF * (armature.inertia * (turning * turning)) → armature.inertia * (turning * turning)»"),
    ("coefficients of an armature squared", "lagrange:rotor_energy", "c * « → c * »rate(name)"),
    ("armatures left out of the slopes of T", "lagrange:Lagrange.derive",
     "«(*bent.values(), *rotors) → bent.values()»"),
    ("rotor left out of the inertia along its joint", "newton_euler.articulated:eliminate_joint",
     "joint.inertia« + rotor → »"),
    ("nothing left along a joint that a rotor holds", "newton_euler.articulated:eliminate_joint",
     "3« if rotor is None else 0 → »"),
    ("rotor left out of the effort of an imposed acceleration", "newton_euler.articulated:forward",
     "needed« + rotors[link.coordinate] * given[link.coordinate] → »"),
    ("rotor reflected by its ratio in place of the square of it", "newton_euler.equations:sum_reflected_inertias",
     "rotor.inertia * «(c * c) → c»"),
    ("force of an armature without its coefficient", "newton_euler.equations:resisting", "total[i] + «c *  → »push"),
    ("armature of several joints pushes forward", "newton_euler.equations:couple_armatures",
     "1 «+ → -» rotor.inertia * rotor.turning(own.accelerations)"),
    ("response to an armature with the prescribed motions of the state", "newton_euler.equations:Equations._response",
     "«[replace(link, acceleration=self.zero) for link in self.links] → self.links»"),
    ("armature of several coordinates on the diagonal alone", "virtual_work.body:turning",
     "{(first, second): momentum * armature.coefficients[second] for second in given[i:« → i + 1»]}"),
    ("momentum of an armature without its coefficient", "virtual_work.body:turning",
     "armature.inertia« * armature.coefficients[first] → »"),
    ("armature of several coordinates on the diagonal of A alone", "konoplev.aggregates:with_armatures",
     "along[i:« → i + 1»]"),
    ("armature in A by one of its coefficients", "konoplev.aggregates:with_armatures",
     "armature.inertia * «(c * other) → c»"),
    ("armature left out of Z", "flexible.recursion:inwards", "along« + rotors[j] if j in rotors else along → »"),
    ("armature in the mass matrix by one of its coefficients", "flexible.equations:Equations.mass_matrix",
     "rotor.inertia * «(c * d) → c»"),
    ("armature pushes with its acceleration", "flexible.equations:Equations.inverse_dynamics",
     "found[name] «+ → -» c * push"),
    ("response to an armature with the accelerations of velocities", "flexible.kinematics:at_rest",
     "still.bias = «0 *  → »k.bias"),
    ("armature of several coordinates without its own resistance", "flexible.equations:couple_armatures",
     "rotor.inertia« / (1 + rotor.inertia * rotor.turning(own.accelerations)) → »"),
)  # fmt: skip
