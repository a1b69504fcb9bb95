"""Seeded faults of armatures in formalisms: a c cᵀ in M, and in recursions."""

from __future__ import annotations

from mbconcord.testing import Fault

_FORMALISMS = "mbconcord.formalisms."
_ENERGIES = _FORMALISMS + "lagrange"
_NEWTON = _FORMALISMS + "newton_euler."
_SUMS = _FORMALISMS + "virtual_work.body"
_AGGREGATES = _FORMALISMS + "konoplev.aggregates"
_FLEXIBLE = _FORMALISMS + "flexible."

FAULTS: tuple[Fault, ...] = (
    Fault("armature with twice its kinetic energy", _ENERGIES, "rotor_energy",
          "HALF * (armature.inertia * (turning * turning))", "armature.inertia * (turning * turning)"),
    Fault("coefficients of an armature squared", _ENERGIES, "rotor_energy", "c * rate(name)", "c * c * rate(name)"),
    Fault("armatures left out of the slopes of T", _FORMALISMS + "lagrange", "Lagrange.derive",
          "(*bent.values(), *rotors)", "bent.values()"),
    Fault("rotor left out of the inertia along its joint", _NEWTON + "articulated", "eliminate_joint",
          "joint.inertia + rotor", "joint.inertia"),
    Fault("nothing left along a joint that a rotor holds", _NEWTON + "articulated", "eliminate_joint",
          "3 if rotor is None else 0", "3"),
    Fault("rotor left out of the effort of an imposed acceleration", _NEWTON + "articulated", "forward",
          "needed + rotors[link.coordinate] * given[link.coordinate]", "needed"),
    Fault("rotor reflected by its ratio in place of the square of it", _NEWTON + "equations", "sum_reflected_inertias",
          "rotor.inertia * (c * c)", "rotor.inertia * c"),
    Fault("force of an armature without its coefficient", _NEWTON + "equations", "resisting", "total[i] + c * push",
          "total[i] + push"),
    Fault("armature of several joints pushes forward", _NEWTON + "equations", "couple_armatures",
          "1 + rotor.inertia * rotor.turning(own.accelerations)",
          "1 - rotor.inertia * rotor.turning(own.accelerations)"),
    Fault("response to an armature with the prescribed motions of the state", _NEWTON + "equations",
          "Equations._response", "[replace(link, acceleration=self.zero) for link in self.links]", "self.links"),
    Fault("armature of several coordinates on the diagonal alone", _SUMS, "turning",
          "{(first, second): momentum * armature.coefficients[second] for second in given[i:]}",
          "{(first, second): momentum * armature.coefficients[second] for second in given[i:i + 1]}"),
    Fault("momentum of an armature without its coefficient", _SUMS, "turning",
          "armature.inertia * armature.coefficients[first]", "armature.inertia"),
    Fault("armature of several coordinates on the diagonal of A alone", _AGGREGATES, "with_armatures", "along[i:]",
          "along[i:i + 1]"),
    Fault("armature in A by one of its coefficients", _AGGREGATES, "with_armatures", "armature.inertia * (c * other)",
          "armature.inertia * c"),
    Fault("armature left out of Z", _FLEXIBLE + "recursion", "inwards", "along + rotors[j] if j in rotors else along",
          "along"),
    Fault("armature in the mass matrix by one of its coefficients", _FLEXIBLE + "equations", "Equations.mass_matrix",
          "rotor.inertia * (c * d)", "rotor.inertia * c"),
    Fault("armature pushes with its acceleration", _FLEXIBLE + "equations", "Equations.inverse_dynamics",
          "found[name] + c * push", "found[name] - c * push"),
    Fault("response to an armature with the accelerations of velocities", _FLEXIBLE + "kinematics", "at_rest",
          "still.bias = 0 * k.bias", "still.bias = k.bias"),
    Fault("armature of several coordinates without its own resistance", _FLEXIBLE + "equations", "couple_armatures",
          "rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))", "rotor.inertia"),
)  # fmt: skip
