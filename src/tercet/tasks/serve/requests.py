"""What a request may ask for: the options of a command and texts. No path of the server's disk, no code of the caller.

A request has the options of a task by name, and files: what an option of the command names as a file must be a file of
the request. Options that are in none of the sets below belong to the server, to its disk or to a terminal; the tests
list them, so that none is forgotten.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from ...errors import UnknownName, Untrusted, UsageError
from ...options import Command, Option, declared

TASKS = {  # by the address: the module, the command, and what it is for
    "score": ("tercet.tasks.score", "score", "Score outputs"),
    "compare": ("tercet.tasks.compare", "compare", "Compare systems"),
    "qe": ("tercet.tasks.qe.predict", "qe predict", "Predict the quality of outputs"),
    "check": ("tercet.tasks.check", "check", "Examine texts"),
    "explain": ("tercet.tasks.explain", "explain", "Show what metrics saw"),
}
TEXTS = {"references", "more_references", "outputs", "source", "output", "docs", "test_set", "score_files",
         "training_file", "word_labels", "extra_features"}  # fmt: skip  # files of the request
GROUPS = {"slices", "only", "buckets"}  # may name files
PLAIN = {
    "num_refs", "columns", "pair", "languages", "tokenize", "lowercase", "smooth_method", "smooth_value",
    "chrf_char_order", "chrf_word_order", "chrf_beta", "chrf_whitespace", "chrf_lowercase", "chrf_eps_smoothing",
    "ter_normalized", "ter_no_punct", "ter_asian_support", "ter_case_sensitive", "lower_is_better", "seed", "by",
    "confidence", "confidence_n", "confidence_method", "systems", "score_only", "sentence_level", "each_reference",
    "paired_bs", "paired_ar", "paired_bs_n", "paired_ar_n", "short", "form", "spreadsheet", "width", "style",
    "baseline", "tests", "resamples", "alpha", "thresholds", "top", "words", "ngrams", "details", "pairs", "full",
    "edits", "gates", "intervals", "level", "strict", "segment",
}  # fmt: skip
MOST_SAMPLES = 100_000  # resamples of a request
_NAME = re.compile(r"[^\W_][\w .,+@()#-]{0,199}")  # of a file: no folder, no drive, no "="
_VALUE = re.compile(r"[\w.+-]*")  # of a parameter of a metric that is a text


@dataclass(frozen=True)
class Allowed:
    """What the server offers beyond what is built in: metrics and models of quality estimation by name."""

    metrics: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """A request that was checked. archive: the answer is the file that `save` writes. encoders: what its metrics use"""

    task: str
    options: Mapping[str, Any]
    files: Mapping[str, bytes]
    archive: bool = False
    encoders: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))

    def pack(self) -> bytes:
        """Return the request as text, to be kept until it is answered."""
        files = {name: b64encode(data).decode() for name, data in self.files.items()}
        facts = {"task": self.task, "options": dict(self.options), "archive": self.archive}
        return json.dumps(facts | {"encoders": self.encoders, "files": files}).encode()

    @classmethod
    def unpack(cls, data: bytes) -> Request:
        known = json.loads(data)
        files = {name: b64decode(text) for name, text in known["files"].items()}
        return cls(known["task"], known["options"], files, known["archive"], tuple(known["encoders"]))


@cache
def command_of(task: str) -> Command:
    """Return the command behind an address."""
    found: Command = import_module(TASKS[task][0]).run
    return found


def accepted(task: str) -> list[Option]:
    """Return the options that a request may have, in the order of help."""
    known = TEXTS | GROUPS | PLAIN | {"metrics", "model"}
    return [each for name, each in declared(command_of(task).options).items() if each.in_shell and name in known]


@cache
def keys_of(task: str) -> dict[str, Option]:
    """Return the options that a request may have by their names, and by their long flags without dashes."""
    options = accepted(task)
    return {key: each for each in options for key in each.keys} | {each.name: each for each in options}


def build(
    task: str, given: Mapping[str, object], files: Mapping[str, bytes], allowed: Allowed, *, archive: bool = False
) -> Request:
    """Return the request that options and files mean. Raises UsageError for what a request may not have."""
    files = dict(files)
    for name in files:
        _check_name(name)
    known = {each.name: each for each in accepted(task)}
    keys = keys_of(task)
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in keys and any(key in each.keys for each in declared(command_of(task).options).values()):
            raise UsageError(f"`{key}` belongs to the computer that runs Tercet; a request cannot set it.")
        if key not in keys:
            raise UnknownName(f"option of {task}", key, keys)
        name = keys[key].name
        if value is not None:  # null: as if it were not there
            values[name] = _texts(known[name], value, files) if name in TEXTS else value
    for name in values.keys() - TEXTS - {"metrics", "model"}:
        values[name] = _plain(known[name], values[name])
    for name in GROUPS & values.keys():
        for text in values[name]:
            _check_group(name, str(text), files)
    for name in ("resamples", "confidence_n", "paired_bs_n", "paired_ar_n"):
        if isinstance(number := values.get(name), int) and number > MOST_SAMPLES:
            raise UsageError(f"`{name}` must be at most {MOST_SAMPLES:,} here.")
    if task in ("score", "compare", "explain") and not values.get("outputs") and not values.get("test_set"):
        raise UsageError('No output is given: "outputs" names texts of the request.')
    encoders: tuple[str, ...] = ()
    if "metrics" in known:
        language = str(values.get("pair") or "").rpartition("-")[2] or None
        values["metrics"], encoders = _metrics(values.get("metrics") or (), allowed, language)
    if "model" in known:
        values["model"] = _model(values.get("model", "default"), allowed)
    if missing := [name for name, each in known.items() if each.required and name not in values]:
        raise UsageError(f"`{missing[0]}` is missing.")
    values.setdefault("form", "json")
    return Request(task, values, files, archive, encoders)


def _plain(option: Option, value: object) -> object:
    """Return the value of an option that names no files: in JSON a text, a number, true, false, or a list of these."""
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, dict | list) for part in parts):
        raise UsageError(f"`{option.name}` must be a text, a number, true or false, or a list of these.")
    return parts if option.many else value


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a text: letters, digits, blanks and . , + @ ( ) # - _ are allowed, "
            "and no folders."
        )


def _texts(option: Option, value: object, files: dict[str, bytes]) -> object:
    """Return the value of an option that names files; texts that stand in its place become files."""
    if isinstance(value, Mapping):
        for name, text in value.items():
            _check_name(name)
            if name in files:
                raise UsageError(f"Two texts are called {name!r}. Their names must differ.")
            files[name] = as_file(name, text)
        value = list(value)
        if not option.many and len(value) != 1:
            raise UsageError(f"`{option.name}` is one text, and {len(value)} are given.")
    elif isinstance(value, list) and not option.many:
        return _texts(option, {option.name: value}, files)
    names = value if isinstance(value, list | tuple) else [value]
    for name in names:
        if not _is_file(name, files):
            raise UsageError(
                f"`{option.name}`: there is no text called {str(name)[:80]!r} in the request. Give texts by name, "
                f'as {{"{option.name}": {{"NAME": ["first segment", "second segment"]}}}}, or under "files".'
            )
    return names if option.many else names[0]


def _is_file(name: object, files: Mapping[str, bytes]) -> bool:
    """Tell whether a name is that of a file of the request: FILE, NAME=FILE or FILE:COLUMN."""
    if not isinstance(name, str):
        return False
    path, _, column = name.partition(":")
    return name in files or name.partition("=")[2] in files or (path in files and "/" not in column)


def as_file(name: str, text: object) -> bytes:
    """Return a text, or a list of segments, as the contents of a file."""
    if isinstance(text, list):
        for number, segment in enumerate(text, 1):
            if not isinstance(segment, str) or "\n" in segment:
                kind = "has a line break" if isinstance(segment, str) else "is not a text"
                raise UsageError(f"Segment {number} of {name!r} {kind}.")
        text = "".join(f"{segment}\n" for segment in text)
    if not isinstance(text, str):
        raise UsageError(f"The text {name!r} must be a list of segments, or one text with a line for each.")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"The text {name!r} has half of a character (a lone surrogate).") from None


def _check_group(name: str, text: str, files: Mapping[str, bytes]) -> None:
    kind, colon, path = text.partition(":")
    if colon and not (kind.endswith("terms") and path in files):
        raise UsageError(f"`{name}` {text[:80]}: after terms: stands a text of the request, and nothing else is named.")


def _metrics(specs: object, allowed: Allowed, language: str | None) -> tuple[list[str], tuple[str, ...]]:
    """Return the metrics, and the encoders that they use for outputs in a language."""
    from ...metrics import create

    specs = [specs] if isinstance(specs, str) else specs
    if not isinstance(specs, list | tuple) or not all(isinstance(spec, str) for spec in specs):
        raise UsageError("`metrics` must be a list of names.")
    found = []
    for spec in specs:
        if spec not in allowed.metrics:
            _check_metric(spec)
        found.append(allowed.metrics.get(spec, spec))
    encoders = {getattr(create(spec).resolved(language), "encoder", None) for spec in found}
    return found, tuple(sorted(name for name in encoders if name))


def _check_metric(spec: str) -> None:
    """Refuse a metric that would read the server's disk, run code, or send texts elsewhere."""
    from ...metrics import create_from_file, metric_class, names, take_apart

    refusal = f"{spec[:80]!r} names a file, code or a service. The server's operator can offer it under a name."
    if ".toml" in spec:
        raise UsageError(refusal)
    if "|" in spec:
        if set(spec) & set("/\\~") or spec.partition("|")[0].endswith(".py"):
            raise UsageError(refusal)
    else:
        name, stated = take_apart(spec)
        if not re.fullmatch(r"[\w+-]+", name):
            raise UsageError(refusal)
        if name in names():
            known = {each.name: each for each in metric_class(name).parameters()}
            for part in filter(None, stated.split(",")):
                key, _, value = part.partition("=")
                each = known.get(key.strip())
                if each is None or each.choices or not each.kinds & {"str", "Path"} or (key, name) == ("of", "mean"):
                    continue
                if each.local or each.secret or not _VALUE.fullmatch(value.strip()):
                    raise UsageError(refusal)
    try:
        metric = create_from_file(spec, "The request")
    except Untrusted:
        raise UsageError(refusal) from None
    for each in metric.parameters():
        path = each.path(getattr(metric, each.name))
        if path is not None and not path.is_absolute():  # those of data sets are absolute
            raise UsageError(refusal)
    for member in metric.named_metrics():
        _check_metric(member)


