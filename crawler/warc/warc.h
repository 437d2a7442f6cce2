/* Writing WARC/1.1 (ISO 28500:2017): requests and responses, in files DIR/pages-00001.warc.gz, ... WARC.md says what is
 * in them and why.
 *
 * A record is one gzip member. At a given size the next file begins. Each has an index, pages-00001.cdxj (cdxj.h),
 * which is written in order of arrival as pages-00001.cdxj.part and sorted when the crawl ends or begins again.
 *
 * Crashes. Records are written before the frontier commits their pages, and that commit stores the sizes of the files
 * (warc_place). When a crawl begins again, bytes beyond them belong to pages that are not done: they are cut off, so no
 * record is torn or stored twice. */
#ifndef STRATA_CRAWLER_WARC_H
#define STRATA_CRAWLER_WARC_H

#include "crawler/http/http_exchange.h"

typedef struct warc warc;

/* How far the files are good: `number` 0: there are none yet. */
typedef struct warc_place {
  unsigned number;
  uint64_t bytes, index_bytes; /* of file `number` and of its index in order of arrival */
} warc_place;

enum { WARC_MESSAGE_SIZE = 512 };

typedef struct warc_options {
  const char *directory;
  uint64_t file_bytes; /* a file is full when it has so many */
  const char *user_agent;
  const char *robots; /* "obey" or "ignore", for the warcinfo record */
} warc_options;

/* Cuts the files at `place` and goes on behind them. NULL: `message` has one sentence. */
warc *warc_open(const warc_options *options, warc_place place, char message[WARC_MESSAGE_SIZE]);

/* One fetch, as a response (or, if its payload is in an earlier record, a revisit), a request and a metadata record. */
typedef struct warc_fetch {
  const exchange *exchange;
  const char *url, *type; /* Content-Type, "" if none */
  const char *address;    /* of the server; "" if unknown */
  uint64_t start_ms;      /* of the Unix epoch */
  double seconds;
  const char *truncated; /* why, as WARC-Truncated says it; NULL: it is not */
  uint64_t id, via;      /* as in pages.jsonl */
  unsigned depth;
} warc_fetch;

/* 0, or an errno: nothing of the fetch is in the files, and the call may be repeated when there is room again. But what
 * fails in the middle of a record, for want of memory, fails for good. */
int warc_write(warc *w, const warc_fetch *fetch);

/* All that was written is on disk, up to *place. 0, or an errno: it may be repeated, too. */
int warc_settle(warc *w, warc_place *place);

/* Frees. If what was settled last is committed, sorts the indexes first; false: `message` says why it could not. NULL
 * is fine. */
bool warc_close(warc *w, bool is_committed, char message[WARC_MESSAGE_SIZE]);

const char *warc_message(const warc *w); /* after a failure: one sentence */

/* DIR/pages-00001 + suffix */
enum { WARC_PATH_SIZE = 4096 + 64, WARC_NUMBER_MAX = 10000000 };
void warc_path(const char *directory, unsigned number, const char *suffix, char path[WARC_PATH_SIZE]);
#define WARC_SUFFIX ".warc.gz"
#define WARC_INDEX ".cdxj"
#define WARC_PART ".cdxj.part"

/* A place as text, for the frontier's setting "warc", and back; false: it is none. */
enum { WARC_PLACE_TEXT = 64 };
void warc_place_write(warc_place place, char text[WARC_PLACE_TEXT]);
bool warc_place_read(const char *text, size_t size, warc_place *place);

#endif
