"""PReP: sentence BLEU against the references and against other systems' outputs that are paraphrases of a reference.

Yoshimura et al. (2019), "Filtering Pseudo-References by Paraphrasing for Automatic Evaluation of Machine Translation",
WMT. They filter by a classifier of paraphrases; here a sentence encoder's cosine with a reference decides. The output
of the scored system is never among its pseudo-references. Scores depend on the other systems of the test set; the
signature tells pools apart by a checksum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from ...data.testset import TestSet
from ...errors import UsageError
from ...language.encoders import USE_LANGUAGES, Encoder, default_encoder
from ...text.explanations import Matches, Seen
from .. import Corpus, EncoderMetric, Floats, Learnt, Shard, explain_ngrams
from .._parameters import CASE, param
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
    """The encoder and the pool."""

    encoder: Encoder
    pool: Pool | None


@dataclass(frozen=True)
class PReP(EncoderMetric):
    """Sentence BLEU with filtered pseudo-references, 0 to 1, the mean of segments.

    threshold: the cosine with a reference that an output must have, to be a pseudo-reference.
    encoder: the sentence encoder that filters; by default minilm for English, use for the languages that it knows, and
        multilingual for others.
    tokenize: by default moses (English; moses-LANG for others). lowercase: ignore case.
    """

    threshold: float = param(0.8, low=-1, high=1)
    tokenize: str | None = param(key="tok")
    lowercase: bool = param(False, key="case", words=CASE)

    explains = (Matches,)
    paper = (
        "Yoshimura et al. (2019), Filtering Pseudo-References by Paraphrasing for Automatic Evaluation of Machine "
        "Translation"
    )
    tolerance = 0.0  # a cosine decides, and is not counted

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        return {
            "encoder": "use" if language != "en" and language in USE_LANGUAGES else default_encoder(language),
            "tokenize": SentBLEU().resolved(language).tokenize,
        }

    def validate(self) -> None:
        if self.tokenize is not None:
            SentBLEU(self.tokenize)  # says what is wrong

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if len(testset.outputs) < 2:
            raise UsageError(
                f"prep needs the outputs of two systems or more, and test set {testset.name!r} has one: other systems' "
                "outputs are its pseudo-references. For one use sentbleu."
            )

    def learn(self, testset: Corpus) -> Learnt:
        encoder = self.find_encoder(testset)
        outputs: dict[Key, dict[str, list[str]]] = {}
        digest = 0
        for shard in testset.shards(SHARD):
            keys = map(tuple, Shard(shard).reference_rows)
            for key, *row in zip(keys, *shard.outputs.values(), strict=True):
                known = outputs.setdefault(key, {})
                for system, text in zip(shard.outputs, row, strict=True):
                    known.setdefault(system, []).append(text)
                    data = "\n".join([*key, system, text]).encode("utf-8", "surrogatepass")
                    digest += int.from_bytes(blake2b(data, digest_size=8).digest(), "big")
        pool = Pool(f"{digest % (1 << 64):016x}", encoder.fingerprint, outputs)
        return Learnt(pool, {"encoded": encoder.fingerprint, "pool": pool.checksum})

    def open(self, state: Pool | None) -> Opened:
        return Opened(self.open_encoder(None if state is None else state.fingerprint), state)

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count sentence BLEU's statistics against references and pseudo-references."""
        pool = self.learnt(opened.pool, "the pool is")
        keys = [tuple(row) for row in shard.reference_rows]
        texts = [text for key in keys for each in (key, *pool.outputs.get(key, {}).values()) for text in each]
        vectors = self.encode_sentences(shard, opened.encoder, texts)
        bleu, found = self._bleu(), {}
        for system, outputs in shard.outputs.items():
            kept = [
                self._paraphrases(key, pool.others(key, system, output), vectors)
                for key, output in zip(keys, outputs, strict=True)
            ]
            columns = {
                f"pseudo-reference {number}": [each[number] if number < len(each) else None for each in kept]
                for number in range(max(map(len, kept), default=0))
            }
            against = TestSet({system: outputs}, {**shard.references, **columns}, pair=shard.pair)
            found[system] = bleu.count(Shard(against), None)[system]
        return found

    def _paraphrases(self, key: Key, others: Sequence[str], vectors: Mapping[str, Any]) -> list[str]:
        if not others or not key:
            return []
        references = np.stack([vectors[text] for text in key])
        similar = (np.stack([vectors[text] for text in others]) @ references.T).max(1)
        return [text for text, cosine in zip(others, similar, strict=True) if cosine >= self.threshold]

    def _bleu(self) -> SentBLEU:
        return SentBLEU(self.tokenize or "moses", lowercase=self.lowercase)

    def score(self, totals: Floats) -> Floats:
        return self._bleu().score(totals)

    def segment_scores(self, counts: Floats) -> Floats:
        return self._bleu().segment_scores(counts)

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        key = tuple(references)
        others = self.learnt(opened.pool, "the pool is").others(key, "", output)
        vectors = dict(zip([*key, *others], opened.encoder.sentences([*key, *others]), strict=True))
        kept = self._paraphrases(key, others, vectors)
        bleu, texts = self._bleu(), [output, *key, *kept]
        seen = explain_ngrams(bleu.score_one(output, texts[1:]), bleu.words(texts).strings(), ORDER, marked=len(key))
        return replace(seen, values={"pseudo_references": kept})
