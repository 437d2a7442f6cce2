/* frontier/frontier.h: what is new, and who is next.
 *
 * The embeddable frontier of a crawler: hand it the links you find, ask it what to fetch, tell it what
 * became of it. It remembers every URL ever accepted (a filter), keeps the queue on disk (LMDB), and
 * keeps hosts apart so that a slow one delays nobody.
 *
 *     url_resolve -> frontier_add -> [queued] -> frontier_next -> [in flight] -> frontier_done
 *                         |                                            |
 *                       verdict: SEEN, or why it is new                +-> frontier_release -> [queued]
 *
 * Durability. Everything said to the frontier is gathered into an open batch and committed as one LMDB
 * transaction: the pages that are done, the links they gave, and the hashes of those links. A page is
 * never committed as done before its links. Filter bits are set only after the commit. So, after death
 * at any instruction (kill -9, power cut): no accepted URL that was committed is lost, no committed page
 * comes back, and what was in flight or uncommitted is handed out again.
 * Reports given to frontier_done reach the journal file exactly once, after their commit: a line in the
 * journal is final.
 *
 * What is survived. There is one way to commit, the safe one: LMDB with full sync (fdatasync of the data, then of the
 * page that makes it count), after an fdatasync of the journal. Nothing weaker is offered, so there is no option:
 *
 *     death of the process (kill -9, a crash)      all that was committed; the last commit is at most one batch old
 *     death of the machine (power cut, panic)      the same, if the disk keeps what it says it has written
 *     a full disk, an I/O error                    the same; the open batch stays, and the call can be repeated
 *
 * What was said since the last commit is lost as if it had never been said; frontier_sync commits now. URLs alone make
 * a commit due: counters, settings and what was said of hosts go along with it.
 *
 * Threads: any number may use one handle; each call waits for the one before it (a mutex inside). frontier_open and
 * frontier_close are for one thread alone. A pointer that a call gives says how long it is valid; frontier_message is
 * for handles of one thread, frontier_message_copy for others.
 *
 * Processes: one writer (a second is refused with FRONTIER_BUSY) and any number of read-only handles, but in one
 * process one handle for a directory: LMDB's locks are the process's, and closing a second handle would drop those of
 * the first. A second writer there is refused; a reader beside a handle is not noticed.
 * fork(): the handle stays with the parent. The child must neither use nor close it, only exec or _exit: its file
 * descriptors are closed by exec. A child that lives on without exec keeps the directory FRONTIER_BUSY when its parent
 * is gone. To serve from a child, open there, after the fork.
 *
 * Address space: 1 TiB of it is mapped, none of it memory; under a limit (ulimit -v) half of what is left or less, more
 * when it is needed, and FRONTIER_NO_SPACE when there is no more. The limit may be raised while the program runs.
 * Signals: under a limit on file size (ulimit -f), ignore SIGXFSZ to get FRONTIER_NO_SPACE instead of death.
 * Time: the frontier owns no clock. `now_ms` is the caller's, milliseconds. If it is set back between two calls of
 * frontier_next, the frontier's own time goes on from the latest it was told, at the pace of the new one: nobody is
 * early, and nobody waits for what was lost (late by two seconds or less is taken for a thread's that had to wait: own
 * time stands still until then). If it is set forward, that is time that passed.
 * No threads, no sleeping, no printing inside. */
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
  FRONTIER_NOT_FOUND,    /* no such directory, setting or lease */
  FRONTIER_NOT_OURS,     /* the directory belongs to another program */
  FRONTIER_VERSION,      /* of another format: the message says how to carry its URLs over */
  FRONTIER_BUSY,         /* another process is writing it */
  FRONTIER_MISMATCH,     /* it was made with another filter or profile */
  FRONTIER_BAD_ARGUMENT,
  FRONTIER_DAMAGED,      /* a checksum does not hold */
  FRONTIER_NO_SPACE,     /* disk full, file-size limit, or map full: nothing of the open batch was kept */
  FRONTIER_NO_MEMORY,
  FRONTIER_IO,
} frontier_status;

