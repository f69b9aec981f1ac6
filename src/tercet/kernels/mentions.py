# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Look up all names of a knowledge base in many sentences at once: open addressing over 64-bit fingerprints.

A key is the UTF-8 text of one or more tokens with SEPARATOR between them. A slot has the upper half of a fingerprint,
above it the number of a name plus one, and a bit that is set if longer names begin with this key. Beginnings of names
also have slots, with no name, so that a search stops at the first token with which no name continues. A fingerprint
gives only a candidate: a hit is a name whose text was compared byte by byte. The slow reference implementation in the
tests uses a dictionary of n-grams.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython

SEPARATOR = "\x1f"


@cython.cfunc
@cython.inline
def _word(text: cython.const[cython.uchar][::1], start: cython.longlong, end: cython.longlong) -> cython.ulonglong:
    """Return a hash of the bytes of a token (FNV-1a of Fowler, Noll and Vo)."""
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    prime: cython.ulonglong = 0x100000001B3
    number: cython.ulonglong = 0xCBF29CE484222325
    i: cython.longlong
    for i in range(start, end):
        number = ((number ^ text[i]) * prime) & bits64
    return number


@cython.cfunc
@cython.inline
def _extend(number: cython.ulonglong, word: cython.ulonglong) -> cython.ulonglong:
    """Return the fingerprint of a key extended by one token (the finaliser of splitmix64)."""
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF  # typed, like all large constants: otherwise a Python object
    step: cython.ulonglong = 0x9E3779B97F4A7C15
    first: cython.ulonglong = 0xBF58476D1CE4E5B9
    second: cython.ulonglong = 0x94D049BB133111EB
    number = (number * 3 + word + step) & bits64
    number = ((number ^ (number >> 30)) * first) & bits64
    number = ((number ^ (number >> 27)) * second) & bits64
    return number ^ (number >> 31)


@cython.cfunc
@cython.inline
def _equal(
    text: cython.const[cython.uchar][::1], start: cython.longlong, end: cython.longlong,
    other: cython.const[cython.uchar][::1], other_start: cython.longlong, other_end: cython.longlong,
) -> cython.bint:  # fmt: skip
    i: cython.longlong
    if end - start != other_end - other_start:
        return False
    for i in range(end - start):
        if text[start + i] != other[other_start + i]:
            return False
    return True


@cython.locals(k=cython.Py_ssize_t, i=cython.longlong, begin=cython.longlong, size=cython.longlong)
@cython.locals(number=cython.ulonglong)
def fingerprints(
    text: cython.const[cython.uchar][::1], starts: cython.const[cython.longlong][::1], prints: cython.ulonglong[::1],
    sizes: cython.longlong[::1],
) -> None:  # fmt: skip
    """Fill the fingerprint and number of tokens of each key text[starts[k]:starts[k + 1]]."""
    for k in range(prints.shape[0]):
        begin = starts[k]
        number = 0
        size = 0
        for i in range(starts[k], starts[k + 1] + 1):
            if i == starts[k + 1] or text[i] == 31:
                number = _extend(number, _word(text, begin, i))
                size += 1
                begin = i + 1
        prints[k] = number
        sizes[k] = size


@cython.locals(k=cython.Py_ssize_t, i=cython.longlong, begin=cython.longlong, number=cython.ulonglong)
def beginnings(
    text: cython.const[cython.uchar][::1], starts: cython.const[cython.longlong][::1], prints: cython.ulonglong[::1]
) -> None:
    """Fill the fingerprints of all proper beginnings of the keys: for each key its number of tokens minus one."""
    done: cython.Py_ssize_t = 0
    for k in range(starts.shape[0] - 1):
        begin = starts[k]
        number = 0
        for i in range(starts[k], starts[k + 1]):
            if text[i] == 31:
                number = _extend(number, _word(text, begin, i))
                prints[done] = number
                done += 1
                begin = i + 1


