"""Links of all people of a campaign at once: give some to those who have none, or replace all of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from secrets import token_urlsafe

from .campaign import TOKEN_BYTES, Campaign, Tokens, hashed
from .storage import ORGANISER, VIEWER, Store, open_store


def complete_links(paths: Sequence[Path], campaigns: Sequence[Campaign]) -> list[tuple[Campaign, Tokens]]:
    """Give tokens to raters and organisers who have none, and write these campaigns to their files.

    Returns each campaign with its new tokens. The organiser's is the same for all campaigns that had none.
    """
    made, secret = [], token_urlsafe(TOKEN_BYTES)
    for path, campaign in zip(paths, campaigns, strict=True):
        lacking, tokens = [rater.name for rater in campaign.raters if not rater.token_hash], Tokens({}, "")
        if lacking or not campaign.organiser_hash:
            campaign, tokens = campaign.with_tokens(lacking, organiser=not campaign.organiser_hash, secret=secret)
            campaign.write(path)
        made.append((campaign, tokens))
    return made


def renew_links(
    paths: Sequence[Path], campaigns: Sequence[Campaign], database: str | Path | None
) -> list[tuple[Campaign, Tokens]]:
    """Revoke all links and create new ones, in the files and in the databases, which a running server reads.

    Returns each campaign with its new tokens. The organiser's is the same for all campaigns.
    """
    made, secret = [], token_urlsafe(TOKEN_BYTES)
    for path, campaign in zip(paths, campaigns, strict=True):
        with closing(open_store(path, campaign, database, shared=len(paths) > 1)) as store:
            _revoke_all(store, campaign)
            campaign, tokens = campaign.with_tokens(secret=secret)
            campaign.write(path)
            for name, token in tokens.raters.items():
                store.issue(name, hashed(token))
            store.issue(ORGANISER, hashed(tokens.organiser))
        made.append((campaign, tokens))
    return made


def _revoke_all(store: Store, campaign: Campaign) -> None:
    for token_hash, rater in store.tokens(campaign).items():
        store.revoke(rater, [token_hash])
    if campaign.organiser_hash:
        store.revoke(ORGANISER, [campaign.organiser_hash])
    for who in (ORGANISER, VIEWER):
        store.revoke(who, sorted(store.holders(who)))
