"""Families of features: features that count the same thing in different ways, of which one is enough as a reason."""

import re

# Patterns of names; the first that matches decides. If the side is captured, source and target are different families.
_PATTERNS = (
    r"(?:source_target|target_source)_(?:ratio|characters)|(?:token|character)_difference",
    r"(?:source|target)_(?:tokens|characters)",
    r"(?:\w+_)?word_length(?:_ratio)?",
    r"target_(?:type_token|occurrences|repeated_\w+|stutters)",
    r"(source|target)_tags_\w+",
    r"(source|target)_(?:backward_)?"
    r"(?:log_probability|perplexity|backoff|trigrams_matched|least_probable|probability_spread|unknown)\w*",
    r"(source|target)_(?:\w+_quartile_\d|\w+_seen|log_count|(?:least_)?log_frequency|(?:rare|unlisted)_share)",
    r"translations_above_\S+",
    r"(?:alignment|lexical)_\w+",
    r"(source|target)_(?:unaligned|to_nothing|from_nothing|longest_gap)",
    r"links_(?:forward|crossing|jump)",
    r"links_\w+",
    r"copied_\w+|target_is_source|target_foreign_share",
    r"embedding_(?:cosine|\w*difference)",
    r"embedding_axis_\d+",
    r"shared_(numbers)",
    r"target_open_(brackets|quotes)",
    r"(?:source|target)_mark_share|(?:source|target)_marks|marks_difference\w*",
    r"(?:source_|target_)?(\w+?)(?:_difference|_ratio)?(?:_share)?",
)
_FAMILIES = tuple(map(re.compile, _PATTERNS))


def family(name: str) -> tuple[object, ...]:
    """Return the family of a feature: the same for quotes_difference and quotes_difference_share."""
    for number, pattern in enumerate(_FAMILIES):
        if found := pattern.fullmatch(name):
            named = [group for group in found.groups() if group]
            if named and named[0] not in ("source", "target"):
                return (named[0],)  # what is counted, whichever pattern matches
            return (number, *named)
    return (name,)
