"""The resources of features: language models, frequencies and word alignments of a language pair.

Every resource is optional; a feature is left out if a resource that it needs is missing. Parallel texts also count as
texts of their languages. The texts must not contain sentences to score (see `features.cross_fitted`).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np

from ..data.model_file import Dataset
from ..data.testset import checksum
from ..errors import DataError, MissingDependency, UnknownName, UsageError
from ..language.bilingual_alignment import WordAligner, train_aligner
from ..language.frequencies import Frequencies, count_ngrams, word_frequencies
from ..language.function_words import function_words
from ..language.kneser_ney import estimate
from ..language.ngram_models import NgramModel
from ..text.scripts import base_code
from ..types import Floats
from .packing import pack, unpack
from .tokens import NONE_TAGGED, Tagged, tags, tokenise

log = logging.getLogger(__name__)

ORDER = 3  # words of the longest n-grams, as in Specia et al. (2010)
LEAST_PROBABILITY = 1e-4  # of a word pair in the lexical tables; most pairs are rarer and carry no information
MOST_FREQUENT = 80  # words that replace the list of function words of a language without one; lists are about as long
AXES = 64  # principal axes of embeddings
MOST_TEXTS = 2000  # from which the axes are computed
SMALLEST = 1e-6  # a shorter axis is rounding error
SETTINGS = "resources.json"  # the member with everything that is neither a model nor a table
Progress = Callable[[str], None]
SIDES = ("source", "target")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Resources:
    """The resources of a language pair; None if missing.

    *_lm: trigram models of words in lower case, *_backward of the words from end to beginning, *_tags_lm of universal
    part-of-speech tags. *_frequencies: n-grams of the corpora up to three words. *_words: the share of each word in
    texts of the language, from the package wordfreq. *_function_words: in lower case. aligner: word alignment in both
    directions, with the lexical tables. *_tagger: the parser that gives tags (`language.parsing`). embeddings: the
    sentence encoder (`language.embeddings`). embedding_axes: the principal axes of embeddings. network: a network
    that reads outputs (`language.output_network`).
    """

    source_language: str
    target_language: str
    source_lm: NgramModel | None = None
    target_lm: NgramModel | None = None
    source_lm_backward: NgramModel | None = None
    target_lm_backward: NgramModel | None = None
    source_frequencies: Frequencies | None = None
    target_frequencies: Frequencies | None = None
    source_words: Frequencies | None = None
    target_words: Frequencies | None = None
    source_function_words: frozenset[str] | None = None
    target_function_words: frozenset[str] | None = None
    aligner: WordAligner | None = None
    source_tagger: str | None = None
    target_tagger: str | None = None
    source_tags_lm: NgramModel | None = None
    target_tags_lm: NgramModel | None = None
    embeddings: str | None = None
    embedding_axes: Floats | None = None
    network: str | None = None

    @property
    def languages(self) -> tuple[str, str]:
        return self.source_language, self.target_language

    def given(self, name: str, kind: type[T]) -> T:
        """Return a resource, or raise UsageError if it is missing."""
        found = getattr(self, name)
        if not isinstance(found, kind):
            raise UsageError(f"The resource {name} is missing: {HOW_TO_GIVE[name]}.")
        return found

    def members(self) -> dict[str, bytes]:
        """Encode each resource as bytes, by file name. Equal resources give equal bytes."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        found = {f"{name}.npz": pack(value) for name, value in given.items() if name in _KINDS}
        settings = {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in given.items()
            if name not in _KINDS
        }
        found[SETTINGS] = json.dumps(settings, sort_keys=True, indent=1).encode()
        return dict(sorted(found.items()))

    @classmethod
    def from_members(cls, members: Mapping[str, bytes]) -> Resources:
        """Decode resources. Raises DataError if one is damaged or unknown."""
        try:
            settings = json.loads(members[SETTINGS])
            values: dict[str, Any] = {name: _setting(name, value) for name, value in settings.items()}
            missing = {"source_language", "target_language"} - values.keys()
        except (KeyError, ValueError, AttributeError, RecursionError) as error:
            raise DataError(f"The resource {SETTINGS} is missing or damaged: {error}.") from None
        if missing:
            raise DataError(f"The resource {SETTINGS} lacks the {' and the '.join(sorted(missing))}.")
        for member, content in members.items():
            name = member.removesuffix(".npz")
            if member == SETTINGS:
                continue
            if not member.endswith(".npz") or name not in _KINDS:
                raise DataError(f"The resource {member!r} is unknown: a newer version of Tercet may know it.")
            values[name] = unpack(_KINDS[name], content, member)
        return cls(**values)

    def needs(self) -> dict[str, str]:
        """Return name and version of the parsers and of the encoder, which are not among the members."""
        from ..language.embeddings import open_encoder
        from ..language.output_network import open_output_network
        from ..language.parsing import opened

        opens: dict[str, Callable[[str], Any]] = {
            "source_tagger": partial(opened, language=self.source_language),
            "target_tagger": partial(opened, language=self.target_language),
            "embeddings": open_encoder,
            "network": open_output_network,
        }
        used = {name: value for name in opens if (value := getattr(self, name)) is not None}
        return {name: f"{value} {opens[name](value).version}" for name, value in used.items()}

    def checksums(self) -> dict[str, str]:
        return {name: sha256(content).hexdigest() for name, content in self.members().items()}


