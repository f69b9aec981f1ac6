"""BEER: character n-grams, word n-grams and skip-bigrams, weighed by weights learnt from people's rankings.

Stanojević and Sima'an (2014), "BEER: BEtter Evaluation as Ranking", WMT. Features are those of BEER 2.0 (github.com/
stanojevic/beer); with its published weights (`model=FOLDER`, the folder models/default of the program) the scores equal
the program's. Two of its peculiarities are kept because the weights depend on them: "charN" has the substrings of
N - 1 characters, and the last of them is left out; a word n-gram at the beginning or end of a sentence counts twice,
once marked as first or last.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from ...data.files import file_state
from ...errors import DataError
from ...text.coding import Ints, NgramIndex, Units, ngram_totals, offsets_of
from .. import FeatureMetric, Floats, Shard, group_references
from ..bases.features import NONE, Weights
from ..bases.pairs import best_rows, number_words, owners

CHARACTERS, WORDS = 6, 4  # longest n-grams
GAPS = (1, 1_000_000, 2, 3, 4)  # words between the two of a skip-bigram, at most; in the order of their names
PIECES = (
    *(f"char{n}" for n in range(1, CHARACTERS + 1)),
    *(f"ngram{n}" for n in range(1, WORDS + 1)),
    *(f"skip{gap}" for gap in GAPS),
)
SHARES = ("a", "b", "f.1.0", "g.1.0")  # smaller and larger of precision and recall, F1, geometric mean
LENGTHS = ("len_disbalance_char.d.1.0", "len_disbalance_word.d.1.0")
NAMES = (
    *(f"char{n}.{share}" for n in range(1, CHARACTERS + 1) for share in SHARES),
    *LENGTHS,
    *(f"{piece}.{share}" for piece in PIECES[CHARACTERS:] for share in SHARES),
)
EMPTY = 100_000.0  # the imbalance of lengths if one of them is 0
_BLANKS = re.compile(" +")
_FILES = ("core_model", "feature_values_scaling", "output_scaling", "feature_names_mapping")


@dataclass(frozen=True)
class BEER(FeatureMetric):
    """BEER; of a system the mean of its segments, of several references the best.

    model: a file that `tercet learn` wrote, or a folder with a model of the program BEER 2.0, whose scores range from 0
        to 1; none gives only the features, and the score 0. By default the weights of the package.
    """

    longest = 5000
    paper = "Stanojević and Sima'an (2014), BEER: BEtter Evaluation as Ranking"

    @property
    def compatible(self) -> str | None:
        return "beer2.0" if self._is_program() else None

    @property
    def languages(self) -> tuple[str, ...]:
        """The package's weights are for any language: weights learnt for one are not better there (docs)."""
        return super().languages if self.model else ()

    def _is_program(self) -> bool:
        return bool(self.model and self.model != NONE and Path(self.model).is_dir())

    def feature_names(self) -> tuple[str, ...]:
        return NAMES

    def weights(self) -> Weights | None:
        if not self._is_program():
            return super().weights()
        folder = Path(str(self.model))
        return _read_program(folder, tuple(file_state(folder / name) for name in _FILES))

    def features(self, shard: Shard, opened: object, weights: Weights | None) -> dict[str, Floats]:
        texts, groups = group_references(shard.references)
        numbers: dict[str, int] = {}
        references = shard.share("beer references", partial(_References, [_split(text) for text in texts], numbers))
        found = {}
        for system, outputs in shard.outputs.items():
            table = references.compare([_split(text) for text in outputs], owners(groups))
            scores = table[:, _F1].mean(1) if weights is None else weights.predict(table)
            found[system] = table[best_rows(scores, groups, highest=True)]
        return found


_F1 = [place for place, name in enumerate(NAMES) if name.endswith(".f.1.0")]


def _split(text: str) -> list[str]:
    """Split at blanks as Java does: an empty first word stays, empty last words do not."""
    words = _BLANKS.split(text)
    while len(words) > 1 and not words[-1]:
        words.pop()
    return [] if words == [""] and text else words


