/* Suspect directories: nearly all of their pages say the same, and lead on to more of it. A soft 404 without end is
 * one, though no URL of it looks like a trap's.
 *
 *     a page's text --> same_texts.c: does another page of the host say this?
 *                                |
 *                       its new links, class by class <-- crawl_put_in_order
 *                                |
 *                       directory_tally.c, for each directory it is in: suspect now?
 *                                |
 *                       frontier_mark_trap, with the text: the next run knows both
 *
 * What a page that says the same leads to comes last: in class LOW as soon as 64 pages of the host have said that; in
 * class TRAP, under --trap-budget, if it is in a suspect directory. What other pages lead to is not affected, so that a
 * good page beside a soft 404 is fetched. All this needs the texts of pages (no --no-similar, no --no-store).
 *
 * Cost: 1 to 3 us a page (bench_suspects), and 2 ns a word for its pairs.
 *
 * Private to the crawl's loop. */
#ifndef STRATA_CRAWLER_SUSPECTS_H
#define STRATA_CRAWLER_SUSPECTS_H

#include "crawler/loop/crawl_state.h"

suspects *suspects_create(const uint8_t secret[MLBF_SECRET_BYTES]); /* NULL: out of memory */
void suspects_free(suspects *s);                                    /* NULL is fine */

/* A page with text has ended; its links are added next. */
void suspects_begin(crawl *c, visit *v, const mlbf_shingles *shingles);

/* They are added. `is_cut`: not all of the page came. Also where none was begun. */
void suspects_end(crawl *c, bool is_cut);

#endif
