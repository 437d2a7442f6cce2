/* frontier/url.h: one key per page.
 *
 * A link gives two strings. The *fetch URL* is what a browser would request (WHATWG resolution,
 * fragment dropped). The *key* decides whether the URL was seen, and is never sent: it merges only spellings that are
 * the same page by the standards (RFC 3986 section 6.2.2-6.2.3, WHATWG URL, RFC 5952, UTS 46):
 * case of scheme and host, default port, dot segments, case of %-escapes, escaped unreserved
 * characters, empty path, and the forms of IDN, IPv4 and IPv6 hosts. It never drops a session id,
 * sorts a query, drops "www." or a slash: such rules exist, opt-in, by name (url_profile).
 *
 *     base --url_base_set--> url_base        once per page
 *     (base, href) --url_resolve--> url      fetch URL, key, and the key's segments for the filter
 *
 * Threads: no global state; one `url` and one `url_base` belong to one thread at a time.
 *
 * Encoding: hrefs are UTF-8. The caller first decodes a page in another charset, and percent-encodes the
 * query of an href in the page's charset, as browsers do; existing escapes stay unchanged. In path and
 * query a byte that is not UTF-8 is escaped as is (a browser would send U+FFFD for it, so different URLs
 * would become one); in a host it is refused.
 *
 * The whole story, with its drawing, rules, refusals and known differences from browsers: URL.md. */
#ifndef STRATA_FRONTIER_URL_H
#define STRATA_FRONTIER_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  URL_LENGTH_MAX = 8192, /* bytes of a fetch URL, of a key, and of an href (outer white space, fragment and TAB CR LF
                              do not count). Longer is refused. Browsers and servers stop near 8 KiB; the cap also
                              keeps uriparser 0.9.7 out of CVE-2025-67899, its recursion on long inputs */
  URL_HOST_MAX = 254,    /* bytes of a host, without port: what DNS can carry (RFC 1035), and a trailing dot */
  URL_SEGMENTS_MAX = 16, /* as the filter's layers; the last segment takes the rest of the key */
};

typedef enum url_status {
  URL_OK = 0,
  URL_BAD_SCHEME,   /* not http or https: mailto:, javascript:, data:, ftp:, ... */
  URL_BAD_HOST,     /* missing, invalid by WHATWG or IDNA, over URL_HOST_MAX; or an invalid port number */
  URL_TOO_LONG,     /* over URL_LENGTH_MAX */
  URL_BAD_SYNTAX,   /* not a URL: relative without a base, or refused by the parser */
  URL_HAS_CONTROL,  /* a control byte in the host, raw or escaped. (TAB, CR, LF are removed everywhere, and
                       other control bytes in path and query are escaped: browsers do both) */
  URL_HAS_USERINFO, /* user:password@, and the profile has the rule `refuse-userinfo` */
  URL_NO_MEMORY,
} url_status;
enum { URL_STATUS_COUNT = URL_NO_MEMORY + 1 };

/* A short word for reports: "scheme", "host", "too-long", "syntax", "control", "userinfo", "memory"; "ok". */
const char *url_status_name(url_status status);

/* Rules beyond the standards, off by default; each may merge different pages on some site. A profile is
 * a set of them; 0 is `strict`. Files store the profile's name, never the number. */
typedef uint32_t url_profile;
enum {
  URL_STRICT = 0,
  URL_NO_WWW = 1 << 0,               /* no-www: "www." before a name of two or more labels dropped */
  URL_HTTP_IS_HTTPS = 1 << 1,        /* http=https: every key says http; then port 80 is the default */
  URL_NO_TRAILING_SLASH = 1 << 2,    /* no-trailing-slash: /a/ is /a; the root stays / */
  URL_NO_INDEX_PAGE = 1 << 3,        /* no-index-page: /a/index.html, /a/Default.aspx, ... are /a/ */
  URL_SORT_QUERY = 1 << 4,           /* sort-query: parameters ordered by name, then value; empty ones dropped */
  URL_NO_SESSION_IDS = 1 << 5,       /* no-session-ids: sid, PHPSESSID, ... of 32 letters or digits dropped */
  URL_NO_TRACKING = 1 << 6,          /* no-tracking-params: utm_*, gclid, fbclid, ... dropped */
  URL_NO_DUPLICATE_SLASHES = 1 << 7, /* no-duplicate-slashes: /a//b is /a/b */
  URL_PATH_PAPER = 1 << 8,           /* path-paper: scheme dropped ("//host/a"), segments end at '/' only: the
                                        key of Cen, Xu, Sun's paper. Under it "//host/a" needs no base */
  URL_REFUSE_USERINFO = 1 << 9,      /* refuse-userinfo: URL_HAS_USERINFO, instead of stripping the userinfo */
  URL_EVERY_RULE = (1 << 10) - 1,
};

/* Parse "strict" or a comma-separated list of rule names; false (and *profile untouched) if a name is unknown. */
bool url_profile_parse(const char *text, url_profile *profile);
/* The canonical name: rules in fixed order, comma-separated; "strict" for no rule. Into a caller's buffer of
 * at least URL_PROFILE_NAME_SIZE bytes. */
enum { URL_PROFILE_NAME_SIZE = 256 };
void url_profile_name(url_profile profile, char name[URL_PROFILE_NAME_SIZE]);

/* A resolved URL. The strings live inside, are NUL-terminated, hold neither control bytes nor spaces nor
 * bytes over 0x7e, and stay valid until the next call with the same `url`; so it cannot be copied by `=`.
 * About 17 KiB: keep one per thread, not one per link. No need to clear it first. */
typedef struct url {
  const char *fetch;             /* "http://host:port/path?query", as sent; userinfo stripped */
  const char *key;               /* may be the same bytes as `fetch` */
  uint32_t fetch_size, key_size; /* bytes, without the NUL */
  uint32_t host_begin, host_end; /* of the host[:port] within `fetch` */
  uint32_t path_begin;           /* of the path within `fetch`; == host_end */
  /* Segments of the key, in order, delimiter first: "http://h:8/a/b?x&y" -> "http://h:8" "/a" "/b" "?x" "&y".
   * '/' separates before the first '?', '&' after it. Segment i is key[segment_begin[i] .. segment_begin[i+1]). */
  uint32_t segment_count;
  uint32_t segment_begin[URL_SEGMENTS_MAX + 1];
  char fetch_bytes[URL_LENGTH_MAX + 64]; /* 64: vector stores may run past the end */
  char key_bytes[URL_LENGTH_MAX + 64];
} url;

typedef struct url_base url_base; /* a parsed base URL, with its offsets */

url_base *url_base_create(void);    /* NULL: out of memory */
void url_base_free(url_base *base); /* NULL is fine */
/* Parse the absolute URL `text` as base; on failure the base stays unchanged. */
url_status url_base_set(url_base *base, const char *text, size_t size);

/* Resolve `href` against `base` (NULL: href must be absolute). On failure `*out` holds nothing usable. */
url_status url_resolve(const url_base *base, const char *href, size_t size, url_profile profile, url *out);

/* As url_resolve, for an absolute URL. The key of a key is that key; the key of a fetch URL is that of its href. */
url_status url_parse(const char *text, size_t size, url_profile profile, url *out);

#ifdef __cplusplus
}
#endif
#endif
