# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""METEOR's alignment of an output with a reference: candidate matches and the beam search among them.

Denkowski and Lavie (2011), "Meteor 1.3: Automatic Metric for Reliable Optimization and Evaluation of Machine
Translation Systems", WMT, section 2.1: among all sets of matches in which no word is used twice, find the one that
covers the most words, then has the fewest chunks, then the smallest distance. The reference is processed from left to
right. The slow reference implementation in the tests searches over lists.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython

# Rows of `candidates` and `links`: the start of the match in the output, the numbers of words that it covers in the
# reference and in the output, and its matcher (0 exact, 1 stem, 2 synonym, 3 paraphrase).
WIDTH = 4
# Columns of `counts`: words of the output by kind, words of the reference by kind, chunks, then for each matcher words
# of the output and of the reference by kind.
COLUMNS = 31


@cython.cfunc
def _share(
    synsets: cython.int[::1], a: cython.Py_ssize_t, end_a: cython.Py_ssize_t, b: cython.Py_ssize_t,
    end_b: cython.Py_ssize_t,
) -> cython.bint:  # fmt: skip
    """Return whether two sorted lists have a number in common."""
    while a < end_a and b < end_b:
        if synsets[a] == synsets[b]:
            return True
        if synsets[a] < synsets[b]:
            a += 1
        else:
            b += 1
    return False


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, matcher=cython.int, a=cython.int, b=cython.int)
@cython.locals(found=cython.bint)
def _list_candidates(
    outputs: cython.int[::1], first: cython.Py_ssize_t, m: cython.Py_ssize_t, references: cython.int[::1],
    start: cython.Py_ssize_t, n: cython.Py_ssize_t, names: cython.int[::1], stems: cython.int[::1],
    synsets: cython.int[::1], synset_offsets: cython.longlong[::1], phrases: cython.int[::1], phrase: cython.Py_ssize_t,
    last_phrase: cython.Py_ssize_t, candidates: cython.int[::1], begins: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """List all matches by their start in the reference. Returns their number, or -1 if `candidates` is too small.

    phrases: rows of reference start, reference length, output start, output length, sorted by reference start.
    """
    count: cython.Py_ssize_t = 0
    most: cython.Py_ssize_t = candidates.shape[0] // 4
    for i in range(n):
        begins[i] = count
        a = references[start + i]
        for matcher in range(3):
            if matcher == 1 and stems[a] < 0:
                continue
            if matcher == 2 and synset_offsets[a] == synset_offsets[a + 1]:
                continue
            for j in range(m):
                b = outputs[first + j]
                if matcher == 0:
                    found = names[a] == names[b]
                elif names[a] == names[b]:
                    found = False
                elif matcher == 1:
                    found = stems[a] == stems[b]
                else:
                    found = _share(
                        synsets, synset_offsets[a], synset_offsets[a + 1], synset_offsets[b], synset_offsets[b + 1]
                    )
                if found:
                    if count == most:
                        return -1
                    candidates[4 * count] = j
                    candidates[4 * count + 1] = 1
                    candidates[4 * count + 2] = 1
                    candidates[4 * count + 3] = matcher
                    count += 1
        while phrase < last_phrase and phrases[4 * phrase] == i:
            if count == most:
                return -1
            candidates[4 * count] = phrases[4 * phrase + 2]
            candidates[4 * count + 1] = phrases[4 * phrase + 1]
            candidates[4 * count + 2] = phrases[4 * phrase + 3]
            candidates[4 * count + 3] = 3
            count += 1
            phrase += 1
    begins[n] = count
    return count


@cython.cfunc
def _insert(
    covered: cython.int, chunks: cython.int, distance: cython.longlong, parent: cython.int, choice: cython.int,
    ranks: cython.longlong[::1], size: cython.int, beam: cython.int,
) -> cython.int:  # fmt: skip
    """Insert a path into the sorted list of the best ones, after equal ones. Returns the new size of the list.

    ranks: rows of covered words, chunks, distance, parent, choice.
    """
    place: cython.int = size
    k: cython.int
    while place > 0:
        k = 5 * (place - 1)
        if ranks[k] > covered:
            break
        if ranks[k] == covered:
            if ranks[k + 1] < chunks:
                break
            if ranks[k + 1] == chunks and ranks[k + 2] <= distance:
                break
        place -= 1
    if place >= beam:
        return size
    if size < beam:
        size += 1
    for k in range(5 * size - 1, 5 * place + 4, -1):
        ranks[k] = ranks[k - 5]
    ranks[5 * place] = covered
    ranks[5 * place + 1] = chunks
    ranks[5 * place + 2] = distance
    ranks[5 * place + 3] = parent
    ranks[5 * place + 4] = choice
    return size


@cython.cfunc
@cython.locals(i=cython.Py_ssize_t, c=cython.Py_ssize_t, k=cython.Py_ssize_t, w=cython.Py_ssize_t)
@cython.locals(old=cython.Py_ssize_t, new=cython.Py_ssize_t)
@cython.locals(count=cython.int, p=cython.int, parent=cython.int, choice=cython.int, covered=cython.int)
@cython.locals(chunks=cython.int, gain=cython.int, last=cython.longlong, distance=cython.longlong)
@cython.locals(free=cython.bint, fixed=cython.bint)
def _search(
    n: cython.Py_ssize_t, m: cython.Py_ssize_t, candidates: cython.int[::1], begins: cython.int[::1], beam: cython.int,
    original: cython.bint, cover: cython.int[::1], ranks: cython.longlong[::1], paths: cython.longlong[::1],
    used: cython.ulonglong[::1], trace: cython.int[::1], links: cython.int[::1], link: cython.Py_ssize_t,
) -> cython.int:  # fmt: skip
    """Fill links[link:] with the best alignment, a row for each reference word (-1: no match starts there).

    Returns the number of chunks. cover: one for each word of both texts; ranks: 5 * beam; paths: 10 * beam; used: a bit
    for each output word of each path, twice; trace: 2 * beam * reference words.
    """
    words: cython.Py_ssize_t = (m + 63) // 64
    bank: cython.Py_ssize_t = 0
    size: cython.int = 1
    one: cython.ulonglong = 1

    for k in range(n + m):
        cover[k] = 0
    for i in range(n):
        for c in range(begins[i], begins[i + 1]):
            for k in range(candidates[4 * c + 1]):
                cover[i + k] += 1
            for k in range(candidates[4 * c + 2]):
                cover[n + candidates[4 * c] + k] += 1
    # A path: covered words, chunks, distance, the end of its last match in the output (-1: a word was skipped since
    # then), the next reference word that it may match.
    for k in range(5):
        paths[k] = 0
    paths[3] = -1
    for w in range(words):
        used[w] = 0
    for i in range(n):
        old = bank * beam
        count = 0
        # A match whose words have no other match is part of every best alignment.
        c = begins[i]
        fixed = begins[i + 1] - c == 1
        if fixed:
            for k in range(candidates[4 * c + 1]):
                if cover[i + k] != 1:
                    fixed = False
            for k in range(candidates[4 * c + 2]):
                if cover[n + candidates[4 * c] + k] != 1:
                    fixed = False
        for p in range(size):
            k = 5 * (old + p)
            covered = paths[k]
            chunks = paths[k + 1]
            distance = paths[k + 2]
            last = paths[k + 3]
            if paths[k + 4] > i:  # within a phrase
                count = _insert(covered, chunks, distance, p, -2, ranks, count, beam)
                continue
            for c in range(begins[i], begins[i + 1]):
                free = True
                if not fixed:
                    for w in range(candidates[4 * c], candidates[4 * c] + candidates[4 * c + 2]):
                        if used[(old + p) * words + (w >> 6)] >> (w & 63) & one:
                            free = False
                            break
                if not free:
                    continue
                gain = candidates[4 * c + 1] + candidates[4 * c + 2]
                if original and candidates[4 * c + 3] != 0:
                    # METEOR 1.5 counts half of the words that are not equal, rounded down in each text, so single
                    # words count 0.
                    gain = candidates[4 * c + 1] // 2 + candidates[4 * c + 2] // 2
                w = i - candidates[4 * c]
                if w < 0:
                    w = -w
                # METEOR 1.5 adds a match's distance to the later paths, which do not contain it.
                count = _insert(
                    covered + gain, chunks + (last != -1 and last != candidates[4 * c]),
                    distance + (0 if original else w), p, c, ranks, count, beam,
                )  # fmt: skip
                if original:
                    distance += w
            if not fixed:
                count = _insert(covered, chunks + (last != -1), distance, p, -1, ranks, count, beam)
        bank = 1 - bank
        new = bank * beam
        for p in range(count):
            parent = ranks[5 * p + 3]
            choice = ranks[5 * p + 4]
            trace[2 * (i * beam + p)] = parent
            trace[2 * (i * beam + p) + 1] = choice
            k = 5 * (new + p)
            paths[k] = ranks[5 * p]
            paths[k + 1] = ranks[5 * p + 1]
            paths[k + 2] = ranks[5 * p + 2]
            for w in range(words):
                used[(new + p) * words + w] = used[(old + parent) * words + w]
            if choice == -2:
                paths[k + 3] = paths[5 * (old + parent) + 3]
                paths[k + 4] = paths[5 * (old + parent) + 4]
            elif choice == -1:
                paths[k + 3] = -1
                paths[k + 4] = i + 1
            else:
                paths[k + 3] = candidates[4 * choice] + candidates[4 * choice + 2]
                paths[k + 4] = i + candidates[4 * choice + 1]
                for w in range(candidates[4 * choice], candidates[4 * choice] + candidates[4 * choice + 2]):
                    used[(new + p) * words + (w >> 6)] |= one << (w & 63)
        size = count
    # The last chunk is counted here.
    old = bank * beam
    count = 0
    for p in range(size):
        k = 5 * (old + p)
        count = _insert(paths[k], paths[k + 1] + (paths[k + 3] != -1), paths[k + 2], p, 0, ranks, count, 1)
    chunks = ranks[1]
    p = ranks[3]
    for i in range(n - 1, -1, -1):
        choice = trace[2 * (i * beam + p) + 1]
        p = trace[2 * (i * beam + p)]
        k = link + 4 * i
        links[k] = -1
        if choice >= 0:
            for w in range(4):
                links[k + w] = candidates[4 * choice + w]
    return chunks


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, row=cython.Py_ssize_t, found=cython.Py_ssize_t)
@cython.locals(link=cython.Py_ssize_t, matcher=cython.Py_ssize_t, chunks=cython.int, same=cython.bint)
def align_pairs(
    begin: cython.Py_ssize_t, outputs: cython.int[::1], output_offsets: cython.longlong[::1],
    output_kinds: cython.uchar[::1], texts: cython.longlong[::1], references: cython.int[::1],
    reference_offsets: cython.longlong[::1], reference_kinds: cython.uchar[::1], names: cython.int[::1],
    stems: cython.int[::1], synsets: cython.int[::1], synset_offsets: cython.longlong[::1], phrases: cython.int[::1],
    phrase_offsets: cython.longlong[::1], beam: cython.int, original: cython.bint, counts: cython.double[::1],
    links: cython.int[::1], candidates: cython.int[::1], begins: cython.int[::1], cover: cython.int[::1],
    ranks: cython.longlong[::1], paths: cython.longlong[::1], used: cython.ulonglong[::1], trace: cython.int[::1],
) -> cython.Py_ssize_t:  # fmt: skip
    """Align reference t with output texts[t] for every t from `begin`. Returns the first t that was not aligned.

    That is the number of references, or a t whose matches do not fit into `candidates`: enlarge it and continue there.
    outputs, references: numbers of words; their kinds: 0 content word, 1 function word, 2 number or name.
    names: words with the same name are equal; stems: of each word, or -1; synsets: sorted numbers of each word.
    phrases: see `_list_candidates`.
    counts, links: flattened, COLUMNS per reference and WIDTH per word of it. The other arrays are scratch.
    """

    for t in range(begin, texts.shape[0]):
        start = reference_offsets[t]
        n = reference_offsets[t + 1] - start
        first = output_offsets[texts[t]]
        m = output_offsets[texts[t] + 1] - first
        link = 4 * start
        same = n == m
        if same:
            for i in range(n):
                if references[start + i] != outputs[first + i]:
                    same = False
                    break
        if same:
            chunks = n > 0
            for i in range(n):
                links[link + 4 * i] = i
                links[link + 4 * i + 1] = 1
                links[link + 4 * i + 2] = 1
                links[link + 4 * i + 3] = 0
        else:
            found = _list_candidates(
                outputs, first, m, references, start, n, names, stems, synsets, synset_offsets, phrases,
                phrase_offsets[t], phrase_offsets[t + 1], candidates, begins,
            )  # fmt: skip
            if found < 0:
                return t
            chunks = _search(n, m, candidates, begins, beam, original, cover, ranks, paths, used, trace, links, link)
        row = 31 * t
        for k in range(31):
            counts[row + k] = 0
        for i in range(m):
            counts[row + output_kinds[first + i]] += 1
        for i in range(n):
            counts[row + 3 + reference_kinds[start + i]] += 1
        counts[row + 6] = chunks
        for i in range(n):
            if links[link + 4 * i] < 0:
                continue
            matcher = row + 7 + 6 * links[link + 4 * i + 3]
            for k in range(links[link + 4 * i + 2]):
                counts[matcher + output_kinds[first + links[link + 4 * i] + k]] += 1
            for k in range(links[link + 4 * i + 1]):
                counts[matcher + 3 + reference_kinds[start + i + k]] += 1
    return texts.shape[0]
