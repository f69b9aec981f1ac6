"""Finding metrics by name: the files of this folder, and what other packages offer as `tercet.metrics` entry points."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import UnknownName, UsageError
from ._contract import Metric, parse_value


def names() -> tuple[str, ...]:
    """The names of all metrics, ours and those that other packages plug in."""
    ours = {path.stem for path in Path(__file__).parent.glob("[!_]*.py")}
    return tuple(sorted(ours | set(_plugins())))


@cache
def _plugins() -> dict[str, Any]:
    from importlib.metadata import entry_points  # here, as it is slow to import and seldom needed

    return {point.name: point for point in entry_points(group="tercet.metrics")}


def metric_class(name: str) -> type[Metric]:
    """The class behind a name, importing that file alone."""
    path = Path(__file__).parent / f"{name}.py"
    if name.isidentifier() and not name.startswith("_") and path.exists():
        module = import_module(f".{name}", __package__)
    elif name in _plugins():
        module = _plugins()[name].load()
        if isinstance(module, type) and issubclass(module, Metric):
            return module
    else:
        raise UnknownName("metric", name, names())
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Metric) and value.__module__ == module.__name__:
            return value
    raise UsageError(f"Module {module.__name__} defines no metric.")


def create(spec: str | Metric, *, language: str | None = None) -> Metric:
    """A metric from its name and parameters ("chrf:word_order=2,beta=3") or from a signature ("BLEU|nrefs:1|…").

    language, of the outputs, settles parameters that depend on it and are not given: BLEU's tokeniser for Chinese.
    """
    if isinstance(spec, Metric):
        return spec
    if not isinstance(spec, str):
        raise UsageError(f'A metric is asked for by a text, as "bleu" or "chrf:word_order=2", not {spec!r}.')
    if "|" in spec:
        return _from_signature(spec)
    name, _, given = spec.partition(":")
    cls = metric_class(name.strip().lower())
    known = {f.name for f in fields(cls) if f.init}
    values: dict[str, object] = {}
    for part in filter(None, given.split(",")):
        key, equals, text = part.partition("=")
        key = key.strip()
        if key not in known:
            raise UnknownName(f"parameter of {name}", key, known)
        if not equals:
            raise UsageError(f"{name}: parameter {key} has no value; write {key}=VALUE.")
        if key in values:
            raise UsageError(f"{name}: parameter {key} is given twice.")
        values[key] = parse_value(cls, key, text.strip())
    base = re.split("[-_]", language)[0].lower() if language else None  # zh_CN is Chinese
    return cls(**{**cls.language_defaults(base, values), **values})


def parse_signature(signature: str) -> tuple[str, dict[str, str]]:
    """Label and items of a signature with long keys (`verifying` reads the short ones)."""
    label, *parts = signature.strip().split("|")
    items = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon:
            raise UsageError(f"{signature!r} is not a signature: {part!r} should be KEY:VALUE.")
        items[key] = value
    return label, items


def _from_signature(signature: str) -> Metric:
    label, items = parse_signature(signature)
    name = label.lower()
    if name not in names():
        # chrF2++ names its beta and word order; the file is chrf.
        name = re.sub(r"[^a-z_].*", "", name)
    cls = metric_class(name)
    try:
        return cls.from_signature(label, items)
    except (KeyError, ValueError) as error:
        raise UsageError(f"{signature!r} is not a signature of {name}: {error}.") from None
