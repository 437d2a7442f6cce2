"""A crawl's frontier: is a URL new, and which one is fetched next. frontier/frontier.h says more of each call."""
import logging
import os
import struct
import time
import warnings
import weakref
from enum import IntEnum
from threading import Lock
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Tuple, Union

from ._strata import ffi, lib
from .errors import BadArgument, Closed, NotFound, raise_frontier
from .filter import as_bytes, as_path, given_secret

logger = logging.getLogger("strata_frontier")

if not lib.frontier_abi() == lib.FRONTIER_ABI:
    raise ImportError("the library frontier is of another ABI than this module was built for")


class Outcome(IntEnum):
    """What became of a link. NO_URL: it was refused; every other but SEEN: it waits now, or may (UNCONFIRMED)."""

    NO_URL = -1
    SEEN = 0
    NEW = 1
    NEW_HOST = 2
    NEW_SEGMENT = 3
    NEW_COMBINATION = 4
    KNOWN_BEFORE = 5
    UNCONFIRMED = 6  # with `exact`: seen, or new and queued soon


class State(IntEnum):
    DONE = 1
    FAILED = 2
    SKIPPED = 3


class Link(NamedTuple):
    """A URL and all that may go with it. Text counts as its UTF-8."""

    target: Union[str, bytes]
    key: bytes = b""  # decides "seen" in place of the URL
    payload: bytes = b""  # comes back with the lease; 64 KiB at most
    group: bytes = b""  # the queue it waits in, in place of its host's
    priority: int = 0  # larger first, within a host or group
    not_before_ms: int = 0  # not leased before this wall-clock time
    depth: int = 0  # links from a start URL
    via: int = 0  # id of the lease whose page gave the link
    opaque: bool = False  # `target` need be no URL; it needs key and group


class Answer(NamedTuple):
    outcome: Outcome
    id: int  # of the lease that it will be; 0: it was not queued

    @property
    def is_new(self) -> bool:
        return self.outcome > Outcome.SEEN


class Lease(NamedTuple):
    """A URL to fetch now, until done(), skip() or release()."""

    id: int
    target: bytes  # the URL, or the opaque target
    payload: bytes
    group: bytes
    priority: int
    depth: int
    opaque: bool

    @property
    def url(self) -> str:
        return self.target.decode()


class FrontierStats(NamedTuple):
    queued: int
    in_flight: int
    done: int
    failed: int
    skipped: int
    noted: int
    forced: int
    hosts: int
    unconfirmed: int
    late: int
    keys: int
    filter_bytes: int
    expected_lost: float  # how many new URLs were probably called seen, and are lost


_LINK = struct.Struct("=4I3i4x2Q")  # glue_link
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_REFUSED = Answer(Outcome.NO_URL, 0)
_SEEN = Answer(Outcome.SEEN, 0)
_open_here: "weakref.WeakSet[Frontier]" = weakref.WeakSet()

Linked = Union[str, bytes, Link]


