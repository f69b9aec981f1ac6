"""What `tercet review` prints, the verdict, counts and the worst segments; and its page, piece by piece."""

import re
from collections.abc import Iterator, Mapping
from heapq import nsmallest

from ...cli.console import rendered
from ...data.bilingual.segments import Segment
from ...data.bilingual.states import AMBER, DONE, GREEN, RED
from ...rendering.document import Heading, Notes, Part, Table
from ...rendering.review_page import Card, CardText, Mark, Overview, ReviewPage, Why, page_pieces
from ...text.explanations import utf16_places
from .judging import COLOURS, FLUENCY, MARKED, MEANING, OTHER, UNUSUAL, Judged, Review, count_words

TITLES: Mapping[str, str] = {  # kind of reason -> in plain words
    "untranslated": "no translation", "copied": "copied from the source", "language": "in another language",
    "tags": "inline tags differ", "placeholders": "placeholders differ", "numbers": "numbers differ",
    "terms": "not as in the glossary", "dates": "months differ", "length": "unusually long or short",
    "repetition": "words doubled", "units": "units differ", "addresses": "addresses are missing",
    "names": "names are missing", "brackets": "brackets differ", "end-mark": "a question that is none",
    FLUENCY: "reads badly", MEANING: "says something else than the source", OTHER: "unlike good translations",
    UNUSUAL: "unlike the texts that the model knows", MARKED: "marked for review in the file",
}  # fmt: skip
SAYS = {RED: "do not ship", AMBER: "look", GREEN: "can pass", DONE: "done"}


def title(found: Review) -> str:
    """Return the title of the page."""
    return ", ".join(filter(None, (f"Review of {found.name}", _languages(found))))


def _languages(found: Review) -> str:
    """Return the language pair; "into de" if only the target is known."""
    return f"into {found.pair[1:]}" if found.pair and found.pair.startswith("-") else found.pair or ""


def verdict(found: Review) -> str:
    """Return the answer in one sentence."""
    red, amber, green = (f"{found.counts[colour]:,}" for colour in COLOURS)
    done = f" {found.counts[DONE]:,} are done." if found.counts[DONE] else ""
    return f"Of {len(found):,} segments, {red} must not ship, {amber} need a look, and {green} can pass.{done}"


def caveats(found: Review) -> list[str]:
    """Return what the verdict is worth: what judged, and how many green segments people would have changed."""
    options = found.options
    if found.model:
        how = "Judged by checks and by a model of quality: red below {:g}, amber below {:g} of 100."
        judged = how.format(options.red, options.amber)
    else:
        judged = f"Judged by checks alone, which see no wrong meaning in fluent text: {found.why.rstrip('.')}."
    red = ", ".join(TITLES[kind] for kind in options.red_for if kind not in options.ignore)
    judged += f" Findings that are red: {red}; others are amber." if red else " All findings are amber."
    known = found.changed
    if known is None:
        pair = _languages(found) or "this pair"
        told = (
            f"How many of 100 green segments a person would change is not known for {pair}: there are no post-edits on "
            "which this was measured."
        )
    else:
        share, low, high = known.per_100
        told = (
            f"Of 100 green segments, people who post-edited changed {share:.0f} ({low:.0f} to {high:.0f}); of 100 of "
            f"all segments, {100 * known.all_changed / known.segments:.0f}. Measured on {known.segments:,} outputs of "
            f"{known.source}. A change need not mean an error."
        )
    return [judged, told]


def saved(found: Review) -> str:
    """Return what green segments save, in words, and in hours if there is a rate."""
    words, hours = found.words, found.hours
    whole = sum(words[colour] for colour in COLOURS)
    told = f"Green segments have {words[GREEN]:,} of {whole:,} source words"
    if hours is None:
        return f"{told}."
    return f"{told}: not reading them saves {hours[1]:.1f} of {hours[0]:.1f} hours."


