"""Read and write a campaign as one JSON file, version 1. Errors name the missing, mistyped or unknown part."""

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, get_args, get_type_hints

from ..data.field_checks import check_encodable
from ..data.files import writing
from ..data.jsonl import parse_json
from ..data.lines import read_lines
from ..errors import DataError, UsageError
from .campaign import VERSION, Campaign, Item, Output, Rater

log = logging.getLogger(__name__)

Json = dict[str, Any]


def read_json(path: str | Path) -> object:
    """Read a JSON file. Raises DataError with line and column if it is not JSON."""
    try:
        return json.loads("\n".join(read_lines(path)))
    except json.JSONDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise DataError(f"{place}: not a campaign, because it is not JSON: {error.msg}.") from None
    except RecursionError:
        raise DataError(f"{path}: not a campaign: nested too deeply.") from None


def campaign_files(paths: Iterable[str | Path]) -> list[Path]:
    """Return the files of campaigns: each path, or the campaigns in a folder, by name. Other JSON there is left out."""
    found: list[Path] = []
    for path in map(Path, paths):
        inside = sorted(path.glob("*.json")) if path.is_dir() else [path]
        own = [file for file in inside if file == path or _looks_like_campaign(file)]
        if not own:
            raise UsageError(f"The folder {path} has no campaigns (*.json).")
        if rest := [file.name for file in inside if file not in own]:
            log.warning("Left out of the folder %s, because they are not campaigns: %s.", path, ", ".join(rest))
        found += own
    return found


def _looks_like_campaign(path: Path) -> bool:
    try:
        content = read_json(path)
    except DataError:
        return False
    return isinstance(content, dict) and {"version", "protocol", "raters"} <= content.keys()


def write_json(content: object, path: str | Path, name: str) -> None:
    """Write the content of a campaign file as JSON. name: the campaign's name, for error messages."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
    check_encodable(text, f"Campaign {name!r}")
    with writing(path) as stream:
        stream.write(text + "\n")


def content_of(campaign: Campaign) -> Json:
    """Return the content of the campaign's file. Default values of items and raters are left out."""
    content = {field.name: getattr(campaign, field.name) for field in fields(Campaign)}
    content["items"] = [
        _without_defaults(item)
        | {"outputs": [{k: v for k, v in output._asdict().items() if k != "same" or v} for output in item.outputs]}
        for item in campaign.items
    ]
    content["raters"] = [_without_defaults(rater) for rater in campaign.raters]
    return {"version": content.pop("version"), **content}


def _without_defaults(part: Item | Rater) -> Json:
    return {
        field.name: getattr(part, field.name)
        for field in fields(part)
        if field.default is MISSING or getattr(part, field.name) != field.default
    }


def campaign_of(content: object) -> Campaign:
    """Build the campaign from the content of its file."""
    if not isinstance(content, dict) or not isinstance(content.get("version"), int):
        raise DataError('not a campaign: an object with "version" is needed. `tercet rate new` writes one.')
    given = content["version"]
    if given > VERSION:
        raise DataError(f"version: {given}; this Tercet reads campaigns up to version {VERSION}. Install a newer one.")
    if given < VERSION:
        raise DataError(f"version: there is no version {given}.")
    found: Campaign = _built(Campaign, content, "")
    return found


_TYPES: Mapping[Any, tuple[Any, str]] = {  # what a key's value must be, by the annotation of the field
    str: (str, "a text"),
    str | None: ((str, type(None)), "a text or null"),
    Mapping[str, Any] | None: ((dict, type(None)), "an object or null"),
    int: (int, "a whole number"),
}


@cache
def _keys(kind: type) -> tuple[Mapping[str, object], frozenset[str]]:
    """Return the type of each key of an object in the file, and the keys that it must have."""
    needed = {name for name, field in signature(kind).parameters.items() if field.default is field.empty}
    return get_type_hints(kind), frozenset(needed | ({"show"} if kind is Campaign else set()))


def _built(kind: type, content: object, where: str) -> Any:
    """Build an object from its JSON. Keys that are missing or unknown and values of another type are errors."""
    prefix = f"{where}." if where else ""
    if not isinstance(content, dict):
        raise DataError(f"{where or 'the file'}: an object is needed, not {content!r:.40}.")
    types, needed = _keys(kind)
    for key in sorted(needed - content.keys()):
        raise DataError(f"{prefix}{key}: missing.")
    for key in content:
        if key not in types:
            raise DataError(f"{prefix}{key[:40]}: unknown key. Known keys: {', '.join(sorted(types))}.")
    return kind(**{key: _value(value, types[key], f"{prefix}{key}") for key, value in content.items()})


def _value(value: object, annotation: object, where: str) -> object:
    if annotation in (Item, Output, Rater):
        return _built(annotation, value, where)
    types, wanted = _TYPES.get(annotation, (list, "a list"))
    if not isinstance(value, types) or isinstance(value, bool):
        raise DataError(f"{where}: {wanted} is needed, not {value!r:.40}.")
    if isinstance(value, str):
        check_encodable(value, where)  # JSON can hold half of a surrogate pair, which no page can show
    if isinstance(value, list):
        return tuple(_value(part, get_args(annotation)[0], f"{where}[{n}]") for n, part in enumerate(value))
    return value


def read_tutorial(path: str | Path) -> list[Item]:
    """Read tutorial items, one JSON object per line, with the keys of campaign items; id and segment are optional."""
    items: list[Item] = []
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}, line {number}"
        content = parse_json(line, where)
        if isinstance(content, dict):
            content = {"id": f"t{number}", "segment": f"t{number}", "check": "tutorial", **content}
        items.append(_built(Item, content, where))
    if not items:
        raise DataError(f"{path} is empty; one JSON object per item is needed.")
    return items
