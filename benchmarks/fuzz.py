"""Damaged files and odd arguments for every command: python -m benchmarks.fuzz --runs 10000

Each run takes an ordinary command line, damages one of its files, an argument, or both, and calls the command in this
process. A run is a fault if it ends in a traceback, takes longer than LIMIT seconds of CPU, needs more memory than
MEMORY, leaves with another code than CODES, fails without a message, or prints numbers that cannot be right (JSON
that is none, p-values and intervals out of bounds, scores off their scale). Runs depend on the seed and their number
only; `--only N` repeats one.

Not run: what serves, downloads, starts other processes or takes minutes (rate serve, data get, --jobs, --cluster,
reproduce, parsers and encoders).
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import logging
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tercet import examples
from tercet.cli import group, main

LIMIT = 30.0  # seconds of CPU for one run
MEMORY = 6 << 30
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
SKIPPED = {"jobs", "cluster", "download", "backend", "database", "cache", "listing", "device", "figures", "open_page"}
SCALES = {"bleu": (0, 100), "chrf": (0, 100), "sentbleu": (0, 1), "ribes": (0, 1), "meteor": (0, 1), "yisi0": (0, 1)}

# Command lines that work, with the files of `make_files`; M stands for a metric.
LINES = [
    "score refA.txt refB.txt -i Alder.txt Birch.txt -m M M -f json -ci -cin 20",
    "score refA.txt -i Alder.txt -s src.txt --docs docs.txt --documents -m M -f json",
    "score refA.txt -i Alder.txt -m M -sl",
    "score -t en-de.jsonl -l en-de -m M --by length -f json",
    "score -t de-en.sgm.d -l de-en -m M -f json",
    "score refA.txt -i Alder.txt Birch.txt -m M -pbs --paired-bs-n 20 -f json",
    "score refA.txt -i Alder.txt Birch.txt -m chrf --scores comet.json -f json",
    "score refA.txt -i Alder.txt Birch.txt -m chrf --scores scores.seg.score -f json",
    "score refA.txt.gz -i Alder.txt -m M -f tsv",
    "score --merge saved.npz -f json",
    "compare refA.txt -i Alder.txt Birch.txt Cedar.txt -m M -n 20 -f json",
    "compare refA.txt -i Alder.txt Birch.txt -m M -n 20 --baseline Alder.txt --top 2",
    "compare -t en-de.jsonl -l en-de -m M -n 20 --slice length -f json",
    "compare refA.txt -i Alder.txt Birch.txt -m chrf -n 20 --scores scores.seg.score -f json",
    "report refA.txt -i Alder.txt Birch.txt -s src.txt -m chrf -n 20 -o page.html",
    "explain refA.txt -i Alder.txt -m M -n 3 -f json",
    "check refA.txt -i Alder.txt Birch.txt -s src.txt",
    "check refA.txt.gz",
    "check -t en-de.jsonl",
    "verify BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 36.4 refA.txt -i Alder.txt",
    "metrics M -f json",
    "agree judgements.jsonl -n 20 -f json",
    "agree ratings.tsv -n 20 -f json",
    "agree mqm.tsv -n 20 -f json",
    "agree campaign.json -n 20 -f json",
    "agree judgements.jsonl -n 20 -m chrf --texts en-de.jsonl -l en-de",
    "meta judged -n 20 -m chrf --level seg -f json",
    "meta judged -n 20 --scores metric.seg.score --level seg -f json",
    "rate new --protocol adequacy -t en-de.jsonl -l en-de --raters 2 --segments 3 -o new.json --replace",
    "rate info campaign.json -f json",
    "rate export campaign.json -o out.tsv",
    "rate import pearmut.json --protocol da -o imported.json --replace",
    "kb build --tsv names.tsv -l de en -o kb-new --replace -q",
    "kb info kb -f json",
    "link refA.txt -l de --kb kb",
    "entities -s src.txt -i Alder.txt -l en-de --kb kb -f json",
    "data add en-de.jsonl try --folder sets --replace",
    "data add archive.zip try --folder sets --replace",
    "data pairs en-de.jsonl",
    "data list --folder sets -f json",
    "qe predict model.qe src.txt Alder.txt -f json",
    "qe rank model.qe src.txt Alder.txt --top 3",
    "qe evaluate model.qe src.txt Alder.txt labels.txt -n 20 -f json",
    "qe features src.txt Alder.txt -l en-de -f tsv",
    "qe info model.qe -f json",
]


def make_files(folder: Path) -> None:
    """Write ordinary files of every kind that the commands of LINES read."""
    examples.write("en-de", folder)
    rng = random.Random(1)
    read = {path.name: path.read_text("utf-8").splitlines() for path in folder.glob("*.txt")}
    (folder / "refA.txt.gz").write_bytes(gzip.compress((folder / "refA.txt").read_bytes()))
    (folder / "labels.txt").write_text("".join(f"{rng.random():.3f}\n" for _ in read["src.txt"]))
    comet = [{"src": "", "mt": text, "COMET": rng.random()} for text in read["Alder.txt"]]
    (folder / "comet.json").write_text(json.dumps({"Alder.txt": comet, "Birch.txt": comet}))
    rows = [
        f"mine\ten-de\tx\t{name}\t{i}\t{rng.random():.4f}" for name in ("Alder.txt", "Birch.txt") for i in range(1, 33)
    ]
    (folder / "scores.seg.score").write_text("\n".join(rows) + "\n")
    rows = [f"r{i % 2}\ti{i // 2}\t{i // 2}\ts\tda\t{rng.randrange(100)}" for i in range(40)]
    (folder / "ratings.tsv").write_text("rater\titem\tsegment\tsystem\tkind\tvalue\n" + "\n".join(rows) + "\n")
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = [f"s\td\t{i}\t{i}\tr{r}\ta b\ta <v>b</v>\tAccuracy\tMajor" for i in range(1, 9) for r in (1, 2)]
    (folder / "mqm.tsv").write_text(head + "\n".join(rows) + "\n")
    names = [f"Q{i}\t{language}\t{name}\tplace\t{i + 1}" for i, name in enumerate(["Berlin", "Paris", "New York"])
             for language in ("de", "en")]  # fmt: skip
    (folder / "names.tsv").write_text("\n".join(names) + "\n")
    sgm = folder / "de-en.sgm.d"
    sgm.mkdir()
    for kind, name in (("src", "src"), ("ref", "ref"), ("tst", "sys1")):
        segments = "\n".join(f'<seg id="{i}">{text}</seg>' for i, text in enumerate(read["src.txt"][:8], 1))
        (sgm / f"newstest-deen-{name}.sgm").write_text(
            f'<{kind}set setid="newstest" srclang="de" trglang="en">\n<doc sysid="{name}" docid="d">\n{segments}\n'
            f"</doc>\n</{kind}set>\n"
        )
    judged = folder / "judged"
    judged.mkdir()
    shutil.copy(folder / "en-de.jsonl", judged)
    shutil.copy(folder / "judgements.jsonl", judged)
    lines = [
        f"mine\ten-de\tratings\t{s}\t{i}\t{rng.random():.4f}" for s in ("Alder", "Birch", "Cedar") for i in range(1, 33)
    ]
    (folder / "metric.seg.score").write_text("\n".join(lines) + "\n")
    (folder / "pearmut.json").write_text(
        json.dumps({"campaign_id": "c", "info": {"assignment": "task-based"}, "data": []})
    )
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        archive.write(folder / "en-de.jsonl", "en-de.jsonl")
    for line in (
        "score refA.txt -i Alder.txt Birch.txt -m bleu chrf --save saved.npz",
        "rate new --protocol adequacy -t en-de.jsonl -l en-de --raters anna ben --segments 4 -o campaign.json",
        "rate export campaign.json -o pearmut.json -f pearmut",
        "kb build --tsv names.tsv -l de en -o kb -q",
        "qe train src.txt Alder.txt labels.txt -l en-de -o model.qe -q",
    ):
        outcome = run(line.split())
        if outcome.code != 0:
            raise SystemExit(f"Not prepared: tercet {line}\n{outcome.err}{outcome.fault}")
    _answer(folder)


def _answer(folder: Path) -> None:
    """Put some answers beside the campaign."""
    from tercet.human.campaign import Campaign
    from tercet.human.storage import open_store

    campaign = Campaign.read(folder / "campaign.json")
    store = open_store(folder / "campaign.json", campaign)
    for rater in campaign.raters:
        for number, item in enumerate(rater.items):
            answer = {"value": 1 + number % 4}
            store.append(request=f"{rater.name}{item}", rater=rater.name, item=item, answer=answer, seconds=1.0)
    store.close()


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
    if outcome.code == 0 and "json" in arguments and not to_file and outcome.out.strip()[:1] in ("{", "["):
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
    """Return a file's bytes with some damage."""
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
        command = command.commands.get(words[1], command)
    options = [p for p in command.params if isinstance(p, click.Option) and p.name not in SKIPPED]
    option = rng.choice(options)
    name = rng.choice(option.opts)
    if option.is_flag:
        return [name]
    if isinstance(option.type, click.Choice):
        return [name, rng.choice([*map(str, option.type.choices), *ODD_TEXTS])]
    numeric = option.type.name.startswith(("int", "float"))
    return [name, rng.choice(ODD_NUMBERS if numeric else (*ODD_TEXTS, *METRICS))]


