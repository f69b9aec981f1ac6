"""Commands of click, made from the options of tasks."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..errors import DataError, TercetError, UnknownName, Untrusted, UsageError
from ..options import Command, Option, Options, configured, declared, sections
from .console import OPTIONS, SPREADSHEET, use_flags

CONFIG = "config_file"
F = TypeVar("F", bound=Callable[..., Any])
METRICS = ("metrics", "metric", "features", "spec", "signature")  # options that name metrics
PARSERS = ("parser", "backend")
RESERVED = {  # options that no configuration file may set, with the reason
    **dict.fromkeys(("trust_features", "allow_network", "allow_download", "trust_pickle"), "only you can allow"),
    **dict.fromkeys(("cluster", "server"), "reaches another computer"),
    "token": "is a secret",
}
GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.PROMPT)


ENDINGS = {".json": "json", ".tsv": "tsv", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html"}
UNWRITTEN = (".xlsx", ".xls", ".ods", ".docx", ".pdf", ".png")
# Flags of sacreBLEU with one dash and several letters, which a command may not have.
SACREBLEU = {"-sl", "-sh", "-lc", "-tok", "-nr", "-ci", "-cin", "-pbs", "-par", "-pbsn", "-parn", "-sv", "-cc", "-cw"}


def _expand(args: list[str], many: set[str], taking: set[str]) -> list[str]:
    """Return the words with the name of an option before each of its values. taking: options that take a value.

    A list of values ends at the next option, at `--`, or, for -m, at a word that is an existing file and no metric:
    `-i out.txt -m bleu chrf ref.txt` scores against ref.txt.
    """
    expanded: list[str] = []
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*expanded, word, *rest]
        expanded.append(word)
        if word not in many:
            expanded += [rest.pop(0)] if word in taking and rest else []
            continue
        first = True
        while rest and (not rest[0].startswith("-") or rest[0] == "-"):
            if not first and word in ("-m", "--metric", "--metrics") and _is_file_not_metric(rest[0]):
                break
            expanded += [rest.pop(0)] if first else [word, rest.pop(0)]
            first = False
    return expanded


def _is_file_not_metric(word: str) -> bool:
    from ..metrics import names

    if word.endswith((".py", ".toml")):  # a metric of the user's own
        return False
    try:
        return word.partition(":")[0].lower() not in names() and Path(word).exists()
    except OSError:
        return False  # a name that no file can have


class TaskCommand(click.Command):
    """The command of a task: its options in groups, and a configuration file that may have any of them.

    name: all words of it, as "kb info". Options whose metavar ends in "..." take several values: -i A B C is
    -i A -i B -i C.
    """

    def __init__(self, name: str, task: Command) -> None:
        self.task, self.title = task, name
        params = [each for declaration in declared(task.options).values() for each in _parameters(declaration)]
        params.sort(key=lambda each: isinstance(each, click.Argument) and each.nargs == -1)  # it takes the rest
        config = click.Option(
            ["--config", CONFIG], metavar="FILE",
            help="Read options from this file: TOML, or the JSON of an earlier run. Those given here replace them.",
        )  # fmt: skip
        super().__init__(name.split()[-1], params=[*params, config], callback=self._run, help=task.run.__doc__)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        group_of = {each.name: title for title, options in sections(self.task.options) for each in options}
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title, _ in sections(self.task.options)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and record[1]:
                groups.setdefault(group_of.get(parameter.name or "", "Run"), []).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        use_flags(self.task.options)
        options = [parameter for parameter in self.params if isinstance(parameter, click.Option)]
        many = {name for option in options if (option.metavar or "").endswith("...") for name in option.opts}
        taking = {name for option in options if not option.is_flag and not option.count for name in option.opts}
        # Click would read -sl as -s with the value "l".
        unknown = SACREBLEU - {name for option in options for name in option.opts}
        for word in takewhile(lambda word: word != "--", args):
            if word in unknown:
                raise click.NoSuchOption(word, ctx=ctx)
        return super().parse_args(ctx, _expand(args, many, taking))

    def _run(self, **given: Any) -> None:
        context = click.get_current_context()
        path = given.pop(CONFIG)
        if path is not None:
            read = read_config(path, self.task.options, self.title)
            read = {name: value for name, value in read.items() if context.get_parameter_source(name) not in GIVEN}
            check_trust(read, path, trust_features=bool(given.get("trust_features")))
            given |= read
        for each in declared(self.task.options).values():
            if each.required and given.get(each.name) in (None, ()):
                raise click.MissingParameter(ctx=context, param=next(p for p in self.params if p.name == each.name))
        options = self.task.options(**{name: value for name, value in given.items() if value is not None})
        if getattr(options, "quiet", False):
            from .console import hush

            hush()
        run_task(self.task, self.title, options, context)


def run_task(task: Command, title: str, options: Options, context: click.Context) -> None:
    """Run a command. title: all words of it; JSON results have it, with the options."""
    context.meta[SPREADSHEET] = getattr(options, "spreadsheet", False)
    context.meta[OPTIONS] = {"command": title, **options.record()}
    task.run(options)


class TaskGroup(click.Group):
    """The commands of a group such as `qe`: COMMANDS of its module, imported when they are called."""

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, help=_without_title(module.__doc__))
        self.home, self.known = module.__name__, module.COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.known)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        found, title = self.known.get(name), f"{self.name} {name}"
        if isinstance(found, Command):
            return with_output(TaskCommand(title, found))
        if found is None:
            raise UnknownName(f"command of {self.name}", name, self.known)
        return from_task(title, f"{self.home}.{name.replace('-', '_')}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _line(found)) for name, found in self.known.items()])


def _without_title(text: str | None) -> str:
    """Return the docstring of a module as help, without the name of the command that it begins with."""
    help = (text or "").partition("`: ")[2] or text or ""
    return help[:1].upper() + help[1:]


def _line(found: Command | str) -> str:
    """Return the line of help on a command: the first sentence of its docstring."""
    if isinstance(found, str):
        return found
    return " ".join((found.run.__doc__ or "").split()).partition(". ")[0].removesuffix(".") + "."


def from_task(name: str, home: str) -> click.Command:
    """Return the command or the group of commands that a module has."""
    module = import_module(home)
    if isinstance(run := getattr(module, "run", None), click.Command):  # one with a parser of its own
        return run
    return TaskGroup(name, module) if hasattr(module, "COMMANDS") else with_output(TaskCommand(name, module.run))


def _parameters(declaration: Option) -> Iterator[click.Parameter]:
    """Yield the parameters of click for an option: none if only Python has it, several if other flags set it too."""
    if not declaration.in_shell:
        return
    name = declaration.name
    if not declaration.flags:
        nargs, kind = -1 if declaration.many else 1, _Value(declaration)
        yield click.Argument([name], nargs=nargs, required=False, metavar=declaration.metavar, type=kind)
        return
    for flag, (value, help) in declaration.also.items():
        yield click.Option([flag, name], flag_value=value, help=help)
    default = None if declaration.required or declaration.default == () else declaration.default
    if declaration.many and default is not None and not isinstance(default, tuple):
        default = (str(default),)
    settings: dict[str, Any] = {"help": help_of(declaration), "hidden": declaration.hidden, "default": default}
    if declaration.is_flag:
        settings["is_flag"] = True
    else:
        settings |= {"type": _Value(declaration), "metavar": metavar_of(declaration), "envvar": declaration.env}
        settings |= {"nargs": declaration.nargs} if declaration.nargs else {"multiple": declaration.many}
    yield click.Option([*declaration.flags, name], **settings)


class _Value(click.ParamType[Any]):
    """A value of an option, read by its declaration."""

    def __init__(self, declaration: Option) -> None:
        self.declaration, self.name = declaration, "text"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        return self.declaration.read(value) if isinstance(value, str) else value


def metavar_of(declaration: Option) -> str:
    """Return what stands for the value in help."""
    if declaration.metavar is not None:
        return f"{declaration.metavar}..." if declaration.several else declaration.metavar
    if declaration.choices is not None:
        return f"[{'|'.join(declaration.choices)}]"
    if "str" in declaration.kinds:
        return "TEXT"
    return "FLOAT" if "float" in declaration.kinds else "INTEGER" if "int" in declaration.kinds else "TEXT"


def help_of(declaration: Option) -> str:
    """Return the help, with the default if it says nothing of it."""
    default = declaration.default
    if declaration.is_flag or declaration.required or default in (None, (), "") or "[default" in declaration.help:
        return f"{declaration.help} [required]" if declaration.required else declaration.help
    shown = " ".join(map(str, default)) if isinstance(default, tuple) else str(default)
    return f"{declaration.help} [default: {shown}]".lstrip()


def read_config(path: str, kind: type[Options], name: str) -> dict[str, Any]:
    """Return the options that a file has for a command: TOML, or JSON that a run has written."""
    from ..data.lines import read_lines

    parser = import_module("tomllib" if path.lower().endswith(".toml") else "json")
    try:
        found = parser.loads("\n".join(read_lines(path)))
    except ValueError as error:
        raise DataError(f"{path}: {error}.") from None
    if isinstance(found, list):
        found = next((each for each in found if isinstance(each, Mapping)), {})
    if not isinstance(found, Mapping):
        raise DataError(f"{path} has no options: a table of names and values is needed.")
    if parser.__name__ == "json":
        found = found.get("options")
        if not isinstance(found, Mapping):
            raise DataError(f'{path} has no options. JSON results of this version have them below "options".')
    return configured(kind, found, name, path)


def check_trust(read: Mapping[str, object], path: str, *, trust_features: bool) -> None:
    """Raise Untrusted for options that only the user may give, and not a file, which may be somebody else's."""
    from ..language.backends import loads_folder
    from ..metrics import check_configured

    for name, value in read.items():
        values = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
        reason = RESERVED.get(name, "")
        if name in PARSERS and not trust_features and any(map(loads_folder, values)):
            reason = "names a folder that could hold code"
        if name == "database" and any("://" in each for each in values):
            reason = "reaches another computer"
        if reason and value:
            raise Untrusted(f"{path} sets `{name}`, which {reason}. Give it on the command line.")
        for spec in values if name in METRICS else ():
            try:
                check_configured(spec, path, trust_features=trust_features)
            except Untrusted as error:
                raise Untrusted(f"{str(error).partition('. ')[0]}. Give this metric on the command line.") from None
            except TercetError:  # no metric: the command says what is wrong
                continue


