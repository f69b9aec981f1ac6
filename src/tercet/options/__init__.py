"""Options of tasks, declared once: in a dataclass that has one field per option.

From the declaration follow the options of the command line, the signature and the "Parameters" of the Python function,
validation, the keys of a configuration file, the record of a run, and the tables in the documentation.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from functools import cache, wraps
from inspect import Parameter, Signature, cleandoc, get_annotations, signature
from math import isfinite
from os import PathLike
from textwrap import fill, indent
from typing import Any, ClassVar, Self, TypeVar

from ..errors import UnknownName, UsageError

REQUIRED: Any = MISSING  # the default of an option that must be given
MANY = re.compile(r"(?:^|\| )(?:Sequence|Collection|tuple)\[")
GROUPS = ("Texts", "Metrics", "Options", "Result", "Run")  # in the order in which help and documentation have them
R = TypeVar("R")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def option(default: object, *flags: str, **declaration: object) -> Any:
    """Declare an option that the command line and the Python function have: the value of a dataclass field.

    default: `REQUIRED` if it must be given. flags: its names on the command line, such as "-n", "--resamples"; without
    flags it is an argument there. declaration: other fields of `Option`.
    """
    return dataclasses.field(default=default, metadata={"flags": flags, **declaration})


def shell_option(default: object, *flags: str, **declaration: object) -> Any:
    """Declare an option that only the command line has; arguments as for `option`."""
    return option(default, *flags, scope="shell", **declaration)


def python_option(default: object, about: str) -> Any:
    """Declare an option that only the Python function has; arguments as for `option`."""
    return option(default, about=about, scope="python", recorded=False)


def again(kind: type[Options], name: str, default: object = None, **changes: object) -> Any:
    """Declare an option of a group once more for a task, with another default or other arguments of `option`."""
    [old] = (each for each in dataclasses.fields(kind) if each.name == name)
    return dataclasses.field(default=default, metadata={**old.metadata, **changes})


@dataclass(frozen=True)
class Option:
    """A declared option. kinds: the types that its annotation names."""

    name: str
    annotation: str
    kinds: frozenset[str]
    default: Any
    flags: tuple[str, ...]
    help: str = ""  # for the command line
    about: str = ""  # for Python, if it needs other words
    choices: Collection[str] | None = None  # the values that are allowed
    low: float | None = None  # the range of a number, limits included
    high: float | None = None
    metavar: str | None = None  # what help shows for the value
    several: bool = False  # takes several values at once, as `-m bleu chrf`
    nargs: int | None = None
    also: Mapping[str, tuple[object, str]] = field(default_factory=dict)  # further flags: the value each sets, its help
    env: str | None = None  # the environment variable that the command line reads where it is not given
    positional: bool = False  # the Python function takes it by position too
    hidden: bool = False  # help does not show it
    recorded: bool = True  # False for what does not belong in the record of a run
    scope: str = "both"  # or "shell" or "python"

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def many(self) -> bool:
        """Whether the value is a sequence."""
        return MANY.search(self.annotation) is not None

    @property
    def is_flag(self) -> bool:
        return "bool" in self.kinds and not self.kinds & {"str", "int"}

    @property
    def in_shell(self) -> bool:
        return self.scope != "python"

    @property
    def in_python(self) -> bool:
        return self.scope != "shell"

    @property
    def flag(self) -> str:
        """The name that messages of the command line use: the first long flag, or what stands for an argument."""
        return (*self._long, *self.flags, (self.metavar or self.name.upper()).strip("[]."))[0]

    @property
    def _long(self) -> list[str]:
        return [flag.partition("/")[0] for flag in self.flags if flag.startswith("--")]

    @property
    def keys(self) -> set[str]:
        """The keys of a configuration file that mean this option: its name, and its long flags without dashes."""
        return {self.name, *(flag[2:].replace("-", "_") for flag in self._long)}

    def read(self, text: str) -> str | float:
        """Return the value that a word of the command line means, by the declared type."""
        if "str" in self.kinds or not self.kinds & {"int", "float", "bool"}:
            return text
        if "bool" in self.kinds and text.lower() in _BOOLEANS and not self.kinds & {"int", "float"}:
            return _BOOLEANS[text.lower()]
        try:
            return int(text) if "float" not in self.kinds else float(text)
        except ValueError:
            raise UsageError(f"`{self.name}` must be {self._expected()}, not {text!r}.") from None

    def checked(self, value: object) -> object:
        """Return a value, with lists as tuples and one text as several. Raise UsageError if it is not allowed."""
        if value is None and "None" in self.kinds:
            return None
        if self.many:
            if value is None or isinstance(value, str | PathLike):
                value = () if value is None else (value,)
            value = tuple(value) if isinstance(value, list | set | frozenset) else value
            if isinstance(value, Mapping) and "Mapping" not in self.kinds:
                raise UsageError(f"`{self.name}` must be a list, not {value!r}.")
            if self.nargs is not None and isinstance(value, tuple) and len(value) != self.nargs:
                raise UsageError(f"`{self.name}` must be {self.nargs} values, not {len(value)}.")
            for each in value if isinstance(value, tuple) else ():
                self._check(each)
        elif value is not None:
            self._check(value)
        return value

    def _check(self, value: Any) -> None:
        wrong = False
        if self.kinds <= {"bool", "None"}:
            wrong = not isinstance(value, bool)
        elif self.kinds <= {"int", "float", "bool", "None"}:
            number = hasattr(value, "__index__") or ("float" in self.kinds and isinstance(value, float))
            wrong = not number or ("bool" not in self.kinds and isinstance(value, bool)) or not isfinite(value)
        elif self.kinds <= {"str", "Path", "None", "Sequence", "tuple", "Collection"}:
            wrong = not isinstance(value, str | PathLike)
        if self.choices is not None:
            wrong = wrong or value not in self.choices
        elif not wrong and (self.low is not None or self.high is not None):
            low = self.low if self.low is not None else -float("inf")
            wrong = not low <= value <= (self.high if self.high is not None else float("inf"))
        if wrong:
            known = isinstance(value, str | int | float | PathLike)
            raise UsageError(
                f"`{self.name}` must be {self._expected()}, not {repr(value) if known else type(value).__name__}."
            )

    def _expected(self) -> str:
        """Return in words what values are allowed."""
        if self.choices is not None:
            return " or ".join(", ".join(self.choices).rsplit(", ", 1))
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        if self.low is not None or self.high is not None:
            return f"{self.low:g} or more" if self.low is not None else f"at most {self.high:g}"
        if self.kinds & {"int", "float"}:
            return "a number" if "float" in self.kinds else "a whole number"
        return "true or false" if "bool" in self.kinds else "a path or a name" if "Path" in self.kinds else "a text"


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of the options of a task, or of several tasks. group: of `GROUPS`; help and documentation show it."""

    group: ClassVar[str] = "Options"

    def __init_subclass__(cls, group: str = "Options") -> None:
        super().__init_subclass__()
        cls.group = group

    def __post_init__(self) -> None:
        for name, each in declared(type(self)).items():
            value = getattr(self, name)
            kept = each.checked(value)
            if kept is not value:
                object.__setattr__(self, name, kept)
        self.check()

    def check(self) -> None:
        """Raise UsageError for options that do not go together. Every group and task adds its own rules."""

    def python(self, kind: type[Options] | None = None, **given: object) -> dict[str, object]:
        """Return the arguments for the task's Python function, or of one group; given: replaces and adds values."""
        names = [name for name, each in declared(kind or type(self)).items() if each.in_python]
        return {name: getattr(self, name) for name in names} | given

    @classmethod
    def of(cls, other: Options, **given: object) -> Self:
        """Return the options of this task as another task has them; `given` replaces values and adds to them."""
        return cls(**{name: getattr(other, name) for name in declared(cls) if hasattr(other, name)} | given)

    def record(self) -> dict[str, object]:
        """Return the options that differ from their defaults, as JSON and TOML have them: enough to repeat the run."""
        return {
            name: _plain(value)
            for name, each in declared(type(self)).items()
            if each.in_shell and each.recorded and (value := getattr(self, name)) != each.default
        }


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, PathLike) else value


