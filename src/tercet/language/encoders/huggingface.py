"""Encoders in Hugging Face's format, run by transformers: a folder, or a name of the hub.

A name is looked up among the models on this computer. It is downloaded only if that was allowed. Weights are read from
safetensors; without such a file from pytorch_model.bin, as plain tensors (`weights_only`). Code inside a model's folder
is never run. Sentence vectors are pooled as 1_Pooling/config.json says; models of sentence-transformers with further
modules are run by that package.
"""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numpy as np

from ...data.files import file_checksum
from ...errors import DataError, UsageError, optional
from ...types import Floats32
from .transformer import Inputs, Tokenizer, TransformerEncoder, digest, position_limit, read_json

WEIGHTS = "*.safetensors"
FILES = ("*.json", WEIGHTS, "*.txt", "*.model")
PICKLED = ("*.bin",)
PLAIN_MODULES = ("Transformer", "Pooling", "Normalize")  # of sentence-transformers, which need no package


class HuggingFaceEncoder(TransformerEncoder):
    """A model in a folder. Weights are loaded when it first encodes."""

    def __init__(self, name: str, folder: Path, *, device: str, trust_pickle: bool) -> None:
        self.name, self.folder, self.device, self.trust_pickle = name, folder, device, trust_pickle
        self.fingerprint = fingerprint(folder)
        self.config = read_json(folder / "config.json")
        self.pooling = (
            "cls" if read_json(folder / "1_Pooling" / "config.json").get("pooling_mode_cls_token") else "mean"
        )

    @cached_property
    def tokenizer(self) -> Tokenizer:  # type: ignore[override]
        return open_tokenizer(self.name, self.folder, self.config)

    @cached_property
    def longest(self) -> int | None:  # type: ignore[override]
        return self.tokenizer.longest

    @cached_property
    def model(self) -> Any:
        model = load_weights("AutoModel", self.name, self.folder, trust_pickle=self.trust_pickle)
        if model.config.is_encoder_decoder:
            model = model.get_encoder()
        return model.to(torch_device(self.device)).eval()

    @cached_property
    def layers(self) -> int:  # type: ignore[override]
        return int(self.model.config.num_hidden_layers) + 1

    @cached_property
    def dimensions(self) -> int:  # type: ignore[override]
        return int(self.model.config.hidden_size)

    def hidden(self, inputs: Inputs, layer: int) -> Floats32:
        with inferring(self.name):
            found = self.model(**feed(self.model, inputs), output_hidden_states=True).hidden_states[layer]
            vectors: Floats32 = found.float().cpu().numpy()
        return vectors

    def sentence_batches(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Floats32]]:
        if self.sentence_model is None:
            yield from super().sentence_batches(texts)
            return
        vectors = self.sentence_model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        yield range(len(texts)), np.asarray(vectors, dtype=np.float32)

    @cached_property
    def sentence_model(self) -> Any:
        """The model of sentence-transformers, if it has more modules than a network and pooling."""
        path = self.folder / "modules.json"
        kinds = (str(each.get("type", "")) for each in read_json(path, list) if isinstance(each, dict))
        if all(kind.rpartition(".")[2] in PLAIN_MODULES for kind in kinds):
            return None
        try:
            package = import_module("sentence_transformers")
        except ImportError:
            raise UsageError(
                f"{self.name} has modules of sentence-transformers. Install it: pip install sentence-transformers"
            ) from None
        with loading(self.name):
            return package.SentenceTransformer(
                str(self.folder), device=torch_device(self.device), local_files_only=True, trust_remote_code=False
            )


def open_huggingface(place: str, *, device: str, allow_download: bool, trust_pickle: bool) -> HuggingFaceEncoder:
    """Return the encoder in a folder, or of a name of the hub."""
    name = f"hf:{place}"
    folder = find_folder(name, place, allow_download=allow_download)
    if not (folder / "config.json").is_file():
        raise UsageError(f"{name}: {folder} has no config.json, so it holds no Hugging Face model.")
    return HuggingFaceEncoder(name, folder, device=device, trust_pickle=trust_pickle)


def find_folder(name: str, place: str, *, allow_download: bool, everything: bool = False, weights: bool = True) -> Path:
    """Return the folder of a model: the place itself, or the hub's files, downloaded if that is allowed."""
    if Path(place).is_dir():
        return Path(place)
    packages()
    hub = import_module("huggingface_hub")
    problems = import_module("huggingface_hub.errors")
    missing = (problems.LocalEntryNotFoundError, problems.HFValidationError, OSError)
    try:
        return Path(hub.snapshot_download(place, local_files_only=True))
    except missing:
        if not allow_download:
            raise UsageError(
                f"{name}: there is no folder {place}, and no such model of the hub on this computer. With "
                "`allow_download` it is downloaded."
            ) from None
    try:
        wanted = None if everything else [each for each in FILES if weights or each != WEIGHTS]
        folder = Path(hub.snapshot_download(place, allow_patterns=wanted))
        if weights and not everything and not any(folder.glob("*.safetensors")):
            folder = Path(hub.snapshot_download(place, allow_patterns=[*FILES, *PICKLED]))
    except (problems.HfHubHTTPError, *missing) as error:
        raise UsageError(f"{name} cannot be downloaded: {str(error).splitlines()[0]}") from None
    return folder


