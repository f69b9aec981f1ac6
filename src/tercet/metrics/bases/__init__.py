"""The base classes of metrics, ours and those of users; `tercet.metrics` exports them."""
