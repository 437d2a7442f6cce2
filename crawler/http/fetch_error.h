/* What went wrong with a fetch, of all that libcurl can say. */
#ifndef STRATA_CRAWLER_FETCH_ERROR_H
#define STRATA_CRAWLER_FETCH_ERROR_H

#include "crawler/http/fetch.h"

fetch_error fetch_error_of(int code); /* a CURLcode */

#endif
