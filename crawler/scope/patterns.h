/* crawler/scope/patterns.h: --include and --exclude, regular expressions (PCRE2) over URLs.
 *
 * A URL has two spellings: as it is requested, which pages.jsonl and the report show, and its key, the canonical form
 * that `strata url` prints. An expression matches the URL if it matches either, so that it may be written after
 * whichever its author sees. Both are ASCII: what is not is escaped, in UTF-8.
 *
 * A URL is taken if an include matches, or no include is given, and no exclude matches. If all expressions together
 * exceed a limit of steps for one URL, some 10 ms, those that are left give no result, and the URL is then not taken: a
 * hostile URL cannot hold the crawl up, nor slip by an exclude. They are kept in the crawl's directory as text, so a
 * crawl that goes on has the same. */
#ifndef STRATA_CRAWLER_PATTERNS_H
#define STRATA_CRAWLER_PATTERNS_H

#include "frontier/url.h"

enum { PATTERNS_MESSAGE = 200 };

typedef struct patterns patterns;

patterns *patterns_create(void); /* NULL: out of memory */
void patterns_free(patterns *p); /* NULL is fine */

/* false: `message` says what is wrong with `expression`, or that memory is out. */
bool patterns_add(patterns *p, bool is_include, const char *expression, char message[PATTERNS_MESSAGE]);

bool patterns_take(patterns *p, const url *u);
bool patterns_exclude(patterns *p, const url *u); /* by an exclude, whatever the includes say */

uint64_t patterns_undecided(const patterns *p); /* how many were not taken for want of steps, so far */

/* "+include\n" and "-exclude\n" in order; lives as long as `p` is not added to. "" if there are none. */
const char *patterns_text(const patterns *p);
bool patterns_read(patterns *p, const char *text, size_t size); /* false: not such a text, or out of memory */

#endif
