"""The JSON form of raters' answers: checking them, and converting them to `Judgements`.

    {"value": 4}                                            adequacy, fluency, da, effort
    {"ranks": {"sys1": 1, "sys2": 2, "sys3": 2}}            ranking, pairwise; 1 is best, ties share a rank
    {"spans": [[{"start": 3, "end": 9, "severity": "Major", "category": "Accuracy/Omission", "in_source": false}]],
     "value": 71}                                           mqm (value null), esa; one list of spans per output

start and end are counted in code points of the output, or of the source if `in_source` is true. An omission that is
marked nowhere has null for both.

Also the JSON messages between the rating page and the server: pages identify outputs by position and never by system,
and get no hint that an item is a control item.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..data.judgements import Judgement, Judgements, Span
from ..errors import DataError, UnknownName
from .campaign import Campaign, Item, Rater, hashed

RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa glk he iw ks mzn nqo pnb prs ps sd sdh syr ug ur yi".split())
LONGEST = 24 * 3600.0  # seconds on one item; longer times are cut to this
_FORMS = {  # what the text fields of a message must match
    "request": re.compile(r"[A-Za-z0-9-]{16,64}"),
    "item": re.compile(r"[A-Za-z0-9._-]{1,100}"),
    "client_time": re.compile(r"[0-9TZ:.+-]{0,40}"),
    "client_version": re.compile(r"[A-Za-z0-9.+-]{0,40}"),
}
MOST_SPANS = 100  # of an output in one answer: nobody marks more by hand
REVISIONS = ("last", "all")


class AnswerRow(NamedTuple):
    """One stored answer. when: date and time by the server's clock, UTC, ISO 8601."""

    rater: str
    item: str
    answer: Mapping[str, Any]
    seconds: float = math.nan
    when: str = ""


class Rated(NamedTuple):
    """A judgement, with the other columns of the table of ratings. revision: 1 for the first answer."""

    judgement: Judgement
    item: Item
    row: AnswerRow
    group: str
    revision: int


def check_answer(campaign: Campaign, item: Item, answer: object) -> None:
    """Raise DataError if `answer` is not a valid answer to this item. The message names the wrong part."""
    how = campaign.how
    wanted = {"ranks"} if how.ranks else {"spans", "value"} if how.spans else {"value"}
    if not isinstance(answer, Mapping):
        raise DataError(f"An answer must be an object with {' and '.join(sorted(wanted))}.")
    needed = wanted - ({"value"} if how.spans and not how.has_value else set())
    for key in sorted(needed - answer.keys()):
        raise DataError(f"{key}: missing in an answer to {campaign.protocol}.")
    for key in sorted(map(str, answer.keys() - wanted)):
        raise DataError(f"{key[:40]!r}: an answer to {campaign.protocol} has only {' and '.join(sorted(wanted))}.")
    if how.ranks:
        _check_ranks(item, answer["ranks"])
        return
    if how.spans:
        _check_spans(campaign, item, answer["spans"])
    _check_value(campaign, answer.get("value"))


def _check_value(campaign: Campaign, value: object) -> None:
    how = campaign.how
    if not how.has_value:
        if value is not None:
            raise DataError(f"value: must be null, because {campaign.protocol} has no score.")
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not how.low <= value <= how.high:
        raise DataError(f"value: a number from {how.low:g} to {how.high:g} is needed, not {value!r:.40}.")
    if how.labels and value != int(value):
        raise DataError(f"value: {campaign.protocol} needs a whole number, not {value!r}.")


def _check_ranks(item: Item, ranks: object) -> None:
    if not isinstance(ranks, Mapping) or set(ranks) != set(item.systems):
        raise DataError(f"ranks: one rank for each of the {len(item.systems)} outputs is needed.")
    for system, rank in ranks.items():
        if isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank <= len(item.systems):
            raise DataError(f"ranks.{system}: a rank from 1 to {len(item.systems)} is needed, not {rank!r:.40}.")


