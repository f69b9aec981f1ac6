"""Export raters' answers to files: our own tables, WMT's tables, and Google's MQM table.

tsv, csv: one row per judgement, control items included, with all columns of `data.own_judgements`. jsonl: the same as
`Judgements`. wmt: for scores, WMT's table of means (SYS, SEGID, RAW.SCR, Z.SCR, N; standardised by rater over all of a
rater's judgements); for rankings, lp, seg, judge, duration_s, systems, ranks. mqm: Google's table of marked errors
(Freitag et al. 2021), one row per error, with the error between <v> and </v>. wmt and mqm have no control items.
"""

import csv
import io
import json
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from ..data.field_checks import check_text
from ..data.files import writing, writing_bytes
from ..data.grouping import grouped
from ..data.judgements import Judgements
from ..data.mqm import CLOSE, COLUMNS, NO_ERROR, OPEN
from ..data.own_judgements import COLUMNS as RATED
from ..data.own_judgements import spans_text, text_of, write_judgements
from ..data.workbook import write_xlsx
from ..errors import DataError, UnknownName, UsageError
from .answers import AnswerRow, Rated, ratings_of
from .campaign import Campaign
from .control import without_checks
from .gold import means, standardise
from .results import COLUMNS as TEXT_COLUMNS
from .results import judged_texts

log = logging.getLogger(__name__)

FORMS = ("tsv", "csv", "jsonl", "wmt", "mqm")
TEXT_FORMS = ("tsv", "json", "xlsx")
SCORES = ("da", "esa")


def export(
    campaign: Campaign,
    rows: Iterable[AnswerRow | Sequence[object]],
    path: str | Path,
    *,
    form: str | None = None,
    revisions: Literal["last", "all"] = "last",
) -> int:
    """Write stored answers to a file and return the number of judgements. form: one of FORMS, or the ending's."""
    suffix = Path(str(path).removesuffix(".gz")).suffix
    form = form or {".csv": "csv", ".jsonl": "jsonl"}.get(suffix, "tsv")
    if form not in FORMS:
        raise UnknownName("format of ratings", form, FORMS)
    if revisions == "all" and form in ("wmt", "mqm"):
        raise UsageError(f"The format {form} cannot hold earlier answers. Use tsv, csv or jsonl.")
    rated = ratings_of(campaign, rows, revisions=revisions)
    if not rated:
        raise DataError(f"Campaign {campaign.name!r} has no judgements yet.")
    if form == "jsonl":
        write_judgements(_judgements(campaign, rated), path)
        return len(rated)
    if form in ("wmt", "mqm"):
        rated = _without_checks(rated) if form == "mqm" or campaign.how.ranks else rated
    makers = {"tsv": _table, "csv": _table, "wmt": _wmt, "mqm": _mqm}
    lines = list(makers[form](campaign, rated))
    with writing(path) as stream:
        if form == "csv":
            csv.writer(stream, lineterminator="\n").writerows(lines)
        else:
            stream.writelines("\t".join(fields) + "\n" for fields in lines)
    return len(rated)


def _judgements(campaign: Campaign, rated: Sequence[Rated]) -> Judgements:
    return Judgements([row.judgement for row in rated], campaign.pair or None, campaign.name)


def _without_checks(rated: Sequence[Rated]) -> list[Rated]:
    kept = [row for row in rated if not row.item.check]
    if len(kept) < len(rated):
        log.warning("Left out: %d judgements of control items.", len(rated) - len(kept))
    if not kept:
        raise DataError("There are only judgements of control items, and this format has none of them.")
    return kept


def _table(campaign: Campaign, rated: Sequence[Rated]) -> Iterator[Sequence[str]]:
    yield RATED
    for row in rated:
        own, item = row.judgement, row.item
        yield (own.rater, item.id, own.segment, own.system, own.kind, text_of(own.value), own.reference,
               text_of(own.seconds), row.row.when, own.check, row.group, item.document, str(row.revision),
               spans_text(own), campaign.pair, campaign.name)  # fmt: skip