_TYPES: dict[str, type] = {f"{kind.__name__} | None": kind for kind in (NgramModel, Frequencies, WordAligner)}
_TYPES["Floats | None"] = np.ndarray
_KINDS = {
    each.name: _TYPES[str(each.type)] for each in fields(Resources) if each.type in _TYPES
}  # those that are packed
# How a user provides a missing resource, for messages.
_TEXTS = "give texts in the {side} language"
_OF_SIDES = {
    **dict.fromkeys(("lm", "lm_backward", "frequencies"), _TEXTS),
    "words": "pip install 'tercet[qe]', for a {side} language that the package wordfreq knows",
    "function_words": f"pip install 'tercet[qe]', or {_TEXTS}",
    "tagger": "ask for tags, with a parser of the {side} language installed",
    "tags_lm": "ask for tags, with texts in the {side} language and a parser for them",
}
HOW_TO_GIVE = {
    **{f"{side}_{name}": how.format(side=side) for name, how in _OF_SIDES.items() for side in SIDES},
    "aligner": "give parallel texts",
    "embeddings": "ask for sentence embeddings, after pip install 'tercet[embed]'",
    "embedding_axes": "train with sentence embeddings; in Python, see principal_axes",
    "network": "ask for the network that reads outputs, after pip install 'tercet[neural]'",
}


# A model file from someone else must not make Tercet read files or call servers (conllu:FILE, corenlp:ADDRESS).
_PARSER = re.compile(r"natasha|(spacy|stanza):[\w-]+")


def _setting(name: str, value: object) -> object:
    if name not in Resources.__dataclass_fields__ or name in _KINDS:
        raise ValueError(f"{name!r} is not a setting")
    if isinstance(value, list) and name.endswith("_function_words") and all(isinstance(word, str) for word in value):
        return frozenset(value)
    if not isinstance(value, str) or name.endswith("_function_words"):
        raise ValueError(f"{name} cannot be {value!r}")
    if name.endswith("_tagger") and not _PARSER.fullmatch(value):
        raise ValueError(f"{value!r} is not a parser of an installed package")
    return value


