"""Measure, and write docs/performance.json, its picture, and tests/laboratory/performance/performance.md.

python -m laboratory.performance
"""

from __future__ import annotations

import json
from pathlib import Path

from ..bench.peers.results import measure
from .page import page, picture

DOCS, PAGE = (Path(__file__).parents[2] / name for name in ("docs", "tests/laboratory/performance/performance.md"))


def main() -> None:
    """Measure everything, then write the files."""
    results = measure().to_json()
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    (DOCS / "performance.json").write_text(text, encoding="utf-8")
    read = json.loads(text)
    PAGE.write_text(page(read), encoding="utf-8")
    (DOCS / "pictures" / "performance.svg").write_text(picture(read["chains"]), encoding="utf-8")


if __name__ == "__main__":
    main()
