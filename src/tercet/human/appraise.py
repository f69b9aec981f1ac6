"""Campaigns of Appraise: manifest.json (the campaign) and batches.json (a list of tasks with their items).

The sourceText of an item is the source; or a reference, which is known only if the same text is also a REF item; or it
is not shown, if TASK_OPTIONS contains Monolingual. An item also has a targetText (in pairwise campaigns, targets) and a
type: TGT, BAD (damaged), CHK (repeat) or REF. Each of our raters becomes one batch, because their item orders differ.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import DataError, UsageError
from .campaign import GROUPS, Campaign, Item, Output
from .campaign_formats import CampaignBuilder

log = logging.getLogger(__name__)

BATCHES, MANIFEST = "batches.json", "manifest.json"
TYPES = {"": "TGT", "bad": "BAD", "repeat": "CHK", "reference": "REF"}
CHECKS = {kind: check for check, kind in TYPES.items()}
MONOLINGUAL = "Monolingual"
OPTIONS = {"esa": "ESA", "mqm": "MQM"}
PROTOCOLS = ("da", "esa", "mqm", "pairwise")
_CODES = {
    "ar": "ara", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng",
    "es": "spa", "et": "est", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "gu": "guj", "he": "heb", "hi": "hin",
    "hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita", "ja": "jpn", "kk": "kaz", "ko": "kor", "lt": "lit",
    "lv": "lav", "mt": "mlt", "nl": "nld", "no": "nor", "pl": "pol", "ps": "pus", "pt": "por", "ro": "ron", "ru": "rus",
    "sk": "slk", "sl": "slv", "sv": "swe", "ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie",
    "zh": "zho",
}  # fmt: skip


def contents_of(campaign: Campaign) -> dict[str, Any]:
    """Return the contents of the two files of a campaign, by file name."""
    if campaign.protocol not in PROTOCOLS:
        raise UsageError(f"Appraise has no {campaign.protocol}. It has {', '.join(PROTOCOLS)}.")
    alone = campaign.show == "neither" and campaign.protocol == "da"
    if campaign.show not in ("source", "reference", GROUPS) and not alone:
        raise UsageError(f"Appraise shows the source or a reference beside outputs, not {campaign.show}.")
    if not all(campaign.pair.partition("-")):
        raise UsageError("Appraise needs a language pair, and the campaign has none.")
    if campaign.tutorial:
        log.warning("Left out: the tutorial (%d items), which Appraise's batches cannot hold.", len(campaign.tutorial))
    source, _, target = campaign.pair.partition("-")
    languages = [_CODES.get(code, code) for code in (source, target)]
    numbers, ranks = _numbers(campaign), campaign.how.ranks
    batches = []
    for number, rater in enumerate(campaign.raters, 1):
        items = [_item(campaign.item(id), numbers, place, pairwise=ranks) for place, id in enumerate(rater.items)]
        task = {"batchNo": number, "batchSize": len(items), "randomSeed": campaign.seed, "requiredAnnotations": 1,
                "sourceLanguage": languages[0], "targetLanguage": languages[1]}  # fmt: skip
        batches.append({"task": task, "items": items})
    name = re.sub("[^A-Za-z0-9]", "", campaign.name) or "tercet"
    manifest: dict[str, Any] = {
        "CAMPAIGN_URL": "http://127.0.0.1:8000/dashboard/sso/",
        "CAMPAIGN_NAME": name,
        "CAMPAIGN_KEY": name,
        "CAMPAIGN_NO": 1,
        "REDUNDANCY": 1,
        "TASKS_TO_ANNOTATORS": [[*languages, "uniform", len(batches), len(batches)]],
        "TASK_TYPE": "Pairwise" if ranks else "Document" if campaign.how.spans or alone else "Direct",
    }
    if campaign.protocol in OPTIONS or alone:
        manifest["TASK_OPTIONS"] = OPTIONS.get(campaign.protocol, MONOLINGUAL)
    return {MANIFEST: manifest, BATCHES: batches}


def _numbers(campaign: Campaign) -> Mapping[str, int]:
    """Return the number of each segment, as Appraise needs: its name if all names are numbers, else its rank."""
    names = sorted({item.segment for item in campaign.items})
    if all(name.isascii() and name.isdecimal() for name in names):
        return {name: int(name) for name in names}
    log.warning("Not all segment names are numbers. For Appraise, segments are numbered in the order of their names.")
    return {name: number for number, name in enumerate(names, 1)}


def _item(item: Item, numbers: Mapping[str, int], place: int, *, pairwise: bool) -> dict[str, object]:
    made: dict[str, Any] = {
        "_item": place,
        "itemID": numbers[item.segment],
        "itemType": TYPES[item.check],
        "sourceID": item.reference_name or "source",
        "sourceText": (item.source if item.reference is None else item.reference) or "",
        "documentID": (item.document or "document") + (f"#{item.check}" if item.check else ""),
        "isCompleteDocument": False,
    }
    if pairwise:
        targets = [
            {"_target": number, "targetID": output.system, "targetText": output.text}
            for number, output in enumerate(item.outputs)
        ]
        return made | {"targets": targets, "targetsSize": len(targets)}
    return made | {"targetID": item.systems[0], "targetText": item.outputs[0].text, "mqm": []}


def campaign_of(
    batches: Sequence[Any], manifest: object, where: str, *, protocol: str | None, name: str | None, pair: str | None
) -> Campaign:
    """Convert Appraise's batches to a campaign. manifest: an empty dictionary if there is none."""
    if not isinstance(manifest, dict):
        raise DataError(f"{where}: {MANIFEST} beside it must be an object.")
    tasks = [_task(batch, f"{where}, batch {number}") for number, batch in enumerate(batches)]
    listed = [item for _, items in tasks for item in items]
    protocol = protocol or _protocol(manifest, listed, where)
    beside = "source"
    if MONOLINGUAL in str(manifest.get("TASK_OPTIONS", "")):
        beside = "neither"
    elif any(item.get("itemType") == "REF" and item.get("targetID") == item.get("sourceID") for item in listed):
        beside = "reference"
    found = CampaignBuilder()
    seen: set[tuple[Any, ...]] = set()
    raters = 0
    for number, (task, items) in enumerate(tasks):
        copies = task.get("requiredAnnotations", manifest.get("REDUNDANCY", 1))
        if not isinstance(copies, int) or copies < 1:
            raise DataError(f"{where}, batch {number}: requiredAnnotations is {copies!r}; a number from 1 is needed.")
        people = [f"rater{raters + place}" for place in range(1, copies + 1)]
        raters += copies
        for place, item in enumerate(items):
            made = _convert_item(item, f"{where}, batch {number}, items[{place}]", beside, protocol, found.omitted)
            if made is None:
                continue
            mark = made.document, made.source, made.outputs
            if made.check != "tutorial":
                found.add(people, made)
            elif mark not in seen:
                found.add_tutorial(made)
                seen.add(mark)
    title = name or str(manifest.get("CAMPAIGN_NAME") or "appraise")
    return found.campaign(where, protocol=protocol, name=title, pair=pair or _pair(tasks, manifest))


