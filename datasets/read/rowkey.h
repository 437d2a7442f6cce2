/* datasets/read/rowkey.h: the key of a row's URL. */
#ifndef STRATA_DATASETS_ROWKEY_H
#define STRATA_DATASETS_ROWKEY_H

#include "frontier/url.h"

/* Resolve `text`, an absolute URL whose scheme may be missing, under the profile path-paper: out->key is
 * "//host/path?query". Blanks around it are dropped. Without a scheme only a name with a dot, or four numbers, is a
 * host: ranks and titles are none. */
url_status rowkey_make(const char *text, size_t size, url *out, bool *is_https);

#endif
