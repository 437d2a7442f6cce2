/* tests/contract/crash/audit.h: an auditor outside of a crawl of the small web, who knows what it was told and holds
 * the frontier to it, whenever the crawl was ended by force:
 *
 *     accepted, then synced      must be on disk after any crash, once, and ended when the crawl is finished
 *     found, then synced         must be on disk, as a URL or as a link that is not confirmed yet
 *     done, then synced          must never be leased again; and what it links to must be on disk, as above
 *     a line in the journal      is final: never taken back, there once, and its page never leased again
 *     leased or done, not synced may be leased again, once for each crash
 */
#ifndef STRATA_TESTS_CRASH_AUDIT_H
#define STRATA_TESTS_CRASH_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/contract/crash/small_web.h"
#include "tests/support/scratch.h"

typedef struct page {
  bool is_accepted, is_accepted_for_good; /* told; told and synced */
  bool is_found, is_found_for_good;       /* so are its links that may be new */
  bool is_done, is_done_for_good;
  bool is_leased;  /* in this life */
  bool may_return; /* was leased or done when its life ended, and not for good */
  bool was_leased; /* in any life */
} page;

typedef struct audit {
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal[SCRATCH_PATH];
  page pages[WEB_PAGES];
  char *lines; /* of the journal, when last seen: whole lines only */
  size_t lines_size;
  bool is_finished, has_failed;
  bool is_lied_to; /* by a driver that says "synced" when it is not */
  uint64_t dice;
  /* figures */
  unsigned crawls, lives, kills, again, may_be_again, broken;
  unsigned late; /* URLs of one crawl that turned out to be new later, at most */
} audit;

audit *audit_begin(void); /* prints its seed; STRATA_SEED repeats it; free() it */
uint64_t audit_roll(audit *a, uint64_t sides);

/* A crawl that nothing was said of, with a root for its directory and its journal; its end removes them, and breaks a
 * promise for every page that was not ended. */
void audit_begin_crawl(audit *a);
void audit_end_crawl(audit *a);

/* Is another crawl to be begun? Until there were as many kills as wanted, in two crawls at least, and a URL came late:
 * a filter that is made anew in each of many short lives may make no mistake, in a long one it makes hundreds. */
bool audit_goes_on(const audit *a, unsigned kills_wanted);

void audit_hear(audit *a, report r);
void audit_note_death(audit *a);        /* what was in flight, or not committed, may come back */
void audit_look_at_journal(audit *a);   /* after a death: its whole lines stay for ever, and what they say is final */
void audit_look_at_directory(audit *a); /* the second reader finds no fault, and all that was promised */
void audit_break(audit *a, const char *promise, uint32_t number); /* counts it, and prints it */

#endif
