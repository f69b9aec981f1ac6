"""One small file of every kind that is read, and what each reader returns for it (`test_reading`)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tercet.data.evidence import evidence_pairs, open_evidence
from tercet.data.formats import is_bilingual
from tercet.data.formats.reading import pairs_of_judgements, pairs_of_scores, read_judgement_file, read_scores
from tercet.data.judgements import Judgements
from tercet.data.layouts import open_testset
from tercet.data.score_archive import save_scores
from tercet.data.scores import Scores
from tercet.data.stream import chosen_texts
from tercet.data.testset import TestSet
from tercet.data.workbook import write_xlsx
from tercet.errors import TercetError
from tercet.human.agreement_files import load
from tercet.quality.inputs import read_column
from tercet.scoring import score

from .test_bilingual import CSV, PO, TMX, XLIFF_12, XLIFF_20
from .test_layouts import SGM

ITEM = {"i": 0, "src": "s", "ref": {"A": "r"}, "tgt": {"x": "a", "y": "b"}, "pair": "en-de"}
SCORED = ITEM | {"scores": {"x": {"m": 0.5}, "y": {"m": 0.25}}}
JUDGED = {"kind": "da", "segment": "1", "system": "x", "value": 70, "rater": "r"}
MARKED = JUDGED | {"kind": "mqm", "value": None, "spans": [{"start": 0, "end": 1, "severity": "major"}], "pair": "a-b"}
CAMPAIGN = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
POST_EDITS = "file_name\tline_in_file\twho\ttime\tkeystrokes\tDA\tHTER\tTER\tBLEU\tMETEOR"
XML = (
    '<?xml version="1.0"?><dataset id="n"><doc origlang="en" id="d"><src lang="en"><p><seg id="1">s</seg></p></src>'
    '<ref lang="de" translator="A"><p><seg id="1">r</seg></p></ref>'
    '<hyp system="x" lang="de"><p><seg id="1">o</seg></p></hyp></doc></dataset>\n'
)
TBX = (
    '<tbx><text><body><conceptEntry><langSec xml:lang="en"><term>cat</term></langSec>'
    '<langSec xml:lang="de"><term>Katze</term></langSec></conceptEntry></body></text></tbx>\n'
)
PEARMUT = {"c": [{"user_id": "u", "item_i": 0, "annotation": {"x": {"score": 50}, "y": {"score": 70}}}]}
COMET = {"out/x.txt": [{"src": "s", "mt": "a", "COMET": 0.5}, {"src": "s", "mt": "b", "COMET": 0.25}]}
MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
MQM_ROW = "x\td\t1\t1\tr1\ts\ta <v>b</v>\taccuracy\tmajor"
UNBABEL_ROW = 'x\td\t1\t1\tr1\ts\ta <v>b</v>\taccuracy\tmajor\t"{""mqm"": 80}"'
ONE_SGM = "outputs/de-en/newstest2019.rug-nmt.7.de-en.sgm"
TEXTS: Mapping[str, str] = {
    "plain.txt": "eins\nzwei\n",
    "system.txt": "System one is here.\nSegment two, too.\n",
    "segment.txt": "Segment A\nsystem B\n",
    "empty.tsv": "",
    "texts.en-de.jsonl": f"{json.dumps(ITEM)}\n",
    "texts.jsonl": f"{json.dumps({k: v for k, v in ITEM.items() if k != 'pair'})}\n",
    "scored.jsonl": f"{json.dumps(SCORED)}\n",
    "judged.jsonl": f"{json.dumps(JUDGED)}\n",
    "marked.jsonl": f"{json.dumps(MARKED)}\n",
    "broken.jsonl": "{\n",
    "texts.tsv": "src\tref:A\tsys:x\tdoc\tseg\nq\tr\ta\td\t7\n",
    "systems.tsv": "source\tref\tx\ty\nq\tr\ta\tb\n",
    "twice.tsv": "source\tref\tx\tx\nq\tr\ta\tb\n",
    "en-de.segments.tsv": "seg\tsource\tref_A\n1\ts\tr\n",
    "en-de.outputs.tsv": "seg\tx\ty\n1\ta\tb\n",
    "named.tsv": "Source\tTarget\tReference\nq\ta\tr\n",
    "quoted.tsv": 'Source\tTarget\n"a\tb"\tc\n',
    "app.csv": CSV,
    "app.tabs.csv": "Key\tSource\tTarget\nk\ta\tb\n",
    "twice.csv": "Source,Target,Comment,Comment\na,b,c,d\n",
    "twice.texts.csv": "Source,Target,Target\na,b,c\n",
    "unknown.csv": "a,b,c\n1,2,3\n",
    "app.xlf": XLIFF_12,
    "app.sdlxliff": XLIFF_20,
    "app.tmx": TMX.format(encoding="utf-8"),
    "app.po": PO,
    "terms.tbx": TBX,
    "newstest.en-de.xml": XML,
    "newstest.xml": XML,
    "tests.xml": "<testsuites/>\n",
    "rug.de-en.sgm": SGM[ONE_SGM],
    "mine-refA.seg.score": "x\t.5\nx\t.25\n",
    "mine.score": "x .5\ny .25\n",
    "mine.sys.score": "x\t.5\ny\t.25\n",
    "wmt19.seg.score": "m\ten-de\tset\tx\t1\t.5\tnon-ensemble\tno\n",
    "wmt21.sys.score": "m\ten-de\tset\trefA\tx\t.5\n",
    "two.wmt14.sys.score": "m\ten-de\tset\tx\t.5\nm\tde-en\tset\tx\t.5\n",
    "long.tsv": "system\tseg\tm\nx\t1\t.5\nx\t2\t.25\n",
    "long.csv": "system,seg,m\nx,1,.5\nx,2,.25\n",
    "pairs.tsv": "lp\tsystem\tm\nen-de\tx\t.5\nde-en\tx\t.25\n",
    "blanks.csv": "LP SYSTEM HUMAN BLEU\nen-de x .1 30\n",
    "en-de.chrF.tsv": "seg\tx\ty\n1\t.5\t.25\n",
    "molten.tsv": "metric\tsystem\tscore\nm\tx\t.5\n",
    "human.tsv": "kind\tsystem\tscore\nmqm\tx\t-3\nda-sqm\tx\t80\n",
    "newstest.en-de.mqm.tsv": "seg\tsystem\tmqm\n1\tx\t-1\n2\tx\tNone\n",
    "da.tsv": "system\tseg_id\tDA_raw\tDA_z\nx\t1\t70\t.5\n",
    "repeated.tsv": "system\tm\tm\nx\t1\t2\n",
    "bad.tsv": "system\tDA\nx\tgood\n",
    "comet.json": json.dumps(COMET) + "\n",
    "list.json": json.dumps(COMET["out/x.txt"]) + "\n",
    "predict.json": '{"scores": [0.5, 0.25], "system_score": 0.375}\n',
    "comet.txt": "x.txt\tSegment 0\tscore: 0.5\nx.txt\tSegment 1\tscore: 0.25\nx.txt\tscore: 0.375\n",
    "Alder.comet": "0.5\n0.25\n",
    "Birch.txt": "1 0.5\n2 0.25\n",
    "Cedar.txt": "id score\n1 0.5\n2 0.25\n",
    "en-de.darr.tsv": "seg\tbetter\tworse\n1\tx\ty\n",
    "csen.darr_agree.tsv": "seg\tbetter\tworse\n1\tx\ty\n",
    "rankings.tsv": "lp\tseg\tjudge\tsystems\tranks\nen-de\t1\tj\tx|y,z\t1|2\nde-en\t1\tj\tx|y\t2|1\n",
    "wmt15.fre-eng.csv": f"{CAMPAIGN}\nfre,eng,1,4,j,x,1,y,2,7\n",
    "ratings.tsv": "rater\titem\tsegment\tsystem\tkind\tvalue\tlp\nr\ti\t1\tx\tda\t70\ten-de\n",
    "ratings.csv": 'rater,item,segment,system,kind,value,spans\nr,i,1,x,mqm,,"[{""severity"": ""minor""}]"\n',
    "mqm.tsv": f"{MQM}\n{MQM_ROW}\n",
    "unbabel.tsv": f"{MQM}\tmisc\n{UNBABEL_ROW}\n",
    "bare.mqm_ratings.tsv": 'x\t{"errors": []}\tr\nx\tNone\n',
    "en-de.mqm.seg.rating": 'x\t{"errors": [{"severity": "major", "score": 5}]}\nx\tNone\n',
    "en-de.dev.tsv": "index\toriginal\ttranslation\tscores\tmean\tz_mean\n0\ts\ta\t[70, 80]\t75\t.1\n",
    "training.tsv": "seg\tsource\tmt\teffort\tscore1\tweight1\tscore2\tweight2\n1\ts\ta\t4.5\t5\t.5\t4\t.5\n",
    "post-edits.tsv": f"{POST_EDITS}\nnewstest2011.en-es.x_doc-9\t5\tann\t1500\t68\t.5\t.25\t.6\t.1\t.3\n",
    "judges.tsv": "judge\tsegment_id\tbatch\trating\nj\t1\t2\t4\n",
    "appraise.csv": "u,wmt.x,1,TGT,eng,deu,70,10,12\nu,wmt.y,1,BAD,eng,deu,40,12,19\n",
    "pearmut.json": json.dumps(PEARMUT) + "\n",
    "latin.tsv": "system\tcaf\udce9\n",
    "nul.csv": "a,\0b\n",
}


def write_examples(folder: Path) -> list[Path]:
    """Write the examples, and gzipped copies of some, and return their paths in order of the names."""
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    for name in ("texts.en-de.jsonl", "systems.tsv", "app.xlf", "mine.sys.score", "ratings.csv", "long.tsv"):
        (folder / f"zipped.{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes(), mtime=0))
    with (folder / "app.xlsx").open("wb") as stream:
        write_xlsx(stream, ["ID", "Source", "MT"], [["k", "a", "b"]])
    with (folder / "ratings.xlsx").open("wb") as stream:
        write_xlsx(stream, ["system", "seg", "m"], [["x", "1", "0.5"]])
    save_scores(folder / "saved.npz", score(TestSet({"x": ["a b"]}, {"r": ["a c"]}, pair="en-de"), ["ter"]))
    return sorted(folder.iterdir())


def readings(path: Path) -> dict[str, Any]:
    """Return what each reader returns for a file, or its error without the folder."""
    readers: dict[str, Callable[[], Any]] = {
        "texts": lambda: open_testset(path),
        "texts of en-de": lambda: open_testset(path, "en-de"),
        "texts by columns": lambda: open_testset(path, columns={"source": "a", "output": "b"}),
        "output": lambda: next(iter(chosen_texts("output", [str(path)], {}).values())),
        "reference": lambda: next(iter(chosen_texts("reference", [str(path)], {}).values())),
        "is bilingual": lambda: is_bilingual(path),
        "lines": lambda: read_column(path).values,
        "column": lambda: read_column(f"{path}:system").values,
        "scores": lambda: read_scores(path),
        "scores of en-de": lambda: read_scores(path, pair="en-de", segments=["1", "2"]),
        "scores of one system": lambda: read_scores(path, system="S"),
        "pairs of scores": lambda: pairs_of_scores(path),
        "judgements": lambda: read_judgement_file(path, pair="en-de"),
        "judgements of an export": lambda: read_judgement_file(path, kind="da", system_prefix="wmt."),
        "pairs of judgements": lambda: pairs_of_judgements(path),
        "evidence": lambda: open_evidence(path),
        "pairs of evidence": lambda: evidence_pairs(path),
        "agree": lambda: load([path]),
    }
    return {name: _attempt(reader, path.parent) for name, reader in readers.items()}


def _attempt(reader: Callable[[], Any], folder: Path) -> Any:
    try:
        return _plain(reader(), folder)
    except TercetError as error:
        return f"{type(error).__name__}: {str(error).replace(f'{folder}/', '')}"


def _plain(found: Any, folder: Path) -> Any:
    if isinstance(found, TestSet):
        texts = {"outputs": found.outputs, "references": found.references, "source": found.source}
        more = {"documents": found.documents, "labels": found.labels, "pair": found.pair, "name": found.name}
        return _plain(texts | more, folder)
    if isinstance(found, Judgements):
        return [found.name, found.pair, *([str(cell) for cell in row] for row in found.rows)]
    if isinstance(found, Scores):
        segments = {system: [str(value) for value in values] for system, values in found.segment.items()}
        systems = {system: str(value) for system, value in found.system.items()}
        return [found.label, found.signature, found.higher_is_better, systems, segments]
    if hasattr(found, "gold"):
        parts = (found.pair, found.name, found.segments, found.testset, found.judgements, found.gold, found.scores)
        return _plain(parts, folder)
    if isinstance(found, Mapping):
        return {str(key): _plain(value, folder) for key, value in found.items()}
    if isinstance(found, list | tuple | frozenset):
        return [_plain(value, folder) for value in (sorted(found) if isinstance(found, frozenset) else found)]
    return found if found is None or isinstance(found, bool | str) else str(found)