def _check_spans(campaign: Campaign, item: Item, spans: object) -> None:
    if not isinstance(spans, Sequence) or isinstance(spans, str) or len(spans) != len(item.outputs):
        raise DataError("spans: one list for each output is needed.")
    for number, (output, marked) in enumerate(zip(item.outputs, spans, strict=True)):
        if not isinstance(marked, Sequence) or isinstance(marked, str):
            raise DataError(f"spans[{number}]: a list is needed.")
        if len(marked) > MOST_SPANS:
            raise DataError(f"spans[{number}]: at most {MOST_SPANS} errors of an output can be marked.")
        for place, span in enumerate(marked):
            _check_span(campaign, item, output.text, span, f"spans[{number}][{place}]")


def _check_span(campaign: Campaign, item: Item, text: str, span: object, where: str) -> None:
    if not isinstance(span, Mapping) or not {"start", "end", "severity"} <= span.keys() <= set(Span._fields):
        raise DataError(f"{where}: an object with start, end, severity (and optionally category, in_source) is needed.")
    if span["severity"] not in campaign.severities:
        raise DataError(f"{where}.severity: {span['severity']!r:.40} is not one of {', '.join(campaign.severities)}.")
    category = span.get("category", "")
    if category not in (campaign.categories or ("",)):
        if not campaign.categories:
            raise DataError(f"{where}.category: this campaign has no categories, so {category!r:.40} must be empty.")
        raise DataError(f"{where}.category: {category!r:.40} is not one of {', '.join(campaign.categories)}.")
    in_source = span.get("in_source", False)
    if not isinstance(in_source, bool):
        raise DataError(f"{where}.in_source: true or false is needed.")
    if in_source and item.source is None:
        raise DataError(f"{where}.in_source: this item shows no source.")
    start, end = span["start"], span["end"]
    if start is None and end is None:
        return
    length = len(item.source or "") if in_source else len(text)
    whole = all(isinstance(place, int) and not isinstance(place, bool) for place in (start, end))
    if not whole or not 0 <= start < end <= length:
        raise DataError(f"{where}: {start!r:.20} to {end!r:.20} is not a span of a text of {length} characters.")


def judgements_of(campaign: Campaign, rows: Iterable[AnswerRow | Sequence[object]]) -> Judgements:
    """Convert stored answers, oldest first, to judgements: each rater's last answer to an item."""
    rated = ratings_of(campaign, rows)
    return Judgements([row.judgement for row in rated], campaign.pair or None, campaign.name)


def ratings_of(
    campaign: Campaign, rows: Iterable[AnswerRow | Sequence[Any]], *, revisions: Literal["last", "all"] = "last"
) -> list[Rated]:
    """Return each judgement with its item, group and time, in answer order. revisions: "all" keeps earlier ones."""
    if revisions not in REVISIONS:
        raise UnknownName("choice of revisions", revisions, REVISIONS)
    answers: Counter[tuple[str, str]] = Counter()
    order: list[tuple[AnswerRow, int]] = []
    for number, fields in enumerate(rows, 1):
        row = AnswerRow(*fields)
        try:
            campaign.check_answer(campaign.item(row.item), row.answer)
            campaign.rater(row.rater)
        except (DataError, UnknownName) as error:
            raise DataError(f"Campaign {campaign.name!r}, answer {number}: {error}") from None
        answers[row.rater, row.item] += 1
        order.append((row, answers[row.rater, row.item]))
    return [
        rated
        for row, revision in order
        if revisions == "all" or revision == answers[row.rater, row.item]
        for rated in _rated(campaign, row, revision)
    ]


def _rated(campaign: Campaign, row: AnswerRow, revision: int) -> Iterable[Rated]:
    """Yield one row for each output that the item shows, and for each other system with the same text."""
    item = campaign.item(row.item)
    task = item.id if revision == 1 else f"{item.id}#{revision}"
    seconds = row.seconds / len(item.outputs)
    for number, output in enumerate(item.outputs):
        value, spans = row.answer.get("value"), None
        if campaign.how.ranks:
            value = row.answer["ranks"][output.system]
        if campaign.how.spans:
            spans = tuple(Span(**span) for span in row.answer["spans"][number])
        for place, system in enumerate((output.system, *(() if item.check else output.same))):
            judgement = Judgement(
                campaign.how.kind, item.segment, system, math.nan if value is None else float(value),
                rater=row.rater, task=task, reference=item.reference_name, check=item.check, spans=spans,
                seconds=math.nan if place else seconds,  # time was spent once
            )  # fmt: skip
            yield Rated(judgement, item, row, campaign.rater(row.rater).group, revision)


