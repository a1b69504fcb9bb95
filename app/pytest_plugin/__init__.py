"""The pytest plugin: it collects model files as tests, with an item for each claim.

This module is loaded in every run of pytest where mbconcord is installed, so it imports nothing at first: it imports
the rest if there is the option ``--mbconcord`` or a table ``[tool.mbconcord]`` in pyproject.toml.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest import Config, Parser


def pytest_addoption(parser: Parser) -> None:
    """Add the options ``--mbconcord`` and ``--mbconcord-baseline``."""
    group = parser.getgroup("mbconcord", "models of mbconcord")
    group.addoption(
        "--mbconcord", metavar="PATH", action="append", default=[],
        help="collect this model file, or all of this folder, as tests (or models = [...] in [tool.mbconcord])",
    )  # fmt: skip
    group.addoption(
        "--mbconcord-baseline", metavar="FILE", default=None,
        help="compare models with this file of mbconcord baseline save (or baseline = ... in [tool.mbconcord])",
    )  # fmt: skip


def pytest_configure(config: Config) -> None:
    """Activate the collection of models if an option or the project's file requests it."""
    if config.option.mbconcord or _asked_by(config):
        from .collecting import activate

        activate(config)


def _asked_by(config: Config) -> bool:
    """Return True if the project's pyproject.toml contains ``tool.mbconcord``."""
    try:
        file = config.rootpath / "pyproject.toml"
        text = file.read_bytes() if file.is_file() and file.stat().st_size < 1_000_000 else b""
    except OSError:
        return False
    return b"tool.mbconcord" in text
