"""How long-running work reports its progress, whether or not anybody watches."""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[int], None]  # moves a progress bar on by so many steps
NewBar = Callable[[str, int], Advance]  # opens a progress bar: (what is done, steps in all)


def no_bar(what: str, total: int) -> Advance:
    """Progress that nobody watches."""
    return lambda done: None
