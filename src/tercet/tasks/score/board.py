"""The document of `tercet score`: sacreBLEU's line for one system, tables for more, rows for programs; its JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...cli.console import rendered
from ...data.scores import ScoreList, Scores
from ...rendering.document import Notes, Part, Table, grid
from ...rendering.tables import number

if TYPE_CHECKING:
    from . import ScoreOptions

SHORT = {"nrefs": "#", "case": "c", "eff": "e", "smooth": "s", "version": "v", "seed": "rs"}
SACREBLEU = " (μ = {} ± {})"


def render(scores: Sequence[Scores], options: ScoreOptions, ids: Sequence[str] | None) -> str:
    """Return the whole output of the command."""
    form = "text" if options.score_only else options.form
    found = ScoreList(scores)
    asked: dict[str, Any] = {"segments": options.sentence_level, "ids": ids}
    data, rows = partial(found.records, **asked), partial(found.record_rows, **asked)
    return rendered(form, _parts(scores, options, ids), data, "Scores", rows)


def _parts(scores: Sequence[Scores], options: ScoreOptions, ids: Sequence[str] | None) -> Iterator[Part]:
    by_segment, systems = options.sentence_level, scores[0].systems
    one_line = options.form == "text" and len(systems) == 1 and not options.by
    if options.score_only and by_segment:
        yield "\n".join("\t".join(row[1:]) for row in _breakdown(scores, options, ids).rows)
    elif options.score_only:  # for one system a line per metric, as sacreBLEU does
        cells = [[_score(item, system, options, SACREBLEU) for item in scores] for system in systems]
        yield "\n".join("\t".join(row) for row in cells) if len(systems) > 1 else "\n".join(cells[0])
    elif one_line and by_segment and len(scores) == 1:
        yield _segment_lines(scores[0], options)
    elif one_line and not by_segment:
        yield "\n".join(
            f"{_signature(item, options)} = {_score(item, systems[0], options, SACREBLEU)} "
            f"{item.metric.verbose(item.totals[systems[0]]) if item.totals else ''}".rstrip()
            for item in scores
        )
    else:
        yield _breakdown(scores, options, ids) if by_segment or options.by else _systems(scores, options)
        yield Notes(list(_footer(scores, options)))


def render_each(by_reference: Mapping[str, ScoreList], options: ScoreOptions) -> str:
    """Return scores against all references and against each alone: a row or object per system and reference."""
    together = by_reference["all"]
    rows = [
        [system, reference, str(scores[0].n_segments), *(_score(item, system, options) for item in scores)]
        for system in together[0].systems
        for reference, scores in by_reference.items()
    ]
    table = Table(["System", "Reference", "Segments", *_labels(together).values()], rows)
    data = [{"reference": name, **entry} for name, scores in by_reference.items() for entry in scores.records()]
    return rendered(options.form, [table, Notes(list(_footer(together, options)))], lambda: data)


def _signature(item: Scores, options: ScoreOptions) -> str:
    label, *parts = item.signature.split("|")
    pairs = [part.partition(":") for part in parts]
    short = SHORT if options.short else {}
    return "|".join([label, *(f"{short.get(key, key)}{colon}{value}" for key, colon, value in pairs)])


def _footer(scores: Sequence[Scores], options: ScoreOptions) -> Iterator[str]:
    """Yield what a table does not say: the test, the number of segments, the references, the signatures."""
    if test := scores[0].test:
        from ...stats.paired import is_exact, test_name

        times = f"{test.resamples} {'exchanges' if is_exact(test.test, test.n) else 'resamples'}"
        yield (
            f"p: two-sided {test_name(test.test, test.n)} against {scores[0].systems[0]}, {times}, seed "
            f"{test.seed}; * below .05, not corrected for several comparisons ('tercet compare' does that)."
        )
    references = scores[0].provenance.get("references", ())
    yield f"{scores[0].n_segments} segments" + (f"; references: {', '.join(references)}" if references else "")
    yield from (_signature(item, options) for item in scores)


def _labels(scores: Sequence[Scores]) -> dict[Scores, str]:
    often = Counter(item.label for item in scores)
    return {item: item.metric.spec if often[item.label] > 1 else item.label for item in scores}


def _number(item: Scores, value: float, options: ScoreOptions) -> str:
    return number(value, item.metric.decimals if options.width is None else options.width)


def _score(item: Scores, system: str, options: ScoreOptions, form: str = " ({} to {})") -> str:
    """Return a score; with an interval, also the bounds or, in sacreBLEU's form, mean and half-width of resamples."""
    text = _number(item, item.system[system], options)
    if not item.interval:
        return text
    interval = item.interval[system]
    both = (interval.mean, interval.half_width) if form == SACREBLEU else (interval.low, interval.high)
    return text + form.format(*(_number(item, value, options) for value in both))


def _segment_lines(item: Scores, options: ScoreOptions) -> str:
    # A segment may be scored by another variant of the metric than the corpus, and sacreBLEU's line names it.
    own = replace(item.metric, signature=item.metric.segment_signature or item.metric.signature)
    signature = _signature(replace(item, metric=own, interval={}), options)
    pairs = zip(item.segment[item.systems[0]], item.counts[item.systems[0]], strict=True)
    return "\n".join(
        f"{signature} = {_number(item, value, options)} {item.metric.verbose(counts)}".rstrip()
        for value, counts in pairs
    )


def _breakdown(scores: Sequence[Scores], options: ScoreOptions, ids: Sequence[str] | None) -> Table:
    """Return a row per segment or group, with the whole as a last group."""
    first, by_segment = scores[0], options.sentence_level
    columns = {(name, item): f"{name} {label}" for name in first.systems for item, label in _labels(scores).items()}
    values = {
        (name, item): item.segment[name].tolist() if by_segment else [*item.group[name].values(), item.system[name]]
        for name, item in columns
    }
    if by_segment:
        names = ids or map(str, range(1, first.n_segments + 1))
    else:
        names = [*first.group[first.systems[0]], "all"]
    return grid(
        dict(enumerate(names)),
        columns,
        lambda row, column: _number(column[1], values[column][row], options),
        corner="segment" if by_segment else str(options.by),
    )


def _systems(scores: Sequence[Scores], options: ScoreOptions) -> Table:
    columns: dict[tuple[Scores, str], str] = {}
    for item, label in _labels(scores).items():
        columns |= {(item, "score"): label} | ({} if item.test is None else {(item, "p"): "p"})

    def shown(system: str, column: tuple[Scores, str]) -> str:
        item, kind = column
        if kind == "score":
            return _score(item, system, options)
        p = item.p_value(system)
        return "baseline" if p is None else number(p, 4) + ("*" if p < 0.05 else "")

    return grid(scores[0].systems, columns, shown, corner="System")
