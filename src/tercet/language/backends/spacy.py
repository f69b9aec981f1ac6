"""The backend `spacy:MODEL`: any spaCy model, by its package name (`spacy:en_core_web_sm`) or its folder.

Honnibal, Montani, Van Landeghem and Boyd (2020), "spaCy: Industrial-strength Natural Language Processing in Python".
English models have ClearNLP labels, most others, such as Russian, have Universal Dependencies; the scheme is recognised
by the model's list of labels. German models have TIGER labels, which `tercet.language.tiger` converts.
"""

import logging
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...errors import UsageError, optional
from ...text.scripts import base_code
from ..sentence import Sentence
from . import find_model, token

log = logging.getLogger(__name__)

LEMMAS = "pymorphy3"  # the package with the lemmas of Russian and Ukrainian models
BATCH = 64  # texts that spaCy processes at once
TELLING = {"pobj": "clearnlp", "nmod": "ud", "obl": "ud", "nk": "tiger"}  # labels that occur in one scheme only


class SpacyModel:
    """A spaCy pipeline with a parser."""

    stored = False

    def __init__(self, model: str, pipeline: Any, release: str) -> None:
        if "parser" not in pipeline.pipe_names:
            raise UsageError(f"The spaCy model {model!r} has no parser. Its parts: {', '.join(pipeline.pipe_names)}.")
        self.name, self.version, self.pipeline = f"spacy:{model}", release, pipeline
        schemes = [TELLING[label] for label in pipeline.get_pipe("parser").labels if label in TELLING]
        self.scheme = next((scheme for scheme in ("clearnlp", "ud", "tiger") if scheme in schemes), "other")
        if not schemes:
            log.warning(
                "The spaCy model %s has relations of neither ClearNLP, Universal Dependencies nor TIGER. They keep "
                "their names, and there are no collapsed dependencies.",
                model,
            )

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        # spaCy rejects texts above a length limit that protects memory. Ours are single segments.
        self.pipeline.max_length = max(self.pipeline.max_length, *map(len, texts))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # e.g. words without lemma rules, repeated for each text
            documents = self.pipeline.pipe(texts, batch_size=BATCH)
            return [self._sentence(text, document) for text, document in zip(texts, documents, strict=True)]

    def _sentence(self, text: str, document: Any) -> Sentence:
        words = [word for word in document if not word.is_space and word.text.strip()]
        numbers = {word.i: number for number, word in enumerate(words, 1)}
        tokens = []
        for word in words:
            head = word.head
            while head.i not in numbers and head.head.i != head.i:  # the head may be a white-space token
                head = head.head
            root = head.i == word.i or head.i not in numbers
            below: tuple[int, str] = (0, "ROOT") if root else (numbers[head.i], word.dep_)
            entity = f"{word.ent_iob_}-{word.ent_type_}" if word.ent_type_ and word.ent_iob_ in ("B", "I") else ""
            tags = word.pos_, word.tag_, str(word.morph)
            tokens.append(token(word.text, word.idx, word.idx + len(word.text), word.lemma_, *tags, *below, entity))
        return Sentence(text, tuple(tokens), self.scheme)


def load(model: str) -> Any:
    """Load a spaCy pipeline by the name of its package or its folder."""
    spacy = optional("spacy", f"The spaCy model {model!r}", "en" if model.startswith("en") else "spacy")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pipeline = spacy.load(model)
    except (OSError, ValueError, ImportError, AttributeError) as error:
        line = str(error).partition("\n")[0]
        message = (
            f"spaCy cannot load the model {model!r}: {line} Install it (python -m spacy download {model}; for English, "
            "pip install 'tercet[en]') or use another model."
        )
        if LEMMAS in str(error):
            message = f"The spaCy model {model!r} takes its lemmas from {LEMMAS}: pip install {LEMMAS}."
        raise UsageError(message) from None
    for warning in caught:
        if "[W095]" in str(warning.message):  # the model was trained with another version of spaCy
            log.info("%s", warning.message)
    return pipeline


def open_backend(model: str, language: str) -> SpacyModel:
    """Load the model and check its language."""
    if not model:
        raise UsageError("spacy needs a model: spacy:en_core_web_sm.")
    pipeline = load(model if Path(model).exists() else find_model(model) or model)
    if pipeline.meta["lang"] != base_code(language):
        log.warning("The spaCy model %s is for %r, but the text is %r.", model, pipeline.meta["lang"], language)
    return SpacyModel(model, pipeline, f"{pipeline.meta['version']}+spacy{version('spacy')}")
