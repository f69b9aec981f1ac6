"""Read and write ARPA files, the exchange format of n-gram models: log10 probability, n-gram, log10 back-off weight.

Files of SRILM, KenLM, IRSTLM and other programs can be read, gzipped or not. As in KenLM, a file must contain <s> and
</s>; if it has neither <unk> nor <UNK>, unknown words get the log10 probability -100. Numbers are written with all
their digits, so that a model that is written and read again is unchanged.
"""

import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..data.field_checks import check_text, parse_number
from ..data.files import writing
from ..data.lines import read_blocks
from ..errors import DataError
from ..types import Floats
from .ngram_models import MARKS, UNKNOWN, Grams, NgramModel

Ints = NDArray[np.int64]

MISSING_UNKNOWN = -100.0  # KenLM's value for unknown words if a file has no <unk>
_CHUNK = 1 << 16  # lines parsed at once: fast, and small compared with the model
_COUNT = re.compile(r"ngram\s+([0-9]{1,2})\s*=\s*([0-9]{1,15})\s*")
_CAPITAL_UNKNOWN = "<UNK>"  # some programs write it so; KenLM also reads it as <unk>
_LARGEST = float(np.finfo(np.float64).max)


def write_arpa(model: NgramModel, path: str | Path) -> None:
    """Write a model, gzipped if the name ends in .gz. The file is written completely or not at all."""
    for word in model.words:
        check_text(word, f"The word {word!r}", forbidden="\0")
    with writing(path) as stream:
        stream.write("\\data\\\n")
        stream.writelines(f"ngram {n}={count}\n" for n, count in enumerate(model.counts, 1))
        shorter: list[str] = []
        for n in range(1, model.order + 1):
            here = slice(int(model.bounds[n - 1]), int(model.bounds[n]))
            last = [model.words[word] for word in model.last[here].tolist()]
            if n > 1:
                parents = (model.parents[here] - model.bounds[n - 2]).tolist()
                last = [f"{shorter[parent]} {word}" for parent, word in zip(parents, last, strict=True)]
            stream.write(f"\n\\{n}-grams:\n")
            weights = [f"\t{weight!r}" if n < model.order else "" for weight in model.backoffs[here].tolist()]
            rows = zip(model.logs[here].tolist(), last, weights, strict=True)
            stream.writelines(f"{log!r}\t{gram}{weight}\n" for log, gram, weight in rows)
            shorter = last
        stream.write("\n\\end\\\n")


def read_arpa(path: str | Path) -> NgramModel:
    """Read a model. Raises DataError with the line number if the file is truncated, out of order or malformed."""
    return _Reader(path).model()


