"""`tercet rate info`: describe a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...options import REQUIRED, command, shell_option
from ...options.groups import Form

if TYPE_CHECKING:
    from ...human.campaign import Campaign


@dataclass(frozen=True, kw_only=True)
class InfoOptions(Form):
    """Options of `rate info`."""

    campaign: str = shell_option(REQUIRED, metavar="CAMPAIGN", recorded=False)


@command(InfoOptions)
def run(options: InfoOptions) -> None:
    """Describe a campaign: items, control items, raters."""
    from ...cli.console import print_as
    from ...human.campaign import Campaign

    campaign = Campaign.read(options.campaign)
    print_as(options.form, facts(campaign), "\n".join(described(campaign)))


def facts(campaign: Campaign) -> dict[str, object]:
    """Return what is known of a campaign, for JSON."""
    from ...data.judgements import count

    own = [item for item in campaign.items if item.check != "tutorial"]
    return {
        "name": campaign.name,
        "id": campaign.id,
        "protocol": campaign.protocol,
        "pair": campaign.pair or None,
        "show": campaign.show,
        "segments": len({item.segment for item in own}),
        "systems": sorted({system for item in own if not item.check for system in item.judged}),
        "items": len(own),
        "checks": count(item.check for item in own if item.check),
        "tutorial": len(campaign.tutorial),
        "judgements": sum(len(rater.items) for rater in campaign.raters),
        "raters": [
            {"name": rater.name, "group": rater.group, "items": len(rater.items), "link": bool(rater.token_hash)}
            for rater in campaign.raters
        ],
        "seed": campaign.seed,
        "created": campaign.created,
    }


def described(campaign: Campaign) -> list[str]:
    """Return the same in lines of text."""
    from ...data.judgements import count

    own = [item for item in campaign.items if item.check != "tutorial"]
    systems = {system for item in own if not item.check for system in item.judged}
    checks = _listed(count(item.check for item in own if item.check))
    width = max((len(rater.name) for rater in campaign.raters), default=0)
    group_width = max((len(rater.group) for rater in campaign.raters), default=0)
    return [
        f"Campaign {campaign.name!r}: {campaign.protocol}{f' ({campaign.pair})' if campaign.pair else ''}, "
        f"showing {'what the group sees' if campaign.show == 'groups' else campaign.show}",
        f"{_numbered(len({item.segment for item in own}), 'segment')}, {_numbered(len(systems), 'system')}, "
        f"{_numbered(len(own), 'item')} to judge; control items among them: {checks}; "
        f"tutorial: {len(campaign.tutorial)}",
        f"{_numbered(len(campaign.raters), 'rater')}, "
        f"{_numbered(sum(len(rater.items) for rater in campaign.raters), 'judgement')} in all",
        *(
            f"  {rater.name:{width}}  {rater.group:{group_width}}{'  ' * bool(group_width)}{len(rater.items):5} items"
            for rater in campaign.raters
        ),
    ]


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"


def _numbered(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
