/* Header lines of requests, as libcurl wants them. */
#ifndef STRATA_CRAWLER_HEADER_LIST_H
#define STRATA_CRAWLER_HEADER_LIST_H

#include "crawler/http/fetch.h"

#include <stdbool.h>

struct curl_slist; /* NULL: empty; curl_slist_free_all frees it */

/* What each request says, and `more` (NULL ends them, or NULL for none). NULL: out of memory. */
struct curl_slist *header_list_create(const fetch_options *options, const char *const *more);

/* One more at the end; false: out of memory, the list is as it was. Of several, as many as there was memory for. */
bool header_list_add_field(struct curl_slist **list, const char *name, const char *value);
bool header_list_add_all(struct curl_slist **list, const struct curl_slist *more);

#endif
