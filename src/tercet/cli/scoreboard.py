"""The document of `tercet score`: sacreBLEU's line for one system, tables for more, rows for programs; its JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..data.scores import Scores, with_facts
from ..metrics import parse_signature
from ..rendering.document import Notes, Part, Table, grid
from ..rendering.tables import number
from ..stats.paired import is_exact, test_name
from .console import rendered

SHORT = {"nrefs": "#", "case": "c", "eff": "e", "smooth": "s", "version": "v", "seed": "rs"}
SACREBLEU = " (μ = {} ± {})"
Options = dict[str, Any]
Tests = Sequence[Any] | None


def render(scores: Sequence[Scores], tests: Tests, options: Options) -> str:
    """Return the whole output of the command."""
    form = "text" if options["score_only"] else options["form"]
    data = partial(objects, scores, tests, options)
    return rendered(form, _parts(scores, tests, options), data, "Scores", lambda: _rows(data(), options))


def _parts(scores: Sequence[Scores], tests: Tests, options: Options) -> Iterator[Part]:
    by_segment, systems = options["sentence_level"], scores[0].systems
    one_line = options["form"] == "text" and len(systems) == 1 and not options["by"]
    if options["score_only"] and by_segment:
        yield "\n".join("\t".join(row[1:]) for row in _breakdown(scores, options).rows)
    elif options["score_only"]:  # for one system a line per metric, as sacreBLEU does
        cells = [[_score(item, system, options, SACREBLEU) for item in scores] for system in systems]
        yield "\n".join("\t".join(row) for row in cells) if len(systems) > 1 else "\n".join(cells[0])
    elif one_line and by_segment and len(scores) == 1:
        yield _segment_lines(scores[0], options)
    elif one_line and not by_segment:
        yield "\n".join(
            f"{_signature(item, None, options)} = {_score(item, systems[0], options, SACREBLEU)} "
            f"{item.metric.verbose(item.totals[systems[0]]) if item.totals else ''}".rstrip()
            for item in scores
        )
    else:
        yield _breakdown(scores, options) if by_segment or options["by"] else _systems(scores, tests, options)
        yield Notes(list(_footer(scores, tests, options)))


def render_each(by_reference: Mapping[str, Sequence[Scores]], options: Options) -> str:
    """Return scores against all references and against each alone: a row or object per system and reference."""
    together = by_reference["all"]
    rows = [
        [system, reference, str(scores[0].n_segments), *(_score(item, system, options) for item in scores)]
        for system in together[0].systems
        for reference, scores in by_reference.items()
    ]
    table = Table(["System", "Reference", "Segments", *_labels(together)], rows)
    data = [
        {"reference": name, **entry}
        for name, scores in by_reference.items()
        for entry in objects(scores, None, options)
    ]
    return rendered(options["form"], [table, Notes(list(_footer(together, None, options)))], lambda: data)


def objects(scores: Sequence[Scores], tests: Tests, options: Options) -> list[dict[str, Any]]:
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
                entry |= {"ci_low": interval.low, "ci_high": interval.high, "confidence": interval.confidence}
                # A half-width; the name is sacreBLEU's.
                entry |= {"confidence_mean": interval.mean, "confidence_var": interval.half_width}
            if tests:
                p = float(tests[place].p_value[0, row]) if row else None
                entry |= {"p_value": p, "baseline": item.systems[0], "test": tests[place].test}
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


def _rows(data: Sequence[Mapping[str, Any]], options: Options) -> list[dict[str, Any]]:
    """Return a row per system, metric, and segment or group."""
    rows = []
    for entry in data:
        first = {name: entry[name] for name in ("system", "metric")}
        last = {"signature": f"{entry['name']}|{entry['signature']}".rstrip("|")}
        if options["sentence_level"]:
            values = _numbered(entry["segments"], options)
        elif options["by"]:
            values = entry.get("documents") or entry["groups"]
        else:
            numbers = {name: entry.get(name) for name in ("score", "ci_low", "ci_high", "p_value")}
            rows.append({**first, **numbers, **last})
            continue
        unit = "segment" if options["sentence_level"] else options["by"]
        rows += [{**first, unit: name, "score": value, **last} for name, value in values.items()]
    return rows


def _numbered(values: Sequence[float], options: Options) -> dict[str, float]:
    """Return the scores of segments by their names or numbers."""
    return dict(zip(options.get("ids") or map(str, range(1, len(values) + 1)), values, strict=True))


def _full_signature(item: Scores, tests: Tests) -> str:
    """Return the signature with the trials of a randomisation test, as in sacreBLEU; it has the bootstrap's already."""
    if not tests or tests[0].test != "randomisation":
        return item.signature
    facts: dict[str, object] = {"ar": tests[0].resamples, "seed": tests[0].seed}
    label, references, *rest = item.signature.split("|")
    if references.startswith("nrefs:"):
        return with_facts("|".join([label, *rest]), {"nrefs": references[6:], **facts})
    return with_facts(item.signature, facts)