class Frontier:
    """Opens `directory`, or makes it; None: all is in memory, and ends with the object.

    All changes are committed together, some times a second along with calls of next(), and by sync() and close(). After
    a crash, even kill -9, no committed URL is lost; what was leased and not done() is leased again.

    directory       belongs to one object of one process at a time, else Busy
    expected_urls   the filter has room for so many at first, and grows
    rate            share of new URLs that are wrongly called seen, and so lost. With `exact` none is lost: what the
                    filter calls seen is compared with all keys, and comes seconds to minutes late if it is new; 1e-2
                    is then fine
    delay_ms        pause between fetches from one host or group
    per_host        URLs of one host or group that may be leased at once
    key_scheme      names how the caller makes its own keys; another name for a directory is a Mismatch
    journal         file that gets the reports of done()
    background      commits are written by a thread of the library, so that no call waits for the disk
    clock           gives milliseconds since 1970
    The rest is as in frontier.h. `filter`, `rate`, `profile`, `exact` and `key_scheme` are fixed for a directory.

    Threads may share one object; the GIL is released in all calls. After a fork, the child cannot use it.
    """

    def __init__(self, directory: "Union[str, os.PathLike[str], None]" = None, *, expected_urls: int = 100_000,
                 rate: float = 1e-6, exact: bool = False, filter: str = "line", profile: str = "strict",
                 delay_ms: int = 0, per_host: int = 1, depth_cap: int = 0xFFFF,
                 journal: "Union[str, os.PathLike[str], None]" = None, read_only: bool = False,
                 keep_identity: bool = False, previous: "Union[str, os.PathLike[str], None]" = None,
                 secret: Optional[bytes] = None, key_scheme: str = "", background: bool = True,
                 commit_after_ms: int = 0, lease_ms: int = 0, map_size: int = 0,
                 clock: Optional[Callable[[], int]] = None) -> None:
        self._lock = Lock()
        self._handle: Any = None
        self._why_closed = "the frontier is closed"
        self._clock = clock or (lambda: time.time_ns() // 1_000_000)
        self._sentences: List[str] = []
        self._log_context = ffi.new_handle(self._sentences)
        self._wait_ms: Optional[int] = 0
        kind, rules = ffi.new("mlbf_kind *"), ffi.new("url_profile *")
        if not lib.mlbf_kind_from_name(filter.encode(), kind):
            raise BadArgument(f"no kind of filter is called {filter!r}")
        if not lib.url_profile_parse(profile.encode(), rules):
            raise BadArgument(f"no profile is called {profile!r}")
        # What calls write into, made once: to make it costs more than most calls.
        self._target, self._verdict = ffi.new("glue_one *", {"profile": rules[0]}), ffi.new("frontier_verdict *")
        self._one_answer, self._one_lease = ffi.new("glue_answer[1]"), ffi.new("frontier_lease[1]")
        self._count, self._wait = ffi.new("size_t *"), ffi.new("int64_t *")
        texts = [ffi.NULL if name is None else ffi.new("char[]", as_path(name))
                 for name in (directory, journal, previous)]
        kept = [texts, given_secret(secret), ffi.new("char[]", key_scheme.encode())]  # until the call ends
        options = ffi.new("frontier_options *", {
            "filter": kind[0], "profile": rules[0], "expected_urls": expected_urls, "rate": rate, "exact": exact,
            "delay_ms": delay_ms, "per_host": per_host, "depth_cap": depth_cap, "journal_path": texts[1],
            "previous_path": texts[2], "read_only": read_only, "keep_identity": keep_identity, "secret": kept[1],
            "key_scheme": kept[2], "commit_thread": background and not read_only, "commit_after_ms": commit_after_ms,
            "lease_ms": lease_ms, "map_size": map_size, "log": lib.strata_log, "log_context": self._log_context})
        out, message = ffi.new("frontier **"), ffi.new("char[512]")
        status = lib.frontier_open(texts[0], options, out, message)
        self._say()
        if status != lib.FRONTIER_OK:
            raise_frontier(status, ffi.string(message).decode(errors="replace"))
        self._handle = out[0]
        self._tell_clock()
        _open_here.add(self)

    def _tell_clock(self) -> None:
        """So that a back-off holds in the next process, too."""
        now_ms = self._clock()
        lib.frontier_clock(self._handle, now_ms, now_ms)

    # ---- adding

    def add(self, link: Linked, *, base: Optional[str] = None) -> Answer:
        """Queues a link if its key is new."""
        return self.add_many([link], base=base)[0]

    def add_many(self, links: Iterable[Linked], *, base: Optional[str] = None) -> List[Answer]:
        """add() for each, in order, and much faster. `base` is the URL of the page that they stand in; without one they
        are absolute. If it raises, the first ones may have been added; adding all again does no harm."""
        sizes, data, count = _packed(links)
        answers = self._one_answer if count == 1 else ffi.new("glue_answer[]", max(count, 1))
        resolved = _base(base)
        with self._lock:
            self._check(lib.glue_add(self._open(), resolved, ffi.from_buffer("glue_link[]", sizes), count, data,
                                     self._clock(), answers, self._count))
            return [_answer(answers[i]) for i in range(count)]

    def force(self, link: Linked) -> Answer:
        """Queues a link even if its key was seen. The outcome says whether it was."""
        return self._one(link, lib.frontier_force)

    def note(self, link: Linked) -> Answer:
        """Remembers a key as seen, and queues nothing."""
        return self._one(link, lib.frontier_note)

    def lookup(self, link: Linked) -> Answer:
        """What add() would answer; changes nothing."""
        return self._one(link, lambda f, target, now, verdict: int(lib.frontier_lookup_batch(f, target, 1, verdict)))

    def knows(self, key: bytes) -> bool:
        """Was this key seen, of those that the caller makes (Link.key)?"""
        with self._lock:
            was_seen = lib.glue_knows(self._open(), key, len(key))
            if was_seen < 0 or self._sentences:
                self._check(-min(was_seen, 0))
            return bool(was_seen)

    def forget(self, link: Linked) -> bool:
        """The key is new again. True: it was seen before."""
        was_seen = ffi.new("bool *")

        def forget(f: Any, target: Any, now: int, verdict: Any) -> int:
            return int(lib.frontier_forget(f, target, was_seen))

        self._one(link, forget)
        return bool(was_seen[0])

    # ---- leasing

    def next(self, max: int = 1) -> List[Lease]:
        """Leases up to `max` URLs that are due. If there are none, `wait_ms` says when to ask again."""
        leases = self._one_lease if max == 1 else ffi.new("frontier_lease[]", max)
        with self._lock:
            self._check(lib.frontier_next(self._open(), self._clock(), leases, max, self._count, self._wait))
            wait_ms = self._wait[0]
            self._wait_ms = None if wait_ms < 0 else wait_ms
            return [_lease(leases[i]) for i in range(self._count[0])]

    @property
    def wait_ms(self) -> Optional[int]:
        """After a next() that gave nothing: ask again in so many milliseconds. None: when a URL was added, or a lease
        ended."""
        return self._wait_ms

    def done(self, lease: Union[Lease, int], state: State = State.DONE, code: int = 0, report: bytes = b"") -> None:
        """Ends a lease, after its page's links were added. The URL is not leased again."""
        with self._lock:
            self._check(lib.frontier_done(self._open(), _id(lease), state, code, report, len(report), self._clock()))

    def skip(self, lease: Union[Lease, int], reason: str, report: bytes = b"") -> None:
        """done() as SKIPPED; how often for which reason is counted."""
        with self._lock:
            self._check(lib.frontier_skip(self._open(), _id(lease), _text(reason), report, len(report), self._clock()))

    def release(self, lease: Union[Lease, int], *, payload: Optional[bytes] = None, priority: Optional[int] = None,
                not_before_ms: int = 0) -> None:
        """The URL waits again; what is given changes."""
        changed = ffi.new("frontier_return *", {"not_before_ms": not_before_ms})
        if payload is not None:
            kept = ffi.from_buffer(payload)
            changed.has_payload, changed.payload, changed.payload_size = True, kept, len(payload)
        if priority is not None:
            changed.has_priority, changed.priority = True, priority
        with self._lock:
            self._check(lib.frontier_release_with(self._open(), _id(lease), changed, self._clock()))

    def back_off(self, lease: Union[Lease, int], wait_ms: int) -> None:
        """The lease's host answered "not now": no fetch from it begins for so long."""
        with self._lock:
            handle = self._open()
            self._tell_clock()  # it may have been set since
            self._check(lib.frontier_host_back_off(handle, _id(lease), self._clock(), wait_ms))

    @property
    def is_finished(self) -> bool:
        """No URL waits or is leased."""
        with self._lock:
            return bool(lib.frontier_is_finished(self._open()))

    def wake_fd(self) -> int:
        """A file descriptor that becomes readable when next() may give more; neither read nor close it."""
        with self._lock:
            return int(lib.frontier_wake_fd(self._open()))

    # ---- keeping

    def sync(self) -> None:
        """Commits now: all changes so far survive a crash and a power cut."""
        with self._lock:
            self._check(lib.frontier_sync(self._open()))

    def put(self, name: str, value: bytes) -> None:
        """A small named value of the caller's, committed with the rest."""
        with self._lock:
            self._check(lib.frontier_setting_put(self._open(), _text(name), value, len(value)))

    def get(self, name: str) -> Optional[bytes]:
        value, size = ffi.new("const void **"), ffi.new("size_t *")
        with self._lock:
            try:
                self._check(lib.frontier_setting_get(self._open(), _text(name), value, size))
            except NotFound:
                return None
            return _bytes(value[0], size[0])

    def stats(self) -> FrontierStats:
        read = ffi.new("frontier_stats *")
        with self._lock:
            self._check(lib.frontier_stats_read(self._open(), read))
        return FrontierStats(read.queued, read.in_flight, read.done, read.failed, read.skipped, read.noted, read.forced,
                             read.hosts, read.unconfirmed, read.late, read.filter.keys, read.filter.memory_bytes,
                             read.expected_lost)

    def close(self) -> None:
        """Commits, and ends; leased URLs wait again. Closing twice is fine; any other call raises Closed afterwards."""
        with self._lock:
            f, self._handle = self._handle, None
            _open_here.discard(self)
            if f is not None:
                status = lib.frontier_close(f)
                self._say()
                if status != lib.FRONTIER_OK:
                    raise_frontier(status, "the last changes could not be committed")

    def __enter__(self) -> "Frontier":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            warnings.warn(f"{self!r} was not closed", ResourceWarning, stacklevel=2)
            self.close()

    # ---- inside; all with the lock held

    def _open(self) -> Any:
        if self._handle is None:
            raise Closed(self._why_closed)
        return self._handle

    def _check(self, status: int) -> None:
        if self._sentences:
            self._say()
        if status != lib.FRONTIER_OK:
            message = ffi.new("char[512]")
            lib.frontier_message_copy(self._handle, message)
            raise_frontier(status, ffi.string(message).decode(errors="replace"))

    def _say(self) -> None:
        """Logs what the library said during a call."""
        while self._sentences:
            logger.info("%s", self._sentences.pop(0))

    def _one(self, link: Linked, call: Callable[[Any, Any, int, Any], int]) -> Answer:
        sizes, data, _ = _packed([link])
        with self._lock:
            one, verdict = self._target, self._verdict
            if lib.glue_target(ffi.from_buffer("glue_link[]", sizes), data, one) != lib.URL_OK:
                return _REFUSED
            self._check(call(self._open(), ffi.addressof(one, "link"), self._clock(), verdict))
            return Answer(_OUTCOMES[verdict.outcome], 0)


@ffi.def_extern()  # type: ignore[misc]
def strata_log(context: Any, sentence: Any) -> None:
    ffi.from_handle(context).append(ffi.string(sentence).decode(errors="replace"))


def _forbid_in_child() -> None:
    """The handles stay with the parent: the child may not even close them."""
    for frontier in list(_open_here):
        frontier._handle = None
        frontier._lock = Lock()
        frontier._why_closed = "the frontier was opened by the parent process; open it after the fork"
    _open_here.clear()


os.register_at_fork(after_in_child=_forbid_in_child)


def library_version() -> str:
    return str(ffi.string(lib.frontier_version()).decode())


def _packed(links: Iterable[Linked]) -> Tuple[bytes, bytes, int]:
    """As glue.h wants them."""
    heads: List[bytes] = []
    parts: List[bytes] = []
    for link in links:
        if isinstance(link, Link):
            target, key, payload, group, priority, not_before_ms, depth, via, opaque = link
            target = as_bytes(target)
            parts += target, key, payload, group
            try:
                heads.append(_LINK.pack(len(target), len(key), len(payload), len(group), priority, opaque,
                                        min(depth, 0xFFFF), not_before_ms, via))
            except struct.error as wrong:
                raise BadArgument(f"{link!r}: {wrong}") from None
        else:
            target = as_bytes(link)
            parts.append(target)
            heads.append(_LINK.pack(len(target), 0, 0, 0, 0, 0, 0, 0, 0))
    return b"".join(heads), b"".join(parts), len(heads)


def _answer(answer: Any) -> Answer:
    if answer.url != lib.URL_OK:
        return _REFUSED
    outcome = answer.outcome
    return Answer(_OUTCOMES[outcome], answer.id) if outcome else _SEEN


def _lease(lease: Any) -> Lease:
    return Lease(lease.id, _bytes(lease.url, lease.url_size), _bytes(lease.payload, lease.payload_size),
                 _bytes(lease.group, lease.group_size), lease.priority, lease.origin.depth, lease.is_opaque)


def _base(base: Optional[str]) -> Any:
    if base is None:
        return ffi.NULL
    made = ffi.gc(lib.url_base_create(), lib.url_base_free)
    text = base.encode()
    status = lib.url_base_set(made, text, len(text)) if made else lib.URL_OK
    if not made:
        raise MemoryError("a base URL")
    if status != lib.URL_OK:
        raise BadArgument(f"{base!r} is no URL: {ffi.string(lib.url_status_name(status)).decode()}")
    return made


def _bytes(pointer: Any, size: int) -> bytes:
    return bytes(ffi.buffer(pointer, size)) if size else b""


def _id(lease: Union[Lease, int]) -> int:
    return lease if isinstance(lease, int) else lease.id


def _text(name: str) -> bytes:
    text = name.encode()
    if b"\0" in text:
        raise BadArgument(f"{name!r} has a NUL")
    return text
