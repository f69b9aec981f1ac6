"""`tercet track add`: a run from files of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.scores import Scores
from ...options import REQUIRED, command, shell_option
from . import About, Database, opened, read_tags

if TYPE_CHECKING:
    from .runs import Run


@dataclass(frozen=True, kw_only=True)
class AddOptions(About, Database):
    """Options of `track add`."""

    files: Sequence[str] = shell_option(REQUIRED, metavar="FILE...")
    system: str | None = shell_option(None, "--system", help="Name of the system, for files of one system.")
    test_set: str | None = shell_option(None, "--test-set", "-t", metavar="NAME", help="Name of the test set.")
    pair: str | None = shell_option(
        None, "-l", "--language-pair", metavar="SRC-TGT", help="The language pair, as en-de."
    )


@command(AddOptions)
def run(options: AddOptions) -> None:
    """Add runs from files of scores: what 'tercet score --save' wrote, sacreBLEU's JSON, COMET's, WMT's, a table.

    Files with scores of segments can be compared and gated later; those of whole systems are listed and plotted.

    \b
    tercet track add runs.db scores.npz --tag commit=1a2b3c
    tercet track add runs.db sacrebleu.json --system nmt -t newstest2019
    """
    import click

    history = opened(options, create=True)
    tags = read_tags(options.tags)
    made: list[int] = []
    for file in options.files:
        runs = sacrebleu_runs(file, options)
        if runs is not None:
            made += history.add_runs(runs)
            continue
        scores = _scores(file, options)
        segmented = [item for item in scores if item.counts]
        whole = [item for item in scores if not item.counts]
        for part in filter(None, (segmented, whole)):
            made += history.add(part, system=options.system, tags=tags, time=options.time)
    click.echo(f"Added run{'s' * (len(made) > 1)} {', '.join(map(str, made))} to {history.name}.", err=True)


def _scores(file: str, options: AddOptions) -> list[Scores]:
    from ...external import read_external
    from ...scoring import load

    if file.endswith(".npz"):
        found = load(file)
    else:
        found = read_external(file)
    given = {"test_set": options.test_set, "pair": options.pair}
    known = {name: value for name, value in given.items() if value is not None}
    return [replace(item, provenance={**item.provenance, **known}) for item in found]


def sacrebleu_runs(file: str, options: AddOptions) -> list[Run] | None:
    """Return the runs of a JSON file that sacreBLEU or `tercet score -f json` printed; None for other files."""
    import json

    from ...data.lines import read_lines
    from ...errors import DataError
    from .runs import Run, RunScore

    if not file.endswith(".json"):
        return None
    try:
        found = json.loads("\n".join(read_lines(file)))
    except ValueError as error:
        raise DataError(f"{file}: {error}.") from None
    listed = found if isinstance(found, list) else [found]
    if not listed or not all(
        isinstance(each, dict) and ({"name", "score"} <= set(each) or "system" in each) for each in listed
    ):
        return None
    by_system: dict[str, list[RunScore]] = {}
    for each in listed:
        name = str(options.system or each.get("system") or Path(file).stem)
        columns = {str(each["name"]): each} if "name" in each else _columns(each)
        for label, entry in columns.items():
            try:
                score = float(entry["score"])
            except (KeyError, TypeError, ValueError):
                raise DataError(f"{file}: {label} of {name} has no number as its score.") from None
            higher = entry.get("higher_is_better", label.upper() != "TER")
            signature = str(entry.get("signature", ""))
            half = entry.get("confidence_var", entry.get("confidence"))
            deviation = float(half) / 1.96 if isinstance(half, int | float) and half else None
            by_system.setdefault(name, []).append(
                RunScore(label, f"{label}|{signature}".rstrip("|"), higher, score, deviation)
            )
    about: dict[str, Any] = {
        "test_set": options.test_set or "",
        "pair": options.pair or "",
        "tags": read_tags(options.tags),
    }
    return [Run(name, tuple(scores), time=options.time or "", **about) for name, scores in by_system.items()]


def _columns(each: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the scores of a row of sacreBLEU's table of several systems, as "BLEU": "36.4 (μ = 36.4 ± 1.1)"."""
    return {
        label: value if isinstance(value, dict) else {"score": str(value).split()[0] if value else value}
        for label, value in each.items()
        if label != "system"
    }
