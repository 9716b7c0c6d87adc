"""Rows of sixteen numbers as one value, which kernels add and subtract whole.

The compiler cannot know that two rows of an array are not the same memory, so it takes a loop over
the numbers of a row one by one. Here each operation is one vector instruction, or a few where the
processor's vectors are shorter.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic as untyped_intrinsic
from numba.extending import models, register_model

LANES = 16
intrinsic: Any = untyped_intrinsic  # its annotations do not know what it makes of a function


class RowType(types.Type):
    """Sixteen numbers of one type."""

    def __init__(self, dtype: types.Float) -> None:
        super().__init__(name=f"row of {LANES} {dtype}")
        self.dtype = dtype


@register_model(RowType)
class _RowModel(models.PrimitiveModel):
    def __init__(self, manager: Any, row: RowType) -> None:
        number = manager.lookup(row.dtype).get_value_type()
        super().__init__(manager, row, ir.VectorType(number, LANES))  # type: ignore[no-untyped-call]


@intrinsic
def load(_: Any, array: Any, row: Any) -> Any:
    """array[row] of a C-contiguous array. [n, LANES]"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        value = builder.load(_place(context, builder, signature, given))
        value.align = array.dtype.bitwidth // 8
        return value

    return RowType(array.dtype)(array, row), generate


@intrinsic
def store(_: Any, array: Any, row: Any, numbers: Any) -> Any:
    """array[row] = numbers. [n, LANES]"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        stored = builder.store(given[2], _place(context, builder, signature, given))
        stored.align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, row, numbers), generate


@intrinsic
def plus(_: Any, first: Any, second: Any) -> Any:
    """first + second"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.fadd(*given)

    return first(first, second), generate


@intrinsic
def minus(_: Any, first: Any, second: Any) -> Any:
    """first − second"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.fsub(*given)

    return first(first, second), generate


def _place(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """Where a row of an array begins, as a pointer to a vector."""
    kind, number = signature.args[:2]
    array = context.make_array(kind)(context, builder, given[0])
    row = context.cast(builder, given[1], number, types.intp)
    first = context.get_constant(types.intp, 0)
    start = cgutils.get_item_pointer(context, builder, kind, array, [row, first])  # type: ignore[no-untyped-call]
    vector = context.get_value_type(RowType(kind.dtype))
    return builder.bitcast(start, ir.PointerType(vector))
