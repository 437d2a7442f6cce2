/* Header lines of requests, as libcurl wants them. Each function: false if memory is out; what is there stays. */
#ifndef STRATA_CRAWLER_HEADER_LIST_H
#define STRATA_CRAWLER_HEADER_LIST_H

#include <stdbool.h>

struct curl_slist; /* NULL: empty; curl_slist_free_all frees it */

bool header_list_add(struct curl_slist **list, const char *line);
bool header_list_add_field(struct curl_slist **list, const char *name, const char *value);
bool header_list_add_all(struct curl_slist **list, const struct curl_slist *more);

#endif
