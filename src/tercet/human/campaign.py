"""`Campaign`: items, protocol, what is shown, and raters, in a JSON file that has only hashes of personal links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from secrets import token_hex, token_urlsafe
from typing import Any, NamedTuple

from ..errors import DataError, UnknownName
from .protocols import PROTOCOLS as PROTOCOLS
from .protocols import SHOWN, Protocol

VERSION = 1
CHECKS = ("", "bad", "repeat", "reference", "tutorial")
GROUPS = "groups"  # value of `show` if groups of raters see different things, such as a reference and the source
TOKEN_BYTES = 24
_SHOWN = {(True, False): "source", (False, True): "reference", (True, True): "both", (False, False): "neither"}
_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_HASH = re.compile(r"[0-9a-f]{64}")


class Output(NamedTuple):
    """The output of one system for one segment. same: other systems with this text, for which its judgement counts."""

    system: str
    text: str
    same: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One item to judge. A source or reference that is None is not shown to raters.

    id: must not reveal what the item is, because pages contain it. segment: its number in the test set, as text.
    outputs: one, or two to five if outputs are compared. Raters see the texts and never the names of systems.
    reference_name: which reference is shown; empty if none is. document: its name in the test set. If documents are
    kept whole, the items of a document follow each other.
    check: "bad" (a damaged copy), "repeat" (a second showing), "reference" (a reference in place of an output),
    "tutorial", or empty. of: the id of the item that this one copies, if known.
    expected: for tutorial items, the right answer, which is used for feedback (`Campaign.check_answer`).
    before, after: the source of the segments before and after it in its document, which raters see as context.
    """

    id: str
    segment: str
    outputs: tuple[Output, ...]
    source: str | None = None
    reference: str | None = None
    reference_name: str = ""
    document: str = ""
    check: str = ""
    of: str = ""
    expected: Mapping[str, Any] | None = None
    before: str = ""
    after: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(output.system for output in self.outputs)

    def text_of(self, system: str) -> str:
        """Return the output of a system that this item judges."""
        return next(output.text for output in self.outputs if system in (output.system, *output.same))

    @property
    def judged(self) -> tuple[str, ...]:
        """All systems that the judgement counts for: those shown, and others with the same texts."""
        return tuple(system for output in self.outputs for system in (output.system, *output.same))

    @property
    def shows(self) -> str:
        """What is shown beside the outputs: "source", "reference", "both" or "neither"."""
        return _SHOWN[self.source is not None, self.reference is not None]


@dataclass(frozen=True)
class Rater:
    """A rater, and the ids of their items as shown. token_hash: SHA-256 of the token; empty if there is no link."""

    name: str
    items: tuple[str, ...]
    group: str = ""
    token_hash: str = ""


