/* frontier/frontier.h: a crawl's frontier: is a URL new, and which one is fetched next.
 *
 * The embeddable frontier of a crawler: give it the links you find, ask it what to fetch, and report
 * each result. It remembers every URL ever accepted (a filter), keeps the queue on disk (LMDB), and
 * keeps hosts apart, so that a slow host delays no other.
 *
 *     url_resolve -> frontier_add -> [queued] -> frontier_next -> [in flight] -> frontier_done
 *                         |                                            |
 *                       verdict: SEEN, or why it is new                +-> frontier_release -> [queued]
 *
 * Durability. All changes are gathered in an open batch and committed as one LMDB transaction: the
 * pages that are done, the links they gave, and the hashes of those links. A page is never committed as
 * done before its links. Filter bits are set only after the commit. So, after a crash at any instruction
 * (kill -9, power cut): no committed URL is lost, no committed page comes back, and URLs in flight, or
 * done and not committed, are handed out again.
 * Reports given to frontier_done reach the journal file exactly once, after their commit: a line in the
 * journal is final.
 *
 * Crash safety. There is one way to commit, the safe one: LMDB with full sync (fdatasync of the data, then of the meta
 * page), after an fdatasync of the journal. Nothing weaker is offered, so there is no option. What is kept after
 *
 *     a crash of the process (kill -9)             all that was committed; the last commit is at most one batch old
 *     a crash of the machine (power cut, panic)    the same, if the disk keeps what it reports as written
 *     a full disk, an I/O error                    the same; the open batch stays, and the call can be repeated
 *
 * Changes since the last commit are lost; frontier_sync commits now. Only URLs make a commit due: counters, settings
 * and controls of hosts are committed along with them.
 *
 * Threads: any number may use one handle; each call waits for the one before it (a mutex inside). frontier_open and
 * frontier_close are for one thread alone. Each function says how long the pointers it returns are valid; where several
 * threads use a handle, call frontier_message_copy, not frontier_message.
 *
 * Processes: one writer (a second is refused with FRONTIER_BUSY) and any number of read-only handles, but at most one
 * handle per directory in a process: LMDB's locks are per process, so closing a second handle would drop those of the
 * first. A second handle, to read or to write, is refused with FRONTIER_BUSY; so are the calls of admin.h on a
 * directory that this process has open, by whatever path. options.previous_path with exact keys counts as open.
 * fork(): the handle stays with the parent. The child must neither use nor close the handle; it may only call exec,
 * which closes the handle's file descriptors, or _exit. A child that runs on without exec keeps the directory
 * FRONTIER_BUSY after its parent has ended. To use a frontier in a child, open it there, after the fork.
 *
 * Address space: 1 TiB is mapped, which takes no memory; some 170 such frontiers fit into a process. With
 * options.map_size so much is mapped at first, and under a limit (ulimit -v) at most half of the free address space;
 * more is mapped when needed. If none is left, calls return FRONTIER_NO_SPACE. The limit may be raised while the
 * program runs.
 * Many frontiers in a process: each needs 4 file descriptors, one more with a journal, one more with frontier_wake_fd
 * (a reader needs 2), and some 80 KiB of memory beside its filter, 250 KiB in use. With options.exact it needs up to
 * three more for each fourfold of 65,536 URLs, a few for links that wait, and 6 to 16 MB of memory.
 * Signals: under a limit on file size (ulimit -f), ignore SIGXFSZ to get FRONTIER_NO_SPACE instead of a killed process.
 * Time: the frontier reads no clock, except in frontier_maintain to keep to its budget. `now_ms` is the caller's, in
 * milliseconds. If it goes back between two calls of frontier_next, the frontier's own time goes on from its latest
 * value at the pace of `now_ms`: no host starts early, and none waits longer. (A step back of two seconds or less
 * counts as a call from a delayed thread: own time stands still until `now_ms` has caught up.) A step forward counts as
 * time that passed.
 * No threads but the one of `commit_thread`, no sleeping but in that one, no printing inside. */
#ifndef STRATA_FRONTIER_FRONTIER_H
#define STRATA_FRONTIER_FRONTIER_H

#include "frontier/url.h"
#include "mlbf/filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum frontier_status {
  FRONTIER_OK = 0,
  FRONTIER_NOT_FOUND, /* no such directory, setting or lease */
  FRONTIER_NOT_OURS,  /* the directory belongs to another program */
  FRONTIER_VERSION,   /* of another format: the message says how to carry its URLs over */
  FRONTIER_BUSY,      /* another process is writing it, or this one has it open */
  FRONTIER_MISMATCH,  /* it was made with another filter or profile */
  FRONTIER_BAD_ARGUMENT,
  FRONTIER_DAMAGED,  /* a checksum is wrong */
  FRONTIER_NO_SPACE, /* disk full, file-size limit, or map full: the open batch stays in memory; repeat the call */
  FRONTIER_NO_MEMORY,
  FRONTIER_IO,
} frontier_status;

