"""Four language models of one language: over words and over tags, reading forwards and backwards.

They are estimated from texts of the user by `tercet lm`, which parses them, and are kept in a model file. The package
has models of English, which are used where the user has none.
Words are those of the parser, in lower case; tags are the parser's own, or universal ones where it has no others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from typing import ClassVar, Self

from ..data.catalogue import data_folder
from ..data.files import file_state, make_folder
from ..data.model_file import Dataset, ModelFile
from ..errors import DataError, UsageError
from ..language.kneser_ney import estimate
from ..language.ngram_models import NgramModel, Scored
from ..language.sentence import Sentence
from ..learning.stored import StoredModel
from .packing import pack, unpack

NAMES = ("words", "words_backward", "tags", "tags_backward")
ORDER = 3
SHIPPED = "en"  # the language of the models in the package


@dataclass(frozen=True, eq=False)
class FluencyModels(StoredModel):
    """The models of one language by name (`NAMES`)."""

    language: str
    models: Mapping[str, NgramModel]
    trained_on: tuple[Dataset, ...] = ()

    kind: ClassVar[str] = "fluency-models"
    made_by: ClassVar[str] = "tercet lm"

    def score(self, name: str, sentences: Sequence[Sentence]) -> Scored:
        """Return the scores of the words or tags of sentences by one of the models."""
        return self.models[name].score([as_line(name, sentence) for sentence in sentences])

    def to_file(self) -> ModelFile:
        blobs = {name: pack(self.models[name]) for name in NAMES}
        return ModelFile(self.kind, {"language": self.language}, blobs=blobs, trained_on=self.trained_on)

    @classmethod
    def from_file(cls, content: ModelFile) -> Self:
        language = content.manifest.get("language")
        if not isinstance(language, str) or set(content.blobs) != set(NAMES):
            raise DataError(f"the four language models are not there. Make them with '{cls.made_by}'.")
        return cls(
            language, {name: unpack(NgramModel, content.blobs[name], name) for name in NAMES}, content.trained_on
        )


def as_line(name: str, sentence: Sentence) -> str:
    """Return words or tags of a sentence, in the order in which a model reads them."""
    if name.startswith("words"):
        units = ["_".join(token.form.lower().split()) for token in sentence.tokens]
    else:
        units = [token.xpos or token.upos or "_" for token in sentence.tokens]
    return " ".join(reversed(units) if name.endswith("backward") else units)


def estimate_models(sentences: Sequence[Sentence], language: str) -> FluencyModels:
    """Estimate the four models from parsed sentences. Words that occur once stay in the vocabulary."""
    if not any(sentence.tokens for sentence in sentences):
        raise DataError("Language models cannot be estimated: the texts have no words.")
    models = {name: estimate((as_line(name, sentence) for sentence in sentences), order=ORDER) for name in NAMES}
    digest = sha256("\n".join(sentence.text for sentence in sentences).encode("utf-8", "surrogatepass")).hexdigest()
    return FluencyModels(language, models, (Dataset("texts", digest, len(sentences)),))


def default_place(language: str) -> Path:
    """Return the file in which a user's language models are kept if no other is named."""
    return data_folder() / "language-models" / f"{language}.model"


def save_models(models: FluencyModels, path: str | Path) -> None:
    """Write models to a file."""
    if path == default_place(models.language):
        make_folder(Path(path).parent)
    models.save(path)


def load_models(path: str | Path | None, language: str) -> FluencyModels:
    """Read the models of a file, or of the default place, or the package's; once per process and state of the file."""
    place = default_place(language) if path is None else Path(path)
    if path is None and not place.is_file():
        if language == SHIPPED:
            with as_file(files(__package__).joinpath("data", "english-fluency.model")) as own:
                return _load(str(own), None)
        raise UsageError(
            f"There are no language models for {language!r}. Estimate them once, from texts in that language that are "
            f"not those you evaluate: {FluencyModels.made_by} TEXTS… -l {language}"
        )
    found = _load(str(place), file_state(place))
    if found.language != language:
        raise UsageError(f"{place} holds language models for {found.language!r}, and the outputs are in {language!r}.")
    return found


@lru_cache(maxsize=2)
def _load(path: str, state: object) -> FluencyModels:
    return FluencyModels.load(path)
