"""Finding metrics: files in folders of families, entry points (`tercet.metrics`) of other packages, files of users."""

import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ..errors import TercetError, UnknownName, UsageError
from ._contract import Metric

_FILE = re.compile(r"(?P<path>.+?\.(?:py|(?P<toml>toml)))(?::(?P<object>[^\W\d]\w*))?(?::(?P<given>.*))?", re.DOTALL)
# How metrics are written that people know by these names.
_WRITTEN = {
    "chrf2": "chrf", "chrf+": "chrf:word_order=1", "chrf2+": "chrf:word_order=1", "chrf++": "chrf:word_order=2",
    "chrf2++": "chrf:word_order=2", "spbleu": "bleu:tokenize=flores200", "sacrebleu": "bleu",
    "bert-score": "bertscore", "bert_score": "bertscore", "gemba": "judge",
    "hter": "ter, with the post-edit as reference",
    "xcomet": "comet:model=Unbabel/XCOMET-XL,allow_download=true, or comet:model=FOLDER",
    "cometkiwi": "comet:model=Unbabel/wmt22-cometkiwi-da,allow_download=true, or comet:model=FOLDER",
}  # fmt: skip


class _Asked(NamedTuple):
    """A spec taken apart: "chrf" or "path/file.py:Class", and the text of its parameters."""

    name: str
    given: str


def names() -> tuple[str, ...]:
    """Return the names of all metrics: ours, and those of other packages."""
    return tuple(sorted({*_ours(), *_plugins()}))


@cache
def _ours() -> dict[str, str | Path]:
    """Return the modules of this package's metrics, and the TOML files of combinations. Nothing is imported."""
    here = Path(__file__).parent
    modules = [path for path in here.glob("*/[!_]*.py") if path.parent.name != "bases"]
    files = {path.stem: path for path in here.glob("combined/*.toml")}
    return {path.stem: f".{path.parent.name}.{path.stem}" for path in modules} | files


@cache
def _plugins() -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow to import and seldom needed

    return {point.name: point for point in entry_points(group="tercet.metrics")}


def find(name: str) -> Any:
    """Return what a name means: a metric class, a metric, or a function; only its own file is imported."""
    if found := _ours().get(name):
        return _combination(found) if isinstance(found, Path) else _only_metric(import_module(found, __package__))
    if name in _plugins():
        found = _plugins()[name].load()
        return _registered(_only_metric(found) if inspect.ismodule(found) else found, name)
    if match := _FILE.fullmatch(name):
        path = Path(match["path"])
        return _combination(path, match["object"]) if match["toml"] else _from_file(name, path, match["object"])
    if name == "external":
        from ._external import ExternalMetric

        return ExternalMetric
    if "," in name:
        raise UsageError(f"Metrics are separated by blanks, not by commas: {name.replace(',', ' ')}")
    if name in _WRITTEN:
        raise UsageError(f"There is no metric called {name!r}. Write {_WRITTEN[name]}.")
    if len(name) < 100 and Path(f"{name}.py").is_file():  # longer names can be none of files
        raise UsageError(f"There is no metric called {name!r}. For one in a file of your own write {name}.py:NAME.")
    raise UnknownName("metric", name, names(), listed_by="tercet metrics")


def metric_class(name: str) -> type[Metric]:
    """Return the metric class behind a name."""
    found = find(name)
    if isinstance(found, type):
        return found
    if isinstance(found, Metric):
        return type(found)
    from ._functions import FunctionMetric

    return FunctionMetric


def create(spec: str | Metric) -> Metric:
    """Return the metric that a string means; a metric is returned as it is.

    Strings: a name with parameters ("chrf:word_order=2,beta=3"), a signature ("BLEU|nrefs:1|…"), or a class, a metric
    or a function in a file ("path/file.py:Class:alpha=2").

    Examples
    --------
    >>> from tercet.metrics import create
    >>> create("chrf:word_order=2").label
    'chrF2++'
    """
    if isinstance(spec, Metric):
        return spec
    if isinstance(spec, type) and issubclass(spec, Metric):
        return spec()
    if not isinstance(spec, str):
        raise UsageError(f'A metric is asked for by a text, as "bleu" or "chrf:word_order=2", not {spec!r}.')
    if "|" in spec:
        return _from_signature(spec)
    asked = take_apart(spec)
    found = find(asked.name)
    if callable(found) and not isinstance(found, type | Metric):
        from ._functions import from_function

        return from_function(asked.name, asked.given, found)
    cls = found if isinstance(found, type) else type(found)
    values = _values(cls, asked)
    made: Metric = found(**values) if isinstance(found, type) else replace(found, **values)
    return made


def take_apart(spec: str) -> _Asked:
    """Split a spec into the name of the metric and the text of its parameters."""
    if match := _FILE.fullmatch(spec.strip()):
        name = match["path"] + (f":{match['object']}" if match["object"] else "")
        return _Asked(name, match["given"] or "")
    name, _, given = spec.partition(":")
    return _Asked(name.strip().lower(), given)


