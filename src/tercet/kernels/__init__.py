"""The few compiled loops. Each module is plain Python that Cython compiles at installation.

Uncompiled they give the same numbers, slowly; `warn_if_slow` says so once.
"""

import logging
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

log = logging.getLogger(__name__)
_told = False


def compiled() -> bool:
    """Whether all kernels run as machine code: each has a compiled module beside its source."""
    here = Path(__file__).parent
    sources = [path.stem for path in here.glob("[!_]*.py") if path.stem != "plain"]
    return all(any((here / f"{name}{suffix}").exists() for suffix in EXTENSION_SUFFIXES) for name in sources)


def warn_if_slow() -> None:
    """Say once that the kernels are not compiled."""
    global _told
    if not _told and not compiled():
        _told = True
        log.warning("The kernels are not compiled: results are right but slow. Reinstall with a C compiler present.")
