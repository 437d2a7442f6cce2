"""A filter of seen keys: a set in a few bits per key, which grows, and never calls an old key new."""
import os
from array import array
from threading import Lock
from typing import IO, Any, Iterable, List, NamedTuple, Optional, Union

from ._strata import ffi, lib
from .errors import BadArgument, Closed, raise_filter

Key = Union[str, bytes]

if not lib.mlbf_abi() == lib.MLBF_ABI:
    raise ImportError("the library mlbf is of another ABI than this module was built for")


class FilterStats(NamedTuple):
    kind: str
    keys: int
    bits: int
    promised_rate: float
    rate: float  # share of new keys that would be called seen, now


def as_bytes(text: Key) -> bytes:
    return text.encode() if isinstance(text, str) else text


def as_path(path: "Union[str, os.PathLike[str]]") -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise BadArgument(f"{path!r} is no path: it has a NUL")
    return name


class _Stream:
    """A binary file that the library writes to or reads from, and what went wrong there."""

    def __init__(self, file: "IO[bytes]") -> None:
        self.file = file
        self.error: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def check(self, status: int, what: str) -> None:
        if self.error is not None:
            raise self.error
        if status != lib.MLBF_OK:
            raise_filter(status, what)


def _note_error(kind: Any, error: Any, trace: Any) -> None:
    frame = trace.tb_frame.f_locals.get("stream") if trace else None
    if frame is not None:
        frame.error = error


@ffi.def_extern(error=False, onerror=_note_error)  # type: ignore[misc]
def strata_write(context: Any, data: Any, size: int) -> bool:
    stream = ffi.from_handle(context)
    at, most = 0, 1 << 20
    while at < size:
        part = ffi.buffer(data + at, min(size - at, most))[:]
        written = stream.file.write(part)
        if written is None:
            raise BlockingIOError("write() took nothing: the file does not wait")
        if not 0 < written <= len(part):
            raise OSError(f"write() says that it took {written} of {len(part)} bytes")
        at += written
    return True


@ffi.def_extern(error=-1, onerror=_note_error)  # type: ignore[misc]
def strata_read(context: Any, data: Any, size: int) -> int:
    stream = ffi.from_handle(context)
    part = stream.file.read(min(size, 1 << 20))
    if part is None:
        raise BlockingIOError("read() gave nothing: the file does not wait")
    part = bytes(part)
    if len(part) > size:
        raise ValueError("read() gave more than it was asked for")
    ffi.memmove(data, part, len(part))
    return len(part)