enum { FRONTIER_MESSAGE_SIZE = 512 };

/* The ABI number of this header, and that of the running library. It is raised, together with the name of the shared
 * library, when anything existing changes its meaning or its layout. Within one number, functions and enumerators may
 * be added, and fields at the end of structs whose size is passed (see frontier_open_sized), or that the library hands
 * to a visitor. Treat an outcome that you do not know as new, and such a status as an error. */
enum { FRONTIER_ABI = 1 };
int frontier_abi(void);             /* the library's */
const char *frontier_version(void); /* its release, as "0.1.0" */

enum { FRONTIER_KEY_SCHEME_MAX = 63, FRONTIER_ROUTE_KEY_BYTES = 16 };

/* Gets one sentence of interest to the user who runs the crawl, valid during the call. It is called from within calls
 * on the handle, and must not use the handle. */
typedef void frontier_logger(void *context, const char *sentence);

/* Zero is fine for all but `filter`, `expected_urls`, `rate`, `per_host`; a `depth_cap` of zero takes no links. */
typedef struct frontier_options {
  mlbf_kind filter;         /* MLBF_KIND_MLBF, _BLOOM or _LINE; fixed for a directory */
  url_profile profile;      /* how keys are made; fixed for a directory */
  uint64_t expected_urls;   /* the filter has room for so many at first, in a directory for fewer; it grows */
  double rate;              /* promised share of new URLs wrongly called seen; fixed for a directory */
  uint64_t delay_ms;        /* default pause between starts of fetches from one host */
  uint32_t per_host;        /* default number of URLs of one host in flight at once, >= 1 */
  uint16_t depth_cap;       /* deeper URLs are accepted but wait on disk until opened with a larger cap */
  const char *journal_path; /* file that gets the reports; NULL: none */
  bool read_only;           /* read, while another process may be writing: hosts and counts are those at open,
                                 verdicts those at the first one asked for; frontier_each sees the latest commit */
  bool keep_identity;       /* an existing directory's filter, profile and rate override the ones above */
  frontier_logger *log;     /* gets events that are no errors: the filter grows, or is rebuilt; NULL: no log */
  void *log_context;
  /* An earlier crawl, to distinguish URLs new to both crawls from those new only here: a frontier's directory, or a
   * filter file (mlbf_save), of the same profile and key_scheme. It is opened once, and not changed; a directory with
   * exact keys stays open for reading, to confirm each URL that its filter calls seen. Its secret may be another one; a
   * file that does not hold its own needs that of this frontier. NULL: no earlier crawl. */
  const char *previous_path;
  /* No URL is ever lost to the filter: what it calls seen, and is not certain yet, gets the verdict UNCONFIRMED,
   * waits on disk, and is compared with all keys, many links at a time; one whose key is not there was new, and is
   * queued then, seconds to ten minutes late. So `rate` is the share of new URLs that come late, and 1e-2 is a good
   * one. Costs 16 bytes on disk for each URL, twice that while these are merged, and no read for a single link. It
   * needs frontier_next to be called, which does the comparing. Needs a directory; fixed for it. */
  bool exact;
  /* Commits are written by a thread of the handle's own, so that no call waits for the disk but frontier_sync,
   * frontier_close, and one that finds a whole batch waiting behind the one that is being written. What a commit would
   * have said is then said by a later call. Not for a process that forks and goes on using the handle.
   * Under a limit on address space there is no such thread. */
  bool commit_thread;
  /* With partitions: others keep their parcels until frontier_inbox_kept says that a copy has them. */
  bool keeps_copies;
  /* MLBF_SECRET_BYTES (mlbf/secret.h), copied: all that hashes URLs and hosts is keyed with them, so that who chooses
   * links cannot choose where they lie. NULL: those of the directory, or drawn for a new one, and for a frontier
   * without a directory. Other than the directory's: FRONTIER_MISMATCH. */
  const uint8_t *secret;
  /* Names how the caller makes its own keys (frontier_link), so that a directory is not opened, nor merged, with
   * keys of another kind: up to FRONTIER_KEY_SCHEME_MAX printing characters. Fixed for a directory. NULL or "": the
   * profile's keys of URLs. */
  const char *key_scheme;
  bool group_readable; /* its files that hold the secret may be read by their group too: mode 0640, not 0600 */
  /* Bytes of address space to map at first, FRONTIER_MAP_MIN to FRONTIER_MAP_MAX; more is mapped when needed, as under
   * a limit. 0: as the comment above says. For programs with many frontiers. */
  uint64_t map_size;
  uint64_t commit_after_ms; /* an open batch with a URL is due so long after its first change; 0: 100 */
  /* It is also due once so many URLs have ended in it and no other is being written. Once twice so many have ended that
   * are not on disk yet, nothing is leased until some are: so a crash costs fewer than twice so many, and what is in
   * flight. 0: this makes none due, and holds nothing back. */
  uint64_t commit_after_ended;
  /* A lease that was neither ended nor released within so much of the frontier's own time is released by the next call
   * of frontier_next; to end it after that gives FRONTIER_NOT_FOUND, unless its URL was leased again: then it ends that
   * lease. Longer than any fetch can take. 0: leases never end by themselves. */
  uint64_t lease_ms;
  /* One crawl in several directories (exchange.h): this one has the hosts of `partition`, 0 to partitions - 1. All of a
   * crawl have the same partitions, 1 to FRONTIER_PARTITIONS_MAX, and the same FRONTIER_ROUTE_KEY_BYTES random bytes,
   * copied. Needs a directory; fixed for it. 0: it has all hosts. With `keep_identity` the directory's. route_key NULL:
   * the directory's; a new one needs it. */
  uint32_t partitions, partition;
  const uint8_t *route_key;
  /* Of a new partition: its incarnation, > 0; wall-clock milliseconds, if it may take the place of one that was lost.
   * 0: 1. An existing one has its own. */
  uint64_t incarnation;
  uint64_t linger_ms; /* a parcel is sent so long after its first URL at the latest, in `now_ms`; 0: 1000 */
} frontier_options;

