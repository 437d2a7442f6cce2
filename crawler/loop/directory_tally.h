/* Which directories do nearly all pages say the same in, and lead on to ever more of it?
 *
 * A directory is suspect if, of its last 256 pages and more, 7 of 8 say what another page of the host says, and if
 * those lead on to new URLs in the directory as in the beginning: at least one a page, and of 64 pages nine tenths of
 * what the most of 64 before led to. The first 64 are not asked, for what stands on each page of a site is new once. So
 * a directory is suspect after 512 such pages, and a site's root after 768, as most of these may be in a directory
 * below it.
 *
 * That pages say the same is not enough: galleries and made sites do. But their pages lead to each other, and the more
 * of them are known, the fewer are new: with 20 links to any of 20,000 pages, after 512 pages half of the links. A tree
 * of pages that say the same does not show its end before; one of 10 links a page is suspect if it has more than 5,120.
 *
 * 16,384 directories, 400 KB; the frequent ones keep their places (after Misra and Gries, 1982). */
#ifndef STRATA_CRAWLER_DIRECTORY_TALLY_H
#define STRATA_CRAWLER_DIRECTORY_TALLY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct directory_tally directory_tally;

directory_tally *directory_tally_create(void); /* NULL: out of memory */
void directory_tally_free(directory_tally *t); /* NULL is fine */

typedef struct directory_page {
  bool is_same;        /* it says what another page says */
  bool is_root;        /* the directory is a site's root */
  uint32_t new_within; /* URLs in the directory that it led to first */
} directory_page;

/* One more page of a directory, whose keyed hash this is. true: it is suspect, and from now on unknown here. */
bool directory_tally_note(directory_tally *t, uint64_t directory, const directory_page *page);

/* A directory below it is suspect: what was counted here were the pages of that one. */
void directory_tally_drop(directory_tally *t, uint64_t directory);

#endif
