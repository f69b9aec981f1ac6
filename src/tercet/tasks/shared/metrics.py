"""Settle which metrics and which scores of other programs the options of a command ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UsageError
from ...options import declared
from ...options.groups import MetricChoice, OtherScores

if TYPE_CHECKING:
    from ...data.scores import Scores
    from ...data.stream import TextFiles
    from ...data.testset import TestSet

PARAMETERS = {  # by the name of an option: the metric, or "" for all that have the parameter except chrF; the parameter
    name: ("bleu", name) if name.startswith("smooth_") else (metric, name.removeprefix(f"{metric}_"))
    for name in (*declared(MetricChoice), "kb")
    if name != "metrics"
    for metric in [name.partition("_")[0] if name.startswith(("chrf_", "ter_")) else ""]
}


def amend(spec: str, options: MetricChoice) -> str:
    """Return the metric's string with the parameters that sacreBLEU's flags set; the string's own ones win."""
    from ...metrics import metric_class, take_apart

    given = {name: getattr(options, name, None) for name in PARAMETERS}
    if "|" in spec:
        if clash := [f"`{name}`" for name, value in given.items() if value is not None]:
            raise UsageError(f"{', '.join(clash)}: the signature {spec.partition('|')[0]}|… says it all already.")
        return spec
    name, stated = take_apart(spec)
    has = {parameter.name for parameter in metric_class(name).parameters()}
    said = {part.partition("=")[0].strip() for part in stated.split(",")}
    parts = [stated] if stated else []
    if name == "ter" and options.ter_normalized and "variant" not in said:
        parts.append("variant=sacrebleu")  # the flag is sacreBLEU's, and so is its normalising of references twice
    for option, value in given.items():
        metric, parameter = PARAMETERS[option]
        if value is None or parameter not in has or parameter in said:
            continue
        # -lc is BLEU's in sacreBLEU: chrF has a flag of its own.
        if name == metric or (not metric and name != "chrf"):
            parts.append(f"{parameter}={str(value).lower() if isinstance(value, bool) else value}")
    return name + (":" + ",".join(parts) if parts else "")


def chosen_metrics(options: MetricChoice) -> list[str]:
    """Return the metrics asked for, each once, with the flags' parameters; bleu if nothing else is to be shown."""
    from ...metrics import create

    usual = () if getattr(options, "score_files", ()) else ("bleu",)
    amended = [amend(spec, options) for spec in options.metrics or usual]
    language = (getattr(options, "pair", None) or "").partition("-")[2] or None
    return list({create(spec).resolved(language): spec for spec in reversed(amended)}.values())[::-1]


def needs_reference(options: MetricChoice) -> bool:
    """Return whether a metric that is asked for reads references, also if there are none."""
    from ...data.testset import TestSet
    from ...metrics import create

    metrics = [create(spec) for spec in chosen_metrics(options)]
    if getattr(options, "source", None) is not None:
        alone = TestSet({"output": [""]}, {}, source=[""])  # some metrics then read the source instead
        metrics = [metric.adapted(alone) for metric in metrics]
    return any("reference" in metric.resolved().needs for metric in metrics)


def other_scores(options: OtherScores, texts: TestSet | TextFiles) -> list[Scores]:
    """Return the scores of other programs that the options name, for these texts."""
    if not options.score_files and not options.lower_is_better:
        return []  # the readers take long to import
    from ...data.names import split_name
    from ...data.testset import TestSet
    from ...external import read_external

    testset = texts if isinstance(texts, TestSet) else texts.read()
    found: list[Scores] = []
    for text in options.score_files:
        name, path = split_name(text)
        found += read_external(path, testset, name=name, lower_is_better=options.lower_is_better)
    labels = {item.label.lower() for item in found}
    for name in options.lower_is_better:
        if name.lower() not in labels:
            raise UsageError(
                f"`lower_is_better` {name}: no file of `score_files` has it. They have: {', '.join(labels)}."
            )
    return found
