"""Run sacreBLEU's own tests on Tercet, and print how many pass, with a reason for each that does not.

    python scripts/sacrebleu_suite.py [FOLDER] [--data ../shared/data]

FOLDER: the unpacked source distribution of sacreBLEU; else pip fetches it. The tests in Python import `sacrebleu`:
they get the modules that are made here, which call the metrics and `tercet sacrebleu`'s own modules. The runs of
test.sh whose texts are in the data (systems into English of WMT17) are made by both programs.
"""

import argparse
import csv
import gzip
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RUNS = {  # of test.sh, by the name of its table: arguments
    "CHRF": "-w 4 -m chrf --chrf-eps-smoothing",
    "CHRFPP": "-w 4 -m chrf --chrf-word-order 2 --chrf-eps-smoothing",
    "MTEVAL": "-w 2",
    "MTEVAL14": "-w 2 --tokenize intl",
    "TER": "-w 4 -m ter",
}


# --- sacreBLEU's Python interface, as its tests use it ------------------------


class _Metric:
    """A metric with sacreBLEU's parameters and methods."""

    name, renamed = "", {"trg_lang": "", "force": "", "references": ""}

    def __init__(self, **given: Any) -> None:
        from tercet.metrics import create

        self.references = given.get("references")
        kept = {key: value for key, value in given.items() if key not in self.renamed and value is not None}
        words = (f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in kept.items())
        self.metric = create(f"{self.name}:{','.join(words)}").resolved()

    def counts(self, outputs: Sequence[str], references: Sequence[Sequence[str]] | None) -> Any:
        from tercet import TestSet

        named = {str(i): list(lines) for i, lines in enumerate(references or self.references)}
        return self.metric.statistics(TestSet({"x": list(outputs)}, named))["x"]

    def corpus_score(self, outputs: Sequence[str], references: Sequence[Sequence[str]] | None) -> SimpleNamespace:
        totals = self.counts(outputs, references).sum(0)
        found = self.metric.details(totals)
        return SimpleNamespace(score=float(self.metric.score(totals)), **found)

    def sentence_score(self, output: str, references: Sequence[str]) -> SimpleNamespace:
        return self.corpus_score([output], [[text] for text in references])


class BLEU(_Metric):
    """`sacrebleu.BLEU`."""

    name = "bleu"

    @staticmethod
    def compute_bleu(
        correct: Sequence[int], total: Sequence[int], sys_len: int, ref_len: int, smooth_method: str = "none",
        smooth_value: float | None = None,
    ) -> SimpleNamespace:  # fmt: skip
        metric = BLEU(smooth_method=smooth_method, smooth_value=smooth_value).metric
        return SimpleNamespace(score=float(metric.score(np.array([sys_len, ref_len, *correct, *total], float))))


class CHRF(_Metric):
    """`sacrebleu.CHRF`."""

    name = "chrf"


class TER(_Metric):
    """`sacrebleu.TER`."""

    name = "ter"

    def __init__(self, **given: Any) -> None:
        super().__init__(variant="sacrebleu", **given)


def _bleu(outputs: Any, references: Any, use_effective_order: bool = False, **given: Any) -> SimpleNamespace:
    return BLEU(effective_order=use_effective_order, **given).corpus_score(outputs, references)


def _raw_bleu(outputs: Any, references: Any, smooth_value: float | None = 0.1) -> SimpleNamespace:
    given = {"smooth_method": "floor", "smooth_value": smooth_value, "tokenize": "none"}
    return _bleu(outputs, references, use_effective_order=True, **given)


def _chrf(outputs: Any, references: Any, remove_whitespace: bool = True, **given: Any) -> SimpleNamespace:
    return CHRF(whitespace=not remove_whitespace, **given).corpus_score(outputs, references)


class _Tokenizer:
    def __init__(self, **given: bool) -> None:
        self.given = {{"normalized": "normalised"}.get(key, key): value for key, value in given.items()}

    def __call__(self, text: str) -> str:
        from tercet.text.tercom import normalise

        return str(normalise([text], **self.given)[0])


class _PairedTest:
    def __init__(self, systems: Any, metrics: Mapping[str, _Metric], references: Any, test_type: str, n_samples: int):
        self.systems, self.metrics, self.kind, self.times = systems, metrics, test_type, n_samples

    def __call__(self) -> tuple[Any, dict[str, list[Any]]]:
        from tercet.tasks.sacrebleu import resampling

        test = resampling.paired_bootstrap if self.kind == "bs" else resampling.paired_randomisation
        found: dict[str, list[Any]] = {"System": [name for name, _ in self.systems]}
        for name, metric in self.metrics.items():
            found[name] = test(metric.metric, [metric.counts(texts, None) for _, texts in self.systems], self.times)
        return None, found


class _Sets(dict[str, Any]):
    """`DATASETS`."""

    def __init__(self) -> None:
        from tercet.tasks.sacrebleu import test_sets as own

        super().__init__({name: _Set(name, entry, own) for name, entry in own.known().items()})


class _Set:
    def __init__(self, name: str, entry: Mapping[str, Any], own: Any) -> None:
        self.name, self.langpairs, self.own = name, entry["pairs"], own

    def fieldnames(self, pair: str) -> list[str]:
        return list(self.own.field_names(self.name, pair))

    def source(self, pair: str) -> Any:
        return self.own.fields(self.name, pair)["src"]

    def references(self, pair: str) -> Any:
        return self.own.references(self.name, pair)[0]

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("Tercet downloads nothing for sacreBLEU's test sets.")


def _of_pair(pair: str) -> list[str]:
    both = {pair, "-".join(reversed(pair.split("-")))}
    return [name for name, entry in sys.modules["sacrebleu"].DATASETS.items() if both & set(entry.langpairs)]


