"""What all tests share: a home folder of their own, where the reference material lies, and readers for its scores."""

import contextlib
import gzip
import json
import os
import shutil
import site
import tempfile
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

# As the command does: processes are the only parallel work, here also those of pytest. Read when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A developer's shell must not change what commands print.
for _variable in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY", "SACREBLEU_FORMAT", "SACREBLEU_SEED"):
    os.environ.pop(_variable, None)

HOME = "TERCET_TESTS_HOME"  # set by the process that made the folder; those of pytest-xdist find it in theirs


def _use_own_home() -> None:
    """Give all tests one empty home, so that models, data sets and settings of whoever runs them change nothing."""
    os.environ.setdefault("PYTHONUSERBASE", site.getuserbase())  # packages may be installed in the real one
    home = os.environ[HOME] = tempfile.mkdtemp(prefix="tercet-tests-")
    os.environ.update(HOME=home, USERPROFILE=home, TERCET_DATA="")
    os.environ.pop("SACREBLEU", None)  # ~/.sacrebleu by default
    os.environ.pop("HF_HOME", None)
    for variable, folder in (("CACHE", ".cache"), ("CONFIG", ".config"), ("DATA", ".local/share"), ("STATE", ".state")):
        os.environ[f"XDG_{variable}_HOME"] = os.path.join(home, folder)  # noqa: PTH118
    os.environ["LOCALAPPDATA"] = os.environ["XDG_CACHE_HOME"]


if HOME not in os.environ:
    _use_own_home()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the home folder, at the end of the process that made it."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.get(HOME, ""), ignore_errors=True)


QUICK = 15  # examples of a property in `make test`
for _name, _examples in (("tercet", 100), ("quick", QUICK)):  # `make test` takes the second: --hypothesis-profile quick
    settings.register_profile(
        _name,
        max_examples=_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
settings.load_profile("tercet")

# What takes long and `make test` leaves out (marker `slow`): the beginnings of tests' names below this folder.
SLOW = (
    "reproduction/",  # the papers' tables
    # Whole test sets of WMT, and learning from them.
    "conformance/test_wmt19_texts.py",
    "conformance/test_ibm1_wmt19.py",
    "conformance/test_edit_metrics.py::test_scores_of_wmt19",
    "conformance/test_character.py::test_system_scores",
    "conformance/test_eed.py::test_system_scores",
    "conformance/test_evidence_shared.py::test_rankings_and_judges",
    "conformance/test_judged_alarms.py::test_precision_and_recall",
    "conformance/test_kobe.py::test_every_count",
    "conformance/test_meteor.py::test_with_its_table_of_paraphrases",
    "conformance/test_upf_cobalt",
    "conformance/test_wmt12_qe.py::test_errors_are_those",
    "conformance/test_wmt12_qe.py::test_cross_conformal",
    "contract/test_metrics.py::test_every_variant",  # the other metrics once are in both
    *(
        f"contract/test_metrics.py::test_every_metric_keeps_the_contract[{name}]"
        for name in ("bertr", "cobalt_f", "esim", "features_f", "layered", "metrics_f", "party", "prep", "upc_stout")
    ),
    "end_to_end/test_metrics_command.py::test_every_metric_scores_the_demo_or_says_what_it_needs[kobe]",
    # Simulations, long texts, many characters, killed workers.
    "unit/kernels/test_moses.py::test_characters_of_all_scripts",
    "unit/knowledge/test_building.py::test_a_dump_of_3000_entities",
    "unit/metrics/test_rima.py::test_scores_do_not_depend_on_avx512",  # under valgrind
    "unit/metrics/test_sequence_metrics.py::test_segments_of_400_words",
    "unit/quality/test_conformal.py::test_cross_conformal_intervals_of_grouped_data",
    "unit/quality/test_training.py::test_a_few_large_groups",
    "unit/quality/test_training.py::test_the_best_learner",
    "unit/stats/test_calibration.py::test_randomisation_keeps_its_level_on_few",
    "unit/stats/test_permutation.py::test_the_size_is_the_level",
    "unit/stats/test_permutation.py::test_exchanging_segments_rejects",
    "unit/test_checking.py::test_a_line_of_megabytes",
    "unit/test_checking_order.py::test_no_alarm_on_real_systems",
    "unit/test_engine.py::test_a_cluster_that_loses_a_worker",
    "unit/test_engine.py::test_a_scheduler_that_vanishes",
    "unit/tasks/test_review.py::test_100_000_segments",
    "unit/tasks/test_serve.py::test_a_request_that_takes_too_long",
    "unit/tasks/test_serve.py::test_jobs_outlive",
    "unit/tasks/test_serve.py::test_callers_who_need_the_same_encoder",
    "unit/test_isolation.py::test_concerned_tests_pass",
    "unit/metrics/test_long_lines.py",
    "end_to_end/test_fuzz.py::test_damaged",
    "end_to_end/test_packaged_parsers.py",  # downloads
    "end_to_end/test_cobalt.py::test_any_text_is_parsed",
    "end_to_end/test_kb_command.py::test_a_wikidata_dump_with_two_jobs",
    "end_to_end/test_kb_command.py::test_ctrl_c_stops",
    "end_to_end/test_parse_command.py::test_the_command_writes_what_the_library_returns_whatever",
    "end_to_end/test_score_command.py::test_memory_does_not_grow",
    "end_to_end/test_score_command.py::test_stopping_leaves_no_half_written_file[2]",
    # Metrics with encoders; the contract battery has them in both.
    *(
        f"end_to_end/test_verify_command.py::test_our_own_signatures_are_equal_for_every_metric[{name}]"
        for name in ("bertr", "bertscore", "esim", "kobe", "lasim", "wmdo", "yisi1")
    ),
    # A real browser; `make test` has most tests of the report in it.
    "end_to_end/test_accessibility.py",
    "end_to_end/test_entities_page.py",
    "end_to_end/test_pages_in_browser.py",
    "end_to_end/test_rating_browser",
    "end_to_end/test_report_in_browser.py::test_2000_segments",
    "end_to_end/test_report_layers.py",
    "end_to_end/test_track_page.py",
    "docs/test_coverage.py::test_the_site_builds",
    "docs/test_pictures.py::test_pictures_are_fresh",
)


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        name = item.path.relative_to(here).as_posix() + "::" + item.nodeid.partition("::")[2]
        if name.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        if not item.get_closest_marker("xdist_group") and _shares_a_fixture(item):
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(here).as_posix()))
        _limit_examples(item)


