"""What metrics on encoders share: the choice of the encoder, and that each distinct text is encoded once.

A metric implements `count_tokens`. Metrics with the same encoder and layer share the vectors in one run; with a cache
folder they are kept on disk too.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from ...errors import UsageError
from ...language.encoders import (
    DEFAULT,
    DEVICES,
    LAST,
    PACKAGES,
    USE_LANGUAGES,
    Encoder,
    TokenVectors,
    check_name,
    default_encoder,
    open_encoder,
)
from ...text.explanations import Alignment, Link, Places, Seen
from ...text.scripts import base_code
from ...types import Floats, Floats32
from .._contract import Corpus, Learnt, Metric, Shard, mean_score
from .._parameters import param
from .._ready import warn_of_guess
from .frequencies import DocumentFrequencies, count_references
from .pairs import one_segment

log = logging.getLogger(__name__)
MOST_WORDS = 3000  # the matrices of WMDO need 600 MB then


class Known(NamedTuple):
    """What a metric learns: the encoder's checksum, weights of tokens if it uses them, and what else it needs."""

    fingerprint: str
    frequencies: DocumentFrequencies | None
    more: Any = None


class Opened(NamedTuple):
    """The encoder, weights of tokens if the metric uses them, and what else it needs."""

    encoder: Encoder
    frequencies: DocumentFrequencies | None
    more: Any = None


@dataclass(frozen=True)
class EncoderMetric(Metric):
    """A metric that uses an encoder.

    encoder: the encoder by name, as for `tercet.language.encoders.open_encoder`; by default minilm for English and
        multilingual for other languages.
    device: cpu, cuda, or auto, the GPU where there is one.
    allow_download: download a model of the hub that is not on this computer.
    trust_pickle: load weights in Python's pickle format, which can run any code.
    """

    encoder: str | None = param(check=check_name)
    device: str = param("auto", choices=DEVICES, local=True)
    allow_download: bool = param(False, local=True)
    trust_pickle: bool = param(False, local=True)

    tolerance = 1e-5
    segments_per_unit = 256
    shares = "encodings"

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        return PACKAGES.get((self.resolved().encoder or DEFAULT).partition(":")[0], ())

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"encoder": default_encoder(language)}

    def encoded_languages(self, testset: Corpus) -> Sequence[str | None]:
        """Return the languages that the encoder must know."""
        return (testset.target_language,)

    def find_encoder(self, testset: Corpus) -> Encoder:
        """Return the encoder; warn of languages that it does not know."""
        encoder = self.open_encoder()
        for language in self.encoded_languages(testset):
            _warn_of_language(self.name, encoder, language)
        return encoder

    def open_encoder(self, fingerprint: str | None = None) -> Encoder:
        """Return the encoder. fingerprint: what its checksum must be, because the run began with it."""
        how = {"allow_download": self.allow_download, "trust_pickle": self.trust_pickle}
        encoder = open_encoder(self.encoder or DEFAULT, device=self.device, **how)
        if fingerprint not in (None, encoder.fingerprint):
            raise UsageError(
                f"{self.name}: the encoder {encoder.name} here has the checksum {encoder.fingerprint}, but the run "
                f"began with {fingerprint}. All computers of a cluster need the same one, and its files must not "
                "change."
            )
        return encoder

    def encode_sentences(self, shard: Shard, encoder: Encoder, texts: Sequence[str]) -> Mapping[str, Floats32]:
        """Return the vectors of whole texts, by text; metrics with the same encoder share them."""
        make = partial(encoder.sentences, cache=shard.cache)
        return shard.share_each(("sentences", encoder.fingerprint), texts, make)


@dataclass(frozen=True)
class AcrossLanguages(EncoderMetric):
    """A metric that compares outputs with their sources."""

    needs = frozenset({"source"})

    def defaults(self, language: str | None) -> Mapping[str, object]:
        return {"encoder": "multilingual"}

    def adapted(self, testset: Corpus) -> Self:
        """Choose the encoder `use` where it knows both languages: measured, it is the better one there."""
        pair = [base_code(language) for language in source_and_target(testset) if language]
        known = len(pair) == 2 and set(pair) <= USE_LANGUAGES
        return replace(self, encoder="use") if self.encoder is None and known else self

    def encoded_languages(self, testset: Corpus) -> Sequence[str | None]:
        return source_and_target(testset)


def source_and_target(testset: Corpus) -> tuple[str | None, str | None]:
    """Return both languages of a test set; None where they are not known."""
    return (testset.pair or "").rpartition("-")[0] or None, testset.target_language


