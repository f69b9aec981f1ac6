"""YiSi-1: precision and recall of n-grams, by the vectors of their tokens; rare tokens have more weight.

Lo (2019), "YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric for Languages with Different Levels of
Available Resources", WMT. It is YiSi-0 with the cosine of vectors in place of common substrings. Each n-gram is
compared with its most similar counterpart. Weights are learnt from all references of the test set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...language.backends import Backend
from ...language.encoders import TokenVectors
from ...language.sentence import Sentence
from ...language.tiger import from_tiger
from ...text.coding import Ints
from ...text.explanations import Alignment, Seen
from ...text.scripts import base_code
from .. import Corpus, EncodedMetric, Floats, Learnt, MeanPartsMetric, Shard
from .._parameters import YES, param
from ..bases.encoded import Opened, alignment, cosines
from ..bases.frequencies import DocumentFrequencies
from ..bases.parsed import parser_name, stored_parses

USUAL = "en"  # the language of a side that the test set does not name
BLOCK = 256  # tokens whose n-grams are compared at once with all others

# What stands in for semantic roles, because no labeller of roles is used: a predicate is a verb, and the subtree of
# each of its dependents fills a role that the relation names, by Universal Dependencies or ClearNLP (spaCy's English
# models). The subject of a passive verb is an object, and its agent a subject.
ROLES = {
    "nsubj": "subject", "csubj": "subject", "agent": "subject", "obl:agent": "subject",
    "nsubj:pass": "object", "nsubjpass": "object", "csubj:pass": "object", "csubjpass": "object",
    "obj": "object", "dobj": "object",
    "iobj": "recipient", "dative": "recipient",
    "ccomp": "complement", "xcomp": "complement", "acomp": "complement", "attr": "complement", "oprd": "complement",
    "obl": "circumstance", "prep": "circumstance", "npadvmod": "circumstance", "advcl": "circumstance",
    "advmod": "manner", "neg": "negation",
}  # fmt: skip
HELPERS = ("aux", "cop")  # verbs that are no predicates


@dataclass(frozen=True)
class YiSi1(MeanPartsMetric, EncodedMetric):
    """YiSi-1, the mean of segments, 0 to 1.

    With several references the one with the highest score counts.
    n: tokens in an n-gram; shorter texts are compared by n-grams of their length.
    alpha: the weight of recall, from 0 to 1, against precision.
    srl: compare verbs and what depends on them too, from a parse; no semantic roles are labelled.
    beta: the weight of that comparison, from 0 to 1, if there is one.
    parser, parses: as for `cobalt`; used with srl.
    """

    n: int = param(2, low=1, high=100)
    alpha: float = param(0.7, low=0, high=1)
    srl: bool = param(False, words=YES, quiet=True)
    beta: float = param(0.1, low=0, high=1, quiet=True)
    parser: str | None = param(file=stored_parses)
    parses: str | None = param(local=True)

    explains = (Alignment,)
    paper = "Lo (2019), YiSi - a Unified Semantic MT Quality Evaluation and Estimation Metric"
    learns_weights = True
    version = 2

    @property
    def parsers(self) -> tuple[str | None, ...]:
        """The parsers of the texts that `parsed_texts` returns, and of languages that `parsed_languages` returns."""
        return (self.parser,)

    def parsed_languages(self, testset: Corpus) -> tuple[str, ...]:
        return (base_code(testset.target_language or USUAL),)

    def parsed_texts(self, shard: Shard) -> tuple[list[str], ...]:
        columns = (*shard.references.values(), *shard.outputs.values())
        return ([text for lines in columns for text in lines if text is not None],)

    def learn(self, testset: Corpus) -> Learnt:
        learnt = super().learn(testset)
        if not self.srl:
            return learnt
        languages = self.parsed_languages(testset)
        backends = map(open_parser, self.parsers, languages)
        items = {**learnt.items, "parsed": "+".join(map(parser_name, backends))}
        return replace(learnt, state=learnt.state._replace(more=languages), items=items)

    def prepare_shard(self, shard: Shard, opened: Opened) -> Opened:
        """Parse all texts, with srl, each once; metrics with the same parser share the parses."""
        if not self.srl:
            return opened
        from ...language.parsing import parse

        found: dict[str, Sentence] = {}
        for texts, language, parser in zip(self.parsed_texts(shard), opened.more, self.parsers, strict=True):
            backend = open_parser(parser, language)
            make = partial(parse, language=language, backend=backend, cache=self.parses)
            known = shard.share_each(("parses", parser_name(backend), language), texts, make)
            found |= {known[text].text: known[text] for text in texts}
        return opened._replace(more=found)

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        """Count the score, 1 for the segment, precision, recall."""
        score, precision, recall = max(self._parts(output, each, opened) for each in references)
        return score, 1.0, precision, recall

    def _parts(self, output: TokenVectors, reference: TokenVectors, opened: Opened) -> tuple[float, float, float]:
        """Return the score, precision and recall."""
        texts = output.inside, reference.inside
        found = cosines(*texts)
        np.maximum(found, 0.0, out=found)  # these matrices are the largest
        weights = self.token_weights(*texts, opened)
        precision, recall = match_ngrams(found, weights[0], weights[1], self.n)
        if self.srl:
            frames = [find_frames(opened.more[text.text], text) for text in texts]
            if any(frames):
                by_role = (
                    match_frames(frames[0], frames[1], found, weights[0], self.n),
                    match_frames(frames[1], frames[0], found.T, weights[1], self.n),
                )
                precision, recall = (
                    (1 - self.beta) * flat + self.beta * structure
                    for flat, structure in zip((precision, recall), by_role, strict=True)
                )
        return combine(precision, recall, self.alpha), precision, recall

    def token_weights(self, output: TokenVectors, reference: TokenVectors, opened: Opened) -> tuple[Floats, Floats]:
        return weights_of(output.tokens, opened.frequencies), weights_of(reference.tokens, opened.frequencies)

    def explain_tokens(
        self, output: TokenVectors, reference: TokenVectors, counts: Sequence[float], opened: Opened
    ) -> Seen:
        ours, theirs = output.inside, reference.inside
        found = np.maximum(cosines(ours, theirs), 0.0)
        weights = dict(zip(("output", "other"), self.token_weights(ours, theirs, opened), strict=True))
        both = [alignment(ours, theirs, found, of, each) for of, each in weights.items()]
        return Seen(counts[0], both, values=dict(zip(self.part_names, counts[2:], strict=True)))


def open_parser(parser: str | None, language: str) -> Backend:
    """Return a parser by its name, or the installed one for the language."""
    from ...language.parsing import opened

    return opened(parser, language)


def weights_of(tokens: Sequence[str], frequencies: DocumentFrequencies | None) -> Floats:
    """Return the weights of tokens; all 1 if none were learnt."""
    if frequencies is None:
        return np.ones(len(tokens))
    return np.array([frequencies.weight(token) for token in tokens], dtype=np.float64)


def match_ngrams(similarities: Floats, output: Floats, reference: Floats, n: int) -> tuple[float, float]:
    """Return weighted precision and recall of n-grams; 0 where a text is empty.

    similarities: of the tokens, shape (output, reference). output, reference: weights of the tokens. An n-gram is as
    similar to another as the weighted mean of its tokens' similarities, and weighs as much as its tokens together.
    """
    n = min(n, *similarities.shape)
    if not n:
        return 0.0, 0.0
    rows, columns = (size - n + 1 for size in similarities.shape)
    best_output, best_reference = np.zeros(rows), np.full(columns, -np.inf)
    for first in range(0, rows, BLOCK):
        last = min(first + BLOCK, rows)
        by_output, by_reference = np.zeros((last - first, columns)), np.zeros((last - first, columns))
        for k in range(n):
            part = similarities[first + k : last + k, k : k + columns]
            by_output += part * output[first + k : last + k, None]
            by_reference += part * reference[k : k + columns]
        best_output[first:last] = by_output.max(1)
        np.maximum(best_reference, by_reference.max(0), out=best_reference)
    grams = np.ones(n)
    precision = best_output.sum() / np.convolve(output, grams, "valid").sum()
    recall = best_reference.sum() / np.convolve(reference, grams, "valid").sum()
    return float(precision), float(recall)


def match_frames(
    frames: Sequence[Frame], others: Sequence[Frame], similarities: Floats, weights: Floats, n: int
) -> float:
    """Return how far predicates and role fillers are in the other text: 0 if one of the texts has no predicate.

    similarities: of all tokens, shape (tokens, other tokens); weights: of the tokens. A frame is compared with that of
    the most similar predicate, and its fillers with those of the same role there. A frame counts by its tokens.
    """
    if not frames or not others:
        return 0.0
    total = weight = 0.0
    for frame, other in pair_frames(frames, others, similarities):
        pairs = [(frame.predicate, other.predicate)]
        pairs += [(places, other.roles[role]) for role, places in frame.roles.items() if role in other.roles]
        matched = sum(
            match_ngrams(similarities[np.ix_(*pair)], weights[pair[0]], np.ones(len(pair[1])), n)[0] for pair in pairs
        )
        total += frame.size * matched
        weight += frame.size * (1 + len(frame.roles))
    return total / weight


def combine(precision: float, recall: float, alpha: float) -> float:
    """Return the weighted harmonic mean of precision and recall."""
    both = precision * recall
    return both / (alpha * precision + (1 - alpha) * recall) if both > 0 else 0.0


class Frame(NamedTuple):
    """A predicate and its role fillers: numbers of the encoder's tokens."""

    predicate: Ints
    roles: Mapping[str, Ints]

    @property
    def size(self) -> int:
        """The number of tokens in it."""
        return len(self.predicate) + sum(map(len, self.roles.values()))