/* Of options.map_size: 64 MiB, 64 TiB. */
#define FRONTIER_MAP_MIN ((uint64_t)1 << 26)
#define FRONTIER_MAP_MAX ((uint64_t)1 << 46)

typedef struct frontier frontier;

/* Open `directory`, or make it. NULL: keep everything in memory; it ends with the handle. All strings are copied. On
 * failure `message` holds one sentence that names what and where.
 * A directory is taken for hostile: no link in it is followed, and one of another user can only be read (FRONTIER_IO).
 * If its data.mdb is not the file that a writer left there (a copy, a file changed since, one that was open as the
 * machine went down), all of its pages are read first; `log` hears how far it is. Damage is FRONTIER_DAMAGED, and
 * admin.h may repair it. */
static inline frontier_status frontier_open(const char *directory, const frontier_options *options, frontier **out,
                                            char message[FRONTIER_MESSAGE_SIZE]);

/* The same with the size that the options have in the caller's build: fields beyond it are zero. frontier_open passes
 * it; callers in other languages do so themselves. FRONTIER_BAD_ARGUMENT if the caller sets a field that this library
 * does not have.
 *
 * So it is with each struct of these headers that may grow: a function `..._sized` takes its size, which is the step of
 * an array too, and an inline function passes sizeof. What a function fills has zeros in the fields that this library
 * does not have. frontier_verdict and frontier_origin never grow. */
frontier_status frontier_open_sized(const char *directory, const frontier_options *options, size_t options_size,
                                    frontier **out, char message[FRONTIER_MESSAGE_SIZE]);

static inline frontier_status frontier_open(const char *directory, const frontier_options *options, frontier **out,
                                            char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_open_sized(directory, options, sizeof *options, out, message);
}

/* Commits, writes the filter file if many keys came since the last, frees. The status is the commit's; the handle is
 * freed in any case. NULL is fine. */
frontier_status frontier_close(frontier *f);

/* The secret in use: for what the caller keeps beside the directory and keys with the same one. Do not show it. */
void frontier_secret(const frontier *f, uint8_t secret[MLBF_SECRET_BYTES]);

/* One sentence about the last call that failed on this handle, valid until the next one that fails. */
const char *frontier_message(const frontier *f);

/* The same, copied, for handles that several threads use: about the last call of this thread that failed. A thread
 * remembers one failure: if a call on another handle failed since, or no call of this thread did, it is about the last
 * one of any thread on `f`. */
void frontier_message_copy(const frontier *f, char message[FRONTIER_MESSAGE_SIZE]);

/* ---- adding ------------------------------------------------------------------------------------------ */

