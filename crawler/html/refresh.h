/* crawler/html/refresh.h: the URL in `<meta http-equiv=refresh content="...">`, also sent as a Refresh header. */
#ifndef STRATA_CRAWLER_REFRESH_H
#define STRATA_CRAWLER_REFRESH_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the URL in `content` by the standard's steps (WHATWG HTML, section 4.2.5.3, "shared declarative refresh
 * steps"): "5; url='next.html'" and its many spellings. True: `*url` and `*url_size` are a part of `content`.
 * False: not a refresh, or one of the page itself. */
bool refresh_find_url(const char *content, size_t size, const char **url, size_t *url_size);

#endif