def find_frames(sentence: Sentence, tokens: TokenVectors) -> list[Frame]:
    """Return the frames of a parsed text; tokens are without marks."""
    if sentence.scheme == "tiger":  # spaCy's German models have no UD relations
        sentence = from_tiger(sentence)
    owner = _owners(sentence, tokens)
    below = _subtrees(sentence)
    frames = []
    for number, word in enumerate(sentence.tokens, 1):
        if word.upos not in ("VERB", "AUX") or word.relation.startswith(HELPERS):
            continue
        roles: dict[str, set[int]] = {}
        for other, each in enumerate(sentence.tokens, 1):
            role = ROLES.get(each.relation) or ROLES.get(each.relation.partition(":")[0])
            if each.head == number and role:
                roles.setdefault(role, set()).update(below[other])
        predicate = _places(owner, {number})
        fillers = {role: _places(owner, words) for role, words in roles.items()}
        if len(predicate):
            frames.append(Frame(predicate, {role: places for role, places in fillers.items() if len(places)}))
    return frames


def pair_frames(
    frames: Sequence[Frame], others: Sequence[Frame], similarities: np.ndarray
) -> Iterator[tuple[Frame, Frame]]:
    """Yield each frame with the one whose predicate is most similar; similarities have shape (tokens, other tokens)."""
    for frame in frames:
        yield frame, max(others, key=lambda other: similarities[np.ix_(frame.predicate, other.predicate)].mean())


def _owners(sentence: Sentence, tokens: TokenVectors) -> Ints:
    """Return for each token of the encoder the number of the word, from 1, that it begins in; 0 if in none."""
    owner = np.zeros(len(tokens), dtype=np.int64)
    for number, word in enumerate(sentence.tokens, 1):
        owner[(tokens.spans[:, 0] >= word.start) & (tokens.spans[:, 0] < word.end)] = number
    return owner


def _places(owner: Ints, words: set[int]) -> Ints:
    return np.flatnonzero(np.isin(owner, list(words)))


def _subtrees(sentence: Sentence) -> list[set[int]]:
    """Return for each word, from 1, the words below it and itself."""
    below = [{number} for number in range(len(sentence.tokens) + 1)]
    for number in range(1, len(sentence.tokens) + 1):
        at = sentence.tokens[number - 1].head
        while at:
            below[at].add(number)
            at = sentence.tokens[at - 1].head
    return below
