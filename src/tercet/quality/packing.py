"""Encode language models, frequencies and aligners as bytes, and decode them: arrays in .npy format, without pickle.

The text formats (`language.arpa`, `write_frequencies`, `write_table`) are for exchange with other programs. Arrays are
faster to read, and a model file is read before every prediction: half a second instead of half a minute for a corpus of
a million words.
"""

import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from ..data.model_file import DAMAGE, array_bytes, array_from_bytes, member_info, read_member
from ..errors import DataError, UsageError
from ..language.bilingual_alignment import HMM, WordAligner
from ..language.frequencies import Frequencies
from ..language.lexical_tables import NULL, LexicalTable
from ..language.ngram_models import MARKS, Grams, NgramModel
from ..learning.predictors import below

Arrays = dict[str, NDArray[Any]]
Resource = TypeVar("Resource")
SIDES = ("forward", "backward")  # of an aligner


def pack(resource: object) -> bytes:
    """Encode a language model, a table of frequencies, an aligner or a matrix. Equal resources give equal bytes."""
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:  # not compressed, because the model file is
        for name, array in _CODECS[type(resource)][0](resource).items():
            archive.writestr(member_info(f"{name}.npy"), array_bytes(array))
    return stream.getvalue()


def unpack(kind: type[Resource], content: bytes, name: str) -> Resource:
    """Decode bytes written by `pack`. Raises DataError with the resource's name if they are malformed."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: read_member(archive, info, compressed=False) for info in archive.infolist()}
        arrays = {member.removesuffix(".npy"): array_from_bytes(each) for member, each in members.items()}
        found: Resource = _CODECS[kind][1](arrays)
        return found
    except (*DAMAGE, KeyError, TypeError, IndexError, UsageError) as error:
        what = str(error).rstrip(".")
        raise DataError(f"The resource {name} is damaged: {what}. Train the model again.") from None


def _unpack_model(arrays: Arrays) -> NgramModel:
    words, bounds = _words(arrays["words"]), _ints(arrays["bounds"])
    parents, last = _ints(arrays["parents"]), _ints(arrays["last"])
    logs, backoffs = _floats(arrays["logs"]), _floats(arrays["backoffs"])
    size = len(logs)
    _require(len(bounds) > 1 and bounds[0] == 0 and bounds[-1] == size and (np.diff(bounds) >= 0).all(), "bounds")
    _require(len(parents) == len(last) == len(backoffs) == size and bool((logs <= 0).all()), "n-grams")
    _require(len(words) == bounds[1] and words[: len(MARKS)] == MARKS, "vocabulary")
    _require(bool((last >= 0).all() and (last < len(words)).all()), "words of n-grams")
    _require(np.array_equal(last[: len(words)], np.arange(len(words))), "single words")
    levels = []
    for n, (start, end) in enumerate(pairwise(bounds.tolist())):
        above = np.zeros(len(words), dtype=np.int64)
        if n:
            before = bounds[n - 1]
            above = parents[start:end] - before
            _require(bool((above >= 0).all() and (above < start - before).all()), "parents")
            _require(bool((np.diff(above * len(words) + last[start:end]) > 0).all()), "order of n-grams")
        levels.append(Grams(above, last[start:end], logs[start:end], backoffs[start:end]))
    return NgramModel(words, levels)


def _pack_frequencies(table: Frequencies) -> Arrays:
    arrays: Arrays = {"words": _text(table.words), "lowercase": np.array(table.lowercase)}
    for n, (keys, counts) in enumerate(zip(table.keys, table.counts, strict=True), 1):
        arrays |= {f"keys{n}": keys, f"counts{n}": counts}
    return arrays


def _unpack_frequencies(arrays: Arrays) -> Frequencies:
    words = _words(arrays["words"])
    orders = range(1, sum(name.startswith("keys") for name in arrays) + 1)
    keys = tuple(_ints(arrays[f"keys{n}"]) for n in orders)
    counts = tuple(_floats(arrays[f"counts{n}"]) for n in orders)
    _require(bool(keys) and np.array_equal(keys[0], np.arange(len(words))), "words")
    for ordered, values in zip(keys, counts, strict=True):
        _require(len(ordered) == len(values) and bool((np.diff(ordered) > 0).all()), "keys")
        _require(bool((values >= 0).all() and (values > 0).any()), "counts")
    return Frequencies(words, keys, counts, bool(arrays["lowercase"]))


def _pack_aligner(aligner: WordAligner) -> Arrays:
    arrays: Arrays = {}
    for side in SIDES:
        model = getattr(aligner, side)
        table = model.table
        parts: Arrays = {
            "sources": _text(table.source_words), "targets": _text(table.target_words), "starts": table.starts,
            "pairs": table.targets, "probabilities": table.probabilities, "jumps": model.jumps,
            "settings": np.array([model.null, model.smoothing]),
        }  # fmt: skip
        arrays |= {f"{side}_{name}": part for name, part in parts.items()}
    return arrays


def _unpack_direction(arrays: Arrays) -> HMM:
    sources, targets = _words(arrays["sources"]), _words(arrays["targets"])
    starts, pairs = _ints(arrays["starts"]), _ints(arrays["pairs"])
    probabilities, jumps = _floats(arrays["probabilities"]), _floats(arrays["jumps"])
    null, smoothing = _floats(arrays["settings"]).tolist()
    _require(len(starts) == len(sources) + 1 and sources[:1] == (NULL,), "source words")
    _require(bool((np.diff(starts) >= 0).all()) and starts[0] == 0 and starts[-1] == len(pairs), "rows")
    _require(bool((pairs >= 0).all() and (pairs < len(targets)).all()), "target words")
    rows = np.repeat(np.arange(len(sources)), np.diff(starts))
    _require(bool((np.diff(rows * len(targets) + pairs) > 0).all()), "order of target words")
    _require(len(probabilities) == len(pairs) and len(jumps) % 2 == 1, "probabilities")
    shares = np.concatenate([probabilities, jumps])
    _require(bool((shares >= 0).all() and (shares <= 1).all()), "probabilities")
    return HMM(LexicalTable(sources, targets, starts, pairs.astype(np.int32), probabilities), jumps, null, smoothing)


def _unpack_matrix(arrays: Arrays) -> NDArray[np.float64]:
    matrix = arrays["matrix"]
    _require(matrix.ndim == 2 and len(matrix) > 1, "rows")
    return _floats(matrix.reshape(-1)).reshape(matrix.shape)


def _text(words: Sequence[str]) -> NDArray[np.uint8]:
    """Encode words as UTF-8, with line feeds between them."""
    return np.frombuffer("\n".join(words).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def _words(coded: NDArray[np.generic]) -> tuple[str, ...]:
    return tuple(coded.astype(np.uint8, casting="equiv").tobytes().decode("utf-8", "surrogatepass").split("\n"))


def _ints(array: NDArray[np.generic]) -> NDArray[np.int64]:
    if array.ndim != 1 or array.dtype.kind != "i":
        raise ValueError("an array is not one-dimensional, or not of integers")
    return np.ascontiguousarray(array, dtype=np.int64)


def _floats(array: NDArray[np.generic]) -> NDArray[np.float64]:
    if array.ndim != 1 or array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError("an array is not one-dimensional, or not of finite numbers")
    return np.ascontiguousarray(array)


def _require(right: bool | np.bool_, what: str) -> None:
    if not right:
        raise ValueError(f"its {what} contradict each other")


_OF_MODEL = ("bounds", "parents", "last", "logs", "backoffs")
_CODECS: dict[type, tuple[Callable[[Any], Arrays], Callable[[Arrays], Any]]] = {
    NgramModel: (
        lambda model: {"words": _text(model.words)} | {name: getattr(model, name) for name in _OF_MODEL},
        _unpack_model,
    ),
    Frequencies: (_pack_frequencies, _unpack_frequencies),
    WordAligner: (
        _pack_aligner,
        lambda arrays: WordAligner(*(_unpack_direction(below(f"{side}_", arrays)) for side in SIDES)),
    ),
    np.ndarray: (lambda matrix: {"matrix": matrix}, _unpack_matrix),
}
