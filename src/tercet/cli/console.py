"""What commands share on the terminal: warnings, colour, progress; no text of a file may control it.

While a command runs, whatever it prints to a terminal goes through `_Terminal.write`, since texts of files may hold
escape sequences. Output to files and pipes is left as it is, byte for byte.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from ..options import Options, declared

if TYPE_CHECKING:
    from ..rendering.document import Part


SPREADSHEET = "tercet.spreadsheet"  # in click's context: whether text is kept from being taken for a formula
OPTIONS = "tercet.options"  # in click's context: the options of the run, which JSON results have
PROGRESS = "tercet.progress"  # in click's context: a function that is told of progress too


class _ToStderr(logging.Handler):
    """Warnings of the library as lines on stderr, each once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self.said:
            self.said.add(message)
            start_of_line = "\r\033[K" if sys.stderr.isatty() else ""  # over the line that tells progress
            click.echo(f"{start_of_line}Warning: {visible(in_flags(message))}", err=True)


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Send the library's warnings to stderr while a command runs; leave logging as it was."""
    logger, handler = logging.getLogger("tercet"), _ToStderr()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
        logger.setLevel(level)


def hush() -> None:
    """Silence warnings (-q) until the command ends."""
    logging.getLogger("tercet").setLevel(logging.ERROR)


def use_colour() -> bool:
    """Colour only on a terminal, and never where NO_COLOR is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def rendered(
    form: str,
    parts: Iterable[Part],
    data: Callable[[], object] | None,
    title: str = "",
    rows: Callable[[], Sequence[Mapping[str, object]]] | None = None,
    columns: Sequence[str] = (),
) -> str:
    """Return a result in one form: a document of these parts; its data as JSON; its rows as TSV, CSV, JSON lines."""
    from ..rendering.document import Document

    context = click.get_current_context(silent=True)
    if form == "json" and data is not None and context and OPTIONS in context.meta:
        made, options = data, context.meta[OPTIONS]
        data = lambda: with_options(made(), options)  # noqa: E731
    spreadsheet = bool(context and context.meta.get(SPREADSHEET))
    return Document(parts, title, data, rows, columns).render(
        form, colour=use_colour(), columns=terminal_columns(), spreadsheet=spreadsheet
    )


def print_as(form: str, value: object, text: str) -> None:
    """Print the text; in other forms than text the value, a record or a list of them, as a table or as JSON."""
    from ..rendering.document import records

    click.echo(rendered(form, [text if form == "text" else records(value)], lambda: value))


def with_options(data: object, options: Mapping[str, object]) -> object:
    """Return the data of a result with the options of its run; in a list the first object has them."""
    if isinstance(data, Mapping):
        return {**data, "options": options}
    if isinstance(data, list) and data and isinstance(data[0], Mapping):
        return [{**data[0], "options": options}, *data[1:]]
    return data


def terminal_columns() -> int | None:
    """Return the width of the terminal; None where standard output is none, as nothing has to fit then."""
    import shutil  # slow to import

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class Progress:
    """A line on stderr that counts finished work; silent where stderr is not a terminal."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self.what = what
        self.shown = sys.stderr.isatty() and not quiet

    def __call__(self, done: int, total: int | None) -> None:
        context = click.get_current_context(silent=True)
        if context and PROGRESS in context.meta:
            context.meta[PROGRESS](done, total)
        if self.shown:
            share = f"{done}/{total}" if total else str(done)
            click.echo(f"\r\033[K{self.what}: {share} blocks of segments", err=True, nl=False)

    def say(self, where: str) -> None:
        """What is being worked on, where the number of things is not known."""
        if self.shown:
            click.echo(f"\r\033[K{self.what}: {where}", err=True, nl=False)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            click.echo("\r\033[K", err=True, nl=False)


def save_figures(figures: Mapping[str, Any], folder: str, ending: str) -> None:
    """Write figures, by name, to NAME.ENDING in the folder, which is created, and report each on stderr."""
    from ..errors import UsageError

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be created: {error.strerror or error}.") from None
    for name, figure in figures.items():
        figure.save(place / f"{name}.{ending}")
    for name in figures:
        click.echo(f"Wrote {place / f'{name}.{ending}'}", err=True)


# --- messages in the words of the command line --------------------------------

_FLAGS: dict[str, str] = {}  # of the command that runs: flags by the names of options, and by their own


def use_flags(kind: type[Options]) -> None:
    """Name the options of a task by their flags from now on."""
    _FLAGS.clear()
    shown = [each for each in declared(kind).values() if each.in_shell]
    _FLAGS.update({key: each.flag for each in shown for key in each.keys} | {each.name: each.flag for each in shown})


def in_flags(message: str) -> str:
    """Return a message with the flags of the options that it names, and of parameters that are flags too."""
    message = re.sub(r"`(\w+)`", lambda found: _FLAGS.get(found[1], found[0]), message)
    flag = _FLAGS.get("allow_download")
    return message.replace(",allow_download=true", f" {flag}") if flag else message


# --- what a terminal gets to see ----------------------------------------------

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all controls but tab and line feed
# Our own: bold or coloured words at the start of a line, which end there.
_STYLED = re.compile(r"^(\x1b\[(?:1|3[1-6])m)([^\x1b\n]*)(\x1b\[0m)", re.MULTILINE)
_ERASE = "\r\033[K"  # what begins a new line of progress


def visible(message: str) -> str:
    """Return a message that may quote anybody's file, with escapes for what a terminal would obey."""
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], message)


@contextmanager
def guarded() -> Iterator[None]:
    """Show controls in texts as escapes where standard output or standard error is a terminal."""
    before = sys.stdout, sys.stderr
    for name, stream in zip(("stdout", "stderr"), before, strict=True):
        if stream is not None and stream.isatty():
            setattr(sys, name, cast(TextIO, _Terminal(stream)))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Terminal:
    """A terminal that is written to through `write` only: it has no `buffer`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        start = _ERASE if text.startswith(_ERASE) and self._stream is sys.__stderr__ else ""
        # Of each group of four, the second and the last are ours.
        parts = enumerate(_STYLED.split(text[len(start) :]))
        self._stream.write(start + "".join(part if i % 4 in (1, 3) else visible(part) for i, part in parts))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)
