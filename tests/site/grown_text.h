/* tests/site/grown_text.h: bytes that grow at the end. Out of memory ends the test program: there is
 * nothing to prove then. */
#ifndef STRATA_TESTS_SITE_GROWN_TEXT_H
#define STRATA_TESTS_SITE_GROWN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros is an empty text. `bytes` is NUL-terminated whenever it is not NULL. */
typedef struct text {
  char *bytes;
  size_t size, room;
} text;

void text_free(text *t);
void text_clear(text *t); /* keeps the memory */
void text_add(text *t, const char *string);
void text_add_byte(text *t, char byte);
void text_add_bytes(text *t, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void text_addf(text *t, const char *format, ...);

/* Appends a whole file; false (errno set) if it cannot be read. */
bool text_add_file(text *t, const char *path);

#endif
