/* crawler/loop/edge_log.h: who links where: DIR/edges, one record for each page of an audited crawl. What is wrong with
 * a link is known once its target was fetched; so what is kept here is only who to tell.
 *
 *     OFFSET SIZE  MEANING, little-endian
 *          0    8  hash of the page's key
 *          8    4  n, the number of its edges, at most VISIT_LINKS_MAX
 *         12   9n  each edge: hash of the target's key (8), link_element (1; bit 7: http on an https page, and loaded
 *                  with it)
 *
 * Hashes are keyed with the secret of the directory. An edge is a source, a target and an element: of two that are
 * equal in all three there is one. The last record of a page counts, as it may be fetched again.
 *
 * Crashes: a record waits in memory, and is written and synced before the commit that ends its page; the setting
 * "edges" of that commit says how long the file is, and the next run cuts off what is behind. So a page that is done
 * has its record, once, and a page that is not has none. */
#ifndef STRATA_CRAWLER_EDGE_LOG_H
#define STRATA_CRAWLER_EDGE_LOG_H

#include "crawler/html/links.h"
#include "frontier/frontier.h"
#include "mlbf/secret.h"

enum { EDGE_HEAD = 12, EDGE_SIZE = 9, EDGE_MIXED = 0x80 };

typedef struct edge_log edge_log;

/* Of the crawl in `directory`, whose frontier is open for writing. NULL: `message` has one sentence. */
edge_log *edge_log_open(frontier *f, const char *directory, char message[FRONTIER_MESSAGE_SIZE]);
void edge_log_close(edge_log *e); /* NULL is fine */

/* Was this crawl begun with one? */
bool edge_log_is_kept(frontier *f);

/* The hash of a key, by a hasher with the secret of the directory; and by that of the log. */
uint64_t edge_hash(const mlbf_hasher *hasher, const char *key, size_t size);
uint64_t edge_log_hash(const edge_log *e, const char *key, size_t size);

/* A page, its edges, and that it ends: directly before frontier_done. What was begun and not ended is dropped. */
void edge_log_begin(edge_log *e);
void edge_log_add(edge_log *e, uint64_t target, link_element by, bool is_mixed);
bool edge_log_end(edge_log *e, uint64_t source, bool is_again); /* false: out of memory, here or in edge_log_add */

/* Before each commit (commit_files.h). */
frontier_status edge_log_settle(edge_log *e, char message[FRONTIER_MESSAGE_SIZE]);

#endif
