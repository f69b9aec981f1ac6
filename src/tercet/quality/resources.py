"""What features rest on: language models, frequencies, word alignments of a language pair, estimated from texts.

Everything is optional; a feature whose resource is missing is left out. Texts that are given as parallel also count as
texts of their languages. Sentences that are to be scored must not be among the texts (see `features.cross_fitted`).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingDependency, UnknownName, UsageError
from ..language.bilingual_alignment import HMM, WordAligner, train_aligner
from ..language.frequencies import Frequencies, count_ngrams, word_frequencies
from ..language.function_words import function_words
from ..language.kneser_ney import estimate
from ..language.ngram_models import NgramModel
from ..text.scripts import base_code
from .packing import pack, unpack
from .tokens import NONE_TAGGED, Tagged, tags, tokenise

if TYPE_CHECKING:
    from concurrent.futures import Executor

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
ORDER = 3  # words of the longest n-grams, as in Specia et al. (2010)
LEAST_PROBABILITY = 1e-4  # of a pair of words in the lexical tables: rarer ones are most of them and say nothing
MOST_FREQUENT = 80  # words that stand for the function words of a language without a list, about as many as a list has
AXES = 64  # of embeddings
MOST_TEXTS = 2000  # whose embeddings the axes are found from
SMALLEST = 1e-6  # length of an axis along which texts differ by more than rounding
SETTINGS = "resources.json"  # the member with what is neither a model nor a table
Progress = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Resources:
    """What is known of a language pair; None is what is missing.

    *_lm: trigram models of words in lower case, *_backward of the words from end to beginning, *_tags_lm of universal
    part-of-speech tags. *_frequencies: n-grams of the corpora up to three words. *_words: the share of each word in
    texts of the language, from the package wordfreq. *_function_words: in lower case. aligner: word alignment in both
    directions, with the lexical tables. *_tagger: the parser that gives tags (`language.parsing`). embeddings: the
    sentence encoder (`language.embeddings`). embedding_axes: the directions in which embeddings differ most.
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

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.source_language, self.target_language

    def given(self, name: str, kind: type[T]) -> T:
        """A resource that has to be there."""
        found = getattr(self, name)
        if not isinstance(found, kind):
            raise UsageError(f"The resource {name} is missing: {HOW_TO_GIVE[name]}.")
        return found

    def members(self) -> dict[str, bytes]:
        """Each resource as bytes, by the name of a file; the same for equal resources."""
        settings: dict[str, Any] = {}
        found: dict[str, bytes] = {}
        for name in _names():
            value = getattr(self, name)
            if isinstance(value, str):
                settings[name] = value
            elif isinstance(value, frozenset):
                settings[name] = sorted(value)
            elif value is not None:
                found[f"{name}.npz"] = pack(value)
        found[SETTINGS] = json.dumps(settings, sort_keys=True, indent=1).encode()
        return dict(sorted(found.items()))

    @classmethod
    def from_members(cls, members: Mapping[str, bytes]) -> Resources:
        """Resources from their bytes; what is damaged or not known is refused."""
        try:
            settings = json.loads(members[SETTINGS])
            values: dict[str, Any] = {name: _setting(name, value) for name, value in settings.items()}
            missing = {"source_language", "target_language"} - values.keys()
        except (KeyError, ValueError, AttributeError, RecursionError) as error:
            raise DataError(f"The resource {SETTINGS} is missing or damaged: {error}.") from None
        if missing:
            raise DataError(f"The resource {SETTINGS} does not say the {' and the '.join(sorted(missing))}.")
        for member, content in members.items():
            name = member.removesuffix(".npz")
            if member == SETTINGS:
                continue
            if not member.endswith(".npz") or name not in _KINDS:
                raise DataError(f"There is no resource called {member!r}: a newer version of Tercet may know it.")
            values[name] = unpack(_KINDS[name], content, member)
        return cls(**values)

    def needs(self) -> dict[str, str]:
        """Return name and version of the parsers and the encoder, which members() does not hold."""
        from ..language.embeddings import open_encoder
        from ..language.parsing import opened

        found = {}
        for name, language in zip(("source_tagger", "target_tagger"), self.languages, strict=True):
            if tagger := getattr(self, name):
                found[name] = f"{tagger} {opened(tagger, language).version}"
        if self.embeddings is not None:
            found["embeddings"] = f"{self.embeddings} {open_encoder(self.embeddings).version}"
        return found

    def checksums(self) -> dict[str, str]:
        """The SHA-256 of each member."""
        return {name: sha256(content).hexdigest() for name, content in self.members().items()}


