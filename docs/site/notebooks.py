"""Runs notebooks and writes them as pages: `python docs/site/notebooks.py docs/by_hand.ipynb` stores outputs anew.

A cell prints what its print calls write, then the representation of its last expression, as Jupyter shows them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def run(notebook: dict[str, Any]) -> list[str]:
    """Run the code cells in order, in one namespace; return what each shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [show("".join(cell["source"]), names) for cell in code_cells(notebook)]


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells that hold code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def show(source: str, names: dict[str, Any]) -> str:
    """Run one cell; return what it prints and the representation of its last expression, or its error's last line."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(tree, "<cell>", "exec"), names)
            value = eval(compile(last, "<cell>", "eval"), names) if last else None
        except Exception as error:
            return f"{printed.getvalue()}{type(error).__name__}: {error}\n"
    return printed.getvalue() + ("" if value is None else f"{value!r}\n")


def outputs(cell: dict[str, Any]) -> str:
    """Return the text that a cell has stored as its output."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def store(notebook: dict[str, Any]) -> None:
    """Put what the cells show into the notebook, numbered in order."""
    for number, (cell, text) in enumerate(zip(code_cells(notebook), run(notebook), strict=True), 1):
        stream = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        cell["execution_count"], cell["outputs"] = number, [stream] if text else []


def to_markdown(notebook: dict[str, Any]) -> str:
    """Return the notebook as a page: its text, its code, and what the code shows."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts.append(f"```python\n{source}\n```")
            if outputs(cell):
                parts.append(f"```text\n{outputs(cell)}```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        found = json.loads(path.read_text(encoding="utf-8"))
        store(found)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
