# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The Moses tokeniser for many texts in one call: the substitutions of tokenizer.perl as passes over code points.

Each pass equals one regular-expression substitution, with its left-to-right, non-overlapping matches. The slow form in
the tests uses `re`.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython

# Bits of the class table. BLANK: a blank in Perl. CONTROL: deleted. PLAIN: not split off as a symbol. NUMBER: \p{IsN}
# by Python's data, LISTED_NUMBER by the table of Moses' Unicode version, which differ for a few new characters.
BLANK = cython.declare(cython.int, 1)
CONTROL = cython.declare(cython.int, 2)
PLAIN = cython.declare(cython.int, 4)
ALPHA = cython.declare(cython.int, 8)
NUMBER = cython.declare(cython.int, 16)
LISTED_NUMBER = cython.declare(cython.int, 32)
LOWER_LETTER = cython.declare(cython.int, 64)
LOWER_CASE = cython.declare(cython.int, 128)

# Code points of the marks that have rules.
SPACE = cython.declare(cython.uint, 32)
QUOTE = cython.declare(cython.uint, 39)
COMMA = cython.declare(cython.uint, 44)
STOP = cython.declare(cython.uint, 46)
HIDDEN = cython.declare(cython.uint, 0x110000)  # a full stop of several in a row, which no later rule changes