typedef enum frontier_outcome {
  FRONTIER_SEEN = 0,
  FRONTIER_NEW,             /* new; the filter has no layers for more detail */
  FRONTIER_NEW_HOST,        /* nothing of this host was seen before */
  FRONTIER_NEW_SEGMENT,     /* segment number `layer` was never seen at that depth */
  FRONTIER_NEW_COMBINATION, /* this combination was not seen; every segment may have been, at its depth */
  FRONTIER_KNOWN_BEFORE,    /* new here, and queued like any new URL; but known to the crawl in options.previous_path */
  FRONTIER_UNCONFIRMED,     /* with options.exact: seen, or new and queued soon; nothing is to be done */
  FRONTIER_ELSEWHERE, /* with options.partitions: of another one, where it will be judged; nothing is to be done */
} frontier_outcome;
enum { FRONTIER_OUTCOMES = FRONTIER_KNOWN_BEFORE + 1 }; /* those that stay, of URLs of this directory */

const char *frontier_outcome_name(frontier_outcome outcome); /* "seen", "new", "new-host", ... */

typedef struct frontier_verdict {
  frontier_outcome outcome;
  uint32_t layer; /* the deciding layer, 1 = host; 0: no layer decided */
} frontier_verdict;

typedef struct frontier_origin {
  uint64_t via;   /* lease id of the page that gave the link; 0 for a start URL */
  uint16_t depth; /* links from a start URL; redirects do not count */
  uint16_t hops;  /* redirects followed to get here */
} frontier_origin;

/* Queue `u` if its key is new. SEEN is no error: the URL is then not queued. UNCONFIRMED (options.exact): it is queued
 * later if it turns out to be new, with this origin; then its verdict says why it is, as for any other.
 * An open batch that is full (24,576 URLs, or 16 MiB of them), or old (options.commit_after_ms), is committed first: so
 * memory stays bounded, and a process that only adds loses what is younger if it ends without frontier_close. If that
 * fails (FRONTIER_NO_SPACE, ...) `u` was not accepted: call again when the cause is gone. */
frontier_status frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                             frontier_verdict *verdict);

/* The verdict frontier_add would give; changes nothing. With options.exact it is certain, for some reads of the disk:
 * UNCONFIRMED is only a URL that was found, is not queued, and waits to be confirmed; or any that would have to be,
 * while files of keys that were damaged are made again. */
frontier_status frontier_lookup(frontier *f, const url *u, frontier_verdict *verdict);

enum { FRONTIER_PAYLOAD_MAX = 65536, FRONTIER_GROUP_MAX = 255, FRONTIER_OPAQUE_MAX = URL_LENGTH_MAX };

/* A URL and all that may go with it. */
typedef struct frontier_link {
  const url *target; /* NULL: `opaque` is what is fetched */
  frontier_origin origin;
  /* The caller's own key, which decides "seen" instead of the URL's: its segments with their delimiters, as for
   * mlbf_hash. Only its 128-bit hash is kept. NULL: target->key. */
  const mlbf_span *key;
  size_t key_count;
  const void *payload; /* comes back with the lease; kept until the URL ends */
  size_t payload_size; /* 0 to FRONTIER_PAYLOAD_MAX bytes; more is FRONTIER_BAD_ARGUMENT */
  /* The queue it waits in, in place of its host's, and the unit of politeness: 1 to FRONTIER_GROUP_MAX bytes without
   * NUL, copied. A group is never one with a host of the same name; host.h calls it "/" and its bytes. Size 0: its
   * host. Traps (traps.h) are not watched for in groups. */
  const char *group;
  size_t group_size;
  /* Of the URLs of one host or group and class that may be leased, those with the largest number are first. Of those
   * with the same, other than 0, the one that was accepted first, which has the smallest id: also where one had a time,
   * or was leased and released, and after a crash. Of those with 0 first the ones that had a time, which has come, by
   * id; then those that were released, the last one first; then all others by id. Without effect between hosts, groups
   * and classes, whose turns stay as they are. A URL with a priority other than 0, or with a time, takes 16 to 24 bytes
   * of memory while it waits; and when a crawl that ever had such URLs is opened again, the queue is read before the
   * first lease, some 0.3 s for 10^6 URLs. One with neither that is added while others of its class on disk are unread
   * is leased after these, and not before the next commit if it is of the same run (options.commit_after_ms). */
  int32_t priority;
  uint64_t not_before_ms; /* not leased before this wall-clock time (frontier_clock, host.h); 0: at once. It holds up no
                             other URL */
  /* With `target` NULL: 1 to FRONTIER_OPAQUE_MAX bytes that need not be a URL, which are copied. The lease gives them
   * back as they are. `key` and a group must be given. */
  const void *opaque;
  size_t opaque_size;
} frontier_link;

/* frontier_add for many, in order, hashed and looked up together: faster than one by one once the filter is larger
 * than the caches; 32 or more at once are enough. Of equal keys in one batch only the first is new.
 * On failure the first `*settled` links were processed and have their verdicts; the rest may be tried again.
 * BAD_ARGUMENT: too large a payload, a key of no segments, a group that is too long or has a NUL, or an opaque target
 * that is too long, or lacks key or group. */