@dataclass(frozen=True)
class Campaign:
    """A rating campaign: items, raters and the protocol. All parts are checked when it is built.

    show: "source", "reference", "both" or "neither"; "groups" if groups of raters see different things. It must match
    the items. tutorial: ids of the items that every rater sees first. created: date and time, UTC, ISO 8601. identical:
    comparisons that nobody is asked for, because all texts are the same: the segment, then the systems. They are ties.
    """

    name: str
    protocol: str
    items: Sequence[Item]
    raters: Sequence[Rater]
    pair: str = ""
    instructions: str = ""
    show: str = "source"
    tutorial: Sequence[str] = ()
    severities: Sequence[str] = ()
    categories: Sequence[str] = ()
    identical: Sequence[tuple[str, ...]] = ()
    organiser_hash: str = ""
    seed: int = 12345
    created: str = ""
    id: str = ""
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise UnknownName("protocol", self.protocol, PROTOCOLS)
        for field in ("items", "raters", "tutorial", "severities", "categories", "identical"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        self._check_whole()
        for number, item in enumerate(self.items):
            with _within(f"items[{number}] ({item.id!r})"):
                self._check_item(item)
        for number, rater in enumerate(self.raters):
            with _within(f"raters[{number}] ({rater.name!r})"):
                self._check_rater(rater)

    @property
    def how(self) -> Protocol:
        """The `Protocol` object: the question, the scale and so on."""
        return PROTOCOLS[self.protocol]

    @classmethod
    def read(cls, path: str | Path) -> Campaign:
        """Read a campaign file. Raises DataError naming the faulty part, such as items[3].outputs[0].text."""
        from .campaign_json import campaign_of, read_json

        content = read_json(path)
        try:
            return campaign_of(content)
        except (DataError, UnknownName) as error:
            raise DataError(f"{path}: {error}") from None

    def write(self, path: str | Path) -> None:
        from .campaign_json import content_of, write_json

        write_json(content_of(self), path, self.name)

    def item(self, id: str) -> Item:
        if id not in self._items:
            raise DataError(f"There is no item {id!r} in campaign {self.name!r}.")
        return self._items[id]

    def rater(self, name: str) -> Rater:
        if name not in self._raters:
            raise UnknownName(f"rater in campaign {self.name!r}", name, self._raters)
        return self._raters[name]

    def with_tokens(
        self, raters: Iterable[str] | None = None, *, organiser: bool = True, secret: str = ""
    ) -> tuple[Campaign, Tokens]:
        """Return the campaign with hashes of new tokens, and these; earlier ones become invalid."""
        names = self._raters if raters is None else [self.rater(name).name for name in raters]
        tokens = {name: token_urlsafe(TOKEN_BYTES) for name in names}
        secret = (secret or token_urlsafe(TOKEN_BYTES)) if organiser else ""
        people = [
            replace(rater, token_hash=hashed(tokens[rater.name])) if rater.name in tokens else rater
            for rater in self.raters
        ]
        changed = replace(self, raters=people, organiser_hash=hashed(secret) if secret else self.organiser_hash)
        return changed, Tokens(tokens, secret)

    def check_answer(self, item: Item, answer: object) -> None:
        """Raise DataError if `answer` is not a valid answer to this item; see `tercet.human.answers`."""
        from .answers import check_answer

        check_answer(self, item, answer)

    @cached_property
    def _items(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    @cached_property
    def _raters(self) -> dict[str, Rater]:
        return {rater.name: rater for rater in self.raters}

    @cached_property
    def _tokens(self) -> dict[str, Rater]:
        return {rater.token_hash: rater for rater in self.raters if rater.token_hash}

    def _check_whole(self) -> None:
        check_name("name", self.name)
        if self.show not in (*SHOWN, GROUPS):
            raise DataError(f"show: {self.show!r} is not one of {', '.join((*SHOWN, GROUPS))}.")
        if self.pair and not all(self.pair.partition("-")):
            raise DataError(f'pair: a language pair such as "en-de" is needed, not {self.pair!r}.')
        if self.pair:
            check_name("pair", self.pair)
        if self.organiser_hash and not _HASH.fullmatch(self.organiser_hash):
            raise DataError("organiser_hash: not a SHA-256 in hexadecimal.")
        if not self.items:
            raise DataError("items: the list is empty; there is nothing to judge.")
        if self.how.spans and not self.severities:
            example = ", ".join(self.how.severities)
            raise DataError(f"severities: {self.protocol} needs at least one, for example {example}.")
        for field in ("severities", "categories"):
            names = getattr(self, field)
            _check_unique(field, names)
            for number, name in enumerate(names):
                check_name(f"{field}[{number}]", name)
        _check_unique("items", [item.id for item in self.items])
        _check_unique("raters", [rater.name for rater in self.raters])
        self._check_ids("tutorial", self.tutorial)
        for number, id in enumerate(self.tutorial):
            if self.item(id).check != "tutorial":
                raise DataError(f'tutorial[{number}]: the check of item {id!r} must be "tutorial".')

    def _check_ids(self, where: str, ids: Sequence[str]) -> None:
        _check_unique(where, ids)
        for number, id in enumerate(ids):
            if id not in self._items:
                raise DataError(f"{where}[{number}]: there is no item {id!r}.")

    def _check_item(self, item: Item) -> None:
        how = self.how
        if not _ID.fullmatch(item.id):
            raise DataError("id: 1 to 100 letters, digits, '.', '_' or '-' are needed.")
        check_name("segment", item.segment)
        if item.document:
            check_name("document", item.document)
        if not how.fewest <= len(item.outputs) <= how.most:
            number = f"{how.fewest} to {how.most}" if how.fewest < how.most else f"{how.most}"
            raise DataError(f"outputs: {self.protocol} shows {number} per item, not {len(item.outputs)}.")
        for place, output in enumerate(item.outputs):
            for system in (output.system, *output.same):
                check_name(f"outputs[{place}].system", system)
        _check_unique("outputs", item.judged)
        if item.reference_name:
            check_name("reference_name", item.reference_name)
        if (item.reference is None) != (item.reference_name == ""):
            raise DataError("reference_name: must be given if a reference is shown, and only then.")
        if self.show not in (GROUPS, item.shows):
            raise DataError(f"source, reference: the campaign shows {self.show}, but this item shows {item.shows}.")
        if item.check not in CHECKS:
            raise DataError(f"check: {item.check!r} must be empty or one of {', '.join(CHECKS[1:])}.")
        if item.of and (item.of not in self._items or item.of == item.id):
            raise DataError(f"of: there is no other item {item.of!r}.")
        if item.expected is not None:
            with _within("expected"):
                self.check_answer(item, item.expected)

    def _check_rater(self, rater: Rater) -> None:
        check_name("name", rater.name)
        if rater.group:
            check_name("group", rater.group)
        if rater.token_hash and self._tokens[rater.token_hash] is not rater:
            other = self._tokens[rater.token_hash].name
            raise DataError(f"token_hash: rater {other!r} has the same one. Leave it out to get a new link.")
        if rater.token_hash and not _HASH.fullmatch(rater.token_hash):
            raise DataError("token_hash: not a SHA-256 in hexadecimal.")
        self._check_ids("items", rater.items)
        for number, id in enumerate(rater.items):
            if id in self.tutorial:
                raise DataError(f"items[{number}]: {id!r} is in the tutorial, which all raters see. Remove it here.")


class Tokens(NamedTuple):
    """Tokens to give to people; they are stored nowhere. organiser: empty if the organiser's secret is unchanged."""

    raters: Mapping[str, str]
    organiser: str


@contextmanager
def _within(where: str) -> Iterator[None]:
    """Begin the messages of errors with the place of the faulty part."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def hashed(token: str) -> str:
    """Return the SHA-256 of a token. Tokens are long and random, so no salt or slow hash is needed."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def stamp() -> dict[str, Any]:
    """Return the creation time and a random id for a new campaign."""
    return {"created": datetime.now(UTC).isoformat(timespec="seconds"), "id": token_hex(8)}


def check_name(where: str, name: str) -> None:
    """Raise DataError for a name that is empty, too long, or would break a row of a table."""
    if not name or len(name) > 200:
        raise DataError(f"{where}: a name of 1 to 200 characters is needed, not {name[:80]!r}.")
    if not name.isprintable() or name != name.strip():
        raise DataError(f"{where}: {name!r} has an unprintable character, or a space at its start or end.")


def _check_unique(where: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            raise DataError(f"{where}[{number}]: {name!r} occurs twice.")
        seen.add(name)