@cython.cfunc
@cython.inline
def _clean(
    text: cython.uint[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t, classes: cython.uchar[::1],
    out: cython.uint[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Delete control characters and write one space for each run of blanks, none at the ends. Returns the length."""
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    kind: cython.uchar
    for i in range(begin, end):
        kind = classes[text[i]]
        if kind & BLANK:
            if n and out[n - 1] != SPACE:
                out[n] = SPACE
                n += 1
        elif not kind & CONTROL:
            out[n] = text[i]
            n += 1
    if n and out[n - 1] == SPACE:
        n -= 1
    return n


@cython.cfunc
@cython.inline
def _put_alone(out: cython.uint[::1], n: cython.Py_ssize_t, c: cython.uint) -> cython.Py_ssize_t:
    """Write a character with a space on both sides. Returns the new length."""
    out[n] = SPACE
    out[n + 1] = c
    out[n + 2] = SPACE
    return n + 3


@cython.cfunc
@cython.inline
def _split_symbols(
    text: cython.uint[::1], length: cython.Py_ssize_t, classes: cython.uchar[::1], inner: cython.uint,
    out: cython.uint[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Split off symbols, hide runs of full stops, and split off `inner` unless a lower-case letter follows it."""
    i: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    c: cython.uint
    alone: cython.bint
    while i < length:
        c = text[i]
        if c == STOP and i + 1 < length and text[i + 1] == STOP:
            out[n] = SPACE
            n += 1
            while i < length and text[i] == STOP:
                out[n] = HIDDEN
                n += 1
                i += 1
            out[n] = SPACE
            n += 1
            continue
        alone = not classes[c] & PLAIN
        if alone and inner and c == inner:
            alone = i + 1 == length or not classes[text[i + 1]] & LOWER_LETTER
        if alone:
            n = _put_alone(out, n, c)
        else:
            out[n] = c
            n += 1
        i += 1
    return n


@cython.cfunc
@cython.inline
def _split_commas(
    text: cython.uint[::1], length: cython.Py_ssize_t, classes: cython.uchar[::1], out: cython.uint[::1]
) -> cython.Py_ssize_t:
    """Split off commas after anything but a number: of several in a row every second one, as matches do not overlap."""
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    taken: cython.bint = False  # whether a match ended with the character before
    for i in range(length):
        if text[i] == COMMA and i > 0 and not taken and not classes[text[i - 1]] & NUMBER:
            n = _put_alone(out, n, COMMA)
            taken = True
        else:
            out[n] = text[i]
            n += 1
            taken = False
    return n


@cython.cfunc
@cython.inline
def _split_commas_before(
    text: cython.uint[::1], length: cython.Py_ssize_t, classes: cython.uchar[::1], out: cython.uint[::1]
) -> cython.Py_ssize_t:
    """Split off commas before anything but a number, and a comma at the end after a number."""
    i: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    while i < length:
        if text[i] != COMMA or i + 1 == length:
            out[n] = text[i]
            n += 1
            i += 1
            continue
        if classes[text[i + 1]] & NUMBER:
            out[n] = COMMA
            n += 1
        else:
            n = _put_alone(out, n, COMMA)
        out[n] = text[i + 1]
        n += 1
        i += 2
    if n > 1 and out[n - 1] == COMMA and classes[out[n - 2]] & NUMBER:
        out[n - 1] = SPACE
        out[n] = COMMA
        n += 1
    return n


@cython.cfunc
@cython.inline
def _fits(c: cython.uint, classes: cython.uchar[::1], bits: cython.int, excluded: cython.int) -> cython.bint:
    """Return whether a character fits a context: has one of these bits if there are any, and none of the excluded.

    Negative bits are a single character.
    """
    if bits < 0:
        return c + bits == 0
    return (bits == 0 or (classes[c] & bits) != 0) and not classes[c] & excluded


@cython.cfunc
@cython.inline
def _split_apostrophes(
    text: cython.uint[::1], length: cython.Py_ssize_t, classes: cython.uchar[::1], rows: cython.int[::1],
    row: cython.Py_ssize_t, out: cython.uint[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Apply one row of rules for apostrophes (see `tokenise`)."""
    i: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    while i < length:
        out[n] = text[i]
        n += 1
        if (
            i + 2 < length
            and text[i + 1] == QUOTE
            and _fits(text[i], classes, rows[row], rows[row + 1])
            and _fits(text[i + 2], classes, rows[row + 2], rows[row + 3])
        ):
            if rows[row + 4]:
                out[n] = SPACE
                n += 1
            out[n] = QUOTE
            n += 1
            if rows[row + 5]:
                out[n] = SPACE
                n += 1
            out[n] = text[i + 2]
            n += 1
            i += 2
        i += 1
    return n


@cython.cfunc
@cython.inline
@cython.locals(middle=cython.Py_ssize_t, i=cython.Py_ssize_t, at=cython.Py_ssize_t)
def _kind_in_list(
    text: cython.uint[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t, words: cython.uint[::1],
    bounds: cython.longlong[::1], kinds: cython.uchar[::1],
) -> cython.int:  # fmt: skip
    """Return the kind of a word in a sorted list, 0 if it is not in it."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = kinds.shape[0]
    while low < high:
        middle = (low + high) // 2
        at = bounds[middle]
        i = begin
        while i < end and at < bounds[middle + 1] and text[i] == words[at]:
            i += 1
            at += 1
        if i == end and at == bounds[middle + 1]:
            return kinds[middle]
        if i < end and (at == bounds[middle + 1] or text[i] > words[at]):
            low = middle + 1
        else:
            high = middle
    return 0


@cython.cfunc
@cython.inline
def _keeps_stop(
    text: cython.uint[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t, following: cython.uint,
    classes: cython.uchar[::1], words: cython.uint[::1], bounds: cython.longlong[::1], kinds: cython.uchar[::1],
) -> cython.bint:  # fmt: skip
    """Return whether the word from begin to end keeps its full stop before a word that begins with `following`."""
    i: cython.Py_ssize_t
    kind: cython.int
    stops: cython.bint = False
    letters: cython.bint = False
    if classes[following] & LOWER_CASE:
        return True
    for i in range(begin, end):
        if text[i] == STOP:
            stops = True
        elif classes[text[i]] & ALPHA:
            letters = True
    if stops and letters:
        return True
    kind = _kind_in_list(text, begin, end, words, bounds, kinds)
    return (kind & 1) != 0 or ((kind & 2) != 0 and 48 <= following <= 57)


@cython.cfunc
@cython.inline
def _split_stops(
    text: cython.uint[::1], length: cython.Py_ssize_t, classes: cython.uchar[::1], words: cython.uint[::1],
    bounds: cython.longlong[::1], kinds: cython.uchar[::1], out: cython.uint[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Write words with one space between them; split off a full stop unless an abbreviation or the next word keeps it.

    At the very end `.'` becomes ` . ' `, with a space after it.
    """
    i: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    while i < length:
        while i < length and text[i] == SPACE:
            i += 1
        begin = i
        if begin == length:
            break
        if n:
            out[n] = SPACE
            n += 1
        while i < length and text[i] != SPACE:
            out[n] = text[i]
            n += 1
            i += 1
        if text[i - 1] != STOP or i - begin < 2:
            continue
        end = i - 1
        while i < length and text[i] == SPACE:
            i += 1
        if i == length or not _keeps_stop(text, begin, end, text[i], classes, words, bounds, kinds):
            out[n - 1] = SPACE
            out[n] = STOP
            n += 1
    if n > 1 and out[n - 1] == QUOTE and out[n - 2] == STOP:
        out[n - 2] = SPACE
        out[n - 1] = STOP
        out[n] = SPACE
        out[n + 1] = QUOTE
        out[n + 2] = SPACE
        n += 3
    return n


@cython.cfunc
@cython.inline
def _spelt_dots(text: cython.uint[::1], i: cython.Py_ssize_t, length: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return how many DOT are at i, if MULTI follows them; Moses takes such words of a text for its own."""
    count: cython.Py_ssize_t = 0
    while i + 2 < length and text[i] == 68 and text[i + 1] == 79 and text[i + 2] == 84:  # DOT
        count += 1
        i += 3
    if i + 4 < length and text[i] == 77 and text[i + 1] == 85 and text[i + 2] == 76 and text[i + 3] == 84:
        return count if text[i + 4] == 73 else 0  # MULTI
    return 0


@cython.cfunc
@cython.inline
@cython.locals(k=cython.Py_ssize_t, dots=cython.Py_ssize_t, c=cython.uint)
def _escape(
    text: cython.uint[::1], length: cython.Py_ssize_t, entities: cython.uint[::1], out: cython.uint[::1],
    n: cython.Py_ssize_t,
) -> cython.Py_ssize_t:  # fmt: skip
    """Write the text with entities, from position n of `out`. Returns its end.

    entities: for each ASCII character up to six code points, or zeros.
    """
    i: cython.Py_ssize_t = 0
    while i < length:
        c = text[i]
        i += 1
        if c == HIDDEN:
            out[n] = STOP
            n += 1
        elif c < 128 and entities[6 * c]:
            for k in range(6 * c, 6 * c + 6):
                if entities[k]:
                    out[n] = entities[k]
                    n += 1
        elif c == 68 and _spelt_dots(text, i - 1, length):
            dots = _spelt_dots(text, i - 1, length)
            for k in range(dots):
                out[n] = STOP
                n += 1
            i += 3 * dots + 4
        else:
            out[n] = c
            n += 1
    return n


def first_unknown(text: cython.uint[::1], known: cython.uchar[::1], begin: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first position from `begin` whose block of 256 characters is not known, or the text's length."""
    i: cython.Py_ssize_t
    for i in range(begin, text.shape[0]):
        if not known[text[i] >> 8]:
            return i
    return text.shape[0]


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, n=cython.Py_ssize_t, row=cython.Py_ssize_t)
@cython.locals(commas=cython.bint, quotes=cython.bint)
def tokenise(
    text: cython.uint[::1], offsets: cython.longlong[::1], classes: cython.uchar[::1], inner: cython.uint,
    apostrophes: cython.int[::1], words: cython.uint[::1], bounds: cython.longlong[::1], kinds: cython.uchar[::1],
    entities: cython.uint[::1], first: cython.uint[::1], second: cython.uint[::1], result: cython.uint[::1],
    result_offsets: cython.longlong[::1],
) -> None:  # fmt: skip
    """Tokenise every text; text t is text[offsets[t]:offsets[t + 1]].

    inner: a mark that words may contain, or 0. apostrophes: six numbers for each rule: bits that the character before
    must have (negative: the character itself), bits that it must not have, the same for the character after, and
    whether there is a space before and after the apostrophe.
    words, bounds, kinds: sorted abbreviations, with bit 1 if they keep their full stop, 2 if they do before a digit.
    first, second: nine for each character of the longest text, and four more; result: the same for all texts.
    """
    written: cython.Py_ssize_t = 0

    result_offsets[0] = 0
    for t in range(offsets.shape[0] - 1):
        n = _clean(text, offsets[t], offsets[t + 1], classes, second)
        if n == 0:  # Moses prints blank lines unchanged; a line with control characters becomes empty
            for i in range(offsets[t], offsets[t + 1]):
                if not classes[text[i]] & BLANK:
                    break
                result[written + i - offsets[t]] = text[i]
            else:
                written += offsets[t + 1] - offsets[t]
            result_offsets[t + 1] = written
            continue
        n = _split_symbols(second, n, classes, inner, first)
        commas = False
        quotes = False
        for i in range(n):
            commas = commas or first[i] == COMMA
            quotes = quotes or first[i] == QUOTE
        if commas:
            n = _split_commas(first, n, classes, second)
            n = _split_commas_before(second, n, classes, first)
        if quotes:
            for row in range(0, apostrophes.shape[0], 6):
                n = _split_apostrophes(first, n, classes, apostrophes, row, second)
                first, second = second, first
        n = _split_stops(first, n, classes, words, bounds, kinds, second)
        written = _escape(second, n, entities, result, written)
        result_offsets[t + 1] = written
