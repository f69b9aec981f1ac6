"""sacreBLEU's command line: every flag of sacreBLEU 2.6 with its names, values and defaults; messages; how it ends."""

import argparse
import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from ... import __version__

VERSION = "2.6.0"  # of sacreBLEU: whose numbers, texts and signatures these are
FORMS = ("json", "text", "latex")
TOKENISERS = (
    "none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K",
)  # fmt: skip
ABOUT = """sacreBLEU's command line with Tercet's speed: the same flags, output and exit codes.

  tercet sacrebleu ref.txt -i out.txt -m bleu chrf
  cat out.txt | tercet sacrebleu -t wmt19 -l en-de -b
"""


class Stop(Exception):
    """What ends the command. lines: the messages."""

    def __init__(self, *lines: str, code: int = 1) -> None:
        super().__init__("\n".join(lines))
        self.code = code


def say(args: Namespace, *lines: str) -> None:
    """Print messages as sacreBLEU does."""
    for text in lines:
        print(text if args.quiet else f"sacreBLEU: {text}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        """Return the help, which begins as that of the other commands."""
        return super().format_help().replace("usage:", "Usage:", 1)


def parse(words: Sequence[str]) -> Namespace:
    """Return the arguments by name. What is wrong ends the program with exit code 2."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Parser("tercet sacrebleu", "%(prog)s [OPTION ...] [REFERENCE ...]", ABOUT, formatter_class=raw)
    _add_texts(parser)
    _add_metrics(parser)
    _add_statistics(parser)
    _add_result(parser)
    args = parser.parse_args(words)
    form = os.environ.get("SACREBLEU_FORMAT", "").lower()
    args.format = form if form in FORMS else args.format
    return args


def _flag(group: argparse._ActionsContainer, *names: str, help: str) -> None:
    group.add_argument(*names, action="store_true", help=help)


def _number(group: argparse._ActionsContainer, *names: str, default: int, help: str) -> None:
    group.add_argument(*names, type=int, default=default, metavar="N", help=f"{help} (default: {default})")


def _add_texts(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("refs", nargs="*", default=[], help="References, before -i.")
    add("--input", "-i", nargs="*", metavar="OUTPUT", help="Outputs, a file per system. Without it: standard input.")
    _number(parser, "--num-refs", "-nr", default=1, help="References per line of the one file, separated by tabs.")
    add("--encoding", "-e", default="utf-8", help="Encoding of the files. (default: utf-8)")
    add("--test-set", "-t", metavar="NAME", help="A test set in ~/.sacrebleu, or several separated by commas.")
    add("--language-pair", "-l", dest="langpair", metavar="SRC-TGT", help="The language pair, as en-de.")
    add("--origlang", "-ol", metavar="LANG", help="Only texts written in this language; non-LANG: in another.")
    add("--subset", metavar="REGEX", help="Only documents whose annotation matches.")
    add("--download", metavar="NAME", help="Tell where a test set has to be: nothing is downloaded.")
    add("--echo", nargs="+", metavar="FIELD", help="Print fields of a test set, such as src, ref or all.")
    _flag(parser, "--list", help="List the test sets, or the fields of one (-t).")
    _flag(parser, "--citation", "--cite", help="How to cite the test set (-t).")
    shown = f"sacrebleu {VERSION} (tercet {__version__})"
    add("--version", "-V", action="version", version=shown, help="Show the version and exit.")


def _add_metrics(parser: argparse.ArgumentParser) -> None:
    bleu, chrf, ter = map(parser.add_argument_group, ("BLEU", "chrF", "TER"))
    names = ("bleu", "chrf", "ter")
    parser.add_argument("--metrics", "-m", choices=names, nargs="+", default=["bleu"], help="(default: bleu)")
    _flag(parser, "--sentence-level", "-sl", help="Score every segment.")
    bleu.add_argument(
        "--smooth-method", "-s", choices=("none", "floor", "add-k", "exp"), default="exp", help="Smoothing."
    )
    bleu.add_argument("--smooth-value", "-sv", type=float, metavar="X", help="For floor (0.1) and add-k (1).")
    bleu.add_argument("--tokenize", "-tok", choices=TOKENISERS, help="Tokeniser: by default 13a, or by the language.")
    _flag(bleu, "--lowercase", "-lc", help="Ignore case.")
    _flag(bleu, "--force", help="Do not warn of tokenised outputs.")
    _number(chrf, "--chrf-char-order", "-cc", default=6, help="Longest character n-gram.")
    _number(chrf, "--chrf-word-order", "-cw", default=0, help="Longest word n-gram; 2 is chrF++.")
    _number(chrf, "--chrf-beta", default=2, help="Weight of recall.")
    _flag(chrf, "--chrf-whitespace", help="Keep blanks.")
    _flag(chrf, "--chrf-lowercase", help="Ignore case.")
    _flag(chrf, "--chrf-eps-smoothing", help="Average F-scores as chrF++.py does.")
    _flag(ter, "--ter-case-sensitive", help="Keep case.")
    _flag(ter, "--ter-asian-support", help="Split Asian characters.")
    _flag(ter, "--ter-no-punct", help="Remove punctuation.")
    _flag(ter, "--ter-normalized", help="Split off punctuation.")


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Intervals and tests")
    _flag(group, "--confidence", "-ci", help="Bootstrap interval of one system.")
    _number(group, "--confidence-n", "-cin", default=1000, help="Resamples for it.")
    either = group.add_mutually_exclusive_group()
    _flag(either, "--paired-ar", "-par", help="Test against the first system by approximate randomisation.")
    _flag(either, "--paired-bs", "-pbs", help="Test against the first system by paired bootstrap.")
    _number(group, "--paired-ar-n", "-parn", default=10000, help="Trials of the randomisation.")
    _number(group, "--paired-bs-n", "-pbsn", default=1000, help="Resamples of the bootstrap.")
    _number(group, "--paired-jobs", "-j", default=1, help="Processes; 0 for all cores.")


def _add_result(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Result")
    group.add_argument(
        "--format", "-f", choices=FORMS, default="json", help="Form; $SACREBLEU_FORMAT overrides it. (default: json)"
    )
    _number(group, "--width", "-w", default=1, help="Decimals.")
    _flag(group, "--score-only", "-b", help="Print the score alone.")
    _flag(group, "--short", "-sh", help="Short signatures.")
    _flag(group, "--detail", "-d", help="Also score by original language and domain.")
    _flag(group, "--quiet", "-q", help="Fewer messages.")
    _flag(group, "--no-color", "-nc", help="Accepted; output has no colours.")
