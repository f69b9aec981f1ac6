"""The names of columns and their synonyms, for tables of every kind: CSV, TSV, XLSX, JSONL."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ...errors import UsageError
from ..lines import read_lines
from ..tables import read_table
from .format import Head

# Role -> names of columns. A name in the file is compared without case and punctuation: "Seg_ID" is "seg id".
NAMES: Mapping[str, tuple[str, ...]] = {
    "source": ("source", "src", "source text", "source segment", "original", "original text", "source string"),
    "output": ("output", "target", "tgt", "mt", "translation", "target text", "target segment", "hypothesis", "hyp",
               "machine translation", "mt output", "translated text", "target string"),
    "reference": ("reference", "ref", "human translation", "post edit", "post edited", "pe", "reference translation"),
    "segment": ("seg", "segment", "segment id", "seg id", "segid", "segment number", "id", "key", "string id", "line",
                "line number", "no", "nr", "sentence", "sentence id", "text id", "item", "item id", "index", "row"),
    "file": ("file", "file name", "filename", "document", "doc", "document name", "path"),
    "system": ("system", "sys", "system id", "systemid", "system name", "mt system", "translation system", "model",
               "model name", "engine", "mt engine"),
    "rater": ("rater", "annotator", "user", "judge", "rater id", "annotator id", "user id", "judge id", "assessor",
              "evaluator", "worker", "worker id", "participant", "reviewer", "linguist", "completed by"),
    "score": ("score", "rating", "value", "judgement", "judgment", "assessment", "grade", "human score", "human rating",
              "points", "stars"),
    "kind": ("kind", "criterion", "dimension", "aspect", "question", "protocol"),
    "rank": ("rank", "ranking", "place", "position"),
    "left": ("system a", "system 1", "system1", "systema", "left system", "model a", "model 1", "left"),
    "right": ("system b", "system 2", "system2", "systemb", "right system", "model b", "model 2", "right"),
    "choice": ("choice", "winner", "preference", "preferred", "chosen", "better", "selected", "vote"),
    "better": ("better", "winner", "chosen", "preferred", "better system"),
    "worse": ("worse", "loser", "rejected", "worse system"),
    "severity": ("severity", "error severity"),
    "category": ("category", "error category", "error type", "issue type", "error"),
    "pair": ("lp", "language pair", "languages", "pair"),
}  # fmt: skip
# Columns of scores whose name says the kind of judgement.
KINDS: Mapping[str, str] = {
    **dict.fromkeys(("da", "da score", "da raw", "raw da", "raw", "raw score", "direct assessment"), "da"),
    **dict.fromkeys(("z", "z score", "zscore", "da z", "z scr"), "z"),
    **dict.fromkeys(("adequacy", "meaning"), "adequacy"),
    "fluency": "fluency", "likert": "likert", "hter": "hter",
    **dict.fromkeys(("esa", "esa score"), "esa"),
    **dict.fromkeys(("mqm", "mqm score"), "mqm"),
}  # fmt: skip
TEXTS = ("source", "output", "reference")
# Roles of columns in tables of judgements.
JUDGED = ("segment", "system", "rater", "score", "kind", "rank", "left", "right", "choice", "better", "worse",
          "severity", "category", "pair")  # fmt: skip


def plain(name: str) -> str:
    """Return a column's name without case and punctuation."""
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


def find(header: Sequence[str], role: str) -> str | None:
    """Return the column that has a role: the first of the role's names, as it is written or without its case."""
    for same in (str, plain):
        written = {same(name): name for name in reversed(header)}
        for known in NAMES[role]:
            if known in written:
                return written[known]
    return None


def parse_judged(words: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """Return the columns of a table of judgements by role, from ROLE=COLUMN or a mapping."""
    given = [f"{role}={column}" for role, column in words.items()] if isinstance(words, Mapping) else words
    return parse_roles(given, (*JUDGED, "sheet"))


def parse_roles(words: Iterable[str], roles: Sequence[str], *, named: Sequence[str] = ()) -> dict[str, str]:
    """Return the column of each role from words ROLE=COLUMN. named: roles that may be several, ROLE:NAME=COLUMN."""
    found: dict[str, str] = {}
    for word in words:
        parts = word.split(",")
        for part in parts if all("=" in each for each in parts) else [word]:
            role, _, column = (each.strip() for each in part.partition("="))
            kind, colon, name = role.partition(":")
            if role in found and kind in named:
                raise UsageError(f"`columns`: {role} is given twice. Name several as {role}:NAME=COLUMN.")
            if role in found or not column or kind not in roles or (colon and not (name and kind in named)):
                known = ", ".join((*roles, *(f"{each}:NAME" for each in named)))
                form = f"ROLE=COLUMN, each role once, as {roles[0]}=NAME"
                raise UsageError(f"`columns` {part}: write {form}. Roles: {known}.")
            found[role] = column
    return found


def values_of_pairs(head: Head) -> Sequence[str]:
    """Return the language pairs in a table's column of pairs, empty if it has none."""
    column = find_pair(head.header)
    if column is None:
        return []
    if head.separator == ",":
        return sorted(set(read_table(head.path).column(column)))
    place = head.header.index(column)
    rows = (line.split(head.separator, place + 1) for line in read_lines(head.path)[1:])
    return sorted({row[place] for row in rows if len(row) > place})


def find_pair(header: Sequence[str]) -> str | None:
    """Return the column with the language pair. WMT19's table has a metric called LP beside it."""
    return next((name for name in ("lp", "LP") if name in header), None)
