"""The 48 features of adequacy of the thesis: how the words of output and reference are aligned, and how they differ.

Fomicheva (2017), section 5.1.1 and Table B.1. They are computed from UPF-Cobalt's comparison: numbers and shares of
aligned words by word class and level, the context penalty CP without normalisation, agreement of tags. Names are those
of the table: "tgt" is the output.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ..structure.cobalt import CobaltComparison, side_penalties

HIGH = 1.0  # a context penalty above this is high: about the mean of the thesis's training data
_LEVELS = {"exact": ("exact", "stem"), "syn": ("synonym",), "para": ("paraphrase",), "distrib": ("distributional",)}


def adequacy_features(comparison: CobaltComparison, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the features by name. weights: of the words of a context, by relation. Shares of nothing are 0."""
    links = comparison.alignment.links
    sides = [side_penalties(difference, weights) for difference in comparison.differences]
    ours, theirs = comparison.alignment.output.tokens, comparison.alignment.reference.tokens
    found = {
        "count_words_tgt": float(len(ours)),
        "count_words_ref": float(len(theirs)),
        "lengths_ratio": _ratio(len(ours), len(theirs)),
        "count_aligned": float(len(links)),
    }
    functions = {"tgt": comparison.output_functions, "ref": comparison.reference_functions}
    aligned = {"tgt": {link.output for link in links}, "ref": {link.reference for link in links}}
    for side in ("tgt", "ref"):
        found |= _coverage(side, functions[side], aligned[side])
    found["count_aligned_content"] = found["count_aligned_content_tgt"] + found["count_aligned_content_ref"]
    found["count_aligned_function"] = found["count_aligned_function_tgt"] + found["count_aligned_function_ref"]
    for place, side in enumerate(("tgt", "ref")):
        found |= _penalties(side, [pair[place] for pair in sides], [link.level == "exact" for link in links])
    either = [sum(pair) / 2 for pair in sides]
    found["count_pen"] = float(sum(value > 0 for value in either))
    found["prop_pen"] = _ratio(found["count_pen"], len(links))
    found["prop_pen_high"] = _ratio(sum(value > HIGH for value in either), len(links))
    for name, levels in _LEVELS.items():
        found[f"prop_lex_{name}"] = _ratio(sum(link.level in levels for link in links), len(links))
    tags = [(ours[link.output - 1], theirs[link.reference - 1]) for link in links]
    exact = sum(one.xpos == other.xpos for one, other in tags)
    coarse = sum(one.upos == other.upos for one, other in tags)
    found["prop_pos_exact"] = _ratio(exact, len(links))
    found["prop_pos_coarse"] = _ratio(coarse, len(links))
    found["prop_pos_diff"] = _ratio(len(links) - coarse, len(links))
    return {name: found[name] for name in NAMES}


def _coverage(side: str, functions: Sequence[bool], aligned: set[int]) -> dict[str, float]:
    """Return numbers and shares of words that are aligned, and of those that are not."""
    found: dict[str, float] = {}
    for name, kept in (("", (True, False)), ("_content", (False,)), ("_function", (True,))):
        places = [place for place, function in enumerate(functions, 1) if function in kept]
        number = sum(place in aligned for place in places)
        found |= {
            f"count_aligned{name}_{side}": float(number),
            f"count_non_aligned{name}_{side}": float(len(places) - number),
            f"prop_aligned{name}_{side}": _ratio(number, len(places)),
            f"prop_non_aligned{name}_{side}": _ratio(len(places) - number, len(places)),
        }
    return found


def _penalties(side: str, values: Sequence[float], exact: Sequence[bool]) -> dict[str, float]:
    """Return mean, least and largest penalty of one side, and those of words that match exactly or do not."""
    found = {
        f"avg_pen_{side}": fmean(values) if values else 0.0,
        f"min_pen_{side}": min(values, default=0.0),
        f"max_pen_{side}": max(values, default=0.0),
    }
    for name, wanted in (("exact", True), ("non_exact", False)):
        some = [value for value, same in zip(values, exact, strict=True) if same is wanted]
        found[f"avg_pen_{name}_{side}"] = fmean(some) if some else 0.0
        found[f"prop_pen_{name}_{side}"] = _ratio(sum(value > 0 for value in some), len(some))
    return found


def _ratio(number: float, total: float) -> float:
    return number / total if total else 0.0


NAMES = (
    "avg_pen_tgt", "avg_pen_exact_tgt", "avg_pen_exact_ref", "avg_pen_non_exact_tgt", "avg_pen_non_exact_ref",
    "avg_pen_ref", "count_aligned_content", "count_aligned_function", "count_aligned", "count_aligned_content_tgt",
    "count_aligned_content_ref", "count_aligned_function_tgt", "count_aligned_function_ref", "count_non_aligned_tgt",
    "count_non_aligned_content_tgt", "count_non_aligned_function_tgt", "count_non_aligned_ref", "count_pen",
    "count_words_tgt", "count_words_ref", "lengths_ratio", "max_pen_tgt", "max_pen_ref", "min_pen_tgt", "min_pen_ref",
    "prop_aligned_tgt", "prop_aligned_content_tgt", "prop_aligned_content_ref", "prop_aligned_function_tgt",
    "prop_aligned_function_ref", "prop_aligned_ref", "prop_lex_distrib", "prop_lex_exact", "prop_lex_para",
    "prop_lex_syn", "prop_non_aligned_tgt", "prop_non_aligned_content_tgt", "prop_non_aligned_function_tgt",
    "prop_non_aligned_ref", "prop_pen_exact_tgt", "prop_pen_exact_ref", "prop_pen_high", "prop_pen_non_exact_tgt",
    "prop_pen_non_exact_ref", "prop_pen", "prop_pos_coarse", "prop_pos_diff", "prop_pos_exact",
)  # fmt: skip
