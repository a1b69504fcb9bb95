"""Faults of what every formalism is built on: ``check`` notices each by itself; a crash is told from a catch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from laboratory.faults import attempts
from laboratory.faults.tables import texts
from laboratory.faults.tables.shared import FAULTS, FIRST, LINEAR, Watched
from laboratory.runner import change as changes
from laboratory.runner.change import SourceChange, UntriedError, run, source_file
from mbconcord.fixtures import folder
from mbconcord.model import MbconcordError
from mbconcord.testing import Fault
from mbconcord.validation.claims import ALL
from mbconcord.validation.many.cluster.worker import Children
from mbconcord.validation.witnesses.second.machine import READERS

FORCE = "mbconcord.model.force"


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as found:
        yield found


ROWS = [pytest.param(row, id=row.fault.title, marks=[] if row in FIRST else [pytest.mark.slow]) for row in FAULTS]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("row", ROWS)
def test_check_alone_notices(children: Children, row: Watched) -> None:
    """In numbers, by the claim that stands in the table."""
    found = attempts.attempt_check(children, row)
    assert found.crash == "" or found.found, found.crash
    assert found.catch is not None, [catch.claim for catch in found.found]
    assert found.catch.discrepancy > 1e-9


def test_the_table_names_claims_fixtures_and_faults() -> None:
    claims = {claim.name for claim in ALL}
    assert len(FIRST) == 6 and len(FAULTS) >= 26
    assert len({row.fault.title for row in FAULTS}) == len({row.fault for row in FAULTS}) == len(FAULTS)
    assert all(row.claim in claims and (folder() / row.model).is_file() for row in FAULTS)
    areas = {row.fault.module.removeprefix("mbconcord.model.") for row in FAULTS}
    assert areas >= {
        "force", "system", "body", "transformation", "numbers", "functions",
        "expressions.arithmetic", "expressions.evaluate", "expressions.levels", "expressions.calculus",
    }  # fmt: skip


def watched(original: str, faulty: str, model: str = LINEAR) -> Watched:
    return Watched(Fault("a fault", FORCE, "", original, faulty, owner="shared"), "fields", model)


def test_what_changes_nothing_is_not_noticed(children: Children) -> None:
    found = attempts.attempt_check(children, watched("x - self.l0", "-(self.l0 - x)"))
    assert (found.found, found.crash, found.catch) == ((), "", None)


@pytest.mark.parametrize(
    ("original", "faulty", "said"),
    [
        pytest.param("x - self.l0", "x - self.l1", "AttributeError", id="a formalism raises"),
        pytest.param('LENGTH = symbol("@")', 'LENGTH = no_symbol("@")', "NameError", id="the module raises"),
        pytest.param('LENGTH = symbol("@")', "import os; os._exit(3)", "ended with 3", id="the process ends"),
        pytest.param(
            'LENGTH = symbol("@")', "import os; os.kill(os.getpid(), 9)", "SIGKILL", id="the process is ended"
        ),
    ],
)
def test_a_crash_is_no_catch(children: Children, original: str, faulty: str, said: str) -> None:
    found = attempts.attempt_check(children, watched(original, faulty))
    assert (found.found, found.catch) == ((), None)
    assert said in found.crash


def test_a_text_that_does_not_stand_once_is_refused(children: Children) -> None:
    with pytest.raises(MbconcordError, match="does not stand"):
        attempts.attempt_check(children, watched("x - self.l9", "x"))


# --- readers ---------------------------------------------------------------------------------------

READ = [
    pytest.param(row, id=row.fault.title, marks=[] if row in texts.FIRST else [pytest.mark.slow])
    for row in texts.FAULTS
]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("row", READ)
def test_a_second_reading_notices_wrong_readers(children: Children, row: Watched) -> None:
    """In numbers, by the claim that stands in the table, though no two formalisms need to disagree."""
    found = attempts.attempt_check(children, row)
    assert found.catch is not None, (found.crash, [catch.claim for catch in found.found])
    assert found.catch.discrepancy > 1e-9


def test_every_fault_of_a_reader_with_a_second_reading_is_watched() -> None:
    table = {row.fault for row in texts.SHOWN}
    formats = {fault.module.split(".")[2] for fault in table}
    of_robots = {row.model.partition("/")[0] for row in texts.ROBOTS}
    # twelve changed texts of tests/formats/usd/test_second_usd.py watch the reader of stages, which needs usd-core
    assert {*formats, *of_robots} == {*READERS} - {"usd"}
    assert len(texts.ROBOTS) >= 25 and {row.fault for row in texts.ROBOTS} <= {row.fault for row in texts.FAULTS}
    assert table <= {row.fault for row in texts.FAULTS} and all({*texts.READERS[name]} <= table for name in formats)
    assert {row.claim for row in texts.FIRST} == {"second_reading", "maximal"}
    assert all((folder() / row.model).is_file() for row in texts.FAULTS)


@pytest.mark.slow
def test_no_check_knows_what_a_file_without_a_second_reading_meant(children: Children) -> None:
    """A wrong model agrees with itself: only tables of numbers by hand watch the reader of native files."""
    printed, model = [], "um/reference_model.mbs.json"
    for change in (None, attempts.change(texts.READERS["native"][0])):
        assert run(children, change, attempts.CHECKED, model, 1).value == {"found": [], "crash": ""}
        derived = run(children, change, attempts.CALLED, ["derive", model, "--formalism", "lagrange"]).value
        assert derived["code"] == 0
        printed.append(derived["printed"])
    assert printed[0] != printed[1]


def test_every_fault_of_a_reader_stands_in_its_format() -> None:
    assert set(texts.READERS) == {"mbsd", "tp", "um", "native"}
    for name, table in texts.READERS.items():
        assert len(table) >= 3
        for fault in table:
            assert fault.module.startswith(f"mbconcord.converters.{name}.")
            compile(attempts.change(fault).source, fault.title, "exec")


# --- processes -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_task_is_done_in_a_process_of_its_own(children: Children) -> None:
    assert children.run("math:hypot", 3, 4).value == 5.0
    first, second = (children.run("os:getpid").value for _ in range(2))
    assert first != second


def forget_nothing() -> None:
    """Leave modules where they are, as a laboratory that is wrong would."""
    changes.forget = lambda: None


@pytest.mark.slow
def test_a_change_is_imported_though_nothing_needs_it() -> None:
    with Children() as children:
        broken = SourceChange(FORCE, "raise ZeroDivisionError('changed')")
        assert run(children, broken, "math:hypot", 3, 4).failure == "ZeroDivisionError: changed"


@pytest.mark.slow
def test_a_change_that_is_not_imported_is_a_failure_of_the_laboratory() -> None:
    with Children((f"{__name__}:forget_nothing",)) as children:
        anew = SourceChange(FORCE, source_file(FORCE).read_text("utf-8"), anew=True)
        with pytest.raises(UntriedError, match=f"{FORCE} was not imported with its change, which was not tried"):
            run(children, anew, "math:hypot", 3, 4)


@pytest.mark.slow
def test_no_process_is_left() -> None:
    with Children() as children:
        assert children.run("os:getppid").value
        process = children._process
    assert process is not None and process.poll() == 0


@pytest.mark.slow
def test_what_has_no_source_is_refused() -> None:
    with pytest.raises(MbconcordError, match="no module with a source"):
        source_file("math")
