"""Options of `check`: the files or texts to examine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import Options, option, python_option

if TYPE_CHECKING:
    from ..data.testset import TestSet


@dataclass(frozen=True, kw_only=True)
class Checking(Options, group="Texts"):
    """What is examined."""

    references: Sequence[str | Path] = option(
        (), metavar="[FILE]...", positional=True,
        help="References, if outputs are given; otherwise any texts with one segment per line.",
    )  # fmt: skip
    outputs: Sequence[str | Path] = option(
        (), "-i", "--input", metavar="OUTPUT", several=True, positional=True, help="Outputs, one file per system."
    )
    source: str | Path | None = option(None, "-s", "--source", metavar="SRC", help="The source text.")
    pair: str | None = option(
        None, "-l", "--language-pair", metavar="SRC-TGT",
        help="The language pair, as en-de; also checks the scripts.",
        about="The language pair, such as en-de; by default that of the test set. Without a pair, scripts are only "
        "compared between the texts.",
    )  # fmt: skip
    testset: TestSet | None = python_option(None, "A test set instead of files; `outputs` replace its own.")
