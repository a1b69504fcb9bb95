"""A model under test, checked once for all test items about it."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

from mbconcord.api.check import CheckRequest, check
from mbconcord.api.regression.asserts import options_of
from mbconcord.api.regression.project import PROGRAM, TABLE, Project, of_project
from mbconcord.api.source import Source
from mbconcord.converters import registry as formats
from mbconcord.converters.inclusions import absolute
from mbconcord.records import dataclass, replace
from mbconcord.validation.baseline.text import Baselines, read_baselines
from mbconcord.validation.judge.evidence import Comparison, Evidence
from mbconcord.validation.many.expectations import Catalog, read_catalog

# What a run of pytest asks of every model.


@dataclass(frozen=True)
class PluginOptions:
    """Options of a run of pytest: the models, and how each is checked.

    Attributes
    ----------
    folder : folder of the project
    roots : files and folders of models
    wanted : settings of the check of each model
    baseline : file of baselines; None: models are compared with none
    expect : file of the catalog of expected results; None: there is no catalog
    project : settings of the project in pyproject.toml
    """

    folder: Path
    roots: tuple[Path, ...]
    wanted: CheckRequest
    baseline: Path | None
    expect: Path | None
    project: Project

    def takes(self, path: Path) -> bool:
        """Return True if a file is one of the requested models."""
        own = path.resolve()
        return own in self.roots or (any(root in own.parents for root in self.roots) and formats.is_model(path))

    @cached_property
    def baselines(self) -> Baselines:
        """Contents of the file of baselines.

        Raises
        ------
        ReadError
            It is missing or damaged.
        """
        assert self.baseline is not None
        folder = Path.cwd()
        return read_baselines(self.baseline, [short(path, folder) for path in self.roots])

    @cached_property
    def catalog(self) -> Catalog:
        """Contents of the file of the catalog.

        Raises
        ------
        ReadError
            It is missing or damaged.
        """
        return read_catalog(str(self.expect))


class ModelTests:
    """A model that was read, and its evidence, computed on first use."""

    def __init__(self, source: Source, wanted: CheckRequest, folder: Path) -> None:
        self.source, self.wanted, self.folder = source, wanted, folder

    @cached_property
    def evidence(self) -> Evidence:
        """Result of the check of the model.

        Raises
        ------
        MbconcordError
            The model cannot be checked.
        """
        return self._check(self.wanted)

    def compare_with(self, witness: str) -> Evidence:
        """Return the result of a check that compares the model with a witness other than formalisms.

        Raises
        ------
        MbconcordError
            The model cannot be checked, or the witness cannot be read.
        """
        return self._check(replace(self.wanted, claims=(), against=witness))

    def _check(self, wanted: CheckRequest) -> Evidence:
        found = self.source.plausible()
        return check(found, replace(wanted, accept_omissions=of_project(found.file, self.folder)))

    def of_claim(self, name: str) -> tuple[Comparison, ...]:
        """Return the comparisons of a claim; the empty name is that of the agreement of the formalisms."""
        return tuple(c for c in self.evidence.comparisons if c.claim == name)

    def accepting(self, evidence: Evidence) -> str:
        """Return the line of pyproject.toml that accepts the model's omissions."""
        file = short(absolute(self.source.file), absolute(self.folder))
        counts = ", ".join(f"{kind} = {n}" for kind, n in evidence.left_out.counts.items())
        return f"in pyproject.toml [{PROGRAM}.{TABLE}] {json.dumps(file)} = {{ {counts} }}"

    @property
    def options(self) -> list[str]:
        """Options of the command that repeats the check."""
        return options_of(self.wanted.claims)


def short(path: Path, folder: Path) -> str:
    """Return a path relative to the folder if it lies in it, else unchanged."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
