/* The directory of a crawl:
 *
 *     DIR/pages.jsonl   one line per fetch, for programs (PAGES.md)
 *     DIR/pages-*       with --warc: requests and responses (WARC.md)
 *     DIR/edges         with --audit: who links where (loop/edge_log.h)
 *     DIR/inlinks.*     how many pages link to a URL (frontier/inlinks.h)
 *     DIR/contents/     the fingerprint index of page texts (fingerprint_index.h)
 *     DIR/digests.sdbf  with --digests: of bodies that are not HTML (body_digests.h)
 *     DIR/last-copy     in a cluster: which copy elsewhere is complete (cluster/last_copy.h)
 *     DIR/frontier/     seen URLs and the queue (frontier/FORMAT.md)
 *
 * A program on the library (frontier/frontier.h) has only the last, wherever it lies. What reads or changes a frontier
 * alone takes that directory, too. */
#ifndef STRATA_CRAWLER_CRAWL_DIR_H
#define STRATA_CRAWLER_CRAWL_DIR_H

#include "frontier/frontier.h"

enum { CRAWL_PATH_SIZE = 4096 };

/* "strata-HOST[-PORT]", or "audit-..." of an audit, bytes outside [a-z0-9.-] replaced by '-'. */
void crawl_dir_default(const url *start, bool is_audit, char path[CRAWL_PATH_SIZE]);

/* Is this the directory of a crawl? A link is followed to it, and none in it; errno is ELOOP if DIR/frontier is one. */
bool crawl_dir_exists(const char *directory);
bool crawl_dir_find(const char *command, const char *directory); /* false after one sentence, said for `command` */

/* The frontier of a crawl, DIR/frontier, or DIR itself, if a program on the library made it. false after one sentence,
 * said for `command`. */
bool crawl_dir_frontier(const char *command, const char *directory, char path[CRAWL_PATH_SIZE]);

/* It and the frontier in it, if there is one, belong to the effective user; false after one sentence. */
bool crawl_dir_is_ours(const char *command, const char *directory);

/* Make it, or find it ours or empty. false after one sentence on stderr. */
bool crawl_dir_prepare(const char *directory);

/* Its frontier, for reading. NULL after one sentence on stderr, said for `command`. */
frontier *crawl_dir_open(const char *command, const char *directory);

/* The same with its journal, so that it can be copied; NULL: without. */
frontier *crawl_dir_open_with(const char *command, const char *directory, const char *journal);

/* The same as its only writer, without its journal: nothing may be fetched. */
frontier *crawl_dir_open_to_change(const char *command, const char *directory);

/* Are its keys those of URLs, so that a URL can be looked up by its text? false after one sentence. */
bool crawl_dir_has_url_keys(const char *command, const char *directory, const frontier *f);

void crawl_dir_file(const char *directory, const char *name, char path[CRAWL_PATH_SIZE]);

#endif
