"""Rows of sixteen numbers as one value, which kernels add and subtract whole.

The compiler cannot know that two rows of an array are not the same memory, so it takes a loop over
the numbers of a row one by one. Here each operation is one vector instruction, or a few where the
processor's vectors are shorter.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic as untyped_intrinsic
from numba.extending import models, register_model

from env.arrays import Reals

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
        return builder.load(_place(context, builder, signature, given), align=_align(array))

    return RowType(array.dtype)(array, row), generate


@intrinsic
def store(_: Any, array: Any, row: Any, numbers: Any) -> Any:
    """array[row] = numbers. [n, LANES]"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = _place(context, builder, signature, given)
        builder.store(given[2], place, align=_align(array))
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


@intrinsic
def times(_: Any, number: Any, row: Any) -> Any:
    """number · row"""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        first = ir.Constant(ir.IntType(32), 0)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        empty = ir.Constant(given[1].type, ir.Undefined)
        vector = builder.insert_element(empty, given[0], first)
        return builder.fmul(builder.shuffle_vector(vector, empty, everywhere), given[1])

    return row(number, row), generate


@njit(cache=True)
def transpose(given: Reals, out: Reals) -> None:
    """out[j, i] = given[i, j], both sides being multiples of LANES."""
    for i in range(0, given.shape[0], LANES):
        for j in range(0, given.shape[1], LANES):
            _transpose_tile(given, i, j, out)


@intrinsic
def _transpose_tile(_: Any, given_: Any, i: Any, j: Any, out: Any) -> Any:
    """The square of LANES × LANES that begins at given_[i, j].

    Blocks change places on either side of the diagonal, first large ones, and then inside each of
    them smaller ones.
    """

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        source, row, column, target = given
        corner = signature.args[0], source, row, column
        rows = [
            builder.load(_address(context, builder, *corner, offset), align=_align(given_))
            for offset in range(LANES)
        ]
        size = LANES // 2
        while size:
            for first in range(LANES):
                if not first & size:
                    pair = rows[first], rows[first + size]
                    rows[first], rows[first + size] = _exchange(builder, pair, size)
            size //= 2
        corner = signature.args[3], target, column, row
        for offset, numbers in enumerate(rows):
            place = _address(context, builder, *corner, offset)
            builder.store(numbers, place, align=_align(out))
        return context.get_dummy_value()

    return types.void(given_, i, j, out), generate


def _exchange(builder: Any, pair: Any, size: int) -> tuple[Any, Any]:
    """Two rows of blocks of a size: the first row's second blocks for the second's first ones."""
    lanes = range(LANES)
    kept = [lane + LANES - size if lane & size else lane for lane in lanes]
    taken = [lane + LANES if lane & size else lane + size for lane in lanes]
    masks = [ir.Constant(ir.VectorType(ir.IntType(32), LANES), mask) for mask in (kept, taken)]
    first, second = (builder.shuffle_vector(*pair, mask) for mask in masks)
    return first, second


def _place(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """Where a row of an array begins, as a pointer to a vector."""
    kind, number = signature.args[:2]
    row = context.cast(builder, given[1], number, types.intp)
    return _address(context, builder, kind, given[0], row, context.get_constant(types.intp, 0), 0)


def _address(
    context: Any, builder: Any, kind: Any, given: Any, row: Any, column: Any, offset: int
) -> Any:
    """Where array[row + offset, column] is, as a pointer to a vector."""
    array = context.make_array(kind)(context, builder, given)
    moved = builder.add(row, context.get_constant(types.intp, offset))
    start = cgutils.get_item_pointer(context, builder, kind, array, [moved, column])  # type: ignore[no-untyped-call]
    vector = context.get_value_type(RowType(kind.dtype))
    return builder.bitcast(start, ir.PointerType(vector))


def _align(array: Any) -> int:
    return int(array.dtype.bitwidth // 8)
