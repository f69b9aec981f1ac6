"""Damaged files and odd arguments for every command: python -m benchmarks.fuzz --runs 10000

Each run takes an ordinary command line, damages one of its files, an argument, or both, and calls the command in this
process. A run is a fault if it ends in a traceback, takes longer than LIMIT seconds of CPU, needs more memory than
MEMORY, leaves with another code than CODES, fails without a message, or prints numbers that cannot be right (JSON
that is none, p-values and intervals out of bounds, scores off their scale). Runs depend on the seed and their number
only; `--only N` repeats one.

Beside damaged files there are forged models and options, a service that answers with anything, files that change while
they are read, very long lines (`fuzz_hostile`), and requests to the scoring service (`fuzz_requests`). Code of a file
that runs, a service that a file reaches, and a key that is shown or kept are faults too.

Not run: what serves, downloads, starts other processes or takes minutes (rate serve, data get, --jobs, --cluster,
parsers, and encoders but that of the default model for quality estimation).
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tercet.cli import group, main

from .fuzz_files import LINES, make_files
from .fuzz_hostile import CODE, KEY, Changes, Service, forge_config, forge_model, hostile_service, with_long_line
from .fuzz_requests import ask_once

LIMIT = 30.0  # seconds of CPU for one run
MEMORY = 6 << 30
REQUESTS = 0.05  # the share of runs that are requests to the scoring service
CODES = (0, 1, 2, 3)  # 3: a gate of compare fails
ODD_TEXTS = (
    "", " ", "-", "--", "x" * 5000, "nan", "inf", "-1", "0", "1e308", "99999999999999999999999", "é\u2028", "😀",
    "../..", "/dev/null", "a=b", "=", "en-de", "xx-yy", "de", "%s%n", "bleu:", "chrf:word_order=x", "|||",
)  # fmt: skip
ODD_NUMBERS = ("-1", "0", "1", "2", "7", "1e23", "99999999999999999999999", "nan", "-inf", "0.5", "1e-320", "x", "")
ODD_BYTES = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n\n", b"\t\t", b"\x1b[2J", b"\xc3\x28", b"\xed\xa0\x80",
    b'"', b"{}", b"[[", b"null", b"NaN", b"-1", b"1e400", b"<a>", b"&amp;", b"|||", b"\xe2\x80\xa8", b"x" * 3000, b" ",
)  # fmt: skip
ODD_VALUES = (None, True, -1, 0, 1e308, "", "x", [], {}, [None], {"a": 1}, "\u0000", "9" * 400, ["a", 1])
METRICS = (
    "bleu", "chrf", "chrf:word_order=2", "ter", "wer", "per", "cder", "cer", "nist", "sentbleu", "length", "character",
    "eed", "hlepor", "ribes", "yisi0", "meteor", "bleu:tokenize=char", "ter:variant=tercom", "chrf:variant=original",
)  # fmt: skip
SKIPPED = {"jobs", "cluster", "download", "backend", "database", "cache", "listing", "device", "figures", "open_page",
           "server", "trust_features", "allow_network"}  # fmt: skip
SCALES = {"bleu": (0, 100), "chrf": (0, 100), "sentbleu": (0, 1), "ribes": (0, 1), "meteor": (0, 1), "yisi0": (0, 1)}


@dataclass(frozen=True)
class Outcome:
    """What a run printed, its exit code, and the traceback or the reason if it was a fault by itself."""

    code: object
    out: str
    err: str
    fault: str = ""


class Overtime(BaseException):
    """The run took too long."""


def run(arguments: Sequence[str], stdin: bytes = b"") -> Outcome:
    """Call the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    before, logger = sys.stdin, logging.getLogger("tercet")
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    code: object = 0
    fault = ""
    try:
        with redirect_stdout(out), redirect_stderr(err), _limited(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            main(list(arguments))
    except SystemExit as leaving:
        code = leaving.code
    except Overtime:
        fault = f"more than {LIMIT:g} s of CPU"
    except BaseException:  # noqa: BLE001 - whatever escapes is what is looked for
        fault = traceback.format_exc()
    finally:
        sys.stdin = before
        logger.setLevel(logging.NOTSET)
    return Outcome(code, out.getvalue(), err.getvalue(), fault)


@contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Overtime

    earlier = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, earlier)


