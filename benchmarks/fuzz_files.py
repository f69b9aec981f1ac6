"""What `benchmarks.fuzz` damages: command lines that work, and ordinary files of every kind that they read."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tercet import examples
from tercet.data.workbook import write_xlsx

# Command lines that work, with the files of `make_files`; M stands for a metric, ~ for a blank in an argument.
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
    "compare refA.txt -i Alder.txt Birch.txt -m ter -n 20 --edits --full -f json",
    "compare refA.txt -i Alder.txt Birch.txt -m M -n 20 --words frequency --ngrams --buckets score -f json",
    "compare refA.txt -i Alder.txt Birch.txt -m bleu chrf -n 20 --fail-if any~worsens --junit junit.xml",
    "compare refA.txt -i Alder.txt Birch.txt -m bleu chrf -n 20 -f latex --style paper",
    "report -t en-de.jsonl -l en-de -m chrf -n 20 --judgements judgements.jsonl --scores metric.seg.score -o page.html",
    "score -i app.csv --columns source=EN,output=DE,reference=Final -m M -f json",
    "score -i app.csv --columns source=EN,output=DE,reference=Final -m chrf --annotate scored.csv",
    "score -i app.xlsx -m M -sl -f json",
    "score ref.xlf -i mt.xlf -m M -f json",
    "score ref.xlf -i mt.xlf -m chrf --annotate scored.xlf",
    "score ref.tmx -i app.tmx -m M -f json",
    "score refA.txt -i Alder.txt -l en-de -m learned:model=own.metric -f json",
    "check -t mt.xlf",
    "check app.tmx",
    "check mt.po",
    "qe rank triage mt.xlf --annotate ranked.xlf -f json",
    "qe rank triage mt2.xlf --terms terms.tbx -f json",
    "qe rank triage mt.po --annotate ranked.po",
    "qe rank triage app.tmx -l en-de --top 2 -f tsv",
    "qe rank triage app.xlsx --terms terms.csv -l en-de --annotate ranked.xlsx",
    "qe rank triage src.txt Cedar.txt -l en-de -f html",
    "qe rank default short.txt short.txt -l de-en -f json",
    "qe predict default short.txt short.txt -l ru-en",
    "qe rank model.qe mt.xlf --target 0.5 -f json",
    "qe train --campaign direct.json --learner ridge -l en-de -o answers.qe -q",
    "qe train rated.tsv:source rated.tsv:output rated.tsv:rating -l en-de --learner ridge -o rated.qe -q",
    "learn judged --features chrf ter --learner ridge -f json",
    "learn judged --features chrf length --out other.metric --ablation",
    "learn judgements.jsonl -t en-de.jsonl -l en-de --features chrf@* --learner ridge -f json",
    "learn judged --features chrf numbers@* --table numbers.tsv --learner ridge -f json",
    "lm sung.txt -l en --backend conllu:sung.conllu --out own.lm",
    "parse sung.txt -l en --backend conllu:sung.conllu",
    "alignments sung.txt -i sung2.txt -l de-en -m cobalt:parser=conllu:sung.conllu -f json",
    "score sung.txt -i sung2.txt -l de-en -m hwcm:parser=conllu:sung.conllu -f json",
    "score sung.txt -i sung2.txt -l de-en -m stm:parser=conllu:sung.conllu -sl",
    "paraphrase sung.txt -l en --parses sung.conllu -f json",
    "paraphrase sung.txt -l en --parses sung.conllu --rules rules.toml --corpus src.txt --threshold 1",
    "paraphrase sung.txt -l en --parses sung.conllu --against sung2.txt -o closer",
    "paraphrase -l es --rule active-to-passive --show",
    "rate new --protocol mqm -t en-de.jsonl -l en-de --raters 2 --from-rank order.json --segments 4 -o new2.json",
    "rate new --protocol esa refA.txt -i Alder.txt -s src.txt -l en-de --raters 2 --segments 3 -o new.json --replace",
    "rate links campaign.json",
    "rate backup campaign.json -o copy.db",
    "rate export campaign.json --texts -o out.xlsx",
    "rate export campaign.json -f json --texts -o out.json",
    "rate export campaign.json -f pearmut -o out.json",
    "rate import appraise.json --protocol da -l en-de -o imported.json --replace",
    "agree answers.tsv -n 20 -f json",
    "meta judged -n 20 -m chrf ter --level sys --matrix -f json",
    "meta judged -n 20 -m chrf --level seg --stat tau:wmt14 -f json",
    "metrics chrf --card --data judged",
    "verify BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 66.3 -t en-de.jsonl --system Alder -f json",
    "reproduce wmt19 --table 3 --data judged -f json",
    "reproduce thesis --table 3.4 -f json",
    "data remove try --folder sets",
    "sacrebleu refA.txt refB.txt -i Alder.txt -m bleu chrf ter -f json",
    "sacrebleu refA.txt -i Alder.txt Birch.txt -m bleu --paired-bs --paired-bs-n 20",
    "sacrebleu refA.txt -i Alder.txt -b -w 4",
    "track list runs.db -f json",
    "track compare runs.db 1 2 -f json",
    "track gate runs.db",
    "track export runs.db -o runs.csv",
    "track show runs.db --run 1 -f json",
    "track page runs.db -o history.html",
    "track add more.db bleu.json --system x --tag a=b",
    "track add more.db saved.npz -t news",
    "track import more.db mlflow.csv -t news",
    "review mt.xlf -l en-de --model none -o review.html -f json",
    "review src.txt Cedar.txt -l en-de --model none -o review.html",
    "score refA.txt -i Alder.txt --config run.json -f json",
    "score refA.txt -i Alder.txt -l de-en -m learned:model=forged.metric -f json",
    "score refA.txt -i Alder.txt -l en-de -m learned:model=forged.metric,allow_network=false -sl",
    "score -i short.txt -s short.txt -l de-en -m judge:endpoint=SERVICE,model=m,retries=0,timeout=2,answers=answers",
    "explain -i short.txt -s short.txt -m judge:endpoint=SERVICE,model=m,retries=0,prompt=mqm,answers=answers",
    "compare refA.txt -i Alder.txt Birch.txt -m own.py:f chrf -n 20 -f json",
]

ROWS = [  # id, source, output, reference
    ("k1", "The cat sat on the mat.", "Die Katze saß auf der Matte.", "Die Katze saß auf der Matte."),
    ("k2", "It rained 3 days in London.", "Es regnete 4 Tage in London.", "In London regnete es 3 Tage lang."),
    ("k3", "Nobody came to the <b>party</b>.", "Niemand kam zu Party.", "Niemand kam zu der Feier."),
]
PARSED = (  # the committee approved the plan; words, lemmas, tags, fine tags, heads, relations
    ("The", "the", "DET", "DT", 2, "det"),
    ("committee", "committee", "NOUN", "NN", 3, "nsubj"),
    ("approved", "approve", "VERB", "VBD", 0, "root"),
    ("the", "the", "DET", "DT", 5, "det"),
    ("plan", "plan", "NOUN", "NN", 3, "dobj"),
    ("quickly", "quickly", "ADV", "RB", 3, "advmod"),
    (".", ".", "PUNCT", ".", 3, "punct"),
)
RULES = """language = "en"
scheme = "clearnlp"
[[rule]]
name = "adverb-first"
group = "order"
about = "adverb at the end, then at the beginning"
examples = [["The police left quickly.", "Quickly the police left."]]
match.verb = { upos = "VERB", relation = "root" }
match.adverb = { under = "verb", relation = "advmod", after = "verb" }
do = [{ move = "adverb", to = "start" }]
"""
TERMS = """<?xml version="1.0"?><martif type="TBX"><text><body>
<termEntry><langSet xml:lang="en"><tig><term>cat</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Katze</term></tig></langSet></termEntry></body></text></martif>"""


def make_files(folder: Path, run: Callable[[list[str]], Any]) -> None:
    """Write ordinary files of every kind that the commands of LINES read. `run` calls a command."""
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
    _write_bilingual(folder)
    _write_parsed(folder)
    (folder / "short.txt").write_text("\n".join(read["src.txt"][:4]) + "\n")
    (folder / "rules.toml").write_text(RULES)
    texts = dict.fromkeys(text for name in ("Alder", "Birch", "Cedar") for text in read[f"{name}.txt"])
    lines = [f"{text}\t{rng.random():.3f}\t{rng.randrange(9)}" for text in texts]
    (folder / "numbers.tsv").write_text("output\tx\ty\n" + "\n".join(lines) + "\n")
    rated = zip(read["src.txt"], read["Birch.txt"], strict=True)
    lines = [f"{a}\t{b}\t{rng.randrange(100)}" for a, b in rated]
    (folder / "rated.tsv").write_text("source\toutput\trating\n" + "\n".join(lines) + "\n")
    _call(
        run,
        "score refA.txt -i Alder.txt Birch.txt -m bleu chrf --save saved.npz",
        "rate new --protocol adequacy -t en-de.jsonl -l en-de --raters anna ben --segments 4 -o campaign.json",
        "rate new --protocol da -t en-de.jsonl -l en-de --raters anna ben --segments 16 --show source -o direct.json",
        "rate export campaign.json -o pearmut.json -f pearmut",
        "rate export direct.json -o appraise.json -f appraise",
        "kb build --tsv names.tsv -l de en -o kb -q",
        "qe train src.txt Alder.txt labels.txt -l en-de -o model.qe -q",
        "learn judged --features chrf ter --learner ridge --out own.metric -q",
        "qe rank triage src.txt Cedar.txt -l en-de -q -f json -o order.json",
        "score refA.txt -i Alder.txt -m bleu chrf --track runs.db",
        "score refA.txt -i Birch.txt -m bleu chrf --track runs.db",
    )
    _answer(folder)
    _call(run, "rate export campaign.json -o answers.tsv", "track export runs.db -o mlflow.csv")
    (folder / "bleu.json").write_text('{"name": "BLEU", "score": 36.4, "signature": "nrefs:1", "confidence_var": 1.2}')


def _call(run: Callable[[list[str]], Any], *lines: str) -> None:
    for line in lines:
        outcome = run(line.split())
        if outcome.code != 0:
            raise SystemExit(f"Not prepared: tercet {line}\n{outcome.err}{outcome.fault}")


def _write_bilingual(folder: Path) -> None:
    """Write files of translation tools."""
    lines = ["Key,EN,DE,Final", *(",".join(f'"{field}"' for field in row) for row in ROWS)]
    (folder / "app.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "terms.csv").write_text("en,de\ncat,Katze\nparty,Feier\n")
    (folder / "terms.tbx").write_text(TERMS)
    with (folder / "app.xlsx").open("wb") as stream:
        write_xlsx(stream, ["ID", "Source", "MT", "Reference"], ROWS)
    rows = [tuple(text.replace("<", "&lt;") for text in row) for row in ROWS]
    for name, column in (("mt", 2), ("ref", 3)):
        units = "".join(
            f'<trans-unit id="{row[0]}"><source>{row[1]}</source><target>{row[column]}</target></trans-unit>\n'
            for row in rows
        )
        head = '<file original="a.txt" source-language="en" target-language="de" datatype="x"><body>'
        (folder / f"{name}.xlf").write_text(f'<xliff version="1.2">{head}{units}</body></file></xliff>', "utf-8")
        units = "".join(
            f'<tu tuid="{row[0]}"><tuv xml:lang="en"><seg>{row[1]}</seg></tuv>'
            f'<tuv xml:lang="de"><seg>{row[column]}</seg></tuv></tu>\n'
            for row in rows
        )
        head = '<tmx version="1.4"><header srclang="en"/><body>'
        (folder / f"{name.replace('mt', 'app')}.tmx").write_text(f"{head}{units}</body></tmx>", "utf-8")
    units = "".join(
        f'<unit id="{row[0]}"><segment><source>{row[1]}</source><target>{row[2]}</target></segment></unit>\n'
        for row in rows
    )
    head = '<xliff version="2.0" srcLang="en" trgLang="de"><file id="f">'
    (folder / "mt2.xlf").write_text(f"{head}{units}</file></xliff>", "utf-8")
    entries = [f'msgid "{row[1]}"\nmsgstr "{row[2]}"\n' for row in ROWS]
    (folder / "mt.po").write_text("\n".join(['msgid ""\nmsgstr "Language: de\\n"\n', *entries]), "utf-8")


def _write_parsed(folder: Path) -> None:
    """Write two texts and their parses."""
    blocks = []
    for name, left_out in (("sung.txt", None), ("sung2.txt", 5)):
        words = [word for i, word in enumerate(PARSED) if i != left_out]
        text = " ".join(word[0] for word in words)
        (folder / name).write_text(f"{text}\n" * 2)
        rows = [
            f"{i}\t{form}\t{lemma}\t{tag}\t{fine}\t_\t{head}\t{relation}\t_\t_"
            for i, (form, lemma, tag, fine, head, relation) in enumerate(words, 1)
        ]
        blocks.append(f"# text = {text}\n# scheme = clearnlp\n" + "\n".join(rows) + "\n\n")
    (folder / "sung.conllu").write_text("".join(blocks))


def _answer(folder: Path) -> None:
    """Put some answers beside the campaigns."""
    from tercet.human.campaign import Campaign
    from tercet.human.storage import open_store

    for name in ("campaign.json", "direct.json"):
        campaign = Campaign.read(folder / name)
        store = open_store(folder / name, campaign)
        for rater in campaign.raters:
            for number, item in enumerate(rater.items):
                answer = {"value": 1 + number % 4}
                store.append(request=f"{rater.name}{item}", rater=rater.name, item=item, answer=answer, seconds=1.0)
        store.close()
