"""The beam search against an exhaustive one and against the same search on lists; compiled and as plain Python."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.language import meteor_alignment as alignment
from tercet.language.meteor_alignment import Aligner

from .conftest import load_source

PLAIN = load_source("beam")
shared_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
words = st.lists(st.sampled_from("abcd"), max_size=6)


@pytest.fixture(params=["installed", "plain"])
def form(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(alignment, "kernel", PLAIN)
    return request.param


def test_both_forms_lay_out_their_tables_alike():
    assert (PLAIN.WIDTH, PLAIN.COLUMNS) == (alignment.kernel.WIDTH, alignment.kernel.COLUMNS)


def quality(links):
    """Covered words, chunks and distance of (reference start, length, output start, length)."""
    chunks = sum((i, j) != (i0 + n0, j0 + m0) for (i, _, j, _), (i0, n0, j0, m0) in zip(links[1:], links, strict=False))
    covered = sum(n + m for _, n, _, m in links)
    return -covered, chunks + bool(links), sum(abs(i - j) for i, _, j, _ in links)


def best_quality(output, reference):
    """By trying everything."""
    options = [[None, *(j for j, word in enumerate(output) if word == wanted)] for wanted in reference]
    every = []
    for choice in product(*options):
        taken = [j for j in choice if j is not None]
        if len(taken) == len(set(taken)):
            every.append(quality([(i, 1, j, 1) for i, j in enumerate(choice) if j is not None]))
    return min(every)


def pairs(found):
    return [(link.reference[0], len(link.reference), link.output[0], len(link.output)) for link in found.links]


@shared_fixture
@given(output=words, reference=words)
def test_the_alignment_covers_most_then_has_fewest_chunks_then_is_nearest(form, output, reference):
    found = Aligner(matchers=("exact",), beam=1000).align(output, reference)
    assert quality(pairs(found)) == best_quality(output, reference)
    assert found.chunks == quality(pairs(found))[1]


def search_lists(candidates, n, beam, original):
    """The search as METEOR 1.5 does it, or as its papers say, on tuples; candidates: by reference word."""
    cover, cover_output = {}, {}
    for i, matches in enumerate(candidates):
        for j, length, width, _ in matches:
            for k in range(length):
                cover[i + k] = cover.get(i + k, 0) + 1
            for k in range(width):
                cover_output[j + k] = cover_output.get(j + k, 0) + 1
    paths = [(0, 0, 0, -1, 0, frozenset(), ())]
    for i in range(n):
        following = []
        for path in sorted(paths, key=lambda p: (-p[0], p[1], p[2]))[:beam]:
            covered, chunks, distance, last, free, used, links = path
            if free > i:
                following.append(path)
                continue
            only = len(candidates[i]) == 1
            for j, length, width, matcher in candidates[i]:
                only &= all(cover[i + k] == 1 for k in range(length))
                only &= all(cover_output[j + k] == 1 for k in range(width))
                places = frozenset(range(j, j + width))
                if places & used:
                    continue
                gain = length // 2 + width // 2 if original and matcher else length + width
                broken = last not in (-1, j)
                far = 0 if original else abs(i - j)
                link = (*links, (i, length, j, width))
                following.append(
                    (covered + gain, chunks + broken, distance + far, j + width, i + length, used | places, link)
                )
                distance += abs(i - j) if original else 0
            if not only:
                following.append((covered, chunks + (last != -1), distance, -1, i + 1, used, links))
        paths = following
    paths = sorted(paths, key=lambda p: (-p[0], p[1], p[2]))[:beam]
    closed = [(p[0], p[1] + (p[3] != -1), *p[2:]) for p in paths]
    return list(min(closed, key=lambda p: (-p[0], p[1], p[2]))[6])


STEMS = {"cat": "cat", "cats": "cat", "dog": "dog", "dogs": "dog", "the": "the"}
forms = st.lists(st.sampled_from(sorted(STEMS)), max_size=10)


@shared_fixture
@given(output=forms, reference=forms, beam=st.sampled_from([1, 2, 3, 40]), original=st.booleans())
def test_the_search_equals_the_one_on_lists(form, output, reference, beam, original):
    found = Aligner(matchers=("exact", "stem"), beam=beam, original=original).align(output, reference)
    candidates = [
        [(j, 1, 1, 0) for j, word in enumerate(output) if word == wanted]
        + [(j, 1, 1, 1) for j, word in enumerate(output) if word != wanted and STEMS[word] == STEMS[wanted]]
        for wanted in reference
    ]
    if output == reference:  # equal texts are not searched
        assert pairs(found) == [(i, 1, i, 1) for i in range(len(output))]
    else:
        assert pairs(found) == search_lists(candidates, len(reference), beam, original)


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        # As METEOR 1.5 aligns them: the distances of matches burden the alignments that do not have them.
        ("a y", "a a", [(1, 0)]),
        ("y a", "a a", [(0, 1)]),
        ("c c c", "a c c", [(1, 0), (2, 1)]),
        ("b a b", "a b a", [(1, 0), (2, 1)]),
        ("a c d e e c c d e e d b e d b c e b d", "a b a", [(1, 11), (2, 0)]),
        ("a y b", "a b a b", [(1, 2), (2, 0)]),
    ],
)
def test_the_original_breaks_ties_as_meteor_does(form, output, reference, expected):
    found = Aligner(matchers=("exact",), original=True).align(output.split(), reference.split())
    assert [(link.reference[0], link.output[0]) for link in found.links] == expected


def test_counts_tell_kinds_and_matchers_apart(form):
    aligner = Aligner()
    references = aligner.read([["the", "cats", "sat", "."], []], [[False, True, False, False], []])
    outputs = aligner.read([["a", "cat", "sat", "."], ["x"]], base=references.lexicon)
    counts, links = aligner.align_pairs(outputs, references, np.array([0, 1]))
    assert counts[0, :7].tolist() == [2, 2, 0, 1, 2, 1, 1]
    assert counts[0, 7:13].tolist() == [1, 1, 0, 1, 1, 0]  # exact: sat and the full stop
    assert counts[0, 13:19].tolist() == [1, 0, 0, 0, 0, 1]  # stem: cat, and the reference's is to be copied
    assert counts[1].tolist() == [1, *[0] * 30]
    assert links[:, 0].tolist() == [-1, 1, 2, 3]


def test_many_matches_make_the_search_begin_again_with_more_room(form, monkeypatch):
    output, reference = ["a"] * 150, ["b", *["a"] * 150]
    found = Aligner(matchers=("exact",), beam=2).align(output, reference)
    assert len(found.links) == 150
    assert found.chunks == 1
