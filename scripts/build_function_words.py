"""Lists the function words of a language: words that are more frequent than one in a thousand.

    python scripts/build_function_words.py LANGUAGE FILE...

FILEs are plain text, one sentence per line. The rule is that of Denkowski and Lavie (2014), "Meteor Universal", WMT,
section 3.2; a few hundred thousand words of running text are enough. function_words.toml, in src/tercet/language/data,
says how its lists were made from this script's.
"""

from __future__ import annotations

import sys
from collections import Counter

from tercet.data.lines import read_lines
from tercet.text.meteor import normalise

SHARE = 1e-3


def main() -> None:
    """Count the words of all files and print the frequent ones."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    language, *paths = sys.argv[1:]
    counts: Counter[str] = Counter()
    for path in paths:
        for line in read_lines(path):
            counts.update(normalise(line, language).lower().split())
    total = counts.total()
    print(" ".join(word for word, count in counts.most_common() if count > SHARE * total))


if __name__ == "__main__":
    main()
