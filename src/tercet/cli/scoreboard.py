"""The document of `tercet score`: sacreBLEU's line for one system, tables for more, rows for programs; its JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..data.scores import Scores, with_facts
from ..metrics import parse_signature
from ..rendering.document import Notes, Part, Table
from ..rendering.tables import number
from ..stats.paired import is_exact, test_name
from .console import rendered

SHORT = {"nrefs": "#", "case": "c", "eff": "e", "smooth": "s", "version": "v", "seed": "rs"}


def render(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> str:
    """Return the whole output of the command."""
    form = "text" if options["score_only"] else options["form"]
    return rendered(form, _parts(scores, tests, options), lambda: objects(scores, tests, options), "Scores")


def _parts(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> Iterator[Part]:
    form, sentence_level, by = options["form"], options["sentence_level"], options["by"]
    one_line = form == "text" and len(scores[0].systems) == 1 and not by
    if options["score_only"]:
        yield _bare(scores, options)
    elif form in ("tsv", "csv"):
        yield _rows(scores, tests, options)
    elif one_line and sentence_level and len(scores) == 1:
        yield _segment_lines(scores[0], options)
    elif one_line and not sentence_level:
        yield "\n".join(_line(item, options) for item in scores)
    else:
        yield _breakdown(scores, options) if sentence_level or by else _systems(scores, tests, options)
        yield Notes(_footer(scores, tests, options))


def render_each(by_reference: Mapping[str, Sequence[Scores]], options: dict[str, Any]) -> str:
    """Return scores against all references and against each alone: a row or object per system and reference."""
    together = by_reference["all"]
    rows = [
        [system, reference, str(scores[0].n_segments), *(_with_interval(item, system, options) for item in scores)]
        for system in together[0].systems
        for reference, scores in by_reference.items()
    ]
    table = Table(["System", "Reference", "Segments", *_labels(together)], rows)

    def data() -> list[dict[str, Any]]:
        found = ((name, entry) for name, scores in by_reference.items() for entry in objects(scores, None, options))
        return [{"reference": name, **entry} for name, entry in found]

    return rendered(options["form"], [table, Notes(_footer(together, None, options))], data)


def objects(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one object per system and metric, with numbers at full precision."""
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
                if options.get("ids"):
                    entry["ids"] = list(options["ids"])
                if extras := item.metric.extras(item.counts[system]):
                    entry["extras"] = {name: column.tolist() for name, column in extras.items()}
            if item.by:
                entry["documents" if item.by == "document" else "groups"] = dict(item.group[system])
            found.append(entry)
    return found


def _p_value(test: Any, row: int) -> float | None:
    """Return the p-value of a row; None for the baseline itself, which is compared with nothing."""
    return float(test.p_value[0, row]) if row else None


def shorten(signature: str) -> str:
    """Return a signature with sacreBLEU's short keys."""
    label, *parts = signature.split("|")
    pairs = [part.partition(":") for part in parts]
    return "|".join([label, *(f"{SHORT.get(key, key)}:{value}" for key, _, value in pairs)])


def _full_signature(item: Scores, tests: Sequence[Any] | None) -> str:
    """Return the signature with the trials of a randomisation test, as in sacreBLEU; it has the bootstrap's already."""
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
    """Return what a table does not say: the test, the number of segments, the references, the signatures."""
    lines = []
    if tests:
        lines.append(
            f"p: two-sided {test_name(tests[0].test, tests[0].n)} against {scores[0].systems[0]}, "
            f"{tests[0].resamples} {'exchanges' if is_exact(tests[0].test, tests[0].n) else 'resamples'}, "
            f"seed {tests[0].seed}; * below .05, not corrected for several comparisons ('tercet compare' does that)."
        )
    references = scores[0].provenance.get("references", ())
    named = f"; references: {', '.join(references)}" if references else ""
    lines.append(f"{scores[0].n_segments} segments{named}")
    return lines + [_signature(item, tests, options) for item in scores]


def _labels(scores: Sequence[Scores]) -> list[str]:
    """Return a name per metric: its label, or the user's name for it if two have the same label."""
    often = Counter(item.label for item in scores)
    return [item.metric.spec if often[item.label] > 1 else item.label for item in scores]


def _number(item: Scores, value: float, options: dict[str, Any]) -> str:
    width = options["width"]
    return number(value, item.metric.decimals if width is None else width)


