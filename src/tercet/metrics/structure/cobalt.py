"""UPF-Cobalt: words are aligned by their contexts, and a match counts less if those contexts differ.

Fomicheva (2017), "The Role of Human Reference Translation in Machine Translation Evaluation", PhD thesis, Universitat
Pompeu Fabra, chapter 4; Fomicheva and Bel (2016), "Using Contextual Information for Machine Translation Evaluation",
LREC. Words of output and reference are aligned with the evidence of their neighbours in the text and in the parse. A
pair adds the similarity of its words minus a penalty for governors and dependents that they do not share. The score is
METEOR's mean of precision and recall of that. params=published equals the author's program (mfomicheva/upf-cobalt); the
default is the thesis's equations 4.1 to 4.5.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files import is_file
from ...errors import DataError, UsageError
from ...language.backends import Backend
from ...language.contexts import ContextDifference, compare_contexts, relation_kind
from ...language.contextual_alignment import ContextAligner, ContextAlignment, ContextLink
from ...language.lexical_similarity import LEVELS, Similarity, is_function_word
from ...language.meteor_alignment import MATCHERS, Aligner
from ...language.paraphrases import find_table
from ...language.relations import foreign_relation
from ...language.sentence import Sentence, shown
from ...language.stemming import LANGUAGES as STEMMED
from ...language.vectors import is_model, open_vectors
from ...text.explanations import Alignment, Seen
from ...text.scripts import base_code
from .. import Corpus, Learnt, ParsedMetric, param

# thesis: section 4.3; its word scores range from 0 to 1. published: the configuration files of the program.
THESIS = {
    "alpha": 0.85, "delta": 0.75, "minimum": 0.0,
    "exact": 1.0, "stem": 0.9, "synonym": 0.8, "paraphrase": 0.6, "distributional": 0.5, "entity": 0.5,
    "argument": 1.0, "modifier": 0.8, "function": 0.2,
}  # fmt: skip
PARAMS = {"thesis": THESIS, "published": {**THESIS, "alpha": 0.75, "delta": 0.7, "minimum": 0.01}}
ALIGNERS = ("contextual", "meteor")
BETA = 4  # of the program's mean of both sides' differences: the reference's counts sixteen times as much


class WordScore(NamedTuple):
    """The score of a pair of aligned words: equations 4.4 and 4.5; `raw` is CP, `penalty` is Pen."""

    similarity: float
    raw: float
    penalty: float
    contribution: float


class CobaltComparison(NamedTuple):
    """UPF-Cobalt's comparison of an output and a reference: one difference and one score per link.

    output_functions, reference_functions: for each word whether it is a function word.
    """

    alignment: ContextAlignment
    output_functions: Sequence[bool]
    reference_functions: Sequence[bool]
    differences: Sequence[ContextDifference]
    words: Sequence[WordScore]
    precision: float
    recall: float
    score: float


@dataclass(frozen=True)
class Cobalt(ParsedMetric):
    """UPF-Cobalt, 0 to 1; of a system the mean of its segments, of several references the best.

    params: thesis, or published, the author's program; both set what is not given.
    alpha, delta: weight of recall; weight of content words.
    minimum: the smallest contribution of an aligned word.
    exact, stem, synonym, paraphrase, distributional, entity: scores of matches of these levels.
    argument, modifier, function: weights of words of the context by their relation.
    aligner: contextual, or meteor.
    penalty: subtract the context penalty.
    weights: weigh words of the context by their relation; false: all by 1.
    equivalence: relations that mean the same, as agent and nsubj, do not differ.
    synonyms: align words of one WordNet synset (English).
    related: align words that WordNet relates, at the level of paraphrases (English); the thesis has no such level.
    paraphrases: a file, or a data set (`tercet data add`), with a table of paraphrases.
    vectors: word vectors: a file, spacy:MODEL or natasha.
    threshold: two words are aligned only if the cosine of their vectors is above this.
    """

    params: str = param("thesis", choices=PARAMS)
    alpha: float = param(low=0, high=1)
    delta: float = param(low=0, high=1)
    minimum: float = param(low=0, high=1)
    exact: float = param(low=0, high=1)
    stem: float = param(low=0, high=1)
    synonym: float = param(low=0, high=1)
    paraphrase: float = param(low=0, high=1)
    distributional: float = param(low=0, high=1)
    entity: float = param(low=0, high=1)
    argument: float = param(low=0, high=1)
    modifier: float = param(low=0, high=1)
    function: float = param(low=0, high=1)
    aligner: str = param("contextual", choices=ALIGNERS, quiet=True)
    penalty: bool = param(True, quiet=True)
    weights: bool = param(True, quiet=True)
    equivalence: bool = param(True, quiet=True)
    synonyms: bool = param()
    related: bool = param()
    paraphrases: str | None = param(file=find_table, checksum="table")
    vectors: str | None = param(file=lambda name: None if is_model(name) else Path(name), checksum="vector_file")
    threshold: float = param(0.25, low=-1, high=1, quiet=True)

    explains = (Alignment,)
    paper = "Fomicheva (2017), The Role of Human Reference Translation in Machine Translation Evaluation, chapter 4"

    def validate(self) -> None:
        if self.paraphrases is not None:
            find_table(self.paraphrases)
        if self.language is not None and base_code(self.language) != "en":
            if self.params == "published":
                raise UsageError(f"cobalt: params=published is English, and the language is {self.language}.")
            for name, known in (("synonyms", self.synonyms), ("related words", self.related)):
                if known:
                    raise UsageError(f"cobalt: {name} are English, and the language is {self.language}.")
        if self.related and (self.params == "published" or self.aligner == "meteor"):
            raise UsageError(
                "cobalt: neither params=published nor aligner=meteor knows related words: leave related out."
            )
        if self.vectors is not None and self.aligner == "meteor":
            raise UsageError("cobalt: aligner=meteor aligns nothing by word vectors: leave vectors out.")
        if self.vectors is not None and not is_model(self.vectors) and not is_file(self.vectors):
            raise UsageError(
                f"cobalt: there is no file {self.vectors} with word vectors. Give a file of word2vec, GloVe or "
                "fastText, spacy:MODEL or natasha."
            )

    def defaults(self, language: str | None) -> Mapping[str, object]:
        own = base_code(self.language or language or "en")
        ours = own == "en" and self.params != "published"
        preset = PARAMS[self.params]
        return {"language": own, **preset, "synonyms": ours, "related": ours and self.aligner == "contextual"}

    def signature_items(self) -> dict[str, str]:
        """Return the items without what `params` sets."""
        preset = {name: str(value) for name, value in PARAMS[self.params].items()}
        return {key: value for key, value in super().signature_items().items() if preset.get(key) != value}

    def learn(self, testset: Corpus) -> Learnt:
        """Name the parser and the model of the word vectors with their versions, which the signature has."""
        parser, vectors = super().learn(testset), self._vectors_model()
        items = {**parser.items, **({} if vectors is None else {"vectors_from": vectors})}
        return Learnt((parser.state, vectors), items)

    def _vectors_model(self) -> str | None:
        """Return name and version of the model that has the word vectors; None where they are in a file."""
        if self.vectors is None or not is_model(self.vectors):
            return None
        return f"{self.vectors}@{open_vectors(self.vectors).version}"

    def open(self, state: Any) -> Backend:
        parser, vectors = state or (None, None)
        if vectors is not None and (here := self._vectors_model()) != vectors:
            raise UsageError(
                f"cobalt: the word vectors here are {here}, but the run began with {vectors}. All computers of a "
                "cluster need the same ones."
            )
        return super().open(parser)

    def parse_texts(self, texts: Iterable[str], backend: Backend | None = None) -> list[Sentence]:
        parsed = super().parse_texts(texts, backend)
        self.check_parses(parsed)
        return parsed

    def check_parses(self, parsed: Sequence[Sentence]) -> None:
        if any(sentence.scheme == "other" for sentence in parsed):
            raise UsageError(
                "cobalt: the parser has relations of its own, for which there is no table. Use one with Universal "
                f"Dependencies: parser=stanza:{self.language}, or parser=conllu:FILE."
            )
        for sentence in parsed:
            if label := foreign_relation(sentence):
                raise DataError(
                    f"cobalt: the parse of {shown(sentence.text)} has the relation {label!r}, which is none of "
                    "Universal Dependencies. In a file of parses the line '# scheme = clearnlp' (or stanford) of each "
                    "sentence says whose its labels are."
                )

    def count_pair(self, output: Sentence, reference: Sentence) -> Sequence[float]:
        """Count the score of a segment, and 1: a system's score is the mean."""
        return self.assess(self.align(output, reference)).score, 1.0

    def best(self, output: Sentence, references: Sequence[Sentence]) -> tuple[int, CobaltComparison]:
        """Return the number, from 0, of the (first) reference with the highest score, and its comparison."""
        compared = [self.assess(self.align(output, reference)) for reference in references]
        return max(enumerate(compared), key=lambda pair: (pair[1].score, -pair[0]))

    def explain_parsed(self, output: Sentence, reference: Sentence) -> Seen:
        from ._cobalt_report import explained

        return Seen(parts=[explained(self.assess(self.align(output, reference)))])

    def align(self, output: Sentence, reference: Sentence) -> ContextAlignment:
        """Return the alignment of output and reference; it has no pairs if one of them is empty."""
        table = None if self.paraphrases is None else str(find_table(self.paraphrases).absolute())
        if self.aligner == "meteor":
            return meteor_alignment(meteor_aligner(self.language, self.synonyms, table), output, reference)
        vectors = self.vectors if self.vectors is None or is_model(self.vectors) else str(Path(self.vectors).absolute())
        words = self.language, self.synonyms, table, vectors, self.threshold
        aligner = _context_aligner(*words, published=self.params == "published", related=self.related)
        return aligner.align(output, reference)

    def assess(self, alignment: ContextAlignment) -> CobaltComparison:
        """Return the context differences and scores of an alignment."""
        output, reference, links = alignment.output, alignment.reference, alignment.links
        published = self.params == "published"
        differences = compare_contexts(
            output, reference, alignment.pairs, equivalence=self.equivalence, published=published
        )
        worth: Mapping[str, float] = {level: getattr(self, level) for level in LEVELS}
        relations = self.relation_weights()
        penalise = _published_penalty if published else raw_penalty
        words = []
        for link, difference in zip(links, differences, strict=True):
            raw = penalise(difference, relations) if self.penalty else 0.0
            penalty = 2 / (1 + math.exp(-raw)) - 1
            value = worth[link.level]
            words.append(WordScore(value, raw, penalty, max(value - penalty, self.minimum)))
        functions = self._functions(output), self._functions(reference)
        precision = self._share(words, [link.output for link in links], functions[0])
        recall = self._share(words, [link.reference for link in links], functions[1])
        return CobaltComparison(
            alignment, *functions, differences, words, precision, recall, self._mean(precision, recall)
        )

    def relation_weights(self) -> Mapping[str, float]:
        """Return the weights of words of a context by their relation."""
        return _relation_weights(*((self.argument, self.modifier, self.function) if self.weights else (1, 1, 1)))

    def _functions(self, sentence: Sentence) -> list[bool]:
        published = self.params == "published"
        return [
            is_function_word(token.form, self.language, tag=token.upos, published=published)
            for token in sentence.tokens
        ]

    def _share(self, words: Sequence[WordScore], places: Sequence[int], functions: Sequence[bool]) -> float:
        """Return precision or recall (equations 4.2, 4.3): weighted contributions over the weights of all words."""
        weights = [1 - self.delta if function else self.delta for function in functions]
        total = sum(weights)
        found = sum(weights[place - 1] * word.contribution for place, word in zip(places, words, strict=True))
        return found / total if total else 0.0

    def _mean(self, precision: float, recall: float) -> float:
        """Return the mean of precision and recall: equation 4.1."""
        below = self.alpha * precision + (1 - self.alpha) * recall
        return precision * recall / below if below else 0.0