enum { FRONTIER_MESSAGE_SIZE = 512 };

/* What this header was installed with, and what the library that runs has. The number is raised, and with it the name
 * of the shared library, when something that was there changes its meaning or its layout. Within one number, functions,
 * enumerators, and fields at the end of frontier_options may be added, and nothing else: the other structs are as they
 * are. An enumerator you do not know may come; treat it as a kind of its group's first meaning (an outcome that is not
 * FRONTIER_SEEN is new). */
enum { FRONTIER_ABI = 1 };
int frontier_abi(void);             /* the library's */
const char *frontier_version(void); /* its release, as "0.1.0" */

/* One sentence of interest to whoever runs the crawl; `sentence` is valid during the call. Called from within calls on
 * the handle, which it must not use. */
typedef void frontier_logger(void *context, const char *sentence);

/* Zero is fine for all but `filter`, `expected_urls`, `rate`, `per_host`; a `depth_cap` of zero takes no links. */
typedef struct frontier_options {
  mlbf_kind filter;           /* MLBF_KIND_MLBF, _BLOOM or _LINE; fixed for a directory */
  url_profile profile;        /* how keys are made; fixed for a directory */
  uint64_t expected_urls;     /* the filter has room for so many at first; when more come it grows by itself */
  double rate;                /* promised share of new URLs wrongly called seen; fixed for a directory */
  uint64_t delay_ms;          /* default pause between starts of fetches from one host */
  uint32_t per_host;          /* default number of URLs of one host in flight at once, >= 1 */
  uint16_t depth_cap;         /* deeper URLs are accepted but wait on disk until opened with a larger cap */
  const char *journal_path;   /* file that gets the reports; NULL: none */
  bool read_only;             /* look, while another process may be writing: hosts, counts, verdicts as they were when
                                 it was opened or first asked; URLs (frontier_each) as they are committed by now */
  bool keep_identity;         /* an existing directory's filter, profile and rate win over the ones above */
  frontier_logger *log;       /* hears of what is no error: a filter that grows, or is rebuilt; NULL: nobody does */
  void *log_context;
  /* An earlier crawl, which tells what is new in the world from what is new here only: a frontier's directory, or a
   * filter file (mlbf_save) of the same profile. It is read once, at open, and left as it is; a directory with exact
   * keys stays open for reading, and is asked about each URL its filter takes for seen. NULL: none. */
  const char *previous_path;
  /* No new URL is ever called seen: what the filter says it has seen is looked up in a table of all keys, on disk. It
   * costs that table, some 60 bytes a URL, and one read for each URL seen; what is new is still told by the filter,
   * without one. An own key's first segment counts as its host. Needs a directory; fixed for it. */
  bool exact;
} frontier_options;

typedef struct frontier frontier;

/* Open `directory`, or make it. NULL: keep nothing, everything ends with the handle. On failure `message`
 * holds one sentence that names what and where. */
static inline frontier_status frontier_open(const char *directory, const frontier_options *options, frontier **out,
                                            char message[FRONTIER_MESSAGE_SIZE]);

/* The same with the size of the options as the caller was compiled: what is behind it is zero. frontier_open passes it;
 * callers in other languages do so themselves. FRONTIER_BAD_ARGUMENT if the caller sets what this library does not
 * know. */
frontier_status frontier_open_sized(const char *directory, const frontier_options *options, size_t options_size,
                                    frontier **out, char message[FRONTIER_MESSAGE_SIZE]);

static inline frontier_status frontier_open(const char *directory, const frontier_options *options, frontier **out,
                                            char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_open_sized(directory, options, sizeof *options, out, message);
}

/* Commits, saves the filter if much came since it was saved last, frees. The status is the commit's; the handle is gone
 * in any case. NULL is fine. */
frontier_status frontier_close(frontier *f);

/* One sentence about the last call that failed on this handle, valid until the next one that fails. */
const char *frontier_message(const frontier *f);

/* The same, copied, where other threads may be failing meanwhile. */
void frontier_message_copy(const frontier *f, char message[FRONTIER_MESSAGE_SIZE]);

