"""How `tercet score` shows scores: sacreBLEU's line for one system, tables for more, rows for programs, JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..data.scores import Scores, with_facts
from ..metrics import parse_signature
from ..report.tables import number, table, to_json

SHORT = {"nrefs": "#", "case": "c", "eff": "e", "smooth": "s", "version": "v", "seed": "rs"}
ROWS = ("tsv", "csv")  # forms for programs: one fact per cell, full precision


def render(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    """The whole output of the command."""
    if options["form"] == "json":
        return to_json(objects(scores, tests, options))
    if options["score_only"]:
        return _bare(scores, options)
    if options["form"] in ROWS:
        return _rows(scores, tests, options)
    if options["sentence_level"]:
        return _segments(scores, options)
    if options["by"]:
        return _groups(scores, options)
    if options["form"] == "text" and len(scores[0].systems) == 1:
        return "\n".join(_line(item, options) for item in scores)
    return _table(scores, tests, options)


def render_each(by_reference: Mapping[str, Sequence[Scores]], options: dict[str, Any]) -> str:
    """Scores against all references and against each alone: a row or object per system and reference."""
    if options["form"] == "json":
        return to_json(
            [
                {"reference": reference, **entry}
                for reference, scores in by_reference.items()
                for entry in objects(scores, None, options)
            ]
        )
    together = by_reference["all"]
    header = ["System", "Reference", "Segments", *_labels(together)]
    rows = [
        [system, reference, str(scores[0].n_segments), *(_with_interval(item, system, options) for item in scores)]
        for system in together[0].systems
        for reference, scores in by_reference.items()
    ]
    return "\n".join([table(header, rows, options["form"]), *_footer(together, None, options)])


def objects(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> list[dict[str, Any]]:
    """One object per system and metric, numbers at full precision."""
    found = []
    for row, system in enumerate(scores[0].systems):
        for place, item in enumerate(scores):
            full = _full_signature(item, tests)
            label, _, signature = full.partition("|")
            entry: dict[str, Any] = {
                "system": system,
                "metric": item.metric.spec,
                "name": label,
                "score": item.system[system],
                "signature": signature,
                "verbose_score": item.metric.verbose(item.totals[system]) if item.totals else "",
                "n_segments": item.n_segments,
                "references": list(item.provenance.get("references", ())),
                "higher_is_better": item.higher_is_better,
                "details": item.metric.details(item.totals[system]) if item.totals else {},
            }
            entry = {**entry, **parse_signature(full)[1], **entry}  # sacreBLEU's keys too; ours go before
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
                if extras := item.metric.extras(item.counts[system]):
                    entry["extras"] = {name: column.tolist() for name, column in extras.items()}
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


def _full_signature(item: Scores, tests: Sequence[Any] | None) -> str:
    """With the number of trials of a randomisation test, as sacreBLEU has it; the bootstrap's stands there already."""
    if not tests or tests[0].test != "randomisation":
        return item.signature
    facts: dict[str, object] = {"ar": tests[0].resamples, "seed": tests[0].seed}
    label, references, *rest = item.signature.split("|")
    if references.startswith("nrefs:"):
        return with_facts("|".join([label, *rest]), {"nrefs": references[6:], **facts})
    return with_facts(item.signature, facts)


