"""One judgement per segment, green, amber or red: the worse of what checks find and of what a model predicts.

Files are read piece by piece, several times: for what is usual in them, to judge, and to write the page. So texts are
not kept, and memory grows with what is found, not with what there is.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...checking.segment_findings import SegmentFinding, Sides, find
from ...checking.triage import Usual
from ...data.bilingual.segments import Segment, flagged_by_review
from ...data.bilingual.states import AMBER, DONE, FLAGGED, FLAGGED_BEFORE, GREEN, RED, REVIEW
from ...errors import DataError, UsageError
from .reading import TextPair, pair_of

if TYPE_CHECKING:
    from ...data.bilingual import BilingualFile
    from ...quality.changed import Changed
    from ...quality.model import QualityModel
    from . import Reviewing

log = logging.getLogger(__name__)
COLOURS = (RED, AMBER, GREEN)
PIECE = 512  # segments that are judged at once
SHARE = 1 / 3  # of all that makes a prediction worse: a feature with less is no reason
REASONS = "reasons"  # the name of the note beside REVIEW
_WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    r"\u3040-\u30ff\u3400-\u9fff]+"
)
# Kinds of reasons that are not findings of checks.
FLUENCY, MEANING, OTHER, UNUSUAL, MARKED = "fluency", "meaning", "quality", "unusual", "flagged"
MEANT = {"target_network": FLUENCY, "embedding_cosine": MEANING}  # feature -> what a bad value of it means


class Judged(NamedTuple):
    """The judgement of a segment. quality: predicted, 0 to 100, or NaN. done: a person has dealt with it."""

    colour: str
    reasons: tuple[SegmentFinding, ...] = ()
    quality: float = nan
    done: bool = False
    details: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """The reasons in plain words."""
        return "; ".join(each.message for each in self.reasons)


PASSED, FINISHED = Judged(GREEN), Judged(GREEN, done=True)  # one for all, to save memory


@dataclass
class Review:
    """The judgements of all segments, in the order of the files, and what they come to.

    counts, words: by colour, of segments that are not done; "done": of the others. kinds: segments by kind of reason.
    by_file: counts of each file. model: its checksum, or "" for checks alone, and why.
    """

    files: Sequence[BilingualFile | TextPair]
    options: Reviewing
    pair: str | None
    model: str = ""
    why: str = ""
    judged: list[Judged] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    by_file: dict[str, Counter[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.judged)

    def segments(self) -> Iterator[tuple[Segment, Judged]]:
        """Yield the segments with their judgements; the files are read again."""
        return ((segment, judged) for _, segment, judged in self.located())

    def located(self) -> Iterator[tuple[str, Segment, Judged]]:
        """Yield the same after the name of each segment's file (`file_of`)."""
        judged = iter(self.judged)
        for file in self.files:
            for segment in file.read():
                try:
                    yield self.file_of(file, segment), segment, next(judged)
                except StopIteration:
                    raise DataError(f"{file.path} has changed since it was judged. Run it again.") from None

    def file_of(self, file: BilingualFile | TextPair, segment: Segment) -> str:
        """Return the name under which a segment is counted: of several files the file, else its part of the file."""
        return file.path.name if len(self.files) > 1 else segment.file

    @property
    def name(self) -> str:
        return ", ".join(file.path.name for file in self.files)

    @property
    def changed(self) -> Changed | None:
        """How many green segments people would have changed, measured; None if nobody knows."""
        from ...quality.changed import changed_of

        return changed_of(self.model, self.pair, self.options.amber if self.model else 0)

    @property
    def hours(self) -> tuple[float, float] | None:
        """The hours of reading everything, and those that green segments save; None without a rate."""
        rate = self.options.words_per_hour
        if rate is None:
            return None
        return sum(self.words[colour] for colour in COLOURS) / rate, self.words[GREEN] / rate

    def notes(self, path: str | Path) -> dict[str, list[str]]:
        """Return the notes for one of the files: the judgement and the reasons of each segment."""
        place = next(i for i, file in enumerate(self.files) if file.path == Path(path))
        start = sum(self.sizes[:place])
        mine = self.judged[start : start + self.sizes[place]]
        return {
            REVIEW: [DONE if each.done else each.colour for each in mine],
            REASONS: ["" if each.done else each.says for each in mine],
        }

    def write(self, path: str | Path) -> None:
        from ...data.files import writing
        from .board import pieces

        with writing(path) as stream:
            stream.writelines(pieces(self))

    def to_dict(self) -> dict[str, object]:
        from .board import record

        return record(self)


