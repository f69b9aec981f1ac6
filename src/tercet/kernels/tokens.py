# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From code points to words: insert spaces by the rules of common tokenisers, and split.

A rule set is a list of passes over the text. Each pass equals one regular-expression substitution of mteval-v13a (Perl)
with its left-to-right, non-overlapping matches. The slow reference implementation in the tests uses `re`.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
def _is_space(c: cython.uint) -> cython.bint:
    """Return whether str.split() splits at this character."""
    if c <= 32:
        return c == 32 or (9 <= c <= 13) or (28 <= c <= 31)
    if c < 0x1680:
        return c == 0x85 or c == 0xA0
    return (
        c == 0x1680
        or (0x2000 <= c <= 0x200A)
        or c == 0x2028
        or c == 0x2029
        or c == 0x202F
        or c == 0x205F
        or c == 0x3000
    )


# Words are looked up by a key, which is computed while they are split: it starts as 1, and each character multiplies it
# by 257 and is added. For up to seven characters below 256 the key is a number in base 257 and unique; for any other
# word it is a hash with the highest bit set.


@cython.cfunc
@cython.inline
def _add_char(key: cython.ulonglong, c: cython.uint) -> cython.ulonglong:
    """Return the key of a word extended by one character."""
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF  # for the uncompiled version
    return ((key << 8) + (key + c)) & bits64


