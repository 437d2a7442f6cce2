/* frontier/url/url_parts.h: the stages inside url_resolve, private to frontier/url/. See URL.md for the drawing.
 *
 *     href --url_fast_resolve--------------------------------------------------> fetch URL, strict key
 *       \--url_reference_read--> url_reference --url_direct_resolve------------> the same bytes
 *                                               \--url_slow_resolve, if long---> the same bytes
 *                                                  strict key --url_rules_apply--> key --url_segments--> */
#ifndef STRATA_FRONTIER_URL_PARTS_H
#define STRATA_FRONTIER_URL_PARTS_H

#include "frontier/url.h"

enum {
  URL_PORT_MAX = 6,                                     /* ":65535" */
  URL_NAME_UTF8_MAX = 4 * URL_HOST_MAX,                 /* a name of URL_HOST_MAX bytes has no more code points */
  URL_ORIGIN_MAX = 8 + URL_HOST_MAX + URL_PORT_MAX + 1, /* "https://" host ":port" NUL */
};

/* Where a byte may stand for itself: in a key by RFC 3986, and where browsers send it unescaped. */
enum {
  URL_UNRESERVED = 1, /* in a key, and is never escaped there */
  URL_RESERVED = 2,   /* in a key, where its escape is another thing */
  URL_IN_PATH = 4,
  URL_IN_QUERY = 8,
  URL_IN_HOST = 16, /* in a domain (WHATWG's forbidden domain code points are the others in ASCII) */
};
extern const unsigned char url_places[256];

/* An href taken apart as a browser would, before it meets its base. */
typedef struct url_reference {
  bool has_origin; /* it names scheme and host itself */
  bool has_dots;   /* '.' or '..' is a segment of its path */
  size_t origin_size;
  size_t path_size; /* of the path within `rest`; what follows is "?query", or nothing */
  size_t rest_size;
  char origin[URL_ORIGIN_MAX];    /* "http://host:port", default port dropped; not NUL-terminated */
  char rest[URL_LENGTH_MAX + 64]; /* path and query, escaped as browsers do, dot segments spelled '.' and '..' */
} url_reference;

/* `base` is a fetch URL, or NULL: what a missing scheme or host would come from. */
url_status url_reference_read(const char *href, size_t size, const char *base, url_profile profile,
                              url_reference *reference);

/* A host without its port, as found between "//" and ":port", to its one spelling: a lower-case name in
 * ASCII, a dotted IPv4 address, or [IPv6] by RFC 5952. Not NUL-terminated. Behind `text`, 64 bytes may be read. */
url_status url_host_read(const char *text, size_t size, char host[URL_HOST_MAX], size_t *host_size);

/* A name that is not all ASCII, in UTF-8 of at most URL_NAME_UTF8_MAX bytes, to lower-case ASCII. Neither is
 * NUL-terminated. The caller refuses what may not be in a host, such as a '/' that a code point was mapped to. */
url_status url_idna_to_ascii(const char *text, size_t size, char host[URL_HOST_MAX], size_t *host_size);

/* Punycode without the "xn--". Writing returns where it ends, NULL if there is no room before `end`. Reading takes the
 * room in `*codes_size`; false if there is too little, or if it is no Punycode. */
char *url_punycode_write(const uint32_t *codes, size_t size, char *out, const char *end);
bool url_punycode_read(const uint32_t *text, size_t size, uint32_t *codes, size_t *codes_size);

/* Fetch URL, strict key and its segments, if the link is plain; false: ask the slow path, nothing in `out` counts.
 * The first is the best this processor can do of the others, which all do the same. */
typedef bool url_fast_path(const url_base *base, const char *href, size_t size, url *out);
url_fast_path url_fast_resolve, url_fast_any, url_fast_avx2;

/* Fetch URL and strict key, if base and reference are not too long; false: ask the slow path. */
bool url_direct_resolve(const url_base *base, const url_reference *reference, url *out);

/* The same, of any length, by way of uriparser. */
url_status url_slow_resolve(const url_base *base, const url_reference *reference, url *out);

/* Make the strict key of `out` the key of `profile`, in place. */
void url_rules_apply(url_profile profile, url *out);

/* Fill the segments of `out` from its key. */
void url_segments(url_profile profile, url *out);

struct url_base {
  bool is_set;
  uint32_t plain_end;     /* how far fetch URL and key agree: what the fast path may put in front */
  uint32_t directory_end; /* in the fetch URL: after the path's last '/' */
  uint32_t path_end;      /* where the path ends */
  url parsed;             /* by the strict profile */
};

static inline bool url_is_hex(unsigned char byte)
{
  return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f');
}

/* The value of a hexadecimal digit. */
static inline unsigned url_hex_value(unsigned char digit)
{
  return digit <= '9' ? digit - 0x30u : (digit | 0x20u) - 'a' + 10;
}

/* Do the `left` bytes at `text` begin with a "%hh"? */
static inline bool url_is_escape(const char *text, size_t left)
{
  return left >= 3 && text[0] == '%' && url_is_hex((unsigned char)text[1]) && url_is_hex((unsigned char)text[2]);
}

static inline unsigned char url_escape_value(const char *escape)
{
  return (unsigned char)(url_hex_value((unsigned char)escape[1]) << 4 | url_hex_value((unsigned char)escape[2]));
}

#endif
