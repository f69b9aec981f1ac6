"""Every kind of metric works in every command, and its direction survives saving, merging, comparing and printing."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import scoring
from tercet.data.score_archive import save_scores
from tercet.metrics import Metric, _registry, create
from tercet.tasks.score import board
from tercet.testing import check_metric

from ..docs.running import Ran, run
from ..end_to_end.command import tercet as command
from ..unit.metaeval.small import SYSTEMS as JUDGED
from ..unit.metaeval.small import make_set
from .kinds import KINDS, SEGMENTS, SYSTEMS, Kind, python_path, write_all, write_weights

kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_all(tmp_path_factory.mktemp("kinds"))


@pytest.fixture
def folder(written: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder with all texts and metrics, in which the test runs; the package with entry points is installed."""
    monkeypatch.chdir(written)
    monkeypatch.syspath_prepend(written / "site")
    _registry._plugins.cache_clear()
    yield written
    _registry._plugins.cache_clear()


def ran(folder: Path, *words: str, code: int = 0) -> Ran:
    done = run(words, folder=folder)
    assert done.code == code, done.out + done.err
    return done


def scores_of(folder: Path, kind: Kind, *words: str) -> dict[str, float]:
    """The scores of `tercet score` as JSON, by system."""
    done = ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "-f", "json", *words)
    found = json.loads(done.out)
    assert {item["higher_is_better"] for item in found} == {kind.higher_is_better}
    assert {item["name"] for item in found} == {kind.label}
    return {item["system"]: item["score"] for item in found}


def same(found: dict[str, float], expected: dict[str, float], kind: Kind) -> bool:
    return found == pytest.approx(expected, abs=10.0**-kind.decimals, rel=10.0**-kind.decimals)


def texts_of(folder: Path) -> tercet.TestSet:
    outputs = {system: (folder / system).read_text().splitlines() for system in SYSTEMS}
    return tercet.TestSet(outputs, {"ref": (folder / "ref").read_text().splitlines()})


@kinds
def test_scores_rank_the_systems(folder: Path, kind: Kind) -> None:
    found = scores_of(folder, kind)
    assert sorted(found, key=found.__getitem__, reverse=kind.higher_is_better) == list(SYSTEMS)
    table = ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "bleu").out
    assert kind.label in table.partition("\n")[0]


@kinds
def test_segments_documents_and_intervals_are_printed(folder: Path, kind: Kind) -> None:
    rows = ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "-sl", "-f", "tsv").out.rstrip().split("\n")
    assert len(rows) == 1 + SEGMENTS * len(SYSTEMS)
    text = ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "-sl").out
    assert f"good {kind.label}" in text
    shown = ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "--documents", "--docs", "docs").out
    assert "document 3" in shown
    (first, *_) = json.loads(
        ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "-ci", "-cin", "50", "-f", "json").out
    )
    assert first["ci_low"] <= first["score"] <= first["ci_high"]


