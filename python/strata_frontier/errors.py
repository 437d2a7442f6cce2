"""What goes wrong: every status of the libraries is an exception, with the library's own sentence."""
from typing import Dict, NoReturn, Type

from ._strata import ffi, lib


class StrataError(Exception):
    """A call failed. str() is the library's sentence about it."""


class NotFound(StrataError):
    """No such directory, setting or lease."""


class Busy(StrataError):
    """Another process writes the directory, or this one has it open."""


class Mismatch(StrataError):
    """Made with other options or another secret, or for keys of another kind."""


class BadArgument(StrataError, ValueError):
    """An argument that cannot be used."""


class Damaged(StrataError):
    """A checksum is wrong."""


class NoSpace(StrataError):
    """The disk is full, or a limit was reached. Nothing is lost: the call can be repeated."""


class Closed(StrataError):
    """The object was closed; or it was opened by the process that this one was forked from."""


_BY_FRONTIER_STATUS: Dict[int, Type[StrataError]] = {
    lib.FRONTIER_NOT_FOUND: NotFound,
    lib.FRONTIER_BUSY: Busy,
    lib.FRONTIER_MISMATCH: Mismatch,
    lib.FRONTIER_BAD_ARGUMENT: BadArgument,
    lib.FRONTIER_DAMAGED: Damaged,
    lib.FRONTIER_NO_SPACE: NoSpace,
}
_BY_FILTER_STATUS: Dict[int, Type[StrataError]] = {
    lib.MLBF_BAD_ARGUMENT: BadArgument,
    lib.MLBF_DAMAGED: Damaged,
    lib.MLBF_MISMATCH: Mismatch,
    lib.MLBF_SECRET: Mismatch,
}


def raise_frontier(status: int, message: str) -> NoReturn:
    if status == lib.FRONTIER_NO_MEMORY:
        raise MemoryError(message)
    raise _BY_FRONTIER_STATUS.get(status, StrataError)(message)


def raise_filter(status: int, what: str) -> NoReturn:
    """For mlbf, whose sentences do not say what file they are about."""
    message = f"{what}: {ffi.string(lib.mlbf_status_text(status)).decode()}"
    if status == lib.MLBF_NO_MEMORY:
        raise MemoryError(message)
    if status == lib.MLBF_IO:
        raise OSError(ffi.errno, message)
    raise _BY_FILTER_STATUS.get(status, StrataError)(message)
