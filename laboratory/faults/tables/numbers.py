"""Seeded faults between right equations and the screen: each ends the command that prints its number with exit code 1.

Most were mutants that changed a printed number in silence. A command's words name models of the fixtures, and files
that :data:`FILES` holds; ``python`` stands before a line that calls the public functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbconcord.testing import Fault

from . import read_fault

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
RUBBING, RUBBED = "evaluate rough.mbs.json", "simulate rough.mbs.json --until 0.05"
SLIDING = "simulate block.mbsd --until 0.3 --state fast.json"
MOVED = f"simulate {CRANK} --until 0.02"
SWUNG = f"simulate {PENDULUM} --until 0.3 --event z1-0.5"
TABLE = f"{SWUNG} --output out.csv"
ALONG = "simulate press.mbsd --motion crank.csv"
CLOSED = f"assemble {BAR} --state bent.json"
LINEAR, AT, HANGING = "linearize spring.mbsd", f"linearize {BAR}", "linearize hanging.mbsd"
ROWS = f"evaluate {BAR} --formalism lagrange"
PARTS = f"evaluate {PENDULUM} --formalism lagrange --quantity pose(body2),center_of_mass,joint_forces"
DRIVEN = f"evaluate {BAR} --formalism telegin --drive z1=0.3,1,0"
RESTING = f"equilibrium {BAR}"
STANDING = f"walk {WALKER} --hull 30@0,0.05,0"
PLAYED = f"animate {BRANCHED} still.csv out.html"
TOLD = f"evaluate {PENDULUM} --formalism newton_euler --state driven.json"
MACHINE, COMPILED = (
    f"python mb.compile(FIXTURES / {PENDULUM!r}, backend={backend!r})([[0.3, 0.4]], [[1.0, 2.0]])"
    for backend in ("llvm", "numpy")
)
LOOPS = "python mb.compile(FIXTURES / 'mbsd/andrews.mbsd', 'acceleration', 'newton_euler', 'numpy')"
#: Motions at once; what is wrong with them is a finding of the result.
TOGETHER = (
    "python many = mb.ensemble(FIXTURES / {model!r}, {states}, {steps}, backend={backend!r}); "
    "print(many.t.tolist(), many.q.tolist(), many.v.tolist(), many.difference.round(12), many.gap.round(12)); "
    "[(_ for _ in ()).throw(DisagreementError(d)) for d in many.diagnostics if d.severity == 'error']"
)
SWARM = "[[0.3, 0.4, 1.0, 2.0], [0.1, 0, 0, 0]]"
MANY = TOGETHER.format(model=PENDULUM, states=SWARM, steps="0.2, 0.01", backend="llvm")
MANY_CLOSED = TOGETHER.format(model=BAR, states="{}", steps="1.0, 0.05", backend="numpy")
ORBIT = "linearize orbit.mbsd --state orbit.json"
PERIOD = "linearize duffing.mbsd --time 0 --period 6.283185307179586"
SPEEDS = f"evaluate {PENDULUM} --speeds u1=z1'+z2' --speeds u2=z1' --state driven.json"
PROVED = f"certify {PENDULUM} --formalisms lagrange,newton_euler -o p.cert"
PROVED_CLOSED = f"certify {BAR} --formalisms lagrange -o p.cert"
SENT = f"python mb.compile(FIXTURES / {PENDULUM!r}, 'h', 'newton_euler', 'llvm')"
#: Of other models exit code 1 is the verdict; a witness that disagrees says more. Whatever else runs, it has 600 s.
WHY, HEAVIER = (f"compare hanging.mbsd {other}.mbsd --why --why-seconds 600" for other in ("other", "heavy"))
BORNE = f"check {CRANK} --states 2 --claims none --exact off --report r.md"
LINKED = (
    "python mb.compile(FIXTURES / 'robots/panda.mbsd', quantities='inverse_dynamics', per_link=True, backend='llvm')"
)


@dataclass(frozen=True)
class PrintedFault:
    """A fault, and the command that has to end with exit code 1."""

    fault: Fault
    command: tuple[str, ...]


def _printed(*rows: tuple[str, str, str, str]) -> tuple[PrintedFault, ...]:
    """Read rows of :func:`read_fault` that end with the command; of one of ``python`` all the rest is one word."""
    split = ((row, row[3].split(maxsplit=1 if row[3].startswith("python ") else -1)) for row in rows)
    return tuple(PrintedFault(read_fault("", *row[:3], owner="shared"), tuple(words)) for row, words in split)


#: The silent mutants of the draws of 20261123 and 20261124.
SILENT = _printed(
    ("multipliers without the lengths of their rows", "simulation.rows:_by_length",
     "np.where(sound[:, None], D, 0.0)« / lengths[:, None] → »", MOVED),
    ("dry friction that acts as viscous", "simulation.motion.events:smooth_friction", "v «* → /» v", SLIDING),
    ("sign of the work", "simulation.motion.stretch:Stretch.row", "« → -»float(y[-1])", SLIDING),
    ("distance of an assembly without absolute values", "simulation.keeping:Placed.distance",
     "«np.abs(self.shift / self.units) → (self.shift / self.units) * 0.5»", CLOSED),
    ("Hz in rad/s", "simulation.linear.modes:LinearMode.hertz", "«2 * np.pi → 1.0»", LINEAR),
    ("damping ratio of zero", "simulation.linear.modes:LinearMode.damping",
     "0.0« - self.eigenvalue.real / self.omega → »", LINEAR),
    ("frequencies squared", "simulation.linear.modes:_solve_undamped", "complex(0.0, «np.sqrt(value) → value»)",
     HANGING),
    ("shapes without their measure", "simulation.linear.modes:normal", "shape «/ → *» shape[i]", LINEAR),
    ("stiffness doubled", "simulation.linear.linearised:Linearised.stiffness",
     "«(self.K + self.K.T) / 2 → self.K + self.K.T»", LINEAR),
    ("circulatory part times four", "simulation.linear.linearised:Linearised.circulatory",
     "(self.K - self.K.T) «/ → *» 2", LINEAR),
    ("sign of the geometric stiffness", "simulation.linear.linearised:linearise_equations", "slopes.K «- → +» still.K",
     AT),
    ("inertia forces with the wrong sign", "simulation.linear.equations:equations", "gravity «+ → -» applied - h",
     LINEAR),
    ("sign of multipliers at rest", "simulation.linear.equilibrium:_EquilibriumSearch.balance",
     "basis.multipliers(«- → »at.force)", RESTING),
    ("multipliers without D", "simulation.linear.equilibrium:_EquilibriumSearch.balance",
     "«at.D *  → »multipliers[:, None]", f"equilibrium {CRANK}"),
    ("reduction of large angles", "kernels.sincos:", "«6755399441055744.0 → 3377699720527872.0»", MACHINE),
    ("per-link code that returns memory", "kernels.llvm.links:", "('%«force → carrier»', 0)", LINKED),
    ("sign of a negative factor in generated code", "model.expressions.code:_operation", "f'(«- → »{args[0]})'",
     f"export {PENDULUM} lib --formalism lagrange --language jax"),
    ("a term of a printed list", "reports.equations.listing:", "self._line(self._new(), node« → .args[0]», None)",
     "derive mbsd/manipulator.mbsd --formalism lagrange"),
    ("blocks of a matrix transposed", "api.compiling.compiled:", "block« → [::-1]».T", COMPILED),
    ("a row of a closed machine that is not made orthogonal", "kernels.motion:MotionFactors.__init__", "«- → »part",
     LOOPS),
    ("entries of a direct call exchanged", "api.compiling.direct:DirectFunction.evaluate",
     "zip(self._names, «found → (x[..., ::-1] for x in found)»)", SENT),
    ("printed energy without its kinetic part", "cli.simulate:_choose_rows", "row.«kinetic + row. → »potential", SWUNG),
    ("joint forces of the next body", "reports.reactions:", "x[0, 6 * i«:6 * i + 6 →  + 1:6 * i + 7»]", BORNE),
    ("modes left out of the table", "cli.tables.linear:", "range(1, len(found.modes)« + 1 → »)", LINEAR),
    ("points of another body", "reports.animation.page:drawing", "enumerate(names« → , 1»)", PLAYED),
    ("a leg too few stands", "api.walk:steps_of", "len(made.legs)« + 1 → »", STANDING),
    ("another leg is lifted", "api.walk:steps_of", "k != «i → 1»", STANDING),
    ("a prefix that nothing declares", "converters.sdf.writing.model:", "«dict([DRAKE]) if rotors else  → »{}",
     "convert rotor.mjcf.xml out.sdf --verify"),
)  # fmt: skip

#: Others, where a number has had no witness; most are written by hand between an equation and the screen.
MORE = _printed(
    ("events at a part of the step", "simulation.motion.events:Events.find_in_step",
     "« → 0.9 * »float(brentq(value, step.start, step.end, xtol=1e-300, rtol=1e-15))", SWUNG),
    ("rank of an assembly", "api.assemble:Assembled.rank", "int(self.placed.assembly.rank[0])« →  - 1»", CLOSED),
    ("weight of a payload twice", "api.walk:walk", "« → 2 * »hull.mass * np.array(hull.at)", STANDING),
    ("margin by the farthest edge", "simulation.support:stability_margin",
     "«min → max»((_distance(p, a, b) for a, b in zip(polygon, ends, strict=True)))", STANDING),
    ("axes of joints drawn backwards", "reports.animation.page:drawing", "joint.point «+ → -» AXIS * size * joint.axis",
     PLAYED),
    ("axes of joints without a length", "reports.animation.page:drawing", "joint.point« + AXIS * size * joint.axis → »",
     PLAYED),
    ("boxes of inertia by another moment", "reports.animation.page:_solids", "moments.sum() - «2 *  → »moments",
     PLAYED),
    ("turns of drawn frames", "reports.pictures.frames:turn", "np.eye(3) «+ → -» s * k", PLAYED),
    ("rows of another order in evaluate", "cli.evaluate:collect", "evaluation.quantities[quantity][0]« → [::-1]»",
     TOLD),
    ("signs of base parameters", "validation.judge.exact.base_parameters:base_parameters", "« → -»rational(row[k], p)",
     f"info {PENDULUM} --base-parameters"),
    ("C with a cosine for a sine", "model.expressions.code:", '{"abs": "fabs", "sign": "sign_of"« → , "sin": "cos"»}',
     f"derive {PENDULUM} --formalism lagrange --output c"),
    ("a fraction in LaTeX without its divisors", "model.expressions.latex:LatexStyle.product",
     "_line(«below, divisors → above, upper»)", f"derive {PENDULUM} --formalism newton_euler --output latex"),
    ("a fraction in MathML without its divisors", "model.expressions.mathml:MathmlStyle.product",
     "_line(«below, divisors → above, upper»)", f"derive {PENDULUM} --formalism newton_euler --output mathml"),
    ("end of a run at half its time", "cli.simulate:print_text", "« → 0.5 * »found.reached", SWUNG),
    ("balance of a run less one", "cli.simulate:summary", "«abs(row.balance) → row.balance - 1.0»", SWUNG),
    ("size of energies by the kinetic one", "cli.simulate:print_text", "abs(row.kinetic)« + abs(row.potential) → »",
     SWUNG),
    ("smallest gap of a run", "cli.simulate:summary", "«max → min»((row.gap for row in rows), default=0.0)", MOVED),
    ("rates printed as positions", "cli.simulate:_choose_rows", "row.«q → v»", SWUNG),
    ("efforts of drives with the wrong sign", "cli.simulate:_choose_rows", "« → -»row.multipliers[place]", ALONG),
    ("rates of a given motion for its positions", "simulation.motion.prescribed:_PrescribedAlong._row",
     "(«q[:n], v → v[:n], q»[:n])", ALONG),
    ("columns of rates and accelerations exchanged", "simulation.motion.trajectory:Trajectory._columns",
     """(('', self.q), «("'", self.v), ("''", self.a) → ("''", self.v), ("'", self.a)»)""", TABLE),
    ("multipliers of another row in the table", "simulation.motion.trajectory:Trajectory._columns",
     "multipliers[:, i« →  - 1»]", f"{MOVED} --json"),
    ("a column of energies for all of them", "simulation.motion.trajectory:Trajectory._columns",
     "«getattr(row, name) → row.potential»", TABLE),
    ("units of other coordinates", "reports.description:in_units", "own «== → !=» unit", MOVED),
    ("rest that is not proved", "simulation.linear.steady:motion_through", "SteadyMotion(«True → False», True, True)",
     HANGING),
    ("equilibrium where forces do not balance", "simulation.linear.linearised:Linearised.equilibrium",
     "self.unbalanced «<= → >» BALANCED", LINEAR),
    ("inputs with the wrong sign", "simulation.linear.inputs:_add_input",
     "«u + (c.drive.value if isinstance(c.drive, Effort) else ZERO) → (c.drive.value if isinstance(c.drive, Effort) "
     "else ZERO) - u»", f"{LINEAR} --inputs x"),
    ("units of inputs exchanged", "simulation.linear.inputs:_places", "c.name « → not »in turning",
     f"{LINEAR} --inputs x --json"),
    ("gravity drawn upwards", "reports.animation.page:drawing", "«gravity → (-gravity)».tolist()",
     f"animate {PENDULUM} swing.csv out.html"),
    ("plots at other times", "reports.animation.page:_plots", "np.interp(« → 2 * »t, states.t, x)", PLAYED),
    ("plots with units of others", "reports.animation.page:_plots", "unit[n] «== → !=» kind", PLAYED),
    ("positions printed as rates", "cli.evaluate:collect", """float(values[«f"{name}'" → name»])""", TOLD),
    ("rows of M in another order", "cli.evaluate:print_text", "zip(names, result[key]« → [::-1]»)", TOLD),
    ("columns of vectors in another order", "cli.evaluate:print_text",
     "«result[key] or [None] * len(names) → (result[key] or [None] * len(names))[::-1]»", TOLD),
    ("multipliers in another order", "cli.tables.evaluated:print_constraints", "result['lambda']« → [::-1]»", ROWS),
    ("headings in another order", "cli.tables.evaluated:print_constraints", "('D', *names« → [::-1]», 'lambda')", ROWS),
    ("kinematic quantities in another order", "cli.evaluate:print_kinematics",
     "zip(rows, matrix« → [::-1]», strict=True)", PARTS),
    ("joint forces of the first body", "cli.tables.evaluated:_table", "x[0, «i → 0»]", PARTS),
    ("forces of a linkage along other axes", "cli.tables.evaluated:print_linkage",
     "*j['force']« → [::-1]», j['moment']", DRIVEN),
    ("rates printed as positions of an assembly", "cli.assemble:print_text", "repr(«q → v»)", CLOSED),
    ("changes of an assembly exchanged", "cli.assemble:print_text", "found.placed.«shift → change»", CLOSED),
    ("another rank of an assembly printed", "cli.assemble:print_text",
     "«found.placed.assembly.rows → (found.placed.assembly.rows + 1)»", CLOSED),
    ("middle of a page at its half", "reports.animation.page:_extent", "over.mean(axis=0)« →  / 2»", PLAYED),
    ("size of a page at its half", "reports.animation.page:_extent",
     "«2 *  → »max(float(np.linalg.norm(over - centre, axis=2).max()), reach)", PLAYED),
    ("speed of a page a thousand times too large", "reports.animation.page:_rate", "return «1.0 → 1000.0»", PLAYED),
    ("another speed chosen", "reports.animation.page:page", "k == «1 → 2»", PLAYED),
    ("last frame of a page", "reports.animation.page:page", "len(t)« - 1 → »", PLAYED),
    ("directions of a view that are none", "reports.pictures.scene:axes", "((1, 0, 0), (0, «1 → 0», 0))",
     f"animate {PENDULUM} swing.csv out.html"),
    ("plots of other energies", "reports.animation.page:_plots",
     "('energies, J', «known → {n: 2 * x for n, x in known.items()}»)", f"{SWUNG} --plot out.html"),
    ("JSON of an assembly with the wrong sign", "cli.assemble:as_json", "«moved.shift → (-moved.shift)».tolist()",
     f"{CLOSED} --json"),
    ("JSON with another rank", "cli.tables.evaluated:constrained_to_json", "motion.rank[0]« →  + 1»", f"{ROWS} --json"),
    ("JSON of joint forces of the first body", "cli.tables.evaluated:show_joint_forces",
     "{name: x[0, «i → 0»].tolist() for name, x in found.by.items()}", f"{PARTS} --json"),
    ("JSON of a linkage with the wrong sign", "cli.tables.evaluated:show_linkage", "« → -»float(forces.moment[0, i])",
     f"{DRIVEN} --json"),
    ("rates given as accelerations of drives", "api.linkages:driven_state", "float(own[«2 → 1»])", DRIVEN),
    ("JSON of a run backwards", "cli.simulate:as_json", "table[name].tolist()« → [::-1]»", f"{MOVED} --json"),
    ("JSON of plumb points exchanged", "cli.walk:_to_json", "list(s.plumb)« → [::-1]»", f"{STANDING} --json"),
    ("margins printed as payloads", "cli.walk:_print", "(s.«payload → margin», *s.plumb, s.margin)", STANDING),
    ("a turn of two rows", "simulation.rows:half_angles",
     "(«(R[2][1] - R[1][2]) / scale,  → »(R[0][2] - R[2][0]) / scale, (R[1][0] - R[0][1]) / scale)",
     "assemble overconstrained/bricard.mbs.json"),
    ("a linkage as its own witness", "api.linkages:_compare", "n «!= → ==» by.name", DRIVEN),
    ("a motion printed with the wrong sign", "api.moving:JointMotion.describe",
     "«self.acceleration[0] + 0.0 → -self.acceleration[0]»", f"{TOLD} --hold z1"),
    ("another coordinate held than was asked for", "api.moving:assign_motion", "name « → not »in asked",
     f"{TOLD} --hold z1"),
    ("a text without its equations", "cli.derive:run", "comment(left_out, output, head)« + str(result) → »",
     f"derive {PENDULUM} --formalism lagrange"),
    ("multipliers without their units", "reports.equations.listing:units", "«not  → »all(of_drives)",
     f"derive {BAR} --formalism newton_euler"),
    ("a cut on the other body", "reports.reactions:_rows", "cut.«second → first».body", BORNE),
    ("headings of forces exchanged", "reports.reactions:reactions", "HEADERS« → [::-1]»", BORNE),
    ("joints left out of the table", "reports.reactions:_rows", "«_six(joints, found.at_joints, rounding) → ()»",
     BORNE),
    ("other carriers of joints", "reports.reactions:_rows", "«system.body(name).parent → name»", BORNE),
    ("like moments counted once too often", "formalisms.static_moments.machine:_Writer._gather_terms",
     "f'{len(group)« →  + 1»}{self.style.dot}{shown}'", f"walk {WALKER}"),
    ("an index of LaTeX lost", "formalisms.static_moments.machine:_subscript", "f'{stem}_{{«{index} → c»}}'",
     f"walk {WALKER} --output latex"),
    ("a point with another letter", "cli.walk:_read_triple", "return «x → y», y, z", f"walk {WALKER} --foot 0,-0.4,0"),
    ("payloads with another mass", "cli.walk:_weights", "HullWeight(mass« →  + 1», where)",
     f"walk {WALKER} --payload 1,2@0,-0.4,0"),
    ("fields from B to A", "validation.explain.search:_why",
     "compare_fields(«a, b → b, a», matching, seed, drawn, printed, off)", WHY),
    ("no table of fields", "validation.explain.fields:LumpedPair.__init__",
     "(off := self.gap(own, checked)) «> → <=» OWN_NUMBERS", WHY),
    ("a centre that no line names", "validation.explain.fields:_unlike", "differs(«x → y»[1], y[1], length, part)",
     HEAVIER),
    ("inertia that the motion hides where none is", "validation.explain.answer:Causes._unseen",
     "«not  → »self.invisible", HEAVIER),
    ("a tolerance ten times that asked for", "api.simulate:_integrate", "« → 10 * »request.tolerance", SWUNG),
    ("a run by another formalism than asked for", "api.simulate:_integrate",
     "_formalism(«request.formalism → None», system)", f"{SWUNG} --formalism virtual_work"),
    ("small motions at another time", "api.linearize:linearize", "request.t« →  + 1.0»", f"{LINEAR} --time 0.5"),
    ("small motions by another formalism", "api.linearize:linearize", "whose(«request.formalism → None», system)",
     f"{LINEAR} --formalism virtual_work"),
    ("rest at another time", "api.equilibrium:equilibrium", "request.t« →  + 1.0»", f"{RESTING} --time 0.5"),
    ("rest by another formalism", "api.equilibrium:equilibrium", "whose(«request.formalism → None», system)",
     f"{RESTING} --formalism virtual_work"),
    ("head of another system", "cli.tables.linear:linear_text", "found.«system → formalism»", LINEAR),
    ("total energies by a difference", "api.animate:with_total", "known['kinetic'] «+ → -» known['potential']",
     f"{SWUNG} --plot out.html"),
    ("half the difference from half as many steps", "api.ensemble:ensemble", "« → 0.5 * »np.abs(last - other)", MANY),
    ("positions moved off the constraints", "api.compiling.closing:Closing.compile", "symbol(name) «+ → -» x",
     MANY_CLOSED),
    ("a steady motion from the fixed frame", "simulation.linear.relative:judge_relative",
     "A «- → +» (along.slope(q, v) @ shifts)[take]", ORBIT),
    ("multipliers of two periods", "simulation.linear.periodic:Orbit.judge",
     "(complex(x) « → ** 2 »for x in np.linalg.eigvals(Phi))", PERIOD),
    ("quantities in speeds with the wrong sign", "api.derivatives:_evaluate_in_speeds",
     "columns[name], start = (« → -»x, off), stop", SPEEDS),
    ("normal forces across one direction of a pin alone", "model.normal_forces:hold_across",
     "_list_across(body.joint[place])« → [:1]»", RUBBING),
    ("accelerations of half the normal forces", "api.evaluate:find_normal_forces",
     "_with_values(states, pressed.names, values« →  / 2»)", RUBBING),
    ("normal forces printed twice", "api.evaluate:FoundNormalForces.by_name",
     "zip(self.names, « → 2 * »self.values.T, strict=True)", RUBBING),
    ("normal forces of a run by half their slopes", "simulation.motion.equations:NormalForces._solve",
     "step * e« →  / 2»", RUBBED),
    ("another gravity in a certificate", "certificate.machine:_Machine.build",
     "*«system.gravity_vector → (-x for x in system.gravity_vector)»", PROVED),
    ("formalisms' notes of other formalisms", "cli.info:run", "«not  → »obstacles[f.name]", f"info {PENDULUM}"),
    ("a distance of states that are on the constraints", "cli.tables.evaluated:print_distance",
     "«not (about['gap'] is not None and about['gap'] <= ACCEPTED) → True»", ROWS),
    ("steps of a search without their gain", "simulation.levenberg_marquardt:solve", "np.clip(gain, 0, «1 → 0»)",
     CLOSED),
    ("frames that others alone witness", "api.kinematics:kinematics", "c.a «== → !=» by.name", PARTS),
    ("positions at rest to half their digits", "simulation.linear.equilibrium:_EquilibriumSearch._try_step",
     "«1e-16 → 1.0»", RESTING),
    ("a balance against nothing", "simulation.motion.stretch:Stretch.row", "H - «reference -  → »work", SLIDING),
    ("rates and units of headers exchanged", "validation.against.probes:Probe.header", """(«"'", '/s' → '/s', "'"»)""",
     "um probes kit"),
    ("accelerations of the constraints with the wrong sign", "certificate.emit:_write_program",
     "[[« → -»gamma[i] for i in own]]", PROVED_CLOSED),
)  # fmt: skip
FAULTS: Final = (*SILENT, *MORE)
