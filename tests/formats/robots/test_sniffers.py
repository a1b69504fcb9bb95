"""Formats of XML are told by their root element, in time that grows with the text."""

from __future__ import annotations

import pytest

from mbconcord.converters import registry

from ...work import at_most

ROOTS = {"urdf": "robot", "mjcf": "mujoco", "sdf": "sdf"}
#: What may stand before the root, or be taken for it.
BEFORE = (
    "",
    "\ufeff",
    " \n",
    '<?xml version="1.0"?>\n',
    "<!-- <robot> <mujoco> <sdf> -->",
    "<!-- a --><?b c?>\n<!-- d -->",
)
LONG = (
    "<!-- a -->\n",
    "<?a b?>",
    "<!-- a --><?a b?>\n",
    " ",
    "<",
    "-",
    "<!--",
    "{",
    "(",
    "z ",
    "1;",
    "with a;\n",
    "%\n",
)


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize("before", BEFORE)
def test_root_element_tells_the_format(name: str, before: str) -> None:
    for text in (f"{before}<{ROOTS[name]}>", f"{before}<{ROOTS[name]} name='cut of", f"{before}<{ROOTS[name]}\n/>"):
        assert [other for other in ROOTS if registry.format_named(other).sniff(text)] == [name]
    for text in (f"{before}<{ROOTS[name]}s>", f"{before}<a><{ROOTS[name]}>", f"{before}<!-- <{ROOTS[name]} "):
        assert not any(registry.format_named(other).sniff(text) for other in ROOTS)


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("part", LONG)
def test_sniffers_are_linear(name: str, part: str) -> None:
    sniff = registry.format_named(name).sniff
    for length in (200, registry.HEAD):  # the short one first: what backtracks does not end on the long one
        with at_most(1):
            sniff(part * (length // len(part)) + "<other>")
