"""Scrapy's scheduler and duplicate filter on a Frontier: a crawl with JOBDIR that survives kill -9.

    SCHEDULER = "strata_frontier.scrapy.Scheduler"
    JOBDIR = "crawls/one"

    enqueue_request -> [queued] -> next_request -> [leased] -> the callback has ended, and its requests and items were
        |                             ^                |       taken -> [done]
        +-> seen: False               +-- kill, crash -+

The settings: STRATA_EXACT, STRATA_RATE, STRATA_EXPECTED_URLS, STRATA_START_AGAIN, STRATA_COMMIT_AFTER_MS; README.md says
more.
"""
import logging
import pickle
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Set, Union

from scrapy.core import scheduler as stock
from scrapy.dupefilters import RFPDupeFilter
from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface
from scrapy.utils.job import job_dir
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import CallLaterOnce
from scrapy.utils.request import RequestFingerprinter, request_from_dict

try:
    from scrapy.utils.misc import build_from_crawler
except ImportError:  # Scrapy before 2.12
    from scrapy.utils.misc import create_instance

    def build_from_crawler(cls: Any, crawler: Any) -> Any:
        return create_instance(cls, None, crawler)

from . import BadArgument, Filter, Frontier, Link, Outcome, State, StrataError
from ._strata import lib

logger = logging.getLogger(__name__)

ALL = b"requests"  # the one group, where SCHEDULER_PRIORITY_QUEUE does not keep hosts apart
AGAIN = b"again"  # the key of all requests that are queued whether seen or not
START = b"start\0"  # before the key of one that the spider starts with
NO_LIMIT = 0xFFFFFFFF
RECENT = 8192  # URLs or keys kept here, so that what most pages link to costs neither a fingerprint nor a call
HEARTBEAT_MS = 5000  # the engine asks again after so long by itself
# What a stored request leaves out if it is the default; `url` and `priority` are stored by the frontier.
DEFAULTS: Dict[str, Any] = {
    "callback": None, "errback": None, "headers": {}, "method": "GET", "body": b"", "cookies": {}, "meta": {},
    "encoding": "utf-8", "dont_filter": False, "flags": [], "cb_kwargs": {},
}


def open_frontier(path: Path, settings: Any, **options: Any) -> Frontier:
    """The names of keys are those of the fingerprinter, so that a directory is not used with those of another."""
    exact = settings.getbool("STRATA_EXACT")
    version = "2.6" if settings.get("REQUEST_FINGERPRINTER_IMPLEMENTATION") == "2.6" else "2.7"
    fingerprinter = load_object(settings["REQUEST_FINGERPRINTER_CLASS"])
    name = f"{fingerprinter.__module__}.{fingerprinter.__qualname__}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return Frontier(path, exact=exact, rate=settings.getfloat("STRATA_RATE", 1e-2 if exact else 1e-6),
                    expected_urls=settings.getint("STRATA_EXPECTED_URLS", 100_000),
                    key_scheme=f"{name}/{version}"[-63:], **options)


class Unstorable(Exception):
    """A request that cannot be pickled, or is too large."""


class DupeFilter(RFPDupeFilter):  # type: ignore[misc]
    """DUPEFILTER_CLASS for Scrapy's own scheduler; the Scheduler below needs none.

    With JOBDIR the fingerprints are on disk, and what takes memory is a filter of 5 bytes each."""

    def __init__(self, path: Optional[str] = None, debug: bool = False, *, fingerprinter: Any = None,
                 settings: Any = None) -> None:
        super().__init__(None, debug, fingerprinter=fingerprinter)
        self._asked = 0
        self._seen: Union[Filter, Frontier] = Filter()
        if path:
            self._seen = open_frontier(Path(path, "strata.seen"), settings)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "DupeFilter":
        return cls.from_settings(crawler.settings, fingerprinter=crawler.request_fingerprinter)

    @classmethod
    def from_settings(cls, settings: Any, *, fingerprinter: Any = None) -> "DupeFilter":
        return cls(job_dir(settings), settings.getbool("DUPEFILTER_DEBUG"), fingerprinter=fingerprinter,
                   settings=settings)

    def request_seen(self, request: Any) -> bool:
        key = self.fingerprinter.fingerprint(request)
        if isinstance(self._seen, Filter):
            return not self._seen.add(key)
        if self._seen.knows(key):
            return True
        self._seen.note(Link(request.url.encode()[:lib.FRONTIER_OPAQUE_MAX], key, group=ALL, opaque=True))
        self._asked += 1
        if self._asked % 256 == 0:
            self._seen.next()  # it gives nothing, and commits
        return False

    def close(self, reason: str) -> None:
        self._seen.close()


