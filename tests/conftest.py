"""Settings of the whole suite."""

from __future__ import annotations

from hypothesis import settings

# The first call of a kernel compiles it, which no deadline for one example should count.
settings.register_profile("kernels", deadline=None)
settings.load_profile("kernels")