/* ---- in ---------------------------------------------------------------------------------------------- */

typedef enum frontier_outcome {
  FRONTIER_SEEN = 0,
  FRONTIER_NEW,             /* new; the filter has no layers to say more */
  FRONTIER_NEW_HOST,        /* nothing of this host was seen before */
  FRONTIER_NEW_SEGMENT,     /* segment number `layer` was never seen at that depth */
  FRONTIER_NEW_COMBINATION, /* every segment was seen at its depth, this combination was not */
  FRONTIER_KNOWN_BEFORE,    /* new, and queued like all that is new; but known to the crawl in options.previous_path */
} frontier_outcome;
enum { FRONTIER_OUTCOMES = FRONTIER_KNOWN_BEFORE + 1 };

const char *frontier_outcome_name(frontier_outcome outcome); /* "seen", "new", "new-host", ... */

typedef struct frontier_verdict {
  frontier_outcome outcome;
  uint32_t layer; /* the deciding layer, 1 = host; 0 where none decided */
} frontier_verdict;

typedef struct frontier_origin {
  uint64_t via;    /* lease id of the page that gave the link; 0 for a start URL */
  uint16_t depth;  /* links from a start URL; redirects do not count */
  uint16_t hops;   /* redirects followed to get here */
} frontier_origin;

/* Queue `u` if its key is new. SEEN is no error: the URL is then not queued.
 * An open batch that is full (24,576 URLs, or 16 MiB of payload) is committed first, so memory stays bounded when
 * nobody calls frontier_next. If that fails (FRONTIER_NO_SPACE, ...) `u` was not accepted: call again when the cause is
 * gone. */
frontier_status frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                             frontier_verdict *verdict);

/* The verdict frontier_add would give; changes nothing. */
frontier_status frontier_lookup(frontier *f, const url *u, frontier_verdict *verdict);

enum { FRONTIER_PAYLOAD_MAX = 65536 };

/* A URL and all that may go with it. */
typedef struct frontier_link {
  const url *target;
  frontier_origin origin;
  /* The caller's own key decides "seen" in place of the URL's: its segments, as of mlbf_hash, with delimiters and all.
   * Only its 128-bit hash is kept. NULL: target->key. */
  const mlbf_span *key;
  size_t key_count;
  const void *payload;    /* comes back with the lease; kept until the URL ends */
  size_t payload_size;    /* 0 to FRONTIER_PAYLOAD_MAX bytes; more is FRONTIER_BAD_ARGUMENT */
} frontier_link;

/* frontier_add for many, in order, hashed and looked up together: faster than one by one once the filter is larger
 * than the caches; 32 or more at once are enough. A key twice in one batch is new once and seen after.
 * On failure the first `*settled` links were dealt with and have their verdicts; the rest may be tried again. */
frontier_status frontier_add_batch(frontier *f, const frontier_link *links, size_t count, uint64_t now_ms,
                                   frontier_verdict *verdicts, size_t *settled);

/* Queue a link though its key was seen: a page to be fetched again. The verdict is what frontier_add would have said.
 * Each call gives a URL of its own, with its own id: one that still waits is then fetched twice. */
frontier_status frontier_force(frontier *f, const frontier_link *link, uint64_t now_ms, frontier_verdict *verdict);

/* Remember a key as seen and queue nothing. If it was new, its URL goes to the history as FRONTIER_NOTED. */
frontier_status frontier_note(frontier *f, const frontier_link *link, uint64_t now_ms, frontier_verdict *verdict);

/* The verdicts frontier_add_batch would give, each as if it were alone; changes nothing. */
frontier_status frontier_lookup_batch(frontier *f, const frontier_link *links, size_t count,
                                      frontier_verdict *verdicts);

/* ---- made new again --------------------------------------------------------------------------------------- */

/* The key of `link` is new again at once, and for good with the next commit: frontier_add will queue it. What its
 * history says stays. Of a URL that still waits only the key is forgotten: found again, it is fetched twice.
 * `*was_seen`: it was seen before this call. Exact: no other key becomes new. Costs 32 to 64 bytes of memory for each
 * key forgotten and not accepted again, until frontier_compact (admin.h) erases it. */
