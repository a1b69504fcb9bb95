"""A model against generated equations: agreement, and what differs where."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from fractions import Fraction

import pytest

from mbconcord.converters.um.equations import read
from mbconcord.converters.um.equations.cplusplus import HOOKS
from mbconcord.formalisms.registry import names
from mbconcord.model import ModelError
from mbconcord.model.equations import joint_force_symbol
from mbconcord.model.expressions import substitute
from mbconcord.reports.part import assumptions
from mbconcord.reports.text import term_lines
from mbconcord.validation.against.programs import check_against

from ....formats.um.um_sets import write_set
from .against_models import CANONICAL, MODELS, MOTIONS, SETS, model, said, set_of, text_model, verdicts


@pytest.mark.slow
def test_the_pendulum_agrees_with_every_formalism_in_every_quantity():
    evidence = check_against(model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum")))
    assert evidence.verdict == "agrees"
    assert tuple(verdicts(evidence)) == (*CANONICAL, *MOTIONS, "body_loads")
    witnesses = {c.b for c in evidence.comparisons if c.quantity == "gravity"}
    assert witnesses == set(names())
    assert {c.b for c in evidence.comparisons if c.quantity == "M"} == set(names()) - {"static_moments"}
    assert evidence.against.coordinates == ((1, "z1"), (2, "z2"))
    assert evidence.against.bodies == ((1, "body1"), (2, "body2"))


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_written_sets_agree(name, tmp_path):
    """Trees with springs, dampers, efforts, drives, offset centres, branches and turned axes."""
    system = model(name)
    evidence = check_against(system, set_of(system, tmp_path), states=3)
    assert [str(c) for c in evidence.comparisons if c.verdict != "agrees"] == []
    acting = any(omission.effect != "none" for omission in system.omissions)
    assert evidence.verdict == ("agrees in part" if acting else "agrees")
    assert set(verdicts(evidence)) == {*CANONICAL, *MOTIONS, "body_loads"}
    assert evidence.against.by == "order"


@pytest.mark.slow
def test_generated_equations_take_forces_in_axes_of_their_body(tmp_path):
    """The set has the bodies' loads as symbols; those of the model are turned by the set's own orientations."""
    plain = model("native/pushed_gimbal.mbs.json")
    system = replace(plain, forces=tuple(replace(f, axes="body") if hasattr(f, "axes") else f for f in plain.forces))
    assert {f.axes for f in system.forces} == {"body"}
    written = set_of(system, tmp_path)
    evidence = check_against(system, written, states=3)
    assert [str(c) for c in evidence.comparisons if c.verdict != "agrees"] == []
    assert {"applied", "body_loads"} <= set(verdicts(evidence))


OFF = [(15, 1e-15, "agrees"), (15, 1e-11, "disagrees"), (9, 1e-6, "disagrees")]
#: Digits that a set is printed with, verdicts on its M, and between what relative changes of an entry one is noticed.
DIGITS = [
    (9, {"disagrees"}, 0, 1e-12), (15, {"agrees"}, 1e-16, 1e-12),
    (17, {"agrees"}, 1e-16, 1e-12),
]  # fmt: skip


@pytest.mark.rest
@pytest.mark.slow
@pytest.mark.parametrize(("digits", "verdicts_on_mass", "least", "most"), DIGITS)
def test_sets_agree_to_the_fifteen_digits_that_um_prints(digits, verdicts_on_mass, least, most, tmp_path):
    """A number with fewer is exact: a set that another program rounded more is another machine's."""
    system = model("robots/ur5.mbsd")
    made = set_of(system, tmp_path, digits=digits)
    evidence = check_against(system, made, formalisms=["lagrange"], states=2)
    assert verdicts(evidence)["M"] == verdicts_on_mass
    (mass,) = (c for c in evidence.comparisons if c.quantity == "M")
    assert least < mass.noticeable < most


@pytest.mark.slow
@pytest.mark.parametrize(("digits", "off", "verdict"), OFF)
def test_a_number_that_is_off_in_its_printed_digits_is_found(digits, off, verdict, tmp_path):
    """Twenty times below what the tolerance of scale let pass in M."""
    system = model("um/suspension/input.dat")
    heavier = replace(
        system,
        bodies=tuple(
            replace(b, inertia=replace(b.inertia, mass=b.inertia.mass * Fraction(1 + off))) for b in system.bodies
        ),
    )
    evidence = check_against(system, set_of(heavier, tmp_path, digits=digits), formalisms=["lagrange"], states=2)
    assert verdicts(evidence)["M"] == {verdict}