@dataclass(frozen=True)
class EncodedMetric(EncoderMetric):
    """A metric on vectors of tokens.

    layer: whose vectors are compared; -1 is the last.
    """

    layer: int = param(LAST)

    @property
    def longest(self) -> int | None:
        """All tokens are compared with all others, or parsed; encoders with layers truncate a text before."""
        return MOST_WORDS if (self.encoder or "").startswith("vectors:") or getattr(self, "srl", False) else None

    @property
    def learns_weights(self) -> bool:
        """Whether weights of tokens are learnt from the references."""
        return False

    def learn(self, testset: Corpus) -> Learnt:
        """Find the encoder's checksum, and weights of tokens if they are used."""
        encoder = self.find_encoder(testset)
        if not encoder.has_tokens:
            raise UsageError(f"{self.name}: the encoder {encoder.name} gives vectors of sentences, and none of tokens.")
        items, frequencies = {"encoded": encoder.fingerprint}, None
        if self.learns_weights:
            frequencies = count_references(testset, encoder.split, source="reference" not in self.needs)
            items["weights"] = frequencies.checksum
        return Learnt(Known(encoder.fingerprint, frequencies), items)

    def open(self, state: Known | None) -> Opened:
        encoder = self.open_encoder(None if state is None else state.fingerprint)
        if state is not None:
            return Opened(encoder, state.frequencies, state.more)
        if self.learns_weights:
            raise UsageError(f"{self.name}: weights are missing; call ready(testset) with the whole test set.")
        return Opened(encoder, None)

    def encode(self, shard: Shard, encoder: Encoder, texts: Sequence[str]) -> Mapping[str, TokenVectors]:
        """Return the tokens of texts, by text; metrics with the same encoder and layer share them."""
        layer = encoder.layer_number(self.layer)
        make = partial(encoder.tokens, layer=layer, cache=shard.cache)
        return shard.share_each(("encodings", encoder.fingerprint, layer), texts, make)

    def compared_with(self, shard: Shard) -> Sequence[Sequence[str | None]]:
        """Return the texts that outputs are compared with: the references, each a list of segments."""
        return tuple(shard.references.values())

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        others = self.compared_with(shard)
        texts = [text for lines in (*others, *shard.outputs.values()) for text in lines if text is not None]
        encoded = self.encode(shard, opened.encoder, texts)
        references = [[encoded[text] for text in row if text is not None] for row in zip(*others, strict=True)]
        ready = self.prepare_shard(shard, opened)
        return shard.count_each(lambda output, segment: self.count_tokens(encoded[output], references[segment], ready))

    def prepare_shard(self, shard: Shard, opened: Opened) -> Opened:
        """Return what `count_tokens` gets as `opened`, where a metric needs more than vectors of a shard."""
        return opened

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        raise NotImplementedError

    def score(self, totals: Floats) -> Floats:
        """Compute the mean of segments, unless a metric says otherwise."""
        return mean_score(totals)

    def explain_tokens(
        self, output: TokenVectors, reference: TokenVectors, counts: Sequence[float], opened: Opened
    ) -> Seen:
        """Return what was seen in the tokens of an output and its best reference, which gave these counts."""
        raise UsageError(f"{self.name} cannot explain a segment.")

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        shard = one_segment(output, references, source or "")
        opened = self.prepare_shard(shard, opened)
        texts = [output, *(str(lines[0]) for lines in self.compared_with(shard))]
        tokens, *others = opened.encoder.tokens(texts, self.layer)
        counts = [self.count_tokens(tokens, [each], opened) for each in others]
        better = min if self.higher_is_better is False else max
        row = better(range(len(others)), key=lambda each: counts[each][0])
        seen = self.explain_tokens(tokens, others[row], counts[row], opened)
        return replace(seen, against=row if "reference" in self.needs else None)


def cosines(output: TokenVectors, reference: TokenVectors) -> Floats:
    """Return cosines, shape (output, reference). Without vectors it is 1 for the same token in any case, else 0."""
    found: Floats = (output.vectors @ reference.vectors.T).astype(np.float64)
    for row in np.flatnonzero(~output.known):
        found[row] = [output.tokens[row].lower() == token.lower() for token in reference.tokens]
    for column in np.flatnonzero(~reference.known):
        found[:, column] = [reference.tokens[column].lower() == token.lower() for token in output.tokens]
    return found


@dataclass(frozen=True)
class TokenAlignment(Alignment):
    """An alignment of the tokens of an encoder, which lists each token of one text with the most similar other one."""

    def lines(self, other: str = "reference") -> list[str]:
        own, others = ("output", other) if self.of == "output" else (other, "output")
        rows = [
            (_token(self.output, link.output), _token(self.other, link.other))[:: 1 if self.of == "output" else -1]
            for link in self.links
        ]
        wide = [max(map(len, column), default=0) for column in zip(*rows, strict=True)] or [0, 0]
        weighed = ", weight" if any(link.values for link in self.links) else ""
        shown = [f"{own}'s tokens, the most similar of the {others}, similarity{weighed}:"]
        for (token, match), link in zip(rows, self.links, strict=True):
            weight = f"  {link.values['weight']:.2f}" if link.values else ""
            shown.append(f"  {token:{wide[0]}}  {match:{wide[1]}}  {link.weight:.3f}{weight}")
        return shown


def _token(tokens: Sequence[str], positions: Sequence[int]) -> str:
    return tokens[positions[0]] if positions else "-"


def alignment(
    output: TokenVectors, other: TokenVectors, similarities: Floats, of: str, weights: Floats | None = None
) -> TokenAlignment:
    """Return for each token of one text, `of`, the most similar token of the other one."""
    found = similarities if of == "output" else similarities.T
    links = []
    for i, row in enumerate(found):
        at = [int(row.argmax())] if len(row) else []
        pair = ([i], at) if of == "output" else (at, [i])
        values = {} if weights is None else {"weight": float(weights[i])}
        links.append(Link(*pair, float(row[at[0]]) if at else 0.0, values=values))
    return TokenAlignment(output.tokens, other.tokens, links, of, (places_of(output), places_of(other)))


def places_of(tokens: TokenVectors) -> Places:
    """Return the places of tokens in their text."""
    return [(begin, end) for begin, end in tokens.spans.tolist()]


def _warn_of_language(metric: str, encoder: Encoder, language: str | None) -> None:
    if encoder.languages is None or (language and base_code(language) in encoder.languages):
        return
    if not language:
        return warn_of_guess(metric, ", ".join(sorted(encoder.languages)))
    log.warning(
        "%s: the encoder %s knows %s, and the texts are in %s: its scores mean little there. Use an encoder for that "
        "language, such as encoder=hf:FOLDER or encoder=onnx:FOLDER with a multilingual model.",
        metric, encoder.name, ", ".join(sorted(encoder.languages)), language,
    )  # fmt: skip