class Scheduler(stock.Scheduler):  # type: ignore[misc]
    """SCHEDULER. Without JOBDIR it is Scrapy's own."""

    frontier: Optional[Frontier] = None  # with JOBDIR
    logunser: bool
    _is_filtered_elsewhere: bool  # by a DUPEFILTER_CLASS of the user's
    _is_watching: bool  # the engine says when a callback has ended
    _is_failing: bool

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Scheduler":
        settings = crawler.settings
        filters = load_object(settings["DUPEFILTER_CLASS"])
        jobdir = job_dir(settings)
        if jobdir and filters in (RFPDupeFilter, DupeFilter):  # here it only logs: the frontier knows what was seen
            dupefilter = RFPDupeFilter(None, settings.getbool("DUPEFILTER_DEBUG"),
                                       fingerprinter=crawler.request_fingerprinter)
        else:
            dupefilter = build_from_crawler(filters, crawler)
        made = cls(
            dupefilter=dupefilter,
            jobdir=jobdir,
            dqclass=load_object(settings["SCHEDULER_DISK_QUEUE"]),
            mqclass=load_object(settings["SCHEDULER_MEMORY_QUEUE"]),
            logunser=settings.getbool("SCHEDULER_DEBUG"),
            stats=crawler.stats,
            pqclass=load_object(settings["SCHEDULER_PRIORITY_QUEUE"]),
            crawler=crawler,
        )
        made._is_filtered_elsewhere = type(dupefilter) is not RFPDupeFilter
        return made

    # ---- Scrapy calls these

    def enqueue_request(self, request: Any) -> bool:
        if self.frontier is None:
            return bool(super().enqueue_request(request))
        key = self._key(request)
        if key is None:
            return False
        try:
            return self._store(request, key)
        except Unstorable as reason:
            self._say_unserializable(request, reason)
        except StrataError as error:
            if not self._is_failing:
                logger.error("Requests stay in memory, and none is marked as done: %s", error)
            self._is_failing = True
        self._mqpush(request)
        if key != AGAIN:
            self._in_memory[request] = key
            self._memory_keys.add(key)
        self._count("enqueued", "memory")
        return True

    def next_request(self) -> Any:
        if self.frontier is None:
            return super().next_request()
        request = self.mqs.pop()
        if request is not None:
            self._count("dequeued", "memory")
            return request
        for lease in iter(self.frontier.next, []):
            try:
                request = self._read(lease[0])
            except Exception:
                logger.error("A stored request cannot be used: %s", lease[0].url, exc_info=True)
                self.stats.inc_value("strata/unusable")
                self.frontier.done(lease[0], State.FAILED)
                continue
            if self._is_watching:
                self._leases[request] = lease[0].id
            else:
                self.frontier.done(lease[0])
            self._count("dequeued", "disk")
            return request
        wait_ms = self.frontier.wait_ms
        if self._wake is not None and wait_ms is not None and wait_ms < HEARTBEAT_MS:
            self._wake.schedule(wait_ms / 1000)
        return None

    def __len__(self) -> int:
        if self.frontier is None:
            return int(super().__len__())
        stats = self.frontier.stats()
        return len(self.mqs) + stats.queued + stats.unconfirmed

    def close(self, reason: str) -> Any:
        if self.frontier is not None:
            if len(self.mqs):
                logger.warning("%d requests that could not be stored are lost", len(self.mqs))
            stats = self.frontier.stats()
            self.stats.set_value("strata/expected_lost", stats.expected_lost)
            self.stats.set_value("strata/filter_bytes", stats.filter_bytes)
            if self._wake is not None:
                self._wake.cancel()
            self.frontier.close()
        return super().close(reason)

    # ---- stock.Scheduler calls these

    def _dqdir(self, jobdir: Optional[str]) -> Optional[str]:
        if not jobdir:
            return None
        queue = Path(jobdir, "requests.queue")
        if queue.exists():
            raise BadArgument(f"{queue} is of Scrapy's own scheduler: finish that crawl with it, or use another JOBDIR")
        return str(Path(jobdir, "strata.frontier"))

    def _dq(self) -> None:
        settings = self.crawler.settings
        self._leases: Dict[Any, int] = {}  # requests that were handed out, until their callbacks have ended
        self._in_memory: Dict[Any, bytes] = {}
        self._memory_keys: Set[bytes] = set()
        self._recent: Set[Union[str, bytes, None]] = set()  # URLs alone and keys that were seen, some of them
        self._is_scrapys_fingerprint = (not self._is_filtered_elsewhere
                                        and type(self.crawler.request_fingerprinter) is RequestFingerprinter)
        self._is_failing = False
        self._start: Any = None  # the request that the spider has started with last
        self._starts = None if settings.getbool("STRATA_START_AGAIN") else Filter()  # of this run
        per_host = NO_LIMIT
        self._slot_key = None
        if issubclass(self.pqclass, DownloaderAwarePriorityQueue):
            self._slot_key = DownloaderInterface(self.crawler).get_slot_key
            # As many as are downloaded at once, and as many again that are parsed meanwhile.
            per_host = 2 * settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") or NO_LIMIT
        self.frontier = open_frontier(Path(self.dqdir), settings, per_host=per_host,
                                      commit_after_ms=settings.getint("STRATA_COMMIT_AFTER_MS"))
        self._wake: Optional[CallLaterOnce] = None
        self._is_watching = self._watch()
        if not self._is_watching:
            logger.warning("This engine does not say when a callback has ended, as strata_frontier knows no slot of it:"
                           " requests are marked as done when they are handed out, and a crash loses those that are"
                           " being downloaded or parsed", extra={"spider": self.spider})
            self.stats.set_value("strata/unwatched", True)
        waiting = self.frontier.stats().queued
        if waiting:
            logger.info("Resuming crawl (%(queuesize)d requests scheduled)", {"queuesize": waiting},
                        extra={"spider": self.spider})

    # ---- inside

    def _watch(self) -> bool:
        """To learn when the callback of a request has ended, and which requests the spider starts with."""
        engine = self.crawler.engine
        slot = getattr(engine, "_slot", None) or getattr(engine, "slot", None)
        if slot is None:
            return False
        remove = slot.remove_request

        def remove_request(request: Any) -> Any:
            self._finished(request)
            return remove(request)

        slot.remove_request = remove_request
        self._wake = CallLaterOnce(slot.nextcall.schedule)
        starts = getattr(slot, "start_requests", None)  # Scrapy before 2.13; later ones mark them in their meta
        if starts is not None:
            slot.start_requests = self._note_starts(starts)
        return True

    def _note_starts(self, starts: Iterator[Any]) -> Iterator[Any]:
        for request in starts:
            self._start = request
            yield request

    def _is_start(self, request: Any) -> bool:
        meta = request.meta
        return request is self._start or (
            "is_start_request" in meta and "redirect_times" not in meta and "retry_times" not in meta)

    def _key(self, request: Any) -> Optional[bytes]:
        """The request's key in the frontier; None: it was seen."""
        if request.dont_filter:
            if self._starts is None or not self._is_start(request):
                return AGAIN
            key = self._start_key(request)
            if self._was_seen(key):
                self.stats.inc_value("strata/known_starts")
                return None
            return key
        found: Optional[bytes] = AGAIN
        if not self._is_filtered_elsewhere:
            found = self._key_if_new(request)
        elif self.df.request_seen(request):
            found = None
        if found is None:
            self.df.log(request, self.spider)
        return found

    def _key_if_new(self, request: Any) -> Optional[bytes]:
        url = self._url_alone(request)
        if url in self._recent:
            return None
        key = self._fingerprint(request)
        was_seen = key in self._recent or self._was_seen(key)
        if len(self._recent) >= RECENT:
            self._recent.clear()
        self._recent.add(url or key)
        return None if was_seen else key

    def _url_alone(self, request: Any) -> Optional[str]:
        """The URL, if Scrapy's fingerprint is made of nothing else: then equal URLs have equal keys."""
        url: str = request.url
        is_alone = request.method == "GET" and not request.body and "verbatim_url" not in request.meta
        return url if is_alone and self._is_scrapys_fingerprint else None

    def _fingerprint(self, request: Any) -> bytes:
        return bytes(self.crawler.request_fingerprinter.fingerprint(request))

    def _start_key(self, request: Any) -> bytes:
        """Of the n-th equal request that the spider starts with in this run: the n-th was queued in an earlier run, or
        not."""
        assert self._starts is not None
        key = START + self._fingerprint(request)
        n = 0
        while not self._starts.add(key + n.to_bytes(4, "big")):
            n += 1
        return key + n.to_bytes(4, "big")

    def _was_seen(self, key: bytes) -> bool:
        assert self.frontier is not None
        return key in self._memory_keys or self.frontier.knows(key)

    def _store(self, request: Any, key: bytes) -> bool:
        assert self.frontier is not None
        group = self._slot_key(request).encode()[:lib.FRONTIER_GROUP_MAX] if self._slot_key else ALL
        try:
            stored = request.to_dict(spider=self.spider)
            url = stored.pop("url").encode()
            stored.pop("priority")
            for name, default in DEFAULTS.items():
                if stored[name] == default:
                    del stored[name]
            payload = pickle.dumps(stored, protocol=4)
        except (pickle.PicklingError, AttributeError, TypeError, ValueError) as reason:
            raise Unstorable(reason) from reason
        if len(payload) > lib.FRONTIER_PAYLOAD_MAX or len(url) > lib.FRONTIER_OPAQUE_MAX:
            raise Unstorable(f"its URL has {len(url)} bytes, and the rest {len(payload)}")
        link = Link(url, key, payload, group or ALL, request.priority, opaque=True)
        if key == AGAIN:
            self.frontier.force(link)
        elif self.frontier.add(link).outcome == Outcome.SEEN:
            return False
        self._count("enqueued", "disk")
        return True

    def _read(self, lease: Any) -> Any:
        stored = pickle.loads(lease.payload)
        stored["url"] = lease.url
        stored["priority"] = lease.priority
        return request_from_dict(stored, spider=self.spider)

    def _finished(self, request: Any) -> None:
        """Its callback has ended, and all that came of it was taken."""
        assert self.frontier is not None
        lease, key = self._leases.pop(request, None), self._in_memory.pop(request, None)
        if self._is_failing:
            return
        try:
            if lease is not None:
                self.frontier.done(lease)
            elif key is not None:
                self.frontier.note(Link(request.url.encode()[:lib.FRONTIER_OPAQUE_MAX], key, group=ALL, opaque=True))
        except StrataError as error:
            logger.error("%s will be fetched again in the next run: %s", request, error)

    def _say_unserializable(self, request: Any, reason: Exception) -> None:
        if self.logunser:
            logger.warning("Unable to serialize request: %(request)s - reason: %(reason)s - no more unserializable"
                           " requests will be logged (stats being collected)", {"request": request, "reason": reason},
                           exc_info=True, extra={"spider": self.spider})
            self.logunser = False
        self.stats.inc_value("scheduler/unserializable")

    def _count(self, what: str, where: str) -> None:
        self.stats.inc_value(f"scheduler/{what}/{where}")
        self.stats.inc_value(f"scheduler/{what}")
