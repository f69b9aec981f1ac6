"""Single entries of tables that Tercet itself only reads as whole arrays."""

from tercet.language.frequencies import QUARTILES


def probabilities(table, source):
    """The probabilities of the target words of a source word in a lexical table."""
    if source not in table.source_words:
        return {}
    begin, end = table.starts[(number := table.source_words.index(source)) : number + 2]
    words = [table.target_words[place] for place in table.targets[begin:end]]
    return dict(zip(words, table.probabilities[begin:end].tolist(), strict=True))


def translations(table, source, above=0.0):
    """The same as a list of pairs, most probable first, above a limit."""
    found = probabilities(table, source).items()
    return sorted((item for item in found if item[1] > above), key=lambda item: -item[1])


def quartile(frequencies, ngram):
    """The quartile of an n-gram, 0 if it does not occur."""
    (shares,) = frequencies.shares([list(ngram)], order=len(ngram))
    return next(q for q in range(QUARTILES + 1) if shares[q])


def level(similarity, first, second):
    """The level at which two words match, None if they do not."""
    known = similarity.lexicon()
    return known.levels(known.lexis((first,)), known.lexis((second,))).get((1, 1))