def _shares_a_fixture(item: pytest.Item) -> bool:
    """Tell whether the test uses what is made once for its module: one process should then run all tests that do."""
    fixtures = getattr(item, "_fixtureinfo", None)
    return fixtures is not None and any(
        definitions[-1].scope == "module" for definitions in fixtures.name2fixturedefs.values() if definitions
    )


def _limit_examples(item: pytest.Item) -> None:
    """Apply the quick profile also to properties that set a number of examples themselves."""
    test = getattr(item, "obj", None)
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None and settings.default.max_examples == QUICK < own.max_examples:
        getattr(test, "__func__", test)._hypothesis_internal_use_settings = settings(own, max_examples=QUICK)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Undo what a test changes for the whole process (variables, folder, logging): no test may depend on another."""
    from tests.docs.running import global_state

    with contextlib.chdir(Path.cwd()), mock.patch.dict(os.environ), global_state():
        return (yield)


SHARED = Path(__file__).resolve().parents[2] / "shared"
_ESCAPES = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with papers, golden scores and data; a stranger's clone has none."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("the reference material (../shared) is not here")
    return SHARED


@pytest.fixture(scope="module")
def small_word_lists() -> Iterator[None]:
    """Let quality models keep the 3,000 commonest words of a language, not all 300,000: they are saved often."""
    from tercet.language.frequencies import Frequencies, word_frequencies

    @cache
    def commonest(language: str) -> Frequencies:
        table = word_frequencies(language)
        return Frequencies(table.words[:3000], (table.keys[0][:3000],), (table.counts[0][:3000],), table.lowercase)

    with mock.patch("tercet.quality.resources.word_frequencies", commonest):
        yield


def read_golden_table(path: Path) -> dict[str, list[str]]:
    """Columns of a golden test set by header: src, ref0, ref1, sys:NAME; fields escape backslash, tab and line ends."""
    header, *rows = [line.split("\t") for line in path.read_bytes().decode("utf-8").split("\n") if line]
    return {name: [_unescape(row[i]) for row in rows] for i, name in enumerate(header)}


def _unescape(field: str) -> str:
    parts, i = [], 0
    while i < len(field):
        if field[i] == "\\" and field[i + 1 : i + 2] in _ESCAPES:
            parts.append(_ESCAPES[field[i + 1]])
            i += 2
        else:
            parts.append(field[i])
            i += 1
    return "".join(parts)


def read_golden(shared: Path, name: str) -> list[dict[str, Any]]:
    """The records of one golden file."""
    records: list[dict[str, Any]] = json.loads(gzip.decompress((shared / "golden" / f"{name}.json.gz").read_bytes()))
    return records
