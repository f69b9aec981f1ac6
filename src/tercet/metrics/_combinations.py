"""Combinations of metrics that TOML files declare, as metrics: those in `combined`, and those of users.

A file has either `members`, whose weighted mean is the score, or `model`, a file that `tercet learn` wrote. Members
that run code or use a service need the user's permission, as the features of a model do.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import make_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..data.files import file_checksum
from ..errors import UnknownName, UsageError
from ._contract import Metric
from ._parameters import param
from .bases.combined import CombinedMetric
from .bases.mixed import BOUNDS, SCALES, MixedMetric

OURS = Path(__file__).parent / "combined"
TEXTS = ("label", "description", "about", "paper")
KEYS = (*TEXTS, "version", "members", "model")
LARGEST = 1e9  # of a weight or bound
PERMISSIONS = {
    "trust_features": "run the code of members in Python files, and of parsers and checkpoints in folders.",
    "allow_network": "send texts to the services among the members. They get no key.",
}


def combination(path: Path) -> type[Metric]:
    """Return the metric that a TOML file declares; made again when the file has changed."""
    if not path.is_file():
        raise UsageError(f"There is no file {path}. A combination of your own is asked for as path/to/file.toml.")
    made = _made(path.absolute(), file_checksum(path))
    made.registered_name = made.registered_name or (path.stem if path.parent == OURS else str(path))
    return made


@lru_cache(maxsize=64)
def _made(path: Path, checksum: str) -> type[Metric]:
    said = _read(path)
    ours, stem = path.parent == OURS, path.stem
    base: type[Metric] = CombinedMetric if "model" in said else MixedMetric
    written = said.get("description") or f"The combination of metrics in {path.name}."
    if not ours:
        written = "\n".join([written.strip(), "", *(f"{each}: {what}" for each, what in PERMISSIONS.items())])
    declared: dict[str, Any] = {
        "__doc__": written,
        "label": said.get("label", stem),
        "paper": said.get("paper", f"The combination in {path.name}"),
        "version": said.get("version", 1),
        "toml": "" if ours else checksum,
        "registered_about": said.get("about", f"A combination of metrics, which the file {path.name} declares."),
        "registered_name": "",
        "registered_file": str(path),
    }
    fields: list[tuple[str, type, Any]] = []
    if "model" in said:
        declared["model_file"] = path.parent / said["model"]
    else:
        declared["weights"], declared["bounds"] = weights, bounds = _members(path, said["members"])
        if bounds and bounds.keys() != weights.keys():
            lacking = min(weights.keys() - bounds.keys())
            raise UsageError(f"{path}: {lacking} has no bounds, and others have. Give them for all, or for none.")
        if bounds:
            fields.append(("scale", str, param(BOUNDS, choices=(BOUNDS, *SCALES))))
    if not ours:
        fields += [(each, bool, param(False, local=True)) for each in PERMISSIONS]
    title = "".join(word.title() for word in stem.split("_") if word.isidentifier()) or "Combination"
    declared["__module__"] = f"{__package__}.combined.{stem}" if ours else f"combination_{stem}"
    if not declared["label"].isprintable() or not declared["label"] or set(declared["label"]) & set("|:,"):
        raise UsageError(f"{path}: the label must not be empty or hold '|', ':' or ',': {declared['label']!r}.")
    if declared["version"] < 1:
        raise UsageError(f"{path}: version must be 1 or more, not {declared['version']}.")
    return make_dataclass(title, fields, bases=(base,), namespace=declared, frozen=True)


def _read(path: Path) -> dict[str, Any]:
    """Return what a file says; raise UsageError for what no combination has."""
    try:
        said = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}.") from None
    for key, value in said.items():
        if key not in KEYS:
            raise UnknownName(f"key of {path}", key, KEYS)
        kind = {"version": int, "members": dict}.get(key, str)
        if type(value) is not kind:
            noun = {int: "a whole number", dict: "a table, [members]", str: "a text"}[kind]
            raise UsageError(f"{path}: {key} must be {noun}, not {value!r}.")
    if ("members" in said) == ("model" in said):
        raise UsageError(
            f"{path} must have either members, a table of metrics with their weights, or model, the name of a file "
            "that 'tercet learn' wrote."
        )
    return said


def _members(path: Path, table: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return the weights of the members by their strings, and the bounds of those that have them."""
    if not table:
        raise UsageError(f"{path}: the table of members is empty. Write a line for each: bleu = 1.")
    weights, bounds = {}, {}
    for spec, value in table.items():
        if "@" in spec or ".toml" in spec:
            raise UsageError(f"{path}: {spec!r} is no member: parts of metrics and other files cannot be combined.")
        given = value if isinstance(value, dict) else {"weight": value}
        for key in given.keys() - {"weight", "bounds"}:
            raise UnknownName(f"key of the member {spec} of {path}", key, ("weight", "bounds"))
        weights[spec] = weight = given.get("weight", 1)
        if not _is_number(weight) or not weight:
            raise UsageError(f"{path}: the weight of {spec} must be a number other than 0, not {weight!r}.")
        if "bounds" in given:
            limits = given["bounds"]
            if not isinstance(limits, list) or len(limits) != 2 or not all(map(_is_number, limits)):
                raise UsageError(
                    f"{path}: the bounds of {spec} must be [LOWEST, HIGHEST], two numbers, not {limits!r}."
                )
            if not limits[0] < limits[1]:
                raise UsageError(f"{path}: the first bound of {spec} must be below the second, not {limits!r}.")
            bounds[spec] = (limits[0], limits[1])
    return weights, bounds


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
