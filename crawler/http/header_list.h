/* Header lines of requests, as libcurl wants them. */
#ifndef STRATA_CRAWLER_HEADER_LIST_H
#define STRATA_CRAWLER_HEADER_LIST_H

#include "crawler/http/fetch.h"

#include <stdbool.h>

struct curl_slist; /* NULL: empty; curl_slist_free_all frees it */

/* `users` (NULL ends them, or NULL for none), and what each request says if they do not say it. NULL: out of memory. */
struct curl_slist *header_list_create(const fetch_options *options, const char *const *users);

/* One more at the end, if the list has none of that name; false: out of memory, the list is as it was. Of several, as
 * many as there was memory for. */
bool header_list_add_field(struct curl_slist **list, const char *name, const char *value);
bool header_list_add_missing(struct curl_slist **list, const struct curl_slist *more);

/* All of them. */
bool header_list_add_all(struct curl_slist **list, const struct curl_slist *more);

#endif