frontier_status frontier_forget(frontier *f, const frontier_link *link, bool *was_seen);

/* The same for every URL that ended on a host (host[:port] as in fetch URLs), or whose fetch URL begins with `prefix`;
 * URLs that wait or are in flight are left alone, and with them whatever has the same key. Commits, then reads all
 * of the history and the queue: some seconds for 10^7 URLs. `*forgotten`: keys that were seen, and are no more. On
 * failure it says how many were so far. FRONTIER_BAD_ARGUMENT from a frontier that keeps nothing: it has no history. */
frontier_status frontier_forget_host(frontier *f, const char *name, size_t size, uint64_t *forgotten);
frontier_status frontier_forget_prefix(frontier *f, const char *prefix, size_t size, uint64_t *forgotten);

/* ---- out --------------------------------------------------------------------------------------------- */

typedef struct frontier_lease {
  uint64_t id;       /* > 0, rising in order of acceptance, the same across runs */
  const char *url;   /* the fetch URL, NUL-terminated; valid until done or release */
  uint32_t url_size;
  uint32_t host_begin, host_end; /* of host[:port] within `url` */
  frontier_origin origin;
  const void *payload;           /* of its frontier_link; NULL if size is 0; valid as long as `url` */
  size_t payload_size;
  frontier_verdict verdict;      /* that let it in; SEEN: forced */
} frontier_lease;

enum { FRONTIER_WAIT_FOREVER = -1 };

/* Lease up to `max` URLs that are due. `*count` may be 0: then `*wait_ms` says when to ask again, or
 * FRONTIER_WAIT_FOREVER if nothing will be due before a lease ends or a URL is added. Commits the open
 * batch when it is large or old enough. */
frontier_status frontier_next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max, size_t *count,
                              int64_t *wait_ms);

/* Nothing queued but what is deferred, nothing in flight. */
bool frontier_is_finished(const frontier *f);
/* URLs deeper than the cap are waiting. */
bool frontier_is_deferring(const frontier *f);

typedef enum frontier_state {
  FRONTIER_DONE = 1,
  FRONTIER_FAILED,
  FRONTIER_SKIPPED,
  FRONTIER_NOTED, /* never queued: frontier_note. Not for frontier_done */
} frontier_state;

/* The lease ends for good. `code` is the caller's (an HTTP status, an error number), kept in the history.
 * `report` goes to the journal, a newline is added; size 0: none. Call after frontier_add of the page's links. */
frontier_status frontier_done(frontier *f, uint64_t lease, frontier_state state, uint16_t code, const char *report,
                              size_t report_size, uint64_t now_ms);

/* frontier_done with FRONTIER_SKIPPED and code 0, and the counter "skipped-REASON" is raised by one: why URLs were not
 * fetched is counted, and survives. FRONTIER_BAD_ARGUMENT if that is no name for a counter. */
frontier_status frontier_skip(frontier *f, uint64_t lease, const char *reason, const char *report, size_t report_size,
                              uint64_t now_ms);

/* The URL goes back to the head of its host's queue, as if never leased. */
frontier_status frontier_release(frontier *f, uint64_t lease, uint64_t now_ms);

/* Politeness of the host of a lease: at least `delay_ms` between starts, until it is said again or the handle is
 * closed; never below the default, or what frontier_host_set says. */
frontier_status frontier_host_delay(frontier *f, uint64_t lease, uint64_t delay_ms);

#define FRONTIER_ITS_DELAY UINT64_MAX

/* The next start from the host of a lease is `wait_ms` from now, sooner or later than it was to be, but never before a
 * back-off is over. For a caller who leased a URL and cannot ask for it yet, as robots.txt has to come first: until
 * then it holds the host, and its delay counts from when the page is asked for, with FRONTIER_ITS_DELAY. */
frontier_status frontier_host_next(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);

