"""What encoders with a tokenizer file and padded batches have in common, whatever runs the network."""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import DataError, optional
from ...text.coding import whole_characters
from ...types import Floats32
from .base import Encoder, Ints, TokenVectors, batches, unit, warn_of_truncation

PADDING = ("[PAD]", "<pad>")


class Inputs(NamedTuple):
    """A padded batch, shape (texts, tokens): numbers of tokens, 1 for tokens and 0 for padding, 1 for second texts."""

    ids: Ints
    mask: Ints
    types: Ints


class Tokenizer:
    """A tokenizer of the package tokenizers. It truncates what is too long and says how many texts that were.

    text: the contents of tokenizer.json; where: its name, for messages. name: what truncates, for warnings.
    """

    def __init__(self, text: str, where: str, *, name: str, longest: int | None) -> None:
        tokenizers = optional("tokenizers", "Encoding texts", "neural")
        try:
            self.opened = tokenizers.Tokenizer.from_str(text)
        except Exception as error:  # noqa: BLE001  tokenizers raises nothing narrower
            raise DataError(f"{where} is no tokenizer: {error}.") from None
        self.name, self.longest = name, longest
        self.opened.no_padding()
        self.opened.no_truncation()
        self.size = int(self.opened.get_vocab_size())
        known = (self.opened.token_to_id(token) for token in PADDING)
        self.padding = next((number for number in known if number is not None), 0)

    def encode(self, texts: Sequence[str] | Sequence[tuple[str, str]], *, warn: bool = True) -> list[Any]:
        """Return the encodings of texts or of pairs of texts. Of a pair, the longer text is truncated first."""
        if self.longest is None:
            return list(self.opened.encode_batch(list(texts)))
        self.opened.enable_truncation(self.longest)
        encoded = self.opened.encode_batch(list(texts))
        if warn:
            warn_of_truncation(self.name, sum(bool(each.overflowing) for each in encoded), self.longest)
        return list(encoded)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens texts have, without those of the model's own."""
        self.opened.no_truncation()
        return [len(each.ids) for each in self.opened.encode_batch_fast(list(texts), add_special_tokens=False)]

    def pad(self, encoded: Sequence[Any]) -> Inputs:
        """Return encodings as one batch."""
        shape = len(encoded), max(len(each.ids) for each in encoded)
        ids, mask, types = np.full(shape, self.padding, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, each in enumerate(encoded):
            length = len(each.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = each.ids, 1, each.type_ids
        return Inputs(ids, mask, types)


class TransformerEncoder(Encoder):
    """An encoder with a tokenizer. A backend sets `tokenizer` and `pooling` and writes `hidden`.

    pooling: how a text's vector comes from those of its tokens: mean or cls, the first token.
    alone: one text per batch, because the numbers of a text depend on its neighbours.
    """

    tokenizer: Tokenizer
    pooling: str = "mean"
    alone: bool = False

    @abstractmethod
    def hidden(self, inputs: Inputs, layer: int) -> Floats32:
        """Return the vectors of a batch in one layer, shape (texts, tokens, dimensions)."""

    def pooled(self, inputs: Inputs) -> Floats32:
        """Return the vectors of the texts of a batch, of any length, shape (texts, dimensions)."""
        hidden = self.hidden(inputs, self.layers - 1)
        if self.pooling == "cls":
            return hidden[:, 0]
        weights = inputs.mask[:, :, None].astype(np.float32)
        mean: Floats32 = (hidden * weights).sum(1) / weights.sum(1)
        return mean

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        encoded = self.tokenizer.encode([whole_characters(text) for text in texts], warn=False)
        return [
            tuple(token for token, mark in zip(each.tokens, each.special_tokens_mask, strict=True) if not mark)
            for each in encoded
        ]

    def token_batches(self, texts: Sequence[str], layer: int) -> Iterator[tuple[Sequence[int], Sequence[TokenVectors]]]:
        encoded = self.tokenizer.encode(texts)
        if empty := [place for place, each in enumerate(encoded) if not each.ids]:
            nothing = np.empty((0, self.dimensions), dtype=np.float32)
            yield empty, [_tokens(texts[place], encoded[place], nothing) for place in empty]
        for batch in self._batches(encoded):
            chosen = [encoded[place] for place in batch]
            hidden = self.hidden(self.tokenizer.pad(chosen), layer)
            made = zip(batch, chosen, hidden, strict=True)
            yield batch, [_tokens(texts[place], each, rows) for place, each, rows in made]

    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats32]]:
        encoded = self.tokenizer.encode(texts)
        if empty := [place for place, each in enumerate(encoded) if not each.ids]:
            yield empty, np.zeros((len(empty), self.dimensions), dtype=np.float32)
        for batch in self._batches(encoded):
            yield batch, unit(self.pooled(self.tokenizer.pad([encoded[place] for place in batch])))

    def _batches(self, encoded: Sequence[Any]) -> Iterator[list[int]]:
        """Yield the places of texts with tokens, in batches."""
        lengths = [len(each.ids) for each in encoded]
        for batch in batches(lengths, **({"texts": 1} if self.alone else {})):
            if kept := [place for place in batch if lengths[place]]:
                yield kept


def _tokens(text: str, encoded: Any, hidden: Floats32) -> TokenVectors:
    marks = encoded.special_tokens_mask
    words = [-1 if mark or word is None else word for word, mark in zip(encoded.word_ids, marks, strict=True)]
    length = len(encoded.ids)
    return TokenVectors(
        text,
        tuple(encoded.tokens),
        np.array(encoded.offsets, dtype=np.int64).reshape(-1, 2),
        np.array(words, dtype=np.int64),
        unit(np.ascontiguousarray(hidden[:length], dtype=np.float32)),
    )


def position_limit(config: Mapping[str, Any]) -> int | None:
    """Return how many tokens a model takes, from its configuration; None if that does not say."""
    positions = config.get("max_position_embeddings")
    if not isinstance(positions, int) or positions <= 2:
        return None
    # RoBERTa and its kin number positions from the padding's number on.
    return positions - 2 if config.get("model_type") in ("roberta", "xlm-roberta", "camembert", "mpnet") else positions


def read_json(path: Path, kind: type = dict) -> Any:
    """Return what a JSON file says if it is of this kind; otherwise, or without the file, an empty one."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return kind()
    return found if isinstance(found, kind) else kind()


def digest(*parts: str) -> str:
    """Return a short checksum of texts."""
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
