"""Functions of `tercet kb`: build a knowledge base (`build`), open one (`info`), and link texts to one (`link`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .knowledge.collecting import build_from_files as build
from .knowledge.default import resolve
from .knowledge.linking import link as link

__all__ = ["build", "info", "link"]


def info(kb: str | Path | None = None, *, verify: bool = False) -> dict[str, Any]:
    """Return what a knowledge base holds; by default the one that comes with Tercet.

    Parameters
    ----------
    kb : a folder that `build` wrote.
    verify : read all of it and compare the checksum.

    Returns
    -------
    dict : name, numbers of entities and names, languages, sources with licences, checksum.

    Examples
    --------
    >>> import tercet
    >>> tercet.kb.info()["entities"] > 100_000
    True
    """
    opened = resolve(kb)
    if verify:
        opened.verify()
    return opened.info()