def fuzz_once(number: int, seed: int, folder: Path) -> tuple[list[str], str, object]:
    """Do run `number`: return its command line, the fault (or nothing), and the exit code. Files are as before."""
    rng = random.Random(f"{seed} {number}")
    words = [rng.choice(METRICS) if word == "M" else word for word in rng.choice(LINES).split(" ")]
    where = {word: path for word in words for path in _files_behind(folder, word)}
    kept: dict[Path, bytes] = {}
    if where and rng.random() < 0.7:
        path = where[rng.choice(sorted(where))]
        kept[path] = path.read_bytes()
        path.write_bytes(damaged(kept[path], rng))
    if not kept or rng.random() < 0.4:
        words = odd_arguments(words, rng)
    stdin = rng.choice((b"", b"a line\n", b"\xff", b"a\tb\nc\td\n"))
    try:
        outcome = run(words, stdin)
    finally:
        for path, data in kept.items():
            path.write_bytes(data)
    shown = [*words, *(f"[{path.name} damaged]" for path in kept)]
    return shown, find_fault(words, outcome), outcome.code


def _files_behind(folder: Path, word: str) -> list[Path]:
    """Return the files that an argument names; of a folder one of its files; of a campaign also its answers."""
    path = folder / word
    if not word or not path.exists() or word in (".", ".."):
        return []
    found = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    answers = path.with_name(f"{path.stem}.answers.db")
    return [*found, answers][-1:] if answers.exists() and len(word) % 2 else found