static inline frontier_status frontier_add_batch(frontier *f, const frontier_link *links, size_t count, uint64_t now_ms,
                                                 frontier_verdict *verdicts, size_t *settled);

/* Queue a link even if its key was seen: a page to be fetched again. The verdict is what frontier_lookup would give,
 * SEEN if that is UNCONFIRMED.
 * Each call adds a URL with a new id: a page still queued is then fetched twice. */
static inline frontier_status frontier_force(frontier *f, const frontier_link *link, uint64_t now_ms,
                                             frontier_verdict *verdict);

/* Remember a key as seen and queue nothing. If it was new, its URL is recorded as ended, in state FRONTIER_NOTED. */
static inline frontier_status frontier_note(frontier *f, const frontier_link *link, uint64_t now_ms,
                                            frontier_verdict *verdict);

/* As frontier_lookup, each as if it were alone; changes nothing. */
static inline frontier_status frontier_lookup_batch(frontier *f, const frontier_link *links, size_t count,
                                                    frontier_verdict *verdicts);

/* ---- forgetting ------------------------------------------------------------------------------------------- */

/* The key of `link` is new again at once, durably with the next commit: frontier_add will queue it. The record of how
 * its URL ended stays. A URL that is still queued stays queued, and is fetched twice if found again. `*was_seen`: it
 * was seen before this call. No other key becomes new. Costs 32 to 64 bytes of memory for each key forgotten and not
 * accepted again, until frontier_compact (admin.h) erases it. A link that waits to be confirmed was not accepted yet:
 * there is nothing to forget. */
static inline frontier_status frontier_forget(frontier *f, const frontier_link *link, bool *was_seen);

/* The same for every URL that ended on a host (host[:port] as in fetch URLs), or whose fetch URL begins with `prefix`;
 * a key stays seen while a URL that has it is queued or in flight. Commits, then reads all of the history and the
 * queue: some seconds for 10^7 URLs. `*forgotten`: how many keys are no longer seen, also on failure.
 * FRONTIER_BAD_ARGUMENT without a directory: there is no history in memory. */
frontier_status frontier_forget_host(frontier *f, const char *name, size_t size, uint64_t *forgotten);
frontier_status frontier_forget_prefix(frontier *f, const char *prefix, size_t size, uint64_t *forgotten);

/* Priority classes. Each has its own queue, first in first out within a host; when a block or a budget ends, the URLs
 * it held back are handed out only roughly in order. Of 64 turns 1 is for TRAP, of 16 turns 1 for LOW, of 4 turns 1 for
 * NORMAL, the others are for HIGH; a turn of a class without due URLs goes to the highest class that has some. No class
 * starves. */
typedef enum frontier_class {
  FRONTIER_NORMAL = 0,
  FRONTIER_HIGH,
  FRONTIER_LOW,
  FRONTIER_TRAP, /* URLs that look like a trap's: traps.h */
} frontier_class;
enum { FRONTIER_CLASSES = FRONTIER_TRAP + 1 };

/* ---- leasing ----------------------------------------------------------------------------------------- */

typedef struct frontier_lease {
  uint64_t id;     /* > 0, rising in order of acceptance, the same across runs */
  const char *url; /* the fetch URL, NUL-terminated; valid until the lease ends: done, release, options.lease_ms */
  uint32_t url_size;
  uint32_t host_begin, host_end; /* of host[:port] within `url`; both 0 if it is opaque */
  frontier_origin origin;
  const void *payload; /* of its frontier_link; NULL if size is 0; valid as long as `url`; aligned to 16 bytes */
  size_t payload_size;
  frontier_verdict verdict; /* on acceptance; SEEN: by frontier_force */
  const char *group;        /* of its frontier_link; NULL if size is 0; valid as long as the handle */
  size_t group_size;
  int32_t priority;
  bool is_opaque; /* `url` is the opaque target: any bytes, and a NUL behind them */
} frontier_lease;

enum { FRONTIER_WAIT_FOREVER = -1 };

/* Lease up to `max` URLs that are due. `*count` may be 0: then `*wait_ms` says when to ask again, or
 * FRONTIER_WAIT_FOREVER if nothing will be due before a lease ends or a URL is added. Commits the open batch when it is
 * large or old enough. A call that gives URLs is FRONTIER_OK, though something failed after them: then the next call
 * gives none, and says what. */
static inline frontier_status frontier_next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max,
                                            size_t *count, int64_t *wait_ms);

