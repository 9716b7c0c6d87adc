"""Settings of the whole suite."""

from __future__ import annotations

from hypothesis import settings
from numba import njit

import env.kernel_cache  # noqa: F401 - announces the first kernel that is compiled

# The first call of a kernel compiles it, which no deadline for one example should count.
settings.register_profile("kernels", deadline=None)
settings.load_profile("kernels")


@njit(cache=False)
def _first_kernel() -> int:
    """Compiled at once: its announcement lands in no test that looks at standard error."""
    return 0


_first_kernel()
