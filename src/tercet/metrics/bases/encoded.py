"""What metrics on encoders share: the choice of the encoder, and that each distinct text is encoded once.

A metric implements `count_tokens`: what it counts in the tokens of an output and of its references. Encoding takes a
hundred times as long as comparing, so all metrics with the same encoder and layer share the vectors in one run. With a
cache folder they are kept on disk too, and adding a system encodes its outputs only.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ...errors import UsageError
from ...language.encoders import DEFAULT, DEVICES, LAST, check_name, open_encoder
from ...text.marks import Mark, Marks
from ...text.scripts import base_code
from .._contract import Floats, Learnt, Metric, Shard
from .._parameters import param
from .._ready import warn_of_guess
from .frequencies import DocumentFrequencies, count_references

if TYPE_CHECKING:
    from ...language.encoders import Encoder, TokenVectors
    from ...language.encoders import Floats as Vectors

log = logging.getLogger(__name__)


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

    encoder: the encoder by name, as for `tercet.language.encoders.open_encoder`.
    device: cpu, cuda, or auto, the GPU where there is one.
    allow_download: download a model of the hub that is not on this computer.
    trust_pickle: load weights in Python's pickle format, which can run any code.
    """

    encoder: str = param(DEFAULT, check=check_name)
    device: str = param("auto", choices=DEVICES, local=True)
    allow_download: bool = param(False, local=True)
    trust_pickle: bool = param(False, local=True)

    tolerance: ClassVar[float] = 1e-5
    segments_per_unit: ClassVar[int | None] = 256
    shares: ClassVar[str] = "encodings"

    def encoded_languages(self, testset: Any) -> Sequence[str | None]:
        """Return the languages that the encoder must know."""
        return (testset.target_language,)

    def find_encoder(self, testset: Any) -> Encoder:
        """Return the encoder; warn of languages that it does not know."""
        encoder = self.open_encoder()
        for language in self.encoded_languages(testset):
            _warn_of_language(self.name, encoder, language)
        return encoder

    def open_encoder(self, fingerprint: str | None = None) -> Encoder:
        """Return the encoder. fingerprint: what its checksum must be, because the run began with it."""
        encoder = open_encoder(
            self.encoder, device=self.device, allow_download=self.allow_download, trust_pickle=self.trust_pickle
        )
        if fingerprint not in (None, encoder.fingerprint):
            raise UsageError(
                f"{self.name}: the encoder {encoder.name} here has the checksum {encoder.fingerprint}, but the run "
                f"began with {fingerprint}. All computers of a cluster need the same one, and its files must not "
                "change."
            )
        return encoder

    def encode_sentences(self, shard: Shard, encoder: Encoder, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the vectors of whole texts, by text; metrics with the same encoder share them."""
        known: dict[str, Vectors] = shard.share(("sentences", encoder.fingerprint), dict)
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, encoder.sentences(new, cache=shard.cache), strict=True))
        return known


def source_and_target(testset: Any) -> tuple[str | None, str | None]:
    """Return both languages of a test set; None where they are not known."""
    return (testset.pair or "").rpartition("-")[0] or None, testset.target_language


@dataclass(frozen=True)
class EncodedMetric(EncoderMetric):
    """A metric on vectors of tokens.

    layer: whose vectors are compared; -1 is the last.
    """

    layer: int = param(LAST)

    @property
    def learns_weights(self) -> bool:
        """Whether weights of tokens are learnt from the references."""
        return False

    def learn(self, testset: Any) -> Learnt:
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
        known: dict[str, TokenVectors] = shard.share(("encodings", encoder.fingerprint, layer), dict)
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, encoder.tokens(new, layer, cache=shard.cache), strict=True))
        return known

    def compared_with(self, shard: Shard) -> Sequence[Sequence[str | None]]:
        """Return the texts that outputs are compared with: the references, each a list of segments."""
        return tuple(shard.references.values())

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        others = self.compared_with(shard)
        texts = [text for lines in (*others, *shard.outputs.values()) for text in lines if text is not None]
        encoded = self.encode(shard, opened.encoder, texts)
        references = [[encoded[text] for text in row if text is not None] for row in zip(*others, strict=True)]
        opened = self.prepare_shard(shard, opened)
        return {
            system: np.array(
                [
                    self.count_tokens(encoded[output], row, opened)
                    for output, row in zip(outputs, references, strict=True)
                ],
                dtype=np.float64,
            )
            for system, outputs in shard.outputs.items()
        }

    def prepare_shard(self, shard: Shard, opened: Opened) -> Opened:
        """Return what `count_tokens` gets as `opened`, where a metric needs more than vectors of a shard."""
        return opened

    def count_tokens(self, output: TokenVectors, references: Sequence[TokenVectors], opened: Opened) -> Sequence[float]:
        """Return the counts of one segment."""
        raise NotImplementedError

    def explained(
        self, opened: Opened, output: str, references: Sequence[str]
    ) -> tuple[TokenVectors, list[TokenVectors]]:
        """Return the tokens of one segment, to explain it."""
        first, *others = opened.encoder.tokens([output, *references], self.layer)
        return first, others

    def marks(self, seen: Any, output: str, references: Sequence[str], source: str | None) -> Marks | None:
        """Return marks on tokens, with their similarity to the most similar token of the other text."""
        own, reference, source_own = (seen.get(f"{side}_tokens") for side in ("output", "reference", "source"))
        if own is None and reference is None:
            return None
        other = source_own if reference is None else reference
        return Marks(_token_marks(own), _token_marks(other), seen.get("reference"))


def _token_marks(tokens: Sequence[Mapping[str, Any]] | None) -> tuple[Mark, ...]:
    return tuple(
        Mark(begin, end, min(max(each["similarity"], 0.0), 1.0), partner=each["match_span"])
        for each in tokens or ()
        for begin, end in (each["span"],)
        if begin < end
    )


def cosines(output: TokenVectors, reference: TokenVectors) -> Floats:
    """Return the cosine of each token of the output with each of the reference, shape (output, reference).

    Where a token has no vector, the cosine is 1 with the same token, in any case, and 0 with others.
    """
    found: Floats = (output.vectors @ reference.vectors.T).astype(np.float64)
    for row in np.flatnonzero(~output.known):
        found[row] = [output.tokens[row].lower() == token.lower() for token in reference.tokens]
    for column in np.flatnonzero(~reference.known):
        found[:, column] = [reference.tokens[column].lower() == token.lower() for token in output.tokens]
    return found


def alignment(tokens: TokenVectors, others: TokenVectors, similarities: Floats) -> list[dict[str, Any]]:
    """Return for each token its place in the text and its most similar counterpart.

    similarities: shape (tokens, others).
    """
    best = similarities.argmax(1) if len(others) else np.zeros(len(tokens), dtype=np.int64)
    return [
        {
            "token": token,
            "span": span,
            "match": others.tokens[at] if len(others) else None,
            "at": int(at) if len(others) else None,
            "match_span": others.spans[at].tolist() if len(others) else None,
            "similarity": float(row[at]) if len(others) else 0.0,
        }
        for token, span, at, row in zip(tokens.tokens, tokens.spans.tolist(), best, similarities, strict=True)
    ]


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
