"""Copying what a user adds as a data set, and refusing what cannot be one."""

import os
import shutil
from pathlib import Path

from ..errors import DataError, UsageError
from .archives import is_archive
from .layouts import ENDINGS, pairs
from .paraphrase_files import is_paraphrases


def check_source(source: Path, place: Path) -> None:
    """Raise UsageError for a path that is neither a folder nor an archive nor a file that can be added to `place`."""
    try:
        source.resolve(strict=True)
    except (OSError, RuntimeError):  # missing, or a link to itself
        raise UsageError(f"{source} does not exist.") from None
    if source.is_dir():
        if place.resolve().is_relative_to(source.resolve()):
            raise UsageError(f"{source} contains the data folder {place} itself and cannot be copied into it.")
    elif not source.is_file() or not (
        is_archive(source)
        or source.name.removesuffix(".gz").endswith(ENDINGS)
        or is_paraphrases(source)
        or _is_sentencepiece(source)
    ):
        raise UsageError(
            f"{source} is neither a folder nor an archive (.zip, .tar.gz, .tgz, .tar) "
            f"nor a file of a known layout ({', '.join(ENDINGS)}, each also with .gz) "
            "nor a table of paraphrases (METEOR's, PPDB's, or pairs separated by a tab) nor a SentencePiece model."
        )


def copy(source: Path, target: Path) -> None:
    """Copy a folder, or a single file into a new folder."""
    try:
        if source.is_dir():
            for root, folders, _ in os.walk(source):  # copying a folder that contains itself would never end
                for link in (Path(root, name) for name in folders):
                    if link.is_symlink() and link.parent.resolve().is_relative_to(link.resolve()):
                        raise UsageError(f"{link} is a link to a folder that contains it. Nothing was added.")
            shutil.copytree(source, target, copy_function=shutil.copyfile)
        else:
            target.mkdir()
            shutil.copyfile(source, target / source.name)
    except shutil.Error as error:
        name, _, reason = error.args[0][0]
        raise UsageError(f"{name} cannot be copied: {reason}. Nothing was added.") from None
    except OSError as error:
        raise UsageError(f"{source} cannot be copied: {error.strerror or error}. Nothing was added.") from None


def check_file(source: Path, target: Path) -> None:
    """Raise UsageError if the only file of a folder is no test set, table of paraphrases or SentencePiece model."""
    try:
        pairs(target)
    except DataError:
        if not is_paraphrases(source) and not _is_sentencepiece(source):
            raise UsageError(
                f"{source} was not recognised as a test set by its name, or it is damaged. Nothing was added. "
                "Name it after its language pair, as en-de.jsonl or en-de.tsv, or add the folder with all its files."
            ) from None


def _is_sentencepiece(path: Path) -> bool:
    """Return whether a file begins like a SentencePiece model: the first piece, and soon the unknown one."""
    with path.open("rb") as stream:
        start = stream.read(512)
    return start[:1] == start[2:3] == b"\n" and b"<unk>" in start