def find_fault(arguments: Sequence[str], outcome: Outcome) -> str:
    """Return what is wrong with an outcome, or an empty string."""
    if outcome.fault:
        return outcome.fault
    if outcome.code not in CODES:
        return f"exit code {outcome.code!r}"
    if "Traceback (most recent" in outcome.err or "Traceback (most recent" in outcome.out:
        return "a traceback was printed:\n" + outcome.err[-2000:]
    if "Not enough memory" in outcome.err:
        return "memory"
    to_file = "-o" in arguments or "--output" in arguments
    if outcome.code and not outcome.err.strip() and not outcome.out.strip() and not to_file:
        return "no message"
    forms = [each for each in arguments if each in ("json", "jsonl")]  # the last one counts
    if outcome.code == 0 and forms[-1:] == ["json"] and not to_file and outcome.out.strip()[:1] in ("{", "["):
        return _find_nonsense(outcome.out)
    return ""


def _find_nonsense(text: str) -> str:
    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        data = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return f"JSON: {error}"
    wrong: list[str] = []
    _look(data, wrong)
    return "; ".join(wrong[:3])


def _look(data: Any, wrong: list[str]) -> None:
    """Collect numbers that cannot be right."""
    if isinstance(data, list):
        for each in data:
            _look(each, wrong)
    elif isinstance(data, dict):
        low, high = data.get("ci_low"), data.get("ci_high")
        if isinstance(low, float) and isinstance(high, float) and low > high:
            wrong.append(f"interval {low} to {high}")
        metric, score = str(data.get("metric", "")).partition(":")[0], data.get("score")
        if (
            metric in SCALES
            and isinstance(score, float)
            and not -1e-9 <= score - SCALES[metric][0] <= 1e-9 + SCALES[metric][1]
        ):
            wrong.append(f"{metric} {score}")
        for key, value in data.items():
            shares = value.values() if isinstance(value, dict) else [value]
            if key in ("p_value", "p_holm"):
                wrong += [f"{key} {share}" for share in shares if isinstance(share, float) and not 0 <= share <= 1]
            _look(value, wrong)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a file's bytes with some damage; in an archive mostly to one of its members."""
    if data.startswith(b"PK") and rng.random() < 0.7:
        return _damaged_member(data, rng)
    how = rng.randrange(11)
    lines = data.split(b"\n")
    place = rng.randrange(len(data) + 1)
    if how == 0:
        return data[:place]
    if how == 1:
        changed = bytearray(data)
        for _ in range(rng.choice((1, 3, 50))):
            if changed:
                changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    if how == 2:
        return data[:place] + rng.choice(ODD_BYTES) + data[place:]
    if how == 3:
        return rng.choice(ODD_BYTES)
    if how == 4:
        del lines[rng.randrange(len(lines))]
    elif how == 5:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice([*ODD_BYTES, *lines]))
    elif how == 6:
        row = rng.randrange(len(lines))
        cells = lines[row].split(b"\t")
        cells[rng.randrange(len(cells))] = rng.choice(ODD_BYTES)
        lines[row] = b"\t".join(cells)
    elif how == 7:
        lines = lines[:1]
    elif how == 8:
        lines = [rng.choice((b"", line)) for line in lines]
    elif how == 9:
        with suppress(ValueError, RecursionError):
            return _damaged_json(data, lines, rng)
    else:
        rng.shuffle(lines)
    return b"\n".join(lines)


