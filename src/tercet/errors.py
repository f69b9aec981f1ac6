"""The errors that a user can cause. Each message says what is wrong, where, and what to do.

`exit_code` is the exit code of the command line: 2 for wrong usage, 1 for bad data.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


class TercetError(Exception):
    """Base class of all errors that a user can cause and correct.

    Examples
    --------
    >>> import tercet
    >>> try:
    ...     tercet.corpus("blue", ["a cat"], ["a cat"])
    ... except tercet.TercetError as error:
    ...     print(error)
    There is no metric called 'blue'. Did you mean bleu or tbleu or bleurt?
    """

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the class and the message only, so that an error raised in a worker process keeps both."""
        return _rebuilt, (type(self), str(self))


def with_place(error: TercetError, place: str) -> TercetError:
    """Return an error of the same class whose message begins with the place where it happened."""
    return _rebuilt(type(error), f"{place}: {error}")


def _rebuilt(kind: type[TercetError], message: str) -> TercetError:
    error = kind.__new__(kind)
    Exception.__init__(error, message)
    return error


class UsageError(TercetError):
    """A request that cannot be fulfilled: a wrong name, a missing argument, a missing file."""

    exit_code = 2


class Untrusted(UsageError):
    """A request in a file, such as a model, for what only the user may allow: running code, or using a service."""


class DataError(TercetError):
    """Input data that is malformed or inconsistent."""


class UnknownName(UsageError):
    """An unknown name; the message suggests similar names that exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, listed_by: str = "") -> None:
        known = sorted(known)
        lowered = {each.lower(): each for each in known}
        near = [lowered[each] for each in get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)]
        if near:
            hint = f"Did you mean {' or '.join(near)}?"
        elif listed_by:
            hint = f"'{listed_by}' lists them."
        else:
            hint = f"Known: {', '.join(known)}." if known else "There is none."
        super().__init__(f"There is no {kind} called {name!r}. {hint}")


class MissingFile(UsageError):
    """A file that does not exist; the message suggests similar names in its folder."""

    def __init__(self, path: str | Path) -> None:
        place = Path(path)
        try:
            beside = [each.name for each in place.parent.iterdir()]
        except (OSError, ValueError):
            beside = []
        near = [str(place.with_name(name)) for name in get_close_matches(place.name, beside, n=3, cutoff=0.75)]
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"There is no file {path}.{hint}")


class NotParallel(DataError):
    """Texts that should have one line per segment have different numbers of lines."""

    def __init__(self, name: str, lengths: Iterable[tuple[str, int]]) -> None:
        counts = ", ".join(f"{text}: {length}" for text, length in lengths)
        super().__init__(
            f"Test set {name!r} is not parallel. Lines per text: {counts}. "
            "Run 'tercet check' on the files to see where they drift apart."
        )


class MissingDependency(UsageError):
    """An optional package is not installed; the message gives the pip command."""

    def __init__(self, purpose: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{purpose} needs a package that is not installed. Install it: pip install 'tercet[{extra}]'")


def optional(module: str, purpose: str, extra: str) -> ModuleType:
    """Import a module of an optional package, which comes with an extra of Tercet."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependency(purpose, extra) from None
