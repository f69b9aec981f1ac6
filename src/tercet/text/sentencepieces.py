"""Tokenise with a SentencePiece model, as spBLEU does.

Goyal et al. (2022), "The Flores-101 Evaluation Benchmark for Low-Resource and Multilingual Machine Translation", TACL.
The pieces equal those of sacreBLEU 2.6 with the same model file. flores101 and flores200 are sacreBLEU's names of two
models, which are data sets here: `tercet data add FILE flores200`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import DataError, MissingDependency
from .coding import Words, code_points, split_words, whole_characters

MODELS = ("flores101", "flores200")  # names of tokenisers that are data sets with a model
WHAT = {"what": "SentencePiece model", "content": "the model"}


def model_of(name: str) -> Path | None:
    """Return the model of a tokeniser that is named after a data set; None for other tokenisers."""
    if name not in MODELS:
        return None
    from ..data.catalogue import check_unchanged, data_folder  # slow to import, and bleu seldom needs it
    from ..data.named_files import file_of_dataset

    path = file_of_dataset(name, **WHAT)
    check_unchanged(name, data_folder())
    return path


def find_model(given: str) -> Path:
    """Return the path of a model, given as a path or as the name of a data set."""
    from ..data.named_files import find_file

    return find_file(given, **WHAT)


def words(texts: Sequence[str], model: Path) -> Words:
    """Return the pieces of every text."""
    from ..data.files import file_state

    processor = _processor(model, file_state(model))
    pieces = processor.encode([whole_characters(text.rstrip()) for text in texts], out_type=str)
    return split_words(*code_points([" ".join(line) for line in pieces]))


@lru_cache(maxsize=2)
def _processor(path: Path, state: object) -> Any:
    """Return the model, which is loaded again only if the file changes."""
    try:
        import sentencepiece
    except ImportError:
        raise MissingDependency("Tokenising with a SentencePiece model", "spm") from None
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    except (RuntimeError, OSError):
        raise DataError(f"{path} is not a SentencePiece model, or it is damaged.") from None