class NotYours(DataError):
    """Raised for an answer to an item that is not assigned to the rater."""


def items_of(campaign: Campaign, rater: Rater) -> list[Item]:
    """Return all items of a rater in the order in which they are shown, beginning with the tutorial."""
    return [campaign.item(id) for id in (*campaign.tutorial, *rater.items)]


def page_data(
    campaign: Campaign, rater: Rater, answers: Mapping[str, object], *, base: str, key: str, version: str
) -> dict[str, object]:
    """Return the data of the rating page's script. base: the start of its addresses. key: see `access.form_key`."""
    source, _, target = campaign.pair.partition("-")
    given = ("id", "source", "reference", "document", "before", "after")
    return {
        "base": base,
        "key": key,
        "store": hashed(f"{campaign.id}\n{rater.name}")[:16],  # prefix of the page's keys in the browser's storage
        "version": version,
        "protocol": campaign.protocol,
        "low": campaign.how.low,
        "high": campaign.how.high,
        "severities": campaign.severities,
        "categories": campaign.categories,
        "source": _language(source),
        "target": _language(target),
        "items": [
            {name: getattr(item, name) for name in given}
            | {
                "outputs": [output.text for output in item.outputs],
                "tutorial": item.check == "tutorial",
                "expected": _by_place(item, item.expected) if item.check == "tutorial" else None,
            }
            for item in items_of(campaign, rater)
        ],
        "answers": shown_answers(campaign, rater, answers),
    }


def shown_answers(campaign: Campaign, rater: Rater, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rater's answers in the form that pages use."""
    return {item.id: _by_place(item, answers[item.id]) for item in items_of(campaign, rater) if item.id in answers}


def read_answer(campaign: Campaign, rater: Rater, body: bytes) -> dict[str, Any]:
    """Parse and check a page's answer, for `Store.append`. Raises NotYours for items of other raters, or DataError."""
    try:
        sent = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise DataError("The answer is not JSON.") from None
    if not isinstance(sent, dict):
        raise DataError("The answer must be an object.")
    texts = {key: sent.get(key, "") for key in _FORMS}
    for key, form in _FORMS.items():
        if not isinstance(texts[key], str) or not form.fullmatch(texts[key]):
            raise DataError(f"{key}: missing or malformed.")
    seconds = sent.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
        raise DataError("seconds: a number of at least 0 is needed.")
    mine = {item.id: item for item in items_of(campaign, rater)}
    if texts["item"] not in mine:
        raise NotYours("This item is not one of yours.")
    item = mine[texts["item"]]
    answer = _by_system(item, sent.get("answer"))
    campaign.check_answer(item, answer)
    return {**texts, "answer": answer, "seconds": float(min(seconds, LONGEST))}


def _by_system(item: Item, answer: object) -> object:
    if not isinstance(answer, dict) or "ranks" not in answer:
        return answer
    ranks, n = answer["ranks"], len(item.outputs)
    # Checked here, because the messages of `check_answer` name systems.
    whole = isinstance(ranks, list) and all(type(rank) is int and 1 <= rank <= n for rank in ranks)
    if not whole or len(ranks) != n:
        raise DataError(f"ranks: each of the {n} outputs needs a rank from 1 to {n}.")
    return answer | {"ranks": dict(zip(item.systems, ranks, strict=True))}


def _by_place(item: Item, answer: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if answer is None or "ranks" not in answer:
        return answer
    return {**answer, "ranks": [answer["ranks"][system] for system in item.systems]}


def _language(code: str) -> dict[str, str]:
    if not code:
        return {"lang": "", "dir": "auto"}
    return {"lang": code, "dir": "rtl" if re.split(r"[-_]", code)[0].lower() in RIGHT_TO_LEFT else "ltr"}


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def language_names(pair: str) -> str:
    """Return a language pair in words, as "English → German"; codes where the names are not known (without Babel)."""
    return " → ".join(map(language_name, pair.split("-", 1))) if pair else ""


def language_name(code: str) -> str:
    """Return the English name of a language, or its code."""
    try:
        from babel.core import Locale, UnknownLocaleError
    except ImportError:
        return code
    try:
        return Locale.parse(code.replace("-", "_")).get_display_name("en") or code
    except (UnknownLocaleError, ValueError):
        return code
