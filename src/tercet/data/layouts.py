"""Recognise the layout of a file or folder and read the test set in it.

Files: JSONL, TSV, SGM, WMT XML, and the bilingual files of `data.bilingual`, recognised by their ending (also with
.gz). Folders: an EvalSet of mt-metrics-eval; PAIR.segments.tsv + PAIR.outputs.tsv; PAIR.jsonl; PAIR.tsv; WMT XML files;
SGM files, also in subfolders.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from ..errors import DataError, UnknownName, UsageError
from . import bilingual, evalset, tsv
from .field_checks import choose_pair
from .formats import TEXTS, recognise
from .formats.format import Request, first_lines
from .formats.names import PAIR, pair_of_name
from .formats.texts import sgm_pair
from .grouping import grouped
from .names import bare_name
from .sgm import read_sgm
from .testset import TestSet
from .wmtxml import language_pair

ENDINGS = tuple(dict.fromkeys((".jsonl", ".tsv", ".sgm", ".sgml", ".xml", *bilingual.ENDINGS)))
LOOKED_FOR = (
    "an EvalSet (sources/, system-outputs/), PAIR.segments.tsv with PAIR.outputs.tsv, PAIR.jsonl, PAIR.tsv, "
    "WMT XML files, SGM files"
)
_NO_PAIR = "{} names its language pair neither in the file name nor in the text. Rename it to include the pair."

Opener = Callable[..., TestSet]  # takes `systems`, the names of those to read or None


def open_testset(
    path: str | Path,
    pair: str | None = None,
    systems: Iterable[str] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    cache: Path | None = None,
) -> TestSet:
    """Read the test set of one pair from a file, a folder, or a data set in `cache`. columns: of a table by role."""
    place = resolved(path, cache)
    if columns and (place.is_dir() or bilingual.format_of(place) is None):
        raise UsageError(f"{place} has no columns; `columns` is for .csv, .tsv and .xlsx files.")
    if place.is_dir():
        known = _folder(place)
        return known[choose_pair(known, pair, place, " with `pair`")](systems=systems)
    testset = _file(place, pair, systems, columns)
    if pair and testset.pair != pair:
        raise UnknownName(f"language pair in {place}", pair, [testset.pair] if testset.pair else [])
    return testset


def read(
    path: str | Path,
    pair: str | None = None,
    systems: Iterable[str] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
) -> TestSet:
    """Read a test set: a file or folder of a known layout, or the name of a data set (`tercet data list`).

    Parameters
    ----------
    path : JSONL, TSV, CSV, XLSX, XLIFF, TMX, PO, SGM or WMT XML file; a folder of such files, or of mt-metrics-eval; or
        a data set's name.
    pair : the language pair, such as "en-de", where there are several.
    systems : the names of the systems to read; all by default.
    columns : for tables, the column of each role: {"source": "English", "output": "German"}.

    Returns
    -------
    TestSet

    Examples
    --------
    >>> import tercet, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "small.jsonl").write_text('{"src": "Hallo", "ref": "Hello", "tgt": {"a": "Hi"}}')
    >>> tercet.read(folder / "small.jsonl").outputs["a"]
    ('Hi',)
    """
    from .catalogue import data_folder

    return open_testset(path, pair, systems, columns=columns, cache=data_folder())


def pairs(path: str | Path, *, cache: Path | None = None) -> list[str]:
    """Return the language pairs of a file or folder of a known layout."""
    place = resolved(path, cache)
    if place.is_dir():
        return sorted(_folder(place))
    found = _file(place).pair
    return [found] if found else []


def resolved(path: str | Path, cache: Path | None = None) -> Path:
    """Return the path if it exists, or else that of the data set of this name. Raises UsageError if there is none."""
    place = Path(path)
    if place.exists():
        return place
    if cache is not None:
        from . import catalogue

        if catalogue.is_name(str(path), cache):
            return catalogue.where(str(path), cache)
    hint = "" if cache is None else " Nor is it a data set of the catalogue ('tercet data list')."
    raise UsageError(f"There is no file or folder {path}.{hint}")


def _file(
    path: Path, pair: str | None = None, systems: Iterable[str] | None = None, columns: Mapping[str, str] | None = None
) -> TestSet:
    request = Request(pair, None if systems is None else list(systems), columns or {})
    found = recognise(path, (TEXTS,), request)
    if found is None:
        raise UsageError(
            f"{path} has an unknown ending. Known endings: {', '.join(ENDINGS)}, each also with .gz. "
            "Plain texts are given as references and outputs (TestSet.read)."
        )
    testset = found.read().testset
    assert testset is not None
    return testset


def _folder(folder: Path) -> dict[str, Opener]:
    """Return a function for each language pair that reads its texts. Raises DataError if a pair occurs twice."""
    known: dict[str, tuple[str, Opener]] = {}
    try:
        for layout, find in LAYOUTS.items():
            if find is find_sgm and known:
                continue  # SGM files are searched in all subfolders, which may be many
            for pair, opener in find(folder).items():
                if pair in known:
                    other = known[pair][0]
                    raise DataError(
                        f"{folder} holds {pair} twice: as {other} and as {layout}. Give the file, not the folder."
                    )
                known[pair] = (layout, opener)
        if not known:
            texts: list[Callable[[Path], object]] = [evalset.is_evalset, tsv.pairs, partial(_tables, ending=".jsonl")]
            folders = [each for each in sorted(folder.iterdir()) if each.is_dir()]
            inside = [each.name for each in folders if any(find(each) for find in texts)]
            hint = f" These subfolders have one: {', '.join(inside)}." if inside else ""
            raise DataError(f"No test set was recognised in {folder}. Looked for: {LOOKED_FOR}.{hint}")
    except PermissionError as error:
        raise UsageError(f"{error.filename} cannot be read: permission denied.") from None
    return {pair: opener for pair, (_, opener) in known.items()}


def _files(folder: Path, *endings: str) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.iterdir()):
        if (name := bare_name(path)).endswith(endings) and path.is_file():
            yield path, name


def _tables(folder: Path, ending: str) -> dict[str, Opener]:
    """Return a reader for each file called PAIR + ending."""
    found: dict[str, Opener] = {}
    for path, name in _files(folder, ending):
        pair = name.removesuffix(ending)
        if PAIR.fullmatch(pair):
            if pair in found:
                raise DataError(f"{folder} has both {pair}{ending} and {pair}{ending}.gz. Remove one.")
            found[pair] = partial(_read_file, path, pair)
    return found


def _read_file(path: Path, pair: str, systems: Iterable[str] | None) -> TestSet:
    testset = _file(path, pair, systems)
    if testset.pair != pair:
        raise DataError(f"{path} holds the language pair {testset.pair}, but its name has {pair}.")
    return testset


def _xml(folder: Path) -> dict[str, Opener]:
    found: dict[str, Path] = {}
    for path, name in _files(folder, ".xml"):
        pair = pair_of_name(name)
        if pair is None and not any("<dataset" in line for line in first_lines(path, 20)):
            continue  # another kind of XML, such as a report of tests
        pair = pair or language_pair(path)
        if pair is None:
            raise DataError(_NO_PAIR.format(path))
        if pair in found:
            names = f"{found[pair].name} and {path.name}"
            raise DataError(f"{folder} has two XML files of {pair}: {names}. Give one of them.")
        found[pair] = path
    return {pair: partial(_read_file, path, pair) for pair, path in found.items()}


def find_sgm(folder: Path) -> dict[str, Opener]:
    """Return a reader for each language pair of the SGM files in a folder and its subfolders."""
    files = sorted(path for path in folder.rglob("*") if bare_name(path).endswith((".sgm", ".sgml")) and path.is_file())
    known = [(path, *sgm_pair(path)) for path in files]
    if unnamed := [path for path, pair, source in known if pair is None and source is None]:
        raise DataError(_NO_PAIR.format(unnamed[0]))
    by_pair = grouped((pair, path) for path, pair, _ in known if pair is not None)
    for pair, members in by_pair.items():  # and source texts that do not name the target language
        members += [path for path, whole, source in known if whole is None and source == pair.split("-")[0]]
    return {pair: partial(read_sgm, members, pair=pair) for pair, members in by_pair.items()}


LAYOUTS: dict[str, Callable[[Path], dict[str, Opener]]] = {
    "an EvalSet": lambda folder: {
        pair: partial(evalset.read_evalset, folder, pair)
        for pair in (evalset.pairs(folder) if evalset.is_evalset(folder) else ())
    },
    "PAIR.segments.tsv and PAIR.outputs.tsv": lambda folder: {
        pair: partial(tsv.read_pair, folder, pair) for pair in tsv.pairs(folder)
    },
    "PAIR.jsonl": partial(_tables, ending=".jsonl"),
    "PAIR.tsv": partial(_tables, ending=".tsv"),
    "an XML file": _xml,
    "SGM files": find_sgm,
}
