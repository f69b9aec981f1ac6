"""Read tables with human and metric scores, ratings and post-editing.

`read_published` reads every table with a column of systems. Tables with one row per rater and output have their own
readers. In WMT's tables, higher is better for every metric: error rates are given as 1 - error (TER, WER, PER, CDER of
WMT19) or as negative numbers (CharacTER, EED; TER of WMT20), and MQM is negative.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import DataError
from .field_checks import check_distinct
from .formats.columns import find, find_pair
from .formats.format import Contents
from .jsonl import read_items
from .judgements import Judgement, Judgements
from .names import bare_name
from .tables import HUMAN, Published, Table, number, read_table, same_number
from .testset import TestSet

# Columns that are not scores: numbers of judgements, line numbers, texts.
NO_SCORES = frozenset({"N", "N.ALL", "SID", "source", "reference", "mt", "postedit"})
MOLTEN = ("kind", "metric")  # tables with one row per system and kind or metric, and the number in "score"
THESIS_OFFSET = 1600  # 2001 to 2100 in thesis_ratings.tsv are 401 to 500 in segments.tsv (shown with the source)
OUTPUT = "mt"  # the name of the only system in data that give no name
_POST_EDITED = re.compile(
    r"(?:(?P<set>[^.]+)\.(?P<pair>[a-z]{2}-[a-z]{2})|(?P<pair2>[a-z]{2}-[a-z]{2})\.(?P<set2>[^.]+))"
    r"\.(?P<system>.+)_(?P<doc>doc-\d+)"
)


def read_published(path: str | Path, pair: str | None = None) -> list[Published]:
    """Read the human and metric scores of a table, for one language pair if it has several.

    The table is long (system, [seg], one column per score), molten (kind or metric, system, score), or wide (seg, one
    column per system, in a file called PAIR.METRIC.tsv). Columns listed in `tables.HUMAN` are human scores.
    """
    table = read_table(path)
    column = find_pair(table.header)
    if column is not None:
        table = table.of_pair(column, pair)
    system, segment = find(table.header, "system"), find(table.header, "segment")
    molten = next((name for name in MOLTEN if name in table.header), None)
    if system and molten and "score" in table.header:
        parts = {name: table.where(molten, name) for name in dict.fromkeys(table.column(molten))}
        return [
            Published(
                table.path, part.lines, part.column(system), None, {name: part.numbers_of("score")},
                frozenset({name} if molten == "kind" else ()),
            )
            for name, part in parts.items()
        ]  # fmt: skip
    if system is None:
        return [_wide(table)]
    keys = {system, segment, column, *NO_SCORES}
    columns = {name: table.numbers_of(name) for name in table.header if name not in keys}
    if not columns:
        raise DataError(f"{path}, line 1: no column with scores. Columns: {', '.join(table.header)}.")
    segments = table.column(segment) if segment else None
    people = frozenset(columns) & HUMAN.keys()
    return [Published(table.path, table.lines, table.column(system), segments, columns, people)]


def _wide(table: Table) -> Published:
    metric = bare_name(table.path, ".tsv").partition(".")[2]
    if not metric or table.header[0] != "seg":
        raise DataError(
            f"{table.path}, line 1: no column 'system'. Without it the file must be called PAIR.METRIC.tsv and have "
            f"'seg' and one column per system. Columns: {', '.join(table.header)}."
        )
    systems = table.header[1:]
    values = [value for system in systems for value in table.numbers_of(system)]
    rows = [system for system in systems for _ in table.rows]
    segments = table.column("seg") * len(systems)
    return Published(table.path, [*table.lines] * len(systems), rows, segments, {metric: values})


def from_blocks(
    path: Path,
    scores: Mapping[str, Sequence[float]],
    level: str,
    segments: Sequence[str],
    name: str,
    human: frozenset[str] = frozenset(),
) -> Published:
    """Return scores that are given by system, in the order of the segments (level "seg") or one each (level "sys")."""
    needed = len(segments) if level == "seg" else 1
    for system, numbers in scores.items():
        if len(numbers) != needed:
            raise DataError(
                f"{path}: {len(numbers)} scores of {system!r}, but at level {level} the data need {needed}."
            )
    systems = [system for system in scores for _ in range(needed)]
    names = [*segments] * len(scores) if level == "seg" else None
    values = [value for numbers in scores.values() for value in numbers]
    return Published(path, range(1, len(values) + 1), systems, names, {name: values}, human)


def read_item_scores(path: str | Path) -> Contents:
    """Read the scores in a file of the interchange format, which does not say whether higher is better."""
    testset, scores = read_items(path)
    systems, names = testset.systems, segment_names(testset)
    columns = {
        metric: [value for system in systems for value in values.get(system, [math.nan] * len(names))]
        for metric, values in scores.items()
    }
    rows = [system for system in systems for _ in names]
    lines, segments = [*range(1, len(names) + 1)] * len(systems), [*names] * len(systems)
    unknown: dict[str, bool | None] = dict.fromkeys(columns)
    return Contents(published=[Published(Path(path), lines, rows, segments, columns, higher_is_better=unknown)])


def segment_names(testset: TestSet) -> Sequence[str]:
    """Return the names of the segments: the label "seg" if the test set has it, else 1, 2, 3, …"""
    return testset.labels.get("seg") or [str(number) for number in range(1, len(testset) + 1)]


def joined(testsets: Sequence[TestSet]) -> TestSet | None:
    """Concatenate the parts of a set (training and test). Equal parts are taken once. Returns None for no parts."""
    parts = [part for count, part in enumerate(testsets) if part not in testsets[:count]]
    if len(parts) < 2:
        return parts[0] if parts else None
    first = parts[0]
    return TestSet(
        {name: [line for part in parts for line in part.outputs[name]] for name in first.outputs},
        {
            name: [line for part in parts for line in part.references[name]]
            for name in first.references
            if all(name in part.references for part in parts)
        },
        None if first.source is None else [line for part in parts for line in part.source or ()],
        labels={"seg": [name for part in parts for name in part.labels["seg"]]},
        pair=first.pair,
    )


def read_direct_assessments(path: str | Path, pair: str | None = None) -> Contents:
    """Read MLQE's tables: several raw scores per translation by unnamed raters, their means, and the model's score.

    Fomicheva et al. (2020), "Unsupervised Quality Estimation for Neural Machine Translation". Segments are called
    SPLIT:INDEX, as "train:0".
    """
    table = read_table(path)
    split = bare_name(path, ".tsv").rpartition(".")[2]
    segments = _segments(table, "index", split)
    rows = []
    for segment, (place, (scores,)) in zip(segments, table.records("scores"), strict=True):
        for value in _number_list(scores, place):
            rows.append(_checked(Judgement("da", segment, OUTPUT, value), 0, 100, place))
    names = {"DA_z": "z_mean", "DA_raw": "mean", "model_scores": "model_scores"}
    columns = {ours: table.numbers_of(name) for ours, name in names.items() if name in table.header}
    people = frozenset(columns) & HUMAN.keys()
    published = Published(table.path, table.lines, [OUTPUT] * len(segments), segments, columns, people)
    outputs, labels = {OUTPUT: table.column("translation")}, {"seg": segments}
    testset = TestSet(outputs, {}, table.column("original"), None, labels, pair, bare_name(path, ".tsv"))
    return Contents([Judgements(rows, pair=pair, name=split)], [published], testset)


def _segments(table: Table, column: str, split: str) -> list[str]:
    """Return the names of segments, SPLIT:NUMBER. Raises DataError for one that occurs twice."""
    names = [f"{split}:{number}" for number in table.column(column)]
    check_distinct(names, table.path)
    return names


def read_effort_scores(path: str | Path, pair: str | None = None) -> Contents:
    """Read WMT12's quality estimation data: post-editing effort by three raters, 1 to 5 (5: none), and its mean.

    Callison-Burch et al. (2012), "Findings of the 2012 Workshop on SMT". The weighted mean is the published gold
    standard; the weights are in the signature. Segments are called SPLIT:SEG, as "training:1".
    """
    table, split = read_table(path), bare_name(path, ".tsv")
    segments = _segments(table, "seg", split)
    scored = [name for name in table.header if re.fullmatch(r"score\d+", name)]
    rows = []
    for segment, (place, scores) in zip(segments, table.records(*scored), strict=True):
        for name, text in zip(scored, scores, strict=True):
            row = Judgement("likert", segment, OUTPUT, number(text, place), name.removeprefix("score"))
            rows.append(_checked(row, 1, 5, place))
    weights = {tuple(found) for _, found in table.records(*(name.replace("score", "weight") for name in scored))}
    signs = {"effort": f"weights:{'+'.join(weights.pop())}" if len(weights) == 1 else "weights:var"}
    columns = {"effort": table.numbers_of("effort")}
    outputs = [OUTPUT] * len(segments)
    published = Published(table.path, table.lines, outputs, segments, columns, frozenset(columns), signs=signs)
    references = {name: table.column(name) for name in ("reference", "postedit") if name in table.header}
    texts = {OUTPUT: table.column("mt")}, references, table.column("source")
    testset = TestSet(*texts, labels={"seg": segments}, pair=pair, name=split)
    return Contents([Judgements(rows, pair=pair, name=split)], [published], testset)


def post_edited_pairs(path: str | Path) -> list[str]:
    """Return the language pairs of a table of post-editing."""
    return sorted({_post_edited(name, place)[0] for place, (name,) in read_table(path).records("file_name")})


def read_post_editing(path: str | Path, pair: str | None = None) -> Contents:
    """Read a table of post-editing: HTER, seconds (the file has milliseconds), keystrokes (visible keys, erasures).

    Scarton et al. (2019), "Estimating post-editing effort", IWSLT. DA and the metrics are scores of outputs, repeated
    in the row of every post-editor. TER is an error rate here. The names of files hold test set, pair, system and
    document; segments are called TESTSET:DOCUMENT:LINE.
    """
    table = read_table(path)
    rows, lines = [], dict[tuple[str, str], int]()
    kept, values = [], {name: table.numbers_of(name) for name in ("DA", "TER", "BLEU", "METEOR")}
    names = ("file_name", "line_in_file", "who", "HTER", "time", "keystrokes")
    for count, (place, (file, line, who, hter, time, keys)) in enumerate(table.records(*names)):
        language_pair, testset, system, document = _post_edited(file, place)
        if pair not in (None, language_pair):
            continue
        segment = f"{testset}:{document}:{line}"
        seconds = number(time, place) / 1000
        measured = {"hter": number(hter, place), "seconds": seconds, "keystrokes": number(keys, place)}
        for kind, value in measured.items():
            rows.append(_checked(Judgement(kind, segment, system, value, who, seconds=seconds), 0, 1e9, place))
        first = lines.setdefault((system, segment), count)
        for name, column in values.items():
            if not same_number(column[first], column[count]):
                raise DataError(f"{place}: {name} of this output differs from its {name} in line {first + 2}.")
        if first == count:
            kept.append(count)
    columns = {name: [column[count] for count in kept] for name, column in values.items()}
    systems, segments = ([key[place] for key in lines] for place in (0, 1))
    published = Published(
        table.path, [count + 2 for count in kept], systems, segments, columns, frozenset({"DA"}), {"TER": False}
    )
    return Contents([Judgements(rows, pair=pair, name="post-editing")], [published])


def _post_edited(name: str, place: str) -> tuple[str, str, str, str]:
    match = _POST_EDITED.fullmatch(name)
    if not match:
        raise DataError(f"{place}: file_name {name!r} is not TESTSET.PAIR.SYSTEM_doc-N.")
    return match["pair"] or match["pair2"], match["set"] or match["set2"], match["system"], match["doc"]


def read_ratings_by_reference(path: str | Path, pair: str | None = None) -> Contents:
    """Read ratings of adequacy, 1 to 5, by judges who saw different references (Fomicheva 2017, chapter 6).

    `segments.tsv` in the same folder gives the output of each segment_id and the text shown with it. A batch is a
    reference, "1" to "4", or the source.
    """
    table = read_table(path)
    beside = next((name for name in ("segments.tsv", "segments.tsv.gz") if (Path(path).parent / name).is_file()), None)
    if beside is None:
        raise DataError(f"{path} needs segments.tsv in the same folder, with the text shown for each segment_id.")
    shown = read_table(Path(path).parent / beside)
    outputs = {identity: (mt, batch) for _, (identity, mt, batch) in shown.records("segment_id", "mt_id", "batch")}
    rows = []
    for place, (judge, identity, batch, rating) in table.records("judge", "segment_id", "batch", "rating"):
        if identity not in outputs and identity.isdecimal():
            identity = str(int(identity) - THESIS_OFFSET)
        if identity not in outputs:
            raise DataError(f"{place}: there is no segment_id {identity!r} in {shown.path}.")
        segment, showed = outputs[identity]
        if showed != batch:
            raise DataError(f"{place}: segment_id {identity!r} has batch {batch}, but {showed} in {shown.path}.")
        row = Judgement("adequacy", segment, OUTPUT, number(rating, place), judge, reference=batch)
        rows.append(_checked(row, 1, 5, place))
    return Contents([Judgements(rows, pair=pair, name=bare_name(path, ".tsv"))], testset=_shown_texts(shown, pair))


def _shown_texts(shown: Table, pair: str | None) -> TestSet:
    texts: dict[str, dict[str, str]] = {OUTPUT: {}}
    source = ""
    for place, (segment, batch, kind, mt, text) in shown.records("mt_id", "batch", "kind", "mt", "shown_text"):
        if texts[OUTPUT].setdefault(segment, mt) != mt:
            raise DataError(f"{place}: the output of mt_id {segment!r} differs from an earlier line.")
        if texts.setdefault(batch, {}).setdefault(segment, text) != text:
            raise DataError(f"{place}: the text of mt_id {segment!r} in batch {batch} differs from an earlier line.")
        source = batch if kind == "source" else source
    segments = list(texts[OUTPUT])
    ordered = {name: [lines.get(segment) for segment in segments] for name, lines in texts.items()}
    originals = [line or "" for line in ordered.pop(source)] if source else None
    return TestSet(
        {OUTPUT: list(texts.pop(OUTPUT).values())}, {name: ordered[name] for name in ordered if name != OUTPUT},
        originals, labels={"seg": segments}, pair=pair, name=shown.path.parent.name,
    )  # fmt: skip


def _checked(row: Judgement, low: float, high: float, place: str) -> Judgement:
    if not low <= row.value <= high:  # refuses NaN too: a missing judgement must be left out of the file
        raise DataError(f"{place}: {row.value:g} is out of range for {row.kind} ({low:g} to {high:g}).")
    return row


def _number_list(text: str, place: str) -> list[float]:
    try:
        values = json.loads(text)
        if isinstance(values, list) and all(type(value) in (int, float) for value in values):
            return [float(value) for value in values]
    except (ValueError, RecursionError, OverflowError):  # also for very long numbers and deep nesting
        pass
    raise DataError(f"{place}: scores {text[:40]!r} are not a list of numbers such as [70, 65].")