def _kept(function: Callable[[type[Options]], R]) -> Callable[[type[Options]], R]:
    """Keep what a function returns for each class."""
    return cache(function)  # type: ignore[return-value]  # mypy takes a class of dataclasses for unhashable


@_kept
def declared(kind: type[Options]) -> dict[str, Option]:
    """Return the options of a task or group by name, in the order in which help shows them."""
    return {each.name: each for _, options in sections(kind) for each in options}


@_kept
def sections(kind: type[Options]) -> tuple[tuple[str, tuple[Option, ...]], ...]:
    """Return the options of a task by group, each group with its title."""
    owners: dict[str, type[Options]] = {}
    for owner in reversed(kind.__mro__):
        for name in get_annotations(owner) if issubclass(owner, Options) else ():
            owners.setdefault(name, owner)
    options = [
        Option(each.name, str(each.type), frozenset(re.findall(r"\w+", str(each.type))), each.default, **each.metadata)
        for each in dataclasses.fields(kind)
        if each.metadata
    ]
    found = ((title, tuple(each for each in options if owners[each.name].group == title)) for title in GROUPS)
    return tuple((title, group) for title, group in found if group)


# --- the Python function ------------------------------------------------------


def takes(kind: type[Options]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a function a task's options as keywords, with a signature and, below "Parameters", documentation of them."""
    options = [each for each in declared(kind).values() if each.in_python]

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        own = [each for each in signature(function).parameters.values() if each.name != "options"]
        shape = Signature([*own, *_parameters(options)], return_annotation=function.__annotations__.get("return"))
        names = {each.name for each in own}

        @wraps(function)
        def call(*arguments: object, **given: object) -> R:
            try:
                bound = shape.bind(*arguments, **given).arguments
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}") from None
            mine = {name: bound.pop(name) for name in list(bound) if name in names}
            return function(**mine, options=kind(**bound))

        call.__signature__ = shape  # type: ignore[attr-defined]
        call.__doc__ = _documented(function.__doc__ or "", options)
        call.__kwdefaults__ = None  # type: ignore[attr-defined]
        call.options = kind  # type: ignore[attr-defined]
        return call

    return decorate


