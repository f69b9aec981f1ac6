"""Sentence pairs, a vocabulary and packed numbers of pieces: all that training needs.

    python -m training.encoder.prepare DATA WORK [--size 64000] [--vocabulary FILE]

DATA has `parallel` (LANGUAGE.tsv.xz and europarl.tsv.xz) and WMT's folders. WORK gets `vocabulary.tsv`, `pairs.npz` and
`facts.json`. It takes about 10 minutes on one core. It needs sentencepiece.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import unicodedata
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np

from tercet.language.encoders.unigram import START, UnigramTokenizer, read_scores, split_words
from training.data import _plain

TEST_SETS = (
    "wmt17",
    "wmt18",
    "wmt19",
    "wmt23",
)  # what is chosen and tested on; no pair with one of their texts is read
TRAINED = ("wmt12", "wmt14")  # whose sources and references are pairs
BALANCE = 0.4  # a language counts in the vocabulary as its number of words to this power
MARK = "\ue000"  # what SentencePiece sees in place of "▁", which it takes for a space
Pair = tuple[str, str, str, str]  # language, text, language, text


def read_pairs(data: Path) -> Iterator[Pair]:
    """Yield all pairs; of Europarl's rows up to three with English and one of two other languages."""
    random = Random(0)
    for path in sorted((data / "parallel").glob("*.tsv.xz")):
        name = path.name.split(".")[0]
        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            header = next(lines).rstrip("\n").split("\t")
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                if name != "europarl":
                    yield "en", cells[1], name, cells[2]
                    continue
                others = [
                    (language, text) for language, text in zip(header, cells, strict=True) if text and language != "en"
                ]
                random.shuffle(others)
                yield from (("en", cells[0], *other) for other in others[:3])
                if len(others) > 1:
                    yield (*others[0], *others[1])
    for year in TRAINED:
        for path in sorted((data / year).glob("*.segments.tsv.gz")):
            source, target = path.name.split(".")[0].split("-")
            for cells in _rows(path):
                yield source, cells[1], target, cells[2]


def read_paraphrases(data: Path) -> Iterator[Pair]:
    """Yield pairs of two translations of one text into one language, up to three pairs of a text."""
    random = Random(1)
    for path in sorted((data / "parallel").glob("*.tsv.xz")):
        language = path.name.split(".")[0]
        if language == "europarl":
            continue
        by_text: dict[str, dict[str, dict[str, str]]] = {language: {}, "en": {}}
        with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            next(lines)
            for line in lines:
                _, english, other = line.rstrip("\n").split("\t")
                by_text[language].setdefault(_plain(english), {}).setdefault(_plain(other), other)
                by_text["en"].setdefault(_plain(other), {}).setdefault(_plain(english), english)
        for own, groups in by_text.items():
            for group in groups.values():
                texts = list(group.values())
                random.shuffle(texts)
                yield from ((own, one, own, next_one) for one, next_one in pairwise(texts[:4]))


def texts_of_test_sets(data: Path) -> set[str]:
    """Return the sources and references of the test sets, without case; not those of three words and 12 letters."""
    found = set()
    for year in TEST_SETS:
        for path in sorted((data / year).glob("*.segments.tsv.gz")):
            for cells in _rows(path):
                found.update(_plain(text) for text in cells[1:] if len(text.split()) > 3 or len(text) > 12)
    return found


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        next(lines)
        for line in lines:
            yield line.rstrip("\n").split("\t")


class Corpus:
    """Texts as numbers of words: pairs beside each other, and how often each language has a word."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}  # with the mark before words of letters
        self.texts: list[np.ndarray] = []
        self.languages: list[str] = []
        self.pairs: list[tuple[int, int]] = []
        self.counts: dict[str, Counter[int]] = {}
        self._chunks: dict[str, list[int]] = {}

    def add(self, pair: Pair) -> None:
        for language, text in (pair[:2], pair[2:]):
            if language not in self.counts:
                self.counts[language] = Counter()
                self.languages.append(language)
            numbers = [number for chunk in text.split() for number in self._numbers(chunk)]
            self.counts[language].update(numbers)
            self.texts.append(np.array(numbers, np.int32))
        self.pairs.append((self.languages.index(pair[0]), self.languages.index(pair[2])))

    def _numbers(self, chunk: str) -> list[int]:
        if chunk not in self._chunks:
            text = unicodedata.normalize("NFKC", chunk).lower()
            words = [mark + word for word, mark, _ in split_words(text) if not word.isspace()]
            self._chunks[chunk] = [self.words.setdefault(word, len(self.words)) for word in words]
        return self._chunks[chunk]

    def weights(self) -> np.ndarray:
        """Return each word's weight, balanced by language; what a large language has once has none."""
        total = np.zeros(len(self.words))
        for counts in self.counts.values():
            size = sum(counts.values())
            for number, count in counts.items():
                if count > 1 or size < 300_000:
                    total[number] += count * size ** (BALANCE - 1)
        return total


