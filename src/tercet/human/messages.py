"""The JSON messages between the rating page and the server.

Pages identify outputs by position and never by system, and get no hint that an item is a control item.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ..errors import DataError
from .campaign import Campaign, Item, Rater, hashed

RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa glk he iw ks mzn nqo pnb prs ps sd sdh syr ug ur yi".split())
LONGEST = 24 * 3600.0  # seconds on one item; longer times are cut to this
_FORMS = {  # what the text fields of a message must match
    "request": re.compile(r"[A-Za-z0-9-]{16,64}"),
    "item": re.compile(r"[A-Za-z0-9._-]{1,100}"),
    "client_time": re.compile(r"[0-9TZ:.+-]{0,40}"),
    "client_version": re.compile(r"[A-Za-z0-9.+-]{0,40}"),
}


class NotYours(DataError):
    """Raised for an answer to an item that is not assigned to the rater."""


def items_of(campaign: Campaign, rater: Rater) -> list[Item]:
    """Return all items of a rater in the order in which they are shown, beginning with the tutorial."""
    return [campaign.item(id) for id in (*campaign.tutorial, *rater.items)]


def page_data(
    campaign: Campaign, rater: Rater, answers: Mapping[str, Any], *, base: str, key: str, version: str
) -> dict[str, Any]:
    """Return the data of the rating page's script.

    base: what the campaign's addresses begin with. key: see `access.form_key`. answers: last answers by item.
    """
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
    """Parse and check the answer that a page sent. Returns the arguments of `Store.append`.

    Raises NotYours for items of other raters, and DataError for anything else that is wrong.
    """
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
