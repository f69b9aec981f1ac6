"""Models that are kept in files of the one format (`data.model_file`): quality, learned metrics, fluency."""

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

from ..data.model_file import ModelFile, read_model, write_model
from ..errors import DataError


class StoredModel(ABC):
    """A model kept in a file; equal models have equal checksums and bytes. made_by: the command that makes it."""

    kind: ClassVar[str]
    made_by: ClassVar[str]

    @abstractmethod
    def to_file(self) -> ModelFile:
        """Return the model as the content of a file."""

    @classmethod
    @abstractmethod
    def from_file(cls, content: ModelFile) -> Self:
        """Return the model that `to_file` gave. Raises DataError, or any error of wrong types and names."""

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of all that the model holds."""
        return self.to_file().checksum

    def save(self, path: str | Path) -> None:
        write_model(self.to_file(), path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model from a file. Raises DataError if the file is not a model, was changed, or is too new or old."""
        content = read_model(path, cls.kind, made_by=cls.made_by)
        try:
            found = cls.from_file(content)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            raise DataError(f"{path} is not a model that this version of Tercet can use: {error!r}.") from None
        found.__dict__["checksum"] = content.checksum  # so that nothing is encoded again
        return found
