"""Metrics that a file asks for: a model's features, saved scores, a signature. Files may come from strangers.

A file may name metrics of the package and installed entry points, with the parameters that belong to a metric. Only the
user may allow what runs code (a metric in a Python file, a parser or a checkpoint in a folder) or sends texts to a
service, and no file sets what belongs to this computer: keys, folders to write to, downloads, pickles.
"""

from dataclasses import replace

from ..errors import Untrusted
from ..language.backends import loads_folder
from ._contract import Metric
from ._registry import create, take_apart

PERMISSIONS = ("trust_features", "allow_network", "allow_download", "trust_pickle")
_ALLOW = (
    "If you trust it, allow this with the option {0} (of a model: learned:model=FILE,{0}=true; of a combination: "
    "FILE.toml:{0}=true)."
)


def check_configured(spec: str, place: str, *, trust_features: bool = False) -> None:
    """Raise Untrusted if a configuration file asks for a metric that runs code, uses a service or has a permission."""
    if not trust_features and (path := _code_file(spec)):
        raise _untrusted(place, f"{path}, which is a file with code and would be run", "trust_features")
    metric = create(spec)
    usual = {parameter.name: parameter.default for parameter in metric.parameters()
            if parameter.local and parameter.name not in PERMISSIONS}  # fmt: skip
    check_from_file(replace(metric, **usual), place, trust_features=trust_features)


def create_from_file(spec: str, place: str, *, trust_features: bool = False, allow_network: bool = False) -> Metric:
    """Return the metric that a file asks for.

    place: the file, for messages. trust_features: let it run code in files that it names. allow_network: let it send
    texts to the services that it names; they never get a key.
    """
    if not trust_features and (path := _code_file(spec)):
        raise _untrusted(place, f"{path}, which is a file with code and would be run", "trust_features")
    return check_from_file(create(spec), place, trust_features=trust_features, allow_network=allow_network)


def check_from_file(metric: Metric, place: str, *, trust_features: bool = False, allow_network: bool = False) -> Metric:
    """Return a metric made from what a file says, without its secrets; raise Untrusted for what needs permission."""
    for parameter in metric.parameters():
        value = getattr(metric, parameter.name)
        usual = type(metric).registered_values.get(parameter.name, parameter.default)
        if parameter.local and not parameter.secret and value != usual:
            raise Untrusted(
                f"{place} sets {parameter.name} of {metric.name}, which belongs to this computer. Only you can set it."
            )
        if not trust_features and isinstance(value, str) and loads_folder(value.removeprefix("vectors:")):
            raise _untrusted(place, f"{value}, which is a folder that could hold code", "trust_features")
    if metric.runs_code and not trust_features:
        raise _untrusted(place, f"{metric.name}, whose models are programs", "trust_features")
    secrets = [parameter.name for parameter in metric.parameters() if parameter.secret]
    if (metric.uses_network or secrets) and not allow_network:
        raise _untrusted(place, f"{metric.name}, which sends texts to a service", "allow_network")
    permissions = {"trust_features": trust_features, "allow_network": allow_network}
    for spec in metric.named_metrics():
        if create_from_file(spec, place, **permissions).uses_network:  # it would be made again, with its key
            raise Untrusted(f"{place} asks for a service inside {metric.name}, which nothing allows.")
    passed = {parameter.name: permissions[parameter.name] for parameter in metric.parameters()
              if parameter.name in permissions}  # fmt: skip
    changes = {**passed, **dict.fromkeys(secrets, "")}
    return replace(metric, **changes) if changes else metric


def needs_trust(spec: str) -> str:
    """Return the parameter that somebody else needs to allow in order to use a metric from a file; empty if none."""
    for allowed in ({}, {"trust_features": True}, {"allow_network": True}):
        try:
            create_from_file(spec, "", **allowed)
        except Untrusted:
            continue
        return " and ".join(allowed)
    return "trust_features and allow_network"


def _code_file(spec: str) -> str:
    """Return the Python file that a spec names; empty if it names none."""
    name = "" if "|" in spec else take_apart(spec).name
    return name.rpartition(".py")[0] + ".py" if ".py" in name else ""


def _untrusted(place: str, what: str, parameter: str) -> Untrusted:
    return Untrusted(f"{place} asks for {what}. {_ALLOW.format(parameter)}")
