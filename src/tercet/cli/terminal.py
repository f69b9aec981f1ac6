"""What a terminal gets to see: texts of files may hold escape sequences that it would obey.

While a command runs, whatever it prints to a terminal goes through `write` here. Output to files and pipes is left as
it is, byte for byte.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

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

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self._stream, name)
