"""Campaigns of Pearmut: info (protocol, assignment, …), campaign_id, and data: per user a list of documents of items.

Pearmut's spans include the last character and are counted in UTF-16 units without line feeds; expected answers of the
tutorial are converted to its validation rules. `item_id` is SEGMENT, or SEGMENT#CHECK for control items, so that
Pearmut's own analysis does not mistake a damaged copy for an output. Our other keys are stored under "tercet" and are
restored when such a file is read.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from itertools import accumulate
from typing import Any, TypeVar

from ..errors import DataError, UsageError
from .campaign import Campaign, Item, Output
from .campaign_formats import CampaignBuilder

T = TypeVar("T")

NAMES = {"da": "DA", "esa": "ESA", "mqm": "MQM", "adequacy": "DA", "fluency": "DA", "effort": "DA"}
PROTOCOLS = {"DA": "da", "ESA": "esa", "CESA": "esa", "ESAAI": "esa", "MQM": "mqm"}
KEPT = ("segment", "document", "check", "reference_name")
NEAR = 10  # points by which an answer to a tutorial item may differ from the expected score


def content_of(campaign: Campaign) -> dict[str, Any]:
    """Convert a campaign to the content of Pearmut's file."""
    if campaign.protocol not in NAMES:
        raise UsageError(f"Pearmut has no {campaign.protocol}. It has {', '.join(NAMES)}.")
    info: dict[str, Any] = {
        "assignment": "task-based",
        "protocol": NAMES[campaign.protocol],
        "users": [rater.name for rater in campaign.raters],
        "shuffle": False,
    }
    if campaign.instructions:
        info["instructions"] = escape(campaign.instructions).replace("\n", "<br>")  # Pearmut shows it as HTML
    if campaign.how.labels:
        slider = {"name": campaign.protocol.capitalize(), "min": campaign.how.low, "max": campaign.how.high, "step": 1}
        info["sliders"] = [slider]
    if campaign.how.spans:
        info["mqm_severities"] = list(campaign.severities)
    if campaign.categories:
        tree: dict[str, list[str]] = {}
        for category in campaign.categories:
            main, _, sub = category.partition("/")
            tree.setdefault(main, []).extend([sub] if sub else [])
        info["mqm_categories"] = tree
    content: dict[str, Any] = {"info": info, "campaign_id": campaign.name}
    content["data"] = [
        [[_item(campaign, item) for item in document] for document in _documents(campaign, rater.items)]
        for rater in campaign.raters
    ]
    if campaign.tutorial:
        content["data_welcome"] = [[_item(campaign, campaign.item(id))] for id in campaign.tutorial]
    return content


def _documents(campaign: Campaign, ids: tuple[str, ...]) -> list[list[Item]]:
    """Group consecutive items with the same document, systems and check; Pearmut shows a group on one page."""
    groups: list[list[Item]] = []
    for item in map(campaign.item, ids):
        last = groups[-1][-1] if groups else None
        if last and item.document and item.segment != last.segment and _kind(item) == _kind(last):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _kind(item: Item) -> tuple[str, tuple[str, ...], str]:
    return item.document, item.systems, item.check


def _item(campaign: Campaign, item: Item) -> dict[str, object]:
    check = item.check if item.check != "tutorial" else ""
    texts = {"src": item.source, "ref": item.reference}
    made: dict[str, Any] = {"item_id": f"{item.segment}#{check}" if check else item.segment}
    made |= {key: text for key, text in texts.items() if text is not None}
    made["tgt"] = {output.system: output.text for output in item.outputs}
    if item.expected is not None:
        made["validation"] = {item.systems[0]: _validation(campaign, item)}
        made["skippable"] = True
    return made | {"tercet": {key: getattr(item, key) for key in KEPT if getattr(item, key)}}


def _validation(campaign: Campaign, item: Item) -> dict[str, object]:
    answer: Mapping[str, Any] = item.expected or {}
    rule: dict[str, Any] = {"warning": "This is not the expected answer. Please look again."}
    value = answer.get("value")
    if value is not None:
        room = 0 if campaign.how.labels else NEAR
        rule["score"] = [max(campaign.how.low, value - room), min(campaign.how.high, value + room)]
    if campaign.how.spans:
        units = _units(item.outputs[0].text)
        rule["error_spans"] = [
            {"start_i": [units[span["start"]]] * 2, "end_i": [units[span["end"]] - 1] * 2, "severity": span["severity"]}
            for span in answer.get("spans", [[]])[0]
            if span["start"] is not None and not span.get("in_source")
        ]
    return rule


def _units(text: str) -> list[int]:
    """Return the number of Pearmut's units before each code point, and before the end of the text."""
    return [*accumulate((0 if character == "\n" else 1 + (character > "\uffff") for character in text), initial=0)]


