"""`Campaign`: who is asked to judge what, how, and with what beside it. One JSON file, checked when read.

The file holds no secret: of every personal link and of the organiser's secret only the SHA-256 is kept. What raters
answer is not in it either (`tercet.human.storage`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError, UnknownName
from .protocols import PROTOCOLS as PROTOCOLS
from .protocols import SHOWN, Protocol

VERSION = 1
CHECKS = ("", "bad", "repeat", "reference", "tutorial")
GROUPS = "groups"  # `show` where groups of raters see different things: one a reference, another the source
TOKEN_BYTES = 24
_SHOWN = {(True, False): "source", (False, True): "reference", (True, True): "both", (False, False): "neither"}
_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_HASH = re.compile(r"[0-9a-f]{64}")


class Output(NamedTuple):
    """What one system made of a segment."""

    system: str
    text: str


@dataclass(frozen=True)
class Item:
    """One thing to judge. It holds what the rater sees and nothing else: a source or reference of None is not shown.

    id: says nothing about what the item is, since pages show it. segment: its number in the test set, as text.
    outputs: one, or two to five where outputs are compared; raters see their texts, never their systems.
    reference_name: which reference is shown; empty if none is. document: its name in the test set; where
    documents are kept whole, the items of one follow each other.
    check: "bad" (damaged on purpose), "repeat" (shown before), "reference" (a reference in place of an output),
    "tutorial", or empty. of: the id of the item that this one repeats or damages, if known.
    expected: for tutorial items, the answer that feedback is given by (`Campaign.check_answer`).
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

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(output.system for output in self.outputs)

    @property
    def shows(self) -> str:
        """What is shown beside the outputs: source, reference, both or neither."""
        return _SHOWN[self.source is not None, self.reference is not None]


@dataclass(frozen=True)
class Rater:
    """A person, and the ids of the items that they judge, in the order in which they are shown, tutorial aside.

    token_hash: SHA-256 of the personal token, in hexadecimal; empty where there is none (yet, or any more).
    """

    name: str
    items: tuple[str, ...]
    group: str = ""
    token_hash: str = ""


