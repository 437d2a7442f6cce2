/* frontier/inlinks.h: how many pages link to a URL, in some five bytes a URL; beside a frontier, not in it.
 *
 * Counting filters (mlbf/count.h: H1, 16 bits), each for twice as many URLs as the one before, as nobody knows how many
 * will be linked to: 5.2 bytes a URL of the first, up to 13 when it has grown eightfold (tests/bench/bench_counts).
 *
 *     PATH.0 [ n ]   PATH.1 [ 2n ]   PATH.2 [ 4n ] ...      a URL is counted where it is known, else in the last
 *
 * A count is never too low for the pages told of, and too high for about a tenth of URLs (a twentieth while there is
 * one filter): good for putting URLs in order, not for deciding anything. Counts since the last save are lost with the
 * process; pages that are fetched again after it are counted again.
 *
 * Threads: one at a time. */
#ifndef STRATA_FRONTIER_INLINKS_H
#define STRATA_FRONTIER_INLINKS_H

#include "frontier/url.h"
#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct inlinks inlinks;

/* From the files PATH.0, PATH.1, ... or, if there is no PATH.0, empty and with room for `expected_urls` at first (at
 * most a million; it grows). NULL: in memory only. MLBF_IO, MLBF_NOT_A_FILTER, MLBF_VERSION, MLBF_DAMAGED,
 * MLBF_MISMATCH (a counting filter of another kind), MLBF_NO_MEMORY, MLBF_BAD_ARGUMENT. */
mlbf_status inlinks_open(const char *path, uint64_t expected_urls, inlinks **out);

/* As inlinks_open, for looking: MLBF_IO with errno ENOENT if there is nothing. */
mlbf_status inlinks_open_existing(const char *path, inlinks **out);

/* Each file replaced as a whole (mlbf_save), and none before all are written. Nothing to do: MLBF_OK. */
mlbf_status inlinks_save(inlinks *in);

/* To other files, which are then the ones to save to. MLBF_BAD_ARGUMENT: the path is too long. */
mlbf_status inlinks_save_as(inlinks *in, const char *path);

void inlinks_close(inlinks *in); /* without saving; NULL is fine */

/* A page begins: of its links to one URL one is counted (but for a few, on pages with thousands of links). */
void inlinks_begin_page(inlinks *in);

/* The page links to `u`. MLBF_NO_MEMORY: it was not counted. Quick for what many pages link to; a few cache misses for
 * the rest. */
mlbf_status inlinks_note(inlinks *in, const url *u);

/* Pages that link to `u`; 65535 means "or more". */
uint32_t inlinks_count(const inlinks *in, const url *u);

/* `into` then counts the pages of both crawls: a page of both twice. MLBF_MISMATCH if they began with other sizes or
 * have other filters, and nothing is changed; MLBF_NO_MEMORY: some of `from` may be counted. `from` is as it was. */
mlbf_status inlinks_merge(inlinks *into, inlinks *from);

/* What came to `later` since it was `earlier`: merged into a copy of `earlier`, or into a sum of whole counts of which
 * `earlier` is one and to which nothing was noted since, it makes what `later` would have made there. Elsewhere counts
 * could come out too low (mlbf_count_difference). MLBF_MISMATCH: `earlier` is no earlier state of `later`;
 * MLBF_NO_MEMORY. */
mlbf_status inlinks_difference(inlinks *later, inlinks *earlier, inlinks **delta);

#ifdef __cplusplus
}
#endif
#endif
