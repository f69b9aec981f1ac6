"""The backend `natasha`: a parser of Russian (Kukushkin 2020). Labels are Universal Dependencies."""

import warnings
from collections.abc import Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

from ...errors import UsageError, optional
from ...text.scripts import base_code
from ..sentence import Sentence, Token, find_cycle
from . import token

LONGEST = 300  # maximum number of words parsed at once: memory and time grow with the square


class Natasha:
    """The natasha pipeline: tags, lemmas, dependencies and entities of Russian."""

    name, stored = "natasha", False

    def __init__(self, package: ModuleType) -> None:
        self.version = f"{version('natasha')}-3"  # 2: cycles of heads are broken; 3: который is a relative
        self.package = package
        embedding = package.NewsEmbedding()
        self.segmenter, self.vocabulary = package.Segmenter(), package.MorphVocab()
        self.steps = [
            package.NewsMorphTagger(embedding), package.NewsSyntaxParser(embedding), package.NewsNERTagger(embedding),
        ]  # fmt: skip

    def parse(self, texts: Sequence[str]) -> list[Sentence]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecation warnings from pymorphy2
            return [self._sentence(text) for text in texts]

    def _sentence(self, text: str) -> Sentence:
        document = self.package.Doc(text)
        document.segment(self.segmenter)
        document.sents = [piece for sentence in document.sents for piece in _pieces(sentence)]
        if not document.tokens:
            return Sentence(text)
        tagger, parser, recogniser = self.steps
        document.tag_morph(tagger)
        document.parse_syntax(parser)
        document.tag_ner(recogniser)
        marks = {}
        for span in document.spans:
            inside = [word.start for word in document.tokens if span.start <= word.start < span.stop]
            marks.update({start: f"{'I' if i else 'B'}-{span.type}" for i, start in enumerate(inside)})
        tokens: list[Token] = []
        for sentence in document.sents:
            before = len(tokens)
            numbers = {word.id: number for number, word in enumerate(sentence.tokens, before + 1)}
            for word in sentence.tokens:
                word.lemmatize(self.vocabulary)
                head = numbers.get(word.head_id, 0)
                features = "|".join(f"{key}={value}" for key, value in sorted((word.feats or {}).items()))
                below = (head, word.rel or "dep") if head not in (0, numbers[word.id]) else (0, "root")
                tags, mark = (word.pos or "", "", features), marks.get(word.start, "")
                tokens.append(token(word.text, word.start, word.stop, word.lemma, *tags, *below, mark))
        while number := find_cycle([each.head for each in tokens]):  # heads are predicted independently
            tokens[number - 1] = tokens[number - 1]._replace(head=0, relation="root")
        return Sentence(text, tuple(tokens), "ud")


def _pieces(sentence: Any) -> list[object]:
    """Return the sentence, or pieces of at most LONGEST words if it is longer."""
    if len(sentence.tokens) <= LONGEST:
        return [sentence]
    pieces = []
    for first in range(0, len(sentence.tokens), LONGEST):
        tokens = sentence.tokens[first : first + LONGEST]
        start, stop = tokens[0].start, tokens[-1].stop
        text = sentence.text[start - sentence.start : stop - sentence.start]
        pieces.append(type(sentence)(start, stop, text, tokens, []))
    return pieces


def open_backend(argument: str, language: str) -> Natasha:
    """Return the parser. Raises UsageError for languages other than Russian."""
    if argument or base_code(language) != "ru":
        raise UsageError("natasha parses only Russian (-l ru) and has one model: write 'natasha' without a colon.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Natasha(optional("natasha", "Parsing Russian", "ru"))
