"""How long work tells how far it has come, whoever watches or does not."""

from __future__ import annotations

from collections.abc import Callable

Steps = Callable[[str, int], Callable[[int], None]]  # (what, total) → tell(done)


def silent(what: str, total: int) -> Callable[[int], None]:
    """Progress that nobody watches."""
    return lambda done: None
