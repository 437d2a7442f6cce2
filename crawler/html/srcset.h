/* crawler/html/srcset.h: the URLs in <img srcset="a.png 1x, b.png 2x">. */
#ifndef STRATA_CRAWLER_SRCSET_H
#define STRATA_CRAWLER_SRCSET_H

#include <stdbool.h>
#include <stddef.h>

/* The next URL of [*at, end), by the standard's steps (WHATWG HTML, "parse a srcset attribute"); false: no more. */
bool srcset_next(const char **at, const char *end, const char **url, size_t *size);

#endif
