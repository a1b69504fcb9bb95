"""Faults of Konoplev's aggregates: misprints of the paper that change a number, and faults of its mechanics.

The last of them show only where there are flywheels or a medium. Numbers (#) are rows of the page of errata.
"""

from __future__ import annotations

from ..injection import Fault

_PACKAGE = "mbconcord.formalisms.konoplev"
_SCREW = f"{_PACKAGE}.screw"
_PAIR = f"{_PACKAGE}.pair"
_MECHANISM = f"{_PACKAGE}.mechanism"
_STRUCTURE = f"{_PACKAGE}.structure"
_BODY = f"{_PACKAGE}.body"
_FLYWHEEL = f"{_PACKAGE}.flywheel"
_MISES = f"{_PACKAGE}.mises"
_AGGREGATES = f"{_PACKAGE}.aggregates"
_SEATS = f"{_PACKAGE}.seats"
_FORCES = f"{_PACKAGE}.forces"
_PLACES = f"{_PACKAGE}.places"
_MOUNTS = f"{_PACKAGE}.mounts"

FAULTS: tuple[Fault, ...] = (
    Fault("short form (1.11) taken for every pair (#7)", _STRUCTURE,
          "{d: own.rows[d.alpha] for d in tree.directions[number]}",
          "{d: tuple(float(k == d.alpha) or 0 for k in range(1, 7)) for d in tree.directions[number]}"),
    Fault("Ṡ without its part f Ṁ L, (3.4), (4.4) (#20, #22, #27)", _STRUCTURE,
          "rate = plus(rate, pair_rates[d])", "pass"),
    Fault("c3 for c3ᵀ in the second column of ε̇, (3.5) (#21)", _PAIR,
          "times(rate6, turned_third(second)),", "times(rate6, turned_third((sub(0, s6), c6, 0))),"),
    Fault("ε̇ without the rate of θ5, (3.5)", _PAIR,
          "plus(times(rate6, turned_third(first)), times(rate5, tilted)),", "times(rate6, turned_third(first)),"),
    Fault("Ṁ of a slide with <ω> for <ω>ᵀ, (3.5)", _PAIR,
          "cross(c[alpha - 1], spin)", "cross(spin, c[alpha - 1])"),
    Fault("third column of c with a wrong sign, (1.7)", _PAIR, "sub(0, mul(s4, c5))", "mul(s4, c5)"),
    Fault("c3 for c3ᵀ in the second column of ε, (1.8)", _PAIR, "(s6, c6, 0), (0, 0, 1.0)",
          "(sub(0, s6), c6, 0), (0, 0, 1.0)"),
    Fault("acceleration of a prescribed motion dropped", _STRUCTURE,
          "return plus(REST, *moving, *(times(d.bias, row) for d, row in rows.items()))",
          "return plus(REST, *moving)"),
    Fault("<o> transposed in L, (1.1)", _SCREW, "moved = plus(a, cross(b, self.o))",
          "moved = plus(a, cross(self.o, b))"),
    Fault("L̇ = ΦL with Φ of the angular velocity only, (1.2)", _SCREW,
          "plus(cross(a, w), cross(b, v)) + cross(b, w)", "cross(a, w) + cross(b, w)"),
    Fault("Φ transposed in L̇ = LΦ, (1.2)", _SCREW,
          "plus(cross(a, w), cross(b, v)) + cross(b, w)", "plus(cross(w, a), cross(v, b)) + cross(w, b)"),
    Fault("absolute twist V_p for the relative V_p^{i,p} in Ṡ, item 6 (#32)", _STRUCTURE,
          "return relative, twist", "return dict.fromkeys(relative, twist), twist"),
    Fault("A by Σ z z instead of Σ z s (#34-#37)", _AGGREGATES,
          "dot(z[first], rows[second])", "dot(z[first], z[second])"),
    Fault("W_1, W_2, W_3 with the opposite sign (#40)", _BODY, "cross(w, v)", "cross(v, w)"),
    Fault("W_4 with the opposite sign", _BODY, "mul(sub(i6, i5), mul(w[1], w[2]))",
          "mul(sub(i5, i6), mul(w[1], w[2]))"),
    Fault("W of a body with products of inertia: only the gyroscopic moment dropped", _BODY,
          "moment = cross(w, along(inertia, w))", "moment = NONE"),
    Fault("b without the moments of force, as in b_31 (#41)", _AGGREGATES,
          "dot(row, wrench))", "dot(row[3:], wrench[3:]))"),
    Fault("b = S W without Z Ṡᵀ q̇, (4.2) (#25)", _BODY,
          "plus(self.gyroscopic(twist), along(self.matrix, bias))", "self.gyroscopic(twist)"),
    Fault("aggregate about the origin as if it were the mass centre", _BODY,
          "seat if turned or not empty(centre) else None", "None"),
    Fault("rotation between two aggregates the other way round", _SEATS,
          "return axial, across, skew(AXES[k])", "return axial, across, transposed(skew(AXES[k]))"),
    Fault("element between two aggregates from the frame of the parent", _SEATS,
          "before.o), before.c)", "(0, 0, 0)), before.c)"),
    Fault("element between two aggregates to the frame of the body", _SEATS,
          "arm = along(last, after.o)", "arm = (0, 0, 0)"),
    Fault("gravity turned by c instead of cᵀ", _AGGREGATES,
          "fall[number] = against(fall[link.parent], tree.matrices[number].transfer.c)",
          "fall[number] = tuple(dot(row, fall[link.parent]) for row in tree.matrices[number].transfer.c)"),
    Fault("moment of a force with the vector product reversed", _PLACES,
          "cross(self.arm(point), own)", "cross(own, self.arm(point))"),
    Fault("bipolar force pulls where it should push", _FORCES,
          "((force.first, minus(NONE, push)), (force.second, push))",
          "((force.first, push), (force.second, minus(NONE, push)))"),
    Fault("velocity of a point without ω × ρ", _PLACES,
          "plus(twist[:3], cross(twist[3:], self.arm(point)))", "twist[:3]"),
    Fault("coordinate along a negative axis with the positive one's sign", _MECHANISM,
          "Slot(-slot.known, slot.coordinate, -slot.sign)", "Slot(-slot.known, slot.coordinate, slot.sign)"),
    Fault("constant after a coordinate of the same slot dropped", _MECHANISM,
          "Slot(old.known + new.known, free.coordinate, free.sign)",
          "Slot(old.known if old.coordinate else old.known + new.known, free.coordinate, free.sign)"),
    Fault("prescribed motion along a negative axis accelerates the other way", _STRUCTURE,
          "slot.sign * slot.rate, slot.sign * slot.bias", "slot.sign * slot.rate, slot.bias"),
    Fault("rate of a prescribed motion in a slot with a coordinate dropped", _PAIR,
          "return known + self.sign * rate(self.coordinate) if self.coordinate else known",
          "return self.sign * rate(self.coordinate) if self.coordinate else known"),
    Fault("gyroscopic moment of principal axes where only one product of inertia is zero", _BODY,
          "all(absent(inertia[i][k]) for i in range(3) for k in range(3) if i != k)", "absent(inertia[0][1])"),
    Fault("rotor of different moments taken for a steady one", _FLYWHEEL, " and xx is yy", ""),
    Fault("rotor with products of inertia taken for a steady one", _FLYWHEEL,
          "(*inertia.centre[:2], *products)", "inertia.centre[:2]"),
    Fault("unbalanced rotor taken for a steady one", _FLYWHEEL,
          "(*inertia.centre[:2], *products)", "(inertia.centre[0], *products)"),
    Fault("rotation back from a general axis in the wrong order", _MECHANISM,
          "back = [{5: Slot(direct=opposite(five))}, {4: Slot(direct=opposite(four))}]",
          "back = [{4: Slot(direct=opposite(four))}, {5: Slot(direct=opposite(five))}]"),
    Fault("I ψ' instead of I ψ'' in T (#11)", _FLYWHEEL,
          "times(self.acceleration, self.I)", "times(self.speed, self.I)"),
    Fault("J without L_f [<e3>] ψ'", _FLYWHEEL, "plus(phi(twist, self.I), whirled)", "phi(twist, self.I)"),
    Fault("J without Φ L_f", _FLYWHEEL, "plus(phi(twist, self.I), whirled)", "whirled"),
    Fault("Ȧ with the opposite sign", _FLYWHEEL, "minus(left, right)", "minus(right, left)"),
    Fault("Ȧ dropped from B", _BODY, "return plus(turned, along(self.rate, twist)) if self.rate else turned",
          "return turned"),
    Fault("flywheel without weight", _BODY,
          "return Aggregate(None, theta, matrix, summed(*rates) if rates else None, rotors, False)",
          "return Aggregate(None, mises(inertia, of), matrix, summed(*rates) if rates else None, rotors, False)"),
    Fault("L_f from the body to the flywheel instead of back (#12)", _SCREW,
          "return force + plus(moment, cross(self.o, force))", "return force + plus(moment, cross(force, self.o))"),
    Fault("added inertia that has weight", _BODY, "along(self.theta, g + NONE)", "along(self.matrix, g + NONE)"),
    Fault("Kirchhoff's v × p dropped from Φ A V", _SCREW, "plus(cross(w, m), cross(v, f))", "cross(w, m)"),
    Fault("B = -ΦᵀA instead of Φ A: v × p in the place of ω × p", _SCREW,
          "return cross(w, f) + plus(cross(w, m), cross(v, f))",
          "return plus(cross(w, f), cross(v, m)) + cross(w, m)"),
    Fault("mounts: twist of the first not carried to the second", _MOUNTS,
          "carried = Transfer(o).twist(self.first.twist)", "carried = self.first.twist"),
    Fault("mounts: wrench on the first without the arm to the second", _MOUNTS,
          "back = Transfer(relative.o).wrench(own)", "back = own"),
    Fault("mounts: wrench on the second left in the axes of the first", _MOUNTS,
          "against(own[:3], relative.c) + against(own[3:], relative.c)", "own"),
    Fault("mounts: turn with the opposite sign", _MOUNTS, "mul(0.5, x) for x in turn", "mul(-0.5, x) for x in turn"),
    Fault("mounts: rate of a torsion about another axis", _MOUNTS, "seen.twist[5]))", "seen.twist[3]))"),
    Fault("J_o without m <rc> <rc>ᵀ", _MISES, "summed(tuple(tuple(map(of, row)) for row in inertia.matrix()), about)",
          "tuple(tuple(map(of, row)) for row in inertia.matrix())"),
    Fault("static moment with the opposite sign in Θ", _MISES,
          "return upper + tuple((*a, *b) for a, b in zip(static, tensor, strict=True))",
          "return upper + tuple((*a, *b) for a, b in zip(transposed(static), tensor, strict=True))"),
)  # fmt: skip
