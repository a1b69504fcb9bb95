"""Write the pages of refusals anew."""

from . import TABLES, file, page

for name in TABLES:
    file(name).write_text(page(name), encoding="utf-8")
