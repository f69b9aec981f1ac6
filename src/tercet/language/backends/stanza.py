"""The backend `stanza:CODE`: any Stanza model (Qi et al. 2020), also `stanza:de:hdt`; nothing is downloaded."""

from collections.abc import Sequence
from typing import Any

from ...errors import UsageError
from ...text.scripts import base_code
from ..sentence import Sentence, Token
from . import token

PROCESSORS = "tokenize,mwt,pos,lemma,depparse,ner"  # Stanza omits those that a language does not have


class StanzaModel:
    """A Stanza pipeline."""

    stored = False

    def __init__(self, model: str, pipeline: Any, version: str) -> None:
        self.name, self.version, self.pipeline = f"stanza:{model}", version, pipeline

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        documents = self.pipeline.bulk_process(list(texts))
        return [_sentence(text, document) for text, document in zip(texts, documents, strict=True)]


def _sentence(text: str, document: Any) -> Sentence:
    """Concatenate the document's sentences into one Sentence, which has a root for each."""
    tokens: list[Token] = []
    for sentence in document.sentences:
        before = len(tokens)
        for written in sentence.tokens:
            # Stanza marks entities by BIOES; S (single word) becomes B, E (end) becomes I.
            mark, _, kind = (getattr(written, "ner", None) or "O").partition("-")
            for i, word in enumerate(written.words):
                entity = f"{'B' if mark in 'BS' and i == 0 else 'I'}-{kind}" if kind else ""
                tags = word.upos or "", word.xpos or "", word.feats or ""
                head = before + word.head if word.head else 0
                places = written.start_char, written.end_char
                tokens.append(token(word.text, *places, word.lemma, *tags, head, word.deprel or "", entity))
    return Sentence(text, tuple(tokens), "ud")


def open_backend(argument: str, language: str) -> StanzaModel:
    """Load the model of a language. The argument is CODE, or CODE:TREEBANK."""
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
            f"Stanza has no model for {code!r} on this machine: {error}. Download it: "
            f"python -c \"import stanza; stanza.download('{code}')\""
        ) from None
    return StanzaModel(argument or code, pipeline, str(stanza.__version__))
