"""All tokenisers by name, sacreBLEU's and Moses'. SentencePiece models are those of spBLEU (Goyal et al. 2022)."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import DataError, UnknownName, optional
from .coding import Words, code_points, split_words, whole_characters
from .rules import RULES

# Tokenisers in other modules: name -> (module, function from string to string).
FUNCTIONS = {
    "moses": ("moses", "tokenise"),
    "tercom": ("tercom", "tokenise"),
    "ja-mecab": ("mecab", "tokenise_japanese"),
    "ko-mecab": ("mecab", "tokenise_korean"),
}

MODELS = ("flores101", "flores200")  # names of tokenisers that are data sets with a model
WHAT = {"what": "SentencePiece model", "content": "the model"}


def names() -> tuple[str, ...]:
    """Return the values that `tokenize` may have; in addition there is moses-LANG for any language code."""
    return (*(name for name in RULES if not name.startswith("mteval")), *FUNCTIONS)


def check_tokeniser(name: str) -> None:
    """Raise UnknownName if there is no such tokeniser."""
    if name not in names() and not name.startswith("moses-"):
        raise UnknownName("tokeniser", name, names())


def tokenise(texts: Sequence[str], name: str) -> Words:
    """Return the words of every text."""
    if name in RULES:
        return RULES[name].words(texts)
    if name.startswith("moses"):
        from . import moses  # its tables are slow to import

        check_tokeniser(name)
        return moses.words([text.rstrip() for text in texts], _moses_language(name))
    function = tokeniser(name)
    return split_words(*code_points([function(text.rstrip()) for text in texts]))


def tokeniser(name: str) -> Callable[[str], str]:
    """Return a function that puts spaces between the tokens of a text."""
    if name in RULES:
        rules = RULES[name]
        return lambda text: " ".join(rules.words([text]).strings()[0])
    check_tokeniser(name)
    if name.startswith("moses"):
        from . import moses

        return partial(moses.tokenise, language=_moses_language(name))
    module, function = FUNCTIONS[name]
    found = getattr(import_module(f".{module}", __package__), function)
    return lambda text: str(found(text))


def _moses_language(name: str) -> str:
    """Return the language in the name of a Moses tokeniser; warns if it has no list of abbreviations."""
    from . import moses

    language = name.partition("-")[2] or "en"
    moses.warn_without_list(language)
    return language


def lower(texts: Sequence[str]) -> list[str]:
    """Return texts in lower case."""
    return [text.lower() for text in texts]


def piece_model(name: str) -> Path | None:
    """Return the model of a tokeniser that is named after a data set; None for other tokenisers."""
    if name not in MODELS:
        return None
    from ..data.catalogue import check_unchanged, data_folder, file_of_dataset  # slow to import, and seldom needed

    path = file_of_dataset(name, **WHAT)
    check_unchanged(name, data_folder())
    return path


def find_piece_model(given: str) -> Path:
    """Return the path of a model, given as a path or as the name of a data set."""
    from ..data.catalogue import find_file

    return find_file(given, **WHAT)


def pieces(texts: Sequence[str], model: Path) -> Words:
    """Return the pieces of every text."""
    from ..data.files import file_state

    processor = _processor(model, file_state(model))
    found = processor.encode([whole_characters(text.rstrip()) for text in texts], out_type=str)
    return split_words(*code_points([" ".join(line) for line in found]))


@lru_cache(maxsize=2)
def _processor(path: Path, state: object) -> Any:
    """Return the model, which is loaded again only if the file changes."""
    sentencepiece = optional("sentencepiece", "Tokenising with a SentencePiece model", "spm")
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    except (RuntimeError, OSError):
        raise DataError(f"{path} is not a SentencePiece model, or it is damaged.") from None