_KINDS: dict[str, type] = {
    "source_lm": NgramModel, "target_lm": NgramModel, "source_lm_backward": NgramModel,
    "target_lm_backward": NgramModel, "source_tags_lm": NgramModel, "target_tags_lm": NgramModel,
    "source_frequencies": Frequencies, "target_frequencies": Frequencies, "source_words": Frequencies,
    "target_words": Frequencies, "aligner": WordAligner, "embedding_axes": np.ndarray,
}  # fmt: skip
# How a user gets what is missing, for messages: in words, and the option of the command line.
HOW_TO_GIVE = {
    "source_lm": "give texts in the source language: --source-corpus",
    "target_lm": "give texts in the target language: --target-corpus",
    "source_lm_backward": "give texts in the source language: --source-corpus",
    "target_lm_backward": "give texts in the target language: --target-corpus",
    "source_frequencies": "give texts in the source language: --source-corpus",
    "target_frequencies": "give texts in the target language: --target-corpus",
    "source_words": "pip install 'tercet[qe]', for a source language that the package wordfreq knows",
    "target_words": "pip install 'tercet[qe]', for a target language that the package wordfreq knows",
    "source_function_words": "pip install 'tercet[qe]', or give texts in the source language: --source-corpus",
    "target_function_words": "pip install 'tercet[qe]', or give texts in the target language: --target-corpus",
    "aligner": "give parallel texts: --parallel",
    "source_tagger": "ask for tags: --tags, with a parser of the source language installed",
    "target_tagger": "ask for tags: --tags, with a parser of the target language installed",
    "source_tags_lm": "ask for tags: --tags, with texts in the source language and a parser for them",
    "target_tags_lm": "ask for tags: --tags, with texts in the target language and a parser for them",
    "embeddings": "ask for sentence embeddings: --embeddings, after pip install 'tercet[embed]'",
    "embedding_axes": "train with sentence embeddings: --embeddings; in Python, see principal_axes",
}


# A model of anybody's must not make others read files or call servers (conllu:FILE, corenlp:ADDRESS).
_PARSER = re.compile(r"natasha|(spacy|stanza):[\w-]+")


def _names() -> tuple[str, ...]:
    return tuple(field.name for field in fields(Resources))


def _setting(name: str, value: Any) -> Any:
    if name not in _names() or name in _KINDS:
        raise ValueError(f"{name!r} is no setting")
    if isinstance(value, list) and name.endswith("_function_words") and all(isinstance(word, str) for word in value):
        return frozenset(value)
    if not isinstance(value, str) or name.endswith("_function_words"):
        raise ValueError(f"{name} cannot be {value!r}")
    if name.endswith("_tagger") and not _PARSER.fullmatch(value):
        raise ValueError(f"{value!r} is no parser of an installed package")
    return value


def estimate_resources(
    source_language: str,
    target_language: str,
    *,
    source_texts: Sequence[str] = (),
    target_texts: Sequence[str] = (),
    parallel: tuple[Sequence[str], Sequence[str]] | None = None,
    tag: bool = False,
    embeddings: str | None = None,
    embedding_axes: Floats | None = None,
    tagged: Tagged = NONE_TAGGED,
    progress: Progress | None = None,
) -> Resources:
    """All resources that the texts and the installed packages allow; the same texts give the same resources.

    parallel: source and target sentences, which also count among the texts of their languages. tag: use tags, where a
    parser of a language is installed. embeddings: a sentence encoder. embedding_axes: of `principal_axes`, the same for
    all resources whose features are to be compared. tagged: tags that are known (`tag_texts`). progress: called with
    what is being made.
    """
    say = progress or (lambda what: None)
    values: dict[str, Any] = {"source_language": source_language, "target_language": target_language}
    if parallel is not None and len(parallel[0]) != len(parallel[1]):
        raise DataError(
            f"The parallel texts have {len(parallel[0])} source and {len(parallel[1])} target sentences; they must "
            "have the same number. Run 'tercet check' on the files to see where they drift apart."
        )
    pairs: list[list[list[str]]] = []
    for number, (side, language, texts) in enumerate(
        (("source", source_language, source_texts), ("target", target_language, target_texts))
    ):
        say(f"{side} texts")
        both = [_lower(texts, language)]
        if parallel is not None:
            both.append(_lower(parallel[number], language))
            pairs.append(both[1])
        values |= _of_one_language(side, language, [words for part in both for words in part], say)
        if tag:
            both_texts = [*texts, *(parallel[number] if parallel is not None else ())]
            values |= _tags(side, language, both_texts, tagged[number], say)
    if pairs:
        say("word alignment")
        values["aligner"] = _pruned(train_aligner(*pairs))
    return Resources(**values, embeddings=embeddings, embedding_axes=embedding_axes)