def _signature(item: Scores, tests: Tests, options: Options) -> str:
    """Return the signature, with sacreBLEU's short keys if asked for."""
    label, *parts = _full_signature(item, tests).split("|")
    pairs = [part.partition(":") for part in parts]
    short = SHORT if options["short"] else {}
    return "|".join([label, *(f"{short.get(key, key)}{colon}{value}" for key, colon, value in pairs)])


def _footer(scores: Sequence[Scores], tests: Tests, options: Options) -> Iterator[str]:
    """Yield what a table does not say: the test, the number of segments, the references, the signatures."""
    if tests:
        yield (
            f"p: two-sided {test_name(tests[0].test, tests[0].n)} against {scores[0].systems[0]}, "
            f"{tests[0].resamples} {'exchanges' if is_exact(tests[0].test, tests[0].n) else 'resamples'}, "
            f"seed {tests[0].seed}; * below .05, not corrected for several comparisons ('tercet compare' does that)."
        )
    references = scores[0].provenance.get("references", ())
    yield f"{scores[0].n_segments} segments" + (f"; references: {', '.join(references)}" if references else "")
    yield from (_signature(item, tests, options) for item in scores)


def _labels(scores: Sequence[Scores]) -> list[str]:
    """Return a name per metric: its label, or the user's name for it if two have the same label."""
    often = Counter(item.label for item in scores)
    return [item.metric.spec if often[item.label] > 1 else item.label for item in scores]


def _number(item: Scores, value: float, options: Options) -> str:
    return number(value, item.metric.decimals if options["width"] is None else options["width"])


def _score(item: Scores, system: str, options: Options, form: str = " ({} to {})") -> str:
    """Return a score; with an interval, also the bounds or, in sacreBLEU's form, mean and half-width of resamples."""
    text = _number(item, item.system[system], options)
    if not item.interval:
        return text
    interval = item.interval[system]
    both = (interval.mean, interval.half_width) if form == SACREBLEU else (interval.low, interval.high)
    return text + form.format(*(_number(item, value, options) for value in both))


def _segment_lines(item: Scores, options: Options) -> str:
    # A segment may be scored by another variant of the metric than the corpus, and sacreBLEU's line names it.
    own = replace(item.metric, signature=item.metric.segment_signature or item.metric.signature)
    signature = _signature(replace(item, metric=own, interval={}), None, options)
    pairs = zip(item.segment[item.systems[0]], item.counts[item.systems[0]], strict=True)
    return "\n".join(
        f"{signature} = {_number(item, value, options)} {item.metric.verbose(counts)}".rstrip()
        for value, counts in pairs
    )


def _breakdown(scores: Sequence[Scores], options: Options) -> Table:
    """Return a row per segment or group, with the whole as a last group."""
    by_segment, systems = options["sentence_level"], scores[0].systems
    columns = []
    for system in systems:
        for item in scores:
            found = _numbered(item.segment[system].tolist(), options) if by_segment else item.group[system]
            whole = [] if by_segment else [item.system[system]]
            columns.append([_number(item, value, options) for value in (*found.values(), *whole)])
    names = [*found, *([] if by_segment else ["all"])]
    header = [f"{system} {label}" for system in systems for label in _labels(scores)]
    rows = list(zip(names, *columns, strict=True))
    return Table(["segment" if by_segment else options["by"], *header], rows)


def _systems(scores: Sequence[Scores], tests: Tests, options: Options) -> Table:
    systems = scores[0].systems
    columns = {
        (place, kind): "p" if kind == "p" else label
        for place, label in enumerate(_labels(scores))
        for kind in (("score", "p") if tests else ("score",))
    }

    def shown(system: str, column: tuple[int, str]) -> str:
        place, kind = column
        if kind == "score" or tests is None:
            return _score(scores[place], system, options)
        p = float(tests[place].p_value[0, systems.index(system)])
        return "baseline" if system == systems[0] else number(p, 4) + ("*" if p < 0.05 else "")

    return grid(systems, columns, shown, corner="System")
