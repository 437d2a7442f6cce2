/* One check of a directory, in parts: check.c has their order. Private to frontier/admin/. */
#ifndef STRATA_FRONTIER_CHECK_H
#define STRATA_FRONTIER_CHECK_H

#include "frontier/admin.h"
#include "frontier/admin/mdb_records.h"
#include "frontier/core/state.h"

#include <stdio.h>

typedef struct check {
  frontier *f; /* not open: its directory, options and hosts, as the records say */
  pages *p;
  frontier_remark *say;
  void *context;
  frontier_findings *found;
  bool has_identity, has_progress, has_ordered_mark;
  uint8_t *identity; /* of the first place that has it */
  size_t identity_size;
  progress stood; /* as its record says */
  counters counters;
  uint8_t *absent, *journal, *sum, *run_marks, *late; /* these meta records; NULL: no such record */
  size_t absent_size, journal_size, sum_size, run_marks_size, late_size;
  url *u;
  tombstones tombstones;  /* keys that the filter file need not know */
  seen *from_log;         /* the filter that the hash log makes; NULL: it cannot be made */
  seen *from_file;        /* the valid filter file and the newer log; NULL: no valid file */
  frontier_status status; /* why the check cannot go on */
} check;

/* IN_FILTER: in a file that is made again from data.mdb; IN_IDENTITY: in its file. */
typedef enum check_area { IN_DATA, IN_FILTER, IN_JOURNAL, IN_IDENTITY } check_area;
void check_say(check *c, check_area where, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The check itself failed. */
void check_fail(check *c, frontier_status status, const char *what);

/* check_filter.c: the hash log and the filter files. */
void check_log(check *c);
/* Does the filter know the key of this URL, its own or the caller's (NULL: no caller's key)? */
bool check_is_known(const seen *s, const url *u, const mlbf_hash128 *own_key);
/* Was the key of c->u forgotten? A filter made since does not know it. */
bool check_is_forgotten(const check *c, const mlbf_hash128 *own_key);
/* Was it forgotten, and is its complement in the log instead (erase.h)? */
bool check_is_erased(const check *c, const mlbf_hash128 *own_key);

/* check_late.c: runs, unconfirmed links, and the files of both. */
void check_late(check *c);

/* check_urls.c: URLs, their states and visits, and hosts, against each other and the filters. */
void check_urls(check *c);

/* check_exchange.c: parcels and marks of a partition. */
void check_exchange(check *c);

/* check_journal.c: the file, against its record in the last transaction. */
void check_journal(check *c, const char *path);
/* From its position on, the file has a beginning of the owed lines, or all of them, and nothing else. */
bool journal_tail_is_owed(FILE *file, const uint8_t *owed, size_t owed_size);

/* check_child.c: read as a frontier would, in a process that may die of it. */
void check_in_child(check *c);

#endif