def _wmt(campaign: Campaign, rated: Sequence[Rated]) -> Iterator[Sequence[str]]:
    if campaign.how.ranks:
        yield from _wmt_rankings(campaign, rated)
        return
    if campaign.how.kind not in SCORES:
        raise UsageError(f"WMT's table is for scores from 0 to 100 and rankings, not for {campaign.protocol}. Use tsv.")
    judgements = _judgements(campaign, [row for row in rated if row.item.check != "tutorial"])
    # As WMT does: standardise over all items of a rater except the tutorial, then leave out control items.
    standard = without_checks(standardise(judgements)).kept
    plain, report = without_checks(judgements)
    if report.items:
        log.warning("Left out: %d judgements of control items.", sum(report.items.values()))
    raw = means(plain)
    z = means(standard, raw.segments)
    yield "SYS", "SEGID", "RAW.SCR", "Z.SCR", "N"
    for place, system in enumerate(raw.systems):
        for number, segment in enumerate(raw.segments):
            if raw.counts[number, place]:
                mine = z.values[number, z.systems.index(system)] if system in z.systems else math.nan
                values = [text_of(float(value)) or "NA" for value in (raw.values[number, place], mine)]
                yield system, segment, *values, str(raw.counts[number, place])


def _wmt_rankings(campaign: Campaign, rated: Sequence[Rated]) -> Iterator[Sequence[str]]:
    if not campaign.pair:
        raise UsageError("WMT's table of rankings needs a language pair, and the campaign has none.")
    tasks = grouped(((row.row.rater, row.item.id), row) for row in rated)
    yield "lp", "seg", "judge", "duration_s", "systems", "ranks"
    for (rater, _), group in tasks.items():
        systems = [row.judgement.system for row in group]
        for system in systems:
            if "|" in system or "," in system:
                raise DataError(f"System {system!r}: WMT's table of rankings allows no | or , in names. Use tsv.")
        seconds = text_of(group[0].row.seconds) or "NA"
        ranks = "|".join(text_of(row.judgement.value) for row in group)
        yield campaign.pair, group[0].item.segment, rater, seconds, "|".join(systems), ranks


def _mqm(campaign: Campaign, rated: Sequence[Rated]) -> Iterator[Sequence[str]]:
    if not campaign.how.spans:
        raise UsageError(f"The format mqm is for marked errors, and {campaign.protocol} has none.")
    yield COLUMNS
    for row in rated:
        item = row.item
        source, target = item.source or "", item.text_of(row.judgement.system)
        for text in (source, target):
            check_text(text, f"Item {item.id!r}", forbidden="\n\t\0")
            if OPEN in text or CLOSE in text:
                raise DataError(f"Item {item.id!r} contains {OPEN} or {CLOSE}, which mark errors in mqm. Use tsv.")
        head = (row.judgement.system, item.document or campaign.name, item.segment, item.segment, row.row.rater)
        if not row.judgement.spans:
            yield *head, source, target, NO_ERROR, NO_ERROR
        for span in row.judgement.spans or ():
            texts = [source, target]
            if span.start is not None and span.end is not None:
                place = 0 if span.in_source else 1
                text = texts[place]
                texts[place] = text[: span.start] + OPEN + text[span.start : span.end] + CLOSE + text[span.end :]
            yield *head, *texts, span.category, span.severity


def export_texts(
    campaign: Campaign, rows: Iterable[AnswerRow | Sequence[object]], path: str | Path, *, form: str | None = None
) -> int:
    """Write one row per judgement with its texts, and return their number. form: tsv, json, xlsx; or by the ending."""
    form = form or {".json": "json", ".xlsx": "xlsx"}.get(Path(path).suffix, "tsv")
    records = judged_texts(campaign, rows)
    if not records:
        raise DataError(f"Campaign {campaign.name!r} has no judgements yet.")
    with writing_bytes(path) as stream:
        stream.write(texts_as(form, records, campaign.name))
    return len(records)


def texts_as(form: str, records: Sequence[Mapping[str, str]], name: str) -> bytes:
    """Return judgements with their texts as a file: tsv (quoted as spreadsheets do), json or xlsx."""
    if form not in TEXT_FORMS:
        raise UnknownName("format of judgements with texts", form, TEXT_FORMS)
    if form == "json":
        return json.dumps(records, ensure_ascii=False, indent=1).encode() + b"\n"
    rows = [list(record.values()) for record in records]
    if form == "xlsx":
        workbook = io.BytesIO()
        write_xlsx(workbook, TEXT_COLUMNS, rows, sheet=name)
        return workbook.getvalue()
    table = io.StringIO(newline="")
    csv.writer(table, delimiter="\t", lineterminator="\n").writerows([TEXT_COLUMNS, *rows])
    return table.getvalue().encode()