def test_a_zero_that_rounding_has_left_something_of_is_a_zero(tmp_path):
    """The cosine of 90 degrees, as programs print it."""
    before, zero = "_bodyposition[1] = _->_[11];\n      _bodyposition[2] = ", "6.123233995736766e-17;"
    made = wrong_copy(tmp_path, "_KPendulum", f"{before}0;", before + zero)
    evidence = check_against(model("mbsd/zi_zig.mbsd"), made, states=2)
    assert evidence.verdict == "agrees"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"centred": True}, {"along_path": True}], ids=str)
def test_points_and_columns_that_a_set_may_count_otherwise(options, tmp_path):
    """Positions of centres of mass; columns of Jacobians along the path of a branch."""
    system = model("mbsd/branched.mbsd")
    names_of = system.coordinate_names
    paths = [[names_of.index(c) for b in system.path(body.name) for c in b.coordinates] for body in system.bodies]
    assert any(sorted(path) != list(range(len(path))) for path in paths)
    if "centred" in options:
        system = model("um/gripper/input.dat")
        assert any(any(body.inertia.centre) for body in system.bodies)
    evidence = check_against(system, set_of(system, tmp_path, **options), states=3)
    assert evidence.verdict == "agrees"
    if "centred" in options:
        assert "centres of mass" in said(evidence, "um/bodies")


#: Wrong copies of the pendulum's set: file, text, wrong text, quantities that disagree, entry, monomials (um, model).
WRONG = {
    "a sign in M": (
        "PendulumE", "_->_[39] = _->_[35]+_->_[37];", "_->_[39] = _->_[35]-_->_[37];",
        {"M", "inverse_dynamics", "h"} - {"h"}, "M", ("z1", "z2"), {"i1*i2*m2*cos(z2)": (-1, 1)},
    ),
    "a factor in M": (
        "PendulumE", "_->_[62] = _->_[40]+", "_->_[62] = _->_[37]+",
        {"M"}, "M", ("z1", "z1"), {"i1*i2*m2*cos(z2)": (1, 2)},
    ),
    "an element of M": (
        "PendulumE", "_lMassMatrix[1][0] = _->_[39];", "_lMassMatrix[1][0] = 0;",
        {"M"}, "M", ("z1", "z2"), {"i2^2*m2": (0, 1), "i1*i2*m2*cos(z2)": (0, 1)},
    ),
    "a Coriolis term": (
        "PendulumE", "_->_[44] = _->_[12]*_v[0];", "_->_[44] = _v[0]*_v[0];",
        {"h", "inverse_dynamics"}, "h", ("z1",), None,
    ),
    "a centrifugal term": (
        "PendulumE", "_->_[52] = _->_[38]*", "_->_[52] = -_->_[38]*",
        {"h", "inverse_dynamics"}, "h", ("z2",), {"i1*i2*m2*z1'^2*sin(z2)": (-1, 1)},
    ),
    "the lever of a weight": (
        "PendulumE", "_->_[57] = _->_[10]*", "_->_[57] = _->_[8]*",
        {"gravity", "inverse_dynamics", "body_loads"}, "gravity", ("z1",), {"g*i1*m2*cos(z1)": (0, -1)},
    ),
    "the sign of a moment that the model does not have": (
        "PendulumE", "-_bMoment[_isubs-1][0][2]+", "+_bMoment[_isubs-1][0][2]+",
        {"body_loads"}, "body_loads", ("body1 moment z z1",), {"1": (-1, 1)},
    ),
    "the sign of a weight": (
        "PendulumE", "+_->_[58]-_->_[59]", "+_->_[58]+_->_[59]",
        {"gravity", "inverse_dynamics", "body_loads"}, "gravity", ("z2",), None,
    ),
    "an inertia force": (
        "PendulumE", "_->_[50] = _->_[35]*_->_ap[1];", "_->_[50] = _->_[35]*_->_ap[0];",
        {"inverse_dynamics"}, "inverse_dynamics", ("z2",), {"i2^2*m2*z2''": (0, 1), "i2^2*m2*z1''": (2, 1)},
    ),
    "an angle in the driver": (
        "AlPendulum", "_->_s2 = sin( _x[1] );", "_->_s2 = sin( _x[0] );", None, "h", None, None,
    ),
    "a position": (
        "_KPendulum", "_bodyposition[1] = _->_[11];", "_bodyposition[1] = _->_[9];",
        {"body_position"}, "body_position", ("body2 y",), {"i1*sin(z1)": (0, 1)},
    ),
    "an orientation not transposed": (
        "_KPendulum", "_bodyorientation[0][1] = _->_[5];", "_bodyorientation[0][1] = -_->_[5];",
        {"body_orientation"}, "body_orientation", ("body2 xy",), None,
    ),
    "a velocity": (
        "_KPendulum", "_bodyvelocity[0] = -_->_[15];", "_bodyvelocity[0] = _->_[15];",
        {"body_velocity"}, "body_velocity", ("body1 x",), {"i1*z1'*sin(z1)": (1, -1)},
    ),
    "an angular velocity": (
        "_KPendulum", "_angularvelocity[2] = _->_[13];", "_angularvelocity[2] = _v[1];",
        {"body_angular_velocity"}, "body_angular_velocity", ("body2 z",), {"z1'": (0, 1)},
    ),
    "an acceleration": (
        "_KPendulum", "_bodyacceleration[1] = _->_[26];", "_bodyacceleration[1] = _->_[24];",
        {"body_acceleration"}, "body_acceleration", ("body1 y",), {"i1*z1'^2*sin(z1)": (0, -1)},
    ),
    "an angular acceleration": (
        "_KPendulum", "_angularacceleration[2] = _->_[20];", "_angularacceleration[2] = _->_ap[0];",
        {"body_angular_acceleration"}, "body_angular_acceleration", ("body2 z",), {"z2''": (0, 1)},
    ),
    "a column of a Jacobian": (
        "_KPendulum", "_b[0][1] = -_->_[9];", "_b[0][1] = _->_[9];",
        {"body_jacobian"}, "body_jacobian", ("body2 vx z2",), None,
    ),
    "a column that is not written": (
        "_KPendulum", "      _b[0][1] = -_->_[9];\n      _b[1][1] = _->_[8];\n      _b[2][1] = 0;\n"
        "      _b[3][1] = 0;\n      _b[4][1] = 0;\n      _b[5][1] = 1;\n", "",
        {"body_jacobian"}, "body_jacobian", ("body2 wz z2",), None,
    ),
    "a screw": (
        "_KPendulum", "_slocal[0][1] = -_->_[6];", "_slocal[0][1] = _->_[6];",
        {"body_screws"}, "body_screws", ("body2 vy z2",), {"i1*cos(z1)": (1, -1)},
    ),
}  # fmt: skip


