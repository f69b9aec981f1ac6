"""The contract of a metric: what it counts in each segment, and the score that a sum of counts gives.

Corpus, document and segment scores, intervals, paired tests, slices and the merging of shards follow from these two;
a metric never implements them. Three things are kept apart:

- given: a `Metric`, a frozen dataclass with the parameters as the user passed them. It is never rewritten.
- ready: a `Ready`, made for a test set: parameters settled, what was learnt from the texts, needs, direction, label,
  signature and the fingerprint of every file behind it.
- open: weights, parsers and tables, loaded once per process by `Metric.open` and never pickled.

See docs/architecture.md and docs/adding-a-metric.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ._parameters import Parameter, parameters

if TYPE_CHECKING:
    from pathlib import Path

    from ..data.testset import TestSet
    from ..text.marks import Marks
    from ._ready import Ready

Floats = NDArray[np.float64]
Made = TypeVar("Made")


class Shard:
    """The texts that are counted at once: outputs of all systems, references, source, documents, languages, names.

    `share` keeps what several metrics or systems need, such as the character n-grams of the references, so that it is
    made once for all of them. `cache` is the folder that the user named for results that later runs can use.
    """

    def __init__(
        self, texts: TestSet, made: dict[Hashable, Any] | None = None, *, cache: str | Path | None = None
    ) -> None:
        self.texts = texts
        self.cache = cache
        self.outputs = texts.outputs
        self.references = texts.references
        self.source = texts.source
        self.documents = texts.documents
        self.labels = texts.labels
        self.pair = texts.pair
        self.name = texts.name
        self._made: dict[Hashable, Any] = {} if made is None else made

    def __len__(self) -> int:
        return len(self.texts)

    def only(self, systems: Sequence[str]) -> Shard:
        """Return the shard with some of its systems; what is shared stays shared."""
        if len(systems) == len(self.outputs):
            return self
        return Shard(self.texts.only(systems), self._made, cache=self.cache)

    def share(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` returned for this key when it was first asked for in this shard."""
        if key not in self._made:
            self._made[key] = make()
        found: Made = self._made[key]
        return found


@dataclass(frozen=True)
class Learnt:
    """What a metric learns from a test set before it counts.

    state: passed to `Metric.open`; it is sent to worker processes, so it must be picklable.
    items: facts for the signature, such as a checksum of the state.
    higher_is_better: where only a model file tells the direction.
    """

    state: Any = None
    items: Mapping[str, str] = field(default_factory=dict)
    higher_is_better: bool | Literal["declared"] | None = "declared"


