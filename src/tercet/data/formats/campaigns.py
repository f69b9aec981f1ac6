"""Exports of annotation campaigns, and campaigns of Tercet itself.

Exports of Appraise and Pearmut state neither the kind of judgement nor the line of an item in the test set. The caller
gives the kind, and segments keep the names of the export.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import UsageError
from ..campaigns import CHECKS, read_appraise, read_pearmut
from ..lines import read_lines
from . import CAMPAIGN, JUDGEMENTS
from .format import CERTAIN, LIKELY, Contents, Format, Guess, Head, Request
from .names import short_pair


def _is_appraise(head: Head) -> Guess | None:
    columns = head.first.split(",")
    if head.ends(".csv") and len(columns) > 3 and columns[3] in CHECKS:
        return Guess(CERTAIN, f"the fourth column of its first line is {columns[3]}, a type of item")
    return None


def _appraise_pairs(head: Head) -> Sequence[str] | None:
    languages = {"-".join(line.split(",")[4:6]) for line in read_lines(head.path)}
    # The data may have other names for codes that we cannot shorten, so these are not used.
    pairs = sorted(map(short_pair, languages))
    return pairs if all(len(code) == 2 for pair in pairs for code in pair.split("-")) else None


def _read_appraise(path: Path, request: Request) -> Contents:
    kind = _kind(path, request)
    return Contents([read_appraise(path, kind=kind, pair=request.pair, system_prefix=request.system_prefix)])


def _is_pearmut(head: Head) -> Guess | None:
    if head.ends(".jsonl") and {"annotation", "user_id"} <= head.item.keys():
        return Guess(CERTAIN, "its first object has annotation and user_id")
    if not head.ends(".json") or _is_campaign(head):
        return None
    lists = [part for part in head.json.values() if isinstance(part, list)] if isinstance(head.json, dict) else []
    entries = [part[0] for part in lists if part and isinstance(part[0], dict)]
    if any("annotation" in entry for entry in entries):
        return Guess(CERTAIN, "its objects have an annotation")
    return Guess(LIKELY / 4, "its name ends in .json")


def _read_pearmut(path: Path, request: Request) -> Contents:
    return Contents([read_pearmut(path, kind=_kind(path, request), pair=request.pair)])


def _kind(path: Path, request: Request) -> str:
    if request.kind is None:
        raise UsageError(
            f"{path} is a campaign export, which does not state the kind of judgement. Give --kind da, esa or mqm."
        )
    return request.kind


def _is_campaign(head: Head) -> Guess | None:
    if head.ends(".json") and head.json is None:
        return Guess(LIKELY / 2, "its name ends in .json, although it is not JSON")  # reading it says where
    if head.ends(".json") and isinstance(head.json, dict) and {"protocol", "version"} <= head.json.keys():
        return Guess(CERTAIN, "it is an object with protocol and version")
    return None


def _read_campaign(path: Path, request: Request) -> Contents:
    raise UsageError(f"{path} is a campaign. Its answers are read by `tercet agree` and `tercet rate`.")


FORMATS = (
    Format(
        "campaign", (CAMPAIGN,), "a rating campaign of `tercet rate`, with its answers beside it", _is_campaign,
        _read_campaign,
    ),
    Format(
        "appraise", (JUDGEMENTS,), "scores exported from Appraise: CSV without a header", _is_appraise, _read_appraise,
        _appraise_pairs,
    ),
    Format(
        "pearmut", (JUDGEMENTS,), "annotations of Pearmut: the JSON of its dashboard, or a campaign's log", _is_pearmut,
        _read_pearmut,
    ),
)  # fmt: skip
EXPORTS = ("appraise", "pearmut")  # formats that do not state the kind of judgement
