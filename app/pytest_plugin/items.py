"""The items of a model: each fails with what disagrees, where, by whom, and the command that shows it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord.api.regression.baselines import beside
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.reports import text
from mbconcord.validation.check import WATCHING
from mbconcord.validation.judge.evidence import Comparison

from .asked import Asked
from .model import ModelTests, short


class NotSoError(Exception):
    """What an item says is not so; the text is all that is to be told."""


class ModelItem(pytest.Item):
    """One sentence about one model."""

    model: ModelTests

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """File and name of the item."""
        return self.path, 0, f"{self.path.name}: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The finding alone; a traceback only of what nobody thought of."""
        if isinstance(excinfo.value, NotSoError | MbconcordError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def told(self, comparisons: tuple[Comparison, ...]) -> str:
        """What of these does not agree."""
        evidence = replace(self.model.evidence, comparisons=comparisons)
        return text.one_file(evidence, self.model.options, brief=True).rstrip()


class RefusedItem(ModelItem):
    """A model that does not read."""

    problem: Exception

    def runtest(self) -> None:
        """Say why."""
        raise self.problem


class AgreementItem(ModelItem):
    """The formalisms agree in every quantity, and nothing that acts on the motion is left out unsaid."""

    judged_elsewhere: bool

    def runtest(self) -> None:
        """Fail where they do not agree, or fewer than two of them speak."""
        evidence = self.model.evidence
        own = replace(evidence, comparisons=self.model.of_claim(""))
        self.user_properties.append(("mbconcord", own.headline))
        if own.stands:
            return
        if own.verdict != "disagrees" and self.judged_elsewhere:
            pytest.skip(f"{own.headline}: the catalog says whether that is known")
        raise NotSoError(self.told(own.comparisons))


class ClaimItem(ModelItem):
    """A claim about a model."""

    def runtest(self) -> None:
        """Fail where it is not so; a claim that says nothing of the model is skipped with the reason."""
        found = self.model.of_claim(self.name)
        if any(c.verdict == "disagrees" for c in found) or (
            self.name in WATCHING and any(c.verdict == "not checked" for c in found)
        ):
            raise NotSoError(self.told(found))
        if not any(c.verdict == "agrees" for c in found):
            place = f"claims/{self.name}"
            said = [d.message for d in self.model.evidence.diagnostics if d.place == place]
            said += [c.explanation for c in found if c.explanation]
            pytest.skip("; ".join(dict.fromkeys(said)) or "it says nothing of this model")


class ExpectedItem(ModelItem):
    """The check gives what a catalog expects."""

    asked: Asked

    def runtest(self) -> None:
        """Fail with the departures."""
        found = self.asked.catalog.departures(self.model.evidence)
        errors = [str(d) for d in found if d.severity == "error"]
        if errors:
            raise NotSoError("\n".join(errors))


class BaselineItem(ModelItem):
    """The equations are those of the baseline."""

    asked: Asked

    def runtest(self) -> None:
        """Fail with what has changed, and what most likely did it."""
        assert self.asked.baseline is not None
        file = short(self.asked.baseline, Path.cwd())
        found = beside(self.model.source.plausible(), self.asked.baselines, file)
        self.user_properties.append(("mbconcord_baseline", found.headline))
        if found.outcome in ("changed", "not compared"):
            name = self.model.source.file
            how = f"where that is meant: mbconcord baseline save {name} --output {file}"
            raise NotSoError(f"{name}: {found.headline}\n{found}\n{how}")
        if found.outcome == "same by digits":
            self.warn(pytest.PytestWarning(f"{self.model.source.file}: {'; '.join(found.notes)}"))
