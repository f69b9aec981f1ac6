"""Combinations of metrics in TOML files: ours, and those of users."""

import pickle
import re
from pathlib import Path

import pytest

import tercet
from tercet.errors import TercetError, Untrusted, UsageError
from tercet.metrics import Shard, create, create_from_file
from tercet.metrics._combinations import OURS
from tercet.testing import SAMPLE, check_metric

from .test_trust import code, ran, write_model  # noqa: F401  # `code` is a fixture

MEMBERS = """
label = "Mine"
[members]
sentbleu = { weight = 1, bounds = [0, 1] }
"chrf:word_order=2" = { weight = 2, bounds = [0, 100] }
ter = { bounds = [-100, 0] }
"""
TEXTS = tercet.TestSet({"x": ["a b c d", "e"], "y": ["a b c", "e f"]}, {"r": ["a b c d", "e"]})


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_the_score_is_the_weighted_mean_between_the_bounds(tmp_path):
    mine = create(written(tmp_path, MEMBERS))
    scores = tercet.score(TEXTS, [mine, "sentbleu", "chrf:word_order=2", "ter"])
    bleu, chrf, ter = (each.segment["y"] for each in scores[1:])
    expected = (bleu + 2 * chrf / 100 + 1 - (ter / 100).clip(0, 1)) / 4
    assert scores[0].segment["y"].tolist() == pytest.approx(expected.tolist())
    assert scores[0].segment["x"].tolist() == pytest.approx([1, scores[0].segment["x"][1]])


def test_a_combination_of_the_user_keeps_the_contract(tmp_path):
    path = written(tmp_path, MEMBERS)
    check_metric(path)
    check_metric(f"{path}:scale=z")
    check_metric(written(tmp_path, "[members]\nbleu = 1\nter = 0.5\n"))


def test_it_is_the_same_in_another_process_and_another_one_when_the_file_changes(tmp_path):
    path = written(tmp_path, MEMBERS)
    ready = create(path).ready(SAMPLE)
    again = pickle.loads(pickle.dumps(ready))
    assert again == ready
    assert (again.count(Shard(SAMPLE))["far"] == ready.count(Shard(SAMPLE))["far"]).all()
    assert re.search(r"\|toml:[0-9a-f]{16}\|", ready.signature)
    assert "source=" in ready.fingerprint
    written(tmp_path, MEMBERS.replace("weight = 2", "weight = 3"))
    assert create(path).ready(SAMPLE).signature != ready.signature