def campaign(
    runs: Sequence[int], seed: int, seconds: float, *, shown: bool = True
) -> tuple[int, list[tuple[int, str]]]:
    """Do these runs in a new folder, for at most so many seconds. Returns how many were done, and the faults."""
    faults: list[tuple[int, str]] = []
    codes: Counter[object] = Counter()
    start, place, done = time.monotonic(), Path.cwd(), 0
    with tempfile.TemporaryDirectory(prefix="tercet-fuzz-") as name:
        folder = Path(name)
        os.environ["TERCET_DATA"] = str(folder / "sets")
        os.chdir(folder)
        try:
            make_files(folder)
            for number in runs:
                if time.monotonic() - start > seconds:
                    break
                words, fault, code = fuzz_once(number, seed, folder)
                done += 1
                codes[code] += 1
                if fault:
                    faults.append((number, f"tercet {' '.join(words)}\n{fault}"))
                    if shown:
                        print(f"run {number}: {faults[-1][1]}\n", flush=True)
        finally:
            os.chdir(place)
    if shown:
        print(f"{done} runs, {len(faults)} faults, exit codes {dict(codes)}, {time.monotonic() - start:.0f} s")
    return done, faults


def main_program(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Damaged files and odd arguments for every command.")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--only", type=int, help="repeat this run")
    options = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    runs = [options.only] if options.only is not None else range(options.first, options.first + options.runs)
    _, faults = campaign(runs, options.seed, options.seconds)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main_program())
