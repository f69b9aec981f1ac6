# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Score sentences with a back-off n-gram model, a whole batch in one call.

The model is a tree of n-grams. Node w is the single word w; the nodes of each order follow those of the previous order,
sorted by parent and last word, so that the children of node x are the nodes children[x] to children[x + 1] - 1.
suffixes[x] is the longest n-gram of the model that is a proper suffix of x, -1 if there is none: it is used for
backing off. The slow reference implementation in the tests uses dictionaries of tuples.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.cfunc
@cython.inline
def _child(
    words: cython.int[::1], children: cython.longlong[::1], node: cython.Py_ssize_t, word: cython.int
) -> cython.Py_ssize_t:
    """Return the n-gram that continues a node with a word, -1 if the model has none."""
    low: cython.Py_ssize_t = children[node]
    high: cython.Py_ssize_t = children[node + 1]
    end: cython.Py_ssize_t = high
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) >> 1
        if words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < end and words[low] == word else -1


@cython.locals(node=cython.Py_ssize_t, shorter=cython.Py_ssize_t, found=cython.Py_ssize_t)
def link_suffixes(
    words: cython.int[::1], parents: cython.longlong[::1], children: cython.longlong[::1], single: cython.Py_ssize_t,
    suffixes: cython.longlong[::1],
) -> None:  # fmt: skip
    """Fill `suffixes`. single: the number of nodes that are single words, whose parents are not read."""
    for node in range(single):
        suffixes[node] = -1
    for node in range(single, words.shape[0]):
        found = -1
        shorter = suffixes[parents[node]]
        while shorter >= 0 and found < 0:
            found = _child(words, children, shorter, words[node])
            shorter = suffixes[shorter]
        suffixes[node] = found if found >= 0 else words[node]


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, state=cython.Py_ssize_t, found=cython.Py_ssize_t)
@cython.locals(length=cython.int, log=cython.double)
def score_sentences(
    ids: cython.int[::1], offsets: cython.longlong[::1], begin: cython.int, words: cython.int[::1],
    children: cython.longlong[::1], suffixes: cython.longlong[::1], logs: cython.double[::1],
    backoffs: cython.double[::1], bounds: cython.longlong[::1], scores: cython.double[::1], lengths: cython.int[::1],
) -> None:  # fmt: skip
    """Fill the log probability of each word given the previous ones, and the length of the n-gram that was found.

    Sentence t is ids[offsets[t]:offsets[t + 1]], with the mark of its end but without the mark `begin` of its
    beginning. bounds: the first node of each order, and the number of nodes at the end.
    """
    order: cython.int = bounds.shape[0] - 1
    for t in range(offsets.shape[0] - 1):
        state = begin if order > 1 else -1
        for i in range(offsets[t], offsets[t + 1]):
            log = 0.0
            found = -1
            while state >= 0:
                found = _child(words, children, state, ids[i])
                if found >= 0:
                    break
                log += backoffs[state]
                state = suffixes[state]
            if found < 0:
                found = ids[i]
            length = 1
            while found >= bounds[length]:
                length += 1
            scores[i] = log + logs[found]
            lengths[i] = length
            state = found if length < order else suffixes[found]