@cython.cfunc
@cython.inline
def _end_word(
    begin: cython.Py_ssize_t, end: cython.Py_ssize_t, key: cython.ulonglong, bits: cython.uint,
    places: cython.longlong[:, ::1], keys: cython.ulonglong[::1], words: cython.Py_ssize_t,
) -> cython.Py_ssize_t:  # fmt: skip
    """Store the word from begin to end unless it is empty; `bits` has the bits of all its characters.

    Returns the new number of words.
    """
    hashed: cython.ulonglong = 0x8000000000000000  # typed, or Cython would use a Python integer
    if end <= begin:
        return words
    places[words, 0] = begin
    places[words, 1] = end
    keys[words] = key if end - begin <= 7 and bits < 256 else key | hashed
    return words + 1


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, begin=cython.Py_ssize_t, start=cython.Py_ssize_t)
@cython.locals(end=cython.Py_ssize_t, key=cython.ulonglong, c=cython.uint, bits=cython.uint, kind=cython.uchar)
@cython.locals(alone=cython.bint, after_digit=cython.bint)
def split_13a(
    text: cython.uint[::1], offsets: cython.longlong[::1], classes: cython.uchar[::1], pad: cython.int,
    places: cython.longlong[:, ::1], keys: cython.ulonglong[::1], text_ends: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """Split words by the rules of mteval's 13a, in one pass; results as in `split_words`.

    classes: bits 1 and 16 for a character that is always a word, 2 for full stop and comma, 4 for digits, 8 for the
    hyphen, 32 for an apostrophe that begins a word if s and a space, a character of bit 1 or the end follow (tercom),
    128 for blanks. The four substitutions of the original are equivalent to this: a stop is a separate word unless it
    is between two digits, with two exceptions because matches do not overlap:
    ([^0-9])([.,]) takes a stop after anything but a digit, unless the previous stop was taken in the same way;
    ([.,])([^0-9]) takes the other stops if anything but a digit follows. A hyphen is a word after a digit.
    pad = 0: the text does not begin and end with a blank, so a stop at its ends lacks a neighbour.
    """
    taken: cython.Py_ssize_t  # the last position where ([^0-9])([.,]) took a stop
    words: cython.Py_ssize_t = 0

    for t in range(offsets.shape[0] - 1):
        start = offsets[t]
        end = offsets[t + 1]
        taken = start - 2
        begin = start
        key = 1
        bits = 0
        for i in range(start, end):
            c = text[i]
            kind = classes[c]
            if kind == 0:  # most characters
                key = _add_char(key, c)
                bits |= c
                continue
            alone = False
            if (
                kind & 32
                and i + 1 < end
                and text[i + 1] == 115
                and (i + 2 == end or text[i + 2] == 32 or classes[text[i + 2]] & 1)
            ):
                words = _end_word(begin, i, key, bits, places, keys, words)
                begin = i
                key = 1
                bits = 0
            if kind & 10:
                after_digit = i > start and classes[text[i - 1]] & 4
                if kind & 8:
                    alone = after_digit
                elif not after_digit and taken != i - 1 and (pad or i > start):
                    taken = i
                    alone = True
                elif i + 1 < end:
                    alone = not classes[text[i + 1]] & 4
                else:
                    alone = pad != 0
            if not alone and not kind & 145:
                key = _add_char(key, c)
                bits |= c
                continue
            words = _end_word(begin, i, key, bits, places, keys, words)
            if not kind & 128:
                words = _end_word(i, i + 1, _add_char(1, c), c, places, keys, words)
            begin = i + 1
            key = 1
            bits = 0
        words = _end_word(begin, end, key, bits, places, keys, words)
        text_ends[t] = words
    return words


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(first=cython.uint, second=cython.uint, a=cython.int, b=cython.int, negated=cython.int, take=cython.bint)
def insert_spaces(
    text: cython.uint[::1], offsets: cython.longlong[::1], classes: cython.uchar[::1], passes: cython.int[::1],
    scratch: cython.uint[::1], result: cython.uint[::1], result_offsets: cython.longlong[::1],
) -> None:  # fmt: skip
    """Apply `passes` to every text: text t is text[offsets[t]:offsets[t + 1]].

    classes gives every code point a set of bits. passes has five numbers per pass:
      a, b, negated, before, after
    b = 0: insert a space on both sides of every character with a bit of a.
    b > 0: two adjacent characters, the first with a bit of a (without, if negated = 1), the second with a bit of b
    (without, if negated = 2), get a space between them, one before them if `before`, one after them if `after`.
    scratch: nine for each character of the longest text; result: nine for each character of all texts.
    """
    written: cython.Py_ssize_t = 0

    result_offsets[0] = 0
    for t in range(offsets.shape[0] - 1):
        n = offsets[t + 1] - offsets[t]
        for i in range(n):
            result[written + i] = text[offsets[t] + i]
        for k in range(passes.shape[0] // 5):
            a = passes[5 * k]
            b = passes[5 * k + 1]
            negated = passes[5 * k + 2]
            for i in range(n):
                scratch[i] = result[written + i]
            m = written
            i = 0
            while i < n:
                first = scratch[i]
                if b == 0:
                    if classes[first] & a:
                        result[m] = 32
                        result[m + 1] = first
                        result[m + 2] = 32
                        m += 3
                    else:
                        result[m] = first
                        m += 1
                    i += 1
                    continue
                take = False
                if i + 1 < n:
                    second = scratch[i + 1]
                    take = ((classes[first] & a) != 0) != (negated == 1) and ((classes[second] & b) != 0) != (
                        negated == 2
                    )
                if take:
                    if passes[5 * k + 3]:
                        result[m] = 32
                        m += 1
                    result[m] = first
                    result[m + 1] = 32
                    result[m + 2] = second
                    m += 3
                    if passes[5 * k + 4]:
                        result[m] = 32
                        m += 1
                    i += 2
                else:
                    result[m] = first
                    m += 1
                    i += 1
            n = m - written
        written += n
        result_offsets[t + 1] = written


@cython.cfunc
@cython.inline
def _add_word(
    text: cython.uint[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t, places: cython.longlong[:, ::1],
    keys: cython.ulonglong[::1], words: cython.Py_ssize_t,
) -> cython.Py_ssize_t:  # fmt: skip
    """Store a word like `_end_word`, and compute its key."""
    i: cython.Py_ssize_t
    key: cython.ulonglong = 1
    bits: cython.uint = 0
    for i in range(begin, end):
        key = _add_char(key, text[i])
        bits |= text[i]
    return _end_word(begin, end, key, bits, places, keys, words)


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, begin=cython.Py_ssize_t, end=cython.Py_ssize_t)
@cython.locals(cut=cython.Py_ssize_t, c=cython.uint, blank=cython.bint)
def split_words(
    text: cython.uint[::1], offsets: cython.longlong[::1], punctuation: cython.uchar[::1], blanks: cython.int,
    places: cython.longlong[:, ::1], keys: cython.ulonglong[::1], text_ends: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """Split words like str.split(). Returns their number.

    Word w is text[places[w, 0]:places[w, 1]], with the key keys[w]; text_ends[t] is the number of words up to the end
    of text t.
    blanks = 0: split at every Unicode blank; 1: only at ASCII blanks (like Perl and Java programs on bytes).
    punctuation: for ASCII characters. The last (otherwise the first) character of a word of two or more characters
    becomes a separate word if punctuation[c] = 1, as in chrF++; an array of zeros switches that off.
    """
    words: cython.Py_ssize_t = 0

    for t in range(offsets.shape[0] - 1):
        begin = offsets[t]
        end = offsets[t + 1]
        for i in range(begin, end + 1):
            blank = i == end
            if not blank:
                c = text[i]
                blank = (c == 32 or (9 <= c <= 13)) if blanks else _is_space(c)
            if not blank:
                continue
            cut = begin
            if i - begin > 1:
                if text[i - 1] < 128 and punctuation[text[i - 1]]:
                    cut = i - 1
                elif text[begin] < 128 and punctuation[text[begin]]:
                    cut = begin + 1
            words = _add_word(text, begin, cut, places, keys, words)
            words = _add_word(text, cut, i, places, keys, words)
            begin = i + 1
        text_ends[t] = words
    return words


@cython.locals(t=cython.Py_ssize_t, w=cython.Py_ssize_t, i=cython.Py_ssize_t)
def join_words(
    text: cython.uint[::1], places: cython.longlong[:, ::1], text_ends: cython.longlong[::1], separator: cython.uint,
    result: cython.uint[::1], ends: cython.longlong[::1],
) -> None:  # fmt: skip
    """Write the words of each text with a separator between them; ends[t] becomes the end of text t.

    places, text_ends: from `split_words`. result: one for each character and each word.
    """
    first: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    for t in range(text_ends.shape[0]):
        for w in range(first, text_ends[t]):
            if w > first:
                result[written] = separator
                written += 1
            for i in range(places[w, 0], places[w, 1]):
                result[written] = text[i]
                written += 1
        first = text_ends[t]
        ends[t] = written


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, c=cython.uint)
def drop_blanks(
    text: cython.uint[::1], offsets: cython.longlong[::1], blanks: cython.int, chars: cython.int[::1],
    ends: cython.longlong[::1],
) -> None:  # fmt: skip
    """Copy the characters of every text without blanks (0: any Unicode blank, 2: U+0020 only, 3: drop nothing)."""
    written: cython.Py_ssize_t = 0
    for t in range(offsets.shape[0] - 1):
        for i in range(offsets[t], offsets[t + 1]):
            c = text[i]
            if blanks == 3 or (c != 32 if blanks == 2 else not _is_space(c)):
                chars[written] = c
                written += 1
        ends[t] = written
