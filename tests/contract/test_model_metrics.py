"""The battery over metrics that are models of other people, with tiny models or packages that stand in."""

from importlib.util import find_spec

import pytest

from tercet.testing import check_metric

from .. import model_files

NEEDS_TRANSFORMERS = pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None, reason="the extra hf is not installed"
)


@pytest.mark.parametrize("variant", ["", ",references=best"])
def test_comet_keeps_the_contract(variant, tmp_path, monkeypatch):
    model_files.install_comet(monkeypatch)
    check_metric(f"comet:model={model_files.write_comet(tmp_path / 'm')}{variant}")


def test_comet_without_references_keeps_the_contract(tmp_path, monkeypatch):
    model_files.install_comet(monkeypatch)
    check_metric(f"comet:model={model_files.write_comet(tmp_path / 'm', kind='referenceless_regression_metric')}")


@pytest.mark.skipif(find_spec("comet") is None, reason="the extra comet is not installed")
@pytest.mark.filterwarnings("ignore")
def test_comet_for_real_keeps_the_contract(tmp_path):
    check_metric(f"comet:model={model_files.write_real_comet(tmp_path / 'm', references=False)}")


def test_bleurt_keeps_the_contract(tmp_path, monkeypatch):
    model_files.install_bleurt(monkeypatch)
    check_metric(f"bleurt:model={model_files.write_bleurt(tmp_path / 'm')},references=best")


@NEEDS_TRANSFORMERS
@pytest.mark.parametrize(("labels", "variant"), [(1, ",against=source"), (3, ",against=source,label_name=0")])
def test_classifiers_keep_the_contract(labels, variant, tmp_path):
    check_metric(f"classifier:model={model_files.write_classifier(tmp_path / 'm', labels=labels)}{variant}")


@NEEDS_TRANSFORMERS
@pytest.mark.parametrize("variant", [",references=none", ",references=none,year=23"])
def test_metricx_keeps_the_contract(variant, tmp_path):
    check_metric(f"metricx:model={model_files.write_metricx(tmp_path / 'm')}{variant}")
