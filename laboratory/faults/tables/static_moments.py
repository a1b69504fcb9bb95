"""Seeded faults of :mod:`mbconcord.formalisms.static_moments`."""

from __future__ import annotations

from mbconcord.testing import Fault

_MOMENTS = "mbconcord.formalisms.static_moments."
_LINKS = _MOMENTS + "links"
_FORMULAS = _MOMENTS + "moments"
_WRITEOUT = _MOMENTS + "writeout"
_FRAMES = _MOMENTS + "links"
_EQUATIONS = "mbconcord.formalisms.static_moments"
_VECTORS = _MOMENTS + "links"
_JOINTS = "mbconcord.formalisms.static_moments"
_LOADS = "mbconcord.formalisms.static_moments"
_POSITIONS = _MOMENTS + "links"

FAULTS: tuple[Fault, ...] = (
    Fault("(1): static moments of the carried bodies dropped", _WRITEOUT, "write_out", "terms += of[j].terms",
          "terms += ()"),
    Fault("(2): sign of a joint's shift m_qj", _FORMULAS, "_shift_terms", "a * shift.value", "-a * shift.value"),
    Fault("(2): a prismatic shift carries its own body only", _FORMULAS, "_shift",
          "Scalar(f'm_q{link.number}', mass * link.q)",
          "Scalar(f'm_q{link.number}', sum((m for m, _ in link.bodies), ZERO) * link.q)"),
    Fault("augmented body: masses of the carried bodies left out", _FORMULAS, "_augment_mass", "masses[j.number]",
          "masses[j.number] * 0"),
    Fault("augmented body: own masses at the pole", _FORMULAS, "_augment_mass", "times(mass, centre)",
          "times(mass * 0, centre)"),
    Fault("augmented body: y component under the name of x", _FORMULAS, "_augment_mass",
          "Term(link.names[i], shown, parts[i], _varies(parts[i]))",
          "Term(link.names[i and i - 1], shown, parts[i], _varies(parts[i]))"),
    Fault("m_ri: its constant dropped", _WRITEOUT, "_join_terms", "[*constants, *variables]", "variables"),
    Fault("m_ci: its last constant dropped", _WRITEOUT, "_join_terms", "_introduce_sum('c', constants, sums, counts)",
          "_introduce_sum('c', constants[:-1], sums, counts)"),
    Fault("mass of a subsystem: own bodies only", _FORMULAS, "subsystem_masses",
          "sum((masses[j.number] for j in carried[link.number]), own)", "own"),
    Fault("revolute joint: g × m̄ in place of m̄ × g", _EQUATIONS, "force", "total + term.value * dot(arm, fall)",
          "total - term.value * dot(arm, fall)"),
    Fault("revolute joint: sign of its axis lost", _EQUATIONS, "force",
          "times(own[0], placed.cross(own[1], term.unit))", "times(own[0] * own[0], placed.cross(own[1], term.unit))"),
    Fault("revolute joint about a general axis: q̄ × ū reversed", _EQUATIONS, "force",
          "cross(placed.joint_axis(link), placed.units[term.unit])",
          "cross(placed.units[term.unit], placed.joint_axis(link))"),
    Fault("products of axes: sign of a reversed pair", _FRAMES, "frames", "((1, c), (-1, c))", "((1, c), (1, c))"),
    Fault("prismatic joint: weight pulls backwards", _EQUATIONS, "force",
          "moment.mass * dot(placed.joint_axis(link), fall)", "-moment.mass * dot(placed.joint_axis(link), fall)"),
    Fault("joint axis not turned into fixed axes", _FRAMES, "Frames.joint_axis",
          "from_frame(self.axes[link.number], link.axis)", "link.axis"),
    Fault("axes of a link: base left out", _FRAMES, "frames", "axes[link.base]", "UNIT"),
    Fault("rotation: turned the other way", _VECTORS, "rotate_frame", "(cos(angle), sin(angle))",
          "(cos(angle), -sin(angle))"),
    Fault("rotation: sign of one element", _VECTORS, "rotate_frame", "v * x * z - s * y", "v * x * z + s * y"),
    Fault("names: an axis shared although the joint turns it", _LINKS, "_move_seat", "_keep_names(seat.names, et.axis)",
          "seat.names"),
    Fault("links: the shift behind a joint ignored", _LINKS, "_move_seat", "plus(seat.origin, way)", "seat.origin"),
    Fault("links: a centre not turned with its body", _LINKS, "_seat", "from_frame(seat.axes, inertia.centre)",
          "inertia.centre"),
    Fault("masses of bipolar elements forgotten", _EQUATIONS, "StaticMoments.derive", "system.lump_masses()", "system"),
    Fault("joint forces: weight left out", _JOINTS, "_forces", "times(part.mass, fall)", "times(part.mass * 0, fall)"),
    Fault("joint forces: first moment m_k r_k of the pole left out", _JOINTS, "_forces",
          "times(part.mass, places.poles[part.link.number])", "times(part.mass * 0, places.poles[part.link.number])"),
    Fault("joint forces: loads on carried links forgotten", _JOINTS, "_forces",
          "[pushes[j.number] for j in carried[link.number]]", "[]"),
    Fault("joint moments: weight of the own bodies pulls upwards", _JOINTS, "_moments",
          "minus(centre, system.gravity_vector)", "plus(centre, system.gravity_vector)"),
    Fault("joint moments: tensor in place of second moments", _JOINTS, "_mass", "times(half, e)", "times(half * 2, e)"),
    Fault("joint moments: e_i'' × e_j in place of e_i × e_j''", _JOINTS, "_moments",
          "cross(from_frame(mass.axes, row), axis)", "cross(axis, from_frame(mass.axes, row))"),
    Fault("joint moments: moments of the carried links without their forces' arms", _JOINTS, "_moments",
          "plus(found[j.number], cross(arm, forces[j.number]))", "found[j.number]"),
    Fault("joint moments: moments applied to links forgotten", _JOINTS, "_moments",
          "plus(cross(arm, load.force), load.moment)", "cross(arm, load.force)"),
    Fault("joint moments: about the pole and not about the body's origin", _JOINTS, "joint_forces",
          "minus(about[link], cross(arm, forces[link]))", "about[link]"),
    Fault("joint forces: in fixed axes and not in the body's", _JOINTS, "joint_forces", "to_frame(axes, forces[link])",
          "forces[link]"),
    Fault("loads: moment of a wrench taken in fixed axes", _LOADS, "loads",
          "from_frame(frame, force.moment)", "force.moment"),
    Fault("loads: force that follows its body taken in fixed axes", _LOADS, "loads",
          "from_frame(frame, force.force) if force.follows else force.force", "force.force"),
    Fault("loads: a bipolar element pulls where it pushes", _LOADS, "_bipolar",
          "((force.first, first, minus(NONE, push)), (force.second, second, push))",
          "((force.first, first, push), (force.second, second, minus(NONE, push)))"),
    Fault("poles: a sliding pole stays at its initial position", _POSITIONS, "poles",
          "at if link.revolute else plus(at, times(link.q, placed.joint_axis(link)))", "at"),
    Fault("deep, (1): static moments of the carried bodies dropped", _WRITEOUT, "sum_moments",
          "plus(total, found[j])",
          "total"),
    Fault("deep, (2): terms of a link left in its own axes", _WRITEOUT, "sum_moments", "placed.units[term.unit]",
          "placed.units[term.unit[0] if term.unit[0] in placed.units else term.unit]"),
    Fault("deep: g × m̄ in place of m̄ × g", _WRITEOUT, "force", "cross(moment, fall)", "cross(fall, moment)"),
    Fault("deep: prismatic joint bears its own weight alone", _WRITEOUT, "force", "part.mass * dot(axis, fall)",
          "sum((m for m, _ in part.link.bodies)) * dot(axis, fall)"),
    Fault("deep: a joint that slides taken for one that turns", _WRITEOUT, "force", "part.link.revolute", "True"),
)  # fmt: skip