def judge(files: Sequence[BilingualFile | TextPair], options: Reviewing) -> Review:
    """Judge all segments of files of one language pair."""
    from ...data.terminology import read_terms

    pairs = {file.path.name: pair for file in files if (pair := pair_of(file))}
    if len(set(pairs.values())) > 1:
        named = ", ".join(f"{name} is {pair}" for name, pair in pairs.items())
        raise UsageError(f"The files have several language pairs: {named}. Review one pair at a time.")
    pair = next(iter(pairs.values()), None)
    found = Review(files, options, pair)
    model, found.why = _model(pair, options.model)
    found.model = model.checksum if model else ""
    known = pair if pair and not pair.startswith("-") else None
    usual = Usual(pair, read_terms(options.terms, known) if options.terms else None)
    for file in files:
        found.sizes.append(_look_at(file, usual))
    context, done = usual.context(), _done_on_page(options.marks)
    for file, size in zip(files, found.sizes, strict=True):
        unknown = Counter[str]()
        segments, n = file.read(), 0
        while piece := list(islice(segments, PIECE)):
            qualities = _qualities(model, piece, options.amber, pair) if model else [(nan, (), ())] * len(piece)
            names = _names(piece, known) if known and options.entities else [()] * len(piece)
            n += len(piece)
            for segment, quality, of_names in zip(piece, qualities, names, strict=True):
                texts, meaning = _texts(segment), file.meaning_of(segment.state)
                if meaning is None:
                    unknown[segment.state] += 1
                findings = [*find(Sides(*texts, segment.source_tags, segment.output_tags), context), *of_names]
                is_done = meaning == DONE or (len(found) + 1, *texts) in done
                _add(found, file, segment, _judged(segment, findings, quality, is_done, meaning, options))
        if n != size:
            raise DataError(f"{file.path} has changed while it was read. Run it again.")
        if unknown:
            _refuse_states(file, unknown)
    return found


def _names(piece: Sequence[Segment], pair: str) -> list[tuple[SegmentFinding, ...]]:
    """Return the names that translations lose or invent (`tercet entities`), for languages of the knowledge base."""
    from ...data.testset import TestSet
    from ...knowledge.default import LANGUAGES
    from ...metrics.bases.entities import languages
    from ..entities import entities

    found: list[tuple[SegmentFinding, ...]] = [()] * len(piece)
    if not set(languages(pair)) <= set(LANGUAGES):
        return found
    sources, outputs = zip(*map(_texts, piece), strict=True)
    testset = TestSet({"output": list(outputs)}, source=list(sources), pair=pair)
    for each in entities(testset, numbers=False).findings:  # numbers have checks of their own
        if outputs[each.line - 1].strip():
            became = f", {each.became!r} is new" if each.became else ""
            told = f"the name {each.text!r} seems to be {each.kind} ({each.confidence:.0%} sure){became}"
            found[each.line - 1] += (SegmentFinding("names", told, (each.text,)),)
    return found


def _model(pair: str | None, name: str) -> tuple[QualityModel | None, str]:
    """Return the model of a name, and why there is none."""
    from ...quality.default import NAME, find_default, load_model
    from . import NO_MODEL

    if name == NO_MODEL:
        return None, "no model was wanted"
    source, _, target = (pair or "").partition("-")
    languages = (source or "und", target) if pair else None
    if name != NAME:
        return load_model(name, languages), ""
    if languages is None:
        return None, "the language pair is not known; give it, as en-de"
    return find_default(languages)


def _look_at(file: BilingualFile | TextPair, usual: Usual) -> int:
    """Add what is usual in a file, and return the number of its segments. Refuse a file that cannot be reviewed."""
    size, translated, pairs = 0, False, dict[str, int]()
    segments = file.read()
    while piece := list(islice(segments, PIECE)):
        for segment in piece:
            _check_texts(file, segment)
            if segment.pair:
                pairs.setdefault(segment.pair, segment.line)
        texts = [_texts(segment) for segment in piece]
        translated = translated or any(output.strip() for _, output in texts)
        usual.add([source for source, _ in texts], [output for _, output in texts])
        size += len(piece)
    if len(pairs) > 1:
        named = ", ".join(f"{pair} (line {line})" for pair, line in pairs.items())
        raise UsageError(f"{file.path} has several language pairs: {named}. Split it, and review one pair at a time.")
    if not translated:
        raise DataError(f"{file.path} has no translations: the targets of all {size:,} segments are empty.")
    return size


