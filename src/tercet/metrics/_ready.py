"""`Ready`: a metric made ready for a test set. It counts, scores, and carries the facts that results need."""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..data.scores import MetricRecord
from ..errors import DataError, TercetError, Untrusted, UsageError
from ..text.explanations import Seen
from ..types import Floats
from ._contract import Corpus, Learnt, Metric, Shard

log = logging.getLogger(__name__)
LARGEST = 1e300  # of a count or score
OPENED = 8  # metrics whose heavy resources a process keeps
_opened: OrderedDict[Any, Any] = OrderedDict()


@dataclass(frozen=True, eq=False, repr=False)
class Ready(MetricRecord):
    """A metric with settled parameters (`metric`), what it learnt (`state`) and the fingerprint of its files.

    given: the metric as the user passed it. needs, tolerance, whole, … are those of `metric`, computed once.
    """

    given: Metric = field(default_factory=Metric)
    metric: Metric = field(default_factory=Metric)
    state: object = None
    fingerprint: str = ""
    needs: frozenset[str] = frozenset()
    tolerance: float = 0.0

    def opened(self) -> object:
        """Return the metric's heavy resources, loaded once per process and state of the files behind them."""
        if type(self.metric).open is Metric.open:
            return self.state
        metric, declared = self.metric, self.metric.parameters()
        local = tuple(metric.secret(p.name) if p.secret else getattr(metric, p.name) for p in declared if p.local)
        key = (type(self.metric), self.metric, local, self.signature, self.fingerprint)
        if key not in _opened:
            _opened[key] = self.metric.open(self.state)
            while len(_opened) > OPENED:
                _opened.popitem(last=False)
        _opened.move_to_end(key)
        return _opened[key]

    def count(self, shard: Shard) -> dict[str, Floats]:
        if self.metric.longest is not None:
            self._refuse_long(shard, self.metric.longest)
        counts = self.metric.count(shard, self.opened())
        for system in shard.outputs:
            array = counts.get(system)
            if not isinstance(array, np.ndarray) or array.shape[:-1] != (len(shard),) or array.dtype != np.float64:
                found = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
                raise UsageError(
                    f"{self.label}: counts must be a float64 array of shape ({len(shard)}, k) for every system; "
                    f"for {system!r} the metric returned {found}."
                )
            check_size(self.label, system, array)
        return counts

    def _refuse_long(self, shard: Shard, longest: int) -> None:
        """Raise DataError for a text with more words than the metric can count."""
        for name, texts in (*shard.outputs.items(), *shard.references.items(), ("the source", shard.source or ())):
            for text in texts:
                # Writing without spaces has about two characters to a word.
                if not text or len(text) <= longest:
                    continue
                words = max(len(text.split()), len(text) // 16)
                if words > longest:
                    raise DataError(
                        f"{self.label}: the text of {name!r} that begins {text[:40]!r} has about {words:,} words, and "
                        f"at most {longest:,} can be counted. Texts must have a sentence per line: split this one, or "
                        "leave it out."
                    )

    def score(self, totals: Floats) -> Floats:
        with reporting_faults(self.metric, "scored"):
            return self._one_per_row(self.metric.score(totals), totals)

    def segment_scores(self, counts: Floats) -> Floats:
        with reporting_faults(self.metric, "scored"):
            return self._one_per_row(self.metric.segment_scores(counts), counts)

    def _one_per_row(self, scores: Floats, counts: Floats) -> Floats:
        if np.shape(scores) != counts.shape[:-1]:
            raise UsageError(
                f"{self.label}: score must return one number for each row of counts. For counts of shape "
                f"{counts.shape} it returned shape {np.shape(scores)}, not {counts.shape[:-1]}."
            )
        return scores

    def details(self, totals: Floats) -> dict[str, object]:
        return self.metric.details(totals)

    def verbose(self, totals: Floats) -> str:
        return self.metric.verbose(totals)

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        return self.metric.extras(counts)

    def explain(self, output: str, references: Sequence[str] = (), source: str | None = None) -> Seen:
        with reporting_faults(self.metric, "explained"):
            seen = self.metric.explain_segment(self.opened(), output, references, source)
        if isinstance(seen, Mapping):
            return Seen(values=seen)
        if not isinstance(seen, Seen):
            raise UsageError(
                f"{self.spec}: explain_segment returned {type(seen).__name__}, not a Seen or a dictionary."
            )
        return seen

    def __repr__(self) -> str:
        return f"Ready({self.signature})"


def make_ready(given: Metric, testset: Corpus | None = None, *, asked: str = "") -> Ready:
    """Settle a metric's parameters for a test set, check its needs, and let it learn. See `Metric.ready`."""
    with reporting_faults(given, "got ready"):
        return _ready(given, testset, asked)


def _ready(given: Metric, testset: Corpus | None, asked: str) -> Ready:
    metric = given.resolved() if testset is None else given.adapted(testset).resolved(testset.target_language)
    fingerprint = _fingerprint(metric)  # first, because it refuses files that are not there
    learnt = Learnt()
    if testset is not None:
        metric.check_needs(testset)
        _check_language(metric, testset.target_language)
        learnt = metric.learn(testset)
    direction = learnt.higher_is_better
    return Ready(
        spec=metric.spec, label=metric.label, asked=asked or given.spec, name=metric.name, decimals=metric.decimals,
        whole=metric.whole, signature=write_signature(metric, learnt.items),
        segment_signature=write_signature(metric.for_segments(), learnt.items),
        higher_is_better=metric.higher_is_better if direction == "declared" else direction, given=given,
        metric=metric, state=learnt.state, fingerprint=fingerprint, needs=metric.needs, tolerance=metric.tolerance,
    )  # fmt: skip


def _check_language(metric: Metric, language: str | None) -> None:
    """Raise UsageError if a metric was made for outputs in other languages; warn if theirs is not known."""
    known = metric.languages
    if not known:
        return
    if not language:
        return warn_of_guess(metric.label, known[0])
    from ..text.scripts import base_code  # slow to import

    if base_code(language) not in map(base_code, known):
        made_for = ", ".join(map(repr, known))
        raise UsageError(
            f"{metric.name} was made for outputs in {made_for}, and these are in {language!r}. Use another metric, "
            "such as chrf, or train one for this language: tercet learn."
        )


def check_size(metric: str, system: str, numbers: Floats) -> None:
    """Raise DataError if numbers of a system are so large that sums of them would not be finite."""
    too_large = np.flatnonzero(~np.isinf(numbers) & (np.abs(numbers) > LARGEST))
    if too_large.size:
        segment = too_large[0] // max(1, numbers[0].size) + 1
        raise DataError(
            f"{metric}: {system!r} has a number beyond {LARGEST:g} in segment {segment}: too large to be added up."
        )


@contextmanager
def reporting_faults(metric: Metric, doing: str) -> Iterator[None]:
    """Report whatever ends the code of a user's own metric, an exit too, with its place as a UsageError."""
    try:
        yield
    except (TercetError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if metric.code.__module__.startswith("tercet."):
            raise
        from traceback import extract_tb

        last = extract_tb(error.__traceback__)[-1]
        said = "it called sys.exit" if isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
        what = f"{said} ({last.filename}, line {last.lineno})"
        if isinstance(error, NotImplementedError):
            what = f"it has no method {last.name}."
        raise UsageError(f"{metric.name} failed while it {doing}: {what}") from error


def warn_of_guess(metric: str, language: str) -> None:
    """Warn that the outputs are taken to be in a language, because nobody said in which they are."""
    log.warning(
        "%s: the language of the outputs is not given and taken to be %s. Set `pair`, as en-de.", metric, language
    )


def restore(record: MetricRecord, create: Callable[[str], Metric]) -> MetricRecord:
    """Return a record that can compute scores, with its own direction, if its metric is found here; or else it."""
    try:
        metric = create(record.spec).resolved()
        needs = metric.needs
    except Untrusted:
        raise
    except TercetError:
        return record
    facts = {each.name: getattr(record, each.name) for each in fields(MetricRecord)}
    return Ready(**facts, given=metric, metric=metric, needs=needs, tolerance=metric.tolerance)


def write_signature(metric: Metric, learnt: Mapping[str, str]) -> str:
    """Return the signature in sacreBLEU's form, with checksums of what was learnt."""
    items: dict[str, object] = {**metric.signature_items(), **learnt}
    if metric.compatible:
        items["compat"] = metric.compatible
    items["version"] = f"{metric.version}+tercet{__version__}"
    return "|".join([metric.label, *(f"{key}:{value}" for key, value in items.items())])


def _fingerprint(metric: Metric) -> str:
    """Return checksums of all files behind a metric: those that parameters name, and the source of a user's class."""
    files = {}
    for parameter in metric.parameters():
        path = parameter.path(getattr(metric, parameter.name))
        if path is not None:
            if not path.exists():
                raise UsageError(f"{metric.name}: there is no file {path} ({parameter.name}).")
            files[parameter.name] = path
    module = metric.code.__module__
    ours = module.startswith("tercet.")
    source = None if ours else type(metric).registered_file or getattr(sys.modules.get(module), "__file__", None)
    if source and Path(source).is_file():
        files["source"] = Path(source)
    if not files:
        return ""
    from ..data.files import file_checksum  # slow to import

    return " ".join(f"{name}={file_checksum(path)}" for name, path in files.items())
