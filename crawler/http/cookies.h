/* The cookies of one run (RFC 6265bis), those of a file and those that servers set.
 *
 * The file's are the user's: they go to trusted servers only, as does what a server sets in place of one. Those that
 * servers set go back where the RFC says, and more narrowly: set over https they are never sent by http, and those
 * without a Domain attribute go to the scheme and port that set them. None is for a public suffix.
 *
 * Bounded: 3,000 in all, 180 of a registered domain, 50 of a host or Domain attribute; the one not used for longest
 * makes room. 4,096 bytes of name and value, 1,024 of an attribute; a request gets 8,190 bytes of them. A call looks at
 * the cookies of one registered domain, and of those with the same of 1,024 hashes.
 *
 * libcurl's own are not used: it has no bound by domain, and 50 new ones a page cost it quadratic time.
 *
 * Not thread-safe: one thread at a time. */
#ifndef STRATA_CRAWLER_COOKIES_H
#define STRATA_CRAWLER_COOKIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  COOKIES_MAX = 3000,
  COOKIES_SITE_MAX = 180,
  COOKIES_DOMAIN_MAX = 50,
  COOKIE_MAX = 4096, /* bytes of name and value */
  COOKIE_ATTRIBUTE_MAX = 1024,
  COOKIES_SENT_MAX = 8190,
};

typedef struct cookies cookies;

cookies *cookies_create(void); /* NULL: out of memory, or the operating system gave no random bytes */
void cookies_free(cookies *c); /* NULL is fine */

/* A file in Netscape's format; lines that are not are left out. false: it cannot be read, errno says why. */
bool cookies_read(cookies *c, const char *path, uint64_t now_s);

/* A Set-Cookie field in the response for that URL (absolute, as it was requested). false: it is not kept. `now_s`: of
 * the Unix epoch. */
bool cookies_take(cookies *c, const char *url, const char *field, uint64_t now_s);

/* The value of the Cookie field for that URL, "" if none; valid until the next call. */
const char *cookies_for(cookies *c, const char *url, bool is_trusted, uint64_t now_s);

/* A hash of it, keyed with a number that each jar draws; 0: "". */
uint64_t cookies_hash(cookies *c, const char *url, bool is_trusted, uint64_t now_s);

size_t cookies_count(const cookies *c);

#endif