def _task(batch: object, where: str) -> tuple[Mapping[str, Any], list[Any]]:
    if not isinstance(batch, dict) or not isinstance(batch.get("items"), list):
        raise DataError(f'{where}: an object with "items" is needed.')
    for place, item in enumerate(batch["items"]):
        if not isinstance(item, dict):
            raise DataError(f"{where}, items[{place}]: an object is needed.")
    task = batch.get("task")
    return task if isinstance(task, dict) else {}, batch["items"]


def _protocol(manifest: Mapping[str, Any], items: Sequence[Mapping[str, Any]], where: str) -> str:
    words = f"{manifest.get('TASK_TYPE', '')} {manifest.get('TASK_OPTIONS', '')}".upper()
    if "targets" in (items[0] if items else {}):
        return "pairwise"
    for protocol, word in OPTIONS.items():
        if word in words:
            return protocol
    if not manifest:
        raise UsageError(f"{where} does not name the protocol, and has no {MANIFEST} beside it. Give `protocol`.")
    return "da"


def _pair(tasks: Sequence[tuple[Mapping[str, Any], list[Any]]], manifest: Mapping[str, Any]) -> str:
    short = {long: code for code, long in _CODES.items()}
    task = tasks[0][0] if tasks else {}
    codes = [task.get("sourceLanguage"), task.get("targetLanguage")]
    told = manifest.get("TASKS_TO_ANNOTATORS")
    if not all(codes) and isinstance(told, list) and told and isinstance(told[0], list) and len(told[0]) > 1:
        codes = told[0][:2]
    return "-".join(short.get(str(code), str(code)) for code in codes) if all(codes) else ""


def _convert_item(
    item: Mapping[str, Any], where: str, beside: str, protocol: str, omitted: Counter[str]
) -> Item | None:
    kind = item.get("itemType")
    if kind not in CHECKS:
        raise DataError(f"{where}.itemType: {kind!r} is not one of {', '.join(CHECKS)}.")
    outputs = tuple(_outputs(item, where))
    if protocol == "pairwise" and len(outputs) < 2:
        omitted["items with a single output in a pairwise campaign"] += 1
        return None
    text = item.get("sourceText")
    if not isinstance(text, str):
        raise DataError(f"{where}.sourceText: a text is needed, not {text!r:.40}.")
    document = str(item.get("documentID") or "")
    if item.get("mqm"):
        omitted["pre-marked errors and tutorial rules (mqm)"] += 1
    made = Item(
        id="",
        segment=str(item.get("itemID")),
        outputs=outputs,
        source=text if beside == "source" else None,
        document=document.partition("#")[0],
        check="tutorial" if "tutorial" in document else CHECKS[kind],
    )
    if beside == "reference":
        return replace(made, reference=text, reference_name=str(item.get("sourceID") or "ref"))
    return made


def _outputs(item: Mapping[str, object], where: str) -> Iterator[Output]:
    targets = item.get("targets") if "targets" in item else [item]
    if not isinstance(targets, list):
        raise DataError(f"{where}.targets: a list is needed.")
    for number, target in enumerate(targets):
        system, text = (target.get(key) if isinstance(target, dict) else None for key in ("targetID", "targetText"))
        if not isinstance(system, str) or not isinstance(text, str):
            place = f"{where}.targets[{number}]" if "targets" in item else where
            raise DataError(f"{place}: targetID and targetText are needed, both texts.")
        yield Output(system, text)
