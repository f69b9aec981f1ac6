"""Read the input of `tercet agree`: files of judgements in any known format, and campaigns with their answers."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..data.formats import CAMPAIGN, recognise
from ..data.formats.campaigns import EXPORTS
from ..data.formats.columns import parse_judged
from ..data.formats.format import Request
from ..data.formats.rating_tables import OWN_TABLES
from ..data.formats.reading import read_human, read_judgement_file, recognise_judgements
from ..data.judgements import Judgements
from ..data.testset import TestSet
from ..errors import DataError, MissingFile, UsageError
from .answers import judgements_of
from .campaign import Campaign


class Loaded(NamedTuple):
    """Judgements of one kind and language pair, with their texts.

    source: what was shown that is not a reference. about: what was understood of tables.
    """

    judgements: Judgements
    testset: TestSet | None
    source: frozenset[str]
    about: tuple[str, ...] = ()


def load(
    paths: Sequence[str | Path],
    *,
    pair: str | None = None,
    kind: str | None = None,
    system_prefix: str = "",
    database: str | None = None,
    columns: Mapping[str, str] | Sequence[str] = (),
) -> list[Loaded]:
    """Read files of judgements and merge them by language pair and kind. Raters with the same name are one rater."""
    request = Request(pair, kind=kind, system_prefix=system_prefix, columns=parse_judged(columns))
    if not paths:
        raise UsageError("Give at least one file of judgements, or a campaign.")
    found: dict[tuple[str | None, str], Loaded] = {}
    for number, path in enumerate(paths, 1):
        for judgements, testset, about in _read(Path(path), request, database):
            if len(paths) > 1:  # tasks with the same name in different files are different
                rows = [row._replace(task=f"{number}:{row.task}" if row.task else "") for row in judgements.rows]
                judgements = replace(judgements, rows=rows)
            for own in judgements.kinds:
                new = Loaded(judgements.of(own), testset, frozenset(), (about,) if about else ())
                if old := found.get((judgements.pair, own)):
                    both, notes = old.judgements + new.judgements, (*old.about, *new.about)
                    new = Loaded(both, old.testset or testset, frozenset(), notes)
                found[judgements.pair, own] = new
    if not found:
        raise DataError(f"There are no judgements in {', '.join(map(str, paths))}.")
    return [part._replace(source=_sources(part)) for part in found.values()]


def _sources(part: Loaded) -> frozenset[str]:
    """Return the values of `reference` that mean no reference: the empty one, and names that the texts do not have."""
    shown = {row.reference for row in part.judgements.rows}
    known = set(part.testset.references) if part.testset is not None else set()
    return frozenset({""} | (shown - known if shown & known else set()))


def _read(path: Path, request: Request, database: str | None) -> list[tuple[Judgements, TestSet | None, str]]:
    if not path.is_file():
        raise MissingFile(path)
    pair = request.pair
    file = recognise(path, (CAMPAIGN,))
    if file is not None:
        return [(*_answers(path, pair, database), "")]
    file = recognise_judgements(path, request)
    if file is None or file.format.name in (*EXPORTS, *OWN_TABLES):
        contents = read_human(path, request)
        if not contents.judgements:
            raise DataError(f"{contents.about or path} Agreement needs judgements of segments.")
        return [(table, None, contents.about) for table in contents.judgements]
    found: list[tuple[Judgements, TestSet | None, str]] = []
    pairs: list[str | None] = [pair] if pair else [*file.pairs()] or [None]
    for own in pairs:
        tables = read_judgement_file(path, pair=own)
        if other := {table.pair for table in tables if own and table.pair} - {own}:
            raise DataError(f"{path} is for {', '.join(sorted(other))}, not for {own}.")
        for table in tables:  # the texts, if the file says which references raters were shown
            shown = any(row.reference for row in table.rows)
            found.append((table, file.read(Request(own)).testset if shown else None, ""))
    return found


def _answers(path: Path, pair: str | None, database: str | None) -> tuple[Judgements, TestSet | None]:
    from .storage import open_store

    campaign = Campaign.read(path)
    if pair and campaign.pair and pair != campaign.pair:
        raise UsageError(f"{path} is a campaign of {campaign.pair}, not of {pair}.")
    with closing(open_store(path, campaign, database, create=False)) as store:
        judgements = judgements_of(campaign, store.rows())
    if not len(judgements):
        raise DataError(f"Campaign {campaign.name!r} has no judgements yet.")
    return judgements, campaign_texts(campaign)


def campaign_texts(campaign: Campaign) -> TestSet | None:
    """Return the texts that a campaign shows, or None if it lacks outputs of a system for some segment."""
    items = [item for item in campaign.items if not item.check]
    segments = list(dict.fromkeys(item.segment for item in items))
    outputs = {(system, item.segment): item.text_of(system) for item in items for system in item.judged}
    systems = list(dict.fromkeys(system for system, _ in outputs))
    if not segments or len(outputs) != len(segments) * len(systems):
        return None
    references = {(item.reference_name, item.segment): item.reference for item in items if item.reference is not None}
    names = list(dict.fromkeys(name for name, _ in references))
    sources = {item.segment: item.source for item in items if item.source is not None}
    if names and any(all((name, segment) not in references for name in names) for segment in segments):
        return None
    return TestSet(
        {system: [outputs[system, segment] for segment in segments] for system in systems},
        {name: [references.get((name, segment)) for segment in segments] for name in names},
        [sources[segment] for segment in segments] if len(sources) == len(segments) else None,
        labels={"seg": segments},
        pair=campaign.pair or None,
        name=campaign.name,
    )
