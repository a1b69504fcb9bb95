"""Standard output and standard error while a command runs: their colours, their width, the line of progress."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..io.streams import Shown
from .colour import wanted
from .progress import progress


@contextmanager
def screen(arguments: argparse.Namespace) -> Iterator[None]:
    """Inside, the streams are as the options, the environment and the terminal ask for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Shown):
            terminal = stream.isatty()
            stream.coloured = wanted(arguments.color, terminal, os.environ)
            stream.width = shutil.get_terminal_size().columns if terminal else None
    with progress(getattr(arguments, "quiet", False)):
        yield
