"""Messages of the library in the words of the command line: `option` becomes --option."""

from __future__ import annotations

import re

from ..options import Options, declared

_FLAGS: dict[str, str] = {}  # of the command that runs: flags by the names of options


def use_flags(kind: type[Options]) -> None:
    """Name the options of a task by their flags from now on."""
    _FLAGS.clear()
    _FLAGS.update({name: each.flag for name, each in declared(kind).items() if each.in_shell})


def in_flags(message: str) -> str:
    """Return a message with the flags of the options that it names."""
    return re.sub(r"`(\w+)`", lambda found: _FLAGS.get(found[1], found[0]), message) if _FLAGS else message
