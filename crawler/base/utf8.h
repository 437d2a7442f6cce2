/* crawler/base/utf8.h: is it UTF-8, and is it safe to show? */
#ifndef STRATA_CRAWLER_UTF8_H
#define STRATA_CRAWLER_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 sequence of two to four bytes at `at` (RFC 3629: no overlong forms, no surrogates), 0 if it is
 * none. The text is NUL-terminated. */
size_t utf8_sequence(const char *at);

/* The character that begins at `at`, of one to four bytes before `end`. 0: it is cut off by `end`. is_good false: so
 * many bytes are none, as the Encoding Standard replaces them by one U+FFFD. */
size_t utf8_character(const char *at, const char *end, bool *is_good);

/* Past what is ASCII, eight bytes at a time. */
const char *utf8_skip_ascii(const char *at, const char *end);

/* The code point of such a sequence. */
uint32_t utf8_code(const char *at, size_t size);

/* Does a terminal obey it, or does it turn or break the line that it stands in? C0, DEL, C1; the bidi controls U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; the separators U+2028 and U+2029. */
bool utf8_is_control(uint32_t code);

#endif
