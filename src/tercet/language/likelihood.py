"""How probable a model finds a text: sums of the log-probabilities of its tokens, for the metric `lp`.

The model translates (it reads the source and predicts the output) or is a language model, which reads the source and a
line break first, if there is a source. hf:PLACE is a folder or hub name of a Hugging Face model, onnx:PLACE a folder
with model.onnx, tokenizer.json and config.json. Texts are read one by one, so that numbers do not depend on a batch.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..data.files import file_state
from ..errors import DataError, UsageError
from ..text.coding import whole_characters
from ..types import Floats
from .encoders.base import check_finite
from .encoders.huggingface import find_folder, fingerprint, inferring, load_weights, loading, packages, torch_device
from .encoders.onnx import open_files
from .encoders.transformer import read_json

Ids = Sequence[int]


class Likelihood:
    """A model with its tokenizer. translates: it has an encoder for the source and a decoder for the output."""

    name: str
    fingerprint: str
    translates: bool

    def numbers(self, source: str | None, output: str) -> tuple[Ids, Ids]:
        """Return the numbers of the tokens that the model reads first, and of those that it predicts."""
        raise NotImplementedError

    def logits(self, first: Ids, predicted: Ids) -> Floats:
        """Return what the model says before each predicted token, shape (tokens, vocabulary)."""
        raise NotImplementedError

    def log_probability(self, source: str | None, output: str) -> tuple[float, int]:
        """Return the sum of the log-probabilities of the output's tokens, and their number."""
        first, predicted = self.numbers(source and whole_characters(source), whole_characters(output))
        if not first or not predicted:
            raise DataError(f"{self.name}: its tokenizer gives no token for {(output or source or '')[:60]!r}.")
        logits = self.logits(first, predicted).astype(np.float64)
        check_finite(self.name, logits.sum(1), [output] * len(logits))
        logits -= logits.max(1, keepdims=True)
        chosen = logits[np.arange(len(predicted)), np.array(predicted)]
        return float((chosen - np.log(np.exp(logits).sum(1))).sum()), len(predicted)


class OnnxLikelihood(Likelihood):
    """A model in an ONNX file without a cache of earlier tokens."""

    def __init__(self, place: str, device: str) -> None:
        self.name = f"onnx:{place}"
        self.model, self.tokenizer, self.fingerprint = open_files(place, self.name, device)
        self.tokenizer.opened.no_truncation()
        config = read_json(self.model.path.parent / "config.json")
        self.inputs = [each.name for each in self.model.session.get_inputs()]
        self.translates = "decoder_input_ids" in self.inputs
        self.start, self.end = config.get("decoder_start_token_id"), config.get("eos_token_id")
        known = {"input_ids", "attention_mask", "decoder_input_ids"}
        if not set(self.inputs) <= known or not isinstance(self.end, int) or (self.translates and self.start is None):
            raise DataError(
                f"{self.name}: its inputs must be among {', '.join(sorted(known))} (without a cache), and config.json "
                "must have eos_token_id, and decoder_start_token_id if it has an encoder."
            )

    def numbers(self, source: str | None, output: str) -> tuple[Ids, Ids]:
        encode = self.tokenizer.opened.encode
        first = encode(source or "").ids if self.translates else encode(f"{source}\n" if source else "").ids
        return first or [self.end], [*encode(output, add_special_tokens=False).ids, self.end]

    def logits(self, first: Ids, predicted: Ids) -> Floats:
        given = [*first, *([] if self.translates else predicted)]
        feed = {
            "input_ids": given, "attention_mask": [1] * len(given), "decoder_input_ids": [self.start, *predicted[:-1]]
        }  # fmt: skip
        output = self.model.session.get_outputs()[0].name
        found: Floats = self.model.feed(output, {name: np.array([feed[name]]) for name in self.inputs})[0]
        return found if self.translates else found[len(first) - 1 : -1]


class HuggingFaceLikelihood(Likelihood):
    """A model of transformers."""

    def __init__(self, place: str, device: str, *, allow_download: bool, trust_pickle: bool) -> None:
        self.name = f"hf:{place}"
        folder = find_folder(self.name, place, allow_download=allow_download)
        self.fingerprint = fingerprint(folder)
        self.translates = bool(read_json(folder / "config.json").get("is_encoder_decoder"))
        kind = "AutoModelForSeq2SeqLM" if self.translates else "AutoModelForCausalLM"
        model = load_weights(kind, self.name, folder, trust_pickle=trust_pickle)
        self.model = model.to(torch_device(device)).eval()
        with loading(self.name):
            self.tokenizer = packages()[0].AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )

    def numbers(self, source: str | None, output: str) -> tuple[Ids, Ids]:
        if self.translates:
            return self.tokenizer(source or "").input_ids, self.tokenizer(text_target=output).input_ids
        end = self.tokenizer.eos_token_id
        first = self.tokenizer(f"{source}\n" if source else "").input_ids or [self.tokenizer.bos_token_id or end or 0]
        return first, self.tokenizer(output, add_special_tokens=False).input_ids + ([] if end is None else [end])

    def logits(self, first: Ids, predicted: Ids) -> Floats:
        given = {"input_ids": first, "labels": predicted} if self.translates else {"input_ids": [*first, *predicted]}
        with inferring(self.name):
            row = {name: packages()[1].tensor([list(ids)], device=self.model.device) for name, ids in given.items()}
            found: Floats = self.model(**row).logits[0].float().cpu().numpy()
        return found if self.translates else found[len(first) - 1 : -1]


def check_model(name: str) -> None:
    """Raise UsageError for a name that no model can have."""
    kind, _, place = name.partition(":")
    if kind not in ("hf", "onnx") or not place:
        raise UsageError(f"There is no model {name!r}. Use hf:PLACE or onnx:PLACE.")


def open_likelihood(name: str, *, device: str, allow_download: bool, trust_pickle: bool) -> Likelihood:
    """Return the model of that name; it is loaded once per process."""
    place = Path(name.partition(":")[2])
    state = file_state(place) if place.exists() else None
    return _opened(name, state, device, allow_download, trust_pickle)


@lru_cache(maxsize=1)
def _opened(name: str, state: object, device: str, allow_download: bool, trust_pickle: bool) -> Likelihood:
    kind, _, place = name.partition(":")
    if kind == "onnx":
        return OnnxLikelihood(place, device)
    return HuggingFaceLikelihood(place, device, allow_download=allow_download, trust_pickle=trust_pickle)