class _References:
    """The references of a shard, indexed once for all systems."""

    def __init__(self, texts: list[list[str]], numbers: dict[str, int]) -> None:
        self.texts, self.numbers = texts, numbers
        each = np.arange(len(texts) + 1, dtype=np.int64)
        self.characters = NgramIndex(_characters(texts), each, CHARACTERS - 1)
        words = number_words(texts, numbers)
        self.words = NgramIndex(words, each, WORDS)
        self.skips = [np.unique(keys, return_counts=True) for keys in _skip_bigrams(words, len(numbers))]
        self.totals, self.lengths = _count(texts)

    def compare(self, outputs: list[list[str]], segments: Ints) -> Floats:
        """Return the features of each reference text with the output of its segment, shape (reference texts, 62)."""
        totals, lengths = _count(outputs)
        lengths = np.stack([lengths[segments], self.lengths])
        matches = np.empty_like(self.totals)
        matches[:, 0] = lengths[:, :, 0].min(0)
        matches[:, 1:CHARACTERS] = self.characters.count_matches(_characters(outputs), segments)
        ids = np.array([self.numbers.get(word, -1) for text in outputs for word in text], dtype=np.int32)
        words = Units(ids, offsets_of([len(text) for text in outputs]))  # -1: no reference has the word
        edges = self._edges(outputs, segments)
        matches[:, CHARACTERS : CHARACTERS + WORDS] = self.words.count_matches(words, segments) + edges
        matches[:, CHARACTERS + WORDS :] = self._skips(_taken(words, segments))
        return _shares(matches, totals[segments], self.totals, lengths)

    def _skips(self, outputs: Units) -> Ints:
        """Count the skip-bigrams that each reference text has in common with its output."""
        found = np.zeros((len(self.texts), len(GAPS)), dtype=np.int64)
        for column, keys in enumerate(_skip_bigrams(outputs, len(self.numbers))):
            known, counts = self.skips[column]
            mine, how_often = np.unique(keys, return_counts=True)
            places = np.searchsorted(known, mine)
            same = places < len(known)
            same[same] = known[places[same]] == mine[same]
            common = np.minimum(how_often[same], counts[places[same]])
            rows = mine[same] // max(len(self.numbers), 1) ** 2
            found[:, column] = np.bincount(rows, common, minlength=len(found))
        return found

    def _edges(self, outputs: list[list[str]], segments: Ints) -> Ints:
        """Count the first and last n-grams that are the same."""
        found = np.empty((len(segments), WORDS), dtype=np.int64)
        for row, segment in enumerate(segments.tolist()):
            mine, other = outputs[segment], self.texts[row]
            found[row] = [(mine[:n] == other[:n]) + (mine[-n:] == other[-n:]) for n in range(1, WORDS + 1)]
        return found