class Filter:
    """Keys are bytes, or text that counts as its UTF-8.

    `in` and `add` never call a key new that was added before. They call a new key seen with a probability of at most
    `rate`, however many keys are added: the filter grows. `keys` is how many it has room for at first. Threads may
    share one filter; the GIL is released while keys are tested.
    """

    def __init__(self, keys: int = 100_000, rate: float = 1e-6, *, kind: str = "line",
                 secret: Optional[bytes] = None) -> None:
        self._lock = Lock()
        self._chain: Any = None
        number = ffi.new("mlbf_kind *")
        if not lib.mlbf_kind_from_name(kind.encode(), number):
            raise BadArgument(f"no kind of filter is called {kind!r}")
        kept = given_secret(secret)
        options = ffi.new("mlbf_options *", lib.mlbf_options_default())
        options.kind, options.keys, options.rate, options.secret = number[0], keys, rate, kept
        reason = ffi.new("char[]", lib.MLBF_REASON_SIZE)
        if lib.mlbf_plan_make(options, ffi.new("mlbf_plan *"), reason) != lib.MLBF_OK:
            raise BadArgument(ffi.string(reason).decode())
        out = ffi.new("mlbf_chain **")
        status = lib.mlbf_chain_create(options, out)
        if status != lib.MLBF_OK:
            raise_filter(status, f"a filter of {keys} keys at a rate of {rate}")
        self._own(out[0])

    @classmethod
    def load(cls, path: "Union[str, os.PathLike[str], IO[bytes]]", *, secret: Optional[bytes] = None) -> "Filter":
        """From a file that save() wrote, or `strata` did, or from a binary file object that dump() wrote to, of which
        nothing is read beyond the filter. A secret that was given to Filter must be given again."""
        out = ffi.new("mlbf_chain **")
        if isinstance(path, (str, bytes, os.PathLike)):
            status = lib.mlbf_chain_load(as_path(path), given_secret(secret), out)
            if status != lib.MLBF_OK:
                raise_filter(status, os.fspath(path))
        else:
            stream = _Stream(path)
            status = lib.mlbf_chain_read(lib.strata_read, stream.handle, given_secret(secret), out)
            stream.check(status, "the stream")
        loaded = cls.__new__(cls)
        loaded._lock = Lock()
        loaded._own(out[0])
        return loaded

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes a new file, syncs it, and renames it to `path`: a crash leaves the old file or the new one."""
        with self._lock:
            status = lib.mlbf_chain_save(self._open_chain(), as_path(path))
            if status != lib.MLBF_OK:
                raise_filter(status, os.fspath(path))

    def dump(self, file: "IO[bytes]") -> None:
        """Writes the bytes of save() to a binary file object: a pipe, a socket's, io.BytesIO."""
        stream = _Stream(file)
        with self._lock:
            stream.check(lib.mlbf_chain_write(self._open_chain(), lib.strata_write, stream.handle), "the stream")

    def add(self, key: Key) -> bool:
        """True: the key is new, certainly. False: it was added before, or the filter errs."""
        return bool(self._ask([as_bytes(key)], True)[0])

    def add_many(self, keys: Iterable[Key]) -> List[bool]:
        """add() for each, in order, and much faster than one by one."""
        return [new != 0 for new in self._ask([as_bytes(key) for key in keys], True)]

    def __contains__(self, key: Key) -> bool:
        return not self._ask([as_bytes(key)], False)[0]

    def contains_many(self, keys: Iterable[Key]) -> List[bool]:
        return [new == 0 for new in self._ask([as_bytes(key) for key in keys], False)]

    def __len__(self) -> int:
        """How many of the added keys were new."""
        return self.stats().keys

    def stats(self) -> FilterStats:
        read = ffi.new("mlbf_chain_stats *")
        with self._lock:
            lib.mlbf_chain_stats_read(self._open_chain(), read)
        kind = ffi.string(lib.mlbf_kind_name(read.kind)).decode()
        return FilterStats(kind, read.keys, read.bits, read.promised_rate, read.rate)

    def close(self) -> None:
        """Frees the memory now. Closing twice is fine; any other call raises Closed afterwards."""
        with self._lock:
            if self._chain is not None:
                ffi.release(self._chain)
            self._chain = None

    def __enter__(self) -> "Filter":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _own(self, chain: Any) -> None:
        self._chain = ffi.gc(chain, lib.mlbf_chain_free)

    def _open_chain(self) -> Any:
        if self._chain is None:
            raise Closed("the filter is closed")
        return self._chain

    def _ask(self, keys: List[bytes], is_insert: bool) -> Any:
        was_new = ffi.new("uint8_t[]", max(len(keys), 1))
        sizes = array("I", map(len, keys))
        with self._lock:
            status = lib.glue_chain_keys(self._open_chain(), b"".join(keys), ffi.from_buffer("uint32_t[]", sizes),
                                         len(keys), is_insert, was_new)
        if status != lib.MLBF_OK:
            raise_filter(status, "a key")
        return ffi.unpack(was_new, len(keys)) if keys else []


def given_secret(secret: Optional[bytes]) -> Any:
    if secret is None:
        return ffi.NULL
    if len(secret) != 32:
        raise BadArgument("a secret has 32 bytes")
    return ffi.new("uint8_t[]", secret)
