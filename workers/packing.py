"""Values as bytes and back: arrays go as they are, beside the pickle of everything else.

A message on a pipe is a header, the length of each part, and the parts. Whoever reads one that
does not begin like that is not talking to a worker.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO, NamedTuple

_START = struct.Struct("<4sI")  # magic, number of parts
_LENGTH = struct.Struct("<Q")
_MAGIC = b"dcfr"
_MOST_PARTS, _LARGEST = 1 << 20, 1 << 40


class Unreadable(ValueError):  # noqa: N818 - the name says what happened
    """Bytes that are no message."""


class Packed(NamedTuple):
    """A value as bytes. What is unpacked has arrays of its own, which can be written to."""

    parts: list[Any]  # the pickle, then the memory of arrays

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return sum(memoryview(part).nbytes for part in self.parts)


def pack(value: object) -> Packed:
    """A value as bytes, without a copy of its arrays."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return Packed([body, *(buffer.raw() for buffer in buffers)])


def unpack(packed: Packed) -> Any:
    """The value. Whatever goes wrong with bytes that are no pickle is `Unreadable`."""
    body, *buffers = packed.parts
    try:
        return pickle.loads(body, buffers=buffers)
    except Exception as error:  # pickles of nonsense raise errors of all kinds
        raise Unreadable(f"an answer that cannot be read: {type(error).__name__}") from None


def write(stream: BinaryIO, packed: Packed) -> None:
    """A message onto a pipe."""
    lengths = [_LENGTH.pack(memoryview(part).nbytes) for part in packed.parts]
    for part in (b"".join([_START.pack(_MAGIC, len(lengths)), *lengths]), *packed.parts):
        left = memoryview(part).cast("B")
        while len(left):
            left = left[stream.write(left) :]
    stream.flush()


def read(stream: BinaryIO) -> Packed:
    """The next message of a pipe; `EOFError` at its end."""
    magic, count = _START.unpack(_exactly(stream, _START.size))
    if magic != _MAGIC or not 0 < count <= _MOST_PARTS:
        raise Unreadable("an answer that is no message")
    lengths = [_LENGTH.unpack(_exactly(stream, _LENGTH.size))[0] for _ in range(count)]
    if sum(lengths) > _LARGEST:
        raise Unreadable("an answer that is no message")
    return Packed([_exactly(stream, length) for length in lengths])


def _exactly(stream: BinaryIO, length: int) -> bytearray:
    """So many bytes."""
    buffer = bytearray(length)
    view = memoryview(buffer)
    while view:
        count = stream.readinto(view)  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        view = view[count:]
    return buffer
