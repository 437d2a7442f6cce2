/* frontier/inlinks.h: how many pages link to a URL, in 5 to 13 bytes per URL; separate from a frontier.
 *
 * Counting filters (mlbf/count.h: H1, 16 bits), each for twice as many URLs as the one before, as the number of URLs is
 * not known: 5.2 bytes per URL while one filter is enough, up to 13 after eightfold growth. The one behind a first
 * filter for 131,072 has room for a million, 6 MB at once.
 *
 *     PATH.0 [ n ]   PATH.1 [ 2n ]   PATH.2 [ 4n ] ...      a known URL is counted in its filter, else in the last
 *
 * A count is never too low for the noted pages, and too high for about a tenth of URLs (a twentieth while there is one
 * filter): use it to order URLs, not to decide on them. A crash loses the counts since the last save; pages fetched
 * again after it are counted again.
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
 * most 131,072; it grows). NULL: in memory only. No link is followed, and no file is replaced that belongs to another
 * user or has a second name: MLBF_IO. Also MLBF_IO, MLBF_NOT_A_FILTER, MLBF_VERSION, MLBF_DAMAGED,
 * MLBF_MISMATCH (a counting filter of another kind), MLBF_NO_MEMORY, MLBF_BAD_ARGUMENT. */
mlbf_status inlinks_open(const char *path, uint64_t expected_urls, inlinks **out);

/* As inlinks_open, for reading: MLBF_IO with errno ENOENT if there is no file. */
mlbf_status inlinks_open_existing(const char *path, inlinks **out);

/* The same with a secret (mlbf/secret.h), which the files then do not hold; as that of a frontier (frontier_secret).
 * MLBF_SECRET: the files were made with another, or hold theirs. NULL, as above: it is drawn for new counts, and then
 * PATH.0 holds it, and only its owner may read it; counts that do not hold theirs are refused with MLBF_SECRET. */
mlbf_status inlinks_open_with(const char *path, uint64_t expected_urls, const uint8_t *secret, inlinks **out);
mlbf_status inlinks_open_existing_with(const char *path, const uint8_t *secret, inlinks **out);

/* Writes all files, then replaces each as a whole (mlbf_save). MLBF_OK also if nothing changed. */
mlbf_status inlinks_save(inlinks *in);

/* The same to other files, which later saves replace. MLBF_BAD_ARGUMENT: the path is too long. */
mlbf_status inlinks_save_as(inlinks *in, const char *path);

void inlinks_close(inlinks *in); /* without saving; NULL is fine */

/* Begins a page: several links from it to one URL count once (rarely twice, on pages with thousands of links). */
void inlinks_begin_page(inlinks *in);

/* The page links to `u`. MLBF_NO_MEMORY: it was not counted. Fast for URLs that many pages link to; a few cache misses
 * for others. */
mlbf_status inlinks_note(inlinks *in, const url *u);

/* So many pages more link to `u`, of which none was noted. MLBF_NO_MEMORY: they were not counted. */
mlbf_status inlinks_add(inlinks *in, const url *u, uint32_t pages);

/* Pages that link to `u`; 65535 means "or more". */
uint32_t inlinks_count(const inlinks *in, const url *u);

/* `into` then counts the pages of both crawls: a page of both twice. MLBF_MISMATCH if they began with other sizes or
 * have other filters, MLBF_SECRET if they have other secrets: nothing is changed; MLBF_NO_MEMORY: part of `from` may be
 * counted. `from` is never changed. */
mlbf_status inlinks_merge(inlinks *into, inlinks *from);

/* The counts added between `earlier` and `later`. Merge them only into a copy of `earlier`, or into a merge of complete
 * counts (no deltas) that includes `earlier` and got no inlinks_note since: the result is the merge with `later` in
 * place of `earlier`. In other counts they could come out too low (mlbf_count_difference). MLBF_MISMATCH: `earlier` is
 * no earlier state of `later`; MLBF_SECRET: it has another secret; MLBF_NO_MEMORY. */
mlbf_status inlinks_difference(inlinks *later, inlinks *earlier, inlinks **delta);

#ifdef __cplusplus
}
#endif
#endif