def test_a_model_can_be_declared_too(tmp_path):
    write_model(tmp_path / "my.metric", "chrf", "ter")
    declared = create(written(tmp_path, 'model = "my.metric"\n'))
    learned = create(f"learned:model={tmp_path / 'my.metric'}")
    assert tercet.score(TEXTS, declared)[0].system == tercet.score(TEXTS, learned)[0].system


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[members", "cannot be read as TOML: Expected "),
        ("", "must have either members, .* or model"),
        ('model = "a"\n[members]\nbleu = 1', "must have either members, .* or model"),
        ("[members]", "the table of members is empty"),
        ('lable = "x"\n[members]\nbleu = 1', "no key of .*mine.toml called 'lable'. Did you mean label"),
        ("version = true\n[members]\nbleu = 1", "version must be a whole number, not True"),
        ('members = "bleu"', r"members must be a table, \[members\], not 'bleu'"),
        ('label = "a|b"\n[members]\nbleu = 1', "the label must not be empty or hold"),
        ('label = "a\\nb"\n[members]\nbleu = 1', "the label must not be empty or hold"),
        ("version = 0\n[members]\nbleu = 1", "version must be 1 or more, not 0"),
        ("label = 2026-01-01\n[members]\nbleu = 1", "label must be a text"),
        (f"[members]\nbleu = 1{'0' * 400}", "the weight of bleu must be a number other than 0"),
        ("[members]\nbleu = nan", "the weight of bleu must be a number other than 0, not nan"),
        ("[[members]]\nbleu = 1", "members must be a table"),
        ('[members]\n"" = 1', "There is no metric called ''"),
        ("[members]\nbleu = 0", "the weight of bleu must be a number other than 0, not 0"),
        ("[members]\nbleu = inf", "the weight of bleu must be a number other than 0, not inf"),
        ('[members]\nbleu = "1"', "the weight of bleu must be a number other than 0, not '1'"),
        ("[members]\nbleu = { wait = 1 }", "no key of the member bleu of .* called 'wait'"),
        ("[members]\nbleu = { bounds = [0] }", r"must be \[LOWEST, HIGHEST\], two numbers, not \[0\]"),
        ("[members]\nbleu = { bounds = [1, 0] }", "the first bound of bleu must be below the second"),
        ("[members]\nbleu = { bounds = [0, 1] }\nter = 1", "ter has no bounds, and others have"),
        ('[members]\n"mean:of=a.toml" = 1', "is no member: parts of metrics and other files"),
        ('[members]\n"beer@char3.a" = 1', "is no member: parts of metrics and other files"),
        ("[members]\nchrff = 1", "mine.toml: There is no metric called 'chrff'. Did you mean chrf"),
        ("[members]\nlength = 1\nbleu = 1", "length has no better direction"),
        ('model = "no.metric"', "no.metric"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(tmp_path, text, message):
    with pytest.raises(TercetError, match=message):
        tercet.score(TEXTS, written(tmp_path, text))


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "mine.toml").write_bytes(b"label = '\\xff\\xfe'".replace(b"\\xff\\xfe", bytes([255, 254])))
    with pytest.raises(UsageError, match="cannot be read as TOML"):
        create(str(tmp_path / "mine.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match="There is no file"):
        create(str(tmp_path / "folder.toml"))


@pytest.mark.parametrize("spec", ["missing.toml", "{}:scale=wide", "{}:of=bleu", "{}:scale"])
def test_a_wrong_request_is_refused(tmp_path, spec):
    with pytest.raises(UsageError):
        create(spec.format(written(tmp_path, MEMBERS)))


def test_no_file_runs_code_unless_the_user_allows_it(tmp_path, code):  # noqa: F811
    path = written(tmp_path, f'[members]\n"{code}" = 1\nbleu = 1\n')
    for asked in (create(path), f"mean:of={path}+bleu"):
        with pytest.raises(Untrusted, match="own.py"):
            tercet.score(TEXTS, asked)
    with pytest.raises(Untrusted, match="own.py"):
        create_from_file(path, "A model")
    assert not ran(code)
    tercet.score(TEXTS, f"{path}:trust_features=true")
    assert ran(code)


def test_no_file_asks_a_service_or_sets_what_belongs_to_the_computer(tmp_path):
    judge = '"judge:endpoint=http://localhost:1/v1,model=m"'
    with pytest.raises(Untrusted, match="allow_network"):
        tercet.score(TEXTS, written(tmp_path, f"[members]\n{judge} = 1\n"))
    with pytest.raises(Untrusted, match="belongs to this computer"):
        tercet.score(TEXTS, written(tmp_path, '[members]\n"cobalt:parses=/tmp/x" = 1\n'))


@pytest.mark.parametrize("path", sorted(OURS.glob("*.toml")), ids=lambda path: path.stem)
def test_our_combinations_can_be_copied(path, tmp_path):
    text = path.read_text("utf-8").replace("../data/", f"{OURS.parent}/data/")
    ours, copied = create(path.stem), create(written(tmp_path, text))
    assert [each.spec for each in ours.members()] == [each.spec for each in copied.members()]
    assert (ours.label, ours.paper) == (copied.label, copied.paper)
    assert create(ours.signature) == ours.resolved()
    assert pickle.loads(pickle.dumps(ours)) == ours


def test_a_combination_that_needs_itself_through_a_model_is_refused(tmp_path):
    model = write_model(tmp_path / "loop.metric", str(tmp_path / "mine.toml"), "chrf")
    path = written(tmp_path, f'[members]\n"learned:model={model}" = 1\nbleu = 1\n')
    with pytest.raises(TercetError, match="It may need itself"):
        tercet.score(TEXTS, path)
