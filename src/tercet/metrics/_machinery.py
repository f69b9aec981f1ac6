"""What follows from a metric's declarations: strings, signatures, checks, pickles. The base class of `Metric`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar, cast

from ..errors import MissingDependency, UsageError
from ..types import Floats
from ._parameters import Parameter, parameters

if TYPE_CHECKING:
    from ..data.model_file import Dataset
    from ..data.stream import TextFiles
    from ..data.testset import TestSet
    from ..text.explanations import Part
    from ._contract import Metric
    from ._ready import Ready

State = TypeVar("State")
Corpus: TypeAlias = "TestSet | TextFiles"  # what a metric is made ready for


# What a docstring says of some parameters: "alpha, beta: the weights …", and the lines that continue it.
_ENTRY = re.compile(r"^\w+(?:, \w+)*: .*(?:\n(?!\w+(?:, \w+)*: ).+)*", re.MULTILINE)


@dataclass(frozen=True)
class Machinery:
    """What every metric can do without its author's doing."""

    marked: ClassVar[tuple[str, str, str]] = ("matched", "in part", "not matched")  # marks that weigh 1, .5, 0
    explains: ClassVar[tuple[type[Part], ...]] = ()  # the kinds of parts that `explain_segment` returns
    segments_per_unit: ClassVar[int | None] = None  # the size of a unit of work, where counting is slow
    shares: ClassVar[str] = ""  # metrics with the same word here are counted in the same process, to share work
    one_process: ClassVar[bool] = False  # never counted in worker processes, because it holds a device
    uses_network: ClassVar[bool] = False  # sends texts to a service; a file may name it only if the user allows it
    runs_code: ClassVar[bool] = False  # its models are programs; a file may name it only if the user allows it
    signature_order: ClassVar[tuple[str, ...]] = ()  # keys that the signature has first
    summary: ClassVar[str] = ""  # the line of `verbose`, in which {name} is a value of `details`
    registered_name: ClassVar[str] = ""  # set where it is found by another name than its file's
    registered_file: ClassVar[str] = ""  # the file that its class is in, if it is no module
    registered_about: ClassVar[str] = ""  # what the top of that file says of it
    registered_values: ClassVar[Mapping[str, Any]] = {}  # of the instance that its name means, if it means one

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            parameter.validate(self.name, getattr(self, parameter.name))
        self.validate()

    @property
    def _author(self) -> Metric:
        """The same object, as the class that has the members of its author."""
        return cast("Metric", self)

    # What some metrics declare.

    @property
    def longest(self) -> int | None:
        """The most words of a text that it counts, within a gigabyte; None if there is no limit, or it has its own."""
        return None

    @property
    def needs_all_systems(self) -> bool:
        """Return whether a system's score depends on the other systems' outputs, so that it is verified with them."""
        return False

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

    @property
    def packages(self) -> Sequence[tuple[str, str]]:
        """Packages that it imports, each with the extra of Tercet that installs it."""
        return ()

    @property
    def lacks(self) -> str:
        """What its parameters must give and do not, as "a model: comet:model=FOLDER"; empty if nothing."""
        return ""

    def check_packages(self) -> None:
        """Raise MissingDependency for a package that it needs and that is not installed. Nothing is imported."""
        for package, extra in self.packages:
            if find_spec(package) is None:
                raise MissingDependency(self.name, extra)

    def check_needs(self, testset: Corpus) -> None:
        """Raise UsageError if its parameters or the test set lack what the metric reads."""
        for need, present in (("reference", bool(testset.references)), ("source", testset.source is not None)):
            if need in self._author.needs and not present:
                option = "references" if need == "reference" else need
                raise UsageError(
                    f"{self.name} needs {need}s, and test set {testset.name!r} has none. Give them by `{option}`."
                )
        if self.lacks:
            install = ""
            try:
                self.check_packages()
            except MissingDependency as missing:
                install = f" It also needs a package: pip install 'tercet[{missing.extra}]'"
            raise UsageError(f"{self.name} needs {self.lacks}.{install}")

    def learnt(self, state: State | None, what: str) -> State:
        """Return what the metric learnt; raise UsageError where it learnt nothing. what: as "word weights are"."""
        if state is None:
            raise UsageError(f"{self.name}: {what} missing; call ready(testset) with the whole test set.")
        return state

    def offline(self) -> Self:
        """Return the metric without the address of its service: it can score counts, and cannot count."""
        return self

    def for_segments(self) -> Self:
        """Return the metric as it scores single segments, where its parameters then differ."""
        return self

    def segment_scores(self, counts: Floats) -> Floats:
        """Compute scores of single segments; differs from `score` only where a metric defines them differently."""
        return self.for_segments()._author.score(counts)

    def details(self, totals: Floats) -> dict[str, object]:
        """Return the parts of one score by name, shape (k,), for reports."""
        return {}

    def verbose(self, totals: Floats) -> str:
        """Return the parts of one score as a line of text: by default `summary`, with the values of `details`."""
        return self.summary.format(**self.details(totals)) if self.summary else ""

    def extras(self, counts: Floats) -> Mapping[str, Floats]:
        """Return further numbers per segment by name, such as precision and recall; they travel with the scores."""
        return {}

    def trained_on(self) -> Sequence[Dataset]:
        """Return the data sets that a model behind the metric was trained on, as its file names them."""
        return ()

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

    @classmethod
    def about(cls) -> str:
        """Return what is to be known of the metric beside its docstring: the text at the top of its file."""
        return cleandoc(cls.registered_about or sys.modules[cls.__module__].__doc__ or "")

    @classmethod
    def described(cls) -> str:
        """Return the class's docstring, with what its bases say of parameters that it does not explain itself."""
        own = cleandoc(cls.__doc__ or "")
        for base in cls.__mro__[1:]:
            for entry in _ENTRY.findall(cleandoc(base.__doc__ or "")):
                names = {parameter.name for parameter in cls.parameters()}.intersection(re.findall(r"(\w+)[,:]", entry))
                if names and not any(re.search(rf"\b{name}\b(?:, \w+)*: ", own) for name in names):
                    own += f"\n{entry}"
        return own

    @property
    def code(self) -> Callable[..., object]:
        """The class or function whose source file is part of the fingerprint."""
        return type(self)

    def adapted(self, testset: Corpus) -> Self:
        """Return the metric with parameters settled that depend on more of the test set than the outputs' language."""
        return self

    def resolved(self, language: str | None = None) -> Self:
        """Return a metric in which all parameters are settled, those left open by `defaults`; this one stays as is."""
        if language:
            from ..text.scripts import base_code  # slow to import

            language = base_code(language)
        settled = self._author.defaults(language or None)
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
        return cls(**cls.values_in(items))

    @classmethod
    def values_in(cls, items: Mapping[str, str]) -> dict[str, object]:
        """Return the values of parameters that a signature's items give."""
        name = cls.__module__.rpartition(".")[2]
        return {p.name: p.read_item(name, items[p.key]) for p in parameters(cls) if p.key and p.key in items}

    @property
    def signature(self) -> str:
        """The signature in sacreBLEU's form, before anything is learnt."""
        return self.ready().signature

    def ready(self, testset: Corpus | None = None, *, asked: str = "") -> Ready:
        """Return the metric made ready for a test set: settled, checked, and with what it learnt from the texts."""
        from ._ready import make_ready

        return make_ready(self._author, testset, asked=asked)

    def statistics(self, testset: TestSet) -> dict[str, Floats]:
        """Count every system of a test set in one step. Returns arrays of shape (segments, k)."""
        from ._contract import Shard

        return self.ready(testset).count(Shard(testset))

    def score_one(self, output: str, references: Sequence[str] = (), source: str | None = None) -> float:
        """Return the score of a single segment that is not part of a test set."""
        from ._contract import Metric
        from .bases.pairs import one_segment

        shard = one_segment(output, references, source)
        metric = self.resolved()._author
        if type(metric).open is not Metric.open:  # what it loads is kept for the next segment
            ready = metric.ready(shard.texts)
            return float(ready.segment_scores(ready.count(shard)["output"])[0])
        metric.check_needs(shard.texts)
        counts = metric.count(shard, metric.learn(shard.texts).state)["output"]
        return float(metric.segment_scores(counts)[0])

    def secret(self, name: str) -> str | None:
        """Return the value of a secret parameter: as given, or from the environment variable that it declares."""
        (parameter,) = (each for each in self.parameters() if each.name == name)
        given: str | None = getattr(self, name)
        return given if given is not None or parameter.secret is None else os.environ.get(parameter.secret)

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled: all but secrets, which another process reads from its own environment."""
        hidden = {each.name for each in self.parameters() if each.secret and getattr(self, each.name) != ""}
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickle what is in no module that can be imported, such as a class of a user's file, by how it is found."""
        cls = type(self)
        if "registered_file" not in cls.__dict__:
            return super().__reduce__()
        from ._registry import rebuild

        ours = cls.__module__.startswith("tercet.")
        found_as = self.name if ours else f"{cls.registered_file}:{cls.__name__}"
        return rebuild, (found_as, {p.name: getattr(self, p.name) for p in self.parameters() if not p.secret})
