"""All formats, and the one that fits a file."""

from collections.abc import Collection
from functools import cache
from importlib import import_module
from pathlib import Path

from ...errors import TercetError, UsageError
from ..display import listed
from . import FAMILIES, TEXTS, recognise
from .format import Format, Head, Recognised, Request
from .names import pair_and_set

GROUP = "tercet.formats"
PLAIN = "plain text, one segment per line"
UNSURE = 0.5  # messages do not mention formats that are not surer than this


def candidates(path: Path, wanted: Collection[str] = (), request: Request | None = None) -> list[Recognised]:
    """Return all formats that fit a file, among those that hold one of the wanted; the surest first."""

    def fits(holds: Collection[str]) -> bool:
        return not wanted or not set(wanted).isdisjoint(holds)

    head, found = Head(path, request), []
    families = [name for name, (holds, endings) in FAMILIES.items() if head.ends(*endings) and fits(holds)]
    for format in (*(each for name in families for each in formats_of(name)), *plugins()):
        guess = format.sniff(head) if fits(format.holds) else None
        if guess is not None:
            found.append(Recognised(path, format, *guess, head, *pair_and_set(head.name)))
    return sorted(found, key=lambda each: -each.sureness)


def formats_of(family: str) -> tuple[Format, ...]:
    """Return the formats of a module of this package."""
    return tuple(import_module(f".{family}", __package__).FORMATS)


@cache
def plugins() -> tuple[Format, ...]:
    """Return the formats of other packages. An entry point names a `Format`, or several in a list."""
    from importlib.metadata import entry_points  # slow to import

    found: list[Format] = []
    for point in entry_points(group=GROUP):
        loaded = point.load()
        mine = [*loaded] if isinstance(loaded, list | tuple) else [loaded]
        for each in mine:
            if not isinstance(each, Format):
                raise UsageError(f"The entry point {point.name!r} of {GROUP} is not a Format: {each!r:.80}.")
        found += mine
    return tuple(found)


def kind_of_file(path: Path) -> tuple[str, bool]:
    """Return in a line what a file was recognised as and why, and whether it holds texts."""
    from .rating_tables import OWN_TABLES
    from .reading import recognise_judgements

    try:
        found, own = recognise(path), recognise_judgements(path)
    except TercetError as error:  # damaged: a text, of which the checks say more
        return f"{path}: {error}", True
    if own is not None and own.format.name in OWN_TABLES and (found is None or own.sureness > min(found.sureness, 0.9)):
        try:
            return own.read().about, False
        except TercetError as error:
            return f"{path}: {own.format.about}: {own.why}; but: {error}", False
    if own is not None and found is not None and own.sureness >= found.sureness:
        found = own
    if found is not None and found.sureness > UNSURE:
        return f"{path}: {found.format.about}: {found.why}.", TEXTS in found.format.holds
    if len(found.head.header if found else []) > 1 and (table := described(path)):
        return f"{path}: plain text.{table}", True
    return f"{path}: {PLAIN}: no known ending or header.", True


def described(path: Path) -> str:
    """Return what a file was recognised as, as a sentence for messages; empty if nothing is known of it."""
    found = recognise(path)
    if found is not None and found.sureness > UNSURE:
        return f" It was recognised as {found.format.about}: {found.why}."
    head = Head(path)
    if len(head.header) > 1 and head.separator != " " and head.ends(".tsv", ".csv", ".txt"):
        return f" It is a table with the columns {listed(head.header)}."
    return ""
