"""The array types that signatures name, each once. Shapes stand in comments beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Integers = NDArray[np.integer]  # of any size
Nodes = NDArray[np.integer]  # of a betting tree
Rows = NDArray[np.integer]  # numbers of the rows of a table
Floats = NDArray[np.float32]  # strategies, advantages, features
Reals = NDArray[np.floating]  # of either precision
Doubles = NDArray[np.float64]  # sums and exact arithmetic over whole ranges
