/* frontier/url.h: one key per page.
 *
 * A link gives two strings. The *fetch URL* is what a browser would request (WHATWG resolution,
 * fragment dropped). The *key* decides "seen" and is never sent: it merges only spellings that are
 * the same page by the standards (RFC 3986 section 6.2.2-6.2.3, WHATWG URL, RFC 5952, UTS 46):
 * case of scheme and host, default port, dot segments, case of %-escapes, escaped unreserved
 * characters, empty path, and the forms of IDN, IPv4 and IPv6 hosts. It never drops a session id,
 * sorts a query, drops "www." or a slash: such rules exist, opt-in, by name (url_profile).
 *
 *     base --url_base_set--> url_base        once per page
 *     (base, href) --url_resolve--> url      fetch URL, key, and the key's segments for the filter
 *
 * Threads: no global state; one `url` and one `url_base` belong to one thread at a time.
 * Encoding: hrefs are UTF-8. A page in another charset is decoded by the caller first; the query of
 * such a page is percent-encoded in UTF-8 here unless the caller encodes it before. */
#ifndef STRATA_FRONTIER_URL_H
#define STRATA_FRONTIER_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  URL_LENGTH_MAX = 8192,   /* bytes of href after pre-clean, and of a fetch URL; longer is refused. Browsers and
                              servers stop near 8 KiB; also keeps uriparser 0.9.7 out of CVE-2025-67899 */
  URL_SEGMENTS_MAX = 16,   /* as the filter's layers; the last segment takes the rest of the key */
};

typedef enum url_status {
  URL_OK = 0,
  URL_BAD_SCHEME,   /* not http or https: mailto:, javascript:, data:, ftp:, ... */
  URL_BAD_HOST,     /* missing, empty, or not a host by WHATWG/IDNA; port out of range */
  URL_TOO_LONG,     /* over URL_LENGTH_MAX */
  URL_BAD_SYNTAX,   /* not a URL: relative without a base, or refused by the parser */
  URL_HAS_CONTROL,  /* a NUL or other control byte inside (TAB, CR, LF are removed, as browsers do) */
  URL_HAS_USERINFO, /* user:password@ and the caller asked to refuse it */
  URL_NO_MEMORY,
} url_status;
enum { URL_STATUS_COUNT = URL_NO_MEMORY + 1 };

/* A short word for reports: "scheme", "host", "too-long", "syntax", "control", "userinfo", "memory"; "ok". */
const char *url_status_name(url_status status);

/* Rules beyond the standards, off by default; each may merge different pages on some site. A profile is
 * a set of them; 0 is `strict`. Stored by its name in every file whose keys it made. */
typedef uint32_t url_profile;
enum { URL_STRICT = 0 };

/* Parse "strict" or a comma-separated list of rule names; false (and *profile untouched) if a name is unknown. */
bool url_profile_parse(const char *text, url_profile *profile);
/* The canonical name: rules in fixed order, comma-separated; "strict" for none. Into a caller's buffer of
 * at least URL_PROFILE_NAME_SIZE bytes. */
enum { URL_PROFILE_NAME_SIZE = 256 };
void url_profile_name(url_profile profile, char name[URL_PROFILE_NAME_SIZE]);

/* A resolved URL. The strings live in `buffer`, are NUL-terminated, hold no control bytes, and stay valid
 * until the next call with the same `url`. About 50 KiB: keep one per thread, not one per link. */
typedef struct url {
  const char *fetch;     /* "http://host:port/path?query", as sent; userinfo stripped */
  const char *key;
  uint32_t fetch_size, key_size;   /* bytes, without the NUL */
  uint32_t host_begin, host_end;   /* of the host[:port] within `fetch` */
  uint32_t path_begin;             /* of the path within `fetch`; == host_end */
  /* Segments of the key, in order, delimiter first: "http://h:8/a/b?x&y" -> "http://h:8" "/a" "/b" "?x" "&y".
   * Segment i is key[segment_begin[i] .. segment_begin[i+1]). */
  uint32_t segment_count;
  uint32_t segment_begin[URL_SEGMENTS_MAX + 1];
  char buffer[2 * (3 * URL_LENGTH_MAX + 64)];
} url;

typedef struct url_base url_base; /* a parsed base URL, with its offsets */

url_base *url_base_create(void); /* NULL: out of memory */
void url_base_free(url_base *base);
/* Parse the absolute URL `text` as base; on failure the base is as it was. */
url_status url_base_set(url_base *base, const char *text, size_t size);

/* Resolve `href` against `base` (NULL: href must be absolute). On failure `*out` holds nothing usable. */
url_status url_resolve(const url_base *base, const char *href, size_t size, url_profile profile, url *out);

/* The same for an absolute URL: key(key(x)) == key(x), and the key of a fetch URL is the key of its href. */
url_status url_parse(const char *text, size_t size, url_profile profile, url *out);

#ifdef __cplusplus
}
#endif
#endif
