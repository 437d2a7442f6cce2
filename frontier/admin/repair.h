/* Makes a new environment from the undamaged records of a damaged one. Private to this room: frontier_repair is in
 * admin.h.
 *
 *     meta records               identity, settings, counters, progress     salvage_meta
 *     hosts, hash log, visits    first those that the trees lead to,        salvage_tables
 *     URLs, how they ended         then those on stray pages                salvage_urls
 *     what is gone               its keys leave the log                     salvage_blot
 *     what is missing            keys of the log, from the texts of URLs;   salvage_finish
 *                                counts; the numbers of lost URLs
 *     unconfirmed links          rows that are whole                        salvage_doubts
 *     parcels, marks             those that are whole                       salvage_exchange
 */
#ifndef STRATA_FRONTIER_REPAIR_H
#define STRATA_FRONTIER_REPAIR_H

#include "frontier/admin.h"
#include "frontier/admin/mdb_records.h"
#include "frontier/core/state.h"
#include "frontier/late/late_records.h"

/* A row of bytes that grows. */
typedef struct byte_row {
  uint8_t *at;
  uint64_t count, room;
} byte_row;

enum { SALVAGED_ENDED = 1, SALVAGED_WAITING }; /* a URL that is kept */
enum { LOG_MISSING, LOG_FOUND, LOG_MADE };     /* a key of the hash log */

typedef struct kept_meta {
  struct kept_meta *next;
  size_t size;
  uint8_t *body;
  char name[];
} kept_meta;

typedef struct salvage {
  frontier *f;    /* not open: lock, options and hosts, as they are recovered, */
  progress stood; /* and the numbers */
  uint64_t incarnation;
  pages *p;
  store *to;
  unsigned unwritten; /* records since the last commit */
  kept_meta *meta;
  uint8_t *absent; /* the record of that name: numbers that never had a URL here; NULL: no such record */
  size_t absent_size;
  host **hosts_by_id; /* by their id in the damaged file; NULL: not known */
  size_t host_room;
  bool has_identity, has_progress;
  late_record late;      /* all zeros: it is not known */
  bool doubts_are_whole; /* the tree of table `unconfirmed` */
  bool has_ordered;      /* a URL that is kept has a priority or a time */
  byte_row places;       /* by sequence: 0 nowhere */
  byte_row log;          /* by key of the hash log: */
  seen *seen;            /* knows the salvaged log */
  hash_set in_log;       /* where keys are exact: those of the salvaged log */
  url *u;
  char text[URL_LENGTH_MAX + 1];
  uint64_t gap, gap_room; /* of the log, to be filled next */
  uint64_t blotted;       /* keys of the log whose URLs are gone, */
  size_t blot_cursor;     /* and how far `absent` was read for them */
  frontier_remark *say;
  void *context;
  frontier_repairs *done;
  frontier_status status;
} salvage;

void salvage_say(salvage *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool salvage_fail(salvage *s, frontier_status status, const char *what); /* always false */

/* false: salvage_fail was called. */
bool salvage_meta(salvage *s); /* needs no `to` yet: identity is found here */
bool salvage_tables(salvage *s);
bool salvage_finish(salvage *s);
bool salvage_exchange(salvage *s); /* of a partition; else nothing */
void salvage_free(salvage *s);

/* salvage_urls.c: text, states and counts of URLs. */
bool salvage_urls(salvage *s);
bool salvage_stray_hosts(salvage *s);                       /* salvage.c: those that are not known yet */
bool salvage_know_host(salvage *s, uint64_t id, host *who); /* that it has this id in the damaged file */

/* salvage_blot.c: once all URLs and the log are in place. Keys of the log whose URLs are gone become keys that no URL
 * has, so that these URLs are new when they are found again. */
bool salvage_blot(salvage *s);

/* Had this number no URL before the damage? `cursor`, 0 at first, is that of rising sequences: in all, each range of
 * `absent` is read once. */
bool salvage_was_absent(const salvage *s, size_t *cursor, uint64_t sequence);

/* salvage_doubts.c: unconfirmed links. */
bool salvage_doubts(salvage *s);

/* repair_journal.c: the record of the journal, after the file at `path`. */
bool repair_journal(salvage *s, const char *path);

/* Records in the new environment, committed now and then. */
bool salvage_begin_record(salvage *s);
bool salvage_commit(salvage *s);

bool byte_row_reach(byte_row *row, uint64_t index); /* grow, with zeros; false: no memory */

#endif
