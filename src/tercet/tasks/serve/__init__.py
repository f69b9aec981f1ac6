"""`tercet serve`: scoring over HTTP, for programs in any language and for people with a browser."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from ...errors import UsageError
from ...options import Options, command, option, shell_option, takes
from ...options.groups import Listening

SCOPES = "score, compare, qe, check, explain, metrics (the numbers), all"


@dataclass(frozen=True, kw_only=True)
class Access(Listening):
    """Where the server listens, and who may ask."""

    tokens: str | None = option(
        None, "--tokens", metavar="FILE", help="Answer only callers with a token of this file. Needed with --host."
    )
    new_token: str | None = shell_option(
        None, "--new-token", metavar="NAME", help="Make a token for NAME in the file of --tokens, print it, and stop."
    )
    scopes: Sequence[str] = shell_option(
        ("all",), "--scope", metavar="SCOPE", help=f"What a new token is for; repeat for more: {SCOPES}."
    )


@dataclass(frozen=True, kw_only=True)
class Bounds(Options):
    """Limits."""

    workers: int = option(1, "-j", "--workers", low=1, high=256, help="Processes; each loads its own models.")
    queue: int = option(64, "--queue", low=1, help="Requests that may wait; others are told when to come back (429).")
    size: float = option(32, "--size", low=0.001, high=1024, metavar="MB", help="Largest request.")
    time: float = option(600, "--time", low=0.1, metavar="SECONDS", help="Longest time for one request.")
    memory: float = option(4, "--memory", low=0, metavar="GB", help="Most memory of one process; 0: no limit.")
    keep: float = option(24, "--keep", low=0, metavar="HOURS", help="How long results of jobs are kept.")


@dataclass(frozen=True, kw_only=True)
class ServeOptions(Bounds, Access):
    """Options of `serve`."""

    metrics: Sequence[str] = option(
        (), "--metric", metavar="NAME=METRIC",
        help="Offer a metric that uses files of this computer, as da=comet:model=/models/da. Repeat for more.",
    )  # fmt: skip
    models: Sequence[str] = option(
        (), "--model", metavar="NAME=FILE", help="Offer a model of quality estimation besides 'default'."
    )
    folder: str | None = option(
        None, "--folder", metavar="DIR",
        help="Where jobs are kept, so that they outlive the server. [default: a new folder, deleted at the end]",
    )  # fmt: skip
    cache: str | None = option(
        None, "--cache", metavar="DIR",
        help="Counts that all callers share, at most 2 GB. [default: none; the same texts are counted again]",
    )  # fmt: skip


@command(ServeOptions)
def run(options: ServeOptions) -> None:
    """Serve score, compare, qe, check and explain over HTTP until stopped with Ctrl-C.

    \b
    tercet serve
    tercet serve --tokens tokens.json --new-token ci --scope score
    tercet serve --host 0.0.0.0 --tokens tokens.json --folder jobs --workers 4
    """
    if options.new_token is not None:
        from .callers import new_token

        if options.tokens is None:
            raise UsageError("`new_token` needs the file of tokens: `tokens` FILE.")
        click.echo(new_token(Path(options.tokens), options.new_token, options.scopes))
        return

    def started(address: str) -> None:
        click.echo(f"Serving at {address} (stop with Ctrl-C).", err=True)

    serve(**options.python(started=started))


@takes(ServeOptions)
def serve(*, options: ServeOptions) -> None:
    """Serve score, compare, qe, check and explain over HTTP until interrupted.

    Returns
    -------
    None : when the server was stopped by Ctrl-C or a signal.

    Examples
    --------
    >>> import tercet
    >>> try:
    ...     tercet.serve(host="0.0.0.0")
    ... except tercet.TercetError as error:
    ...     print(error)
    At 0.0.0.0 others can reach the server: give `tokens` FILE. A token is made with `new_token` NAME.
    """
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    from ...human.web_pages import listen, run_server
    from .queueing import Limits
    from .requests import Allowed
    from .server import create_service

    if options.host not in ("127.0.0.1", "localhost", "::1") and options.tokens is None:
        raise UsageError(
            f"At {options.host} others can reach the server: give `tokens` FILE. A token is made with `new_token` NAME."
        )
    allowed = Allowed(_named("metrics", options.metrics), _named("models", options.models))
    _check_offers(allowed.metrics, allowed.models)
    with ExitStack() as opened:
        folder = options.folder or opened.enter_context(TemporaryDirectory(prefix="tercet-serve-"))
        Path(folder).mkdir(parents=True, exist_ok=True)
        cache = Path(options.cache).absolute() if options.cache else None
        tokens = Path(options.tokens) if options.tokens else None
        if tokens is not None and not tokens.is_file():
            raise UsageError(f"There is no file {tokens}. A token is made with `new_token` NAME.")
        size, memory = round(options.size * (1 << 20)), round(options.memory * (1 << 30))
        limits = Limits(options.workers, options.queue, size, options.time, memory, options.keep)
        app = create_service(Path(folder).absolute(), limits=limits, cache=cache, tokens=tokens, allowed=allowed)
        listening, address = listen(options.host, options.port)
        opened.enter_context(listening)
        _log_as_json()
        if options.started is not None:
            options.started(address)
        run_server(app, listening, behind_proxy=options.behind_proxy)


def _named(option: str, given: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.replace("-", "_").isidentifier() or not value:
            raise UsageError(f"`{option}` {text}: write NAME=VALUE, with letters, digits, - and _ in the name.")
        found[name] = value
    return found


def _check_offers(metrics: Mapping[str, str], models: Mapping[str, str]) -> None:
    """Refuse at the start what no request could use."""
    from ...metrics import create

    for spec in metrics.values():
        create(spec)
    for name, path in models.items():
        if not Path(path).is_file():
            raise UsageError(f"`models` {name}: there is no file {path}.")


class _AsJson(logging.Formatter):
    """A line of JSON for each record: time, level, message, facts. No text of a request is in it."""

    def format(self, record: logging.LogRecord) -> str:
        facts = {"time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"), "level": record.levelname.lower()}
        return json.dumps(facts | {"event": record.getMessage(), **getattr(record, "facts", {})})


def _log_as_json() -> None:
    """Log to standard error from now on."""
    handler = logging.StreamHandler()
    handler.setFormatter(_AsJson())
    logger = logging.getLogger(__name__)
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.INFO)
