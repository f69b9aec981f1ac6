"""Parses by Stanza, with any of its models: `stanza:de`, `stanza:de:hdt` with a treebank; Universal Dependencies.

Qi, Zhang, Zhang, Bolton and Manning (2020), "Stanza: A Python Natural Language Processing Toolkit for Many Human
Languages", ACL. Models are never downloaded behind the user's back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UsageError
from ...text.scripts import base_code
from ..sentence import Sentence, Token
from . import clean

PROCESSORS = "tokenize,mwt,pos,lemma,depparse,ner"  # Stanza leaves out those that a language does not have


class StanzaModel:
    """A Stanza pipeline."""

    stored = False

    def __init__(self, model: str, pipeline: Any, version: str) -> None:
        self.name, self.version, self.pipeline = f"stanza:{model}", version, pipeline

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        documents = self.pipeline.bulk_process(list(texts))
        return [_sentence(text, document) for text, document in zip(texts, documents, strict=True)]


def _sentence(text: str, document: Any) -> Sentence:
    """The document's sentences one after the other: a segment with as many roots."""
    tokens: list[Token] = []
    for sentence in document.sentences:
        before = len(tokens)
        for written in sentence.tokens:
            # Stanza marks entities by BIOES; one word (S) begins, the last (E) continues.
            mark, _, kind = (getattr(written, "ner", None) or "O").partition("-")
            for i, word in enumerate(written.words):
                begins = mark in "BS" and i == 0
                head = word.head or 0
                tokens.append(
                    Token(
                        clean(word.text) or "_", written.start_char, written.end_char, clean(word.lemma or ""),
                        word.upos or "", word.xpos or "", word.feats or "", before + head if head else 0,
                        word.deprel or "", f"{'B' if begins else 'I'}-{kind}" if kind else "",
                    )
                )  # fmt: skip
    return Sentence(text, tuple(tokens), "ud")


def open_backend(argument: str, language: str) -> StanzaModel:
    """The model of a language, of the treebank after a second colon if there is one."""
    code, _, package = argument.partition(":")
    code = code or base_code(language)
    try:
        import stanza
    except ImportError:
        raise UsageError(
            f"Parsing with stanza:{code} needs a package that is not installed. Install it: pip install stanza"
        ) from None
    try:
        pipeline = stanza.Pipeline(
            code, processors=PROCESSORS, package=package or "default", download_method=None, verbose=False
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:  # Stanza's own errors derive from these
        raise UsageError(
            f"Stanza has no model for {code!r} here: {error}. Get it: "
            f"python -c \"import stanza; stanza.download('{code}')\""
        ) from None
    return StanzaModel(argument or code, pipeline, str(stanza.__version__))