def _check_texts(file: BilingualFile | TextPair, segment: Segment) -> None:
    if segment.source is None or not segment.outputs:
        role, text = ("source", "source") if segment.source is None else ("output", "translation")
        raise DataError(
            f"{file.path} has no column with the {text}. Call it {role}, or name it: `columns` {role}=COLUMN."
        )
    if len(segment.outputs) > 1:
        named = ", ".join(segment.outputs)
        raise UsageError(f"{file.path} has several translations: {named}. Choose one: `columns` output=COLUMN.")


def _texts(segment: Segment) -> tuple[str, str]:
    return segment.source or "", next(iter(segment.outputs.values()))


def _judged(
    segment: Segment,
    findings: Sequence[SegmentFinding],
    predicted: tuple[float, tuple[SegmentFinding, ...], tuple[str, ...]],
    is_done: bool,
    meaning: str | None,
    options: Reviewing,
) -> Judged:
    quality, why, details = predicted
    if meaning == FLAGGED and not flagged_by_review(segment.written):
        why = (*why, SegmentFinding(MARKED, f"{FLAGGED_BEFORE} ({segment.state})"))
    findings = [each for each in findings if each.kind not in options.ignore]
    reasons = (*findings, *why)
    if quality < options.red or any(each.kind in options.red_for for each in findings):
        colour = RED
    else:
        colour = AMBER if quality < options.amber or reasons else GREEN
    if colour == GREEN and quality != quality:
        return FINISHED if is_done else PASSED
    return Judged(colour, reasons, quality, is_done, details)


def _add(found: Review, file: BilingualFile | TextPair, segment: Segment, judged: Judged) -> None:
    found.judged.append(judged)
    name = DONE if judged.done else judged.colour
    found.counts[name] += 1
    found.words[name] += count_words(segment.source or "")
    found.by_file.setdefault(found.file_of(file, segment), Counter())[name] += 1
    if not judged.done:
        found.kinds.update({each.kind for each in judged.reasons})


def count_words(text: str) -> int:
    """Count words; in scripts without spaces, such as Chinese and Thai, each character."""
    return len(_WORD.findall(text))


def _refuse_states(file: BilingualFile | TextPair, states: Mapping[str, int]) -> None:
    from ...data.bilingual import format_of

    module: Any = format_of(file.path)
    named = ", ".join(f"{state!r} ({count})" for state, count in list(states.items())[:5])
    raise DataError(
        f"{file.path} has states that its format does not know: {named}. Known are "
        f"{', '.join(filter(None, module.STATES if module else ()))}."
    )


def _done_on_page(path: str | None) -> set[tuple[int, str, str]]:
    """Return number, source and output of the segments that a person marked as done on the page."""
    import json

    if path is None:
        return set()
    try:
        marked = json.loads(Path(path).read_text("utf-8"))["done"]
        return {(each["n"], each["source"], each["output"]) for each in marked}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError):
        raise DataError(f"{path} is not a file of marks: save it with the button 'Save marks' of the page.") from None


def _qualities(
    model: QualityModel, piece: Sequence[Segment], amber: float, pair: str | None
) -> Iterator[tuple[float, tuple[SegmentFinding, ...], tuple[str, ...]]]:
    """Yield the quality of each segment from 0 to 100, and, where it is not green, reasons and their details."""
    import numpy as np

    from ...human.answers import language_name
    from ...quality.ranking import reasons_for

    sources, outputs = zip(*map(_texts, piece), strict=True)
    found = model.predict(sources, outputs)
    low, high = model.label_range
    scaled = 100 * (np.clip(found.values, low, high) - low) / (high - low)
    values = scaled if model.higher_is_better else 100 - scaled
    bad = np.flatnonzero(values < amber)
    reasons = dict(zip(bad.tolist(), reasons_for(model, found, bad), strict=True))
    target = (pair or "").partition("-")[2]
    bad_language = f"reads like bad {language_name(target)}" if target else "reads badly"
    if model.resources.network == "multilingual":
        bad_language += ", or says something else than the source"  # its network reads both
    for row, value in enumerate(values.tolist()):
        whole = sum(abs(each.effect) for each in reasons.get(row, ()))
        main = [each for each in reasons.get(row, ()) if abs(each.effect) >= SHARE * whole]
        why: dict[str, str] = {}
        for each in main:
            kind = MEANT.get(each.feature, OTHER)
            why[kind] = {FLUENCY: bad_language, MEANING: "says something else than the source"}.get(
                kind, f"unlike good translations: {each.description}"
            )
        if row in found.unusual:
            why[UNUSUAL] = "unlike the texts that the model knows"
        if value < amber and not why and outputs[row].strip():
            why[OTHER] = "reads worse than usual"
        told = tuple(SegmentFinding(kind, message) for kind, message in why.items()) if value < amber else ()
        yield value, told if outputs[row].strip() else (), tuple(map(str, main))