@dataclass(frozen=True, eq=False)
class Corpora:
    """The corpora from which resources are estimated: texts of either language, and parallel texts.

    parallel: source and target sentences, which also count as texts of their languages. tags: use tags, if a parser of
    the language is installed. embeddings: a sentence encoder. embedding_axes: from `principal_axes`; they must be the
    same for all resources whose features are compared. network: a network that reads outputs, or
    auto for that of the language pair. tagged: known tags
    of texts (`tag_texts`).
    """

    languages: tuple[str, str]
    source_texts: Sequence[str] = ()
    target_texts: Sequence[str] = ()
    parallel: tuple[Sequence[str], Sequence[str]] | None = None
    tags: bool = False
    embeddings: str | None = None
    embedding_axes: Floats | None = None
    network: str | None = None
    tagged: Tagged = NONE_TAGGED

    def without(self, sources: Sequence[str], outputs: Sequence[str]) -> Corpora:
        """Return the corpora without training texts, which their language models would know; warn how many."""
        known, translated = ({_words(text) for text in side} - {""} for side in (sources, outputs))
        one = [text for text in self.source_texts if _words(text) not in known]
        other = [text for text in self.target_texts if _words(text) not in translated]
        left_out = len(self.source_texts) - len(one) + len(self.target_texts) - len(other)
        parallel = self.parallel
        if parallel is not None and len(parallel[0]) == len(parallel[1]):  # otherwise `estimate` raises an error
            pairs = list(zip(*parallel, strict=True))
            kept = [(s, t) for s, t in pairs if _words(s) not in known and _words(t) not in translated]
            left_out += len(pairs) - len(kept)
            parallel = ([s for s, _ in kept], [t for _, t in kept]) if kept else None
        if left_out:
            log.warning(
                "%d texts of the corpora are training texts, or parallel to one, and are left out: features must come "
                "from models that have not seen the text.", left_out,
            )  # fmt: skip
        return replace(self, source_texts=one, target_texts=other, parallel=parallel) if left_out else self

    def datasets(self) -> list[Dataset]:
        """Return the corpora that there are, for the model file: role, checksum and number of sentences."""
        corpora = {"source texts": self.source_texts, "target texts": self.target_texts}
        if self.parallel is not None:
            corpora |= {"parallel source texts": self.parallel[0], "parallel target texts": self.parallel[1]}
        return [Dataset(name, checksum(texts), len(texts)) for name, texts in corpora.items() if texts]

    def estimate(self, say: Progress = lambda _: None) -> Resources:
        """Estimate all resources that corpora and installed packages allow. say: called with each step."""
        network = self.network
        if network == "auto":
            from ..language.output_network import network_for

            network = network_for(*self.languages)
        elif network == "english" and base_code(self.languages[1]) != "en":
            raise UsageError(f"The network {network} reads English outputs, and these are in {self.languages[1]!r}.")
        parallel = self.parallel or ((), ())
        if len(parallel[0]) != len(parallel[1]):
            raise DataError(
                f"The parallel texts have {len(parallel[0])} source and {len(parallel[1])} target sentences; they must "
                "have the same number. Run 'tercet check' on the files to see where they drift apart."
            )
        values: dict[str, Any] = {}
        pairs: list[list[list[str]]] = []
        for side, language, texts, aligned, tagged in zip(
            SIDES, self.languages, (self.source_texts, self.target_texts), parallel, self.tagged, strict=True
        ):
            say(f"{side} texts")
            pairs.append(_lower(aligned, language))
            values |= _of_one_language(side, language, _lower(texts, language) + pairs[-1], say)
            if self.tags and (parser := _find_parser(side, language)):
                values[f"{side}_tagger"] = parser
                if any(map(str.strip, every := [*texts, *aligned])):
                    say(f"{side} tags")
                    lines = [" ".join(line) for line in tags(every, language, parser, known=tagged)]
                    values[f"{side}_tags_lm"] = estimate(lines, order=ORDER)
        if self.parallel is not None:
            say("word alignment")
            trained = train_aligner(*pairs)
            values["aligner"] = WordAligner(
                *(replace(each, table=each.table.pruned(below=LEAST_PROBABILITY))
                  for each in (trained.forward, trained.backward))
            )  # fmt: skip
        values |= {"embeddings": self.embeddings, "embedding_axes": self.embedding_axes, "network": network}
        return Resources(*self.languages, **values)


