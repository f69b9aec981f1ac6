"""PReP: sentence BLEU against the references and against other systems' outputs that are paraphrases of a reference.

Yoshimura et al. (2019), "Filtering Pseudo-References by Paraphrasing for Automatic Evaluation of Machine Translation",
WMT. They filter by a classifier of paraphrases; here a sentence encoder's cosine with a reference decides, or a
classifier of yours. The output of the scored system is never among its pseudo-references. Scores depend on the other
systems of the test set, or on files with pseudo-references; the signature tells pools apart by a checksum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, NamedTuple

from ...data.lines import read_lines
from ...data.testset import TestSet
from ...errors import NotParallel, UsageError
from ...language.encoders import PACKAGES, USE_LANGUAGES, default_encoder, open_pair_scorer
from ...text.explanations import Matches, Seen
from .. import Corpus, EncoderMetric, Floats, Learnt, Shard, explain_ngrams
from .._parameters import CASE, param
from ..bases.pairs import one_segment
from ..strings.sentbleu import ORDER, SentBLEU

SHARD = 10_000  # segments whose texts are in memory at once while the pool is read
Key = tuple[str, ...]  # the references of a segment


@dataclass(frozen=True)
class Pool:
    """The outputs of all systems, by the references of their segment and by system. Only the checksum is compared."""

    checksum: str
    fingerprint: str
    outputs: Mapping[Key, Mapping[str, Sequence[str]]] = field(repr=False, compare=False)

    def others(self, key: Key, system: str, output: str) -> list[str]:
        """Return the outputs of other systems, each once, without those that equal the output."""
        if key not in self.outputs:
            raise UsageError(
                f"prep: the pool has no reference {key[:1]!r}; call ready(testset) with the whole test set."
            )
        found = (text for name, texts in self.outputs[key].items() if name != system for text in texts)
        return [text for text in dict.fromkeys(found) if text != output]


class Opened(NamedTuple):
    """What filters, an encoder or a classifier, and the pool."""

    filter: Any
    pool: Pool | None


@dataclass(frozen=True)
class PReP(EncoderMetric):
    """Sentence BLEU with filtered pseudo-references, 0 to 1, the mean of segments.

    threshold: the cosine with a reference that an output must have, to be a pseudo-reference; or the number of the
        classifier. By default .8 and .5.
    pseudo: instead of the other systems' outputs, files with one pseudo-reference per segment, joined by +.
    classifier: a folder with an ONNX model that gives one number for a reference and an output (`model.onnx`).
    encoder: the sentence encoder that filters; by default minilm for English, use for the languages that it knows, and
        multilingual for others.
    tokenize: by default moses (English; moses-LANG for others). lowercase: ignore case.
    """

    threshold: float = param(low=-1000, high=1000)
    pseudo: str | None = param()
    classifier: str | None = param(file=True)
    tokenize: str | None = param(key="tok")
    lowercase: bool = param(False, key="case", words=CASE)

    explains = (Matches,)
    paper = (
        "Yoshimura et al. (2019), Filtering Pseudo-References by Paraphrasing for Automatic Evaluation of Machine "
        "Translation"
    )
    tolerance = 0.0  # a cosine decides, and is not counted

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        return PACKAGES["onnx"] if self.classifier else super().packages

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {
            "threshold": 0.5 if self.classifier else 0.8,
            "encoder": "use" if language != "en" and language in USE_LANGUAGES else default_encoder(language),
            "tokenize": SentBLEU().resolved(language).tokenize,
        }

    def validate(self) -> None:
        if self.tokenize is not None:
            SentBLEU(self.tokenize)  # says what is wrong

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if len(testset.outputs) < 2 and not self.pseudo:
            raise UsageError(
                f"prep needs the outputs of two systems or more, and test set {testset.name!r} has one: other systems' "
                "outputs are its pseudo-references. For one give prep:pseudo=FILE, or use sentbleu."
            )

    def learn(self, testset: Corpus) -> Learnt:
        fingerprint = self._fingerprint(testset)
        files = {path: read_lines(path) for path in (self.pseudo or "").split("+") if path}
        outputs: dict[Key, dict[str, list[str]]] = {}
        digest = first = 0
        for shard in testset.shards(SHARD):
            keys = list(map(tuple, Shard(shard).reference_rows))
            given = {path: lines[first : first + len(keys)] for path, lines in files.items()} or shard.outputs
            first += len(keys)
            for key, *row in zip(keys, *given.values(), strict=False):  # files of another length are refused below
                known = outputs.setdefault(key, {})
                for system, text in zip(given, row, strict=True):
                    known.setdefault(system, []).append(text)
                    data = "\n".join([*key, system, text]).encode("utf-8", "surrogatepass")
                    digest += int.from_bytes(blake2b(data, digest_size=8).digest(), "big")
        for path, lines in files.items():
            if len(lines) != first:
                raise NotParallel(testset.name, [("references", first), (path, len(lines))])
        pool = Pool(f"{digest % (1 << 64):016x}", fingerprint, outputs)
        return Learnt(pool, {"encoded": fingerprint, "pool": pool.checksum})

    def _fingerprint(self, testset: Corpus) -> str:
        """Return the checksum of what filters; warn of languages that the encoder does not know."""
        if self.classifier:
            return open_pair_scorer(self.classifier, device=self.device).fingerprint
        return self.find_encoder(testset).fingerprint

    def open(self, state: Pool | None) -> Opened:
        known = None if state is None else state.fingerprint
        if not self.classifier:
            return Opened(self.open_encoder(known), state)
        found = open_pair_scorer(self.classifier, device=self.device)
        if known not in (None, found.fingerprint):
            raise UsageError("prep: the classifier is not the one that scoring began with.")
        return Opened(found, state)

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count sentence BLEU's statistics against references and pseudo-references."""
        pool = self.learnt(opened.pool, "the pool is")
        keys = [tuple(row) for row in shard.reference_rows]
        kept = self._paraphrases(shard, opened, keys)
        bleu, found = self._bleu(), {}
        for system, outputs in shard.outputs.items():
            rows = [
                [text for text in pool.others(key, system, output) if (key, text) in kept]
                for key, output in zip(keys, outputs, strict=True)
            ]
            columns = {
                f"pseudo-reference {number}": [row[number] if number < len(row) else None for row in rows]
                for number in range(max(map(len, rows), default=0))
            }
            against = TestSet({system: outputs}, {**shard.references, **columns}, pair=shard.pair)
            found[system] = bleu.count(Shard(against), None)[system]
        return found

    def _paraphrases(self, shard: Shard, opened: Opened, keys: Sequence[Key]) -> set[tuple[Key, str]]:
        """Return the texts of the pool that are paraphrases of a reference of their segment."""
        outputs = self.learnt(opened.pool, "the pool is").outputs
        pool = {key: [text for texts in outputs.get(key, {}).values() for text in texts] for key in keys if key}
        rows = [(key, text) for key, texts in pool.items() for text in dict.fromkeys(texts)]
        pairs = [(reference, text) for key, text in rows for reference in key]
        if self.classifier:
            numbers = opened.filter.scores(pairs)
        else:
            vectors = self.encode_sentences(shard, opened.filter, [text for pair in pairs for text in pair])
            numbers = [float(vectors[reference] @ vectors[text]) for reference, text in pairs]
        similar = dict(zip(pairs, numbers, strict=True))
        return {(key, text) for key, text in rows if max(similar[each, text] for each in key) >= self.threshold}

    def _bleu(self) -> SentBLEU:
        return SentBLEU(self.tokenize or "moses", lowercase=self.lowercase)

    def score(self, totals: Floats) -> Floats:
        return self._bleu().score(totals)

    def segment_scores(self, counts: Floats) -> Floats:
        return self._bleu().segment_scores(counts)

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        key = tuple(references)
        found = self._paraphrases(one_segment(output, references, source), opened, [key])
        others = self.learnt(opened.pool, "the pool is").others(key, "", output)
        kept = [text for text in others if (key, text) in found]
        bleu, texts = self._bleu(), [output, *key, *kept]
        seen = explain_ngrams(bleu.score_one(output, texts[1:]), bleu.words(texts).strings(), ORDER, marked=len(key))
        return replace(seen, values={"pseudo_references": kept})
