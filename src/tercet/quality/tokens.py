"""Tokenise and tag: Moses' tokeniser without its escapes, sacreBLEU's zh for Chinese, MeCab for Japanese."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from html import unescape

from ..text import moses
from ..text.scripts import base_code
from ..text.tokenisers import tokenise as split_texts
from ..text.tokenisers import tokeniser

Tagged = tuple[Mapping[str, list[str]], Mapping[str, list[str]]]  # tags by text, of sources and of outputs
NONE_TAGGED: Tagged = ({}, {})
_TOKENISERS = {"zh": "zh", "yue": "zh", "ja": "ja-mecab"}


def tokenise(texts: Sequence[str], language: str) -> list[list[str]]:
    """Return the tokens of each text, with case."""
    name = _TOKENISERS.get(base_code(language))
    if name == "zh":
        return split_texts(texts, name).strings()
    if name:
        return [line.split() for line in map(tokeniser(name), texts)]
    # Called directly, without its warning about missing abbreviation lists, which matters only for equality with Moses.
    return [unescape(text).split() for text in moses.tokenise_all(texts, language)]


def tags(
    texts: Sequence[str],
    language: str,
    parser: str | None,
    *,
    known: Mapping[str, list[str]] | None = None,
    executor: Executor | None = None,
) -> list[list[str]]:
    """Return the universal part-of-speech tags of each text, one per word. known: tags of texts parsed before."""
    from ..language.parsing import parse

    found = dict(known or {})
    new = [text for text in dict.fromkeys(texts) if text not in found]
    if new:
        parsed = parse(new, language, backend=parser, executor=executor)
        found |= {text: [token.upos or "X" for token in each.tokens] for text, each in zip(new, parsed, strict=True)}
    return [found[text] for text in texts]
