"""Write the texts and the scores of an EvalSet."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from tercet.data.evalset import NO_DOMAIN
from tercet.data.files import make_folder, writing
from tercet.data.lines import write_lines
from tercet.data.testset import TestSet
from tercet.errors import DataError, UsageError

from .checks import check_lines, file_in, further_labels


def write_evalset(testset: TestSet, folder: str | Path) -> None:
    """Write the texts of a test set into an EvalSet folder, which may already hold other language pairs."""
    folder = Path(folder)
    files = _texts(testset, folder)
    checked = {path: check_lines(lines, path.name, starts_file=True) for path, lines in files.items()}
    for path, lines in checked.items():
        make_folder(path.parent)
        write_lines(path, lines)


def _texts(testset: TestSet, folder: Path) -> dict[Path, Sequence[str | None]]:
    if not testset.pair or testset.source is None:
        raise UsageError(f"An EvalSet needs a language pair and a source; test set {testset.name!r} lacks one.")
    further_labels(testset, ("domain",), folder)
    pair = testset.pair
    files: dict[Path, Sequence[str | None]] = {file_in(folder / "sources", f"{pair}.txt"): testset.source}
    for name, lines in testset.references.items():
        if "-" in name or "." in name:
            raise DataError(f"Reference {name!r}: in an EvalSet, names of references may not contain '-' or '.'.")
        files[file_in(folder / "references", f"{pair}.{name}.txt")] = lines
    for name, lines in testset.outputs.items():
        files[file_in(folder / "system-outputs" / pair, f"{name}.txt")] = lines
    domains = testset.labels.get("domain")
    if testset.documents is not None:
        files[folder / "documents" / f"{pair}.docs"] = [
            f"{_word(domain)} {_word(document)}"
            for domain, document in zip(domains or [NO_DOMAIN] * len(testset), testset.documents, strict=True)
        ]
        if domains and set(domains) == {NO_DOMAIN}:
            raise DataError(f"Test set {testset.name!r}: the domain {NO_DOMAIN!r} means no domain in an EvalSet.")
    elif domains:
        raise DataError(f"Test set {testset.name!r} has domains but no documents. An EvalSet needs both or neither.")
    return files


def _word(text: str) -> str:
    if not text or len(text.split()) != 1 or text.split()[0] != text:
        raise DataError(
            f"{text!r} cannot be written in an EvalSet: names of domains, documents and systems must be one word."
        )
    return text


def write_score_file(path: str | Path, scores: Mapping[str, Sequence[float]]) -> None:
    """Write `SYSTEM<tab>SCORE` lines in blocks by system. NaN becomes None. Numbers are written without loss."""
    lengths = {len(values) for values in scores.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise DataError(f"{path}: every system needs the same number of scores, at least one.")
    with writing(path) as stream:
        for system, values in scores.items():
            _word(system)
            check_lines([system], "A system's name", starts_file=True)
            for value in values:
                number = float(value)
                stream.write(f"{system}\t{'None' if math.isnan(number) else repr(number)}\n")
