"""Read WordNet's synsets with names in many languages, as linked by the Open Multilingual Wordnet.

Bond and Foster (2013), "Linking and Extending an Open Multilingual Wordnet", ACL. A line is {"id": "02084071-n",
"names": {"en": ["dog"], ...}}; the id is WordNet 3.0's offset and part of speech.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import DataError
from ..spill import NameRecord
from .codes import codes_of
from .tables import json_lines

CATEGORY = "concept"


def read_wordnet(path: str | Path, languages: Sequence[str], *, parts_of_speech: str = "n") -> Iterator[NameRecord]:
    """Yield the names of synsets in the chosen languages, by default of nouns.

    The weight of a synset is the number of languages that name it, chosen or not: what many wordnets have is common.
    The first name in each language is the label and has the full weight; the others have less.
    """
    codes = codes_of(tuple(languages))
    for where, item in json_lines(path):
        synset, named = item.get("id"), item.get("names")
        if not isinstance(synset, str) or not isinstance(named, dict):
            raise DataError(f"{where}: a synset needs an 'id' and 'names' by language.")
        if synset.rpartition("-")[2] not in parts_of_speech:
            continue
        for code, names in named.items():
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise DataError(f"{where}: the names in {code!r} are not a list of texts.")
            for place, written in enumerate(names):
                # The Chinese wordnet marks an optional particle with a plus sign; others write blanks as _.
                name = written.partition("+")[0].replace("_", " ").strip()
                for number in codes[code] if name else ():
                    weight = len(named) * (1.0 if place == 0 else 0.9)
                    yield NameRecord(f"wn:{synset}", languages[number], name, CATEGORY, weight)