def raw_penalty(difference: ContextDifference, weights: Mapping[str, float]) -> float:
    """Return CP of equation 4.5: the share of the context that differs times ln(context + 1), mean of both sides."""
    return sum(side_penalties(difference, weights)) / 2


def side_penalties(difference: ContextDifference, weights: Mapping[str, float]) -> tuple[float, float]:
    """Return the two parts of CP: of the output's context and of the reference's."""
    return (
        _side(difference.output_context, difference.output_different, weights),
        _side(difference.reference_context, difference.reference_different, weights),
    )


def _side(context: Sequence[str], different: Sequence[str], weights: Mapping[str, float]) -> float:
    if not different:
        return 0.0
    size = sum(weights[relation] for relation in context)
    return sum(weights[relation] for relation in different) / size * math.log(size + 1) if size else 0.0


def _published_penalty(difference: ContextDifference, weights: Mapping[str, float]) -> float:
    """Return CP as the program computes it: a mean of both shares times the log of the reference's context."""
    size, reference_size = (
        sum(weights[relation] for relation in context)
        for context in (difference.output_context, difference.reference_context)
    )
    if not size or not reference_size:
        return 0.0
    share = sum(weights[relation] for relation in difference.output_different) / size
    reference_share = sum(weights[relation] for relation in difference.reference_different) / reference_size
    if share and reference_share:
        mean = (1 + BETA**2) * share * reference_share / (BETA**2 * share + reference_share)
    else:
        mean = max(share, reference_share)
    return mean * math.log(reference_size + 1)


