"""`tercet kb`: build a knowledge base of entities and their names, or describe one.

'tercet link', 'tercet entities' and the metrics kobe and kobe_pool use it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..options import REQUIRED, command, option, python_option, takes
from ..options.groups import Form, Jobs, Quiet

if TYPE_CHECKING:
    from ..knowledge.building import NameRecord, Step
    from ..knowledge.store import KnowledgeBase
    from ..rendering.document import Part

OWNERS = "of the file's owner"
SOURCES = {  # the option of each source: its name and its licence
    "wikidata": ("Wikidata", "CC0 1.0"),
    "jsonl": ("JSON lines", OWNERS),
    "tsv": ("TSV", OWNERS),
    "terms": ("Terminology", OWNERS),
    "wordnet": ("WordNets", "WordNet License, and the licence of each wordnet"),
    "geonames": ("GeoNames", "CC BY 4.0"),
    "dictionary": ("Dictionary", "of the file, as it says: CC BY-SA 3.0 for WikDict, GPL for many of FreeDict"),
    "parallel": ("Parallel texts", OWNERS),
    "cldr": ("CLDR", "Unicode-3.0"),
}


def _sources(*flags: str, help: str) -> Any:
    return option((), *flags, metavar="FILE", several=True, help=help)


@dataclass(frozen=True, kw_only=True)
class BuildOptions(Quiet, Jobs, Form):
    """Options of `kb build`."""

    out: str | Path = option(REQUIRED, "-o", "--out", metavar="DIR", positional=True, help="The folder to write.")
    languages: Sequence[str] = option(
        REQUIRED, "-l", "--languages", metavar="LANGUAGE", several=True, positional=True, help="As: cs de en."
    )
    wikidata: str | Path | None = option(
        None, "--wikidata", metavar="FILE", help="A JSON dump of Wikidata: latest-all.json.gz, .bz2 or unpacked."
    )
    jsonl: Sequence[str | Path] = _sources("--jsonl", help="JSON lines: id, language, name, category, weight.")
    tsv: Sequence[str | Path] = _sources("--tsv", help="The same, separated by tabs.")
    terms: Sequence[str | Path] = _sources(
        "--terms", help="Terminology: TBX, or CSV, TSV, XLSX with source and target; for two languages."
    )
    wordnet: Sequence[str | Path] = _sources(
        "--omw", "--wordnet", help="WordNet's synsets with names by language, as JSON lines."
    )
    geonames: Sequence[str | Path] = _sources(
        "--geonames", help="GeoNames' tables: places (cities15000.txt), names by language (alternateNamesV2.txt)."
    )
    dictionary: Sequence[str | Path] = _sources(
        "--dictionary", help="Dictionaries of FreeDict (TEI), as fin-eng.tei: common words and their translations."
    )
    parallel: Sequence[str | Path] = _sources(
        "--parallel", help="Texts with their translations, separated by tabs, for two languages: aligned to find words."
    )
    cldr: bool = option(False, "--cldr", help="CLDR's names of countries, languages, currencies, … (needs Babel).")
    map_ids: Sequence[str | Path] = _sources(
        "--map-ids", help="Ids that replace others, as Wikidata's for Freebase's: JSON lines or pairs."
    )
    name: str | None = option(None, "--name", help="Its name, also in signatures. Default: the folder's name.")
    min_languages: int = option(2, "--min-languages", help="Leave out entities with names in fewer.")
    max_tokens: int = option(16, "--max-tokens", help="Leave out names of more words (or characters).")
    lemmas: bool = option(False, "--lemmas", help="Also enter names with base forms of their words (needs simplemma).")
    replace: bool = option(False, "--replace", help="Overwrite an existing knowledge base.")
    executor: Executor | None = python_option(None, "An executor that works, instead of `jobs` processes.")
    progress: Callable[[Step], None] | None = python_option(None, "Called with every step.")

    def check(self) -> None:
        super().check()
        chosen = tuple(code for given in self.languages for code in given.replace(",", " ").split())
        object.__setattr__(self, "languages", chosen)


@takes(BuildOptions)
def build(*, options: BuildOptions) -> KnowledgeBase:
    """Build a knowledge base from one or more sources and open it. The result does not depend on the number of jobs.

    Returns
    -------
    KnowledgeBase : the entities and their names.
    """
    from ..engine import open_executor
    from ..knowledge import building
    from ..knowledge.sources.tables import read_ids

    files = {name: getattr(options, name) for name in SOURCES}
    files |= {"wikidata": [options.wikidata] if options.wikidata else [], "cldr": ["Babel"] if options.cldr else []}
    if not any(files.values()):
        *most, last = (f"`{name}`" for name in SOURCES)
        raise UsageError(f"No source is given. Use one or more of {', '.join(most)} and {last}.")
    ids: dict[str, str] = {}
    for path in options.map_ids:  # the first file that has an id is used
        ids = read_ids(path) | ids
    with open_executor(options.jobs, executor=options.executor) as executor:
        sources = [
            {"name": name, "licence": licence, "file": Path(path).name}
            for option, (name, licence) in SOURCES.items()
            for path in files[option]
        ]
        same = ("languages", "min_languages", "max_tokens", "lemmas", "replace", "progress")
        return building.build(
            _records(options), options.out, name=options.name or Path(options.out).name, sources=sources, ids=ids,
            wikidata_dump=options.wikidata, executor=executor, **{name: getattr(options, name) for name in same},
        )  # fmt: skip


def _records(options: BuildOptions) -> Iterator[NameRecord]:
    from ..knowledge.sources.cldr import read_cldr
    from ..knowledge.sources.concepts import read_dictionary, read_parallel
    from ..knowledge.sources.geonames import read_geonames
    from ..knowledge.sources.tables import read_jsonl, read_terminology, read_tsv, read_wordnet

    readers = [
        (read_jsonl, options.jsonl), (read_tsv, options.tsv), (read_terminology, options.terms),
        (read_wordnet, options.wordnet), (read_dictionary, options.dictionary), (read_parallel, options.parallel),
    ]  # fmt: skip
    for read, paths in readers:
        for path in paths:
            yield from read(path, options.languages)
    if options.geonames:
        yield from read_geonames(options.geonames, options.languages)
    if options.cldr:
        yield from read_cldr(options.languages)


@command(BuildOptions)
def run_build(options: BuildOptions) -> None:
    """Build a knowledge base from one or more sources.

    To resume a build from Wikidata that was stopped, give the same command again.
    """
    from ..cli.console import Progress

    began: dict[str, tuple[float, int, int]] = {}  # of each stage: time, bytes or pieces done, entities

    def report(step: Step) -> None:
        # Rates are measured from the first step: what an earlier run finished takes no time.
        start, *first = began.setdefault(step.stage, (time.monotonic(), step.done, step.entities))
        progress.say(progress_line(step, time.monotonic() - start, *first))

    with Progress("kb build", quiet=options.quiet) as progress:
        kb = build(**options.python(progress=report))
    _print(kb, options.form)


@dataclass(frozen=True, kw_only=True)
class InfoOptions(Form):
    """Options of `kb info`."""

    kb: str | Path | None = option(
        None, metavar="[KB]", positional=True,
        help="A folder of 'tercet kb build'. [default: the knowledge base that comes with Tercet]",
        about="A folder that `build` wrote; by default the knowledge base that comes with Tercet.",
    )  # fmt: skip
    verify: bool = option(False, "--verify", help="Read all files and compare the checksum.")


@takes(InfoOptions)
def info(*, options: InfoOptions) -> dict[str, Any]:
    """Return what a knowledge base holds.

    Returns
    -------
    dict : name, numbers of entities and names, languages, sources with licences, checksum.

    Examples
    --------
    >>> import tercet
    >>> tercet.kb.info()["entities"] > 100_000
    True
    """
    return _opened(options).info()


def _opened(options: InfoOptions) -> KnowledgeBase:
    from ..knowledge.default import resolve

    opened = resolve(options.kb)
    if options.verify:
        opened.verify()
    return opened


@command(InfoOptions)
def run_info(options: InfoOptions) -> None:
    """Describe a knowledge base; without KB, the one that comes with Tercet."""
    _print(_opened(options), options.form)


@dataclass(frozen=True, kw_only=True)
class ShowOptions(Form):
    """Options of `kb show`."""

    kb: str | Path | None = option(
        None, metavar="[KB]", positional=True,
        help="A knowledge base. [default: the two that come with Tercet, default and concepts]",
        about="A knowledge base; by default the two that come with Tercet, `default` and `concepts`.",
    )  # fmt: skip
    languages: Sequence[str] = option(
        (), "-l", "--languages", metavar="LANGUAGE", several=True, help="Only these languages."
    )


@takes(ShowOptions)
def show(*, options: ShowOptions) -> list[dict[str, Any]]:
    """Return what each layer, names and concepts, has for each language.

    Returns
    -------
    list : for each knowledge base and language, the numbers of entities with a name, and of concepts with a word.

    Examples
    --------
    >>> import tercet
    >>> tercet.kb.show("default", languages=["fi"])[0]["language"]
    'fi'
    """
    import numpy as np

    from ..knowledge.default import CONCEPTS, NAME, resolve

    rows = []
    for kb in map(resolve, (options.kb,) if options.kb is not None else (NAME, CONCEPTS)):
        concept = np.array([kb.category(number) in ("concept", "common") for number in range(len(kb))], dtype=bool)
        for language in options.languages or kb.languages:
            named = kb.named_in(language)
            names, concepts = int((named & ~concept).sum()), int((named & concept).sum())
            rows.append({"kb": kb.name, "language": language, "names": names, "concepts": concepts})
    return rows


@command(ShowOptions)
def run_show(options: ShowOptions) -> None:
    """Show what each layer, names and concepts, has for each language."""
    import click

    from ..cli.console import rendered
    from ..rendering.document import Table

    found = show(**options.python())
    header = ["knowledge base", "language", "names", "concepts"]
    rows = [[row["kb"], row["language"], f"{row['names']:,}", f"{row['concepts']:,}"] for row in found]
    click.echo(rendered(options.form, [Table(header, rows)], lambda: found))


COMMANDS = {"build": run_build, "info": run_info, "show": run_show}


def _print(kb: KnowledgeBase, form: str) -> None:
    import click

    from ..cli.console import rendered

    click.echo(rendered(form, _parts(kb, kb.info()), kb.info))


def _parts(kb: KnowledgeBase, info: Mapping[str, Any]) -> Iterator[Part]:
    from ..rendering.document import Notes, Table

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
