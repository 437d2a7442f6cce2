/* crawler/html/attribute_words.h: words in the values of attributes, in any case: what a link's relations and a page's
 * directives for robots say. */
#ifndef STRATA_CRAWLER_ATTRIBUTE_WORDS_H
#define STRATA_CRAWLER_ATTRIBUTE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { REL_NOFOLLOW = 1, REL_CANONICAL = 2, REL_PAGE = 4, REL_STYLESHEET = 8, REL_ASSET = 16 };

bool words_equal(const char *text, size_t size, const char *word); /* `word` is in lower case */

/* The relations of a <link rel> or <a rel>: bits of them. REL_PAGE: it names another page. */
unsigned words_rel(const char *value, size_t size);

/* Of a <meta name=robots content>: sets what it says, and leaves what it does not. */
void words_robots(const char *content, size_t size, bool *nofollow, bool *noindex);

#endif