def load_weights(kind: str, name: str, folder: Path, *, trust_pickle: bool) -> Any:
    """Load a model by one of the Auto classes of transformers. All weights must be in the file."""
    transformers, torch = packages()
    safe = any(folder.glob("*.safetensors"))
    if not safe and not any(folder.glob("*.bin")):
        raise DataError(f"{name}: {folder} has no weights (model.safetensors).")
    if parent_process() is not None:
        torch.set_num_threads(1)  # in a worker: the others need the other cores
    with loading(name, pickled=not safe and not trust_pickle):
        model, found = getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, use_safetensors=safe,
            weights_only=not trust_pickle, dtype=torch.float32, output_loading_info=True,
        )  # fmt: skip
    missing = [key for key in found["missing_keys"] if "pooler" not in key and "position_ids" not in key]
    if missing:
        raise DataError(f"{name}: the weights in {folder} are not those of the model: {missing[0]} is missing.")
    return model


def open_tokenizer(name: str, folder: Path, config: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer in a folder; slow ones are converted where transformers can."""
    transformers, _ = packages()
    with loading(name):
        opened = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, use_fast=True
        )
    backend = getattr(opened, "backend_tokenizer", None)
    if backend is None:
        raise UsageError(f"{name}: its tokenizer has no tokenizer.json and cannot be converted to one.")
    limits = [opened.model_max_length, position_limit(config)]
    known = [limit for limit in limits if isinstance(limit, int) and 2 < limit < 1 << 20]
    return Tokenizer(backend.to_str(), str(folder), name=name, longest=min(known, default=None))


def feed(model: Any, inputs: Inputs) -> dict[str, Any]:
    """Return a batch as tensors, with the inputs that the model takes."""
    _, torch = packages()
    given = {"input_ids": inputs.ids, "attention_mask": inputs.mask}
    if getattr(model.config, "type_vocab_size", 0) > 1:
        given["token_type_ids"] = inputs.types
    return {key: torch.from_numpy(value).to(model.device) for key, value in given.items()}


@contextmanager
def inferring(name: str) -> Iterator[None]:
    """Run a model without gradients; a text that it fails on is bad data."""
    _, torch = packages()
    try:
        with torch.inference_mode():
            yield
    except (RuntimeError, IndexError) as error:
        raise DataError(
            f"{name} fails on a text: {str(error).splitlines()[0]}. Does the tokenizer belong to the model?"
        ) from None


@contextmanager
def loading(name: str, *, pickled: bool = False) -> Iterator[None]:
    """Load quietly, and turn what the packages raise into errors that say what to do."""
    transformers, _ = packages()
    unsafe = getattr(import_module("safetensors"), "SafetensorError", RuntimeError)
    verbosity = transformers.logging.get_verbosity()
    bar = transformers.logging.is_progress_bar_enabled()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        yield
    except (
        pickle.UnpicklingError,
        OSError,
        ValueError,
        KeyError,
        RuntimeError,
        ImportError,
        TypeError,
        unsafe,
    ) as error:
        said = (str(error).splitlines() or ["?"])[0]
        if pickled and (isinstance(error, pickle.UnpicklingError) or "pickle" in str(error) or "weights_only" in said):
            raise DataError(
                f"{name}: the weights are pickled and hold more than tensors. Loading them could run any code. If you "
                "trust the file, set `trust_pickle`; better, convert it to safetensors."
            ) from None
        raise DataError(f"{name} cannot be loaded: {said}") from None
    finally:
        transformers.logging.set_verbosity(verbosity)
        if bar:
            transformers.logging.enable_progress_bar()


def fingerprint(folder: Path) -> str:
    """Return a checksum of a model's files: weights, configuration, tokenizer."""
    inside = sorted({each for pattern in (*FILES, *PICKLED) for each in folder.rglob(pattern) if each.is_file()})
    return digest(*(f"{each.relative_to(folder)} {file_checksum(each)}" for each in inside))


def packages() -> tuple[Any, Any]:
    """Return transformers and torch."""
    transformers, torch = (optional(name, "A Hugging Face model", "hf") for name in ("transformers", "torch"))
    return transformers, torch


def torch_device(device: str) -> str:
    """Return where a model runs: on the GPU if one is there and wanted."""
    _, torch = packages()
    found = bool(torch.cuda.is_available())
    if device == "cuda" and not found:
        raise UsageError("device=cuda: torch finds no GPU here. Use device=cpu.")
    return "cuda" if found and device != "cpu" else "cpu"