/* A file descriptor for poll or epoll, beside others, in place of waiting for `*wait_ms` alone; -1: none could be made.
 * The frontier's own: neither read nor close it. It is readable after a call of frontier_next that gave URLs, as there
 * may be more. It is not after one that gave none, until something happens which that call did not foresee: a URL was
 * added, released or promoted and may be taken sooner, a host may be asked sooner, a lease of a host with too many
 * ended, or the last lease of all. So wait for it with a timeout of `*wait_ms`, which may be years, then call
 * frontier_next again:
 *
 *     while (frontier_next(f, now_ms(), leases, max, &count, &wait_ms) == FRONTIER_OK && !frontier_is_finished(f))
 *       if (count)
 *         begin(leases, count);
 *       else
 *         poll(&(struct pollfd){.fd = frontier_wake_fd(f), .events = POLLIN}, 1,
 *              wait_ms < INT_MAX ? (int)wait_ms : INT_MAX);
 *
 * Several threads may wait so on one handle: one of them at least is woken, and each that gets URLs wakes the next. Who
 * finds the frontier finished tells the others. Costs one write at most between two calls of frontier_next, and nothing
 * before it is first asked for. */
int frontier_wake_fd(frontier *f);

/* No URL is in flight, none is queued except deeper than the cap or held (host.h), and no link is unconfirmed. */
bool frontier_is_finished(const frontier *f);
/* URLs deeper than the cap are waiting. */
bool frontier_is_deferring(const frontier *f);

typedef enum frontier_state {
  FRONTIER_DONE = 1,
  FRONTIER_FAILED,
  FRONTIER_SKIPPED,
  FRONTIER_NOTED, /* never queued: frontier_note. Not for frontier_done */
} frontier_state;

/* Ends the lease; its URL is not handed out again. `code` is the caller's (an HTTP status, an error number), kept in
 * the history. `report` is written to the journal, with a newline added; size 0: no report. Call after frontier_add of
 * the page's links. */
frontier_status frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code, const char *report,
                              size_t report_size, uint64_t now_ms);

/* frontier_done with FRONTIER_SKIPPED and code 0, and the counter "skipped-REASON" is raised by one, so the reasons
 * for not fetching are counted on disk. FRONTIER_BAD_ARGUMENT if that is no valid name of a counter. */
frontier_status frontier_skip(frontier *f, uint64_t lease, const char *reason, const char *report, size_t report_size,
                              uint64_t now_ms);

/* The URL goes back to the head of its host's queue, as if never leased; with a priority, to its place by id among its
 * equals (frontier_link.priority). */
frontier_status frontier_release(frontier *f, uint64_t lease, uint64_t now_ms);

/* What changes as a URL goes back. All zero: nothing. */
typedef struct frontier_return {
  bool has_payload; /* from now on its payload is this one; size 0: it has none */
  const void *payload;
  size_t payload_size;
  bool has_priority; /* from now on its priority is this one */
  int32_t priority;
  uint64_t not_before_ms; /* as in frontier_link; 0: at once */
} frontier_return;

/* frontier_release with changes, for a retry: they are committed as all others are, and after a crash before that the
 * URL waits as it was. Its id stays. BAD_ARGUMENT, NO_MEMORY: it is still leased. */
static inline frontier_status frontier_release_with(frontier *f, uint64_t lease, const frontier_return *with,
                                                    uint64_t now_ms);

/* Politeness of the host of a lease: at least `delay_ms` between starts, until the next call or close; never below the
 * default or the delay of frontier_host_set. */
frontier_status frontier_host_delay(frontier *f, uint64_t lease, uint64_t delay_ms);

#define FRONTIER_ITS_DELAY UINT64_MAX

/* Sets the next start from the host of a lease to `wait_ms` from now, sooner or later than planned, but never before a
 * back-off is over. For a caller who leased a URL and must fetch robots.txt first: call it with a long wait, and again
 * with FRONTIER_ITS_DELAY when you request the page, so that the host's delay counts from that request. */
frontier_status frontier_host_next(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);

/* The host of a lease answered "not now" (429, 503, Retry-After): no start for `wait_ms`. Never shortens a wait. */
frontier_status frontier_host_back_off(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);

/* ---- reading ------------------------------------------------------------------------------------------ */

typedef struct frontier_record {
  uint64_t id;    /* the lease id */
  bool is_queued; /* or in flight; else it ended in `state` with `code` */
  frontier_state state;
  uint16_t code;
  frontier_origin origin;
  const char *url; /* not NUL-terminated; valid during the call */
  size_t url_size;
  const void *payload; /* of a URL that is queued; NULL if size is 0 */
  size_t payload_size;
  bool is_in_flight;        /* from frontier_find and frontier_find_id only */
  frontier_verdict verdict; /* that let it in */
  frontier_class priority;  /* the queue it waits in; of one that ended: as it was accepted */
  const char *group;        /* of its frontier_link; NULL if size is 0 */
  size_t group_size;
  int32_t rank;           /* frontier_link.priority, or the one it was released with */
  uint64_t not_before_ms; /* and its time */
  bool is_opaque;         /* `url` is the opaque target */
} frontier_record;

