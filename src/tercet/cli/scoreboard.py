"""How `tercet score` shows scores: sacreBLEU's line for one system, tables for more, JSON with everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.scores import Scores
from ..metrics import create
from ..metrics._registry import parse_signature
from ..report.tables import number, table, to_json

SHORT = {"nrefs": "#", "case": "c", "eff": "e", "smooth": "s", "version": "v", "seed": "rs"}


def render(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    """The whole output of the command."""
    if options["form"] == "json":
        return to_json(objects(scores, tests, options))
    if options["score_only"]:
        return _bare(scores, options)
    if options["sentence_level"]:
        return _segments(scores, options)
    if options["by"]:
        return _groups(scores, options)
    if options["form"] == "text" and len(scores[0].systems) == 1:
        return "\n".join(_line(item, options) for item in scores)
    return _table(scores, tests, options)


def render_each(by_reference: dict[str, list[Scores]], options: dict[str, Any]) -> str:
    """Scores against all references and against each alone: a table with a row per system and reference, or JSON."""
    if options["form"] == "json":
        return to_json(
            [
                {"reference": reference, **entry}
                for reference, scores in by_reference.items()
                for entry in objects(scores, None, options)
            ]
        )
    together = by_reference["all"]
    header = ["System", "Reference", "Segments", *(item.label for item in together)]
    rows = [
        [
            system,
            reference,
            str(scores[0].n_segments),
            *(_with_interval(item, system, options["width"]) for item in scores),
        ]
        for system in together[0].systems
        for reference, scores in by_reference.items()
    ]
    lines = [table(header, rows, options["form"])]
    if options["form"] in ("text", "markdown"):
        lines += ["", *(_signature(item, options) for item in together)]
    return "\n".join(lines)


def objects(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> list[dict[str, Any]]:
    """One object per system and metric, numbers at full precision."""
    found = []
    for row, system in enumerate(scores[0].systems):
        for place, item in enumerate(scores):
            label, _, signature = item.signature.partition("|")
            metric = create(item.metric)
            entry: dict[str, Any] = {
                "system": system,
                "metric": item.metric,
                "name": label,
                "score": item.system[system],
                "signature": signature,
                "verbose_score": metric.verbose(item.totals[system]),
                **parse_signature(item.signature)[1],
                "n_segments": item.n_segments,
                "higher_is_better": item.higher_is_better,
                "details": metric.details(item.totals[system]),
            }
            if item.interval:
                interval = item.interval[system]
                entry |= {
                    "ci_low": interval.low,
                    "ci_high": interval.high,
                    "confidence": interval.confidence,
                    "confidence_mean": interval.mean,
                    "confidence_var": interval.half_width,  # a half-width; the name is sacreBLEU's
                }
            if tests:
                entry |= {
                    "p_value": _p_value(tests[place], row),
                    "baseline": item.systems[0],
                    "test": tests[place].test,
                }
            if options["sentence_level"]:
                entry["segments"] = item.segment[system].tolist()
            if item.by:
                entry["documents" if item.by == "document" else "groups"] = dict(item.group[system])
            found.append(entry)
    return found


def _p_value(test: Any, row: int) -> float | None:
    """None for the baseline itself, which is compared with nothing."""
    return float(test.p_value[0, row]) if row else None


def shorten(signature: str) -> str:
    """A signature with sacreBLEU's short keys."""
    label, *parts = signature.split("|")
    pairs = [part.partition(":") for part in parts]
    return "|".join([label, *(f"{SHORT.get(key, key)}:{value}" for key, _, value in pairs)])


def _signature(item: Scores, options: dict[str, Any]) -> str:
    return shorten(item.signature) if options["short"] else item.signature


def _with_interval(item: Scores, system: str, width: int) -> str:
    text = number(item.system[system], width)
    if item.interval:
        interval = item.interval[system]
        text += f" ({number(interval.low, width)} to {number(interval.high, width)})"
    return text


def _line(item: Scores, options: dict[str, Any]) -> str:
    """As `sacrebleu -f text` prints: signature = score, then the parts of the score."""
    system = item.systems[0]
    text = number(item.system[system], options["width"])
    if item.interval:
        interval = item.interval[system]
        text += f" (μ = {number(interval.mean, options['width'])} ± {number(interval.half_width, options['width'])})"
    verbose = create(item.metric).verbose(item.totals[system])
    return f"{_signature(item, options)} = {text}" + (f" {verbose}" if verbose else "")


def _bare(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    """Scores alone: a line per system, or per segment, metrics and systems separated by tabs."""
    if not options["sentence_level"]:
        return "\n".join(
            "\t".join(_with_interval_bare(item, system, options) for item in scores) for system in scores[0].systems
        )
    columns = [item.segment[system] for system in scores[0].systems for item in scores]
    return "\n".join("\t".join(number(value, options["width"]) for value in row) for row in zip(*columns, strict=True))


def _with_interval_bare(item: Scores, system: str, options: dict[str, Any]) -> str:
    text = number(item.system[system], options["width"])
    if item.interval:
        interval = item.interval[system]
        text += f" (μ = {number(interval.mean, options['width'])} ± {number(interval.half_width, options['width'])})"
    return text


def _segments(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    systems = scores[0].systems
    if options["form"] == "text" and len(systems) == len(scores) == 1:
        item = scores[0]
        metric, signature = create(item.metric), _signature(item, options)
        pairs = zip(item.segment[systems[0]], item.counts[systems[0]], strict=True)
        return "\n".join(
            f"{signature} = {number(value, options['width'])} {metric.verbose(counts)}".rstrip()
            for value, counts in pairs
        )
    header = ["segment", *(f"{system} {item.label}" for system in systems for item in scores)]
    columns = [item.segment[system] for system in systems for item in scores]
    rows = [
        [str(i), *(number(value, options["width"]) for value in values)]
        for i, values in enumerate(zip(*columns, strict=True), 1)
    ]
    return table(header, rows, options["form"])


def _groups(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    systems = scores[0].systems
    names = list(scores[0].group[systems[0]])
    header = [options["by"], *(f"{system} {item.label}" for system in systems for item in scores)]
    rows = [
        [name, *(number(item.group[s][name], options["width"]) for s in systems for item in scores)] for name in names
    ]
    whole = [number(item.system[system], options["width"]) for system in systems for item in scores]
    return table(header, [*rows, ["all", *whole]], options["form"])


def _table(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    width, systems = options["width"], scores[0].systems
    header = ["System"]
    for item in scores:
        header += [item.label] + (["p"] if tests else [])
    rows = []
    for row, system in enumerate(systems):
        cells = [system]
        for place, item in enumerate(scores):
            cells.append(_with_interval(item, system, width))
            if tests:
                p = _p_value(tests[place], row)
                cells.append("baseline" if p is None else f"{p:.4f}" + ("*" if p < 0.05 else ""))
        rows.append(cells)
    lines = [table(header, rows, options["form"])]
    if options["form"] in ("text", "markdown"):
        lines.append("")
        if tests:
            kind = "paired bootstrap" if options["paired_bs"] else "approximate randomisation"
            lines.append(
                f"p: two-sided {kind} against {systems[0]}, {tests[0].resamples} resamples, seed {tests[0].seed}; "
                "* below .05, not corrected for several comparisons ('tercet compare' does that)."
            )
        lines += [_signature(item, options) for item in scores]
    return "\n".join(lines)