@dataclass(frozen=True)
class Campaign:
    """A campaign, checked when built.

    show: source, reference, both or neither; "groups" where it differs between groups of raters. Items decide.
    tutorial: the ids of the items that every rater sees first. created: date and time, UTC, ISO 8601.
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
    organiser_hash: str = ""
    seed: int = 12345
    created: str = ""
    id: str = ""
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise UnknownName("protocol", self.protocol, PROTOCOLS)
        for field in ("items", "raters", "tutorial", "severities", "categories"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        self._check_whole()
        for number, item in enumerate(self.items):
            try:
                self._check_item(item)
            except DataError as error:
                raise DataError(f"items[{number}] ({item.id!r}): {error}") from None
        for number, rater in enumerate(self.raters):
            try:
                self._check_rater(rater)
            except DataError as error:
                raise DataError(f"raters[{number}] ({rater.name!r}): {error}") from None

    @property
    def how(self) -> Protocol:
        """The protocol's question, scale and so on."""
        return PROTOCOLS[self.protocol]

    @classmethod
    def read(cls, path: str | Path) -> Campaign:
        """The campaign in a file. What is wrong with it is said with its place, as items[3].outputs[0].text."""
        from .campaign_json import read

        return read(path)

    def write(self, path: str | Path) -> None:
        """Write the campaign; the file appears whole or not at all."""
        from .campaign_json import write

        write(self, path)

    def item(self, id: str) -> Item:
        """The item of this id."""
        found = self._items.get(id)
        if found is None:
            raise DataError(f"There is no item {id!r} in campaign {self.name!r}.")
        return found

    def rater(self, name: str) -> Rater:
        """The rater of this name."""
        found = self._raters.get(name)
        if found is None:
            raise UnknownName(f"rater in campaign {self.name!r}", name, self._raters)
        return found

    def with_tokens(self, raters: Iterable[str] | None = None, *, organiser: bool = True) -> tuple[Campaign, Tokens]:
        """The campaign with new tokens for these raters (or all) and the organiser, and the tokens themselves.

        They are nowhere else: only their hashes are in the campaign. Earlier tokens of the same people end.
        """
        from secrets import token_urlsafe

        names = [rater.name for rater in self.raters] if raters is None else [self.rater(name).name for name in raters]
        tokens = {name: token_urlsafe(TOKEN_BYTES) for name in names}
        secret = token_urlsafe(TOKEN_BYTES) if organiser else ""
        people = [
            replace(rater, token_hash=hashed(tokens[rater.name])) if rater.name in tokens else rater
            for rater in self.raters
        ]
        changed = replace(self, raters=people, organiser_hash=hashed(secret) if secret else self.organiser_hash)
        return changed, Tokens(tokens, secret)

    def check_answer(self, item: Item, answer: Any) -> None:
        """Refuse (`DataError`) what is not an answer to this item; see `tercet.human.answers`."""
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
            raise DataError(f'pair: a language pair is SRC-TGT, as "en-de", not {self.pair!r}.')
        if self.pair:
            check_name("pair", self.pair)
        if self.organiser_hash and not _HASH.fullmatch(self.organiser_hash):
            raise DataError("organiser_hash: not a SHA-256 in hexadecimal.")
        if not self.items:
            raise DataError("items: there is nothing to judge.")
        if self.how.spans and not self.severities:
            raise DataError(f"severities: {self.protocol} needs at least one, as {', '.join(self.how.severities)}.")
        for field in ("severities", "categories"):
            names = getattr(self, field)
            _check_unique(field, names)
            for number, name in enumerate(names):
                check_name(f"{field}[{number}]", name)
        _check_unique("items", [item.id for item in self.items])
        _check_unique("raters", [rater.name for rater in self.raters])
        _check_unique("tutorial", self.tutorial)
        for number, id in enumerate(self.tutorial):
            if id not in self._items:
                raise DataError(f"tutorial[{number}]: there is no item {id!r}.")
            if self.item(id).check != "tutorial":
                raise DataError(f'tutorial[{number}]: item {id!r} has no check "tutorial".')

    def _check_item(self, item: Item) -> None:
        how = self.how
        if not _ID.fullmatch(item.id):
            raise DataError("id: up to 100 letters, digits, '.', '_' and '-' are needed.")
        check_name("segment", item.segment)
        if item.document:
            check_name("document", item.document)
        if not how.fewest <= len(item.outputs) <= how.most:
            number = f"{how.fewest} to {how.most}" if how.fewest < how.most else f"{how.most}"
            raise DataError(f"outputs: {self.protocol} shows {number} per item, not {len(item.outputs)}.")
        for place, output in enumerate(item.outputs):
            check_name(f"outputs[{place}].system", output.system)
        _check_unique("outputs", item.systems)
        if item.reference_name:
            check_name("reference_name", item.reference_name)
        if (item.reference is None) != (item.reference_name == ""):
            raise DataError("reference_name: it is given if and only if a reference is shown.")
        if self.show not in (GROUPS, item.shows):
            raise DataError(f"source, reference: the campaign shows {self.show}, and this item {item.shows}.")
        if item.check not in CHECKS:
            raise DataError(f"check: {item.check!r} is not one of {', '.join(CHECKS[1:])}, or empty.")
        if item.of and (item.of not in self._items or item.of == item.id):
            raise DataError(f"of: there is no other item {item.of!r}.")
        if item.expected is not None:
            try:
                self.check_answer(item, item.expected)
            except DataError as error:
                raise DataError(f"expected: {error}") from None

    def _check_rater(self, rater: Rater) -> None:
        check_name("name", rater.name)
        if rater.group:
            check_name("group", rater.group)
        if rater.token_hash and self._tokens[rater.token_hash] is not rater:
            other = self._tokens[rater.token_hash].name
            raise DataError(f"token_hash: {other!r} has the same one; nobody could tell the two apart. Leave it out.")
        if rater.token_hash and not _HASH.fullmatch(rater.token_hash):
            raise DataError("token_hash: not a SHA-256 in hexadecimal.")
        _check_unique("items", rater.items)
        for number, id in enumerate(rater.items):
            if id not in self._items:
                raise DataError(f"items[{number}]: there is no item {id!r}.")
            if id in self.tutorial:
                raise DataError(f"items[{number}]: {id!r} belongs to the tutorial, which everybody sees first.")


class Tokens(NamedTuple):
    """Secrets, to be handed to people and to be kept nowhere. organiser: empty if the organiser keeps the old one."""

    raters: Mapping[str, str]
    organiser: str


def hashed(token: str) -> str:
    """What is kept of a token. It is random and long, so a plain SHA-256 cannot be turned back."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def stamp() -> dict[str, Any]:
    """What tells one campaign from another: when it was made, and a random id."""
    from datetime import UTC, datetime
    from secrets import token_hex

    return {"created": datetime.now(UTC).isoformat(timespec="seconds"), "id": token_hex(8)}


def check_name(where: str, name: str) -> None:
    """Refuse a name that is empty, long, or would break a line of a table."""
    if not name or len(name) > 200:
        raise DataError(f"{where}: a name of 1 to 200 characters is needed, not {name[:80]!r}.")
    if not name.isprintable() or name != name.strip():
        raise DataError(f"{where}: {name!r} holds a character that does not print, or blanks at an end.")


def _check_unique(where: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            raise DataError(f"{where}[{number}]: {name!r} occurs twice.")
        seen.add(name)
