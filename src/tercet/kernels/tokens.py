# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""From code points to words: spaces put in by the rules of the field's tokenisers, splitting, numbering of words.

A rule set is a list of passes over the text, each the equal of one regular-expression substitution of mteval-v13a
(Perl) with its left-to-right, non-overlapping matches. Slow oracle: those expressions with `re`, in the tests.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython

COMPILED = cython.compiled


@cython.cfunc
@cython.inline
def _is_space(c: cython.uint) -> cython.bint:
    """What str.split() splits at."""
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


@cython.cfunc
@cython.inline
def _end_word(
    written: cython.Py_ssize_t, word_ends: cython.longlong[::1], words: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The number of words after the one being written, if there is one, ends here."""
    if written > (word_ends[words - 1] if words else 0):
        word_ends[words] = written
        return words + 1
    return words


def split_13a(
    text: cython.uint[::1],
    offsets: cython.longlong[::1],
    classes: cython.uchar[::1],
    pad: cython.int,
    chars: cython.uint[::1],
    word_ends: cython.longlong[::1],
    text_ends: cython.longlong[::1],
) -> cython.longlong:
    """Words by the rules of mteval's 13a, in one pass; results as in `split_words`.

    classes: bits 1 for a character that is always a word, 2 for full stop and comma, 4 for digits, 8 for the hyphen,
    128 for blanks. The four substitutions of the original come to this. A stop is a word of its own unless it stands
    between two digits, with two exceptions that non-overlapping matches make:
    ([^0-9])([.,]) takes a stop after anything but a digit, unless the stop before it was taken in the same way;
    ([.,])([^0-9]) takes what is left if anything but a digit follows. A hyphen is a word after a digit.
    pad = 0: the text does not begin and end with a blank, so a stop at its ends lacks a neighbour.
    """
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    words: cython.Py_ssize_t = 0
    kind: cython.uchar
    taken: cython.bint
    alone: cython.bint
    after_digit: cython.bint
    after_taken: cython.bint
    has_before: cython.bint

    for t in range(offsets.shape[0] - 1):
        after_digit = False
        after_taken = False
        has_before = pad != 0
        end = offsets[t + 1]
        for i in range(offsets[t], end):
            kind = classes[text[i]]
            taken = False
            alone = False
            if kind:
                if kind & 128:
                    words = _end_word(written, word_ends, words)
                    after_digit = False
                    after_taken = False
                    has_before = True
                    continue
                if kind & 2:
                    taken = has_before and not after_digit and not after_taken
                    if taken:
                        alone = True
                    elif i + 1 < end:
                        alone = not classes[text[i + 1]] & 4
                    else:
                        alone = pad != 0
                elif kind & 8:
                    alone = after_digit
                else:
                    alone = kind & 1
            if alone:
                words = _end_word(written, word_ends, words)
            chars[written] = text[i]
            written += 1
            if alone:
                words = _end_word(written, word_ends, words)
            after_digit = kind & 4
            after_taken = taken
            has_before = True
        words = _end_word(written, word_ends, words)
        text_ends[t] = words
    return words


def insert_spaces(
    text: cython.uint[::1],
    offsets: cython.longlong[::1],
    classes: cython.uchar[::1],
    passes: cython.int[::1],
    scratch: cython.uint[::1],
    result: cython.uint[::1],
    result_offsets: cython.longlong[::1],
) -> None:
    """Apply `passes` to every text: text t is text[offsets[t]:offsets[t + 1]].

    classes gives every code point a set of bits. passes holds five numbers each:
      a, b, negated, before, after
    b = 0: a space on both sides of every character with a bit of a.
    b > 0: two neighbours, the first with a bit of a (without, if negated = 1), the second with a bit of b (without,
    if negated = 2), get a space between them, one before them if `before`, one after them if `after`.
    scratch needs nine places for each character of the longest text, result for each of all texts.
    """
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    m: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    first: cython.uint
    second: cython.uint
    a: cython.int
    b: cython.int
    negated: cython.int
    take: cython.bint

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


def split_words(
    text: cython.uint[::1],
    offsets: cython.longlong[::1],
    punctuation: cython.uchar[::1],
    blanks: cython.int,
    chars: cython.uint[::1],
    word_ends: cython.longlong[::1],
    text_ends: cython.longlong[::1],
) -> cython.longlong:
    """Words as str.split() gives them, their characters laid end to end in `chars`; returns the number of words.

    word_ends[w] is where word w ends in `chars`, text_ends[t] the number of words up to the end of text t.
    blanks = 0: every Unicode blank splits; 1: only ASCII blanks do (as Perl and Java programs on bytes).
    A word of two or more characters loses a last (else a first) character with punctuation[c] = 1 to a word of its
    own, as chrF++ does; an array of zeros switches that off. It covers ASCII.
    """
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    words: cython.Py_ssize_t = 0
    c: cython.uint
    inside: cython.bint
    blank: cython.bint

    for t in range(offsets.shape[0] - 1):
        inside = False
        begin = written
        for i in range(offsets[t], offsets[t + 1] + 1):
            blank = i == offsets[t + 1]
            c = 32
            if not blank:
                c = text[i]
                blank = (c == 32 or (9 <= c <= 13)) if blanks else _is_space(c)
            if not blank:
                if not inside:
                    begin = written
                    inside = True
                chars[written] = c
                written += 1
            elif inside:
                inside = False
                if written - begin > 1:
                    c = chars[written - 1]
                    if c < 128 and punctuation[c]:
                        word_ends[words] = written - 1
                        words += 1
                    else:
                        c = chars[begin]
                        if c < 128 and punctuation[c]:
                            word_ends[words] = begin + 1
                            words += 1
                word_ends[words] = written
                words += 1
        text_ends[t] = words
    return words


def drop_blanks(
    text: cython.uint[::1],
    offsets: cython.longlong[::1],
    blanks: cython.int,
    chars: cython.int[::1],
    ends: cython.longlong[::1],
) -> None:
    """The characters of every text without blanks (0: any Unicode blank, 2: U+0020 only, 3: drop nothing)."""
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    written: cython.Py_ssize_t = 0
    c: cython.uint
    for t in range(offsets.shape[0] - 1):
        for i in range(offsets[t], offsets[t + 1]):
            c = text[i]
            if blanks == 3 or (c != 32 if blanks == 2 else not _is_space(c)):
                chars[written] = c
                written += 1
        ends[t] = written


@cython.cfunc
@cython.inline
def _hash_word(chars: cython.uint[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.ulonglong:
    """Shifts and additions per character, which wait for less than a product, and one product to mix the bits."""
    i: cython.Py_ssize_t
    h: cython.ulonglong = 5381
    multiplier: cython.ulonglong = 0x9E3779B97F4A7C15
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF  # for the uncompiled form
    for i in range(begin, end):
        h = ((h << 5) + h + chars[i]) & bits64
    h = ((h ^ (h >> 29)) * multiplier) & bits64
    return h ^ (h >> 32)


@cython.cfunc
@cython.inline
def _same_word(
    a: cython.uint[::1],
    a_begin: cython.Py_ssize_t,
    a_end: cython.Py_ssize_t,
    b: cython.uint[::1],
    b_begin: cython.Py_ssize_t,
    b_end: cython.Py_ssize_t,
) -> cython.bint:
    i: cython.Py_ssize_t
    if a_end - a_begin != b_end - b_begin:
        return False
    for i in range(a_end - a_begin):
        if a[a_begin + i] != b[b_begin + i]:
            return False
    return True


def number_words(
    chars: cython.uint[::1],
    word_ends: cython.longlong[::1],
    slots: cython.int[::1],
    ids: cython.int[::1],
) -> None:
    """Give every word the number of its first occurrence; slots (a power of two, at least twice the words, filled
    with -1) becomes the index that `find_words` reads. A word is compared in full: a hash alone never decides.
    """
    w: cython.Py_ssize_t
    begin: cython.Py_ssize_t = 0
    other: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    other_begin: cython.Py_ssize_t
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    for w in range(word_ends.shape[0]):
        slot = _hash_word(chars, begin, word_ends[w]) & mask
        while slots[slot] >= 0:
            other = slots[slot]
            other_begin = word_ends[other - 1] if other else 0
            if _same_word(chars, begin, word_ends[w], chars, other_begin, word_ends[other]):
                break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = w
        ids[w] = slots[slot]
        begin = word_ends[w]


def find_words(
    chars: cython.uint[::1],
    word_ends: cython.longlong[::1],
    known_chars: cython.uint[::1],
    known_ends: cython.longlong[::1],
    slots: cython.int[::1],
    ids: cython.int[::1],
) -> None:
    """The numbers that `number_words` gave to these words, -1 for a word that it has not seen."""
    w: cython.Py_ssize_t
    begin: cython.Py_ssize_t = 0
    other: cython.Py_ssize_t
    other_begin: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    for w in range(word_ends.shape[0]):
        slot = _hash_word(chars, begin, word_ends[w]) & mask
        ids[w] = -1
        while slots[slot] >= 0:
            other = slots[slot]
            other_begin = known_ends[other - 1] if other else 0
            if _same_word(chars, begin, word_ends[w], known_chars, other_begin, known_ends[other]):
                ids[w] = other
                break
            slot = (slot + 1) & mask
        begin = word_ends[w]