def wrong_copy(tmp_path, file, old, new):
    folder = tmp_path / "C"
    shutil.copytree(SETS / "double_pendulum" / "C", folder)
    path = folder / f"{file}.hpp"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return read(str(tmp_path))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_copy_is_found_where_it_is_wrong(case, tmp_path):
    file, old, new, quantities, quantity, entry, monomials = WRONG[case]
    evidence = check_against(model("mbsd/zi_zig.mbsd"), wrong_copy(tmp_path, file, old, new), states=4)
    assert evidence.verdict == "disagrees"
    assert evidence.against.by == "order"
    found = {q for q, v in verdicts(evidence).items() if "disagrees" in v}
    if case == "a sign in M":  # M and the residual share the wrong element
        assert found == {"M", "inverse_dynamics"}
    elif quantities is None:
        assert {"h", "gravity", "body_position"} <= found
    else:
        assert found == quantities
    of_it = [c for c in evidence.comparisons if c.quantity == quantity and c.verdict == "disagrees"]
    expected = 1 if quantity in (*MOTIONS, "body_loads") else len(names()) - (quantity != "gravity")
    assert len(of_it) == expected
    if entry is not None:
        assert all(set(c.entry) == set(entry) for c in of_it)
    if monomials is not None:
        (listed,) = [t for c in of_it for t in c.terms]
        assert {t.monomial: (t.first, t.second) for t in listed.terms} == monomials
    explained = {c.quantity: c.terms[0] for c in evidence.comparisons if c.terms}
    assert explained.keys() == found
    assert all(terms.terms and not terms.reason for terms in explained.values())
    line = (tmp_path / "C" / f"{file}.hpp").read_text("utf-8").partition(new or "@@@")[0].count("\n") + 1
    places = {place for terms in explained.values() for place in (terms.location, terms.term_location) if place}
    if case in TOLD:
        assert (str(tmp_path / "C" / f"{file}.hpp"), line) in {(place.file, place.line) for place in places}