@cython.locals(p=cython.Py_ssize_t, g=cython.longlong, key=cython.longlong, head=cython.longlong, found=cython.bint)
def group(
    text: cython.const[cython.uchar][::1], starts: cython.const[cython.longlong][::1],
    prints: cython.const[cython.ulonglong][::1], order: cython.const[cython.longlong][::1],
    groups: cython.longlong[::1], heads: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """Number the distinct keys; `order` sorts them by fingerprint. Returns the number of distinct keys.

    groups[k] becomes the number of key k, heads[g] the first key of number g.
    """
    used: cython.longlong = 0
    first: cython.longlong = 0  # the first number with the current fingerprint
    for p in range(order.shape[0]):
        key = order[p]
        if p == 0 or prints[key] != prints[order[p - 1]]:
            first = used
        found = False
        for g in range(first, used):
            head = heads[g]
            if _equal(text, starts[key], starts[key + 1], text, starts[head], starts[head + 1]):
                groups[key] = g
                found = True
                break
        if not found:
            groups[key] = used
            heads[used] = key
            used += 1
    return used


@cython.locals(k=cython.Py_ssize_t, slot=cython.ulonglong, value=cython.ulonglong)
def fill(
    slots: cython.ulonglong[::1], prints: cython.const[cython.ulonglong][::1],
    begun: cython.const[cython.ulonglong][::1],
) -> None:  # fmt: skip
    """Insert names, numbered in the order of `prints`, then their beginnings. slots: zeros, a power of two of them."""
    one: cython.ulonglong = 1
    last: cython.ulonglong = slots.shape[0] - 1
    for k in range(prints.shape[0]):
        slot = prints[k] & last
        while slots[slot] != 0:
            slot = (slot + 1) & last
        value = k + 1
        slots[slot] = ((prints[k] >> 32) << 32) | value
    for k in range(begun.shape[0]):
        slot = begun[k] & last
        while slots[slot] != 0 and (slots[slot] >> 32) != (begun[k] >> 32):
            slot = (slot + 1) & last
        slots[slot] = ((begun[k] >> 32) << 32) | (slots[slot] & 0xFFFFFFFF) | (one << 31)


@cython.locals(i=cython.longlong, j=cython.longlong, k=cython.longlong, n=cython.longlong, steps=cython.longlong)
@cython.locals(at_end=cython.longlong, alias=cython.longlong, size=cython.longlong, at_name=cython.longlong)
@cython.locals(at_text=cython.longlong, begun=cython.longlong, kept=cython.longlong, touched=cython.longlong)
@cython.locals(number=cython.ulonglong, slot=cython.ulonglong, value=cython.ulonglong, word=cython.ulonglong)
@cython.locals(goes_on=cython.bint, seen=cython.bint, equal=cython.bint)
def find(
    text: cython.const[cython.uchar][::1], counts: cython.const[cython.longlong][::1], state: cython.longlong[::1],
    slots: cython.const[cython.ulonglong][::1], alias_text: cython.const[cython.uchar][::1],
    alias_starts: cython.const[cython.longlong][::1], longest: cython.longlong, places: cython.longlong[::1],
    words: cython.ulonglong[::1], firsts: cython.ulonglong[::1], hits: cython.int[:, ::1],
) -> cython.longlong:  # fmt: skip
    """Store sentence, first token, last token and name of every name found in the rows of `hits`. Returns the number.

    text: the tokens of all sentences with a separator between any two. counts: the number of tokens of each sentence.
    state: the next sentence, its first byte, and a scratch element. The search starts there and stops before a sentence
    whose hits might not fit, which are at most `longest` per token. longest: tokens of the longest name. Returns -1 if
    the tables are damaged: a slot names no name, a name lies outside of its text, or no slot is free.
    Sizes: places longest sentence + 1; words and firsts longest sentence.
    """
    s: cython.Py_ssize_t = state[0]
    at: cython.longlong = state[1]
    found: cython.longlong = 0
    room: cython.longlong = hits.shape[1]
    names: cython.longlong = alias_starts.shape[0] - 1
    letters: cython.longlong = alias_text.shape[0]
    end: cython.longlong = text.shape[0]
    last: cython.ulonglong = slots.shape[0] - 1
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    prime: cython.ulonglong = 0x100000001B3
    basis: cython.ulonglong = 0xCBF29CE484222325
    while s < counts.shape[0]:
        n = counts[s]
        if found + n * longest > room:
            break
        for i in range(n):
            places[i] = at
            word = basis  # `_word` inlined: a call would pass whole memoryviews
            while at < end and text[at] != 31:
                word = ((word ^ text[at]) * prime) & bits64
                at += 1
            words[i] = word
            at += 1
        places[n] = at
        # The slots of all words and pairs first, so that the processor can load them in parallel.
        touched = 0
        for i in range(n):
            number = _extend(0, words[i])
            firsts[i] = slots[number & last]
            if i + 1 < n:
                touched += slots[_extend(number, words[i + 1]) & last] & 1
        begun = found
        for i in range(n):
            if firsts[i] == 0:
                continue
            number = 0
            goes_on = True
            j = i
            while goes_on and j < n and j < i + longest:
                number = _extend(number, words[j])
                slot = number & last
                value = slots[slot]
                goes_on = False
                seen = False
                steps = 0
                while value != 0:
                    steps += 1
                    if steps > slots.shape[0]:
                        return -1
                    if (value >> 32) == (number >> 32):
                        alias = value & 0x7FFFFFFF
                        if alias > names:
                            return -1
                        if not seen:
                            seen = True
                            goes_on = (value >> 31) & 1
                            if alias != 0:
                                hits[0, found] = s
                                hits[1, found] = i
                                hits[2, found] = j
                                hits[3, found] = alias - 1
                                found += 1
                                touched += alias_starts[alias] & 1
                        elif (
                            alias != 0
                            and alias_starts[alias - 1] >= 0
                            and alias_starts[alias] <= letters
                            and _equal(
                                text,
                                places[i],
                                places[j + 1] - 1,
                                alias_text,
                                alias_starts[alias - 1],
                                alias_starts[alias],
                            )
                        ):
                            hits[3, found - 1] = alias - 1  # another name has the same fingerprint
                    slot = (slot + 1) & last
                    value = slots[slot]
                j += 1
        for k in range(begun, found):
            at_name = alias_starts[hits[3, k]]
            at_end = alias_starts[hits[3, k] + 1]
            if at_name < 0 or at_name > at_end or at_end > letters:
                return -1
            if at_name < at_end:
                touched += alias_text[at_name]
        # Now compare the texts.
        kept = begun
        for k in range(begun, found):
            at_name = alias_starts[hits[3, k]]
            at_text = places[hits[1, k]]
            size = places[hits[2, k] + 1] - 1 - at_text
            equal = alias_starts[hits[3, k] + 1] - at_name == size
            j = 0
            while equal and j < size:
                equal = text[at_text + j] == alias_text[at_name + j]
                j += 1
            if equal:
                for j in range(4):
                    hits[j, kept] = hits[j, k]
                kept += 1
        found = kept
        s += 1
        state[2] = touched
    state[0] = s
    state[1] = at
    return found
