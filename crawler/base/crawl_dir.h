/* The directory of a crawl:
 *
 *     DIR/pages.jsonl   one line per fetch, for programs (PAGES.md)
 *     DIR/pages-*       with --warc: requests and responses (WARC.md)
 *     DIR/inlinks.*     how many pages link to a URL (frontier/inlinks.h)
 *     DIR/contents/     the fingerprint index of page texts (fingerprint_index.h)
 *     DIR/digests.sdbf  with --digests: of bodies that are not HTML (body_digests.h)
 *     DIR/frontier/     seen URLs and the queue (frontier/FORMAT.md)
 */
#ifndef STRATA_CRAWLER_CRAWL_DIR_H
#define STRATA_CRAWLER_CRAWL_DIR_H

#include "frontier/frontier.h"

enum { CRAWL_PATH_SIZE = 4096 };

/* "strata-HOST[-PORT]", bytes outside [a-z0-9.-] replaced by '-'. */
void crawl_dir_default(const url *start, char path[CRAWL_PATH_SIZE]);

/* Is this the directory of a crawl? A link is followed to it, and none in it; errno is ELOOP if DIR/frontier is one. */
bool crawl_dir_exists(const char *directory);
bool crawl_dir_find(const char *command, const char *directory); /* false after one sentence, said for `command` */

/* It and the frontier in it, if there is one, belong to the effective user; false after one sentence. */
bool crawl_dir_is_ours(const char *command, const char *directory);

/* Make it, or find it ours or empty. false after one sentence on stderr. */
bool crawl_dir_prepare(const char *directory);

/* The frontier in it, for reading. NULL after one sentence on stderr, said for `command`. */
frontier *crawl_dir_open(const char *command, const char *directory);

/* The same as its only writer, without its journal: nothing may be fetched. */
frontier *crawl_dir_open_to_change(const char *command, const char *directory);

void crawl_dir_file(const char *directory, const char *name, char path[CRAWL_PATH_SIZE]);

#endif