#: The wrong copies of which a place that is told is the line that is wrong: where the wrong term is written.
TOLD = {
    "a sign in M", "an element of M", "a centrifugal term", "the sign of a moment that the model does not have",
    "a position", "an orientation not transposed", "a velocity", "an angular velocity", "an acceleration",
    "a column of a Jacobian", "a screw",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("factor", ["2.00000000009", "2.0000000000025"])
def test_a_change_in_the_last_digits_has_its_term(factor, tmp_path):
    """Both coefficients are shown with all their digits; one unit of the last is what printing leaves open."""
    equations = wrong_copy(tmp_path, "PendulumC", "_->_[12] = 2;", f"_->_[12] = {factor};")
    evidence = check_against(model("mbsd/zi_zig.mbsd"), equations, states=5)
    assert evidence.verdict == "disagrees"
    (found,) = {c.terms for c in evidence.comparisons if c.quantity == "M" and c.terms}
    shown = [(t.monomial, float(t.first), t.second) for t in found[0].terms]
    assert shown == [("i1*i2*m2*cos(z2)", float(factor), 2)]
    assert any(factor in line for c in evidence.comparisons for line in term_lines(c))


@pytest.mark.slow
@pytest.mark.parametrize("case", ["a sign in M", "a position"])
def test_the_referee_names_the_generated_equations(case, tmp_path):
    evidence = check_against(model("mbsd/zi_zig.mbsd"), wrong_copy(tmp_path, *WRONG[case][:3]), states=3)
    for c in evidence.comparisons:
        if c.verdict == "disagrees" and c.quantity in CANONICAL:
            assert "stand against um" in c.explanation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zi", "generated equations have 2 coordinates, the model has 1"),
        ("zi>zi>zi", "generated equations have 2 coordinates, the model has 3"),
        ("z(m1)i$(q)>zi; q=1", "the generated equations have an identifier of this name"),
    ],
)
def test_a_model_of_another_machine_is_refused(text, message):
    with pytest.raises(ModelError) as caught:
        check_against(text_model(text), read(str(SETS / "double_pendulum")))
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        ("zi>zj g-y", {"M", "h", "gravity"}),
        ("z-i>zi g-y", {"M", "h", "gravity"}),
        ("zi>zi$2 g-y", {"M"}),
        ("zi>zi[0.1,0.1,0.1] g-y", {"M"}),
        ('z"(2)i>zig-y', {"applied"}),
    ],
)
def test_a_machine_that_differs_disagrees(text, quantities):
    evidence = check_against(text_model(text), read(str(SETS / "double_pendulum")), states=3)
    found = {q for q, v in verdicts(evidence).items() if v != {"agrees"}}
    assert quantities <= found
    assert evidence.verdict != "agrees"


def test_a_force_that_the_equations_cannot_take_is_not_checked():
    """The pendulum's set has no joint forces: an effort of the model has no place there."""
    evidence = check_against(text_model('z"(2)i>zig-y'), read(str(SETS / "double_pendulum")), states=2)
    reasons = {c.quantity: c.explanation for c in evidence.comparisons if c.verdict == "not checked"}
    assert set(reasons) == {"applied", "inverse_dynamics"}
    assert "no joint force along z1" in reasons["applied"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("absent", "unchecked"),
    [
        ("EqPendulum", {"h", "gravity", "applied", "inverse_dynamics"}),
        ("PendulumE", {*CANONICAL, *MOTIONS}),
        ("_KPendulum", set(MOTIONS)),
        ("CtPendulum", {"constraints"}),
    ],
)
def test_a_missing_file_never_makes_agreement_of_what_it_holds(absent, unchecked, tmp_path):
    shutil.copytree(SETS / "double_pendulum" / "C", tmp_path / "C")
    (tmp_path / "C" / f"{absent}.hpp").unlink()
    evidence = check_against(model("mbsd/zi_zig.mbsd"), read(str(tmp_path)), states=2)
    assert {c.quantity for c in evidence.comparisons if c.verdict == "not checked"} == unchecked
    assert evidence.verdict == "not checked"
    assert f"{absent}.hpp is missing" in said(evidence, "um/files")
    assert "disagrees" not in {c.verdict for c in evidence.comparisons}
    assert ("body_loads" in verdicts(evidence)) is (absent in ("_KPendulum", "CtPendulum"))


