"""Find models by name: those that are part of the package."""

from __future__ import annotations

import logging
from importlib.resources import files
from pathlib import Path

from ..errors import UsageError

log = logging.getLogger(__name__)

NAMED = ("default",)
TRIAGE = "triage"  # in `tercet qe rank`: findings instead of a model


def find_model(name: str | Path) -> Path:
    """Return the file of a model: the name of a bundled one, or a path. A file of that name goes first, with a warning.

    Raises UsageError for a name whose model is not part of this installation.
    """
    path = Path(name)
    if str(name) not in NAMED:
        return path
    if path.is_file():
        log.warning("%s is a file here, so it is used instead of the bundled model of that name.", name)
        return path
    bundled = Path(str(files(__package__).joinpath("data", f"{name}.qe")))
    if not bundled.is_file():
        raise UsageError(
            f"The model {str(name)!r} is not part of this installation. Train one ('tercet qe train'), or rank by "
            f"findings, without a model: tercet qe rank {TRIAGE} …"
        )
    return bundled