def shown(found: Review, form: str, top: int) -> str:
    """Render the review in one form. TSV, CSV and JSON have all segments."""
    if form in ("tsv", "csv"):
        rows = _rows(found)
        cells = [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
        parts: list[Part] = [Table(list(rows[0]), cells)]
    else:
        parts = [verdict(found), Notes([saved(found), *caveats(found)]), *_summary(found, top)]
    return rendered(form, parts, found.to_dict, title(found))


def _summary(found: Review, top: int) -> Iterator[Part]:
    """Yield the counts by file and by reason, and the worst segments."""
    names = (*COLOURS, DONE) if found.counts[DONE] else COLOURS
    if len(found.by_file) > 1:
        rows = [[name or "–", *(f"{counts[each]:,}" for each in names)] for name, counts in found.by_file.items()]
        yield from (Heading("By file"), Table(["file", *names], rows))
    if found.kinds:
        rows = [[TITLES[kind], f"{count:,}"] for kind, count in found.kinds.most_common()]
        yield from (Heading("By reason"), Table(["reason", "segments"], rows))
    bad = (each for each in found.segments() if not each[1].done and each[1].colour != GREEN)
    worst = nsmallest(top, bad, key=lambda each: COLOURS.index(each[1].colour))
    if worst:
        yield Heading("First to look at")
    for segment, judged in worst:
        output = next(iter(segment.outputs.values()))
        yield f"{segment.id} ({judged.colour}): {judged.says}\n  source: {segment.source}\n  output: {output}"


def _rows(found: Review) -> list[dict[str, object]]:
    return [
        {
            "segment": n, "id": segment.id, "file": file, "colour": judged.colour,
            "done": "done" if judged.done else "",
            "quality": None if judged.quality != judged.quality else round(judged.quality, 2), "reasons": judged.says,
            "source": segment.source, "output": next(iter(segment.outputs.values())),
        }
        for n, (file, segment, judged) in enumerate(found.located(), 1)
    ]  # fmt: skip


def record(found: Review) -> dict[str, object]:
    """Return the review as a dictionary for JSON."""
    known, hours = found.changed, found.hours
    return {
        "verdict": verdict(found), "pair": _languages(found) or None, "n": len(found),
        "counts": {name: found.counts[name] for name in (*COLOURS, DONE)},
        "words": {name: found.words[name] for name in (*COLOURS, DONE)},
        "hours": None if hours is None else {"all": hours[0], "saved": hours[1]},
        "kinds": dict(found.kinds.most_common()),
        "by_file": {name: dict(each) for name, each in found.by_file.items()},
        "model": found.model or None, "no_model": found.why or None,
        "red": found.options.red, "amber": found.options.amber, "red_for": list(found.options.red_for),
        "changed_of_100_green": None if known is None else dict(
            zip(("value", "low", "high"), known.per_100, strict=True), source=known.source, green=known.green
        ),
        "segments": _rows(found),
    }  # fmt: skip


def pieces(found: Review) -> Iterator[str]:
    """Yield the pieces of the page."""
    options = found.options
    overview = Overview(
        {name: SAYS[name] for name in COLOURS}, TITLES, options.words_per_hour, found.name,
        (options.red, options.amber) if found.model else None,
    )  # fmt: skip
    page = ReviewPage(
        title(found), verdict(found), [saved(found), *caveats(found)], first="worst first",
        none="There are no segments.", overview=overview,
    )  # fmt: skip
    source, _, target = (found.pair or "").partition("-")
    cards = (_card(n, *each, (source, target)) for n, each in enumerate(found.located(), 1))
    return page_pieces(cards, page)


def _card(n: int, file: str, segment: Segment, judged: Judged, languages: tuple[str, str]) -> Card:
    texts = (segment.source or "", next(iter(segment.outputs.values())))
    names = ("Source", "Translation")
    words = [(word, each.message) for each in judged.reasons for word in each.words]
    return Card(
        n,
        segment.id,
        file,
        [
            CardText(name, text, language, marks=_marks(text, words, kind))
            for name, text, language, kind in zip(names, texts, languages, ("lost", "invented"), strict=True)
        ],
        0.0 if judged.quality != judged.quality else round(judged.quality, 1),
        [Why(each.kind, each.message) for each in judged.reasons],
        decision=judged.colour,
        state=DONE if judged.done else "",
        details=judged.details,
        words=count_words(texts[0]),
    )


def _marks(text: str, words: list[tuple[str, str]], kind: str) -> list[Mark]:
    """Return the marks on the words that a reason names."""
    if not words:
        return []
    place, found, last = utf16_places(text), [], 0
    pattern = re.compile("|".join(re.escape(word) for word, _ in sorted(words, key=lambda each: -len(each[0]))))
    said = dict(words)
    for match in pattern.finditer(text):
        if match.start() >= last and match[0]:
            found.append((place(match.start()), place(match.end()), kind, said[match[0]]))
            last = match.end()
    return found
