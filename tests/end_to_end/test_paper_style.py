"""`--style paper` of score and compare: the whole table in LaTeX and Markdown, and what does not go with it."""

import pytest

import tercet
from tercet import examples
from tercet.tasks.shared.paper import Column, PaperTable

from .command import tercet as run

BLEU = rf"BLEU|\allowbreak nrefs:2|\allowbreak case:mixed|\allowbreak eff:no|\allowbreak tok:13a|\allowbreak smooth:exp|\allowbreak compat:sacrebleu2.6|\allowbreak version:1+tercet{tercet.__version__}"  # noqa: E501
TER = rf"TER|\allowbreak nrefs:2|\allowbreak case:lc|\allowbreak tok:tercom|\allowbreak norm:no|\allowbreak punct:yes|\allowbreak asian:no|\allowbreak compat:sacrebleu2.6|\allowbreak version:2+tercet{tercet.__version__}"  # noqa: E501

LATEX = rf"""% needs \usepackage{{booktabs}}
\begin{{table}}
\centering
\begin{{tabular}}{{lrr}}
\toprule
System & BLEU $\uparrow$ & TER $\downarrow$ \\
\midrule
Alder & \textbf{{66.34$^{{1}}$}} & \textbf{{25.89$^{{1}}$}} \\
Birch & 58.43$^{{1}}$ & 31.58$^{{1}}$ \\
Cedar & 9.75$^{{2}}$ & 74.25$^{{2}}$ \\
\bottomrule
\end{{tabular}}
\caption{{Scores on 32 segments, 2 references. Best scores in bold. Superscripts: clusters; every system of one is significantly better than every system of those after it (approximate randomisation, 10000 resamples, p $<$ 0.05, Holm's correction). Signatures: \texttt{{{BLEU}}}; \texttt{{{TER}}}.}}
\label{{tab:scores}}
\end{{table}}
"""  # noqa: E501


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("paper")
    examples.write("en-de", path)
    return path


def test_a_comparison_in_latex_has_clusters_and_signatures(folder):
    done = run("compare", "-t", "en-de.jsonl", "-m", "bleu", "ter", "-f", "latex", "--style", "paper", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == LATEX


def test_a_comparison_with_a_baseline_marks_better_and_worse_systems(folder):
    done = run("compare", "-t", "en-de.jsonl", "-m", "bleu", "--baseline", "Birch", "-f", "markdown",
               "--style", "paper", "--intervals", cwd=folder)  # fmt: skip
    table, caption, signature = done.out.rstrip().split("\n\n")
    assert table.split("\n")[0] == "| System | BLEU ↑ |"
    assert "| Alder | **66.34 (56.91 to 75.61)** |" in table
    assert "| Cedar | 9.75⁻ (5.06 to 13.76) |" in table
    assert caption.endswith("⁺ and ⁻: significantly better and worse than Birch (approximate randomisation, 10000 "
                            "resamples, p &lt; 0.05, Holm's correction).")  # fmt: skip
    assert signature.startswith("- `BLEU|nrefs:2|")


def test_scores_have_intervals_and_marks_only_when_asked(folder):
    plain = run("score", "refA.txt", "-i", "Alder.txt", "Cedar.txt", "-f", "latex", "--style", "paper", cwd=folder).out
    assert r"Cedar & 8.8 \\" in plain and "significantly" not in plain and "interval" not in plain
    tested = run("score", "refA.txt", "-i", "Alder.txt", "Cedar.txt", "-par", "-ci", "-f", "latex", "--style", "paper",
                 cwd=folder).out  # fmt: skip
    assert r"Cedar & 8.8$^{-}$ (" in tested
    assert "not corrected for several comparisons" in tested


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("score", "--style", "paper"), "--style paper goes with --format latex or markdown, not text."),
        (
            ("compare", "--style", "paper", "-f", "json"),
            "--style paper goes with --format latex or markdown, not json.",
        ),
        (("score", "--style", "paper", "-f", "latex", "-sl"), "a table of whole systems; leave out --sentence-level."),
        (("compare", "--intervals"), "--intervals goes with --style paper"),
    ],
)
def test_misuse_is_explained(folder, words, message):
    done = run(words[0], "refA.txt", "-i", "Alder.txt", "Birch.txt", *words[1:], cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_what_prints_like_the_best_score_is_bold_and_names_are_escaped():
    columns = [
        Column("M_1", True, "", 1, [1.04, 1.0, float("nan")], ["12", "", ""]),
        Column("n", None, "", 0, [1, 2, 3]),
    ]
    latex = PaperTable(["a&b", "c", "d"], columns, ["100 % <x>"]).render("latex")
    assert r"a\&b & \textbf{1.0$^{12}$} & 1 \\" in latex
    assert r"c & \textbf{1.0} & 2 \\" in latex
    assert "d & -- & 3" in latex
    assert r"M\_1 $\uparrow$" in latex
    assert r"\caption{100 \% $<$x$>$}" in latex