@pytest.mark.slow
def test_loops_of_the_set_that_the_model_lacks_are_no_agreement(tmp_path):
    shutil.copytree(SETS / "double_pendulum" / "C", tmp_path / "C")
    path = tmp_path / "C" / "CtPendulum.hpp"
    text = path.read_text("utf-8")
    path.write_text(text.replace("break;", "_Error[0] = _x[0]; break;", 1), "utf-8")
    evidence = check_against(model("mbsd/zi_zig.mbsd"), read(str(tmp_path)), states=2)
    assert verdicts(evidence)["constraints"] == {"not checked"} == {evidence.verdict}


def test_motion_of_one_body_is_no_agreement_about_the_other(tmp_path):
    """CoorCalc with a case for body 1 alone: the position of body 2 is not checked."""
    shutil.copytree(SETS / "double_pendulum" / "C", tmp_path / "C")
    path = tmp_path / "C" / "_KPendulum.hpp"
    before, coordinates, after = path.read_text("utf-8").rpartition("void CoorCalc")
    path.write_text(before + coordinates + after.replace("case 2 :", "case 7 :", 1), "utf-8")
    evidence = check_against(model("mbsd/zi_zig.mbsd"), read(str(tmp_path)), states=2)
    assert evidence.verdict == "not checked"
    reasons = {c.explanation for c in evidence.comparisons if c.verdict == "not checked"}
    assert reasons == {
        "not delivered: body2", "the model has no body for number 7 of the equations"
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("old", "new", "quantities"),
    [
        ("_->_[35] = _->m2*_->i2*_->i2;", "_->_[35] = _->m1*_->i2*_->i2;", {"M", "inverse_dynamics"}),
        ("_->_[33] = _->m1*_->i1*_->i1;", "_->_[33] = _->m1*_->i1;", {"M", "inverse_dynamics"}),
        (
            "_->_[8] = _->i2*_->_[2];", "_->_[8] = _->i1*_->_[2];",
            {"gravity", "body_position", "body_velocity", "inverse_dynamics"},
        ),
    ],
    ids=["a mass for another", "a power", "a length for another"],
)  # fmt: skip
def test_identifiers_of_equal_values_are_not_taken_for_each_other(old, new, quantities, tmp_path):
    """All parameters of the model are 1 by default: only other values tell m1 from m2, i1 from its square."""
    evidence = check_against(model("mbsd/zi_zig.mbsd"), wrong_copy(tmp_path, "PendulumE", old, new), states=3)
    assert quantities <= {q for q, v in verdicts(evidence).items() if "disagrees" in v}
    assert "not at the drawn ones" in said(evidence, "um/identifiers")


@pytest.mark.slow
def test_a_joint_force_enters_with_plus(tmp_path):
    """Q += jf in UM's equations: a set with the opposite sign is wrong, also where the force is zero by default."""
    system = text_model('z"(k)i>zi; k=0')
    right = set_of(system, tmp_path)
    assert check_against(system, right, states=2).verdict == "agrees"
    turned = {joint_force_symbol(1): -joint_force_symbol(1)}
    wrong = replace(right, identifiers=(*right.identifiers, "k"), residual=tuple(substitute(right.residual, turned)))
    evidence = check_against(system, wrong, states=2)
    assert {"applied", "inverse_dynamics"} == {q for q, v in verdicts(evidence).items() if "disagrees" in v}


def test_closed_loops_are_left_out_and_said_to_be(tmp_path):
    system = model("mbsd/four_bar.mbsd")
    assert system.constraints
    evidence = check_against(system, set_of(system, tmp_path), states=3)
    assert verdicts(evidence).pop("constraints") == {"not checked"}
    assert all(v == {"agrees"} for q, v in verdicts(evidence).items() if q != "constraints")
    assert (evidence.verdict, set(verdicts(evidence)) > {*CANONICAL, *MOTIONS}) == ("not checked", True)


@pytest.mark.slow
def test_coefficients_are_shown_short_and_compared_as_printed_digits(tmp_path):
    """A program prints 15 digits: what differs beyond them is no monomial that differs."""
    equations = wrong_copy(tmp_path, "PendulumC", "_->_[12] = 2;", "_->_[12] = 2.000000000000001;")
    evidence = check_against(model("mbsd/zi_zig.mbsd"), equations, states=3)
    assert evidence.verdict == "agrees"
    shutil.rmtree(tmp_path / "C")
    equations = wrong_copy(tmp_path, "PendulumC", "_->_[12] = 2;", "_->_[12] = 2.00001;")
    evidence = check_against(model("mbsd/zi_zig.mbsd"), equations, states=3)
    (terms,) = [t for c in evidence.comparisons if c.quantity == "M" for t in c.terms]
    assert [(t.monomial, t.first) for t in terms.terms] == [("i1*i2*m2*cos(z2)", Fraction("2.00001"))]