def make_vocabulary(corpus: Corpus, work: Path, size: int) -> str:
    """Train SentencePiece on the words, each once with its weight. Return pieces and scores as lines."""
    import sentencepiece

    weights = corpus.weights()
    scale = 3e7 / weights.sum()  # enough to tell words apart: seeding reads every word as often as it counts
    with (work / "words.tsv").open("w", encoding="utf-8") as lines:
        for word, weight in zip(corpus.words, weights * scale, strict=True):
            if weight and len(word) <= 28 and "\t" not in word:
                lines.write(f"{word.replace(START, MARK)}\t{max(1, round(weight))}\n")
    sentencepiece.SentencePieceTrainer.train(
        input=str(work / "words.tsv"), input_format="tsv", model_prefix=str(work / "pieces"), vocab_size=size,
        model_type="unigram", character_coverage=0.9998, normalization_rule_name="identity", add_dummy_prefix=False,
        split_by_unicode_script=False, split_by_whitespace=False, split_by_number=False, remove_extra_whitespaces=False,
        bos_id=-1, eos_id=-1, pad_id=-1, unk_id=0, num_threads=1, max_sentencepiece_length=20, num_sub_iterations=1,
        seed_sentencepiece_size=max(400_000, size), hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    found = (work / "pieces.vocab").read_text("utf-8").split("\n")
    rows = (line.rpartition("\t") for line in found if line)
    return "\n".join(f"{piece.replace(MARK, START)}\t{float(score):.4f}" for piece, _, score in rows)


def pack(corpus: Corpus, vocabulary: str) -> dict[str, np.ndarray]:
    """Return all texts as numbers of pieces: `pieces`, `starts` (text 2 i and 2 i + 1 are a pair), `languages`."""
    scores = read_scores(vocabulary)
    tokenizer, mark = UnigramTokenizer(scores), list(scores).index(START) if START in scores else -1

    def cut(word: str) -> np.ndarray:  # a mark alone is no piece in the package either
        return np.array([number for number, _ in tokenizer.likeliest(word[:400]) if number != mark], np.uint16)

    pieces = [cut(word) for word in corpus.words]
    nothing = np.zeros(0, np.uint16)
    texts = [np.concatenate([nothing, *(pieces[word] for word in text)]) for text in corpus.texts]
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    return {"pieces": np.concatenate(texts), "starts": starts, "languages": np.array(corpus.pairs, np.int8)}


def checksums(data: Path) -> list[tuple[str, str, int]]:
    """Return the name, checksum and size in bytes of each file that pairs come from."""
    paths = [
        *sorted((data / "parallel").glob("*.tsv.xz")),
        *(p for y in TRAINED for p in sorted((data / y).glob("*.segments.tsv.gz"))),
    ]
    return [
        (f"{path.parent.name}/{path.name}", sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
        for path in paths
    ]


def prepare(data: Path, work: Path, *, size: int, known: Path | None = None) -> dict[str, object]:
    """Write all files; return the facts. known: a vocabulary that is taken instead of a new one."""
    work.mkdir(parents=True, exist_ok=True)
    forbidden, corpus, refused = texts_of_test_sets(data), Corpus(), 0
    for pair in read_pairs(data):
        if _plain(pair[1]) in forbidden or _plain(pair[3]) in forbidden:
            refused += 1
            continue
        corpus.add(pair)
    vocabulary = make_vocabulary(corpus, work, size) if known is None else known.read_text("utf-8")
    pairs = len(corpus.pairs)
    for pair in read_paraphrases(data):
        if _plain(pair[1]) not in forbidden and _plain(pair[3]) not in forbidden:
            corpus.add(pair)
    (work / "vocabulary.tsv").write_text(vocabulary, "utf-8")
    np.savez(work / "pairs.npz", **pack(corpus, vocabulary))
    facts = {
        "languages": corpus.languages,
        "pairs": pairs,
        "paraphrases": len(corpus.pairs) - pairs,
        "refused": refused,
        "trained_on": checksums(data),
    }
    (work / "facts.json").write_text(json.dumps(facts, indent=1), "utf-8")
    return facts


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--size", type=int, default=64_000)
    parser.add_argument("--vocabulary", type=Path, help="a vocabulary.tsv, as training.encoder.restore writes it")
    given = parser.parse_args()
    facts = prepare(given.data, given.work, size=given.size, known=given.vocabulary)
    print(facts["pairs"], "pairs;", facts["refused"], "refused")


if __name__ == "__main__":
    main()