def _shares(matches: Ints, ours: Ints, theirs: Ints, lengths: Ints) -> Floats:
    """Return the features from numbers of pieces, shape (texts, pieces) -> (texts, 62)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(ours > 0, matches / ours, 0.0)
        recall = np.where(theirs > 0, matches / theirs, 0.0)
        both = precision + recall
        f1 = np.where(both > 0, 2 * precision * recall / both, 0.0)
        longer, shorter = lengths.max(0), lengths.min(0)
        imbalance = np.where(shorter > 0, longer / shorter - 1, EMPTY)
    parts = [np.minimum(precision, recall), np.maximum(precision, recall), f1, np.sqrt(precision * recall)]
    table = np.stack(parts, axis=2).reshape(len(matches), -1)
    cut = len(SHARES) * CHARACTERS
    return np.concatenate([table[:, :cut], imbalance, table[:, cut:]], axis=1)


def _count(texts: list[list[str]]) -> tuple[Ints, Ints]:
    """Return numbers of pieces, shape (texts, pieces), and of characters and words, shape (texts, 2)."""
    words = np.array([len(text) for text in texts], dtype=np.int64)
    characters = _characters(texts).lengths + [bool(text) and text != [""] for text in texts]
    reach = np.maximum(np.minimum(words[:, np.newaxis] - 1, np.array(GAPS) + 1), 0)
    skips = reach * words[:, np.newaxis] - reach * (reach + 1) // 2
    totals = [
        characters[:, np.newaxis], ngram_totals(characters - 1, CHARACTERS - 1), ngram_totals(words, WORDS) + 2, skips
    ]  # fmt: skip
    return np.concatenate(totals, axis=1), np.stack([characters, words], axis=1)


def _characters(texts: list[list[str]]) -> Units:
    """Return the UTF-16 units of texts without their last one."""
    coded = [" ".join(words).encode("utf-16-le", "surrogatepass")[:-2] for words in texts]
    ids = np.frombuffer(b"".join(coded), dtype="<u2").astype(np.int32)
    return Units(ids, offsets_of([len(each) // 2 for each in coded]))


def _taken(units: Units, texts: Ints) -> Units:
    parts = [units.ids[units.offsets[text] : units.offsets[text + 1]] for text in texts.tolist()]
    return Units(np.concatenate([*parts, units.ids[:0]]), offsets_of([len(part) for part in parts]))


def _skip_bigrams(words: Units, vocabulary: int) -> Iterator[Ints]:
    """Yield for each of `GAPS` the pairs of known words with at most so many words between them, as numbers."""
    lengths = words.lengths
    ids, texts = words.ids.astype(np.int64), np.repeat(np.arange(len(lengths)), lengths)
    ends = words.offsets[1:][texts]
    first, by_distance = np.flatnonzero(ids >= 0), []
    for ahead in range(1, int(lengths.max(initial=0))):
        first = first[first + ahead < ends[first]]
        both = first[ids[first + ahead] >= 0]
        by_distance.append((texts[both] * vocabulary + ids[both]) * vocabulary + ids[both + ahead])
    for gap in GAPS:
        yield np.concatenate([*by_distance[: gap + 1], ids[:0]])


@dataclass(frozen=True, eq=False)
class _Program:
    """A model of the program: weights of scaled features, and a line from their sum to the score."""

    weights: Floats
    low: Floats
    high: Floats
    line: tuple[float, float]
    checksum: str

    def predict(self, features: Floats) -> Floats:
        scaled = self.weights * ((features - self.low) / (self.high - self.low))
        raw = scaled.cumsum(1)[:, -1]  # one after the other, as the program adds them
        return np.asarray(np.clip((self.line[0] + self.line[1] * raw) / 100, 0, 1))


@lru_cache(maxsize=4)
def _read_program(folder: Path, states: object) -> _Program:
    try:
        texts: Mapping[str, str] = {name: (folder / name).read_text("utf-8") for name in _FILES}
        weights = [float(word) for word in texts["core_model"].split("\nw\n")[1].split()]
        scaling = [[float(word) for word in line.split()] for line in texts["feature_values_scaling"].splitlines()]
        line = [float(word) for word in texts["output_scaling"].split("\nw\n")[1].split()]
        names = [row.split()[1] for row in texts["feature_names_mapping"].splitlines()]
        if not len(weights) == len(scaling) == len(names) or len(line) != 2 or any(len(row) != 2 for row in scaling):
            raise ValueError(f"{len(weights)} weights, {len(scaling)} ranges and {len(names)} names")
    except (OSError, UnicodeDecodeError, ValueError, IndexError) as error:
        raise DataError(f"{folder} is not a model of BEER 2.0 (with {', '.join(_FILES)}): {error}.") from None
    if tuple(names) != NAMES:
        raise DataError(f"{folder}: the model of BEER 2.0 has other features than models/default of the program.")
    low, high = np.array(scaling).T
    digest = sha256("".join(texts[name] for name in _FILES).encode()).hexdigest()
    return _Program(np.array(weights), low, high, (line[0], line[1]), digest)