@kinds
def test_shards_that_were_saved_merge_to_the_whole(folder: Path, kind: Kind, tmp_path: Path) -> None:
    whole, parts = texts_of(folder), []
    for number, rows in enumerate((slice(0, 10), slice(10, SEGMENTS))):
        parts.append(str(tmp_path / f"{number}.npz"))
        save_scores(parts[-1], tercet.score(whole[rows], kind.spec))
    found = json.loads(ran(folder, "score", "--merge", *parts, "-f", "json", "--trust-features").out)
    assert {item["higher_is_better"] for item in found} == {kind.higher_is_better}
    expected = scores_of(folder, kind)
    assert same({item["system"]: item["score"] for item in found}, expected, kind)
    saved = ran(folder, "score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "--save", str(tmp_path / "all.npz")).out
    words = ("score", "--merge", str(tmp_path / "all.npz"), "--trust-features")
    assert ran(folder, *words).out.split("\n\n")[0] == saved.split("\n\n")[0]


@kinds
def test_the_cache_gives_the_same_a_second_time(folder: Path, kind: Kind, tmp_path: Path) -> None:
    first = scores_of(folder, kind, "--cache", str(tmp_path))
    files = sorted(tmp_path.iterdir())
    assert len(files) == len(SYSTEMS)
    assert scores_of(folder, kind, "--cache", str(tmp_path)) == first
    assert sorted(tmp_path.iterdir()) == files


@kinds
def test_processes_give_the_same(folder: Path, kind: Kind) -> None:
    words = ("score", "ref", "-i", *SYSTEMS, "-m", kind.spec, "-f", "json", "--jobs", "2")
    done = command(*words, cwd=folder, PYTHONPATH=python_path(folder))
    assert done.code == 0, done.err
    assert same({item["system"]: item["score"] for item in done.json}, scores_of(folder, kind), kind)


@kinds
def test_comparing_knows_the_direction(folder: Path, kind: Kind) -> None:
    words = ("compare", "ref", "-i", *SYSTEMS, "-m", kind.spec, "--test", "randomisation", "-n", "500", "--top", "1")
    text = ran(folder, *words, "--details").out
    assert ("higher" if kind.higher_is_better else "lower") + " is better" in text.partition("\n")[0]
    (metric,) = json.loads(ran(folder, *words, "-f", "json").out)["metrics"]
    assert metric["higher_is_better"] is kind.higher_is_better
    ranked = sorted(metric["systems"], key=lambda system: system["rank_low"])
    assert [system["system"] for system in ranked] == list(SYSTEMS)


@kinds
def test_a_gate_fails_for_the_worse_system_only(folder: Path, kind: Kind) -> None:
    sentence = ("--fail-if", "any worsens", "--test", "randomisation", "-n", "500", "--top", "0")
    assert ran(folder, "compare", "ref", "-i", "good", "bad", "-m", kind.spec, *sentence, code=3)
    assert ran(folder, "compare", "ref", "-i", "bad", "good", "-m", kind.spec, *sentence)


@kinds
def test_scores_that_were_saved_are_compared_in_the_same_direction(folder: Path, kind: Kind, tmp_path: Path) -> None:
    save_scores(tmp_path / "x.npz", tercet.score(texts_of(folder), kind.spec))
    loaded = scoring.load(tmp_path / "x.npz", trust_features=True)
    for found in (loaded, scoring.merge([loaded])):
        result = tercet.comparing.compare_scores(found, tests=["randomisation"], resamples=500)
        assert result.metrics[0].higher_is_better is kind.higher_is_better
        assert result.metrics[0].pair("good", "bad").better(kind.higher_is_better) == "good"


@kinds
def test_explaining_works_or_is_refused_with_the_reason(folder: Path, kind: Kind) -> None:
    words = ("explain", "ref", "-i", "good", "-m", kind.spec)
    if kind in (KINDS["ours"], KINDS["ours, lower is better"]):
        assert kind.label in ran(folder, *words).out
    else:
        error = ran(folder, *words, code=2).err
        assert re.search(rf"{re.escape(create(kind.spec).name)} cannot say what it saw in a segment", error), error


@kinds
def test_metrics_describes_it(folder: Path, kind: Kind) -> None:
    text = ran(folder, "metrics", kind.spec).out
    assert f"better:     {'higher' if kind.higher_is_better else 'lower'}" in text


@kinds
def test_people_judge_it(folder: Path, kind: Kind, tmp_path: Path) -> None:
    data = make_set(tmp_path / "small")
    (row,) = json.loads(
        ran(folder, "meta", str(data), "-m", kind.spec, "--stat", "pearson", "-n", "50", "-f", "json").out
    )
    assert row["n"] == len(JUDGED)
    assert row["value"] > 0.8  # scores of errors count with the sign turned


@pytest.mark.parametrize("name", [name for name in KINDS if "function" not in name])
def test_the_battery_passes(folder: Path, name: str) -> None:
    check_metric(KINDS[name].spec)
    check_metric(create(KINDS[name].spec))


@pytest.mark.parametrize("name", [name for name in KINDS if name.startswith(("ours", "entry"))])
def test_a_score_is_verified_by_its_signature(folder: Path, name: str) -> None:
    (entry,) = json.loads(ran(folder, "score", "ref", "-i", "fair", "-m", KINDS[name].spec, "-f", "json").out)
    signature = f"{entry['name']}|{entry['signature']}"
    ran(folder, "verify", signature, f"{entry['score']:.4f}", "ref", "-i", "fair")
    ran(folder, "verify", signature, f"{entry['score'] + 1:.4f}", "ref", "-i", "fair", code=1)


def test_a_package_with_entry_points_is_found_by_the_installed_command(folder: Path) -> None:
    specs = [kind.spec for kind in KINDS.values() if kind.spec.startswith("plug_")]
    words = ("score", "ref", "-i", *SYSTEMS, "-m", *specs, "-f", "json")
    done = command(*words, cwd=folder, PYTHONPATH=python_path(folder))
    assert done.code == 0, done.err
    assert {item["name"] for item in done.json} == {"overlap", "WordErrors", "Cosine"}
    listed = command("metrics", cwd=folder, PYTHONPATH=python_path(folder))
    assert all(spec.partition(":")[0] in listed.out for spec in specs)


def test_an_instance_from_python_keeps_its_direction(folder: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(folder / "site"))
    metric = create("simple.py:WordErrors:alpha=3")
    assert isinstance(metric, Metric)
    found = tercet.score(texts_of(folder), [metric, "bleu"])
    assert [item.higher_is_better for item in found] == [False, True]
    save_scores(tmp_path / "x.npz", found)
    merged = scoring.merge([scoring.load(tmp_path / "x.npz", trust_features=True)])
    assert [item.higher_is_better for item in merged] == [False, True]
    assert dict(merged[0].system) == dict(found[0].system)
    result = tercet.compare(texts_of(folder), metric, tests=["randomisation"], resamples=500)
    assert result.metrics[0].pair("good", "bad").better(False) == "good"


def test_parameters_are_those_of_the_string(folder: Path) -> None:
    one, two, half = (scores_of(folder, KINDS[name]) for name in ("class", "class with a parameter", "instance"))
    assert two == pytest.approx({system: 2 * value for system, value in one.items()})
    assert half == pytest.approx({system: value / 2 for system, value in one.items()})


FAULTS = """
from tercet.metrics import SegmentMetric


def nothing(output, references):
    return None


def other(text):
    return 1


class Plain:
    pass


class NoScore(SegmentMetric):
    def count_segment(self, output, references, source):
        return [1.0]
"""


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("simple.py:WordErors", "There is no metric in simple.py called 'WordErors'. Did you mean WordErrors?"),
        ("simple.py:WordErrors:alpha=0", "alpha must be above 0, not 0"),
        ("simple.py:WordErrors:beta=1", "There is no parameter of simple.py:WordErrors called 'beta'"),
        ("absent.py:X", "There is no file absent.py."),
        ("simple.py:overlap:alpha=1", "is a function that scores a segment; it takes no parameters"),
        ("faults.py:nothing", "faults.py:nothing must return a number for a segment, not None."),
        ("faults.py:other", "A function that scores a segment is f(output, references)"),
        ("faults.py:Plain", "faults.py:Plain is no metric, and no function that gives one"),
        ("faults.py:NoScore", "faults.py:NoScore failed while it scored: it has no method score."),
        ("faults:nothing", "For one in a file of your own write faults.py:NAME."),
        ("nonesuch", "There is no metric called 'nonesuch'. 'tercet metrics' lists them."),
        ("learned.py:Distance:weights=absent.npy", "there is no file absent.npy (weights)"),
    ],
)
def test_misuse_is_refused_with_a_message(folder: Path, spec: str, message: str) -> None:
    (folder / "faults.py").write_text(FAULTS)
    assert message in ran(folder, "score", "ref", "-i", "good", "-m", spec, code=2).err