def _model(name: object, allowed: Allowed) -> str:
    if not isinstance(name, str) or (name != "default" and name not in allowed.models):
        offered = ", ".join(["default", *allowed.models])
        raise UsageError(f"There is no model {str(name)[:80]!r} here. The server has: {offered}.")
    return allowed.models.get(name, "default")


# --- the body of a request ----------------------------------------------------


def read_json(body: bytes) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return the options and the files of a JSON object."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("The body is not JSON.") from None
    if not isinstance(given, dict):
        raise UsageError("The body must be a JSON object with the options of the command.")
    files = given.pop("files", {})
    if not isinstance(files, dict):
        raise UsageError('"files" must be an object: texts by name.')
    return given, {name: _file(name, text) for name, text in files.items()}


def _file(name: str, text: object) -> bytes:
    if isinstance(text, dict) and set(text) == {"base64"} and isinstance(text["base64"], str):
        try:
            return b64decode(text["base64"], validate=True)
        except ValueError:
            raise UsageError(f"The file {name!r} is not base64.") from None
    return as_file(name, text)


def read_form(task: str, body: bytes, content_type: str) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return options and files of a form: files by the option of their field; text.OPTION is typed into a page."""
    known = keys_of(task)
    options: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for name, filename, data in _parts(body, content_type):
        typed = name.removeprefix("text.")
        if filename or typed != name:
            if not data.strip():
                continue  # a field of the page that was left empty
            place = (filename or typed).replace("\\", "/").rpartition("/")[2]
            if files.get(place, data) != data:
                raise UsageError(f"Two texts are called {place!r}. Their names must differ.")
            files[place] = data.replace(b"\r\n", b"\n") if typed != name else data
            value: Any = place
        else:
            value = data.decode("utf-8", "replace")
            if not value:
                continue
            if name in known:
                flag = "bool" in known[name].kinds and value.lower() in ("true", "false")
                value = value.lower() == "true" if flag else known[name].read(value)
        option = known.get(typed)
        if option is not None and option.many:
            values = value.split() if option.name == "metrics" else [value]
            options.setdefault(option.name, []).extend(values)
        else:
            options[typed] = value
    return options, files


def _parts(body: bytes, content_type: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield name, file name and contents of each part of multipart/form-data."""
    found = re.search(r'boundary="?([^";,]{1,70})', content_type)
    if found is None:
        raise UsageError("The form has no boundary.")
    mark = b"\r\n--" + found[1].encode("latin-1", "replace")
    pieces: Sequence[bytes] = (b"\r\n" + body).split(mark)
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise UsageError("The form is cut off.")
    if len(pieces) > 1000:
        raise UsageError("The form has too many fields.")
    for piece in pieces[1:-1]:
        head, blank, data = piece.partition(b"\r\n\r\n")
        about = head.decode("utf-8", "replace")
        name = re.search(r'[;\s]name="([^"]*)"', about)
        if not blank or name is None:
            raise UsageError("A field of the form has no name.")
        filename = re.search(r'filename="([^"]*)"', about)
        yield name[1], filename[1] if filename else "", data
