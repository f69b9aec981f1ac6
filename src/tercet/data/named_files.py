"""Files that a user names by a path, or by a data set that has been added (`tercet data add`)."""

from __future__ import annotations

from pathlib import Path

from ..errors import UnknownName, UsageError
from .catalogue import data_folder, is_name, where


def find_file(given: str, *, what: str, content: str, folder: str | Path | None = None) -> Path:
    """Return the path of a file, given as a path, a data set NAME, or NAME/FILE if the data set has several files.

    what, content: what messages call the file, and what it contains.
    folder: the folder of data sets; by default the user's (`data_folder`).
    """
    try:
        if Path(given).is_file():
            return Path(given)
    except (OSError, ValueError):  # too long for a path, and so for a name
        raise UsageError(f"{given[:200]!r} is not a valid path of a {what}.") from None
    return file_of_dataset(given, what=what, content=content, folder=folder)


def file_of_dataset(given: str, *, what: str, content: str, folder: str | Path | None = None) -> Path:
    """Return the path of a file that is given as a data set NAME or NAME/FILE."""
    name, _, inside = given.partition("/")
    place = data_folder() if folder is None else Path(folder)
    if not is_name(name, place):
        raise UsageError(
            f"There is no {what} {given}, neither a file nor a data set. "
            f"Add a {what.rpartition(' ')[2]} that you have: tercet data add FILE {Path(given).name or 'NAME'}."
        )
    root = where(name, place)
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    if inside and inside not in files:
        raise UnknownName(f"file in data set {name!r}", inside, files)
    if not inside and len(files) != 1:
        shown = ", ".join(f"{name}/{file}" for file in files[:5]) + (", …" if len(files) > 5 else "")
        raise UsageError(f"Data set {name!r} has {len(files)} files. Name the one with {content}: {shown}.")
    return root / (inside or files[0])
