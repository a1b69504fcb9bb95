"""What a reader leaves out: its kinds and effects, and that no operation on a model loses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from mbconcord.converters import registry
from mbconcord.model import ModelError, Omission, System
from mbconcord.model.omission import EFFECTS, KINDS, acting, format_counts
from mbconcord.validation.judge.states import draw

FOOT = Omission("contact/foot", "contact", "with cfrc; f=0.3;", "forces")
BALL = Omission("image/ball", "image", "with go;", "none")

WAYS: dict[str, Callable[[System], System]] = {
    "copied": lambda m: replace(m, name="other"),
    "lumped": System.lump_masses,
    "opened": System.open_loops,
    "drawn": lambda m: draw(m, 1, 0).system,
    "native": lambda m: registry.read_text(registry.write(m, "native").text, "x.mbs.json").system,
}


def model() -> System:
    text = "zi(L) zi #a ; g-y \\ #a :(2,m) {3,0} < #0"
    return replace(registry.read_text(text, format="mbsd").system, omissions=(FOOT, BALL))


@pytest.mark.parametrize("way", WAYS)
def test_an_omission_survives(way: str) -> None:
    assert model().constraints
    assert WAYS[way](model()).omissions == (FOOT, BALL)


@pytest.mark.parametrize("effect", EFFECTS)
def test_what_is_not_known_to_have_no_effect_acts(effect: str) -> None:
    assert Omission("contact/a", "contact", "", effect).acts == (effect != "none")
    assert Omission("block/a", "block", "").effect == "unknown"


def test_counts_are_in_the_order_of_the_kinds() -> None:
    bushing = Omission("bushing/b", "bushing", "")
    found = acting((BALL, bushing, FOOT, replace(FOOT, place="contact/other")))
    assert list(found.items()) == [("contact", 2), ("bushing", 1)]
    assert format_counts(found) == "2 contacts, 1 bushing"
    assert format_counts({}) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_word_of_the_command_line_and_has_its_plural(kind: str) -> None:
    assert kind.replace("-", "").isalpha() and kind.islower()
    assert format_counts({kind: 1}) != format_counts({kind: 2}).replace("2", "1")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (("contact/a", "contcat", "", "none"), "unknown kind of an omission 'contcat'; known: contact, bushing"),
        (("contact/a", "contact", "", "heat"), "unknown effect of an omission 'heat'; known: none, forces"),
        (("", "contact", "", "none"), "without a place"),
    ],
)
def test_what_an_omission_cannot_be(parts: tuple[str, str, str, str], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Omission(*parts)