class _Reader:
    """A reader of one file; `number` is the number of the last line read."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.number = 0
        self.lines: Iterator[str] = chain.from_iterable(read_blocks(path))

    def model(self) -> NgramModel:
        line = self.filled()
        if not line:
            raise DataError(f"{self.path} is empty. An ARPA file starts with \\data\\.")
        if line != "\\data\\":
            self.refuse(f"expected \\data\\, which starts an ARPA file; found {_shown(line)}.")
        counts, line = self.declared()
        levels: list[Grams] = []
        words: list[str] = []
        keys: list[Ints] = []
        for n, count in enumerate(counts, 1):
            if line != f"\\{n}-grams:":
                self.refuse(f"expected \\{n}-grams:, found {_shown(line)}.")
            if n == 1:
                words, level = self.single_words(count)
                numbers = {_CAPITAL_UNKNOWN: UNKNOWN} | {word: number for number, word in enumerate(words)}
            else:
                level, sorted_keys = self.longer(n, count, numbers, keys, is_last=n == len(counts))
                keys.append(sorted_keys)
            levels.append(level)
            line = self.filled()
        if line != "\\end\\":
            self.refuse(f"expected \\end\\, found {_shown(line)}.")
        for line in self.lines:
            self.number += 1
            if line.strip():
                self.refuse(f"{_shown(line)} follows \\end\\.")
        return NgramModel(words, levels)

    def refuse(self, what: str, line: int | None = None) -> NoReturn:
        raise DataError(f"{self.path}, line {self.number if line is None else line}: {what}")

    def filled(self) -> str:
        """Return the next line that is not blank, stripped; '' at the end of the file."""
        for line in self.lines:
            self.number += 1
            if stripped := line.strip(" \t\r"):
                return stripped
        return ""

    def declared(self) -> tuple[list[int], str]:
        """Return the declared number of n-grams of each order, and the line after the declarations."""
        counts: list[int] = []
        while match := _COUNT.fullmatch(line := self.filled()):
            if int(match[1]) != len(counts) + 1:
                self.refuse(f"expected the number of {len(counts) + 1}-grams, found {_shown(line)}.")
            counts.append(int(match[2]))
        if not counts:
            self.refuse(f"expected 'ngram 1=' and a number, found {_shown(line)}.")
        return counts, line

    def rows(self, n: int, count: int, *, is_last: bool) -> Iterator[tuple[list[list[str]], range]]:
        """Yield the lines of one order in chunks, split into fields, with their line numbers."""
        left = count
        while left:
            lines = list(islice(self.lines, min(left, _CHUNK)))
            rows = [line.replace("\t", " ").split(" ") for line in lines]
            numbers = range(self.number + 1, self.number + 1 + len(lines))
            if not all(map(all, rows)):  # several blanks between fields, or blanks around them
                rows = [[field for field in row if field] for row in rows]
            for number, row, line in zip(numbers, rows, lines, strict=True):
                if n < len(row) < (n + 2 if is_last else n + 3):
                    continue
                if not line.strip() or line.startswith("\\"):
                    done = count - left + number - numbers.start
                    self.refuse(f"the file has {done} {n}-grams, but its header declares {count}.", number)
                self.refuse(f"{_shown(line)} is not a log10 probability, {n} words and a back-off weight.", number)
            self.number += len(lines)
            left -= len(lines)
            if left and not lines:
                self.refuse(f"the file ends after {count - left} of {count} {n}-grams. It is truncated.")
            yield rows, numbers

    def numbers(self, rows: list[list[str]], lines: range, field: int, *, largest: float) -> Floats:
        """Return one field of each line as a number; 0 for lines without it."""
        texts = [row[field] if len(row) > field else "0" for row in rows]
        found = np.array(list(map(parse_number, texts)))
        wrong = ~((found > -np.inf) & (found <= largest))
        if wrong.any():
            place = int(wrong.argmax())
            wanted = "a log10 probability (at most 0)" if field == 0 else "a back-off weight (a finite number)"
            self.refuse(f"expected {wanted}, found {_shown(texts[place])}.", lines[place])
        return found

    def single_words(self, count: int) -> tuple[list[str], Grams]:
        words: list[str] = []
        logs, backoffs = [np.zeros(0)], [np.zeros(0)]
        lines: list[int] = []
        for rows, numbers in self.rows(1, count, is_last=False):
            words += [MARKS[UNKNOWN] if row[1] == _CAPITAL_UNKNOWN else row[1] for row in rows]
            logs.append(self.numbers(rows, numbers, 0, largest=0))
            backoffs.append(self.numbers(rows, numbers, 2, largest=_LARGEST))
            lines += numbers
        places = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
        if len(places) < len(words):
            place = next(place for place, word in enumerate(words) if places[word] != place)
            self.refuse(f"the word {words[place]!r} is repeated.", lines[place])
        for mark in MARKS[1:]:
            if mark not in places:
                self.refuse(f"the word {mark} is missing. Without it sentences have no probability.")
        place_of = [places.pop(mark, len(words)) for mark in MARKS] + sorted(places.values())
        logs.append(np.full(1, MISSING_UNKNOWN))
        backoffs.append(np.zeros(1))
        columns = np.concatenate(logs)[place_of], np.concatenate(backoffs)[place_of]
        level = Grams(np.zeros(len(place_of), dtype=np.int64), np.arange(len(place_of)), *columns)
        return [*MARKS, *(words[place] for place in place_of[len(MARKS) :])], level

    def longer(
        self, n: int, count: int, numbers: dict[str, int], keys: list[Ints], *, is_last: bool
    ) -> tuple[Grams, Ints]:
        """Read the n-grams of order n > 1, and their sorted keys. keys: those of the orders 2 to n - 1."""
        # Lists of chunks, not arrays of size `count`: a malformed file may declare any number.
        all_ids = [np.zeros((n, 0), dtype=np.int32)]
        all_logs, all_backoffs = [np.zeros(0)], [np.zeros(0)]
        size, first = len(numbers), self.number + 1
        for rows, lines in self.rows(n, count, is_last=is_last):
            found = [[numbers.get(row[place], -1) for row in rows] for place in range(1, n + 1)]
            all_ids.append(np.array(found, dtype=np.int32))
            if (all_ids[-1] < 0).any():
                place, column = np.argwhere(all_ids[-1].T < 0)[0]
                self.refuse(f"the word {rows[place][column + 1]!r} is not among the 1-grams.", lines[place])
            all_logs.append(self.numbers(rows, lines, 0, largest=0))
            weights = np.zeros(len(rows)) if is_last else self.numbers(rows, lines, n + 1, largest=_LARGEST)
            all_backoffs.append(weights)
        ids, logs, backoffs = np.concatenate(all_ids, axis=1), np.concatenate(all_logs), np.concatenate(all_backoffs)
        parents = ids[0].astype(np.int64)
        for length, known in enumerate(keys, 2):
            wanted = parents * size + ids[length - 1]
            parents = np.searchsorted(known, wanted)
            absent = np.append(known, -1)[parents] != wanted
            if absent.any():
                what = f"the first {length} words of this {n}-gram are not among the {length}-grams."
                self.refuse(what, first + int(absent.argmax()))
        own = parents * size + ids[-1]
        order = np.argsort(own, kind="stable")
        sorted_keys = own[order]
        again = np.flatnonzero(sorted_keys[1:] == sorted_keys[:-1])
        if len(again):
            self.refuse(f"this {n}-gram is repeated.", first + int(order[again + 1].min()))
        return Grams(parents[order], ids[-1][order], logs[order], backoffs[order]), sorted_keys


def _shown(text: str) -> str:
    return repr(text[:60]) if text else "the end of the file"