def with_output(command: click.Command) -> click.Command:
    """Return the command with `-o FILE`, unless it has one. The file appears whole, or not at all if it fails."""
    taken = {name for parameter in command.params for name in parameter.opts}
    if "-o" in taken or command.callback is None:
        return command
    names = ["-o", "output_file"] if "--output" in taken else ["-o", "--output", "output_file"]
    command.params.append(click.Option(names, metavar="FILE", help="Write here instead of to standard output."))
    command.callback = _writing_to_file(command.callback)
    return command


def _form_of(path: str, form: object) -> object:
    """Return the form of a result in this file: as asked for, or the one that the file's ending names."""
    context, ending = click.get_current_context(), Path(path).suffix.lower()
    if ending in UNWRITTEN:
        raise UsageError(
            f"{path}: results are not written as {ending}. Write -o {Path(path).with_suffix('.csv')}, which a "
            "spreadsheet opens, or .html for a page."
        )
    types = [each.type for each in context.command.params if each.name == "form"]
    choices = [form for each in types if isinstance(each, _Value) for form in each.declaration.choices or ()]
    named = ENDINGS.get(ending)
    given = context.get_parameter_source("form") not in (None, ParameterSource.DEFAULT)
    return form if given or named not in choices else named


def _writing_to_file(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def run(*arguments: object, output_file: str | None = None, **values: object) -> Any:
        if output_file is None or output_file == "-":
            return callback(*arguments, **values)
        from contextlib import redirect_stdout

        from ..data.files import writing

        if "form" in values:
            values["form"] = _form_of(output_file, values["form"])
        leaving = None
        with writing(output_file) as stream, redirect_stdout(stream):
            try:
                callback(*arguments, **values)
            except SystemExit as left:  # a gate that fails has printed its table
                leaving = left
        if leaving is not None:
            raise leaving

    return run
