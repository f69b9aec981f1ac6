"""An extension for the API reference: docstrings describe parameters, and their types are in the signature.

numpydoc's "name : type" would take the description for a type, so it goes to a line of its own.
"""

import re
from typing import Any

import griffe

ENTRY = re.compile(r"(?P<names>[\w, *.\[\]|]+) : (?P<text>.+)")
TYPE = re.compile(
    r"(str|int|float|bool|sequence|list|tuple|dict|mapping|collection|callable|path|none|array)\b", re.IGNORECASE
)


class Parameters(griffe.Extension):
    """Put descriptions of parameters and results on lines of their own."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = described(obj.docstring.value)


def described(text: str) -> str:
    """Return a docstring in which "name : description" is numpydoc's "name" with an indented description."""
    lines = []
    section = ""
    for line, following in zip(text.split("\n"), [*text.split("\n")[1:], ""], strict=True):
        if following and set(following) == {"-"}:
            section = line
        found = ENTRY.fullmatch(line) if section in ("Parameters", "Returns") else None
        if found and not TYPE.match(found["text"]):
            lines += [found["names"], f"    {found['text']}"]
        else:
            lines.append(line)
    return "\n".join(lines)
