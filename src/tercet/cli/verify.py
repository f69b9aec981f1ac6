"""`tercet verify`: recompute a published score from its signature."""

from __future__ import annotations

import sys
from typing import Any

import click

from .inputs import input_options, read_inputs
from .options import ALLOW_NETWORK, QUIET, TRUST_FEATURES, ManyValues, format_option, print_as


@click.command("verify", cls=ManyValues)
@click.argument("signature")
@click.argument("stated", metavar="SCORE")
@input_options
@click.option("--system", metavar="NAME", help="Which output, where a test set (-t) has several.")
@format_option()
@QUIET
@TRUST_FEATURES
@ALLOW_NETWORK
def command(
    signature: str, stated: str, system: str | None, form: str, trust_features: bool, allow_network: bool, **inputs: Any
) -> None:
    """Recompute SCORE from its SIGNATURE and the texts, and say whether it is the same.

    The score is compared at the precision it is written with. Exit code: 0 if equal, 1 if not, 2 if the question
    makes no sense, as a signature with nrefs:1 and two references.

    \b
    tercet verify 'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0' 36.4 ref.txt -i out.txt
    """
    from dataclasses import asdict

    from ..verifying import check_claim, verify

    check_claim(signature, stated)  # before the texts: a forgotten argument shifts the others
    found = verify(
        read_inputs(inputs), signature, stated, system=system, trust_features=trust_features,
        allow_network=allow_network,
    )  # fmt: skip
    verdict = "Equal" if found.equal else "Not equal"
    lines = [f"{verdict}: stated {found.stated}, recomputed {found.score!r}", found.signature]
    print_as(form, asdict(found), "\n".join([*lines, *(f"Note: {note}" for note in found.notes)]))
    if not found.equal:
        sys.exit(1)
