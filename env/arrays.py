"""The array types that signatures name, each once. Shapes stand in comments beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Floats = NDArray[np.float32]  # strategies, advantages, features
Vectors = NDArray[np.float64]  # exact arithmetic over whole ranges
