"""Tables in TOML that come with the package."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def packaged(package: str, path: str) -> dict[str, Any]:
    """Return the table in a file of a package, such as "data/spelling.toml". It is read once per process."""
    return tomllib.loads(files(package).joinpath(path).read_text("utf-8"))
