"""Seeded faults of how formalisms take armatures: a c cᵀ in M, and what recursions make of it."""

from __future__ import annotations

from ..injection import Fault

_FORMALISMS = "mbconcord.formalisms."
_ENERGIES = _FORMALISMS + "lagrange.energies"
_NEWTON = _FORMALISMS + "newton_euler."
_SUMS = _FORMALISMS + "virtual_work.sums"
_AGGREGATES = _FORMALISMS + "konoplev.aggregates"
_FLEXIBLE = _FORMALISMS + "flexible."

FAULTS: tuple[Fault, ...] = (
    Fault("armature with twice its kinetic energy", _ENERGIES,
          "HALF * (armature.inertia * (turning * turning))", "armature.inertia * (turning * turning)"),
    Fault("coefficients of an armature squared", _ENERGIES,
          "sum((c * rate(name) for", "sum((c * c * rate(name) for"),
    Fault("armatures left out of the slopes of T", _FORMALISMS + "lagrange.equations",
          "(*bent.values(), *rotors))", "bent.values())"),
    Fault("rotor left out of the inertia along its joint", _NEWTON + "articulated",
          "inertia=joint.inertia + rotor", "inertia=joint.inertia"),
    Fault("nothing left along a joint that a rotor holds", _NEWTON + "articulated",
          "range(3 if rotor is None else 0)", "range(3)"),
    Fault("rotor left out of the effort of an imposed acceleration", _NEWTON + "articulated",
          "needed + rotors[link.coordinate] * given[link.coordinate]", "needed"),
    Fault("rotor reflected by its ratio in place of the square of it", _NEWTON + "armatures",
          "own = rotor.inertia * (c * c)", "own = rotor.inertia * c"),
    Fault("force of an armature without its coefficient", _NEWTON + "armatures",
          "total[i] = total[i] + c * push", "total[i] = total[i] + push"),
    Fault("armature of several joints pushes forward", _NEWTON + "armatures",
          "rotor.inertia / (1 + rotor.inertia", "rotor.inertia / (1 - rotor.inertia"),
    Fault("response to an armature with the prescribed motions of the state", _NEWTON + "equations",
          "[replace(link, acceleration=self.zero) for link in self.links]", "self.links"),
    Fault("armature of several coordinates on the diagonal alone", _SUMS,
          "for second in given[i:]}", "for second in given[i : i + 1]}"),
    Fault("momentum of an armature without its coefficient", _SUMS,
          "armature.inertia * armature.coefficients[first]", "armature.inertia"),
    Fault("armature of several coordinates on the diagonal of A alone", _AGGREGATES,
          "for second, other in along[i:]:", "for second, other in along[i : i + 1]:"),
    Fault("armature in A by one of its coefficients", _AGGREGATES,
          "of(armature.inertia * (c * other))", "of(armature.inertia * c)"),
    Fault("armature left out of Z", _FLEXIBLE + "recursion",
          "1 / (along + rotors[j] if j in rotors else along)", "1 / along"),
    Fault("armature in the mass matrix by one of its coefficients", _FLEXIBLE + "equations",
          "+ rotor.inertia * (c * d)", "+ rotor.inertia * c"),
    Fault("armature pushes with its acceleration", _FLEXIBLE + "equations",
          "found[name] = found[name] + c * push", "found[name] = found[name] - c * push"),
    Fault("response to an armature with the accelerations of velocities", _FLEXIBLE + "kinematics",
          "still.bias = 0 * k.bias", "still.bias = k.bias"),
    Fault("armature of several coordinates without its own resistance", _FLEXIBLE + "armatures",
          "rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))", "rotor.inertia"),
)  # fmt: skip