def _parameters(options: Sequence[Option]) -> Iterator[Parameter]:
    for positional in (True, False):
        kind = Parameter.POSITIONAL_OR_KEYWORD if positional else Parameter.KEYWORD_ONLY
        for each in options:
            if each.positional is positional:
                default = Parameter.empty if each.required else each.default
                yield Parameter(each.name, kind, default=default, annotation=each.annotation)


def _documented(text: str, options: Sequence[Option]) -> str:
    """Return a docstring with a line on each option at the end of "Parameters"."""
    text = cleandoc(text)
    head, found, tail = text.partition("Parameters\n----------\n")
    own, _, rest = tail.partition("\n\n")
    if not found:
        head, returns, rest = f"{text}\n\n".partition("Returns\n")
        rest = (returns + rest).rstrip("\n")
    lines = "\n".join([*filter(None, [own]), *parameter_lines(options)])
    return f"{head}Parameters\n----------\n{lines}" + (f"\n\n{rest}" if rest else "")


def parameter_lines(options: Sequence[Option]) -> Iterator[str]:
    """Yield numpy's description of each option: a line with its type, and its meaning."""
    for each in sorted(options, key=lambda each: not each.positional):
        default = "" if each.required else f", default {each.default!r}"
        kind = each.annotation if each.choices is None else "{" + ", ".join(map(repr, each.choices)) + "}"
        yield f"{each.name} : {kind}{default}\n{indent(fill(each.about or each.help, 112), '    ')}"


# --- the command --------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """A command of the shell: its options, and the function that is called with them. Its docstring is the help."""

    options: type[Options]
    run: Callable[[Any], None]


def command(options: type[Options]) -> Callable[[Callable[[Any], None]], Command]:
    """Make a function that takes the options of a task the command of this task."""
    return lambda run: Command(options, run)


def configured(kind: type[Options], given: Mapping[str, object], name: str, file: str) -> dict[str, object]:
    """Return values from a configuration file by the names of options. name: of the command; file: for messages."""
    known = {key: each.name for each in declared(kind).values() if each.in_shell for key in each.keys}
    found = {}
    for key, value in given.items():
        if key == "command":
            if value != name:
                raise UsageError(f"{file} has the options of '{value}', not of '{name}'.")
            continue
        key = key.replace("-", "_")
        if key not in known:
            raise UsageError(f"{file}: {UnknownName(f'option of {name}', key, known)}")
        found[known[key]] = value
    return found
