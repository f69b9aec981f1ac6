"""What metrics of entities share: parameters, which mentions count, and when two mentions are the same."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from ...data.files import file_state
from ...data.grouping import grouped
from ...data.lines import read_lines
from ...errors import UsageError
from ...knowledge.literals import is_literal
from ...knowledge.mentions import AnnotationLinker, Linker, Mention
from ...knowledge.store import MANIFEST
from ...text.scripts import base_code
from .._contract import Corpus, Learnt, Metric
from .._parameters import param

if TYPE_CHECKING:
    from ...knowledge.name_checks import NameChecks

Found = list[tuple["Mention", "Candidates"]]  # the mentions of a text that count
Candidates = tuple[str, ...]  # the entities that one mention may name, the likeliest first


class Languages(NamedTuple):
    """The languages of the sources and of the outputs."""

    source: str
    target: str


@dataclass(frozen=True)
class EntityMetric(Metric):
    """A metric that compares the entities of texts.

    kb: the knowledge base: `default`, or a folder that `tercet kb build` made.
    annotations: a file with mentions that were linked elsewhere, instead of a knowledge base.
    categories: count only these, as person+place+organisation; `names` is all but concepts; `all`.
    shared: count only entities that both languages can name.
    lemmas: find names by the base forms of words too.
    numbers: numbers and web addresses count as names.
    guards: leave out what is rarely a mention: stop words, most words of two letters, names without their capital.
    language_filter: ignore mentions in parts of an output that are not in its language.
    """

    kb: str = "default"
    annotations: str | None = param(file=True)
    categories: str = "all"
    shared: bool = True
    lemmas: bool = True
    numbers: bool = False
    guards: bool = True
    language_filter: bool = param(False, quiet=True)

    @property
    def most_candidates(self) -> int | None:
        """The number of candidates of an ambiguous name that count; None for all."""
        return 1

    def check_needs(self, testset: Corpus) -> None:
        super().check_needs(testset)
        if testset.pair is None and self.annotations is None:
            raise UsageError(
                f"{self.name} needs to know the languages, and test set {testset.name!r} does not say them: "
                "set `pair`, as ru-en."
            )

    def linked_with(self) -> str:
        """Return a checksum of the names or annotations that mentions are linked with."""
        checksum = self.linker().checksum[:16]
        return checksum if self.annotations is not None or not self.lemmas else f"{checksum}+{_lemmas()}"

    def learn(self, testset: Corpus) -> Learnt:
        """Name what mentions are linked with, which the signature has; keep the languages to explain segments."""
        return Learnt(languages(testset.pair), {"names": self.linked_with()})

    def linker(self, *, of_outputs: bool = False) -> Linker:
        """Return the linker that finds mentions. The language filter applies to outputs only."""
        listed = "" if self.categories in ("all", "names") else self.categories
        if self.annotations is not None:
            return open_annotations(self.annotations)
        return open_linker(
            self.kb, guards=self.guards, categories=listed, lemmas=self.lemmas, numbers=self.numbers,
            language_filter=of_outputs and self.language_filter,
        )  # fmt: skip

    def mentions(self, texts: Sequence[str], language: str, *, named_in: str, of_outputs: bool = False) -> list[Found]:
        """Return every mention that counts, by text, with its candidates."""
        found, counted = self.linker(of_outputs=of_outputs).link(texts, language), self.chooser(named_in)
        return [[(mention, kept) for mention in mentions if (kept := counted(mention))] for mentions in found]

    def chooser(self, named_in: str) -> Callable[[Mention], Candidates]:
        """Return a function from a mention to the candidates that count: those with a name in the other language."""
        wanted = frozenset(self.categories.split("+"))
        can_name = None
        if self.shared and self.annotations is None:
            can_name = _nameable(self.kb, file_state(Path(self.kb, MANIFEST)), named_in)
        most = self.most_candidates

        def counted(mention: Mention) -> Candidates:
            if self.categories != "all" and (
                mention.category == CONCEPT if self.categories == "names" else mention.category not in wanted
            ):
                return ()
            candidates = mention.entities
            return (candidates if can_name is None else tuple(filter(can_name, candidates)))[:most]

        return counted


CONCEPT = "concept"  # the category of common nouns


def languages(pair: str | None) -> Languages:
    """Return the languages of a pair, without regions: zh_CN is zh. Without a pair both are English."""
    if pair is None:
        return Languages("en", "en")
    source, _, target = pair.partition("-")
    return Languages(base_code(source), base_code(target))


def match(expected: Sequence[Candidates], found: Sequence[Candidates]) -> list[bool]:
    """Return for each expected mention whether it is matched; each found mention matches at most one.

    Two can match if they share a candidate. As many as possible are matched, by changing earlier pairs (Kuhn 1955).
    """
    places = grouped((entity, at) for at, candidates in enumerate(found) for entity in candidates)
    taken: dict[int, int] = {}  # found -> expected
    placed: dict[int, int] = {}  # expected -> found
    for which in range(len(expected)):
        came_from: dict[int, int] = {}  # found -> the expected mention that would take it
        waiting, free = deque([which]), -1
        while waiting and free < 0:
            mover = waiting.popleft()
            for at in (at for entity in expected[mover] for at in places.get(entity, ())):
                if at not in came_from:
                    came_from[at] = mover
                    if at not in taken:
                        free = at
                        break
                    waiting.append(taken[at])
        while free >= 0:
            mover = came_from[free]
            taken[free] = mover
            free, placed[mover] = placed.get(mover, -1), free
    return [which in placed for which in range(len(expected))]


def kept_in(expected: Found, found: Found, output: str, checks: NameChecks | None) -> list[bool]:
    """Return for each expected mention whether an output has it: linked, or with `checks` in another form.

    Words of the output that name another of the expected entities are no forms.
    """
    ours, theirs = [names for _, names in expected], [names for _, names in found]
    matched = match(ours, theirs)
    if checks is None or all(matched):
        return matched
    left = without(output, [mention for mention, _ in found], match(theirs, ours))
    return [
        is_matched or bool(checks.form_in(mention, left))
        for (mention, _), is_matched in zip(expected, matched, strict=True)
    ]


def without(text: str, mentions: Sequence[Mention], matched: Sequence[bool]) -> str:
    """Return a text with blanks in place of the names that are matched."""
    for mention, is_matched in zip(mentions, matched, strict=True):
        if is_matched and not is_literal(mention.entities[0]):
            text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


class Linking(TypedDict, total=False):
    """Parameters of `KBLinker`."""

    lemmas: bool
    categories: str
    language_filter: bool
    numbers: bool


def open_linker(kb: str, *, guards: bool, **how: Unpack[Linking]) -> Linker:
    """Return the linker for these parameters. It is opened once per process and file state, and keeps all senses."""
    return _open_linker(kb, file_state(Path(kb, MANIFEST)), guards, **how)


@lru_cache(maxsize=16)
def _open_linker(kb: str, state: object, guards: bool, **how: Unpack[Linking]) -> Linker:
    from ...knowledge.default import resolve
    from ...knowledge.linking import KBLinker

    return KBLinker(resolve(kb), senses="all", capitals=guards, guards=guards, **how)


def open_annotations(path: str) -> Linker:
    """Return the annotations in a file. They are read once per process and file state."""
    return _open_annotations(path, file_state(path))


@lru_cache(maxsize=4)
def _open_annotations(path: str, state: object) -> Linker:
    from ...knowledge.annotations import read

    writers = _writers(path)
    return _ByWriter([read(path, system=writer) for writer in writers]) if len(writers) > 1 else read(path)


class _ByWriter:
    """Annotations of several systems' texts in one file, kept apart: the same text may have been linked differently.

    Texts get the annotations of the first system that has all of them.
    """

    name = "annotations"

    def __init__(self, linkers: Sequence[AnnotationLinker]) -> None:
        self.linkers = linkers
        self.checksum = sha256("".join(linker.checksum for linker in linkers).encode()).hexdigest()

    def link(self, texts: Sequence[str], language: str) -> list[list[Mention]]:
        for linker in self.linkers:
            if all(text in linker.annotations for text in texts):
                return linker.link(texts, language)
        known: dict[str, Sequence[Mention]] = {}
        for linker in reversed(self.linkers):
            known |= linker.annotations
        return AnnotationLinker(known).link(texts, language)

    def nameable(self, language: str) -> Callable[[str], bool] | None:
        return None


def _writers(path: str) -> list[str]:
    """Return the values of the field `system` in a file of annotations, in order; none if it has no such field."""
    found: dict[str, None] = {}
    for line in read_lines(path):
        if '"system"' in line:
            try:
                row = json.loads(line)
            except ValueError:  # the error is raised when the whole file is read
                return []
            if isinstance(row, dict) and isinstance(row.get("system"), str):
                found[row["system"]] = None
    return list(found)


@lru_cache(maxsize=64)
def _nameable(kb: str, state: object, language: str) -> Callable[[str], bool] | None:
    """Return a function that tells whether the language has a name for an entity. Its answers are cached."""
    can_name = open_linker(kb, guards=True, lemmas=False).nameable(language)
    return None if can_name is None else lru_cache(maxsize=1 << 18)(can_name)


def _lemmas() -> str:
    """Return where base forms come from, because it changes which names are found."""
    try:
        import simplemma
    except ImportError:
        return "endings"
    return f"simplemma{simplemma.__version__}"