typedef bool frontier_visitor(void *context, const frontier_record *record); /* false: enough */

/* Every committed URL: first those that ended, in the order of ending, then those queued or in flight, in order of id,
 * except that URLs of hosts with very long queues come last. Reads from disk as it goes, in fixed memory; while a
 * writer goes on, a URL may be visited twice or be missed as it moves. No read transaction is open while `visit` runs,
 * so it may wait: for a pipe, or a person. Without a directory it visits no URL. */
frontier_status frontier_each(frontier *f, frontier_visitor *visit, void *context);

/* The record of a lease id, whatever became of its URL: waiting, in flight, or ended. What it points to is valid until
 * the next call of one of these two on the handle. NOT_FOUND: no such id was given, or (without a directory) its URL
 * has ended. Some page reads, unless it is in flight. What is not committed is committed first, so it may fail as
 * frontier_sync does. */
static inline frontier_status frontier_find_id(frontier *f, uint64_t id, frontier_record *record);

/* The same for the key of `link`; of several URLs with this key, the one that was accepted last. There is no index from
 * keys to records: NOT_FOUND is known at once where the key was never seen, but to find one all URLs are read, a second
 * or so for each 10^6. It commits first, too. */
static inline frontier_status frontier_find(frontier *f, const frontier_link *link, frontier_record *record);

typedef struct frontier_in_flight {
  uint64_t id;
  const char *url; /* NUL-terminated; as `host` valid during the call */
  uint32_t url_size;
  const char *host;     /* NUL-terminated; of a group "/" and its name */
  uint64_t taken_ms;    /* when it was leased, in the caller's time, */
  uint64_t deadline_ms; /* and when options.lease_ms ends it; UINT64_MAX: never */
} frontier_in_flight;

typedef bool frontier_in_flight_visitor(void *context, const frontier_in_flight *lease); /* false: enough */

/* Every lease in flight, the oldest first. `visit` may not call the frontier. */
frontier_status frontier_leases(frontier *f, frontier_in_flight_visitor *visit, void *context);

/* ---- maintenance ------------------------------------------------------------------------------------- */

/* Commit now. After FRONTIER_OK all changes so far survive a crash and a power cut. */
frontier_status frontier_sync(frontier *f);

/* Maintenance ahead of time, for callers that wait anyway: the next filter file, and checks of the one in use, which
 * else are done along with commits, in steps of about a millisecond for about `budget_ms` of real time. `*is_more`:
 * there is more to do. Need not be called at all. OK: a file that cannot be written is tried again later, and costs
 * memory and time at the next open. */
frontier_status frontier_maintain(frontier *f, uint64_t budget_ms, bool *is_more);

/* Called before each transaction is written, for the caller's files that must be on disk with it: the hook syncs them,
 * and may put settings. Any status but OK: nothing is committed, `message` says why. `hook` NULL: no hook. */
typedef frontier_status frontier_hook(void *context, char message[FRONTIER_MESSAGE_SIZE]);
void frontier_before_commit(frontier *f, frontier_hook *hook, void *context);

/* Small named values of the caller, committed with the batch. Names that begin with "trap-marks-" are kept for traps.h.
 * get: NOT_FOUND, or a pointer valid until the
 * setting of that name is put again. */
frontier_status frontier_setting_put(frontier *f, const char *name, const void *value, size_t size);
frontier_status frontier_setting_get(frontier *f, const char *name, const void **value, size_t *size);

/* Named counters of the caller, committed with the batch; a name, as "skipped-robots", has 1 to 47 bytes, no space and
 * no newline. FRONTIER_BAD_ARGUMENT: an invalid name, or a new one when there are 64. */
frontier_status frontier_count(frontier *f, const char *name, uint64_t add);
uint64_t frontier_counter(const frontier *f, const char *name);
/* The i-th counter in order of first use; false past the last. */
bool frontier_counter_at(const frontier *f, size_t index, const char **name, uint64_t *value);

