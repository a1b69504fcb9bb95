"""Operations of the forms: not more than published, column by column; what the benchmark recommends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from laboratory.bench.telegin import (
    BINARY_TREE,
    CHAINS,
    PLACES,
    cheapest,
    coefficients,
    count_folded,
    format_operations,
    linkage,
    operations,
    parse,
    recommendations,
    row,
    table,
    tasks,
)
from mbconcord.formalisms.telegin import FORMS
from mbconcord.formalisms.telegin.linkage import LEAVES
from mbconcord.formalisms.telegin.planarity import equations
from mbconcord.model.expressions import Operations, cos, symbol

PUBLISHED = [
    (counter, form, leaves, n, limit)
    for counter, quantity in ((operations, "inverse_dynamics"), (coefficients, "coefficients"))
    for leaves in LEAVES
    for form, limits in table()[quantity][leaves].items()
    for n, limit in enumerate(limits, 1)
]
#: Forms whose sums are written here as vectors, which costs less than the published counts.
CHEAPER = ("absolute", "relative", "spatial")


@pytest.mark.parametrize(
    ("counter", "form", "leaves", "n", "limit"),
    PUBLISHED,
    ids=[f"{c.__name__}-{form}-{leaves}-{n}" for c, form, leaves, n, _ in PUBLISHED],
)
def test_operations_of_chains(counter, form, leaves, n, limit):
    counted = counter(form, leaves, CHAINS[n])
    found, allowed = (counted.mul, counted.add, counted.trig), parse(limit)
    assert all(a <= b for a, b in zip(found, allowed, strict=True)), (found, allowed)
    assert counted.div == counted.other == 0
    if form not in CHEAPER:
        assert found == allowed


@pytest.mark.parametrize(("form", "limit"), table()["tree"]["angles"].items())
def test_operations_of_a_binary_tree(form, limit):
    counted = operations(form, "angles", BINARY_TREE)
    found = (counted.mul, counted.add, counted.trig)
    assert all(a <= b for a, b in zip(found, parse(limit), strict=True)), found


def test_the_table_has_every_form_but_the_matrices_of_rud():
    forms = set(table()["inverse_dynamics"]["angles"]) - {"rud, relative"}
    assert forms == set(FORMS) - {"matrix"}
    for leaves in LEAVES:
        p = linkage(CHAINS[5], leaves, False)
        matrix, rud = (count_folded(equations(form, p).drives.values(), frozenset()) for form in ("matrix", "rud"))
        assert matrix == rud


def test_constants_are_folded_and_shared_parts_count_once():
    m, r, x = symbol("m"), symbol("r"), symbol("x")
    assert count_folded([m * r * cos(x), m * r * cos(x) * x], frozenset("mr")) == Operations(2, 0, 0, 1, 0, 3)


def test_rows_are_held_to_the_published_totals():
    assert row("claim", Operations(mul=3, add=1, trig=2), "3/1/2").is_met is True
    assert row("claim", Operations(mul=4, add=1, trig=2), "3/1/2").is_met is False


@pytest.mark.slow
def test_recommendations_name_the_cheapest_form():
    notes = {r.claim.removeprefix("cheapest form: "): r.note for r in recommendations()}
    assert notes["inverse dynamics from relative coordinates, chain of 3"].startswith("rud, relative (angles)")
    assert notes["inverse dynamics from relative coordinates, chain of 8"].startswith("spatial")
    assert notes["inverse dynamics from absolute angles, binary tree of 7"].startswith("rud (angles)")
    assert notes["H and h in relative coordinates, chain of 8"].startswith("relative-recurrent")
    assert notes["coefficients in absolute angles, chain of 5"] == "rud (angles): 20/14/20"
    assert len(notes) == 45


def recommendation_table(trig: int) -> str:
    """Tabulate the cheapest form for each task in Markdown, with ``mult/add/trig``; * marks leaves from angles."""
    head = ["linkage", *tasks()]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for place, base in PLACES.items():
        cells = [place]
        for task in tasks():
            form, leaves, counted = cheapest(task, base, trig)
            star = "*" if leaves == "angles" and counted.trig else ""
            cells.append(
                f"{form.partition(',')[0]}{star} {format_operations(counted)}" if counted.total else "constant"
            )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


@pytest.mark.slow
def test_the_page_has_the_recommendations_that_are_measured():
    page = Path(__file__).parents[2] / "laboratory" / "operations.md"
    if not page.exists():
        pytest.skip("the pages are not part of an installed package")
    assert f"\n{recommendation_table(1)}\n" in page.read_text(encoding="utf-8")


def test_dear_trigonometric_functions_change_the_choice():
    task = "inverse dynamics from absolute angles"
    assert cheapest(task, CHAINS[4])[:2] == ("rud", "angles")
    form, leaves, counted = cheapest(task, CHAINS[4], 20)
    assert (form, leaves, counted.trig) == ("rud", "components", 8)


def test_the_page_lists_every_form():
    page = Path(__file__).parents[3] / "docs" / "telegin.md"
    if not page.exists():
        pytest.skip("the pages are not part of an installed package")
    listed = re.findall(r"^\| `([a-z][a-z-]+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(listed) == FORMS