@pytest.mark.rest
@pytest.mark.slow
def test_another_order_is_searched_for_models_of_other_programs_alone(tmp_path):
    """The coordinates of an input.dat are UM's own: another order or sense is another machine to UM."""
    system = model("um/gripper/input.dat")
    assert system.metadata["um:coordinates"]
    equations = set_of(replace(system, coordinates=system.coordinates[::-1]), tmp_path)
    own = check_against(system, equations, states=2)
    assert (own.verdict, own.against.by) == ("disagrees", "order")
    assert "no other order or sense is searched: the model came from um too" in said(own, "um/coordinates")
    told = {"1": "s", "2": "psi", "3": "phi"}
    given = check_against(system, equations, states=2, coordinates=told)
    assert (given.verdict, given.stands, given.headline) == ("agrees", True, "agrees")
    assert [d.severity for d in given.diagnostics if d.place == "um/coordinates"] == ["warning"]
    other = check_against(replace(system, metadata={}), equations, states=2)
    assert (other.verdict, other.against.by, other.stands) == ("agrees after matching", "the numbers", False)
    assert other.headline == "agrees after reordering 1 = s, 3 = phi"
    assert "--map coordinates:1=s,2=psi,3=phi" in str(other.diagnostics)


#: model of the double pendulum's set -> headline
TURNED = {
    "z i > -z i g-y": "agrees after reversing z2",
    "-z i > z i g-y": "agrees after reversing z1",
    "z i > z i g-y": "agrees",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", TURNED)
def test_a_reversal_that_was_searched_stands_in_the_verdict(text):
    system, equations = text_model(text), read(str(SETS / "double_pendulum"))
    evidence = check_against(system, equations, states=1, formalisms=["newton_euler"])
    assert (evidence.headline, evidence.stands) == (TURNED[text], TURNED[text] == "agrees")
    told = {str(number): formula for number, formula in evidence.against.coordinates}
    given = check_against(system, equations, states=1, formalisms=["newton_euler"], coordinates=told)
    assert (given.headline, given.stands) == ("agrees", True)


#: A short number that is not what another set prints: where, what stood there, what stands there now.
SHORT = [
    ("PendulumC", "_->_[12] = 2;", "_->_[12] = 2.0000001;"),
    ("_KPendulum", "_b[5][1] = 1;", "_b[5][1] = 1.00001;"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "text", "wrong"), SHORT)
def test_a_number_with_few_digits_is_the_number_it_is(file, text, wrong, tmp_path):
    """No number of the set is the precision that the others were printed with."""
    evidence = check_against(model("mbsd/zi_zig.mbsd"), wrong_copy(tmp_path, file, text, wrong), states=2)
    assert evidence.verdict == "disagrees"
    assert any(c.verdict == "disagrees" and c.terms for c in evidence.comparisons)


@pytest.mark.rest
@pytest.mark.slow
def test_every_number_of_the_pendulums_set_is_noticed_when_it_changes(tmp_path):
    """But those of the ground's motion, on which no quantity of the equations depends."""
    system, number = model("mbsd/zi_zig.mbsd"), re.compile(r"(?<== )(\d+)(?=;\n)")
    shutil.copytree(SETS / "double_pendulum" / "C", tmp_path / "C")
    unnoticed, tried = [], 0
    for path in (tmp_path / "C" / "PendulumC.hpp", tmp_path / "C" / "_KPendulum.hpp"):
        text = path.read_text("utf-8")
        for found in number.finditer(text):
            path.write_text(f"{text[: found.start()]}{int(found[0]) + 1e-5!r}{text[found.end() :]}", "utf-8")
            evidence = check_against(system, read(str(tmp_path)), states=1, formalisms=["newton_euler"])
            tried += 1
            if evidence.verdict != "disagrees":
                unnoticed.append(
                    text[text.rindex("\n", 0, found.start()) : found.start()].strip(" \n=").partition("[")[0]
                )
        path.write_text(text, "utf-8")
    motions = ["_bodyposition", "_bodyvelocity", "_angularvelocity", "_bodyacceleration", "_angularacceleration"]
    assert tried == 71 and unnoticed == [name for name in motions for _ in range(3)]


def test_zeros_of_the_mass_matrix_that_changed_places_say_nothing(tmp_path):
    system = text_model("u(x) v(y) $2 > w(h) $1 > z(a) i1 $1 g")
    set_of(system, tmp_path)
    file = next(p for p in tmp_path.rglob("*.hpp") if "_lMassMatrix[2][1] = 0;" in p.read_text("utf-8"))
    text = file.read_text("utf-8").replace("_lMassMatrix[1][0] = 0;", "@")
    text = text.replace("_lMassMatrix[2][1] = 0;", "_lMassMatrix[1][0] = 0;").replace("@", "_lMassMatrix[2][1] = 0;")
    file.write_text(text, "utf-8")
    evidence = check_against(system, read(str(file.parent)), states=2)
    assert evidence.verdict == "agrees"
    assert [str(c) for c in evidence.comparisons if c.explanation] == []


# --- what acts through UM's kernel: elements whose forces enter as loads ------------------------------

EMPTY = (
    "void {name}( VectRPtr _x, VectRPtr _v, integer _index, integer _isubs )\n {{\n  _ObjVarPtr _;\n"
    "  _ = _PzAll[SubIndx[_isubs-1]-1];\n  switch( _index )\n   {{\n    case 1 :\n     {{{body}\n      break;\n"
    "     }}\n   }}\n }}\n"
)
GUARD = '#ifndef __K_HPP__\n#define __K_HPP__\n\n#include"CtvSt.hpp"\n\n{}\n/* end */\n#endif\n'
BOTH = "1 contact, 1 bushing act through UM's kernel; the equations take them as loads"


def hooked(folder, change=lambda text: text):
    """Read the set of the suspension, which has a contact and a bushing, with the procedures of forces."""
    system = model("um/suspension/input.dat")
    write_set(system, folder, [p.name for p in system.parameters])
    path = folder / "_KObj.hpp"
    hooks = "".join(EMPTY.format(name=name, body="") for name in HOOKS)
    path.write_text(change(GUARD.format(path.read_text() + hooks)))
    return read(str(folder))


def check_suspension(equations):
    return check_against(model("um/suspension/input.dat"), equations, formalisms=["newton_euler"], states=2)


def test_elements_between_bodies_are_loads_where_the_procedures_of_forces_are_empty(tmp_path):
    evidence = check_suspension(hooked(tmp_path))
    assert (evidence.verdict, evidence.stands) == ("agrees", True)
    assert evidence.headline == f"agrees: {BOTH}"
    assert "contact/CFrc1, bushing/bush" in said(evidence, "um/loads")
    assert [o["kind"] for o in evidence.to_json()["against"]["through_loads"]] == ["contact", "bushing"]
    assert replace(evidence, accepted={"contact": 1, "bushing": 1}).stands
    assert not replace(evidence, accepted={"contact": 2}).stands
    assert BOTH in assumptions(evidence)


def in_hook(name, body):
    return lambda text: text.replace(EMPTY.format(name=name, body=""), EMPTY.format(name=name, body=body))


#: What a set says of its procedures of forces -> why the elements stay left out.
NOT_EMPTY = {
    "an assignment": (in_hook("CalcContFunc", "\n      _force[0] = 0;"), "CalcContFunc is not empty"),
    "to a parameter": (in_hook("CalcBiFrc", "\n      _force = 5;"), "CalcBiFrc is not empty"),
    "a call": (in_hook("ExtFrcCalc", "\n      AddForce( 1 );"), "ExtFrcCalc is not empty"),
    "a result": (in_hook("SingleAFrcCalc", "\n      return 0;"), "SingleAFrcCalc is not empty"),
    "a branch": (in_hook("ExtFrcCalc", "\n      if( f(_x) == 1 )\n       {\n       }"), "ExtFrcCalc is not empty"),
    "a pointer": (in_hook("ExtFrcCalc", "\n      _ = _PzAll[0];"), "ExtFrcCalc is not empty"),
    "a choice by a call": (
        lambda text: "switch( Apply(_index) )".join(text.rsplit("switch( _index )", 1)), "SingleAFrcCalc is not empty",
    ),
    "a text that is included": (
        in_hook("ExtFrcCalc", '\n#include "mine.inc"'), "lines for the preprocessor stand in or behind CalcBiFrc",
    ),
    "another meaning of a word": (
        lambda text: text.replace("#include", "#define break Push(); break\n#include"),
        "_KObj.hpp has lines for the preprocessor beside its guard",
    ),
    "one that is missing": (
        lambda text: text.replace(EMPTY.format(name="CalcContFunc", body=""), ""), "CalcContFunc is not in the set",
    ),
    "one that stands twice": (
        lambda text: text.replace("/* end */", EMPTY.format(name="CalcBiFrc", body="")),
        "CalcBiFrc is named 2 times in the set",
    ),
    "an element chosen by a call": (
        lambda text: "switch( _x[Push(1)] )".join(text.rsplit("switch( _index )", 1)), "SingleAFrcCalc is not empty",
    ),
    "a name whose making acts": (in_hook("ExtFrcCalc", "\n      Pusher p;"), "ExtFrcCalc is not empty"),
    "a size that acts": (in_hook("ExtFrcCalc", "\n      real_ p[Push(1)];"), "ExtFrcCalc is not empty"),
    "a comment that the compiler does not see": (
        lambda text: text.replace("#include", '#include"x/*.hpp"\n#define break Push(); break\n/* */\n#include'),
        "_KObj.hpp has lines for the preprocessor beside its guard",
    ),
    "a line that goes on": (
        lambda text: text.replace("/* end */", "// end \\\n"), "a line of the set goes on behind a backslash",
    ),
}  # fmt: skip

#: Lines at the top of another file of the folder -> why.
BESIDE = {
    "another meaning of a word": (
        "_TObj.hpp", "#define break Push(); break\n", "_TObj.hpp has lines for the preprocessor beside its guard",
    ),
    "lines that are left out": (
        "ObjE.hpp", "#if 0\n#endif\n", "ObjE.hpp has lines for the preprocessor beside its guard",
    ),
    "in the control file": (
        "ClObj.hpp", "#define break Push(); break\n", "ClObj.hpp has lines for the preprocessor beside its guard",
    ),
    "the guard of another file": (
        "_TObj.hpp", "#ifndef T\n#define __K_HPP__\n#endif\n", "the guard of _TObj.hpp is named elsewhere",
    ),
    "a file that is not read": ("mine.hpp", "", "_KObj.hpp includes mine.hpp, which is not read"),
}  # fmt: skip


@pytest.mark.parametrize("case", BESIDE)
def test_words_of_procedures_of_forces_have_their_meaning(case, tmp_path):
    name, lines, reason = BESIDE[case]

    def change(text):
        path = tmp_path / name
        path.write_text(lines + (path.read_text() if path.exists() else ""))
        return text.replace("CtvSt.hpp", "mine.hpp")

    assert hooked(tmp_path, change).doubt_of_loads == reason


@pytest.mark.parametrize("case", NOT_EMPTY)
def test_why_procedures_of_forces_are_not_proved_empty(case, tmp_path):
    change, reason = NOT_EMPTY[case]
    assert hooked(tmp_path, change).doubt_of_loads == reason


#: A procedure that nobody reads and that acts by a condition, or by a name that is not its own.
ACTING = {
    "a condition": "void JointPtCalc( VectRPtr _x )\n{ if( Push(1) == 1 ) { } }\n",
    "a parameter": "void JointPtCalc( real_ &_f )\n{ _f = 5; }\n",
}


@pytest.mark.parametrize("case", ACTING)
def test_a_procedure_that_is_not_read_and_acts_is_left_out(case, tmp_path):
    equations = hooked(tmp_path, lambda text: text.replace("/* end */", ACTING[case]))
    assert [o.place for o in equations.omissions] == ["procedure/JointPtCalc"]


def test_elements_stay_left_out_where_these_are_not_proved_empty(tmp_path):
    change, reason = NOT_EMPTY["an assignment"]
    evidence = check_suspension(hooked(tmp_path, change))
    assert evidence.headline == "agrees without 1 contact, 1 bushing" and not evidence.stands
    assert said(evidence, "um/loads") == f"contacts and other elements are left out: {reason}"


def test_they_are_no_loads_where_loads_disagree(tmp_path):
    def other_arm(text):
        path = tmp_path / "ObjE.hpp"
        code = path.read_text()
        changed = re.sub(r"_bForce\[_isubs-1\]\[1\]\[2\]", "_bForce[_isubs-1][1][0]", code)
        assert changed != code
        path.write_text(changed)
        return text

    evidence = check_suspension(hooked(tmp_path, other_arm))
    assert verdicts(evidence)["body_loads"] == {"disagrees"}
    assert evidence.verdict == "disagrees" and not evidence.against.through_loads