def _with_interval(item: Scores, system: str, options: dict[str, Any], form: str = " ({} to {})") -> str:
    """Return a score; with an interval, also the bounds or, in sacreBLEU's form, mean and half-width of resamples."""
    text = _number(item, item.system[system], options)
    if not item.interval:
        return text
    interval = item.interval[system]
    both = (interval.mean, interval.half_width) if form == SACREBLEU else (interval.low, interval.high)
    return text + form.format(*(_number(item, value, options) for value in both))


SACREBLEU = " (μ = {} ± {})"


def _line(item: Scores, options: dict[str, Any]) -> str:
    """Return the line of `sacrebleu -f text`: signature = score, then the parts of the score."""
    system = item.systems[0]
    verbose = item.metric.verbose(item.totals[system]) if item.totals else ""
    text = f"{_signature(item, None, options)} = {_with_interval(item, system, options, SACREBLEU)}"
    return f"{text} {verbose}" if verbose else text


def _segment_lines(item: Scores, options: dict[str, Any]) -> str:
    # A segment may be scored by another variant of the metric than the corpus, and sacreBLEU's line names it.
    own = replace(item.metric, signature=item.metric.segment_signature or item.metric.signature)
    signature = _signature(replace(item, metric=own, interval={}), None, options)
    pairs = zip(item.segment[item.systems[0]], item.counts[item.systems[0]], strict=True)
    return "\n".join(
        f"{signature} = {_number(item, value, options)} {item.metric.verbose(counts)}".rstrip()
        for value, counts in pairs
    )


def _bare(scores: Sequence[Scores], options: dict[str, Any]) -> str:
    """Return scores alone: a line per metric for one system, as sacreBLEU does; else a line per system or segment."""
    systems = scores[0].systems
    if options["sentence_level"]:
        return "\n".join("\t".join(row[1:]) for row in _breakdown(scores, options).rows)
    cells = [[_with_interval(item, system, options, SACREBLEU) for item in scores] for system in systems]
    return "\n".join("\t".join(row) for row in cells) if len(systems) > 1 else "\n".join(cells[0])


def _values(item: Scores, system: str, options: dict[str, Any]) -> Mapping[str, float]:
    """Return the scores of a system by segment or by group."""
    if options["sentence_level"]:
        values = item.segment[system].tolist()
        ids = options.get("ids") or [str(number) for number in range(1, len(values) + 1)]
        return dict(zip(ids, values, strict=True))
    return item.group[system]


def _rows(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> Table:
    """Return a long table for programs: a row per system, metric, and segment or group."""

    def cell(value: float | None) -> str:
        return "" if value is None or value != value else repr(float(value))

    found = [(row, s, place, item) for row, s in enumerate(scores[0].systems) for place, item in enumerate(scores)]
    if options["sentence_level"] or options["by"]:
        unit = "segment" if options["sentence_level"] else options["by"]
        rows = [
            [system, item.metric.spec, name, cell(value), item.signature]
            for _, system, _, item in found
            for name, value in _values(item, system, options).items()
        ]
        return Table(["system", "metric", unit, "score", "signature"], rows)
    rows = []
    for row, system, place, item in found:
        bounds = (item.interval[system].low, item.interval[system].high) if item.interval else (None, None)
        p = _p_value(tests[place], row) if tests else None
        numbers = [cell(value) for value in (item.system[system], *bounds, p)]
        rows.append([system, item.metric.spec, *numbers, _full_signature(item, tests)])
    return Table(["system", "metric", "score", "ci_low", "ci_high", "p_value", "signature"], rows)


def _breakdown(scores: Sequence[Scores], options: dict[str, Any]) -> Table:
    """Return a row per segment or group, with the whole as a last group."""
    by_segment, systems = options["sentence_level"], scores[0].systems
    names = list(_values(scores[0], systems[0], options))
    columns = []
    for system in systems:
        for item in scores:
            values = _values(item, system, options)
            found = [values[name] for name in names] + ([] if by_segment else [item.system[system]])
            columns.append([_number(item, value, options) for value in found])
    rows = zip(names if by_segment else [*names, "all"], *columns, strict=True)
    header = [f"{system} {label}" for system in systems for label in _labels(scores)]
    return Table(["segment" if by_segment else options["by"], *header], [list(row) for row in rows])


def _systems(scores: Sequence[Scores], tests: Sequence[Any] | None, options: dict[str, Any]) -> Table:
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
    return Table(header, rows)
