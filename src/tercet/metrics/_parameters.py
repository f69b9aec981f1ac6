"""Parameters of metrics, declared once. Validation, `tercet metrics NAME`, specs and signatures follow from it."""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypedDict, Unpack
from weakref import WeakKeyDictionary

from ..errors import UnknownName, UsageError

CASE = {True: "lc", False: "mixed"}  # how sacreBLEU's signatures say whether case is ignored
YES = {True: "yes", False: "no"}
NO = {True: "no", False: "yes"}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Declaration(TypedDict, total=False):
    """What is said of a parameter beside its default."""

    choices: Collection[Any]  # the values that are allowed
    noun: str  # what messages call it, if not by its name
    low: float  # the range of a number, limits included
    high: float
    above: float  # the limit below, excluded
    check: Callable[[str], object]  # called with the value; raises if it is wrong
    key: str  # its key in the signature, if not its name; "" keeps it out
    words: Mapping[Any, str]  # how the signature writes its values
    quiet: bool  # left out of the signature where it has its default
    # The value is a path, whose contents are part of the metric's fingerprint; or a function that returns the path for
    # a value (None if the value names no file).
    file: bool | Callable[[str], Path | None]
    checksum: str  # a key under which the signature has the file's checksum
    local: bool  # belongs to the computer, not to the metric: not compared or shown, neither in spec nor in signature
    # The environment variable that has the value where none is given, such as the key of a service. A secret is local,
    # and nothing writes it: specs refuse it, and pickles leave it out. `Metric.secret` returns it.
    secret: str


def param(default: object = None, **declaration: Unpack[Declaration]) -> Any:
    """Declare a parameter, as in `n: int = param(3, low=1)`. A default of None is settled by `Metric.defaults`."""
    if unknown := declaration.keys() - Declaration.__annotations__.keys():
        raise TypeError(f"param() has no {min(unknown)!r}. It has: {', '.join(Declaration.__annotations__)}.")
    local = declaration.get("local", False) or "secret" in declaration
    about = {**declaration, "local": local}
    return dataclasses.field(default=default, compare=not local, repr=not local, metadata={"tercet": about})


@dataclass(frozen=True)
class Parameter:
    """One declared parameter of a metric; see `param`. kinds: the types that its annotation names."""

    name: str
    kinds: frozenset[str]
    default: Any
    key: str
    choices: Any = None
    noun: str | None = None
    low: float | None = None
    high: float | None = None
    above: float | None = None
    check: Callable[[str], object] | None = None
    words: Mapping[Any, str] | None = None
    quiet: bool = False
    file: bool | Callable[[str], Path | None] = False
    checksum: str | None = None
    local: bool = False
    secret: str | None = None

    def validate(self, metric: str, value: Any) -> None:
        """Raise UsageError for a value that the declaration does not allow. None, "not given", is always allowed."""
        if value is None or self.secret:  # a message would show it
            return
        if "bool" in self.kinds and len(self.kinds - {"None"}) == 1 and not isinstance(value, bool):
            raise UsageError(f"{metric}: {self.name} must be true or false, not {value!r}.")
        if isinstance(value, str) and value != self.default and (not value or set(value) & set("|,")):
            raise UsageError(f"{metric}: {self.name} must not be empty or hold '|' or ',': {value!r}")
        if self.choices is not None and value not in self.choices:
            raise UnknownName(f"{self.noun or self.name} of {metric}", str(value), self.choices)
        low, high = self.low, self.high
        if self.above is not None and not value > self.above:
            raise UsageError(f"{metric}: {self.name} must be above {self.above:g}, not {value}.")
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            limits = f"{low:g} to {high:g}" if None not in (low, high) else f"{low:g} or more" if high is None else ""
            raise UsageError(f"{metric}: {self.name} must be {limits or f'at most {high:,.10g}'}, not {value}.")
        if "float" in self.kinds and not isfinite(value):
            raise UsageError(f"{metric}: {self.name} must be a finite number, not {value}.")
        if self.check is not None:
            self.check(value)

    def write(self, value: str | float) -> str:
        """Return a value as specs and signatures have it."""
        if isinstance(value, bool):
            return "true" if value else "false"
        return repr(float(value)) if "float" in self.kinds and not isinstance(value, str) else str(value)

    def read(self, metric: str, text: str) -> object:
        """Return the value that a text means, by the declared type."""
        if self.secret:
            raise UsageError(
                f"{metric}: {self.name} is a secret, and others can see command lines. Set the environment variable "
                f"{self.secret} instead."
            )
        if text == "None" and ("None" in self.kinds or self.default is None):
            return None
        if "bool" in self.kinds:
            if text.lower() in _BOOLEANS:
                return _BOOLEANS[text.lower()]
            expected = "true or false"
        elif self.kinds & {"int", "float"}:
            expected = "a number" if "float" in self.kinds else "a whole number"
            try:
                number = float(text)
            except ValueError:
                number = float("nan")
            if isfinite(number) and (number.is_integer() or "float" in self.kinds):
                return int(number) if "int" in self.kinds and number.is_integer() else number
        else:
            return text
        raise UsageError(f"{metric}: {self.name} must be {expected}, not {text!r}.")

    def read_item(self, metric: str, text: str) -> object:
        """Return the value that a signature's text means."""
        if self.words is None:
            return self.read(metric, text)
        for value, word in self.words.items():
            if word == text:
                return value
        raise UsageError(f"{metric}: {self.key} must be {' or '.join(self.words.values())}, not {text!r}.")

    def path(self, value: str | None) -> Path | None:
        """Return the file that a value names, if it names one."""
        if value is None or self.file is False:
            return None
        return Path(value) if self.file is True else self.file(value)


_declared: WeakKeyDictionary[type, tuple[Parameter, ...]] = WeakKeyDictionary()


def _require_dataclass(cls: type) -> None:
    """Raise UsageError for a class that declares parameters and lacks the decorator that makes them parameters."""
    own = cls.__dict__
    declared = [name for name, kind in own.get("__annotations__", {}).items() if "ClassVar" not in str(kind)]
    declared += [name for name, value in own.items() if isinstance(value, dataclasses.Field) and name not in declared]
    if declared and "__dataclass_fields__" not in own:
        raise UsageError(
            f"{cls.__name__} declares {', '.join(declared)} and is not a dataclass, so they are no parameters. Write "
            "@dataclass(frozen=True) above the class."
        )


def parameters(cls: type) -> tuple[Parameter, ...]:
    """Return the declared parameters of a metric class, in order; plain dataclass fields are parameters too."""
    if cls in _declared:
        return _declared[cls]
    _require_dataclass(cls)
    found = []
    for item in dataclasses.fields(cls):
        if not item.init:
            continue
        about = dict(item.metadata.get("tercet", {}))
        key = about.pop("key", None)
        declared = item.type.__name__ if isinstance(item.type, type) else str(item.type)
        kinds = frozenset(kind.strip() for kind in declared.split("|"))
        found.append(Parameter(item.name, kinds, item.default, item.name if key is None else key, **about))
    _declared[cls] = tuple(found)
    return _declared[cls]
