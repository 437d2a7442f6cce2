/* crawler/html/charset.h: the charset of a page by the Encoding Standard (WHATWG), and its effect on the queries of
 * the page's links.
 *
 *     label ("latin1", "x-sjis", ...) -> charset -> decoder.h reads the page, charset_escape_query writes its queries
 *
 * The tables are the standard's; the conversions are the C library's iconv. Threads: everything here is constant. */
#ifndef STRATA_CRAWLER_CHARSET_H
#define STRATA_CRAWLER_CHARSET_H

#include <iconv.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct charset charset;

/* The charset of a label in any case, white space around; NULL: no such label. */
const charset *charset_of_label(const char *label, size_t size);

/* The charset in a <meta content> of "text/html; charset=x", which is read otherwise than a Content-Type header
 * (mime_type.h); NULL: none, or unknown. */
const charset *charset_of_content(const char *content, size_t size);

/* Of one in a <meta>: a page whose <meta> could be read is not in UTF-16. NULL gives NULL. */
const charset *charset_of_meta(const charset *said);

const charset *charset_of_bom(const char *bytes, size_t size); /* NULL: the bytes begin with none */

const char *charset_name(const charset *c); /* the standard's: "windows-1252", "gb18030", ... */
bool charset_is_utf8(const charset *c);
bool charset_is_utf16(const charset *c);
bool charset_is_opaque(const charset *c); /* the standard's "replacement": never decoded, for safety */
bool charset_has_ascii(const charset *c); /* each byte below 128 is that character, whatever came before */
bool charset_has_c1(const charset *c);    /* a byte 80..9F without a character is the C1 control of that number */

/* A conversion to UTF-8; false (errno set) if this C library has it not. The caller closes it with iconv_close. */
bool charset_open(const charset *c, iconv_t *conversion);
/* iconv(3), which writes nothing where it reads, whatever its type says. */
size_t charset_convert(iconv_t conversion, const char **in, size_t *left, char **out, size_t *room);

/* `href` (UTF-8) as a page in this charset means it: characters of the query that are not ASCII become %-escapes of
 * the page's bytes, those the charset has not become &#N; escaped (WHATWG URL, "percent-encode after encoding"). Path
 * and fragment stay. Returns the size, or 0 if nothing had to change or `room` bytes are too few for it. */
size_t charset_escape_query(const charset *c, const char *href, size_t size, char *out, size_t room);

#endif