def _file(name: str, pair: str) -> str:
    from tercet.tasks.sacrebleu import test_sets as own

    own.fields(name, pair)
    return str(own.folder() / name)


def install() -> None:
    """Put modules named `sacrebleu` where the tests import them."""
    from tercet.tasks.sacrebleu.resampling import Result

    sets = _Sets()
    names: dict[str, dict[str, Any]] = {
        "sacrebleu": {
            "corpus_bleu": _bleu, "raw_corpus_bleu": _raw_bleu, "corpus_chrf": _chrf, "DATASETS": sets,
            "sentence_chrf": lambda output, references, **given: CHRF(**given).sentence_score(output, references),
        },
        "sacrebleu.metrics": {"BLEU": BLEU, "CHRF": CHRF, "TER": TER},
        "sacrebleu.compat": {
            "sentence_bleu": lambda output, references, **given: _bleu([output], [[r] for r in references], **given)
        },
        "sacrebleu.significance": {"PairedTest": _PairedTest, "Result": Result},
        "sacrebleu.tokenizers": {},
        "sacrebleu.tokenizers.tokenizer_ter": {"TercomTokenizer": _Tokenizer},
        "sacrebleu.dataset": {"DATASETS": sets},
        "sacrebleu.utils": {
            "get_available_testsets": lambda: sorted(sets, reverse=True),
            "get_available_testsets_for_langpair": _of_pair,
            "get_langpairs_for_testset": lambda name: list(sets[name].langpairs),
            "get_source_file": _file, "get_reference_files": lambda name, pair: [_file(name, pair)],
            "smart_open": open,
        },
    }  # fmt: skip
    for name, members in names.items():
        module = ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)


# --- runs ---------------------------------------------------------------------


def main() -> None:
    """Run both parts and print what passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or _download(Path(scratch))
        _python_tests(folder)
        _shell_tests(folder, given.data, Path(scratch) / "sacrebleu")


def _download(scratch: Path) -> Path:
    words = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(scratch), "sacrebleu==2.6.0"]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    archive = next(scratch.glob("sacrebleu-*.tar.gz"))
    with tarfile.open(archive) as opened:
        opened.extractall(scratch, filter="data")
    return scratch / archive.name.removesuffix(".tar.gz")


def _python_tests(folder: Path) -> None:
    names = [str(path.relative_to(folder)) for path in sorted((folder / "test").glob("test_*.py"))]
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", Path(__file__).stem, "-rfE", "--tb=line"]
    paths = os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parent)])
    environment = os.environ | {"PYTHONPATH": paths, "PYTEST_SACREBLEU": "1"}
    done = subprocess.run(
        [sys.executable, *words, *names], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    print("test/*.py:", done.stdout.strip().splitlines()[-1])
    for line in re.findall(r"^(?:FAILED|ERROR) .*$", done.stdout, re.MULTILINE):
        print(" ", line)


def _shell_tests(folder: Path, data: Path, place: Path) -> None:
    """Make runs of test.sh by both programs: its printed scores do not hold, because these texts are tokenised."""
    equal = differ = absent = 0
    for table, name in _runs((folder / "test.sh").read_text("utf-8")):
        system, pair = name.removeprefix("newstest2017.").removesuffix(".sgm").rsplit(".", 1)
        texts = _outputs(data, pair, place).get(system)
        if texts is None:
            absent += 1
            continue
        words = ["-b", "-t", "wmt17", "-l", pair, *RUNS[table].split()]
        given = os.environ | {"SACREBLEU": str(place), "PYTHONPATH": str(ROOT / "src")}
        done = [
            subprocess.run(
                [sys.executable, "-m", *program, *words], input="\n".join(texts) + "\n", env=given, capture_output=True,
                text=True, encoding="utf-8", check=False,
            )
            for program in (["sacrebleu"], ["tercet", "sacrebleu"])
        ]  # fmt: skip
        if done[0].returncode == done[1].returncode == 0 and done[0].stdout == done[1].stdout:
            equal += 1
        else:
            differ += 1
            print(
                f"  {table} {name}: {done[0].stdout.strip()} by sacreBLEU, {(done[1].stdout or done[1].stderr).strip()}"
            )
    print(f"test.sh: {equal} of {equal + differ} runs print what sacreBLEU prints; {absent} have no texts in {data}")


def _runs(script: str) -> Iterator[tuple[str, str]]:
    for table in RUNS:
        found = re.search(rf"declare -A {table}=\((.*?)^ *\)", script, re.DOTALL | re.MULTILINE)
        for name in re.findall(r'\["(newstest2017[^"]+)"\]=', found[1] if found else ""):
            yield table, name


def _outputs(data: Path, pair: str, place: Path) -> dict[str, list[str]]:
    """Return the outputs of a pair by system, and write its texts as sacreBLEU has them."""
    path = data / "wmt17" / f"{pair}.outputs.tsv.gz"
    if not path.exists():
        return {}
    if pair not in _KEPT:
        _KEPT[pair] = {name: column for name, column in _table(path).items() if name != "seg"}
        texts = _table(data / "wmt17" / f"{pair}.segments.tsv.gz")
        (place / "wmt17").mkdir(parents=True, exist_ok=True)
        fields = {"src": texts["source"], "ref": texts["reference"]}
        for field in ("src", "ref", "docid", "genre", "origlang"):
            lines = fields.get(field, [""] * len(texts["source"]))
            (place / "wmt17" / f"wmt17.{pair}.{field}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return _KEPT[pair]


_KEPT: dict[str, dict[str, list[str]]] = {}


def _table(path: Path) -> dict[str, list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))


if os.environ.get("PYTEST_SACREBLEU"):
    install()
if __name__ == "__main__":
    main()