@pytest.mark.parametrize("spec", ["simple.py:half:alpha=1", "plug_half:alpha=1"])
def test_an_instance_with_other_parameters_is_found_again(
    folder: Path, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plug_simple import half  # type: ignore[import-not-found]

    class Point:
        def load(self) -> Any:
            return half

    with monkeypatch.context() as patched:
        patched.setattr(_registry, "_plugins", lambda: {"plug_half": Point()})
        metric = create(spec)
        assert create(metric.spec) == metric


def test_new_weights_give_new_scores_with_a_cache(tmp_path: Path) -> None:
    folder = write_all(tmp_path / "texts")
    kind = KINDS["encoder with weights"]
    words = ("--cache", str(tmp_path / "cache"))
    first = scores_of(folder, kind, *words)
    write_weights(folder / "weights.npy", 2)
    second = scores_of(folder, kind, *words)
    assert second != first
    assert second == scores_of(folder, kind)
    write_weights(folder / "weights.npy", 1)
    assert scores_of(folder, kind, *words) == first


def test_a_changed_class_gives_new_scores_with_a_cache(tmp_path: Path) -> None:
    folder = write_all(tmp_path / "texts")
    kind = KINDS["class"]
    words = ("--cache", str(tmp_path / "cache"))
    first = scores_of(folder, kind, *words)
    source = (folder / "simple.py").read_text()
    (folder / "simple.py").write_text(source.replace("return self.alpha *", "return 10 * self.alpha *"))
    assert scores_of(folder, kind, *words) == pytest.approx({name: 10 * value for name, value in first.items()})


@pytest.mark.parametrize("damage", ["zeros", "cut", "fewer columns", "another metric", "no header"])
def test_damaged_cache_files_are_computed_again_with_a_warning(folder: Path, tmp_path: Path, damage: str) -> None:
    words = ("score", "ref", "-i", *SYSTEMS, "-m", "bleu", "-f", "json", "--cache", str(tmp_path))
    expected = json.loads(ran(folder, *words).out)
    victim, other = sorted(tmp_path.glob("*.counts"))[:2]
    header, _, numbers = victim.read_bytes().partition(b"\n")
    if damage == "zeros":
        victim.write_bytes(header + b"\n" + bytes(len(numbers)))
    elif damage == "cut":
        victim.write_bytes(victim.read_bytes()[:-8])
    elif damage == "fewer columns":
        about = json.loads(header)
        array = np.frombuffer(numbers).reshape(about["shape"])[:, :-1]
        about["shape"] = list(array.shape)
        victim.write_bytes(json.dumps(about).encode() + b"\n" + array.tobytes())
    elif damage == "another metric":
        victim.write_bytes(other.read_bytes())
    else:
        victim.write_bytes(numbers)
    again = ran(folder, *words)
    assert json.loads(again.out) == expected
    assert "damaged" in again.err and victim.name in again.err
    last = ran(folder, *words)
    assert (json.loads(last.out), last.err) == (expected, "")


def test_a_cache_of_zero_bytes_is_computed_again(folder: Path, tmp_path: Path) -> None:
    words = ("score", "ref", "-i", *SYSTEMS, "-m", "bleu", "-f", "json", "--cache", str(tmp_path))
    expected = ran(folder, *words).out
    for path in tmp_path.glob("*.counts"):
        path.write_bytes(bytes(path.stat().st_size))
    again = ran(folder, *words)
    assert again.out == expected
    assert again.err.count("damaged") == len(SYSTEMS)


def test_cache_files_of_the_first_version_are_named(folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "old.npy", np.zeros(3))
    done = ran(folder, "score", "ref", "-i", "good", "--cache", str(tmp_path))
    assert "1 file of Tercet 0.1" in done.err.replace("1 files", "1 file")
    assert "*.npy" in done.err


def test_no_metric_is_created_to_print_a_cell(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ref", "good", "bad"):
        lines = (folder / name).read_text().splitlines()
        (tmp_path / name).write_text("".join(f"{lines[i % SEGMENTS]} {i}\n" for i in range(1000)))
        (tmp_path / f"{name}.short").write_text("".join(f"{line}\n" for line in lines[:2]))
    created: list[str] = []
    original = Metric.__post_init__

    def counting(self: Metric) -> None:
        created.append(type(self).__name__)
        original(self)

    render, rendered = board.render, []

    def rendering(*given: Any) -> str:
        before = len(created)
        text = render(*given)
        rendered.append(len(created) - before)
        return text

    monkeypatch.setattr(Metric, "__post_init__", counting)
    monkeypatch.setattr(board, "render", rendering)
    made = []
    for end in (".short", ""):
        for form in ("text", "tsv", "json", "markdown"):
            created.clear()
            words = ("score", f"ref{end}", "-i", f"good{end}", f"bad{end}", "-m", "bleu", "chrf", "-sl", "-f", form)
            ran(tmp_path, *words)
            made.append(len(created))
    assert made[:4] == made[4:] and min(made) > 0  # rows cost nothing
    assert rendered == [0] * 8


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_fault_in_a_metric_of_ones_own_is_reported_with_its_place(folder: Path, jobs: str) -> None:
    (folder / "faulty.py").write_text("def faulty(output, references):\n    return 1 / (len(output) - len(output))\n")
    shown = ran(folder, "score", "ref", "-i", "good", "-m", "faulty.py:faulty", "-j", jobs, code=2).err
    assert "faulty.py:faulty failed while it counted: ZeroDivisionError" in shown
    assert "faulty.py, line 2" in shown
    assert "Traceback" not in shown


@pytest.mark.xdist_group("cluster")
@pytest.mark.filterwarnings("ignore")  # distributed is noisy when it closes
def test_metrics_of_ones_own_are_counted_on_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    write_all(tmp_path)
    testset = tercet.demo("en-de")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        for spec in (f"{tmp_path}/simple.py:WordErrors:alpha=2", f"{tmp_path}/simple.py:overlap"):
            there = tercet.score(testset, spec, cluster=cluster.scheduler_address)[0]
            assert there.system == tercet.score(testset, spec)[0].system