typedef struct frontier_stats {
  uint64_t queued, in_flight;           /* now */
  uint64_t deferred;                    /* of `queued`: deeper than the cap; too low while URLs are unread on disk */
  uint64_t done, failed, skipped;       /* since the crawl began */
  uint64_t outcomes[FRONTIER_OUTCOMES]; /* verdicts since the crawl began, without those of lookups */
  uint64_t hosts;
  url_profile profile;
  mlbf_stats filter;
  double expected_lost;    /* expected number of URLs wrongly called seen: sum over commits of new keys x rate; 0 with
                           options.exact */
  uint64_t noted;          /* new URLs of frontier_note */
  uint64_t forced;         /* queued by frontier_force though seen */
  uint64_t unconfirmed;    /* with options.exact: links that wait to be confirmed, and are not among `outcomes` yet */
  uint64_t late;           /* of the new ones, those that the filter called seen: queued once that was found out */
  uint64_t commit_wait_ms; /* calls of this handle have waited so long for commits to be written */
} frontier_stats;

/* The current numbers, in constant time, without looking at the filter's bits: those are counted along with commits, 16
 * times while the filter fills; `filter.fill` and what is estimated from it are carried on in between. The first call
 * counts them if no commit has. A read-only handle loads the filter first, and may fail as frontier_open does. */
static inline frontier_status frontier_stats_read(frontier *f, frontier_stats *stats);

/* Was its directory made with options.exact? */
bool frontier_is_exact(const frontier *f);

/* Its options.key_scheme, "" for the profile's keys of URLs; valid as long as the handle. */
const char *frontier_key_scheme(const frontier *f);

/* ---- sizes ------------------------------------------------------------------------------------------- */

/* The functions of the same names above, with the size of the caller's struct: see frontier_open_sized. */
frontier_status frontier_add_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                         uint64_t now_ms, frontier_verdict *verdicts, size_t *settled);
frontier_status frontier_force_sized(frontier *f, const frontier_link *link, size_t link_size, uint64_t now_ms,
                                     frontier_verdict *out);
frontier_status frontier_note_sized(frontier *f, const frontier_link *link, size_t link_size, uint64_t now_ms,
                                    frontier_verdict *out);
frontier_status frontier_lookup_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                            frontier_verdict *verdicts);
frontier_status frontier_forget_sized(frontier *f, const frontier_link *link, size_t link_size, bool *was_seen);
frontier_status frontier_next_sized(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t lease_size, size_t max,
                                    size_t *count, int64_t *wait_ms);
frontier_status frontier_release_with_sized(frontier *f, uint64_t lease, const frontier_return *with, size_t with_size,
                                            uint64_t now_ms);
frontier_status frontier_stats_read_sized(frontier *f, frontier_stats *stats, size_t stats_size);
frontier_status frontier_find_id_sized(frontier *f, uint64_t id, frontier_record *record, size_t record_size);
frontier_status frontier_find_sized(frontier *f, const frontier_link *link, size_t link_size, frontier_record *record,
                                    size_t record_size);

static inline frontier_status frontier_find_id(frontier *f, uint64_t id, frontier_record *record)
{
  return frontier_find_id_sized(f, id, record, sizeof *record);
}

static inline frontier_status frontier_find(frontier *f, const frontier_link *link, frontier_record *record)
{
  return frontier_find_sized(f, link, sizeof *link, record, sizeof *record);
}

static inline frontier_status frontier_add_batch(frontier *f, const frontier_link *links, size_t count, uint64_t now_ms,
                                                 frontier_verdict *verdicts, size_t *settled)
{
  return frontier_add_batch_sized(f, links, sizeof *links, count, now_ms, verdicts, settled);
}

static inline frontier_status frontier_force(frontier *f, const frontier_link *link, uint64_t now_ms,
                                             frontier_verdict *out)
{
  return frontier_force_sized(f, link, sizeof *link, now_ms, out);
}

static inline frontier_status frontier_note(frontier *f, const frontier_link *link, uint64_t now_ms,
                                            frontier_verdict *out)
{
  return frontier_note_sized(f, link, sizeof *link, now_ms, out);
}

static inline frontier_status frontier_lookup_batch(frontier *f, const frontier_link *links, size_t count,
                                                    frontier_verdict *verdicts)
{
  return frontier_lookup_batch_sized(f, links, sizeof *links, count, verdicts);
}

static inline frontier_status frontier_forget(frontier *f, const frontier_link *link, bool *was_seen)
{
  return frontier_forget_sized(f, link, sizeof *link, was_seen);
}

static inline frontier_status frontier_next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max,
                                            size_t *count, int64_t *wait_ms)
{
  return frontier_next_sized(f, now_ms, leases, sizeof *leases, max, count, wait_ms);
}

static inline frontier_status frontier_release_with(frontier *f, uint64_t lease, const frontier_return *with,
                                                    uint64_t now_ms)
{
  return frontier_release_with_sized(f, lease, with, sizeof *with, now_ms);
}

static inline frontier_status frontier_stats_read(frontier *f, frontier_stats *stats)
{
  return frontier_stats_read_sized(f, stats, sizeof *stats);
}

#ifdef __cplusplus
}
#endif
#endif