def _signature(item: Scores, tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    full = _full_signature(item, tests)
    return shorten(full) if options["short"] else full


def _footer(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> list[str]:
    """What a table leaves open: the test, how many segments, which references, the signatures."""
    lines = []
    if tests:
        kind = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}[tests[0].test]
        lines.append(
            f"p: two-sided {kind} against {scores[0].systems[0]}, {tests[0].resamples} resamples, "
            f"seed {tests[0].seed}; * below .05, not corrected for several comparisons ('tercet compare' does that)."
        )
    references = scores[0].provenance.get("references", ())
    named = f"; references: {', '.join(references)}" if references else ""
    lines.append(f"{scores[0].n_segments} segments{named}")
    lines += [_signature(item, tests, options) for item in scores]
    if options["form"] == "latex":
        return [f"% {line}" for line in lines]
    return ["", *lines] if options["form"] in ("text", "markdown") else []


def _labels(scores: Sequence[Scores]) -> list[str]:
    """A name per metric: its label, or where two have the same, what it was asked for by."""
    often = Counter(item.label for item in scores)
    return [item.metric.spec if often[item.label] > 1 else item.label for item in scores]


def _number(item: Scores, value: float, options: dict[str, Any]) -> str:
    width = options["width"]
    return number(value, item.metric.decimals if width is None else width)


def _with_interval(item: Scores, system: str, options: dict[str, Any]) -> str:
    text = _number(item, item.system[system], options)
    if item.interval:
        interval = item.interval[system]
        text += f" ({_number(item, interval.low, options)} to {_number(item, interval.high, options)})"
    return text


def _as_sacrebleu(item: Scores, system: str, options: dict[str, Any]) -> str:
    """A score as sacreBLEU prints it, with mean and half-width of the resamples where there is an interval."""
    text = _number(item, item.system[system], options)
    if item.interval:
        interval = item.interval[system]
        text += f" (μ = {_number(item, interval.mean, options)} ± {_number(item, interval.half_width, options)})"
    return text


def _line(item: Scores, options: dict[str, Any]) -> str:
    """As `sacrebleu -f text` prints: signature = score, then the parts of the score."""
    system = item.systems[0]
    verbose = item.metric.verbose(item.totals[system]) if item.totals else ""
    text = f"{_signature(item, None, options)} = {_as_sacrebleu(item, system, options)}"
    return f"{text} {verbose}" if verbose else text


def _bare(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    """Scores alone. One system: a line per metric, as sacreBLEU; more: a line each. Of segments: a line each."""
    systems = scores[0].systems
    if options["sentence_level"]:
        columns = [[_number(item, v, options) for v in item.segment[s]] for s in systems for item in scores]
        return "\n".join("\t".join(row) for row in zip(*columns, strict=True))
    cells = [[_as_sacrebleu(item, system, options) for item in scores] for system in systems]
    return "\n".join("\t".join(row) for row in cells) if len(systems) > 1 else "\n".join(cells[0])


def _rows(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    """Long tables for programs: a row per system and metric (and segment or group), empty cells where undefined."""

    def cell(value: float | None) -> str:
        return "" if value is None or value != value else repr(float(value))

    def parts(item: Scores, system: str) -> Iterator[tuple[str, float]]:
        if options["sentence_level"]:
            yield from ((str(i), value) for i, value in enumerate(item.segment[system].tolist(), 1))
        else:
            yield from item.group[system].items()

    pairs = [(row, s, place, item) for row, s in enumerate(scores[0].systems) for place, item in enumerate(scores)]
    if options["sentence_level"] or options["by"]:
        unit = "segment" if options["sentence_level"] else options["by"]
        header = ["system", "metric", unit, "score", "signature"]
        rows = [
            [system, item.metric.spec, name, cell(value), item.signature]
            for _, system, _, item in pairs
            for name, value in parts(item, system)
        ]
        return table(header, rows, options["form"])
    header = ["system", "metric", "score", "ci_low", "ci_high", "p_value", "signature"]
    rows = []
    for row, system, place, item in pairs:
        bounds = (item.interval[system].low, item.interval[system].high) if item.interval else (None, None)
        p = _p_value(tests[place], row) if tests else None
        numbers = [cell(value) for value in (item.system[system], *bounds, p)]
        rows.append([system, item.metric.spec, *numbers, _full_signature(item, tests)])
    return table(header, rows, options["form"])


def _segments(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    systems = scores[0].systems
    if options["form"] == "text" and len(systems) == len(scores) == 1:
        item = scores[0]
        # What a segment is scored by may differ from the corpus, and sacreBLEU's line says it.
        own = replace(item.metric, signature=item.metric.segment_signature or item.metric.signature)
        signature = _signature(replace(item, metric=own, interval={}), None, options)
        pairs = zip(item.segment[systems[0]], item.counts[systems[0]], strict=True)
        return "\n".join(
            f"{signature} = {_number(item, value, options)} {item.metric.verbose(counts)}".rstrip()
            for value, counts in pairs
        )
    columns = [[_number(item, value, options) for value in item.segment[s]] for s in systems for item in scores]
    rows = [[str(i), *values] for i, values in enumerate(zip(*columns, strict=True), 1)]
    header = ["segment", *(f"{system} {label}" for system in systems for label in _labels(scores))]
    return "\n".join([table(header, rows, options["form"]), *_footer(scores, None, options)])


def _groups(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    systems = scores[0].systems
    header = [options["by"], *(f"{system} {label}" for system in systems for label in _labels(scores))]
    rows = [
        [name, *(_number(item, item.group[system][name], options) for system in systems for item in scores)]
        for name in scores[0].group[systems[0]]
    ]
    whole = [_number(item, item.system[system], options) for system in systems for item in scores]
    rows.append(["all", *whole])
    return "\n".join([table(header, rows, options["form"]), *_footer(scores, None, options)])


def _table(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    header = ["System"]
    for label in _labels(scores):
        header += [label, "p"] if tests else [label]
    rows = []
    for row, system in enumerate(scores[0].systems):
        cells = [system]
        for place, item in enumerate(scores):
            cells.append(_with_interval(item, system, options))
            if tests:
                p = _p_value(tests[place], row)
                cells.append("baseline" if p is None else number(p, 4) + ("*" if p < 0.05 else ""))
        rows.append(cells)
    return "\n".join([table(header, rows, options["form"]), *_footer(scores, tests, options)])
