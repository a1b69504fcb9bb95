"""What a run of pytest asks of every model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mbconcord.converters import registry as formats
from mbconcord.validation.baseline.reading import read_baselines
from mbconcord.validation.baseline.text import Baselines
from mbconcord.validation.catalogs import read_catalog
from mbconcord.validation.expectations import Catalog

from .model import Wanted


@dataclass(frozen=True)
class Asked:
    """What is asked of every model of a run.

    Attributes
    ----------
    roots : files and folders of models
    wanted : how they are checked
    baseline : file of baselines; None: they are compared with none
    expect : file of a catalog; None: none
    """

    roots: tuple[Path, ...]
    wanted: Wanted
    baseline: Path | None
    expect: Path | None

    def takes(self, path: Path) -> bool:
        """Whether a file is a model that was asked for."""
        own = path.resolve()
        return own in self.roots or (
            any(root in own.parents for root in self.roots) and formats.is_model(path)
        )

    @cached_property
    def baselines(self) -> Baselines:
        """Those of the file.

        Raises
        ------
        ReadError
            It is missing or damaged.
        """
        assert self.baseline is not None
        return read_baselines(self.baseline)

    @cached_property
    def catalog(self) -> Catalog:
        """That of the file.

        Raises
        ------
        ReadError
            It is missing or damaged.
        """
        return read_catalog(str(self.expect))
