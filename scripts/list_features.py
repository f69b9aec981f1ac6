"""Write the page of the documentation with all features, docs/quality-features.md.

After a change: python scripts/list_features.py > docs/quality-features.md
"""

from __future__ import annotations

import sys

from tercet.quality.features import GROUPS, Feature, all_features, baseline_features, paper_features
from tercet.quality.resources import AXES, HOW_TO_GIVE

_HEAD = """# Features of quality estimation

A feature is a number that is computed from source and output, without a reference. Of {count} features, {groups} are in
groups 1 to 12, those of Specia, Cancedda and Dymetman (2010), section 3. The paper has 84 features and does not list
them, so the list is that of QuEst (Specia, Shah, de Souza and Cohn, 2013). Group 13 is our own. Of the groups of the
paper, {paper} features are named in its descriptions: `--features specia2010` chooses them.

Words are tokens in lower case, by Moses' tokeniser (Chinese and Japanese have their own tokenisers). A feature is left
out, with the reason, if a resource that it needs is missing. If a feature is undefined for a pair, as most are for an
empty sentence, it has its neutral value. A feature can be selected by its name or by its number in QuEst. Alignment
features (group 8) use the first 250 words of a sentence, and a hidden Markov model of alignment; the paper has IBM
Model 4 of GIZA++.

```python
from tercet.quality.features import extract
from tercet.quality.resources import Resources

table = extract(["It is raining ."], ["Es regnet . ."], Resources("en", "de"), names=["1001", "marks_difference"])
print(table.names, table.values.tolist())
```

```text title="Output"
('source_tokens', 'marks_difference') [[4.0, 1.0]]
```

## The WMT baseline

The 17 features of the baseline of the shared tasks WMT12 to WMT14, in their order.

{baseline}
"""


def features_page() -> str:
    """Return the page: the baseline, a table for each group, and how to provide resources."""
    features = all_features()
    baseline = [[str(one.baseline), f"`{one.name}`", str(one.quest), one.description] for one in baseline_features()]
    parts = [
        _HEAD.format(
            count=len(features),
            paper=len(paper_features()),
            groups=sum(one.group != "more" for one in features),
            baseline=_table(["", "name", "QuEst", "what it is"], baseline),
        )
    ]
    for number, (group, title) in enumerate(GROUPS.items(), 1):
        rows = [_row(one) for one in features if one.group == group and not _is_later_axis(one)]
        header = ["name", "what it is", "needs", "neutral", "QuEst"]
        parts.append(f"## {number}. {group}: {title}\n\n{_table(header, rows)}\n")
    resources = [[f"`{name}`", how] for name, how in HOW_TO_GIVE.items()]
    parts.append(f"## Resources\n\n{_table(['resource', 'how to give it'], resources)}\n")
    return "\n".join(parts)


def _is_later_axis(one: Feature) -> bool:
    return one.name.startswith("embedding_axis_") and one.name != "embedding_axis_01"


def _row(one: Feature) -> list[str]:
    name, description = f"`{one.name}`", one.description
    if one.name == "embedding_axis_01":
        name, description = f"{name} to `embedding_axis_{AXES}`", description.replace("1. principal", "principal")
    needs = ", ".join(f"`{need}`" for need in sorted(one.needs))
    return [name, description, needs, f"{one.neutral:g}", "" if one.quest is None else str(one.quest)]


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(features_page())
