"""The compiled loops. Each module is plain Python that Cython compiles at installation.

Uncompiled they give the same results, but slowly; `warn_if_slow` logs a warning once.
"""

import logging
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

log = logging.getLogger(__name__)
_told = False


def compiled() -> bool:
    """Return whether all kernels are compiled, i.e. each source file has a compiled module next to it."""
    here = Path(__file__).parent
    sources = [path.stem for path in here.glob("[!_]*.py") if path.stem != "plain"]
    return all(any((here / f"{name}{suffix}").exists() for suffix in EXTENSION_SUFFIXES) for name in sources)


def warn_if_slow() -> None:
    """Log a warning, once, if the kernels are not compiled."""
    global _told
    if not _told and not compiled():
        _told = True
        log.warning("The kernels are not compiled: results are right but slow. Reinstall with a C compiler present.")