/* The host of a lease said "not now" (429, 503, Retry-After): no start for `wait_ms`. Never shortens a wait. */
frontier_status frontier_host_back_off(frontier *f, uint64_t lease, uint64_t now_ms, uint64_t wait_ms);

/* ---- looking ------------------------------------------------------------------------------------------ */

typedef struct frontier_record {
  uint64_t id;             /* the lease id */
  bool is_queued;          /* waiting or in flight; else it ended in `state` with `code` */
  frontier_state state;
  uint16_t code;
  frontier_origin origin;
  const char *url;         /* not NUL-terminated; valid during the call */
  size_t url_size;
  const void *payload;     /* of a URL that is queued; NULL if size is 0 */
  size_t payload_size;
} frontier_record;

typedef bool frontier_visitor(void *context, const frontier_record *record); /* false: enough */

/* Every committed URL: first those that ended, in that order, then those that wait, in order of id but for hosts with
 * very long queues, whose URLs come last. Read from disk as it goes, in fixed memory; while a writer goes on, a URL may
 * be met twice or be missed as it moves. A frontier that keeps nothing has none. */
frontier_status frontier_each(frontier *f, frontier_visitor *visit, void *context);

/* ---- upkeep ------------------------------------------------------------------------------------------ */

/* Commit now. After FRONTIER_OK everything said so far survives process death and power cut. */
frontier_status frontier_sync(frontier *f);

/* Upkeep ahead of time, for callers that wait anyway: steps of some milliseconds of what else the commits take along,
 * the filter's next size and its checkpoints, for about `budget_ms` (the one clock the frontier reads: it decides how
 * much is done, never what). `*is_more`: there is more to do. Need not be called at all. The status is that of reading
 * the hash log; a checkpoint that cannot be written is tried again later and costs time at the next open. */
frontier_status frontier_maintain(frontier *f, uint64_t budget_ms, bool *is_more);

/* Called before each transaction is written: for files of the caller that must be on disk with it. It syncs them, and
 * may put settings. Anything but OK: nothing is committed, `message` says why. `hook` NULL: none. */
typedef frontier_status frontier_hook(void *context, char message[FRONTIER_MESSAGE_SIZE]);
void frontier_before_commit(frontier *f, frontier_hook *hook, void *context);

/* Small named values of the caller, committed with the batch. get: NOT_FOUND, or a pointer valid until the
 * setting of that name is put again. */
frontier_status frontier_setting_put(frontier *f, const char *name, const void *value, size_t size);
frontier_status frontier_setting_get(frontier *f, const char *name, const void **value, size_t *size);

/* Named counters of the caller, committed with the batch; names as "skipped-robots", at most 47 bytes.
 * FRONTIER_BAD_ARGUMENT: another name, or there are 64 already. */
frontier_status frontier_count(frontier *f, const char *name, uint64_t add);
uint64_t frontier_counter(const frontier *f, const char *name);
/* The i-th counter in order of first use; false past the last. */
bool frontier_counter_at(const frontier *f, size_t index, const char **name, uint64_t *value);

typedef struct frontier_stats {
  uint64_t queued, in_flight;         /* now */
  uint64_t deferred;                  /* of `queued`: deeper than the cap, as far as the queue was read */
  uint64_t done, failed, skipped;     /* for good, since the crawl began */
  uint64_t outcomes[FRONTIER_OUTCOMES]; /* verdicts since the crawl began, but those of lookups */
  uint64_t hosts;
  url_profile profile;
  mlbf_stats filter;
  double expected_lost;               /* sum over committed URLs of the rate at their time: URLs wrongly called seen */
  uint64_t noted;                     /* by frontier_note, and new */
  uint64_t forced;                    /* queued by frontier_force though seen */
} frontier_stats;

/* All of them now, in constant time, but for a scan of the filter's bits (some 100 us). A read-only handle loads the
 * filter first, and may fail as frontier_open does. */
frontier_status frontier_stats_read(frontier *f, frontier_stats *stats);

/* Was its directory made with options.exact? */
bool frontier_is_exact(const frontier *f);

#ifdef __cplusplus
}
#endif
#endif