def campaign_of(
    content: Mapping[str, Any], where: str, *, protocol: str | None, name: str | None, pair: str | None
) -> Campaign:
    """Convert the content of Pearmut's file to a campaign."""
    info = _part(content, "info", dict, where)
    protocol = protocol or _protocol(info, where)
    data = _part(content, "data", list, where)
    found = CampaignBuilder()
    assignment = info.get("assignment", "task-based")
    if assignment == "task-based":
        names = _users(info, len(data))
        if len(names) != len(data):
            raise DataError(f"{where}: info.users names {len(names)} raters, but data has {len(data)} tasks.")
        tasks = [(names[place], f"data[{place}]", documents) for place, documents in enumerate(data)]
    elif assignment == "single-stream":
        names = _users(info, 1)
        # In Pearmut, raters take documents from a shared pool. Here they are assigned to the raters in turn.
        tasks = [(names[place % len(names)], f"data[{place}]", [document]) for place, document in enumerate(data)]
    else:
        raise UsageError(f"{where}: assignment {assignment!r} cannot be read, only task-based and single-stream.")
    for rater, place, documents in tasks:
        if not isinstance(documents, list):
            raise DataError(f"{where}, {place}: a list of documents is needed.")
        for number, document in enumerate(documents):
            for item in _items(document, f"{where}, {place}[{number}]", f"{place}.{number}", found.omitted):
                found.add([rater], item)
    for number, document in enumerate(content.get("data_welcome") or ()):
        for item in _items(document, f"{where}, data_welcome[{number}]", f"welcome.{number}", found.omitted):
            found.add_tutorial(item)
    if content.get("data_random"):
        found.omitted["random items (data_random)"] += len(content["data_random"])
    rest: dict[str, Any] = {}
    if protocol in ("mqm", "esa") and info.get("mqm_severities"):
        rest["severities"] = [str(severity) for severity in info["mqm_severities"]]
    if protocol == "mqm" and isinstance(info.get("mqm_categories"), dict):
        rest["categories"] = [
            f"{main}/{sub}" if sub else main for main, subs in info["mqm_categories"].items() for sub in subs or [""]
        ]
    title = name or str(content.get("campaign_id") or "pearmut")
    return found.campaign(
        where, protocol=protocol, name=title, pair=pair or "", instructions=str(info.get("instructions") or ""), **rest
    )


def _protocol(info: Mapping[str, Any], where: str) -> str:
    said = str(info.get("protocol", "")).upper()
    if said not in PROTOCOLS:
        raise DataError(f"{where}: info.protocol is {info.get('protocol')!r}, not one of {', '.join(PROTOCOLS)}.")
    sliders = info.get("sliders") or []
    if not sliders:
        return PROTOCOLS[said]
    if len(sliders) == 1 and isinstance(sliders[0], dict):
        kind = str(sliders[0].get("name", "")).lower()
        scale = {"adequacy": (1, 5), "fluency": (1, 5), "effort": (1, 4)}.get(kind)
        if scale and (sliders[0].get("min"), sliders[0].get("max")) == scale:
            return kind
    raise UsageError(f"{where}: one slider is needed: adequacy or fluency from 1 to 5, or effort from 1 to 4.")


def _users(info: Mapping[str, object], number: int) -> list[str]:
    users = info.get("users")
    if isinstance(users, int):
        number = users
    if isinstance(users, list):
        return [str(user.get("user_id") if isinstance(user, dict) else user) for user in users]
    return [f"rater{place}" for place in range(1, number + 1)]


def _items(document: object, where: str, name: str, omitted: Counter[str]) -> Iterator[Item]:
    """Yield the items of a document, system by system. Each of our items shows one output."""
    if not isinstance(document, list):
        raise DataError(f"{where}: a list of items is needed.")
    items = []
    for number, item in enumerate(document):
        if isinstance(item, dict) and "form" in item:
            omitted["questions about the rater (form)"] += 1
        elif not isinstance(item, dict) or not isinstance(item.get("tgt"), dict) or not item["tgt"]:
            raise DataError(f'{where}[{number}]: an item needs "tgt", an object of system: text.')
        else:
            items.append((number, item))
    omitted.update(what for what in ("error_spans", "validation") for _, item in items if item.get(what))
    title = str(items[0][1].get("item_id") or name) if len(items) > 1 else ""
    for system in dict.fromkeys(system for _, item in items for system in item["tgt"]):
        for number, item in items:
            if system in item["tgt"]:
                yield _convert_item(item, system, f"{where}[{number}]", f"{name}.{number}", title)


def _convert_item(item: Mapping[str, Any], system: str, where: str, name: str, document: str) -> Item:
    texts = {key: item.get(key) for key in ("src", "ref")} | {"tgt": item["tgt"][system]}
    for key, text in texts.items():
        if not isinstance(text, str) and (key == "tgt" or text is not None):
            raise DataError(f"{where}.{key}: a text is needed, not {text!r:.40}.")
    kept = item.get("tercet")
    own = {key: str(kept[key]) for key in KEPT if key in kept} if isinstance(kept, dict) else {}
    values: dict[str, Any] = {"segment": str(item.get("item_id") or name), "document": document, **own}
    if texts["ref"] is not None:
        values.setdefault("reference_name", "ref")
    return Item(
        id="", outputs=(Output(system, str(texts["tgt"])),), source=texts["src"], reference=texts["ref"], **values
    )


def _part(content: Mapping[str, object], key: str, kind: type[T], where: str) -> T:
    value = content.get(key)
    if not isinstance(value, kind):
        raise DataError(f"{where}: {key!r} must be {'an object' if kind is dict else 'a list'}.")
    return value