class _Weights(dict[str, float]):
    """Weights of relations, each looked up once."""

    def __init__(self, kinds: Mapping[str, float]) -> None:
        self.kinds = kinds

    def __missing__(self, relation: str) -> float:
        weight = self[relation] = self.kinds[relation_kind(relation)]
        return weight


@lru_cache(maxsize=8)
def _relation_weights(argument: float, modifier: float, function: float) -> Mapping[str, float]:
    return _Weights({"argument": argument, "modifier": modifier, "function": function})


@lru_cache(maxsize=8)
def _context_aligner(
    language: str,
    synonyms: bool,
    table: str | None,
    vectors: str | None,
    threshold: float,
    *,
    published: bool,
    related: bool,
) -> ContextAligner:
    if not published:
        return ContextAligner(Similarity(language, synonyms, table, vectors, threshold, related=related))
    # As shipped, the program aligns no synonyms and paraphrases, but pairs that names align still get these levels.
    levels = LEVELS[:5] if synonyms else ("exact", "stem", "distributional")
    similarity = Similarity(language, True, table, vectors, threshold, published=True)
    return ContextAligner(similarity, levels=levels, published=True)


@lru_cache(maxsize=8)
def meteor_aligner(language: str, synonyms: bool, table: str | None) -> Aligner:
    """Return METEOR's aligner with the matchers that a language has."""
    possible = {"stem": language in STEMMED, "synonym": synonyms, "paraphrase": table is not None}
    matchers = tuple(name for name in MATCHERS if possible.get(name, True))
    return Aligner(language=language, matchers=matchers, table=table)


def meteor_alignment(aligner: Aligner, output: Sentence, reference: Sentence) -> ContextAlignment:
    """Return METEOR's alignment of the words; the words of matching phrases are paired in their order."""
    if not output.tokens or not reference.tokens:
        return ContextAlignment(output, reference, ())
    words = [[token.form.lower() for token in sentence.tokens] for sentence in (output, reference)]
    pairs = sorted(
        (i + 1, j + 1, link.matcher)
        for link in aligner.align(*words).links
        for i, j in zip(link.output, link.reference, strict=False)  # a phrase may match one of other length
    )
    return ContextAlignment(output, reference, tuple(ContextLink(*pair, "meteor") for pair in pairs))