def principal_axes(embeddings: str, texts: Sequence[str], *, executor: Executor | None = None) -> Floats:
    """Return the mean of the embeddings of texts, then their first AXES principal axes; shape (1 + AXES, d).

    Features of embeddings are coordinates on these axes, so the axes must be the same in training and in prediction.
    Axes beyond the number of texts are 0. From long lists, about MOST_TEXTS evenly spaced texts are used.
    """
    from ..language.embeddings import open_encoder

    distinct = list(dict.fromkeys(texts))
    if not distinct:
        raise DataError("There are no texts to compute the principal axes of embeddings from.")
    step = -(-len(distinct) // MOST_TEXTS)
    vectors = open_encoder(embeddings).encode(distinct[::step], executor=executor).astype(np.float64)
    mean = vectors.mean(axis=0)
    _, sizes, axes = np.linalg.svd(vectors - mean, full_matrices=False)
    axes = axes[:AXES] * (sizes[:AXES, None] > SMALLEST)
    # A direction and its opposite are the same axis: the sign of the largest component decides.
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    found = np.zeros((1 + AXES, vectors.shape[1]))
    found[0], found[1 : 1 + len(axes)] = mean, axes * np.where(largest < 0, -1.0, 1.0)[:, None]
    return found


def _words(text: str) -> str:
    """Normalise case and spaces: texts that are then equal are nearly the same to a language model."""
    return " ".join(text.lower().split())


def _lower(texts: Sequence[str], language: str) -> list[list[str]]:
    """Return the words of each text: its tokens in lower case."""
    return [[token.lower() for token in tokens] for tokens in tokenise(texts, language)]


def _of_one_language(side: str, language: str, sentences: list[list[str]], say: Progress) -> dict[str, object]:
    """Estimate the resources of one side, by name."""
    found: dict[str, Any] = {}
    frequent: Frequencies | None = None
    if any(sentences):
        say(f"{side} language models")
        found[f"{side}_lm"] = estimate([" ".join(words) for words in sentences], order=ORDER)
        found[f"{side}_lm_backward"] = estimate([" ".join(words[::-1]) for words in sentences], order=ORDER)
        say(f"{side} frequencies")
        try:
            frequent = found[f"{side}_frequencies"] = count_ngrams(sentences, order=ORDER)
        except DataError as error:  # no text has as many words as the longest n-grams
            log.warning("Features of the frequency of %s n-grams are left out: %s", side, error)
    try:
        frequent = found[f"{side}_words"] = word_frequencies(base_code(language))
    except (MissingDependency, UnknownName) as error:
        log.info("No word frequencies of %s: %s", language, error)
    if listed := function_words(base_code(language)):
        found[f"{side}_function_words"] = listed
    elif frequent is not None:
        counts = zip(frequent.counts[0].tolist(), frequent.words, strict=True)
        words = sorted((-count, word) for count, word in counts if any(map(str.isalpha, word)))
        found[f"{side}_function_words"] = frozenset(word for _, word in words[:MOST_FREQUENT])
    return found


def tag_texts(
    languages: tuple[str, str],
    sources: Sequence[str],
    outputs: Sequence[str],
    *,
    executor: Executor | None = None,
    say: Progress = lambda _: None,
) -> Tagged:
    """Return the tags of sources and of outputs, to be used several times; none if no parser is installed."""
    found: list[dict[str, list[str]]] = []
    for side, language, texts in zip(SIDES, languages, (sources, outputs), strict=True):
        found.append({})
        if parser := _find_parser(side, language):
            say(f"{side} tags")
            found[-1] |= zip(texts, tags(texts, language, parser, executor=executor), strict=True)
    return found[0], found[1]


def _find_parser(side: str, language: str) -> str | None:
    """Return the name of the installed parser of a language; warn and return None if there is none."""
    from ..language.backends import default_name

    try:
        return default_name(language)
    except UsageError as error:
        log.warning("Features of %s tags are left out: %s", side, error)
        return None
