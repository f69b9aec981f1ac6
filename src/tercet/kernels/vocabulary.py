# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Number words and look them up, by the keys that `kernels.tokens` computes while it splits texts; hashes of texts."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
def _first_slot(key: cython.ulonglong, mask: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first slot of the search for a key, from a product that mixes its bits."""
    multiplier: cython.ulonglong = 0x9E3779B97F4A7C15
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF  # for the uncompiled version
    key = ((key ^ (key >> 29)) * multiplier) & bits64
    return (key ^ (key >> 32)) & mask


@cython.cfunc
@cython.inline
@cython.locals(i=cython.Py_ssize_t, begin=cython.Py_ssize_t, length=cython.Py_ssize_t, other=cython.Py_ssize_t)
def _same_word(
    a: cython.uint[::1], a_places: cython.longlong[:, ::1], a_keys: cython.ulonglong[::1], v: cython.Py_ssize_t,
    b: cython.uint[::1], b_places: cython.longlong[:, ::1], b_keys: cython.ulonglong[::1], w: cython.Py_ssize_t,
) -> cython.bint:  # fmt: skip
    """Return whether word v of text a equals word w of text b. Hashes alone never decide."""
    if a_keys[v] != b_keys[w]:
        return False
    if not a_keys[v] >> 63:
        return True
    begin = a_places[v, 0]
    length = a_places[v, 1] - begin
    other = b_places[w, 0]
    if length != b_places[w, 1] - other:
        return False
    for i in range(length):
        if a[begin + i] != b[other + i]:
            return False
    return True


@cython.locals(w=cython.Py_ssize_t, slot=cython.Py_ssize_t, other=cython.Py_ssize_t, number=cython.int)
def number_words(
    text: cython.uint[::1], places: cython.longlong[:, ::1], keys: cython.ulonglong[::1], slots: cython.int[::1],
    ids: cython.int[::1], firsts: cython.longlong[::1], numbered: cython.Py_ssize_t, distinct: cython.int,
) -> tuple[cython.longlong, cython.int]:  # fmt: skip
    """Number the distinct words in order of appearance. Returns how many words are numbered, and how many are distinct.

    firsts becomes the first word of each number. slots (a power of two, filled with -1) becomes the hash table of the
    numbers. The loop stops when half of them are taken. It is then called again with more slots and with what it
    returned: a table that fits the distinct words stays in the processor's cache.
    """
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    most: cython.Py_ssize_t = slots.shape[0] // 2
    count: cython.int = distinct
    for number in range(count):
        slot = _first_slot(keys[firsts[number]], mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = number
    for w in range(numbered, keys.shape[0]):
        slot = _first_slot(keys[w], mask)
        while slots[slot] >= 0:
            other = firsts[slots[slot]]
            if _same_word(text, places, keys, w, text, places, keys, other):
                break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            if count >= most:
                return w, count
            slots[slot] = count
            firsts[count] = w
            count += 1
        ids[w] = slots[slot]
    return keys.shape[0], count


def find_words(
    text: cython.uint[::1], places: cython.longlong[:, ::1], keys: cython.ulonglong[::1], known_text: cython.uint[::1],
    known_places: cython.longlong[:, ::1], known_keys: cython.ulonglong[::1], slots: cython.int[::1],
    ids: cython.int[::1],
) -> None:  # fmt: skip
    """Fill the numbers of these words, -1 for a word that is not among the known ones.

    known_places and known_keys: one known word for each number; slots: their hash table from `number_words`.
    """
    w: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    for w in range(keys.shape[0]):
        slot = _first_slot(keys[w], mask)
        while slots[slot] >= 0:
            if _same_word(text, places, keys, w, known_text, known_places, known_keys, slots[slot]):
                break
            slot = (slot + 1) & mask
        ids[w] = slots[slot]


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, hashed=cython.ulonglong)
def hash_texts(text: cython.uint[::1], offsets: cython.longlong[::1], hashes: cython.ulonglong[::1]) -> None:
    """Fill a 64-bit hash of each text, which is the same in every process and on every machine."""
    multiplier: cython.ulonglong = 0x9E3779B97F4A7C15
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF  # for the uncompiled version
    for t in range(offsets.shape[0] - 1):
        hashed = offsets[t + 1] - offsets[t]
        for i in range(offsets[t], offsets[t + 1]):
            hashed = ((hashed ^ text[i]) * multiplier) & bits64
            hashed ^= hashed >> 29
        hashes[t] = hashed
