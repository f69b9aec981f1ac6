# ruff: noqa: D103
"""Texts and metrics of commands that are not made from tasks yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..data.stream import TextFiles
from ..data.testset import TestSet
from ..options.groups import Annotation, MetricChoice, Texts
from ..tasks.shared import annotation, metrics, texts
from ..tasks.shared.texts import open_named as open_named
from .commands import click_options

input_options, metric_options, ANNOTATE = click_options(Texts), click_options(MetricChoice), click_options(Annotation)
TEST_SET = click_options(Texts, "test_set")
COLUMNS = click_options(Texts, "columns")


def _of(kind: Any, options: Mapping[str, Any]) -> Any:
    from ..options import declared

    return kind(**{name: options[name] for name in declared(kind) if options.get(name) is not None})


def read_testset(options: Mapping[str, Any], *, needs_reference: bool = True) -> TestSet:
    return texts.read_testset(_of(Texts, options), needs_reference=needs_reference)


def read_inputs(options: Mapping[str, Any], *, needs_reference: bool = True) -> TestSet | TextFiles:
    return texts.read_inputs(_of(Texts, options), needs_reference=needs_reference)


def read_columns(options: Mapping[str, Any]) -> dict[str, str]:
    return texts.read_columns(options.get("columns") or ())


def chosen_metrics(options: Mapping[str, Any]) -> list[str]:
    return metrics.chosen_metrics(_of(MetricChoice, options))


def needs_reference(options: Mapping[str, Any]) -> bool:
    return metrics.needs_reference(_of(MetricChoice, options))


def annotating(options: Mapping[str, Any]) -> bool:
    return bool(_of(Annotation, options).annotating)


def check_annotation(options: dict[str, Any], paths: Any) -> None:
    options["checksum"] = annotation.check_annotation(_of(Annotation, options), paths)


def annotate(options: Mapping[str, Any], path: str, notes: Any, pair: str | None) -> None:
    given = {"columns": options.get("columns") or (), "quiet": options["quiet"], "checksum": options["checksum"]}
    annotation.annotate(_of(Annotation, options), path, notes, pair=pair, **given)
