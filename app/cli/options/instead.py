"""An option that stands in place of a positional argument."""

from __future__ import annotations

import argparse
from typing import Any


class Instead(argparse.Action):
    """Stores its value, and lets another argument be left out."""

    def __init__(self, *, of: argparse.Action, **options: Any) -> None:
        super().__init__(**options)
        self.of = of

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        """Take the value."""
        setattr(namespace, self.dest, values)
        self.of.required = False
