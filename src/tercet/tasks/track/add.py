"""`tercet track add`: a run from files of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from ...data.jsonl import parse_json
from ...data.lines import read_lines
from ...errors import DataError
from ...options import REQUIRED, command, shell_option
from . import Database, read_tags
from .runs import Run, RunScore


@dataclass(frozen=True, kw_only=True)
class AddOptions(Database):
    """Options of `track add`."""

    files: Sequence[str] = shell_option(REQUIRED, metavar="FILE...")
    tags: Sequence[str] = shell_option(
        (), "--tag", metavar="NAME=VALUE", help="A fact about the run, as commit=1a2b3c. Repeat for more."
    )
    time: str | None = shell_option(None, "--time", help="When it was: ISO 8601, as 2026-11-19T03:00. [default: now]")
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

    from ...external import read_external
    from ...scoring import load

    history = options.opened(create=True)
    tags = read_tags(options.tags)
    facts = (("test_set", options.test_set), ("pair", options.pair))
    known = {name: value for name, value in facts if value is not None}
    made: list[int] = []
    for file in options.files:
        runs = sacrebleu_runs(file, options)
        if runs is not None:
            made += history.add_runs(runs)
            continue
        scores = load(file) if file.endswith(".npz") else read_external(file)
        scores = [replace(item, provenance={**item.provenance, **known}) for item in scores]
        for counted in (True, False):
            if part := [item for item in scores if bool(item.counts) is counted]:
                made += history.add(part, system=options.system, tags=tags, time=options.time)
    click.echo(f"Added run{'s' * (len(made) > 1)} {', '.join(map(str, made))} to {history.name}.", err=True)


def sacrebleu_runs(file: str, options: AddOptions) -> list[Run] | None:
    """Return the runs of a JSON file that sacreBLEU or `tercet score -f json` printed; None for other files."""
    if not file.endswith(".json"):
        return None
    found = parse_json("\n".join(read_lines(file)), file)
    listed = found if isinstance(found, list) else [found]
    if not listed or not all(
        isinstance(each, dict) and ({"name", "score"} <= set(each) or "system" in each) for each in listed
    ):
        return None
    by_system: dict[str, list[RunScore]] = {}
    for each in listed:
        name = str(options.system or each.get("system") or Path(file).stem)
        # Several systems are rows of a table, as "BLEU": "36.4 (μ = 36.4 ± 1.1)".
        columns = {str(each["name"]): each} if "name" in each else {k: v for k, v in each.items() if k != "system"}
        for label, entry in columns.items():
            if not isinstance(entry, dict):
                entry = {"score": str(entry).split()[0] if entry else entry}
            try:
                score = float(entry["score"])
            except (KeyError, TypeError, ValueError):
                raise DataError(f"{file}: {label} of {name} has no number as its score.") from None
            higher = label.upper() != "TER" if "higher_is_better" not in entry else entry["higher_is_better"]
            if not isinstance(higher, bool | None):
                raise DataError(f"{file}: higher_is_better of {label} must be true, false or null.")
            signature = str(entry.get("signature", ""))
            half = entry.get("confidence_var", entry.get("confidence"))
            deviation = float(half) / 1.96 if isinstance(half, int | float) and half else None
            row = RunScore(label, f"{label}|{signature}".rstrip("|"), higher, score, deviation)
            by_system.setdefault(name, []).append(row)
    about = options.time or "", options.test_set or "", options.pair or ""
    tags = read_tags(options.tags)
    return [Run(name, tuple(scores), *about, tags=tags) for name, scores in by_system.items()]
