"""Find answers that came faster than their texts can be read.

People read 4 words a second on average (238 a minute: Brysbaert 2019, "How many words do we read per minute?"). Nobody
reads and judges 10 words a second: such an answer is a click.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .campaign import Campaign, Item
from .storage import StoredRecord

FASTEST = 10.0  # words a second; the mean of readers is 4
PER_WORD = 1.6  # characters of scripts without spaces that are as much to read as a word
FEWEST, SHARE = 3, 0.1  # a rater is reported from this number and share of hasty answers on
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")


def words(text: str) -> float:
    """Return the length of a text in words, also of scripts that put no spaces between them."""
    rest, characters = _WITHOUT_SPACES.subn(" ", text)
    return len(rest.split()) + characters / PER_WORD


def shortest(item: Item) -> float:
    """Return the seconds below which nobody can have read the texts of an item."""
    shown = (item.source or "", item.reference or "", *(output.text for output in item.outputs))
    return sum(map(words, shown)) / FASTEST


def hasty(campaign: Campaign, records: Iterable[StoredRecord]) -> int:
    """Count the items that were answered too fast to be read; the times of several answers to an item add up."""
    spent: dict[str, float] = {}
    for record in records:
        spent[record.item] = spent.get(record.item, 0.0) + record.seconds
    return sum(seconds < shortest(campaign.item(item)) for item, seconds in spent.items())
