"""Which columns of a table have texts: by their headers, or as the user names them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...errors import DataError, UnknownName
from ..bilingual.segments import HEADER, OUTPUT, REFERENCE, Choice, Segment
from ..bilingual.states import AMBER, DONE, GREEN, RED, REVIEW
from .columns import NAMES, TEXTS, find, parse_roles, plain
from .names import LANGUAGES

ROLES = ("source", "output", "reference", "id", "file")
SHEET = "sheet"
STATES = {"": "", RED: "", AMBER: "", GREEN: "", DONE: DONE}  # the column of a review
# Names of languages as people write them above columns; codes of three letters are not.
_SPOKEN = {name.lower(): code for name, code in LANGUAGES.items() if len(name) > 3 or not name.isascii()}
_PREFIXES = {"sys": "output", "ref": "reference", "output": "output", "reference": "reference"}


def parse_columns(words: Iterable[str]) -> dict[str, str]:
    """Return the column of each role from ROLE=COLUMN, given as several words or joined by commas."""
    return parse_roles(words, (*ROLES, SHEET), named=("output", "reference"))


@dataclass
class Roles:
    """The places of a table's columns: one for source, id and file, several by name for the others."""

    single: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    references: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)

    def segment(self, row: Sequence[str], number: int, line: int, at: int) -> Segment:
        """Return the segment of a row; number: its number in the table."""
        id, source, file = (row[self.single[role]] if role in self.single else "" for role in ("id", "source", "file"))
        return Segment(
            id or str(number),
            line,
            source if "source" in self.single else None,
            {name: row[place] for name, place in self.outputs.items()},
            {name: row[place] or None for name, place in self.references.items()},
            file,
            {name: row[place] for name, place in self.labels.items()},
            at=at,
            state=row[self.single[REVIEW]].strip() if REVIEW in self.single else "",
        )


def find_roles(header: Sequence[str], choice: Choice, where: str) -> Roles:
    """Return which column holds what. Raises DataError if no column has texts."""
    asked = {role: column for role, column in choice.columns.items() if role != SHEET}
    places = {role: _place(column, header, where) for role, column in asked.items()}
    taken = set(places.values())
    for role, place in _recognised(header, choice.pair):
        kind = role.partition(":")[0]
        if place not in taken and not any(given.partition(":")[0] == kind for given in asked):
            name = role if role not in places else f"{role}:{header[place]}"
            if name in places or any(header[place].strip() == header[other].strip() for other in places.values()):
                raise DataError(f"{where}: two columns are called {header[place]!r}. Rename one.")
            if kind in TEXTS[1:] or role not in places:
                places[name] = place
                taken.add(place)
    roles = Roles({role: place for role, place in places.items() if role in ("source", "id", "file")})
    for kind, table, usual in (("output", roles.outputs, OUTPUT), ("reference", roles.references, REFERENCE)):
        mine = {role: place for role, place in places.items() if role.partition(":")[0] == kind}
        for role, place in mine.items():
            table[role.partition(":")[2] or (usual if len(mine) == 1 else header[place].strip())] = place
    if HEADER + REVIEW in header:
        roles.single[REVIEW] = header.index(HEADER + REVIEW)
    for place, name in enumerate(header):
        if place not in taken and name.strip() and not name.startswith(HEADER):
            roles.labels.setdefault(name.strip(), place)
    if not (roles.outputs or roles.references or "source" in roles.single):
        present = ", ".join(repr(name.strip()[:40]) for name in header[:20] if name.strip()) or "none"
        named = [_SPOKEN[plain(name)] for name in header if plain(name) in _SPOKEN]
        hint = (
            "Say which is which: `columns` source=COLUMN,output=COLUMN. Known headers need none: source, target, "
            "reference; en and de with `pair` en-de."
        )
        if len(named) == 2:
            hint = f"Give the language pair, {named[0]}-{named[1]} or {named[1]}-{named[0]}."
        raise DataError(f"{where}: no column with texts was recognised. Columns: {present}. {hint}")
    return roles


def _recognised(header: Sequence[str], pair: str | None) -> Iterable[tuple[str, int]]:
    """Yield the roles of columns whose headers are known; codes of the language pair are source and output."""
    source, _, target = (pair or "").lower().partition("-")
    codes = {source: "source", target: "output"} if target else {}
    codes |= {name: codes[code] for name, code in _SPOKEN.items() if code in codes}
    known = codes | {alias: role for role in ROLES if role != "id" for alias in NAMES[role]}
    id = find(header, "segment")
    for place, name in enumerate(header):
        kind, _, rest = name.strip().partition(":")
        if rest and kind in _PREFIXES:
            yield f"{_PREFIXES[kind]}:{rest}", place
        elif plain(name) in known:
            yield known[plain(name)], place
        elif name == id:
            yield "id", place


def has_known_names(header: Sequence[str]) -> bool:
    """Return whether a header has the name of a column with texts."""
    return any(role.partition(":")[0] in TEXTS for role, _ in _recognised(header, None))


def _place(column: str, header: Sequence[str], where: str) -> int:
    for same in (str, str.casefold):
        places = [place for place, name in enumerate(header) if same(name.strip()) == same(column)]
        if len(places) > 1:
            raise DataError(f"{where}: {len(places)} columns are called {column!r}. Rename all but one.")
        if places:
            return places[0]
    raise UnknownName(f"column in {where}", column, [name.strip() for name in header if name.strip()])
