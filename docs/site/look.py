"""Looks through the HTML that was built: every link and picture leads to a file of it, nothing is from elsewhere."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"""<(a|img|link|script|source)\b[^>]*?\s(?:href|src|srcset)=["']([^"']+)["']""")
PLACE = re.compile(r"""\s(?:id|name)=["']([^"']+)["']""")


def faults(site: Path) -> list[str]:
    """Return page and link of every link that leads nowhere, and of everything that is loaded from elsewhere."""
    pages = {
        page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html")) if "_static" not in page.parts
    }
    places = {page: {unescape(place) for place in PLACE.findall(text)} for page, text in pages.items()}
    found = []
    for page, text in pages.items():
        for tag, link in LINK.findall(text):
            parts = urlsplit(unescape(link))
            if parts.scheme or parts.netloc:
                dead = tag != "a" and parts.scheme != "data"
            else:
                target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                target = target / "index.html" if target.is_dir() else target
                place = unquote(parts.fragment)
                dead = not target.exists() or bool(place and target in places and place not in places[target])
            if dead:
                found.append(f"{page.relative_to(site)}: {link}")
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    dead = faults(Path(sys.argv[1]).resolve())
    print("\n".join(dead) or "links and pictures: all there")
    sys.exit(bool(dead))
