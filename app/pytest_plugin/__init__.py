"""The plugin of pytest: model files are collected as tests, an item for each claim.

This module is loaded in every run of pytest where mbconcord is installed, so it imports nothing: what it needs comes
with the option ``--mbconcord`` or with ``models`` in the table ``[tool.mbconcord]`` of a pyproject.toml.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pytest import Config, Parser


def pytest_addoption(parser: Parser) -> None:
    """Two options."""
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
    """Collect models where that is asked for."""
    if config.option.mbconcord or _asked_by(config):
        from .collecting import activate

        activate(config)


def _asked_by(config: Config) -> bool:
    """Whether the project names models, as far as a glance tells."""
    try:
        text = (config.rootpath / "pyproject.toml").read_bytes()
    except OSError:
        return False
    return b"tool.mbconcord" in text and b"models" in text
