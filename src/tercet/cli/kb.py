"""`tercet kb`: build a knowledge base of entities and their names, or describe one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..rendering.document import Notes, Part, Table
from .console import Progress, rendered
from .options import JOBS, QUIET, ManyValues, format_option, several

if TYPE_CHECKING:
    from ..knowledge.building import Step
    from ..knowledge.store import KnowledgeBase


@click.group("kb", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Build a knowledge base of entities and their names, or describe one.

    'tercet link', 'tercet entities' and the metrics kobe and kobe_pool use it.
    """


@command.command("build", cls=ManyValues)
@click.option("--wikidata", metavar="FILE", help="A JSON dump of Wikidata: latest-all.json.gz, .bz2 or unpacked.")
@several("--jsonl", of="FILE", help="JSON lines: id, language, name, category, weight.")
@several("--tsv", of="FILE", help="The same, separated by tabs.")
@several("--terms", of="FILE", help="Terminology: TBX, or CSV, TSV, XLSX with source and target; for two languages.")
@several("--omw", "--wordnet", "wordnet", of="FILE", help="WordNet's synsets with names by language, as JSON lines.")
@several(
    "--geonames",
    of="FILE",
    help="GeoNames' tables: places (cities15000.txt), names by language (alternateNamesV2.txt).",
)
@click.option("--cldr", is_flag=True, help="CLDR's names of countries, languages, currencies, … (needs Babel).")
@several("--map-ids", of="FILE", help="Ids that replace others, as Wikidata's for Freebase's: JSON lines or pairs.")
@several("-l", "--languages", required=True, of="LANGUAGE", help="As: cs de en.")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--name", help="Its name, also in signatures. Default: the folder's name.")
@click.option("--min-languages", default=2, show_default=True, help="Leave out entities with names in fewer.")
@click.option("--max-tokens", default=16, show_default=True, help="Leave out names of more words (or characters).")
@click.option("--lemmas", is_flag=True, help="Also enter names with base forms of their words (needs simplemma).")
@click.option("--replace", is_flag=True, help="Overwrite an existing knowledge base.")
@JOBS
@QUIET
@format_option()
def build_command(languages: tuple[str, ...], out: Path, jobs: int, quiet: bool, form: str, **options: Any) -> None:
    """Build a knowledge base from one or more sources.

    To resume a build from Wikidata that was stopped, give the same command again.
    """
    from ..engine import open_executor
    from ..knowledge.collecting import build_from_files

    chosen = [code for given in languages for code in given.replace(",", " ").split()]
    began: dict[str, tuple[float, int, int]] = {}  # of each stage: time, bytes or pieces done, entities

    def report(step: Step) -> None:
        # Rates are measured from the first step: what an earlier run finished takes no time.
        start, *first = began.setdefault(step.stage, (time.monotonic(), step.done, step.entities))
        progress.say(progress_line(step, time.monotonic() - start, *first))

    with open_executor(jobs) as executor, Progress("kb build", quiet=quiet) as progress:
        kb = build_from_files(out, languages=chosen, executor=executor, progress=report, **options)
    _print(kb, form)


@command.command("info", short_help="Describe a knowledge base.")
@click.argument("kb", required=False, type=click.Path(path_type=Path))
@click.option("--verify", is_flag=True, help="Read all files and compare the checksum.")
@format_option()
def info_command(kb: Path | None, verify: bool, form: str) -> None:
    """Describe a knowledge base; without KB, the one that comes with Tercet."""
    from ..knowledge.default import resolve

    opened = resolve(kb)
    if verify:
        opened.verify()
    _print(opened, form)


def _print(kb: KnowledgeBase, form: str) -> None:
    info = kb.info()
    click.echo(rendered(form, _parts(kb, info), lambda: info))


def _parts(kb: KnowledgeBase, info: Mapping[str, Any]) -> Iterator[Part]:
    lines = [f"{info['name']}: {info['entities']:,} entities, {info['candidates']:,} names, "
             f"{info['bytes'] / 1e6:,.1f} MB, in {info['path']}"]  # fmt: skip
    for source in info["sources"]:
        file = f" ({source['file']})" if source.get("file") else ""
        lines.append(f"From {source['name']}{file}, licence: {source.get('licence') or 'not given'}")
    left_out = {key.replace("_", " "): count for key, count in info["left_out"].items() if count}
    if left_out:
        lines.append("Left out: " + ", ".join(f"{count:,} {what}" for what, count in left_out.items()))
    lines.append(f"Checksum {info['checksum']}, format version {info['format']}, built with Tercet {info['tercet']}")
    yield Notes(lines)
    counts = [[name or "(none)", f"{count:,}"] for name, count in sorted(info["entities_by_category"].items())]
    yield Table(["category", "entities"], counts)
    named = {language: int(kb.named_in(language).sum()) for language in kb.languages}
    rows = [[language, f"{count:,}", f"{info['aliases'][language]:,}"] for language, count in named.items()]
    yield Table(["language", "entities", "aliases"], rows)


def progress_line(step: Step, seconds: float, first_done: int = 0, first_entities: int = 0) -> str:
    """Return the text of the progress line: stage, share done, entities per second, remaining time."""
    share = step.done / step.total if step.total else 1.0
    line = f"{step.stage}: {share:.1%}"
    if step.entities:
        line += f", {step.entities:,} entities"
    done = step.done - first_done
    if seconds <= 0 or done <= 0:
        return line
    if step.entities > first_entities:
        line += f", {(step.entities - first_entities) / seconds:,.0f} per second"
    left = round(seconds * (step.total - step.done) / done)
    return f"{line}, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