@dataclass(frozen=True)
class Metric:
    """A metric. Its parameters are its dataclass fields, declared with `param` where more than a default is to be said.

    A subclass writes `count_outputs` (or `count`) and `score`. The rest has defaults.
    """

    version: ClassVar[int] = 1  # raised when any score changes
    paper: ClassVar[str] = ""
    marked: ClassVar[tuple[str, str, str]] = ("matched", "in part", "not matched")  # marks that weigh 1, .5, 0
    tolerance: ClassVar[float] = 0.0  # how far counts may differ with the batch; exact metrics declare none
    segments_per_unit: ClassVar[int | None] = None  # the size of a unit of work, where counting is slow
    shares: ClassVar[str] = ""  # metrics with the same word here are counted in the same process, to share work
    one_process: ClassVar[bool] = False  # never counted in worker processes, because it holds a device
    uses_network: ClassVar[bool] = False  # sends texts to a service; a file may name it only if the user allows it
    runs_code: ClassVar[bool] = False  # its models are programs; a file may name it only if the user allows it
    signature_order: ClassVar[tuple[str, ...]] = ()  # keys that the signature has first
    registered_name: ClassVar[str] = ""  # set where it is found by another name than its file's
    registered_file: ClassVar[str] = ""  # the user's file that its class is in
    registered_values: ClassVar[Mapping[str, Any]] = {}  # of the instance that its name means, if it means one

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            parameter.validate(self.name, getattr(self, parameter.name))
        self.validate()

    # What a metric declares.

    @property
    def needs(self) -> frozenset[str]:
        """What it reads beside the outputs: "reference", "source"."""
        return frozenset({"reference"})

    @property
    def higher_is_better(self) -> bool | None:
        """The better direction; None if there is none, as for a length ratio."""
        return True

    @property
    def whole(self) -> bool:
        """Whether counts of a segment depend on its neighbours, so that a test set must not be cut into shards."""
        return False

    @property
    def decimals(self) -> int:
        """How many decimals a table shows: enough to tell systems apart on a scale from 0 to 1."""
        return 3

    @property
    def label(self) -> str:
        """The name that tables show."""
        return type(self).__name__

    @property
    def compatible(self) -> str | None:
        """The published program whose scores these equal, such as 'sacrebleu2.6'."""
        return None

    def named_metrics(self) -> Sequence[str]:
        """Return the metrics that its parameters name, such as the members of a mean."""
        return ()

    def validate(self) -> None:
        """Raise UsageError for parameters that do not go together. Single values are checked by their declaration."""

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        """Return values for the parameters that the user left open (None); language is that of the outputs."""
        return {}

    # From texts to counts.

    def check_needs(self, testset: Any) -> None:
        """Raise UsageError if the test set lacks what the metric reads."""
        for need, present in (("reference", bool(testset.references)), ("source", testset.source is not None)):
            if need in self.needs and not present:
                how = f"-{need[0]} FILE, or TestSet(…, {need}{'s' * (need == 'reference')}=…)"
                raise UsageError(
                    f"{self.name} needs {need}s, and test set {testset.name!r} has none. Give them: {how}."
                )

    def learn(self, testset: Any) -> Learnt:
        """Learn from the whole test set (anything with `shards`), such as the weights of words in the references."""
        return Learnt()

    def open(self, state: Any) -> Any:
        """Load heavy resources; called once per process. Return what `prepare` and `count` get as `opened`."""
        return state

    def prepare(self, shard: Shard, opened: Any) -> Any:
        """Return what all systems of a shard share, such as tokenised references. It must not be changed later."""
        return None

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        """Count the statistics of one system in each segment. Returns an array of shape (segments, k)."""
        raise NotImplementedError

    def count(self, shard: Shard, opened: Any) -> dict[str, Floats]:
        """Count the statistics of all systems of a shard. Returns arrays of shape (segments, k) by system."""
        prepared = self.prepare(shard, opened)
        return {system: self.count_outputs(outputs, prepared) for system, outputs in shard.outputs.items()}

    # From counts to scores.

    def score(self, totals: Floats) -> Floats:
        """Compute scores from sums of counts: shape (..., k) -> (...)."""
        raise NotImplementedError

    def offline(self) -> Self:
        """Return the metric without the address of its service: it can score counts, and cannot count."""
        return self

    def for_segments(self) -> Self:
        """Return the metric as it scores single segments, where its parameters then differ."""
        return self

    def segment_scores(self, counts: Floats) -> Floats:
        """Compute scores of single segments; differs from `score` only where a metric defines them differently."""
        return self.for_segments().score(counts)

    def details(self, totals: Floats) -> dict[str, Any]:
        """Return the parts of one score by name, shape (k,), for reports."""
        return {}

    def verbose(self, totals: Floats) -> str:
        """Return the parts of one score as a line of text."""
        return ""

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        """Return further numbers per segment by name, such as precision and recall; they travel with the scores."""
        return {}

    def trained_on(self) -> Sequence[Any]:
        """Return the data sets that a model behind the metric was trained on, as its file names them."""
        return ()

    def explain_segment(self, opened: Any, output: str, references: Sequence[str], source: str | None) -> Any:
        """Return what the metric saw in one segment: a dictionary for JSON, or a dataclass with `lines()`."""
        raise UsageError(f"{self.name} cannot explain a segment.")

    def marks(self, seen: Any, output: str, references: Sequence[str], source: str | None) -> Marks | None:
        """Return marks on the texts for what `explain_segment` returned; None if it tells of no words.

        By default those of its method `marks`, if it has one.
        """
        make = getattr(seen, "marks", None)
        found: Marks | None = None if make is None else make(output, references)
        return found

    # What follows from the declarations.

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the declared parameters, in order."""
        return parameters(cls)

    @property
    def name(self) -> str:
        """The name by which users ask for the metric: that of its file, of its entry point, or FILE.py:CLASS."""
        cls = type(self)
        return str(cls.__dict__.get("registered_name") or cls.__module__.rpartition(".")[2])

    @property
    def code(self) -> Any:
        """The class or function whose source file is part of the fingerprint."""
        return type(self)

    def resolved(self, language: str | None = None) -> Self:
        """Return a metric in which all parameters are settled, those left open by `defaults`; this one stays as is."""
        if language:
            from ..text.scripts import base_code  # slow to import

            language = base_code(language)
        settled = self.defaults(language or None)
        changes = {name: value for name, value in settled.items() if getattr(self, name) is None and value is not None}
        for parameter in self.parameters():
            value = changes.get(parameter.name, getattr(self, parameter.name))
            if "float" in parameter.kinds and type(value) is int:
                changes[parameter.name] = float(value)
        return replace(self, **changes) if changes else self

    @property
    def spec(self) -> str:
        """The shortest string from which `create` makes a metric with the same settled parameters."""
        settled = self.resolved()
        shown = [parameter for parameter in self.parameters() if not parameter.local]
        base = type(self).__dict__.get("registered_values", {})
        usual = {p.name: base.get(p.name, p.default) for p in shown}
        given = {p.name: value for p in shown if (value := getattr(settled, p.name)) not in (None, usual[p.name])}
        for name in list(given):
            rest = {other: value for other, value in given.items() if other != name}
            try:
                if type(self)(**{**base, **rest}).resolved() == settled:
                    given = rest
            except UsageError:  # without it the others do not go together
                continue
        written = ",".join(f"{p.name}={p.write(given[p.name])}" for p in shown if p.name in given)
        return f"{self.name}:{written}" if written else self.name

    def signature_items(self) -> dict[str, str]:
        """Return what the signature says of the settled parameters, by key; checksums of files come last."""
        items, checksums = {}, {}
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            if value is None or parameter.local or not parameter.key:
                continue
            if not (parameter.quiet and value == parameter.default):
                words = parameter.words
                items[parameter.key] = parameter.write(value) if words is None else words[value]
            if parameter.checksum and (path := parameter.path(value)) is not None:
                from ..data.files import file_checksum  # slow to import

                checksums[parameter.checksum] = file_checksum(path)
        first = {key: items[key] for key in self.signature_order if key in items}
        return {**first, **items, **checksums}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        """Return the metric that has this signature. What it learnt is not in it."""
        name = cls.__module__.rpartition(".")[2]
        return cls(**{p.name: p.read_item(name, items[p.key]) for p in parameters(cls) if p.key and p.key in items})

    @property
    def signature(self) -> str:
        """The signature in sacreBLEU's form, before anything is learnt."""
        return self.ready().signature

    def ready(self, testset: Any = None, *, asked: str = "") -> Ready:
        """Return the metric made ready for a test set: settled, checked, and with what it learnt.

        Without a test set nothing is learnt; scores of counts can be computed, and many metrics can count.
        """
        from ._ready import make_ready

        return make_ready(self, testset, asked=asked)

    def statistics(self, testset: TestSet) -> dict[str, Floats]:
        """Count every system of a test set in one step. Returns arrays of shape (segments, k)."""
        return self.ready(testset).count(Shard(testset))

    def score_one(self, output: str, references: Sequence[str] = (), source: str | None = None) -> float:
        """Return the score of a single segment that is not part of a test set."""
        from ..data.testset import TestSet

        named = {str(i): [text] for i, text in enumerate(references)}
        testset = TestSet({"output": [output]}, named, source=None if source is None else [source])
        ready = self.ready(testset)
        return float(ready.segment_scores(ready.count(Shard(testset))["output"])[0])

    def secret(self, name: str) -> str | None:
        """Return the value of a secret parameter: as given, or from the environment variable that it declares."""
        (parameter,) = (each for each in self.parameters() if each.name == name)
        given: str | None = getattr(self, name)
        return given if given is not None or parameter.secret is None else os.environ.get(parameter.secret)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: all but secrets, which another process reads from its own environment."""
        hidden = {each.name for each in self.parameters() if each.secret and getattr(self, each.name) != ""}
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def __reduce__(self) -> Any:
        """Pickle a class from a user's file by the file's path, because no module of that name can be imported."""
        cls = type(self)
        if "registered_file" not in cls.__dict__:
            return super().__reduce__()
        from ._registry import rebuild

        return rebuild, (
            f"{cls.registered_file}:{cls.__name__}",
            {p.name: getattr(self, p.name) for p in self.parameters() if not p.secret},
        )


class SegmentMetric(Metric):
    """A metric that is simple per segment: `count_segment` returns the counts of one segment."""

    def prepare_text(self, text: str) -> Any:
        """Return what `count_segment` gets for a reference or source text; called once for all systems."""
        return text

    def count_segment(self, output: str, references: Sequence[Any], source: Any) -> Sequence[float]:
        """Count one segment; references and source are as `prepare_text` returned them."""
        raise NotImplementedError

    def prepare(self, shard: Shard, opened: Any) -> Any:
        rows: list[list[Any]] = [[] for _ in range(len(shard))]
        if "reference" in self.needs:
            for texts in shard.references.values():
                for row, text in zip(rows, texts, strict=True):
                    if text is not None:
                        row.append(self.prepare_text(text))
        source: list[Any] = [None] * len(shard)
        if "source" in self.needs and shard.source is not None:
            source = [self.prepare_text(text) for text in shard.source]
        return rows, source

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        references, source = prepared
        rows = zip(outputs, references, source, strict=True)
        return np.array([self.count_segment(*row) for row in rows], dtype=np.float64)


class MeanMetric(SegmentMetric):
    """A metric whose corpus score is the mean of its segment scores."""

    def score_segment(self, output: str, references: Sequence[Any], source: Any) -> float:
        """Return the score of one segment."""
        raise NotImplementedError

    def count_segment(self, output: str, references: Sequence[Any], source: Any) -> Sequence[float]:
        return (self.score_segment(output, references, source), 1.0)

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)


def mean_score(totals: Floats) -> Floats:
    """Compute the mean from sums of values and their number, the first two counts; NaN where there is no value."""
    values, number = totals[..., 0], totals[..., 1]
    score: Floats = np.divide(values, number, out=np.full(values.shape, np.nan), where=number > 0)
    return score


def group_references(references: Mapping[str, Sequence[str | None]]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the references segment by segment: all texts, and offsets.

    Segment i has texts[offsets[i]:offsets[i + 1]]. A segment without some reference (None) has fewer.
    """
    if len(references) == 1:
        (lines,) = references.values()
        if None not in lines:
            return list(cast(Sequence[str], lines)), np.arange(len(lines) + 1)
    texts: list[str] = []
    offsets = [0]
    for row in zip(*references.values(), strict=True):
        texts.extend(text for text in row if text is not None)
        offsets.append(len(texts))
    return texts, np.array(offsets, dtype=np.int64)
