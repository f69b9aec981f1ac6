"""The few compiled loops. Each module is plain Python that Cython compiles at installation.

Uncompiled they give the same numbers, slowly; `warn_if_slow` says so once.
"""

import logging

log = logging.getLogger(__name__)
_told = False


def compiled() -> bool:
    """Whether the kernels run as machine code."""
    from . import ngrams, tokens

    return bool(ngrams.COMPILED and tokens.COMPILED)


def warn_if_slow() -> None:
    """Say once that the kernels are not compiled."""
    global _told
    if not _told and not compiled():
        _told = True
        log.warning("The kernels are not compiled: results are right but slow. Reinstall with a C compiler present.")
