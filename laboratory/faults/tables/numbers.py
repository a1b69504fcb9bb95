"""Seeded faults between right equations and the screen: each ends the command that prints its number with exit code 1.

Most were mutants that changed a printed number in silence. A command's words name models of the fixtures, and files
that :data:`FILES` holds; ``python`` stands for a line that calls the public functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbconcord.testing import Fault

_SIMULATION, _LINEAR = "mbconcord.simulation.", "mbconcord.simulation.linear."
_RUN = _SIMULATION + "motion."

#: Files beside the models.
FILES: Final = {
    "block.mbsd": "u(x)\"(3 - 5 sign(x')) $2",
    "fast.json": '{"v": {"x": 2}}',
    "bent.json": '{"q": {"z1": 0.3}}',
    "hanging.mbsd": "z°-90 i1 $1 > z i1 $1 g9.81-y",
    "spring.mbsd": "u(x)\"(-4*x - 0.1*x') $2 > u(y)\"(-9*y - 0.3*y' - x) $1",
    "driven.json": '{"q": {"z1": 0.3, "z2": 0.4}, "v": {"z1": 1.0, "z2": -0.5}}',
    "rotor.mjcf.xml": """<mujoco model="rotor"><worldbody><body name="arm">
        <joint name="q" type="hinge" axis="0 1 0" armature="0.01"/>
        <inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>""",
    "heavy.mbsd": "z°-90 i1.1 $1.3 > z i1 $1 g9.81-y",
    "other.mbsd": "z°30 i0.9 $1 > z°30 i1 $1.2 g9.81-y",
    "press.mbsd": "z(a) i1 $1 #crank > z(b) i2 $1 #rod \\ u(s)°2.9 $1 #slider ; g-y \\ #rod z(p) = < #slider",
    "crank.csv": "t,a\n0,0.3\n0.1,0.32\n0.2,0.38\n0.3,0.48\n0.4,0.62\n0.5,0.8\n",
    "orbit.mbsd": 'u(x)"(-10*x*(x^2 + y^2)) v(y)"(-10*y*(x^2 + y^2)) $1',
    "orbit.json": '{"q": {"x": 0.5, "y": 0.0}, "v": {"x": 0.0, "y": 0.7905694150420949}}',
    "duffing.mbsd": "u(x)\"(-10*x - x^3 + sin(t) - x'/2) $1",
    "swing.csv": "t,z1,z2\n0,0,0\n1,0.1,0.2\n2,0.3,0.1\n",
    "rough.mbs.json": """{"format": "mbconcord", "version": 1, "name": "rough", "coordinates": [
        {"name": "q", "position": 0.4, "velocity": 2}], "parameters": [{"name": "N", "normal": "bar"}],
        "gravity": {"value": 9.81, "direction": "-y"}, "bodies": [{"name": "bar", "parent": null,
        "joint": [{"rotation": "z", "coordinate": "q"}],
        "inertia": {"mass": 2, "centre": [0.3, 0, 0], "tensor": [0, 0, 0.1, 0, 0, 0]}}],
        "forces": [{"kind": "joint_effort", "name": "rub", "coordinate": "q", "effort": "-0.01*N*sign(q')"}]}""",
    "still.csv": "t,w1,x1,y1,z1\n0,0,0,0,0\n1,0.1,0.2,0.1,0.3\n2,0.2,0.1,0.4,0.1\n",
}
PENDULUM, CRANK, BAR, WALKER, BRANCHED = (
    "mbsd/double_pendulum.mbsd", "native/slider_crank.mbs.json", "mbsd/four_bar.mbsd", "tp/quadruped.tp.csv",
    "mbsd/branched.mbsd",
)  # fmt: skip
RUBBING, RUBBED = ("evaluate", "rough.mbs.json"), ("simulate", "rough.mbs.json", "--until", "0.05")
SLIDING = ("simulate", "block.mbsd", "--until", "0.3", "--state", "fast.json")
MOVED = ("simulate", CRANK, "--until", "0.02")
SWUNG = ("simulate", PENDULUM, "--until", "0.3", "--event", "z1 - 0.5")
TABLE = (*SWUNG, "--output", "out.csv")
ALONG = ("simulate", "press.mbsd", "--motion", "crank.csv")
CLOSED = ("assemble", BAR, "--state", "bent.json")
LINEAR = ("linearize", "spring.mbsd")
ROWS = ("evaluate", BAR, "--formalism", "lagrange")
PARTS = ("evaluate", PENDULUM, "--formalism", "lagrange", "--quantity", "pose(body2),center_of_mass,joint_forces")
DRIVEN = ("evaluate", BAR, "--formalism", "telegin", "--drive", "z1=0.3,1,0")
BRICARD = "overconstrained/bricard.mbs.json"
AT, HANGING = ("linearize", BAR), ("linearize", "hanging.mbsd")
RESTING = ("equilibrium", BAR)
STANDING = ("walk", WALKER, "--hull", "30@0,0.05,0")
PLAYED = ("animate", BRANCHED, "still.csv", "out.html")
TOLD = ("evaluate", PENDULUM, "--formalism", "newton_euler", "--state", "driven.json")
MACHINE = ("python", f"mb.compile(FIXTURES / {PENDULUM!r}, backend='llvm')([[0.3, 0.4]], [[1.0, 2.0]])")
COMPILED = ("python", f"mb.compile(FIXTURES / {PENDULUM!r}, backend='numpy')([[0.3, 0.4]], [[1.0, 2.0]])")
LOOPS = ("python", "mb.compile(FIXTURES / 'mbsd/andrews.mbsd', 'acceleration', 'newton_euler', 'numpy')")
#: Motions at once; what is wrong with them is a finding of the result.
TOGETHER = (
    "many = mb.ensemble({model}, {states}, {steps}, backend={backend!r}); "
    "print(many.t.tolist(), many.q.tolist(), many.v.tolist(), many.difference.round(12), many.gap.round(12)); "
    "[(_ for _ in ()).throw(DisagreementError(d)) for d in many.diagnostics if d.severity == 'error']"
)
MANY, MANY_CLOSED = (
    ("python", TOGETHER.format(model=f"FIXTURES / {model!r}", states=states, steps=steps, backend=backend))
    for model, states, steps, backend in (
        (PENDULUM, "[[0.3, 0.4, 1.0, 2.0], [0.1, 0, 0, 0]]", "0.2, 0.01", "llvm"), (BAR, "{}", "1.0, 0.05", "numpy"),
    )
)  # fmt: skip
ORBIT = ("linearize", "orbit.mbsd", "--state", "orbit.json")
PERIOD = ("linearize", "duffing.mbsd", "--time", "0", "--period", "6.283185307179586")
SPEEDS = ("evaluate", PENDULUM, "--speeds", "u1=z1'+z2'", "--speeds", "u2=z1'", "--state", "driven.json")
PROVED = ("certify", PENDULUM, "--formalisms", "lagrange,newton_euler", "-o", "p.cert")
PROVED_CLOSED = ("certify", BAR, "--formalisms", "lagrange", "-o", "p.cert")
SENT = ("python", f"mb.compile(FIXTURES / {PENDULUM!r}, 'h', 'newton_euler', 'llvm')")
#: Of other models exit code 1 is the verdict; a witness that disagrees says more.
WHY = ("compare", "hanging.mbsd", "other.mbsd", "--why", "--why-seconds", "600")  # whatever else runs here
HEAVIER = ("compare", "hanging.mbsd", "heavy.mbsd", *WHY[3:])
BORNE = ("check", CRANK, "--states", "2", "--claims", "none", "--exact", "off", "--report", "r.md")
_WHY = "mbconcord.validation.explain."
LINKED = (
    "python",
    "mb.compile(FIXTURES / 'robots/panda.mbsd', quantities='inverse_dynamics', per_link=True, backend='llvm')",
)


@dataclass(frozen=True)
class PrintedFault:
    """A fault, and the command that has to end with exit code 1."""

    fault: Fault
    command: tuple[str, ...]


def _row(title: str, module: str, function: str, original: str, faulty: str, command: tuple[str, ...]) -> PrintedFault:
    return PrintedFault(Fault(title, module, function, original, faulty, owner="shared"), command)


#: The silent mutants of the draws of 20261123 and 20261124.
SILENT: tuple[PrintedFault, ...] = (
    _row("multipliers without the lengths of their rows", _SIMULATION + "rows", "_by_length",
         "np.where(sound[:, None], D, 0.0) / lengths[:, None]", "np.where(sound[:, None], D, 0.0)", MOVED),
    _row("dry friction that acts as viscous", _RUN + "events", "smooth_friction", "v * v", "v / v", SLIDING),
    _row("sign of the work", _RUN + "stretch", "Stretch.row", "float(y[-1])", "-float(y[-1])", SLIDING),
    _row("distance of an assembly without absolute values", _SIMULATION + "keeping", "Placed.distance",
         "np.abs(self.shift / self.units)", "(self.shift / self.units) * 0.5", CLOSED),
    _row("Hz in rad/s", _LINEAR + "modes", "LinearMode.hertz", "2 * np.pi", "1.0", LINEAR),
    _row("damping ratio of zero", _LINEAR + "modes", "LinearMode.damping",
         "0.0 - self.eigenvalue.real / self.omega", "0.0", LINEAR),
    _row("frequencies squared", _LINEAR + "modes", "_solve_undamped", "complex(0.0, np.sqrt(value))",
         "complex(0.0, value)", HANGING),
    _row("shapes without their measure", _LINEAR + "modes", "normal", "shape / shape[i]", "shape * shape[i]", LINEAR),
    _row("stiffness doubled", _LINEAR + "linearised", "Linearised.stiffness", "(self.K + self.K.T) / 2",
         "self.K + self.K.T", LINEAR),
    _row("circulatory part times four", _LINEAR + "linearised", "Linearised.circulatory", "(self.K - self.K.T) / 2",
         "(self.K - self.K.T) * 2", LINEAR),
    _row("sign of the geometric stiffness", _LINEAR + "linearised", "linearise_equations", "slopes.K - still.K",
         "slopes.K + still.K", AT),
    _row("inertia forces with the wrong sign", _LINEAR + "equations", "equations",
         "gravity + applied - h", "gravity - applied - h", LINEAR),
    _row("sign of multipliers at rest", _LINEAR + "equilibrium", "_EquilibriumSearch.balance",
         "basis.multipliers(-at.force)", "basis.multipliers(at.force)", RESTING),
    _row("multipliers without D", _LINEAR + "equilibrium", "_EquilibriumSearch.balance", "at.D * multipliers[:, None]",
         "multipliers[:, None]", ("equilibrium", CRANK)),
    _row("reduction of large angles", "mbconcord.kernels.sincos", "", "6755399441055744.0",
         "3377699720527872.0", MACHINE),
    _row("per-link code that returns memory", "mbconcord.kernels.llvm.links", "", "('%force', 0)",
         "('%carrier', 0)", LINKED),
    _row("sign of a negative factor in generated code", "mbconcord.model.expressions.code", "_operation",
         "f'(-{args[0]})'", "f'({args[0]})'",
         ("export", PENDULUM, "lib", "--formalism", "lagrange", "--language", "jax")),
    _row("a term of a printed list", "mbconcord.reports.equations.listing", "", "self._line(self._new(), node, None)",
         "self._line(self._new(), node.args[0], None)", ("derive", "mbsd/manipulator.mbsd", "--formalism", "lagrange")),
    _row("blocks of a matrix transposed", "mbconcord.api.compiling.compiled", "", "block.T", "block[::-1].T", COMPILED),
    _row("a row of a closed machine that is not made orthogonal", "mbconcord.kernels.motion",
         "MotionFactors.__init__", "-part", "part", LOOPS),
    _row("entries of a direct call exchanged", "mbconcord.api.compiling.direct", "DirectFunction.evaluate",
         "zip(self._names, found)", "zip(self._names, (x[..., ::-1] for x in found))", SENT),
    _row("printed energy without its kinetic part", "mbconcord.cli.simulate", "_choose_rows",
         "row.kinetic + row.potential", "row.potential", SWUNG),
    _row("joint forces of the next body", "mbconcord.reports.reactions", "", "x[0, 6 * i:6 * i + 6]",
         "x[0, 6 * i + 1:6 * i + 7]", BORNE),
    _row("modes left out of the table", "mbconcord.cli.tables.linear", "", "range(1, len(found.modes) + 1)",
         "range(1, len(found.modes))", LINEAR),
    _row("points of another body", "mbconcord.reports.animation.page", "drawing", "enumerate(names)",
         "enumerate(names, 1)", PLAYED),
    _row("a leg too few stands", "mbconcord.api.walk", "steps_of", "len(made.legs) + 1", "len(made.legs)", STANDING),
    _row("another leg is lifted", "mbconcord.api.walk", "steps_of", "k != i", "k != 1", STANDING),
    _row("a prefix that nothing declares", "mbconcord.converters.sdf.writing.model", "",
         "dict([DRAKE]) if rotors else {}", "{}", ("convert", "rotor.mjcf.xml", "out.sdf", "--verify")),
)  # fmt: skip

#: Others, where a number has had no witness; most are written by hand between an equation and the screen.
MORE: tuple[PrintedFault, ...] = (
    _row("events at a part of the step", _RUN + "events", "Events.find_in_step",
         "float(brentq(value, step.start, step.end, xtol=1e-300, rtol=1e-15))",
         "0.9 * float(brentq(value, step.start, step.end, xtol=1e-300, rtol=1e-15))", SWUNG),
    _row("rank of an assembly", "mbconcord.api.assemble", "Assembled.rank", "int(self.placed.assembly.rank[0])",
         "int(self.placed.assembly.rank[0]) - 1", CLOSED),
    _row("weight of a payload twice", "mbconcord.api.walk", "walk", "hull.mass * np.array(hull.at)",
         "2 * hull.mass * np.array(hull.at)", STANDING),
    _row("margin by the farthest edge", "mbconcord.simulation.support", "stability_margin",
         "min((_distance(p, a, b) for a, b in zip(polygon, ends, strict=True)))",
         "max((_distance(p, a, b) for a, b in zip(polygon, ends, strict=True)))", STANDING),
    _row("axes of joints drawn backwards", "mbconcord.reports.animation.page", "drawing",
         "joint.point + AXIS * size * joint.axis", "joint.point - AXIS * size * joint.axis", PLAYED),
    _row("axes of joints without a length", "mbconcord.reports.animation.page", "drawing",
         "joint.point + AXIS * size * joint.axis", "joint.point", PLAYED),
    _row("boxes of inertia by another moment", "mbconcord.reports.animation.page", "_solids",
         "moments.sum() - 2 * moments", "moments.sum() - moments", PLAYED),
    _row("turns of drawn frames", "mbconcord.reports.pictures.frames", "turn", "np.eye(3) + s * k",
         "np.eye(3) - s * k", PLAYED),
    _row("rows of another order in evaluate", "mbconcord.cli.evaluate", "collect",
         "evaluation.quantities[quantity][0]", "evaluation.quantities[quantity][0][::-1]", TOLD),
    _row("signs of base parameters", "mbconcord.validation.judge.exact.base_parameters", "base_parameters",
         "rational(row[k], p)", "-rational(row[k], p)", ("info", PENDULUM, "--base-parameters")),
    _row("C with a cosine for a sine", "mbconcord.model.expressions.code", "", '{"abs": "fabs", "sign": "sign_of"}',
         '{"abs": "fabs", "sign": "sign_of", "sin": "cos"}',
         ("derive", PENDULUM, "--formalism", "lagrange", "--output", "c")),
    _row("a fraction in LaTeX without its divisors", "mbconcord.model.expressions.latex", "LatexStyle.product",
         "_line(below, divisors)", "_line(above, upper)",
         ("derive", PENDULUM, "--formalism", "newton_euler", "--output", "latex")),
    _row("a fraction in MathML without its divisors", "mbconcord.model.expressions.mathml", "MathmlStyle.product",
         "_line(below, divisors)", "_line(above, upper)",
         ("derive", PENDULUM, "--formalism", "newton_euler", "--output", "mathml")),
    _row("end of a run at half its time", "mbconcord.cli.simulate", "print_text", "found.reached",
         "0.5 * found.reached", SWUNG),
    _row("balance of a run less one", "mbconcord.cli.simulate", "summary", "abs(row.balance)", "row.balance - 1.0",
         SWUNG),
    _row("size of energies by the kinetic one", "mbconcord.cli.simulate", "print_text",
         "abs(row.kinetic) + abs(row.potential)", "abs(row.kinetic)", SWUNG),
    _row("smallest gap of a run", "mbconcord.cli.simulate", "summary", "max((row.gap for row in rows), default=0.0)",
         "min((row.gap for row in rows), default=0.0)", MOVED),
    _row("rates printed as positions", "mbconcord.cli.simulate", "_choose_rows", "row.q", "row.v", SWUNG),
    _row("efforts of drives with the wrong sign", "mbconcord.cli.simulate", "_choose_rows", "row.multipliers[place]",
         "-row.multipliers[place]", ALONG),
    _row("rates of a given motion for its positions", _RUN + "prescribed", "_PrescribedAlong._row", "(q[:n], v[:n])",
         "(v[:n], q[:n])", ALONG),
    _row("columns of rates and accelerations exchanged", _RUN + "trajectory", "Trajectory._columns",
         """(('', self.q), ("'", self.v), ("''", self.a))""", """(('', self.q), ("''", self.v), ("'", self.a))""",
         TABLE),
    _row("multipliers of another row in the table", _RUN + "trajectory", "Trajectory._columns", "multipliers[:, i]",
         "multipliers[:, i - 1]", (*MOVED, "--json")),
    _row("a column of energies for all of them", _RUN + "trajectory", "Trajectory._columns", "getattr(row, name)",
         "row.potential", TABLE),
    _row("units of other coordinates", "mbconcord.cli.tables.units", "in_units",
         "own == unit", "own != unit", MOVED),
    _row("rest that is not proved", _LINEAR + "steady", "motion_through", "SteadyMotion(True, True, True)",
         "SteadyMotion(False, True, True)", HANGING),
    _row("equilibrium where forces do not balance", _LINEAR + "linearised", "Linearised.equilibrium",
         "self.unbalanced <= BALANCED", "self.unbalanced > BALANCED", LINEAR),
    _row("inputs with the wrong sign", _LINEAR + "inputs", "_add_input", "u + (c.drive.value if "
         "isinstance(c.drive, Effort) else ZERO)", "(c.drive.value if isinstance(c.drive, Effort) else ZERO) - u",
         (*LINEAR, "--inputs", "x")),
    _row("units of inputs exchanged", _LINEAR + "inputs", "_places", "c.name in turning", "c.name not in turning",
         (*LINEAR, "--inputs", "x", "--json")),
    _row("gravity drawn upwards", "mbconcord.reports.animation.page", "drawing", "gravity.tolist()",
         "(-gravity).tolist()", ("animate", PENDULUM, "swing.csv", "out.html")),
    _row("plots at other times", "mbconcord.reports.animation.page", "_plots", "np.interp(t, states.t, x)",
         "np.interp(2 * t, states.t, x)", PLAYED),
    _row("plots with units of others", "mbconcord.reports.animation.page", "_plots", "unit[n] == kind",
         "unit[n] != kind", PLAYED),
    _row("positions printed as rates", "mbconcord.cli.evaluate", "collect", """float(values[f"{name}'"])""",
         "float(values[name])", TOLD),
    _row("rows of M in another order", "mbconcord.cli.evaluate", "print_text", "zip(names, result[key])",
         "zip(names, result[key][::-1])", TOLD),
    _row("columns of vectors in another order", "mbconcord.cli.evaluate", "print_text",
         "result[key] or [None] * len(names)", "(result[key] or [None] * len(names))[::-1]", TOLD),
    _row("multipliers in another order", "mbconcord.cli.tables.evaluated", "print_constraints", "result['lambda']",
         "result['lambda'][::-1]", ROWS),
    _row("headings in another order", "mbconcord.cli.tables.evaluated", "print_constraints", "('D', *names, 'lambda')",
         "('D', *names[::-1], 'lambda')", ROWS),
    _row("kinematic quantities in another order", "mbconcord.cli.evaluate", "print_kinematics",
         "zip(rows, matrix, strict=True)", "zip(rows, matrix[::-1], strict=True)", PARTS),
    _row("joint forces of the first body", "mbconcord.cli.tables.evaluated", "_table", "x[0, i]", "x[0, 0]", PARTS),
    _row("forces of a linkage along other axes", "mbconcord.cli.tables.evaluated", "print_linkage",
         "*j['force'], j['moment']", "*j['force'][::-1], j['moment']", DRIVEN),
    _row("rates printed as positions of an assembly", "mbconcord.cli.assemble", "print_text", "repr(q)", "repr(v)",
         CLOSED),
    _row("changes of an assembly exchanged", "mbconcord.cli.assemble", "print_text", "found.placed.shift",
         "found.placed.change", CLOSED),
    _row("another rank of an assembly printed", "mbconcord.cli.assemble", "print_text", "found.placed.assembly.rows",
         "(found.placed.assembly.rows + 1)", CLOSED),
    _row("middle of a page at its half", "mbconcord.reports.animation.page", "_extent", "over.mean(axis=0)",
         "over.mean(axis=0) / 2", PLAYED),
    _row("size of a page at its half", "mbconcord.reports.animation.page", "_extent",
         "2 * max(float(np.linalg.norm(over - centre, axis=2).max()), reach)",
         "max(float(np.linalg.norm(over - centre, axis=2).max()), reach)", PLAYED),
    _row("speed of a page a thousand times too large", "mbconcord.reports.animation.page", "_rate", "return 1.0",
         "return 1000.0", PLAYED),
    _row("another speed chosen", "mbconcord.reports.animation.page", "page", "k == 1", "k == 2", PLAYED),
    _row("last frame of a page", "mbconcord.reports.animation.page", "page", "len(t) - 1", "len(t)", PLAYED),
    _row("directions of a view that are none", "mbconcord.reports.pictures.scene", "axes", "((1, 0, 0), (0, 1, 0))",
         "((1, 0, 0), (0, 0, 0))", ("animate", PENDULUM, "swing.csv", "out.html")),
    _row("plots of other energies", "mbconcord.reports.animation.page", "_plots", "('energies, J', known)",
         "('energies, J', {n: 2 * x for n, x in known.items()})", (*SWUNG, "--plot", "out.html")),
    _row("JSON of an assembly with the wrong sign", "mbconcord.cli.assemble", "as_json", "moved.shift.tolist()",
         "(-moved.shift).tolist()", (*CLOSED, "--json")),
    _row("JSON with another rank", "mbconcord.cli.tables.evaluated", "constrained_to_json", "motion.rank[0]",
         "motion.rank[0] + 1", (*ROWS, "--json")),
    _row("JSON of joint forces of the first body", "mbconcord.cli.tables.evaluated", "show_joint_forces",
         "{name: x[0, i].tolist() for name, x in found.by.items()}",
         "{name: x[0, 0].tolist() for name, x in found.by.items()}", (*PARTS, "--json")),
    _row("JSON of a linkage with the wrong sign", "mbconcord.cli.tables.evaluated", "show_linkage",
         "float(forces.moment[0, i])", "-float(forces.moment[0, i])", (*DRIVEN, "--json")),
    _row("rates given as accelerations of drives", "mbconcord.api.linkages", "driven_state", "float(own[2])",
         "float(own[1])", DRIVEN),
    _row("JSON of a run backwards", "mbconcord.cli.simulate", "as_json", "table[name].tolist()",
         "table[name].tolist()[::-1]", (*MOVED, "--json")),
    _row("JSON of plumb points exchanged", "mbconcord.cli.walk", "_to_json", "list(s.plumb)",
         "list(s.plumb)[::-1]", (*STANDING, "--json")),
    _row("margins printed as payloads", "mbconcord.cli.walk", "_print", "(s.payload, *s.plumb, s.margin)",
         "(s.margin, *s.plumb, s.margin)", STANDING),
    _row("a turn of two rows", _SIMULATION + "rows", "half_angles",
         "((R[2][1] - R[1][2]) / scale, (R[0][2] - R[2][0]) / scale, (R[1][0] - R[0][1]) / scale)",
         "((R[0][2] - R[2][0]) / scale, (R[1][0] - R[0][1]) / scale)", ("assemble", BRICARD)),
    _row("a linkage as its own witness", "mbconcord.api.linkages", "_compare", "n != by.name", "n == by.name", DRIVEN),
    _row("a motion printed with the wrong sign", "mbconcord.api.moving", "JointMotion.describe",
         "self.acceleration[0] + 0.0", "-self.acceleration[0]", (*TOLD, "--hold", "z1")),
    _row("another coordinate held than was asked for", "mbconcord.api.moving", "assign_motion",
         "name in asked", "name not in asked", (*TOLD, "--hold", "z1")),
    _row("a text without its equations", "mbconcord.cli.derive", "run", "comment(left_out, output, head) + str(result)",
         "comment(left_out, output, head)", ("derive", PENDULUM, "--formalism", "lagrange")),
    _row("multipliers without their units", "mbconcord.reports.equations.listing", "units", "not all(of_drives)",
         "all(of_drives)", ("derive", BAR, "--formalism", "newton_euler")),
    _row("a cut on the other body", "mbconcord.reports.reactions", "_rows", "cut.second.body", "cut.first.body", BORNE),
    _row("headings of forces exchanged", "mbconcord.reports.reactions", "reactions", "HEADERS", "HEADERS[::-1]", BORNE),
    _row("joints left out of the table", "mbconcord.reports.reactions", "_rows",
         "_six(joints, found.at_joints, rounding)", "()", BORNE),
    _row("other carriers of joints", "mbconcord.reports.reactions", "_rows", "system.body(name).parent", "name", BORNE),
    _row("like moments counted once too often", "mbconcord.formalisms.static_moments.machine", "_Writer._gather_terms",
         "f'{len(group)}{self.style.dot}{shown}'", "f'{len(group) + 1}{self.style.dot}{shown}'", ("walk", WALKER)),
    _row("an index of LaTeX lost", "mbconcord.formalisms.static_moments.machine", "_subscript",
         "f'{stem}_{{{index}}}'", "f'{stem}_{{c}}'", ("walk", WALKER, "--output", "latex")),
    _row("a point with another letter", "mbconcord.cli.walk", "_read_triple", "return x, y, z", "return y, y, z",
         ("walk", WALKER, "--foot", "0,-0.4,0")),
    _row("payloads with another mass", "mbconcord.cli.walk", "_weights", "HullWeight(mass, where)",
         "HullWeight(mass + 1, where)", ("walk", WALKER, "--payload", "1,2@0,-0.4,0")),
    _row("fields from B to A", _WHY + "search", "_why", "compare_fields(a, b, matching, seed, drawn, printed, off)",
         "compare_fields(b, a, matching, seed, drawn, printed, off)", WHY),
    _row("no table of fields", _WHY + "fields", "LumpedPair.__init__",
         "(off := self.gap(own, checked)) > OWN_NUMBERS", "(off := self.gap(own, checked)) <= OWN_NUMBERS", WHY),
    _row("a centre that no line names", _WHY + "fields", "_unlike", "differs(x[1], y[1], length, part)",
         "differs(y[1], y[1], length, part)", HEAVIER),
    _row("inertia that the motion hides where none is", _WHY + "answer", "Causes._unseen", "not self.invisible",
         "self.invisible", HEAVIER),
    _row("a tolerance ten times that asked for", "mbconcord.api.simulate", "_integrate", "request.tolerance",
         "10 * request.tolerance", SWUNG),
    _row("a run by another formalism than asked for", "mbconcord.api.simulate", "_integrate",
         "_formalism(request.formalism, system)", "_formalism(None, system)", (*SWUNG, "--formalism", "virtual_work")),
    _row("small motions at another time", "mbconcord.api.linearize", "linearize", "request.t", "request.t + 1.0",
         (*LINEAR, "--time", "0.5")),
    _row("small motions by another formalism", "mbconcord.api.linearize", "linearize",
         "whose(request.formalism, system)", "whose(None, system)", (*LINEAR, "--formalism", "virtual_work")),
    _row("rest at another time", "mbconcord.api.equilibrium", "equilibrium", "request.t", "request.t + 1.0",
         (*RESTING, "--time", "0.5")),
    _row("rest by another formalism", "mbconcord.api.equilibrium", "equilibrium", "whose(request.formalism, system)",
         "whose(None, system)", (*RESTING, "--formalism", "virtual_work")),
    _row("head of another system", "mbconcord.cli.tables.linear", "linear_text", "found.system",
         "found.formalism", LINEAR),
    _row("total energies by a difference", "mbconcord.api.animate", "with_total",
         "known['kinetic'] + known['potential']", "known['kinetic'] - known['potential']",
         (*SWUNG, "--plot", "out.html")),
    _row("half the difference from half as many steps", "mbconcord.api.ensemble", "ensemble", "np.abs(last - other)",
         "0.5 * np.abs(last - other)", MANY),
    _row("positions moved off the constraints", "mbconcord.api.compiling.closing", "Closing.compile",
         "symbol(name) + x", "symbol(name) - x", MANY_CLOSED),
    _row("a steady motion from the fixed frame", _LINEAR + "relative", "judge_relative",
         "A - (along.slope(q, v) @ shifts)[take]", "A + (along.slope(q, v) @ shifts)[take]", ORBIT),
    _row("multipliers of two periods", _LINEAR + "periodic", "Orbit.judge",
         "(complex(x) for x in np.linalg.eigvals(Phi))",
         "(complex(x) ** 2 for x in np.linalg.eigvals(Phi))", PERIOD),
    _row("quantities in speeds with the wrong sign", "mbconcord.api.derivatives", "_evaluate_in_speeds",
         "columns[name], start = (x, off), stop", "columns[name], start = (-x, off), stop", SPEEDS),
    _row("normal forces across one direction of a pin alone", "mbconcord.model.normal_forces", "hold_across",
         "_list_across(body.joint[place])", "_list_across(body.joint[place])[:1]", RUBBING),
    _row("accelerations of half the normal forces", "mbconcord.api.evaluate", "find_normal_forces",
         "_with_values(states, pressed.names, values)", "_with_values(states, pressed.names, values / 2)", RUBBING),
    _row("normal forces printed twice", "mbconcord.api.evaluate", "FoundNormalForces.by_name",
         "zip(self.names, self.values.T, strict=True)", "zip(self.names, 2 * self.values.T, strict=True)", RUBBING),
    _row("normal forces of a run by half their slopes", _SIMULATION + "motion.equations", "NormalForces._solve",
         "step * e", "step * e / 2", RUBBED),
    _row("another gravity in a certificate", "mbconcord.certificate.machine", "_Machine.build",
         "*system.gravity_vector", "*(-x for x in system.gravity_vector)", PROVED),
    _row("formalisms' notes of other formalisms", "mbconcord.cli.info", "run", "not obstacles[f.name]",
         "obstacles[f.name]", ("info", PENDULUM)),
    _row("a distance of states that are on the constraints", "mbconcord.cli.tables.evaluated", "print_distance",
         "not (about['gap'] is not None and about['gap'] <= ACCEPTED)", "True", ROWS),
    _row("steps of a search without their gain", _SIMULATION + "levenberg_marquardt", "solve", "np.clip(gain, 0, 1)",
         "np.clip(gain, 0, 0)", CLOSED),
    _row("frames that others alone witness", "mbconcord.api.kinematics", "kinematics", "c.a == by.name",
         "c.a != by.name", PARTS),
    _row("positions at rest to half their digits", _LINEAR + "equilibrium", "_EquilibriumSearch._try_step",
         "1e-16", "1.0", RESTING),
    _row("a balance against nothing", _RUN + "stretch", "Stretch.row", "H - reference - work", "H - work", SLIDING),
    _row("rates and units of headers exchanged", "mbconcord.validation.against.probes", "Probe.header",
         """("'", '/s')""", """('/s', "'")""", ("um", "probes", "kit")),
    _row("accelerations of the constraints with the wrong sign", "mbconcord.certificate.emit", "_write_program",
         "[[gamma[i] for i in own]]", "[[-gamma[i] for i in own]]", PROVED_CLOSED),
)  # fmt: skip
FAULTS: Final = (*SILENT, *MORE)
