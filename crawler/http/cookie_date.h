/* The date of a cookie's Expires, in any of the ways servers write it (RFC 6265bis, 5.1.1). */
#ifndef STRATA_CRAWLER_COOKIE_DATE_H
#define STRATA_CRAWLER_COOKIE_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* In seconds since 1970, which may be negative; false: it is no date. Linear in the text. */
bool cookie_date_read(const char *text, int64_t *seconds);

#endif
