/* tests/site/target.h: when two request targets are the same page.
 *
 * An opinion of its own, told in fifty lines and from RFC 3986 section 6.2.2 alone, so that the tests do not
 * ask the crawler's code whether the crawler is right. */
#ifndef STRATA_TESTS_SITE_TARGET_H
#define STRATA_TESTS_SITE_TARGET_H

#include "tests/site/grown_text.h"

/* Append the canonical form of `target` ("/path?query"): escaped unreserved characters as themselves, escapes in
 * upper case, nothing else touched. False if no browser would send this target: it does not start with a slash,
 * has a fragment, a space, a control byte, a byte >= 0x80, or a dot segment. */
bool target_canonical(text *out, const char *target, size_t size);

/* Append the request target of an absolute URL; "/" if it has none. The rest of the URL is not looked at. */
void target_of_url(text *out, const char *url);

#endif