def principal_axes(embeddings: str, texts: Sequence[str], *, executor: Executor | None = None) -> Floats:
    """The mean of the embeddings of texts, then the AXES directions in which they differ most; shape (1 + AXES, d).

    Features of embeddings are places on these axes, so they have to be the same when a model is trained and when it
    predicts. Axes beyond the number of texts are 0. Of long lists MOST_TEXTS texts, evenly spaced, are taken.
    """
    from ..language.embeddings import open_encoder

    distinct = list(dict.fromkeys(texts))
    if not distinct:
        raise DataError("There are no texts to find the axes of embeddings from.")
    step = -(-len(distinct) // MOST_TEXTS)
    vectors = open_encoder(embeddings).encode(distinct[::step], executor=executor).astype(np.float64)
    mean = vectors.mean(axis=0)
    _, sizes, axes = np.linalg.svd(vectors - mean, full_matrices=False)
    axes = axes[:AXES] * (sizes[:AXES, None] > SMALLEST)
    # A direction and its opposite are the same axis: the largest part decides, so that nothing is left to chance.
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    found = np.zeros((1 + AXES, vectors.shape[1]))
    found[0], found[1 : 1 + len(axes)] = mean, axes * np.where(largest < 0, -1.0, 1.0)[:, None]
    return found


def _lower(texts: Sequence[str], language: str) -> list[list[str]]:
    """The words of each text: its tokens in lower case."""
    return [[token.lower() for token in tokens] for tokens in tokenise(texts, language)]


def _of_one_language(side: str, language: str, sentences: list[list[str]], say: Progress) -> dict[str, Any]:
    """The resources of one side, by their names."""
    found: dict[str, Any] = {}
    frequent: Frequencies | None = None
    if any(sentences):
        say(f"{side} language models")
        found[f"{side}_lm"] = estimate([" ".join(words) for words in sentences], order=ORDER)
        found[f"{side}_lm_backward"] = estimate([" ".join(words[::-1]) for words in sentences], order=ORDER)
        say(f"{side} frequencies")
        try:
            frequent = found[f"{side}_frequencies"] = count_ngrams(sentences, order=ORDER)
        except DataError as error:  # no text has so many words
            log.warning("Features of how frequent %s n-grams are will be left out: %s", side, error)
    try:
        frequent = found[f"{side}_words"] = word_frequencies(base_code(language))
    except (MissingDependency, UnknownName) as error:
        log.info("No word frequencies of %s: %s", language, error)
    if listed := function_words(base_code(language)):
        found[f"{side}_function_words"] = listed
    elif frequent is not None:
        found[f"{side}_function_words"] = _most_frequent(frequent)
    return found


def _most_frequent(frequencies: Frequencies) -> frozenset[str]:
    counts = zip(frequencies.counts[0].tolist(), frequencies.words, strict=True)
    words = [(-count, word) for count, word in counts if any(character.isalpha() for character in word)]
    return frozenset(word for _, word in sorted(words)[:MOST_FREQUENT])


def tag_texts(
    languages: tuple[str, str],
    sources: Sequence[str],
    outputs: Sequence[str],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Tagged:
    """The tags of sources and of outputs, for who needs them several times; none where no parser is installed."""
    say = progress or (lambda what: None)
    found: list[dict[str, list[str]]] = []
    for side, language, texts in zip(("source", "target"), languages, (sources, outputs), strict=True):
        parser = _find_parser(side, language)
        if parser is not None:
            say(f"{side} tags")
        known = [] if parser is None else tags(texts, language, parser, executor=executor)
        found.append({} if parser is None else dict(zip(texts, known, strict=True)))
    return found[0], found[1]


def _find_parser(side: str, language: str) -> str | None:
    """The parser of a language that is installed."""
    from ..language.backends import default_name

    try:
        return default_name(language)
    except UsageError as error:
        log.warning("Features of %s tags are left out: %s", side, error)
        return None


def _tags(
    side: str, language: str, texts: Sequence[str], known: Mapping[str, list[str]], say: Progress
) -> dict[str, Any]:
    """The parser of a language, and a model of the tags of texts; nothing where no parser is installed."""
    parser = _find_parser(side, language)
    if parser is None:
        return {}
    found: dict[str, Any] = {f"{side}_tagger": parser}
    if any(text.strip() for text in texts):
        say(f"{side} tags")
        lines = [" ".join(line) for line in tags(texts, language, parser, known=known)]
        found[f"{side}_tags_lm"] = estimate(lines, order=ORDER)
    return found


def _pruned(aligner: WordAligner) -> WordAligner:
    models = [
        HMM(model.table.pruned(below=LEAST_PROBABILITY), model.jumps, model.null, model.smoothing)
        for model in (aligner.forward, aligner.backward)
    ]
    return WordAligner(*models)
