/* tests/support/waiting_crawl.h: a crawl with exact keys and a filter that errs on one link in four. Many of its links
 * wait to be confirmed. Ends the test where something fails. */
#ifndef STRATA_TESTS_WAITING_CRAWL_H
#define STRATA_TESTS_WAITING_CRAWL_H

#include "frontier/admin.h"
#include "tests/support/small_crawl.h"

/* Of the links from 0 on: those before KNOWN were fetched, and a run has their keys; those before FOUND were found, and
 * wait to be fetched or to be confirmed; those before ALL never were found. */
enum { WAITING_KNOWN = 400, WAITING_FOUND = 700, WAITING_ALL = 1400, WAITING_PAGE = 4096 };

extern char waiting_directory[], waiting_other[], waiting_made[]; /* only the first exists */
extern url waiting_url;                                           /* of the last link that was asked for or added */

/* For a group of tests, and for each of them: the same crawl. */
int waiting_begin_all(void **state);
int waiting_end_all(void **state);
int waiting_begin(void **state);
int waiting_end(void **state);

small_crawl waiting_crawl(const char *where, const char *path);
void waiting_make(const char *where, const char *path, const uint8_t *secret);
frontier *waiting_open(const small_crawl *c, bool read_only);

frontier_outcome waiting_ask(frontier *f, const small_crawl *c, unsigned number);
bool waiting_is_new(frontier_outcome outcome);
void waiting_add(frontier *f, const small_crawl *c, unsigned from, unsigned to);
frontier_stats waiting_stats(frontier *f);
void waiting_fetch_all(frontier *f); /* what comes late, too */
void waiting_rest(frontier *f);      /* all upkeep is done, and on disk */

void waiting_print(void *context, const char *sentence);
frontier_findings waiting_check(const char *where);
unsigned waiting_second_faults(void);
void waiting_assert_sound(const char *where);   /* by both readers */
void waiting_assert_kept(const small_crawl *c); /* by a reader that comes before the next crawl */
void waiting_assert_once(const small_crawl *c); /* all that was found is fetched once */
void waiting_assert_goes_on(const char *where); /* sound, once, sound */
void waiting_assert_well(const char *where);    /* kept, and that */
frontier_repairs waiting_repair(void);

/* The largest file whose name begins so; returns how many there are. */
unsigned waiting_find_file(const char *where, const char *kind, char *path, size_t *size);
void waiting_flip(const char *path, size_t at); /* a bit */
void waiting_damage_root(void);                 /* so that a repair makes data.mdb again; nothing is lost by it */

#endif