def _values(cls: type[Metric], asked: _Asked) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in cls.parameters()}
    values: dict[str, Any] = {}
    for part in filter(None, asked.given.split(",")):
        key, equals, text = part.partition("=")
        key = key.strip()
        if key not in known:
            raise UnknownName(f"parameter of {asked.name}", key, known)
        if not equals:
            raise UsageError(f"{asked.name}: parameter {key} has no value; write {key}=VALUE.")
        if key in values:
            raise UsageError(f"{asked.name}: parameter {key} is given twice.")
        values[key] = known[key].read(asked.name, text.strip())
    return values


def parse_signature(signature: str) -> tuple[str, dict[str, str]]:
    """Return label and items of a signature with long keys (`tasks/verify` reads the short ones)."""
    label, *parts = signature.strip().split("|")
    items = {}
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon:
            raise UsageError(f"{signature!r} is not a signature: {part!r} should be KEY:VALUE.")
        items[key] = value
    return label, items


def _plugin_with(label: str) -> Metric | None:
    """Return another package's metric with this label; it may have any."""
    for name in _plugins():
        try:
            found = create(name)
        except TercetError:  # one that needs a parameter, or is broken
            continue
        if found.label == label:
            return found
    return None


def _from_signature(signature: str) -> Metric:
    label, items = parse_signature(signature)
    name = label.lower().replace("-", "_")  # Cobalt-F is cobalt_f
    if name not in names():
        if plugin := _plugin_with(label):
            return replace(plugin, **plugin.values_in(items))
        # chrF2++ names its beta and word order; the file is chrf.
        name = re.sub(r"[^a-z_].*", "", label.lower())
    cls = metric_class(name)
    try:
        return cls.from_signature(label, items)
    except (KeyError, ValueError) as error:
        raise UsageError(f"{signature!r} is not a signature of {name}: {error}.") from None


def _only_metric(module: ModuleType, place: object = None) -> type[Metric]:
    """Return the metric class that a module defines. place: how the user wrote the file."""
    place = place or getattr(module, "__file__", None) or module.__name__
    own = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    found = [cls for cls in own if isinstance(cls, type) and issubclass(cls, Metric) and cls.__name__[0] != "_"]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"{place} defines no metric.")
    listed = ", ".join(f"{place}:{cls.__name__}" for cls in found)
    raise UsageError(f"{place} defines {len(found)} metrics. Say which one: {listed}.")


def _combination(path: Path, wanted: str | None = None) -> type[Metric]:
    """Return the metric that a TOML file declares. wanted: its class, as pickles name it."""
    from ._combinations import combination

    made = combination(path)
    if wanted not in (None, made.__name__):
        raise UsageError(f"{path}: parameter {wanted} has no value; write {wanted}=VALUE.")
    return made


def _registered(found: object, name: str) -> object:
    """Return what an entry point names; its class remembers the name, since its module's is another."""
    cls = found if isinstance(found, type) else type(found)
    if issubclass(cls, Metric):
        if not cls.__module__.startswith("tercet.") and not cls.__dict__.get("registered_file"):
            cls.registered_name = name
            values = () if isinstance(found, type) else cls.parameters()
            cls.registered_values = {each.name: getattr(found, each.name) for each in values}
        return found
    if callable(found) and not isinstance(found, type):
        return found
    raise UsageError(f"{name} is no metric, and no function that gives one: {found!r}.")


def _from_file(name: str, path: Path, wanted: str | None) -> object:
    if not path.is_file():
        raise UsageError(f"There is no file {path}. A metric of your own is asked for as path/to/file.py:Class.")
    from ..data.files import file_checksum

    module = _load_file(path.absolute(), file_checksum(path))
    if wanted is None:
        found: Any = _only_metric(module, path)
    elif not hasattr(module, wanted):
        own = [name for name, each in vars(module).items() if getattr(each, "__module__", None) == module.__name__]
        raise UnknownName(f"metric in {path}", wanted, own)
    else:
        found = getattr(module, wanted)
    cls = found if isinstance(found, type) else type(found)
    if issubclass(cls, Metric) and cls.__module__ == module.__name__ and not cls.__dict__.get("registered_name"):
        cls.registered_file, cls.registered_name = str(path.absolute()), f"{path}:{cls.__name__}"
    return _registered(found, name)


@cache
def _load_file(path: Path, checksum: str) -> ModuleType:
    """Import a file under a name of its own; again when it has changed."""
    from importlib.util import module_from_spec, spec_from_file_location

    name = f"tercet_metric_{path.stem}_{checksum}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be read as Python.")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    sys.path.insert(0, str(path.parent))  # the file may import its neighbours
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # whatever a file does when it is imported, sys.exit too
        del sys.modules[name]
        place = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        hint = ". Metrics are declared with @dataclass(frozen=True)" if "non-frozen dataclass" in str(error) else ""
        raise UsageError(f"{path}{place} cannot be loaded: {type(error).__name__}: {error}{hint}") from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def rebuild(name: str, values: Mapping[str, Any]) -> Metric:
    """Return a metric of a user's file in another process. See `Metric.__reduce__`."""
    return metric_class(name)(**values)
