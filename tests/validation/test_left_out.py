"""What a verdict leaves out: its words, what was accepted, and where two models leave out different things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.model import Omission, System, translation
from mbconcord.model.expressions import as_expression, number
from mbconcord.model.omission import KINDS, REACHED
from mbconcord.validation.check import check
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.left_out import SHAPE, LeftOut, differences

FOOT = Omission("contact/foot", "contact", "with cfrc; f=0.3; cstiff=L; g=1;", "forces", ("L",))
HAND = replace(FOOT, place="contact/hand")
BUSH = Omission("bushing/b", "bushing", "with sfrc; k=1;", "forces")
ODD = Omission("block/odd", "block", "with odd;")
BALL = Omission("image/ball", "image", "with go; r=1;", "none")


def model(*omissions: Omission, length: str = "M/2", **others: Any) -> System:
    system = registry.read_text(f"z i1 $1 > z i1 $1 g9.81-y ; L={length}, M=2", format="mbsd").system
    return replace(system, omissions=omissions, **others)


#: omissions, what is accepted -> whether it stands, what is said
ACCEPTED = [
    ((), None, True, ""),
    ((BALL,), None, True, ""),
    ((FOOT,), None, False, "not accepted (to accept: --accept-omissions contact=1)"),
    ((BUSH, FOOT, HAND), {"contact": 2, "bushing": 1}, True, "accepted"),
    ((FOOT, HAND), {"contact": 1}, False, "not accepted: found 2 contacts, accepted 1 contact"),
    ((FOOT,), {"contact": 2}, False, "not accepted: found 1 contact, accepted 2 contacts"),
    ((FOOT, BUSH), {"contact": 1}, False, "not accepted: found 1 contact, 1 bushing, accepted 1 contact"),
    ((FOOT,), {"bushing": 1}, False, "not accepted: found 1 contact, accepted 1 bushing"),
    ((), {"contact": 1}, False, "not accepted: found none, accepted 1 contact"),
    ((ODD,), {"block": 1}, True, "accepted"),
]


@pytest.mark.parametrize(("omissions", "accepted", "stands", "said"), ACCEPTED)
def test_exactly_what_was_accepted_stands(
    omissions: tuple[Omission, ...], accepted: Mapping[str, int] | None, stands: bool, said: str
) -> None:
    found = LeftOut(omissions, accepted)
    assert (found.stands, found.describe_acceptance()) == (stands, said)


HEADLINES = [
    ((), "agrees", "agrees"),
    ((BALL,), "agrees", "agrees"),
    ((BUSH, FOOT, HAND), "agrees in part", "agrees without 2 contacts, 1 bushing"),
    ((ODD,), "agrees in part", "agrees without 1 unknown block"),
]


@pytest.mark.parametrize(("omissions", "verdict", "headline"), HEADLINES)
def test_the_verdict_of_a_check_says_what_it_does_not_cover(
    omissions: tuple[Omission, ...], verdict: str, headline: str
) -> None:
    evidence = check(model(*omissions), formalisms=["lagrange", "newton_euler"], states=1)
    assert (evidence.verdict, evidence.headline) == (verdict, headline)
    told = evidence.to_json()
    assert (told["verdict"], told["headline"], told["stands"]) == (verdict, headline, verdict == "agrees")
    assert [o["place"] for o in told["omissions"]] == [o.place for o in omissions]
    alone = check(model(*omissions), formalisms=["lagrange"], states=1)
    assert alone.verdict == "not checked"
    left_out = headline.removeprefix("agrees without ")
    assert alone.headline == ("not checked" if verdict == "agrees" else f"not checked, left out: {left_out}")


#: two models -> what they leave out differently
DIFFERENT = [
    (model(FOOT), model(FOOT), []),
    (model(FOOT, BUSH), model(BUSH, FOOT), []),
    (model(FOOT), model(), ["contact/foot: left out of A only"]),
    (model(BUSH), model(BUSH, FOOT), ["contact/foot: left out of B only"]),
    (
        model(FOOT), model(replace(FOOT, what="with cfrc; f=0.35; cstiff=L; g=1;")),
        ["contact/foot: 'f=0.3' in A, 'f=0.35' in B"],
    ),
    (model(FOOT, FOOT), model(FOOT), ["contact/foot: left out of A only"]),
    (model(ODD), model(replace(ODD, effect="none")), ["block/odd: effect unknown in A, effect none in B"]),
    (model(FOOT), model(FOOT, length="3"), ["contact/foot: L = 0.5*M in A, L = 3 in B"]),
    (
        model(FOOT), replace(model(FOOT), parameters=tuple(
            replace(p, value=number(3)) if p.name == "M" else p for p in model().parameters)),
        ["contact/foot: M = 2 in A, M = 3 in B"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "expected"), DIFFERENT)
def test_models_that_leave_out_different_things_are_not_the_same_machine(
    a: System, b: System, expected: list[str]
) -> None:
    assert [str(d) for d in differences(a, b)] == expected
    found = same_machine(a, b, 1)
    assert found.verdict == ("not checked" if expected else "agrees in part")
    assert ("the same machine" in found.headline) == (not expected)
    assert all(line in str(found) for line in map(str, differences(a, b)))
    accepted = replace(found, left_out=replace(found.left_out, accepted=found.left_out.counts))
    assert accepted.stands == (not expected)


def test_what_does_not_act_makes_no_machine_another() -> None:
    found = same_machine(model(BALL), model(replace(BALL, what="with go; r=2;")), 1)
    assert (found.verdict, str(found).splitlines()[0]) == ("agrees", "the same machine")
    assert [d["acts"] for d in found.to_json()["left_out_differently"]] == [False]


STOP = Omission("joint-limit/z1", "joint-limit", "lower=-1 upper=1", "none")


@pytest.mark.parametrize("kind", sorted(REACHED))
@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ((), "joint-limit/z1: left out of A only"),
        ((replace(STOP, what="lower=-1 upper=2"),), "joint-limit/z1: 'lower=-1 upper=1' in A, 'lower=-1 upper=2' in B"),
        ((STOP,), ""),
    ],
)
def test_what_acts_only_where_it_is_reached_is_named_where_it_is_not_the_same(
    theirs: tuple[Omission, ...], said: str, kind: str
) -> None:
    """In the lines, and in the headline, which JSON and tables of pairs show alone; shapes have other texts anyway."""
    ours, *other = (replace(omission, kind=kind) for omission in (STOP, *theirs))
    found = same_machine(model(ours), model(*other), 1)
    head = "not the same where the motion reaches it, beside the equations:"
    assert found.verdict == "agrees" and (f"{head}\n  {said}" in str(found) if said else head not in str(found))
    counted = f"; where the motion reaches them, these differ: 1 {KINDS[kind][0]}"
    assert found.headline == "the same machine" + counted * bool(said and kind != SHAPE)
    assert found.to_json()["headline"] == found.headline


def test_a_disagreement_is_one_whatever_is_left_out() -> None:
    other = registry.read_text("z i2 $1 > z i1 $1 g9.81-y", format="mbsd").system
    found = same_machine(model(FOOT), replace(other, omissions=(BUSH,)), 1)
    assert found.verdict == "disagrees"
    assert found.headline == "not the same machine, left out of A only: 1 contact, of B only: 1 bushing"


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ((FOOT,), (FOOT,), ": 1 contact"), ((FOOT, BUSH), (FOOT,), " of A only: 1 bushing, of both: 1 contact"),
        ((), (FOOT, HAND, BALL), " of B only: 2 contacts"), ((BALL,), (), ""),
    ],
)  # fmt: skip
def test_the_head_says_whose_the_omission_is(
    ours: tuple[Omission, ...], theirs: tuple[Omission, ...], said: str
) -> None:
    other = registry.read_text("z i2 $1 > z i1 $1 g9.81-y", format="mbsd").system
    found = same_machine(model(*ours), replace(other, omissions=theirs), 1)
    assert found.headline == f"not the same machine{f', left out{said}' if said else ''}"


def test_many_differences_are_cut() -> None:
    many = tuple(replace(FOOT, place=f"contact/{i}") for i in range(25))
    lines = str(same_machine(model(*many), model(), 1)).splitlines()
    assert sum(": left out of A only" in line for line in lines) == 10
    assert "  and 15 more" in lines


#: Two texts that differ, and what is shown of the first: sixty letters at most, from thirty before the difference.
EXCERPTS = [
    ("x" * 60, "y", "x" * 60),
    ("x" * 61, "y", "x" * 60 + "…"),
    ("z" * 100 + "x", "z" * 100 + "y", "z" * 30 + "x"),
    ("z" * 29 + "x", "z" * 29 + "y", "z" * 29 + "x"),
]


@pytest.mark.parametrize(("one", "other", "shown"), EXCERPTS)
def test_of_long_texts_the_place_is_shown_at_which_they_differ(one: str, other: str, shown: str) -> None:
    (found,) = differences(model(replace(ODD, what=one)), model(replace(ODD, what=other)))
    assert found.first == repr(shown)


# --- what is left out of both and is one element ---------------------------------------------------

ON_FOOT = replace(FOOT, bodies=("body2",))


def shifted(system: System, by: float) -> System:
    """Move the frame of the last body along its x, its centre of mass staying where it is."""
    amount = as_expression(by)
    last = system.bodies[-1]
    x, y, z = last.inertia.centre
    moved = replace(
        last, joint=(*last.joint, translation("x", amount)), inertia=replace(last.inertia, centre=(x - amount, y, z))
    )
    return replace(system, bodies=(*system.bodies[:-1], moved))


def test_an_element_left_out_of_both_is_one_where_its_text_and_its_frames_are() -> None:
    found = mbconcord.compare(model(ON_FOOT), model(ON_FOOT))
    assert (found.verdict, found.stands) == ("agrees", True)
    assert found.headline == "the same machine, 1 contact equal as texts on equal frames"


@pytest.mark.parametrize(
    "other", [FOOT, replace(ON_FOOT, what="with cfrc; f=0.4; cstiff=L; g=1;"), replace(ON_FOOT, bodies=("body1",))]
)
def test_it_is_none_where_the_bodies_are_unknown_or_the_texts_differ(other: Omission) -> None:
    found = mbconcord.compare(model(ON_FOOT), model(other))
    assert not found.stands and "equal as texts" not in found.headline


def test_motions_are_those_without_it() -> None:
    pytest.importorskip("scipy", reason="motions need the extra sim")
    found = mbconcord.compare(model(ON_FOOT), model(ON_FOOT), simulate=0.1)
    assert "without 1 contact" in found.headline and not found.stands


@pytest.mark.parametrize("accepted", [None, {"contact": 1}])
def test_an_equal_text_on_another_frame_is_another_machine(accepted: Any) -> None:
    a = model(ON_FOOT)
    same = mbconcord.compare(model(), shifted(model(), 0.1))
    assert same.verdict == "agrees", str(same)  # without the contact nobody can tell
    found = mbconcord.compare(a, shifted(a, 0.1), accept_omissions=accepted)
    assert found.verdict == "disagrees"
    assert "contact/foot: the frame of body2 in A, up to 0.1 m and 0 rad from it in B" in str(found)
