# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Edit distances between outputs and references, for a whole system in one call.

`levenshtein` works on 64 reference words at a time, as bits of one number (Myers, 1999, "A fast bit-vector algorithm
for approximate string matching", JACM; Hyyrö, 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit
distances"). `long_jumps` is CDER's grid. Words are numbers; -1 is a word that is in no reference and matches nothing.
Output texts[t] is compared with reference text t. The slow reference implementations in the tests are the textbook
recurrences.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import plain as cython


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, b=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(width=cython.Py_ssize_t, head=cython.Py_ssize_t, tail=cython.Py_ssize_t)
@cython.locals(used=cython.int, number=cython.int)
@cython.locals(distance=cython.longlong, substitutions=cython.longlong, deletions=cython.longlong)
@cython.locals(insertions=cython.longlong)
@cython.locals(last=cython.ulonglong, equal=cython.ulonglong, across=cython.ulonglong, right=cython.ulonglong)
@cython.locals(left=cython.ulonglong, mixed=cython.ulonglong)
def levenshtein(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], counts: cython.longlong[::1], script: cython.uchar[::1],
    numbers: cython.int[::1], masks: cython.ulonglong[::1], carries: cython.int[::1], columns: cython.ulonglong[::1],
) -> cython.longlong:  # fmt: skip
    """Fill `counts`, a flattened array of shape (texts, 4): substitutions, deletions, insertions, unchanged words.

    A deletion is a reference word that the output lacks, an insertion an output word that the reference lacks. Of the
    shortest scripts the one that rapidfuzz gives is counted. numbers: zeros, one for each possible id; masks: 64;
    carries: longest output; columns: two for each word of an output and each 64 words of its reference, of the largest
    pair. If `columns` is empty, only the number of edits is found and stored as substitutions.
    script: if not empty, gets the last pair's edits from the end of the texts to their beginning (0 none,
    1 substitution, 2 deletion, 3 insertion). Returns the length of that script.
    """
    bits64: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    one: cython.ulonglong = 1
    written: cython.Py_ssize_t = 0
    base: cython.int = 1
    traced: cython.bint = columns.shape[0] > 0
    kept: cython.bint = script.shape[0] > 0
    up: cython.ulonglong  # bit i: the grid increases by one from reference word i - 1 to i
    down: cython.ulonglong  # bit i: it decreases by one

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        # A common beginning and end is never edited.
        head = 0
        while n > 0 and m > 0 and ids[start] == reference_ids[first]:
            start += 1
            first += 1
            n -= 1
            m -= 1
            head += 1
        tail = 0
        while n > 0 and m > 0 and ids[start + n - 1] == reference_ids[first + m - 1]:
            n -= 1
            m -= 1
            tail += 1
        distance = m
        for j in range(n):
            carries[j] = 1
        if m == 0:
            distance = n
        for b in range((m + 63) // 64):
            if base > 2000000000:
                for i in range(numbers.shape[0]):
                    numbers[i] = 0
                base = 1
            width = m - 64 * b
            if width > 64:
                width = 64
            used = 0
            for i in range(width):
                number = numbers[reference_ids[first + 64 * b + i]] - base
                if number < 0:
                    number = used
                    numbers[reference_ids[first + 64 * b + i]] = base + used
                    masks[used] = 0
                    used += 1
                masks[number] |= one << i
            up = bits64
            down = 0
            last = one << (width - 1)
            for j in range(n):
                equal = 0
                if ids[start + j] >= 0:
                    number = numbers[ids[start + j]] - base
                    if number >= 0:
                        equal = masks[number]
                mixed = equal | down
                if carries[j] < 0:
                    equal |= 1
                across = ((((equal & up) + up) & bits64) ^ up) | equal
                right = down | (~(across | up) & bits64)
                left = up & across
                number = 0
                if right & last:
                    number = 1
                elif left & last:
                    number = -1
                right = (right << 1) & bits64
                left = (left << 1) & bits64
                if carries[j] > 0:
                    right |= 1
                elif carries[j] < 0:
                    left |= 1
                carries[j] = number
                up = left | (~(mixed | right) & bits64)
                down = right & mixed
                if traced:
                    columns[2 * (n * b + j)] = up
                    columns[2 * (n * b + j) + 1] = down
            base += used
        if m > 0:
            for j in range(n):
                distance += carries[j]
        if not traced:
            counts[4 * t] = distance
            counts[4 * t + 1] = 0
            counts[4 * t + 2] = 0
            counts[4 * t + 3] = 0
            continue
        substitutions = 0
        deletions = 0
        insertions = 0
        i = m
        j = n
        written = 0
        if kept:
            for written in range(tail):
                script[written] = 0
            written = tail
        while i > 0 or j > 0:
            number = 2
            if i == 0:
                number = 3
            elif j > 0:
                b = 2 * (n * ((i - 1) // 64) + j - 1)
                last = one << ((i - 1) % 64)
                if not columns[b] & last:
                    number = 3
                    if j == 1 or not columns[b - 1] & last:
                        number = 0 if ids[start + j - 1] == reference_ids[first + i - 1] else 1
            if number != 3:
                i -= 1
            if number != 2:
                j -= 1
            if number == 1:
                substitutions += 1
            elif number == 2:
                deletions += 1
            elif number == 3:
                insertions += 1
            if kept:
                script[written] = number
                written += 1
        if kept:
            for i in range(head):
                script[written] = 0
                written += 1
        counts[4 * t] = substitutions
        counts[4 * t + 1] = deletions
        counts[4 * t + 2] = insertions
        counts[4 * t + 3] = head + tail + m - substitutions - deletions
    return written


@cython.locals(t=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t)
@cython.locals(start=cython.Py_ssize_t, first=cython.Py_ssize_t, cheapest=cython.Py_ssize_t, place=cython.Py_ssize_t)
@cython.locals(word=cython.int, left=cython.int, cost=cython.int, least=cython.int, step=cython.uchar)
def long_jumps(
    ids: cython.int[::1], offsets: cython.longlong[::1], texts: cython.longlong[::1], reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1], distances: cython.longlong[::1], row: cython.int[::1],
    steps: cython.uchar[::1],
) -> None:  # fmt: skip
    """Fill `distances` with the edits of CDER (Leusch et al., 2006).

    Between any two reference words the position in the output may jump anywhere at the cost of one edit; skipped output
    words cost nothing. row: twice the longest output + 1. steps: if not empty, gets how the last pair's cells were
    reached (0 match, 1 substitution, 2 deletion, 3 insertion; plus 4 if a jump to the cell is cheaper; plus 8 for the
    cell from which jumps start), a row of (words of the output + 1) for the beginning and for each reference word.
    """
    ahead: cython.Py_ssize_t = row.shape[0] // 2  # the second half: costs without the column to the left
    kept: cython.bint = steps.shape[0] > 0

    for t in range(texts.shape[0]):
        start = offsets[texts[t]]
        n = offsets[texts[t] + 1] - start
        first = reference_offsets[t]
        m = reference_offsets[t + 1] - first
        row[0] = 0
        for j in range(n):
            row[j + 1] = 1
        if kept:
            steps[0] = 8
            for j in range(n):
                steps[j + 1] = 4
        for i in range(m):
            word = reference_ids[first + i]
            place = (i + 1) * (n + 1)
            for j in range(n):  # does not depend on the column to the left, so the compiler can vectorise it
                left = row[j] if ids[start + j] == word else row[j] + 1
                cost = row[j + 1] + 1
                row[ahead + j] = left if left <= cost else cost
            if kept:
                steps[place] = 2
                for j in range(n):
                    step = 0 if ids[start + j] == word else 1
                    steps[place + j + 1] = step if row[j] + step <= row[j + 1] + 1 else 2
            left = row[0] + 1
            row[0] = left
            least = left
            cheapest = 0
            for j in range(n):
                left += 1
                if kept and left < row[ahead + j]:
                    steps[place + j + 1] = 3
                left = left if left < row[ahead + j] else row[ahead + j]
                row[j + 1] = left
                if left < least:
                    least = left
                    cheapest = j + 1
            if kept:
                steps[place + cheapest] |= 8
                for j in range(n + 1):
                    steps[place + j] |= 4 if row[j] > least + 1 else 0
            for j in range(n + 1):
                row[j] = row[j] if row[j] <= least + 1 else least + 1
        distances[t] = row[n]
