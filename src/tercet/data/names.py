"""Name texts after their files, and find a text by its name or its file."""

from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

from ..errors import UnknownName, UsageError

ENDINGS = (".txt", ".text", ".out", ".hyp")  # of plain text; with the following, if it is compressed
_COMPRESSED = (".gz", ".bz2", ".xz")


def split_name(text: str | Path) -> tuple[str | None, str | Path]:
    """Split NAME=FILE into its two parts; a file that exists under the whole spelling has no other name."""
    name, equals, path = str(text).partition("=")
    if not equals or not name or not path or Path(text).exists():
        return None, text
    return name, path


def bare_name(path: str | Path, *endings: str) -> str:
    """Return the name of a file without .gz, and then without these endings."""
    name = Path(path).name.removesuffix(".gz")
    for ending in endings:
        name = name.removesuffix(ending)
    return name


def without_ending(name: str) -> str:
    """Return the name of a file without the ending of a plain text: "a" for a.txt and a.txt.gz."""
    plain = next((name.removesuffix(each) for each in _COMPRESSED if name.endswith(each)), name)
    found = next((plain.removesuffix(each) for each in ENDINGS if plain.endswith(each)), name)
    return found if Path(found).name.strip(".") and not found.endswith("/") else name


def unique_names(texts: Sequence[str | Path], *, taken: Collection[str] = ()) -> dict[str, str | Path]:
    """Return files by name: the NAME of NAME=FILE, or the file's name without folder and ".txt".

    A name keeps its ending, or as much of the folder, as tells it from others and from those that are taken. A file
    that is given twice is numbered.
    """
    split = [split_name(text) for text in texts]
    given = [name for name, _ in split if name is not None]
    if len(set(given)) < len(given):
        raise UsageError(f"The name {next(name for name in given if given.count(name) > 1)!r} is given twice.")
    unnamed = iter(_unique_names([path for name, path in split if name is None], [*given, *taken]))
    return {name or next(unnamed): path for name, path in split}


def _unique_names(paths: Sequence[str | Path], given: Sequence[str]) -> list[str]:
    parts = [Path(path).parts or (str(path),) if path != "-" else ("stdin",) for path in paths]
    whole = []
    for mine in parts:
        length = 1
        rivals = [other for other in parts if other != mine and other[-1] == mine[-1]]
        while any(other[-length:] == mine[-length:] for other in rivals) and length < len(mine):
            length += 1
        whole.append(str(Path(*mine[-length:])))
    short = [without_ending(name) for name in whole]
    plain = {name: {full for full, each in zip(whole, short, strict=True) if each == name} for name in short}
    names = [
        each if each not in given and each not in whole and len(plain[each]) == 1 else full
        for full, each in zip(whole, short, strict=True)
    ]
    named: list[str] = []
    for name in names:
        numbered = chain([name], (f"{name}#{number}" for number in range(2, len(names) + len(given) + 2)))
        named.append(next(each for each in numbered if each not in named and each not in given))
    return named


def same_name(asked: str, names: Collection[str]) -> str | None:
    """Return the one of the names that a text is called by: itself, or the only one whose file is called so.

    "out/a.txt" is found as "a", and "a" as "out/a.txt" or "a.xlf".
    """
    if asked in names:
        return asked
    stem = Path(asked).stem
    for form in (without_ending, lambda name: without_ending(Path(name).name)):
        if alike := [name for name in names if form(name) == form(asked)]:
            return alike[0] if len(alike) == 1 else None
    alike = [name for name in names if asked == Path(name).stem or name == stem]
    return alike[0] if len(alike) == 1 else None


def find_name(asked: str, names: Collection[str], kind: str = "system") -> str:
    """Return the name of the text that is asked for by name or file. Raises UnknownName if there is none."""
    if (found := same_name(asked, names)) is None:
        raise UnknownName(kind, without_ending(asked), names)
    return found
