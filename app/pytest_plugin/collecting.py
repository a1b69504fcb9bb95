"""Which files are models, and the items of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mbconcord.api.models import source
from mbconcord.api.regression.baselines import DEFAULT_FILE
from mbconcord.api.regression.project import Project, project_in
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.claims import DEFAULT, chosen

from .asked import Asked
from .items import AgreementItem, BaselineItem, ClaimItem, ExpectedItem, ModelItem, RefusedItem
from .model import ModelTests, Wanted, short

#: The name of the plugin that is registered where models are asked for.
ACTIVE: Final = "mbconcord-models"


def activate(config: pytest.Config) -> None:
    """Register the collection of models, and have pytest look where they are.

    Raises
    ------
    UsageError
        The project's table is wrong, or a path has no models.
    """
    try:
        project = project_in(config.rootpath) or Project(config.rootpath)
        asked = _asked(config, project)
    except MbconcordError as problem:
        raise pytest.UsageError(str(problem)) from None
    if asked.roots:
        config.pluginmanager.register(Models(config, asked), ACTIVE)


def _asked(config: pytest.Config, project: Project) -> Asked:
    here = config.invocation_params.dir
    told = [here / path for path in config.option.mbconcord]
    own = [project.folder / path for path in project.models or ()]
    _require_models((*told, *own))
    wanted = Wanted(
        tuple(claim.name for claim in chosen(DEFAULT if project.claims is None else project.claims)),
        None if project.formalisms is None else tuple(project.formalisms),
        project.states or 10,
        project.seed or 0,
    )
    for name in wanted.formalisms or ():
        formalisms.formalism(name)  # one that there is not is found before anything is checked
    given = config.option.mbconcord_baseline
    baseline = here / given if given else project.folder / (project.baseline or DEFAULT_FILE)
    if not (given or project.baseline or baseline.is_file()):
        baseline = None
    expect = project.folder / project.expect if project.expect else None
    _look_in(config, told or (own if config.args_source is not config.ArgsSource.ARGS else ()))
    return Asked(tuple(path.resolve() for path in (*told, *own)), wanted, baseline, expect)


def _require_models(roots: Iterable[Path]) -> None:
    for path in roots:
        if not path.exists():
            raise pytest.UsageError(f"mbconcord: {path}: there is no such model file or folder of models")
        if path.is_dir() and not any(map(formats.is_model, path.rglob("*"))):
            suffixes = " ".join(s for f in formats.names() for s in formats.format_named(f).suffixes)
            raise pytest.UsageError(f"mbconcord: {path}: no model files in this folder (known: {suffixes})")


def _look_in(config: pytest.Config, roots: Iterable[Path]) -> None:
    """Add paths to those that pytest collects, but for those that lie within one of them."""
    there = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    for root in roots:
        own = root.resolve()
        if not any(path == own or path in own.parents for path in there):
            config.args.append(str(root))
            there.append(own)


class Models:
    """The hooks of a run that checks models."""

    def __init__(self, config: pytest.Config, asked: Asked) -> None:
        self.config, self.asked = config, asked

    def pytest_report_header(self) -> str:
        """Where models come from, and what they are compared with."""
        root = self.config.rootpath
        said = [f"models: {', '.join(short(path, root) for path in self.asked.roots)}"]
        said += [f"baseline: {short(self.asked.baseline, root)}"] if self.asked.baseline else []
        said += [f"expected: {short(self.asked.expect, root)}"] if self.asked.expect else []
        return f"mbconcord: {'; '.join(said)}"

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A model file."""
        if not self.asked.takes(file_path):
            return None
        found: ModelFile = ModelFile.from_parent(parent, path=file_path)
        found.asked = self.asked
        return found


class ModelFile(pytest.File):
    """A model file: an item for each claim; one that fails where it does not read."""

    asked: Asked

    def collect(self) -> Iterator[pytest.Item]:
        """The items, in the order of the claims."""
        file = short(self.path, Path.cwd())
        try:
            model = ModelTests(source(file), self.asked.wanted)
        except Exception as problem:  # whatever it is: the other models are checked
            yield self._item(RefusedItem, "reads", problem=problem)
            return
        catalog = self.asked.expect is not None
        yield self._item(AgreementItem, "agreement", model=model, judged_elsewhere=catalog)
        for name in self.asked.wanted.claims:
            yield self._item(ClaimItem, name, model=model)
        if catalog:
            yield self._item(ExpectedItem, "expected", model=model, asked=self.asked)
        if self.asked.baseline is not None:
            yield self._item(BaselineItem, "baseline", model=model, asked=self.asked)

    def _item(self, kind: type[ModelItem], name: str, **given: Any) -> ModelItem:
        found: ModelItem = kind.from_parent(self, name=name)
        for key, value in given.items():
            setattr(found, key, value)
        return found
