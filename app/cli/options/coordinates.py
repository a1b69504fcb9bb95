"""Names with commas between them, and pairs of names: which coordinate, which body is which, told by the user."""

from __future__ import annotations

from mbconcord.model.diagnostics import MbconcordError, error


def named(text: str, option: str) -> list[str]:
    """``one,two`` as a list.

    Raises
    ------
    MbconcordError
        Nothing stands where a name is expected.
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise MbconcordError(
            error(option, f"found no name in {text!r}", "names with one comma between two of them")
        )
    return names


def pairs(text: str | None, option: str) -> dict[str, str] | None:
    """``1=z1,2=-x1`` as a mapping.

    Raises
    ------
    MbconcordError
        Something in it is no pair, or is named twice.
    """
    if text is None:
        return None
    found: dict[str, str] = {}
    for item in text.split(","):
        one, equals, other = (part.strip() for part in item.partition("="))
        if not (one and equals and other):
            raise MbconcordError(
                error(option, f"found {item!r}, expected one=other", "for example 1=z1,2=x1")
            )
        if one in found:
            raise MbconcordError(error(option, f"{one} is named twice", "name it once"))
        found[one] = other
    return found