def _damaged_member(data: bytes, rng: random.Random) -> bytes:
    """Return an archive with damage to a member, such as a sheet of a workbook or an array of saved scores."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    members[name] = damaged(members[name], rng)
    if rng.random() < 0.1:
        del members[name]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for each, content in members.items():
            archive.writestr(zipfile.ZipInfo(each), content)
    return made.getvalue()


def _damaged_json(data: bytes, lines: list[bytes], rng: random.Random) -> bytes:
    """Replace a value somewhere in JSON, or in a line of JSON lines."""
    try:
        content = json.loads(data)
    except ValueError:
        row = rng.randrange(len(lines))
        lines[row] = json.dumps(_replaced(json.loads(lines[row]), rng)).encode()
        return b"\n".join(lines)
    return json.dumps(_replaced(content, rng)).encode()


def _replaced(content: Any, rng: random.Random) -> Any:
    if not isinstance(content, dict | list) or not content or rng.random() < 0.15:
        return rng.choice(ODD_VALUES)
    key = rng.choice(list(content)) if isinstance(content, dict) else rng.randrange(len(content))
    if rng.random() < 0.15:
        content.pop(key)
    else:
        content[key] = _replaced(content[key], rng)
    return content


def odd_arguments(words: list[str], rng: random.Random) -> list[str]:
    """Change, drop, repeat or add an argument."""
    words = list(words)
    how = rng.randrange(5)
    place = rng.randrange(1, len(words) + 1)
    if how == 0 and place < len(words):
        words[place] = rng.choice((*ODD_TEXTS, *ODD_NUMBERS))
    elif how == 1 and place < len(words):
        del words[place]
    elif how == 2 and place < len(words):
        words.insert(place, words[place])
    else:
        words += _option_of(words, rng)
    return words


def _option_of(words: list[str], rng: random.Random) -> list[str]:
    """Return a random option of the command, with an odd or an ordinary value."""
    context = click.Context(group)
    command: Any = group.get_command(context, words[0])
    if isinstance(command, click.Group):
        command = command.commands.get(words[1], command) if len(words) > 1 else command
    options = [p for p in command.params if isinstance(p, click.Option) and p.name not in SKIPPED]
    if not options:  # a command with a parser of its own
        return [rng.choice(ODD_TEXTS)]
    if not options:
        return [rng.choice(ODD_TEXTS)]
    option = rng.choice(options)
    name = rng.choice(option.opts)
    if option.is_flag:
        return [name]
    if isinstance(option.type, click.Choice):
        return [name, rng.choice([*map(str, option.type.choices), *ODD_TEXTS])]
    numeric = option.type.name.startswith(("int", "float"))
    return [name, rng.choice(ODD_NUMBERS if numeric else (*ODD_TEXTS, *METRICS))]


def ordinary(line: str, rng: random.Random) -> list[str]:
    """Return the words of a line of LINES: a metric for M, a blank for ~."""
    return [rng.choice(METRICS) if word == "M" else word.replace("~", " ") for word in line.split(" ")]


@dataclass(frozen=True)
class Surroundings:
    """The folder of a campaign, a service that answers with anything, and somebody who changes files meanwhile."""

    folder: Path
    service: Service
    changes: Changes


def fuzz_once(number: int, seed: int, around: Surroundings) -> tuple[list[str], str, object]:
    """Do run `number`: return its command line, the fault (or nothing), and the exit code. Files are as before."""
    rng, folder = random.Random(f"{seed} {number}"), around.folder
    if rng.random() < REQUESTS:
        return _ask(rng, around)
    words = [word.replace("SERVICE", around.service.address) for word in ordinary(rng.choice(LINES), rng)]
    around.service.rng, around.service.asked = random.Random(number), 0
    forge_model(folder, around.service.address, rng)
    forge_config(folder, around.service.address, rng)
    where = {word: path for word in words for path in _files_behind(folder, word)}
    kept: dict[Path, bytes] = {}
    if where and rng.random() < 0.7:
        path = where[rng.choice(sorted(where))]
        kept[path] = path.read_bytes()
        bad = (
            with_long_line(kept[path], rng)
            if path.suffix == ".txt" and rng.random() < 0.05
            else damaged(kept[path], rng)
        )
        if rng.random() < 0.1:
            around.changes.at(path, rng.choice((1, 2, 2, 3)), bad)
        else:
            path.write_bytes(bad)
    if not kept or rng.random() < 0.4:
        words = odd_arguments(words, rng)
    stdin = rng.choice((b"", b"a line\n", b"\xff", b"a\tb\nc\td\n"))
    try:
        outcome = run(words, stdin)
    finally:
        around.changes.stop()
        for path, data in kept.items():
            path.parent.mkdir(parents=True, exist_ok=True)  # data remove
            path.write_bytes(data)
    shown = [*words, *(f"[{path.name} damaged]" for path in kept)]
    asked = around.service.asked and not any(around.service.address in word for word in words)
    ran = (folder / "own.ran").exists() and not any("own.py" in word for word in words)
    (folder / "own.ran").unlink(missing_ok=True)
    leak = "a file reached a service" if asked else "code in a file ran" if ran else _find_key(folder, outcome)
    fault = find_fault(words, outcome) or leak
    return shown, fault, outcome.code


def _ask(rng: random.Random, around: Surroundings) -> tuple[list[str], str, object]:
    """Do a run that is a request to the scoring service."""
    folder, around.service.asked = around.folder, 0
    try:
        with _limited():
            words, fault, status, body = ask_once(folder, rng, damaged, (*ODD_VALUES, *ODD_TEXTS))
    except Overtime:
        return ["serve"], f"more than {LIMIT:g} s of CPU", 500
    except Exception:  # noqa: BLE001 - whatever escapes is what is looked for
        return ["serve"], traceback.format_exc(), 500
    ran = (folder / "own.ran").exists()
    (folder / "own.ran").unlink(missing_ok=True)
    leak = "a request reached a service" if around.service.asked else "code of a request ran" if ran else ""
    return words, fault or leak or _find_key(folder, Outcome(0, body.decode("utf-8", "replace"), "")), status


def _find_key(folder: Path, outcome: Outcome) -> str:
    """Return whether the key of a service was shown or kept."""
    kept = [*folder.glob("answers/**/*.jsonl"), *folder.glob("sets/judge/*.jsonl")]
    found = KEY in outcome.out + outcome.err or any(KEY in path.read_text("utf-8", "replace") for path in kept)
    return "the key was shown or kept" if found else ""


def _files_behind(folder: Path, word: str) -> list[Path]:
    """Return the files that an argument names, also after NAME= and NAME:; of a campaign its answers."""
    word = re.split("[=:]", word.removesuffix(":source"))[-1]
    path = folder / word
    if not word or not path.exists() or word in (".", ".."):
        return []
    found = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    answers = path.with_name(f"{path.stem}.answers.db")
    return [*found, answers][-1:] if answers.exists() and len(word) % 2 else found


def campaign(
    runs: Sequence[int], seed: int, seconds: float, *, shown: bool = True
) -> tuple[int, list[tuple[int, str]]]:
    """Do these runs in a new folder, for at most so many seconds of CPU. Returns how many were done, and the faults."""
    faults: list[tuple[int, str]] = []
    codes: Counter[object] = Counter()
    start, place, done = time.process_time(), Path.cwd(), 0
    with tempfile.TemporaryDirectory(prefix="tercet-fuzz-") as name:
        folder = Path(name)
        os.environ["TERCET_DATA"], os.environ["TERCET_JUDGE_KEY"] = str(folder / "sets"), KEY
        os.chdir(folder)
        with ExitStack() as stack:
            stack.callback(os.chdir, place)
            around = Surroundings(folder, stack.enter_context(hostile_service()), Changes())
            (folder / "own.py").write_text(CODE)
            make_files(folder, run)
            for number in runs:
                if time.process_time() - start > seconds:
                    break
                words, fault, code = fuzz_once(number, seed, around)
                done += 1
                codes[code] += 1
                if shown and done % 500 == 0:
                    print(f"{done} runs, {len(faults)} faults", flush=True)
                if fault:
                    faults.append((number, f"tercet {' '.join(words)}\n{fault}"))
                    if shown:
                        print(f"run {number}: {faults[-1][1]}\n", flush=True)
    if shown:
        print(f"{done} runs, {len(faults)} faults, exit codes {dict(codes)}, {time.process_time() - start:.0f} s")
    return done, faults


def main_program(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Damaged files and odd arguments for every command.")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--only", type=int, help="repeat this run")
    options = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # not RLIMIT_AS: figures reserve far more than they use
    runs = [options.only] if options.only is not None else range(options.first, options.first + options.runs)
    _, faults = campaign(runs, options.seed, options.seconds)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main_program())
