"""How long-running work reports its progress, whether or not anybody watches.

Work reports every few seconds or more often. Whoever watches may end it by raising an exception.
"""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[int], None]  # moves a progress bar on by so many steps
NewBar = Callable[[str, int], Advance]  # opens a progress bar: (what is done, steps in all)


def no_bar(what: str, total: int) -> Advance:
    """Progress that nobody watches."""
    return lambda done: None
