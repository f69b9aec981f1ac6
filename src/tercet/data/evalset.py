"""The folder layout of mt-metrics-eval (an EvalSet), for one or several language pairs.

    sources/SRC-TGT.txt                        one segment per line
    documents/SRC-TGT.docs                     DOMAIN DOC per segment
    references/SRC-TGT.NAME.txt
    system-outputs/SRC-TGT/NAME.txt
    human-scores/SRC-TGT.NAME.LEVEL.score      SYSTEM SCORE per line, None where nobody judged
    metric-scores/SRC-TGT/METRIC-REF.LEVEL.score

LEVEL is sys, domain, doc or seg; REF is a reference, several joined by ".", or "src" for none. Scores come in blocks,
one per system, in the order of the segments. Human references may also be among the outputs.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, UnknownName, UsageError
from .field_checks import check_lines, chosen, file_in, further_labels, number
from .files import make_folder
from .lines import read_lines, write_lines
from .testset import TestSet

LEVELS = ("sys", "domain", "doc", "seg")
NO_DOMAIN = "-"  # the first column of documents without a domain


class ScoreFile(NamedTuple):
    """Scores by system, NaN for none. name: METRIC-REFERENCE or a kind of human score; level: one of LEVELS."""

    path: Path
    name: str
    level: str
    scores: Mapping[str, Sequence[float]]


def is_evalset(folder: str | Path) -> bool:
    """Return whether a folder looks like an EvalSet."""
    return (Path(folder) / "sources").is_dir() and (Path(folder) / "system-outputs").is_dir()


def pairs(folder: str | Path) -> list[str]:
    """Return the language pairs of an EvalSet."""
    return sorted(path.name.removesuffix(".txt") for path in (Path(folder) / "sources").glob("*.txt"))


def read_evalset(folder: str | Path, pair: str, *, systems: Iterable[str] | None = None) -> TestSet:
    """Read the texts of one language pair, of all systems unless some are named."""
    folder = Path(folder)
    known = pairs(folder)
    if pair not in known:
        raise UnknownName(f"language pair in {folder}", pair, known)
    texts, references = _texts(folder / "system-outputs" / pair), _texts(folder / "references", f"{pair}.")
    documents, labels = _documents(folder / "documents" / f"{pair}.docs")
    return TestSet(
        {name: read_lines(texts[name]) for name in chosen(texts, systems)},
        {name: read_lines(path) for name, path in references.items()},
        read_lines(folder / "sources" / f"{pair}.txt"),
        documents,
        labels,
        pair=pair,
        name=folder.resolve().name,
    )


def _texts(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return the text files of a folder whose names begin so, by the rest of the name."""
    paths = sorted(folder.glob(f"{prefix}*.txt"))
    return {path.name.removeprefix(prefix).removesuffix(".txt"): path for path in paths}


def _documents(path: Path) -> tuple[list[str] | None, dict[str, list[str]]]:
    if not path.exists():
        return None, {}
    rows = [line.split() for line in read_lines(path)]
    for line, row in enumerate(rows, 1):
        if len(row) != 2:
            raise DataError(f"{path}, line {line}: {len(row)} words; DOMAIN and DOCUMENT are needed.")
    domains = [domain for domain, _ in rows]
    return [document for _, document in rows], {} if set(domains) <= {NO_DOMAIN} else {"domain": domains}


def read_score_file(path: str | Path) -> dict[str, list[float]]:
    """Read a file of `SYSTEM SCORE` lines. Returns system -> its numbers in order, NaN for None."""
    scores: dict[str, list[float]] = {}
    last, first_line = None, dict[str, int]()
    for line_number, line in enumerate(read_lines(path), 1):
        place = f"{path}, line {line_number}"
        fields = line.split()
        if len(fields) != 2:
            raise DataError(f"{place}: {len(fields)} words; a system and its score are needed.")
        system, value = fields
        if system != last and system in scores:
            raise DataError(
                f"{place}: system {system!r} again, after line {first_line[system]}. Remove one of the two, or put all "
                "scores of a system in consecutive lines, one per segment."
            )
        last = system
        first_line.setdefault(system, line_number)
        scores.setdefault(system, []).append(number(value, place))
    if not scores:
        raise DataError(f"{path} is empty.")
    first = next(iter(scores))
    if odd := next((system for system in scores if len(scores[system]) != len(scores[first])), None):
        raise DataError(
            f"{path}: {len(scores[first])} scores of {first!r} (from line {first_line[first]}), {len(scores[odd])} of "
            f"{odd!r} (from line {first_line[odd]}). All systems need the same number of scores."
        )
    return scores


def read_human_scores(folder: str | Path, pair: str) -> list[ScoreFile]:
    """Read all human scores of a language pair."""
    found = []
    for path in sorted((Path(folder) / "human-scores").glob(f"{pair}.*.score")):
        name, _, level = path.name.removeprefix(f"{pair}.").removesuffix(".score").rpartition(".")
        if level in LEVELS and name:
            found.append(ScoreFile(path, name, level, read_score_file(path)))
    return found


def read_metric_scores(folder: str | Path, pair: str) -> list[ScoreFile]:
    """Read all metric scores of a language pair."""
    found = []
    for path in sorted((Path(folder) / "metric-scores" / pair).glob("*.score")):
        name, _, level = path.name.removesuffix(".score").rpartition(".")
        if level not in LEVELS or not name.rpartition("-")[0]:
            raise DataError(
                f"{path} must be called METRIC-REFERENCE.LEVEL.score, where LEVEL is one of {', '.join(LEVELS)}."
            )
        found.append(ScoreFile(path, name, level, read_score_file(path)))
    return found


def write_evalset(testset: TestSet, folder: str | Path) -> None:
    """Write the texts of a test set into an EvalSet folder, which may already hold other language pairs."""
    folder = Path(folder)
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
    checked = {path: check_lines(lines, path.name, starts_file=True) for path, lines in files.items()}
    for path, lines in checked.items():
        make_folder(path.parent)
        write_lines(path, lines)


def _word(text: str) -> str:
    if text.split() != [text]:
        raise DataError(
            f"{text!r} cannot be written in an EvalSet: names of domains, documents and systems must be one word."
        )
    return text
